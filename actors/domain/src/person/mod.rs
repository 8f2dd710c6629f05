//! A person's account: password, sessions and sign-in link.
//!
//! Invariants:
//!
//! - the store contains only the SHA-256 hashes of the tokens of links and sessions;
//! - a person has at most one link; a new link replaces it, and a new password or address deletes it;
//! - a new password ends every other session;
//! - a link or session with a time stamp in the future grants no access, because a wrong clock set it.

use chrono::TimeDelta;

use super::address::{Address, fold_address};
use super::link::{AHEAD_MAX, Link, LinkKind};
use super::words::words;
use super::{
    BusinessId, Conflict, Denied, Locale, PersonId, PersonName, ProblemCode, Refusal, SessionId, Timestamp,
};

/// The maximum number of sessions. A further session ends the session that has been unused for longest.
pub const SESSIONS_MAX: usize = 32;
const SESSION_UNUSED_MAX: TimeDelta = TimeDelta::days(7);
const SESSION_MAX: TimeDelta = TimeDelta::days(30);
/// The maximum age of a session that can only set a password.
const RESTRICTED_MAX: TimeDelta = TimeDelta::hours(1);
const PASSWORD_FRESH: TimeDelta = TimeDelta::minutes(15);
pub const USE_WRITTEN_AFTER: TimeDelta = TimeDelta::hours(1);
const ORPHAN_KEPT: TimeDelta = TimeDelta::days(1);
const LEFT_KEPT: TimeDelta = TimeDelta::days(90);
pub const USER_AGENT_CHARS_MAX: usize = 200;

