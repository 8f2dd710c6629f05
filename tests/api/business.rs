//! Tests of `GET` and `PATCH /business`, which show and change the profile and the opening hours.

use serde_json::{Value, json};

use crate::harness::{Server, week};

fn day(day: &str, open: &str, close: &str) -> Value {
    json!({ "day": day, "open": open, "close": close })
}

#[tokio::test]
async fn the_profile_is_shown_with_every_field() {
    let server = Server::open().await;
    let salon = server.salon().await;
    let shown = salon.get("/business").await.data();
    assert_eq!(
        shown,
        json!({
            "id": salon.id,
            "name": "Salon Zoé",
            "timezone": "Europe/Paris",
            "locale": "en",
            "website_url": null,
            "booking_mode": "instant",
            "hours": shown["hours"],
            "created_at": "2026-03-02T06:00:00.000Z",
            "updated_at": "2026-03-02T06:00:00.000Z",
        })
    );
    assert_eq!(shown["hours"].as_array().unwrap().len(), 6);
}

#[tokio::test]
async fn a_patch_changes_only_the_given_fields() {
    let server = Server::open().await;
    let salon = server.salon().await;
    let mut expected = salon.get("/business").await.data();
    for change in [
        json!({ "name": "Chez Zoé" }),
        json!({ "timezone": "America/New_York" }),
        json!({ "locale": "fr" }),
        json!({ "website_url": "https://zoe.example/salon?x=1#top" }),
        json!({ "website_url": null }),
        json!({ "hours": [day("sunday", "10:00", "12:30")] }),
        json!({ "hours": [] }),
        json!({ "name": "Z", "locale": "en", "timezone": "Asia/Kathmandu" }),
    ] {
        server.clock.advance(1);
        let answer = salon.api.patch("/business", &change).await;
        for (name, value) in change.as_object().unwrap() {
            expected[name] = value.clone();
        }
        expected["updated_at"] = answer.data()["updated_at"].clone();
        assert_eq!(answer.data(), expected);
        let shown = salon.get("/business").await;
        assert_eq!((shown.data(), shown.etag()), (expected.clone(), answer.etag()));
    }
    assert_eq!(expected["updated_at"], "2026-03-02T06:00:08.000Z");
}

#[tokio::test]
async fn a_patch_without_effect_gets_200_and_keeps_updated_at() {
    let server = Server::open().await;
    let salon = server.salon().await;
    let before = salon.get("/business").await.data();
    server.clock.advance(1);
    assert_eq!(salon.api.patch("/business", &json!({ "name": "Salon Zoé" })).await.data(), before);
}

#[tokio::test]
async fn every_bad_property_is_named() {
    let server = Server::open().await;
    let salon = server.salon().await;
    let url = |length: usize| format!("https://zoe.example/{}", "a".repeat(length - 20));
    for (body, paths) in [
        (json!({}), &[""][..]),
        (json!([]), &[""]),
        (json!("x"), &[""]),
        (json!({ "name": null }), &["name"]),
        (json!({ "name": 5 }), &["name"]),
        (json!({ "timezone": "" }), &["timezone"]),
        (json!({ "timezone": "Mars/Olympus" }), &["timezone"]),
        (json!({ "timezone": "+01:00" }), &["timezone"]),
        (json!({ "timezone": "x".repeat(81) }), &["timezone"]),
        (json!({ "timezone": null }), &["timezone"]),
        (json!({ "locale": "de" }), &["locale"]),
        (json!({ "locale": "EN" }), &["locale"]),
        (json!({ "locale": null }), &["locale"]),
        (json!({ "website_url": "" }), &["website_url"]),
        (json!({ "website_url": "zoe.example" }), &["website_url"]),
        (json!({ "website_url": "https://" }), &["website_url"]),
        (json!({ "website_url": "https://zoe example" }), &["website_url"]),
        (json!({ "website_url": url(2001) }), &["website_url"]),
        (json!({ "name": "x", "booking_mode": "off" }), &["booking_mode"]),
        (json!({ "name": "x", "id": salon.id }), &["id"]),
        (json!({ "name": "x", "suspended": true, "phone_region": "FR" }), &["phone_region", "suspended"]),
        (json!({ "name": "ok", "locale": "xx", "timezone": 1 }), &["timezone", "locale"]),
    ] {
        let answer = salon.api.patch("/business", &body).await;
        answer.fails(400, "invalid_request");
        let mut named = crate::harness::paths(&answer);
        let mut paths = paths.to_vec();
        named.sort();
        paths.sort_unstable();
        assert_eq!(named, paths, "{answer}");
    }
    assert_eq!(salon.get("/business").await.data()["name"], "Salon Zoé");
    salon.api.patch("/business", &json!({ "website_url": url(2000) })).await.is(200);
}

