//! Tests that damage the rows of a fixture store of format 2. Each test case has one kind of damage, which the check
//! must find. The undamaged store must have no findings.

mod alerts;
mod booking;
mod calendars;
mod customers;
mod diary;
mod ending;
mod feeds;
mod installation;
mod mails;
mod merging;
mod people;
mod records;

use std::collections::BTreeMap;
use std::process::Command;

use chrono::TimeDelta;
use domain::{
    ApiKey, Appointment, AppointmentStatus, Business, BusinessId, CallRecord, CallStatus, Contact, Delivery,
    Knowledge, ResourceId, Retention, Service, StaffMember, TakenMessage, Timestamp, WebhookEndpoint,
};
use store::keys::{self, MessagesOf, installation_kind, kind};
use store::records::{
    AuditRecord, ErasingRecord, ErasureRecord, IdempotencyRecord, SearchRecord, WipeRecord,
};
use store::{Key, KeyRange, Order, Pairs, Record, Rows, every_row, value_at};

use super::*;
use crate::business::row_key;
use crate::upgrade::{Upgrades, upgrade};

#[derive(Clone)]
struct Map(BTreeMap<Vec<u8>, Vec<u8>>);

impl Rows for Map {
    fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>, StoreError> {
        Ok(self.0.get(key).cloned())
    }

    fn scan<'a>(&'a self, range: &KeyRange, order: Order) -> Pairs<'a> {
        if range.is_empty() {
            return Box::new(std::iter::empty());
        }
        let rows = self.0.range(range.from.to_vec()..range.to.to_vec());
        let rows = rows.map(|(key, value)| Ok((key.clone(), value.clone())));
        match order {
            Order::Ascending => Box::new(rows),
            Order::Descending => Box::new(rows.rev()),
        }
    }
}

/// The fixture store, converted to the current format.
async fn good() -> Map {
    let home = tempfile::tempdir().unwrap();
    let archive = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/formats/format-2.tar.gz");
    let unpacked = Command::new("tar").args(["-xzf", archive, "-C"]).arg(home.path()).status().unwrap();
    assert!(unpacked.success());
    let store = Store::open_disk(home.path(), Box::new(|error| panic!("{error}"))).unwrap();
    upgrade(&store, Upgrades::Allowed).await.unwrap();
    let rows = store.rows().scan(&every_row(), Order::Ascending).collect::<Result<_, _>>().unwrap();
    store.close().await.unwrap();
    let mut map = Map(rows);
    people::add(&mut map);
    customers::add(&mut map);
    map.file_contacts();
    map
}

impl Map {
    fn of(&self) -> BusinessId {
        let listed = keys::of_kind(BusinessId::INSTALLATION, installation_kind::BUSINESS_INDEX);
        keys::id_at_end(&self.scan(&listed, Order::Ascending).next().unwrap().unwrap().0).unwrap()
    }

    fn keys(&self, kind: u8) -> Vec<Vec<u8>> {
        self.scan(&keys::of_kind(self.of(), kind), Order::Ascending).map(|row| row.unwrap().0).collect()
    }

    fn installation(&self, kind: u8) -> Vec<u8> {
        let range = keys::of_kind(BusinessId::INSTALLATION, kind);
        self.scan(&range, Order::Ascending).next().unwrap().unwrap().0
    }

    fn first(&self, kind: u8) -> Vec<u8> {
        self.keys(kind).remove(0)
    }

    fn last(&self, kind: u8) -> Vec<u8> {
        self.keys(kind).pop().unwrap()
    }

    fn remove(&mut self, key: &[u8]) {
        self.0.remove(key).expect("the row must exist");
    }

    fn put(&mut self, key: &[u8], value: Vec<u8>) {
        self.0.insert(key.to_vec(), value);
    }

    fn record<R: Record>(&self, key: &[u8]) -> R {
        R::decode(&value_at(self, key).unwrap().unwrap()).unwrap()
    }

    /// Changes the record of a row. Stores the record in one value even if it is long, as earlier versions of the
    /// service did.
    fn edit<R: Record>(&mut self, key: &[u8], edit: impl FnOnce(&mut R)) {
        let mut record = self.record::<R>(key);
        edit(&mut record);
        self.put(key, record.encode());
    }

    /// Changes the first record of a kind for which the function `which` returns true.
    fn edit_where<R: Record>(&mut self, kind: u8, which: impl Fn(&R) -> bool, edit: impl FnOnce(&mut R)) {
        let key = self.keys(kind).into_iter().find(|key| which(&self.record(key))).unwrap();
        self.edit(&key, edit);
    }

    /// Adds the search texts of all contacts to the index. The fixture has too few contacts for the engine to write a
    /// row of this index, so this function writes the row.
    fn file_contacts(&mut self) {
        let contacts = self.keys(kind::CONTACT).into_iter().map(|key| self.record::<Contact>(&key));
        let texts: Vec<_> = contacts.map(|it| (it.id.uuid(), it.search_text())).collect();
        let key = row_key(self.of(), kind::CONTACT_SEARCH, texts.last().unwrap().0);
        self.put(&key, SearchRecord { texts }.encode());
    }

    fn move_row(&mut self, from: &[u8], to: &[u8]) {
        let value = self.0.remove(from).unwrap();
        self.put(to, value);
    }
}

fn other<I: ResourceId>() -> I {
    uuid::Uuid::from_u128(7).into()
}

/// A description, the function that does the damage, and the text of the expected finding.
type Damage = (&'static str, fn(&mut Map), &'static str);

/// Checks that the undamaged store has no finding, and that the check finds each kind of damage.
fn each_is_found(good: &Map, damages: &[Damage]) {
    let report = check(good).unwrap();
    assert!(report.is_whole(), "{:?}", report.findings);
    let mut missed = Vec::new();
    for (name, plant, words) in damages {
        let mut damaged = good.clone();
        plant(&mut damaged);
        assert!(damaged.0 != good.0, "{name}: the damage changed nothing");
        let report = check(&damaged).unwrap();
        if !report.findings.iter().any(|finding| finding.contains(words)) {
            missed.push(format!("{name}: {words:?} is not in {:?}", report.findings));
        }
    }
    assert!(missed.is_empty(), "{}", missed.join("\n"));
}

#[tokio::test]
async fn damage_of_every_kind_is_found_and_named() {
    let good = good().await;
    let report = check(&good).unwrap();
    assert_eq!((report.businesses, report.rows), (1, good.0.len() as u64));
    let damages = [
        installation::DAMAGES,
        booking::DAMAGES,
        customers::DAMAGES,
        diary::DAMAGES,
        people::DAMAGES,
        records::DAMAGES,
        ending::DAMAGES,
    ]
    .concat();
    assert!(damages.len() >= 40);
    each_is_found(&good, &damages);
}

#[tokio::test]
async fn findings_are_listed_up_to_a_limit_and_all_are_counted() {
    let mut many = good().await;
    for number in 0..3_000_u32 {
        let key = Key::new(&[5; 16]).with(&[kind::CONTACT]).with(&[0; 12]).with(&number.to_be_bytes());
        many.put(&key, vec![1]);
    }
    let report = check(&many).unwrap();
    assert_eq!(report.findings.len(), 1_000);
    assert!(report.found >= 3_000, "{}", report.found);
}
