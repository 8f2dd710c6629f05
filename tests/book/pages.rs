//! Tests of the pages on which a customer books, step by step.

use serde_json::json;

use crate::harness::{Answer, Server, starts};
use crate::site::{Site, hidden, text, times};

#[tokio::test]
async fn the_steps_lead_from_the_services_to_the_form() {
    let site = Site::open().await;
    let page = site.get("").await;
    page.is(200);
    for part in ["Salon Zoé", "Choose a service", "Massage", "1 h", "Step 1 of 3"] {
        assert!(text(&page).contains(part), "{part}: {page}");
    }
    let page = site.get(&format!("?service={}", site.salon.massage)).await;
    for part in ["Choose a day and a time", "Anyone", "Anna", "Ben", "Europe/Paris", "Monday 2 March"] {
        assert!(text(&page).contains(part), "{part}: {page}");
    }
    assert!(!text(&page).contains("Chloé"), "Chloé gives no massages");
    let page = site.get(&format!("?service={}&time=2026-03-02T09:00:00Z", site.salon.massage)).await;
    for part in ["Your details", "Monday 2 March 2026 at 10:00", "Book</button>", "autocomplete=\"email\""] {
        assert!(text(&page).contains(part), "{part}: {page}");
    }
}

#[tokio::test]
async fn the_listed_times_are_those_of_the_public_api() {
    let site = Site::open().await;
    let salon = &site.salon;
    for (service, staff, date) in [
        (&salon.cut, None, "2026-03-02"),
        (&salon.massage, Some(&salon.ben), "2026-03-04"),
        (&salon.colour, None, "2026-03-07"),
    ] {
        let staff = |name: &str| staff.map(|id| format!("&{name}={id}")).unwrap_or_default();
        let page = site.get(&format!("?service={service}{}&date={date}", staff("staff"))).await;
        let last = date.parse::<chrono::NaiveDate>().unwrap() + chrono::Days::new(6);
        let query = format!("service_id={service}{}&start_date={date}&end_date={last}", staff("staff_id"));
        let listed = salon.get(&format!("/availability?{query}")).await;
        let listed: Vec<_> = starts(&listed.list());
        assert!(!listed.is_empty());
        assert_eq!(times(&page), listed, "{query}");
    }
}

#[tokio::test]
async fn the_default_week_begins_with_the_first_open_day_and_leads_to_other_weeks() {
    let site = Site::open().await;
    site.server.clock.set("2026-03-07T22:00:00Z");
    let page = site.get(&format!("?service={}", site.salon.cut)).await;
    assert!(times(&page)[0].starts_with("2026-03-09T08:00"), "{page}");
    assert!(text(&page).contains("date=2026-03-16") && text(&page).contains("date=2026-03-07"), "{page}");
    let page = site.get(&format!("?service={}&date=2026-03-07", site.salon.cut)).await;
    assert!(!text(&page).contains("rel=\"prev\""), "there is no week before today: {page}");
    let page =
        site.get(&format!("?service={}&date=2027-03-07&staff={}", site.salon.cut, site.salon.anna)).await;
    assert_eq!(page.status, 200);
}

#[tokio::test]
async fn an_unusable_value_is_dropped_with_all_after_it() {
    let site = Site::open().await;
    let (cut, colour) = (&site.salon.cut, &site.salon.colour);
    let (chloe, time) = (&site.salon.chloe, "2026-03-03T09:00:00Z");
    for (query, title) in [
        (format!("?service=x&date=2026-03-03&time={time}"), "Choose a service"),
        (format!("?service={chloe}&time={time}"), "Choose a service"),
        (format!("?service={colour}&staff={chloe}&time={time}"), "Choose a day and a time"),
        (format!("?service={cut}&staff=x&date=2026-03-03&time={time}"), "Choose a day and a time"),
        (format!("?service={cut}&date=2026-02-30&time={time}"), "Choose a day and a time"),
        (format!("?service={cut}&date=2026-03-01&time={time}"), "Choose a day and a time"),
        (format!("?service={cut}&time=2026-03-03T09:10:00Z"), "Choose a day and a time"),
        (format!("?service={cut}&time=9999-03-03T09:00:00Z"), "Choose a day and a time"),
        (format!("?service={cut}&time=10:00"), "Choose a day and a time"),
        (format!("?service={cut}&date=2026-03-03&time={time}&more=1"), "Your details"),
    ] {
        let page = site.get(&query).await;
        assert_eq!(page.status, 200);
        assert!(text(&page).contains(&format!("<h1>{title}</h1>")), "{query}: {page}");
    }
}

