use std::time::Instant;

use super::*;

/// A bounded read takes less time than this, even without compiler optimisation and on a busy machine. An unbounded
/// read would take more.
const SECONDS_MAX: u64 = 60;

fn within_bounds<T>(read: impl FnOnce() -> T) -> T {
    #[expect(clippy::disallowed_methods, reason = "the test measures real time")]
    let now = Instant::now;
    let begin = now();
    let result = read();
    assert!((now() - begin).as_secs() < SECONDS_MAX);
    result
}

#[test]
fn occurrences_above_the_maximum_are_cut() {
    let minutes = |count: usize| {
        let rule = format!("RRULE:FREQ=MINUTELY;INTERVAL=2;COUNT={count}");
        let times = times(&event(&format!("DTSTART:20261201T000000Z\nDURATION:PT1M\n{rule}")));
        (times.events[0].busy.len(), times.warnings)
    };
    assert_eq!(minutes(5_000), (5_000, vec![]));
    assert_eq!(minutes(5_001), (5_000, vec![Warning::TooManyOccurrences]));
}

#[test]
fn occurrences_before_the_window_are_not_among_those_that_are_cut() {
    let old = "DTSTART:20200101T000000Z\nDURATION:PT1M\nRRULE:FREQ=HOURLY;INTERVAL=6";
    let times = times(&event(old));
    assert_eq!((times.events[0].busy.len(), times.warnings.len()), (401 * 4, 0));
}

#[test]
fn a_file_with_too_many_events_is_too_large() {
    let events = |count| read_with(&calendar(&event("DTSTART:20261201").repeat(count)), |_| {});
    assert_eq!(events(EVENTS_MAX).unwrap().components, EVENTS_MAX);
    assert_eq!(events(EVENTS_MAX + 1), Err(ReadError::TooLarge));
}

#[test]
fn a_file_with_too_many_intervals_is_too_large() {
    let series = event("DTSTART:20261201T000000Z\nDURATION:PT1M\nRRULE:FREQ=MINUTELY;INTERVAL=2;COUNT=5000");
    let file = |count| read_with(&calendar(&series.repeat(count)), |_| {});
    assert!(file(INTERVALS_MAX / 5_000).is_ok());
    assert_eq!(file(INTERVALS_MAX / 5_000 + 1), Err(ReadError::TooLarge));
}

#[test]
fn a_text_that_is_too_long_is_too_large() {
    let text = calendar(&"X".repeat(TEXT_BYTES_MAX));
    assert_eq!(read_with(&text, |_| {}), Err(ReadError::TooLarge));
}

#[test]
fn a_hostile_rule_ends_soon() {
    for rule in [
        "FREQ=SECONDLY",
        "FREQ=SECONDLY;COUNT=4000000000",
        "FREQ=SECONDLY;BYMONTH=2;BYMONTHDAY=30",
        "FREQ=SECONDLY;BYHOUR=3;BYMINUTE=7;BYSECOND=9;COUNT=4000000000",
        "FREQ=YEARLY;INTERVAL=4294967295",
        "FREQ=MONTHLY;INTERVAL=4294967295",
        "FREQ=WEEKLY;INTERVAL=4294967295",
        "FREQ=DAILY;INTERVAL=4294967295",
        "FREQ=HOURLY;INTERVAL=4294967295",
        "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30;COUNT=4000000000",
        "FREQ=YEARLY;BYWEEKNO=53,-53;BYYEARDAY=366,-366;BYSETPOS=-366",
    ] {
        for start in ["00000101T000000Z", "19950101T000000", "20261201"] {
            let text = event(&format!("DTSTART:{start}\nDURATION:P1D\nRRULE:{rule}"));
            within_bounds(|| times(&text));
            let long = event(&format!("DTSTART:{start}\nDTEND:99991231T235959Z\nRRULE:{rule}"));
            within_bounds(|| times(&long));
        }
    }
}

