//! Scans for references to a service or staff member.

use domain::{Appointment, EventId, ResourceId, ServiceId, StaffId, TakenMessage, UsedBy};
use store::keys::kind;
use store::{Order, Record, StoreError, keys};
use uuid::Uuid;

use super::{PageRequest, collect};
use crate::business::BusinessHandle;
use crate::business::references::{Watch, in_use};
use crate::error::EngineError;

impl BusinessHandle {
    /// Starts a watch and scans the appointments for the service. The deletion itself checks the staff
    /// members.
    ///
    /// Returns [`Refusal::Conflict`](domain::Refusal::Conflict) when a reference exists.
    pub async fn watch_unused_service(&self, id: ServiceId) -> Result<Watch, EngineError> {
        let watch = self.watch_references(id.uuid()).await?;
        self.check_none(
            kind::APPOINTMENT,
            |id| UsedBy::Appointment(id.into()),
            move |value| {
                let appointment = Appointment::decode(value)?;
                Ok((appointment.service_id == id).then(|| appointment.id.uuid()))
            },
        )
        .await?;
        Ok(watch)
    }

    /// Starts a watch and scans the appointments and messages for the staff member.
    ///
    /// Returns [`Refusal::Conflict`](domain::Refusal::Conflict) when a reference exists.
    pub async fn watch_unused_staff(&self, id: StaffId) -> Result<Watch, EngineError> {
        let watch = self.watch_references(id.uuid()).await?;
        self.check_none(
            kind::APPOINTMENT,
            |id| UsedBy::Appointment(id.into()),
            move |value| {
                let appointment = Appointment::decode(value)?;
                Ok((appointment.staff_id == id).then(|| appointment.id.uuid()))
            },
        )
        .await?;
        self.check_none(
            kind::MESSAGE,
            |id| UsedBy::Message(id.into()),
            move |value| {
                let message = TakenMessage::decode(value)?;
                Ok((message.staff_id == Some(id)).then(|| message.id.uuid()))
            },
        )
        .await?;
        Ok(watch)
    }

    async fn watch_references(&self, id: Uuid) -> Result<Watch, EngineError> {
        let (_, in_use) = self.businesses.directory.enter(self.id).await?;
        self.ask(move |state, _| Ok(state.references.watch(id, in_use))).await
    }

    /// Fails when a record of the kind contains the id. Also fails for an undecodable record, because it may
    /// contain the id.
    async fn check_none(
        &self,
        kind: u8,
        used_by: fn(Uuid) -> UsedBy,
        refers: impl Fn(&[u8]) -> Result<Option<Uuid>, StoreError> + Clone + Send + 'static,
    ) -> Result<(), EngineError> {
        let range = keys::of_kind(self.id, kind);
        let mut page = PageRequest { limit: 1, after: None };
        loop {
            let refers = refers.clone();
            let look = self.list(&page, move |reader, page| {
                collect(reader, range, Order::Ascending, page, |key, value| {
                    match reader.usable(key, refers(value))? {
                        Some(found) => Ok(found),
                        None => keys::id_at_end(key).map(|id: EventId| Some(id.uuid())),
                    }
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
