//! Tests of the booking page with requests that no browser sends.

use serde_json::json;

use crate::harness::{Server, encoded};
use crate::site::{Site, hidden, text};

const TIME: &str = "2026-03-02T09:00:00.000Z";
const MARKUP: &str = "\"><script>alert(1)</script><b x='";

#[tokio::test]
async fn markup_and_invisible_characters_of_a_form_change_no_page() {
    let site = Site::with(json!({}), json!({ "show_prices": true })).await;
    let names = [
        MARKUP,
        "{{ 700 * 703 }}",
        "\u{202e}advertisement\u{2066}",
        "A\r\nBcc: b@example.com",
        "\u{1b}[2Jzebra",
        "%0d%0aX: 1",
    ];
    for (number, name) in names.into_iter().enumerate() {
        let fields = [("name", name), ("note", name), ("phone", MARKUP), ("email", MARKUP)];
        let refused = site.book(TIME, &fields).await;
        let page = text(refused.is(422));
        assert!(!page.contains("<script>alert") && !page.contains("<b x"), "{refused}");
        let time = format!("2026-03-02T{:02}:00:00.000Z", 8 + number);
        let phone = format!("+3361234567{number}");
        let booked = site.book(&time, &[("name", name), ("note", name), ("phone", &phone)]).await;
        let manage = booked.is(303).header("location");
        for path in ["", "/move", "/appointment.ics"] {
            let page = text(site.server.root().get(&format!("{manage}{path}")).await.is(200));
            for shown in ["alert(", "700 * 703", "492100", "advertisement", "Bcc:", "zebra", "X: 1"] {
                assert!(!page.contains(shown), "{name:?} on {path}: {page}");
            }
        }
    }
    let appointments = site.appointments().await;
    assert_eq!(appointments.len(), names.len());
    assert_eq!(appointments[0]["booked_as"]["name"], MARKUP);
    // A text with a NUL is refused, as in the APIs.
    for field in ["name", "note"] {
        site.book("2026-03-02T15:00:00.000Z", &[(field, "a\0b")]).await.is(422);
    }
    for (email, status) in [
        ("a@b.example,c@d.example", 422),
        ("a@b.example\r\nRCPT TO:<c@d.example>", 422),
        ("<a@b.example>", 422),
        // The part of an address before `@` may contain any character outside ASCII (RFC 6532).
        ("a\u{202e}@b.example", 303),
    ] {
        let sent = site.book("2026-03-02T15:00:00.000Z", &[("email", email), ("phone", "")]).await;
        assert_eq!(sent.status, status, "{email:?}: {sent}");
    }
}

#[tokio::test]
async fn a_query_has_no_effect_outside_its_meaning() {
    let site = Site::open().await;
    let (cut, manage) = (site.salon.cut.clone(), site.book(TIME, &[]).await.header("location").to_owned());
    let service = format!("service={cut}&");
    for value in [
        MARKUP,
        "../../etc/passwd",
        "2199-12-31",
        "9999-12-31",
        "+262142-12-31",
        "-262143-01-01",
        "0000-01-01",
        "9999-12-31T23:59:59.999Z",
        "2199-12-31T23:59:59.999Z",
        "0000-01-01T00:00:00Z",
        "2026-03-02T09:00:00+23:59",
        "\0",
        "\u{202e}",
    ] {
        let value = encoded(value);
        for path in [
            format!("{}?service={value}", site.path),
            format!("{}?{service}staff={value}", site.path),
            format!("{}?{service}date={value}", site.path),
            format!("{}?{service}time={value}", site.path),
            format!("{}?locale={value}&locale=fr", site.path),
            format!("{}/theme.css?{value}", site.path),
            format!("{manage}?locale={value}"),
            format!("{manage}/move?date={value}"),
            format!("{manage}/appointment.ics?{value}={value}"),
        ] {
            let answer = site.server.root().get(&path).await;
            let page = text(answer.is(200));
            assert!(!page.contains("<script>alert") && !page.contains("passwd"), "{path}: {answer}");
        }
        for path in [
            format!("/book/{value}"),
            format!("/book/{value}/frame"),
            format!("/book/manage/{value}"),
            format!("{}/frame/done/{value}", site.path),
            format!("/book/assets/{value}/book.css"),
        ] {
            site.server.root().get(&path).await.is(404);
        }
    }
}

#[tokio::test]
async fn extreme_times_of_a_form_are_refused() {
    let site = Site::open().await;
    let manage = site.book(TIME, &[]).await.header("location").to_owned();
    for time in
        ["9999-12-31T23:59:59.999Z", "0000-01-01T00:00:00Z", "2200-01-01T00:00:00Z", "1969-12-31T23:59:59Z"]
    {
        let status = site.book(TIME, &[("starts_at", time), ("phone", "+33612345677")]).await.status;
        assert!(matches!(status, 409 | 422), "{time}: {status}");
        for (name, status) in [("starts_at", [409, 422]), ("expected_starts_at", [409, 409])] {
            let mut fields = hidden(&site.server.root().get(&format!("{manage}/move")).await);
            fields.retain(|(field, _)| field != name);
            fields.push((name.into(), time.into()));
            if name != "starts_at" {
                fields.push(("starts_at".into(), "2026-03-02T10:00:00.000Z".into()));
            }
            let sent = site.send_to(&format!("{manage}/move"), &fields, &[]).await;
            assert!(status.contains(&sent.status), "{name} {time}: {sent}");
        }
    }
    assert_eq!(site.appointments().await[0]["starts_at"], TIME);
}

