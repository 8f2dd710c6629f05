//! Export reads businesses as records, and import writes them into another store, while the engine runs.
//!
//! Invariants:
//!
//! - Export and import do not change ids or timestamps. An import creates only businesses that the store does not have.
//! - A business that is being imported is not in any list. Its profile is stored under a separate key (`keys::moving`)
//!   until one batch opens the business, which makes it visible.
//! - Businesses are opened only when all records are valid and durable. This moment is the *point of no return*: an
//!   import that stops earlier is rolled back (its rows are deleted), and an import that stops later is finished. When
//!   the engine starts, it rolls back or finishes an interrupted import before it accepts another import.
//! - The slug of an imported booking page is locked from before the point of no return until the business is open. If
//!   another business has the slug, the imported page loses the slug.
//! - The store's list of tombstones names the contacts who were erased. An import never restores their data.
//! - An import keeps in memory only one business's services and staff, the slugs, and the ids of erased
//!   contacts.

mod checks;
mod finish;
mod imported_business;
mod leave;
mod record;
mod service;
mod staged;
mod take;

pub(crate) use finish::{claim_slugs, finish, is_finishing, is_unfinished, open_all, take_back};
pub use imported_business::MISSING_MAX;
pub use leave::Leaving;
pub use record::{Moved, MovedKind, Wrong};
pub(crate) use service::{ExportPermit, Moving};
pub use take::{Import, ImportOptions};
