//! The page of a message shows its text, sender, status and assigned staff member. GET does not change the
//! status.

use chrono::{Days, TimeDelta};
use domain::{MessageStatus, Phone, Right, StaffId, Timestamp};
use engine::business::commands::messages::PatchMessage;
use engine::business::{ContactFilter, IfMatch, PageRequest, Request};
use view::{CallView, ContactView, MessageView, OperatorMessageView};

use super::messages::{done, snoozed_until};
use crate::admin::messages::MessagePatch;
use crate::dashboard::pages::prelude::*;
use crate::dashboard::pages::settings::times_off::at;

const STAFF: &str = "staff_id";
const NOTES: &str = "notes";
/// The time of day at which a message that was snoozed until a later day is a task again.
const RETURNS_AT: &str = "08:00";

#[derive(Template)]
#[template(path = "dashboard/pages/records/message.html", config = "src/askama.toml")]
struct Page<'a> {
    sheet: Sheet<'a>,
    done: String,
    name: String,
    message: MessageView,
    phone: Option<String>,
    call: Option<CallView>,
    contact: Option<ContactView>,
    filled: Filled,
    versions: Versions,
    tag: String,
    notes: Field,
    /// The notes, for a member who is not allowed to change them.
    noted: String,
    snoozed_until: Option<Timestamp>,
    staff: Field,
    /// The assigned staff member, for a member who is not allowed to change it.
    assigned: String,
}

pub(crate) async fn show(member: Member) -> Answered {
    let message = found(&member).await?;
    let (view, draft) = (&member.view, member.kept_form());
    let [assign, note] = ["assign", "notes"].map(|form| format!("{}/{form}", member.path()));
    let mut filled = Filled::of(values(&message));
    for action in [&assign, &note] {
        let draft = draft.as_ref().filter(|draft| draft.action == *action);
        if draft.is_some() {
            filled = Filled::kept(view, draft, action, Form::default);
        }
    }
    if let Some(draft) = draft.filter(|draft| draft.action != assign && draft.action != note) {
        // The service did not accept the form of a button. The page cannot show this form filled in, so it shows only
        // the reason.
        filled.notice = view.t(draft.why.message());
    }
    shown(&member, message, filled).await
}

fn values(message: &OperatorMessageView) -> Form {
    let staff = message.message.staff_id.map(|id| id.to_string()).unwrap_or_default();
    Form::of([(STAFF, staff), (NOTES, message.notes.get().unwrap_or_default().to_owned())])
}

/// Changes the status. The form contains the status that its page showed, so an old page does not undo a
/// change to the status by another member. Other changes to the message do not make the form stale.
pub(crate) async fn status(member: Member) -> Answered {
    let message = found(&member).await?;
    let (id, word) = (message.message.id, member.form.get("status"));
    let is = message.message.status.as_str();
    let done = async {
        let patch = member.body().text("status").read::<MessagePatch>()?;
        if is != word {
            if is != member.form.get("seen") {
                return Err(FormError::Stale.into());
            }
            let if_match = Some(IfMatch::Tags(vec![tag(&message)]));
            let request = Request { if_match, ..member.request() };
            member.business.change(request, patch.of(id)).await.map_err(FormError::of)?;
        }
        let back = member.form.get("back");
        // If the message was resolved, the next page offers to undo this.
        let undo = if word == "resolved" { format!("&message={id}&was={is}") } else { String::new() };
        let done = format!("done={word}{undo}");
        Ok(member.path_to(&match MessageStatus::from_word(back) {
            _ if back == "today" => format!("today?{done}"),
            Some(list) => format!("messages?status={list}&{done}"),
            None => format!("messages/{id}?{done}"),
        }))
    };
    let done = done.await;
    member.answered(done, |filled| refused(&member, message, filled)).await
}

pub(crate) async fn assign(member: Member) -> Answered {
    let message = found(&member).await?;
    let id = message.message.id;
    let done = async {
        let patch = member.body().optional(STAFF).read::<MessagePatch>()?;
        member.change(patch.of(id)).await?;
        Ok(member.path_to(&format!("messages/{id}?done=assigned")))
    };
    member.answered(done.await, |filled| refused(&member, message, filled)).await
}

pub(crate) async fn note(member: Member) -> Answered {
    let message = found(&member).await?;
    let id = message.message.id;
    let done = async {
        let patch = member.body().optional(NOTES).read::<MessagePatch>()?;
        member.change(patch.of(id)).await?;
        Ok(member.path_to(&format!("messages/{id}?done=noted")))
    };
    member.answered(done.await, |filled| refused(&member, message, filled)).await
}

