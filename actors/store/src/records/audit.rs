//! Entries of the audit log.
//!
//! Every change that alters the usage of a business writes an entry, so the newest entry also contains the
//! usage after the change. The usage needs no separate row, and after a crash either both the change and the
//! usage are stored or neither.

use domain::{Actor, AuditEntry, FieldChange, ResourceId, Usage};
use uuid::Uuid;

use super::budget::usage;
use crate::StoreError;
use crate::codec::{Field, Fields, Record, fields, record};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuditRecord {
    pub entry: AuditEntry,
    /// The usage after the change. Entries of earlier versions do not contain it.
    pub usage: Option<Usage>,
}

record!(AuditRecord, "audit", { 1: entry; 2: usage via usage = None });

/// Readers of the log do not need the usage.
impl Record for AuditEntry {
    fn encode(&self) -> Vec<u8> {
        AuditRecord { entry: self.clone(), usage: None }.encode()
    }

    fn decode(bytes: &[u8]) -> Result<Self, StoreError> {
        AuditRecord::decode(bytes).map(|record| record.entry)
    }
}

fields! {
    AuditEntry { id, at, actor, action, resource_type, resource_id, changes }
    FieldChange { field, from, to }
}

const ACTOR_API_KEY: u8 = 1;
const ACTOR_OPERATOR: u8 = 2;
const ACTOR_SYSTEM: u8 = 3;
const ACTOR_PERSON: u8 = 4;

/// A number, and the id of the key or the person.
impl Field for Actor {
    fn write(&self, to: &mut Vec<u8>) {
        let (number, id) = match self {
            Self::ApiKey(id) => (ACTOR_API_KEY, Some(id.uuid())),
            Self::Operator => (ACTOR_OPERATOR, None),
            Self::System => (ACTOR_SYSTEM, None),
            Self::Person(id) => (ACTOR_PERSON, Some(id.uuid())),
        };
        (number, id).write(to);
    }

    fn read(from: &mut Fields<'_>) -> Result<Self, StoreError> {
        match <(u8, Option<Uuid>)>::read(from)? {
            (ACTOR_API_KEY, Some(id)) => Ok(Self::ApiKey(id.into())),
            (ACTOR_OPERATOR, None) => Ok(Self::Operator),
            (ACTOR_SYSTEM, None) => Ok(Self::System),
            (ACTOR_PERSON, Some(id)) => Ok(Self::Person(id.into())),
            (number, _) => Err(from.damaged(format!("the actor {number} is not known"))),
        }
    }
}

#[cfg(test)]
mod tests {
    use domain::{Amount, AuditAction, AuditedKind, BudgetKind, Timestamp};

    use super::super::testing::{check, check_damage, id_of};
    use super::*;
    use crate::Record;

    fn entry() -> AuditEntry {
        AuditEntry {
            id: id_of([0xa1; 16]),
            at: Timestamp::from_millis(1_772_442_000_000),
            actor: Actor::ApiKey(id_of([0xa2; 16])),
            action: AuditAction::AppointmentCancelled,
            resource_type: AuditedKind::Appointment,
            resource_id: Uuid::from_bytes([0xa3; 16]),
            changes: vec![FieldChange {
                field: "status".into(),
                from: "\"confirmed\"".into(),
                to: "\"cancelled\"".into(),
            }],
        }
    }

    /// The bytes of [`entry`] in the first version, without the version byte.
    const ENTRY: &str = "a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1fd00358d5b390300000101a2a2a2a2\
        a2a2a2a2a2a2a2a2a2a2a2a2156170706f696e746d656e742e63616e63656c6c\
        65640b6170706f696e746d656e74a3a3a3a3a3a3a3a3a3a3a3a3a3a3a3a30106\
        7374617475730b22636f6e6669726d6564220b2263616e63656c6c656422";

    #[test]
    fn an_entry_of_the_first_version_is_read_and_tells_no_usage() {
        let bytes: Vec<u8> = (0..ENTRY.len() / 2)
            .map(|at| u8::from_str_radix(&ENTRY[2 * at..2 * at + 2], 16).unwrap())
            .collect();
        let bytes = [&[1], &bytes[..]].concat();
        assert_eq!(AuditEntry::decode(&bytes).unwrap(), entry());
        assert_eq!(AuditRecord::decode(&bytes).unwrap(), AuditRecord { entry: entry(), usage: None });
        assert!(AuditEntry::decode(&bytes[..bytes.len() - 1]).is_err());
    }

    #[test]
    fn an_entry_has_these_bytes() {
        check(&entry(), &format!("02{ENTRY}00"));
        let mut usage = Usage::default();
        for (rows, kind) in (1..).zip(BudgetKind::kept()) {
            usage.set(kind, Amount { rows, bytes: 100 * rows });
        }
        let usage = Some(usage);
        let told = AuditRecord { entry: entry(), usage };
        check(&told, &format!("02{ENTRY}08016402c803fb2c0104fb900105fbf40106fb580207fbbc0208fb2003"));
        assert_eq!(AuditEntry::decode(&told.encode()).unwrap(), entry());
        check(
            &AuditEntry { actor: Actor::System, changes: vec![], ..entry() },
            "02a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1fd00358d5b39030000030015617070\
             6f696e746d656e742e63616e63656c6c65640b6170706f696e746d656e74a3a3\
             a3a3a3a3a3a3a3a3a3a3a3a3a3a30000",
        );
    }

    #[test]
    fn a_person_has_their_id_where_a_key_has_its_own() {
        let by_person = AuditEntry { actor: Actor::Person(id_of([0xa2; 16])), ..entry() };
        let golden = ENTRY.replacen("fd00358d5b390300000101a2", "fd00358d5b390300000401a2", 1);
        check(&by_person, &format!("02{golden}00"));
    }

    #[test]
    fn damaged_fields_are_refused() {
        // The actor follows the id and an instant of nine bytes.
        check_damage(&entry(), |bytes| bytes[26] = 7);
        check_damage(&entry(), |bytes| bytes[26] = ACTOR_SYSTEM);
        check_damage(&AuditEntry { actor: Actor::System, ..entry() }, |bytes| bytes[26] = ACTOR_API_KEY);
    }
}
