//! Tests of `POST /contacts` and `GET /contacts/{contact_id}`.

use serde_json::{Value, json};
use tokio::task::JoinSet;

use crate::harness::{Server, encoded, id, of_characters, stamp};

const UNKNOWN: &str = "018f0000-0000-7000-8000-000000000000";

#[tokio::test]
async fn a_contact_with_all_properties_or_only_one_is_created_and_read_back() {
    let server = Server::open().await;
    let salon = server.salon().await;
    server.clock.set("2026-03-02T07:00:00Z");
    let whole = json!({ "name": "Zoë O'Neill", "phone": "+33612345678", "email": "zoe@example.com",
        "locale": "fr", "timezone": "Europe/Paris" });
    let answer = salon.try_contact(whole.clone()).await;
    let made = answer.created();
    for (name, value) in whole.as_object().unwrap() {
        assert_eq!(made[name], *value, "{name}");
    }
    assert_eq!(made["created_at"], stamp("2026-03-02T07:00"));
    assert_eq!(made["updated_at"], made["created_at"]);
    let path = format!("/contacts/{}", id(&made));
    let read = salon.get(&path).await;
    assert_eq!((read.data(), read.etag()), (made, answer.etag()));
    salon.api.call("GET", &path).header("if-none-match", &read.etag()).await.is(304);
    salon.api.call("HEAD", &path).await.is(200);
    for one in [json!({ "name": "A" }), json!({ "phone": "+33611111111" }), json!({ "email": "a@b" })] {
        let made = salon.contact(one.clone()).await;
        for name in ["name", "phone", "email", "locale", "timezone"] {
            assert_eq!(made[name], *one.get(name).unwrap_or(&Value::Null), "{name}");
        }
    }
}

#[tokio::test]
async fn a_contact_needs_a_name_a_phone_or_an_email() {
    let server = Server::open().await;
    let salon = server.salon().await;
    for body in [
        json!({}),
        json!({ "locale": "fr", "timezone": "Europe/Paris" }),
        json!({ "name": null, "phone": null, "email": null }),
    ] {
        salon.try_contact(body).await.fails(400, "invalid_request");
    }
    let null_is_absent = json!({ "name": "A", "phone": null, "email": null, "locale": null });
    assert_eq!(salon.contact(null_is_absent).await["phone"], Value::Null);
    assert_eq!(salon.api.all("/contacts").await.len(), 1);
}

