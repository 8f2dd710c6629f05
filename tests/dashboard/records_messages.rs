//! Tests of messages in the dashboard: the list, and the forms to assign, resolve, annotate and snooze
//! messages. The content of a message is shown as text.

use serde_json::{Value, json};

use crate::harness::{Browser, Page, Server};

/// A salon. Returns its id, the owner's browser, and the path of the messages.
async fn salon(server: &Server) -> (String, Browser, String) {
    let salon = server.business("Salon Zoé").await;
    let ada = server.person(&salon, "ada@example.com", "owner").await;
    let browser = server.signed_in(&salon, &ada).await;
    let base = format!("/dashboard/b/{salon}/messages");
    (salon, browser, base)
}

async fn take(server: &Server, salon: &str, message: Value) -> String {
    server.clock.advance(60);
    let taken = server.operator("POST", &format!("/businesses/{salon}/messages"), message).await;
    taken["id"].as_str().unwrap().to_owned()
}

async fn staff(server: &Server, salon: &str, name: &str) -> String {
    let member = json!({ "name": name, "service_ids": [] });
    let member = server.operator("POST", &format!("/businesses/{salon}/staff"), member).await;
    member["id"].as_str().unwrap().to_owned()
}

/// The message, as the operator API returns it.
async fn stored(server: &Server, salon: &str, id: &str) -> Value {
    let all = server.operator("GET", &format!("/businesses/{salon}/messages"), Value::Null).await;
    all.as_array().unwrap().iter().find(|one| one["id"] == id).unwrap().clone()
}

fn order(page: &Page, texts: &[&str]) {
    let text = page.text();
    let places: Vec<_> = texts
        .iter()
        .map(|one| text.find(one).unwrap_or_else(|| panic!("{one} is missing in {text}")))
        .collect();
    assert!(places.is_sorted(), "{texts:?} must occur in this order: {text}");
}

#[tokio::test]
async fn a_message_is_opened_marked_as_read_assigned_and_resolved() {
    let server = Server::open().await;
    let (salon, mut browser, base) = salon(&server).await;
    browser.get(&base).await.is(200).says("No messages here");
    let ines = staff(&server, &salon, "Inès Benali").await;
    take(&server, &salon, json!({ "caller_name": "Paul Roy", "body": "first" })).await;
    let urgent = json!({ "caller_name": "Nora Haddad", "caller_phone": "+33661020304", "body": "It burns.\nBehind the ears.", "urgency": "urgent" });
    let id = take(&server, &salon, urgent).await;
    take(&server, &salon, json!({ "caller_phone": "+33155010203", "body": "third" })).await;
    let list = browser.get(&base).await.is(200).says("3 new, 1 of them urgent").says("Urgent, new");
    order(&list, &["Nora Haddad", "+33 1 55 01 02 03", "Paul Roy"]);
    assert!(list.tags().iter().any(|tag| tag.get("href") == Some("tel:+33661020304")));

    let path = format!("{base}/{id}");
    let page = browser.get(&path).await.is(200).says("It burns. Behind the ears.").says("Not assigned yet");
    assert_eq!(stored(&server, &salon, &id).await["status"], "new", "opening a message must change nothing");
    let status = format!("{path}/status");
    browser.submit(&page, &status, &[]).await.leads_to(&format!("{path}?done=read"));
    assert_eq!(stored(&server, &salon, &id).await["status"], "read");
    let page = browser.get(&format!("{path}?done=read")).await.says("Marked as read.").says("Urgent, read");

    let assign = format!("{path}/assign");
    browser.submit(&page, &assign, &[("staff_id", &ines)]).await.leads_to(&format!("{path}?done=assigned"));
    assert_eq!(stored(&server, &salon, &id).await["staff_id"], ines.as_str());
    let page = browser.get(&path).await;
    assert_eq!(page.field(&assign, "staff_id"), ines);
    let read = format!("{base}?status=read");
    let list = browser.get(&read).await.says("for Inès Benali").says("Nora Haddad");
    assert!(!list.text().contains("Paul Roy"));
    browser.submit(&page, &assign, &[("staff_id", "")]).await.is(303);
    assert!(stored(&server, &salon, &id).await["staff_id"].is_null());

    // A form in the list redirects back to the list.
    browser
        .submit(&list, &status, &[])
        .await
        .leads_to(&format!("{base}?status=read&done=resolved&message={id}&was=read"));
    assert_eq!(stored(&server, &salon, &id).await["status"], "resolved");
    browser
        .get(&format!("{base}?status=read&done=resolved"))
        .await
        .says("Resolved.")
        .says("No messages here");
    let page = browser.get(&path).await.says("Urgent, resolved").says("Reopen");
    browser.submit(&page, &status, &[]).await.leads_to(&format!("{path}?done=new"));
    browser.get(&base).await.says("3 new, 1 of them urgent");
}

