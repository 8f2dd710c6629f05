//! Checks from the store alone whether a business without a running actor has background work. The round
//! through all businesses starts an actor only for such a business.
//!
//! Invariants:
//! - A check reads a bounded number of rows: five when there is no work.
//! - A check finds every row that a started actor would delete or write. Otherwise the row would stay until
//!   the next request.

use chrono::TimeDelta;
use domain::{Alert, AuditId, BusinessId, Delivery, EventId, Mail, ResourceId, Timestamp, WebhookId};
use store::keys::kind;
use store::{KeyRange, Order, Rows, Store, StoreError, keys};
use uuid::Uuid;

use super::age_marks::{AgeMarks, noted_until};
use super::expired_logs::{NEEDED_BEHIND_LOG, is_within};
use super::retention;
use crate::clock::Clocks;
use crate::delivery::LOG_DAYS;
use crate::mail::LOG_DAYS as MAIL_LOG_DAYS;

/// Upper bound of endpoints per check. It exceeds the number of endpoints of a business, because rows of
/// deleted endpoints may still exist.
const ENDPOINTS_MAX: usize = 32;
const PEOPLE_LOOKED_AT_MAX: usize = 32;

/// Each line checks one kind of expired rows.
pub(crate) fn has_work(store: &Store, clocks: &Clocks, of: BusinessId) -> Result<bool, StoreError> {
    Ok(keys_are_expired(store, clocks, of)?
        || log_is_expired(store, clocks, of)?
        || mails_or_alerts_are_expired(store, clocks, of)?
        || records_are_expired(store, clocks, of)?)
}

fn records_are_expired(store: &Store, clocks: &Clocks, of: BusinessId) -> Result<bool, StoreError> {
    if !store.contains(&keys::retention(of))? {
        return Ok(false);
    }
    let newest = newest_id(store, of)?;
    let steady = clocks.steady();
    Ok(AgeMarks::load(store, of, newest)?.is_due(steady)
        || retention::is_due(store, of, newest, (clocks.now(), steady))?)
}

fn newest_id(store: &Store, of: BusinessId) -> Result<Option<AuditId>, StoreError> {
    let newest = store.rows().scan(&keys::of_kind(of, kind::AUDIT), Order::Descending).next().transpose()?;
    newest.map(|(key, _)| keys::id_at_end(&key)).transpose()
}

/// Whether idempotency keys exist under past or future days that no lookup reads.
fn keys_are_expired(store: &Store, clocks: &Clocks, of: BusinessId) -> Result<bool, StoreError> {
    let today = clocks.steady().day();
    let behind = keys::idempotency_before(of, today.saturating_sub(1));
    let ahead = keys::idempotency_from(of, today.saturating_add(2));
    Ok(first(store, &behind)?.is_some() || first(store, &ahead)?.is_some())
}

fn log_is_expired(store: &Store, clocks: &Clocks, of: BusinessId) -> Result<bool, StoreError> {
    let [events, deliveries] = [kind::EVENT, kind::DELIVERY].map(|kind| keys::of_kind(of, kind));
    let event = first(store, &events)?;
    if event.is_none() && first(store, &deliveries)?.is_none() {
        return Ok(false);
    }
    let (steady, now) = (clocks.steady(), clocks.now());
    if AgeMarks::load(store, of, newest_id(store, of)?)?.is_due(steady) {
        return Ok(true);
    }
    let is_old = |event: EventId, kept: TimeDelta| -> Result<bool, StoreError> {
        let until = noted_until(store, of, steady - kept)?;
        let is_noted = until.is_some_and(|(_, until)| event.uuid() <= until.uuid());
        Ok(is_noted && !is_within(event.minted_at(), now, kept))
    };
    if let Some(event) = event
        && is_old(keys::id_at_end(&event)?, LOG_DAYS + NEEDED_BEHIND_LOG)?
    {
        return Ok(true);
    }
    let mut left = deliveries;
    for _ in 0..ENDPOINTS_MAX {
        let Some((key, delivery)) = store.records::<Delivery>(&left, Order::Ascending).next().transpose()?
        else {
            return Ok(false);
        };
        if is_old(delivery.event_id, LOG_DAYS)? {
            return Ok(true);
        }
        // Continue with the first delivery of the next endpoint.
        let endpoint: WebhookId = keys::id_at_end(&key[..key.len().saturating_sub(16)])?;
        left = left.starting_at(keys::deliveries(of, endpoint).to);
    }
    Ok(true)
}

fn mails_or_alerts_are_expired(store: &Store, clocks: &Clocks, of: BusinessId) -> Result<bool, StoreError> {
    if first(store, &keys::mails_and_alerts(of))?.is_none() {
        return Ok(false);
    }
    let (steady, now) = (clocks.steady(), clocks.now());
    if AgeMarks::load(store, of, newest_id(store, of)?)?.is_due(steady) {
        return Ok(true);
    }
    let until = noted_until(store, of, steady - MAIL_LOG_DAYS)?;
    let is_old = |id: Uuid, at: Timestamp| {
        until.is_some_and(|(_, until)| id <= until.uuid()) && !is_within(at, now, MAIL_LOG_DAYS)
    };
    let mail = store.records::<Mail>(&keys::mails(of), Order::Ascending).next().transpose()?;
    if mail.is_some_and(|(_, mail)| is_old(mail.id.uuid(), mail.created_at)) {
        return Ok(true);
    }
    let mut left = keys::of_kind(of, kind::ALERT);
    for _ in 0..PEOPLE_LOOKED_AT_MAX {
        let Some((key, alert)) = store.records::<Alert>(&left, Order::Ascending).next().transpose()? else {
            return Ok(false);
        };
        if is_old(alert.id.uuid(), alert.about.at) {
            return Ok(true);
        }
        // Continue with the first alert of the next person.
        let (person, _) = keys::alert_at(&key)?;
        left = left.after(keys::alert(of, person, u64::MAX));
    }
    Ok(true)
}

fn first(store: &Store, range: &KeyRange) -> Result<Option<Vec<u8>>, StoreError> {
    // The raw row: the check needs no pieces of the value.
    let row = Rows::scan(store.rows(), range, Order::Ascending).next().transpose()?;
    Ok(row.map(|(key, _)| key))
}
