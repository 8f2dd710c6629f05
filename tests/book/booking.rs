//! Tests of the statuses of responses to booking forms, and of the order of the checks.

use std::collections::BTreeSet;

use futures_util::future::join_all;
use serde_json::json;

use crate::harness::Answer;
use crate::site::{Site, hidden, text};

const TIME: &str = "2026-03-02T09:00:00.000Z";
const FOREIGN: [(&str, &str); 1] = [("sec-fetch-site", "cross-site")];

/// The token of the manage link to which the response to a booking redirects.
fn token(sent: &Answer) -> String {
    sent.is(303);
    sent.header("location").strip_prefix("/book/manage/").unwrap().to_owned()
}

fn changed(form: &[(String, String)], name: &str, value: &str) -> Vec<(String, String)> {
    let mut form = form.to_vec();
    form.retain(|(field, _)| field != name);
    form.push((name.to_owned(), value.to_owned()));
    form
}

#[tokio::test]
async fn a_form_books_an_appointment_and_leads_to_it() {
    let site = Site::open().await;
    let sent = site.book(TIME, &[("email", "Zoe@Example.com"), ("note", "On the left\r\nplease")]).await;
    assert_eq!(token(&sent).len(), 45);
    let appointments = site.appointments().await;
    let [appointment] = &appointments[..] else { panic!("{appointments:?}") };
    assert_eq!(appointment["starts_at"], TIME);
    assert_eq!(appointment["status"], "confirmed");
    assert_eq!(appointment["source"], "website");
    assert_eq!(appointment["customer_note"], "On the left\nplease");
    let booked_as = json!({ "name": "Zoé Martin", "phone": "+33612345678", "email": "zoe@example.com", "locale": "en", "texts": false });
    assert_eq!(appointment["booked_as"], booked_as);
    assert!(!site.details(TIME).await.bytes.is_empty());
}

#[tokio::test]
async fn a_business_that_confirms_bookings_gets_a_request() {
    let site = Site::with(json!({ "booking_mode": "request" }), json!({})).await;
    assert!(text(&site.details(TIME).await).contains("Request this time</button>"));
    site.book(TIME, &[("locale", "fr"), ("staff_id", &site.salon.ben)]).await.is(303);
    let appointment = &site.appointments().await[0];
    assert_eq!(appointment["status"], "pending");
    assert_eq!(appointment["booked_as"]["locale"], "fr");
}

#[tokio::test]
async fn each_check_comes_after_the_one_before_it() {
    let site = Site::open().await;
    let valid = site.form(TIME, &[]).await;
    let call = |body: String| site.server.root().call("POST", &site.path).bytes(body);
    let large = "x=".to_owned() + &"a".repeat(16 * 1024);
    // The checks run in this order: the site of the form (403), the media type (415), the size (413), and the
    // content.
    call(large.clone()).header("sec-fetch-site", "cross-site").await.is(403);
    call(large.clone()).header("origin", "https://other.example").await.is(403);
    call(large.clone()).header("content-type", "text/plain").await.is(415);
    call(large.clone()).await.is(415);
    call(large).header("content-type", "application/x-www-form-urlencoded").await.is(413);
    assert_eq!(site.send_with(&valid, &FOREIGN).await.status, 403);
    // The fields are checked in this order: the field that must stay empty, the form id, and the other fields.
    let bad = changed(&changed(&valid, "form_id", "x"), "name", "");
    let sent = site.send(&changed(&bad, "leave_empty", "x")).await;
    sent.is(422);
    assert!(text(&sent).contains("Leave this field empty.") && !text(&sent).contains("hidden><label"));
    let sent = site.send(&bad).await;
    sent.is(409);
    let again = hidden(&sent);
    assert!(again.iter().any(|(name, value)| name == "form_id" && value != "x"), "{sent}");
    // If the fields are invalid and the time is unavailable, the response is about the fields (422), and
    // not about the time (409).
    let closed = "2026-03-02T03:00:00.000Z";
    site.send(&changed(&changed(&valid, "name", " "), "starts_at", closed)).await.is(422);
    site.send(&changed(&valid, "starts_at", closed)).await.is(409);
    assert!(site.appointments().await.is_empty());
    site.send(&valid).await.is(303);
    // Before the service checks the fields, it checks whether the form was already sent.
    site.send(&changed(&valid, "name", "")).await.is(409);
}

