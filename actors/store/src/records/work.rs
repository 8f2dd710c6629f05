//! Erasures and their progress, stored responses, and records about the whole store.

use domain::{
    Alias, AppointmentId, BusinessId, CallId, ContactId, ErasureId, MergeId, MessageId, ResourceId,
    SlugOwner, SteadyTime, Timestamp,
};
use uuid::Uuid;

use crate::codec::{Field, Fields, Record, encoded, fields, record};
use crate::kept::FORMAT_OF_KINDS;
use crate::{KEY_BYTES_MAX, StoreError};

/// The erasure of a contact. Digests of the contact's phone number and email address identify its data in
/// other records.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ErasureRecord {
    /// The id of the erasure. It is greater than the id of every earlier erasure.
    pub id: ErasureId,
    pub phone: Option<[u8; 16]>,
    pub email: Option<[u8; 16]>,
    /// This field is set only for a contact that was merged into another contact. It contains the id of the merge, and
    /// the digests of the phone numbers and email addresses that the merge removed.
    pub former: Option<(MergeId, Vec<[u8; 16]>)>,
}

record!(ErasureRecord, "erasure", { 1: id, phone; 2: email = None; 3: former = None; });

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ErasingRecord {
    pub newest: ErasureId,
    /// The current stage of the erasure. Each stage searches one kind of rows.
    pub stage: u8,
    /// The key of the row that was searched last. It is empty at the start of a stage.
    pub at: Vec<u8>,
}

record!(ErasingRecord, "erasing", { 1: newest, stage, at } check |it| {
    (it.at.len() <= KEY_BYTES_MAX) => "its key is too long"
});

/// The manage links of an appointment, oldest first, and the number of times that customers have moved the appointment
/// through a link.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LinksRecord {
    /// The SHA-256 of each token.
    pub hashes: Vec<[u8; 32]>,
    pub moves: u8,
}

record!(LinksRecord, "links", { 1: hashes, moves });

/// A manage link. A customer who has its token can see, move and cancel the appointment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinkRecord {
    pub appointment_id: AppointmentId,
    /// The email address to which the link was sent, in lower case. It is `None` if the link was shown on a page.
    pub to: Option<String>,
}

record!(LinkRecord, "link", { 1: appointment_id, to });

record!(Alias, "alias", { 1: from, into, id, former, is_moving });

record!(SlugOwner, "slug", { 1: business_id, reserved_until });

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WipeRecord {
    /// The time of the steady clock until which the event may still be sent.
    pub until: SteadyTime,
}

record!(WipeRecord, "wipe", { 1: until });

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IdempotencyRecord {
    /// The hash of the request. A different request with the same idempotency key is refused.
    pub fingerprint: [u8; 32],
    pub status: u16,
    /// The body of the response. It is empty if the response has no body or its body is not stored.
    pub body: Vec<u8>,
    /// This field is set if the body was deleted because it contained data of an erased contact. It contains the
    /// resource to render in place of the body.
    pub shows: Option<ShownAnew>,
    /// The time of the response by the steady clock. A record of version 1 contains the time of the wall clock instead.
    /// It is decoded as if it were a time of the steady clock.
    pub answered: SteadyTime,
}

/// A resource whose current state is rendered instead of a stored response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShownAnew {
    Contact(ContactId),
    Appointment(AppointmentId),
    Call(CallId),
    Message(MessageId),
}

record!(IdempotencyRecord, "idempotency", { 1: fingerprint, status, body, answered; 2: ; 3: shows = None });

impl Field for ShownAnew {
    fn write(&self, to: &mut Vec<u8>) {
        let (kind, id): (u8, _) = match self {
            Self::Contact(id) => (1, id.uuid()),
            Self::Appointment(id) => (2, id.uuid()),
            Self::Call(id) => (3, id.uuid()),
            Self::Message(id) => (4, id.uuid()),
        };
        (kind, id).write(to);
    }

