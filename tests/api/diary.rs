//! Tests of special days, breaks, staff hours, time off, and the booking rules of services.

use serde_json::{Value, json};

use crate::harness::{Answer, Salon, Server, id, ids, starts};

async fn put(salon: &Salon, date: &str, body: Value) -> Answer {
    salon.operator.call("PUT", &format!("/special-days/{date}")).json(&body).await
}

async fn off(salon: &Salon, staff: &str, body: Value) -> Answer {
    salon.operator.post(&format!("/staff/{staff}/time-off"), &body).await
}

async fn service(salon: &Salon, service: &str, change: Value) -> Answer {
    salon.operator.patch(&format!("/services/{service}"), &change).await
}

async fn staff(salon: &Salon, member: &str, change: Value) -> Answer {
    salon.operator.patch(&format!("/staff/{member}"), &change).await
}

/// Requests a booking that must be refused. Returns the message.
async fn refused(salon: &Salon, staff: &str, at: &str) -> String {
    let answer = salon.try_book_with(&salon.cut, at, json!({ "staff_id": staff })).await;
    answer.fails(409, "slot_unavailable").message().to_owned()
}

#[tokio::test]
async fn a_special_day_replaces_the_opening_hours_for_listing_and_booking() {
    let server = Server::open().await;
    let salon = server.salon().await;
    let date = "2026-03-10";
    let morning = json!({ "windows": [{ "open": "14:00", "close": "15:00" }, { "open": "10:10", "close": "11:10" }],
        "note": "Inventory" });
    let set = put(&salon, date, morning.clone()).await;
    let shown = set.data();
    assert_eq!(shown["windows"][0], json!({ "open": "10:10", "close": "11:10" }));
    assert_eq!((&shown["closed"], &shown["affected"]["count"]), (&json!(false), &json!(0)));
    let slots = salon.slots(&salon.cut, &format!("start_date={date}")).await;
    let times: Vec<&str> = slots.iter().map(|at| &at[11..16]).collect();
    assert_eq!(times, ["09:10", "09:40", "13:00", "13:30"]);
    assert!(refused(&salon, &salon.anna, "2026-03-10T11:00:00Z").await.contains("outside opening hours"));

    let booked = salon.book_with(&salon.cut, &salon.anna, "2026-03-10T13:00:00Z").await;
    let closed = put(&salon, date, json!({ "closed": true })).await;
    assert_eq!(closed.data()["affected"], json!({ "count": 1, "ids": [id(&booked)] }));
    assert_eq!(salon.show(&booked).await, booked, "a closed day must not change existing appointments");
    assert!(refused(&salon, &salon.ben, "2026-03-10T13:00:00Z").await.contains("closed that day"));
    // A repeated change gets the same response. The body may contain all fields of a special day as the API
    // shows them.
    for same in [json!({ "closed": true }), json!({ "closed": true, "windows": [], "note": null })] {
        assert_eq!(put(&salon, date, same).await.data(), closed.data());
    }
    let away = off(&salon, &salon.anna, json!({ "from": date, "to": date })).await.created();
    assert_eq!(
        away["affected"],
        json!({ "count": 1, "ids": [id(&booked)] }),
        "the time off must list the appointment, although it is already outside of the hours"
    );
    let other_day = put(&salon, "2026-03-11", json!({ "closed": true })).await;
    assert_eq!(
        other_day.data()["affected"]["count"],
        0,
        "an appointment on another date must not be affected"
    );
    salon.operator.delete(&format!("/staff/{}/time-off/{}", salon.anna, id(&away))).await.is(204);

    let gone = salon.operator.delete(&format!("/special-days/{date}")).await;
    assert_eq!(gone.data(), json!({ "date": date, "affected": { "count": 0, "ids": [] } }));
    salon.operator.delete(&format!("/special-days/{date}")).await.fails(404, "not_found");
    salon.book_with(&salon.cut, &salon.ben, "2026-03-10T13:00:00Z").await;
}

