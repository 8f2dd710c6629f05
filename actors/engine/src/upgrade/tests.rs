//! Conversions of stores that earlier versions wrote. The simulation cuts the power at many moments of a
//! conversion.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use domain::{Appointment, BusinessId, CallRecord, CallStatus, ContactId, Direction, Timestamp};
use store::kept::{KINDS, Kind};
use store::keys::{earlier, kind};
use store::records::{CallRow, SearchRecord};
use store::{Key, KeyRange, MemoryBackend, Order, Pair};

use super::*;

type Rows = BTreeMap<Vec<u8>, Vec<u8>>;

async fn fixture(format: u16) -> Rows {
    let home = tempfile::tempdir().unwrap();
    let archive = format!("{}/../../tests/formats/format-{format}.tar.gz", env!("CARGO_MANIFEST_DIR"));
    let unpacked = Command::new("tar").arg("-xzf").arg(archive).arg("-C").arg(home.path()).status().unwrap();
    assert!(unpacked.success());
    let store = open_disk(home.path());
    let rows = rows(&store);
    store.close().await.unwrap();
    assert_eq!(format_in(&rows), format);
    rows
}

fn open_disk(dir: &Path) -> Store {
    Store::open_disk(dir, Box::new(|error| panic!("{error}"))).unwrap()
}

async fn disk_with(rows: &Rows) -> MemoryBackend {
    let disk = MemoryBackend::new();
    let store = open(&disk);
    for (key, value) in rows {
        put(&store, key, value.clone()).await;
    }
    store.close().await.unwrap();
    disk
}

async fn put(store: &Store, key: &[u8], value: Vec<u8>) {
    let mut batch = Batch::default();
    batch.put(Key::new(key), value);
    store.submit(BusinessId::INSTALLATION, batch, Box::new(|| ()));
    store.wait_durable(BusinessId::INSTALLATION).await.unwrap();
}

fn open(disk: &MemoryBackend) -> Store {
    Store::in_memory(disk, Box::new(|_| ())).unwrap()
}

/// Every row. Long values are joined from their pieces.
fn rows(store: &Store) -> Rows {
    let all = KeyRange { from: Key::default(), to: Key::new(&[0xff; 17]) };
    let whole = |(key, _): &Pair| keys::kind_of(key).unwrap() < 0x80;
    store.scan(&all, Order::Ascending).map(Result::unwrap).filter(whole).collect()
}

fn format_in(rows: &Rows) -> u16 {
    MetaRecord::decode(&rows[&*keys::meta()]).unwrap().format
}

fn of_kind(rows: &Rows, kind: u8) -> impl Iterator<Item = (&Vec<u8>, &Vec<u8>)> {
    rows.iter().filter(move |(key, _)| key[..16] != [0; 16] && key[16] == kind)
}

async fn upgraded(before: &Rows) -> Rows {
    let disk = disk_with(before).await;
    let store = open(&disk);
    upgrade(&store, Upgrades::Allowed).await.unwrap();
    rows(&store)
}

/// Changes the index of calls by start time in the same way as the upgrade from format 10.
fn with_status_of_calls(mut rows: Rows) -> Rows {
    let index: Vec<_> = of_kind(&rows, kind::CALL_BY_START).map(|(key, _)| key.clone()).collect();
    for key in index {
        let (of, (_, id)) = (keys::business_of(&key).unwrap(), keys::instant_and_id(&key).unwrap());
        let call = rows.get(&*keys::call(of, id)).and_then(|value| CallRecord::decode(value).ok());
        if let Some(call) = call {
            rows.insert(key, CallRow::from(&call).encode());
        }
    }
    rows
}

/// Adds the list of unhandled calls in the same way as the upgrade from format 11.
fn with_unhandled_calls(mut rows: Rows) -> Rows {
    let calls: Vec<_> = of_kind(&rows, kind::CALL)
        .filter_map(|(key, value)| Some((keys::business_of(key).unwrap(), CallRecord::decode(value).ok()?)))
        .collect();
    for (of, call) in calls {
        let is_missed = call.direction == Direction::Inbound && call.status != CallStatus::Completed;
        if is_missed && call.handled_at.is_none() {
            rows.insert(keys::call_unhandled(of, call.started_at, call.id).to_vec(), Vec::new());
        }
    }
    rows
}

