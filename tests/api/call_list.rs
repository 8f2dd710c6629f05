//! Tests of the filters and the order of `GET /calls`.

use serde_json::{Value, json};

use crate::harness::{OUTCOMES, Salon, Server, encoded, ids, pick};

/// Records calls one second apart, but not in the order of their start times. The last two have the same
/// start time.
async fn some(server: &Server, salon: &Salon) -> Vec<Value> {
    let mut made = Vec::new();
    for (hour, direction, outcome, number) in [
        (3, "inbound", "other", "+33611111111"),
        (1, "inbound", "spam", "+33622222222"),
        (4, "outbound", "other", "+33611111111"),
        (2, "outbound", "voicemail", "+33622222222"),
        (0, "inbound", "other", "+33622222222"),
        (0, "inbound", "other", "+33611111111"),
    ] {
        server.clock.advance(1);
        let body = json!({
            "direction": direction,
            "outcome": outcome,
            if direction == "inbound" { "from_number" } else { "to_number" }: number,
            "started_at": format!("2026-03-01T0{hour}:00:00Z"),
            "ended_at": format!("2026-03-01T0{hour}:00:30Z"),
        });
        made.push(salon.record_call(body).await);
    }
    made
}

#[tokio::test]
async fn calls_are_ordered_by_their_start_the_newest_first() {
    let server = Server::open().await;
    let salon = server.salon().await;
    assert!(salon.api.all("/calls").await.is_empty());
    let made = some(&server, &salon).await;
    let whole = salon.api.all("/calls").await;
    assert_eq!(whole[..4], pick(&made, &[2, 0, 3, 1]));
    let mut last = whole[4..].to_vec();
    last.sort_by_key(|call| call["id"].as_str().unwrap().to_owned());
    assert_eq!(last, made[4..]);
    for limit in 1..=7 {
        assert_eq!(salon.api.walk("/calls", limit).await, whole, "{limit}");
    }
}

#[tokio::test]
async fn filters_select_the_right_items_alone_and_combined() {
    let server = Server::open().await;
    let salon = server.salon().await;
    let made = some(&server, &salon).await;
    let contact = made[0]["contact_id"].as_str().unwrap();
    for (query, kept) in [
        ("direction=inbound".to_owned(), &[0, 1, 5, 4][..]),
        ("direction=outbound".to_owned(), &[2, 3]),
        ("outcome=other".to_owned(), &[2, 0, 5, 4]),
        ("outcome=spam".to_owned(), &[1]),
        ("outcome=hangup".to_owned(), &[]),
        (format!("contact_id={contact}"), &[2, 0, 5]),
        ("from=2026-03-01T02:00:00Z".to_owned(), &[2, 0, 3]),
        ("from=2026-03-01T02:00:00.001Z".to_owned(), &[2, 0]),
        ("to=2026-03-01T02:00:00Z".to_owned(), &[1, 5, 4]),
        (format!("to={}", encoded("2026-03-01T03:00:00.001+01:00")), &[3, 1, 5, 4]),
        ("from=2026-03-01T01:00:00Z&to=2026-03-01T03:00:00Z".to_owned(), &[3, 1]),
        ("from=2026-03-01T03:00:00Z&to=2026-03-01T01:00:00Z".to_owned(), &[]),
        (format!("contact_id={contact}&direction=inbound&outcome=other"), &[0, 5]),
        (format!("contact_id={contact}&to=2026-03-01T04:00:00Z&direction=outbound"), &[]),
        ("outcome=other&from=2026-03-01T00:00:00Z&to=2026-03-01T00:00:00.001Z".to_owned(), &[5, 4]),
    ] {
        let expected = pick(&made, kept);
        for limit in [1, 2, 100] {
            let found = salon.api.walk(&format!("/calls?{query}"), limit).await;
            assert_eq!(found, expected, "{query}");
        }
    }
}

#[tokio::test]
async fn calls_can_be_filtered_by_every_outcome() {
    let server = Server::open().await;
    let salon = server.salon().await;
    for outcome in OUTCOMES {
        salon.record_call(json!({ "outcome": outcome })).await;
    }
    for outcome in OUTCOMES {
        let found = salon.api.all(&format!("/calls?outcome={outcome}")).await;
        assert_eq!((found.len(), &found[0]["outcome"]), (1, &json!(outcome)));
    }
}

