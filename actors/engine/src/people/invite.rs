//! Inviting people into a business, and the links that are made for them: nobody is handed another's account.

use std::net::IpAddr;

use domain::{
    Actor, Address, AuditAction, Business, Conflict, LinkChannel, LinkKind, Locale, Mail, MailKind, Offer,
    Person, PersonId, PersonName, ProblemCode, Refusal, Role, StaffId, Timestamp,
};
use store::{Batch, Weight, keys};
use tokio::sync::oneshot;
use view::{LinkView, NewPersonView};

use super::handle::People;
use super::token::Token;
use super::write::write_person;
use crate::actor::Held;
use crate::business::commands::people::{AddMember, NoteLink};
use crate::business::{Answer, BusinessHandle, Request};
use crate::error::EngineError;
use crate::installation_log::note;
use crate::mail::{Forgotten, NewMail, wait};

/// Whom somebody invites, and as what.
#[derive(Clone, Debug)]
pub struct Invitation {
    /// Their e-mail address.
    pub email: Address,
    /// Their name, for an account that is new.
    pub name: Option<PersonName>,
    /// Their language, for an account that is new; the business's by default.
    pub locale: Option<Locale>,
    /// What they shall be.
    pub role: Role,
    /// Which staff member they are.
    pub staff_id: Option<StaffId>,
}

/// A link that was made.
#[derive(Clone, Debug)]
pub struct NewLink {
    /// What it is for.
    pub kind: LinkKind,
    /// Its token, which is shown only this once.
    pub token: Token,
    /// When it expires.
    pub expires_at: Timestamp,
}

/// A link that was made for the operator.
#[derive(Clone, Debug)]
pub struct Linked {
    /// What it is for.
    pub kind: LinkKind,
    /// When it expires.
    pub expires_at: Timestamp,
    /// Its token, which is shown only this once; none where the answer is given again.
    pub token: Option<Token>,
}

/// What is mailed to whoever was invited. A link is made when the mail is: see [`People::mail_link`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mailing {
    /// An invitation, with a link.
    Invitation,
    /// A reset, with a link: somebody else may have set the password.
    Reset,
    /// That a membership is offered; the person signs in as always.
    Offer,
}

impl Mailing {
    /// The mail of it.
    fn kind(self) -> MailKind {
        match self {
            Self::Invitation => MailKind::Invitation,
            Self::Reset => MailKind::Reset,
            Self::Offer => MailKind::Offer,
        }
    }
}

/// What came of inviting somebody.
#[derive(Debug)]
pub struct Invited {
    /// The person with their membership; without a link.
    pub answer: Answer<NewPersonView>,
    /// A link for whoever invited to hand over, if there is one.
    pub link: Option<NewLink>,
    /// Who is mailed what, if mail is sent; nobody where the answer is given again.
    pub mail: Option<(PersonId, Mailing)>,
}

impl People {
    /// Invites somebody: their account, if there is none of this address, then a membership. Of an account that is
    /// confirmed nothing changes. One that is not may have another's password: the operator's invitation clears it, a
    /// dashboard's is only mailed, or refused without mail. The mail stands in the batch of the membership. Where the
    /// operator is given no link to hand over, for the account is confirmed, the membership is offered by mail, too.
    ///
    /// # Errors
    /// The refusal, or the engine's failure.
    pub async fn invite(
        &self,
        business: &BusinessHandle,
        request: Request,
        invitation: Invitation,
    ) -> Result<Invited, EngineError> {
        if let Some(answer) = business.remembered::<AddMember>(&request).await? {
            return Ok(Invited { answer, link: None, mail: None });
        }
        let profile = business.business().await?;
        let claim = self.shared.claims.on(&[invitation.email.folded()]).await;
        let (people, business) = (self.holding(Some(claim.clone())), &business.holding(Some(claim)));
        people.invite_claimed(business, request, invitation, &profile).await
    }

