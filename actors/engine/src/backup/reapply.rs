//! Repeats revocations, erasures and deletions in a store whose records may have an earlier state: a restored backup,
//! or the readable rows of a damaged store.

use std::collections::BTreeMap;
use std::sync::Arc;

use domain::{
    Actor, Amount, ApiKey, AuditAction, AuditEntry, AuditId, BudgetKind, BusinessId, FeedId, IdMint,
    Membership, Person, ResourceId, Timestamp,
};
use net::Ports;
use store::keys::{installation_kind, kind};
use store::records::AuditRecord;
use store::{
    Batch, BulkWriter, Key, OfBusiness, Pages, Record, Store, StoreError, TakenBack, Tombstone, keys,
};
use uuid::Uuid;

use crate::business::OfflineBusiness;
use crate::business::commands::erasure::{EndBusiness, EraseContact, end_undecodable, is_undecodable};
use crate::business::commands::feeds::RevokeFeed;
use crate::business::commands::people::RemoveMember;
use crate::clock::Clocks;
use crate::error::EngineError;
use crate::people::write_person;

/// The maximum number of consents in a batch. A batch of this many consents is shorter than 1 MiB, the maximum length
/// of a batch in the store.
const CONSENTS_PER_BATCH: usize = 4_096;

/// How many changes of each kind were repeated, how many contacts were not erased (`kept`), and how many API keys were
/// not revoked (`valid`). [`super::Restored`] contains these counts.
#[derive(Default)]
pub(crate) struct Reapplied {
    pub(crate) revoked: usize,
    pub(crate) feeds_revoked: usize,
    pub(crate) erased: usize,
    pub(crate) ended: usize,
    pub(crate) removed: usize,
    pub(crate) kept: usize,
    pub(crate) valid: usize,
}

pub(crate) struct Reapplying<'a> {
    store: &'a Store,
    ports: &'a Ports,
    pub(crate) done: Reapplied,
}

impl<'a> Reapplying<'a> {
    pub(crate) fn new(store: &'a Store, ports: &'a Ports) -> Self {
        Self { store, ports, done: Reapplied::default() }
    }

    /// Repeats the changes in the list `after`. If there is no list, revokes all API keys and feeds.
    pub(crate) async fn all(&mut self, after: Option<&TakenBack>) -> Result<(), EngineError> {
        self.apply_tombstones(after).await?;
        self.revoke_keys(after).await?;
        self.revoke_feeds(after).await
    }

    /// Starts the deletion of the listed businesses and the erasure of the listed contacts, and removes the listed
    /// people. The service completes the deletions and erasures after its next start.
    async fn apply_tombstones(&mut self, after: Option<&TakenBack>) -> Result<(), EngineError> {
        let clocks = Clocks::open(self.store, Arc::clone(&self.ports.clock)).await?;
        for (of, taken_back) in after.iter().flat_map(|after| &after.businesses) {
            // The profile is not decoded, because a profile that cannot be decoded must be deleted too.
            if self.store.rows().get(&keys::profile(*of))?.is_some() {
                self.reapply(&clocks, *of, taken_back).await?;
            }
        }
        Ok(())
    }

