//! Helpers for the tests of all records.

use std::fmt::Debug;

use domain::{Phone, ResourceId};
use proptest::prelude::*;
use uuid::Uuid;

use super::super::{Record, StoreError};

/// Checks that a record is encoded to these bytes and decoded from them. Decoding must fail if the bytes are too short
/// or too long, or have a newer version.
pub(super) fn check<R: Record + PartialEq + Debug>(record: &R, golden: &str) {
    let bytes = record.encode();
    let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    assert_eq!(hex, golden.replace([' ', '\n'], ""), "the bytes of a released record never change");
    assert_eq!(&R::decode(&bytes).unwrap(), record);
    for end in 0..bytes.len() {
        assert!(matches!(R::decode(&bytes[..end]), Err(StoreError::Damaged { .. })), "cut off at {end}");
    }
    let mut longer = bytes.clone();
    longer.push(0);
    assert!(matches!(R::decode(&longer), Err(StoreError::Damaged { .. })), "with an extra byte");
    let mut newer = bytes;
    newer[0] = 0xee;
    assert!(matches!(R::decode(&newer), Err(StoreError::Version { found: 0xee, .. })));
}

/// Checks that the bytes of an earlier version decode to the record. Decoding must fail if the bytes are too short.
pub(super) fn check_old<R: Record + PartialEq + Debug>(record: &R, golden: &str) {
    let golden = golden.replace([' ', '\n'], "");
    let bytes: Vec<u8> =
        (0..golden.len()).step_by(2).map(|at| u8::from_str_radix(&golden[at..at + 2], 16).unwrap()).collect();
    assert_eq!(&R::decode(&bytes).unwrap(), record);
    for end in 0..bytes.len() {
        assert!(matches!(R::decode(&bytes[..end]), Err(StoreError::Damaged { .. })), "cut off at {end}");
    }
}

pub(super) fn check_damage<R: Record + Debug>(record: &R, damage: impl FnOnce(&mut Vec<u8>)) {
    let mut bytes = record.encode();
    damage(&mut bytes);
    let read = R::decode(&bytes);
    assert!(matches!(read, Err(StoreError::Damaged { .. })), "{read:?}");
}

pub(super) fn phone() -> Phone {
    Phone::from_e164("+15551234567".into()).unwrap()
}

pub(super) fn id_of<I: ResourceId>(bytes: [u8; 16]) -> I {
    Uuid::from_bytes(bytes).into()
}

pub(super) fn replace(bytes: &mut [u8], from: &[u8], to: &[u8]) {
    assert_eq!(from.len(), to.len());
    let at = bytes.windows(from.len()).position(|window| window == from).unwrap();
    bytes[at..at + to.len()].copy_from_slice(to);
}

/// Decodes the bytes as a record of every kind. Errors are expected: only a panic makes the test fail.
fn decode_all(bytes: &[u8]) {
    use domain::{ApiKey, AuditEntry, Delivery, Mail, Person, SlugOwner};
    for kind in crate::kept::KINDS {
        (kind.decodes)(bytes);
    }
    let _ = ApiKey::decode(bytes);
    let _ = AuditEntry::decode(bytes);
    let _ = Delivery::decode(bytes);
    let _ = Mail::decode(bytes);
    let _ = Person::decode(bytes);
    let _ = SlugOwner::decode(bytes);
    let _ = super::CallRow::decode(bytes);
    let _ = super::ClockRecord::decode(bytes);
    let _ = super::ErasingRecord::decode(bytes);
    let _ = super::ErasureRecord::decode(bytes);
    let _ = super::IdempotencyRecord::decode(bytes);
    let _ = super::LinkRecord::decode(bytes);
    let _ = super::LinksRecord::decode(bytes);
    let _ = super::MetaRecord::decode(bytes);
    let _ = super::SearchRecord::decode(bytes);
    let _ = super::WipeRecord::decode(bytes);
}

proptest! {
    #[test]
    fn no_bytes_make_decoding_panic(mut bytes in proptest::collection::vec(any::<u8>(), 0..300), small: bool) {
        if let (true, Some(version)) = (small, bytes.first_mut()) {
            *version = 1 + *version % 2;
        }
        decode_all(&bytes);
    }
}
