//! Tests that the published documents are valid OpenAPI, and that their examples match their schemas. Other
//! tests check the conformance checker with responses that match and responses that do not.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

#[path = "support/conformance.rs"]
mod conformance;

use conformance::Conformance;
use hyper::HeaderMap;
use receptionist::openapi::{document, operator_document};
use serde_json::{Value, json};

/// Every operation with its path and method.
fn operations(document: &Value) -> Vec<(String, String, &Value)> {
    let mut found = Vec::new();
    for (path, item) in document["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            found.push((path.clone(), method.clone(), operation));
        }
    }
    assert!(!found.is_empty());
    found
}

fn resolve<'a>(document: &'a Value, value: &'a Value) -> &'a Value {
    let target = value["$ref"].as_str().map(|to| to.strip_prefix('#').unwrap());
    target
        .map_or(value, |pointer| document.pointer(pointer).unwrap_or_else(|| panic!("nothing at {pointer}")))
}

/// Calls `visit` for each object inside a value.
fn each_object(value: &Value, visit: &mut impl FnMut(&serde_json::Map<String, Value>)) {
    match value {
        Value::Object(object) => {
            visit(object);
            object.values().for_each(|value| each_object(value, visit));
        }
        Value::Array(items) => items.iter().for_each(|item| each_object(item, visit)),
        _ => {}
    }
}

#[test]
fn every_reference_resolves_and_every_schema_is_valid() {
    for document in [document(), operator_document()] {
        check_references_and_schemas(&document);
    }
}

fn check_references_and_schemas(document: &Value) {
    assert_eq!(document["openapi"], "3.1.0");
    each_object(document, &mut |object| {
        if let Some(Value::String(to)) = object.get("$ref") {
            assert!(document.pointer(to.strip_prefix('#').unwrap()).is_some(), "{to}");
        }
    });
    for (name, schema) in document["components"]["schemas"].as_object().unwrap() {
        assert!(jsonschema::draft202012::meta::is_valid(schema), "{name}");
        if let Some(properties) = schema["properties"].as_object() {
            assert_eq!(schema["additionalProperties"], false, "{name}");
            let inside = ["data", "has_more", "next_cursor"];
            for (property, schema) in properties.iter().filter(|(name, _)| !inside.contains(&name.as_str())) {
                assert!(schema["description"].is_string(), "{name}.{property} has no description");
            }
        }
    }
}

#[test]
fn every_operation_has_a_unique_name_and_the_required_parts() {
    let public = document();
    check_operations(&public, &["401", "429", "500", "503"]);
    for (path, method, operation) in operations(&public) {
        let what = format!("{method} {path}");
        if let Some(scope) = operation["x-required-scope"].as_str() {
            assert!(operation["description"].as_str().unwrap().contains(scope), "{what}");
            assert!(operation["responses"]["403"].is_object(), "{what}");
        }
        // The operation that sends a sample event changes no record, so it has no idempotency key and no response
        // about a conflict.
        let changes = method != "get" && operation["operationId"] != "testWebhook";
        let parameters = operation["parameters"].to_string();
        assert_eq!(parameters.contains("Idempotency-Key"), changes, "{what}");
        for status in ["409", "422"] {
            assert_eq!(operation["responses"][status].is_object(), changes, "{what}: {status}");
        }
    }
    let operator = operator_document();
    check_operations(&operator, &["401", "403", "429", "500", "503"]);
    for (path, method, operation) in operations(&operator) {
        // The operations that resend a delivery or a mail have no idempotency key: while the delivery or mail is
        // pending, a repeated request is refused.
        let id = operation["operationId"].as_str().unwrap();
        // The operations in this list have no idempotency key either. A backup, a test mail and a read of a
        // calendar change no resource. A repeated write to a calendar writes the same event.
        let changes = method != "get"
            && !id.starts_with("resend")
            && ![
                "createBackup",
                "testMail",
                "tryDeliveryNow",
                "discoverCalendars",
                "readCalendar",
                "writeCalendarAppointment",
            ]
            .contains(&id);
        let what = format!("{method} {path}");
        for absent in ["X-RateLimit", "x-required-scope"] {
            assert!(!operation.to_string().contains(absent), "{what}: {absent}");
        }
        let once = operation["parameters"].to_string().contains("Idempotency-Key");
        assert_eq!(once, changes, "{what}");
        assert_eq!(operation["responses"]["422"].is_object(), changes, "{what}");
    }
}

