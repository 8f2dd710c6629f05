//! Tests of exports and imports: businesses of one store are exported to a file, and another store imports the file.

use serde_json::Value;

use crate::program::Demo;

const FROM: [&str; 2] = ["--data-dir", "receptionist-demo"];

/// A running demonstration that has records of every kind.
fn running() -> Demo {
    let demo = Demo::start();
    let at = ["--service", "coupe", "--staff", "camille"];
    let book = [&["appointment", "book", "--contact-name", "Ada"][..], &at, &["--contact-phone"]].concat();
    let open = demo.data(&[&["availability", "--start-date", "tomorrow"][..], &at].concat());
    let time = |at: usize| open[at]["starts_at"].as_str().unwrap().to_owned();
    let booked = demo.data(&[&book[..], &["06 12 34 56 80", "--starts-at", &time(0)]].concat());
    demo.data(&["appointment", "reschedule", booked["id"].as_str().unwrap(), "--starts-at", &time(4)]);
    let gone = demo.data(&[&book[..], &["06 12 34 56 81", "--starts-at", &time(0)]].concat());
    demo.data(&["appointment", "cancel", gone["id"].as_str().unwrap()]);
    demo.data(&[&book[..], &["06 12 34 56 82", "--starts-at", &time(0)]].concat());
    let long = "Derrière la maison.\n".repeat(2_000);
    demo.write("parking.txt", &long);
    demo.data(&["knowledge", "add", "--title", "Parking", "--file", "parking.txt"]);
    demo.data(&["contact", "create", "--name", "Only \"a\" name"]);
    // The endpoint is created after all other records, so that no event is sent to it.
    demo.data(&["webhook", "create", "--url", "https://8.8.8.8/hook", "--event", "call.completed"]);
    demo
}

/// Runs a command that must fail. Returns its message.
fn says(demo: &Demo, words: &[&str]) -> String {
    let ran = demo.run(words);
    assert_eq!((ran.code, ran.output.as_str()), (Some(1), ""), "{words:?}: {}", ran.errors);
    ran.errors
}

/// All lines except the first one, which contains the time of the export.
fn body(demo: &Demo, file: &str) -> Vec<String> {
    let lines: Vec<String> = demo.file(file).lines().skip(1).map(str::to_owned).collect();
    assert!(!lines.is_empty());
    lines
}

#[test]
fn an_export_that_is_imported_elsewhere_gives_the_same_export() {
    let demo = running();
    for (name, more) in [("whole", &["--with-secrets"][..]), ("plain", &[])] {
        let [before, after, dir] = [&format!("{name}.jsonl"), &format!("{name}2.jsonl"), name];
        demo.printed(&[&["export", "--to", before], &FROM[..], more].concat());
        let _service = demo.serve(dir);
        let tried = demo.printed(&["import", "--from", before, "--data-dir", dir, "--dry-run"]);
        assert!(tried.starts_with("could import 1 business, "), "{tried}");
        let imported = demo.printed(&["import", "--from", before, "--data-dir", dir]);
        assert_eq!(
            imported.replacen("imported", "could import", 1).trim_end(),
            tried.replace("; nothing was changed\n", "")
        );
        demo.printed(&[&["export", "--to", after, "--data-dir", dir], more].concat());
        assert_eq!(body(&demo, before), body(&demo, after));
    }
    let [whole, plain] = ["whole.jsonl", "plain.jsonl"].map(|file| body(&demo, file));
    let kinds = |lines: &[String]| -> Vec<String> {
        let kind = |line: &String| serde_json::from_str::<Value>(line).unwrap()["kind"].clone();
        let mut kinds: Vec<_> = lines.iter().map(|line| kind(line).as_str().unwrap().to_owned()).collect();
        kinds.dedup();
        kinds
    };
    let all = [
        "business",
        "website",
        "receptionist",
        "service",
        "staff",
        "time_off",
        "contact",
        "appointment",
        "call",
        "conversation",
        "message",
        "knowledge",
    ];
    assert_eq!(kinds(&plain), [&all[..], &["business_end", "end"]].concat());
    assert_eq!(kinds(&whole), [&all[..], &["webhook", "business_end", "end"]].concat());
    assert!(!demo.file("plain.jsonl").contains("whsec_"));
    // The command selects the business by its name, and writes the export to standard output. The import
    // reads the lines from standard input.
    let printed = demo.printed(&[&["export", "--business", "SALON LUMIÈRE"], &FROM[..]].concat());
    let _service = demo.serve("piped");
    let piped = demo.run_with(&["import", "--data-dir", "piped"], &printed);
    assert_eq!(piped.code, Some(0), "{}", piped.errors);
}

