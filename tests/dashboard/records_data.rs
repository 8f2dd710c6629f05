//! Tests of the export, the merge and the erasure of a contact in the dashboard.

use serde_json::{Value, json};

use crate::harness::{Browser, Server};

/// A salon with the contact Nora, who has an appointment, calls and a message. Returns the ids of the salon
/// and of Nora, and the owner's browser.
async fn salon_with_nora(server: &Server, calls: usize) -> (String, String, Browser) {
    let salon = server.business("Salon Zoé").await;
    let ada = server.person(&salon, "ada@example.com", "owner").await;
    let path = |rest: &str| format!("/businesses/{salon}/{rest}");
    let service = server.offers(&salon, ("Colour", 30), "Océane").await;
    let nora =
        json!({ "name": "Nora \"Zoë\" Haddad", "phone": "+33661020304", "email": "nora@mail.example" });
    let nora = server.operator("POST", &path("contacts"), nora).await;
    let booking =
        json!({ "service_id": service, "starts_at": "2026-03-03T09:00:00Z", "contact_id": nora["id"] });
    server.operator("POST", &path("appointments"), booking).await;
    for number in 0..calls {
        let at = format!("2026-02-{:02}T09:{:02}:00Z", 1 + number / 60, number % 60);
        let call = json!({
            "direction": "inbound", "status": "completed", "outcome": "other", "from_number": "+33661020304",
            "started_at": at, "ended_at": at, "summary": format!("Said {number}.")
        });
        server.operator("POST", &path("calls"), call).await;
    }
    let message = json!({ "contact_id": nora["id"], "caller_name": "Nora Haddad", "body": "I may be late." });
    server.operator("POST", &path("messages"), message).await;
    server.operator("POST", &path("messages"), json!({ "body": "Of somebody else." })).await;
    let call = json!({ "channel": "voice", "locale": "en", "from": "+33661020304" });
    let conversation = server.operator("POST", &path("conversations"), call).await;
    let turns = path(&format!("conversations/{}/turns", conversation["id"].as_str().unwrap()));
    server.operator("POST", &turns, json!({ "text": "Where are you?" })).await;
    let browser = server.signed_in(&salon, &ada).await;
    (salon.clone(), nora["id"].as_str().unwrap().to_owned(), browser)
}

#[tokio::test]
async fn the_data_of_a_contact_is_exported_as_a_file() {
    let server = Server::open().await;
    // The contact has more calls than one read returns.
    let (salon, nora, mut browser) = salon_with_nora(&server, 203).await;
    let path = format!("/dashboard/b/{salon}/contacts/{nora}");
    browser.get(&path).await.is(200).says("Export as JSON");
    let file = browser.get(&format!("{path}/export")).await.is(200);
    assert_eq!(file.header("content-disposition"), format!("attachment; filename=\"contact-{nora}.json\""));
    let kept: Value = serde_json::from_str(&file.body).unwrap();
    assert_eq!(kept["business"], json!({ "id": salon, "name": "Salon Zoé" }));
    let mut shown =
        server.operator("GET", &format!("/businesses/{salon}/contacts/{nora}"), Value::Null).await;
    shown.as_object_mut().unwrap().remove("visits").unwrap();
    assert_eq!(kept["contact"], shown, "the export must contain the contact as the API shows it");
    let calls = kept["calls"].as_array().unwrap();
    assert_eq!(calls.len(), 203);
    let (first, last) = (&calls[0], &calls[202]);
    assert_eq!((first["summary"].as_str(), last["summary"].as_str()), (Some("Said 202."), Some("Said 0.")));
    assert_eq!(kept["appointments"].as_array().unwrap().len(), 1);
    assert_eq!(kept["messages"].as_array().unwrap().len(), 1, "the export must contain only her message");
    assert_eq!(kept["messages"][0]["body"], "I may be late.");
    assert_eq!(kept["conversations"].as_array().unwrap().len(), 1);
    let turns = kept["conversations"][0]["turns"].as_array().unwrap();
    assert!(turns.iter().any(|turn| turn["text"] == "Where are you?"), "{turns:?}");
    let lists = ["appointments", "calls", "conversations", "messages"]
        .map(|list| file.body.find(&format!("\"{list}\":[")));
    assert!(lists.is_sorted() && lists[0].is_some(), "the lists are in the order of the store's table");
    let page = browser.get(&format!("{path}?list=conversations")).await.is(200);
    assert!(page.body.contains(kept["conversations"][0]["id"].as_str().unwrap()));

    let bare =
        server.operator("POST", &format!("/businesses/{salon}/contacts"), json!({ "name": "Bare" })).await;
    let bare = format!("/dashboard/b/{salon}/contacts/{}/export", bare["id"].as_str().unwrap());
    let kept: Value = serde_json::from_str(&browser.get(&bare).await.is(200).body).unwrap();
    for list in ["appointments", "calls", "conversations", "messages"] {
        assert_eq!(kept[list], json!([]));
    }
}

