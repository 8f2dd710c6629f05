//! Contacts.

use serde::{Deserialize, Serialize};

use super::{IdBytes, Numbered, bytes_of, id_of, instant, word, zone};
use crate::domain::Contact;
use crate::store::StoreError;
use crate::store::codec::{Layout, record};

#[derive(Serialize, Deserialize)]
struct ContactRecordV1 {
    id: IdBytes,
    name: Option<String>,
    phone: Option<String>,
    email: Option<String>,
    locale: Option<u8>,
    zone: Option<String>,
    created_at: i64,
    updated_at: i64,
}

record!(Contact, "contact", 1 => ContactRecordV1);

impl Layout<Contact> for ContactRecordV1 {
    fn freeze(value: &Contact) -> Self {
        Self {
            id: bytes_of(value.id),
            name: value.name.clone(),
            phone: value.phone.clone(),
            email: value.email.clone(),
            locale: value.locale.map(Numbered::number),
            zone: value.zone.map(|zone| zone.name().to_owned()),
            created_at: value.created_at.millis(),
            updated_at: value.updated_at.millis(),
        }
    }

    fn thaw(self, record: &'static str) -> Result<Contact, StoreError> {
        Ok(Contact {
            id: id_of(self.id),
            name: self.name,
            phone: self.phone,
            email: self.email,
            locale: self.locale.map(|number| word(record, number)).transpose()?,
            zone: self.zone.map(|name| zone(record, &name)).transpose()?,
            created_at: instant(record, self.created_at)?,
            updated_at: instant(record, self.updated_at)?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{check, check_damage, replace};
    use super::*;
    use crate::domain::{Locale, Timestamp};

    fn contact() -> Contact {
        Contact {
            id: id_of([0xa1; 16]),
            name: Some("Zoë".into()),
            phone: Some("+15551234567".into()),
            email: Some("zoe@example.com".into()),
            locale: Some(Locale::En),
            zone: Some(chrono_tz::Europe::Paris),
            created_at: Timestamp::MIN,
            updated_at: Timestamp::MAX,
        }
    }

    #[test]
    fn a_contact_has_these_bytes() {
        check(
            &contact(),
            "01a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a101045a6fc3ab010c2b313535353132\
             3334353637010f7a6f65406578616d706c652e636f6d0101010c4575726f7065\
             2f5061726973fdffbf08de14710000fdfeb73fa4efcc0100",
        );
        let bare = Contact { name: None, phone: None, email: None, locale: None, zone: None, ..contact() };
        check(
            &bare,
            "01a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a10000000000fdffbf08de14710000fd\
             feb73fa4efcc0100",
        );
    }

    #[test]
    fn damaged_fields_are_refused() {
        check_damage(&contact(), |bytes| replace(bytes, b"Europe/Paris", b"Europe/Parts"));
        check_damage(&contact(), |bytes| replace(bytes, b".com\x01\x01", b".com\x01\x00"));
        check_damage(&contact(), |bytes| replace(bytes, b".com\x01", b".com\x02"));
        check_damage(&contact(), |bytes| *bytes.last_mut().unwrap() = 0x7f);
    }
}
