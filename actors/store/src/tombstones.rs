//! The list of revocations, erasures, deletions and consents, in a file next to the store. It contains only ids and
//! keyed hashes. A backup may contain data that was revoked or erased after the backup. Therefore a restore repeats the
//! listed changes.
//!
//! ```text
//! revoked-key 01a1fa8e-171f-7000-a08c-375224145f30
//! revoked-feed 01a1fa8e-1c2e-7000-9d11-8a5b63c0e7f4
//! erased-contact 01a1fa8e-16f0-7000-8d3c-04b8fdd35a0c 01a1fa8e-17a2-7000-9a0e-5b7be7bb4a51
//! removed-person 01a1fa8e-16f0-7000-8d3c-04b8fdd35a0c 01a1fa8e-18c1-7000-8f6b-0a4de8b0c1f2 01a1fb01-12ab-0000-0000-000000000000
//! ended-business 01a1fa8e-16f0-7000-8d3c-04b8fdd35a0c
//! imported-business 01a1fa8e-16f0-7000-8d3c-04b8fdd35a0c 01a1fb02-77aa-7000-8e21-5d0c6ab14f90
//! consent-no_reminders 01a1fa8e-16f0-7000-8d3c-04b8fdd35a0c 5d0c6ab1-4f90-4f6b-a08c-375224145f30 0a4de8b0-c1f2-4e21-9a0e-5b7be7bb4a51
//! ```
//!
//! The last two fields of a consent are a keyed hash of the address or the phone number. If an address or a number has
//! several lines, the last one applies.
//!
//! A removed person may be invited again. So only the person's invitations up to a certain time are revoked. The last
//! field contains this time. It has the form of an id, and the first part of an id is a time. In older lists, the last
//! field is an id that was created at the time of the removal.
//!
//! `imported-business` cancels an earlier `ended-business`. It contains the id of the first audit entry after the
//! import. API keys and feeds of the business stay revoked if their ids are smaller than this id.
//!
//! Invariants: a line is durable before the change that it records. After a crash, a line may exist without
//! the change. Lines are only appended, and their order matters.
//!
//! The first line of a copy ([`super::copy_tombstones`]) contains the SHA-256 of all other lines.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;

use domain::{
    AuditId, BusinessId, ContactId, EmailConsent, FeedId, KeyId, PersonId, ResourceId, TextConsent, Timestamp,
};
use sha2::{Digest, Sha256};
use uuid::Uuid;

use super::StoreError;
use super::files::found;
use super::records::ConsentRecord;

/// The name of the list in the data directory, and of its copy in a backup directory.
pub const TOMBSTONES_FILE: &str = "tombstones";
const CONSENT: &str = "consent-";
const DIGEST: &str = "sha256 ";

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Tombstone {
    RevokedKey(KeyId),
    RevokedFeed(FeedId),
    ErasedContact(BusinessId, ContactId),
    /// A person who was removed from a business or has declined an invitation. Invitations up to this instant are
    /// revoked.
    RemovedPerson(BusinessId, PersonId, Timestamp),
    EndedBusiness(BusinessId),
    /// A business that was imported, and the first entry of its audit log.
    ImportedBusiness(BusinessId, AuditId),
    /// The consent for an email address or a phone number. The bytes are a keyed hash of the address or number.
    Consent(BusinessId, [u8; 32], ConsentRecord),
}

impl std::fmt::Display for Tombstone {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::RevokedKey(id) => write!(f, "revoked-key {id}"),
            Self::RevokedFeed(id) => write!(f, "revoked-feed {id}"),
            Self::ErasedContact(of, id) => write!(f, "erased-contact {of} {id}"),
            Self::RemovedPerson(of, id, offered) => {
                write!(f, "removed-person {of} {id} {}", as_id_begins(*offered))
            }
            Self::EndedBusiness(id) => write!(f, "ended-business {id}"),
            Self::ImportedBusiness(id, entry) => write!(f, "imported-business {id} {entry}"),
            Self::Consent(of, hash, consent) => {
                let [first, second] = [0, 16].map(|from| {
                    Uuid::from_u128(
                        hash[from..from + 16].iter().fold(0, |all, byte| all << 8 | u128::from(*byte)),
                    )
                });
                let email = consent.email.map(EmailConsent::as_str);
                let word = email.or(consent.texts.map(TextConsent::as_str)).unwrap_or_default();
                write!(f, "{CONSENT}{word} {of} {first} {second}")
            }
        }
    }
}

