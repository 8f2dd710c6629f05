use std::convert::Infallible;

use chrono_tz::{TZ_VARIANTS, Tz};

use super::near::near;

/// The exact name of a zone that was typed in any letter case. Other texts are returned unchanged.
#[allow(clippy::unnecessary_wraps, reason = "clap reads values with functions that may fail")]
pub(in crate::cli) fn parse(text: &str) -> Result<String, Infallible> {
    Ok(zone(text).map_or_else(|| text.to_owned(), |zone| zone.name().to_owned()))
}

/// Finds a zone, in any letter case and with spaces or underscores.
pub(in crate::cli) fn zone(text: &str) -> Option<Tz> {
    let name = text.trim().replace(' ', "_");
    TZ_VARIANTS.iter().copied().find(|zone| zone.name().eq_ignore_ascii_case(&name))
}

/// The zones that are similar to an unknown text.
pub(in crate::cli) fn proposals(text: &str) -> Vec<&'static str> {
    near(text, TZ_VARIANTS.iter().map(|zone| zone.name()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_zone_is_found_in_any_case_and_other_texts_stay() {
        for (text, name) in [
            ("europe/paris", "Europe/Paris"),
            ("AMERICA/new york", "America/New_York"),
            ("utc", "UTC"),
            ("Mars", "Mars"),
        ] {
            assert_eq!(parse(text).unwrap(), name);
        }
    }

    #[test]
    fn a_city_proposes_its_zone() {
        for (text, name) in [
            ("Paris", "Europe/Paris"),
            ("new york", "America/New_York"),
            ("Europe/Pari", "Europe/Paris"),
            ("Tokio", "Asia/Tokyo"),
        ] {
            assert_eq!(proposals(text).first(), Some(&name), "{text}: {:?}", proposals(text));
        }
        assert!(proposals("qqqq").is_empty());
    }
}
