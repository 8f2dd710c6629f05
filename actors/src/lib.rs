//! The engine of receptionist.

pub mod domain;
