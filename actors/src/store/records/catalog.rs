//! Services and staff members.

use serde::{Deserialize, Serialize};

use super::hours::{freeze_window, thaw_windows};
use super::{IdBytes, bytes_of, id_of, instant, zone};
use crate::domain::{
    Buffers, Currency, MAX_ADVANCE_DAYS, MIN_NOTICE_MINUTES_MAX, PRICE_CENTS_MAX, Price, SERVICE_MINUTES,
    Service, StaffHours, StaffMember,
};
use crate::store::StoreError;
use crate::store::codec::{Layout, record};

#[derive(Serialize, Deserialize)]
struct ServiceRecordV1 {
    id: IdBytes,
    name: String,
    description: String,
    duration_minutes: u32,
    active: bool,
    created_at: i64,
    updated_at: i64,
}

#[derive(Serialize, Deserialize)]
struct ServiceRecordV2 {
    service: ServiceRecordV1,
    /// Minutes before and after.
    buffers: (u8, u8),
    min_notice_minutes: u32,
    max_advance_days: Option<u32>,
    /// In hundredths, and the code of the currency.
    price: Option<(u32, String)>,
}

record!(Service, "service", 2 => ServiceRecordV2, 1 => ServiceRecordV1);

impl Layout<Service> for ServiceRecordV2 {
    fn freeze(value: &Service) -> Self {
        Self {
            service: ServiceRecordV1::freeze(value),
            buffers: freeze_buffers(value.buffers),
            min_notice_minutes: value.min_notice_minutes,
            max_advance_days: value.max_advance_days,
            price: value.price.map(|price| (price.cents, price.currency.as_str().to_owned())),
        }
    }

    fn thaw(self, record: &'static str) -> Result<Service, StoreError> {
        if self.min_notice_minutes > MIN_NOTICE_MINUTES_MAX {
            return Err(StoreError::damaged(record, "no service asks for so much notice"));
        }
        if self.max_advance_days.is_some_and(|days| !MAX_ADVANCE_DAYS.contains(&days)) {
            return Err(StoreError::damaged(record, "no service is limited to that many days ahead"));
        }
        let price = |(cents, currency): (u32, String)| {
            let currency = Currency::parse(&currency).filter(|_| cents <= PRICE_CENTS_MAX);
            let currency = currency.ok_or_else(|| StoreError::damaged(record, "its price is none"))?;
            Ok(Price { cents, currency })
        };
        Ok(Service {
            buffers: thaw_buffers(record, self.buffers)?,
            min_notice_minutes: self.min_notice_minutes,
            max_advance_days: self.max_advance_days,
            price: self.price.map(price).transpose()?,
            ..self.service.thaw(record)?
        })
    }
}

/// How buffers are stored: the minutes before and after.
pub(super) fn freeze_buffers(buffers: Buffers) -> (u8, u8) {
    // Each fits, being at most 240.
    (buffers.before_minutes() as u8, buffers.after_minutes() as u8)
}

/// The buffers that are stored.
pub(super) fn thaw_buffers(record: &'static str, (before, after): (u8, u8)) -> Result<Buffers, StoreError> {
    Buffers::new(before.into(), after.into())
        .ok_or_else(|| StoreError::damaged(record, "its buffers are too long"))
}

/// The first version knew neither buffers nor how early a service has to be booked, nor a price.
impl Layout<Service> for ServiceRecordV1 {
    fn freeze(value: &Service) -> Self {
        Self {
            id: bytes_of(value.id),
            name: value.name.clone(),
            description: value.description.clone(),
            duration_minutes: value.duration_minutes,
            active: value.active,
            created_at: value.created_at.millis(),
            updated_at: value.updated_at.millis(),
        }
    }

    fn thaw(self, record: &'static str) -> Result<Service, StoreError> {
        if !SERVICE_MINUTES.contains(&self.duration_minutes) {
            return Err(StoreError::damaged(record, "no service takes that long"));
        }
        Ok(Service {
            id: id_of(self.id),
            name: self.name,
            description: self.description,
            duration_minutes: self.duration_minutes,
            active: self.active,
            buffers: Buffers::default(),
            min_notice_minutes: 0,
            max_advance_days: None,
            price: None,
            created_at: instant(record, self.created_at)?,
            updated_at: instant(record, self.updated_at)?,
        })
    }
}

#[derive(Serialize, Deserialize)]
struct StaffMemberRecordV1 {
    id: IdBytes,
    name: String,
    active: bool,
    zone: String,
    service_ids: Vec<IdBytes>,
    created_at: i64,
    updated_at: i64,
}

#[derive(Serialize, Deserialize)]
struct StaffMemberRecordV2 {
    member: StaffMemberRecordV1,
    /// Day, and the minutes after midnight of opening and closing.
    hours: Option<Vec<(u8, u16, u16)>>,
}

record!(StaffMember, "staff", 2 => StaffMemberRecordV2, 1 => StaffMemberRecordV1);

impl Layout<StaffMember> for StaffMemberRecordV2 {
    fn freeze(value: &StaffMember) -> Self {
        let windows = |hours: &StaffHours| hours.days().iter().map(freeze_window).collect();
        Self { member: StaffMemberRecordV1::freeze(value), hours: value.hours.as_ref().map(windows) }
    }

