//! Whether anything refers to a service or a staff member that shall be deleted.
//!
//! Whoever wants to delete one has it watched, then looks through everything that may refer to it, past the actor and
//! however long that takes, and then asks for the deletion. What always holds: what comes to refer to it after the watch
//! began is noted here, so between the two nothing is missed; a deletion whose watch is not here any more (the actor was
//! started again, or too many others were begun since) is not decided on what is not known.

use std::collections::VecDeque;
use std::sync::Arc;

use domain::{Conflict, ProblemCode, Refusal, ResourceId, UsedBy};
use tokio::sync::OwnedSemaphorePermit;
use uuid::Uuid;

use super::write::Write;

/// How many are watched at once; one more, and the oldest has to be begun again.
const WATCHED_MAX: usize = 64;

/// A watch that was begun, and after which everything was looked through and nothing was found.
#[derive(Clone, Debug)]
pub struct Watch {
    number: u64,
    /// Keeps the actor, which knows the watch, from being stopped.
    _in_use: Arc<OwnedSemaphorePermit>,
}

/// Why something is not deleted: what refers to it.
pub(in crate::business) fn in_use(by: UsedBy) -> Refusal {
    Refusal::conflict(Conflict::InUse(by), "id", ProblemCode::UsedBy(by))
}

/// What is watched.
#[derive(Debug, Default)]
pub(crate) struct References {
    watched: VecDeque<Watched>,
    begun: u64,
}

#[derive(Debug)]
struct Watched {
    watch: u64,
    id: Uuid,
    referred_to: bool,
}

impl References {
    /// Notes from now on whatever comes to refer to this.
    pub(super) fn watch(&mut self, id: Uuid, in_use: OwnedSemaphorePermit) -> Watch {
        if self.watched.len() == WATCHED_MAX {
            self.watched.pop_front();
        }
        self.begun += 1;
        self.watched.push_back(Watched { watch: self.begun, id, referred_to: false });
        Watch { number: self.begun, _in_use: Arc::new(in_use) }
    }

    /// Whether anything has come to refer to this since the watch began; `None` when that is not known.
    pub(super) fn referred_to(&self, id: Uuid, watch: &Watch) -> Option<bool> {
        let watched =
            self.watched.iter().find(|watched| watched.watch == watch.number && watched.id == id)?;
        Some(watched.referred_to)
    }

    /// Takes note of what is written.
    pub(super) fn note(&mut self, write: &Write) {
        if self.watched.is_empty() {
            return;
        }
        let to = match write {
            Write::Appointment { after, .. } => [Some(after.service_id.uuid()), Some(after.staff_id.uuid())],
            Write::Message { after, .. } => [after.staff_id.map(ResourceId::uuid), None],
            Write::NoService(id) => return self.watched.retain(|watched| watched.id != id.uuid()),
            Write::NoStaff(id) => return self.watched.retain(|watched| watched.id != id.uuid()),
            _ => return,
        };
        for watched in self.watched.iter_mut().filter(|watched| to.contains(&Some(watched.id))) {
            watched.referred_to = true;
        }
    }
}
