//! Calls, and the rows of the index by start.

use domain::{CallOutcome, CallRecord, Direction};

use crate::codec::record;

/// The value in the index by start, so that lists are filtered without reading the calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CallRow {
    pub direction: Direction,
    pub outcome: CallOutcome,
}

impl From<&CallRecord> for CallRow {
    fn from(call: &CallRecord) -> Self {
        Self { direction: call.direction, outcome: call.outcome }
    }
}

record!(CallRow, "call row", { 1: direction, outcome });

record!(CallRecord, "call", {
    1: id, direction, status, outcome, from_number, to_number, contact_id, started_at, ended_at, duration_seconds,
       locale, summary, recording_url, appointment_id, message_id, created_at, updated_at;
} check |call| {
    if call.ended_at >= call.started_at { Ok(()) } else { Err("it ends before it starts") }
});

#[cfg(test)]
mod tests {
    use domain::{CallStatus, Locale, Timestamp};

    use super::super::testing::{check, check_damage, id_of, phone, replace};
    use super::*;
    use crate::{LONG_VALUE_BYTES_MAX, Record, VALUE_BYTES_MAX};

    fn call() -> CallRecord {
        CallRecord {
            id: id_of([0xa1; 16]),
            direction: Direction::Inbound,
            status: CallStatus::Missed,
            outcome: CallOutcome::Spam,
            from_number: Some(phone()),
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