#[tokio::test]
async fn special_days_are_listed_in_pages_and_support_if_match() {
    let server = Server::open().await;
    let salon = server.salon().await;
    let first = put(&salon, "2026-12-25", json!({ "closed": true, "note": "Christmas" })).await;
    for date in ["2026-12-24", "2027-01-01", "2199-12-31"] {
        put(&salon, date, json!({ "closed": true })).await.is(200);
    }
    let dates = |days: &[Value]| -> Vec<String> {
        days.iter().map(|day| day["date"].as_str().unwrap().to_owned()).collect()
    };
    let all = salon.operator.all("/special-days").await;
    assert_eq!(dates(&all), ["2026-12-24", "2026-12-25", "2027-01-01", "2199-12-31"]);
    assert_eq!(salon.operator.walk("/special-days", 1).await, all);
    let within = salon.operator.all("/special-days?from=2026-12-25&to=2027-01-01").await;
    assert_eq!(dates(&within), ["2026-12-25", "2027-01-01"]);
    salon.operator.get("/special-days?from=2027-01-02&to=2027-01-01").await.invalid_at(&["to"]);
    assert_eq!(
        dates(&salon.operator.all("/special-days?from=2027-01-01&to=2027-01-01").await),
        ["2027-01-01"]
    );
    salon.operator.get("/special-days?from=tomorrow").await.invalid_at(&["from"]);

    let tag = first.etag();
    let conditional = async |tag: &str, body: Value| {
        salon.operator.call("PUT", "/special-days/2026-12-25").json(&body).header("if-match", tag).await
    };
    let changed = conditional(&tag, json!({ "closed": true, "note": "Noël" })).await;
    assert_eq!(changed.data()["note"], "Noël");
    conditional(&tag, json!({ "closed": true })).await.fails(409, "conflict");
    conditional(&changed.etag(), json!({ "closed": true })).await.is(200);
    let entry = salon.operator.get("/audit?limit=1").await.list().remove(0);
    assert_eq!((&entry["action"], &entry["resource_id"]), (&json!("special_day.set"), &json!(salon.id)));
    assert_eq!(entry["changes"][0]["field"], "2026-12-25");
    assert_eq!(entry["changes"][0]["from"]["note"], "Noël");
}

#[tokio::test]
async fn an_invalid_special_day_is_refused() {
    let server = Server::open().await;
    let salon = server.salon().await;
    let window = |open: &str, close: &str| json!({ "open": open, "close": close });
    for (body, path) in [
        (json!({}), "windows"),
        (json!({ "closed": false }), "windows"),
        (json!({ "closed": false, "windows": [] }), "windows"),
        (json!({ "windows": null, "closed": null }), "windows"),
        (json!({ "closed": true, "windows": [window("09:00", "10:00")] }), "windows"),
        (json!({ "windows": [] }), "windows"),
        (json!({ "windows": [window("09:00", "09:00")] }), "windows[0].close"),
        (json!({ "windows": [window("24:00", "09:00")] }), "windows[0].open"),
        (json!({ "windows": [window("09:00", "11:00"), window("10:00", "12:00")] }), "windows[1].open"),
        (json!({ "closed": true, "note": "" }), "note"),
        (json!({ "closed": true, "note": "é".repeat(201) }), "note"),
    ] {
        put(&salon, "2026-03-10", body).await.invalid_at(&[path]);
    }
    let windows: Vec<Value> =
        (0..5).map(|hour| window(&format!("{hour:02}:00"), &format!("{hour:02}:30"))).collect();
    put(&salon, "2026-03-10", json!({ "windows": windows })).await.invalid_at(&["windows"]);
    put(&salon, "2026-03-10", json!({ "windows": windows[..4], "note": "é".repeat(200) })).await.is(200);
    put(&salon, "2026-03-11", json!({ "closed": false, "windows": windows[..1], "note": null }))
        .await
        .is(200);
    for date in ["tomorrow", "2026-02-30", "1969-12-31", "2200-01-01"] {
        put(&salon, date, json!({ "closed": true })).await.invalid_at(&["date"]);
    }
}

