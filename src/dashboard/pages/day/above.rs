//! The header of the calendar views, with links to other views, to the previous and next period, and to the
//! same view of each staff member. This module also formats days in words.

use chrono::{Datelike, Days, NaiveDate, Weekday};
use domain::{Right, StaffId, WeekStart};

use super::diary::Dates;
use super::options::Options;
use super::weeks::Weeks;
use crate::dashboard::pages::prelude::*;

/// The maximum number of appointments in a week view. The page says if there are more.
pub(super) const OF_A_WEEK_MAX: usize = 2_000;

#[derive(Default)]
pub(super) struct Head {
    pub(super) title: String,
    /// The title on small screens.
    pub(super) short: String,
    pub(super) sub: String,
    pub(super) is: &'static str,
    pub(super) day: String,
    pub(super) week: String,
    pub(super) month: String,
    pub(super) list: String,
    pub(super) before: Option<Crumb>,
    pub(super) present: Option<Crumb>,
    pub(super) after: Option<Crumb>,
    pub(super) book: Option<String>,
    /// The path of the page that adds time off, if the person may add any.
    pub(super) block: Option<String>,
    pub(super) staff: Vec<Tab>,
    pub(super) options: Option<Options>,
    pub(super) weeks: Weeks,
}

pub(super) struct ViewQuery {
    pub(super) date: NaiveDate,
    pub(super) staff: Option<StaffId>,
}

/// The query of a view of the calendar.
pub(super) fn query(view: &str, date: NaiveDate, staff: Option<StaffId>) -> String {
    let staff = staff.map(|staff| format!("&staff={staff}")).unwrap_or_default();
    format!("view={view}&date={date}{staff}")
}

impl Member {
    pub(super) fn calendar(&self, view: &str, date: NaiveDate, staff: Option<StaffId>) -> String {
        format!("{}?{}", self.path_to("calendar"), query(view, date, staff))
    }

    pub(super) fn head(&self, is: &'static str, asked: &ViewQuery) -> Head {
        let to = |view: &str| self.calendar(view, asked.date, asked.staff);
        let staff = asked.staff.map(|staff| format!("&staff={staff}")).unwrap_or_default();
        let back = query(is, asked.date, asked.staff);
        let back: String = url::form_urlencoded::byte_serialize(back.as_bytes()).collect();
        let form = |path: &str| format!("{}?date={}{staff}&back={back}", self.path_to(path), asked.date);
        let may_book = self.may(Right::Day);
        let may_block = self.may(Right::Settings) || self.membership.staff_id.is_some() && may_book;
        Head {
            is,
            day: to("day"),
            week: to("week"),
            month: to("month"),
            list: to("list"),
            book: may_book.then(|| form("appointments/new")),
            block: may_block.then(|| form("calendar/block")),
            weeks: self.weeks(if is == "week" { is } else { "day" }, asked),
            ..Head::default()
        }
    }

    /// The header of a week. `of` is the name of a staff member, or the text for all staff members.
    pub(super) fn week_head(&self, asked: &ViewQuery, dates: &Dates, of: &str) -> Head {
        let view = &self.view;
        let days = self.week_days(asked.date);
        let (first, last) = (days[0], days[6]);
        let is_in_month = (first.year(), first.month()) == (last.year(), last.month());
        // The first day is shown without month and year if the last day has the same month and year.
        let from = if is_in_month { self.day_number(first) } else { view.long_date(first) };
        let title = view.says("calendar-week-title", &[("from", from), ("to", view.long_date(last))]);
        let way = |to: Option<NaiveDate>| {
            to.map(|day| Crumb {
                label: view.week(self.week_days(day)[3]),
                path: self.calendar("week", day, asked.staff),
            })
        };
        let today = self.calendar("week", self.today(), asked.staff);
        let count = view.count("appointments-count", dates.visits.len() as u64);
        Head {
            title: capitalised(&title),
            short: format!("{} – {}", first.day(), view.brief_date(last)),
            options: Some(self.options("week", asked, dates)),
            sub: format!("{} · {of} · {count}", view.week(days[3])),
            before: way(weeks_on(asked.date, false)),
            present: Some(Crumb { label: view.t("calendar-this-week"), path: today }),
            after: way(weeks_on(asked.date, true)),
            staff: self.tabs("week", asked, dates),
            ..self.head("week", asked)
        }
    }

