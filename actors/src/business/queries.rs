//! Reads of a business that go straight to the store, past the actor's queue.
//!
//! What was read may not be synced yet. Each read therefore waits, after reading, until everything that had been
//! submitted for the business is: no answer shows what a crash could take back.
//!
//! One file for each kind of record that grows without bound; what all lists share stands here.

mod appointments;
mod calls;
mod changes;
mod contacts;
mod messages;

use std::collections::HashMap;
use std::hash::Hash;

use chrono::NaiveDate;
use tokio::sync::oneshot;

use super::actor::{Message, Permits, Question, given};
use super::handle::{Answer, BusinessHandle, Reply, Request};
use super::state::State;
use crate::domain::availability::Slot;
use crate::domain::{
    ApiKey, AuditEntry, Business, ResourceId, Service, ServiceId, StaffId, StaffMember, Timestamp,
};
use crate::engine::EngineError;
use crate::store::keys::kind;
use crate::store::{Key, KeyRange, Order, Record, Store, StoreError, keys};
use crate::view::{BudgetView, OperatorKeyView};

pub use appointments::AppointmentFilter;
pub use calls::CallFilter;
pub use contacts::ContactFilter;
pub use messages::MessageFilter;

/// Which part of a list is asked for.
#[derive(Clone, Debug)]
pub struct PageRequest {
    /// At most so many items.
    pub limit: usize,
    /// Those after this position, as an earlier [`Page::next`] gave it.
    pub after: Option<Vec<u8>>,
}

/// Part of a list.
#[derive(Clone, Debug)]
pub struct Page<T> {
    /// The items in the list's order.
    pub items: Vec<T>,
    /// The position of the last item, when there are more.
    pub next: Option<Vec<u8>>,
}

impl BusinessHandle {
    /// Reads from the store and waits until what was read is on the disk.
    pub(crate) async fn read<T>(
        &self,
        read: impl FnOnce(&Store) -> Result<T, StoreError>,
    ) -> Result<T, EngineError> {
        let value = read(&self.inner.store)?;
        self.inner.store.settled(self.id).await?;
        Ok(value)
    }

    /// Waits until everything of the business that was read so far is on the disk.
    ///
    /// # Errors
    /// The store's failure.
    pub async fn settled(&self) -> Result<(), EngineError> {
        Ok(self.inner.store.settled(self.id).await?)
    }

    /// The profile.
    ///
    /// # Errors
    /// [`EngineError::NotFound`] when there is no such business, or the store's failure.
    pub async fn business(&self) -> Result<Business, EngineError> {
        self.read(|store| store.get(&keys::profile(self.id))).await?.ok_or(EngineError::NotFound)
    }

    /// The services in the order of their creation; inactive ones too, or not.
    ///
    /// # Errors
    /// The store's failure.
    pub async fn services(
        &self,
        inactive_too: bool,
        page: &PageRequest,
    ) -> Result<Page<Service>, EngineError> {
        self.read(|store| {
            collect(store, keys::of_kind(self.id, kind::SERVICE), Order::Ascending, page, |_, value| {
                let service = Service::decode(value)?;
                Ok((service.active || inactive_too).then_some(service))
            })
        })
        .await
    }

    /// The staff members in the order of their creation.
    ///
    /// # Errors
    /// The store's failure.
    pub async fn staff(&self, page: &PageRequest) -> Result<Page<StaffMember>, EngineError> {
        self.read(|store| {
            collect(store, keys::of_kind(self.id, kind::STAFF), Order::Ascending, page, |_, value| {
                StaffMember::decode(value).map(Some)
            })
        })
        .await
    }

    /// The audit log, newest first.
    ///
    /// # Errors
    /// The store's failure.
    pub async fn audit(&self, page: &PageRequest) -> Result<Page<AuditEntry>, EngineError> {
        self.read(|store| {
            collect(store, keys::of_kind(self.id, kind::AUDIT), Order::Descending, page, |_, value| {
                AuditEntry::decode(value).map(Some)
            })
        })
        .await
    }

    /// The API keys in the order of their creation, with when each was last used.
    ///
    /// # Errors
    /// The store's failure.
    pub async fn keys(&self, page: &PageRequest) -> Result<Page<OperatorKeyView>, EngineError> {
        self.inner.key_usage.write(&self.inner.store).await?;
        self.read(|store| {
            collect(store, keys::of_kind(self.id, kind::KEY), Order::Ascending, page, |_, prefix| {
                let prefix = keys::prefix_from_value(prefix)?;
                let Some(key) = store.get::<ApiKey>(&keys::api_key(prefix))? else { return Ok(None) };
                let last_used_at = crate::key_usage::last_used(store, key.id)?;
                Ok(Some(OperatorKeyView { key: (&key).into(), last_used_at, revoked_at: key.revoked_at }))
            })
        })
        .await
    }

    /// The stamp of the newest change, which from now on no change shares: a list by change may show everything up
    /// to it, and a client that goes on from there misses nothing.
    async fn fence(&self) -> Result<Timestamp, EngineError> {
        self.ask(|state, now| {
            let tick = chrono::TimeDelta::milliseconds(1);
            let fence = state.last.max(now - tick);
            state.last = fence + tick;
            Ok(fence)
        })
        .await
    }

