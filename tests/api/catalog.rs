//! Tests of services and staff members in the operator API and in the public API.

use serde_json::{Value, json};

use crate::harness::{Server, id, ids};

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
        for (name, value) in [("hours", Value::Null), ("position", json!(0)), ("color", Value::Null)] {
            let of_team = member.as_object_mut().unwrap().remove(name);
            assert_eq!(of_team, Some(value), "only the team sees {name}");
        }
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
async fn category_position_and_colour_are_the_teams_alone() {
    let server = Server::open().await;
    let salon = server.salon().await;
    let before = (salon.get("/services").await, salon.get("/staff").await);
    server.clock.advance(5);
    let (service, staff) = (format!("/services/{}", salon.cut), format!("/staff/{}", salon.ben));
    let listed = json!({ "category": "Cheveux", "position": 2, "color": 12 });
    for (path, change) in [(&service, listed.clone()), (&staff, json!({ "position": 1_000_000, "color": 1 }))]
    {
        let changed = salon.operator.patch(path, &change).await.is(200).data();
        for (name, value) in change.as_object().unwrap() {
            assert_eq!(changed[name], *value, "{name}");
        }
        let entry = &salon.operator.all("/audit").await[0];
        assert_eq!(entry["changes"].as_array().unwrap().len(), change.as_object().unwrap().len(), "{entry}");
    }
    let after = (salon.get("/services").await, salon.get("/staff").await);
    assert_eq!((after.0.list(), after.1.list()), (before.0.list(), before.1.list()));
    let renamed = salon.operator.patch(&service, &json!({ "name": "Coupe", "position": 0 })).await.data();
    assert_eq!((&renamed["category"], &renamed["position"]), (&listed["category"], &json!(0)));
    assert_ne!(renamed["updated_at"], before.0.list()[0]["updated_at"]);
    for (bad, at) in [
        (json!({ "category": "" }), "category"),
        (json!({ "category": "é".repeat(61) }), "category"),
        (json!({ "position": -1 }), "position"),
        (json!({ "position": 1_000_001 }), "position"),
        (json!({ "position": null }), "position"),
        (json!({ "color": 0 }), "color"),
        (json!({ "color": 13 }), "color"),
        (json!({ "color": "#ffffff" }), "color"),
    ] {
        salon.operator.patch(&service, &bad).await.invalid_at(&[at]);
        if at != "category" {
            salon.operator.patch(&staff, &bad).await.invalid_at(&[at]);
        }
    }
    let longest = salon.operator.patch(&service, &json!({ "category": "é".repeat(60) })).await;
    longest.is(200);
    let cleared = salon.operator.patch(&service, &json!({ "category": null, "color": null })).await.data();
    assert_eq!((&cleared["category"], &cleared["color"]), (&Value::Null, &Value::Null));
    let new =
        json!({ "name": "Barbe", "duration_minutes": 30, "category": "Barbe", "position": 7, "color": 3 });
    let made = salon.operator.post("/services", &new).await.created();
    assert_eq!(
        (&made["category"], &made["position"], &made["color"]),
        (&json!("Barbe"), &json!(7), &json!(3))
    );
    let new = json!({ "name": "Dora", "service_ids": [], "position": 4, "color": 5 });
    let made = salon.operator.post("/staff", &new).await.created();
    assert_eq!((&made["position"], &made["color"]), (&json!(4), &json!(5)));
}

#[tokio::test]
async fn the_staff_members_who_offer_a_service_are_set_at_once() {
    let server = Server::open().await;
    let salon = server.salon().await;
    let path = format!("/services/{}/staff", salon.massage);
    let booked = salon.book_with(&salon.massage, &salon.ben, "2026-03-03T09:00:00Z").await;
    let offering = async || {
        let staff = salon.operator.all("/staff").await;
        let offers =
            |member: &&Value| member["service_ids"].as_array().unwrap().contains(&json!(salon.massage));
        ids(&staff.iter().filter(offers).cloned().collect::<Vec<_>>())
    };
    assert_eq!(offering().await, [salon.anna.clone(), salon.ben.clone()]);
    let set =
        async |staff: Value| salon.operator.call("PUT", &path).json(&json!({ "staff_ids": staff })).await;
    server.clock.advance(5);
    let log = salon.operator.all("/audit").await.len();
    let changed = set(json!([salon.chloe, salon.anna])).await;
    let expected = [salon.anna.clone(), salon.chloe.clone()];
    assert_eq!(
        changed.data()["staff_ids"],
        json!(expected),
        "the staff members must be in the order of their creation"
    );
    assert_eq!(changed.data()["service_id"], salon.massage);
    assert_eq!(changed.data()["affected"], json!({ "count": 1, "ids": [id(&booked)] }));
    assert_eq!(offering().await, expected);
    assert_eq!(
        salon.operator.all("/audit").await.len(),
        log + 2,
        "each changed staff member must have an audit entry"
    );
    // A second request with the same list changes nothing.
    let again = set(json!([salon.anna, salon.chloe])).await;
    assert_eq!((again.data()["staff_ids"].clone(), again.etag()), (json!(expected), changed.etag()));
    assert_eq!(salon.operator.all("/audit").await.len(), log + 2);
    let stale = salon.operator.call("PUT", &path).header("if-match", "\"stale\"");
    stale.json(&json!({ "staff_ids": [] })).await.fails(409, "conflict");
    for (staff, at) in [
        (json!([salon.anna, salon.cut]), "staff_ids[1]"),
        (json!([salon.anna, salon.anna]), "staff_ids[1]"),
        (json!(null), "staff_ids"),
    ] {
        set(staff).await.invalid_at(&[at]);
    }
    salon.operator.call("PUT", &path).json(&json!({})).await.invalid_at(&["staff_ids"]);
    assert_eq!(offering().await, expected);
    // The change to one service does not affect the staff members who offer another service.
    let seen = salon.get("/staff").await.list();
    assert!(seen.iter().all(|member| member["service_ids"].as_array().unwrap().contains(&json!(salon.cut))));
    set(json!([])).await.is(200);
    assert_eq!(offering().await, [] as [String; 0]);
    let unknown = "/services/018f0000-0000-7000-8000-000000000000/staff";
    salon.operator.call("PUT", unknown).json(&json!({ "staff_ids": [] })).await.fails(404, "not_found");
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
