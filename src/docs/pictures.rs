//! The pictures of the topics. A topic refers to a picture as `pictures/NAME`.

use std::sync::LazyLock;

use axum::http::HeaderMap;
use axum::response::Response;
use rust_embed::RustEmbed;

use crate::http::assets::Assets;

/// The beginning of the path of every picture.
pub(super) const PICTURES: &str = "/docs/pictures";

#[derive(RustEmbed)]
#[folder = "src/docs/topics/pictures/"]
struct Files;

static FILES: LazyLock<Assets> = LazyLock::new(|| Assets::read::<Files>(PICTURES));

/// The path of a picture to which a topic refers.
pub(super) fn address(link: &str) -> Option<String> {
    let name = link.strip_prefix("pictures/")?;
    FILES.files.contains_key(name).then(|| format!("{}/{name}", FILES.base()))
}

/// The response with the picture at this path, if there is one.
pub(super) fn picture(path: &str, headers: &HeaderMap) -> Option<Response> {
    let (digest, name) = path.strip_prefix(PICTURES)?.strip_prefix('/')?.split_once('/')?;
    FILES.asset(digest, name, headers)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The maximum size of a picture.
    const PICTURE_BYTES_MAX: usize = 150_000;

    #[test]
    fn every_picture_is_small_and_has_a_path() {
        for (name, file) in &FILES.files {
            assert!(file.plain.len() < PICTURE_BYTES_MAX, "{name}");
            assert!(file.media_type.starts_with("image/"), "{name}");
            let path = address(&format!("pictures/{name}")).unwrap();
            assert!(picture(&path, &HeaderMap::new()).is_some(), "{path}");
        }
        assert!(FILES.files.len() >= 5 && address("pictures/none.webp").is_none());
        assert!(picture("/docs/pictures/0/today.webp", &HeaderMap::new()).is_none(), "another version");
    }
}
