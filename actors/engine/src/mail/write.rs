//! The rows of a mail: the mail, its due row and, for gathered kinds, the row by person.

use domain::{Mail, MailStatus};
use store::{Batch, Record, keys};

use super::message::MailKey;

/// Writes a mail and deletes its former rows. A finished mail that concerns only an account, and a finished
/// reset, are deleted and have no log row.
pub(crate) fn write_mail(batch: &mut Batch, after: &Mail, before: Option<&Mail>) {
    assert_eq!(
        after.status == MailStatus::Pending,
        after.next_attempt_at.is_some(),
        "a mail is due exactly while it is pending"
    );
    let MailKey { of, id } = MailKey::of(after);
    if let Some(before) = before {
        delete_indexes(batch, before);
    }
    if let Some(due) = after.next_attempt_at {
        batch.put(keys::mail_due(of, due, id), Vec::new());
        if after.kind.gathers() {
            batch.put(keys::mail_gathered(of, after.kind, after.person_id, id), Vec::new());
        }
    } else if !after.is_logged() {
        return batch.delete(keys::mail(of, id));
    }
    batch.put(keys::mail(of, id), after.encode());
}

pub(super) fn delete_mail(batch: &mut Batch, mail: &Mail) {
    let MailKey { of, id } = MailKey::of(mail);
    delete_indexes(batch, mail);
    batch.delete(keys::mail(of, id));
}

fn delete_indexes(batch: &mut Batch, mail: &Mail) {
    let MailKey { of, id } = MailKey::of(mail);
    let Some(due) = mail.next_attempt_at else { return };
    batch.delete(keys::mail_due(of, due, id));
    if mail.kind.gathers() {
        batch.delete(keys::mail_gathered(of, mail.kind, mail.person_id, id));
    }
}
