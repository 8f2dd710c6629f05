//! Tests of `POST /messages` and `PATCH /messages/{message_id}` of the operator API, and of `GET /messages`
//! of the public API.

use serde_json::{Value, json};

use crate::harness::{Salon, Server, for_integrations, id, ids, of_characters, pick};

const UNKNOWN: &str = "018f0000-0000-7000-8000-000000000000";

async fn listed(salon: &Salon) -> Vec<Value> {
    salon.api.all("/messages").await
}

#[tokio::test]
async fn a_message_is_taken_with_all_properties_or_only_the_required_ones() {
    let server = Server::open().await;
    let salon = server.salon().await;
    let contact = salon.contact(json!({ "name": "Zoé", "phone": "+33612345678" })).await;
    let call = salon.record_call(json!({})).await;
    let whole = json!({
        "call_id": call["id"],
        "contact_id": contact["id"],
        "caller_name": "Madame Martin",
        "caller_phone": "+33699999999",
        "body": "Please call back.\n\tUrgent!",
        "urgency": "urgent",
        "staff_id": salon.ben,
        "status": "read",
    });
    server.clock.set("2026-03-02T07:00:00Z");
    let made = salon.message(whole.clone()).await;
    for (name, value) in whole.as_object().unwrap() {
        assert_eq!(made[name], *value, "{name}");
    }
    assert_eq!(
        (&made["created_at"], &made["updated_at"]),
        (&json!("2026-03-02T07:00:00.000Z"), &made["created_at"])
    );
    assert_eq!(listed(&salon).await, [made]);
    let bare = salon.message(json!({})).await;
    assert_eq!((&bare["urgency"], &bare["status"]), (&json!("normal"), &json!("new")));
    for name in ["call_id", "contact_id", "caller_name", "caller_phone", "staff_id"] {
        assert_eq!(bare[name], Value::Null, "{name}");
    }
    let nulls = json!({ "urgency": null, "status": null, "call_id": null, "caller_phone": null });
    assert_eq!(salon.message(nulls).await["status"], "new");
}

#[tokio::test]
async fn the_contact_of_a_message_is_found_by_number_and_never_created() {
    let server = Server::open().await;
    let salon = server.salon_with(json!({ "phone_region": "FR" })).await;
    let zoe = salon.contact(json!({ "name": "Zoé", "phone": "+33612345678" })).await;
    let found = salon.message(json!({ "caller_phone": "06 12 34 56 78", "caller_name": "Other" })).await;
    assert_eq!(found["contact_id"], zoe["id"]);
    assert_eq!((&found["caller_phone"], &found["caller_name"]), (&json!("+33612345678"), &json!("Other")));
    let unknown = salon.message(json!({ "caller_phone": "+33611111111" })).await;
    assert_eq!(unknown["contact_id"], Value::Null);
    assert_eq!(salon.api.all("/contacts").await, [zoe]);
}

#[tokio::test]
async fn every_property_has_its_rule() {
    let server = Server::open().await;
    let (salon, other) = (server.salon().await, server.salon().await);
    let theirs = [
        ("call_id", other.record_call(json!({})).await["id"].clone()),
        ("contact_id", other.contact(json!({ "name": "A" })).await["id"].clone()),
        ("staff_id", json!(other.anna)),
    ];
    for (name, foreign) in &theirs {
        for id in [foreign.clone(), json!(UNKNOWN), json!("x"), json!(1)] {
            salon.try_message(json!({ *name: id })).await.invalid_at(&[name]);
        }
    }
    for (body, path) in [
        (json!({ "body": "" }), "body"),
        (json!({ "body": " \n\t" }), "body"),
        (json!({ "body": null }), "body"),
        (json!({ "body": "a\0b" }), "body"),
        (json!({ "caller_name": "" }), "caller_name"),
        (json!({ "caller_name": "x".repeat(201) }), "caller_name"),
        (json!({ "caller_phone": "anonymous" }), "caller_phone"),
        (json!({ "urgency": "high" }), "urgency"),
        (json!({ "status": "done" }), "status"),
        (json!({ "id": UNKNOWN }), "id"),
    ] {
        salon.try_message(body).await.invalid_at(&[path]);
    }
    salon.operator.post("/messages", &json!({})).await.invalid_at(&["body"]);
    let many = json!({ "call_id": UNKNOWN, "contact_id": UNKNOWN, "staff_id": UNKNOWN });
    salon.try_message(many).await.invalid_at(&["call_id", "contact_id", "staff_id"]);
    assert!(listed(&salon).await.is_empty());
}

