//! Stored sign-in links: their creation and use.
//!
//! Invariants:
//!
//! - a person has at most one link; a new link replaces the previous one;
//! - a link works once;
//! - each repeated attempt to send the mail with an unused link restarts the link's period of validity; only a link
//!   that confirms a new email address keeps its period;
//! - a link that confirms a new email address works only in a session of the account that requested it.

use std::fmt;

use chrono::TimeDelta;

use super::person::{Begin, Person};
use super::words::words;
use super::{BusinessId, Conflict, Denied, ProblemCode, Refusal, Timestamp};

/// A time stamp that is at most this far in the future is still valid, because the clock may have been set back after
/// the stamp was made.
pub(super) const AHEAD_MAX: TimeDelta = TimeDelta::minutes(1);

words! {
    LinkKind {
        Invitation = "invitation",
        Reset = "reset",
        /// A link that signs the person in. Only the operator can create it.
        Enter = "enter",
        Email = "email",
    }
}

impl LinkKind {
    pub fn kept(self) -> TimeDelta {
        match self {
            Self::Invitation => TimeDelta::days(7),
            Self::Reset | Self::Email => TimeDelta::hours(1),
            Self::Enter => TimeDelta::minutes(10),
        }
    }
}

#[derive(Clone, PartialEq, Eq)]
pub struct Link {
    /// The SHA-256 of the token.
    pub hash: [u8; 32],
    pub kind: LinkKind,
    pub created_at: Timestamp,
    /// Whether using the link confirms the account's address: true if the link was mailed or created by the
    /// operator.
    pub confirms: bool,
    pub business_id: Option<BusinessId>,
    pub email: Option<String>,
}

impl Link {
    pub fn expires_at(&self) -> Timestamp {
        self.created_at + self.kind.kept()
    }

    pub fn is_good(&self, now: Timestamp) -> bool {
        self.created_at <= now + AHEAD_MAX && now < self.expires_at()
    }
}

impl fmt::Debug for Link {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Link").field("kind", &self.kind).finish_non_exhaustive()
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkChannel {
    Operator,
    Mailed,
    /// A link that the dashboard shows to the member who has invited the person.
    Shown,
}

impl Person {
    /// Deletes the person's link if it offers a membership in this business. Removes the business from the sessions
    /// that began with a link of this business, so that these sessions cannot accept a later offer of the business.
    pub fn forget_offer(&mut self, of: BusinessId) {
        self.link.take_if(|link| !link.confirms && link.business_id == Some(of));
        let came_of_it = self.sessions.iter_mut().filter(|session| session.business_id == Some(of));
        came_of_it.for_each(|session| session.business_id = None);
    }

    pub fn fitting_link(&self) -> LinkKind {
        if self.password.is_none() { LinkKind::Invitation } else { LinkKind::Reset }
    }

    /// Creates a link.
    ///
    /// # Errors
    /// - [`Refusal::Conflict`] if the link is an invitation and the account has a password.
    /// - [`Refusal::NotAllowed`] if the channel must not carry this kind of link.
    pub fn make_link(
        &mut self,
        kind: LinkKind,
        (hash, channel): ([u8; 32], LinkChannel),
        business_id: Option<BusinessId>,
        now: Timestamp,
    ) -> Result<&Link, Refusal> {
        if kind == LinkKind::Invitation && self.password.is_some() {
            return Err(Refusal::conflict(Conflict::AccountHasPassword, "kind", ProblemCode::MakeReset));
        }
        let is_meant = match channel {
            LinkChannel::Operator => kind != LinkKind::Email,
            LinkChannel::Mailed => kind != LinkKind::Enter,
            LinkChannel::Shown => kind == LinkKind::Invitation,
        };
        if !is_meant {
            return Err(Refusal::NotAllowed(Denied::KindOfLink));
        }
        let confirms = channel != LinkChannel::Shown;
        if channel != LinkChannel::Mailed {
            self.links_from = now;
            // A new link that is not mailed ends the sessions that began with an older link. A mailed link ends no
            // session, because anyone can request a mailed link.
            self.end_sessions(|session| session.restricted);
        }
        Ok(self.link.insert(Link { hash, kind, created_at: now, confirms, business_id, email: None }))
    }

