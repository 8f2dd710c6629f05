//! The contacts that are being erased, and the removal of their data from appointments, calls and messages.
//!
//! Invariant: records that are newer than the erasure stay unchanged, even if they contain the same phone number.

use std::collections::{BTreeSet, HashMap};

use domain::{Appointment, CallId, CallRecord, ContactId, Conversation, Gap, ResourceId, TakenMessage};
use store::keys::kind;
use store::records::ErasureRecord;
use store::{Batch, Key, Order, StoreError, keys};
use uuid::Uuid;

use super::State;

#[derive(Debug, Default)]
pub(crate) struct ErasedContacts {
    pub(crate) contacts: BTreeSet<ContactId>,
    /// Each key is the digest of a phone number or email address that an erased contact had. The value is the id of the
    /// newest erasure or merge that removed this number or address from a contact. Ids increase with time: a record
    /// with a greater id was created after the removal, so it stays unchanged.
    identifiers: HashMap<[u8; 16], Uuid>,
    /// True if index rows of an erased contact may still exist. This is possible if the record of the contact could
    /// not be decoded, because the keys of its index rows are then unknown. The value is true if the row of an
    /// erasure contains no phone number or cannot be decoded.
    may_be_listed: bool,
}

impl ErasedContacts {
    pub(crate) fn add(&mut self, contact: ContactId, erasure: Option<&ErasureRecord>) {
        self.contacts.insert(contact);
        if let Some(ErasureRecord { id, phone, email, former }) = erasure {
            let own = phone.iter().chain(email).map(|it| (*it, id.uuid()));
            let former = former.iter().flat_map(|(merge, all)| all.iter().map(|it| (*it, merge.uuid())));
            for (identifier, id) in own.chain(former) {
                let newest = self.identifiers.entry(identifier).or_insert(id);
                *newest = id.max(*newest);
            }
        }
        self.may_be_listed |= erasure.is_none_or(|erasure| erasure.phone.is_none());
    }

    pub(crate) fn may_be_listed(&self) -> bool {
        self.may_be_listed
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.contacts.is_empty()
    }

    pub(crate) fn is_erased(&self, contact: Option<ContactId>) -> bool {
        contact.is_some_and(|contact| self.contacts.contains(&contact))
    }

    /// True if one of the erased contacts had the phone number or email address when the record with this id
    /// was created.
    pub(crate) fn had(&self, identifier: Option<&str>, id: Uuid) -> bool {
        let erased = identifier.and_then(|it| self.identifiers.get(&keys::identifier_digest(it)));
        erased.is_some_and(|erased| id < *erased)
    }

    fn had_number_of(&self, call: &CallRecord) -> bool {
        self.had(call.number_of_caller(), call.id.uuid())
    }

    /// True if the call belongs to one of the erased contacts. A call without a contact belongs to the
    /// contact with the caller's phone number.
    pub(crate) fn is_their_call(&self, call: &CallRecord) -> bool {
        self.is_erased(call.contact_id) || call.contact_id.is_none() && self.had_number_of(call)
    }
}

pub(crate) trait Personal: Sized {
    /// Returns the record without the data of the erased contacts, or `None` if the record contains no such data.
    fn without(
        &self,
        theirs: &ErasedContacts,
        is_their_call: impl FnOnce(CallId) -> Result<bool, StoreError>,
    ) -> Result<Option<Self>, StoreError>;

    /// Deletes the rows of other kinds that also contain data of this record.
    fn forget_with(&self, _: &State, _: &mut Batch) -> Result<(), StoreError> {
        Ok(())
    }
}

impl Personal for Appointment {
    fn without(
        &self,
        theirs: &ErasedContacts,
        _: impl FnOnce(CallId) -> Result<bool, StoreError>,
    ) -> Result<Option<Self>, StoreError> {
        if theirs.is_erased(self.contact_id) {
            return Ok(Some(self.erased()));
        }
        // In a booking for another contact, the customer may have entered the phone number or email address of
        // an erased contact.
        let Some(entered) = &self.booked_as else { return Ok(None) };
        let has = |identifier: Option<&str>| theirs.had(identifier, self.id.uuid());
        let (had_phone, had_email) = (has(entered.phone.as_deref()), has(entered.email.as_deref()));
        Ok((had_phone || had_email).then(|| {
            let mut entered = entered.clone();
            entered.phone = entered.phone.filter(|_| !had_phone);
            entered.email = entered.email.filter(|_| !had_email);
            Self { booked_as: Some(entered), ..self.clone() }
        }))
    }
}

