//! Scans for references to a service or staff member.

use domain::{Appointment, ResourceId, ServiceId, StaffId, TakenMessage, UsedBy};
use store::kept::Kept;
use store::{Order, keys};
use uuid::Uuid;

use super::{PageRequest, collect};
use crate::business::BusinessHandle;
use crate::business::references::{Watch, in_use};
use crate::error::Result;

impl BusinessHandle {
    /// Begins to watch for new references to a service that is about to be deleted. Fails with
    /// [`Refusal::Conflict`](domain::Refusal::Conflict) if an appointment already refers to the service. The
    /// deletion itself checks whether a staff member offers the service.
    pub async fn watch_unused_service(&self, id: ServiceId) -> Result<Watch> {
        let watch = self.watch_references(id.uuid()).await?;
        self.check_none(UsedBy::Appointment, move |it: &Appointment| it.service_id == id).await?;
        Ok(watch)
    }

    /// Like [`Self::watch_unused_service`], but for a staff member. Also fails if a message refers to the staff
    /// member.
    pub async fn watch_unused_staff(&self, id: StaffId) -> Result<Watch> {
        let watch = self.watch_references(id.uuid()).await?;
        self.check_none(UsedBy::Appointment, move |it: &Appointment| it.staff_id == id).await?;
        self.check_none(UsedBy::Message, move |it: &TakenMessage| it.staff_id == Some(id)).await?;
        Ok(watch)
    }

    async fn watch_references(&self, id: Uuid) -> Result<Watch> {
        let (_, in_use) = self.businesses.directory.enter(self.id).await?;
        self.ask(move |state, _| Ok(state.references.watch(id, in_use))).await
    }

    /// Fails if a record refers to the service or staff member. Also fails if a record is undecodable, because it may
    /// refer to the service or staff member.
    async fn check_none<R: Kept + 'static, I: ResourceId + Send + 'static>(
        &self,
        used_by: fn(I) -> UsedBy,
        refers: impl Fn(&R) -> bool + Copy + Send + 'static,
    ) -> Result<()> {
        let range = keys::of_kind(self.id, R::KIND);
        let mut page = PageRequest { limit: 1, after: None };
        loop {
            let look = self.list(&page, move |reader, page| {
                collect(reader, range, Order::Ascending, page, |key, value| {
                    let is_free = reader.usable(key, R::decode(value))?.is_some_and(|it| !refers(&it));
                    if is_free { Ok(None) } else { keys::id_at_end(key).map(Some) }
                })
            });
            let found = look.await?;
            if let Some(id) = found.items.first() {
                return Err(in_use(used_by(*id)).into());
            }
            match found.next {
                Some(next) => page.after = Some(next),
                None => return Ok(()),
            }
        }
    }
}
