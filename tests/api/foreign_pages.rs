//! Tests that the booking page, the manage links and the forms of one business never reach the data of
//! another business.

use domain::Actor;
use engine::business::Request;
use engine::business::commands::customers::MintLink;
use serde_json::{Value, json};

use crate::harness::{Answer, Salon, Server, id};

const AT: &str = "2026-03-03T09:00:00Z";
const LATER: &str = "2026-03-03T10:00:00Z";

/// A salon with an enabled booking page.
struct Shop {
    salon: Salon,
    slug: &'static str,
}

impl Shop {
    async fn open(server: &Server, slug: &'static str) -> Self {
        let salon = server.salon().await;
        let page = json!({ "enabled": true, "slug": slug, "origins": ["https://example.com"] });
        salon.operator.patch("/website", &page).await.data();
        Self { salon, slug }
    }

    fn path(&self) -> String {
        format!("/book/{}", self.slug)
    }

    /// The form id on the booking page.
    async fn form_id(&self, server: &Server) -> String {
        let path = format!("{}?service={}&date=2026-03-03&time={AT}", self.path(), self.salon.cut);
        form_id(&server.root().get(&path).await)
    }

    /// A booking form. `changes` replaces the values of its fields.
    fn form(&self, form_id: &str, changes: &[(&str, &str)]) -> String {
        let mut fields = vec![
            ("service_id", &*self.salon.cut),
            ("starts_at", AT),
            ("name", "Ada"),
            ("phone", "+33612345678"),
            ("form_id", form_id),
            ("leave_empty", ""),
        ];
        fields.retain(|(name, _)| !changes.iter().any(|(changed, _)| changed == name));
        form(&[&fields, changes].concat())
    }

    /// Books an appointment and returns the path of its manage page.
    async fn book(&self, server: &Server) -> String {
        let booked = post(server, &self.path(), &self.form(&self.form_id(server).await, &[])).await;
        booked.is(303).header("location").to_owned()
    }

    /// The appointments as the operator sees them.
    async fn appointments(&self) -> Vec<Value> {
        self.salon.operator.all("/appointments").await
    }
}

fn form(fields: &[(&str, &str)]) -> String {
    let encoded = |(name, value): &(&str, &str)| format!("{name}={}", crate::harness::encoded(value));
    fields.iter().map(encoded).collect::<Vec<_>>().join("&")
}

async fn post(server: &Server, path: &str, form: &str) -> Answer {
    let call = server.root().call("POST", path).bytes(form.to_owned());
    call.header("content-type", "application/x-www-form-urlencoded").await
}

fn form_id(page: &Answer) -> String {
    let html = String::from_utf8_lossy(&page.is(200).bytes).into_owned();
    let (_, rest) = html.split_once("name=\"form_id\" value=\"").unwrap_or_else(|| panic!("{page}"));
    rest.split_once('"').unwrap().0.to_owned()
}

#[tokio::test]
async fn a_manage_link_names_one_appointment_of_one_business() {
    let server = Server::open().await;
    let (one, two) = (Shop::open(&server, "one").await, Shop::open(&server, "two").await);
    let (link, other) = (one.book(&server).await, two.book(&server).await);
    let before = (one.appointments().await, two.appointments().await);
    let (of_one, random) = link.split_once('.').unwrap();
    let (of_two, _) = other.split_once('.').unwrap();
    let (foreign, unknown) = (format!("{of_two}.{random}"), format!("{of_one}.{}", "A".repeat(22)));
    let id = form_id(&server.root().get(&link).await);
    let change = form(&[("starts_at", LATER), ("expected_starts_at", AT), ("form_id", &id)]);
    for page in ["", "/move", "/appointment.ics", "/unsubscribe"] {
        let [foreign, unknown] = [&foreign, &unknown].map(|link| format!("{link}{page}"));
        let (foreign, unknown) = (server.root().get(&foreign).await, server.root().get(&unknown).await);
        assert_eq!((foreign.is(404).status, &foreign.bytes), (unknown.status, &unknown.bytes), "{foreign}");
    }
    for page in ["/move", "/cancel", "/unsubscribe"] {
        let [foreign, unknown] = [&foreign, &unknown].map(|link| format!("{link}{page}"));
        let (foreign, unknown) =
            (post(&server, &foreign, &change).await, post(&server, &unknown, &change).await);
        assert_eq!((foreign.is(404).status, &foreign.bytes), (unknown.status, &unknown.bytes), "{foreign}");
    }
    // The frame page of a business accepts only tokens of manage links of this business.
    let token = link.rsplit('/').next().unwrap();
    server.root().get(&format!("/book/one/frame/done/{token}")).await.is(200);
    server.root().get(&format!("/book/two/frame/done/{token}")).await.is(404);
    assert_eq!((one.appointments().await, two.appointments().await), before);
    // With the right link in the path, the same form moves the appointment.
    post(&server, &format!("{link}/move"), &change).await.is(303);
    assert_eq!(two.appointments().await, before.1);
}

