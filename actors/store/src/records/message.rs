use domain::{MessageStatus, TakenMessage};

use super::Numbered;
use crate::codec::record;

/// The number of a status in the index by status. It never changes.
pub fn status_number(status: MessageStatus) -> u8 {
    status.number()
}

record!(TakenMessage, "message", {
    1: id, call_id, contact_id, caller_name, caller_phone, body, urgency, staff_id, status, created_at, updated_at;
});

#[cfg(test)]
mod tests {
    use domain::{Timestamp, Urgency};

    use super::super::testing::{check, check_damage, id_of, phone, replace};
    use super::*;

    fn message() -> TakenMessage {
        TakenMessage {
            id: id_of([0xa1; 16]),
            call_id: None,
            contact_id: Some(id_of([0xa2; 16])),
            caller_name: Some("Zoë".into()),
            caller_phone: Some(phone()),
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
