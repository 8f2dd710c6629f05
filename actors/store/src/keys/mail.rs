//! Mails: the outbox and its log. What belongs to no business stands under the installation, in the same kinds.

use domain::{BusinessId, MailId, MailKind, PersonId, ResourceId, Timestamp};

use super::kind;
use super::parts::{of_id, of_instant, of_kind, start};
use crate::records::mail_kind_number;
use crate::{Key, KeyRange};

/// A mail.
pub fn mail(of: BusinessId, id: MailId) -> Key {
    of_id(of, kind::MAIL, id)
}

/// All mails, in the order in which they were written.
pub fn mails(of: BusinessId) -> KeyRange {
    of_kind(of, kind::MAIL)
}

/// Mails and alerts, whatever there is of either: their kinds follow each other.
pub fn mails_and_alerts(of: BusinessId) -> KeyRange {
    KeyRange { from: mails(of).from, to: of_kind(of, kind::ALERTS_READ).to }
}

/// A mail that waits.
pub fn mail_due(of: BusinessId, due: Timestamp, id: MailId) -> Key {
    of_instant(start(of, kind::MAIL_DUE), due, id)
}

/// The mails that wait, in the order in which they are due.
pub fn mails_due(of: BusinessId) -> KeyRange {
    of_kind(of, kind::MAIL_DUE)
}

/// A mail that waits to be sent as one with the others of its kind for a person.
pub fn mail_gathered(of: BusinessId, mails: MailKind, person: PersonId, id: MailId) -> Key {
    gathered_of(of, mails, person).with(id.uuid().as_bytes())
}

/// Those mails of a kind for a person, in the order in which they were written.
pub fn mails_gathered(of: BusinessId, mails: MailKind, person: PersonId) -> KeyRange {
    KeyRange::prefix(gathered_of(of, mails, person))
}

fn gathered_of(of: BusinessId, mails: MailKind, person: PersonId) -> Key {
    start(of, kind::MAIL_GATHERED).with(&[mail_kind_number(mails)]).with(person.uuid().as_bytes())
}
