//! The layout of the keys: `[business 16][kind 1][rest]`. All keys of a kind have the same length.
//!
//! Invariants: the order of keys is the order of the values: integers are big-endian, and instants have their sign bit
//! flipped. An index key ends with the id of its record. Rows of no business, or that are looked up before the business
//! is known, have the nil UUID: the installation.

pub mod format_1;
pub mod installation_kind;
pub mod kind;
mod parts;
mod ranges;
#[cfg(test)]
mod tests;

pub use installation_kind::functions::*;
pub use kind::functions::*;
pub use parts::*;
pub use ranges::*;
