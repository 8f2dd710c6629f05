//! The people of a business, with what each may do and when they last signed in.

use actors::domain::{MembershipId, ResourceId, Right};
use actors::view::PersonView;
use askama::Template;
use axum::http::StatusCode;
use uuid::Uuid;

use super::fields::{called, signed_in, staff, staff_name, status};
use crate::dashboard::asked::Member;
use crate::dashboard::days::Moment;
use crate::dashboard::frame::Frame;
use crate::dashboard::listing::Pages;
use crate::dashboard::parts::initials;
use crate::dashboard::route::Answered;
use crate::dashboard::view::{View, page};

/// How many people are on a page.
const SHOWN: usize = 50;

#[derive(Template)]
#[template(path = "dashboard/pages/access/people/list.html", config = "src/askama.toml")]
struct Page {
    view: View,
    frame: Frame,
    base: String,
    sub: String,
    /// What was done; empty for nothing.
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
    /// The staff member that they are; empty where they are none.
    staff: String,
    status: (&'static str, String),
    /// Whether it is whoever looks at the page.
    own: bool,
    signed_in: Option<Moment>,
}

/// The list.
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
        frame: member.frame("settings/people"),
        base: member.path_to("settings/people"),
        sub: view.with("people-sub", "business", &member.profile.name),
        done: match member.query.get("done") {
            "invited" => view.t("people-done-invited"),
            "offered" => view.t("people-done-offered"),
            "removed" => view.t("people-done-removed"),
            _ => String::new(),
        },
        may_invite: member.may(Right::People),
        people: people.iter().map(row).collect(),
        pages: part.pages(next.as_ref().map(|next| &next[..])),
        view,
    };
    Ok(page(StatusCode::OK, &shown)?)
}
