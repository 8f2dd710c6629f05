//! The export lines of each kind of record. A property without a value is null or absent.

use chrono::NaiveDate;
use domain::{
    AUDIT_DAYS_MIN, Appointment, AppointmentId, AppointmentStatus, Attendance, BUFFER_MINUTES_MAX,
    BlockedSource, BlockedTime, BlockedTimeId, BookingMode, Buffers, Business, BusinessId,
    CHANGE_NOTICE_MINUTES_MAX, CalendarSyncStatus, CallId, CallOutcome, CallRecord, CallStatus, Channel,
    Channels, Color, Contact, ContactId, Conversation, ConversationId, ConversationMode, ConversationStatus,
    Currency, CustomerWord, DayWindows, Direction, DisabledReason, Email, EndedBy, EventType,
    GREETING_CHARS_MAX, GRID_MINUTES_DEFAULT, Greeting, INSTRUCTIONS_CHARS_MAX, ImportProblem, Knowledge,
    KnowledgeId, Locale, MAX_ADVANCE_DAYS, MIN_NOTICE_MINUTES_MAX, MessageId, MessageStatus, NoticeScope,
    NoticeSettings, OFFERED_MAX, ORIGINS_MAX, PRICE_CENTS_MAX, Price, Problem, ProblemCode, RETENTION_DAYS,
    Receptionist, Retention, Service, ServiceId, SiteOrigin, Slug, Source, SpecialDay, StaffHours, StaffId,
    StaffMember, TakenMessage, Text, Timestamp, Urgency, WebhookEndpoint, WebhookId, WebhookStatus,
    WebhookUrl, Website, WeeklyBreaks, WeeklyHours,
};
use engine::moving::{Moved, MovedKind};
use store::kept::each_kind;

use super::line::{Line, Written, export_line, read};
use super::talk::{Numbers, Turns};
use super::values::{BookedAsLine, E164, ReminderHours, Secret};
use crate::admin::budget::BudgetBound;
use crate::admin::receptionist::TeamFirst;
use crate::admin::services::{PaletteColor, Position};
use crate::http::json::Json;
use crate::http::lists::DistinctList;
use crate::http::numbers::Whole;
use crate::http::problems::{FieldPath, Problems};
use crate::http::read::Properties;
use crate::rest::values::grid::GridMinutes;
use crate::rest::values::phone::PhoneRegion;
use crate::rest::values::time::Zone;
use crate::rest::values::web::WebsiteUrl;

/// The version of the format. It must change when a property is added, removed or redefined.
pub(crate) const VERSION: u32 = 6;
/// The earliest supported version. Its exports contain no notes, and no settings of the booking page and of
/// notices.
pub(super) const VERSION_MIN: u32 = 2;

export_line! {
    Business as it {
        id: BusinessId,
        name: Text<1, 200>,
        zone as "timezone": Zone,
        locale: Locale,
        website_url: Option<WebsiteUrl>,
        booking_mode: BookingMode,
        hours: WeeklyHours,
        breaks: WeeklyBreaks,
        phone_region: PhoneRegion,
        suspended: bool,
        [customer_word: Option<CustomerWord> = Some(it.customer_word)]
        [grid_minutes: Option<GridMinutes> = Some(it.grid_minutes)]
        created_at: Timestamp,
        updated_at: Timestamp,
    }
    => {
        customer_word: customer_word.unwrap_or(CustomerWord::Client),
        grid_minutes: grid_minutes.unwrap_or(GRID_MINUTES_DEFAULT),
    }
}

type Days = Whole<{ *RETENTION_DAYS.start() }, { *RETENTION_DAYS.end() }>;
/// The retention period of the audit log, in days. It has a greater minimum than the other retention periods.
type AuditDays = Whole<AUDIT_DAYS_MIN, { *RETENTION_DAYS.end() }>;

export_line! {
    Retention as it {
        calls_days: Option<Days>,
        messages_days: Option<Days>,
        audit_days: Option<AuditDays>,
        appointments_days: Option<Days>,
    }
    => {
        // `set` refers to the clock and the ids of the exporting store, so an export does not contain it.
        set: None,
    }
}

export_line! {
    Website as it {
        enabled: bool,
        slug: Option<Slug>,
        origins: DistinctList<SiteOrigin, 0, ORIGINS_MAX>,
        color: Option<Color>,
        phone: Option<E164>,
        email: Option<Email>,
        address: Option<Text<1, 300>>,
        change_by_caller: bool,
        change_notice_minutes: Option<Whole<0, CHANGE_NOTICE_MINUTES_MAX>>,
        show_prices: bool,
    }
}

export_line! {
    NoticeSettings as it {
        email: NoticeScope,
        text: NoticeScope,
        reminder_hours: ReminderHours,
    }
}

