//! The search over sections of topics and over operations.

use super::markdown::Section;
use super::reference::Group;
use super::topics::Topic;

pub(super) const QUERY_CHARS_MAX: usize = 100;
const WORDS_MAX: usize = 8;
const RESULTS_MAX: usize = 30;
/// The maximum number of characters of an excerpt before and after the first word of the query.
const EXCERPT_CHARS: (usize, usize) = (60, 120);

pub(super) struct Entry {
    pub(super) title: String,
    /// The topic or the group of operations.
    pub(super) within: String,
    pub(super) address: String,
    text: String,
    /// The title and path, and the text, in lower case.
    lower: [String; 2],
}

pub(super) struct Found<'a> {
    pub(super) entry: &'a Entry,
    /// The parts of the excerpt. The flag is true if the part is a word of the query.
    pub(super) excerpt: Vec<(bool, String)>,
}

pub(super) fn of_topic(topic: &Topic, sections: &[Section]) -> impl Iterator<Item = Entry> {
    sections.iter().map(|section| {
        let within = if section.level == 1 { "Topic".to_owned() } else { topic.title().to_owned() };
        let address = format!("/docs/{}#{}", topic.name, section.anchor);
        entry(section.title.clone(), within, address, &section.text)
    })
}

pub(super) fn of_group(group: &Group) -> impl Iterator<Item = Entry> {
    group.operations.iter().map(|one| {
        let names = one.parameters.iter().chain(&one.body).map(|field| field.name.as_str());
        let names = names.collect::<Vec<_>>().join(", ");
        let title = format!("{} {}", one.method, one.path);
        let text = format!("{}. {} {names}", one.summary, one.plain.replace('`', ""));
        entry(title, format!("API reference, {}", group.name), format!("/docs/reference#{}", one.id), &text)
    })
}

fn entry(title: String, within: String, address: String, text: &str) -> Entry {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let lower = [title.to_lowercase(), text.to_lowercase()];
    Entry { title, within, address, text, lower }
}

/// The entries that contain every word of the query, in descending order of their score.
pub(super) fn search<'a>(entries: &'a [Entry], query: &str) -> Vec<Found<'a>> {
    let query: String = query.chars().take(QUERY_CHARS_MAX).collect::<String>().to_lowercase();
    let words: Vec<&str> = query.split_whitespace().take(WORDS_MAX).collect();
    if words.is_empty() {
        return Vec::new();
    }
    let mut found: Vec<(usize, &Entry)> =
        entries.iter().filter_map(|entry| Some((score(entry, &words)?, entry))).collect();
    found.sort_by_key(|(score, _)| std::cmp::Reverse(*score));
    found.truncate(RESULTS_MAX);
    found.into_iter().map(|(_, entry)| Found { entry, excerpt: excerpt(&entry.text, &words) }).collect()
}

/// The score of an entry, or `None` if a word is missing. Words in the title count more than words in the
/// text.
fn score(entry: &Entry, words: &[&str]) -> Option<usize> {
    let [title, text] = &entry.lower;
    let mut score = 0;
    for word in words {
        let in_title = usize::from(title.contains(*word));
        let is_title = usize::from(title.split(|c: char| !c.is_alphanumeric()).any(|one| one == *word));
        let in_text = text.matches(*word).take(10).count();
        if in_title + in_text == 0 {
            return None;
        }
        score += 100 * in_title + 100 * is_title + in_text;
    }
    Some(score)
}

/// The text around the first word of the query, with the words marked.
fn excerpt(text: &str, words: &[&str]) -> Vec<(bool, String)> {
    // If the lower case of a character has a different length in bytes, the offsets in `lower` are not valid
    // in `text`. A text with such a character is shown without marks.
    let lower = text.to_lowercase();
    let keeps_length = |c: char| c.to_lowercase().map(char::len_utf8).sum::<usize>() == c.len_utf8();
    let has_marks = text.chars().all(keeps_length);
    let at = |from: usize| {
        let places =
            words.iter().filter_map(|word| Some((from + lower.get(from..)?.find(word)?, word.len())));
        places.min_by_key(|(at, length)| (*at, usize::MAX - length)).filter(|_| has_marks)
    };
    let first = at(0).map_or(0, |(first, _)| first);
    let before = text[..first].char_indices().rev().nth(EXCERPT_CHARS.0).map_or(0, |(at, _)| at);
    let start =
        if before == 0 { 0 } else { text[before..].find(' ').map_or(before, |space| before + space + 1) };
    let end = text[first..].char_indices().nth(EXCERPT_CHARS.1).map_or(text.len(), |(at, _)| first + at);
    // If the text continues after the excerpt, the excerpt is cut at its last space after `first`, so that it does not
    // end within a word. If it has no such space, it is not cut.
    let end =
        if end < text.len() { text[first..end].rfind(' ').map_or(end, |space| first + space) } else { end };
    let mut parts = vec![(false, if start == 0 { String::new() } else { "… ".to_owned() })];
    let mut from = start;
    while let Some((found, length)) = at(from).filter(|(found, length)| found + length <= end) {
        parts.push((false, text[from..found].to_owned()));
        parts.push((true, text[found..found + length].to_owned()));
        from = found + length;
    }
    parts.push((false, text[from.min(end)..end].to_owned()));
    if end < text.len() {
        parts.push((false, " …".to_owned()));
    }
    parts.retain(|(_, part)| !part.is_empty());
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entries() -> Vec<Entry> {
        [("Retries", "The service sends it again."), ("Signatures", "No retries here; see RETRIES. Été ß İ")]
            .map(|(title, text)| entry(title.into(), "Webhooks".into(), format!("/docs/{title}"), text))
            .into()
    }

    #[test]
    fn every_word_is_found_and_titles_are_listed_first() {
        let entries = entries();
        let found = search(&entries, "retries");
        assert_eq!(found.iter().map(|one| &*one.entry.title).collect::<Vec<_>>(), ["Retries", "Signatures"]);
        assert_eq!(search(&entries, "RETRIES again").len(), 1);
        for none in ["", "   ", "retries nowhere", &"x".repeat(10_000)] {
            assert_eq!(search(&entries, none).len(), 0, "{none}");
        }
    }

    #[test]
    fn an_excerpt_marks_the_words_whatever_the_text() {
        let parts = excerpt("one two three", &["two"]);
        assert_eq!(parts, [(false, "one ".into()), (true, "two".into()), (false, " three".into())]);
        for text in ["İİİ two é", "é ß two", "", &"é".repeat(500)] {
            let shown: String = excerpt(text, &["two", "é"]).into_iter().map(|(_, part)| part).collect();
            assert!(shown.chars().count() <= EXCERPT_CHARS.0 + EXCERPT_CHARS.1 + 10, "{shown}");
        }
    }
}
