//! Opening windows in records: day, and opening and closing in minutes after midnight.

use domain::{DayHours, DayWindows, LocalTime, LocalWindow, StaffHours, WeeklyBreaks, WeeklyHours};

use crate::StoreError;
use crate::codec::{Field, Fields, fields};

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
