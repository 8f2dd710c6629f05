//! Tests of the page after the sign-in, of invitations, and of a suspended business. The data of a suspended business
//! can be read but not changed.

use serde_json::json;

use crate::harness::{PASSWORD, Server};

#[tokio::test]
async fn an_invited_person_accepts_the_membership() {
    let server = Server::open().await;
    let [salon, barber] = [server.business("Salon Zoé").await, server.business("Barbier").await];
    let ada = server.person(&salon, "ada@example.com", "owner").await;
    let mut browser = server.signed_in(&salon, &ada).await;
    server.invited(&barber, "ada@example.com", "admin").await;
    let today = format!("/dashboard/b/{barber}/today");
    browser.get(&today).await.is(404);
    let page = browser.get("/dashboard").await.is(200).says("Barbier invites you").says("Role: Admin");
    browser.submit(&page, &format!("/dashboard/accept/{barber}"), &[]).await.leads_to(&today);
    let page = browser.get(&today).await.is(200).says("Barbier");
    assert!(
        page.body.contains(&format!("/dashboard/b/{salon}/today")),
        "the page must link to the other business"
    );
}

#[tokio::test]
async fn a_declined_membership_is_removed_for_both_sides() {
    let server = Server::open().await;
    let [salon, barber] = [server.business("Salon Zoé").await, server.business("Barbier").await];
    let ada = server.person(&salon, "ada@example.com", "owner").await;
    let mut browser = server.signed_in(&salon, &ada).await;
    server.invited(&barber, "ada@example.com", "admin").await;
    let page = browser.get("/dashboard").await.says("Barbier invites you").says("Decline Barbier");
    let mut second = browser.clone();
    let decline = format!("/dashboard/decline/{barber}");
    browser.submit(&page, &decline, &[]).await.leads_to("/dashboard");
    second.submit(&page, &decline, &[]).await.leads_to("/dashboard");
    // Ada now has one business and no invitation, so the start page redirects to the page of this business.
    browser.get("/dashboard").await.leads_to(&format!("/dashboard/b/{salon}/today"));
    let people =
        server.operator("GET", &format!("/businesses/{barber}/people"), serde_json::Value::Null).await;
    assert_eq!(people.as_array().map(Vec::len), Some(0), "{people}");
    browser.submit(&page, &format!("/dashboard/accept/{barber}"), &[]).await.is(404);
    server.invited(&barber, "ada@example.com", "member").await;
    let page = browser.get("/dashboard").await.says("Barbier invites you").says("Role: Member");
    browser.submit(&page, &format!("/dashboard/accept/{barber}"), &[]).await.is(303);
    browser.submit(&page, &decline, &[]).await.is(409).says("The invitation is no longer open");
}

#[tokio::test]
async fn an_invitation_into_a_suspended_business_is_accepted_once_the_business_is_resumed() {
    let server = Server::open().await;
    let salon = server.business("Salon Zoé").await;
    let ada = server.invited(&salon, "ada@example.com", "member").await;
    let link = ada.link.strip_prefix(&server.origin()).unwrap().to_owned();
    let path = format!("/businesses/{salon}");
    server.operator("PATCH", &path, json!({ "suspended": true })).await;
    let mut browser = server.browser();
    let page = browser.get(&link).await;
    browser.submit(&page, &link, &[]).await.leads_to("/dashboard/password");
    let page = browser.get("/dashboard/password").await;
    let fields = [("password", PASSWORD), ("password_again", PASSWORD)];
    browser.submit(&page, "/dashboard/password", &fields).await.leads_to("/dashboard");
    let page = browser.get("/dashboard").await.is(200).says("Salon Zoé invites you");
    let accept = format!("/dashboard/accept/{salon}");
    browser.submit(&page, &accept, &[]).await.is(403).says("This business is suspended");
    server.operator("PATCH", &path, json!({ "suspended": false })).await;
    browser.submit(&page, &accept, &[]).await.is(303);
    browser.get(&format!("/dashboard/b/{salon}/today")).await.is(200);
}

#[tokio::test]
async fn a_suspended_business_can_be_read_and_not_changed() {
    let server = Server::open().await;
    let [salon, barber] = [server.business("Salon Zoé").await, server.business("Barbier").await];
    let ada = server.person(&salon, "ada@example.com", "owner").await;
    let mut browser = server.signed_in(&salon, &ada).await;
    server.invited(&barber, "ada@example.com", "owner").await;
    let page = browser.get("/dashboard").await;
    for business in [&salon, &barber] {
        server.operator("PATCH", &format!("/businesses/{business}"), json!({ "suspended": true })).await;
    }
    browser.get(&format!("/dashboard/b/{salon}/today")).await.is(200).says("This business is suspended");
    browser.submit(&page, &format!("/dashboard/accept/{barber}"), &[]).await.is(403).says("suspended");
    // After the suspension has ended, the same form can be sent again, and is accepted.
    server.operator("PATCH", &format!("/businesses/{barber}"), json!({ "suspended": false })).await;
    browser.submit(&page, &format!("/dashboard/accept/{barber}"), &[]).await.is(303);
}

#[tokio::test]
async fn today_shows_the_appointments_of_the_day_in_the_order_of_time() {
    let server = Server::open().await;
    let salon = server.business("Salon Zoé").await;
    let ada = server.person(&salon, "ada@example.com", "member").await;
    let mut browser = server.signed_in(&salon, &ada).await;
    let today = format!("/dashboard/b/{salon}/today");
    browser.get(&today).await.is(200).says("Monday 2 March").says("The day is empty");
    let base = format!("/businesses/{salon}");
    let cut = server.offers(&salon, ("Cut", 30), "Anna").await;
    for (name, phone, starts_at) in [
        ("Late", "+33612345671", "2026-03-02T14:00:00Z"),
        ("Early", "+33612345672", "2026-03-02T09:00:00Z"),
        ("Tomorrow", "+33612345673", "2026-03-03T09:00:00Z"),
        ("Gone", "+33612345674", "2026-03-02T10:00:00Z"),
    ] {
        let contact = json!({ "name": name, "phone": phone });
        let booking = json!({ "service_id": cut, "starts_at": starts_at, "contact": contact });
        let booked = server.operator("POST", &format!("{base}/appointments"), booking).await;
        if name == "Gone" {
            let path = format!("{base}/appointments/{}/cancel", booked["id"].as_str().unwrap());
            server.operator("POST", &path, serde_json::Value::Null).await;
        }
    }
    let page = browser.get(&today).await.says("2 appointments").says("10:00 Early Cut, 30 min");
    let text = page.text();
    assert!(text.find("Early").unwrap() < text.find("15:00 Late").unwrap(), "{text}");
    assert!(!text.contains("Tomorrow") && !text.contains("Gone"), "{text}");
}
