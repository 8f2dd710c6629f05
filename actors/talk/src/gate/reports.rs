//! Recognises reports and promises of changes by the grammar of the sentence, in English and French. The words of the
//! rules are in `verbs`.
//!
//! There are three kinds of reports. In the first, the speaker has acted: `I have just made …`, `je vous ai inscrite`,
//! `je réserve …`. In the second, something is in a state that the speaker has caused: `your request has been passed
//! on`, `c'est réglé`. In the third, the speaker expects the caller at a time: `see you Tuesday`, `à mardi`.

use super::claims::{ANY, BOOKED, Claim, MESSAGE, NOTED};
use super::verbs::{
    BETWEEN, CLITICS, CONDITIONS, ENGLISH, ENGLISH_SAFE, ENGLISH_STATES, FRENCH, FRENCH_DAYS, FRENCH_SAFE,
    FRENCH_STATES, IRREGULAR, MODALS, OBJECTS, PARTICIPLES, PLURALS, PROMISES, PRONOUNS,
};
use crate::reader;
use crate::state::EffectKind;

pub(super) type Kinds = &'static [EffectKind];

/// Facts about a sentence that help to recognise a report: which words name a service or a staff member, and whether
/// the sentence has a date or a time.
pub(super) struct Around<'a> {
    pub(super) is_service: &'a dyn Fn(&str) -> bool,
    pub(super) is_staff: &'a dyn Fn(&str) -> bool,
    /// Whether the sentence has a date or a time.
    pub(super) has_time: bool,
}

/// The maximum number of words between an auxiliary verb and its participle.
const BETWEEN_MAX: usize = 4;
/// The maximum distance from a subject to its verb, in words.
const SUBJECT_MAX: usize = 8;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    Present,
    Infinitive,
    Future,
    Participle,
}

struct Word {
    /// The word in lower case, without accents.
    plain: String,
    /// The word in lower case.
    written: String,
    clause: usize,
}

struct Words {
    all: Vec<Word>,
    is_french: bool,
}

/// The claims of a sentence. Line breaks divide the sentence into pieces.
pub(super) fn reports(sentence: &str, around: &Around<'_>) -> Vec<Claim> {
    let words = Words::of(sentence);
    let is_question = sentence.trim_end().ends_with('?');
    let mut found = Vec::new();
    let mut add = |kinds: Option<Kinds>, is_state| found.extend(kinds.map(|of| Claim { of, is_state }));
    for at in 0..words.all.len() {
        add(words.acted(at), false);
        add(words.french_acted(at), false);
        let state = words.is_in_state(at, around);
        add(state, state == Some(BOOKED));
        if !is_question {
            add(words.expects(at, around), false);
            add(words.promised(at), false);
            add(words.french_promised(at), false);
        }
    }
    found
}

fn english(word: &str) -> Option<Kinds> {
    ENGLISH.iter().find(|(_, words)| words.contains(&word)).map(|(kinds, _)| *kinds)
}

fn is_english_participle(word: &str) -> bool {
    let is_regular = word.ends_with("ed") && !word.ends_with("eed") && word.len() > 4 && word != "hundred";
    is_regular || english(word).is_some() || ["done", "taken", "given", "got"].contains(&word)
}

/// The word without the endings of a French participle.
fn stem(word: &str) -> &str {
    let word = word.strip_suffix('s').filter(|stem| stem.ends_with('e')).unwrap_or(word);
    let word = word.strip_suffix("ee").unwrap_or(word);
    word.strip_suffix('e').unwrap_or(word)
}