#[test]
fn erasures_and_retention_are_exported_and_imported() {
    let demo = running();
    let contacts = demo.data(&["contact", "list", "--limit", "100"]);
    let erased = contacts.as_array().unwrap().iter().filter(|contact| contact["name"] == "Ada");
    let erased: Vec<_> = erased.map(|contact| contact["id"].as_str().unwrap().to_owned()).collect();
    assert_eq!(erased.len(), 3);
    for id in &erased {
        demo.printed(&["contact", "erase", id, "--yes"]);
    }
    demo.printed(&["retention", "set", "--audit-days", "365", "--calls-days", "3650"]);
    demo.printed(&["export", "--to", "before"]);
    let new = demo.serve("new");
    demo.printed(&["import", "--from", "before", "--data-dir", "new"]);
    demo.printed(&["export", "--to", "after", "--data-dir", "new"]);
    drop(new);
    let before = body(&demo, "before");
    assert_eq!(before, body(&demo, "after"));
    let kept = "{\"kind\":\"retention\",\"calls_days\":3650,\"messages_days\":null,\"audit_days\":365,\"appointments_days\":null}";
    assert_eq!(before[1], kept);
    assert!(demo.printed(&["verify", "new"]).contains(" of 1 business ("));
    // No line refers to an erased contact, even if the service is still deleting the data of the contact.
    let lines = demo.file("before");
    for word in ["\"Ada\"", "+3361234568", &erased[0], &erased[1], &erased[2]] {
        assert!(!lines.contains(word), "{word}");
    }
    assert!(lines.contains("\"contact_id\":null,\"source\":\"dashboard\""));
    // The error message of an import names the invalid line.
    let head = lines.lines().next().unwrap().to_owned();
    let _other = demo.serve("other");
    for (from, to, expected) in [
        ("\"audit_days\":365", "\"audit_days\":89", "line 3: audit_days: must be"),
        ("\"calls_days\":3650", "\"calls_days\":36501", "line 3: calls_days: must be"),
        (kept, &format!("{kept}\n{kept}"), "line 4: kind: must occur at most once"),
    ] {
        let lines = format!("{head}\n{}\n", before.join("\n"));
        demo.write("bad", &lines.replacen(from, to, 1));
        let said = says(&demo, &["import", "--from", "bad", "--data-dir", "other"]);
        assert!(said.contains(expected), "{expected}: {said}");
    }
}

