//! The texts of the pages: message catalogues (`en`, `fr`), and texts for codes of the engine.

pub(super) mod attempts;
pub(super) mod audited;
pub(super) mod problems;
pub(super) mod records;
pub(super) mod refusals;

use domain::Locale;

use crate::words::{Catalogues, Words};

/// The catalogue of a language, with one file per group of pages.
macro_rules! catalogue {
    ($language:literal) => {
        concat!(
            include_str!(concat!($language, "/frame.ftl")),
            include_str!(concat!($language, "/doors.ftl")),
            include_str!(concat!($language, "/day.ftl")),
            include_str!(concat!($language, "/calendar.ftl")),
            include_str!(concat!($language, "/calendars.ftl")),
            include_str!(concat!($language, "/records.ftl")),
            include_str!(concat!($language, "/settings.ftl")),
            include_str!(concat!($language, "/access.ftl")),
            include_str!(concat!($language, "/regions.ftl")),
            include_str!(concat!($language, "/keys.ftl")),
            include_str!(concat!($language, "/webhooks.ftl")),
            include_str!(concat!($language, "/audit.ftl")),
        )
    };
}

const IN_ENGLISH: &str = catalogue!("en");
const IN_FRENCH: &str = catalogue!("fr");

static CATALOGUES: Catalogues = Catalogues::new(IN_ENGLISH, IN_FRENCH);

pub(super) fn words(locale: Locale) -> &'static Words {
    CATALOGUES.of(locale)
}

fn of<'a>(locale: Locale, english: &'a str, french: &'a str) -> &'a str {
    match locale {
        Locale::En => english,
        Locale::Fr => french,
    }
}

#[cfg(test)]
mod tests;
