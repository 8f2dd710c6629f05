//! The progress of background work in idle businesses.

use domain::{BusinessId, SteadyTime};

use crate::codec::record;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RoundRecord {
    pub began: SteadyTime,
    /// The last visited business, if any.
    pub after: Option<BusinessId>,
    pub is_through: bool,
}

record!(RoundRecord, "round", { 1: began, after, is_through });

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::super::testing::{check, check_damage};
    use super::*;

    #[test]
    fn a_round_record_has_these_bytes() {
        let began = SteadyTime::from_millis(1_772_442_000_000);
        let begun = RoundRecord { began, after: None, is_through: false };
        check(&begun, "01fd00358d5b39030000 00 00");
        let after = Some(BusinessId::from(Uuid::from_bytes([0xb5; 16])));
        let ended = RoundRecord { began, after, is_through: true };
        check(&ended, &format!("01fd00358d5b39030000 01 {} 01", "b5".repeat(16)));
        check_damage(&ended, |bytes| bytes[9] = 0x7f);
    }
}
