//! The countries with supported national phone number formats, by ISO 3166 code.

use crate::dashboard::pages::prelude::*;

const REGIONS: [&str; 242] = [
    "AD", "AE", "AF", "AG", "AI", "AL", "AM", "AO", "AR", "AS", "AT", "AU", "AW", "AX", "AZ", "BA", "BB",
    "BD", "BE", "BF", "BG", "BH", "BI", "BJ", "BL", "BM", "BN", "BO", "BQ", "BR", "BS", "BT", "BW", "BY",
    "BZ", "CA", "CC", "CD", "CF", "CG", "CH", "CI", "CK", "CL", "CM", "CN", "CO", "CR", "CU", "CV", "CW",
    "CX", "CY", "CZ", "DE", "DJ", "DK", "DM", "DO", "DZ", "EC", "EE", "EG", "EH", "ER", "ES", "ET", "FI",
    "FJ", "FK", "FM", "FO", "FR", "GA", "GB", "GD", "GE", "GF", "GG", "GH", "GI", "GL", "GM", "GN", "GP",
    "GQ", "GR", "GT", "GU", "GW", "GY", "HK", "HN", "HR", "HT", "HU", "ID", "IE", "IL", "IM", "IN", "IO",
    "IQ", "IR", "IS", "IT", "JE", "JM", "JO", "JP", "KE", "KG", "KH", "KI", "KM", "KN", "KP", "KR", "KW",
    "KY", "KZ", "LA", "LB", "LC", "LI", "LK", "LR", "LS", "LT", "LU", "LV", "LY", "MA", "MC", "MD", "ME",
    "MF", "MG", "MH", "MK", "ML", "MM", "MN", "MO", "MP", "MQ", "MR", "MS", "MT", "MU", "MV", "MW", "MX",
    "MY", "MZ", "NA", "NC", "NE", "NF", "NG", "NI", "NL", "NO", "NP", "NR", "NU", "NZ", "OM", "PA", "PE",
    "PF", "PG", "PH", "PK", "PL", "PM", "PR", "PS", "PT", "PW", "PY", "QA", "RE", "RO", "RS", "RU", "RW",
    "SA", "SB", "SC", "SD", "SE", "SG", "SH", "SI", "SJ", "SK", "SL", "SM", "SN", "SO", "SR", "SS", "ST",
    "SV", "SX", "SY", "SZ", "TC", "TD", "TG", "TH", "TJ", "TK", "TL", "TM", "TN", "TO", "TR", "TT", "TV",
    "TW", "TZ", "UA", "UG", "US", "UY", "UZ", "VA", "VC", "VE", "VG", "VI", "VN", "VU", "WF", "WS", "YE",
    "YT", "ZA", "ZM", "ZW",
];

pub(super) fn name(view: &View, code: &str) -> String {
    view.words.find(&format!("region-{code}"), &[]).unwrap_or_else(|| code.to_owned())
}

pub(super) fn choices(view: &View) -> Vec<Choice> {
    let mut all: Vec<_> = REGIONS.iter().map(|code| Choice::new(*code, name(view, code))).collect();
    all.sort_by_cached_key(|choice| sorted_as(&choice.label));
    all
}

/// The sort key of a name: its letters without accents.
fn sorted_as(name: &str) -> String {
    let plain = |c: char| match c {
        'À' | 'Á' | 'Â' | 'Å' | 'à' | 'â' | 'ã' | 'å' => 'a',
        'Ç' | 'ç' => 'c',
        'É' | 'È' | 'é' | 'è' | 'ê' | 'ë' => 'e',
        'Î' | 'Ï' | 'í' | 'î' | 'ï' => 'i',
        'ô' | 'ó' | 'ö' => 'o',
        'ü' | 'û' => 'u',
        other => other.to_ascii_lowercase(),
    };
    name.chars().map(plain).collect()
}

#[cfg(test)]
mod tests {
    use domain::Locale;

    use super::*;
    use crate::dashboard::words::words;
    use crate::http::read::FromText;
    use crate::rest::values::phone::PhoneRegion;

    #[test]
    fn every_region_can_be_set_and_has_a_name_in_both_languages() {
        for code in REGIONS {
            assert_eq!(PhoneRegion::from_text(code).map(PhoneRegion::into_string), Ok(code.to_owned()));
            for locale in [Locale::En, Locale::Fr] {
                assert!(words(locale).find(&format!("region-{code}"), &[]).is_some(), "{code}");
            }
        }
    }

    #[test]
    fn names_are_sorted_as_in_a_dictionary() {
        let mut names = ["Zambie", "Éthiopie", "Estonie", "Åland"];
        names.sort_by_key(|name| sorted_as(name));
        assert_eq!(names, ["Åland", "Estonie", "Éthiopie", "Zambie"]);
    }
}
