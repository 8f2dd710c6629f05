//! The words of the pages.

pub(super) mod attempts;
pub(super) mod audit;
pub(super) mod problems;
pub(super) mod refusals;

use std::sync::LazyLock;

use actors::domain::Locale;

use crate::words::{Value, Words, capitalised};

/// The catalogue of a language: a file for each group of pages.
macro_rules! catalogue {
    ($language:literal) => {
        concat!(
            include_str!(concat!("words/", $language, "/frame.ftl")),
            include_str!(concat!("words/", $language, "/doors.ftl")),
            include_str!(concat!("words/", $language, "/day.ftl")),
            include_str!(concat!("words/", $language, "/records.ftl")),
            include_str!(concat!("words/", $language, "/settings.ftl")),
            include_str!(concat!("words/", $language, "/access.ftl")),
            include_str!(concat!("words/", $language, "/regions.ftl")),
            include_str!(concat!("words/", $language, "/keys.ftl")),
            include_str!(concat!("words/", $language, "/webhooks.ftl")),
            include_str!(concat!("words/", $language, "/audit.ftl")),
        )
    };
}

const IN_ENGLISH: &str = catalogue!("en");
const IN_FRENCH: &str = catalogue!("fr");

static ENGLISH: LazyLock<Words> = LazyLock::new(|| Words::read(Locale::En, IN_ENGLISH));
static FRENCH: LazyLock<Words> = LazyLock::new(|| Words::read(Locale::Fr, IN_FRENCH));

/// Those of a language.
pub(super) fn words(locale: Locale) -> &'static Words {
    match locale {
        Locale::En => &ENGLISH,
        Locale::Fr => &FRENCH,
    }
}

/// The words of a language, of those in each.
fn of<'a>(locale: Locale, english: &'a str, french: &'a str) -> &'a str {
    match locale {
        Locale::En => english,
        Locale::Fr => french,
    }
}

/// What the engine says is wrong, in this language: it says so in English, sentence by sentence, and a sentence that the
/// catalogue does not have stays as it is. A number in a sentence is either part of it or any number.
pub(super) fn said(words: &Words, said: &str) -> String {
    let (first, rest) = said.split_once(": ").unwrap_or((said, ""));
    let known = |sentence: &str| known(words, sentence).unwrap_or_else(|| sentence.to_owned());
    let mut all = known(first);
    for sentence in rest.split_inclusive(". ").map(str::trim).filter(|sentence| !sentence.is_empty()) {
        if !all.ends_with('.') {
            all.push('.');
        }
        all.push(' ');
        all.push_str(&known(sentence));
    }
    let all = capitalised(&all);
    if all.ends_with('.') { all } else { format!("{all}.") }
}

/// A sentence of the engine as the catalogue has it.
fn known(words: &Words, sentence: &str) -> Option<String> {
    words.find(&says(sentence), &[]).or_else(|| {
        let is_number = |word: &&str| word.bytes().all(|byte| byte.is_ascii_digit());
        let number = sentence.split(' ').find(is_number).filter(|word| !word.is_empty())?;
        let any = sentence.split(' ').map(|word| if word == number { "n" } else { word });
        let any = says(&any.collect::<Vec<_>>().join(" "));
        words.find(&any, &[("count", Value::Count(number.parse().ok()?))])
    })
}

/// The id of what a sentence of the engine is in the catalogues.
fn says(sentence: &str) -> String {
    let words = sentence.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    format!("says-{}", words.collect::<Vec<_>>().join("-").to_ascii_lowercase())
}

#[cfg(test)]
mod tests;
