//! The rows of manage links.
//!
//! Invariants:
//! - The [`LinksRecord`] of an appointment lists all links of this appointment and no others.
//! - An appointment without a contact has no links.
//! - The deletion of an appointment deletes its links. A background job deletes the links that have ended.
//! - If an appointment has too many links, links that were shown on a page end before links that were sent by mail.
//!   This rule protects mailed links from a visitor who repeatedly submits a form. The customer may need a mailed link
//!   to stop emails.

use chrono::TimeDelta;
use domain::{Appointment, AppointmentId, Timestamp};
use store::records::{LinkRecord, LinksRecord};
use store::{Batch, Record, StoreError, keys};

use super::SeenByLink;
use super::commands::customers::ManageToken;
use super::merged::survivor;
use super::state::State;

/// The maximum number of links of an appointment. If a further link is added, the service ends the oldest link that was
/// not sent by mail. If all links were sent by mail, the service ends the oldest link.
const LINKS_MAX: usize = 32;
/// A link ends this long after the end of its appointment.
pub(crate) const LINK_KEPT: TimeDelta = TimeDelta::days(30);

/// The rows of the first manage link of a new appointment.
pub(super) fn first(token: &ManageToken, id: AppointmentId) -> Batch {
    let mut rows = Batch::default();
    put(LinksRecord::default(), token, &LinkRecord { appointment_id: id, to: None }, &mut rows);
    rows
}

pub(super) fn add(
    state: &State,
    token: &ManageToken,
    id: AppointmentId,
    to: Option<String>,
) -> Result<Batch, StoreError> {
    let (mut links, mut rows) = (of_appointment(state, id)?, Batch::default());
    while links.hashes.len() >= LINKS_MAX {
        let ends = links.hashes.remove(first_to_end(state, &links)?);
        rows.delete(keys::link(state.id, &ends));
    }
    put(links, token, &LinkRecord { appointment_id: id, to }, &mut rows);
    Ok(rows)
}

/// The position of the oldest link that was not sent by mail, or of the oldest link if all were sent by mail.
fn first_to_end(state: &State, links: &LinksRecord) -> Result<usize, StoreError> {
    for (position, hash) in links.hashes.iter().enumerate() {
        let link = state.find::<LinkRecord>(&keys::link(state.id, hash))?;
        if link.is_none_or(|link| link.to.is_none()) {
            return Ok(position);
        }
    }
    Ok(0)
}

fn put(mut links: LinksRecord, token: &ManageToken, link: &LinkRecord, rows: &mut Batch) {
    let of = token.business_id();
    links.hashes.push(token.hash());
    rows.put(keys::links(of, link.appointment_id), links.encode());
    rows.put(keys::link(of, &token.hash()), link.encode());
}

/// Returns the row of the [`LinksRecord`] of an appointment, with its number of moves increased by one.
pub(super) fn moved(state: &State, id: AppointmentId) -> Result<Batch, StoreError> {
    let mut links = of_appointment(state, id)?;
    links.moves = links.moves.saturating_add(1);
    let mut rows = Batch::default();
    rows.put(keys::links(state.id, id), links.encode());
    Ok(rows)
}

/// Deletes all links of an appointment.
pub(super) fn end(state: &State, id: AppointmentId, rows: &mut Batch) -> Result<(), StoreError> {
    let of = state.id;
    let links = of_appointment(state, id)?;
    if !links.hashes.is_empty() {
        links.hashes.iter().for_each(|hash| rows.delete(keys::link(of, hash)));
        rows.delete(keys::links(of, id));
    }
    Ok(())
}

/// Removes an address from the links of an appointment. The links still work.
pub(crate) fn forget_address(
    state: &State,
    id: AppointmentId,
    address: &str,
    rows: &mut Batch,
) -> Result<(), StoreError> {
    for hash in of_appointment(state, id)?.hashes {
        let key = keys::link(state.id, &hash);
        let link = state.find::<LinkRecord>(&key)?;
        if let Some(link) = link.filter(|link| link.to.as_deref() == Some(address)) {
            rows.put(key, LinkRecord { to: None, ..link }.encode());
        }
    }
    Ok(())
}

fn of_appointment(state: &State, id: AppointmentId) -> Result<LinksRecord, StoreError> {
    Ok(state.find(&keys::links(state.id, id))?.unwrap_or_default())
}

/// True if the appointment exists and has a contact that was not erased.
pub(super) fn has_contact(state: &State, appointment: Option<&Appointment>) -> Result<bool, StoreError> {
    let contact = appointment.and_then(|appointment| appointment.contact_id);
    contact.map_or(Ok(false), |id| Ok(survivor(state, state.id, id)?.is_some()))
}

impl State {
    /// Finds the appointment of a manage link. Returns `None` if the link is unknown or has ended, or if its
    /// appointment or contact no longer exists.
    pub(super) fn seen_by_link(
        &self,
        token: &ManageToken,
        now: Timestamp,
    ) -> Result<Option<SeenByLink>, StoreError> {
        if token.business_id() != self.id || self.ended {
            return Ok(None);
        }
        let link = self.find::<LinkRecord>(&keys::link(self.id, &token.hash()))?;
        let Some(LinkRecord { appointment_id, to }) = link else { return Ok(None) };
        let appointment = self.appointment(appointment_id)?;
        if !has_contact(self, appointment.as_ref())? {
            return Ok(None);
        }
        let Some(appointment) = appointment.filter(|it| now < it.ends_at + LINK_KEPT) else {
            return Ok(None);
        };
        let service = self.services.get(&appointment.service_id);
        let staff = self.staff.get(&appointment.staff_id);
        let Some((service, staff)) = service.zip(staff) else { return Ok(None) };
        Ok(Some(SeenByLink {
            business: self.business.clone(),
            website: self.website.clone(),
            service: (**service).clone(),
            staff: (**staff).clone(),
            moves: of_appointment(self, appointment_id)?.moves,
            appointment,
            to,
            now,
        }))
    }
}