#[tokio::test]
async fn a_conflict_between_two_assignments_of_a_message_shows_both_versions() {
    let server = Server::open().await;
    let (salon, mut one, base) = salon(&server).await;
    let (ines, hugo) = (staff(&server, &salon, "Inès").await, staff(&server, &salon, "Hugo").await);
    let id = take(&server, &salon, json!({ "body": "Ring back" })).await;
    let mut other = one.clone();
    let assign = format!("{base}/{id}/assign");
    let (mine, theirs) = (one.get(&format!("{base}/{id}")).await, other.get(&format!("{base}/{id}")).await);
    other.submit(&theirs, &assign, &[("staff_id", &hugo)]).await.is(303);
    let page = one.submit(&mine, &assign, &[("staff_id", &ines)]).await.is(409);
    let page = page.says("Another person has changed these values").says("Your version Staff member Inès");
    let page = page.says("Saved version Staff member Hugo");
    assert_eq!(page.field(&assign, "staff_id"), ines, "the form must contain the value that was sent");
    assert_eq!(stored(&server, &salon, &id).await["staff_id"], hugo.as_str());
    one.submit(&page, &assign, &[]).await.is(303);
    assert_eq!(stored(&server, &salon, &id).await["staff_id"], ines.as_str());
}

#[tokio::test]
async fn a_forged_form_is_refused_and_a_repeated_click_has_one_effect() {
    let server = Server::open().await;
    let (salon, mut browser, base) = salon(&server).await;
    let id = take(&server, &salon, json!({ "body": "Ring back" })).await;
    let (status, assign) = (format!("{base}/{id}/status"), format!("{base}/{id}/assign"));
    let page = browser.get(&format!("{base}/{id}")).await;
    let refused = browser.submit(&page, &status, &[("status", "gone")]).await.is(422);
    refused.says("Nothing is saved yet").says("Choose one of these.");
    for (staff, said) in [
        ("00000000-0000-7000-8000-000000000001", "This is not a staff member of the business."),
        ("x", "Choose an entry from the list."),
    ] {
        browser.submit(&page, &assign, &[("staff_id", staff)]).await.is(422).says(said);
    }
    let entries = async || {
        let log = server.operator("GET", &format!("/businesses/{salon}/audit"), Value::Null).await;
        log.as_array().unwrap().iter().filter(|entry| entry["action"] == "message.updated").count()
    };
    let (mut one, mut other) = (browser.clone(), browser.clone());
    let at_once = tokio::join!(one.submit(&page, &status, &[]), other.submit(&page, &status, &[]));
    at_once.0.leads_to(&format!("{base}/{id}?done=read"));
    at_once.1.leads_to(&format!("{base}/{id}?done=read"));
    assert_eq!(entries().await, 1);
    let log = server.operator("GET", &format!("/businesses/{salon}/audit"), Value::Null).await;
    assert_eq!(log[0]["actor"]["type"], "person");
}

#[tokio::test]
async fn messages_of_a_suspended_business_can_only_be_read() {
    let server = Server::open().await;
    let (salon, mut browser, base) = salon(&server).await;
    let id = take(&server, &salon, json!({ "caller_phone": "+33155010203", "body": "Ring back" })).await;
    let page = browser.get(&format!("{base}/{id}")).await;
    server.operator("PATCH", &format!("/businesses/{salon}"), json!({ "suspended": true })).await;
    let seen = browser.get(&format!("{base}/{id}")).await.is(200).says("Ring back").says("Not assigned yet");
    assert!(!seen.forms().iter().any(|form| form.action.starts_with(&base)));
    let list = browser.get(&base).await.is(200);
    assert!(!list.forms().iter().any(|form| form.action.starts_with(&base)));
    browser.submit(&page, &format!("{base}/{id}/status"), &[]).await.is(403).says("suspended");
    let contacts = base.replace("/messages", "/contacts/new");
    browser.get(&contacts).await.is(403).says("suspended");
}

