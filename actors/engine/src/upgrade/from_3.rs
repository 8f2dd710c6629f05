//! From format 3 to format 4: what is new is added as it is written (later versions of records, rows of kinds that format
//! 3 did not know), and what earlier versions wrote is read still. So nothing is converted; that versions of format 3 may
//! not open the store any more is told by its format.

use store::StoreError;

use super::conversion::Conversion;

pub(super) async fn convert(_: &mut Conversion<'_>) -> Result<(), StoreError> {
    Ok(())
}
