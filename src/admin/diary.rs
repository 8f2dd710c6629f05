//! Special days, staff members' time off, and the times at which the team can book.

use chrono::NaiveDate;
use domain::availability::Terms;
use domain::{BlockedTimeId, DayWindows, ProblemCode, Refusal, ServiceId, StaffId, Text, Timestamp};
use engine::business::commands::diary::{
    AddTimeOff, DeleteSpecialDay, DeleteTimeOff, OffSpan, SetSpecialDay,
};
use schemars::Schema;
use serde_json::{Value, json};
use view::{AffectingView, SpecialDayRemovedView, SpecialDayView, TimeOffView};

use crate::api::availability::{SlotView, check_days, part};
use crate::http::numbers::Limit;
use crate::http::object::one_of;
use crate::http::problems::{FieldPath, Problems};
use crate::http::read::Properties;
use crate::rest::input::PathDate;
use crate::rest::prelude::*;
use crate::{json_object, list_query};

json_object! {
    /// The opening hours of a date: `closed` or `windows`. Both may be given if they agree.
    pub(crate) struct SpecialDayBody {
        /// Whether the business is closed on this date.
        closed: Option<bool>,
        /// The opening hours of the date; none if the business is closed.
        windows: Option<DayWindows>,
        /// A note about the day.
        note: Option<Text<1, 200>>,
    }
    check closed_or_windows, described closed_or_windows_described
}

/// Reports a problem if the body has neither `closed` nor `windows`.
fn closed_or_windows(properties: &Properties<'_>, at: &FieldPath<'_>, problems: &mut Problems) {
    if !properties.has("closed") && !properties.has("windows") {
        problems.add(&at.property("windows"), ProblemCode::RequiredOr("closed"));
    }
}

fn closed_or_windows_described(object: &mut Schema) {
    let windows = object.pointer("/properties/windows").cloned();
    one_of(object, &[("ClosedDay", &["closed"]), ("OpenDay", &["windows"])]);
    let Some([closed, open]) = object.get_mut("oneOf").and_then(Value::as_array_mut).map(Vec::as_mut_slice)
    else {
        unreachable!("`one_of` wrote two alternatives");
    };
    let (closed, open) = (&mut closed["properties"], &mut open["properties"]);
    closed["closed"]["const"] = json!(true);
    closed["windows"] = json!(windows);
    closed["windows"]["maxItems"] = json!(0);
    open["closed"] = json!({"type": "boolean", "const": false, "description": "False, or absent."});
    open["windows"]["minItems"] = json!(1);
}

impl SpecialDayBody {
    /// Returns the change for this date. Refuses a closed day with windows and an open day without windows.
    pub(crate) fn change(self, date: NaiveDate) -> Result<SetSpecialDay, Refusal> {
        let windows = self.windows.unwrap_or(DayWindows::CLOSED);
        match (self.closed, windows.windows()) {
            (Some(true), [_, ..]) => Err(Refusal::invalid("windows", ProblemCode::WindowsOfClosed)),
            (Some(false) | None, []) => Err(Refusal::invalid("windows", ProblemCode::NoWindows)),
            _ => Ok(SetSpecialDay { date, hours: windows, note: self.note }),
        }
    }
}

list_query! {
    /// The filters of a list of special days.
    pub(crate) struct SpecialDaysQuery {
        /// Only special days on or after this date.
        from: Option<NaiveDate>,
        /// Only special days on or before this date.
        to: Option<NaiveDate>,
    }
    normalize in_order
}

/// Refuses a `from` that is after `to`.
fn in_order(query: SpecialDaysQuery) -> Result<SpecialDaysQuery, ApiError> {
    match (query.from, query.to) {
        (Some(from), Some(to)) if to < from => Err(ApiError::invalid("to", ProblemCode::Before("from"))),
        _ => Ok(query),
    }
}

pub(super) async fn special_days(
    context: Context,
    Query(query): Query<SpecialDaysQuery>,
    business: Business,
) -> Result<Listed<SpecialDayView>, ApiError> {
    let asked = query.open(&context, business.list("operator special days"))?;
    Ok(asked.listed(business.special_days((asked.filter.from, asked.filter.to), &asked.page).await?))
}

pub(super) async fn set_special_day(
    context: Context,
    Body(body): Body<SpecialDayBody>,
    PathDate(date): PathDate,
) -> Result<Changed<AffectingView<SpecialDayView>>, ApiError> {
    let changed: Changed<AffectingView<SpecialDayView>> = context.change(body.change(date)?).await?;
    Ok(changed.tagged_as(|shown| &shown.resource))
}

pub(super) async fn delete_special_day(
    context: Context,
    PathDate(date): PathDate,
) -> Result<Done<SpecialDayRemovedView>, ApiError> {
    context.change(DeleteSpecialDay { date }).await
}

json_object! {
    /// Time off from `starts_at` to `ends_at`, or for the whole days from `from` to `to`.
    pub(crate) struct TimeOffBody {
        /// The start, inclusive.
        starts_at: Option<Timestamp>,
        /// The end, exclusive.
        ends_at: Option<Timestamp>,
        /// The first day, in the business's time zone.
        from: Option<NaiveDate>,
        /// The last day.
        to: Option<NaiveDate>,
        /// A note about the reason.
        note: Option<Text<1, 200>>,
    }
    check instants_or_dates, described instants_or_dates_described
}

