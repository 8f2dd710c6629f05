//! Tests of the links in invitations and password resets. A request for the page of a link changes nothing,
//! and the button on the page works only once.

use crate::harness::{PASSWORD, Server};

#[tokio::test]
async fn an_invitation_can_be_opened_repeatedly_and_used_once() {
    let server = Server::open().await;
    let salon = server.business("Salon Zoé").await;
    let ada = server.invited(&salon, "ada@example.com", "member").await;
    let link = ada.link.strip_prefix(&server.origin()).unwrap().to_owned();
    let mut scanner = server.browser();
    for _ in 0..3 {
        scanner.get(&link).await.is(200).says("Welcome to Salon Zoé").says("ada@example.com");
        scanner.ask("HEAD", &link, &[], String::new()).await.is(200);
    }
    assert!(scanner.cookies.is_empty());
    let mut browser = server.browser();
    let page = browser.get(&link).await;
    browser.submit(&page, &link, &[]).await.leads_to("/dashboard/password");
    server.browser().get(&link).await.is(410).says("This link no longer works");
    server.browser().post(&link, &[]).await.is(410);
    // In this session, the person can only choose a password or sign out.
    for path in ["/dashboard", "/dashboard/account", &format!("/dashboard/b/{salon}/today")] {
        browser.get(path).await.leads_to("/dashboard/password");
    }
    let page = browser.get("/dashboard/password").await.is(200);
    let fields = [("password", PASSWORD), ("password_again", PASSWORD)];
    browser.submit(&page, "/dashboard/password", &fields).await.leads_to("/dashboard");
    browser.get("/dashboard").await.leads_to(&format!("/dashboard/b/{salon}/today"));
    browser.get(&format!("/dashboard/b/{salon}/today")).await.is(200);
}

#[tokio::test]
async fn a_button_that_is_pressed_twice_uses_the_link_once() {
    let server = Server::open().await;
    let salon = server.business("Salon Zoé").await;
    let ada = server.person(&salon, "ada@example.com", "owner").await;
    let link = server.link(&salon, &ada, "enter").await;
    let mut browser = server.browser();
    let page = browser.get(&link).await;
    let mut second = browser.clone();
    browser.submit(&page, &link, &[]).await.leads_to("/dashboard");
    second.submit(&page, &link, &[]).await.is(410);
    assert!(!second.cookies.contains_key("receptionist"), "the second browser must get no session");
}

#[tokio::test]
async fn links_expire_and_a_new_link_invalidates_the_previous_one() {
    let server = Server::open().await;
    let salon = server.business("Salon Zoé").await;
    let ada = server.person(&salon, "ada@example.com", "owner").await;
    for (kind, seconds) in [("enter", 10 * 60), ("reset", 60 * 60), ("invitation", 7 * 24 * 60 * 60)] {
        let link = server.link(&salon, &ada, kind).await;
        server.browser().get(&link).await.is(200);
        server.clock.advance(seconds);
        server.browser().get(&link).await.is(410);
        server.browser().post(&link, &[]).await.is(410);
    }
    let first = server.link(&salon, &ada, "enter").await;
    let second = server.link(&salon, &ada, "enter").await;
    server.browser().get(&first).await.is(410);
    server.browser().get(&second).await.is(200);
    for bad in ["x", "..", &"A".repeat(43), &"A".repeat(4_000)] {
        server.browser().get(&format!("/dashboard/enter/{bad}")).await;
        server.browser().post(&format!("/dashboard/enter/{}", bad.replace("..", "a")), &[]).await.is(410);
    }
}

#[tokio::test]
async fn using_a_link_ends_the_browsers_earlier_session() {
    let server = Server::open().await;
    let salon = server.business("Salon Zoé").await;
    let ada = server.person(&salon, "ada@example.com", "owner").await;
    let bob = server.person(&salon, "bob@example.com", "member").await;
    let mut browser = server.signed_in(&salon, &ada).await;
    let mut before = browser.clone();
    let link = server.link(&salon, &bob, "enter").await;
    let page = browser.get(&link).await;
    browser.submit(&page, &link, &[]).await.leads_to("/dashboard");
    browser.get("/dashboard/account").await.says("bob@example.com");
    assert!(before.get("/dashboard/account").await.header("location").contains("sign-in"));
}
