//! Checks of mails of a business and of accounts.

use domain::{BusinessId, Mail, MailId};
use store::keys;
use store::keys::kind;

use super::findings::Checker;

pub(super) fn look(checker: &mut Checker<'_>, kind: u8, value: &[u8]) {
    if kind == kind::MAIL {
        return mail(checker, value);
    }
    let (of, key) = (checker.of, checker.key);
    let Some(id) = checker.read(keys::id_at_end::<MailId>(&key)) else { return };
    let mail = checker.record::<Mail>(&keys::mail(of, id));
    let asks = |mail: &Mail| match (kind, mail.next_attempt_at) {
        (_, None) => false,
        (kind::MAIL_DUE, Some(due)) => keys::mail_due(of, due, id) == key,
        (_, Some(_)) => mail.kind.gathers() && keys::mail_gathered(of, mail.kind, mail.person_id, id) == key,
    };
    checker.belongs(mail.is_some_and(|mail| asks(&mail)));
    if !value.is_empty() {
        checker.wrong("it has a value");
    }
}

fn mail(checker: &mut Checker<'_>, value: &[u8]) {
    let Some(mail) = checker.decoded::<Mail>(value) else { return };
    let of = checker.of;
    checker.stands_at(&keys::mail(of, mail.id));
    if mail.business_id.unwrap_or(BusinessId::INSTALLATION) != of {
        checker.wrong("it is a mail of another business");
    }
    let Some(due) = mail.next_attempt_at else { return };
    checker.expect("in the list of due mails", &keys::mail_due(of, due, mail.id), b"");
    if mail.kind.gathers() {
        let row = keys::mail_gathered(of, mail.kind, mail.person_id, mail.id);
        checker.expect("in the list of gathered mails", &row, b"");
    }
}
