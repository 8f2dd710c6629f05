//! Tests of `GET /contacts?search=` and `GET /search` of the operator API.

use serde_json::{Value, json};

use crate::harness::{Salon, Server, encoded, id, ids, pick};

async fn some(salon: &Salon) -> Vec<Value> {
    let mut made = Vec::new();
    for body in [
        json!({ "name": "Zoé Lefèvre", "phone": "+33612345678", "email": "zoe.l@example.com" }),
        json!({ "name": "Conan O’Neill", "phone": "+447946001800" }),
        json!({ "name": "Jean-Pierre Lefebvre", "email": "jp@salon-lefevre.example" }),
        json!({ "phone": "+33698765432" }),
        json!({ "name": "ＦＩＮＮ ﬁsher" }),
    ] {
        let made_by = salon.operator.post("/contacts", &body).await;
        made.push(made_by.is(201).data());
    }
    made
}

fn searched(words: &str) -> String {
    format!("/contacts?search={}", encoded(words))
}

#[tokio::test]
async fn contacts_are_found_by_words_of_name_phone_and_email() {
    let server = Server::open().await;
    let salon = server.salon().await;
    let made = some(&salon).await;
    for (words, kept) in [
        ("lefevre", &[2, 0][..]),
        ("LEFÈVRE zoe", &[0]),
        ("oneill", &[1]),
        ("o'neill", &[1]),
        ("neill conan", &[1]),
        ("pierre", &[2]),
        ("efevre", &[]),
        ("06 12 34", &[0]),
        ("+33 6", &[3, 0]),
        ("07946", &[1]),
        ("5432", &[3]),
        ("zoe 061", &[0]),
        ("zoe 069", &[]),
        ("example", &[2, 0]),
        ("zoe.l@", &[0]),
        ("finn fish", &[4]),
        ("&", &[]),
    ] {
        let expected = pick(&made, kept);
        for limit in [1, 2, 100] {
            assert_eq!(salon.operator.walk(&searched(words), limit).await, expected, "{words}, {limit}");
        }
    }
    let both = format!("{}&email=zoe.l%40example.com", searched("lefevre"));
    assert_eq!(salon.operator.all(&both).await, pick(&made, &[0]));
    let both = format!("{}&updated_since=2026-01-01T00:00:00Z", searched("lefevre"));
    assert_eq!(salon.operator.all(&both).await, pick(&made, &[0, 2]));
    salon.operator.get("/contacts?search=a&q=a").await.invalid_at(&["search"]);
    for text in ["", "%20", &"x".repeat(201)] {
        salon.operator.get(&format!("/contacts?search={text}")).await.invalid_at(&["search"]);
    }
    let page = salon.operator.get(&format!("{}&limit=1", searched("lefevre"))).await;
    let cursor = page.body["next_cursor"].as_str().unwrap().to_owned();
    let other = format!("{}&limit=1&cursor={cursor}", searched("zoe"));
    salon.operator.get(&other).await.invalid_at(&["cursor"]);
    // The public API has no parameter `search`, and its parameter `q` distinguishes accents.
    salon.get("/contacts?search=zoe").await.invalid_at(&["search"]);
    assert!(salon.api.all("/contacts?q=lefevre").await.is_empty());
    assert_eq!(salon.api.all(&format!("/contacts?q={}", encoded("LEFÈ"))).await.len(), 1);
}

#[tokio::test]
async fn a_changed_or_erased_contact_is_found_by_its_present_name_only() {
    let server = Server::open().await;
    let salon = server.salon().await;
    let made = some(&salon).await;
    let path = format!("/contacts/{}", id(&made[0]));
    salon.operator.patch(&path, &json!({ "name": "Zoé Martin", "phone": null })).await.is(200);
    for (words, count) in [("lefevre", 1), ("martin", 1), ("0612", 0)] {
        assert_eq!(salon.operator.all(&searched(words)).await.len(), count, "{words}");
    }
    salon.operator.call("DELETE", &path).await.is(204);
    for words in ["martin", "zoe.l"] {
        assert!(salon.operator.all(&searched(words)).await.is_empty(), "{words}");
        let found = salon.operator.get(&format!("/search?q={words}")).await;
        assert_eq!(found.data(), json!([]), "{words}");
    }
}

#[tokio::test]
async fn the_search_finds_contacts_appointments_calls_and_messages() {
    let server = Server::open().await;
    let (salon, other) = (server.salon().await, server.salon().await);
    let booking = json!({ "contact": { "name": "Zoé Lefèvre", "phone": "+33612345678" } });
    let booking = salon.booking(&salon.cut, "2026-03-03T09:00:00Z", booking);
    let booked = salon.operator.post("/appointments", &booking).await.is(201).data();
    let call = salon
        .record_call(json!({ "from_number": "+33612345678", "started_at": "2026-03-02T07:00:00Z",
        "ended_at": "2026-03-02T07:01:00Z" }))
        .await;
    let message = json!({ "body": "Lefebvre", "caller_name": "Mme Lefèvre", "caller_phone": "+33687654321" });
    let message = salon.operator.post("/messages", &message).await.is(201).data();
    let found = salon.operator.get("/search?q=LEFEVRE").await;
    assert_eq!((&found.body["has_more"], &found.body["next_cursor"]), (&json!(false), &json!(null)));
    let contact = json!({ "kind": "contact", "id": booked["contact_id"], "title": "Zoé Lefèvre",
        "subtitle": "+33612345678", "at": null });
    let appointment = json!({ "kind": "appointment", "id": booked["id"], "title": "Zoé Lefèvre",
        "subtitle": format!("{} · {}", booked["service_name"].as_str().unwrap(),
            booked["staff_name"].as_str().unwrap()), "at": booked["starts_at"] });
    let call = json!({ "kind": "call", "id": call["id"], "title": "Zoé Lefèvre", "subtitle": "+33612345678",
        "at": call["started_at"] });
    let message = json!({ "kind": "message", "id": message["id"], "title": "Mme Lefèvre",
        "subtitle": "+33687654321", "at": message["created_at"] });
    assert_eq!(found.data(), json!([contact, appointment, call, message]));
    let found = salon.operator.get("/search?q=0687").await.data();
    assert_eq!(ids(found.as_array().unwrap()), ids(&[message]));
    // A search does not read the texts of messages, and finds no records of other businesses.
    assert_eq!(salon.operator.get("/search?q=lefebvre").await.data(), json!([]));
    assert_eq!(other.operator.get("/search?q=lefevre").await.data(), json!([]));
    for query in ["", "?q=", "?q=%20", "?q=a&limit=5"] {
        salon.operator.get(&format!("/search{query}")).await.is(400);
    }
}
