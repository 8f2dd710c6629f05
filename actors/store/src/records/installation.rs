//! The store's own record: format and secrets.

use domain::Timestamp;

use crate::StoreError;
use crate::codec::{Field, Fields, Record, encoded};

/// The format of the whole store: the layout of keys and the relations between rows. Opening converts a store with an
/// earlier format and refuses one with a later format.
pub const STORE_FORMAT: u16 = 6;

/// Replaces the format during a conversion. No version knows it, so no version uses a half-converted store.
pub const STORE_FORMAT_IN_UPGRADE: u16 = u16::MAX;

#[derive(Clone, PartialEq, Eq)]
pub struct MetaRecord {
    /// The format of the store. It must be checked first.
    pub format: u16,
    pub secret: [u8; 32],
    /// The secret for the tokens of mailed links. It equals `secret` unless the store was restored. A restored store
    /// gets a new one, so the original and the restored service do not accept each other's links.
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

/// Version 2 is written only when the secrets differ, which is after a restore. So an earlier version of the service
/// can still use a store that was not restored.
impl Record for MetaRecord {
    fn encode(&self) -> Vec<u8> {
        let differ = self.link_secret != self.secret;
        encoded(META, if differ { 2 } else { 1 }, |bytes| {
            self.format.write(bytes);
            self.secret.write(bytes);
            self.created_at.write(bytes);
            if differ {
                self.link_secret.write(bytes);
            }
        })
    }

    fn decode(bytes: &[u8]) -> Result<Self, StoreError> {
        let mut fields = Fields::of(META, &[1, 2], bytes)?;
        let format = Field::read(&mut fields)?;
        let secret = Field::read(&mut fields)?;
        let created_at = Field::read(&mut fields)?;
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
    use super::super::testing::{check, check_damage};
    use super::*;

    #[test]
    fn the_meta_record_has_these_bytes_and_hides_its_secret() {
        let created_at = Timestamp::from_millis(1_772_442_000_000);
        let secret = [0xa1; 32];
        let meta = MetaRecord { format: STORE_FORMAT, secret, link_secret: [0xa2; 32], created_at };
        let rest = "06a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1fd00358d5b39030000";
        check(&meta, &format!("02{rest}{}", "a2".repeat(32)));
        check_damage(&meta, |bytes| bytes.copy_within(2..34, 43));
        check(&MetaRecord { link_secret: secret, ..meta.clone() }, &format!("01{rest}"));
        assert!(!format!("{meta:?}").contains("161"), "{meta:?}");
    }
}
