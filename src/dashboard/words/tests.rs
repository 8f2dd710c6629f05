//! The catalogues are held against each other and against what the pages say.

mod said;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use zxcvbn::feedback::{Suggestion, Warning};

use super::*;
use crate::words::ids;

/// The beginnings of ids that are put together when a page is made; what they end in is looked through below.
const MADE: [&str; 6] = ["role-", "enter-invitation-", "alert-", "told-", "error-", "says-"];

fn files(under: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(under).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files(&path, found);
        } else if path.extension().is_some_and(|kind| kind == "html" || kind == "rs") {
            found.push(path);
        }
    }
}

/// Every text in quotes in the code and the templates of the dashboard.
fn quoted() -> BTreeSet<String> {
    let mut found = Vec::new();
    files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src/dashboard"), &mut found);
    let texts = found.iter().map(|path| fs::read_to_string(path).unwrap());
    texts.flat_map(|text| text.split('"').map(str::to_owned).collect::<Vec<_>>()).collect()
}

#[test]
fn both_languages_have_the_same_words() {
    let [english, french] = [ids(include_str!("en.ftl")), ids(include_str!("fr.ftl"))];
    assert_eq!(english, french);
    assert_eq!(english.iter().collect::<BTreeSet<_>>().len(), english.len(), "each stands there once");
}

#[test]
fn every_word_is_said_somewhere_and_whatever_is_said_is_there() {
    let (said, known) = (quoted(), ids(include_str!("en.ftl")));
    let known: BTreeSet<_> = known.into_iter().collect();
    let unsaid =
        known.iter().filter(|id| !said.contains(*id) && !MADE.iter().any(|made| id.starts_with(made)));
    assert_eq!(unsaid.collect::<Vec<_>>(), [""; 0]);
    // What is said by its id stands in a call of one of these.
    let mut found = Vec::new();
    files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src/dashboard"), &mut found);
    for path in found {
        let text = fs::read_to_string(&path).unwrap();
        for call in ["view.t(\"", "view.with(\"", "view.count(\"", "words.say(\""] {
            for (at, _) in text.match_indices(call) {
                let id = text[at + call.len()..].split('"').next().unwrap();
                assert!(known.contains(id), "{}: {id}", path.display());
            }
        }
    }
}

#[test]
fn what_is_put_together_is_there() {
    use actors::domain::{AlertKind, Role};
    let words = words(Locale::Fr);
    let roles =
        Role::ALL.iter().flat_map(|role| [format!("role-{role}"), format!("enter-invitation-{role}")]);
    let alerts = AlertKind::ALL.iter().flat_map(|kind| [format!("alert-{kind}"), format!("told-{kind}")]);
    let errors = [403, 404, 409, 410, 413, 422, 429, 500, 503];
    let errors =
        errors.iter().flat_map(|status| ["title", "text"].map(|part| format!("error-{status}-{part}")));
    let values = [("email", crate::words::Value::Text("a@b.c")), ("count", crate::words::Value::Count(2))];
    for id in roles.chain(alerts).chain(errors) {
        assert!(words.find(&id, &values).is_some(), "{id}");
    }
}

#[test]
fn why_a_password_is_refused_is_told_in_the_pages_language() {
    use Suggestion as S;
    use Warning as W;
    let warnings = [
        W::StraightRowsOfKeysAreEasyToGuess,
        W::ShortKeyboardPatternsAreEasyToGuess,
        W::RepeatsLikeAaaAreEasyToGuess,
        W::RepeatsLikeAbcAbcAreOnlySlightlyHarderToGuess,
        W::ThisIsATop10Password,
        W::ThisIsATop100Password,
        W::ThisIsACommonPassword,
        W::ThisIsSimilarToACommonlyUsedPassword,
        W::SequencesLikeAbcAreEasyToGuess,
        W::RecentYearsAreEasyToGuess,
        W::AWordByItselfIsEasyToGuess,
        W::DatesAreOftenEasyToGuess,
        W::NamesAndSurnamesByThemselvesAreEasyToGuess,
        W::CommonNamesAndSurnamesAreEasyToGuess,
    ];
    let suggestions = [
        S::UseAFewWordsAvoidCommonPhrases,
        S::NoNeedForSymbolsDigitsOrUppercaseLetters,
        S::AddAnotherWordOrTwo,
        S::CapitalizationDoesntHelpVeryMuch,
        S::AllUppercaseIsAlmostAsEasyToGuessAsAllLowercase,
        S::ReversedWordsArentMuchHarderToGuess,
        S::PredictableSubstitutionsDontHelpVeryMuch,
        S::UseALongerKeyboardPatternWithMoreTurns,
        S::AvoidRepeatedWordsAndCharacters,
        S::AvoidSequences,
        S::AvoidRecentYears,
        S::AvoidYearsThatAreAssociatedWithYou,
        S::AvoidDatesAndYearsThatAreAssociatedWithYou,
    ];
    let said = warnings.iter().map(ToString::to_string).chain(suggestions.iter().map(ToString::to_string));
    for said in said {
        let told = problem(words(Locale::Fr), &format!("is too easy to guess: {said}"));
        let rest = told.strip_prefix("Il est trop facile à deviner. ").unwrap();
        for sentence in said.split_inclusive(". ") {
            assert!(!rest.contains(sentence.trim()), "{told}");
        }
    }
    let length = problem(words(Locale::Fr), "must have 12 to 256 characters");
    assert_eq!(length, "Il doit avoir de 12 à 256 caractères.");
    let guessed = "is too easy to guess: This is a very common password. Add another word or two. Uncommon words are better.";
    assert_eq!(
        problem(words(Locale::En), guessed),
        "It is too easy to guess. This is a very common password. Add another word or two. Uncommon words are better."
    );
    assert_eq!(
        problem(words(Locale::En), "of another kind: of which nobody knows"),
        "Of another kind. of which nobody knows."
    );
}
