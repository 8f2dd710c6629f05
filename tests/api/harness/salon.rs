//! A business for tests. It has three services, three staff members and an API key with every scope.

use domain::{Actor, AllDay, CalendarKind, CalendarLogin, CalendarPassword, FeedDetail, WebhookUrl};
use engine::business::Request;
use engine::business::commands::calendars::ConnectCalendar;
use serde_json::{Value, json};

use super::{Answer, Api, SCOPES, Server};

/// A salon. Anna offers every service, Ben offers all except colouring, and Chloé offers only cuts.
#[derive(Clone)]
pub(crate) struct Salon {
    pub(crate) id: String,
    /// The public API with a key that has every scope.
    pub(crate) api: Api,
    /// The operator API of this business.
    pub(crate) operator: Api,
    pub(crate) key: String,
    pub(crate) key_id: String,
    /// The id of the service that takes 30 minutes.
    pub(crate) cut: String,
    /// The id of the service that takes 60 minutes.
    pub(crate) massage: String,
    /// The id of the service that takes 90 minutes.
    pub(crate) colour: String,
    pub(crate) anna: String,
    pub(crate) ben: String,
    pub(crate) chloe: String,
}

/// The same opening hours from Monday to Saturday.
pub(crate) fn week(open: &str, close: &str) -> Value {
    let days = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday"];
    days.iter().map(|day| json!({ "day": day, "open": open, "close": close })).collect()
}

/// The contact of a booking for which the test gives no contact.
fn everyone() -> Value {
    json!({ "name": "Zoé Martin", "phone": "+33612345678" })
}

/// Completes the beginning of a timestamp, for example `2026-03-02` or `2026-03-02T09:00`, to a timestamp in
/// the format of the API.
pub(crate) fn stamp(text: &str) -> String {
    format!("{text}{}", &"0000-00-00T00:00:00.000Z"[text.len()..])
}

fn id_of(value: &Value) -> String {
    value["id"].as_str().unwrap().to_owned()
}

impl Salon {
    /// Connects a calendar of Anna directly in the engine, so that no request is sent to the calendar's server first.
    /// Returns the id of the calendar.
    pub(crate) async fn calendar(&self, server: &Server) -> String {
        let connect = ConnectCalendar {
            staff_id: self.anna.parse().unwrap(),
            name: "Anna".into(),
            kind: CalendarKind::Ics,
            url: WebhookUrl::parse("https://calendar.example.com/secret.ics").unwrap(),
            login: None,
            collection: None,
            collection_name: String::new(),
            server_addresses: Vec::new(),
            busy: true,
            write: false,
            detail: FeedDetail::Services,
            all_day: AllDay::Busy,
            own_addresses: Vec::new(),
        };
        let business = server.engine().business(self.id.parse().unwrap());
        let connected = business.change(Request::by(Actor::Operator), connect).await.unwrap();
        connected.value.settings.id.to_string()
    }

    /// Connects a calendar to which Anna's appointments are written. The server of the calendar has an internal
    /// address, which the service refuses, so each attempt fails at once. Waits until the first attempt to write an
    /// appointment and the first read have failed.
    pub(crate) async fn written_calendar(&self, server: &Server) -> String {
        let url = WebhookUrl::from_stored("https://10.0.0.1/dav/").unwrap();
        let password = CalendarPassword::new("pw".into());
        let connect = ConnectCalendar {
            staff_id: self.anna.parse().unwrap(),
            name: "Anna".into(),
            kind: CalendarKind::Caldav,
            url: url.clone(),
            login: Some(CalendarLogin { username: "anna".into(), password }),
            collection: Some(url),
            collection_name: "Work".into(),
            server_addresses: Vec::new(),
            busy: true,
            write: true,
            detail: FeedDetail::Services,
            all_day: AllDay::Busy,
            own_addresses: Vec::new(),
        };
        let business = server.engine().business(self.id.parse().unwrap());
        let connected = business.change(Request::by(Actor::Operator), connect).await.unwrap();
        let id = connected.value.settings.id.to_string();
        let path = format!("/calendars/{id}/appointments");
        while !self.operator.all(&path).await.iter().any(|write| write["attempts"] == 1) {
            tokio::task::yield_now().await;
        }
        while self.operator.get(&format!("/calendars/{id}")).await.data()["error"].is_null() {
            tokio::task::yield_now().await;
        }
        id
    }