#[tokio::test]
async fn a_form_counts_only_on_the_page_that_made_it() {
    let site = Site::with(json!({}), json!({ "origins": ["https://a.example"] })).await;
    let other = site.server.salon().await;
    let page = json!({ "enabled": true, "slug": "other" });
    other.operator.patch("/website", &page).await.is(200);
    let form = site.form(TIME, &[]).await;
    // The form of the first business is sent to the page of another business twice: once unchanged, and once with
    // a service of the other business.
    let swapped: Vec<_> =
        form.iter().map(|(name, value)| (name.clone(), value.replace(&site.salon.cut, &other.cut))).collect();
    site.send_to("/book/other", &form, &[]).await.is(409);
    site.send_to("/book/other", &swapped, &[]).await.is(409);
    assert!(other.operator.all("/appointments").await.is_empty());
    // A form is valid at the address of the booking page and at the address of its frame. Even if the form is sent to
    // both addresses, it books only one appointment.
    let first = site.send_to(&format!("{}/frame", site.path), &form, &[]).await;
    assert!(first.is(303).header("location").contains("/frame/done/"));
    let manage = site.send(&form).await.is(303).header("location").to_owned();
    assert_eq!(site.appointments().await.len(), 1);
    // A form id of the booking page cannot change an appointment, and a form id of a manage link cannot book
    // one.
    let starts_at = [("expected_starts_at".to_owned(), TIME.to_owned())];
    let unused = site.form(TIME, &[]).await;
    site.send_to(&format!("{manage}/cancel"), &[&unused[..], &starts_at].concat(), &[]).await.is(409);
    let id = hidden(&site.server.root().get(&manage).await).into_iter().find(|(name, _)| name == "form_id");
    let mut booking = site.form("2026-03-02T10:00:00.000Z", &[]).await;
    booking.retain(|(name, _)| name != "form_id");
    booking.extend(id);
    site.send(&booking).await.is(409);
    // After a change to the slug, a form of the old page is refused at the new address, and the old address
    // no longer exists.
    site.website(json!({ "slug": "renamed" })).await;
    site.send_to("/book/renamed", &unused, &[]).await.is(409);
    site.send(&unused).await.is(404);
    assert_eq!(site.appointments().await.len(), 1);
}

#[tokio::test]
async fn an_untrusted_forwarded_address_is_ignored() {
    let server = Server::open().await;
    let mut salon = server.salon().await;
    salon.operator.patch("/website", &json!({ "enabled": true, "slug": "salon" })).await.is(200);
    salon = salon.again(&server);
    let site = Site { server, salon, path: "/book/salon".into() };
    for number in 0..11 {
        let (time, phone) = (
            format!("2026-03-03T{:02}:{:02}:00.000Z", 8 + number / 2, number % 2 * 30),
            format!("+336123456{number:02}"),
        );
        let form = site.form(&time, &[("phone", &phone)]).await;
        let address = format!("192.0.2.{number}");
        let headers =
            [("x-forwarded-for", &*address), ("forwarded", "for=192.0.2.9"), ("x-real-ip", &*address)];
        assert_eq!(
            site.send_with(&form, &headers).await.status,
            if number < 10 { 303 } else { 429 },
            "{number}"
        );
    }
}

#[tokio::test]
async fn the_addresses_of_an_ipv6_network_and_the_forms_of_one_address_share_their_limits() {
    let site = Site::open().await;
    let mut from = Vec::new();
    // The last address was added by the trusted proxy, so the service uses this address. The visitor can invent
    // the addresses before it.
    from.extend((0..5).map(|last| format!("192.0.2.{last}, 2001:db8::{last:x}")));
    from.extend((0..6).map(|last| format!("2001:db8:0:0:ffff::{last:x}")));
    for (number, from) in from.iter().enumerate() {
        let (time, phone) = (
            format!("2026-03-03T{:02}:{:02}:00.000Z", 8 + number / 2, number % 2 * 30),
            format!("+336123456{number:02}"),
        );
        let form = site.form(&time, &[("phone", &phone)]).await;
        let sent = site.send_with(&form, &[("x-forwarded-for", from)]).await;
        assert_eq!(sent.status, if number < 10 { 303 } else { 429 }, "{from}: {sent}");
    }
    let form = site.form("2026-03-03T15:00:00.000Z", &[("phone", "+33612345699")]).await;
    site.send_with(&form, &[("x-forwarded-for", "2001:db8:0:1::1")]).await.is(303);
}
