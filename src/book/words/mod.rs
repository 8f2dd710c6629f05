//! The texts of the booking pages: one catalogue per language.

use domain::Locale;

use crate::words::{Catalogues, Words};

const IN_ENGLISH: &str = include_str!("en.ftl");
const IN_FRENCH: &str = include_str!("fr.ftl");

static CATALOGUES: Catalogues = Catalogues::new(IN_ENGLISH, IN_FRENCH);

pub(super) fn words(locale: Locale) -> &'static Words {
    CATALOGUES.of(locale)
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
