//! Passwords: their rules, and hashing on a bounded number of separate threads.
//!
//! Invariants:
//!
//! - A password is stored as Argon2id with the parameters that OWASP recommends.
//! - A wrong password and an unknown address cause the same work.
//! - Different Unicode compositions of the same characters are the same password. An early version hashed passwords
//!   without this rule. Its hashes still work, and the next sign-in replaces them.

use std::sync::Arc;

use argon2::password_hash::{PasswordHash, PasswordHasher, PasswordVerifier, SaltString};
use argon2::{Algorithm, Argon2, Params, Version};
use domain::{PasswordHint, Person, PersonId, ProblemCode, Refusal, TextError};
use tokio::sync::Semaphore;
use unicode_normalization::UnicodeNormalization as _;
use zxcvbn::feedback::{Suggestion, Warning};

use crate::error::{EngineError, Result};
use crate::quota::Quota;

const CHARS: std::ops::RangeInclusive<usize> = 12..=256;
/// The lowest accepted score of a password. The strength of a password is estimated as a score from 0 to 4.
const SCORE_MIN: zxcvbn::Score = zxcvbn::Score::Three;
/// A word of the person, for example a part of the name, weakens a password only if the word has at least this many
/// characters.
const WORD_CHARS_MIN: usize = 3;
const AT_ONCE: usize = 2;
const WAITING_MAX: usize = 64;
/// The maximum number of people who choose a password at the same time. Chosen passwords are hashed under a separate
/// permit, so sign-ins never wait for them.
const CHOOSING_MAX: usize = 16;
/// The maximum number of characters that the estimate of the strength reads. The duration of an estimate grows fast
/// with this number.
const ESTIMATED_CHARS_MAX: usize = 64;
const ESTIMATED_WORDS_MAX: usize = 256;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hashing {
    /// Argon2id with 19 MiB, two passes and one lane, as OWASP recommends.
    Owasp,
    /// Almost no work, for tests and simulations.
    Cheap,
}

impl Hashing {
    fn params(self) -> Params {
        let (kib, passes) = match self {
            Self::Owasp => (19 << 10, 2),
            Self::Cheap => (8, 1),
        };
        Params::new(kib, passes, 1, None).expect("the parameters are constants within the bounds")
    }

    /// A constant hash. A sign-in with an unknown address checks the password against this hash, so that it takes as
    /// long as a sign-in with a known address.
    fn dummy_hash(self) -> &'static str {
        match self {
            Self::Owasp => {
                "$argon2id$v=19$m=19456,t=2,p=1$BwcHBwcHBwcHBwcHBwcHBw$m0ZPVmRb0OnqUHoSNzpdfiB8OLXDr/bfk2k3dHvQn4g"
            }
            Self::Cheap => {
                "$argon2id$v=19$m=8,t=1,p=1$BwcHBwcHBwcHBwcHBwcHBw$nKK1Eygjd5utseUq32DKiUqKys+nWAd9lbGS4j3zHPE"
            }
        }
    }

    fn argon(self) -> Argon2<'static> {
        Argon2::new(Algorithm::Argon2id, Version::V0x13, self.params())
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum PasswordCheck {
    Wrong,
    Right,
    /// The password is right, but the stored hash is from an early version, which hashed the password as the person had
    /// entered it. This variant contains the hash of the prepared form ([`prepared`]), which replaces the stored hash.
    AsGiven(String),
}

pub(crate) struct Hasher {
    hashing: Hashing,
    simulated: bool,
    /// The permits for running checks of passwords.
    looked_at: Arc<Semaphore>,
    /// The permits for running and waiting checks of passwords. If no permit of `all_looked_at` is free, a check is
    /// refused. If one is free, the check takes it, and then waits for a permit of `looked_at`.
    all_looked_at: Arc<Semaphore>,
    /// The permit for checking and hashing a chosen password.
    chosen: Arc<Semaphore>,
    /// The permits for choosing a password. A person has at most one of them, and keeps it while waiting for `chosen`.
    choosing: Arc<Quota<PersonId>>,
}

