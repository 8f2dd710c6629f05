//! The export lines of the other kinds of records. Calls, messages and webhook endpoints have their own
//! files. An empty property is null or absent.

use chrono::NaiveDate;
use domain::{
    AUDIT_DAYS_MIN, Appointment, AppointmentId, AppointmentStatus, BUFFER_MINUTES_MAX, BlockedSource,
    BlockedTime, BlockedTimeId, BookingMode, Buffers, Business, BusinessId, CalendarSyncStatus, Contact,
    ContactId, Currency, DayHours, DayWindows, Email, Knowledge, KnowledgeId, LocalWindow, Locale,
    MAX_ADVANCE_DAYS, MIN_NOTICE_MINUTES_MAX, PRICE_CENTS_MAX, Price, Problem, ProblemCode, RETENTION_DAYS,
    Retention, Service, ServiceId, Source, SpecialDay, StaffHours, StaffId, StaffMember, Text, Timestamp,
    WeeklyBreaks, WeeklyHours,
};
use engine::moving::{Moved, MovedKind};
use view::{BreakView, HoursView, SpecialDayView};

use super::conversations::{CallLine, MessageLine};
use super::line::{RecordLine, Written, put};
use super::values::E164;
use super::webhooks::WebhookLine;
use crate::http::json::Json;
use crate::http::lists::{DistinctList, List};
use crate::http::numbers::Whole;
use crate::http::problems::{FieldPath, Problems};
use crate::http::read::{Properties, from_json};
use crate::http::reading::Reading;
use crate::json_object;
use crate::rest::values::phone::PhoneRegion;
use crate::rest::values::time::Zone;
use crate::rest::values::web::WebsiteUrl;

/// A property that is added, removed or redefined needs a new version.
pub(super) const VERSION: u32 = 3;
/// The earliest supported version. It had no notes.
pub(super) const VERSION_MIN: u32 = 2;

json_object! {
    /// A business.
    pub(super) struct BusinessLine {
        /// Its id.
        id: BusinessId,
        /// Its name.
        name: Text<1, 200>,
        /// Its IANA time zone.
        timezone: Zone,
        /// The default language for callers.
        locale: Locale,
        /// Its web site.
        website_url: Option<WebsiteUrl>,
        /// How appointments come about.
        booking_mode: BookingMode,
        /// Its opening hours.
        hours: WeeklyHours,
        /// When nothing is booked though it is open.
        breaks: WeeklyBreaks,
        /// The region in which national phone numbers are read.
        phone_region: PhoneRegion,
        /// Whether its keys are shut out.
        suspended: bool,
        /// When it was created.
        created_at: Timestamp,
        /// When it last changed.
        updated_at: Timestamp,
    }
}

impl RecordLine for BusinessLine {
    type Record = Business;

    fn write(it: &Business, line: Written) -> Written {
        let breaks: Vec<_> = it.breaks.days().iter().map(BreakView::from).collect();
        let line = put!(line, it: id, name).put("timezone", it.zone.name());
        let line = put!(line, it: locale, website_url, booking_mode).put("hours", &hours(it.hours.days()));
        put!(line.put("breaks", &breaks), it: phone_region, suspended, created_at, updated_at)
    }

    fn made(self) -> Business {
        Business {
            id: self.id,
            name: self.name.into_string(),
            zone: self.timezone.get(),
            locale: self.locale,
            website_url: self.website_url.map(WebsiteUrl::into_string),
            booking_mode: self.booking_mode,
            hours: self.hours,
            breaks: self.breaks,
            phone_region: self.phone_region.into_string(),
            suspended: self.suspended,
            created_at: self.created_at,
            updated_at: self.updated_at,
        }
    }
}

type Days = Whole<{ *RETENTION_DAYS.start() }, { *RETENTION_DAYS.end() }>;
/// The audit log has a minimum time.
type AuditDays = Whole<AUDIT_DAYS_MIN, { *RETENTION_DAYS.end() }>;

json_object! {
    /// For how many days a business keeps what has happened; null is for ever.
    pub(super) struct RetentionLine {
        /// Calls, from when they were saved.
        calls_days: Option<Days>,
        /// Messages, from when they were taken.
        messages_days: Option<Days>,
        /// Entries of the audit log.
        audit_days: Option<AuditDays>,
        /// Appointments, from their end.
        appointments_days: Option<Days>,
    }
}

impl RecordLine for RetentionLine {
    type Record = Retention;

    fn write(it: &Retention, line: Written) -> Written {
        put!(line, it: calls_days, messages_days, audit_days, appointments_days)
    }

