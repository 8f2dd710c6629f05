//! Recognises sentences that are not plain speech to the caller.

use std::collections::BTreeSet;

use crate::reader::{has_phrase, plain};
use crate::words::clean;

/// Returns the text on one line, with its letters and digits in their usual form, and without invisible characters.
pub(crate) fn readable(text: &str) -> String {
    let is_shown = |c: &char| {
        let is_sign = matches!(c,
            '!'..='~' | '\u{a1}'..='\u{ac}' | '\u{ae}'..='\u{bf}' | '×' | '÷' | '\u{2010}'..='\u{2027}'
            | '\u{2030}'..='\u{205e}' | '\u{20a0}'..='\u{20cf}' | '\u{2100}'..='\u{2bff}'
            | '\u{1f000}'..='\u{1faff}');
        is_sign || c.is_alphanumeric() || c.is_whitespace() || c.is_control()
    };
    clean(&domain::compatible(text).chars().filter(is_shown).collect::<String>(), usize::MAX)
}

/// Whether the sentence contains a word with a letter or a digit that English and French do not have. Words in `known`
/// are allowed. A word that mixes alphabets is never allowed, because it can look like another word.
pub(super) fn has_foreign_word(sentence: &str, known: impl Fn() -> BTreeSet<String>) -> bool {
    let is_foreign = |c: char| !c.is_ascii() && !"œæ".contains(c);
    let words: Vec<String> = plain(sentence).into_iter().filter(|word| word.contains(is_foreign)).collect();
    let is_mixed = |word: &String| {
        word.contains(|c: char| c.is_ascii_alphabetic()) && word.contains(|c: char| c > '\u{24f}')
    };
    words.iter().any(is_mixed)
        || !words.is_empty() && {
            let known = known();
            words.iter().any(|word| !known.contains(word))
        }
}

/// Whether the sentence contains Markdown, code, JSON or a handle, or has no words.
pub(super) fn has_form(sentence: &str) -> bool {
    const SIGNS: [&str; 11] = ["`", "*", "#", "{", "}", "[", "]", "<", ">", "|", "\\"];
    const FUNCTIONS: [&str; 6] =
        ["find_openings", "my_appointments", "search_knowledge", "take_message", "send_code", "check_code"];
    let trimmed = sentence.trim_start();
    let is_item = trimmed.starts_with("- ") || trimmed.starts_with("• ") || trimmed.starts_with("__");
    let numbered = trimmed.split_once(['.', ')']).is_some_and(|(number, rest)| {
        number.len() <= 2
            && !number.is_empty()
            && number.bytes().all(|byte| byte.is_ascii_digit())
            && rest.starts_with(' ')
    });
    let words = plain(sentence);
    let is_handle = |word: &String| {
        let mut chars = word.chars();
        chars.next().is_some_and(|letter| "spta".contains(letter))
            && word.len() >= 2
            && word.len() <= 4
            && chars.all(|c| c.is_ascii_digit())
    };
    let no_words = words.is_empty();
    no_words
        || is_item
        || numbered
        || SIGNS.iter().any(|sign| sentence.contains(sign))
        || FUNCTIONS.iter().any(|name| sentence.contains(name))
        || words.iter().any(is_handle)
}

/// Whether the model writes about the caller or about its own instructions instead of addressing the caller.
pub(super) fn is_reasoning(sentence: &str) -> bool {
    const REASONING: [&str; 18] = [
        "the user",
        "let me think",
        "i should",
        "i need to call",
        "i will call the",
        "the function",
        "function call",
        "tool call",
        "json",
        "reasoning",
        "my instructions",
        "system prompt",
        "as per the instructions",
        "l'utilisateur",
        "l'appelant",
        "la fonction",
        "mes instructions",
        "as an ai language",
    ];
    const CALLERS: [&str; 8] = [
        "the caller",
        "the customer",
        "the client",
        "this caller",
        "this customer",
        "le client",
        "la cliente",
        "ce client",
    ];
    const ACTS: [&str; 22] = [
        "wants",
        "is",
        "says",
        "said",
        "asks",
        "asked",
        "needs",
        "would",
        "has",
        "seems",
        "wishes",
        "mentioned",
        "wanted",
        "veut",
        "est",
        "dit",
        "a",
        "demande",
        "souhaite",
        "voudrait",
        "cherche",
        "aimerait",
    ];
    let words = plain(sentence);
    let acts = |caller: &str| ACTS.iter().any(|act| has_phrase(&words, &format!("{caller} {act}")));
    REASONING.iter().any(|phrase| has_phrase(&words, phrase)) || CALLERS.iter().any(|caller| acts(caller))
}