#[tokio::test]
async fn no_appointment_overlaps_a_break() {
    let server = Server::open().await;
    let salon = server.salon().await;
    let booked = salon.book_with(&salon.cut, &salon.anna, "2026-03-03T11:00:00Z").await;
    let lunch = json!([{ "day": "tuesday", "from": "12:15", "to": "13:00" }]);
    let changed = salon.operator.patch("", &json!({ "breaks": lunch })).await;
    assert_eq!(changed.data()["breaks"], lunch);
    assert_eq!(changed.data()["affected"], json!({ "count": 1, "ids": [id(&booked)] }));
    let shown = salon.operator.get("").await;
    assert_eq!(
        (shown.data()["breaks"].clone(), shown.etag()),
        (lunch, changed.etag()),
        "only the operator may see the breaks"
    );
    assert!(shown.data().get("affected").is_none());
    assert!(
        salon.get("/business").await.data().get("breaks").is_none(),
        "the view of integrations must be unchanged"
    );
    assert!(refused(&salon, &salon.ben, "2026-03-03T11:00:00Z").await.contains("break"));
    let tuesday = salon.slots(&salon.cut, "start_date=2026-03-03").await;
    assert!(!tuesday.iter().any(|at| at.contains("T11:00") || at.contains("T11:30")), "{tuesday:?}");
    assert!(tuesday.iter().any(|at| at.contains("T10:30")) && tuesday.iter().any(|at| at.contains("T12:00")));

    let pause = |day: &str, from: &str, to: &str| json!({ "day": day, "from": from, "to": to });
    let refused = async |breaks: Value, paths: &[&str]| {
        salon.operator.patch("", &json!({ "breaks": breaks })).await.invalid_at(paths);
    };
    refused(json!([pause("monday", "12:00", "12:00")]), &["breaks[0].to"]).await;
    refused(
        json!([pause("monday", "12:00", "13:00"), pause("monday", "12:30", "13:30")]),
        &["breaks[1].from"],
    )
    .await;
    refused(
        json!([{ "day": "monday", "open": "12:00", "close": "13:00" }]),
        &["breaks[0].close", "breaks[0].open", "breaks[0].from", "breaks[0].to"],
    )
    .await;
    let days = ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"];
    let many: Vec<Value> = (0..29)
        .map(|nth| pause(days[nth % 7], &format!("{:02}:00", nth / 7), &format!("{:02}:30", nth / 7)))
        .collect();
    refused(json!(many), &["breaks"]).await;
    salon.set(json!({ "breaks": many[..28] })).await;
    let integration = salon.api.patch("/business", &json!({ "name": "Salon", "breaks": [] })).await;
    integration.invalid_at(&["breaks"]);
}

