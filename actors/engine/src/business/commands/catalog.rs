//! Creates, changes and deletes services and staff members, for the operator.

use std::collections::BTreeMap;

use chrono_tz::Tz;
use domain::availability::{Concerned, Schedule};
use domain::{
    AuditAction, BUFFER_MINUTES_MAX, Buffers, Conflict, Currency, Membership, Named, OFFERED_MAX, Price,
    Problem, ProblemCode, Refusal, ResourceId, Service, ServiceId, StaffHours, StaffId, StaffMember, Text,
    UsedBy,
};
use store::Weight;
use view::{AffectedView, AffectingView, OperatorServiceView, OperatorStaffView, ServiceStaffView};

use super::profile::PatchBusiness;
use crate::business::references::{Watch, in_use};
use crate::business::{Change, Context, Decision, New, Removed, Shown, Write, change::weight_of_change};
use crate::error::{EngineError, Result};

super::listed!(
    CreateFirstServices,
    CreateService,
    CreateStaff,
    DeleteService,
    DeleteStaff,
    PatchService,
    PatchStaff,
    SetServiceStaff
);

#[derive(Clone, Debug)]
pub struct CreateService {
    pub name: Text<1, 200>,
    pub description: Text<0, 2000>,
    pub duration_minutes: u32,
    pub active: bool,
    pub buffers: Buffers,
    pub min_notice_minutes: u32,
    pub max_advance_days: Option<u32>,
    pub price: Option<Price>,
    pub category: Option<Text<1, 60>>,
    pub position: u32,
    pub color: Option<u32>,
}

impl CreateService {
    pub fn lasting(name: Text<1, 200>, duration_minutes: u32) -> Self {
        Self {
            name,
            description: Text::default(),
            duration_minutes,
            active: true,
            buffers: Buffers::default(),
            min_notice_minutes: 0,
            max_advance_days: None,
            price: None,
            category: None,
            position: 0,
            color: None,
        }
    }
}

impl Change for CreateService {
    type Gives = New<OperatorServiceView>;

    fn decide(self, context: &mut Context<'_>) -> Result<Decision<Self::Gives>> {
        let service = Service {
            id: context.mint(),
            name: self.name.into_string(),
            description: self.description.into_string(),
            duration_minutes: self.duration_minutes,
            active: self.active,
            buffers: self.buffers,
            min_notice_minutes: self.min_notice_minutes,
            max_advance_days: self.max_advance_days,
            price: self.price,
            category: self.category.map(Text::into_string),
            position: self.position,
            color: self.color,
            created_at: context.at,
            updated_at: context.at,
        };
        let shown = OperatorServiceView::from(&service);
        Ok(Decision::answering(shown)
            .note(AuditAction::ServiceCreated, service.id)
            .write(Write::Service(service)))
    }
}

/// Patches a business and creates its first services. Every active staff member then offers these services.
#[derive(Clone, Debug)]
pub struct CreateFirstServices {
    pub profile: PatchBusiness,
    pub services: Vec<CreateService>,
}

impl Change for CreateFirstServices {
    type Gives = Removed;

    fn decide(self, context: &mut Context<'_>) -> Result<Decision<Self::Gives>> {
        let there = context.state.services.len();
        if there > 0 {
            let code = ProblemCode::now(there);
            return Err(Refusal::conflict(Conflict::Changed, "services", code).into());
        }
        let (mut decision, _) = Decision::gone().with(self.profile.decide(context)?);
        let mut ids = Vec::new();
        for service in self.services {
            let (more, created) = decision.with(service.decide(context)?);
            decision = more;
            ids.push(created.service.id);
        }
        for member in context.state.staff.values().filter(|member| member.active) {
            let mut after = (**member).clone();
            after.service_ids.extend(&ids);
            after.updated_at = context.at;
            let shown = (&OperatorStaffView::from(&**member), &OperatorStaffView::from(&after));
            decision =
                decision.note_changes(AuditAction::StaffUpdated, after.id, shown).write(Write::Staff(after));
        }
        Ok(decision)
    }
}

