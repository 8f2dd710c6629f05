//! Sign-in with a password, and the repeated check of the password before sensitive changes.
//!
//! Invariants:
//!
//! - An unknown address and a wrong password get the same response after the same work.
//! - A failure is counted before the response is sent.

use std::net::IpAddr;
use std::time::Duration;

use domain::{
    Actor, Address, AuditAction, Client, Denied, Person, PersonId, Refusal, USER_AGENT_CHARS_MAX,
    fold_address,
};
use store::Weight;

use super::handle::People;
use super::password::PasswordCheck;
use super::sessions::SignedIn;
use super::token::Token;
use crate::error::{EngineError, Result};

#[derive(Clone, Debug)]
pub struct From {
    /// The address under which failures are counted. For IPv6, it is the /64 network of the client.
    pub network: IpAddr,
    pub client: Client,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SignIn {
    In(Token),
    /// The password is right. The client already had a session, and this session continues.
    Known,
    /// The address is unknown or the password is wrong.
    Wrong,
    /// Too many sign-ins from this IP address have failed. The value is the time until the next allowed attempt.
    TooMany(Duration),
}

impl From {
    /// Truncates the user agent to its maximum stored length.
    pub fn new(address: IpAddr, network: IpAddr, user_agent: &str) -> Self {
        let user_agent = user_agent.chars().filter(|c| !c.is_control()).take(USER_AGENT_CHARS_MAX).collect();
        Self { network, client: Client { address: Some(address.to_string()), user_agent } }
    }
}

/// The session that a right password begins or renews.
enum Enters {
    New(Client),
    Known([u8; 32]),
}

struct Right {
    /// The hash that was stored when the password was checked.
    kept: Option<String>,
    check: PasswordCheck,
}

impl Right {
    /// Returns true if the password has not changed since `check`. If the check has made a new hash, puts the hash into
    /// `person`.
    fn still_is(self, person: &mut Person) -> bool {
        let again = match self.check {
            PasswordCheck::AsGiven(hash) => Some(hash),
            PasswordCheck::Right | PasswordCheck::Wrong => None,
        };
        // Another check of the same password, at the same time, may have stored the new hash already.
        let still = person.password == self.kept || (again.is_some() && person.password == again);
        if still && again.is_some() {
            person.password = again;
        }
        still
    }
}

impl People {
    /// Signs in with a password. Fails with [`EngineError::Overloaded`] if too many passwords are being checked.
    pub async fn sign_in(&self, email: &str, password: &str, from: From) -> Result<SignIn> {
        let From { network, client } = from;
        let folded = Address::new(email).map(|email| email.folded().to_owned());
        let person = match &folded {
            Ok(email) => self.by_email(email).await?,
            Err(_) => None,
        };
        let email = folded.unwrap_or_else(|_| fold_address(email));
        self.try_password((email, person), password, network, Enters::New(client)).await
    }

    /// Checks the password again in a session. Fails with the errors of [`Self::sign_in`], or with [`Refusal::Expired`]
    /// if the session has ended.
    pub async fn give_password(&self, token: &Token, password: &str, network: IpAddr) -> Result<SignIn> {
        let SignedIn { person, session, .. } = self.session(token).await?.ok_or(Refusal::Expired)?;
        if session.restricted {
            return Err(Refusal::NotAllowed(Denied::RestrictedSession).into());
        }
        let email = person.email_folded();
        let enters = Enters::Known(token.hash());
        self.try_password((email, Some((*person).clone())), password, network, enters).await
    }

    async fn try_password(
        &self,
        (email, person): (String, Option<Person>),
        password: &str,
        network: IpAddr,
        enters: Enters,
    ) -> Result<SignIn> {
        let (people, password) = (self.clone(), password.to_owned());
        // The attempt counts as a failure from its start. If the check finds that the password is right, it removes the
        // attempt from the count. This must happen even if the caller is cancelled, so the check runs in its own task.
        let tried =
            tokio::spawn(
                async move { people.try_to_the_end((&email, person), &password, network, enters).await },
            );
        let (came, wait) = tried.await.map_err(|_| EngineError::Failed)??;
        if wait > Duration::ZERO {
            tokio::time::sleep(wait).await;
        }
        Ok(came)
    }

    async fn try_to_the_end(
        &self,
        (email, person): (&str, Option<Person>),
        password: &str,
        network: IpAddr,
        enters: Enters,
    ) -> Result<(SignIn, Duration)> {
        let begun = match self.persons.attempts.begin(network, email, self.shared().clocks.now())? {
            Ok(begun) => begun,
            Err(retry_after) => return Ok((SignIn::TooMany(retry_after), Duration::ZERO)),
        };
        let kept = person.as_ref().and_then(|person| person.password.clone());
        let check = self.persons.hasher.check(kept.as_deref(), password).await;
        let came = match (check, person) {
            (Err(error), _) => Err(error),
            (Ok(PasswordCheck::Wrong), _) | (Ok(_), None) => Ok(SignIn::Wrong),
            (Ok(check), Some(person)) => self.right_password(person.id, Right { kept, check }, enters).await,
        };
        // Only a wrong password counts as a failure. An error of the service does not count.
        let wait = if matches!(came, Ok(SignIn::Wrong)) { begun.delay() } else { begun.forgive() };
        Ok((came?, wait))
    }

    async fn right_password(&self, id: PersonId, right: Right, enters: Enters) -> Result<SignIn> {
        let (came, action, begin) = match &enters {
            Enters::New(client) => {
                let (token, begin) = self.begin(client.clone());
                (SignIn::In(token), AuditAction::PersonSignedIn, Some(begin))
            }
            Enters::Known(_) => (SignIn::Known, AuditAction::PersonPasswordGiven, None),
        };
        let noted = self.change(id, (Actor::Person(id), action, Weight::Frees), move |person, now| {
            let still = right.still_is(person);
            match (begin, enters) {
                (Some(begin), _) if still => person.sign_in(begin, now),
                (None, Enters::Known(hash)) if still => {
                    let session = person.sessions.iter_mut().find(|session| session.hash == hash);
                    session.into_iter().for_each(|session| session.password_at = now);
                }
                _ => {}
            }
            Ok(still)
        });
        match noted.await {
            Ok(true) => Ok(came),
            Ok(false) | Err(EngineError::NotFound) => Ok(SignIn::Wrong),
            Err(error) => Err(error),
        }
    }
}
