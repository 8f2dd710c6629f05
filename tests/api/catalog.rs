//! Services and staff in the operator API and in the public API.

use serde_json::{Value, json};

use crate::harness::{Server, ids};

#[tokio::test]
async fn services_are_listed_in_the_order_of_their_creation() {
    let server = Server::open().await;
    let salon = server.salon().await;
    let shown = salon.get("/services").await.list();
    assert_eq!(ids(&shown), [salon.cut.clone(), salon.massage.clone(), salon.colour.clone()]);
    // Each timestamp is later than the previous one, even if the clock does not advance. The test therefore
    // ignores the last digits.
    assert!(shown[0]["created_at"].as_str().unwrap().starts_with("2026-03-02T06:00:00.00"));
    assert_eq!(
        shown[0],
        json!({
            "id": salon.cut,
            "name": "Cut",
            "description": "",
            "duration_minutes": 30,
            "created_at": shown[0]["created_at"],
            "updated_at": shown[0]["created_at"],
        })
    );
}

#[tokio::test]
async fn integrations_see_active_services_only_and_the_operator_all() {
    let server = Server::open().await;
    let salon = server.salon().await;
    let path = format!("/services/{}", salon.massage);
    server.clock.advance(1);
    let hidden = salon.operator.patch(&path, &json!({ "active": false })).await.data();
    assert_eq!(
        (&hidden["active"], &hidden["updated_at"]),
        (&json!(false), &json!("2026-03-02T06:00:01.000Z"))
    );
    assert_eq!(ids(&salon.get("/services").await.list()), [salon.cut.clone(), salon.colour.clone()]);
    for limit in 1..=3 {
        assert_eq!(ids(&salon.api.walk("/services", limit).await), [salon.cut.clone(), salon.colour.clone()]);
    }
    let all = salon.operator.get("/services").await.list();
    assert_eq!(all.iter().map(|service| &service["active"]).collect::<Vec<_>>(), [true, false, true]);
    salon.operator.patch(&path, &json!({ "active": true })).await.is(200);
    assert_eq!(salon.get("/services").await.list().len(), 3);
}

#[tokio::test]
async fn inactive_staff_are_listed_too() {
    let server = Server::open().await;
    let salon = server.salon().await;
    let path = format!("/staff/{}", salon.ben);
    salon.operator.patch(&path, &json!({ "active": false, "timezone": "Europe/London" })).await.is(200);
    let shown = salon.get("/staff").await.list();
    assert_eq!(ids(&shown), [salon.anna.clone(), salon.ben.clone(), salon.chloe.clone()]);
    let mut seen = salon.operator.get("/staff").await.list();
    for member in &mut seen {
        assert_eq!(
            member.as_object_mut().unwrap().remove("hours"),
            Some(Value::Null),
            "only the team sees the hours"
        );
    }
    assert_eq!(shown, seen);
    assert_eq!(
        (&shown[1]["active"], &shown[1]["timezone"], &shown[0]["timezone"]),
        (&json!(false), &json!("Europe/London"), &json!("Europe/Paris"))
    );
    assert_eq!(shown[1]["service_ids"], json!([salon.cut, salon.massage]));
}

#[tokio::test]
async fn only_the_given_properties_of_a_service_change() {
    let server = Server::open().await;
    let salon = server.salon().await;
    let path = format!("/services/{}", salon.cut);
    let text = "é".repeat(2000);
    for (change, field, value) in [
        (json!({ "name": "Trim" }), "name", json!("Trim")),
        (json!({ "description": "Short." }), "description", json!("Short.")),
        (json!({ "description": text }), "description", json!(text)),
        (json!({ "description": null }), "description", json!("")),
        (json!({ "duration_minutes": 5 }), "duration_minutes", json!(5)),
        (json!({ "duration_minutes": 1440 }), "duration_minutes", json!(1440)),
    ] {
        assert_eq!(salon.operator.patch(&path, &change).await.data()[field], value);
    }
    let shown = salon.get("/services").await.list()[0].clone();
    assert_eq!((&shown["name"], &shown["duration_minutes"]), (&json!("Trim"), &json!(1440)));
}

