//! A mail before it is written to the outbox, and the rows of a mail in the store:
//!
//! - Each mail has a record under its id.
//! - A waiting mail has a row in the list of due mails.
//! - A waiting mail has a row in the list of gathered mails if mails of its kind can be combined into one.
//! - A notice has a row in the list of its appointment's notices.
//! - A waiting notice has a row in the list of waiting notices.

use domain::{About, BusinessId, Mail, MailKind, MailStatus, PersonId, Timestamp};
use store::{Batch, Key, Record, keys};

use super::actor::MailKey;

#[derive(Clone, Debug)]
pub struct NewMail {
    pub business_id: Option<BusinessId>,
    pub person_id: PersonId,
    pub kind: MailKind,
    pub about: Vec<About>,
    /// The number of further events, which the mail does not list.
    pub more: u32,
    /// The recipient's address, if it is not the person's current address.
    pub to: Option<String>,
    /// The due time. Without a due time, or with a due time in the past, the mail is due immediately.
    pub due: Option<Timestamp>,
}

impl NewMail {
    /// A mail that concerns only an account. It is due immediately.
    pub fn of_account(person_id: PersonId, kind: MailKind, to: Option<String>) -> Self {
        Self { business_id: None, person_id, kind, about: Vec::new(), more: 0, to, due: None }
    }

    /// A mail about a membership. It is due immediately.
    pub fn of_membership(business_id: BusinessId, person_id: PersonId, kind: MailKind) -> Self {
        Self { business_id: Some(business_id), ..Self::of_account(person_id, kind, None) }
    }
}

/// The index rows of a mail, each with its name in reports.
pub(crate) fn mail_rows(of: BusinessId, mail: &Mail) -> impl Iterator<Item = (&'static str, Key)> {
    let due = mail.next_attempt_at.map(|due| ("in the list of due mails", keys::mail_due(of, due, mail.id)));
    let gathered = (due.is_some() && mail.kind.gathers()).then(|| {
        ("in the list of gathered mails", keys::mail_gathered(of, mail.kind, mail.person_id, mail.id))
    });
    let notice = mail.notice.map(|notice| {
        ("in the list of its appointment's notices", keys::notice_of(of, notice.appointment_id, mail.id))
    });
    let waits = (due.is_some() && notice.is_some())
        .then(|| ("in the list of waiting notices", keys::notice_waits(of, mail.id)));
    due.into_iter().chain(gathered).chain(notice).chain(waits)
}

/// Writes a mail and its index rows, and deletes the index rows of the earlier version `before`. If the mail is
/// finished and no log shows it ([`Mail::is_logged`]), deletes the mail instead.
pub(crate) fn write_mail(batch: &mut Batch, after: &Mail, before: Option<&Mail>) {
    assert_eq!(
        after.status == MailStatus::Pending,
        after.next_attempt_at.is_some(),
        "a mail is due exactly while it is pending"
    );
    if let Some(before) = before {
        delete_indexes(batch, before);
    }
    let MailKey { of, id } = MailKey::of(after);
    if after.next_attempt_at.is_none() && !after.is_logged() {
        return batch.delete(keys::mail(of, id));
    }
    mail_rows(of, after).for_each(|(_, row)| batch.put(row, Vec::new()));
    batch.put(keys::mail(of, id), after.encode());
}

pub(crate) fn delete_mail(batch: &mut Batch, mail: &Mail) {
    delete_indexes(batch, mail);
    let MailKey { of, id } = MailKey::of(mail);
    batch.delete(keys::mail(of, id));
}

fn delete_indexes(batch: &mut Batch, mail: &Mail) {
    mail_rows(MailKey::of(mail).of, mail).for_each(|(_, row)| batch.delete(row));
}