    /// The open times of a service, on the local days `first` to `last`.
    ///
    /// # Errors
    /// A refusal with the paths of what is not usable, or the engine's failure.
    pub async fn availability(
        &self,
        service: ServiceId,
        staff: Option<StaffId>,
        first: NaiveDate,
        last: NaiveDate,
    ) -> Result<Vec<Slot>, EngineError> {
        self.ask(move |state, now| Ok(state.diary(now).slots(service, staff, first, last)?)).await
    }

    /// The answer that was given to this very request, if it is to happen once and did: for whoever has to ask others
    /// before making a change, which a request that comes again must not depend on.
    ///
    /// # Errors
    /// As the change itself: [`Refusal::IdempotencyKeyReused`] and [`Refusal::IdempotencyInProgress`], or that the key
    /// may not make it any more.
    ///
    /// [`Refusal::IdempotencyKeyReused`]: crate::domain::Refusal::IdempotencyKeyReused
    /// [`Refusal::IdempotencyInProgress`]: crate::domain::Refusal::IdempotencyInProgress
    pub async fn remembered(&self, request: &Request) -> Result<Option<Answer>, EngineError> {
        if request.idempotency.is_none() {
            return Ok(None);
        }
        let request = request.clone();
        self.ask(move |state, now| given(state, &request, now)).await
    }

    /// What the business may keep of each kind, and what it keeps: exact, as of the newest change. Where it is still
    /// being counted, which happens once for a store of an earlier version, the answer waits for that.
    ///
    /// # Errors
    /// [`EngineError::NotFound`], or the engine's failure.
    pub async fn budget(&self) -> Result<BudgetView, EngineError> {
        self.call(|reply: Reply<BudgetView>, permits: Permits| Message::AskAccounts {
            question: answering(reply, permits, |state, _| {
                Ok(BudgetView::new(&state.accounts.budget, &state.accounts.used()))
            }),
        })
        .await
    }

    /// How many more deliveries may wait: none where their bytes are used up.
    pub(crate) async fn waiting_room(&self) -> Result<u64, EngineError> {
        self.ask(|state, _| Ok(state.accounts.waiting_room())).await
    }

    /// Asks the actor a question about what is in its memory, answered once that is on the disk.
    async fn ask<T: Send + 'static>(
        &self,
        question: impl FnOnce(&mut State, Timestamp) -> Result<T, EngineError> + Send + 'static,
    ) -> Result<T, EngineError> {
        self.call(|reply: Reply<T>, permits: Permits| Message::Ask {
            question: answering(reply, permits, question),
        })
        .await
    }
}

/// A question, with the way of its answer.
fn answering<T: Send + 'static>(
    reply: Reply<T>,
    permits: Permits,
    question: impl FnOnce(&mut State, Timestamp) -> Result<T, EngineError> + Send + 'static,
) -> Question {
    Box::new(move |state, now| {
        let answer = question(state, now);
        Box::new(move || {
            let _ = oneshot::Sender::send(reply, answer);
            drop(permits);
        })
    })
}

/// Bytes of a key that name the business and the kind, which every key of a list shares.
const HEAD_BYTES: usize = 17;

/// Walks a range from the page's position, keeps what `pick` gives back, and stops at the limit. A position is the end
/// of the last item's key, behind its head.
pub(crate) fn collect<T>(
    store: &Store,
    mut range: KeyRange,
    order: Order,
    page: &PageRequest,
    mut pick: impl FnMut(&[u8], &[u8]) -> Result<Option<T>, StoreError>,
) -> Result<Page<T>, StoreError> {
    if let Some(position) = &page.after {
        let key = Key::new(&range.from[..HEAD_BYTES]).with(position);
        range = match order {
            Order::Ascending => range.after(key),
            Order::Descending => range.before(key),
        };
    }
    let mut items = Vec::new();
    let mut last = Vec::new();
    for row in store.scan(&range, order) {
        let (key, value) = row?;
        let Some(item) = pick(&key, &value)? else { continue };
        if items.len() == page.limit {
            return Ok(Page { items, next: Some(last) });
        }
        items.push(item);
        last = key[HEAD_BYTES..].to_vec();
    }
    Ok(Page { items, next: None })
}

/// Walks an index whose keys end with an instant and the id of a record, and shows the records that the rule admits. It
/// is told the instant, too: an index row that was read before a change and a record read after it do not belong
/// together.
fn walk<I: ResourceId, R: Record, T>(
    store: &Store,
    (range, order): (KeyRange, Order),
    page: &PageRequest,
    record: impl Fn(Timestamp, I) -> Key,
    admits: impl Fn(Timestamp, &R) -> bool,
    mut show: impl FnMut(&R) -> Result<T, StoreError>,
) -> Result<Page<T>, StoreError> {
    collect(store, range, order, page, |key, _| {
        let (instant, id) = keys::instant_and_id::<I>(key)?;
        let found = store.get::<R>(&record(instant, id))?;
        found.filter(|found| admits(instant, found)).map(|found| show(&found)).transpose()
    })
}

/// The record of an id, read at its first use; a record that another refers to is there.
fn once<I: ResourceId + Hash, T>(
    known: &mut HashMap<I, T>,
    id: I,
    read: impl FnOnce(I) -> Result<Option<T>, StoreError>,
) -> Result<&T, StoreError> {
    match known.entry(id) {
        std::collections::hash_map::Entry::Occupied(entry) => Ok(entry.into_mut()),
        std::collections::hash_map::Entry::Vacant(entry) => match read(id)? {
            Some(value) => Ok(entry.insert(value)),
            None => {
                Err(StoreError::damaged("reference", format!("a record refers to {id}, which is not there")))
            }
        },
    }
}
