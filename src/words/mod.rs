//! Message catalogues in the supported languages, with plural rules, and localized dates and times.
//!
//! Invariant: a message is one line of plain text. Inserted values pass through [`plain`], so user input
//! cannot add line breaks, change the text direction or be of unlimited length.

use std::sync::OnceLock;

use axum::http::{HeaderMap, header};
use chrono::{Datelike, NaiveDate, NaiveTime, Timelike};
use chrono_tz::Tz;
use domain::{Day, Locale, Price, Timestamp};
use fluent_bundle::concurrent::FluentBundle;
use fluent_bundle::{FluentArgs, FluentResource, FluentValue};
use unic_langid::LanguageIdentifier;

use crate::local_time::{WallClockError, instant};

/// The maximum length of an inserted value, in characters.
const INSERTED_CHARS_MAX: usize = 200;
/// The regions of phone numbers where English texts for customers use the 12-hour clock.
const TWELVE_HOUR_REGIONS: [&str; 6] = ["US", "CA", "AU", "NZ", "IN", "PH"];

pub(crate) struct Words {
    pub(crate) locale: Locale,
    bundle: FluentBundle<FluentResource>,
}

/// The catalogues of some pages or mails. A catalogue is read when its first message is needed.
pub(crate) struct Catalogues {
    english: (&'static str, OnceLock<Words>),
    french: (&'static str, OnceLock<Words>),
}

impl Catalogues {
    pub(crate) const fn new(english: &'static str, french: &'static str) -> Self {
        Self { english: (english, OnceLock::new()), french: (french, OnceLock::new()) }
    }

    pub(crate) fn of(&self, locale: Locale) -> &Words {
        let (source, words) = match locale {
            Locale::En => &self.english,
            Locale::Fr => &self.french,
        };
        words.get_or_init(|| Words::read(locale, source))
    }
}

#[derive(Clone, Copy)]
pub(crate) enum Value<'a> {
    Text(&'a str),
    /// Selects the plural form.
    Count(u64),
}

impl Words {
    /// Reads a catalogue and adds the messages for dates and times.
    ///
    /// # Panics
    /// Panics if the catalogue is invalid. Tests read every catalogue.
    pub(crate) fn read(locale: Locale, source: &str) -> Self {
        let language = locale.as_str().parse::<LanguageIdentifier>().expect("the locale is a language tag");
        let mut bundle = FluentBundle::new_concurrent(vec![language]);
        // The bundle must not add direction isolation marks, because they would be visible in mails. `plain` removes
        // direction characters from inserted values instead.
        bundle.set_use_isolating(false);
        let dates = match locale {
            Locale::En => include_str!("dates.en.ftl"),
            Locale::Fr => include_str!("dates.fr.ftl"),
        };
        for source in [dates, source] {
            let resource = FluentResource::try_new(source.to_owned());
            let resource =
                resource.unwrap_or_else(|(_, errors)| panic!("invalid messages of {locale}: {errors:?}"));
            bundle.add_resource(resource).expect("each message is defined once");
        }
        Self { locale, bundle }
    }

    /// Formats a message.
    ///
    /// # Panics
    /// Panics if the message does not exist or a value is missing. Tests format every message.
    pub(crate) fn say(&self, id: &str, values: &[(&str, Value<'_>)]) -> String {
        self.find(id, values).unwrap_or_else(|| panic!("the message {id} does not exist"))
    }

    /// Like [`Words::say`], but returns `None` if the message does not exist.
    pub(crate) fn find(&self, id: &str, values: &[(&str, Value<'_>)]) -> Option<String> {
        let pattern = self.bundle.get_message(id).and_then(|message| message.value())?;
        let mut args = FluentArgs::new();
        for (name, value) in values {
            let value = match value {
                Value::Text(text) => FluentValue::from(plain(text, INSERTED_CHARS_MAX)),
                Value::Count(count) => FluentValue::from(*count),
            };
            args.set((*name).to_owned(), value);
        }
        let mut errors = Vec::new();
        let said = self.bundle.format_pattern(pattern, Some(&args), &mut errors).into_owned();
        assert!(errors.is_empty(), "cannot format the message {id}: {errors:?}");
        Some(said)
    }

    /// A price as people write it: `€45`, `45,50 €`, `120 CHF`.
    pub(crate) fn price(&self, price: &Price) -> String {
        let point = if self.locale == Locale::Fr { ',' } else { '.' };
        let amount = match price.cents % 100 {
            0 => (price.cents / 100).to_string(),
            cents => format!("{}{point}{cents:02}", price.cents / 100),
        };
        let symbol = match price.currency.as_str() {
            "EUR" => "€",
            "GBP" => "£",
            code => return format!("{amount}\u{a0}{code}"),
        };
        match self.locale {
            Locale::En => format!("{symbol}{amount}"),
            Locale::Fr => format!("{amount}\u{a0}{symbol}"),
        }
    }

    pub(crate) fn moment(&self, at: Timestamp, zone: Tz) -> String {
        self.instant("moment", at, zone)
    }

    /// An instant in local time for a customer. `region` is the `phone_region` of the business.
    pub(crate) fn when(&self, at: Timestamp, zone: Tz, region: &str) -> String {
        let day = at.utc().with_timezone(&zone).date_naive();
        self.dated("moment", day, &self.clock_at(at, zone, region))
    }

    /// The time of day of an instant for a customer, with its offset if a clock change repeats the time. `region` is the
    /// `phone_region` of the business.
    pub(crate) fn clock_at(&self, at: Timestamp, zone: Tz, region: &str) -> String {
        let local = at.utc().with_timezone(&zone);
        let clock = self.clock(local.time(), region);
        match instant(local.naive_local(), zone) {
            Err(WallClockError::Twice(..)) => format!("{clock} {}", local.format("(UTC%:z)")),
            _ => clock,
        }
    }

    /// A time of day for a customer. `region` is the `phone_region` of the business.
    pub(crate) fn clock(&self, time: NaiveTime, region: &str) -> String {
        let format = match self.locale {
            Locale::En if self.is_twelve(region) => "%-I:%M %P",
            Locale::En => "%H:%M",
            Locale::Fr if time.minute() == 0 => "%-H h",
            Locale::Fr => "%-H h %M",
        };
        time.format(format).to_string()
    }

    /// A time of day for the team, for example `14:30` or `2:30 pm`.
    pub(crate) fn time(&self, time: NaiveTime, is_twelve: bool) -> String {
        time.format(if is_twelve { "%-I:%M\u{a0}%P" } else { "%H:%M" }).to_string()
    }

    /// A time of day with seconds.
    pub(crate) fn time_to_the_second(&self, time: NaiveTime, is_twelve: bool) -> String {
        time.format(if is_twelve { "%-I:%M:%S\u{a0}%P" } else { "%H:%M:%S" }).to_string()
    }

    /// Whether English texts of a business with this phone region use the 12-hour clock.
    pub(crate) fn is_twelve(&self, region: &str) -> bool {
        self.locale == Locale::En && TWELVE_HOUR_REGIONS.contains(&region)
    }

    /// An instant in local time, without the year.
    pub(crate) fn short_moment(&self, at: Timestamp, zone: Tz) -> String {
        self.instant("short-moment", at, zone)
    }

    pub(crate) fn date(&self, day: NaiveDate) -> String {
        self.dated("date", day, "")
    }

    /// The name of a day of the week. In the catalogue, Monday has the number 1.
    pub(crate) fn weekday(&self, day: Day) -> String {
        self.say("weekday", &[("number", Value::Count((day as u64 + 6) % 7 + 1))])
    }

    fn instant(&self, id: &str, at: Timestamp, zone: Tz) -> String {
        let local = at.utc().with_timezone(&zone);
        self.dated(id, local.date_naive(), &local.format("%H:%M").to_string())
    }

    /// Formats a message with the parts of a date, and a time of day.
    pub(crate) fn dated(&self, id: &str, date: NaiveDate, time: &str) -> String {
        let number = |id, number: u32| self.say(id, &[("number", Value::Count(number.into()))]);
        let (weekday, day) =
            (number("weekday", date.weekday().number_from_monday()), number("day", date.day()));
        let (month, year) = (number("month", date.month()), date.year().to_string());
        let parts =
            [("weekday", &*weekday), ("day", &day), ("month", &month), ("year", &year), ("time", time)];
        let parts = parts.into_iter().map(|(name, part)| (name, Value::Text(part)));
        let parts = parts.chain([("month_number", Value::Count(date.month().into()))]);
        self.say(id, &parts.collect::<Vec<_>>())
    }
}

/// The supported language that `Accept-Language` prefers (RFC 9110 §12.5.4), if it names one.
pub(crate) fn accepted(headers: &HeaderMap) -> Option<Locale> {
    let header = headers.get(header::ACCEPT_LANGUAGE).and_then(|value| value.to_str().ok())?;
    let mut best = None;
    let mut best_weight = 0.0;
    for range in header.split(',') {
        let mut parts = range.split(';').map(str::trim);
        let language = parts.next().unwrap_or_default().split('-').next().unwrap_or_default();
        let weight = parts.find_map(|part| part.strip_prefix("q=")).map_or(1.0, |q| q.parse().unwrap_or(0.0));
        let Some(locale) = Locale::from_word(&language.to_ascii_lowercase()) else { continue };
        if weight > best_weight {
            (best, best_weight) = (Some(locale), weight);
        }
    }
    best
}

/// Returns the text as one line without invisible and direction characters, truncated to `chars_max`.
pub(crate) fn plain(text: &str, chars_max: usize) -> String {
    let one_line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut seen = one_line.chars().filter(|c| !is_hidden(*c));
    let mut plain: String = seen.by_ref().take(chars_max).collect();
    if seen.next().is_some() {
        plain.pop();
        plain.push('…');
    }
    plain
}

/// Like [`plain`], but keeps line breaks.
pub(crate) fn plain_lines(text: &str, chars_max: usize) -> String {
    let lines: Vec<_> = text.lines().map(|line| plain(line, chars_max)).collect();
    let mut all = lines.join("\n");
    if let Some((at, _)) = all.char_indices().nth(chars_max) {
        all.truncate(at);
        all.push('…');
    }
    all
}

/// Escapes control characters, so that stored texts cannot control the operator's terminal.
pub(crate) fn one_line(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    for character in text.chars() {
        // These characters change the direction of the text in a terminal.
        let turns =
            matches!(character, '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
        if character.is_control() || turns {
            line.extend(character.escape_default());
        } else {
            line.push(character);
        }
    }
    line
}

/// Whether the character is a control character, is invisible or changes the text direction. The joiners U+200C and
/// U+200D are not hidden, because emoji and texts in Persian or Indic scripts need them.
pub(crate) fn is_hidden(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}')
        || matches!(c, '\u{2060}'..='\u{2069}' | '\u{feff}')
}

/// The ids of a catalogue's messages, in order, for tests that compare catalogues.
#[cfg(test)]
pub(crate) fn ids(source: &str) -> Vec<String> {
    let id = |line: &str| line.split_once(" =").map(|(id, _)| id.to_owned());
    source.lines().filter(|line| line.starts_with(char::is_alphabetic)).filter_map(id).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_instant_is_written_in_local_form() {
        let paris = chrono_tz::Europe::Paris;
        let [in_english, in_french] = [Locale::En, Locale::Fr].map(|locale| Words::read(locale, ""));
        for (at, english, french) in [
            ("2026-11-24T09:00:00Z", "Tuesday 24 November 2026 at 10:00", "mardi 24 novembre 2026 à 10:00"),
            ("2026-08-01T06:05:00Z", "Saturday 1 August 2026 at 08:05", "samedi 1er août 2026 à 08:05"),
            ("2026-03-29T00:59:00Z", "Sunday 29 March 2026 at 01:59", "dimanche 29 mars 2026 à 01:59"),
            ("2026-03-29T01:00:00Z", "Sunday 29 March 2026 at 03:00", "dimanche 29 mars 2026 à 03:00"),
            ("2025-12-31T23:00:00Z", "Thursday 1 January 2026 at 00:00", "jeudi 1er janvier 2026 à 00:00"),
        ] {
            let at = Timestamp::parse(at).unwrap();
            assert_eq!(in_english.moment(at, paris), english);
            assert_eq!(in_french.moment(at, paris), french);
        }
        let day = NaiveDate::from_ymd_opt(2026, 8, 1).unwrap();
        assert_eq!(
            (in_english.date(day), in_french.date(day)),
            ("Saturday 1 August".into(), "samedi 1er août".into())
        );
    }

    #[test]
    fn the_team_reads_times_in_the_form_of_the_chosen_clock() {
        let words = Words::read(Locale::En, "");
        let time = NaiveTime::from_hms_opt(13, 2, 9).unwrap();
        let both = |is_twelve| (words.time(time, is_twelve), words.time_to_the_second(time, is_twelve));
        assert_eq!(both(false), ("13:02".into(), "13:02:09".into()));
        assert_eq!(both(true), ("1:02\u{a0}pm".into(), "1:02:09\u{a0}pm".into()));
    }

    #[test]
    fn customers_read_times_in_the_form_of_their_language_and_region() {
        let paris = chrono_tz::Europe::Paris;
        let [in_english, in_french] = [Locale::En, Locale::Fr].map(|locale| Words::read(locale, ""));
        for (at, usual, twelve_hours, french) in [
            ("2026-11-24T13:30:00Z", "14:30", "2:30 pm", "mardi 24 novembre 2026 à 14 h 30"),
            ("2026-11-24T13:00:00Z", "14:00", "2:00 pm", "mardi 24 novembre 2026 à 14 h"),
            ("2026-11-24T08:05:00Z", "09:05", "9:05 am", "mardi 24 novembre 2026 à 9 h 05"),
            ("2026-11-24T11:00:00Z", "12:00", "12:00 pm", "mardi 24 novembre 2026 à 12 h"),
            ("2026-11-23T23:00:00Z", "00:00", "12:00 am", "mardi 24 novembre 2026 à 0 h"),
        ] {
            let at = Timestamp::parse(at).unwrap();
            let english = |clock| format!("Tuesday 24 November 2026 at {clock}");
            for region in ["FR", "GB"] {
                assert_eq!(in_english.when(at, paris, region), english(usual));
            }
            for region in TWELVE_HOUR_REGIONS {
                assert_eq!(in_english.when(at, paris, region), english(twelve_hours));
                assert_eq!(in_french.when(at, paris, region), french);
            }
        }
        let first = Timestamp::parse("2026-12-01T08:00:00Z").unwrap();
        assert_eq!(in_french.when(first, paris, "FR"), "mardi 1er décembre 2026 à 9 h");
        let doubled =
            ["2026-10-25T00:30:00Z", "2026-10-25T01:30:00Z"].map(|at| Timestamp::parse(at).unwrap());
        assert_eq!(
            doubled.map(|at| in_english.when(at, paris, "FR")),
            ["02:30 (UTC+02:00)", "02:30 (UTC+01:00)"]
                .map(|clock| format!("Sunday 25 October 2026 at {clock}")),
        );
    }

    #[test]
    fn the_language_with_the_greatest_weight_is_used() {
        for (header, locale) in [
            ("", None),
            ("de", None),
            ("fr", Some(Locale::Fr)),
            ("FR-ca", Some(Locale::Fr)),
            ("de, fr;q=0.8, en;q=0.7", Some(Locale::Fr)),
            ("en, fr", Some(Locale::En)),
            ("fr;q=0.2, en;q=0.9", Some(Locale::En)),
            ("fr;q=0", None),
            ("fr;q=x", None),
            ("*", None),
        ] {
            let headers = HeaderMap::from_iter([(header::ACCEPT_LANGUAGE, header.parse().unwrap())]);
            assert_eq!(accepted(&headers), locale, "{header}");
        }
        assert_eq!(accepted(&HeaderMap::new()), None);
    }

    #[test]
    fn days_and_times_have_the_same_messages_in_both_languages() {
        assert_eq!(ids(include_str!("dates.en.ftl")), ids(include_str!("dates.fr.ftl")));
    }

    #[test]
    fn an_inserted_value_is_one_line_of_visible_characters() {
        for (text, expected) in [
            ("Ada\r\nBcc: x@example.com", "Ada Bcc: x@example.com"),
            ("a\u{202e}b\u{2066}c\u{200b}d\u{feff}e", "abcde"),
            ("a\0b\x1b[1m\t c", "ab[1m c"),
            ("  Zoé  ", "Zoé"),
            ("שלום", "שלום"),
            ("می\u{200c}خواهم 👩\u{200d}👧", "می\u{200c}خواهم 👩\u{200d}👧"),
        ] {
            assert_eq!(plain(text, 200), expected);
        }
        assert_eq!(plain(&"é".repeat(201), 200), format!("{}…", "é".repeat(199)));
        assert_eq!(plain(&"é".repeat(200), 200), "é".repeat(200));
        assert_eq!(plain_lines("a\r\nb\n\nc", 100), "a\nb\n\nc");
        assert_eq!(plain_lines("a\nbc", 3), "a\nb…");
    }
}
