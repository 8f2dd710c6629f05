//! Connected calendars. Their busy times block bookings, and appointments are written to them. No response contains an
//! address or a password.

use domain::{
    AllDay, AppointmentId, CalendarId, CalendarKind, CalendarLogin, CalendarPassword, CalendarSyncStatus,
    Email, FeedDetail, Named, ProblemCode, Refusal, StaffId, Text,
};
use engine::EngineError;
use engine::business::Request;
use engine::business::commands::calendars::{
    ConnectCalendar, DisconnectCalendar, PatchCalendar, ReadCalendar, RemoveCalendar,
};
use engine::business::commands::writing::WriteAppointment;
use engine::calendars::connecting::CalendarInput;
use schemars::JsonSchema;
use serde::Serialize;
use view::{CalendarView, CalendarWriteView};

use crate::http::lists::DistinctList;
use crate::http::patch::Patch;
use crate::rest::prelude::*;
use crate::{json_object, list_query, query_object};

json_object! {
    /// A calendar to connect.
    pub(crate) struct CalendarBody {
        /// The staff member whose bookings the busy times block.
        staff_id: StaffId,
        /// `caldav` for an account on a calendar server, `ics` for the address of a calendar file.
        kind: CalendarKind,
        /// The https address of the server or of the calendar file; `webcal` means https.
        url: Text<1, 2000>,
        /// The user name of the account; required for `caldav`.
        username: Option<Text<1, 200>>,
        /// The password of the account, preferably an app password; required for `caldav`.
        password: Option<Text<1, 1000>>,
        /// The `calendar` of an item in the response to `POST …/calendars/discover`; required for `caldav`.
        calendar: Option<Text<1, 2000>>,
        /// The name of the calendar. The default is the calendar's name on the server.
        name: Option<Text<1, 200>>,
        /// Whether the calendar's events block bookings. The default is true. `busy` or `write` must be true.
        busy: Option<bool>,
        /// Whether the appointments of the staff member are written to the calendar. The default is false.
        /// Possible only for `caldav`, and only for one calendar of each staff member.
        write: Option<bool> = false,
        /// The content of written events. The default is `services`.
        detail: Option<FeedDetail>,
        /// Whether all-day events block bookings. The default is `busy`.
        all_day: Option<AllDay>,
        /// The staff member's email addresses, in addition to those that the server returns. An invitation
        /// does not block bookings if an attendee with one of these addresses has declined the invitation.
        own_addresses: Option<DistinctList<Email, 0, 10>>,
    }
}

json_object! {
    /// A change of a connected calendar; a property that is absent keeps its value.
    pub(crate) struct CalendarPatchBody {
        /// The https address of the server or of the calendar file; `webcal` means https.
        url: Patch<Text<1, 2000>>,
        /// The user name of the account.
        username: Patch<Text<1, 200>>,
        /// The password of the account.
        password: Patch<Text<1, 1000>>,
        /// The name of the calendar.
        name: Patch<Text<1, 200>>,
        /// Whether the calendar's events block bookings. `busy` or `write` must be true.
        busy: Patch<bool>,
        /// Whether the appointments of the staff member are written to the calendar. If this becomes false, the events
        /// stay in the calendar.
        write: Patch<bool>,
        /// The content of written events.
        detail: Patch<FeedDetail>,
        /// Whether all-day events block bookings.
        all_day: Patch<AllDay>,
        /// The staff member's email addresses.
        own_addresses: Patch<DistinctList<Email, 0, 10>>,
    }
}

json_object! {
    /// An account on a calendar server.
    pub(crate) struct DiscoverBody {
        /// The https address of the server.
        url: Text<1, 2000>,
        /// The user name of the account.
        username: Text<1, 200>,
        /// The password of the account, preferably an app password.
        password: Text<1, 1000>,
    }
}

/// A calendar of an account.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "DiscoveredCalendar")]
pub(super) struct DiscoveredView {
    /// The value for `calendar` when the calendar is connected.
    calendar: String,
    /// The name of the calendar on the server.
    name: String,
    /// The host of the calendar.
    host: String,
    /// Whether the account can write to the calendar.
    writable: bool,
}

list_query! {
    /// The filters of the list of calendars.
    pub(super) struct CalendarsQuery {
        /// Only calendars of this staff member.
        staff_id: Option<StaffId>,
    }
}

list_query! {
    /// The filters of the list of a calendar's appointments.
    pub(super) struct CalendarAppointmentsQuery {
        /// Only appointments with this status: `pending`, `synced` or `failed`.
        status: Option<CalendarSyncStatus>,
    }
}