fn french(word: &str, form: Form) -> Option<Kinds> {
    let endings: &[&str] = match form {
        Form::Present => &["e", "ons", "eons"],
        Form::Infinitive => &["er"],
        Form::Future => &["erai", "erons", "era"],
        Form::Participle => &["e", "ee", "es", "ees"],
    };
    let regular = FRENCH
        .iter()
        .find(|(stem, _)| word.strip_prefix(stem).is_some_and(|ending| endings.contains(&ending)));
    let irregular = || {
        IRREGULAR.iter().find(|(_, [present, infinitive, future, participle])| match form {
            Form::Present => present.contains(&word),
            Form::Infinitive => infinitive.contains(&word),
            Form::Future => future.contains(&word),
            Form::Participle => is_form_of(word, participle),
        })
    };
    regular.map(|(_, kinds)| *kinds).or_else(|| irregular().map(|(kinds, _)| *kinds))
}

/// Whether the word is one of these French participles, with any ending.
fn is_form_of(word: &str, participles: &[&str]) -> bool {
    ["", "e", "s", "es"]
        .iter()
        .any(|ending| word.strip_suffix(ending).is_some_and(|participle| participles.contains(&participle)))
}

impl Words {
    fn of(sentence: &str) -> Self {
        let (mut words, mut clause, mut is_open): (Vec<Word>, usize, bool) = (Vec::new(), 0, false);
        for c in sentence.chars() {
            if !c.is_alphanumeric() {
                clause += usize::from(",;:–—()".contains(c));
                is_open = false;
                continue;
            }
            if !is_open {
                words.push(Word { plain: String::new(), written: String::new(), clause });
            }
            is_open = true;
            if let Some(word) = words.last_mut() {
                word.written.extend(c.to_lowercase());
            }
        }
        for word in &mut words {
            word.plain = domain::unaccented(&word.written);
        }
        Self { all: words, is_french: reader::language(sentence) == Some(domain::Locale::Fr) }
    }

    /// The word at a position, or an empty word.
    fn at(&self, at: usize) -> &str {
        self.all.get(at).map_or("", |word| &word.plain)
    }

    fn before(&self, at: usize, back: usize) -> &str {
        at.checked_sub(back).map_or("", |at| self.at(at))
    }

    fn is(&self, at: usize, words: &[&str]) -> bool {
        words.contains(&self.at(at))
    }

    /// Skips at most [`BETWEEN_MAX`] of the given words, for example the words between an auxiliary verb and its
    /// participle.
    fn skip(&self, at: usize, words: &[&str]) -> usize {
        let skipped = (at..self.all.len()).take(BETWEEN_MAX).take_while(|at| self.is(*at, words));
        at + skipped.count()
    }

    /// Whether one of these words precedes the word at a position, in the same clause.
    fn has_before(&self, at: usize, words: &[&str]) -> bool {
        let Some(clause) = self.all.get(at).map(|word| word.clause) else { return false };
        self.all[..at].iter().any(|word| word.clause == clause && words.contains(&word.plain.as_str()))
    }

    /// Reads `I have made`, `I've told Julia`, `I arranged it` and the like.
    fn acted(&self, at: usize) -> Option<Kinds> {
        let is_we = self.is(at, &["we"]);
        if !is_we && !self.is(at, &["i"]) {
            return None;
        }
        let is_perfect = self.is(at + 1, &["have", "ve"]);
        let verb = self.skip(if is_perfect { at + 2 } else { at + 1 }, &BETWEEN);
        let (word, next) = (self.at(verb), self.at(verb + 1));
        if word == "got" {
            return (next == "you").then_some(BOOKED);
        }
        // `We have trained stylists` describes the business and reports no change.
        let is_about_caller =
            ["it", "that", "this", "you", "your", "everything", "her", "him", "them"].contains(&next);
        let is_report = match (is_perfect, is_we) {
            (true, true) => is_english_participle(word) && is_about_caller,
            (true, false) => is_english_participle(word),
            (false, true) => false,
            (false, false) => english(word).is_some(),
        };
        let says = ["told", "let", "informed", "asked", "notified", "given"].contains(&word) && next == "you";
        let regrets = (1..4).any(|more| self.is(verb + more, &["mistake", "error"]));
        (is_report && !says && !regrets && !ENGLISH_SAFE.contains(&word))
            .then(|| english(word).unwrap_or(BOOKED))
    }

