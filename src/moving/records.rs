//! The lines of a business and of what it keeps, property by property; those of calls and messages and of webhook
//! endpoints stand beside this file. A property that says nothing is null, or left out.

use actors::domain::{
    Appointment, AppointmentId, AppointmentStatus, BookingMode, Business, BusinessId, CalendarSyncStatus,
    Contact, ContactId, Email, Knowledge, KnowledgeId, Locale, Service, ServiceId, Source, StaffId,
    StaffMember, Text, Timestamp, WeeklyHours,
};

use super::values::E164;
use crate::http::lists::DistinctList;
use crate::http::numbers::Whole;
use crate::json_object;
use crate::rest::values::phone::PhoneRegion;
use crate::rest::values::time::Zone;
use crate::rest::values::web::WebsiteUrl;

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

impl BusinessLine {
    pub(super) fn made(self) -> Business {
        Business {
            id: self.id,
            name: self.name.into_string(),
            zone: self.timezone.get(),
            locale: self.locale,
            website_url: self.website_url.map(WebsiteUrl::into_string),
            booking_mode: self.booking_mode,
            hours: self.hours,
            phone_region: self.phone_region.into_string(),
            suspended: self.suspended,
            created_at: self.created_at,
            updated_at: self.updated_at,
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
        /// When it was created.
        created_at: Timestamp,
        /// When it last changed.
        updated_at: Timestamp,
    }
}

impl ServiceLine {
    pub(super) fn made(self) -> Service {
        Service {
            id: self.id,
            name: self.name.into_string(),
            description: self.description.into_string(),
            duration_minutes: self.duration_minutes.get(),
            active: self.active,
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
        /// When it was created.
        created_at: Timestamp,
        /// When it last changed.
        updated_at: Timestamp,
    }
}

impl StaffLine {
    pub(super) fn made(self) -> StaffMember {
        StaffMember {
            id: self.id,
            name: self.name.into_string(),
            active: self.active,
            zone: self.timezone.get(),
            service_ids: self.service_ids.into_vec(),
            created_at: self.created_at,
            updated_at: self.updated_at,
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
        /// When it was created.
        created_at: Timestamp,
        /// When it last changed.
        updated_at: Timestamp,
    }
}

impl ContactLine {
    pub(super) fn made(self) -> Contact {
        Contact {
            id: self.id,
            name: self.name.map(Text::into_string),
            phone: self.phone.map(E164::into_string),
            email: self.email.map(|email| email.as_str().to_owned()),
            locale: self.locale,
            zone: self.timezone.map(Zone::get),
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
        /// When it was created.
        created_at: Timestamp,
        /// When it last changed.
        updated_at: Timestamp,
    }
}

impl AppointmentLine {
    pub(super) fn made(self) -> Appointment {
        Appointment {
            id: self.id,
            status: self.status,
            starts_at: self.starts_at,
            ends_at: self.ends_at,
            service_id: self.service_id,
            staff_id: self.staff_id,
            contact_id: self.contact_id,
            source: self.source,
            calendar_sync_status: self.calendar_sync_status,
            announced: self.announced,
            move_unannounced: self.move_unannounced,
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

impl KnowledgeLine {
    pub(super) fn made(self) -> Knowledge {
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