#[tokio::test]
async fn updated_since_gives_calls_in_the_order_they_were_saved() {
    let server = Server::open().await;
    let salon = server.salon().await;
    let made = some(&server, &salon).await;
    for (query, kept) in [
        ("updated_since=2000-01-01T00:00:00Z", &[0, 1, 2, 3, 4, 5][..]),
        ("updated_since=2026-03-02T06:00:04Z", &[3, 4, 5]),
        ("updated_since=2026-03-02T06:00:04.001Z", &[4, 5]),
        ("updated_since=2026-03-02T06:00:06.001Z", &[]),
        ("updated_since=2026-03-02T06:00:02Z&direction=outbound", &[2, 3]),
        ("updated_since=2026-03-02T06:00:02Z&from=2026-03-01T01:00:00Z&outcome=other", &[2]),
    ] {
        for limit in 1..=7 {
            let found = salon.api.walk(&format!("/calls?{query}"), limit).await;
            assert_eq!(ids(&found), ids(&pick(&made, kept)), "{query}");
        }
    }
}

#[tokio::test]
async fn an_unknown_contact_as_a_filter_gives_an_empty_list() {
    let server = Server::open().await;
    let (salon, other) = (server.salon().await, server.salon().await);
    some(&server, &salon).await;
    let theirs = other.contact(json!({ "phone": "+33611111111" })).await;
    for id in ["018f0000-0000-7000-8000-000000000000", theirs["id"].as_str().unwrap(), &salon.id] {
        assert!(salon.api.all(&format!("/calls?contact_id={id}")).await.is_empty());
        assert!(salon.api.all(&format!("/messages?contact_id={id}")).await.is_empty());
        assert!(salon.api.all(&format!("/messages?call_id={id}")).await.is_empty());
    }
}

#[tokio::test]
async fn invalid_filters_are_named() {
    let server = Server::open().await;
    let salon = server.salon().await;
    for (query, path) in [
        ("from=2026-03-01", "from"),
        ("to=tomorrow", "to"),
        ("direction=in", "direction"),
        ("direction=", "direction"),
        ("direction=inbound&direction=outbound", "direction"),
        ("outcome=Other", "outcome"),
        ("outcome=other,spam", "outcome"),
        ("contact_id=x", "contact_id"),
        ("updated_since=2026-03-01T00:00:00", "updated_since"),
        ("status=completed", "status"),
        ("limit=0", "limit"),
        ("cursor=AAAA", "cursor"),
    ] {
        salon.get(&format!("/calls?{query}")).await.invalid_at(&[path]);
    }
}

#[tokio::test]
async fn calls_of_any_age_are_in_order() {
    let server = Server::open().await;
    let salon = server.salon().await;
    let mut made = Vec::new();
    for started in [
        "0001-01-01T00:00:00.000Z",
        "1899-12-31T23:59:59.999Z",
        "1969-12-31T23:59:59.999Z",
        "1970-01-01T00:00:00.000Z",
        "2026-03-01T00:00:00.000Z",
        "9999-12-31T23:59:59.999Z",
    ] {
        let call = salon.record_call(json!({ "started_at": started, "ended_at": started })).await;
        assert_eq!((&call["started_at"], &call["duration_seconds"]), (&json!(started), &json!(0)));
        made.insert(0, call);
    }
    for limit in 1..=7 {
        assert_eq!(salon.api.walk("/calls", limit).await, made);
    }
    let between = "/calls?from=1969-12-31T23:59:59.999Z&to=1970-01-01T00:00:00.001Z";
    assert_eq!(salon.api.all(between).await, made[2..4]);
    let last = "/calls?from=9999-12-31T23:59:59.999Z";
    assert_eq!(salon.api.all(last).await, made[..1]);
    for query in ["to=9999-12-31T23:59:59.999Z", "to=9999-12-31T23:59:59.999Z&outcome=other"] {
        assert_eq!(salon.api.all(&format!("/calls?{query}")).await, made[1..]);
    }
    let ages = json!({ "started_at": "0001-01-01T00:00:00Z", "ended_at": "9999-12-31T00:00:00Z" });
    assert_eq!(salon.record_call(ages).await["duration_seconds"], u32::MAX);
    for beyond in ["9999-12-31T23:59:59-00:01", "0000-01-01T00:00:00+00:01", "10000-01-01T00:00:00Z"] {
        let answer = salon.try_call(json!({ "started_at": beyond, "ended_at": beyond })).await;
        answer.invalid_at(&["started_at", "ended_at"]);
    }
}
