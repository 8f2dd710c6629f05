//! Search by name, phone number and email address.
//!
//! The *search text* of a record contains everything that a search can find. The character [`WORD`] precedes
//! each word of the name and each part of the email address. [`NUMBER`] precedes the digits of the phone
//! number. The digits of phone numbers are shifted to control characters, so that they differ from digits in
//! names. The text of a contact ends with [`NAME`] and the whole name ([`fold_name`]).
//!
//! Invariants:
//!
//! - A name or an address contributes no control character to a search text.
//! - If a search matches a text, [`Search::may_match`] is true for every byte string that contains this text.

use memchr::memmem::Finder;
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

use super::fold_name;
use super::words::words;

const WORD: char = '\u{1}';
const NUMBER: char = '\u{2}';
const NAME: char = '\u{3}';
/// The difference between a digit and its form in a search text, which is one of U+0010 to U+0019.
const SHIFT: u8 = b'0' - 0x10;
/// The characters after which a part of an email address begins.
const SEPARATORS: [char; 5] = ['@', '.', '-', '_', '+'];
const DIGITS_MIN: usize = 3;

/// Removes differences of case, accents and compatibility forms. Every kind of apostrophe becomes `'`.
fn fold(text: &str) -> String {
    let plain = text.chars().map(|c| if is_apostrophe(c) { '\'' } else { c }).nfkd();
    let mut folded = String::with_capacity(text.len());
    for c in plain.filter(|c| !is_combining_mark(*c)) {
        // The character is converted to lower case, then to upper case, and then to lower case again. This turns `ß`
        // into `ss`, and a final sigma into the usual sigma.
        let upper = c.to_lowercase().flat_map(char::to_uppercase);
        for c in upper.flat_map(char::to_lowercase) {
            match c {
                // Unicode does not decompose these letters.
                'œ' => folded.push_str("oe"),
                'æ' => folded.push_str("ae"),
                'ø' => folded.push('o'),
                'ł' => folded.push('l'),
                'đ' => folded.push('d'),
                c if is_combining_mark(c) => {}
                c if is_apostrophe(c) => folded.push('\''),
                c => folded.push(c),
            }
        }
    }
    folded
}

/// Returns the key by which a name is sorted. Case, accents and apostrophes do not matter.
pub fn sort_key(name: &str) -> String {
    words(&fold(name)).map(without_apostrophes).collect::<Vec<_>>().join(" ")
}

fn is_apostrophe(c: char) -> bool {
    matches!(
        c,
        '\'' | '`'
            | '\u{b4}'
            | '\u{2b9}'
            | '\u{2bb}'..='\u{2bd}'
            | '\u{2018}'..='\u{201b}'
            | '\u{2032}'
            | '\u{ff07}'
    )
}

/// Splits a folded name into words. Apostrophes inside a word stay.
fn words(folded: &str) -> impl Iterator<Item = &str> {
    let words = folded.split(|c: char| !c.is_alphanumeric() && c != '\'');
    words.filter(|word| word.contains(char::is_alphanumeric))
}

fn without_apostrophes(word: &str) -> String {
    word.replace('\'', "")
}

/// Marks the beginning of an email address and of each of its parts.
fn marked(address: &str) -> String {
    let mut text = String::from(WORD);
    for c in address.chars() {
        text.push(c);
        if SEPARATORS.contains(&c) {
            text.push(WORD);
        }
    }
    text
}

fn shifted(digits: &str) -> String {
    digits.bytes().filter(u8::is_ascii_digit).map(|digit| char::from(digit - SHIFT)).collect()
}

/// Returns the search text of a record. The phone number must be in E.164 form.
pub fn search_text(name: Option<&str>, phone: Option<&str>, email: Option<&str>) -> String {
    let mut text = String::new();
    for word in name.map(fold).iter().flat_map(|name| words(name)) {
        // A search for `oneill` or for `neill` must find `O'Neill`.
        let starts = word.match_indices('\'').map(|(at, _)| &word[at + 1..]);
        let parts = [word].into_iter().chain(starts).map(without_apostrophes);
        for part in parts.filter(|part| !part.is_empty()) {
            text.push(WORD);
            text.push_str(&part);
        }
    }
    if let Some(email) = email {
        text.push_str(&marked(&without_apostrophes(&fold(email))));
    }
    if let Some(phone) = phone {
        text.push(NUMBER);
        text.push_str(&shifted(phone));
    }
    text
}

/// Appends the whole name to the search text of a contact.
pub(crate) fn push_name(text: &mut String, name: &str) {
    text.push(NAME);
    text.push_str(&fold_name(name));
}

