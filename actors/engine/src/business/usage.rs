//! Counts the usage of a business: the numbers of its rows and bytes. Each change updates the usage, and its last audit
//! entry contains the new usage. Entries that are written during a count or an import of contacts contain no usage. If
//! the newest entry contains no usage when the actor starts, the actor counts all rows.
//!
//! Invariants:
//! - `BusinessBudget::usage` counts the rows of the store, including changes that are not durable yet. While a count is
//!   in progress, `usage` includes only the rows before `uncounted`.
//! - A change that changes the usage writes an audit entry with the new usage in the same batch.
//! - The actor counts in steps. Each step is one message to the actor, and reads a bounded number of rows and
//!   bytes. Only requests for the complete usage wait until all steps are done.

use std::collections::BTreeMap;
use std::sync::Arc;

use domain::{Amount, ApiKey, BudgetKind, Usage};
use store::kept::{COUNTED, counted};
use store::{Batch, Key, KeyRange, Order, Record, StoreError, keys};

use super::budget::Uncounted;
use super::state::State;
use super::write::Write;

const COUNT_ROWS_MAX: usize = 256;
const COUNT_BYTES_MAX: usize = 256 << 10;

fn place_of(state: &State, key: &[u8]) -> Option<usize> {
    let kind = key.strip_prefix(domain::ResourceId::uuid(state.id).as_bytes())?.first()?;
    counted(*kind).map(|(place, _)| place)
}

/// Updates the usage for one write. The rows of the write are in `batch`, from the index `from` on.
pub(super) fn count(
    state: &State,
    write: &Write,
    (batch, from): (&Batch, usize),
    usage: &mut Usage,
) -> Result<(), StoreError> {
    if let Write::ApiKey(key) = write {
        return count_key(state, key, usage);
    }
    let is_new = is_new(state, write);
    for (key, value) in batch.writes().skip(from) {
        let Some(place) = place_of(state, key).filter(|place| state.budget.has_counted(*place, key)) else {
            continue;
        };
        let kind = COUNTED[place].budget;
        // A new record has no previous value. A previous value whose pieces do not belong together was never counted,
        // so it is treated as missing.
        let before = if is_new { None } else { state.store.usable(key, state.read_raw(key))?.flatten() };
        if let Some(before) = before {
            usage.remove(kind, Amount::row(before.len()));
        }
        if let Some(value) = value {
            usage.add(kind, Amount::row(value.len()));
        }
    }
    Ok(())
}

/// True if the write creates a record of a counted kind, so the store contains no row of this record yet.
fn is_new(state: &State, write: &Write) -> bool {
    match write {
        Write::Service(service) => !state.services.contains_key(&service.id),
        Write::Staff(staff) => !state.staff.contains_key(&staff.id),
        Write::Appointment { before, .. } => before.is_none(),
        Write::Contact { before, .. } => before.is_none(),
        Write::Message { before, .. } => before.is_none(),
        Write::Call { before, .. } => before.is_none(),
        Write::Kept { is_new, .. } => *is_new,
        _ => false,
    }
}

/// Updates the usage for a changed API key, whose row belongs to the installation. Only valid keys are
/// counted.
fn count_key(state: &State, after: &ApiKey, usage: &mut Usage) -> Result<(), StoreError> {
    let listed = keys::key(state.id, after.id);
    let counted = place_of(state, &listed).is_some_and(|place| state.budget.has_counted(place, &listed));
    if !counted {
        return Ok(());
    }
    if let Some(before) = live_key(state, keys::api_key_prefix(after))? {
        usage.remove(BudgetKind::Keys, before);
    }
    if after.revoked_at.is_none() {
        usage.add(BudgetKind::Keys, Amount::row(after.encode().len()));
    }
    Ok(())
}

/// The size of an API key's row. Returns `None` if the key is missing or revoked. An undecodable key counts as valid.
fn live_key(state: &State, prefix: [u8; 8]) -> Result<Option<Amount>, StoreError> {
    let at = keys::api_key(prefix);
    let Some(row) = state.read_raw(&at)? else { return Ok(None) };
    let key = state.store.find_in::<ApiKey>(&at, &row)?;
    let lives = key.is_none_or(|key| key.revoked_at.is_none());
    Ok(lives.then_some(Amount::row(row.len())))
}

impl State {
    pub(super) fn count_on(&mut self) -> Result<bool, StoreError> {
        if let Some(range) = self.budget.due.last().copied() {
            let waiting = Arc::clone(&self.budget.waiting);
            let left = self.store.add_waiting(&waiting, range, COUNT_ROWS_MAX)?;
            self.budget.due.pop();
            self.budget.due.extend(left);
            if self.budget.due.is_empty() {
                waiting.end_adding();
            }
        } else if let Some(left) = self.budget.uncounted {
            self.budget.uncounted = self.count_kept(left)?;
        }
        Ok(!self.budget.are_complete())
    }

    fn count_kept(&mut self, left: Uncounted) -> Result<Option<Uncounted>, StoreError> {
        let kind = COUNTED[left.kind].budget;
        let (rows, rest) = self.next_rows(&left.range)?;
        for (key, value) in rows {
            let row = match kind {
                BudgetKind::Keys => {
                    let row = keys::prefix_from_value(&value).and_then(|prefix| live_key(self, prefix));
                    self.store.usable(&key, row)?.flatten()
                }
                _ => Some(Amount::row(value.len())),
            };
            if let Some(row) = row {
                self.budget.usage.add(kind, row);
            }
        }
        if let Some(range) = rest {
            return Ok(Some(Uncounted { range, ..left }));
        }
        let next = left.kind + 1;
        Ok(COUNTED
            .get(next)
            .map(|counted| Uncounted { kind: next, range: keys::of_kind(self.id, counted.kind) }))
    }

    /// Returns the next rows of a range, including changes that are not durable yet. Also returns the part of the range
    /// after these rows, or `None` at the end of the range.
    #[allow(clippy::type_complexity, reason = "a type alias would be used only once")]
    pub(crate) fn next_rows(
        &self,
        range: &KeyRange,
    ) -> Result<(BTreeMap<Key, Vec<u8>>, Option<KeyRange>), StoreError> {
        let (mut rows, mut bytes, mut rest) = (BTreeMap::new(), 0, None);
        for row in self.store.scan(range, Order::Ascending) {
            let (key, value) = row?;
            bytes += value.len();
            let key = Key::new(&key);
            rows.insert(key, value);
            if rows.len() == COUNT_ROWS_MAX || bytes >= COUNT_BYTES_MAX {
                rest = Some(range.after(key));
                break;
            }
        }
        let seen = KeyRange { to: rest.map_or(range.to, |rest| rest.from), ..*range };
        for (key, value) in self.overlay.range(&seen) {
            match value {
                Some(value) => rows.insert(*key, value.to_vec()),
                None => rows.remove(key),
            };
        }
        Ok((rows, rest))
    }
}
