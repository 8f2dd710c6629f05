//! What was answered to a request with an idempotency key.

use serde::{Deserialize, Serialize};

use super::{IdBytes, bytes_of, id_of, instant};
use crate::domain::{AppointmentId, CallId, ContactId, MessageId, SteadyTime};
use crate::store::StoreError;
use crate::store::codec::{Layout, record};

/// What was answered to a request with an idempotency key, so that the request can be answered again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IdempotencyRecord {
    /// The hash of what was asked; another request may not use the key again.
    pub fingerprint: [u8; 32],
    /// The HTTP status.
    pub status: u16,
    /// The body, empty when there was none, or none is kept.
    pub body: Vec<u8>,
    /// What is answered instead of the body: the resource as it is then. It told of somebody who was erased.
    pub shows: Option<ShownAnew>,
    /// When it was answered. The first version kept the stamp instead, which is taken for the same: steady time began
    /// at what the wall clock showed.
    pub answered: SteadyTime,
}

/// A resource of which the answer is not kept, and which is shown as it is when it is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShownAnew {
    /// A contact.
    Contact(ContactId),
    /// An appointment.
    Appointment(AppointmentId),
    /// A call.
    Call(CallId),
    /// A message.
    Message(MessageId),
}

#[derive(Serialize, Deserialize)]
struct IdempotencyRecordV1 {
    fingerprint: [u8; 32],
    status: u16,
    body: Vec<u8>,
    created_at: i64,
}

#[derive(Serialize, Deserialize)]
struct IdempotencyRecordV2 {
    fingerprint: [u8; 32],
    status: u16,
    body: Vec<u8>,
    /// Milliseconds of steady time.
    answered: i64,
}

#[derive(Serialize, Deserialize)]
struct IdempotencyRecordV3 {
    answer: IdempotencyRecordV2,
    /// The number of a kind, and an id of it.
    shows: Option<(u8, IdBytes)>,
}

record!(
    IdempotencyRecord, "idempotency", 3 => IdempotencyRecordV3, 2 => IdempotencyRecordV2, 1 => IdempotencyRecordV1
);

impl Layout<IdempotencyRecord> for IdempotencyRecordV3 {
    fn freeze(value: &IdempotencyRecord) -> Self {
        let shows = value.shows.map(|shows| match shows {
            ShownAnew::Contact(id) => (1, bytes_of(id)),
            ShownAnew::Appointment(id) => (2, bytes_of(id)),
            ShownAnew::Call(id) => (3, bytes_of(id)),
            ShownAnew::Message(id) => (4, bytes_of(id)),
        });
        Self { answer: Layout::freeze(value), shows }
    }

    fn thaw(self, record: &'static str) -> Result<IdempotencyRecord, StoreError> {
        let shows = match self.shows {
            None => None,
            Some((1, id)) => Some(ShownAnew::Contact(id_of(id))),
            Some((2, id)) => Some(ShownAnew::Appointment(id_of(id))),
            Some((3, id)) => Some(ShownAnew::Call(id_of(id))),
            Some((4, id)) => Some(ShownAnew::Message(id_of(id))),
            Some((kind, _)) => {
                return Err(StoreError::damaged(record, format!("it shows a resource of the kind {kind}")));
            }
        };
        Ok(IdempotencyRecord { shows, ..self.answer.thaw(record)? })
    }
}

impl Layout<IdempotencyRecord> for IdempotencyRecordV2 {
    fn freeze(value: &IdempotencyRecord) -> Self {
        Self {
            fingerprint: value.fingerprint,
            status: value.status,
            body: value.body.clone(),
            answered: value.answered.millis(),
        }
    }

    fn thaw(self, record: &'static str) -> Result<IdempotencyRecord, StoreError> {
        Ok(IdempotencyRecord {
            fingerprint: self.fingerprint,
            status: self.status,
            body: self.body,
            shows: None,
            answered: SteadyTime::from_millis(instant(record, self.answered)?.millis()),
        })
    }
}

impl Layout<IdempotencyRecord> for IdempotencyRecordV1 {
    fn freeze(value: &IdempotencyRecord) -> Self {
        Self {
            fingerprint: value.fingerprint,
            status: value.status,
            body: value.body.clone(),
            created_at: value.answered.millis(),
        }
    }

    fn thaw(self, record: &'static str) -> Result<IdempotencyRecord, StoreError> {
        Ok(IdempotencyRecord {
            fingerprint: self.fingerprint,
            status: self.status,
            body: self.body,
            shows: None,
            answered: SteadyTime::from_millis(instant(record, self.created_at)?.millis()),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{check, check_damage, check_old};
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