export_line! {
    Receptionist as it {
        [voice: bool = it.channels.voice]
        [sms: bool = it.channels.sms]
        [website: bool = it.channels.website]
        [greeting_en: Option<Text<1, GREETING_CHARS_MAX>> = it.greeting.en]
        [greeting_fr: Option<Text<1, GREETING_CHARS_MAX>> = it.greeting.fr]
        instructions: Option<Text<1, INSTRUCTIONS_CHARS_MAX>>,
        handoff_number: Option<E164>,
        team_first_seconds: TeamFirst,
        blocked_numbers: Numbers,
        knowledge_public: bool,
        tokens_per_day: BudgetBound,
    }
    => {
        channels: Channels { voice, sms, website },
        greeting: Greeting { en: greeting_en, fr: greeting_fr },
    }
}

export_line! {
    Service as it {
        id: ServiceId,
        name: Text<1, 200>,
        description: Text<0, 2000>,
        duration_minutes: Whole<5, 1440>,
        active: bool,
        [buffer_before_minutes: Buffer = it.buffers.before_minutes()]
        [buffer_after_minutes: Buffer = it.buffers.after_minutes()]
        min_notice_minutes: Whole<0, MIN_NOTICE_MINUTES_MAX>,
        max_advance_days: Option<Whole<{ *MAX_ADVANCE_DAYS.start() }, { *MAX_ADVANCE_DAYS.end() }>>,
        [price_cents: Option<Whole<0, PRICE_CENTS_MAX>> = it.price.map(|price| price.cents)]
        [currency: Option<Currency> = it.price.map(|price| price.currency)]
        category: Option<Text<1, 60>>,
        [position: Option<Position> = Some(it.position)]
        color: Option<PaletteColor>,
        created_at: Timestamp,
        updated_at: Timestamp,
    }
    => {
        buffers: buffers(buffer_before_minutes, buffer_after_minutes),
        price: price_cents.zip(currency).map(|(cents, currency)| Price { cents, currency }),
        position: position.unwrap_or_default(),
    }
    check price_and_currency
}

fn price_and_currency(properties: &Properties<'_>, at: &FieldPath<'_>, problems: &mut Problems) {
    for (name, other) in [("price_cents", "currency"), ("currency", "price_cents")] {
        if properties.has(other) && !properties.has(name) {
            problems.add(&at.property(name), ProblemCode::RequiredWith(other));
        }
    }
}

type Buffer = Whole<0, BUFFER_MINUTES_MAX>;

/// The buffers of a service. Both numbers were read as a [`Buffer`], so each is within the bounds of [`Buffers`].
/// Therefore `Buffers::new` never fails, and the default is never used.
fn buffers(before: u32, after: u32) -> Buffers {
    Buffers::new(before, after).unwrap_or_default()
}

export_line! {
    StaffMember as it {
        id: StaffId,
        name: Text<1, 200>,
        active: bool,
        zone as "timezone": Zone,
        service_ids: DistinctList<ServiceId, 0, OFFERED_MAX>,
        hours: Option<StaffHours>,
        [position: Option<Position> = Some(it.position)]
        color: Option<PaletteColor>,
        created_at: Timestamp,
        updated_at: Timestamp,
    }
    => {
        position: position.unwrap_or_default(),
    }
}

export_line! {
    SpecialDay as it {
        date: NaiveDate,
        hours as "windows": DayWindows,
        note: Option<Text<1, 200>>,
        created_at: Timestamp,
        updated_at: Timestamp,
    }
}

export_line! {
    BlockedTime as it {
        id: BlockedTimeId,
        staff_id: StaffId,
        starts_at: Timestamp,
        ends_at: Timestamp,
        note: Option<Text<1, 200>>,
        created_at: Timestamp,
    }
    => {
        source: BlockedSource::TimeOff,
    }
}

export_line! {
    Contact as it {
        id: ContactId,
        name: Option<Text<1, 200>>,
        phone: Option<E164>,
        email: Option<Email>,
        locale: Option<Locale>,
        zone as "timezone": Option<Zone>,
        notes: Option<Text<1, 1000>>,
        alert: Option<Text<1, 100>>,
        created_at: Timestamp,
        updated_at: Timestamp,
    }
}

export_line! {
    Appointment as it {
        id: AppointmentId,
        status: AppointmentStatus,
        starts_at: Timestamp,
        ends_at: Timestamp,
        [buffer_before_minutes: Buffer = it.buffers.before_minutes()]
        [buffer_after_minutes: Buffer = it.buffers.after_minutes()]
        service_id: ServiceId,
        staff_id: StaffId,
        // The value is null after the erasure of the contact.
        contact_id: Option<ContactId>,
        source: Source,
        // Calendars are not exported, so an exported appointment is always `not_connected`.
        [calendar_sync_status: CalendarSyncStatus = CalendarSyncStatus::NotConnected]
        // Whether `appointment.booked` was sent.
        announced: bool,
        // Whether the appointment was moved and the move has not been announced yet.
        move_unannounced: bool,
        notes: Option<Text<1, 1000>>,
        customer_note: Option<Text<1, 1000>>,
        booked_as: Option<BookedAsLine>,
        attendance: Option<Attendance>,
        created_at: Timestamp,
        updated_at: Timestamp,
    }
    => {
        buffers: buffers(buffer_before_minutes, buffer_after_minutes),
        calendar_sync_status: not_connected(calendar_sync_status),
    }
}

