//! Tests of the page for opening hours, breaks and special days.

use serde_json::{Value, json};

use crate::harness::{Browser, Page, Server};

/// Creates a service, a staff member who offers it, and an appointment at this time. Returns the id of the
/// appointment.
pub(crate) async fn booked(server: &Server, salon: &str, at: &str) -> String {
    let base = format!("/businesses/{salon}");
    let service = server.offers(salon, ("Cut", 60), "Inès").await;
    let booking = json!({
        "service_id": service, "starts_at": at, "contact": { "name": "<b>Nora</b>", "phone": "+33612345678" }
    });
    let booked = server.operator("POST", &format!("{base}/appointments"), booking).await;
    booked["id"].as_str().unwrap().to_owned()
}

async fn open() -> (Server, String, String, Browser) {
    let server = Server::open().await;
    let salon = server.business("Salon Zoé").await;
    let ada = server.person(&salon, "ada@example.com", "owner").await;
    let browser = server.signed_in(&salon, &ada).await;
    let path = format!("/dashboard/b/{salon}/settings/hours");
    (server, salon, path, browser)
}

async fn business(server: &Server, salon: &str) -> Value {
    server.operator("GET", &format!("/businesses/{salon}"), Value::Null).await
}

async fn special_days(server: &Server, salon: &str) -> Value {
    server.operator("GET", &format!("/businesses/{salon}/special-days"), Value::Null).await
}

#[tokio::test]
async fn the_week_and_its_breaks_are_changed_and_appointments_outside_are_listed() {
    let (server, salon, path, mut browser) = open().await;
    let id = booked(&server, &salon, "2026-03-09T09:00:00Z").await;
    let page = browser.get(&path).await.is(200).says("Opening hours of Salon Zoé, in Paris time");
    assert_eq!(page.field(&path, "monday-hours-1-from"), "09:00");
    assert!(!page.form(&path).fields.iter().any(|(name, _)| name == "sunday"), "closed");
    let fields = [
        ("monday-hours-1-from", "11h"),
        ("monday-hours-1-to", "2:00"),
        ("tuesday-breaks-1-from", "12:00"),
        ("tuesday-breaks-1-to", "13:00"),
    ];
    browser.submit(&page, &path, &fields).await.leads_to(&format!("{path}?done=week"));
    let now = business(&server, &salon).await;
    assert_eq!(now["hours"][0], json!({ "day": "monday", "open": "11:00", "close": "02:00" }));
    assert_eq!(now["breaks"], json!([{ "day": "tuesday", "from": "12:00", "to": "13:00" }]));
    let page = browser.get(&format!("{path}?done=week")).await;
    let page = page.says("Saved. One upcoming appointment is outside the hours.");
    let page = page.says("Monday 9 March at 10:00").says("<b>Nora</b>");
    let way = format!("/dashboard/b/{salon}/appointments/{id}");
    assert!(page.tags().iter().any(|tag| tag.get("href") == Some(&way)));
    // A day whose checkbox is not ticked is closed. Its break is kept.
    browser.submit_without(&page, &path, "tuesday").await.leads_to(&format!("{path}?done=week"));
    let now = business(&server, &salon).await;
    assert!(!now["hours"].to_string().contains("tuesday") && now["breaks"].to_string().contains("tuesday"));
}

