//! A business, its services, staff, opening hours, special days, time off and retention.

use domain::{
    AUDIT_DAYS_MIN, BlockedTime, Buffers, Business, CHANGE_NOTICE_MINUTES_MAX, COLORS, Currency,
    CustomerWord, DayHours, DayWindows, GRID_MINUTES, GRID_MINUTES_DEFAULT, LocalTime, LocalWindow,
    MAX_ADVANCE_DAYS, MIN_NOTICE_MINUTES_MAX, NoticeSettings, ORIGINS_MAX, POSITION_MAX, PRICE_CENTS_MAX,
    Price, REMINDER_HOURS_MAX, REMINDERS_MAX, RETENTION_DAYS, Retention, RetentionSet, SERVICE_MINUTES,
    Service, SpecialDay, StaffHours, StaffMember, Website, WeeklyBreaks, WeeklyHours,
};

use crate::StoreError;
use crate::codec::{Field, Fields, fields, record};

record!(Business, "business", {
    1: id, name, zone, locale, website_url, booking_mode, hours, phone_region, suspended, created_at, updated_at;
    2: breaks = WeeklyBreaks::default();
    3: customer_word = CustomerWord::Client, grid_minutes = GRID_MINUTES_DEFAULT;
} check |it| {
    GRID_MINUTES.contains(&it.grid_minutes) => "its grid is not valid",
});

record!(Service, "service", {
    1: id, name, description, duration_minutes, active, created_at, updated_at;
    2: buffers = Buffers::default(), min_notice_minutes = 0, max_advance_days = None, price = None;
    3: category = None, position = 0, color = None;
} check |it| {
    SERVICE_MINUTES.contains(&it.duration_minutes) => "its duration is out of range",
    (it.min_notice_minutes <= MIN_NOTICE_MINUTES_MAX) => "its minimum notice is out of range",
    it.max_advance_days.is_none_or(|days| MAX_ADVANCE_DAYS.contains(&days))
        => "its maximum advance is out of range",
    (it.position <= POSITION_MAX) => "its position is out of range",
    it.color.is_none_or(|color| COLORS.contains(&color)) => "its colour is out of range",
});

record!(StaffMember, "staff", {
    1: id, name, active, zone, service_ids, created_at, updated_at;
    2: hours = None;
    3: position = 0, color = None;
} check |it| {
    (it.position <= POSITION_MAX) => "its position is out of range",
    it.color.is_none_or(|color| COLORS.contains(&color)) => "its colour is out of range",
});

impl Field for Buffers {
    fn write(&self, to: &mut Vec<u8>) {
        // Both numbers of minutes are at most 240, so they fit into a `u8`.
        (self.before_minutes() as u8, self.after_minutes() as u8).write(to);
    }

    fn read(from: &mut Fields<'_>) -> Result<Self, StoreError> {
        let (before, after) = <(u8, u8)>::read(from)?;
        Self::new(before.into(), after.into()).ok_or_else(|| from.damaged("its buffers are too long"))
    }
}

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

record!(SpecialDay, "special_day", { 1: date, hours, note, created_at, updated_at });

record!(BlockedTime, "blocked_time", {
    1: id, staff_id, starts_at, ends_at, source, note, created_at;
} check |it| { (it.ends_at > it.starts_at) => "it ends before it starts" });

fields! {
    DayHours { day, open, close }
    LocalWindow { open, close }
}

impl Field for LocalTime {
    fn write(&self, to: &mut Vec<u8>) {
        self.minutes().write(to);
    }

    fn read(from: &mut Fields<'_>) -> Result<Self, StoreError> {
        Self::from_minutes(u16::read(from)?).ok_or_else(|| from.damaged("a time is later than 24:00"))
    }
}

macro_rules! windows {
    ($($type:ident of $windows:ident, else $contradiction:literal;)*) => {$(
        impl Field for $type {
            fn write(&self, to: &mut Vec<u8>) {
                self.$windows().to_vec().write(to);
            }

            fn read(from: &mut Fields<'_>) -> Result<Self, StoreError> {
                Self::new(Vec::read(from)?).map_err(|_| from.damaged($contradiction))
            }
        }
    )*};
}

windows! {
    DayWindows of windows, else "its windows contradict each other";
    StaffHours of days, else "their hours contradict each other";
    WeeklyBreaks of days, else "its breaks contradict each other";
    WeeklyHours of days, else "its opening hours contradict each other";
}

