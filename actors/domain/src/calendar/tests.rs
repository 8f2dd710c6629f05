use chrono_tz::{
    America::{Havana, New_York},
    Asia::{Beirut, Kathmandu},
    Australia::Lord_Howe,
    Europe::Paris,
    Pacific::Apia,
};

use super::*;
use crate::Day::{Friday, Monday, Saturday, Sunday, Thursday, Tuesday, Wednesday};
use crate::{BookingMode, DayHours, DayWindows, LocalTime, Locale, SpecialDay};

fn days(windows: &[(Day, &str, &str)]) -> Vec<DayHours> {
    let time = |text: &str| LocalTime::parse(text).unwrap();
    let windows = windows.iter().map(|(day, open, close)| (*day, time(open), time(close)));
    windows.map(|(day, open, close)| DayHours { day, open, close }).collect()
}

fn week(windows: &[(Day, &str, &str)]) -> WeeklyHours {
    WeeklyHours::new(days(windows)).unwrap()
}

/// A business with these opening hours and this time zone. All other settings have their defaults.
struct Shop {
    business: Business,
    special: SpecialDays,
}

impl Shop {
    fn new(hours: &WeeklyHours, zone: Tz) -> Self {
        let then = Timestamp::from_millis(0);
        let business = Business {
            id: uuid::Uuid::from_u128(1).into(),
            name: "Shop".into(),
            zone,
            locale: Locale::En,
            website_url: None,
            booking_mode: BookingMode::Instant,
            hours: hours.clone(),
            breaks: WeeklyBreaks::default(),
            phone_region: "US".into(),
            suspended: false,
            customer_word: crate::CustomerWord::Client,
            grid_minutes: crate::GRID_MINUTES_DEFAULT,
            created_at: then,
            updated_at: then,
        };
        Self { business, special: SpecialDays::new() }
    }

    fn special(mut self, day: &str, windows: &[(&str, &str)]) -> Self {
        let time = |text: &str| LocalTime::parse(text).unwrap();
        let windows =
            windows.iter().map(|(open, close)| LocalWindow { open: time(open), close: time(close) });
        let (hours, then) = (DayWindows::new(windows.collect()).unwrap(), Timestamp::from_millis(0));
        let day = SpecialDay { date: date(day), hours, note: None, created_at: then, updated_at: then };
        self.special.insert(day.date, day);
        self
    }

    fn breaks(mut self, breaks: &[(Day, &str, &str)]) -> Self {
        self.business.breaks = WeeklyBreaks::new(days(breaks)).unwrap();
        self
    }

    fn calendar(&self) -> Calendar<'_> {
        Calendar::new(&self.business, &self.special)
    }

    fn starts(&self, first: NaiveDate, last: NaiveDate, duration: TimeDelta) -> Vec<Timestamp> {
        self.calendar().timeline(first..=last, duration).starts(duration)
    }

    fn check(&self, start: Timestamp, duration: TimeDelta) -> Result<(), SlotReason> {
        self.calendar().timeline_around(start, duration).check(start, duration)
    }

    fn local_date(&self, at: Timestamp) -> NaiveDate {
        self.calendar().local_date(at)
    }

    fn day_bounds(&self, date: NaiveDate) -> Range<Timestamp> {
        self.calendar().day_bounds(date)
    }
}

fn always() -> WeeklyHours {
    week(&Day::ALL.iter().map(|day| (*day, "00:00", "24:00")).collect::<Vec<_>>())
}

fn date(text: &str) -> NaiveDate {
    text.parse().unwrap()
}

fn at(text: &str) -> Timestamp {
    Timestamp::parse(text).unwrap()
}

/// Returns the start times of one day in local time. Asserts that `check` returns the same result for each minute of
/// the day.
fn starts(zone: Tz, windows: &[(Day, &str, &str)], day: &str, minutes: i64) -> Vec<String> {
    let hours = week(windows);
    let calendar = Shop::new(&hours, zone);
    let (day, duration) = (date(day), TimeDelta::minutes(minutes));
    let starts = calendar.starts(day, day, duration);
    let around = calendar.day_bounds(day);
    let mut minute = around.start - TimeDelta::hours(2);
    while minute < around.end + TimeDelta::hours(2) {
        let listed = starts.contains(&minute);
        let is_start = calendar.check(minute, duration).is_ok() && calendar.local_date(minute) == day;
        assert_eq!(listed, is_start, "{minute}");
        minute = minute + TimeDelta::minutes(1);
    }
    let shown = |at: &Timestamp| {
        let local = at.utc().with_timezone(&zone).format("%H:%M%:z").to_string();
        local.strip_suffix(":00").map(str::to_owned).unwrap_or(local)
    };
    starts.iter().map(shown).collect()
}

