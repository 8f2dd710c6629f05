//! From format 4 to format 5: the rows of people, memberships, sessions, links and mails are new, and so are later versions
//! of records; what earlier versions wrote is read still. So nothing is converted; that versions of format 4 may not open
//! the store any more is told by its format.

use store::StoreError;

use super::conversion::Conversion;

pub(super) async fn convert(_: &mut Conversion<'_>) -> Result<(), StoreError> {
    Ok(())
}
