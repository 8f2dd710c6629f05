//! Tests of the pages for staff members and their time off.

use serde_json::{Value, json};

use crate::harness::{Browser, Page, Server};

async fn open() -> (Server, String, String, Browser) {
    let server = Server::open().await;
    let salon = server.business("Salon Zoé").await;
    let ada = server.person(&salon, "ada@example.com", "owner").await;
    let browser = server.signed_in(&salon, &ada).await;
    let path = format!("/dashboard/b/{salon}/settings/staff");
    (server, salon, path, browser)
}

async fn staff(server: &Server, salon: &str) -> Value {
    server.operator("GET", &format!("/businesses/{salon}/staff"), Value::Null).await
}

/// Adds a staff member who offers no services. Returns the path of the staff member's page and the id.
async fn added(server: &Server, salon: &str, name: &str) -> String {
    let body = json!({ "name": name, "service_ids": [] });
    let made = server.operator("POST", &format!("/businesses/{salon}/staff"), body).await;
    made["id"].as_str().unwrap().to_owned()
}

async fn times_off(server: &Server, salon: &str, id: &str) -> Value {
    server.operator("GET", &format!("/businesses/{salon}/staff/{id}/time-off"), Value::Null).await
}

#[tokio::test]
async fn a_staff_member_is_added_with_their_own_hours_and_changed() {
    let (server, salon, path, mut browser) = open().await;
    for name in ["Cut", "Colour"] {
        let service = json!({ "name": name, "duration_minutes": 30 });
        server.operator("POST", &format!("/businesses/{salon}/services"), service).await;
    }
    browser.get(&path).await.says("No staff members yet");
    let new = format!("{path}/new");
    let page = browser.get(&new).await.is(200);
    assert_eq!(page.form(&new).fields.iter().filter(|(name, _)| name == "service_ids").count(), 2, "all");
    let fields = [
        ("name", "Inès Benali"),
        ("whose_hours", "own"),
        ("monday", "on"),
        ("monday-hours-1-from", "9h"),
        ("monday-hours-1-to", "12:00"),
        ("monday-hours-2-from", "13:00"),
        ("monday-hours-2-to", "18:00"),
        ("tuesday", "on"),
        ("tuesday-hours-1-from", "10:00"),
        ("tuesday-hours-1-to", "16:00"),
        // The fields of a day whose checkbox is not ticked are ignored.
        ("friday-hours-1-from", "10:00"),
    ];
    browser.submit(&page, &new, &fields).await.leads_to(&format!("{path}?done=added"));
    let one = staff(&server, &salon).await[0].clone();
    let window = |day: &str, open: &str, close: &str| json!({ "day": day, "open": open, "close": close });
    let hours = json!([
        window("monday", "09:00", "12:00"),
        window("monday", "13:00", "18:00"),
        window("tuesday", "10:00", "16:00")
    ]);
    assert_eq!(
        (&one["hours"], &one["timezone"], &one["active"]),
        (&hours, &json!("Europe/Paris"), &json!(true))
    );
    assert_eq!(one["service_ids"].as_array().unwrap().len(), 2);
    let page = browser.get(&path).await.says("Inès Benali").says("All services").says("Bookable");
    page.says("Monday, 09:00 – 12:00, 13:00 – 18:00 · Tuesday, 10:00 – 16:00");
    let own = format!("{path}/{}", one["id"].as_str().unwrap());
    let page = browser.get(&own).await.is(200);
    assert_eq!(page.field(&own, "monday-hours-2-from"), "13:00");
    let fields = [("whose_hours", "business"), ("timezone", "Europe/London")];
    let led = browser.submit(&page, &own, &fields).await.leads_to(&format!("{own}?done=saved"));
    let page = browser.get(led.header("location")).await.says("Saved.");
    let one = staff(&server, &salon).await[0].clone();
    assert_eq!((&one["hours"], &one["timezone"]), (&Value::Null, &json!("Europe/London")));
    browser.submit_without(&page, &own, "active").await.is(303);
    browser.get(&path).await.says("Not bookable").says("During opening hours");
}