impl Hasher {
    pub(crate) fn new(hashing: Hashing, simulated: bool) -> Self {
        let places = |count| Arc::new(Semaphore::new(count));
        Self {
            hashing,
            simulated,
            looked_at: places(AT_ONCE),
            all_looked_at: places(AT_ONCE + WAITING_MAX),
            chosen: places(1),
            choosing: Arc::new(Quota::new(CHOOSING_MAX, 1)),
        }
    }

    /// Runs `work` on a separate thread, which holds the permit even if the caller is cancelled.
    async fn work<T: Send + 'static>(
        &self,
        places: &Arc<Semaphore>,
        permit: impl Send + 'static,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T> {
        let turn = Arc::clone(places).acquire_owned().await.map_err(|_| EngineError::Stopping)?;
        let work = move || {
            let done = work();
            drop((turn, permit));
            done
        };
        if self.simulated {
            tokio::task::yield_now().await;
            return Ok(work());
        }
        tokio::task::spawn_blocking(work).await.map_err(|_| EngineError::Failed)
    }

    /// Checks a password. If there is no stored hash, every password is wrong. If the given password is wrong,
    /// the duration of the check depends only on the given password.
    pub(super) async fn check(&self, kept: Option<&str>, given: &str) -> Result<PasswordCheck> {
        let (hash, known) = (kept.unwrap_or(self.hashing.dummy_hash()).to_owned(), kept.is_some());
        let (hashing, [prepared, as_given]) = (self.hashing, forms(given));
        let waits = Arc::clone(&self.all_looked_at).try_acquire_owned();
        let waits = waits.map_err(|_| EngineError::Overloaded)?;
        self.work(&self.looked_at, waits, move || {
            let is_prepared = verify(&hash, prepared.as_deref().unwrap_or_default());
            let is_as_given = as_given.is_some_and(|given| verify(&hash, &given));
            match (known, prepared) {
                (true, Some(_)) if is_prepared => PasswordCheck::Right,
                (true, Some(prepared)) if is_as_given => again(hashing, &hash, &prepared),
                // The stored hash belongs to the password exactly as the person entered it. The prepared form of this
                // password has a length that is not allowed. So the hash of the prepared form does not replace the
                // stored hash.
                (true, None) if is_as_given => PasswordCheck::Right,
                _ => PasswordCheck::Wrong,
            }
        })
        .await
    }

    /// Hashes a new password. Fails with [`Refusal::Invalid`] if the password is too short, too long or too weak. Fails
    /// with [`EngineError::Overloaded`] if another password of this person is being hashed, or if too many people are
    /// choosing a password.
    pub(crate) async fn new_password(
        &self,
        person: &Person,
        businesses: Vec<String>,
        given: &str,
        salt: [u8; 16],
    ) -> Result<String> {
        let (hashing, given) = (self.hashing, prepared(given));
        check_length(&given)?;
        let permit = self.choosing.take_owned(person.id).ok_or(EngineError::Overloaded)?;
        let mut theirs = businesses;
        theirs.extend([person.name.clone(), person.email.clone()]);
        theirs.extend(person.email.split('@').map(str::to_owned));
        // The strength check compares the password only with whole texts. The single words of these texts are added as
        // separate texts, so that the check also finds them in the password.
        let words = |text: &String| text.split(|c: char| !c.is_alphanumeric()).map(str::to_owned).collect();
        let words: Vec<Vec<String>> = theirs.iter().map(words).collect();
        theirs.extend(words.into_iter().flatten().filter(|word| word.chars().count() >= WORD_CHARS_MIN));
        let theirs: Vec<_> = theirs.iter().map(|text| prepared(text)).collect();
        let chosen = move || check_strength(&given, &theirs).map(|()| hash(hashing, &given, salt));
        Ok(self.work(&self.chosen, permit, chosen).await??)
    }
}

/// Returns the *prepared form* of a password, by the profile OpaqueString of RFC 8265: the text is composed (NFC), and
/// every kind of space is replaced by U+0020.
fn prepared(given: &str) -> String {
    let is_space = |c: char| {
        matches!(c, '\u{a0}' | '\u{1680}' | '\u{2000}'..='\u{200a}' | '\u{202f}' | '\u{205f}' | '\u{3000}')
    };
    given.nfc().map(|c| if is_space(c) { ' ' } else { c }).collect()
}

