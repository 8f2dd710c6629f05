//! Tests that the response to an invalid request is a 4xx error that names the invalid part.

use serde_json::{Value, json};

use crate::harness::{Api, Salon, Server, raw};

const BODY_BYTES_MAX: usize = 256 * 1024;

/// Every endpoint that takes a body, with a valid body.
async fn endpoints(salon: &Salon) -> Vec<(Api, &'static str, String, Value)> {
    let booked = salon.book(&salon.cut, "2026-03-03T09:00:00Z").await;
    let reschedule = format!("/appointments/{}/reschedule", booked["id"].as_str().unwrap());
    let booking = salon.booking(&salon.cut, "2026-03-03T11:00:00Z", json!({}));
    let to = json!({ "starts_at": "2026-03-03T10:00:00Z" });
    let name = json!({ "name": "x" });
    vec![
        (salon.api.clone(), "PATCH", "/business".into(), name.clone()),
        (salon.api.clone(), "POST", "/appointments".into(), booking.clone()),
        (salon.api.clone(), "POST", reschedule.clone(), to.clone()),
        (salon.operator.clone(), "PATCH", String::new(), name.clone()),
        (salon.operator.clone(), "POST", "/services".into(), json!({ "name": "x", "duration_minutes": 30 })),
        (salon.operator.clone(), "PATCH", format!("/services/{}", salon.cut), name.clone()),
        (salon.operator.clone(), "POST", "/staff".into(), json!({ "name": "x", "service_ids": [] })),
        (salon.operator.clone(), "PATCH", format!("/staff/{}", salon.ben), name),
        (salon.operator.clone(), "POST", "/keys".into(), json!({ "name": "x", "scopes": ["calls:read"] })),
        (salon.operator.clone(), "POST", "/appointments".into(), booking),
        (salon.operator.clone(), "POST", reschedule, to),
    ]
}

#[tokio::test]
async fn a_body_that_is_no_json_object_is_refused_everywhere() {
    let server = Server::open().await;
    let salon = server.salon().await;
    let deep =
        |open: &str, close: &str| format!("{}{}", open.repeat(10_000), close.repeat(10_000)).into_bytes();
    for (api, method, path, good) in endpoints(&salon).await {
        for body in [
            &b""[..],
            b" \r\n\t ",
            b"{",
            b"}",
            b"{\"name\":}",
            b"{'name': 'x'}",
            b"{\"name\": \"x\",}",
            b"{\"name\": \"x\"} {}",
            b"{\"name\": \"x\"}\0",
            b"\xef\xbb\xbf{}",
            b"{\"name\": \"\xff\"}",
            b"{\"name\": \"\xed\xa0\x80\"}",
            b"{\"\xc3\x28\": 1}",
            b"{\"name\": \"\\ud800\"}",
            b"{\"name\": \"\\udc00\\ud800\"}",
            b"{\"name\": \"\\x41\"}",
            b"{\"name\": \"a\nb\"}",
            b"{\"name\": 01}",
            b"{\"name\": NaN}",
            b"{\"name\": 1e400}",
            b"{\"name\": -1e999999999}",
            b"null",
            b"true",
            b"7",
            b"\"name\"",
            b"[]",
            b"[{\"name\": \"x\"}]",
            b"name=x",
            &deep("[", "]"),
            &deep("{\"a\":", "}"),
            &b"[".repeat(100_000),
        ] {
            api.call(method, &path).bytes(body.to_vec()).await.invalid_at(&[""]);
        }
        // The valid body is accepted, so the refusals above were caused by the invalid bodies.
        let answer = api.call(method, &path).json(&good).await;
        assert!(matches!(answer.status, 200 | 201), "{answer}");
    }
}

