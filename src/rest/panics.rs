//! A panic while an answer is found is a 500, and ends nothing else.

use std::any::Any;
use std::future::poll_fn;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::task::Poll;

use axum::response::{IntoResponse, Response};

use super::error::ApiError;

/// The answer, or a 500 when finding it panicked. A handler keeps no state that a panic could leave half-changed:
/// state lives behind the engine's handles.
pub(crate) async fn caught(answer: impl Future<Output = Response>) -> Response {
    let mut answer = pin!(answer);
    let outcome: Result<Response, Box<dyn Any + Send>> =
        poll_fn(|cx| match catch_unwind(AssertUnwindSafe(|| answer.as_mut().poll(cx))) {
            Ok(Poll::Pending) => Poll::Pending,
            Ok(Poll::Ready(response)) => Poll::Ready(Ok(response)),
            Err(panic) => Poll::Ready(Err(panic)),
        })
        .await;
    outcome.unwrap_or_else(|_| ApiError::Panicked.into_response())
}
