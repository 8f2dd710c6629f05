//! Reading a calendar of public holidays (RFC 5545): the local dates of its all-day events, and what they are called.
//!
//! What always holds: it is pure; a calendar of which something is not understood gives every problem and no date.

use std::collections::BTreeMap;

use chrono::{Datelike, Days, Months, NaiveDate};
use icalendar::parser::{Component, Property, read_calendar_simple};

use super::record::one_line;

/// How many days one event may take.
const EVENT_DAYS_MAX: u64 = 31;
/// For how many years from its first date on an event that comes every year is looked at.
const YEARS_MAX: u32 = 300;
/// How many years ahead an event that comes every year is taken: this one and two more.
const YEARS_AHEAD: u32 = 2;
/// How many characters a note may have.
const NOTE_CHARS_MAX: usize = 200;

/// The days of a calendar, by their dates, each with what it is called.
pub(super) type Holidays = BTreeMap<NaiveDate, String>;

/// The holidays of a calendar from a date on. An event that comes every year counts until two years after that date's.
///
/// # Errors
/// A line for everything that is not understood.
pub(super) fn holidays(calendar: &[u8], today: NaiveDate) -> Result<Holidays, Vec<String>> {
    let Ok(text) = String::from_utf8(unfolded(calendar)) else {
        return Err(vec!["is no text in UTF-8".into()]);
    };
    let roots = read_calendar_simple(text.trim_start_matches('\u{feff}')).unwrap_or_default();
    if roots.is_empty() || roots.iter().any(|root| root.name != "VCALENDAR") {
        return Err(vec!["is no iCalendar file: it must begin with BEGIN:VCALENDAR".into()]);
    }
    let mut found: BTreeMap<NaiveDate, Vec<String>> = BTreeMap::new();
    let mut problems = Vec::new();
    let events = roots.iter().flat_map(|root| &root.components).filter(|one| one.name == "VEVENT");
    for event in events.filter(|event| !word(event, "STATUS").eq_ignore_ascii_case("CANCELLED")) {
        let name = summary(event);
        match dates(event, today) {
            Ok(dates) => {
                for date in dates.into_iter().filter(|date| *date >= today) {
                    let names = found.entry(date).or_default();
                    if !names.contains(&name) {
                        names.push(name.clone());
                    }
                }
            }
            Err(problem) => problems.push(format!("event \"{}\": {problem}", one_line(&name))),
        }
    }
    let note = |names: Vec<String>| names.join(", ").chars().take(NOTE_CHARS_MAX).collect();
    if problems.is_empty() {
        Ok(found.into_iter().map(|(date, names)| (date, note(names))).collect())
    } else {
        Err(problems)
    }
}

/// The lines as they were before they were folded. That is done to octets, so a fold may lie within a character.
fn unfolded(calendar: &[u8]) -> Vec<u8> {
    let mut lines = Vec::with_capacity(calendar.len());
    for (nth, line) in calendar.split(|byte| *byte == b'\n').enumerate() {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        match line.first() {
            Some(b' ' | b'\t') if nth > 0 => lines.extend_from_slice(&line[1..]),
            _ if nth > 0 => {
                lines.extend_from_slice(b"\r\n");
                lines.extend_from_slice(line);
            }
            _ => lines.extend_from_slice(line),
        }
    }
    lines
}

/// What an event is called.
fn summary(event: &Component<'_>) -> String {
    let named = event.find_prop("SUMMARY").map(|property| property.val.clone().unescape_text());
    let named = named.map(|text| text.as_str().split_whitespace().collect::<Vec<_>>().join(" "));
    named.filter(|name| !name.is_empty()).unwrap_or_else(|| "holiday".into())
}

/// The dates of an event.
fn dates(event: &Component<'_>, today: NaiveDate) -> Result<Vec<NaiveDate>, String> {
    let first = date_of(event, "DTSTART")?.ok_or("has no DTSTART")?;
    let days = match (date_of(event, "DTEND")?, word(event, "DURATION").as_str()) {
        (Some(end), _) => u64::try_from((end - first).num_days()).unwrap_or(0),
        (None, "") => 1,
        (None, duration) => whole_days(duration)?,
    };
    if !(1..=EVENT_DAYS_MAX).contains(&days) {
        return Err(format!("takes {days} days; a holiday takes 1 to {EVENT_DAYS_MAX}"));
    }
    let mut dates = Vec::new();
    for begins in beginnings(event, first, today)? {
        dates.extend((0..days).filter_map(|day| begins.checked_add_days(Days::new(day))));
    }
    Ok(dates)
}

