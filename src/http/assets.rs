//! Stylesheets, scripts and icons, embedded in the program.
//!
//! Invariants:
//! - The path of the folder contains the digest of all assets, so browsers may cache a response forever.
//! - The file names contain no digest, since the scripts import each other by relative paths.

use std::collections::BTreeMap;

use axum::http::{HeaderMap, HeaderValue, header};
use axum::response::Response;
use bytes::Bytes;
use rust_embed::RustEmbed;
use sha2::{Digest, Sha256};

use super::packed::Packed;

pub(crate) const FOREVER: HeaderValue = HeaderValue::from_static("public, max-age=31536000, immutable");
const DIGEST_CHARS: usize = 16;

pub(crate) struct Assets {
    base: String,
    pub(crate) files: BTreeMap<String, Packed>,
}

impl Assets {
    /// Reads an embedded folder, whose files are served under `path`.
    pub(crate) fn read<F: RustEmbed>(path: &str) -> Self {
        let mut digest = Sha256::new();
        let mut files = BTreeMap::new();
        let mut names: Vec<_> = F::iter().collect();
        names.sort();
        for name in names {
            let Some(file) = F::get(&name) else { continue };
            let plain = Bytes::from(file.data.into_owned());
            digest.update(name.as_bytes());
            digest.update((plain.len() as u64).to_be_bytes());
            digest.update(&plain);
            let asset = Packed::new(media_type(&name), plain);
            files.insert(name.into_owned(), asset);
        }
        let digest: String = digest.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
        Self { base: format!("{path}/{}", &digest[..DIGEST_CHARS]), files }
    }

    /// The path of the assets, without a slash at the end.
    pub(crate) fn base(&self) -> &str {
        &self.base
    }

    /// The asset with this name. Returns `None` if no asset has this name, or if `digest` is not the digest of the
    /// current assets.
    pub(crate) fn asset(&self, digest: &str, name: &str, headers: &HeaderMap) -> Option<Response> {
        let asset = self.files.get(name).filter(|_| self.base.ends_with(&format!("/{digest}")))?;
        let mut response = asset.response(headers);
        response.headers_mut().insert(header::CACHE_CONTROL, FOREVER);
        Some(response)
    }
}

fn media_type(name: &str) -> &'static str {
    match name.rsplit_once('.').map(|(_, kind)| kind) {
        Some("css") => "text/css; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        Some("svg") => "image/svg+xml",
        Some("webp") => "image/webp",
        _ => "application/octet-stream",
    }
}