    /// The setting takes effect at the import, so its own time is not exported.
    fn made(self) -> Retention {
        Retention {
            calls_days: self.calls_days.map(Whole::get),
            messages_days: self.messages_days.map(Whole::get),
            audit_days: self.audit_days.map(Whole::get),
            appointments_days: self.appointments_days.map(Whole::get),
            set: None,
        }
    }
}

json_object! {
    /// A service.
    pub(super) struct ServiceLine {
        /// Its id.
        id: ServiceId,
        /// Its name.
        name: Text<1, 200>,
        /// What it is.
        description: Text<0, 2000>,
        /// How long it takes.
        duration_minutes: Whole<5, 1440>,
        /// Whether it can be booked.
        active: bool,
        /// Minutes that the staff member is kept free before it.
        buffer_before_minutes: Buffer,
        /// Minutes that the staff member is kept free after it.
        buffer_after_minutes: Buffer,
        /// How long before it begins customers have to book, in minutes.
        min_notice_minutes: Whole<0, MIN_NOTICE_MINUTES_MAX>,
        /// How many days ahead customers can book.
        max_advance_days: Option<Whole<{ *MAX_ADVANCE_DAYS.start() }, { *MAX_ADVANCE_DAYS.end() }>>,
        /// What it costs, in hundredths of the currency.
        price_cents: Option<Whole<0, PRICE_CENTS_MAX>>,
        /// In which currency.
        currency: Option<Currency>,
        /// When it was created.
        created_at: Timestamp,
        /// When it last changed.
        updated_at: Timestamp,
    }
    check price_and_currency
}

/// A price needs a currency, and a currency a price.
fn price_and_currency(properties: &Properties<'_>, at: &FieldPath<'_>, problems: &mut Problems) {
    for (name, other) in [("price_cents", "currency"), ("currency", "price_cents")] {
        if properties.has(other) && !properties.has(name) {
            problems.add(&at.property(name), ProblemCode::RequiredWith(other));
        }
    }
}

type Buffer = Whole<0, BUFFER_MINUTES_MAX>;

/// Each value is within its bounds.
fn buffers(before: Buffer, after: Buffer) -> Buffers {
    Buffers::new(before.get(), after.get()).unwrap_or_default()
}

impl RecordLine for ServiceLine {
    type Record = Service;

    fn write(it: &Service, line: Written) -> Written {
        let line = put_buffers(put!(line, it: id, name, description, duration_minutes, active), it.buffers);
        let line = put!(line, it: min_notice_minutes, max_advance_days)
            .put("price_cents", &it.price.map(|price| price.cents))
            .put("currency", &it.price.as_ref().map(|price| price.currency.as_str()));
        put!(line, it: created_at, updated_at)
    }

    fn made(self) -> Service {
        Service {
            id: self.id,
            name: self.name.into_string(),
            description: self.description.into_string(),
            duration_minutes: self.duration_minutes.get(),
            active: self.active,
            buffers: buffers(self.buffer_before_minutes, self.buffer_after_minutes),
            min_notice_minutes: self.min_notice_minutes.get(),
            max_advance_days: self.max_advance_days.map(Whole::get),
            price: self
                .price_cents
                .zip(self.currency)
                .map(|(cents, currency)| Price { cents: cents.get(), currency }),
            created_at: self.created_at,
            updated_at: self.updated_at,
        }
    }
}

json_object! {
    /// A staff member.
    pub(super) struct StaffLine {
        /// Their id.
        id: StaffId,
        /// Their name.
        name: Text<1, 200>,
        /// Whether they take appointments.
        active: bool,
        /// The IANA time zone they see times in.
        timezone: Zone,
        /// The services they offer.
        service_ids: DistinctList<ServiceId, 0, 500>,
        /// Their own hours, if they have some.
        hours: Option<StaffHours>,
        /// When it was created.
        created_at: Timestamp,
        /// When it last changed.
        updated_at: Timestamp,
    }
}

impl RecordLine for StaffLine {
    type Record = StaffMember;

    fn write(it: &StaffMember, line: Written) -> Written {
        let line = put!(line, it: id, name, active).put("timezone", it.zone.name());
        let line = put!(line, it: service_ids).put("hours", &it.hours.as_ref().map(|it| hours(it.days())));
        put!(line, it: created_at, updated_at)
    }