query_object! {
    /// The ways to disconnect a calendar.
    pub(super) struct DisconnectQuery {
        /// Whether the service first tries to delete the written events that have not ended. It tries for at most 24
        /// hours. The default is false.
        remove_events: Option<bool> = false,
    }
}

fn login(username: String, password: String) -> CalendarLogin {
    CalendarLogin { username, password: CalendarPassword::new(password) }
}

impl CalendarBody {
    /// Checks the properties that depend on each other, and reads the calendar once.
    pub(crate) async fn checked(
        self,
        business: &engine::BusinessHandle,
    ) -> Result<ConnectCalendar, EngineError> {
        // Without these checks, the change would be refused only after the requests to the server.
        if self.write == Some(true) && self.kind != CalendarKind::Caldav {
            return Err(Refusal::invalid("write", ProblemCode::CaldavOnly).into());
        }
        if self.busy == Some(false) && self.write != Some(true) {
            return Err(Refusal::invalid("busy", ProblemCode::BusyOrWrite).into());
        }
        if business.staff_member(self.staff_id).await?.is_none() {
            let unknown = ProblemCode::NotOfTheBusiness(Named::Staff);
            return Err(Refusal::invalid("staff_id", unknown).into());
        }
        let is_caldav = self.kind == CalendarKind::Caldav;
        for (path, is_given) in [
            ("username", self.username.is_some()),
            ("password", self.password.is_some()),
            ("calendar", self.calendar.is_some()),
        ] {
            match (is_caldav, is_given) {
                (true, false) => return Err(Refusal::invalid(path, ProblemCode::Required).into()),
                (false, true) => return Err(Refusal::invalid(path, ProblemCode::CaldavOnly).into()),
                _ => {}
            }
        }
        let login = self.username.zip(self.password);
        let login = login.map(|(name, password)| login_of(name, password));
        let input = CalendarInput {
            id: None,
            kind: self.kind,
            url: self.url.into_string(),
            login: login.clone(),
            password_of: None,
            collection: self.calendar.map(Text::into_string),
        };
        let found = business.check_calendar(input).await?;
        Ok(ConnectCalendar {
            staff_id: self.staff_id,
            name: self.name.map_or_else(|| found.name.clone(), Text::into_string),
            kind: self.kind,
            url: found.url,
            login,
            collection: found.collection,
            collection_name: found.name,
            server_addresses: found.server_addresses,
            busy: self.busy.unwrap_or(true),
            write: self.write.unwrap_or_default(),
            detail: self.detail.unwrap_or(FeedDetail::Services),
            all_day: self.all_day.unwrap_or(AllDay::Busy),
            own_addresses: self.own_addresses.map(DistinctList::into_vec).unwrap_or_default(),
        })
    }
}

impl DiscoverBody {
    pub(crate) fn account(self) -> (String, CalendarLogin) {
        (self.url.into_string(), login_of(self.username, self.password))
    }
}

fn login_of(name: Text<1, 200>, password: Text<1, 1000>) -> CalendarLogin {
    login(name.into_string(), password.into_string())
}

impl CalendarPatchBody {
    /// If the change contains an address or credentials, reads the calendar once to check them.
    pub(crate) async fn checked(
        self,
        id: CalendarId,
        business: &engine::BusinessHandle,
    ) -> Result<PatchCalendar, EngineError> {
        let (url, username, password) = (self.url.set(), self.username.set(), self.password.set());
        let mut change = PatchCalendar {
            id,
            name: self.name.set().map(Text::into_string),
            url: None,
            login: None,
            checked_for: None,
            server_addresses: None,
            busy: self.busy.set(),
            write: self.write.set(),
            detail: self.detail.set(),
            all_day: self.all_day.set(),
            own_addresses: self.own_addresses.set().map(DistinctList::into_vec),
        };
        if url.is_none() && username.is_none() && password.is_none() {
            return Ok(change);
        }
        let before = business.connected_calendar(id).await?.ok_or(Refusal::NotFound(Named::Calendar))?;
        let given = [("username", username.is_some()), ("password", password.is_some())];
        if let (None, Some((path, _))) = (&before.login, given.iter().find(|(_, is_given)| *is_given)) {
            return Err(Refusal::invalid(*path, ProblemCode::CaldavOnly).into());
        }
        change.checked_for = Some((before.url.clone(), before.login.clone()));
        let keeps_password = before.login.is_some() && password.is_none();
        let login = before.login.map(|before| {
            let name = username.map_or(before.username, Text::into_string);
            let password = password.map_or_else(|| before.password.reveal().to_owned(), Text::into_string);
            login(name, password)
        });
        let input = CalendarInput {
            id: Some(id),
            kind: before.kind,
            url: url.map_or_else(|| before.url.as_str().to_owned(), Text::into_string),
            login: login.clone(),
            password_of: keeps_password.then_some(before.url),
            collection: before.collection.map(|url| url.as_str().to_owned()),
        };
        let found = business.check_calendar(input).await?;
        (change.url, change.login) = (Some(found.url), login);
        change.server_addresses = Some(found.server_addresses);
        Ok(change)
    }
}

