//! The signed request of an attempt.

use domain::{Timestamp, WebhookEndpoint};
use net::Post;

use super::signature::sign;
use crate::shared::Shared;

/// The signed request of an attempt that begins now.
pub(crate) fn signed(
    shared: &Shared,
    endpoint: &WebhookEndpoint,
    id: &str,
    body: Vec<u8>,
    test: bool,
) -> (Post, Timestamp) {
    // Receivers compare the timestamp with their own clocks, so it is the wall clock and not a stamp of the
    // service.
    let seconds = shared.clocks.raw().millis().div_euclid(1_000);
    let mut headers = vec![
        ("webhook-id", id.to_owned()),
        ("webhook-timestamp", seconds.to_string()),
        ("webhook-signature", sign(endpoint.secret.bytes(), id, seconds, &body)),
        ("content-type", "application/json".to_owned()),
    ];
    if test {
        headers.push(("webhook-test", "true".to_owned()));
    }
    (Post { url: endpoint.url.clone(), headers, body: body.into() }, shared.clocks.now())
}
