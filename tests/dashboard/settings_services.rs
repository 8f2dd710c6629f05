//! Tests of the pages for services: the forms to add, change, deactivate and delete services.

use serde_json::{Value, json};

use crate::harness::{Browser, Server};

async fn open() -> (Server, String, String, Browser) {
    let server = Server::open().await;
    let salon = server.business("Salon Zoé").await;
    let ada = server.person(&salon, "ada@example.com", "owner").await;
    let browser = server.signed_in(&salon, &ada).await;
    let path = format!("/dashboard/b/{salon}/settings/services");
    (server, salon, path, browser)
}

async fn services(server: &Server, salon: &str) -> Value {
    server.operator("GET", &format!("/businesses/{salon}/services"), Value::Null).await
}

#[tokio::test]
async fn a_service_with_every_property_is_added_and_changed() {
    let (server, salon, path, mut browser) = open().await;
    browser.get(&path).await.says("No services yet");
    let new = format!("{path}/new");
    let page = browser.get(&new).await.is(200).says("Add a service");
    assert_eq!(page.field(&new, "duration_minutes"), "30");
    let fields = [
        ("name", "Colour"),
        ("description", "Roots\r\nor all over"),
        ("duration_minutes", "90"),
        ("buffer_after_minutes", "15"),
        ("min_notice_minutes", "1440"),
        ("max_advance_days", "90"),
        ("price_cents", "65,5"),
        ("currency", "eur"),
    ];
    browser.submit(&page, &new, &fields).await.leads_to(&format!("{path}?done=added"));
    let service = services(&server, &salon).await[0].clone();
    for (name, value) in [
        ("name", json!("Colour")),
        ("duration_minutes", json!(90)),
        ("buffer_before_minutes", json!(0)),
        ("buffer_after_minutes", json!(15)),
        ("min_notice_minutes", json!(1440)),
        ("max_advance_days", json!(90)),
        ("price_cents", json!(6550)),
        ("currency", json!("EUR")),
        ("active", json!(true)),
    ] {
        assert_eq!(service[name], value, "{name}");
    }
    let page = browser.get(&format!("{path}?done=added")).await.says("Added.").says("90 min").says("€65.50");
    page.says("0, 15 min").says("1 day").says("No staff member yet").says("Not bookable");
    let own = format!("{path}/{}", service["id"].as_str().unwrap());
    let page =
        browser.get(&own).await.is(200).says("cannot be booked, because no active staff member offers it");
    assert_eq!(page.field(&own, "price_cents"), "65.50");
    let fields = [("name", "All colour"), ("price_cents", ""), ("currency", ""), ("max_advance_days", "")];
    let page = browser.submit(&page, &own, &fields).await.leads_to(&format!("{own}?done=saved"));
    let page = browser.get(page.header("location")).await.says("Saved.").says("All colour");
    let service = services(&server, &salon).await[0].clone();
    assert_eq!((&service["price_cents"], &service["max_advance_days"]), (&Value::Null, &Value::Null));
    assert_eq!(service["description"], "Roots\nor all over", "CR LF must be stored as LF");
    browser.submit_without(&page, &own, "active").await.is(303);
    assert_eq!(services(&server, &salon).await[0]["active"], false);
    browser.get(&path).await.says("Not offered");
    assert!(!browser.get(&own).await.text().contains("cannot be booked, because"));
}

