//! A person's account: sign-in links, sessions and the password, and the rules that nobody is handed another's account.
//!
//! What always holds: of a link and a session only a SHA-256 is kept; there is one link at most, for a newer one voids
//! the one before; a new password or e-mail address voids it, and a new password ends every other session; what bears a
//! stamp of the future lets nobody in, for a clock was wrong.

use chrono::TimeDelta;

use super::words::words;
use super::{BusinessId, Email, Locale, PersonId, Refusal, SessionId, Timestamp};

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
/// How far a stamp may lie ahead: what the believed clock goes back without a doubt.
const AHEAD_MAX: TimeDelta = TimeDelta::minutes(1);
/// How long an account is kept that nobody ever came to own, and that belongs to no business.
const ORPHAN_KEPT: TimeDelta = TimeDelta::days(1);
/// How many characters of a browser's name are kept.
pub const USER_AGENT_CHARS_MAX: usize = 200;

words! {
    /// What a link is for.
    LinkKind {
        /// Choosing the first password.
        Invitation = "invitation",
        /// Choosing another one.
        Reset = "reset",
        /// Signing in; the operator alone makes one.
        Enter = "enter",
        /// Proving a new e-mail address.
        Email = "email",
    }
}

impl LinkKind {
    /// How long it is good.
    pub fn kept(self) -> TimeDelta {
        match self {
            Self::Invitation => TimeDelta::days(7),
            Self::Reset | Self::Email => TimeDelta::hours(1),
            Self::Enter => TimeDelta::minutes(10),
        }
    }
}

/// A link that was made and not used.
#[derive(Clone, PartialEq, Eq)]
pub struct Link {
    /// SHA-256 of its token.
    pub hash: [u8; 32],
    /// What it is for.
    pub kind: LinkKind,
    /// When it was made.
    pub created_at: Timestamp,
    /// Whether using it shows that the person is who they are: it was mailed, or the operator made it.
    pub confirms: bool,
    /// The membership that using it accepts.
    pub business_id: Option<BusinessId>,
    /// The e-mail address that using it proves.
    pub email: Option<String>,
}

impl Link {
    /// When it expires.
    pub fn expires_at(&self) -> Timestamp {
        self.created_at + self.kind.kept()
    }

    /// Whether it may be used.
    pub fn is_good(&self, now: Timestamp) -> bool {
        self.created_at <= now + AHEAD_MAX && now < self.expires_at()
    }
}

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
    /// The membership that setting the password accepts.
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
        self.password_at <= now + AHEAD_MAX && now < self.password_at + PASSWORD_FRESH
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

hidden!(Link: kind, Session: id, Person: id);

/// An e-mail address as it was written, good to be compared in lower case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Address {
    written: String,
    folded: Email,
}

impl Address {
    /// Takes an address as [`Email`] does, and keeps how it was written.
    ///
    /// # Errors
    /// As [`Email::new`].
    pub fn new(text: &str) -> Result<Self, super::TextError> {
        Ok(Self { written: text.to_owned(), folded: Email::new(text)? })
    }

    /// As it was written.
    pub fn as_str(&self) -> &str {
        &self.written
    }

    /// In lower case, as it is compared.
    pub fn folded(&self) -> &str {
        self.folded.as_str()
    }
}

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

/// How a link comes to its person.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Handed {
    /// The operator hands it over.
    Operator,
    /// It is mailed to the person's address.
    Mailed,
    /// A dashboard shows it to whoever invited the person.
    Shown,
}

