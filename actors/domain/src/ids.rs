//! Identifiers: UUIDv7 (RFC 9562 §5.7), with one type per kind of record.
//!
//! Invariant: each id that an [`IdMint`] creates is greater than its previous id. A business uses one mint at a time,
//! so the order of its ids is the order of creation.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::Timestamp;

pub trait ResourceId: Copy + Eq + Ord + fmt::Display + From<Uuid> {
    fn uuid(self) -> Uuid;

    fn minted_at(self) -> Timestamp {
        Timestamp::from_millis(i64::try_from(self.uuid().as_u128() >> 80).unwrap_or(i64::MAX))
    }
}

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident),* $(,)?) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(Uuid);

        impl From<Uuid> for $name {
            fn from(uuid: Uuid) -> Self {
                Self(uuid)
            }
        }

        impl ResourceId for $name {
            fn uuid(self) -> Uuid {
                self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }

        impl FromStr for $name {
            type Err = uuid::Error;

            /// Parses the hyphenated form of a UUID in upper or lower case. Other forms are errors.
            fn from_str(text: &str) -> Result<Self, uuid::Error> {
                let uuid: uuid::fmt::Hyphenated = text.parse()?;
                Ok(Self(uuid.into_uuid()))
            }
        }
    )*};
}

#[macro_export]
macro_rules! each_id {
    ($macro:ident) => {
        $macro! {
            BusinessId,
            ServiceId,
            StaffId,
            AppointmentId,
            ContactId,
            CallId,
            MessageId,
            KnowledgeId,
            KeyId,
            /// The id of an event. Each delivery of the event has the same id.
            EventId,
            AuditId,
            WebhookId,
            BlockedTimeId,
            BackupId,
            /// The id of an erasure of a contact. Records that are older than the erasure have smaller ids.
            ErasureId,
            /// The id of a merge of two contacts. Records that are older than the merge have smaller ids.
            MergeId,
            PersonId,
            MembershipId,
            SessionId,
            MailId,
            AlertId,
            FeedId,
            CalendarId, ConversationId, GapId,
        }
    };
}

each_id!(ids);

/// Creates ids. Each id is greater than the one before, even if the clock goes back.
///
/// The 12 bits after the version count the ids of a millisecond (RFC 9562 §6.2, method 1). When the count is exhausted,
/// the next id uses the next millisecond.
#[derive(Clone, Debug, Default)]
pub struct IdMint {
    millis: u64,
    count: u16,
}

impl BusinessId {
    /// The id of the installation. Records without a business contain this id. It is the nil UUID, which no [`IdMint`]
    /// creates.
    pub const INSTALLATION: Self = Self(Uuid::nil());
}

impl IdMint {
    pub fn after(id: impl ResourceId) -> Self {
        let millis = id.uuid().as_u128() >> 80;
        // The first new id is one millisecond later than `id`. It is therefore greater than `id` for every count in
        // `id`.
        Self { millis: u64::try_from(millis).unwrap_or(u64::MAX).saturating_add(1), count: 0 }
    }

    pub fn next<I: ResourceId>(&mut self, now: Timestamp, random: [u8; 8]) -> I {
        let now = u64::try_from(now.millis()).unwrap_or(0);
        if now > self.millis {
            (self.millis, self.count) = (now, 0);
        } else if self.count < 0xfff {
            self.count += 1;
        } else {
            (self.millis, self.count) = (self.millis + 1, 0);
        }
        let [count_high, count_low] = self.count.to_be_bytes();
        let mut tail = [0; 10];
        (tail[0], tail[1]) = (count_high, count_low);
        tail[2..].copy_from_slice(&random);
        uuid::Builder::from_unix_timestamp_millis(self.millis, &tail).into_uuid().into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_grow_strictly_even_if_the_clock_stops_or_goes_back() {
        let mut mint = IdMint::default();
        let mut last: AppointmentId = mint.next(Timestamp::from_millis(1_000), [0xff; 8]);
        for step in 0..10_000 {
            let now = if step % 2 == 0 { 1_000 } else { 500 };
            let next = mint.next(Timestamp::from_millis(now), [0; 8]);
            assert!(next > last, "{next} does not follow {last}");
            last = next;
        }
        assert_eq!(last.uuid().get_version_num(), 7);
        assert_eq!(last.uuid().get_variant(), uuid::Variant::RFC4122);
    }

    #[test]
    fn only_the_hyphenated_form_is_an_id() {
        let id = "0190b6a4-3c8e-7d3a-9f00-1234567890ab";
        assert_eq!(id.parse::<ContactId>().unwrap().to_string(), id);
        assert_eq!(id.to_uppercase().parse::<ContactId>().unwrap().to_string(), id);
        for bad in ["", "x", &id.replace('-', ""), &format!("{{{id}}}"), &format!("urn:uuid:{id}"), &id[1..]]
        {
            assert!(bad.parse::<ContactId>().is_err(), "{bad}");
        }
    }
}
