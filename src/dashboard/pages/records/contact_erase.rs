//! Erasing a contact, after a page with the consequences. The engine erases as for a request of the operator.

use domain::{AppointmentStatus, ProblemCode, Right};
use engine::business::PageRequest;
use engine::business::commands::erasure::EraseContact;
use view::ContactView;

use super::contact::{filters, found};
use super::rows::Row;
use crate::dashboard::pages::prelude::*;

const SURE: &str = "sure";
/// The number of latest appointments in which the page looks for future ones.
const LOOKED_AT: usize = 50;

#[derive(Template)]
#[template(path = "dashboard/pages/records/contact_erase.html", config = "src/askama.toml")]
struct Page<'a> {
    sheet: Sheet<'a>,
    back: String,
    name: String,
    problem: String,
    filled: Filled,
    ahead: Vec<Row>,
}

pub(crate) async fn show(member: Member) -> Answered {
    member.must(Right::Data)?;
    let contact = found(&member).await?.contact;
    let filled = member.filled(member.path(), Form::default);
    shown(&member, &contact, filled).await
}

pub(crate) async fn sent(member: Member) -> Answered {
    let contact = found(&member).await?.contact;
    let done = async {
        member.form.find(SURE).ok_or_else(|| Undone::at(SURE, ProblemCode::NotTicked))?;
        member.change(EraseContact { id: contact.id }).await?;
        Ok(member.path_to("contacts?done=erased"))
    };
    member.answered(done.await, |filled| shown(&member, &contact, filled)).await
}

async fn shown(member: &Member, contact: &ContactView, mut filled: Filled) -> Answered {
    let (name, back) = (member.called(contact), member.path_to(&format!("contacts/{}", contact.id)));
    let crumbs = vec![member.crumb("contacts"), Crumb { label: name.clone(), path: back.clone() }];
    let shown = Page {
        sheet: member.sheet("contacts/one").under(crumbs),
        back,
        name,
        problem: filled.problem(&member.view, SURE),
        filled,
        ahead: ahead(member, contact).await?,
    };
    page_as(shown.filled.status, &shown)
}

/// The future appointments that are not cancelled, the next one first.
async fn ahead(member: &Member, contact: &ContactView) -> Result<Vec<Row>, Refused> {
    let (mut latest, ..) = filters(contact.id);
    latest.status = vec![AppointmentStatus::Pending, AppointmentStatus::Confirmed];
    let page = PageRequest { limit: LOOKED_AT, after: None };
    let found = member.business.appointments(&latest, &page).await?.items;
    let now = member.business.now();
    let ahead = found.iter().take_while(|one| one.starts_at >= now);
    let mut rows: Vec<_> = ahead.map(|one| member.row_with_day(one)).collect();
    rows.reverse();
    Ok(rows)
}
