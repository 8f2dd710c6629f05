//! Tests every route with every kind of client. The expected responses are in one table. The test fails if a
//! route has no row.

mod access;
mod day;
mod records;
mod settings;

use std::collections::BTreeSet;

use receptionist::service;

use crate::harness::{Browser, Page, Server};

/// The value in a row for a redirect to the sign-in page.
const SIGN_IN: u16 = 401;

/// A route, as its method and its path, and the expected statuses for an owner, an admin, a member, the owner of
/// another business, and a client without a session. The path of a request contains the id of an existing business. All
/// other ids and the tokens are invented. Forms are sent without fields.
type Row = (&'static str, &'static str, [u16; 5]);

fn rows() -> impl Iterator<Item = Row> {
    [DOORS, day::ROWS, records::ROWS, settings::ROWS, access::ROWS].into_iter().flatten().copied()
}

/// The rows for the routes that are not pages of a business, for example the sign-in page and the page of the account.
#[rustfmt::skip]
const DOORS: &[Row] = &[
    ("GET", "/dashboard/sign-in", [303, 303, 303, 303, 200]),
    ("POST", "/dashboard/sign-in", [422, 422, 422, 422, 422]),
    ("POST", "/dashboard/sign-out", [303, 303, 303, 303, 303]),
    ("GET", "/dashboard/forgotten", [200, 200, 200, 200, 200]),
    ("POST", "/dashboard/forgotten", [422, 422, 422, 422, 422]),
    ("GET", "/dashboard/enter/{token}", [410, 410, 410, 410, 410]),
    ("POST", "/dashboard/enter/{token}", [410, 410, 410, 410, 410]),
    ("GET", "/dashboard/unsubscribe/{token}", [410, 410, 410, 410, 410]),
    ("POST", "/dashboard/unsubscribe/{token}", [410, 410, 410, 410, 410]),
    ("GET", "/dashboard/password", [200, 200, 200, 200, SIGN_IN]),
    ("POST", "/dashboard/password", [422, 422, 422, 422, SIGN_IN]),
    ("GET", "/dashboard", [303, 303, 303, 303, SIGN_IN]),
    ("POST", "/dashboard/accept/{business_id}", [303, 303, 303, 404, SIGN_IN]),
    ("POST", "/dashboard/decline/{business_id}", [409, 409, 409, 404, SIGN_IN]),
    ("GET", "/dashboard/account", [200, 200, 200, 200, SIGN_IN]),
    ("POST", "/dashboard/account", [303, 303, 303, 303, SIGN_IN]),
    ("POST", "/dashboard/account/email", [422, 422, 422, 422, SIGN_IN]),
    ("GET", "/dashboard/account/sessions", [200, 200, 200, 200, SIGN_IN]),
    ("POST", "/dashboard/account/sessions", [303, 303, 303, 303, SIGN_IN]),
    ("POST", "/dashboard/account/sessions/{session_id}/end", [404, 404, 404, 404, SIGN_IN]),
];

/// An id that belongs to no record.
const MADE_UP: &str = "00000000-0000-7000-8000-000000000001";

/// In the statuses of a [`Row`], the index of the status for a client without a session.
const SIGNED_OUT: usize = 4;

/// Creates a salon with an owner, an admin and a member, and another business with an owner. Returns the salon's id and
/// five browsers: one for each of these people, and one without a session.
pub(crate) async fn everybody(server: &Server) -> (String, [Browser; 5]) {
    let salon = server.business("Salon Zoé").await;
    let other = server.business("Barbier").await;
    let mut browsers = Vec::new();
    for (business, email, role) in [
        (&salon, "owner@example.com", "owner"),
        (&salon, "admin@example.com", "admin"),
        (&salon, "member@example.com", "member"),
        (&other, "other@example.com", "owner"),
    ] {
        let person = server.person(business, email, role).await;
        browsers.push(server.signed_in(business, &person).await);
    }
    browsers.push(server.browser());
    (salon, browsers.try_into().unwrap_or_else(|_| panic!("there must be five clients")))
}

fn address(path: &str, salon: &str) -> String {
    let path = path.replace("{business_id}", salon).replace("{token}", &"A".repeat(43));
    let path = path.replace("{number}", "9").replace("{date}", "2027-01-01");
    // The path now contains the id of a real business. All other ids are made up.
    let parts = path.split('/').map(|part| if part.starts_with('{') { MADE_UP } else { part });
    parts.collect::<Vec<_>>().join("/")
}

