//! An appointment and the states it can be in (spec §3).

use chrono::TimeDelta;

use super::words::words;
use super::{AppointmentId, Buffers, ContactId, ServiceId, StaffId, Timestamp};

words! {
    /// Where an appointment stands.
    AppointmentStatus {
        /// Asked for and holding its time; the team has yet to confirm it.
        Pending = "pending",
        /// Booked.
        Confirmed = "confirmed",
        /// Asked for and declined by the team.
        Declined = "declined",
        /// Cancelled.
        Cancelled = "cancelled",
    }
}

impl AppointmentStatus {
    /// Whether an appointment of this status holds its time.
    pub fn is_active(self) -> bool {
        matches!(self, Self::Pending | Self::Confirmed)
    }
}

words! {
    /// Where a booking came from.
    Source {
        /// A telephone call.
        Voice = "voice",
        /// A text message.
        Sms = "sms",
        /// The web site's widget.
        Website = "website",
        /// The dashboard.
        Dashboard = "dashboard",
        /// The public API.
        Api = "api",
        /// The MCP server.
        Mcp = "mcp",
    }
}

words! {
    /// Whether the appointment stands in the staff member's own calendar.
    CalendarSyncStatus {
        /// No calendar is connected.
        NotConnected = "not_connected",
        /// On its way.
        Pending = "pending",
        /// It stands there.
        Synced = "synced",
        /// It could not be written there.
        Failed = "failed",
    }
}

/// An appointment of one contact with one staff member.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Appointment {
    /// Its id; a move keeps it.
    pub id: AppointmentId,
    /// Where it stands.
    pub status: AppointmentStatus,
    /// When it starts.
    pub starts_at: Timestamp,
    /// When it ends, after it starts.
    pub ends_at: Timestamp,
    /// What it keeps free around it of the staff member's time, as the service said when it was booked.
    pub buffers: Buffers,
    /// What is booked.
    pub service_id: ServiceId,
    /// With whom.
    pub staff_id: StaffId,
    /// For whom; `None` once they were erased.
    pub contact_id: Option<ContactId>,
    /// Where the booking came from.
    pub source: Source,
    /// Whether it stands in the staff member's own calendar.
    pub calendar_sync_status: CalendarSyncStatus,
    /// Whether `appointment.booked` was sent, which is when it first became confirmed.
    pub announced: bool,
    /// Whether it was announced, then moved, and the move is not announced because the team has yet to confirm it.
    pub move_unannounced: bool,
    /// What the team notes of it, 1 to 1,000 characters; integrations do not see it.
    pub notes: Option<String>,
    /// When it was booked or asked for.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
}

impl Appointment {
    /// Whether it holds its time: pending or confirmed.
    pub fn is_active(&self) -> bool {
        self.status.is_active()
    }

    /// The same for nobody, once its contact was erased. What was noted may tell of them.
    #[must_use]
    pub fn erased(&self) -> Self {
        Self { contact_id: None, notes: None, ..self.clone() }
    }

    /// How long it takes, as it was booked.
    pub fn duration(&self) -> TimeDelta {
        self.ends_at - self.starts_at
    }
}
