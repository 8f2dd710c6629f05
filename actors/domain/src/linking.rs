//! Creation and use of a person's sign-in link.
//!
//! Invariants:
//!
//! - a person has at most one link; a new link replaces the previous one;
//! - a link is used once, and no retry of its mail renews it;
//! - a link that confirms an address is used in a session of the account that requested it.

use chrono::TimeDelta;

use super::link::{AHEAD_MAX, Link, LinkChannel, LinkKind};
use super::person::{Begin, Person};
use super::{BusinessId, Conflict, Denied, ProblemCode, Refusal, Timestamp};

impl Person {
    /// Deletes the link and the session memberships that came from an earlier offer of this business, so they
    /// cannot accept a later offer.
    pub fn forget_offer(&mut self, of: BusinessId) {
        self.link.take_if(|link| !link.confirms && link.business_id == Some(of));
        let came_of_it = self.sessions.iter_mut().filter(|session| session.business_id == Some(of));
        came_of_it.for_each(|session| session.business_id = None);
    }

    pub fn fitting_link(&self) -> LinkKind {
        if self.password.is_none() { LinkKind::Invitation } else { LinkKind::Reset }
    }

    /// Creates a link, which replaces the previous one. Errors: [`Refusal::Conflict`] for an invitation to an
    /// account with a password, and for a link that would give access to another person's account.
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
            // A session from an older link can no longer set a password. A mailed link ends no session before
            // it is used, because anyone can request one.
            self.end_sessions(|session| session.restricted);
        }
        Ok(self.link.insert(Link { hash, kind, created_at: now, confirms, business_id, email: None }))
    }

    /// Creates the link of a mail that was written at `written`. Each attempt to send the mail has the same
    /// token, so a retry renews the link. `None` if since then a link was used or handed over, or the
    /// password or the address changed: the mail's link is invalid.
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
        // A time stamp in the future is ignored, because a clock was wrong.
        if written < self.links_from && self.links_from <= now + AHEAD_MAX {
            return Ok(None);
        }
        let kind = kind.unwrap_or_else(|| self.fitting_link());
        let link = self.make_link(kind, (hash, LinkChannel::Mailed), business_id, now)?;
        Ok(Some((kind, link.expires_at())))
    }

    /// Sets the token of the link that confirms this address, and returns its expiry. `None` if the person no
    /// longer requests this address or has requested it again since `written`.
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

    /// Confirms the address of a link and returns the previous address. The session must belong to the
    /// account, which proves that the reader of the mail requested the change. If it does not, the link stays
    /// valid.
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

    /// Uses a link and starts its session. Errors: [`Refusal::Expired`] for a link that was used, expired or
    /// replaced; [`Refusal::NotAllowed`] for a link that confirms an address.
    pub fn use_link(&mut self, hash: &[u8; 32], begin: Begin, now: Timestamp) -> Result<LinkKind, Refusal> {
        let used = |link: &mut Link| link.hash == *hash && link.is_good(now);
        if self.link.as_mut().is_some_and(|link| used(link) && link.kind == LinkKind::Email) {
            return Err(Refusal::NotAllowed(Denied::OwnSession));
        }
        let link = self.link.take_if(used).ok_or(Refusal::Expired)?;
        // One millisecond later, so a retry of a mail from the same millisecond does not renew the link.
        (self.updated_at, self.links_from) = (now, now + TimeDelta::milliseconds(1));
        if link.confirms && !self.confirmed {
            // Another person may have set the previous password.
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
