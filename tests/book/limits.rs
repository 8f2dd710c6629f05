//! Tests of the limits on requests and bookings of the booking page.

use serde_json::json;

use crate::harness::Answer;
use crate::site::Site;

/// The bookable half hour with this number. There are 18 half hours on each of 6 days.
fn time(number: usize) -> String {
    let (day, half) = (number / 18, number % 18);
    format!("2026-03-{:02}T{:02}:{:02}:00.000Z", 2 + day, 8 + half / 2, half % 2 * 30)
}

async fn book(site: &Site, number: usize, phone: &str, address: &str) -> Answer {
    let form = site.form(&time(number), &[("phone", phone)]).await;
    site.send_with(&form, &[("x-forwarded-for", address)]).await
}

#[tokio::test]
async fn an_address_has_240_requests_in_a_calendar_minute() {
    let site = Site::open().await;
    site.server.clock.advance(60);
    let from = |address: &'static str| {
        let call = site.server.root().call("GET", &format!("{}/theme.css", site.path));
        call.header("x-forwarded-for", address)
    };
    for _ in 0..240 {
        from("192.0.2.1").await.is(200);
    }
    let over = from("192.0.2.1").await;
    over.is(429);
    assert_eq!(over.header("retry-after"), "60");
    from("192.0.2.2").await.is(200);
    site.server.clock.advance(60);
    from("192.0.2.1").await.is(200);
    for last in 0..240 {
        let call = site.server.root().call("GET", &format!("{}/theme.css", site.path));
        call.header("x-forwarded-for", &format!("2001:db8::{last:x}")).await.is(200);
    }
    from("2001:db8::ffff").await.is(429);
    from("2001:db8:0:1::1").await.is(200);
}

#[tokio::test]
async fn an_address_sends_ten_valid_forms_an_hour_and_repeats_are_not_counted() {
    let site = Site::open().await;
    let first = site.form(&time(0), &[]).await;
    let send = async |form: &Vec<(String, String)>| {
        site.send_with(form, &[("x-forwarded-for", "192.0.2.1")]).await.status
    };
    assert_eq!(send(&first).await, 303);
    for number in 1..10 {
        assert_eq!(book(&site, number, &format!("+3361234570{number}"), "192.0.2.1").await.status, 303);
        let invalid = site.form(&time(number + 10), &[("name", "")]).await;
        assert_eq!(send(&invalid).await, 422);
        assert_eq!(send(&first).await, 303);
    }
    let over = book(&site, 10, "+33612345780", "192.0.2.1").await;
    over.is(429);
    assert_eq!(over.header("retry-after"), "3600");
    let closed = site.form(&time(10), &[("starts_at", "2026-03-02T03:00:00Z")]).await;
    assert_eq!(send(&closed).await, 429, "429 comes before 409");
    assert_eq!(send(&first).await, 303);
    book(&site, 10, "+33612345780", "192.0.2.2").await.is(303);
    site.server.clock.advance(3_600);
    book(&site, 11, "+33612345781", "192.0.2.1").await.is(303);
}

#[tokio::test]
async fn a_person_books_three_times_in_24_hours_from_an_address() {
    let site = Site::open().await;
    for number in 0..3 {
        let written = ["+33612345678", "06 12 34 56 78", "+33 6 12 34 56 78"][number];
        let form = site.form(&time(20 + number), &[("phone", written)]).await;
        site.send_with(&form, &[("x-forwarded-for", "192.0.2.1")]).await.is(303);
    }
    for id in site.appointments().await {
        let path = format!("/appointments/{}/cancel", id["id"].as_str().unwrap());
        site.salon.api.post(&path, &json!({})).await.is(200);
    }
    book(&site, 24, "+33612345678", "192.0.2.1").await.is(429);
    book(&site, 24, "+33612345679", "192.0.2.1").await.is(303);
    book(&site, 25, "+33612345678", "192.0.2.2").await.is(303);
    site.server.clock.advance(24 * 3_600);
    book(&site, 26, "+33612345678", "192.0.2.1").await.is(303);
}

#[tokio::test]
async fn a_form_that_another_limit_refuses_counts_as_a_form_of_its_address() {
    let site = Site::open().await;
    for number in 0..10 {
        let sent = book(&site, number, "+33612345678", "192.0.2.1").await;
        assert_eq!(sent.status, if number < 3 { 303 } else { 429 }, "{number}: {sent}");
    }
    book(&site, 10, "+33612345679", "192.0.2.1").await.is(429);
    book(&site, 10, "+33612345679", "192.0.2.2").await.is(303);
}

#[tokio::test]
async fn a_business_gets_a_hundred_bookings_an_hour_and_a_failed_one_is_not_counted() {
    let site = Site::open().await;
    for number in 0..99 {
        book(&site, number, &format!("+336123450{number:02}"), &format!("192.0.2.{number}")).await.is(303);
    }
    for number in 0..3 {
        let closed = [("starts_at", "2026-03-02T03:00:00Z"), ("phone", "+33612345699")];
        let form = site.form(&time(100), &closed).await;
        site.send_with(&form, &[("x-forwarded-for", &format!("192.0.3.{number}"))]).await.is(409);
    }
    book(&site, 99, "+33612345099", "192.0.2.99").await.is(303);
    book(&site, 100, "+33612345100", "192.0.2.100").await.is(429);
    site.server.clock.advance(3_600);
    book(&site, 100, "+33612345100", "192.0.2.100").await.is(303);
}