#[tokio::test]
async fn a_member_cannot_export_or_erase_and_sees_no_button_for_it() {
    let server = Server::open().await;
    let (salon, nora, _) = salon_with_nora(&server, 1).await;
    let bob = server.person(&salon, "bob@example.com", "member").await;
    let mut browser = server.signed_in(&salon, &bob).await;
    let path = format!("/dashboard/b/{salon}/contacts/{nora}");
    let page = browser.get(&path).await.is(200).says("Edit");
    assert!(["Export", "Erase", "Merge"].iter().all(|word| !page.text().contains(word)));
    browser.get(&format!("{path}/merge")).await.is(404);
    browser.get(&format!("{path}/export")).await.is(404);
    let erase = format!("{path}/erase");
    browser.get(&erase).await.is(404);
    let form = page.field("/dashboard/sign-out", "form");
    browser.post(&erase, &[("form", &form), ("sure", "yes")]).await.is(404);
    browser.get(&path).await.is(200);
}

#[tokio::test]
async fn erasing_a_contact_lists_their_records_and_deletes_them() {
    let server = Server::open().await;
    let (salon, nora, mut browser) = salon_with_nora(&server, 2).await;
    let path = format!("/dashboard/b/{salon}/contacts/{nora}");
    let erase = format!("{path}/erase");
    let page = browser.get(&erase).await.is(200).says("What is erased").says("What is kept");
    let page = page.says("Upcoming appointments").says("Tuesday 3 March 2026 at 10:00 · With Océane");
    let page = browser.submit(&page, &erase, &[]).await.is(422).says("Tick this box.");
    browser.get(&path).await.is(200).says("nora@mail.example");
    let done = format!("/dashboard/b/{salon}/contacts?done=erased");
    let (mut one, mut other) = (browser.clone(), browser.clone());
    let sure = [("sure", "yes")];
    let at_once = tokio::join!(one.submit(&page, &erase, &sure), other.submit(&page, &erase, &sure));
    at_once.0.leads_to(&done);
    at_once.1.leads_to(&done);
    let list = browser.get(&done).await.is(200).says("The contact is erased.");
    assert!(!list.text().contains("Nora"));
    for gone in [path.clone(), format!("{path}/edit"), format!("{path}/export"), erase.clone()] {
        browser.get(&gone).await.is(404);
    }
    // After the erasure, no page shows data of the contact. The service deletes the stored data in steps.
    let list = browser.get(&format!("/dashboard/b/{salon}/messages")).await.is(200);
    assert!(!list.text().contains("Nora") && !list.text().contains("I may be late."));
    let list = list.says("The text of this message was erased").says("Of somebody else.");
    let form = list.forms().into_iter().rfind(|form| form.action.ends_with("/status")).unwrap();
    let message = form.action.strip_suffix("/status").unwrap();
    browser.get(message).await.is(200).says("The text of this message was erased").says("Somebody");
    let list = browser.get(&format!("/dashboard/b/{salon}/calls")).await.is(200).says("Anonymous number");
    assert!(!list.text().contains("Said 1."));
}