#[tokio::test]
async fn staff_are_booked_in_their_own_hours_and_not_in_their_time_off() {
    let server = Server::open().await;
    let salon = server.salon().await;
    let early = salon.book_with(&salon.cut, &salon.chloe, "2026-03-03T09:00:00Z").await;
    let hours = json!([{ "day": "tuesday", "open": "13:00", "close": "15:00" },
        { "day": "tuesday", "open": "15:00", "close": "16:00" }]);
    let changed = staff(&salon, &salon.chloe, json!({ "hours": hours })).await;
    assert_eq!(changed.data()["hours"], hours);
    assert_eq!(changed.data()["affected"], json!({ "count": 1, "ids": [id(&early)] }));
    let listed = salon.operator.all("/staff").await;
    assert_eq!(listed.iter().map(|one| one["hours"].is_null()).collect::<Vec<_>>(), [true, true, false]);
    assert!(salon.api.all("/staff").await.iter().all(|one| one.get("hours").is_none()));
    let of_chloe = format!("start_date=2026-03-03&staff_id={}", salon.chloe);
    let slots = salon.slots(&salon.cut, &of_chloe).await;
    assert_eq!((slots.len(), &slots[0][11..16], &slots[5][11..16]), (6, "12:00", "14:30"));
    assert!(refused(&salon, &salon.chloe, "2026-03-03T08:30:00Z").await.contains("available at that time"));

    let late = salon.book_with(&salon.cut, &salon.chloe, "2026-03-03T14:00:00Z").await;
    let span =
        json!({ "starts_at": "2026-03-03T14:10:00Z", "ends_at": "2026-03-03T14:20:00Z", "note": "Dentist" });
    let made = off(&salon, &salon.chloe, span).await;
    let dentist = made.created();
    assert_eq!(dentist["affected"], json!({ "count": 1, "ids": [id(&late)] }));
    salon.cancel(&late).await.is(200);
    assert!(refused(&salon, &salon.chloe, "2026-03-03T14:00:00Z").await.contains("available at that time"));
    let team = salon.booking(&salon.cut, "2026-03-03T14:00:00Z", json!({ "staff_id": salon.chloe }));
    salon.operator.post("/appointments", &team).await.fails(409, "slot_unavailable").says("are off");
    let days = off(&salon, &salon.chloe, json!({ "from": "2026-03-10", "to": "2026-03-11" })).await.created();
    assert_eq!(days["starts_at"], "2026-03-09T23:00:00.000Z");
    assert_eq!(days["ends_at"], "2026-03-11T23:00:00.000Z");
    let path = format!("/staff/{}/time-off", salon.chloe);
    assert_eq!(ids(&salon.operator.all(&path).await), [id(&dentist), id(&days)]);
    assert_eq!(salon.operator.walk(&path, 1).await.len(), 2);
    let delete = |tag: &str| {
        salon.operator.call("DELETE", &format!("{path}/{}", id(&dentist))).header("if-match", tag)
    };
    delete("\"other\"").await.fails(409, "conflict");
    delete(&made.etag()).await.is(204);
    let entry = salon.operator.get("/audit?limit=1").await.list().remove(0);
    assert_eq!((&entry["action"], &entry["resource_id"]), (&json!("time_off.deleted"), &dentist["id"]));
    let told = |field: &str| {
        entry["changes"].as_array().unwrap().iter().find(|change| change["field"] == field).unwrap().clone()
    };
    assert_eq!((&told("staff_id")["from"], &told("staff_id")["to"]), (&json!(salon.chloe), &Value::Null));
    assert_eq!(told("starts_at")["from"], dentist["starts_at"]);
    assert_eq!(told("ends_at")["from"], dentist["ends_at"]);
    salon.operator.delete(&format!("{path}/{}", id(&dentist))).await.fails(404, "not_found");
    salon.book_with(&salon.cut, &salon.chloe, "2026-03-03T14:00:00Z").await;
    assert!(staff(&salon, &salon.chloe, json!({ "hours": null })).await.data()["hours"].is_null());

    for (body, path) in [
        (json!({}), "starts_at"),
        (json!({ "from": "2026-03-10" }), "to"),
        (json!({ "starts_at": "2026-03-10T09:00:00Z" }), "ends_at"),
        (json!({ "from": "2026-03-10", "to": "2026-03-10", "starts_at": "2026-03-10T09:00:00Z" }), "from"),
        (json!({ "from": "2026-03-10", "to": "2026-03-09" }), "to"),
        (json!({ "starts_at": "2026-03-10T09:00:00Z", "ends_at": "2026-03-10T09:00:00Z" }), "ends_at"),
        (json!({ "from": "2200-01-01", "to": "2200-01-01" }), "from"),
        (json!({ "from": "2026-03-10", "to": "2026-03-10", "note": "x".repeat(201) }), "note"),
    ] {
        let answer = off(&salon, &salon.anna, body.clone()).await;
        assert_eq!(answer.status, 400, "{body} {answer}");
        let told = answer.body["error"]["details"].as_array().unwrap();
        assert!(told.iter().any(|one| one["path"] == path), "{path}: {answer}");
    }
    let five: Vec<Value> = (0..5)
        .map(|nth| json!({ "day": "monday", "open": format!("{:02}:00", 2 * nth), "close": format!("{:02}:00", 2 * nth + 1) }))
        .collect();
    staff(&salon, &salon.anna, json!({ "hours": five })).await.invalid_at(&["hours[4].day"]);
    staff(&salon, &salon.anna, json!({ "hours": five[..4] })).await.is(200);
}

