//! Reading the businesses of a store as records, of one that no engine runs on or as it was at a point.
//!
//! What always holds: records come by kind, and of a kind in the order of their keys, so a store that holds the same
//! gives the same; they are read a few at a time, and none is kept. Rows that do not decode are set aside and left out; the
//! store counts them. The records are counted on the way: a business of which another number is recorded gets no end.
//! Of somebody who is being erased nothing leaves, however far that has come.

use super::record::{Moved, MovedKind};
use super::settle::{check_finished, check_store};
use crate::business::Theirs;
use crate::counting::{Difference, Found, recorded_usage};
use crate::domain::{BudgetKind, Business, BusinessId, Retention, Usage};
use crate::store::keys::{installation_kind, kind};
use crate::store::records::ErasureRecord;
use crate::store::{
    Key, KeyRange, Order, Record, Rows, Store, StoreError, keys, record_at, unless_business_set_aside,
    whole_value,
};

/// How many rows are read in one step, and how many bytes of records.
const ROWS_PER_STEP: usize = 256;
const BYTES_PER_STEP: usize = 256 << 10;

/// Which businesses are read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Which {
    /// All.
    All,
    /// The one with this id.
    Id(BusinessId),
    /// Those that are called so, in any case.
    Named(String),
}

impl Which {
    fn is(&self, business: &Business) -> bool {
        match self {
            Self::All => true,
            Self::Id(id) => business.id == *id,
            Self::Named(name) => business.name.to_lowercase() == name.to_lowercase(),
        }
    }
}

/// What was read, and what of it cannot move or was not asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LeftOut {
    /// How many API keys stay behind: of those only hashes are kept, and whoever has one is let in where it is.
    pub keys: u64,
    /// How many webhook endpoints stay behind, since nobody asked for their secrets.
    pub endpoints: u64,
}

/// The businesses that are meant, in the order of their creation.
///
/// # Errors
/// When the store fails, or was left half-way by something else.
pub fn meant(store: &Store, which: &Which) -> Result<Vec<Business>, StoreError> {
    check_store(store)?;
    check_finished(store)?;
    let mut meant = Vec::new();
    let all = keys::of_kind(BusinessId::INSTALLATION, installation_kind::BUSINESS_INDEX);
    for row in store.scan(&all, Order::Ascending) {
        let key = row?.0;
        let business = keys::listed_business(&key).and_then(|id| store.get::<Business>(&keys::profile(id)));
        let business = match store.usable(&key, business) {
            Err(error @ StoreError::BusinessSetAside { business }) if *which == Which::Id(business) => {
                return Err(error);
            }
            business => unless_business_set_aside(business)?.flatten().flatten(),
        };
        meant.extend(business.filter(|business| which.is(business)));
    }
    Ok(meant)
}

/// What of a business is still to be handed out, part by part.
pub struct Leaving {
    of: BusinessId,
    with_secrets: bool,
    /// What comes first.
    business: Option<Business>,
    /// Who was being erased, known once the business has come.
    theirs: Theirs,
    /// Which kind of records comes now, and what of it is left.
    part: usize,
    left: KeyRange,
    records: u64,
    /// The usage that the business has recorded, and the rows found.
    recorded: Option<Usage>,
    found: Found,
    ended: bool,
    left_out: LeftOut,
}

/// A kind of rows, and the kind of records in them; of API keys only how many there are is told.
type Part = (u8, Option<MovedKind>);

/// What is read after the business itself, in its order.
fn parts() -> impl Iterator<Item = Part> {
    let records = MovedKind::ALL.iter().filter(|kind| **kind != MovedKind::Business);
    records.map(|kind| (kind.rows(), Some(*kind))).chain([(kind::KEY, None)])
}

/// A record as it leaves: a retention takes effect where it arrives, so when it was set stays behind.
fn leaving(moved: Moved) -> Moved {
    match moved {
        Moved::Retention(retention) => Moved::Retention(Retention { set: None, ..retention }),
        moved => moved,
    }
}

impl Leaving {
    /// A business, of whose webhook endpoints come only `with_secrets`.
    pub fn of(business: Business, with_secrets: bool) -> Self {
        let of = business.id;
        let (business, left) = (Some(business), keys::of_kind(of, MovedKind::Retention.rows()));
        let (theirs, left_out) = (Theirs::default(), LeftOut::default());
        let (recorded, found) = (None, Found::default());
        Self {
            of,
            with_secrets,
            business,
            theirs,
            part: 0,
            left,
            records: 0,
            recorded,
            found,
            ended: false,
            left_out,
        }
    }

