//! Recognises questions.

use super::phrases::{has_phrase, plain};

/// Words with which a question begins.
const STARTS: [&str; 28] = [
    "what", "when", "where", "who", "why", "which", "how", "do", "does", "is", "are", "can", "could", "will",
    "quel", "quelle", "quels", "quelles", "comment", "combien", "est", "avez", "ou", "quand", "qui", "puis",
    "peut", "y",
];
/// Phrases that ask for a fact wherever they occur.
const FACTS: [&str; 6] = ["how much", "how long", "combien", "ouvrez", "fermez", "faut il"];
/// Phrases of questions about bookable times. These questions do not ask for a fact about the business.
const OPENINGS: [&str; 41] = [
    "free",
    "available",
    "availability",
    "opening",
    "openings",
    "slot",
    "slots",
    "spot",
    "space",
    "anything",
    "something",
    "any time",
    "have time",
    "fit me",
    "see me",
    "squeeze me",
    "i have",
    "i get",
    "i come",
    "how about",
    "what about",
    "appointment",
    "libre",
    "libres",
    "dispo",
    "disponible",
    "disponibles",
    "disponibilite",
    "disponibilites",
    "place",
    "places",
    "creneau",
    "creneaux",
    "quelque chose",
    "je avoir",
    "je venir",
    "je passer",
    "peux avoir",
    "peux venir",
    "peux passer",
    "on avoir",
];

/// Whether a turn asks a question.
pub fn is_question(text: &str) -> bool {
    text.contains('?') || begins_as_question(&plain(text))
}

/// Whether a turn asks for a fact, such as a price. The turn may also name a service or a day. A question about
/// bookable times does not ask for a fact.
pub fn asks_for_fact(text: &str) -> bool {
    let words = plain(text);
    let has = |list: &[&str]| list.iter().any(|phrase| has_phrase(&words, phrase));
    has(&FACTS) || begins_as_question(&words) && !has(&OPENINGS)
}

fn begins_as_question(words: &[String]) -> bool {
    words.first().is_some_and(|word| STARTS.contains(&word.as_str()))
}