fn as_id_begins(at: Timestamp) -> Uuid {
    Uuid::from_u128(u128::try_from(at.millis()).unwrap_or(0) << 80)
}

fn begins_with(id: Uuid) -> Timestamp {
    Timestamp::from_millis((id.as_u128() >> 80) as i64)
}

fn parse(line: &str) -> Option<Tombstone> {
    let (kind, ids) = line.split_once(' ')?;
    let ids: Vec<Uuid> = ids.split(' ').map(|id| id.parse().ok()).collect::<Option<_>>()?;
    match (kind, &ids[..]) {
        ("revoked-key", [id]) => Some(Tombstone::RevokedKey((*id).into())),
        ("revoked-feed", [id]) => Some(Tombstone::RevokedFeed((*id).into())),
        ("erased-contact", [of, id]) => Some(Tombstone::ErasedContact((*of).into(), (*id).into())),
        ("removed-person", [of, id, offered]) => {
            Some(Tombstone::RemovedPerson((*of).into(), (*id).into(), begins_with(*offered)))
        }
        ("ended-business", [id]) => Some(Tombstone::EndedBusiness((*id).into())),
        ("imported-business", [id, entry]) => {
            Some(Tombstone::ImportedBusiness((*id).into(), (*entry).into()))
        }
        (kind, [of, first, second]) => {
            let word = kind.strip_prefix(CONSENT)?;
            let consent =
                ConsentRecord { email: EmailConsent::from_word(word), texts: TextConsent::from_word(word) };
            let hash = [first.as_bytes().as_slice(), second.as_bytes()].concat().try_into().ok()?;
            let is_known = consent.email.is_some() || consent.texts.is_some();
            is_known.then_some(Tombstone::Consent((*of).into(), hash, consent))
        }
        _ => None,
    }
}

pub(super) struct List(File);

impl List {
    /// Opens the list, or creates it. Removes an incomplete last line: the change that it records was never made.
    pub(super) fn open(dir: &Path) -> Result<Self, StoreError> {
        let path = dir.join(TOMBSTONES_FILE);
        let opened = || {
            let text = found(fs::read(&path))?.unwrap_or_default();
            let file = OpenOptions::new().create(true).append(true).open(&path)?;
            file.set_len(whole_lines(&text).len() as u64)?;
            Ok(Self(file))
        };
        opened().map_err(StoreError::preparing("opening", &path))
    }

    pub(super) fn add(&mut self, tombstones: &[Tombstone]) -> io::Result<()> {
        let lines: String = tombstones.iter().map(|tombstone| format!("{tombstone}\n")).collect();
        self.0.write_all(lines.as_bytes())?;
        self.0.sync_data()
    }
}

fn whole_lines(text: &[u8]) -> &[u8] {
    let end = text.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
    &text[..end]
}

#[derive(Debug, Default, PartialEq, Eq)]
pub struct TakenBack {
    /// The ids of revoked API keys and feeds.
    pub revoked: HashSet<Uuid>,
    pub businesses: BTreeMap<BusinessId, OfBusiness>,
}

#[derive(Debug, Default, PartialEq, Eq)]
pub struct OfBusiness {
    pub erased: BTreeSet<ContactId>,
    /// The people who were removed from the business, each with a time. The person's membership is kept only if it was
    /// offered after this time.
    pub removed: BTreeMap<PersonId, Timestamp>,
    pub ended: bool,
    /// The id of the first audit entry after the newest import. An id begins with the time of its creation. So API keys
    /// and feeds with smaller ids were created before the import. They stay revoked.
    pub imported: Option<AuditId>,
    /// The newest consents, by the keyed hash of the address or the phone number.
    pub consents: BTreeMap<[u8; 32], ConsentRecord>,
}

