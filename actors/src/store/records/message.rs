//! Messages for the team.

use serde::{Deserialize, Serialize};

use super::{IdBytes, Numbered, bytes_of, id_of, instant, word};
use crate::domain::{MessageStatus, TakenMessage};
use crate::store::StoreError;
use crate::store::codec::{Layout, record};

/// The number of a status, which never changes: the index by status is ordered by it.
pub fn status_number(status: MessageStatus) -> u8 {
    status.number()
}

#[derive(Serialize, Deserialize)]
struct MessageRecordV1 {
    id: IdBytes,
    call_id: Option<IdBytes>,
    contact_id: Option<IdBytes>,
    caller_name: Option<String>,
    caller_phone: Option<String>,
    body: String,
    urgency: u8,
    staff_id: Option<IdBytes>,
    status: u8,
    created_at: i64,
    updated_at: i64,
}

record!(TakenMessage, "message", 1 => MessageRecordV1);

impl Layout<TakenMessage> for MessageRecordV1 {
    fn freeze(value: &TakenMessage) -> Self {
        Self {
            id: bytes_of(value.id),
            call_id: value.call_id.map(bytes_of),
            contact_id: value.contact_id.map(bytes_of),
            caller_name: value.caller_name.clone(),
            caller_phone: value.caller_phone.clone(),
            body: value.body.clone(),
            urgency: value.urgency.number(),
            staff_id: value.staff_id.map(bytes_of),
            status: value.status.number(),
            created_at: value.created_at.millis(),
            updated_at: value.updated_at.millis(),
        }
    }

    fn thaw(self, record: &'static str) -> Result<TakenMessage, StoreError> {
        Ok(TakenMessage {
            id: id_of(self.id),
            call_id: self.call_id.map(id_of),
            contact_id: self.contact_id.map(id_of),
            caller_name: self.caller_name,
            caller_phone: self.caller_phone,
            body: self.body,
            urgency: word(record, self.urgency)?,
            staff_id: self.staff_id.map(id_of),
            status: word(record, self.status)?,
            created_at: instant(record, self.created_at)?,
            updated_at: instant(record, self.updated_at)?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{check, check_damage, replace};
    use super::*;
    use crate::domain::{Timestamp, Urgency};

    fn message() -> TakenMessage {
        TakenMessage {
            id: id_of([0xa1; 16]),
            call_id: None,
            contact_id: Some(id_of([0xa2; 16])),
            caller_name: Some("Zoë".into()),
            caller_phone: Some("+15551234567".into()),
            body: "Ring back".into(),
            urgency: Urgency::Urgent,
            staff_id: Some(id_of([0xa3; 16])),
            status: MessageStatus::Read,
            created_at: Timestamp::from_millis(1_772_442_000_000),
            updated_at: Timestamp::from_millis(1_772_442_000_001),
        }
    }

    #[test]
    fn a_message_has_these_bytes() {
        check(
            &message(),
            "01a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a10001a2a2a2a2a2a2a2a2a2a2a2a2a2\
             a2a2a201045a6fc3ab010c2b31353535313233343536370952696e6720626163\
             6b0201a3a3a3a3a3a3a3a3a3a3a3a3a3a3a3a302fd00358d5b39030000fd0235\
             8d5b39030000",
        );
    }

    #[test]
    fn damaged_fields_are_refused() {
        check_damage(&message(), |bytes| replace(bytes, b"back\x02", b"back\x03"));
        check_damage(&message(), |bytes| replace(bytes, &[0xa3, 2], &[0xa3, 9]));
        check_damage(&message(), |bytes| *bytes.last_mut().unwrap() = 0x7f);
    }
}
