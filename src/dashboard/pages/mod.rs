//! The pages, one file each beside its template: before anybody is known and of a person's own here, those of a business
//! by group.

pub(super) mod access;
pub(super) mod account;
pub(super) mod day;
pub(super) mod enter;
pub(super) mod forgotten;
pub(super) mod landing;
pub(super) mod password;
mod prelude;
pub(super) mod records;
pub(super) mod sessions;
pub(super) mod settings;
pub(super) mod sign_in;
pub(super) mod unsubscribe;
