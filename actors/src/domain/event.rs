//! The events that webhooks tell of (spec §6).

use super::words::words;

words! {
    /// What happened.
    EventType {
        /// A call ended and its summary and outcome were saved.
        CallCompleted = "call.completed",
        /// An appointment was booked: it became confirmed for the first time.
        AppointmentBooked = "appointment.booked",
        /// An announced appointment moved to a new time.
        AppointmentRescheduled = "appointment.rescheduled",
        /// An announced appointment was cancelled.
        AppointmentCancelled = "appointment.cancelled",
        /// The receptionist took a message for the team.
        MessageTaken = "message.taken",
        /// A new contact appeared.
        ContactCreated = "contact.created",
    }
}
