//! The actor of a connected calendar. The actor handles one message at a time, and each message is one turn. So a
//! calendar gets at most one request at a time.

use std::sync::{Arc, Weak};
use std::time::Duration;

use chrono::TimeDelta;
use domain::{
    Actor as By, Business, CalendarError, CalendarFault, CalendarKind, CalendarState, CalendarStatus,
    ConnectedCalendar, ReadResult, ReadSuccess, StaffMember, SteadyTime,
};
use ractor::{Actor, ActorRef};
use store::{Batch, Order, RoomLevel, Store, StoreError, keys};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

use super::events::{Applied, Comparison, compare, stored};
use super::files::FileReader;
use super::schedule::{Next, Readings, Slots, Turned};
use super::web::Failure;
use super::{CalendarKey, NOT_MADE_PAUSE, caldav, ics, writing};
use crate::actor::Handled;
use crate::business::commands::calendars::{RecordRead, StoreEvents};
use crate::business::commands::writing::{RecordSeen, STEP_MAX};
use crate::business::{BusinessHandle, Request};
use crate::error::{EngineError, Result};

/// The maximum time of a read. It does not include the time in which the result is stored.
const READ_TIME_MAX: Duration = Duration::from_secs(5 * 60);
/// If a read seems to take longer than this, the clock was corrected during the read, because a real read ends after
/// [`READ_TIME_MAX`] at the latest.
const CLOCK_STEP_MIN: TimeDelta = TimeDelta::minutes(6);
/// The maximum number of rows that one batch deletes after a calendar was disconnected.
const DELETED_PER_STEP: usize = 256;
/// The maximum number of alerts that one read causes about the remote changes that it finds.
const EVENT_ALERTS_MAX: usize = 5;
/// The pause while the business is suspended, the staff member is inactive, or the disk is nearly full.
const IDLE_PAUSE: Duration = Duration::from_secs(15 * 60);

pub(crate) enum Message {
    /// Makes the due writes, and reads the calendar once if a read is due. The permits are held until the turn ends.
    Turn(Slots, OwnedSemaphorePermit, bool),
}

pub(crate) struct CalendarActor;

impl CalendarActor {
    pub(crate) async fn start(
        readings: Arc<Readings>,
        key: CalendarKey,
        _: Arc<Semaphore>,
    ) -> Result<ActorRef<Message>> {
        let shared = &readings.shared;
        shared.check_business(key.business)?;
        let arguments = (Arc::downgrade(&readings), key);
        let spawned = Self::spawn_linked(None, Self, arguments, shared.supervisor.clone()).await;
        let (actor, _) = spawned.map_err(|_| EngineError::Stopping)?;
        readings.directory.note(actor.get_id(), key);
        Ok(actor)
    }
}

impl Actor for CalendarActor {
    type Msg = Message;
    type State = (Weak<Readings>, CalendarKey);
    type Arguments = Self::State;

    async fn pre_start(&self, _: ActorRef<Message>, arguments: Self::State) -> Handled<Self::State> {
        Ok(arguments)
    }

    async fn handle(
        &self,
        _: ActorRef<Message>,
        message: Message,
        (readings, key): &mut Self::State,
    ) -> Handled {
        let Some(readings) = readings.upgrade() else { return Ok(()) };
        let Message::Turn(slots, _permit, is_read_due) = message;
        let turned = match Box::pin(turn(&readings, *key, is_read_due)).await {
            Ok(turned) => turned,
            Err(EngineError::Stopping) => return Ok(()),
            Err(error) => {
                let (business, calendar) = (key.business, key.calendar);
                tracing::warn!(business.id = %business, calendar.id = %calendar, %error, "the state of a calendar could not be stored");
                Turned { read: Next::After(NOT_MADE_PAUSE), write: Some(NOT_MADE_PAUSE) }
            }
        };
        drop(slots);
        readings.finished(*key, turned);
        Ok(())
    }
}

/// The rows that a turn needs from the store.
pub(super) struct Loaded {
    pub(super) calendar: ConnectedCalendar,
    pub(super) state: CalendarState,
    pub(super) business: Business,
    /// True if no request may be sent now; see [`IDLE_PAUSE`].
    pub(super) is_idle: bool,
    /// The minimum time until the next write. It is zero, except after the server has requested a pause or has not
    /// responded.
    pub(super) pause: Duration,
}

impl Loaded {
    /// The time that is left to delete the events of a calendar that is being disconnected. Returns `None` if the
    /// calendar is not being disconnected.
    fn left(&self, now: SteadyTime) -> Option<Duration> {
        let until = self.calendar.removal_until?;
        Some((until - now).to_std().unwrap_or_default())
    }
}

pub(super) enum Load {
    Loaded(Box<Loaded>),
    /// A row cannot be decoded.
    Unreadable,
    /// The calendar is disconnected.
    Gone,
}

/// Whether the store refuses all changes that do not release space.
pub(super) fn is_disk_exhausted(store: &Store) -> bool {
    store.room().0 >= RoomLevel::Exhausted
}