/// Returns the whole name in the search text of a contact, in the form of [`fold_name`].
pub fn name_in(text: &str) -> Option<&str> {
    text.split_once(NAME).map(|(_, name)| name)
}

words! {
    FoundKind {
        Contact = "contact",
        Appointment = "appointment",
        Call = "call",
        Message = "message",
    }
}

/// A country code, and the prefix that is dialled before national numbers: `33` and `0` for France.
pub type TrunkPrefix = (String, String);

/// A prepared search, for matching many texts. Each word of the search must match one of these: the beginning of a word
/// of the name; the beginning of the email address or of one of its parts; at least three consecutive digits of the
/// phone number. Consecutive words of digits can also match as one number.
#[derive(Clone)]
pub struct Search(Vec<Term>);

/// The output does not contain the words, because they are personal data.
impl std::fmt::Debug for Search {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Search")
    }
}

#[derive(Clone)]
enum Term {
    Any(Vec<Term>),
    All(Vec<Term>),
    Contains(Finder<'static>),
    /// Matches a contact if the contact's name contains the searched text.
    InName(Finder<'static>),
    /// Matches a phone number that begins with one of the country codes in `heads`, followed by the digits in `rest`.
    /// `rest` does not contain the trunk prefix, such as the 0 before a national number.
    Number {
        heads: Vec<String>,
        rest: String,
        finder: Finder<'static>,
    },
}

impl Search {
    /// Prepares a search. Words without a letter or a digit are ignored. A search without words matches nothing.
    pub fn new(text: &str, trunks: &[TrunkPrefix]) -> Self {
        let folded = fold(text);
        let (mut terms, mut numbers) = (Vec::new(), Vec::new());
        for word in folded.split_whitespace().filter(|word| word.contains(char::is_alphanumeric)) {
            if is_number(word) {
                numbers.push(word);
                continue;
            }
            terms.extend(of_numbers(&std::mem::take(&mut numbers), trunks));
            terms.push(of_word(word, trunks));
        }
        terms.extend(of_numbers(&numbers, trunks));
        Self(terms)
    }

    /// Prepares a search for the contacts whose name contains `part` at any position. Case does not matter, but accents
    /// do.
    pub fn in_name(part: &str) -> Self {
        Self(vec![Term::InName(Finder::new(&fold_name(part)).into_owned())])
    }

    pub fn matches(&self, text: &str) -> bool {
        !self.0.is_empty() && self.0.iter().all(|term| term.holds(text.as_bytes(), true))
    }

    /// Returns false only if none of the search texts in these bytes can match.
    pub fn may_match(&self, texts: &[u8]) -> bool {
        !self.0.is_empty() && self.0.iter().all(|term| term.holds(texts, false))
    }
}

impl Term {
    fn containing(text: &str) -> Self {
        Self::Contains(Finder::new(text).into_owned())
    }

    fn holds(&self, text: &[u8], exactly: bool) -> bool {
        match self {
            Self::Any(terms) => terms.iter().any(|term| term.holds(text, exactly)),
            Self::All(terms) => terms.iter().all(|term| term.holds(text, exactly)),
            Self::Contains(finder) => finder.find(text).is_some(),
            Self::InName(finder) if exactly => {
                let mut parts = text.splitn(2, |byte| *byte == NAME as u8);
                parts.nth(1).is_some_and(|name| finder.find(name).is_some())
            }
            Self::InName(finder) => finder.find(text).is_some(),
            Self::Number { heads, rest, finder } => {
                let begins = |number: &[u8]| {
                    let after = |head: &String| number.strip_prefix(head.as_bytes());
                    heads.iter().filter_map(after).any(|number| number.starts_with(rest.as_bytes()))
                };
                finder.find(text).is_some()
                    && (!exactly || text.split(|byte| *byte == NUMBER as u8).skip(1).any(begins))
            }
        }
    }
}

/// True for a word that looks like a part of a phone number.
fn is_number(word: &str) -> bool {
    word.contains(|c: char| c.is_ascii_digit())
        && word.chars().all(|c| c.is_ascii_digit() || "+-./()".contains(c))
}

fn of_word(word: &str, trunks: &[TrunkPrefix]) -> Term {
    let mut terms = Vec::new();
    let plain = without_apostrophes(word);
    // Users may type a part of an address with its separator, for example `@example.com`.
    let address = marked(plain.trim_start_matches(SEPARATORS));
    if !word.contains('@') {
        let parts = words(word).map(|part| format!("{WORD}{}", without_apostrophes(part)));
        let parts: Vec<_> = parts.filter(|part| *part != address).collect();
        if !parts.is_empty() {
            terms.push(Term::All(parts.iter().map(|part| Term::containing(part)).collect()));
        }
    }
    terms.push(Term::containing(&address));
    if is_number(word) {
        terms.extend(of_digits(word, trunks));
    }
    Term::Any(terms)
}

/// Returns the term for consecutive words of digits. The term matches if each word matches, or if all words together
/// match as one number.
fn of_numbers(numbers: &[&str], trunks: &[TrunkPrefix]) -> Option<Term> {
    let each = || numbers.iter().map(|number| of_word(number, trunks));
    match numbers {
        [] => None,
        [number] => Some(of_word(number, trunks)),
        _ => {
            let mut terms = vec![Term::All(each().collect())];
            terms.extend(of_digits(&numbers.concat(), trunks));
            Some(Term::Any(terms))
        }
    }
}

/// Returns the ways in which a stored phone number can match the digits of `number`. The stored number can contain the
/// digits at any position. If the digits begin with `00` (the prefix for international numbers), the stored number can
/// begin with the digits after `00`. If the digits begin with the prefix for national numbers, the stored number can
/// begin with a country code and the digits after the prefix.
fn of_digits(number: &str, trunks: &[TrunkPrefix]) -> Vec<Term> {
    let digits: String = number.replacen("(0)", "", 1).chars().filter(char::is_ascii_digit).collect();
    if digits.len() < DIGITS_MIN {
        return Vec::new();
    }
    let mut terms = vec![Term::containing(&shifted(&digits))];
    let mut prefixes: Vec<(&str, Vec<String>)> = vec![("00", vec![String::new()])];
    for (code, prefix) in trunks {
        let code = shifted(code);
        match prefixes.iter_mut().find(|(known, _)| known == prefix) {
            Some((_, codes)) => codes.push(code),
            None => prefixes.push((prefix, vec![code])),
        }
    }
    for (prefix, heads) in prefixes {
        if let Some(rest) = digits.strip_prefix(prefix).filter(|rest| !rest.is_empty()) {
            let rest = shifted(rest);
            terms.push(Term::Number { heads, finder: Finder::new(&rest).into_owned(), rest });
        }
    }
    terms
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn search(text: &str) -> Search {
        let trunks = [("33", "0"), ("44", "0"), ("7", "8"), ("36", "06")];
        Search::new(text, &trunks.map(|(code, prefix)| (code.into(), prefix.into())))
    }

    fn check(cases: &[(&str, &[&str], &[&str])], text: impl Fn(&str) -> String) {
        for (of, found_by, not_by) in cases {
            for (query, expected) in
                found_by.iter().map(|it| (it, true)).chain(not_by.iter().map(|it| (it, false)))
            {
                let (search, text) = (search(query), text(of));
                assert_eq!(search.matches(&text), expected, "{of}: {query}");
                assert!(search.may_match(text.as_bytes()) || !expected, "{of}: {query}");
            }
        }
    }

    #[test]
    fn names_are_found_by_prefixes_of_their_words() {
        let cases: &[(&str, &[&str], &[&str])] = &[
            ("Zoé Lefèvre", &["lefevre", "LEFÈVRE", "zoe", "lef z", " Zo  le ", "zoé, lefèvre"], &["efevre"]),
            ("Zoe\u{301} Lefe\u{300}vre", &["zoé lefèvre", "zoe"], &["zoel", "zoe martin"]),
            ("Conan O’Neill", &["o'neill", "O’NEILL", "oneill", "neill", "o`n"], &["eill"]),
            ("Jeanne d'Arc", &["d'arc", "darc", "arc", "d arc", "jeanne d’a"], &["rc"]),
            ("Jean-Pierre Dupont", &["jean-pierre", "jean pierre", "pierre", "jean-p dup"], &["jeanp"]),
            ("Jean Pierre", &["jean-pierre"], &[]),
            ("Ada & Bob", &["ada & bob", "ada – bob"], &["&", "", "  "]),
            ("Straße", &["strasse", "STRASSE", "straß", "STRAẞE"], &[]),
            ("Cœur Łukasz", &["coeur", "cœ", "lukasz"], &[]),
            ("ΟΔΥΣΣΕΥΣ", &["οδυσσεύς", "Οδυσσευσ"], &[]),
            ("İstanbul Işık", &["istanbul", "isik"], &[]),
            ("ﬁnn Ｆｕｌｌ", &["finn", "full", "ＦＩＮＮ"], &[]),
            ("李 小龍", &["小", "李 小龍"], &["龍"]),
            ("Room 1234", &["room 12", "1234", "12"], &["234"]),
        ];
        check(cases, |name| search_text(Some(name), None, None));
    }

    #[test]
    fn names_are_found_by_any_part_in_any_case() {
        let cases: &[(&str, &[&str], &[&str])] = &[
            ("Zoé Lefèvre", &["é lef", "ZOÉ", "fèv", "", " "], &["zoe", "zoé  l", "example", "+33"]),
            ("Conan O’Neill", &["o’n", "ill"], &["o'n"]),
            ("Ada & Bob 🙂", &["&", "🙂", "a & b"], &["ab"]),
            ("ΟΔΥΣΣΕΥΣ", &["δυς", "ευσ"], &[]),
        ];
        for (name, found_by, not_by) in cases {
            let mut text = search_text(Some(name), Some("+33612345678"), Some("x@example.com"));
            push_name(&mut text, name);
            assert_eq!(name_in(&text), Some(&*fold_name(name)));
            for (part, expected) in
                found_by.iter().map(|it| (it, true)).chain(not_by.iter().map(|it| (it, false)))
            {
                assert_eq!(Search::in_name(part).matches(&text), expected, "{name}: {part}");
                assert!(Search::in_name(part).may_match(text.as_bytes()) || !expected, "{name}: {part}");
            }
        }
        let nameless = search_text(None, Some("+33612345678"), None);
        assert!(name_in(&nameless).is_none() && !Search::in_name("").matches(&nameless));
    }

    #[test]
    fn addresses_are_found_by_prefixes_of_their_parts() {
        let cases: &[(&str, &[&str], &[&str])] = &[
            (
                "ada.lovelace+x@mail-er.example.com",
                &["ada", "lovelace", "ada.love", "x@mail", "mail", "er.example", "com", "@mail-er", "ADA"],
                &["da", "xample", "ada@", "ada@mail-er.example.com", "ada love@x"],
            ),
            ("o'neill@example.com", &["oneill", "o’neill@example.com"], &[]),
            ("a_b@c.d", &["b@c", "a_", "a b c d"], &["ab"]),
        ];
        check(cases, |email| search_text(None, None, Some(email)));
        let ada = search_text(Some("Ada Example"), None, Some("x@example.com"));
        assert!(!search("ada@example.com").matches(&ada));
        assert!(search("ada x@e").matches(&ada));
    }

    #[test]
    fn phone_numbers_are_found_by_three_of_their_digits() {
        let cases: &[(&str, &[&str], &[&str])] = &[
            (
                "+33612345678",
                &[
                    "612",
                    "5678",
                    "345",
                    "0612345678",
                    "06 12 34 56 78",
                    "061",
                    "06.12-34",
                    "+33612",
                    "+33 6 12",
                    "0033612",
                    "+33 (0)6 12 34",
                    "33612345678",
                    "345 678",
                    "678 336",
                    "(06) 12",
                ],
                &["06", "12 78", "0612345679", "0712", "00612", "61234567890", "345 999", "836"],
            ),
            ("+447946001800", &["07946 001800", "0044", "+44 79"], &["0446"]),
            ("+78121234567", &["8812", "8 (812) 123"], &["0812"]),
            ("+3611234567", &["06112", "061 1234"], &["0112"]),
            ("+390612345678", &["06 1234", "+39 06"], &["00612"]),
        ];
        check(cases, |phone| search_text(None, Some(phone), None));
        // The digits in a name must not match a search for a phone number.
        assert!(!search("234").matches(&search_text(Some("1234"), Some("+15551110000"), None)));
    }

    #[test]
    fn each_word_may_match_another_field() {
        let text = search_text(Some("Zoé Martin"), Some("+33612345678"), Some("zm@example.com"));
        for query in ["zoe 061", "06 12 zoe", "martin example", "zm@ex 678 mar"] {
            assert!(search(query).matches(&text), "{query}");
        }
        for query in ["zoe 999", "zoe martin lefevre", "6 zoe"] {
            assert!(!search(query).matches(&text), "{query}");
        }
    }

    #[test]
    fn a_search_does_not_show_its_words() {
        assert_eq!(format!("{:?}", search("secret")), "Search");
    }

    proptest! {
        #[test]
        fn every_name_is_found_by_prefixes_of_its_words(name in "\\PC{0,20}", others in "\\PC{0,20}") {
            let text = search_text(Some(&name), Some("+15551110000"), None);
            let many = [search_text(Some(&others), None, None), text.clone()].concat();
            for word in name.split_whitespace() {
                for (end, c) in word.char_indices() {
                    let query = search(&word[..end + c.len_utf8()]);
                    let is_word = !query.0.is_empty() && !fold(word).contains('@');
                    prop_assert!(!is_word || query.matches(&text), "{word:?} does not find {name:?}");
                    prop_assert!(!query.matches(&text) || query.may_match(many.as_bytes()));
                }
            }
            let marks = text.chars().filter(|c| c.is_control() && *c > NUMBER).count();
            prop_assert_eq!(marks, 11, "only the phone number has digits");
        }
    }
}
