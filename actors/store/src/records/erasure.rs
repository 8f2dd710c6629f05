//! Contacts that are being erased, how far that has come, and events that are to be wiped.

use domain::{ErasureId, SteadyTime};

use crate::KEY_BYTES_MAX;
use crate::codec::record;

/// A contact that is being erased: what is needed to know what tells of them, and nothing that tells who it was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ErasureRecord {
    /// Its id, greater than that of anything made before it.
    pub id: ErasureId,
    /// What stands for the phone number that they had.
    pub phone: Option<[u8; 16]>,
}

record!(ErasureRecord, "erasure", { 1: id, phone });

/// How far the erasing has come that is under way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ErasingRecord {
    /// The newest erasure that takes part in it.
    pub newest: ErasureId,
    /// Which kind of rows is looked through.
    pub stage: u8,
    /// The key of the row that was looked at last, if any was.
    pub at: Vec<u8>,
}

record!(ErasingRecord, "erasing", { 1: newest, stage, at } check |erasing| {
    if erasing.at.len() > KEY_BYTES_MAX { Err("the key in it is too long") } else { Ok(()) }
});

/// An event that is to be wiped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WipeRecord {
    /// Until when it may still be sent, in steady time.
    pub until: SteadyTime,
}

record!(WipeRecord, "wipe", { 1: until });

#[cfg(test)]
mod tests {
    use super::super::testing::{check, check_damage, id_of};
    use super::*;

    #[test]
    fn an_erasure_has_these_bytes() {
        let erasure = ErasureRecord { id: id_of([0xa1; 16]), phone: None };
        check(&erasure, "01a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a100");
        let of_a_phone = ErasureRecord { phone: Some([0xa2; 16]), ..erasure };
        check(&of_a_phone, "01a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a101a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2");
    }

    #[test]
    fn the_erasing_under_way_has_these_bytes() {
        let erasing = ErasingRecord { newest: id_of([0xa1; 16]), stage: 3, at: vec![1, 2] };
        check(&erasing, "01a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a103020102");
        let mut long = ErasingRecord { at: vec![0; 64], ..erasing };
        check_damage(&long, |_| {});
        long.at.pop();
        check_damage(&long, |bytes| bytes[18] = 62);
    }

    #[test]
    fn an_event_to_be_wiped_has_these_bytes() {
        let wipe = WipeRecord { until: SteadyTime::from_millis(1_772_442_000_000) };
        check(&wipe, "01fd00358d5b39030000");
        check_damage(&wipe, |bytes| *bytes.last_mut().unwrap() = 0x7f);
    }
}
