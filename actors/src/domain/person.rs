//! A person's account: sign-in links, sessions and the password, and the rules that nobody is handed another's account.
//!
//! What always holds: of a link and a session only a SHA-256 is kept; there is one link at most, for a newer one voids
//! the one before; a new password or e-mail address voids it, and a new password ends every other session; what bears a
//! stamp of the future lets nobody in, for a clock was wrong.

use chrono::TimeDelta;

use super::address::{Address, fold_address};
use super::link::{AHEAD_MAX, Link, LinkKind};
use super::{BusinessId, Conflict, Denied, Locale, PersonId, ProblemCode, Refusal, SessionId, Timestamp};

/// How many sessions a person has at most; one more ends the one that was unused for longest.
pub const SESSIONS_MAX: usize = 32;
/// A session ends when nobody used it for so long.
const SESSION_UNUSED_MAX: TimeDelta = TimeDelta::days(7);
/// A session ends after so long.
const SESSION_MAX: TimeDelta = TimeDelta::days(30);
/// A session that may only set a password ends after so long.
const RESTRICTED_MAX: TimeDelta = TimeDelta::hours(1);
/// For so long after the password was given nobody asks for it again.
const PASSWORD_FRESH: TimeDelta = TimeDelta::minutes(15);
/// A use is written when the one that is written is older than this.
pub const USE_WRITTEN_AFTER: TimeDelta = TimeDelta::hours(1);
/// How long an account is kept that nobody ever came to own, and that belongs to no business.
const ORPHAN_KEPT: TimeDelta = TimeDelta::days(1);
/// How long one is kept that somebody came to own, and that belongs to no business any more and lets nobody in.
const LEFT_KEPT: TimeDelta = TimeDelta::days(90);
/// How many characters of a browser's name are kept.
pub const USER_AGENT_CHARS_MAX: usize = 200;

/// What a session was begun from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Client {
    /// The address, as it is written.
    pub address: Option<String>,
    /// What the browser calls itself, cut.
    pub user_agent: String,
}

/// A session.
#[derive(Clone, PartialEq, Eq)]
pub struct Session {
    /// Its id, by which it is seen and ended.
    pub id: SessionId,
    /// SHA-256 of its token.
    pub hash: [u8; 32],
    /// When it was begun.
    pub created_at: Timestamp,
    /// When it was last used, as far as that is written.
    pub last_used_at: Timestamp,
    /// When the password was last given in it.
    pub password_at: Timestamp,
    /// From where it was begun.
    pub client: Client,
    /// Whether it may only set a password or sign out.
    pub restricted: bool,
    /// The membership that the link which led here came from: setting the password accepts it, and where that cannot be
    /// just then its person does in this session.
    pub business_id: Option<BusinessId>,
}

impl Session {
    /// Whether it still lets in.
    pub fn is_good(&self, now: Timestamp) -> bool {
        let most = if self.restricted { RESTRICTED_MAX } else { SESSION_MAX };
        let newest = self.last_used_at.max(self.created_at);
        newest <= now + AHEAD_MAX && now < self.created_at + most && now < newest + SESSION_UNUSED_MAX
    }

    /// Whether the password was given so lately that nobody asks for it again.
    pub fn is_fresh(&self, now: Timestamp) -> bool {
        check_password_at(Some(self.password_at), now).is_ok()
    }
}

/// Refuses what somebody asks for who did not give their password lately.
pub fn check_password_at(password_at: Option<Timestamp>, now: Timestamp) -> Result<(), Refusal> {
    match password_at {
        Some(at) if at <= now + AHEAD_MAX && now < at + PASSWORD_FRESH => Ok(()),
        _ => Err(Refusal::NotAllowed(Denied::PasswordAgain)),
    }
}

/// Tokens are secrets even as hashes: what a person is does not show in a log.
macro_rules! hidden {
    ($($type:ident: $field:ident),*) => {$(
        impl std::fmt::Debug for $type {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.debug_struct(stringify!($type)).field(stringify!($field), &self.$field).finish_non_exhaustive()
            }
        }
    )*};
}

hidden!(Session: id, Person: id);

/// A person's account.
#[derive(Clone, PartialEq, Eq)]
pub struct Person {
    /// Their id.
    pub id: PersonId,
    /// Their e-mail address as it was written.
    pub email: String,
    /// Their name; empty when nobody said.
    pub name: String,
    /// Their language.
    pub locale: Locale,
    /// Whether it was shown that the account is that of whoever reads mail to its address.
    pub confirmed: bool,
    /// The Argon2id hash of the password (a PHC string), once there is one.
    pub password: Option<String>,
    /// When the account was made.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
    /// When they last signed in.
    pub last_sign_in_at: Option<Timestamp>,
    /// Their sessions, those that have ended too until they are swept.
    pub sessions: Vec<Session>,
    /// The newest link that was made for them and not used.
    pub link: Option<Link>,
    /// What was mailed before bears no link any more: one was used or handed over since, or the password or the address
    /// became another one.
    pub links_from: Timestamp,
}

/// How a session is begun.
#[derive(Clone, Debug)]
pub struct Begin {
    /// Its id.
    pub id: SessionId,
    /// SHA-256 of its token.
    pub hash: [u8; 32],
    /// From where.
    pub client: Client,
}

impl Person {
    /// Their e-mail address as it is compared.
    pub fn email_folded(&self) -> String {
        fold_address(&self.email)
    }

    /// Whether whoever can sign in is the person: the account is confirmed, or nobody can, nor could by a link that was
    /// shown to somebody else.
    pub fn is_safe(&self) -> bool {
        let shown = self.link.as_ref().is_some_and(|link| !link.confirms);
        self.confirmed || (self.password.is_none() && self.sessions.is_empty() && !shown)
    }

