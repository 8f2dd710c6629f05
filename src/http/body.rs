//! Request bodies: JSON and forms, within a size and a time; and what is read in pieces, however long it is.
//!
//! What always holds: no more than [`BODY_BYTES_MAX`] bytes of a body are kept, and no request waits longer than
//! [`BODY_TIME_MAX`] for its body, or than [`PIECE_TIME_MAX`] for the next piece of one that is read in pieces. A client
//! that is too large or too slow loses its connection, since what it still sends is no request.

use std::time::Duration;

use actors::domain::Problem;
use axum::body::Body;
use axum::http::{HeaderMap, header};
use bytes::{Bytes, BytesMut};
use http_body_util::BodyExt;
use tokio::time::timeout;

use super::json::Json;

/// The media type of JSON.
pub const JSON: &str = "application/json";
/// The media type of lines of JSON.
pub const JSON_LINES: &str = "application/x-ndjson";

/// The greatest size of a body, in bytes.
pub const BODY_BYTES_MAX: usize = 256 * 1024;

/// How long a whole body may take to arrive.
pub const BODY_TIME_MAX: Duration = Duration::from_secs(10);

/// How long the next piece of a body may take that is read in pieces.
pub const PIECE_TIME_MAX: Duration = Duration::from_secs(60);

/// Why a body was not read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BodyError {
    /// It has more than [`BODY_BYTES_MAX`] bytes.
    TooLarge,
    /// It is declared to be of another media type than this one.
    UnsupportedMediaType(&'static str),
    /// It did not arrive within [`BODY_TIME_MAX`], or its next piece within [`PIECE_TIME_MAX`].
    Timeout,
    /// The connection broke, or its framing did.
    Broken,
}

/// Reads the body of a request.
///
/// # Errors
/// Why it was not read.
pub async fn read(headers: &HeaderMap, body: Body) -> Result<Bytes, BodyError> {
    read_as(JSON, headers, body).await
}

/// The same of a body of another media type.
///
/// # Errors
/// Why it was not read.
pub async fn read_as(media_type: &'static str, headers: &HeaderMap, body: Body) -> Result<Bytes, BodyError> {
    // What is not there needs no type: clients without a body declare forms.
    if hyper::body::Body::is_end_stream(&body) {
        return Ok(Bytes::new());
    }
    check_media_type(headers, media_type)?;
    // With Content-Length the size is known before the body is, and the client need not send it in vain.
    let announced = hyper::body::Body::size_hint(&body).lower();
    if announced > BODY_BYTES_MAX as u64 {
        return Err(BodyError::TooLarge);
    }
    timeout(BODY_TIME_MAX, collect(body)).await.unwrap_or(Err(BodyError::Timeout))
}

async fn collect(mut body: Body) -> Result<Bytes, BodyError> {
    let mut whole = BytesMut::new();
    while let Some(frame) = body.frame().await {
        // Trailers say nothing that is read here.
        let Ok(data) = frame.map_err(|_| BodyError::Broken)?.into_data() else { continue };
        if whole.len() + data.len() > BODY_BYTES_MAX {
            return Err(BodyError::TooLarge);
        }
        whole.extend_from_slice(&data);
    }
    Ok(whole.freeze())
}

/// A body that is read piece by piece, as fast as whoever reads it takes it.
pub struct Pieces(Body);

impl Pieces {
    /// The body of a request, of this media type.
    ///
    /// # Errors
    /// [`BodyError::UnsupportedMediaType`].
    pub fn of(headers: &HeaderMap, body: Body, media_type: &'static str) -> Result<Self, BodyError> {
        if !hyper::body::Body::is_end_stream(&body) {
            check_media_type(headers, media_type)?;
        }
        Ok(Self(body))
    }

    /// The next piece; none at the end.
    ///
    /// # Errors
    /// [`BodyError::Timeout`] and [`BodyError::Broken`].
    pub async fn next(&mut self) -> Result<Option<Bytes>, BodyError> {
        loop {
            let frame = timeout(PIECE_TIME_MAX, self.0.frame()).await.map_err(|_| BodyError::Timeout)?;
            let Some(frame) = frame else { return Ok(None) };
            // Trailers say nothing that is read here.
            if let Ok(piece) = frame.map_err(|_| BodyError::Broken)?.into_data() {
                return Ok(Some(piece));
            }
        }
    }
}

