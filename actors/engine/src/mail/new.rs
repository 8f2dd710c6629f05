//! A mail without an id, before it is written to the outbox.

use domain::{About, BusinessId, MailKind, PersonId, Timestamp};

#[derive(Clone, Debug)]
pub struct NewMail {
    pub business_id: Option<BusinessId>,
    pub person_id: PersonId,
    pub kind: MailKind,
    /// The events of the mail.
    pub about: Vec<About>,
    /// The number of further events that are not listed.
    pub more: u32,
    /// The address, if it is not the person's present one.
    pub to: Option<String>,
    /// The due time. Without a due time, or with a due time in the past, the mail is due immediately.
    pub due: Option<Timestamp>,
}

impl NewMail {
    /// A mail that concerns only an account. It is due immediately.
    pub fn of_account(person_id: PersonId, kind: MailKind, to: Option<String>) -> Self {
        Self { business_id: None, person_id, kind, about: Vec::new(), more: 0, to, due: None }
    }

    /// A mail about a membership. It is due immediately.
    pub fn of_membership(business_id: BusinessId, person_id: PersonId, kind: MailKind) -> Self {
        Self {
            business_id: Some(business_id),
            person_id,
            kind,
            about: Vec::new(),
            more: 0,
            to: None,
            due: None,
        }
    }
}
