//! Tests of the delivery log: filters, the page of a delivery, and the buttons to resend events.

use serde_json::{Value, json};

use crate::harness::{Browser, Page, Server};

/// A salon with an endpoint. Returns the salon, the path of the endpoint's page, and an owner's browser.
async fn endpoint(server: &Server) -> (String, String, Browser) {
    let salon = server.business("Salon Zoé").await;
    let ada = server.person(&salon, "ada@example.com", "owner").await;
    let browser = server.signed_in(&salon, &ada).await;
    let body = json!({ "url": "https://a.example.com/hook", "events": ["contact.created", "message.taken"] });
    let made = server.operator("POST", &format!("/businesses/{salon}/webhooks"), body).await;
    let path = format!("/dashboard/b/{salon}/settings/webhooks/{}", made["id"].as_str().unwrap());
    (salon, path, browser)
}

async fn contact(server: &Server, salon: &str, name: &str) -> Value {
    server.operator("POST", &format!("/businesses/{salon}/contacts"), json!({ "name": name })).await
}

async fn status(server: &Server, path: &str, status: &str) {
    let (salon, id) = (path.split('/').nth(3).unwrap(), path.split('/').next_back().unwrap());
    let path = format!("/businesses/{salon}/webhooks/{id}");
    server.operator("PATCH", &path, json!({ "status": status })).await;
}

/// The paths of the deliveries on a page.
fn deliveries(page: &Page) -> Vec<String> {
    let ways = page.tags().into_iter().filter_map(|tag| tag.get("href").map(str::to_owned));
    ways.filter(|href| href.contains("/deliveries/")).collect()
}

#[tokio::test]
async fn a_delivery_shows_its_request_and_response() {
    let server = Server::open().await;
    let (salon, path, mut browser) = endpoint(&server).await;
    server.receiver.answers(503, "<h1>no</h1>");
    contact(&server, &salon, "<b>Zoé</b>\u{202e}").await;
    let log = browser.until(&path, "Retrying").await.says("contact. created").says("503").says("1 of 9");
    let one = &deliveries(&log)[0];
    let delivery = browser.get(one).await.is(200).says("<h1>no</h1>").says("The receiver had an error");
    let delivery = delivery.says("\"name\" : \"<b>Zoé</b>\u{fffd}\"").says("Attempt 2: 2 Mar, 07:00:30");
    let delivery = delivery.says("2 minutes, 10 minutes, 30 minutes, 1 hour, 3 hours, 6 hours, 12 hours");
    // The delivery is still pending, so the page gives the reason why the event cannot be resent.
    let delivery = delivery.says("The event can be resent once it is delivered");
    browser.submit(&delivery, &format!("{one}/resend"), &[]).await.is(409).says("It is already being sent");
    browser.get(&path).await.says("Failing since Monday 2 March at 07:00.");
    let list = path.rsplit_once('/').unwrap().0;
    browser.get(list).await.says("Failing");
    // The button makes the next attempt immediately, and the page lists both attempts.
    let tried = format!("{one}/try-now");
    browser.submit(&delivery, &tried, &[]).await.leads_to(&format!("{one}?done=tried"));
    let delivery = browser.until(one, "2 of 9").await.says("Attempt 1, 2 Mar, 07:00:00");
    delivery.says("Attempt 2, 2 Mar, 07:00:00 503").says("Attempt 3: 2 Mar, 07:02:00");

    server.receiver.answers(200, "thanks");
    contact(&server, &salon, "Bob").await;
    let log = browser.until(&format!("{path}?status=delivered"), "Delivered 200").await;
    let delivered = deliveries(&log)[0].clone();
    let page = browser.get(&delivered).await.says("thanks").says("1 of 9");
    let sent = server.receiver.requests().len();
    let again = browser.submit(&page, &format!("{delivered}/resend"), &[]).await;
    again.leads_to(&format!("{delivered}?done=resent"));
    browser.get(&format!("{delivered}?done=resent")).await.says("The event is being resent");
    browser.until(&delivered, "Delivered").await;
    let requests = server.receiver.requests();
    assert_eq!(requests.len(), sent + 1);
    let id = |request: &str| request.lines().find(|line| line.starts_with("webhook-id")).unwrap().to_owned();
    assert_eq!(id(&requests[sent]), id(&requests[sent - 1]), "both requests must contain the same event");
    // A form that is sent twice resends the event only once.
    browser.submit(&page, &format!("{delivered}/resend"), &[]).await.is(303);
    assert_eq!(server.receiver.requests().len(), sent + 1);
    let salon_wide = path.rsplit_once('/').unwrap().0;
    browser.get(salon_wide).await.is(200).says("message.taken, contact.created");
}