    /// Reads `I will arrange`, `I am cancelling` and the like.
    fn promised(&self, at: usize) -> Option<Kinds> {
        let is_promise = self.is(at, &["i", "we"]) && self.is(at + 1, &["will", "ll"])
            || self.is(at, &["i"]) && self.is(at + 1, &["am", "m"]);
        let verb = self.skip(at + 2, &BETWEEN);
        let (word, next) = (self.at(verb), self.at(verb + 1));
        let (kinds, _) = PROMISES.iter().find(|(_, verbs)| is_promise && verbs.contains(&word))?;
        let puts = ["put", "putting", "fit", "fitting"].contains(&word);
        let is_meant = match *kinds {
            BOOKED if puts => next == "you" && self.is(verb + 2, &["in", "down", "on"]),
            MESSAGE => !["you", "me", "us"].contains(&next),
            _ => !(word.starts_with("mov") && next == "on"),
        };
        is_meant.then_some(*kinds)
    }

    /// Reads `your appointment is arranged`, `it has been passed on`, `c'est réglé` and the like.
    fn is_in_state(&self, at: usize, around: &Around<'_>) -> Option<Kinds> {
        if self.is(at, &["taken"]) && self.is(at + 1, &["care"]) && self.is(at + 2, &["of"]) {
            return Some(ANY);
        }
        let is_contraction = self.is(at, &["s", "re"])
            && self.all.get(at.checked_sub(1)?).is_some_and(|word| {
                PRONOUNS.contains(&word.plain.as_str()) || OBJECTS.contains(&word.plain.as_str())
            });
        let is_been = self.is(at, &["been", "ete"])
            && (1..=3).any(|back| {
                ["has", "have", "had", "s", "ve", "a", "ont", "avez"].contains(&self.before(at, back))
            });
        let is_be = is_contraction
            || is_been
            || self.is(at, &["is", "are", "was", "were", "est", "sont", "etait", "etes"]);
        let near =
            |most: usize, words: &[&str]| (1..=most).any(|back| words.contains(&self.before(at, back)));
        let is_denied = near(if is_been { 3 } else { 1 }, &["n", "ne", "not", "never", "pas", "t"]);
        let is_possible = is_been && near(3, &MODALS) || self.has_before(at, &CONDITIONS);
        if !is_be || is_denied || is_possible {
            return None;
        }
        let verb = self.skip(at + 1, &BETWEEN);
        let (word, stem) = (self.at(verb), stem(self.at(verb)));
        if is_contraction && word == "down"
            || self.is(at, &["are"]) && self.before(at, 1) == "you" && word == "down"
        {
            return Some(BOOKED);
        }
        let listed = english(word).or_else(|| french(word, Form::Participle));
        let subject = (1..=SUBJECT_MAX).map(|back| self.before(at, back)).find(|word| {
            OBJECTS.contains(word)
                || (around.is_service)(word)
                || PLURALS.contains(word) && self.has_before(at, &["your", "vos"])
        });
        let is_state = ENGLISH_STATES.contains(&word) || FRENCH_STATES.contains(&stem);
        match subject {
            Some(subject) if !(around.is_service)(subject) => {
                let of_subject =
                    if ["request", "demande", "message"].contains(&subject) { NOTED } else { BOOKED };
                let is_participle = is_english_participle(word) || self.is_french_participle(verb);
                (is_participle && !is_state).then(|| listed.unwrap_or(of_subject))
            }
            Some(_) => listed.filter(|_| !is_state),
            None => {
                let before = self.before(at, if is_been { 2 } else { 1 });
                if listed == Some(MESSAGE) {
                    let is_person = is_been
                        || ["she", "he", "team"].contains(&before)
                        || (around.is_staff)(before)
                        || self.is_french_participle(verb);
                    return listed.filter(|_| is_person && !["you", "vous"].contains(&before));
                }
                listed.filter(|_| PRONOUNS.contains(&before))
            }
        }
    }

