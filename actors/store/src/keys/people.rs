//! People, which are rows of the installation, and memberships, which have rows in both places.

use domain::{BusinessId, PersonId, ResourceId};

use super::installation_kind;
use super::kind;
use super::parts::{digest, of_id, start};
use crate::{Key, KeyRange};

pub fn membership(business: BusinessId, person: PersonId) -> Key {
    of_id(business, kind::MEMBERSHIP, person)
}

pub fn member_of(person: PersonId, business: BusinessId) -> Key {
    of_id(BusinessId::INSTALLATION, installation_kind::MEMBER_OF, person).with(business.uuid().as_bytes())
}

pub fn memberships_of(person: PersonId) -> KeyRange {
    KeyRange::prefix(of_id(BusinessId::INSTALLATION, installation_kind::MEMBER_OF, person))
}

pub fn person(id: PersonId) -> Key {
    of_id(BusinessId::INSTALLATION, installation_kind::PERSON, id)
}

/// The person with this e-mail address in lower case. The key contains a hash, so the caller compares the record.
pub fn person_by_email(email: &str) -> Key {
    start(BusinessId::INSTALLATION, installation_kind::PERSON_BY_EMAIL).with(&digest(email))
}

/// The person of a session or a link, by the SHA-256 of its token.
pub fn person_by_token(hash: &[u8; 32]) -> Key {
    start(BusinessId::INSTALLATION, installation_kind::PERSON_BY_TOKEN).with(hash)
}

/// The lane of the committer for the changes of a person.
pub fn lane_of(person: PersonId) -> BusinessId {
    person.uuid().into()
}
