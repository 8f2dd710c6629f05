//! Creating and changing services and staff members, for the operator.

use chrono_tz::Tz;

use crate::business::Write;
use crate::business::change::{Change, weight_of_change};
use crate::business::context::Context;
use crate::business::decision::Decision;
use crate::business::references::{Watch, in_use};
use crate::business::request::{New, Removed, Shown};
use crate::domain::{Membership, Refusal, ResourceId, Service, ServiceId, StaffId, StaffMember, Text};
use crate::error::EngineError;
use crate::store::Weight;
use crate::view::{OperatorServiceView, StaffView};

/// Adds a service.
#[derive(Clone, Debug)]
pub struct CreateService {
    /// Its name.
    pub name: Text<1, 200>,
    /// What it is.
    pub description: Text<0, 2000>,
    /// How long it takes, in minutes, within [`crate::domain::SERVICE_MINUTES`].
    pub duration_minutes: u32,
    /// Whether it can be booked.
    pub active: bool,
}

impl Change for CreateService {
    type Gives = New<OperatorServiceView>;

    fn decide(self, context: &mut Context<'_>) -> Result<Decision<Self::Gives>, EngineError> {
        let service = Service {
            id: context.mint(),
            name: self.name.into_string(),
            description: self.description.into_string(),
            duration_minutes: self.duration_minutes,
            active: self.active,
            created_at: context.at(),
            updated_at: context.at(),
        };
        let shown = OperatorServiceView::from(&service);
        Ok(Decision::created(&shown)
            .note("service.created", "service", service.id)
            .write(Write::Service(service)))
    }

    fn weight(&self) -> Weight {
        Weight::Grows
    }
}

/// Changes what is given of a service and keeps the rest. Appointments keep the duration they were booked with.
#[derive(Clone, Debug)]
pub struct PatchService {
    /// Which.
    pub id: ServiceId,
    /// Its name.
    pub name: Option<Text<1, 200>>,
    /// What it is.
    pub description: Option<Text<0, 2000>>,
    /// How long it takes, in minutes, within [`crate::domain::SERVICE_MINUTES`].
    pub duration_minutes: Option<u32>,
    /// Whether it can be booked.
    pub active: Option<bool>,
}

impl Change for PatchService {
    type Gives = Shown<OperatorServiceView>;

    fn decide(self, context: &mut Context<'_>) -> Result<Decision<Self::Gives>, EngineError> {
        let before = context.service(self.id).ok_or(Refusal::NotFound("service"))?;
        let shown = OperatorServiceView::from(before);
        context.check_match(&shown)?;
        let mut after = before.clone();
        if let Some(name) = self.name {
            after.name = name.into_string();
        }
        if let Some(description) = self.description {
            after.description = description.into_string();
        }
        after.duration_minutes = self.duration_minutes.unwrap_or(after.duration_minutes);
        after.active = self.active.unwrap_or(after.active);
        if after == *before {
            return Ok(Decision::unchanged(&shown));
        }
        after.updated_at = context.at();
        let now_shown = OperatorServiceView::from(&after);
        Ok(Decision::answering(&now_shown)
            .note_changes("service.updated", "service", self.id, (&shown, &now_shown))
            .write(Write::Service(after)))
    }

    fn weight(&self) -> Weight {
        let changes_more =
            self.name.is_some() || self.description.is_some() || self.duration_minutes.is_some();
        weight_of_change(self.active == Some(false), changes_more)
    }
}

/// Adds a staff member.
#[derive(Clone, Debug)]
pub struct CreateStaff {
    /// Their name.
    pub name: Text<1, 200>,
    /// Whether they take appointments.
    pub active: bool,
    /// The zone they see times in; the business's when absent.
    pub zone: Option<Tz>,
    /// The services they offer, each once.
    pub service_ids: Vec<ServiceId>,
}

impl Change for CreateStaff {
    type Gives = New<StaffView>;

    fn decide(self, context: &mut Context<'_>) -> Result<Decision<Self::Gives>, EngineError> {
        check_services(context, &self.service_ids)?;
        let staff = StaffMember {
            id: context.mint(),
            name: self.name.into_string(),
            active: self.active,
            zone: self.zone.unwrap_or(context.business().zone),
            service_ids: self.service_ids,
            created_at: context.at(),
            updated_at: context.at(),
        };
        let shown = StaffView::from(&staff);
        Ok(Decision::created(&shown).note("staff.created", "staff", staff.id).write(Write::Staff(staff)))
    }

