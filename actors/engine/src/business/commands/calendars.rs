//! Connects, changes and disconnects calendars, and stores the results of their reads.

use domain::{
    Actor, AlertTrigger, AllDay, AuditAction, CALENDARS_MAX, CALENDARS_PER_STAFF_MAX, CalendarBusy,
    CalendarId, CalendarKind, CalendarLogin, CalendarState, CalendarStatus, CalendarTask, Conflict,
    ConnectedCalendar, Email, FeedDetail, KeyCreator, Named, Person, PersonId, ProblemCode, REMOVAL_MAX,
    Refusal, Right, Spans, StaffId, WebhookUrl,
};
use store::{Batch, Order, StoreError, Weight, keys};
use view::{CalendarSettingsView, CalendarView, KeyCreatorView};

use super::writing::first_steps;
use crate::business::decision::Decided;
use crate::business::state::State;
use crate::business::{Change, Context, Decision, Given, New, Removed, Shown, Write};
use crate::error::Result;

super::listed!(
    ConnectCalendar,
    DisconnectCalendar,
    PatchCalendar,
    ReadCalendar,
    RecordRead,
    RemoveCalendar,
    StoreEvents
);

/// Connects a calendar. The caller has already read it once, and has checked its address.
#[derive(Clone, Debug)]
pub struct ConnectCalendar {
    pub staff_id: StaffId,
    pub name: String,
    pub kind: CalendarKind,
    pub url: WebhookUrl,
    pub login: Option<CalendarLogin>,
    pub collection: Option<WebhookUrl>,
    pub collection_name: String,
    pub server_addresses: Vec<String>,
    pub busy: bool,
    pub write: bool,
    pub detail: FeedDetail,
    pub all_day: AllDay,
    pub own_addresses: Vec<Email>,
}

impl Change for ConnectCalendar {
    type Gives = New<CalendarView>;
    const RIGHT: Option<Right> = Some(Right::Own);

    fn decide(self, context: &mut Context<'_>) -> Result<Decision<Self::Gives>> {
        let state = context.state;
        if !context.editor()?.sees_calendars_of(Some(self.staff_id)) {
            return Err(Refusal::NotFound(Named::Staff).into());
        }
        if context.staff(self.staff_id).is_none() {
            return Err(Refusal::invalid("staff_id", ProblemCode::NotOfTheBusiness(Named::Staff)).into());
        }
        let of_staff = state.calendars.values().filter(|it| it.staff_id == self.staff_id).count();
        for (count, most) in [(of_staff, CALENDARS_PER_STAFF_MAX), (state.calendars.len(), CALENDARS_MAX)] {
            if count >= most {
                let full = Conflict::CalendarsFull(most);
                return Err(Refusal::conflict(full, "staff_id", ProblemCode::Calendars(count)).into());
            }
        }
        check_directions(self.kind, self.busy, self.write)?;
        if self.write {
            check_only_written(state, (None, self.staff_id), self.collection.as_ref())?;
        }
        let created_by = match context.request.actor {
            Actor::Person(id) => KeyCreator::Person(id),
            Actor::ApiKey(_) | Actor::Operator | Actor::System | Actor::Customer | Actor::Receptionist(_) => {
                KeyCreator::Operator
            }
        };
        let calendar = ConnectedCalendar {
            id: context.mint(),
            staff_id: self.staff_id,
            name: self.name,
            kind: self.kind,
            url: self.url,
            login: self.login,
            collection: self.collection,
            collection_name: self.collection_name,
            busy: self.busy,
            write: self.write,
            detail: self.detail,
            all_day: self.all_day,
            own_addresses: self.own_addresses,
            server_addresses: self.server_addresses,
            version: 0,
            task: self.write.then_some(CalendarTask::Adopt),
            task_at: None,
            removal_until: None,
            created_by,
            created_at: context.at,
            updated_at: context.at,
        };
        let reads = CalendarState::new(calendar.id);
        let (calendar, writes) = first_steps((state, context.now), calendar)?;
        Ok(Decision::answering(shown(state, &calendar, reads.clone())?)
            .note(AuditAction::CalendarConnected, calendar.id)
            .write_all(writes)
            .write(Write::Calendar { before: None, after: calendar })
            .write(Write::CalendarState { before: None, after: reads }))
    }
}

