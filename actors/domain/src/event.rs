//! The events that webhooks deliver.

use super::words::words;

words! {
    EventType {
        CallCompleted = "call.completed",
        /// An appointment was confirmed for the first time.
        AppointmentBooked = "appointment.booked",
        AppointmentRescheduled = "appointment.rescheduled",
        /// An announced appointment was cancelled.
        AppointmentCancelled = "appointment.cancelled",
        MessageTaken = "message.taken",
        ContactCreated = "contact.created",
    }
}
