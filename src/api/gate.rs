//! The gate of `/v1` and of other surfaces with keys: key and rate limit, then suspension and scope of the
//! matched route.
//!
//! Invariants:
//! - Every response under `/v1` has the rate limit headers.
//! - A request without a valid key counts only against its client address.
//! - A key is never logged.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use axum::extract::Request;
use axum::http::{HeaderMap, HeaderName, HeaderValue};
use axum::response::{IntoResponse, Response};
use domain::{Actor, Timestamp};
use engine::credentials::Credential;
use engine::{Engine, Principal};

use super::access::Access;
use crate::http::authorization::{BadCredential, bearer};
use crate::http::cursor::Cursors;
use crate::http::router::Noted;
use crate::metrics::{Metrics, RateLimited};
use crate::rate_limit::{Allowance, RateLimit, Verdict};
use crate::rest::context::{Caller, IdempotencyScope, Incoming, Routed};
use crate::rest::error::ApiError;
use crate::rest::router::Gate;
use crate::rest::values::phone::PhoneRegion;
use crate::server::ClientAddr;

const LIMIT: HeaderName = HeaderName::from_static("x-ratelimit-limit");
const REMAINING: HeaderName = HeaderName::from_static("x-ratelimit-remaining");
const RESET: HeaderName = HeaderName::from_static("x-ratelimit-reset");

pub(crate) struct KeyGate {
    engine: Engine,
    cursors: Cursors,
    limits: RateLimit,
    metrics: Arc<Metrics>,
}

impl KeyGate {
    pub(crate) fn new(engine: Engine, requests_per_minute: u32, metrics: Arc<Metrics>) -> Self {
        let cursors = Cursors::new(engine.secret());
        Self { engine, cursors, limits: RateLimit::new(requests_per_minute), metrics }
    }

    async fn principal(&self, headers: &HeaderMap) -> Result<Arc<Principal>, ApiError> {
        let key = bearer(headers).map_err(ApiError::NoKey)?;
        let credential = Credential::parse(key).ok_or(ApiError::NoKey(BadCredential::Malformed))?;
        self.engine.authenticate(&credential).await?.ok_or(ApiError::NoKey(BadCredential::Unknown))
    }

    /// The rate limit of requests without a valid key.
    fn anonymous(&self, request: &Request, now: Timestamp, refusal: ApiError) -> Response {
        let client = ClientAddr::of(request.extensions());
        refused(self.limits.peer(client, now), &self.metrics.rate_limited, |refused| &refused.addresses)
            .unwrap_or_else(|allowance| with_headers(refusal.into_response(), allowance))
    }
}

/// The 429 response, or the remaining quota.
fn refused(
    verdict: Verdict,
    counters: &RateLimited,
    over: impl Fn(&RateLimited) -> &AtomicU64,
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

impl Gate<Access> for Arc<KeyGate> {
    type Identity = Arc<Principal>;

    async fn authenticate<F: Future<Output = Response> + Send>(
        &self,
        request: Request,
        next: impl FnOnce(Request, Arc<Principal>) -> F + Send,
    ) -> Response {
        let principal = self.principal(request.headers()).await;
        let now = self.engine.now();
        let principal = match principal {
            Ok(principal) => principal,
            Err(error) => return self.anonymous(&request, now, error),
        };
        let (key, business) = (principal.key.id, principal.business.id);
        let within = refused(self.limits.key(key, now), &self.metrics.rate_limited, |refused| &refused.keys);
        let mut response = match within {
            Ok(response) => response,
            Err(allowance) => with_headers(next(request, principal).await, allowance),
        };
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
            idempotency_scope: IdempotencyScope::ApiKey(principal.key.id),
            principal: Some(principal),
        };
        Ok(Incoming::new(&self.engine, &self.cursors, caller, routed))
    }
}