#[tokio::test]
async fn a_refused_week_shows_each_problem_at_its_day() {
    let (server, salon, path, mut browser) = open().await;
    let page = browser.get(&path).await;
    let fields = [
        ("thursday-hours-1-to", "09:00"),
        ("friday-hours-1-from", "later"),
        ("wednesday-hours-1-to", "10:00"),
        ("tuesday-hours-1-to", "09:30"),
        ("tuesday-hours-1-from", "20:00"),
        ("saturday-breaks-1-from", "12:00"),
    ];
    let page = browser.submit(&page, &path, &fields).await.is(422).says("Nothing is saved yet");
    let problem = |day: &str| {
        let id = format!("{day}-problem");
        page.tags().into_iter().find(|tag| tag.get("id") == Some(&id)).map(|tag| tag.text)
    };
    assert_eq!(problem("friday").as_deref(), Some("It must be a time from 00:00 to 24:00, such as 09:30."));
    assert_eq!(problem("saturday").as_deref(), Some("It must be a time from 00:00 to 24:00, such as 09:30."));
    assert_eq!(problem("monday"), None);
    assert_eq!(page.field(&path, "friday-hours-1-from"), "later");
    let fields = [("friday-hours-1-from", "09:00"), ("saturday-breaks-1-from", "")];
    let page = browser.submit(&page, &path, &fields).await.is(422);
    let page = page
        .says("The opening time and the closing time are the same. For the whole day, enter 00:00 to 24:00.");
    let page = page.says("It overlaps a period on Tuesday.");
    let wrong = page.tags().into_iter().filter(|tag| tag.get("aria-invalid") == Some("true"));
    let wrong: Vec<_> = wrong.map(|tag| tag.get("name").unwrap().to_owned()).collect();
    assert_eq!(wrong, ["wednesday-hours-1-from", "thursday-hours-1-to"]);
    assert_eq!(business(&server, &salon).await["hours"].as_array().unwrap().len(), 6);
    assert!(!business(&server, &salon).await.to_string().contains("20:00"));
}

#[tokio::test]
async fn a_day_accepts_more_breaks_and_no_input_is_lost() {
    let (server, salon, path, mut browser) = open().await;
    let page = browser.get(&path).await;
    let fields =
        [("monday-breaks-1-from", "12:00"), ("monday-breaks-1-to", "12:30"), ("friday-hours-1-to", "17:00")];
    let sent = |fields: &[(&str, &str)], page: &Page| {
        let mut all = page.form(&path).fields;
        for (name, value) in fields {
            all.iter_mut().find(|(field, _)| field == name).unwrap().1 = (*value).to_owned();
        }
        all.push(("room".into(), "yes".into()));
        all
    };
    let all = sent(&fields, &page);
    let all: Vec<_> = all.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    let page = browser.post(&path, &all).await.is(200);
    assert_eq!(page.field(&path, "friday-hours-1-to"), "17:00");
    assert!(
        business(&server, &salon).await["breaks"].as_array().unwrap().is_empty(),
        "a refused form must save nothing"
    );
    let fields = [("monday-breaks-2-from", "15:00"), ("monday-breaks-2-to", "15:30")];
    browser.submit(&page, &path, &fields).await.leads_to(&format!("{path}?done=week"));
    let breaks = &business(&server, &salon).await["breaks"];
    assert_eq!(breaks[1], json!({ "day": "monday", "from": "15:00", "to": "15:30" }));
    let page = browser.get(&path).await;
    assert_eq!(page.field(&path, "monday-breaks-2-from"), "15:00", "both breaks must be shown");
    assert!(!page.form(&path).controls.contains(&"tuesday-breaks-2-from".to_owned()));
}

#[tokio::test]
async fn a_conflict_between_two_changes_of_the_week_shows_both_versions() {
    let (server, salon, path, mut browser) = open().await;
    let page = browser.get(&path).await;
    let hours = json!({ "hours": [{ "day": "monday", "open": "08:00", "close": "12:00" }] });
    server.operator("PATCH", &format!("/businesses/{salon}"), hours).await;
    let page = browser.submit(&page, &path, &[("monday-hours-1-to", "20:00")]).await.is(409);
    let page = page.says("Saved version").says("09:00 – 20:00").says("08:00 – 12:00");
    browser.submit(&page, &path, &[]).await.is(303);
    assert_eq!(business(&server, &salon).await["hours"][0]["close"], "20:00");
}

