//! Tests of tool calls with invalid arguments. The error result explains how to correct the arguments, and
//! the call changes no data.

use serde_json::{Value, json};

use super::Assistant;
use crate::harness::{Salon, Server, week};

/// Unusual values of each JSON type.
fn strange() -> Vec<Value> {
    vec![
        json!(null),
        json!(true),
        json!(5),
        json!(-1.5),
        json!(""),
        json!(" "),
        json!("\u{0}"),
        json!("x\ny\u{2028}z"),
        json!("x".repeat(5_000)),
        json!([]),
        json!([1]),
        json!({}),
        json!({"a": {"b": []}}),
        json!("9999-12-31T23:59"),
        json!("0000-01-01"),
        json!("018f0000-0000-7000-8000-000000000000"),
    ]
}

/// Valid arguments for each tool. Each of the arguments is required.
fn good(salon: &Salon, ids: &Value) -> Vec<(&'static str, Value)> {
    let at = "2026-03-04T10:00";
    vec![
        ("get_business", json!({})),
        ("update_business", json!({"name": "Salon", "hours": week("09:00", "18:00")})),
        ("find_open_times", json!({"service": salon.cut, "from": "2026-03-04"})),
        ("list_appointments", json!({})),
        ("get_appointment", json!({"appointment_id": ids["appointment"]})),
        (
            "book_appointment",
            json!({"service": "Cut", "starts_at": "2026-03-05T10:00", "contact_id": ids["contact"]}),
        ),
        (
            "reschedule_appointment",
            json!({"appointment_id": ids["appointment"], "expected_starts_at": at, "starts_at": at}),
        ),
        (
            "cancel_appointment",
            json!({"appointment_id": ids["other"], "expected_starts_at": "2026-03-04T11:00"}),
        ),
        ("find_contacts", json!({})),
        ("get_contact", json!({"contact_id": ids["contact"]})),
        ("create_contact", json!({"name": "Somebody"})),
        ("update_contact", json!({"contact_id": ids["contact"], "name": "Somebody"})),
        ("list_calls", json!({})),
        ("get_call", json!({"call_id": ids["call"]})),
        ("list_messages", json!({})),
        ("add_knowledge", json!({"title": "Parking", "content": "Behind the house."})),
    ]
}

async fn ids(salon: &Salon) -> Value {
    let appointment = salon.book(&salon.cut, "2026-03-04T09:00:00Z").await;
    let other = salon.book(&salon.cut, "2026-03-04T10:00:00Z").await;
    let call = salon.record_call(json!({})).await;
    json!({"appointment": appointment["id"], "other": other["id"], "contact": appointment["contact_id"],
        "call": call["id"]})
}

#[tokio::test]
async fn wrong_arguments_give_an_error_result_and_never_a_protocol_error() {
    let server = Server::open().await;
    let salon = server.salon().await;
    let assistant = Assistant::of(&server, &salon);
    let ids = ids(&salon).await;
    let listed = assistant.ask("tools/list", json!({})).await;
    for (tool, arguments) in good(&salon, &ids) {
        // The arguments must be a JSON object. None of these values is an object.
        for whole in [json!("text"), json!([]), json!(5), json!(true)] {
            assistant.call(tool, whole).await.refuses(&["one JSON object"]);
        }
        assistant.call(tool, json!({"unheard_of": 1})).await.refuses(&["unheard_of"]);
        let known = listed["tools"].as_array().unwrap().iter().find(|known| known["name"] == tool).unwrap();
        let schema = &known["inputSchema"];
        let output = jsonschema::draft202012::new(&known["outputSchema"]).unwrap();
        for required in schema["required"].as_array().into_iter().flatten() {
            let mut without = arguments.clone();
            without.as_object_mut().unwrap().remove(required.as_str().unwrap());
            assistant.call(tool, without).await.refuses(&[required.as_str().unwrap(), "is required"]);
        }
        for name in schema["properties"].as_object().unwrap().keys() {
            for value in strange() {
                let mut strange = arguments.clone();
                strange[name] = value.clone();
                let told = assistant.call(tool, strange).await;
                if told.is_error {
                    assert!(told.text.len() > 20, "{tool} {name} {value}: {}", told.text);
                } else {
                    let fits = output.validate(&told.content);
                    assert!(fits.is_ok(), "{tool} {name} {value}: {fits:?}");
                }
            }
        }
        // The call with the valid arguments succeeds, and its result matches the output schema.
        let given = assistant.call(tool, arguments).await.done();
        let fits = output.validate(&given);
        assert!(fits.is_ok(), "{tool}: {fits:?}: {given}");
    }
}

