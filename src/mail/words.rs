//! The words of mails, in the languages that people read.
//!
//! What always holds: what is said is one line of plain text: whatever is inserted was made [`plain`] before, so that
//! nothing that somebody typed ends a line, turns the direction of what stands behind it, or runs on for ever.

use std::sync::LazyLock;

use actors::domain::{Locale, Timestamp};
use chrono::{Datelike, Timelike};
use chrono_tz::Tz;
use fluent_bundle::concurrent::FluentBundle;
use fluent_bundle::{FluentArgs, FluentResource, FluentValue};
use unic_langid::LanguageIdentifier;

static ENGLISH: LazyLock<Words> = LazyLock::new(|| Words::read("en", include_str!("words/en.ftl")));
static FRENCH: LazyLock<Words> = LazyLock::new(|| Words::read("fr", include_str!("words/fr.ftl")));

/// How long what is inserted into a line may be, in characters.
const INSERTED_CHARS_MAX: usize = 200;

/// The words of one language.
pub(super) struct Words {
    bundle: FluentBundle<FluentResource>,
}

/// What is inserted.
#[derive(Clone, Copy)]
pub(super) enum Value<'a> {
    Text(&'a str),
    Count(u64),
}

impl Words {
    /// Those of a language.
    pub(super) fn of(locale: Locale) -> &'static Self {
        match locale {
            Locale::En => &ENGLISH,
            Locale::Fr => &FRENCH,
        }
    }

    fn read(id: &str, source: &str) -> Self {
        let resource = FluentResource::try_new(source.to_owned());
        let resource = resource.unwrap_or_else(|(_, errors)| panic!("the words of {id}: {errors:?}"));
        let mut bundle =
            FluentBundle::new_concurrent(vec![id.parse::<LanguageIdentifier>().expect("it is a language")]);
        // Marks around what is inserted would show in mails; it is made plain instead.
        bundle.set_use_isolating(false);
        bundle.add_resource(resource).expect("each word stands there once");
        Self { bundle }
    }

    /// Says something.
    ///
    /// # Panics
    /// When there are no such words, or they ask for what is not given; tests say everything there is to say.
    pub(super) fn say(&self, id: &str, values: &[(&str, Value<'_>)]) -> String {
        let mut args = FluentArgs::new();
        for (name, value) in values {
            let value = match value {
                Value::Text(text) => FluentValue::from(plain(text, INSERTED_CHARS_MAX)),
                Value::Count(count) => FluentValue::from(*count),
            };
            args.set((*name).to_owned(), value);
        }
        let message = self.bundle.get_message(id).and_then(|message| message.value());
        let pattern = message.unwrap_or_else(|| panic!("there are no words {id}"));
        let mut errors = Vec::new();
        let said = self.bundle.format_pattern(pattern, Some(&args), &mut errors).into_owned();
        assert!(errors.is_empty(), "the words {id}: {errors:?}");
        said
    }

    /// An instant as the clocks of a zone show it.
    pub(super) fn moment(&self, at: Timestamp, zone: Tz) -> String {
        self.instant("moment", at, zone)
    }

    /// The same without its year.
    pub(super) fn short_moment(&self, at: Timestamp, zone: Tz) -> String {
        self.instant("short-moment", at, zone)
    }

    fn instant(&self, id: &str, at: Timestamp, zone: Tz) -> String {
        let local = at.utc().with_timezone(&zone);
        let number = |id, number: u32| self.say(id, &[("number", Value::Count(number.into()))]);
        let (weekday, month) =
            (number("weekday", local.weekday().number_from_monday()), number("month", local.month()));
        let (day, year) = (number("day", local.day()), local.year().to_string());
        let time = format!("{:02}:{:02}", local.hour(), local.minute());
        let parts =
            [("weekday", &weekday), ("day", &day), ("month", &month), ("year", &year), ("time", &time)];
        self.say(id, &parts.map(|(name, part)| (name, Value::Text(part))))
    }
}

/// A text on one line, without what is not seen and turns what is, cut off where it is too long.
pub(super) fn plain(text: &str, chars_max: usize) -> String {
    let one_line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut seen = one_line.chars().filter(|c| !is_hidden(*c));
    let mut plain: String = seen.by_ref().take(chars_max).collect();
    if seen.next().is_some() {
        plain.pop();
        plain.push('…');
    }
    plain
}

/// A text of several lines, otherwise the same.
pub(super) fn plain_lines(text: &str, chars_max: usize) -> String {
    let lines: Vec<_> = text.lines().map(|line| plain(line, chars_max)).collect();
    let mut all = lines.join("\n");
    if let Some((at, _)) = all.char_indices().nth(chars_max) {
        all.truncate(at);
        all.push('…');
    }
    all
}

/// Whether a character is not seen: controls, and what turns the direction of others.
fn is_hidden(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_instant_is_told_as_people_write_it_in_the_zone() {
        let paris = chrono_tz::Europe::Paris;
        for (at, english, french) in [
            ("2026-11-24T09:00:00Z", "Tuesday 24 November 2026 at 10:00", "mardi 24 novembre 2026 à 10:00"),
            ("2026-08-01T06:05:00Z", "Saturday 1 August 2026 at 08:05", "samedi 1er août 2026 à 08:05"),
            ("2026-03-29T00:59:00Z", "Sunday 29 March 2026 at 01:59", "dimanche 29 mars 2026 à 01:59"),
            ("2026-03-29T01:00:00Z", "Sunday 29 March 2026 at 03:00", "dimanche 29 mars 2026 à 03:00"),
            ("2025-12-31T23:00:00Z", "Thursday 1 January 2026 at 00:00", "jeudi 1er janvier 2026 à 00:00"),
        ] {
            let at = Timestamp::parse(at).unwrap();
            assert_eq!(Words::of(Locale::En).moment(at, paris), english);
            assert_eq!(Words::of(Locale::Fr).moment(at, paris), french);
        }
    }

    #[test]
    fn both_languages_have_the_same_words_and_count_as_they_do() {
        let ids = |source: &str| -> Vec<String> {
            let id = |line: &str| line.split_once(" = ").map(|(id, _)| id.to_owned());
            source.lines().filter(|line| line.starts_with(char::is_alphabetic)).filter_map(id).collect()
        };
        assert_eq!(ids(include_str!("words/en.ftl")), ids(include_str!("words/fr.ftl")));
        let said = |locale, count| {
            let values = [("business", Value::Text("A")), ("count", Value::Count(count))];
            Words::of(locale).say("daily-subject", &values)
        };
        assert_eq!(said(Locale::En, 1), "A: one thing happened");
        assert_eq!(said(Locale::En, 0), "A: 0 things happened");
        assert_eq!(said(Locale::Fr, 1), "A : un événement");
        assert_eq!(said(Locale::Fr, 2), "A : 2 événements");
    }

    #[test]
    fn what_is_inserted_is_one_line_of_what_is_seen() {
        for (text, expected) in [
            ("Ada\r\nBcc: x@example.com", "Ada Bcc: x@example.com"),
            ("a\u{202e}b\u{2066}c\u{200b}d\u{feff}e", "abcde"),
            ("a\0b\x1b[1m\t c", "ab[1m c"),
            ("  Zoé  ", "Zoé"),
            ("שלום", "שלום"),
        ] {
            assert_eq!(plain(text, 200), expected);
        }
        assert_eq!(plain(&"é".repeat(201), 200), format!("{}…", "é".repeat(199)));
        assert_eq!(plain(&"é".repeat(200), 200), "é".repeat(200));
        assert_eq!(plain_lines("a\r\nb\n\nc", 100), "a\nb\n\nc");
        assert_eq!(plain_lines("a\nbc", 3), "a\nb…");
    }
}