#[tokio::test]
async fn a_refused_service_shows_each_problem_at_its_field() {
    let (server, salon, path, mut browser) = open().await;
    let new = format!("{path}/new");
    let page = browser.get(&new).await;
    let fields = [
        ("name", ""),
        ("duration_minutes", "4"),
        ("buffer_before_minutes", "-5"),
        ("buffer_after_minutes", "much"),
        ("price_cents", "45.505"),
        ("currency", "EURO"),
    ];
    let page = browser.submit(&page, &new, &fields).await.is(422);
    for (id, said) in [
        ("name", "It must have 1 to 200 characters."),
        ("duration_minutes", "It must be a whole number from 5 to 1,440."),
        ("buffer_before_minutes", "It must be a whole number from 0 to 240."),
        ("buffer_after_minutes", "It must be a whole number from 0 to 240."),
        ("price_cents", "It must be a price such as 45 or 45.50, 1,000,000 at most."),
        ("currency", "It must be three letters, such as EUR."),
    ] {
        let problem = format!("{id}-problem");
        let tag = page.tags().into_iter().find(|tag| tag.get("id") == Some(&problem));
        assert_eq!(tag.unwrap_or_else(|| panic!("{id}")).text, said);
    }
    assert_eq!(page.field(&new, "buffer_after_minutes"), "much");
    let fields = [
        ("name", "Cut"),
        ("duration_minutes", "45"),
        ("buffer_before_minutes", "0"),
        ("buffer_after_minutes", "0"),
        ("price_cents", "45"),
        ("currency", ""),
    ];
    let page = browser.submit(&page, &new, &fields).await.is(422).says("A price needs a currency.");
    assert_eq!(services(&server, &salon).await, json!([]));
    // If a form is sent twice, only one service is created.
    let fields = [("currency", "EUR")];
    browser.submit(&page, &new, &fields).await.is(303);
    browser.submit(&page, &new, &fields).await.is(303);
    assert_eq!(services(&server, &salon).await.as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn a_conflict_between_two_changes_of_a_service_shows_both_versions() {
    let (server, salon, path, mut browser) = open().await;
    let cut = json!({ "name": "Cut", "duration_minutes": 35 });
    let made = server.operator("POST", &format!("/businesses/{salon}/services"), cut).await;
    let id = made["id"].as_str().unwrap().to_owned();
    let own = format!("{path}/{id}");
    let page = browser.get(&own).await;
    server
        .operator(
            "PATCH",
            &format!("/businesses/{salon}/services/{id}"),
            json!({ "duration_minutes": 45, "min_notice_minutes": 90 }),
        )
        .await;
    let page = browser.submit(&page, &own, &[("duration_minutes", "50")]).await.is(409);
    let page = page.says("Your version").says("50 min").says("45 min").says("90 min before");
    // The options contain the current value, even if it is unusual.
    let again = browser.get(&own).await;
    assert_eq!(again.field(&own, "min_notice_minutes"), "90");
    browser.submit(&page, &own, &[]).await.is(303);
    assert_eq!(services(&server, &salon).await[0]["duration_minutes"], 50);
}

#[tokio::test]
async fn deactivating_a_service_shows_its_bookings_and_deleting_shows_its_references() {
    let (server, salon, path, mut browser) = open().await;
    let appointment = crate::settings_hours::booked(&server, &salon, "2026-03-02T09:00:00Z").await;
    let service = services(&server, &salon).await[0].clone();
    let own = format!("{path}/{}", service["id"].as_str().unwrap());
    let page = browser.get(&own).await.says("Inès");
    let led = browser.submit_without(&page, &own, "active").await.is(303);
    browser.get(led.header("location")).await.says("One upcoming appointment is outside");
    let delete = format!("{own}/delete");
    let page = browser.get(&delete).await.is(200).says("Delete Cut?").says("An appointment refers to it.");
    assert!(
        page.forms().iter().all(|form| form.action != delete),
        "a deletion that cannot succeed is not offered"
    );
    let page = page.says("Nothing was deleted.");
    let way = format!("/dashboard/b/{salon}/appointments/{appointment}");
    assert!(page.tags().iter().any(|tag| tag.get("href") == Some(&way)));
    let unused = json!({ "name": "Unused", "duration_minutes": 30 });
    let unused = server.operator("POST", &format!("/businesses/{salon}/services"), unused).await;
    let delete = format!("{path}/{}/delete", unused["id"].as_str().unwrap());
    let page = browser.get(&delete).await.says("The service is deleted permanently");
    let staff = server.operator("GET", &format!("/businesses/{salon}/staff"), Value::Null).await;
    let of_staff = format!("/businesses/{salon}/staff/{}", staff[0]["id"].as_str().unwrap());
    server.operator("PATCH", &of_staff, json!({ "service_ids": [service["id"], unused["id"]] })).await;
    let page = browser.submit(&page, &delete, &[]).await.is(409).says("A staff member offers this service.");
    assert!(
        page.tags().iter().any(|tag| tag.get("href").is_some_and(|way| way.contains("/settings/staff/")))
    );
    server.operator("PATCH", &of_staff, json!({ "service_ids": [service["id"]] })).await;
    let page = browser.get(&delete).await;
    browser.submit(&page, &delete, &[]).await.leads_to(&format!("{path}?done=deleted"));
    browser.get(&format!("{path}?done=deleted")).await.says("Deleted.");
    assert_eq!(services(&server, &salon).await.as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn a_long_list_has_pages_and_shows_names_as_text() {
    let (server, salon, path, mut browser) = open().await;
    let base = format!("/businesses/{salon}/services");
    let long = "W".repeat(200);
    for name in ["<script>alert(1)</script>", "javascript:alert(1)", "\u{202e}desrever", "שלום", &long] {
        let service = json!({ "name": name, "description": name, "duration_minutes": 30 });
        let made = server.operator("POST", &base, service).await;
        let page = browser.get(&format!("{path}/{}", made["id"].as_str().unwrap())).await.is(200);
        assert!(page.text().contains(name) || name.starts_with('\u{202e}'));
    }
    let page = browser.get(&path).await.is(200).says("<script>alert(1)</script>").says(&long);
    assert!(!page.body.contains("/settings/services?after="));
    for number in 0..50 {
        let service = json!({ "name": format!("Number {number}."), "duration_minutes": 30 });
        server.operator("POST", &base, service).await;
    }
    let page = browser.get(&path).await.says("Number 44.");
    assert!(!page.text().contains("Number 45."));
    let older = page.tags().into_iter().filter_map(|tag| tag.get("href").map(str::to_owned));
    let older = older.into_iter().find(|href| href.contains("?after=")).unwrap();
    browser.get(&older).await.says("Number 45.").says("Number 49.");
}

#[tokio::test]
async fn members_can_only_read_services() {
    let (server, salon, path, _) = open().await;
    crate::settings_hours::booked(&server, &salon, "2026-03-02T09:00:00Z").await;
    let mia = server.person(&salon, "mia@example.com", "member").await;
    let mut member = server.signed_in(&salon, &mia).await;
    let page = member.get(&path).await.says("Cut").says("60 min");
    assert!(!page.body.contains("/services/new"));
    let own = format!("{path}/{}", services(&server, &salon).await[0]["id"].as_str().unwrap());
    let page = member.get(&own).await.is(200).says("60 min").says("Status Offered").says("Inès");
    assert!(!page.body.contains("/delete") && !page.forms().iter().any(|form| form.action == own));
    let staff = server.operator("GET", &format!("/businesses/{salon}/staff"), Value::Null).await;
    let of_staff = format!("/businesses/{salon}/staff/{}", staff[0]["id"].as_str().unwrap());
    server.operator("PATCH", &of_staff, json!({ "service_ids": [] })).await;
    member.get(&own).await.says("Status Not bookable");
    member.get(&format!("{path}/new")).await.is(403).says("Your role can see this");
    member.get(&format!("{own}/delete")).await.is(403);
}

#[tokio::test]
async fn services_of_another_business_are_not_found() {
    let (server, salon, path, mut browser) = open().await;
    let other = server.business("Barbier").await;
    crate::settings_hours::booked(&server, &other, "2026-03-03T09:00:00Z").await;
    let service = services(&server, &other).await[0]["id"].as_str().unwrap().to_owned();
    let staff = server.operator("GET", &format!("/businesses/{other}/staff"), Value::Null).await;
    let staff = staff[0]["id"].as_str().unwrap().to_owned();
    let id = browser.get(&path).await.field("/dashboard/sign-out", "form");
    let at = |page: &str| format!("/dashboard/b/{salon}/settings/{page}");
    for page in [format!("services/{service}"), format!("staff/{staff}")] {
        for path in [at(&page), at(&format!("{page}/delete"))] {
            browser.get(&path).await.is(404);
            browser.post(&path, &[("form", &id), ("name", "Mine")]).await.is(404);
        }
    }
    browser
        .post(&at(&format!("staff/{staff}/time-off")), &[("form", &id), ("from", "2026-03-05")])
        .await
        .is(404);
    assert_eq!(services(&server, &other).await[0]["name"], "Cut");
}

#[tokio::test]
async fn who_offers_a_service_and_its_place_in_lists_are_set_on_its_page() {
    let (server, salon, path, mut browser) = open().await;
    let staff = async |name: &str| {
        let one = json!({ "name": name, "service_ids": [] });
        let made = server.operator("POST", &format!("/businesses/{salon}/staff"), one).await;
        made["id"].as_str().unwrap().to_owned()
    };
    let (ines, hugo) = (staff("Inès").await, staff("Hugo").await);
    let new = format!("{path}/new");
    let fields = [("name", "Cut"), ("duration_minutes", "45"), ("price_cents", "45"), ("currency", "EUR")];
    let page = browser.get(&new).await;
    browser.submit(&page, &new, &fields).await.is(303);
    // In the form for a new service, all staff members are selected, so all of them offer the service.
    browser.get(&path).await.says("Everybody");
    let own = format!("{path}/{}", services(&server, &salon).await[0]["id"].as_str().unwrap());
    let page = browser.get(&own).await;
    assert_eq!(
        browser.get(&new).await.field(&new, "currency"),
        "EUR",
        "the form must contain the currency of the other service"
    );
    let mut fields = page.form(&own).fields;
    fields.retain(|(name, value)| name != "staff_ids" || *value != hugo);
    for (name, value) in [("category", "Hair"), ("position", "2"), ("color", "3")] {
        fields.retain(|(field, _)| field != name);
        fields.push((name.to_owned(), value.to_owned()));
    }
    let fields: Vec<_> = fields.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    browser.post(&own, &fields).await.leads_to(&format!("{own}?done=offered"));
    let service = services(&server, &salon).await[0].clone();
    assert_eq!(
        (&service["category"], &service["position"], &service["color"]),
        (&json!("Hair"), &json!(2), &json!(3))
    );
    let offers = async |id: &str| {
        let staff = server.operator("GET", &format!("/businesses/{salon}/staff"), Value::Null).await;
        let one = staff.as_array().unwrap().iter().find(|one| one["id"] == id).unwrap().clone();
        one["service_ids"].clone()
    };
    assert_eq!((offers(&ines).await, offers(&hugo).await), (json!([service["id"]]), json!([])));
    let first = json!({ "name": "Advice", "duration_minutes": 15, "position": 1, "category": "Hair" });
    server.operator("POST", &format!("/businesses/{salon}/services"), first).await;
    let page = browser.get(&path).await.says("Hair").says("Inès");
    let text = page.text();
    assert!(text.find("Advice").unwrap() < text.find("Cut").unwrap(), "{text}");
}

/// Creates a business without hours and services in this region. Returns its id and the browser of its owner.
async fn new_business(server: &Server, region: &str) -> (String, Browser) {
    let business =
        json!({ "name": region, "timezone": "Europe/Paris", "phone_region": region, "locale": "fr" });
    let business = server.operator("POST", "/businesses", business).await["id"].as_str().unwrap().to_owned();
    let email = format!("{}@example.com", region.to_lowercase());
    let owner = server.person(&business, &email, "owner").await;
    let browser = server.signed_in(&business, &owner).await;
    (business, browser)
}

#[tokio::test]
async fn a_starting_set_creates_what_its_page_shows_in_a_business_without_services() {
    let server = Server::open().await;
    let (business, mut browser) = new_business(&server, "FR").await;
    let staff = json!({ "name": "Inès", "service_ids": [] });
    let staff = server.operator("POST", &format!("/businesses/{business}/staff"), staff).await;
    let path = format!("/dashboard/b/{business}/settings/services");
    let start = format!("{path}/start");
    for page in [path.clone(), format!("/dashboard/b/{business}/today")] {
        assert!(browser.get(&page).await.body.contains(&format!("href=\"{start}\"")), "{page}");
    }
    let page = browser
        .get(&start)
        .await
        .is(200)
        .says("Salon de coiffure")
        .says("Horaires Mardi à samedi, 09:00 – 18:00");
    let page = page.says("Cabinet dentaire").says("Détartrage").says("45 min").says("75 €").says("Patient");
    assert_eq!(services(&server, &business).await, json!([]), "the page creates nothing");
    browser.submit(&page, &start, &[("trade", "butcher")]).await.is(422);
    let page = browser.get(&start).await;
    let done = browser.submit(&page, &start, &[("trade", "dentist")]).await;
    done.leads_to(&format!("{path}?done=added"));

    let services = services(&server, &business).await;
    let services = services.as_array().unwrap();
    let one = services.iter().find(|one| one["name"] == "Détartrage").unwrap();
    assert_eq!((&one["duration_minutes"], &one["price_cents"]), (&json!(45), &json!(7_500)));
    assert!(services.len() == 5 && services.iter().all(|one| one["currency"] == "EUR"), "{services:?}");
    let profile = server.operator("GET", &format!("/businesses/{business}"), Value::Null).await;
    assert_eq!(profile["customer_word"], "patient");
    let days: Vec<_> = profile["hours"].as_array().unwrap().iter().map(|one| &one["day"]).collect();
    assert_eq!(days, ["monday", "tuesday", "wednesday", "thursday", "friday"]);
    let all = server.operator("GET", &format!("/businesses/{business}/staff"), Value::Null).await;
    assert_eq!(all[0]["id"], staff["id"]);
    assert_eq!(all[0]["service_ids"].as_array().unwrap().len(), 5, "every staff member offers the services");

    // After the first set of services was created, a second set is refused, and no page offers to create a set.
    let page = browser.get(&start).await.is(200).says("Cet établissement a déjà des actes");
    assert!(!page.forms().iter().any(|form| form.action == start));
    let id = browser.get("/dashboard/account").await.field("/dashboard/sign-out", "form");
    browser.post(&start, &[("form", &id), ("trade", "garage")]).await.is(409);
    assert!(!browser.get(&format!("/dashboard/b/{business}/today")).await.body.contains(&start));
    assert_eq!(self::services(&server, &business).await.as_array().unwrap().len(), 5);
}

#[tokio::test]
async fn a_starting_set_has_no_prices_if_the_currency_is_not_known_and_keeps_hours() {
    let server = Server::open().await;
    let (business, mut browser) = new_business(&server, "JP").await;
    let hours = json!({ "hours": [{ "day": "sunday", "open": "10:00", "close": "11:00" }] });
    server.operator("PATCH", &format!("/businesses/{business}"), hours).await;
    let start = format!("/dashboard/b/{business}/settings/services/start");
    let page = browser.get(&start).await.is(200);
    assert!(!page.text().contains('€') && !page.text().contains("Mardi – Samedi"), "{}", page.text());
    browser.submit(&page, &start, &[("trade", "garage")]).await.is(303);
    let services = services(&server, &business).await;
    assert!(services.as_array().unwrap().iter().all(|one| one["price_cents"].is_null()), "{services}");
    let profile = server.operator("GET", &format!("/businesses/{business}"), Value::Null).await;
    assert_eq!(profile["hours"].as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn services_and_staff_members_are_in_the_order_of_their_positions_across_pages() {
    let (server, salon, path, mut browser) = open().await;
    for number in 0..52 {
        // The records are created in the reverse order of their positions.
        let (position, category) = (52 - number, if number % 2 == 0 { "Hair" } else { "Skin" });
        let service = json!({ "name": format!("service {number}."), "duration_minutes": 30,
            "position": position, "category": category });
        server.operator("POST", &format!("/businesses/{salon}/services"), service).await;
        let staff = json!({ "name": format!("person {number}."), "position": position, "service_ids": [] });
        server.operator("POST", &format!("/businesses/{salon}/staff"), staff).await;
    }
    let page = browser.get(&path).await.is(200).says("service 51.").says("service 4.");
    let text = page.text();
    assert!(
        text.find("service 51.") < text.find("service 1.")
            && text.find("service 1.") < text.find("service 50.")
    );
    assert!(!text.contains("service 2.") && !text.contains("service 0."), "a page has 50 services");
    let page = browser.get(&page.link("after=")).await.is(200).says("service 2. ").says("service 0. ");
    assert!(!page.text().contains("service 4.") && !page.text().contains("Skin"), "{}", page.text());
    let page =
        browser.get(&path.replace("services", "staff")).await.is(200).says("person 51.").says("person 2.");
    assert!(!page.text().contains("person 1."), "a page has 50 staff members");
    browser.get(&page.link("after=")).await.is(200).says("person 1.").says("person 0.");
}
