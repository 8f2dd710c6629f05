//! Tests of the audit log, which lists changes from the newest to the oldest.

use serde_json::{Value, json};

use crate::harness::{Server, ids};

fn field<'a>(entry: &'a Value, name: &str) -> Option<&'a Value> {
    entry["changes"].as_array().unwrap().iter().find(|change| change["field"] == name)
}

#[tokio::test]
async fn a_change_with_a_key_names_the_key_the_record_and_the_fields() {
    let server = Server::open().await;
    let salon = server.salon().await;
    server.clock.advance(60);
    salon.api.patch("/business", &json!({ "name": "New", "locale": "fr" })).await.is(200);
    let entry = salon.operator.all("/audit").await.remove(0);
    assert_eq!(entry["at"], "2026-03-02T06:01:00.000Z");
    assert_eq!(entry["actor"], json!({ "type": "api_key", "id": salon.key_id }));
    assert_eq!((&entry["resource_type"], &entry["resource_id"]), (&json!("business"), &json!(salon.id)));
    let name = field(&entry, "name").unwrap();
    assert_eq!((&name["from"], &name["to"]), (&json!("Salon Zoé"), &json!("New")));
    let locale = field(&entry, "locale").unwrap();
    assert_eq!((&locale["from"], &locale["to"]), (&json!("en"), &json!("fr")));
    assert!(field(&entry, "timezone").is_none());
}

#[tokio::test]
async fn the_operator_is_named_without_an_id() {
    let server = Server::open().await;
    let salon = server.salon().await;
    for entry in salon.operator.all("/audit").await {
        assert_eq!(entry["actor"], json!({ "type": "operator", "id": null }), "{entry}");
    }
}

#[tokio::test]
async fn every_kind_of_change_leaves_an_entry() {
    let server = Server::open().await;
    let salon = server.salon_with(json!({ "booking_mode": "request" })).await;
    let pending = json!({ "allow_pending": true });
    let ask = async |at: &str| salon.try_book_with(&salon.cut, at, pending.clone()).await.created();
    let entries = async || salon.operator.all("/audit").await;
    let mut seen = entries().await.len();
    let mut newest = async |resource: &Value, kind: &str| {
        let all = entries().await;
        assert!(all.len() > seen, "the change to {kind} added no entry");
        let fresh = &all[..all.len() - seen];
        seen = all.len();
        let entry =
            fresh.iter().find(|entry| entry["resource_id"] == *resource).expect("the record has no entry");
        assert_eq!(entry["resource_type"], kind);
        entry["action"].as_str().unwrap().to_owned()
    };
    let booked = ask("2026-03-03T09:00:00Z").await;
    let mut actions = vec![newest(&booked["id"], "appointment").await];
    let path = format!("/appointments/{}", booked["id"].as_str().unwrap());
    salon.operator.call("POST", &format!("{path}/confirm")).await.is(200);
    actions.push(newest(&booked["id"], "appointment").await);
    let to = json!({ "starts_at": "2026-03-03T10:00:00Z", "allow_pending": true });
    salon.try_move(&booked, to).await.is(200);
    actions.push(newest(&booked["id"], "appointment").await);
    salon.operator.call("POST", &format!("{path}/decline")).await.is(200);
    actions.push(newest(&booked["id"], "appointment").await);
    let other = ask("2026-03-03T09:00:00Z").await;
    newest(&other["id"], "appointment").await;
    salon.cancel(&other).await.is(200);
    actions.push(newest(&other["id"], "appointment").await);
    let service =
        salon.operator.post("/services", &json!({ "name": "x", "duration_minutes": 5 })).await.created();
    actions.push(newest(&service["id"], "service").await);
    salon.operator.patch(&format!("/services/{}", salon.cut), &json!({ "name": "y" })).await.is(200);
    actions.push(newest(&json!(salon.cut), "service").await);
    salon.operator.patch(&format!("/staff/{}", salon.ben), &json!({ "active": false })).await.is(200);
    actions.push(newest(&json!(salon.ben), "staff").await);
    salon.operator.delete(&format!("/keys/{}", salon.key_id)).await.is(204);
    actions.push(newest(&json!(salon.key_id), "api_key").await);
    let distinct: std::collections::HashSet<_> = actions.iter().collect();
    assert_eq!(distinct.len(), actions.len(), "each entry must have its own action: {actions:?}");
}

