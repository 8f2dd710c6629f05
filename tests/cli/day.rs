//! Tests of commands on the sample business of `receptionist demo`. The commands find the token, the business
//! and the running service without options.

use serde_json::json;

use crate::program::Demo;

/// The first available time of Camille in the output of a command: the date and the time, for example
/// `2026-03-02` and `09:00`.
fn first_open(demo: &Demo) -> (String, String) {
    let shown = demo.printed(&[
        "availability",
        "--service",
        "coupe",
        "--staff",
        "camille",
        "--start-date",
        "tomorrow",
    ]);
    let mut words = shown.split_whitespace().skip(1);
    (words.next().unwrap().to_owned(), words.next().unwrap().to_owned())
}

#[test]
fn a_time_is_found_booked_by_name_seen_moved_and_cancelled() {
    let demo = Demo::start();
    let (day, time) = first_open(&demo);
    let starts_at = format!("{day} {time}");
    let open = ["availability", "--service", "Coupe", "--staff", "Camille", "--start-date", &day];
    let open = demo.data(&open);

    let book = ["appointment", "book", "--service", "coupe", "--staff", "camille", "--starts-at", &starts_at];
    let book = [&book[..], &["--contact-name", "Ada"]].concat();
    let booked = demo.data(&[&book[..], &["--contact-phone", "06 12 34 56 80"]].concat());
    assert_eq!(booked["starts_at"], open[0]["starts_at"]);
    assert_eq!((&booked["contact_phone"], &booked["source"]), (&"+33612345680".into(), &"dashboard".into()));
    let id = booked["id"].as_str().unwrap();

    let seen = demo.printed(&["appointment", "list", "--service", "coupe", "--from", &day]);
    let row = seen.lines().find(|line| line.starts_with(id)).unwrap();
    assert!(row.contains(&starts_at) && row.contains("confirmed") && row.contains("Ada"), "{seen}");
    assert!(seen.starts_with("ID  "), "{seen}");
    assert!(demo.printed(&["appointment", "show", id]).contains("service_name:         Coupe\n"));

    let last = open.as_array().unwrap().last().unwrap()["starts_at"].as_str().unwrap();
    let moved = demo.data(&["appointment", "reschedule", id, "--starts-at", last]);
    assert_eq!(moved["starts_at"], last);
    assert!(demo.printed(&["appointment", "cancel", id]).contains("status:               cancelled\n"));
    let ended = ["appointment", "list", "--status", "cancelled,declined", "--limit", "100"];
    let cancelled = demo.data(&ended);
    assert!(cancelled.as_array().unwrap().iter().any(|one| one["id"] == id), "{cancelled}");
}

#[test]
fn the_commands_that_the_demonstration_prints_reach_its_service() {
    let demo = Demo::start();
    // Each printed command begins with the path of the program that was used to start the demonstration.
    let commands: Vec<&str> = (demo.says.iter().filter_map(|line| line.split_once(' ')))
        .filter(|(program, _)| program.ends_with("receptionist"))
        .map(|(_, arguments)| arguments)
        .collect();
    assert_eq!(commands.len(), 2, "{:?}", demo.says);
    for command in commands {
        let words: Vec<&str> = command.split(' ').collect();
        assert!(
            words.contains(&"--admin-listen"),
            "the demonstration uses other ports than the default: {command}"
        );
        assert!(demo.printed(&words).lines().count() > 1, "{command}");
    }
}

