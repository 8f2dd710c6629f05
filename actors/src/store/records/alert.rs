//! Alerts of people, and up to where they have read them.

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::{IdBytes, Numbered, bytes_of, id_of, instant, word};
use crate::domain::{About, Alert, AlertsRead};
use crate::store::StoreError;
use crate::store::codec::{Layout, record};

#[derive(Serialize, Deserialize)]
struct AlertRecordV1 {
    id: IdBytes,
    person_id: IdBytes,
    number: u64,
    kind: u8,
    about_id: IdBytes,
    at: i64,
    read_at: Option<i64>,
}

record!(Alert, "alert", 1 => AlertRecordV1);

impl Layout<Alert> for AlertRecordV1 {
    fn freeze(value: &Alert) -> Self {
        Self {
            id: bytes_of(value.id),
            person_id: bytes_of(value.person_id),
            number: value.number,
            kind: value.about.kind.number(),
            about_id: value.about.id.into_bytes(),
            at: value.about.at.millis(),
            read_at: value.read_at.map(|at| at.millis()),
        }
    }

    fn thaw(self, record: &'static str) -> Result<Alert, StoreError> {
        if self.number == 0 {
            return Err(StoreError::damaged(record, "its number is 0"));
        }
        let about = About {
            kind: word(record, self.kind)?,
            id: Uuid::from_bytes(self.about_id),
            at: instant(record, self.at)?,
        };
        Ok(Alert {
            id: id_of(self.id),
            person_id: id_of(self.person_id),
            number: self.number,
            about,
            read_at: self.read_at.map(|at| instant(record, at)).transpose()?,
        })
    }
}

#[derive(Serialize, Deserialize)]
struct AlertsReadRecordV1 {
    until: u64,
    at: i64,
}

record!(AlertsRead, "alerts read", 1 => AlertsReadRecordV1);

impl Layout<AlertsRead> for AlertsReadRecordV1 {
    fn freeze(value: &AlertsRead) -> Self {
        Self { until: value.until, at: value.at.millis() }
    }

    fn thaw(self, record: &'static str) -> Result<AlertsRead, StoreError> {
        if self.until == 0 {
            return Err(StoreError::damaged(record, "its number is 0"));
        }
        Ok(AlertsRead { until: self.until, at: instant(record, self.at)? })
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{check, check_damage};
    use super::*;
    use crate::domain::{AlertKind, Timestamp};

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
        // The number and the kind.
        check_damage(&alert(), |bytes| bytes[33] = 0);
        check_damage(&alert(), |bytes| bytes[34] = 0x7f);
        check_damage(&AlertsRead { until: 3, at: Timestamp::from_millis(9) }, |bytes| bytes[1] = 0);
    }
}
