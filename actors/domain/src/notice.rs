//! Notices: emails and text messages to customers about their appointments.

use chrono::TimeDelta;

use super::words::words;
use super::{Appointment, AppointmentId, AppointmentStatus, MailStatus, Source, StaffId, Timestamp};

pub const REMINDERS_MAX: usize = 2;
/// The maximum number of hours between a reminder and the start of the appointment.
pub const REMINDER_HOURS_MAX: u8 = 168;

words! {
    /// The appointments about which customers get notices.
    NoticeScope {
        Off = "off",
        /// Appointments that were booked on the website, by phone or by text message.
        Online = "online",
        All = "all",
    }

    NoticeKind {
        Requested = "requested",
        Confirmed = "confirmed",
        Moved = "moved",
        Cancelled = "cancelled",
        Declined = "declined",
        Reminder = "reminder",
    }

    DropReason {
        /// The appointment or the settings changed after the notice was created, so the notice is no longer correct.
        Superseded = "superseded",
        Limit = "limit",
        OptedOut = "opted_out",
        NoAddress = "no_address",
        /// The appointment has already started.
        Ended = "ended",
    }

    NoticeStatus {
        Waiting = "waiting",
        Sent = "sent",
        Failed = "failed",
        Dropped = "dropped",
    }

    NoticeChannel {
        Email = "email",
        Text = "text",
    }

    /// The emails that a customer agrees to get from a business.
    EmailConsent {
        All = "all",
        NoReminders = "no_reminders",
        None = "none",
    }

    /// Whether a customer agrees to get text messages from a business.
    TextConsent {
        Given = "given",
        Refused = "refused",
        Unknown = "unknown",
    }
}

impl From<MailStatus> for NoticeStatus {
    fn from(status: MailStatus) -> Self {
        match status {
            MailStatus::Pending => Self::Waiting,
            MailStatus::Sent => Self::Sent,
            MailStatus::Failed => Self::Failed,
            MailStatus::Dropped => Self::Dropped,
        }
    }
}

impl NoticeKind {
    /// Returns the kind of notice that a change to an appointment causes, if any. The author of the change
    /// does not matter. `before` is `None` for a new appointment.
    pub fn of_change(before: Option<&Appointment>, after: &Appointment) -> Option<Self> {
        let moved = before
            .is_some_and(|before| (before.starts_at, before.staff_id) != (after.starts_at, after.staff_id));
        let was = before.map(|before| before.status);
        if before.is_some() && was == Some(after.status) && !moved || after.updated_at >= after.starts_at {
            return None;
        }
        let was_active = was.is_none_or(AppointmentStatus::is_active);
        match after.status {
            AppointmentStatus::Pending => Some(Self::Requested),
            AppointmentStatus::Confirmed if was == Some(AppointmentStatus::Confirmed) => Some(Self::Moved),
            AppointmentStatus::Confirmed => Some(Self::Confirmed),
            AppointmentStatus::Cancelled => (was.is_some() && was_active).then_some(Self::Cancelled),
            AppointmentStatus::Declined => (was.is_some() && was_active).then_some(Self::Declined),
        }
    }

    /// Returns the kind of notice that informs the customer of this status of an appointment.
    pub fn of_state(status: AppointmentStatus) -> Self {
        match status {
            AppointmentStatus::Pending => Self::Requested,
            AppointmentStatus::Confirmed => Self::Confirmed,
            AppointmentStatus::Cancelled => Self::Cancelled,
            AppointmentStatus::Declined => Self::Declined,
        }
    }

    /// Returns the appointment status of which a notice of this kind informs the customer.
    pub fn status(self) -> AppointmentStatus {
        match self {
            Self::Requested => AppointmentStatus::Pending,
            Self::Confirmed | Self::Moved | Self::Reminder => AppointmentStatus::Confirmed,
            Self::Cancelled => AppointmentStatus::Cancelled,
            Self::Declined => AppointmentStatus::Declined,
        }
    }
}

