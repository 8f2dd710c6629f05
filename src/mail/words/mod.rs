use domain::Locale;

use crate::words::{Catalogues, Words};

static CATALOGUES: Catalogues = Catalogues::new(include_str!("en.ftl"), include_str!("fr.ftl"));

pub(super) fn words(locale: Locale) -> &'static Words {
    CATALOGUES.of(locale)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::words::{Value, ids};

    #[test]
    fn both_languages_have_the_same_messages_and_their_own_plurals() {
        assert_eq!(ids(include_str!("en.ftl")), ids(include_str!("fr.ftl")));
        let said = |locale, count| {
            let values = [("business", Value::Text("A")), ("count", Value::Count(count))];
            words(locale).say("daily-subject", &values)
        };
        assert_eq!(said(Locale::En, 1), "A: one thing happened");
        assert_eq!(said(Locale::En, 0), "A: 0 things happened");
        assert_eq!(said(Locale::Fr, 1), "A\u{a0}: un événement");
        assert_eq!(said(Locale::Fr, 2), "A\u{a0}: 2 événements");
    }
}
