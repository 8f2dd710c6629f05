//! How a person's link is made and used.
//!
//! What always holds: there is one at most, for a newer one voids the one before; it is used once, and no attempt at its
//! mail makes it anew; a link that proves an address is used in a session of the account that asked for it.

use chrono::TimeDelta;

use super::link::{AHEAD_MAX, Handed, Link, LinkKind};
use super::person::{Begin, Person};
use super::{BusinessId, Conflict, Denied, ProblemCode, Refusal, Timestamp};

impl Person {
    /// Ends what an earlier offer of this business has led to: a link that was shown for it, and that a session came from
    /// one. Whoever holds those accepts nothing that is offered later.
    pub fn forget_offer(&mut self, of: BusinessId) {
        self.link.take_if(|link| !link.confirms && link.business_id == Some(of));
        let came_of_it = self.sessions.iter_mut().filter(|session| session.business_id == Some(of));
        came_of_it.for_each(|session| session.business_id = None);
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
            return Err(Refusal::conflict(Conflict::AccountHasPassword, "kind", ProblemCode::MakeReset));
        }
        let is_meant = match handed {
            Handed::Operator => kind != LinkKind::Email,
            Handed::Mailed => kind != LinkKind::Enter,
            Handed::Shown => kind == LinkKind::Invitation,
        };
        if !is_meant {
            return Err(Refusal::NotAllowed(Denied::KindOfLink));
        }
        let confirms = handed != Handed::Shown;
        if handed != Handed::Mailed {
            self.links_from = now;
            // What an older link has led to sets no password any more. One that is mailed ends nothing before it is used:
            // anybody can ask for it.
            self.end_sessions(|session| session.restricted);
        }
        Ok(self.link.insert(Link { hash, kind, created_at: now, confirms, business_id, email: None }))
    }

    /// Makes the link of a mail that was written then, of the kind that fits where none is said. Its token is the same at
    /// each attempt: what an attempt before has made is good from now on again. Nothing where a link was used since the
    /// mail was written, or handed over, or the password or the address is another one: it leads nowhere from then on.
    ///
    /// # Errors
    /// As [`Self::make_link`].
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
        // A stamp of the future says nothing: a clock was wrong.
        if written < self.links_from && self.links_from <= now + AHEAD_MAX {
            return Ok(None);
        }
        let kind = kind.unwrap_or_else(|| self.fitting_link());
        let link = self.make_link(kind, (hash, Handed::Mailed), business_id, now)?;
        Ok(Some((kind, link.expires_at())))
    }

    /// Gives the link that shows this address to be theirs the token of the mail that was written of it then, and when
    /// it expires; nothing where they ask for that address no more, or have asked again since.
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

    /// Takes the address that a link proves, in a session of this very account: whoever reads the mail and whoever asked
    /// for it are the same. Gives the address before.
    ///
    /// # Errors
    /// [`Refusal::Expired`] for a link that was used, expired or voided; [`Refusal::NotAllowed`] in a session that is
    /// another's, has ended, or may only set a password. The link stays good for its person then.
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
            // Whoever else has come into it need not have been the person.
            self.end_sessions(|one| one.hash != *session);
        }
        (self.confirmed, self.updated_at, self.links_from) = (true, now, now);
        Ok(std::mem::replace(&mut self.email, email))
    }

    /// Uses a link up, and begins the session that it leads to.
    ///
    /// # Errors
    /// [`Refusal::Expired`] for one that was used, expired, or voided; [`Refusal::NotAllowed`] for one that proves an
    /// address, which begins no session and is used in one.
    pub fn use_link(&mut self, hash: &[u8; 32], begin: Begin, now: Timestamp) -> Result<LinkKind, Refusal> {
        let used = |link: &mut Link| link.hash == *hash && link.is_good(now);
        if self.link.as_mut().is_some_and(|link| used(link) && link.kind == LinkKind::Email) {
            return Err(Refusal::NotAllowed(Denied::OwnSession));
        }
        let link = self.link.take_if(used).ok_or(Refusal::Expired)?;
        // However short ago its mail was written: no attempt makes it anew.
        (self.updated_at, self.links_from) = (now, now + TimeDelta::milliseconds(1));
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
}