#[tokio::test]
async fn special_days_are_added_changed_and_removed() {
    let (server, salon, path, mut browser) = open().await;
    booked(&server, &salon, "2026-03-03T09:00:00Z").await;
    let add = format!("{path}/days");
    let page = browser.get(&path).await.says("No upcoming special days");
    let fields = [("date", "2026-03-03"), ("note", "Mardi <i>gras</i>")];
    browser.submit(&page, &add, &fields).await.leads_to(&format!("{path}?done=day&date=2026-03-03"));
    let page = browser.get(&format!("{path}?done=day&date=2026-03-03")).await;
    let page = page
        .says("One upcoming appointment is outside")
        .says("Tuesday 3 March 2026")
        .says("Closed Mardi <i>gras</i>");
    // A second form for the same date is refused, because the date already has a special day.
    let page = browser
        .submit(&page, &add, &[("date", "2026-03-03"), ("open", "10h"), ("close", "12h")])
        .await
        .is(409);
    let page = page.says("This day is already a special day");
    assert_eq!(page.field(&add, "open"), "10h");
    let own = format!("{add}/2026-03-03");
    let page = browser.get(&own).await.is(200).says("Up to four opening periods");
    let fields = [("open-1", "09:00"), ("close-1", "11:00"), ("open-3", "10:00"), ("close-3", "12:00")];
    let page = browser.submit(&page, &own, &fields).await.is(422).says("It overlaps the first period.");
    let fields = [("open-3", "14:00"), ("close-3", "16:00"), ("note", "")];
    browser.submit(&page, &own, &fields).await.leads_to(&format!("{path}?done=day&date=2026-03-03"));
    let days = special_days(&server, &salon).await;
    assert_eq!(days[0]["windows"][1], json!({ "open": "14:00", "close": "16:00" }));
    assert_eq!(days[0]["note"], Value::Null);
    let page = browser.get(&path).await.says("09:00 – 11:00, 14:00 – 16:00");
    browser
        .submit(&page, &format!("{own}/remove"), &[])
        .await
        .leads_to(&format!("{path}?done=removed&date=2026-03-03"));
    assert_eq!(special_days(&server, &salon).await, json!([]));
    browser.get(&own).await.is(404);
}

#[tokio::test]
async fn a_refused_special_day_keeps_its_input_and_a_changed_one_is_not_removed() {
    let (server, salon, path, mut browser) = open().await;
    let add = format!("{path}/days");
    let page = browser.get(&path).await;
    let fields = [("date", ""), ("open", "25:00"), ("close", "12:00"), ("note", "x")];
    let page = browser
        .submit(&page, &add, &fields)
        .await
        .is(422)
        .says("This field is required.")
        .says("It must be a time");
    assert_eq!((page.field(&add, "open"), page.field(&add, "note")), ("25:00".into(), "x".into()));
    let fields = [("date", "2026-12-24"), ("open", "09:00"), ("close", "16:00")];
    browser.submit(&page, &add, &fields).await.is(303);
    let page = browser.get(&path).await;
    let own = browser.get(&format!("{add}/2026-12-24")).await;
    let day = json!({ "closed": true, "note": "Christmas Eve" });
    server.operator("PUT", &format!("/businesses/{salon}/special-days/2026-12-24"), day).await;
    let refused = browser.submit(&page, &format!("{add}/2026-12-24/remove"), &[]).await.is(409);
    refused.says("Another person has changed this meanwhile, so your action was not carried out");
    let page = browser.submit(&own, &format!("{add}/2026-12-24"), &[("open-1", "10:00")]).await.is(409);
    page.says("Saved version").says("Christmas Eve").says("10:00 – 16:00");
    assert_eq!(special_days(&server, &salon).await[0]["closed"], true);
}

