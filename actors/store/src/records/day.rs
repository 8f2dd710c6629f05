//! Appointments, contacts, names of contacts, search texts, calls, index rows of calls, messages and knowledge.

use domain::{
    Appointment, AppointmentStatus, BookedAs, Buffers, CalendarSyncStatus, CallOutcome, CallRecord,
    CallStatus, Contact, Direction, Knowledge, MessageStatus, Source, TakenMessage, Timestamp,
};
use uuid::Uuid;

use super::Numbered;
use crate::StoreError;
use crate::codec::{Field, Fields, Record, fields, record};

record!(Appointment, "appointment", {
    1: id, status, starts_at, ends_at, service_id, staff_id, contact_id via nil_for_none, source,
       calendar_sync_status, announced, move_unannounced, created_at, updated_at;
    2: buffers = Buffers::default();
    3: notes = None;
    4: customer_note = None, booked_as = None;
    5: attendance = None;
} check |it| { (it.ends_at > it.starts_at) => "it ends before it starts" });

/// Changes the `calendar_sync_status` in the row of an appointment. The row keeps its version and its length, so the
/// usage of the business does not change.
pub fn set_sync_status(row: &mut [u8], status: CalendarSyncStatus) -> Result<(), StoreError> {
    Appointment::decode(row)?;
    let mut fields = Fields::of("appointment", &[1, 2, 3, 4, 5], row)?;
    Uuid::read(&mut fields)?; // the id
    AppointmentStatus::read(&mut fields)?;
    let _times = (Timestamp::read(&mut fields)?, Timestamp::read(&mut fields)?);
    let _service_staff_and_contact = <[u8; 48]>::read(&mut fields)?;
    Source::read(&mut fields)?;
    let at = row.len() - fields.left();
    row[at] = status.number();
    Ok(())
}

fields! { BookedAs { name, phone, email, locale, texts } }

/// Encodes an optional id. A missing id is stored as the nil UUID, which is never issued.
mod nil_for_none {
    use domain::{ContactId, ResourceId};
    use uuid::Uuid;

    use crate::StoreError;
    use crate::codec::{Field, Fields};

    pub(super) fn write(id: &Option<ContactId>, to: &mut Vec<u8>) {
        id.map_or(Uuid::nil(), ResourceId::uuid).write(to);
    }

    pub(super) fn read(from: &mut Fields<'_>) -> Result<Option<ContactId>, StoreError> {
        let id = Uuid::read(from)?;
        Ok((!id.is_nil()).then(|| id.into()))
    }
}

record!(Contact, "contact", {
    1: id, name, phone, email, locale, zone, created_at, updated_at;
    2: notes = None;
    3: alert = None;
});

/// The search texts of records with consecutive ids. A record without a search text has no entry.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SearchRecord {
    pub texts: Vec<(Uuid, String)>,
}

record!(SearchRecord, "search texts", { 1: texts } check |it| {
    it.texts.is_sorted_by(|a, b| a.0 < b.0) => "its records are not in order"
});

/// The value of a row in the index of calls by start time. Calls are filtered and counted by this value alone, without
/// reading their records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CallRow {
    pub direction: Direction,
    pub outcome: CallOutcome,
    /// It is `None` in rows that were written before format 11.
    pub status: Option<CallStatus>,
    pub is_handled: bool,
}

impl From<&CallRecord> for CallRow {
    fn from(call: &CallRecord) -> Self {
        Self {
            direction: call.direction,
            outcome: call.outcome,
            status: Some(call.status),
            is_handled: call.handled_at.is_some(),
        }
    }
}

impl CallRow {
    /// True if the team should call back: the call is an inbound call that was missed or failed, and the team has not
    /// marked it as handled.
    pub fn is_unhandled(self) -> bool {
        self.direction == Direction::Inbound && self.status != Some(CallStatus::Completed) && !self.is_handled
    }
}

record!(CallRow, "call row", { 1: direction, outcome; 2: status = None, is_handled = false });

record!(CallRecord, "call", {
    1: id, direction, status, outcome, from_number, to_number, contact_id, started_at, ended_at, duration_seconds,
       locale, summary, recording_url, appointment_id, message_id, created_at, updated_at;
    2: handled_at = None;
} check |it| { (it.ended_at >= it.started_at) => "it ends before it starts" });

pub fn status_number(status: MessageStatus) -> u8 {
    status.number()
}

