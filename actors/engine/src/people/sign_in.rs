//! Signing in with a password, and giving it again.
//!
//! What always holds: an unknown address and a wrong password are answered the same after the same work; a failure is
//! counted before it is answered.

use std::net::IpAddr;
use std::time::Duration;

use domain::{
    Actor, Address, AuditAction, Client, Denied, Person, PersonId, Refusal, USER_AGENT_CHARS_MAX,
    fold_address,
};
use store::Weight;

use super::handle::People;
use super::password::Looked;
use super::sessions::SignedIn;
use super::token::Token;
use crate::error::EngineError;

/// From where somebody signs in.
#[derive(Clone, Debug)]
pub struct From {
    /// The address that failures are counted of; of IPv6 the network of 64 bits.
    pub network: IpAddr,
    /// The address itself, and the browser.
    pub client: Client,
}

/// What came of trying to sign in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SignIn {
    /// The token of the session that was begun.
    In(Token),
    /// The password was right, in the session that there is.
    Known,
    /// The address is unknown or the password wrong.
    Wrong,
    /// There were too many failures from there: to be tried again after so long.
    TooMany(Duration),
}

impl From {
    /// Somebody at an address, with the browser's name cut to what is kept.
    pub fn new(address: IpAddr, network: IpAddr, user_agent: &str) -> Self {
        let user_agent = user_agent.chars().filter(|c| !c.is_control()).take(USER_AGENT_CHARS_MAX).collect();
        Self { network, client: Client { address: Some(address.to_string()), user_agent } }
    }
}

/// What is done once the password was right.
enum Then {
    Begin(Client),
    Note([u8; 32]),
}

/// A password that was right.
struct Right {
    /// The hash that it was held against.
    kept: Option<String>,
    looked: Looked,
}

impl Right {
    /// Whether it still is the person's; then it is kept as it shall be.
    fn still_is(self, person: &mut Person) -> bool {
        let again = match self.looked {
            Looked::AsGiven(hash) => Some(hash),
            Looked::Right | Looked::Wrong => None,
        };
        // Somebody who looked at the same time may have kept it so already.
        let still = person.password == self.kept || (again.is_some() && person.password == again);
        if still && again.is_some() {
            person.password = again;
        }
        still
    }
}

impl People {
    /// Begins a session for whoever knows the password.
    ///
    /// # Errors
    /// [`EngineError::Overloaded`] when too many passwords are being hashed, or the engine's failure.
    pub async fn sign_in(&self, email: &str, password: &str, from: From) -> Result<SignIn, EngineError> {
        let From { network, client } = from;
        let folded = Address::new(email).map(|email| email.folded().to_owned());
        let person = match &folded {
            Ok(email) => self.by_email(email).await?,
            Err(_) => None,
        };
        let email = folded.unwrap_or_else(|_| fold_address(email));
        self.try_password((email, person), password, network, Then::Begin(client)).await
    }

    /// Gives the password again in a session, which sensitive changes ask for.
    ///
    /// # Errors
    /// [`Refusal::Expired`] when the session has ended, and as above.
    pub async fn give_password(
        &self,
        token: &Token,
        password: &str,
        network: IpAddr,
    ) -> Result<SignIn, EngineError> {
        let SignedIn { person, session, .. } = self.session(token).await?.ok_or(Refusal::Expired)?;
        if session.restricted {
            return Err(Refusal::NotAllowed(Denied::RestrictedSession).into());
        }
        let email = person.email_folded();
        let then = Then::Note(token.hash());
        self.try_password((email, Some((*person).clone())), password, network, then).await
    }

    async fn try_password(
        &self,
        (email, person): (String, Option<Person>),
        password: &str,
        network: IpAddr,
        then: Then,
    ) -> Result<SignIn, EngineError> {
        let (people, password) = (self.clone(), password.to_owned());
        // In a task of its own, so that a try counts for as long as its password is hashed, and no longer as a failure
        // once the password was right, although the caller goes away.
        let tried =
            tokio::spawn(
                async move { people.try_to_the_end((&email, person), &password, network, then).await },
            );
        let (came, wait) = tried.await.map_err(|_| EngineError::Failed)??;
        if wait > Duration::ZERO {
            tokio::time::sleep(wait).await;
        }
        Ok(came)
    }

    /// What came of a try, and how long its answer waits.
    async fn try_to_the_end(
        &self,
        (email, person): (&str, Option<Person>),
        password: &str,
        network: IpAddr,
        then: Then,
    ) -> Result<(SignIn, Duration), EngineError> {
        let begun = match self.shared.attempts.begin(network, email, self.shared.clocks.now())? {
            Ok(begun) => begun,
            Err(retry_after) => return Ok((SignIn::TooMany(retry_after), Duration::ZERO)),
        };
        let kept = person.as_ref().and_then(|person| person.password.clone());
        let looked = self.shared.hasher.look(kept.as_deref(), password).await;
        let came = match (looked, person) {
            (Err(error), _) => Err(error),
            (Ok(Looked::Wrong), _) | (Ok(_), None) => Ok(SignIn::Wrong),
            (Ok(looked), Some(person)) => self.right_password(person.id, Right { kept, looked }, then).await,
        };
        // What failed for our own sake is nobody's failure.
        let wait = if matches!(came, Ok(SignIn::Wrong)) { begun.delay() } else { begun.forgive() };
        Ok((came?, wait))
    }

    /// Goes on behind the right password, if it still is.
    async fn right_password(&self, id: PersonId, right: Right, then: Then) -> Result<SignIn, EngineError> {
        let by = Actor::Person(id);
        match then {
            Then::Begin(client) => {
                let (token, begin) = self.begin(client);
                let of = (by, AuditAction::PersonSignedIn, Weight::Frees);
                let begun = self.change(id, of, move |person, now| {
                    let still = right.still_is(person);
                    if still {
                        person.sign_in(begin, now);
                    }
                    Ok(still)
                });
                match begun.await {
                    Ok(true) => Ok(SignIn::In(token)),
                    Ok(false) | Err(EngineError::NotFound) => Ok(SignIn::Wrong),
                    Err(error) => Err(error),
                }
            }
            Then::Note(hash) => {
                let of = (by, AuditAction::PersonPasswordGiven, Weight::Frees);
                let noted = self.change(id, of, move |person, now| {
                    let still = right.still_is(person);
                    let sessions = person.sessions.iter_mut();
                    for session in sessions.filter(|session| still && session.hash == hash) {
                        session.password_at = now;
                    }
                    Ok(still)
                });
                Ok(if noted.await? { SignIn::Known } else { SignIn::Wrong })
            }
        }
    }
}