    /// If the list contains the deletion of the business, starts this deletion. If not, starts the erasure of the
    /// business's listed contacts and removes its listed people.
    async fn reapply(
        &mut self,
        clocks: &Clocks,
        of: BusinessId,
        taken_back: &OfBusiness,
    ) -> Result<(), EngineError> {
        let Self { store, ports, done } = self;
        let (mut contacts, mut people) = (Vec::new(), Vec::new());
        for id in &taken_back.erased {
            // The contact is not decoded, because a contact that cannot be decoded must be erased too.
            if store.rows().get(&keys::contact(of, *id))?.is_some() {
                contacts.push(*id);
            }
        }
        for (id, offered) in &taken_back.removed {
            // Memberships up to the time `offered` are removed. Later ones are kept. A membership that cannot be
            // decoded gives no access, so it need not be removed.
            let membership = store.find::<Membership>(&keys::membership(of, *id))?;
            if membership.is_some_and(|membership| membership.created_at <= *offered) {
                people.push(*id);
            }
        }
        let consents: Vec<_> = taken_back.consents.iter().filter(|_| !taken_back.ended).collect();
        for consents in consents.chunks(CONSENTS_PER_BATCH) {
            let mut batch = Batch::default();
            for (hash, consent) in consents {
                batch.put(keys::consent(of, hash), consent.encode());
            }
            store.write(of, batch).await?;
        }
        done.ended += usize::from(taken_back.ended);
        if is_undecodable(store, of)? {
            // The profile of the business cannot be decoded. Its members then have no access, so no member has to be
            // removed.
            if taken_back.ended {
                store.write(of, end_undecodable(store, of, ports.clock.now())?.0).await?;
            } else {
                done.kept += contacts.len();
            }
            return Ok(());
        }
        if !taken_back.ended && contacts.is_empty() && people.is_empty() {
            return Ok(());
        }
        let Some(mut business) = OfflineBusiness::load(store, ports, clocks, of).await? else {
            return Ok(());
        };
        if taken_back.ended {
            business.carry_out(EndBusiness { once: None }).await?;
        } else {
            for id in contacts {
                done.erased += usize::from(business.carry_out(EraseContact { id }).await?);
            }
            for id in people {
                done.removed += usize::from(business.carry_out(RemoveMember { id }).await?);
            }
        }
        Ok(business.wait_durable().await?)
    }

    /// Revokes the listed API keys, or all keys if there is no list. Skips the keys of ended businesses.
    async fn revoke_keys(&mut self, after: Option<&TakenBack>) -> Result<(), StoreError> {
        let store = self.store;
        let mut pages = Pages::of(keys::of_kind(BusinessId::INSTALLATION, installation_kind::API_KEY));
        loop {
            let page = pages.next(store)?;
            if page.is_empty() {
                return Ok(());
            }
            for (row, value) in &page {
                // A key that cannot be decoded gives no access, so it need not be revoked.
                let Some(key) = store.find_in::<ApiKey>(row, value)? else { continue };
                if key.revoked_at.is_some() || store.contains(&keys::ending(key.business_id))? {
                    continue;
                }
                if after.is_none_or(|after| after.has_revoked(key.id, key.business_id)) {
                    self.done.revoked += 1;
                    self.revoke((&Key::new(row), value.len()), key).await?;
                } else {
                    self.done.valid += 1;
                }
            }
        }
    }

    /// Revokes the listed feeds, or all feeds if there is no list. Skips the feeds of businesses that have
    /// ended or whose profile cannot be decoded, because these feeds are not served.
    async fn revoke_feeds(&mut self, after: Option<&TakenBack>) -> Result<(), EngineError> {
        let (store, mut feeds) = (self.store, BTreeMap::<BusinessId, Vec<FeedId>>::new());
        let mut pages = Pages::of(keys::of_kind(BusinessId::INSTALLATION, installation_kind::FEED_BY_TOKEN));
        loop {
            let page = pages.next(store)?;
            if page.is_empty() {
                break;
            }
            for (row, value) in page {
                let named = store.usable(&row, keys::business_and_feed(&value))?;
                let named = named.filter(|(of, id)| after.is_none_or(|after| after.has_revoked(*id, *of)));
                named.into_iter().for_each(|(of, id)| feeds.entry(of).or_default().push(id));
            }
        }
        let clocks = Clocks::open(store, Arc::clone(&self.ports.clock)).await?;
        for (of, ids) in feeds {
            if is_undecodable(store, of)? {
                continue;
            }
            let Some(mut business) = OfflineBusiness::load(store, self.ports, &clocks, of).await? else {
                continue;
            };
            for id in ids {
                self.done.feeds_revoked += usize::from(business.carry_out(RevokeFeed { id }).await?);
            }
            business.wait_durable().await?;
        }
        Ok(())
    }