#[test]
fn a_running_service_exports_and_a_stopped_store_can_be_exported_after_a_salvage() {
    let mut demo = running();
    let demo_dir: &[&str] = &FROM;
    let url = format!("http://localhost:{}", demo.operator_port());
    let token = demo.file("receptionist-demo/admin-token").trim().to_owned();
    let elsewhere = ["--admin-url", &url, "--admin-token", &token];
    let cases: [(&str, &[&str]); 4] = [
        ("whole", &["--with-secrets"]),
        ("plain", &[]),
        ("one", &["--business", "salon lumière"]),
        ("called", &elsewhere),
    ];
    for (name, more) in cases {
        // The cases `whole` and `plain` find the service by the option `--data-dir`. The case `one` uses the default
        // data directory, and the case `called` uses `--admin-url`. These two cases need no `--data-dir`.
        let dir = if name == "one" || name == "called" { &[][..] } else { demo_dir };
        let ran = demo.run(&[&["export", "--to", name], dir, more].concat());
        assert_eq!((ran.code, ran.output.as_str()), (Some(0), ""), "{}", ran.errors);
        assert!(
            ran.errors.contains(" lines of the running service\nAPI keys are not included:"),
            "{}",
            ran.errors
        );
        assert_eq!(
            ran.errors.contains("webhook endpoints are not included:"),
            name != "whole",
            "{}",
            ran.errors
        );
    }
    let said = says(&demo, &["export", "--business", "nobody"]);
    assert!(said.contains("nobody"), "{said}");
    let said = says(&demo, &["export", "--to", "plain"]);
    assert!(said.contains("plain exists already"), "{said}");
    let printed = demo.printed(&["export"]);
    demo.stop();
    let said = says(&demo, &[&["export", "--to", "stopped"], &FROM[..]].concat());
    let salvage = "`receptionist salvage --data-dir receptionist-demo --to NEW`";
    assert!(said.contains("no service runs on receptionist-demo") && said.contains(salvage), "{said}");
    demo.printed(&["salvage", "--data-dir", "receptionist-demo", "--to", "salvaged"]);
    let _service = demo.serve("salvaged");
    demo.printed(&["export", "--to", "stopped", "--data-dir", "salvaged", "--with-secrets"]);
    assert_eq!(body(&demo, "whole"), body(&demo, "stopped"));
    assert_eq!(body(&demo, "one"), body(&demo, "plain"));
    assert_eq!(body(&demo, "called"), body(&demo, "plain"));
    assert_eq!(printed.lines().skip(1).collect::<Vec<_>>(), body(&demo, "plain"));
}

#[test]
fn a_running_service_imports_from_a_file_and_a_pipe_without_erased_contacts() {
    let mut demo = running();
    let url = format!("http://localhost:{}", demo.operator_port());
    let token = demo.file("receptionist-demo/admin-token").trim().to_owned();
    let elsewhere = ["--admin-url", &url, "--admin-token", &token];
    let contacts = demo.data(&["contact", "list", "--limit", "1"]);
    demo.printed(&["export", "--to", "before", "--with-secrets"]);
    let there = says(&demo, &["import", "--from", "before"]);
    assert!(there.starts_with("line 2: id: is already used by a business of this service\n"), "{there}");
    let cases: [&[&str]; 3] = [&[], &FROM, &elsewhere];
    for (number, more) in cases.into_iter().enumerate() {
        demo.printed(&["business", "delete", "Salon Lumière", "--yes"]);
        let dry_run = [&["import", "--from", "before", "--dry-run"], more].concat();
        let tried = loop {
            // The import of a deleted business is refused until all rows of the business are deleted.
            let ran = demo.run(&dry_run);
            if ran.code == Some(0) {
                break ran.output;
            }
            assert!(ran.errors.contains("that this service is deleting"), "{}", ran.errors);
        };
        assert!(tried.starts_with("could import 1 business, ") && tried.ends_with("nothing was changed\n"));
        let imported = if number == 0 {
            let ran = demo.run_with(&["import"], &demo.file("before"));
            assert_eq!((ran.code, ran.errors.as_str()), (Some(0), ""));
            ran.output
        } else {
            demo.printed(&[&["import", "--from", "before"], more].concat())
        };
        assert_eq!(
            imported.replacen("imported", "could import", 1).trim_end(),
            tried.replace("; nothing was changed\n", "")
        );
        let after = format!("after {number}");
        demo.printed(&["export", "--to", &after, "--with-secrets"]);
        assert_eq!(body(&demo, "before"), body(&demo, &after));
    }
    // An import does not create an erased contact again, although the file contains the contact.
    let id = contacts[0]["id"].as_str().unwrap();
    demo.printed(&["contact", "erase", id, "--yes"]);
    demo.printed(&["business", "delete", "Salon Lumière", "--yes"]);
    let refused = loop {
        let said = says(&demo, &["import", "--from", "before"]);
        if !said.contains("that this service is deleting") {
            break said;
        }
    };
    assert!(refused.contains("who was erased in this service") && refused.lines().count() == 2, "{refused}");
    let imported = demo.printed(&[&["import", "--from", "before", "--erase-again"], &FROM[..]].concat());
    assert!(imported.starts_with("imported 1 business, "), "{imported}");
    demo.printed(&[&["export", "--to", "without"], &FROM[..]].concat());
    assert!(!demo.file("without").contains(id));
    demo.stop();
    assert!(demo.printed(&["verify", "receptionist-demo"]).ends_with("no damage\n"));
}

