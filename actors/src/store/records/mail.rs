//! Mails.

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::{IdBytes, Numbered, bytes_of, id_of, instant, word};
use crate::domain::{ABOUT_MAX, About, Mail, MailKind, MailStatus};
use crate::store::StoreError;
use crate::store::codec::{Layout, record};

/// The number of a kind of mail, as it stands in keys.
pub fn mail_kind_number(kind: MailKind) -> u8 {
    kind.number()
}

#[derive(Serialize, Deserialize)]
struct AboutV1 {
    kind: u8,
    id: IdBytes,
    at: i64,
}

#[derive(Serialize, Deserialize)]
struct MailRecordV1 {
    id: IdBytes,
    business_id: Option<IdBytes>,
    person_id: IdBytes,
    kind: u8,
    about: Vec<AboutV1>,
    more: u32,
    to: Option<String>,
    message_id: String,
    status: u8,
    attempts: u32,
    last_error: Option<String>,
    created_at: i64,
    last_attempt_at: Option<i64>,
    next_attempt_at: Option<i64>,
}

record!(Mail, "mail", 1 => MailRecordV1);

impl Layout<Mail> for MailRecordV1 {
    fn freeze(value: &Mail) -> Self {
        let about = |about: &About| AboutV1 {
            kind: about.kind.number(),
            id: about.id.into_bytes(),
            at: about.at.millis(),
        };
        Self {
            id: bytes_of(value.id),
            business_id: value.business_id.map(bytes_of),
            person_id: bytes_of(value.person_id),
            kind: value.kind.number(),
            about: value.about.iter().map(about).collect(),
            more: value.more,
            to: value.to.clone(),
            message_id: value.message_id.clone(),
            status: value.status.number(),
            attempts: value.attempts,
            last_error: value.last_error.clone(),
            created_at: value.created_at.millis(),
            last_attempt_at: value.last_attempt_at.map(|at| at.millis()),
            next_attempt_at: value.next_attempt_at.map(|at| at.millis()),
        }
    }

    fn thaw(self, record: &'static str) -> Result<Mail, StoreError> {
        if self.about.len() > ABOUT_MAX {
            return Err(StoreError::damaged(record, "it tells of too many things"));
        }
        let about = |about: AboutV1| {
            let (kind, at) = (word(record, about.kind)?, instant(record, about.at)?);
            Ok(About { kind, id: Uuid::from_bytes(about.id), at })
        };
        let status: MailStatus = word(record, self.status)?;
        if (status == MailStatus::Pending) != self.next_attempt_at.is_some() {
            return Err(StoreError::damaged(record, "it is due and not pending, or pending and not due"));
        }
        Ok(Mail {
            id: id_of(self.id),
            business_id: self.business_id.map(id_of),
            person_id: id_of(self.person_id),
            kind: word(record, self.kind)?,
            about: self.about.into_iter().map(about).collect::<Result<_, _>>()?,
            more: self.more,
            to: self.to,
            message_id: self.message_id,
            status,
            attempts: self.attempts,
            last_error: self.last_error,
            created_at: instant(record, self.created_at)?,
            last_attempt_at: self.last_attempt_at.map(|at| instant(record, at)).transpose()?,
            next_attempt_at: self.next_attempt_at.map(|at| instant(record, at)).transpose()?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{check, check_damage, replace};
    use super::*;
    use crate::domain::{AlertKind, Timestamp};

    fn mail() -> Mail {
        Mail {
            id: id_of([1; 16]),
            business_id: Some(id_of([2; 16])),
            person_id: id_of([3; 16]),
            kind: MailKind::Daily,
            about: vec![About {
                kind: AlertKind::AppointmentBooked,
                id: Uuid::from_bytes([4; 16]),
                at: Timestamp::from_millis(1),
            }],
            more: 5,
            to: Some("a@b.example".into()),
            message_id: "m@b.example".into(),
            status: MailStatus::Pending,
            attempts: 2,
            last_error: Some("451 later".into()),
            created_at: Timestamp::from_millis(2),
            last_attempt_at: Some(Timestamp::from_millis(3)),
            next_attempt_at: Some(Timestamp::from_millis(4)),
        }
    }

    #[test]
    fn the_bytes_of_a_mail_never_change() {
        check(
            &mail(),
            "0101010101010101010101010101010101010202020202020202020202020202020203030303030303030303030303\
             030303030105040404040404040404040404040404040205010b6140622e6578616d706c650b6d40622e6578616d70\
             6c6501020109343531206c617465720401060108",
        );
    }

    #[test]
    fn what_is_no_mail_is_damage() {
        check_damage(&mail(), |bytes| bytes[50] = 0x7f);
        // A status that is not pending, of a mail that is due.
        check_damage(&mail(), |bytes| replace(bytes, b"m@b.example\x01", b"m@b.example\x02"));
        check_damage(&mail(), |bytes| replace(bytes, b"m@b.example\x01", b"m@b.example\x7f"));
    }
}
