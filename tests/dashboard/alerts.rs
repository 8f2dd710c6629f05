//! Tests of alerts: the list, the number of new alerts, and the button that marks alerts as read. Each
//! person has a separate list.

use domain::AlertKind;
use serde_json::{Value, json};

use crate::day_salon::{Salon, key};
use crate::harness::{Browser, Server, relay};

/// The label of the navigation's link to the alerts. It contains the number of new alerts.
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
    // With an invalid cursor, the first page is shown.
    browser.get(&format!("{path}?after=AAAA")).await.is(200).says("number 59.");
}

impl Salon {
    /// Causes one alert of each kind for the owner, except the two kinds about calendars. The alerts are about two
    /// messages and a missed call without the caller's name, about two appointments, and about an endpoint whose nine
    /// attempts to deliver an event have failed. Returns the path of the record's page for each alert.
    async fn cause_every_alert(&mut self) -> Vec<String> {
        let mut pages = Vec::new();
        for urgency in ["normal", "urgent"] {
            let message = json!({ "caller_phone": "+33755010203", "body": "Call me", "urgency": urgency });
            pages.push(format!("messages/{}", key(&self.operator("POST", "/messages", message).await)));
        }
        let call = json!({ "direction": "inbound", "status": "missed", "outcome": "other",
            "from_number": "+33755010204", "started_at": "2026-03-02T05:00:00Z", "ended_at": "2026-03-02T05:00:10Z" });
        pages.push(format!("calls/{}", key(&self.operator("POST", "/calls", call).await)));
        let id = self.booked("2026-03-02T09:00:00Z", "Ada").await;
        let to = json!({ "starts_at": "2026-03-02T10:00:00Z" });
        self.operator("POST", &format!("/appointments/{id}/reschedule"), to).await;
        self.operator("POST", &format!("/appointments/{id}/cancel"), Value::Null).await;
        pages.extend(vec![format!("appointments/{id}"); 3]);
        pages.push(format!("appointments/{}", self.requested("2026-03-03T09:00:00Z", "Nora").await));

        self.server.receiver.answers(503, "");
        let endpoint = json!({ "url": "https://a.example.com/hook", "events": ["contact.created"] });
        let endpoint = key(&self.operator("POST", "/webhooks", endpoint).await);
        self.operator("POST", "/contacts", json!({ "name": "Grace" })).await;
        let page = self.to(&format!("settings/webhooks/{endpoint}"));
        let delivery = self.owner.until(&page, "1 of 9").await.link("/deliveries/");
        for attempt in 2..=9 {
            self.server.clock.advance(60 * 60);
            let page = self.owner.get(&delivery).await;
            self.owner.submit(&page, &format!("{delivery}/try-now"), &[]).await.is(303);
            self.owner.until(&delivery, &format!("{attempt} of 9")).await;
        }
        pages.extend(vec![format!("settings/webhooks/{endpoint}"); 2]);
        pages.iter().map(|page| self.to(page)).collect()
    }
}

#[tokio::test]
async fn an_alert_of_each_kind_links_to_its_record_in_the_page_and_in_its_mail() {
    let (mail, mails) = relay().await;
    let mut salon = Salon::on(Server::open_with(None, Some(mail)).await).await;
    let settings = salon.to("settings/notifications");
    let page = salon.owner.get(&settings).await.is(200);
    let now: Vec<_> = AlertKind::ALL.iter().map(|kind| format!("{kind}.email")).collect();
    let now: Vec<_> = now.iter().map(|name| (name.as_str(), "now")).collect();
    salon.owner.submit(&page, &settings, &now).await.is(303);
    let mut expected = salon.cause_every_alert().await;
    expected.sort();
    // The two alerts about calendars need a calendar server, which this test does not have.
    let kinds = AlertKind::ALL.len() - 2;
    assert_eq!(expected.len(), kinds);

    let path = salon.to("alerts");
    let page = salon.owner.until(&path, "A webhook endpoint was turned off").await;
    let page = page.says("+33 7 55 01 02 03").says("+33 7 55 01 02 04");
    let links = page.tags().into_iter().filter(|tag| tag.get("class") == Some("cover"));
    let (mut titles, mut linked): (Vec<_>, Vec<_>) =
        links.map(|tag| (tag.text.clone(), tag.get("href").unwrap().to_owned())).unzip();
    for link in &linked {
        salon.owner.get(link).await.is(200);
    }
    linked.sort();
    assert_eq!(linked, expected);
    titles.sort();
    titles.dedup();
    assert_eq!(titles.len(), kinds, "each kind has its own title: {titles:?}");

    // The member of the salon also receives the mail about the urgent message.
    let (mut mailed, mut texts) = (Vec::new(), String::new());
    for number in 0..=kinds {
        let mail = mails.get(number).await;
        if mail.to == "owner@example.com" {
            mailed.push(mail.path("/dashboard/b/"));
            texts = [texts, mail.subject, mail.text].concat();
        }
    }
    mailed.sort();
    assert_eq!(mailed, expected);
    assert!(texts.contains("+33 7 55 01 02 03") && texts.contains("+33 7 55 01 02 04"), "{texts}");
    assert!(!texts.contains("+3375501"), "{texts}");
}
