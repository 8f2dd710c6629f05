//! The days of the week.

use super::words::words;

words! {
    Day {
        Sunday = "sunday",
        Monday = "monday",
        Tuesday = "tuesday",
        Wednesday = "wednesday",
        Thursday = "thursday",
        Friday = "friday",
        Saturday = "saturday",
    }
}