fn status(page: &Page) -> u16 {
    if page.header("location").starts_with("/dashboard/sign-in?next=") { SIGN_IN } else { page.status }
}

/// A new valid form id, taken from a form that the browser can see. A form id can be used only once.
async fn form_id(browser: &mut Browser) -> String {
    let account = browser.get("/dashboard/account").await;
    match account.status {
        200 => account.field("/dashboard/sign-out", "form"),
        _ => browser.get("/dashboard/sign-in").await.field("/dashboard/sign-in", "form"),
    }
}

#[tokio::test]
async fn every_route_responds_to_every_client_as_in_the_table() {
    let table: BTreeSet<_> =
        service::pages().into_iter().map(|(method, path, _)| (method.to_string(), path.to_owned())).collect();
    let expected: BTreeSet<_> =
        rows().map(|(method, path, _)| (method.to_owned(), path.to_owned())).collect();
    assert_eq!(table, expected, "every route must have a row in this test's table");
    let server = Server::open().await;
    let (salon, browsers) = everybody(&server).await;
    for (method, path, statuses) in rows() {
        let address = address(path, &salon);
        for (who, expected) in statuses.into_iter().enumerate() {
            let mut browser = browsers[who].clone();
            server.clock.advance(1); // without a session, the number of forms per minute is limited
            let page = if path.ends_with("/stream") {
                browser.ask("HEAD", &address, &[], String::new()).await // the response has no end
            } else if method == "GET" {
                browser.get(&address).await
            } else if path == "/dashboard/sign-out" && who != SIGNED_OUT {
                continue; // this row would end the session that later rows need
            } else {
                let id = form_id(&mut browser).await;
                browser.post(&address, &[("form", &id)]).await
            };
            assert_eq!(status(&page), expected, "{method} {path} as {who}: {}", page.text());
            if method == "GET" {
                let head = browser.ask("HEAD", &address, &[], String::new()).await;
                assert_eq!((status(&head), head.body.as_str()), (expected, ""), "HEAD {path} as {who}");
            }
        }
    }
}

#[tokio::test]
async fn a_form_of_another_site_is_refused_except_for_one_click_unsubscribing() {
    let server = Server::open().await;
    let (salon, [mut owner, ..]) = everybody(&server).await;
    for (method, path, _) in rows().filter(|(method, ..)| *method == "POST") {
        for foreign in [
            [("sec-fetch-site", "cross-site"), ("origin", "https://evil.example")],
            [("sec-fetch-site", "same-site"), ("accept", "*/*")],
            [("origin", "https://evil.example"), ("accept", "*/*")],
            [("origin", "null"), ("accept", "*/*")],
        ] {
            let id = form_id(&mut owner).await;
            let page = owner.post_from(&address(path, &salon), &[("form", &id)], &foreign).await;
            if path.contains("unsubscribe") {
                page.is(410);
            } else {
                page.is(403).says("the form came from another site");
            }
            assert!(
                owner.get("/dashboard/account").await.status == 200,
                "{method} {path} of another site ended the session"
            );
        }
    }
}

#[tokio::test]
async fn an_unsupported_method_is_refused_and_the_url_of_a_form_redirects_to_its_page() {
    let server = Server::open().await;
    let (salon, [mut owner, ..]) = everybody(&server).await;
    for method in ["PUT", "PATCH", "DELETE"] {
        let page = owner.ask(method, "/dashboard/account", &[], String::new()).await.is(405);
        assert_eq!(page.header("allow"), "GET, HEAD, POST");
    }
    owner.get("/dashboard/account/email").await.leads_to("/dashboard/account");
    owner.get("/dashboard/account/sessions/x/end").await.leads_to("/dashboard/account/sessions");
    owner.get(&format!("/dashboard/accept/{salon}")).await.leads_to("/dashboard");
    owner.get(&format!("/dashboard/decline/{salon}")).await.leads_to("/dashboard");
    owner.get("/").await.leads_to("/dashboard");
    owner.get("/dashboard/").await.leads_to("/dashboard");
    for nowhere in ["/dashboard/nowhere", "/dashboard/b/x/today", "/dashboard/b", "/dashboard/%ff"] {
        owner.get(nowhere).await.is(404);
    }
}
