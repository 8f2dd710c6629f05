//! The access check (gate) of `/v1` and `/mcp`. Requests to both need an API key. The gate checks the key
//! and the rate limit first, then the suspension of the business and the scope that the route needs.
//!
//! Invariants:
//! - Every response under `/v1` has the rate limit headers.
//! - A request without a valid key counts only towards the rate limit of its client address.
//! - A key is never logged.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use axum::extract::Request;
use axum::http::{HeaderMap, HeaderName, HeaderValue};
use axum::response::{IntoResponse, Response};
use domain::{Actor, Scope, Timestamp};
use engine::credentials::Credential;
use engine::{Engine, Principal};

use crate::http::authorization::{BadCredential, bearer};
use crate::http::cursor::Cursors;
use crate::http::router::Noted;
use crate::metrics::{Metrics, RateLimited};
use crate::origins::Origins;
use crate::rate_limit::{Allowance, RateLimit, Verdict};
use crate::rest::context::{Caller, Incoming, Routed};
use crate::rest::error::ApiError;
use crate::rest::router::Gate;
use crate::rest::values::phone::PhoneRegion;
use crate::server::ClientAddr;

const LIMIT: HeaderName = HeaderName::from_static("x-ratelimit-limit");
const REMAINING: HeaderName = HeaderName::from_static("x-ratelimit-remaining");
const RESET: HeaderName = HeaderName::from_static("x-ratelimit-reset");

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Access {
    /// Any valid key, even if its business is suspended.
    AnyKey,
    /// Any valid key of an active business. The handler checks the scope.
    ActiveKey,
    Scope(Scope),
}

impl Access {
    pub(crate) fn scope(self) -> Option<Scope> {
        match self {
            Self::AnyKey | Self::ActiveKey => None,
            Self::Scope(scope) => Some(scope),
        }
    }
}

impl From<Scope> for Access {
    fn from(scope: Scope) -> Self {
        Self::Scope(scope)
    }
}

#[derive(Clone)]
pub(crate) struct KeyGate {
    engine: Engine,
    cursors: Cursors,
    limits: Arc<RateLimit>,
    metrics: Arc<Metrics>,
    /// The allowed values of `Host` and `Origin`, or `None` if they are not checked.
    origins: Option<Origins>,
}

impl KeyGate {
    pub(crate) fn new(engine: Engine, requests_per_minute: u32, metrics: Arc<Metrics>) -> Self {
        let cursors = Cursors::new(engine.secret());
        let limits = Arc::new(RateLimit::new(requests_per_minute));
        Self { engine, cursors, limits, metrics, origins: None }
    }

    /// A gate that shares the rate limits of this gate and also checks `Host` and `Origin`.
    pub(crate) fn with_origins(&self, origins: Origins) -> Self {
        Self { origins: Some(origins), ..self.clone() }
    }

    async fn principal(&self, headers: &HeaderMap) -> Result<Arc<Principal>, ApiError> {
        let key = bearer(headers).map_err(ApiError::NoKey)?;
        let credential = Credential::parse(key).ok_or(ApiError::NoKey(BadCredential::Malformed))?;
        self.engine.authenticate(&credential).await?.ok_or(ApiError::NoKey(BadCredential::Unknown))
    }

    /// Counts a request without a valid key. Returns `refusal`, or a 429 if the client address is over the
    /// limit.
    pub(crate) fn anonymous(&self, request: &Request, now: Timestamp, refusal: ApiError) -> Response {
        let client = ClientAddr::of(request.extensions());
        let counters = &self.metrics.rate_limited;
        let (error, allowance) = limited(self.limits.peer(client, now), counters, &counters.addresses);
        with_headers(error.unwrap_or(refusal).into_response(), allowance)
    }
}

/// Converts a verdict of the rate limit to the remaining quota and, if the request must be refused, an error. Counts
/// the refusals for the metrics.
pub(crate) fn limited(
    verdict: Verdict,
    counters: &RateLimited,
    over: &AtomicU64,
) -> (Option<ApiError>, Allowance) {
    let retry_after = |allowance: Allowance| allowance.seconds_left.unsigned_abs();
    match verdict {
        Verdict::Within(allowance) => (None, allowance),
        Verdict::Over(allowance) => {
            over.fetch_add(1, Ordering::Relaxed);
            (Some(ApiError::RateLimited(retry_after(allowance))), allowance)
        }
        Verdict::Unavailable(allowance) => {
            counters.uncounted.fetch_add(1, Ordering::Relaxed);
            (Some(ApiError::RateLimitUnavailable(retry_after(allowance))), allowance)
        }
    }
}

fn with_headers(mut response: Response, allowance: Allowance) -> Response {
    let headers = response.headers_mut();
    headers.insert(LIMIT, HeaderValue::from(allowance.limit));
    headers.insert(REMAINING, HeaderValue::from(allowance.remaining));
    headers.insert(RESET, HeaderValue::from(allowance.reset));
    response
}

impl Gate<Access> for Arc<KeyGate> {
    type Identity = Arc<Principal>;

    async fn authenticate<F: Future<Output = Response> + Send>(
        &self,
        request: Request,
        next: impl FnOnce(Request, Arc<Principal>) -> F + Send,
    ) -> Response {
        let foreign = self.origins.as_ref().and_then(|origins| origins.refused(request.headers()));
        if let Some(header) = foreign {
            return ApiError::ForeignOrigin(header).into_response();
        }
        let principal = self.principal(request.headers()).await;
        let now = self.engine.now();
        let principal = match principal {
            Ok(principal) => principal,
            Err(error) => return self.anonymous(&request, now, error),
        };
        let (key, business) = (principal.key.id, principal.business.id);
        let counters = &self.metrics.rate_limited;
        let (error, allowance) = limited(self.limits.key(key, now), counters, &counters.keys);
        let answer = match error {
            Some(error) => error.into_response(),
            None => next(request, principal).await,
        };
        let mut response = with_headers(answer, allowance);
        let noted = Noted { key: Some(key), business: Some(business), ..Noted::default() };
        response.extensions_mut().insert(noted);
        response
    }

    async fn authorize(
        &self,
        principal: Arc<Principal>,
        access: &Access,
        routed: Routed,
    ) -> Result<Incoming, ApiError> {
        if *access != Access::AnyKey && principal.business.suspended {
            return Err(ApiError::Forbidden);
        }
        if let Some(scope) = access.scope()
            && !principal.key.scopes.contains(scope)
        {
            return Err(ApiError::InsufficientScope(scope));
        }
        let caller = Caller {
            actor: Actor::ApiKey(principal.key.id),
            business: Some(self.engine.business(principal.business.id)),
            reading: PhoneRegion::reading(&principal.business),
            principal: Some(principal),
        };
        Ok(Incoming::new(&self.engine, &self.cursors, caller, routed))
    }
}