/// A body may leave its media type unsaid; what it says must be this.
fn check_media_type(headers: &HeaderMap, media_type: &'static str) -> Result<(), BodyError> {
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

/// Accepts the body of an endpoint that has none: nothing, or an empty object, as some clients send.
///
/// # Errors
/// What is wrong with anything else.
pub fn parse_none(body: &[u8]) -> Result<(), Problem> {
    if body.is_empty() {
        return Ok(());
    }
    match Json::parse(body)? {
        Json::Object(properties) if properties.is_empty() => Ok(()),
        _ => Err(Problem::new("", "this endpoint takes no body")),
    }
}

#[cfg(test)]
mod tests {
    use std::pin::Pin;
    use std::task::{Context, Poll};

    use axum::http::HeaderValue;
    use hyper::body::Frame;

    use super::*;

    /// A body that gives its chunks one by one and then never ends, or breaks.
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
    async fn a_body_at_the_bound_is_read_and_one_byte_more_is_not() {
        let none = HeaderMap::new();
        let body = |bytes: usize| Body::from(vec![b' '; bytes]);
        assert_eq!(read(&none, body(BODY_BYTES_MAX)).await.unwrap().len(), BODY_BYTES_MAX);
        assert_eq!(error(&none, body(BODY_BYTES_MAX + 1)).await, Some(BodyError::TooLarge));
        // Without Content-Length the size shows only as the body comes; this one would never end.
        let half = Bytes::from(vec![b' '; BODY_BYTES_MAX / 2]);
        let endless = chunks(vec![Bytes::from_static(b" "), half.clone(), half], false);
        assert_eq!(error(&none, endless).await, Some(BodyError::TooLarge));
    }

    #[tokio::test(start_paused = true)]
    async fn a_body_that_never_ends_is_given_up() {
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

    #[tokio::test(start_paused = true)]
    async fn a_body_in_pieces_may_take_any_time_and_size_but_not_stand_still() {
        const LINES: &str = "application/x-ndjson";
        let half = Bytes::from(vec![b' '; BODY_BYTES_MAX]);
        let mut body = Pieces::of(&HeaderMap::new(), chunks(vec![half.clone(), half], false), LINES).unwrap();
        for _ in 0..2 {
            assert_eq!(body.next().await.unwrap().unwrap().len(), BODY_BYTES_MAX);
        }
        let start = tokio::time::Instant::now();
        assert_eq!(body.next().await, Err(BodyError::Timeout));
        assert_eq!(start.elapsed(), PIECE_TIME_MAX);
        let mut broken = Pieces::of(&HeaderMap::new(), chunks(Vec::new(), true), LINES).unwrap();
        assert_eq!(broken.next().await, Err(BodyError::Broken));
        let mut json = HeaderMap::new();
        json.insert(header::CONTENT_TYPE, HeaderValue::from_static(JSON));
        let refused = Pieces::of(&json, Body::from("{}"), LINES).err();
        assert_eq!(refused, Some(BodyError::UnsupportedMediaType(LINES)));
        assert_eq!(Pieces::of(&json, Body::empty(), LINES).unwrap().next().await, Ok(None));
    }

    #[tokio::test]
    async fn a_media_type_is_json_or_unsaid() {
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
            assert_eq!(error(&types(bad), Body::empty()).await, None, "without a body: {bad:?}");
        }
    }

    #[test]
    fn an_endpoint_without_a_body_takes_nothing_or_an_empty_object() {
        for good in ["", "{}", " { } "] {
            assert!(parse_none(good.as_bytes()).is_ok(), "{good}");
        }
        for bad in ["null", "[]", "{\"a\":1}", "x", "{}{}"] {
            assert!(parse_none(bad.as_bytes()).is_err(), "{bad}");
        }
    }
}