#[tokio::test]
async fn past_special_days_are_listed_separately_and_members_see_only_the_hours() {
    let (server, salon, path, mut browser) = open().await;
    let base = format!("/businesses/{salon}/special-days");
    for date in ["2020-01-01", "2026-12-25"] {
        server.operator("PUT", &format!("{base}/{date}"), json!({ "closed": true })).await;
    }
    let page = browser.get(&path).await.says("Friday 25 December 2026");
    assert!(!page.text().contains("2020"));
    browser.get(&format!("{path}?days=past")).await.says("Wednesday 1 January 2020");
    let mia = server.person(&salon, "mia@example.com", "member").await;
    let mut member = server.signed_in(&salon, &mia).await;
    let page = member.get(&path).await.says("09:00 – 18:00").says("Friday 25 December 2026");
    assert!(!page.forms().iter().any(|form| form.action.starts_with(&path)));
    assert!(!page.tags().iter().any(|tag| tag.get("href").is_some_and(|way| way.contains("/days/"))));
}

#[tokio::test]
async fn times_are_accepted_in_several_forms_and_can_be_copied_to_every_open_day() {
    let (server, salon, path, mut browser) = open().await;
    let page = browser.get(&path).await;
    let fields =
        [("monday-hours-1-from", "9"), ("monday-hours-1-to", "18h30"), ("friday-hours-1-to", "17:00")];
    let same = [&fields[..], &[("same", "yes")]].concat();
    let same = browser.submit(&page, &path, &same).await.is(200);
    for day in ["monday", "friday", "saturday"] {
        assert_eq!(same.field(&path, &format!("{day}-hours-1-to")), "18:30", "{day}");
    }
    assert_eq!(same.field(&path, "sunday-hours-1-from"), "", "closed");
    assert_eq!(
        business(&server, &salon).await["hours"][0]["close"],
        "18:00",
        "a refused form must save nothing"
    );
    // The person then sends the same form with other hours for some days.
    let fields =
        [&fields[..], &[("tuesday-hours-1-from", "9.30"), ("wednesday-hours-1-from", "930")]].concat();
    browser.submit(&page, &path, &fields).await.leads_to(&format!("{path}?done=week"));
    let hours = business(&server, &salon).await["hours"].clone();
    assert_eq!(hours[0], json!({ "day": "monday", "open": "09:00", "close": "18:30" }));
    assert_eq!((&hours[1]["open"], &hours[2]["open"]), (&json!("09:30"), &json!("09:30")));
    assert_eq!(hours[4]["close"], "17:00");
    let page = browser.get(&path).await;
    let fields = [("date", "2026-12-24"), ("open", "9h"), ("close", "13.30")];
    browser.submit(&page, &format!("{path}/days"), &fields).await.is(303);
    let window = json!({ "open": "09:00", "close": "13:30" });
    assert_eq!(special_days(&server, &salon).await[0]["windows"], json!([window]));
    let page = browser.get(&path).await;
    let wrong = [("monday-hours-1-from", "9.5")];
    browser.submit(&page, &path, &wrong).await.is(422).says("It must be a time from 00:00 to 24:00");
}

