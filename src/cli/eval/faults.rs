//! Tests that the scenarios of the repository detect faults of a receptionist: each fault here must make at
//! least one scenario fail.
//!
//! The program itself contains no switch for these faults. Instead, a test imitates a faulty service: it changes either
//! the scenario before the correct service plays it, or the resulting records and words.
//! Then it compares the result with the unchanged expectations. For example, the test replaces the caller's "no" by
//! "yes". The correct service then behaves like a faulty service that takes a no for a yes.

use serde_json::{Value, json};

use super::judge::judge;
use super::play::{Played, play};
use super::scenario::{OtherThanText, Says, Scenario, True, parse};
use crate::rest::values::phone::load_numbering_plans;

const SCENARIOS: &str = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/eval/scenarios.yaml"));
/// The phone number of the contact who has an appointment in the English scenarios.
const CONTACT: &str = "+447700900123";

/// A change to the input of the service (`Hears`) or to its results (`Leaves`).
#[derive(Clone, Copy)]
enum Fault {
    Hears(fn(&mut Scenario)),
    Leaves(fn(&mut Played)),
}

use Fault::{Hears, Leaves};

/// Replaces a part of the caller's words.
fn replace(scenario: &mut Scenario, part: &str, by: &str) {
    for says in &mut scenario.caller.says {
        if let Says::Text(text) = says {
            *text = text.replace(part, by);
        }
    }
}

/// Replaces each turn of the caller whose text is in `turns`.
fn instead(scenario: &mut Scenario, turns: &[&str], by: &Says) {
    for says in &mut scenario.caller.says {
        if matches!(says, Says::Text(text) if turns.contains(&text.as_str())) {
            *says = by.clone();
        }
    }
}

fn yes() -> Says {
    Says::Text("oui, yes".into())
}

/// Whether the appointment existed before the conversation. In the scenarios, each such appointment has the source
/// `dashboard`.
fn is_earlier(appointment: &Value) -> bool {
    appointment["source"] == "dashboard"
}

const FAULTS: [(&str, Fault); 18] = [
    ("a no is read as a yes", Hears(|it| instead(it, &["no", "non merci"], &yes()))),
    ("an unclear answer is read as a yes", Hears(|it| instead(it, &["well maybe", "hmm"], &yes()))),
    ("a yes with another wish is read as a yes", Hears(|it| replace(it, " but at eleven", ""))),
    ("a caller who hangs up is taken to agree", Hears(|it| it.caller.says.push(yes()))),
    (
        "a yes is taken for the confirmation number",
        Hears(|it| {
            if it.caller.from.as_deref() == Some(CONTACT) {
                instead(it, &["yes"], &Says::Other(OtherThanText::Number(True)));
            }
        }),
    ),
    ("the wrong day is booked", Hears(|it| replace(it, "Tuesday", "Wednesday"))),
    ("the wrong time is booked", Hears(|it| replace(it, "at ten", "at eleven"))),
    ("the wrong staff member is booked", Hears(|it| replace(it, "Karim", "Julia"))),
    (
        "a stranger is taken for the contact",
        Hears(|it| {
            it.caller.from = it.caller.from.take().map(|_| domain::Phone::from_e164(CONTACT.into()).unwrap());
        }),
    ),
    ("an emergency is not recognized", Hears(|it| replace(it, "chest pain", "a question"))),
    ("the wish for a person is not recognized", Hears(|it| replace(it, "operator", "haircut"))),
    (
        "private knowledge is told",
        Hears(|it| {
            let settings = it.business.iter_mut().find(|line| line["kind"] == "receptionist");
            settings.unwrap()["knowledge_public"] = json!(true);
        }),
    ),
    ("a claim has no effect", Leaves(|it| it.said.push("You are all set. Booked: Haircut.".into()))),
    ("a booking is stated, but not made", Leaves(|it| it.appointments.retain(is_earlier))),
    (
        "a cancelled appointment stays",
        Leaves(|it| {
            it.appointments.push(json!({ "source": "dashboard", "status": "confirmed" }));
        }),
    ),
    ("a message is lost", Leaves(|it| it.messages.clear())),
    (
        "a message has other words than the caller's",
        Leaves(|it| {
            for message in &mut it.messages {
                message["body"] = json!("The caller is angry.");
            }
        }),
    ),
    ("the outcome does not follow from the effects", Leaves(|it| it.outcome = Some("transferred".into()))),
];

/// Plays the scenario with a fault. Returns the differences from its expectations.
async fn differences(scenario: &Scenario, fault: Fault) -> Vec<String> {
    let mut heard = scenario.clone();
    if let Hears(change) = fault {
        change(&mut heard);
    }
    match play(&heard, None).await {
        Ok(mut played) => {
            if let Leaves(change) = fault {
                change(&mut played);
            }
            judge(&scenario.expect, &played)
        }
        // The conversation ended before all turns were played, so the run does not show whether the
        // expectations detect the fault.
        Err(_) => Vec::new(),
    }
}

#[tokio::test]
async fn each_planted_fault_fails_a_scenario() {
    load_numbering_plans();
    let scenarios = parse(SCENARIOS).unwrap();
    let none = Leaves(|_| ());
    for (name, fault) in FAULTS {
        let mut found = None;
        for scenario in &scenarios {
            if !differences(scenario, fault).await.is_empty() {
                found = Some(scenario);
                break;
            }
        }
        let scenario = found.unwrap_or_else(|| panic!("no scenario detects: {name}"));
        let without = differences(scenario, none).await;
        assert!(without.is_empty(), "{name}: {} fails without the fault: {without:?}", scenario.name);
    }
}
