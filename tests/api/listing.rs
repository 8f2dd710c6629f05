//! Tests of the filters and the order of `GET /appointments`.

use serde_json::{Value, json};

use crate::harness::{Salon, Server, ids, stamp, starts};

/// Books five appointments, but not in the order of their start times. The second one is cancelled.
async fn five(server: &Server, salon: &Salon) -> Vec<Value> {
    let mut made = Vec::new();
    for (service, staff, start, phone) in [
        (&salon.cut, &salon.ben, "2026-03-04T09:00", "+33611111111"),
        (&salon.cut, &salon.anna, "2026-03-03T09:00", "+33622222222"),
        (&salon.massage, &salon.anna, "2026-03-05T09:00", "+33611111111"),
        (&salon.colour, &salon.anna, "2026-03-03T12:00", "+33622222222"),
        (&salon.cut, &salon.chloe, "2026-03-04T09:00", "+33611111111"),
    ] {
        server.clock.advance(10);
        let more = json!({ "staff_id": staff, "contact": { "phone": phone } });
        made.push(salon.try_book_with(service, &stamp(start), more).await.created());
    }
    server.clock.advance(10);
    made[1] = salon.cancel(&made[1]).await.data();
    made
}

#[tokio::test]
async fn appointments_are_ordered_by_start_and_id_cancelled_ones_included() {
    let server = Server::open().await;
    let salon = server.salon().await;
    assert!(salon.api.all("/appointments").await.is_empty());
    let made = five(&server, &salon).await;
    let expected = [&made[1], &made[3], &made[0], &made[4], &made[2]].map(Clone::clone);
    let whole = salon.api.all("/appointments").await;
    assert_eq!(whole, expected);
    for limit in 1..=6 {
        assert_eq!(salon.api.walk("/appointments", limit).await, whole);
    }
}

#[tokio::test]
async fn filters_select_the_right_items_alone_and_combined() {
    let server = Server::open().await;
    let salon = server.salon().await;
    let made = five(&server, &salon).await;
    let contact = made[0]["contact_id"].as_str().unwrap();
    for (query, kept) in [
        ("status=confirmed".to_owned(), &[3, 0, 4, 2][..]),
        ("status=cancelled".to_owned(), &[1]),
        ("status=cancelled,confirmed".to_owned(), &[1, 3, 0, 4, 2]),
        ("status=confirmed,confirmed".to_owned(), &[3, 0, 4, 2]),
        ("status=pending,declined".to_owned(), &[]),
        (format!("service_id={}", salon.cut), &[1, 0, 4]),
        (format!("staff_id={}", salon.anna), &[1, 3, 2]),
        (format!("contact_id={contact}"), &[0, 4, 2]),
        ("from=2026-03-03T12:00:00Z".to_owned(), &[3, 0, 4, 2]),
        ("from=2026-03-03T12:00:00.001Z".to_owned(), &[0, 4, 2]),
        ("to=2026-03-04T09:00:00Z".to_owned(), &[1, 3]),
        ("to=2026-03-04T10:00:00.001%2B01:00".to_owned(), &[1, 3, 0, 4]),
        ("from=2026-03-03T12:00:00Z&to=2026-03-05T09:00:00Z".to_owned(), &[3, 0, 4]),
        ("from=2026-03-05T09:00:00Z&to=2026-03-03T09:00:00Z".to_owned(), &[]),
        ("from=0000-01-01T00:00:00Z&to=9999-12-31T23:59:59Z".to_owned(), &[1, 3, 0, 4, 2]),
        (format!("staff_id={}&status=confirmed&to=2026-03-04T00:00:00Z", salon.anna), &[3]),
        (format!("service_id={}&staff_id={}", salon.colour, salon.ben), &[]),
        (format!("contact_id={contact}&service_id={}&status=confirmed", salon.cut), &[0, 4]),
    ] {
        let expected: Vec<_> = kept.iter().map(|index| made[*index].clone()).collect();
        for limit in [1, 2, 100] {
            assert_eq!(salon.api.walk(&format!("/appointments?{query}"), limit).await, expected, "{query}");
        }
    }
}

#[tokio::test]
async fn an_unknown_id_as_a_filter_gives_an_empty_list() {
    let server = Server::open().await;
    let (salon, other) = (server.salon().await, server.salon().await);
    salon.book(&salon.cut, "2026-03-03T09:00:00Z").await;
    for name in ["service_id", "staff_id", "contact_id"] {
        for id in ["018f0000-0000-7000-8000-000000000000", &other.cut, &salon.id] {
            assert!(salon.api.all(&format!("/appointments?{name}={id}")).await.is_empty());
        }
    }
}