    /// Reads `see you Tuesday`, `you are in`, `à mardi`, `on vous attend demain` and the like.
    fn expects(&self, at: usize, around: &Around<'_>) -> Option<Kinds> {
        let has_word = |word: &str| self.all.iter().any(|own| own.plain == word);
        let has_time = around.has_time || has_word("then") || has_word("there");
        let is_seen = self.is(at, &["see", "seeing", "expect", "expecting"])
            && self.is(at + 1, &["you"])
            && !self.is(at + 2, &["to", "have"])
            && !["i", "can", "could"].contains(&self.before(at, 1));
        let is_awaited =
            self.is(at, &["vous"]) && self.is(at + 1, &["attend", "attendons", "attendent", "attendra"]);
        let is_in = self.is(at, &["you"])
            && self.is(at + 1, &["are"])
            && self.is(at + 2, &["in"])
            && self.is(at + 3, &["", "for", "on", "at", "with"]);
        let is_a = self.all.get(at).is_some_and(|word| word.written == "à") || at == 0 && self.is(at, &["a"]);
        let begins = self.before(at, 1);
        let is_until = FRENCH_DAYS.contains(&begins)
            || ["jusqu", "ici", "hui", "matin", "midi", "soir"].contains(&begins)
            || begins.starts_with(|c: char| c.is_ascii_digit())
            || self.has_before(at, &MODALS);
        let is_farewell = is_a && self.is(at + 1, &FRENCH_DAYS) && !is_until;
        ((is_seen || is_awaited) && has_time || is_in || is_farewell).then_some(BOOKED)
    }

    /// If a French subject in the first person is at this position, skips the subject and the object pronouns after it.
    /// Returns the position of the next word.
    fn french_verb(&self, at: usize) -> Option<usize> {
        let is_subject = self.is(at, &["j", "je", "nous"]) || self.is_french && self.is(at, &["on"]);
        is_subject.then(|| self.skip(at + 1, &CLITICS))
    }

    fn is_french_participle(&self, at: usize) -> bool {
        let written = self.all.get(at).map_or("", |word| &word.written);
        ["é", "ée", "és", "ées"].iter().any(|ending| written.ends_with(ending))
            || is_form_of(self.at(at), &PARTICIPLES)
            || french(self.at(at), Form::Participle).is_some()
    }

    /// Reads `j'ai supprimé`, `je vous ai inscrite`, `je viens de réserver` and the like.
    fn french_acted(&self, at: usize) -> Option<Kinds> {
        let verb = self.french_verb(at)?;
        if self.is(verb, &["viens", "venons"])
            || self.is(verb, &["ai", "avons"]) && self.is(verb + 1, &["pu"])
        {
            let infinitive = self.skip(self.skip(verb + 1, &["de", "d", "pu"]), &CLITICS);
            return french(self.at(infinitive), Form::Infinitive);
        }
        if !self.is(verb, &["ai", "avons", "a"]) {
            return None;
        }
        let participle = self.skip(verb + 1, &BETWEEN);
        let word = self.at(participle);
        let is_report = self.is_french_participle(participle) && !FRENCH_SAFE.contains(&stem(word));
        is_report.then(|| french(word, Form::Participle).unwrap_or(BOOKED))
    }

    /// Reads `je réserve`, `je vais annuler`, `nous déplacerons` and the like.
    fn french_promised(&self, at: usize) -> Option<Kinds> {
        let verb = self.french_verb(at)?;
        let word = self.at(verb);
        if self.is(verb, &["vais", "allons", "va"]) {
            return french(self.at(self.skip(verb + 1, &CLITICS)), Form::Infinitive);
        }
        let is_plural = word.ends_with("ons");
        let is_person = is_plural == self.is(at, &["nous"]);
        let is_said = self.is(verb + 1, &["que", "qu"]);
        french(word, Form::Present).or_else(|| french(word, Form::Future)).filter(|_| is_person && !is_said)
    }
}
