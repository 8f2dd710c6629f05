//! The pages that disable, enable and remove a person's access. A page first lists the consequences; its form
//! then makes the change.

use domain::{MembershipPatch, MembershipStatus};
use engine::business::Request;
use engine::business::commands::people::RemoveMember;
use view::PersonView;

use super::{check_may_change, freshened, password, person};
use crate::dashboard::pages::prelude::*;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    Disable,
    Enable,
    /// Ends the membership, or withdraws the invitation.
    Remove,
}

impl Step {
    fn fits(self, status: MembershipStatus) -> bool {
        match self {
            Self::Disable => status == MembershipStatus::Active,
            Self::Enable => status == MembershipStatus::Disabled,
            Self::Remove => true,
        }
    }

    /// The prefix of the ids of the page's texts.
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
struct Page<'a> {
    sheet: Sheet<'a>,
    person: &'a PersonView,
    word: &'static str,
    ends: bool,
    password: Option<Field>,
    filled: Filled,
}

impl<'a> Page<'a> {
    fn new(member: &'a Member, step: Step, person: &'a PersonView, mut filled: Filled) -> Self {
        let path = member.path_to(&format!("settings/people/{}", person.membership_id));
        let mut sheet = member.sheet_below("settings/people");
        sheet.crumbs.push(Crumb { label: member.name_of(person).to_owned(), path });
        let password = password(member, &mut filled);
        let (word, ends) = (step.word(person.status), step != Step::Enable);
        Self { sheet, person, word, ends, password, filled }
    }

    fn say(&self, part: &str) -> String {
        self.sheet.member.t(&format!("{}{part}", self.word))
    }

    fn title(&self) -> String {
        let who = self.sheet.member.name_of(self.person);
        self.sheet.member.with(&format!("{}-title", self.word), "who", who)
    }
}

pub(crate) async fn show(member: Member, step: Step) -> Answered {
    let person = person(&member).await?;
    check_may_change(&member, &person)?;
    if !step.fits(person.status) {
        return Ok(see_other(&member.path_to(&format!("settings/people/{}", person.membership_id))));
    }
    let filled = member.filled(member.path(), Form::default);
    page(&Page::new(&member, step, &person, filled))
}

pub(crate) async fn sent(mut member: Member, step: Step) -> Answered {
    let person = person(&member).await?;
    check_may_change(&member, &person)?;
    let done = done(&mut member, step, &person).await;
    let again = |filled: Filled| ready(page_as(filled.status, &Page::new(&member, step, &person, filled)));
    member.answered(done, again).await
}

async fn done(member: &mut Member, step: Step, person: &PersonView) -> Result<String, Refused> {
    freshened(member).await?;
    if step == Step::Remove {
        member.change(RemoveMember { id: person.id }).await?;
    } else {
        let patch = MembershipPatch { active: Some(step == Step::Enable), ..MembershipPatch::default() };
        let request = Request { if_match: None, ..member.request() };
        let changed = (person.id, patch, None);
        member.people().patch_member(&member.business, request, changed).await.map_err(FormError::of)?;
    }
    Ok(match step {
        // People who end their own access can no longer see the list, so they are redirected elsewhere.
        Step::Disable | Step::Remove if member.is_self(person) => "/dashboard".into(),
        Step::Disable => member.path_to(&format!("settings/people/{}?done=disabled", person.membership_id)),
        Step::Enable => member.path_to(&format!("settings/people/{}?done=enabled", person.membership_id)),
        Step::Remove => member.path_to("settings/people?done=removed"),
    })
}
