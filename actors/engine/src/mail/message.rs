//! What the outbox is told.

use domain::{BusinessId, Mail, MailId, Timestamp};
use ports::MailFailure;
use ractor::RpcReplyPort;
use tokio::sync::OwnedSemaphorePermit;

/// Where a mail stands: under its business, or under the installation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct MailKey {
    pub(super) of: BusinessId,
    pub(super) id: MailId,
}

impl MailKey {
    /// The key of a mail.
    pub(super) fn of(mail: &Mail) -> Self {
        Self { of: mail.business_id.unwrap_or(BusinessId::INSTALLATION), id: mail.id }
    }
}

/// The outbox counts waiting mails up to this number, so that counting takes it a few milliseconds.
pub(super) const COUNTED_MAX: usize = 10_000;

/// What the outbox is told.
#[derive(Debug)]
pub(crate) enum Message {
    /// Something waits for a business, until this instant at the latest.
    Waits(BusinessId, Timestamp),
    /// Look at what is due.
    Turn,
    /// It is known what came of a mail.
    Ended(Box<Ended>),
    /// What came of a mail is on the disk.
    Recorded(MailKey),
    /// How many mails wait to be sent, counted up to [`COUNTED_MAX`]?
    CountWaiting(RpcReplyPort<usize>),
}

/// A mail that is not under way any more.
#[derive(Debug)]
pub(crate) struct Ended {
    pub(super) mail: Mail,
    pub(super) began: Timestamp,
    pub(super) outcome: Outcome,
    /// Held until what came of it is on the disk.
    pub(super) under_way: Option<OwnedSemaphorePermit>,
}

/// What came of a mail that was taken up.
#[derive(Debug)]
pub(crate) enum Outcome {
    /// It was handed to the relay, which took it or not.
    Tried(Result<String, MailFailure>),
    /// Nobody may get it any more, or what it tells of is gone.
    Dropped,
    /// It could not be made just now, which is no fault of the relay: says why.
    NotMade(String),
}
