//! People of a business: members and roles, sign-in links from the operator, and alert settings.

use domain::{
    AccountPatch, Address, AlertChoice, AlertEmail, AlertKind, AlertScope, ClockFormat, Conflict, LinkKind,
    Locale, MembershipPatch, PersonId, PersonName, ProblemCode, Refusal, Role, StaffId, WeekStart,
};
use engine::business::commands::people::{PatchNotifications, RemoveMember};
use engine::people::{Invitation, Invited};
use schemars::JsonSchema;
use view::{LinkView, NewPersonView, NoLink, NotificationsView, PersonView};

use crate::http::patch::Patch;
use crate::http::read::FromText;
use crate::json_object;
use crate::rest::output::AnswerTo;
use crate::rest::prelude::*;

json_object! {
    /// A new person of a business.
    pub(crate) struct PersonBody {
        /// The email address.
        email: Address,
        /// The name of the account, if the service creates one.
        name: Option<PersonName>,
        /// The role.
        role: Role,
        /// The staff member to whom the person is linked.
        staff_id: Option<StaffId>,
        /// The language of the account, if the service creates one. The default is the business's language.
        locale: Option<Locale>,
    }
}

json_object! {
    /// A change to a person; a property that is absent keeps its value.
    pub(crate) struct PersonPatch {
        /// The role.
        role: Patch<Role>,
        /// The staff member to whom the person is linked; null removes the link.
        staff_id: Patch<Option<StaffId>>,
        /// The name of the account.
        name: Patch<PersonName>,
        /// Whether the person has access.
        status: Patch<SetStatus>,
        /// The clock format on the dashboard pages: 12 or 24 hours. `auto` follows the phone region of the
        /// business.
        clock: Patch<ClockFormat>,
        /// The first day of a week on the dashboard pages. `auto` follows the phone region of the business.
        week_start: Patch<WeekStart>,
    }
}

json_object! {
    /// The purpose of a new link.
    pub(crate) struct LinkBody {
        /// The kind of link. The default is the kind that the account needs.
        kind: Option<HandedKind>,
    }
}

json_object! {
    /// A change to the alert settings of one kind; a property that is absent keeps its value.
    pub(crate) struct NotificationPatch {
        /// When the alert is mailed.
        email: Patch<AlertEmail>,
        /// Whether the dashboard shows the alert.
        in_app: Patch<bool>,
        /// Whether the person gets the alerts about the whole business, or only those about the linked staff member.
        scope: Patch<AlertScope>,
    }
}

json_object! {
    /// A change to the alert settings; a kind that is absent keeps its settings.
    pub(crate) struct NotificationsPatch {
        /// An endpoint was disabled because of its failures.
        webhook_disabled: Patch<NotificationPatch>,
        /// An urgent message was taken.
        urgent_message: Patch<NotificationPatch>,
        /// A message that is not urgent was taken.
        message_taken: Patch<NotificationPatch>,
        /// A booking or a move waits for confirmation by the team.
        appointment_requested: Patch<NotificationPatch>,
        /// An appointment was booked.
        appointment_booked: Patch<NotificationPatch>,
        /// An appointment was moved.
        appointment_rescheduled: Patch<NotificationPatch>,
        /// An appointment was cancelled.
        appointment_cancelled: Patch<NotificationPatch>,
        /// A call was missed or failed.
        call_missed: Patch<NotificationPatch>,
        /// Deliveries to a webhook endpoint have failed for an hour.
        webhook_failing: Patch<NotificationPatch>,
        /// A connected calendar cannot be read.
        calendar_failed: Patch<NotificationPatch>,
        /// The event of an appointment was deleted or moved in a connected calendar.
        calendar_event_changed: Patch<NotificationPatch>,
    }
}

impl NotificationsPatch {
    pub(crate) fn choices(self) -> Vec<(AlertKind, AlertChoice)> {
        let given = [
            (AlertKind::WebhookDisabled, self.webhook_disabled),
            (AlertKind::UrgentMessage, self.urgent_message),
            (AlertKind::MessageTaken, self.message_taken),
            (AlertKind::AppointmentRequested, self.appointment_requested),
            (AlertKind::AppointmentBooked, self.appointment_booked),
            (AlertKind::AppointmentRescheduled, self.appointment_rescheduled),
            (AlertKind::AppointmentCancelled, self.appointment_cancelled),
            (AlertKind::CallMissed, self.call_missed),
            (AlertKind::WebhookFailing, self.webhook_failing),
            (AlertKind::CalendarFailed, self.calendar_failed),
            (AlertKind::CalendarEventChanged, self.calendar_event_changed),
        ];
        let choice = |patch: NotificationPatch| AlertChoice {
            email: patch.email.set(),
            in_app: patch.in_app.set(),
            scope: patch.scope.set(),
        };
        given.into_iter().filter_map(|(kind, patch)| Some((kind, choice(patch.set()?)))).collect()
    }
}

/// A status that the operator can set. The operator cannot set the status `invited`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, JsonSchema)]
#[schemars(inline, rename_all = "snake_case")]
pub(crate) enum SetStatus {
    Active,
    Disabled,
}

impl FromText for SetStatus {
    fn from_text(text: &str) -> Result<Self, ProblemCode> {
        one_of(text, &[("active", Self::Active), ("disabled", Self::Disabled)])
    }
}

