//! Tests of `contact import` with a CSV file, and of `contact merge`.

use crate::program::Demo;

#[test]
fn a_table_is_checked_imported_and_imported_again() {
    let demo = Demo::start();
    let before = demo.data(&["contact", "list"]).as_array().unwrap().len();
    // The demonstration already has a contact with the phone number of the second row, so the
    // import skips that row.
    let table = "Name;PHONE;email\nAnaïs;06 12 34 57 01;Anais@example.com\nLin;06 12 34 56 91;\n\"Bo; Junior\";;bo@example.com\n";
    demo.write("table.csv", table);
    let import = ["contact", "import", "--from", "table.csv"];
    let tried = demo.run(&[&import[..], &["--dry-run"]].concat());
    assert_eq!((tried.code, tried.output.as_str()), (Some(0), "would create 2 contacts; skipped rows: 1\n"));
    assert!(tried.errors.contains("line 3: a contact has this phone number"), "{}", tried.errors);
    assert_eq!(demo.data(&["contact", "list"]).as_array().unwrap().len(), before);

    let made = demo.run(&import);
    assert_eq!((made.code, made.output.as_str()), (Some(0), "created 2 contacts; skipped rows: 1\n"));
    assert!(made.errors.contains("line 3: a contact has this phone number"), "{}", made.errors);
    let found = demo.data(&["contact", "list", "--phone", "+33612345701"]);
    assert_eq!((&found[0]["name"], &found[0]["email"]), (&"Anaïs".into(), &"anais@example.com".into()));
    assert_eq!(demo.data(&["contact", "list", "--email", "bo@example.com"])[0]["name"], "Bo; Junior");

    let again = demo.run_with(&["contact", "import", "--from", "-", "--json"], table);
    let skipped = r#"{"line":2,"reason":"phone_exists"},{"line":3,"reason":"phone_exists"},{"line":4,"reason":"email_exists"}"#;
    assert_eq!(
        again.output,
        format!("{{\"data\":{{\"created\":0,\"skipped\":[{skipped}]}}}}\n"),
        "{}",
        again.errors
    );
    let exported = demo.run(&["contact", "export"]);
    assert!(exported.output.starts_with("\u{feff}name,phone,email,locale,timezone,notes,alert\r\n"));
    assert!(exported.output.ends_with("Bo; Junior,,bo@example.com,,,,\r\n"), "{}", exported.output);
    let exported = demo.run(&["appointment", "export"]);
    assert!(exported.output.starts_with("\u{feff}starts_at,ends_at,timezone,"), "{}", exported.output);
    assert_eq!(demo.data(&["contact", "list"]).as_array().unwrap().len(), before + 2);
}

#[test]
fn an_invalid_table_creates_no_contact() {
    let demo = Demo::start();
    let before = demo.data(&["contact", "list"]);
    demo.write("table.csv", "name,phone\nGood,06 12 34 57 01\nBad,12\nGood,,+33\n");
    for more in [&[][..], &["--dry-run"]] {
        let said = demo.refused(&[&["contact", "import", "--from", "table.csv"], more].concat(), 1);
        for part in [
            "line 3: phone: must be a phone number",
            "line 4: has 3 fields, but the header has 2\n",
            "nothing was imported\n",
        ] {
            assert_eq!(said.matches(part).count(), 1, "{part}: {said}");
        }
    }
    assert_eq!(demo.data(&["contact", "list"]), before);
    let said = demo.refused(&["contact", "import", "--from", "nothing.csv"], 1);
    assert!(said.contains("--from: cannot read nothing.csv"), "{said}");
}

#[test]
fn a_contact_is_merged_into_another_after_a_confirmation() {
    let demo = Demo::start();
    let create = |words: &[&str]| {
        let made = demo.data(&[&["contact", "create"], words].concat());
        made["id"].as_str().unwrap().to_owned()
    };
    let kept = create(&["--name", "Ada Lovelace", "--phone", "06 12 34 57 01"]);
    let gone = create(&["--name", "Ada", "--email", "ada.l@example.com"]);
    let merge = ["contact", "merge", &kept, "--from", &gone, "--phone", "06 12 34 57 01"];
    let errors = demo.refused(&merge, 2);
    assert!(errors.contains("add --yes to confirm"), "{errors}");
    assert_eq!(demo.data(&["contact", "show", &gone])["id"], gone.as_str());
    let merged = demo.data(&[&merge[..], &["--yes"]].concat());
    assert_eq!((&merged["id"], &merged["phone"]), (&kept.as_str().into(), &"+33612345701".into()));
    assert_eq!(merged["notes"], "Ada\nada.l@example.com");
    assert_eq!(demo.data(&["contact", "show", &gone])["id"], kept.as_str());
}
