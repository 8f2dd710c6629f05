//! Converts a stopped store of an earlier format when it is opened, one format after the other.
//!
//! Invariants:
//!
//! - Before the first row changes, the store gets a format that no version accepts and a record of the step.
//!   One batch at the end sets the new format. No version opens a half-converted store.
//! - A step converts a record and its index rows in one batch. The rows show which part is not converted yet,
//!   so an interrupted step continues.
//! - A released step never changes. It uses the layouts of its two formats and not the current rules.
//! - A store of a later format is refused without a write.

mod conversion;
mod from_1;
mod from_2;
mod from_3;
mod from_4;
mod from_5;
#[cfg(test)]
mod tests;

use std::pin::Pin;

use store::records::{MetaRecord, STORE_FORMAT, STORE_FORMAT_IN_UPGRADE};
use store::{Batch, Record, Store, StoreError, keys};

use self::conversion::Conversion;

/// Whether a store of an earlier format may be converted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Upgrades {
    Allowed,
    Refused,
}

type Converted<'a> = Pin<Box<dyn Future<Output = Result<(), StoreError>> + Send + 'a>>;

struct Step {
    /// The old format. The new format has the next number.
    from: u16,
    convert: for<'a> fn(&'a mut Conversion<'_>) -> Converted<'a>,
}

const STEPS: &[Step] = &[
    Step { from: 1, convert: |conversion| Box::pin(from_1::convert(conversion)) },
    Step { from: 2, convert: |conversion| Box::pin(from_2::convert(conversion)) },
    Step { from: 3, convert: |conversion| Box::pin(from_3::convert(conversion)) },
    Step { from: 4, convert: |conversion| Box::pin(from_4::convert(conversion)) },
    Step { from: 5, convert: |conversion| Box::pin(from_5::convert(conversion)) },
];

/// Refuses a store whose format is not the current format.
pub(crate) fn check(meta: &MetaRecord) -> Result<(), StoreError> {
    match meta.format {
        STORE_FORMAT => Ok(()),
        found if STEPS.iter().any(|step| step.from == found) || found == STORE_FORMAT_IN_UPGRADE => {
            Err(StoreError::NotUpgraded { found, known: STORE_FORMAT })
        }
        found => Err(StoreError::Format { found, known: STORE_FORMAT }),
    }
}

/// Converts a store of an earlier format to the current one. An empty store does not change.
///
/// # Errors
/// Returns an error if the store has a later format, may not be converted, or fails.
pub async fn upgrade(store: &Store, upgrades: Upgrades) -> Result<(), StoreError> {
    let Some(meta) = store.get::<MetaRecord>(&keys::meta())? else { return Ok(()) };
    let found = match meta.format {
        STORE_FORMAT => return store.keep_format(),
        STORE_FORMAT_IN_UPGRADE => under_way(store)?,
        found => found,
    };
    let Some(first) = STEPS.iter().position(|step| step.from == found) else {
        return Err(StoreError::Format { found, known: STORE_FORMAT });
    };
    if upgrades == Upgrades::Refused {
        return Err(StoreError::UpgradeRefused { found, known: STORE_FORMAT });
    }
    // A business that is set aside would be left out and keep rows of the earlier format.
    if let Some((business, _)) = store.businesses_set_aside().first() {
        return Err(StoreError::BusinessSetAside { business: *business });
    }
    store.keep_format()?;
    let mut conversion = Conversion::of(store);
    for step in &STEPS[first..] {
        take(&mut conversion, step, &meta).await?;
    }
    let mut batch = Batch::default();
    batch.put(keys::meta(), MetaRecord { format: STORE_FORMAT, ..meta }.encode());
    batch.delete(keys::upgrade());
    conversion.write(batch).await?;
    conversion.wait_durable().await?;
    tracing::info!(store.format = STORE_FORMAT, "the store is upgraded");
    Ok(())
}

/// Carries out one step and waits until it is durable.
async fn take(conversion: &mut Conversion<'_>, step: &Step, meta: &MetaRecord) -> Result<(), StoreError> {
    conversion.begin(step.from + 1);
    tracing::info!(store.format = step.from, upgrade.to = step.from + 1, "the store is being upgraded");
    let mut batch = Batch::default();
    batch.put(keys::meta(), MetaRecord { format: STORE_FORMAT_IN_UPGRADE, ..meta.clone() }.encode());
    batch.put(keys::upgrade(), step.from.to_be_bytes().to_vec());
    conversion.write(batch).await?;
    conversion.wait_durable().await?; // durable before any row changes
    (step.convert)(conversion).await?;
    conversion.wait_durable().await
}

/// The old format of the interrupted step.
fn under_way(store: &Store) -> Result<u16, StoreError> {
    let row = store.get_raw(&keys::upgrade())?;
    match row.as_deref().map(<[u8; 2]>::try_from) {
        Some(Ok(format)) => Ok(u16::from_be_bytes(format)),
        _ => Err(StoreError::damaged("upgrade", "it does not say which step is under way")),
    }
}
