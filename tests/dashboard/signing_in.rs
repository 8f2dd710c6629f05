//! Tests of the sign-in with a password, and of the limits on attempts.

use crate::harness::{Browser, PASSWORD, Page, Server};

async fn sign_in(browser: &mut Browser, email: &str, password: &str) -> Page {
    let page = browser.get("/dashboard/sign-in").await.is(200);
    browser.submit(&page, "/dashboard/sign-in", &[("email", email), ("password", password)]).await
}

async fn founded(server: &Server) -> String {
    let salon = server.business("Salon Zoé").await;
    let ada = server.person(&salon, "Ada@example.com", "owner").await;
    server.with_password(&salon, &ada, PASSWORD).await;
    salon
}

#[tokio::test]
async fn a_person_signs_in_reaches_the_requested_page_and_signs_out() {
    let server = Server::open().await;
    let salon = founded(&server).await;
    let mut browser = server.browser();
    let today = format!("/dashboard/b/{salon}/today");
    let led = browser.get(&format!("{today}?a=b&c=d")).await.is(303);
    let page = browser.get(led.header("location")).await.is(200);
    let fields = [("email", " ada@EXAMPLE.com "), ("password", PASSWORD)];
    let led =
        browser.submit(&page, "/dashboard/sign-in", &fields).await.leads_to(&format!("{today}?a=b&c=d"));
    browser.get(led.header("location")).await.is(200).says("Salon Zoé");
    browser.get("/dashboard/sign-in?next=/dashboard/account").await.leads_to("/dashboard/account");
    let page = browser.get("/dashboard/account").await;
    let before = browser.clone();
    browser.submit(&page, "/dashboard/sign-out", &[]).await.leads_to("/dashboard/sign-in");
    assert!(!browser.cookies.contains_key("receptionist"));
    let page = before.clone().get("/dashboard/account").await.is(303);
    assert!(
        page.header("location").starts_with("/dashboard/sign-in?"),
        "the session must have ended on the server too"
    );
}

#[tokio::test]
async fn an_unknown_email_and_a_wrong_password_get_the_same_response() {
    let server = Server::open().await;
    founded(&server).await;
    let mut answers = Vec::new();
    for email in ["ada@example.com", "eve@example.com"] {
        let mut browser = server.browser();
        let page = sign_in(&mut browser, email, "wrong horse battery staple").await.is(422);
        assert_eq!(page.field("/dashboard/sign-in", "email"), email);
        assert_eq!(page.field("/dashboard/sign-in", "password"), "");
        assert!(!browser.cookies.contains_key("receptionist"));
        answers.push(page.text());
    }
    assert_eq!(answers[0], answers[1]);
    assert!(answers[0].contains("Wrong email or password"));
    let mut browser = server.browser();
    let page = sign_in(&mut browser, "", "").await.is(422).says("This field is required.");
    assert_eq!(page.tags().iter().filter(|tag| tag.get("aria-invalid") == Some("true")).count(), 2);
}

#[tokio::test]
async fn an_address_with_too_many_failures_sees_when_to_try_again() {
    let server = Server::open().await;
    founded(&server).await;
    let mut browser = server.browser();
    for number in 0..30 {
        sign_in(&mut browser, &format!("{number}@example.com"), "wrong").await.is(422);
    }
    let page =
        sign_in(&mut browser, "ada@example.com", PASSWORD).await.is(429).says("your account is not locked");
    let wait: i64 = page.header("retry-after").parse().unwrap();
    assert!((1..=15 * 60).contains(&wait), "{wait}");
    server.clock.advance(wait);
    sign_in(&mut browser, "ada@example.com", PASSWORD).await.leads_to("/dashboard");
}

#[tokio::test]
async fn signing_in_redirects_only_to_pages_of_the_dashboard() {
    let server = Server::open().await;
    founded(&server).await;
    for next in
        ["https://evil.example/", "//evil.example", "/v1/me", "javascript:alert(1)", "/\\evil.example"]
    {
        let mut browser = server.browser();
        let page = browser.get(&format!("/dashboard/sign-in?next={next}")).await;
        assert_eq!(page.field("/dashboard/sign-in", "next"), "/dashboard");
        let form = page.field("/dashboard/sign-in", "form");
        let fields = [("email", "ada@example.com"), ("password", PASSWORD), ("next", next), ("form", &form)];
        browser.post("/dashboard/sign-in", &fields).await.leads_to("/dashboard");
    }
}

#[tokio::test]
async fn pages_without_a_session_use_the_chosen_language_or_the_browsers() {
    let server = Server::open().await;
    let mut browser = server.browser();
    let french = [("accept-language", "fr-FR,fr;q=0.9,en;q=0.8")];
    browser.ask("GET", "/dashboard/sign-in", &french, String::new()).await.says("Se connecter");
    let page = browser.get("/dashboard/sign-in").await.says("Sign in");
    let other = page.tags().into_iter().find(|tag| tag.get("hreflang") == Some("fr")).unwrap();
    browser.get(other.get("href").unwrap()).await.says("Se connecter");
    browser.get("/dashboard/forgotten").await.says("Mot de passe oublié");
    browser.get("/dashboard/nowhere").await.is(404).says("Introuvable");
}
