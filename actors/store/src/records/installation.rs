//! What the store says of itself.

use domain::Timestamp;

use crate::StoreError;
use crate::codec::{Field, Fields, Record, encoded};

/// The format of the whole store: the layout of the keys and what belongs together. A store of an earlier one is
/// converted when it is opened, one of a later one refused.
pub const STORE_FORMAT: u16 = 6;

/// What stands in the place of the format while a store is being converted: no version knows it, so none takes what is
/// half of one format and half of another for whole.
pub const STORE_FORMAT_IN_UPGRADE: u16 = u16::MAX;

/// What the store says of itself, written when it is created.
#[derive(Clone, PartialEq, Eq)]
pub struct MetaRecord {
    /// The format of the store, which whoever opens it has to look at first.
    pub format: u16,
    /// The secret from which the service derives its own keys.
    pub secret: [u8; 32],
    /// The secret from which the tokens of mailed links are derived: the same, unless the store was restored. A restored
    /// store has another one than the store of which the backup was made, so neither service can make a link that lets
    /// people in at the other.
    pub link_secret: [u8; 32],
    /// When the store was created.
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

/// The name of the record, in errors.
const META: &str = "meta";

/// Version 2 is written only where the secrets differ, which is after a restore. So an earlier version of the service can
/// still be put back on a store that was not restored.
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
