//! Restores a backup into a new store.
//!
//! *Tombstones* list revoked keys and feeds, erased contacts, removed people and ended businesses. Invariant: the
//! directory becomes a valid store only in the last step. Before that, the restore applies the tombstones and adds them
//! to the list of tombstones in the new store. If no tombstones are given, the restore revokes every API key and feed,
//! and ends all manage links (with which customers change their appointments).

use std::path::Path;

use net::Ports;
use store::{Filling, StoreError, TakenBack, read_tombstones};

use super::read::{Backup, BackupError};
use super::reapply::{Reapplied, Reapplying, end_all_sessions, end_manage_links};
use super::write::Manifest;
use crate::counting::{Differences, Tally};
use crate::error::EngineError;
use crate::meta::renew_link_secret;
use crate::upgrade::{Upgrades, upgrade};

#[derive(Debug, thiserror::Error)]
pub enum RestoreError {
    #[error(transparent)]
    Backup(#[from] BackupError),
    #[error(
        "the backup is incomplete: {0}; restore an earlier, complete backup, or add --accept-incomplete to restore this \
         one without these rows"
    )]
    Incomplete(Differences),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("the revocations and erasures since the backup cannot be applied: {0}")]
    TakeBack(#[from] EngineError),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Restored {
    pub manifest: Manifest,
    pub revoked: usize,
    pub feeds_revoked: usize,
    /// The number of contacts whose erasure has begun. The service completes these erasures after it starts.
    pub erased: usize,
    /// The number of ended businesses. The service deletes their rows after it starts.
    pub ended: usize,
    pub removed: usize,
    /// The number of contacts that have a tombstone but were not erased again, because the profile of their business
    /// cannot be decoded.
    pub kept: usize,
    pub valid: usize,
    pub incomplete: Differences,
}

/// Restores a backup into a missing or empty directory. Without a `list` of tombstones, the restore revokes every API
/// key and feed, and ends every manage link. The restore also counts the rows of each business, because earlier
/// versions of the service did not count them when they made a backup. After an error the directory is not a valid
/// store.
pub async fn restore(
    from: &Path,
    to: &Path,
    list: Option<&Path>,
    accept_incomplete: bool,
    ports: &Ports,
) -> Result<Restored, RestoreError> {
    let backup = Backup::open(from)?;
    if !backup.manifest().is_complete() && !accept_incomplete {
        return Err(RestoreError::Incomplete(backup.manifest().differences()));
    }
    let after = list.map(read_tombstones).transpose()?;
    let mut filling = Filling::begin(to, backup.manifest().sequence)?;
    let mut tally = Tally::new([]);
    for at in 0..backup.chunks() {
        for row in backup.read_chunk(at)? {
            tally.row(&row.0, &row.1);
            filling.put(row)?;
        }
    }
    let (incomplete, uncounted) = tally.end_with_businesses();
    if !incomplete.is_empty() && !accept_incomplete {
        return Err(RestoreError::Incomplete(incomplete));
    }
    let store = filling.into_store(Box::new(|_| ()))?;
    upgrade(&store, Upgrades::Allowed).await?;
    let mut reapplying = Reapplying::new(&store, ports);
    for of in uncounted {
        reapplying.forget_usage(of).await?;
    }
    if let Some(after) = &after {
        // The new store lists these tombstones too, because a later restore of an older backup needs them.
        store.record_tombstones(after)?;
    }
    let after = after.as_deref().map(TakenBack::by);
    reapplying.all(after.as_ref()).await?;
    if after.is_none() {
        end_manage_links(&store).await?;
    }
    renew_link_secret(&store, ports).await?;
    end_all_sessions(&store).await?;
    let Reapplied { revoked, feeds_revoked, erased, ended, removed, kept, valid } = reapplying.done;
    store.close().await?;
    Filling::finish(to)?;
    let manifest = backup.manifest().clone();
    Ok(Restored { manifest, revoked, feeds_revoked, erased, ended, removed, kept, valid, incomplete })
}