/// True if no request may be sent to the calendar now; see [`IDLE_PAUSE`].
pub(super) fn is_idle(
    store: &Store,
    business: &Business,
    calendar: &ConnectedCalendar,
) -> Result<bool, StoreError> {
    let staff = store.find::<StaffMember>(&keys::staff(business.id, calendar.staff_id))?;
    Ok(business.suspended || !staff.is_some_and(|member| member.active) || is_disk_exhausted(store))
}

pub(super) async fn load(readings: &Readings, key: CalendarKey) -> Result<Load> {
    let (shared, of) = (&readings.shared, key.business);
    shared.check_open()?;
    shared.check_business(of)?;
    let store = &shared.store;
    // The rows below must include all earlier changes to the business and the results of all earlier reads of the
    // calendar.
    store.wait_durable(of).await?;
    let Some(calendar) = store.look::<ConnectedCalendar>(&keys::calendar(of, key.calendar))? else {
        return Ok(Load::Unreadable);
    };
    let Some(calendar) = calendar else { return Ok(Load::Gone) };
    let Some(business) = store.find::<Business>(&keys::profile(of))? else {
        return Ok(Load::Unreadable);
    };
    let is_idle = is_idle(store, &business, &calendar)?;
    let state = store.find::<CalendarState>(&keys::calendar_state(of, key.calendar))?;
    let state = state.unwrap_or_else(|| CalendarState::new(key.calendar));
    Ok(Load::Loaded(Box::new(Loaded { calendar, state, business, is_idle, pause: Duration::ZERO })))
}

async fn turn(readings: &Arc<Readings>, key: CalendarKey, is_read_due: bool) -> Result<Turned> {
    let (loaded, write) = match writing::write_due(readings, key).await? {
        Load::Loaded(loaded) => {
            let clocks = &readings.shared.clocks;
            let write = match loaded.is_idle {
                true => Some(loaded.left(clocks.steady()).map_or(IDLE_PAUSE, |left| left.min(IDLE_PAUSE))),
                // All decodable writes of a stopped calendar have been marked as failed. An undecodable write may still
                // be stored, but it must not cause further turns.
                false if loaded.state.status == CalendarStatus::Stopped => None,
                false => writing::next_write(&readings.shared.store, clocks, key, Some(&loaded.calendar)),
            };
            (*loaded, write)
        }
        Load::Unreadable => {
            return Ok(Turned { read: Next::After(IDLE_PAUSE), write: Some(IDLE_PAUSE) });
        }
        Load::Gone => {
            delete_rows(readings, key).await?;
            return Ok(Turned { read: Next::Gone, write: None });
        }
    };
    readings.note(key, (&loaded.calendar, &loaded.state), loaded.is_idle.then_some(true));
    let write = write.map(|pause| pause.max(loaded.pause));
    let read = match loaded.state.status {
        CalendarStatus::Stopped | CalendarStatus::Disconnecting => Next::Stopped,
        _ if !is_read_due => Next::Unchanged,
        _ if loaded.is_idle => Next::After(IDLE_PAUSE),
        _ => read(readings, key, loaded).await?,
    };
    Ok(Turned { read, write })
}

