//! Entries of the audit log.
//!
//! A change that alters the number of rows or bytes of a business writes an entry with the new numbers. So the newest
//! entry contains the current numbers.

use domain::{Actor, Amount, AuditEntry, Budget, BudgetKind, FieldChange, Limit, ResourceId, Usage};
use uuid::Uuid;

use crate::StoreError;
use crate::codec::{Field, Fields, Record, encoded, fields, record};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuditRecord {
    pub entry: AuditEntry,
    /// The rows and bytes that the business uses after the change. Entries of earlier versions do not contain them.
    pub usage: Option<Usage>,
}

record!(AuditRecord, "audit", { 1: entry; 2: usage via usage = None });

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
const ACTOR_CUSTOMER: u8 = 5;
const ACTOR_RECEPTIONIST: u8 = 6;

impl Field for Actor {
    fn write(&self, to: &mut Vec<u8>) {
        let (number, id) = match self {
            Self::ApiKey(id) => (ACTOR_API_KEY, Some(id.uuid())),
            Self::Operator => (ACTOR_OPERATOR, None),
            Self::System => (ACTOR_SYSTEM, None),
            Self::Person(id) => (ACTOR_PERSON, Some(id.uuid())),
            Self::Customer => (ACTOR_CUSTOMER, None),
            Self::Receptionist(id) => (ACTOR_RECEPTIONIST, Some(id.uuid())),
        };
        (number, id).write(to);
    }

    fn read(from: &mut Fields<'_>) -> Result<Self, StoreError> {
        match <(u8, Option<Uuid>)>::read(from)? {
            (ACTOR_API_KEY, Some(id)) => Ok(Self::ApiKey(id.into())),
            (ACTOR_OPERATOR, None) => Ok(Self::Operator),
            (ACTOR_SYSTEM, None) => Ok(Self::System),
            (ACTOR_PERSON, Some(id)) => Ok(Self::Person(id.into())),
            (ACTOR_CUSTOMER, None) => Ok(Self::Customer),
            (ACTOR_RECEPTIONIST, Some(id)) => Ok(Self::Receptionist(id.into())),
            (number, _) => Err(from.damaged(format!("the actor {number} is not known"))),
        }
    }
}

const BUDGET: &str = "budget";

fields! {
    Amount { rows, bytes }
    Limit { rows_max, bytes_max }
}

/// A kind is stored as its position in [`BudgetKind::ALL`], counted from 1.
impl Field for BudgetKind {
    fn write(&self, to: &mut Vec<u8>) {
        (*self as u8 + 1).write(to);
    }

    fn read(from: &mut Fields<'_>) -> Result<Self, StoreError> {
        let number = u8::read(from)?;
        let kind = Self::ALL.get(usize::from(number).wrapping_sub(1)).copied();
        kind.ok_or_else(|| from.damaged(format!("the number {number} is not known")))
    }
}

/// The record of a budget contains only the kinds that have a limit.
impl Record for Budget {
    fn encode(&self) -> Vec<u8> {
        let limits = BudgetKind::ALL.iter().map(|kind| (*kind, self.limit(*kind)));
        let limits: Vec<_> = limits.filter(|(_, limit)| *limit != Limit::default()).collect();
        encoded(BUDGET, 1, |bytes| limits.write(bytes))
    }

    fn decode(bytes: &[u8]) -> Result<Self, StoreError> {
        let mut fields = Fields::of(BUDGET, &[1], bytes)?;
        let mut budget = Self::default();
        for (kind, limit) in Vec::<(BudgetKind, Limit)>::read(&mut fields)? {
            budget.set(kind, limit);
        }
        fields.end()?;
        Ok(budget)
    }
}

/// The rows and bytes that a business uses, in the order of [`BudgetKind::kept`]. A record of an earlier version may
/// have only the first kinds of this order:
///
/// - Fewer than eight kinds: the version did not count all rows, so the usage is `None`.
/// - Eight kinds or more: the missing kinds did not exist in this version, so the business had no rows of these kinds.
mod usage {
    use domain::Usage;

    use super::{Amount, BudgetKind, Field, Fields, StoreError};

    pub(super) const KINDS_MIN: usize = 8;

    pub(super) fn write(usage: &Option<Usage>, to: &mut Vec<u8>) {
        let amounts = |usage: &Usage| BudgetKind::kept().map(|kind| usage.of(kind)).collect();
        usage.as_ref().map_or_else(Vec::new, amounts).write(to);
    }

    pub(super) fn read(from: &mut Fields<'_>) -> Result<Option<Usage>, StoreError> {
        let amounts = Vec::<Amount>::read(from)?;
        let mut usage = Usage::default();
        for (kind, amount) in BudgetKind::kept().zip(&amounts) {
            usage.set(kind, *amount);
        }
        Ok((amounts.len() >= KINDS_MIN).then_some(usage))
    }
}

#[cfg(test)]
mod tests {
    use domain::{AuditAction, AuditedKind, Timestamp};

    use super::super::testing::{check, check_damage, check_old, id_of};
    use super::*;

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