/// Changes a calendar. The caller has already checked a new address or new credentials.
#[derive(Clone, Debug)]
pub struct PatchCalendar {
    pub id: CalendarId,
    pub name: Option<String>,
    pub url: Option<WebhookUrl>,
    pub login: Option<CalendarLogin>,
    /// The calendar's stored address and login at the time when the caller checked the new settings. If the stored
    /// address or login has changed since this check, the change is refused. The field is `None` if the change contains
    /// no address and no login.
    pub checked_for: Option<(WebhookUrl, Option<CalendarLogin>)>,
    pub server_addresses: Option<Vec<String>>,
    pub busy: Option<bool>,
    pub write: Option<bool>,
    pub detail: Option<FeedDetail>,
    pub all_day: Option<AllDay>,
    pub own_addresses: Option<Vec<Email>>,
}

impl Change for PatchCalendar {
    type Gives = Shown<CalendarView>;
    const WEIGHT: Weight = Weight::Keeps;
    const RIGHT: Option<Right> = Some(Right::Own);

    fn decide(self, context: &mut Context<'_>) -> Result<Decision<Self::Gives>> {
        let before = manageable_calendar(context, self.id)?;
        let reads = reads(context.state, self.id)?;
        let settings = shown(context.state, before, reads.clone())?.settings;
        context.check_match(&settings)?;
        if self.checked_for.is_some_and(|(url, login)| url != before.url || login != before.login) {
            return Err(Context::changed(&settings).into());
        }
        let it = before.clone();
        let mut after = ConnectedCalendar {
            name: self.name.unwrap_or(it.name),
            url: self.url.unwrap_or(it.url),
            login: self.login.or(it.login),
            server_addresses: self.server_addresses.unwrap_or(it.server_addresses),
            busy: self.busy.unwrap_or(it.busy),
            write: self.write.unwrap_or(it.write),
            detail: self.detail.unwrap_or(it.detail),
            all_day: self.all_day.unwrap_or(it.all_day),
            own_addresses: self.own_addresses.unwrap_or(it.own_addresses),
            ..it
        };
        if after == *before {
            return Ok(Decision::answering(shown(context.state, before, reads)?));
        }
        check_directions(after.kind, after.busy, after.write)?;
        if after.write && !before.write {
            check_only_written(context.state, (Some(self.id), after.staff_id), after.collection.as_ref())?;
        }
        after.updated_at = context.at;
        // A stopped calendar is read again after any change to its settings.
        let are_reads_affected = reads.status == CalendarStatus::Stopped
            || (&after.url, &after.login, after.busy, after.all_day, after.addresses())
                != (&before.url, &before.login, before.busy, before.all_day, before.addresses());
        let mut now = reads.clone();
        if are_reads_affected {
            (after.version, now) = (before.version.wrapping_add(1), reads.clone().for_complete_read());
        }
        let task = match (before.write, after.write) {
            (true, false) => Some(CalendarTask::Leave),
            (false, true) => Some(CalendarTask::Adopt),
            (true, true) if after.detail != before.detail => Some(CalendarTask::Adopt),
            (true, true) if (&after.url, &after.login) != (&before.url, &before.login) => {
                // `Adopt` also retries failed writes, so it is not replaced by `Retry`.
                Some(before.task.filter(|task| *task == CalendarTask::Adopt).unwrap_or(CalendarTask::Retry))
            }
            _ => None,
        };
        let mut writes = Vec::new();
        if task.is_some() && (task, after.write) != (before.task, before.write) {
            (after.task, after.task_at) = (task, None);
            (after, writes) = first_steps((context.state, context.now), after)?;
        }
        let mut decision = Decision::answering(shown(context.state, &after, now.clone())?).write_all(writes);
        if before.busy && !after.busy {
            decision = decision.write(no_busy_times(context.state, &after)?);
        }
        let decision = decision
            .note(AuditAction::CalendarChanged, self.id)
            .write(Write::Calendar { before: Some(before.clone()), after });
        Ok(if now == reads {
            decision
        } else {
            decision.write(Write::CalendarState { before: Some(reads), after: now })
        })
    }
}

