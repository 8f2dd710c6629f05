//! The part of a form that chooses the time and the duration of an appointment, and says which rules the
//! choice overrides. An *open time* is one of the start times that [`super::open_times`] offers.
//!
//! Invariants:
//! - An open time is chosen with a radio button; any other time is typed. The typed time counts if no open time
//!   is chosen, or if it was typed after the form was rendered.
//! - The team can book at any minute, not only at the times of the grid of bookable times. The grid is therefore
//!   never shown as a rule that is overridden.
//! - The value of a button that overrides rules lists the rules that the page has shown. If the change overrides a rule
//!   that is neither the grid nor in this list, the change is not made.

use chrono::{NaiveDate, NaiveTime, TimeDelta};
use domain::availability::{OVERRIDE_PAST, Overridden};
use domain::booking::{MoveRequest, Party};
use domain::{ProblemCode, Refusal, SlotReason, Timestamp};
use engine::EngineError;
use engine::business::Proposal;
use view::AppointmentView;

use super::open_times::{OpenTimes, Shown};
use crate::dashboard::pages::prelude::*;
use crate::local_time::{WallClockError, instant};

/// The names of the buttons that show open times. The first is the main button, and the second is for the
/// days of the strip.
const SHOW: &str = "show";
const DAY: &str = "day";
/// The field with the chosen open time, or with [`OTHER`] for a typed time.
const STARTS_AT: &str = "starts_at";
pub(super) const OTHER: &str = "other";
/// Two fields: the typed time, and the value that the first field had when the form was rendered.
const TIME: &str = "time";
const TIME_WAS: &str = "time_was";
/// Two fields: the duration in minutes, and the service's duration when the form was rendered.
const MINUTES: &str = "minutes";
const LASTS: &str = "lasts";
/// The field that lists the rules that the person agrees to override.
const OVERRIDE: &str = "override";
/// The button for a walk-in. If the form has no contact, name, phone or email, the button books for a new contact with
/// a default name. Its value lists the rules that the person agrees to override by clicking it.
pub(super) const WALK_IN: &str = "walk_in";

/// The checkbox that ignores the busy times of connected calendars.
const IGNORE_CALENDARS: &str = "ignore_calendars";

/// The author of a change by the team. If the checkbox is ticked, the change may overlap the busy times of connected
/// calendars.
pub(super) fn team(form: &Form) -> Party {
    let ignore_calendars = form.find(IGNORE_CALENDARS).is_some();
    Party::Team { ignore_buffers: false, ignore_calendars, any_minute: true }
}

/// The time and the duration that a form asks for.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Wish {
    pub(super) at: Option<Timestamp>,
    /// The duration, if it differs from that of the service or of the moved appointment.
    pub(super) duration: Option<TimeDelta>,
    /// Whether the typed text is not a valid time of day.
    is_wrong: bool,
    /// Whether the person chose the time for another date and then changed the date. The time of day is kept only if it
    /// is an open time of the new date.
    is_of_other_date: bool,
}

/// True if the form was sent only to show open times. Such a form changes no appointment.
pub(super) fn only_shows(form: &Form) -> bool {
    form.find(SHOW).is_some() || form.find(DAY).is_some()
}

/// The date that a form asks for, within the days that the team can book.
pub(super) fn date_of(member: &Member, form: &Form) -> Option<NaiveDate> {
    let asked = days::asked(form.get(DAY)).or_else(|| days::asked(form.get("date")))?;
    Some(asked.max(member.day(member.business.now() - OVERRIDE_PAST)))
}

impl Wish {
    pub(super) fn of(member: &Member, form: &Form, date: NaiveDate) -> Self {
        let time = form.get(TIME).trim();
        let slot = Timestamp::parse(form.get(STARTS_AT)).ok();
        let is_typed = !time.is_empty() && (slot.is_none() || time != form.get(TIME_WAS));
        let is_of_other_date = !is_typed && slot.is_some_and(|slot| member.day(slot) != date);
        let at = match slot {
            _ if is_typed => local(member, date, time),
            Some(slot) if is_of_other_date => local(member, date, &wall(member, slot)),
            slot => slot,
        };
        let minutes = Some(form.get(MINUTES).trim()).filter(|minutes| *minutes != form.get(LASTS));
        let minutes = minutes.and_then(|minutes| minutes.parse::<u32>().ok());
        let duration = minutes.filter(|minutes| (5..=720).contains(minutes));
        Self {
            at,
            duration: duration.map(|minutes| TimeDelta::minutes(minutes.into())),
            is_wrong: is_typed && at.is_none(),
            is_of_other_date,
        }
    }

