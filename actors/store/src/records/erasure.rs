//! The state of erasures: contacts that are being erased, the progress, and events to be wiped.

use domain::{ErasureId, SteadyTime};

use crate::KEY_BYTES_MAX;
use crate::codec::record;

/// A contact that is being erased. The record identifies its calls and messages without personal data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ErasureRecord {
    /// Greater than every earlier id.
    pub id: ErasureId,
    /// The digest of the contact's phone number.
    pub phone: Option<[u8; 16]>,
}

record!(ErasureRecord, "erasure", { 1: id, phone });

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ErasingRecord {
    /// The newest erasure in this run.
    pub newest: ErasureId,
    /// The stage of the erasure, which determines the kind of rows that is being searched.
    pub stage: u8,
    /// The key of the last searched row; empty at the start.
    pub at: Vec<u8>,
}

record!(ErasingRecord, "erasing", { 1: newest, stage, at } check |erasing| {
    if erasing.at.len() > KEY_BYTES_MAX { Err("the key in it is too long") } else { Ok(()) }
});

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WipeRecord {
    /// The steady time until which the event may still be sent.
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
