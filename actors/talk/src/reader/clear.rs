//! Recognises a clear yes or a clear no to a change, and a farewell.

use super::phrases::plain;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Clear {
    Yes,
    No,
}

const POLITE: [&str; 5] = ["please", "thanks", "thank you", "s'il vous plaît", "merci"];
const YES: [&str; 21] = [
    "yes",
    "yeah",
    "yep",
    "correct",
    "right",
    "ok",
    "okay",
    "sure",
    "go ahead",
    "that's right",
    "do it",
    "oui",
    "ouais",
    "d'accord",
    "c'est ça",
    "exact",
    "parfait",
    "allez-y",
    "volontiers",
    "d accord",
    "that s right",
];
const NO: [&str; 10] =
    ["no", "nope", "not that", "wait", "stop", "wrong", "non", "pas ça", "attendez", "faux"];
/// Words that may accompany a farewell without changing its meaning.
const BEFORE_FAREWELLS: [&str; 6] = ["ok", "okay", "d'accord", "parfait", "no", "non"];
const FAREWELLS: [&str; 17] = [
    "thanks",
    "thanks a lot",
    "many thanks",
    "thank you",
    "thank you very much",
    "bye",
    "goodbye",
    "merci",
    "merci beaucoup",
    "au revoir",
    "bonne journée",
    "bonne soirée",
    "à bientôt",
    "bonne fin de journée",
    "that is all",
    "that's all",
    "c'est tout",
];

/// Returns [`Clear::Yes`] if the turn consists only of entries of the list `YES` and polite words. Returns
/// [`Clear::No`] if it consists only of entries of the list `NO` and polite words. Any other turn is unclear.
pub fn clear(text: &str) -> Option<Clear> {
    match (consists_of(text, &YES, &POLITE), consists_of(text, &NO, &POLITE)) {
        (true, false) => Some(Clear::Yes),
        (false, true) => Some(Clear::No),
        _ => None,
    }
}

/// The number that a turn consists of, apart from polite words.
pub fn bare_number(text: &str) -> Option<u32> {
    let words = plain(text);
    let mut rest = &words[..];
    let mut number = None;
    while let [word, after @ ..] = rest {
        let polite = POLITE.iter().map(|phrase| plain(phrase)).filter(|phrase| rest.starts_with(phrase));
        rest = match polite.map(|phrase| phrase.len()).max() {
            Some(len) => &rest[len..],
            None if number.is_none() => {
                number = Some(word.parse().ok()?);
                after
            }
            None => return None,
        };
    }
    number
}

/// Whether a turn consists only of thanks and of words that end a conversation.
pub fn is_farewell(text: &str) -> bool {
    !text.contains('?') && consists_of(text, &FAREWELLS, &BEFORE_FAREWELLS)
}

/// Whether a turn consists of at least one entry of the list and any number of fillers.
fn consists_of(text: &str, list: &[&str], fillers: &[&str]) -> bool {
    let words = plain(text);
    let phrases = |list: &[&str]| list.iter().map(|phrase| plain(phrase)).collect::<Vec<_>>();
    let (entries, fillers) = (phrases(list), phrases(fillers));
    let mut rest = &words[..];
    let mut has_entry = false;
    while !rest.is_empty() {
        // If several entries match, the longest one is removed. For example, "thanks a lot" is removed, not "thanks".
        let longest =
            |list: &[Vec<String>]| list.iter().filter(|entry| rest.starts_with(entry)).map(Vec::len).max();
        match (longest(&entries), longest(&fillers)) {
            (Some(len), _) => {
                has_entry = true;
                rest = &rest[len..];
            }
            (None, Some(len)) => rest = &rest[len..],
            (None, None) => return false,
        }
    }
    has_entry
}
