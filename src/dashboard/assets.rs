//! The stylesheet, the scripts and the icon of the pages.

use std::sync::LazyLock;

use axum::http::HeaderMap;
use axum::response::Response;
use rust_embed::RustEmbed;

use crate::http::assets::Assets;

#[derive(RustEmbed)]
#[folder = "src/dashboard/assets/"]
struct Files;

static ASSETS: LazyLock<Assets> = LazyLock::new(|| Assets::read::<Files>("/dashboard/assets"));

/// The path of the assets, without a slash at the end.
pub(crate) fn base() -> &'static str {
    ASSETS.base()
}

pub(super) fn asset(digest: &str, name: &str, headers: &HeaderMap) -> Option<Response> {
    ASSETS.asset(digest, name, headers)
}

#[cfg(test)]
mod tests {
    use axum::http::header;

    use super::*;
    use crate::http::assets::FOREVER;

    /// The maximum size of all assets together, in bytes after gzip. A browser loads each asset only once.
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

    /// The relative luminance of a colour such as `#0d5c4c` (WCAG 2.2).
    fn luminance(color: &str) -> f64 {
        let part = |at: usize| f64::from(u8::from_str_radix(&color[at..at + 2], 16).unwrap()) / 255.0;
        let linear = |part: f64| {
            if part <= 0.04045 { part / 12.92 } else { ((part + 0.055) / 1.055).powf(2.4) }
        };
        0.2126 * linear(part(1)) + 0.7152 * linear(part(3)) + 0.0722 * linear(part(5))
    }

    #[test]
    fn the_colors_of_staff_members_have_enough_contrast_in_light_and_dark() {
        let css = include_str!("assets/receptionist.css");
        let modes: Vec<_> = css.split(" color-scheme: ").skip(1).take(3).collect();
        for mode in modes {
            let color = |name: &str| {
                let at =
                    mode.find(&format!("--{name}: #")).unwrap_or_else(|| panic!("{name}")) + name.len() + 4;
                &mode[at..at + 7]
            };
            for number in domain::COLORS {
                let soft = color(&format!("ts{number}"));
                for text in [format!("t{number}"), "ink".into(), "muted".into()] {
                    let both = [luminance(color(&text)) + 0.05, luminance(soft) + 0.05];
                    let contrast = f64::max(both[0] / both[1], both[1] / both[0]);
                    assert!(contrast >= 4.5, "{text} on ts{number}: {contrast}");
                }
            }
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
