use super::*;

fn daily(lines: &str) -> String {
    format!(
        "UID:1\nDTSTART;TZID=Europe/Paris:20261201T100000\nDTEND;TZID=Europe/Paris:20261201T110000\n{lines}"
    )
}

fn only(rule: &str) -> Vec<String> {
    starts(&daily(&format!("RRULE:{rule}")))
}

#[test]
fn a_series_is_expanded_from_the_window_on() {
    let old = "DTSTART;TZID=Europe/Paris:19950101T100000\nDURATION:PT1H\nRRULE:FREQ=DAILY";
    let starts = starts(old);
    assert_eq!(starts[..2], ["11-27T09:00", "11-28T09:00"]);
    assert_eq!(starts.len(), 401);
    let counted = super::starts(&format!("{old};COUNT=11655"));
    assert_eq!(counted, ["11-27T09:00", "11-28T09:00"]);
}

#[test]
fn a_series_keeps_the_time_of_the_clock() {
    let starts = only("FREQ=MONTHLY;COUNT=5");
    assert_eq!(
        starts,
        ["12-01T09:00", "2027-01-01T09:00", "2027-02-01T09:00", "2027-03-01T09:00", "2027-04-01T08:00"]
    );
}

#[test]
fn each_part_of_a_rule_selects_days_or_times() {
    for (rule, expected) in [
        ("FREQ=DAILY;INTERVAL=3;COUNT=3", "1 4 7"),
        ("FREQ=WEEKLY;BYDAY=MO,TU,SU;COUNT=4", "1 6 7 8"),
        ("FREQ=WEEKLY;INTERVAL=2;BYDAY=TU,SU;WKST=MO;COUNT=4", "1 6 15 20"),
        ("FREQ=WEEKLY;INTERVAL=2;BYDAY=TU,SU;WKST=SU;COUNT=4", "1 13 15 27"),
        ("FREQ=MONTHLY;BYDAY=1TU,-1TH;UNTIL=20261231T090000Z", "1 31"),
        ("FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=1,-1;UNTIL=20261231", "1"),
        ("FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=1,-1;UNTIL=20261231T100000", "1 31"),
        ("FREQ=MONTHLY;BYMONTHDAY=1,-2;COUNT=2", "1 30"),
        ("FREQ=MONTHLY;BYDAY=FR;BYMONTHDAY=11,12,13;COUNT=1", "1 11"),
        ("FREQ=YEARLY;BYYEARDAY=335,-1;COUNT=2", "1 31"),
        ("FREQ=YEARLY;BYWEEKNO=50;BYDAY=MO,TH;COUNT=2", "1 7 10"),
        ("FREQ=YEARLY;BYDAY=-2MO;COUNT=1", "1 21"),
        ("FREQ=YEARLY;BYMONTH=12;BYDAY=2WE;COUNT=1", "1 9"),
        ("FREQ=DAILY;BYMONTH=12;BYMONTHDAY=1,24;COUNT=2", "1 24"),
        ("FREQ=HOURLY;INTERVAL=24;COUNT=2;X-OWN=1;RSCALE=GREGORIAN;SKIP=OMIT", "1 2"),
        ("freq=daily;count=2;", "1 2"),
    ] {
        let expected: Vec<_> = expected.split(' ').map(|day| format!("12-{day:0>2}T09:00")).collect();
        assert_eq!(only(rule), expected, "{rule}");
    }
    for (rule, expected) in [
        ("FREQ=DAILY;BYHOUR=10,14;COUNT=3", "01T09:00 01T13:00 02T09:00"),
        ("FREQ=DAILY;BYHOUR=10,14;BYSETPOS=-1;COUNT=2", "01T09:00 01T13:00 02T13:00"),
        ("FREQ=HOURLY;INTERVAL=5;COUNT=3", "01T09:00 01T14:00 01T19:00"),
        ("FREQ=HOURLY;BYHOUR=10,14;COUNT=3", "01T09:00 01T13:00 02T09:00"),
        ("FREQ=MINUTELY;INTERVAL=90;COUNT=3", "01T09:00 01T10:30 01T12:00"),
        ("FREQ=MINUTELY;BYHOUR=10,14;BYMINUTE=0;BYDAY=TU,TH;COUNT=3", "01T09:00 01T13:00 03T09:00"),
        ("FREQ=SECONDLY;INTERVAL=7200;BYMONTHDAY=1,4;BYHOUR=10,14;COUNT=3", "01T09:00 01T13:00 04T09:00"),
    ] {
        let expected: Vec<_> = expected.split(' ').map(|day| format!("12-{day}")).collect();
        assert_eq!(only(rule), expected, "{rule}");
    }
}

