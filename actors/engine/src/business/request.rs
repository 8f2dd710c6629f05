//! Requests for a change, and answers.

use std::marker::PhantomData;

use domain::{Actor, Timestamp};
use view::{EndedView, View};

/// An `If-Match` condition (RFC 9110 §13.1.1).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum IfMatch {
    Any,
    /// Strong entity tags, including their quotes.
    Tags(Vec<String>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Idempotency {
    /// SHA-256 of the caller (the id of the API key, or the operator) and the `Idempotency-Key`.
    pub key: [u8; 32],
    /// SHA-256 of method, path and canonical body.
    pub fingerprint: [u8; 32],
}

#[derive(Clone, Debug)]
pub struct Request {
    pub actor: Actor,
    pub if_match: Option<IfMatch>,
    pub idempotency: Option<Idempotency>,
    /// The time at which the person last entered the password in this session. A change to members is allowed only
    /// shortly after this time.
    pub password_at: Option<Timestamp>,
}

impl Request {
    pub fn by(actor: Actor) -> Self {
        Self { actor, if_match: None, idempotency: None, password_at: None }
    }
}

/// The HTTP status and the result type of a change. An interface that renders another type does not compile.
pub trait Gives: Send + 'static {
    const STATUS: u16;

    type Value: View;

    fn render(value: &Self::Value) -> Vec<u8>;

    fn read(bytes: &[u8]) -> serde_json::Result<Self::Value>;
}

#[derive(Debug)]
pub struct Given<V, const STATUS: u16>(PhantomData<fn() -> V>);

pub type Shown<V> = Given<V, 200>;

pub type New<V> = Given<V, 201>;

/// An answer without a body, because the resource is deleted.
pub type Removed = Given<(), NO_BODY>;

pub type Ended = Shown<EndedView>;

const NO_BODY: u16 = 204;

impl<V: View, const STATUS: u16> Gives for Given<V, STATUS> {
    const STATUS: u16 = STATUS;
    type Value = V;

    fn render(value: &V) -> Vec<u8> {
        if STATUS == NO_BODY { Vec::new() } else { view::render(value) }
    }

    fn read(bytes: &[u8]) -> serde_json::Result<V> {
        serde_json::from_slice(if STATUS == NO_BODY { b"null" } else { bytes })
    }
}

/// The answer to a change. All of its data is durable.
#[derive(Clone, Copy)]
pub struct Answer<V> {
    pub value: V,
    /// True if the answer belongs to an earlier request with the same idempotency key.
    pub replayed: bool,
}

impl<V> Answer<V> {
    pub fn map<W>(self, value: impl FnOnce(V) -> W) -> Answer<W> {
        Answer { value: value(self.value), replayed: self.replayed }
    }
}

/// The value is not printed, because it may contain personal data or a secret.
impl<V> std::fmt::Debug for Answer<V> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Answer").field("replayed", &self.replayed).finish_non_exhaustive()
    }
}
