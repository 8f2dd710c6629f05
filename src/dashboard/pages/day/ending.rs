//! Declining a request and cancelling an appointment. A page first lists the consequences; its form then
//! makes the change.

use domain::{AppointmentStatus, Right};
use engine::business::commands::appointments::{Cancel, Decline};
use view::AppointmentView;

use super::appointment;
use crate::dashboard::pages::prelude::*;

#[derive(Template)]
#[template(path = "dashboard/pages/day/ending.html", config = "src/askama.toml")]
struct Page {
    sheet: Sheet,
    title: String,
    sub: String,
    /// The path of the form, and the appointment's tag.
    action: String,
    tag: String,
    back: String,
    means: Vec<String>,
    deed: String,
}

/// The page before declining. If the request is no longer open, the appointment's page says so.
pub(crate) async fn declining(member: Member) -> Answered {
    let visit = appointment::asked(&member).await?;
    if visit.status != AppointmentStatus::Pending || !member.may(Right::Day) {
        return Ok(see_other(&member.appointment_path(&visit)));
    }
    let view = member.view();
    let means = vec![view.t("ending-decline-frees"), view.t("ending-not-told-by-us"), view.t("ending-final")];
    shown(&member, &view, &visit, ("decline", "ending-decline-title", "ending-decline-do"), means)
}

pub(crate) async fn cancelling(member: Member) -> Answered {
    let visit = appointment::asked(&member).await?;
    if !visit.status.is_active() || !member.may(Right::Day) {
        return Ok(see_other(&member.appointment_path(&visit)));
    }
    let view = member.view();
    let is_over = visit.ends_at <= member.business.now();
    let frees = if is_over { view.t("ending-cancel-over") } else { view.t("ending-cancel-frees") };
    let means = vec![frees, view.t("ending-not-told-by-us"), view.t("ending-final")];
    shown(&member, &view, &visit, ("cancel", "ending-cancel-title", "ending-cancel-do"), means)
}

fn shown(
    member: &Member,
    view: &View,
    visit: &AppointmentView,
    (deed, title, label): (&str, &str, &str),
    means: Vec<String>,
) -> Answered {
    let back = member.appointment_path(visit);
    let mut crumbs = member.above(view, visit);
    crumbs.push(Crumb { label: view.t("appointment-itself"), path: back.clone() });
    let shown = Page {
        sheet: member.sheet("").under(crumbs),
        title: view.with(title, "who", &view.who_comes(visit)),
        sub: format!(
            "{} · {} · {}",
            capitalised(&member.starts(view, visit)),
            visit.service_name,
            visit.staff_name
        ),
        action: format!("{back}/{deed}"),
        tag: tag(visit),
        back,
        means,
        deed: view.t(label),
    };
    page(&shown)
}

pub(crate) async fn decline(member: Member) -> Answered {
    let visit = appointment::asked(&member).await?;
    let done = member.change(Decline { id: visit.id }).await;
    let done = done.map(|_| format!("{}?done=declined", member.appointment_path(&visit)));
    appointment::answered(&member, done).await
}

pub(crate) async fn cancel(member: Member) -> Answered {
    let visit = appointment::asked(&member).await?;
    let done = member.change(Cancel { id: visit.id }).await;
    let done = done.map(|_| format!("{}?done=cancelled", member.appointment_path(&visit)));
    appointment::answered(&member, done).await
}
