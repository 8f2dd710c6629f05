//! The country of a time zone, which determines the format of national phone numbers.
//!
//! The table comes from `zone.tab` of the time zone database, release 2025b, which is in the public domain
//! (<https://www.iana.org/time-zones>). Each line has an ISO 3166 code and its zones. Zones outside the
//! table, such as `UTC` or `US/Eastern`, have no country. AQ, GS, PN, TF and UM are omitted, since they have
//! no phone numbering plan.

const COUNTRIES: &str = include_str!("countries.txt");

/// The ISO 3166 code of a zone's country.
pub(in crate::cli) fn of_zone(zone: &str) -> Option<&'static str> {
    COUNTRIES.lines().find_map(|line| {
        let mut words = line.split(' ');
        let country = words.next()?;
        words.any(|word| word == zone).then_some(country)
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use chrono_tz::Tz;

    use super::*;

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
            assert_eq!(of_zone(zone), country, "{zone}");
        }
    }

    #[test]
    fn the_table_names_each_zone_once_and_only_zones_that_there_are() {
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