record!(TakenMessage, "message", {
    1: id, call_id, contact_id, caller_name, caller_phone, body, urgency, staff_id, status, created_at, updated_at;
    2: notes = None, snoozed_until = None;
});

record!(Knowledge, "knowledge", { 1: id, title, content, source_url, locale, created_at, updated_at });

#[cfg(test)]
mod tests {
    use domain::{Attendance, Email, Locale, Urgency};

    use super::super::testing::{check, check_damage, check_old, id_of, phone, replace};
    use super::*;
    use crate::{LONG_VALUE_BYTES_MAX, Record, VALUE_BYTES_MAX};

    fn appointment() -> Appointment {
        Appointment {
            id: id_of([0xa1; 16]),
            status: AppointmentStatus::Confirmed,
            starts_at: Timestamp::from_millis(1_772_442_000_000),
            ends_at: Timestamp::from_millis(1_772_443_800_000),
            buffers: Buffers::new(15, 240).unwrap(),
            service_id: id_of([0xa2; 16]),
            staff_id: id_of([0xa3; 16]),
            contact_id: Some(id_of([0xa4; 16])),
            source: Source::Voice,
            calendar_sync_status: CalendarSyncStatus::NotConnected,
            announced: true,
            move_unannounced: false,
            created_at: Timestamp::from_millis(-1),
            updated_at: Timestamp::from_millis(300),
            notes: Some("Bring X".into()),
            customer_note: Some("By bike".into()),
            booked_as: Some(BookedAs {
                name: Some("Ada".into()),
                phone: Some(phone()),
                email: None,
                locale: Locale::Fr,
                texts: true,
            }),
            attendance: Some(Attendance::NoShow),
        }
    }

    #[test]
    fn an_appointment_has_these_bytes() {
        let first = "a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a102fd00358d5b39030000fd8023c45b\
             39030000a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a3a3a3a3a3a3a3a3a3a3a3a3\
             a3a3a3a3a4a4a4a4a4a4a4a4a4a4a4a4a4a4a4a40101010001fb5802";
        check(
            &appointment(),
            &format!(
                "05{first}0ff0010742 72696e672058 01074279 2062696b65 01 0103416461 010c2b31353535313233\
                 34353637 00 02 01 01 03"
            ),
        );
        let unattended = Appointment { attendance: None, ..appointment() };
        let fourth =
            "0ff0010742 72696e672058 01074279 2062696b65 01 0103416461 010c2b3135353531323334353637 00 02 01";
        check(&unattended, &format!("05{first}{fourth}00"));
        check_old(&unattended, &format!("04{first}{fourth}"));
        let of_the_team = Appointment { customer_note: None, booked_as: None, ..unattended };
        check(&of_the_team, &format!("05{first}0ff0010742 72696e672058000000"));
        check_old(&of_the_team, &format!("04{first}0ff0010742 72696e6720580000"));
        check_old(&of_the_team, &format!("03{first}0ff0010742 72696e672058"));
        let without = Appointment { notes: None, ..of_the_team };
        check(&without, &format!("05{first}0ff000000000"));
        check_old(&without, &format!("03{first}0ff000"));
        check_old(&without, &format!("02{first}0ff0"));
        let plain = Appointment { buffers: Buffers::default(), ..without };
        check(&plain, &format!("05{first}000000000000"));
        check_old(&plain, &format!("01{first}"));
    }

    #[test]
    fn an_appointment_whose_contact_was_erased_has_these_bytes() {
        let first = "a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a102fd00358d5b39030000fd8023c45b\
             39030000a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a3a3a3a3a3a3a3a3a3a3a3a3\
             a3a3a3a3000000000000000000000000000000000101010001fb5802";
        let attended = appointment().erased();
        check(&attended, &format!("05{first}0ff00000000103"));
        let without_contact = Appointment { attendance: None, ..attended };
        check_old(&without_contact, &format!("04{first}0ff0000000"));
        check_old(&without_contact, &format!("02{first}0ff0"));
        check_old(&Appointment { buffers: Buffers::default(), ..without_contact }, &format!("01{first}"));
    }

    #[test]
    fn damaged_fields_of_appointment_are_refused() {
        check_damage(&appointment(), |bytes| bytes[17] = 9);
        let backwards = Appointment { ends_at: appointment().starts_at, ..appointment() };
        check_damage(&backwards, |_| {});
        check_damage(&appointment(), |bytes| replace(bytes, b"\x0f\xf0", b"\xf1\xf0"));
        check_damage(&appointment(), |bytes| replace(bytes, b"+1555", b"+0555"));
        check_damage(&appointment(), |bytes| *bytes.last_mut().unwrap() = 4);
        check_damage(&Appointment { attendance: None, ..appointment() }, |bytes| {
            let texts = bytes.len() - 2;
            bytes[texts] = 2;
        });
    }