/// The dates on which an event begins: its first one, or that of every year if it says so.
fn beginnings(event: &Component<'_>, first: NaiveDate, today: NaiveDate) -> Result<Vec<NaiveDate>, String> {
    for name in ["RDATE", "EXDATE", "EXRULE"] {
        if event.find_prop(name).is_some() {
            return Err(format!("has {name}, which is not understood: write each date as an event"));
        }
    }
    let rule = word(event, "RRULE");
    if rule.is_empty() {
        return Ok(vec![first]);
    }
    let unknown = || {
        format!(
            "comes again by {}, of which only every so many years is understood: write each date as an event",
            one_line(&rule)
        )
    };
    let (mut yearly, mut interval, mut count, mut until) = (false, 1, YEARS_MAX, NaiveDate::MAX);
    for part in rule.split(';') {
        let (name, value) = part.split_once('=').ok_or_else(unknown)?;
        match name.to_uppercase().as_str() {
            "FREQ" => yearly = value.eq_ignore_ascii_case("YEARLY"),
            "INTERVAL" => {
                interval =
                    value.parse().ok().filter(|years| (1..=100).contains(years)).ok_or_else(unknown)?;
            }
            "COUNT" => count = value.parse().map_err(|_| unknown())?,
            "UNTIL" => until = date(value.get(..8).unwrap_or(value)).ok_or_else(unknown)?,
            "WKST" => {}
            // What says no more than the first date does.
            "BYMONTH" if value.parse() == Ok(first.month()) => {}
            "BYMONTHDAY" if value.parse() == Ok(first.day()) => {}
            _ => return Err(unknown()),
        }
    }
    if !yearly {
        return Err(unknown());
    }
    let last = today.year() + YEARS_AHEAD.cast_signed();
    let again = (0..count.min(YEARS_MAX)).map_while(|nth| {
        // A 29 February comes in leap years only.
        let date = first.checked_add_months(Months::new(nth * interval * 12))?;
        (date <= until && date.year() <= last).then_some(date)
    });
    Ok(again.filter(|date| date.day() == first.day()).collect())
}

/// The date of a property, which must be one without a time.
fn date_of(event: &Component<'_>, name: &str) -> Result<Option<NaiveDate>, String> {
    let Some(Property { val, .. }) = event.find_prop(name) else { return Ok(None) };
    match date(val.as_str()) {
        Some(date) => Ok(Some(date)),
        None => Err(format!("{name} is {}, and only whole days make special days", one_line(val.as_str()))),
    }
}

fn date(text: &str) -> Option<NaiveDate> {
    let digits = text.len() == 8 && text.bytes().all(|byte| byte.is_ascii_digit());
    digits.then(|| NaiveDate::parse_from_str(text, "%Y%m%d").ok()).flatten()
}

/// `P1D` or `P2W` as days.
fn whole_days(duration: &str) -> Result<u64, String> {
    let count = |unit| duration.strip_prefix('P')?.strip_suffix(unit)?.parse::<u64>().ok();
    let days = count('D').or_else(|| count('W').map(|weeks| weeks.saturating_mul(7)));
    days.ok_or_else(|| format!("takes {}, which are no whole days", one_line(duration)))
}