    /// The requested time and duration for this date. Drops a time that was chosen for another date, unless
    /// it is an open time of this date.
    pub(super) fn on(self, shown: &Shown<'_>) -> Self {
        let keeps = !self.is_of_other_date || self.at.is_some_and(|at| shown.offers(at));
        Self { at: self.at.filter(|_| keeps), ..self }
    }
}

/// The local time in the fixed format of a form field, regardless of the person's clock format.
pub(super) fn wall(member: &Member, at: Timestamp) -> String {
    at.utc().with_timezone(&member.profile.zone).format("%H:%M").to_string()
}

/// The instant of a local time. If a clock change repeats the time, the result is the first of the two instants.
fn local(member: &Member, date: NaiveDate, time: &str) -> Option<Timestamp> {
    let time = ["%H:%M", "%H:%M:%S"].iter().find_map(|form| NaiveTime::parse_from_str(time, form).ok())?;
    match instant(date.and_time(time), member.profile.zone) {
        Ok(at) | Err(WallClockError::Twice(at, _)) => Some(Timestamp::from_millis(at.timestamp_millis())),
        Err(WallClockError::Skipped(..)) => None,
    }
}

impl Body<'_> {
    /// Adds the time and the duration of the form.
    pub(super) fn timed(self, form: &Form, wish: Wish) -> Self {
        let body = match wish.at {
            Some(at) => self.with(STARTS_AT, Json::String(at.to_string())),
            None => self,
        };
        let minutes = form.get(MINUTES).trim();
        if minutes.is_empty() || minutes == form.get(LASTS) {
            return body;
        }
        let number = minutes.parse().map_or_else(|_| Json::String(minutes.to_owned()), Json::Integer);
        body.with("duration_minutes", number)
    }
}

/// The result of the engine's check of a time that is not an open time.
pub(super) enum Verdict {
    Overrides(Vec<Overridden>),
    Refused(String),
    /// A time that is not an open time can be booked only with a named staff member.
    NeedsStaff,
}

impl Verdict {
    pub(super) fn of(view: &View, proposal: Result<Proposal, EngineError>) -> Result<Self, Refused> {
        let needs_staff = |undone: &FormError| match undone {
            FormError::Invalid(problems) => {
                problems.iter().all(|one| one.code == ProblemCode::RequiredWith("override"))
            }
            _ => false,
        };
        match proposal.map_err(FormError::of) {
            Ok(Proposal::Allowed) => Ok(Self::Overrides(Vec::new())),
            Ok(Proposal::Overrides(rules)) => Ok(Self::Overrides(rules)),
            Err(Refused::FormError(undone)) if needs_staff(&undone) => Ok(Self::NeedsStaff),
            Err(Refused::FormError(FormError::Conflict(Refusal::SlotUnavailable(SlotReason::Past)))) => {
                Ok(Self::Refused(view.t("book-too-long-ago")))
            }
            Err(Refused::FormError(undone)) => Ok(Self::Refused(undone.message(view, "appointment-stale"))),
            Err(refused) => Err(refused),
        }
    }
}

/// `rules` contains the rules that the change overrides. Returns all of them except the grid, because the person must
/// agree to the override of each rule except the grid.
pub(super) fn to_accept(rules: Vec<Overridden>) -> Vec<Overridden> {
    rules.into_iter().filter(|rule| *rule != Overridden::Grid).collect()
}

/// The author of the change. If the change overrides rules, the person must have agreed to each of them.
pub(super) fn party(member: &Member, proposal: Proposal) -> Result<Party, FormError> {
    let form = &member.form;
    let accepted: Vec<_> =
        [OVERRIDE, WALK_IN].into_iter().flat_map(|name| form.get(name).split(',')).collect();
    match proposal {
        Proposal::Allowed => Ok(team(form)),
        Proposal::Overrides(rules) => {
            let is_agreed = to_accept(rules).iter().all(|rule| accepted.contains(&rule.as_str()));
            is_agreed.then_some(Party::Override).ok_or_else(|| FormError::Notice(member.t("book-not-yet")))
        }
    }
}

