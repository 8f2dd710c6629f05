//! Passages of the knowledge entries and their search.
//!
//! An entry is cut into passages at its paragraphs. The words of a passage are stemmed in the language of the entry,
//! and BM25 ranks the passages for a question.

use std::collections::{BTreeMap, BTreeSet};

use domain::{KnowledgeId, Locale};
use rust_stemmers::{Algorithm, Stemmer};

use crate::facts::Passage;
use crate::reader::plain;

pub const PASSAGES_MAX: usize = 3;
/// The maximum number of characters of an answer on the guided path.
pub const ANSWER_CHARS_MAX: usize = 300;
/// If a passage has at least this number of words, it ends at the next end of a paragraph.
const WORDS_MIN: usize = 60;
const WORDS_MAX: usize = 200;
/// A content word is rare if the share of passages that contain it is less than one divided by this number. Content
/// words are all words except [`STOP_WORDS`].
const RARE: usize = 20;
const K1: f64 = 1.2;
const B: f64 = 0.75;

pub(crate) const STOP_WORDS: [&str; 117] = [
    "a", "about", "all", "am", "an", "and", "any", "are", "as", "at", "be", "by", "can", "could", "did",
    "do", "does", "for", "from", "get", "had", "has", "have", "how", "i", "id", "if", "im", "in", "is", "it",
    "its", "like", "me", "much", "many", "my", "of", "on", "or", "our", "please", "so", "some", "tell",
    "that", "the", "there", "they", "this", "to", "us", "want", "was", "we", "what", "when", "where",
    "which", "who", "will", "with", "would", "you", "your", "au", "aux", "avec", "avez", "ce", "ces", "cest",
    "comment", "dans", "de", "des", "du", "elle", "en", "est", "estce", "et", "ete", "il", "ils", "je",
    "jai", "la", "le", "les", "leur", "lui", "ma", "mes", "moi", "mon", "ne", "nous", "ou", "par", "pas",
    "peut", "plus", "pour", "que", "quel", "quelle", "quelles", "quels", "qui", "sa", "ses", "sont", "sur",
    "un", "une", "vous",
];

#[derive(Clone, Debug)]
pub struct Entry {
    pub id: KnowledgeId,
    pub title: String,
    pub text: String,
    pub source_url: Option<String>,
    /// The entry's language, or the business's language if the entry has none.
    pub locale: Locale,
}

/// An index of the passages of a business.
#[derive(Clone, Debug, Default)]
pub struct Index {
    passages: Vec<Indexed>,
    /// For each stem, the number of passages that contain it.
    spread: BTreeMap<String, usize>,
    mean_words: f64,
}

#[derive(Clone, Debug)]
struct Indexed {
    passage: Passage,
    locale: Locale,
    stems: BTreeMap<String, usize>,
    words: usize,
}

impl Index {
    pub fn new(entries: &[Entry]) -> Self {
        let mut index = Self::default();
        for entry in entries {
            for text in cut(&entry.text) {
                let mut stems = BTreeMap::new();
                let content = content(&format!("{} {text}", entry.title), entry.locale);
                let words = content.len();
                for stem in content {
                    *stems.entry(stem).or_insert(0) += 1;
                }
                for stem in stems.keys() {
                    *index.spread.entry(stem.clone()).or_insert(0) += 1;
                }
                let passage =
                    Passage { title: entry.title.clone(), text, source_url: entry.source_url.clone() };
                index.passages.push(Indexed { passage, locale: entry.locale, stems, words });
            }
        }
        let total: usize = index.passages.iter().map(|indexed| indexed.words).sum();
        index.mean_words = total as f64 / index.passages.len().max(1) as f64;
        index
    }

