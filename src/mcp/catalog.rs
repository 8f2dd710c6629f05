//! The services and staff of a business, found by name or id.
//!
//! Invariants:
//! - An ambiguous name is refused, never guessed.
//! - An id of another business gets the same refusal as an unknown id.

use std::fmt::Display;
use std::str::FromStr;

use domain::{Business, Problem, Refusal, Scope, Service, ServiceId, StaffId, StaffMember, fold_name};
use engine::EngineError;
use engine::business::{Page, PageRequest};

use super::bounds::quoted_name;
use super::moment::WallClock;
use super::refused::Refused;
use super::tool_call::ToolCall;
use super::values::Named;

const READ_ITEMS: usize = 100;

const LISTED_MAX: usize = 20;

pub(super) struct Catalog<'a> {
    pub(super) asking: &'a ToolCall,
    pub(super) business: Business,
    pub(super) services: Vec<Service>,
    pub(super) staff: Vec<StaffMember>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum For {
    /// A name or id matches only active records.
    Booking,
    /// A name or id also matches inactive records.
    Finding,
}

struct Candidate<'a, I> {
    id: I,
    name: &'a str,
    is_active: bool,
}

impl<'a> Catalog<'a> {
    pub(super) async fn read(asking: &'a ToolCall) -> Result<Self, Refused> {
        let business = &asking.business;
        let profile = business.business().await?;
        let services = all(|page| async move { business.services(true, &page).await }).await?;
        let staff = all(|page| async move { business.staff(&page).await }).await?;
        Ok(Self { asking, business: profile, services, staff })
    }

    pub(super) fn clock(&self) -> WallClock {
        WallClock(self.business.zone)
    }

    pub(super) fn service(&self, named: &Named, good_for: For) -> Result<ServiceId, Refused> {
        let all =
            self.services.iter().map(|it| Candidate { id: it.id, name: &it.name, is_active: it.active });
        meant(self.asking, "service", named, good_for, &all.collect::<Vec<_>>())
    }

    pub(super) fn staff_member(&self, named: &Named, good_for: For) -> Result<StaffId, Refused> {
        let all = self.staff.iter().map(|it| Candidate { id: it.id, name: &it.name, is_active: it.active });
        meant(self.asking, "staff", named, good_for, &all.collect::<Vec<_>>())
    }

    pub(super) fn service_of(&self, id: ServiceId) -> Option<&Service> {
        self.services.iter().find(|service| service.id == id)
    }

    pub(super) fn offering(&self, service: ServiceId) -> impl Iterator<Item = &StaffMember> {
        self.staff.iter().filter(move |member| member.offers(service))
    }

    /// Returns the staff member's name, or "That staff member" if the client may not see the name.
    pub(super) fn who(&self, id: StaffId) -> String {
        let member = self.staff.iter().find(|member| member.id == id).filter(|_| self.asking.may_name());
        member.map_or_else(|| "That staff member".into(), |member| quoted_name(&member.name))
    }

    /// If a next step is known for each problem of a booking or a search, replaces the problems with these steps.
    /// Otherwise, returns the refusal unchanged.
    pub(super) fn mended(&self, refused: Refused, service: ServiceId, staff: Option<StaffId>) -> Refused {
        let Refused::Rules(Refusal::Invalid(problems)) = &refused else { return refused };
        let step = |problem: &Problem| match (problem.path.as_str(), staff) {
            // The id belongs to an active staff member, so the problem is that this person does not offer the
            // service.
            ("staff_id", Some(staff)) => {
                let (who, others) = (self.who(staff), self.who_offers(service));
                Some(format!("{who} does not offer this service. {others}"))
            }
            ("contact_id", _) => {
                let next = "This business has no contact with this id. Call `find_contacts` to find the ids. Or send \
                    contact, with a phone or an email, instead of contact_id.";
                Some(next.into())
            }
            _ => None,
        };
        let steps: Option<Vec<String>> = problems.iter().map(step).collect();
        steps.map_or(refused, |steps| Refused::with_text(steps.join(" ")))
    }

