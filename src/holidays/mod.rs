//! Reads a calendar of public holidays (RFC 5545): the local dates and names of its all-day events.
//!
//! Invariant: the module is pure. If any part of a future event is not supported, the result is a list of
//! all problems and contains no date.

pub(crate) mod ics;
mod problem;
mod yearly;

use std::collections::{BTreeMap, HashSet};

use chrono::{Datelike, Days, NaiveDate};
use domain::availability::BOOKABLE_YEARS;
use domain::{Locale, Text};

use self::ics::{DAY_SECONDS, Event, events};
pub(crate) use self::problem::Problem;
use self::problem::{Location, ProblemKind};
use self::yearly::Yearly;
use crate::words::one_line;

/// The maximum length of a calendar, in bytes.
pub(crate) const CALENDAR_BYTES_MAX: usize = 4 << 20;

const EVENT_DAYS_MAX: u64 = 366;
/// The maximum number of events in a calendar.
const EVENTS_MAX: usize = 5_000;
/// The maximum number of event names in the note of a day.
const NAMES_MAX: usize = 32;
/// The number of years after the current year for which yearly events are expanded.
const YEARS_AHEAD: i32 = 2;
const NOTE_CHARS_MAX: usize = 200;

pub(crate) type Holidays = BTreeMap<NaiveDate, String>;

/// The occurrences that other events replace. An occurrence is an event's UID and a date.
type Replaced<'a> = HashSet<(&'a str, NaiveDate)>;

/// The holidays from `today` on. A holiday without a name in the file gets a name in the language `locale`.
/// The error has one problem for each unsupported part of a future event.
pub(crate) fn holidays(calendar: &[u8], today: NaiveDate, locale: Locale) -> Result<Holidays, Vec<Problem>> {
    let events = events(calendar).map_err(|problem| vec![problem])?;
    if events.len() > EVENTS_MAX {
        return Err(vec![ProblemKind::TooManyEvents.in_file()]);
    }
    let mut found: BTreeMap<NaiveDate, Vec<String>> = BTreeMap::new();
    let mut problems = Vec::new();
    let mut report = |event: &Event, why: ProblemKind| {
        problems.push(Problem { place: Location::Event(one_line(&summary(event, locale))), why });
    };
    let mut replaced = Replaced::new();
    for event in &events {
        match replaces(event) {
            Ok(one) => replaced.extend(one),
            Err(problem) if !is_past(event, today) => report(event, problem),
            Err(_) => {}
        }
    }
    let cancelled = |event: &&Event| event.word("STATUS").eq_ignore_ascii_case("CANCELLED");
    for event in events.iter().filter(|event| !cancelled(event) && !is_past(event, today)) {
        let dates = dates(event, today, &replaced).and_then(|dates| Ok((note(event, locale)?, dates)));
        match dates {
            Ok((name, dates)) => {
                for date in dates.into_iter().filter(|date| *date >= today) {
                    let names = found.entry(date).or_default();
                    if names.len() < NAMES_MAX && !names.contains(&name) {
                        names.push(name.clone());
                    }
                }
            }
            Err(problem) => report(event, problem),
        }
    }
    let note = |names: Vec<String>| names.join(", ").chars().take(NOTE_CHARS_MAX).collect();
    if problems.is_empty() {
        Ok(found.into_iter().map(|(date, names)| (date, note(names))).collect())
    } else {
        Err(problems)
    }
}

/// The name of an event, on one line.
fn summary(event: &Event, locale: Locale) -> String {
    let named = event.find("SUMMARY").map(|property| property.text());
    let named = named.map(|text| text.split_whitespace().collect::<Vec<_>>().join(" "));
    let unnamed = match locale {
        Locale::En => "holiday",
        Locale::Fr => "jour férié",
    };
    named.filter(|name| !name.is_empty()).unwrap_or_else(|| unnamed.into())
}

/// The name of an event, as a valid note of a special day.
fn note(event: &Event, locale: Locale) -> Result<String, ProblemKind> {
    let name = summary(event, locale).chars().take(NOTE_CHARS_MAX).collect();
    Ok(Text::<1, NOTE_CHARS_MAX>::new(name).map_err(ProblemKind::Name)?.into_string())
}