    /// The best passages for a question, at most [`PASSAGES_MAX`]. Each passage contains at least two content words of
    /// the question, or one rare content word.
    pub fn search(&self, query: &str) -> Vec<Passage> {
        let stems = |locale| content(query, locale).into_iter().collect::<BTreeSet<_>>();
        let (english, french) = (stems(Locale::En), stems(Locale::Fr));
        let scored = self.passages.iter().filter_map(|indexed| {
            let query = if indexed.locale == Locale::En { &english } else { &french };
            let hits: Vec<&String> = query.iter().filter(|stem| indexed.stems.contains_key(*stem)).collect();
            let is_found = hits.len() >= 2 || hits.iter().any(|stem| self.is_rare(stem));
            is_found.then(|| (hits.iter().map(|stem| self.score(stem, indexed)).sum::<f64>(), indexed))
        });
        let mut scored: Vec<(f64, &Indexed)> = scored.collect();
        scored.sort_by(|(one, _), (two, _)| two.total_cmp(one));
        scored.into_iter().take(PASSAGES_MAX).map(|(_, indexed)| indexed.passage.clone()).collect()
    }

    /// Whether only one passage, or fewer than 5 % of the passages, contain the stem.
    fn is_rare(&self, stem: &str) -> bool {
        let spread = self.spread.get(stem).copied().unwrap_or(0);
        spread == 1 || spread * RARE < self.passages.len()
    }

    fn score(&self, stem: &str, indexed: &Indexed) -> f64 {
        let spread = self.spread.get(stem).copied().unwrap_or(0) as f64;
        let count = indexed.stems.get(stem).copied().unwrap_or(0) as f64;
        let weight = (1.0 + (self.passages.len() as f64 - spread + 0.5) / (spread + 0.5)).ln();
        let length = indexed.words as f64 / self.mean_words.max(1.0);
        weight * count * (K1 + 1.0) / (count + K1 * (1.0 - B + B * length))
    }
}

/// The stems of the content words of a text.
fn content(text: &str, locale: Locale) -> Vec<String> {
    let stemmer = Stemmer::create(match locale {
        Locale::En => Algorithm::English,
        Locale::Fr => Algorithm::French,
    });
    let words = plain(text);
    let words = words.iter().filter(|word| !STOP_WORDS.contains(&word.as_str()) && word.chars().count() > 1);
    words.map(|word| stemmer.stem(word).into_owned()).collect()
}

/// Cuts a text into passages of 60 to 200 words at its paragraphs. A longer paragraph is cut between its sentences.
fn cut(text: &str) -> Vec<String> {
    let count = |text: &str| text.split_whitespace().count();
    let mut pieces: Vec<String> = Vec::new();
    for paragraph in text.split("\n\n").map(str::trim).filter(|paragraph| !paragraph.is_empty()) {
        if count(paragraph) <= WORDS_MAX {
            pieces.push(paragraph.to_owned());
            continue;
        }
        let mut piece = String::new();
        for sentence in sentences(paragraph) {
            if !piece.is_empty() && count(&piece) + count(&sentence) > WORDS_MAX {
                pieces.push(std::mem::take(&mut piece));
            }
            if !piece.is_empty() {
                piece.push(' ');
            }
            piece.push_str(&sentence);
        }
        pieces.push(piece);
    }
    let mut passages: Vec<String> = Vec::new();
    for piece in pieces {
        match passages.last_mut() {
            Some(last) if count(last) < WORDS_MIN && count(last) + count(&piece) <= WORDS_MAX => {
                last.push_str("\n\n");
                last.push_str(&piece);
            }
            _ => passages.push(piece),
        }
    }
    // If the last passage is short, it is joined to the passage before it.
    if let [.., before, last] = &mut passages[..]
        && count(last) < WORDS_MIN
        && count(before) + count(last) <= WORDS_MAX
    {
        before.push_str("\n\n");
        before.push_str(last);
        passages.pop();
    }
    passages
}

/// The sentences of a text. A sentence ends at the end of a line, and at a `.`, `!`, `?` or `…` that is followed by
/// white space.
pub(crate) fn sentences(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for line in text.lines() {
        let mut sentence = String::new();
        let mut chars = line.chars().peekable();
        while let Some(c) = chars.next() {
            sentence.push(c);
            let is_end = ".!?…".contains(c) && chars.peek().is_none_or(|next| next.is_whitespace());
            if is_end || chars.peek().is_none() {
                let whole = std::mem::take(&mut sentence);
                if !whole.trim().is_empty() {
                    found.push(whole.trim().to_owned());
                }
            }
        }
    }
    found
}

