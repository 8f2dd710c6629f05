//! Tests of the operator's routes for connected calendars, without a calendar server. The tests of the engine use
//! simulated calendar servers.

use serde_json::{Value, json};

use crate::harness::Server;

fn ics(staff: &str, changes: &Value) -> Value {
    let mut body = json!({ "staff_id": staff, "kind": "ics", "url": "https://calendar.example.com/x.ics" });
    body.as_object_mut().unwrap().extend(changes.as_object().unwrap().clone());
    body
}

#[tokio::test]
async fn an_invalid_calendar_is_refused_with_the_path_of_the_property() {
    let server = Server::open().await;
    let salon = server.salon().await;
    for (changes, path, text) in [
        (json!({ "write": true }), "write", "kind `caldav`"),
        (json!({ "busy": false }), "busy", "must be true"),
        (json!({ "username": "ada" }), "username", "kind `caldav`"),
        (json!({ "kind": "caldav" }), "username", "required"),
        (json!({ "kind": "caldav", "username": "a", "password": "b" }), "calendar", "required"),
        (json!({ "url": "http://calendar.example.com/" }), "url", "https"),
        (json!({ "url": "https://10.0.0.1/x.ics" }), "url", "public"),
        (json!({ "url": "https://user:pw@calendar.example.com/" }), "url", "user"),
        (json!({ "staff_id": salon.id }), "staff_id", "staff member"),
    ] {
        let refused = salon.operator.post("/calendars", &ics(&salon.anna, &changes)).await;
        refused.invalid_at(&[path]);
        assert!(refused.to_string().contains(text), "{changes}: {refused}");
    }
    let account = json!({ "url": "https://calendar.google.com/x", "username": "ada", "password": "pw" });
    let refused = salon.operator.post("/calendars/discover", &account).await;
    refused.invalid_at(&["url"]);
    assert!(refused.to_string().contains("secret iCal address in this version"), "{refused}");
    assert!(salon.operator.all("/calendars").await.is_empty());
}

#[tokio::test]
async fn a_calendar_is_shown_without_its_address_and_changed_under_its_entity_tag() {
    let server = Server::open().await;
    let salon = server.salon().await;
    let path = format!("/calendars/{}", salon.calendar(&server).await);
    let shown = salon.operator.get(&path).await;
    let body = shown.is(200).data();
    assert_eq!((&body["host"], &body["username"]), (&json!("calendar.example.com"), &Value::Null));
    assert!(!format!("{shown}").contains("secret.ics"));
    let tag = shown.etag();
    let renamed =
        salon.operator.call("PATCH", &path).header("if-match", &tag).json(&json!({ "name": "Home" }));
    assert_eq!(renamed.await.data()["name"], "Home");
    let stale = salon.operator.call("PATCH", &path).header("if-match", &tag).json(&json!({ "name": "Work" }));
    stale.await.fails(409, "conflict");
    salon.operator.patch(&path, &json!({ "password": "x" })).await.fails(400, "invalid_request");
    salon.operator.patch(&path, &json!({ "write": true })).await.fails(400, "invalid_request");
    assert_eq!(salon.operator.call("POST", &format!("{path}/read")).await.status, 202);
    let of_ben = salon.operator.all(&format!("/calendars?staff_id={}", salon.ben)).await;
    assert!(of_ben.is_empty() && salon.operator.all("/calendars").await.len() == 1);
    let audit = salon.operator.all("/audit").await;
    let of_calendars = audit.iter().filter(|entry| entry["resource_type"] == "calendar");
    let actions: Vec<_> = of_calendars.map(|entry| entry["action"].as_str().unwrap()).collect();
    assert_eq!(actions, ["calendar.changed", "calendar.connected"]);
    assert!(!json!(audit).to_string().contains("example.com"));
    salon.operator.delete(&path).await.is(204);
    salon.operator.get(&path).await.fails(404, "not_found");
}

#[tokio::test]
async fn written_appointments_are_listed_written_again_and_removed() {
    let server = Server::open().await;
    let salon = server.salon().await;
    let booked = salon.book_with(&salon.cut, &salon.anna, "2026-03-03T09:00:00Z").await;
    assert_eq!(booked["calendar_sync_status"], "not_connected");
    let calendar = salon.written_calendar(&server).await;
    let (path, id) = (format!("/calendars/{calendar}"), booked["id"].as_str().unwrap());
    let shown = salon.show(&booked).await;
    assert_eq!(
        (&shown["calendar_sync_status"], &shown["updated_at"]),
        (&json!("pending"), &booked["updated_at"])
    );
    let listed = salon.operator.all(&format!("{path}/appointments")).await;
    assert_eq!((&listed[0]["appointment_id"], &listed[0]["status"]), (&booked["id"], &json!("pending")));
    assert!(salon.operator.all(&format!("{path}/appointments?status=synced")).await.is_empty());
    salon.operator.get(&format!("{path}/appointments?status=none")).await.invalid_at(&["status"]);
    let write = |id: &str| format!("{path}/appointments/{id}/write");
    let again = salon.operator.call("POST", &write(id)).await;
    assert_eq!((again.status, &again.body["data"]["status"]), (202, &json!("pending")));
    salon.operator.call("POST", &write(&salon.anna)).await.fails(404, "not_found");
    // Only one calendar of a staff member can have `write`.
    let other = format!("/calendars/{}", salon.calendar(&server).await);
    salon.operator.patch(&other, &json!({ "write": true })).await.invalid_at(&["write"]);
    salon.operator.patch(&path, &json!({ "busy": false })).await.is(200);
    salon.operator.patch(&path, &json!({ "write": false })).await.invalid_at(&["busy"]);
    let removing = salon.operator.delete(&format!("{path}?remove_events=true")).await;
    assert_eq!((removing.status, &removing.body["data"]["status"]), (202, &json!("disconnecting")));
    salon.operator.patch(&path, &json!({ "name": "x" })).await.fails(404, "not_found");
    salon.operator.call("POST", &write(id)).await.fails(404, "not_found");
    assert_eq!(salon.operator.get(&path).await.data()["status"], "disconnecting");
    salon.operator.delete(&path).await.is(204);
    salon.operator.get(&path).await.fails(404, "not_found");
    while salon.show(&booked).await["calendar_sync_status"] != "not_connected" {
        tokio::task::yield_now().await;
    }
}
