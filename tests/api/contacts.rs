//! Tests of the contact of a booking. The service looks for the contact by phone number, and then by email
//! address. If it finds no contact, it creates one. A booking never overwrites the data of a contact.

use serde_json::{Value, json};

use crate::harness::{Salon, Server, id, stamp};

/// Books the next free half hour for this contact. The business is open all day.
async fn book_for(salon: &Salon, contact: Value) -> Value {
    let slots = salon.slots(&salon.cut, "start_date=2026-03-03&end_date=2026-03-07").await;
    salon.try_book_with(&salon.cut, &slots[0], json!({ "contact": contact })).await.created()
}

#[tokio::test]
async fn a_contact_is_found_by_phone_however_it_is_written() {
    let server = Server::open().await;
    let salon = server.salon_with(json!({ "phone_region": "FR" })).await;
    let first = book_for(&salon, json!({ "name": "Zoé", "phone": "+33612345678" })).await;
    for phone in ["+33 6 12 34 56 78", "06 12 34 56 78", "06.12.34.56.78", "0033612345678", " +33612345678 "]
    {
        let again = book_for(&salon, json!({ "phone": phone })).await;
        assert_eq!(again["contact_id"], first["contact_id"], "{phone}");
        assert_eq!(
            (&again["contact_name"], &again["contact_phone"]),
            (&json!("Zoé"), &json!("+33612345678"))
        );
    }
    let other = book_for(&salon, json!({ "phone": "+33612345679" })).await;
    assert_ne!(other["contact_id"], first["contact_id"]);
    assert_eq!(other["contact_name"], Value::Null);
}

#[tokio::test]
async fn a_national_number_is_read_in_the_region_of_the_business() {
    let server = Server::open().await;
    for (region, national, e164) in [
        ("US", "(415) 555-2671", "+14155552671"),
        ("FR", "01 42 68 53 00", "+33142685300"),
        ("GB", "020 7946 0018", "+442079460018"),
        ("DE", "030 901820", "+4930901820"),
    ] {
        let salon = server.salon_with(json!({ "phone_region": region })).await;
        let booked = book_for(&salon, json!({ "phone": national })).await;
        assert_eq!(booked["contact_phone"], e164, "{region}");
        let abroad = book_for(&salon, json!({ "phone": "+81 3-3213-1111" })).await;
        assert_eq!(abroad["contact_phone"], "+81332131111");
    }
    let salon = server.salon().await;
    assert_eq!(book_for(&salon, json!({ "phone": "415 555 2671" })).await["contact_phone"], "+14155552671");
    salon.set(json!({ "phone_region": "FR" })).await;
    assert_eq!(book_for(&salon, json!({ "phone": "0142685300" })).await["contact_phone"], "+33142685300");
}

#[tokio::test]
async fn invalid_phones_emails_zones_and_languages_are_refused() {
    let server = Server::open().await;
    let salon = server.salon().await;
    let long = format!("{}@example.com", "a".repeat(243));
    for (contact, path) in [
        (json!({ "phone": "" }), "contact.phone"),
        (json!({ "phone": "call me" }), "contact.phone"),
        (json!({ "phone": "+" }), "contact.phone"),
        (json!({ "phone": "12" }), "contact.phone"),
        (json!({ "phone": "+1234567890123456789" }), "contact.phone"),
        (json!({ "phone": "1".repeat(10_000) }), "contact.phone"),
        (json!({ "email": "" }), "contact.email"),
        (json!({ "email": "zoe" }), "contact.email"),
        (json!({ "email": "@example.com" }), "contact.email"),
        (json!({ "email": "zoe@" }), "contact.email"),
        (json!({ "email": "zoe @example.com" }), "contact.email"),
        (json!({ "email": long }), "contact.email"),
        (json!({ "email": "z@example.com", "locale": "de" }), "contact.locale"),
        (json!({ "email": "z@example.com", "timezone": "Paris" }), "contact.timezone"),
        (json!({ "email": "z@example.com", "name": "" }), "contact.name"),
        (json!({ "email": "z@example.com", "name": "  " }), "contact.name"),
        (json!({ "email": "z@example.com", "name": "x".repeat(201) }), "contact.name"),
        (json!({ "email": "z@example.com", "id": salon.id }), "contact.id"),
    ] {
        let more = json!({ "contact": contact });
        salon.try_book_with(&salon.cut, "2026-03-03T09:00:00Z", more).await.invalid_at(&[path]);
    }
    assert_eq!(long.len(), 255);
    let fits =
        json!({ "email": long[1..], "name": "é".repeat(200), "locale": "fr", "timezone": "Europe/Paris" });
    book_for(&salon, fits).await;
}

