use domain::Contact;

use crate::codec::record;

record!(Contact, "contact", {
    1: id, name, phone, email, locale, zone, created_at, updated_at;
    2: notes = None;
});

#[cfg(test)]
mod tests {
    use domain::{Email, Locale, Timestamp};

    use super::super::testing::{check, check_damage, check_old, id_of, phone, replace};
    use super::*;

    fn contact() -> Contact {
        Contact {
            id: id_of([0xa1; 16]),
            name: Some("Zoë".into()),
            phone: Some(phone()),
            email: Some(Email::new("zoe@example.com").unwrap()),
            locale: Some(Locale::En),
            zone: Some(chrono_tz::Europe::Paris),
            notes: Some("Left-handed".into()),
            created_at: Timestamp::MIN,
            updated_at: Timestamp::MAX,
        }
    }

    #[test]
    fn a_contact_has_these_bytes() {
        let first = "a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a101045a6fc3ab010c2b313535353132\
             3334353637010f7a6f65406578616d706c652e636f6d0101010c4575726f7065\
             2f5061726973fdffbf08de14710000fdfeb73fa4efcc0100";
        check(&contact(), &format!("02{first}010b4c6566742d68616e646564"));
        let without = Contact { notes: None, ..contact() };
        check(&without, &format!("02{first}00"));
        check_old(&without, &format!("01{first}"));
        let first = "a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a10000000000fdffbf08de14710000fdfeb73fa4efcc0100";
        let bare = Contact { name: None, phone: None, email: None, locale: None, zone: None, ..without };
        check(&bare, &format!("02{first}00"));
        check_old(&bare, &format!("01{first}"));
    }

    #[test]
    fn damaged_fields_are_refused() {
        check_damage(&contact(), |bytes| replace(bytes, b"Europe/Paris", b"Europe/Parts"));
        check_damage(&contact(), |bytes| replace(bytes, b"+1555", b"+0555"));
        check_damage(&contact(), |bytes| replace(bytes, b"zoe@", b"zoe "));
        check_damage(&contact(), |bytes| replace(bytes, b".com\x01\x01", b".com\x01\x00"));
        check_damage(&contact(), |bytes| replace(bytes, b".com\x01", b".com\x02"));
        check_damage(&contact(), |bytes| *bytes.last_mut().unwrap() = 0xff);
        check_damage(&Contact { notes: None, ..contact() }, |bytes| *bytes.last_mut().unwrap() = 2);
    }
}
