//! The people of a business, their sign-in links and their alert settings, as the APIs show them.

use domain::{
    AlertKind, AlertSetting, ClockFormat, LinkKind, Locale, Membership, MembershipId, MembershipStatus,
    Person, PersonId, Role, StaffId, Timestamp, WeekStart,
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
    /// The id of the membership, for the dashboard. It is not serialised, so a stored response does not contain it.
    #[serde(skip, default = "no_membership")]
    pub membership_id: MembershipId,
    /// The email address as the person wrote it.
    pub email: String,
    /// The person's name. It may be empty.
    pub name: String,
    /// The person's language.
    pub locale: Locale,
    /// The person's role in the business.
    pub role: Role,
    /// The status of the membership.
    pub status: MembershipStatus,
    /// The staff member to which the membership is linked.
    pub staff_id: Option<StaffId>,
    /// The time at which the account was created. Before the membership is accepted, it is the time of the offer.
    pub created_at: Timestamp,
    /// The time of the last change to the account or to the membership.
    pub updated_at: Timestamp,
    /// The time of the last sign-in.
    pub last_sign_in_at: Option<Timestamp>,
    /// The format of times on the dashboard pages. `auto` follows the phone region of the business.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "ClockFormat")]
    pub clock: Option<ClockFormat>,
    /// The first day of the week on the dashboard pages. `auto` follows the phone region of the business.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "WeekStart")]
    pub week_start: Option<WeekStart>,
}

/// Returns an id that belongs to no membership.
fn no_membership() -> MembershipId {
    Uuid::nil().into()
}

impl PersonView {
    /// Creates the view of a person. Before the membership is accepted, the view contains only the data of
    /// the offer, and does not reveal whether the account existed before the offer.
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
    /// The link with which the person sets a password. It is null if `no_link_reason` is set.
    pub link: Option<String>,
    /// The expiry of the link.
    pub link_expires_at: Option<Timestamp>,
    /// The reason why there is no link. It is null if there is a link.
    pub no_link_reason: Option<NoLink>,
}

/// The reason why the response contains no link.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "NoLinkReason")]
#[serde(rename_all = "snake_case")]
pub enum NoLink {
    /// The account already has a password, with which the person can sign in.
    HasPassword,
    /// The service has no public address for links. Set `RECEPTIONIST_PUBLIC_URL`.
    NoPublicUrl,
    /// The request was repeated. The link cannot be shown again, because only its hash is stored.
    GivenAgain,
}

impl NewPersonView {
    /// Returns the response that is stored after a person was added. It does not contain the link.
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
    /// The link. It is null in a repeated response, because only the hash of a link is stored.
    pub link: Option<String>,
    /// The expiry of the link.
    pub expires_at: Timestamp,
}

/// The result of marking alerts as read.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct AlertsReadView {
    /// The time at which the alerts were marked as read.
    pub read_at: Timestamp,
}

/// A person's alert settings by kind.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Notifications")]
pub struct NotificationsView {
    /// The setting for alerts about webhook endpoints that were disabled after failures.
    pub webhook_disabled: AlertSetting,
    /// The setting for alerts about urgent messages.
    pub urgent_message: AlertSetting,
    /// The setting for alerts about messages that are not urgent.
    pub message_taken: AlertSetting,
    /// The setting for alerts about bookings and moves that wait for confirmation.
    pub appointment_requested: AlertSetting,
    /// The setting for alerts about booked appointments.
    pub appointment_booked: AlertSetting,
    /// The setting for alerts about moved appointments.
    pub appointment_rescheduled: AlertSetting,
    /// The setting for alerts about cancelled appointments.
    pub appointment_cancelled: AlertSetting,
    /// The setting for alerts about missed and failed calls.
    pub call_missed: AlertSetting,
    /// The setting for alerts about webhook endpoints to which deliveries have failed for an hour.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "AlertSetting")]
    pub webhook_failing: Option<AlertSetting>,
    /// The setting for alerts about connected calendars that cannot be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "AlertSetting")]
    pub calendar_failed: Option<AlertSetting>,
    /// The setting for alerts about appointments whose events were deleted or moved in a connected calendar.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "AlertSetting")]
    pub calendar_event_changed: Option<AlertSetting>,
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
            webhook_failing: Some(of(AlertKind::WebhookFailing)),
            calendar_failed: Some(of(AlertKind::CalendarFailed)),
            calendar_event_changed: Some(of(AlertKind::CalendarEventChanged)),
        }
    }
}
