//! The page of an appointment, with the form that cancels it.

use std::sync::Arc;

use askama::Template;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::IntoResponse;
use domain::{AppointmentStatus, BookingMode, Locale, Timestamp};
use engine::EngineError;
use engine::business::commands::customers::CancelByLink;
use talk::words::capitalised;

use super::{FormError, Managed, in_language};
use crate::book::input::{PageInput, Shop};
use crate::book::refused::Refused;
use crate::book::route::Answered;
use crate::book::view::{View, page_as};
use crate::calendars::ics;

const ATTACHED: HeaderValue = HeaderValue::from_static("attachment; filename=\"appointment.ics\"");

#[derive(Template)]
#[template(path = "book/manage/one.html", config = "src/askama.toml")]
struct Page {
    view: View,
    heading: String,
    notice: String,
    status: String,
    service: String,
    staff: String,
    when: String,
    starts_at: String,
    shop: Arc<Shop>,
    /// The paths of the link's pages, or `None` in a frame, which has no forms.
    paths: Option<Paths>,
    /// The path that a framed page opens in a new tab: this page without a frame. Empty if the page is not framed.
    opens: String,
    form_id: String,
    waits: bool,
    may_move: bool,
    may_cancel: bool,
    /// Whether the page says that the customer may not make changes. The value is false if the appointment has ended.
    is_fixed: bool,
    /// The path of the booking page, if the appointment has ended or will not take place.
    again: Option<String>,
}

struct Paths {
    moving: String,
    cancel: String,
    /// The path of the calendar file, if the appointment is still to come.
    calendar: Option<String>,
}

pub(in crate::book) async fn show(asked: PageInput) -> Answered {
    shown(&Managed::find(asked).await?, StatusCode::OK, String::new())
}

/// Shows the page in a frame of another site.
pub(in crate::book) async fn framed(asked: PageInput) -> Answered {
    let own = asked.shop()?.business.id();
    let mut managed = Managed::find(asked).await?;
    if managed.shop.business.id() != own {
        return Err(Refused::not_found());
    }
    managed.view.framed = true;
    shown(&managed, StatusCode::OK, String::new())
}

pub(in crate::book) async fn cancelled(asked: PageInput) -> Answered {
    let managed = Managed::find(asked).await?;
    let expected_starts_at = Timestamp::parse(managed.asked.form.get("expected_starts_at")).ok();
    let token = managed.token.clone();
    let change = expected_starts_at.map(|expected_starts_at| CancelByLink { token, expected_starts_at });
    let done = managed.change(change).await;
    // On a full disk, the engine returns an error, because it cannot store the response. If the appointment is no
    // longer active, the form succeeds in spite of this error, because there is nothing to cancel.
    let is_over = !managed.seen.appointment.is_active()
        && matches!(done, Err(FormError::Failed(EngineError::DiskFull(_))));
    managed.answer(if is_over { Ok(()) } else { done }, refused).await
}

pub(in crate::book) async fn calendar(asked: PageInput) -> Answered {
    let seen = Managed::find(asked).await?.seen;
    let address = seen.website.address.as_deref();
    let file = ics::file(&seen.appointment, &seen.service.name, &seen.business.name, address);
    let kind = HeaderValue::from_static(ics::MEDIA_TYPE);
    Ok(([(header::CONTENT_TYPE, kind), (header::CONTENT_DISPOSITION, ATTACHED)], file).into_response())
}

pub(super) async fn refused(managed: Managed, undone: FormError) -> Answered {
    let notice = undone.message(&managed);
    shown(&managed, undone.status(), notice)
}

pub(super) fn shown(managed: &Managed, status: StatusCode, notice: String) -> Answered {
    let (seen, is_over) = (&managed.seen, managed.is_over());
    let view = match managed.view.framed {
        // A page in a frame also shows links to the other languages.
        true => managed
            .view
            .clone()
            .with_languages(|locale| format!("{}?locale={locale}", managed.asked.page_path())),
        false => managed.view_of(""),
    };
    let appointment = &seen.appointment;
    let heading = match appointment.status {
        AppointmentStatus::Cancelled => "manage-cancelled",
        AppointmentStatus::Declined => "manage-declined",
        _ if is_over => "manage-over",
        AppointmentStatus::Confirmed => "manage-confirmed",
        AppointmentStatus::Pending => "manage-pending",
    };
    let is_coming = appointment.is_active() && !is_over;
    let takes_forms = is_coming && !view.framed;
    let is_off = seen.business.booking_mode == BookingMode::Off;
    let (may_cancel, may_move) =
        (takes_forms && seen.may_change(), takes_forms && seen.may_move() && !is_off);
    let paths = (!view.framed).then(|| Paths {
        moving: managed.path("/move"),
        cancel: managed.path("/cancel"),
        calendar: is_coming.then(|| managed.path("/appointment.ics")),
    });
    let takes_bookings = managed.shop.website.enabled && !seen.business.suspended && !is_off;
    let again = (!is_coming && takes_bookings && !view.framed)
        .then(|| in_language(format!("/book/{}", managed.shop.slug()), managed.locale.map(Locale::as_str)));
    let shown = Page {
        heading: view.t(heading),
        notice,
        status: view.t(&format!("manage-status-{}", appointment.status)),
        service: seen.service.name.clone(),
        staff: seen.staff.name.clone(),
        when: capitalised(&managed.when(appointment.starts_at)),
        starts_at: appointment.starts_at.to_string(),
        shop: Arc::clone(&managed.shop),
        opens: if view.framed { managed.path("") } else { String::new() },
        form_id: managed.form_id(),
        waits: is_coming && appointment.status == AppointmentStatus::Pending,
        is_fixed: takes_forms && !may_move,
        may_cancel,
        may_move,
        paths,
        again,
        view,
    };
    page_as(status, &shown)
}
