//! The resources as the API shows them. A view is the response to a change, the data of an event, and the
//! stored value of an idempotency key. It contains the names of services, staff and contacts at the time of
//! the change.

mod appointments;
mod audit;
mod backup;
mod budget;
mod business;
mod catalog;
mod contacts;
mod conversations;
mod diary;
mod event;
mod keys;
mod mail;
mod moving;
mod notes;
mod people;
mod retention;
mod webhooks;

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use serde::Serialize;
use serde::de::DeserializeOwned;
use sha2::{Digest, Sha256};

pub use appointments::{AppointmentParties, AppointmentView, OperatorAppointmentView, SomeAppointmentView};
pub use audit::{ActorView, AuditView, FieldChangeView};
pub use backup::{BackupBegunView, BackupManifestView, BackupProblemView, BackupView};
pub use budget::{BudgetView, LimitsView};
pub use business::{BreakView, BusinessView, HoursView, OperatorBusinessView};
pub use catalog::{OperatorServiceView, OperatorStaffView, ServiceView, StaffView};
pub use contacts::{ContactView, OperatorContactView, SomeContactView};
pub use conversations::{CallView, KnowledgeView, MessageView};
pub use diary::{
    AFFECTED_IDS_MAX, AffectedView, AffectingView, SpecialDayRemovedView, SpecialDayView, TimeOffView,
    WindowView,
};
pub use event::Event;
pub use event::event;
pub use keys::{CreatedKeyView, KeyCreatorView, KeyView, NewKeyView, OperatorKeyView};
pub use mail::MailTestView;
pub use moving::ImportedView;
pub use notes::NotesView;
pub use people::{
    AlertsReadView, LinkView, NewPersonView, NoLink, NotificationView, NotificationsView, PersonView,
};
pub use retention::{EndedView, RetentionView};
pub use webhooks::{DeliveryView, NewWebhookView, TestView, WebhookView};

pub trait View: Serialize + DeserializeOwned + Send + 'static {}

impl<V: Serialize + DeserializeOwned + Send + 'static> View for V {}

/// The initial buffer for a rendered view, in bytes. Most views fit.
const VIEW_BYTES: usize = 768;

pub fn render<V: Serialize>(view: &V) -> Vec<u8> {
    let mut json = Vec::with_capacity(VIEW_BYTES);
    serde_json::to_writer(&mut json, view).expect("a view has string keys and no failing field");
    json
}

/// The strong entity tag of rendered JSON (RFC 9110 §8.8.3), with quotes.
pub fn etag(json: &[u8]) -> String {
    format!("\"{}\"", BASE64_URL_SAFE_NO_PAD.encode(&Sha256::digest(json)[..16]))
}