    fn weight(&self) -> Weight {
        Weight::Grows
    }
}

/// Changes what is given of a staff member and keeps the rest. Their appointments stay.
#[derive(Clone, Debug)]
pub struct PatchStaff {
    /// Which.
    pub id: StaffId,
    /// Their name.
    pub name: Option<Text<1, 200>>,
    /// Whether they take appointments.
    pub active: Option<bool>,
    /// The zone they see times in.
    pub zone: Option<Tz>,
    /// The services they offer, each once.
    pub service_ids: Option<Vec<ServiceId>>,
}

impl Change for PatchStaff {
    type Gives = Shown<StaffView>;

    fn decide(self, context: &mut Context<'_>) -> Result<Decision<Self::Gives>, EngineError> {
        let before = context.staff(self.id).ok_or(Refusal::NotFound("staff member"))?;
        let shown = StaffView::from(before);
        context.check_match(&shown)?;
        let mut after = before.clone();
        if let Some(service_ids) = self.service_ids {
            check_services(context, &service_ids)?;
            after.service_ids = service_ids;
        }
        if let Some(name) = self.name {
            after.name = name.into_string();
        }
        after.active = self.active.unwrap_or(after.active);
        after.zone = self.zone.unwrap_or(after.zone);
        if after == *before {
            return Ok(Decision::unchanged(&shown));
        }
        after.updated_at = context.at();
        let now_shown = StaffView::from(&after);
        Ok(Decision::answering(&now_shown)
            .note_changes("staff.updated", "staff", self.id, (&shown, &now_shown))
            .write(Write::Staff(after)))
    }

    fn weight(&self) -> Weight {
        let changes_more = self.name.is_some() || self.zone.is_some() || self.service_ids.is_some();
        weight_of_change(self.active == Some(false), changes_more)
    }
}

/// Refuses ids that are no services of the business.
fn check_services(context: &Context<'_>, ids: &[ServiceId]) -> Result<(), Refusal> {
    let problems = context.unknown_services(ids);
    if problems.is_empty() { Ok(()) } else { Err(Refusal::Invalid(problems)) }
}

/// Deletes a service that nothing refers to.
#[derive(Clone, Copy, Debug)]
pub struct DeleteService {
    /// Which.
    pub id: ServiceId,
    /// The watch in which nothing was found that refers to it.
    pub watch: Watch,
}

impl Change for DeleteService {
    type Gives = Removed;

    fn decide(self, context: &mut Context<'_>) -> Result<Decision<Self::Gives>, EngineError> {
        context.service(self.id).ok_or(Refusal::NotFound("service"))?;
        // An inactive one offers nothing, and names it all the same.
        let mut members = context.staff_members();
        if let Some(member) = members.find(|member| member.service_ids.contains(&self.id)) {
            return Err(in_use(format!("staff member {} offers it", member.id)).into());
        }
        check_watch(context, self.id, self.watch)?;
        Ok(Decision::gone().note("service.deleted", "service", self.id).write(Write::NoService(self.id)))
    }

    fn weight(&self) -> Weight {
        Weight::Frees
    }
}

/// Deletes a staff member that nothing refers to.
#[derive(Clone, Copy, Debug)]
pub struct DeleteStaff {
    /// Whom.
    pub id: StaffId,
    /// The watch in which nothing was found that refers to them.
    pub watch: Watch,
}

impl Change for DeleteStaff {
    type Gives = Removed;

    fn decide(self, context: &mut Context<'_>) -> Result<Decision<Self::Gives>, EngineError> {
        context.staff(self.id).ok_or(Refusal::NotFound("staff member"))?;
        check_watch(context, self.id, self.watch)?;
        let is_this = |membership: &&Membership| membership.staff_id == Some(self.id);
        if let Some(membership) = context.team().values().find(is_this) {
            return Err(in_use(format!("person {} is this staff member", membership.person_id)).into());
        }
        Ok(Decision::gone().note("staff.deleted", "staff", self.id).write(Write::NoStaff(self.id)))
    }

    fn weight(&self) -> Weight {
        Weight::Frees
    }
}

/// Refuses when something has come to refer to it since it was looked for, or when that is not known any more.
fn check_watch(context: &Context<'_>, id: impl ResourceId, watch: Watch) -> Result<(), EngineError> {
    match context.referred_to(id.uuid(), watch) {
        Some(false) => Ok(()),
        Some(true) => Err(in_use("something has come to refer to it just now".into()).into()),
        None => Err(EngineError::Overloaded),
    }
}
