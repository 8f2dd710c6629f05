//! The findings, and lookups of rows during the check.

use domain::{Alias, BusinessId, ContactId, ResourceId};
use store::kept::{self, IndexRow, Kept, Kind};
use store::records::IdempotencyRecord;
use store::{Key, Record, Rows, StoreError, keys, value_at};

/// The maximum number of listed findings. Further findings are only counted.
const FINDINGS_MAX: usize = 1_000;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    pub rows: u64,
    pub businesses: u64,
    /// The number of records. Index rows are not counted.
    pub records: u64,
    /// The first 1,000 findings in key order.
    pub findings: Vec<String>,
    pub found: u64,
}

impl Report {
    pub fn is_whole(&self) -> bool {
        self.found == 0
    }

    pub(super) fn add(&mut self, finding: String) {
        self.found += 1;
        if self.findings.len() < FINDINGS_MAX {
            self.findings.push(finding);
        }
    }
}

pub(super) struct Checker<'a> {
    pub(super) rows: &'a dyn Rows,
    pub(super) report: Report,
    pub(super) of: BusinessId,
    pub(super) key: Key,
    pub(super) failed: Option<StoreError>,
}

impl<'a> Checker<'a> {
    pub(super) fn of(rows: &'a dyn Rows) -> Self {
        let (report, of, key) = (Report::default(), BusinessId::INSTALLATION, Key::default());
        Self { rows, report, of, key, failed: None }
    }

    /// The id at the end of the current key.
    pub(super) fn id<I: ResourceId>(&mut self) -> Option<I> {
        self.read(keys::id_at_end(&self.key))
    }

    pub(super) fn has_no_value(&mut self, value: &[u8]) {
        if !value.is_empty() {
            self.wrong("its value must be empty");
        }
    }

    pub(super) fn remembered(&mut self, value: &[u8]) {
        let Some(record) = self.decoded::<IdempotencyRecord>(value) else { return };
        let day = keys::day_and_hash(&self.key).map(|(day, _)| day);
        if day.ok() != Some(record.answered.day()) {
            self.wrong("the day in its key is not the day of the response");
        }
    }

    /// Reports a problem of the current row.
    pub(super) fn wrong(&mut self, what: impl std::fmt::Display) {
        let row = format!("row {:?}: {what}", self.key);
        self.report.add(match self.of {
            BusinessId::INSTALLATION => format!("installation, {row}"),
            of => format!("business {of}, {row}"),
        });
    }

    /// Returns the result of a lookup. If the row is damaged, adds a finding and returns `None`. Any other error ends
    /// the check.
    pub(super) fn read<T>(&mut self, read: Result<T, StoreError>) -> Option<T> {
        match read {
            Ok(read) => Some(read),
            Err(error @ (StoreError::Damaged { .. } | StoreError::Version { .. })) => {
                self.wrong(error);
                None
            }
            Err(error) => {
                self.failed.get_or_insert(error);
                None
            }
        }
    }

    pub(super) fn decoded<R: Record>(&mut self, value: &[u8]) -> Option<R> {
        self.read(R::decode(value))
    }

    /// The value of a key, or `None` if it is unreadable. The check reports an unreadable value at its row.
    pub(super) fn value(&mut self, key: &Key) -> Option<Vec<u8>> {
        match value_at(self.rows, key) {
            Ok(value) => value,
            Err(StoreError::Damaged { .. }) => None,
            Err(error) => {
                self.failed.get_or_insert(error);
                None
            }
        }
    }

    pub(super) fn record<R: Record>(&mut self, key: &Key) -> Option<R> {
        R::decode(&self.value(key)?).ok()
    }

    pub(super) fn is_there(&mut self, key: &Key) -> bool {
        self.value(key).is_some()
    }

    /// Reports a missing index row, or an index row with another value.
    pub(super) fn expect(&mut self, name: &str, key: &Key, value: &[u8]) {
        match self.value(key) {
            None => self.wrong(format_args!("its index row {name} is missing: {key:?}")),
            Some(found) if found != value => {
                self.wrong(format_args!("its index row {name} has a wrong value: {key:?}"));
            }
            Some(_) => {}
        }
    }

    pub(super) fn kept<R: Kept>(&mut self, value: &[u8]) -> Option<R> {
        let record = self.decoded::<R>(value)?;
        if let Some(kind) = kept::kind(R::KIND) {
            self.record_of(kind, value);
        }
        Some(record)
    }

    /// Checks a record: its key, its index rows, its search text and its contact.
    pub(super) fn record_of(&mut self, kind: &Kind, value: &[u8]) {
        let Some((key, index)) = self.read((kind.places)(self.of, value)) else { return };
        self.placed(&key, &index);
        if let Some(rows) = kind.search
            && let Some(text) = self.read((kind.search_text)(value))
        {
            self.search_text_of(rows, &text);
        }
        if kind.by_contact.is_some() {
            let contact = self.read((kind.contact)(value)).flatten();
            self.refers_to_contact(contact);
        }
    }

    /// Checks that the current row is an index row of a record of this kind.
    pub(super) fn index_of(&mut self, kind: &Kind, value: &[u8]) {
        let Some(record) = self.read(keys::indexed(self.of, kind.rows, &self.key)) else { return };
        let places = self.value(&record).and_then(|found| (kind.places)(self.of, &found).ok());
        let key = self.key;
        let is_own = |row: &IndexRow| row.key == key && row.value == value;
        self.belongs(places.is_some_and(|(_, index)| index.iter().any(is_own)));
    }

    pub(super) fn placed(&mut self, key: &Key, index: &[IndexRow]) {
        self.stands_at(key);
        for row in index {
            self.expect(row.name, &row.key, &row.value);
        }
    }

    /// Checks that the current row is an index row of the record with this key.
    pub(super) fn leads_to<R: Kept>(&mut self, record: &Key, value: &[u8]) {
        let index = self.record::<R>(record).map(|record| record.index(self.of)).unwrap_or_default();
        let key = self.key;
        self.belongs(index.iter().any(|row| row.key == key && row.value == value));
    }

    /// Reports the current index row if it belongs to no record.
    pub(super) fn belongs(&mut self, belongs: bool) {
        if !belongs {
            self.wrong("no record has this index row");
        }
    }

    pub(super) fn refers(&mut self, name: &str, key: &Key) {
        if !self.is_there(key) {
            self.wrong(format_args!("the {name} that it names is missing"));
        }
    }

    /// Reports a reference to a missing contact. Does not report a contact whose erasure or merge is in
    /// progress.
    pub(super) fn refers_to_contact(&mut self, id: Option<ContactId>) {
        let Some(id) = id else { return };
        let is_moving = |alias: Alias| alias.is_moving;
        if !self.is_there(&keys::erasure(self.of, id))
            && !self.record::<Alias>(&keys::alias(self.of, id)).is_some_and(is_moving)
        {
            self.refers("contact", &keys::contact(self.of, id));
        }
    }

    pub(super) fn is_ended(&mut self, business: BusinessId) -> bool {
        self.is_there(&keys::ending(business))
    }

    pub(super) fn stands_at(&mut self, key: &Key) {
        if *key != self.key {
            self.wrong(format_args!("its record belongs to the key {key:?}"));
        }
    }
}
