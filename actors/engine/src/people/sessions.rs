//! Sessions and links as their holders use them: whom a token lets in, what a link leads to, a new password or address.
//!
//! A look-up of a session costs what that of a key does: while nothing was written that lets anybody in, no row is read.

use std::sync::Arc;

use domain::{
    Actor, Address, AuditAction, Begin, Client, Conflict, LinkKind, MailKind, Person, PersonId, ProblemCode,
    Refusal, Session, SessionId, USE_WRITTEN_AFTER, fold_address,
};
use store::Weight;

use super::handle::People;
use super::token::Token;
use crate::error::EngineError;
use crate::mail::{NewMail, wait};

/// Somebody who is signed in.
#[derive(Clone, Debug)]
pub struct SignedIn {
    /// Who.
    pub person: Arc<Person>,
    /// In which session.
    pub session: Session,
    /// Whether the password was given so lately that nobody asks for it again.
    pub fresh: bool,
}

/// What a link is for that somebody has opened and not used.
#[derive(Clone, Debug)]
pub struct LinkSeen {
    /// Whose.
    pub person: Arc<Person>,
    /// What for.
    pub kind: LinkKind,
}

/// What using a link has led to.
#[derive(Clone, Debug)]
pub struct Opened {
    /// Whose it was.
    pub person: PersonId,
    /// What it was for.
    pub kind: LinkKind,
    /// The token of the session that it begins; none where it proved an address.
    pub session: Option<Token>,
    /// The address that the account had before, which is mailed that it is another one now.
    pub former_email: Option<String>,
}

impl People {
    /// Who is signed in by a token, or `None` where the session has ended. Notes its use.
    ///
    /// # Errors
    /// The store's failure.
    pub async fn session(&self, token: &Token) -> Result<Option<SignedIn>, EngineError> {
        let (hash, now) = (token.hash(), self.shared.clocks.now());
        self.shared.store.check()?;
        let Some(person) = self.shared.known.read(&self.shared.store, &hash)? else { return Ok(None) };
        let Some(session) = person.session(&hash, now).cloned() else { return Ok(None) };
        if session.last_used_at + USE_WRITTEN_AFTER <= now {
            self.shared.known.note_use(person.id, hash, now);
        }
        let fresh = session.is_fresh(now);
        Ok(Some(SignedIn { person, session, fresh }))
    }

    /// What a link is for, without using it: mail scanners open links.
    ///
    /// # Errors
    /// [`Refusal::Expired`], or the store's failure.
    pub async fn open_link(&self, token: &Token) -> Result<LinkSeen, EngineError> {
        let (hash, now) = (token.hash(), self.shared.clocks.now());
        let person = self.shared.known.read(&self.shared.store, &hash)?.ok_or(Refusal::Expired)?;
        let link = person.link.as_ref().filter(|link| link.hash == hash && link.is_good(now));
        let kind = link.ok_or(Refusal::Expired)?.kind;
        Ok(LinkSeen { person, kind })
    }

    /// Uses a link up, and begins the session that it leads to.
    ///
    /// # Errors
    /// [`Refusal::Expired`]; [`Refusal::NotAllowed`] for a link that proves an address ([`Self::prove_email`] uses it);
    /// or the engine's failure.
    pub async fn use_link(&self, token: &Token, client: Client) -> Result<Opened, EngineError> {
        let hash = token.hash();
        let id = self.open_link(token).await?.person.id;
        let (session, begin) = self.begin(client);
        let of = (Actor::Person(id), AuditAction::PersonLinkUsed, Weight::Frees);
        let (kind, accepts) = self
            .change(id, of, move |person, now| {
                let accepts = person.link.as_ref().and_then(|link| link.business_id);
                Ok((person.use_link(&hash, begin, now)?, accepts))
            })
            .await?;
        if let (LinkKind::Enter, Some(business)) = (kind, accepts) {
            self.accept_by_link(id, business, self.shared.clocks.now()).await;
        }
        Ok(Opened { person: id, kind, session: Some(session), former_email: None })
    }

    /// Uses up the link that proves an address, in a session of the account that asked for it: whoever merely reads the
    /// mail could be made the owner of an account that is another's. Whoever reads the old address is mailed of it.
    ///
    /// # Errors
    /// [`Refusal::Expired`]; [`Refusal::NotAllowed`] where nobody is signed in, or somebody else, so that the person is
    /// to sign in first; [`Refusal::Conflict`] where the address is another's by now; or the engine's failure.
    pub async fn prove_email(&self, link: &Token, session: Option<&Token>) -> Result<Opened, EngineError> {
        let seen = self.open_link(link).await?;
        let id = seen.person.id;
        let proves = seen.person.link.as_ref().and_then(|link| link.email.as_deref()).map(fold_address);
        let Some(email) = proves else { return Err(Refusal::Expired.into()) };
        // Without a session there is none with this hash, and the refusal says so.
        let (link, session) = (link.hash(), session.map(Token::hash).unwrap_or_default());
        // A proved address becomes the account's: whoever claims it meanwhile comes first.
        let claim = self.shared.claims.on(&[&email, &seen.person.email_folded()]).await;
        if seen.person.session(&session, self.shared.clocks.now()).is_some() {
            self.check_free(&email, id).await?;
        }
        let of = (Actor::Person(id), AuditAction::PersonLinkUsed, Weight::Frees);
        let former = self
            .holding(Some(claim))
            .change_and_mail(id, of, move |person, now| {
                let former = person.prove_email(&link, &session, now)?;
                let told = (person.email != former)
                    .then(|| NewMail::of_account(id, MailKind::EmailChanged, Some(former.clone())));
                Ok((former, told))
            })
            .await?;
        Ok(Opened { person: id, kind: LinkKind::Email, session: None, former_email: Some(former) })
    }

