//! Calls, and what the index by start says of each.

use serde::{Deserialize, Serialize};

use super::{IdBytes, Numbered, bytes_of, id_of, instant, word};
use crate::domain::{CallOutcome, CallRecord, Direction};
use crate::store::StoreError;
use crate::store::codec::{Layout, record};

/// What the index by start says of a call, so that lists are narrowed without reading the calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CallRow {
    /// Who called whom.
    pub direction: Direction,
    /// What came of it.
    pub outcome: CallOutcome,
}

impl From<&CallRecord> for CallRow {
    fn from(call: &CallRecord) -> Self {
        Self { direction: call.direction, outcome: call.outcome }
    }
}

#[derive(Serialize, Deserialize)]
struct CallRowV1 {
    direction: u8,
    outcome: u8,
}

record!(CallRow, "call row", 1 => CallRowV1);

impl Layout<CallRow> for CallRowV1 {
    fn freeze(value: &CallRow) -> Self {
        Self { direction: value.direction.number(), outcome: value.outcome.number() }
    }

    fn thaw(self, record: &'static str) -> Result<CallRow, StoreError> {
        Ok(CallRow { direction: word(record, self.direction)?, outcome: word(record, self.outcome)? })
    }
}

#[derive(Serialize, Deserialize)]
struct CallRecordV1 {
    id: IdBytes,
    direction: u8,
    status: u8,
    outcome: u8,
    from_number: Option<String>,
    to_number: Option<String>,
    contact_id: Option<IdBytes>,
    started_at: i64,
    ended_at: i64,
    duration_seconds: u32,
    locale: Option<u8>,
    summary: Option<String>,
    recording_url: Option<String>,
    appointment_id: Option<IdBytes>,
    message_id: Option<IdBytes>,
    created_at: i64,
    updated_at: i64,
}

record!(CallRecord, "call", 1 => CallRecordV1);

impl Layout<CallRecord> for CallRecordV1 {
    fn freeze(value: &CallRecord) -> Self {
        Self {
            id: bytes_of(value.id),
            direction: value.direction.number(),
            status: value.status.number(),
            outcome: value.outcome.number(),
            from_number: value.from_number.clone(),
            to_number: value.to_number.clone(),
            contact_id: value.contact_id.map(bytes_of),
            started_at: value.started_at.millis(),
            ended_at: value.ended_at.millis(),
            duration_seconds: value.duration_seconds,
            locale: value.locale.map(Numbered::number),
            summary: value.summary.clone(),
            recording_url: value.recording_url.clone(),
            appointment_id: value.appointment_id.map(bytes_of),
            message_id: value.message_id.map(bytes_of),
            created_at: value.created_at.millis(),
            updated_at: value.updated_at.millis(),
        }
    }

    fn thaw(self, record: &'static str) -> Result<CallRecord, StoreError> {
        if self.ended_at < self.started_at {
            return Err(StoreError::damaged(record, "it ends before it starts"));
        }
        Ok(CallRecord {
            id: id_of(self.id),
            direction: word(record, self.direction)?,
            status: word(record, self.status)?,
            outcome: word(record, self.outcome)?,
            from_number: self.from_number,
            to_number: self.to_number,
            contact_id: self.contact_id.map(id_of),
            started_at: instant(record, self.started_at)?,
            ended_at: instant(record, self.ended_at)?,
            duration_seconds: self.duration_seconds,
            locale: self.locale.map(|number| word(record, number)).transpose()?,
            summary: self.summary,
            recording_url: self.recording_url,
            appointment_id: self.appointment_id.map(id_of),
            message_id: self.message_id.map(id_of),
            created_at: instant(record, self.created_at)?,
            updated_at: instant(record, self.updated_at)?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{check, check_damage, replace};
    use super::*;
    use crate::domain::{CallStatus, Locale, Timestamp};
    use crate::store::{LONG_VALUE_BYTES_MAX, Record, VALUE_BYTES_MAX};

    fn call() -> CallRecord {
        CallRecord {
            id: id_of([0xa1; 16]),
            direction: Direction::Inbound,
            status: CallStatus::Missed,
            outcome: CallOutcome::Spam,
            from_number: Some("+15551234567".into()),
            to_number: None,
            contact_id: Some(id_of([0xa2; 16])),
            started_at: Timestamp::from_millis(1_772_442_000_000),
            ended_at: Timestamp::from_millis(1_772_442_062_000),
            duration_seconds: 62,
            locale: Some(Locale::Fr),
            summary: Some("早上好".into()),
            recording_url: Some("https://a.example".into()),
            appointment_id: None,
            message_id: Some(id_of([0xa3; 16])),
            created_at: Timestamp::from_millis(-1),
            updated_at: Timestamp::from_millis(300),
        }
    }

    #[test]
    fn a_call_has_these_bytes() {
        check(
            &call(),
            "01a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1010208010c2b313535353132333435\
             36370001a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2fd00358d5b39030000fd6019\
             8f5b390300003e01020109e697a9e4b88ae5a5bd011168747470733a2f2f612e\
             6578616d706c650001a3a3a3a3a3a3a3a3a3a3a3a3a3a3a3a301fb5802",
        );
        check(&CallRow::from(&call()), "010108");
    }

    #[test]
    fn the_longest_summary_comes_back_byte_for_byte() {
        let long = CallRecord {
            summary: Some("👩‍🚀\u{301}م".repeat(200) + &"😀".repeat(19_000)), ..call()
        };
        let bytes = long.encode();
        assert!(bytes.len() < LONG_VALUE_BYTES_MAX);
        assert!(bytes.len() > VALUE_BYTES_MAX, "it is kept in pieces");
        assert_eq!(CallRecord::decode(&bytes).unwrap(), long);
    }

    #[test]
    fn damaged_fields_are_refused() {
        check_damage(&call(), |bytes| bytes[17] = 9);
        check_damage(&call(), |bytes| bytes[18] = 0);
        check_damage(&call(), |bytes| bytes[19] = 11);
        check_damage(&call(), |bytes| replace(bytes, "早".as_bytes(), b"\xe6\x97\xff"));
        check_damage(&CallRow::from(&call()), |bytes| bytes[1] = 3);
        check_damage(&CallRow::from(&call()), |bytes| bytes[2] = 0);
        let backwards = CallRecord { ended_at: Timestamp::from_millis(0), ..call() };
        check_damage(&backwards, |_| {});
    }
}
