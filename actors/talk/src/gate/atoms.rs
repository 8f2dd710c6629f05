//! Finds facts in a text, such as amounts and addresses. The facts can be compared with the facts in another text.

use std::collections::BTreeSet;

use crate::reader;

/// A fact in a sentence.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Atom {
    /// A number with a unit of money, percentage or time.
    Amount(String, Unit),
    /// A number of three digits or more.
    Long(String),
    /// An email or web address.
    Address(String),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Unit {
    Money,
    Percent,
    Minutes,
    Days,
    Weeks,
    Months,
    Years,
}

const HOURS: [&str; 4] = ["hour", "hours", "hr", "hrs"];
/// `heures` is a unit only in a sentence with a word for a duration, such as `dure`. Without such a word, `deux heures`
/// can be a time of day, so it is checked as a time.
const HEURES: [&str; 2] = ["heure", "heures"];
const LASTS: [&str; 7] = ["dure", "durent", "durer", "durera", "duree", "durees", "pendant"];
const LASTS_BEFORE: [&str; 3] = ["prend", "prennent", "comptez"];
/// Words after which a number is a price.
const COSTS: [&str; 15] = [
    "cost", "costs", "price", "prices", "charge", "charges", "pay", "coute", "coutent", "coutera", "prix",
    "tarif", "tarifs", "comptez", "vaut",
];
const IS: [&str; 4] = ["is", "are", "est", "sont"];
const AFTER_COSTS: [&str; 14] = [
    "is",
    "are",
    "about",
    "around",
    "only",
    "just",
    "you",
    "est",
    "sont",
    "de",
    "environ",
    "a",
    "from",
    "seulement",
];
/// Words that can follow a price without a unit.
const AFTER_PRICES: [&str; 6] = ["for", "and", "with", "pour", "et", "each"];

/// The smallest number with three digits.
const LONG_MIN: f64 = 100.0;
/// A number that is written in words, such as `one hundred and five`, consists of at most this many tokens.
const NUMBER_TOKENS_MAX: usize = 8;

fn unit(word: &str) -> Option<Unit> {
    Some(match word {
        "€" | "$" | "£" | "euro" | "euros" | "eur" | "dollar" | "dollars" | "usd" | "pound" | "pounds"
        | "gbp" | "chf" | "francs" | "cents" | "centimes" | "bucks" | "quid" | "cad" => Unit::Money,
        "%" | "percent" | "pourcent" => Unit::Percent,
        "minute" | "minutes" | "min" | "mins" => Unit::Minutes,
        "day" | "days" | "jour" | "jours" => Unit::Days,
        "week" | "weeks" | "semaine" | "semaines" => Unit::Weeks,
        "month" | "months" | "mois" => Unit::Months,
        "year" | "years" | "an" | "ans" => Unit::Years,
        _ => return None,
    })
}

/// The amounts, long numbers and addresses in a text.
pub(super) fn atoms(text: &str) -> BTreeSet<Atom> {
    let mut found = BTreeSet::new();
    let mut rest = String::new();
    for word in text.split_whitespace() {
        let bare = word.trim_matches(|c: char| !c.is_alphanumeric() && c != '+').to_lowercase();
        let host = bare.split_once('.').is_some_and(|(before, after)| {
            before.chars().all(|c| c.is_alphanumeric() || c == '-')
                && before.contains(char::is_alphabetic)
                && before.len() > 1
                && after.starts_with(char::is_alphabetic)
        });
        if bare.contains('@') || bare.contains("://") || bare.starts_with("www.") || host {
            let bare =
                bare.trim_start_matches("https://").trim_start_matches("http://").trim_start_matches("www.");
            found.insert(Atom::Address(bare.trim_end_matches('/').to_owned()));
            continue;
        }
        rest.push_str(word);
        rest.push(' ');
    }
    // A number may be written in groups, such as `01 23 45 67 89`.
    let (rest, grouped) = take_groups(&rest);
    found.extend(grouped.into_iter().map(Atom::Long));
    let tokens = Tokens(split(&domain::unaccented(&rest).to_lowercase()));
    for at in 0..tokens.0.len() {
        found.extend(tokens.amount(at));
        found.extend(tokens.price(at));
        found.extend(tokens.long(at));
    }
    found
}

