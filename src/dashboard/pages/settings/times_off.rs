//! The list of a staff member's time off, and the form that adds time off.
//!
//! Invariants:
//! - A local time that the clocks skip or repeat is refused.
//! - A whole day lasts from its first to its last instant, even on days with a clock change.

use chrono::{Days, NaiveDate, NaiveTime, TimeDelta};
use chrono_tz::Tz;
use domain::{LocalTime, Problem, ProblemCode, StaffId, Timestamp};
use view::TimeOffView;

use super::week::tidy;
use crate::admin::diary::TimeOffBody;
use crate::dashboard::listing::all;
use crate::dashboard::pages::prelude::*;
use crate::http::read::FromText;
use crate::local_time::{WallClockError, instant};

const SHOWN_MAX: usize = 200;

pub(super) struct TimesOff {
    pub(super) rows: Vec<TimeOffView>,
    pub(super) past: bool,
    pub(super) more: String,
    pub(super) may: bool,
    pub(super) filled: Filled,
    pub(super) fields: [Field; 5],
}

impl TimesOff {
    pub(super) async fn of(member: &Member, staff: StaffId, mut filled: Filled) -> Result<Self, Refused> {
        let (view, business, now) = (&member.view, &member.business, member.business.now());
        let past = member.query.get("off") == "past";
        let mut rows = all(|page| async move { business.times_off(staff, &page).await }).await?;
        rows.retain(|off| (off.ends_at <= now) == past);
        if past {
            rows.reverse();
        }
        let more = rows.len().checked_sub(SHOWN_MAX).filter(|more| *more > 0);
        rows.truncate(SHOWN_MAX);
        let date = |id: &str, label: &str| Field::new(id, "date", "off", view.t(label)).class("date");
        let time = |id: &str, label: &str| Field::line(id, view.t(label)).class("time").optional();
        let fields = [
            date("from", "off-from"),
            time("from_time", "off-time"),
            date("to", "off-to").optional(),
            time("to_time", "off-time"),
            Field::line("note", view.t("off-note")).optional(),
        ];
        Ok(Self {
            rows,
            past,
            more: more.map(|more| view.count("off-more", more as u64)).unwrap_or_default(),
            may: member.may_block(staff),
            fields: fields.map(|field| filled.field(view, field)),
            filled,
        })
    }
}

impl Member {
    pub(super) fn off(&self, off: &TimeOffView) -> String {
        let (start, end, zone) = (off.starts_at, off.ends_at, self.profile.zone);
        let (first, last) = (self.day(start), self.day(end));
        let whole = days::begins(first, zone) == start && days::begins(last, zone) == end;
        let last = if whole { last.pred_opt().unwrap_or(last) } else { last };
        let values = [
            ("from", self.full_date(first)),
            ("to", self.full_date(last)),
            ("from_time", self.clock(start)),
            ("to_time", self.clock(end)),
        ];
        let words = match (whole, first == last) {
            (true, true) => "off-day",
            (true, false) => "off-days",
            (false, true) => "off-hours",
            (false, false) => "off-span",
        };
        capitalised(&self.says(words, &values))
    }
}