#[tokio::test]
async fn messages_are_shown_as_text_and_the_page_is_translated_to_french() {
    let server = Server::open().await;
    let (salon, mut browser, base) = salon(&server).await;
    let account = browser.get("/dashboard/account").await;
    browser.submit(&account, "/dashboard/account", &[("locale", "fr")]).await.is(303);
    for hostile in [
        "<script>alert(1)</script>",
        "\"><img src=x onerror=alert(1)>",
        "javascript:alert(1)",
        "\u{202e}desrever",
        "שלום עולם",
        &"W".repeat(200),
    ] {
        let message = json!({ "caller_name": hostile, "caller_phone": "+33155010203", "body": hostile });
        let id = take(&server, &salon, message).await;
        for path in [base.clone(), format!("{base}/{id}")] {
            let page = browser.get(&path).await.is(200);
            let seen = |text: &str| page.text().contains(text);
            assert!(seen(hostile) || seen(&hostile.replace('\u{202e}', "")), "{path}: {}", page.text());
            assert!(!page.tags().iter().any(|tag| tag.name == "img"), "{path}");
        }
    }
    let list = browser.get(&base).await.says("6 nouveaux messages").says("Rappeler").says("Traités");
    assert!(!list.text().contains("Call back"));
    let form = list.forms().into_iter().find(|form| form.action.ends_with("/status")).unwrap();
    browser.submit(&list, &form.action, &[]).await.is(303);
    browser.get(&format!("{base}?status=resolved")).await.says("Traité").says("· 07:06");
    server.clock.advance(24 * 60 * 60);
    browser.get(&format!("{base}?status=resolved")).await.says("· hier à 07:06");
}

#[tokio::test]
async fn messages_have_pages_and_none_is_shown_twice() {
    let server = Server::open().await;
    let (salon, mut browser, base) = salon(&server).await;
    for number in 0..103 {
        take(&server, &salon, json!({ "body": format!("number {number}.") })).await;
    }
    let page = browser.get(&base).await.is(200).says("number 102.").says("number 3.");
    assert!(!page.text().contains("number 2."), "a page must have 100 messages");
    let older = page.tags().into_iter().filter_map(|tag| tag.get("href").map(str::to_owned));
    let older = older.into_iter().find(|href| href.contains("after=")).unwrap();
    let page = browser.get(&older).await.is(200).says("number 2.").says("number 0.").says("Newest");
    assert!(!page.text().contains("number 3."));
}

#[tokio::test]
async fn an_urgent_message_is_first_despite_many_newer_ones() {
    let server = Server::open().await;
    let (salon, mut browser, base) = salon(&server).await;
    let urgent = json!({ "caller_name": "Nora Haddad", "body": "It burns.", "urgency": "urgent" });
    take(&server, &salon, urgent).await;
    for number in 0..120 {
        take(&server, &salon, json!({ "caller_name": format!("Caller {number}"), "body": "later" })).await;
    }
    let list = browser.get(&base).await.is(200);
    order(&list, &["Nora Haddad", "Caller 119", "Caller 118"]);
    let today = browser.get(&format!("/dashboard/b/{salon}/today")).await.is(200).says("It burns.");
    order(&today, &["Nora Haddad", "Caller 119"]);
    assert!(
        today.tags().iter().any(|tag| tag.get("href") == Some(&base)),
        "the page must link to all messages"
    );
}

#[tokio::test]
async fn a_button_of_an_outdated_page_does_not_undo_another_persons_change() {
    let server = Server::open().await;
    let (salon, mut ada, base) = salon(&server).await;
    let bea = server.person(&salon, "bea@example.com", "admin").await;
    let mut bea = server.signed_in(&salon, &bea).await;
    let id = take(&server, &salon, json!({ "caller_name": "Paul Roy", "body": "first" })).await;
    let (path, status) = (format!("{base}/{id}"), format!("{base}/{id}/status"));
    let (adas, beas, list) = (ada.get(&path).await, bea.get(&path).await, bea.get(&base).await);
    ada.submit(&adas, &status, &[("status", "resolved")]).await.is(303);
    let refused = bea.submit(&beas, &status, &[("status", "read")]).await.is(409);
    refused.says("Resolved");
    assert_eq!(stored(&server, &salon, &id).await["status"], "resolved");
    // If the message already has the requested status, the form still succeeds.
    bea.submit(&list, &status, &[]).await.is(303);
}

