//! Tests with damaged mails. The fixture store has no mails, so the tests add them.

use domain::{Mail, MailKind, MailStatus, Notice, NoticeKind};

use super::*;
use crate::mail::mail_rows;

/// A store with three pending mails: a daily mail of alerts, a notice, and a mail about an account.
fn with_mails(good: &Map) -> Map {
    let mut rows = good.clone();
    let at = Timestamp::from_millis(5);
    for business_id in [Some(good.of()), None] {
        let mail = Mail {
            id: uuid::Uuid::from_bytes([3; 16]).into(),
            business_id,
            person_id: other(),
            kind: if business_id.is_some() { MailKind::Daily } else { MailKind::Reset },
            about: Vec::new(),
            more: 0,
            to: None,
            message_id: "a@example.com".into(),
            status: MailStatus::Pending,
            attempts: 0,
            last_error: None,
            created_at: at,
            last_attempt_at: None,
            next_attempt_at: Some(at),
            notice: None,
            before: None,
        };
        let of = business_id.unwrap_or(BusinessId::INSTALLATION);
        rows.put(&keys::mail(of, mail.id), mail.encode());
        rows.put(&keys::mail_due(of, at, mail.id), Vec::new());
        if mail.kind.gathers() {
            rows.put(&keys::mail_gathered(of, mail.kind, mail.person_id, mail.id), Vec::new());
        }
        if business_id.is_some() {
            let notice = Mail {
                id: uuid::Uuid::from_bytes([6; 16]).into(),
                person_id: uuid::Uuid::nil().into(),
                kind: MailKind::Notice,
                notice: Some(reminder(at)),
                ..mail
            };
            rows.put(&keys::mail(of, notice.id), notice.encode());
            mail_rows(of, &notice).for_each(|(_, row)| rows.put(&row, Vec::new()));
        }
    }
    rows
}

fn reminder(starts_at: Timestamp) -> Notice {
    Notice {
        appointment_id: uuid::Uuid::from_bytes([4; 16]).into(),
        kind: NoticeKind::Reminder,
        starts_at,
        staff_id: uuid::Uuid::from_bytes([5; 16]).into(),
        by_customer: false,
        again: false,
        hours: Some(24),
        dropped: None,
    }
}

const DAMAGES: &[Damage] = &[
    ("a missing mail", |m| m.remove(&m.first(kind::MAIL)), "no record has this index row"),
    (
        "a pending mail without a due row",
        |m| m.remove(&m.first(kind::MAIL_DUE)),
        "in the list of due mails is missing",
    ),
    (
        "a mail that is missing in the list of gathered mails",
        |m| m.remove(&m.first(kind::MAIL_GATHERED)),
        "in the list of gathered mails is missing",
    ),
    (
        "a mail whose person differs from the person in its index row",
        |m| m.edit::<Mail>(&m.first(kind::MAIL), |mail| mail.person_id = uuid::Uuid::from_u128(8).into()),
        "no record has this index row",
    ),
    (
        "a mail of another business",
        |m| m.edit::<Mail>(&m.first(kind::MAIL), |mail| mail.business_id = None),
        "it is a mail of another business",
    ),
    (
        "a sent mail with a due row",
        |m| {
            m.edit::<Mail>(&m.first(kind::MAIL), |mail| {
                (mail.status, mail.next_attempt_at) = (MailStatus::Sent, None);
            });
        },
        "no record has this index row",
    ),
    ("a due row with a value", |m| m.put(&m.first(kind::MAIL_DUE), vec![1]), "its value must be empty"),
    (
        "a notice that is missing in the list of its appointment",
        |m| m.remove(&m.first(kind::NOTICE_OF)),
        "in the list of its appointment's notices is missing",
    ),
    (
        "a waiting notice that is not counted",
        |m| m.remove(&m.first(kind::NOTICE_WAITS)),
        "in the list of waiting notices is missing",
    ),
    (
        "a mail about an account that cannot be decoded",
        |m| {
            let key = m.installation(kind::MAIL);
            m.put(&key, vec![1, 2]);
        },
        "kind mail is damaged",
    ),
    (
        "a mail about an account without a due row",
        |m| m.remove(&m.installation(kind::MAIL_DUE)),
        "in the list of due mails is missing",
    ),
];

#[tokio::test]
async fn damage_of_mails_is_found_and_named() {
    each_is_found(&with_mails(&good().await), DAMAGES);
}
