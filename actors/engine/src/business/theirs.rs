//! Who is being erased, and what a call or message is without what tells of them.
//!
//! What always holds: what was made after somebody had gone is left alone, whoever has the phone number then.

use std::collections::{BTreeSet, HashMap};

use domain::{Appointment, CallId, CallRecord, ContactId, ErasureId, ResourceId, TakenMessage};
use store::records::ErasureRecord;
use store::{StoreError, keys};
use uuid::Uuid;

/// The contacts that are being erased, and their phone numbers.
#[derive(Debug, Default)]
pub(crate) struct Theirs {
    pub(super) contacts: BTreeSet<ContactId>,
    /// What stands for their phone numbers, and the newest erasure of each: what was made behind that is of others.
    phones: HashMap<[u8; 16], ErasureId>,
    /// Whether one of them had no phone number, or nobody knew what they were: then they may still be listed.
    may_be_listed: bool,
}

impl Theirs {
    /// Takes a contact in; what their erasure says may be lost.
    pub(crate) fn add(&mut self, contact: ContactId, erasure: Option<&ErasureRecord>) {
        self.contacts.insert(contact);
        if let Some(ErasureRecord { id, phone: Some(phone) }) = erasure {
            let newest = self.phones.entry(*phone).or_insert(*id);
            *newest = (*id).max(*newest);
        } else {
            self.may_be_listed = true;
        }
    }

    /// Whether rows may still lead to one of them who has gone: to those alone whose record did not decode, of whom no
    /// number is known.
    pub(super) fn may_be_listed(&self) -> bool {
        self.may_be_listed
    }

    /// Whether nobody is being erased.
    pub(crate) fn is_empty(&self) -> bool {
        self.contacts.is_empty()
    }

    /// Whether this is one of them.
    pub(crate) fn is_erased(&self, contact: Option<ContactId>) -> bool {
        contact.is_some_and(|contact| self.contacts.contains(&contact))
    }

    /// Whether a number was one of theirs when something of this id was made.
    pub(super) fn had(&self, phone: Option<&str>, id: Uuid) -> bool {
        let erased = phone.and_then(|phone| self.phones.get(&keys::phone_digest(phone)));
        erased.is_some_and(|erased| id < erased.uuid())
    }

    fn had_number_of(&self, call: &CallRecord) -> bool {
        // The other number is the business's own line, which everybody's calls have.
        self.had(call.number_of_caller(), call.id.uuid())
    }

    /// Whether a call is one of theirs: one that is filed under nobody is taken for that of whose number it has.
    pub(crate) fn is_their_call(&self, call: &CallRecord) -> bool {
        self.is_erased(call.contact_id) || call.contact_id.is_none() && self.had_number_of(call)
    }
}

/// A record that may tell of a contact.
pub(crate) trait Personal: Sized {
    /// The record without what tells of those who are being erased; `None` where nothing does.
    fn without(
        &self,
        theirs: &Theirs,
        is_their_call: impl FnOnce(CallId) -> Result<bool, StoreError>,
    ) -> Result<Option<Self>, StoreError>;
}

impl Personal for Appointment {
    fn without(
        &self,
        theirs: &Theirs,
        _: impl FnOnce(CallId) -> Result<bool, StoreError>,
    ) -> Result<Option<Self>, StoreError> {
        Ok(theirs.is_erased(self.contact_id).then(|| self.erased()))
    }
}

impl Personal for CallRecord {
    fn without(
        &self,
        theirs: &Theirs,
        _: impl FnOnce(CallId) -> Result<bool, StoreError>,
    ) -> Result<Option<Self>, StoreError> {
        Ok(if theirs.is_their_call(self) {
            Some(self.erased())
        } else {
            theirs.had_number_of(self).then(|| self.without_number_of_caller())
        })
    }
}

/// A message without a contact is theirs, too, if the call is in which it was taken.
impl Personal for TakenMessage {
    fn without(
        &self,
        theirs: &Theirs,
        is_their_call: impl FnOnce(CallId) -> Result<bool, StoreError>,
    ) -> Result<Option<Self>, StoreError> {
        let has_their_phone = theirs.had(self.caller_phone.as_deref(), self.id.uuid());
        let is_theirs = theirs.is_erased(self.contact_id)
            || self.contact_id.is_none()
                && (has_their_phone || self.call_id.map_or(Ok(false), is_their_call)?);
        Ok(if is_theirs {
            Some(self.erased())
        } else {
            has_their_phone.then(|| Self { caller_phone: None, ..self.clone() })
        })
    }
}

#[cfg(test)]
mod tests {
    use domain::{CallOutcome, CallStatus, Direction, Timestamp};

    use super::*;

    const LINE: &str = "+33100000001";

    fn call(direction: Direction, contact_id: Option<ContactId>) -> CallRecord {
        let now = Timestamp::from_millis(1);
        CallRecord {
            id: Uuid::from_u128(1).into(),
            direction,
            status: CallStatus::Completed,
            outcome: CallOutcome::Other,
            from_number: Some(LINE.into()),
            to_number: Some("+33612345678".into()),
            contact_id,
            started_at: now,
            ended_at: now,
            duration_seconds: 0,
            locale: None,
            summary: Some("Hello".into()),
            recording_url: None,
            appointment_id: None,
            message_id: None,
            created_at: now,
            updated_at: now,
        }
    }

    fn without(call: &CallRecord, theirs: &Theirs) -> Option<CallRecord> {
        call.without(theirs, |_| Ok(false)).unwrap()
    }

    #[test]
    fn the_line_of_the_business_is_nobodys_number() {
        let somebody = Some(Uuid::from_u128(2).into());
        let mut theirs = Theirs::default();
        let id = Uuid::from_u128(9).into();
        theirs.add(
            Uuid::from_u128(3).into(),
            Some(&ErasureRecord { id, phone: Some(keys::phone_digest(LINE)) }),
        );
        for contact in [None, somebody] {
            assert_eq!(without(&call(Direction::Outbound, contact), &theirs), None);
        }
        let unfiled = without(&call(Direction::Inbound, None), &theirs).unwrap();
        assert_eq!((unfiled.from_number, unfiled.to_number, unfiled.summary), (None, None, None));
        let of_somebody = without(&call(Direction::Inbound, somebody), &theirs).unwrap();
        assert_eq!(
            (of_somebody.from_number.as_deref(), of_somebody.summary.as_deref()),
            (None, Some("Hello"))
        );
        assert_eq!(of_somebody.to_number, call(Direction::Inbound, somebody).to_number);
    }
}