#[test]
fn days_that_a_month_or_year_lacks_are_left_out() {
    let starts = starts("DTSTART;VALUE=DATE:20240229\nRRULE:FREQ=YEARLY");
    assert!(starts.is_empty(), "{starts:?}");
    let thirty_first =
        super::starts("DTSTART:20250131T100000Z\nDURATION:PT1H\nRRULE:FREQ=MONTHLY;UNTIL=20270401T000000Z");
    assert_eq!(thirty_first, ["12-31T10:00", "2027-01-31T10:00", "2027-03-31T10:00"]);
}

#[test]
fn dates_are_added_and_left_out() {
    let lines = "RRULE:FREQ=DAILY;COUNT=4\nRDATE;TZID=America/New_York:20261210T040000\n\
                 RDATE;VALUE=PERIOD:20261211T090000Z/PT3H,20261212T090000Z/20261212T093000Z\n\
                 EXDATE:20261202T090000Z\nEXDATE;TZID=Europe/Paris:20261203T100000,20261203T110000";
    let expected = [
        "12-01T09:00/12-01T10:00",
        "12-04T09:00/12-04T10:00",
        "12-10T09:00/12-10T10:00",
        "12-11T09:00/12-11T12:00",
        "12-12T09:00/12-12T09:30",
    ];
    assert_eq!(busy(&event(&daily(lines))), expected);
    assert_eq!(only("FREQ=DAILY;COUNT=3\nEXDATE;VALUE=DATE:20261202"), ["12-01T09:00", "12-03T09:00"]);
    assert_eq!(only("FREQ=DAILY;COUNT=2\nEXRULE:FREQ=DAILY"), ["12-01T09:00", "12-02T09:00"]);
    let all_day = "DTSTART:20261201\nRRULE:FREQ=DAILY;INTERVAL=2;COUNT=3\nEXDATE:20261203T000000";
    assert_eq!(starts(all_day), ["11-30T23:00", "12-04T23:00"]);
}

#[test]
fn two_rules_add_their_occurrences() {
    assert_eq!(
        only("FREQ=DAILY;COUNT=2\nRRULE:FREQ=DAILY;INTERVAL=3;COUNT=2"),
        ["12-01T09:00", "12-02T09:00", "12-04T09:00"]
    );
}

#[test]
fn a_start_that_its_rule_leaves_out_counts_unless_the_rule_ended_before() {
    assert_eq!(only("FREQ=WEEKLY;BYDAY=WE;COUNT=1"), ["12-01T09:00", "12-02T09:00"]);
    assert!(only("FREQ=DAILY;UNTIL=20261130T000000Z").is_empty());
}

fn with_override(lines: &str) -> Vec<String> {
    busy(
        &(event(&daily("RRULE:FREQ=DAILY;COUNT=4\nEXDATE:20261204T090000Z"))
            + &event(&format!("UID:1\n{lines}"))),
    )
    .iter()
    .map(|busy| busy.replace("12-", "").replace(":00", ""))
    .collect()
}

#[test]
fn an_override_replaces_its_occurrence() {
    for id in ["TZID=Europe/Paris:20261202T100000", "VALUE=DATE-TIME:20261202T090000Z", "VALUE=DATE:20261202"]
    {
        let moved = with_override(&format!("RECURRENCE-ID;{id}\nDTSTART:20261220T120000Z\nDURATION:PT2H"));
        assert_eq!(moved, ["01T09/01T10", "03T09/03T10", "20T12/20T14"], "{id}");
    }
    let cancelled = "RECURRENCE-ID:20261202T090000Z\nDTSTART:20261202T090000Z\nSTATUS:CANCELLED";
    assert_eq!(with_override(cancelled), ["01T09/01T10", "03T09/03T10"]);
    let additional = "RECURRENCE-ID:20261210T090000Z\nDTSTART:20261210T120000Z\nDURATION:PT2H";
    assert_eq!(with_override(additional).len(), 4);
    let left_out = "RECURRENCE-ID:20261204T090000Z\nDTSTART:20261210T120000Z\nDURATION:PT2H";
    assert_eq!(with_override(left_out).len(), 3);
}

