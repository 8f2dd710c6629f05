//! The resources as the API shows them (spec §2): what is serialised here is what an answer, an event's `data` and a
//! remembered answer carry.
//!
//! A view is made from records at one moment. Names of services, staff and contacts are those of that moment.

mod budget;
mod conversations;
mod webhooks;

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use serde::Serialize;
use serde::ser::Serializer;
use sha2::{Digest, Sha256};
use utoipa::ToSchema;

pub mod schema;

pub use budget::{BudgetView, LimitsView};
pub use conversations::{CallView, KnowledgeView, MessageView};
pub use webhooks::{DeliveryView, NewWebhookView, TestView, WebhookView};

use crate::domain::{
    Actor, ApiKey, Appointment, AppointmentId, AppointmentStatus, AuditEntry, AuditId, BookingMode, Business,
    BusinessId, CalendarSyncStatus, Contact, ContactId, Day, EventId, EventType, KeyId, Locale, Scope,
    Service, ServiceId, Source, StaffId, StaffMember, Timestamp, WeeklyHours,
};

/// What a view mostly fits into, in bytes of JSON, so that it is rendered into one piece of memory.
const VIEW_BYTES: usize = 768;

/// Renders a view as the JSON that answers and events carry.
pub fn render<V: Serialize>(view: &V) -> Vec<u8> {
    let mut json = Vec::with_capacity(VIEW_BYTES);
    serde_json::to_writer(&mut json, view).expect("a view has string keys and no failing field");
    json
}

/// The strong entity tag of a resource (RFC 9110 §8.8.3), quotes included, from its rendered JSON.
pub fn etag(json: &[u8]) -> String {
    format!("\"{}\"", BASE64_URL_SAFE_NO_PAD.encode(&Sha256::digest(json)[..16]))
}

/// A business, as integrations see it.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct BusinessView {
    /// Stable identifier.
    pub id: BusinessId,
    /// Its name.
    pub name: String,
    /// IANA time zone name.
    pub timezone: &'static str,
    /// Default language for callers.
    pub locale: Locale,
    /// Its web site.
    #[schema(format = "uri")]
    pub website_url: Option<String>,
    /// How appointments come about.
    pub booking_mode: BookingMode,
    /// Opening hours; a day that is not listed is closed.
    pub hours: Vec<HoursView>,
    /// When it was created.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
}

/// The opening hours of one day.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = OpeningHours)]
pub struct HoursView {
    /// The day on which they begin.
    pub day: Day,
    /// Local time, `HH:MM`, to `23:59`.
    #[schema(value_type = crate::domain::LocalTime)]
    pub open: String,
    /// Local time, `HH:MM`; earlier than `open` means on the next day.
    #[schema(value_type = crate::domain::LocalTime)]
    pub close: String,
}

fn hours(week: &WeeklyHours) -> Vec<HoursView> {
    let view = |day: &crate::domain::DayHours| HoursView {
        day: day.day,
        open: day.open.to_string(),
        close: day.close.to_string(),
    };
    week.days().iter().map(view).collect()
}

impl From<&Business> for BusinessView {
    fn from(business: &Business) -> Self {
        Self {
            id: business.id,
            name: business.name.clone(),
            timezone: business.zone.name(),
            locale: business.locale,
            website_url: business.website_url.clone(),
            booking_mode: business.booking_mode,
            hours: hours(&business.hours),
            created_at: business.created_at,
            updated_at: business.updated_at,
        }
    }
}

/// A business, as its operator sees it.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct OperatorBusinessView {
    /// What integrations see.
    #[serde(flatten)]
    pub business: BusinessView,
    /// The region in which national phone numbers are read.
    pub phone_region: String,
    /// Whether its keys are shut out.
    pub suspended: bool,
}

impl From<&Business> for OperatorBusinessView {
    fn from(business: &Business) -> Self {
        Self {
            business: business.into(),
            phone_region: business.phone_region.clone(),
            suspended: business.suspended,
        }
    }
}

/// A service, as integrations see it; they see active ones only.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct ServiceView {
    /// Its id.
    pub id: ServiceId,
    /// Its name.
    pub name: String,
    /// What it is; empty when nobody said.
    pub description: String,
    /// How long it takes, in minutes.
    pub duration_minutes: u32,
    /// When it was created.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
}

