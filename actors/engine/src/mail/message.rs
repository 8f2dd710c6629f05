use domain::{BusinessId, Mail, MailError, MailId, Timestamp};
use ports::MailFailure;
use ractor::RpcReplyPort;
use tokio::sync::OwnedSemaphorePermit;

/// The location of a mail's row: under its business or under the installation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct MailKey {
    pub(super) of: BusinessId,
    pub(super) id: MailId,
}

impl MailKey {
    pub(super) fn of(mail: &Mail) -> Self {
        Self { of: mail.business_id.unwrap_or(BusinessId::INSTALLATION), id: mail.id }
    }
}

/// The bound of a count of waiting mails. A count then takes a few milliseconds.
pub(super) const COUNTED_MAX: usize = 10_000;

#[derive(Debug)]
pub(crate) enum Message {
    /// A mail of a business waits and is due at this instant or earlier.
    Waits(BusinessId, Timestamp),
    Turn,
    Ended(Box<Ended>),
    /// The outcome of a mail is durable.
    Recorded(MailKey),
    /// Counts the waiting mails up to [`COUNTED_MAX`].
    CountWaiting(RpcReplyPort<usize>),
}

#[derive(Debug)]
pub(crate) struct Ended {
    pub(super) mail: Mail,
    pub(super) began: Timestamp,
    pub(super) outcome: Outcome,
    /// Held until the outcome is durable.
    pub(super) under_way: Option<OwnedSemaphorePermit>,
}

#[derive(Debug)]
pub(crate) enum Outcome {
    /// The relay accepted or refused the mail.
    Tried(Result<String, MailFailure>),
    /// The recipient no longer has access, or the content was deleted.
    Dropped,
    /// The mail could not be made for now; the relay is not at fault. Contains the reason.
    NotMade(MailError),
}