/// Disconnects a calendar. This change also deletes its credentials and its busy times.
#[derive(Clone, Copy, Debug)]
pub struct DisconnectCalendar {
    pub id: CalendarId,
}

impl Change for DisconnectCalendar {
    type Gives = Removed;
    const WEIGHT: Weight = Weight::Frees;
    const RIGHT: Option<Right> = Some(Right::Own);

    fn decide(self, context: &mut Context<'_>) -> Result<Decision<Self::Gives>> {
        let gone = seen_calendar(context, self.id)?.clone();
        Ok(Decision::gone().note(AuditAction::CalendarDisconnected, self.id).write(Write::NoCalendar(gone)))
    }
}

/// Removes a calendar. This change deletes the busy times and ends the reads of the calendar. The service then deletes
/// the written events that have not ended. It disconnects the calendar when the events are deleted, after
/// [`REMOVAL_MAX`] at the latest.
#[derive(Clone, Copy, Debug)]
pub struct RemoveCalendar {
    pub id: CalendarId,
}

impl Change for RemoveCalendar {
    type Gives = Given<CalendarView, 202>;
    const WEIGHT: Weight = Weight::Frees;
    const RIGHT: Option<Right> = Some(Right::Own);

    fn decide(self, context: &mut Context<'_>) -> Result<Decision<Self::Gives>> {
        let state = context.state;
        let before = seen_calendar(context, self.id)?;
        let reads = reads(state, self.id)?;
        if before.is_leaving() {
            return Ok(Decision::answering(shown(state, before, reads)?));
        }
        let after = ConnectedCalendar {
            task: Some(CalendarTask::Remove),
            task_at: None,
            removal_until: Some(state.clocks.steady() + REMOVAL_MAX),
            version: before.version.wrapping_add(1),
            updated_at: context.at,
            ..before.clone()
        };
        let now = CalendarState { status: CalendarStatus::Disconnecting, ..reads.clone() };
        Ok(Decision::answering(shown(state, &after, now.clone())?)
            .note(AuditAction::CalendarDisconnected, self.id)
            .write(no_busy_times(state, &after)?)
            .write(Write::Calendar { before: Some(before.clone()), after })
            .write(Write::CalendarState { before: Some(reads), after: now }))
    }
}

fn check_directions(kind: CalendarKind, busy: bool, write: bool) -> Result<(), Refusal> {
    if write && kind != CalendarKind::Caldav {
        return Err(Refusal::invalid("write", ProblemCode::CaldavOnly));
    }
    if !busy && !write {
        return Err(Refusal::invalid("busy", ProblemCode::BusyOrWrite));
    }
    Ok(())
}

/// Checks whether the service may write to a calendar. Refuses the calendar in two cases:
///
/// - The service already writes to a calendar of the same staff member.
/// - Another connected calendar with the same collection has `write` set to true, or still has stored writes. If two
///   calendars wrote to one collection, they could write and delete the same events, in any order.
fn check_only_written(
    state: &State,
    (id, staff): (Option<CalendarId>, StaffId),
    collection: Option<&WebhookUrl>,
) -> Result<()> {
    if state.written_calendar(staff).is_some() {
        return Err(Refusal::conflict(Conflict::WrittenElsewhere, "write", ProblemCode::now(staff)).into());
    }
    let path = |url: &WebhookUrl| url.as_str().trim_end_matches('/').to_owned();
    let collection = collection.map(path);
    let others = state.calendars.values().filter(|it| Some(it.id) != id);
    for other in others.filter(|it| it.collection.as_ref().map(path) == collection) {
        let writes = keys::calendar_writes(state.id, other.id);
        if other.write || state.next_in(&writes, Order::Ascending)?.is_some() {
            let taken = Conflict::CollectionWritten;
            return Err(Refusal::conflict(taken, "write", ProblemCode::now(other.staff_id)).into());
        }
    }
    Ok(())
}

