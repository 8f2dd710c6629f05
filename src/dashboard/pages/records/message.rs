//! The page of a message: text, sender, status, and the assigned staff member. GET does not change the
//! status.

use domain::{MessageId, MessageStatus, Phone, Right};
use engine::business::{ContactFilter, PageRequest};
use view::{CallView, ContactView, MessageView};

use super::messages::{done, team};
use super::said::{Chip, called, duration, lines, of_message, sender, short_day};
use crate::admin::messages::MessagePatch;
use crate::dashboard::pages::prelude::*;

const STAFF: &str = "staff_id";

#[derive(Template)]
#[template(path = "dashboard/pages/records/message.html", config = "src/askama.toml")]
struct Page {
    sheet: Sheet,
    path: String,
    done: String,
    name: String,
    chip: Chip,
    at: String,
    when: String,
    status: MessageStatus,
    phone: Option<Number>,
    /// The lines of the message. They are empty after the sender was erased.
    lines: Vec<String>,
    call: Option<Call>,
    contact: Option<Known>,
    /// The path of the form that adds the sender as a contact.
    add: String,
    /// The message above the form, and both versions after a conflict.
    filled: Filled,
    versions: Versions,
    tag: String,
    staff: Field,
    /// The assigned staff member, for a member who may not change it.
    assigned: String,
    may: bool,
}

struct Call {
    path: String,
    long: String,
}

struct Known {
    path: String,
    name: String,
    initials: String,
    since: String,
    phone: Option<Number>,
    email: Option<Mailbox>,
}

pub(crate) async fn show(member: Member) -> Answered {
    let message = found(&member).await?;
    let (view, draft) = (member.view(), member.kept_form());
    let assign = format!("{}/assign", member.path());
    let values = || Form::of([(STAFF, message.staff_id.map(|id| id.to_string()).unwrap_or_default())]);
    let mut filled = Filled::kept(&view, draft.as_ref(), &assign, values);
    if let Some(draft) = draft.filter(|draft| draft.action != assign) {
        // The form of a button that was pressed after the session had ended.
        let action = draft.action.clone();
        filled.notice = Filled::kept(&view, Some(&draft), &action, Form::default).notice;
    }
    shown(&member, message, filled).await
}

/// Changes the status. The form names the status that its page showed, so an old page does not undo a change
/// of another member. Other changes do not matter here.
pub(crate) async fn status(member: Member) -> Answered {
    let message = found(&member).await?;
    let (id, word, is) = (message.id, member.form.get("status"), message.status.as_str());
    let done = async {
        let patch = member.body().text("status").read::<MessagePatch>()?;
        if is != word {
            if is != member.form.get("seen") {
                return Err(Undone::Stale.into());
            }
            member.change_on(&tag(&message), patch.of(id)).await?;
        }
        let back = member.form.get("back");
        Ok(member.path_to(&match MessageStatus::from_word(back) {
            _ if back == "today" => format!("today?done={word}"),
            Some(list) => format!("messages?status={list}&done={word}"),
            None => format!("messages/{id}?done={word}"),
        }))
    };
    let done = done.await;
    member.answered(done, |filled| refused(&member, message, filled)).await
}

pub(crate) async fn assign(member: Member) -> Answered {
    let message = found(&member).await?;
    let id = message.id;
    let done = async {
        let patch = member.body().optional(STAFF).read::<MessagePatch>()?;
        member.change(patch.of(id)).await?;
        Ok(member.path_to(&format!("messages/{id}?done=assigned")))
    };
    member.answered(done.await, |filled| refused(&member, message, filled)).await
}

async fn refused(member: &Member, message: MessageView, filled: Filled) -> Answered {
    // The current version, which may be newer than the one that was read before.
    let message = if filled.stale { found(member).await? } else { message };
    shown(member, message, filled).await
}

async fn found(member: &Member) -> Result<MessageView, Refused> {
    let id: MessageId = member.id("message_id")?;
    member.business.message(id).await?.ok_or_else(Refused::not_found)
}

async fn shown(member: &Member, message: MessageView, mut filled: Filled) -> Answered {
    let (view, zone) = (member.view(), member.profile.zone);
    let staff = team(member).await?;
    let name_of = |id: &str| {
        let one = staff.iter().find(|one| one.id.to_string() == id);
        one.map_or_else(|| view.t("message-nobody"), |one| one.name.clone())
    };
    let assigned = message.staff_id.map(|id| id.to_string()).unwrap_or_default();
    let mut options = vec![Choice::new("", view.t("message-nobody"))];
    // An inactive staff member is offered only if the message is assigned to them.
    let offered = staff.iter().filter(|one| one.active || Some(one.id) == message.staff_id);
    options.extend(offered.map(|one| Choice::new(one.id.to_string(), &*one.name)));
    let field = filled.field(&view, Field::select(STAFF, view.t("message-staff"), options));
    let fact = match MessageStatus::from_word(filled.get("status")) {
        Some(wanted) => (view.t("log-status"), view.standing(wanted), view.standing(message.status)),
        None => (view.t("message-staff"), name_of(filled.get(STAFF)), name_of(&assigned)),
    };
    let versions = if filled.stale { Versions::new([fact]) } else { Versions::default() };
    let (call, contact) = beside(member, &message).await?;
    let shown = Page {
        sheet: member.sheet("messages/one").under(vec![member.crumb("messages")]),
        path: member.path_to(&format!("messages/{}", message.id)),
        done: done(&view, member.query.get("done")),
        name: match (&message.caller_name, &contact) {
            (None, Some(contact)) => called(&view, contact),
            _ => sender(&view, &message),
        },
        chip: of_message(&view, &message),
        at: message.created_at.to_string(),
        when: view.words.moment(message.created_at, zone),
        status: message.status,
        phone: Number::of(
            message.caller_phone.as_ref().or(contact.as_ref().and_then(|contact| contact.phone.as_ref())),
        ),
        lines: lines(&message.body),
        call: call.map(|call| Call {
            path: member.path_to(&format!("calls/{}", call.id)),
            long: view.with("message-the-call", "long", &duration(call.duration_seconds)),
        }),
        contact: contact.map(|contact| known(member, &view, &contact)),
        add: add(member, &message),
        tag: filled.tag(&message),
        filled,
        versions,
        staff: field,
        assigned: name_of(&assigned),
        may: member.may(Right::Day),
    };
    page_as(shown.filled.status, &shown)
}

/// The call of the message, and the contact who left it or has its phone number, if they exist.
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

/// The path of the form for a new contact, with the sender's data from the message.
fn add(member: &Member, message: &MessageView) -> String {
    let mut query = url::form_urlencoded::Serializer::new(String::new());
    for (name, value) in [("name", &message.caller_name), ("phone", &message.caller_phone)] {
        query.extend_pairs(value.iter().map(|value| (name, value)));
    }
    member.path_to(&format!("contacts/new?{}", query.finish()))
}

fn known(member: &Member, view: &View, contact: &ContactView) -> Known {
    let name = called(view, contact);
    Known {
        path: member.path_to(&format!("contacts/{}", contact.id)),
        initials: initials(&name),
        name,
        since: view.with("contact-since", "day", &short_day(view, contact.created_at, member.profile.zone)),
        phone: Number::of(contact.phone.as_ref()),
        email: Mailbox::of(contact.email.as_ref()),
    }
}
