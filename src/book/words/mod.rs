//! The texts of the booking pages: one catalogue per language.

use std::sync::LazyLock;

use domain::Locale;

use crate::words::Words;

const IN_ENGLISH: &str = include_str!("en.ftl");
const IN_FRENCH: &str = include_str!("fr.ftl");

static ENGLISH: LazyLock<Words> = LazyLock::new(|| Words::read(Locale::En, IN_ENGLISH));
static FRENCH: LazyLock<Words> = LazyLock::new(|| Words::read(Locale::Fr, IN_FRENCH));

pub(super) fn words(locale: Locale) -> &'static Words {
    match locale {
        Locale::En => &ENGLISH,
        Locale::Fr => &FRENCH,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::words::ids;

    #[test]
    fn both_languages_have_the_same_messages() {
        assert_eq!(ids(IN_ENGLISH), ids(IN_FRENCH));
        assert!(Locale::ALL.iter().all(|locale| words(*locale).find("error-404", &[]).is_some()));
    }
}
