//! Tests of the Today page: open tasks, the appointments of each staff member, and the first steps of a new
//! business.

use serde_json::{Value, json};

use crate::day_salon::Salon;
use crate::harness::Server;

#[tokio::test]
async fn open_tasks_are_listed_urgent_first_and_can_be_done_from_the_page() {
    let mut salon = Salon::open().await;
    let today = salon.to("today");
    salon.owner.get(&today).await.is(200).says("Nothing needs you");
    let message = |body: &str, urgency: &str| json!({ "caller_name": "Paul Roy", "caller_phone": "+33612345690", "body": body, "urgency": urgency });
    let vouchers = salon.operator("POST", "/messages", message("Do you have vouchers?", "normal")).await;
    salon.operator("POST", "/messages", message("<i>It burns</i>", "urgent")).await;
    let id = salon.requested("2026-03-03T09:00:00Z", "Nora Haddad").await;
    let call = json!({ "direction": "inbound", "status": "missed", "outcome": "other", "from_number": "+33755010203",
        "started_at": "2026-03-01T20:00:00Z", "ended_at": "2026-03-01T20:00:10Z", "duration_seconds": 0 });
    let call = salon.operator("POST", "/calls", call).await;
    let old = json!({ "direction": "inbound", "status": "missed", "outcome": "other", "from_number": "+33755010299",
        "started_at": "2026-02-27T20:00:00Z", "ended_at": "2026-02-27T20:00:10Z", "duration_seconds": 0 });
    let old = salon.operator("POST", "/calls", old).await;
    let ancient = json!({ "direction": "inbound", "status": "missed", "outcome": "other", "from_number": "+33755010288",
        "started_at": "2026-01-20T20:00:00Z", "ended_at": "2026-01-20T20:00:10Z", "duration_seconds": 0 });
    salon.operator("POST", "/calls", ancient).await;
    let page = salon.member.get(&today).await.is(200).says("Needs you · 5").says("+33 7 55 01 02 03");
    let text = page.text();
    let at = |what: &str| text.find(what).unwrap_or_else(|| panic!("{what} is missing in {text}"));
    assert!(
        at("<i>It burns</i>") < at("Nora Haddad") && at("Nora Haddad") < at("Do you have vouchers?"),
        "{text}"
    );
    assert!(at("Do you have vouchers?") < at("Missed call"), "{text}");
    assert!(text.contains("01 02 99") && !text.contains("01 02 88"), "a missed call is listed for 30 days");
    // A link leads to the missed calls that are older than 30 days.
    let page = page.says("One older missed call is not handled");
    let older = salon.member.get(&page.link("status=unhandled")).await.is(200).says("01 02 88");
    assert!(!older.text().contains("No calls found"));
    let title = |page: &crate::harness::Page| page.body.contains("<title>(5) Today");
    assert!(title(&page), "the title must contain the number of tasks");
    assert!(page.body.contains("href=\"tel:+33612345690\""));
    let resolve = page.forms().into_iter().find(|form| form.action.ends_with("/status")).unwrap();
    let done = salon.member.submit(&page, &resolve.action, &[]).await.is(303).header("location").to_owned();
    let page = salon.member.get(&done).await.says("The message is resolved.").says("Needs you · 4");
    assert!(!page.text().contains("It burns"));
    // The page has a button that sets the status of the message to `new` again.
    salon.member.submit(&page, &resolve.action, &[]).await.leads_to(&format!("{today}?done=new"));
    let page = salon.member.get(&today).await.says("Needs you · 5").says("It burns");
    salon.member.submit(&page, &resolve.action, &[]).await.leads_to(&done);
    // A missed call is a task until somebody handles it.
    let handle = salon.to(&format!("calls/{}/handled", old["id"].as_str().unwrap()));
    let page = salon.member.get(&today).await;
    let done = salon.member.submit(&page, &handle, &[]).await.is(303).header("location").to_owned();
    let page = salon.member.get(&done).await.says("Marked as handled.").says("Needs you · 3");
    salon.member.submit(&page, &handle, &[]).await.is(303);
    let page = salon.member.get(&today).await.says("Needs you · 4");
    salon.member.submit(&page, &handle, &[]).await.leads_to(&done);
    let page = salon.member.get(&today).await.says("Needs you · 3");
    let confirm = salon.to(&format!("appointments/{id}/confirm"));
    let other = salon.requested("2026-03-03T11:00:00Z", "Ada").await;
    let way = salon.to(&format!("appointments/{other}/decline"));
    let declining = salon.member.get(&format!("{way}?from=today")).await.is(200);
    salon.member.submit(&declining, &way, &[]).await.leads_to(&format!("{today}?done=declined"));
    salon.member.submit(&page, &confirm, &[]).await.leads_to(&format!("{today}?done=confirmed"));
    let page =
        salon.member.get(&format!("{today}?done=confirmed")).await.says("Confirmed.").says("Needs you · 2");
    assert!(!page.forms().iter().any(|form| form.action == confirm));
    assert_eq!(salon.appointment(&id).await["status"], "confirmed");
    // A snoozed message and a handled call are not among the tasks.
    let of = |list: &str, one: &Value| format!("/{list}/{}", one["id"].as_str().unwrap());
    for (path, change, left) in [
        (of("calls", &call), json!({ "handled": true }), "Needs you · 1"),
        (of("messages", &vouchers), json!({ "snoozed_until": "2026-03-02T15:00:00Z" }), "Nothing needs you"),
        (of("messages", &vouchers), json!({ "snoozed_until": "2026-03-02T05:00:00Z" }), "Needs you · 1"),
    ] {
        salon.operator("PATCH", &path, change).await;
        salon.member.get(&today).await.says(left);
    }
}

