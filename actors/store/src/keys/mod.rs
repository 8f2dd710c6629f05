//! The layout of the keys: `[business 16][kind 1][parts]`. All keys of a kind have the same length.
//!
//! Keys sort by the values of their parts: integers are big-endian, and instants have their sign bit flipped.
//! The key of most index rows ends with the id of the record. In an index by hash, the value contains the id.
//! The rows of the *installation* have the nil UUID in place of the business. They concern the whole service, or
//! are read before the business is known.

pub mod earlier;
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
