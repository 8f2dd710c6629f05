//! People: an account with its sessions and its link.

use domain::{Client, Link, Person, Session};

use crate::codec::{fields, record};

record!(Person, "person", {
    1: id, email, name, locale, confirmed, password, created_at, updated_at, last_sign_in_at, sessions, link, links_from;
});

fields! {
    Session { id, hash, created_at, last_used_at, password_at, client, restricted, business_id }
    Client { address, user_agent }
    Link { hash, kind, created_at, confirms, business_id, email }
}

#[cfg(test)]
mod tests {
    use domain::{LinkKind, Locale, Timestamp};

    use super::super::testing::{check, check_damage, id_of, replace};
    use super::*;

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
            links_from: at,
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
             00010001056240622e63fd00358d5b39030000",
        );
        check(
            &Person { password: None, last_sign_in_at: None, sessions: vec![], link: None, ..person() },
            "01a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1054140622e6303416461020100fd00\
             358d5b39030000fd00358d5b39030000000000fd00358d5b39030000",
        );
    }

    #[test]
    fn damaged_fields_are_refused() {
        check_damage(&person(), |bytes| replace(bytes, b"Ada\x02\x01", b"Ada\x09\x01"));
        check_damage(&person(), |bytes| replace(bytes, b"\xa5\xa5\x04", b"\xa5\xa5\x09"));
    }
}