record!(Retention, "retention", {
    1: calls_days, messages_days, audit_days, appointments_days, set;
} check |it| { has_possible_days(it) => "its number of days is out of range" });

fn has_possible_days(it: &Retention) -> bool {
    let mut days =
        [it.calls_days, it.messages_days, it.audit_days, it.appointments_days].into_iter().flatten();
    it.audit_days.is_none_or(|days| days >= AUDIT_DAYS_MIN) && days.all(|days| RETENTION_DAYS.contains(&days))
}

fields! { RetentionSet { at, steady, before } }

record!(Website, "website", {
    1: enabled, slug, origins, color, phone, email, address, change_by_caller, change_notice_minutes,
       show_prices;
} check |it| {
    (it.origins.len() <= ORIGINS_MAX) => "it has too many origins",
    it.change_notice_minutes.is_none_or(|minutes| minutes <= CHANGE_NOTICE_MINUTES_MAX)
        => "its notice for changes is out of range",
    (it.slug.is_some() || !it.enabled) => "its page is enabled and has no slug",
});

record!(NoticeSettings, "notices", {
    1: email, text, reminder_hours;
} check |it| {
    (it.reminder_hours.len() <= REMINDERS_MAX) => "it has too many reminders",
    it.reminder_hours.iter().all(|hours| (1..=REMINDER_HOURS_MAX).contains(hours))
        => "the hours of a reminder are out of range",
});

#[cfg(test)]
mod tests {
    use chrono::NaiveDate;
    use domain::{
        BlockedSource, BookingMode, Color, Day, Email, Locale, NoticeScope, SiteOrigin, Slug, SteadyTime,
        Timestamp,
    };
    use uuid::Uuid;

    use super::super::testing::{check, check_damage, check_old, id_of, phone, replace};
    use super::*;

    fn business() -> Business {
        let window = |day, open, close| DayHours {
            day,
            open: LocalTime::parse(open).unwrap(),
            close: LocalTime::parse(close).unwrap(),
        };
        Business {
            id: id_of([0xa1; 16]),
            name: "Chez Émile".into(),
            zone: chrono_tz::America::Toronto,
            locale: Locale::Fr,
            website_url: Some("https://a.example".into()),
            booking_mode: BookingMode::Request,
            hours: WeeklyHours::new(vec![
                window(Day::Saturday, "22:00", "02:00"),
                window(Day::Monday, "09:00", "17:30"),
            ])
            .unwrap(),
            breaks: WeeklyBreaks::new(vec![window(Day::Tuesday, "12:00", "13:00")]).unwrap(),
            phone_region: "CA".into(),
            suspended: false,
            customer_word: CustomerWord::Guest,
            grid_minutes: 5,
            created_at: Timestamp::from_millis(1_772_442_000_000),
            updated_at: Timestamp::from_millis(1_772_442_000_001),
        }
    }

    #[test]
    fn a_business_has_these_bytes() {
        let first = "a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a10b4368657a20c3896d696c650f416d\
             65726963612f546f726f6e746f02011168747470733a2f2f612e6578616d706c\
             65020201fb1c02fb1a0406fb28057802434100fd00358d5b39030000fd02358d\
             5b390300000102fbd002fb0c03";
        check(&business(), &format!("03{first}0305"));
        check_old(&plain(), &format!("02{first}"));
        check(&plain(), &format!("03{first}010f"));
    }

    /// A business that has only the settings of earlier versions.
    fn plain() -> Business {
        Business { customer_word: CustomerWord::Client, grid_minutes: GRID_MINUTES_DEFAULT, ..business() }
    }

    #[test]
    fn a_business_of_the_first_version_has_no_breaks() {
        check_old(
            &Business { breaks: WeeklyBreaks::default(), ..plain() },
            "01a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a10b4368657a20c3896d696c650f416d\
             65726963612f546f726f6e746f02011168747470733a2f2f612e6578616d706c\
             65020201fb1c02fb1a0406fb28057802434100fd00358d5b39030000fd02358d\
             5b39030000",
        );
    }

