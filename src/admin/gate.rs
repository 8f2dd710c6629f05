//! The access check (gate) of `/admin/v1`: the operator token, and the business in the path.
//!
//! Invariants:
//! - The correct token is always accepted.
//! - After [`FAILURES_MAX`] wrong tokens within a minute, an address gets 429 for each wrong token until
//!   the minute ends. This slows guessing down and cannot lock out the operator.
//! - A token is never logged.

use std::sync::Arc;

use axum::extract::Request;
use axum::response::{IntoResponse, Response};
use domain::{Actor, BusinessId};
use engine::{Engine, EngineError};
use store::StoreError;

use crate::api::limited;
use crate::config::AdminToken;
use crate::http::authorization::{BadCredential, bearer};
use crate::http::cursor::Cursors;
use crate::http::reading::Reading;
use crate::metrics::Metrics;
use crate::rate_limit::Addresses;
use crate::rest::context::{Caller, Incoming, Routed};
use crate::rest::error::ApiError;
use crate::rest::router::Gate;
use crate::rest::values::phone::PhoneRegion;
use crate::server::ClientAddr;

pub(crate) const FAILURES_MAX: u32 = 5;

#[derive(Clone)]
pub(crate) struct TokenGate {
    engine: Engine,
    cursors: Cursors,
    token: Arc<AdminToken>,
    failures: Arc<Addresses>,
    metrics: Arc<Metrics>,
}

impl TokenGate {
    pub(super) fn new(engine: Engine, token: AdminToken, metrics: Arc<Metrics>) -> Self {
        let (cursors, failures) = (Cursors::new(engine.secret()), Arc::new(Addresses::new(FAILURES_MAX)));
        Self { engine, cursors, token: Arc::new(token), failures, metrics }
    }

    fn refusal(&self, request: &Request) -> Option<ApiError> {
        // A request without a token does not count as a guess.
        let token = match bearer(request.headers()) {
            Ok(token) => token,
            Err(fault) => return Some(ApiError::NoToken(fault)),
        };
        if self.token.is(token) {
            return None;
        }
        let (client, now) = (ClientAddr::of(request.extensions()), self.engine.now());
        let counters = &self.metrics.rate_limited;
        let (error, allowance) = limited(self.failures.count(client, now), counters, &counters.addresses);
        if error.is_none() && allowance.remaining == 0 {
            tracing::warn!(client.address = %client, "too many wrong operator tokens; the address must wait");
        }
        Some(error.unwrap_or(ApiError::NoToken(BadCredential::Unknown)))
    }
}

/// The access rule of all routes: a valid token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Token;

impl Gate<Token> for TokenGate {
    type Identity = ();

    async fn authenticate<F: Future<Output = Response> + Send>(
        &self,
        request: Request,
        next: impl FnOnce(Request, ()) -> F + Send,
    ) -> Response {
        match self.refusal(&request) {
            None => next(request, ()).await,
            Some(refusal) => refusal.into_response(),
        }
    }

    async fn authorize(&self, (): (), _: &Token, routed: Routed) -> Result<Incoming, ApiError> {
        let mut caller = Caller {
            actor: Actor::Operator,
            business: None,
            reading: Reading::in_region(PhoneRegion::DEFAULT),
            principal: None,
        };
        // The gate does not report an unknown business. The handler reports it, after it has checked the syntax of the
        // request.
        let named = routed.params.get("business_id");
        if let Some(id) = named.and_then(|id| id.parse::<BusinessId>().ok()) {
            let handle = self.engine.business(id);
            match handle.business().await {
                Ok(business) => {
                    caller.reading = PhoneRegion::reading(&business);
                    caller.business = Some(handle);
                }
                Err(EngineError::NotFound) => {}
                // A damaged business that the store has set aside (taken offline) can still be deleted. Other
                // requests get an error.
                Err(EngineError::Store(StoreError::SetAside(_))) => {
                    caller.reading = Reading::PLAIN;
                    caller.business = Some(handle);
                }
                Err(error) => return Err(error.into()),
            }
        }
        Ok(Incoming::new(&self.engine, &self.cursors, caller, routed))
    }
}
