//! The board of the calendar. It has a lane for each staff member on a day, or for each day of a week. A lane
//! shows items: appointments, free times, and marks such as breaks, time off and closed hours.
//!
//! Invariants:
//! - Two items of a lane overlap only if at least one of them is an appointment.
//! - The items are in order of time, so a screen reader reads the day in order.

use std::collections::HashMap;
use std::ops::Range;

use chrono::NaiveDate;
use chrono_tz::Tz;
use domain::diary::Presence;
use domain::{AppointmentStatus, Attendance, ContactId, StaffId, Timestamp};
use view::AppointmentView;

use super::axis::{Axis, STEP_MINUTES, minute, place, shown};
use super::columns::{self, COLUMNS_MAX, columns};
use super::diary::Dates;
use super::today::next_attendances;
use crate::dashboard::days::begins;
use crate::dashboard::pages::prelude::*;
use crate::local_time::instant;

/// The number of minutes between the start times that the board offers. Bookable times have the same interval.
const FREE_MINUTES: u32 = 30;
const NOON: u32 = 12 * 60;
/// If an appointment has fewer minutes than this, the board shows it on one line.
const SHORT_MINUTES: u32 = 30;
/// If an appointment has fewer minutes than this, the name of the customer gets only one line.
const BRIEF_MINUTES: u32 = 45;

#[derive(Default)]
pub(super) struct Item {
    pub(super) place: String,
    /// The kind: `visit`, `free`, `more`, or the class of a mark (`shut`, `break`, `away`, `buffer`, `now`).
    pub(super) kind: &'static str,
    pub(super) class: String,
    pub(super) path: String,
    pub(super) time: String,
    pub(super) until: String,
    /// The customer (`visit`), the staff member (`free`), the number of hidden appointments (`more`), or the meaning
    /// of a mark.
    pub(super) label: String,
    pub(super) say: String,
    /// The start of a free time, in minutes of the day. Used only for the kind `free`.
    pub(super) minute: u32,
    pub(super) visit: Option<Card>,
}

/// The additional values of an item that shows an appointment. Other items, such as free times, have no card.
pub(super) struct Card {
    pub(super) asks: bool,
    pub(super) outside: bool,
    pub(super) noted: bool,
    /// The alert of the contact, or an empty text.
    pub(super) alert: String,
    /// The name of the staff member, if several staff members share the lane.
    pub(super) with: Option<String>,
    pub(super) attended: Option<(&'static str, String)>,
    /// The buttons for the possible next attendances: the attendance and the text of each button.
    pub(super) attends: Vec<(Attendance, String)>,
    /// If the appointment can be moved: the staff member, the start as a minute of the day, and the length in minutes.
    pub(super) moves: Option<(StaffId, u32, u32)>,
}

pub(super) struct Lane {
    pub(super) id: String,
    pub(super) title: String,
    pub(super) sub: String,
    pub(super) date: NaiveDate,
    pub(super) staff: Option<StaffId>,
    /// The CSS class of the staff member's colour, if the lanes belong to different staff members.
    pub(super) tint: Option<String>,
    pub(super) today: bool,
    pub(super) items: Vec<Item>,
}

pub(super) struct Board<'a> {
    pub(super) member: &'a Member,
    pub(super) dates: &'a Dates,
    pub(super) alerts: HashMap<ContactId, String>,
    pub(super) now: Timestamp,
    pub(super) axis: Axis,
    pub(super) book: Option<String>,
}

#[derive(Clone, PartialEq, Eq)]
enum Ground {
    Shut,
    Free,
    Break,
    Out,
    Busy,
    Off(String),
    Buffer,
    Taken,
}

/// Converts ranges of instants to ranges of local times. Each local time is given in minutes since the start of `date`.
pub(super) fn minutes_on(
    stretches: &[Range<Timestamp>],
    date: NaiveDate,
    zone: Tz,
) -> impl Iterator<Item = Range<u32>> {
    let day = begins(date, zone);
    stretches
        .iter()
        .filter(move |stretch| stretch.end > day)
        .map(move |stretch| minute(stretch.start, date, zone)..minute(stretch.end, date, zone))
        .filter(|minutes| !minutes.is_empty())
}

