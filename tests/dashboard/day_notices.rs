//! Tests of the notices that the page of an appointment shows.

use serde_json::{Value, json};

use crate::day_salon::key;
use crate::harness::{Browser, Page, Server, dead_relay, relay};

const STARTS_AT: &str = "2026-03-05T09:00:00Z";
const OTHER_TIME: &str = "2026-03-05T14:00:00Z";
/// A notice about a change by the team is due after this number of seconds.
const DELAY: i64 = 15;

struct Salon {
    server: Server,
    id: String,
    service: String,
    owner: Browser,
    member: Browser,
}

impl Salon {
    /// A salon that sends notices about all appointments.
    async fn with(server: Server) -> Self {
        let id = server.business("Salon Zoé").await;
        let service = server.offers(&id, ("Cut", 30), "Inès").await;
        let owner = server.person(&id, "owner@example.com", "owner").await;
        let member = server.person(&id, "member@example.com", "member").await;
        let [owner, member] = [server.signed_in(&id, &owner).await, server.signed_in(&id, &member).await];
        let salon = Self { server, id, service, owner, member };
        salon.operator("PATCH", "/notices", json!({ "email": "all", "reminder_hours": [24] })).await;
        salon
    }

    async fn operator(&self, method: &str, path: &str, body: Value) -> Value {
        self.server.operator(method, &format!("/businesses/{}{path}", self.id), body).await
    }

    /// Books an appointment. Returns its path in the dashboard.
    async fn booked(&self, starts_at: &str, email: &str) -> String {
        let contact = json!({ "name": "Nora", "email": email });
        let body = json!({ "service_id": self.service, "starts_at": starts_at, "contact": contact });
        let id = key(&self.operator("POST", "/appointments", body).await);
        format!("/dashboard/b/{}/appointments/{id}", self.id)
    }

    /// Advances the clock until the notices of the earlier appointments are due, and books an appointment. The booking
    /// makes the outbox send these notices, so the test does not wait for the outbox's timer.
    async fn booked_after_the_delay(&self) -> String {
        self.server.clock.advance(DELAY);
        self.booked(OTHER_TIME, "ada@example.com").await
    }
}

/// The text of each row of the log, without the last column. The newest row is first.
fn rows(page: &Page) -> Vec<String> {
    let (_, log) = page.body.split_once("id=\"notices\"").unwrap_or_else(|| panic!("no log: {}", page.body));
    let rows = log.split("<tbody>").nth(1).unwrap_or_default().split("<tr>").skip(1);
    let text = |row: &str| {
        let row = row.split("<td class=\"does\">").next().unwrap_or_default();
        let words = row.split('<').filter_map(|part| part.split_once('>')).map(|(_, text)| text.trim());
        words.filter(|text| !text.is_empty()).collect::<Vec<_>>().join(" ")
    };
    rows.map(text).collect()
}

/// The actions of the buttons that send a notice again.
fn buttons(page: &Page) -> Vec<String> {
    let forms = page.forms().into_iter().map(|form| form.action);
    forms.filter(|action| action.ends_with("/send-again")).collect()
}

