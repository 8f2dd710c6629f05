//! People, who stand with those of all businesses, and their memberships, which stand in both places.

use domain::{BusinessId, PersonId, ResourceId};

use super::installation_kind;
use super::kind;
use super::parts::{digest, of_id, start};
use crate::{Key, KeyRange};

/// A membership of the business.
pub fn membership(business: BusinessId, person: PersonId) -> Key {
    of_id(business, kind::MEMBERSHIP, person)
}

/// A membership in the list of the person's.
pub fn member_of(person: PersonId, business: BusinessId) -> Key {
    of_id(BusinessId::INSTALLATION, installation_kind::MEMBER_OF, person).with(business.uuid().as_bytes())
}

/// The list of the person's memberships.
pub fn memberships_of(person: PersonId) -> KeyRange {
    KeyRange::prefix(of_id(BusinessId::INSTALLATION, installation_kind::MEMBER_OF, person))
}

/// A person.
pub fn person(id: PersonId) -> Key {
    of_id(BusinessId::INSTALLATION, installation_kind::PERSON, id)
}

/// The person with this e-mail address, in lower case; the caller compares the record, since the key holds a hash.
pub fn person_by_email(email: &str) -> Key {
    start(BusinessId::INSTALLATION, installation_kind::PERSON_BY_EMAIL).with(&digest(email))
}

/// The person of a session or a link, by the SHA-256 of its token.
pub fn person_by_token(hash: &[u8; 32]) -> Key {
    start(BusinessId::INSTALLATION, installation_kind::PERSON_BY_TOKEN).with(hash)
}

/// In whose lane of the committer what concerns a person is written.
pub fn lane_of(person: PersonId) -> BusinessId {
    person.uuid().into()
}