#[tokio::test]
async fn each_problem_is_beside_its_field() {
    let site = Site::open().await;
    let long = "a".repeat(1_001);
    for (changes, problem, id) in [
        (vec![("name", " ")], "Enter your name.", "name"),
        (vec![("name", &long[..201])], "at most 200 characters", "name"),
        (vec![("name", "a\0b")], "Enter a name without control characters.", "name"),
        (vec![("phone", "123")], "Enter a valid phone number", "phone"),
        (vec![("email", "zoe")], "Enter a valid e-mail address", "email"),
        (vec![("phone", "")], "Enter a phone number or an e-mail address.", "phone"),
        (vec![("note", &long)], "at most 1,000 characters", "note"),
        (vec![("note", "a\0b")], "Enter a note without control characters.", "note"),
        (vec![("service_id", "x")], "Choose a service.", "service_id"),
        (vec![("staff_id", "x")], "Choose a person.", "staff_id"),
        (vec![("starts_at", "10:00")], "Choose a time.", "starts_at"),
    ] {
        let sent = site.book(TIME, &changes).await;
        sent.is(422);
        let page = text(&sent);
        assert!(page.contains(&format!("<a href=\"#{id}\">")), "{id}: {sent}");
        assert!(page.contains(&format!("aria-describedby=\"{id}-problem\"")), "{id}: {sent}");
        assert_eq!(page.matches(problem).count(), 2, "{problem}: {sent}");
        assert!(id == "name" || page.contains("value=\"Zoé Martin\""), "{sent}");
    }
    let sent = site.book(TIME, &[("name", ""), ("locale", "fr")]).await;
    assert!(text(&sent).contains("Indiquez votre nom."), "{sent}");
    assert!(site.appointments().await.is_empty());
}

#[tokio::test]
async fn a_repeated_form_leads_to_the_same_appointment() {
    let mut site = Site::open().await;
    let form = site.form(TIME, &[]).await;
    let first = token(&site.send(&form).await);
    let spaced = changed(&form, "name", " Zoé Martin ");
    assert_ne!(token(&site.send(&spaced).await), first, "each response must have its own link");
    site.server.restart().await;
    site.salon = site.salon.again(&site.server);
    token(&site.send(&form).await);
    site.send(&changed(&form, "name", "Ada")).await.is(409);
    site.send(&changed(&form, "more", "1")).await.is(409);
    assert_eq!(site.appointments().await.len(), 1);
    let other = site.form("2026-03-02T10:00:00.000Z", &[]).await;
    site.server.clock.advance(24 * 3_600);
    site.send(&other).await.is(409);
    assert_eq!(site.appointments().await.len(), 1, "a form must not book with an id that is a day old");
}

#[tokio::test]
async fn a_form_that_was_sent_late_can_be_repeated_for_24_hours() {
    let site = Site::open().await;
    let form = site.form("2026-03-05T09:00:00.000Z", &[]).await;
    site.server.clock.advance(23 * 3_600);
    token(&site.send(&form).await);
    site.server.clock.advance(2 * 3_600);
    token(&site.send(&form).await);
    assert_eq!(site.appointments().await.len(), 1);
}

#[tokio::test]
async fn a_refusal_without_other_times_leads_to_other_days() {
    let hours = json!({ "hours": [{ "day": "monday", "open": "10:00", "close": "10:30" }] });
    let site = Site::with(hours, json!({})).await;
    let staff = [("staff_id", &*site.salon.anna)];
    let late = site.form(TIME, &staff).await;
    site.book(TIME, &staff).await.is(303);
    let sent = site.send(&late).await;
    sent.is(409);
    let page = text(&sent);
    assert!(page.contains("There are no other open times on this day."), "{sent}");
    let link = page.split("<a href=\"").find(|rest| rest.contains(">Choose another day</a>"));
    let link = link.and_then(|rest| rest.split('"').next()).unwrap().replace("&#38;", "&");
    let times = site.server.root().call("GET", &link).await;
    times.is(200);
    assert!(text(&times).contains("Choose a day and a time") && !text(&times).contains(TIME), "{times}");
}

#[tokio::test]
async fn a_refusal_is_in_the_language_that_the_visitor_chose() {
    let site = Site::with(json!({ "locale": "fr" }), json!({})).await;
    let form = site.form(TIME, &[("locale", "fr")]).await;
    site.salon.set(json!({ "booking_mode": "off" })).await;
    let english = [("accept-language", "en")];
    assert!(text(&site.send_with(&form, &english).await).contains("lang=\"fr\""));
    let foreign = site.send_with(&form, &[FOREIGN[0], english[0]]).await;
    foreign.is(403);
    assert!(
        text(&foreign).contains("lang=\"en\""),
        "the page must be in the language of the browser: {foreign}"
    );
    let empty = site.server.root().call("POST", &site.path).header("content-type", "application/json");
    let refused = empty.header("content-length", "0").await;
    refused.is(415);
    assert!(
        text(&refused).contains("lang=\"fr\""),
        "the page must be in the language of the business: {refused}"
    );
}

