//! `B/people`: members and roles, links from the operator, and alert settings.

use domain::{
    Address, AlertChoice, AlertEmail, AlertKind, AlertScope, Conflict, LinkKind, Locale, MembershipPatch,
    PersonId, PersonName, ProblemCode, Refusal, Role, StaffId,
};
use engine::business::commands::people::{PatchNotifications, RemoveMember};
use engine::people::{Invitation, Invited};
use schemars::JsonSchema;
use view::{LinkView, NewPersonView, NoLink, NotificationsView, PersonView};

use crate::http::patch::Patch;
use crate::http::read::FromText;
use crate::json_object;
use crate::rest::output::AnswerTo;
use crate::rest::prelude::{
    ApiError, Body, Business, Changed, Context, Created, Done, Gone, ListQuery, Listed, One, Path, PlainList,
    Query,
};

json_object! {
    /// A person as they are added.
    pub(crate) struct PersonBody {
        /// Their email address.
        email: Address,
        /// Their name, for an account that is new.
        name: Option<PersonName>,
        /// What they shall be.
        role: Role,
        /// Which staff member they are.
        staff_id: Option<StaffId>,
        /// Their language, for an account that is new; the business's when absent.
        locale: Option<Locale>,
    }
}

json_object! {
    /// What of a person is to change; what is absent stays.
    pub(crate) struct PersonPatch {
        /// What they are.
        role: Patch<Role>,
        /// Which staff member they are; null clears it.
        staff_id: Patch<Option<StaffId>>,
        /// Their name.
        name: Patch<PersonName>,
        /// Whether they come in.
        status: Patch<SetStatus>,
    }
}

json_object! {
    /// What a link shall be for.
    pub(crate) struct LinkBody {
        /// An invitation or a reset, whichever fits, when absent.
        kind: Option<HandedKind>,
    }
}

json_object! {
    /// How somebody is alerted of a kind; what is absent stays.
    pub(crate) struct NotificationPatch {
        /// When it is mailed.
        email: Patch<AlertEmail>,
        /// Whether it is shown in the dashboard.
        in_app: Patch<bool>,
        /// Of all of the business's, or of what concerns the person's own staff member.
        scope: Patch<AlertScope>,
    }
}

json_object! {
    /// How somebody is alerted; a kind that is absent stays as it is.
    pub(crate) struct NotificationsPatch {
        /// An endpoint was turned off for its failures.
        webhook_disabled: Patch<NotificationPatch>,
        /// An urgent message was taken.
        urgent_message: Patch<NotificationPatch>,
        /// Another message was taken.
        message_taken: Patch<NotificationPatch>,
        /// A booking or a move waits for the team.
        appointment_requested: Patch<NotificationPatch>,
        /// An appointment was booked.
        appointment_booked: Patch<NotificationPatch>,
        /// An appointment was moved.
        appointment_rescheduled: Patch<NotificationPatch>,
        /// An appointment was cancelled.
        appointment_cancelled: Patch<NotificationPatch>,
        /// A call was missed or failed.
        call_missed: Patch<NotificationPatch>,
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
        ];
        let choice = |patch: NotificationPatch| AlertChoice {
            email: patch.email.set(),
            in_app: patch.in_app.set(),
            scope: patch.scope.set(),
        };
        given.into_iter().filter_map(|(kind, patch)| Some((kind, choice(patch.set()?)))).collect()
    }
}

/// A status that the operator sets; `invited` comes about by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, JsonSchema)]
#[schemars(inline, rename_all = "snake_case")]
pub(crate) enum SetStatus {
    Active,
    Disabled,
}

impl FromText for SetStatus {
    fn from_text(text: &str) -> Result<Self, ProblemCode> {
        match text {
            "active" => Ok(Self::Active),
            "disabled" => Ok(Self::Disabled),
            _ => Err(ProblemCode::OneOf(vec!["active", "disabled"])),
        }
    }
}

/// A kind of link that the operator hands over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, JsonSchema)]
#[schemars(inline, rename_all = "snake_case")]
pub(crate) enum HandedKind {
    Invitation,
    Reset,
    Enter,
}

impl FromText for HandedKind {
    fn from_text(text: &str) -> Result<Self, ProblemCode> {
        match text {
            "invitation" => Ok(Self::Invitation),
            "reset" => Ok(Self::Reset),
            "enter" => Ok(Self::Enter),
            _ => Err(ProblemCode::OneOf(vec!["invitation", "reset", "enter"])),
        }
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
    // The tag is that of the person, with or without a link.
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
    let changes = (id, membership, patch.name.set());
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
        return Err(Refusal::conflict(
            Conflict::NoPublicUrl,
            "",
            "RECEPTIONIST_PUBLIC_URL has to be set while the listener is off the loopback without TLS",
        )
        .into());
    }
    let kind = body.and_then(|body| body.kind).map(LinkKind::from);
    let linked = people.make_link(&business, context.request()?, (id, kind)).await?;
    let link = linked.token.as_ref().and_then(|token| people.link_url(token));
    let said = LinkView { kind: linked.kind, link, expires_at: linked.expires_at };
    Ok(Done { said, replayed: linked.token.is_none() })
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
