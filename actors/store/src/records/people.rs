//! People with their sessions and links, memberships, API keys and alerts.

use domain::{
    Alert, AlertChoice, AlertChoices, AlertKind, AlertsRead, ApiKey, Client, ClockFormat, KeyCreator, Link,
    Membership, Offer, Person, Scopes, Session, WeekStart,
};

use crate::StoreError;
use crate::codec::{Field, Fields, fields, record};

record!(Person, "person", {
    1: id, email, name, locale, confirmed, password, created_at, updated_at, last_sign_in_at, sessions, link, links_from;
    2: clock = ClockFormat::Auto, week_start = WeekStart::Auto;
});

fields! {
    Session { id, hash, created_at, last_used_at, password_at, client, restricted, business_id }
    Client { address, user_agent }
    Link { hash, kind, created_at, confirms, business_id, email }
}

record!(Membership, "membership", {
    1: person_id, role, status, accepted, staff_id, alerts, offer, created_at, updated_at;
});

fields! {
    AlertChoice { email, in_app, scope }
    Offer { email, name, locale }
}

impl Field for AlertChoices {
    fn write(&self, to: &mut Vec<u8>) {
        self.iter().collect::<Vec<_>>().write(to);
    }

    fn read(from: &mut Fields<'_>) -> Result<Self, StoreError> {
        let mut choices = Self::default();
        for (kind, choice) in Vec::<(AlertKind, AlertChoice)>::read(from)? {
            choices.set(kind, choice);
        }
        Ok(choices)
    }
}

// The first version of the record has no creator, because at that time only the operator could create keys.
record!(ApiKey, "api_key", {
    1: id, business_id, name, prefix, hash, scopes, created_at, revoked_at;
    2: created_by = KeyCreator::Operator;
});

impl Field for KeyCreator {
    fn write(&self, to: &mut Vec<u8>) {
        match self {
            Self::Operator => None,
            Self::Person(id) => Some(*id),
        }
        .write(to);
    }

    fn read(from: &mut Fields<'_>) -> Result<Self, StoreError> {
        Ok(Option::read(from)?.map_or(Self::Operator, Self::Person))
    }
}

/// A set of scopes is stored as one bit per scope. The position of a scope's bit never changes.
impl Field for Scopes {
    fn write(&self, to: &mut Vec<u8>) {
        self.bits().write(to);
    }

    fn read(from: &mut Fields<'_>) -> Result<Self, StoreError> {
        let bits = u16::read(from)?;
        let scopes = Self::from_bits(bits);
        if scopes.bits() == bits { Ok(scopes) } else { Err(from.damaged("it has a scope that is not known")) }
    }
}

record!(Alert, "alert", { 1: id, person_id, number, about, read_at } check |it| {
    (it.number != 0) => "its number is 0"
});
record!(AlertsRead, "alerts read", { 1: until, at } check |it| { (it.until != 0) => "its number is 0" });

#[cfg(test)]
mod tests {
    use domain::{About, AlertEmail, AlertScope, LinkKind, Locale, MembershipStatus, Role, Scope, Timestamp};
    use uuid::Uuid;

    use super::super::testing::{check, check_damage, check_old, id_of, replace};
    use super::*;

