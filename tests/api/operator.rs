//! Tests of the operator API: its token, its paths and methods, its host names, and the creation and change
//! of businesses.

use serde_json::{Value, json};

use crate::harness::{Server, TOKEN, ids, raw, week};

/// The method and path of every route of this business. All ids in the paths are unknown, except for the id
/// of the business.
fn calls(business: &str) -> Vec<(String, String)> {
    let routes = receptionist::service::routes().into_iter();
    let calls = routes.filter_map(|(method, path)| {
        let path = path.strip_prefix("/admin/v1")?.replace("{business_id}", business);
        let filled = path.split('/').map(|segment| if segment.starts_with('{') { "none" } else { segment });
        Some((method.to_string(), filled.collect::<Vec<_>>().join("/")))
    });
    calls.collect()
}

#[tokio::test]
async fn without_the_token_everything_is_401() {
    let server = Server::open().await;
    let salon = server.salon().await;
    let mut calls = calls(&salon.id);
    assert!(calls.contains(&("GET".into(), format!("/businesses/{}/audit", salon.id))), "{calls:?}");
    calls.extend(
        [("GET", ""), ("GET", "/nowhere"), ("PUT", "/businesses")].map(|(m, p)| (m.into(), p.into())),
    );
    for (method, path) in calls {
        server.operator.anonymous().call(&method, &path).bytes("{").await.fails(401, "unauthorized");
        for token in ["x", &TOKEN[1..], &format!("{TOKEN}x"), &TOKEN.to_uppercase(), &salon.key] {
            server.operator.with_token(token).call(&method, &path).await.fails(401, "unauthorized");
        }
        server.clock.advance(60);
    }
    server.with_key(TOKEN).get("/me").await.fails(401, "unauthorized");
}

#[tokio::test]
async fn an_unknown_business_gets_404_if_the_request_is_valid() {
    let server = Server::open().await;
    let unknown = "018f0000-0000-7000-8000-000000000000";
    for business in [unknown, "none"] {
        let operator = server.operator_of(business);
        let new = json!({ "name": "x", "duration_minutes": 30 });
        let staff = json!({ "name": "x", "service_ids": [] });
        let key = json!({ "name": "x", "scopes": ["calls:read"] });
        let booking = json!({
            "service_id": unknown,
            "starts_at": "2026-03-03T09:00:00Z",
            "contact": { "phone": "+14155552671" },
        });
        let to = json!({ "starts_at": "2026-03-03T09:00:00Z" });
        let name = json!({ "name": "x" });
        for (method, path, body) in [
            ("GET", "", &Value::Null),
            ("PATCH", "", &name),
            ("POST", "/services", &new),
            ("GET", "/services", &Value::Null),
            ("PATCH", &format!("/services/{unknown}"), &name),
            ("POST", "/staff", &staff),
            ("GET", "/staff", &Value::Null),
            ("PATCH", &format!("/staff/{unknown}"), &name),
            ("POST", "/keys", &key),
            ("GET", "/keys", &Value::Null),
            ("DELETE", &format!("/keys/{unknown}"), &Value::Null),
            ("POST", "/appointments", &booking),
            ("POST", &format!("/appointments/{unknown}/confirm"), &Value::Null),
            ("POST", &format!("/appointments/{unknown}/decline"), &Value::Null),
            ("POST", &format!("/appointments/{unknown}/cancel"), &Value::Null),
            ("POST", &format!("/appointments/{unknown}/reschedule"), &to),
            ("GET", "/audit", &Value::Null),
        ] {
            let call = operator.call(method, path);
            let answer = if body.is_null() { call.await } else { call.json(body).await };
            answer.fails(404, "not_found").says("business");
            let odd = operator.call(method, &format!("{path}?odd=1"));
            let answer = if body.is_null() { odd.await } else { odd.json(body).await };
            answer.invalid_at(&["odd"]);
        }
        operator.post("/services", &json!({})).await.is(400);
    }
}

#[tokio::test]
async fn a_known_path_with_another_method_gets_405() {
    let server = Server::open().await;
    let salon = server.salon().await;
    let listed = |allow: &str| {
        let mut methods: Vec<_> = allow.split(", ").map(str::to_owned).collect();
        methods.sort();
        methods.join(" ")
    };
    for (method, path, allow) in [
        ("PUT", "", "DELETE GET HEAD PATCH"),
        ("PUT", "/services", "GET HEAD POST"),
        ("GET", "/services/x", "DELETE PATCH"),
        ("GET", "/appointments/x/confirm", "POST"),
        ("POST", "/audit", "GET HEAD"),
    ] {
        let answer = salon.operator.call(method, path).await;
        assert_eq!(listed(answer.fails(405, "method_not_allowed").header("allow")), allow);
    }
    salon.operator.get("/nowhere").await.fails(404, "not_found");
    server.operator.get("/me").await.fails(404, "not_found");
}

