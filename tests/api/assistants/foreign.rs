//! Tests that a tool call with an id of another business gets the same result as a call with an unknown id.
//! The result reveals nothing about the other business.

use serde_json::{Value, json};

use super::Assistant;
use crate::harness::{Salon, Server};

const UNKNOWN: &str = "018f0000-0000-7000-8000-000000000000";

/// Returns one call for each parameter that takes an id, over all tools: the tool, the id of a record of this salon,
/// the name of the parameter, and the other arguments.
async fn calls(salon: &Salon) -> Vec<(&'static str, Value, &'static str, Value)> {
    let appointment = salon.book(&salon.cut, "2026-03-04T09:00:00Z").await;
    let call = salon.record_call(json!({"summary": "foreign words"})).await;
    let at = "2026-03-04T10:00";
    let with = |tool, argument: &'static str, id: &Value, others: Value| (tool, id.clone(), argument, others);
    let (cut, anna) = (json!(salon.cut), json!(salon.anna));
    let book =
        json!({"service": "Cut", "starts_at": "2026-03-05T10:00", "contact": {"phone": "+33612345608"}});
    vec![
        with("find_open_times", "service", &cut, json!({"from": "2026-03-04"})),
        with("find_open_times", "staff", &anna, json!({"service": "Cut", "from": "2026-03-04"})),
        with(
            "find_open_times",
            "appointment_id",
            &appointment["id"],
            json!({"service": "Cut", "from": "2026-03-04"}),
        ),
        with("list_appointments", "service", &cut, json!({})),
        with("list_appointments", "staff", &anna, json!({})),
        with("list_appointments", "contact_id", &appointment["contact_id"], json!({})),
        with("get_appointment", "appointment_id", &appointment["id"], json!({})),
        with("book_appointment", "service", &cut, book.clone()),
        with("book_appointment", "staff", &anna, book.clone()),
        with(
            "book_appointment",
            "contact_id",
            &appointment["contact_id"],
            json!({"service": "Cut", "starts_at": "2026-03-05T10:00"}),
        ),
        with(
            "reschedule_appointment",
            "appointment_id",
            &appointment["id"],
            json!({"expected_starts_at": at, "starts_at": at}),
        ),
        with("cancel_appointment", "appointment_id", &appointment["id"], json!({"expected_starts_at": at})),
        with("get_contact", "contact_id", &appointment["contact_id"], json!({})),
        with("update_contact", "contact_id", &appointment["contact_id"], json!({"name": "Mine"})),
        with("list_calls", "contact_id", &appointment["contact_id"], json!({})),
        with("get_call", "call_id", &call["id"], json!({})),
    ]
}

#[tokio::test]
async fn ids_of_another_business_give_the_same_result_as_unknown_ids() {
    let server = Server::open().await;
    let (mine, theirs) = (server.salon().await, server.salon_with(json!({"name": "Theirs"})).await);
    let assistant = Assistant::of(&server, &mine);
    let before = theirs.api.all("/appointments").await;
    assert!(before.is_empty());
    let calls = calls(&theirs).await;
    let before = (theirs.api.all("/appointments").await, theirs.api.all("/contacts").await);
    for (tool, foreign, argument, others) in calls {
        let told = async |id: &Value| {
            let mut arguments = others.clone();
            arguments[argument] = id.clone();
            assistant.call(tool, arguments).await
        };
        let (of_foreign, of_nothing) = (told(&foreign).await, told(&json!(UNKNOWN)).await);
        assert_eq!(
            (of_foreign.is_error, &of_foreign.text),
            (of_nothing.is_error, &of_nothing.text),
            "{tool} {argument}"
        );
        if !of_foreign.is_error {
            // A filter with an unknown id matches no records.
            let lists = of_foreign.content.as_object().unwrap().values();
            assert!(lists.flat_map(Value::as_array).all(Vec::is_empty), "{tool}: {}", of_foreign.text);
        }
        assert!(!of_foreign.text.contains("foreign words") && !of_foreign.text.contains("Theirs"));
    }
    let after = (theirs.api.all("/appointments").await, theirs.api.all("/contacts").await);
    assert_eq!(before, after, "the other business must be unchanged");
    // A cursor from a list of the other business is refused.
    for n in 0..25 {
        theirs.contact(json!({"name": format!("C{n}")})).await;
    }
    let page = Assistant::of(&server, &theirs).call("find_contacts", json!({})).await.done();
    let cursor = page["next_cursor"].clone();
    assert!(cursor.is_string());
    assistant.call("find_contacts", json!({"cursor": cursor})).await.refuses(&["cursor must be"]);
}