    fn made(self) -> StaffMember {
        StaffMember {
            id: self.id,
            name: self.name.into_string(),
            active: self.active,
            zone: self.timezone.get(),
            service_ids: self.service_ids.into_vec(),
            hours: self.hours,
            created_at: self.created_at,
            updated_at: self.updated_at,
        }
    }
}

json_object! {
    /// A special day.
    pub(super) struct SpecialDayLine {
        /// Its local date.
        date: NaiveDate,
        /// The windows that open on it; none where it is closed.
        windows: List<LocalWindow, 0, { DayWindows::WINDOWS_MAX }>,
        /// What day it is.
        note: Option<Text<1, 200>>,
        /// When it was created.
        created_at: Timestamp,
        /// When it last changed.
        updated_at: Timestamp,
    }
    check windows_of_a_date
}

/// The windows of a date must not overlap.
fn windows_of_a_date(properties: &Properties<'_>, at: &FieldPath<'_>, problems: &mut Problems) {
    if !properties.has("windows") {
        return;
    }
    let mut unasked = Problems::new(problems.reading().clone());
    let windows =
        properties.read::<List<LocalWindow, 0, { DayWindows::WINDOWS_MAX }>>("windows", at, &mut unasked);
    let found = windows.and_then(|windows| DayWindows::new(windows.into_vec()).err());
    for problem in found.into_iter().flatten() {
        problems.add(&at.property("windows").item(problem.index).property(problem.field), problem.code);
    }
}

impl RecordLine for SpecialDayLine {
    type Record = SpecialDay;

    fn write(it: &SpecialDay, line: Written) -> Written {
        let SpecialDayView { date, windows, .. } = SpecialDayView::from(it);
        put!(line.put("date", &date).put("windows", &windows), it: note, created_at, updated_at)
    }

    fn made(self) -> SpecialDay {
        SpecialDay {
            date: self.date,
            hours: DayWindows::new(self.windows.into_vec()).unwrap_or_default(),
            note: self.note.map(Text::into_string),
            created_at: self.created_at,
            updated_at: self.updated_at,
        }
    }
}

json_object! {
    /// Time that a staff member has off.
    pub(super) struct TimeOffLine {
        /// Its id.
        id: BlockedTimeId,
        /// Whose.
        staff_id: StaffId,
        /// The first instant of it.
        starts_at: Timestamp,
        /// The first instant after it.
        ends_at: Timestamp,
        /// What it is for.
        note: Option<Text<1, 200>>,
        /// When it was created.
        created_at: Timestamp,
    }
}

impl RecordLine for TimeOffLine {
    type Record = BlockedTime;

    fn write(it: &BlockedTime, line: Written) -> Written {
        put!(line, it: id, staff_id, starts_at, ends_at, note, created_at)
    }

    fn made(self) -> BlockedTime {
        BlockedTime {
            id: self.id,
            staff_id: self.staff_id,
            starts_at: self.starts_at,
            ends_at: self.ends_at,
            source: BlockedSource::TimeOff,
            note: self.note.map(Text::into_string),
            created_at: self.created_at,
        }
    }
}

json_object! {
    /// A contact.
    pub(super) struct ContactLine {
        /// Their id.
        id: ContactId,
        /// Their name.
        name: Option<Text<1, 200>>,
        /// Their phone number.
        phone: Option<E164>,
        /// Their email address.
        email: Option<Email>,
        /// The language they speak.
        locale: Option<Locale>,
        /// Their IANA time zone.
        timezone: Option<Zone>,
        /// What the team notes of them.
        notes: Option<Text<1, 1000>>,
        /// When it was created.
        created_at: Timestamp,
        /// When it last changed.
        updated_at: Timestamp,
    }
}

impl RecordLine for ContactLine {
    type Record = Contact;

    fn write(it: &Contact, line: Written) -> Written {
        let line = put!(line, it: id, name, phone, email, locale);
        put!(line.put("timezone", &it.zone.map(|zone| zone.name())), it: notes, created_at, updated_at)
    }

    fn made(self) -> Contact {
        Contact {
            id: self.id,
            name: self.name.map(Text::into_string),
            phone: self.phone.map(E164::get),
            email: self.email,
            locale: self.locale,
            zone: self.timezone.map(Zone::get),
            notes: self.notes.map(Text::into_string),
            created_at: self.created_at,
            updated_at: self.updated_at,
        }
    }
}

