//! Converts a store of an earlier format when the store is opened. Each step converts it to the next format.
//!
//! Invariants:
//!
//! - Before a step changes the first row, one batch records the step, and sets the store's format to a format that no
//!   version serves. One batch at the end of the step sets the new format. So no version serves a half-converted store.
//! - A step converts a record and its index rows in one batch. The rows show which part has not been converted yet,
//!   so an interrupted step continues.
//! - A released step never changes. It uses the layouts of its two formats, not the current rules.
//! - A store of a later format is refused without a write.

mod conversion;
mod steps;
#[cfg(test)]
mod tests;

use std::ops::Range;

use store::records::{MetaRecord, STORE_FORMAT, STORE_FORMAT_IN_UPGRADE};
use store::{Batch, Record, Store, StoreError, keys};

use self::conversion::Conversion;

/// Whether a store of an earlier format may be converted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Upgrades {
    Allowed,
    Refused,
}

/// The formats that can be converted.
///
/// The steps from formats 1, 2, 6, 8, 10 and 11 convert rows. The other steps only change the format number.
///
/// If a version can write new contents, it needs a new format number. An earlier version does not know these contents,
/// and the number prevents it from opening the store. These steps allow new contents:
///
/// - from 3: new record versions and kinds of rows;
/// - from 4: rows of people, memberships, sessions, links and mails;
/// - from 5: the journal;
/// - from 7: merged contacts;
/// - from 8: feeds;
/// - from 9: connected calendars and conversations;
/// - from 12: the copies of appointments in calendars.
///
/// In the table of kinds, the mark `since` states the format that introduced a kind of records.
const CONVERTED: Range<u16> = 1..STORE_FORMAT;

/// Refuses a store whose format is not the current format.
pub(crate) fn check(meta: &MetaRecord) -> Result<(), StoreError> {
    match meta.format {
        STORE_FORMAT => Ok(()),
        found if CONVERTED.contains(&found) || found == STORE_FORMAT_IN_UPGRADE => {
            Err(StoreError::NotUpgraded { found, known: STORE_FORMAT })
        }
        found => Err(StoreError::Format { found, known: STORE_FORMAT }),
    }
}

/// Converts a store of an earlier format to the current format. An empty store does not change. Fails if the store has
/// a later format, if `upgrades` refuses the conversion, if a business is set aside, or if the store fails.
pub async fn upgrade(store: &Store, upgrades: Upgrades) -> Result<(), StoreError> {
    let Some(meta) = store.get::<MetaRecord>(&keys::meta())? else { return Ok(()) };
    let found = match meta.format {
        STORE_FORMAT => return store.keep_format(),
        STORE_FORMAT_IN_UPGRADE => under_way(store)?,
        found => found,
    };
    if !CONVERTED.contains(&found) {
        return Err(StoreError::Format { found, known: STORE_FORMAT });
    }
    if upgrades == Upgrades::Refused {
        return Err(StoreError::UpgradeRefused { found, known: STORE_FORMAT });
    }
    // A business is set aside if some of its rows are lost or damaged. The upgrade would skip this business
    // and leave its rows in the earlier format, so the upgrade is refused.
    if let Some((business, _)) = store.businesses_set_aside().first() {
        return Err(StoreError::BusinessSetAside { business: *business });
    }
    store.keep_format()?;
    let mut conversion = Conversion::of(store);
    for from in found..CONVERTED.end {
        take(&mut conversion, from, &meta).await?;
    }
    let mut batch = Batch::default();
    batch.put(keys::meta(), MetaRecord { format: STORE_FORMAT, ..meta }.encode());
    batch.delete(keys::upgrade());
    conversion.writer.write(batch).await?;
    conversion.writer.wait_durable().await?;
    tracing::info!(store.format = STORE_FORMAT, "the store is upgraded");
    Ok(())
}

/// Converts a store of format `from` to the next format and waits until it is durable.
async fn take(conversion: &mut Conversion<'_>, from: u16, meta: &MetaRecord) -> Result<(), StoreError> {
    conversion.begin(from + 1);
    tracing::info!(store.format = from, upgrade.to = from + 1, "the store is being upgraded");
    let mut batch = Batch::default();
    batch.put(keys::meta(), MetaRecord { format: STORE_FORMAT_IN_UPGRADE, ..meta.clone() }.encode());
    batch.put(keys::upgrade(), from.to_be_bytes().to_vec());
    conversion.writer.write(batch).await?;
    conversion.writer.wait_durable().await?; // the record of the step is durable before any row changes
    match from {
        1 => steps::from_1(conversion).await?,
        2 => steps::from_2(conversion).await?,
        6 => steps::from_6(conversion).await?,
        8 => steps::from_8(conversion).await?,
        10 => steps::from_10(conversion).await?,
        11 => steps::from_11(conversion).await?,
        _ => {}
    }
    conversion.writer.wait_durable().await
}

/// The format from which the interrupted step converts.
fn under_way(store: &Store) -> Result<u16, StoreError> {
    let row = store.get_raw(&keys::upgrade())?;
    match row.as_deref().map(<[u8; 2]>::try_from) {
        Some(Ok(format)) => Ok(u16::from_be_bytes(format)),
        _ => Err(StoreError::damaged("upgrade", "it does not name the step in progress")),
    }
}