impl From<&Service> for ServiceView {
    fn from(service: &Service) -> Self {
        Self {
            id: service.id,
            name: service.name.clone(),
            description: service.description.clone(),
            duration_minutes: service.duration_minutes,
            created_at: service.created_at,
            updated_at: service.updated_at,
        }
    }
}

/// A service, as the operator sees it.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct OperatorServiceView {
    /// What integrations see.
    #[serde(flatten)]
    pub service: ServiceView,
    /// Whether it can be booked.
    pub active: bool,
}

impl From<&Service> for OperatorServiceView {
    fn from(service: &Service) -> Self {
        Self { service: service.into(), active: service.active }
    }
}

/// A staff member.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = StaffMember)]
pub struct StaffView {
    /// Their id.
    pub id: StaffId,
    /// Their name.
    pub name: String,
    /// Whether they take appointments.
    pub active: bool,
    /// IANA name of the zone they see times in.
    pub timezone: &'static str,
    /// The services they offer.
    pub service_ids: Vec<ServiceId>,
    /// When they were added.
    pub created_at: Timestamp,
    /// When they last changed.
    pub updated_at: Timestamp,
}

impl From<&StaffMember> for StaffView {
    fn from(staff: &StaffMember) -> Self {
        Self {
            id: staff.id,
            name: staff.name.clone(),
            active: staff.active,
            timezone: staff.zone.name(),
            service_ids: staff.service_ids.clone(),
            created_at: staff.created_at,
            updated_at: staff.updated_at,
        }
    }
}

/// An appointment, with the names it refers to.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct AppointmentView {
    /// Its id.
    pub id: AppointmentId,
    /// Where it stands.
    pub status: AppointmentStatus,
    /// When it starts.
    pub starts_at: Timestamp,
    /// When it ends.
    pub ends_at: Timestamp,
    /// IANA name of the business's zone.
    pub timezone: &'static str,
    /// What is booked.
    pub service_id: ServiceId,
    /// Its name.
    pub service_name: String,
    /// With whom.
    pub staff_id: StaffId,
    /// Their name.
    pub staff_name: String,
    /// For whom.
    pub contact_id: ContactId,
    /// Their name.
    pub contact_name: Option<String>,
    /// Their phone number, E.164.
    pub contact_phone: Option<String>,
    /// Where the booking came from.
    pub source: Source,
    /// Whether it stands in the staff member's own calendar.
    pub calendar_sync_status: CalendarSyncStatus,
    /// When it was booked or asked for.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
}

/// What an appointment refers to, as it is at the moment.
#[derive(Clone, Copy, Debug)]
pub struct AppointmentParties<'a> {
    /// The business's zone, by its IANA name.
    pub timezone: &'static str,
    /// The service's name.
    pub service_name: &'a str,
    /// The staff member's name.
    pub staff_name: &'a str,
    /// The contact.
    pub contact: &'a Contact,
}

impl AppointmentView {
    /// The appointment with the names it refers to.
    pub fn new(appointment: &Appointment, parties: AppointmentParties<'_>) -> Self {
        Self {
            id: appointment.id,
            status: appointment.status,
            starts_at: appointment.starts_at,
            ends_at: appointment.ends_at,
            timezone: parties.timezone,
            service_id: appointment.service_id,
            service_name: parties.service_name.to_owned(),
            staff_id: appointment.staff_id,
            staff_name: parties.staff_name.to_owned(),
            contact_id: appointment.contact_id,
            contact_name: parties.contact.name.clone(),
            contact_phone: parties.contact.phone.clone(),
            source: appointment.source,
            calendar_sync_status: appointment.calendar_sync_status,
            created_at: appointment.created_at,
            updated_at: appointment.updated_at,
        }
    }
}

/// A contact.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct ContactView {
    /// Their id.
    pub id: ContactId,
    /// Their name.
    pub name: Option<String>,
    /// Their phone number, E.164.
    pub phone: Option<String>,
    /// Their email address.
    pub email: Option<String>,
    /// The language they speak.
    pub locale: Option<Locale>,
    /// IANA name of the zone they live in.
    pub timezone: Option<&'static str>,
    /// When they first appeared.
    pub created_at: Timestamp,
    /// When they last changed.
    pub updated_at: Timestamp,
}

