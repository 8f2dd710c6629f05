//! The fixed lines in English and French.

use domain::Locale;

/// Says that the business does not take calls here.
pub fn closed(business: &str, locale: Locale) -> String {
    match locale {
        Locale::En => format!("{business} does not take calls here."),
        Locale::Fr => format!("{business} ne prend pas d'appels ici."),
    }
}

/// Says that the answer takes a moment.
pub fn moment(locale: Locale) -> &'static str {
    match locale {
        Locale::En => "One moment, please.",
        Locale::Fr => "Un instant, s'il vous plaît.",
    }
}