    /// Invites somebody whose address is claimed: the claim is held by this handle and the business's.
    async fn invite_claimed(
        &self,
        business: &BusinessHandle,
        request: Request,
        invitation: Invitation,
        profile: &Business,
    ) -> Result<Invited, EngineError> {
        let known = self.by_email(invitation.email.folded()).await?;
        let by_operator = matches!(request.actor, Actor::Operator | Actor::System);
        let mailed = !by_operator && self.sends_mail();
        if !by_operator && !mailed && known.as_ref().is_some_and(Person::may_be_anothers) {
            return Err(Refusal::conflict(
                Conflict::AddressUnconfirmed,
                "email",
                ProblemCode::OperatorCanAdd,
            )
            .into());
        }
        let Invitation { email, name, locale, role, staff_id } = invitation;
        let offer = Offer {
            email: email.as_str().to_owned(),
            name: name.as_ref().map(|name| name.as_str().to_owned()).unwrap_or_default(),
            locale: locale.unwrap_or(profile.locale),
        };
        let person = match known {
            Some(person) => {
                self.check_invitation(business, &request, (&person, &offer, role, staff_id)).await?;
                if !person.confirmed {
                    let (of, by) = (business.id, (request.actor, AuditAction::PersonLinkMade, Weight::Keeps));
                    let forgets = move |person: &mut Person, _| {
                        person.forget_offer(of);
                        Ok(())
                    };
                    self.change(person.id, by, forgets).await?;
                }
                person
            }
            None => {
                let new = self.person_of(&email, name, locale.unwrap_or(profile.locale));
                // Refused before an account is made, as far as can be told.
                self.check_invitation(business, &request, (&new, &offer, role, staff_id)).await?;
                self.create(new, request.actor).await?
            }
        };
        let id = person.id;
        let belonged = self.businesses_of(id)?;
        let by = request.actor;
        let mailing = match (&person.password, person.confirmed) {
            (None, _) => Mailing::Invitation,
            (Some(_), false) => Mailing::Reset,
            (Some(_), true) => Mailing::Offer,
        };
        // What the operator is given beside is voided by no mail.
        let mailed = mailed || by_operator && mailing == Mailing::Offer && self.sends_mail();
        let mail = mailed.then(|| mailing.kind());
        let answer = business
            .change(request, AddMember { person: person.clone(), offer, role, staff_id, mail })
            .await?;
        if answer.replayed {
            return Ok(Invited { answer, link: None, mail: None }); // the same request came first meanwhile
        }
        if mailed {
            return Ok(Invited { answer, link: None, mail: Some((id, mailing)) });
        }
        // A dashboard shows a link only where nobody could be in the account, or belong anywhere by it.
        let shown = person.password.is_none() && belonged.is_empty();
        let link = if by_operator {
            self.operator_link(id, business, by).await?
        } else if shown {
            Some(
                self.new_link(id, (Some(LinkKind::Invitation), LinkChannel::Shown), Some(business), by)
                    .await?,
            )
        } else {
            None
        };
        Ok(Invited { answer, link, mail: None })
    }

    /// Refuses an invitation beforehand, as far as can be told; one that is mailed for a dashboard is counted.
    async fn check_invitation(
        &self,
        business: &BusinessHandle,
        request: &Request,
        (person, offer, role, staff_id): (&Person, &Offer, Role, Option<StaffId>),
    ) -> Result<(), EngineError> {
        let unmade = AddMember { person: person.clone(), offer: offer.clone(), role, staff_id, mail: None };
        business.check(request, unmade).await?;
        if matches!(request.actor, Actor::Person(_)) && self.sends_mail() {
            let now = self.shared.clocks.now();
            let counted = self.shared.mail.count_invitation(business.id, &person.email, now);
            counted.map_err(|free| {
                let wait = wait(free, now);
                Refusal::conflict(Conflict::InvitationsUsedUp(wait), "email", ProblemCode::NextIn(wait))
            })?;
        }
        Ok(())
    }

    /// Makes a link for a person of a business, for the operator to hand over: the kind that fits, where none is asked
    /// for. Where the request comes again nothing is made.
    ///
    /// # Errors
    /// The refusal, or the engine's failure.
    pub async fn make_link(
        &self,
        business: &BusinessHandle,
        request: Request,
        (id, kind): (PersonId, Option<LinkKind>),
    ) -> Result<Linked, EngineError> {
        // Two of the same request at once would void each other's link.
        let once = request.idempotency.as_ref().map(|once| self.shared.begin_once(once.key)).transpose()?;
        let once = once.map(Held::new);
        let (people, business) = (self.holding(once.clone()), &business.holding(once));
        if let Some(answer) = business.remembered::<NoteLink>(&request).await? {
            let LinkView { kind, expires_at, .. } = answer.value;
            return Ok(Linked { kind, expires_at, token: None });
        }
        let (person, _) = people.member(business, id).await?;
        let kind = kind.unwrap_or_else(|| person.fitting_link());
        let unmade = NoteLink { id, kind, expires_at: self.shared.clocks.now() };
        business.check(&request, unmade).await?;
        let link =
            people.new_link(id, (Some(kind), LinkChannel::Operator), Some(business), request.actor).await?;
        business.change(request, NoteLink { id, kind, expires_at: link.expires_at }).await?;
        Ok(Linked { kind, expires_at: link.expires_at, token: Some(link.token) })
    }

    /// To whom a mail is to go whose link sets a password, for somebody who has forgotten theirs; nobody where no account
    /// has this address. Whoever asks is answered the same.
    ///
    /// # Errors
    /// The store's failure.
    pub async fn forgotten(&self, email: &Address) -> Result<Option<(PersonId, LinkKind)>, EngineError> {
        let person = self.by_email(email.folded()).await?;
        Ok(person.map(|person| (person.id, person.fitting_link())))
    }

    /// Mails a link that sets a password to whoever has forgotten theirs, if an account has this address and neither the
    /// address nor the network of whoever asks (`source`) had too many. An address that nobody has is the same work: a
    /// mail is written for nobody, and dropped.
    ///
    /// # Errors
    /// The engine's failure.
    pub async fn mail_forgotten(&self, email: &Address, source: IpAddr) -> Result<Forgotten, EngineError> {
        let known = self.forgotten(email).await?;
        let now = self.shared.clocks.now();
        let counted = self.shared.mail.count_forgotten(email.folded(), source, now);
        if counted == Forgotten::Send {
            let person = known.map_or_else(|| self.shared.mint_id(now), |(person, _)| person);
            self.shared.queue_mail(NewMail::of_account(person, MailKind::Reset, None)).await?;
        }
        Ok(counted)
    }