/// The value of a property as it is written, or nothing.
fn word(event: &Component<'_>, name: &str) -> String {
    event.find_prop(name).map(|property| property.val.as_str().trim().to_owned()).unwrap_or_default()
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

    fn read(events: &[&str]) -> Vec<(String, String)> {
        let found =
            holidays(calendar(events).as_bytes(), day("2026-03-02")).unwrap_or_else(|e| panic!("{e:?}"));
        found.into_iter().map(|(date, note)| (date.to_string(), note)).collect()
    }

    fn pairs(expected: &[(&str, &str)]) -> Vec<(String, String)> {
        expected.iter().map(|(date, note)| ((*date).to_owned(), (*note).to_owned())).collect()
    }

    #[test]
    fn an_event_is_each_of_its_days_without_the_one_at_which_it_ends() {
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
    fn what_is_past_or_cancelled_is_left_out() {
        let events = [
            "SUMMARY:Past\r\nDTSTART;VALUE=DATE:20260301",
            "SUMMARY:Off\r\nSTATUS:CANCELLED\r\nDTSTART:20260401T090000Z",
            "SUMMARY:Today\r\nDTSTART;VALUE=DATE:20260302",
        ];
        assert_eq!(read(&events), pairs(&[("2026-03-02", "Today")]));
        assert_eq!(read(&[]), []);
    }

    #[test]
    fn what_comes_every_year_is_taken_for_three_years() {
        let every = |rule: &str| -> Vec<String> {
            let event = format!("SUMMARY:May\r\nDTSTART;VALUE=DATE:20240501\r\nRRULE:{rule}");
            read(&[&event]).into_iter().map(|(date, _)| date).collect()
        };
        assert_eq!(every("FREQ=YEARLY"), ["2026-05-01", "2027-05-01", "2028-05-01"]);
        assert_eq!(every("FREQ=YEARLY;BYMONTH=5;BYMONTHDAY=1"), every("FREQ=YEARLY"));
        assert_eq!(every("FREQ=YEARLY;INTERVAL=2"), ["2026-05-01", "2028-05-01"]);
        assert_eq!(every("FREQ=YEARLY;COUNT=3"), ["2026-05-01"]);
        assert_eq!(every("FREQ=YEARLY;UNTIL=20270501T000000Z"), ["2026-05-01", "2027-05-01"]);
        let leap = "SUMMARY:Leap\r\nDTSTART;VALUE=DATE:20240229\r\nRRULE:FREQ=YEARLY";
        assert_eq!(read(&[leap]), pairs(&[("2028-02-29", "Leap")]));
    }

    #[test]
    fn everything_that_is_not_understood_is_told() {
        let events = [
            "SUMMARY:Meeting\r\nDTSTART:20260401T090000Z",
            "SUMMARY:Weekly\r\nDTSTART;VALUE=DATE:20260401\r\nRRULE:FREQ=WEEKLY",
            "SUMMARY:Easter\r\nDTSTART;VALUE=DATE:20260405\r\nRRULE:FREQ=YEARLY;BYDAY=SU",
            "SUMMARY:Not\r\nDTSTART;VALUE=DATE:20260405\r\nRRULE:FREQ=YEARLY\r\nEXDATE;VALUE=DATE:20270405",
            "SUMMARY:Long\r\nDTSTART;VALUE=DATE:20260401\r\nDTEND;VALUE=DATE:20260601",
            "SUMMARY:Back\r\nDTSTART;VALUE=DATE:20260401\r\nDTEND;VALUE=DATE:20260401",
            "SUMMARY:Hours\r\nDTSTART;VALUE=DATE:20260401\r\nDURATION:PT8H",
            "SUMMARY:None",
            "SUMMARY:Good\r\nDTSTART;VALUE=DATE:20260501",
        ];
        let problems = holidays(calendar(&events).as_bytes(), day("2026-03-02")).unwrap_err();
        let told: Vec<&str> = problems.iter().filter_map(|one| one.split('"').nth(1)).collect();
        assert_eq!(told, ["Meeting", "Weekly", "Easter", "Not", "Long", "Back", "Hours", "None"]);
        for text in ["", "hello", "date,name\n2026-05-01,May", "BEGIN:VCALENDAR\r\nBEGIN:VEVENT"] {
            assert!(holidays(text.as_bytes(), day("2026-03-02")).is_err(), "{text}");
        }
    }

    #[test]
    fn a_file_is_read_as_others_write_it() {
        let whole = "\u{feff}BEGIN:VCALENDAR\r\nVERSION:2.0\r\nX-WR-CALNAME:Jours fériés\r\n\
            BEGIN:VTIMEZONE\r\nTZID:Europe/Paris\r\nBEGIN:STANDARD\r\nDTSTART:19961027T030000\r\n\
            RRULE:FREQ=YEARLY;BYDAY=-1SU;BYMONTH=10\r\nEND:STANDARD\r\nEND:VTIMEZONE\r\nBEGIN:VEVENT\r\n\
            DTSTART;VALUE=DATE:20260501\r\nSUMMARY;LANGUAGE=fr:Fête du travail, journée entière\r\n\
            BEGIN:VALARM\r\nTRIGGER:-PT15M\r\nEND:VALARM\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n";
        let expected: Holidays = [(day("2026-05-01"), "Fête du travail, journée entière".into())].into();
        let read = |file: &[u8]| holidays(file, day("2026-03-02"));
        assert_eq!(read(whole.as_bytes()), Ok(expected.clone()));
        assert_eq!(read(whole.replace("\r\n", "\n").as_bytes()), Ok(expected.clone()));
        // Folded behind every so many octets, within words and characters.
        for (octets, fold) in [(75, "\r\n "), (7, "\r\n\t"), (3, "\n ")] {
            let fold = |line: &str| line.as_bytes().chunks(octets).collect::<Vec<_>>().join(fold.as_bytes());
            let lines: Vec<Vec<u8>> = whole.split("\r\n").map(fold).collect();
            assert_eq!(read(&lines.join(&b"\r\n"[..])), Ok(expected.clone()), "{octets}");
        }
        let latin_1: Vec<u8> = whole.chars().skip(1).map(|letter| letter as u8).collect();
        assert_eq!(read(&latin_1), Err(vec!["is no text in UTF-8".into()]));
    }

    #[test]
    fn a_note_is_no_longer_than_a_special_days() {
        let event = format!("SUMMARY:{}\r\nDTSTART;VALUE=DATE:20260501", "é".repeat(300));
        assert_eq!(read(&[&event])[0].1.chars().count(), NOTE_CHARS_MAX);
    }
}
