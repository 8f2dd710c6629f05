//! Helpers for the tests of mails.

use domain::{About, AlertKind, BusinessId, Mail, MailKind, MailStatus, Timestamp};
use uuid::Uuid;

pub(super) fn business(number: u8) -> BusinessId {
    Uuid::from_bytes([number; 16]).into()
}

/// A waiting mail about an alert, not attempted yet.
pub(super) fn mail(number: u8) -> Mail {
    let at = Timestamp::from_millis(0);
    Mail {
        id: Uuid::from_bytes([number; 16]).into(),
        business_id: Some(business(1)),
        person_id: Uuid::from_bytes([0xaa; 16]).into(),
        kind: MailKind::Alert,
        about: vec![About { kind: AlertKind::CallMissed, id: Uuid::from_bytes([number; 16]), at }],
        more: 0,
        to: None,
        message_id: format!("{number}@example.com"),
        status: MailStatus::Pending,
        attempts: 0,
        last_error: None,
        created_at: at,
        last_attempt_at: None,
        next_attempt_at: Some(at),
        notice: None,
        before: None,
    }
}
