//! Changes by customers: bookings on the booking page, and moves and cancellations with a *manage link*,
//! which a customer gets for an appointment.
//!
//! Invariants:
//! - A booking finds the contact as `POST /v1/appointments` does, and does not change the contact. A new contact gets
//!   the phone number or the email address, but not both, because the customer has not proven that both belong to the
//!   same person.
//! - Only answers contain tokens. The store contains the SHA-256 of the random part of each token.
//! - A link shows one appointment. The customer can change the appointment as far as [`SeenByLink`] allows.

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use domain::booking::{self, BookRequest, MoveRequest, Outcome, Party};
use domain::{
    Appointment, AppointmentId, AuditAction, BookedAs, BusinessId, Conflict, ContactDetails, Email, Locale,
    Named, Phone, ProblemCode, Refusal, ResourceId, Source, Text, Timestamp,
};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use store::Weight;
use view::{AppointmentParties, SomeAppointmentView};

use super::appointments::{Book, BookingContact, amend, book};
use super::guarded::elsewhere;
use crate::business::{Change, Context, Decision, New, SeenByLink, Shown, Write, links};
use crate::error::{EngineError, Result};

super::listed!(BookOnline, CancelByLink, MintLink, MoveByLink);

/// A customer books and moves appointments under the same rules as an integration.
const CUSTOMER: Party = Party::Integration { allow_pending: true };

/// The token of a manage link. It is never logged.
#[derive(Clone, PartialEq, Eq)]
pub struct ManageToken {
    business_id: BusinessId,
    random: [u8; 16],
}

impl ManageToken {
    pub(crate) fn new(business_id: BusinessId, random: [u8; 16]) -> Self {
        Self { business_id, random }
    }

    /// Parses the token in a request. Returns `None` if the text is not a well-formed token.
    pub fn parse(text: &str) -> Option<Self> {
        let decoded = |part: &str| BASE64_URL_SAFE_NO_PAD.decode(part).ok()?.try_into().ok();
        let (business, random) = text.split_once('.')?;
        let business: [u8; 16] = decoded(business)?;
        Some(Self { business_id: uuid::Uuid::from_bytes(business).into(), random: decoded(random)? })
    }

    pub fn business_id(&self) -> BusinessId {
        self.business_id
    }

    /// The hash of the random part of the token. The store contains this hash, but not the token. A lookup compares
    /// only hashes, so its duration reveals nothing about a token. A constant-time comparison is not needed.
    pub fn hash(&self) -> [u8; 32] {
        Sha256::digest(self.random).into()
    }

    pub fn text(&self) -> String {
        let business = BASE64_URL_SAFE_NO_PAD.encode(self.business_id.uuid().as_bytes());
        format!("{business}.{}", BASE64_URL_SAFE_NO_PAD.encode(self.random))
    }
}

impl std::fmt::Debug for ManageToken {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("ManageToken(…)")
    }
}

/// A booking that a customer makes with the form of the booking page.
#[derive(Clone, Debug)]
pub struct BookOnline {
    /// The requested booking. Its source, party and duration have no effect.
    pub request: BookRequest,
    pub name: Text<1, 200>,
    /// At least one of `phone` and `email` is given.
    pub phone: Option<Phone>,
    pub email: Option<Email>,
    pub note: Option<Text<1, 1000>>,
    pub locale: Locale,
    pub texts: bool,
}

#[derive(Clone, Serialize, Deserialize)]
pub struct OnlineBooked {
    pub appointment_id: AppointmentId,
    /// The token of a manage link. It is `None` in the answer to a repeated request.
    pub token: Option<String>,
}

impl Change for BookOnline {
    type Gives = New<OnlineBooked>;

    fn decide(self, context: &mut Context<'_>) -> Result<Decision<Self::Gives>> {
        let state = context.state;
        if state.business.suspended {
            return Err(EngineError::Suspended);
        }
        let Self { request, name, phone, email, note, locale, texts } = self;
        let booked_as = BookedAs {
            name: Some(name.as_str().to_owned()),
            phone: phone.clone(),
            email: email.clone(),
            locale,
            texts,
        };
        let details = ContactDetails { name: Some(name), phone, email, ..ContactDetails::default() };
        let contact = BookingContact::Entered(details);
        let request = BookRequest { source: Source::Website, party: CUSTOMER, duration: None, ..request };
        let entered = |appointment: &mut Appointment| {
            appointment.customer_note = note.map(Text::into_string);
            appointment.booked_as = Some(booked_as);
        };
        let token = ManageToken::new(state.id, context.random());
        let answer = |ManagedView { appointment_id }| {
            let booked = |token| OnlineBooked { appointment_id, token };
            Decision::<Self::Gives>::answering(booked(Some(token.text())))
                .remember(booked(None))
                .write(Write::Rows(links::first(&token, appointment_id)))
        };
        book(context, Book { request, contact }, entered, answer)
    }
}

/// Adds a manage link to an existing appointment, either for a customer who submits the booking form again or for a
/// notice. `to` is the address to which the link is sent.
#[derive(Clone, Debug)]
pub struct MintLink {
    pub appointment_id: AppointmentId,
    pub to: Option<String>,
}

