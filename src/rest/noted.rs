//! What the log and the counters are told of a request beside what its answer shows.

use actors::domain::{BusinessId, KeyId, PersonId};

/// What the log and the counters are told of a request, in the extensions of its answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Noted {
    /// The path as the table of routes has it; `None` when no route has the path.
    pub(crate) route: Option<&'static str>,
    /// The key that it was authenticated with.
    pub(crate) key: Option<KeyId>,
    /// The business that it was about, once it was known that whoever asked belongs to it.
    pub(crate) business: Option<BusinessId>,
    /// The person who was signed in.
    pub(crate) person: Option<PersonId>,
}
