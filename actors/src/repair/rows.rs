//! Which stamps each record bears, and under which index rows.

use chrono::TimeDelta;

use crate::delivery::delay_before;
use crate::domain::{
    ApiKey, Appointment, BlockedTime, Business, BusinessId, CallRecord, Contact, Delivery, Knowledge,
    Membership, Retention, Service, SpecialDay, StaffMember, TakenMessage, Timestamp, WebhookEndpoint,
    WebhookId,
};
use crate::store::kept::{IndexRow, Kept};
use crate::store::keys::kind;
use crate::store::records::AuditRecord;
use crate::store::{Batch, Key, Record, Store, StoreError, keys};

/// How far behind what the schedule gives an attempt may be due; schedules run on a clock of their own.
const DUE_AHEAD_MAX: TimeDelta = TimeDelta::minutes(1);

/// A record with stamps.
trait Stamped: Record + Clone + PartialEq {
    /// What the report calls such records.
    const NAME: &'static str;

    /// Its stamps: all instants but those that a client gave.
    fn stamps(&mut self) -> Vec<&mut Timestamp>;

    /// The rows by which it is found, whose keys hold stamps.
    fn rows(&self, _: BusinessId) -> Vec<IndexRow> {
        Vec::new()
    }
}

/// Which fields of each record are stamps, those that it may lack apart, and whether stamps stand in its index rows, too.
macro_rules! stamped {
    ($($type:ty, $name:literal: [$($($stamp:ident).+),*] $([$($maybe:ident),*])? $(=> $rows:ident)?;)*) => {$(
        impl Stamped for $type {
            const NAME: &'static str = $name;

            fn stamps(&mut self) -> Vec<&mut Timestamp> {
                [$(Some(&mut self.$($stamp).+),)* $($(self.$maybe.as_mut(),)*)?].into_iter().flatten().collect()
            }

            $(fn rows(&self, of: BusinessId) -> Vec<IndexRow> {
                Kept::$rows(self, of)
            })?
        }
    )*};
}

stamped! {
    Business, "profiles": [created_at, updated_at];
    Service, "services": [created_at, updated_at];
    StaffMember, "staff members": [created_at, updated_at];
    WebhookEndpoint, "webhook endpoints": [created_at, updated_at] [disabled_at];
    ApiKey, "API keys": [created_at] [revoked_at];
    Knowledge, "pieces of knowledge": [created_at, updated_at];
    SpecialDay, "special days": [created_at, updated_at];
    BlockedTime, "times off": [created_at];
    Membership, "memberships": [created_at, updated_at];
    AuditRecord, "audit entries": [entry.at];
    Delivery, "deliveries": [created_at] [last_attempt_at];
    Appointment, "appointments": [created_at, updated_at] => index;
    Contact, "contacts": [created_at, updated_at] => index;
    CallRecord, "calls": [created_at, updated_at] => index;
    TakenMessage, "messages": [created_at, updated_at] => index;
}

impl Stamped for Retention {
    const NAME: &'static str = "retention settings";

    fn stamps(&mut self) -> Vec<&mut Timestamp> {
        self.set.as_mut().map(|set| &mut set.at).into_iter().collect()
    }
}

/// A record that moved, and what is to be written.
pub(super) struct Moved {
    pub(super) batch: Batch,
    pub(super) name: &'static str,
}

/// Hands each stamp of a row's record to `stamp`; if one was changed, gives what is to be written. Rows that bear no
/// stamp but in the keys of an index belong to their records.
pub(super) fn each_of(
    store: &Store,
    of: BusinessId,
    key: &Key,
    value: &[u8],
    present: Timestamp,
    stamp: &mut dyn FnMut(&mut Timestamp),
) -> Result<Option<Moved>, StoreError> {
    match keys::kind_of(key)? {
        kind::PROFILE => each::<Business>(of, key, value, stamp),
        kind::RETENTION => each::<Retention>(of, key, value, stamp),
        kind::SERVICE => each::<Service>(of, key, value, stamp),
        kind::STAFF => each::<StaffMember>(of, key, value, stamp),
        kind::SPECIAL_DAY => each::<SpecialDay>(of, key, value, stamp),
        kind::BLOCKED_TIME => each::<BlockedTime>(of, key, value, stamp),
        kind::MEMBERSHIP => each::<Membership>(of, key, value, stamp),
        kind::WEBHOOK => each::<WebhookEndpoint>(of, key, value, stamp),
        kind::KEY => {
            let key = keys::api_key(keys::prefix_from_value(value)?);
            store.get_raw(&key)?.map_or(Ok(None), |value| each::<ApiKey>(of, &key, &value, stamp))
        }
        kind::APPOINTMENT => each::<Appointment>(of, key, value, stamp),
        kind::CONTACT => each::<Contact>(of, key, value, stamp),
        kind::CALL => each::<CallRecord>(of, key, value, stamp),
        kind::MESSAGE => each::<TakenMessage>(of, key, value, stamp),
        kind::KNOWLEDGE => each::<Knowledge>(of, key, value, stamp),
        kind::AUDIT => each::<AuditRecord>(of, key, value, stamp),
        kind::DELIVERY => delivery(store, of, key, value, present, stamp),
        _ => Ok(None),
    }
}

fn each<R: Stamped>(
    of: BusinessId,
    key: &Key,
    value: &[u8],
    stamp: &mut dyn FnMut(&mut Timestamp),
) -> Result<Option<Moved>, StoreError> {
    let before = R::decode(value)?;
    let mut after = before.clone();
    after.stamps().into_iter().for_each(stamp);
    if after == before {
        return Ok(None);
    }
    let mut batch = Batch::default();
    before.rows(of).into_iter().for_each(|row| batch.delete(row.key));
    batch.delete_whole(*key, value.len());
    batch.put(*key, after.encode());
    after.rows(of).into_iter().for_each(|row| batch.put(row.key, row.value));
    Ok(Some(Moved { batch, name: R::NAME }))
}

/// A delivery. When it is due next is no stamp: it moves only where it lies further ahead than its schedule sets it.
fn delivery(
    store: &Store,
    of: BusinessId,
    key: &Key,
    value: &[u8],
    present: Timestamp,
    stamp: &mut dyn FnMut(&mut Timestamp),
) -> Result<Option<Moved>, StoreError> {
    let moved = each::<Delivery>(of, key, value, stamp)?;
    let Some(Moved { mut batch, name }) = moved else { return Ok(None) };
    let mut after = Delivery::decode(value)?;
    after.stamps().into_iter().for_each(stamp);
    let latest = present + delay_before(after.attempts);
    if let Some(due) = after.next_attempt_at.filter(|due| *due > latest + DUE_AHEAD_MAX) {
        let endpoint: WebhookId = keys::id_at_end(&key[..key.len() - 16])?;
        let row = |at| keys::delivery_due(of, endpoint, at, after.event_id);
        // What was missed may have lost its row already.
        if store.contains(&row(due))? {
            batch.delete(row(due));
            batch.put(row(latest), Vec::new());
        }
        after.next_attempt_at = Some(latest);
        batch.put(*key, after.encode());
    }
    Ok(Some(Moved { batch, name }))
}