    pub(super) fn who_offers(&self, service: ServiceId) -> String {
        let names: Vec<&str> = self.offering(service).map(|member| member.name.as_str()).collect();
        if names.is_empty() {
            return "No active staff member offers this service. Ask the customer to contact the business."
                .into();
        }
        if !self.asking.may_name() {
            return "Send another staff member as `staff`.".into();
        }
        let (names, are_all) = name_list(&names);
        let among = if are_all { "The" } else { "Some" };
        format!("{among} staff members who offer it are: {names}. Send one of them as `staff`.")
    }
}

async fn all<T, Fut>(read: impl Fn(PageRequest) -> Fut) -> Result<Vec<T>, Refused>
where
    Fut: Future<Output = Result<Page<T>, EngineError>>,
{
    let (mut items, mut after) = (Vec::new(), None);
    loop {
        let page = read(PageRequest { limit: READ_ITEMS, after }).await?;
        items.extend(page.items);
        after = page.next;
        if after.is_none() {
            return Ok(items);
        }
    }
}

fn meant<I: Copy + Eq + FromStr + Display>(
    asking: &ToolCall,
    argument: &str,
    named: &Named,
    good_for: For,
    candidates: &[Candidate<'_, I>],
) -> Result<I, Refused> {
    let usable = |candidate: &&Candidate<'_, I>| candidate.is_active || good_for == For::Finding;
    if let Ok(id) = named.0.parse::<I>()
        && let Some(found) = candidates.iter().filter(usable).find(|candidate| candidate.id == id)
    {
        return Ok(found.id);
    }
    let wanted = fold_name(&named.0);
    let called: Vec<_> =
        candidates.iter().filter(usable).filter(|candidate| fold_name(candidate.name) == wanted).collect();
    match called[..] {
        [one] => Ok(one.id),
        [] => Err(nothing(asking, argument, named, candidates)),
        [..] => {
            let with_status = |candidate: &&Candidate<'_, I>| {
                let status = if candidate.is_active { "" } else { " (no longer active)" };
                format!("{}{status}", candidate.id)
            };
            let ids: Vec<String> = called.iter().take(LISTED_MAX).map(with_status).collect();
            Err(Refused::with_text(format!(
                "{} records of this business have that name. Send one of their ids as `{argument}`: {}.",
                called.len(),
                ids.join(", ")
            )))
        }
    }
}

fn nothing<I: Copy + Eq + FromStr>(
    asking: &ToolCall,
    argument: &str,
    named: &Named,
    candidates: &[Candidate<'_, I>],
) -> Refused {
    let kind = if argument == "staff" { "staff member" } else { "service" };
    let (id, name) = (named.0.parse::<I>().ok(), fold_name(&named.0));
    let was_there =
        |candidate: &Candidate<'_, I>| id == Some(candidate.id) || fold_name(candidate.name) == name;
    let why = if candidates.iter().any(was_there) {
        format!("That {kind} is no longer active and cannot be booked.")
    } else {
        format!("This business has no active {kind} with this name or id.")
    };
    let active = candidates.iter().filter(|candidate| candidate.is_active).map(|candidate| candidate.name);
    let next = match name_list(&active.collect::<Vec<_>>()) {
        _ if !asking.may_name() => format!("Send the id or the exact name of a {kind} as `{argument}`."),
        (names, _) if names.is_empty() => format!("The business has no active {kind}."),
        (names, true) => format!("The active {kind}s are: {names}."),
        (names, false) if asking.may(Scope::BusinessRead) => {
            format!("The active {kind}s include {names}. `get_business` lists more.")
        }
        (names, false) => {
            format!("The active {kind}s include {names}. For another {kind}, send its exact name.")
        }
    };
    Refused::with_text(format!("{why} {next}"))
}

fn name_list(names: &[&str]) -> (String, bool) {
    let shown: Vec<String> = names.iter().take(LISTED_MAX).map(|name| quoted_name(name)).collect();
    (shown.join(", "), names.len() <= LISTED_MAX)
}
