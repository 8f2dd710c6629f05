//! The mail log of a business: the mails to its people in the last 30 days, their status, and sending one
//! again.
//!
//! Invariants: before an invitation is accepted, the log does not reveal whether the address had an account.
//! Both kinds of invitation mails look the same, and neither can be sent again.

use std::collections::HashMap;

use domain::{
    Mail, MailId, MailKind, MailStatus, MembershipStatus, PersonId, Refusal, ResourceId, Right, Timestamp,
};
use engine::EngineError;
use engine::business::commands::mails::ResendMail;
use uuid::Uuid;
use view::PersonView;

use crate::dashboard::days::Moment;
use crate::dashboard::pages::prelude::*;
use crate::dashboard::words::attempts;

const SHOWN: usize = 50;

#[derive(Template)]
#[template(path = "dashboard/pages/access/mail.html", config = "src/askama.toml")]
struct Page {
    sheet: Sheet,
    path: String,
    done: String,
    mails: bool,
    rows: Vec<Row>,
    pages: Pages,
}

struct Row {
    what: String,
    /// The number of matters in the mail, if its kind can have several.
    count: String,
    to: String,
    email: String,
    at: Moment,
    status: (&'static str, String),
    attempts: String,
    error: String,
    next: Option<Moment>,
    /// The id of the mail, if it can be sent again.
    again: Option<MailId>,
}

pub(crate) async fn show(member: Member) -> Answered {
    let view = member.view();
    let part = member.part("mail log", SHOWN, &[]);
    let before = part.request.after.as_deref().and_then(|bytes| Uuid::from_slice(bytes).ok());
    let (engine, id) = (&member.desk.engine, member.business.id());
    let mut mails = engine.mail_log(id, before.map(MailId::from), SHOWN + 1).await?;
    let is_more = mails.len() > SHOWN;
    mails.truncate(SHOWN);
    let next = mails.last().filter(|_| is_more).map(|mail| mail.id.uuid().into_bytes());
    let people = people(&member, &mails).await?;
    let shown = Page {
        sheet: member.sheet("settings/mail"),
        path: member.path_to("settings/mail"),
        done: member.done(&[("resent", "mail-resent")]),
        mails: member.people().sends_mail(),
        rows: mails.iter().map(|mail| row(&member, &view, mail, people.get(&mail.person_id))).collect(),
        pages: part.pages(next.as_ref().map(|next| &next[..])),
    };
    page(&shown)
}

/// The recipients of these mails who are members of the business.
async fn people(member: &Member, mails: &[Mail]) -> Result<HashMap<PersonId, PersonView>, Refused> {
    let mut people = HashMap::new();
    for mail in mails {
        if people.contains_key(&mail.person_id) {
            continue;
        }
        let found = match member.people().member(&member.business, mail.person_id).await {
            Ok((person, membership)) => Some(PersonView::new(&person, &membership)),
            Err(EngineError::Refused(Refusal::NotFound(_))) => None,
            Err(error) => return Err(error.into()),
        };
        people.insert(mail.person_id, found);
    }
    Ok(people.into_iter().filter_map(|(id, found)| Some((id, found?))).collect())
}

fn row(member: &Member, view: &View, mail: &Mail, to: Option<&PersonView>) -> Row {
    let zone = member.profile.zone;
    let when = |instant: Timestamp| days::moment(view, instant, zone);
    let tells = mail.about.len() as u64 + u64::from(mail.more);
    let gets = to.is_some_and(|to| to.status == MembershipStatus::Active);
    let again = member.may(Right::Integrations)
        && member.people().sends_mail()
        && mail.status != MailStatus::Pending
        && !invites(mail.kind)
        && gets;
    Row {
        what: what(view, mail),
        count: if mail.kind.gathers() { view.count("mail-tells", tells) } else { String::new() },
        to: to.map_or_else(
            || view.t("mail-to-nobody"),
            |to| match to.name.trim() {
                "" => to.email.clone(),
                name => name.to_owned(),
            },
        ),
        email: to.filter(|to| !to.name.trim().is_empty()).map_or_else(String::new, |to| to.email.clone()),
        at: when(mail.created_at),
        status: (mail.status.as_str(), view.t(&format!("mail-status-{}", mail.status))),
        attempts: view.count("mail-attempts", mail.attempts.into()),
        error: mail
            .last_error
            .as_ref()
            .filter(|_| mail.status != MailStatus::Sent)
            .map(|error| attempts::mail_error(view.words, error))
            .unwrap_or_default(),
        next: mail.next_attempt_at.filter(|_| mail.attempts > 0).map(when),
        again: again.then_some(mail.id),
    }
}

fn what(view: &View, mail: &Mail) -> String {
    match (mail.kind, mail.about.first()) {
        (MailKind::Alert, Some(about)) => view.t(&format!("told-{}", about.kind)),
        (kind, _) if invites(kind) => view.t("mail-invitation"),
        (kind, _) => view.t(&format!("mail-kind-{kind}")),
    }
}

/// Whether the mail is an invitation. The kind depends on whether an account existed before, so the page
/// shows all of them with the same words.
fn invites(kind: MailKind) -> bool {
    matches!(kind, MailKind::Invitation | MailKind::Offer | MailKind::Reset)
}

pub(crate) async fn resend(member: Member) -> Answered {
    let id: MailId = member.id("mail_id")?;
    member.business.change(member.request(), ResendMail { id }).await?;
    Ok(see_other(&member.path_to("settings/mail?done=resent")))
}