#[tokio::test]
async fn a_message_is_written_down_annotated_and_snoozed() {
    let server = Server::open().await;
    let (salon, mut browser, base) = salon(&server).await;
    let new = format!("{base}/new");
    let page = browser.get(&new).await.is(200);
    let refused = browser.submit(&page, &new, &[("caller_phone", "12")]).await.is(422);
    assert_eq!(refused.field(&new, "caller_phone"), "12");
    let fields = [
        ("caller_name", "Nora"),
        ("caller_phone", "06 61 02 03 04"),
        ("body", "Ring back"),
        ("urgent", "on"),
    ];
    let made = browser.submit(&refused, &new, &fields).await.is(303);
    let page = browser.get(made.header("location")).await.says("The message is saved.").says("Urgent, new");
    let path = made.header("location").split('?').next().unwrap().to_owned();
    let id = path.rsplit('/').next().unwrap().to_owned();
    assert_eq!(stored(&server, &salon, &id).await["caller_phone"], "+33661020304");
    let notes = format!("{path}/notes");
    let second = browser.get(&path).await;
    browser
        .submit(&page, &notes, &[("notes", "Left a voicemail")])
        .await
        .leads_to(&format!("{path}?done=noted"));
    assert_eq!(stored(&server, &salon, &id).await["notes"], "Left a voicemail");
    // If the notes were changed after the form was loaded, the form is refused, and the page shows both versions.
    let refused = browser.submit(&second, &notes, &[("notes", "Mine")]).await.is(409);
    let refused = refused.says("Your version Notes Mine").says("Saved version Notes Left a voicemail");
    assert_eq!(refused.field(&notes, "notes"), "Mine");
    let today = format!("/dashboard/b/{salon}/today");
    browser.get(&today).await.says("Needs you · 1");
    let snooze = format!("{path}/snooze");
    let page = browser.get(&path).await;
    browser.submit(&page, &snooze, &[("for", "tomorrow")]).await.leads_to(&format!("{path}?done=snoozed"));
    assert_eq!(stored(&server, &salon, &id).await["snoozed_until"], "2026-03-03T07:00:00.000Z");
    let page = browser.get(&path).await.says("Snoozed until Tuesday 3 March at 08:00");
    assert!(!browser.get(&today).await.text().contains("Needs you"));
    browser.submit(&page, &snooze, &[("for", "")]).await.leads_to(&format!("{path}?done=awake"));
    browser.get(&today).await.says("Needs you · 1");
}

#[tokio::test]
async fn a_read_message_that_was_snoozed_is_a_task_again_after_the_snooze() {
    let server = Server::open().await;
    let (salon, mut browser, base) = salon(&server).await;
    let id = take(&server, &salon, json!({ "caller_name": "Paul Roy", "body": "first" })).await;
    let path = format!("{base}/{id}");
    let page = browser.get(&path).await;
    browser.submit(&page, &format!("{path}/status"), &[("status", "read")]).await.is(303);
    let page = browser.get(&path).await.says("Snooze");
    browser.submit(&page, &format!("{path}/snooze"), &[("for", "tomorrow")]).await.is(303);
    let today = format!("/dashboard/b/{salon}/today");
    assert!(!browser.get(&today).await.text().contains("Needs you"));
    server.clock.set("2026-03-03T07:00:00Z");
    browser.get(&today).await.says("Needs you · 1").says("Paul Roy");
    // If the status of the message is `read`, the end of a snooze does not change it.
    let page = browser.get(&path).await;
    browser.submit(&page, &format!("{path}/status"), &[("status", "read")]).await.is(303);
    let page = browser.get(&path).await;
    browser.submit(&page, &format!("{path}/snooze"), &[("for", "")]).await.is(303);
    assert_eq!(stored(&server, &salon, &id).await["status"], "read");
}

#[tokio::test]
async fn a_snoozed_message_is_marked_and_last_in_the_list_and_is_not_counted() {
    let server = Server::open().await;
    let (salon, mut browser, base) = salon(&server).await;
    take(&server, &salon, json!({ "caller_name": "Paul Roy", "body": "first" })).await;
    let urgent = json!({ "caller_name": "Nora Haddad", "body": "second", "urgency": "urgent" });
    let id = take(&server, &salon, urgent).await;
    let list = browser.get(&base).await.says("2 new, 1 of them urgent");
    order(&list, &["Nora Haddad", "Paul Roy"]);
    let change = json!({ "snoozed_until": "2026-03-03T07:00:00Z" });
    server.operator("PATCH", &format!("/businesses/{salon}/messages/{id}"), change).await;
    let list = browser.get(&base).await.says("Snoozed until Tuesday 3 March at 08:00");
    order(&list, &["Paul Roy", "Nora Haddad"]);
    assert_eq!(list.text().matches("Snoozed").count(), 1);
    assert!(!list.text().contains("of them urgent"), "{}", list.text());
    server.clock.set("2026-03-03T07:00:00Z");
    let list = browser.get(&base).await.says("2 new, 1 of them urgent");
    order(&list, &["Nora Haddad", "Paul Roy"]);
    assert!(!list.text().contains("Snoozed"), "{}", list.text());
}
