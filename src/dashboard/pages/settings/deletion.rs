//! Deleting a service or a staff member: what goes, and what stands in the way.

use actors::business::commands::catalog::{DeleteService, DeleteStaff};
use actors::domain::{Conflict, Refusal, ResourceId, Right, UsedBy};
use askama::Template;
use axum::http::StatusCode;
use uuid::Uuid;

use super::facts::only_for_changing;
use super::{service, staff_member};
use crate::dashboard::asked::Member;
use crate::dashboard::filled::Undone;
use crate::dashboard::frame::Frame;
use crate::dashboard::parts::Crumb;
use crate::dashboard::refused::Refused;
use crate::dashboard::route::Answered;
use crate::dashboard::view::{View, page, see_other};

#[derive(Template)]
#[template(path = "dashboard/pages/settings/deletion.html", config = "src/askama.toml")]
struct Page {
    view: View,
    frame: Frame,
    /// The page of what is to be deleted.
    path: String,
    crumbs: Vec<Crumb>,
    title: String,
    text: String,
    /// Why it cannot be; empty where nobody has tried, or it can.
    reason: String,
    /// Where what stands in the way can be looked at.
    way: Option<String>,
}

/// What is to be deleted.
struct Of {
    place: &'static str,
    id: Uuid,
    name: String,
    text: &'static str,
}

/// What stands in the way of deleting it.
struct InTheWay {
    reason: String,
    way: Option<String>,
}

fn shown(member: &Member, of: &Of, blocked: Option<InTheWay>) -> Answered {
    let (view, above) = (member.view(), member.path_to(of.place));
    let path = format!("{above}/{}", of.id);
    let list = view.t(&of.place.replace('/', "-"));
    let status = if blocked.is_some() { StatusCode::CONFLICT } else { StatusCode::OK };
    let (reason, way) = blocked.map_or_else(Default::default, |blocked| (blocked.reason, blocked.way));
    let shown = Page {
        frame: member.frame(of.place),
        crumbs: vec![
            Crumb { label: list, path: above },
            Crumb { label: of.name.clone(), path: path.clone() },
        ],
        path,
        title: view.with("deletion-title", "name", &of.name),
        text: view.t(of.text),
        reason,
        way,
        view,
    };
    Ok(page(status, &shown)?)
}

async fn of_service(member: &Member) -> Result<Of, Refused> {
    let found = service::find(member).await?;
    let (place, text) = ("settings/services", "service-delete-text");
    Ok(Of { place, id: found.id.uuid(), name: found.name, text })
}

async fn of_staff(member: &Member) -> Result<Of, Refused> {
    let found = staff_member::find(member).await?;
    let (place, text) = ("settings/staff", "staff-delete-text");
    Ok(Of { place, id: found.id.uuid(), name: found.name, text })
}

/// Asks whether a service is to be deleted.
pub(crate) async fn show_service(member: Member) -> Answered {
    only_for_changing(&member, Right::Settings)?;
    let of = of_service(&member).await?;
    shown(&member, &of, None)
}

/// Asks whether a staff member is to be deleted.
pub(crate) async fn show_staff(member: Member) -> Answered {
    only_for_changing(&member, Right::Settings)?;
    let of = of_staff(&member).await?;
    shown(&member, &of, None)
}

/// Deletes a service that nothing refers to.
pub(crate) async fn service(member: Member) -> Answered {
    let (id, of) = (service::find(&member).await?.id, of_service(&member).await?);
    let undone = match member.business.watch_unused_service(id).await {
        Ok(watch) => match member.change(DeleteService { id, watch }).await? {
            Ok(_) => return Ok(see_other(&format!("{}?done=deleted", member.path_to(of.place)))),
            Err(undone) => undone,
        },
        Err(error) => Undone::of(error)?,
    };
    let blocked = in_the_way(&member, undone).await?;
    shown(&member, &of, Some(blocked))
}

/// Deletes a staff member that nothing refers to.
pub(crate) async fn staff(member: Member) -> Answered {
    let (id, of) = (staff_member::find(&member).await?.id, of_staff(&member).await?);
    let undone = match member.business.watch_unused_staff(id).await {
        Ok(watch) => match member.change(DeleteStaff { id, watch }).await? {
            Ok(_) => return Ok(see_other(&format!("{}?done=deleted", member.path_to(of.place)))),
            Err(undone) => undone,
        },
        Err(error) => Undone::of(error)?,
    };
    let blocked = in_the_way(&member, undone).await?;
    shown(&member, &of, Some(blocked))
}

/// What refers to it, in words, and the page where that is.
async fn in_the_way(member: &Member, undone: Undone) -> Result<InTheWay, Refused> {
    let view = member.view();
    let Undone::Conflict(refusal) = undone else {
        return Ok(InTheWay { reason: view.t("settings-changed-meanwhile"), way: None });
    };
    let Refusal::Conflict { conflict: Conflict::InUse(by), .. } = refusal else {
        return Ok(InTheWay { reason: view.refusal(&refusal), way: None });
    };
    let way = |place: &str, id: Uuid| Some(member.path_to(&format!("{place}/{id}")));
    let (reason, way) = match by {
        UsedBy::Appointment(id) => ("deletion-appointment", way("appointments", id.uuid())),
        UsedBy::Message(id) => ("deletion-message", way("messages", id.uuid())),
        UsedBy::Staff(id) => ("deletion-staff", way("settings/staff", id.uuid())),
        UsedBy::Person(_) => ("deletion-person", Some(member.path_to("settings/people"))),
        UsedBy::JustNow => return Ok(InTheWay { reason: view.refusal(&refusal), way: None }),
    };
    Ok(InTheWay { reason: view.t(reason), way })
}
