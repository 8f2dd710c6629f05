//! What was found, and how rows are looked up on the way.

use domain::{BusinessId, ContactId};
use store::kept::{IndexRow, Kept, Kind};
use store::records::IdempotencyRecord;
use store::{Key, Record, Rows, StoreError, keys, value_at};

/// How many findings are kept; more are counted.
const FINDINGS_MAX: usize = 1_000;

/// What came of looking.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// How many rows were looked at.
    pub rows: u64,
    /// How many businesses there are.
    pub businesses: u64,
    /// How many records of them can be asked for: all but index rows.
    pub records: u64,
    /// What is wrong, in the order of the keys: the first 1,000.
    pub findings: Vec<String>,
    /// How many findings there are.
    pub found: u64,
}

impl Report {
    /// Whether nothing is wrong.
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

/// Someone who looks.
pub(super) struct Checker<'a> {
    pub(super) rows: &'a dyn Rows,
    pub(super) report: Report,
    /// The business whose rows are looked at.
    pub(super) of: BusinessId,
    /// The row that is looked at.
    pub(super) key: Key,
    /// Why looking has to end.
    pub(super) failed: Option<StoreError>,
}

impl<'a> Checker<'a> {
    pub(super) fn of(rows: &'a dyn Rows) -> Self {
        let (report, of, key) = (Report::default(), BusinessId::INSTALLATION, Key::default());
        Self { rows, report, of, key, failed: None }
    }

    /// What is remembered of an answer.
    pub(super) fn remembered(&mut self, value: &[u8]) {
        let Some(record) = self.decoded::<IdempotencyRecord>(value) else { return };
        let day = keys::day_and_hash(&self.key).map(|(day, _)| day);
        if day.ok() != Some(record.answered.day()) {
            self.wrong("it stands under another day than it was answered on");
        }
    }

    /// Something is wrong with the row that is looked at.
    pub(super) fn wrong(&mut self, what: impl std::fmt::Display) {
        let whose = if self.of == BusinessId::INSTALLATION {
            "installation".to_owned()
        } else {
            format!("business {}", self.of)
        };
        self.report.add(format!("{whose}, row {:?}: {what}", self.key));
    }

    /// What a look-up gives; damage is a finding, and anything else ends looking.
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

    /// The record in a value.
    pub(super) fn decoded<R: Record>(&mut self, value: &[u8]) -> Option<R> {
        let decoded = R::decode(value);
        self.read(decoded)
    }

    /// The value under a key; one that cannot be read is told where it is looked at itself.
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

    /// The record under a key, if there is one that can be read.
    pub(super) fn record<R: Record>(&mut self, key: &Key) -> Option<R> {
        R::decode(&self.value(key)?).ok()
    }

    pub(super) fn is_there(&mut self, key: &Key) -> bool {
        self.value(key).is_some()
    }

    /// An index row has to be there, with this value.
    pub(super) fn expect(&mut self, name: &str, key: &Key, value: &[u8]) {
        match self.value(key) {
            None => self.wrong(format_args!("its row {name} is missing: {key:?}")),
            Some(found) if found != value => {
                self.wrong(format_args!("its row {name} says something else: {key:?}"));
            }
            Some(_) => {}
        }
    }

    /// The record in a value, which has to stand where it does and to be found by its index rows.
    pub(super) fn kept<R: Kept>(&mut self, value: &[u8]) -> Option<R> {
        let record = self.decoded::<R>(value)?;
        self.placed(&record.key(self.of), &record.index(self.of));
        Some(record)
    }

    /// The same for a record of which nothing else is checked.
    pub(super) fn kept_as(&mut self, kind: &Kind, value: &[u8]) {
        let places = (kind.places)(self.of, value);
        if let Some((key, index)) = self.read(places) {
            self.placed(&key, &index);
        }
    }

    fn placed(&mut self, key: &Key, index: &[IndexRow]) {
        self.stands_at(key);
        for row in index {
            self.expect(row.name, &row.key, &row.value);
        }
    }

    /// The row that is looked at has to be one by which this record is found.
    pub(super) fn leads_to<R: Kept>(&mut self, record: Option<&R>, value: &[u8]) {
        let key = self.key;
        let is_of = |record: &R| record.index(self.of).iter().any(|row| row.key == key && row.value == value);
        let is_asked_for = record.is_some_and(is_of);
        self.belongs(is_asked_for);
    }

    /// The row that is looked at belongs to a record which asks for it.
    pub(super) fn belongs(&mut self, belongs: bool) {
        if !belongs {
            self.wrong("no record asks for this index row");
        }
    }

    /// What is named has to be there.
    pub(super) fn refers(&mut self, name: &str, key: &Key) {
        if !self.is_there(key) {
            self.wrong(format_args!("the {name} that it names is missing"));
        }
    }

    /// A contact that is named has to be there, unless it is being erased, which goes in steps.
    pub(super) fn refers_to_contact(&mut self, id: Option<ContactId>) {
        let Some(id) = id else { return };
        if !self.is_there(&keys::erasure(self.of, id)) {
            self.refers("contact", &keys::contact(self.of, id));
        }
    }

    /// Whether the business was ended, so that its rows go in steps.
    pub(super) fn is_ended(&mut self, business: BusinessId) -> bool {
        self.is_there(&keys::ending(business))
    }

    /// Whether the business is nobody's: its rows go in steps, since it was ended, or are not all there yet, since it is
    /// being imported.
    pub(super) fn is_nobodys(&mut self, business: BusinessId) -> bool {
        self.is_ended(business) || self.is_there(&keys::moving(business))
    }

    /// The row stands where its record says.
    pub(super) fn stands_at(&mut self, key: &Key) {
        if *key != self.key {
            self.wrong(format_args!("it holds what belongs at {key:?}"));
        }
    }
}
