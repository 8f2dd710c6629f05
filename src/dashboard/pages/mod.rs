//! The pages, one file each beside its template.

pub(super) mod account;
pub(super) mod alerts;
pub(super) mod enter;
pub(super) mod forgotten;
pub(super) mod landing;
pub(super) mod password;
pub(super) mod sessions;
pub(super) mod sign_in;
pub(super) mod today;
pub(super) mod unsubscribe;
