//! The validity of keys.

use domain::BusinessId;

use super::parts::{business_of, has_width, kind_of};
use super::{format_1, installation_kind};

/// Whether the key has a known kind and the length of that kind. The key of a piece is not well-formed.
pub fn is_well_formed(key: &[u8]) -> bool {
    let (Ok(business), Ok(kind)) = (business_of(key), kind_of(key)) else { return false };
    if business != BusinessId::INSTALLATION {
        return has_width(key, kind) || format_1::has_width(key, kind);
    }
    match kind {
        installation_kind::META
        | installation_kind::BUSINESS_INDEX
        | installation_kind::API_KEY
        | installation_kind::KEY_USED
        | installation_kind::CLOCK
        | installation_kind::UPGRADE
        | installation_kind::REPAIR
        | installation_kind::ROUND
        | installation_kind::ENDING
        | installation_kind::UNFINISHED
        | installation_kind::MOVING
        | installation_kind::PERSON
        | installation_kind::PERSON_BY_EMAIL => key.len() == 33,
        installation_kind::ENDPOINT_INDEX
        | installation_kind::PERSON_BY_TOKEN
        | installation_kind::MEMBER_OF => key.len() == 49,
        _ => has_width(key, kind),
    }
}
