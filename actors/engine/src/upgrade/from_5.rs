//! Conversion from format 5 to 6. The newest rows may be only in the journal next to the store. No row is
//! converted; the format number keeps versions of format 5 from opening the store before the first journal
//! record.

use store::StoreError;

use super::conversion::Conversion;

pub(super) async fn convert(_: &mut Conversion<'_>) -> Result<(), StoreError> {
    Ok(())
}
