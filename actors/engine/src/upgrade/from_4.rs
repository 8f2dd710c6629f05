//! Conversion from format 4 to 5. Rows of people, memberships, sessions, links and mails are new, and old
//! rows stay readable. No row is converted; the format number keeps versions of format 4 from opening the
//! store.

use store::StoreError;

use super::conversion::Conversion;

pub(super) async fn convert(_: &mut Conversion<'_>) -> Result<(), StoreError> {
    Ok(())
}