    pub(super) async fn found(server: &Server, changes: Value) -> Self {
        let mut business =
            json!({ "name": "Salon Zoé", "timezone": "Europe/Paris", "hours": week("09:00", "18:00") });
        business.as_object_mut().unwrap().extend(changes.as_object().unwrap().clone());
        let id = id_of(&server.operator.post("/businesses", &business).await.created());
        let operator = server.operator_of(&id);
        let service = async |name: &str, minutes: u32| {
            let body = json!({ "name": name, "duration_minutes": minutes });
            id_of(&operator.post("/services", &body).await.created())
        };
        let cut = service("Cut", 30).await;
        let massage = service("Massage", 60).await;
        let colour = service("Colouring", 90).await;
        let staff = async |name: &str, services: &[&String]| {
            let body = json!({ "name": name, "service_ids": services });
            id_of(&operator.post("/staff", &body).await.created())
        };
        let anna = staff("Anna", &[&cut, &massage, &colour]).await;
        let ben = staff("Ben", &[&cut, &massage]).await;
        let chloe = staff("Chloé", &[&cut]).await;
        let body = json!({ "name": "everything", "scopes": SCOPES });
        let key = operator.post("/keys", &body).await.created();
        let text = key["key"].as_str().unwrap().to_owned();
        let api = server.with_key(&text);
        Self { id, api, operator, key: text, key_id: id_of(&key), cut, massage, colour, anna, ben, chloe }
    }

    /// The same salon after a restart of the server.
    pub(crate) fn again(&self, server: &Server) -> Self {
        Self { api: server.with_key(&self.key), operator: server.operator_of(&self.id), ..self.clone() }
    }

    /// Creates a webhook endpoint for two types of events.
    pub(crate) async fn webhook(&self) -> Value {
        let body = json!({
            "url": "https://a.example.com/hook?x=1", "events": ["appointment.booked", "contact.created"], "description": "A"
        });
        self.api.post("/webhooks", &body).await.created()
    }

    /// The public API with a new key that has these scopes.
    pub(crate) async fn key(&self, scopes: &[&str]) -> Api {
        let body = json!({ "name": "some", "scopes": scopes });
        self.api.with_token(self.operator.post("/keys", &body).await.created()["key"].as_str().unwrap())
    }

    pub(crate) async fn get(&self, path: &str) -> Answer {
        self.api.get(path).await
    }

    /// Requests a booking for the default contact.
    pub(crate) async fn try_book(&self, service: &str, starts_at: &str) -> Answer {
        self.try_book_with(service, starts_at, json!({})).await
    }

    /// Requests a booking with additional properties.
    pub(crate) async fn try_book_with(&self, service: &str, starts_at: &str, more: Value) -> Answer {
        self.api.post("/appointments", &self.booking(service, starts_at, more)).await
    }

    /// The body of a booking.
    pub(crate) fn booking(&self, service: &str, starts_at: &str, more: Value) -> Value {
        let mut body = json!({ "service_id": service, "starts_at": starts_at });
        let Value::Object(more) = more else { panic!("the properties must be an object") };
        body.as_object_mut().unwrap().extend(more);
        if body.get("contact").is_none() && body.get("contact_id").is_none() {
            body["contact"] = everyone();
        }
        body
    }

    /// Books, and asserts success.
    pub(crate) async fn book(&self, service: &str, starts_at: &str) -> Value {
        self.try_book(service, starts_at).await.created()
    }

    /// Books with this staff member, and asserts success.
    pub(crate) async fn book_with(&self, service: &str, staff: &str, starts_at: &str) -> Value {
        self.try_book_with(service, starts_at, json!({ "staff_id": staff })).await.created()
    }

    pub(crate) async fn try_move(&self, appointment: &Value, body: Value) -> Answer {
        self.api.post(&format!("/appointments/{}/reschedule", id_of(appointment)), &body).await
    }

    pub(crate) async fn cancel(&self, appointment: &Value) -> Answer {
        self.api.call("POST", &format!("/appointments/{}/cancel", id_of(appointment))).await
    }

    /// The current state of the appointment.
    pub(crate) async fn show(&self, appointment: &Value) -> Value {
        self.api.get(&format!("/appointments/{}", id_of(appointment))).await.data()
    }

    /// Changes the business through the operator API.
    pub(crate) async fn set(&self, change: Value) {
        self.operator.patch("", &change).await.is(200);
    }

    /// The start times that the API lists as available on the days of the query.
    pub(crate) async fn slots(&self, service: &str, query: &str) -> Vec<String> {
        super::starts(&self.api.all(&format!("/availability?service_id={service}&{query}")).await)
    }
}
