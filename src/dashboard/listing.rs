//! Reads the requested page of a list, and makes the links to its other pages.

use domain::{ResourceId, Service, StaffMember};
use engine::EngineError;
use engine::business::{Page, PageRequest};
use uuid::Uuid;

use super::input::Member;
use super::refused::Refused;
use crate::http::cursor::{Binding, Cursors};
use crate::rest::through::{Through, read_through};

const AFTER: &str = "after";
/// The number of rows per page when a complete list is read.
const AT_ONCE: usize = 500;
const ALL_MAX: usize = 2_000;

pub(super) struct Part {
    pub(super) request: PageRequest,
    here: String,
    binding: Binding,
    cursors: Cursors,
}

/// The links to other pages of a list: to the first page, if another page is shown, and to the next page.
pub(super) struct Pages {
    pub(super) newest: Option<String>,
    pub(super) older: Option<String>,
}

impl Member {
    /// The requested page of a list, with at most `limit` rows. If the cursor is invalid or belongs to
    /// another list or other filters, the page is the first page.
    pub(super) fn part(&self, list: &str, limit: usize, filters: &[&str]) -> Part {
        let id = self.business.id().to_string();
        let mut binding = Binding::list(list).with(id.as_bytes());
        let mut query = url::form_urlencoded::Serializer::new(String::new());
        for name in filters {
            for value in self.query.all(name).filter(|value| !value.is_empty()) {
                binding = binding.with(name.as_bytes()).with(value.as_bytes());
                query.append_pair(name, value);
            }
        }
        let (query, cursors) = (query.finish(), self.desk.cursors.clone());
        let after = self.query.find(AFTER).and_then(|text| cursors.open(&binding, text));
        let here = if query.is_empty() { self.path().to_owned() } else { format!("{}?{query}", self.path()) };
        Part { request: PageRequest { limit, after }, here, binding, cursors }
    }

    /// All services, in the order of their positions.
    pub(super) async fn services(&self) -> Result<Vec<Service>, Refused> {
        let business = &self.business;
        let mut services = all(|page| async move { business.services(true, &page).await }).await?;
        services.sort_by_key(|service| service.position);
        Ok(services)
    }

    /// All staff members, in the order of their positions.
    pub(super) async fn staff(&self) -> Result<Vec<StaffMember>, Refused> {
        let business = &self.business;
        let mut staff = all(|page| async move { business.staff(&page).await }).await?;
        staff.sort_by_key(|one| one.position);
        Ok(staff)
    }
}

impl Part {
    /// Reads the rows of the page. A scan may end before the page is full. Reading then continues, up to a
    /// limited number of scans.
    pub(super) async fn read<T, Fut>(&self, read: impl Fn(PageRequest) -> Fut) -> Result<Through<T>, Refused>
    where
        Fut: Future<Output = Result<Page<T>, EngineError>>,
    {
        Ok(read_through(self.request.clone(), read).await?)
    }

    /// Returns the rows of the requested page. `all` is the whole list. If more rows follow the page, also returns the
    /// id of the last row of the page: the next page begins after this row.
    pub(super) fn of<T, I: ResourceId>(
        &self,
        all: Vec<T>,
        id: impl Fn(&T) -> I,
    ) -> (Vec<T>, Option<Vec<u8>>) {
        let last = self.request.after.as_ref().and_then(|after| Uuid::from_slice(after).ok());
        let last = last.and_then(|last| all.iter().position(|one| id(one).uuid() == last));
        let mut rest = all.into_iter().skip(last.map_or(0, |last| last + 1));
        let shown: Vec<_> = rest.by_ref().take(self.request.limit).collect();
        let next = rest.next().and_then(|_| Some(id(shown.last()?).uuid().as_bytes().to_vec()));
        (shown, next)
    }

    /// The links from this page. `next` is the position of the next page, if there is one.
    pub(super) fn pages(self, next: Option<&[u8]>) -> Pages {
        let joint = if self.here.contains('?') { '&' } else { '?' };
        let older = next
            .map(|next| format!("{}{joint}{AFTER}={}", self.here, self.cursors.seal(&self.binding, next)));
        Pages { newest: self.request.after.is_some().then_some(self.here), older }
    }
}

/// Reads a list up to [`ALL_MAX`] rows. It is used for lists that the limits of a business keep short.
pub(super) async fn all<T, Fut>(read: impl Fn(PageRequest) -> Fut) -> Result<Vec<T>, EngineError>
where
    Fut: Future<Output = Result<Page<T>, EngineError>>,
{
    let (mut all, mut after) = (Vec::new(), None);
    loop {
        let found = read(PageRequest { limit: AT_ONCE, after }).await?;
        all.extend(found.items);
        after = found.next;
        if after.is_none() || all.len() >= ALL_MAX {
            return Ok(all);
        }
    }
}

impl Pages {
    pub(super) fn is_all(&self) -> bool {
        self.newest.is_none() && self.older.is_none()
    }
}
