//! A body that is compressed once and sent plain or as gzip.

use std::io::Write;

use axum::http::{HeaderMap, HeaderValue, header};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;

pub(crate) struct Packed {
    pub(crate) media_type: &'static str,
    pub(crate) plain: Bytes,
    pub(crate) gzip: Bytes,
}

impl Packed {
    pub(crate) fn new(media_type: &'static str, plain: Bytes) -> Self {
        Self { media_type, gzip: gzip(&plain), plain }
    }

    pub(crate) fn response(&self, headers: &HeaderMap) -> Response {
        let takes_gzip = headers.get_all(header::ACCEPT_ENCODING).iter().any(|value| {
            let codings = value.to_str().unwrap_or_default().split(',');
            codings
                .map(|coding| coding.split(';').next().unwrap_or_default().trim())
                .any(|coding| coding == "gzip")
        });
        let head = [
            (header::CONTENT_TYPE, HeaderValue::from_static(self.media_type)),
            (header::VARY, HeaderValue::from_static("Accept-Encoding")),
        ];
        if !takes_gzip {
            return (head, self.plain.clone()).into_response();
        }
        let coding = [(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"))];
        (head, coding, self.gzip.clone()).into_response()
    }
}

fn gzip(plain: &[u8]) -> Bytes {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    // Writing to memory cannot fail.
    let _ = encoder.write_all(plain);
    encoder.finish().unwrap_or_default().into()
}
