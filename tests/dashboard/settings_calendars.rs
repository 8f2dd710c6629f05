//! Tests of the addresses from which calendar services fetch appointments. An address is shown once. A
//! member sees and creates addresses only for their own staff member.

use engine::calendars::feeds::FeedToken;
use serde_json::{Value, json};

use crate::harness::{Page, Server};

fn path(salon: &str) -> String {
    format!("/dashboard/b/{salon}/settings/calendars")
}

/// The address on the page that shows it after its creation.
fn address(page: &Page) -> String {
    page.tags().into_iter().find(|tag| tag.get("id") == Some("feed")).unwrap().text
}

async fn is_live(server: &Server, address: &str) -> bool {
    let token = address.rsplit('/').next().unwrap().strip_suffix(".ics").unwrap();
    server.engine().live_feed(&FeedToken::parse(token).unwrap()).await.unwrap().is_some()
}

/// The path to revoke the last address in a list.
fn revoke(page: &Page) -> String {
    let mut ways = page.tags().into_iter().filter_map(|tag| tag.get("href").map(str::to_owned));
    ways.rfind(|href| href.ends_with("/revoke")).unwrap()
}

async fn staff(server: &Server, salon: &str, name: &str) -> String {
    let body = json!({ "name": name, "service_ids": [] });
    let made = server.operator("POST", &format!("/businesses/{salon}/staff"), body).await;
    made["id"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn an_address_is_shown_once_and_works_until_it_is_revoked() {
    let server = Server::open().await;
    let salon = server.business("Salon Zoé").await;
    let anna = staff(&server, &salon, "Anna <b>").await;
    let ada = server.person(&salon, "ada@example.com", "admin").await;
    let (mut browser, path) = (server.signed_in(&salon, &ada).await, path(&salon));
    let page = browser.get(&path).await.is(200).says("No calendar addresses yet");
    let page = page.says("every 8 to 24 hours").says("The whole business").says("Anna <b>");
    assert_eq!(page.field(&path, "detail"), "services");
    let made = browser.submit(&page, &path, &[("staff_id", &anna), ("detail", "contacts")]).await.is(200);
    let address = address(&made);
    assert!(address.starts_with(&format!("{}/calendar/", server.origin())), "{address}");
    made.says("shown only once").says("Anna <b>").says("every 8 to 24 hours");
    assert!(is_live(&server, &address).await);
    // If the form is sent again, no second address is created, and the response is the same.
    let again = browser.submit(&page, &path, &[("staff_id", &anna), ("detail", "contacts")]).await.is(200);
    assert_eq!(self::address(&again), address);

    let list = browser.get(&path).await.says("Anna <b>").says("Contacts too").says("Never");
    let list = list.says("A member of the team");
    assert!(!list.body.contains(&address), "the address must not be shown again");
    let ask = browser.get(&revoke(&list)).await.is(200).says("This is permanent");
    browser.submit(&ask, &revoke(&list), &[]).await.leads_to(&format!("{path}?done=revoked"));
    assert!(!is_live(&server, &address).await);
    let list =
        browser.get(&format!("{path}?done=revoked")).await.says("The address is revoked").says("Revoked");
    assert!(!list.body.contains("/revoke"), "a revoked address must have no button to revoke it");
    browser.get(&ask.what[4..]).await.is(404);
}

#[tokio::test]
async fn a_member_has_only_the_addresses_of_their_own_staff_member() {
    let server = Server::open().await;
    let salon = server.business("Salon Zoé").await;
    let (anna, bea) = (staff(&server, &salon, "Anna").await, staff(&server, &salon, "Bea").await);
    let feeds = format!("/businesses/{salon}/feeds");
    let of_bea = server.operator("POST", &feeds, json!({ "staff_id": bea })).await;
    let bob = server.person(&salon, "bob@example.com", "member").await;
    let (mut browser, path) = (server.signed_in(&salon, &bob).await, path(&salon));
    let page = browser.get(&path).await.is(200).says("not linked to a staff member");
    assert!(!page.text().contains("Bea") && page.forms().iter().all(|form| form.action != path));
    let link = json!({ "staff_id": anna });
    server.operator("PATCH", &format!("/businesses/{salon}/people/{}", bob.id), link).await;
    let page = browser.get(&path).await.is(200).says("Anna");
    assert!(!page.text().contains("Bea") && !page.text().contains("The whole business"));
    let made = browser.submit(&page, &path, &[("staff_id", &anna), ("detail", "times")]).await.is(200);
    assert!(is_live(&server, &address(&made)).await);
    // The member's form offers neither another staff member nor the whole business, and the service refuses
    // both.
    let page = browser.get(&path).await;
    browser.submit(&page, &path, &[("staff_id", &bea), ("detail", "times")]).await.is(404);
    let page = browser.get(&path).await;
    browser.submit(&page, &path, &[("staff_id", ""), ("detail", "times")]).await.is(403);
    let others = format!("{path}/feeds/{}/revoke", of_bea["id"].as_str().unwrap());
    browser.get(&others).await.is(404);
    browser.post(&others, &[("form", &page.field(&path, "form"))]).await.is(404);
    // The operator disables the membership. This revokes the member's address, but not the address that the
    // operator has created.
    let off = json!({ "status": "disabled" });
    server.operator("PATCH", &format!("/businesses/{salon}/people/{}", bob.id), off).await;
    assert!(!is_live(&server, &address(&made)).await);
    let listed = server.operator("GET", &feeds, Value::Null).await;
    let revoked: Vec<_> = listed.as_array().unwrap().iter().map(|one| one["revoked_at"].is_null()).collect();
    assert_eq!(revoked, [true, false]);
}

#[tokio::test]
async fn a_refused_form_is_shown_again_also_in_french() {
    let server = Server::open().await;
    let salon = server.business("Salon Zoé").await;
    let feeds = format!("/businesses/{salon}/feeds");
    for _ in 0..10 {
        server.operator("POST", &feeds, json!({})).await;
    }
    let ada = server.person(&salon, "ada@example.com", "owner").await;
    let (mut browser, path) = (server.signed_in(&salon, &ada).await, path(&salon));
    let form = browser.get("/dashboard/account").await;
    browser.submit(&form, "/dashboard/account", &[("locale", "fr")]).await.is(303);
    let page = browser.get(&path).await.says("Adresses de calendrier").says("toutes les 8 à 24 heures");
    let refused = browser.submit(&page, &path, &[("staff_id", ""), ("detail", "times")]).await.is(409);
    assert_eq!(refused.says("10 adresses").field(&path, "detail"), "times");
}
