//! Reading of request bodies. JSON and forms have a limit on size and time; other bodies are streamed.
//!
//! Invariants:
//! - At most [`BODY_BYTES_MAX`] bytes of a body are in memory, except for a file ([`read_file`]).
//! - A request waits at most [`BODY_TIME_MAX`] for its body.
//! - A streamed body may take longer if it arrives with at least [`PACE_MIN`] bytes per second on average. A pause is
//!   at most [`PATIENCE_MAX`].
//! - If a body is too large or too slow, the connection closes after the response. On an open connection, the server
//!   would read the rest of the body as the next request.

use std::time::Duration;

use axum::body::Body;
use axum::http::{HeaderMap, header};
use bytes::{Bytes, BytesMut};
use domain::{Problem, ProblemCode};
use http_body_util::BodyExt;
use tokio::time::{Instant, timeout};

use super::json::Json;

pub const JSON: &str = "application/json";
pub const JSON_LINES: &str = "application/x-ndjson";
pub const CSV: &str = "text/csv";
pub const CSV_UTF_8: &str = "text/csv; charset=utf-8";

/// The maximum size of a body that is not streamed, in bytes.
pub const BODY_BYTES_MAX: usize = 256 * 1024;

pub const BODY_TIME_MAX: Duration = Duration::from_secs(10);

pub const FILE_TIME_MAX: Duration = Duration::from_secs(120);

/// The time limit for the first piece of a streamed body. The limit for a later piece is the same or shorter.
pub const PATIENCE_MAX: Duration = Duration::from_secs(30);