#[tokio::test]
async fn unsaved_input_for_the_week_is_kept_when_another_form_of_the_page_is_sent() {
    let (server, salon, path, mut browser) = open().await;
    let add = format!("{path}/days");
    let page = browser.get(&path).await;
    // The script of the page adds the fields of the weekly hours to every other form, with the prefix
    // `week.`.
    let along = |page: &Page, to: &str| {
        let week = page.form(&path).fields.into_iter().filter(|(name, _)| name != "form");
        let week = week.map(|(name, value)| match name == "friday-hours-1-to" {
            true => (format!("week.{name}"), to.to_owned()),
            false => (format!("week.{name}"), value),
        });
        week.collect::<Vec<_>>()
    };
    let sent = |page: &Page, action: &str, fields: &[(&str, &str)], to: &str| {
        let mut all = page.form(action).fields;
        all.retain(|(name, _)| fields.iter().all(|(field, _)| field != name));
        all.extend(fields.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())));
        all.extend(along(page, to));
        all
    };
    async fn post(browser: &mut Browser, action: &str, all: Vec<(String, String)>) -> Page {
        let all: Vec<_> = all.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        browser.post(action, &all).await
    }
    let refused = post(&mut browser, &add, sent(&page, &add, &[("date", "")], "12:00")).await.is(422);
    assert_eq!(
        refused.field(&path, "friday-hours-1-to"),
        "12:00",
        "the page must contain the week's input as well as the error of the day"
    );
    let to = format!("{path}?done=day&date=2026-12-24");
    let all = sent(&refused, &add, &[("date", "2026-12-24")], "12:00");
    post(&mut browser, &add, all).await.leads_to(&to);
    let page = browser.get(&to).await.says("Your input in this form is still here, but it is not saved yet.");
    assert_eq!(page.field(&path, "friday-hours-1-to"), "12:00");
    assert_eq!(business(&server, &salon).await["hours"][4]["close"], "18:00");
    let remove = format!("{add}/2026-12-24/remove");
    let removed = post(&mut browser, &remove, sent(&page, &remove, &[], "12:00")).await.is(303);
    let page = browser.get(removed.header("location")).await;
    assert_eq!(page.field(&path, "friday-hours-1-to"), "12:00");
    // The operator changes the weekly hours in the meantime. When the person then saves the input for the
    // week, the page shows both versions.
    let hours = json!({ "hours": [{ "day": "monday", "open": "08:00", "close": "12:00" }] });
    server.operator("PATCH", &format!("/businesses/{salon}"), hours).await;
    let all = sent(&page, &add, &[("date", "2026-12-25")], "12:00");
    let added = post(&mut browser, &add, all).await.is(303);
    let page = browser.get(added.header("location")).await;
    browser.submit(&page, &path, &[]).await.is(409).says("Saved version");
    // If the person has not changed the weekly hours, the page does not warn about unsaved input.
    let page = browser.get(&path).await;
    let all = sent(&page, &add, &[("date", "2026-12-26")], "18:00");
    let all: Vec<_> = all.into_iter().filter(|(name, _)| name != "week.friday-hours-1-to").collect();
    let added = post(&mut browser, &add, all).await.is(303);
    assert!(!browser.get(added.header("location")).await.text().contains("not saved yet"));
}

#[tokio::test]
async fn public_holidays_are_shown_before_they_are_closed() {
    let server = Server::open().await;
    let salon = server.business("Salon Zoé").await;
    let ada = server.person(&salon, "ada@example.com", "admin").await;
    let service = server.offers(&salon, ("Colour", 30), "Océane").await;
    let path = format!("/businesses/{salon}");
    let booking =
        json!({ "service_id": service, "starts_at": "2026-03-03T09:00:00Z", "contact": { "name": "Nora" } });
    server.operator("POST", &format!("{path}/appointments"), booking).await;
    let open = json!({ "windows": [{ "open": "10:00", "close": "12:00" }] });
    server.operator("PUT", &format!("{path}/special-days/2026-05-01"), open).await;
    let mut browser = server.signed_in(&salon, &ada).await;
    let hours = format!("/dashboard/b/{salon}/settings/hours");
    let import = format!("{hours}/holidays");
    browser.get(&hours).await.is(200).says("Import public holidays");
    let page = browser.get(&import).await.is(200);
    let event = |date: &str, name: &str| {
        format!("BEGIN:VEVENT\r\nUID:{date}\r\nDTSTART;VALUE=DATE:{date}\r\nSUMMARY:{name}\r\nEND:VEVENT\r\n")
    };
    let days = event("20260303", "Mardi <gras>") + &event("20260501", "Travail") + &event("20250501", "Past");
    let file = format!("BEGIN:VCALENDAR\r\nVERSION:2.0\r\n{days}END:VCALENDAR\r\n");
    let preview = browser.upload(&page, &import, Some(file.as_bytes())).await.is(200);
    let preview = preview.says("One day will be closed.").says("One special day exists already");
    let preview =
        preview.says("Tuesday 3 March 2026").says("Mardi <gras>").says("One appointment stays booked.");
    let listed = async || server.operator("GET", &format!("{path}/special-days"), Value::Null).await;
    assert_eq!(listed().await.as_array().unwrap().len(), 1, "a preview changes nothing");
    browser.upload(&preview, &import, None).await.leads_to(&format!("{hours}?done=holidays"));
    let closed = listed().await;
    let closed: Vec<_> =
        closed.as_array().unwrap().iter().map(|day| (&day["date"], &day["closed"])).collect();
    assert_eq!(closed, [(&json!("2026-03-03"), &json!(true)), (&json!("2026-05-01"), &json!(false))]);
    let page = browser.get(&import).await;
    browser.upload(&page, &import, Some(file.as_bytes())).await.is(200).says("No day will be closed.");
    browser.upload(&page, &import, None).await.is(422);
}