fn busy_times(state: &State, calendar: &ConnectedCalendar, busy: Spans) -> Result<Write, StoreError> {
    let row = keys::calendar_busy(state.id, calendar.id);
    let bytes_before = state.read_raw(&row)?.map_or(0, |value| value.len());
    let busy = CalendarBusy { calendar_id: calendar.id, busy };
    Ok(Write::CalendarBusy { staff: calendar.staff_id, busy, bytes_before })
}

fn no_busy_times(state: &State, calendar: &ConnectedCalendar) -> Result<Write, StoreError> {
    busy_times(state, calendar, Spans::default())
}

/// Requests a complete read of a calendar. If the service has stopped reading the calendar, its regular reads start
/// again.
#[derive(Clone, Copy, Debug)]
pub struct ReadCalendar {
    pub id: CalendarId,
}

impl Change for ReadCalendar {
    type Gives = Shown<CalendarView>;
    const WEIGHT: Weight = Weight::Keeps;
    const RIGHT: Option<Right> = Some(Right::Own);

    fn decide(self, context: &mut Context<'_>) -> Result<Decision<Self::Gives>> {
        let before = manageable_calendar(context, self.id)?;
        let reads = reads(context.state, self.id)?;
        let after = ConnectedCalendar { version: before.version.wrapping_add(1), ..before.clone() };
        let now = reads.clone().for_complete_read();
        Ok(Decision::answering(shown(context.state, &after, now.clone())?)
            .write(Write::Calendar { before: Some(before.clone()), after })
            .write(Write::CalendarState { before: Some(reads), after: now }))
    }
}

/// Stores events that a read has found. Bookings depend only on the busy times, which [`RecordRead`] stores.
#[derive(Clone, Debug)]
pub(crate) struct StoreEvents {
    /// The calendar and the version of its settings at the beginning of the read.
    pub(crate) of: (CalendarId, u32),
    pub(crate) rows: Batch,
}

impl Change for StoreEvents {
    type Gives = Removed;
    const WEIGHT: Weight = Weight::Keeps;
    const RIGHT: Option<Right> = Some(Right::Own);

    fn decide(self, context: &mut Context<'_>) -> Result<Decision<Self::Gives>> {
        calendar_of_read(context, self.of)?;
        Ok(Decision::gone().write(Write::Rows(self.rows)))
    }
}

/// Stores the result of a read: the state of the calendar and, after a success, its busy times.
#[derive(Clone, Debug)]
pub(crate) struct RecordRead {
    pub(crate) of: (CalendarId, u32),
    pub(crate) state: CalendarState,
    /// The new busy times. They are `None` if the read failed or the calendar is unchanged.
    pub(crate) busy: Option<Spans>,
    pub(crate) rows: Batch,
}

impl Change for RecordRead {
    type Gives = Removed;
    const WEIGHT: Weight = Weight::Keeps;
    const RIGHT: Option<Right> = Some(Right::Own);