    /// The kinds of rows that are read, its profile's apart.
    pub(crate) fn kinds() -> impl Iterator<Item = u8> {
        parts().map(|(kind, _)| kind).chain([kind::ERASURE, kind::AUDIT])
    }

    /// Whether rows of this kind are still to be read.
    pub(crate) fn still_reads(&self, kind: u8) -> bool {
        let is_left = |kind: u8| parts().skip(self.part).any(|(left, _)| left == kind);
        match kind {
            kind::ERASURE | kind::AUDIT => self.business.is_some(),
            // A message may be theirs by its call.
            kind::CALL => is_left(kind) || is_left(kind::MESSAGE) && !self.theirs.is_empty(),
            kind => is_left(kind),
        }
    }

    /// The next records, of [`ROWS_PER_STEP`] rows at most: the business first, its end last, and none after
    /// that. The end is left out if there are [differences](Self::differences).
    ///
    /// # Errors
    /// When reading fails.
    pub fn next(&mut self, store: &Store, rows: &dyn Rows) -> Result<Vec<Moved>, StoreError> {
        if let Some(business) = self.business.take() {
            self.theirs = self.who_is_erased(store, rows)?;
            self.recorded = recorded_usage(rows, self.of)?;
            self.records = 1;
            return Ok(vec![Moved::Business(business)]);
        }
        while let Some(part) = parts().nth(self.part) {
            let moved = self.step(store, rows, part)?;
            self.records += moved.len() as u64;
            if !moved.is_empty() {
                return Ok(moved);
            }
        }
        let has_ended = std::mem::replace(&mut self.ended, true);
        Ok(if has_ended || !self.differences().is_empty() {
            Vec::new()
        } else {
            vec![Moved::End { records: self.records }]
        })
    }

    /// The records of the next rows of a kind; goes on to the next kind behind the last one.
    fn step(
        &mut self,
        store: &Store,
        rows: &dyn Rows,
        (kind, record): Part,
    ) -> Result<Vec<Moved>, StoreError> {
        let (mut moved, mut bytes) = (Vec::new(), 0);
        for (read, row) in (1..).zip(rows.scan(&self.left, Order::Ascending)) {
            let (key, row) = row?;
            self.left = self.left.after(Key::new(&key));
            match record {
                None => self.left_out.keys += 1,
                Some(_) if kind == kind::WEBHOOK && !self.with_secrets => self.left_out.endpoints += 1,
                Some(record) => {
                    let read = whole_value(rows, &key, row).and_then(|whole| {
                        let whole =
                            whole.ok_or_else(|| StoreError::damaged("record", "its pieces are gone"))?;
                        bytes += whole.len();
                        record.decode(&whole).map(leaving)
                    });
                    let record = store.usable(&key, read)?;
                    self.found.add(kind, record.is_some());
                    if let Some(record) = record {
                        moved.push(self.without_them(store, rows, record)?);
                    }
                }
            }
            if read == ROWS_PER_STEP || bytes >= BYTES_PER_STEP {
                return Ok(moved);
            }
        }
        self.part += 1;
        if let Some((kind, _)) = parts().nth(self.part) {
            self.left = keys::of_kind(self.of, kind);
        }
        Ok(moved)
    }

    /// Who is being erased.
    fn who_is_erased(&self, store: &Store, rows: &dyn Rows) -> Result<Theirs, StoreError> {
        let mut theirs = Theirs::default();
        for row in rows.scan(&keys::of_kind(self.of, kind::ERASURE), Order::Ascending) {
            let (key, value) = row?;
            let erasure = store.usable(&key, ErasureRecord::decode(&value))?;
            theirs.add(keys::id_at_end(&key)?, erasure.as_ref());
        }
        Ok(theirs)
    }

    /// A record as the erasing will leave it.
    fn without_them(&self, store: &Store, rows: &dyn Rows, moved: Moved) -> Result<Moved, StoreError> {
        if self.theirs.is_empty() {
            return Ok(moved);
        }
        moved.without(&self.theirs, |call| {
            let key = keys::call(self.of, call);
            let call = store.usable(&key, record_at(rows, &key))?.flatten();
            Ok(call.is_some_and(|call| self.theirs.is_their_call(&call)))
        })
    }

    /// The kinds of records of which the business has recorded another number than was read, once all are read. API keys
    /// do not leave, so they are not compared.
    pub fn differences(&self) -> Vec<Difference> {
        let differences = |recorded| self.found.differences(self.of, &recorded, Some(BudgetKind::Keys));
        self.recorded.filter(|_| self.part == parts().count()).map(differences).unwrap_or_default()
    }

    /// What was left behind so far.
    pub fn left_out(&self) -> LeftOut {
        self.left_out
    }
}