    /// Makes the link of a mail, when the mail is made, or gives the one of an attempt before: the kind that fits by
    /// then, where none is asked for. Nothing where what came since has voided it.
    ///
    /// # Errors
    /// The refusal, or the engine's failure.
    pub async fn mail_link(
        &self,
        mail: &Mail,
        kind: Option<LinkKind>,
    ) -> Result<Option<NewLink>, EngineError> {
        let token = Token::of_mail(&self.shared.link_secret, mail.id);
        let (of_mail, of) = ((token.hash(), mail.created_at), mail.business_id);
        let by = (Actor::System, AuditAction::PersonLinkMade, Weight::Keeps);
        let made = self
            .change(mail.person_id, by, move |person, now| person.make_mailed_link(kind, of_mail, of, now));
        Ok(made.await?.map(|(kind, expires_at)| NewLink { kind, token, expires_at }))
    }

    /// Makes the link of a mail that shows a new address to be the person's, when the mail is made: the one that they
    /// asked for, under the mail's token. Nothing where they ask for that address no more.
    ///
    /// # Errors
    /// The engine's failure.
    pub async fn mail_email_link(&self, mail: &Mail) -> Result<Option<NewLink>, EngineError> {
        let Some(email) = mail.to.clone() else { return Ok(None) };
        let token = Token::of_mail(&self.shared.link_secret, mail.id);
        let of_mail = (token.hash(), mail.created_at);
        let by = (Actor::System, AuditAction::PersonLinkMade, Weight::Keeps);
        let made = self
            .change(mail.person_id, by, move |person, now| Ok(person.make_email_link(of_mail, &email, now)));
        Ok(made.await?.map(|expires_at| NewLink { kind: LinkKind::Email, token, expires_at }))
    }

    /// What the operator is given beside a new membership: an invitation for an account without a password; a reset for
    /// one that is not confirmed, which is cleared; nothing for one that is.
    async fn operator_link(
        &self,
        id: PersonId,
        business: &BusinessHandle,
        by: Actor,
    ) -> Result<Option<NewLink>, EngineError> {
        let token = Token::new(self.shared.ports.random_bytes());
        let (hash, of) = (token.hash(), business.id);
        let made = self.change(id, (by, AuditAction::PersonLinkMade, Weight::Keeps), move |person, now| {
            let cleared = person.clear_unconfirmed(now);
            if person.password.is_some() {
                return Ok(None);
            }
            let fits = if cleared { LinkKind::Reset } else { LinkKind::Invitation };
            let link = person.make_link(fits, (hash, LinkChannel::Operator), Some(of), now)?;
            Ok(Some((link.kind, link.expires_at())))
        });
        Ok(made.await?.map(|(kind, expires_at)| NewLink { kind, token, expires_at }))
    }

    async fn new_link(
        &self,
        id: PersonId,
        (kind, handed): (Option<LinkKind>, LinkChannel),
        business: Option<&BusinessHandle>,
        by: Actor,
    ) -> Result<NewLink, EngineError> {
        let token = Token::new(self.shared.ports.random_bytes());
        let (hash, of) = (token.hash(), business.map(|business| business.id));
        let made = self.change(id, (by, AuditAction::PersonLinkMade, Weight::Keeps), move |person, now| {
            let kind = kind.unwrap_or_else(|| person.fitting_link());
            Ok((kind, person.make_link(kind, (hash, handed), of, now)?.expires_at()))
        });
        let (kind, expires_at) = made.await?;
        Ok(NewLink { kind, expires_at, token })
    }

    fn person_of(&self, email: &Address, name: Option<PersonName>, locale: Locale) -> Person {
        let now = self.shared.clocks.now();
        Person {
            id: self.shared.mint_id(now),
            email: email.as_str().to_owned(),
            name: name.map(PersonName::into_string).unwrap_or_default(),
            locale,
            confirmed: false,
            password: None,
            created_at: now,
            updated_at: now,
            last_sign_in_at: None,
            sessions: Vec::new(),
            link: None,
            links_from: now,
        }
    }

    /// Writes an account whose address is claimed. Until then nobody knows its id, so it needs no actor.
    async fn create(&self, person: Person, by: Actor) -> Result<Person, EngineError> {
        let permit = self.shared.permit()?;
        self.shared.store.check_room(Weight::Grows)?;
        let mut batch = Batch::default();
        write_person(None, Some(&person), &mut batch);
        note(&self.shared, (by, AuditAction::PersonCreated), person.id, person.created_at, &mut batch);
        let ((done, written), claim) = (oneshot::channel(), self.held());
        let answered = Box::new(move || {
            drop((permit, claim));
            _ = done.send(());
        });
        let _ = self.shared.store.submit(keys::lane_of(person.id), batch, answered);
        written.await.map_err(|_| EngineError::Failed)?;
        Ok(person)
    }
}