impl TakenBack {
    pub fn by(lines: &[Tombstone]) -> Self {
        let mut taken_back = Self::default();
        let businesses = &mut taken_back.businesses;
        for line in lines {
            match *line {
                Tombstone::RevokedKey(id) => _ = taken_back.revoked.insert(id.uuid()),
                Tombstone::RevokedFeed(id) => _ = taken_back.revoked.insert(id.uuid()),
                // An import does not cancel this line: an erased contact stays erased.
                Tombstone::ErasedContact(of, id) => _ = businesses.entry(of).or_default().erased.insert(id),
                // The latest instant of a person's lines applies. It need not be in the last line, because a restore of
                // an older backup may append lines with earlier instants.
                Tombstone::RemovedPerson(of, id, offered) => {
                    let until = businesses.entry(of).or_default().removed.entry(id).or_insert(offered);
                    *until = (*until).max(offered);
                }
                Tombstone::Consent(of, hash, consent) => {
                    _ = businesses.entry(of).or_default().consents.insert(hash, consent);
                }
                Tombstone::EndedBusiness(of) => businesses.entry(of).or_default().ended = true,
                Tombstone::ImportedBusiness(of, entry) => {
                    let of = businesses.entry(of).or_default();
                    (of.ended, of.imported) = (false, Some(entry));
                }
            }
        }
        taken_back
    }

    /// Whether an API key or a feed of a business is revoked.
    pub fn has_revoked(&self, id: impl ResourceId, of: BusinessId) -> bool {
        let imported = self.businesses.get(&of).and_then(|of| of.imported);
        self.revoked.contains(&id.uuid()) || imported.is_some_and(|entry| id.uuid() < entry.uuid())
    }
}

/// Reads a list of tombstones, or a copy of one.
///
/// # Errors
/// Returns an error if the file cannot be read, its digest is wrong, or the format of a line is unknown.
pub fn read_tombstones(path: &Path) -> Result<Vec<Tombstone>, StoreError> {
    let in_dir = path.is_dir().then(|| path.join(TOMBSTONES_FILE));
    let path = in_dir.as_deref().unwrap_or(path);
    let prepare = StoreError::preparing("reading", path);
    let text = fs::read(path).map_err(&prepare)?;
    let text = std::str::from_utf8(whole_lines(&text)).map_err(|error| prepare(io::Error::other(error)))?;
    let (first, lines) = match text.strip_prefix(DIGEST).and_then(|text| text.split_once('\n')) {
        None => (1, text),
        Some((digest, lines)) if digest == sha256(lines) => (2, lines),
        Some(_) => return Err(StoreError::TombstonesDamaged(path.to_owned())),
    };
    let unknown = |line| StoreError::Tombstone { path: path.to_owned(), line };
    (first..).zip(lines.lines()).map(|(number, line)| parse(line).ok_or_else(|| unknown(number))).collect()
}

pub(super) fn copy_of(lines: &[Tombstone]) -> String {
    let lines: String = lines.iter().map(|line| format!("{line}\n")).collect();
    format!("{DIGEST}{}\n{lines}", sha256(&lines))
}