    /// Writes an audit entry that contains no usage (the numbers of rows). If the newest entry contains no usage, the
    /// service counts the rows of the business again.
    pub(crate) async fn forget_usage(&self, of: BusinessId) -> Result<(), StoreError> {
        let action = AuditAction::BusinessRestoredIncomplete;
        let record = AuditRecord { usage: None, ..self.next_record(of, action, of.uuid())? };
        let mut batch = Batch::default();
        batch.put(keys::audit(of, record.entry.id), record.encode());
        self.store.write(of, batch).await
    }

    async fn revoke(&self, (row, bytes): (&Key, usize), key: ApiKey) -> Result<(), StoreError> {
        let of = key.business_id;
        let mut record = self.next_record(of, AuditAction::ApiKeyRevoked, key.id.uuid())?;
        if let Some(usage) = &mut record.usage {
            usage.remove(BudgetKind::Keys, Amount::row(bytes));
        }
        let mut batch = Batch::default();
        batch.add_tombstone(Tombstone::RevokedKey(key.id));
        batch.put(keys::audit(of, record.entry.id), record.encode());
        batch.put(*row, ApiKey { revoked_at: Some(record.entry.at), ..key }.encode());
        self.store.write(of, batch).await // durable before the next call reads the newest audit entry
    }

    /// Creates a record to append to a business's audit log. The new record has the usage of the log's last record and
    /// a greater id. Its timestamp is not earlier than the last record's, even if the clock is wrong.
    fn next_record(
        &self,
        of: BusinessId,
        action: AuditAction,
        resource_id: Uuid,
    ) -> Result<AuditRecord, StoreError> {
        let newest = self.store.newest_entry(of)?;
        let at = newest.map_or(Timestamp::MIN, |newest| newest.at).max(self.ports.clock.now());
        let mut mint = newest.map_or_else(IdMint::default, |newest| IdMint::after(newest.id));
        let id = mint.next::<AuditId>(at, self.ports.random_bytes());
        let entry = AuditEntry::new((id, at), (Actor::System, action), resource_id);
        Ok(AuditRecord { entry, usage: newest.and_then(|newest| newest.usage) })
    }
}

/// Ends all sessions and sign-in links. Some of them may have ended after the time of the restored state. It is unknown
/// which ones, because tombstones do not list ended sessions and links.
pub(crate) async fn end_all_sessions(store: &Store) -> Result<(), StoreError> {
    let people = keys::of_kind(BusinessId::INSTALLATION, installation_kind::PERSON);
    let mut writer = BulkWriter::new(store, BusinessId::INSTALLATION);
    let without_sessions = |row: &Key, value: &[u8]| {
        let mut batch = Batch::default();
        if let Some(before) = store.find_in::<Person>(row, value)? {
            let after = Person { sessions: Vec::new(), link: None, ..before.clone() };
            if after != before {
                write_person(Some(&before), Some(&after), &mut batch);
            }
        }
        Ok(batch)
    };
    writer.rewrite(people, without_sessions).await?;
    writer.wait_durable().await
}

/// Ends all manage links, because without tombstones it is unknown which contacts were erased,
/// and an erased contact must have no link.
pub(crate) async fn end_manage_links(store: &Store) -> Result<(), StoreError> {
    let mut pages = Pages::of(keys::of_kind(BusinessId::INSTALLATION, installation_kind::BUSINESS_INDEX));
    loop {
        let page = pages.next(store)?;
        if page.is_empty() {
            return Ok(());
        }
        for (row, _) in page {
            let of = keys::listed_business(&row)?;
            let mut writer = BulkWriter::new(store, of);
            for kind in [kind::LINKS, kind::LINK] {
                let deleted = |row: &Key, _: &[u8]| {
                    let mut batch = Batch::default();
                    batch.delete(*row);
                    Ok(batch)
                };
                writer.rewrite(keys::of_kind(of, kind), deleted).await?;
            }
            writer.wait_durable().await?;
        }
    }
}