#[test]
fn the_override_with_the_highest_sequence_counts() {
    let lines = |sequence, hour| {
        format!(
            "RECURRENCE-ID:20261202T090000Z\nSEQUENCE:{sequence}\nDTSTART:20261202T{hour}0000Z\nDURATION:PT1H"
        )
    };
    for (first, second, expected) in [(2, 1, "02T12/02T13"), (1, 2, "02T15/02T16"), (1, 1, "02T15/02T16")] {
        let text = lines(first, 12) + "\nEND:VEVENT\nBEGIN:VEVENT\nUID:1\n" + &lines(second, 15);
        assert_eq!(with_override(&text), ["01T09/01T10", expected, "03T09/03T10"]);
    }
}

#[test]
fn an_override_of_this_and_future_moves_the_later_occurrences() {
    let lines = "RECURRENCE-ID;RANGE=THISANDFUTURE:20261202T090000Z\nDTSTART:20261202T120000Z\nDURATION:PT2H";
    assert_eq!(with_override(lines), ["01T09/01T10", "02T12/02T14", "03T12/03T14"]);
    let free = format!("{lines}\nTRANSP:TRANSPARENT");
    assert_eq!(with_override(&free), ["01T09/01T10"]);
    // An override with `THISANDFUTURE` changes one occurrence and all later ones. The override of a single occurrence
    // has priority over it.
    let one = "RECURRENCE-ID:20261203T090000Z\nDTSTART:20261203T180000Z\nDURATION:PT1H";
    let both = format!("{lines}\nEND:VEVENT\nBEGIN:VEVENT\nUID:1\n{one}");
    assert_eq!(with_override(&both), ["01T09/01T10", "02T12/02T14", "03T18/03T19"]);
    // An override with `THISANDFUTURE` can move occurrences from a time before the window into the window.
    let old = event("UID:1\nDTSTART:20261001T100000Z\nDURATION:PT1H\nRRULE:FREQ=DAILY;COUNT=3")
        + &event(
            "UID:1\nRECURRENCE-ID;RANGE=THISANDFUTURE:20261002T100000Z\nDTSTART:20261202T100000Z\nDURATION:PT1H",
        );
    assert_eq!(busy(&old), ["12-02T10:00/12-02T11:00", "12-03T10:00/12-03T11:00"]);
    // An override with `THISANDFUTURE` can also turn timed occurrences into all-day ones.
    let days = "RECURRENCE-ID;RANGE=THISANDFUTURE:20261202T090000Z\nDTSTART;VALUE=DATE:20261202";
    assert_eq!(with_override(days), ["01T09/01T10", "01T23/03T23"]);
}

#[test]
fn an_override_without_its_master_counts() {
    let alone = event("UID:9\nRECURRENCE-ID:20261202T090000Z\nDTSTART:20261202T120000Z\nDURATION:PT1H");
    assert_eq!(busy(&alone), ["12-02T12:00/12-02T13:00"]);
}

#[test]
fn long_occurrences_that_began_before_the_window_count() {
    let long = "DTSTART:20260101T100000Z\nDURATION:P10D\nRRULE:FREQ=MONTHLY;BYMONTHDAY=20;COUNT=11";
    assert_eq!(busy(&event(long)), ["11-20T10:00/11-30T10:00"]);
}

#[test]
fn an_all_day_series_is_one_day_each_across_a_change_of_the_clocks() {
    let text = event("DTSTART:20270327\nRRULE:FREQ=DAILY;INTERVAL=2;COUNT=2");
    assert_eq!(busy(&text), ["2027-03-26T23:00/2027-03-27T23:00", "2027-03-28T22:00/2027-03-29T22:00"]);
}
