//! Tests of knowledge entries in the dashboard: the list, the search, and the forms to add, change and delete
//! entries.

use serde_json::{Value, json};

use crate::harness::{Browser, Server};

async fn salon(server: &Server) -> (String, Browser, String) {
    let salon = server.business("Salon Zoé").await;
    let ada = server.person(&salon, "ada@example.com", "admin").await;
    let browser = server.signed_in(&salon, &ada).await;
    let base = format!("/dashboard/b/{salon}/knowledge");
    (salon, browser, base)
}

async fn pieces(server: &Server, salon: &str) -> Vec<Value> {
    let all = server.operator("GET", &format!("/businesses/{salon}/knowledge"), Value::Null).await;
    all.as_array().unwrap().clone()
}

#[tokio::test]
async fn an_entry_is_added_searched_changed_and_deleted() {
    let server = Server::open().await;
    let (salon, mut browser, base) = salon(&server).await;
    browser.get(&base).await.is(200).says("Nothing yet");
    let new = format!("{base}/new");
    let page = browser.get(&new).await.is(200);
    let page = browser.submit(&page, &new, &[("source_url", "salon.example")]).await.is(422);
    let page = page.says("It must have 1 to 200 characters.").says("It must have 1 to 50,000 characters.");
    let page = page.says("It must be a whole address that begins with https:// or http://.");
    assert_eq!(page.field(&new, "source_url"), "salon.example");
    // A browser sends a line break as CR LF. The service stores it as LF.
    let dogs = [
        ("title", "Dogs"),
        ("content", "Small dogs may come.\r\n\r\nLarge ones not."),
        ("locale", "en"),
        ("source_url", "https://salon.example/dogs"),
    ];
    browser.submit(&page, &new, &dogs).await.leads_to(&format!("{base}?done=added"));
    let all = pieces(&server, &salon).await;
    assert_eq!(all[0]["content"], "Small dogs may come.\n\nLarge ones not.");
    let id = all[0]["id"].as_str().unwrap().to_owned();
    server.clock.advance(60);
    let parking = json!({ "title": "Parking", "content": "Rue Lobau." });
    server.operator("POST", &format!("/businesses/{salon}/knowledge"), parking).await;

    let list =
        browser.get(&format!("{base}?done=added")).await.says("The entry is added.").says("Both languages");
    let text = list.text();
    assert!(text.find("Parking").unwrap() < text.find("Dogs").unwrap(), "the newest entry must come first");
    for (q, seen) in
        [("LARGE ones", [true, false]), ("rue", [false, true]), ("dogs", [true, false]), ("cats", [false; 2])]
    {
        let asked: String = url::form_urlencoded::byte_serialize(q.as_bytes()).collect();
        let page = browser.get(&format!("{base}?q={asked}")).await.is(200);
        assert_eq!(["Small dogs", "Rue Lobau"].map(|one| page.text().contains(one)), seen, "{q}");
        assert_eq!(page.text().contains("Nothing found"), seen == [false; 2], "{q}");
    }

    let path = format!("{base}/{id}");
    let page = browser.get(&path).await.is(200);
    assert_eq!(page.field(&path, "content"), "Small dogs may come.\n\nLarge ones not.");
    browser.submit(&page, &path, &[("title", "Dogs and cats")]).await.leads_to(&format!("{base}?done=saved"));
    let changed = pieces(&server, &salon).await;
    assert_eq!(
        (changed[0]["title"].as_str(), &changed[0]["content"]),
        (Some("Dogs and cats"), &all[0]["content"])
    );

    let delete = format!("{path}/delete");
    let page =
        browser.get(&delete).await.is(200).says("Delete “Dogs and cats”?").says("Small dogs may come.");
    assert_eq!(pieces(&server, &salon).await.len(), 2, "opening the page must delete nothing");
    browser.submit(&page, &delete, &[]).await.leads_to(&format!("{base}?done=deleted"));
    browser.submit(&page, &delete, &[]).await.leads_to(&format!("{base}?done=deleted"));
    assert_eq!(pieces(&server, &salon).await.len(), 1);
    browser.get(&path).await.is(404);
    browser.get(&format!("{base}?done=deleted")).await.says("The entry is deleted.").says("Parking");
}