json_object! {
    /// An appointment.
    pub(super) struct AppointmentLine {
        /// Its id.
        id: AppointmentId,
        /// Where it stands.
        status: AppointmentStatus,
        /// When it starts.
        starts_at: Timestamp,
        /// When it ends.
        ends_at: Timestamp,
        /// Minutes that the staff member is kept free before it.
        buffer_before_minutes: Buffer,
        /// Minutes that the staff member is kept free after it.
        buffer_after_minutes: Buffer,
        /// What is booked.
        service_id: ServiceId,
        /// With whom.
        staff_id: StaffId,
        /// For whom; null once they were erased.
        contact_id: Option<ContactId>,
        /// Where the booking came from.
        source: Source,
        /// Whether it stands in the staff member's own calendar.
        calendar_sync_status: CalendarSyncStatus,
        /// Whether `appointment.booked` was sent.
        announced: bool,
        /// Whether it was moved and that is not announced yet.
        move_unannounced: bool,
        /// What the team notes of it.
        notes: Option<Text<1, 1000>>,
        /// When it was created.
        created_at: Timestamp,
        /// When it last changed.
        updated_at: Timestamp,
    }
}

impl RecordLine for AppointmentLine {
    type Record = Appointment;

    fn write(it: &Appointment, line: Written) -> Written {
        let line = put_buffers(put!(line, it: id, status, starts_at, ends_at), it.buffers);
        let line = put!(line, it: service_id, staff_id, contact_id, source, calendar_sync_status, announced);
        put!(line, it: move_unannounced, notes, created_at, updated_at)
    }

    fn made(self) -> Appointment {
        Appointment {
            id: self.id,
            status: self.status,
            starts_at: self.starts_at,
            ends_at: self.ends_at,
            buffers: buffers(self.buffer_before_minutes, self.buffer_after_minutes),
            service_id: self.service_id,
            staff_id: self.staff_id,
            contact_id: self.contact_id,
            source: self.source,
            calendar_sync_status: self.calendar_sync_status,
            announced: self.announced,
            move_unannounced: self.move_unannounced,
            notes: self.notes.map(Text::into_string),
            created_at: self.created_at,
            updated_at: self.updated_at,
        }
    }
}

json_object! {
    /// A piece of knowledge.
    pub(super) struct KnowledgeLine {
        /// Its id.
        id: KnowledgeId,
        /// What it is about.
        title: Text<1, 200>,
        /// What it says.
        content: Text<1, 50_000>,
        /// Where it comes from.
        source_url: Option<WebsiteUrl>,
        /// The language it is in.
        locale: Option<Locale>,
        /// When it was created.
        created_at: Timestamp,
        /// When it last changed.
        updated_at: Timestamp,
    }
}

impl RecordLine for KnowledgeLine {
    type Record = Knowledge;

    fn write(it: &Knowledge, line: Written) -> Written {
        put!(line, it: id, title, content, source_url, locale, created_at, updated_at)
    }

    fn made(self) -> Knowledge {
        Knowledge {
            id: self.id,
            title: self.title.into_string(),
            content: self.content.into_string(),
            source_url: self.source_url.map(WebsiteUrl::into_string),
            locale: self.locale,
            created_at: self.created_at,
            updated_at: self.updated_at,
        }
    }
}

fn put_buffers(line: Written, it: Buffers) -> Written {
    line.put("buffer_before_minutes", &it.before_minutes()).put("buffer_after_minutes", &it.after_minutes())
}

fn hours(days: &[DayHours]) -> Vec<HoursView> {
    days.iter().map(HoursView::from).collect()
}

/// Lists the line type of each kind of record.
macro_rules! lines {
    ($($kind:ident: $line:ty;)*) => {
        /// Writes the properties of a record.
        pub(super) fn written(moved: &Moved, line: Written) -> Written {
            match moved {
                $(Moved::$kind(it) => <$line>::write(it, line),)*
                Moved::End { records } => line.put("records", records),
            }
        }

        /// Reads a record of this kind, or returns every problem of the line.
        pub(super) fn read_line(kind: MovedKind, line: &Json) -> Result<Moved, Vec<Problem>> {
            match kind {
                $(MovedKind::$kind => {
                    let read = from_json::<$line>(line, Reading::PLAIN);
                    read.map(|line| Moved::$kind(line.made())).map_err(|invalid| invalid.0)
                })*
            }
        }
    };
}

lines! {
    Business: BusinessLine;
    Retention: RetentionLine;
    Service: ServiceLine;
    Staff: StaffLine;
    SpecialDay: SpecialDayLine;
    TimeOff: TimeOffLine;
    Contact: ContactLine;
    Appointment: AppointmentLine;
    Call: CallLine;
    Message: MessageLine;
    Knowledge: KnowledgeLine;
    Webhook: WebhookLine;
}
