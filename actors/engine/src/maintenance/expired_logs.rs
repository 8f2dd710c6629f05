//! Deletes expired events, deliveries, mails, alerts, idempotency keys and manage links in bounded steps.
//!
//! Invariants:
//! - An event, delivery, mail or alert is deleted only if it is expired by two clocks. By the believed wall clock, its
//!   stamp must be old enough. By steady time, the record must already have existed when an age mark
//!   ([`AgeMarks`](super::age_marks::AgeMarks)) was written, and this age mark must be old enough. If the stamp is in
//!   the future, only steady time counts.
//! - A round reads each log in the order of its keys, up to the first row that is too new to be deleted. Older rows
//!   that must be kept, for example waiting deliveries, do not end the round.

use chrono::TimeDelta;
use domain::{
    Alert, AppointmentId, AuditId, Delivery, DeliveryStatus, EventId, GAP_KEPT, Mail, MailStatus, PersonId,
    ResourceId, Timestamp,
};
use store::keys::kind;
use store::records::{IdempotencyRecord, LinksRecord};
use store::{Batch, Done, Key, KeyRange, Order, Record, Store, StoreError, Weight, keys};
use uuid::Uuid;

use super::age_marks::{Age, noted_until};
use super::chats;
use crate::business::{LINK_KEPT, State};
use crate::delivery::LOG_DAYS;
use crate::mail::{LOG_DAYS as MAIL_LOG_DAYS, mail_rows};

const ROWS_MAX: usize = 256;
/// The maximum number of bytes that a step writes. This limit is needed because rewritten and deleted rows can be long.
const BYTES_MAX: usize = 256 << 10;
/// An event is kept for this time after its deliveries expire. A delivery can be resent until it expires, and the
/// retries after the resend need the event.
pub(super) const NEEDED_AFTER_LOG: TimeDelta = TimeDelta::days(2);

struct Step<'a> {
    store: &'a Store,
    batch: &'a mut Batch,
    rows: usize,
    at: Option<Key>,
}

impl Step<'_> {
    /// Deletes the expired rows of a range, up to the first row that is too new to be deleted. One row counts as `cost`
    /// rows toward [`ROWS_MAX`], because `look` may read other rows. Returns true if no row is left to check.
    fn over(
        &mut self,
        range: KeyRange,
        cost: usize,
        mut look: impl FnMut(&[u8], &[u8]) -> Result<Age, StoreError>,
    ) -> Result<bool, StoreError> {
        let range = self.at.map_or(range, |at| range.after(at));
        for row in self.store.scan(&range, Order::Ascending) {
            if self.rows >= ROWS_MAX || self.batch.bytes() >= BYTES_MAX {
                return Ok(false);
            }
            let (key, value) = row?;
            self.rows += cost;
            match self.store.usable(&key, look(&key, &value))? {
                Some(Age::IsExpired) => {
                    self.batch.delete_whole(Key::new(&key), value.len());
                    self.delete_others(&key, &value)?;
                }
                // An undecodable row may still be needed, so it is kept.
                Some(Age::Stays) | None => {}
                Some(Age::IsNewer) => return Ok(true),
            }
            self.at = Some(Key::new(&key));
        }
        Ok(true)
    }

    /// If the deleted row is a mail, deletes the index rows of the mail. If it is a list of manage links, deletes these
    /// links.
    fn delete_others(&mut self, key: &[u8], value: &[u8]) -> Result<(), StoreError> {
        match keys::kind_of(key)? {
            kind::MAIL => {
                if let Ok(mail) = Mail::decode(value)
                    && let Some(of) = mail.business_id
                {
                    mail_rows(of, &mail).for_each(|(_, row)| self.batch.delete(row));
                }
            }
            kind::LINKS => {
                let (of, links) = (keys::business_of(key)?, LinksRecord::decode(value)?);
                links.hashes.iter().for_each(|hash| self.batch.delete(keys::link(of, hash)));
            }
            _ => {}
        }
        Ok(())
    }
}

#[derive(Default)]
pub(super) struct Stepped {
    pub(super) is_submitted: bool,
    pub(super) more: bool,
}

/// Makes the next step. If the step submits a batch, `done` is called when the batch is durable.
pub(super) fn step(state: &mut State, now: Timestamp, done: Done) -> Result<Stepped, StoreError> {
    // A deletion also needs space on the disk. On a nearly full disk the job waits for the next minute.
    if state.store.check_room(Weight::Keeps).is_err() {
        return Ok(Stepped::default());
    }
    let mut batch = Batch::default();
    if renew_keys_ahead(state, &mut batch)? {
        // The batch moves idempotency keys. It is not added to the overlay: a key in the overlay counts as not durable
        // yet, and a repeated request with this key would be refused.
        state.store.submit(state.id, batch, done);
        return Ok(Stepped { is_submitted: true, more: true });
    }
    let more_keys = expire_keys(state, &mut batch)?;
    let more_log = expire_log(state, now, &mut batch)?;
    let is_submitted = !batch.is_empty();
    if is_submitted {
        state.submit(batch, done);
    }
    Ok(Stepped { is_submitted, more: more_keys || more_log })
}

