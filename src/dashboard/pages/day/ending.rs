//! Declining a request and cancelling an appointment. A page first lists the consequences; its form then
//! makes the change.

use domain::{AppointmentStatus, Right};
use engine::business::commands::appointments::{Cancel, Decline};
use view::AppointmentView;

use super::appointment;
use crate::dashboard::pages::prelude::*;

#[derive(Template)]
#[template(path = "dashboard/pages/day/ending.html", config = "src/askama.toml")]
struct Page<'a> {
    sheet: Sheet<'a>,
    visit: AppointmentView,
    tag: String,
    /// The last part of the form's path, and the message ids of the title, of the button and of the first
    /// consequence.
    deed: &'static str,
    title: &'static str,
    label: &'static str,
    means: &'static str,
}

/// The page before declining. If the request is no longer open, the appointment's page says so.
pub(crate) async fn declining(member: Member) -> Answered {
    let visit = appointment::asked(&member).await?;
    if visit.status != AppointmentStatus::Pending || !member.may(Right::Day) {
        return Ok(see_other(&member.appointment_path(&visit)));
    }
    shown(&member, visit, ["decline", "ending-decline-title", "ending-decline-do", "ending-decline-frees"])
}

pub(crate) async fn cancelling(member: Member) -> Answered {
    let visit = appointment::asked(&member).await?;
    if !visit.status.is_active() || !member.may(Right::Day) {
        return Ok(see_other(&member.appointment_path(&visit)));
    }
    let is_over = visit.ends_at <= member.business.now();
    let means = if is_over { "ending-cancel-over" } else { "ending-cancel-frees" };
    shown(&member, visit, ["cancel", "ending-cancel-title", "ending-cancel-do", means])
}

fn shown(
    member: &Member,
    visit: AppointmentView,
    [deed, title, label, means]: [&'static str; 4],
) -> Answered {
    let sheet = member.sheet("").under(member.above_change(&visit));
    page(&Page { sheet, tag: tag(&visit), visit, deed, title, label, means })
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
