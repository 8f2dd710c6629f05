//! The outbox and the log of mails. A mail that belongs to no business is a row of the installation.

use domain::{BusinessId, MailId, MailKind, PersonId, ResourceId, Timestamp};

use super::kind;
use super::parts::{of_id, of_instant, of_kind, start};
use crate::records::mail_kind_number;
use crate::{Key, KeyRange};

pub fn mail(of: BusinessId, id: MailId) -> Key {
    of_id(of, kind::MAIL, id)
}

pub fn mails(of: BusinessId) -> KeyRange {
    of_kind(of, kind::MAIL)
}

/// All rows of mails and alerts, whose kinds are adjacent.
pub fn mails_and_alerts(of: BusinessId) -> KeyRange {
    KeyRange { from: mails(of).from, to: of_kind(of, kind::ALERTS_READ).to }
}

pub fn mail_due(of: BusinessId, due: Timestamp, id: MailId) -> Key {
    of_instant(start(of, kind::MAIL_DUE), due, id)
}

pub fn mails_due(of: BusinessId) -> KeyRange {
    of_kind(of, kind::MAIL_DUE)
}

pub fn mail_gathered(of: BusinessId, mails: MailKind, person: PersonId, id: MailId) -> Key {
    gathered_of(of, mails, person).with(id.uuid().as_bytes())
}

/// The mails of a kind that are sent to a person together, oldest first.
pub fn mails_gathered(of: BusinessId, mails: MailKind, person: PersonId) -> KeyRange {
    KeyRange::prefix(gathered_of(of, mails, person))
}

fn gathered_of(of: BusinessId, mails: MailKind, person: PersonId) -> Key {
    start(of, kind::MAIL_GATHERED).with(&[mail_kind_number(mails)]).with(person.uuid().as_bytes())
}