#[test]
fn the_commands_show_the_demonstrations_data() {
    let demo = Demo::start();
    let calls = demo.data(&["call", "list", "--outcome", "message_taken", "--direction", "inbound"]);
    let call = calls[0]["id"].as_str().unwrap();
    assert_eq!(demo.data(&["call", "show", call]), calls[0]);
    let messages = demo.data(&["message", "list", "--call", call, "--status", "new"]);
    assert_eq!(messages[0]["caller_name"], "Paul Roy");
    assert_eq!(demo.data(&["message", "list", "--to", "2020-01-01"]), json!([]));

    // The sample business has past and future appointments, and tasks for the team.
    let list = |words: &[&str]| {
        let all = demo.data(&[words, &["--limit", "100"]].concat());
        all.as_array().unwrap().clone()
    };
    assert!(list(&["appointment", "list", "--from", "today"]).len() > 20);
    let of = |attendance| list(&["appointment", "list", "--attendance", attendance]);
    assert!(of("completed").len() > 40);
    assert_eq!(of("no_show").len(), 1);
    assert!(list(&["appointment", "list", "--status", "cancelled"]).len() > 5);
    assert_eq!(list(&["appointment", "list", "--status", "pending"]).len(), 1);
    assert_eq!(list(&["message", "list", "--status", "new"]).len(), 3);
    assert!(!list(&["message", "list", "--status", "resolved"]).is_empty());
    assert!(list(&["call", "list"]).iter().filter(|call| call["status"] == "missed").count() > 1);
    assert_eq!(list(&["staff", "list"]).len(), 4);
    assert!(list(&["staff", "list"]).iter().all(|member| member["color"].is_u64()));
    let [awa] = &list(&["contact", "list", "--phone", "06 12 34 56 78"])[..] else { panic!("no contact") };
    assert!(awa["notes"].is_string() && awa["alert"].is_string(), "{awa}");
    let awa = demo.data(&["contact", "show", awa["id"].as_str().unwrap()]);
    assert!(awa["visits"]["confirmed"].as_u64() > Some(5) && awa["visits"]["next_at"].is_string(), "{awa}");
    let [webhook] = &list(&["webhook", "list"])[..] else { panic!("there must be one endpoint") };
    assert_eq!(webhook["disabled_reason"], "failures");
    let log = list(&["webhook", "deliveries", webhook["id"].as_str().unwrap()]);
    assert!(log.len() > 4 && log.iter().all(|delivery| delivery["status"] == "missed"), "{log:?}");

    let contacts = demo.printed(&["contact", "list"]);
    let column = |name: &str| {
        let line = contacts.lines().find(|line| line.contains(name)).unwrap();
        let before = line.split_once("+33").unwrap().0;
        unicode_width::UnicodeWidthStr::width(before)
    };
    assert_eq!(column("Lin 林"), column("Paul Roy"), "wide characters must be aligned");
    let found = demo.data(&["contact", "list", "--phone", "06 12 34 56 91"]);
    assert_eq!(found[0]["name"], "Lin 林");
}

#[test]
fn a_business_is_set_up_changed_and_tidied_by_names() {
    let demo = Demo::start();
    let hours = ["--hours", "Mon-Fri 9:00-17:00", "--hours", "sat=10:00-12:30"];
    let create = ["business", "create", "--name", "Harbour Dental", "--timezone", "america/new_york"];
    let ran = demo.run(&[&create[..], &hours].concat());
    assert_eq!(ran.code, Some(0), "{}", ran.errors);
    assert_eq!(ran.errors, "--phone-region: US, from the time zone America/New_York\n");
    assert!(ran.output.contains("friday=09:00-17:00, saturday=10:00-12:30\n"), "{}", ran.output);

    let within = ["--business", "harbour dental"];
    let run = |words: &[&str]| demo.data(&[words, &within].concat());
    run(&["service", "create", "--name", "Check-up", "--duration-minutes", "45"]);
    run(&["service", "create", "--name", "Whitening", "--duration-minutes", "30"]);
    let staff = run(&["staff", "create", "--name", "Dr. Okafor", "--service", "check-up"]);
    assert_eq!(staff["service_ids"].as_array().unwrap().len(), 1);
    run(&["staff", "update", "dr. okafor", "--timezone", "utc"]);
    demo.printed(&["service", "delete", "whitening", within[0], within[1]]);
    assert_eq!(run(&["service", "list"]).as_array().unwrap().len(), 1);
    demo.printed(&["staff", "delete", "Dr. Okafor", within[0], within[1]]);
    assert_eq!(run(&["staff", "list"]), serde_json::json!([]));

    let contact = run(&["contact", "create", "--name", "Bo", "--phone", "(201) 555-0123"]);
    assert_eq!(contact["phone"], "+12015550123");
    let id = contact["id"].as_str().unwrap();
    let changed = run(&["contact", "update", id, "--clear-phone", "--email", "bo@example.com"]);
    assert_eq!((&changed["phone"], &changed["email"]), (&serde_json::Value::Null, &"bo@example.com".into()));
    let mut shown = run(&["contact", "show", id]);
    shown.as_object_mut().unwrap().remove("visits").unwrap();
    assert_eq!(shown, changed);
}