/// Snoozes the message for the time on the pressed button, or ends the snooze.
pub(crate) async fn snooze(member: Member) -> Answered {
    let MessageView { id, status, .. } = found(&member).await?.message;
    let (now, word) = (member.business.now(), member.form.get("for"));
    let morning = |days: u64| {
        let day = member.today().checked_add_days(Days::new(days));
        at(day, RETURNS_AT, false, member.profile.zone).ok().flatten()
    };
    let snoozed_until = match word {
        "hour" => Some(now + TimeDelta::hours(1)),
        "tomorrow" => morning(1),
        "week" => morning(7),
        _ => None,
    };
    // Only messages with the status `new` are tasks. If a person snoozes a read message, the message gets the status
    // `new`, so that it becomes a task when the snooze ends.
    let is_new_again = snoozed_until.is_some() && status == MessageStatus::Read;
    let status = is_new_again.then_some(MessageStatus::New);
    let patch = PatchMessage { status, snoozed_until: Some(snoozed_until), ..PatchMessage::of(id) };
    member.business.change(Request::by(member.actor()), patch).await?;
    let done = if snoozed_until.is_some() { "snoozed" } else { "awake" };
    Ok(see_other(&member.path_to(&format!("messages/{id}?done={done}"))))
}

async fn refused(member: &Member, message: OperatorMessageView, filled: Filled) -> Answered {
    // A stale form shows the current version, so the message is read again.
    let message = if filled.stale { found(member).await? } else { message };
    shown(member, message, filled).await
}

async fn found(member: &Member) -> Result<OperatorMessageView, Refused> {
    member.business.message_as(member.id("message_id")?).await?.ok_or_else(Refused::not_found)
}

async fn shown(member: &Member, of_team: OperatorMessageView, mut filled: Filled) -> Answered {
    let tag = filled.tag(&of_team);
    let noted = of_team.notes.get().unwrap_or_default().to_owned();
    let snoozed_until = snoozed_until(member, &of_team);
    // The page has two forms. A refused form has only its own fields, so the other form shows the saved
    // values.
    let saved = values(&of_team);
    let message = of_team.message;
    let (view, staff) = (&member.view, member.staff().await?);
    let name_of = |id: Option<StaffId>| {
        let one = staff.iter().find(|one| Some(one.id) == id);
        one.map_or_else(|| view.t("message-unassigned"), |one| one.name.clone())
    };
    // An inactive staff member is an option only if the message is assigned to this staff member.
    let offered = staff.iter().filter(|one| one.active || Some(one.id) == message.staff_id);
    let offered = offered.map(|one| Choice::new(one.id.to_string(), &*one.name));
    let field = Field::select(STAFF, view.t("message-staff"), offered).or_empty(view.t("message-unassigned"));
    let notes = Field::area(NOTES, view.t("notes")).optional().hint(view.t("contact-notes-hint"));
    let fact = match MessageStatus::from_word(filled.get("status")) {
        Some(wanted) => (view.t("log-status"), view.standing(wanted), view.standing(message.status)),
        None if filled.has(NOTES) && !filled.has(STAFF) => {
            (view.t("notes"), filled.get(NOTES).to_owned(), noted.clone())
        }
        None => (view.t("message-staff"), name_of(filled.get(STAFF).parse().ok()), name_of(message.staff_id)),
    };
    let (call, contact) = beside(member, &message).await?;
    let shown = Page {
        sheet: member.sheet("messages/one").under(vec![member.crumb("messages")]),
        done: done(member),
        name: match (&message.caller_name, &contact) {
            (None, Some(contact)) => view.called(contact),
            _ => view.sender(&message),
        },
        phone: message.caller_phone.clone().or_else(|| contact.as_ref()?.phone.clone()),
        call,
        contact,
        tag,
        versions: filled.versions([fact]),
        staff: filled.field_or(view, field, &saved),
        notes: filled.field_or(view, notes, &saved),
        noted,
        snoozed_until,
        filled,
        assigned: name_of(message.staff_id),
        message,
    };
    page_as(shown.filled.status, &shown)
}

impl Page<'_> {
    fn snooze_word(&self, time: &str) -> String {
        self.sheet.member.t(&format!("message-snooze-{time}"))
    }

    fn add(&self) -> String {
        let mut query = url::form_urlencoded::Serializer::new(String::new());
        let sender = [("name", &self.message.caller_name), ("phone", &self.message.caller_phone)];
        query.extend_pairs(sender.into_iter().filter_map(|(name, value)| Some((name, value.as_deref()?))));
        self.sheet.member.path_to(&format!("contacts/new?{}", query.finish()))
    }
}

/// Returns the call and the contact of the message, if they exist. If the message has no contact, returns the contact
/// with the caller's phone number.
async fn beside(
    member: &Member,
    message: &MessageView,
) -> Result<(Option<CallView>, Option<ContactView>), Refused> {
    let call = match message.call_id {
        Some(id) => member.business.call_record(id).await?,
        None => None,
    };
    let number = message.caller_phone.clone().and_then(|number| Phone::from_e164(number).ok());
    let contact = match (message.contact_id, number) {
        (Some(id), _) => member.business.contact(id).await?,
        // A contact with this number may have been added after the message.
        (None, Some(number)) => {
            let filter = ContactFilter { phone: Some(number), ..ContactFilter::default() };
            let one = PageRequest { limit: 1, after: None };
            member.business.contacts(&filter, &one).await?.items.pop()
        }
        (None, None) => None,
    };
    Ok((call, contact))
}