#[tokio::test]
async fn today_shows_each_staff_members_day_with_past_and_current_appointments() {
    let mut salon = Salon::open().await;
    salon.booked("2026-03-02T09:00:00Z", "Ada").await;
    salon.booked("2026-03-02T10:00:00Z", "Grace").await;
    salon.booked("2026-03-02T13:00:00Z", "Emma").await;
    salon.booked("2026-03-03T13:00:00Z", "Tomorrow").await;
    salon.server.clock.set("2026-03-02T10:12:00Z");
    let page = salon.member.get(&salon.to("today")).await.is(200);
    let page = page.says("Monday 2 March").says("11:12 in Paris · open until 18:00 · 3 appointments");
    let page = page.says("3 appointments, until 14:30").says("No appointments · works 09:00 – 18:00");
    let page = page.says("Now · Cut, until 11:30");
    assert!(!page.text().contains("Tomorrow"));
    let classes: Vec<_> = page.tags().iter().filter_map(|tag| tag.get("class").map(str::to_owned)).collect();
    assert!(classes.contains(&"past".to_owned()) && classes.contains(&"is-now".to_owned()));
    salon.server.clock.set("2026-03-02T17:30:00Z");
    salon.member.get(&salon.to("today")).await.says("already closed");
    salon.server.clock.set("2026-03-08T10:00:00Z");
    salon.member.get(&salon.to("today")).await.says("closed today").says("Closed");
    let page = salon.member.get(&salon.to("today")).await;
    assert!(!page.text().contains("Not working"), "on a closed day, no staff member is absent");
    let page = salon.member.get(&salon.to("calendar?view=day&date=2026-03-08")).await.is(200);
    assert!(!page.text().contains("Not working"), "{}", page.text());
}

#[tokio::test]
async fn the_day_of_a_staff_member_who_is_not_in_has_no_break() {
    let mut salon = Salon::open().await;
    salon
        .operator("PATCH", "", json!({ "breaks": [{ "day": "monday", "from": "12:00", "to": "13:00" }] }))
        .await;
    let tuesday = json!({ "hours": [{ "day": "tuesday", "open": "09:00", "close": "18:00" }] });
    let hugo = salon.hugo.clone();
    salon.operator("PATCH", &format!("/staff/{hugo}"), tuesday).await;
    let page = salon.member.get(&salon.to("today")).await.says("Hugo Not working");
    assert_eq!(page.text().matches("Break").count(), 1, "{}", page.text());
    // A break during time off is not shown. A staff member who is off for the whole day is shown as not
    // working.
    let off = format!("/staff/{}/time-off", salon.ines);
    let lunch = json!({ "starts_at": "2026-03-02T10:30:00Z", "ends_at": "2026-03-02T12:30:00Z" });
    let lunch = salon.operator("POST", &off, lunch).await;
    let page = salon.member.get(&salon.to("today")).await.says("works 09:00 – 18:00");
    assert!(!page.text().contains("Break"), "{}", page.text());
    salon.operator("DELETE", &format!("{off}/{}", lunch["id"].as_str().unwrap()), Value::Null).await;
    salon.operator("POST", &off, json!({ "from": "2026-03-02", "to": "2026-03-02" })).await;
    let page = salon.member.get(&salon.to("today")).await.says("Inès Not working");
    assert!(!page.text().contains("Break"), "{}", page.text());
    salon.member.get(&salon.to("calendar?date=2026-03-02")).await.says("Inès Not working");
}

