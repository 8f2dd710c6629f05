//! Tests of contacts in the dashboard: the search, the forms to add and change contacts, and the records of a
//! contact.

use serde_json::{Value, json};

use crate::harness::{Browser, PASSWORD, Server};

async fn salon(server: &Server) -> (String, Browser, String) {
    let salon = server.business("Salon Zoé").await;
    server.operator("PATCH", &format!("/businesses/{salon}"), json!({ "phone_region": "FR" })).await;
    let ada = server.person(&salon, "ada@example.com", "member").await;
    let browser = server.signed_in(&salon, &ada).await;
    let base = format!("/dashboard/b/{salon}/contacts");
    (salon, browser, base)
}

async fn contact(server: &Server, salon: &str, contact: Value) -> String {
    let made = server.operator("POST", &format!("/businesses/{salon}/contacts"), contact).await;
    made["id"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn a_contact_is_found_by_name_phone_or_email_in_one_field() {
    let server = Server::open().await;
    let (salon, mut browser, base) = salon(&server).await;
    browser.get(&base).await.is(200).says("No contacts yet");
    for one in [
        json!({ "name": "Nora Haddad", "phone": "+33661020304", "email": "nora@mail.example" }),
        json!({ "name": "Inès Haddad" }),
        json!({ "email": "only@mail.example" }),
        json!({ "phone": "+33155010299" }),
    ] {
        contact(&server, &salon, one).await;
    }
    let page = browser.get(&base).await.is(200).says("Nora Haddad").says("+33 6 61 02 03 04");
    page.says("only@mail.example").says("+33 1 55 01 02 99");
    let all = ["Nora Haddad", "Inès Haddad", "only@mail.example", "+33 1 55 01 02 99"];
    for (q, expected) in [
        ("haddad", &[0, 1][..]),
        ("  NORA ", &[0]),
        ("06 61 02 03 04", &[0]),
        ("+33661020304", &[0]),
        ("Nora@mail.example", &[0]),
        ("only@mail.example", &[2]),
        ("01 55 01 02 99", &[3]),
        ("06 61 02 03 05", &[]),
        ("nobody", &[]),
    ] {
        let asked: String = url::form_urlencoded::byte_serialize(q.as_bytes()).collect();
        let page = browser.get(&format!("{base}?q={asked}")).await.is(200);
        let text = page.text();
        let seen: Vec<_> = (0..all.len()).filter(|number| text.contains(all[*number])).collect();
        assert_eq!(seen, expected, "{q}: {text}");
        assert_eq!(text.contains("No contact found"), expected.is_empty(), "{q}");
        assert_eq!(page.field(&base, "q"), q.trim());
    }
}

#[tokio::test]
async fn a_contact_is_added_once_and_each_problem_is_shown_at_its_field() {
    let server = Server::open().await;
    let (salon, mut browser, base) = salon(&server).await;
    let new = format!("{base}/new");
    let page = browser.get(&new).await.is(200);
    let refused = browser.submit(&page, &new, &[]).await.is(422);
    let refused = refused.says("A name, a phone number or an email is needed.");
    let wrong = [("name", "Nora"), ("phone", "12"), ("email", "nora"), ("timezone", "Paris")];
    let refused = browser.submit(&refused, &new, &wrong).await.is(422).says("Nothing is saved yet");
    for (name, value) in wrong {
        assert_eq!(refused.field(&new, name), value, "the form must contain the value that was sent");
    }
    let problems: Vec<_> =
        refused.tags().into_iter().filter(|tag| tag.get("class") == Some("problem")).collect();
    let problems: Vec<_> = problems.iter().map(|tag| (tag.get("id").unwrap(), tag.text.as_str())).collect();
    let expected = [
        ("phone-problem", "It must be a phone number, national or in the form +15551234567."),
        ("email-problem", "It must be an email address such as name@example.com."),
        ("timezone-problem", "It must be the name of a time zone such as Europe/Paris."),
    ];
    assert_eq!(problems, expected);
    let good = [
        ("name", " Nora Haddad "),
        ("phone", "06 61 02 03 04"),
        ("email", "Nora@Mail.example"),
        ("locale", "fr"),
        ("timezone", ""),
    ];
    let (mut one, mut other) = (browser.clone(), browser.clone());
    let at_once = tokio::join!(one.submit(&refused, &new, &good), other.submit(&refused, &new, &good));
    assert_eq!(at_once.0.is(303).header("location"), at_once.1.is(303).header("location"));
    let all = server.operator("GET", &format!("/businesses/{salon}/contacts"), Value::Null).await;
    assert_eq!(all.as_array().unwrap().len(), 1);
    assert_eq!(all[0]["phone"], "+33661020304");
    let id = all[0]["id"].as_str().unwrap();
    let page = browser.get(&format!("{base}/{id}?done=added")).await.says("Added.").says("Nora Haddad");
    page.says("nora@mail.example").says("Français").says("No upcoming appointments.");

    // A second contact with the same phone number is refused. The page names the existing contact.
    let page = browser.get(&new).await;
    let taken = [("name", "Nora H."), ("phone", "0661020304")];
    let page = browser.submit(&page, &new, &taken).await.is(409);
    let page =
        page.says("Another contact has this phone or email.").says("Another contact has this value already.");
    assert_eq!(page.field(&new, "name"), "Nora H.");
    let path = format!("{base}/{id}");
    let link = page.tags().into_iter().find(|tag| tag.get("href") == Some(&path));
    assert!(link.is_some(), "the page must link to the existing contact");
}

#[tokio::test]
async fn a_contact_is_changed_and_a_conflict_shows_both_versions() {
    let server = Server::open().await;
    let (salon, mut one, base) = salon(&server).await;
    let nora = json!({ "name": "Nora Haddad", "phone": "+33661020304", "email": "nora@mail.example", "timezone": "Europe/London" });
    let id = contact(&server, &salon, nora).await;
    let edit = format!("{base}/{id}/edit");
    let mut other = one.clone();
    let (mine, theirs) = (one.get(&edit).await.is(200), other.get(&edit).await.is(200));
    assert_eq!(mine.field(&edit, "timezone"), "Europe/London");
    other.submit(&theirs, &edit, &[("name", "Nora H.")]).await.leads_to(&format!("{base}/{id}?done=saved"));
    let page = one.submit(&mine, &edit, &[("email", "")]).await.is(409);
    let page = page.says("Another person has changed these values").says("Your version Name Nora Haddad");
    let page = page.says("Saved version Name Nora H.");
    assert_eq!(
        (page.field(&edit, "email"), page.field(&edit, "name")),
        (String::new(), "Nora Haddad".into())
    );
    one.submit(&page, &edit, &[("name", "Nora")]).await.leads_to(&format!("{base}/{id}?done=saved"));
    let page = one.get(&format!("{base}/{id}?done=saved")).await.says("Saved.").says("Nora");
    assert!(!page.text().contains("nora@mail.example"));
    let page = one.get(&edit).await;
    let page = one.submit(&page, &edit, &[("name", ""), ("phone", "")]).await.is(422);
    page.says("Keep at least a name, a phone number or an email.");
    let log = server.operator("GET", &format!("/businesses/{salon}/audit"), Value::Null).await;
    assert_eq!(
        (log[0]["action"].as_str(), log[0]["actor"]["type"].as_str()),
        (Some("contact.updated"), Some("person"))
    );
}

#[tokio::test]
async fn a_contact_form_sent_while_signed_out_is_shown_again() {
    let server = Server::open().await;
    let (salon, mut browser, base) = salon(&server).await;
    let bob = server.person(&salon, "bob@example.com", "owner").await;
    browser = {
        let mut fresh = server.with_password(&salon, &bob, PASSWORD).await;
        std::mem::swap(&mut fresh, &mut browser);
        browser
    };
    let new = format!("{base}/new");
    let page = browser.get(&new).await.is(200);
    server.clock.advance(7 * 24 * 60 * 60);
    let led = browser.submit(&page, &new, &[("name", "Nora")]).await.is(303);
    let page = browser.get(led.header("location")).await;
    let fields = [("email", "bob@example.com"), ("password", PASSWORD)];
    browser.submit(&page, "/dashboard/sign-in", &fields).await.leads_to(&new);
    let page = browser.get(&new).await.is(200).says("You were signed out when you sent this");
    assert_eq!(page.field(&new, "name"), "Nora");
    browser.submit(&page, &new, &[]).await.is(303);
}

#[tokio::test]
async fn a_contacts_page_lists_all_their_records() {
    let server = Server::open().await;
    let (salon, mut browser, base) = salon(&server).await;
    let path = |rest: &str| format!("/businesses/{salon}/{rest}");
    let service = server.offers(&salon, ("Colour", 30), "Océane").await;
    let id = contact(&server, &salon, json!({ "name": "Nora Haddad", "phone": "+33661020304" })).await;
    let other = contact(&server, &salon, json!({ "name": "Somebody else", "phone": "+33661020305" })).await;
    for (day, who) in [("03", &id), ("05", &id), ("04", &other)] {
        let booking = json!({ "service_id": service, "starts_at": format!("2026-03-{day}T09:00:00Z"), "contact_id": who });
        server.operator("POST", &path("appointments"), booking).await;
    }
    for number in 0..12 {
        let call = json!({
            "direction": "inbound", "status": "completed", "outcome": "other", "from_number": "+33661020304",
            "started_at": format!("2026-03-01T09:{number:02}:00Z"), "ended_at": format!("2026-03-01T09:{number:02}:30Z"), "summary": format!("number {number}.")
        });
        server.operator("POST", &path("calls"), call).await;
    }
    let message = json!({ "contact_id": id, "body": "I may be late." });
    server.operator("POST", &path("messages"), message).await;
    let page = browser.get(&format!("{base}/{id}")).await.is(200).says("I may be late.").says("number 11.");
    let text = page.text();
    assert!(text.find("3 Mar 2026").unwrap() < text.find("5 Mar 2026").unwrap(), "{text}");
    assert!(
        !text.contains("4 Mar 2026") && !text.contains("number 1."),
        "only ten calls may be listed, all of this contact: {text}"
    );
    let all = format!("{base}/{id}?list=calls");
    assert!(page.tags().iter().any(|tag| tag.get("href") == Some(&all)));
    let page = browser.get(&all).await.is(200).says("number 11.").says("number 0.");
    assert!(!page.text().contains("I may be late."));
    browser.get(&format!("{base}/{id}?list=to-come")).await.is(200).says("Colour, 10:00");
    browser.get(&format!("{base}/{id}?list=past")).await.is(200).says("No past appointments.");
    browser.get(&format!("{base}/{id}?list=messages")).await.is(200).says("I may be late.");
}

#[tokio::test]
async fn names_of_contacts_are_text_in_both_languages() {
    let server = Server::open().await;
    let (salon, mut browser, base) = salon(&server).await;
    let account = browser.get("/dashboard/account").await;
    browser.submit(&account, "/dashboard/account", &[("locale", "fr")]).await.is(303);
    for (number, hostile) in
        ["<b>x</b>", "javascript:alert(1)", "' onclick='x", "שלום עולם", &"W".repeat(200)].iter().enumerate()
    {
        let email = format!("a?bcc=b{number}@example.com");
        let id = contact(&server, &salon, json!({ "name": hostile, "email": email })).await;
        for path in ["", "/edit"].map(|rest| format!("{base}/{id}{rest}")).iter().chain([&base]) {
            browser.get(path).await.is(200).says(hostile);
        }
        let page = browser.get(&format!("{base}/{id}")).await.says("Connu depuis le").says("Coordonnées");
        let link = format!("mailto:a%3Fbcc%3Db{number}@example.com");
        assert!(page.tags().iter().any(|tag| tag.get("href") == Some(&link)));
    }
    let new = format!("{base}/new");
    let page = browser.get(&new).await;
    browser.submit(&page, &new, &[("phone", "12")]).await.is(422).says("Il faut un numéro de téléphone");
}

#[tokio::test]
async fn a_message_links_to_a_contact_form_filled_in_from_the_message() {
    let server = Server::open().await;
    let (salon, mut browser, base) = salon(&server).await;
    let message = json!({ "caller_name": "Zoë & Co", "caller_phone": "+33661020304", "body": "Ring back" });
    let message = server.operator("POST", &format!("/businesses/{salon}/messages"), message).await;
    let path = format!("/dashboard/b/{salon}/messages/{}", message["id"].as_str().unwrap());
    let page = browser.get(&path).await.is(200).says("No contact has this number.");
    let add = page.tags().into_iter().filter_map(|tag| tag.get("href").map(str::to_owned));
    let add = add.into_iter().find(|href| href.contains("/contacts/new?")).unwrap();
    let page = browser.get(&add).await.is(200);
    let new = format!("{base}/new");
    assert_eq!(
        (page.field(&new, "name"), page.field(&new, "phone")),
        ("Zoë & Co".into(), "+33661020304".into())
    );
    let added = browser.submit(&page, &new, &[]).await.is(303);
    let added = added.header("location").strip_suffix("?done=added").unwrap().to_owned();
    let page = browser.get(&path).await.is(200);
    assert!(
        page.tags().iter().any(|tag| tag.get("href") == Some(&added)),
        "the page must link to the contact who now has the number"
    );
}

#[tokio::test]
async fn input_from_before_a_suspension_is_shown_without_a_button() {
    let server = Server::open().await;
    let (salon, mut browser, base) = salon(&server).await;
    let id = contact(&server, &salon, json!({ "name": "Nora", "phone": "+33661020304" })).await;
    let (edit, new) = (format!("{base}/{id}/edit"), format!("{base}/new"));
    let pages = [(browser.get(&edit).await, edit), (browser.get(&new).await, new)];
    server.operator("PATCH", &format!("/businesses/{salon}"), json!({ "suspended": true })).await;
    for (page, way) in pages {
        // The person sends the form, goes back with the browser's back button, and sends it again.
        for name in ["Nora Haddad", "Nora H."] {
            browser.submit(&page, &way, &[("name", name)]).await.leads_to(&way);
            let kept =
                browser.get(&way).await.is(200).says("The business was suspended before you sent this");
            assert_eq!(kept.field(&way, "name"), name);
            let tags = kept.tags();
            let mut buttons = tags.iter().filter_map(|tag| tag.get("class"));
            assert!(
                !buttons.any(|class| class.contains("button first")),
                "a suspended business must have no buttons"
            );
        }
        browser.get(&way).await.is(403);
    }
}