words! {
    /// The format of times on the dashboard pages.
    ClockFormat {
        /// The usual format in the phone region of the business.
        Auto = "auto",
        Twelve = "12",
        TwentyFour = "24",
    }

    /// The first day of the week on the dashboard pages.
    WeekStart {
        /// The usual first day of the week in the phone region of the business.
        Auto = "auto",
        Monday = "monday",
        Sunday = "sunday",
        Saturday = "saturday",
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Client {
    pub address: Option<String>,
    pub user_agent: String,
}

#[derive(Clone, PartialEq, Eq)]
pub struct Session {
    pub id: SessionId,
    pub hash: [u8; 32],
    pub created_at: Timestamp,
    pub last_used_at: Timestamp,
    pub password_at: Timestamp,
    pub client: Client,
    /// Whether the session can only set a password or sign out.
    pub restricted: bool,
    /// If the session began with the link of a membership offer, this is the business that made the offer. If the
    /// person of a `restricted` session sets a password, a new session with the same `business_id` begins. The service
    /// then tries to accept the offer. If this fails, the person can accept the offer later in the new session.
    pub business_id: Option<BusinessId>,
}

impl Session {
    pub fn is_good(&self, now: Timestamp) -> bool {
        let most = if self.restricted { RESTRICTED_MAX } else { SESSION_MAX };
        let newest = self.last_used_at.max(self.created_at);
        newest <= now + AHEAD_MAX && now < self.created_at + most && now < newest + SESSION_UNUSED_MAX
    }

    pub fn is_fresh(&self, now: Timestamp) -> bool {
        check_password_at(Some(self.password_at), now).is_ok()
    }
}

pub fn check_password_at(password_at: Option<Timestamp>, now: Timestamp) -> Result<(), Refusal> {
    match password_at {
        Some(at) if at <= now + AHEAD_MAX && now < at + PASSWORD_FRESH => Ok(()),
        _ => Err(Refusal::NotAllowed(Denied::PasswordAgain)),
    }
}

/// Implements `Debug` for each type. The output contains only the given field of the type, so logs contain no hashes of
/// tokens and no personal data.
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

#[derive(Clone, PartialEq, Eq)]
pub struct Person {
    pub id: PersonId,
    /// The email address as the person wrote it.
    pub email: String,
    pub name: String,
    pub locale: Locale,
    pub clock: ClockFormat,
    pub week_start: WeekStart,
    /// Whether the person has proved that they receive mail at the address.
    pub confirmed: bool,
    /// The Argon2id hash of the password, as a PHC string.
    pub password: Option<String>,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
    pub last_sign_in_at: Option<Timestamp>,
    pub sessions: Vec<Session>,
    pub link: Option<Link>,
    /// Links in mails that were written before this time are no longer valid.
    pub links_from: Timestamp,
}

/// A partial update of the settings of an account. `None` keeps a field.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AccountPatch {
    pub name: Option<PersonName>,
    pub locale: Option<Locale>,
    pub clock: Option<ClockFormat>,
    pub week_start: Option<WeekStart>,
}

impl AccountPatch {
    pub fn named(name: PersonName) -> Self {
        Self { name: Some(name), ..Self::default() }
    }

    pub fn apply(self, person: &mut Person, now: Timestamp) {
        let before = person.clone();
        if let Some(name) = self.name {
            person.name = name.into_string();
        }
        person.locale = self.locale.unwrap_or(person.locale);
        person.clock = self.clock.unwrap_or(person.clock);
        person.week_start = self.week_start.unwrap_or(person.week_start);
        if *person != before {
            person.updated_at = now;
        }
    }
}

#[derive(Clone, Debug)]
pub struct Begin {
    pub id: SessionId,
    pub hash: [u8; 32],
    pub client: Client,
}

impl Person {
    pub fn email_folded(&self) -> String {
        fold_address(&self.email)
    }

    /// True if no other person can sign in to this account. It is false if another person may have set the password,
    /// may have a session of the account or may have seen its link.
    pub fn is_safe(&self) -> bool {
        let shown = self.link.as_ref().is_some_and(|link| !link.confirms);
        self.confirmed || (self.password.is_none() && self.sessions.is_empty() && !shown)
    }

    pub fn may_be_anothers(&self) -> bool {
        !self.confirmed && self.password.is_some()
    }

    pub fn session(&self, hash: &[u8; 32], now: Timestamp) -> Option<&Session> {
        self.sessions.iter().find(|session| session.hash == *hash && session.is_good(now))
    }

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

    /// Sets the password, starts a new session, ends all other sessions and deletes the person's link. If the session
    /// came from an invitation, returns the business of the invitation.
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
        // If the session came from an invitation, the caller accepts the invitation after this change. If this fails,
        // the person can accept the invitation later in the new session. Therefore the new session also contains the
        // business of the invitation.
        self.begin(begin, false, accepts, now);
        Ok(accepts)
    }

    /// Changes the email address. If `mailed` contains the hash of a mailed link, the address changes when this link is
    /// used. If `mailed` is `None`, the address changes immediately and is unconfirmed.
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
            // The account is unconfirmed, so someone who does not own the email address may have set the password. The
            // owner can confirm the account with the mailed link. A change of the address would replace this link, so
            // the change is refused while the link is valid.
            return Err(Refusal::conflict(Conflict::AccountUnconfirmed, "email", ProblemCode::UseMailedLink));
        }
        self.link = mailed.map(|hash| Link {
            hash,
            kind: LinkKind::Email,
            created_at: now,
            confirms: true,
            business_id: None,
            email: Some(email.as_str().to_owned()),
        });
        if mailed.is_none() {
            email.as_str().clone_into(&mut self.email);
            (self.confirmed, self.updated_at, self.links_from) = (false, now, now);
        }
        Ok(())
    }

    /// Removes the password, the link and the sessions of an unconfirmed account, which another person may have
    /// created. Returns true if there was a password or a session.
    pub fn clear_unconfirmed(&mut self, now: Timestamp) -> bool {
        let clears = !self.confirmed && (self.password.is_some() || !self.sessions.is_empty());
        if clears {
            (self.password, self.link) = (None, None);
            (self.updated_at, self.links_from) = (now, now);
            self.sessions.clear();
        }
        clears
    }

    pub fn end_sessions(&mut self, which: impl Fn(&Session) -> bool) -> bool {
        let before = self.sessions.len();
        self.sessions.retain(|session| !which(session));
        self.sessions.len() < before
    }

    pub fn forget_expired(&mut self, now: Timestamp) -> bool {
        let link = self.link.take_if(|link| !link.is_good(now)).is_some();
        self.end_sessions(|session| !session.is_good(now)) || link
    }

    /// True if the account has no session and no link, and has been unused for a certain time. This time is
    /// `ORPHAN_KEPT` for an account without a password and without any sign-in, and `LEFT_KEPT` for other accounts. The
    /// caller deletes such an account if it has no membership.
    pub fn may_be_orphan(&self, now: Timestamp) -> bool {
        let unused = self.password.is_none() && self.last_sign_in_at.is_none();
        let kept = if unused { ORPHAN_KEPT } else { LEFT_KEPT };
        let newest = self.updated_at.max(self.last_sign_in_at.unwrap_or(self.updated_at));
        self.sessions.is_empty() && self.link.is_none() && now >= newest + kept
    }
}

#[cfg(test)]
mod tests;
