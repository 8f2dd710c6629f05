//! Ending somebody's access, for a while or for good, and giving it back: a page that says what stops and what stays,
//! and then the doing.

use actors::business::Request;
use actors::business::commands::people::RemoveMember;
use actors::domain::{MembershipPatch, MembershipStatus};
use actors::view::PersonView;
use askama::Template;
use axum::http::StatusCode;

use super::fields::{about, called, check_may_change, crumb, freshened, password, person};
use crate::dashboard::asked::Member;
use crate::dashboard::filled::{Filled, Undone};
use crate::dashboard::form::Form;
use crate::dashboard::frame::Frame;
use crate::dashboard::parts::{Crumb, Field};
use crate::dashboard::route::Answered;
use crate::dashboard::view::{View, page, see_other};

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
    view: View,
    frame: Frame,
    crumbs: Vec<Crumb>,
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
    rest: Vec<String>,
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
            frame: member.frame("settings/people"),
            crumbs: vec![crumb(member, &view), Crumb { label: who.to_owned(), path: back.clone() }],
            path: member.path().to_owned(),
            title: about(&view, &format!("{word}-title"), who),
            email: if who == person.email { String::new() } else { person.email.clone() },
            happens: view.t(&format!("{word}-happens")),
            stays: view.t(&format!("{word}-stays")),
            ends: step != Step::Enable,
            does: view.t(word),
            password: password(&mut filled, &view, asks),
            rest: filled.rest(&view),
            filled,
            back,
            view,
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
    let (view, kept) = (member.view(), member.kept_form());
    let filled = Filled::kept(&view, kept.as_ref(), member.path(), Form::default);
    Ok(page(StatusCode::OK, &Page::new(&member, step, &person, filled, member.password_field()))?)
}

/// Does it.
pub(crate) async fn sent(mut member: Member, step: Step) -> Answered {
    let (before, person) = person(&member).await?;
    check_may_change(&member, &person)?;
    let fresh = freshened(&mut member).await?;
    let again = |undone: Undone, asks| {
        let status = undone.status();
        let filled = Filled::refused(&member.view(), &member.form, undone);
        Ok(page(status, &Page::new(&member, step, &person, filled, asks))?)
    };
    if let Err(undone) = fresh {
        return again(undone, member.password_field());
    }
    let done = if step == Step::Remove {
        member.change(RemoveMember { id: before.id }).await?.map(|_| ())
    } else {
        let patch = MembershipPatch { active: Some(step == Step::Enable), ..MembershipPatch::default() };
        let changed = (before.id, patch, None);
        let request = Request { if_match: None, ..member.request() };
        match member.people().patch_member(&member.business, request, changed).await {
            Ok(_) => Ok(()),
            Err(error) => Err(Undone::of(error)?),
        }
    };
    if let Err(undone) = done {
        return again(undone, None);
    }
    let path = match step {
        // Whoever ends their own access comes in here no more.
        Step::Disable | Step::Remove if before.id == member.signed_in.person.id => "/dashboard".into(),
        Step::Disable => member.path_to(&format!("settings/people/{}?done=disabled", person.membership_id)),
        Step::Enable => member.path_to(&format!("settings/people/{}?done=enabled", person.membership_id)),
        Step::Remove => member.path_to("settings/people?done=removed"),
    };
    Ok(see_other(&path))
}
