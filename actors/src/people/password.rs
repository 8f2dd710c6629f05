//! Passwords: what is refused, and the work of hashing, off the async threads and a bounded number at once.
//!
//! What always holds: a password is kept as Argon2id with parameters that OWASP names; looking at a wrong one, and at one
//! for an address that nobody has, is the same work; however a keyboard composes its characters, it is one password.

use std::sync::Arc;

use argon2::password_hash::{PasswordHash, PasswordHasher, PasswordVerifier, SaltString};
use argon2::{Algorithm, Argon2, Params, Version};
use tokio::sync::Semaphore;
use unicode_normalization::UnicodeNormalization as _;

use crate::domain::{Person, Refusal};
use crate::error::EngineError;

/// How many characters a password has.
const CHARS: std::ops::RangeInclusive<usize> = 12..=256;
/// The least score of an estimate (0 to 4) with which a password is taken.
const SCORE_MIN: zxcvbn::Score = zxcvbn::Score::Three;
/// How many characters a word of a name has at least for a password to be held against it.
const WORD_CHARS_MIN: usize = 3;
/// How many are hashed at once.
const AT_ONCE: usize = 2;
/// How many wait for that; one more is refused as overload.
const WAITING_MAX: usize = 64;

/// How much work a hash is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hashing {
    /// 19 MiB, two passes, one lane: as OWASP recommends.
    Owasp,
    /// Next to none, for tests and simulations that hash much.
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

    /// A hash of nobody's password, which unknown addresses are held against.
    fn nobodys(self) -> &'static str {
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

/// Hashes passwords, a few at once.
pub(crate) struct Hasher {
    hashing: Hashing,
    /// Whether there are no threads to do it on.
    simulated: bool,
    at_once: Arc<Semaphore>,
    /// Those that are hashed and those that wait.
    all: Arc<Semaphore>,
}

impl Hasher {
    /// A hasher of such work.
    pub(crate) fn new(hashing: Hashing, simulated: bool) -> Self {
        let (at_once, all) =
            (Arc::new(Semaphore::new(AT_ONCE)), Arc::new(Semaphore::new(AT_ONCE + WAITING_MAX)));
        Self { hashing, simulated, at_once, all }
    }

    /// Does work on a thread of its own, once it is its turn.
    async fn work<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, EngineError> {
        let waits = Arc::clone(&self.all).try_acquire_owned().map_err(|_| EngineError::Overloaded)?;
        let turn = Arc::clone(&self.at_once).acquire_owned().await.map_err(|_| EngineError::Stopping)?;
        // Both go with the work: a caller who goes away does not make it any less.
        let work = move || {
            let done = work();
            drop((turn, waits));
            done
        };
        if self.simulated {
            tokio::task::yield_now().await;
            return Ok(work());
        }
        tokio::task::spawn_blocking(work).await.map_err(|_| EngineError::Failed)
    }

    /// Whether this is the password of the hash; of no hash it never is, after the same work.
    pub(crate) async fn is_password(&self, kept: Option<&str>, given: &str) -> Result<bool, EngineError> {
        let (hash, known) = (kept.unwrap_or(self.hashing.nobodys()).to_owned(), kept.is_some());
        // One that is too long is nobody's, and the same work.
        let given = Some(prepared(given)).filter(|given| check_length(given).is_ok()).unwrap_or_default();
        self.work(move || verify(&hash, &given) && known).await
    }

