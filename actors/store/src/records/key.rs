use domain::{ApiKey, KeyCreator, Scopes};

use crate::StoreError;
use crate::codec::{Field, Fields, record};

// In the first version, only the operator created keys.
record!(ApiKey, "api_key", {
    1: id, business_id, name, prefix, hash, scopes, created_at, revoked_at;
    2: created_by = KeyCreator::Operator;
});

/// The person; none for a key that the operator created.
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

/// One bit per scope, in a fixed order. The bit of a scope never changes.
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

#[cfg(test)]
mod tests {
    use domain::{Scope, Timestamp};

    use super::super::testing::{check, check_damage, check_old, id_of, replace};
    use super::*;

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
    fn damaged_fields_are_refused() {
        // Two scopes, as a varint of two bytes after the hash.
        check_damage(&key(), |bytes| replace(bytes, b"\xa3\xfb\x01\x02", b"\xa3\xfb\x01\x42"));
        check_damage(&key(), |bytes| *bytes.last_mut().unwrap() = 0x7f);
    }
}