impl From<&Contact> for ContactView {
    fn from(contact: &Contact) -> Self {
        Self {
            id: contact.id,
            name: contact.name.clone(),
            phone: contact.phone.clone(),
            email: contact.email.clone(),
            locale: contact.locale,
            timezone: contact.zone.map(|zone| zone.name()),
            created_at: contact.created_at,
            updated_at: contact.updated_at,
        }
    }
}

/// A key as `GET /me` describes it.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = ApiKey)]
pub struct KeyView {
    /// Its id.
    pub id: KeyId,
    /// What its owner calls it.
    pub name: String,
    /// The visible prefix.
    pub prefix: String,
    /// What it may do.
    pub scopes: Vec<Scope>,
    /// When it was created.
    pub created_at: Timestamp,
}

impl From<&ApiKey> for KeyView {
    fn from(key: &ApiKey) -> Self {
        Self {
            id: key.id,
            name: key.name.clone(),
            prefix: key.prefix.clone(),
            scopes: key.scopes.iter().collect(),
            created_at: key.created_at,
        }
    }
}

/// A key as the operator sees it in a list.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = OperatorApiKey)]
pub struct OperatorKeyView {
    /// Its descriptor.
    #[serde(flatten)]
    pub key: KeyView,
    /// When it was last used, to the minute.
    pub last_used_at: Option<Timestamp>,
    /// When it was revoked.
    pub revoked_at: Option<Timestamp>,
}

/// A key at the moment of its creation, the only time that it is shown whole.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = NewApiKey)]
pub struct NewKeyView {
    /// Its descriptor.
    #[serde(flatten)]
    pub descriptor: KeyView,
    /// The key itself.
    pub key: String,
}

/// The bytes of an event (spec §2, the envelope) about a resource that is rendered already.
pub(crate) fn event(
    id: EventId,
    event: EventType,
    at: Timestamp,
    business: BusinessId,
    resource: &[u8],
) -> Vec<u8> {
    let head = format!(
        r#"{{"id":"{id}","type":"{event}","api_version":"v1","created_at":"{at}","business_id":"{business}","data":"#
    );
    [head.as_bytes(), resource, b"}"].concat()
}

/// An entry of the audit log.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = AuditEntry)]
pub struct AuditView {
    /// Its id.
    pub id: AuditId,
    /// When the change was made.
    pub at: Timestamp,
    /// Who made it.
    pub actor: ActorView,
    /// What was done.
    pub action: String,
    /// The kind of record.
    pub resource_type: String,
    /// The record.
    #[schema(value_type = KeyId)]
    pub resource_id: uuid::Uuid,
    /// The fields that changed; empty for a creation.
    pub changes: Vec<FieldChangeView>,
}

/// Who made a change.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = AuditActor)]
pub struct ActorView {
    /// `api_key`, `operator` or `system`.
    #[serde(rename = "type")]
    pub kind: &'static str,
    /// The key's id.
    pub id: Option<KeyId>,
}

/// One field that a change gave another value.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = FieldChange)]
pub struct FieldChangeView {
    /// Its name.
    pub field: String,
    /// Its value before.
    #[serde(serialize_with = "raw")]
    #[schema(value_type = schema::Anything)]
    pub from: String,
    /// Its value after.
    #[serde(serialize_with = "raw")]
    #[schema(value_type = schema::Anything)]
    pub to: String,
}

/// Serialises a text that is JSON already as that JSON.
fn raw<S: Serializer>(json: &str, serializer: S) -> Result<S::Ok, S::Error> {
    let value: serde_json::Value = serde_json::from_str(json).map_err(serde::ser::Error::custom)?;
    value.serialize(serializer)
}

impl From<AuditEntry> for AuditView {
    fn from(entry: AuditEntry) -> Self {
        let actor = match entry.actor {
            Actor::ApiKey(id) => ActorView { kind: "api_key", id: Some(id) },
            Actor::Operator => ActorView { kind: "operator", id: None },
            Actor::System => ActorView { kind: "system", id: None },
        };
        let change = |change: crate::domain::FieldChange| FieldChangeView {
            field: change.field,
            from: change.from,
            to: change.to,
        };
        Self {
            id: entry.id,
            at: entry.at,
            actor,
            action: entry.action,
            resource_type: entry.resource_type,
            resource_id: entry.resource_id,
            changes: entry.changes.into_iter().map(change).collect(),
        }
    }
}