#[derive(Clone, Serialize, Deserialize)]
pub struct Minted {
    pub token: String,
}

impl Change for MintLink {
    type Gives = Shown<Minted>;
    /// This change is allowed on a nearly full disk, because the number of links of an appointment is limited, and the
    /// links are deleted with the appointment.
    const WEIGHT: Weight = Weight::Keeps;

    fn decide(self, context: &mut Context<'_>) -> Result<Decision<Self::Gives>> {
        let Self { appointment_id, to } = self;
        let appointment = context.state.appointment(appointment_id)?;
        if !links::has_contact(context.state, appointment.as_ref())? {
            return Err(Refusal::NotFound(Named::Appointment).into());
        }
        let token = ManageToken::new(context.state.id, context.random());
        let rows = links::add(context.state, &token, appointment_id, to)?;
        Ok(Decision::answering(Minted { token: token.text() }).write(Write::Rows(rows)))
    }
}

#[derive(Clone, Debug)]
pub struct MoveByLink {
    pub token: ManageToken,
    pub starts_at: Timestamp,
    pub expected_starts_at: Timestamp,
}

#[derive(Clone, Debug)]
pub struct CancelByLink {
    pub token: ManageToken,
    pub expected_starts_at: Timestamp,
}

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct ManagedView {
    pub appointment_id: AppointmentId,
}

impl SomeAppointmentView for ManagedView {
    fn new(appointment: &Appointment, _: AppointmentParties<'_>) -> Self {
        Self { appointment_id: appointment.id }
    }
}

impl Change for MoveByLink {
    type Gives = Shown<ManagedView>;

    fn decide(self, context: &mut Context<'_>) -> Result<Decision<Self::Gives>> {
        let Self { token, starts_at, expected_starts_at } = self;
        let seen = seen(context, &token)?;
        let id = seen.appointment.id;
        let request = MoveRequest { starts_at, staff_id: None, party: CUSTOMER, duration: None };
        if seen.appointment.is_active() {
            check(&seen, expected_starts_at, seen.may_move())?;
        }
        let (at, schedule) = (context.at, context.schedule());
        let mut is_moved = false;
        let decision: Decision<Self::Gives> =
            amend(context, id, AuditAction::AppointmentRescheduled, |before| {
                let outcome = booking::reschedule(&schedule, before, &request, at)?;
                is_moved = outcome != Outcome::Unchanged;
                Ok(outcome)
            })?;
        Ok(if is_moved { decision.write(Write::Rows(links::moved(context.state, id)?)) } else { decision })
    }
}

impl Change for CancelByLink {
    type Gives = Shown<ManagedView>;
    const WEIGHT: Weight = Weight::Frees;

    fn decide(self, context: &mut Context<'_>) -> Result<Decision<Self::Gives>> {
        let Self { token, expected_starts_at } = self;
        let seen = seen(context, &token)?;
        if seen.appointment.is_active() {
            check(&seen, expected_starts_at, seen.may_change())?;
        }
        let (at, id) = (context.at, seen.appointment.id);
        amend(context, id, AuditAction::AppointmentCancelled, |before| Ok(booking::cancel(before, at)))
    }
}

fn seen(context: &Context<'_>, token: &ManageToken) -> Result<SeenByLink> {
    let seen = context.state.seen_by_link(token, context.now)?;
    Ok(seen.ok_or(Refusal::NotFound(Named::Appointment))?)
}

/// Checks that the appointment has not ended, starts at the expected time, and may be changed by the
/// customer.
fn check(seen: &SeenByLink, expected: Timestamp, is_changeable: bool) -> Result<(), Refusal> {
    let Appointment { starts_at, ends_at, .. } = seen.appointment;
    if ends_at <= seen.now {
        let now = ProblemCode::now(ends_at);
        return Err(Refusal::conflict(Conflict::AppointmentEnded, "ends_at", now));
    }
    if starts_at != expected {
        return Err(elsewhere(&seen.appointment));
    }
    if !is_changeable {
        let now = ProblemCode::now(starts_at);
        return Err(Refusal::conflict(Conflict::NotChangeableOnline, "starts_at", now));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_has_one_form_and_is_not_printed() {
        let of = BusinessId::from(uuid::Uuid::from_u128(u128::MAX - 7));
        let token = ManageToken::new(of, [0xf7; 16]);
        let text = token.text();
        assert_eq!(text.len(), 45);
        assert_eq!(ManageToken::parse(&text), Some(token.clone()));
        assert_eq!(format!("{token:?}"), "ManageToken(…)");
        assert_ne!(token.hash(), ManageToken::new(of, [0xf6; 16]).hash());
        let (business, random) = text.split_once('.').unwrap();
        // The last character of each part has four unused bits. `parse` refuses a token in which one of these bits is
        // 1, because each token must have exactly one text form.
        let other_bits = format!("{business}.{}x", &random[..21]);
        for bad in ["", ".", business, &text[1..], &format!("{text}="), &format!("{text}A"), &other_bits] {
            assert_eq!(ManageToken::parse(bad), None, "{bad}");
        }
    }
}