#[tokio::test]
async fn the_first_steps_of_a_new_business_are_listed_until_all_are_completed() {
    let server = Server::open().await;
    let id = server.business("Salon Zoé").await;
    let today = format!("/dashboard/b/{id}/today");
    let owner = server.person(&id, "owner@example.com", "owner").await;
    let member = server.person(&id, "member@example.com", "member").await;
    let (mut owner, mut member) = (server.signed_in(&id, &owner).await, server.signed_in(&id, &member).await);
    let of = |path: &str| format!("/businesses/{id}{path}");
    let page = owner.get(&today).await.is(200).says("Welcome").says("4 more steps").says("1 of 5 done");
    let page = page.says("6 days a week").says("Add a service");
    let label = |way: &str| {
        let path = format!("/dashboard/b/{id}/{way}");
        let tags = page.tags();
        let link = |tag: &crate::harness::Tag| {
            let class = tag.get("class").unwrap_or_default();
            tag.get("href") == Some(&path) && class.starts_with("button")
        };
        tags.into_iter().find(link).map(|tag| tag.text)
    };
    assert_eq!(label("settings/services").as_deref(), Some("Add a service"));
    assert_eq!(label("settings/staff").as_deref(), Some("Add a staff member"));
    // When a form that completes a step is saved, the page of the form links to the next step.
    let hours = format!("/dashboard/b/{id}/settings/hours");
    let leads_on = |page: &crate::harness::Page| {
        page.tags()
            .iter()
            .any(|tag| tag.get("href") == Some(&today) && tag.text == "Continue with the next step")
    };
    let page = owner.get(&hours).await;
    assert!(!leads_on(&page), "no step was completed");
    let saved = owner.submit(&page, &hours, &[("monday-hours-1-from", "8")]).await.is(303);
    assert!(leads_on(&owner.get(saved.header("location")).await));
    for done in ["services?done=added", "staff?done=added"] {
        assert!(leads_on(&owner.get(&format!("/dashboard/b/{id}/settings/{done}")).await), "{done}");
    }
    assert!(
        !member.get(&today).await.is(200).text().contains("First steps"),
        "a member must not see the first steps"
    );
    let service = server.offers(&id, ("Cut", 30), "Inès").await;
    let page = owner.get(&today).await.says("3 of 5 done").says("Monday 2 March");
    assert!(
        page.body.contains(&format!("/dashboard/b/{id}/appointments/new\"")),
        "the page must link to the next step"
    );
    let booking = json!({ "service_id": service, "starts_at": "2026-03-02T09:00:00Z", "contact": { "phone": "+33612345678" } });
    let booking = server.operator("POST", &of("/appointments"), booking).await;
    let cancel = format!("/appointments/{}/cancel", booking["id"].as_str().unwrap());
    server.operator("POST", &of(&cancel), Value::Null).await;
    owner.get(&today).await.says("4 of 5 done");
    assert!(
        !leads_on(&owner.get(saved.header("location")).await),
        "if only the step for keys is left, the page must not link to it"
    );
    // The person can hide the first steps of this business in this browser. Another browser still shows
    // them.
    let mut other = owner.clone();
    let page = other.get(&today).await.says("First steps");
    other.submit(&page, &format!("{today}/hide-steps"), &[]).await.leads_to(&today);
    assert!(!other.get(&today).await.text().contains("First steps"));
    owner.get(&today).await.says("First steps");
    server.operator("POST", &of("/keys"), json!({ "name": "website", "scopes": ["business:read"] })).await;
    assert!(
        !owner.get(&today).await.text().contains("First steps"),
        "after all steps are completed, the list must not be shown"
    );
}

