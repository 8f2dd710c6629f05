//! Remembered responses to requests with an idempotency key.

use domain::{AppointmentId, CallId, ContactId, MessageId, ResourceId, SteadyTime};
use uuid::Uuid;

use crate::StoreError;
use crate::codec::{Field, Fields, record};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IdempotencyRecord {
    /// The hash of the request. A different request with the same key is refused.
    pub fingerprint: [u8; 32],
    pub status: u16,
    /// The body; empty if the response had none, or if it is not stored.
    pub body: Vec<u8>,
    /// The resource to render instead of the body, because the body contained data of an erased contact.
    pub shows: Option<ShownAnew>,
    /// The time of the response. The first version stored a stamp, which is used as it is: steady time started at the
    /// wall time.
    pub answered: SteadyTime,
}

/// A resource that is rendered in its present state instead of a stored response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShownAnew {
    Contact(ContactId),
    Appointment(AppointmentId),
    Call(CallId),
    Message(MessageId),
}

record!(IdempotencyRecord, "idempotency", { 1: fingerprint, status, body, answered; 2: ; 3: shows = None });

/// The number of the kind, and the id.
impl Field for ShownAnew {
    fn write(&self, to: &mut Vec<u8>) {
        let (kind, id): (u8, _) = match self {
            Self::Contact(id) => (1, id.uuid()),
            Self::Appointment(id) => (2, id.uuid()),
            Self::Call(id) => (3, id.uuid()),
            Self::Message(id) => (4, id.uuid()),
        };
        (kind, id).write(to);
    }

    fn read(from: &mut Fields<'_>) -> Result<Self, StoreError> {
        match <(u8, Uuid)>::read(from)? {
            (1, id) => Ok(Self::Contact(id.into())),
            (2, id) => Ok(Self::Appointment(id.into())),
            (3, id) => Ok(Self::Call(id.into())),
            (4, id) => Ok(Self::Message(id.into())),
            (kind, _) => Err(from.damaged(format!("it shows a resource of the kind {kind}"))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{check, check_damage, check_old, id_of};
    use super::*;

    fn record() -> IdempotencyRecord {
        IdempotencyRecord {
            fingerprint: [0xa1; 32],
            status: 201,
            body: b"{}".to_vec(),
            shows: None,
            answered: SteadyTime::from_millis(1_772_442_000_000),
        }
    }

    #[test]
    fn an_idempotency_record_has_these_bytes() {
        check(
            &record(),
            "03a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1\
             a1c9027b7dfd00358d5b3903000000",
        );
        check_damage(&record(), |bytes| *bytes.last_mut().unwrap() = 0x7f);
        let anew = ShownAnew::Call(id_of([0xa2; 16]));
        let erased = IdempotencyRecord { body: Vec::new(), shows: Some(anew), ..record() };
        check(
            &erased,
            "03a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1\
             a1c900fd00358d5b390300000103a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2",
        );
        check_damage(&erased, |bytes| bytes[45] = 9);
    }

    #[test]
    fn a_record_of_the_second_version_is_read() {
        check_old(
            &record(),
            "02a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1\
             a1c9027b7dfd00358d5b39030000",
        );
    }

    #[test]
    fn a_record_of_the_first_version_is_read_and_its_stamp_taken_for_steady_time() {
        check_old(
            &record(),
            "01a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1\
             a1c9027b7dfd00358d5b39030000",
        );
    }
}