#[tokio::test]
async fn invalid_services_are_refused_with_the_paths() {
    let server = Server::open().await;
    let salon = server.salon().await;
    let path = format!("/services/{}", salon.cut);
    salon.operator.post("/services", &json!({})).await.invalid_at(&["name", "duration_minutes"]);
    salon.operator.patch(&path, &json!({})).await.invalid_at(&[""]);
    salon.operator.patch(&path, &json!({ "duration_minutes": null })).await.invalid_at(&["duration_minutes"]);
    for minutes in [json!(4), json!(1441), json!(-30), json!(30.5), json!("30"), json!(1e300), json!(true)] {
        let body = json!({ "name": "x", "duration_minutes": minutes });
        salon.operator.post("/services", &body).await.invalid_at(&["duration_minutes"]);
        salon
            .operator
            .patch(&path, &json!({ "duration_minutes": minutes }))
            .await
            .invalid_at(&["duration_minutes"]);
    }
    let good = |more: Value| {
        let mut body = json!({ "name": "x", "duration_minutes": 30 });
        body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        body
    };
    salon.operator.post("/services", &good(json!({ "active": 1 }))).await.invalid_at(&["active"]);
    salon.operator.post("/services", &good(json!({ "price": 1 }))).await.invalid_at(&["price"]);
    salon.operator.post("/services", &good(json!({ "name": " \t " }))).await.invalid_at(&["name"]);
    assert_eq!(salon.operator.all("/services").await.len(), 3);
    let nulls = good(json!({ "description": null, "active": null }));
    assert_eq!(salon.operator.post("/services", &nulls).await.created()["active"], true);
}

#[tokio::test]
async fn invalid_staff_members_are_refused_with_the_paths() {
    let server = Server::open().await;
    let (salon, other) = (server.salon().await, server.salon().await);
    let path = format!("/staff/{}", salon.ben);
    salon.operator.post("/staff", &json!({})).await.invalid_at(&["name", "service_ids"]);
    salon.operator.patch(&path, &json!({})).await.invalid_at(&[""]);
    for (ids, at) in [
        (json!([salon.cut, salon.cut]), "service_ids[1]"),
        (json!([salon.cut, other.cut]), "service_ids[1]"),
        (json!(["x"]), "service_ids[0]"),
        (json!([salon.anna]), "service_ids[0]"),
        (json!("x"), "service_ids"),
    ] {
        let body = json!({ "name": "x", "service_ids": ids });
        salon.operator.post("/staff", &body).await.invalid_at(&[at]);
        salon.operator.patch(&path, &json!({ "service_ids": ids })).await.invalid_at(&[at]);
    }
    salon.operator.patch(&path, &json!({ "timezone": "x" })).await.invalid_at(&["timezone"]);
    salon.operator.patch(&path, &json!({ "active": null })).await.invalid_at(&["active"]);
    assert_eq!(salon.get("/staff").await.list().len(), 3);
    let without_services = json!({ "name": "Dora", "service_ids": [], "active": false, "timezone": null });
    salon.operator.post("/staff", &without_services).await.is(201);
}

#[tokio::test]
async fn unknown_ids_and_ids_of_another_business_are_not_found() {
    let server = Server::open().await;
    let (salon, other) = (server.salon().await, server.salon().await);
    for id in [other.cut.as_str(), "none", "018f0000-0000-7000-8000-000000000000", salon.ben.as_str()] {
        salon
            .operator
            .patch(&format!("/services/{id}"), &json!({ "name": "x" }))
            .await
            .fails(404, "not_found");
    }
    for id in [other.ben.as_str(), "none", salon.cut.as_str()] {
        salon.operator.patch(&format!("/staff/{id}"), &json!({ "name": "x" })).await.fails(404, "not_found");
        salon.operator.patch(&format!("/staff/{id}"), &json!({ "name": "" })).await.invalid_at(&["name"]);
    }
}

#[tokio::test]
async fn existing_appointments_show_a_new_name() {
    let server = Server::open().await;
    let salon = server.salon().await;
    let booked = salon.book_with(&salon.cut, &salon.ben, "2026-03-02T09:00:00Z").await;
    salon.operator.patch(&format!("/staff/{}", salon.ben), &json!({ "name": "Benoît" })).await.is(200);
    salon
        .operator
        .patch(&format!("/services/{}", salon.cut), &json!({ "duration_minutes": 45 }))
        .await
        .is(200);
    let shown = salon.show(&booked).await;
    assert_eq!(shown["staff_name"], "Benoît");
    assert_eq!(shown["ends_at"], booked["ends_at"], "the appointment must keep the duration of its booking");
}
