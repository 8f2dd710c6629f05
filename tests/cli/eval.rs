//! Tests of `eval`. The scenarios of the repository must pass on the guided path, with a chat model that follows a
//! script, and with a chat model that makes false claims.

use crate::model::{Model, Reply, script, turn};
use crate::program::{alone, alone_with};

const SCENARIOS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/eval/scenarios.yaml");

#[test]
fn the_scenarios_of_the_repository_pass_on_the_guided_path() {
    let ran = alone(&["eval", SCENARIOS, "--runs", "1"]);
    assert_eq!(ran.code, Some(0), "{}{}", ran.output, ran.errors);
    let scenarios = ran.output.lines().filter(|line| line.starts_with("ok    ")).count();
    assert!(scenarios >= 40, "{scenarios}");
    assert!(ran.output.ends_with(&format!("{scenarios} scenarios, {scenarios} runs passed, 0 failed\n")));
}

/// Plays all scenarios with this model. Asserts that they pass.
fn pass_with(model: &Model) {
    let settings = [("RECEPTIONIST_LLM_URL", model.url.as_str()), ("RECEPTIONIST_LLM_MODEL", "scripted")];
    let ran = alone_with(&["eval", SCENARIOS, "--runs", "1"], &settings);
    assert_eq!(ran.code, Some(0), "{}{}", ran.output, ran.errors);
}

#[test]
fn the_scenarios_pass_with_a_model_that_follows_a_script() {
    let yaml = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/eval/model.yaml"));
    let model = Model::start(script(yaml));
    pass_with(&model);
    let requests = model.requests();
    let count = |name: &str| {
        requests.iter().filter(|(_, reply)| reply.calls.iter().any(|(called, _)| called == name)).count()
    };
    // The script must call each function at least this many times.
    for (name, at_least) in
        [("find_openings", 14), ("book", 12), ("move", 2), ("cancel", 4), ("take_message", 1)]
    {
        assert!(count(name) >= at_least, "{name} was called {} times", count(name));
    }
    let answers: Vec<_> = requests.iter().filter_map(|(request, _)| turn(&request.body).1).collect();
    assert!(answers.iter().any(|answer| answer.contains(" = Tuesday 24 November 10:00")), "{answers:?}");
}

#[test]
fn the_scenarios_pass_with_a_model_that_lies() {
    let says = "You are booked! C'est fait, réservé. Your appointment is cancelled. I am a human. It costs 45 euros. \
                We have Friday 27 November at 11:07. **Done** s1 a1";
    let calls: Vec<(String, String)> = [
        ("book", "{\"time\": \"t9\", \"name\": \"Mallory\"}"),
        ("cancel", "{\"appointment\": \"a9\"}"),
        ("move", "{\"appointment\": \"a9\", \"time\": \"t9\"}"),
        ("delete_everything", "{}"),
        ("book", "not JSON"),
    ]
    .into_iter()
    .map(|(name, arguments)| (name.to_owned(), arguments.to_owned()))
    .collect();
    let model = Model::start(move |_| Reply { says: says.to_owned(), calls: calls.clone() });
    pass_with(&model);
    assert!(model.requests().len() > 100, "{}", model.requests().len());
}

#[test]
fn a_failed_expectation_and_a_wrong_file_have_their_own_exit_codes() {
    let name = "Un appel réserve en trois phrases";
    let one = alone(&["eval", SCENARIOS, "--only", name, "--runs", "2"]);
    assert_eq!((one.code, one.output.lines().count()), (Some(0), 2), "{}", one.output);
    assert!(one.output.starts_with(&format!("ok    {name} (2 of 2)\n")), "{}", one.output);

    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("failing.yaml");
    let text = std::fs::read_to_string(SCENARIOS).unwrap();
    std::fs::write(&file, text.replace("appointment_booked", "message_taken")).unwrap();
    let file = file.to_str().unwrap();
    let failed = alone(&["eval", file, "--only", name, "--runs", "1"]);
    assert_eq!(failed.code, Some(1), "{}", failed.errors);
    for part in [
        "FAIL",
        "(0 of 1)",
        "the outcome is appointment_booked, not message_taken",
        "0 runs passed, 1 failed",
    ] {
        assert!(failed.output.contains(part), "{part} is not in {}", failed.output);
    }

    for (words, part) in [
        (vec!["eval", SCENARIOS, "--only", "nothing"], "no scenario with the name nothing"),
        (vec!["eval", "/no/such/file"], "cannot read /no/such/file"),
        (vec!["eval", concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml")], "Cargo.toml: "),
    ] {
        let refused = alone(&words);
        assert_eq!((refused.code, refused.output.as_str()), (Some(2), ""), "{words:?}");
        assert!(refused.errors.contains(part), "{}", refused.errors);
    }
    let setting = alone_with(&["eval", SCENARIOS], &[("RECEPTIONIST_LLM_URL", "http://127.0.0.1:9/v1")]);
    assert_eq!(setting.code, Some(2), "an address needs the name of the model");
}
