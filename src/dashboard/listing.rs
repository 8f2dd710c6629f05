//! Parts of lists: which one a page shows, and the ways to the others.

use engine::EngineError;
use engine::business::{Page, PageRequest};

use super::asked::Member;
use super::refused::Refused;
use crate::http::cursor::{Binding, Cursors};
use crate::rest::through::{Through, read_through};

/// The field of an address that says behind what a part begins.
const AFTER: &str = "after";

/// The part of a list that is asked for.
pub(super) struct Part {
    /// It, as the engine is asked.
    pub(super) request: PageRequest,
    /// The page's address with its filters.
    here: String,
    binding: Binding,
    cursors: Cursors,
}

/// The ways to other parts of a list.
pub(super) struct Pages {
    /// The first part, where another one is shown.
    pub(super) newest: Option<String>,
    /// The next part, if there is one.
    pub(super) older: Option<String>,
}

impl Member {
    /// The part of a list that the address asks for: at most so many, behind its cursor, with the filters of these
    /// names. A cursor that is none of this list with these filters is its beginning.
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
        let after = self.query.find(AFTER).and_then(|text| cursors.open(&binding, text).ok());
        let here = if query.is_empty() { self.path().to_owned() } else { format!("{}?{query}", self.path()) };
        Part { request: PageRequest { limit, after }, here, binding, cursors }
    }
}

impl Part {
    /// What the part holds; where many rows had to be looked at for it, the reads go on for a while.
    pub(super) async fn read<T, Fut>(&self, read: impl Fn(PageRequest) -> Fut) -> Result<Through<T>, Refused>
    where
        Fut: Future<Output = Result<Page<T>, EngineError>>,
    {
        Ok(read_through(self.request.clone(), read).await?)
    }

    /// Whether it is the beginning of the list.
    pub(super) fn is_first(&self) -> bool {
        self.request.after.is_none()
    }

    /// The ways on from here, by where the engine says that this part ended.
    pub(super) fn pages(self, next: Option<&[u8]>) -> Pages {
        let joint = if self.here.contains('?') { '&' } else { '?' };
        let older = next
            .map(|next| format!("{}{joint}{AFTER}={}", self.here, self.cursors.seal(&self.binding, next)));
        Pages { newest: self.request.after.is_some().then_some(self.here), older }
    }
}

impl Pages {
    /// Whether this part is all there is.
    pub(super) fn is_all(&self) -> bool {
        self.newest.is_none() && self.older.is_none()
    }
}
