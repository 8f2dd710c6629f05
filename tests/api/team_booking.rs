//! Bookings and moves by the team.

use serde_json::json;

use crate::harness::{Server, id};

const AT: &str = "2026-03-03T09:00:00Z";

#[tokio::test]
async fn a_name_alone_is_always_a_new_contact() {
    let server = Server::open().await;
    let salon = server.salon().await;
    let book = async |at: &str, contact| {
        let body = salon.booking(&salon.cut, at, json!({ "contact": contact }));
        salon.operator.post("/appointments", &body).await
    };
    let first = book(AT, json!({ "name": "Zoé Martin" })).await.created();
    let second = book("2026-03-03T10:00:00Z", json!({ "name": "Zoé Martin", "locale": "fr" })).await.created();
    assert_ne!(first["contact_id"], second["contact_id"]);
    let contact = salon.operator.get(&format!("/contacts/{}", first["contact_id"].as_str().unwrap())).await;
    assert_eq!(contact.data()["name"], "Zoé Martin");
    assert_eq!((&contact.data()["phone"], &contact.data()["email"]), (&json!(null), &json!(null)));
    assert_eq!(salon.operator.all("/contacts").await.len(), 2);
    let created = salon.operator.all("/audit").await;
    assert_eq!(created.iter().filter(|entry| entry["action"] == "contact.created").count(), 2);
    for bad in [json!({}), json!({ "name": null }), json!({ "locale": "fr" })] {
        book("2026-03-03T11:00:00Z", bad).await.invalid_at(&["contact"]);
    }
    // Integrations must still name a phone number or an email address.
    let more = json!({ "contact": { "name": "Zoé Martin" } });
    salon.try_book_with(&salon.cut, "2026-03-03T11:00:00Z", more).await.invalid_at(&["contact"]);
    let named = json!({ "name": "Other", "phone": "+33612345678" });
    let known = book("2026-03-03T11:00:00Z", named.clone()).await.created();
    let again = book("2026-03-03T12:00:00Z", named).await.created();
    assert_eq!(known["contact_id"], again["contact_id"]);
    assert_ne!(id(&known), id(&again));
}
