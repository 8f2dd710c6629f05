//! Reads details of the caller: the name, the phone number, the email address, and a code.

use domain::{Email, unaccented};

use super::dates;
use super::menu;
use super::numbers;
use super::phrases::plain;

const NAME_CHARS_MAX: usize = 60;
const NAME_WORDS_MAX: usize = 5;
const BEFORE_NAMES: [&str; 18] = [
    "my name is",
    "the name is",
    "name is",
    "this is",
    "i am",
    "i'm",
    "it's",
    "it is",
    "for",
    "je m'appelle",
    "je suis",
    "mon nom est",
    "c'est",
    "au nom de",
    "pour",
    "moi c'est",
    "my name's",
    "name",
];
const AFTER_NAMES: [&str; 5] = ["please", "thanks", "thank you", "merci", "s'il vous plaît"];
/// Words that no name contains. If the possible name in a turn contains one of them, the turn is not read as a name.
const NOT_NAMES: [&str; 68] = [
    "yes",
    "no",
    "oui",
    "non",
    "what",
    "why",
    "who",
    "help",
    "hello",
    "bonjour",
    "appointment",
    "book",
    "cancel",
    "move",
    "tomorrow",
    "today",
    "demain",
    "quoi",
    "pourquoi",
    "menu",
    "ok",
    "okay",
    "stop",
    "back",
    "retour",
    "annuler",
    "reserver",
    "the",
    "you",
    "vous",
    "i",
    "id",
    "ill",
    "je",
    "not",
    "dont",
    "cant",
    "wont",
    "pas",
    "know",
    "sais",
    "rather",
    "prefer",
    "moment",
    "second",
    "minute",
    "instant",
    "wait",
    "attendez",
    "hmm",
    "um",
    "euh",
    "is",
    "there",
    "with",
    "avec",
    "never",
    "mind",
    "actually",
    "instead",
    "finalement",
    "plutot",
    "sorry",
    "pardon",
    "where",
    "when",
    "quand",
    "comment",
];

/// The name that a turn gives.
pub fn person_name(text: &str) -> Option<String> {
    let text = text.trim().trim_end_matches(['.', '!', ',']).trim();
    if text.chars().any(|c| c.is_ascii_digit() || "?@/<>{}[]\\|*#_=;:\"".contains(c) || c.is_control()) {
        return None;
    }
    let mut words: Vec<&str> = text.split_whitespace().collect();
    let starts = |words: &[&str], phrase: &str| {
        let phrase = plain(phrase);
        // `plain` removes apostrophes, so `I'm` is one word in the turn and in the phrase.
        let own: Vec<String> = words.iter().flat_map(|word| plain(word)).collect();
        own.starts_with(&phrase).then_some(phrase.len())
    };
    let start = ["hello", "hi", "bonjour", "yes", "oui", "ok"];
    while words.len() > 1 && plain(words[0]).iter().all(|word| start.contains(&word.as_str())) {
        words.remove(0);
    }
    let prefix = BEFORE_NAMES.iter().filter_map(|phrase| starts(&words, phrase)).max().unwrap_or(0);
    // `prefix` counts plain words, but `drain` removes words of the turn. The numbers can differ: a word with a hyphen
    // is one word of the turn, but several plain words. So `min` keeps the range valid.
    words.drain(..prefix.min(words.len()));
    for polite in AFTER_NAMES {
        let polite: Vec<&str> = polite.split(' ').collect();
        let own: Vec<String> =
            words.iter().rev().take(polite.len()).rev().flat_map(|word| plain(word)).collect();
        if own == plain(&polite.join(" ")) && !own.is_empty() {
            words.truncate(words.len() - polite.len());
        }
    }
    let is_name = (1..=NAME_WORDS_MAX).contains(&words.len())
        && words.iter().any(|word| word.chars().filter(|c| c.is_alphabetic()).count() >= 2)
        && !words.iter().flat_map(|word| plain(word)).any(|word| is_no_name(&word))
        && menu::entries(&words.join(" ")).is_empty();
    if !is_name {
        return None;
    }
    let name = words.iter().map(|word| capitalised(word)).collect::<Vec<_>>().join(" ");
    let name = name.trim_matches(|c: char| !c.is_alphabetic() && c != '.');
    Some(name.chars().take(NAME_CHARS_MAX).collect::<String>().trim_end().to_owned())
}

