//! Deleting a service or a staff member: confirmation, and the obstacles.

use domain::{Conflict, Refusal, ResourceId, Right, ServiceId, StaffId, UsedBy};
use engine::business::commands::catalog::{DeleteService, DeleteStaff};
use uuid::Uuid;

use super::facts::only_for_changing;
use super::{service, staff_member};
use crate::dashboard::pages::prelude::*;

#[derive(Template)]
#[template(path = "dashboard/pages/settings/deletion.html", config = "src/askama.toml")]
struct Page {
    sheet: Sheet,
    path: String,
    title: String,
    text: String,
    reason: String,
    way: Option<String>,
}

struct Of {
    place: &'static str,
    id: Uuid,
    name: String,
    text: &'static str,
}

struct InTheWay {
    reason: String,
    way: Option<String>,
}

fn shown(member: &Member, of: &Of, blocked: Option<InTheWay>) -> Answered {
    let (view, above) = (member.view(), member.path_to(of.place));
    let path = format!("{above}/{}", of.id);
    let status = if blocked.is_some() { StatusCode::CONFLICT } else { StatusCode::OK };
    let (reason, way) = blocked.map_or_else(Default::default, |blocked| (blocked.reason, blocked.way));
    let shown = Page {
        sheet: member
            .sheet(of.place)
            .under(vec![member.crumb(of.place), Crumb { label: of.name.clone(), path: path.clone() }]),
        path,
        title: view.with("deletion-title", "name", &of.name),
        text: view.t(of.text),
        reason,
        way,
    };
    page_as(status, &shown)
}

impl Of {
    async fn service(member: &Member) -> Result<(ServiceId, Self), Refused> {
        let found = service::find(member).await?;
        let (place, text) = ("settings/services", "service-delete-text");
        Ok((found.id, Self { place, id: found.id.uuid(), name: found.name, text }))
    }

    async fn staff(member: &Member) -> Result<(StaffId, Self), Refused> {
        let found = staff_member::find(member).await?;
        let (place, text) = ("settings/staff", "staff-delete-text");
        Ok((found.id, Self { place, id: found.id.uuid(), name: found.name, text }))
    }
}

pub(crate) async fn show_service(member: Member) -> Answered {
    only_for_changing(&member, Right::Settings)?;
    shown(&member, &Of::service(&member).await?.1, None)
}

pub(crate) async fn show_staff(member: Member) -> Answered {
    only_for_changing(&member, Right::Settings)?;
    shown(&member, &Of::staff(&member).await?.1, None)
}

pub(crate) async fn service(member: Member) -> Answered {
    let (id, of) = Of::service(&member).await?;
    let done = async {
        let watch = member.business.watch_unused_service(id).await.map_err(Undone::of)?;
        member.change(DeleteService { id, watch }).await.map(drop)
    };
    deleted(&member, &of, done.await)
}

pub(crate) async fn staff(member: Member) -> Answered {
    let (id, of) = Of::staff(&member).await?;
    let done = async {
        let watch = member.business.watch_unused_staff(id).await.map_err(Undone::of)?;
        member.change(DeleteStaff { id, watch }).await.map(drop)
    };
    deleted(&member, &of, done.await)
}

fn deleted(member: &Member, of: &Of, done: Result<(), Refused>) -> Answered {
    match done {
        Ok(()) => Ok(see_other(&format!("{}?done=deleted", member.path_to(of.place)))),
        Err(Refused::Undone(undone)) => shown(member, of, Some(in_the_way(member, undone))),
        Err(refused) => Err(refused),
    }
}

/// The references, in words, and the page that shows them.
fn in_the_way(member: &Member, undone: Undone) -> InTheWay {
    let view = member.view();
    let Undone::Conflict(refusal) = undone else {
        return InTheWay { reason: view.t("settings-changed-meanwhile"), way: None };
    };
    let Refusal::Conflict { conflict: Conflict::InUse(by), .. } = refusal else {
        return InTheWay { reason: view.refusal(&refusal), way: None };
    };
    let way = |place: &str, id: Uuid| Some(member.path_to(&format!("{place}/{id}")));
    let (reason, way) = match by {
        UsedBy::Appointment(id) => ("deletion-appointment", way("appointments", id.uuid())),
        UsedBy::Message(id) => ("deletion-message", way("messages", id.uuid())),
        UsedBy::Staff(id) => ("deletion-staff", way("settings/staff", id.uuid())),
        UsedBy::Person(_) => ("deletion-person", Some(member.path_to("settings/people"))),
        UsedBy::JustNow => return InTheWay { reason: view.refusal(&refusal), way: None },
    };
    InTheWay { reason: view.t(reason), way }
}