#[tokio::test]
async fn a_property_that_is_unknown_or_given_twice_is_named_everywhere() {
    let server = Server::open().await;
    let salon = server.salon().await;
    for (api, method, path, good) in endpoints(&salon).await {
        let text = good.to_string();
        let (name, value) = good.as_object().unwrap().iter().next().unwrap();
        let with = |more: &str| format!("{},{more}}}", &text[..text.len() - 1]);
        for odd in ["odd", "", "Name", "__proto__", "naïve"] {
            let body = with(&format!("\"{odd}\": 1"));
            api.call(method, &path).bytes(body).await.invalid_at(&[odd]);
        }
        let twice = with(&format!("\"{name}\": {value}"));
        api.call(method, &path).bytes(twice).await.invalid_at(&[name]);
        let escaped = with(&format!("\"\\u{:04x}{}\": {value}", name.as_bytes()[0], &name[1..]));
        api.call(method, &path).bytes(escaped).await.invalid_at(&[name]);
        let long = with(&format!("\"{}\": 1", "x".repeat(10_000)));
        let answer = api.call(method, &path).bytes(long).await;
        assert!(answer.is(400).bytes.len() < 1_000, "{answer}");
        let many: Vec<_> = (0..5_000).map(|n| format!("\"p{n}\": 1")).collect();
        let answer = api.call(method, &path).bytes(with(&many.join(","))).await;
        assert!(answer.fails(400, "invalid_request").bytes.len() < 20_000, "{}", answer.bytes.len());
    }
    let inside = format!(
        "{{\"service_id\":\"{}\",\"starts_at\":\"2026-03-03T11:00:00Z\",\"contact\":{{\"phone\":\"+14155552671\",\"phone\":\"+14155552671\"}}}}",
        salon.cut
    );
    salon.api.call("POST", "/appointments").bytes(inside).await.invalid_at(&["contact.phone"]);
}

#[tokio::test]
async fn every_wrong_type_is_refused_with_its_path() {
    let server = Server::open().await;
    let salon = server.salon().await;
    let wrong = [json!(7), json!(true), json!([]), json!({}), json!(1.5), json!([["x"]]), json!(1e300)];
    for (api, method, path, good) in endpoints(&salon).await {
        for (name, value) in good.as_object().unwrap() {
            for bad in &wrong {
                let fits = match value {
                    Value::Number(_) => *bad == json!(7),
                    Value::Array(_) => bad.is_array(),
                    Value::Object(_) => bad.is_object(),
                    _ => false,
                };
                if !fits {
                    let mut body = good.clone();
                    body[name] = bad.clone();
                    api.call(method, &path).json(&body).await.invalid_at(&[name]);
                }
            }
        }
    }
}

#[tokio::test]
async fn names_have_1_to_200_characters_of_any_script_and_no_nul() {
    let server = Server::open().await;
    let salon = server.salon().await;
    for (api, method, path, mut good) in endpoints(&salon).await {
        if good.get("name").is_none() {
            continue;
        }
        let mut send = async |name: String| {
            good["name"] = json!(name);
            api.call(method, &path).json(&good).await
        };
        for letter in ["x", "é", "語", "🦀"] {
            for count in [1, 200] {
                assert_eq!(send(letter.repeat(count)).await.data()["name"], letter.repeat(count));
            }
            send(letter.repeat(201)).await.invalid_at(&["name"]);
        }
        for bad in ["", " ", "\t\n", "\u{a0}\u{3000}", "a\0b", "\0"] {
            send(bad.to_owned()).await.invalid_at(&["name"]);
        }
        assert_eq!(
            send(" a\u{301} \"b\" \\ </script> ".into()).await.data()["name"],
            " a\u{301} \"b\" \\ </script> "
        );
    }
}

#[tokio::test]
async fn a_body_may_have_256_kib_and_not_a_byte_more() {
    let server = Server::open().await;
    let salon = server.salon().await;
    let padded = |length: usize| {
        let body = json!({ "name": "x" }).to_string();
        format!("{body}{}", " ".repeat(length - body.len()))
    };
    for (api, path) in [(&salon.api, "/business"), (&salon.operator, "")] {
        api.call("PATCH", path).bytes(padded(BODY_BYTES_MAX)).await.is(200);
        api.call("PATCH", path).bytes(padded(BODY_BYTES_MAX + 1)).await.fails(413, "invalid_request");
    }
    let cancel = "/appointments/none/cancel";
    salon.api.call("POST", cancel).bytes(padded(BODY_BYTES_MAX + 1)).await.fails(413, "invalid_request");
    let chunk = format!("10001\r\n{}\r\n", " ".repeat(0x10001));
    let head = format!(
        "PATCH /v1/business HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {}\r\ntransfer-encoding: chunked\r\n\r\n",
        salon.key
    );
    let answer = raw(salon.api.address, format!("{head}{}0\r\n\r\n", chunk.repeat(4)).as_bytes()).await;
    assert!(answer.starts_with("HTTP/1.1 413 "), "{answer}");
    assert!(answer.contains("\"invalid_request\""), "{answer}");
}