#[tokio::test]
async fn the_only_service_is_chosen_and_prices_are_shown_on_request() {
    let site = Site::open().await;
    for service in [&site.salon.massage, &site.salon.colour] {
        site.salon.operator.patch(&format!("/services/{service}"), &json!({ "active": false })).await.is(200);
    }
    let price = json!({ "price_cents": 4_550, "currency": "EUR" });
    site.salon.operator.patch(&format!("/services/{}", site.salon.cut), &price).await.is(200);
    let page = site.get("").await;
    assert!(text(&page).contains("Step 1 of 2") && text(&page).contains("Cut"), "{page}");
    assert!(!text(&page).contains('€'), "{page}");
    site.website(json!({ "show_prices": true, "color": "#ffff00" })).await;
    assert!(text(&site.get("").await).contains("€45.50"));
    assert!(text(&site.get("?locale=fr").await).contains("45,50\u{a0}€"));
    let theme = site.get("/theme.css").await;
    assert_eq!(text(&theme), ":root{--accent:#ffff00;--on-accent:#000000}\n");
}

#[tokio::test]
async fn the_language_is_chosen_by_the_query_then_the_browser_then_the_business() {
    let site = Site::with(json!({ "locale": "fr" }), json!({})).await;
    let page = |query: &str| site.server.root().call("GET", &format!("{}{query}", site.path));
    for (query, accepted, lang) in [
        ("", "", "fr"),
        ("", "de", "fr"),
        ("", "en-GB, fr;q=0.5", "en"),
        ("?locale=fr", "en", "fr"),
        ("?locale=en", "", "en"),
        ("?locale=xx", "", "fr"),
    ] {
        let page = page(query).header("accept-language", accepted).await;
        assert!(text(&page).contains(&format!("<html lang=\"{lang}\">")), "{query} {accepted}: {page}");
    }
    let title = text(&page("?locale=fr").await);
    assert!(title.contains("Choisissez une prestation"), "{title}");
}

#[tokio::test]
async fn unknown_disabled_and_suspended_pages_are_the_same_404() {
    let site = Site::with(json!({}), json!({ "origins": ["https://salon.example"] })).await;
    let unknown = site.server.root().get("/book/unknown-slug").await;
    unknown.is(404);
    let same = async |why: &str| {
        for rest in ["", "/frame", "?locale=en", "/theme.css"] {
            let page = site.get(rest).await;
            assert_eq!((page.status, &page.bytes), (404, &unknown.bytes), "{why}{rest}");
            let without = |page: &Answer| {
                let mut headers = page.headers.clone();
                headers.remove("x-request-id");
                headers.remove("date");
                headers
            };
            assert_eq!(without(&page), without(&unknown), "{why}");
        }
        let sent = site.send(&[]).await;
        assert_eq!((sent.status, &sent.bytes), (404, &unknown.bytes), "{why}");
    };
    site.website(json!({ "enabled": false })).await;
    same("disabled").await;
    site.website(json!({ "enabled": true })).await;
    site.get("").await.is(200);
    site.salon.set(json!({ "suspended": true })).await;
    same("suspended").await;
}

#[tokio::test]
async fn only_the_sites_of_the_settings_may_embed_the_frame_page() {
    let site = Site::open().await;
    site.get("/frame").await.is(404);
    site.website(json!({ "origins": ["https://a.example", "http://localhost:3000"] })).await;
    let page = site.get("/frame").await;
    page.is(200);
    let policy = page.header("content-security-policy");
    assert!(policy.ends_with("frame-ancestors https://a.example http://localhost:3000"), "{policy}");
    assert_eq!(page.header("cross-origin-embedder-policy"), "require-corp");
    assert_eq!(page.header("cross-origin-resource-policy"), "cross-origin");
    assert_eq!(site.get("").await.header("x-frame-options"), "DENY");
}

/// Whether the headers permit `https://a.example` to embed the page.
fn is_embeddable(page: &Answer) -> bool {
    page.header("content-security-policy").ends_with("frame-ancestors https://a.example")
        && !page.has("x-frame-options")
        && page.header("cross-origin-embedder-policy") == "require-corp"
        && page.header("cross-origin-resource-policy") == "cross-origin"
}

