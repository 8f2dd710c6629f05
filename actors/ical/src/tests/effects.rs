use super::*;

const TEN: &str = "12-01T10:00/12-01T11:00";

fn timed(lines: &str) -> String {
    event(&format!("UID:1\nDTSTART:20261201T100000Z\nDTEND:20261201T110000Z\n{lines}"))
}

#[test]
fn an_event_is_busy_unless_a_property_says_otherwise() {
    for lines in [
        "",
        "TRANSP:OPAQUE",
        "STATUS:TENTATIVE",
        "STATUS:CONFIRMED",
        "X-MICROSOFT-CDO-BUSYSTATUS:TENTATIVE",
        "X-MICROSOFT-CDO-BUSYSTATUS:OOF",
        "ATTENDEE;PARTSTAT=NEEDS-ACTION:mailto:me@example.com",
        "ATTENDEE;PARTSTAT=DECLINED:mailto:someone@example.com",
    ] {
        assert_eq!(busy(&timed(lines)), [TEN], "{lines}");
    }
    for lines in [
        "TRANSP:TRANSPARENT",
        "transp:transparent",
        "STATUS:CANCELLED",
        "X-MICROSOFT-CDO-BUSYSTATUS:FREE",
        "X-MICROSOFT-CDO-BUSYSTATUS:WORKINGELSEWHERE",
        "ATTENDEE;CN=\"a:b\";PARTSTAT=DECLINED:MAILTO:Me@Example.com",
        "ATTENDEE;PARTSTAT=declined:mailto:other@example.com",
        "ATTENDEE;PARTSTAT=DECLINED;EMAIL=me@example.com:urn:uuid:1",
    ] {
        assert!(busy(&timed(lines)).is_empty(), "{lines}");
    }
}

#[test]
fn a_property_of_an_alarm_is_not_one_of_the_event() {
    assert_eq!(busy(&timed("BEGIN:VALARM\nDURATION:PT5H\nSTATUS:CANCELLED\nEND:VALARM")), [TEN]);
}

#[test]
fn an_all_day_event_is_whole_days_of_the_business() {
    let one = event("DTSTART;VALUE=DATE:20261201");
    assert_eq!(busy(&one), ["11-30T23:00/12-01T23:00"]);
    let days = "11-30T23:00/12-03T23:00";
    for end in ["DTEND;VALUE=DATE:20261204", "DURATION:P3D", "DURATION:PT60H", "DTEND:20261203T120000"] {
        assert_eq!(busy(&event(&format!("DTSTART;VALUE=DATE:20261201\n{end}"))), [days], "{end}");
    }
    // If the end is not after the start, the event lasts one day.
    assert_eq!(busy(&event("DTSTART:20261201\nDTEND:20261201")), ["11-30T23:00/12-01T23:00"]);
    // The clocks go forward on 28 March 2027, so this day has 23 hours.
    assert_eq!(busy(&event("DTSTART:20270328")), ["2027-03-27T23:00/2027-03-28T22:00"]);
}

#[test]
fn all_day_events_can_be_free_and_timed_ones_stay_busy() {
    let daily = "UID:1\nDTSTART;VALUE=DATE:20261201\nRRULE:FREQ=DAILY;COUNT=3";
    let moved = "UID:1\nRECURRENCE-ID;VALUE=DATE:20261202\nDTSTART:20261202T100000Z\nDTEND:20261202T110000Z";
    let text = calendar(&(event(daily) + &event(moved)));
    let free = read_with(&text, |reading| reading.all_day_busy = false).unwrap();
    assert_eq!(shown(&free), ["12-02T10:00/12-02T11:00"]);
    assert_eq!(shown(&read_with(&text, |_| {}).unwrap()).len(), 3);
}

#[test]
fn a_timed_event_without_a_later_end_is_free() {
    for end in ["", "DTEND:20261201T100000Z", "DTEND:20261201T090000Z", "DURATION:PT0S", "DURATION:-PT1H"] {
        let times = times(&event(&format!("DTSTART:20261201T100000Z\n{end}")));
        assert!(shown(&times).is_empty(), "{end}");
        assert_eq!((times.components, times.unreadable), (1, 0));
    }
    assert_eq!(busy(&event("DTSTART:20261201T100000Z\nDURATION:PT1H")), [TEN]);
    assert_eq!(busy(&event("DTSTART:20261201T100000Z\nDTEND;TZID=Europe/Paris:20261201T120000")), [TEN]);
    assert_eq!(busy(&event("DTSTART:20261201T100000\nDTEND:20261202")), ["12-01T09:00/12-01T23:00"]);
}

#[test]
fn events_outside_the_window_have_no_times() {
    for (start, end) in [
        ("20261126T100000Z", "20261126T120000Z"),
        ("20280101T120000Z", "20280101T130000Z"),
        ("00000101T000000Z", "00010101T000000Z"),
    ] {
        let times = times(&event(&format!("DTSTART:{start}\nDTEND:{end}")));
        assert!(shown(&times).is_empty() && times.events.len() == 1, "{start}");
    }
    let long = event("DTSTART:20200101T000000Z\nDTEND:99991231T235959Z");
    assert_eq!(times(&long).events[0].busy, [at("2020-01-01T00:00:00Z")..at("9999-12-31T23:59:59Z")]);
}

