//! What a person's actor keeps in memory: the person, as the newest decision left them.

use std::sync::Weak;

use domain::Person;

use crate::shared::Shared;

/// The memory of one person.
pub(crate) struct State {
    /// `None` once they are no more.
    pub(super) person: Option<Person>,
    pub(super) shared: Weak<Shared>,
}
