//! Converting a store of an earlier format when it is opened, one format after the other.
//!
//! It works on a store that no engine runs on. What always holds:
//!
//! - before the first row is converted the store bears a format that no version knows, and which step is under way, so
//!   that no version takes what is half converted for whole; what it says of itself changes in one batch at the end;
//! - a step converts each record and its index rows in one batch, and finds by the rows themselves what is left to do: it
//!   can be killed at any moment and is begun again where it stopped;
//! - a step never changes once it is released: it goes by the layouts of its two formats, not by the present rules;
//! - a store of a later format is refused, and nothing of it is written.

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
    /// It is.
    Allowed,
    /// It is refused.
    Refused,
}

type Converted<'a> = Pin<Box<dyn Future<Output = Result<(), StoreError>> + Send + 'a>>;

/// The conversion from one format to the next.
struct Step {
    /// The format before; the one behind is its successor.
    from: u16,
    convert: for<'a> fn(&'a mut Conversion<'_>) -> Converted<'a>,
}

/// All of them, in their order.
const STEPS: &[Step] = &[
    Step { from: 1, convert: |conversion| Box::pin(from_1::convert(conversion)) },
    Step { from: 2, convert: |conversion| Box::pin(from_2::convert(conversion)) },
    Step { from: 3, convert: |conversion| Box::pin(from_3::convert(conversion)) },
    Step { from: 4, convert: |conversion| Box::pin(from_4::convert(conversion)) },
    Step { from: 5, convert: |conversion| Box::pin(from_5::convert(conversion)) },
];

/// Refuses a store that has not the present format.
pub(crate) fn check(meta: &MetaRecord) -> Result<(), StoreError> {
    match meta.format {
        STORE_FORMAT => Ok(()),
        found if STEPS.iter().any(|step| step.from == found) || found == STORE_FORMAT_IN_UPGRADE => {
            Err(StoreError::NotUpgraded { found, known: STORE_FORMAT })
        }
        found => Err(StoreError::Format { found, known: STORE_FORMAT }),
    }
}

/// Makes the store one of the present format, if it is of an earlier one; one that is empty is left so.
///
/// # Errors
/// When it has a later format, when it may not be converted, or when it fails.
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
    // Lifted later, a business that was left out would have rows of the earlier format.
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
    conversion.settle().await?;
    tracing::info!(store.format = STORE_FORMAT, "the store is upgraded");
    Ok(())
}

/// Takes one step, and has it on the disk.
async fn take(conversion: &mut Conversion<'_>, step: &Step, meta: &MetaRecord) -> Result<(), StoreError> {
    conversion.begin(step.from + 1);
    tracing::info!(store.format = step.from, upgrade.to = step.from + 1, "the store is being upgraded");
    let mut batch = Batch::default();
    batch.put(keys::meta(), MetaRecord { format: STORE_FORMAT_IN_UPGRADE, ..meta.clone() }.encode());
    batch.put(keys::upgrade(), step.from.to_be_bytes().to_vec());
    conversion.write(batch).await?;
    conversion.settle().await?; // before any row is
    (step.convert)(conversion).await?;
    conversion.settle().await
}

/// The format that the step converts from which was cut short.
fn under_way(store: &Store) -> Result<u16, StoreError> {
    let row = store.get_raw(&keys::upgrade())?;
    match row.as_deref().map(<[u8; 2]>::try_from) {
        Some(Ok(format)) => Ok(u16::from_be_bytes(format)),
        _ => Err(StoreError::damaged("upgrade", "it does not say which step is under way")),
    }
}