#[tokio::test]
async fn refused_hours_are_shown_at_their_day_and_a_day_accepts_more_periods() {
    let (server, salon, path, mut browser) = open().await;
    let id = added(&server, &salon, "Hugo").await;
    let own = format!("{path}/{id}");
    let page = browser.get(&own).await;
    let fields = [
        ("name", ""),
        ("whose_hours", "own"),
        ("monday", "on"),
        ("wednesday", "on"),
        ("wednesday-hours-1-from", "09:00"),
        ("wednesday-hours-1-to", "12:00"),
        ("wednesday-hours-2-from", "11:00"),
        ("wednesday-hours-2-to", "18:00"),
    ];
    let page = browser.submit(&page, &own, &fields).await.is(422).says("It must have 1 to 200 characters.");
    let page = page.says("It must be a time from 00:00 to 24:00");
    let fields = [("name", "Hugo"), ("monday-hours-1-from", "08:00"), ("monday-hours-1-to", "09:00")];
    let page = browser.submit(&page, &own, &fields).await.is(422).says("It overlaps a period on Wednesday.");
    assert_eq!(staff(&server, &salon).await[0]["hours"], Value::Null);
    let mut all = page.form(&own).fields;
    all.push(("room".into(), "yes".into()));
    let all: Vec<_> = all.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    let page = browser.post(&own, &all).await.is(200);
    assert_eq!(page.field(&own, "wednesday-hours-2-from"), "11:00");
    let fields = [
        ("wednesday-hours-2-from", "13:00"),
        ("wednesday-hours-3-from", "20:00"),
        ("wednesday-hours-3-to", "22:00"),
    ];
    browser.submit(&page, &own, &fields).await.is(303);
    assert_eq!(staff(&server, &salon).await[0]["hours"].as_array().unwrap().len(), 4);
}

#[tokio::test]
async fn hours_report_appointments_outside_and_a_conflict_shows_both_versions() {
    let (server, salon, path, mut browser) = open().await;
    crate::settings_hours::booked(&server, &salon, "2026-03-02T09:00:00Z").await;
    let one = staff(&server, &salon).await[0].clone();
    let id = one["id"].as_str().unwrap();
    let own = format!("{path}/{id}");
    let (page, stale) = (browser.get(&own).await, browser.get(&own).await);
    let fields = [
        ("whose_hours", "own"),
        ("friday", "on"),
        ("friday-hours-1-from", "09:00"),
        ("friday-hours-1-to", "12:00"),
    ];
    let led = browser.submit(&page, &own, &fields).await.is(303);
    let page =
        browser.get(led.header("location")).await.says("One upcoming appointment is outside the hours.");
    assert!(page.tags().iter().any(|tag| tag.get("href").is_some_and(|way| way.contains("/appointments/"))));
    let page = browser.submit(&stale, &own, &[("name", "Inès B.")]).await.is(409);
    page.says("Saved version").says("Inès B.").says("During opening hours").says("09:00 – 12:00");
    assert_eq!(staff(&server, &salon).await[0]["name"], "Inès");
}

#[tokio::test]
async fn time_off_is_added_in_days_or_hours_listed_and_removed() {
    let (server, salon, path, mut browser) = open().await;
    crate::settings_hours::booked(&server, &salon, "2026-03-02T09:00:00Z").await;
    let id = staff(&server, &salon).await[0]["id"].as_str().unwrap().to_owned();
    let (own, add) = (format!("{path}/{id}"), format!("{path}/{id}/time-off"));
    let page = browser.get(&own).await.says("No upcoming time off.");
    let fields = [("from", "2026-03-02"), ("note", "<i>Holidays</i>")];
    browser.submit(&page, &add, &fields).await.leads_to(&format!("{own}?done=off#off"));
    let page = browser.get(&format!("{own}?done=off")).await.says("One upcoming appointment is outside");
    let page = page.says("Monday 2 March 2026").says("<i>Holidays</i>");
    let fields = [("from", "2026-03-28"), ("from_time", "22h"), ("to", "2026-03-29"), ("to_time", "4:00")];
    browser.submit(&page, &add, &fields).await.is(303);
    let off = times_off(&server, &salon, &id).await;
    assert_eq!(off[0]["starts_at"], "2026-03-01T23:00:00.000Z");
    assert_eq!(off[0]["ends_at"], "2026-03-02T23:00:00.000Z");
    assert_eq!(
        (&off[1]["starts_at"], &off[1]["ends_at"]),
        (&json!("2026-03-28T21:00:00.000Z"), &json!("2026-03-29T02:00:00.000Z"))
    );
    let page = browser.get(&own).await.says("Saturday 28 March 2026, 22:00 to Sunday 29 March 2026, 04:00");
    let remove = format!("{add}/{}/remove", off[0]["id"].as_str().unwrap());
    browser.submit(&page, &remove, &[]).await.leads_to(&format!("{own}?done=removed#off"));
    assert_eq!(times_off(&server, &salon, &id).await.as_array().unwrap().len(), 1);
    server.clock.advance(60 * 24 * 60 * 60);
    // The clock has moved by 60 days, so the first session has expired.
    let ada = server.person(&salon, "eve@example.com", "owner").await;
    let mut browser = server.signed_in(&salon, &ada).await;
    browser.get(&own).await.says("No upcoming time off.");
    browser.get(&format!("{own}?off=past")).await.says("Saturday 28 March 2026, 22:00");
}