#[tokio::test]
async fn a_body_of_10_000_characters_is_returned_byte_for_byte() {
    let server = Server::open().await;
    let salon = server.salon().await;
    for body in of_characters(10_000) {
        let made = salon.message(json!({ "body": body })).await;
        assert!(made["body"] == *body);
        assert!(listed(&salon).await.contains(&made));
        salon.try_message(json!({ "body": format!("{body}é") })).await.invalid_at(&["body"]);
    }
}

#[tokio::test]
async fn the_team_sets_status_and_staff_and_nothing_else() {
    let server = Server::open().await;
    let salon = server.salon().await;
    let made = salon.message(json!({ "staff_id": salon.anna })).await;
    for (change, status, staff) in [
        (json!({ "status": "read" }), "read", json!(salon.anna)),
        (json!({ "staff_id": salon.ben }), "read", json!(salon.ben)),
        (json!({ "staff_id": null }), "read", Value::Null),
        (json!({ "status": "resolved", "staff_id": salon.chloe }), "resolved", json!(salon.chloe)),
        (json!({ "status": "new" }), "new", json!(salon.chloe)),
    ] {
        server.clock.advance(1);
        let after = salon.patch_message(&made, change).await;
        assert_eq!((&after["status"], &after["staff_id"]), (&json!(status), &staff));
        assert_eq!(after["created_at"], made["created_at"]);
        assert_eq!(listed(&salon).await, [after]);
    }
    let before = listed(&salon).await;
    server.clock.advance(1);
    salon.try_patch_message(&made, json!({ "status": "new" })).await.is(200);
    for (change, paths) in [
        (json!({ "status": null }), &["status"][..]),
        (json!({ "status": "done", "staff_id": "x" }), &["status", "staff_id"]),
        (json!({ "staff_id": UNKNOWN }), &["staff_id"]),
        (json!({ "status": "read", "body": "b" }), &["body"]),
        (json!({ "status": "read", "urgency": "urgent" }), &["urgency"]),
    ] {
        salon.try_patch_message(&made, change).await.invalid_at(paths);
    }
    salon.try_patch_message(&made, json!({})).await.fails(400, "invalid_request");
    assert_eq!(listed(&salon).await, before);
}

#[tokio::test]
async fn a_message_of_another_business_is_not_found() {
    let server = Server::open().await;
    let (salon, other) = (server.salon().await, server.salon().await);
    let theirs = other.message(json!({})).await;
    let read = json!({ "status": "read" });
    salon.try_patch_message(&theirs, read.clone()).await.fails(404, "not_found");
    salon.operator.patch(&format!("/messages/{UNKNOWN}"), &read).await.fails(404, "not_found");
    salon.operator.patch("/messages/none", &read).await.fails(404, "not_found");
    assert!(listed(&salon).await.is_empty());
    assert_eq!(listed(&other).await, [theirs]);
}

/// Records messages one second apart. Marks the third one as read ten seconds later.
async fn some(server: &Server, salon: &Salon) -> (Vec<Value>, Value) {
    let call = salon.record_call(json!({ "from_number": "+33611111111" })).await;
    let mut made = Vec::new();
    for more in [
        json!({ "call_id": call["id"], "caller_phone": "+33611111111" }),
        json!({ "caller_phone": "+33622222222", "status": "resolved" }),
        json!({ "contact_id": call["contact_id"] }),
        json!({ "call_id": call["id"], "status": "resolved" }),
        json!({}),
    ] {
        server.clock.advance(1);
        made.push(salon.message(more).await);
    }
    server.clock.advance(10);
    made[2] = salon.patch_message(&made[2], json!({ "status": "read" })).await;
    (made, call)
}