#[tokio::test]
async fn a_refused_calendar_shows_every_reason_and_closes_no_day() {
    let server = Server::open().await;
    let salon = server.business("Salon Zoé").await;
    let path = format!("/businesses/{salon}");
    let ada = server.person(&salon, "ada@example.com", "admin").await;
    let mut browser = server.signed_in(&salon, &ada).await;
    let import = format!("/dashboard/b/{salon}/settings/hours/holidays");
    let page = browser.get(&import).await.is(200);
    let calendar = |events: &[&str]| {
        let events = events.iter().map(|event| format!("BEGIN:VEVENT\r\n{event}\r\nEND:VEVENT\r\n"));
        format!("BEGIN:VCALENDAR\r\n{}END:VCALENDAR\r\n", events.collect::<String>())
    };
    let wrong = calendar(&[
        "SUMMARY:Meeting\r\nDTSTART:20260401T090000Z",
        "SUMMARY:Weekly\r\nDTSTART;VALUE=DATE:20260401\r\nRRULE:FREQ=WEEKLY",
        "SUMMARY:Good\r\nDTSTART;VALUE=DATE:20260501",
    ]);
    let long = "SUMMARY:Long\r\nDTSTART;VALUE=DATE:20260401\r\nDTEND;VALUE=DATE:20270401";
    let more = calendar(&[long, "SUMMARY:More\r\nDTSTART;VALUE=DATE:20280401\r\nDURATION:P2D"]);
    for (file, status, reasons) in [
        (wrong.as_bytes(), 422, &["Event \"Meeting\": DTSTART is", "Event \"Weekly\": repeats by"][..]),
        (b"name\nA\n", 422, &["This file cannot be used", "The file is not an iCalendar file"]),
        (&vec![b'\n'; 5 << 20], 422, &["The file is longer than 4 MB"]),
        (more.as_bytes(), 409, &["An import closes at most 366 days"]),
    ] {
        let refused = browser.upload(&page, &import, Some(file)).await.is(status);
        reasons.iter().fold(refused, |refused, reason| refused.says(reason));
    }
    let listed = server.operator("GET", &format!("{path}/special-days"), Value::Null).await;
    assert_eq!(listed, json!([]));
    // If the file gives a holiday no name, the holiday gets a general name in the language of the business.
    server.operator("PATCH", &path, json!({ "locale": "fr" })).await;
    let unnamed = calendar(&["DTSTART;VALUE=DATE:20260501", "DTSTART;VALUE=DATE:20260508"]);
    let preview = browser.upload(&page, &import, Some(unnamed.as_bytes())).await.is(200).says("jour férié");
    browser.upload(&preview, &import, None).await.is(303);
    let listed = server.operator("GET", &format!("{path}/special-days"), Value::Null).await;
    let notes: Vec<_> = listed.as_array().unwrap().iter().map(|day| &day["note"]).collect();
    assert_eq!(notes, [&json!("jour férié"); 2]);
    // The import closes both days in one change, so both entries have the same time.
    let log = server.operator("GET", &format!("{path}/audit"), Value::Null).await;
    assert!(log[0]["action"] == "special_day.set" && log[0]["at"] == log[1]["at"], "{log}");
}
