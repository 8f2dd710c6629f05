//! Ending somebody's access, for a while or for good, and giving it back: a page that says what stops and what stays,
//! and then the doing.

use std::future::ready;

use domain::{MembershipPatch, MembershipStatus, Person};
use engine::business::Request;
use engine::business::commands::people::RemoveMember;
use view::PersonView;

use super::fields::{about, called, check_may_change, freshened, password, person};
use crate::dashboard::pages::prelude::*;

/// What becomes of somebody's access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// It rests.
    Disable,
    /// It rests no more.
    Enable,
    /// It ends; an invitation is taken back.
    Remove,
}

impl Step {
    /// Whether it can be taken for somebody of this status.
    fn fits(self, status: MembershipStatus) -> bool {
        match self {
            Self::Disable => status == MembershipStatus::Active,
            Self::Enable => status == MembershipStatus::Disabled,
            Self::Remove => true,
        }
    }

    /// What its words begin with.
    fn word(self, status: MembershipStatus) -> &'static str {
        match self {
            Self::Disable => "people-disable",
            Self::Enable => "people-enable",
            Self::Remove if status == MembershipStatus::Invited => "people-take-back",
            Self::Remove => "people-remove",
        }
    }
}

#[derive(Template)]
#[template(path = "dashboard/pages/access/people/change.html", config = "src/askama.toml")]
struct Page {
    sheet: Sheet,
    path: String,
    /// The person's page.
    back: String,
    title: String,
    /// Empty where it is their name already.
    email: String,
    /// What happens, and what stays as it is.
    happens: String,
    stays: String,
    /// Whether something ends by it.
    ends: bool,
    does: String,
    filled: Filled,
    password: Option<Field>,
}

impl Page {
    fn new(
        member: &Member,
        step: Step,
        person: &PersonView,
        mut filled: Filled,
        asks: Option<Field>,
    ) -> Self {
        let (view, word) = (member.view(), step.word(person.status));
        let back = member.path_to(&format!("settings/people/{}", person.membership_id));
        let who = called(person);
        Self {
            sheet: member.sheet("settings/people").under(vec![
                member.crumb("settings/people"),
                Crumb { label: who.to_owned(), path: back.clone() },
            ]),
            path: member.path().to_owned(),
            title: about(&view, &format!("{word}-title"), who),
            email: if who == person.email { String::new() } else { person.email.clone() },
            happens: view.t(&format!("{word}-happens")),
            stays: view.t(&format!("{word}-stays")),
            ends: step != Step::Enable,
            does: view.t(word),
            password: password(&mut filled, &view, asks),
            filled,
            back,
        }
    }
}

/// What it comes to.
pub(crate) async fn show(member: Member, step: Step) -> Answered {
    let (_, person) = person(&member).await?;
    check_may_change(&member, &person)?;
    if !step.fits(person.status) {
        return Ok(see_other(&member.path_to(&format!("settings/people/{}", person.membership_id))));
    }
    let filled = member.filled(member.path(), Form::default);
    page(&Page::new(&member, step, &person, filled, member.password_field()))
}

pub(crate) async fn sent(mut member: Member, step: Step) -> Answered {
    let (before, person) = person(&member).await?;
    check_may_change(&member, &person)?;
    let done = done(&mut member, step, &before, &person).await;
    // Once it was given lately, the password is not asked for again.
    let asks = member.password_field();
    let again =
        |filled: Filled| ready(page_as(filled.status, &Page::new(&member, step, &person, filled, asks)));
    member.answered(done, again).await
}

async fn done(
    member: &mut Member,
    step: Step,
    before: &Person,
    person: &PersonView,
) -> Result<String, Refused> {
    freshened(member).await?;
    if step == Step::Remove {
        member.change(RemoveMember { id: before.id }).await?;
    } else {
        let patch = MembershipPatch { active: Some(step == Step::Enable), ..MembershipPatch::default() };
        let changed = (before.id, patch, None);
        let request = Request { if_match: None, ..member.request() };
        member.people().patch_member(&member.business, request, changed).await.map_err(Undone::of)?;
    }
    Ok(match step {
        // Whoever ends their own access comes in here no more.
        Step::Disable | Step::Remove if before.id == member.signed_in.person.id => "/dashboard".into(),
        Step::Disable => member.path_to(&format!("settings/people/{}?done=disabled", person.membership_id)),
        Step::Enable => member.path_to(&format!("settings/people/{}?done=enabled", person.membership_id)),
        Step::Remove => member.path_to("settings/people?done=removed"),
    })
}
