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

/// The countries of time zones, from `zone.tab` of the time zone database, release 2025b, which is in the
/// public domain (<https://www.iana.org/time-zones>). Each line has an ISO 3166 code and its zones. Zones
/// outside the table, such as `UTC` or `US/Eastern`, have no country. AQ, GS, PN, TF and UM are omitted,
/// since they have no phone numbering plan.
const COUNTRIES: &str = include_str!("countries.txt");

/// The ISO 3166 code of a zone's country.
pub(in crate::cli) fn region_of(zone: &str) -> Option<&'static str> {
    COUNTRIES.lines().find_map(|line| {
        let mut words = line.split(' ');
        let country = words.next()?;
        words.any(|word| word == zone).then_some(country)
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn a_zone_is_found_in_any_case_and_other_texts_are_unchanged() {
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

    #[test]
    fn a_zone_has_its_country_or_none() {
        for (zone, country) in [
            ("Europe/Paris", Some("FR")),
            ("America/New_York", Some("US")),
            ("Europe/Zurich", Some("CH")),
            ("Europe/Oslo", Some("NO")),
            ("Asia/Kolkata", Some("IN")),
            ("UTC", None),
            ("Etc/GMT+1", None),
            ("US/Eastern", None),
            ("", None),
        ] {
            assert_eq!(region_of(zone), country, "{zone}");
        }
    }

    #[test]
    fn the_table_contains_only_existing_zones_and_each_only_once() {
        let mut seen = BTreeSet::new();
        for line in COUNTRIES.lines() {
            let (country, zones) = line.split_once(' ').unwrap();
            assert!(country.len() == 2 && country.bytes().all(|byte| byte.is_ascii_uppercase()), "{line}");
            for zone in zones.split(' ') {
                assert!(zone.parse::<Tz>().is_ok() && seen.insert(zone), "{zone}");
            }
        }
        assert!(seen.len() > 400, "{}", seen.len());
    }
}
