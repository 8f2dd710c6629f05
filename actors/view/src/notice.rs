//! The log of notices to customers, and the consents of a contact to emails and text messages, as the APIs show them.

use domain::{
    AppointmentId, DropReason, EmailConsent, Mail, MailError, MailId, Notice, NoticeChannel, NoticeKind,
    NoticeStatus, TextConsent, Timestamp,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A notice in the log.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "LoggedNotice")]
pub struct NoticeView {
    /// The id of the notice.
    pub id: MailId,
    /// The appointment that the notice is about.
    pub appointment_id: AppointmentId,
    /// The kind of the notice, which determines its content.
    pub kind: NoticeKind,
    /// The channel through which the notice is sent.
    pub channel: NoticeChannel,
    /// The address of the last attempt. It is null before the first attempt, and after the contact was erased.
    pub to: Option<String>,
    /// Whether the notice was sent, is waiting, has failed or was dropped.
    pub status: NoticeStatus,
    /// The reason why the notice was dropped. It is null if it was not dropped.
    pub reason: Option<DropReason>,
    /// The number of attempts.
    pub attempts: u32,
    /// The error of the last attempt. It is null if the last attempt had no error.
    #[schemars(with = "Option<String>")]
    pub last_error: Option<MailError>,
    /// The time of the next attempt. It is null if the notice is not waiting.
    pub next_attempt_at: Option<Timestamp>,
    /// The time of the change that caused the notice.
    pub created_at: Timestamp,
    /// The time of the last attempt, or the time at which the notice was dropped.
    pub updated_at: Timestamp,
}

impl NoticeView {
    pub fn new(mail: &Mail, notice: &Notice) -> Self {
        Self {
            id: mail.id,
            appointment_id: notice.appointment_id,
            kind: notice.kind,
            channel: NoticeChannel::Email,
            to: mail.to.clone(),
            status: mail.status.into(),
            reason: notice.dropped,
            attempts: mail.attempts,
            last_error: mail.last_error.clone(),
            next_attempt_at: mail.next_attempt_at,
            created_at: mail.created_at,
            updated_at: mail.last_attempt_at.unwrap_or(mail.created_at),
        }
    }
}

/// The consents of a contact to notices at its own email address and phone number.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Consent")]
pub struct ConsentView {
    /// The emails that the contact agrees to get. It is null if the contact has no email address.
    pub email: Option<EmailConsent>,
    /// Whether the contact agrees to get text messages. It is null if the contact has no phone number.
    pub texts: Option<TextConsent>,
}
