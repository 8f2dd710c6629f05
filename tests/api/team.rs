//! Tests that the operator API shows the same records as the public API, and can change them in every booking
//! mode and while the business is suspended. Other tests cover knowledge entries and the deletion of unused
//! records.

use serde_json::{Value, json};

use crate::harness::{Server, for_the_team, id, ids};

const AT: &str = "2026-03-03T09:00:00Z";

#[tokio::test]
async fn the_operator_reads_the_same_records_as_integrations_even_during_a_suspension() {
    let server = Server::open().await;
    let salon = server.salon().await;
    let booked = salon.book(&salon.cut, AT).await;
    let call = salon.record_call(json!({ "outcome": "spam" })).await;
    salon.message(json!({ "body": "Please call back." })).await;
    let lists = [
        "/appointments?status=confirmed&from=2026-03-03T00:00:00Z",
        "/appointments?updated_since=2020-01-01T00:00:00Z",
        "/contacts?q=zo",
        "/calls?outcome=spam",
        "/messages?status=new",
    ];
    let open = format!("/availability?service_id={}&start_date=2026-03-03", salon.cut);
    let mut before = Vec::new();
    for path in lists.iter().copied().chain([open.as_str()]) {
        let seen = salon.api.all(path).await;
        assert!(!seen.is_empty(), "{path}");
        let team_sees: Vec<_> = match path.starts_with("/availability") {
            true => seen,
            false => seen.into_iter().map(for_the_team).collect(),
        };
        assert_eq!(salon.operator.all(path).await, team_sees, "{path}");
        before.push((path, team_sees));
    }
    let one = format!("/appointments/{}", id(&booked));
    let answer = salon.operator.get(&one).await;
    assert_eq!(answer.data(), for_the_team(booked));
    assert_ne!(answer.etag(), salon.get(&one).await.etag());
    salon.operator.call("GET", &one).header("if-none-match", &answer.etag()).await.is(304);
    assert_eq!(salon.operator.get(&format!("/calls/{}", id(&call))).await.data(), for_the_team(call));
    salon.set(json!({ "suspended": true })).await;
    salon.get("/appointments").await.fails(403, "forbidden");
    for (path, seen) in before {
        assert_eq!(salon.operator.all(path).await, seen, "{path}");
    }
    salon.operator.get(&format!("{open}&limit=1&cursor=x")).await.invalid_at(&["cursor"]);
    salon.operator.get("/calls?sort=asc").await.invalid_at(&["sort"]);
}

#[tokio::test]
async fn the_operator_can_create_contacts_and_endpoints() {
    let server = Server::open().await;
    let salon = server.salon().await;
    salon.set(json!({ "suspended": true })).await;
    let made = salon.operator.post("/contacts", &json!({ "phone": "(415) 555-2671" })).await.created();
    assert_eq!(made["phone"], "+14155552671");
    let path = format!("/contacts/{}", id(&made));
    let renamed = salon.operator.patch(&path, &json!({ "name": "Zoé" })).await.data();
    let mut seen = salon.operator.get(&path).await.data();
    seen.as_object_mut().unwrap().remove("visits").unwrap();
    assert_eq!(seen, renamed);
    salon.operator.post("/contacts", &json!({ "phone": "+14155552671" })).await.fails(409, "conflict");
    salon.operator.patch(&path, &json!({ "name": null, "phone": null })).await.fails(400, "invalid_request");
    let body = json!({ "url": "https://a.example.com/hook", "events": ["call.completed"] });
    let hook = salon.operator.post("/webhooks", &body).await.created();
    assert!(hook["secret"].as_str().unwrap().starts_with("whsec_"));
    salon
        .operator
        .post("/webhooks", &json!({ "url": "http://a.example.com", "events": [] }))
        .await
        .invalid_at(&["url", "events"]);
    let path = format!("/webhooks/{}", id(&hook));
    assert!(salon.operator.get(&path).await.data().get("secret").is_none());
    salon.operator.delete(&path).await.is(204);
    salon.operator.get(&path).await.fails(404, "not_found");
    let actions: Vec<Value> = salon.operator.all("/audit").await;
    let by_operator = |action: &str| {
        actions.iter().any(|entry| entry["action"] == action && entry["actor"]["type"] == "operator")
    };
    for action in ["contact.created", "contact.updated", "webhook.created", "webhook.deleted"] {
        assert!(by_operator(action), "{action}: {actions:?}");
    }
}

