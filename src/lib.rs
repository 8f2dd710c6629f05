//! x

pub mod cli;
