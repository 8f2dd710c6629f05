use super::scenario::parse;
use crate::cli::eval::judge::judge;
use crate::cli::eval::play::Played;

const HEAD: &str = "scenarios:\n  - name: one\n    now: 2026-03-02T08:00:00Z\n    business: []\n";

#[test]
fn a_file_is_read_with_all_kinds_of_turns() {
    let caller = "    caller: {channel: sms, from: '+33612345678', says: [Hello, {keys: 5}, {choice: '1'}, {code: true}, {number: true}]}\n";
    let expect = "    expect: {appointments: [{status: confirmed}], messages: [], outcome: hangup, said: ['^Hi'], never_said: [x]}\n";
    let scenarios = parse(&format!("{HEAD}{caller}{expect}")).unwrap();
    assert_eq!((scenarios.len(), scenarios[0].caller.says.len()), (1, 5));
    for (wrong, part) in [
        (format!("{HEAD}{caller}    expect: {{said: ['(']}}\n"), "regex"),
        (format!("{HEAD}{caller}    expect: {{tone: kind}}\n"), "tone"),
        (format!("{HEAD}    caller: {{channel: fax, says: []}}\n    expect: {{}}\n"), "fax"),
        (format!("{HEAD}    caller: {{channel: sms, from: '12', says: []}}\n    expect: {{}}\n"), "E.164"),
        ("scenarios: [".into(), ""),
    ] {
        let error = parse(&wrong).unwrap_err();
        assert!(error.contains(part), "{part} is not in {error}");
    }
}

#[test]
fn every_difference_is_found() {
    let played = Played {
        appointments: vec![
            serde_json::json!({"status": "confirmed", "starts_at": "2026-03-05T10:00:00.000Z"}),
        ],
        messages: Vec::new(),
        outcome: Some("hangup".into()),
        said: vec!["Hello.".into(), "Goodbye.".into()],
    };
    for (expect, differences) in [
        ("{}", &[][..]),
        (
            "{appointments: [{starts_at: '2026-03-05T10:00:00Z'}], messages: [], outcome: hangup, said: [ello, bye]}",
            &[],
        ),
        ("{appointments: []}", &["1 active appointments instead of 0"]),
        ("{appointments: [{status: pending}]}", &["missing: {\"status\":\"pending\"}"]),
        ("{messages: [{urgency: urgent}]}", &["0 messages instead of 1"]),
        ("{outcome: other}", &["the outcome is hangup, not other"]),
        ("{said: [Booked]}", &["never said Booked"]),
        ("{never_said: ['(?i)hello']}", &["said (?i)hello: Hello."]),
    ] {
        let text = format!("{HEAD}    caller: {{channel: sms, says: []}}\n    expect: {expect}\n");
        let found = judge(&parse(&text).unwrap()[0].expect, &played).join("\n");
        assert_eq!(found.is_empty(), differences.is_empty(), "{expect}: {found}");
        for difference in differences {
            assert!(found.contains(difference), "{difference} is not in {found}");
        }
    }
}
