//! Lists of all services and staff members, and short lists of names. The business's budget bounds both
//! lists.

use domain::{Service, StaffMember};
use engine::business::{Page, PageRequest};
use engine::{BusinessHandle, EngineError};

use crate::dashboard::pages::prelude::*;

const AT_ONCE: usize = 500;
/// The maximum number of rows. The list pages show the rest.
const READ_MAX: usize = 2_000;
const NAME_CHARS: usize = 60;

pub(super) async fn services(member: &Member) -> Result<Vec<Service>, Refused> {
    all(member, |business, page| async move { business.services(true, &page).await }).await
}

pub(super) async fn staff(member: &Member) -> Result<Vec<StaffMember>, Refused> {
    all(member, |business, page| async move { business.staff(&page).await }).await
}

/// A complete list, up to [`READ_MAX`].
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

/// The first `most` names, and the number of the others.
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
