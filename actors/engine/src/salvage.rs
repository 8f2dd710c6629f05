//! Copies the readable rows of a damaged store into a new store, and compares the number of readable records
//! with the recorded usage.
//!
//! Invariants:
//! - a record counts as found only if its whole value is readable;
//! - if rows are missing from the damaged store, records in the new store may have an earlier state. Therefore the
//!   salvage repeats the revocations, erasures and deletions in the list of tombstones and ends all sessions, and the
//!   service counts the records of each business again.

use std::collections::BTreeMap;
use std::path::Path;

use domain::{ApiKey, BudgetKind, Business, BusinessId};
use net::Ports;
pub use store::Missing;
use store::kept::{COUNTED, Counted, counted};
use store::keys::{self, installation_kind};
use store::{
    Order, Record, Rows, Salvaging, Store, StoreError, TakenBack, every_row, piece_of,
    read_businesses_set_aside, read_tombstones, record_at, value_at, whole_value,
};

use crate::backup::reapply::{Reapplying, end_all_sessions, end_manage_links};
use crate::error::EngineError;
use crate::meta::renew_link_secret;
use crate::upgrade::{Upgrades, upgrade};

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Salvaged {
    pub rows: u64,
    pub installation_rows: u64,
    pub businesses: Vec<SalvagedBusiness>,
    /// The offsets of the unreadable parts in the file of the damaged store.
    pub unreadable: Vec<u64>,
    /// True if the service could have opened the damaged store, and every page of its tree is readable.
    pub is_sound: bool,
    /// The businesses that the damaged store had set aside because some of their rows were lost.
    pub set_aside: Vec<BusinessId>,
    /// The missing batches. It is `None` if every batch was found, or if the number of the newest batch is unknown.
    pub missing: Option<Missing>,
    /// The reason why the salvage could not repeat all revocations, erasures and deletions in the list of
    /// tombstones.
    pub not_reapplied: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SalvagedBusiness {
    pub id: BusinessId,
    /// The number of rows, including index rows, deliveries and logs.
    pub rows: u64,
    pub kinds: Vec<SalvagedKind>,
    /// Whether the profile is readable and the list of businesses contains the business.
    pub is_usable: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SalvagedKind {
    pub kind: BudgetKind,
    pub found: u64,
    pub counted: Option<u64>,
}

impl SalvagedKind {
    pub fn missing(&self) -> u64 {
        self.counted.unwrap_or(0).saturating_sub(self.found)
    }

    fn differs(&self) -> bool {
        self.counted.is_some_and(|counted| counted != self.found)
    }
}

impl Salvaged {
    pub fn is_whole(&self) -> bool {
        self.has_newest()
            && self.set_aside.is_empty()
            && self.businesses.iter().all(|business| business.is_usable && !business.differs())
    }

    /// Returns false if a change may be missing. Records may then have an earlier state.
    fn has_newest(&self) -> bool {
        self.missing.is_none() && self.is_sound
    }
}

impl SalvagedBusiness {
    fn differs(&self) -> bool {
        self.kinds.iter().any(SalvagedKind::differs)
    }
}

/// Copies the readable rows of the store `from` into the new store `to`. Fails if the store is in use or missing, or if
/// the target is not empty or cannot be created.
pub async fn salvage(from: &Path, to: &Path, ports: &Ports) -> Result<Salvaged, StoreError> {
    let salvaging = Salvaging::begin(from, to)?;
    let mut salvaged = count(&salvaging.store)?;
    salvaged.unreadable.clone_from(&salvaging.unreadable);
    salvaged.missing = salvaging.missing;
    salvaged.is_sound = salvaging.is_sound;
    let set_aside = read_businesses_set_aside(from)?;
    salvaged.set_aside = set_aside.into_iter().map(|(business, _)| business).collect();
    let store = &salvaging.store;
    let list = read_tombstones(from);
    if let Ok(list) = &list {
        store.record_tombstones(list)?;
    }
    if !salvaged.is_whole() {
        let list = list.ok().as_deref().map(TakenBack::by);
        if let Err(error) = repair(store, &salvaged, list.as_ref(), ports).await {
            tracing::error!(%error, "the revocations, erasures and deletions could not all be repeated");
            salvaged.not_reapplied = Some(error.to_string());
        }
    }
    salvaging.finish().await?;
    Ok(salvaged)
}

async fn repair(
    store: &Store,
    salvaged: &Salvaged,
    list: Option<&TakenBack>,
    ports: &Ports,
) -> Result<(), EngineError> {
    upgrade(store, Upgrades::Allowed).await?;
    let mut reapplying = Reapplying::new(store, ports);
    for business in &salvaged.businesses {
        // If the number of rows may differ from the recorded usage, the recorded usage is dropped, because the daily
        // count would set aside a business with such a difference.
        if business.differs() || !salvaged.has_newest() {
            reapplying.forget_usage(business.id).await?;
        }
    }
    if !salvaged.has_newest() {
        end_all_sessions(store).await?;
        renew_link_secret(store, ports).await?;
        if list.is_none() {
            end_manage_links(store).await?;
        }
    }
    if list.is_some() || !salvaged.has_newest() {
        reapplying.all(list).await?;
    }
    Ok(())
}

fn count(store: &Store) -> Result<Salvaged, StoreError> {
    let rows = store.rows();
    let mut salvaged = Salvaged::default();
    let mut found = BTreeMap::<BusinessId, (u64, [u64; COUNTED.len()])>::new();
    for pair in rows.scan(&every_row(), Order::Ascending) {
        let (key, value) = pair?;
        salvaged.rows += 1;
        let (Ok(of), Ok(kind)) = (keys::business_of(&key), keys::kind_of(&key)) else { continue };
        if of == BusinessId::INSTALLATION {
            salvaged.installation_rows += 1;
            if kind == installation_kind::BUSINESS_INDEX {
                found.entry(keys::listed_business(&key)?).or_default();
            }
            continue;
        }
        let (all, kinds) = found.entry(of).or_default();
        *all += 1;
        if let Some((place, counted)) = counted(kind).filter(|_| piece_of(&key).is_none())
            && is_found(rows, counted, &key, value)?
        {
            kinds[place] += 1;
        }
    }
    for (id, (all, kinds)) in found {
        // A business that is being deleted or imported is not reported, because its rows are incomplete anyway.
        if rows.get(&keys::ending(id))?.is_some() || rows.get(&keys::moving(id))?.is_some() {
            continue;
        }
        let usage = store.newest_entry(id)?.and_then(|newest| newest.usage);
        let kinds = COUNTED.iter().zip(kinds).map(|(Counted { budget, .. }, found)| SalvagedKind {
            kind: *budget,
            found,
            counted: usage.map(|usage| usage.of(*budget).rows),
        });
        let kinds = kinds.collect();
        let profile = readable(record_at::<Business>(rows, &keys::profile(id)))?;
        let is_usable = profile.is_some() && rows.get(&keys::business_index(id))?.is_some();
        salvaged.businesses.push(SalvagedBusiness { id, rows: all, kinds, is_usable });
    }
    Ok(salvaged)
}

/// Whether the record of a row is readable and counts in the usage.
fn is_found(rows: &dyn Rows, counted: Counted, key: &[u8], row: Vec<u8>) -> Result<bool, StoreError> {
    let Some(value) = readable(whole_value(rows, key, row))? else { return Ok(false) };
    if counted.decodes.is_some() {
        return Ok(true);
    }
    // The row belongs to an API key. The usage counts only keys that are not revoked. A key that cannot be decoded
    // counts as not revoked.
    let Some(prefix) = readable(keys::prefix_from_value(&value).map(Some))? else { return Ok(false) };
    let Some(key) = readable(value_at(rows, &keys::api_key(prefix)))? else { return Ok(false) };
    let key = readable(ApiKey::decode(&key).map(Some))?;
    Ok(key.is_none_or(|key| key.revoked_at.is_none()))
}

/// Replaces the error of a damaged value by `None`.
fn readable<T>(read: Result<Option<T>, StoreError>) -> Result<Option<T>, StoreError> {
    match read {
        Err(StoreError::Damaged { .. } | StoreError::Version { .. }) => Ok(None),
        read => read,
    }
}
