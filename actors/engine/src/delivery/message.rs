//! Messages of an endpoint's actor. A permit in a message keeps the actor running until the message is
//! handled.

use domain::{Delivery, EventId, Timestamp};
use store::KeyRange;
use tokio::sync::OwnedSemaphorePermit;

use super::dispatch::{AttemptPermit, UnderWay};
use super::schedule::AttemptResult;
use crate::actor::Reply;

pub(crate) enum Message {
    /// Something is due.
    Wake(OwnedSemaphorePermit),
    Permit(AttemptPermit, OwnedSemaphorePermit),
    /// Due times may be later than the schedule allows.
    ClampDueTimes(OwnedSemaphorePermit),
    Turn,
    /// The outcome of the attempt with this number is known; the response body is still read.
    Head(EventId, u64),
    Ended(Box<Ended>),
    /// The outcome of an attempt is durable.
    Recorded(EventId),
    /// The outcome of an attempt could not be written.
    NotRecorded(Box<Ended>),
    /// Some rows of a deleted endpoint are deleted.
    Purged,
    /// Clean the deliveries of events to be wiped, after this event if given.
    Clean(Option<EventId>, OwnedSemaphorePermit),
    /// A step of the cleaning is durable.
    Cleaned(Option<EventId>),
    Resend(Box<Resending>),
    #[cfg(test)]
    Fail,
}

pub(crate) struct Ended {
    pub(super) number: u64,
    pub(super) delivery: Delivery,
    pub(super) result: AttemptResult,
    pub(super) began: Timestamp,
    pub(super) under_way: UnderWay,
}

/// A request to send again, with its progress.
pub(crate) struct Resending {
    pub(super) what: Resend,
    pub(super) resent: u64,
    pub(super) reply: Reply<u64>,
}

pub(crate) enum Resend {
    One(EventId),
    /// Every missed and failed delivery in this part of the log. The range shrinks from message to message,
    /// so other work of the endpoint runs in between.
    Missed(KeyRange),
}
