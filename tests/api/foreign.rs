//! Sends ids of another business to every route of both APIs. If the id is in the path, the response is a 404
//! error. If the id is in the body or query, the response names it as invalid. A filter with such an id is
//! accepted, and matches no records. The other business must not change.
//!
//! Two tests check that every route has a row in the table, and that the row names every id of its route.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use crate::harness::{Answer, Salon, Server, id, ids};
use crate::mail::relay;

const UNKNOWN: &str = "018f0000-0000-7000-8000-000000000000";

/// The base paths of the two APIs, as in their tables of routes.
const PUBLIC: &str = "/v1";
const OPERATOR: &str = "/admin/v1/businesses/{business_id}";

/// A request to one route. `path` is the path of the route. Each id in `path`, `query` and `body` is a placeholder such
/// as `{service_id}`.
struct Row {
    base: &'static str,
    method: &'static str,
    path: &'static str,
    query: &'static str,
    body: &'static str,
}

/// The rows of the public API come before those of the operator API. Deletions come last.
#[rustfmt::skip] // one row, one line
fn rows() -> Vec<Row> {
    let row = |base, method, path, query, body| Row { base, method, path, query, body };
    let public = |method, path, query, body| row(PUBLIC, method, path, query, body);
    let operator = |method, path, query, body| row(OPERATOR, method, path, query, body);
    vec![
        public("GET", "/me", "", ""),
        public("GET", "/business", "", ""),
        public("PATCH", "/business", "", r#"{"name":"B"}"#),
        public("GET", "/services", "", ""),
        public("GET", "/staff", "", ""),
        public("GET", "/availability", "service_id={service_id}&staff_id={staff_id}&start_date=2026-03-05", ""),
        public("GET", "/appointments", "service_id={service_id}&staff_id={staff_id}&contact_id={contact_id}", ""),
        public("POST", "/appointments", "", r#"{"service_id":"{service_id}","staff_id":"{staff_id}",
            "contact_id":"{contact_id}","starts_at":"2026-03-04T09:00:00Z"}"#),
        public("GET", "/appointments/{appointment_id}", "", ""),
        public("POST", "/appointments/{appointment_id}/reschedule", "",
            r#"{"starts_at":"2026-03-04T11:00:00Z","staff_id":"{staff_id}"}"#),
        public("POST", "/appointments/{appointment_id}/cancel", "", ""),
        public("GET", "/contacts", "", ""),
        public("POST", "/contacts", "", r#"{"name":"B"}"#),
        public("GET", "/contacts/{contact_id}", "", ""),
        public("PATCH", "/contacts/{contact_id}", "", r#"{"name":"B"}"#),
        public("GET", "/calls", "contact_id={contact_id}", ""),
        public("GET", "/calls/{call_id}", "", ""),
        public("GET", "/messages", "call_id={call_id}&contact_id={contact_id}", ""),
        public("POST", "/knowledge", "", r#"{"title":"Parking","content":"Behind the house."}"#),
        public("GET", "/webhooks", "", ""),
        public("POST", "/webhooks", "", r#"{"url":"https://b.example.com/","events":["call.completed"]}"#),
        public("GET", "/webhooks/{webhook_id}", "", ""),
        public("PATCH", "/webhooks/{webhook_id}", "", r#"{"description":"B"}"#),
        public("POST", "/webhooks/{webhook_id}/test", "", ""),
        row("/admin/v1", "POST", "/businesses", "", r#"{"name":"B","timezone":"UTC"}"#),
        row("/admin/v1", "GET", "/businesses", "", ""),
        operator("GET", "", "", ""),
        operator("PATCH", "", "", r#"{"name":"C"}"#),
        operator("POST", "/services", "", r#"{"name":"B","duration_minutes":30}"#),
        operator("GET", "/services", "", ""),
        operator("PATCH", "/services/{service_id}", "", r#"{"name":"B"}"#),
        operator("POST", "/staff", "", r#"{"name":"B","service_ids":["{service_id}"]}"#),
        operator("GET", "/staff", "", ""),
        operator("PATCH", "/staff/{staff_id}", "", r#"{"service_ids":["{service_id}"]}"#),
        operator("PUT", "/services/{service_id}/staff", "", r#"{"staff_ids":["{staff_id}"]}"#),
        operator("PUT", "/special-days/{date}", "", r#"{"windows":[{"open":"10:00","close":"12:00"}]}"#),
        operator("GET", "/special-days", "from=2026-03-01&to=2026-03-31", ""),
        operator("POST", "/staff/{staff_id}/time-off", "", r#"{"from":"2026-03-20","to":"2026-03-21"}"#),
        operator("GET", "/staff/{staff_id}/time-off", "", ""),
        operator("GET", "/availability", "service_id={service_id}&staff_id={staff_id}&start_date=2026-03-05", ""),
        operator("GET", "/appointments", "service_id={service_id}&staff_id={staff_id}&contact_id={contact_id}", ""),
        operator("GET", "/appointments/{appointment_id}", "", ""),
        operator("GET", "/contacts", "", ""),
        operator("POST", "/contacts", "", r#"{"name":"B"}"#),
        operator("GET", "/contacts/{contact_id}", "", ""),
        operator("PATCH", "/contacts/{contact_id}", "", r#"{"name":"C"}"#),
        operator("GET", "/insights", "from=2026-03-01&to=2026-03-31&by=week", ""),
        operator("GET", "/search", "q=a", ""),
        operator("GET", "/calls", "contact_id={contact_id}", ""),
        operator("GET", "/calls/{call_id}", "", ""),
        operator("PATCH", "/calls/{call_id}", "", r#"{"handled":true}"#),
        operator("GET", "/messages", "call_id={call_id}&contact_id={contact_id}", ""),
        operator("GET", "/knowledge", "", ""),
        operator("POST", "/knowledge", "", r#"{"title":"Parking","content":"Behind the house."}"#),
        operator("GET", "/knowledge/{knowledge_id}", "", ""),
        operator("PATCH", "/knowledge/{knowledge_id}", "", r#"{"title":"Cars"}"#),
        operator("POST", "/webhooks", "", r#"{"url":"https://c.example.com/","events":["call.completed"]}"#),
        operator("POST", "/keys", "", r#"{"name":"B","scopes":["calls:read"]}"#),
        operator("GET", "/keys", "", ""),
        operator("POST", "/feeds", "", r#"{"staff_id":"{staff_id}","detail":"contacts"}"#),
        operator("GET", "/feeds", "", ""),
        operator("GET", "/calendars", "staff_id={staff_id}", ""),
        operator("GET", "/calendars/{calendar_id}", "", ""),
        operator("PATCH", "/calendars/{calendar_id}", "", r#"{"name":"B"}"#),
        operator("POST", "/calendars/{calendar_id}/read", "", ""),
        operator("GET", "/calendars/{calendar_id}/appointments", "status=pending", ""),
        operator("POST", "/calendars/{calendar_id}/appointments/{appointment_id}/write", "", ""),
        operator("POST", "/appointments", "", r#"{"service_id":"{service_id}","staff_id":"{staff_id}",
            "contact_id":"{contact_id}","starts_at":"2026-03-04T12:00:00Z"}"#),
        operator("PATCH", "/appointments/{appointment_id}", "", r#"{"notes":"B"}"#),
        operator("POST", "/appointments/{appointment_id}/confirm", "", ""),
        operator("POST", "/appointments/{appointment_id}/decline", "", ""),
        operator("POST", "/appointments/{appointment_id}/reschedule", "",
            r#"{"starts_at":"2026-03-04T13:00:00Z","staff_id":"{staff_id}"}"#),
        operator("POST", "/appointments/{appointment_id}/cancel", "", ""),
        operator("POST", "/calls", "", r#"{"direction":"inbound","status":"completed","outcome":"other",
            "started_at":"2026-03-02T05:00:00Z","ended_at":"2026-03-02T05:01:30Z","contact_id":"{contact_id}",
            "appointment_id":"{appointment_id}","message_id":"{message_id}"}"#),
        operator("POST", "/messages", "", r#"{"body":"Hello","call_id":"{call_id}","contact_id":"{contact_id}",
            "staff_id":"{staff_id}"}"#),
        operator("PATCH", "/messages/{message_id}", "", r#"{"staff_id":"{staff_id}"}"#),
        operator("GET", "/webhooks", "", ""),
        operator("GET", "/webhooks/{webhook_id}", "", ""),
        operator("PATCH", "/webhooks/{webhook_id}", "", r#"{"status":"enabled"}"#),
        operator("GET", "/webhooks/{webhook_id}/deliveries", "", ""),
        operator("POST", "/webhooks/{webhook_id}/deliveries/{event_id}/resend", "", ""),
        operator("POST", "/webhooks/{webhook_id}/deliveries/{event_id}/try-now", "", ""),
        operator("POST", "/webhooks/{webhook_id}/resend-missed", "", ""),
        operator("POST", "/webhooks/{webhook_id}/rotate-secret", "", ""),
        operator("PATCH", "/budget", "", r#"{"contacts":{"rows_max":50}}"#),
        operator("GET", "/budget", "", ""),
        operator("PATCH", "/retention", "", r#"{"calls_days":3650}"#),
        operator("GET", "/retention", "", ""),
        operator("PATCH", "/website", "", r#"{"enabled":true}"#),
        operator("GET", "/website", "", ""),
        operator("PATCH", "/receptionist", "", r#"{"knowledge_public":true}"#),
        operator("GET", "/receptionist", "", ""),
        operator("GET", "/receptionist/gaps", "", ""),
        operator("DELETE", "/receptionist/gaps/{gap_id}", "", ""),
        operator("GET", "/conversations", "contact_id={contact_id}", ""),
        operator("GET", "/conversations/{conversation_id}", "", ""),
        operator("POST", "/conversations", "", r#"{"channel":"sms"}"#),
        operator("POST", "/conversations/{conversation_id}/turns", "", r#"{"text":"Hello"}"#),
        operator("POST", "/conversations/{conversation_id}/reply", "", r#"{"text":"Hello"}"#),
        operator("POST", "/conversations/{conversation_id}/end", "", ""),
        operator("DELETE", "/conversations/{conversation_id}", "", ""),
        operator("PATCH", "/notices", "", r#"{"email":"all"}"#),
        operator("GET", "/notices", "", ""),
        operator("GET", "/notices/log", "appointment_id={appointment_id}", ""),
        operator("POST", "/notices/log/{notice_id}/send-again", "", ""),
        operator("GET", "/contacts/{contact_id}/consent", "", ""),
        operator("PUT", "/contacts/{contact_id}/consent", "", r#"{"email":"no_reminders"}"#),
        operator("POST", "/contacts/{contact_id}/merge", "", r#"{"from":"{from_id}","email":"a@example.com"}"#),
        operator("GET", "/audit", "", ""),
        operator("GET", "/export", "", ""),
        operator("GET", "/people", "", ""),
        operator("POST", "/people", "", r#"{"email":"b@example.com","role":"member","staff_id":"{staff_id}"}"#),
        operator("GET", "/people/{person_id}", "", ""),
        operator("PATCH", "/people/{person_id}", "", r#"{"role":"admin","staff_id":"{staff_id}"}"#),
        operator("POST", "/people/{person_id}/link", "", ""),
        operator("GET", "/people/{person_id}/notifications", "", ""),
        operator("PATCH", "/people/{person_id}/notifications", "", r#"{"call_missed":{"email":"daily"}}"#),
        operator("DELETE", "/people/{person_id}", "", ""),
        operator("DELETE", "/keys/{key_id}", "", ""),
        operator("DELETE", "/feeds/{feed_id}", "", ""),
        operator("DELETE", "/calendars/{calendar_id}", "", ""),
        operator("DELETE", "/knowledge/{knowledge_id}", "", ""),
        operator("DELETE", "/special-days/{date}", "", ""),
        operator("DELETE", "/staff/{staff_id}/time-off/{time_off_id}", "", ""),
        operator("DELETE", "/services/{service_id}", "", ""),
        operator("DELETE", "/staff/{staff_id}", "", ""),
        operator("DELETE", "/webhooks/{webhook_id}", "", ""),
        public("DELETE", "/webhooks/{webhook_id}", "", ""),
        operator("DELETE", "/contacts/{contact_id}", "", ""),
        operator("DELETE", "", "", ""),
    ]
}

/// The part of a request that contains an id.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    Path,
    Query,
    Body,
}

/// The id of one record of each kind, by the name that the id has in requests.
type Records = BTreeMap<&'static str, String>;

async fn records(server: &Server, salon: &Salon) -> Records {
    let webhook = salon.webhook().await;
    let path = format!("/webhooks/{}", id(&webhook));
    // A disabled endpoint gets no deliveries, so its log does not change.
    salon.operator.patch(&path, &json!({ "status": "disabled" })).await.data();
    let contact =
        salon.contact(json!({ "name": "A", "email": "a@example.com", "phone": "+14155550177" })).await;
    let from = salon.contact(json!({ "name": "B" })).await;
    // All records belong to the same contact, so that every filter matches a record.
    let call = salon.record_call(json!({ "contact_id": id(&contact) })).await;
    let message = salon.message(json!({ "call_id": id(&call), "contact_id": id(&contact) })).await;
    salon.operator.patch("/notices", &json!({ "email": "all" })).await.data();
    let booking = json!({ "service_id": salon.cut, "staff_id": salon.anna, "contact_id": id(&contact),
        "starts_at": "2026-03-03T09:00:00Z" });
    // The notice of a booking by the team is due 15 seconds after the booking. The test does not advance its
    // clock, so the notice keeps waiting.
    let booked = salon.operator.post("/appointments", &booking).await.created();
    let notices = salon.operator.all(&format!("/notices/log?appointment_id={}", id(&booked))).await;
    let spare =
        salon.operator.post("/keys", &json!({ "name": "spare", "scopes": ["calls:read"] })).await.created();
    let feed = salon.operator.post("/feeds", &json!({ "staff_id": salon.anna })).await.created();
    let calendar = salon.written_calendar(server).await;
    let knowledge = json!({ "title": "Parking", "content": "Behind the house." });
    let knowledge = salon.operator.post("/knowledge", &knowledge).await.created();
    let off = json!({ "starts_at": "2026-03-19T09:00:00Z", "ends_at": "2026-03-19T10:00:00Z" });
    let off = salon.operator.post(&format!("/staff/{}/time-off", salon.anna), &off).await.created();
    let email = format!("{}@example.com", salon.id);
    let person = json!({ "email": email, "role": "owner" });
    let person = salon.operator.post("/people", &person).await.created();
    let conversation = json!({ "channel": "sms", "from": "+14155550177" });
    let conversation = salon.operator.post("/conversations", &conversation).await.created();
    let asked = salon.operator.post("/conversations", &json!({ "channel": "voice" })).await.created();
    let turns = format!("/conversations/{}/turns", id(&asked));
    for turn in [json!({ "keys": "5" }), json!({ "text": "Do you sell gift cards?" })] {
        salon.operator.post(&turns, &turn).await.data();
    }
    let gaps = salon.operator.all("/receptionist/gaps").await;
    let deliveries = salon.operator.all(&format!("{path}/deliveries")).await;
    salon.operator.patch(&path, &json!({ "status": "enabled" })).await.data();
    Records::from([
        ("service_id", salon.cut.clone()),
        ("notice_id", id(&notices[0]).to_owned()),
        ("staff_id", salon.anna.clone()),
        ("contact_id", id(&contact).to_owned()),
        ("from_id", id(&from).to_owned()),
        ("call_id", id(&call).to_owned()),
        ("message_id", id(&message).to_owned()),
        ("appointment_id", id(&booked).to_owned()),
        ("webhook_id", id(&webhook).to_owned()),
        ("event_id", deliveries[0]["event_id"].as_str().unwrap().to_owned()),
        ("key_id", id(&spare).to_owned()),
        ("feed_id", id(&feed).to_owned()),
        ("calendar_id", calendar),
        ("knowledge_id", id(&knowledge).to_owned()),
        ("time_off_id", id(&off).to_owned()),
        ("person_id", id(&person).to_owned()),
        ("conversation_id", id(&conversation).to_owned()),
        ("gap_id", id(&gaps[0]).to_owned()),
    ])
}

/// The names of the placeholders in a text.
fn names(text: &str) -> Vec<&str> {
    text.split('{')
        .skip(1)
        .filter_map(|rest| rest.split_once('}'))
        .map(|(name, _)| name)
        .filter(is_name)
        .collect()
}

fn is_name(text: &&str) -> bool {
    text.ends_with("_id") && text.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_')
}

/// Replaces each placeholder by its id in `own`. If `other` names a placeholder, this placeholder is replaced by the id
/// in `other` instead.
fn fill(text: &str, own: &Records, other: Option<(&str, &str)>) -> String {
    // The path of a special day contains a date instead of an id.
    own.iter().fold(text.replace("{date}", "2026-03-10"), |text, (name, id)| {
        let id = other.filter(|(odd, _)| odd == name).map_or(id.as_str(), |(_, id)| id);
        text.replace(&format!("{{{name}}}"), id)
    })
}

impl Row {
    /// The names of the placeholders in the row, each with the part of the request that contains the placeholder.
    fn takes(&self) -> Vec<(Place, &str)> {
        let parts = [(Place::Path, self.path), (Place::Query, self.query), (Place::Body, self.body)];
        parts
            .into_iter()
            .flat_map(|(place, text)| names(text).into_iter().map(move |name| (place, name)))
            .collect()
    }

    /// Sends the request that this row describes, with the ids in `own`. If `odd` is given, one placeholder gets
    /// another id. `odd` contains the part of the request with this placeholder (path, query or body), the name of the
    /// placeholder, and the other id.
    async fn send(
        &self,
        server: &Server,
        salon: &Salon,
        own: &Records,
        odd: Option<(Place, &str, &str)>,
    ) -> Answer {
        let at = |place| odd.filter(|(odd, ..)| *odd == place).map(|(_, name, id)| (name, id));
        let mut path = fill(self.path, own, at(Place::Path));
        if !self.query.is_empty() {
            path = format!("{path}?{}", fill(self.query, own, at(Place::Query)));
        }
        let api = match self.base {
            PUBLIC => &salon.api,
            OPERATOR => &salon.operator,
            _ => &server.operator,
        };
        match self.body {
            "" => api.call(self.method, &path).await,
            body => api.call(self.method, &path).bytes(fill(body, own, at(Place::Body))).await,
        }
    }
}

/// Checks that the response is the same as for an unknown id.
fn refused(row: &Row, place: Place, name: &str, answer: &Answer) {
    match place {
        Place::Path => _ = answer.fails(404, "not_found"),
        // Availability depends on the service and the staff member, so their ids are checked. Other lists use
        // ids only as filters.
        Place::Query if row.path == "/availability" => _ = answer.invalid_at(&[name]),
        Place::Query => assert!(answer.list().is_empty(), "{answer}"),
        Place::Body if row.path.ends_with("/staff") && row.method == "PUT" => {
            _ = answer.invalid_at(&["staff_ids[0]"]);
        }
        Place::Body if row.path.ends_with("/merge") => _ = answer.invalid_at(&["from"]),
        Place::Body if row.path.starts_with("/staff") => _ = answer.invalid_at(&["service_ids[0]"]),
        Place::Body => _ = answer.invalid_at(&[name]),
    }
}

/// All records of a business, as both APIs show them.
async fn shown(salon: &Salon, records: &Records) -> Vec<(String, Value)> {
    let mut shown = Vec::new();
    for row in rows().iter().filter(|row| row.method == "GET" && row.base != "/admin/v1") {
        if !row.query.is_empty() && row.path == "/availability" {
            shown.push((row.path.into(), salon.slots(&salon.cut, "start_date=2026-03-03").await.into()));
            continue;
        }
        let is_needed = row.path == "/search" || row.path.starts_with("/insights");
        let query = if is_needed { format!("?{}", row.query) } else { String::new() };
        let path = fill(row.path, records, None) + &query;
        let api = if row.base == PUBLIC { &salon.api } else { &salon.operator };
        let first = api.get(&path).await;
        let is_paged = first.body["data"].is_array() && query.is_empty();
        let whole = if is_paged { api.all(&path).await.into() } else { first.data() };
        shown.push((format!("{}{path}", row.base), whole));
    }
    shown
}

/// A server with a mail relay. Without a relay, a booking creates no notice.
async fn mailing() -> Server {
    let mut server = Server::open().await;
    server.restart_with_mail(relay("250 ok").await.0).await;
    server
}

#[tokio::test]
async fn no_route_of_either_api_accepts_an_id_of_another_business() {
    let server = mailing().await;
    let (salon, other) = (server.salon().await, server.salon().await);
    let (own, theirs) = (records(&server, &salon).await, records(&server, &other).await);
    shown(&salon, &own).await; // now both keys have been used
    let before = (shown(&other, &theirs).await, shown(&salon, &own).await);
    let mut tried = 0;
    for row in rows() {
        for (place, name) in row.takes() {
            let foreign = row.send(&server, &salon, &own, Some((place, name, &theirs[name]))).await;
            refused(&row, place, name, &foreign);
            let unknown = row.send(&server, &salon, &own, Some((place, name, UNKNOWN))).await;
            assert_eq!(
                (foreign.status, &foreign.body),
                (unknown.status, &unknown.body),
                "{name} of another business: {foreign}"
            );
            if place == Place::Path {
                for id in ["none", "0", &salon.id, &other.id] {
                    let missing = row.send(&server, &salon, &own, Some((place, name, id))).await;
                    assert_eq!((404, &foreign.body), (missing.status, &missing.body), "{missing}");
                }
            }
            tried += 1;
        }
    }
    assert_eq!(tried, 110, "the rows have an unexpected number of ids");
    assert_eq!(shown(&other, &theirs).await, before.0);
    assert_eq!(shown(&salon, &own).await, before.1);
    // With its own ids, the salon can use every route. The refusals above were therefore caused by the ids of the other
    // business. No response shows data of the other business.
    let mut removed = BTreeSet::new();
    for row in rows() {
        let answer = row.send(&server, &salon, &own, None).await;
        if row.method == "DELETE" && !removed.insert(row.path) {
            answer.fails(404, "not_found"); // the same route of the other API has already deleted it
            continue;
        }
        assert!(answer.status < 300 || answer.status == 409, "{answer}");
        assert!(
            row.query.is_empty() || row.path == "/insights" || !answer.list().is_empty(),
            "an existing record was not found: {answer}"
        );
        let text = String::from_utf8_lossy(&answer.bytes);
        let shown = theirs.values().chain([&other.key]).find(|id| text.contains(id.as_str()));
        assert_eq!(shown, None, "{answer}");
        assert_eq!(text.contains(&other.id), (row.method, row.path) == ("GET", "/businesses"), "{answer}");
    }
    assert_eq!(shown(&other, &theirs).await, before.0);
}

#[tokio::test]
async fn every_route_of_both_tables_is_tried_here() {
    let tried: BTreeSet<_> =
        rows().iter().map(|row| (row.method.to_owned(), format!("{}{}", row.base, row.path))).collect();
    let routes = receptionist::service::routes();
    // These routes belong to all businesses, to accounts or to the relay. The modules `backups`, `moving`,
    // `people` and `mail` test them.
    let of_all =
        ["/admin/v1/backup", "/admin/v1/export", "/admin/v1/import", "/admin/v1/audit", "/admin/v1/mail"];
    // Routes for files have tests in the modules `insights` and `contact_files`.
    let is_file = |path: &str| path.ends_with(".csv") || path.ends_with("/contacts/import");
    let is_other = |path: &str| of_all.iter().any(|start| path.starts_with(start)) || is_file(path);
    // These routes send requests to a calendar server. The module `calendars` tests them.
    let is_live = |method: &hyper::Method, path: &str| {
        *method == hyper::Method::POST && (path.ends_with("/calendars") || path.ends_with("/discover"))
    };
    let routes = routes.iter().filter(|(method, path)| !is_other(path) && !is_live(method, path));
    let served: BTreeSet<_> = routes.map(|(method, path)| (method.to_string(), (*path).to_owned())).collect();
    assert_eq!(tried, served);
}

/// The names of all parameters and properties that contain ids, in the paths of the routes and in the API documents.
fn names_of_ids() -> BTreeSet<String> {
    fn collect(value: &Value, found: &mut BTreeSet<String>) {
        let texts: Box<dyn Iterator<Item = &str>> = match value {
            Value::Object(properties) => {
                properties.values().for_each(|value| collect(value, found));
                Box::new(properties.keys().map(String::as_str))
            }
            Value::Array(items) => {
                items.iter().for_each(|item| collect(item, found));
                Box::new(std::iter::empty())
            }
            Value::String(text) => Box::new(std::iter::once(text.as_str())),
            _ => Box::new(std::iter::empty()),
        };
        let of_ids = texts.filter(|name| is_name(name) || is_name(&name.trim_end_matches('s')));
        found.extend(of_ids.map(str::to_owned));
    }
    let mut found = BTreeSet::new();
    collect(&receptionist::openapi::document(), &mut found);
    collect(&receptionist::openapi::operator_document(), &mut found);
    for (_, path) in receptionist::service::routes() {
        found.extend(names(path).into_iter().map(str::to_owned));
    }
    found
}

#[tokio::test]
async fn a_row_names_every_id_that_its_route_takes() {
    let server = mailing().await;
    let salon = server.salon().await;
    let own = records(&server, &salon).await;
    let all = names_of_ids();
    assert!(all.contains("service_ids") && all.contains("event_id") && all.len() >= 11, "{all:?}");
    for row in rows() {
        let mut named: BTreeSet<_> = row
            .takes()
            .into_iter()
            .filter(|(place, _)| *place != Place::Path)
            .map(|(_, name)| name.to_owned())
            .collect();
        if row.path.starts_with("/staff") && named.remove("service_id") {
            named.insert("service_ids".into());
        }
        // A merge takes the id `from_id` in the property `from`. The loop below sends only properties whose names end
        // in `_id` or `_ids`, so it does not send `from`.
        named.remove("from_id");
        if row.path.ends_with("/staff") && named.remove("staff_id") {
            named.insert("staff_ids".into());
        }
        let mut taken = BTreeSet::new();
        for name in &all {
            let path = fill(row.path, &own, None);
            let api = match row.base {
                PUBLIC => &salon.api,
                OPERATOR => &salon.operator,
                _ => &server.operator,
            };
            let answer = match row.method {
                "GET" | "DELETE" => api.call(row.method, &format!("{path}?{name}=,")).await,
                _ => api.call(row.method, &path).bytes(json!({ (name): 0 }).to_string()).await,
            };
            answer.fails(400, "invalid_request");
            let details = answer.body["error"]["details"].as_array().unwrap();
            let said = details.iter().find(|detail| detail["path"] == **name);
            let unknown = |message: &str| message.starts_with("is not a known p");
            if said.is_some_and(|detail| !unknown(detail["message"].as_str().unwrap())) {
                taken.insert(name.clone());
            }
        }
        assert_eq!(taken, named, "{} {}{}", row.method, row.base, row.path);
    }
    assert_eq!(
        ids(&salon.api.all("/webhooks").await),
        [own["webhook_id"].clone()],
        "a refused request was carried out"
    );
}
