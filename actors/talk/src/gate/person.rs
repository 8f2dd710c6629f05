//! Recognises sentences in which the speaker claims to be human.

use crate::reader::plain;

/// The words that precede the speaker's description of itself.
const BEFORE: [&str; 19] = [
    "i am",
    "im",
    "this is",
    "you are speaking with",
    "you are speaking to",
    "youre speaking with",
    "youre speaking to",
    "you are talking to",
    "you are talking with",
    "youre talking to",
    "youre talking with",
    "my name is",
    "je suis",
    "ne suis",
    "vous parlez a",
    "vous parlez avec",
    "je mappelle",
    "mon nom est",
    "ici",
];
/// The words that follow the name of the speaker.
const AFTER: [&str; 3] = ["speaking", "here", "a lappareil"];
/// The maximum number of words after [`BEFORE`] that can describe the speaker.
const DESCRIPTION_MAX: usize = 4;
/// After one of these words, the sentence no longer describes the speaker.
const ENDS: [&str; 28] = [
    "for", "to", "with", "about", "of", "by", "from", "at", "in", "that", "who", "if", "pour", "avec", "de",
    "que", "qui", "si", "calling", "looking", "sorry", "one", "sure", "aware", "able", "certain", "sur",
    "certaine",
];
const ARTICLES: [&str; 5] = ["a", "an", "the", "un", "une"];
const HUMANS: [&str; 13] = [
    "human", "humans", "person", "woman", "man", "humain", "humaine", "humains", "personne", "femme",
    "homme", "employee", "employe",
];
const MACHINES: [&str; 21] = [
    "machine",
    "robot",
    "bot",
    "ai",
    "ia",
    "computer",
    "ordinateur",
    "automated",
    "automate",
    "program",
    "programme",
    "recording",
    "assistant",
    "assistante",
    "virtual",
    "virtuel",
    "chatbot",
    "software",
    "automatique",
    "logiciel",
    "enregistrement",
];
const DENIALS: [&str; 3] = ["not", "no", "pas"];

/// Whether the sentence says that the speaker is a human, is not a machine, or is one of the staff members.
pub(super) fn claims_person(sentence: &str, is_staff: impl Fn(&str) -> bool) -> bool {
    let words = plain(sentence);
    let describes = |start: usize| {
        let rest = &words[start..];
        let length =
            BEFORE.iter().filter(|phrase| begins(rest, phrase)).map(|phrase| phrase.split(' ').count());
        length.max().is_some_and(|length| is_human(&rest[length..], &is_staff))
    };
    let is_signed = |start: usize| {
        let begins_here =
            start == 0 || ["hello", "hi", "its", "bonjour", "cest"].contains(&words[start - 1].as_str());
        begins_here
            && is_staff(&words[start])
            && AFTER.iter().any(|phrase| begins(&words[start + 1..], phrase))
    };
    let denies = |start: usize| {
        let [denial, article, machine, ..] = &words[start..] else { return false };
        DENIALS.contains(&denial.as_str())
            && ARTICLES.contains(&article.as_str())
            && MACHINES.contains(&machine.as_str())
    };
    (0..words.len()).any(|start| describes(start) || is_signed(start) || denies(start))
}

fn begins(words: &[String], phrase: &str) -> bool {
    let mut words = words.iter();
    phrase.split(' ').all(|word| words.next().is_some_and(|own| own == word))
}

/// Whether the description names a human or a staff member, or says that the speaker is not a machine.
fn is_human(words: &[String], is_staff: impl Fn(&str) -> bool) -> bool {
    let mut is_denied = false;
    for (at, word) in words.iter().take(DESCRIPTION_MAX).map(String::as_str).enumerate() {
        if HUMANS.contains(&word) || is_staff(word) && (at == 0 || DENIALS.contains(&words[at - 1].as_str()))
        {
            return !is_denied;
        }
        if MACHINES.contains(&word) {
            return is_denied;
        }
        if ENDS.contains(&word) {
            return false;
        }
        is_denied |= DENIALS.contains(&word);
    }
    false
}