/// Returns the prepared form of a password and, if it differs, the form that the person entered. Omits a form whose
/// length is not allowed.
fn forms(given: &str) -> [Option<String>; 2] {
    let prepared = prepared(given);
    let as_given = Some(given.to_owned()).filter(|given| *given != prepared);
    [Some(prepared), as_given].map(|form| form.filter(|form| check_length(form).is_ok()))
}

/// Hashes the prepared form of the password with the salt of the stored hash, so that concurrent checks of the same
/// password produce the same hash.
fn again(hashing: Hashing, kept: &str, prepared: &str) -> PasswordCheck {
    let salt = PasswordHash::new(kept).ok().and_then(|kept| kept.salt);
    let hash = salt.and_then(|salt| hashing.argon().hash_password(prepared.as_bytes(), salt).ok());
    hash.map_or(PasswordCheck::Right, |hash| PasswordCheck::AsGiven(hash.to_string()))
}

fn check_length(given: &str) -> Result<(), Refusal> {
    if CHARS.contains(&given.chars().count()) {
        return Ok(());
    }
    let length = TextError::Length { min: *CHARS.start(), max: *CHARS.end() };
    Err(Refusal::invalid("password", length))
}

fn check_strength(given: &str, theirs: &[String]) -> Result<(), Refusal> {
    let given = given.char_indices().nth(ESTIMATED_CHARS_MAX).map_or(given, |(end, _)| &given[..end]);
    let words = theirs.iter().map(String::as_str).filter(|word| !word.is_empty());
    let words: Vec<&str> = words.take(ESTIMATED_WORDS_MAX).collect();
    let rest = without(given, &words);
    // `rest` is the password without the person's own words. These words add no strength, so `rest` must be strong too.
    let of_rest = rest.map(|rest| zxcvbn::zxcvbn(&rest, &[]));
    let estimates = [zxcvbn::zxcvbn(given, &words)].into_iter().chain(of_rest);
    let Some(estimate) = estimates.into_iter().find(|estimate| estimate.score() < SCORE_MIN) else {
        return Ok(());
    };
    let hints = estimate.feedback().into_iter().flat_map(|feedback| {
        let suggestions = feedback.suggestions().iter().copied().map(suggested);
        feedback.warning().map(warned).into_iter().chain(suggestions)
    });
    Err(Refusal::invalid("password", ProblemCode::Guessable(hints.collect())))
}

fn warned(warning: Warning) -> PasswordHint {
    match warning {
        Warning::StraightRowsOfKeysAreEasyToGuess => PasswordHint::RowOfKeys,
        Warning::ShortKeyboardPatternsAreEasyToGuess => PasswordHint::ShortKeyPattern,
        Warning::RepeatsLikeAaaAreEasyToGuess => PasswordHint::RepeatedCharacter,
        Warning::RepeatsLikeAbcAbcAreOnlySlightlyHarderToGuess => PasswordHint::RepeatedPart,
        Warning::ThisIsATop10Password => PasswordHint::Top10,
        Warning::ThisIsATop100Password => PasswordHint::Top100,
        Warning::ThisIsACommonPassword => PasswordHint::Common,
        Warning::ThisIsSimilarToACommonlyUsedPassword => PasswordHint::SimilarToCommon,
        Warning::SequencesLikeAbcAreEasyToGuess => PasswordHint::Sequence,
        Warning::RecentYearsAreEasyToGuess => PasswordHint::RecentYear,
        Warning::AWordByItselfIsEasyToGuess => PasswordHint::SingleWord,
        Warning::DatesAreOftenEasyToGuess => PasswordHint::Date,
        Warning::NamesAndSurnamesByThemselvesAreEasyToGuess => PasswordHint::NameAlone,
        Warning::CommonNamesAndSurnamesAreEasyToGuess => PasswordHint::CommonName,
    }
}

