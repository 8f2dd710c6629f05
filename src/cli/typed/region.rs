//! The country of a time zone, in which its businesses' national phone numbers are read.
//!
//! The table is `zone.tab` of the time zone database, release 2025b, which is in the public domain
//! (<https://www.iana.org/time-zones>), as a line for each country: its ISO 3166 code and its zones. A zone that it does
//! not have, such as `UTC` or `US/Eastern`, tells no country. Left out are AQ, GS, PN, TF and UM, which have no plan of
//! phone numbers.

const COUNTRIES: &str = include_str!("countries.txt");

/// The ISO 3166 code of the country that a zone is of.
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
    fn a_zone_tells_its_country_and_one_of_none_tells_nothing() {
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