async fn read(readings: &Arc<Readings>, key: CalendarKey, loaded: Loaded) -> Result<Next> {
    let Loaded { calendar, state, business, .. } = loaded;
    let (zone, clocks) = (business.zone, &readings.shared.clocks);
    let (began, began_at) = (clocks.steady(), clocks.now());
    let needs_complete_read = state.needs_complete_read(began)
        || state.was_read_at_another_time(began_at)
        || state.position.zone != Some(zone);
    let reader = FileReader::new(&readings.shared.store, key.business, (&calendar, zone), began_at);
    let known = (!needs_complete_read).then_some(&state.position);
    let (web, store) = (&readings.web, readings.shared.store.clone());
    let before = web.on_thread(key.business, move || stored(&store, key.business, key.calendar)).await;
    let Ok(before) = before else { return Ok(Next::After(NOT_MADE_PAUSE)) };
    let before = before?;
    let by = (web, (key.business, Some(key.calendar)));
    let found = async {
        match calendar.kind {
            CalendarKind::Ics => ics::read(by, &calendar, known, &reader).await,
            CalendarKind::Caldav => {
                caldav::read(by, &calendar, known, (&before, &state.warnings), &reader).await
            }
        }
    };
    let found = timeout(READ_TIME_MAX, found).await;
    let found = found.unwrap_or_else(|_| Err(CalendarFault::Timeout.into()));
    let (result, applied) = match found {
        Err(Failure::NotMade) => return Ok(Next::After(NOT_MADE_PAUSE)),
        Err(Failure::Calendar(error)) => (ReadResult::Failed(error), None),
        Ok(None) => (ReadResult::Read(unchanged(&state)), None),
        Ok(Some(mut found)) => {
            found.position.zone = Some(zone);
            let is_confirmed = found.is_complete && state.confirms_mass_deletion(began);
            let admitting = Arc::clone(readings);
            let compared = move || -> Result<_, StoreError> {
                let compared = compare(key.business, before, found, is_confirmed);
                match &compared {
                    Ok(Comparison::Applied(applied)) => {
                        let is_admitted =
                            admitting.sizes.admit(&admitting.shared.store, key, applied.bytes)?;
                        Ok(if is_admitted { compared } else { Err(CalendarFault::TooLarge) })
                    }
                    _ => Ok(compared),
                }
            };
            let compared = web.on_thread(key.business, compared).await;
            let Ok(compared) = compared else { return Ok(Next::After(NOT_MADE_PAUSE)) };
            match compared? {
                Ok(Comparison::Applied(applied)) => {
                    (ReadResult::Read(applied.success.clone()), Some(applied))
                }
                Ok(Comparison::MassDeletion) => (ReadResult::MassDeletion, None),
                Err(fault) => (ReadResult::Failed(CalendarError::from(fault)), None),
            }
        }
    };
    let is_read = matches!(result, ReadResult::Read(_));
    let now = clocks.now();
    if (now - began_at).abs() > CLOCK_STEP_MIN {
        // The clock was corrected during the read, so the window of days that was read may be wrong. The read is
        // repeated.
        return Ok(Next::After(NOT_MADE_PAUSE));
    }
    let state = state.after(&result, now, clocks.steady());
    readings.count(&result);
    let Some(business) = readings.business(key.business) else { return Err(EngineError::Stopping) };
    let is_recorded = record(&business, &calendar, state.clone(), applied).await?;
    readings.note(key, (&calendar, &state), Some(false));
    if !is_recorded {
        return Ok(Next::After(Duration::ZERO)); // the settings changed during the read, so the calendar is read again
    }
    let pause = state.pause(calendar.kind, readings.is_in_use(key.business));
    let pause = pause.map(|pause| pause.to_std().unwrap_or_default());
    tracing::debug!(business.id = %key.business, calendar.id = %key.calendar, ok = is_read, "a calendar was read");
    Ok(pause.map_or(Next::Stopped, Next::After))
}

fn unchanged(state: &CalendarState) -> ReadSuccess {
    ReadSuccess {
        is_complete: false,
        events: state.events,
        unreadable: state.unreadable,
        warnings: state.warnings.clone(),
        position: state.position.clone(),
    }
}

/// Stores the result of a read. Returns false if the calendar's settings have changed since the read began, or if the
/// calendar was disconnected.
async fn record(
    business: &BusinessHandle,
    calendar: &ConnectedCalendar,
    state: CalendarState,
    applied: Option<Applied>,
) -> Result<bool> {
    let by_system = || Request::by(By::System);
    let of = (calendar.id, calendar.version);
    let (mut rows, busy, seen) = match applied {
        Some(applied) => (applied.rows, Some(applied.busy), applied.seen),
        None => (Vec::new(), None, Vec::new()),
    };
    let last = rows.pop().unwrap_or_default();
    // The remote changes are stored before the events of the read. If this function is interrupted before it stores the
    // events, the old events are still stored. The next read compares the calendar with the old events, so it finds the
    // remote changes again.
    let mut alerts_max = EVENT_ALERTS_MAX;
    for seen in seen.chunks(STEP_MAX) {
        match business.change(by_system(), RecordSeen { of, alerts_max, seen: seen.to_vec() }).await {
            Ok(answer) => alerts_max -= answer.value,
            Err(EngineError::Refused(_)) => return Ok(false),
            Err(error) => return Err(error),
        }
    }
    for rows in rows {
        match business.change(by_system(), StoreEvents { of, rows }).await {
            Ok(_) => {}
            Err(EngineError::Refused(_)) => return Ok(false),
            Err(error) => return Err(error),
        }
    }
    match business.change(by_system(), RecordRead { of, state, busy, rows: last }).await {
        Ok(_) => Ok(true),
        Err(EngineError::Refused(_)) => Ok(false),
        Err(error) => Err(error),
    }
}

/// Deletes the remaining rows of a disconnected calendar, and then its row in the list of calendars.
async fn delete_rows(readings: &Readings, key: CalendarKey) -> Result<()> {
    let (shared, of, id) = (&readings.shared, key.business, key.calendar);
    writing::forget(readings, key).await?;
    readings.sizes.forget(key);
    let events = keys::calendar_events(of, id);
    loop {
        let step = shared.store.scan(&events, Order::Ascending).take(DELETED_PER_STEP);
        let step = step.collect::<Result<Vec<_>, StoreError>>()?;
        if step.is_empty() {
            break;
        }
        let mut batch = Batch::default();
        step.iter().for_each(|(row, value)| batch.delete_whole(store::Key::new(row), value.len()));
        shared.write(of, batch, ()).await?;
    }
    let busy = keys::calendar_busy(of, id);
    let bytes = shared.store.get_raw(&busy)?.map_or(0, |value| value.len());
    let mut batch = Batch::default();
    batch.delete_whole(busy, bytes);
    batch.delete(keys::calendar_index(of, id));
    shared.write(of, batch, ()).await
}