#[tokio::test]
async fn a_refusal_in_a_frame_is_shown_by_the_sites_of_the_settings_only() {
    let site = Site::with(json!({}), json!({ "origins": ["https://a.example"] })).await;
    let root = site.server.root();
    let frame = format!("{}/frame", site.path);
    let done = format!("{frame}/done/x");
    let call = |method: &str, path: &str| root.call(method, path).bytes("x=1");
    let form = ("content-type", "application/x-www-form-urlencoded");
    let large = "x=".to_owned() + &"a".repeat(16 * 1024);
    let foreign = ("sec-fetch-site", "cross-site");
    for (status, answer) in [
        (403, call("POST", &frame).header(foreign.0, foreign.1).await),
        (405, call("PUT", &frame).await),
        (413, root.call("POST", &frame).bytes(large).header(form.0, form.1).await),
        (415, call("POST", &frame).await),
        (403, call("POST", &done).header(foreign.0, foreign.1).await),
        (404, root.get(&done).await),
        (405, call("POST", &done).await),
    ] {
        answer.is(status);
        assert!(is_embeddable(&answer), "{status}: {answer}");
    }
    for _ in 0..240 {
        site.get("/theme.css").await;
    }
    for (path, is_frame) in [(&frame, true), (&done, true), (&site.path, false)] {
        let over = root.get(path).await;
        over.is(429);
        assert_eq!(is_embeddable(&over), is_frame, "{path}: {over}");
        assert_eq!(over.has("x-frame-options"), !is_frame, "{path}: {over}");
    }
    // The responses for an unknown and for a disabled booking page have the same headers.
    site.website(json!({ "enabled": false })).await;
    for path in [&frame, "/book/unknown/frame", "/book/unknown/frame/done/x"] {
        let foreign = call("POST", path).header(foreign.0, foreign.1).await;
        for (status, answer) in [(403, foreign), (429, root.get(path).await)] {
            answer.is(status);
            assert_eq!(answer.header("x-frame-options"), "DENY", "{path}: {answer}");
            assert!(!answer.has("cross-origin-embedder-policy"), "{path}: {answer}");
        }
    }
}

#[tokio::test]
async fn every_unknown_path_has_the_one_404_page() {
    let site = Site::open().await;
    let root = site.server.root();
    let unknown = root.get("/book/unknown-slug").await;
    assert!(text(&unknown).contains("<h1>This page does not exist</h1>"), "{unknown}");
    let own = format!("{}/", site.path);
    for path in [
        "/book",
        "/book/",
        "/book//",
        "/book//x",
        &own,
        &format!("{own}/"),
        &format!("{own}x"),
        &format!("{own}frame/"),
        &format!("{own}frame/done/"),
        "/book/manage",
        "/book/manage/",
        "/book/manage/x/",
        "/book/manage/x/y",
        "/book/manage/x/move/y",
        "/book/assets",
        "/book/assets/",
        "/book/assets/x",
        "/book/assets/x/y/z",
        "/book/%2F/",
        "/book/a/b/c/d/",
    ] {
        let page = root.get(path).await;
        assert_eq!((page.status, text(&page)), (404, text(&unknown)), "{path}");
        assert_eq!(page.header("x-frame-options"), "DENY", "{path}");
        root.call("POST", path).await.is(404);
    }
}

#[tokio::test]
async fn a_repeated_time_shows_its_offset() {
    let site =
        Site::with(json!({ "hours": [{ "day": "sunday", "open": "00:00", "close": "06:00" }] }), json!({}))
            .await;
    let page = site.get(&format!("?service={}&date=2026-10-25", site.salon.cut)).await;
    for label in ["02:00 (UTC+02:00)", "02:00 (UTC+01:00)", ">03:00<"] {
        assert!(text(&page).contains(label), "{label}: {page}");
    }
}

#[tokio::test]
async fn without_online_booking_the_page_shows_how_to_reach_the_business() {
    let site = Site::with(
        json!({ "booking_mode": "off" }),
        json!({ "phone": "+33142685300", "email": "hello@salon.example" }),
    )
    .await;
    let page = site.get("").await;
    page.is(200);
    for part in ["Online booking is not available.", "tel:+33142685300", "mailto:hello@salon.example"] {
        assert!(text(&page).contains(part), "{part}: {page}");
    }
    let page = site.get("?locale=fr").await;
    assert!(text(&page).contains("La réservation en ligne n&#39;est pas disponible."), "{page}");
    assert!(hidden(&page).is_empty());
}

#[tokio::test]
async fn without_a_public_url_the_pages_are_503() {
    let server = Server::open_off_the_loopback().await;
    let website = json!({ "enabled": true, "slug": "salon", "origins": ["https://a.example"] });
    server.salon().await.operator.patch("/website", &website).await.is(200);
    for path in ["/book/salon", "/book/salon/frame", "/book/manage/x", "/book/a/b/c", "/book/"] {
        let page = server.root().get(path).await;
        page.is(503);
        assert_eq!(is_embeddable(&page), path.ends_with("/frame"), "{path}: {page}");
    }
}

#[tokio::test]
async fn assets_are_cached_forever() {
    let site = Site::open().await;
    let page = text(&site.get("").await);
    let css = page.split("href=\"").find(|part| part.starts_with("/book/assets/")).unwrap();
    let css = css.split('"').next().unwrap();
    let sent = site.server.root().get(css).await;
    assert_eq!(sent.header("content-type"), "text/css; charset=utf-8");
    assert!(sent.header("cache-control").contains("immutable"));
}
