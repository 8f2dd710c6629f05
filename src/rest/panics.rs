//! A panic while an answer is found is a 500, and ends nothing else.

use std::panic::AssertUnwindSafe;

use axum::response::{IntoResponse, Response};
use futures_util::FutureExt;

use super::error::ApiError;

/// The answer, or a 500 when finding it panicked. A handler keeps no state that a panic could leave half-changed:
/// state lives behind the engine's handles.
pub(crate) async fn caught(answer: impl Future<Output = Response>) -> Response {
    let outcome = AssertUnwindSafe(answer).catch_unwind().await;
    outcome.unwrap_or_else(|_| ApiError::Panicked.into_response())
}
