//! What was answered to a request with an idempotency key.

use serde::{Deserialize, Serialize};

use super::instant;
use crate::domain::Timestamp;
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
    /// When it was answered.
    pub created_at: Timestamp,
}

#[derive(Serialize, Deserialize)]
struct IdempotencyRecordV1 {
    fingerprint: [u8; 32],
    status: u16,
    body: Vec<u8>,
    created_at: i64,
}

record!(IdempotencyRecord, "idempotency", 1 => IdempotencyRecordV1);

impl Layout<IdempotencyRecord> for IdempotencyRecordV1 {
    fn freeze(value: &IdempotencyRecord) -> Self {
        Self {
            fingerprint: value.fingerprint,
            status: value.status,
            body: value.body.clone(),
            created_at: value.created_at.millis(),
        }
    }

    fn thaw(self, record: &'static str) -> Result<IdempotencyRecord, StoreError> {
        Ok(IdempotencyRecord {
            fingerprint: self.fingerprint,
            status: self.status,
            body: self.body,
            created_at: instant(record, self.created_at)?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{check, check_damage};
    use super::*;

    #[test]
    fn an_idempotency_record_has_these_bytes() {
        let record = IdempotencyRecord {
            fingerprint: [0xa1; 32],
            status: 201,
            body: b"{}".to_vec(),
            created_at: Timestamp::from_millis(1_772_442_000_000),
        };
        check(
            &record,
            "01a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1\
             a1c9027b7dfd00358d5b39030000",
        );
        check_damage(&record, |bytes| *bytes.last_mut().unwrap() = 0x7f);
    }
}
