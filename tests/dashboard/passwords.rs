//! Tests of the page to choose a password: the reasons why a password is refused, and the sessions that end.

use crate::harness::{PASSWORD, Server};

#[tokio::test]
async fn a_password_is_refused_with_the_reason_in_the_persons_language() {
    let server = Server::open().await;
    let salon = server.business("Salon Lumière Montparnasse").await;
    let ada = server.person(&salon, "marguerite.delacroix@example.com", "owner").await;
    let mut browser = server.signed_in(&salon, &ada).await;
    for (locale, short, weak) in [
        ("en", "12 to 256 characters", "too easy to guess"),
        ("fr", "de 12 à 256 caractères", "trop facile à deviner"),
    ] {
        let id = browser.get("/dashboard/account").await.field("/dashboard/account", "form");
        browser
            .post("/dashboard/account", &[("form", &id), ("name", "Ada"), ("locale", locale)])
            .await
            .is(303);
        for (password, reason) in [
            ("short", short),
            ("passwordpassword", weak),
            ("marguerite.delacroix", weak),
            ("Salon Lumière Montparnasse", weak),
        ] {
            let page = browser.get("/dashboard/password").await;
            let fields = [("password", password), ("password_again", password)];
            let refused = browser.submit(&page, "/dashboard/password", &fields).await.is(422).says(reason);
            let field = refused.tags().into_iter().find(|tag| tag.get("id") == Some("password")).unwrap();
            assert_eq!(field.get("aria-invalid"), Some("true"));
            assert_eq!(field.get("value"), Some(""), "a page must never contain a password");
        }
    }
    let page = browser.get("/dashboard/password").await;
    let fields = [("password", PASSWORD), ("password_again", "correct horse battery stable")];
    browser
        .submit(&page, "/dashboard/password", &fields)
        .await
        .is(422)
        .says("Les deux mots de passe sont différents");
}

#[tokio::test]
async fn a_new_password_ends_every_other_session_and_works() {
    let server = Server::open().await;
    let salon = server.business("Salon Zoé").await;
    let ada = server.person(&salon, "ada@example.com", "owner").await;
    let mut other = server.signed_in(&salon, &ada).await;
    let mut browser = server.signed_in(&salon, &ada).await;
    let before = browser.cookies["receptionist"].clone();
    let page = browser.get("/dashboard/password").await;
    let fields = [("password", PASSWORD), ("password_again", PASSWORD)];
    let mut twice = browser.clone();
    browser.submit(&page, "/dashboard/password", &fields).await.leads_to("/dashboard/account?done=password");
    assert_ne!(browser.cookies["receptionist"], before, "the session must have a new token");
    browser.get("/dashboard/account?done=password").await.is(200).says("All your other sessions");
    assert!(other.get("/dashboard/account").await.header("location").contains("sign-in"));
    // The first form has replaced the token of the session. The repeated form still has the old token, so it leads to
    // the sign-in page, and the response does not contain the new token.
    let led = twice.submit(&page, "/dashboard/password", &fields).await;
    led.leads_to("/dashboard/sign-in?next=%2Fdashboard%2Fpassword");
    assert_eq!(twice.cookies["receptionist"], before);
    let mut new = server.browser();
    let page = new.get("/dashboard/sign-in").await;
    let fields = [("email", "ada@example.com"), ("password", PASSWORD)];
    new.submit(&page, "/dashboard/sign-in", &fields).await.leads_to("/dashboard");
}

#[tokio::test]
async fn after_15_minutes_the_current_password_is_required() {
    let server = Server::open().await;
    let salon = server.business("Salon Zoé").await;
    let ada = server.person(&salon, "ada@example.com", "owner").await;
    let mut browser = server.with_password(&salon, &ada, PASSWORD).await;
    server.clock.advance(15 * 60);
    let page = browser.get("/dashboard/password").await;
    let new =
        [("password", "staple battery horse correct"), ("password_again", "staple battery horse correct")];
    browser.submit(&page, "/dashboard/password", &new).await.is(422).says("Confirm your password first.");
    let with = |current: &'static str| [("current_password", current), new[0], new[1]];
    browser
        .submit(&page, "/dashboard/password", &with("wrong"))
        .await
        .is(422)
        .says("That is not your password.");
    let done = browser.submit(&page, "/dashboard/password", &with(PASSWORD)).await;
    done.leads_to("/dashboard/account?done=password");
}
