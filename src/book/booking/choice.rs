//! The services and staff members that customers can choose, and the choices in the query of a request.
//!
//! Invariant: an unusable value of the query is dropped together with the values of all later steps.

use chrono::{Datelike, NaiveDate};
use domain::availability::{BOOKABLE_YEARS, Slot, Terms};
use domain::{Service, ServiceId, StaffId, StaffMember, Timestamp};
use url::form_urlencoded::Serializer;

use crate::book::input::Shop;
use crate::book::refused::Refused;
use crate::http::form::Form;

/// The active services that an active staff member offers, and the active staff.
pub(super) struct Offer {
    pub(super) services: Vec<Service>,
    staff: Vec<StaffMember>,
}

impl Offer {
    pub(super) async fn of(shop: &Shop) -> Result<Self, Refused> {
        let today = shop.today();
        let diary = shop.business.diary(today..=today).await?;
        let staff = diary.staff.into_iter().map(|one| one.member).filter(|member| member.active);
        let staff: Vec<_> = staff.collect();
        let is_offered = |service: &Service| service.active && staff.iter().any(|one| one.offers(service.id));
        let services = diary.services.into_iter().filter(is_offered).collect();
        Ok(Self { services, staff })
    }

    pub(super) fn service(&self, id: ServiceId) -> Option<&Service> {
        self.services.iter().find(|service| service.id == id)
    }

    pub(super) fn staff_for(&self, service: ServiceId) -> impl Iterator<Item = &StaffMember> {
        self.staff.iter().filter(move |member| member.offers(service))
    }

    pub(super) fn member(&self, service: ServiceId, id: StaffId) -> Option<&StaffMember> {
        self.staff_for(service).find(|member| member.id == id)
    }

    /// The id of the service, if only one can be chosen.
    fn only(&self) -> Option<ServiceId> {
        self.services.first().filter(|_| self.services.len() == 1).map(|service| service.id)
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Choice {
    pub(super) service: Option<ServiceId>,
    /// `None` means any staff member.
    pub(super) staff: Option<StaffId>,
    pub(super) date: Option<NaiveDate>,
    pub(super) time: Option<Timestamp>,
}

impl Choice {
    /// Reads the choices from the query, without a check whether the time can still be booked.
    pub(super) fn of(query: &Form, offer: &Offer, today: NaiveDate) -> Self {
        let mut choice = Self { service: offer.only(), ..Self::default() };
        // If a value is unusable, this value and the later values keep their defaults.
        let _ = choice.read(query, offer, today);
        choice
    }

    fn read(&mut self, query: &Form, offer: &Offer, today: NaiveDate) -> Option<()> {
        let given = |name| Some(query.get(name).trim()).filter(|text| !text.is_empty());
        if let Some(text) = given("service") {
            self.service = Some(offer.service(text.parse().ok()?)?.id);
        }
        let service = self.service?;
        if let Some(text) = given("staff") {
            self.staff = Some(offer.member(service, text.parse().ok()?)?.id);
        }
        if let Some(text) = given("date") {
            let date: NaiveDate = text.parse().ok()?;
            self.date = Some(date).filter(|date| *date >= today && is_bookable(*date));
            self.date?;
        }
        if let Some(text) = given("time") {
            self.time = Some(Timestamp::parse(text).ok()?);
        }
        Some(())
    }

    /// The path of the page with these choices.
    pub(super) fn link(&self, path: &str, locale: Option<&str>) -> String {
        let mut query = Serializer::for_suffix(format!("{path}?"), path.len() + 1);
        let choices = [
            ("service", self.service.map(|id| id.to_string())),
            ("staff", self.staff.map(|id| id.to_string())),
            ("date", self.date.map(|date| date.to_string())),
            ("time", self.time.map(|time| time.to_string())),
            ("locale", locale.map(str::to_owned)),
        ];
        let choices = choices.into_iter().filter_map(|(name, value)| Some((name, value?)));
        let link = query.extend_pairs(choices).finish();
        link.trim_end_matches('?').to_owned()
    }
}

impl Shop {
    pub(super) fn today(&self) -> NaiveDate {
        self.day(self.business.now())
    }

    pub(in crate::book) fn day(&self, at: Timestamp) -> NaiveDate {
        at.utc().with_timezone(&self.profile.zone).date_naive()
    }

    /// The bookable times from the first to the last date in `days`, as `GET /v1/availability` lists them.
    pub(super) async fn open_times(
        &self,
        service: ServiceId,
        staff: Option<StaffId>,
        days: (NaiveDate, NaiveDate),
    ) -> Result<Vec<Slot>, Refused> {
        Ok(self.business.availability(service, staff, days, Terms::Integration).await?)
    }

    pub(super) async fn is_open(
        &self,
        service: ServiceId,
        staff: Option<StaffId>,
        time: Timestamp,
    ) -> Result<bool, Refused> {
        let day = self.day(time);
        if !is_bookable(day) {
            return Ok(false);
        }
        let slots = self.open_times(service, staff, (day, day)).await?;
        Ok(slots.iter().any(|slot| slot.starts_at == time))
    }
}

pub(in crate::book) fn is_bookable(day: NaiveDate) -> bool {
    BOOKABLE_YEARS.contains(&day.year())
}
