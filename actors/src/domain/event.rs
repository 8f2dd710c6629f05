//! The events that webhooks deliver.

use super::words::words;

words! {
    EventType {
        /// A call ended, with its summary and outcome.
        CallCompleted = "call.completed",
        /// An appointment was confirmed for the first time.
        AppointmentBooked = "appointment.booked",
        /// An announced appointment was moved.
        AppointmentRescheduled = "appointment.rescheduled",
        /// An announced appointment was cancelled.
        AppointmentCancelled = "appointment.cancelled",
        MessageTaken = "message.taken",
        ContactCreated = "contact.created",
    }
}
