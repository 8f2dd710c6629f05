//! Tests of the messages for invalid commands.

use crate::program::Demo;

#[test]
fn each_problem_is_reported_once_with_its_flag_and_advice() {
    let demo = Demo::start();
    let words = ["business", "create", "--name", "N", "--timezone", "Paris", "--hours", "mon=9:99-18:00"];
    let errors = demo.refused(&words, 1);
    for part in [
        "  --timezone: must be",
        "  --hours monday=09:99-18:00: open must be",
        "hint: did you mean Europe/Paris?",
    ] {
        assert_eq!(errors.matches(part).count(), 1, "{part}: {errors}");
    }
    let errors = demo.refused(&["contact", "create", "--phone", "12"], 1);
    assert_eq!(errors.matches("must be a phone number").count(), 1, "{errors}");
    assert!(errors.contains("invalid_request: --phone: must be a phone number"), "{errors}");
    assert!(errors.contains("as numbers in FR") && errors.contains("--phone-region"), "{errors}");

    let errors = demo.refused(&["contact", "create", "--phone", "06 12 34 56 78"], 1);
    assert!(errors.contains("conflict: ") && errors.contains("\n  --phone: "), "{errors}");
    assert!(!errors.contains("hint"), "{errors}");

    let webhook = ["webhook", "create", "--url", "http://h.example", "--event", "call.done"];
    let errors = demo.refused(&webhook, 2);
    assert!(errors.contains("'call.done'") && errors.contains("call.completed"), "{errors}");
    let webhook = ["webhook", "create", "--url", "http://h.example", "--event", "call.completed"];
    let errors = demo.refused(&webhook, 1);
    assert!(errors.contains("invalid_request: --url: "), "{errors}");
    let errors = demo.refused(&[&webhook[..], &["--json"]].concat(), 1);
    let told: serde_json::Value = serde_json::from_str(&errors).unwrap_or_else(|_| panic!("{errors}"));
    assert_eq!(
        (&told["error"]["code"], &told["error"]["details"][0]["path"]),
        (&"invalid_request".into(), &"url".into())
    );
    let errors = demo.refused(&["staff", "list", "--json", "--admin-token", "another"], 1);
    let told: serde_json::Value = serde_json::from_str(&errors).unwrap();
    assert_eq!(told["error"]["code"], "unauthorized");
    let errors = demo.refused(&["staff", "update", "nobody", "--name", "X", "--json"], 2);
    let told: serde_json::Value = serde_json::from_str(&errors).unwrap();
    assert_eq!(told["error"]["code"], "command_failed");
    assert!(told["error"]["message"].as_str().unwrap().contains("nobody"), "{told}");
    let errors = demo.refused(&["staff", "list", "--admin-token", "another"], 1);
    assert!(
        errors.starts_with("the service refuses the operator's token of RECEPTIONIST_ADMIN_TOKEN"),
        "{errors}"
    );
    let errors =
        demo.refused(&["appointment", "book", "--service", "coupe", "--starts-at", "tomorrow 9:00"], 1);
    assert!(errors.contains("invalid_request: --contact-…: is required, or contact_id\n"), "{errors}");
    let id = "01a1fa8a-7863-7001-9309-960be046bec7";
    let errors = demo.refused(&["webhook", "delete", id], 1);
    assert!(errors.ends_with("not_found: there is no such webhook endpoint\n"), "{errors}");
}

#[test]
fn an_unknown_or_ambiguous_name_fails_the_command_before_any_change() {
    let demo = Demo::start();
    let at = ["--starts-at", "tomorrow 9:00", "--contact-phone", "0612345680"];
    let book =
        |service: &str| demo.refused(&[&["appointment", "book", "--service", service], &at[..]].concat(), 2);
    assert!(book("coope").contains("there is no service \"coope\"; did you mean \"Coupe\", "));
    let several = book("cou");
    assert!(several.contains("4 names begin with \"cou\"; choose one:"), "{several}");
    assert!(several.contains("  Coupe\n") && several.contains("  Couleur\n"), "{several}");
    let skipped = ["appointment", "book", "--service", "coupe", "--starts-at", "2027-03-28 2:30"];
    let errors = demo.refused(&skipped, 2);
    assert!(errors.contains("write 2027-03-28T01:30:00+01:00 or 2027-03-28T03:30:00+02:00"), "{errors}");
    let errors = demo.refused(&["service", "delete", "barb"], 2);
    assert!(errors.contains("needs the full name or the id: Barbe ("), "{errors}");
    let errors = demo.refused(&["service", "delete", "barbe"], 1);
    assert!(errors.contains("conflict: "), "{errors}");

    demo.printed(&["business", "create", "--name", "Salon Bleu", "--timezone", "Europe/Paris"]);
    let errors = demo.refused(&["staff", "list"], 2);
    assert!(errors.starts_with("--business: there are several businesses; choose one:\n"), "{errors}");
    assert_eq!(errors.lines().count(), 3, "{errors}");
    let list = ["appointment", "list", "--business", "Salon Lumière", "--limit", "2"];
    assert_eq!(demo.data(&list).as_array().unwrap().len(), 2);
}

#[test]
fn an_irreversible_command_without_a_terminal_needs_yes() {
    let demo = Demo::start();
    let id = demo.data(&["contact", "create", "--name", "Ermintrude"])["id"].as_str().unwrap().to_owned();
    for (words, show) in [
        (["contact", "erase", &id], ["contact", "show", &id]),
        (["business", "delete", "Salon Lumière"], ["business", "show", "Salon Lumière"]),
    ] {
        let before = demo.data(&show);
        let errors = demo.refused(&words, 2);
        assert!(
            errors.contains("there is no terminal for the confirmation: add --yes to confirm"),
            "{errors}"
        );
        // Input from a pipe does not count as a confirmation.
        for answer in ["yes\n", "Salon Lumière\n"] {
            let ran = demo.run_with(&words, answer);
            assert_eq!((ran.code, ran.output.as_str()), (Some(2), ""), "{}", ran.errors);
        }
        assert_eq!(demo.data(&show), before);
        demo.printed(&[&words[..], &["--yes"]].concat());
        assert_ne!(demo.run(&show).code, Some(0), "{words:?}");
    }
}

#[test]
fn commands_that_are_not_one_request_fail_in_json_too() {
    let demo = Demo::start();
    for (words, code) in [
        (&["backup", "--to", "/proc/nothing/here"][..], "invalid_request"),
        (&["backup", "--to", "b", "--admin-token", "another-token-0123"], "unauthorized"),
        (&["export", "--business", "nobody"], "command_failed"),
        (&["import", "--from", "missing"], "command_failed"),
        (&["mail", "test", "--to", "a@example.com", "--admin-token", "another-token-0123"], "unauthorized"),
        (&["salvage", "--data-dir", "missing", "--to", "new"], "command_failed"),
    ] {
        let said = demo.refused(&[words, &["--json"]].concat(), 1);
        let error: serde_json::Value =
            serde_json::from_str(&said).unwrap_or_else(|_| panic!("{words:?}: {said}"));
        assert_eq!(error["error"]["code"], code, "{words:?}: {said}");
        assert!(!error["error"]["message"].as_str().unwrap().is_empty());
    }
}
