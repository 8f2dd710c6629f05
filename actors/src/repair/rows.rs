//! Which stamps each record bears, and under which index rows.

use chrono::TimeDelta;

use crate::business::has_change_row;
use crate::delivery::delay_before;
use crate::domain::{
    ApiKey, Appointment, BlockedTime, Business, BusinessId, CallRecord, Contact, Delivery, Knowledge,
    Membership, Retention, Service, SpecialDay, StaffMember, TakenMessage, Timestamp, WebhookEndpoint,
    WebhookId,
};
use crate::store::keys::{MessagesOf, kind};
use crate::store::records::{AuditRecord, status_number};
use crate::store::{Batch, Key, Record, Store, StoreError, keys};

/// How far behind what the schedule gives an attempt may be due; schedules run on a clock of their own.
const DUE_AHEAD_MAX: TimeDelta = TimeDelta::minutes(1);

/// A record with stamps.
trait Stamped: Record + Clone + PartialEq {
    /// What the report calls such records.
    const NAME: &'static str;

    /// Its stamps: all instants but those that a client gave.
    fn stamps(&mut self) -> Vec<&mut Timestamp>;

    /// The index rows whose keys hold one of them.
    fn rows(&self, _: BusinessId) -> IndexRows {
        Vec::new()
    }
}

/// The index rows whose keys hold a stamp of the record.
type IndexRows = Vec<(Key, Vec<u8>)>;

/// Which fields of each record are stamps, those that it may lack apart, and what makes its index rows.
macro_rules! stamped {
    ($($type:ty, $name:literal: [$($($stamp:ident).+),*] $([$($maybe:ident),*])? $(=> $rows:path)?;)*) => {$(
        impl Stamped for $type {
            const NAME: &'static str = $name;

            fn stamps(&mut self) -> Vec<&mut Timestamp> {
                [$(Some(&mut self.$($stamp).+),)* $($(self.$maybe.as_mut(),)*)?].into_iter().flatten().collect()
            }

            $(fn rows(&self, of: BusinessId) -> IndexRows {
                $rows(self, of)
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
    Appointment, "appointments": [created_at, updated_at] => of_appointment;
    Contact, "contacts": [created_at, updated_at] => of_contact;
    CallRecord, "calls": [created_at, updated_at] => of_call;
    TakenMessage, "messages": [created_at, updated_at] => of_message;
}

impl Stamped for Retention {
    const NAME: &'static str = "retention settings";

    fn stamps(&mut self) -> Vec<&mut Timestamp> {
        self.set.as_mut().map(|set| &mut set.at).into_iter().collect()
    }
}

fn of_appointment(appointment: &Appointment, of: BusinessId) -> IndexRows {
    let Appointment { id, starts_at, updated_at, .. } = *appointment;
    let row = || (keys::appointment_by_update(of, updated_at, id), keys::millis_value(starts_at));
    has_change_row(appointment).then(row).into_iter().collect()
}

fn of_contact(contact: &Contact, of: BusinessId) -> IndexRows {
    vec![(keys::contact_by_update(of, contact.updated_at, contact.id), Vec::new())]
}

fn of_call(call: &CallRecord, of: BusinessId) -> IndexRows {
    vec![(keys::call_by_update(of, call.updated_at, call.id), Vec::new())]
}

fn of_message(message: &TakenMessage, of: BusinessId) -> IndexRows {
    let lists = [
        Some(MessagesOf::Business),
        Some(MessagesOf::Status(status_number(message.status))),
        message.contact_id.map(MessagesOf::Contact),
        message.call_id.map(MessagesOf::Call),
    ];
    let listed = lists.into_iter().flatten();
    let listed = listed.map(|list| keys::message_in(of, list, message.created_at, message.id));
    let all = listed.chain([keys::message_by_update(of, message.updated_at, message.id)]);
    all.map(|key| (key, Vec::new())).collect()
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
    before.rows(of).into_iter().for_each(|(row, _)| batch.delete(row));
    batch.delete_whole(*key, value.len());
    batch.put(*key, after.encode());
    after.rows(of).into_iter().for_each(|(row, value)| batch.put(row, value));
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
