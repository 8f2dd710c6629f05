//! Tests that businesses are isolated from each other.

use serde_json::json;

use crate::harness::Server;

const AT: &str = "2026-03-03T09:00:00Z";

#[tokio::test]
async fn another_businesss_appointment_is_not_found_and_not_touched() {
    let server = Server::open().await;
    let (salon, other) = (server.salon().await, server.salon().await);
    let theirs = other.book(&other.cut, AT).await;
    let path = format!("/appointments/{}", theirs["id"].as_str().unwrap());
    salon.get(&path).await.fails(404, "not_found");
    salon.api.call("GET", &path).header("if-none-match", "*").await.fails(404, "not_found");
    salon.cancel(&theirs).await.fails(404, "not_found");
    salon.try_move(&theirs, json!({ "starts_at": "2026-03-03T10:00:00Z" })).await.fails(404, "not_found");
    for verb in ["cancel", "confirm", "decline"] {
        salon.operator.call("POST", &format!("{path}/{verb}")).await.fails(404, "not_found");
    }
    salon
        .operator
        .post(&format!("{path}/reschedule"), &json!({ "starts_at": AT }))
        .await
        .fails(404, "not_found");
    assert_eq!(other.show(&theirs).await, theirs);
    assert!(salon.api.all("/appointments").await.is_empty());
}

#[tokio::test]
async fn ids_of_another_business_get_the_response_of_unknown_ids() {
    let server = Server::open().await;
    let (salon, other) = (server.salon().await, server.salon().await);
    let theirs = other.book(&other.cut, AT).await;
    let unknown = "018f0000-0000-7000-8000-000000000000";
    let path = |id: &str| format!("/appointments/{id}");
    let mine = salon.get(&path(theirs["id"].as_str().unwrap())).await;
    assert_eq!(mine.body, salon.get(&path(unknown)).await.body);
    assert_eq!(mine.body, salon.get(&path("none")).await.body);
    let book =
        async |contact: &str| salon.try_book_with(&salon.cut, AT, json!({ "contact_id": contact })).await;
    assert_eq!(book(theirs["contact_id"].as_str().unwrap()).await.body, book(unknown).await.body);
}

#[tokio::test]
async fn a_change_of_one_business_does_not_affect_another() {
    let server = Server::open().await;
    let (salon, other) = (server.salon().await, server.salon().await);
    let untouched = other.slots(&other.colour, "start_date=2026-03-03").await;
    salon.book(&salon.colour, AT).await;
    assert_eq!(other.slots(&other.colour, "start_date=2026-03-03").await, untouched);
    salon.api.patch("/business", &json!({ "name": "Mine", "hours": [] })).await.is(200);
    assert_eq!(other.get("/business").await.data()["name"], "Salon Zoé");
    assert_eq!(other.get("/services").await.list().len(), 3);
    salon.set(json!({ "suspended": true })).await;
    other.book(&other.colour, AT).await;
    let request = |salon: &crate::harness::Salon| {
        let call = salon.api.call("POST", "/appointments");
        call.json(&salon.booking(&salon.cut, AT, json!({}))).once("k")
    };
    salon.set(json!({ "suspended": false, "hours": crate::harness::week("09:00", "18:00") })).await;
    let (mine, theirs) = (request(&salon).await, request(&other).await);
    assert_ne!(mine.created()["id"], theirs.created()["id"]);
}

#[tokio::test]
async fn a_key_gives_access_only_to_its_own_business() {
    let server = Server::open().await;
    let (salon, other) = (server.salon().await, server.salon().await);
    salon.get(&format!("/business?business_id={}", other.id)).await.invalid_at(&["business_id"]);
    salon.get(&format!("/business/{}", other.id)).await.fails(404, "not_found");
    let header = salon.api.call("GET", "/business").header("x-business-id", &other.id).await;
    assert_eq!(header.data()["id"], salon.id);
}
