//! A salon for the tests of the Today page, the calendar and bookings. It has two services, two staff
//! members, an owner and a member. The time is Monday at 07:00.

use serde_json::{Value, json};

use crate::harness::{Browser, Server};

/// The salon, and the browsers of its owner and of a member.
pub(crate) struct Salon {
    pub(crate) server: Server,
    pub(crate) id: String,
    pub(crate) cut: String,
    pub(crate) colour: String,
    pub(crate) ines: String,
    pub(crate) hugo: String,
    pub(crate) owner: Browser,
    pub(crate) member: Browser,
}

impl Salon {
    pub(crate) async fn open() -> Self {
        Self::on(Server::open().await).await
    }

    pub(crate) async fn on(server: Server) -> Self {
        let id = server.business("Salon Zoé").await;
        let of = |path: &str| format!("/businesses/{id}/{path}");
        let cut = json!({ "name": "Cut", "duration_minutes": 30 });
        let cut = key(&server.operator("POST", &of("services"), cut).await);
        let colour = json!({ "name": "Colour", "duration_minutes": 90, "buffer_after_minutes": 15 });
        let colour = key(&server.operator("POST", &of("services"), colour).await);
        let ines = json!({ "name": "Inès", "service_ids": [cut, colour] });
        let ines = key(&server.operator("POST", &of("staff"), ines).await);
        let hugo = json!({ "name": "Hugo", "service_ids": [cut] });
        let hugo = key(&server.operator("POST", &of("staff"), hugo).await);
        let owner = server.person(&id, "owner@example.com", "owner").await;
        let member = server.person(&id, "member@example.com", "member").await;
        let owner = server.signed_in(&id, &owner).await;
        let member = server.signed_in(&id, &member).await;
        Self { server, id, cut, colour, ines, hugo, owner, member }
    }

    pub(crate) fn to(&self, page: &str) -> String {
        format!("/dashboard/b/{}/{page}", self.id)
    }

    pub(crate) async fn operator(&self, method: &str, path: &str, body: Value) -> Value {
        self.server.operator(method, &format!("/businesses/{}{path}", self.id), body).await
    }

    /// Books a cut with Inès. Returns the id of the appointment.
    pub(crate) async fn booked(&self, starts_at: &str, name: &str) -> String {
        // Each contact gets a different phone number, computed from the name.
        let digits = name
            .bytes()
            .chain(starts_at.bytes())
            .fold(7_u32, |all, byte| (all * 31 + u32::from(byte)) % 10_000_000);
        let phone = format!("+3361{digits:07}");
        let body = json!({ "service_id": self.cut, "staff_id": self.ines, "starts_at": starts_at,
            "contact": { "name": name, "phone": phone } });
        key(&self.operator("POST", "/appointments", body).await)
    }

    /// Requests a colouring with Inès through the API. Returns the id of the appointment.
    pub(crate) async fn requested(&self, starts_at: &str, name: &str) -> String {
        use domain::booking::{BookRequest, Party};
        use domain::{ContactDetails, Phone, Source, Text, Timestamp};
        use engine::business::Request;
        use engine::business::commands::appointments::{Book, BookingContact};
        self.operator("PATCH", "", json!({ "booking_mode": "request" })).await;
        let new = self
            .operator("POST", "/keys", json!({ "name": "website", "scopes": ["appointments:write"] }))
            .await;
        let contact = ContactDetails {
            name: Some(Text::new(name.into()).unwrap()),
            phone: Some(Phone::from_e164("+33661020304".into()).unwrap()),
            email: None,
            locale: None,
            zone: None,
        };
        let request = BookRequest {
            service_id: self.colour.parse().unwrap(),
            starts_at: Timestamp::parse(starts_at).unwrap(),
            staff_id: Some(self.ines.parse().unwrap()),
            source: Source::Website,
            party: Party::Integration { allow_pending: true },
            duration: None,
        };
        let book = Book { request, contact: BookingContact::Described(contact) };
        let business = self.server.engine().business(self.id.parse().unwrap());
        let by = domain::Actor::ApiKey(key(&new).parse().unwrap());
        let answer = business.change(Request::by(by), book).await.unwrap();
        answer.value.id.to_string()
    }

    /// The appointment, as the operator API returns it.
    pub(crate) async fn appointment(&self, id: &str) -> Value {
        self.operator("GET", &format!("/appointments/{id}"), Value::Null).await
    }
}

/// The id of the record in a response.
pub(crate) fn key(value: &Value) -> String {
    value["id"].as_str().unwrap_or_else(|| panic!("the response contains no id: {value}")).to_owned()
}
