//! The services and the staff of a business, all of them: a business has few, and its budget bounds them. And some of them
//! by their names.

use domain::{Service, StaffMember};
use engine::business::{Page, PageRequest};
use engine::{BusinessHandle, EngineError};

use crate::dashboard::pages::prelude::*;

/// So many are read at once.
const AT_ONCE: usize = 500;
/// So many are read in all; whoever has more finds the rest on the pages of the lists.
const READ_MAX: usize = 2_000;
/// How many characters of a name are shown beside others.
const NAME_CHARS: usize = 60;

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

/// The first of these names, at most so many, and how many more there are.
pub(super) fn named(view: &View, names: &[&str], most: usize) -> String {
    let first = names.iter().take(most).map(|name| plain(name, NAME_CHARS)).collect::<Vec<_>>().join(", ");
    match names.len().checked_sub(most).filter(|more| *more > 0) {
        None => first,
        Some(more) => {
            let values = [("names", Value::Text(&first)), ("count", Value::Count(more as u64))];
            view.words.say("settings-and-more", &values)
        }
    }
}