/// Whether no name contains this word. Short forms of weekdays such as `Thu` are also names.
fn is_no_name(word: &str) -> bool {
    NOT_NAMES.contains(&word) || word.len() > "tues".len() && dates::is_weekday(word)
}

/// Capitalises a word, because transcribers write names in lower case. Particles such as `de` stay in lower case.
fn capitalised(word: &str) -> String {
    let small = ["de", "da", "van", "von", "du", "la", "le", "der", "di"];
    let mut chars = word.chars();
    match chars.next() {
        Some(first) if first.is_lowercase() && !small.contains(&word) => {
            first.to_uppercase().chain(chars).collect()
        }
        _ => word.to_owned(),
    }
}

/// Returns the digits of a turn, which may be written as words. Returns `None` if the turn contains words other than
/// digits and fillers.
fn digits(text: &str) -> Option<String> {
    let fillers = [
        "my",
        "number",
        "is",
        "its",
        "the",
        "code",
        "phone",
        "mon",
        "numero",
        "est",
        "cest",
        "le",
        "please",
        "and",
        "et",
        "at",
        "au",
        "plus",
        "it",
        "merci",
        "thanks",
        "telephone",
        "de",
        "sil",
        "vous",
        "plait",
        "yes",
        "oui",
        "a",
        "call",
        "me",
        "on",
        "appelez",
        "moi",
    ];
    let words = plain(text);
    let mut digits = String::new();
    let mut at = 0;
    while at < words.len() {
        let word = &words[at];
        let repeat = match word.as_str() {
            "double" => 2,
            "triple" => 3,
            _ => 1,
        };
        let start = if repeat > 1 { at + 1 } else { at };
        if word.bytes().all(|byte| byte.is_ascii_digit()) {
            digits.push_str(word);
            at += 1;
        } else if let Some((value, len)) =
            numbers::cardinal(|offset| words.get(start + offset).map(String::as_str))
        {
            // Each number word adds its digits: `zéro six` and `oh six` give `06`, and `douze` gives `12`.
            for _ in 0..repeat {
                digits.push_str(&value.to_string());
            }
            at = start + len;
        } else if fillers.contains(&word.as_str()) {
            at += 1;
        } else {
            return None;
        }
    }
    Some(digits).filter(|digits| !digits.is_empty())
}

/// The phone number that a turn gives, as digits. The result begins with `+` if a `+` precedes the digits or the turn
/// begins with the word `plus`.
pub fn phone(text: &str) -> Option<String> {
    let digits = digits(text).filter(|digits| (7..=15).contains(&digits.len()))?;
    let has_plus = text.trim_start_matches(|c: char| !c.is_ascii_digit() && c != '+').starts_with('+')
        || plain(text).first().is_some_and(|word| word == "plus");
    Some(if has_plus { format!("+{digits}") } else { digits })
}

/// The code of six digits that a turn gives.
pub fn code(text: &str) -> Option<String> {
    digits(text).filter(|digits| digits.len() == 6)
}

/// The email address in a turn.
pub fn email(text: &str) -> Option<String> {
    let mut found =
        text.split(|c: char| c.is_whitespace() || "<>(),;".contains(c)).filter(|word| word.contains('@'));
    let one = found.next().filter(|_| found.next().is_none())?;
    Email::new(one.trim_end_matches(['.', '!', '?'])).ok().map(|email| email.as_str().to_owned())
}

const OPT_OUTS: [&str; 10] =
    ["stop", "stopall", "stop all", "unsubscribe", "cancel", "end", "quit", "revoke", "optout", "arret"];

/// Whether a text message is one of the words that tell the business to send no more text messages.
pub fn is_opt_out(text: &str) -> bool {
    let kept = unaccented(text).to_lowercase();
    let kept: String = kept.chars().map(|c| if c.is_alphanumeric() { c } else { ' ' }).collect();
    OPT_OUTS.contains(&kept.split_whitespace().collect::<Vec<_>>().join(" ").as_str())
}