    fn decide(self, context: &mut Context<'_>) -> Result<Decision<Self::Gives>> {
        let calendar = calendar_of_read(context, self.of)?;
        let before =
            context.state.find::<CalendarState>(&keys::calendar_state(context.state.id, calendar.id))?;
        let (mut after, mut decision) = (self.state, Decision::gone());
        if after.must_report(context.state.clocks.steady()) {
            after.is_reported = true;
            decision = decision.alert(AlertTrigger::of_calendar(calendar));
        }
        if let Some(busy) = self.busy {
            let busy = if calendar.busy { busy } else { Spans::default() };
            decision = decision.write(busy_times(context.state, calendar, busy)?);
        }
        let was_connected = before.as_ref().is_some_and(|it| it.status == CalendarStatus::Connected);
        if after.status == CalendarStatus::Connected
            && !was_connected
            && calendar.is_written()
            && calendar.task.is_none()
        {
            let failed = keys::calendar_writes_failed(context.state.id, calendar.id);
            if context.state.next_in(&failed, Order::Ascending)?.is_some() {
                let resumed =
                    ConnectedCalendar { task: Some(CalendarTask::Resume), task_at: None, ..calendar.clone() };
                let before = Some(calendar.clone());
                decision = decision.write(Write::Calendar { before, after: resumed });
            }
        }
        if !self.rows.is_empty() {
            decision = decision.write(Write::Rows(self.rows));
        }
        Ok(decision.write(Write::CalendarState { before, after }))
    }
}

/// Returns the calendar. Refuses the result of a read if the settings have changed since the read began.
pub(super) fn calendar_of_read<'a>(
    context: &Context<'a>,
    (id, version): (CalendarId, u32),
) -> Result<&'a ConnectedCalendar, Refusal> {
    let calendar = context.state.calendars.get(&id).filter(|calendar| calendar.version == version);
    calendar.ok_or(Refusal::NotFound(Named::Calendar))
}

/// Returns the calendar if the person may manage it and the calendar is not being disconnected.
pub(super) fn manageable_calendar<'a>(
    context: &Context<'a>,
    id: CalendarId,
) -> Result<&'a ConnectedCalendar, Refusal> {
    let calendar = seen_calendar(context, id)?;
    if calendar.is_leaving() { Err(Refusal::NotFound(Named::Calendar)) } else { Ok(calendar) }
}

/// Returns the calendar, if the person may manage it.
fn seen_calendar<'a>(context: &Context<'a>, id: CalendarId) -> Result<&'a ConnectedCalendar, Refusal> {
    let editor = context.editor()?;
    let calendar = context.state.calendars.get(&id);
    let calendar = calendar.filter(|calendar| editor.sees_calendars_of(Some(calendar.staff_id)));
    calendar.ok_or(Refusal::NotFound(Named::Calendar))
}

fn reads(state: &State, id: CalendarId) -> Result<CalendarState, StoreError> {
    let reads = state.find::<CalendarState>(&keys::calendar_state(state.id, id))?;
    Ok(reads.unwrap_or_else(|| CalendarState::new(id)))
}

fn shown(
    state: &State,
    calendar: &ConnectedCalendar,
    reads: CalendarState,
) -> Result<CalendarView, StoreError> {
    let name = match calendar.created_by {
        KeyCreator::Operator => None,
        KeyCreator::Person(id) => state.find::<Person>(&keys::person(id))?.map(|person| person.name),
    };
    let created_by = KeyCreatorView::new(calendar.created_by, name);
    Ok(CalendarView::new(CalendarSettingsView::new(calendar, created_by), reads))
}

/// Adds to a decision the writes that disconnect calendars: the calendars of a staff member whom the decision deletes,
/// and the calendars that were connected by a person whose membership the decision disables or removes.
pub(in crate::business) fn disconnect_ended(state: &State, decided: &mut Decided) {
    let mut ended: Vec<&ConnectedCalendar> = Vec::new();
    let of_person = |person: PersonId| {
        state.calendars.values().filter(move |it| it.created_by == KeyCreator::Person(person))
    };
    for write in &decided.writes {
        match write {
            Write::Membership(after) if !after.is_active() => ended.extend(of_person(after.person_id)),
            Write::NoMembership(id, _) => ended.extend(of_person(*id)),
            Write::NoStaff(id) => ended.extend(state.calendars.values().filter(|it| it.staff_id == *id)),
            _ => {}
        }
    }
    ended.dedup_by_key(|calendar| calendar.id);
    for calendar in ended {
        decided.note(AuditAction::CalendarDisconnected, calendar.id);
        decided.writes.push(Write::NoCalendar(calendar.clone()));
    }
}
