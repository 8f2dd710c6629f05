//! Sessions and links: lookup by token, use of links, and changes to the password and the address.
//!
//! A repeated lookup of a session reads the person from a cache, not from the store. After a change to a credential,
//! the next lookup reads the store again.

use std::sync::Arc;

use domain::{
    Actor, Address, AuditAction, Begin, Client, Conflict, LinkKind, MailKind, Named, Person, PersonId,
    ProblemCode, Refusal, Session, SessionId, USE_WRITTEN_AFTER, fold_address,
};
use store::{StoreError, Weight};

use super::actor::{Decided, Message, Outcome};
use super::handle::People;
use super::state::Persons;
use super::token::Token;
use crate::actor::Running;
use crate::error::{EngineError, Result};
use crate::mail::{NewMail, wait};

#[derive(Clone, Debug)]
pub struct SignedIn {
    pub person: Arc<Person>,
    pub session: Session,
    /// True if the person entered the password recently enough for sensitive changes.
    pub fresh: bool,
}

#[derive(Clone, Debug)]
pub struct LinkSeen {
    pub person: Arc<Person>,
    pub kind: LinkKind,
}

#[derive(Clone, Debug)]
pub struct Opened {
    pub person: PersonId,
    pub kind: LinkKind,
    /// The token of the new session. It is `None` if the link confirms an address.
    pub session: Option<Token>,
    pub former_email: Option<String>,
}

impl People {
    /// Returns the person who is signed in with this token, or `None` if the session has ended. Records the use of the
    /// session.
    pub async fn session(&self, token: &Token) -> Result<Option<SignedIn>> {
        let (hash, now) = (token.hash(), self.shared().clocks.now());
        self.shared().store.check()?;
        let Some(person) = self.persons.sessions.read(&self.shared().store, &hash)? else { return Ok(None) };
        let Some(session) = person.session(&hash, now).cloned() else { return Ok(None) };
        if session.last_used_at + USE_WRITTEN_AFTER <= now {
            self.persons.sessions.note_use(person.id, hash, now);
        }
        let fresh = session.is_fresh(now);
        Ok(Some(SignedIn { person, session, fresh }))
    }

    /// Looks up a link. Does not use up the link, because mail scanners open links before the person does. Fails with
    /// [`Refusal::Expired`] if no valid link has this token.
    pub async fn open_link(&self, token: &Token) -> Result<LinkSeen> {
        let (hash, now) = (token.hash(), self.shared().clocks.now());
        let person = self.persons.sessions.read(&self.shared().store, &hash)?.ok_or(Refusal::Expired)?;
        let link = person.link.as_ref().filter(|link| link.hash == hash && link.is_good(now));
        let kind = link.ok_or(Refusal::Expired)?.kind;
        Ok(LinkSeen { person, kind })
    }

