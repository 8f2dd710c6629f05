//! Tests of actions that need a link in a mail: a password reset, a new address, and unsubscribing.

use domain::{AlertKind, Subscription};
use engine::mail::unsubscribe::Unsubscribe;
use serde_json::Value;

use crate::harness::{PASSWORD, Server, relay};

const FORGOTTEN: &str = "/dashboard/forgotten";

#[tokio::test]
async fn a_person_with_a_forgotten_password_sets_another_by_a_mailed_link() {
    let (mail, mails) = relay().await;
    let server = Server::open_with(None, Some(mail)).await;
    let salon = server.business("Salon Zoé").await;
    let ada = server.person(&salon, "ada@example.com", "owner").await;
    server.with_password(&salon, &ada, PASSWORD).await;
    let mut browser = server.browser();
    let page = browser.get(FORGOTTEN).await.is(200);
    browser.submit(&page, FORGOTTEN, &[("email", "no email")]).await.is(422).says("This is not an email");
    let sent = "/dashboard/forgotten?done=sent";
    let unknown = browser.submit(&page, FORGOTTEN, &[("email", "eve@example.com")]).await.leads_to(sent);
    let page = browser.get(FORGOTTEN).await;
    let known = browser.submit(&page, FORGOTTEN, &[("email", "Ada@example.com")]).await.leads_to(sent);
    assert_eq!(known.body, unknown.body);
    browser.get(sent).await.is(200).says("Check your inbox");
    let mail = mails.get(0).await;
    assert_eq!(mail.to, "ada@example.com");
    // The same request is made again. The first link stays valid, and no second mail is sent.
    let page = browser.get(FORGOTTEN).await;
    browser.submit(&page, FORGOTTEN, &[("email", "ada@example.com")]).await.leads_to(sent);
    let link = mail.path("/dashboard/enter/");
    let page = browser.get(&link).await.is(200).says("A new password");
    browser.submit(&page, &link, &[]).await.leads_to("/dashboard/password");
    let page = browser.get("/dashboard/password").await;
    let new =
        [("password", "staple battery horse correct"), ("password_again", "staple battery horse correct")];
    browser.submit(&page, "/dashboard/password", &new).await.leads_to("/dashboard");
    browser.get("/dashboard").await.leads_to(&format!("/dashboard/b/{salon}/today"));
    assert_eq!(mails.count(), 1, "only one mail may be sent: none to an unknown address, and none twice");
}

#[tokio::test]
async fn an_address_that_requests_too_many_links_must_wait() {
    let (mail, _) = relay().await;
    let server = Server::open_with(None, Some(mail)).await;
    let mut browser = server.browser();
    for number in 0..20 {
        browser.post(FORGOTTEN, &[("email", &format!("{number}@example.com"))]).await.is(303);
    }
    let page = browser.post(FORGOTTEN, &[("email", "ada@example.com")]).await.is(429);
    let wait: i64 = page.header("retry-after").parse().unwrap();
    assert!((1..=3_600).contains(&wait), "{wait}");
}

#[tokio::test]
async fn without_mail_the_page_states_who_can_make_a_link() {
    let server = Server::open().await;
    let page = server.browser().get(FORGOTTEN).await.is(200).says("This service sends no email.");
    assert!(page.forms().is_empty());
    server.browser().post(FORGOTTEN, &[("email", "ada@example.com")]).await.leads_to(FORGOTTEN);
}

#[tokio::test]
async fn a_new_email_is_used_after_its_link_and_the_old_address_gets_a_mail() {
    let (mail, mails) = relay().await;
    let server = Server::open_with(None, Some(mail)).await;
    let salon = server.business("Salon Zoé").await;
    let ada = server.person(&salon, "ada@example.com", "owner").await;
    let mut browser = server.signed_in(&salon, &ada).await;
    let page = browser.get("/dashboard/account").await;
    let change = "/dashboard/account/email";
    let done = browser.submit(&page, change, &[("email", "ada@example.org")]).await;
    done.leads_to("/dashboard/account?done=email-sent");
    let mail = mails.get(0).await;
    assert_eq!(mail.to, "ada@example.org");
    browser.get("/dashboard/account").await.says("ada@example.com");
    let link = mail.path("/dashboard/enter/");
    // A person who has the link from the mail but no session cannot confirm the address.
    let mut stranger = server.browser();
    let page = stranger.get(&link).await.is(200);
    let next = link.replace('/', "%2F");
    stranger.submit(&page, &link, &[]).await.leads_to(&format!("/dashboard/sign-in?next={next}"));
    let ben = server.person(&salon, "ben@example.com", "member").await;
    let mut other = server.signed_in(&salon, &ben).await;
    let page = other.get(&link).await.is(200);
    other.submit(&page, &link, &[]).await.is(403).says("the account that asked for this email");
    let page = browser.get(&link).await.is(200).says("ada@example.org");
    browser.submit(&page, &link, &[]).await.leads_to("/dashboard/account?done=email");
    assert_eq!(browser.get("/dashboard/account").await.field(change, "email"), "ada@example.org");
    let told = mails.get(1).await;
    assert_eq!(told.to, "ada@example.com", "{}", told.subject);
    server.browser().get(&link).await.is(410);
}

#[tokio::test]
async fn the_link_in_a_mail_unsubscribes_by_its_button_or_by_one_click() {
    let server = Server::open().await;
    let salon = server.business("Salon Zoé").await;
    let ada = server.person(&salon, "ada@example.com", "owner").await;
    let token = |from| {
        let what =
            Unsubscribe { person_id: ada.id.parse().unwrap(), business_id: salon.parse().unwrap(), from };
        format!("/dashboard/unsubscribe/{}", server.engine().unsubscribe_token(&what))
    };
    let of = async |kind: &str| {
        let path = format!("/businesses/{salon}/people/{}/notifications", ada.id);
        server.operator("GET", &path, Value::Null).await[kind]["email"].as_str().unwrap().to_owned()
    };
    let missed = token(Subscription::Kind(AlertKind::CallMissed));
    let mut browser = server.browser();
    let page =
        browser.get(&missed).await.is(200).says("Missed calls").says("ada@example.com").says("Salon Zoé");
    assert_eq!(of("call_missed").await, "now", "opening the page must not unsubscribe");
    browser.submit(&page, &missed, &[]).await.is(200).says("You will get no more emails about this");
    assert_eq!((of("call_missed").await, of("urgent_message").await), ("off".into(), "now".into()));
    // A mail program sends the request to unsubscribe from any origin, without cookies and without a form id.
    // The request may be repeated.
    let every = token(Subscription::EveryNow);
    for _ in 0..2 {
        let click = [("List-Unsubscribe", "One-Click")];
        server.browser().post_from(&every, &click, &[("sec-fetch-site", "cross-site")]).await.is(200);
    }
    assert_eq!(of("urgent_message").await, "off");
    // Mail programs may also send the request as `multipart/form-data` (RFC 8058 §3.2).
    let booked = token(Subscription::Kind(AlertKind::AppointmentBooked));
    let headers = [("content-type", "multipart/form-data; boundary=b"), ("sec-fetch-site", "cross-site")];
    let body =
        "--b\r\nContent-Disposition: form-data; name=\"List-Unsubscribe\"\r\n\r\nOne-Click\r\n--b--\r\n";
    server.browser().ask("POST", &booked, &headers, body.to_owned()).await.is(200);
    assert_eq!(of("appointment_booked").await, "off");
    let altered = format!("{}x", &missed[..missed.len() - 1]);
    server.browser().get(&altered).await.is(410);
}