/// Reports a problem unless the body has a start and an end, as two instants or as two dates.
fn instants_or_dates(properties: &Properties<'_>, at: &FieldPath<'_>, problems: &mut Problems) {
    let has = |name| properties.has(name);
    match (has("starts_at") || has("ends_at"), has("from") || has("to")) {
        (true, true) => {
            problems.add(&at.property("from"), ProblemCode::NotWith(&["starts_at", "ends_at"]));
        }
        (false, false) => {
            problems.add(&at.property("starts_at"), ProblemCode::InstantsOrDates);
        }
        (instants, _) => {
            let names = if instants { ["starts_at", "ends_at"] } else { ["from", "to"] };
            for name in names.into_iter().filter(|name| !has(name)) {
                problems.add(&at.property(name), ProblemCode::Required);
            }
        }
    }
}

fn instants_or_dates_described(object: &mut Schema) {
    one_of(object, &[("TimeOffInstants", &["starts_at", "ends_at"]), ("TimeOffDays", &["from", "to"])]);
}

impl TimeOffBody {
    /// Returns the change for this staff member. [`instants_or_dates`] has already checked the body.
    pub(crate) fn change(self, staff_id: StaffId) -> Result<AddTimeOff, Refusal> {
        let span = match (self.starts_at, self.ends_at, self.from, self.to) {
            (Some(starts_at), Some(ends_at), None, None) => OffSpan::Instants { starts_at, ends_at },
            (None, None, Some(from), Some(to)) => OffSpan::Dates { from, to },
            _ => return Err(Refusal::invalid("starts_at", ProblemCode::InstantsOrDates)),
        };
        Ok(AddTimeOff { staff_id, span, note: self.note })
    }
}

pub(super) async fn add_time_off(
    context: Context,
    Body(body): Body<TimeOffBody>,
    Path(staff_id): Path<StaffId>,
) -> Result<Created<AffectingView<TimeOffView>>, ApiError> {
    let created: Created<AffectingView<TimeOffView>> = context.change(body.change(staff_id)?).await?;
    Ok(created.tagged_as(|shown| &shown.resource))
}

pub(super) async fn times_off(
    context: Context,
    Query(query): Query<PlainList>,
    Path(staff_id): Path<StaffId>,
    business: Business,
) -> Result<Listed<TimeOffView>, ApiError> {
    let asked = query.open(&context, business.list("operator time off").with_filter(Some(staff_id)))?;
    Ok(asked.listed(business.times_off(staff_id, &asked.page).await?))
}

pub(super) async fn delete_time_off(
    context: Context,
    Path(staff_id): Path<StaffId>,
    Path(id): Path<BlockedTimeId>,
) -> Result<Gone, ApiError> {
    context.change(DeleteTimeOff { staff_id, id }).await
}

list_query! {
    /// The filters of a list of bookable times.
    pub(crate) struct TeamAvailabilityQuery {
        /// The service to book.
        service_id: ServiceId,
        /// The first day, in the business's time zone.
        start_date: NaiveDate,
        /// The last day, in the business's time zone. The default is the first day. The range has at most 7
        /// days.
        end_date: Option<NaiveDate>,
        /// Only times when this active staff member is free.
        staff_id: Option<StaffId>,
        /// Whether to list times that overlap the buffers of other appointments. The default is false.
        ignore_buffers: Option<bool> = false,
        /// Whether to list times that overlap busy times of connected calendars. The default is false.
        ignore_calendars: Option<bool> = false,
    }
    /// The maximum number of start times in the response.
    limit: Limit<500, 500>,
    normalize as_meant
}

/// Fills in the defaults. The cursor is bound to these values, so it stays valid whether the client omits a default
/// value or sends it.
fn as_meant(query: TeamAvailabilityQuery) -> Result<TeamAvailabilityQuery, ApiError> {
    let last = query.end_date.unwrap_or(query.start_date);
    check_days(query.start_date, last)?;
    let ignore_buffers = Some(query.ignore_buffers.unwrap_or(false));
    let ignore_calendars = Some(query.ignore_calendars.unwrap_or(false));
    Ok(TeamAvailabilityQuery { end_date: Some(last), ignore_buffers, ignore_calendars, ..query })
}

pub(super) async fn availability(
    context: Context,
    Query(query): Query<TeamAvailabilityQuery>,
    business: Business,
) -> Result<Listed<SlotView>, ApiError> {
    let asked = query.open(&context, business.list("operator availability"))?;
    let query = &asked.filter;
    let days = (query.start_date, query.end_date.unwrap_or(query.start_date));
    let terms = Terms::Team {
        ignore_buffers: query.ignore_buffers.unwrap_or(false),
        ignore_calendars: query.ignore_calendars.unwrap_or(false),
        any_minute: false,
    };
    let slots = business.availability(query.service_id, query.staff_id, days, terms).await?;
    Ok(asked.listed_as(part(slots, asked.page.limit, asked.page.after.as_deref())?, SlotView::from))
}
