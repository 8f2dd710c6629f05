//! Tests of merges of contacts through the operator API.

use serde_json::{Value, json};

use crate::harness::{Server, id};

#[tokio::test]
async fn a_merged_contact_is_the_survivor_in_both_apis() {
    let server = Server::open().await;
    let salon = server.salon().await;
    let kept = salon.contact(json!({ "name": "Ada", "phone": "+14155552671", "email": "a@a.example" })).await;
    let gone = salon.contact(json!({ "name": "Ada K.", "phone": "+14155552672" })).await;
    let (kept, gone) = (id(&kept).to_owned(), id(&gone).to_owned());
    let booking = json!({ "service_id": salon.cut, "contact_id": gone, "starts_at": "2026-03-03T09:00:00Z" });
    let booked = salon.operator.post("/appointments", &booking).await.created();
    let call = salon.record_call(json!({ "contact_id": gone })).await;
    let message = salon.message(json!({ "contact_id": gone })).await;
    server.clock.advance(5);
    let merge = json!({ "from": gone, "phone": "(415) 555-2672", "email": null });
    let merged = salon.operator.post(&format!("/contacts/{kept}/merge"), &merge).await.data();
    assert_eq!((&merged["id"], &merged["phone"]), (&json!(kept), &json!("+14155552672")));
    assert_eq!((&merged["name"], &merged["email"]), (&json!("Ada"), &json!(null)));
    assert_eq!(merged["notes"], "Ada K.\n+14155552671\na@a.example");
    for id_of_either in [&kept, &gone] {
        assert_eq!(salon.get(&format!("/contacts/{id_of_either}")).await.data()["id"], kept);
        for (list, record) in [("appointments", &booked), ("calls", &call), ("messages", &message)] {
            let found = salon.api.all(&format!("/{list}?contact_id={id_of_either}")).await;
            assert_eq!(found.len(), 1, "{list}");
            assert_eq!((id(&found[0]), &found[0]["contact_id"]), (id(record), &json!(kept)), "{list}");
            assert_eq!(found[0]["updated_at"], record["updated_at"], "{list}");
        }
    }
    let contacts = salon.api.all("/contacts").await;
    assert!(contacts.iter().all(|contact| id(contact) != gone), "{contacts:?}");
    let next = json!({ "service_id": salon.cut, "contact_id": gone, "starts_at": "2026-03-04T09:00:00Z" });
    assert_eq!(salon.api.post("/appointments", &next).await.created()["contact_id"], kept);
    let changed = salon.api.patch(&format!("/contacts/{gone}"), &json!({ "email": "new@a.example" })).await;
    assert_eq!(changed.data()["id"], kept);
    let actions: Vec<Value> = salon.operator.all("/audit").await;
    let entry = actions.iter().find(|entry| entry["action"] == "contact.merged").unwrap();
    assert_eq!((&entry["resource_id"], &entry["actor"]["type"]), (&json!(kept), &json!("operator")));
    let from = json!({ "field": "merged", "from": null, "to": gone });
    assert!(entry["changes"].as_array().unwrap().contains(&from), "{entry}");
    // The merge dropped this phone number, so a call from it belongs to no contact.
    let caller = json!({ "from_number": "+14155552671" });
    assert_ne!(salon.record_call(caller).await["contact_id"], kept);
    salon.operator.call("DELETE", &format!("/contacts/{gone}")).await.is(204);
    for id in [&kept, &gone] {
        salon.get(&format!("/contacts/{id}")).await.fails(404, "not_found");
    }
}

#[tokio::test]
async fn an_unsuitable_merge_is_refused() {
    let server = Server::open().await;
    let (salon, other) = (server.salon().await, server.salon().await);
    let kept = salon.contact(json!({ "name": "Ada", "phone": "+14155552671" })).await;
    let gone = salon.contact(json!({ "name": "Bob" })).await;
    let foreign = other.contact(json!({ "name": "Eve", "phone": "+14155552673" })).await;
    let path = format!("/contacts/{}/merge", id(&kept));
    let merge = async |body: Value| salon.operator.post(&path, &body).await;
    for (body, path) in [
        (json!({}), "from"),
        (json!({ "from": id(&kept) }), "from"),
        (json!({ "from": id(&foreign) }), "from"),
        (json!({ "from": id(&gone), "phone": "+14155552673" }), "phone"),
        (json!({ "from": id(&gone), "email": "e@e.example" }), "email"),
        (json!({ "from": id(&gone), "name": "Ada" }), "name"),
    ] {
        merge(body).await.invalid_at(&[path]);
    }
    let unknown = format!("/contacts/{}/merge", id(&foreign));
    salon.operator.post(&unknown, &json!({ "from": id(&gone) })).await.fails(404, "not_found");
    let long = json!({ "notes": "x".repeat(998) });
    salon.operator.patch(&format!("/contacts/{}", id(&kept)), &long).await.is(200);
    let refused = merge(json!({ "from": id(&gone), "phone": "+14155552671" })).await;
    assert_eq!(refused.fails(409, "conflict").body["error"]["details"][0]["path"], "notes");
    salon.operator.call("DELETE", &format!("/contacts/{}", id(&gone))).await.is(204);
    let refused = merge(json!({ "from": id(&gone) })).await;
    assert!([400, 409].contains(&refused.status), "{refused}"); // 409 until the erasure is complete
    // The public API has no route to merge contacts.
    salon.api.post(&path, &json!({ "from": id(&gone) })).await.fails(404, "not_found");
}