#[test]
fn starts_are_half_hours_from_the_opening_and_the_service_ends_by_the_closing() {
    let hours = [(Monday, "09:10", "11:00")];
    assert_eq!(starts(Paris, &hours, "2026-03-02", 30), ["09:10+01", "09:40+01", "10:10+01"]);
    assert_eq!(starts(Paris, &hours, "2026-03-02", 50), ["09:10+01", "09:40+01", "10:10+01"]);
    assert_eq!(starts(Paris, &hours, "2026-03-02", 51), ["09:10+01", "09:40+01"]);
    assert_eq!(starts(Paris, &hours, "2026-03-02", 111), [""; 0]);
    assert_eq!(starts(Paris, &hours, "2026-03-03", 30), [""; 0]);
}

#[test]
fn the_shortest_service_fits_into_the_last_five_minutes() {
    assert_eq!(starts(Paris, &[(Monday, "09:00", "09:35")], "2026-03-02", 5), ["09:00+01", "09:30+01"]);
    assert_eq!(starts(Paris, &[(Monday, "09:00", "09:34")], "2026-03-02", 5), ["09:00+01"]);
}

#[test]
fn the_longest_service_takes_a_whole_day_of_24_hours() {
    assert_eq!(starts(Paris, &[(Monday, "00:00", "24:00")], "2026-03-02", 1440), ["00:00+01"]);
    // The clocks go forward on this day, so it has 23 hours, and a service of 24 hours does not fit.
    assert_eq!(starts(Paris, &[(Sunday, "00:00", "24:00")], "2026-03-29", 1440), [""; 0]);
    assert_eq!(starts(Paris, &[(Sunday, "00:00", "24:00")], "2026-03-29", 1380), ["00:00+01"]);
    // The clocks go back on this day, so it has 25 hours, and a service of 24 hours can start at several times.
    let back = starts(Paris, &[(Sunday, "00:00", "24:00")], "2026-10-25", 1440);
    assert_eq!(back, ["00:00+02", "00:30+02", "01:00+02"]);
    let hours = always();
    let calendar = Shop::new(&hours, Paris);
    let list = |day| calendar.starts(date(day), date(day), TimeDelta::minutes(1440)).len();
    assert_eq!((list("2026-03-02"), list("2026-03-29"), list("2026-10-25")), (48, 46, 50));
}

#[test]
fn a_start_after_midnight_belongs_to_the_day_it_falls_on() {
    let hours = [(Monday, "22:15", "01:00")];
    assert_eq!(starts(Paris, &hours, "2026-03-02", 30), ["22:15+01", "22:45+01", "23:15+01", "23:45+01"]);
    assert_eq!(starts(Paris, &hours, "2026-03-03", 30), ["00:15+01"]);
    assert_eq!(starts(Paris, &hours, "2026-03-03", 45), ["00:15+01"]);
    assert_eq!(starts(Paris, &hours, "2026-03-03", 46), [""; 0]);
}

#[test]
fn adjacent_windows_are_joined_and_each_keeps_its_own_grid() {
    let hours = [(Monday, "22:45", "24:00"), (Tuesday, "00:00", "01:00")];
    assert_eq!(starts(Paris, &hours, "2026-03-02", 60), ["22:45+01", "23:15+01", "23:45+01"]);
    assert_eq!(starts(Paris, &hours, "2026-03-03", 60), ["00:00+01"]);
    let late = [(Monday, "23:00", "02:10"), (Tuesday, "02:10", "03:00")];
    assert_eq!(
        starts(Paris, &late, "2026-03-03", 60),
        ["00:00+01", "00:30+01", "01:00+01", "01:30+01", "02:00+01"]
    );
    let apart = [(Monday, "22:45", "24:00"), (Tuesday, "00:01", "01:00")];
    assert_eq!(starts(Paris, &apart, "2026-03-02", 60), ["22:45+01"]);
}

