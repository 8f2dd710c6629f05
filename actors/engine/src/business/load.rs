//! Loads a business from the store into memory.
//!
//! - One scan reads the profile, special days, services, staff and time off. A second scan reads the
//!   upcoming appointments. Single reads get the newest audit entry and the [`AgeMarks`].
//! - A load waits until all submitted changes to the business are durable, so it reads all of them.
//! - Undecodable rows are skipped. Only an undecodable profile makes the load fail.
//! - An undecodable appointment blocks all staff for a day from its start, which its key contains.
//! - Undecodable time off blocks its staff member for 31 days from its start.
//! - An undecodable special day is ignored: the weekly hours apply on its date.
//! - The busy times of each calendar are read separately, because they are not in the first scan.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use chrono::TimeDelta;
use domain::{
    Blocked, BlockedTime, Budget, Business, BusinessId, Busy, CalendarBusy, IdMint, NoticeSettings,
    Receptionist, Retention, SpecialDays, Team, Timestamp, Website,
};
use net::Ports;
use store::keys::kind;
use store::{Key, Order, Pair, Record, Store, StoreError, keys};

use super::budget::BusinessBudget;
use super::contact_import;
use super::overlay::Overlay;
use super::references::References;
use super::remembered::days_ahead;
use super::stamps::Stamps;
use super::state::{BUSY_PAST, ROWS_PER_TURN, State};
use super::write::Write;
use crate::clock::{Clocks, SteadyClock};
use crate::mail::Outbox;
use crate::maintenance::business::BusinessJobs;
use crate::maintenance::{AgeMarks, HourlyRound};

/// The assumed length of undecodable time off. It is limited, so that an old row blocks no current time.
const UNREADABLE_OFF: TimeDelta = TimeDelta::days(31);

pub(crate) struct Start {
    pub(crate) id: BusinessId,
    pub(crate) clocks: Clocks,
    pub(crate) steady: SteadyClock,
    pub(crate) store: Store,
    pub(crate) ports: Ports,
    pub(crate) outbox: Arc<Outbox>,
}

pub(crate) async fn load(start: &Start) -> Result<Option<State>, StoreError> {
    let Start { id, clocks, steady, store, ports, outbox } = start;
    let id = *id;
    // `waiting` counts only deliveries that are submitted from now on. The load then waits until the earlier
    // ones are durable, so it finds them in the store.
    let waiting = store.watch(id);
    store.settled(id).await?;
    let mut rows = store.scan(&keys::hot(id), Order::Ascending);
    let Some((key, value)) = rows.next().transpose()? else { return Ok(None) };
    if keys::kind_of(&key)? != kind::PROFILE {
        return Ok(None);
    }
    let business = store.get_in::<Business>(&key, &value)?;
    let newest = store.newest_entry(id)?;
    let recorded = newest.and_then(|newest| newest.usage);
    let reached = newest.map_or(business.updated_at, |newest| newest.at);
    let newest = newest.map(|newest| newest.id);
    let busy_from = clocks.now() - BUSY_PAST;
    let mut state = State {
        id,
        days_ahead: days_ahead(store, id, clocks.steady().day())?,
        ages: AgeMarks::load(store, id, newest)?,
        round: HourlyRound::default(),
        clocks: clocks.clone(),
        steady: steady.clone(),
        business,
        services: BTreeMap::new(),
        staff: BTreeMap::new(),
        calendars: BTreeMap::new(),
        webhooks: BTreeMap::new(),
        special: SpecialDays::new(),
        blocked: Blocked::default(),
        people: Team::new(),
        alerts: BTreeMap::new(),
        outbox: Arc::clone(outbox),
        busy: Busy::default(),
        pending: BTreeSet::new(),
        busy_from,
        stamps: Stamps::after(reached, clocks.stamps_from()),
        mint: newest.map_or_else(IdMint::default, IdMint::after),
        retention: Retention::default(),
        website: Website::default(),
        notices: NoticeSettings::default(),
        receptionist: Receptionist::default(),
        knowledge: RefCell::new(None),
        jobs: BusinessJobs::default(),
        ended: false,
        overlay: Overlay::default(),
        unfiled: BTreeMap::new(),
        references: References::default(),
        budget: BusinessBudget::new(id, Budget::default(), recorded, waiting),
        checked_key: Cell::new(None),
        store: store.clone(),
        ports: ports.clone(),
    };
    let mut blocked = Vec::new();
    for row in rows {
        let row = row?;
        let write = match keys::kind_of(&row.0)? {
            kind::BUDGET => decoded(store, &row)?.map(Write::Budget),
            kind::RETENTION => decoded(store, &row)?.map(Write::Retention),
            kind::WEBSITE => decoded(store, &row)?.map(Write::Website),
            kind::NOTICES => decoded(store, &row)?.map(Write::Notices),
            kind::RECEPTIONIST => decoded(store, &row)?.map(Write::Receptionist),
            kind::SERVICE => decoded(store, &row)?.map(Write::Service),
            kind::STAFF => decoded(store, &row)?.map(Write::Staff),
            kind::SPECIAL_DAY => decoded(store, &row)?.map(Write::SpecialDay),
            kind::WEBHOOK => decoded(store, &row)?.map(Write::Webhook),
            kind::MEMBERSHIP => decoded(store, &row)?.map(Write::Membership),
            kind::CALENDAR => decoded(store, &row)?.map(|after| Write::Calendar { before: None, after }),
            kind::BLOCKED_TIME => {
                blocked.extend(match decoded::<BlockedTime>(store, &row)? {
                    Some(time) => Some((time.key(), time.ends_at)),
                    None => {
                        let time = store.usable(&row.0, keys::blocked_key(&row.0))?;
                        time.map(|time| (time, time.starts_at + UNREADABLE_OFF))
                    }
                });
                None
            }
            other => {
                let unknown = StoreError::damaged("key", format!("the kind {other:#04x} is not known"));
                store.usable(&row.0, Err(unknown))?
            }
        };
        if let Some(write) = write {
            state.apply(write);
        }
    }
    state.blocked = Blocked::from_times(blocked);
    let calendars: Vec<_> = state.calendars.values().map(|it| (it.staff_id, it.id)).collect();
    for (staff, calendar) in calendars {
        // If the busy times cannot be decoded, the calendar blocks nothing until the next complete read replaces them.
        if let Some(busy) = store.find::<CalendarBusy>(&keys::calendar_busy(id, calendar))? {
            state.blocked.set_calendar(staff, calendar, busy.busy);
        }
    }
    load_busy(&mut state, busy_from).await?;
    // Usually this step completes the count, because only a few waiting mails and deliveries are uncounted.
    state.count_on()?;
    contact_import::roll_back(&mut state).await?;
    Ok(Some(state))
}

fn decoded<R: Record>(store: &Store, (key, value): &Pair) -> Result<Option<R>, StoreError> {
    store.find_in::<R>(key, value)
}

async fn load_busy(state: &mut State, from: Timestamp) -> Result<(), StoreError> {
    let mut range = keys::appointments_starting(state.id, from, Timestamp::MAX);
    loop {
        let (mut rows, mut last) = (0, None);
        let store = state.store.clone();
        for row in store.scan(&range, Order::Ascending).take(ROWS_PER_TURN) {
            let (key, value) = row?;
            state.hold_time(&key, &value)?;
            rows += 1;
            last = Some(Key::new(&key));
        }
        match last {
            Some(last) if rows == ROWS_PER_TURN => range = range.after(last),
            _ => return Ok(()),
        }
        tokio::task::yield_now().await;
    }
}