    fn read(from: &mut Fields<'_>) -> Result<Self, StoreError> {
        match <(u8, Uuid)>::read(from)? {
            (1, id) => Ok(Self::Contact(id.into())),
            (2, id) => Ok(Self::Appointment(id.into())),
            (3, id) => Ok(Self::Call(id.into())),
            (4, id) => Ok(Self::Message(id.into())),
            (kind, _) => Err(from.damaged(format!("it shows a resource of the unknown kind {kind}"))),
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClockRecord {
    pub steady: SteadyTime,
    pub wall: Timestamp,
    /// The newest timestamp in the store, or [`Timestamp::MIN`] if the store contains none.
    pub newest: Timestamp,
    /// The boot of the machine during which the record was written. It is `None` if the machine has no boot ids.
    pub boot: Option<Boot>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Boot {
    pub id: Uuid,
    /// The time since the boot in milliseconds. It includes the time during which the machine was suspended.
    pub passed: i64,
}

record!(ClockRecord, "clock", { 1: steady, wall, newest; 2: boot = None } check |it| {
    it.boot.is_none_or(|boot| boot.passed >= 0) => "the time since the boot is negative"
});

fields! { Boot { id, passed } }

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RoundRecord {
    pub began: SteadyTime,
    pub after: Option<BusinessId>,
    pub is_through: bool,
}

record!(RoundRecord, "round", { 1: began, after, is_through });

/// The newest format that changed how records of an existing kind are stored. Since this format, each unhandled call
/// has an additional row in an index.
const FORMAT_OF_LAYOUTS: u16 = 12;

/// The current format of stores. Opening a store converts an earlier format and refuses a later one.
pub const STORE_FORMAT: u16 =
    if FORMAT_OF_KINDS > FORMAT_OF_LAYOUTS { FORMAT_OF_KINDS } else { FORMAT_OF_LAYOUTS };

/// The format that is stored during a conversion. No version opens a store with this format, so a half-converted store
/// is never used.
pub const STORE_FORMAT_IN_UPGRADE: u16 = u16::MAX;

#[derive(Clone, PartialEq, Eq)]
pub struct MetaRecord {
    /// The format of the store. It must be checked before other rows are read.
    pub format: u16,
    pub secret: [u8; 32],
    /// The secret for the tokens of mailed links. A restored store gets a new secret. So the links that it sends are
    /// invalid in other copies of the store.
    pub link_secret: [u8; 32],
    pub created_at: Timestamp,
}

impl std::fmt::Debug for MetaRecord {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("MetaRecord")
            .field("format", &self.format)
            .field("created_at", &self.created_at)
            .finish_non_exhaustive()
    }
}

const META: &str = "meta";

/// In a new store, `link_secret` equals `secret`, and the record is written as version 1, without `link_secret`.
/// Earlier releases can read version 1. A restore replaces `link_secret`, and from then on the record is written as
/// version 2.
impl Record for MetaRecord {
    fn encode(&self) -> Vec<u8> {
        let differ = self.link_secret != self.secret;
        encoded(META, if differ { 2 } else { 1 }, |bytes| {
            (self.format, (self.secret, self.created_at)).write(bytes);
            if differ {
                self.link_secret.write(bytes);
            }
        })
    }

    fn decode(bytes: &[u8]) -> Result<Self, StoreError> {
        let mut fields = Fields::of(META, &[1, 2], bytes)?;
        let (format, (secret, created_at)) = Field::read(&mut fields)?;
        let mut link_secret = secret;
        if fields.has(2) {
            link_secret = Field::read(&mut fields)?;
            if link_secret == secret {
                return Err(fields.damaged("the secrets are the same"));
            }
        }
        fields.end()?;
        Ok(Self { format, secret, link_secret, created_at })
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{check, check_damage, check_old, id_of};
    use super::*;

    #[test]
    fn an_erasure_has_these_bytes() {
        let erasure = ErasureRecord { id: id_of([0xa1; 16]), phone: None, email: None, former: None };
        check(&erasure, "03a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1000000");
        check_old(&erasure, "02a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a10000");
        check_old(&erasure, "01a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a100");
        let of_a_phone = ErasureRecord { phone: Some([0xa2; 16]), email: Some([0xa3; 16]), ..erasure };
        let bytes = "a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a101a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2\
                     01a3a3a3a3a3a3a3a3a3a3a3a3a3a3a3a3";
        check(&of_a_phone, &format!("03{bytes}00"));
        check_old(&of_a_phone, &format!("02{bytes}"));
        let merged = ErasureRecord { former: Some((id_of([0xa4; 16]), vec![[0xa5; 16]])), ..of_a_phone };
        check(&merged, &format!("03{bytes}01{}01{}", "a4".repeat(16), "a5".repeat(16)));
        check_damage(&merged, |bytes| bytes[51] = 2);
    }

    #[test]
    fn a_merged_contact_has_these_bytes() {
        let alias = Alias {
            from: id_of([0xa1; 16]),
            into: id_of([0xa2; 16]),
            id: id_of([0xa3; 16]),
            former: vec![[0xa4; 16]],
            is_moving: true,
        };
        let [from, into, id, former] = ["a1", "a2", "a3", "a4"].map(|byte| byte.repeat(16));
        check(&alias, &format!("01{from}{into}{id}01{former}01"));
        check(
            &Alias { former: vec![], is_moving: false, ..alias.clone() },
            &format!("01{from}{into}{id}0000"),
        );
        check_damage(&alias, |bytes| *bytes.last_mut().unwrap() = 2);
    }

    #[test]
    fn the_progress_of_an_erasure_has_these_bytes() {
        let erasing = ErasingRecord { newest: id_of([0xa1; 16]), stage: 3, at: vec![1, 2] };
        check(&erasing, "01a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a103020102");
        let mut long = ErasingRecord { at: vec![0; 64], ..erasing };
        check_damage(&long, |_| {});
        long.at.pop();
        check_damage(&long, |bytes| bytes[18] = 62);
    }

    #[test]
    fn an_event_to_be_wiped_has_these_bytes() {
        let wipe = WipeRecord { until: SteadyTime::from_millis(1_772_442_000_000) };
        check(&wipe, "01fd00358d5b39030000");
        check_damage(&wipe, |bytes| *bytes.last_mut().unwrap() = 0x7f);
    }

    fn record() -> IdempotencyRecord {
        IdempotencyRecord {
            fingerprint: [0xa1; 32],
            status: 201,
            body: b"{}".to_vec(),
            shows: None,
            answered: SteadyTime::from_millis(1_772_442_000_000),
        }
    }

    #[test]
    fn an_idempotency_record_has_these_bytes() {
        check(
            &record(),
            "03a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1\
             a1c9027b7dfd00358d5b3903000000",
        );
        check_damage(&record(), |bytes| *bytes.last_mut().unwrap() = 0x7f);
        let anew = ShownAnew::Call(id_of([0xa2; 16]));
        let erased = IdempotencyRecord { body: Vec::new(), shows: Some(anew), ..record() };
        check(
            &erased,
            "03a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1\
             a1c900fd00358d5b390300000103a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2",
        );
        check_damage(&erased, |bytes| bytes[45] = 9);
    }

    #[test]
    fn a_record_of_the_second_version_is_read() {
        check_old(
            &record(),
            "02a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1\
             a1c9027b7dfd00358d5b39030000",
        );
    }

    #[test]
    fn the_stamp_of_a_first_version_record_is_read_as_steady_time() {
        check_old(
            &record(),
            "01a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1\
             a1c9027b7dfd00358d5b39030000",
        );
    }

    #[test]
    fn a_clock_record_has_these_bytes() {
        let record = ClockRecord {
            steady: SteadyTime::from_millis(1_772_442_000_000),
            wall: Timestamp::from_millis(-1),
            newest: Timestamp::from_millis(300),
            boot: None,
        };
        check(&record, "02 fd00358d5b39030000 01 fb5802 00");
        check_old(&record, "01 fd00358d5b39030000 01 fb5802");
        check_damage(&record, |bytes| bytes[9] = 0x7f);
        let boot = Some(Boot { id: Uuid::from_bytes([0xb0; 16]), passed: 5_000 });
        let booted = ClockRecord { boot, ..record };
        check(&booted, &format!("02 fd00358d5b39030000 01 fb5802 01 {} fb1027", "b0".repeat(16)));
        // The test changes the low byte of the time since the boot to an odd number, which encodes a negative time.
        check_damage(&booted, |bytes| bytes[32] = 0x11);
    }

    #[test]
    fn a_round_record_has_these_bytes() {
        let began = SteadyTime::from_millis(1_772_442_000_000);
        let begun = RoundRecord { began, after: None, is_through: false };
        check(&begun, "01fd00358d5b39030000 00 00");
        let after = Some(BusinessId::from(Uuid::from_bytes([0xb5; 16])));
        let ended = RoundRecord { began, after, is_through: true };
        check(&ended, &format!("01fd00358d5b39030000 01 {} 01", "b5".repeat(16)));
        check_damage(&ended, |bytes| bytes[9] = 0x7f);
    }

    #[test]
    fn the_meta_record_has_these_bytes_and_hides_its_secret() {
        let created_at = Timestamp::from_millis(1_772_442_000_000);
        let secret = [0xa1; 32];
        let meta = MetaRecord { format: 13, secret, link_secret: [0xa2; 32], created_at };
        let rest = "0da1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1fd00358d5b39030000";
        check(&meta, &format!("02{rest}{}", "a2".repeat(32)));
        check_damage(&meta, |bytes| bytes.copy_within(2..34, 43));
        check(&MetaRecord { link_secret: secret, ..meta.clone() }, &format!("01{rest}"));
        assert!(!format!("{meta:?}").contains("161"), "{meta:?}");
    }

    #[test]
    fn manage_links_have_these_bytes() {
        let links = LinksRecord { hashes: vec![[0xa1; 32], [0xa2; 32]], moves: 5 };
        check(&links, &format!("0102{}{}05", "a1".repeat(32), "a2".repeat(32)));
        check_damage(&links, |bytes| bytes[1] = 3);
        let shown = LinkRecord { appointment_id: id_of([0xa1; 16]), to: None };
        check(&shown, &format!("01{}00", "a1".repeat(16)));
        let sent = LinkRecord { to: Some("a@b.example".into()), ..shown };
        check(&sent, &format!("01{}010b6140622e6578616d706c65", "a1".repeat(16)));
        check_damage(&sent, |bytes| bytes[17] = 2);
    }

    #[test]
    fn the_owner_of_a_slug_has_these_bytes() {
        let owner = SlugOwner { business_id: id_of([0xb5; 16]), reserved_until: None };
        check(&owner, &format!("01{}00", "b5".repeat(16)));
        let former = SlugOwner { reserved_until: Some(Timestamp::from_millis(300)), ..owner };
        check(&former, &format!("01{}01fb5802", "b5".repeat(16)));
        check_damage(&former, |bytes| bytes[17] = 2);
    }
}
