//! The countries with supported national phone number formats, by ISO 3166 code. Each has a name in the
//! catalogue.

use crate::dashboard::pages::prelude::*;

pub(super) fn name(view: &View, code: &str) -> String {
    view.words.find(&format!("region-{code}"), &[]).unwrap_or_else(|| code.to_owned())
}

/// The countries with a name in the catalogue, in the order of their names.
pub(super) fn choices(view: &View) -> Vec<Choice> {
    let named = codes().filter_map(|code| {
        let name = view.words.find(&format!("region-{code}"), &[])?;
        Some(Choice::new(code, name))
    });
    let mut all: Vec<_> = named.collect();
    all.sort_by_cached_key(|choice| sorted_as(&choice.label));
    all
}

/// All codes of two letters.
fn codes() -> impl Iterator<Item = String> {
    let letters = || 'A'..='Z';
    letters().flat_map(move |first| letters().map(move |second| format!("{first}{second}")))
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
        let named = |locale, code: &str| words(locale).find(&format!("region-{code}"), &[]).is_some();
        let regions: Vec<_> = codes().filter(|code| named(Locale::En, code)).collect();
        assert_eq!(regions.len(), 242);
        for code in codes() {
            assert_eq!(named(Locale::Fr, &code), regions.contains(&code), "{code}");
        }
        for code in regions {
            assert_eq!(PhoneRegion::from_text(&code).map(PhoneRegion::into_string), Ok(code));
        }
    }

    #[test]
    fn names_are_sorted_as_in_a_dictionary() {
        let mut names = ["Zambie", "Éthiopie", "Estonie", "Åland"];
        names.sort_by_key(|name| sorted_as(name));
        assert_eq!(names, ["Åland", "Estonie", "Éthiopie", "Zambie"]);
    }
}
