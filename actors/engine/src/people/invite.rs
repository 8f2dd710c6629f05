//! Invitations to a business, and their links. No link gives the inviter access to another person's account.

use std::net::IpAddr;

use domain::{
    Actor, Address, AuditAction, Business, Conflict, LinkChannel, LinkKind, Locale, Mail, MailKind, Offer,
    Person, PersonId, PersonName, ProblemCode, Refusal, Role, StaffId, Timestamp,
};
use store::{Batch, Weight, keys};
use view::{LinkView, NewPersonView};

use super::handle::People;
use super::token::Token;
use super::write::write_person;
use crate::actor::Claim;
use crate::business::commands::people::{AddMember, NoteLink};
use crate::business::{Answer, BusinessHandle, Request};
use crate::error::Result;
use crate::mail::{Forgotten, NewMail, wait};

#[derive(Clone, Debug)]
pub struct Invitation {
    pub email: Address,
    /// The person's name, which is used only for a new account.
    pub name: Option<PersonName>,
    /// The language of a new account. The default is the business's language.
    pub locale: Option<Locale>,
    pub role: Role,
    pub staff_id: Option<StaffId>,
}

#[derive(Clone, Debug)]
pub struct NewLink {
    pub kind: LinkKind,
    pub token: Token,
    pub expires_at: Timestamp,
}

#[derive(Clone, Debug)]
pub struct Linked {
    pub kind: LinkKind,
    pub expires_at: Timestamp,
    /// The token of the link. It is `None` in the response to a repeated request.
    pub token: Option<Token>,
}

#[derive(Debug)]
pub struct Invited {
    pub answer: Answer<NewPersonView>,
    /// A link that the inviting person must give to the invited person.
    pub link: Option<NewLink>,
    /// The recipient and the kind of the mail. The link in the mail is created when the mail is composed
    /// ([`People::mail_link`]). The field is `None` if no mail is sent, and for a repeated request.
    pub mail: Option<(PersonId, MailKind)>,
}

impl People {
    /// Invites a person. Creates the account if the address has no account, and then writes the membership and
    /// its mail in one batch.
    ///
    /// - If the account is confirmed and has a password, the invitation does not change the account. The operator gets
    ///   no link for the account. The person gets the offer by mail if the service sends mails.
    /// - If the account is unconfirmed but has a password, another person may have set this password. An invitation by
    ///   the operator therefore clears the password. An invitation by a member sends a mail with a link that sets a new
    ///   password. If the service sends no mails, an invitation by a member is refused.
    pub async fn invite(
        &self,
        business: &BusinessHandle,
        request: Request,
        invitation: Invitation,
    ) -> Result<Invited> {
        if let Some(answer) = business.remembered::<AddMember>(&request).await? {
            return Ok(Invited { answer, link: None, mail: None });
        }
        let profile = business.business().await?;
        let claim = self.persons.claims.on(&[invitation.email.folded()]).await;
        let (people, business) = (self.with_claim(Some(claim.clone())), &business.with_claim(Some(claim)));
        people.invite_claimed(business, request, invitation, &profile).await
    }