/// Changes the given fields; an inner `None` clears a field. Existing appointments keep their duration.
#[derive(Clone, Debug, PartialEq)]
pub struct PatchService {
    pub id: ServiceId,
    pub name: Option<Text<1, 200>>,
    pub description: Option<Text<0, 2000>>,
    pub duration_minutes: Option<u32>,
    pub active: Option<bool>,
    pub buffer_before_minutes: Option<u32>,
    pub buffer_after_minutes: Option<u32>,
    pub min_notice_minutes: Option<u32>,
    pub max_advance_days: Option<Option<u32>>,
    pub price_cents: Option<Option<u32>>,
    pub currency: Option<Option<Currency>>,
    pub category: Option<Option<Text<1, 60>>>,
    pub position: Option<u32>,
    pub color: Option<Option<u32>>,
}

impl PatchService {
    pub fn of(id: ServiceId) -> Self {
        Self {
            id,
            name: None,
            description: None,
            duration_minutes: None,
            active: None,
            buffer_before_minutes: None,
            buffer_after_minutes: None,
            min_notice_minutes: None,
            max_advance_days: None,
            price_cents: None,
            currency: None,
            category: None,
            position: None,
            color: None,
        }
    }
}

impl Change for PatchService {
    type Gives = Shown<AffectingView<OperatorServiceView>>;

    fn decide(self, context: &mut Context<'_>) -> Result<Decision<Self::Gives>> {
        let before = context.service(self.id).ok_or(Refusal::NotFound(Named::Service))?;
        let shown = OperatorServiceView::from(before);
        context.check_match(&shown)?;
        let mut after = before.clone();
        after.name = self.name.map_or(after.name, Text::into_string);
        after.description = self.description.map_or(after.description, Text::into_string);
        after.duration_minutes = self.duration_minutes.unwrap_or(after.duration_minutes);
        after.active = self.active.unwrap_or(after.active);
        after.buffers = buffers(
            self.buffer_before_minutes.unwrap_or(before.buffers.before_minutes()),
            self.buffer_after_minutes.unwrap_or(before.buffers.after_minutes()),
        )?;
        after.min_notice_minutes = self.min_notice_minutes.unwrap_or(after.min_notice_minutes);
        after.max_advance_days = self.max_advance_days.unwrap_or(after.max_advance_days);
        after.price = Price::patched(before.price, self.price_cents, self.currency)
            .map_err(|problem| Refusal::Invalid(vec![problem]))?;
        after.category = self.category.map_or(after.category, |category| category.map(Text::into_string));
        after.position = self.position.unwrap_or(after.position);
        after.color = self.color.unwrap_or(after.color);
        let affected = if self.active.is_some() {
            let services = BTreeMap::from([(self.id, Box::new(after.clone()))]);
            let changed = |schedule| Schedule { services: &services, ..schedule };
            context.affected(&Concerned::service(self.id), changed)
        } else {
            AffectedView::default()
        };
        if after == *before {
            return Ok(Decision::answering(AffectingView { resource: shown, affected }));
        }
        if !after.differs_only_in_lists(before) {
            after.updated_at = context.at;
        }
        let now_shown = OperatorServiceView::from(&after);
        Ok(Decision::answering(AffectingView { resource: now_shown.clone(), affected })
            .note_changes(AuditAction::ServiceUpdated, self.id, (&shown, &now_shown))
            .write(Write::Service(after)))
    }

    fn weight(&self) -> Weight {
        let changes_more = Self { active: None, ..self.clone() } != Self::of(self.id);
        weight_of_change(self.active == Some(false), changes_more)
    }
}

fn buffers(before_minutes: u32, after_minutes: u32) -> Result<Buffers, Refusal> {
    Buffers::new(before_minutes, after_minutes).ok_or_else(|| {
        let of = if before_minutes > BUFFER_MINUTES_MAX {
            "buffer_before_minutes"
        } else {
            "buffer_after_minutes"
        };
        Refusal::invalid(of, ProblemCode::AtMost(BUFFER_MINUTES_MAX))
    })
}

#[derive(Clone, Debug)]
pub struct CreateStaff {
    pub name: Text<1, 200>,
    pub active: bool,
    /// The staff member's time zone, or `None` for the zone of the business.
    pub zone: Option<Tz>,
    /// The list contains no duplicates.
    pub service_ids: Vec<ServiceId>,
    /// The staff member's hours, or `None` if the opening hours apply.
    pub hours: Option<StaffHours>,
    pub position: u32,
    pub color: Option<u32>,
}

impl CreateStaff {
    pub fn offering(name: Text<1, 200>, service_ids: Vec<ServiceId>) -> Self {
        Self { name, active: true, zone: None, service_ids, hours: None, position: 0, color: None }
    }
}