#[tokio::test]
async fn refused_time_off_shows_its_problems() {
    let (server, salon, path, mut browser) = open().await;
    let id = added(&server, &salon, "Hugo").await;
    let (own, add) = (format!("{path}/{id}"), format!("{path}/{id}/time-off"));
    let mut page = browser.get(&own).await;
    for (fields, said) in [
        (&[("from", ""), ("note", "x")][..], "This field is required."),
        (&[("from", "2026-03-02"), ("to", "2026-03-01")], "It must not end before it begins."),
        (
            &[("from", "2026-03-02"), ("from_time", "10:00"), ("to", ""), ("to_time", "09:00")],
            "It must end later than it begins.",
        ),
        (
            &[("from", "2026-03-29"), ("from_time", "02:30"), ("to_time", "")],
            "This time does not exist on that day because of a clock change.",
        ),
        (
            &[("from", "2026-10-25"), ("from_time", "02:30")],
            "This time occurs twice on that day because of a clock change",
        ),
        (&[("from_time", "noon")], "It must be a time from 00:00 to 24:00"),
    ] {
        page = browser.submit(&page, &add, fields).await.is(422).says(said);
    }
    assert_eq!((page.field(&add, "note"), page.field(&add, "from_time")), ("x".into(), "noon".into()));
    assert_eq!(times_off(&server, &salon, &id).await, json!([]));
}

/// The browser of a member who is linked to this staff member.
async fn member(server: &Server, salon: &str, staff: &str) -> Browser {
    let mia = server.person(salon, "mia@example.com", "member").await;
    let membership = format!("/businesses/{salon}/people/{}", mia.id);
    server.operator("PATCH", &membership, json!({ "staff_id": staff })).await;
    server.signed_in(salon, &mia).await
}

