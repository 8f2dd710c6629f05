//! Deleting a service or a staff member: confirmation, and the obstacles.

use domain::{Conflict, Refusal, ResourceId, Right, ServiceId, StaffId, UsedBy};
use engine::business::commands::catalog::{DeleteService, DeleteStaff};
use uuid::Uuid;

use super::parts::only_for_changing;
use super::{service, staff_member};
use crate::dashboard::pages::prelude::*;

#[derive(Template)]
#[template(path = "dashboard/pages/settings/deletion.html", config = "src/askama.toml")]
struct Page<'a> {
    sheet: Sheet<'a>,
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

fn shown(member: &Member, of: &Of, blocked: Option<InTheWay>) -> Answered {
    let path = member.path_to(&format!("{}/{}", of.place, of.id));
    let status = if blocked.is_some() { StatusCode::CONFLICT } else { StatusCode::OK };
    let (reason, way) = blocked.unwrap_or_default();
    let crumbs = vec![member.crumb(of.place), Crumb { label: of.name.clone(), path: path.clone() }];
    let shown = Page {
        sheet: member.sheet(of.place).under(crumbs),
        path,
        title: member.with("deletion-title", "name", &of.name),
        text: member.t(of.text),
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

/// The reference that prevents the deletion, in words, and the page that shows it.
type InTheWay = (String, Option<String>);

fn in_the_way(member: &Member, undone: Undone) -> InTheWay {
    let Undone::Conflict(refusal) = undone else { return (member.t("settings-changed-meanwhile"), None) };
    let Refusal::Conflict { conflict: Conflict::InUse(by), .. } = refusal else {
        return (member.refusal(&refusal), None);
    };
    let (reason, way) = match by {
        UsedBy::Appointment(id) => ("deletion-appointment", format!("appointments/{id}")),
        UsedBy::Message(id) => ("deletion-message", format!("messages/{id}")),
        UsedBy::Staff(id) => ("deletion-staff", format!("settings/staff/{id}")),
        UsedBy::Person(_) => ("deletion-person", "settings/people".into()),
        UsedBy::JustNow => return (member.refusal(&refusal), None),
    };
    (member.t(reason), Some(member.path_to(&way)))
}
