//! Tests of `visits`, which counts the appointments of a contact.

use serde_json::json;

use crate::harness::{Server, id, merged};

#[tokio::test]
async fn a_contact_has_its_appointments_in_numbers() {
    let server = Server::open().await;
    let salon = server.salon().await;
    let contact = salon.contact(json!({ "name": "Zoé" })).await;
    let path = format!("/contacts/{}", id(&contact));
    let visits = async || salon.operator.get(&path).await.data()["visits"].clone();
    let none = json!({ "next_at": null, "last_at": null, "confirmed": 0, "cancelled": 0, "no_show": 0,
        "usual_service_id": null, "usual_staff_id": null });
    assert_eq!(visits().await, none);
    let book = async |at: &str| {
        let body = json!({ "service_id": salon.cut, "staff_id": salon.anna, "starts_at": at, "contact_id": id(&contact) });
        id(&salon.operator.post("/appointments", &body).await.created()).to_owned()
    };
    let first = book("2026-03-03T09:00:00Z").await;
    let second = book("2026-03-04T09:00:00Z").await;
    book("2026-03-05T09:00:00Z").await;
    let tag = salon.operator.get(&path).await.etag();
    salon.operator.post(&format!("/appointments/{second}/cancel"), &json!({})).await.is(200);
    server.clock.set("2026-03-03T12:00:00Z");
    let expected = merged(
        none,
        json!({ "next_at": "2026-03-05T09:00:00.000Z", "last_at": "2026-03-03T09:00:00.000Z",
        "confirmed": 2, "cancelled": 1, "usual_service_id": salon.cut, "usual_staff_id": salon.anna }),
    );
    assert_eq!(visits().await, expected);
    let missed = json!({ "attendance": "no_show" });
    salon.operator.patch(&format!("/appointments/{first}"), &missed).await.is(200);
    assert_eq!(visits().await, merged(expected, json!({ "last_at": null, "no_show": 1 })));
    // The entity tag of the contact does not depend on `visits`, so the tag is still valid.
    let answer = salon.operator.call("GET", &path).header("if-none-match", &tag).await;
    assert_eq!(answer.is(200).etag(), tag);
    let change = salon.operator.call("PATCH", &path).header("if-match", &tag).json(&json!({ "name": "Zo" }));
    change.await.is(200);
    assert_eq!(salon.operator.all("/contacts").await[0].get("visits"), None);
    assert_eq!(salon.get(&path).await.data().get("visits"), None);
}
