use domain::{ABOUT_MAX, About, Mail, MailError, MailKind, MailStatus};

use super::Numbered;
use crate::StoreError;
use crate::codec::{Field, Fields, fields, record};

/// The number of a kind of mail in keys.
pub fn mail_kind_number(kind: MailKind) -> u8 {
    kind.number()
}

record!(Mail, "mail", {
    1: id, business_id, person_id, kind, about, more, to, message_id, status, attempts, last_error, created_at,
       last_attempt_at, next_attempt_at;
} check |mail| {
    if mail.about.len() > ABOUT_MAX {
        Err("it is about too many records")
    } else if (mail.status == MailStatus::Pending) != mail.next_attempt_at.is_some() {
        Err("it is due and not pending, or pending and not due")
    } else {
        Ok(())
    }
});

fields! { About { kind, id, at } }

impl Field for MailError {
    fn write(&self, to: &mut Vec<u8>) {
        self.to_string().write(to);
    }

    fn read(from: &mut Fields<'_>) -> Result<Self, StoreError> {
        Ok(Self::from_text(String::read(from)?))
    }
}

#[cfg(test)]
mod tests {
    use domain::{AlertKind, Timestamp};
    use uuid::Uuid;

    use super::super::testing::{check, check_damage, id_of, replace};
    use super::*;

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
            last_error: Some(MailError::Quoted("451 later".into())),
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
        // A due mail whose status is not pending.
        check_damage(&mail(), |bytes| replace(bytes, b"m@b.example\x01", b"m@b.example\x02"));
        check_damage(&mail(), |bytes| replace(bytes, b"m@b.example\x01", b"m@b.example\x7f"));
    }
}
