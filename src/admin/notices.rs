//! The log of notices to customers, and the consent of contacts.

use domain::{
    AppointmentId, ContactId, EmailConsent, MailId, NoticeChannel, NoticeKind, NoticeStatus, TextConsent,
};
use engine::business::NoticeFilter;
use engine::business::commands::notices::{SendNoticeAgain, SetConsent};
use view::{ConsentView, NoticeView};

use crate::http::patch::Patch;
use crate::rest::prelude::*;
use crate::{json_object, list_query};

list_query! {
    /// The filters of the log of notices.
    pub(super) struct NoticesQuery => NoticeFilter {
        /// Only notices of this kind.
        kind: Option<NoticeKind>,
        /// Only notices of this channel.
        channel: Option<NoticeChannel>,
        /// Only notices with this status.
        status: Option<NoticeStatus>,
        /// Only notices about this appointment.
        appointment_id: Option<AppointmentId>,
    }
}

json_object! {
    /// The consent of a contact; a property that is absent or null keeps its value.
    pub(crate) struct ConsentBody {
        /// The emails that the service sends to the contact's own address; null keeps the value. A contact without
        /// an email address allows only null.
        email: Patch<Option<EmailConsent>>,
        /// Whether the contact agrees to get text messages at the contact's own phone number; null keeps the value. A
        /// contact without a phone number allows only null.
        texts: Patch<Option<TextConsent>>,
    }
}

pub(super) async fn log(
    context: Context,
    Query(query): Query<NoticesQuery>,
    business: Business,
) -> Result<Listed<NoticeView>, ApiError> {
    let asked = query.open(&context, business.list("operator notices"))?;
    Ok(asked.listed(business.notices(&asked.filter, &asked.page).await?))
}

pub(super) async fn send_again(
    context: Context,
    Path(id): Path<MailId>,
    business: Business,
) -> Result<Accepted<NoticeView>, ApiError> {
    let answer = business.change(context.request()?, SendNoticeAgain { id }).await?;
    Ok(Accepted::of(answer.value))
}

pub(super) async fn consent(
    _: Context,
    Path(id): Path<ContactId>,
    business: Business,
) -> Result<One<ConsentView>, ApiError> {
    Ok(One::of(&business.consent(id).await?))
}

pub(super) async fn set_consent(
    context: Context,
    Body(body): Body<ConsentBody>,
    Path(id): Path<ContactId>,
) -> Result<Changed<ConsentView>, ApiError> {
    let (email, texts) = (body.email.set().flatten(), body.texts.set().flatten());
    context.change(SetConsent { id, email, texts }).await
}