impl Person {
    /// Their e-mail address in lower case, as it is compared.
    pub fn email_folded(&self) -> String {
        self.email.to_lowercase()
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

    /// The kind of link that fits when nobody says: the first password, or another one.
    pub fn fitting_link(&self) -> LinkKind {
        if self.password.is_none() { LinkKind::Invitation } else { LinkKind::Reset }
    }

    /// Makes a link, which voids the one before.
    ///
    /// # Errors
    /// [`Refusal::Conflict`] for an invitation of an account that has a password, and for a link that would hand somebody
    /// else's account over.
    pub fn make_link(
        &mut self,
        kind: LinkKind,
        (hash, handed): ([u8; 32], Handed),
        business_id: Option<BusinessId>,
        now: Timestamp,
    ) -> Result<&Link, Refusal> {
        if kind == LinkKind::Invitation && self.password.is_some() {
            return Err(Refusal::conflict(
                "the account has a password",
                "kind",
                "an invitation is for an account without one: make a reset",
            ));
        }
        let is_meant = match handed {
            Handed::Operator => kind != LinkKind::Email,
            Handed::Mailed => kind != LinkKind::Enter,
            Handed::Shown => kind == LinkKind::Invitation,
        };
        if !is_meant {
            return Err(Refusal::NotAllowed("a link of this kind is not made this way"));
        }
        let confirms = handed != Handed::Shown;
        Ok(self.link.insert(Link { hash, kind, created_at: now, confirms, business_id, email: None }))
    }

    /// Gives the link another token that shows this address to be theirs, and when it expires; nothing where they ask for
    /// that address no more.
    pub fn renew_email_link(&mut self, hash: [u8; 32], email: &str, now: Timestamp) -> Option<Timestamp> {
        let link = self.link.as_mut().filter(|link| link.kind == LinkKind::Email && link.is_good(now))?;
        if link.email.as_deref() != Some(email) {
            return None;
        }
        link.hash = hash;
        Some(link.expires_at())
    }

    /// Uses a link up, and begins the session that it leads to, if any.
    ///
    /// # Errors
    /// [`Refusal::Expired`] for one that was used, expired, or voided.
    pub fn use_link(&mut self, hash: &[u8; 32], begin: Begin, now: Timestamp) -> Result<LinkKind, Refusal> {
        let link = self.link.take_if(|link| link.hash == *hash && link.is_good(now));
        let link = link.ok_or(Refusal::Expired)?;
        self.updated_at = now;
        if link.kind == LinkKind::Email {
            if let Some(email) = link.email {
                self.email = email;
            }
            self.confirmed = true;
            return Ok(link.kind);
        }
        if link.confirms && !self.confirmed {
            // Whoever set the password before need not have been the person.
            self.password = None;
            self.sessions.clear();
            self.confirmed = true;
        }
        let restricted = link.kind != LinkKind::Enter;
        if !restricted {
            self.last_sign_in_at = Some(now);
        }
        self.begin(begin, restricted, link.business_id, now);
        Ok(link.kind)
    }

    /// Begins a session with the password.
    pub fn sign_in(&mut self, begin: Begin, now: Timestamp) {
        self.last_sign_in_at = Some(now);
        self.begin(begin, false, None, now);
    }

    fn begin(&mut self, begin: Begin, restricted: bool, business_id: Option<BusinessId>, now: Timestamp) {
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
        if !session.restricted && !session.is_fresh(now) {
            return Err(Refusal::NotAllowed(PASSWORD_FIRST));
        }
        let accepts = session.business_id.filter(|_| session.restricted);
        self.sessions.clear();
        self.link = None;
        self.password = Some(password);
        self.updated_at = now;
        self.last_sign_in_at = Some(now);
        self.begin(begin, false, None, now);
        Ok(accepts)
    }

    /// Asks for another e-mail address, in a session in which the password was given lately. Without mail it counts at
    /// once, and is not confirmed; with mail, once the link was used.
    ///
    /// # Errors
    /// [`Refusal::Expired`], [`Refusal::NotAllowed`].
    pub fn change_email(
        &mut self,
        hash: &[u8; 32],
        email: &Address,
        mailed: Option<[u8; 32]>,
        now: Timestamp,
    ) -> Result<(), Refusal> {
        let session = self.session(hash, now).ok_or(Refusal::Expired)?;
        if session.restricted || !session.is_fresh(now) {
            return Err(Refusal::NotAllowed(PASSWORD_FIRST));
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
                (self.confirmed, self.updated_at) = (false, now);
            }
        }
        Ok(())
    }

    /// Takes away what somebody else may have set in an account that is not confirmed, before the operator adds it to a
    /// business; whether anything was.
    pub fn clear_unconfirmed(&mut self, now: Timestamp) -> bool {
        let clears = !self.confirmed && (self.password.is_some() || !self.sessions.is_empty());
        if clears {
            (self.password, self.link, self.updated_at) = (None, None, now);
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

    /// Whether nobody ever came to own the account and it had time enough to belong to a business. Whether it does is to
    /// be looked at besides.
    pub fn may_be_orphan(&self, now: Timestamp) -> bool {
        let unused = self.password.is_none() && self.last_sign_in_at.is_none();
        unused && self.sessions.is_empty() && self.link.is_none() && now >= self.updated_at + ORPHAN_KEPT
    }
}

/// Why something sensitive is not done.
const PASSWORD_FIRST: &str = "the password has to be given again first";

#[cfg(test)]
mod tests;
