//! Tests of the mail log: recipients, subjects, status, and the button to send a mail again.

use std::time::Duration;

use serde_json::json;

use crate::harness::{Browser, PASSWORD, Page, Server, dead_relay, relay};

fn path(salon: &str) -> String {
    format!("/dashboard/b/{salon}/settings/mail")
}

async fn message(server: &Server, salon: &str, urgency: &str) {
    let message = json!({ "caller_name": "Paul Roy", "caller_phone": "+33612345690", "body": "Call me", "urgency": urgency });
    server.operator("POST", &format!("/businesses/{salon}/messages"), message).await;
}

/// Requests the page repeatedly until it contains the text `times` times, because the new status may not be
/// durable yet.
async fn once_it_says(browser: &mut Browser, path: &str, (text, times): (&str, usize)) -> Page {
    let asks = async {
        loop {
            let page = browser.get(path).await.is(200);
            if page.text().matches(text).count() == times {
                return page;
            }
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(Duration::from_secs(60), asks).await.expect("the page must contain the text")
}

#[tokio::test]
async fn mails_are_listed_and_sent_again_as_new_mails() {
    let (mail, mails) = relay().await;
    let server = Server::open_with(None, Some(mail)).await;
    let salon = server.business("Salon Zoé").await;
    let ada = server.person(&salon, "ada@example.com", "owner").await;
    let mut browser = server.signed_in(&salon, &ada).await;
    browser.get(&path(&salon)).await.is(200).says("No emails");
    message(&server, &salon, "urgent").await;
    mails.get(0).await;
    let page = once_it_says(&mut browser, &path(&salon), ("Sent", 1)).await;
    let page = page.says("Urgent message").says("ada@example.com");
    let again = page.forms().into_iter().find(|form| form.action.ends_with("/resend")).unwrap().action;
    let done = format!("{}?done=resent", path(&salon));
    browser.submit(&page, &again, &[]).await.leads_to(&done);
    browser.submit(&page, &again, &[]).await.leads_to(&done);
    browser.get(&done).await.says("The email is sent again, as a new email.");
    let second = mails.get(1).await;
    assert_eq!((second.to.as_str(), mails.count()), ("ada@example.com", 2), "two clicks must send one mail");
}

#[tokio::test]
async fn a_pending_mail_is_shown_with_its_error_and_cannot_be_sent_again() {
    let server = Server::open_with(None, Some(dead_relay())).await;
    let salon = server.business("Salon Zoé").await;
    let ada = server.person(&salon, "ada@example.com", "owner").await;
    let mut browser = server.signed_in(&salon, &ada).await;
    message(&server, &salon, "normal").await;
    let page = once_it_says(&mut browser, &path(&salon), ("Next attempt:", 1))
        .await
        .says("Waiting one attempt")
        .says("refused");
    assert!(!page.forms().iter().any(|form| form.action.ends_with("/resend")));
}

#[tokio::test]
async fn the_mail_log_reveals_nothing_about_an_account_before_its_person_accepts() {
    let (mail, mails) = relay().await;
    let server = Server::open_with(None, Some(mail)).await;
    let salon = server.business("Salon Zoé").await;
    let other = server.business("Barbier").await;
    let known = server.person(&other, "known@example.com", "member").await;
    server.with_password(&other, &known, PASSWORD).await;
    let ada = server.person(&salon, "ada@example.com", "owner").await;
    let mut browser = server.signed_in(&salon, &ada).await;
    let invite = format!("/dashboard/b/{salon}/settings/people/invite");
    for email in ["known@example.com", "new@example.com"] {
        let page = browser.get(&invite).await;
        browser.submit(&page, &invite, &[("email", email), ("name", "As invited")]).await.is(303);
    }
    mails.get(1).await;
    let page = once_it_says(&mut browser, &path(&salon), ("Sent", 2)).await;
    assert_eq!(
        page.text().matches("Invitation").count(),
        2,
        "invitations and offers must look the same: {}",
        page.text()
    );
    assert_eq!(page.text().matches("As invited").count(), 2);
    assert!(
        !page.forms().iter().any(|form| form.action.ends_with("/resend")),
        "a mail with a link cannot be sent again"
    );
}

#[tokio::test]
async fn a_mail_of_another_business_is_not_found() {
    let (mail, mails) = relay().await;
    let server = Server::open_with(None, Some(mail)).await;
    let [salon, other] = [server.business("Salon Zoé").await, server.business("Barbier").await];
    let ada = server.person(&salon, "ada@example.com", "owner").await;
    let eve = server.person(&other, "eve@example.com", "owner").await;
    let mut adas = server.signed_in(&salon, &ada).await;
    let mut eves = server.signed_in(&other, &eve).await;
    message(&server, &salon, "urgent").await;
    let page = once_it_says(&mut adas, &path(&salon), ("Sent", 1)).await;
    let again = page.forms().into_iter().find(|form| form.action.ends_with("/resend")).unwrap();
    let id = eves.get("/dashboard/account").await.field("/dashboard/sign-out", "form");
    let id = [("form", id.as_str())];
    eves.post(&again.action, &id).await.is(404);
    eves.post(&again.action.replace(&salon, &other), &id).await.is(404);
    eves.get(&path(&other)).await.is(200).says("No emails");
    assert_eq!(mails.count(), 1);
}

#[tokio::test]
async fn without_a_relay_the_page_says_so_in_both_languages() {
    let server = Server::open().await;
    let salon = server.business("Salon Zoé").await;
    let ada = server.person(&salon, "ada@example.com", "admin").await;
    let mut browser = server.signed_in(&salon, &ada).await;
    browser.get(&path(&salon)).await.is(200).says("This service sends no email.").says("No emails");
    let page = browser.get("/dashboard/account").await;
    browser.submit(&page, "/dashboard/account", &[("locale", "fr")]).await.is(303);
    browser.get(&path(&salon)).await.says("Ce service n’envoie pas d’e-mail.").says("Aucun e-mail");
}
