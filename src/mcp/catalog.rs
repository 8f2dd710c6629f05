//! What a business offers and who carries it out, as people name it.
//!
//! What always holds: a name that two have is never guessed; whether an id is unknown or another business's, the answer
//! is word for word the same.

use std::fmt::Display;
use std::str::FromStr;

use actors::business::{Page, PageRequest};
use actors::domain::{Business, Service, ServiceId, StaffId, StaffMember, fold_name};
use actors::{BusinessHandle, EngineError};

use super::asking::Asking;
use super::bounds::one_line;
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

    /// The name of a service.
    pub(super) fn service_name(&self, id: ServiceId) -> &str {
        self.services.iter().find(|service| service.id == id).map_or("", |service| &service.name)
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
    // What is no longer active steps back behind what is.
    let active: Vec<_> = called.iter().copied().filter(|candidate| candidate.is_active).collect();
    let called = if active.is_empty() { called } else { active };
    match called[..] {
        [one] => Ok(one.id),
        [] => Err(nothing(asking, argument, candidates)),
        [..] => {
            let ids: Vec<String> =
                called.iter().take(TOLD_MAX).map(|candidate| candidate.id.to_string()).collect();
            Err(Refused::told(format!(
                "{} of this business have that name. Send one of their ids as `{argument}`: {}.",
                called.len(),
                ids.join(", ")
            )))
        }
    }
}

fn nothing<I>(asking: &Asking, argument: &str, candidates: &[Candidate<'_, I>]) -> Refused {
    let active: Vec<_> = candidates.iter().filter(|candidate| candidate.is_active).collect();
    let names: Vec<String> = active.iter().take(TOLD_MAX).map(|candidate| one_line(candidate.name)).collect();
    let next = match () {
        () if !asking.may_name() => format!("Send the id or the exact name of one as `{argument}`."),
        () if names.is_empty() => "There is none at the moment.".into(),
        () if active.len() > names.len() => {
            format!("Some there are: {}; `get_business` lists them all.", names.join(", "))
        }
        () => format!("There are: {}.", names.join(", ")),
    };
    let kind = if argument == "staff" { "active staff member" } else { "active service" };
    Refused::told(format!("There is no {kind} of this name or id in this business. {next}"))
}
