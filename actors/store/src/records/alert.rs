//! Alerts of people, and the number up to which a person has read them.

use domain::{Alert, AlertsRead};

use crate::codec::record;

fn is_number(number: u64) -> Result<(), &'static str> {
    if number == 0 { Err("its number is 0") } else { Ok(()) }
}

record!(Alert, "alert", { 1: id, person_id, number, about, read_at } check |alert| is_number(alert.number));
record!(AlertsRead, "alerts read", { 1: until, at } check |read| is_number(read.until));

#[cfg(test)]
mod tests {
    use domain::{About, AlertKind, Timestamp};
    use uuid::Uuid;

    use super::super::testing::{check, check_damage, id_of};
    use super::*;

    fn alert() -> Alert {
        let at = Timestamp::from_millis(7);
        Alert {
            id: id_of([1; 16]),
            person_id: id_of([2; 16]),
            number: 3,
            about: About { kind: AlertKind::CallMissed, id: Uuid::from_bytes([4; 16]), at },
            read_at: Some(Timestamp::from_millis(8)),
        }
    }

    #[test]
    fn the_bytes_of_an_alert_never_change() {
        check(
            &alert(),
            "0101010101010101010101010101010101020202020202020202020202020202020308040404040404040404040404040404\
             040e0110",
        );
        check(
            &Alert { read_at: None, ..alert() },
            "0101010101010101010101010101010101020202020202020202020202020202020308040404040404040404040404040404\
             040e00",
        );
    }

    #[test]
    fn the_bytes_of_what_was_read_never_change() {
        check(&AlertsRead { until: 300, at: Timestamp::from_millis(9) }, "01fb2c0112");
    }

    #[test]
    fn what_is_no_alert_is_damage() {
        // The number and the kind of the alert.
        check_damage(&alert(), |bytes| bytes[33] = 0);
        check_damage(&alert(), |bytes| bytes[34] = 0x7f);
        check_damage(&AlertsRead { until: 3, at: Timestamp::from_millis(9) }, |bytes| bytes[1] = 0);
    }
}