/// An imported appointment has no copy in a calendar. Exports of earlier versions may contain another value, which is
/// ignored.
fn not_connected(_: CalendarSyncStatus) -> CalendarSyncStatus {
    CalendarSyncStatus::NotConnected
}

export_line! {
    Knowledge as it {
        id: KnowledgeId,
        title: Text<1, 200>,
        content: Text<1, 50_000>,
        source_url: Option<WebsiteUrl>,
        locale: Option<Locale>,
        created_at: Timestamp,
        updated_at: Timestamp,
    }
}

export_line! {
    CallRecord as it {
        id: CallId,
        direction: Direction,
        status: CallStatus,
        outcome: CallOutcome,
        from_number: Option<E164>,
        to_number: Option<E164>,
        contact_id: Option<ContactId>,
        started_at: Timestamp,
        ended_at: Timestamp,
        duration_seconds: Whole<0, { u32::MAX }>,
        locale: Option<Locale>,
        summary: Option<Text<0, 20_000>>,
        recording_url: Option<WebsiteUrl>,
        appointment_id: Option<AppointmentId>,
        message_id: Option<MessageId>,
        handled_at: Option<Timestamp>,
        created_at: Timestamp,
        updated_at: Timestamp,
    }
}

export_line! {
    Conversation as it {
        id: ConversationId,
        channel: Channel,
        mode: ConversationMode,
        locale: Locale,
        contact_id: Option<ContactId>,
        from: Option<E164>,
        to: Option<E164>,
        verified: bool,
        started_at: Timestamp,
        [ended_at: Timestamp = it.ended_at.unwrap_or(it.updated_at)]
        ended_by: Option<EndedBy>,
        outcome: Option<CallOutcome>,
        summary: Option<Text<0, 20_000>>,
        call_id: Option<CallId>,
        appointment_ids: DistinctList<AppointmentId, 0, 1_000>,
        message_ids: DistinctList<MessageId, 0, 1_000>,
        turns: Turns,
        created_at: Timestamp,
        updated_at: Timestamp,
    }
    => {
        ended_at: Some(ended_at),
        status: ConversationStatus::Ended,
        session: Vec::new(),
        token: None,
    }
}

export_line! {
    TakenMessage as it {
        id: MessageId,
        call_id: Option<CallId>,
        contact_id: Option<ContactId>,
        caller_name: Option<Text<1, 200>>,
        caller_phone: Option<E164>,
        // The text is empty after the erasure of the contact.
        body: Text<0, 10_000>,
        urgency: Urgency,
        staff_id: Option<StaffId>,
        status: MessageStatus,
        notes: Option<Text<1, 1000>>,
        snoozed_until: Option<Timestamp>,
        created_at: Timestamp,
        updated_at: Timestamp,
    }
}

export_line! {
    WebhookEndpoint as it {
        id: WebhookId,
        url: WebhookUrl,
        [events: DistinctList<EventType, 1, 6> = it.events.iter().collect()]
        description: Text<0, 500>,
        status: WebhookStatus,
        disabled_reason: Option<DisabledReason>,
        disabled_at: Option<Timestamp>,
        secret: Secret,
        created_at: Timestamp,
        updated_at: Timestamp,
    }
    => {
        events: events.into_iter().collect(),
        epoch: 0,
        alerted_of: None,
    }
    check off_with_a_reason
}

fn off_with_a_reason(properties: &Properties<'_>, at: &FieldPath<'_>, problems: &mut Problems) {
    let mut unasked = Problems::new(problems.reading().clone());
    let status = properties.read::<WebhookStatus>("status", at, &mut unasked);
    let off = status == Some(WebhookStatus::Disabled);
    for name in ["disabled_reason", "disabled_at"] {
        if status.is_some() && properties.has(name) != off {
            let code = if off { ImportProblem::RequiredIfDisabled } else { ImportProblem::NullIfEnabled };
            problems.add(&at.property(name), code);
        }
    }
}

macro_rules! kinds {
    (
        exported { $($kind:ident($_record:ident) $_word:literal $([$($_mark:tt)+])* { $($_facts:tt)* })* }
        others $_others:tt
    ) => {
        pub(super) fn written(moved: &Moved, line: Written) -> Written {
            match moved {
                $(Moved::$kind(it) => it.write(line),)*
                Moved::End { records } => line.put("records", records),
            }
        }

        /// Reads a record of this kind, or returns every problem of the line.
        pub(super) fn read_line(kind: MovedKind, line: &Json) -> Result<Moved, Vec<Problem>> {
            match kind {
                $(MovedKind::$kind => read(line).map(Moved::$kind),)*
            }
        }
    };
}

each_kind!(kinds);
