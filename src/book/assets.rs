//! The stylesheet and the scripts of the booking pages.

use std::sync::LazyLock;

use axum::http::HeaderMap;
use axum::response::Response;
use rust_embed::RustEmbed;

use crate::http::assets::Assets;

#[derive(RustEmbed)]
#[folder = "src/book/assets/"]
struct Files;

static ASSETS: LazyLock<Assets> = LazyLock::new(|| Assets::read::<Files>("/book/assets"));

/// The path of the assets, without a slash at the end.
pub(super) fn base() -> &'static str {
    ASSETS.base()
}

pub(super) fn asset(digest: &str, name: &str, headers: &HeaderMap) -> Option<Response> {
    ASSETS.asset(digest, name, headers)
}