#[tokio::test]
async fn messages_are_listed_newest_first_and_each_filter_selects_the_right_ones() {
    let server = Server::open().await;
    let salon = server.salon().await;
    assert!(listed(&salon).await.is_empty());
    let (made, call) = some(&server, &salon).await;
    let (call_id, contact) = (id(&call), call["contact_id"].as_str().unwrap());
    for (query, kept) in [
        (String::new(), &[4, 3, 2, 1, 0][..]),
        ("status=new".to_owned(), &[4, 0]),
        ("status=read".to_owned(), &[2]),
        ("status=resolved".to_owned(), &[3, 1]),
        (format!("call_id={call_id}"), &[3, 0]),
        (format!("contact_id={contact}"), &[2, 0]),
        ("from=2026-03-02T06:00:03Z".to_owned(), &[4, 3, 2]),
        ("from=2026-03-02T06:00:03.001Z".to_owned(), &[4, 3]),
        ("to=2026-03-02T06:00:03Z".to_owned(), &[1, 0]),
        ("to=2026-03-02T07:00:03.001%2B01:00".to_owned(), &[2, 1, 0]),
        ("from=2026-03-02T06:00:02Z&to=2026-03-02T06:00:04Z".to_owned(), &[2, 1]),
        ("from=2026-03-02T06:00:04Z&to=2026-03-02T06:00:02Z".to_owned(), &[]),
        (format!("call_id={call_id}&contact_id={contact}&status=new"), &[0]),
        (format!("call_id={call_id}&status=read"), &[]),
        ("updated_since=2026-03-02T06:00:02Z".to_owned(), &[1, 3, 4, 2]),
        ("updated_since=2026-03-02T06:00:15Z".to_owned(), &[2]),
        ("updated_since=2026-03-02T06:00:15.001Z".to_owned(), &[]),
        (format!("updated_since=2000-01-01T00:00:00Z&contact_id={contact}"), &[0, 2]),
        ("updated_since=2000-01-01T00:00:00Z&status=resolved&to=2026-03-02T06:00:04Z".to_owned(), &[1]),
    ] {
        for limit in 1..=6 {
            let found = salon.api.walk(&format!("/messages?{query}"), limit).await;
            assert_eq!(ids(&found), ids(&pick(&made, kept)), "{query}");
        }
    }
}

#[tokio::test]
async fn invalid_filters_are_named() {
    let server = Server::open().await;
    let salon = server.salon().await;
    for (query, path) in [
        ("from=x", "from"),
        ("to=2026-03-02T06:00:04", "to"),
        ("status=done", "status"),
        ("status=new&status=read", "status"),
        ("call_id=x", "call_id"),
        ("contact_id=", "contact_id"),
        ("updated_since=x", "updated_since"),
        ("limit=101", "limit"),
        ("cursor=x", "cursor"),
        ("urgency=urgent", "urgency"),
    ] {
        salon.get(&format!("/messages?{query}")).await.invalid_at(&[path]);
    }
    salon.get(&format!("/messages/{UNKNOWN}")).await.fails(404, "not_found");
}

#[tokio::test]
async fn if_match_allows_a_change_only_of_the_version_that_was_read() {
    let server = Server::open().await;
    let salon = server.salon().await;
    let taken = salon.try_message(json!({})).await;
    let path = format!("/messages/{}", id(&taken.created()));
    let patch = async |status: &str, tag: &str| {
        let call = salon.operator.call("PATCH", &path).json(&json!({ "status": status }));
        call.header("if-match", tag).await
    };
    let read = patch("read", &taken.etag()).await;
    assert_ne!(read.is(200).etag(), taken.etag());
    patch("resolved", &taken.etag()).await.fails(409, "conflict");
    assert_eq!(listed(&salon).await, [for_integrations(read.data())]);
    patch("resolved", &read.etag()).await.is(200);
}