#[tokio::test]
async fn a_service_keeps_its_staff_free_around_appointments() {
    let server = Server::open().await;
    let salon = server.salon().await;
    let changed = service(&salon, &salon.cut, json!({ "buffer_after_minutes": 30 })).await;
    assert_eq!(changed.data()["buffer_after_minutes"], 30);
    assert!(salon.api.all("/services").await.iter().all(|one| one.get("buffer_after_minutes").is_none()));
    let first = salon.book_with(&salon.cut, &salon.anna, "2026-03-03T09:00:00Z").await;
    assert_eq!(first["ends_at"], "2026-03-03T09:30:00.000Z", "the end must not include the buffer");
    assert!(refused(&salon, &salon.anna, "2026-03-03T09:30:00Z").await.contains("is taken"));
    let team = async |at: &str, more: Value| {
        let mut body = salon.booking(&salon.cut, at, json!({ "staff_id": salon.anna }));
        body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        salon.operator.post("/appointments", &body).await
    };
    team("2026-03-03T09:30:00Z", json!({})).await.fails(409, "slot_unavailable").says("too close");
    let ignoring = json!({ "ignore_buffers": true });
    let open =
        format!("/availability?service_id={}&staff_id={}&start_date=2026-03-03", salon.cut, salon.anna);
    let listed = async |query: &str| starts(&salon.operator.all(&format!("{open}{query}")).await);
    let taken = "2026-03-03T09:30:00.000Z".to_owned();
    assert!(!listed("").await.contains(&taken) && listed("&ignore_buffers=true").await.contains(&taken));
    let squeezed = team("2026-03-03T09:30:00Z", ignoring.clone()).await.created();
    team("2026-03-03T09:30:00Z", ignoring.clone()).await.fails(409, "slot_unavailable").says("taken");
    // An appointment keeps the buffers that it was booked with, even when it is moved.
    service(&salon, &salon.cut, json!({ "buffer_after_minutes": 0 })).await.is(200);
    assert!(refused(&salon, &salon.anna, "2026-03-03T10:00:00Z").await.contains("is taken"));
    let moved = format!("/appointments/{}/reschedule", id(&squeezed));
    let to = json!({ "starts_at": "2026-03-03T10:00:00Z" });
    salon.operator.post(&moved, &to).await.is(200);
    assert!(refused(&salon, &salon.anna, "2026-03-03T10:30:00Z").await.contains("is taken"));
    salon.book_with(&salon.cut, &salon.anna, "2026-03-03T11:00:00Z").await;
}

#[tokio::test]
async fn notice_and_advance_bind_integrations_and_not_the_team() {
    let server = Server::open().await;
    let salon = server.salon().await;
    service(&salon, &salon.cut, json!({ "min_notice_minutes": 43_200, "max_advance_days": 31 }))
        .await
        .is(200);
    assert!(refused(&salon, &salon.anna, "2026-03-05T09:00:00Z").await.contains("too soon"));
    assert!(refused(&salon, &salon.anna, "2026-05-05T09:00:00Z").await.contains("too far ahead"));
    assert!(salon.slots(&salon.cut, "start_date=2026-03-05").await.is_empty());
    let open = format!("/availability?service_id={}&start_date=2026-03-05", salon.cut);
    assert!(!salon.operator.all(&open).await.is_empty(), "the team must see available times");
    let body = salon.booking(&salon.cut, "2026-03-05T09:00:00Z", json!({}));
    salon.operator.post("/appointments", &body).await.is(201);
    salon.set(json!({ "booking_mode": "off" })).await;
    assert!(!salon.operator.all(&open).await.is_empty(), "the team must see available times in every mode");
    salon.set(json!({ "booking_mode": "instant" })).await;
    service(&salon, &salon.cut, json!({ "min_notice_minutes": 0, "max_advance_days": null })).await.is(200);
    salon.book(&salon.cut, "2026-05-05T09:00:00Z").await;
}