#[tokio::test]
async fn a_member_changes_their_own_time_off_and_nothing_else() {
    let (server, salon, path, _) = open().await;
    let (mine, theirs) = (added(&server, &salon, "Mia").await, added(&server, &salon, "Hugo").await);
    let mut browser = member(&server, &salon, &mine).await;
    let list = browser.get(&path).await.says("Mia").says("Hugo");
    assert!(!list.body.contains("/staff/new"));
    let (own, add) = (format!("{path}/{mine}"), format!("{path}/{mine}/time-off"));
    let page = browser.get(&own).await.is(200).says("During opening hours");
    assert!(
        !page.forms().iter().any(|form| form.action == own),
        "the page must have no form for the other settings"
    );
    browser.submit(&page, &add, &[("from", "2026-03-05")]).await.is(303);
    let page = browser.get(&own).await.says("Thursday 5 March 2026");
    let off = times_off(&server, &salon, &mine).await;
    let remove = format!("{add}/{}/remove", off[0]["id"].as_str().unwrap());
    browser.submit(&page, &remove, &[]).await.is(303);
    assert_eq!(times_off(&server, &salon, &mine).await, json!([]));
    let off = json!({ "from": "2026-03-05", "to": "2026-03-05" });
    let off = server.operator("POST", &format!("/businesses/{salon}/staff/{theirs}/time-off"), off).await;
    let other = browser.get(&format!("{path}/{theirs}")).await.is(200).says("Thursday 5 March 2026");
    assert!(!other.body.contains("/time-off"), "a member must not change another person's time off");
    for action in ["time-off".to_owned(), format!("time-off/{}/remove", off["id"].as_str().unwrap())] {
        let id = browser.get(&own).await.field("/dashboard/sign-out", "form");
        let fields = [("form", id.as_str()), ("from", "2026-03-06")];
        let page = browser.post(&format!("{path}/{theirs}/{action}"), &fields).await.is(403);
        page.says("Only owners and admins can change the time off of other staff members.");
    }
    assert_eq!(times_off(&server, &salon, &theirs).await.as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn a_staff_member_is_deleted_unless_something_refers_to_them() {
    let (server, salon, path, mut browser) = open().await;
    let (unused, person) = (added(&server, &salon, "Unused").await, added(&server, &salon, "Mia").await);
    member(&server, &salon, &person).await;
    let delete = format!("{path}/{person}/delete");
    let page = browser.get(&delete).await.says("Delete Mia?").says("their time off are deleted permanently");
    browser.submit(&page, &delete, &[]).await.is(409).says("A person is linked to this staff member.");
    let delete = format!("{path}/{unused}/delete");
    let page: Page = browser.get(&delete).await;
    let message = json!({ "caller_name": "Paul", "body": "Call me", "staff_id": unused });
    server.operator("POST", &format!("/businesses/{salon}/messages"), message).await;
    let page =
        browser.submit(&page, &delete, &[]).await.is(409).says("A message was left for this staff member.");
    assert!(page.tags().iter().any(|tag| tag.get("href").is_some_and(|way| way.contains("/messages/"))));
    let gone = added(&server, &salon, "Gone").await;
    let delete = format!("{path}/{gone}/delete");
    let page = browser.get(&delete).await;
    browser.submit(&page, &delete, &[]).await.leads_to(&format!("{path}?done=deleted"));
    browser.get(&format!("{path}/{gone}")).await.is(404);
    let text = browser.get(&path).await.text();
    assert!(!text.contains("Gone") && text.contains("Unused"));
}

#[tokio::test]
async fn a_stored_form_is_shown_again_at_its_position_on_the_page() {
    let (mut server, salon, path, mut browser) = open().await;
    let id = added(&server, &salon, "Hugo").await;
    let (own, add) = (format!("{path}/{id}"), format!("{path}/{id}/time-off"));
    let page = browser.get(&own).await;
    server.clock.advance(1);
    server.restart().await;
    let mut again = server.browser();
    again.cookies = browser.cookies;
    again.submit(&page, &add, &[("from", "2026-03-05"), ("note", "Kept")]).await.leads_to(&own);
    let page = again.get(&own).await.says("This form was open for too long");
    assert_eq!((page.field(&add, "note"), page.field(&own, "name")), ("Kept".into(), "Hugo".into()));
    again.submit(&page, &own, &[("name", "Hugo D.")]).await.is(303);
}

#[tokio::test]
async fn consecutive_days_with_the_same_hours_are_combined_in_both_languages() {
    let (server, salon, path, mut browser) = open().await;
    for (name, days) in [("Inès", &["monday", "tuesday"][..]), ("Hugo", &["monday", "tuesday", "wednesday"])]
    {
        let hours = days.iter().map(|day| json!({ "day": day, "open": "09:00", "close": "12:00" }));
        let body = json!({ "name": name, "service_ids": [], "hours": hours.collect::<Vec<_>>() });
        server.operator("POST", &format!("/businesses/{salon}/staff"), body).await;
    }
    let page = browser.get(&path).await.says("Monday and Tuesday, 09:00 – 12:00");
    page.says("Monday to Wednesday, 09:00 – 12:00");
    let page = browser.get("/dashboard/account").await;
    browser.submit(&page, "/dashboard/account", &[("locale", "fr")]).await.is(303);
    let page = browser.get(&path).await.says("Lundi et mardi, 09:00 – 12:00");
    page.says("Lundi à mercredi, 09:00 – 12:00");
}