#[tokio::test]
async fn a_conflict_between_two_changes_of_knowledge_shows_both_versions() {
    let server = Server::open().await;
    let (salon, mut one, base) = salon(&server).await;
    let piece = json!({ "title": "Dogs", "content": "Small ones.\nOn a lead." });
    let piece = server.operator("POST", &format!("/businesses/{salon}/knowledge"), piece).await;
    let path = format!("{base}/{}", piece["id"].as_str().unwrap());
    let mut other = one.clone();
    let (mine, theirs) = (one.get(&path).await, other.get(&path).await);
    other.submit(&theirs, &path, &[("content", "None.")]).await.is(303);
    let page = one.submit(&mine, &path, &[("title", "Pets")]).await.is(409);
    let page = page.says("Another person has changed these values").says("Your version Title Pets");
    let page = page.says("Saved version Title Dogs What the receptionist should say None.");
    assert_eq!(page.field(&path, "title"), "Pets");
    assert_eq!(page.field(&path, "content"), "Small ones.\nOn a lead.");
    one.submit(&page, &path, &[]).await.is(303);
    assert_eq!(pieces(&server, &salon).await[0]["title"], "Pets");
}

#[tokio::test]
async fn a_member_can_read_knowledge_and_sees_no_actions() {
    let server = Server::open().await;
    let (salon, mut admin, base) = salon(&server).await;
    let bob = server.person(&salon, "bob@example.com", "member").await;
    let mut browser = server.signed_in(&salon, &bob).await;
    let hostile = "<script>x</script> javascript:alert(1)";
    let piece = json!({ "title": hostile, "content": format!("{hostile}\n{}", "W".repeat(200)), "source_url": "https://salon.example/" });
    let piece = server.operator("POST", &format!("/businesses/{salon}/knowledge"), piece).await;
    let path = format!("{base}/{}", piece["id"].as_str().unwrap());
    let list = browser.get(&base).await.is(200).says(hostile);
    let page = browser.get(&path).await.is(200).says(hostile).says("https://salon.example/");
    for page in [&list, &page] {
        assert!(!page.forms().iter().any(|form| form.method == "post" && form.action.starts_with(&base)));
        let links = page.tags().into_iter().filter_map(|tag| tag.get("href").map(str::to_owned));
        let offered = links
            .filter(|link| link.ends_with("/new") || link.ends_with("/delete") || link.starts_with("http"));
        assert_eq!(offered.collect::<Vec<_>>(), [""; 0]);
    }
    for closed in [format!("{base}/new"), format!("{path}/delete")] {
        browser.get(&closed).await.is(403).says("Your role can see this but cannot change it");
    }
    let form = admin.get(&path).await;
    browser.submit(&form, &path, &[("title", "Mine")]).await.is(403);
    assert_eq!(pieces(&server, &salon).await[0]["title"], hostile);
    admin.get(&path).await.is(200).says(hostile);
}

#[tokio::test]
async fn the_pages_are_translated_to_french() {
    let server = Server::open().await;
    let (_, mut browser, base) = salon(&server).await;
    let account = browser.get("/dashboard/account").await;
    browser.submit(&account, "/dashboard/account", &[("locale", "fr")]).await.is(303);
    browser.get(&base).await.is(200).says("Connaissances").says("Aucune fiche pour l’instant");
    let new = format!("{base}/new");
    let page = browser.get(&new).await.says("Ce que l’accueil doit dire");
    let page = browser.submit(&page, &new, &[("content", "x")]).await.is(422);
    page.says("Il faut de 1 à 200 caractères.").says("Rien n’est encore enregistré");
}

