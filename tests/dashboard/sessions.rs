//! Tests of the list of a person's sessions, and of the buttons that end sessions.

use crate::harness::Server;

#[tokio::test]
async fn a_person_lists_and_ends_their_own_sessions() {
    let server = Server::open().await;
    let salon = server.business("Salon Zoé").await;
    let ada = server.person(&salon, "ada@example.com", "owner").await;
    let bob = server.person(&salon, "bob@example.com", "owner").await;
    let mut browser = server.signed_in(&salon, &ada).await;
    let mut others = Vec::new();
    for _ in 0..3 {
        others.push(server.signed_in(&salon, &ada).await);
    }
    let mut bobs = server.signed_in(&salon, &bob).await;
    let list = "/dashboard/account/sessions";
    let page = browser.get(list).await.is(200).says("This session").says("127.0.0.1");
    let ends: Vec<_> = page.forms().into_iter().filter(|form| form.action.ends_with("/end")).collect();
    assert_eq!(ends.len(), 3);
    let foreign = bobs.get(list).await;
    let id = foreign.field("/dashboard/sign-out", "form");
    bobs.post(&ends[0].action, &[("form", &id)]).await.is(404);
    browser.submit(&page, &ends[0].action, &[]).await.leads_to("/dashboard/account/sessions?done=ended");
    let page = browser.get(list).await;
    assert_eq!(page.forms().iter().filter(|form| form.action.ends_with("/end")).count(), 2);
    browser.submit(&page, list, &[]).await.leads_to("/dashboard/account/sessions?done=ended");
    for mut other in others {
        assert!(other.get(list).await.header("location").contains("sign-in"));
    }
    browser.get(list).await.is(200);
    bobs.get(list).await.is(200);
}

#[tokio::test]
async fn a_session_ends_after_7_days_without_use() {
    let server = Server::open().await;
    let salon = server.business("Salon Zoé").await;
    let ada = server.person(&salon, "ada@example.com", "owner").await;
    let mut browser = server.signed_in(&salon, &ada).await;
    server.clock.advance(7 * 24 * 60 * 60 - 1);
    browser.clone().get("/dashboard/account").await.is(200);
    server.clock.advance(1);
    assert!(browser.get("/dashboard/account").await.header("location").contains("sign-in"));
}

#[tokio::test]
async fn a_removed_member_loses_the_pages_of_this_business_immediately() {
    let server = Server::open().await;
    let [salon, barber] = [server.business("Salon Zoé").await, server.business("Barbier").await];
    let ada = server.person(&salon, "ada@example.com", "member").await;
    server.person(&barber, "ada@example.com", "member").await;
    let mut browser = server.signed_in(&salon, &ada).await;
    let today = |business: &str| format!("/dashboard/b/{business}/today");
    browser.get("/dashboard").await.is(200).says("Salon Zoé").says("Barbier");
    let path = format!("/businesses/{salon}/people/{}", ada.id);
    server.operator("PATCH", &path, serde_json::json!({ "status": "disabled" })).await;
    browser.get(&today(&salon)).await.is(404);
    browser.get(&today(&barber)).await.is(200);
    browser.get("/dashboard").await.leads_to(&today(&barber));
    server
        .operator("DELETE", &format!("/businesses/{barber}/people/{}", ada.id), serde_json::Value::Null)
        .await;
    browser.get(&today(&barber)).await.is(404);
    browser.get("/dashboard").await.is(200).says("You belong to no business").says("ada@example.com");
    browser.get("/dashboard/account").await.is(200);
}
