//! Proposals for a word that is not known.

use std::borrow::Borrow;
use std::fmt::Display;

const PROPOSALS_MAX: usize = 3;

/// The minimum similarity of a proposal, from 0 to 1.
const LIKENESS_MIN: f64 = 0.8;

/// The maximum difference between the similarity of a proposal and that of the best proposal.
const DIFFERENCE_MAX: f64 = 0.08;

/// The words most similar to the text, the most similar first.
pub(in crate::cli) fn near<'a>(text: &str, words: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    let text = plain(text);
    let mut alike: Vec<(f64, &str)> = words
        .into_iter()
        .map(|word| (likeness(&text, &plain(word)), word))
        .filter(|(likeness, _)| *likeness >= LIKENESS_MIN)
        .collect();
    alike.sort_by(|(a, _), (b, _)| b.total_cmp(a));
    alike.dedup_by_key(|(_, word)| *word);
    let likest = alike.first().map_or(0.0, |(likeness, _)| *likeness);
    let words = alike.into_iter().filter(|(likeness, _)| *likeness >= likest - DIFFERENCE_MAX);
    words.map(|(_, word)| word).take(PROPOSALS_MAX).collect()
}

/// The word in lower case and with one kind of separator, for comparisons.
fn plain(text: &str) -> String {
    text.trim().to_lowercase().replace([' ', '-'], "_")
}

/// The similarity of the text to the whole word or to a part of it.
fn likeness(text: &str, word: &str) -> f64 {
    let whole = strsim::jaro_winkler(text, word);
    let parts = word.split(['/', '_']).map(|part| strsim::jaro_winkler(text, part) - 0.02);
    let last = word.rsplit('/').next().map(|last| strsim::jaro_winkler(text, last) - 0.01);
    parts.chain(last).fold(whole, f64::max)
}

/// Formats `did you mean A, B or C?`. Returns `None` without proposals.
pub(in crate::cli) fn question<S: Borrow<str> + Display>(proposals: &[S]) -> Option<String> {
    let (last, others) = proposals.split_last()?;
    Some(match others {
        [] => format!("did you mean {last}?"),
        others => format!("did you mean {} or {last}?", others.join(", ")),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_similar_words_are_proposed() {
        let names = ["Salon Lumière", "Harbour Dental", "Coupe", "Couleur"];
        assert_eq!(near("salon lumiere", names), ["Salon Lumière"]);
        assert_eq!(near("coup", names)[0], "Coupe");
        assert_eq!(near("dentl", names), ["Harbour Dental"]);
        assert!(near("xyz", names).is_empty());
        let many: Vec<String> = (0..9).map(|number| format!("Chair {number}")).collect();
        assert_eq!(near("chair", many.iter().map(String::as_str)).len(), 3);
    }

    #[test]
    fn the_question_contains_every_proposal() {
        assert_eq!(question::<&str>(&[]), None);
        assert_eq!(question(&["A"]).unwrap(), "did you mean A?");
        assert_eq!(question(&["A", "B", "C"]).unwrap(), "did you mean A, B or C?");
    }
}
