//! Restoring a backup into a new store.
//!
//! Invariants: the directory is not a valid store before the last step. Before that step the tombstones of
//! the list are applied and added to the list of the new store. Without a list, every key is revoked instead.

use std::path::Path;
use std::sync::Arc;

use domain::{
    Actor, Amount, ApiKey, AuditAction, AuditEntry, AuditId, BudgetKind, BusinessId, FieldChange, IdMint,
    KeyId, Membership, Person, ResourceId, Timestamp,
};
use net::Ports;
use store::keys::installation_kind;
use store::records::AuditRecord;
use store::{
    Batch, Filling, Key, OfBusiness, Pages, Record, Store, StoreError, TakenBack, Tombstone, keys,
    read_tombstones,
};

use super::manifest::Manifest;
use super::read::{Backup, BackupError};
use crate::business::commands::erasure::{EndBusiness, EraseContact};
use crate::business::commands::people::RemoveMember;
use crate::business::{OfflineBusiness, end_undecodable, is_undecodable};
use crate::clock::Clocks;
use crate::counting::{Differences, Tally};
use crate::error::EngineError;
use crate::meta::renew_link_secret;
use crate::people::write_person;
use crate::upgrade::{Upgrades, upgrade};

#[derive(Debug, thiserror::Error)]
pub enum RestoreError {
    #[error(transparent)]
    Backup(#[from] BackupError),
    #[error(
        "the backup is incomplete: {0}; restore an earlier one that is complete, or add --accept-incomplete to restore it \
         without these rows"
    )]
    Incomplete(Differences),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("the revocations and erasures since the backup cannot be repeated: {0}")]
    TakeBack(#[from] EngineError),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Restored {
    pub manifest: Manifest,
    pub revoked: usize,
    /// The number of contacts whose erasure the service continues at its start.
    pub erased: usize,
    /// The number of ended businesses, whose rows the service deletes at its start.
    pub ended: usize,
    pub removed: usize,
    /// The number of contacts that cannot be erased, because the profile of their business cannot be decoded.
    /// Their data is deleted when the business is ended.
    pub kept: usize,
    pub valid: usize,
    pub incomplete: Differences,
}

/// Restores a backup into a missing or empty directory. The tombstones in `list` are applied; without a list
/// every key is revoked. A backup with missing rows is restored only with `accept_incomplete`; the service
/// then counts the businesses concerned. The restore counts the rows too, because earlier versions did not
/// count them during the backup. After an error the directory is not a valid store.
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
    for of in uncounted {
        forget_usage(&store, of, ports).await?;
    }
    if let Some(after) = &after {
        // A later restore of an earlier backup must apply these tombstones too.
        store.bury(after)?;
    }
    let after = after.as_deref().map(TakenBack::by);
    let reapplied = apply_tombstones(&store, after.as_ref(), ports).await?;
    let (revoked, valid) = revoke_keys(&store, after, ports).await?;
    renew_link_secret(&store, ports).await?;
    end_all_sessions(&store).await?;
    store.close().await?;
    Filling::finish(to)?;
    let Reapplied { erased, ended, removed, kept } = reapplied;
    let manifest = backup.manifest().clone();
    Ok(Restored { manifest, revoked, erased, ended, removed, kept, valid, incomplete })
}

#[derive(Default)]
struct Reapplied {
    erased: usize,
    ended: usize,
    removed: usize,
    kept: usize,
}

/// Starts the deletion of the ended businesses and the erasure of the erased contacts. After this step
/// neither the businesses nor the contacts are visible. The service completes both at its next start.
async fn apply_tombstones(
    store: &Store,
    after: Option<&TakenBack>,
    ports: &Ports,
) -> Result<Reapplied, RestoreError> {
    let clocks = Clocks::open(store, Arc::clone(&ports.clock)).await?;
    let mut reapplied = Reapplied::default();
    for (of, taken_back) in after.iter().flat_map(|after| &after.businesses) {
        // Checks the row, because a profile that cannot be decoded must be deleted too.
        if store.rows().get(&keys::profile(*of))?.is_none() {
            continue;
        }
        if taken_back.ended {
            end(store, ports, &clocks, *of).await?;
            reapplied.ended += 1;
        } else {
            erase(store, ports, &clocks, (*of, taken_back), &mut reapplied).await?;
            reapplied.removed += remove(store, ports, &clocks, (*of, taken_back)).await?;
        }
    }
    Ok(reapplied)
}