pub(super) async fn discover(
    _: Context,
    Body(body): Body<DiscoverBody>,
    business: Business,
) -> Result<Plain<Vec<DiscoveredView>>, ApiError> {
    let (url, login) = body.account();
    let found = business.discover_calendars(&url, &login).await?;
    let shown = found.into_iter().map(|it| DiscoveredView {
        calendar: it.url.as_str().to_owned(),
        name: it.name,
        host: it.url.authority(),
        writable: it.is_writable,
    });
    Ok(Plain::of(shown.collect()))
}

pub(super) async fn create(
    context: Context,
    Body(body): Body<CalendarBody>,
    business: Business,
) -> Result<Created<CalendarView>, ApiError> {
    let created: Created<CalendarView> = match context.remembered::<ConnectCalendar, _>().await? {
        Some(given) => given,
        None => context.change(body.checked(&business).await?).await?,
    };
    Ok(created.tagged_as(|shown| &shown.settings))
}

pub(super) async fn list(
    context: Context,
    Query(query): Query<CalendarsQuery>,
    business: Business,
) -> Result<Listed<CalendarView>, ApiError> {
    let asked = query.open(&context, business.list("operator calendars"))?;
    Ok(asked.listed(business.calendars(asked.filter.staff_id, None, &asked.page).await?))
}

pub(super) async fn show(
    _: Context,
    Path(id): Path<CalendarId>,
    business: Business,
) -> Result<One<CalendarView>, ApiError> {
    let calendar = business.calendar(id).await?.ok_or(CalendarId::NOT_FOUND)?;
    Ok(One::of(&calendar).tagged_as(&calendar.settings))
}

pub(super) async fn update(
    context: Context,
    Body(body): Body<CalendarPatchBody>,
    Path(id): Path<CalendarId>,
    business: Business,
) -> Result<Changed<CalendarView>, ApiError> {
    let changed: Changed<CalendarView> = match context.remembered::<PatchCalendar, _>().await? {
        Some(given) => given,
        None => context.change(body.checked(id, &business).await?).await?,
    };
    Ok(changed.tagged_as(|shown| &shown.settings))
}

pub(super) async fn disconnect(
    context: Context,
    Query(query): Query<DisconnectQuery>,
    Path(id): Path<CalendarId>,
) -> Result<Removing<CalendarView>, ApiError> {
    if query.remove_events == Some(true) {
        context.change(RemoveCalendar { id }).await
    } else {
        context.change(DisconnectCalendar { id }).await
    }
}

pub(super) async fn appointments(
    context: Context,
    Query(query): Query<CalendarAppointmentsQuery>,
    Path(id): Path<CalendarId>,
    business: Business,
) -> Result<Listed<CalendarWriteView>, ApiError> {
    let asked =
        query.open(&context, business.list("operator calendar appointments").with_filter(Some(id)))?;
    if business.calendar(id).await?.is_none() {
        return Err(CalendarId::NOT_FOUND.into());
    }
    Ok(asked.listed(business.calendar_writes(id, asked.filter.status, &asked.page).await?))
}

pub(super) async fn write(
    context: Context,
    Path(id): Path<CalendarId>,
    Path(appointment_id): Path<AppointmentId>,
    business: Business,
) -> Result<Accepted<CalendarWriteView>, ApiError> {
    // Two writes of the same event do no harm, so the request has no idempotency key.
    let request = Request { idempotency: None, ..context.request()? };
    Ok(Accepted::of(business.change(request, WriteAppointment { id, appointment_id }).await?.value))
}

pub(super) async fn read(
    context: Context,
    Path(id): Path<CalendarId>,
    business: Business,
) -> Result<Accepted<CalendarView>, ApiError> {
    // Two reads do no harm, so the request has no idempotency key.
    let request = Request { idempotency: None, ..context.request()? };
    Ok(Accepted::of(business.change(request, ReadCalendar { id }).await?.value))
}