    pub(super) fn tabs(&self, view: &str, asked: &ViewQuery, dates: &Dates) -> Vec<Tab> {
        let tab = |label: String, staff: Option<StaffId>| Tab {
            label,
            path: self.calendar(view, asked.date, staff),
            current: asked.staff == staff,
        };
        let each = dates.staff().map(|one| tab(one.member.name.clone(), Some(one.member.id)));
        std::iter::once(tab(self.t("calendar-all-staff"), None)).chain(each).collect()
    }

    /// The days of the week that contains this date. The person's settings determine the first weekday.
    pub(super) fn week_days(&self, date: NaiveDate) -> Vec<NaiveDate> {
        let first = match self.signed_in.person.week_start {
            WeekStart::Monday => Weekday::Mon,
            WeekStart::Sunday => Weekday::Sun,
            WeekStart::Saturday => Weekday::Sat,
            WeekStart::Auto => first_weekday(&self.profile.phone_region),
        };
        let since = date.weekday().days_since(first);
        let first = date.checked_sub_days(Days::new(since.into()));
        first.unwrap_or(date).iter_days().take(7).collect()
    }

    pub(in crate::dashboard) fn place_name(&self) -> String {
        self.profile.zone.name().rsplit('/').next().unwrap_or_default().replace('_', " ")
    }
}

/// The regions in which weeks begin on Sunday or Saturday (`weekData` of CLDR).
const SUNDAY_REGIONS: &str = "AG AS BD BR BS BT BW BZ CA CO DM DO ET GT GU HK HN ID IL IN JM JP KE KH KR LA MH MM \
    MO MT MX MZ NI NP PA PE PH PK PR PT PY SA SG SV TH TT TW UM US VE VI WS YE ZA ZW";
const SATURDAY_REGIONS: &str = "AF BH DJ DZ EG IQ IR JO KW LY OM QA SD SY";

fn first_weekday(region: &str) -> Weekday {
    let is_in = |regions: &str| regions.split_whitespace().any(|one| one == region);
    match () {
        () if is_in(SUNDAY_REGIONS) => Weekday::Sun,
        () if is_in(SATURDAY_REGIONS) => Weekday::Sat,
        () => Weekday::Mon,
    }
}

impl Member {
    pub(super) fn span(&self, minutes: &std::ops::Range<u32>) -> String {
        format!("{} – {}", self.clock_of(minutes.start), self.clock_of(minutes.end))
    }
}

impl View {
    pub(super) fn week(&self, day: NaiveDate) -> String {
        self.with("calendar-week-number", "number", &day.iso_week().week().to_string())
    }

    pub(super) fn short_weekday(&self, day: NaiveDate) -> String {
        self.count("calendar-weekday", day.weekday().number_from_monday().into())
    }

    /// A date without its year, for example `1 Dec`.
    pub(super) fn brief_date(&self, day: NaiveDate) -> String {
        self.words.dated("calendar-short-date", day, "")
    }

    fn day_number(&self, day: NaiveDate) -> String {
        self.words.say("day", &[("number", Value::Count(day.day().into()))])
    }

    fn long_date(&self, day: NaiveDate) -> String {
        self.words.dated("date-of-year", day, "")
    }
}

/// The same weekday one week later or earlier.
pub(super) fn weeks_on(day: NaiveDate, forward: bool) -> Option<NaiveDate> {
    if forward { day.checked_add_days(Days::new(7)) } else { day.checked_sub_days(Days::new(7)) }
}
