//! Loads a business from the store into memory.
//!
//! - One scan reads the records of the hot kinds. A second scan reads the upcoming appointments.
//! - [`load`] first waits until all submitted changes to the business are durable. So its scans see all these changes.
//! - Undecodable rows are skipped. Only an undecodable profile is an error.
//! - An undecodable appointment blocks all staff for a day from its start, which its key contains.
//! - An undecodable special day is ignored, so the weekly hours apply on its date.
//! - The busy times of connected calendars are not hot records. They are read separately, one calendar at a time.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use domain::{Business, BusinessId, CalendarBusy, Timestamp};
use net::Ports;
use store::keys::kind;
use store::{Key, Order, Store, StoreError, keys};

use super::state::{ROWS_PER_TURN, State};
use super::{contact_import, hot};
use crate::clock::{Clocks, SteadyClock};
use crate::mail::Outbox;

pub(crate) struct Start {
    pub(crate) id: BusinessId,
    pub(crate) clocks: Clocks,
    pub(crate) steady: SteadyClock,
    pub(crate) store: Store,
    pub(crate) ports: Ports,
    pub(crate) outbox: Arc<Outbox>,
    /// True if the service has a chat model.
    pub(crate) has_model: Arc<AtomicBool>,
}

pub(crate) async fn load(start: &Start) -> Result<Option<State>, StoreError> {
    let (id, store) = (start.id, &start.store);
    // `waiting` counts only deliveries that are submitted from now on. The earlier deliveries are counted from the
    // store, so this function waits until they are durable.
    let waiting = store.watch(id);
    store.wait_durable(id).await?;
    let mut rows = store.scan(&keys::hot(id), Order::Ascending);
    let Some((key, value)) = rows.next().transpose()? else { return Ok(None) };
    if keys::kind_of(&key)? != kind::PROFILE {
        return Ok(None);
    }
    let business = store.get_in::<Business>(&key, &value)?;
    let mut state = State::before_load(start, business, waiting)?;
    for row in rows {
        hot::load(&row?, &mut state)?;
    }
    state.blocked.merge();
    let calendars: Vec<_> = state.calendars.values().map(|it| (it.staff_id, it.id)).collect();
    for (staff, calendar) in calendars {
        // If the busy times cannot be decoded, the calendar blocks nothing until the next complete read replaces them.
        if let Some(busy) = store.find::<CalendarBusy>(&keys::calendar_busy(id, calendar))? {
            state.blocked.set_calendar(staff, calendar, busy.busy);
        }
    }
    let busy_from = state.busy_from;
    load_busy(&mut state, busy_from).await?;
    // This is the first step of the count of rows. The actor makes the other steps later.
    state.count_on()?;
    contact_import::roll_back(&mut state).await?;
    Ok(Some(state))
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