/// The properties of an appointment that a notice contains.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stated {
    pub status: AppointmentStatus,
    pub starts_at: Timestamp,
    pub staff_id: StaffId,
}

impl From<&Appointment> for Stated {
    fn from(it: &Appointment) -> Self {
        Self { status: it.status, starts_at: it.starts_at, staff_id: it.staff_id }
    }
}

/// The data of a notice about an appointment, stored in its mail. It contains no data about the customer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Notice {
    pub appointment_id: AppointmentId,
    pub kind: NoticeKind,
    /// The start of the appointment as stated in the notice.
    pub starts_at: Timestamp,
    pub staff_id: StaffId,
    /// Whether the customer made the change, on the booking page or through the manage link.
    pub by_customer: bool,
    /// True if the team has asked to send an earlier notice again. The new notice contains the current state of the
    /// appointment.
    pub again: bool,
    /// For a reminder, the number of hours between the reminder and the start. It is `None` for all other notices.
    pub hours: Option<u8>,
    /// The reason why the notice was dropped. It is `None` if the notice was not dropped.
    pub dropped: Option<DropReason>,
}

impl Notice {
    pub fn new(kind: NoticeKind, about: &Appointment, by_customer: bool) -> Self {
        Self {
            appointment_id: about.id,
            kind,
            starts_at: about.starts_at,
            staff_id: about.staff_id,
            by_customer,
            again: false,
            hours: None,
            dropped: None,
        }
    }

    /// Creates a reminder for a confirmed appointment.
    pub fn reminder(about: &Appointment, hours: u8) -> Self {
        Self { hours: Some(hours), ..Self::new(NoticeKind::Reminder, about, false) }
    }

    /// Returns the time at which a reminder is due. Returns `None` for other notices.
    pub fn reminds_at(&self) -> Option<Timestamp> {
        self.hours.map(|hours| self.starts_at - TimeDelta::hours(hours.into()))
    }

    /// True if the appointment still has the state that the notice states.
    pub fn is_true_of(&self, appointment: &Appointment) -> bool {
        self.stated() == appointment.into()
    }

    pub fn stated(&self) -> Stated {
        Stated { status: self.kind.status(), starts_at: self.starts_at, staff_id: self.staff_id }
    }
}

impl NoticeScope {
    pub fn includes(self, source: Source) -> bool {
        match self {
            Self::Off => false,
            Self::Online => matches!(source, Source::Website | Source::Voice | Source::Sms),
            Self::All => true,
        }
    }
}

/// The settings of a business for notices. A business that was created before the service had notices has the default
/// settings, so it sends no notices until its team turns them on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoticeSettings {
    pub email: NoticeScope,
    pub text: NoticeScope,
    /// The hours before the start at which reminders are sent. There are at most [`REMINDERS_MAX`], without duplicates.
    pub reminder_hours: Vec<u8>,
}

impl NoticeSettings {
    /// Returns the settings of a new business.
    pub fn of_new() -> Self {
        Self { email: NoticeScope::Online, ..Self::default() }
    }
}

impl NoticeSettings {
    /// Returns the reminders of a confirmed appointment that are due after `since`, the time of its booking or last
    /// move.
    pub fn reminders(&self, about: &Appointment, since: Timestamp) -> impl Iterator<Item = Notice> {
        let reminds = self.includes(about) && about.status == AppointmentStatus::Confirmed;
        let hours = self.reminder_hours.iter().filter(move |_| reminds);
        let reminders = hours.map(move |hours| Notice::reminder(about, *hours));
        reminders.filter(move |reminder| reminder.reminds_at().is_some_and(|due| due > since))
    }

    /// True if the settings allow this notice about this appointment.
    pub fn include(&self, notice: &Notice, about: &Appointment) -> bool {
        self.includes(about) && notice.hours.is_none_or(|hours| self.reminder_hours.contains(&hours))
    }

    /// True if the settings allow emails to the customer of this appointment.
    pub fn includes(&self, appointment: &Appointment) -> bool {
        self.email.includes(appointment.source) && appointment.contact_id.is_some()
    }
}

