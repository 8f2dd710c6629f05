//! Profiles of businesses.

use serde::{Deserialize, Serialize};

use super::hours::{freeze_window, thaw_windows};
use super::{IdBytes, Numbered, bytes_of, id_of, instant, word, zone};
use crate::domain::{Business, WeeklyBreaks, WeeklyHours};
use crate::store::StoreError;
use crate::store::codec::{Layout, record};

#[derive(Serialize, Deserialize)]
struct BusinessRecordV1 {
    id: IdBytes,
    name: String,
    zone: String,
    locale: u8,
    website_url: Option<String>,
    booking_mode: u8,
    /// Day, and the minutes after midnight of opening and closing.
    hours: Vec<(u8, u16, u16)>,
    phone_region: String,
    suspended: bool,
    created_at: i64,
    updated_at: i64,
}

#[derive(Serialize, Deserialize)]
struct BusinessRecordV2 {
    profile: BusinessRecordV1,
    /// As the opening hours.
    breaks: Vec<(u8, u16, u16)>,
}

record!(Business, "business", 2 => BusinessRecordV2, 1 => BusinessRecordV1);

impl Layout<Business> for BusinessRecordV2 {
    fn freeze(value: &Business) -> Self {
        Self {
            profile: BusinessRecordV1::freeze(value),
            breaks: value.breaks.days().iter().map(freeze_window).collect(),
        }
    }

    fn thaw(self, record: &'static str) -> Result<Business, StoreError> {
        let breaks = WeeklyBreaks::new(thaw_windows(record, &self.breaks)?)
            .map_err(|_| StoreError::damaged(record, "its breaks contradict each other"))?;
        Ok(Business { breaks, ..self.profile.thaw(record)? })
    }
}

/// The first version knew no breaks.
impl Layout<Business> for BusinessRecordV1 {
    fn freeze(value: &Business) -> Self {
        Self {
            id: bytes_of(value.id),
            name: value.name.clone(),
            zone: value.zone.name().to_owned(),
            locale: value.locale.number(),
            website_url: value.website_url.clone(),
            booking_mode: value.booking_mode.number(),
            hours: value.hours.days().iter().map(freeze_window).collect(),
            phone_region: value.phone_region.clone(),
            suspended: value.suspended,
            created_at: value.created_at.millis(),
            updated_at: value.updated_at.millis(),
        }
    }

    fn thaw(self, record: &'static str) -> Result<Business, StoreError> {
        Ok(Business {
            id: id_of(self.id),
            name: self.name,
            zone: zone(record, &self.zone)?,
            locale: word(record, self.locale)?,
            website_url: self.website_url,
            booking_mode: word(record, self.booking_mode)?,
            hours: WeeklyHours::new(thaw_windows(record, &self.hours)?)
                .map_err(|_| StoreError::damaged(record, "its opening hours contradict each other"))?,
            breaks: WeeklyBreaks::default(),
            phone_region: self.phone_region,
            suspended: self.suspended,
            created_at: instant(record, self.created_at)?,
            updated_at: instant(record, self.updated_at)?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{check, check_damage, check_old, replace};
    use super::*;
    use crate::domain::{BookingMode, Day, DayHours, LocalTime, Locale, Timestamp};

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
        // Monday's window, from 540 to 1050 minutes: twice on Saturday, empty, and behind 24:00.
        let monday = b"\x01\xfb\x1c\x02\xfb\x1a\x04";
        for bad in [
            b"\x06\xfb\x1c\x02\xfb\x1a\x04",
            b"\x01\xfb\x1c\x02\xfb\x1c\x02",
            b"\x01\xfb\x1c\x02\xfb\xa1\x05",
        ] {
            check_damage(&business(), |bytes| replace(bytes, monday, bad));
        }
        check_damage(&business(), |bytes| replace(bytes, b"Chez \xc3\x89", b"Chez \xc3\xff"));
        // The break of Tuesday, from 720 minutes on: empty, and on a day that is none.
        check_damage(&business(), |bytes| replace(bytes, b"\xd0\x02\xfb\x0c\x03", b"\xd0\x02\xfb\xd0\x02"));
        check_damage(&business(), |bytes| replace(bytes, b"\x01\x02\xfb\xd0\x02", b"\x01\x07\xfb\xd0\x02"));
    }
}