#[test]
fn a_hostile_file_ends_soon() {
    let all = |last| (0..last).map(|number| number.to_string()).collect::<Vec<_>>().join(",");
    let times = format!("BYHOUR={};BYMINUTE={};BYSECOND={}", all(24), all(60), all(60));
    let rule = |rule: String| event(&format!("DTSTART:19950101T000000Z\nDURATION:PT1S\nRRULE:{rule}"));
    let files = [
        rule(format!("FREQ=YEARLY;BYDAY=MO,TU,WE,TH,FR,SA,SU;{times};BYSETPOS=-1")).repeat(2_000),
        rule("FREQ=SECONDLY;COUNT=4000000000".into()).repeat(2_000),
        rule("FREQ=SECONDLY".into()).repeat(2_000),
        "BEGIN:X\n".repeat(200_000) + &"END:Y\n".repeat(200_000),
        "BEGIN:VEVENT\n".to_owned() + &"BEGIN:VALARM\n".repeat(200_000),
        "A:\r\n ".repeat(200_000),
        event(&format!("DTSTART:20261201T000000Z\nDURATION:PT1M\nRDATE:{}", "20261201T000000Z,".repeat(200_000))),
        format!("BEGIN:VFREEBUSY\nFREEBUSY:{}\nEND:VFREEBUSY\n", "20261201T000000Z/PT1M,".repeat(200_000)),
        "BEGIN:VTIMEZONE\nTZID:A\nBEGIN:STANDARD\nDTSTART:16010101T000000\nTZOFFSETFROM:+0000\nTZOFFSETTO:+0100\n\
         RRULE:FREQ=SECONDLY\nEND:STANDARD\nEND:VTIMEZONE\n"
            .repeat(2_000),
        event("UID:1\nDTSTART:20261201T000000Z\nDURATION:PT1M\nRRULE:FREQ=MINUTELY")
            + &event("UID:1\nRECURRENCE-ID;RANGE=THISANDFUTURE:20261202T000000Z\nDTSTART:20261202T000001Z\nDURATION:PT1M")
                .repeat(5_000),
    ];
    for file in files {
        // The read may succeed or fail. Only its duration is checked.
        let _ = within_bounds(|| read_with(&calendar(&file), |_| {}));
    }
}

#[test]
fn the_offset_changes_of_all_zones_of_a_file_are_limited() {
    let zone = |number: usize, dates: &str| {
        format!(
            "BEGIN:VTIMEZONE\nTZID:Zone {number}\nBEGIN:STANDARD\nDTSTART:20100101T000000\nTZOFFSETFROM:+0000\n\
             TZOFFSETTO:+0300\n{dates}\nEND:STANDARD\nEND:VTIMEZONE\n"
        )
    };
    let zones: String = (0..20).map(|number| zone(number, "RRULE:FREQ=DAILY;COUNT=5000")).collect();
    let of = |number| {
        let times = times(
            &(zones.clone() + &event(&format!("DTSTART;TZID=Zone {number}:20261201T100000\nDURATION:PT1H"))),
        );
        (shown(&times).remove(0), times.warnings)
    };
    for number in [0, 9] {
        assert_eq!(of(number), ("12-01T07:00/12-01T08:00".to_owned(), vec![]), "{number}");
    }
    for number in [10, 19] {
        assert_eq!(
            of(number),
            ("12-01T09:00/12-01T10:00".to_owned(), vec![Warning::UnknownZone]),
            "{number}"
        );
    }
    let dates = zone(1, &format!("RDATE:{}", ["20110101T000000"; 1_000].join(",")));
    let mut steps = FILE_STEPS_MAX;
    let reading = Reading {
        window: window(at("2026-11-27T12:00:00Z")),
        zone: PARIS,
        all_day_busy: true,
        own_addresses: &[],
        is_appointment: &|_| false,
    };
    read(calendar(&dates).as_bytes(), &reading, &mut steps).unwrap();
    assert!(FILE_STEPS_MAX - steps >= 1_000, "each date is a step");
}

#[test]
fn several_files_share_their_steps() {
    let reading = Reading {
        window: window(at("2026-11-27T12:00:00Z")),
        zone: PARIS,
        all_day_busy: true,
        own_addresses: &[],
        is_appointment: &|_| false,
    };
    let file = calendar(&event("DTSTART:20200101T000000Z\nDURATION:PT1M\nRRULE:FREQ=HOURLY;INTERVAL=6"));
    let mut steps = 50_000;
    read(file.as_bytes(), &reading, &mut steps).unwrap();
    let used = 50_000 - steps;
    assert!(used > 401 * 4, "{used}");
    steps = used * 2 + used / 2;
    let read = [(); 3].map(|()| read(file.as_bytes(), &reading, &mut steps).is_ok());
    assert_eq!(read, [true, true, false]);
    let zone = "BEGIN:VTIMEZONE\nTZID:Europe/Paris\nBEGIN:STANDARD\nDTSTART:16010101T000000\nTZOFFSETFROM:+0200\n\
                TZOFFSETTO:+0100\nRRULE:FREQ=YEARLY;BYMONTH=10;BYDAY=-1SU\nEND:STANDARD\nEND:VTIMEZONE\n";
    let known =
        calendar(&(zone.to_owned() + &event("DTSTART;TZID=Europe/Paris:20261201T100000\nDURATION:PT1H")));
    super::read(known.as_bytes(), &reading, &mut 0).unwrap();
}