/// Checks the parts that every operation must have. `always` are the statuses that every request can get.
fn check_operations(document: &Value, always: &[&str]) {
    let mut names = std::collections::BTreeSet::new();
    for (path, method, operation) in operations(document) {
        let what = format!("{method} {path}");
        assert!(names.insert(operation["operationId"].as_str().unwrap().to_owned()), "{what}");
        assert!(!operation["summary"].as_str().unwrap().is_empty(), "{what}");
        for status in always.iter().chain(&["400"]) {
            assert!(operation["responses"][status].is_object(), "{what}: {status}");
        }
        for status in ["408", "413", "415"] {
            // The body of an import is not limited in size, so an import cannot get a 413.
            let may_be =
                method != "get" && !(status == "413" && operation["operationId"] == "importBusinesses");
            assert_eq!(operation["responses"][status].is_object(), may_be, "{what}: {status}");
        }
        // A request for a path with an id may get a 404. A repeated `createContact` may get a 404 too, because
        // the contact may have been erased after the first request.
        let may_be_gone = path.contains('{') || operation["operationId"] == "createContact";
        assert_eq!(operation["responses"]["404"].is_object(), may_be_gone, "{what}");
        for segment in path.split('/').filter(|segment| segment.starts_with('{')) {
            let name = segment.trim_matches(['{', '}']);
            let parameters = operation["parameters"].as_array().unwrap();
            assert!(parameters.iter().any(|p| p["name"] == name && p["in"] == "path"), "{what}: {name}");
        }
    }
}

#[test]
fn every_type_of_event_is_a_webhook_with_its_headers() {
    let document = document();
    let conformance = Conformance::new(&document);
    let events = document["components"]["schemas"]["EventType"]["enum"].as_array().unwrap();
    let webhooks = document["webhooks"].as_object().unwrap();
    assert_eq!(webhooks.len(), events.len());
    for event in events {
        let operation = &webhooks[event.as_str().unwrap()]["post"];
        let headers = operation["parameters"].as_array().unwrap().iter();
        let headers: Vec<_> = headers.map(|header| header["name"].as_str().unwrap()).collect();
        assert_eq!(headers, ["webhook-id", "webhook-timestamp", "webhook-signature", "webhook-test"]);
        let media = &operation["requestBody"]["content"]["application/json"];
        let validator = conformance.compile(&media["schema"]);
        let problems: Vec<_> = validator.iter_errors(&media["example"]).map(|e| e.to_string()).collect();
        assert!(problems.is_empty(), "{event}: {problems:?}");
        let other = json!({ "type": "other" });
        assert!(!validator.is_valid(&other), "{event}");
    }
}

#[test]
fn a_booking_is_for_exactly_one_of_a_contact_and_its_id() {
    let (public, operator) = (document(), operator_document());
    for (document, body) in [(&public, "BookBody"), (&operator, "TeamBookBody")] {
        let schema = json!({"$ref": format!("#/components/schemas/{body}")});
        let validator = Conformance::new(document).compile(&schema);
        let id = "019c8f3e-2222-7000-8888-2e2e2e2e2e2e";
        let with = |more: &Value| {
            let mut booking = json!({"service_id": id, "starts_at": "2026-03-02T10:00:00Z"});
            booking.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            validator.is_valid(&booking)
        };
        let contact = json!({"phone": "+33612345680"});
        assert!(with(&json!({ "contact_id": id })) && with(&json!({ "contact": contact })), "{body}");
        assert!(!with(&json!({})) && !with(&json!({ "contact": null, "contact_id": null })), "{body}");
        assert!(!with(&json!({ "contact_id": id, "contact": contact })), "{body}");
    }
}

#[test]
fn a_special_day_is_closed_or_has_windows() {
    let schema = json!({"$ref": "#/components/schemas/SpecialDayBody"});
    let validator = Conformance::new(&operator_document()).compile(&schema);
    let windows = json!([{"open": "09:00", "close": "12:00"}]);
    for taken in [
        json!({"closed": true}),
        json!({"closed": true, "windows": []}),
        json!({"closed": true, "windows": null, "note": "Labour Day"}),
        json!({"windows": windows}),
        json!({"windows": windows, "closed": false}),
    ] {
        assert!(validator.is_valid(&taken), "{taken}");
    }
    for refused in [
        json!({}),
        json!({"closed": false}),
        json!({"closed": true, "windows": windows}),
        json!({"windows": []}),
        json!({"windows": windows, "close": false}),
    ] {
        assert!(!validator.is_valid(&refused), "{refused}");
    }
}

#[test]
fn no_schema_uses_all_of_or_any_of() {
    for document in [document(), operator_document()] {
        each_object(&document, &mut |object| {
            assert!(!object.contains_key("allOf") && !object.contains_key("anyOf"), "{object:?}");
            let choices = object.get("oneOf").and_then(Value::as_array);
            for choice in choices.into_iter().flatten() {
                let is_whole = choice["$ref"].is_string() || choice["type"].is_string();
                assert!(is_whole && !object.contains_key("properties"), "{object:?}");
            }
        });
    }
}

#[test]
fn requests_to_webhook_endpoints_have_their_own_tag() {
    let whole = document();
    let tags = |document: &Value| -> Vec<String> {
        let tags = document["tags"].as_array().unwrap().iter();
        tags.map(|tag| tag["name"].as_str().unwrap().to_owned()).collect()
    };
    assert!(tags(&whole).contains(&"Events".to_owned()));
    for (_, item) in whole["webhooks"].as_object().unwrap() {
        assert_eq!(item["post"]["tags"], json!(["Events"]));
    }
    for (path, method, operation) in operations(&whole) {
        assert!(!operation["tags"].to_string().contains("Events"), "{method} {path}");
    }
    let mut without = document();
    receptionist::openapi::without_webhooks(&mut without);
    assert!(without.get("webhooks").is_none() && !tags(&without).contains(&"Events".to_owned()));
    assert_eq!(without["paths"], whole["paths"]);
}