#[tokio::test]
async fn invalid_hours_are_refused_with_their_path() {
    let server = Server::open().await;
    let salon = server.salon().await;
    let eight: Vec<_> = (0..8).map(|_| day("monday", "09:00", "10:00")).collect();
    for (hours, path) in [
        (json!(null), "hours"),
        (json!({}), "hours"),
        (json!(eight), "hours"),
        (json!([5]), "hours[0]"),
        (json!([{ "open": "09:00", "close": "10:00" }]), "hours[0].day"),
        (json!([{ "day": "monday", "close": "10:00" }]), "hours[0].open"),
        (json!([{ "day": "monday", "open": "09:00" }]), "hours[0].close"),
        (json!([day("Monday", "09:00", "10:00")]), "hours[0].day"),
        (json!([day("lundi", "09:00", "10:00")]), "hours[0].day"),
        (json!([day("monday", "9:00", "10:00")]), "hours[0].open"),
        (json!([day("monday", "09:00", "24:01")]), "hours[0].close"),
        (json!([day("monday", "09:60", "10:00")]), "hours[0].open"),
        (json!([day("monday", "09:00:00", "10:00")]), "hours[0].open"),
        (json!([day("monday", "09:00 ", "10:00")]), "hours[0].open"),
        (json!([day("monday", "٠٩:٠٠", "10:00")]), "hours[0].open"),
        (json!([day("monday", "24:00", "10:00")]), "hours[0].open"),
        (json!([day("sunday", "09:00", "10:00"), day("monday", "09:00", "25:00")]), "hours[1].close"),
        (json!([{ "day": "monday", "open": "09:00", "close": "10:00", "x": 1 }]), "hours[0].x"),
    ] {
        salon.api.patch("/business", &json!({ "hours": hours })).await.invalid_at(&[path]);
    }
    let places = |hours: Value| {
        let api = salon.api.clone();
        async move {
            let answer = api.patch("/business", &json!({ "hours": hours })).await;
            answer.fails(400, "invalid_request");
            assert!(crate::harness::paths(&answer).iter().all(|path| path.starts_with("hours[")), "{answer}");
        }
    };
    places(json!([day("monday", "09:00", "09:00")])).await;
    places(json!([day("monday", "00:00", "00:00")])).await;
    places(json!([day("monday", "24:00", "24:00")])).await;
    places(json!([day("monday", "09:00", "10:00"), day("monday", "11:00", "12:00")])).await;
    places(json!([day("monday", "22:00", "03:00"), day("tuesday", "02:59", "10:00")])).await;
    places(json!([day("saturday", "22:00", "03:00"), day("sunday", "00:00", "10:00")])).await;
    places(json!([day("sunday", "22:00", "03:00"), day("monday", "02:00", "10:00")])).await;
    assert_eq!(salon.get("/business").await.data()["hours"].as_array().unwrap().len(), 6);
}

#[tokio::test]
async fn every_valid_form_of_hours_is_accepted_and_returned_unchanged() {
    let server = Server::open().await;
    let salon = server.salon().await;
    for hours in [
        json!([day("monday", "00:00", "24:00")]),
        json!([day("monday", "22:00", "03:00"), day("tuesday", "03:00", "10:00")]),
        json!([day("monday", "18:00", "00:00")]),
        json!([day("sunday", "23:59", "24:00")]),
        json!([day("saturday", "20:00", "04:00"), day("sunday", "04:00", "23:59")]),
        json!([day("monday", "09:00", "08:59")]),
        week("00:00", "24:00"),
    ] {
        let shown = salon.api.patch("/business", &json!({ "hours": hours })).await.data();
        let mut shown = shown["hours"].as_array().unwrap().clone();
        let mut given = hours.as_array().unwrap().clone();
        for list in [&mut shown, &mut given] {
            list.sort_by_key(|item| item["day"].as_str().unwrap().to_owned());
        }
        assert_eq!(shown, given);
    }
}

#[tokio::test]
async fn a_change_of_hours_leaves_existing_appointments_unchanged() {
    let server = Server::open().await;
    let salon = server.salon().await;
    let booked = salon.book(&salon.cut, "2026-03-02T09:00:00Z").await;
    salon.api.patch("/business", &json!({ "hours": [] })).await.is(200);
    assert_eq!(salon.show(&booked).await, booked);
    assert!(salon.slots(&salon.cut, "start_date=2026-03-02&end_date=2026-03-08").await.is_empty());
    salon.try_book(&salon.cut, "2026-03-02T10:00:00Z").await.fails(409, "slot_unavailable").says("closed");
}

#[tokio::test]
async fn the_word_for_customers_and_the_grid_are_the_teams_alone() {
    let server = Server::open().await;
    let salon = server.salon().await;
    let (seen, before) = (salon.get("/business").await, salon.operator.get("").await);
    let shown = before.data();
    assert_eq!((&shown["customer_word"], &shown["grid_minutes"]), (&json!("client"), &json!(15)));
    server.clock.advance(5);
    for (word, grid) in [("patient", 5), ("guest", 10), ("client", 30), ("guest", 15)] {
        let change = json!({ "customer_word": word, "grid_minutes": grid });
        let changed = salon.operator.patch("", &change).await;
        assert_eq!(
            (&changed.data()["customer_word"], &changed.data()["grid_minutes"]),
            (&json!(word), &json!(grid))
        );
        assert_ne!(changed.etag(), before.etag());
        assert_eq!(changed.data()["updated_at"], shown["updated_at"]);
    }
    let after = salon.get("/business").await;
    assert_eq!((after.data(), after.etag()), (seen.data(), seen.etag()));
    for (bad, at) in [
        (json!({ "customer_word": "user" }), "customer_word"),
        (json!({ "customer_word": null }), "customer_word"),
        (json!({ "grid_minutes": 20 }), "grid_minutes"),
        (json!({ "grid_minutes": "15" }), "grid_minutes"),
        (json!({ "grid_minutes": null }), "grid_minutes"),
    ] {
        salon.operator.patch("", &bad).await.invalid_at(&[at]);
    }
    salon.api.patch("/business", &json!({ "grid_minutes": 5 })).await.invalid_at(&["grid_minutes", ""]);
    let renamed = salon.operator.patch("", &json!({ "name": "Salon", "grid_minutes": 5 })).await.data();
    assert_ne!(renamed["updated_at"], shown["updated_at"]);
    assert_eq!(renamed["customer_word"], "guest");
}
