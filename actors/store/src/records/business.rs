use domain::{Business, WeeklyBreaks};

use crate::codec::record;

record!(Business, "business", {
    1: id, name, zone, locale, website_url, booking_mode, hours, phone_region, suspended, created_at, updated_at;
    2: breaks = WeeklyBreaks::default();
});

#[cfg(test)]
mod tests {
    use domain::{BookingMode, Day, DayHours, LocalTime, Locale, Timestamp, WeeklyHours};

    use super::super::testing::{check, check_damage, check_old, id_of, replace};
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
            created_at: Timestamp::from_millis(1_772_442_000_000),
            updated_at: Timestamp::from_millis(1_772_442_000_001),
        }
    }

    #[test]
    fn a_business_has_these_bytes() {
        check(
            &business(),
            "02a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a10b4368657a20c3896d696c650f416d\
             65726963612f546f726f6e746f02011168747470733a2f2f612e6578616d706c\
             65020201fb1c02fb1a0406fb28057802434100fd00358d5b39030000fd02358d\
             5b390300000102fbd002fb0c03",
        );
    }

    #[test]
    fn a_business_of_the_first_version_has_no_breaks() {
        check_old(
            &Business { breaks: WeeklyBreaks::default(), ..business() },
            "01a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a10b4368657a20c3896d696c650f416d\
             65726963612f546f726f6e746f02011168747470733a2f2f612e6578616d706c\
             65020201fb1c02fb1a0406fb28057802434100fd00358d5b39030000fd02358d\
             5b39030000",
        );
    }

    #[test]
    fn damaged_fields_are_refused() {
        check_damage(&business(), |bytes| replace(bytes, b"America/Toronto", b"America/Torinto"));
        check_damage(&business(), |bytes| replace(bytes, b"Toronto\x02", b"Toronto\x09"));
        // Monday's window, from 540 to 1050 minutes: twice on Saturday, empty, and after 24:00.
        let monday = b"\x01\xfb\x1c\x02\xfb\x1a\x04";
        for bad in [
            b"\x06\xfb\x1c\x02\xfb\x1a\x04",
            b"\x01\xfb\x1c\x02\xfb\x1c\x02",
            b"\x01\xfb\x1c\x02\xfb\xa1\x05",
        ] {
            check_damage(&business(), |bytes| replace(bytes, monday, bad));
        }
        check_damage(&business(), |bytes| replace(bytes, b"Chez \xc3\x89", b"Chez \xc3\xff"));
        // Tuesday's break, from 720 minutes on: empty, and on an invalid day.
        check_damage(&business(), |bytes| replace(bytes, b"\xd0\x02\xfb\x0c\x03", b"\xd0\x02\xfb\xd0\x02"));
        check_damage(&business(), |bytes| replace(bytes, b"\x01\x02\xfb\xd0\x02", b"\x01\x07\xfb\xd0\x02"));
    }
}