    /// The token of a new session, and what is kept of it.
    pub(super) fn begin(&self, client: Client) -> (Token, Begin) {
        let token = Token::new(self.shared.ports.random_bytes());
        let id: SessionId = self.shared.mint_id(self.shared.clocks.now());
        let begin = Begin { id, hash: token.hash(), client };
        (token, begin)
    }

    /// Sets the password in a session, which goes on under the token that is given back; all others end.
    ///
    /// # Errors
    /// [`Refusal::Invalid`] that says why it is not taken, [`Refusal::NotAllowed`] when the present one has to be given
    /// first, [`Refusal::Expired`], or the engine's failure.
    pub async fn set_password(&self, token: &Token, new: &str) -> Result<Token, EngineError> {
        let signed_in = self.session(token).await?.ok_or(Refusal::Expired)?;
        let SignedIn { person, session, .. } = signed_in;
        let names = self.business_names(person.id).await?;
        let salt = self.shared.ports.random_bytes();
        let password = self.shared.hasher.new_password(&person, names, new, salt).await?;
        let hash = token.hash();
        let (token, begin) = self.begin(session.client);
        let since = session.created_at;
        let of = (Actor::Person(person.id), AuditAction::PersonPasswordSet, Weight::Keeps);
        let accepts = self
            .change(person.id, of, move |person, now| person.set_password(&hash, password, begin, now))
            .await?;
        if let Some(business) = accepts {
            self.accept_by_link(person.id, business, since).await;
        }
        Ok(token)
    }

    /// Asks for another address. With mail a link is mailed there, whose token is the given one until that mail is made
    /// with another; without, the address counts at once and nobody can be told.
    ///
    /// # Errors
    /// [`Refusal::Conflict`] where it is somebody's (without mail; with mail that shows only to whoever uses the link),
    /// where too many were mailed of late, or where a link that was mailed to the present address is to be used first;
    /// [`Refusal::NotAllowed`], [`Refusal::Expired`], or the engine's failure.
    pub async fn change_email(&self, token: &Token, email: Address) -> Result<Option<Token>, EngineError> {
        let SignedIn { person, session, fresh } = self.session(token).await?.ok_or(Refusal::Expired)?;
        let (id, hash) = (person.id, token.hash());
        let link = self.sends_mail().then(|| Token::new(self.shared.ports.random_bytes()));
        let claim = self.shared.claims.on(&[email.folded(), &person.email_folded()]).await;
        if link.is_none() {
            self.check_free(email.folded(), id).await?;
        }
        if link.is_some() && fresh && !session.restricted {
            let now = self.shared.clocks.now();
            let counted = self.shared.mail.count_email_change(id, email.folded(), now);
            counted.map_err(|free| {
                let wait = wait(free, now);
                Refusal::conflict(Conflict::AddressChangesUsedUp(wait), "email", ProblemCode::NextIn(wait))
            })?;
        }
        let mailed = link.as_ref().map(Token::hash);
        let of = (Actor::Person(id), AuditAction::PersonEmailChanged, Weight::Keeps);
        let asked = move |person: &mut Person, now| {
            person.change_email(&hash, &email, mailed, now)?;
            let to = Some(email.as_str().to_owned());
            Ok(((), mailed.map(|_| NewMail::of_account(id, MailKind::EmailChange, to))))
        };
        self.holding(Some(claim)).change_and_mail(id, of, asked).await?;
        Ok(link)
    }

    /// Refuses an address that is another's; its claim is held.
    async fn check_free(&self, email: &str, id: PersonId) -> Result<(), EngineError> {
        match self.by_email(email).await? {
            Some(person) if person.id != id => {
                Err(Refusal::conflict(Conflict::AddressTaken, "email", ProblemCode::Taken).into())
            }
            _ => Ok(()),
        }
    }

    /// Ends the session of a token.
    ///
    /// # Errors
    /// The engine's failure.
    pub async fn sign_out(&self, token: &Token) -> Result<(), EngineError> {
        let hash = token.hash();
        let Some(person) = self.shared.known.read(&self.shared.store, &hash)? else { return Ok(()) };
        let of = (Actor::Person(person.id), AuditAction::PersonSignedOut, Weight::Frees);
        let ended = self.change(person.id, of, move |person, _| {
            person.end_sessions(|session| session.hash == hash);
            Ok(())
        });
        match ended.await {
            Err(EngineError::NotFound) => Ok(()),
            ended => ended,
        }
    }

    /// Ends one of a person's own sessions, or all but the one of this token.
    ///
    /// # Errors
    /// [`Refusal::NotFound`], or the engine's failure.
    pub async fn end_sessions(&self, token: &Token, which: Option<SessionId>) -> Result<(), EngineError> {
        let signed_in = self.session(token).await?.ok_or(Refusal::Expired)?;
        let (id, own) = (signed_in.person.id, token.hash());
        let of = (Actor::Person(id), AuditAction::PersonSessionsEnded, Weight::Frees);
        self.change(id, of, move |person, now| {
            person.session(&own, now).filter(|session| !session.restricted).ok_or(Refusal::Expired)?;
            let ended = match which {
                Some(which) => person.end_sessions(|session| session.id == which),
                None => person.end_sessions(|session| session.hash != own) || which.is_none(),
            };
            if ended { Ok(()) } else { Err(Refusal::NotFound("session")) }
        })
        .await
    }
}
