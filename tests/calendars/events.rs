//! The events that the calendar contains at first, and the hours that they block.

use chrono::{DateTime, NaiveDate, TimeDelta, TimeZone, Utc};
use chrono_tz::Tz;

/// An email address of the staff member.
pub(crate) const OWN_ADDRESS: &str = "ada@own.example";

/// A time zone component with the rules of New York. Its name is not a known time zone, so only the rules define it.
const OFFICE: &str = "BEGIN:VTIMEZONE\nTZID:Office\nBEGIN:STANDARD\nDTSTART:19701101T020000\n\
    RRULE:FREQ=YEARLY;BYMONTH=11;BYDAY=1SU\nTZOFFSETFROM:-0400\nTZOFFSETTO:-0500\nTZNAME:EST\nEND:STANDARD\n\
    BEGIN:DAYLIGHT\nDTSTART:19700308T020000\nRRULE:FREQ=YEARLY;BYMONTH=3;BYDAY=2SU\nTZOFFSETFROM:-0500\n\
    TZOFFSETTO:-0400\nTZNAME:EDT\nEND:DAYLIGHT\nEND:VTIMEZONE\n";
const PARIS: &str = "BEGIN:VTIMEZONE\nTZID:Europe/Paris\nBEGIN:STANDARD\nDTSTART:19701025T030000\n\
    RRULE:FREQ=YEARLY;BYMONTH=10;BYDAY=-1SU\nTZOFFSETFROM:+0200\nTZOFFSETTO:+0100\nTZNAME:CET\nEND:STANDARD\n\
    BEGIN:DAYLIGHT\nDTSTART:19700329T020000\nRRULE:FREQ=YEARLY;BYMONTH=3;BYDAY=-1SU\nTZOFFSETFROM:+0100\n\
    TZOFFSETTO:+0200\nTZNAME:CEST\nEND:DAYLIGHT\nEND:VTIMEZONE\n";

/// The day with this number. Day 0 is ten days from now, so it is in the future during the whole test run.
pub(crate) fn day(number: i64) -> NaiveDate {
    let now: DateTime<Utc> = std::time::SystemTime::now().into();
    now.date_naive() + TimeDelta::days(10 + number)
}

/// The start of an hour of a day in UTC, which is the time zone of the business.
pub(crate) fn at(number: i64, hour: u32) -> DateTime<Utc> {
    day(number).and_hms_opt(hour, 0, 0).unwrap().and_utc()
}

/// The start of an hour of a day in this time zone.
fn on_clock(zone: Tz, number: i64, hour: u32) -> DateTime<Utc> {
    zone.from_local_datetime(&day(number).and_hms_opt(hour, 0, 0).unwrap()).unwrap().to_utc()
}

pub(crate) fn basic(at: DateTime<Utc>) -> String {
    at.format("%Y%m%dT%H%M%SZ").to_string()
}

pub(crate) fn rfc3339(at: DateTime<Utc>) -> String {
    at.format("%Y-%m-%dT%H:%M:%SZ").to_string()
}

fn local(number: i64, hour: u32) -> String {
    format!("{}T{hour:02}0000", day(number).format("%Y%m%d"))
}

fn component(uid: &str, lines: &str) -> String {
    format!("BEGIN:VEVENT\nUID:{uid}\nDTSTAMP:20261101T000000Z\nSUMMARY:Secret\n{lines}\nEND:VEVENT\n")
}

fn file(content: &str) -> String {
    let text = format!("BEGIN:VCALENDAR\nVERSION:2.0\nPRODID:-//tests//tests//EN\n{content}END:VCALENDAR\n");
    text.replace('\n', "\r\n")
}

/// The calendar file of an event that lasts an hour.
pub(crate) fn hour(uid: &str, start: DateTime<Utc>, more: &str) -> String {
    let (from, to) = (basic(start), basic(start + TimeDelta::hours(1)));
    file(&component(uid, &format!("DTSTART:{from}\nDTEND:{to}{more}")))
}

/// The names and calendar files of the events.
pub(crate) fn first() -> Vec<(&'static str, String)> {
    let invited = |answer: &str| {
        format!("\nORGANIZER:mailto:boss@x.example\nATTENDEE;PARTSTAT={answer}:mailto:Ada@Own.example")
    };
    let (from, to) = (day(4).format("%Y%m%d"), day(5).format("%Y%m%d"));
    let daily = format!(
        "DTSTART;TZID=Europe/Paris:19950102T160000\nDTEND;TZID=Europe/Paris:19950102T170000\nRRULE:FREQ=DAILY\n\
         EXDATE;TZID=Europe/Paris:{}",
        local(1, 16)
    );
    let moved = format!(
        "RECURRENCE-ID;TZID=Europe/Paris:{}\nDTSTART;TZID=Europe/Paris:{}\nDTEND;TZID=Europe/Paris:{}",
        local(2, 16),
        local(2, 20),
        local(2, 21)
    );
    let office = format!("DTSTART;TZID=Office:{}\nDTEND;TZID=Office:{}", local(0, 13), local(0, 14));
    vec![
        ("plain.ics", hour("plain", at(0, 8), "")),
        ("free.ics", hour("free", at(0, 10), "\nTRANSP:TRANSPARENT")),
        ("cancelled.ics", hour("cancelled", at(0, 11), "\nSTATUS:CANCELLED")),
        ("declined.ics", hour("declined", at(0, 12), &invited("DECLINED"))),
        ("invited.ics", hour("invited", at(0, 13), &invited("NEEDS-ACTION"))),
        ("daily.ics", file(&(PARIS.to_owned() + &component("daily", &daily) + &component("daily", &moved)))),
        ("office.ics", file(&(OFFICE.to_owned() + &component("office", &office)))),
        ("day.ics", file(&component("day", &format!("DTSTART;VALUE=DATE:{from}\nDTEND;VALUE=DATE:{to}")))),
        ("odd%20n%C3%A4me%2B%26x.ics", hour("odd & <name>@x", at(0, 20), "")),
    ]
}

/// The hours that are blocked, and hours that are free although a calendar file has an event at that time.
pub(crate) fn expected() -> (Vec<DateTime<Utc>>, Vec<DateTime<Utc>>) {
    let (paris, office) = (Tz::Europe__Paris, Tz::America__New_York);
    let busy = vec![
        at(0, 8),
        at(0, 13),
        at(0, 20),
        on_clock(paris, 0, 16),
        on_clock(paris, 2, 20),
        on_clock(office, 0, 13),
        at(4, 0),
        at(4, 9),
        at(4, 23),
    ];
    let free = vec![
        at(0, 10),
        at(0, 11),
        at(0, 12),
        on_clock(paris, 1, 16),
        on_clock(paris, 2, 16),
        on_clock(office, 0, 12),
        at(3, 23),
        at(5, 0),
    ];
    (busy, free)
}