#[tokio::test]
async fn missed_events_are_filtered_and_sent_again_together() {
    let server = Server::open().await;
    let (salon, path, mut browser) = endpoint(&server).await;
    contact(&server, &salon, "First").await;
    browser.until(&path, "Delivered").await;
    status(&server, &path, "disabled").await;
    server.clock.advance(24 * 60 * 60);
    for name in ["Second", "Third"] {
        contact(&server, &salon, name).await;
    }
    for (query, count) in [
        ("", 3),
        ("?status=missed", 2),
        ("?status=delivered", 1),
        ("?status=failed", 0),
        ("?type=contact.created", 3),
        ("?type=message.taken", 0),
        ("?from=2026-03-03", 2),
        ("?to=2026-03-02", 1),
        ("?from=2026-03-02&to=2026-03-03", 3),
        ("?from=2026-03-04", 0),
        ("?status=missed&type=contact.created&from=2026-03-03&to=2026-03-03", 2),
    ] {
        let page = browser.get(&format!("{path}{query}")).await.is(200);
        assert_eq!(deliveries(&page).len(), count, "{query}");
        assert_eq!(page.text().contains("Nothing found"), count == 0, "{query}");
    }
    browser.get(&format!("{path}?from=yesterday")).await.says("This date does not exist.");
    let off = browser.get(&path).await.says("Turned off manually").says("Off, manually");
    assert!(!off.body.contains("/resend"), "an event cannot be sent again while the endpoint is disabled");
    let one = &deliveries(&off)[0];
    let page = browser.get(one).await.says("once the endpoint is on").says("The event can be resent");
    browser.submit(&page, &format!("{one}/resend"), &[]).await.is(409).says("The endpoint is off");
    status(&server, &path, "enabled").await;
    let on = browser.get(&path).await;
    let all = format!("{path}/resend-missed");
    browser.submit(&on, &all, &[]).await.leads_to(&format!("{path}?done=resent-missed&count=2"));
    browser.get(&format!("{path}?done=resent-missed&count=2")).await.says("2 events are being resent");
    while server.receiver.requests().len() < 3 {
        tokio::task::yield_now().await;
    }
    let page = browser.get(&path).await;
    let lists_none = async |browser: &mut Browser| {
        let page = browser.get(&format!("{path}?status=missed")).await;
        deliveries(&page).is_empty()
    };
    assert!(lists_none(&mut browser).await);
    // The browser has loaded the page before the endpoint is disabled, so the page still has the button.
    status(&server, &path, "disabled").await;
    browser.submit(&page, &all, &[]).await.is(409).says("The endpoint is off. Turn it on first.");
}

#[tokio::test]
async fn a_long_log_has_pages_that_keep_the_filters() {
    let server = Server::open().await;
    let (salon, path, mut browser) = endpoint(&server).await;
    status(&server, &path, "disabled").await;
    for number in 0..60 {
        contact(&server, &salon, &format!("Number {number}")).await;
    }
    let filtered = format!("{path}?status=missed&type=contact.created");
    let page = browser.get(&filtered).await;
    assert_eq!(deliveries(&page).len(), 50);
    let ways = page.tags().into_iter().filter_map(|tag| tag.get("href").map(str::to_owned));
    let older = ways.into_iter().find(|href| href.contains("after=")).unwrap();
    assert!(older.contains("status=missed") && older.contains("type=contact.created"), "{older}");
    let page = browser.get(&older).await.is(200).says("Newest");
    assert_eq!(deliveries(&page).len(), 10);
    // A cursor is valid only with the filter that it was made for.
    let elsewhere = older.replace("status=missed", "status=failed");
    assert_eq!(deliveries(&browser.get(&elsewhere).await).len(), 0);
    browser.get(&path).await.says("60").says("Missed, 24 h");
}

#[tokio::test]
async fn the_page_of_an_event_states_that_its_contact_was_erased() {
    let server = Server::open().await;
    let (salon, path, mut browser) = endpoint(&server).await;
    let zoe = contact(&server, &salon, "Zoé Secret").await;
    let log = browser.until(&path, "Delivered 204").await;
    let one = deliveries(&log)[0].clone();
    browser.get(&one).await.says("Zoé Secret");
    let id = zoe["id"].as_str().unwrap();
    server.operator("DELETE", &format!("/businesses/{salon}/contacts/{id}"), Value::Null).await;
    let page = browser.until(&one, "was erased").await;
    assert!(!page.text().contains("Zoé Secret"));
    browser.submit(&page, &format!("{one}/resend"), &[]).await.is(409).says("erased");
}