/// The occurrence that this event replaces.
fn replaces(event: &Event) -> Result<Option<(&str, NaiveDate)>, ProblemKind> {
    let Some(property) = event.find("RECURRENCE-ID") else { return Ok(None) };
    if property.has("RANGE") {
        return Err(ProblemKind::Range);
    }
    match event.word("UID") {
        "" => Err(ProblemKind::NoUid),
        uid => Ok(Some((uid, day("RECURRENCE-ID", &property.value)?))),
    }
}

/// Whether an event and its repetitions are over. If they are, the caller skips the event without validating
/// it.
fn is_past(event: &Event, today: NaiveDate) -> bool {
    let date = |name| ics::date(event.word(name).get(..8)?);
    let Some(first) = date("DTSTART") else { return false };
    let last = match (event.word("DTEND"), event.word("DURATION")) {
        ("", "") => Some(first),
        ("", duration) => ics::seconds(duration)
            .and_then(|seconds| first.checked_add_days(Days::new(seconds.div_ceil(DAY_SECONDS)))),
        _ => date("DTEND").map(|last| last.max(first)),
    };
    let until = match event.word("RRULE") {
        "" => Some(first),
        rule => Yearly::until(rule),
    };
    let again = event.find("RDATE").is_some();
    // One day is added, because an event in another time zone may end one day later in the time zone of the business.
    let ends = last.zip(until).and_then(|(last, until)| {
        let days = (last - first).num_days().unsigned_abs() + 1;
        until.max(first).checked_add_days(Days::new(days))
    });
    !again && ends.is_some_and(|ends| ends < today)
}

fn dates(event: &Event, today: NaiveDate, replaced: &Replaced<'_>) -> Result<Vec<NaiveDate>, ProblemKind> {
    let start = event.find("DTSTART").ok_or(ProblemKind::NoStart)?;
    let first = day("DTSTART", &start.value)?;
    let whole = ics::date(start.value.trim()).is_some();
    let days = match (event.find("DTEND"), event.word("DURATION")) {
        (Some(end), _) => {
            let end = day("DTEND", &end.value)?;
            let days = u64::try_from((end - first).num_days()).map_err(|_| ProblemKind::EndsBefore)?;
            // In many calendars, an event of one day has the same start and end. Such an event counts as one day.
            if whole { days.max(1) } else { days }
        }
        (None, "") => u64::from(whole),
        (None, duration) => whole_days(duration)?,
    };
    if !(1..=EVENT_DAYS_MAX).contains(&days) {
        return Err(ProblemKind::Days(days));
    }
    let mut dates = Vec::new();
    let ends_before =
        |begins: &NaiveDate| begins.checked_add_days(Days::new(days)).is_some_and(|end| end < today);
    // An event can have many past repetitions. They are removed before the days of the remaining ones are listed.
    let beginnings = beginnings(event, first, today, replaced)?;
    for begins in beginnings.into_iter().filter(|begins| !ends_before(begins)) {
        dates.extend((0..days).filter_map(|day| begins.checked_add_days(Days::new(day))));
    }
    match dates.iter().find(|date| !BOOKABLE_YEARS.contains(&date.year()) && **date >= today) {
        Some(date) => Err(ProblemKind::Far(*date)),
        None => Ok(dates),
    }
}

/// The start dates of an event and its yearly repetitions, without excluded and replaced dates.
fn beginnings(
    event: &Event,
    first: NaiveDate,
    today: NaiveDate,
    replaced: &Replaced<'_>,
) -> Result<Vec<NaiveDate>, ProblemKind> {
    for name in ["RDATE", "EXRULE"] {
        if event.find(name).is_some() {
            return Err(ProblemKind::NotSupported(name));
        }
    }
    let mut left_out = HashSet::new();
    for listed in event.all("EXDATE").flat_map(|property| property.value.split(',')) {
        left_out.insert(day("EXDATE", listed)?);
    }
    let mut dates = match event.word("RRULE") {
        "" => vec![first],
        rule => Yearly::read(rule, first)?.dates(first, today.year() + YEARS_AHEAD),
    };
    let uid = event.word("UID");
    let is_itself = event.find("RECURRENCE-ID").is_some();
    dates.retain(|date| {
        !left_out.contains(date) && (is_itself || uid.is_empty() || !replaced.contains(&(uid, *date)))
    });
    Ok(dates)
}

