//! The rules by which several nodes share one log, which is stored in a database.
//!
//! One node is *active* for the log: it appends records and serves requests. The other nodes are *standbys*.
//! Each node applies the records to its *image*, a copy of the rows. The *place* is the database's row for
//! the log, with its history and its current epoch. Transactions lock this row. All modules are pure: a
//! caller passes in responses of the database and the time of the node's own clock, and carries out the
//! returned step.
//!
//! | Module | Purpose |
//! |---|---|
//! | `chain` | positions in a log; the header of a record |
//! | `lease` | the time for which the active node may serve |
//! | `outcome` | appending records, and finding out after a lost connection whether they were appended |
//! | `takeover` | when a standby may become active |
//! | `following` | which records an image may apply |
//!
//! Invariants:
//!
//! - A change is acknowledged only if it cannot be lost in a failover of the database.
//! - At most one node serves at a time, unless a node's clock runs more than 60 % faster than another node's.
//! - An image contains only records that cannot be lost in a failover.

pub mod chain;
pub mod following;
pub mod lease;
pub mod outcome;
pub mod takeover;

pub use self::chain::{Digest, Epoch, Head, Header, History};
pub use self::following::{Found, Next, Page, next};
pub use self::lease::{Lease, Timing};
pub use self::outcome::{Appending, Event, Step};
pub use self::takeover::{Seen, Watch, may_take};