fn suggested(suggestion: Suggestion) -> PasswordHint {
    match suggestion {
        Suggestion::UseAFewWordsAvoidCommonPhrases => PasswordHint::UseFewWords,
        Suggestion::NoNeedForSymbolsDigitsOrUppercaseLetters => PasswordHint::NoNeedForSymbols,
        Suggestion::AddAnotherWordOrTwo => PasswordHint::AddWords,
        Suggestion::CapitalizationDoesntHelpVeryMuch => PasswordHint::Capitalization,
        Suggestion::AllUppercaseIsAlmostAsEasyToGuessAsAllLowercase => PasswordHint::AllUppercase,
        Suggestion::ReversedWordsArentMuchHarderToGuess => PasswordHint::ReversedWord,
        Suggestion::PredictableSubstitutionsDontHelpVeryMuch => PasswordHint::PredictableSubstitution,
        Suggestion::UseALongerKeyboardPatternWithMoreTurns => PasswordHint::LongerKeyPattern,
        Suggestion::AvoidRepeatedWordsAndCharacters => PasswordHint::AvoidRepeats,
        Suggestion::AvoidSequences => PasswordHint::AvoidSequences,
        Suggestion::AvoidRecentYears => PasswordHint::AvoidRecentYears,
        Suggestion::AvoidYearsThatAreAssociatedWithYou => PasswordHint::AvoidOwnYears,
        Suggestion::AvoidDatesAndYearsThatAreAssociatedWithYou => PasswordHint::AvoidOwnDates,
    }
}

/// Returns the letters and digits of a password without the given words, or `None` if the password contains none of the
/// words.
fn without(given: &str, words: &[&str]) -> Option<String> {
    let plain = |text: &str| -> String {
        text.nfkd().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
    };
    let mut words: Vec<String> = words.iter().map(|word| plain(word)).collect();
    words.retain(|word| word.chars().count() >= WORD_CHARS_MIN);
    words.sort_by_key(|word| std::cmp::Reverse(word.len()));
    let given = plain(given);
    let rest = words.iter().fold(given.clone(), |rest, word| rest.replace(word.as_str(), ""));
    (rest != given).then_some(rest)
}

fn hash(hashing: Hashing, given: &str, salt: [u8; 16]) -> String {
    let salt = SaltString::encode_b64(&salt).expect("16 bytes are a valid salt");
    let hash = hashing.argon().hash_password(given.as_bytes(), &salt);
    hash.expect("a password of bounded length can be hashed").to_string()
}

fn verify(hash: &str, given: &str) -> bool {
    let argon = Argon2::default();
    PasswordHash::new(hash).is_ok_and(|hash| argon.verify_password(given.as_bytes(), &hash).is_ok())
}

#[cfg(test)]
mod tests {
    use domain::{Locale, Timestamp};

    use super::*;

    fn person() -> Person {
        let at = Timestamp::from_millis(0);
        Person {
            id: uuid::Uuid::from_u128(1).into(),
            email: "marguerite.delacroix@example.com".into(),
            name: "Marguerite Delacroix".into(),
            locale: Locale::En,
            clock: domain::ClockFormat::Auto,
            week_start: domain::WeekStart::Auto,
            confirmed: true,
            password: None,
            created_at: at,
            updated_at: at,
            last_sign_in_at: None,
            sessions: Vec::new(),
            link: None,
            links_from: at,
        }
    }

    const LENGTH: ProblemCode = ProblemCode::Text(TextError::Length { min: 12, max: 256 });

    async fn refused(given: &str) -> ProblemCode {
        let hasher = Hasher::new(Hashing::Cheap, true);
        let businesses = vec!["Salon Lumière Montparnasse".to_owned(), "Bloom & Co".to_owned()];
        match hasher.new_password(&person(), businesses, given, [1; 16]).await {
            Err(EngineError::Refused(Refusal::Invalid(problems))) => problems[0].code.clone(),
            other => panic!("{given}: {other:?}"),
        }
    }