#[test]
fn an_appointment_can_span_three_adjacent_windows() {
    let hours = [(Monday, "23:30", "24:00"), (Tuesday, "00:00", "24:00"), (Wednesday, "00:00", "00:10")];
    assert_eq!(starts(Paris, &hours, "2026-03-02", 1440), ["23:30+01"]);
    assert_eq!(starts(Paris, &hours, "2026-03-03", 1440), ["00:00+01"]);
}

#[test]
fn new_york_skips_an_hour_and_repeats_one() {
    let night = [(Sunday, "01:00", "04:00")];
    let forward = ["01:00-05", "01:30-05", "03:00-04", "03:30-04"];
    assert_eq!(starts(New_York, &night, "2026-03-08", 30), forward);
    let back =
        ["01:00-04", "01:30-04", "01:00-05", "01:30-05", "02:00-05", "02:30-05", "03:00-05", "03:30-05"];
    assert_eq!(starts(New_York, &night, "2026-11-01", 30), back);
}

#[test]
fn an_opening_that_is_skipped_is_the_first_instant_after_the_gap() {
    assert_eq!(starts(New_York, &[(Sunday, "02:15", "04:15")], "2026-03-08", 30), ["03:00-04", "03:30-04"],);
    // The clocks go from 02:00 to 03:00. A window inside the skipped hour is empty. A closing time inside the skipped
    // hour counts as 03:00.
    assert_eq!(starts(New_York, &[(Sunday, "02:10", "02:50")], "2026-03-08", 5), [""; 0]);
    assert_eq!(starts(New_York, &[(Sunday, "01:00", "02:50")], "2026-03-08", 30), ["01:00-05", "01:30-05"]);
    assert_eq!(starts(New_York, &[(Sunday, "01:00", "02:50")], "2026-03-08", 45), ["01:00-05"]);
}

#[test]
fn a_window_in_a_repeated_hour_opens_at_the_earlier_instant_and_closes_at_the_later() {
    assert_eq!(
        starts(New_York, &[(Sunday, "00:30", "01:30")], "2026-11-01", 30),
        ["00:30-04", "01:00-04", "01:30-04", "01:00-05"],
    );
    // On this date, clocks show the times from 01:00 to 02:00 twice. The window opens at the first 01:30, so the second
    // 01:00 is within the window. But the grid counts in local times from 01:30, so 01:00 is not on the grid.
    let hours = [(Sunday, "01:30", "02:30")];
    assert_eq!(starts(New_York, &hours, "2026-11-01", 30), ["01:30-04", "01:30-05", "02:00-05"]);
    let hours = week(&hours);
    let calendar = Shop::new(&hours, New_York);
    let check = |text| calendar.check(at(text), TimeDelta::minutes(30));
    assert_eq!(check("2026-11-01T01:00:00-05:00"), Err(SlotReason::OffGrid));
    assert_eq!(check("2026-11-01T01:00:00-04:00"), Err(SlotReason::OutsideHours));
}

#[test]
fn windows_that_overlap_only_because_of_a_clock_change_are_one() {
    // The clocks show 01:20 twice on Sunday. Saturday's window closes at the second occurrence, and Sunday's window
    // opens at the first one, so the windows overlap.
    let hours = [(Saturday, "23:50", "01:20"), (Sunday, "01:20", "02:20")];
    let both = ["00:20-04", "00:50-04", "01:20-04", "01:50-04", "01:20-05", "01:50-05"];
    assert_eq!(starts(New_York, &hours, "2026-11-01", 30), both);
}

#[test]
fn a_start_is_on_the_grid_of_a_window_that_is_open() {
    // On Sunday, the clocks show the hour from 01:00 to 02:00 twice. Sunday's window opens at the first 01:25.
    // Saturday's window closes later, at the second 01:10. So the windows overlap. The second 01:10 is not a start
    // time: only Sunday's window is still open, and 01:10 is not on the grid of Sunday's window.
    let hours = [(Saturday, "23:40", "01:10"), (Sunday, "01:25", "02:55")];
    let first = ["00:10-04", "00:40-04", "01:10-04", "01:25-04", "01:40-04", "01:55-04"];
    let second = ["01:25-05", "01:55-05", "02:25-05"];
    assert_eq!(starts(New_York, &hours, "2026-11-01", 30), [&first[..], &second[..]].concat());
}

