//! The page of one person, with a form for role and staff member.
//!
//! The form contains a tag of the values that it changes: role and staff member. Changes to other values, for example
//! the time of the last sign-in, do not make the form stale.

use domain::{Access, MembershipPatch, MembershipStatus, Right, Role, StaffId, StaffMember};
use engine::business::{IfMatch, Request};
use serde::Serialize;
use view::PersonView;

use super::{check_may_change, freshened, may_change, password, person, roles, staff_field, staff_name};
use crate::admin::people::PersonPatch;
use crate::dashboard::pages::prelude::*;

#[derive(Template)]
#[template(path = "dashboard/pages/access/people/one.html", config = "src/askama.toml")]
struct Page<'a> {
    sheet: Sheet<'a>,
    done: String,
    person: &'a PersonView,
    staff_name: String,
    may: bool,
    filled: Filled,
    versions: Versions,
    tag: String,
    role: Field,
    staff: Field,
    password: Option<Field>,
}

/// The values from which the form's tag is computed.
#[derive(Serialize)]
struct Assignment {
    role: Role,
    staff_id: Option<StaffId>,
}

impl Assignment {
    fn of(person: &PersonView) -> Self {
        Self { role: person.role, staff_id: person.staff_id }
    }

    fn form(&self) -> Form {
        let staff = self.staff_id.map(|id| id.to_string()).unwrap_or_default();
        Form::of([("role", self.role.to_string()), ("staff_id", staff)])
    }
}

impl<'a> Page<'a> {
    fn new(member: &'a Member, person: &'a PersonView, staff: &[StaffMember], mut filled: Filled) -> Self {
        let view = &member.view;
        let sent_staff: Option<StaffId> = filled.get("staff_id").parse().ok();
        let one = |id| match staff_name(staff, id) {
            "" => view.t("people-none"),
            name => name.to_owned(),
        };
        let sent_role = Role::from_word(filled.get("role")).map(|role| view.role_word(role));
        Self {
            sheet: member.sheet_below("settings/people"),
            done: member.done(&[
                ("saved", "saved"),
                ("disabled", "people-done-disabled"),
                ("enabled", "people-done-enabled"),
            ]),
            person,
            staff_name: staff_name(staff, person.staff_id).to_owned(),
            may: may_change(member, person),
            versions: filled.versions([
                (view.t("people-role"), sent_role.unwrap_or_default(), view.role_word(person.role)),
                (view.t("people-staff"), one(sent_staff), one(person.staff_id)),
            ]),
            tag: filled.tag(&Assignment::of(person)),
            role: filled.field(view, roles(member)),
            staff: filled.field(view, staff_field(view, staff, sent_staff)),
            password: password(member, &mut filled),
            filled,
        }
    }

    fn is(&self, status: MembershipStatus) -> bool {
        self.person.status == status
    }

    fn waits(&self) -> String {
        match (self.is(MembershipStatus::Invited), self.sheet.member.people().sends_mail()) {
            (true, true) => self.sheet.member.t("people-waits"),
            (true, false) => self.sheet.member.t("people-waits-no-mail"),
            _ => String::new(),
        }
    }
}

pub(crate) async fn show(member: Member) -> Answered {
    let person = person(&member).await?;
    let filled = member.filled(member.path(), || Assignment::of(&person).form());
    page(&Page::new(&member, &person, &member.staff().await?, filled))
}

pub(crate) async fn sent(mut member: Member) -> Answered {
    let person = person(&member).await?;
    check_may_change(&member, &person)?;
    let done = save(&mut member, &person).await;
    let again = |filled: Filled| async {
        // If another member has changed the person in the meantime, the page shows the current version.
        let now = if filled.stale { super::person(&member).await? } else { person };
        page_as(filled.status, &Page::new(&member, &now, &member.staff().await?, filled))
    };
    member.answered(done, again).await
}

async fn save(member: &mut Member, person: &PersonView) -> Result<String, Refused> {
    let PersonPatch { role, staff_id, .. } = member.body().text("role").optional("staff_id").read()?;
    let patch = MembershipPatch { role: role.set(), active: None, staff_id: staff_id.set() };
    if member.form.find("tag").is_some_and(|sent| sent != tag(&Assignment::of(person))) {
        return Err(FormError::Stale.into());
    }
    freshened(member).await?;
    // The engine makes the change only if the person was not changed after `person` was read.
    let request = Request { if_match: Some(IfMatch::Tags(vec![tag(person)])), ..member.request() };
    let changed = (person.id, patch, None);
    member.people().patch_member(&member.business, request, changed).await.map_err(FormError::of)?;
    let sees = patch.role.is_none_or(|role| role.access(Right::People) != Access::Hidden);
    Ok(match member.is_self(person) && !sees {
        true => member.path_to("today"),
        false => format!("{}?done=saved", member.path()),
    })
}