#[tokio::test]
async fn appointments_of_format_1_get_keys_with_their_start_and_no_other_row_changes() {
    let before = fixture(1).await;
    let after = upgraded(&before).await;
    assert_eq!(format_in(&after), STORE_FORMAT);
    let mut expected = before.clone();
    let mut meta = MetaRecord::decode(&before[&*keys::meta()]).unwrap();
    meta.format = STORE_FORMAT;
    expected.insert(keys::meta().to_vec(), meta.encode());
    let old = [0x20, 0x21, 0x23, earlier::CONTACT_NAMES];
    expected.retain(|key, _| key[..16] == [0; 16] || !old.contains(&key[16]));
    let (mut changed, mut count) = (0, 0);
    for (key, value) in of_kind(&before, 0x20) {
        let (of, a) = (keys::business_of(key).unwrap(), Appointment::decode(value).unwrap());
        let start = keys::millis_value(a.starts_at);
        expected.insert(keys::appointment(of, a.starts_at, a.id).to_vec(), value.clone());
        expected.insert(keys::appointment_start(of, a.id).to_vec(), start.clone());
        if a.updated_at != a.created_at {
            expected.insert(keys::appointment_by_update(of, a.updated_at, a.id).to_vec(), start);
            changed += 1;
        }
        count += 1;
    }
    assert_eq!((count, changed), (12, 2), "the fixture must have changed and unchanged appointments");
    assert!(after == with_unhandled_calls(with_status_of_calls(expected)), "rows differ");
}

#[tokio::test]
async fn leftovers_of_the_first_versions_of_format_2_are_deleted() {
    let before = fixture(2).await;
    let after = upgraded(&before).await;
    let names = of_kind(&before, earlier::CONTACT_NAMES).count();
    assert_eq!(before.len() - names, after.len(), "the fixture must have no leftover");
    let unchanged = of_kind(&before, kind::APPOINTMENT).find_map(|(key, value)| {
        let a = Appointment::decode(value).unwrap();
        (a.updated_at == a.created_at).then(|| (keys::business_of(key).unwrap(), a))
    });
    let (of, a) = unchanged.unwrap();
    let row = keys::appointment_by_update(of, a.updated_at, a.id).to_vec();
    let mut with_row = before.clone();
    with_row.insert(row, keys::millis_value(a.starts_at));
    assert!(upgraded(&with_row).await == after);
    // An index row without its record is damage. The conversion must not hide the damage.
    let astray =
        keys::appointment_by_update(of, Timestamp::from_millis(1), uuid::Uuid::nil().into()).to_vec();
    with_row.insert(astray.clone(), keys::millis_value(a.starts_at));
    assert!(upgraded(&with_row).await.contains_key(&astray));
}

/// Adds 600 appointments to a store of format 1, so that the conversion needs many batches.
fn with_more(mut rows: Rows) -> Rows {
    let (key, value) = of_kind(&rows, 0x20).next().map(|(key, value)| (key.clone(), value.clone())).unwrap();
    let (of, like) = (keys::business_of(&key).unwrap(), Appointment::decode(&value).unwrap());
    for number in 0..600 {
        let at = Timestamp::from_millis(1_600_000_000_000 + number * 3_600_000);
        let id = uuid::Uuid::from_u128(number as u128).into();
        let ends_at = at + chrono::TimeDelta::minutes(30);
        let more = Appointment { id, starts_at: at, ends_at, ..like.clone() };
        rows.insert(earlier::appointment(of, id).to_vec(), more.encode());
        rows.insert(earlier::appointment_by_start(of, at, id).to_vec(), vec![1]);
        rows.insert(earlier::appointment_by_update(of, more.updated_at, id).to_vec(), Vec::new());
    }
    rows
}