/// Returns the sentences of a passage that answer a question, with at most [`ANSWER_CHARS_MAX`] characters. The answer
/// begins with the sentence that shares the most words with the question. Returns `None` if every sentence is too long.
pub(crate) fn answer(passage: &str, query: &str) -> Option<String> {
    let all = sentences(passage);
    let score = |sentence: &str| {
        let common = |locale| {
            let query: BTreeSet<_> = content(query, locale).into_iter().collect();
            content(sentence, locale).into_iter().collect::<BTreeSet<_>>().intersection(&query).count()
        };
        common(Locale::En).max(common(Locale::Fr))
    };
    let fits = |sentence: &String| sentence.chars().count() <= ANSWER_CHARS_MAX;
    let best = all.iter().enumerate().filter(|(_, sentence)| fits(sentence));
    let (start, _) = best.max_by_key(|(at, sentence)| (score(sentence), usize::MAX - at))?;
    let mut answer = String::new();
    for sentence in &all[start..] {
        if answer.chars().count() + 1 + sentence.chars().count() > ANSWER_CHARS_MAX && !answer.is_empty() {
            break;
        }
        if !answer.is_empty() {
            answer.push(' ');
        }
        answer.push_str(sentence);
    }
    Some(answer)
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    fn entry(title: &str, text: &str, locale: Locale) -> Entry {
        let id = KnowledgeId::from(Uuid::from_u128(1));
        Entry { id, title: title.into(), text: text.into(), source_url: None, locale }
    }

    fn titles(index: &Index, query: &str) -> Vec<String> {
        index.search(query).into_iter().map(|passage| passage.title).collect()
    }

    fn index() -> Index {
        Index::new(&[
            entry("Parking", "You can park behind the house. The gate closes at eight.", Locale::En),
            entry("Payment", "We accept cards and cash. We do not accept cheques.", Locale::En),
            entry("Animaux", "Les chiens sont acceptés. Les chats restent à la maison.", Locale::Fr),
            entry("Gift cards", "Gift cards are valid for a year. Cards can be bought here.", Locale::En),
        ])
    }

    #[test]
    fn words_are_found_by_their_stems_in_the_language_of_the_entry() {
        assert_eq!(titles(&index(), "Where can I park?"), ["Parking"]);
        assert_eq!(titles(&index(), "Acceptez-vous un chien ?"), ["Animaux"]);
        assert_eq!(titles(&index(), "Do you accept cards?")[0], "Payment");
    }

    #[test]
    fn a_passage_has_two_words_of_the_question_or_a_rare_one() {
        // Two of the four passages contain "card", so it is not rare.
        assert_eq!(titles(&index(), "cards?"), Vec::<String>::new());
        assert_eq!(titles(&index(), "gift"), ["Gift cards"]);
        assert_eq!(titles(&index(), "What is the meaning of life?"), Vec::<String>::new());
        assert_eq!(titles(&index(), "do you have it"), Vec::<String>::new());
    }

    #[test]
    fn passages_are_cut_at_paragraphs() {
        let paragraph = |words: usize, word: &str| vec![word; words].join(" ");
        let text =
            [paragraph(40, "a"), paragraph(40, "b"), paragraph(100, "c"), paragraph(10, "d")].join("\n\n");
        let lengths = |text: &str| -> Vec<usize> {
            cut(text).iter().map(|passage| passage.split_whitespace().count()).collect()
        };
        assert_eq!(lengths(&text), [80, 110]);
        let sentence = format!("{}.", paragraph(50, "e"));
        assert_eq!(lengths(&vec![sentence; 9].join(" ")), [200, 200, 50]);
        assert_eq!(lengths(""), Vec::<usize>::new());
    }

    #[test]
    fn an_answer_is_whole_sentences_from_the_best_one_on() {
        let passage = "We are near the station. The gate of the park closes at eight. Please ring. "
            .to_owned()
            + &"x".repeat(300);
        let said = answer(&passage, "When does the gate close?");
        assert_eq!(said.as_deref(), Some("The gate of the park closes at eight. Please ring."));
        assert_eq!(answer(&"x".repeat(301), "x"), None);
    }
}