/// Whether the sentence says that something costs nothing. `is_opening` is true if the sentence is about a person or a
/// time. In such a sentence, `free` means "available".
pub(super) fn costs_nothing(sentence: &str, is_opening: bool) -> bool {
    const OPENINGS: [&str; 14] = [
        "he", "she", "they", "we", "i", "you", "nothing", "one", "time", "times", "slot", "slots",
        "openings", "place",
    ];
    let words = reader::plain(sentence);
    let is = |word: Option<&String>, list: &[&str]| word.is_some_and(|word| list.contains(&word.as_str()));
    let is_free = words.iter().enumerate().any(|(at, word)| {
        let before = words[at.saturating_sub(2)..at].iter();
        word == "free"
            && before.into_iter().any(|word| ["is", "are", "its", "thats"].contains(&word.as_str()))
            && !is(words.get(at + 1), &["to"])
    });
    let is_about_opening = is_opening || words.iter().any(|word| OPENINGS.contains(&word.as_str()));
    has_gift(&words) || is_free && !is_about_opening && !sentence.trim_end().ends_with('?')
}

/// Whether a source says that something costs nothing.
pub(super) fn has_free(source: &str) -> bool {
    let words = reader::plain(source);
    has_gift(&words) || words.iter().any(|word| word == "free")
}

fn has_gift(words: &[String]) -> bool {
    const GIFTS: [&str; 11] = [
        "gratuit",
        "gratuite",
        "gratuits",
        "gratuites",
        "gratuitement",
        "complimentary",
        "free of charge",
        "for free",
        "no charge",
        "no cost",
        "on the house",
    ];
    GIFTS.iter().any(|phrase| reader::has_phrase(words, phrase))
}

struct Tokens(Vec<String>);

impl Tokens {
    /// The token at a position, or an empty token.
    fn at(&self, at: usize) -> &str {
        self.0.get(at).map_or("", String::as_str)
    }

    fn is(&self, at: usize, words: &[&str]) -> bool {
        words.contains(&self.at(at))
    }

    /// Reads the number that begins at a position: digits, or number words such as `two hundred and ten` and `one and a
    /// half`. Returns the number and the count of its tokens.
    fn number(&self, start: usize) -> Option<(f64, usize)> {
        let (mut total, mut current, mut at) = (0.0, 0.0, start);
        loop {
            let token = self.at(at);
            if self.is_multiplier(at, &["hundred", "cent", "cents"]) {
                current = f64::max(current, 1.0) * 100.0;
                at += 1;
            } else if self.is_multiplier(at, &["thousand", "mille"]) {
                total += f64::max(current, 1.0) * 1000.0;
                current = 0.0;
                at += 1;
            } else if at > start && self.half(at) > 0 {
                current += 0.5;
                at += self.half(at);
                break;
            } else if current % 100.0 != 0.0 || at > start && current == 0.0 && total == 0.0 {
                break;
            } else if at == start && token.starts_with(|c: char| c.is_ascii_digit()) {
                current = token.replace(',', ".").parse::<f64>().ok()?;
                at += 1;
            } else if at > start && self.is(at, &["and", "et"]) && self.cardinal(at + 1).is_some()
                || at == start && token == "a" && self.is(at + 1, &["hundred", "thousand"])
            {
                at += 1;
            } else if let Some((value, len)) = self.cardinal(at) {
                current += value;
                at += len;
            } else {
                break;
            }
        }
        (at > start).then_some((total + current, at - start))
    }

    /// Whether the token is one of these words and multiplies the number before it. The French
    /// `cents` (hundreds) is also a unit of money, so it multiplies only before another unit.
    fn is_multiplier(&self, at: usize, words: &[&str]) -> bool {
        self.is(at, words) && (self.at(at) != "cents" || unit(self.at(at + 1)).is_some())
    }

    fn cardinal(&self, at: usize) -> Option<(f64, usize)> {
        let word = |offset: usize| self.0.get(at + offset).map(String::as_str);
        reader::cardinal(word).map(|(value, len)| (f64::from(value), len))
    }

    /// Returns how many words the phrase `and a half` or `et demie` has at a position: 3, 2, or 0 if it is not there.
    fn half(&self, at: usize) -> usize {
        let is = |offset: usize, words: &[&str]| self.is(at + offset, words);
        match () {
            () if is(0, &["and"]) && is(1, &["a"]) && is(2, &["half"]) => 3,
            () if is(0, &["et"]) && is(1, &["demi", "demie"]) => 2,
            () => 0,
        }
    }

