use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

use super::*;

/// Valid and invalid pieces, from which the tests build files.
const PIECES: &[&str] = &[
    "BEGIN:VEVENT",
    "END:VEVENT",
    "BEGIN:VFREEBUSY",
    "END:VFREEBUSY",
    "BEGIN:VTIMEZONE",
    "END:VTIMEZONE",
    "BEGIN:STANDARD",
    "END:STANDARD",
    "BEGIN:VALARM",
    "END:VALARM",
    "UID:1",
    "UID:2",
    "SEQUENCE:3",
    "DTSTART:20261201T100000Z",
    "DTSTART;TZID=A:20270328T023000",
    "DTSTART;VALUE=DATE:20261201",
    "DTSTART:00000101T000000",
    "DTSTART:99991231T235959Z",
    "DTSTART;TZID=Asia/Tehran:20261201T100000",
    "DTEND:20261201T110000Z",
    "DTEND;VALUE=DATE:20270101",
    "DTEND:00000101T000000",
    "DTEND:99991231T235959",
    "DURATION:PT1H",
    "DURATION:-P3652500D",
    "DURATION:P3652500D",
    "DURATION:PT1S",
    "RRULE:FREQ=DAILY",
    "RRULE:FREQ=SECONDLY;BYSETPOS=-1,1",
    "RRULE:FREQ=YEARLY;BYWEEKNO=53,1,-1;BYDAY=MO",
    "RRULE:FREQ=MONTHLY;BYDAY=-5FR,5MO;BYSETPOS=2;COUNT=4",
    "RRULE:FREQ=HOURLY;INTERVAL=7;UNTIL=20270101",
    "RRULE:FREQ=WEEKLY;WKST=SU;INTERVAL=2;BYDAY=SU",
    "RRULE:FREQ=MINUTELY;BYHOUR=3;BYYEARDAY=-1,100",
    "RDATE:20261203T100000Z/PT1H,20261204",
    "RDATE:00000101,99991231T000000Z",
    "EXDATE:20261202T100000Z,20261203",
    "EXRULE:FREQ=DAILY",
    "RECURRENCE-ID:20261202T100000Z",
    "RECURRENCE-ID;RANGE=THISANDFUTURE:20261202",
    "RECURRENCE-ID;RANGE=THISANDFUTURE:99991231T000000",
    "TRANSP:TRANSPARENT",
    "STATUS:CANCELLED",
    "FREEBUSY;FBTYPE=FREE:20261201T100000Z/PT1H",
    "FREEBUSY:20261201T100000Z/99991231T000000Z,/",
    "TZID:A",
    "TZOFFSETFROM:+0100",
    "TZOFFSETTO:-2359",
    "TZOFFSETTO:+2359",
    ";:;",
    "\r\n ",
    "\u{feff}",
    "X\":",
];

fn check(text: &[u8]) {
    let window = window(at("2026-11-27T12:00:00Z"));
    let reading = Reading {
        window: window.clone(),
        zone: PARIS,
        all_day_busy: true,
        own_addresses: &[],
        is_appointment: &|_| false,
    };
    let Ok(times) = read(text, &reading, &mut FILE_STEPS_MAX.clone()) else { return };
    assert!(times.events.len() + times.unreadable <= times.components);
    for event in &times.events {
        assert!(event.busy.iter().all(|busy| busy.start < busy.end));
        assert!(event.busy.iter().all(|busy| busy.start < window.end && busy.end > window.start));
        assert!(event.busy.windows(2).all(|pair| pair[0].end < pair[1].start));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_bytes_cause_a_panic(bytes in vec(any::<u8>(), 0..400)) {
        check(&bytes);
        check(&[b"BEGIN:VCALENDAR\n".as_slice(), &bytes, b"\nEND:VCALENDAR"].concat());
    }

    #[test]
    fn no_order_of_lines_causes_a_panic(pieces in vec(select(PIECES), 0..40)) {
        check(calendar(&pieces.join("\n")).as_bytes());
    }

    #[test]
    fn no_event_causes_a_panic(events in vec(vec(select(&PIECES[10..]), 1..9), 1..5)) {
        check(calendar(&events.iter().map(|lines| event(&lines.join("\n"))).collect::<String>()).as_bytes());
    }

    /// Two events repeat at the same interval. One series begins shortly before the window. The other series begins
    /// earlier, by a multiple of the interval. Both events have the same busy times in the window.
    #[test]
    fn the_age_of_a_series_does_not_matter(intervals in 0_i64..2_000, days in 1_u32..9, minutes in 1_u32..3_000) {
        let start = NaiveDateTime::parse_from_str("20261102T023000", "%Y%m%dT%H%M%S").unwrap();
        let lines = |start: NaiveDateTime| {
            let start = start.format("%Y%m%dT%H%M%S");
            event(&format!("UID:1\nDTSTART;TZID=Europe/Paris:{start}\nDURATION:PT{minutes}M\nRRULE:FREQ=DAILY;INTERVAL={days}"))
        };
        let older = start - TimeDelta::days(intervals * i64::from(days));
        prop_assert_eq!(times(&lines(start)).events, times(&lines(older)).events);
    }

    /// The positions at which the lines of a file are folded do not matter.
    #[test]
    fn folding_changes_nothing(width in 1_usize..70, carriage in any::<bool>()) {
        let line = "DTSTART;X-NAME=été;TZID=Europe/Paris:20261201T100000";
        let text = calendar(&event(&format!("{line}\nDURATION:PT1H\nRRULE:FREQ=DAILY;COUNT=3")));
        let fold: &[u8] = if carriage { b"\r\n " } else { b"\n\t" };
        let folded: Vec<u8> = text.split('\n').map(|line| line.as_bytes().chunks(width).collect::<Vec<_>>().join(fold)).collect::<Vec<_>>().join(&b"\n"[..]);
        let reading = |text: &[u8]| read(text, &Reading {
            window: window(at("2026-11-27T12:00:00Z")), zone: PARIS, all_day_busy: true, own_addresses: &[], is_appointment: &|_| false,
        }, &mut FILE_STEPS_MAX.clone());
        let read = reading(&folded);
        prop_assert_eq!(read.as_ref().unwrap().events[0].busy.len(), 3);
        prop_assert_eq!(read, reading(text.as_bytes()));
    }
}
