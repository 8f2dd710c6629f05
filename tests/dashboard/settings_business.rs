//! Tests of the page of a business's profile: changes, refused changes, conflicts between two versions, and
//! members, who can only read the profile.

use serde_json::{Value, json};

use crate::harness::Server;

async fn open() -> (Server, String, String) {
    let server = Server::open().await;
    let salon = server.business("Salon Zoé").await;
    let path = format!("/dashboard/b/{salon}/settings/business");
    (server, salon, path)
}

#[tokio::test]
async fn the_whole_profile_is_changed_on_its_page() {
    let (server, salon, path) = open().await;
    let ada = server.person(&salon, "ada@example.com", "admin").await;
    let mut browser = server.signed_in(&salon, &ada).await;
    let page = browser.get(&path).await.is(200);
    assert_eq!(
        (page.field(&path, "name"), page.field(&path, "timezone")),
        ("Salon Zoé".into(), "Europe/Paris".into())
    );
    let fields = [
        ("name", " Salon Ada "),
        ("locale", "fr"),
        ("timezone", "America/Montreal"),
        ("website_url", "https://salon.example/a?b=c"),
        ("booking_mode", "request"),
        ("phone_region", "CA"),
        ("customer_word", "patient"),
    ];
    browser.submit(&page, &path, &fields).await.leads_to(&format!("{path}?done=zone"));
    let page = browser.get(&format!("{path}?done=zone")).await.is(200).says("Saved.").says("Salon Ada");
    let business = server.operator("GET", &format!("/businesses/{salon}"), Value::Null).await;
    for (name, value) in fields {
        assert_eq!(business[name], value.trim(), "{name}");
        assert_eq!(page.field(&path, name), value.trim(), "{name}");
    }
    // The pages use the word for customers that was selected in the form.
    browser.get(&format!("/dashboard/b/{salon}/settings/notices")).await.is(200).says("Notices to patients");
    // This form removes the website and keeps the time zone, so the page reports `saved` and not `zone`.
    browser.submit(&page, &path, &[("website_url", "")]).await.leads_to(&format!("{path}?done=saved"));
    let business = server.operator("GET", &format!("/businesses/{salon}"), Value::Null).await;
    assert_eq!(business["website_url"], Value::Null);
    let log = server.operator("GET", &format!("/businesses/{salon}/audit"), Value::Null).await;
    assert_eq!(log[0]["actor"], json!({ "type": "person", "id": ada.id }));
}

#[tokio::test]
async fn a_refused_profile_keeps_its_input_and_shows_each_problem_at_its_field() {
    let (server, salon, path) = open().await;
    let ada = server.person(&salon, "ada@example.com", "owner").await;
    let mut browser = server.signed_in(&salon, &ada).await;
    let page = browser.get(&path).await;
    let hostile = "javascript:alert(1)";
    let fields =
        [("name", ""), ("website_url", hostile), ("booking_mode", "never"), ("timezone", "Mars/Base")];
    let page = browser.submit(&page, &path, &fields).await.is(422);
    let page = page.says("Nothing is saved yet").says("It must have 1 to 200 characters.");
    let page = page
        .says("It must be a whole address that begins with https:// or http://.")
        .says("It must be the name of a time zone such as Europe/Paris.");
    assert_eq!(page.field(&path, "website_url"), hostile);
    for id in ["name-problem", "website_url-problem", "timezone-problem", "booking_mode-problem"] {
        assert!(page.tags().iter().any(|tag| tag.get("id") == Some(id)), "{id}");
    }
    let business = server.operator("GET", &format!("/businesses/{salon}"), Value::Null).await;
    assert_eq!(business["name"], "Salon Zoé");
    // The person corrects the input and sends the form again. Now it is accepted.
    let fields = [("name", "Z"), ("website_url", ""), ("booking_mode", "off"), ("timezone", "Europe/Paris")];
    browser.submit(&page, &path, &fields).await.leads_to(&format!("{path}?done=saved"));
}

