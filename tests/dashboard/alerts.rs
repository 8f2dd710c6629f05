//! Tests of alerts: the list, the number of new alerts, and the button that marks alerts as read. Each
//! person has a separate list.

use serde_json::{Value, json};

use crate::harness::{Browser, Server};

/// The label of the alerts in the navigation, with the number of new alerts.
async fn news(browser: &mut Browser, salon: &str) -> String {
    let page = browser.get(&format!("/dashboard/b/{salon}/today")).await.is(200);
    let bell = page.tags().into_iter().find(|tag| tag.get("id") == Some("bell")).unwrap();
    bell.get("aria-label").unwrap().to_owned()
}

async fn message(server: &Server, salon: &str, body: &str) -> Value {
    let message = json!({ "caller_name": "Paul Roy", "caller_phone": "+33612345690", "body": body, "urgency": "urgent" });
    server.operator("POST", &format!("/businesses/{salon}/messages"), message).await
}

#[tokio::test]
async fn alerts_are_listed_counted_and_marked_as_read_by_each_person_for_themselves() {
    let server = Server::open().await;
    let salon = server.business("Salon Zoé").await;
    let ada = server.person(&salon, "ada@example.com", "owner").await;
    let bob = server.person(&salon, "bob@example.com", "member").await;
    let mut adas = server.signed_in(&salon, &ada).await;
    let mut bobs = server.signed_in(&salon, &bob).await;
    let path = format!("/dashboard/b/{salon}/alerts");
    adas.get(&path).await.is(200).says("No alerts yet").says("Nothing new");
    assert_eq!(news(&mut adas, &salon).await, "Alerts");
    for body in ["<b>first</b>", "second", "third"] {
        server.clock.advance(60);
        message(&server, &salon, body).await;
    }
    assert_eq!(news(&mut adas, &salon).await, "Alerts, 3 new");
    let page = adas.get(&path).await.is(200).says("3 new").says("Urgent message").says("Paul Roy");
    let text = page.text();
    assert!(
        text.find("third").unwrap() < text.find("<b>first</b>").unwrap(),
        "the newest alert must come first, and markup must be shown as text: {text}"
    );
    let message = page.tags().into_iter().find(|tag| tag.text == "Urgent message").unwrap();
    adas.get(message.get("href").unwrap()).await.is(200).says("third");
    let one = page.forms().into_iter().find(|form| form.action.ends_with("/read")).unwrap();
    adas.submit(&page, &one.action, &[]).await.leads_to(&path);
    assert_eq!(news(&mut adas, &salon).await, "Alerts, 2 new");
    assert_eq!(news(&mut bobs, &salon).await, "Alerts, 3 new");
    let page = adas.get(&path).await;
    adas.submit(&page, &path, &[]).await.leads_to(&path);
    assert_eq!(news(&mut adas, &salon).await, "Alerts");
    let read = adas.get(&path).await.says("Nothing new").says("second");
    assert!(
        !read.forms().iter().any(|form| form.action.starts_with(&path)),
        "there must be no button if no alert is new"
    );
    assert_eq!(news(&mut bobs, &salon).await, "Alerts, 3 new");
}

#[tokio::test]
async fn older_alerts_are_on_further_pages() {
    let server = Server::open().await;
    let salon = server.business("Salon Zoé").await;
    let ada = server.person(&salon, "ada@example.com", "owner").await;
    let mut browser = server.signed_in(&salon, &ada).await;
    for number in 0..60 {
        message(&server, &salon, &format!("number {number}.")).await;
    }
    let path = format!("/dashboard/b/{salon}/alerts");
    let page = browser.get(&path).await.says("number 59.").says("number 10.");
    assert!(!page.text().contains("number 9."), "a page must have 50 alerts");
    let older = page.tags().into_iter().filter_map(|tag| tag.get("href").map(str::to_owned));
    let older = older.into_iter().find(|href| href.contains("?after=")).unwrap();
    let page = browser.get(&older).await.says("number 9.").says("number 0.");
    assert!(!page.text().contains("number 10.") && !page.body.contains("?after="));
    // An invalid cursor shows the first page.
    browser.get(&format!("{path}?after=AAAA")).await.is(200).says("number 59.");
}
