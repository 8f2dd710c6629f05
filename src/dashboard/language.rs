//! The language of a person without a session: the chosen language, else the browser's.

use domain::Locale;

/// The supported language that an `Accept-Language` header prefers (RFC 9110 §12.5.4). The default is
/// English.
pub(super) fn accepted(header: &str) -> Locale {
    let mut best = (0.0, Locale::En);
    for range in header.split(',') {
        let mut parts = range.split(';').map(str::trim);
        let language = parts.next().unwrap_or_default().split('-').next().unwrap_or_default();
        let weight = parts.find_map(|part| part.strip_prefix("q=")).map_or(1.0, |q| q.parse().unwrap_or(0.0));
        let Some(locale) = Locale::from_word(&language.to_ascii_lowercase()) else { continue };
        if weight > best.0 {
            best = (weight, locale);
        }
    }
    best.1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_language_with_the_greatest_weight_is_taken() {
        for (header, locale) in [
            ("", Locale::En),
            ("de", Locale::En),
            ("fr", Locale::Fr),
            ("FR-ca", Locale::Fr),
            ("de, fr;q=0.8, en;q=0.7", Locale::Fr),
            ("en, fr", Locale::En),
            ("fr;q=0.2, en;q=0.9", Locale::En),
            ("fr;q=0", Locale::En),
            ("fr;q=x", Locale::En),
            ("*", Locale::En),
        ] {
            assert_eq!(accepted(header), locale, "{header}");
        }
    }
}
