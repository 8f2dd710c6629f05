//! Reads number words and ordinals.

use super::phrases::plain;

const UNITS: [(&str, u32); 46] = [
    ("zero", 0),
    ("oh", 0),
    ("one", 1),
    ("un", 1),
    ("une", 1),
    ("two", 2),
    ("deux", 2),
    ("three", 3),
    ("trois", 3),
    ("four", 4),
    ("quatre", 4),
    ("five", 5),
    ("cinq", 5),
    ("six", 6),
    ("seven", 7),
    ("sept", 7),
    ("eight", 8),
    ("huit", 8),
    ("nine", 9),
    ("neuf", 9),
    ("ten", 10),
    ("dix", 10),
    ("eleven", 11),
    ("onze", 11),
    ("twelve", 12),
    ("douze", 12),
    ("thirteen", 13),
    ("treize", 13),
    ("fourteen", 14),
    ("quatorze", 14),
    ("fifteen", 15),
    ("quinze", 15),
    ("sixteen", 16),
    ("seize", 16),
    ("seventeen", 17),
    ("eighteen", 18),
    ("nineteen", 19),
    ("premier", 1),
    ("premiere", 1),
    ("seconde", 2),
    ("deuxieme", 2),
    ("troisieme", 3),
    ("quatrieme", 4),
    ("cinquieme", 5),
    ("sixieme", 6),
    ("septieme", 7),
];
/// The number of cardinals in [`UNITS`]. They come first. All later entries are ordinals.
const CARDINALS: usize = 37;
const TENS: [(&str, u32); 13] = [
    ("twenty", 20),
    ("vingt", 20),
    ("thirty", 30),
    ("trente", 30),
    ("forty", 40),
    ("quarante", 40),
    ("fifty", 50),
    ("cinquante", 50),
    ("sixty", 60),
    ("soixante", 60),
    ("seventy", 70),
    ("eighty", 80),
    ("ninety", 90),
];
const ORDINALS: [(&str, u32); 20] = [
    ("first", 1),
    ("second", 2),
    ("third", 3),
    ("fourth", 4),
    ("fifth", 5),
    ("sixth", 6),
    ("seventh", 7),
    ("eighth", 8),
    ("ninth", 9),
    ("tenth", 10),
    ("eleventh", 11),
    ("twelfth", 12),
    ("thirteenth", 13),
    ("fourteenth", 14),
    ("fifteenth", 15),
    ("sixteenth", 16),
    ("seventeenth", 17),
    ("eighteenth", 18),
    ("nineteenth", 19),
    ("twentieth", 20),
];

fn find(list: &[(&str, u32)], word: Option<&str>) -> Option<u32> {
    let word = word?;
    list.iter().find(|(known, _)| *known == word).map(|(_, value)| *value)
}

/// Reads a number from 0 to 99 from the words at the offsets 0, 1, … Returns the number and the count of its
/// words.
pub(crate) fn cardinal<'a>(word: impl Fn(usize) -> Option<&'a str>) -> Option<(u32, usize)> {
    let unit = |at| find(&UNITS[..CARDINALS], word(at));
    // Reads a number from 0 to 19. In French, `dix-sept` to `dix-neuf` have two words.
    let small = |at| match (word(at), unit(at + 1)) {
        (Some("dix"), Some(value)) if (7..=9).contains(&value) => Some((10 + value, 2)),
        _ => unit(at).map(|value| (value, 1)),
    };
    if word(0) == Some("quatre") && matches!(word(1), Some("vingt" | "vingts")) {
        return Some(match small(2).filter(|(value, _)| *value > 0) {
            Some((value, len)) => (80 + value, 2 + len),
            None => (80, 2),
        });
    }
    let Some(tens) = find(&TENS, word(0)) else { return small(0) };
    let is_french = matches!(word(0), Some("vingt" | "trente" | "quarante" | "cinquante" | "soixante"));
    let most = if word(0) == Some("soixante") { 19 } else { 9 };
    if is_french && word(1) == Some("et") {
        let is_one = |(value, _): &(u32, usize)| *value == 1 || *value == 11 && most == 19;
        return Some(small(2).filter(is_one).map_or((tens, 1), |(value, len)| (tens + value, 2 + len)));
    }
    let rest = small(1).filter(|(value, _)| (1..=most).contains(value));
    Some(rest.map_or((tens, 1), |(value, len)| (tens + value, 1 + len)))
}

/// Reads an ordinal from 1 to 31 in words, such as `twenty fourth`.
pub(super) fn ordinal<'a>(word: impl Fn(usize) -> Option<&'a str>) -> Option<(u32, usize)> {
    if let Some(value) = find(&ORDINALS, word(0)).or_else(|| find(&UNITS[CARDINALS..], word(0))) {
        return Some((value, 1));
    }
    let tens = match word(0) {
        Some("twenty") => 20,
        Some("thirty") => 30,
        Some("thirtieth") => return Some((30, 1)),
        _ => return None,
    };
    find(&ORDINALS[..9], word(1)).map(|unit| (tens + unit, 2))
}

/// Returns the position that a turn names in a list: a bare number from 1 to 9, or an ordinal up to 7.
pub fn position(text: &str) -> Option<usize> {
    let words = plain(text);
    let word = |at: usize| words.get(at).map(String::as_str);
    let skipped = words.iter().take_while(|word| matches!(word.as_str(), "the" | "la" | "le")).count();
    let prefix = match word(skipped) {
        Some("number" | "numero" | "option" | "choice" | "choix") => skipped + 1,
        _ => skipped,
    };
    let ends = |len: usize| {
        let rest = &words[(prefix + len).min(words.len())..];
        rest.iter()
            .all(|word| matches!(word.as_str(), "one" | "please" | "thanks" | "merci" | "option" | "choix"))
            || rest.join(" ") == "sil vous plait"
    };
    let at = |offset: usize| word(prefix + offset);
    if let Some((value, _)) = ordinal(at).filter(|(value, len)| *value <= 7 && ends(*len)) {
        return usize::try_from(value).ok();
    }
    let suffixed = at(0).and_then(|word| {
        let digits = word.trim_end_matches(|c: char| c.is_alphabetic());
        let suffix = &word[digits.len()..];
        let value: usize = digits.parse().ok()?;
        let is_ordinal = ["st", "nd", "rd", "th", "er", "ere", "e", "eme"].contains(&suffix);
        let most = if is_ordinal { 7 } else { 9 };
        (is_ordinal || suffix.is_empty()).then_some(value).filter(|value| (1..=most).contains(value))
    });
    if let Some(value) = suffixed.filter(|_| ends(1)) {
        return Some(value);
    }
    let (value, len) = cardinal(at)?;
    (ends(len) && (1..=9).contains(&value)).then_some(value as usize)
}