impl Default for NoticeSettings {
    fn default() -> Self {
        Self { email: NoticeScope::Off, text: NoticeScope::Off, reminder_hours: vec![24] }
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::super::{Buffers, CalendarSyncStatus};
    use super::*;

    fn appointment(status: AppointmentStatus, hour: i64) -> Appointment {
        let at = |hours: i64| Timestamp::from_millis(hours * 3_600_000);
        Appointment {
            id: Uuid::from_u128(1).into(),
            status,
            starts_at: at(hour),
            ends_at: at(hour + 1),
            buffers: Buffers::default(),
            service_id: Uuid::from_u128(2).into(),
            staff_id: Uuid::from_u128(3).into(),
            contact_id: None,
            source: Source::Website,
            calendar_sync_status: CalendarSyncStatus::NotConnected,
            announced: false,
            move_unannounced: false,
            notes: None,
            customer_note: None,
            booked_as: None,
            attendance: None,
            created_at: at(0),
            updated_at: at(9),
        }
    }

    #[test]
    fn each_change_makes_its_notice() {
        use AppointmentStatus::{Cancelled, Confirmed, Declined, Pending};
        for (before, after, expected) in [
            (None, (Pending, 10), Some(NoticeKind::Requested)),
            (None, (Confirmed, 10), Some(NoticeKind::Confirmed)),
            (Some((Pending, 10)), (Confirmed, 10), Some(NoticeKind::Confirmed)),
            (Some((Pending, 10)), (Confirmed, 11), Some(NoticeKind::Confirmed)),
            (Some((Pending, 10)), (Pending, 11), Some(NoticeKind::Requested)),
            (Some((Confirmed, 10)), (Pending, 11), Some(NoticeKind::Requested)),
            (Some((Confirmed, 10)), (Confirmed, 11), Some(NoticeKind::Moved)),
            (Some((Confirmed, 10)), (Cancelled, 10), Some(NoticeKind::Cancelled)),
            (Some((Pending, 10)), (Declined, 10), Some(NoticeKind::Declined)),
            (Some((Confirmed, 10)), (Confirmed, 10), None),
            (Some((Cancelled, 10)), (Cancelled, 10), None),
            (Some((Confirmed, 8)), (Cancelled, 8), None),
            (Some((Confirmed, 9)), (Cancelled, 9), None),
            (None, (Confirmed, 9), None),
        ] {
            let before = before.map(|(status, hour)| appointment(status, hour));
            let after = appointment(after.0, after.1);
            assert_eq!(NoticeKind::of_change(before.as_ref(), &after), expected, "{before:?} {after:?}");
        }
        let noted = Appointment { notes: Some("x".into()), ..appointment(Confirmed, 10) };
        assert_eq!(NoticeKind::of_change(Some(&appointment(Confirmed, 10)), &noted), None);
        let staff_id = Uuid::from_u128(9).into();
        let other = Appointment { staff_id, ..appointment(Confirmed, 10) };
        let moved = NoticeKind::of_change(Some(&appointment(Confirmed, 10)), &other);
        assert_eq!(moved, Some(NoticeKind::Moved), "another staff member");
    }

    #[test]
    fn a_notice_is_true_until_the_appointment_changes() {
        let before = appointment(AppointmentStatus::Confirmed, 30);
        let reminder = Notice::reminder(&before, 24);
        assert_eq!(reminder.reminds_at(), Some(Timestamp::from_millis(6 * 3_600_000)));
        assert!(reminder.is_true_of(&before));
        assert!(!reminder.is_true_of(&appointment(AppointmentStatus::Confirmed, 31)));
        assert!(!reminder.is_true_of(&appointment(AppointmentStatus::Cancelled, 30)));
        let moved = Notice::new(NoticeKind::Moved, &before, false);
        assert_eq!(moved.stated(), Notice::new(NoticeKind::Confirmed, &before, true).stated());
        for status in AppointmentStatus::ALL.iter().copied() {
            assert_eq!(NoticeKind::of_state(status).status(), status);
        }
    }
}
