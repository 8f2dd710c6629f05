//! What an endpoint's actor is told.

use domain::{Delivery, EventId, Timestamp};
use store::KeyRange;
use tokio::sync::OwnedSemaphorePermit;

use super::dispatch::{Place, UnderWay};
use super::schedule::AttemptResult;
use crate::actor::{Permits, Reply};

/// What a delivery actor is told.
#[derive(Debug)]
pub(crate) enum Message {
    /// Something is due. The permit keeps the actor from being put away before it has looked.
    Wake(OwnedSemaphorePermit),
    /// A place for what is due. The permit is as that of waking.
    Place(Place, OwnedSemaphorePermit),
    /// Due times may lie further ahead than they should.
    Straighten(OwnedSemaphorePermit),
    /// Look at what is due.
    Turn,
    /// An attempt's outcome is known; the body of the response is still read. The number tells attempts of an event
    /// apart.
    Head(EventId, u64),
    /// An attempt has ended.
    Ended(Box<Ended>),
    /// What came of an attempt is on the disk.
    Recorded(EventId),
    /// What came of an attempt could not be written just now.
    NotRecorded(Box<Ended>),
    /// Some rows of an endpoint that is no more are deleted.
    Purged,
    /// Events are to be wiped, those behind this one if any: what was answered to them goes. The permit is as that of
    /// waking.
    Clean(Option<EventId>, OwnedSemaphorePermit),
    /// What was answered to some is gone.
    Cleaned(Option<EventId>),
    /// Send again.
    Resend(Box<Resending>),
    /// Fail, as a test wants it.
    #[cfg(test)]
    Fail,
}

/// An attempt that has ended.
#[derive(Debug)]
pub(crate) struct Ended {
    pub(super) number: u64,
    pub(super) delivery: Delivery,
    pub(super) result: AttemptResult,
    pub(super) began: Timestamp,
    pub(super) under_way: UnderWay,
}

/// A request to send again, as far as it is carried out.
#[derive(Debug)]
pub(crate) struct Resending {
    /// What.
    pub(super) what: Resend,
    /// How many so far.
    pub(super) resent: u64,
    /// Where the number goes.
    pub(super) reply: Reply<u64>,
    /// Held until it is answered.
    pub(super) _permits: Permits,
}

/// What is sent again.
#[derive(Debug)]
pub(crate) enum Resend {
    /// One event.
    One(EventId),
    /// Every missed and failed one of this part of the log, which shrinks from message to message, so that other work
    /// of the endpoint gets its turn.
    Missed(KeyRange),
}