#[test]
fn havana_changes_its_clocks_at_midnight() {
    let sunday = [(Sunday, "00:00", "02:00")];
    assert_eq!(starts(Havana, &sunday, "2026-03-08", 30), ["01:00-04", "01:30-04"]);
    assert_eq!(
        starts(Havana, &sunday, "2026-11-01", 30),
        ["00:00-04", "00:30-04", "00:00-05", "00:30-05", "01:00-05", "01:30-05"],
    );
    // If midnight occurs twice, a window that closes at midnight closes at the second one. If midnight is skipped, the
    // window closes at the clock change, and a window that begins at 00:00 opens at the clock change.
    let saturday = [(Saturday, "23:00", "24:00")];
    assert_eq!(starts(Havana, &saturday, "2026-11-01", 30), ["00:00-04", "00:30-04"]);
    assert_eq!(starts(Havana, &saturday, "2026-03-07", 60), ["23:00-05"]);
    let both = [(Saturday, "23:00", "24:00"), (Sunday, "00:00", "02:00")];
    assert_eq!(starts(Havana, &both, "2026-03-07", 60), ["23:00-05", "23:30-05"]);
    let calendar = Shop::new(&WeeklyHours::default(), Havana);
    assert_eq!(calendar.day_bounds(date("2026-03-08")).start, at("2026-03-08T05:00:00Z"));
    assert_eq!(calendar.day_bounds(date("2026-11-01")).start, at("2026-11-01T04:00:00Z"));
}

#[test]
fn lord_howe_moves_its_clocks_by_half_an_hour() {
    let night = [(Sunday, "01:00", "03:30")];
    let forward = ["01:00+10:30", "01:30+10:30", "02:30+11", "03:00+11"];
    assert_eq!(starts(Lord_Howe, &night, "2026-10-04", 30), forward);
    let quarter = [(Sunday, "01:15", "03:30")];
    assert_eq!(starts(Lord_Howe, &quarter, "2026-10-04", 30), ["01:15+10:30", "01:45+10:30", "02:45+11"]);
    let skipped = [(Sunday, "02:10", "03:30")];
    assert_eq!(starts(Lord_Howe, &skipped, "2026-10-04", 30), ["02:30+11", "03:00+11"]);
    assert_eq!(
        starts(Lord_Howe, &night, "2026-04-05", 30),
        ["01:00+11", "01:30+11", "01:30+10:30", "02:00+10:30", "02:30+10:30", "03:00+10:30"],
    );
}

#[test]
fn kathmandu_is_a_quarter_of_an_hour_off() {
    let hours = week(&[(Monday, "09:00", "10:00")]);
    let calendar = Shop::new(&hours, Kathmandu);
    let day = date("2026-03-02");
    assert_eq!(
        calendar.starts(day, day, TimeDelta::minutes(30)),
        [at("2026-03-02T03:15:00Z"), at("2026-03-02T03:45:00Z")],
    );
    // On 1986-01-01 the clocks of this zone skipped the time from 00:00 to 00:15.
    let hours = [(Wednesday, "00:00", "01:30")];
    assert_eq!(starts(Kathmandu, &hours, "1986-01-01", 30), ["00:15+05:45", "00:45+05:45"]);
}

#[test]
fn beirut_skips_midnight_and_repeats_the_last_hour_of_a_day() {
    let sunday = [(Sunday, "00:30", "02:30")];
    assert_eq!(starts(Beirut, &sunday, "2026-03-29", 30), ["01:00+03", "01:30+03", "02:00+03"]);
    let saturday = [(Saturday, "22:30", "24:00")];
    let back = ["22:30+03", "23:00+03", "23:30+03", "23:00+02", "23:30+02"];
    assert_eq!(starts(Beirut, &saturday, "2026-10-24", 30), back);
    assert_eq!(starts(Beirut, &sunday, "2026-10-25", 90), ["00:30+02", "01:00+02"]);
}

