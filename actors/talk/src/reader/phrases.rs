//! Recognises phrases about an emergency, and the wish to speak to a person.

use std::borrow::Cow;

use domain::unaccented;

/// The words of a text in lower case, without accents, apostrophes and punctuation. Hyphens separate words.
pub(crate) fn plain(text: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let text = if text.is_ascii() { Cow::Borrowed(text) } else { Cow::Owned(unaccented(text)) };
    for c in text.chars().flat_map(char::to_lowercase) {
        match c {
            '\'' | '’' | '‘' | '`' | '´' => {}
            c if c.is_alphanumeric() => words.last_mut().expect("there is a last word").push(c),
            _ if words.last().is_some_and(String::is_empty) => {}
            _ => words.push(String::new()),
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

/// Whether the words contain the words of a phrase consecutively.
pub(crate) fn has_phrase(words: &[String], phrase: &str) -> bool {
    // `plain` would not change a phrase of lower-case ASCII letters, digits and spaces, so it is not called for such a
    // phrase. This saves time, because the gate compares hundreds of phrases with each sentence.
    if phrase.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b' ') {
        let mut starts = 0..words.len();
        return starts.any(|start| {
            let mut rest = words[start..].iter();
            phrase.split(' ').all(|word| rest.next().is_some_and(|own| own == word))
        });
    }
    let phrase = plain(phrase);
    words.windows(phrase.len()).any(|window| window == phrase)
}

const EMERGENCIES: [&str; 11] = [
    "emergency room",
    "heart attack",
    "chest pain",
    "can't breathe",
    "overdose",
    "suicide",
    "bleeding badly",
    "infarctus",
    "mal à la poitrine",
    "respirer plus",
    "hémorragie",
];
const CALLS: [(&[&str], &[&str]); 2] = [
    (&["call"], &["911", "999", "112", "an ambulance"]),
    (&["appelez", "appeler", "appelle"], &["le 15", "le 18", "le 112", "une ambulance"]),
];

/// Whether the caller speaks of an emergency.
pub fn is_emergency(text: &str) -> bool {
    let words = plain(text);
    EMERGENCIES.iter().any(|phrase| has_phrase(&words, phrase))
        || CALLS.iter().any(|(verbs, numbers)| {
            verbs
                .iter()
                .any(|verb| numbers.iter().any(|number| has_phrase(&words, &format!("{verb} {number}"))))
        })
}

const PERSONS: [&str; 10] = [
    "human",
    "person",
    "someone",
    "operator",
    "representative",
    "agent",
    "quelqu'un",
    "une personne",
    "un humain",
    "un conseiller",
];
const BEFORE_PERSONS: [&str; 6] = ["speak to", "speak with", "talk to", "talk with", "real", "parler à"];
const ARTICLES: [&str; 6] = ["a", "an", "the", "un", "une", "real"];

/// Whether the caller wants to speak to a person.
pub fn is_person(text: &str) -> bool {
    let words = plain(text);
    let is_whole = |phrase: &str| words == plain(phrase);
    PERSONS.iter().any(|person| {
        is_whole(person)
            || BEFORE_PERSONS.iter().any(|before| {
                has_phrase(&words, &format!("{before} {person}"))
                    || ARTICLES
                        .iter()
                        .any(|article| has_phrase(&words, &format!("{before} {article} {person}")))
            })
    })
}
