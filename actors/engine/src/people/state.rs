use std::sync::Weak;

use domain::Person;

use crate::shared::Shared;

pub(crate) struct State {
    /// The person after the newest decision. `None` after the deletion.
    pub(super) person: Option<Person>,
    pub(super) shared: Weak<Shared>,
}
