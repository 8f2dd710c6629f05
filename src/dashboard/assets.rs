//! The stylesheet, the scripts and the icon, embedded in the program.
//!
//! Invariants:
//! - The path of the folder contains the digest of all assets, so browsers may cache a response forever.
//! - The file names contain no digest, since the scripts import each other by relative paths.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use axum::http::{HeaderMap, HeaderValue, header};
use axum::response::Response;
use bytes::Bytes;
use rust_embed::RustEmbed;
use sha2::{Digest, Sha256};

use crate::http::packed::Packed;

const FOREVER: HeaderValue = HeaderValue::from_static("public, max-age=31536000, immutable");
const DIGEST_CHARS: usize = 16;

#[derive(RustEmbed)]
#[folder = "src/dashboard/assets/"]
struct Files;

struct Assets {
    base: String,
    files: BTreeMap<String, Packed>,
}

static ASSETS: LazyLock<Assets> = LazyLock::new(|| {
    let mut digest = Sha256::new();
    let mut files = BTreeMap::new();
    let mut names: Vec<_> = Files::iter().collect();
    names.sort();
    for name in names {
        let Some(file) = Files::get(&name) else { continue };
        let plain = Bytes::from(file.data.into_owned());
        digest.update(name.as_bytes());
        digest.update((plain.len() as u64).to_be_bytes());
        digest.update(&plain);
        let asset = Packed::new(media_type(&name), plain);
        files.insert(name.into_owned(), asset);
    }
    let digest: String = digest.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
    Assets { base: format!("/dashboard/assets/{}", &digest[..DIGEST_CHARS]), files }
});

/// The path of the assets, without a slash at the end.
pub(crate) fn base() -> &'static str {
    &ASSETS.base
}

/// The asset with this name, or `None` if the name is unknown or the digest is that of another version.
pub(super) fn asset(digest: &str, name: &str, headers: &HeaderMap) -> Option<Response> {
    let assets = &*ASSETS;
    let asset = assets.files.get(name).filter(|_| assets.base.ends_with(&format!("/{digest}")))?;
    let mut response = asset.response(headers);
    response.headers_mut().insert(header::CACHE_CONTROL, FOREVER);
    Some(response)
}

fn media_type(name: &str) -> &'static str {
    match name.rsplit_once('.').map(|(_, kind)| kind) {
        Some("css") => "text/css; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        Some("svg") => "image/svg+xml",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The maximum size of all assets together, in bytes after gzip. A browser loads all of them only once.
    const FIRST_LOAD_BYTES_MAX: usize = 40 * 1024;

    #[test]
    fn every_asset_is_small_and_of_a_known_kind() {
        let sent: usize = ASSETS.files.values().map(|asset| asset.gzip.len()).sum();
        assert!(sent < FIRST_LOAD_BYTES_MAX, "{sent} bytes");
        for (name, asset) in &ASSETS.files {
            assert!(!asset.media_type.starts_with("application"), "{name}");
            assert!(!asset.plain.is_empty() && !asset.gzip.is_empty(), "{name}");
        }
        for name in ["receptionist.css", "receptionist.js", "mark.svg"] {
            assert!(ASSETS.files.contains_key(name), "{name}");
        }
    }

    #[test]
    fn an_asset_is_found_only_with_the_current_digest() {
        let (digest, none) = (base().rsplit('/').next().unwrap(), HeaderMap::new());
        let sent = asset(digest, "receptionist.css", &none).unwrap();
        assert_eq!(sent.headers()[header::CACHE_CONTROL], FOREVER);
        assert!(!sent.headers().contains_key(header::CONTENT_ENCODING));
        let mut takes_gzip = HeaderMap::new();
        takes_gzip.insert(header::ACCEPT_ENCODING, "br, gzip;q=0.9".parse().unwrap());
        let sent = asset(digest, "receptionist.css", &takes_gzip).unwrap();
        assert_eq!(sent.headers()[header::CONTENT_ENCODING], "gzip");
        for (digest, name) in
            [("0123456789abcdef", "receptionist.css"), (digest, "none.css"), ("", "mark.svg")]
        {
            assert!(asset(digest, name, &none).is_none(), "{digest} {name}");
        }
    }
}
