//! Checks in the store whether a business without a running actor has background work. The daily round starts
//! only the actors of businesses that have work.
//!
//! Invariants:
//! - A check reads a bounded number of rows, and only a few rows if the business has no logs.
//! - A check finds work whenever the actor would delete or write a row, because otherwise an expired row would
//!   be kept until the next request of the business. The only exception is manage links: a check reads only the links
//!   of the first appointments, so it may miss an expired link of a later appointment.

use chrono::TimeDelta;
use domain::{
    Alert, AppointmentId, AuditId, BusinessId, Delivery, EventId, Mail, ResourceId, SteadyTime, Timestamp,
    WebhookId,
};
use store::keys::kind;
use store::{KeyRange, Order, Rows, Store, StoreError, keys};
use uuid::Uuid;

use super::age_marks::{AgeMarks, noted_until};
use super::chats;
use super::expired_logs::{NEEDED_AFTER_LOG, is_within, links_ended_by};
use super::retention;
use crate::business::LINK_KEPT;
use crate::clock::Clocks;
use crate::delivery::LOG_DAYS;
use crate::mail::{LOG_DAYS as MAIL_LOG_DAYS, appointment};

/// The maximum number of endpoints per check, including deleted endpoints that still have rows.
const ENDPOINTS_MAX: usize = 32;
const PEOPLE_LOOKED_AT_MAX: usize = 32;
/// One check looks at the manage links of at most this many appointments, beginning with the appointments that were
/// booked first.
const LINKED_LOOKED_AT_MAX: usize = 32;

pub(crate) fn has_work(store: &Store, clocks: &Clocks, of: BusinessId) -> Result<bool, StoreError> {
    let (steady, now) = (clocks.steady(), clocks.now());
    // Idempotency keys are stored by day. No lookup reads the keys of the days before yesterday, so the actor must
    // delete them. The keys of the days after tomorrow were stored while a clock was wrong. The actor must move them to
    // today.
    let past = keys::idempotency_before(of, steady.day().saturating_sub(1));
    let ahead = keys::idempotency_from(of, steady.day().saturating_add(2));
    if first(store, &past)?.is_some() || first(store, &ahead)?.is_some() {
        return Ok(true);
    }
    // If this row exists, an import of contacts was interrupted. When the actor starts, it deletes the contacts of the
    // import.
    if store.contains(&keys::contact_import(of))? {
        return Ok(true);
    }
    if chats::is_due(store, of, clocks)? {
        return Ok(true);
    }
    let [events, deliveries] = [kind::EVENT, kind::DELIVERY].map(|kind| keys::of_kind(of, kind));
    let (event, delivery) = (first(store, &events)?, first(store, &deliveries)?);
    let of_people = first(store, &keys::mails_and_alerts(of))?;
    let has_links = first(store, &keys::of_kind(of, kind::LINKS))?.is_some();
    let has_retention = store.contains(&keys::retention(of))?;
    let has_chats = chats::has_rows(store, of)?;
    let has_log = event.is_some() || delivery.is_some() || of_people.is_some() || has_links || has_chats;
    if !has_log && !has_retention {
        return Ok(false);
    }
    let newest = store.rows().scan(&keys::of_kind(of, kind::AUDIT), Order::Descending).next().transpose()?;
    let newest = newest.map(|(key, _)| keys::id_at_end::<AuditId>(&key)).transpose()?;
    if AgeMarks::load(store, of, newest)?.is_due(steady)
        || has_retention && retention::is_due(store, of, newest, (now, steady))?
    {
        return Ok(true);
    }
    if has_links && has_ended_link(store, of, (now, steady))? {
        return Ok(true);
    }
    let is_old = |id: Uuid, at: Timestamp, kept: TimeDelta| -> Result<bool, StoreError> {
        let until = noted_until(store, of, steady - kept)?;
        Ok(until.is_some_and(|(_, until)| id <= until.uuid()) && !is_within(at, now, kept))
    };
    if let Some(event) = event {
        let event: EventId = keys::id_at_end(&event)?;
        if is_old(event.uuid(), event.minted_at(), LOG_DAYS + NEEDED_AFTER_LOG)? {
            return Ok(true);
        }
    }
    let mail = store.records::<Mail>(&keys::mails(of), Order::Ascending).next().transpose()?;
    if let Some((_, mail)) = mail
        && is_old(mail.id.uuid(), mail.created_at, MAIL_LOG_DAYS)?
    {
        return Ok(true);
    }
    let (mut left, mut endpoints) = (deliveries, 0);
    while let Some((key, delivery)) = store.records::<Delivery>(&left, Order::Ascending).next().transpose()? {
        endpoints += 1;
        let event = delivery.event_id;
        if endpoints > ENDPOINTS_MAX || is_old(event.uuid(), event.minted_at(), LOG_DAYS)? {
            return Ok(true);
        }
        // The endpoint's oldest delivery has not expired, so the check skips its newer deliveries.
        let endpoint: WebhookId = keys::id_at_end(&key[..key.len().saturating_sub(16)])?;
        left = left.starting_at(keys::deliveries(of, endpoint).to);
    }
    let (mut left, mut people) = (keys::of_kind(of, kind::ALERT), 0);
    while let Some((key, alert)) = store.records::<Alert>(&left, Order::Ascending).next().transpose()? {
        people += 1;
        if people > PEOPLE_LOOKED_AT_MAX || is_old(alert.id.uuid(), alert.about.at, MAIL_LOG_DAYS)? {
            return Ok(true);
        }
        // The check continues with the first alert of the next person.
        let (person, _) = keys::alert_at(&key)?;
        left = left.after(keys::alert(of, person, u64::MAX));
    }
    Ok(false)
}

fn has_ended_link(
    store: &Store,
    of: BusinessId,
    (now, steady): (Timestamp, SteadyTime),
) -> Result<bool, StoreError> {
    let Some((_, noted)) = noted_until(store, of, steady - LINK_KEPT)? else { return Ok(false) };
    let ended_by = links_ended_by(noted, now);
    let links = keys::of_kind(of, kind::LINKS);
    let ids = store.walk(&links, Order::Ascending, |key, _| keys::id_at_end::<AppointmentId>(key));
    for row in ids.take(LINKED_LOOKED_AT_MAX) {
        let (_, id) = row?;
        if id.minted_at() > ended_by {
            return Ok(false);
        }
        if appointment(store, of, id)?.is_none_or(|appointment| appointment.ends_at <= ended_by) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The key of the first row of a range. If the row has a long value, the other pieces of the value are not read.
fn first(store: &Store, range: &KeyRange) -> Result<Option<Vec<u8>>, StoreError> {
    let row = Rows::scan(store.rows(), range, Order::Ascending).next().transpose()?;
    Ok(row.map(|(key, _)| key))
}
