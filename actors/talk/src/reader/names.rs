//! Names of services and staff members in a turn.

use super::phrases::plain;

/// A name with its index in the list that is searched.
pub type Named<'a> = (usize, &'a str);

/// Words that do not distinguish names.
const SMALL: [&str; 16] = [
    "the", "a", "an", "and", "with", "for", "of", "le", "la", "les", "de", "du", "des", "et", "avec", "pour",
];
/// A word of at least this many letters may differ from the name by one letter.
const FUZZY_CHARS_MIN: usize = 5;

/// Returns the indexes of the names that have the most words in common with the turn. If the turn contains all words of
/// at least one name, names that it contains only in part are not returned.
pub fn names(text: &str, all: &[Named<'_>]) -> Vec<usize> {
    let words: Vec<String> = plain(text).iter().map(|word| singular(word).to_owned()).collect();
    let scored = all.iter().map(|(number, name)| {
        let name: Vec<String> = plain(name);
        let parts: Vec<&str> =
            name.iter().map(|word| singular(word)).filter(|word| !SMALL.contains(word)).collect();
        let hits = parts.iter().filter(|part| words.iter().any(|word| is_same(word, part))).count();
        (*number, hits, hits == parts.len() && hits > 0)
    });
    let scored: Vec<_> = scored.filter(|(_, hits, _)| *hits > 0).collect();
    let has_whole = scored.iter().any(|(_, _, is_whole)| *is_whole);
    let candidates: Vec<_> = scored.into_iter().filter(|(_, _, is_whole)| *is_whole || !has_whole).collect();
    let most = candidates.iter().map(|(_, hits, _)| *hits).max();
    candidates.into_iter().filter(|(_, hits, _)| Some(*hits) == most).map(|(number, _, _)| number).collect()
}

fn singular(word: &str) -> &str {
    match word.strip_suffix(['s', 'x']) {
        Some(stem) if stem.len() >= 3 && !stem.ends_with('s') => stem,
        _ => word,
    }
}

fn is_same(word: &str, part: &str) -> bool {
    word == part
        || word.chars().count() >= FUZZY_CHARS_MIN
            && part.chars().count() >= FUZZY_CHARS_MIN
            && differs_by_one(word, part)
}

/// Whether the words differ in one changed, added or missing letter, or in two swapped neighbouring letters.
fn differs_by_one(one: &str, two: &str) -> bool {
    let (one, two): (Vec<char>, Vec<char>) = (one.chars().collect(), two.chars().collect());
    let (short, long) = if one.len() <= two.len() { (one, two) } else { (two, one) };
    if long.len() - short.len() > 1 {
        return false;
    }
    let same = short.iter().zip(&long).take_while(|(a, b)| a == b).count();
    let (short_rest, long_rest) = (&short[same..], &long[same..]);
    if short.len() < long.len() {
        return short_rest == &long_rest[1..];
    }
    let is_swap = matches!((short_rest, long_rest), ([a, b, rest @ ..], [c, d, more @ ..])
        if a == d && b == c && rest == more);
    is_swap || short_rest.get(1..) == long_rest.get(1..)
}
