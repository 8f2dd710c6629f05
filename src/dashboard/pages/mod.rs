//! The pages. Each page has a template next to its file. This folder contains the pages that belong to no
//! business. Its subfolders contain the pages of a business.

pub(super) mod access;
pub(super) mod account;
pub(super) mod day;
pub(super) mod enter;
pub(super) mod forgotten;
pub(super) mod landing;
pub(super) mod password;
mod prelude;
pub(super) mod records;
pub(super) mod settings;
pub(super) mod sign_in;
pub(super) mod unsubscribe;