#[tokio::test]
async fn refusals_replays_and_changes_without_effect_leave_no_entry() {
    let server = Server::open().await;
    let salon = server.salon().await;
    let booked = salon.book(&salon.cut, "2026-03-03T09:00:00Z").await;
    let name = json!({ "name": "Once" });
    let patch = || salon.api.call("PATCH", "/business").json(&name).once("k");
    patch().await.is(200);
    salon.cancel(&booked).await.is(200);
    let before = salon.operator.all("/audit").await;
    patch().await.is(200);
    salon.api.patch("/business", &name).await.is(200);
    salon.cancel(&booked).await.is(200);
    salon.try_book(&salon.cut, "2026-03-08T09:00:00Z").await.is(409);
    salon.api.patch("/business", &json!({ "name": "" })).await.is(400);
    salon
        .api
        .call("PATCH", "/business")
        .json(&json!({ "name": "x" }))
        .header("if-match", "\"x\"")
        .await
        .is(409);
    salon.api.anonymous().patch("/business", &name).await.is(401);
    assert_eq!(salon.operator.all("/audit").await, before);
}

#[tokio::test]
async fn entries_are_listed_newest_first_in_pages_for_one_business() {
    let server = Server::open().await;
    let (salon, other) = (server.salon().await, server.salon().await);
    let theirs = other.operator.all("/audit").await;
    for n in 0..5 {
        server.clock.advance(1);
        salon.api.patch("/business", &json!({ "name": format!("N{n}") })).await.is(200);
    }
    let whole = salon.operator.all("/audit").await;
    let stamps: Vec<_> = whole.iter().map(|entry| entry["at"].as_str().unwrap()).collect();
    assert!(stamps.is_sorted_by(|a, b| a >= b), "{stamps:?}");
    assert_eq!(field(&whole[0], "name").unwrap()["to"], "N4");
    for limit in 1..=4 {
        assert_eq!(ids(&salon.operator.walk("/audit", limit).await), ids(&whole));
    }
    assert_eq!(other.operator.all("/audit").await, theirs);
    salon.operator.get("/audit?actor=x").await.invalid_at(&["actor"]);
}

#[tokio::test]
async fn exports_backups_and_deletions_of_businesses_are_in_the_installations_log() {
    let server = Server::open().await;
    let salon = server.salon().await;
    salon.operator.get("/export").await.is(200);
    salon.operator.get("/export?with_secrets=true").await.is(200);
    server.operator.get("/export").await.is(200);
    let home = tempfile::tempdir().unwrap();
    let backup = server.operator.post("/backup", &json!({ "to": home.path().join("b") })).await;
    let backup = backup.is(202).body["data"]["id"].clone();
    // A refused backup adds no entry.
    server.operator.post("/backup", &json!({ "to": "here" })).await.is(400);
    server.operator.delete(&format!("/businesses/{}", salon.id)).await.is(202);
    server.operator.delete(&format!("/businesses/{}", salon.id)).await.is(404);
    let log = server.operator.all("/audit").await;
    let told: Vec<_> = log
        .iter()
        .map(|entry| {
            assert_eq!(entry["actor"], json!({ "type": "operator", "id": null }), "{entry}");
            assert_eq!(
                entry["changes"],
                json!([]),
                "an entry of the installation must not show data of a business"
            );
            // The log shows no id for an export of all businesses, so the test compares only the other ids.
            let id = if entry["resource_type"] == "export" { &Value::Null } else { &entry["resource_id"] };
            [&entry["action"], &entry["resource_type"], id].map(Clone::clone)
        })
        .collect();
    let of_salon = |action: &str| [json!(action), json!("business"), json!(salon.id)];
    assert_eq!(
        told,
        [
            of_salon("business.ended"),
            [json!("backup.begun"), json!("backup"), backup],
            [json!("installation.exported"), json!("export"), Value::Null],
            of_salon("business.exported_with_secrets"),
            of_salon("business.exported"),
        ]
    );
}