#[tokio::test]
async fn every_property_has_its_rule() {
    let server = Server::open().await;
    let salon = server.salon().await;
    let long = format!("{}@example.com", "a".repeat(243));
    for (body, paths) in [
        (json!({ "name": "" }), &["name"][..]),
        (json!({ "name": " \t\u{a0}" }), &["name"]),
        (json!({ "name": "é".repeat(201) }), &["name"]),
        (json!({ "name": "a\0b" }), &["name"]),
        (json!({ "name": 7 }), &["name"]),
        (json!({ "phone": "call me" }), &["phone"]),
        (json!({ "phone": "12" }), &["phone"]),
        (json!({ "phone": "+1234567890123456789" }), &["phone"]),
        (json!({ "phone": 4_155_552_671_u64 }), &["phone"]),
        (json!({ "email": "zoe" }), &["email"]),
        (json!({ "email": "zoe@" }), &["email"]),
        (json!({ "email": "z oe@example.com" }), &["email"]),
        (json!({ "email": long }), &["email"]),
        (json!({ "name": "A", "locale": "de" }), &["locale"]),
        (json!({ "name": "A", "locale": "FR" }), &["locale"]),
        (json!({ "name": "A", "timezone": "Paris" }), &["timezone"]),
        (json!({ "name": "A", "timezone": "" }), &["timezone"]),
        (json!({ "name": "A", "id": UNKNOWN }), &["id"]),
        (
            json!({ "name": "", "phone": "x", "email": "y", "locale": "z", "timezone": "?" }),
            &["name", "phone", "email", "locale", "timezone"],
        ),
    ] {
        salon.try_contact(body).await.invalid_at(paths);
    }
    let twice = salon.api.call("POST", "/contacts").bytes(r#"{"name":"A","name":"B"}"#).await;
    twice.invalid_at(&["name"]);
    assert!(salon.api.all("/contacts").await.is_empty());
    let at_the_bound = json!({ "name": "é".repeat(200), "email": long[1..] });
    assert_eq!(salon.contact(at_the_bound).await["email"], long[1..]);
}

#[tokio::test]
async fn phone_numbers_are_read_in_the_region_of_the_business_and_stored_as_e164() {
    let server = Server::open().await;
    for (region, written, kept) in [
        ("US", "(415) 555-2671", "+14155552671"),
        ("FR", "01 42 68 53 00", "+33142685300"),
        ("FR", "00 33 1.42.68.53.00", "+33142685300"),
        ("GB", "020 7946 0018", "+442079460018"),
        ("DE", "+81 3-3213-1111", "+81332131111"),
    ] {
        let salon = server.salon_with(json!({ "phone_region": region })).await;
        assert_eq!(salon.contact(json!({ "phone": written })).await["phone"], kept, "{region} {written}");
        salon.try_contact(json!({ "phone": kept })).await.fails(409, "conflict");
    }
}

#[tokio::test]
async fn emails_are_stored_in_lower_case() {
    let server = Server::open().await;
    let salon = server.salon().await;
    let made = salon.contact(json!({ "email": "Zoe.O@EXAMPLE.com" })).await;
    assert_eq!(made["email"], "zoe.o@example.com");
}

#[tokio::test]
async fn a_phone_or_email_of_another_contact_is_a_conflict_that_names_that_contact() {
    let server = Server::open().await;
    let salon = server.salon_with(json!({ "phone_region": "FR" })).await;
    let phoned = salon.contact(json!({ "phone": "+33612345678" })).await;
    let mailed = salon.contact(json!({ "email": "zoe@example.com" })).await;
    let (p, m) = (id(&phoned), id(&mailed));
    for (body, expected) in [
        (json!({ "phone": "06 12 34 56 78" }), vec![("phone", p)]),
        (json!({ "email": "ZOE@example.COM", "phone": "+33611111111" }), vec![("email", m)]),
        (json!({ "email": "zoe@example.com", "phone": "+33612345678" }), vec![("phone", p), ("email", m)]),
    ] {
        let refused = salon.try_contact(body).await;
        refused.fails(409, "conflict");
        let details = refused.body["error"]["details"].as_array().unwrap();
        assert_eq!(details.len(), expected.len(), "{refused}");
        for (detail, (path, other)) in details.iter().zip(expected) {
            assert_eq!(detail["path"], path);
            assert!(detail["message"].as_str().unwrap().contains(other), "{refused}");
        }
    }
    assert_eq!(salon.api.all("/contacts").await.len(), 2);
    salon.contact(json!({ "name": "Zoé" })).await;
    salon.contact(json!({ "name": "Zoé" })).await;
}

#[tokio::test]
async fn under_one_idempotency_key_a_contact_is_created_once() {
    let server = Server::open().await;
    let salon = server.salon().await;
    let body = json!({ "name": "Zoé 👩‍👩‍👧", "phone": "+33612345678" });
    let send = async |body: &Value, key: &str| salon.api.call("POST", "/contacts").json(body).once(key).await;
    let first = send(&body, "k").await;
    let again = send(&body, "k").await;
    assert_eq!((again.is(201).header("idempotent-replayed"), &again.bytes), ("true", &first.bytes));
    send(&json!({ "name": "B" }), "k").await.fails(422, "idempotency_key_reused");
    send(&body, "l").await.fails(409, "conflict");
    salon.patch_contact(&first.created(), json!({ "phone": null })).await;
    assert_eq!(
        send(&body, "k").await.bytes,
        first.bytes,
        "the repeated request must return the first response"
    );
    send(&body, "l").await.created();
    assert_eq!(salon.api.all("/contacts").await.len(), 2);
}

#[tokio::test]
async fn the_contact_of_a_booking_is_listed() {
    let server = Server::open().await;
    let salon = server.salon().await;
    let booked = salon.book(&salon.cut, "2026-03-03T09:00:00Z").await;
    let listed = salon.api.all("/contacts").await;
    assert_eq!((listed.len(), id(&listed[0])), (1, booked["contact_id"].as_str().unwrap()));
    assert_eq!(listed[0]["phone"], booked["contact_phone"]);
}

#[tokio::test]
async fn a_contact_of_another_business_is_not_found() {
    let server = Server::open().await;
    let (salon, other) = (server.salon().await, server.salon().await);
    let body = json!({ "name": "Zoé", "phone": "+33612345678", "email": "zoe@example.com" });
    let theirs = other.contact(body.clone()).await;
    let unknown = salon.get(&format!("/contacts/{UNKNOWN}")).await;
    let foreign = salon.get(&format!("/contacts/{}", id(&theirs))).await;
    assert_eq!(foreign.fails(404, "not_found").body, unknown.body);
    assert_eq!(salon.get("/contacts/none").await.body, unknown.body);
    salon.try_patch_contact(&theirs, json!({ "name": "B" })).await.fails(404, "not_found");
    assert!(salon.api.all("/contacts").await.is_empty());
    assert!(salon.api.all("/contacts?phone=%2B33612345678").await.is_empty());
    assert!(salon.api.all("/contacts?email=zoe@example.com").await.is_empty());
    assert!(salon.api.all("/contacts?q=zo").await.is_empty());
    let mine = salon.contact(body).await;
    assert_ne!(id(&mine), id(&theirs));
    assert_eq!(other.api.all("/contacts").await, [theirs]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_32_requests_with_the_same_number_one_creates_the_contact() {
    let server = Server::open().await;
    let salon = server.salon().await;
    let mut tasks = JoinSet::new();
    for number in 0..32 {
        let salon = salon.clone();
        let body = json!({ "name": format!("N{number}"), "phone": "+33612345678" });
        tasks.spawn(async move {
            if number % 2 == 0 {
                return salon.try_contact(body).await;
            }
            salon.try_call(json!({ "from_number": body["phone"], "contact_name": body["name"] })).await
        });
    }
    let answers = tasks.join_all().await;
    let contacts = salon.api.all("/contacts").await;
    let [only] = &contacts[..] else { panic!("{contacts:?}") };
    for answer in answers {
        match answer.status {
            201 if answer.data().get("direction").is_some() => {
                let call = answer.data();
                assert_eq!((&call["contact_id"], &call["contact_name"]), (&only["id"], &only["name"]));
            }
            201 => assert_eq!(answer.data(), *only),
            _ => {
                answer.fails(409, "conflict");
            }
        }
    }
}

#[tokio::test]
async fn names_in_every_script_are_returned_byte_for_byte() {
    let server = Server::open().await;
    let salon = server.salon().await;
    for name in of_characters(200) {
        let made = salon.contact(json!({ "name": name })).await;
        assert_eq!(made["name"], name);
        assert_eq!(salon.get(&format!("/contacts/{}", id(&made))).await.data(), made);
        let found = salon.api.all(&format!("/contacts?q={}", encoded(&name))).await;
        assert_eq!(found, [made]);
        salon.try_contact(json!({ "name": format!("{name}x") })).await.invalid_at(&["name"]);
    }
}
