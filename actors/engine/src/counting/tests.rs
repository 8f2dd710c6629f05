use domain::{Amount, AuditAction, AuditEntry, AuditedKind, FieldChange, ResourceId, Timestamp};
use store::Record;

use super::*;

fn business(number: u128) -> BusinessId {
    uuid::Uuid::from_u128(number).into()
}

fn recorded(services: u64) -> Usage {
    let mut usage = Usage::default();
    usage.set(BudgetKind::Services, Amount { rows: services, bytes: 0 });
    usage
}

/// The rows of a business: a profile, undecodable services, and an audit entry with the recorded usage. `services` is
/// the number of the service rows, and `recorded` is the number of services in the recorded usage.
fn rows_of(of: BusinessId, services: u64, recorded: u64, words: &str) -> Vec<(Vec<u8>, Vec<u8>)> {
    let mut rows = vec![(keys::profile(of), b"any".to_vec())];
    for number in 0..services {
        let id = uuid::Uuid::from_u128(number.into());
        rows.push((keys::service(of, id.into()), b"\xee".to_vec()));
    }
    let entry = AuditEntry {
        id: uuid::Uuid::from_u128(9).into(),
        at: Timestamp::from_millis(1),
        actor: domain::Actor::System,
        action: AuditAction::BusinessCreated,
        resource_type: AuditedKind::Business,
        resource_id: of.uuid(),
        changes: vec![FieldChange { field: words.into(), from: String::new(), to: String::new() }],
    };
    let usage = Some(self::recorded(recorded));
    let key = keys::audit(of, entry.id);
    let mut batch = store::Batch::new();
    batch.put(key, AuditRecord { entry, usage }.encode());
    batch.rows(|key, row| rows.push((*key, row.unwrap().to_vec())));
    rows.sort();
    rows.into_iter().map(|(key, value)| (key.to_vec(), value)).collect()
}

fn counted(listed: &[u128], rows: &[(Vec<u8>, Vec<u8>)], set_aside: &[u128]) -> Vec<String> {
    let mut tally = Tally::new(set_aside.iter().map(|number| business(*number)));
    listed.iter().for_each(|number| tally.row(&keys::business_index(business(*number)), b""));
    rows.iter().for_each(|(key, value)| tally.row(key, value));
    let shown = |it: &Difference| {
        format!("{} {} {:?} {}", it.business_id.uuid().as_u128(), it.kind, it.recorded, it.found)
    };
    tally.end().listed.iter().map(shown).collect()
}

#[test]
fn each_kind_whose_recorded_number_differs_is_listed() {
    let whole = rows_of(business(7), 3, 3, "");
    assert!(counted(&[7], &whole, &[]).is_empty());
    assert_eq!(counted(&[7], &rows_of(business(7), 3, 5, ""), &[]), ["7 services Some(5) 3"]);
    // The entry is long, so it is stored in pieces.
    let long = "x".repeat(20_000);
    assert!(rows_of(business(7), 3, 5, &long).len() > 8);
    assert_eq!(counted(&[7], &rows_of(business(7), 3, 5, &long), &[]), ["7 services Some(5) 3"]);
}

#[test]
fn undecodable_rows_are_neither_found_nor_missing() {
    let mut found = Found::default();
    (0..4).for_each(|_| found.add(kind::SERVICE, true));
    (0..2).for_each(|_| found.add(kind::SERVICE, false));
    for (services, differs) in [(3, true), (4, false), (5, false), (6, false), (7, true)] {
        let differences = found.differences(business(1), &recorded(services), None);
        assert_eq!(!differences.is_empty(), differs, "{services}: {differences:?}");
        assert!(found.differences(business(1), &recorded(services), Some(BudgetKind::Services)).is_empty());
    }
    let found_of = |services| found.differences(business(1), &recorded(services), None)[0].found;
    assert_eq!((found_of(3), found_of(7)), (4, 6));
}

#[test]
fn a_business_that_is_missing_or_set_aside_is_reported_once() {
    let both = [rows_of(business(7), 1, 1, ""), rows_of(business(9), 2, 2, "")].concat();
    assert!(counted(&[7, 9], &both, &[]).is_empty());
    assert_eq!(counted(&[7, 8, 9, 10], &both, &[]), ["8 business None 0", "10 business None 0"]);
    assert_eq!(
        counted(&[7], &both, &[]),
        ["9 business Some(3) 0"],
        "a business that is not in the list must be reported"
    );
    assert_eq!(counted(&[7, 9], &both, &[7]), ["7 business Some(2) 2"]);
    let of_9 = keys::profile(business(9)).to_vec();
    let without: Vec<_> = both.into_iter().filter(|(key, _)| *key != of_9).collect();
    assert_eq!(counted(&[7, 9], &without, &[]), ["9 business Some(3) 0"]);
    assert!(
        counted(&[7], &without, &[9]).is_empty(),
        "a business that is being deleted or imported must not be reported"
    );
}

#[test]
fn differences_are_listed_up_to_a_bound_and_counted_beyond() {
    let listed: Vec<u128> = (1..=DIFFERENCES_MAX as u128 + 5).collect();
    let mut tally = Tally::new([]);
    listed.iter().for_each(|number| tally.row(&keys::business_index(business(*number)), b""));
    let differences = tally.end();
    assert_eq!((differences.listed.len(), differences.count), (DIFFERENCES_MAX, DIFFERENCES_MAX as u64 + 5));
    assert!(differences.to_string().ends_with("; and 5 more"));
}