    /// The encoding of [`entry`] by the first version, without the version byte.
    const ENTRY: &str = "a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1fd00358d5b390300000101a2a2a2a2\
        a2a2a2a2a2a2a2a2a2a2a2a2156170706f696e746d656e742e63616e63656c6c\
        65640b6170706f696e746d656e74a3a3a3a3a3a3a3a3a3a3a3a3a3a3a3a30106\
        7374617475730b22636f6e6669726d6564220b2263616e63656c6c656422";

    #[test]
    fn an_entry_of_the_first_version_has_no_usage() {
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
        let kinds = BudgetKind::kept().count();
        for (rows, kind) in (1..10).zip(BudgetKind::kept()) {
            usage.set(kind, Amount { rows, bytes: 100 * rows });
        }
        let usage = Some(usage);
        let with_usage = AuditRecord { entry: entry(), usage };
        check(
            &with_usage,
            &format!(
                "02{ENTRY}{kinds:02x}016402c803fb2c0104fb900105fbf40106fb580207fbbc0208fb200309fb8403{}",
                "0000".repeat(kinds - 9) // the later kinds
            ),
        );
        let usage = usage.map(|mut usage| {
            usage.set(BudgetKind::Conversations, Amount::default());
            usage
        });
        let of_eight_kinds = AuditRecord { entry: entry(), usage };
        check_old(
            &of_eight_kinds,
            &format!("02{ENTRY}08016402c803fb2c0104fb900105fbf40106fb580207fbbc0208fb2003"),
        );
        assert_eq!(AuditEntry::decode(&with_usage.encode()).unwrap(), entry());
        check(
            &AuditEntry { actor: Actor::System, changes: vec![], ..entry() },
            "02a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1fd00358d5b39030000030015617070\
             6f696e746d656e742e63616e63656c6c65640b6170706f696e746d656e74a3a3\
             a3a3a3a3a3a3a3a3a3a3a3a3a3a30000",
        );
    }

    #[test]
    fn the_id_of_a_person_is_stored_like_the_id_of_a_key() {
        let by_person = AuditEntry { actor: Actor::Person(id_of([0xa2; 16])), ..entry() };
        let golden = ENTRY.replacen("fd00358d5b390300000101a2", "fd00358d5b390300000401a2", 1);
        check(&by_person, &format!("02{golden}00"));
    }

    #[test]
    fn a_customer_is_stored_without_an_id() {
        let by_customer = AuditEntry { actor: Actor::Customer, ..entry() };
        let golden = ENTRY.replacen(&format!("0101{}", "a2".repeat(16)), "0500", 1);
        check(&by_customer, &format!("02{golden}00"));
    }

    #[test]
    fn damaged_fields_of_audit_are_refused() {
        // Byte 26 of the encoded entry is the kind of the actor. It follows the version (one byte), the id (16 bytes)
        // and an instant (nine bytes).
        check_damage(&entry(), |bytes| bytes[26] = 7);
        check_damage(&entry(), |bytes| bytes[26] = ACTOR_SYSTEM);
        check_damage(&AuditEntry { actor: Actor::System, ..entry() }, |bytes| bytes[26] = ACTOR_API_KEY);
    }

    #[test]
    fn a_budget_has_these_bytes() {
        check(&Budget::default(), "0100");
        let mut budget = Budget::default();
        budget.set(BudgetKind::Contacts, Limit { rows_max: Some(10), bytes_max: None });
        budget.set(BudgetKind::WaitingDeliveries, Limit { rows_max: None, bytes_max: Some(65_536) });
        check(&budget, "010204010a00090001fc00000100");
        check_damage(&budget, |bytes| bytes[2] = 99);
        check_damage(&budget, |bytes| bytes[2] = 0);
    }

    #[test]
    fn each_kind_of_a_budget_keeps_its_number() {
        let mut budget = Budget::default();
        for kind in &BudgetKind::ALL[..11] {
            budget.set(*kind, Limit { rows_max: Some(*kind as u64), bytes_max: None });
        }
        check(
            &budget,
            "010b 01010000 02010100 03010200 04010300 05010400 06010500 07010600 08010700 09010800 0a010900 0b010a00",
        );
        let words = BudgetKind::ALL.iter().map(|kind| kind.as_str()).collect::<Vec<_>>().join(" ");
        let stored = "services staff keys contacts appointments calls messages knowledge waiting_deliveries \
                      waiting_notices conversations";
        assert!(words.starts_with(stored), "a stored number must not get another meaning: {words}");
    }

    #[test]
    fn a_usage_with_too_few_kinds_is_decoded_as_none() {
        let read = |bytes: &[u8]| usage::read(&mut Fields::of("usage", &[1], bytes).unwrap()).unwrap();
        let mut kept = Usage::default();
        kept.set(BudgetKind::Knowledge, Amount { rows: 3, bytes: 300 });
        let mut bytes = vec![1];
        usage::write(&Some(kept), &mut bytes);
        assert_eq!(read(&bytes), Some(kept));
        let of_kinds = |kinds: usize| {
            let mut bytes = vec![1];
            vec![Amount::default(); kinds].write(&mut bytes);
            bytes
        };
        assert_eq!(read(&of_kinds(usage::KINDS_MIN - 1)), None);
        assert_eq!(read(&of_kinds(usage::KINDS_MIN)), Some(Usage::default()));
        assert_eq!(read(&[1, 0]), None);
    }
}