fn one_of<T: Copy>(text: &str, words: &[(&'static str, T)]) -> Result<T, ProblemCode> {
    let found = words.iter().find(|(word, _)| *word == text).map(|(_, value)| *value);
    found.ok_or_else(|| ProblemCode::OneOf(words.iter().map(|(word, _)| *word).collect()))
}

/// A kind of sign-in link that the operator can create.
#[derive(Clone, Copy, Debug, PartialEq, Eq, JsonSchema)]
#[schemars(inline, rename_all = "snake_case")]
pub(crate) enum HandedKind {
    Invitation,
    Reset,
    Enter,
}

impl FromText for HandedKind {
    fn from_text(text: &str) -> Result<Self, ProblemCode> {
        let kinds = [("invitation", Self::Invitation), ("reset", Self::Reset), ("enter", Self::Enter)];
        one_of(text, &kinds)
    }
}

impl From<HandedKind> for LinkKind {
    fn from(kind: HandedKind) -> Self {
        match kind {
            HandedKind::Invitation => Self::Invitation,
            HandedKind::Reset => Self::Reset,
            HandedKind::Enter => Self::Enter,
        }
    }
}

pub(super) async fn create(
    context: Context,
    Body(body): Body<PersonBody>,
    business: Business,
) -> Result<Created<NewPersonView>, ApiError> {
    let PersonBody { email, name, role, staff_id, locale } = body;
    let people = context.engine.people();
    let invitation = Invitation { email, name, locale, role, staff_id };
    let Invited { mut answer, link, .. } = people.invite(&business, context.request()?, invitation).await?;
    if !answer.replayed {
        let shown = &mut answer.value;
        (shown.link, shown.link_expires_at, shown.no_link_reason) =
            match link.map(|link| (people.link_url(&link.token), link.expires_at)) {
                Some((Some(url), expires_at)) => (Some(url), Some(expires_at), None),
                Some((None, _)) => (None, None, Some(NoLink::NoPublicUrl)),
                None => (None, None, Some(NoLink::HasPassword)),
            };
    }
    // The ETag covers the person and not the link, which later responses omit.
    Ok(Created::answer_to(answer).tagged_as(|shown| &shown.person))
}

pub(super) async fn list(
    context: Context,
    Query(query): Query<PlainList>,
    business: Business,
) -> Result<Listed<PersonView>, ApiError> {
    let asked = query.open(&context, business.list("operator people"))?;
    Ok(asked.listed(context.engine.people().of_business(&business, &asked.page).await?))
}

pub(super) async fn show(
    context: Context,
    business: Business,
    Path(id): Path<PersonId>,
) -> Result<One<PersonView>, ApiError> {
    let (person, membership) = context.engine.people().member(&business, id).await?;
    Ok(One::of(&PersonView::new(&person, &membership)))
}

pub(super) async fn update(
    context: Context,
    Body(patch): Body<PersonPatch>,
    Path(id): Path<PersonId>,
    business: Business,
) -> Result<Changed<PersonView>, ApiError> {
    let membership = MembershipPatch {
        role: patch.role.set(),
        active: patch.status.set().map(|status| status == SetStatus::Active),
        staff_id: patch.staff_id.set(),
    };
    let account = AccountPatch {
        name: patch.name.set(),
        clock: patch.clock.set(),
        week_start: patch.week_start.set(),
        ..AccountPatch::default()
    };
    let account = Some(account).filter(|account| *account != AccountPatch::default());
    let changes = (id, membership, account);
    let answer = context.engine.people().patch_member(&business, context.request()?, changes).await?;
    Ok(Changed::answer_to(answer))
}

pub(super) async fn remove(context: Context, Path(id): Path<PersonId>) -> Result<Gone, ApiError> {
    context.change(RemoveMember { id }).await
}

pub(super) async fn link(
    context: Context,
    Body(body): Body<Option<LinkBody>>,
    Path(id): Path<PersonId>,
    business: Business,
) -> Result<Done<LinkView>, ApiError> {
    let people = context.engine.people();
    people.member(&business, id).await?;
    if !people.has_public_url() {
        return Err(Refusal::conflict(Conflict::NoPublicUrl, "", ProblemCode::PublicUrlUnset).into());
    }
    let kind = body.and_then(|body| body.kind).map(LinkKind::from);
    let linked = people.make_link(&business, context.request()?, (id, kind)).await?;
    let link = linked.token.as_ref().and_then(|token| people.link_url(token));
    let said = LinkView { kind: linked.kind, link, expires_at: linked.expires_at };
    Ok(Done::of(said).replayed(linked.token.is_none()))
}

pub(super) async fn notifications(
    context: Context,
    business: Business,
    Path(id): Path<PersonId>,
) -> Result<One<NotificationsView>, ApiError> {
    let (_, membership) = context.engine.people().member(&business, id).await?;
    Ok(One::of(&NotificationsView::from(&membership)))
}

pub(super) async fn notify(
    context: Context,
    Body(patch): Body<NotificationsPatch>,
    Path(id): Path<PersonId>,
) -> Result<Changed<NotificationsView>, ApiError> {
    context.change(PatchNotifications { id, choices: patch.choices() }).await
}