#[test]
fn knowledge_is_added_from_standard_input_and_deleted() {
    let demo = Demo::start();
    let added = demo.run_with(&["knowledge", "add", "--title", "Parking", "--json"], "Behind the house.\n");
    assert_eq!(added.code, Some(0), "{}", added.errors);
    let added: serde_json::Value = serde_json::from_str(&added.output).unwrap();
    let id = added["data"]["id"].as_str().unwrap();
    assert_eq!(demo.data(&["knowledge", "show", id])["content"], "Behind the house.\n");
    let updated = demo.run_with(&["knowledge", "update", id, "--file", "-", "--json"], "In the yard.");
    assert!(updated.output.contains("In the yard."), "{}", updated.errors);
    let deleted = demo.run(&["knowledge", "delete", id]);
    assert_eq!((deleted.code, deleted.output.as_str()), (Some(0), ""));
    assert!(deleted.errors.ends_with("deleted\n"), "{}", deleted.errors);
    let listed = demo.data(&["knowledge", "list"]);
    assert!(!listed.to_string().contains(id), "{listed}");
}

#[test]
fn the_commands_that_the_demonstration_prints_can_be_pasted() {
    let demo = Demo::start();
    let from = demo.says.iter().position(|line| line.starts_with("BASE=")).unwrap();
    let to = demo.says.iter().position(|line| line.starts_with("# the operator's commands")).unwrap();
    let ran =
        std::process::Command::new("sh").args(["-c", &demo.says[from..to].join("\n")]).output().unwrap();
    let output = String::from_utf8(ran.stdout).unwrap();
    for part in [r#"{"data":[{"starts_at":""#, r#""status":"confirmed""#, r#""status":"cancelled""#] {
        assert!(output.contains(part), "{part}: {output}");
    }
    assert!(!output.contains(r#"{"error""#), "{output}");
}

#[test]
fn the_people_of_the_demonstration_read_the_language_of_the_system() {
    for (environment, locale) in [
        (&[][..], "en"),
        (&[("LANG", "fr_FR.UTF-8")][..], "fr"),
        (&[("LC_ALL", ""), ("LC_MESSAGES", "fr"), ("LANG", "en_GB.UTF-8")][..], "fr"),
        (&[("LC_ALL", "de_DE"), ("LANG", "fr_FR.UTF-8")][..], "en"),
    ] {
        let demo = Demo::start_with(tempfile::tempdir().unwrap(), &[], environment);
        let people = demo.data(&["person", "list"]);
        let all = people.as_array().unwrap().iter().all(|person| person["locale"] == locale);
        assert!(all && people.as_array().unwrap().len() == 3, "{locale}: {people}");
        assert_eq!(demo.data(&["business", "show", "Salon Lumière"])["locale"], "fr");
    }
}

#[test]
fn a_second_start_keeps_the_demonstrations_data() {
    let mut demo = Demo::start();
    demo.printed(&["export", "--to", "before"]);
    demo.stop();
    let demo = demo.again();
    demo.printed(&["export", "--to", "after"]);
    let lines = |name| demo.file(name).lines().skip(1).map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(lines("before"), lines("after"));
}

#[test]
fn no_appointment_of_the_demonstration_is_outside_the_hours() {
    let demo = Demo::start();
    let hours = ["--hours", "mon-sat 9:00-19:00", "--hours", "sun 10:00-17:00"];
    let hours = demo.data(&[&["business", "update", "Salon Lumière"][..], &hours].concat());
    assert_eq!(hours["affected"]["count"], 0, "{hours}");
}
