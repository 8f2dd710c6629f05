//! What was answered to a request with an idempotency key.

use serde::{Deserialize, Serialize};

use super::instant;
use crate::domain::SteadyTime;
use crate::store::StoreError;
use crate::store::codec::{Layout, record};

/// What was answered to a request with an idempotency key, so that the request can be answered again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IdempotencyRecord {
    /// The hash of what was asked; another request may not use the key again.
    pub fingerprint: [u8; 32],
    /// The HTTP status.
    pub status: u16,
    /// The body, empty when there was none.
    pub body: Vec<u8>,
    /// When it was answered. The first version kept the stamp instead, which is taken for the same: steady time began
    /// at what the wall clock showed.
    pub answered: SteadyTime,
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

record!(IdempotencyRecord, "idempotency", 2 => IdempotencyRecordV2, 1 => IdempotencyRecordV1);

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
            answered: SteadyTime::from_millis(1_772_442_000_000),
        }
    }

    #[test]
    fn an_idempotency_record_has_these_bytes() {
        check(
            &record(),
            "02a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1\
             a1c9027b7dfd00358d5b39030000",
        );
        check_damage(&record(), |bytes| *bytes.last_mut().unwrap() = 0x7f);
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