    #[tokio::test]
    async fn a_person_chooses_one_password_at_a_time_and_signing_in_waits_for_none_of_them() {
        let hasher = Hasher::new(Hashing::Cheap, false);
        let good = "correct horse battery staple";
        let permit = hasher.choosing.take_owned(person().id).unwrap();
        let again = hasher.new_password(&person(), Vec::new(), good, [1; 16]).await;
        assert!(matches!(again, Err(EngineError::Overloaded)));
        let _all = Arc::clone(&hasher.chosen).acquire_many_owned(1).await.unwrap();
        assert_eq!(hasher.check(None, good).await.unwrap(), PasswordCheck::Wrong);
        let other = Person { id: uuid::Uuid::from_u128(2).into(), ..person() };
        let mut waits = std::pin::pin!(hasher.new_password(&other, Vec::new(), good, [1; 16]));
        assert!(futures_util::poll!(&mut waits).is_pending());
        drop((permit, _all));
        waits.await.unwrap();
        hasher.new_password(&person(), Vec::new(), good, [1; 16]).await.unwrap();
    }

    #[tokio::test]
    async fn a_password_is_12_to_256_characters_that_are_not_easily_guessed() {
        for given in ["short", &"é".repeat(11), &"x9ä".repeat(86)] {
            assert_eq!(refused(given).await, LENGTH, "{given}");
        }
        for given in [
            "passwordpassword",
            "aaaaaaaaaaaaaaa",
            "marguerite delacroix",
            "Salon Lumière Montparnasse",
            "Montparnasse2026",
            "Bloom & Co 2026!",
            "2026: BLOOM-and-Co",
            "bloom&co31122026",
            "Salon Lumiere Montparnasse No. 1",
        ] {
            let code = refused(given).await;
            assert!(matches!(code, ProblemCode::Guessable(_)), "{given}: {code:?}");
        }
        let hints = vec![PasswordHint::RepeatedCharacter, PasswordHint::AddWords, PasswordHint::AvoidRepeats];
        assert_eq!(refused("aaaaaaaaaaaaaaa").await, ProblemCode::Guessable(hints));
        let hasher = Hasher::new(Hashing::Cheap, true);
        let bloom = "Bloom, where tulips arrive by bicycle";
        for good in ["correct horse battery staple", &"zK4!vQ9 tR7~".repeat(21), bloom] {
            let businesses = vec!["Bloom & Co".to_owned()];
            hasher.new_password(&person(), businesses, good, [1; 16]).await.unwrap();
        }
    }

