//! The stream of a connection. It closes the connection if the client does not read the response. The server may also
//! refuse a request and close the connection while the client is still sending the request. The stream then gives the
//! client time to read the response.
//!
//! A write without progress for [`WRITE_STALL_MAX`] fails. If the server closes a stream while a request is arriving,
//! the stream first shuts down writing. Then it discards incoming data for at most [`LINGER_TIME_MAX`]. Without these
//! steps, the kernel would reset the connection, and the client would lose the response with the reason of the refusal
//! (RFC 9112 §9.6). The crate `tokio-io-timeout` is not used, since it supports only the time limit of writes.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Instant, Sleep, sleep_until};

use super::link::Link;

pub const WRITE_STALL_MAX: Duration = Duration::from_secs(30);

pub const LINGER_TIME_MAX: Duration = Duration::from_secs(1);

const SCRATCH_BYTES: usize = 4 * 1024;

pub(super) struct StallGuard<I> {
    io: I,
    deadline: Option<Pin<Box<Sleep>>>,
    /// The deadline of the lingering close. It is not stored in `deadline`, because each flush by hyper clears
    /// `deadline`.
    lingers: Option<Pin<Box<Sleep>>>,
    link: Arc<Link>,
    shut: bool,
}

impl<I> StallGuard<I> {
    pub(super) fn new(io: I, link: Arc<Link>) -> Self {
        Self { io, deadline: None, lingers: None, link, shut: false }
    }

    fn guard<T>(&mut self, cx: &mut Context<'_>, outcome: Poll<io::Result<T>>) -> Poll<io::Result<T>> {
        if outcome.is_ready() {
            if self.deadline.take().is_some() {
                self.link.writes.store(false, Ordering::Relaxed);
            }
            return outcome;
        }
        self.link.writes.store(true, Ordering::Relaxed);
        let deadline =
            self.deadline.get_or_insert_with(|| Box::pin(sleep_until(Instant::now() + WRITE_STALL_MAX)));
        ready!(deadline.as_mut().poll(cx));
        Poll::Ready(Err(io::Error::new(io::ErrorKind::TimedOut, "the client does not read the response")))
    }
}

impl<I: AsyncRead + Unpin> AsyncRead for StallGuard<I> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buf.filled().len();
        let outcome = Pin::new(&mut self.io).poll_read(cx, buf);
        if buf.filled().len() > before {
            self.link.lingers.store(true, Ordering::Relaxed);
        }
        outcome
    }
}

impl<I: AsyncRead + AsyncWrite + Unpin> AsyncWrite for StallGuard<I> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        let outcome = Pin::new(&mut self.io).poll_write(cx, buf);
        self.guard(cx, outcome)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let outcome = Pin::new(&mut self.io).poll_flush(cx);
        self.guard(cx, outcome)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = &mut *self;
        if !this.shut {
            let outcome = Pin::new(&mut this.io).poll_shutdown(cx);
            ready!(this.guard(cx, outcome))?;
            this.shut = true;
        }
        if !this.link.lingers.load(Ordering::Relaxed) {
            return Poll::Ready(Ok(()));
        }
        let deadline =
            this.lingers.get_or_insert_with(|| Box::pin(sleep_until(Instant::now() + LINGER_TIME_MAX)));
        if deadline.as_mut().poll(cx).is_ready() {
            return Poll::Ready(Ok(()));
        }
        let mut scratch = [0; SCRATCH_BYTES];
        loop {
            let mut dropped = ReadBuf::new(&mut scratch);
            match ready!(Pin::new(&mut this.io).poll_read(cx, &mut dropped)) {
                Ok(()) if !dropped.filled().is_empty() => {}
                // The client has closed the connection.
                _ => return Poll::Ready(Ok(())),
            }
        }
    }
}