    /// Whether somebody else may have set the password.
    pub fn may_be_anothers(&self) -> bool {
        !self.confirmed && self.password.is_some()
    }

    /// The session of a token that still lets in.
    pub fn session(&self, hash: &[u8; 32], now: Timestamp) -> Option<&Session> {
        self.sessions.iter().find(|session| session.hash == *hash && session.is_good(now))
    }

    /// Begins a session with the password.
    pub fn sign_in(&mut self, begin: Begin, now: Timestamp) {
        self.last_sign_in_at = Some(now);
        self.begin(begin, false, None, now);
    }

    pub(super) fn begin(
        &mut self,
        begin: Begin,
        restricted: bool,
        business_id: Option<BusinessId>,
        now: Timestamp,
    ) {
        self.end_sessions(|session| !session.is_good(now));
        while self.sessions.len() >= SESSIONS_MAX {
            let oldest = self.sessions.iter().enumerate().min_by_key(|(_, session)| session.last_used_at);
            let Some((at, _)) = oldest else { break };
            self.sessions.remove(at);
        }
        let Begin { id, hash, client } = begin;
        self.sessions.push(Session {
            id,
            hash,
            created_at: now,
            last_used_at: now,
            password_at: now,
            client,
            restricted,
            business_id,
        });
    }

    /// Sets the password in a session, which becomes another one; ends all others and voids the link. Gives the
    /// membership that this accepts.
    ///
    /// # Errors
    /// [`Refusal::Expired`] when the session has ended; [`Refusal::NotAllowed`] when the password has to be given again.
    pub fn set_password(
        &mut self,
        hash: &[u8; 32],
        password: String,
        begin: Begin,
        now: Timestamp,
    ) -> Result<Option<BusinessId>, Refusal> {
        let session = self.session(hash, now).ok_or(Refusal::Expired)?;
        if !session.restricted {
            check_password_at(Some(session.password_at), now)?;
        }
        let accepts = session.business_id.filter(|_| session.restricted);
        self.sessions.clear();
        self.link = None;
        self.password = Some(password);
        (self.updated_at, self.links_from) = (now, now);
        self.last_sign_in_at = Some(now);
        // What cannot be accepted just now is still accepted in it.
        self.begin(begin, false, accepts, now);
        Ok(accepts)
    }

    /// Asks for another e-mail address, in a session in which the password was given lately. Without mail it counts at
    /// once, and is not confirmed; with mail, once the link was used.
    ///
    /// # Errors
    /// [`Refusal::Expired`], [`Refusal::NotAllowed`]; [`Refusal::Conflict`] while an account that is not confirmed has a
    /// link that would confirm its present address.
    pub fn change_email(
        &mut self,
        hash: &[u8; 32],
        email: &Address,
        mailed: Option<[u8; 32]>,
        now: Timestamp,
    ) -> Result<(), Refusal> {
        let session = self.session(hash, now).ok_or(Refusal::Expired)?;
        check_password_at(Some(session.password_at).filter(|_| !session.restricted), now)?;
        let confirms = |link: &Link| link.confirms && link.kind != LinkKind::Email && link.is_good(now);
        if mailed.is_some() && !self.confirmed && self.link.as_ref().is_some_and(confirms) {
            // Whoever set the password need not be the person, and is not to take from them what was mailed.
            return Err(Refusal::conflict(Conflict::AccountUnconfirmed, "email", ProblemCode::UseMailedLink));
        }
        self.link = None;
        match mailed {
            Some(hash) => {
                self.link = Some(Link {
                    hash,
                    kind: LinkKind::Email,
                    created_at: now,
                    confirms: true,
                    business_id: None,
                    email: Some(email.as_str().to_owned()),
                });
            }
            None => {
                email.as_str().clone_into(&mut self.email);
                (self.confirmed, self.updated_at, self.links_from) = (false, now, now);
            }
        }
        Ok(())
    }

    /// Takes away what somebody else may have set in an account that is not confirmed, before the operator adds it to a
    /// business; whether anything was.
    pub fn clear_unconfirmed(&mut self, now: Timestamp) -> bool {
        let clears = !self.confirmed && (self.password.is_some() || !self.sessions.is_empty());
        if clears {
            (self.password, self.link) = (None, None);
            (self.updated_at, self.links_from) = (now, now);
            self.sessions.clear();
        }
        clears
    }

    /// Ends the sessions of which this is so; whether there were any.
    pub fn end_sessions(&mut self, which: impl Fn(&Session) -> bool) -> bool {
        let before = self.sessions.len();
        self.sessions.retain(|session| !which(session));
        self.sessions.len() < before
    }

    /// Forgets the link and sessions that have expired; whether there were any.
    pub fn forget_expired(&mut self, now: Timestamp) -> bool {
        let link = self.link.take_if(|link| !link.is_good(now)).is_some();
        self.end_sessions(|session| !session.is_good(now)) || link
    }

    /// Whether the account ends if it belongs to no business, which is to be looked at besides: nobody ever came to own
    /// it and it had time enough to belong to one, or nobody has used it for long. So nobody keeps an address for good
    /// that is another's, and what is known of whoever left does not stay.
    pub fn may_be_orphan(&self, now: Timestamp) -> bool {
        let unused = self.password.is_none() && self.last_sign_in_at.is_none();
        let kept = if unused { ORPHAN_KEPT } else { LEFT_KEPT };
        let newest = self.updated_at.max(self.last_sign_in_at.unwrap_or(self.updated_at));
        self.sessions.is_empty() && self.link.is_none() && now >= newest + kept
    }
}

#[cfg(test)]
mod tests;
