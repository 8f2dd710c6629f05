//! Planted faults, each of which the simulation must catch.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// The append does not compare the epoch.
    NoEpoch,
    LeaseFromTheReply,
    /// If a record is sent several times, the lease begins with the last send. In a correct node, it begins with the
    /// first send.
    LeaseFromTheRepetition,
    /// The lease is 2/3 of the takeover time, which is safe only if the clocks' speeds differ by less than 50 %.
    LongLease,
    /// The active node opens a connection and reads the outcome at once. A correct node first makes a commit on the new
    /// connection and waits for its acknowledgement.
    OutcomeByReading,
    /// A node that is not active opens a connection and reads at once. A correct node first makes a commit on the new
    /// connection and waits for its acknowledgement.
    UnprovenReading,
    NoSecondLook,
    NewestApplied,
    TruncationPastTheSnapshot,
    NoChain,
    SnapshotUnderAWrongNumber,
}

pub(crate) const FAULTS: [Fault; 11] = [
    Fault::NoEpoch,
    Fault::LeaseFromTheReply,
    Fault::LeaseFromTheRepetition,
    Fault::LongLease,
    Fault::OutcomeByReading,
    Fault::UnprovenReading,
    Fault::NoSecondLook,
    Fault::NewestApplied,
    Fault::TruncationPastTheSnapshot,
    Fault::NoChain,
    Fault::SnapshotUnderAWrongNumber,
];