    /// Creates the link for a mail that was written at the time `written`. If an earlier attempt to send the mail has
    /// created the link, extends its validity instead. Returns `None` if the link was used, or if a newer link,
    /// password or address has made it invalid.
    pub fn make_mailed_link(
        &mut self,
        kind: Option<LinkKind>,
        (hash, written): ([u8; 32], Timestamp),
        business_id: Option<BusinessId>,
        now: Timestamp,
    ) -> Result<Option<(LinkKind, Timestamp)>, Refusal> {
        if let Some(link) = self.link.as_mut().filter(|link| link.hash == hash) {
            link.created_at = now;
            return Ok(Some((link.kind, link.expires_at())));
        }
        // A mail that was written before `links_from` gets no link. Exception: if `links_from` is more than `AHEAD_MAX`
        // in the future, a wrong clock has set it, so it is ignored.
        if written < self.links_from && self.links_from <= now + AHEAD_MAX {
            return Ok(None);
        }
        let kind = kind.unwrap_or_else(|| self.fitting_link());
        let link = self.make_link(kind, (hash, LinkChannel::Mailed), business_id, now)?;
        Ok(Some((kind, link.expires_at())))
    }

    /// Creates the link that confirms a new address, and returns its expiry. Returns `None` if the request for this
    /// address has expired, or if a later request has replaced it.
    pub fn make_email_link(
        &mut self,
        (hash, written): ([u8; 32], Timestamp),
        email: &str,
        now: Timestamp,
    ) -> Option<Timestamp> {
        let link = self.link.as_mut().filter(|link| link.kind == LinkKind::Email && link.is_good(now))?;
        if link.email.as_deref() != Some(email) || written < link.created_at {
            return None;
        }
        link.hash = hash;
        Some(link.expires_at())
    }

    /// If the session belongs to the account, sets the new address and returns the previous address. The session
    /// proves that the person who opened the link also requested the change. If the session does not belong to the
    /// account or is restricted, returns an error. The address is then not changed, and the link stays valid.
    pub fn prove_email(
        &mut self,
        link: &[u8; 32],
        session: &[u8; 32],
        now: Timestamp,
    ) -> Result<String, Refusal> {
        let proves = |one: &Link| one.hash == *link && one.is_good(now) && one.kind == LinkKind::Email;
        if !self.link.as_ref().is_some_and(proves) {
            return Err(Refusal::Expired);
        }
        if self.session(session, now).is_none_or(|session| session.restricted) {
            return Err(Refusal::NotAllowed(Denied::OwnSession));
        }
        let email = self.link.take().and_then(|link| link.email).ok_or(Refusal::Expired)?;
        if !self.confirmed {
            self.end_sessions(|one| one.hash != *session);
        }
        (self.confirmed, self.updated_at, self.links_from) = (true, now, now);
        Ok(std::mem::replace(&mut self.email, email))
    }

    /// Uses a link.
    ///
    /// # Errors
    /// Returns [`Refusal::Expired`] if the link is not valid, and [`Refusal::NotAllowed`] for a link that confirms an
    /// address.
    pub fn use_link(&mut self, hash: &[u8; 32], begin: Begin, now: Timestamp) -> Result<LinkKind, Refusal> {
        let used = |link: &mut Link| link.hash == *hash && link.is_good(now);
        if self.link.as_mut().is_some_and(|link| used(link) && link.kind == LinkKind::Email) {
            return Err(Refusal::NotAllowed(Denied::OwnSession));
        }
        let link = self.link.take_if(used).ok_or(Refusal::Expired)?;
        // If the link of a mail does not exist, an attempt to send the mail creates it. The used link was just removed,
        // and an attempt must not create it again. So attempts create no link for a mail that was written before
        // `links_from`. The mail of the used link may have been written in the millisecond `now`. So `links_from` is
        // one millisecond later than `now`.
        (self.updated_at, self.links_from) = (now, now + TimeDelta::milliseconds(1));
        if link.confirms && !self.confirmed {
            // Another person may have set the previous password, so it is removed.
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
}