#[tokio::test]
async fn search_engines_list_the_address_of_the_page_alone() {
    let site = Site::open().await;
    let noindex = "<meta name=\"robots\" content=\"noindex\">";
    assert!(!text(&site.get("").await).contains(noindex));
    assert!(text(&site.get("?locale=fr").await).contains(noindex));
    assert!(text(&site.details(TIME).await).contains(noindex));
}

#[tokio::test]
async fn a_time_that_is_no_longer_open_is_refused_with_the_open_times_of_the_day() {
    let site = Site::with(json!({}), json!({})).await;
    let anna = site.salon.anna.clone();
    let staff = [("staff_id", &*anna)];
    let late = site.form(TIME, &staff).await;
    site.book(TIME, &staff).await.is(303);
    let sent = site.send(&late).await;
    sent.is(409);
    let page = text(&sent);
    assert!(page.contains("This time is no longer open."), "{sent}");
    assert!(page.contains("<legend>Monday 2 March</legend>"), "{sent}");
    assert!(page.contains("type=\"radio\" name=\"starts_at\" value=\"2026-03-02T09:30:00.000Z\""), "{sent}");
    assert!(!page.contains(&format!("value=\"{TIME}\"")) && page.contains("value=\"Zoé Martin\""), "{sent}");
}

#[tokio::test]
async fn a_form_without_a_choice_shows_the_times_of_the_same_day_again() {
    let site = Site::open().await;
    let staff = [("staff_id", &*site.salon.anna)];
    let thursday = "2026-03-05T09:00:00.000Z";
    let late = site.form(thursday, &staff).await;
    site.book(thursday, &staff).await.is(303);
    let refused = site.send(&late).await;
    refused.is(409);
    let mut fields = hidden(&refused);
    fields.push(("name".into(), "Zoé Martin".into()));
    let sent = site.send(&fields).await;
    sent.is(422);
    for page in [&refused, &sent] {
        assert!(text(page).contains("<legend>Thursday 5 March</legend>"), "{page}");
        assert!(text(page).contains("value=\"2026-03-05T10:00:00.000Z\" required>"), "{page}");
    }
    let past = site.send(&changed(&fields, "date", "2026-03-01")).await;
    assert!(text(past.is(422)).contains("<legend>Monday 2 March</legend>"), "{past}");
}

#[tokio::test]
async fn without_online_booking_a_form_is_refused() {
    let site = Site::open().await;
    let form = site.form(TIME, &[]).await;
    site.salon.set(json!({ "booking_mode": "off" })).await;
    let sent = site.send(&form).await;
    sent.is(409);
    assert!(text(&sent).contains("Online booking is not available."), "{sent}");
    assert_eq!(site.send(&changed(&form, "name", "")).await.status, 422);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn fifty_visitors_for_one_time_get_one_appointment() {
    let site = Site::open().await;
    let mut forms = Vec::new();
    for number in 0..50 {
        let phone = format!("+336123456{number:02}");
        let form = site.form(TIME, &[("phone", &phone), ("staff_id", &site.salon.anna)]).await;
        forms.push((form, format!("192.0.2.{number}")));
    }
    let sent = forms.iter().map(async |(form, address)| {
        let headers = [("x-forwarded-for", &**address)];
        site.send_with(form, &headers).await.status
    });
    let mut statuses = join_all(sent).await;
    statuses.sort_unstable();
    assert_eq!(statuses[0], 303);
    assert!(statuses[1..].iter().all(|status| *status == 409), "{statuses:?}");
    assert_eq!(site.appointments().await.len(), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_form_that_is_sent_twenty_times_at_once_books_once() {
    let site = Site::open().await;
    let form = site.form(TIME, &[]).await;
    let sent = join_all((0..20).map(|_| site.send(&form))).await;
    let tokens: BTreeSet<_> = sent.iter().map(token).collect();
    assert_eq!(tokens.len(), 20);
    assert_eq!(site.appointments().await.len(), 1);
}

#[tokio::test]
async fn the_frame_books_and_leads_to_a_page_of_the_frame() {
    let site = Site::with(json!({}), json!({ "origins": ["https://a.example"] })).await;
    let form = site.form(TIME, &[]).await;
    let path = format!("{}/frame", site.path);
    let sent = site.send_to(&path, &form, &[]).await;
    sent.is(303);
    assert!(sent.header("location").starts_with(&format!("{path}/done/")), "{sent}");
}

#[tokio::test]
async fn a_known_contact_is_not_changed_by_what_a_form_contains() {
    let site = Site::open().await;
    site.salon.api.post("/contacts", &json!({ "name": "Ada", "phone": "+33612345678" })).await.created();
    site.book(TIME, &[("email", "other@example.com")]).await.is(303);
    let contacts = site.salon.operator.all("/contacts").await;
    let [contact] = &contacts[..] else { panic!("{contacts:?}") };
    assert_eq!((&contact["name"], &contact["email"]), (&json!("Ada"), &json!(null)));
}
