//! Before a service or staff member is deleted, this module checks that no record refers to it.
//!
//! A *watch* notes the references to one service or staff member that are added after the watch began. A deletion has
//! three parts. First the actor begins a watch. Then a scan of the store looks for older references. Last, the request
//! for the deletion passes the watch to the actor.
//!
//! Invariants:
//! - A watch misses no reference that is added after the watch began.
//! - A deletion with an unknown watch is refused. A watch is lost when the actor restarts or when too many
//!   newer watches exist.

use std::collections::VecDeque;
use std::sync::Arc;

use domain::{Conflict, ProblemCode, Refusal, ResourceId, UsedBy};
use tokio::sync::OwnedSemaphorePermit;
use uuid::Uuid;

use super::write::Write;

/// The maximum number of watches of a business. If another watch begins, the oldest watch is lost.
const WATCHED_MAX: usize = 64;

/// Identifies a watch for new references to a service or staff member. A deletion first begins a watch, and then scans
/// the store for older references. Last, the request for the deletion passes the watch to the actor.
#[derive(Clone, Debug)]
pub struct Watch {
    number: u64,
    /// Only the running actor knows the watch. This permit keeps the actor running, so that the watch is not lost.
    _in_use: Arc<OwnedSemaphorePermit>,
}

pub(in crate::business) fn in_use(by: UsedBy) -> Refusal {
    Refusal::conflict(Conflict::InUse(by), "id", ProblemCode::UsedBy(by))
}

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
    pub(super) fn watch(&mut self, id: Uuid, in_use: OwnedSemaphorePermit) -> Watch {
        if self.watched.len() == WATCHED_MAX {
            self.watched.pop_front();
        }
        self.begun += 1;
        self.watched.push_back(Watched { watch: self.begun, id, referred_to: false });
        Watch { number: self.begun, _in_use: Arc::new(in_use) }
    }

    pub(super) fn referred_to(&self, id: Uuid, watch: &Watch) -> Option<bool> {
        let watched =
            self.watched.iter().find(|watched| watched.watch == watch.number && watched.id == id)?;
        Some(watched.referred_to)
    }

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