#[tokio::test]
async fn a_body_with_another_media_type_gets_415_and_without_one_is_read_as_json() {
    let server = Server::open().await;
    let salon = server.salon().await;
    let send = |kind: Option<&str>| {
        let call = salon.api.call("PATCH", "/business").bytes(r#"{"name": "x"}"#);
        match kind {
            Some(kind) => call.header("content-type", kind),
            None => call,
        }
    };
    for good in [
        None,
        Some("application/json"),
        Some("Application/JSON; charset=utf-8"),
        Some("application/json;x=y"),
    ] {
        send(good).await.is(200);
    }
    for bad in [
        "text/plain",
        "application/x-www-form-urlencoded",
        "application/jsonp",
        "application/problem+json",
        "json",
        "",
    ] {
        send(Some(bad)).await.fails(415, "invalid_request");
    }
    send(Some("application/json")).header("content-type", "text/plain").await.fails(415, "invalid_request");
}

#[tokio::test]
async fn invalid_query_parameters_are_named_on_every_route() {
    let server = Server::open().await;
    let salon = server.salon().await;
    let slots = format!("/availability?service_id={}&start_date=2026-03-03&", salon.cut);
    for (api, path) in [
        (&salon.api, "/me?"),
        (&salon.api, "/business?"),
        (&salon.api, "/services?"),
        (&salon.api, "/staff?"),
        (&salon.api, "/appointments?"),
        (&salon.api, &*slots),
        (&salon.operator, "?"),
        (&salon.operator, "/services?"),
        (&salon.operator, "/staff?"),
        (&salon.operator, "/keys?"),
        (&salon.operator, "/feeds?"),
        (&salon.operator, "/calendars?"),
        (&salon.operator, "/audit?"),
        (&server.operator, "/businesses?"),
    ] {
        for (query, name) in [
            ("odd=1", "odd"),
            ("odd", "odd"),
            ("o%64d=1", "odd"),
            ("%C3%A9=1", "é"),
            ("Limit=1", "Limit"),
            ("limit%20=1", "limit "),
        ] {
            api.get(&format!("{path}{query}")).await.invalid_at(&[name]);
        }
        for broken in ["%", "%f", "%zz=1", "%ff=1", "odd=%ff", "odd=%e9", "odd=%"] {
            let answer = api.get(&format!("{path}{broken}")).await;
            answer.fails(400, "invalid_request");
        }
        let long = api.get(&format!("{path}{}=1", "x".repeat(5_000))).await;
        assert!(long.is(400).bytes.len() < 1_000);
    }
    for (query, name) in [
        ("limit=1&limit=1", "limit"),
        ("limit=1&li%6dit=2", "limit"),
        ("status=%ff", "status"),
        ("status=confirmed%00", "status"),
        ("cursor=%00", "cursor"),
        ("from=9999-99-99T00:00:00Z", "from"),
        ("from=-262143-01-01T00:00:00Z", "from"),
        ("from=+10000-01-01T00:00:00Z", "from"),
        ("updated_since=10000-01-01T00:00:00Z", "updated_since"),
    ] {
        salon.get(&format!("/appointments?{query}")).await.invalid_at(&[name]);
    }
}

#[tokio::test]
async fn unknown_paths_of_any_length_and_content_get_404() {
    let server = Server::open().await;
    let salon = server.salon().await;
    let long = "x".repeat(5_000);
    for id in [
        "%00",
        "%2e%2e",
        "..%2f..",
        "%F0%9F%A6%80",
        "%ff",
        "'",
        "%25",
        "*",
        &long,
        "018f0000000070008000000000000000",
    ] {
        salon.get(&format!("/appointments/{id}")).await.fails(404, "not_found");
        salon.api.call("POST", &format!("/appointments/{id}/cancel")).await.fails(404, "not_found");
        server.operator.get(&format!("/businesses/{id}")).await.fails(404, "not_found");
        let answer = salon.get(&format!("/{id}")).await;
        assert!(answer.fails(404, "not_found").bytes.len() < 1_000, "{answer}");
    }
}