    /// The number that ends directly before a position, and its first position.
    fn number_before(&self, at: usize) -> Option<(f64, usize)> {
        let mut starts = at.saturating_sub(NUMBER_TOKENS_MAX)..at;
        starts.find_map(|start| {
            let (value, len) = self.number(start)?;
            (start + len == at).then_some((value, start))
        })
    }

    /// Returns the amount whose unit is at a position. The number is before the unit. For a unit of money, the number
    /// may also be after the unit. A currency sign without a number is an amount with an empty number.
    fn amount(&self, at: usize) -> Option<Atom> {
        if let Some(minutes) = self.hours(at) {
            return Some(Atom::Amount(written(minutes), Unit::Minutes));
        }
        let unit = unit(self.at(at))?;
        if self.is_multiplier(at, &["cents"]) {
            return None;
        }
        let is_one = |start: usize| start + 1 == at && self.is(start, &["a", "un", "une", "one"]);
        let before = self.number_before(at).filter(|(_, start)| !is_one(*start)).map(|(value, _)| value);
        let value = before.or_else(|| {
            let after = || self.number(at + 1).filter(|_| !is_one(at + 1));
            (unit == Unit::Money).then(after).flatten().map(|(value, _)| value)
        });
        match value {
            Some(value) => Some(Atom::Amount(written(value), unit)),
            None => "€$£".contains(self.at(at)).then(|| Atom::Amount(String::new(), unit)),
        }
    }

    /// The minutes of a number of hours, such as `two hours`, `half an hour` or `trois quarts d'heure`. `at` is the
    /// position of the unit, such as `hours`.
    fn hours(&self, at: usize) -> Option<f64> {
        if !self.is(at, &HOURS) && !self.is(at, &HEURES) {
            return None;
        }
        let is_article = |at: usize| self.is(at, &["a", "an", "d", "of"]);
        let mut before = at.checked_sub(1)?;
        while before > 0 && is_article(before) {
            before -= 1;
        }
        let is_fraction =
            self.is(before, &["half", "demi", "demie", "quarter", "quarters", "quart", "quarts"]);
        let number = self.number_before(at);
        let lasts = || {
            let start = number.map_or(at, |(_, start)| start);
            let last = start.checked_sub(1).map_or("", |last| self.at(last));
            is_fraction
                || LASTS_BEFORE.contains(&last)
                || self.0.iter().any(|token| LASTS.contains(&token.as_str()))
        };
        if self.is(at, &HEURES) && !lasts() {
            return None;
        }
        let more = if self.half(at + 1) > 0 { 30.0 } else { 0.0 };
        if let Some((value, _)) = number {
            return Some(value * 60.0 + more);
        }
        if is_fraction && self.is(before, &["half", "demi", "demie"]) {
            return Some(30.0);
        }
        if is_fraction {
            return Some(self.number_before(before).map_or(1.0, |(value, _)| value) * 15.0);
        }
        self.is(at - 1, &["a", "an"]).then_some(60.0 + more)
    }

    /// Parses a price without a unit, such as `45` in `it costs 45` or in `the haircut is 45.` The word at `at` comes
    /// before the price: `costs`, `is`.
    fn price(&self, at: usize) -> Option<Atom> {
        let skipped = |at: &usize| self.is(*at, &AFTER_COSTS);
        let (start, is_sure) = if self.is(at, &COSTS) {
            (at + 1 + (at + 1..self.0.len()).take(3).take_while(skipped).count(), true)
        } else if self.is(at, &IS) || self.is(at, &["s"]) && self.is(at.checked_sub(1)?, &["it", "that"]) {
            (at + 1, false)
        } else {
            return None;
        };
        let (value, len) = self.number(start)?;
        let next = self.at(start + len);
        let is_alone = next.is_empty() || AFTER_PRICES.contains(&next);
        let is_unit = unit(next).is_some() || HOURS.contains(&next) || HEURES.contains(&next);
        let is_time =
            ["h", "am", "pm", "oclock"].contains(&next) || next.starts_with(|c: char| c.is_ascii_digit());
        let is_one = len == 1 && self.is(start, &["a", "un", "une", "one"]);
        // A number of 100 or more is not a price here, because `long` returns it as an `Atom::Long`.
        let is_long = value >= LONG_MIN;
        let is_price = !is_one && !is_long && if is_sure { !is_unit && !is_time } else { is_alone };
        is_price.then(|| Atom::Amount(written(value), Unit::Money))
    }