/// The opening hours of a date, including hours of the previous day that run past midnight.
pub(super) fn open_on(dates: &Dates, date: NaiveDate, zone: Tz) -> Vec<Range<u32>> {
    minutes_on(&dates.diary.open, date, zone).filter(|open| open.start < 24 * 60).collect()
}

/// Whether these opening hours begin on the date itself, and not on the previous day. Opening hours that begin at
/// midnight and end by noon are treated as the end of the previous day's hours.
pub(super) fn is_own(open: &Range<u32>) -> bool {
    open.start > 0 || open.end > NOON
}

/// The working time of a staff member on a date, from the first to the last minute. Returns `None` if the staff member
/// does not work on the date, or if one period of time off contains the whole working time.
pub(super) fn in_on(dates: &Dates, presence: &Presence, date: NaiveDate, zone: Tz) -> Option<Range<u32>> {
    let open: Vec<_> = open_on(dates, date, zone).into_iter().filter(is_own).collect();
    let works = match &presence.hours {
        None => span(open.into_iter()),
        Some(hours) => {
            let hours: Vec<_> = minutes_on(hours, date, zone).collect();
            let both = open.iter().flat_map(|open| {
                hours.iter().map(|hours| open.start.max(hours.start)..open.end.min(hours.end))
            });
            span(both.filter(|both| !both.is_empty()))
        }
    };
    works.filter(|works| !is_off(presence, works, date, zone))
}

/// Whether one period of time off of the staff member contains these minutes of a date.
pub(super) fn is_off(presence: &Presence, minutes: &Range<u32>, date: NaiveDate, zone: Tz) -> bool {
    presence.away.iter().any(|(key, end)| {
        let off = [key.starts_at..*end];
        minutes_on(&off, date, zone).any(|off| off.start <= minutes.start && minutes.end <= off.end)
    })
}

pub(super) fn out_on(view: &View, dates: &Dates, date: NaiveDate, zone: Tz) -> String {
    let opens = open_on(dates, date, zone).iter().any(is_own);
    view.t(if opens { "calendar-not-in" } else { "calendar-closed" })
}

pub(super) fn span(minutes: impl Iterator<Item = Range<u32>>) -> Option<Range<u32>> {
    minutes.reduce(|all, one| all.start.min(one.start)..all.end.max(one.end))
}

/// The range of minutes in which the board of a date shows an appointment. The range begins at the local start time, or
/// at 0 if the appointment began before the date. The length of the range is the real time from this beginning to the
/// end of the appointment, even if the clocks change in between.
pub(super) fn minutes_of(visit: &AppointmentView, date: NaiveDate, zone: Tz) -> Range<u32> {
    let start = minute(visit.starts_at, date, zone);
    let begun = visit.starts_at.max(begins(date, zone));
    let millis = (visit.ends_at.millis() - begun.millis()).max(0);
    start..start + u32::try_from(millis / 60_000).unwrap_or(0).max(1)
}

/// Whether `stretches`, which are in order, contain every instant of `range`.
fn cover(stretches: &[Range<Timestamp>], range: Range<Timestamp>) -> bool {
    let mut at = range.start;
    for stretch in stretches {
        if stretch.start <= at {
            at = at.max(stretch.end);
        }
    }
    at >= range.end
}

/// Whether an appointment is outside the working time of its staff member.
fn is_outside(dates: &Dates, presence: &Presence, visit: &AppointmentView) -> bool {
    let during = || visit.starts_at..visit.ends_at;
    let meets = |start: Timestamp, end: Timestamp| start < visit.ends_at && visit.starts_at < end;
    !cover(&dates.diary.open, during())
        || presence.hours.as_ref().is_some_and(|hours| !cover(hours, during()))
        || dates.diary.breaks.iter().any(|pause| meets(pause.start, pause.end))
        || presence.away.iter().any(|(key, end)| meets(key.starts_at, *end))
        || presence.busy.iter().any(|busy| meets(busy.start, busy.end))
}