#[tokio::test]
async fn the_notices_of_an_appointment_are_on_its_page_and_are_sent_again_from_there() {
    let (mail, mails) = relay().await;
    let mut salon = Salon::with(Server::open_with(None, Some(mail)).await).await;
    let path = salon.booked(STARTS_AT, "nora@example.com").await;
    let page = salon.owner.get(&path).await.is(200);
    let [first, reminder] = &rows(&page)[..] else { panic!("{}", page.body) };
    assert!(first.starts_with("Booked") || reminder.starts_with("Booked"), "{}", page.body);
    assert_eq!(buttons(&page), [""; 0], "a waiting notice has no button");

    let other = salon.booked_after_the_delay().await;
    mails.get(0).await;
    let page = salon.owner.until(&path, "Sent one attempt").await;
    let booked = rows(&page).into_iter().find(|row| row.starts_with("Booked")).unwrap();
    assert!(booked.contains("nora@example.com") && booked.ends_with("Sent one attempt"), "{booked}");
    let reminder = rows(&page).into_iter().find(|row| row.starts_with("Reminder")).unwrap();
    assert!(reminder.contains("Next attempt: Wednesday 4 March 10:00"), "{reminder}");
    assert!(reminder.ends_with("Waiting no attempt yet"), "{reminder}");
    assert!(!page.text().contains("ada@example.com"), "the log has notices of another appointment");
    // A member sees the log, but no button to send a notice again.
    let seen = salon.member.get(&path).await.is(200).says("nora@example.com");
    assert_eq!((rows(&seen), buttons(&seen)), (rows(&page), Vec::new()));

    let [again] = &buttons(&page)[..] else { panic!("{}", page.body) };
    let form = page.form(again);
    let fields: Vec<_> = form.fields.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    salon.member.post(again, &fields).await.is(403);
    let done = format!("{path}?done=again");
    salon.owner.submit(&page, again, &[]).await.leads_to(&done);
    let sent = mails.get(1).await;
    assert_eq!((sent.to.as_str(), mails.count()), ("nora@example.com", 2));
    let page = salon.owner.get(&done).await.is(200).says("The notice is sent again.");
    assert_eq!(rows(&page).len(), 3);
    assert!(rows(&page)[0].starts_with("Booked"), "the newest notice is the first: {}", page.body);
    assert_eq!(rows(&salon.owner.get(&other).await).len(), 2);
}

#[tokio::test]
async fn the_reason_why_a_notice_was_not_sent_is_in_words_of_both_languages() {
    let mut salon = Salon::with(Server::open_with(None, Some(dead_relay())).await).await;
    let path = salon.booked(STARTS_AT, "nora@example.com").await;
    salon.booked_after_the_delay().await;
    salon.owner.until(&path, "refused").await.says("one attempt").says("Next attempt:");
    let id = path.rsplit('/').next().unwrap();
    salon.operator("POST", &format!("/appointments/{id}/cancel"), json!({})).await;
    let page = salon.owner.until(&path, "A later change replaced it.").await.says("Not sent");
    assert!(rows(&page)[0].starts_with("Cancelled"), "{}", page.body);
    let reminder = rows(&page).into_iter().find(|row| row.starts_with("Reminder")).unwrap();
    assert!(reminder.ends_with("Not sent"), "{reminder}");
    let account = salon.owner.get("/dashboard/account").await;
    salon.owner.submit(&account, "/dashboard/account", &[("locale", "fr")]).await.is(303);
    let page = salon.owner.get(&path).await.is(200).says("Messages des 30 derniers jours");
    page.says("Non envoyé").says("Un changement ultérieur l’a remplacé.").says("Renvoyer");
}

#[tokio::test]
async fn the_page_before_a_cancellation_says_whether_the_customer_gets_an_email() {
    let (notice, none) = ("The client gets an email about this.", "is not notified automatically");
    let (mail, _mails) = relay().await;
    let mut salon = Salon::with(Server::open_with(None, Some(mail)).await).await;
    let path = salon.booked(STARTS_AT, "nora@example.com").await;
    let page = salon.owner.get(&format!("{path}/cancel")).await.is(200).says(notice);
    assert!(!page.text().contains(none), "{}", page.text());
    salon.operator("PATCH", "/notices", json!({ "email": "off" })).await;
    let page = salon.owner.get(&format!("{path}/cancel")).await.is(200).says(none);
    assert!(!page.text().contains(notice), "{}", page.text());
    salon.operator("PATCH", "/notices", json!({ "email": "all" })).await;
    // No email is sent to a contact without an address, or about an appointment that has started.
    let contact = json!({ "name": "Ada", "phone": "+33661020304" });
    let body = json!({ "service_id": salon.service, "starts_at": OTHER_TIME, "contact": contact });
    let id = key(&salon.operator("POST", "/appointments", body).await);
    let other = format!("/dashboard/b/{}/appointments/{id}/cancel", salon.id);
    salon.owner.get(&other).await.is(200).says(none);
    salon.server.clock.set(STARTS_AT);
    salon.owner.get(&format!("{path}/cancel")).await.is(200).says(none);
    // Without a relay, the service sends no email.
    let mut salon = Salon::with(Server::open().await).await;
    let path = salon.booked(STARTS_AT, "nora@example.com").await;
    salon.owner.get(&format!("{path}/cancel")).await.is(200).says(none);
}
