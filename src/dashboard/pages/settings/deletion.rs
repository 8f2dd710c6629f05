//! The pages that delete a service or a staff member. They ask for confirmation, or show the record that
//! prevents the deletion.

use std::fmt::Display;

use domain::{Conflict, Refusal, Right, UsedBy};
use engine::EngineError;
use engine::business::commands::catalog::{DeleteService, DeleteStaff};

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

/// The path of the list of records, and the id of the text about the consequences of a deletion.
const SERVICES: (&str, &str) = ("settings/services", "service-delete-text");
const STAFF: (&str, &str) = ("settings/staff", "staff-delete-text");

fn shown(
    member: &Member,
    (place, text): (&str, &str),
    (id, name): (&dyn Display, &str),
    status: StatusCode,
    undone: Option<FormError>,
) -> Answered {
    let path = member.path_to(&format!("{place}/{id}"));
    let (reason, way) = undone.map(|undone| in_the_way(member, undone)).unwrap_or_default();
    let crumbs = vec![member.crumb(place), Crumb { label: name.to_owned(), path: path.clone() }];
    let shown = Page {
        sheet: member.sheet(place).under(crumbs),
        path,
        title: member.with("deletion-title", "name", name),
        text: member.t(text),
        reason,
        way,
    };
    page_as(status, &shown)
}

pub(crate) async fn show_service(member: Member) -> Answered {
    only_for_changing(&member, Right::Settings)?;
    let found = service::find(&member).await?;
    let unused = member.business.watch_unused_service(found.id).await.map(drop);
    let offering = member.staff().await?.into_iter().find(|one| one.service_ids.contains(&found.id));
    let unused = unused.and(offering.map_or(Ok(()), |one| {
        let conflict = Conflict::InUse(UsedBy::Staff(one.id));
        Err(Refusal::Conflict { conflict, details: Vec::new() }.into())
    }));
    before(&member, SERVICES, (&found.id, &found.name), unused)
}

pub(crate) async fn show_staff(member: Member) -> Answered {
    only_for_changing(&member, Right::Settings)?;
    let found = staff_member::find(&member).await?;
    let unused = member.business.watch_unused_staff(found.id).await.map(drop);
    before(&member, STAFF, (&found.id, &found.name), unused)
}

/// The page before a deletion. If a record refers to the service or staff member, the page says so.
fn before(
    member: &Member,
    place: (&str, &str),
    of: (&dyn Display, &str),
    unused: Result<(), EngineError>,
) -> Answered {
    match unused.map_err(FormError::of) {
        Ok(()) => shown(member, place, of, StatusCode::OK, None),
        Err(Refused::FormError(undone)) => shown(member, place, of, StatusCode::OK, Some(undone)),
        Err(refused) => Err(refused),
    }
}

pub(crate) async fn service(member: Member) -> Answered {
    let found = service::find(&member).await?;
    let done = async {
        let watch = member.business.watch_unused_service(found.id).await.map_err(FormError::of)?;
        member.change(DeleteService { id: found.id, watch }).await?;
        Ok(member.path_to("settings/services?done=deleted"))
    };
    let again = |undone| {
        ready(shown(&member, SERVICES, (&found.id, &found.name), StatusCode::CONFLICT, Some(undone)))
    };
    redirected(done.await, again).await
}

pub(crate) async fn staff(member: Member) -> Answered {
    let found = staff_member::find(&member).await?;
    let done = async {
        let watch = member.business.watch_unused_staff(found.id).await.map_err(FormError::of)?;
        member.change(DeleteStaff { id: found.id, watch }).await?;
        Ok(member.path_to("settings/staff?done=deleted"))
    };
    let again =
        |undone| ready(shown(&member, STAFF, (&found.id, &found.name), StatusCode::CONFLICT, Some(undone)));
    redirected(done.await, again).await
}

/// A text about the record that prevents the deletion, and the path of its page.
fn in_the_way(member: &Member, undone: FormError) -> (String, Option<String>) {
    let FormError::Conflict(refusal) = undone else { return (member.t("settings-changed-meanwhile"), None) };
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