    #[test]
    fn damaged_fields_of_business_are_refused() {
        check_damage(&business(), |bytes| replace(bytes, b"America/Toronto", b"America/Torinto"));
        check_damage(&business(), |bytes| replace(bytes, b"Toronto\x02", b"Toronto\x09"));
        check_damage(&business(), |bytes| replace(bytes, b"\x03\x05", b"\x04\x05"));
        for grid_minutes in [0, 6, 60] {
            check_damage(&Business { grid_minutes, ..business() }, |_| {});
        }
        // Monday's opening hours (minute 540 to 1050) are moved to Saturday, made empty, or moved to after 24:00.
        let monday = b"\x01\xfb\x1c\x02\xfb\x1a\x04";
        for bad in [
            b"\x06\xfb\x1c\x02\xfb\x1a\x04",
            b"\x01\xfb\x1c\x02\xfb\x1c\x02",
            b"\x01\xfb\x1c\x02\xfb\xa1\x05",
        ] {
            check_damage(&business(), |bytes| replace(bytes, monday, bad));
        }
        check_damage(&business(), |bytes| replace(bytes, b"Chez \xc3\x89", b"Chez \xc3\xff"));
        // Tuesday's break, which begins at minute 720, becomes empty or gets an invalid day.
        check_damage(&business(), |bytes| replace(bytes, b"\xd0\x02\xfb\x0c\x03", b"\xd0\x02\xfb\xd0\x02"));
        check_damage(&business(), |bytes| replace(bytes, b"\x01\x02\xfb\xd0\x02", b"\x01\x07\xfb\xd0\x02"));
    }

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
            category: Some("Hair".into()),
            position: 300,
            color: Some(12),
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
            position: 2,
            color: Some(1),
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
        let second = "0af0fba005015a01fbc61103455552";
        check(&service(), &format!("03{SERVICE}{second}010448616972fb2c01010c"));
        let unlisted = Service { category: None, position: 0, color: None, ..service() };
        check(&unlisted, &format!("03{SERVICE}{second}000000"));
        check_old(&unlisted, &format!("02{SERVICE}{second}"));
        let plain = Service {
            buffers: Buffers::default(),
            min_notice_minutes: 0,
            max_advance_days: None,
            price: None,
            ..unlisted
        };
        check(&plain, &format!("03{SERVICE}0000000000000000"));
        check_old(&plain, &format!("01{SERVICE}"));
    }

    #[test]
    fn a_staff_member_has_these_bytes() {
        let second = "010205fb1c02fbd00205fb0c03fbfc03";
        check(&staff(), &format!("03{STAFF}{second}020101"));
        let unlisted = StaffMember { position: 0, color: None, ..staff() };
        check_old(&unlisted, &format!("02{STAFF}{second}"));
        let always = StaffMember { hours: None, ..unlisted };
        check(&always, &format!("03{STAFF}000000"));
        check_old(&always, &format!("01{STAFF}"));
    }

    #[test]
    fn damaged_fields_of_catalog_are_refused() {
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
        for color in [0, 13] {
            check_damage(&Service { color: Some(color), ..service() }, |_| {});
            check_damage(&StaffMember { color: Some(color), ..staff() }, |_| {});
        }
        check_damage(&Service { position: POSITION_MAX + 1, ..service() }, |_| {});
        check_damage(&StaffMember { position: POSITION_MAX + 1, ..staff() }, |_| {});
        check_damage(&staff(), |bytes| replace(bytes, b"UTC", b"ABC"));
        // In the damaged bytes, the second period begins before the first one ends.
        check_damage(&staff(), |bytes| replace(bytes, b"\x0c\x03", b"\xcf\x02"));
    }

    fn special_day() -> SpecialDay {
        let time = |hour: u16| LocalTime::from_minutes(60 * hour).unwrap();
        let windows = vec![
            LocalWindow { open: time(9), close: time(12) },
            LocalWindow { open: time(22), close: time(2) },
        ];
        SpecialDay {
            date: NaiveDate::from_ymd_opt(2026, 12, 24).unwrap(),
            hours: DayWindows::new(windows).unwrap(),
            note: Some("Eve".into()),
            created_at: Timestamp::from_millis(1_772_442_000_000),
            updated_at: Timestamp::from_millis(1_772_442_000_001),
        }
    }

    fn blocked_time() -> BlockedTime {
        BlockedTime {
            id: id_of([0xa1; 16]),
            staff_id: id_of([0xa2; 16]),
            starts_at: Timestamp::from_millis(1_772_442_000_000),
            ends_at: Timestamp::from_millis(1_772_442_000_001),
            source: BlockedSource::TimeOff,
            note: None,
            created_at: Timestamp::from_millis(300),
        }
    }

    #[test]
    fn a_special_day_has_these_bytes() {
        check(
            &special_day(),
            "01fc0c95160002fb1c02fbd002fb2805780103457665fd00358d5b39030000fd\
             02358d5b39030000",
        );
        let closed = SpecialDay { hours: DayWindows::CLOSED, note: None, ..special_day() };
        check(&closed, "01fc0c9516000000fd00358d5b39030000fd02358d5b39030000");
    }

    #[test]
    fn a_blocked_time_has_these_bytes() {
        check(
            &blocked_time(),
            "01a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2\
             a2fd00358d5b39030000fd02358d5b390300000100fb5802",
        );
    }

    #[test]
    fn damaged_fields_of_diary_are_refused() {
        // Two records are damaged. In one, the first period is empty. In the other, the second period begins within the
        // first.
        check_damage(&special_day(), |bytes| replace(bytes, b"\xd0\x02", b"\x1c\x02"));
        check_damage(&special_day(), |bytes| replace(bytes, b"\x28\x05", b"\xcf\x02"));
        let over = BlockedTime { ends_at: blocked_time().starts_at, ..blocked_time() };
        check_damage(&over, |_| {});
        check_damage(&blocked_time(), |bytes| replace(bytes, b"\x01\0\xfb\x58", b"\x09\0\xfb\x58"));
    }

    #[test]
    fn a_retention_has_these_bytes() {
        check(&Retention::default(), "010000000000");
        let set = RetentionSet {
            at: Timestamp::from_millis(300),
            steady: SteadyTime::from_millis(1),
            before: Uuid::from_bytes([0xa1; 16]),
        };
        let some = Retention {
            calls_days: Some(30),
            messages_days: None,
            audit_days: Some(365),
            appointments_days: Some(1),
            set: Some(set),
        };
        check(&some, "01011e0001fb6d01010101fb580202a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1");
        check_damage(&some, |bytes| bytes[2] = 0);
        check_damage(&Retention { audit_days: Some(89), ..some }, |_| {});
        check_damage(&Retention { calls_days: Some(36_501), ..some }, |_| {});
    }

    #[test]
    fn a_website_has_these_bytes() {
        check(&Website::default(), "0100000000000000010000");
        let some = Website {
            enabled: true,
            slug: Slug::new("salon"),
            origins: vec![SiteOrigin::parse("https://a.example").unwrap()],
            color: Color::parse("#1a2b3c"),
            phone: Some(phone()),
            email: Some(Email::new("a@b.example").unwrap()),
            address: Some("1 Way".into()),
            change_by_caller: false,
            change_notice_minutes: Some(CHANGE_NOTICE_MINUTES_MAX),
            show_prices: true,
        };
        check(
            &some,
            "01 01 010573616c6f6e 01 1168747470733a2f2f612e6578616d706c65 010723316132623363
             010c2b3135353531323334353637 010b6140622e6578616d706c65 01053120576179 00 01fbc0a8 01",
        );
        check_damage(&some, |bytes| replace(bytes, b"salon", b"-alon"));
        check_damage(&some, |bytes| replace(bytes, b"https://a", b"http://ab"));
        check_damage(&some, |bytes| replace(bytes, b"#1a", b"#1g"));
        check_damage(&some, |bytes| *bytes.last_mut().unwrap() = 2);
        check_damage(&Website { slug: None, ..some.clone() }, |_| {});
        let notice = Some(CHANGE_NOTICE_MINUTES_MAX + 1);
        check_damage(&Website { change_notice_minutes: notice, ..some.clone() }, |_| {});
        let origins = vec![some.origins[0].clone(); ORIGINS_MAX + 1];
        check_damage(&Website { origins, ..some }, |_| {});
    }

    #[test]
    fn the_settings_of_notices_have_these_bytes() {
        check(&NoticeSettings::default(), "0101010118");
        let some = NoticeSettings {
            email: NoticeScope::All,
            text: NoticeScope::Online,
            reminder_hours: vec![REMINDER_HOURS_MAX, 1],
        };
        check(&some, "01030202a801");
        check_damage(&some, |bytes| bytes[1] = 4);
        check_damage(&some, |bytes| bytes[4] = REMINDER_HOURS_MAX + 1);
        check_damage(&some, |bytes| bytes[5] = 0);
        check_damage(&NoticeSettings { reminder_hours: vec![1, 2, 3], ..some }, |_| {});
    }
}
