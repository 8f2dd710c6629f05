//! Positions in a log, and the header of a record.
//!
//! Each record contains the digest of the preceding record. So if two logs contain the same record, all their
//! earlier records are also equal.

/// The digest of a record. The digest covers the header and the content of the record.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Digest(pub [u8; 32]);

/// The random id of a log. A log that is restored from a backup gets a new id.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct History(pub [u8; 16]);

/// The number and the digest of a record in a log. For an empty log, both are zero.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Head {
    pub number: u64,
    pub digest: Digest,
}

/// The period from one takeover to the next, in which one node is active. The number alone does not identify an epoch:
/// an asynchronous failover can remove a takeover, and the next takeover then gets the same number. Each epoch
/// therefore also has a random id.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Epoch {
    pub number: u64,
    pub id: [u8; 16],
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Header {
    pub history: History,
    /// The epoch of the node that made the record.
    pub epoch: Epoch,
    pub number: u64,
    /// The digest of the preceding record.
    pub previous: Digest,
}

impl Header {
    /// True if this record may follow the record at this position.
    pub fn follows(&self, head: &Head) -> bool {
        self.number == head.number + 1 && self.previous == head.digest
    }
}