#[tokio::test]
async fn a_form_has_an_effect_only_at_the_page_that_issued_it() {
    let server = Server::open().await;
    let (one, two) = (Shop::open(&server, "one").await, Shop::open(&server, "two").await);
    let (of_one, of_two) = (one.form_id(&server).await, two.form_id(&server).await);
    post(&server, &two.path(), &two.form(&of_one, &[])).await.is(409);
    for (field, foreign) in [("service_id", &one.salon.cut), ("staff_id", &one.salon.anna)] {
        post(&server, &two.path(), &two.form(&of_two, &[(field, foreign)])).await.is(422);
    }
    assert_eq!((one.appointments().await, two.appointments().await), (vec![], vec![]));
    let (first, second) = (one.book(&server).await, two.book(&server).await);
    let before = two.appointments().await;
    let id_of_first = form_id(&server.root().get(&first).await);
    let cancel = form(&[("expected_starts_at", AT), ("form_id", &id_of_first)]);
    post(&server, &format!("{second}/cancel"), &cancel).await.is(409);
    assert_eq!(two.appointments().await, before);
    let [booked] = &one.appointments().await[..] else {
        panic!("the first business must have one appointment")
    };
    assert_eq!(booked["contact_id"], one.salon.get("/contacts").await.list()[0]["id"]);
    assert_ne!(id(booked), id(&before[0]));
}

#[tokio::test]
async fn a_slug_leads_to_the_page_of_its_owner_only() {
    let server = Server::open().await;
    let (one, two) = (Shop::open(&server, "one").await, Shop::open(&server, "two").await);
    let link = one.book(&server).await;
    let taken = two.salon.operator.patch("/website", &json!({ "slug": "one" })).await;
    taken.fails(409, "conflict");
    assert!(!String::from_utf8_lossy(&taken.bytes).contains(&one.salon.id), "{taken}");
    one.salon.operator.patch("/website", &json!({ "slug": "moved" })).await.data();
    // The former slug stays reserved for its business, and that business's manage links keep working.
    server.root().get("/book/one").await.is(404);
    two.salon.operator.patch("/website", &json!({ "slug": "one" })).await.fails(409, "conflict");
    server.root().get("/book/moved").await.is(200);
    server.root().get(&link).await.is(200);
}

#[tokio::test]
async fn a_link_in_a_mail_stops_the_mails_of_its_business_only() {
    let server = Server::open().await;
    let (one, two) = (Shop::open(&server, "one").await, Shop::open(&server, "two").await);
    let mut links = Vec::new();
    for shop in [&one, &two] {
        let changes = [("phone", ""), ("email", "ada@example.com")];
        let booking = shop.form(&shop.form_id(&server).await, &changes);
        post(&server, &shop.path(), &booking).await.is(303);
        let appointment_id = id(&shop.appointments().await[0]).parse().unwrap();
        let mint = MintLink { appointment_id, to: Some("ada@example.com".into()) };
        let business = server.engine().business(shop.salon.id.parse().unwrap());
        let token = business.change(Request::by(Actor::System), mint).await.unwrap().value.token;
        links.push(format!("/book/manage/{token}/unsubscribe"));
    }
    let consent = async |shop: &Shop| {
        let contact = shop.salon.operator.all("/contacts").await.remove(0);
        let path = format!("/contacts/{}/consent", id(&contact));
        shop.salon.operator.get(&path).await.data()["email"].clone()
    };
    let ((_, random), (of_two, _)) = (links[0].split_once('.').unwrap(), links[1].split_once('.').unwrap());
    let foreign = format!("{of_two}.{random}");
    server.root().get(&foreign).await.is(404);
    post(&server, &foreign, "what=all").await.is(404);
    assert_eq!((consent(&one).await, consent(&two).await), (json!("all"), json!("all")));
    post(&server, &links[0], "what=all").await.is(200);
    assert_eq!((consent(&one).await, consent(&two).await), (json!("none"), json!("all")));
}