    async fn invite_claimed(
        &self,
        business: &BusinessHandle,
        request: Request,
        invitation: Invitation,
        profile: &Business,
    ) -> Result<Invited> {
        let known = self.by_email(invitation.email.folded()).await?;
        let by_operator = matches!(request.actor, Actor::Operator | Actor::System);
        let mailed = !by_operator && self.sends_mail();
        if !by_operator && !mailed && known.as_ref().is_some_and(Person::may_be_anothers) {
            let unconfirmed = Conflict::AddressUnconfirmed;
            return Err(Refusal::conflict(unconfirmed, "email", ProblemCode::OperatorCanAdd).into());
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
                // If the invitation must be refused, this check refuses it before an account is created.
                self.check_invitation(business, &request, (&new, &offer, role, staff_id)).await?;
                self.create(new, request.actor).await?
            }
        };
        let id = person.id;
        let belonged = self.businesses_of(id)?;
        let by = request.actor;
        let kind = match (&person.password, person.confirmed) {
            (None, _) => MailKind::Invitation,
            // The account is unconfirmed, so another person may have set the password. The invited person must set a
            // new password.
            (Some(_), false) => MailKind::Reset,
            (Some(_), true) => MailKind::Offer,
        };
        // If the operator invites, `mailed` is false so far. But if the service sends mails, an offer by the operator
        // is mailed too. The mail of an offer contains no sign-in link, so the earlier sign-in links stay valid.
        let mailed = mailed || by_operator && kind == MailKind::Offer && self.sends_mail();
        let mail = mailed.then_some(kind);
        let answer = business
            .change(request, AddMember { person: person.clone(), offer, role, staff_id, mail })
            .await?;
        if answer.replayed {
            return Ok(Invited { answer, link: None, mail: None }); // a concurrent repeat
        }
        if mailed {
            return Ok(Invited { answer, link: None, mail: Some((id, kind)) });
        }
        // The dashboard shows a link only for an account without a password and without other memberships.
        let shown = person.password.is_none() && belonged.is_empty();
        let link = if by_operator {
            self.operator_link(id, business, by).await?
        } else if shown {
            Some(self.new_link(id, (LinkKind::Invitation, LinkChannel::Shown), business, by).await?)
        } else {
            None
        };
        Ok(Invited { answer, link, mail: None })
    }

    /// Checks an invitation before anything is written. Returns an error if the invitation must be refused. If a member
    /// invites the person and the service sends mails, also counts the invitation for the limits on invitation mails.
    async fn check_invitation(
        &self,
        business: &BusinessHandle,
        request: &Request,
        (person, offer, role, staff_id): (&Person, &Offer, Role, Option<StaffId>),
    ) -> Result<()> {
        let unmade = AddMember { person: person.clone(), offer: offer.clone(), role, staff_id, mail: None };
        business.check(request, unmade).await?;
        if matches!(request.actor, Actor::Person(_)) && self.sends_mail() {
            let now = self.shared().clocks.now();
            let counted = self.persons.mails.outbox.allowances().invitation(business.id, &person.email, now);
            counted.map_err(|free| {
                let wait = wait(free, now);
                Refusal::conflict(Conflict::InvitationsUsedUp(wait), "email", ProblemCode::NextIn(wait))
            })?;
        }
        Ok(())
    }

    /// Makes a link that the operator must give to the person. If `kind` is `None`, the state of the account determines
    /// the kind of the link.
    pub async fn make_link(
        &self,
        business: &BusinessHandle,
        request: Request,
        (id, kind): (PersonId, Option<LinkKind>),
    ) -> Result<Linked> {
        // While a request is in progress, a repetition of this request is refused. The repetition would make a second
        // link, and the second link would invalidate the first.
        let once = request.idempotency.as_ref().map(|once| self.shared().begin_once(once.key)).transpose()?;
        let once = once.map(Claim::new);
        let (people, business) = (self.with_claim(once.clone()), &business.with_claim(once));
        if let Some(answer) = business.remembered::<NoteLink>(&request).await? {
            let LinkView { kind, expires_at, .. } = answer.value;
            return Ok(Linked { kind, expires_at, token: None });
        }
        let (person, _) = people.member(business, id).await?;
        let kind = kind.unwrap_or_else(|| person.fitting_link());
        let unmade = NoteLink { id, kind, expires_at: self.shared().clocks.now() };
        business.check(&request, unmade).await?;
        let link = people.new_link(id, (kind, LinkChannel::Operator), business, request.actor).await?;
        business.change(request, NoteLink { id, kind, expires_at: link.expires_at }).await?;
        Ok(Linked { kind, expires_at: link.expires_at, token: Some(link.token) })
    }

    /// Returns the account with this address, and the kind of link that a reset mail to it contains. If the account has
    /// a password, this is a reset link, otherwise an invitation. Returns `None` if no account has this address.
    pub async fn forgotten(&self, email: &Address) -> Result<Option<(PersonId, LinkKind)>> {
        let person = self.by_email(email.folded()).await?;
        Ok(person.map(|person| (person.id, person.fitting_link())))
    }

    /// Mails a reset link unless a limit is exceeded. If the address is unknown, queues a mail that is never sent,
    /// because its recipient does not exist. So the response takes as long as for a known address.
    pub async fn mail_forgotten(&self, email: &Address, source: IpAddr) -> Result<Forgotten> {
        let known = self.forgotten(email).await?;
        let now = self.shared().clocks.now();
        let counted = self.persons.mails.outbox.allowances().forgotten(email.folded(), source, now);
        if counted == Forgotten::Send {
            let person = known.map_or_else(|| self.shared().mint_id(now), |(person, _)| person);
            self.persons.mails.queue(NewMail::of_account(person, MailKind::Reset, None)).await?;
        }
        Ok(counted)
    }

    /// Makes the link of a mail. If an earlier attempt to send the mail has made the link, returns that link. Returns
    /// `None` if a later change has invalidated the link.
    pub async fn mail_link(&self, mail: &Mail, kind: Option<LinkKind>) -> Result<Option<NewLink>> {
        let token = Token::of_mail(&self.shared().meta.link_secret, mail.id);
        let (of_mail, of) = ((token.hash(), mail.created_at), mail.business_id);
        let by = (Actor::System, AuditAction::PersonLinkMade, Weight::Keeps);
        let made = self
            .change(mail.person_id, by, move |person, now| person.make_mailed_link(kind, of_mail, of, now));
        Ok(made.await?.map(|(kind, expires_at)| NewLink { kind, token, expires_at }))
    }

    /// Makes the link that confirms a new email address. Returns `None` if the request for this address has expired,
    /// or if a later request has replaced it.
    pub async fn mail_email_link(&self, mail: &Mail) -> Result<Option<NewLink>> {
        let Some(email) = mail.to.clone() else { return Ok(None) };
        let token = Token::of_mail(&self.shared().meta.link_secret, mail.id);
        let of_mail = (token.hash(), mail.created_at);
        let by = (Actor::System, AuditAction::PersonLinkMade, Weight::Keeps);
        let made = self
            .change(mail.person_id, by, move |person, now| Ok(person.make_email_link(of_mail, &email, now)));
        Ok(made.await?.map(|expires_at| NewLink { kind: LinkKind::Email, token, expires_at }))
    }

    /// Makes a link that the operator must give to the person:
    /// - If the account has no password, makes an invitation link.
    /// - If the account has a password but is unconfirmed, clears the password and makes a reset link.
    /// - If the account has a password and is confirmed, makes no link and returns `None`.
    async fn operator_link(
        &self,
        id: PersonId,
        business: &BusinessHandle,
        by: Actor,
    ) -> Result<Option<NewLink>> {
        let token = Token::new(self.shared().ports.random_bytes());
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
        (kind, handed): (LinkKind, LinkChannel),
        business: &BusinessHandle,
        by: Actor,
    ) -> Result<NewLink> {
        let token = Token::new(self.shared().ports.random_bytes());
        let (hash, of) = (token.hash(), business.id);
        let made = self.change(id, (by, AuditAction::PersonLinkMade, Weight::Keeps), move |person, now| {
            Ok(person.make_link(kind, (hash, handed), Some(of), now)?.expires_at())
        });
        Ok(NewLink { kind, expires_at: made.await?, token })
    }

    fn person_of(&self, email: &Address, name: Option<PersonName>, locale: Locale) -> Person {
        let now = self.shared().clocks.now();
        Person {
            id: self.shared().mint_id(now),
            email: email.as_str().to_owned(),
            name: name.map(PersonName::into_string).unwrap_or_default(),
            locale,
            clock: domain::ClockFormat::Auto,
            week_start: domain::WeekStart::Auto,
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

    /// Creates an account. The account is written without an actor, because no other task knows its id yet. The caller
    /// holds the claim on the address.
    async fn create(&self, person: Person, by: Actor) -> Result<Person> {
        let permit = self.shared().permit()?;
        self.shared().store.check_room(Weight::Grows)?;
        let mut batch = Batch::default();
        write_person(None, Some(&person), &mut batch);
        self.shared().note((by, AuditAction::PersonCreated), person.id, person.created_at, &mut batch);
        self.shared().write(keys::lane_of(person.id), batch, (permit, self.claim())).await?;
        Ok(person)
    }
}
