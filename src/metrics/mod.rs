//! `GET /metrics` on the operator listener, in the Prometheus text format.
//!
//! Invariants: counting a request takes one lookup and a few atomic additions. The values of labels are the
//! routes of the route tables, the known methods and the known statuses, so clients cannot add values.

mod exposition;
mod process;

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use axum::http::{Method, StatusCode};
use store::measure::Histogram;

pub(crate) use exposition::router;

use crate::server::{Certificates, Counters};

/// The upper bounds of the buckets of the response time histogram, in microseconds.
const ANSWER_MICROS: [u64; 14] = [
    100, 250, 500, 1_000, 2_500, 5_000, 10_000, 25_000, 50_000, 100_000, 250_000, 1_000_000, 2_500_000,
    10_000_000,
];

const METHODS: [&str; 6] = ["GET", "POST", "PUT", "PATCH", "DELETE", "other"];

/// The statuses with their own label. Every other status is counted with the label `other`.
const STATUSES: [u16; 18] =
    [200, 201, 202, 204, 304, 400, 401, 403, 404, 405, 408, 409, 413, 415, 422, 429, 500, 503];

const UNMATCHED: &str = "unmatched";

pub(crate) struct Metrics {
    /// The certificates, by the label of their listener.
    pub(crate) certificates: Vec<(&'static str, Certificates)>,
    routes: HashMap<&'static str, Methods>,
    pub(crate) rate_limited: RateLimited,
    pub(crate) connections: Arc<Counters>,
}

type Methods = Box<[Series; METHODS.len()]>;

struct Series {
    statuses: [AtomicU64; STATUSES.len()],
    other_status: AtomicU64,
    answer_micros: Histogram<{ ANSWER_MICROS.len() }>,
}

#[derive(Default)]
pub(crate) struct RateLimited {
    pub(crate) keys: AtomicU64,
    /// The number of requests without a valid key that were refused because of the rate limit of their address.
    pub(crate) addresses: AtomicU64,
    pub(crate) uncounted: AtomicU64,
}

impl Metrics {
    pub(crate) fn new(
        paths: impl IntoIterator<Item = &'static str>,
        certificates: Vec<(&'static str, Certificates)>,
    ) -> Self {
        let paths = paths.into_iter().chain([UNMATCHED]);
        Self {
            certificates,
            routes: paths.map(|path| (path, methods())).collect(),
            rate_limited: RateLimited::default(),
            connections: Arc::default(),
        }
    }

    /// Counts a response. `route` is the path as in the route table.
    pub(crate) fn answered(&self, route: Option<&str>, method: &Method, status: StatusCode, took: Duration) {
        let methods = route.and_then(|route| self.routes.get(route)).unwrap_or(&self.routes[UNMATCHED]);
        let series = &methods[method_index(method)];
        let status = STATUSES.binary_search(&status.as_u16());
        let counter = status.map_or(&series.other_status, |place| &series.statuses[place]);
        counter.fetch_add(1, Ordering::Relaxed);
        series.answer_micros.observe(u64::try_from(took.as_micros()).unwrap_or(u64::MAX));
    }
}

fn methods() -> Methods {
    Box::new(std::array::from_fn(|_| Series {
        statuses: [const { AtomicU64::new(0) }; STATUSES.len()],
        other_status: AtomicU64::new(0),
        answer_micros: Histogram::new(&ANSWER_MICROS),
    }))
}

/// HEAD counts as GET, because the handler of GET serves it.
fn method_index(method: &Method) -> usize {
    let name = if *method == Method::HEAD { "GET" } else { method.as_str() };
    METHODS.iter().position(|known| *known == name).unwrap_or(METHODS.len() - 1)
}