#[tokio::test]
async fn a_property_that_is_given_twice_is_refused() {
    let server = Server::open().await;
    let salon = server.salon().await;
    let assistant = Assistant::of(&server, &salon);
    let body = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"find_contacts",
        "arguments":{"query":"a","query":"b"}}}"#;
    let answer = assistant.0.call("POST", "/mcp").bytes(body).await;
    let text = answer.body["result"]["content"][0]["text"].as_str().unwrap();
    assert!(text.contains("query is given twice"), "{text}");
}

#[tokio::test]
async fn an_unknown_tool_is_an_error_that_names_the_known_ones() {
    let server = Server::open().await;
    let salon = server.salon().await;
    let assistant = Assistant::with_scopes(&server, &salon, &["calls:read"]).await;
    for params in [json!({"name": "nothing"}), json!({"name": 5}), json!({}), json!([])] {
        let answer = assistant.request("tools/call", params.clone()).await;
        assert_eq!(answer.body["error"]["code"], -32602, "{params}");
    }
    let answer = assistant.request("tools/call", json!({"name": "nothing"})).await;
    let message = answer.body["error"]["message"].as_str().unwrap();
    assert!(message.ends_with("the tools of this key are: list_calls, get_call"), "{message}");
}

#[tokio::test]
async fn names_match_in_any_letter_case_and_are_never_guessed() {
    let server = Server::open().await;
    let salon = server.salon().await;
    let assistant = Assistant::of(&server, &salon);
    let find = |service: &str, staff: Option<&str>| {
        let arguments = json!({"service": service, "from": "2026-03-04", "staff": staff});
        assistant.call("find_open_times", arguments)
    };
    for (service, staff) in [(" cut ", None), ("CUT", Some("chloé")), (&*salon.cut, Some(&*salon.anna))] {
        assert_eq!(find(service, staff).await.done()["service_id"], json!(salon.cut));
    }
    find("Pedicure", None)
        .await
        .refuses(&["no active service", "The active services are: \"Cut\", \"Massage\", \"Colouring\"."]);
    find("Cut", Some("Zed")).await.refuses(&["no active staff member", "\"Anna\", \"Ben\", \"Chloé\""]);
    find("Colouring", Some("Chloé")).await.refuses(&["\"Chloé\" does not offer this service.", "\"Anna\""]);
    let twin =
        salon.operator.post("/services", &json!({"name": "cut", "duration_minutes": 45})).await.created();
    find("Cut", None).await.refuses(&[
        "2 records of this business have that name",
        &salon.cut,
        twin["id"].as_str().unwrap(),
    ]);
    // Two services are called "Cut". When one of them is inactive, the name is no longer ambiguous for a
    // booking.
    let path = format!("/services/{}", twin["id"].as_str().unwrap());
    salon.operator.patch(&path, &json!({"active": false})).await.is(200);
    assert_eq!(find("Cut", None).await.done()["service_id"], json!(salon.cut));
    // The filter of a list also accepts inactive services, so the name "Cut" is ambiguous here.
    assistant.call("list_appointments", json!({"service": "Cut"})).await.refuses(&[
        "2 records of this business have that name",
        &format!("{} (no longer active)", twin["id"].as_str().unwrap()),
        &salon.cut,
    ]);
    // Without the business scope, only the tool that lists available times may resolve the names of services
    // and staff.
    let reader = Assistant::with_scopes(&server, &salon, &["appointments:read"]).await;
    let arguments = json!({"service": "x", "from": "2026-03-04"});
    reader.call("find_open_times", arguments).await.refuses(&["The active services are: \"Cut\""]);
    let text = reader.call("list_appointments", json!({"service": "x"})).await.refuses(&["exact name"]);
    assert!(!text.contains("Massage"), "{text}");
}

