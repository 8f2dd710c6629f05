//! One message: what was said, by whom, and who of the team sees to it. Looking at it changes nothing.

use actors::business::{ContactFilter, PageRequest};
use actors::domain::{MessageId, MessageStatus, Phone, Right};
use actors::view::{CallView, ContactView, MessageView};
use askama::Template;
use axum::http::StatusCode;

use super::messages::{done, team};
use super::said::{Chip, Mailbox, Number, called, duration, lines, of_message, sender, short_day};
use crate::admin::messages::MessagePatch;
use crate::dashboard::asked::Member;
use crate::dashboard::filled::{Filled, Undone, tag};
use crate::dashboard::form::Form;
use crate::dashboard::frame::Frame;
use crate::dashboard::parts::{Choice, Crumb, Field, Versions, initials};
use crate::dashboard::refused::Refused;
use crate::dashboard::route::Answered;
use crate::dashboard::view::{View, page, see_other};

/// The field of the staff member whom a message is for.
const STAFF: &str = "staff_id";

#[derive(Template)]
#[template(path = "dashboard/pages/records/message.html", config = "src/askama.toml")]
struct Page {
    view: View,
    frame: Frame,
    crumbs: Vec<Crumb>,
    path: String,
    done: String,
    name: String,
    chip: Chip,
    /// As programs read it.
    at: String,
    when: String,
    status: MessageStatus,
    phone: Option<Number>,
    /// What was said; nothing once whoever said it was erased.
    lines: Vec<String>,
    call: Option<Call>,
    contact: Option<Known>,
    /// Where whoever left it is added to the contacts.
    add: String,
    /// What is told above the form, with both versions where somebody else was first.
    filled: Filled,
    rest: Vec<String>,
    versions: Versions,
    tag: String,
    staff: Field,
    /// Whom it is for, where that may only be seen.
    assigned: String,
    may: bool,
}

struct Call {
    path: String,
    long: String,
}

/// The contact who left it.
struct Known {
    path: String,
    name: String,
    initials: String,
    since: String,
    phone: Option<Number>,
    email: Option<Mailbox>,
}

/// The message.
pub(crate) async fn show(member: Member) -> Answered {
    let message = found(&member).await?;
    let (view, draft) = (member.view(), member.kept_form());
    let assign = format!("{}/assign", member.path());
    let values = || Form::of([(STAFF, message.staff_id.map(|id| id.to_string()).unwrap_or_default())]);
    let mut filled = Filled::kept(&view, draft.as_ref(), &assign, values);
    if let Some(draft) = draft.filter(|draft| draft.action != assign) {
        // A button that was pressed while signed out.
        let action = draft.action.clone();
        filled.notice = Filled::kept(&view, Some(&draft), &action, Form::default).notice;
    }
    shown(&member, message, filled, StatusCode::OK).await
}

/// Says how far the team is with it: only whoever has seen how far that was, so that no old page undoes what somebody
/// else did. What else has changed is no matter here.
pub(crate) async fn status(member: Member) -> Answered {
    let message = found(&member).await?;
    let (id, word, is) = (message.id, member.form.get("status"), message.status.as_str());
    let read = member.body().text("status").read::<MessagePatch>();
    let done = match read {
        Ok(_) if is == word => Ok(()),
        Ok(_) if is != member.form.get("seen") => Err(Undone::Stale),
        Ok(patch) => member.change_on(&tag(&message), patch.of(id)).await?.map(drop),
        Err(undone) => Err(undone),
    };
    if let Err(undone) = done {
        let filled = Filled::refused(&member.view(), &member.form, undone.clone());
        let message = if undone == Undone::Stale { found(&member).await? } else { message };
        return shown(&member, message, filled, undone.status()).await;
    }
    let back = member.form.get("back");
    if back == "today" {
        return Ok(see_other(&member.path_to(&format!("today?done={word}"))));
    }
    Ok(see_other(&match MessageStatus::from_word(back) {
        Some(list) => member.path_to(&format!("messages?status={list}&done={word}")),
        None => member.path_to(&format!("messages/{id}?done={word}")),
    }))
}

/// Says who sees to it.
pub(crate) async fn assign(member: Member) -> Answered {
    let message = found(&member).await?;
    let id = message.id;
    let read = member.body().optional(STAFF).read::<MessagePatch>();
    let done = match read {
        Ok(patch) => member.change(patch.of(id)).await?,
        Err(undone) => Err(undone),
    };
    match done {
        Ok(_) => Ok(see_other(&member.path_to(&format!("messages/{id}?done=assigned")))),
        Err(undone) => {
            let filled = Filled::refused(&member.view(), &member.form, undone.clone());
            // What is there now, which may be newer than what was read before.
            let message = if undone == Undone::Stale { found(&member).await? } else { message };
            shown(&member, message, filled, undone.status()).await
        }
    }
}

async fn found(member: &Member) -> Result<MessageView, Refused> {
    let id: MessageId = member.param("message_id").ok_or_else(Refused::not_found)?;
    member.business.message(id).await?.ok_or_else(Refused::not_found)
}

async fn shown(member: &Member, message: MessageView, mut filled: Filled, status: StatusCode) -> Answered {
    let (view, zone) = (member.view(), member.profile.zone);
    let staff = team(member).await?;
    let name_of = |id: &str| {
        let one = staff.iter().find(|one| one.id.to_string() == id);
        one.map_or_else(|| view.t("message-nobody"), |one| one.name.clone())
    };
    let assigned = message.staff_id.map(|id| id.to_string()).unwrap_or_default();
    let mut options = vec![Choice::new("", view.t("message-nobody"))];
    // Whoever works here no longer is offered only where the message is theirs.
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
        frame: member.frame("messages/one"),
        crumbs: vec![Crumb { label: view.t("messages"), path: member.path_to("messages") }],
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
        rest: filled.rest(&view),
        tag: filled.tag(&message),
        filled,
        versions,
        staff: field,
        assigned: name_of(&assigned),
        may: member.may(Right::Day),
        view,
    };
    Ok(page(status, &shown)?)
}

/// The call in which it was taken, and the contact who left it or has the number, as far as they are there.
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
        // Who has the number by now may have become a contact since.
        (None, Some(number)) => {
            let filter = ContactFilter { phone: Some(number), ..ContactFilter::default() };
            let one = PageRequest { limit: 1, after: None };
            member.business.contacts(&filter, &one).await?.items.pop()
        }
        (None, None) => None,
    };
    Ok((call, contact))
}

/// The form for a new contact, with what the message tells of who left it.
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
