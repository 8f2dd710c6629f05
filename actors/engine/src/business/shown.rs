//! Renders records, including changes that are not durable yet.
//!
//! Invariant: a view contains no data of an erased contact, even before the erasure has changed the record.

use domain::{Appointment, CallRecord, Contact, ContactId, TakenMessage};
use store::records::ShownAnew;
use store::{StoreError, keys};
use view::{
    self, AppointmentParties, OperatorAppointmentView, OperatorCallView, OperatorContactView,
    OperatorMessageView, SomeAppointmentView, SomeCallView,
};

use super::state::State;

impl State {
    pub(super) fn contact_of(&self, id: Option<ContactId>) -> Result<Option<Contact>, StoreError> {
        id.map_or(Ok(None), |id| self.contact(id))
    }

    pub(super) fn show<V: SomeAppointmentView>(
        &self,
        appointment: &Appointment,
        contact: Option<&Contact>,
    ) -> V {
        let service = self.services.get(&appointment.service_id);
        let member = self.staff.get(&appointment.staff_id);
        let parties = AppointmentParties {
            timezone: self.business.zone.name(),
            service_name: service.map_or("", |service| &service.name),
            staff_name: member.map_or("", |member| &member.name),
            contact,
        };
        V::new(appointment, parties)
    }

    /// Returns the message as it is shown. If its contact was merged into another contact, the message has the id
    /// of that other contact. If its contact was erased, the message has no data about the contact.
    pub(super) fn known_message(&self, message: TakenMessage) -> Result<TakenMessage, StoreError> {
        let contact = self.contact_of(message.contact_id)?.map(|contact| contact.id);
        let was_erased = message.contact_id.is_some() && contact.is_none();
        Ok(if was_erased { message.erased() } else { TakenMessage { contact_id: contact, ..message } })
    }

    pub(super) fn show_call<V: SomeCallView>(&self, call: &CallRecord) -> Result<V, StoreError> {
        let contact = self.contact_of(call.contact_id)?;
        Ok(match contact {
            None if call.contact_id.is_some() => V::new(&call.erased(), None),
            None => V::new(call, None),
            Some(contact) => V::new(&call.of_contact(contact.id), contact.name.as_deref()),
        })
    }

    /// The current state of a resource with all its fields. Returns `None` if the resource was deleted.
    pub(super) fn show_anew(&self, what: ShownAnew) -> Result<Option<Vec<u8>>, StoreError> {
        Ok(match what {
            ShownAnew::Contact(id) => {
                let contact = self.contact(id)?;
                contact.map(|contact| view::render(&OperatorContactView::from(&contact)))
            }
            ShownAnew::Appointment(id) => {
                let Some(appointment) = self.appointment(id)? else { return Ok(None) };
                let contact = self.contact_of(appointment.contact_id)?;
                Some(view::render(&self.show::<OperatorAppointmentView>(&appointment, contact.as_ref())))
            }
            ShownAnew::Call(id) => {
                let Some(call) = self.read::<CallRecord>(&keys::call(self.id, id))? else { return Ok(None) };
                Some(view::render(&self.show_call::<OperatorCallView>(&call)?))
            }
            ShownAnew::Message(id) => {
                let message = self.read::<TakenMessage>(&keys::message(self.id, id))?;
                let message = message.map(|message| self.known_message(message)).transpose()?;
                message.map(|message| view::render(&OperatorMessageView::from(&message)))
            }
        })
    }
}
