//! An appointment and its states.

use chrono::TimeDelta;

use super::words::words;
use super::{AppointmentId, Buffers, ContactId, Email, Locale, Phone, ServiceId, StaffId, Timestamp};

words! {
    AppointmentStatus {
        Pending = "pending",
        Confirmed = "confirmed",
        Declined = "declined",
        Cancelled = "cancelled",
    }

    Source {
        Voice = "voice",
        Sms = "sms",
        Website = "website",
        Dashboard = "dashboard",
        Api = "api",
        Mcp = "mcp",
    }

    Attendance {
        Arrived = "arrived",
        Completed = "completed",
        NoShow = "no_show",
    }

    /// The attendance by which a list of appointments can be filtered.
    AttendanceFilter {
        Arrived = "arrived",
        Completed = "completed",
        NoShow = "no_show",
        /// Selects the appointments without an attendance.
        None = "none",
    }

    /// The state of the copy of the appointment in the staff member's own calendar.
    CalendarSyncStatus {
        NotConnected = "not_connected",
        Pending = "pending",
        Synced = "synced",
        Failed = "failed",
    }
}

impl From<Option<Attendance>> for AttendanceFilter {
    fn from(attendance: Option<Attendance>) -> Self {
        match attendance {
            Some(Attendance::Arrived) => Self::Arrived,
            Some(Attendance::Completed) => Self::Completed,
            Some(Attendance::NoShow) => Self::NoShow,
            None => Self::None,
        }
    }
}

impl AppointmentStatus {
    pub fn is_active(self) -> bool {
        matches!(self, Self::Pending | Self::Confirmed)
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Appointment {
    pub id: AppointmentId,
    pub status: AppointmentStatus,
    pub starts_at: Timestamp,
    pub ends_at: Timestamp,
    /// The buffers. They are copied from the service when the appointment is booked.
    pub buffers: Buffers,
    pub service_id: ServiceId,
    pub staff_id: StaffId,
    /// The contact. It is `None` after the contact was erased.
    pub contact_id: Option<ContactId>,
    pub source: Source,
    pub calendar_sync_status: CalendarSyncStatus,
    /// Whether the event `appointment.booked` was sent. It is sent when the appointment is confirmed for the first
    /// time.
    pub announced: bool,
    /// Whether an announced appointment was moved and the move still needs confirmation. The move is announced when the
    /// team confirms it.
    pub move_unannounced: bool,
    /// Internal notes, 1 to 1,000 characters. Integrations do not see them.
    pub notes: Option<String>,
    /// The note that the customer entered in the form, 1 to 1,000 characters. Integrations do not see it.
    pub customer_note: Option<String>,
    /// The data that the customer entered, or `None` if no customer booked the appointment. Integrations do not see it.
    pub booked_as: Option<BookedAs>,
    /// Whether the customer came, as recorded by the team. Only a confirmed appointment has an attendance. Integrations
    /// do not see it.
    pub attendance: Option<Attendance>,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

/// The data that the customer entered when booking. The data may differ from the contact's data, because a customer's
/// booking never changes an existing contact.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BookedAs {
    pub name: Option<String>,
    pub phone: Option<Phone>,
    pub email: Option<Email>,
    /// The language of the page on which the customer booked.
    pub locale: Locale,
    /// Whether the customer agreed to get text messages about this appointment.
    pub texts: bool,
}

impl Appointment {
    pub fn is_active(&self) -> bool {
        self.status.is_active()
    }

    #[must_use]
    pub fn erased(&self) -> Self {
        Self { contact_id: None, notes: None, customer_note: None, booked_as: None, ..self.clone() }
    }

    pub fn duration(&self) -> TimeDelta {
        self.ends_at - self.starts_at
    }
}
