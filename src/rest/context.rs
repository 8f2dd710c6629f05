//! A request on its way through a handler: who asks, and what it may ask the engine for.
//!
//! What always holds: when a handler gets it, syntax and path are settled; a change carries the request's `If-Match`
//! and `Idempotency-Key` with it, so that both are decided where the change is.

use std::sync::Arc;

use axum::body::Body;
use axum::http::request::Parts;
use axum::http::{HeaderMap, Method};
use domain::{Actor, KeyId, Refusal, ResourceId};
use engine::business::{Change, Idempotency, IfMatch, Request};
use engine::{BusinessHandle, Engine, Principal};
use sha2::{Digest, Sha256};

use super::error::ApiError;
use super::output::AnswerTo;
use crate::http::cursor::Cursors;
use crate::http::etag::Condition;
use crate::http::idempotency;
use crate::http::reading::Reading;
use crate::http::router::PathParams;

/// Who calls, as far as a request needs to know.
#[derive(Clone, Debug)]
pub(crate) struct Caller {
    /// Whom the audit log names.
    pub(crate) actor: Actor,
    /// The business that the request acts on, if it is about one.
    pub(crate) business: Option<BusinessHandle>,
    /// What the values of the request are read by: the region of the business's national phone numbers.
    pub(crate) reading: Reading,
    /// Whose an `Idempotency-Key` is.
    pub(crate) idempotency_scope: IdempotencyScope,
    /// The API key and its business, if it is one that calls.
    pub(crate) principal: Option<Arc<Principal>>,
}

/// Whose an `Idempotency-Key` is: what others send under the same one is another request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum IdempotencyScope {
    /// An API key's.
    ApiKey(KeyId),
    /// The operator's, whatever calls in that name.
    Operator,
}

impl IdempotencyScope {
    /// SHA-256 of whose it is and the key itself, which is all that is stored of it.
    pub(crate) fn hash(self, key: &[u8]) -> [u8; 32] {
        // No API key has an id of zeros.
        let whose = match self {
            Self::ApiKey(id) => *id.uuid().as_bytes(),
            Self::Operator => [0; 16],
        };
        Sha256::new().chain_update(whose).chain_update(key).finalize().into()
    }
}

/// What a handler knows of its request beside its inputs.
pub(crate) struct Context {
    pub(crate) engine: Engine,
    pub(crate) cursors: Cursors,
    pub(crate) caller: Caller,
    /// Method, address and headers.
    pub(super) head: Arc<Parts>,
    /// The body's canonical JSON, if the request is to happen once.
    pub(super) canonical: Vec<u8>,
}

impl Context {
    /// The business that the request acts on.
    pub(super) fn business(&self) -> Result<&BusinessHandle, ApiError> {
        self.caller.business.as_ref().ok_or_else(|| Refusal::NotFound("business").into())
    }

    /// Carries out a change of the request's business; its answer is what the handler gives.
    pub(crate) async fn change<C, O>(&self, change: C) -> Result<O, ApiError>
    where
        C: Change + 'static,
        O: AnswerTo<C::Gives>,
    {
        Ok(O::answer_to(self.business()?.change(self.request()?, change).await?))
    }

    /// The answer that was given to this request for such a change, if it is to happen once and did. For handlers that
    /// ask others before the change is made: the same request again gets the same answer, whatever they would say now.
    pub(crate) async fn remembered<C, O>(&self) -> Result<Option<O>, ApiError>
    where
        C: Change,
        O: AnswerTo<C::Gives>,
    {
        let request = self.request()?;
        Ok(self.business()?.remembered::<C>(&request).await?.map(O::answer_to))
    }

    pub(crate) fn headers(&self) -> &HeaderMap {
        &self.head.headers
    }

    /// Whether the request asks for something without changing anything.
    pub(super) fn only_reads(&self) -> bool {
        matches!(self.head.method, Method::GET | Method::HEAD)
    }

    /// Makes sure that the headers of a change are well-formed.
    pub(super) fn check_headers(&self) -> Result<(), ApiError> {
        Condition::if_match(self.headers())?;
        Ok(idempotency::key(self.headers()).map(|_| ())?)
    }

    /// Who asks for the change, and under which conditions.
    pub(crate) fn request(&self) -> Result<Request, ApiError> {
        let if_match = Condition::if_match(self.headers())?.map(|condition| match condition {
            Condition::Any => IfMatch::Any,
            Condition::Tags(tags) => IfMatch::Tags(tags),
        });
        Ok(Request { if_match, idempotency: self.idempotency()?, ..Request::by(self.caller.actor) })
    }

    /// What makes this request the same one again, if it says so.
    pub(crate) fn idempotency(&self) -> Result<Option<Idempotency>, ApiError> {
        self.idempotency_by(&self.canonical)
    }

    /// The same of a request whose body a handler reads itself, by what stands for that.
    pub(crate) fn idempotency_by(&self, body: &[u8]) -> Result<Option<Idempotency>, ApiError> {
        let fingerprint = idempotency::fingerprint(&self.head, body);
        Ok(self.idempotency_key()?.map(|key| Idempotency { key, fingerprint }))
    }

    /// What stands for the request's `Idempotency-Key`, if it has one.
    pub(crate) fn idempotency_key(&self) -> Result<Option<[u8; 32]>, ApiError> {
        let key = idempotency::key(self.headers())?;
        Ok(key.map(|bytes| self.caller.idempotency_scope.hash(bytes)))
    }
}

/// A request that a route was found for.
pub(crate) struct Routed {
    pub(crate) parts: Parts,
    pub(crate) params: PathParams,
    pub(crate) body: Body,
}

/// A request that was let in, of which a handler's inputs are still to be read.
pub(crate) struct Incoming {
    pub(super) context: Context,
    pub(super) params: PathParams,
    pub(super) body: Body,
}

impl Incoming {
    /// The request of this caller.
    pub(crate) fn new(engine: &Engine, cursors: &Cursors, caller: Caller, routed: Routed) -> Self {
        let Routed { parts, params, body } = routed;
        let context = Context {
            engine: engine.clone(),
            cursors: cursors.clone(),
            caller,
            head: Arc::new(parts),
            canonical: Vec::new(),
        };
        Self { context, params, body }
    }
}
