//! Tests of the audit log in the dashboard: its entries as sentences, its filters and its pages.

use serde_json::json;

use crate::harness::{Browser, Page, Server};

async fn salon(server: &Server) -> (String, String, Browser) {
    let salon = server.business("Salon Zoé").await;
    let ada = server.person(&salon, "ada@example.com", "owner").await;
    let browser = server.signed_in(&salon, &ada).await;
    let path = format!("/dashboard/b/{salon}/settings/audit");
    (salon, path, browser)
}

/// The number of audit entries on a page.
fn entries(page: &Page) -> usize {
    page.body.matches("<li><time").count()
}

/// The value of the option with this label, in a filter.
fn option(page: &Page, label: &str) -> String {
    let options = page.tags().into_iter().filter(|tag| tag.name == "option");
    let found = options.into_iter().find(|tag| tag.text == label);
    found.unwrap_or_else(|| panic!("no option has the label {label}")).get("value").unwrap().to_owned()
}

#[tokio::test]
async fn entries_are_shown_in_words_and_can_be_filtered() {
    let server = Server::open().await;
    let (salon, path, mut browser) = salon(&server).await;
    let made = browser.get(&format!("/dashboard/b/{salon}/settings/keys/new")).await;
    let new = format!("/dashboard/b/{salon}/settings/keys/new");
    browser.submit(&made, &new, &[("name", "<i>Till</i>")]).await.is(200);
    server.clock.advance(24 * 60 * 60);
    let contact = json!({ "name": "Zoé <b>B</b>" });
    let contact = server.operator("POST", &format!("/businesses/{salon}/contacts"), contact).await;
    let id = contact["id"].as_str().unwrap();
    let renamed = json!({ "name": "Zoë" });
    server.operator("PATCH", &format!("/businesses/{salon}/contacts/{id}"), renamed).await;

    let page = browser.get(&path).await.is(200).says("Tuesday 3 March").says("Monday 2 March");
    let page =
        page.says("The operator of the service changed a contact").says("ada@example.com created an API key");
    let page = page.says("<i>Till</i>").says("Name Zoé <b>B</b> became → Zoë");
    let all = entries(&page);
    for (query, count) in [
        ("to=contact".to_owned(), 2),
        ("did=contact.updated".into(), 1),
        ("did=contact.updated&to=api_key".into(), 0),
        (format!("by={}", option(&page, "ada@example.com")), 1),
        (format!("id={id}"), 2),
        ("from=2026-03-03".into(), 2),
        ("until=2026-03-02".into(), all - 2),
        ("by=system".into(), 0),
        ("by=operator&to=contact".into(), 2),
    ] {
        let page = browser.get(&format!("{path}?{query}")).await.is(200);
        assert_eq!(entries(&page), count, "{query}");
        assert_eq!(page.text().contains("Nothing found"), count == 0, "{query}");
    }
    browser.get(&format!("{path}?from=x")).await.says("This date does not exist.");
    let form = browser.get("/dashboard/account").await;
    browser.submit(&form, "/dashboard/account", &[("locale", "fr")]).await.is(303);
    browser.get(&path).await.says("Mardi 3 mars").says("L’exploitant du service a modifié un contact");
}

#[tokio::test]
async fn a_long_log_has_pages() {
    let server = Server::open().await;
    let (salon, path, mut browser) = salon(&server).await;
    for number in 0..60 {
        let contact = json!({ "name": format!("Number {number}") });
        server.operator("POST", &format!("/businesses/{salon}/contacts"), contact).await;
    }
    let page = browser.get(&format!("{path}?to=contact")).await;
    assert_eq!(entries(&page), 50);
    let ways = page.tags().into_iter().filter_map(|tag| tag.get("href").map(str::to_owned));
    let older = ways.into_iter().find(|href| href.contains("after=")).unwrap();
    assert!(older.contains("to=contact"), "{older}");
    assert_eq!(entries(&browser.get(&older).await), 10);
}

#[tokio::test]
async fn changed_fields_and_their_values_are_in_the_language_of_the_page() {
    let server = Server::open().await;
    let (salon, path, mut browser) = salon(&server).await;
    let of = |rest: &str| format!("/businesses/{salon}{rest}");
    let hours = json!([{ "day": "monday", "open": "09:00", "close": "18:00" }]);
    let changed = json!({ "booking_mode": "request", "hours": hours });
    server.operator("PATCH", &of(""), changed).await;
    let people = server.operator("GET", &of("/people"), json!(null)).await;
    let notifications = of(&format!("/people/{}/notifications", people[0]["id"].as_str().unwrap()));
    let setting = json!({ "appointment_booked": { "email": "daily" } });
    server.operator("PATCH", &notifications, setting).await;
    server.operator("PUT", &of("/special-days/2026-12-25"), json!({ "closed": true })).await;
    let form = browser.get("/dashboard/account").await;
    browser.submit(&form, "/dashboard/account", &[("locale", "fr")]).await.is(303);
    let page = browser.get(&path).await.is(200).says("lundi 09:00–18:00").says("vendredi 25 décembre");
    let page = page.says("Alertes sur les rendez-vous pris Jamais, affiché ici");
    let page = page.says("Réservations Confirmation immédiate est devenu → Confirmation par l’équipe");
    let text = page.text();
    for technical in ["booking_mode", "request", "appointment_booked", "{", "2026-12-25"] {
        assert!(!text.contains(technical), "{technical}: {text}");
    }
}