#[tokio::test]
async fn the_first_steps_are_not_listed_two_weeks_after_the_first_booking() {
    let mut salon = Salon::open().await;
    salon.booked("2026-03-02T09:00:00Z", "Ada").await;
    salon.owner.get(&salon.to("today")).await.says("First steps").says("4 of 5 done");
    salon.server.clock.advance(14 * 24 * 3_600 + 1);
    let person = salon.server.person(&salon.id, "again@example.com", "owner").await;
    let mut browser = salon.server.signed_in(&salon.id, &person).await;
    assert!(!browser.get(&salon.to("today")).await.is(200).text().contains("First steps"));
}

#[tokio::test]
async fn times_have_the_form_that_the_person_or_the_country_uses() {
    let mut salon = Salon::open().await;
    salon.booked("2026-03-02T13:00:00Z", "Emma").await;
    let today = salon.to("today");
    salon.owner.get(&today).await.says("14:00 Emma");
    salon
        .server
        .operator("PATCH", &format!("/businesses/{}", salon.id), json!({ "phone_region": "US" }))
        .await;
    salon.owner.get(&today).await.says("2:00 pm Emma").says("9:00 am – 6:00 pm");
    let account = salon.owner.get("/dashboard/account").await.is(200);
    let fields = [("clock", "24"), ("week_start", "sunday")];
    salon.owner.submit(&account, "/dashboard/account", &fields).await.is(303);
    salon.owner.get(&today).await.says("14:00 Emma");
    let account = salon.owner.get("/dashboard/account").await;
    assert_eq!(account.field("/dashboard/account", "week_start"), "sunday");
}

#[tokio::test]
async fn appointments_outside_the_hours_are_listed_until_they_are_moved_or_cancelled() {
    let mut salon = Salon::open().await;
    let id = salon.booked("2026-03-02T13:00:00Z", "Emma").await;
    let today = salon.to("today");
    assert!(!salon.owner.get(&today).await.text().contains("outside the hours"));
    let hours = json!({ "hours": [{ "day": "monday", "open": "09:00", "close": "12:00" }] });
    salon.server.operator("PATCH", &format!("/businesses/{}", salon.id), hours).await;
    let page = salon.member.get(&today).await.says("One upcoming appointment is outside the hours.");
    assert!(page.tags().iter().any(|tag| tag.get("href") == Some(&salon.to(&format!("appointments/{id}")))));
    salon.operator("POST", &format!("/appointments/{id}/cancel"), Value::Null).await;
    assert!(!salon.member.get(&today).await.text().contains("outside the hours"));
}

#[tokio::test]
async fn open_conversations_and_unanswered_questions_are_shown() {
    let mut salon = Salon::open().await;
    let today = salon.to("today");
    let page = salon.member.get(&today).await.is(200);
    assert!(!page.text().contains("All conversations"), "{}", page.text());
    let chat = json!({ "channel": "website", "locale": "en" });
    let seen = salon.operator("POST", "/conversations", chat).await;
    let call = json!({ "channel": "voice", "from": "+33755010203" });
    let call = salon.operator("POST", "/conversations", call).await;
    let page = salon.member.get(&today).await.says("+33 7 55 01 02 03").says("Call");
    let has = |page: &crate::harness::Page, id: &Value| page.body.contains(id.as_str().unwrap());
    assert!(has(&page, &call["id"]) && !has(&page, &seen["id"]), "the chat has no words of a caller");
    let turns = format!("/conversations/{}/turns", seen["id"].as_str().unwrap());
    salon.operator("POST", &turns, json!({ "text": "Do you have a swimming pool?" })).await;
    let page = salon.member.get(&today).await.says("One question has no answer");
    assert!(has(&page, &seen["id"]) && page.body.contains("/knowledge/gaps"));
    for one in [&seen, &call] {
        let end = format!("/conversations/{}/end", one["id"].as_str().unwrap());
        salon.operator("POST", &end, json!({})).await;
    }
    let page = salon.member.get(&today).await.says("One question has no answer");
    assert!(!has(&page, &seen["id"]) && !has(&page, &call["id"]));
}
