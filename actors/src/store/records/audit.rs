//! Entries of the audit log.
//!
//! Every change that alters how much a business keeps writes an entry, so the newest one also tells how much that is
//! behind it: no row of its own is written for it, and a crash leaves both or neither.

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::budget::{UsageRecord, freeze_usage, thaw_usage};
use super::{IdBytes, bytes_of, id_of, instant};
use crate::domain::{Actor, AuditAction, AuditEntry, AuditedKind, FieldChange, Usage};
use crate::store::StoreError;
use crate::store::codec::{Layout, record};

const ACTOR_API_KEY: u8 = 1;
const ACTOR_OPERATOR: u8 = 2;
const ACTOR_SYSTEM: u8 = 3;
const ACTOR_PERSON: u8 = 4;

#[derive(Serialize, Deserialize)]
struct AuditEntryRecordV1 {
    id: IdBytes,
    at: i64,
    actor: u8,
    /// Of the key; of a person theirs.
    key_id: Option<IdBytes>,
    action: String,
    resource_type: String,
    resource_id: IdBytes,
    changes: Vec<(String, String, String)>,
}

#[derive(Serialize, Deserialize)]
struct AuditEntryRecordV2 {
    entry: AuditEntryRecordV1,
    /// Empty where it is not told.
    usage: UsageRecord,
}

/// An entry as it is stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuditRecord {
    /// What was changed.
    pub entry: AuditEntry,
    /// How much the business keeps behind the change; entries of earlier versions do not tell.
    pub usage: Option<Usage>,
}

record!(AuditRecord, "audit", 2 => AuditEntryRecordV2, 1 => AuditEntryRecordV1);

impl Layout<AuditRecord> for AuditEntryRecordV2 {
    fn freeze(value: &AuditRecord) -> Self {
        Self { entry: Layout::freeze(&value.entry), usage: freeze_usage(value.usage.as_ref()) }
    }

    fn thaw(self, record: &'static str) -> Result<AuditRecord, StoreError> {
        Ok(AuditRecord { usage: thaw_usage(&self.usage), entry: self.entry.thaw(record)? })
    }
}

impl Layout<AuditRecord> for AuditEntryRecordV1 {
    fn freeze(value: &AuditRecord) -> Self {
        Layout::freeze(&value.entry)
    }

    fn thaw(self, record: &'static str) -> Result<AuditRecord, StoreError> {
        Ok(AuditRecord { entry: self.thaw(record)?, usage: None })
    }
}

// Whoever reads the log need not know of what is stored beside it.
record!(AuditEntry, "audit", 2 => AuditEntryRecordV2, 1 => AuditEntryRecordV1);

impl Layout<AuditEntry> for AuditEntryRecordV2 {
    fn freeze(value: &AuditEntry) -> Self {
        Self { entry: Layout::freeze(value), usage: freeze_usage(None) }
    }

    fn thaw(self, record: &'static str) -> Result<AuditEntry, StoreError> {
        self.entry.thaw(record)
    }
}

impl Layout<AuditEntry> for AuditEntryRecordV1 {
    fn freeze(value: &AuditEntry) -> Self {
        let (actor, key_id) = match value.actor {
            Actor::ApiKey(id) => (ACTOR_API_KEY, Some(bytes_of(id))),
            Actor::Operator => (ACTOR_OPERATOR, None),
            Actor::System => (ACTOR_SYSTEM, None),
            Actor::Person(id) => (ACTOR_PERSON, Some(bytes_of(id))),
        };
        let change = |change: &FieldChange| (change.field.clone(), change.from.clone(), change.to.clone());
        Self {
            id: bytes_of(value.id),
            at: value.at.millis(),
            actor,
            key_id,
            action: value.action.as_str().into(),
            resource_type: value.resource_type.as_str().into(),
            resource_id: value.resource_id.into_bytes(),
            changes: value.changes.iter().map(change).collect(),
        }
    }

    fn thaw(self, record: &'static str) -> Result<AuditEntry, StoreError> {
        let actor = match (self.actor, self.key_id) {
            (ACTOR_API_KEY, Some(id)) => Actor::ApiKey(id_of(id)),
            (ACTOR_OPERATOR, None) => Actor::Operator,
            (ACTOR_SYSTEM, None) => Actor::System,
            (ACTOR_PERSON, Some(id)) => Actor::Person(id_of(id)),
            (number, _) => {
                return Err(StoreError::damaged(record, format!("the actor {number} is not known")));
            }
        };
        Ok(AuditEntry {
            id: id_of(self.id),
            at: instant(record, self.at)?,
            actor,
            action: known(AuditAction::from_word, record, &self.action)?,
            resource_type: known(AuditedKind::from_word, record, &self.resource_type)?,
            resource_id: Uuid::from_bytes(self.resource_id),
            changes: self
                .changes
                .into_iter()
                .map(|(field, from, to)| FieldChange { field, from, to })
                .collect(),
        })
    }
}

fn known<T>(read: fn(&str) -> Option<T>, record: &'static str, word: &str) -> Result<T, StoreError> {
    read(word).ok_or_else(|| StoreError::damaged(record, format!("the word {word} is not known")))
}

#[cfg(test)]
mod tests {
    use super::super::testing::{check, check_damage};
    use super::*;
    use crate::domain::{Amount, BudgetKind, Timestamp};
    use crate::store::Record;

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

    /// The bytes of [`entry`] as the first version wrote them, but for the version.
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
        // The actor stands behind the id and an instant of nine bytes.
        check_damage(&entry(), |bytes| bytes[26] = 7);
        check_damage(&entry(), |bytes| bytes[26] = ACTOR_SYSTEM);
        check_damage(&AuditEntry { actor: Actor::System, ..entry() }, |bytes| bytes[26] = ACTOR_API_KEY);
    }
}
