//! The sample resources of an endpoint test. They have made-up values in the shape of real resources.

use chrono::TimeDelta;
use domain::{
    AppointmentStatus, Buffers, CalendarSyncStatus, CallOutcome, CallStatus, Direction, EventType, Locale,
    MessageStatus, Source, Timestamp, Urgency,
};
use uuid::Uuid;
use view::{AppointmentView, CallView, ContactView, MessageView, render};

pub(crate) fn sample(event: EventType, now: Timestamp, timezone: &'static str) -> Vec<u8> {
    // The ids are the same each time. Their zeros distinguish them from real ids.
    let id = |number: u128| Uuid::from_u128(0x7000_8000_0000_0000_0000 | number);
    let (name, phone) = (Some("Ada Lovelace".to_owned()), Some("+33612345680".to_owned()));
    let status = match event {
        EventType::AppointmentCancelled => AppointmentStatus::Cancelled,
        _ => AppointmentStatus::Confirmed,
    };
    match event {
        EventType::AppointmentBooked
        | EventType::AppointmentRescheduled
        | EventType::AppointmentCancelled => render(&AppointmentView {
            id: id(1).into(),
            status,
            starts_at: now + TimeDelta::days(1),
            ends_at: now + TimeDelta::days(1) + TimeDelta::minutes(30),
            timezone: timezone.into(),
            service_id: id(2).into(),
            service_name: "Sample service".into(),
            staff_id: id(3).into(),
            staff_name: "Sample staff member".into(),
            contact_id: Some(id(4).into()),
            contact_name: name,
            contact_phone: phone,
            source: Source::Api,
            calendar_sync_status: CalendarSyncStatus::NotConnected,
            buffers: Buffers::default(),
            created_at: now,
            updated_at: now,
        }),
        EventType::CallCompleted => render(&CallView {
            id: id(5).into(),
            direction: Direction::Inbound,
            status: CallStatus::Completed,
            outcome: CallOutcome::QuestionAnswered,
            from_number: phone,
            to_number: None,
            contact_id: Some(id(4).into()),
            contact_name: name,
            started_at: now - TimeDelta::minutes(2),
            ended_at: now,
            duration_seconds: 120,
            locale: Some(Locale::En),
            summary: Some("A sample call: the caller asked for the opening hours.".into()),
            recording_url: None,
            appointment_id: None,
            message_id: None,
            created_at: now,
            updated_at: now,
        }),
        EventType::MessageTaken => render(&MessageView {
            id: id(6).into(),
            call_id: Some(id(5).into()),
            contact_id: Some(id(4).into()),
            caller_name: name,
            caller_phone: phone,
            body: "A sample message: please call back.".into(),
            urgency: Urgency::Normal,
            staff_id: None,
            status: MessageStatus::New,
            created_at: now,
            updated_at: now,
        }),
        EventType::ContactCreated => render(&ContactView {
            id: id(4).into(),
            name,
            phone,
            email: None,
            locale: Some(Locale::Fr),
            timezone: Some(timezone.into()),
            created_at: now,
            updated_at: now,
        }),
    }
}
