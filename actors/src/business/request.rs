//! What a change is asked for with, and how it is answered.

use std::marker::PhantomData;

use bytes::Bytes;

use crate::domain::{Actor, Timestamp};

/// An `If-Match` condition (RFC 9110 §13.1.1).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum IfMatch {
    /// `*`: any state of the resource.
    Any,
    /// One of these strong tags, quotes included.
    Tags(Vec<String>),
}

/// What makes a request the same one again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Idempotency {
    /// SHA-256 of whose it is and the `Idempotency-Key`.
    pub key: [u8; 32],
    /// SHA-256 of method, path and canonical body.
    pub fingerprint: [u8; 32],
}

/// Who asks for a change, and under which conditions.
#[derive(Clone, Debug)]
pub struct Request {
    /// Who.
    pub actor: Actor,
    /// Only when the resource still has this tag.
    pub if_match: Option<IfMatch>,
    /// Only once.
    pub idempotency: Option<Idempotency>,
    /// When a person gave their password last, in the session in which they ask. Changes of people are refused where that
    /// was not lately.
    pub password_at: Option<Timestamp>,
}

impl Request {
    /// A request without conditions.
    pub fn by(actor: Actor) -> Self {
        Self { actor, if_match: None, idempotency: None, password_at: None }
    }
}

/// What kind of answer it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AnswerStatus {
    /// The resource as it is now.
    Done,
    /// The resource that was created.
    Created,
    /// The resource is no more; there is no body.
    Gone,
}

/// What the answer to a kind of change shows. It stands in the change's type, so whoever hands on the answer says the
/// same or does not compile.
pub trait Gives: Send + 'static {
    /// What kind of answer that is.
    const STATUS: AnswerStatus;
}

/// The resource as it is now, in this view.
#[derive(Debug)]
pub struct Shown<V>(PhantomData<fn() -> V>);

impl<V: 'static> Gives for Shown<V> {
    const STATUS: AnswerStatus = AnswerStatus::Done;
}

/// The resource that was created, in this view.
#[derive(Debug)]
pub struct New<V>(PhantomData<fn() -> V>);

impl<V: 'static> Gives for New<V> {
    const STATUS: AnswerStatus = AnswerStatus::Created;
}

/// Nothing: the resource is no more.
#[derive(Debug)]
pub struct Removed;

impl Gives for Removed {
    const STATUS: AnswerStatus = AnswerStatus::Gone;
}

/// That the business was ended.
#[derive(Debug)]
pub struct Ended;

impl Gives for Ended {
    const STATUS: AnswerStatus = AnswerStatus::Done;
}

/// The answer to a change. Everything it shows is on the disk.
#[derive(Clone)]
pub struct Answer {
    /// What kind of answer it is.
    pub status: AnswerStatus,
    /// The resource's JSON; empty for [`AnswerStatus::Gone`].
    pub body: Bytes,
    /// Whether it is the answer to an earlier request with the same idempotency key.
    pub replayed: bool,
}

/// What the resource is does not show in a log: it may be a person, or a secret that is shown this once.
impl std::fmt::Debug for Answer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Answer")
            .field("status", &self.status)
            .field("bytes", &self.body.len())
            .field("replayed", &self.replayed)
            .finish()
    }
}