#[test]
fn apia_skipped_a_friday() {
    let friday = date("2011-12-30");
    let week_round = always();
    let calendar = Shop::new(&week_round, Apia);
    assert!(calendar.day_bounds(friday).is_empty());
    assert_eq!(calendar.starts(friday, friday, TimeDelta::minutes(5)), []);
    // Friday was skipped, so the end of Thursday and the beginning of Saturday are the same instant.
    let hours = [(Thursday, "22:45", "24:00"), (Friday, "00:00", "24:00"), (Saturday, "00:00", "01:00")];
    assert_eq!(starts(Apia, &hours, "2011-12-29", 60), ["22:45-10", "23:15-10", "23:45-10"]);
    assert_eq!(starts(Apia, &hours, "2011-12-31", 60), ["00:00+14"]);
    // The window begins on Friday and ends at 01:10 on Saturday. The time zone skipped this Friday, so only the part
    // of the window on Saturday is open.
    assert_eq!(starts(Apia, &[(Friday, "20:10", "01:10")], "2011-12-31", 30), ["00:00+14", "00:30+14"]);
    assert_eq!(starts(Apia, &[(Thursday, "23:10", "02:00")], "2011-12-29", 50), ["23:10-10"]);
    assert_eq!(starts(Apia, &[(Thursday, "23:10", "02:00")], "2011-12-31", 30), [""; 0]);
}

#[test]
fn a_refused_start_has_the_hours_or_the_grid_as_its_reason() {
    let hours = week(&[(Monday, "09:00", "10:00")]);
    let calendar = Shop::new(&hours, Paris);
    let check = |text| calendar.check(at(text), TimeDelta::minutes(30));
    assert_eq!(check("2026-03-02T09:30:00+01:00"), Ok(()));
    for text in ["2026-03-02T09:15:00+01:00", "2026-03-02T09:00:00.001+01:00", "2026-03-02T09:00:01+01:00"] {
        assert_eq!(check(text), Err(SlotReason::OffGrid), "{text}");
    }
    for text in ["2026-03-02T08:30:00+01:00", "2026-03-02T09:31:00+01:00", "2026-03-02T10:00:00+01:00"] {
        assert_eq!(check(text), Err(SlotReason::OutsideHours), "{text}");
    }
}

#[test]
fn several_days_are_listed_in_order_and_an_empty_range_lists_nothing() {
    let hours = week(&[(Monday, "23:30", "00:30"), (Tuesday, "12:00", "12:30")]);
    let calendar = Shop::new(&hours, Paris);
    let list = |first, last| calendar.starts(date(first), date(last), TimeDelta::minutes(30));
    assert_eq!(
        list("2026-03-02", "2026-03-08"),
        [at("2026-03-02T22:30:00Z"), at("2026-03-02T23:00:00Z"), at("2026-03-03T11:00:00Z")],
    );
    assert_eq!(list("2026-03-08", "2026-03-02"), []);
}

#[test]
fn nothing_panics_at_the_ends_of_the_time_line() {
    let hours = always();
    for zone in [Apia, New_York, Kathmandu] {
        let calendar = Shop::new(&hours, zone);
        for instant in [Timestamp::MIN, Timestamp::MAX] {
            let _ = calendar.check(instant, TimeDelta::minutes(1440));
            let day = calendar.local_date(instant);
            assert!(calendar.starts(day, day, TimeDelta::minutes(5)).len() <= 48);
            assert!(calendar.day_bounds(day).start <= calendar.day_bounds(day).end);
        }
        for day in [NaiveDate::MIN, NaiveDate::MAX] {
            assert_eq!(calendar.starts(day, day, TimeDelta::minutes(5)), []);
            assert!(calendar.day_bounds(day).is_empty());
        }
    }
}

/// Returns the start times of a half-hour service in Paris, in local time.
fn in_paris(shop: &Shop, day: &str) -> Vec<String> {
    let starts = shop.starts(date(day), date(day), TimeDelta::minutes(30));
    starts.iter().map(|at| at.utc().with_timezone(&Paris).format("%H:%M").to_string()).collect()
}

