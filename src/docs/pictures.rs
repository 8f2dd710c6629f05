//! The pictures of the topics: WebP files, to which a topic refers as `pictures/NAME`.

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

/// Returns a picture with a link to its full size, or `None` if the picture is unknown. `alt` is HTML.
pub(super) fn html(link: &str, alt: &str) -> Option<String> {
    let name = link.strip_prefix("pictures/")?;
    let (width, height) = size(&FILES.files.get(name)?.plain)?;
    let src = format!("{}/{name}", FILES.base());
    Some(format!(
        "<a href=\"{src}\"><img src=\"{src}\" alt=\"{alt}\" width=\"{width}\" height=\"{height}\" loading=\"lazy\"></a>"
    ))
}

/// The response with the picture at this path, if there is one.
pub(super) fn picture(path: &str, headers: &HeaderMap) -> Option<Response> {
    let (digest, name) = path.strip_prefix(PICTURES)?.strip_prefix('/')?.split_once('/')?;
    FILES.asset(digest, name, headers)
}

/// The width and the height of a lossy WebP file in pixels.
fn size(file: &[u8]) -> Option<(u16, u16)> {
    let head = file.get(12..30).filter(|head| head.starts_with(b"VP8 "))?;
    let pixels = |at: usize| u16::from_le_bytes([head[at], head[at + 1]]) & 0x3fff;
    Some((pixels(14), pixels(16)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::docs::topics::topics;

    const ALL_BYTES_MAX: usize = 600_000;

    #[test]
    fn each_picture_is_in_one_topic_and_each_topic_has_only_known_pictures() {
        let texts: String = topics().map(|topic| topic.text).collect();
        let mut named: Vec<_> =
            texts.split("](pictures/").skip(1).filter_map(|rest| rest.split(')').next()).collect();
        named.sort_unstable();
        let files: Vec<_> = FILES.files.keys().map(String::as_str).collect();
        assert_eq!(named, files);
        assert!(files.len() >= 5);
    }

    #[test]
    fn the_pictures_are_small_and_have_a_size() {
        for (name, file) in &FILES.files {
            let html = html(&format!("pictures/{name}"), "The calendar").unwrap();
            assert!(html.contains("alt=\"The calendar\" width=\"1280\" height=\"900\""), "{html}");
            assert_eq!(file.media_type, "image/webp", "{name}");
        }
        let bytes: usize = FILES.files.values().map(|file| file.plain.len()).sum();
        assert!(bytes < ALL_BYTES_MAX, "{bytes}");
        assert_eq!(
            (html("pictures/none.webp", ""), html("today.webp", ""), size(b"RIFF")),
            (None, None, None)
        );
    }
}
