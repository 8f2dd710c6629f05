//! The mail log of a business: what was mailed to its people in the last 30 days, how far it has come, and sending it
//! again.
//!
//! Until an invitation is accepted nobody here is told whether the address had an account: both kinds of mail that
//! invite read the same, and neither is sent again.

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

/// How many mails are on a page.
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
    /// How much it tells of, where that is more than one thing.
    count: String,
    to: String,
    email: String,
    at: Moment,
    status: (&'static str, String),
    /// How many attempts were made, in words.
    attempts: String,
    /// Why the last attempt failed; empty where none did.
    error: String,
    /// When the next one is due.
    next: Option<Moment>,
    /// Which mail is sent again, where it can be.
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

/// To whom these mails go, as far as they belong to the business.
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
        error: mail.last_error.clone().filter(|_| mail.status != MailStatus::Sent).unwrap_or_default(),
        next: mail.next_attempt_at.filter(|_| mail.attempts > 0).map(when),
        again: again.then_some(mail.id),
    }
}

/// What a mail is, in words.
fn what(view: &View, mail: &Mail) -> String {
    match (mail.kind, mail.about.first()) {
        (MailKind::Alert, Some(about)) => view.t(&format!("told-{}", about.kind)),
        (kind, _) if invites(kind) => view.t("mail-invitation"),
        (kind, _) => view.t(&format!("mail-kind-{kind}")),
    }
}

/// Whether a mail of a business invites somebody. Which of these kinds it is depends on the account that there was before,
/// so pages call them alike.
fn invites(kind: MailKind) -> bool {
    matches!(kind, MailKind::Invitation | MailKind::Offer | MailKind::Reset)
}

pub(crate) async fn resend(member: Member) -> Answered {
    let id: MailId = member.id("mail_id")?;
    member.business.change(member.request(), ResendMail { id }).await?;
    Ok(see_other(&member.path_to("settings/mail?done=resent")))
}