#[tokio::test]
async fn invalid_filters_are_named() {
    let server = Server::open().await;
    let salon = server.salon().await;
    for (query, path) in [
        ("status=", "status"),
        ("status=done", "status"),
        ("status=Confirmed", "status"),
        ("status=confirmed,", "status"),
        ("status=confirmed,%20cancelled", "status"),
        ("status=confirmed&status=cancelled", "status"),
        ("from=2026-03-03", "from"),
        ("from=2026-03-03T09:00:00", "from"),
        ("to=2026-03-03T10:00:00+01:00", "to"),
        ("service_id=x", "service_id"),
        ("staff_id=", "staff_id"),
        ("contact_id=018f000000007000800000000000000", "contact_id"),
        ("updated_since=yesterday", "updated_since"),
        ("limit=0", "limit"),
        ("limit=101", "limit"),
        ("limit=-1", "limit"),
        ("limit=1.0", "limit"),
        ("limit=+1", "limit"),
        ("limit=", "limit"),
        ("limit=99999999999999999999", "limit"),
        ("cursor=", "cursor"),
        ("page=2", "page"),
        ("Status=confirmed", "Status"),
        ("=1", ""),
    ] {
        salon.get(&format!("/appointments?{query}")).await.invalid_at(&[path]);
    }
    salon.get("/appointments?limit=x&from=y&to=z").await.invalid_at(&["from", "to", "limit"]);
    salon.get("/appointments?").await.is(200);
    salon.get("/appointments?&limit=1&").await.is(200);
}

#[tokio::test]
async fn updated_since_lists_changes_in_order_from_that_instant_on() {
    let server = Server::open().await;
    let salon = server.salon().await;
    let made = five(&server, &salon).await;
    let since = async |at: &str| {
        let query = format!("/appointments?updated_since={at}");
        let whole = salon.api.all(&query).await;
        for limit in 1..=3 {
            assert_eq!(salon.api.walk(&query, limit).await, whole);
        }
        ids(&whole)
    };
    let in_order = ids(&[0, 2, 3, 4, 1].map(|index: usize| made[index].clone()));
    assert_eq!(since("2000-01-01T00:00:00Z").await, in_order);
    assert_eq!(since("2026-03-02T06:00:40Z").await, in_order[2..]);
    assert_eq!(since("2026-03-02T06:00:40.001Z").await, in_order[3..]);
    assert_eq!(since("2026-03-02T06:01:00Z").await, in_order[4..]);
    assert!(since("2026-03-02T06:01:00.001Z").await.is_empty());
    server.clock.advance(10);
    salon.try_move(&made[0], json!({ "starts_at": "2026-03-06T09:00:00Z" })).await.is(200);
    assert_eq!(
        since("2026-03-02T06:00:30Z").await.last(),
        in_order.first(),
        "moving an appointment must count as a change"
    );
    let filtered = format!("/appointments?updated_since=2000-01-01T00:00:00Z&staff_id={}", salon.anna);
    assert_eq!(ids(&salon.api.all(&filtered).await), ids(&[2, 3, 1].map(|index: usize| made[index].clone())));
}

#[tokio::test]
async fn changes_with_the_same_stamp_are_all_listed() {
    let server = Server::open().await;
    let salon = server.salon().await;
    for hour in 8..16 {
        salon.book(&salon.cut, &format!("2026-03-03T{hour:02}:00:00Z")).await;
    }
    let query = "/appointments?updated_since=2026-03-02T06:00:00Z";
    let whole = ids(&salon.api.all(query).await);
    assert_eq!(whole.len(), 8);
    assert!(whole.is_sorted(), "appointments with the same timestamp must be sorted by id");
    for limit in 1..=8 {
        assert_eq!(ids(&salon.api.walk(query, limit).await), whole);
    }
}

#[tokio::test]
async fn a_clock_that_is_set_back_hides_no_change() {
    let server = Server::open().await;
    let salon = server.salon().await;
    let first = salon.book(&salon.cut, "2026-03-03T09:00:00Z").await;
    let last = first["updated_at"].as_str().unwrap().to_owned();
    server.clock.set("2026-03-02T05:00:00Z");
    let second = salon.book(&salon.cut, "2026-03-03T10:00:00Z").await;
    let cancelled = salon.cancel(&first).await.data();
    assert!(second["updated_at"].as_str().unwrap() >= last.as_str());
    let seen = salon.api.all(&format!("/appointments?updated_since={last}")).await;
    assert!(seen.contains(&second) && seen.contains(&cancelled), "{seen:?}");
    assert_eq!(starts(&seen).len(), 2);
}

#[tokio::test]
async fn the_page_size_is_50_by_default_and_100_at_most() {
    let server = Server::open().await;
    let salon = server.salon().await;
    for staff in [&salon.anna, &salon.ben, &salon.chloe] {
        for start in salon.slots(&salon.cut, &format!("start_date=2026-03-03&staff_id={staff}")).await {
            salon.book_with(&salon.cut, staff, &start).await;
        }
    }
    let page = salon.get("/appointments").await;
    assert_eq!((page.list().len(), &page.body["has_more"]), (50, &json!(true)));
    let rest =
        salon.get(&format!("/appointments?cursor={}", page.body["next_cursor"].as_str().unwrap())).await;
    assert_eq!((rest.list().len(), &rest.body["has_more"]), (4, &json!(false)));
    assert_eq!(salon.get("/appointments?limit=100").await.list().len(), 54);
    let exact = salon.get("/appointments?limit=54").await;
    assert_eq!(exact.body["has_more"], false, "a full last page must have no next page");
}