    /// The hash of a new password of this person, who belongs to businesses of these names.
    ///
    /// # Errors
    /// [`Refusal::Invalid`] that says why it is not taken.
    pub(crate) async fn new_password(
        &self,
        person: &Person,
        businesses: Vec<String>,
        given: &str,
        salt: [u8; 16],
    ) -> Result<String, EngineError> {
        let (hashing, given) = (self.hashing, prepared(given));
        check_length(&given)?;
        let mut theirs = businesses;
        theirs.extend([person.name.clone(), person.email.clone()]);
        theirs.extend(person.email.split('@').map(str::to_owned));
        // Each word, too: of a text that is given whole no part is known.
        let words = |text: &String| text.split(|c: char| !c.is_alphanumeric()).map(str::to_owned).collect();
        let words: Vec<Vec<String>> = theirs.iter().map(words).collect();
        theirs.extend(words.into_iter().flatten().filter(|word| word.chars().count() >= WORD_CHARS_MIN));
        let theirs: Vec<_> = theirs.iter().map(|text| prepared(text)).collect();
        let hashed = self.work(move || check_strength(&given, &theirs).map(|()| hash(hashing, &given, salt)));
        Ok(hashed.await??)
    }
}

/// A password as it is compared: as OpaqueString of RFC 8265 says, composed (NFC), and with the spaces that some
/// keyboards make as the one of ASCII.
fn prepared(given: &str) -> String {
    let is_space = |c: char| {
        matches!(c, '\u{a0}' | '\u{1680}' | '\u{2000}'..='\u{200a}' | '\u{202f}' | '\u{205f}' | '\u{3000}')
    };
    given.nfc().map(|c| if is_space(c) { ' ' } else { c }).collect()
}

fn check_length(given: &str) -> Result<(), Refusal> {
    if CHARS.contains(&given.chars().count()) {
        return Ok(());
    }
    let message = format!("must have {} to {} characters", CHARS.start(), CHARS.end());
    Err(Refusal::invalid("password", message))
}

/// Refuses what is easily guessed by whoever knows these words of the person.
fn check_strength(given: &str, theirs: &[String]) -> Result<(), Refusal> {
    let words: Vec<&str> = theirs.iter().map(String::as_str).filter(|word| !word.is_empty()).collect();
    let estimate = zxcvbn::zxcvbn(given, &words);
    if estimate.score() >= SCORE_MIN {
        return Ok(());
    }
    let mut message = "is too easy to guess".to_owned();
    if let Some(feedback) = estimate.feedback() {
        let warning = feedback.warning().map(|warning| warning.to_string());
        let suggestions = feedback.suggestions().iter().map(ToString::to_string);
        for sentence in warning.into_iter().chain(suggestions) {
            message.push_str(if message.ends_with('.') { " " } else { ": " });
            message.push_str(&sentence);
        }
    }
    Err(Refusal::invalid("password", message))
}

fn hash(hashing: Hashing, given: &str, salt: [u8; 16]) -> String {
    let salt = SaltString::encode_b64(&salt).expect("16 bytes are a salt");
    let hash = hashing.argon().hash_password(given.as_bytes(), &salt);
    hash.expect("a password of bounded length is hashed").to_string()
}