#[tokio::test]
async fn a_business_is_created_with_defaults() {
    let server = Server::open().await;
    let body = json!({ "name": "Barber", "timezone": "America/New_York" });
    let made = server.operator.post("/businesses", &body).await.created();
    let expected = json!({
        "id": made["id"],
        "name": "Barber",
        "timezone": "America/New_York",
        "locale": "en",
        "website_url": null,
        "booking_mode": "instant",
        "hours": [],
        "created_at": "2026-03-02T06:00:00.000Z",
        "updated_at": "2026-03-02T06:00:00.000Z",
        "phone_region": "US",
        "suspended": false,
        "breaks": [],
        "customer_word": "client",
        "grid_minutes": 15,
    });
    assert_eq!(made, expected);
    assert_eq!(server.operator_of(made["id"].as_str().unwrap()).get("").await.data(), expected);
}

#[tokio::test]
async fn a_business_is_created_and_changed_with_every_property() {
    let server = Server::open().await;
    let mut body = json!({
        "name": "Zoé",
        "timezone": "Europe/Paris",
        "locale": "fr",
        "website_url": "https://zoe.example",
        "booking_mode": "request",
        "hours": week("09:00", "18:00"),
        "breaks": [{ "day": "monday", "from": "12:00", "to": "13:00" }],
        "phone_region": "FR",
    });
    let made = server.operator.post("/businesses", &body).await.created();
    let operator = server.operator_of(made["id"].as_str().unwrap());
    for (name, value) in body.as_object().unwrap() {
        assert_eq!(made[name], *value, "{name}");
    }
    for change in [
        json!({ "name": "Z" }),
        json!({ "timezone": "Asia/Tokyo" }),
        json!({ "locale": "en" }),
        json!({ "website_url": null }),
        json!({ "booking_mode": "off" }),
        json!({ "hours": [] }),
        json!({ "breaks": [] }),
        json!({ "phone_region": "JP" }),
        json!({ "customer_word": "guest" }),
        json!({ "grid_minutes": 30 }),
        json!({ "suspended": true }),
    ] {
        body.as_object_mut().unwrap().extend(change.as_object().unwrap().clone());
        let mut changed = operator.patch("", &change).await.data();
        assert_eq!(changed["affected"]["count"], 0, "no appointment exists, so none can be affected");
        changed.as_object_mut().unwrap().remove("affected");
        for (name, value) in body.as_object().unwrap() {
            assert_eq!(changed[name], *value, "{name} after {change}");
        }
        assert_eq!(operator.get("").await.data(), changed);
    }
}

#[tokio::test]
async fn invalid_businesses_are_refused_with_the_paths() {
    let server = Server::open().await;
    let good = json!({ "name": "x", "timezone": "UTC" });
    server.operator.post("/businesses", &json!({})).await.invalid_at(&["name", "timezone"]);
    let made = server.operator.post("/businesses", &good).await.created();
    let operator = server.operator_of(made["id"].as_str().unwrap());
    for (change, path) in [
        (json!({ "name": "" }), "name"),
        (json!({ "name": "\u{2003}\n" }), "name"),
        (json!({ "name": null }), "name"),
        (json!({ "timezone": "Paris" }), "timezone"),
        (json!({ "locale": "de" }), "locale"),
        (json!({ "website_url": "ftp://x.example" }), "website_url"),
        (json!({ "booking_mode": "Instant" }), "booking_mode"),
        (json!({ "phone_region": "us" }), "phone_region"),
        (json!({ "phone_region": "XX" }), "phone_region"),
        (json!({ "phone_region": "USA" }), "phone_region"),
        (json!({ "hours": [{ "day": "monday", "open": "25:00", "close": "09:00" }] }), "hours[0].open"),
        (json!({ "created_at": "2026-03-02T06:00:00Z" }), "created_at"),
    ] {
        let mut body = good.clone();
        body.as_object_mut().unwrap().extend(change.as_object().unwrap().clone());
        server.operator.post("/businesses", &body).await.invalid_at(&[path]);
        operator.patch("", &body).await.invalid_at(&[path]);
    }
    operator.patch("", &json!({})).await.invalid_at(&[""]);
    operator.patch("", &json!({ "suspended": "yes" })).await.invalid_at(&["suspended"]);
    server
        .operator
        .post("/businesses", &json!({ "name": "x", "timezone": "UTC", "suspended": true }))
        .await
        .invalid_at(&["suspended"]);
    assert_eq!(server.operator.all("/businesses").await.len(), 1);
}

