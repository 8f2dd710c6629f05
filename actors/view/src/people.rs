//! People of a business, their sign-in links and alert settings.

use domain::{
    AlertEmail, AlertKind, AlertScope, AlertSetting, ClockFormat, LinkKind, Locale, Membership, MembershipId,
    MembershipStatus, Person, PersonId, Role, StaffId, Timestamp, WeekStart,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// A person and their membership.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Person")]
pub struct PersonView {
    /// The person's id.
    pub id: PersonId,
    /// The membership's id, for the dashboard. Not serialised, so a stored response does not contain it.
    #[serde(skip, default = "no_membership")]
    pub membership_id: MembershipId,
    /// The e-mail address as the person wrote it.
    pub email: String,
    /// The person's name; can be empty.
    pub name: String,
    /// The person's language.
    pub locale: Locale,
    /// The person's role in the business.
    pub role: Role,
    /// The status of the membership.
    pub status: MembershipStatus,
    /// The staff member to which the membership is linked.
    pub staff_id: Option<StaffId>,
    /// The creation of the account; before the membership is accepted, the time of the offer.
    pub created_at: Timestamp,
    /// The last change of the account or the membership.
    pub updated_at: Timestamp,
    /// The time of the last sign-in.
    pub last_sign_in_at: Option<Timestamp>,
    /// The form of times in pages of the team. `auto` follows the phone region of the business.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "ClockFormat")]
    pub clock: Option<ClockFormat>,
    /// The first day of a week in pages of the team. `auto` follows the phone region of the business.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "WeekStart")]
    pub week_start: Option<WeekStart>,
}

/// An id that no membership has.
fn no_membership() -> MembershipId {
    Uuid::nil().into()
}

impl PersonView {
    /// Before the membership is accepted, the view contains only the data of the offer. It reveals nothing
    /// about the account, not even whether it existed before the offer.
    pub fn new(person: &Person, membership: &Membership) -> Self {
        let (offer, account) = (&membership.offer, membership.accepted.then_some(person));
        let changed_at = membership.updated_at;
        Self {
            id: person.id,
            membership_id: membership.id(),
            email: account.map_or(&offer.email, |person| &person.email).clone(),
            name: account.map_or(&offer.name, |person| &person.name).clone(),
            locale: account.map_or(offer.locale, |person| person.locale),
            role: membership.role,
            status: membership.status,
            staff_id: membership.staff_id,
            created_at: account.map_or(membership.created_at, |person| person.created_at),
            updated_at: account.map_or(changed_at, |person| person.updated_at.max(changed_at)),
            last_sign_in_at: account.and_then(|person| person.last_sign_in_at),
            clock: Some(account.map_or(ClockFormat::Auto, |person| person.clock)),
            week_start: Some(account.map_or(WeekStart::Auto, |person| person.week_start)),
        }
    }
}

/// A person who was added.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "NewPerson")]
pub struct NewPersonView {
    /// The person.
    #[serde(flatten)]
    pub person: PersonView,
    /// The link to set a password; null if `no_link_reason` is set.
    pub link: Option<String>,
    /// The expiry of the link.
    pub link_expires_at: Option<Timestamp>,
    /// The reason why there is no link; null if there is a link.
    pub no_link_reason: Option<NoLink>,
}

/// Why the response has no link.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "NoLinkReason")]
#[serde(rename_all = "snake_case")]
pub enum NoLink {
    /// The account has a password, with which the person signs in.
    HasPassword,
    /// The service has no public address for links. Set `RECEPTIONIST_PUBLIC_URL`.
    NoPublicUrl,
    /// The response is repeated, and only the hash of a link is stored.
    GivenAgain,
}

impl NewPersonView {
    /// The stored response to adding a person, without the link.
    pub fn remembered(person: &Person, membership: &Membership) -> Self {
        Self {
            person: PersonView::new(person, membership),
            link: None,
            link_expires_at: None,
            no_link_reason: Some(NoLink::GivenAgain),
        }
    }
}

/// A link that was created for a person.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "SignInLink")]
pub struct LinkView {
    /// The purpose of the link.
    pub kind: LinkKind,
    /// The link; null in a repeated response, because only the hash of a link is stored.
    pub link: Option<String>,
    /// The expiry of the link.
    pub expires_at: Timestamp,
}

/// The result of marking alerts as read.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct AlertsReadView {
    /// The time at which the alerts were marked.
    pub read_at: Timestamp,
}

/// A person's alert settings by kind.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Notifications")]
pub struct NotificationsView {
    /// A webhook endpoint was disabled after failures.
    pub webhook_disabled: AlertSetting,
    /// An urgent message was taken.
    pub urgent_message: AlertSetting,
    /// A message that is not urgent was taken.
    pub message_taken: AlertSetting,
    /// A booking or a move waits for confirmation.
    pub appointment_requested: AlertSetting,
    /// An appointment was booked.
    pub appointment_booked: AlertSetting,
    /// An appointment was moved.
    pub appointment_rescheduled: AlertSetting,
    /// An appointment was cancelled.
    pub appointment_cancelled: AlertSetting,
    /// A call was missed or failed.
    pub call_missed: AlertSetting,
    /// Deliveries to a webhook endpoint have failed for an hour.
    #[serde(default = "immediately")]
    pub webhook_failing: AlertSetting,
}

/// The setting in responses that an earlier version has stored.
fn immediately() -> AlertSetting {
    AlertSetting { email: AlertEmail::Now, in_app: true, scope: AlertScope::All }
}

impl From<&Membership> for NotificationsView {
    fn from(membership: &Membership) -> Self {
        let of = |kind| membership.alert(kind);
        Self {
            webhook_disabled: of(AlertKind::WebhookDisabled),
            urgent_message: of(AlertKind::UrgentMessage),
            message_taken: of(AlertKind::MessageTaken),
            appointment_requested: of(AlertKind::AppointmentRequested),
            appointment_booked: of(AlertKind::AppointmentBooked),
            appointment_rescheduled: of(AlertKind::AppointmentRescheduled),
            appointment_cancelled: of(AlertKind::AppointmentCancelled),
            call_missed: of(AlertKind::CallMissed),
            webhook_failing: of(AlertKind::WebhookFailing),
        }
    }
}
