//! The log of notices to customers, and the consent of a contact to e-mails and texts.

use domain::{
    AppointmentId, DropReason, EmailConsent, Mail, MailId, Notice, NoticeChannel, NoticeKind, NoticeStatus,
    TextConsent, Timestamp,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A notice in the log.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "LoggedNotice")]
pub struct NoticeView {
    /// The id of the notice.
    pub id: MailId,
    /// The appointment.
    pub appointment_id: AppointmentId,
    /// What the notice states.
    pub kind: NoticeKind,
    /// How it is sent.
    pub channel: NoticeChannel,
    /// The address of the last attempt; null before the first attempt, and after the erasure of the contact.
    pub to: Option<String>,
    /// Whether the notice was sent.
    pub status: NoticeStatus,
    /// Why the notice was dropped; null for another status.
    pub reason: Option<DropReason>,
    /// The number of attempts.
    pub attempts: u32,
    /// The error of the last attempt; null without one.
    pub last_error: Option<String>,
    /// The time of the next attempt; null unless the notice is waiting.
    pub next_attempt_at: Option<Timestamp>,
    /// The time of the change that caused the notice.
    pub created_at: Timestamp,
    /// The time of the last attempt, or of the drop.
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
            last_error: mail.last_error.as_ref().map(ToString::to_string),
            next_attempt_at: mail.next_attempt_at,
            created_at: mail.created_at,
            updated_at: mail.last_attempt_at.unwrap_or(mail.created_at),
        }
    }
}

/// The consent of a contact to notices at its own address and phone number.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Consent")]
pub struct ConsentView {
    /// The e-mails that the contact gets; null for a contact without an e-mail address.
    pub email: Option<EmailConsent>,
    /// Whether the contact agrees to texts; null for a contact without a phone number.
    pub texts: Option<TextConsent>,
}