#[test]
fn the_documents_list_fifteen_error_codes() {
    let document = document();
    assert_eq!(document["components"]["schemas"]["ErrorCode"]["enum"].as_array().unwrap().len(), 15);
}

#[test]
fn every_request_and_response_body_has_an_example_that_matches_its_schema() {
    for document in [document(), operator_document()] {
        check_examples(&document);
    }
}

fn check_examples(document: &Value) {
    let conformance = Conformance::new(document);
    let check = |what: &str, content: &Value, named: bool| {
        let Some(media) = content.get("application/json") else { return };
        let validator = conformance.compile(&media["schema"]);
        let mut examples: Vec<&Value> = media.get("example").into_iter().collect();
        examples.extend(
            media["examples"].as_object().into_iter().flatten().map(|(_, example)| &example["value"]),
        );
        assert!(!named || !examples.is_empty(), "{what} has no example: add one to src/openapi/examples.rs");
        for example in examples {
            let problems: Vec<_> = validator.iter_errors(example).map(|error| error.to_string()).collect();
            assert!(problems.is_empty(), "{what}: {problems:?} in the example {example}");
        }
    };
    for (path, method, operation) in operations(document) {
        let what = format!("{method} {path}");
        if operation["requestBody"].is_object() {
            check(&format!("the body of {what}"), &operation["requestBody"]["content"], true);
        }
        for (status, response) in operation["responses"].as_object().unwrap() {
            let response = resolve(document, response);
            check(&format!("{what}: {status}"), &response["content"], true);
        }
    }
}

fn headers(more: &[(&'static str, &str)]) -> HeaderMap {
    let mut headers = HeaderMap::new();
    let always = [
        ("content-type", "application/json"),
        ("x-request-id", "a"),
        ("x-ratelimit-limit", "120"),
        ("x-ratelimit-remaining", "0"),
        ("x-ratelimit-reset", "1772442000"),
    ];
    for (name, value) in always.iter().chain(more) {
        headers.insert(*name, value.parse().unwrap());
    }
    headers
}

#[test]
fn the_conformance_check_accepts_valid_responses_and_names_differences() {
    let document = document();
    let conformance = Conformance::new(&document);
    let service =
        &document["paths"]["/services"]["get"]["responses"]["200"]["content"]["application/json"]["example"];
    let check = |method: &str, path: &str, status: u16, headers: &HeaderMap, body: &Value| {
        conformance.check(method, path, status, headers, body.to_string().as_bytes())
    };
    let good = headers(&[]);
    check("GET", "/v1/services?limit=5", 200, &good, service).unwrap();
    let error = json!({"error": {"code": "not_found", "message": "there is no such appointment"}});
    check("GET", "/v1/appointments/x", 404, &good, &error).unwrap();
    check("GET", "/v1/nowhere", 404, &good, &error).unwrap();
    conformance.check("HEAD", "/v1/services", 200, &good, b"").unwrap();
    conformance.check("GET", "/healthz", 200, &HeaderMap::new(), b"x").unwrap();
    let not_modified = headers(&[("etag", "\"abc\"")]);
    conformance.check("GET", "/v1/business", 304, &not_modified, b"").unwrap();
    let refused = json!({"error": {"code": "method_not_allowed", "message": "This path allows GET, HEAD."}});
    check("PUT", "/v1/services", 405, &headers(&[("allow", "GET, HEAD")]), &refused).unwrap();

    let fails = |result: Result<(), String>, why: &str| {
        let told = result.unwrap_err();
        assert!(told.contains(why), "{told}");
    };
    fails(check("GET", "/v1/services", 202, &good, service), "undocumented");
    fails(check("GET", "/v1/services", 404, &good, &error), "undocumented");
    fails(check("PUT", "/v1/services", 405, &good, &refused), "Allow is missing");
    fails(check("GET", "/v1/services", 200, &headers(&[("etag", "\"a\"")]), service), "etag is undocumented");
    fails(
        check("GET", "/v1/services", 200, &headers(&[("x-ratelimit-limit", "many")]), service),
        "X-RateLimit-Limit",
    );
    let mut more = service.clone();
    more["data"][0]["price"] = json!(1);
    fails(check("GET", "/v1/services", 200, &good, &more), "price");
    let mut wrong = service.clone();
    wrong["data"][0]["id"] = json!("1");
    fails(check("GET", "/v1/services", 200, &good, &wrong), "uuid");
    let unknown = json!({"error": {"code": "teapot", "message": ""}});
    fails(check("GET", "/v1/appointments/x", 404, &good, &unknown), "teapot");
}
