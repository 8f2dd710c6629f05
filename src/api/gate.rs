//! The gate before `/v1`: the key, the rate limit, and then, once the request is routed, suspension and scope.
//!
//! What always holds: every answer under `/v1` carries the rate limit headers; a request without a valid key is
//! counted against its peer address alone; a key is never logged.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use actors::credentials::Credential;
use actors::domain::Actor;
use actors::{Engine, Principal};
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use super::operation::{Access, Operation};
use super::rate_limit::{Allowance, RateLimit, Verdict};
use crate::http::call::{Call, Caller, bearer};
use crate::http::cursor::Cursors;
use crate::http::error::ApiError;
use crate::http::request_id::{LoggedKey, caught};
use crate::http::routes::{Door, Route};
use crate::metrics::{Metrics, Refused};
use crate::server::PeerAddr;

const LIMIT: HeaderName = HeaderName::from_static("x-ratelimit-limit");
const REMAINING: HeaderName = HeaderName::from_static("x-ratelimit-remaining");
const RESET: HeaderName = HeaderName::from_static("x-ratelimit-reset");

/// What the gate needs.
pub(crate) struct Gate {
    engine: Engine,
    cursors: Cursors,
    limits: RateLimit,
    metrics: Arc<Metrics>,
}

impl Gate {
    pub(super) fn new(
        engine: Engine,
        cursors: Cursors,
        requests_per_minute: u32,
        metrics: Arc<Metrics>,
    ) -> Self {
        Self { engine, cursors, limits: RateLimit::new(requests_per_minute), metrics }
    }

    /// What the request's key opens.
    async fn principal(&self, headers: &HeaderMap) -> Result<Option<Arc<Principal>>, ApiError> {
        match bearer(headers).and_then(Credential::parse) {
            Some(credential) => Ok(self.engine.authenticate(&credential).await?),
            None => Ok(None),
        }
    }
}

/// The layer before everything under `/v1`, unknown paths included.
pub(super) async fn gate(State(gate): State<Arc<Gate>>, mut request: Request, next: Next) -> Response {
    let path = request.uri().path();
    if path != "/v1" && !path.starts_with("/v1/") {
        return next.run(request).await;
    }
    let principal = gate.principal(request.headers()).await;
    let now = gate.engine.ports().clock.now();
    let (principal, refusal) = match principal {
        Ok(principal) => (principal, ApiError::Unauthorized),
        Err(error) => (None, error),
    };
    let Some(principal) = principal else {
        let peer = request
            .extensions()
            .get::<PeerAddr>()
            .map_or(std::net::Ipv4Addr::UNSPECIFIED.into(), |peer| peer.0.ip());
        return refused(gate.limits.peer(peer, now), &gate.metrics.refused, |refused| &refused.addresses)
            .unwrap_or_else(|allowance| with_headers(refusal.into_response(), allowance));
    };
    let logged = LoggedKey(principal.key.id);
    let mut response =
        match refused(gate.limits.key(principal.key.id, now), &gate.metrics.refused, |refused| &refused.keys)
        {
            Ok(response) => response,
            Err(allowance) => {
                request.extensions_mut().insert(principal);
                with_headers(caught(next.run(request)).await, allowance)
            }
        };
    response.extensions_mut().insert(logged);
    response
}

/// The answer to a request over its limit, or what is left to one within it.
fn refused(
    verdict: Verdict,
    counters: &Refused,
    over: impl Fn(&Refused) -> &AtomicU64,
) -> Result<Response, Allowance> {
    let retry_after = |allowance: Allowance| allowance.seconds_left.unsigned_abs();
    let (error, allowance) = match verdict {
        Verdict::Within(allowance) => return Err(allowance),
        Verdict::Over(allowance) => {
            over(counters).fetch_add(1, Ordering::Relaxed);
            (ApiError::RateLimited { retry_after: retry_after(allowance) }, allowance)
        }
        Verdict::Unavailable(allowance) => {
            counters.uncounted.fetch_add(1, Ordering::Relaxed);
            (ApiError::RateLimitUnavailable { retry_after: retry_after(allowance) }, allowance)
        }
    };
    Ok(with_headers(error.into_response(), allowance))
}

fn with_headers(mut response: Response, allowance: Allowance) -> Response {
    let headers = response.headers_mut();
    headers.insert(LIMIT, HeaderValue::from(allowance.limit));
    headers.insert(REMAINING, HeaderValue::from(allowance.remaining));
    headers.insert(RESET, HeaderValue::from(allowance.reset));
    response
}

impl Door<Operation> for Arc<Gate> {
    async fn admit(
        &self,
        mut request: Request,
        route: &Route<Operation>,
        params: Vec<(String, String)>,
    ) -> Result<Call, ApiError> {
        let principal = request.extensions_mut().remove::<Arc<Principal>>().ok_or(ApiError::Unauthorized)?;
        if let Access::Scope(scope) = route.access.access {
            if principal.business.suspended {
                return Err(ApiError::Forbidden);
            }
            if !principal.key.scopes.contains(scope) {
                return Err(ApiError::InsufficientScope(scope));
            }
        }
        let caller = Caller {
            actor: Actor::ApiKey(principal.key.id),
            business: Some(self.engine.business(principal.business.id)),
            phone_region: principal.business.phone_region.clone(),
            idempotency_scope: Some(principal.key.id),
        };
        let (mut parts, body) = request.into_parts();
        parts.extensions.insert(principal);
        Ok(Call {
            engine: self.engine.clone(),
            cursors: self.cursors.clone(),
            caller,
            parts,
            params,
            body,
            canonical: Vec::new(),
            described: Some(route.access.described()),
        })
    }
}
