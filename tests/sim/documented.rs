//! Compares events with their published schemas.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use jsonschema::Validator;
use serde_json::{Value, json};

/// The documented schema of each event type.
static EVENTS: LazyLock<BTreeMap<String, Validator>> = LazyLock::new(|| {
    let document = receptionist::openapi::document();
    let components = json!({ "schemas": document["components"]["schemas"] });
    let webhooks = document["webhooks"].as_object().unwrap();
    let validator = |(kind, webhook): (&String, &Value)| {
        let mut schema = webhook["post"]["requestBody"]["content"]["application/json"]["schema"].clone();
        schema["components"] = components.clone();
        let options = jsonschema::draft202012::options().should_validate_formats(true);
        (kind.clone(), options.build(&schema).unwrap())
    };
    webhooks.iter().map(validator).collect()
});

/// Checks an event against its documented schema.
pub(crate) fn check(event: &Value) {
    let validator = &EVENTS[event["type"].as_str().unwrap()];
    let problems: Vec<_> = validator.iter_errors(event).map(|problem| problem.to_string()).collect();
    assert!(problems.is_empty(), "{problems:?} in {event}");
}