#[test]
fn an_invalid_file_reports_each_line_and_imports_nothing() {
    let demo = running();
    demo.printed(&[&["export", "--to", "good", "--with-secrets"], &FROM[..]].concat());
    let _other = demo.serve("other");
    let good: Vec<String> = demo.file("good").lines().map(str::to_owned).collect();
    let of_kind = |kind: &str, nth: usize| {
        let found =
            good.iter().enumerate().filter(|(_, line)| line.contains(&format!("{{\"kind\":\"{kind}\"")));
        found.map(|(at, _)| at).nth(nth).unwrap()
    };
    let field = |at: usize, name: &str| -> String {
        let line: Value = serde_json::from_str(&good[at]).unwrap();
        line[name].as_str().unwrap().to_owned()
    };
    let (business, service, contact) = (of_kind("business", 0), of_kind("service", 0), of_kind("contact", 0));
    let (other, call, message) = (of_kind("contact", 1), of_kind("call", 0), of_kind("message", 0));
    let active: Vec<usize> = (0..good.len())
        .filter(|at| good[*at].contains("\"kind\":\"appointment\"") && good[*at].contains("\"confirmed\""))
        .collect();
    let appointment = active[0];
    let foreign = "019cae1a-5a00-7000-8000-000000000001";
    let changed = |at: usize, from: &str, to: &str| {
        let mut lines = good.clone();
        assert!(lines[at].contains(from), "{from}: {}", lines[at]);
        lines[at] = lines[at].replacen(from, to, 1);
        lines
    };
    let without = |at: usize| [&good[..at], &good[at + 1..]].concat();
    let twice = |at: usize| [&good[..=at], &good[at..]].concat();
    let phone = |at: usize| format!("\"phone\":\"{}\"", field(at, "phone"));
    let cases = [
        (
            changed(0, "\"version\":6", "\"version\":1"),
            "line 1: version: must be a whole number from 2 to 6".to_owned(),
        ),
        (good[1..].to_vec(), "line 1: must be the head".to_owned()),
        (
            good[..good.len() - 1].to_vec(),
            format!("line {}: is missing: the file ends too early", good.len()),
        ),
        (without(good.len() - 2), format!("line {}: kind: must come after the end", good.len() - 1)),
        (without(of_kind("knowledge", 0)), "records: must be ".to_owned()),
        (changed(good.len() - 1, "\"businesses\":1", "\"businesses\":2"), "businesses: must be 1".to_owned()),
        (twice(contact), format!("line {}: id: must be greater", contact + 2)),
        (
            changed(business, "\"timezone\":\"Europe/Paris\"", "\"timezone\":\"Paris\""),
            format!("line {}: timezone: ", business + 1),
        ),
        (changed(service, &field(service, "id"), foreign), "is not a service of the business".to_owned()),
        (
            changed(other, &phone(other), &phone(contact)),
            format!("line {}: phone: is already used by contact {}", other + 1, field(contact, "id")),
        ),
        (
            changed(other, &phone(other), "\"phone\":\"06 12\""),
            format!("line {}: phone: must be a phone number in the form", other + 1),
        ),
        (
            changed(appointment, &field(appointment, "contact_id"), foreign),
            format!("line {}: contact_id: is not", appointment + 1),
        ),
        (
            changed(appointment, &field(appointment, "staff_id"), foreign),
            format!("line {}: staff_id: is not", appointment + 1),
        ),
        (
            changed(appointment, "\"announced\":true,", ""),
            format!("line {}: announced: is required", appointment + 1),
        ),
        (
            changed(call, &field(call, "started_at"), "2999-01-01T00:00:00.000Z"),
            format!("line {}: ended_at: must not be before", call + 1),
        ),
        (
            changed(call, &field(call, "updated_at"), "2999-01-01T00:00:00.000Z"),
            format!("line {}: updated_at: must not be before created_at", call + 1),
        ),
        (
            changed(message, &field(message, "call_id"), foreign),
            format!("line {}: call_id: is not a call", message + 1),
        ),
        (
            changed(call, "\"message_id\":null", &format!("\"message_id\":\"{foreign}\"")),
            format!("line {}: message_id: is not a message", call + 1),
        ),
        (changed(call, "{", "{{"), format!("line {}: is not valid JSON", call + 1)),
        (
            changed(call, "{", "{\"colour\":\"red\","),
            format!("line {}: colour: is not a known property", call + 1),
        ),
    ];
    for (lines, expected) in cases {
        demo.write("bad", &format!("{}\n", lines.join("\n")));
        let said = says(&demo, &["import", "--from", "bad", "--data-dir", "other"]);
        assert!(said.contains(&expected), "{expected}: {said}");
        assert!(said.ends_with("nothing was imported\n"), "{said}");
    }
    // In this file, two appointments of the same day overlap and have the same staff member.
    let day = |at: usize| field(at, "starts_at")[..10].to_owned();
    let pair = active.windows(2).find(|pair| day(pair[0]) == day(pair[1])).unwrap();
    let mut lines = good.clone();
    lines[pair[0]] = lines[pair[0]].replace(&field(pair[0], "ends_at"), &field(pair[1], "ends_at"));
    lines[pair[1]] = lines[pair[1]].replace(&field(pair[1], "staff_id"), &field(pair[0], "staff_id"));
    demo.write("bad", &format!("{}\n", lines.join("\n")));
    let said = says(&demo, &["import", "--from", "bad", "--data-dir", "other"]);
    let expected = format!(
        "line {}: starts_at: overlaps appointment {} of the same staff member",
        pair[1] + 1,
        field(pair[0], "id")
    );
    assert!(said.contains(&expected), "{said}");

    // A business can be imported only once, so this import succeeds only if the failed imports left no rows.
    demo.printed(&["import", "--from", "good", "--data-dir", "other"]);
    let said = says(&demo, &["import", "--from", "good", "--data-dir", "other"]);
    assert!(said.contains("line 2: id: is already used by a business of this service"), "{said}");
    demo.printed(&["export", "--to", "again", "--with-secrets", "--data-dir", "other"]);
    assert_eq!(good[1..], body(&demo, "again"));
}

#[test]
fn an_impossible_export_or_import_gives_the_reason() {
    let mut demo = Demo::start();
    // The message shows that the command has sent the lines to the running service.
    let asked = says(&demo, &[&["import", "--from", "log"], &FROM[..]].concat());
    assert!(asked.starts_with("line 1: ") && asked.ends_with("nothing was imported\n"), "{asked}");
    let said = says(&demo, &["export", "--business", "nobody"]);
    assert!(said.contains("nobody"), "{said}");
    demo.write("there", "");
    let said = says(&demo, &[&["export", "--to", "there"], &FROM[..]].concat());
    assert!(said.contains("there exists already"), "{said}");
    demo.stop();
    for (words, expected) in [
        (&["export", "--data-dir", "nowhere"][..], "no service runs on nowhere"),
        (&["import", "--from", "nothing", "--data-dir", "new"], "cannot read nothing"),
        (&["import", "--from", "there", "--data-dir", "receptionist-demo"], "start `receptionist serve`"),
        (&["import", "--settle", "--data-dir", "receptionist-demo"], "--settle is not supported any more: "),
    ] {
        let said = says(&demo, words);
        assert!(said.contains(expected), "{said}");
    }
}