/// Adds 3,000 contacts, calls and messages to a store.
fn with_more_contacts(mut rows: Rows) -> Rows {
    for kind in KINDS.iter().filter(|kind| kind.search.is_some()) {
        let (key, value) = of_kind(&rows, kind.rows).next().unwrap();
        let (of, value) = (keys::business_of(key).unwrap(), value.clone());
        for number in 0..1_000 {
            let id = uuid::Uuid::from_u128(number);
            // A conversion takes the id of a record from its key, so all these records may have the same value.
            rows.insert(keys::of_id(of, kind.rows, ContactId::from(id)).to_vec(), value.clone());
        }
    }
    rows
}

#[tokio::test]
async fn contacts_calls_and_messages_of_format_6_get_search_texts_and_no_other_row_changes() {
    check_search_texts(with_more_contacts(fixture(6).await), |_| true).await;
}

#[tokio::test]
async fn contacts_of_format_8_get_search_texts_with_names_and_no_other_row_changes() {
    let mut before = with_more_contacts(fixture(8).await);
    let (key, _) = of_kind(&before, kind::CONTACT).next().unwrap();
    let (of, id) = (keys::business_of(key).unwrap(), uuid::Uuid::from_u128(90));
    let old = SearchRecord { texts: vec![(id, "\u{1}zoe".into())] };
    before.insert(keys::of_id(of, kind::CONTACT_SEARCH, ContactId::from(id)).to_vec(), old.encode());
    assert!(of_kind(&before, earlier::CONTACT_NAMES).next().is_some());
    check_search_texts(before, |kind| kind.rows == kind::CONTACT).await;
}

/// Upgrades a store. Checks that the upgrade writes the search texts of the kinds for which `is_written` returns true,
/// and changes nothing else.
async fn check_search_texts(before: Rows, is_written: impl Fn(&Kind) -> bool) {
    let mut after = upgraded(&before).await;
    let mut expected = before.clone();
    expected.retain(|key, _| key[..16] == [0; 16] || key[16] != earlier::CONTACT_NAMES);
    for kind in KINDS.iter().filter(|kind| is_written(kind)) {
        let Some(rows) = kind.search else { continue };
        expected.retain(|key, _| key[..16] == [0; 16] || key[16] != rows);
        let records: Vec<_> = of_kind(&before, kind.rows)
            .map(|(key, value)| (key[17..].to_vec(), (kind.search_text)(value).unwrap()))
            .collect();
        let filed: Vec<_> = of_kind(&after, rows).map(|(key, value)| (key.clone(), value.clone())).collect();
        let last = filed.last().unwrap().0[17..].to_vec();
        let unfiled = records.iter().filter(|(id, _)| *id > last).count();
        assert!((1..=64).contains(&unfiled), "{unfiled} records are unfiled");
        let wanted = records.into_iter().filter(|(id, text)| *id <= last && !text.is_empty());
        let mut texts = Vec::new();
        for (key, value) in filed {
            texts.extend(SearchRecord::decode(&value).unwrap().texts);
            after.remove(&key);
        }
        let texts = texts.into_iter().map(|(id, text)| (id.as_bytes().to_vec(), text));
        assert!(texts.eq(wanted), "the search texts of kind {rows:#04x} differ from the records");
    }
    let mut meta = MetaRecord::decode(&expected[&*keys::meta()]).unwrap();
    meta.format = STORE_FORMAT;
    expected.insert(keys::meta().to_vec(), meta.encode());
    assert!(after == with_unhandled_calls(with_status_of_calls(expected)), "other rows differ");
}

/// Adds 1,000 calls to a store of format 10 or 11, some of them outbound, missed or handled. Also adds a call that
/// cannot be decoded.
fn with_more_calls(mut rows: Rows) -> Rows {
    let (key, value) =
        of_kind(&rows, kind::CALL).next().map(|(key, value)| (key.clone(), value.clone())).unwrap();
    let (of, like) = (keys::business_of(&key).unwrap(), CallRecord::decode(&value).unwrap());
    let row = of_kind(&rows, kind::CALL_BY_START).next().unwrap().1.clone();
    for number in 0..1_000_u32 {
        let (id, is_missed) = (uuid::Uuid::from_u128(number.into()).into(), number % 3 == 0);
        let started_at = Timestamp::from_millis(1_600_000_000_000 + i64::from(number));
        let status = if is_missed { CallStatus::Missed } else { CallStatus::Completed };
        let direction = if number % 5 == 0 { Direction::Outbound } else { Direction::Inbound };
        let handled_at = (number % 6 == 0).then_some(like.ended_at);
        let call = CallRecord { id, direction, started_at, status, handled_at, ..like.clone() };
        rows.insert(keys::call(of, id).to_vec(), if number == 999 { vec![0] } else { call.encode() });
        rows.insert(keys::call_by_start(of, started_at, id).to_vec(), row.clone());
    }
    rows
}