fn sha256(text: &str) -> String {
    Sha256::digest(text).iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(number: u128) -> Tombstone {
        Tombstone::RevokedKey(Uuid::from_u128(number).into())
    }

    #[test]
    fn added_lines_are_read_without_an_incomplete_last_line() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(TOMBSTONES_FILE);
        List::open(dir.path()).unwrap().add(&[key(1), key(2)]).unwrap();
        let mut text = fs::read(&path).unwrap();
        text.extend_from_slice(b"revoked-key 0000");
        fs::write(&path, &text).unwrap();
        assert_eq!(read_tombstones(&path).unwrap(), [key(1), key(2)]);
        assert_eq!(read_tombstones(dir.path()).unwrap(), read_tombstones(&path).unwrap());
        List::open(dir.path()).unwrap().add(&[key(3)]).unwrap();
        assert_eq!(read_tombstones(&path).unwrap(), [key(1), key(2), key(3)]);
        assert_eq!(fs::read_to_string(&path).unwrap().lines().count(), 3);
    }

    #[test]
    fn the_error_for_a_directory_without_a_list_names_the_list() {
        let dir = tempfile::tempdir().unwrap();
        let read = read_tombstones(dir.path());
        let lacks = dir.path().join(TOMBSTONES_FILE);
        assert!(matches!(&read, Err(StoreError::Prepare { path, .. }) if *path == lacks), "{read:?}");
    }

    #[test]
    fn every_kind_is_read_as_it_was_written() {
        let dir = tempfile::tempdir().unwrap();
        let id = Uuid::from_u128;
        let all = [
            key(1),
            Tombstone::RevokedFeed(id(6).into()),
            Tombstone::ErasedContact(id(2).into(), id(3).into()),
            Tombstone::RemovedPerson(id(2).into(), id(5).into(), Timestamp::from_millis(1_795_000_000_123)),
            Tombstone::EndedBusiness(id(2).into()),
            Tombstone::ImportedBusiness(id(2).into(), id(4).into()),
            Tombstone::Consent(
                id(2).into(),
                std::array::from_fn(|at| at as u8),
                ConsentRecord { email: Some(EmailConsent::NoReminders), texts: None },
            ),
            Tombstone::Consent(
                id(2).into(),
                [0xff; 32],
                ConsentRecord { email: None, texts: Some(TextConsent::Refused) },
            ),
        ];
        List::open(dir.path()).unwrap().add(&all).unwrap();
        assert_eq!(read_tombstones(&dir.path().join(TOMBSTONES_FILE)).unwrap(), all);
    }

    #[test]
    fn an_import_cancels_an_earlier_deletion_but_no_erasure() {
        let id = Uuid::from_u128;
        let (of, person, entry) = (BusinessId::from(id(2)), ContactId::from(id(3)), AuditId::from(id(10)));
        let ended = Tombstone::EndedBusiness(of);
        let imported = Tombstone::ImportedBusiness(of, entry);
        let lines = [Tombstone::ErasedContact(of, person), ended, imported];
        let by = TakenBack::by(&lines);
        let erased = BTreeSet::from([person]);
        let expected = OfBusiness { erased, imported: Some(entry), ..OfBusiness::default() };
        assert_eq!(by.businesses, BTreeMap::from([(of, expected)]));
        let (earlier, later) = (KeyId::from(id(9)), FeedId::from(id(11)));
        assert!(by.has_revoked(earlier, of) && !by.has_revoked(later, of));
        assert!(!by.has_revoked(earlier, id(4).into()));
        // The order matters: if a business was imported and then deleted again, it counts as deleted.
        assert!(TakenBack::by(&[ended, imported, ended]).businesses[&of].ended);
        assert!(TakenBack::by(&[imported, ended]).businesses[&of].ended);
    }

    #[test]
    fn offers_up_to_the_latest_removal_are_revoked_in_any_order_of_lines() {
        let id = Uuid::from_u128;
        let (of, person) = (BusinessId::from(id(2)), PersonId::from(id(5)));
        let lost = |millis| Tombstone::RemovedPerson(of, person, Timestamp::from_millis(millis));
        for lines in [[lost(10), lost(20)], [lost(20), lost(10)]] {
            let removed = BTreeMap::from([(person, Timestamp::from_millis(20))]);
            assert_eq!(TakenBack::by(&lines).businesses[&of].removed, removed);
        }
    }

    /// In earlier versions, the last field of a `removed-person` line was an id. This id was created when the person
    /// was removed, so the time in the id is the time of the removal. All invitations before this time are revoked.
    #[test]
    fn an_id_instead_of_an_offer_means_the_time_in_the_id() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(TOMBSTONES_FILE);
        let [of, person] = [2, 5].map(Uuid::from_u128);
        let made = Uuid::from_u128(1_795_000_000_123 << 80 | 0x7abc << 64 | 0x8000_1234_5678_9abc);
        fs::write(&path, format!("removed-person {of} {person} {made}\n")).unwrap();
        let at = Timestamp::from_millis(1_795_000_000_123);
        let expected = Tombstone::RemovedPerson(of.into(), person.into(), at);
        assert_eq!(read_tombstones(&path).unwrap(), [expected]);
        assert_eq!(parse(&expected.to_string()), Some(expected));
    }

    #[test]
    fn the_error_for_an_unknown_line_contains_its_number() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(TOMBSTONES_FILE);
        for (bad, at) in [
            ("x\n", 1),
            ("revoked-key 1\n", 1),
            ("burnt-bridge 00000000-0000-0000-0000-000000000001\n", 1),
            ("revoked-feed 1\n", 1),
            ("erased-contact 00000000-0000-0000-0000-000000000001\n", 1),
            ("removed-person 00000000-0000-0000-0000-000000000001\n", 1),
            ("imported-business 00000000-0000-0000-0000-000000000001\n", 1),
        ] {
            fs::write(&path, bad).unwrap();
            let read = read_tombstones(&path);
            assert!(matches!(&read, Err(StoreError::Tombstone { line, .. }) if *line == at), "{read:?}");
        }
        fs::write(&path, format!("{}\n\n", key(1))).unwrap();
        assert!(matches!(read_tombstones(&path), Err(StoreError::Tombstone { line: 2, .. })));
    }
}
