//! Corrects the stamps in a record and in its index rows. The store's table of records ([`store::kept`]) names
//! the stamps of each kind.

use chrono::TimeDelta;
use domain::{ApiKey, BusinessId, Delivery, Timestamp, WebhookId};
use store::kept::{self, OnStamp, Stamped};
use store::keys::kind;
use store::{Batch, Key, Record, Store, StoreError, keys};

use crate::delivery::delay_before;

/// The tolerance for due times. The retry schedule determines the latest possible due time. If a due time is later than
/// this latest time plus the tolerance, a wrong clock has set the due time.
const DUE_AHEAD_MAX: TimeDelta = TimeDelta::minutes(1);

pub(super) struct Moved {
    pub(super) batch: Batch,
    pub(super) name: &'static str,
}

/// Calls the function `stamp` with each stamp of a row. If the function has changed a stamp, returns the rows to write,
/// including index rows.
pub(super) fn each_of(
    store: &Store,
    of: BusinessId,
    key: &Key,
    value: &[u8],
    present: Timestamp,
    stamp: OnStamp<'_>,
) -> Result<Option<Moved>, StoreError> {
    match keys::kind_of(key)? {
        kind::KEY => {
            let key = keys::api_key(keys::prefix_from_value(value)?);
            let Some(value) = store.get_raw(&key)? else { return Ok(None) };
            Ok(in_place::<ApiKey>(&key, &value, stamp)?.map(|(moved, _)| moved))
        }
        kind::DELIVERY => {
            let moved = in_place::<Delivery>(key, value, stamp)?;
            let Some((Moved { mut batch, name }, mut after)) = moved else { return Ok(None) };
            // The due time is not one of the timestamps that `stamp` corrects. It is corrected here if it is later than
            // the retry schedule allows.
            let latest = present + delay_before(after.attempts);
            if let Some(due) = after.next_attempt_at.filter(|due| *due > latest + DUE_AHEAD_MAX) {
                let endpoint: WebhookId = keys::id_at_end(&key[..key.len() - 16])?;
                let row = |at| keys::delivery_due(of, endpoint, at, after.event_id);
                // The due index may lack the row of a delivery whose endpoint was disabled.
                if store.contains(&row(due))? {
                    batch.delete(row(due));
                    batch.put(row(latest), Vec::new());
                }
                after.next_attempt_at = Some(latest);
                batch.put(*key, after.encode());
            }
            Ok(Some(Moved { batch, name }))
        }
        other => {
            let Some(kind) = kept::kind(other) else { return Ok(None) };
            let batch = (kind.restamp)(of, value, stamp)?;
            Ok(batch.map(|batch| Moved { batch, name: kind.name }))
        }
    }
}

fn in_place<R: Stamped>(
    key: &Key,
    value: &[u8],
    stamp: OnStamp<'_>,
) -> Result<Option<(Moved, R)>, StoreError> {
    let Some((_, after)) = kept::restamped::<R>(value, stamp)? else { return Ok(None) };
    let mut batch = Batch::default();
    batch.put_over(*key, after.encode(), value.len());
    Ok(Some((Moved { batch, name: R::NAME }, after)))
}
