//! What the team is alerted of (contract, second part, §3): which change of a record is which kind of alert. Pure.

use super::{AlertKind, Appointment, AppointmentStatus, CallRecord, CallStatus, TakenMessage, Urgency};

impl AlertKind {
    /// What a change of an appointment is to the team, whoever made it: at most one thing.
    pub fn of_appointment(before: Option<&Appointment>, after: &Appointment) -> Option<Self> {
        let moved = before
            .is_some_and(|before| (before.starts_at, before.staff_id) != (after.starts_at, after.staff_id));
        let was = before.map(|before| before.status);
        match (was, after.status) {
            (_, AppointmentStatus::Pending) if moved || was != Some(AppointmentStatus::Pending) => {
                Some(Self::AppointmentRequested)
            }
            (_, AppointmentStatus::Confirmed) if moved => Some(Self::AppointmentRescheduled),
            // The team has let a move happen, or a booking.
            (Some(AppointmentStatus::Pending), AppointmentStatus::Confirmed) => {
                let was_known = before.is_some_and(|before| before.announced);
                Some(if was_known { Self::AppointmentRescheduled } else { Self::AppointmentBooked })
            }
            (None, AppointmentStatus::Confirmed) => Some(Self::AppointmentBooked),
            (Some(was), AppointmentStatus::Cancelled) if was.is_active() => Some(Self::AppointmentCancelled),
            // Declining what everybody knew of takes it from them.
            (Some(was), AppointmentStatus::Declined) if was.is_active() && after.announced => {
                Some(Self::AppointmentCancelled)
            }
            _ => None,
        }
    }

    /// What a message is that was taken: urgent or another, never both.
    pub fn of_message(taken: &TakenMessage) -> Self {
        match taken.urgency {
            Urgency::Urgent => Self::UrgentMessage,
            Urgency::Normal => Self::MessageTaken,
        }
    }

    /// What a call is that has ended.
    pub fn of_call(ended: &CallRecord) -> Option<Self> {
        match ended.status {
            CallStatus::Missed | CallStatus::Failed => Some(Self::CallMissed),
            CallStatus::Completed => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::super::{CalendarSyncStatus, Source, Timestamp};
    use super::*;

    fn appointment(status: AppointmentStatus, at: i64, announced: bool) -> Appointment {
        let id = Uuid::from_bytes([1; 16]);
        Appointment {
            id: id.into(),
            status,
            starts_at: Timestamp::from_millis(at),
            ends_at: Timestamp::from_millis(at + 1),
            service_id: id.into(),
            staff_id: id.into(),
            contact_id: id.into(),
            source: Source::Api,
            calendar_sync_status: CalendarSyncStatus::NotConnected,
            announced,
            move_unannounced: false,
            created_at: Timestamp::from_millis(0),
            updated_at: Timestamp::from_millis(0),
        }
    }

    #[test]
    fn each_change_of_an_appointment_is_one_kind_of_alert_or_none() {
        use AlertKind::{
            AppointmentBooked as Booked, AppointmentCancelled as Gone, AppointmentRequested as Asked,
            AppointmentRescheduled as Moved,
        };
        use AppointmentStatus::{Cancelled, Confirmed, Declined, Pending};
        for (before, after, expected) in [
            (None, (Pending, 1, false), Some(Asked)),
            (None, (Confirmed, 1, true), Some(Booked)),
            (Some((Pending, 1, false)), (Confirmed, 1, true), Some(Booked)),
            (Some((Pending, 1, false)), (Pending, 2, false), Some(Asked)),
            (Some((Pending, 1, false)), (Declined, 1, false), None),
            (Some((Pending, 1, false)), (Cancelled, 1, false), Some(Gone)),
            (Some((Confirmed, 1, true)), (Confirmed, 2, true), Some(Moved)),
            (Some((Confirmed, 1, true)), (Pending, 2, true), Some(Asked)),
            (Some((Pending, 2, true)), (Confirmed, 2, true), Some(Moved)),
            (Some((Pending, 2, true)), (Declined, 2, true), Some(Gone)),
            (Some((Confirmed, 1, true)), (Cancelled, 1, true), Some(Gone)),
            (Some((Confirmed, 1, true)), (Confirmed, 1, true), None),
            (Some((Pending, 1, false)), (Pending, 1, false), None),
            (Some((Cancelled, 1, true)), (Cancelled, 1, true), None),
        ] {
            let of = |(status, at, announced)| appointment(status, at, announced);
            let found = AlertKind::of_appointment(before.map(of).as_ref(), &of(after));
            assert_eq!(found, expected, "{before:?} {after:?}");
        }
    }
}
