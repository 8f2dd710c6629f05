//! API keys.

use serde::{Deserialize, Serialize};

use super::{IdBytes, bytes_of, id_of, instant};
use crate::domain::{ApiKey, KeyCreator, Scopes};
use crate::store::StoreError;
use crate::store::codec::{Layout, record};

#[derive(Serialize, Deserialize)]
struct ApiKeyRecordV1 {
    id: IdBytes,
    business_id: IdBytes,
    name: String,
    prefix: String,
    hash: [u8; 32],
    /// One bit for each scope in the order of the specification; a scope keeps its bit for ever.
    scopes: u16,
    created_at: i64,
    revoked_at: Option<i64>,
}

#[derive(Serialize, Deserialize)]
struct ApiKeyRecordV2 {
    key: ApiKeyRecordV1,
    /// The person who created it; none where the operator did.
    created_by: Option<IdBytes>,
}

record!(ApiKey, "api_key", 2 => ApiKeyRecordV2, 1 => ApiKeyRecordV1);

impl Layout<ApiKey> for ApiKeyRecordV2 {
    fn freeze(value: &ApiKey) -> Self {
        let created_by = match value.created_by {
            KeyCreator::Operator => None,
            KeyCreator::Person(id) => Some(bytes_of(id)),
        };
        Self { key: Layout::freeze(value), created_by }
    }

    fn thaw(self, record: &'static str) -> Result<ApiKey, StoreError> {
        let created_by = self.created_by.map_or(KeyCreator::Operator, |id| KeyCreator::Person(id_of(id)));
        Ok(ApiKey { created_by, ..self.key.thaw(record)? })
    }
}

/// Of a time when nobody but the operator created keys.
impl Layout<ApiKey> for ApiKeyRecordV1 {
    fn freeze(value: &ApiKey) -> Self {
        Self {
            id: bytes_of(value.id),
            business_id: bytes_of(value.business_id),
            name: value.name.clone(),
            prefix: value.prefix.clone(),
            hash: value.hash,
            scopes: value.scopes.bits(),
            created_at: value.created_at.millis(),
            revoked_at: value.revoked_at.map(|at| at.millis()),
        }
    }

    fn thaw(self, record: &'static str) -> Result<ApiKey, StoreError> {
        let scopes = Scopes::from_bits(self.scopes);
        if scopes.bits() != self.scopes {
            return Err(StoreError::damaged(record, "it has a scope that is not known"));
        }
        Ok(ApiKey {
            id: id_of(self.id),
            business_id: id_of(self.business_id),
            name: self.name,
            prefix: self.prefix,
            hash: self.hash,
            scopes,
            created_by: KeyCreator::Operator,
            created_at: instant(record, self.created_at)?,
            revoked_at: self.revoked_at.map(|millis| instant(record, millis)).transpose()?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{check, check_damage, check_old, replace};
    use super::*;
    use crate::domain::{Scope, Timestamp};

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
        // As the first version wrote them.
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
        // Two scopes, as a varint of two bytes behind the hash.
        check_damage(&key(), |bytes| replace(bytes, b"\xa3\xfb\x01\x02", b"\xa3\xfb\x01\x42"));
        check_damage(&key(), |bytes| *bytes.last_mut().unwrap() = 0x7f);
    }
}