#[tokio::test]
async fn the_input_for_a_deleted_entry_can_be_added_as_a_new_entry() {
    let server = Server::open().await;
    let (salon, mut one, base) = salon(&server).await;
    let piece = json!({ "title": "Dogs", "content": "Small ones." });
    let piece = server.operator("POST", &format!("/businesses/{salon}/knowledge"), piece).await;
    let path = format!("{base}/{}", piece["id"].as_str().unwrap());
    let (mine, delete) = (one.get(&path).await, format!("{path}/delete"));
    let mut other = one.clone();
    let page = other.get(&delete).await;
    other.submit(&page, &delete, &[]).await.is(303);
    let fields = [("content", "Small ones, on a lead."), ("locale", "fr")];
    let page =
        one.submit(&mine, &path, &fields).await.is(409).says("Somebody has deleted this entry meanwhile.");
    let new = format!("{base}/new");
    assert_eq!(page.field(&new, "content"), "Small ones, on a lead.");
    assert_eq!((page.field(&new, "title"), page.field(&new, "locale")), ("Dogs".into(), "fr".into()));
    one.submit(&page, &new, &[]).await.leads_to(&format!("{base}?done=added"));
    assert_eq!(pieces(&server, &salon).await[0]["content"], "Small ones, on a lead.");
    one.get(&path).await.is(404);
}

#[tokio::test]
async fn input_from_before_a_suspension_is_shown_without_a_button() {
    let server = Server::open().await;
    let (salon, mut browser, base) = salon(&server).await;
    let piece = json!({ "title": "Dogs", "content": "Small ones." });
    let piece = server.operator("POST", &format!("/businesses/{salon}/knowledge"), piece).await;
    let (path, new) = (format!("{base}/{}", piece["id"].as_str().unwrap()), format!("{base}/new"));
    let (page, empty) = (browser.get(&path).await, browser.get(&new).await);
    server.operator("PATCH", &format!("/businesses/{salon}"), json!({ "suspended": true })).await;
    for (page, way, title) in [(page, path, "Dogs"), (empty, new, "Cats")] {
        let fields = [("title", title), ("content", "On a lead.")];
        browser.submit(&page, &way, &fields).await.leads_to(&way);
        let kept = browser.get(&way).await.is(200).says("The business was suspended before you sent this");
        assert_eq!(
            (kept.field(&way, "title"), kept.field(&way, "content")),
            (title.into(), "On a lead.".into())
        );
        let tags = kept.tags();
        let buttons = tags.iter().filter(|tag| tag.get("class").is_some_and(|c| c.contains("button first")));
        assert_eq!(buttons.count(), 0, "a suspended business must have no buttons");
    }
    assert_eq!(pieces(&server, &salon).await[0]["content"], "Small ones.");
}

#[tokio::test]
async fn a_long_question_without_an_answer_becomes_an_entry() {
    let server = Server::open().await;
    let (salon, mut browser, base) = salon(&server).await;
    let started = json!({ "channel": "sms" });
    let started = server.operator("POST", &format!("/businesses/{salon}/conversations"), started).await;
    let turns = format!("/businesses/{salon}/conversations/{}/turns", started["id"].as_str().unwrap());
    let question = format!("Do you have {}a pool?", "really ".repeat(40));
    server.operator("POST", &turns, json!({ "text": question })).await;
    let page = browser.get(&format!("{base}/gaps")).await.is(200);
    let at = page.body.find("knowledge/new?title=").unwrap();
    let link = page.body[at..].split('"').next().unwrap().trim_start_matches("knowledge");
    let new = format!("{base}/new");
    let page = browser.get(&format!("{base}{link}")).await.is(200);
    assert_eq!(page.field(&new, "title"), question[..200]);
    let entry = [("content", "No.")];
    browser.submit(&page, &new, &entry).await.leads_to(&format!("{base}?done=added"));
}
