//! Erasing contacts, ending businesses, and how long things are kept, through the operator API.

use serde_json::json;

use crate::harness::{Server, id};

#[tokio::test]
async fn a_person_who_is_erased_is_found_no_more_and_what_happened_stays() {
    let server = Server::open().await;
    let salon = server.salon().await;
    let contact =
        salon.contact(json!({ "name": "Ada", "phone": "+14155552671", "email": "ada@a.example" })).await;
    let call = json!({
        "direction": "inbound", "status": "completed", "outcome": "other", "from_number": "+14155552671",
        "started_at": "2026-03-01T08:00:00Z", "ended_at": "2026-03-01T08:02:00Z", "summary": "Asks for Zoë.",
    });
    let call = salon.operator.post("/calls", &call).await.created();
    let of = format!("/contacts/{}", id(&contact));
    salon.operator.call("DELETE", &of).await.is(204);
    salon.operator.get(&of).await.fails(404, "not_found");
    salon.operator.call("DELETE", &of).await.fails(404, "not_found");
    let kept = salon.operator.get(&format!("/calls/{}", id(&call))).await.data();
    for lost in ["contact_id", "contact_name", "from_number", "to_number", "summary", "recording_url"] {
        assert!(kept[lost].is_null(), "{lost}: {kept}");
    }
    for stays in ["id", "started_at", "ended_at", "duration_seconds", "outcome", "created_at"] {
        assert_eq!(kept[stays], call[stays], "{stays}");
    }
}

#[tokio::test]
async fn a_business_that_is_ended_is_404_and_its_keys_401() {
    let server = Server::open().await;
    let (salon, other) = (server.salon().await, server.salon().await);
    salon.api.get("/business").await.is(200);
    salon.operator.call("DELETE", "").await.is(202);
    salon.operator.get("").await.fails(404, "not_found");
    salon.operator.call("DELETE", "").await.fails(404, "not_found");
    salon.api.get("/business").await.fails(401, "unauthorized");
    other.api.get("/business").await.is(200);
}

#[tokio::test]
async fn how_long_things_are_kept_is_changed_like_any_resource() {
    let server = Server::open().await;
    let salon = server.salon().await;
    let first = salon.operator.get("/retention").await;
    let never =
        json!({ "calls_days": null, "messages_days": null, "audit_days": null, "appointments_days": null });
    assert_eq!(first.data(), never);
    for (field, bad) in [("calls_days", 0), ("messages_days", 36_501), ("audit_days", 89)] {
        let answer = salon.operator.patch("/retention", &json!({ (field): bad })).await;
        assert_eq!(answer.fails(400, "invalid_request").body["error"]["details"][0]["path"], field);
    }
    let change = json!({ "calls_days": 30, "audit_days": 90 });
    let stale =
        salon.operator.call("PATCH", "/retention").json(&change).header("if-match", "\"other\"").await;
    stale.fails(409, "conflict");
    let changed = salon.operator.patch("/retention", &change).await;
    assert_eq!(changed.data()["calls_days"], 30);
    assert_eq!(changed.etag(), salon.operator.get("/retention").await.etag());
    let cleared = salon.operator.patch("/retention", &json!({ "calls_days": null })).await;
    assert!(cleared.data()["calls_days"].is_null());
    assert_eq!(cleared.data()["audit_days"], 90);
}
