//! The people of a business, with their roles and last sign-ins.

use domain::{MembershipId, ResourceId, Right};
use uuid::Uuid;
use view::PersonView;

use super::fields::{called, signed_in, staff, staff_name, status};
use crate::dashboard::days::Moment;
use crate::dashboard::pages::prelude::*;

const SHOWN: usize = 50;

#[derive(Template)]
#[template(path = "dashboard/pages/access/people/list.html", config = "src/askama.toml")]
struct Page {
    sheet: Sheet,
    base: String,
    sub: String,
    done: String,
    may_invite: bool,
    people: Vec<Row>,
    pages: Pages,
}

struct Row {
    id: MembershipId,
    name: String,
    initials: String,
    email: String,
    role: String,
    staff: String,
    status: (&'static str, String),
    own: bool,
    signed_in: Option<Moment>,
}

pub(crate) async fn show(member: Member) -> Answered {
    let view = member.view();
    let part = member.part("people", SHOWN, &[]);
    let after = part.request.after.as_deref().and_then(|bytes| Uuid::from_slice(bytes).ok());
    let mut people = member.everybody().await?;
    people.retain(|person| after.is_none_or(|after| person.membership_id.uuid() > after));
    let is_more = people.len() > SHOWN;
    people.truncate(SHOWN);
    let next = people.last().filter(|_| is_more).map(|person| person.membership_id.uuid().into_bytes());
    let staff = staff(&member).await?;
    let row = |person: &PersonView| Row {
        id: person.membership_id,
        name: called(person).to_owned(),
        initials: initials(called(person)),
        email: person.email.clone(),
        role: view.t(&format!("role-{}", person.role)),
        staff: staff_name(&staff, person.staff_id).to_owned(),
        status: status(&view, person.status),
        own: person.id == member.signed_in.person.id,
        signed_in: signed_in(&member, &view, person),
    };
    let shown = Page {
        sheet: member.sheet("settings/people"),
        base: member.path_to("settings/people"),
        sub: view.with("people-sub", "business", &member.profile.name),
        done: member.done(&[
            ("invited", "people-done-invited"),
            ("offered", "people-done-offered"),
            ("removed", "people-done-removed"),
        ]),
        may_invite: member.may(Right::People),
        people: people.iter().map(row).collect(),
        pages: part.pages(next.as_ref().map(|next| &next[..])),
    };
    page(&shown)
}
