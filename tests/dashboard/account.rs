//! Tests of the page on which people change their own account.

use crate::harness::{PASSWORD, Server};

#[tokio::test]
async fn a_person_changes_their_own_name_language_and_colour_mode() {
    let server = Server::open().await;
    let salon = server.business("Salon Zoé").await;
    let ada = server.person(&salon, "ada@example.com", "member").await;
    let mut browser = server.signed_in(&salon, &ada).await;
    let send = [("name", "Ada L."), ("locale", "fr"), ("look", "dark")];
    let page = browser.get("/dashboard/account").await;
    browser.submit(&page, "/dashboard/account", &send).await.leads_to("/dashboard/account?done=saved");
    let page = browser.get("/dashboard/account?done=saved").await.is(200).says("Enregistré.").says("Ada L.");
    let html = page.tags().into_iter().find(|tag| tag.name == "html").unwrap();
    assert_eq!((html.get("lang"), html.get("data-theme")), (Some("fr"), Some("dark")));
    for (name, chosen) in [("name", "Ada L."), ("locale", "fr"), ("look", "dark")] {
        assert_eq!(page.field("/dashboard/account", name), chosen);
    }
    let back = [("name", "Ada L."), ("locale", "en"), ("look", "device")];
    browser.submit(&page, "/dashboard/account", &back).await.is(303);
    assert!(!browser.cookies.contains_key("theme"));
    let page = browser.get("/dashboard/account").await;
    let long = "x".repeat(201);
    let refused =
        browser.submit(&page, "/dashboard/account", &[("name", &long), ("look", "light")]).await.is(422);
    assert_eq!(
        refused.field("/dashboard/account", "name"),
        long,
        "the form must contain the value that was sent"
    );
    assert_eq!(refused.field("/dashboard/account", "look"), "light");
    refused.says("200 characters at most");
}

#[tokio::test]
async fn without_mail_a_new_email_is_used_immediately() {
    let server = Server::open().await;
    let salon = server.business("Salon Zoé").await;
    let ada = server.person(&salon, "ada@example.com", "member").await;
    server.person(&salon, "bob@example.com", "member").await;
    let mut browser = server.with_password(&salon, &ada, PASSWORD).await;
    let change = "/dashboard/account/email";
    for (email, status, says) in [
        ("", 422, "This field is required."),
        ("nobody", 422, "This is not an email"),
        ("ada@example.com", 422, "This is already your email."),
        ("Bob@example.com", 409, "Another account has this email."),
    ] {
        let page = browser.get("/dashboard/account").await;
        let refused = browser.submit(&page, change, &[("email", email)]).await.is(status).says(says);
        assert_eq!(refused.field(change, "email"), email, "the form must contain the value that was sent");
    }
    server.clock.advance(15 * 60);
    let page = browser.get("/dashboard/account").await;
    let fields = [("email", "ada@example.org"), ("current_password", "")];
    let page = browser.submit(&page, change, &fields).await.is(422).says("Confirm your password first.");
    let fields = [("email", "ada@example.org"), ("current_password", "wrong")];
    let page = browser.submit(&page, change, &fields).await.is(422).says("That is not your password.");
    let fields = [("email", "ada@example.org"), ("current_password", PASSWORD)];
    browser.submit(&page, change, &fields).await.leads_to("/dashboard/account?done=email");
    browser.get("/dashboard/account").await.says("ada@example.org");
    let mut new = server.browser();
    let page = new.get("/dashboard/sign-in").await;
    let fields = [("email", "ada@example.org"), ("password", PASSWORD)];
    new.submit(&page, "/dashboard/sign-in", &fields).await.leads_to("/dashboard");
}
