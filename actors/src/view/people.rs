//! People of a business, their sign-in links and how they are alerted.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::domain::{
    AlertEmail, AlertKind, AlertScope, LinkKind, Locale, Membership, MembershipId, MembershipStatus, Person,
    PersonId, Role, StaffId, Timestamp,
};

/// A person with their place in a business.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Person")]
pub struct PersonView {
    /// Their id.
    pub id: PersonId,
    /// The id of their membership, by which the dashboard names them. No API shows it, so a repeated answer has none.
    #[serde(skip, default = "no_membership")]
    pub membership_id: MembershipId,
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
    /// When the account was made; until the membership is accepted, when it was offered.
    pub created_at: Timestamp,
    /// When the account or the place in the business last changed.
    pub updated_at: Timestamp,
    /// When they last signed in.
    pub last_sign_in_at: Option<Timestamp>,
}

/// The id that names no membership.
fn no_membership() -> MembershipId {
    Uuid::nil().into()
}

impl PersonView {
    /// The person as a member of the business. Until the membership is accepted nothing of the account is told, not even
    /// whether there was one before: only whom it was offered to.
    pub fn new(person: &Person, membership: &Membership) -> Self {
        let Membership { offer, accepted, .. } = membership;
        let (email, name, locale) = match accepted {
            true => (&person.email, &person.name, person.locale),
            false => (&offer.email, &offer.name, offer.locale),
        };
        Self {
            id: person.id,
            membership_id: membership.id(),
            email: email.clone(),
            name: name.clone(),
            locale,
            role: membership.role,
            status: membership.status,
            staff_id: membership.staff_id,
            created_at: if *accepted { person.created_at } else { membership.created_at },
            updated_at: if *accepted {
                person.updated_at.max(membership.updated_at)
            } else {
                membership.updated_at
            },
            last_sign_in_at: person.last_sign_in_at.filter(|_| *accepted),
        }
    }
}

/// A person as they are added.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "NewPerson")]
pub struct NewPersonView {
    /// The person.
    #[serde(flatten)]
    pub person: PersonView,
    /// Where they choose a password; null for the reason that `no_link_reason` gives.
    pub link: Option<String>,
    /// When the link expires.
    pub link_expires_at: Option<Timestamp>,
    /// Why there is no link; null where there is one.
    pub no_link_reason: Option<NoLink>,
}

/// Why the answer to adding a person shows no link.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "NoLinkReason")]
#[serde(rename_all = "snake_case")]
pub enum NoLink {
    /// The account has a password: its person signs in as always.
    HasPassword,
    /// People reach the service nowhere until `RECEPTIONIST_PUBLIC_URL` is set.
    NoPublicUrl,
    /// The answer is given again, and of a link only a hash is kept.
    GivenAgain,
}

impl NewPersonView {
    /// A person as they are added, and as they are remembered: without the link.
    pub fn remembered(person: &Person, membership: &Membership) -> Self {
        Self {
            person: PersonView::new(person, membership),
            link: None,
            link_expires_at: None,
            no_link_reason: Some(NoLink::GivenAgain),
        }
    }
}

/// A link that was made for a person.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "SignInLink")]
pub struct LinkView {
    /// What it is for.
    pub kind: LinkKind,
    /// The link; null where the answer is given again, for of a link only a hash is kept.
    pub link: Option<String>,
    /// When it expires.
    pub expires_at: Timestamp,
}

/// That alerts were read.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct AlertsReadView {
    /// When.
    pub read_at: Timestamp,
}

/// How a person is alerted of a kind.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, JsonSchema)]
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
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
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
