//! The engine of receptionist.

pub mod domain;
pub mod store;