impl Personal for CallRecord {
    fn without(
        &self,
        theirs: &ErasedContacts,
        _: impl FnOnce(CallId) -> Result<bool, StoreError>,
    ) -> Result<Option<Self>, StoreError> {
        Ok(if theirs.is_their_call(self) {
            Some(self.erased())
        } else {
            theirs.had_number_of(self).then(|| self.without_number_of_caller())
        })
    }
}

/// A conversation is erased with the contact to whom it belongs. It is also erased with a contact who had the
/// caller's phone number when the conversation began, even if the conversation belongs to another contact.
impl Personal for Conversation {
    fn without(
        &self,
        theirs: &ErasedContacts,
        _: impl FnOnce(CallId) -> Result<bool, StoreError>,
    ) -> Result<Option<Self>, StoreError> {
        let has_their_number = theirs.had(self.from.as_deref(), self.id.uuid());
        Ok((theirs.is_erased(self.contact_id) || has_their_number).then(|| self.erased()))
    }

    /// Deletes the unanswered questions that were asked in the conversation.
    fn forget_with(&self, state: &State, rows: &mut Batch) -> Result<(), StoreError> {
        for row in state.store.records::<Gap>(&keys::of_kind(state.id, kind::GAP), Order::Ascending) {
            let (key, gap) = row?;
            if self.has_asked(&gap) {
                rows.delete(Key::new(&key));
            }
        }
        Ok(())
    }
}

/// A message without a contact belongs to the contact with the phone number in the message, or to the contact of its
/// call.
impl Personal for TakenMessage {
    fn without(
        &self,
        theirs: &ErasedContacts,
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
    use domain::{CallOutcome, CallStatus, Direction, Phone, Timestamp};

    use super::*;

    const LINE: &str = "+33100000001";

    fn call(direction: Direction, contact_id: Option<ContactId>) -> CallRecord {
        let now = Timestamp::from_millis(1);
        CallRecord {
            id: Uuid::from_u128(1).into(),
            direction,
            status: CallStatus::Completed,
            outcome: CallOutcome::Other,
            from_number: Some(Phone::from_e164(LINE.into()).unwrap()),
            to_number: Some(Phone::from_e164("+33612345678".into()).unwrap()),
            contact_id,
            started_at: now,
            ended_at: now,
            duration_seconds: 0,
            locale: None,
            summary: Some("Hello".into()),
            recording_url: None,
            appointment_id: None,
            message_id: None,
            handled_at: None,
            created_at: now,
            updated_at: now,
        }
    }

    fn without(call: &CallRecord, theirs: &ErasedContacts) -> Option<CallRecord> {
        call.without(theirs, |_| Ok(false)).unwrap()
    }

    #[test]
    fn the_number_of_the_business_identifies_no_contact() {
        let other = Some(Uuid::from_u128(2).into());
        let mut theirs = ErasedContacts::default();
        let id = Uuid::from_u128(9).into();
        theirs.add(
            Uuid::from_u128(3).into(),
            Some(&ErasureRecord {
                id,
                phone: Some(keys::identifier_digest(LINE)),
                email: None,
                former: None,
            }),
        );
        for contact in [None, other] {
            assert_eq!(without(&call(Direction::Outbound, contact), &theirs), None);
        }
        let of_none = without(&call(Direction::Inbound, None), &theirs).unwrap();
        assert_eq!((of_none.from_number, of_none.to_number, of_none.summary), (None, None, None));
        let of_other = without(&call(Direction::Inbound, other), &theirs).unwrap();
        assert_eq!((of_other.from_number.as_deref(), of_other.summary.as_deref()), (None, Some("Hello")));
        assert_eq!(of_other.to_number, call(Direction::Inbound, other).to_number);
    }
}
