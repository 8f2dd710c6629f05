//! A mail to be written, before it has an id.

use domain::{About, BusinessId, MailKind, PersonId, Timestamp};

/// A mail to be written.
#[derive(Clone, Debug)]
pub struct NewMail {
    /// The business that it is about, if it is about one.
    pub business_id: Option<BusinessId>,
    /// Whom it is for.
    pub person_id: PersonId,
    /// What it is for.
    pub kind: MailKind,
    /// What it tells of.
    pub about: Vec<About>,
    /// How many more things it would tell of.
    pub more: u32,
    /// Where it goes, if not to the person's present address.
    pub to: Option<String>,
    /// When it is due; at once where this is not later.
    pub due: Option<Timestamp>,
}

impl NewMail {
    /// One that concerns an account alone, due at once.
    pub fn of_account(person_id: PersonId, kind: MailKind, to: Option<String>) -> Self {
        Self { business_id: None, person_id, kind, about: Vec::new(), more: 0, to, due: None }
    }

    /// One about a membership of a business, due at once.
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