    fn contact() -> Contact {
        Contact {
            id: id_of([0xa1; 16]),
            name: Some("Zoë".into()),
            phone: Some(phone()),
            email: Some(Email::new("zoe@example.com").unwrap()),
            locale: Some(Locale::En),
            zone: Some(chrono_tz::Europe::Paris),
            notes: Some("Left-handed".into()),
            alert: Some("Nuts".into()),
            created_at: Timestamp::MIN,
            updated_at: Timestamp::MAX,
        }
    }

    #[test]
    fn a_contact_has_these_bytes() {
        let first = "a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a101045a6fc3ab010c2b313535353132\
             3334353637010f7a6f65406578616d706c652e636f6d0101010c4575726f7065\
             2f5061726973fdffbf08de14710000fdfeb73fa4efcc0100";
        let second = "010b4c6566742d68616e646564";
        check(&contact(), &format!("03{first}{second}01044e757473"));
        let calm = Contact { alert: None, ..contact() };
        check(&calm, &format!("03{first}{second}00"));
        check_old(&calm, &format!("02{first}{second}"));
        let without = Contact { notes: None, ..calm };
        check(&without, &format!("03{first}0000"));
        check_old(&without, &format!("01{first}"));
        let first = "a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a10000000000fdffbf08de14710000fdfeb73fa4efcc0100";
        let bare = Contact { name: None, phone: None, email: None, locale: None, zone: None, ..without };
        check(&bare, &format!("03{first}0000"));
        check_old(&bare, &format!("01{first}"));
    }

    #[test]
    fn damaged_fields_of_contact_are_refused() {
        check_damage(&contact(), |bytes| replace(bytes, b"Europe/Paris", b"Europe/Parts"));
        check_damage(&contact(), |bytes| replace(bytes, b"+1555", b"+0555"));
        check_damage(&contact(), |bytes| replace(bytes, b"zoe@", b"zoe "));
        check_damage(&contact(), |bytes| replace(bytes, b".com\x01\x01", b".com\x01\x00"));
        check_damage(&contact(), |bytes| replace(bytes, b".com\x01", b".com\x02"));
        check_damage(&contact(), |bytes| *bytes.last_mut().unwrap() = 0xff);
        check_damage(&contact(), |bytes| replace(bytes, b"Nuts", b"Nut\xff"));
        check_damage(&Contact { alert: None, ..contact() }, |bytes| *bytes.last_mut().unwrap() = 2);
    }

    fn search_texts() -> SearchRecord {
        let id = |byte| Uuid::from_bytes([byte; 16]);
        SearchRecord { texts: vec![(id(0xa1), "\u{1}zoe".into()), (id(0xa2), "\u{2}\u{11}".into())] }
    }

    #[test]
    fn search_texts_have_these_bytes() {
        check(
            &search_texts(),
            "0102a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a104017a6f65a2a2a2a2a2a2a2a2a2\
             a2a2a2a2a2a2a2020211",
        );
        check(&SearchRecord::default(), "0100");
    }