    /// Starts a session with a link. Fails with [`Refusal::Expired`], or with [`Refusal::NotAllowed`] if the link is of
    /// the kind [`LinkKind::Email`].
    pub async fn use_link(&self, token: &Token, client: Client) -> Result<Opened> {
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
            self.accept_by_link(id, business, self.shared().clocks.now()).await;
        }
        Ok(Opened { person: id, kind, session: Some(session), former_email: None })
    }

    /// Uses a link that confirms an address. The session must belong to the account that requested the link. Otherwise
    /// a stranger who receives the mail, for example because the address is mistyped, could take over the account.
    /// Fails with [`Refusal::Expired`] or [`Refusal::NotAllowed`]. Fails with [`Refusal::Conflict`] if another account
    /// has got the address since the request.
    pub async fn prove_email(&self, link: &Token, session: Option<&Token>) -> Result<Opened> {
        let seen = self.open_link(link).await?;
        let id = seen.person.id;
        let proves = seen.person.link.as_ref().and_then(|link| link.email.as_deref()).map(fold_address);
        let Some(email) = proves else { return Err(Refusal::Expired.into()) };
        // If there is no session, the hash is all zeros. It matches no session, so the change is refused.
        let (link, session) = (link.hash(), session.map(Token::hash).unwrap_or_default());
        // Only one account at a time holds the claim to an address. If several accounts confirm the same address at the
        // same time, the account that holds the claim first gets the address.
        let claim = self.persons.claims.on(&[&email, &seen.person.email_folded()]).await;
        if seen.person.session(&session, self.shared().clocks.now()).is_some() {
            self.check_free(&email, id).await?;
        }
        let of = (Actor::Person(id), AuditAction::PersonLinkUsed, Weight::Frees);
        let former = self
            .with_claim(Some(claim))
            .change_and_mail(id, of, move |person, now| {
                let former = person.prove_email(&link, &session, now)?;
                let notice = (person.email != former)
                    .then(|| NewMail::of_account(id, MailKind::EmailChanged, Some(former.clone())));
                Ok((former, notice))
            })
            .await?;
        Ok(Opened { person: id, kind: LinkKind::Email, session: None, former_email: Some(former) })
    }

    pub(super) fn begin(&self, client: Client) -> (Token, Begin) {
        let token = Token::new(self.shared().ports.random_bytes());
        let id: SessionId = self.shared().mint_id(self.shared().clocks.now());
        let begin = Begin { id, hash: token.hash(), client };
        (token, begin)
    }

    /// Sets a new password. The session continues under the returned token, and the other sessions end. Fails with
    /// [`Refusal::Invalid`], with [`Refusal::Expired`], or with [`Refusal::NotAllowed`] if the person must first enter
    /// the current password again.
    pub async fn set_password(&self, token: &Token, new: &str) -> Result<Token> {
        let signed_in = self.session(token).await?.ok_or(Refusal::Expired)?;
        let SignedIn { person, session, .. } = signed_in;
        let belongs = match self.belongs(person.id).await {
            Err(EngineError::Store(StoreError::BusinessSetAside { .. })) => Vec::new(),
            belongs => belongs?,
        };
        let names = belongs.into_iter().map(|belongs| belongs.business_name).collect();
        let salt = self.shared().ports.random_bytes();
        let password = self.persons.hasher.new_password(&person, names, new, salt).await?;
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

    /// Changes the email address. If the service sends no mail, the address changes immediately. If the service sends
    /// mail, the new address gets a mail with a link, and the address changes when the link is used. In this case, the
    /// function returns a token of the link. The token is valid only until the mail is composed, because the link gets
    /// a new token at that time.
    ///
    /// Fails with [`Refusal::NotAllowed`] or [`Refusal::Expired`]. Fails with [`Refusal::Conflict`] in these cases:
    /// - Too many mails were sent.
    /// - The current address is not confirmed, and a valid link that was mailed to it has not been used.
    /// - The service sends no mail and the address is taken.
    pub async fn change_email(&self, token: &Token, email: Address) -> Result<Option<Token>> {
        let SignedIn { person, session, fresh } = self.session(token).await?.ok_or(Refusal::Expired)?;
        let (id, hash) = (person.id, token.hash());
        let link = self.sends_mail().then(|| Token::new(self.shared().ports.random_bytes()));
        let claim = self.persons.claims.on(&[email.folded(), &person.email_folded()]).await;
        if link.is_none() {
            self.check_free(email.folded(), id).await?;
        }
        if link.is_some() && fresh && !session.restricted {
            let now = self.shared().clocks.now();
            let counted = self.persons.mails.outbox.allowances().email_change(id, email.folded(), now);
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
        self.with_claim(Some(claim)).change_and_mail(id, of, asked).await?;
        Ok(link)
    }

    async fn check_free(&self, email: &str, id: PersonId) -> Result<()> {
        match self.by_email(email).await? {
            Some(person) if person.id != id => {
                Err(Refusal::conflict(Conflict::AddressTaken, "email", ProblemCode::Taken).into())
            }
            _ => Ok(()),
        }
    }

    pub async fn sign_out(&self, token: &Token) -> Result<()> {
        let hash = token.hash();
        let Some(person) = self.persons.sessions.read(&self.shared().store, &hash)? else { return Ok(()) };
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

    /// Ends the session `which`. If `which` is `None`, ends all sessions except the session of the token. Fails with
    /// [`Refusal::NotFound`] if the session does not exist.
    pub async fn end_sessions(&self, token: &Token, which: Option<SessionId>) -> Result<()> {
        let signed_in = self.session(token).await?.ok_or(Refusal::Expired)?;
        let (id, own) = (signed_in.person.id, token.hash());
        let of = (Actor::Person(id), AuditAction::PersonSessionsEnded, Weight::Frees);
        self.change(id, of, move |person, now| {
            person.session(&own, now).filter(|session| !session.restricted).ok_or(Refusal::Expired)?;
            let ended = match which {
                Some(which) => person.end_sessions(|session| session.id == which),
                None => person.end_sessions(|session| session.hash != own) || which.is_none(),
            };
            if ended { Ok(()) } else { Err(Refusal::NotFound(Named::Session)) }
        })
        .await
    }

    /// Deletes an account if it is still unused. Holds the claim on its email address, so that the account cannot be
    /// invited at the same time.
    pub(crate) async fn end_orphan(&self, person: Person) -> Result<()> {
        let claim = self.persons.claims.on(&[&person.email_folded()]).await;
        if !self.businesses_of(person.id)?.is_empty() {
            return Ok(());
        }
        let people = self.with_claim(Some(claim));
        let ended = people.change_or_delete(person.id, Weight::Frees, |person, now| {
            let orphan = person.may_be_orphan(now);
            let note = orphan.then_some((Actor::System, AuditAction::PersonEnded));
            let outcome = if orphan { Outcome::Deleted } else { Outcome::Unchanged };
            Ok((Decided { outcome, note, mail: None }, ()))
        });
        match ended.await {
            Err(EngineError::NotFound) => Ok(()),
            ended => ended,
        }
    }
}

/// Sends each recorded use of a session to the actor of the session's person, and returns these actors. If the actor is
/// not available, the use stays recorded.
pub(crate) async fn write_uses(persons: &Persons) -> Vec<Arc<Running<Message>>> {
    let mut writing = Vec::new();
    for (person, hash, at) in persons.sessions.take_uses() {
        match persons.directory.enter(person).await {
            Ok((running, permit)) => {
                let _ = running.actor.cast(Message::Used { hash, at, permit });
                writing.push(running);
            }
            Err(_) => persons.sessions.note_use(person, hash, at),
        }
    }
    writing
}