/// Deletes the idempotency keys of days before yesterday, which no lookup reads. Returns true if more of these keys may
/// be left.
fn expire_keys(state: &State, batch: &mut Batch) -> Result<bool, StoreError> {
    let today = state.clocks.steady().day();
    let expired = keys::idempotency_before(state.id, today.saturating_sub(1));
    for (rows, row) in state.store.scan(&expired, Order::Ascending).enumerate() {
        if rows >= ROWS_MAX || batch.bytes() >= BYTES_MAX {
            return Ok(true);
        }
        let (key, value) = row?;
        batch.delete_whole(Key::new(&key), value.len());
    }
    Ok(false)
}

/// Each idempotency key is stored under a day. If the day of a key is later than tomorrow, an earlier version stored
/// the key while the clock was wrong, and the age of the key is unknown. This function moves such keys to today, at
/// most [`ROWS_MAX`] in one step. They then expire as if they were written today. Returns true if keys were moved.
fn renew_keys_ahead(state: &State, batch: &mut Batch) -> Result<bool, StoreError> {
    let now = state.clocks.steady();
    let today = now.day();
    let ahead = keys::idempotency_from(state.id, today.saturating_add(2));
    let sound = state.store.scan(&ahead, Order::Ascending).filter_map(|row| {
        let sound = row.and_then(|(key, value)| {
            let read = keys::day_and_hash(&key)
                .and_then(|(_, hash)| Ok((hash, value.len(), IdempotencyRecord::decode(&value)?)));
            Ok(state.store.usable(&key, read)?.map(|read| (key, read)))
        });
        sound.transpose()
    });
    for row in sound.take(ROWS_MAX) {
        let (key, (hash, bytes, record)) = row?;
        batch.delete_whole(Key::new(&key), bytes);
        let as_of_now = keys::idempotency(state.id, today, &hash);
        if state.read_raw(&as_of_now)?.is_none() {
            let record = IdempotencyRecord { answered: now, ..record };
            batch.put(as_of_now, record.encode());
        }
        if batch.bytes() >= BYTES_MAX {
            break;
        }
    }
    Ok(!batch.is_empty())
}

/// Deletes expired rows, but no deliveries and mails that still wait. Returns true if the round has further steps.
fn expire_log(state: &mut State, now: Timestamp, batch: &mut Batch) -> Result<bool, StoreError> {
    let kinds = [kind::EVENT, kind::DELIVERY, kind::LINKS].map(|kind| keys::of_kind(state.id, kind));
    let mut has_log = chats::has_rows(&state.store, state.id)?;
    for range in kinds.into_iter().chain([keys::mails_and_alerts(state.id)]) {
        has_log = has_log || state.store.scan(&range, Order::Ascending).next().transpose()?.is_some();
    }
    let kept_longest = state.retention.longest();
    if !has_log && kept_longest.is_none() {
        return Ok(false);
    }
    let steady = state.clocks.steady();
    state.ages.note(state.id, steady, batch);
    if !has_log {
        return Ok(false);
    }
    let Some((_, shown_until)) = noted_until(&state.store, state.id, steady - LOG_DAYS)? else {
        return Ok(false);
    };
    if !state.round.is_under_way(steady) {
        return Ok(false);
    }
    let mut step = Step { store: &state.store, batch, rows: 0, at: state.round.at };
    let is_through = expire_links(state, &mut step, now, shown_until)?
        && expire_rows(state, &mut step, now, shown_until.uuid())?;
    state.round.at = step.at.filter(|_| !is_through);
    Ok(!is_through)
}

/// The manage links of an appointment expire when its end is at least [`LINK_KEPT`] ago, both by `now` and by steady
/// time. Returns the latest end for which both are certain. `noted` is the id of an audit entry that is at least
/// [`LINK_KEPT`] old by steady time. So every end before this entry is at least as old by steady time.
pub(super) fn links_ended_by(noted: AuditId, now: Timestamp) -> Timestamp {
    noted.minted_at().min(now - LINK_KEPT)
}

/// Deletes the manage links that have expired. Returns true if no link is left to check in this round.
fn expire_links(
    state: &State,
    step: &mut Step<'_>,
    now: Timestamp,
    noted: AuditId,
) -> Result<bool, StoreError> {
    let ended_by = links_ended_by(noted, now);
    step.over(keys::of_kind(state.id, kind::LINKS), 3, |key, _| {
        let id: AppointmentId = keys::id_at_end(key)?;
        if id.minted_at() > ended_by {
            return Ok(Age::IsNewer);
        }
        let is_kept = state.appointment(id)?.is_some_and(|appointment| appointment.ends_at > ended_by);
        Ok(if is_kept { Age::Stays } else { Age::IsExpired })
    })
}