#[tokio::test]
async fn a_conflict_between_two_profile_changes_shows_both_versions() {
    let (server, salon, path) = open().await;
    let ada = server.person(&salon, "ada@example.com", "owner").await;
    let bob = server.person(&salon, "bob@example.com", "admin").await;
    let (mut adas, mut bobs) = (server.signed_in(&salon, &ada).await, server.signed_in(&salon, &bob).await);
    let (first, second) = (adas.get(&path).await, bobs.get(&path).await);
    adas.submit(&first, &path, &[("name", "Ada’s")]).await.is(303);
    let page = bobs.submit(&second, &path, &[("name", "Bob’s")]).await.is(409);
    let page =
        page.says("Another person has changed these values").says("Your version").says("Saved version");
    let marks: Vec<_> =
        page.tags().windows(2).filter(|two| two[0].name == "mark").map(|two| two[1].text.clone()).collect();
    assert_eq!(marks, ["Bob’s", "Ada’s"]);
    assert_eq!(page.field(&path, "name"), "Bob’s");
    bobs.submit(&page, &path, &[]).await.leads_to(&format!("{path}?done=saved"));
    assert_eq!(adas.get(&path).await.field(&path, "name"), "Bob’s");
}

#[tokio::test]
async fn a_change_of_the_time_zone_reports_appointments_outside_the_hours() {
    let (server, salon, path) = open().await;
    let ada = server.person(&salon, "ada@example.com", "owner").await;
    let mut browser = server.signed_in(&salon, &ada).await;
    let booked = crate::settings_hours::booked(&server, &salon, "2026-03-02T09:00:00Z").await;
    let page = browser.get(&path).await;
    let led = browser.submit(&page, &path, &[("timezone", "America/New_York")]).await.is(303);
    let page =
        browser.get(led.header("location")).await.says("One upcoming appointment is outside the hours.");
    let way = format!("/dashboard/b/{salon}/appointments/{booked}");
    assert!(page.tags().iter().any(|tag| tag.get("href") == Some(&way)));
}

#[tokio::test]
async fn a_member_sees_the_profile_without_a_form() {
    let (server, salon, path) = open().await;
    let mia = server.person(&salon, "mia@example.com", "member").await;
    let ada = server.person(&salon, "ada@example.com", "owner").await;
    let site = json!({ "website_url": "https://salon.example" });
    server.operator("PATCH", &format!("/businesses/{salon}"), site).await;
    let mut browser = server.signed_in(&salon, &mia).await;
    let page =
        browser.get(&path).await.is(200).says("Salon Zoé").says("Confirmed immediately").says("France");
    // The URL must be shown as text, not as a link.
    assert!(page.text().contains("https://salon.example"));
    assert!(!page.forms().iter().any(|form| form.action == path));
    browser
        .post(&path, &[("form", &page.form("/dashboard/sign-out").fields[0].1), ("name", "x")])
        .await
        .is(403);
    let mut owner = server.signed_in(&salon, &ada).await;
    server.operator("PATCH", &format!("/businesses/{salon}"), json!({ "suspended": true })).await;
    let page = owner.get(&path).await.is(200).says("This business is suspended");
    assert!(!page.forms().iter().any(|form| form.action == path));
}

#[tokio::test]
async fn the_french_page_sorts_its_countries_by_their_french_names() {
    let (server, salon, path) = open().await;
    let zoe = server.person(&salon, "zoe@example.com", "owner").await;
    let mut browser = server.signed_in(&salon, &zoe).await;
    let page = browser.get("/dashboard/account").await;
    browser.submit(&page, "/dashboard/account", &[("locale", "fr")]).await.is(303);
    let page = browser
        .get(&path)
        .await
        .says("Établissement")
        .says("Langue des appelants")
        .says("Confirmation immédiate");
    let text = page.text();
    let (egypt, spain) = (text.find("Égypte").unwrap(), text.find("Espagne").unwrap());
    assert!(egypt < spain && text.find("Danemark").unwrap() < egypt);
    let page = browser.submit(&page, &path, &[("name", " ")]).await.is(422);
    page.says("Il faut de 1 à 200 caractères.");
}