#[tokio::test]
async fn index_rows_of_calls_of_format_10_get_the_status_and_no_other_row_changes() {
    let before = with_more_calls(fixture(10).await);
    assert!(
        of_kind(&before, kind::CALL_BY_START)
            .all(|(_, value)| CallRow::decode(value).unwrap().status.is_none())
    );
    let mut expected = with_unhandled_calls(with_status_of_calls(before.clone()));
    let mut meta = MetaRecord::decode(&before[&*keys::meta()]).unwrap();
    meta.format = STORE_FORMAT;
    expected.insert(keys::meta().to_vec(), meta.encode());
    let after = upgraded(&before).await;
    assert!(after == expected, "rows differ");
    // The upgrade keeps the index row of the call that cannot be decoded.
    let unknown = of_kind(&after, kind::CALL_BY_START)
        .filter(|(_, row)| CallRow::decode(row).unwrap().status.is_none());
    assert_eq!(unknown.count(), 1);
}

#[tokio::test]
async fn a_business_whose_import_is_not_finished_is_converted() {
    let mut before = with_status_of_calls(with_more_calls(fixture(11).await));
    let of = of_kind(&before, kind::CALL).map(|(key, _)| keys::business_of(key).unwrap()).next().unwrap();
    before.remove(&*keys::business_index(of)).unwrap();
    before.insert(keys::moving(of).to_vec(), Vec::new());
    let after = upgraded(&before).await;
    let expected = with_unhandled_calls(before.clone());
    let list =
        |rows: &Rows| of_kind(rows, kind::CALL_UNHANDLED).map(|(key, _)| key.clone()).collect::<Vec<_>>();
    assert!(list(&expected).len() > 100);
    assert_eq!(list(&after), list(&expected));
}

#[tokio::test]
async fn calls_of_format_11_get_a_list_of_the_unhandled_ones_and_no_other_row_changes() {
    let before = with_status_of_calls(with_more_calls(fixture(11).await));
    let mut expected = with_unhandled_calls(before.clone());
    let mut meta = MetaRecord::decode(&before[&*keys::meta()]).unwrap();
    meta.format = STORE_FORMAT;
    expected.insert(keys::meta().to_vec(), meta.encode());
    let after = upgraded(&before).await;
    assert!(after == expected, "rows differ");
    // The fixture has one call that was unhandled from the start. Of the added calls, every sixth (167) is missed and
    // not handled. Of these 167 calls, one cannot be decoded and 33 are outbound; these 34 are not in the list.
    assert_eq!(of_kind(&after, kind::CALL_UNHANDLED).count(), 1 + 167 - 1 - 33);
}

#[tokio::test]
async fn a_store_of_format_12_gets_only_another_number() {
    let before = fixture(12).await;
    let mut expected = before.clone();
    let mut meta = MetaRecord::decode(&before[&*keys::meta()]).unwrap();
    meta.format = STORE_FORMAT;
    expected.insert(keys::meta().to_vec(), meta.encode());
    assert!(upgraded(&before).await == expected, "rows differ");
}