impl Change for CreateStaff {
    type Gives = New<OperatorStaffView>;

    fn decide(self, context: &mut Context<'_>) -> Result<Decision<Self::Gives>> {
        let Self { name, active, zone, service_ids, hours, position, color } = self;
        check_services(context, &service_ids)?;
        let (id, name, at) = (context.mint(), name.into_string(), context.at);
        let zone = zone.unwrap_or(context.state.business.zone);
        let staff = StaffMember {
            id,
            name,
            active,
            zone,
            service_ids,
            hours,
            position,
            color,
            created_at: at,
            updated_at: at,
        };
        let shown = OperatorStaffView::from(&staff);
        Ok(Decision::answering(shown).note(AuditAction::StaffCreated, staff.id).write(Write::Staff(staff)))
    }
}

/// Changes the given fields. Existing appointments are not changed.
#[derive(Clone, Debug, PartialEq)]
pub struct PatchStaff {
    pub id: StaffId,
    pub name: Option<Text<1, 200>>,
    pub active: Option<bool>,
    pub zone: Option<Tz>,
    /// The list contains no duplicates.
    pub service_ids: Option<Vec<ServiceId>>,
    pub hours: Option<Option<StaffHours>>,
    pub position: Option<u32>,
    pub color: Option<Option<u32>>,
}

impl PatchStaff {
    pub fn of(id: StaffId) -> Self {
        Self {
            id,
            name: None,
            active: None,
            zone: None,
            service_ids: None,
            hours: None,
            position: None,
            color: None,
        }
    }
}

impl Change for PatchStaff {
    type Gives = Shown<AffectingView<OperatorStaffView>>;

    fn decide(self, context: &mut Context<'_>) -> Result<Decision<Self::Gives>> {
        let before = context.staff(self.id).ok_or(Refusal::NotFound(Named::Staff))?;
        let shown = OperatorStaffView::from(before);
        context.check_match(&shown)?;
        let mut after = before.clone();
        let concerns = self.active.is_some() || self.service_ids.is_some() || self.hours.is_some();
        if let Some(service_ids) = self.service_ids {
            check_services(context, &service_ids)?;
            after.service_ids = service_ids;
        }
        after.name = self.name.map_or(after.name, Text::into_string);
        after.active = self.active.unwrap_or(after.active);
        after.zone = self.zone.unwrap_or(after.zone);
        after.hours = self.hours.unwrap_or(after.hours);
        after.position = self.position.unwrap_or(after.position);
        after.color = self.color.unwrap_or(after.color);
        let affected = if concerns {
            let staff = BTreeMap::from([(self.id, Box::new(after.clone()))]);
            context.affected(&Concerned::staff(self.id), |schedule| Schedule { staff: &staff, ..schedule })
        } else {
            AffectedView::default()
        };
        if after == *before {
            return Ok(Decision::answering(AffectingView { resource: shown, affected }));
        }
        if !after.differs_only_in_lists(before) {
            after.updated_at = context.at;
        }
        let now_shown = OperatorStaffView::from(&after);
        Ok(Decision::answering(AffectingView { resource: now_shown.clone(), affected })
            .note_changes(AuditAction::StaffUpdated, self.id, (&shown, &now_shown))
            .write(Write::Staff(after)))
    }

    fn weight(&self) -> Weight {
        let changes_more = Self { active: None, ..self.clone() } != Self::of(self.id);
        weight_of_change(self.active == Some(false), changes_more)
    }
}

/// Sets the staff members who offer a service. Existing appointments are not changed.
#[derive(Clone, Debug)]
pub struct SetServiceStaff {
    pub id: ServiceId,
    /// The list contains no duplicates.
    pub staff_ids: Vec<StaffId>,
}

impl Change for SetServiceStaff {
    type Gives = Shown<AffectingView<ServiceStaffView>>;

