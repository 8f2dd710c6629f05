//! The mail log of a business. It shows the mails of the last 30 days to the people of the business, each with its
//! status. A button sends a mail again.
//!
//! Invariant: before an invitation is accepted, the log does not reveal whether the address had an account. The kind of
//! the mail would reveal it, since people with and without an account get different kinds of invitations. So the log
//! shows the same text for every kind of mail that can be an invitation, and such a mail cannot be sent again.

use std::collections::HashMap;
use std::collections::hash_map::Entry::Vacant;

use domain::{Mail, MailId, MailKind, MailStatus, MembershipStatus, PersonId, ResourceId, Right, Timestamp};
use engine::business::commands::mails::ResendMail;
use uuid::Uuid;
use view::PersonView;

use crate::dashboard::pages::prelude::*;
use crate::dashboard::words::attempts;

const SHOWN: usize = 50;

#[derive(Template)]
#[template(path = "dashboard/pages/access/mail.html", config = "src/askama.toml")]
struct Page<'a> {
    sheet: Sheet<'a>,
    done: String,
    mails: Vec<Mail>,
    /// The recipients of the mails. The value is `None` for a person who is not a member of the business.
    people: HashMap<PersonId, Option<PersonView>>,
    pages: Pages,
}

pub(crate) async fn show(member: Member) -> Answered {
    let part = member.part("mail log", SHOWN, &[]);
    let before = part.request.after.as_deref().and_then(|bytes| Uuid::from_slice(bytes).ok());
    let (engine, id) = (&member.desk.engine, member.business.id());
    let mut mails = engine.mail_log(id, before.map(MailId::from), SHOWN + 1).await?;
    let is_more = mails.len() > SHOWN;
    mails.truncate(SHOWN);
    let next = mails.last().filter(|_| is_more).map(|mail| mail.id.uuid().into_bytes());
    let mut people = HashMap::new();
    for mail in &mails {
        if let Vacant(vacant) = people.entry(mail.person_id) {
            vacant.insert(member.member_view(mail.person_id).await?);
        }
    }
    page(&Page {
        sheet: member.sheet("settings/mail"),
        done: member.done(&[("resent", "mail-resent")]),
        mails,
        people,
        pages: part.pages(next.as_ref().map(|next| &next[..])),
    })
}

impl Page<'_> {
    fn to(&self, mail: &Mail) -> Option<&PersonView> {
        self.people.get(&mail.person_id)?.as_ref()
    }

    fn status(&self, mail: &Mail) -> (&'static str, String) {
        (mail.status.as_str(), self.sheet.member.t(&format!("mail-status-{}", mail.status)))
    }

    fn tells(&self, mail: &Mail) -> String {
        self.sheet.member.count("mail-tells", mail.about.len() as u64 + u64::from(mail.more))
    }

    fn attempts(&self, mail: &Mail) -> String {
        self.sheet.member.count("mail-attempts", mail.attempts.into())
    }

    fn error(&self, mail: &Mail) -> Option<String> {
        let error = mail.last_error.as_ref().filter(|_| mail.status != MailStatus::Sent)?;
        Some(attempts::mail_error(self.sheet.member.words, error)).filter(|error| !error.is_empty())
    }

    fn next(&self, mail: &Mail) -> Option<Timestamp> {
        mail.next_attempt_at.filter(|_| mail.attempts > 0)
    }

    fn may_resend(&self, mail: &Mail) -> bool {
        self.sheet.member.may(Right::Integrations)
            && self.sheet.member.people().sends_mail()
            && mail.status != MailStatus::Pending
            && !invites(mail.kind)
            && self.to(mail).is_some_and(|to| to.status == MembershipStatus::Active)
    }

    fn what(&self, mail: &Mail) -> String {
        match (mail.kind, mail.about.first()) {
            (MailKind::Alert, Some(about)) => self.sheet.member.t(&format!("alert-about-{}", about.kind)),
            (kind, _) if invites(kind) => self.sheet.member.t("mail-invitation"),
            (kind, _) => self.sheet.member.t(&format!("mail-kind-{kind}")),
        }
    }
}

/// Whether mails of this kind may invite a person. The page shows the same text for all these kinds. Different texts
/// would reveal whether the person already had an account.
fn invites(kind: MailKind) -> bool {
    matches!(kind, MailKind::Invitation | MailKind::Offer | MailKind::Reset)
}

pub(crate) async fn resend(member: Member) -> Answered {
    let id: MailId = member.id("mail_id")?;
    member.business.change(member.request(), ResendMail { id }).await?;
    Ok(see_other(&member.path_to("settings/mail?done=resent")))
}
