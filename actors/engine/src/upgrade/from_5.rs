//! From format 5 to format 6: what is newest may stand in the journal beside the store, and nowhere else. Rows stay as they
//! are, so nothing is converted; that versions of format 5 may not open the store any more is told by its format, before
//! the first batch is written to a journal.

use store::StoreError;

use super::conversion::Conversion;

pub(super) async fn convert(_: &mut Conversion<'_>) -> Result<(), StoreError> {
    Ok(())
}