/// Deletes the expired rows of each log in the order of their keys. Returns true if the round is complete.
fn expire_rows(
    state: &State,
    step: &mut Step<'_>,
    now: Timestamp,
    shown_until: Uuid,
) -> Result<bool, StoreError> {
    let (of, steady) = (state.id, state.clocks.steady());
    let needed = LOG_DAYS + NEEDED_AFTER_LOG;
    let needed_until = noted_until(&state.store, of, steady - needed)?;
    let events = step.over(keys::of_kind(of, kind::EVENT), 1 + state.webhooks.len(), |key, _| {
        let event: EventId = keys::id_at_end(key)?;
        let is_newer = needed_until.is_none_or(|(_, until)| event.uuid() > until.uuid());
        if is_newer || is_within(event.minted_at(), now, needed) {
            return Ok(Age::IsNewer);
        }
        Ok(if waits(state, event)? { Age::Stays } else { Age::IsExpired })
    })?;
    if !events {
        return Ok(false);
    }
    let age = |id: Uuid, at: Timestamp, kept: TimeDelta, waits: bool| match waits {
        _ if id > shown_until || is_within(at, now, kept) => Age::IsNewer,
        true => Age::Stays,
        false => Age::IsExpired,
    };
    for endpoint in state.webhooks.values() {
        let deliveries = step.over(keys::deliveries(of, endpoint.id), 1, |_, value| {
            let delivery = Delivery::decode(value)?;
            let waits = delivery.status_in(endpoint.epoch) == DeliveryStatus::Pending;
            Ok(age(delivery.event_id.uuid(), delivery.created_at, LOG_DAYS, waits))
        })?;
        if !deliveries {
            return Ok(false);
        }
    }
    let mails = step.over(keys::mails(of), 1, |_, value| {
        let mail = Mail::decode(value)?;
        // A notice may have been created long before it was sent, for example a reminder. So the period for which a
        // notice is kept in the log starts at its last attempt.
        let ended = mail.last_attempt_at.filter(|_| mail.notice.is_some());
        let is_recent = ended.is_some_and(|at| is_within(at, now, MAIL_LOG_DAYS));
        let stays = mail.status == MailStatus::Pending || is_recent;
        Ok(age(mail.id.uuid(), mail.created_at, MAIL_LOG_DAYS, stays))
    })?;
    if !mails {
        return Ok(false);
    }
    let all = keys::of_kind(of, kind::ALERT);
    let mut left = step.at.map_or(all, |at| all.after(at));
    while let Some((key, _)) = step.store.scan(&left, Order::Ascending).next().transpose()? {
        let Some((person, _)) = step.store.usable(&key, keys::alert_at(&key))? else {
            left = left.after(Key::new(&key));
            continue;
        };
        let alerts = step.over(keys::alerts(of, person), 1, |_, value| {
            let alert = Alert::decode(value)?;
            Ok(age(alert.id.uuid(), alert.about.at, MAIL_LOG_DAYS, false))
        })?;
        if !alerts {
            return Ok(false);
        }
        let end = keys::alert(of, person, u64::MAX);
        (left, step.at) = (left.after(end), Some(end));
    }
    // Deletes the read positions of former members who have no alerts left.
    let read = step.over(keys::of_kind(of, kind::ALERTS_READ), 1, |key, _| {
        let person: PersonId = keys::id_at_end(key)?;
        let alert = state.store.scan(&keys::alerts(of, person), Order::Ascending).next().transpose()?;
        let is_needed = state.people.contains_key(&person) || alert.is_some();
        Ok(if is_needed { Age::Stays } else { Age::IsExpired })
    })?;
    if !read {
        return Ok(false);
    }
    // `kept` is the longest time for which any data is kept: logs, records or unanswered questions. `noted` is the
    // newest age mark whose age is at least `kept`. No job reads the marks before `noted`, so they are deleted.
    let kept = state.retention.longest().map_or(needed, |kept| kept.max(needed)).max(GAP_KEPT);
    let Some((noted, _)) = noted_until(&state.store, of, steady - kept)? else { return Ok(true) };
    let stale = keys::of_kind(of, kind::AGE).before(keys::age(of, noted));
    step.over(stale, 1, |_, _| Ok(Age::IsExpired))
}

/// True if the stamp is not in the future and is younger than `age`.
pub(super) fn is_within(stamp: Timestamp, now: Timestamp, age: TimeDelta) -> bool {
    stamp > now - age && stamp <= now
}

fn waits(state: &State, event: EventId) -> Result<bool, StoreError> {
    for endpoint in state.webhooks.values() {
        match state.store.look::<Delivery>(&keys::delivery(state.id, endpoint.id, event))? {
            Some(Some(delivery)) if delivery.status_in(endpoint.epoch) != DeliveryStatus::Pending => {}
            Some(None) => {}
            // An undecodable delivery counts as waiting.
            Some(Some(_)) | None => return Ok(true),
        }
    }
    Ok(false)
}