#[test]
fn an_event_of_an_appointment_is_not_busy_but_reported() {
    let uid = |id: &str| event(&format!("UID:{id}\nDTSTART:20261201T100000Z\nDTEND:20261201T110000Z"));
    let own = times(&uid(&format!("{}@receptionist", own_id())));
    assert!(own.events.is_empty());
    let (starts_at, ends_at) = (at("2026-12-01T10:00:00Z"), at("2026-12-01T11:00:00Z"));
    let unchanged = OwnEvent { times: Some((starts_at, ends_at)), cancelled: false, recurs: false };
    assert_eq!(own.own, BTreeMap::from([(own_id(), unchanged.clone())]));
    for foreign in ["01920000-0000-7000-8000-000000000002@receptionist", "1@receptionist", "@receptionist"] {
        assert_eq!(busy(&uid(foreign)), [TEN], "{foreign}");
    }
    let of = |lines: &str| {
        let lines =
            format!("UID:{}@receptionist\nDTSTART:20261201T100000Z\nDURATION:PT1H\n{lines}", own_id());
        times(&event(&lines)).own[&own_id()].clone()
    };
    assert_eq!(of(""), unchanged);
    assert!(of("STATUS:CANCELLED").cancelled && !of("TRANSP:TRANSPARENT").cancelled);
    assert!(of("RRULE:FREQ=DAILY").recurs && of("RDATE:20261202T100000Z").recurs);
    assert_eq!(of("RRULE:FREQ=NEVER").times, None);
    let twice = uid(&format!("{}@receptionist", own_id())).repeat(2);
    assert!(times(&twice).own[&own_id()].recurs);
}

#[test]
fn free_busy_periods_are_busy_except_free_ones() {
    let lines = [
        "BEGIN:VFREEBUSY",
        "FREEBUSY:20261201T100000Z/20261201T110000Z,20261201T120000Z/PT1H",
        "FREEBUSY;FBTYPE=FREE:20261202T100000Z/PT1H",
        "FREEBUSY;FBTYPE=BUSY-TENTATIVE:20261203T100000Z/PT1H",
        "FREEBUSY;FBTYPE=X-OWN:20261204T100000Z/PT1H",
        "FREEBUSY:20251204T100000Z/PT1H,20261205T100000Z/PT0S",
        "END:VFREEBUSY",
    ];
    let expected = [TEN, "12-01T12:00/12-01T13:00", "12-03T10:00/12-03T11:00", "12-04T10:00/12-04T11:00"];
    assert_eq!(busy(&lines.join("\n")), expected);
    for value in ["20261201T100000Z", "20261201/PT1H", "20261201T100000Z/x"] {
        let times = times(&format!("BEGIN:VFREEBUSY\nFREEBUSY:{value}\nEND:VFREEBUSY"));
        assert_eq!((times.components, times.unreadable, times.events.len()), (1, 1, 0), "{value}");
    }
}

#[test]
fn unreadable_events_are_skipped_and_counted() {
    for lines in [
        "DTEND:20261201T110000Z",
        "DTSTART:yesterday",
        "DTSTART:20261201T100000Z\nDTEND:x",
        "DTSTART:20261201T100000Z\nDURATION:1 hour",
        "DTSTART:20261201T100000Z\nRRULE:FREQ=FORTNIGHTLY",
        "DTSTART:20261201T100000Z\nRRULE:FREQ=DAILY;INTERVAL=0",
        "DTSTART:20261201T100000Z\nRRULE:FREQ=DAILY;BYHOUR=24",
        "DTSTART:20261201T100000Z\nRDATE:x",
        "DTSTART:20261201T100000Z\nEXDATE:x",
        "DTSTART:20261201T100000Z\nRECURRENCE-ID:x",
    ] {
        let times = times(&(event(lines) + &timed("")));
        assert_eq!((times.components, times.unreadable), (2, 1), "{lines}");
        assert_eq!(shown(&times), [TEN], "{lines}");
    }
    // An empty list excludes no date, and does not make the event unreadable.
    assert_eq!(busy(&timed("EXDATE:")), [TEN]);
}

#[test]
fn the_times_of_one_uid_are_merged() {
    let event = |uid: &str, start, end| {
        event(&format!("UID:{uid}\nDTSTART:20261201T{start}00Z\nDTEND:20261201T{end}00Z"))
    };
    let text = event("1", "1000", "1100") + &event("2", "1030", "1200") + &event("1", "1100", "1200");
    let times = times(&text);
    assert_eq!(shown(&times), ["12-01T10:00/12-01T12:00", "12-01T10:30/12-01T12:00"]);
    assert_eq!(
        times.events.iter().map(|event| event.uid.as_deref().unwrap()).collect::<Vec<_>>(),
        ["1", "2"]
    );
}

#[test]
fn a_text_that_is_no_whole_calendar_is_refused() {
    for text in ["", "<!doctype html>", "BEGIN:VCALENDAR\nBEGIN:VEVENT\nUID:1\nDTSTART:20261201T100000Z"] {
        assert_eq!(read_with(text, |_| {}), Err(ReadError::NotACalendar), "{text}");
    }
    assert_eq!(times(""), BusyTimes::default());
}
