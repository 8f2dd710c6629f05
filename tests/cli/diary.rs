//! Tests of the import of special days from a calendar file, and of time off in the business's time zone.

use crate::program::Demo;

/// The first available time from tomorrow on: the day of the week, the date and the time.
fn first_open(demo: &Demo) -> (String, String, String) {
    let shown = demo.printed(&["availability", "--service", "coupe", "--start-date", "tomorrow"]);
    let mut words = shown.split_whitespace().map(str::to_owned);
    (words.next().unwrap(), words.next().unwrap(), words.next().unwrap())
}

fn calendar(events: &[String]) -> String {
    let events: String = events.iter().map(|lines| format!("BEGIN:VEVENT\n{lines}\nEND:VEVENT\n")).collect();
    format!("BEGIN:VCALENDAR\n{events}END:VCALENDAR\n")
}

#[test]
fn a_calendar_is_checked_imported_and_imported_again() {
    let demo = Demo::start();
    let (_, day, time) = first_open(&demo);
    let starts_at = format!("{day} {time}");
    let book =
        ["appointment", "book", "--service", "coupe", "--starts-at", &starts_at, "--contact-name", "Ada"];
    let booked = demo.data(&[&book[..], &["--contact-phone", "06 12 34 56 80"]].concat());
    let date = day.replace('-', "");
    let holidays = calendar(&[
        format!("SUMMARY:Fair\nDTSTART;VALUE=DATE:{date}"),
        "SUMMARY:Meeting\nDTSTART:20200301T090000Z\nDURATION:PT1H".into(),
    ]);
    demo.write("fair.ics", &holidays);
    let import = ["special-day", "import", "--ics", "fair.ics"];
    let tried = demo.run(&[&import[..], &["--dry-run"]].concat());
    assert_eq!(tried.code, Some(0), "{}", tried.errors);
    assert!(tried.output.starts_with("would close on 1 day; existing special days: 0\n"), "{}", tried.output);
    assert!(tried.output.contains(&format!("{day}  Fair  (")), "{}", tried.output);
    let tried = demo.data(&[&import[..], &["--dry-run"]].concat());
    assert_eq!(demo.data(&["special-day", "list"]), serde_json::json!([]));

    let imported = demo.data(&import);
    assert_eq!(imported, tried, "the import must make exactly the changes that the dry run reported");
    let affected = &imported["made"][0]["affected"];
    let ids = affected["ids"].as_array().unwrap();
    assert!(ids.contains(&booked["id"]) && affected["count"] == ids.len(), "{imported}");
    let again = demo.run_with(&["special-day", "import", "--ics", "-"], &holidays);
    assert_eq!(again.output, "closed on 0 days; existing special days: 1\n", "{}", again.errors);
    let set = demo.data(&["special-day", "set", &day, "--closed", "--note", "Fair"]);
    assert_eq!(&set["affected"], affected, "a repeated change must list the affected appointments again");
}

#[test]
fn an_invalid_or_too_long_calendar_closes_no_day() {
    let demo = Demo::start();
    let year = |year: i32| format!("DTSTART;VALUE=DATE:{year}0101\nDTEND;VALUE=DATE:{year}1028");
    let refused = |text: &str, told: &str| {
        demo.write("bad.ics", text);
        for more in [&[][..], &["--dry-run"]] {
            let said = demo.refused(&[&["special-day", "import", "--ics", "bad.ics"], more].concat(), 1);
            assert!(said.contains(told) && said.contains("nothing was closed"), "{said}");
        }
    };
    refused(
        &calendar(&[2101, 2102, 2103, 2105].map(year)),
        "has 1200 new days, and the business has 0 special days",
    );
    refused(&calendar(&[year(2101), year(2205)]), "is on 2205-01-01; special days must be in the years");
    refused(&calendar(&[year(2101), "SUMMARY:\0\nDTSTART:21020101".into()]), "SUMMARY must not");
    refused(&format!("BEGIN:VCALENDAR\n{}", "BEGIN:VEVENT\n".repeat(100_000)), "line 17 nests more than");
    assert_eq!(demo.data(&["special-day", "list"]), serde_json::json!([]));
}

#[test]
fn time_off_is_listed_in_the_time_zone_of_the_business() {
    let demo = Demo::start();
    let (weekday, day, _) = first_open(&demo);
    let staff = demo.data(&["staff", "list"])[0]["name"].as_str().unwrap().to_owned();
    let add = ["time-off", "add", "--staff", &staff];
    demo.data(&[&add[..], &["--from", &day, "--to", &day]].concat());
    let (starts, ends) = (format!("{day} 09:00"), format!("{day} 10:30"));
    demo.data(&[&add[..], &["--starts-at", &starts, "--ends-at", &ends]].concat());
    let listed = demo.printed(&["time-off", "list", "--staff", &staff]);
    let rows: Vec<Vec<&str>> =
        listed.lines().skip(1).map(|row| row.split_whitespace().skip(1).collect()).collect();
    assert_eq!(rows[0], [weekday.as_str(), &day, &weekday, &day, "-"], "{listed}");
    assert_eq!(rows[1], [weekday.as_str(), &day, "09:00", &weekday, &day, "10:30", "-"], "{listed}");
}
