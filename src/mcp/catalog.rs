//! What a business offers and who carries it out, as people name it.
//!
//! What always holds: a name that two have is never guessed; whether an id is unknown or another business's, the answer
//! is word for word the same.

use std::fmt::Display;
use std::str::FromStr;

use domain::{Business, Problem, Refusal, Scope, Service, ServiceId, StaffId, StaffMember, fold_name};
use engine::business::{Page, PageRequest};
use engine::{BusinessHandle, EngineError};

use super::asking::Asking;
use super::bounds::quoted_name;
use super::moment::WallClock;
use super::refused::Refused;
use super::values::Named;

/// How many are read at once.
const READ_ITEMS: usize = 100;

/// How many names or ids a refusal lists.
const TOLD_MAX: usize = 20;

/// The business, its services and its staff members.
pub(super) struct Catalog {
    pub(super) business: Business,
    pub(super) services: Vec<Service>,
    pub(super) staff: Vec<StaffMember>,
}

/// What a name is to be good for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum For {
    /// A booking, which takes what is active.
    Booking,
    /// Finding what is there, of the past too.
    Finding,
}

/// What can be named.
struct Candidate<'a, I> {
    id: I,
    name: &'a str,
    is_active: bool,
}

impl Catalog {
    /// Reads it whole; it has as many as a business has set up.
    pub(super) async fn read(business: &BusinessHandle) -> Result<Self, Refused> {
        let profile = business.business().await?;
        let services = all(|page| async move { business.services(true, &page).await }).await?;
        let staff = all(|page| async move { business.staff(&page).await }).await?;
        Ok(Self { business: profile, services, staff })
    }

    /// The clock on the wall of the business.
    pub(super) fn clock(&self) -> WallClock {
        WallClock(self.business.zone)
    }

    /// The service that is meant.
    pub(super) fn service(
        &self,
        asking: &Asking,
        named: &Named,
        good_for: For,
    ) -> Result<ServiceId, Refused> {
        let services = self.services.iter();
        let candidates = services.map(|service| Candidate {
            id: service.id,
            name: &service.name,
            is_active: service.active,
        });
        meant(asking, "service", named, good_for, &candidates.collect::<Vec<_>>())
    }

    /// The staff member who is meant.
    pub(super) fn staff_member(
        &self,
        asking: &Asking,
        named: &Named,
        good_for: For,
    ) -> Result<StaffId, Refused> {
        let staff = self.staff.iter();
        let candidates =
            staff.map(|member| Candidate { id: member.id, name: &member.name, is_active: member.active });
        meant(asking, "staff", named, good_for, &candidates.collect::<Vec<_>>())
    }

    /// The service with this id.
    pub(super) fn service_of(&self, id: ServiceId) -> Option<&Service> {
        self.services.iter().find(|service| service.id == id)
    }

    /// The active staff members who offer a service.
    pub(super) fn offering(&self, service: ServiceId) -> impl Iterator<Item = &StaffMember> {
        self.staff.iter().filter(move |member| member.offers(service))
    }

    /// Who a staff member is, as far as this may be told, to begin a sentence.
    pub(super) fn who(&self, asking: &Asking, id: StaffId) -> String {
        let member = self.staff.iter().find(|member| member.id == id).filter(|_| asking.may_name());
        member.map_or_else(|| "That staff member".into(), |member| quoted_name(&member.name))
    }

    /// What names nothing usable in a booking or a search for times, with the next step for each.
    pub(super) fn mended(
        &self,
        asking: &Asking,
        refused: Refused,
        (service, staff): (ServiceId, Option<StaffId>),
    ) -> Refused {
        let Refused::Rules(Refusal::Invalid(problems)) = &refused else { return refused };
        let step = |problem: &Problem| {
            match (problem.path.as_str(), staff) {
            // Who is named is active, as of a moment ago.
            ("staff_id", Some(staff)) => {
                let (who, others) = (self.who(asking, staff), self.who_offers(asking, service));
                Some(format!("{who} does not offer this service. {others}"))
            }
            ("contact_id", _) => Some(
                "There is no such contact in this business. `find_contacts` finds the ids; or send contact, with a \
                 phone or an email, instead of contact_id."
                    .into(),
            ),
            _ => None,
        }
        };
        let steps: Option<Vec<String>> = problems.iter().map(step).collect();
        steps.map_or(refused, |steps| Refused::told(steps.join(" ")))
    }

    /// Who offers a service instead of a staff member who does not, in a sentence with the next step.
    pub(super) fn who_offers(&self, asking: &Asking, service: ServiceId) -> String {
        let names: Vec<&str> = self.offering(service).map(|member| member.name.as_str()).collect();
        if names.is_empty() {
            return "No active staff member offers it. Tell whoever asks to contact the business.".into();
        }
        if !asking.may_name() {
            return "Send another one as `staff`.".into();
        }
        let (names, are_all) = told(&names);
        let among = if are_all { "Those who do" } else { "Some who do" };
        format!("{among}: {names}. Send one of them as `staff`.")
    }
}

/// Everything of a list.
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
    asking: &Asking,
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
            let told = |candidate: &&Candidate<'_, I>| {
                let status = if candidate.is_active { "" } else { " (no longer active)" };
                format!("{}{status}", candidate.id)
            };
            let ids: Vec<String> = called.iter().take(TOLD_MAX).map(told).collect();
            Err(Refused::told(format!(
                "{} of this business have that name. Send one of their ids as `{argument}`: {}.",
                called.len(),
                ids.join(", ")
            )))
        }
    }
}

/// The refusal of what names nothing that can be booked.
fn nothing<I: Copy + Eq + FromStr>(
    asking: &Asking,
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
        format!("There is no active {kind} of this name or id in this business.")
    };
    let active = candidates.iter().filter(|candidate| candidate.is_active).map(|candidate| candidate.name);
    let next = match told(&active.collect::<Vec<_>>()) {
        _ if !asking.may_name() => format!("Send the id or the exact name of one as `{argument}`."),
        (names, _) if names.is_empty() => "There is none at the moment.".into(),
        (names, true) => format!("There are: {names}."),
        (names, false) if asking.may(Scope::BusinessRead) => {
            format!("Some there are: {names}; `get_business` lists them all.")
        }
        (names, false) => format!("Some there are: {names}; another one can be sent by its exact name."),
    };
    Refused::told(format!("{why} {next}"))
}

/// Names as a refusal lists them, and whether those are all.
fn told(names: &[&str]) -> (String, bool) {
    let shown: Vec<String> = names.iter().take(TOLD_MAX).map(|name| quoted_name(name)).collect();
    (shown.join(", "), names.len() <= TOLD_MAX)
}
