//! People: an account with its sessions and its link.

use serde::{Deserialize, Serialize};

use super::{IdBytes, Numbered, bytes_of, id_of, instant, word};
use crate::domain::{Client, Link, Person, Session};
use crate::store::StoreError;
use crate::store::codec::{Layout, record};

#[derive(Serialize, Deserialize)]
struct PersonRecordV1 {
    id: IdBytes,
    email: String,
    name: String,
    locale: u8,
    confirmed: bool,
    /// A PHC string.
    password: Option<String>,
    created_at: i64,
    updated_at: i64,
    last_sign_in_at: Option<i64>,
    sessions: Vec<SessionRecordV1>,
    link: Option<LinkRecordV1>,
}

#[derive(Serialize, Deserialize)]
struct SessionRecordV1 {
    id: IdBytes,
    hash: [u8; 32],
    created_at: i64,
    last_used_at: i64,
    password_at: i64,
    address: Option<String>,
    user_agent: String,
    restricted: bool,
    business_id: Option<IdBytes>,
}

#[derive(Serialize, Deserialize)]
struct LinkRecordV1 {
    hash: [u8; 32],
    kind: u8,
    created_at: i64,
    confirms: bool,
    business_id: Option<IdBytes>,
    email: Option<String>,
}

record!(Person, "person", 1 => PersonRecordV1);

impl Layout<Person> for PersonRecordV1 {
    fn freeze(value: &Person) -> Self {
        Self {
            id: bytes_of(value.id),
            email: value.email.clone(),
            name: value.name.clone(),
            locale: value.locale.number(),
            confirmed: value.confirmed,
            password: value.password.clone(),
            created_at: value.created_at.millis(),
            updated_at: value.updated_at.millis(),
            last_sign_in_at: value.last_sign_in_at.map(|at| at.millis()),
            sessions: value.sessions.iter().map(Layout::freeze).collect(),
            link: value.link.as_ref().map(Layout::freeze),
        }
    }

    fn thaw(self, record: &'static str) -> Result<Person, StoreError> {
        let sessions = self.sessions.into_iter().map(|session| session.thaw(record));
        Ok(Person {
            id: id_of(self.id),
            email: self.email,
            name: self.name,
            locale: word(record, self.locale)?,
            confirmed: self.confirmed,
            password: self.password,
            created_at: instant(record, self.created_at)?,
            updated_at: instant(record, self.updated_at)?,
            last_sign_in_at: self.last_sign_in_at.map(|at| instant(record, at)).transpose()?,
            sessions: sessions.collect::<Result<_, _>>()?,
            link: self.link.map(|link| link.thaw(record)).transpose()?,
        })
    }
}

impl Layout<Session> for SessionRecordV1 {
    fn freeze(value: &Session) -> Self {
        Self {
            id: bytes_of(value.id),
            hash: value.hash,
            created_at: value.created_at.millis(),
            last_used_at: value.last_used_at.millis(),
            password_at: value.password_at.millis(),
            address: value.client.address.clone(),
            user_agent: value.client.user_agent.clone(),
            restricted: value.restricted,
            business_id: value.business_id.map(bytes_of),
        }
    }

    fn thaw(self, record: &'static str) -> Result<Session, StoreError> {
        Ok(Session {
            id: id_of(self.id),
            hash: self.hash,
            created_at: instant(record, self.created_at)?,
            last_used_at: instant(record, self.last_used_at)?,
            password_at: instant(record, self.password_at)?,
            client: Client { address: self.address, user_agent: self.user_agent },
            restricted: self.restricted,
            business_id: self.business_id.map(id_of),
        })
    }
}

impl Layout<Link> for LinkRecordV1 {
    fn freeze(value: &Link) -> Self {
        Self {
            hash: value.hash,
            kind: value.kind.number(),
            created_at: value.created_at.millis(),
            confirms: value.confirms,
            business_id: value.business_id.map(bytes_of),
            email: value.email.clone(),
        }
    }

    fn thaw(self, record: &'static str) -> Result<Link, StoreError> {
        Ok(Link {
            hash: self.hash,
            kind: word(record, self.kind)?,
            created_at: instant(record, self.created_at)?,
            confirms: self.confirms,
            business_id: self.business_id.map(id_of),
            email: self.email,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{check, check_damage, replace};
    use super::*;
    use crate::domain::{LinkKind, Locale, Timestamp};

    fn person() -> Person {
        let at = Timestamp::from_millis(1_772_442_000_000);
        Person {
            id: id_of([0xa1; 16]),
            email: "A@b.c".into(),
            name: "Ada".into(),
            locale: Locale::Fr,
            confirmed: true,
            password: Some("$argon2id$".into()),
            created_at: at,
            updated_at: at,
            last_sign_in_at: Some(at),
            sessions: vec![Session {
                id: id_of([0xa2; 16]),
                hash: [0xa3; 32],
                created_at: at,
                last_used_at: at,
                password_at: at,
                client: Client { address: Some("192.0.2.1".into()), user_agent: "Browser".into() },
                restricted: true,
                business_id: Some(id_of([0xa4; 16])),
            }],
            link: Some(Link {
                hash: [0xa5; 32],
                kind: LinkKind::Email,
                created_at: at,
                confirms: true,
                business_id: None,
                email: Some("b@b.c".into()),
            }),
        }
    }

    #[test]
    fn a_person_has_these_bytes() {
        check(
            &person(),
            "01a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1054140622e63034164610201010a24\
             6172676f6e32696424fd00358d5b39030000fd00358d5b3903000001fd00358d\
             5b3903000001a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a3a3a3a3a3a3a3a3a3a3\
             a3a3a3a3a3a3a3a3a3a3a3a3a3a3a3a3a3a3a3a3a3a3fd00358d5b39030000fd\
             00358d5b39030000fd00358d5b3903000001093139322e302e322e310742726f\
             777365720101a4a4a4a4a4a4a4a4a4a4a4a4a4a4a4a401a5a5a5a5a5a5a5a5a5\
             a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a504fd00358d5b390300\
             00010001056240622e63",
        );
        check(
            &Person { password: None, last_sign_in_at: None, sessions: vec![], link: None, ..person() },
            "01a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1054140622e6303416461020100fd00\
             358d5b39030000fd00358d5b39030000000000",
        );
    }

    #[test]
    fn damaged_fields_are_refused() {
        check_damage(&person(), |bytes| replace(bytes, b"Ada\x02\x01", b"Ada\x09\x01"));
        check_damage(&person(), |bytes| replace(bytes, b"\xa5\xa5\x04", b"\xa5\xa5\x09"));
    }
}