/// Ends a business, also if its profile cannot be decoded.
async fn end(store: &Store, ports: &Ports, clocks: &Clocks, of: BusinessId) -> Result<(), EngineError> {
    if is_undecodable(store, of)? {
        store.submit(of, end_undecodable(store, of)?.0, Box::new(|| ())).ok_or(StoreError::Stopped)?;
        return Ok(store.settled(of).await?);
    }
    let Some(mut business) = OfflineBusiness::load(store, ports, clocks, of).await? else { return Ok(()) };
    business.carry_out(EndBusiness { once: None }).await?;
    Ok(business.wait_durable().await?)
}

/// Loads the business once for all of its contacts.
async fn erase(
    store: &Store,
    ports: &Ports,
    clocks: &Clocks,
    (of, taken_back): (BusinessId, &OfBusiness),
    reapplied: &mut Reapplied,
) -> Result<(), EngineError> {
    let mut there = Vec::new();
    for id in &taken_back.erased {
        // Checks the row, because a contact that cannot be decoded must be erased too.
        if store.rows().get(&keys::contact(of, *id))?.is_some() {
            there.push(*id);
        }
    }
    if there.is_empty() {
        return Ok(());
    }
    if is_undecodable(store, of)? {
        reapplied.kept += there.len();
        return Ok(());
    }
    let Some(mut business) = OfflineBusiness::load(store, ports, clocks, of).await? else { return Ok(()) };
    for id in there {
        reapplied.erased += usize::from(business.carry_out(EraseContact { id }).await?);
    }
    Ok(business.wait_durable().await?)
}

/// Removes the listed people if their membership is not newer than the removed one. Returns their number. A
/// business whose profile cannot be decoded is skipped, because it gives no access.
async fn remove(
    store: &Store,
    ports: &Ports,
    clocks: &Clocks,
    (of, taken_back): (BusinessId, &OfBusiness),
) -> Result<usize, EngineError> {
    let mut there = Vec::new();
    for (id, offered) in &taken_back.removed {
        // A membership that cannot be decoded gives no access.
        let row = keys::membership(of, *id);
        let Some(membership) = store.find::<Membership>(&row)? else { continue };
        if membership.created_at <= *offered {
            there.push(*id);
        }
    }
    if there.is_empty() || is_undecodable(store, of)? {
        return Ok(0);
    }
    let Some(mut business) = OfflineBusiness::load(store, ports, clocks, of).await? else { return Ok(0) };
    let mut removed = 0;
    for id in there {
        removed += usize::from(business.carry_out(RemoveMember { id }).await?);
    }
    business.wait_durable().await?;
    Ok(removed)
}

/// Revokes the API keys that the list of tombstones names, or all keys if there is no list. Returns the
/// number of revoked keys and of keys that stay valid. The keys of a deleted business are deleted together
/// with the business.
async fn revoke_keys(
    store: &Store,
    after: Option<TakenBack>,
    ports: &Ports,
) -> Result<(usize, usize), StoreError> {
    let is_revoked =
        |key: KeyId, of| after.as_ref().is_none_or(|after: &TakenBack| after.has_revoked(key, of));
    let (mut revoked, mut valid) = (0, 0);
    let mut pages = Pages::of(keys::of_kind(BusinessId::INSTALLATION, installation_kind::API_KEY));
    loop {
        let page = pages.next(store)?;
        if page.is_empty() {
            return Ok((revoked, valid));
        }
        for (row, value) in &page {
            // A key that cannot be decoded gives no access.
            let Some(key) = store.find_in::<ApiKey>(row, value)? else { continue };
            if key.revoked_at.is_some() || store.contains(&keys::ending(key.business_id))? {
                continue;
            }
            if is_revoked(key.id, key.business_id) {
                revoked += 1;
                revoke(store, (&Key::new(row), value.len()), key, ports).await?;
            } else {
                valid += 1;
            }
        }
    }
}