    #[test]
    fn damaged_fields_of_search_texts_are_refused() {
        check_damage(&search_texts(), |bytes| replace(bytes, &[0xa2; 16], &[0xa0; 16]));
        check_damage(&search_texts(), |bytes| replace(bytes, b"zoe", b"zo\xff"));
    }

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
            handled_at: Some(Timestamp::from_millis(300)),
            created_at: Timestamp::from_millis(-1),
            updated_at: Timestamp::from_millis(300),
        }
    }

    #[test]
    fn a_call_has_these_bytes() {
        let first = "a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1010208010c2b313535353132333435\
             36370001a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2fd00358d5b39030000fd6019\
             8f5b390300003e01020109e697a9e4b88ae5a5bd011168747470733a2f2f612e\
             6578616d706c650001a3a3a3a3a3a3a3a3a3a3a3a3a3a3a3a301fb5802";
        check(&call(), &format!("02{first}01fb5802"));
        let unhandled = CallRecord { handled_at: None, ..call() };
        check(&unhandled, &format!("02{first}00"));
        check_old(&unhandled, &format!("01{first}"));
        check(&CallRow::from(&call()), "020108010201");
        check(&CallRow::from(&unhandled), "020108010200");
        let earlier = CallRow { status: None, ..CallRow::from(&unhandled) };
        check_old(&earlier, "010108");
    }

    #[test]
    fn the_longest_summary_is_read_unchanged() {
        let long = CallRecord {
            summary: Some("👩‍🚀\u{301}م".repeat(200) + &"😀".repeat(19_000)), ..call()
        };
        let bytes = long.encode();
        assert!(bytes.len() < LONG_VALUE_BYTES_MAX);
        assert!(bytes.len() > VALUE_BYTES_MAX, "the record must be long enough for pieces");
        assert_eq!(CallRecord::decode(&bytes).unwrap(), long);
    }

    #[test]
    fn damaged_fields_of_call_are_refused() {
        check_damage(&call(), |bytes| bytes[17] = 9);
        check_damage(&call(), |bytes| bytes[18] = 0);
        check_damage(&call(), |bytes| bytes[19] = 11);
        check_damage(&call(), |bytes| replace(bytes, "早".as_bytes(), b"\xe6\x97\xff"));
        check_damage(&CallRow::from(&call()), |bytes| bytes[1] = 3);
        check_damage(&CallRow::from(&call()), |bytes| bytes[2] = 0);
        let backwards = CallRecord { ended_at: Timestamp::from_millis(0), ..call() };
        check_damage(&backwards, |_| {});
        check_damage(&CallRecord { handled_at: None, ..call() }, |bytes| *bytes.last_mut().unwrap() = 2);
    }

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
            notes: Some("Left X".into()),
            snoozed_until: Some(Timestamp::from_millis(300)),
            created_at: Timestamp::from_millis(1_772_442_000_000),
            updated_at: Timestamp::from_millis(1_772_442_000_001),
        }
    }

    #[test]
    fn a_message_has_these_bytes() {
        let first = "a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a10001a2a2a2a2a2a2a2a2a2a2a2a2a2\
             a2a2a201045a6fc3ab010c2b31353535313233343536370952696e6720626163\
             6b0201a3a3a3a3a3a3a3a3a3a3a3a3a3a3a3a302fd00358d5b39030000fd0235\
             8d5b39030000";
        check(&message(), &format!("02{first}01064c656674205801fb5802"));
        let plain = TakenMessage { notes: None, snoozed_until: None, ..message() };
        check(&plain, &format!("02{first}0000"));
        check_old(&plain, &format!("01{first}"));
    }

    #[test]
    fn damaged_fields_of_message_are_refused() {
        check_damage(&message(), |bytes| replace(bytes, b"back\x02", b"back\x03"));
        check_damage(&message(), |bytes| replace(bytes, &[0xa3, 2], &[0xa3, 9]));
        check_damage(&message(), |bytes| replace(bytes, b"Left", b"Lef\xff"));
        check_damage(&TakenMessage { snoozed_until: None, ..message() }, |bytes| {
            *bytes.last_mut().unwrap() = 2;
        });
    }

    fn knowledge() -> Knowledge {
        Knowledge {
            id: id_of([0xa1; 16]),
            title: "Parking".into(),
            content: "Behind the house".into(),
            source_url: Some("https://a.example".into()),
            locale: Some(Locale::En),
            created_at: Timestamp::from_millis(1_772_442_000_000),
            updated_at: Timestamp::from_millis(1_772_442_000_001),
        }
    }

    #[test]
    fn a_piece_of_knowledge_has_these_bytes() {
        check(
            &knowledge(),
            "01a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1075061726b696e6710426568696e64\
             2074686520686f757365011168747470733a2f2f612e6578616d706c650101fd\
             00358d5b39030000fd02358d5b39030000",
        );
    }

    #[test]
    fn the_longest_content_is_shorter_than_the_longest_value() {
        let longest = Knowledge { content: "😀".repeat(50_000), ..knowledge() };
        let bytes = longest.encode();
        assert!(bytes.len() < LONG_VALUE_BYTES_MAX);
        assert_eq!(Knowledge::decode(&bytes).unwrap(), longest);
    }

    #[test]
    fn damaged_fields_of_knowledge_are_refused() {
        check_damage(&knowledge(), |bytes| replace(bytes, b".example\x01\x01", b".example\x01\x03"));
        check_damage(&knowledge(), |bytes| replace(bytes, b"house", b"hous\xff"));
    }
}
