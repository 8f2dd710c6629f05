use domain::{
    Buffers, Currency, MAX_ADVANCE_DAYS, MIN_NOTICE_MINUTES_MAX, PRICE_CENTS_MAX, Price, SERVICE_MINUTES,
    Service, StaffMember,
};

use crate::StoreError;
use crate::codec::{Field, Fields, record};

record!(Service, "service", {
    1: id, name, description, duration_minutes, active, created_at, updated_at;
    2: buffers = Buffers::default(), min_notice_minutes = 0, max_advance_days = None, price = None;
} check |service| {
    if !SERVICE_MINUTES.contains(&service.duration_minutes) {
        Err("no service takes that long")
    } else if service.min_notice_minutes > MIN_NOTICE_MINUTES_MAX {
        Err("no service asks for so much notice")
    } else if service.max_advance_days.is_some_and(|days| !MAX_ADVANCE_DAYS.contains(&days)) {
        Err("no service is limited to that many days ahead")
    } else {
        Ok(())
    }
});

record!(StaffMember, "staff", {
    1: id, name, active, zone, service_ids, created_at, updated_at;
    2: hours = None;
});

/// Minutes before and after.
impl Field for Buffers {
    fn write(&self, to: &mut Vec<u8>) {
        // Both are at most 240.
        (self.before_minutes() as u8, self.after_minutes() as u8).write(to);
    }

    fn read(from: &mut Fields<'_>) -> Result<Self, StoreError> {
        let (before, after) = <(u8, u8)>::read(from)?;
        Self::new(before.into(), after.into()).ok_or_else(|| from.damaged("its buffers are too long"))
    }
}

/// Hundredths, and the code of the currency.
impl Field for Price {
    fn write(&self, to: &mut Vec<u8>) {
        (self.cents, self.currency.as_str().to_owned()).write(to);
    }

    fn read(from: &mut Fields<'_>) -> Result<Self, StoreError> {
        let (cents, currency) = <(u32, String)>::read(from)?;
        let currency = Currency::parse(&currency).filter(|_| cents <= PRICE_CENTS_MAX);
        let currency = currency.ok_or_else(|| from.damaged("its price is invalid"))?;
        Ok(Self { cents, currency })
    }
}

#[cfg(test)]
mod tests {
    use domain::{Day, DayHours, LocalTime, StaffHours, Timestamp};

    use super::super::testing::{check, check_damage, check_old, id_of, replace};
    use super::*;

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
