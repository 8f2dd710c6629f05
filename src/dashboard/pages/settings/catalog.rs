//! The services and the staff of a business, all of them: a business has few, and its budget bounds them.

use actors::business::{Page, PageRequest};
use actors::domain::{Service, StaffMember};
use actors::{BusinessHandle, EngineError};

use crate::dashboard::asked::Member;
use crate::dashboard::refused::Refused;

/// So many are read at once.
const AT_ONCE: usize = 500;
/// So many are read in all; whoever has more finds the rest on the pages of the lists.
const READ_MAX: usize = 2_000;

/// The services, inactive ones too.
pub(super) async fn services(member: &Member) -> Result<Vec<Service>, Refused> {
    all(member, |business, page| async move { business.services(true, &page).await }).await
}

/// The staff members, inactive ones too.
pub(super) async fn staff(member: &Member) -> Result<Vec<StaffMember>, Refused> {
    all(member, |business, page| async move { business.staff(&page).await }).await
}

/// A whole list, within the bound.
pub(super) async fn all<T, F>(
    member: &Member,
    list: impl Fn(BusinessHandle, PageRequest) -> F,
) -> Result<Vec<T>, Refused>
where
    F: Future<Output = Result<Page<T>, EngineError>>,
{
    let (mut all, mut after) = (Vec::new(), None);
    loop {
        let found = list(member.business.clone(), PageRequest { limit: AT_ONCE, after }).await?;
        all.extend(found.items);
        after = found.next;
        if after.is_none() || all.len() >= READ_MAX {
            return Ok(all);
        }
    }
}