impl Board<'_> {
    /// The items of a staff member's lane.
    pub(super) fn items(&self, presence: &Presence, date: NaiveDate) -> Vec<Item> {
        let visits: Vec<&AppointmentView> =
            self.dates.visits_of(presence.member.id).filter(|visit| self.is_on(visit, date)).collect();
        let ground = self.ground(Some(presence), &visits, date);
        let mut items = self.marks(&ground);
        items.extend(visits.iter().filter_map(|visit| self.visit(visit, date, None)));
        if presence.member.active {
            items.extend(self.free(presence, &ground, date));
        }
        self.sorted(items, date)
    }

    /// The items of a lane that these staff members share. Overlapping appointments are in columns.
    pub(super) fn items_of_all(&self, staff: &[StaffId], date: NaiveDate) -> Vec<Item> {
        let mut items = self.marks(&self.ground(None, &[], date));
        let place_of = |visit: &AppointmentView| staff.iter().position(|one| *one == visit.staff_id);
        let minutes =
            |visit: &AppointmentView| self.axis.clip(minutes_of(visit, date, self.member.profile.zone));
        let visits = self.dates.visits.iter().filter(|visit| self.is_on(visit, date));
        let mut visits: Vec<_> =
            visits.filter_map(|visit| Some((minutes(visit)?.start, place_of(visit)?, visit))).collect();
        visits.sort_by_key(|(start, place, _)| (*start, *place));
        let ranges: Vec<_> = visits.iter().filter_map(|(.., visit)| minutes(visit)).collect();
        let mut rest = visits.iter().map(|(.., visit)| *visit).zip(&ranges);
        for run in columns(&ranges) {
            let of = run.iter().max().map_or(1, |last| last + 1);
            let mut hidden = Vec::new();
            for (column, (visit, range)) in run.into_iter().zip(rest.by_ref()) {
                if of > COLUMNS_MAX && column >= COLUMNS_MAX - 1 {
                    hidden.push(range.clone());
                } else {
                    items.extend(self.visit(visit, date, Some(columns::class(column, of.min(COLUMNS_MAX)))));
                }
            }
            let count = hidden.len();
            items.extend(span(hidden.into_iter()).map(|minutes| self.more(minutes, date, count)));
        }
        self.sorted(items, date)
    }

    /// Whether an appointment ends after the beginning of a date.
    fn is_on(&self, visit: &AppointmentView, date: NaiveDate) -> bool {
        begins(date, self.member.profile.zone) < visit.ends_at
    }

    /// A link to the day view. It replaces appointments for which there is no column.
    fn more(&self, minutes: Range<u32>, date: NaiveDate, count: usize) -> (u32, Item) {
        let item = Item {
            class: columns::class(COLUMNS_MAX - 1, COLUMNS_MAX),
            path: self.member.calendar("day", date, None),
            label: format!("+{count}"),
            say: self.member.count("calendar-more", count as u64),
            kind: "more",
            place: place(minutes.clone()),
            ..Item::default()
        };
        (minutes.start, item)
    }

    fn sorted(&self, mut items: Vec<(u32, Item)>, date: NaiveDate) -> Vec<Item> {
        items.sort_by_key(|(start, _)| *start);
        let mut items: Vec<_> = items.into_iter().map(|(_, item)| item).collect();
        items.extend(self.now(date));
        items
    }

    fn now(&self, date: NaiveDate) -> Option<Item> {
        let (minute, time) = self.present(date)?;
        let label = self.member.with("calendar-now", "time", &time);
        Some(Item { place: self.axis.moment(minute)?, label, kind: "now", ..Item::default() })
    }

    pub(super) fn present(&self, date: NaiveDate) -> Option<(u32, String)> {
        let is_today = self.member.day(self.now) == date;
        let now = minute(self.now, date, self.member.profile.zone);
        is_today.then(|| (now, self.member.clock_of(now)))
    }

    /// The background of a lane. Each entry describes the background of [`STEP_MINUTES`] minutes.
    fn ground(
        &self,
        presence: Option<&Presence>,
        visits: &[&AppointmentView],
        date: NaiveDate,
    ) -> Vec<Ground> {
        let diary = &self.dates.diary;
        let (zone, first) = (self.member.profile.zone, self.axis.minutes().start);
        let steps = self.axis.minutes().len() / STEP_MINUTES as usize;
        let mut ground = vec![Ground::Shut; steps];
        let mut paint = |minutes: Range<u32>, over: &dyn Fn(&Ground) -> bool, with: &Ground| {
            let Some(cut) = self.axis.clip(minutes) else { return };
            for step in (cut.start - first) / STEP_MINUTES..(cut.end - first) / STEP_MINUTES {
                let at = &mut ground[step as usize];
                if over(at) {
                    *at = with.clone();
                }
            }
        };
        let anything = |_: &Ground| true;
        let is_open = |ground: &Ground| *ground != Ground::Shut;
        let is_free = |ground: &Ground| *ground == Ground::Free;
        for open in minutes_on(&diary.open, date, zone) {
            paint(open, &anything, &Ground::Free);
        }
        if let Some(hours) = presence.and_then(|one| one.hours.as_ref()) {
            let mut since = 0;
            for hours in minutes_on(hours, date, zone) {
                paint(since..hours.start, &is_open, &Ground::Out);
                since = hours.end;
            }
            paint(since..self.axis.minutes().end, &is_open, &Ground::Out);
        }
        for pause in minutes_on(&diary.breaks, date, zone) {
            paint(pause, &is_free, &Ground::Break);
        }
        for busy in presence.iter().flat_map(|one| &one.busy) {
            for minutes in minutes_on(std::slice::from_ref(busy), date, zone) {
                paint(minutes, &is_open, &Ground::Busy);
            }
        }
        for (key, end) in presence.iter().flat_map(|one| &one.away) {
            let note = self.dates.notes.get(&key.id).cloned().unwrap_or_default();
            for minutes in minutes_on(&[key.starts_at..*end], date, zone) {
                paint(minutes, &is_open, &Ground::Off(note.clone()));
            }
        }
        for visit in visits {
            let (from, to) = visit.buffers.around((visit.starts_at, visit.ends_at));
            for minutes in minutes_on(&[from..to], date, zone) {
                paint(minutes, &is_free, &Ground::Buffer);
            }
        }
        for visit in visits {
            paint(minutes_of(visit, date, zone), &anything, &Ground::Taken);
        }
        ground
    }

    fn marks(&self, ground: &[Ground]) -> Vec<(u32, Item)> {
        let first = self.axis.minutes().start;
        let at = |step: usize| first + u32::try_from(step).unwrap_or(0) * STEP_MINUTES;
        let (mut marks, mut begun) = (Vec::new(), 0);
        for run in ground.chunk_by(PartialEq::eq) {
            let minutes = at(begun)..at(begun + run.len());
            begun += run.len();
            let (kind, label) = match &run[0] {
                Ground::Free | Ground::Taken => continue,
                Ground::Shut => ("shut", self.member.t("calendar-closed")),
                Ground::Break => ("break", self.member.t("calendar-break")),
                Ground::Out => ("away", self.member.t("calendar-not-in")),
                Ground::Off(note) => ("away", self.member.time_off(note)),
                Ground::Busy => ("away", self.member.t("calendar-busy")),
                Ground::Buffer => ("buffer", self.member.t("calendar-kept-free")),
            };
            let [time, until] = [minutes.start, minutes.end].map(|minute| self.member.clock_of(minute));
            marks.push((
                minutes.start,
                Item { place: place(minutes), kind, time, until, label, ..Item::default() },
            ));
        }
        marks
    }

    /// The item of an appointment. `column` is the CSS class of its column, if staff members share the lane.
    fn visit(&self, visit: &AppointmentView, date: NaiveDate, column: Option<String>) -> Option<(u32, Item)> {
        let (member, zone) = (self.member, self.member.profile.zone);
        let minutes = self.axis.clip(minutes_of(visit, date, zone))?;
        let asks = visit.status == AppointmentStatus::Pending;
        let is_now = visit.starts_at <= self.now && self.now < visit.ends_at;
        let length = minutes.end - minutes.start;
        let classes = [
            (asks, " asks"),
            (is_now, " over-now"),
            (length < SHORT_MINUTES, " short"),
            ((SHORT_MINUTES..BRIEF_MINUTES).contains(&length), " brief"),
        ];
        let class: String = classes.iter().filter(|(is_so, _)| *is_so).map(|(_, class)| *class).collect();
        let presence = self.dates.presence(visit.staff_id);
        let is_to_come = visit.ends_at > self.now;
        let alert = visit.contact_id.and_then(|id| self.alerts.get(&id));
        let lasts = u32::try_from(member.minutes(visit)).unwrap_or(0);
        // The script of the board knows the start only as a local time of this date. So it must not move an appointment
        // that begins on an earlier date, or at a local time that a clock change repeats.
        let starts = visit.starts_at.utc().with_timezone(&zone);
        let is_exact = starts.date_naive() == date && instant(starts.naive_local(), zone).is_ok();
        let may_move = self.book.is_some() && (is_to_come || !asks) && is_exact;
        let card = Card {
            asks,
            outside: is_to_come && presence.is_some_and(|one| is_outside(self.dates, one, visit)),
            noted: self.dates.noted.contains(&visit.id),
            alert: alert.cloned().unwrap_or_default(),
            with: column.is_some().then(|| visit.staff_name.clone()),
            attended: visit.attendance.map(|_| member.of_appointment(visit)),
            attends: next_attendances(member, visit),
            moves: may_move.then_some((visit.staff_id, minute(visit.starts_at, date, zone), lasts)),
        };
        let item = Item {
            place: place(minutes.clone()),
            class: format!("{} {}{class}", column.unwrap_or_default(), self.dates.color(visit.staff_id)),
            path: member.appointment_path(visit),
            time: member.clock(visit.starts_at),
            until: member.clock(visit.ends_at),
            label: member.who_comes(visit),
            say: visit.service_name.clone(),
            kind: "visit",
            visit: Some(card),
            ..Item::default()
        };
        Some((minutes.start, item))
    }

    fn free(&self, presence: &Presence, ground: &[Ground], date: NaiveDate) -> Vec<(u32, Item)> {
        let Some(book) = &self.book else { return Vec::new() };
        let (first, staff) = (self.axis.minutes().start, presence.member.id);
        let is_free = |minutes: &Range<u32>| {
            let Some(from) = minutes.start.checked_sub(first) else { return false };
            let steps = (from / STEP_MINUTES) as usize..((minutes.end - first) / STEP_MINUTES) as usize;
            from.is_multiple_of(STEP_MINUTES)
                && ground.get(steps).is_some_and(|steps| steps.iter().all(|one| *one == Ground::Free))
        };
        // Times before the current time are not free.
        let past = if begins(date, self.member.profile.zone) > self.now {
            0
        } else {
            minute(self.now, date, self.member.profile.zone) + 1
        };
        let mut free = Vec::new();
        for open in open_on(self.dates, date, self.member.profile.zone) {
            let starts = (open.start..open.end).step_by(FREE_MINUTES as usize);
            for start in starts.filter(|start| *start >= past && *start < 24 * 60) {
                let minutes = start..start + FREE_MINUTES;
                if is_free(&minutes) {
                    let item = Item {
                        place: place(minutes),
                        path: format!("{book}?staff={staff}&date={date}&time={}", shown(start)),
                        label: presence.member.name.clone(),
                        time: self.member.clock_of(start),
                        minute: start,
                        kind: "free",
                        ..Item::default()
                    };
                    free.push((start, item));
                }
            }
        }
        free
    }
}

impl Member {
    pub(super) fn presence(&self, dates: &Dates, presence: &Presence, date: NaiveDate, zone: Tz) -> String {
        match in_on(dates, presence, date, zone) {
            Some(is_in) => self.span(&is_in),
            None => out_on(&self.view, dates, date, zone),
        }
    }
}

impl View {
    pub(super) fn time_off(&self, note: &str) -> String {
        match note {
            "" => self.t("calendar-time-off"),
            note => self.with("calendar-time-off-for", "note", note),
        }
    }

    pub(super) fn who_comes(&self, visit: &AppointmentView) -> String {
        self.named((visit.contact_name.as_deref(), visit.contact_phone.as_deref()), "somebody")
    }
}
