//! A fuzz target for the records of the store. Decoding never panics, and a record that was decoded has the
//! same content after it is encoded and decoded again.

use domain::{
    Alert, AlertsRead, ApiKey, Appointment, AuditEntry, Budget, Business, CallRecord, Contact, Delivery,
    Knowledge, Mail, Membership, Person, Service, StaffMember, TakenMessage, WebhookEndpoint,
};
use store::Record;
use store::records::{
    AuditRecord, CallRow, ClockRecord, IdempotencyRecord, MetaRecord, RoundRecord, SearchRecord,
};

/// The number of kinds of records.
pub const KINDS: u8 = 26;

/// The first byte selects the kind. The other bytes are decoded as a record of this kind.
pub fn check(data: &[u8]) {
    let Some((kind, bytes)) = data.split_first() else { return };
    of_kind(kind % KINDS, bytes);
}

/// Decodes the bytes as a record of this kind, and checks the record. Returns whether the bytes are valid.
pub fn of_kind(kind: u8, bytes: &[u8]) -> bool {
    match kind {
        0 => same::<ApiKey>(bytes),
        1 => same::<Appointment>(bytes),
        2 => same::<AuditEntry>(bytes),
        3 => same::<Business>(bytes),
        4 => same::<Contact>(bytes),
        5 => same::<Delivery>(bytes),
        6 => same::<WebhookEndpoint>(bytes),
        7 => same::<Service>(bytes),
        8 => same::<StaffMember>(bytes),
        9 => same::<CallRecord>(bytes),
        10 => same::<Knowledge>(bytes),
        11 => same::<TakenMessage>(bytes),
        12 => same::<SearchRecord>(bytes),
        13 => same::<CallRow>(bytes),
        14 => same::<IdempotencyRecord>(bytes),
        15 => same::<MetaRecord>(bytes),
        16 => same::<ClockRecord>(bytes),
        17 => same::<Budget>(bytes),
        18 => readable::<AuditRecord>(bytes).is_some(),
        19 => same::<RoundRecord>(bytes),
        20 => same::<Mail>(bytes),
        21 => same::<Person>(bytes),
        22 => same::<Membership>(bytes),
        23 => same::<Alert>(bytes),
        24 => same::<AlertsRead>(bytes),
        _ => same::<SearchRecord>(bytes),
    }
}

/// Decodes the input to a record, encodes the record, and decodes it again. Both records must be equal, and must be
/// encoded in the same bytes. These bytes may differ from the input, because the input may encode numbers in more bytes
/// than necessary. If the input has the current version, it must not be shorter than the encoded bytes.
fn same<R: Record + PartialEq>(bytes: &[u8]) -> bool {
    let Some(encoded) = readable::<R>(bytes) else { return false };
    let grown = encoded.len() > bytes.len() && encoded[0] == bytes[0];
    assert!(!grown, "encoding made {} bytes from {}", encoded.len(), bytes.len());
    true
}

/// Like [`same`], but returns the encoded record, which may be longer than `bytes`. For example, an audit record of an
/// earlier version has no usage for kinds of rows that were added later, and encoding adds these kinds.
fn readable<R: Record + PartialEq>(bytes: &[u8]) -> Option<Vec<u8>> {
    let record = R::decode(bytes).ok()?;
    let encoded = record.encode();
    let again = R::decode(&encoded).unwrap_or_else(|error| panic!("the encoded record was refused: {error}"));
    assert!(record == again, "encoding changed the record");
    assert!(again.encode() == encoded, "the same record was encoded in two ways");
    Some(encoded)
}