#[tokio::test]
async fn a_contact_is_found_compared_and_merged() {
    let server = Server::open().await;
    let (salon, nora, mut browser) = salon_with_nora(&server, 1).await;
    let path = |rest: &str| format!("/businesses/{salon}/{rest}");
    let other = json!({ "name": "N. Haddad", "phone": "+33661020305" });
    let other = server.operator("POST", &path("contacts"), other).await;
    let other = other["id"].as_str().unwrap().to_owned();
    server.operator("PATCH", &path(&format!("contacts/{other}")), json!({ "notes": "Likes tea" })).await;
    let call = json!({
        "direction": "inbound", "status": "completed", "outcome": "other", "contact_id": other,
        "started_at": "2026-02-03T09:00:00Z", "ended_at": "2026-02-03T09:00:00Z", "summary": "Of the other."
    });
    server.operator("POST", &path("calls"), call).await;
    let own = format!("/dashboard/b/{salon}/contacts/{nora}");
    let merge = format!("{own}/merge");
    browser.get(&own).await.is(200).says("Merge…");
    let page = browser.get(&merge).await.is(200).says("Merge another contact into Nora");
    assert!(!page.text().contains("cannot be undone"));
    browser.get(&format!("{merge}?q=nobody")).await.is(200).says("Nothing found");
    let page = browser.get(&format!("{merge}?q=haddad")).await.is(200).says("N. Haddad");
    assert!(
        page.body.contains(&format!("{merge}?from={other}")) && !page.body.contains(&format!("from={nora}"))
    );
    // If `from` is Nora's own id, an unknown id or no id, the page shows the search again.
    for from in [nora.as_str(), "00000000-0000-7000-8000-000000000001", "x"] {
        let page = browser.get(&format!("{merge}?from={from}")).await.is(200);
        assert!(!page.text().contains("cannot be undone"), "{from}");
    }
    let page = browser.get(&format!("{merge}?from={other}")).await.is(200);
    let page = page.says("A merge cannot be undone.").says("Likes tea").says("This contact is kept");
    let foreign = [("phone", "+33661020399"), ("email", "")];
    let page = browser.submit(&page, &merge, &foreign).await.is(422).says("Choose a value of one of the two");
    let chosen = [("phone", "+33661020305"), ("email", "nora@mail.example")];
    browser.submit(&page, &merge, &chosen).await.leads_to(&format!("{own}?done=merged"));
    let page = browser.get(&format!("{own}?done=merged")).await.is(200).says("Merged.").says("Of the other");
    page.says("61 02 03 05").says("Likes tea");
    browser.get(&format!("/dashboard/b/{salon}/contacts/{other}")).await.is(200).says("Nora");
    let list = browser.get(&format!("/dashboard/b/{salon}/contacts")).await.is(200);
    assert!(!list.text().contains("N. Haddad"));
}

#[tokio::test]
async fn records_of_another_business_are_not_found() {
    let server = Server::open().await;
    let (salon, nora, mut owner) = salon_with_nora(&server, 1).await;
    let other = server.business("Barbier").await;
    let bob = server.person(&other, "bob@example.com", "owner").await;
    let mut browser = server.signed_in(&other, &bob).await;
    let first = async |list: &str| {
        let all = server.operator("GET", &format!("/businesses/{salon}/{list}"), Value::Null).await;
        all[0]["id"].as_str().unwrap().to_owned()
    };
    let piece = json!({ "title": "Dogs", "content": "Small ones." });
    server.operator("POST", &format!("/businesses/{salon}/knowledge"), piece).await;
    let (call, message, piece) = (first("calls").await, first("messages").await, first("knowledge").await);
    for path in [
        format!("contacts/{nora}"),
        format!("contacts/{nora}/edit"),
        format!("contacts/{nora}/export"),
        format!("contacts/{nora}/erase"),
        format!("contacts/{nora}/merge"),
        format!("calls/{call}"),
        format!("messages/{message}"),
        format!("knowledge/{piece}"),
        format!("knowledge/{piece}/delete"),
    ] {
        owner.get(&format!("/dashboard/b/{salon}/{path}")).await.is(200);
        browser.get(&format!("/dashboard/b/{other}/{path}")).await.is(404);
        browser.get(&format!("/dashboard/b/{salon}/{path}")).await.is(404);
    }
    for (path, field) in [
        (format!("contacts/{nora}/edit"), ("name", "Mine")),
        (format!("contacts/{nora}/erase"), ("sure", "yes")),
        (format!("contacts/{nora}/merge"), ("from", "00000000-0000-7000-8000-000000000001")),
        (format!("messages/{message}/status"), ("status", "read")),
        (format!("messages/{message}/assign"), ("staff_id", "")),
        (format!("knowledge/{piece}"), ("title", "Mine")),
        (format!("knowledge/{piece}/delete"), ("sure", "yes")),
    ] {
        let form = browser.get("/dashboard/account").await.field("/dashboard/account", "form");
        browser.post(&format!("/dashboard/b/{other}/{path}"), &[("form", &form), field]).await.is(404);
    }
    owner.get(&format!("/dashboard/b/{salon}/contacts/{nora}")).await.is(200).says("Haddad");
    owner.get(&format!("/dashboard/b/{salon}/knowledge/{piece}")).await.is(200).says("Dogs");
}
