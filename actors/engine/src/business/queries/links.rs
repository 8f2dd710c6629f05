//! Reads the booking page and the appointment of a manage link, for customers.

use chrono::{NaiveDate, TimeDelta};
use domain::availability::{Slot, Terms};
use domain::{Appointment, Business, Refusal, Service, SlugOwner, StaffMember, Timestamp, Website};
use store::keys;

use crate::Engine;
use crate::business::BusinessHandle;
use crate::business::commands::customers::ManageToken;
use crate::error::{EngineError, Result};

/// The maximum number of times that a customer may move an appointment with manage links.
const MOVES_MAX: u8 = 5;

/// The appointment of a manage link, with the settings that decide whether the customer may change it.
#[derive(Clone, Debug)]
pub struct SeenByLink {
    pub appointment: Appointment,
    pub business: Business,
    pub website: Website,
    pub service: Service,
    pub staff: StaffMember,
    /// The number of times that the customer has moved the appointment with manage links.
    pub moves: u8,
    /// The address to which the link was sent.
    pub to: Option<String>,
    pub now: Timestamp,
}

impl SeenByLink {
    pub fn may_change(&self) -> bool {
        let Self { appointment, business, website, service, now, .. } = self;
        let notice = website.change_notice_minutes.unwrap_or(service.min_notice_minutes);
        appointment.is_active()
            && website.change_by_caller
            && !business.suspended
            && appointment.starts_at > *now
            && appointment.starts_at >= *now + TimeDelta::minutes(i64::from(notice))
    }

    pub fn may_move(&self) -> bool {
        self.may_change() && self.moves < MOVES_MAX
    }
}

impl Engine {
    /// Returns the business whose booking page has this slug. Returns `None` if there is no such page, if the page is
    /// disabled, or if the business is suspended.
    pub async fn booking_page(&self, slug: &str) -> Result<Option<BusinessHandle>> {
        let Some(owner) = self.shared().store.get::<SlugOwner>(&keys::slug(slug))? else { return Ok(None) };
        let handle = self.business_for_visitor(owner.business_id);
        let business = match handle.business().await {
            Err(EngineError::NotFound) => return Ok(None),
            business => business?,
        };
        let Website { enabled, slug: own, .. } = handle.website().await?;
        let is_open = enabled && own.is_some_and(|own| own.as_str() == slug) && !business.suspended;
        Ok(is_open.then_some(handle))
    }
}

impl BusinessHandle {
    /// Finds the appointment of a manage link. Returns `None` if the link is unknown or has ended, or if its
    /// appointment or contact no longer exists.
    pub async fn seen_by_link(&self, token: &ManageToken) -> Result<Option<SeenByLink>> {
        // The link is looked up in the store first, so a request with an unknown token does not start an actor.
        let is_known = self.read(|store| store.contains(&keys::link(self.id, &token.hash()))).await?;
        if !is_known {
            return Ok(None);
        }
        let token = token.clone();
        match self.ask(move |state, now| Ok(state.seen_by_link(&token, now)?)).await {
            Err(EngineError::NotFound) => Ok(None),
            seen => seen,
        }
    }

    /// Returns the times to which the customer can move the appointment, within an inclusive range of local days.
    /// Returns `None` if [`Self::seen_by_link`] finds no appointment.
    pub async fn times_to_move(
        &self,
        token: &ManageToken,
        dates: (NaiveDate, NaiveDate),
    ) -> Result<Option<Vec<Slot>>> {
        let Some(SeenByLink { appointment, .. }) = self.seen_by_link(token).await? else { return Ok(None) };
        let staff = appointment.staff_id;
        let slots = self.ask(move |state, now| {
            Ok(state.schedule(now).slots_to_move(&appointment, staff, dates, Terms::Integration, None)?)
        });
        match slots.await {
            // The service or the staff member is inactive, so the appointment cannot be moved to any time.
            Err(EngineError::Refused(Refusal::Invalid(_))) => Ok(Some(Vec::new())),
            slots => slots.map(Some),
        }
    }
}