    /// The number at this position, if it has at least three digits. It may be written in words.
    fn long(&self, at: usize) -> Option<Atom> {
        let digits: String = self.at(at).chars().filter(char::is_ascii_digit).collect();
        if !digits.is_empty() {
            return (digits.len() >= 3).then_some(Atom::Long(digits));
        }
        let (value, _) = self.number(at).filter(|(value, _)| *value >= LONG_MIN)?;
        let is_inside = |back: usize| {
            let start = at.checked_sub(back);
            start.and_then(|start| self.number(start)).is_some_and(|(_, len)| len > back)
        };
        (!(1..NUMBER_TOKENS_MAX).any(is_inside)).then(|| Atom::Long(written(value)))
    }
}

/// The shortest form of a number, so that equal numbers are equal texts.
fn written(value: f64) -> String {
    format!("{value}")
}

/// Splits a text into words, numbers with their decimal points, and signs of units. `per cent` becomes one word.
fn split(text: &str) -> Vec<String> {
    let mut tokens: Vec<String> = Vec::new();
    let mut last: Option<char> = None;
    let chars: Vec<char> = text.chars().collect();
    for (at, c) in chars.iter().enumerate() {
        let digit = |at: Option<usize>| at.and_then(|at| chars.get(at)).is_some_and(char::is_ascii_digit);
        let is_point = ".,".contains(*c) && digit(at.checked_sub(1)) && digit(Some(at + 1));
        let is_word = c.is_alphabetic();
        let is_digit = c.is_ascii_digit() || is_point;
        if !(is_word || is_digit || "€$£%".contains(*c)) {
            last = None;
            continue;
        }
        let joins = last.is_some_and(|last: char| {
            is_word && last.is_alphabetic() || is_digit && (last.is_ascii_digit() || ".,".contains(last))
        });
        match tokens.last_mut().filter(|_| joins) {
            Some(token) => token.push(*c),
            None => tokens.push(c.to_string()),
        }
        last = Some(*c);
    }
    let mut joined: Vec<String> = Vec::new();
    for token in tokens {
        match joined.last_mut().filter(|last| token == "cent" && (*last == "per" || *last == "pour")) {
            Some(last) => "percent".clone_into(last),
            None => joined.push(token),
        }
    }
    joined
}

/// Finds the numbers that are written in groups of digits, for example `01 23 45`. Returns the text without these
/// numbers, and the digits of each number. Groups of digits are a number in two cases:
///
/// - There are three or more groups, with six or more digits in all, and single characters separate the groups.
/// - There are two or more groups, with nine or more digits in all, as in a phone number.
///
/// A date such as `2026-03-09` is not returned as a number.
fn take_groups(text: &str) -> (String, Vec<String>) {
    const GAP_MAX: usize = 4;
    const PHONE_DIGITS_MIN: usize = 9;
    let text = text.replace("(0)", "");
    let chars: Vec<char> = text.chars().collect();
    let run = |start: usize, same: fn(&char) -> bool| chars[start..].iter().take_while(|c| same(c)).count();
    let is_gap = |c: &char| !c.is_alphanumeric() && !":+€$£%".contains(*c);
    let (mut rest, mut found, mut at) = (String::new(), Vec::new(), 0);
    while at < chars.len() {
        if !chars[at].is_ascii_digit() {
            rest.push(chars[at]);
            at += 1;
            continue;
        }
        let (mut groups, mut end, mut is_narrow): (Vec<String>, usize, bool) = (Vec::new(), at, true);
        loop {
            let digits = run(end, char::is_ascii_digit);
            groups.push(chars[end..end + digits].iter().collect());
            end += digits;
            let gap = run(end, is_gap);
            let follows = chars.get(end + gap).is_some_and(char::is_ascii_digit);
            if gap == 0 || gap > GAP_MAX || !follows {
                break;
            }
            is_narrow &= gap == 1;
            end += gap;
        }
        let digits = groups.concat();
        let is_date = groups.len() == 3 && groups.iter().any(|group| group.len() == 4) && digits.len() <= 8;
        let is_group = groups.len() >= 3 && is_narrow && digits.len() >= 6
            || groups.len() >= 2 && digits.len() >= PHONE_DIGITS_MIN;
        if is_group && !is_date {
            found.push(digits);
        } else {
            rest.extend(&chars[at..end]);
        }
        at = end;
    }
    (rest, found)
}
