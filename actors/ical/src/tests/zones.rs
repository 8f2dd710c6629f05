use super::*;

const CUSTOM: &str = "BEGIN:VTIMEZONE\nBEGIN:STANDARD\nDTSTART:16011028T030000\nRRULE:FREQ=YEARLY;BYDAY=-1SU;BYMONTH=10\n\
                      TZOFFSETFROM:+0400\nTZOFFSETTO:+0300\nEND:STANDARD\nBEGIN:DAYLIGHT\nDTSTART:16010325T020000\n\
                      RRULE:FREQ=YEARLY;BYDAY=-1SU;BYMONTH=3\nTZOFFSETFROM:+0300\nTZOFFSETTO:+0400\nEND:DAYLIGHT\n\
                      TZID:Customized Time Zone\nEND:VTIMEZONE\n";

fn in_zone(zone: &str, start: &str) -> String {
    event(&format!("UID:{start}\nDTSTART;TZID={zone}:{start}\nDURATION:PT1H"))
}

fn warned(body: &str) -> bool {
    times(body).warnings == [Warning::UnknownZone]
}

#[test]
fn zones_are_found_by_iana_names_windows_names_and_in_the_file() {
    for (zone, hour) in [
        ("America/New_York", "17"),
        ("america/new_york", "17"),
        ("\"America/New_York\"", "17"),
        ("/mozilla.org/20050126_1/America/New_York", "17"),
        ("/freeassociation.sourceforge.net/Tzfile/America/Indiana/Knox", "18"),
        ("\"tzone://Microsoft/Utc\"", "12"),
        ("Etc/GMT+5", "17"),
        ("Eastern Standard Time", "17"),
        ("Romance Standard Time", "11"),
        ("Customized Time Zone", "09"),
    ] {
        let body = in_zone(zone, "20261201T120000") + CUSTOM;
        assert_eq!(starts_of(&body), [format!("12-01T{hour}:00")], "{zone}");
        assert!(!warned(&body), "{zone}");
    }
}

fn starts_of(body: &str) -> Vec<String> {
    busy(body).iter().map(|busy| busy.split('/').next().unwrap().to_owned()).collect()
}

#[test]
fn an_unknown_zone_is_that_of_the_business_with_a_warning() {
    let body = in_zone("Mars/Olympus", "20261201T120000");
    assert_eq!(starts_of(&body), ["12-01T11:00"]);
    assert!(warned(&body));
    let empty = body + "BEGIN:VTIMEZONE\nTZID:Mars/Olympus\nEND:VTIMEZONE\n";
    assert!(warned(&empty));
    // A floating time is read in the zone of the business without a warning, because it names no zone.
    let floating = event("DTSTART:20261201T120000\nDURATION:PT1H");
    assert_eq!(starts_of(&floating), ["12-01T11:00"]);
    assert!(!warned(&floating) && !warned(&event("DTSTART;TZID=Mars:20261201T120000Z")));
}

#[test]
fn a_name_of_iana_precedes_the_zone_of_the_file() {
    let file = CUSTOM.replace("Customized Time Zone", "Europe/Paris");
    assert_eq!(starts_of(&(in_zone("Europe/Paris", "20261201T120000") + &file)), ["12-01T11:00"]);
}

#[test]
fn the_zone_of_a_file_changes_its_offset() {
    for (start, expected) in [
        ("20270327T120000", "2027-03-27T09:00"),
        ("20270328T120000", "2027-03-28T08:00"),
        ("20270328T023000", "2027-03-27T23:30"),
        ("20271031T023000", "2027-10-30T22:30"),
        ("20271031T033000", "2027-10-31T00:30"),
    ] {
        assert_eq!(starts_of(&(in_zone("Customized Time Zone", start) + CUSTOM)), [expected], "{start}");
    }
}

#[test]
fn parts_of_a_zone_can_have_dates_and_an_end() {
    let zone = "BEGIN:VTIMEZONE\nTZID:Own\nBEGIN:STANDARD\nDTSTART:20000101T000000\nTZOFFSETFROM:+0000\nTZOFFSETTO:+0100\n\
                END:STANDARD\nBEGIN:DAYLIGHT\nDTSTART:20200101T020000\nRDATE:20270101T020000\nTZOFFSETFROM:+0100\n\
                TZOFFSETTO:+0200\nEND:DAYLIGHT\nBEGIN:STANDARD\nDTSTART:20200601T020000\n\
                RRULE:FREQ=YEARLY;UNTIL=20250601T000000Z\nTZOFFSETFROM:+0200\nTZOFFSETTO:+0100\nEND:STANDARD\nEND:VTIMEZONE\n";
    assert_eq!(starts_of(&(in_zone("Own", "20261201T120000") + zone)), ["12-01T11:00"]);
    assert_eq!(starts_of(&(in_zone("Own", "20271201T120000") + zone)), ["2027-12-01T10:00"]);
}

#[test]
fn a_skipped_time_moves_forward_and_of_a_repeated_time_the_first_counts() {
    // Paris skips 02:00 to 03:00 on 28 March 2027, and repeats this hour on 31 October 2027.
    for (start, expected) in [
        ("20270328T023000", "2027-03-28T01:30/2027-03-28T02:30"),
        ("20270328T015900", "2027-03-28T00:59/2027-03-28T01:59"),
        ("20270328T030000", "2027-03-28T01:00/2027-03-28T02:00"),
        ("20271031T020000", "2027-10-31T00:00/2027-10-31T02:00"),
        ("20271031T030000", "2027-10-31T02:00/2027-10-31T03:00"),
    ] {
        // Each event lasts one hour by the local time.
        let busy = busy(&in_zone("Europe/Paris", start));
        assert_eq!(busy, [expected], "{start}");
    }
    // Clocks skip the start 02:30, so it becomes 03:30. That is after the end 03:00, so the end moves too and the event
    // keeps its length of 30 minutes.
    let gap = event("DTSTART;TZID=Europe/Paris:20270328T023000\nDTEND;TZID=Europe/Paris:20270328T030000");
    assert_eq!(busy(&gap), ["2027-03-28T01:30/2027-03-28T02:00"]);
}