#[tokio::test]
async fn the_rules_of_a_service_have_limits() {
    let server = Server::open().await;
    let salon = server.salon().await;
    for (field, good, bad) in [
        ("buffer_before_minutes", vec![0, 240], vec![241, -1]),
        ("buffer_after_minutes", vec![0, 240], vec![241, 256]),
        ("min_notice_minutes", vec![0, 43_200], vec![43_201, -1]),
        ("max_advance_days", vec![1, 1_095], vec![0, 1_096]),
    ] {
        for value in good {
            let shown = service(&salon, &salon.cut, json!({ field: value })).await.data();
            assert_eq!(shown[field], value, "{field}");
        }
        for value in bad {
            service(&salon, &salon.cut, json!({ field: value })).await.invalid_at(&[field]);
        }
    }
    let priced =
        service(&salon, &salon.cut, json!({ "price_cents": 100_000_000, "currency": "EUR" })).await.data();
    assert_eq!((&priced["price_cents"], &priced["currency"]), (&json!(100_000_000), &json!("EUR")));
    service(&salon, &salon.cut, json!({ "price_cents": 100_000_001 })).await.invalid_at(&["price_cents"]);
    service(&salon, &salon.cut, json!({ "currency": "eur" })).await.invalid_at(&["currency"]);
    service(&salon, &salon.cut, json!({ "currency": null })).await.invalid_at(&["currency"]);
    assert_eq!(service(&salon, &salon.cut, json!({ "price_cents": 0 })).await.data()["currency"], "EUR");
    let free = service(&salon, &salon.cut, json!({ "price_cents": null })).await.data();
    assert!(free["price_cents"].is_null() && free["currency"].is_null());
    let new = json!({ "name": "Perm", "duration_minutes": 60, "price_cents": 5 });
    salon.operator.post("/services", &new).await.invalid_at(&["currency"]);
    let new = json!({ "name": "Perm", "duration_minutes": 60, "price_cents": 5, "currency": "EUR",
        "buffer_before_minutes": 5, "min_notice_minutes": 60, "max_advance_days": 30 });
    let made = salon.operator.post("/services", &new).await.created();
    for (field, value) in new.as_object().unwrap() {
        assert_eq!(&made[field], value, "{field}");
    }
}

#[tokio::test]
async fn a_change_reports_appointments_outside_and_the_etag_covers_only_the_resource() {
    let server = Server::open().await;
    let salon = server.salon().await;
    let booked = salon.book_with(&salon.colour, &salon.anna, "2026-03-03T09:00:00Z").await;
    let inactive = service(&salon, &salon.colour, json!({ "active": false })).await;
    assert_eq!(inactive.data()["affected"], json!({ "count": 1, "ids": [id(&booked)] }));
    let path = format!("/services/{}", salon.colour);
    let with = salon.operator.call("PATCH", &path).json(&json!({ "active": true }));
    let active = with.header("if-match", &inactive.etag()).await;
    assert_eq!(active.data()["affected"]["count"], 0);
    let shorter = salon.operator.patch("", &json!({ "hours": [] })).await.data();
    assert_eq!(shorter["affected"], json!({ "count": 1, "ids": [id(&booked)] }));
    let public = salon.api.patch("/business", &json!({ "name": "Salon" })).await.data();
    assert!(public.get("affected").is_none());
    let gone = staff(&salon, &salon.anna, json!({ "active": false })).await.data();
    assert_eq!(
        gone["affected"], shorter["affected"],
        "the appointment of the inactive staff member must be listed"
    );
    let named = staff(&salon, &salon.anna, json!({ "name": "Ann" })).await.data();
    assert_eq!(named["affected"]["count"], 0, "a change to the name must affect no appointment");
    let again = salon.operator.patch("", &json!({ "hours": [] })).await.data();
    assert_eq!(
        again["affected"], shorter["affected"],
        "a repeated change must list the affected appointments again"
    );
}

#[tokio::test]
async fn time_off_is_deleted_with_its_staff_member() {
    let server = Server::open().await;
    let salon = server.salon().await;
    let made = json!({ "name": "Dan", "service_ids": [salon.cut] });
    let dan = salon.operator.post("/staff", &made).await.created();
    off(&salon, id(&dan), json!({ "from": "2026-03-10", "to": "2026-03-11" })).await.is(201);
    let path = format!("/staff/{}", id(&dan));
    salon.operator.delete(&path).await.is(204);
    salon.operator.get(&format!("{path}/time-off")).await.fails(404, "not_found");
    off(&salon, id(&dan), json!({ "from": "2026-03-10", "to": "2026-03-11" })).await.fails(404, "not_found");
}