    #[tokio::test]
    async fn a_hash_is_argon2id_as_owasp_recommends_and_knows_its_password() {
        let hasher = Hasher::new(Hashing::Owasp, false);
        let given = "correct horse battery staple";
        let hash = hasher.new_password(&person(), Vec::new(), given, [1; 16]).await.unwrap();
        assert!(hash.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"), "{hash}");
        assert_eq!(hasher.check(Some(&hash), given).await.unwrap(), PasswordCheck::Right);
        assert_eq!(
            hasher.check(Some(&hash), "correct horse battery stable").await.unwrap(),
            PasswordCheck::Wrong
        );
        for hashing in [Hashing::Owasp, Hashing::Cheap] {
            let params = PasswordHash::new(hashing.dummy_hash()).unwrap();
            assert_eq!(
                Params::try_from(&params).unwrap().m_cost(),
                hashing.params().m_cost(),
                "the dummy hash takes the same work"
            );
            assert!(verify(hashing.dummy_hash(), "gamma radiation of nobody"), "the dummy hash is valid");
        }
        let unknown = hasher.check(None, "gamma radiation of nobody");
        assert_eq!(unknown.await.unwrap(), PasswordCheck::Wrong, "the address is unknown");
        assert_eq!(hasher.check(Some("no hash"), given).await.unwrap(), PasswordCheck::Wrong);
    }

    #[tokio::test]
    async fn a_password_is_the_same_however_its_characters_are_composed() {
        let hasher = Hasher::new(Hashing::Cheap, true);
        let [composed, decomposed] =
            ["été à la plage précise", "e\u{301}te\u{301} a\u{300} la plage pre\u{301}cise"];
        assert_ne!(composed, decomposed);
        for (kept, given) in [(composed, decomposed), (decomposed, composed)] {
            let hash = hasher.new_password(&person(), Vec::new(), kept, [1; 16]).await.unwrap();
            assert_eq!(hasher.check(Some(&hash), given).await.unwrap(), PasswordCheck::Right, "{given:?}");
            let spaces = given.replace(' ', "\u{a0}");
            assert_eq!(hasher.check(Some(&hash), &spaces).await.unwrap(), PasswordCheck::Right, "{spaces:?}");
            let other = given.replace('p', "q");
            assert_eq!(hasher.check(Some(&hash), &other).await.unwrap(), PasswordCheck::Wrong);
        }
        // The limits on the length apply to the composed form, both for new passwords and for sign-ins.
        assert_eq!(refused(&"e\u{301}".repeat(11)).await, LENGTH);
        let long = "e\u{301}zK4!vQ9 tR7".repeat(21);
        assert!(long.chars().count() > 256);
        let hash = hasher.new_password(&person(), Vec::new(), &long, [1; 16]).await.unwrap();
        assert_eq!(hasher.check(Some(&hash), &long).await.unwrap(), PasswordCheck::Right);
    }

    /// Early versions hashed the password that the person had entered, without the conversion to the prepared form.
    #[tokio::test]
    async fn a_hash_of_the_given_form_still_works_and_is_replaced() {
        let hasher = Hasher::new(Hashing::Cheap, true);
        let [composed, given] =
            ["été à la plage précise", "e\u{301}te\u{301} a\u{300} la plage pre\u{301}cise"];
        let kept = hash(Hashing::Cheap, given, [1; 16]);
        let PasswordCheck::AsGiven(after) = hasher.check(Some(&kept), given).await.unwrap() else {
            panic!("{kept}")
        };
        assert_eq!(
            hasher.check(Some(&kept), given).await.unwrap(),
            PasswordCheck::AsGiven(after.clone()),
            "a repeated check gives the same hash"
        );
        for (hash, given, expected) in [
            (&after, given, PasswordCheck::Right),
            (&after, composed, PasswordCheck::Right),
            (&kept, composed, PasswordCheck::Wrong),
            (&kept, &given.replace('p', "q"), PasswordCheck::Wrong),
        ] {
            assert_eq!(hasher.check(Some(hash), given).await.unwrap(), expected, "{given:?}");
        }
        assert_eq!(hasher.check(None, given).await.unwrap(), PasswordCheck::Wrong);
        // The entered password has twelve characters, and its prepared form has eleven. As a new password, it would
        // be too short. But the stored hash is the hash of the entered form, as in early versions, so the password is
        // still accepted.
        let short = "e\u{301}zK4!vQ9tR7";
        assert_eq!((short.chars().count(), prepared(short).chars().count()), (12, 11));
        let kept = hash(Hashing::Cheap, short, [1; 16]);
        assert_eq!(hasher.check(Some(&kept), short).await.unwrap(), PasswordCheck::Right);
    }

    #[test]
    fn only_different_forms_of_allowed_length_are_checked() {
        let looks = |given: &str| forms(given).map(|form| form.is_some());
        assert_eq!(looks("correct horse battery staple"), [true, false]);
        assert_eq!(looks("correct\u{a0}horse battery staple"), [true, true]);
        assert_eq!(looks(&"x".repeat(257)), [false, false]);
        assert_eq!(looks(&"e\u{301}".repeat(200)), [true, false]);
        assert_eq!(looks(&"e\u{301}".repeat(6)), [false, true]);
    }

    #[tokio::test]
    async fn a_known_name_is_recognized_in_every_composition() {
        let code = refused("Salon Lumie\u{300}re Montparnasse").await;
        assert!(matches!(code, ProblemCode::Guessable(_)), "{code:?}");
    }

    #[tokio::test]
    async fn checks_are_refused_when_too_many_wait() {
        let hasher = Hasher::new(Hashing::Cheap, true);
        let all = Arc::clone(&hasher.all_looked_at)
            .try_acquire_many_owned(u32::try_from(AT_ONCE + WAITING_MAX).unwrap());
        assert!(matches!(hasher.check(None, "x").await, Err(EngineError::Overloaded)));
        drop(all);
        assert_eq!(hasher.check(None, "x").await.unwrap(), PasswordCheck::Wrong);
    }
}