#[tokio::test]
async fn skipped_and_repeated_local_times_are_refused_with_a_correction() {
    let server = Server::open().await;
    let day = json!([{"day": "sunday", "open": "00:00", "close": "06:00"}]);
    let salon = server.salon_with(json!({"hours": day})).await;
    let assistant = Assistant::of(&server, &salon);
    let book = |starts_at: &str| {
        let contact = json!({"phone": "+33612345607"});
        let arguments =
            json!({"service": "Cut", "starts_at": starts_at, "contact": contact, "staff": "Anna"});
        assistant.call("book_appointment", arguments)
    };
    book("2026-03-29T02:30").await.refuses(&["no 02:30 on Sunday 29 March", "2026-03-29T03:30:00+02:00"]);
    book("2026-10-25T02:30").await.refuses(&["occurs twice", "2026-10-25T02:30:00+01:00 for the second"]);
    let times =
        assistant.call("find_open_times", json!({"service": "Cut", "from": "2026-10-25"})).await.done();
    let listed = times["days"][0]["times"].as_array().unwrap();
    assert!(listed.contains(&json!("02:30+02:00")) && listed.contains(&json!("02:30+01:00")), "{times}");
    assert!(listed.contains(&json!("03:30")) && !listed.contains(&json!("02:30")), "{times}");
    // A start time that a tool has listed can be sent unchanged in a booking.
    let booked = book("2026-10-25T02:30+01:00").await.done();
    assert_eq!(booked["starts_at"], "2026-10-25T01:30:00.000Z");
    assert_eq!(booked["local_start"], "2026-10-25T02:30+01:00");
    let moving = |expected: &str| {
        let arguments = json!({"appointment_id": booked["id"], "expected_starts_at": expected,
            "starts_at": "2026-10-25T04:00"});
        assistant.call("reschedule_appointment", arguments)
    };
    moving("2026-10-25T02:30+02:00")
        .await
        .refuses(&["starts at 02:30+01:00 on Sunday 25 October (2026-10-25T02:30+01:00)"]);
    moving("2026-10-25T03:30").await.refuses(&["starts at 02:30+01:00"]);
    moving("2026-10-25T02:30").await.done();
}

#[tokio::test]
async fn an_empty_range_of_times_is_refused() {
    let server = Server::open().await;
    let salon = server.salon().await;
    let assistant = Assistant::of(&server, &salon);
    for tool in ["list_appointments", "list_calls", "list_messages"] {
        let list = |from: &str, to: &str| assistant.call(tool, json!({"from": from, "to": to}));
        list("2026-03-05", "2026-03-04").await.refuses(&[
            "`to` (2026-03-04) is not later than `from` (2026-03-05)",
            "Send the earlier one as `from`",
        ]);
        list("2026-03-05T10:00", "2026-03-05T09:00").await.refuses(&["(2026-03-05T09:00)"]);
        list("2026-03-05", "2026-03-05").await.done();
    }
}

#[tokio::test]
async fn open_times_cover_seven_days_at_most_and_can_be_limited_to_a_part_of_the_day() {
    let server = Server::open().await;
    let salon = server.salon().await;
    let assistant = Assistant::of(&server, &salon);
    let find = |from: &str, to: &str, part: Option<&str>| {
        let arguments = json!({"service": "Massage", "from": from, "to": to, "part_of_day": part});
        assistant.call("find_open_times", arguments)
    };
    let week = find("2026-03-03", "2026-03-09", None).await.done();
    let days = week["days"].as_array().unwrap();
    assert_eq!(days.len(), 7);
    assert_eq!((&days[0]["weekday"], &days[5]["date"]), (&json!("tuesday"), &json!("2026-03-08")));
    assert_eq!((&days[5]["times"], &days[5]["note"]), (&json!([]), &json!("closed on Sundays")));
    assert!(days[0].get("note").is_none());
    assert_eq!(week["timezone"], "Europe/Paris");
    // The result contains the reason why a day has no available times.
    let holiday = salon.operator.call("PUT", "/special-days/2026-03-05");
    holiday.json(&json!({"closed": true, "note": "Stocktaking"})).await.is(200);
    let why = async |day: &str, part: Option<&str>| {
        find(day, day, part).await.done()["days"][0]["note"].as_str().unwrap_or_default().to_owned()
    };
    assert_eq!(why("2026-03-05", None).await, "closed on this date");
    assert_eq!(why("2026-03-01", None).await, "in the past");
    assert!(why("2026-03-03", Some("evening")).await.is_empty());
    let path = format!("/services/{}", salon.massage);
    salon.operator.patch(&path, &json!({"max_advance_days": 30, "min_notice_minutes": 4_320})).await.is(200);
    assert!(why("2026-03-03", None).await.starts_with("too soon"));
    assert!(why("2026-05-05", None).await.starts_with("too far ahead: this service can be booked 30 days"));
    salon.operator.patch(&path, &json!({"max_advance_days": null, "min_notice_minutes": 0})).await.is(200);
    assert_eq!(find(" 2026-03-03 ", "2026-03-03", None).await.done()["days"][0]["date"], "2026-03-03");
    find("2026-03-03", "2026-03-10", None).await.refuses(&["8 days", "2026-03-03 to 2026-03-09"]);
    find("2026-03-03", "2026-03-02", None).await.refuses(&["is earlier than"]);
    for (part, first, last) in
        [("morning", "09:00", "11:30"), ("afternoon", "12:00", "16:30"), ("evening", "17:00", "17:00")]
    {
        let day = find("2026-03-03", "2026-03-03", Some(part)).await.done()["days"][0]["times"].clone();
        let times = day.as_array().unwrap();
        assert_eq!((&times[0], &times[times.len() - 1]), (&json!(first), &json!(last)), "{part}");
    }
}
