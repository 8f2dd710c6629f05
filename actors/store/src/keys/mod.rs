//! The layout of the keys: `[business 16][kind 1][rest]`. All keys of a kind have the same length.
//!
//! Invariants: integers are big-endian and instants have their sign bit flipped, so the order of keys is the
//! order of the values. An index key ends with the id of its record, so two records never have the same index
//! key. Rows that belong to no business, or are looked up before the business is known, have the nil UUID:
//! the installation.

mod business;
mod day;
pub mod format_1;
pub mod installation_kind;
pub mod kind;
mod parts;
mod people;
mod sending;
#[cfg(test)]
mod tests;
mod work;

pub use business::*;
pub use day::*;
pub use parts::*;
pub use people::*;
pub use sending::*;
pub use work::*;