#[tokio::test]
async fn businesses_are_listed_by_page_and_stay_through_a_restart() {
    let mut server = Server::open().await;
    assert!(server.operator.all("/businesses").await.is_empty());
    for n in 0..5 {
        server
            .operator
            .post("/businesses", &json!({ "name": format!("B{n}"), "timezone": "UTC" }))
            .await
            .is(201);
    }
    let whole = server.operator.all("/businesses").await;
    let names: Vec<_> = whole.iter().map(|one| one["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["B0", "B1", "B2", "B3", "B4"]);
    for limit in 1..=5 {
        assert_eq!(server.operator.walk("/businesses", limit).await, whole);
    }
    let cursor = server.operator.get("/businesses?limit=2").await.body["next_cursor"].clone();
    let path = format!("/businesses?limit=2&cursor={}", cursor.as_str().unwrap());
    let page = server.operator.get(&path).await.list();
    server.restart().await;
    assert_eq!(server.operator.get(&path).await.list(), page);
    assert_eq!(server.operator.all("/businesses").await, whole);
    assert_eq!(ids(&page), ids(&whole[2..4]));
}

#[tokio::test]
async fn everything_stays_through_a_restart() {
    let mut server = Server::open().await;
    let salon = server.salon().await;
    let kept = salon.book(&salon.cut, "2026-03-03T09:00:00Z").await;
    let gone = salon.book(&salon.massage, "2026-03-03T10:00:00Z").await;
    salon.cancel(&gone).await.is(200);
    let paths = [
        "/business",
        "/services",
        "/staff",
        "/appointments",
        "/appointments?updated_since=2000-01-01T00:00:00Z",
    ];
    let slots = format!("/availability?service_id={}&start_date=2026-03-03", salon.cut);
    let mut before = Vec::new();
    for path in paths.iter().copied().chain([slots.as_str()]) {
        before.push((path, salon.get(path).await.body));
    }
    let audit = salon.operator.all("/audit").await;
    for _ in 0..2 {
        server.restart().await;
        let salon = salon.again(&server);
        for (path, body) in &before {
            assert_eq!(salon.get(path).await.body, *body, "{path}");
        }
        assert_eq!(salon.operator.all("/audit").await, audit);
    }
    let salon = salon.again(&server);
    let more = json!({ "staff_id": kept["staff_id"] });
    salon.try_book_with(&salon.cut, "2026-03-03T09:00:00Z", more).await.fails(409, "slot_unavailable");
}

#[tokio::test]
async fn wrong_tokens_are_limited_by_address_and_the_right_token_never_is() {
    let server = Server::with_proxies("127.0.0.1", 1).await;
    server.clock.set("2026-03-02T07:00:15Z");
    let ask = async |from: &str, token: &str| {
        let operator = server.operator.with_token(token);
        operator.call("GET", "/businesses").header("x-forwarded-for", from).await
    };
    let wrong = format!("{TOKEN}x");
    for from in ["203.0.113.1", "2001:db8::1"] {
        for _ in 0..5 {
            ask(from, &wrong).await.fails(401, "unauthorized");
        }
        for _ in 0..3 {
            let refused = ask(from, &wrong).await;
            assert_eq!(refused.fails(429, "rate_limited").number("retry-after"), 45);
            ask(from, TOKEN).await.is(200);
        }
        let anonymous = server.operator.anonymous();
        anonymous.call("GET", "/businesses").header("x-forwarded-for", from).await.is(401);
        let nowhere = server.operator.call("GET", "/nowhere").header("x-forwarded-for", from).await;
        nowhere.is(404);
    }
    ask("2001:db8::2", &wrong).await.fails(429, "rate_limited");
    for other in ["203.0.113.2", "2001:db8:0:1::1"] {
        ask(other, &wrong).await.fails(401, "unauthorized");
    }
    server.clock.set("2026-03-02T07:01:00Z");
    ask("203.0.113.1", &wrong).await.fails(401, "unauthorized");
}

#[tokio::test]
async fn the_operator_listener_accepts_only_its_own_host_names() {
    let server = Server::called(&["desk.example"]).await;
    let address = server.operator_root().address;
    for path in ["/admin/v1/businesses", "/admin/v1/nowhere", "/nowhere", "/metrics"] {
        let ask = async |host: &str| {
            let request = format!("GET {path} HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\n\r\n");
            raw(address, request.as_bytes()).await
        };
        for host in ["127.0.0.1:8081", "[::1]", "192.0.2.1", "localhost:1", "Desk.Example:8081"] {
            let answer = ask(host).await;
            assert!(!answer.starts_with("HTTP/1.1 403 "), "{path} with the host {host}: {answer}");
        }
        for host in ["evil.example", "desk.example.evil", "x.localhost.example:80", ""] {
            let answer = ask(host).await;
            assert!(answer.starts_with("HTTP/1.1 403 "), "{path} with the host {host}: {answer}");
            assert!(answer.contains("RECEPTIONIST_ADMIN_HOSTS"), "{answer}");
        }
    }
    let target = "GET http://evil.example/metrics HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n";
    let answer = raw(address, target.as_bytes()).await;
    assert!(answer.starts_with("HTTP/1.1 400 "), "{answer}");
    let answer = raw(address, b"GET /metrics HTTP/1.0\r\n\r\n").await;
    assert!(answer.starts_with("HTTP/1.0 200 "), "{answer}");
    // This request has a valid token, but its `Host` is unknown, so it is refused. The harness checks that
    // the API document contains the error.
    let refused = server.operator.call("GET", "/businesses").header("host", "evil.example").await;
    refused.fails(403, "forbidden").says("RECEPTIONIST_ADMIN_HOSTS");
}