    fn person() -> Person {
        let at = Timestamp::from_millis(1_772_442_000_000);
        Person {
            id: id_of([0xa1; 16]),
            email: "A@b.c".into(),
            name: "Ada".into(),
            locale: Locale::Fr,
            clock: ClockFormat::TwentyFour,
            week_start: WeekStart::Saturday,
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
        let whole = "a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1054140622e63034164610201010a24\
             6172676f6e32696424fd00358d5b39030000fd00358d5b3903000001fd00358d\
             5b3903000001a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a3a3a3a3a3a3a3a3a3a3\
             a3a3a3a3a3a3a3a3a3a3a3a3a3a3a3a3a3a3a3a3a3a3fd00358d5b39030000fd\
             00358d5b39030000fd00358d5b3903000001093139322e302e322e310742726f\
             777365720101a4a4a4a4a4a4a4a4a4a4a4a4a4a4a4a401a5a5a5a5a5a5a5a5a5\
             a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a504fd00358d5b390300\
             00010001056240622e63fd00358d5b39030000";
        check(&person(), &format!("02{whole}0304"));
        let bare = Person { password: None, last_sign_in_at: None, sessions: vec![], link: None, ..person() };
        let first = "a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1054140622e6303416461020100fd00\
             358d5b39030000fd00358d5b39030000000000fd00358d5b39030000";
        check(&bare, &format!("02{first}0304"));
        let (clock, week_start) = (ClockFormat::Auto, WeekStart::Auto);
        check_old(&Person { clock, week_start, ..bare }, &format!("01{first}"));
        check_old(&Person { clock, week_start, ..person() }, &format!("01{whole}"));
    }

    #[test]
    fn damaged_fields_of_person_are_refused() {
        check_damage(&person(), |bytes| replace(bytes, b"Ada\x02\x01", b"Ada\x09\x01"));
        check_damage(&person(), |bytes| replace(bytes, b"\xa5\xa5\x04", b"\xa5\xa5\x09"));
        check_damage(&person(), |bytes| *bytes.last_mut().unwrap() = 5);
    }

    fn membership() -> Membership {
        let mut alerts = AlertChoices::default();
        let choice = AlertChoice {
            email: Some(AlertEmail::Daily),
            in_app: Some(false),
            scope: Some(AlertScope::Mine),
        };
        alerts.set(AlertKind::CallMissed, choice);
        Membership {
            person_id: id_of([0xa1; 16]),
            role: Role::Admin,
            status: MembershipStatus::Active,
            accepted: true,
            staff_id: Some(id_of([0xa2; 16])),
            alerts,
            offer: Offer { email: "a@b.c".into(), name: "Ada".into(), locale: Locale::Fr },
            created_at: Timestamp::from_millis(1_772_442_000_000),
            updated_at: Timestamp::from_millis(1_772_442_000_001),
        }
    }

    #[test]
    fn a_membership_has_these_bytes() {
        check(
            &membership(),
            "01a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a102020101a2a2a2a2a2a2a2a2a2a2a2\
             a2a2a2a2a20108010201000102056140622e630341646102fd00358d5b39030000fd02358d5b39030000",
        );
        check(
            &Membership { staff_id: None, alerts: AlertChoices::default(), ..membership() },
            "01a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a10202010000056140622e630341646102fd00358d5b39030000fd\
             02358d5b39030000",
        );
    }

    #[test]
    fn damaged_fields_of_membership_are_refused() {
        check_damage(&membership(), |bytes| replace(bytes, b"\xa1\x02\x02\x01", b"\xa1\x09\x02\x01"));
        check_damage(&membership(), |bytes| replace(bytes, b"\xa1\x02\x02\x01", b"\xa1\x02\x09\x01"));
    }

    fn key() -> ApiKey {
        ApiKey {
            id: id_of([0xa1; 16]),
            business_id: id_of([0xa2; 16]),
            name: "web".into(),
            prefix: "rcpt_abcdefgh".into(),
            hash: [0xa3; 32],
            scopes: [Scope::BusinessRead, Scope::WebhooksManage].into_iter().collect(),
            created_by: KeyCreator::Operator,
            created_at: Timestamp::from_millis(1_772_442_000_000),
            revoked_at: Some(Timestamp::from_millis(1_772_442_000_001)),
        }
    }

    #[test]
    fn a_key_has_these_bytes() {
        let (first, bare) = (
            "a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2\
             037765620d726370745f6162636465666768a3a3a3a3a3a3a3a3a3a3a3a3a3a3\
             a3a3a3a3a3a3a3a3a3a3a3a3a3a3a3a3a3a3fb0102fd00358d5b3903000001fd\
             02358d5b39030000",
            "a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2\
             037765620d726370745f6162636465666768a3a3a3a3a3a3a3a3a3a3a3a3a3a3\
             a3a3a3a3a3a3a3a3a3a3a3a3a3a3a3a3a3a300fd00358d5b3903000000",
        );
        check(&key(), &format!("02{first}00"));
        check(&ApiKey { scopes: Scopes::default(), revoked_at: None, ..key() }, &format!("02{bare}00"));
        let by_person = ApiKey { created_by: KeyCreator::Person(id_of([0xa4; 16])), ..key() };
        check(&by_person, &format!("02{first}01{}", "a4".repeat(16)));
        check_old(&key(), &format!("01{first}"));
        check_old(&ApiKey { scopes: Scopes::default(), revoked_at: None, ..key() }, &format!("01{bare}"));
    }

    #[test]
    fn every_scope_keeps_its_bit() {
        let bit = |scope: Scope| [scope].into_iter().collect::<Scopes>().bits();
        for (scope, bits) in [
            (Scope::BusinessRead, 1 << 0),
            (Scope::BusinessWrite, 1 << 1),
            (Scope::CallsRead, 1 << 2),
            (Scope::ContactsRead, 1 << 3),
            (Scope::ContactsWrite, 1 << 4),
            (Scope::AppointmentsRead, 1 << 5),
            (Scope::AppointmentsWrite, 1 << 6),
            (Scope::MessagesRead, 1 << 7),
            (Scope::KnowledgeWrite, 1 << 8),
            (Scope::WebhooksManage, 1 << 9),
        ] {
            assert_eq!(bit(scope), bits, "{scope}");
        }
    }

    #[test]
    fn damaged_fields_of_key_are_refused() {
        // In the encoded key, the scopes are a varint of two bytes after the hash.
        check_damage(&key(), |bytes| replace(bytes, b"\xa3\xfb\x01\x02", b"\xa3\xfb\x01\x42"));
        check_damage(&key(), |bytes| *bytes.last_mut().unwrap() = 0x7f);
    }

    fn alert() -> Alert {
        let at = Timestamp::from_millis(7);
        Alert {
            id: id_of([1; 16]),
            person_id: id_of([2; 16]),
            number: 3,
            about: About { kind: AlertKind::CallMissed, id: Uuid::from_bytes([4; 16]), at },
            read_at: Some(Timestamp::from_millis(8)),
        }
    }

    #[test]
    fn the_bytes_of_an_alert_never_change() {
        check(
            &alert(),
            "0101010101010101010101010101010101020202020202020202020202020202020308040404040404040404040404040404\
             040e0110",
        );
        check(
            &Alert { read_at: None, ..alert() },
            "0101010101010101010101010101010101020202020202020202020202020202020308040404040404040404040404040404\
             040e00",
        );
    }

    #[test]
    fn the_bytes_of_read_alerts_never_change() {
        check(&AlertsRead { until: 300, at: Timestamp::from_millis(9) }, "01fb2c0112");
    }

    #[test]
    fn an_invalid_alert_is_damaged() {
        // The test damages first the number of the alert, then its kind.
        check_damage(&alert(), |bytes| bytes[33] = 0);
        check_damage(&alert(), |bytes| bytes[34] = 0x7f);
        check_damage(&AlertsRead { until: 3, at: Timestamp::from_millis(9) }, |bytes| bytes[1] = 0);
    }
}
