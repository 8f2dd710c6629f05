//! Moving house: reading the businesses of a store as records, and writing them into another one, beside everything else
//! that the engine does. What always holds:
//!
//! - ids and stamps stay as they were; an import only ever makes businesses that the store did not know;
//! - a business under import is nobody's: what it will be stands apart (`keys::moving`), and its records under an id
//!   that no list names and no engine finds, until it is opened in one batch;
//! - businesses are opened only once everything that was read is good and on the disk. An import that broke off before
//!   that is taken back, one that broke off after it is finished, before another one begins; the engine does that by itself
//!   when it starts;
//! - of somebody who was erased here nothing comes back: who they are stands in the list beside the store;
//! - memory goes with the services and staff members of one business, with those who were erased here, and with nothing
//!   else.

mod arriving;
mod checks;
mod leave;
mod missing;
mod pace;
mod record;
mod settle;
mod staged;
mod take;

pub use leave::Leaving;
pub use missing::MISSING_MAX;
pub use record::{Moved, MovedKind, Wrong};
pub(crate) use settle::{finish, is_finishing, is_unfinished, open_all, take_back};
pub use take::{Import, ImportOptions};
