//! The context of a request: its caller, its headers and its changes.
//!
//! Invariant: a change contains the request's `If-Match` and `Idempotency-Key`. The actor that makes the change
//! checks both.

use std::sync::Arc;

use axum::body::Body;
use axum::http::request::Parts;
use axum::http::{HeaderMap, Method};
use domain::{Actor, Named, Refusal, ResourceId, Scope};
use engine::business::{Change, Idempotency, Request};
use engine::{BusinessHandle, Engine, Principal};
use sha2::{Digest, Sha256};

use super::error::ApiError;
use super::output::AnswerTo;
use crate::http::cursor::Cursors;
use crate::http::reading::Reading;
use crate::http::router::PathParams;
use crate::http::{etag, idempotency};

#[derive(Clone, Debug)]
pub(crate) struct Caller {
    pub(crate) actor: Actor,
    pub(crate) business: Option<BusinessHandle>,
    /// The region for national phone numbers.
    pub(crate) reading: Reading,
    /// The API key, or `None` for the operator. Different API keys can use the same `Idempotency-Key`.
    pub(crate) principal: Option<Arc<Principal>>,
}

impl Caller {
    /// Whether the caller's API key has the scope.
    pub(crate) fn may(&self, scope: Scope) -> bool {
        self.principal.as_ref().is_some_and(|principal| principal.key.scopes.contains(scope))
    }

    /// SHA-256 of the API key's id and the `Idempotency-Key`. The store contains only this hash.
    pub(crate) fn key_hash(&self, key: &[u8]) -> [u8; 32] {
        let owner = self.principal.as_ref().map_or([0; 16], |principal| *principal.key.id.uuid().as_bytes());
        Sha256::new().chain_update(owner).chain_update(key).finalize().into()
    }
}

pub(crate) struct Context {
    pub(crate) engine: Engine,
    pub(crate) cursors: Cursors,
    pub(crate) caller: Caller,
    pub(super) head: Arc<Parts>,
    /// The canonical JSON of the body, for a request with an `Idempotency-Key`.
    pub(super) canonical: Vec<u8>,
}

impl Context {
    pub(super) fn business(&self) -> Result<&BusinessHandle, ApiError> {
        self.caller.business.as_ref().ok_or_else(|| Refusal::NotFound(Named::Business).into())
    }

    pub(crate) async fn change<C, O>(&self, change: C) -> Result<O, ApiError>
    where
        C: Change + 'static,
        O: AnswerTo<C::Gives>,
    {
        Ok(O::answer_to(self.business()?.change(self.request()?, change).await?))
    }

    /// The stored response of an earlier request with the same `Idempotency-Key`. If a change needs expensive
    /// checks, the handler calls this function before these checks.
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

    /// Whether the client wants only the headers of the response.
    pub(crate) fn is_head(&self) -> bool {
        self.head.method == Method::HEAD
    }

    pub(super) fn only_reads(&self) -> bool {
        matches!(self.head.method, Method::GET | Method::HEAD)
    }

    pub(super) fn check_headers(&self) -> Result<(), ApiError> {
        etag::if_match(self.headers())?;
        Ok(idempotency::key(self.headers()).map(|_| ())?)
    }

    pub(crate) fn request(&self) -> Result<Request, ApiError> {
        let if_match = etag::if_match(self.headers())?;
        Ok(Request { if_match, idempotency: self.idempotency()?, ..Request::by(self.caller.actor) })
    }

    pub(crate) fn idempotency(&self) -> Result<Option<Idempotency>, ApiError> {
        self.idempotency_by(&self.canonical)
    }

    /// The `Idempotency-Key` and the fingerprint of the request. The fingerprint is computed with `body` as
    /// the request's body.
    pub(crate) fn idempotency_by(&self, body: &[u8]) -> Result<Option<Idempotency>, ApiError> {
        let fingerprint = idempotency::fingerprint(&self.head, body);
        Ok(self.idempotency_key()?.map(|key| Idempotency { key, fingerprint }))
    }

    pub(crate) fn idempotency_key(&self) -> Result<Option<[u8; 32]>, ApiError> {
        let key = idempotency::key(self.headers())?;
        Ok(key.map(|bytes| self.caller.key_hash(bytes)))
    }
}

pub(crate) struct Routed {
    pub(crate) parts: Parts,
    pub(crate) params: PathParams,
    pub(crate) body: Body,
}

/// An authorized request whose inputs are not read yet.
pub(crate) struct Incoming {
    pub(super) context: Context,
    pub(super) params: PathParams,
    pub(super) body: Body,
}

impl Incoming {
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
