//! Reads sled's files, in order to check them before sled opens them, to isolate a corrupt page or to salvage rows.
//!
//! sled 0.34.7 stores its log in one file, `db`, which consists of segments of equal length. A *message* is a record of
//! the log. It contains a whole *page* (node) of sled's tree or a change to a page. A segment that contains no needed
//! message is *free*, and sled overwrites it. A log sequence number (LSN) is a position in the log. A segment starts at
//! a multiple of its length.
//!
//! ```text
//! segment      crc32 4 | LSN 8 | stable LSN 8                     in both LSNs, all bits except the first are inverted
//! message      crc32 4 | kind 1 | length | segment number | page  the last three are varints; the body follows
//! snap.LSN     LSN 8 | active segment | page states, then length 8 | crc32 4
//! ```
//!
//! A message's checksum covers first the body, then the part of the header after the checksum. A segment ends at a
//! message of kind `Cap`, or where fewer than 32 bytes (the maximum length of a header) are left. The layouts are in
//! sled's `pagecache/logger.rs`, `pagecache/snapshot.rs` and `serialization.rs`.
//!
//! Invariant: this module never writes to sled's files.

mod isolate;
mod message;
mod node;
mod pages;
mod salvage;
mod sealed;
mod segment;
mod snapshot;
mod walk;

pub(super) use self::isolate::{Last, Write, corrupt_pages, last_value, plan};
pub(super) use self::pages::Pages;
pub(super) use self::salvage::Salvage;
pub(super) use self::sealed::SealedSegments;
pub(super) use self::segment::segments_of;
#[cfg(test)]
pub(super) use self::segment::{SEGMENT_HEADER_BYTES, header_of};
pub(super) use self::snapshot::damaged_derived_files;
#[cfg(test)]
pub(super) use self::snapshot::snapshots_of;
pub(super) use self::walk::{Log, Unusable};