/// Ends every session and link, because sessions that ended after the backup are not listed. People sign in
/// again.
async fn end_all_sessions(store: &Store) -> Result<(), StoreError> {
    let mut pages = Pages::of(keys::of_kind(BusinessId::INSTALLATION, installation_kind::PERSON));
    loop {
        let page = pages.next(store)?;
        if page.is_empty() {
            return Ok(());
        }
        for (row, value) in &page {
            let Some(before) = store.find_in::<Person>(row, value)? else { continue };
            let after = Person { sessions: Vec::new(), link: None, ..before.clone() };
            if after != before {
                let mut batch = Batch::default();
                write_person(Some(&before), Some(&after), &mut batch);
                store.submit(BusinessId::INSTALLATION, batch, Box::new(|| ())).ok_or(StoreError::Stopped)?;
            }
        }
        store.settled(BusinessId::INSTALLATION).await?;
    }
}

/// Writes an audit entry without a usage, so that the business is counted again.
async fn forget_usage(store: &Store, of: BusinessId, ports: &Ports) -> Result<(), StoreError> {
    let newest = store.newest_entry(of)?;
    let now = newest.map_or(Timestamp::MIN, |newest| newest.at).max(ports.clock.now());
    let mut mint = newest.map_or_else(IdMint::default, |newest| IdMint::after(newest.id));
    let entry = AuditEntry {
        id: mint.next::<AuditId>(now, ports.random_bytes()),
        at: now,
        actor: Actor::System,
        action: AuditAction::BusinessRestoredIncomplete,
        resource_type: AuditAction::BusinessRestoredIncomplete.kind(),
        resource_id: of.uuid(),
        changes: Vec::<FieldChange>::new(),
    };
    let mut batch = Batch::default();
    batch.put(keys::audit(of, entry.id), AuditRecord { entry, usage: None }.encode());
    store.submit(of, batch, Box::new(|| ())).ok_or(StoreError::Stopped)?;
    store.settled(of).await
}

async fn revoke(
    store: &Store,
    (row, bytes): (&Key, usize),
    key: ApiKey,
    ports: &Ports,
) -> Result<(), StoreError> {
    let of = key.business_id;
    let newest = store.newest_entry(of)?;
    // Stamps and ids of a business grow, whatever this machine's clock shows.
    let now = newest.map_or(Timestamp::MIN, |newest| newest.at).max(ports.clock.now());
    let mut mint = newest.map_or_else(IdMint::default, |newest| IdMint::after(newest.id));
    let usage = newest.and_then(|newest| newest.usage).map(|mut usage| {
        usage.remove(BudgetKind::Keys, Amount::row(bytes));
        usage
    });
    let entry = AuditEntry {
        id: mint.next::<AuditId>(now, ports.random_bytes()),
        at: now,
        actor: Actor::System,
        action: AuditAction::ApiKeyRevoked,
        resource_type: AuditAction::ApiKeyRevoked.kind(),
        resource_id: key.id.uuid(),
        changes: Vec::<FieldChange>::new(),
    };
    let mut batch = Batch::default();
    batch.bury(Tombstone::RevokedKey(key.id));
    batch.put(keys::audit(of, entry.id), AuditRecord { entry, usage }.encode());
    batch.put(*row, ApiKey { revoked_at: Some(now), ..key }.encode());
    store.submit(of, batch, Box::new(|| ())).ok_or(StoreError::Stopped)?;
    store.settled(of).await // the next one reads what this one wrote
}
