//! The body of a request, shared by the service and the connection. The service may read the body. The
//! connection must read the body to its end before it can carry the next request.
//!
//! A refusal is often sent before the body is read to its end. If the remainder is short, the connection discards it
//! while the response is sent. If the remainder is long or has an unknown length, the connection closes and the
//! response says so (RFC 9112 §9.6).

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::Bytes;
use http_body_util::BodyExt;
use hyper::body::{Body, Frame, Incoming, SizeHint};
use parking_lot::Mutex;
use tokio::time::timeout;

use super::link::Link;

pub const DISCARD_BYTES_MAX: u64 = 64 * 1024;

pub const DISCARD_TIME_MAX: Duration = Duration::from_secs(1);

/// The body of a request. Clones share the body.
#[derive(Clone)]
pub(super) struct Received(Arc<Mutex<State>>);

struct State {
    body: Incoming,
    /// The state of the connection, which counts as idle while the service waits for the body.
    link: Arc<Link>,
    /// Whether the service has polled the body. At the first poll, hyper answers `Expect: 100-continue`.
    is_asked: bool,
    has_ended: bool,
}

impl Received {
    pub(super) fn new(body: Incoming, link: Arc<Link>) -> Self {
        Self(Arc::new(Mutex::new(State { body, link, is_asked: false, has_ended: false })))
    }

    /// Starts to discard the unread part of the body. Returns false if the connection cannot carry another request.
    ///
    /// `expects` is true if the request contains `Expect: 100-continue`. The client of such a request sends the body
    /// only after the service has polled the body. If the service has not polled it, the function returns false.
    pub(super) fn discard(self, expects: bool) -> bool {
        if self.is_end_stream() {
            return true;
        }
        let waits = expects && !self.0.lock().is_asked;
        if waits || self.size_hint().upper().is_none_or(|rest| rest > DISCARD_BYTES_MAX) {
            return false;
        }
        let mut rest = self;
        let discarded = async move { while let Some(Ok(_)) = rest.frame().await {} };
        tokio::spawn(timeout(DISCARD_TIME_MAX, discarded));
        true
    }
}

impl Body for Received {
    type Data = Bytes;
    type Error = hyper::Error;

    fn poll_frame(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, hyper::Error>>> {
        let mut state = self.0.lock();
        state.is_asked = true;
        let frame = Pin::new(&mut state.body).poll_frame(cx);
        if frame.is_pending() {
            state.link.wait_for_body();
        } else {
            state.link.resume();
        }
        let frame = ready!(frame);
        state.has_ended |= frame.is_none();
        Poll::Ready(frame)
    }

    fn is_end_stream(&self) -> bool {
        let state = self.0.lock();
        state.has_ended || state.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.0.lock().body.size_hint()
    }
}