fn verify(hash: &str, given: &str) -> bool {
    // With the parameters that stand in the hash.
    let argon = Argon2::default();
    PasswordHash::new(hash).is_ok_and(|hash| argon.verify_password(given.as_bytes(), &hash).is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{Locale, Timestamp};

    fn person() -> Person {
        let at = Timestamp::from_millis(0);
        Person {
            id: uuid::Uuid::from_u128(1).into(),
            email: "marguerite.delacroix@example.com".into(),
            name: "Marguerite Delacroix".into(),
            locale: Locale::En,
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

    async fn refused(given: &str) -> String {
        let hasher = Hasher::new(Hashing::Cheap, true);
        let businesses = vec!["Salon Lumière Montparnasse".to_owned()];
        match hasher.new_password(&person(), businesses, given, [1; 16]).await {
            Err(EngineError::Refused(Refusal::Invalid(problems))) => problems[0].message.clone(),
            other => panic!("{given}: {other:?}"),
        }
    }

    #[tokio::test]
    async fn a_password_is_12_to_256_characters_that_are_not_easily_guessed() {
        for (given, says) in [
            ("short", "12 to 256"),
            (&"é".repeat(11), "12 to 256"),
            (&"x9ä".repeat(86), "12 to 256"),
            ("passwordpassword", "easy to guess"),
            ("aaaaaaaaaaaaaaa", "easy to guess"),
            ("marguerite delacroix", "easy to guess"),
            ("Salon Lumière Montparnasse", "easy to guess"),
            ("Montparnasse2026", "easy to guess"),
        ] {
            let message = refused(given).await;
            assert!(message.contains(says), "{given}: {message}");
        }
        let hasher = Hasher::new(Hashing::Cheap, true);
        for good in ["correct horse battery staple", &"zK4!vQ9 tR7~".repeat(21)] {
            hasher.new_password(&person(), Vec::new(), good, [1; 16]).await.unwrap();
        }
    }

    #[tokio::test]
    async fn a_hash_is_argon2id_as_owasp_recommends_and_knows_its_password() {
        let hasher = Hasher::new(Hashing::Owasp, false);
        let given = "correct horse battery staple";
        let hash = hasher.new_password(&person(), Vec::new(), given, [1; 16]).await.unwrap();
        assert!(hash.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"), "{hash}");
        assert!(hasher.is_password(Some(&hash), given).await.unwrap());
        assert!(!hasher.is_password(Some(&hash), "correct horse battery stable").await.unwrap());
        for hashing in [Hashing::Owasp, Hashing::Cheap] {
            let params = PasswordHash::new(hashing.nobodys()).unwrap();
            assert_eq!(
                Params::try_from(&params).unwrap().m_cost(),
                hashing.params().m_cost(),
                "the same work"
            );
            assert!(verify(hashing.nobodys(), "gamma radiation of nobody"), "it is a hash");
        }
        let nobodys = hasher.is_password(None, "gamma radiation of nobody");
        assert!(!nobodys.await.unwrap(), "nobody's password is nobody's");
        assert!(!hasher.is_password(Some("no hash"), given).await.unwrap());
    }

    #[tokio::test]
    async fn a_password_is_the_same_however_its_characters_are_composed() {
        let hasher = Hasher::new(Hashing::Cheap, true);
        let [composed, decomposed] =
            ["été à la plage précise", "e\u{301}te\u{301} a\u{300} la plage pre\u{301}cise"];
        assert_ne!(composed, decomposed);
        for (kept, given) in [(composed, decomposed), (decomposed, composed)] {
            let hash = hasher.new_password(&person(), Vec::new(), kept, [1; 16]).await.unwrap();
            assert!(hasher.is_password(Some(&hash), given).await.unwrap(), "{given:?}");
            let spaces = given.replace(' ', "\u{a0}");
            assert!(hasher.is_password(Some(&hash), &spaces).await.unwrap(), "{spaces:?}");
            assert!(!hasher.is_password(Some(&hash), &given.replace('p', "q")).await.unwrap());
        }
        // It is as long as it is composed, for choosing and for giving it.
        assert!(refused(&"e\u{301}".repeat(11)).await.contains("12 to 256"));
        let long = "e\u{301}zK4!vQ9 tR7".repeat(21);
        assert!(long.chars().count() > 256);
        let hash = hasher.new_password(&person(), Vec::new(), &long, [1; 16]).await.unwrap();
        assert!(hasher.is_password(Some(&hash), &long).await.unwrap());
    }

    #[tokio::test]
    async fn what_is_guessed_of_a_person_is_known_however_it_is_composed() {
        assert!(refused("Salon Lumie\u{300}re Montparnasse").await.contains("easy to guess"));
    }

    #[tokio::test]
    async fn more_than_may_wait_are_refused() {
        let hasher = Hasher::new(Hashing::Cheap, true);
        let all =
            Arc::clone(&hasher.all).try_acquire_many_owned(u32::try_from(AT_ONCE + WAITING_MAX).unwrap());
        assert!(matches!(hasher.is_password(None, "x").await, Err(EngineError::Overloaded)));
        drop(all);
        assert!(!hasher.is_password(None, "x").await.unwrap());
    }
}
