//! Whatever the engine says about people that a page may show is there in every language.

use std::fs;
use std::path::Path;

use super::*;

/// The files of the engine whose refusals the pages of people and accounts show.
const FILES: [&str; 12] = [
    "business/commands/people.rs",
    "business/context.rs",
    "business/remembered.rs",
    "domain/linking.rs",
    "domain/membership.rs",
    "domain/person.rs",
    "domain/text.rs",
    "mail/limits.rs",
    "people/handle.rs",
    "people/invite.rs",
    "people/offers.rs",
    "people/password.rs",
];

/// Sentences of those files that no page shows, and why.
const NOT_SHOWN: [(&str, &str); 15] = [
    ("an invitation is for an account without one: make a reset", "no page makes a link"),
    ("make a link for the person first: it confirms the account", "it is told to the operator"),
    ("there is no such person", "of the store"),
    ("what is remembered is no link", "of the store"),
    ("the parameters are constants within the bounds", "of a panic"),
    ("16 bytes are a salt", "of a panic"),
    ("a password of bounded length is hashed", "of a panic"),
    ("a membership could not be accepted by its link, and is still on offer", "of the log"),
    ("must be an email address such as name@example.com", "the pages have their own words"),
    ("must be a phone number, national or in the form +15551234567", "none of these pages asks for one"),
    ("is that of 7", "the pages say that the person belongs"),
    ("the entity tag is now 7", "these pages do not ask with a tag"),
    ("is not a service of the business", "these pages name no service"),
    ("its status 7 is not known", "of the store"),
    ("must have 7 to 7 characters", "of passwords it is told below; these pages ask for no other text"),
];

/// The texts in quotes of a file that are sentences: of three words at least, and not of its tests or comments.
fn sentences(path: &str) -> Vec<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("actors/src").join(path);
    let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let code = text.split("#[cfg(test)]").next().unwrap();
    let code: String = code.lines().filter(|line| !line.trim_start().starts_with("//")).collect();
    // What stands in braces is a number, as far as pages show it.
    let quoted = code.split('"').skip(1).step_by(2).map(|text| {
        let mut parts = text.split('{');
        let first = parts.next().unwrap_or_default().to_owned();
        parts.fold(first, |said, part| said + "7" + part.split_once('}').map_or("", |(_, rest)| rest))
    });
    quoted.filter(|text| text.split_whitespace().count() > 2 && !text.contains('$')).collect()
}

#[test]
fn every_sentence_that_a_page_of_people_may_show_is_there() {
    let mut found = 0;
    for said in FILES.into_iter().flat_map(sentences) {
        if NOT_SHOWN.iter().any(|(not_shown, _)| *not_shown == said) {
            continue;
        }
        found += 1;
        for sentence in said.split(": ") {
            for locale in Locale::ALL {
                let told = known(words(*locale), sentence);
                assert!(told.is_some(), "{locale}: {sentence:?} of {said:?}");
            }
        }
    }
    assert!(found > 8, "hardly anything is found: {found}");
}

#[test]
fn what_is_not_shown_is_said_somewhere() {
    let all: Vec<_> = FILES.into_iter().flat_map(sentences).collect();
    for (said, why) in NOT_SHOWN {
        assert!(all.iter().any(|one| one == said), "{said:?}: {why}");
    }
}

#[test]
fn a_number_in_a_sentence_is_told_with_its_plural() {
    let told = |locale, said| problem(words(locale), said);
    for (said, english, french) in [
        (
            "the next one can be sent in 1 minutes",
            "The next one can be sent in 1 minute.",
            "Le prochain envoi est possible dans 1 minute.",
        ),
        (
            "the next one can be sent in 5 hours",
            "The next one can be sent in 5 hours.",
            "Le prochain envoi est possible dans 5 heures.",
        ),
        (
            "must have 12 to 256 characters",
            "It must have 12 to 256 characters.",
            "Il doit avoir de 12 à 256 caractères.",
        ),
    ] {
        assert_eq!((told(Locale::En, said), told(Locale::Fr, said)), (english.to_owned(), french.to_owned()));
    }
}
