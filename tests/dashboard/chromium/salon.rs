//! A salon that has data on every page. Some texts are hostile: they contain markup, have no spaces, or
//! contain characters that change the direction of writing.

use domain::booking::{BookRequest, Party};
use domain::{Actor, AllDay, CalendarKind, ContactDetails, FeedDetail, Phone, Source, Timestamp, WebhookUrl};
use engine::business::Request;
use engine::business::commands::appointments::{Book, BookingContact};
use engine::business::commands::calendars::ConnectCalendar;
use serde_json::{Value, json};

use crate::harness::{Browser, Server};

/// A text that breaks a page if the page does not escape it.
pub(super) const HOSTILE: &str =
    "<script>alert(1)</script>\" onmouseover=alert(1) javascript:alert(1) \u{202e}evil";

/// The date of a special day.
const DATE: &str = "2026-03-20";

/// Connects a calendar directly in the engine, so that no request is sent to the calendar's server first.
/// Returns the id of the calendar.
async fn connected(server: &Server, salon: &str, staff: &str) -> String {
    let connect = ConnectCalendar {
        staff_id: staff.parse().unwrap(),
        name: HOSTILE.into(),
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
    let business = server.engine().business(salon.parse().unwrap());
    let connected = business.change(Request::by(Actor::Operator), connect).await.unwrap();
    connected.value.settings.id.to_string()
}

/// The salon, and the ids of its records.
pub(super) struct Salon {
    pub(super) server: Server,
    pub(super) id: String,
    pub(super) contact: String,
    /// The id of a contact that can be merged into `contact`.
    pub(super) other_contact: String,
    pub(super) appointment: String,
    pub(super) message: String,
    pub(super) call: String,
    pub(super) service: String,
    pub(super) staff: String,
    pub(super) key: String,
    feed: String,
    calendar: String,
    pub(super) webhook: String,
    pub(super) knowledge: String,
    pub(super) owner: String,
    pub(super) member: String,
    membership: String,
    pub(super) delivery: String,
    /// The id of a pending appointment.
    pub(super) waits: String,
}

fn id(value: &Value) -> String {
    value["id"].as_str().unwrap_or_else(|| panic!("the response contains no id: {value}")).to_owned()
}

/// Requests an appointment through the API. The team has to confirm it. Returns the id of the appointment.
async fn requested(server: &Server, salon: &str, service: &str) -> String {
    let business = server.engine().business(salon.parse().unwrap());
    let mode = |mode: &str| json!({ "booking_mode": mode });
    server.operator("PATCH", &format!("/businesses/{salon}"), mode("request")).await;
    let contact = ContactDetails {
        phone: Some(Phone::from_e164("+33612345699".into()).unwrap()),
        ..ContactDetails::default()
    };
    let request = BookRequest {
        service_id: service.parse().unwrap(),
        starts_at: Timestamp::parse("2026-03-03T10:00:00+01:00").unwrap(),
        staff_id: None,
        source: Source::Api,
        party: Party::Integration { allow_pending: true },
        duration: None,
    };
    let book = Book { request, contact: BookingContact::Described(contact) };
    let answer = business.change(Request::by(Actor::Operator), book).await.unwrap();
    server.operator("PATCH", &format!("/businesses/{salon}"), mode("instant")).await;
    answer.value.id.to_string()
}

impl Salon {
    /// Creates the salon. The time is a Monday morning.
    pub(super) async fn open() -> Self {
        let server = Server::open().await;
        let salon = server.business("Salon Lumière").await;
        let owner = server.person(&salon, "lucie@example.com", "owner").await;
        let of = |path: &str| format!("/businesses/{salon}/{path}");
        let add = async |path: &str, what: Value| id(&server.operator("POST", &of(path), what).await);
        let long = format!("Wolfeschlegelsteinhausenberger{}", "dorff".repeat(30));
        let service =
            add("services", json!({ "name": "Coupe", "duration_minutes": 30, "description": HOSTILE })).await;
        let colour = add("services", json!({ "name": "Couleur", "duration_minutes": 90 })).await;
        let offers = json!([service, colour]);
        let staff = add("staff", json!({ "name": "Camille", "service_ids": offers })).await;
        add("staff", json!({ "name": long, "service_ids": offers })).await;
        let member = server.person(&salon, "camille@example.com", "member").await;
        let path = of(&format!("people/{}", member.id));
        server.operator("PATCH", &path, json!({ "staff_id": staff, "name": "Camille Roche" })).await;
        let contact = add("contacts", json!({ "name": HOSTILE, "phone": "+33612345678" })).await;
        let other_contact = add("contacts", json!({ "name": long, "email": "long@example.com" })).await;
        add("contacts", json!({ "name": "محمد الأمين بن عبد الله", "phone": "+33612345679" })).await;
        let mut appointment = String::new();
        for (at, who) in [("09:00", &contact), ("11:30", &contact), ("16:00", &contact)] {
            let what = json!({ "service_id": service, "staff_id": staff, "contact_id": who,
                "starts_at": format!("2026-03-02T{at}:00+01:00") });
            appointment = add("appointments", what).await;
        }
        let waits = requested(&server, &salon, &service).await;
        let closed = json!({ "closed": true, "note": HOSTILE });
        server.operator("PUT", &of(&format!("special-days/{DATE}")), closed).await;
        let call = add("calls", json!({ "direction": "inbound", "status": "completed", "outcome": "message_taken",
            "from_number": "+33612345678", "started_at": "2026-03-02T05:00:00Z", "ended_at": "2026-03-02T05:02:00Z",
            "summary": HOSTILE })).await;
        add("calls", json!({ "direction": "inbound", "status": "missed", "outcome": "hangup",
            "from_number": "+33612345680", "started_at": "2026-03-02T05:10:00Z", "ended_at": "2026-03-02T05:10:20Z" }))
        .await;
        let body = format!("{HOSTILE}\n{}", "a".repeat(200));
        let message = json!({ "body": body, "caller_name": long, "caller_phone": "+33612345681", "urgency": "urgent",
            "call_id": call });
        let message = add("messages", message).await;
        let knowledge = add("knowledge", json!({ "title": HOSTILE, "content": body })).await;
        let website = json!({ "enabled": true, "address": HOSTILE, "email": "bonjour@salon.example",
            "origins": ["https://www.salon.example"], "phone": "+33142685300", "color": "#7a1fa2" });
        server.operator("PATCH", &of("website"), website).await;
        let key = add("keys", json!({ "name": HOSTILE, "scopes": ["contacts:read"] })).await;
        let feed = add("feeds", json!({ "staff_id": staff, "detail": "contacts" })).await;
        let calendar = connected(&server, &salon, &staff).await;
        let webhook = json!({ "url": "https://hooks.example.com/in?shop=42", "events": ["appointment.booked", "message.taken"] });
        let webhook = add("webhooks", webhook).await;
        let message_of = json!({ "body": "Delivered", "caller_phone": "+33612345682" });
        add("messages", message_of).await;
        let mut deliveries = json!([]);
        while deliveries.as_array().is_none_or(Vec::is_empty) {
            let path = of(&format!("webhooks/{webhook}/deliveries"));
            deliveries = server.operator("GET", &path, Value::Null).await;
        }
        let delivery = deliveries[0]["event_id"].as_str().unwrap().to_owned();
        Self {
            id: salon.clone(),
            contact,
            other_contact,
            appointment,
            message,
            call,
            service,
            staff,
            key,
            feed,
            calendar,
            webhook,
            knowledge,
            owner: owner.id,
            membership: server.membership(&salon, &member).await,
            member: member.id,
            delivery,
            waits,
            server,
        }
    }

    /// A browser in which the person with this id is signed in.
    pub(super) async fn signed_in(&self, id: &str) -> Browser {
        let person = crate::harness::Person { id: id.to_owned(), link: String::new() };
        self.server.signed_in(&self.id, &person).await
    }

    /// Adds an owner who reads the pages in French. Returns the person's id.
    pub(super) async fn add_french_owner(&self) -> String {
        let people = format!("/businesses/{}/people", self.id);
        let person = json!({ "email": "luc@example.com", "role": "owner", "locale": "fr" });
        let person = id(&self.server.operator("POST", &people, person).await);
        self.server.operator("PATCH", &format!("{people}/{person}"), json!({ "status": "active" })).await;
        person
    }

    /// Replaces the placeholders in a path of the table of routes with ids of the salon. Returns `None` for a path with
    /// other placeholders, and for a path that does not lead to a page.
    pub(super) fn address(&self, path: &str) -> Option<String> {
        let date = DATE.to_owned();
        // Only a pending appointment can be declined.
        let appointment = if path.ends_with("/decline") { &self.waits } else { &self.appointment };
        // This page exists only for a person whose access is disabled.
        if path.ends_with("/enable") {
            return None;
        }
        let ids = [
            ("{business_id}", &self.id),
            ("{contact_id}", &self.contact),
            ("{appointment_id}", appointment),
            ("{message_id}", &self.message),
            ("{call_id}", &self.call),
            ("{service_id}", &self.service),
            ("{staff_id}", &self.staff),
            ("{key_id}", &self.key),
            ("{feed_id}", &self.feed),
            ("{calendar_id}", &self.calendar),
            ("{webhook_id}", &self.webhook),
            ("{knowledge_id}", &self.knowledge),
            ("{membership_id}", &self.membership),
            ("{delivery_id}", &self.delivery),
            ("{date}", &date),
        ];
        let path = ids.iter().fold(path.to_owned(), |path, (name, id)| path.replace(name, id));
        let is_page = !["/stream", "/export", "/download"].iter().any(|end| path.ends_with(end));
        (!path.contains('{') && is_page).then_some(path)
    }
}