/// The minimum average pace in bytes per second. Whenever this number of bytes has arrived, the service is willing to
/// wait one second longer for the next bytes. Fewer bytes add a part of a second.
pub const PACE_MIN: u64 = 4 * 1024;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BodyError {
    /// The body has more than this number of bytes.
    TooLarge(usize),
    /// A file has more than this number of bytes.
    FileTooLarge(usize),
    UnsupportedMediaType(&'static str),
    /// The body took longer than [`BODY_TIME_MAX`], or its pieces were slower than [`PACE_MIN`].
    Timeout,
    Broken,
}

pub async fn read(headers: &HeaderMap, body: Body) -> Result<Bytes, BodyError> {
    read_as(JSON, headers, body).await
}

pub async fn read_as(media_type: &'static str, headers: &HeaderMap, body: Body) -> Result<Bytes, BodyError> {
    read_within(BODY_BYTES_MAX, media_type, headers, body).await
}

/// Reads a file of at most `bytes_max` bytes. A file may arrive more slowly than other bodies: it only has to keep the
/// minimum pace of a streamed body, and to be complete within [`FILE_TIME_MAX`].
pub async fn read_file(
    bytes_max: usize,
    media_type: &'static str,
    headers: &HeaderMap,
    body: Body,
) -> Result<Bytes, BodyError> {
    let announced = hyper::body::Body::size_hint(&body).lower();
    let mut pieces = Pieces::of(headers, body, media_type)?;
    if announced > bytes_max as u64 {
        return Err(BodyError::FileTooLarge(bytes_max));
    }
    let read = async {
        let mut whole = BytesMut::new();
        while let Some(piece) = pieces.next().await? {
            if whole.len() + piece.len() > bytes_max {
                return Err(BodyError::FileTooLarge(bytes_max));
            }
            whole.extend_from_slice(&piece);
        }
        Ok(whole.freeze())
    };
    timeout(FILE_TIME_MAX, read).await.unwrap_or(Err(BodyError::Timeout))
}

/// Reads a body of at most `bytes_max` bytes. `bytes_max` must not exceed [`BODY_BYTES_MAX`].
pub async fn read_within(
    bytes_max: usize,
    media_type: &'static str,
    headers: &HeaderMap,
    body: Body,
) -> Result<Bytes, BodyError> {
    // The media type of an empty body is ignored, since some clients declare a form and send no body.
    if hyper::body::Body::is_end_stream(&body) {
        return Ok(Bytes::new());
    }
    check_media_type(headers, media_type)?;
    // If Content-Length is too large, the request is refused before the client sends the body.
    let announced = hyper::body::Body::size_hint(&body).lower();
    if announced > bytes_max as u64 {
        return Err(BodyError::TooLarge(bytes_max));
    }
    timeout(BODY_TIME_MAX, collect(body, bytes_max)).await.unwrap_or(Err(BodyError::Timeout))
}

/// Copies the pieces into one buffer. A list of pieces of one byte each would take much more memory.
async fn collect(mut body: Body, bytes_max: usize) -> Result<Bytes, BodyError> {
    let mut whole = BytesMut::new();
    while let Some(frame) = body.frame().await {
        let Ok(data) = frame.map_err(|_| BodyError::Broken)?.into_data() else { continue };
        if whole.len() + data.len() > bytes_max {
            return Err(BodyError::TooLarge(bytes_max));
        }
        whole.extend_from_slice(&data);
    }
    Ok(whole.freeze())
}

/// A streamed body, which is read with a time limit. Only the time in [`Pieces::next`] counts towards the limit, so a
/// slow handler causes no timeout.
pub struct Pieces {
    body: Body,
    /// The remaining time for which the service waits for further bytes. Each received byte adds to this time, but the
    /// time is never longer than [`PATIENCE_MAX`]. So a client cannot pause for longer than [`PATIENCE_MAX`], even
    /// after a fast start.
    patience: Duration,
}

impl Pieces {
    pub fn of(headers: &HeaderMap, body: Body, media_type: &'static str) -> Result<Self, BodyError> {
        if !hyper::body::Body::is_end_stream(&body) {
            check_media_type(headers, media_type)?;
        }
        Ok(Self { body, patience: PATIENCE_MAX })
    }

    pub async fn next(&mut self) -> Result<Option<Bytes>, BodyError> {
        loop {
            let began = Instant::now();
            let frame = timeout(self.patience, self.body.frame()).await.map_err(|_| BodyError::Timeout)?;
            self.patience = self.patience.saturating_sub(began.elapsed());
            let Some(frame) = frame else { return Ok(None) };
            if let Ok(piece) = frame.map_err(|_| BodyError::Broken)?.into_data() {
                let made_up = Duration::from_millis((piece.len() as u64).saturating_mul(1_000) / PACE_MIN);
                self.patience = (self.patience + made_up).min(PATIENCE_MAX);
                return Ok(Some(piece));
            }
        }
    }
}

/// Refuses a `Content-Type` other than this media type. The header may be absent.
pub(crate) fn check_media_type(headers: &HeaderMap, media_type: &'static str) -> Result<(), BodyError> {
    let mut declared = headers.get_all(header::CONTENT_TYPE).iter();
    let (first, second) = (declared.next(), declared.next());
    let Some(first) = first else { return Ok(()) };
    let essence = first.to_str().ok().and_then(|value| value.split(';').next()).unwrap_or_default();
    if second.is_none() && essence.trim().eq_ignore_ascii_case(media_type) {
        Ok(())
    } else {
        Err(BodyError::UnsupportedMediaType(media_type))
    }
}

/// Accepts an empty body or an empty object for an endpoint without a body. Some clients send `{}`.
pub fn parse_none(body: &[u8]) -> Result<(), Problem> {
    if body.is_empty() {
        return Ok(());
    }
    match Json::parse(body)? {
        Json::Object(properties) if properties.is_empty() => Ok(()),
        _ => Err(Problem::new("", ProblemCode::NoBody)),
    }
}

#[cfg(test)]
mod tests {
    use std::pin::Pin;
    use std::task::{Context, Poll};

    use axum::http::HeaderValue;
    use hyper::body::Frame;

    use super::*;

    struct Chunks {
        chunks: Vec<Bytes>,
        breaks: bool,
    }

    impl hyper::body::Body for Chunks {
        type Data = Bytes;
        type Error = std::io::Error;

        fn poll_frame(
            mut self: Pin<&mut Self>,
            _: &mut Context<'_>,
        ) -> Poll<Option<Result<Frame<Bytes>, std::io::Error>>> {
            match self.chunks.pop() {
                Some(chunk) => Poll::Ready(Some(Ok(Frame::data(chunk)))),
                None if self.breaks => Poll::Ready(Some(Err(std::io::ErrorKind::ConnectionReset.into()))),
                None => Poll::Pending,
            }
        }
    }

    fn chunks(chunks: Vec<Bytes>, breaks: bool) -> Body {
        Body::new(Chunks { chunks, breaks })
    }

    async fn error(headers: &HeaderMap, body: Body) -> Option<BodyError> {
        read(headers, body).await.err()
    }

    #[tokio::test]
    async fn a_body_of_the_maximum_size_is_read_and_a_larger_one_is_refused() {
        let none = HeaderMap::new();
        let body = |bytes: usize| Body::from(vec![b' '; bytes]);
        assert_eq!(read(&none, body(BODY_BYTES_MAX)).await.unwrap().len(), BODY_BYTES_MAX);
        assert_eq!(error(&none, body(BODY_BYTES_MAX + 1)).await, Some(BodyError::TooLarge(BODY_BYTES_MAX)));
        // Without Content-Length, the size of a body is known only at its end. This body never ends, so it
        // must be refused as soon as it exceeds the limit.
        let half = Bytes::from(vec![b' '; BODY_BYTES_MAX / 2]);
        let endless = chunks(vec![Bytes::from_static(b" "), half.clone(), half], false);
        assert_eq!(error(&none, endless).await, Some(BodyError::TooLarge(BODY_BYTES_MAX)));
    }

    #[tokio::test(start_paused = true)]
    async fn a_body_that_never_ends_is_a_timeout() {
        let endless = chunks(vec![Bytes::from_static(b"{")], false);
        let start = tokio::time::Instant::now();
        assert_eq!(error(&HeaderMap::new(), endless).await, Some(BodyError::Timeout));
        assert_eq!(start.elapsed(), BODY_TIME_MAX);
    }

    #[tokio::test]
    async fn a_body_that_breaks_is_refused() {
        let broken = chunks(vec![Bytes::from_static(b"{")], true);
        assert_eq!(error(&HeaderMap::new(), broken).await, Some(BodyError::Broken));
    }

    #[tokio::test]
    async fn a_streamed_body_may_have_any_size_and_must_have_its_media_type() {
        let half = Bytes::from(vec![b' '; BODY_BYTES_MAX]);
        let mut body =
            Pieces::of(&HeaderMap::new(), chunks(vec![half.clone(), half], true), JSON_LINES).unwrap();
        for _ in 0..2 {
            assert_eq!(body.next().await.unwrap().unwrap().len(), BODY_BYTES_MAX);
        }
        assert_eq!(body.next().await, Err(BodyError::Broken));
        let mut json = HeaderMap::new();
        json.insert(header::CONTENT_TYPE, HeaderValue::from_static(JSON));
        let refused = Pieces::of(&json, Body::from("{}"), JSON_LINES).err();
        assert_eq!(refused, Some(BodyError::UnsupportedMediaType(JSON_LINES)));
        assert_eq!(Pieces::of(&json, Body::empty(), JSON_LINES).unwrap().next().await, Ok(None));
    }

    fn dripping(bytes: usize, every: Duration) -> Pieces {
        let pieces = futures_util::stream::unfold((), move |()| async move {
            tokio::time::sleep(every).await;
            Some((Ok::<_, std::io::Error>(Bytes::from(vec![b' '; bytes])), ()))
        });
        Pieces::of(&HeaderMap::new(), Body::from_stream(pieces), JSON_LINES).unwrap()
    }

    /// The time until the reader gives up, or `None` if it has not given up after 4,000 pieces.
    async fn taken_for(mut pieces: Pieces) -> Option<Duration> {
        let start = Instant::now();
        for _ in 0..4_000 {
            if let Err(error) = pieces.next().await {
                assert_eq!(error, BodyError::Timeout);
                return Some(start.elapsed());
            }
        }
        None
    }

    #[tokio::test(start_paused = true)]
    async fn a_streamed_body_may_take_any_time_at_the_minimum_pace() {
        let (second, at_pace) = (Duration::from_secs(1), usize::try_from(PACE_MIN).unwrap());
        assert_eq!(taken_for(dripping(at_pace, second)).await, None);
        assert_eq!(taken_for(dripping(at_pace * 29, second * 29)).await, None);
        // At half the minimum pace, the remaining patience decreases by half a second per second.
        let slow = taken_for(dripping(at_pace / 2, second)).await.unwrap();
        assert!((PATIENCE_MAX..=2 * PATIENCE_MAX).contains(&slow), "{slow:?}");
        // One received byte restores almost no patience.
        assert_eq!(taken_for(dripping(1, second * 29)).await, Some(PATIENCE_MAX));
        // If the first pieces of a body arrive fast, the maximum length of a later pause does not increase.
        let start = Instant::now();
        let mut fast = Pieces::of(
            &HeaderMap::new(),
            chunks(vec![Bytes::from(vec![b' '; 64 * BODY_BYTES_MAX])], false),
            JSON_LINES,
        )
        .unwrap();
        fast.next().await.unwrap();
        assert_eq!((fast.next().await, start.elapsed()), (Err(BodyError::Timeout), PATIENCE_MAX));
    }

    #[tokio::test(start_paused = true)]
    async fn a_slow_reader_causes_no_timeout() {
        let mut pieces = dripping(1, Duration::ZERO);
        for _ in 0..10 {
            tokio::time::sleep(2 * PATIENCE_MAX).await;
            assert_eq!(pieces.next().await.unwrap().unwrap().len(), 1);
        }
    }

    #[tokio::test]
    async fn a_media_type_is_json_or_absent() {
        let types = |values: &[&'static str]| {
            let values = values.iter().map(|v| (header::CONTENT_TYPE, HeaderValue::from_static(v)));
            let mut headers = HeaderMap::new();
            values.for_each(|(name, value)| {
                headers.append(name, value);
            });
            headers
        };
        for good in [&[][..], &["application/json"], &["Application/JSON ; charset=utf-8"]] {
            assert_eq!(error(&types(good), Body::empty()).await, None, "{good:?}");
        }
        for bad in [&["text/plain"][..], &[""], &["application/jsonx"], &["application/json", "text/plain"]] {
            let refused = Some(BodyError::UnsupportedMediaType(JSON));
            assert_eq!(error(&types(bad), Body::from("{}")).await, refused, "{bad:?}");
            assert_eq!(error(&types(bad), Body::empty()).await, None, "an empty body has no type: {bad:?}");
        }
    }

    #[test]
    fn an_endpoint_without_a_body_accepts_no_body_or_an_empty_object() {
        for good in ["", "{}", " { } "] {
            assert!(parse_none(good.as_bytes()).is_ok(), "{good}");
        }
        for bad in ["null", "[]", "{\"a\":1}", "x", "{}{}"] {
            assert!(parse_none(bad.as_bytes()).is_err(), "{bad}");
        }
    }
}