/// Returns the author of a move. The author depends on the rules that the move breaks, so this function checks the
/// rules. Exception: if the form is outdated, it does not check them, because the move will be refused anyway.
pub(super) async fn mover(
    member: &Member,
    visit: &AppointmentView,
    request: &MoveRequest,
) -> Result<Party, Refused> {
    if member.form.find("tag").is_some_and(|sent| sent != tag(visit)) {
        return Ok(request.party);
    }
    let proposal = member.business.try_to_move(visit.id, request.clone()).await;
    Ok(party(member, proposal.map_err(FormError::of)?)?)
}

pub(super) struct Timing {
    pub(super) summary: String,
    pub(super) date: Field,
    pub(super) minutes: Field,
    pub(super) lasts: String,
    pub(super) times: OpenTimes,
    /// Whether the list of days and times is expanded when the page loads.
    pub(super) open: bool,
    /// The typed time, if it is not among the open times.
    pub(super) typed: String,
    pub(super) step: u32,
    pub(super) problem: String,
    /// Whether the page moves the focus to `problem`.
    pub(super) first: bool,
    /// The rules that the choice overrides, each as a sentence.
    pub(super) rules: Vec<String>,
    /// The identifiers of the rules in `rules`, separated by commas. The buttons with which the person overrides
    /// these rules have this value.
    pub(super) accepts: String,
    pub(super) needs_staff: bool,
    /// Whether the busy times of connected calendars are ignored. It is `None` if the business has no connected
    /// calendar.
    pub(super) ignores_calendars: Option<bool>,
}

impl Timing {
    /// `lasts` is the duration of the service or of the moved appointment. The form shows it unless the person has
    /// typed another duration. `verdict` is the result of the check of a time that is not an open time.
    pub(super) fn new(
        shown: &Shown<'_>,
        filled: &mut Filled,
        (wish, lasts): (Wish, TimeDelta),
        verdict: Option<Verdict>,
    ) -> Self {
        let member = shown.member;
        let is_other = wish.is_wrong || wish.at.is_some_and(|at| !shown.offers(at));
        let typed = match wish.at {
            Some(at) if is_other => wall(member, at),
            _ if wish.is_wrong => filled.get(TIME).to_owned(),
            _ => String::new(),
        };
        let mut problem = filled.problem(&member.view, STARTS_AT);
        if wish.is_wrong {
            problem = member.t("book-time-wrong");
        }
        let (mut rules, mut needs_staff) = (Vec::new(), false);
        let mut first = false;
        match verdict {
            Some(Verdict::Overrides(overridden)) => rules = to_accept(overridden),
            Some(Verdict::Refused(text)) => {
                // The page shows the reason for a conflict next to the times and moves the focus to it. So the notice
                // above the form is removed.
                first = filled.status == StatusCode::CONFLICT && !filled.stale;
                if first {
                    filled.notice.clear();
                }
                problem = format!("{text} {}", member.t("book-times-now"));
            }
            Some(Verdict::NeedsStaff) => needs_staff = true,
            None => {}
        }
        let ends = wish.at.map(|at| at + wish.duration.unwrap_or(lasts));
        let summary = wish.at.zip(ends).map(|(at, ends)| {
            format!("{}, {} – {}", member.heading(member.day(at)), member.clock(at), member.clock(ends))
        });
        let lasts = lasts.num_minutes().to_string();
        let minutes_typed = filled.get(MINUTES).trim();
        let is_own = !minutes_typed.is_empty() && minutes_typed != filled.get(LASTS);
        let minutes = if is_own { minutes_typed } else { &lasts };
        let of_minutes = Field::new(MINUTES, "number", "off", member.t("book-minutes")).class("short");
        let minutes =
            of_minutes.holding(minutes).problem(Some(filled.problem(&member.view, "duration_minutes")));
        Self {
            open: summary.is_none() || !problem.is_empty(),
            summary: summary.unwrap_or_else(|| member.t("book-choose-time")),
            date: Field::new("date", "date", "off", member.t("book-day")).holding(&shown.date.to_string()),
            minutes,
            lasts,
            times: shown.open_times(wish.at),
            typed,
            step: member.profile.grid_minutes * 60,
            problem,
            first,
            accepts: rules.iter().map(|rule| rule.as_str()).collect::<Vec<_>>().join(","),
            rules: rules.iter().map(|rule| member.t(&format!("book-override-{rule}"))).collect(),
            needs_staff,
            ignores_calendars: shown.has_calendar.then(|| filled.has(IGNORE_CALENDARS)),
        }
    }
}
