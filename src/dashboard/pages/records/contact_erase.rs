//! Erasing a contact: a page that says what goes and what stays, and then the deed, as the operator's.

use actors::business::PageRequest;
use actors::business::commands::erasure::EraseContact;
use actors::domain::{AppointmentStatus, Right};
use actors::view::ContactView;
use askama::Template;
use axum::http::StatusCode;

use super::contact::{filters, found};
use super::rows::{self, Row};
use super::said::called;
use crate::dashboard::asked::Member;
use crate::dashboard::filled::{Filled, Undone};
use crate::dashboard::form::Form;
use crate::dashboard::frame::Frame;
use crate::dashboard::parts::Crumb;
use crate::dashboard::refused::Refused;
use crate::dashboard::route::Answered;
use crate::dashboard::view::{View, page, see_other};

/// The box that has to be ticked.
const SURE: &str = "sure";
/// How many of the latest appointments are looked through for those still to come.
const LOOKED_AT: usize = 50;

#[derive(Template)]
#[template(path = "dashboard/pages/records/contact_erase.html", config = "src/askama.toml")]
struct Page {
    view: View,
    frame: Frame,
    crumbs: Vec<Crumb>,
    path: String,
    back: String,
    name: String,
    filled: Filled,
    rest: Vec<String>,
    /// What is wrong with the box; empty for nothing.
    problem: String,
    /// Appointments that are still to come.
    ahead: Vec<Row>,
}

/// What would go and what would stay.
pub(crate) async fn show(member: Member) -> Answered {
    member.must(Right::Data)?;
    let contact = found(&member).await?.contact;
    let filled = Filled::kept(&member.view(), member.kept_form().as_ref(), member.path(), Form::default);
    shown(&member, &contact, filled, StatusCode::OK).await
}

/// Erases them.
pub(crate) async fn sent(member: Member) -> Answered {
    let contact = found(&member).await?.contact;
    let done = if member.form.find(SURE).is_some() {
        member.change(EraseContact { id: contact.id }).await?
    } else {
        let problem = actors::domain::Problem::new(SURE, actors::domain::ProblemCode::NotTicked);
        Err(Undone::Invalid(vec![problem]))
    };
    match done {
        Ok(_) => Ok(see_other(&member.path_to("contacts?done=erased"))),
        Err(undone) => {
            let filled = Filled::refused(&member.view(), &member.form, undone.clone());
            shown(&member, &contact, filled, undone.status()).await
        }
    }
}

async fn shown(member: &Member, contact: &ContactView, mut filled: Filled, status: StatusCode) -> Answered {
    let view = member.view();
    let name = called(&view, contact);
    let back = member.path_to(&format!("contacts/{}", contact.id));
    let shown = Page {
        frame: member.frame("contacts/one"),
        crumbs: vec![
            Crumb { label: view.t("contacts"), path: member.path_to("contacts") },
            Crumb { label: name.clone(), path: back.clone() },
        ],
        path: format!("{back}/erase"),
        back,
        name,
        problem: filled.problem(&view, SURE),
        rest: filled.rest(&view),
        filled,
        ahead: ahead(member, &view, contact).await?,
        view,
    };
    Ok(page(status, &shown)?)
}

/// The appointments that are still to come and take place, the next one first.
async fn ahead(member: &Member, view: &View, contact: &ContactView) -> Result<Vec<Row>, Refused> {
    let (mut latest, ..) = filters(contact.id);
    latest.status = vec![AppointmentStatus::Pending, AppointmentStatus::Confirmed];
    let page = PageRequest { limit: LOOKED_AT, after: None };
    let found = member.business.appointments(&latest, &page).await?.items;
    let now = member.business.now();
    let ahead = found.iter().take_while(|one| one.starts_at >= now);
    let mut rows: Vec<_> = ahead.map(|one| rows::appointment_with_day(member, view, one)).collect();
    rows.reverse();
    Ok(rows)
}