/// Parses a date without a time, or with the time 00:00.
fn day(name: &'static str, value: &str) -> Result<NaiveDate, ProblemKind> {
    let value = value.trim();
    let date = value.strip_suffix("T000000").unwrap_or(value);
    ics::date(date).ok_or_else(|| ProblemKind::NotWholeDay(name, one_line(value)))
}

/// Converts `P1D`, `P2W` or `PT24H` to days.
fn whole_days(duration: &str) -> Result<u64, ProblemKind> {
    let whole = ics::seconds(duration).filter(|seconds| seconds % DAY_SECONDS == 0);
    let days = whole.map(|seconds| seconds / DAY_SECONDS);
    days.ok_or_else(|| ProblemKind::Duration(one_line(duration)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn day(text: &str) -> NaiveDate {
        text.parse().unwrap()
    }

    fn calendar(events: &[&str]) -> String {
        let events: String =
            events.iter().map(|lines| format!("BEGIN:VEVENT\r\n{lines}\r\nEND:VEVENT\r\n")).collect();
        format!("BEGIN:VCALENDAR\r\nVERSION:2.0\r\n{events}END:VCALENDAR\r\n")
    }

    /// Reads the holidays of a file as if today were 2 March 2026. Returns them, or the messages about the file's
    /// problems.
    fn read_file(file: &[u8], locale: Locale) -> Result<Holidays, Vec<String>> {
        holidays(file, day("2026-03-02"), locale)
            .map_err(|problems| problems.iter().map(|one| one.text(locale)).collect())
    }

    fn read(events: &[&str]) -> Vec<(String, String)> {
        let found = read_file(calendar(events).as_bytes(), Locale::En).unwrap_or_else(|e| panic!("{e:?}"));
        found.into_iter().map(|(date, note)| (date.to_string(), note)).collect()
    }

    fn pairs(expected: &[(&str, &str)]) -> Vec<(String, String)> {
        expected.iter().map(|(date, note)| ((*date).to_owned(), (*note).to_owned())).collect()
    }

    #[test]
    fn an_event_covers_each_of_its_days_except_its_end_date() {
        let events = [
            "SUMMARY:Christmas\r\nDTSTART;VALUE=DATE:20261225\r\nDTEND;VALUE=DATE:20261227",
            "SUMMARY:Assumption\\, whole\r\n  day\r\nDTSTART;VALUE=DATE:20260815",
            "DTSTART;VALUE=DATE:20260501\r\nDURATION:P1D",
            "SUMMARY:St Stephen\r\nDTSTART;VALUE=DATE:20261226\r\nTRANSP:TRANSPARENT",
        ];
        let expected = [
            ("2026-05-01", "holiday"),
            ("2026-08-15", "Assumption, whole day"),
            ("2026-12-25", "Christmas"),
            ("2026-12-26", "Christmas, St Stephen"),
        ];
        assert_eq!(read(&events), pairs(&expected));
    }

    #[test]
    fn a_calendar_has_a_limited_number_of_events_and_past_repetitions_cost_little() {
        let event = "DTSTART;VALUE=DATE:20260501";
        let many = calendar(&vec![event; EVENTS_MAX + 1]);
        let refused = read_file(many.as_bytes(), Locale::En).unwrap_err();
        assert_eq!(refused, ["the file has more than 5000 events"]);
        let event = "DTSTART;VALUE=DATE:00010101\r\nDTEND;VALUE=DATE:00020101\r\nRRULE:FREQ=YEARLY";
        let found = read(&[event]);
        assert!(found.len() > 700 && found.len() < 1_100, "{}", found.len());
    }

    #[test]
    fn past_and_cancelled_events_are_ignored() {
        let events = [
            "SUMMARY:Past\r\nDTSTART;VALUE=DATE:20260301",
            "SUMMARY:Off\r\nSTATUS:CANCELLED\r\nDTSTART:20260401T090000Z",
            "SUMMARY:Today\r\nDTSTART;VALUE=DATE:20260302",
        ];
        assert_eq!(read(&events), pairs(&[("2026-03-02", "Today")]));
        assert_eq!(read(&[]), []);
    }

    #[test]
    fn a_yearly_event_is_expanded_for_three_years() {
        let every = |rule: &str| -> Vec<String> {
            let event = format!("SUMMARY:May\r\nDTSTART;VALUE=DATE:20240501\r\nRRULE:{rule}");
            read(&[&event]).into_iter().map(|(date, _)| date).collect()
        };
        assert_eq!(every("FREQ=YEARLY"), ["2026-05-01", "2027-05-01", "2028-05-01"]);
        assert_eq!(every("FREQ=YEARLY;BYMONTH=5;BYMONTHDAY=1"), every("FREQ=YEARLY"));
        assert_eq!(every("FREQ=YEARLY;INTERVAL=2"), ["2026-05-01", "2028-05-01"]);
        assert_eq!(every("FREQ=YEARLY;COUNT=3"), ["2026-05-01"]);
        assert_eq!(every("FREQ=YEARLY;UNTIL=20270501T000000Z"), ["2026-05-01", "2027-05-01"]);
        assert_eq!(every("freq=yearly;"), every("FREQ=YEARLY"), "case and a final semicolon are ignored");
        assert_eq!(every("FREQ=YEARLY;UNTIL=20260430"), [""; 0]);
        let leap = "SUMMARY:Leap\r\nDTSTART;VALUE=DATE:20240229\r\nRRULE:FREQ=YEARLY";
        assert_eq!(read(&[leap]), pairs(&[("2028-02-29", "Leap")]));
    }

    #[test]
    fn a_weekday_of_a_month_repeats_every_year() {
        let every = |first: &str, rule: &str| -> Vec<String> {
            let event = format!("SUMMARY:Day\r\nDTSTART;VALUE=DATE:{first}\r\nRRULE:FREQ=YEARLY;{rule}");
            read(&[&event]).into_iter().map(|(date, _)| date).collect()
        };
        let thanksgiving = ["2026-11-26", "2027-11-25", "2028-11-23"];
        assert_eq!(every("20201126", "BYMONTH=11;BYDAY=4TH"), thanksgiving);
        assert_eq!(every("20201126", "BYMONTH=11;BYDAY=+4TH;COUNT=8"), thanksgiving[..2]);
        let memorial = ["2026-05-25", "2027-05-31", "2028-05-29"];
        assert_eq!(every("20210531", "BYDAY=-1MO;BYMONTH=5"), memorial);
        assert_eq!(every("20200229", "COUNT=3"), ["2028-02-29"], "February 29 exists every fourth year");
    }

    #[test]
    fn an_occurrence_is_replaced_by_its_own_event() {
        let holiday = "UID:1\r\nSUMMARY:Fair\r\nDTSTART;VALUE=DATE:20240501\r\nRRULE:FREQ=YEARLY";
        let moved = "UID:1\r\nSUMMARY:Later fair\r\nRECURRENCE-ID;VALUE=DATE:20260501\r\n\
            DTSTART;VALUE=DATE:20260508";
        let cancelled = "UID:1\r\nRECURRENCE-ID:20270501\r\nStatus:Cancelled\r\nDTSTART;VALUE=DATE:20270501";
        let other = "UID:2\r\nSUMMARY:Other\r\nDTSTART;VALUE=DATE:20260501\r\nEXDATE:20270501";
        let expected = [("2026-05-01", "Other"), ("2026-05-08", "Later fair"), ("2028-05-01", "Fair")];
        assert_eq!(read(&[moved, holiday, cancelled, other]), pairs(&expected));
        let without = format!("{holiday}\r\nEXDATE;VALUE=DATE:20260501,20270501\r\nEXDATE:20280501T000000");
        assert_eq!(read(&[&without]), []);
    }

    #[test]
    fn whole_days_are_understood_in_every_form() {
        for form in [
            "DTSTART;VALUE=DATE:20260501\r\nDTEND;VALUE=DATE:20260501",
            "DTSTART;TZID=Europe/Paris:20260501T000000\r\nDTEND;TZID=\"Europe/Paris\":20260502T000000",
            "dtstart;value=date:20260501\r\nduration:PT24H",
            "DTSTART:20260501\r\nDURATION:P1DT0H",
            "DTSTART:20260501\r\nDURATION:+P0DT23H59M60S",
        ] {
            assert_eq!(read(&[form]), pairs(&[("2026-05-01", "holiday")]), "{form}");
        }
        let summer = "SUMMARY:Closed\r\nDTSTART;VALUE=DATE:20260701\r\nDTEND;VALUE=DATE:20270702";
        assert_eq!(read(&[summer]).len(), 366);
    }

    #[test]
    fn past_events_may_be_unsupported() {
        let events = [
            "SUMMARY:Meeting\r\nDTSTART:20260227T090000Z\r\nDTEND:20260228T090000Z",
            "SUMMARY:Weekly\r\nDTSTART:20250401T090000Z\r\nRRULE:FREQ=WEEKLY;UNTIL=20260227T090000Z",
            "SUMMARY:Long\r\nDTSTART;VALUE=DATE:20200401\r\nDTEND;VALUE=DATE:20250601",
            "SUMMARY:Changed\r\nRECURRENCE-ID:20250401T090000Z\r\nDTSTART:20250401T100000Z",
        ];
        assert_eq!(read(&events), []);
        for event in [
            "DTSTART:20260301T090000Z\r\nDURATION:PT8H",
            "DTSTART:20250401T090000Z\r\nRRULE:FREQ=WEEKLY",
            "DTSTART:20250401T090000Z\r\nRRULE:FREQ=WEEKLY;UNTIL=20260301T090000Z",
            "DTSTART:20250401T090000Z\r\nRDATE:20260401T090000Z",
        ] {
            assert!(read_file(calendar(&[event]).as_bytes(), Locale::En).is_err(), "{event}");
        }
    }

    #[test]
    fn every_unsupported_part_is_reported() {
        let events = [
            "SUMMARY:Meeting\r\nDTSTART:20260401T090000Z",
            "SUMMARY:Zulu\r\nDTSTART:20260401T000000Z\r\nDTEND:20260402T000000Z",
            "SUMMARY:Moment\r\nDTSTART:20260401T000000",
            "SUMMARY:Weekly\r\nDTSTART;VALUE=DATE:20260401\r\nRRULE:FREQ=WEEKLY",
            "SUMMARY:Easter\r\nDTSTART;VALUE=DATE:20260405\r\nrrule:FREQ=YEARLY;BYDAY=SU",
            "SUMMARY:Sundays\r\nDTSTART;VALUE=DATE:20260405\r\nRRULE:FREQ=YEARLY;BYMONTH=4;BYDAY=SU",
            "SUMMARY:Second\r\nDTSTART;VALUE=DATE:20260405\r\nRRULE:FREQ=YEARLY;BYMONTH=4;BYDAY=2SU",
            "SUMMARY:More\r\nDTSTART;VALUE=DATE:20260405\r\nRRULE:FREQ=YEARLY\r\nRDATE;VALUE=DATE:20270405",
            "SUMMARY:Not\r\nDTSTART;VALUE=DATE:20260405\r\nRRULE:FREQ=YEARLY\r\nEXDATE:20270405T090000",
            "SUMMARY:Whose\r\nDTSTART;VALUE=DATE:20260405\r\nRECURRENCE-ID:20260404",
            "SUMMARY:Rest\r\nUID:1\r\nDTSTART:20260405\r\nRECURRENCE-ID;RANGE=THISANDFUTURE:20260404",
            "SUMMARY:Long\r\nDTSTART;VALUE=DATE:20260401\r\nDTEND;VALUE=DATE:20270403",
            "SUMMARY:Back\r\nDTSTART;VALUE=DATE:20260401\r\nDTEND;VALUE=DATE:20260331",
            "SUMMARY:Hours\r\nDTSTART;VALUE=DATE:20260401\r\nDURATION:PT8H",
            "SUMMARY:Far\r\nDTSTART;VALUE=DATE:22050401",
            "SUMMARY:Nul\0\r\nDTSTART;VALUE=DATE:20260401",
            "SUMMARY:None",
            "SUMMARY:Good\r\nDTSTART;VALUE=DATE:20260501",
        ];
        let problems = read_file(calendar(&events).as_bytes(), Locale::En).unwrap_err();
        let french = read_file(calendar(&events).as_bytes(), Locale::Fr).unwrap_err();
        assert!(french.len() == problems.len() && french.iter().all(|one| one.starts_with("événement « ")));
        let report: Vec<&str> = problems.iter().filter_map(|one| one.split('"').nth(1)).collect();
        let names: Vec<&str> =
            events.iter().map(|one| one.split("\r\n").next().unwrap().split_once(':').unwrap().1).collect();
        let (mut report, mut expected) = (report, names[..17].to_vec());
        expected[15] = "Nul\\u{0}";
        report.sort_unstable();
        expected.sort_unstable();
        assert_eq!(report, expected, "{problems:?}");
    }

    #[test]
    fn files_of_other_programs_are_read() {
        let whole = "\u{feff}BEGIN:VCALENDAR\r\nVERSION:2.0\r\nX-WR-CALNAME:Jours fériés\r\n\
            BEGIN:VTIMEZONE\r\nTZID:Europe/Paris\r\nBEGIN:STANDARD\r\nDTSTART:19961027T030000\r\n\
            RRULE:FREQ=YEARLY;BYDAY=-1SU;BYMONTH=10\r\nEND:STANDARD\r\nEND:VTIMEZONE\r\nBEGIN:VEVENT\r\n\
            DTSTART;VALUE=DATE:20260501\r\nSUMMARY;LANGUAGE=fr:Fête du travail, journée entière\r\n\
            BEGIN:VALARM\r\nTRIGGER:-PT15M\r\nEND:VALARM\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n";
        let expected: Holidays = [(day("2026-05-01"), "Fête du travail, journée entière".into())].into();
        let read = |file: &[u8]| read_file(file, Locale::Fr);
        assert_eq!(read(whole.as_bytes()), Ok(expected.clone()));
        assert_eq!(read(whole.replace("\r\n", "\n").as_bytes()), Ok(expected.clone()));
        // A line may be folded after any number of octets, even within a word or a character.
        for (octets, fold) in [(75, "\r\n "), (7, "\r\n\t"), (3, "\n ")] {
            let fold = |line: &str| line.as_bytes().chunks(octets).collect::<Vec<_>>().join(fold.as_bytes());
            let lines: Vec<Vec<u8>> = whole.split("\r\n").map(fold).collect();
            assert_eq!(read(&lines.join(&b"\r\n"[..])), Ok(expected.clone()), "{octets}");
        }
        let latin_1: Vec<u8> = whole.chars().skip(1).map(|letter| letter as u8).collect();
        assert_eq!(read(&latin_1), Err(vec!["la ligne 3 n’est pas en UTF-8".into()]));
    }

    #[test]
    fn a_holiday_without_a_name_has_one_in_the_language_of_the_business() {
        let file = calendar(&["DTSTART;VALUE=DATE:20260501", "SUMMARY: \r\nDTSTART;VALUE=DATE:20260508"]);
        for (locale, name) in [(Locale::En, "holiday"), (Locale::Fr, "jour férié")] {
            let found = read_file(file.as_bytes(), locale).unwrap();
            assert!(found.len() == 2 && found.values().all(|note| note == name), "{found:?}");
        }
    }

    #[test]
    fn a_note_has_at_most_the_length_of_a_special_days_note() {
        let event = format!("SUMMARY:{}\r\nDTSTART;VALUE=DATE:20260501", "é".repeat(300));
        assert_eq!(read(&[&event])[0].1.chars().count(), NOTE_CHARS_MAX);
    }
}
