//! Tests of calls in the dashboard: filters, and links to the appointment, message and contact of a call.

use serde_json::{Value, json};

use crate::harness::{Browser, Server};

async fn salon(server: &Server) -> (String, Browser, String) {
    let salon = server.business("Salon Zoé").await;
    let ada = server.person(&salon, "ada@example.com", "member").await;
    let browser = server.signed_in(&salon, &ada).await;
    let base = format!("/dashboard/b/{salon}/calls");
    (salon, browser, base)
}

/// Records a call whose field `duration_seconds` is two minutes and five seconds.
async fn call(server: &Server, salon: &str, started_at: &str, with: Value) -> String {
    let ended_at = started_at.replace(":00Z", ":59Z");
    let mut call = json!({
        "direction": "inbound", "status": "completed", "outcome": "other", "started_at": started_at, "ended_at": ended_at, "duration_seconds": 125
    });
    call.as_object_mut().unwrap().extend(with.as_object().unwrap().clone());
    let saved = server.operator("POST", &format!("/businesses/{salon}/calls"), call).await;
    saved["id"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn calls_can_be_filtered_by_outcome_direction_status_and_day() {
    let server = Server::open().await;
    let (salon, mut browser, base) = salon(&server).await;
    browser.get(&base).await.is(200).says("No calls yet");
    // In the time zone of the business, the first call was on Sunday.
    for (at, with) in [
        ("2026-02-28T23:30:00Z", json!({ "outcome": "spam", "summary": "a loan" })),
        (
            "2026-03-01T10:00:00Z",
            json!({ "status": "missed", "outcome": "hangup", "from_number": "+33755010203" }),
        ),
        (
            "2026-03-01T11:00:00Z",
            json!({ "direction": "outbound", "to_number": "+33755010203", "summary": "we rang back" }),
        ),
        ("2026-02-20T11:00:00Z", json!({ "outcome": "question_answered", "summary": "dogs may come" })),
    ] {
        call(&server, &salon, at, with).await;
    }
    let all = ["a loan", "+33 7 55 01 02 03 · 2 min 05 s Hung up", "we rang back", "dogs may come"];
    for (query, expected) in [
        ("", &[0, 1, 2, 3][..]),
        ("?outcome=spam", &[0]),
        ("?status=missed", &[1]),
        ("?direction=outbound", &[2]),
        ("?direction=inbound&status=completed", &[0, 3]),
        ("?day=2026-03-01", &[0, 1, 2]),
        ("?day=2026-02-28", &[]),
        ("?day=2026-03-01&outcome=spam&direction=&status=", &[0]),
        // Unknown values of a filter are ignored.
        ("?outcome=nonsense&status=x", &[0, 1, 2, 3]),
    ] {
        let page = browser.get(&format!("{base}{query}")).await.is(200);
        let text = page.text();
        let seen: Vec<_> = (0..all.len()).filter(|number| text.contains(all[*number])).collect();
        assert_eq!(seen, expected, "{query}: {text}");
        assert_eq!(text.contains("No calls found"), expected.is_empty(), "{query}");
        if query.contains("day=2026-03-01") {
            assert_eq!(page.field(&base, "day"), "2026-03-01", "the form must show the chosen filter");
        }
    }
    let page = browser.get(&base).await.says("Sunday 1 March").says("Friday 20 February").says("Missed");
    assert!(page.text().find("Sunday 1 March").unwrap() < page.text().find("Friday 20 February").unwrap());
    let page = browser.get(&format!("{base}?day=1.3.2026")).await.is(422);
    page.says("It must be a date as YYYY-MM-DD.");
}

#[tokio::test]
async fn a_call_shows_its_summary_and_its_results() {
    let server = Server::open().await;
    let (salon, mut browser, base) = salon(&server).await;
    let path = |rest: &str| format!("/businesses/{salon}/{rest}");
    let service = server.offers(&salon, ("Colour", 90), "Océane").await;
    let contact = json!({ "name": "Nora Haddad", "phone": "+33661020304" });
    let contact = server.operator("POST", &path("contacts"), contact).await;
    let booking =
        json!({ "service_id": service, "starts_at": "2026-03-03T09:00:00Z", "contact_id": contact["id"] });
    let booked = server.operator("POST", &path("appointments"), booking).await;
    let message = json!({ "body": "Please confirm.", "urgency": "urgent" });
    let message = server.operator("POST", &path("messages"), message).await;
    let with = json!({
        "outcome": "appointment_booked", "from_number": "+33661020304", "to_number": "+33144001122", "locale": "fr",
        "summary": "Asked for a colour.\nWorks in the <b>morning</b>.", "recording_url": "https://recordings.example/1",
        "appointment_id": booked["id"], "message_id": message["id"]
    });
    let id = call(&server, &salon, "2026-03-01T10:00:00Z", with).await;
    let taken = json!({ "body": "In the call", "call_id": id });
    server.operator("POST", &path("messages"), taken).await;
    let page = browser.get(&format!("{base}/{id}")).await.is(200);
    let page =
        page.says("Call from Nora Haddad").says("Works in the <b>morning</b>.").says("+33 1 44 00 11 22");
    let page =
        page.says("Sunday 1 March 2026 at 11:00").says("Français").says("https://recordings.example/1");
    let page = page.says("Colour").says("Tuesday 3 March 2026 at 10:00 · With Océane").says("Confirmed");
    let page = page.says("Please confirm.").says("Urgent, new").says("In the call");
    let links: Vec<_> = page.tags().iter().filter_map(|tag| tag.get("href").map(str::to_owned)).collect();
    for link in [
        format!("/dashboard/b/{salon}/appointments/{}", booked["id"].as_str().unwrap()),
        format!("/dashboard/b/{salon}/messages/{}", message["id"].as_str().unwrap()),
        format!("/dashboard/b/{salon}/contacts/{}", contact["id"].as_str().unwrap()),
        "tel:+33661020304".to_owned(),
    ] {
        assert!(links.contains(&link), "{link} is missing in {links:?}");
    }
    assert!(links.iter().any(|link| link.contains("recordings")),);

    let bare = call(&server, &salon, "2026-03-01T12:00:00Z", json!({ "status": "failed" })).await;
    let page = browser.get(&format!("{base}/{bare}")).await.is(200).says("Anonymous number");
    page.says("There is no summary of this call.").says("No appointment and no message.").says("Dropped");
    browser.get(&format!("{base}/{}", booked["id"].as_str().unwrap())).await.is(404);
}

#[tokio::test]
async fn calls_have_pages_that_keep_the_filters() {
    let server = Server::open().await;
    let (salon, mut browser, base) = salon(&server).await;
    for number in 0..60 {
        let with = json!({ "outcome": "spam", "summary": format!("number {number}.") });
        call(&server, &salon, &format!("2026-03-01T09:{number:02}:00Z"), with).await;
    }
    let page =
        browser.get(&format!("{base}?outcome=spam")).await.is(200).says("number 59.").says("number 10.");
    assert!(!page.text().contains("number 9."), "a page must have 50 calls");
    let older = page.tags().into_iter().filter_map(|tag| tag.get("href").map(str::to_owned));
    let older = older.into_iter().find(|href| href.contains("after=")).unwrap();
    assert!(older.contains("outcome=spam"), "{older}");
    let page = browser.get(&older).await.is(200).says("number 9.").says("number 0.");
    assert!(!page.text().contains("number 10."));
    // A cursor is valid only with the filter that it was made for.
    browser.get(&older.replace("outcome=spam", "outcome=other")).await.is(200).says("No calls found");
}

#[tokio::test]
async fn a_call_is_logged_and_a_missed_call_is_marked_as_handled() {
    let server = Server::open().await;
    let (salon, mut browser, base) = salon(&server).await;
    let new = format!("{base}/new");
    let page = browser.get(&new).await.is(200);
    assert_eq!((page.field(&new, "day"), page.field(&new, "time")), ("2026-03-02".into(), "07:00".into()));
    let refused = browser.submit(&page, &new, &[("time", "25:00"), ("minutes", "x"), ("number", "1")]).await;
    let refused = refused.is(422);
    for id in ["time", "minutes"] {
        let problem = format!("{id}-problem");
        assert!(refused.tags().iter().any(|tag| tag.get("id") == Some(&problem)), "{id}");
    }
    let fields = [
        ("time", "7.30am"),
        ("minutes", "3"),
        ("number", "06 61 02 03 04"),
        ("contact_name", "Nora"),
        ("summary", "Asked for a voucher"),
    ];
    let made = browser.submit(&refused, &new, &fields).await.is(303);
    browser
        .get(made.header("location"))
        .await
        .says("The call is recorded.")
        .says("Call from Nora")
        .says("3 min 00 s");
    let missed = json!({ "status": "missed", "from_number": "+33755010203", "recording_url": "https://calls.example.com/1.mp3" });
    let id = call(&server, &salon, "2026-03-01T10:00:00Z", missed).await;
    let (path, handled) = (format!("{base}/{id}"), format!("{base}/{id}/handled"));
    let page = browser.get(&path).await.says("https://calls.example.com/1.mp3");
    assert!(page.tags().iter().any(|tag| tag.get("href") == Some("https://calls.example.com/1.mp3")));
    browser.submit(&page, &handled, &[]).await.leads_to(&format!("{path}?done=handled&call={id}"));
    let page = browser.get(&path).await.says("Handled:").says("Mark as open");
    browser.submit(&page, &handled, &[]).await.leads_to(&format!("{path}?done=open&call={id}"));
    browser.get(&format!("{base}?status=unhandled")).await.is(200).says("+33 7 55 01 02 03");
    let page = browser.get(&path).await.says("Mark as handled");
    assert!(!page.text().contains("Handled:"));
}