/// Repeats a conversion and cuts the power one millisecond later each time. A sync takes two milliseconds, so some cuts
/// happen during a sync. After a cut, a part of the unsynced data may survive.
#[tokio::test(start_paused = true)]
async fn a_repeatedly_interrupted_conversion_has_the_same_result() {
    // The conversions from the other formats write less than the conversion from format 1, so fewer power
    // cuts interrupt them.
    for (format, cuts_min) in [(1, 40), (2, 5), (6, 5), (8, 5), (10, 5), (11, 5)] {
        let before = fixture(format).await;
        let before = match format {
            1 => with_more(before),
            6 | 8 => with_more_contacts(before),
            10 | 11 => with_more_calls(before),
            _ => before,
        };
        let expected = upgraded(&before).await;
        let mut cuts = 0;
        for time in 1.. {
            let disk = disk_with(&before).await;
            disk.set_sync_delay(Duration::from_millis(2));
            let cuts_before = cuts;
            // The power is cut twice: `time` milliseconds after the start of the conversion, and `time / 2`
            // milliseconds after the conversion was started again.
            for (at, keep) in [(time, time % 3), (time / 2, usize::MAX)] {
                let store = open(&disk);
                let time = Duration::from_millis(at as u64);
                let cut = tokio::time::timeout(time, upgrade(&store, Upgrades::Allowed)).await;
                cuts += usize::from(cut.is_err());
                disk.crash(keep);
                check_marked(&disk, &before).await;
            }
            let store = open(&disk);
            upgrade(&store, Upgrades::Allowed).await.unwrap();
            assert!(rows(&store) == expected, "rows differ after a power cut at {time} ms");
            let store = {
                drop(store);
                disk.crash(usize::MAX);
                open(&disk)
            };
            let done =
                tokio::time::timeout(Duration::from_millis(1), upgrade(&store, Upgrades::Refused)).await;
            done.expect("a second conversion must have nothing to do").unwrap();
            if cuts == cuts_before {
                break;
            }
        }
        assert!(cuts >= cuts_min, "only {cuts} power cuts happened in format {format}");
    }
}

/// Checks that a partly converted store is marked with a format that no version opens without a conversion.
async fn check_marked(disk: &MemoryBackend, before: &Rows) {
    let store = open(disk);
    let rows = rows(&store);
    match format_in(&rows) {
        STORE_FORMAT_IN_UPGRADE => {
            let refused = upgrade(&store, Upgrades::Refused).await.unwrap_err();
            assert!(matches!(refused, StoreError::UpgradeRefused { known: STORE_FORMAT, .. }), "{refused}");
        }
        STORE_FORMAT => {}
        _ => assert!(rows == *before, "rows were converted before the format mark"),
    }
    drop(store);
    disk.crash(usize::MAX);
}

#[tokio::test]
async fn stores_with_a_forbidden_or_unknown_conversion_are_refused_unchanged() {
    let before = fixture(1).await;
    let mut later = before.clone();
    let mut meta = MetaRecord::decode(&before[&*keys::meta()]).unwrap();
    meta.format = STORE_FORMAT + 1;
    later.insert(keys::meta().to_vec(), meta.encode());
    // A later version has begun to convert this store from a format that this version does not know.
    let mut in_upgrade = before.clone();
    meta.format = STORE_FORMAT_IN_UPGRADE;
    in_upgrade.insert(keys::meta().to_vec(), meta.encode());
    in_upgrade.insert(keys::upgrade().to_vec(), (STORE_FORMAT + 1).to_be_bytes().to_vec());
    for (rows_before, upgrades, words) in [
        (before, Upgrades::Refused, "format 1 and would have to be converted to format 13"),
        (later, Upgrades::Allowed, "format 14, this version of the service knows only formats up to 13"),
        (in_upgrade, Upgrades::Allowed, "format 14, this version of the service knows only formats up to 13"),
    ] {
        let disk = disk_with(&rows_before).await;
        let applies = disk.applies();
        let store = open(&disk);
        let refused = upgrade(&store, upgrades).await.unwrap_err().to_string();
        assert!(refused.contains(words) && !refused.contains('\n'), "{refused}");
        assert_eq!(disk.applies(), applies, "a refused conversion must not write");
        assert!(rows(&store) == rows_before);
    }
}

#[tokio::test]
async fn an_empty_store_is_left_empty() {
    let disk = MemoryBackend::new();
    let store = open(&disk);
    upgrade(&store, Upgrades::Refused).await.unwrap();
    assert_eq!((rows(&store).len(), disk.applies()), (0, 0));
}