    fn decide(self, context: &mut Context<'_>) -> Result<Decision<Self::Gives>> {
        let Self { id, staff_ids } = self;
        context.service(id).ok_or(Refusal::NotFound(Named::Service))?;
        let mut staff = context.state.staff.clone();
        let offering = |staff: &BTreeMap<StaffId, Box<StaffMember>>| ServiceStaffView {
            service_id: id,
            staff_ids: staff
                .values()
                .filter(|member| member.service_ids.contains(&id))
                .map(|it| it.id)
                .collect(),
        };
        context.check_match(&offering(&staff))?;
        let mut problems = Vec::new();
        for (at, staff_id) in staff_ids.iter().enumerate() {
            let code = match staff.get(staff_id) {
                None => ProblemCode::NotOfTheBusiness(Named::Staff),
                Some(it) if !it.service_ids.contains(&id) && it.service_ids.len() >= OFFERED_MAX => {
                    ProblemCode::OffersMax(OFFERED_MAX)
                }
                Some(_) => continue,
            };
            problems.push(Problem::new(format!("staff_ids[{at}]"), code));
        }
        Refusal::check(problems)?;
        let (mut writes, at) = (Vec::new(), context.at);
        for member in staff.values_mut() {
            let before = OperatorStaffView::from(&**member);
            match (staff_ids.contains(&member.id), member.service_ids.contains(&id)) {
                (true, false) => member.service_ids.push(id),
                (false, true) => member.service_ids.retain(|offered| *offered != id),
                _ => continue,
            }
            member.updated_at = at;
            writes.push((before, (**member).clone()));
        }
        let changed = |schedule| Schedule { staff: &staff, ..schedule };
        let affected = context.affected(&Concerned::service(id), changed);
        let shown = AffectingView { resource: offering(&staff), affected };
        Ok(writes.into_iter().fold(Decision::answering(shown), |decision, (before, after)| {
            let seen = OperatorStaffView::from(&after);
            decision
                .note_changes(AuditAction::StaffUpdated, after.id, (&before, &seen))
                .write(Write::Staff(after))
        }))
    }
}

fn check_services(context: &Context<'_>, ids: &[ServiceId]) -> Result<(), Refusal> {
    let unknown = ids.iter().enumerate().filter(|(_, id)| !context.state.services.contains_key(id));
    let code = ProblemCode::NotOfTheBusiness(Named::Service);
    Refusal::check(unknown.map(|(at, _)| Problem::new(format!("service_ids[{at}]"), code.clone())).collect())
}

#[derive(Clone, Debug)]
pub struct DeleteService {
    pub id: ServiceId,
    pub watch: Watch,
}

impl Change for DeleteService {
    type Gives = Removed;
    const WEIGHT: Weight = Weight::Frees;

    fn decide(self, context: &mut Context<'_>) -> Result<Decision<Self::Gives>> {
        context.service(self.id).ok_or(Refusal::NotFound(Named::Service))?;
        // Inactive staff members are checked too, because a service that an inactive staff member offers must not be
        // deleted.
        let mut members = context.state.staff.values();
        if let Some(member) = members.find(|member| member.service_ids.contains(&self.id)) {
            return Err(in_use(UsedBy::Staff(member.id)).into());
        }
        check_watch(context, self.id, &self.watch)?;
        Ok(Decision::gone().note(AuditAction::ServiceDeleted, self.id).write(Write::NoService(self.id)))
    }
}

#[derive(Clone, Debug)]
pub struct DeleteStaff {
    pub id: StaffId,
    pub watch: Watch,
}

impl Change for DeleteStaff {
    type Gives = Removed;
    const WEIGHT: Weight = Weight::Frees;

    fn decide(self, context: &mut Context<'_>) -> Result<Decision<Self::Gives>> {
        context.staff(self.id).ok_or(Refusal::NotFound(Named::Staff))?;
        check_watch(context, self.id, &self.watch)?;
        let is_this = |membership: &&Membership| membership.staff_id == Some(self.id);
        if let Some(membership) = context.state.people.values().find(is_this) {
            return Err(in_use(UsedBy::Person(membership.person_id)).into());
        }
        let mut gone =
            Decision::gone().note(AuditAction::StaffDeleted, self.id).write(Write::NoStaff(self.id));
        for (blocked, _) in context.state.blocked.of_staff(self.id) {
            gone = gone.write(Write::NoBlockedTime(blocked));
        }
        Ok(gone)
    }
}

/// Fails if a reference to the resource was written after the [`Watch`] began, or if the actor has lost the watch.
fn check_watch(context: &Context<'_>, id: impl ResourceId, watch: &Watch) -> Result<()> {
    match context.state.references.referred_to(id.uuid(), watch) {
        Some(false) => Ok(()),
        Some(true) => Err(in_use(UsedBy::JustNow).into()),
        None => Err(EngineError::Overloaded),
    }
}
