//! Tests of the Insights page, of the figures on a contact's page, and of the alphabetical list of contacts.

use serde_json::json;

use crate::harness::{Browser, Page, Server};

async fn salon(server: &Server, role: &str) -> (String, Browser, String) {
    let salon = server.business("Salon Zoé").await;
    server.operator("PATCH", &format!("/businesses/{salon}"), json!({ "phone_region": "FR" })).await;
    let ada = server.person(&salon, "ada@example.com", role).await;
    let browser = server.signed_in(&salon, &ada).await;
    let base = format!("/dashboard/b/{salon}");
    (salon, browser, base)
}

#[tokio::test]
async fn the_page_of_figures_has_charts_and_tables_with_the_same_figures() {
    let server = Server::open().await;
    let (salon, mut browser, base) = salon(&server, "owner").await;
    let service = server.offers(&salon, ("Colour", 30), "Océane").await;
    for (at, phone) in
        [("03T09:00", "+33661020305"), ("03T10:00", "+33661020306"), ("12T09:00", "+33661020305")]
    {
        let booking = json!({ "service_id": service, "starts_at": format!("2026-03-{at}:00Z"), "contact": { "phone": phone } });
        server.operator("POST", &format!("/businesses/{salon}/appointments"), booking).await;
    }
    let page = browser.get(&format!("{base}/insights?from=2026-03-02&to=2026-03-15&by=week")).await.is(200);
    let page = page
        .says("Bookings")
        .says("2 Mar 2 0 0")
        .says("9 Mar 1 0 0")
        .says("Total 3 0 0")
        .says("Océane 1 hour 30 minutes");
    let bars: Vec<_> =
        page.tags().into_iter().filter(|tag| tag.name == "rect" && tag.get("class") == Some("one")).collect();
    // The first two bars show the bookings of the two weeks, 2 and 1. The bar of the greatest value has the full
    // height.
    let heights: Vec<_> = bars.iter().take(2).map(|tag| tag.get("height").unwrap()).collect();
    assert_eq!(heights, ["140", "70"]);
    let page = browser.get(&format!("{base}/insights")).await.is(200);
    assert_eq!(
        page.tags().iter().filter(|tag| tag.name == "svg" && tag.get("class") == Some("chart")).count(),
        4
    );
    browser
        .get(&format!("{base}/insights?from=2026-03-02&to=2026-03-01"))
        .await
        .is(200)
        .says("must not be before the first");
    browser.get(&format!("{base}/insights?lang=fr&by=month")).await.is(200);
}

#[tokio::test]
async fn a_contacts_card_shows_visits_and_books_again() {
    let server = Server::open().await;
    let (salon, mut browser, base) = salon(&server, "owner").await;
    let service = server.offers(&salon, ("Colour", 30), "Océane").await;
    let path = |rest: &str| format!("/businesses/{salon}/{rest}");
    let nora = json!({ "name": "Nora Haddad", "phone": "+33661020304" });
    let nora = server.operator("POST", &path("contacts"), nora).await;
    let id = nora["id"].as_str().unwrap();
    let alert = json!({ "alert": "Allergic to <nuts>" });
    server.operator("PATCH", &path(&format!("contacts/{id}")), alert).await;
    let page = browser.get(&format!("{base}/contacts/{id}")).await.is(200);
    page.says("Allergic to <nuts>")
        .says("No upcoming appointments.")
        .says("No past appointments.")
        .says("Visits 0");
    for day in ["03", "05"] {
        let booking = json!({ "service_id": service, "starts_at": format!("2026-03-{day}T09:00:00Z"), "contact_id": id });
        server.operator("POST", &path("appointments"), booking).await;
    }
    let page = browser.get(&format!("{base}/contacts/{id}")).await.is(200);
    let page = page
        .says("Next visit 3 Mar 2026")
        .says("Last visit –")
        .says("Visits 2")
        .says("Service Colour")
        .says("Océane");
    let text = page.text();
    assert!(text.find("3 Mar 2026").unwrap() < text.find("5 Mar 2026").unwrap(), "{text}");
    let again = page.tags().into_iter().filter_map(|tag| tag.get("href").map(str::to_owned));
    let again = again.into_iter().find(|href| href.contains("/appointments/new?contact=")).unwrap();
    assert!(
        again.contains(id) && again.contains(&format!("service={service}")) && again.contains("staff="),
        "{again}"
    );
    let edit = format!("{base}/contacts/{id}/edit");
    let form = browser.get(&edit).await.is(200);
    assert_eq!(form.field(&edit, "alert"), "Allergic to <nuts>");
    browser.submit(&form, &edit, &[("alert", "")]).await.is(303);
    assert!(!browser.get(&format!("{base}/contacts/{id}")).await.text().contains("nuts"));
}

#[tokio::test]
async fn contacts_are_listed_from_a_to_z() {
    let server = Server::open().await;
    let (salon, mut browser, base) = salon(&server, "member").await;
    let mut names: Vec<String> = (0..60).map(|number| format!("Client {number:02}")).collect();
    names.extend(["Éric", "aaron", "Zoé", "O’Brien", "Oban"].map(str::to_owned));
    for name in &names {
        server.operator("POST", &format!("/businesses/{salon}/contacts"), json!({ "name": name })).await;
    }
    let shown = |page: &Page| {
        // The name of the business comes before the list, so the test searches only the text after the name.
        let text = page.text();
        let text = text.rsplit_once("Salon Zoé").unwrap().1.to_owned();
        let mut found: Vec<_> =
            names.iter().filter_map(|name| Some((text.find(name.as_str())?, name.clone()))).collect();
        found.sort();
        found.into_iter().map(|(_, name)| name).collect::<Vec<_>>()
    };
    let first = browser.get(&format!("{base}/contacts?order=name")).await.is(200);
    let older = first.tags().into_iter().filter_map(|tag| tag.get("href").map(str::to_owned));
    let older = older.into_iter().find(|href| href.contains("after=")).unwrap();
    let second = browser.get(&older).await.is(200);
    let mut expected: Vec<_> = (0..60).map(|number| format!("Client {number:02}")).collect();
    expected.insert(0, "aaron".into());
    expected.extend(["Éric", "Oban", "O’Brien", "Zoé"].map(str::to_owned));
    assert_eq!([shown(&first), shown(&second)].concat(), expected);
}