#[test]
fn a_special_day_replaces_only_the_weekly_windows_of_its_date() {
    let hours =
        week(&[(Monday, "20:00", "01:00"), (Tuesday, "09:00", "10:00"), (Wednesday, "09:00", "09:30")]);
    let shop = Shop::new(&hours, Paris);
    assert_eq!(in_paris(&shop, "2026-03-03"), ["00:00", "00:30", "09:00", "09:30"]);
    let closed = Shop::new(&hours, Paris).special("2026-03-03", &[]);
    assert_eq!(
        in_paris(&closed, "2026-03-03"),
        ["00:00", "00:30"],
        "the window that opened on Monday must continue after midnight"
    );
    let other = Shop::new(&hours, Paris).special("2026-03-03", &[("14:10", "15:10"), ("23:30", "00:30")]);
    assert_eq!(in_paris(&other, "2026-03-03"), ["00:00", "00:30", "14:10", "14:40", "23:30"]);
    assert_eq!(
        in_paris(&other, "2026-03-04"),
        ["00:00", "09:00"],
        "the window of the special day must continue after midnight"
    );
    assert_eq!(in_paris(&other, "2026-03-10"), ["00:00", "00:30", "09:00", "09:30"]);
    let overlapping = Shop::new(&hours, Paris).special("2026-03-03", &[("00:15", "02:15")]);
    assert_eq!(
        in_paris(&overlapping, "2026-03-03"),
        ["00:00", "00:15", "00:30", "00:45", "01:15", "01:45"],
        "both windows must keep their grids, and the union is bookable"
    );
}

#[test]
fn no_service_overlaps_a_break_and_the_grid_continues_after_it() {
    let shop = Shop::new(&week(&[(Monday, "09:00", "12:00")]), Paris)
        .breaks(&[(Monday, "10:10", "10:40"), (Sunday, "23:00", "09:30")]);
    assert_eq!(in_paris(&shop, "2026-03-02"), ["09:30", "11:00", "11:30"]);
    let check = |text, minutes| shop.check(at(text), TimeDelta::minutes(minutes));
    assert_eq!(check("2026-03-02T09:30:00+01:00", 40), Ok(()));
    assert_eq!(check("2026-03-02T09:30:00+01:00", 41), Err(SlotReason::Break));
    assert_eq!(check("2026-03-02T10:15:00+01:00", 5), Err(SlotReason::Break));
    assert_eq!(check("2026-03-02T10:40:00+01:00", 5), Err(SlotReason::OffGrid));
    assert_eq!(check("2026-03-02T09:00:00+01:00", 30), Err(SlotReason::Break));
    assert_eq!(check("2026-03-02T11:30:00+01:00", 31), Err(SlotReason::OutsideHours));
}

#[test]
fn a_break_over_a_clock_change_follows_local_time() {
    let shop = Shop::new(&always(), Paris).breaks(&[(Sunday, "02:00", "03:00")]);
    let check = |text| shop.check(at(text), TimeDelta::minutes(30));
    // In spring, clocks skip the hour of the break, so the break is empty.
    assert_eq!(check("2026-03-29T00:30:00Z"), Ok(()));
    assert_eq!(check("2026-03-29T01:00:00Z"), Ok(()));
    // In autumn, the hour of the break occurs twice, and the break covers both occurrences.
    assert_eq!(check("2026-10-24T23:30:00Z"), Ok(()));
    for text in
        ["2026-10-25T00:00:00Z", "2026-10-25T00:30:00Z", "2026-10-25T01:00:00Z", "2026-10-25T01:30:00Z"]
    {
        assert_eq!(check(text), Err(SlotReason::Break), "{text}");
    }
    assert_eq!(check("2026-10-25T02:00:00Z"), Ok(()));
}

#[test]
fn a_day_without_a_window_is_closed() {
    let hours = week(&[(Monday, "20:00", "01:00"), (Wednesday, "09:00", "10:00")]);
    let shop = Shop::new(&hours, Paris).special("2026-03-04", &[]);
    let check = |text| shop.check(at(text), TimeDelta::minutes(30));
    for (text, reason) in [
        ("2026-03-03T00:45:00+01:00", SlotReason::OutsideHours),
        ("2026-03-03T01:00:00+01:00", SlotReason::ClosedThatDay),
        ("2026-03-02T19:45:00+01:00", SlotReason::OutsideHours),
        ("2026-03-04T09:00:00+01:00", SlotReason::ClosedThatDay),
        ("2026-03-11T08:00:00+01:00", SlotReason::OutsideHours),
        ("2026-03-11T09:15:00+01:00", SlotReason::OffGrid),
    ] {
        assert_eq!(check(text), Err(reason), "{text}");
    }
}