/// Converts the form to a body. The body contains instants if the form contains a time of day, and dates if not.
pub(in crate::dashboard::pages) fn read(member: &Member) -> Result<TimeOffBody, FormError> {
    let form = &member.form;
    let from = date(form, "from");
    let to = if form.get("to").trim().is_empty() { from.clone() } else { date(form, "to") };
    let end_at = |day: &Result<NaiveDate, Problem>, name: &str, ends: bool| {
        let at = at(day.as_ref().ok().copied(), &tidy(form.get(name)), ends, member.profile.zone);
        at.map_err(|code| Problem::new(name, code))
    };
    let (start, end) = (end_at(&from, "from_time", false), end_at(&to, "to_time", true));
    let has_time = ["from_time", "to_time"].iter().any(|name| !tidy(form.get(name)).is_empty());
    let body = member.body().optional("note");
    let text = |text: String| Json::String(text);
    let body = match (from, to, start, end) {
        (Ok(_), Ok(_), Ok(Some(start)), Ok(Some(end))) if has_time => {
            body.with("starts_at", text(start.to_string())).with("ends_at", text(end.to_string()))
        }
        (Ok(from), Ok(to), Ok(_), Ok(_)) => {
            body.with("from", text(from.to_string())).with("to", text(to.to_string()))
        }
        (from, to, start, end) => {
            let problems = [start.err(), end.err(), from.err(), to.err()].into_iter().flatten();
            let mut problems: Vec<_> = problems.collect();
            // Without a last day, the first day is also the last day, so a problem with this day would be shown twice.
            problems.dedup_by(|one, other| one.path == other.path);
            return Err(FormError::Invalid(problems));
        }
    };
    body.read()
}

pub(in crate::dashboard::pages) fn beside(problem: Problem) -> Problem {
    match problem.path.as_str() {
        "starts_at" => Problem::new("from", problem.code),
        "ends_at" => Problem::new("to", problem.code),
        _ => problem,
    }
}

pub(in crate::dashboard) fn date(form: &Form, name: &str) -> Result<NaiveDate, Problem> {
    let text = form.get(name).trim();
    if text.is_empty() {
        return Err(Problem::new(name, ProblemCode::Required));
    }
    NaiveDate::from_text(text).map_err(|code| Problem::new(name, code))
}

/// The instant of a time on a day, or `None` if `day` is `None`. If `time` is empty, the instant is the start
/// of the day or, if `ends` is true, the end of the day.
pub(in crate::dashboard) fn at(
    day: Option<NaiveDate>,
    time: &str,
    ends: bool,
    zone: Tz,
) -> Result<Option<Timestamp>, ProblemCode> {
    let time = if time.is_empty() { None } else { Some(LocalTime::from_text(time)?.minutes()) };
    let Some(day) = day else { return Ok(None) };
    let next = day.checked_add_days(Days::new(1)).unwrap_or(day);
    Ok(Some(match time {
        None => days::begins(if ends { next } else { day }, zone),
        Some(LocalTime::DAY_MINUTES) => days::begins(next, zone),
        Some(minutes) => {
            let local = day.and_time(NaiveTime::MIN) + TimeDelta::minutes(minutes.into());
            let at = instant(local, zone).map_err(|error| match error {
                WallClockError::Skipped(..) => ProblemCode::SkippedTime,
                WallClockError::Twice(..) => ProblemCode::TimeTwice,
            })?;
            Timestamp::from_millis(at.timestamp_millis())
        }
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_of_a_day_is_one_instant_or_a_problem() {
        let paris = chrono_tz::Europe::Paris;
        let day = |text: &str| Some(text.parse::<NaiveDate>().unwrap());
        let utc = |text: &str| Ok(Some(Timestamp::parse(text).unwrap()));
        assert_eq!(at(day("2026-03-02"), "09:30", false, paris), utc("2026-03-02T08:30:00Z"));
        assert_eq!(at(day("2026-03-02"), "", false, paris), utc("2026-03-01T23:00:00Z"));
        assert_eq!(at(day("2026-03-29"), "", true, paris), utc("2026-03-29T22:00:00Z"), "a day of 23 hours");
        assert_eq!(at(day("2026-03-29"), "24:00", true, paris), utc("2026-03-29T22:00:00Z"));
        assert_eq!(at(None, "09:30", false, paris), Ok(None));
        assert_eq!(at(day("2026-03-29"), "02:30", false, paris), Err(ProblemCode::SkippedTime));
        assert_eq!(at(day("2026-10-25"), "02:30", false, paris), Err(ProblemCode::TimeTwice));
        assert_eq!(at(day("2026-03-02"), "25:00", false, paris), Err(ProblemCode::NotALocalTime));
    }
}
