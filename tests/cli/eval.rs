//! Tests of `eval`. The scenarios of the repository must pass on the guided path.

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