#[tokio::test]
async fn a_contact_is_found_by_email_in_any_case() {
    let server = Server::open().await;
    let salon = server.salon().await;
    let first = book_for(&salon, json!({ "name": "Zoé", "email": "Zoe@Example.com" })).await;
    assert_eq!(first["contact_phone"], Value::Null);
    for contact in [
        json!({ "email": "zoe@example.com", "name": "Someone Else" }),
        json!({ "email": "ZOE@EXAMPLE.COM", "phone": "+33611111111", "locale": "fr" }),
    ] {
        let again = book_for(&salon, contact).await;
        assert_eq!(again["contact_id"], first["contact_id"]);
        assert_eq!((&again["contact_name"], &again["contact_phone"]), (&json!("Zoé"), &Value::Null));
    }
}

#[tokio::test]
async fn the_phone_number_takes_precedence_over_the_email() {
    let server = Server::open().await;
    let salon = server.salon().await;
    let by_phone = book_for(&salon, json!({ "name": "A", "phone": "+33611111111" })).await;
    let by_email = book_for(&salon, json!({ "name": "B", "email": "b@example.com" })).await;
    let both = json!({ "name": "C", "phone": "+33611111111", "email": "b@example.com" });
    assert_eq!(book_for(&salon, both).await["contact_id"], by_phone["contact_id"]);
    let unknown_phone = json!({ "phone": "+33622222222", "email": "b@example.com" });
    assert_eq!(book_for(&salon, unknown_phone).await["contact_id"], by_email["contact_id"]);
    assert_eq!(salon.show(&by_phone).await, by_phone);
    assert_eq!(salon.show(&by_email).await, by_email);
    let fresh = book_for(&salon, json!({ "phone": "+33622222222" })).await;
    assert_ne!(
        fresh["contact_id"], by_email["contact_id"],
        "the booking must not add the phone number to contact B"
    );
}

#[tokio::test]
async fn a_known_contact_can_be_named_by_id() {
    let server = Server::open().await;
    let salon = server.salon().await;
    let first = salon.book(&salon.cut, "2026-03-03T09:00:00Z").await;
    let more = json!({ "contact_id": first["contact_id"] });
    let second = salon.try_book_with(&salon.cut, "2026-03-03T10:00:00Z", more).await.created();
    assert_eq!(second["contact_name"], first["contact_name"]);
    assert_eq!(second["contact_id"], first["contact_id"]);
}

#[tokio::test]
async fn a_refused_booking_creates_no_contact() {
    let server = Server::open().await;
    let salon = server.salon().await;
    let more = json!({ "contact": { "name": "Nobody", "phone": "+33611111111" } });
    salon.try_book_with(&salon.cut, "2026-03-08T09:00:00Z", more).await.fails(409, "slot_unavailable");
    let booked = book_for(&salon, json!({ "name": "Somebody", "phone": "+33611111111" })).await;
    assert_eq!(booked["contact_name"], "Somebody");
}

#[tokio::test]
async fn contacts_of_two_businesses_are_two_contacts() {
    let server = Server::open().await;
    let (salon, other) = (server.salon().await, server.salon().await);
    let mine = salon.book(&salon.cut, "2026-03-03T09:00:00Z").await;
    let theirs = other.book(&other.cut, "2026-03-03T09:00:00Z").await;
    assert_ne!(mine["contact_id"], theirs["contact_id"]);
    assert_eq!(mine["starts_at"], stamp("2026-03-03T09:00"));
}

#[tokio::test]
async fn the_consent_that_a_contact_shows_can_be_sent_back() {
    let server = Server::open().await;
    let salon = server.salon().await;
    let put = async |contact: &Value, body: Value| {
        salon.operator.call("PUT", &format!("/contacts/{}/consent", id(contact))).json(&body).await
    };
    let mailed = salon.contact(json!({ "email": "zoe@example.com" })).await;
    let shown = salon.operator.get(&format!("/contacts/{}/consent", id(&mailed))).await.data();
    assert_eq!(shown, json!({ "email": "all", "texts": null }));
    assert_eq!(put(&mailed, shown.clone()).await.data(), shown);
    put(&mailed, json!({ "texts": "given" })).await.invalid_at(&["texts"]);
    let called = salon.contact(json!({ "phone": "+33612345678" })).await;
    put(&called, json!({ "email": "none", "texts": "given" })).await.invalid_at(&["email"]);
}
