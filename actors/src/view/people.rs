//! People of a business, their sign-in links and how they are alerted.

use schemars::JsonSchema;
use serde::Serialize;

use crate::domain::{
    AlertEmail, AlertKind, AlertScope, LinkKind, Locale, Membership, MembershipStatus, Person, PersonId,
    Role, StaffId, Timestamp,
};

/// A person with their place in a business.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Person")]
pub struct PersonView {
    /// Their id.
    pub id: PersonId,
    /// Their email address, as it was written.
    pub email: String,
    /// Their name; empty when nobody said.
    pub name: String,
    /// Their language.
    pub locale: Locale,
    /// What they are in the business.
    pub role: Role,
    /// Whether they come in.
    pub status: MembershipStatus,
    /// Which staff member they are.
    pub staff_id: Option<StaffId>,
    /// When the account was made.
    pub created_at: Timestamp,
    /// When the account or the place in the business last changed.
    pub updated_at: Timestamp,
    /// When they last signed in.
    pub last_sign_in_at: Option<Timestamp>,
}

impl PersonView {
    /// The person as a member of the business.
    pub fn new(person: &Person, membership: &Membership) -> Self {
        Self {
            id: person.id,
            email: person.email.clone(),
            name: person.name.clone(),
            locale: person.locale,
            role: membership.role,
            status: membership.status,
            staff_id: membership.staff_id,
            created_at: person.created_at,
            updated_at: person.updated_at.max(membership.updated_at),
            last_sign_in_at: person.last_sign_in_at,
        }
    }
}

/// A person as they are added.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "NewPerson")]
pub struct NewPersonView {
    /// The person.
    #[serde(flatten)]
    pub person: PersonView,
    /// Where they choose a password; null where the account has one, and where the answer is given again, for of a link
    /// only a hash is kept.
    pub link: Option<String>,
    /// When the link expires.
    pub link_expires_at: Option<Timestamp>,
}

impl NewPersonView {
    /// A rendered one without the link: the person alone, and so what its entity tag is of.
    pub fn without_link(rendered: &[u8]) -> Vec<u8> {
        // Inside of a string the quotes would be escaped, so this is the property and nothing else.
        match memchr::memmem::rfind(rendered, b",\"link\":") {
            Some(at) => [&rendered[..at], b"}"].concat(),
            None => rendered.to_vec(),
        }
    }

    /// The rendering of a person, to which nobody knows a link any more, with this link.
    pub fn with_link(rendered: &[u8], link: &str, expires_at: Timestamp) -> Vec<u8> {
        let mut json = Self::without_link(rendered);
        json.pop();
        let link = super::render(&link);
        let expires_at = super::render(&expires_at);
        json.extend([b",\"link\":", &link[..], b",\"link_expires_at\":", &expires_at[..], b"}"].concat());
        json
    }
}

/// A link that was made for a person.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "SignInLink")]
pub struct LinkView {
    /// What it is for.
    pub kind: LinkKind,
    /// The link; null where the answer is given again, for of a link only a hash is kept.
    pub link: Option<String>,
    /// When it expires.
    pub expires_at: Timestamp,
}

/// How a person is alerted of a kind.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Notification")]
pub struct NotificationView {
    /// When it is mailed.
    pub email: AlertEmail,
    /// Whether it is shown in the dashboard.
    pub in_app: bool,
    /// Of all of the business's, or of what concerns the person's own staff member.
    pub scope: AlertScope,
}

/// How a person is alerted, by kind.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Notifications")]
pub struct NotificationsView {
    /// An endpoint was turned off for its failures.
    pub webhook_disabled: NotificationView,
    /// An urgent message was taken.
    pub urgent_message: NotificationView,
    /// Another message was taken.
    pub message_taken: NotificationView,
    /// A booking or a move waits for the team.
    pub appointment_requested: NotificationView,
    /// An appointment was booked.
    pub appointment_booked: NotificationView,
    /// An appointment was moved.
    pub appointment_rescheduled: NotificationView,
    /// An appointment was cancelled.
    pub appointment_cancelled: NotificationView,
    /// A call was missed or failed.
    pub call_missed: NotificationView,
}

impl From<&Membership> for NotificationsView {
    fn from(membership: &Membership) -> Self {
        let of = |kind| {
            let setting = membership.alert(kind);
            NotificationView { email: setting.email, in_app: setting.in_app, scope: setting.scope }
        };
        Self {
            webhook_disabled: of(AlertKind::WebhookDisabled),
            urgent_message: of(AlertKind::UrgentMessage),
            message_taken: of(AlertKind::MessageTaken),
            appointment_requested: of(AlertKind::AppointmentRequested),
            appointment_booked: of(AlertKind::AppointmentBooked),
            appointment_rescheduled: of(AlertKind::AppointmentRescheduled),
            appointment_cancelled: of(AlertKind::AppointmentCancelled),
            call_missed: of(AlertKind::CallMissed),
        }
    }
}