#[tokio::test]
async fn knowledge_is_listed_changed_and_removed() {
    let mut server = Server::open().await;
    let mut salon = server.salon().await;
    let long = "é".repeat(50_000);
    let add = async |title: &str, content: &str| {
        salon.operator.post("/knowledge", &json!({ "title": title, "content": content })).await.created()
    };
    let (first, second) = (add("Parking", &long).await, add("Pets", "Welcome.").await);
    assert_eq!(salon.operator.all("/knowledge").await, [first.clone(), second.clone()]);
    assert_eq!(salon.operator.walk("/knowledge", 1).await.len(), 2);
    let path = format!("/knowledge/{}", id(&first));
    let tag = salon.operator.get(&path).await.etag();
    server.clock.set("2026-03-02T07:00:00Z");
    let shorter = json!({ "content": "Behind the house.", "locale": "en" });
    let changed = salon.operator.call("PATCH", &path).json(&shorter).header("if-match", &tag).await.data();
    assert_eq!((&changed["title"], &changed["content"]), (&json!("Parking"), &shorter["content"]));
    assert_eq!(
        (&changed["created_at"], &changed["updated_at"]),
        (&first["created_at"], &json!("2026-03-02T07:00:00.000Z"))
    );
    salon
        .operator
        .call("PATCH", &path)
        .json(&json!({ "title": "x" }))
        .header("if-match", &tag)
        .await
        .fails(409, "conflict");
    for (body, at) in [
        (json!({}), ""),
        (json!({ "title": " " }), "title"),
        (json!({ "content": null }), "content"),
        (json!({ "locale": "de" }), "locale"),
        (json!({ "id": 1 }), "id"),
    ] {
        let refused = salon.operator.patch(&path, &body).await;
        refused.fails(400, "invalid_request");
        assert!(at.is_empty() || crate::harness::paths(&refused).contains(&at.to_owned()), "{refused}");
    }
    assert_eq!(
        salon.operator.patch(&path, &shorter).await.data(),
        changed,
        "a repeated change must change nothing"
    );
    // If the content is long, the audit log records only its length.
    let entry = salon.operator.get("/audit?limit=1").await.list().remove(0);
    assert_eq!(entry["action"], "knowledge.updated");
    let content =
        entry["changes"].as_array().unwrap().iter().find(|change| change["field"] == "content").unwrap();
    assert_eq!((&content["from"], &content["to"]), (&json!("50000 characters"), &json!("17 characters")));
    // The content becomes long, and then short again. The rows of the long content are deleted, and the
    // budget counts only the bytes that are still stored.
    salon.operator.patch(&path, &json!({ "content": long })).await.is(200);
    salon.operator.patch(&path, &shorter).await.is(200);
    let used =
        async |salon: &crate::harness::Salon| salon.operator.get("/budget").await.data()["knowledge"].clone();
    assert_eq!(used(&salon).await["rows"], 2);
    assert!(used(&salon).await["bytes"].as_u64().unwrap() < 1_000);
    server.restart().await;
    salon = salon.again(&server);
    assert_eq!(salon.operator.get(&path).await.data()["content"], shorter["content"]);
    salon.operator.call("DELETE", &path).await.is(204);
    salon.operator.call("DELETE", &path).await.fails(404, "not_found");
    salon.operator.patch(&path, &shorter).await.fails(404, "not_found");
    assert_eq!(salon.operator.all("/knowledge").await, [second]);
    assert_eq!(used(&salon).await["rows"], 1);
}

#[tokio::test]
async fn a_service_or_staff_member_is_deleted_only_when_nothing_refers_to_it() {
    let mut server = Server::open().await;
    let mut salon = server.salon().await;
    let service = |id: &str| format!("/services/{id}");
    let member = |id: &str| format!("/staff/{id}");
    // The service cannot be deleted, because a staff member offers it.
    let refused = salon.operator.delete(&service(&salon.colour)).await;
    refused.fails(409, "conflict").says("inactive");
    let new =
        salon.operator.post("/services", &json!({ "name": "Beard", "duration_minutes": 30 })).await.created();
    salon.operator.delete(&service(id(&new))).await.is(204);
    salon.operator.delete(&service(id(&new))).await.fails(404, "not_found");
    assert!(!ids(&salon.operator.all("/services").await).contains(&id(&new).to_owned()));
    // Even if the staff member who offers the service is inactive, the service cannot be deleted.
    salon.operator.patch(&member(&salon.anna), &json!({ "active": false })).await.is(200);
    salon.operator.delete(&service(&salon.colour)).await.fails(409, "conflict");
    salon.operator.patch(&member(&salon.anna), &json!({ "active": true })).await.is(200);
    // A cancelled appointment still refers to the service, even when no staff member offers the service.
    let booked = salon.book_with(&salon.colour, &salon.anna, AT).await;
    salon.cancel(&booked).await.is(200);
    salon.operator.patch(&member(&salon.anna), &json!({ "service_ids": [salon.cut] })).await.is(200);
    let refused = salon.operator.delete(&service(&salon.colour)).await;
    refused.fails(409, "conflict");
    assert!(
        refused.body["error"]["details"][0]["message"].as_str().unwrap().contains(id(&booked)),
        "{refused}"
    );
    salon.operator.delete(&member(&salon.anna)).await.fails(409, "conflict");
    // The staff member cannot be deleted, because a message refers to them.
    salon.message(json!({ "staff_id": salon.ben })).await;
    salon.operator.delete(&member(&salon.ben)).await.fails(409, "conflict");
    // Ben is the last staff member who offers the massage. When Ben no longer offers the massage, the
    // service can be deleted.
    salon.operator.patch(&member(&salon.ben), &json!({ "service_ids": [] })).await.is(200);
    salon.operator.delete(&service(&salon.massage)).await.is(204);
    salon.operator.delete(&member(&salon.chloe)).await.is(204);
    let open =
        format!("/availability?service_id={}&start_date=2026-03-04&staff_id={}", salon.cut, salon.chloe);
    salon.get(&open).await.invalid_at(&["staff_id"]);
    salon.try_book(&salon.massage, "2026-03-04T09:00:00Z").await.invalid_at(&["service_id"]);
    server.restart().await;
    salon = salon.again(&server);
    let left = |list: Vec<Value>| ids(&list);
    assert_eq!(left(salon.operator.all("/services").await), [salon.cut.clone(), salon.colour.clone()]);
    assert_eq!(left(salon.operator.all("/staff").await), [salon.anna.clone(), salon.ben.clone()]);
    assert_eq!(salon.show(&booked).await["service_name"], "Colouring");
    let used = salon.operator.get("/budget").await.data();
    assert_eq!((&used["services"]["rows"], &used["staff"]["rows"]), (&json!(2), &json!(2)));
}