    fn thaw(self, record: &'static str) -> Result<StaffMember, StoreError> {
        let hours = |windows: Vec<(u8, u16, u16)>| {
            StaffHours::new(thaw_windows(record, &windows)?)
                .map_err(|_| StoreError::damaged(record, "their hours contradict each other"))
        };
        Ok(StaffMember { hours: self.hours.map(hours).transpose()?, ..self.member.thaw(record)? })
    }
}

/// The first version knew no hours.
impl Layout<StaffMember> for StaffMemberRecordV1 {
    fn freeze(value: &StaffMember) -> Self {
        Self {
            id: bytes_of(value.id),
            name: value.name.clone(),
            active: value.active,
            zone: value.zone.name().to_owned(),
            service_ids: value.service_ids.iter().copied().map(bytes_of).collect(),
            created_at: value.created_at.millis(),
            updated_at: value.updated_at.millis(),
        }
    }

    fn thaw(self, record: &'static str) -> Result<StaffMember, StoreError> {
        Ok(StaffMember {
            id: id_of(self.id),
            name: self.name,
            active: self.active,
            zone: zone(record, &self.zone)?,
            service_ids: self.service_ids.into_iter().map(id_of).collect(),
            hours: None,
            created_at: instant(record, self.created_at)?,
            updated_at: instant(record, self.updated_at)?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{check, check_damage, check_old, replace};
    use super::*;
    use crate::domain::{Day, DayHours, LocalTime, Timestamp};

    fn window(open: u16, close: u16) -> DayHours {
        let time = |hour| LocalTime::from_minutes(60 * hour).unwrap();
        DayHours { day: Day::Friday, open: time(open), close: time(close) }
    }

    fn service() -> Service {
        Service {
            id: id_of([0xa1; 16]),
            name: "Coupe".into(),
            description: String::new(),
            duration_minutes: 45,
            active: true,
            buffers: Buffers::new(10, 240).unwrap(),
            min_notice_minutes: 1_440,
            max_advance_days: Some(90),
            price: Some(Price { cents: 4_550, currency: Currency::parse("EUR").unwrap() }),
            created_at: Timestamp::from_millis(1_772_442_000_000),
            updated_at: Timestamp::from_millis(1_772_442_000_001),
        }
    }

    fn staff() -> StaffMember {
        StaffMember {
            id: id_of([0xa2; 16]),
            name: "Ada".into(),
            active: false,
            zone: chrono_tz::UTC,
            service_ids: vec![id_of([0xa1; 16]), id_of([0xa3; 16])],
            hours: Some(StaffHours::new(vec![window(9, 12), window(13, 17)]).unwrap()),
            created_at: Timestamp::from_millis(1_772_442_000_000),
            updated_at: Timestamp::from_millis(1_772_442_000_001),
        }
    }

    const SERVICE: &str = "a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a105436f757065002d01fd00358d5b39\
         030000fd02358d5b39030000";
    const STAFF: &str = "a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a203416461000355544302a1a1a1a1a1\
         a1a1a1a1a1a1a1a1a1a1a1a3a3a3a3a3a3a3a3a3a3a3a3a3a3a3a3fd00358d5b\
         39030000fd02358d5b39030000";

    #[test]
    fn a_service_has_these_bytes() {
        check(&service(), &format!("02{SERVICE}0af0fba005015a01fbc61103455552"));
        let plain = Service {
            buffers: Buffers::default(),
            min_notice_minutes: 0,
            max_advance_days: None,
            price: None,
            ..service()
        };
        check(&plain, &format!("02{SERVICE}0000000000"));
        check_old(&plain, &format!("01{SERVICE}"));
    }

    #[test]
    fn a_staff_member_has_these_bytes() {
        check(&staff(), &format!("02{STAFF}010205fb1c02fbd00205fb0c03fbfc03"));
        let always = StaffMember { hours: None, ..staff() };
        check(&always, &format!("02{STAFF}00"));
        check_old(&always, &format!("01{STAFF}"));
    }

    #[test]
    fn damaged_fields_are_refused() {
        check_damage(&service(), |bytes| replace(bytes, b"Coupe\0\x2d", b"Coupe\0\x04"));
        check_damage(&service(), |bytes| replace(bytes, b"\x2d\x01", b"\x2d\x02"));
        check_damage(&service(), |bytes| replace(bytes, b"\x0a\xf0", b"\x0a\xf1"));
        check_damage(&service(), |bytes| replace(bytes, b"\x01\x5a", b"\x01\x00"));
        check_damage(&service(), |bytes| replace(bytes, b"EUR", b"eUR"));
        let notice = Service { min_notice_minutes: MIN_NOTICE_MINUTES_MAX + 1, ..service() };
        check_damage(&notice, |_| {});
        let advance = Service { max_advance_days: Some(MAX_ADVANCE_DAYS.end() + 1), ..service() };
        check_damage(&advance, |_| {});
        let price = service().price.map(|price| Price { cents: PRICE_CENTS_MAX + 1, ..price });
        check_damage(&Service { price, ..service() }, |_| {});
        check_damage(&staff(), |bytes| replace(bytes, b"UTC", b"ABC"));
        // The second window begins before the first one ends.
        check_damage(&staff(), |bytes| replace(bytes, b"\x0c\x03", b"\xcf\x02"));
    }
}
