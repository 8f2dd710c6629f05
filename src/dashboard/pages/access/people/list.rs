//! The people of a business, with their roles and last sign-ins.

use domain::{ResourceId, Right, StaffMember};
use uuid::Uuid;
use view::PersonView;

use super::fields::staff_name;
use crate::dashboard::pages::prelude::*;

const SHOWN: usize = 50;

#[derive(Template)]
#[template(path = "dashboard/pages/access/people/list.html", config = "src/askama.toml")]
struct Page<'a> {
    sheet: Sheet<'a>,
    done: String,
    people: Vec<PersonView>,
    staff: Vec<StaffMember>,
    pages: Pages,
}

pub(crate) async fn show(member: Member) -> Answered {
    let part = member.part("people", SHOWN, &[]);
    let after = part.request.after.as_deref().and_then(|bytes| Uuid::from_slice(bytes).ok());
    let mut people = member.everybody().await?;
    people.retain(|person| after.is_none_or(|after| person.membership_id.uuid() > after));
    let is_more = people.len() > SHOWN;
    people.truncate(SHOWN);
    let next = people.last().filter(|_| is_more).map(|person| person.membership_id.uuid().into_bytes());
    page(&Page {
        sheet: member.sheet("settings/people"),
        done: member.done(&[
            ("invited", "people-done-invited"),
            ("offered", "people-done-offered"),
            ("removed", "people-done-removed"),
        ]),
        people,
        staff: member.staff().await?,
        pages: part.pages(next.as_ref().map(|next| &next[..])),
    })
}

impl Page<'_> {
    fn staff_of(&self, person: &PersonView) -> &str {
        staff_name(&self.staff, person.staff_id)
    }
}
