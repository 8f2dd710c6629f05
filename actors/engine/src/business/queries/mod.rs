//! Reads the records of a business, usually from the store without the actor.
//!
//! A read from the store returns only durable data and does not wait for changes. The actor's memory may contain
//! changes that are not durable yet, so an answer from memory is sent only after their commit. Each file reads one kind
//! of record. `pages` contains the common code of lists.

mod alerts;
mod appointments;
mod audit;
mod calendars;
mod calls;
mod changes;
mod contacts;
mod conversations;
mod diary;
mod feeds;
mod insights;
mod knowledge;
mod links;
mod messages;
mod notices;
mod pages;
mod proposals;
mod references;
mod search;

use chrono::NaiveDate;
use domain::availability::{Slot, Terms};
use domain::{
    ApiKey, BlockedSource, BlockedTime, Business, BusinessId, ContactId, KeyCreator, KeyId, Named,
    NoticeSettings, Person, Refusal, Retention, Right, Service, ServiceId, SpecialDay, StaffId, StaffMember,
    Timestamp, Website,
};
use store::kept::Kept;
use store::keys::kind;
use store::{KeyRange, Order, Promised, Record, Store, StoreError, keys};
use view::{BudgetView, KeyCreatorView, OperatorKeyView, RetentionView, SpecialDayView, TimeOffView};

use super::actor::{Message, Question};
use super::change::{AnswerOf, Change};
use super::context::Context;
use super::handle::BusinessHandle;
use super::remembered::{check_actor, given, read_kept};
use super::request::{Answer, Gives, Request};
use super::state::State;
use crate::actor::Reply;
use crate::error::{EngineError, Result};
use crate::key_usage::last_used;
use crate::scans::Reader;
use crate::shared::Shared;

pub use alerts::UNREAD_COUNTED_MAX;
pub use appointments::AppointmentFilter;
pub use audit::AuditFilter;
pub use calls::CallFilter;
pub use contacts::ContactFilter;
pub use conversations::ConversationFilter;
pub use diary::History;
pub use knowledge::KnowledgeFilter;
pub use links::SeenByLink;
pub use messages::MessageFilter;
pub use notices::NoticeFilter;
use pages::{End, Part, of_contact, once, position_key, position_of, walk, walk_theirs};
pub use pages::{Page, PageRequest};
pub(crate) use pages::{collect, read_page};
pub use proposals::Proposal;
pub use search::FOUND_MAX;

impl BusinessHandle {
    pub(crate) async fn read<T>(&self, read: impl FnOnce(&Store) -> Result<T, StoreError>) -> Result<T> {
        let found = read(&self.shared().store)?;
        // If the business was set aside during the read, rows may be missing, so the read must fail.
        self.shared().check_business(self.id)?;
        Ok(found)
    }

    pub(crate) async fn list<T: Send + 'static>(
        &self,
        page: &PageRequest,
        part: impl FnMut(&Reader<'_>, &PageRequest) -> Result<Part<T>, StoreError> + Send + 'static,
    ) -> Result<Page<T>> {
        let found = read_page((&self.businesses.scans, &self.shared().store), self.id, page, part).await?;
        self.shared().check_business(self.id)?; // the same check as in `read`
        Ok(found)
    }

    pub async fn business(&self) -> Result<Business> {
        self.read(|store| store.get(&keys::profile(self.id))).await?.ok_or(EngineError::NotFound)
    }

    pub async fn website(&self) -> Result<Website> {
        let website = self.read(|store| store.get::<Website>(&keys::website(self.id))).await?;
        Ok(website.unwrap_or_default())
    }

    pub async fn notice_settings(&self) -> Result<NoticeSettings> {
        let settings = self.read(|store| store.get::<NoticeSettings>(&keys::notices(self.id))).await?;
        Ok(settings.unwrap_or_default())
    }

    /// True if the store contains notice settings of the business. A business that is older than
    /// the notices feature has no settings until its team saves some.
    pub async fn has_notice_settings(&self) -> Result<bool> {
        self.read(|store| store.contains(&keys::notices(self.id))).await
    }

    pub async fn retention(&self) -> Result<RetentionView> {
        let retention = self.read(|store| store.get::<Retention>(&keys::retention(self.id))).await?;
        Ok(RetentionView::from(&retention.unwrap_or_default()))
    }

    /// The services in the order of creation. Inactive services are included only with `inactive_too`.
    pub async fn services(&self, inactive_too: bool, page: &PageRequest) -> Result<Page<Service>> {
        let range = keys::of_kind(self.id, kind::SERVICE);
        self.list(page, move |reader, page| {
            collect(reader, range, Order::Ascending, page, |_, value| {
                let service = Service::decode(value)?;
                Ok((service.active || inactive_too).then_some(service))
            })
        })
        .await
    }

    pub async fn service(&self, id: ServiceId) -> Result<Option<Service>> {
        self.read(|store| store.get(&keys::service(self.id, id))).await
    }

    pub async fn staff_member(&self, id: StaffId) -> Result<Option<StaffMember>> {
        self.read(|store| store.get(&keys::staff(self.id, id))).await
    }

    pub async fn staff(&self, page: &PageRequest) -> Result<Page<StaffMember>> {
        self.all(page).await
    }

    pub async fn all<R: Kept + Send + 'static>(&self, page: &PageRequest) -> Result<Page<R>> {
        let range = keys::of_kind(self.id, R::KIND);
        self.list(page, move |reader, page| {
            collect(reader, range, Order::Ascending, page, |_, value| R::decode(value).map(Some))
        })
        .await
    }

    /// The records of this kind that belong to a contact, newest first. The page is empty if records of this kind
    /// cannot belong to a contact.
    pub(crate) async fn records_of_contact<R: Kept + Send + 'static>(
        &self,
        contact: ContactId,
        page: &PageRequest,
    ) -> Result<Page<R>> {
        let Some(index) = R::BY_CONTACT else { return Ok(Page { items: Vec::new(), next: None }) };
        let (of, order) = (self.id, Order::Descending);
        self.list(page, move |reader, page| {
            of_contact(reader, (of, Some(contact)), (page, order), |whose| {
                let Some(whose) = whose else { return Ok((Vec::new(), End::OfList)) };
                walk_theirs(
                    reader,
                    (whose, order),
                    |contact| KeyRange::prefix(keys::of_id(of, index, contact)),
                    page,
                    |instant, id: ContactId| keys::record(of, R::KIND, instant, id),
                    |_, it: &R| whose.has(it.clone().contact().and_then(|contact| *contact)),
                    |it| Ok(it.clone()),
                )
            })
        })
        .await
    }

    pub async fn keys(&self, page: &PageRequest) -> Result<Page<OperatorKeyView>> {
        self.businesses.key_usage.write(&self.shared().store).await?;
        let range = keys::of_kind(self.id, kind::KEY);
        self.list(page, move |reader, page| {
            collect(reader, range, Order::Ascending, page, |_, prefix| shown_key(reader, prefix))
        })
        .await
    }

    pub async fn key(&self, id: KeyId) -> Result<Option<OperatorKeyView>> {
        self.businesses.key_usage.write(&self.shared().store).await?;
        self.read(|store| {
            let Some(prefix) = store.get_raw(&keys::key(self.id, id))? else { return Ok(None) };
            shown_key(&Reader::unbounded(store), &prefix)
        })
        .await
    }

    pub async fn key_name(&self, id: KeyId) -> Result<Option<String>> {
        self.read(|store| {
            let Some(prefix) = store.get_raw(&keys::key(self.id, id))? else { return Ok(None) };
            let key = store.get::<ApiKey>(&keys::api_key(keys::prefix_from_value(&prefix)?))?;
            Ok(key.map(|key| key.name))
        })
        .await
    }

    /// The instant up to which a list ordered by `updated_at` is complete, because all later changes get later stamps.
    async fn fence(&self) -> Result<Timestamp> {
        let fence = self
            .ask(|state, now| {
                state.clocks.record_list(now);
                Ok(state.stamps.fence(now))
            })
            .await?;
        let Shared { store, clocks, .. } = self.shared();
        if clocks.store_list_time(store) {
            store.wait_durable(BusinessId::INSTALLATION).await?;
        }
        Ok(fence)
    }

    /// The bookable times in an inclusive range of local days. A refusal names the invalid parameters.
    pub async fn availability(
        &self,
        service: ServiceId,
        staff: Option<StaffId>,
        days: (NaiveDate, NaiveDate),
        terms: Terms,
    ) -> Result<Vec<Slot>> {
        self.ask(move |state, now| Ok(state.schedule(now).slots(service, staff, days, terms)?)).await
    }

    pub async fn special_days(
        &self,
        (from, to): (Option<NaiveDate>, Option<NaiveDate>),
        page: &PageRequest,
    ) -> Result<Page<SpecialDayView>> {
        let (from, to) = (from.unwrap_or(NaiveDate::MIN), to.unwrap_or(NaiveDate::MAX));
        let range = keys::special_days(self.id, from, to.max(from));
        self.list(page, move |reader, page| {
            collect(reader, range, Order::Ascending, page, |_, value| {
                let day = SpecialDay::decode(value)?;
                Ok((day.date <= to).then(|| SpecialDayView::from(&day)))
            })
        })
        .await
    }

    /// Returns a staff member's time off, ordered by start. Fails with [`Refusal::NotFound`] if the staff member is
    /// unknown.
    pub async fn times_off(&self, staff: StaffId, page: &PageRequest) -> Result<Page<TimeOffView>> {
        if self.read(|store| store.get_raw(&keys::staff(self.id, staff))).await?.is_none() {
            return Err(Refusal::NotFound(Named::Staff).into());
        }
        let range = keys::blocked_times(self.id, staff);
        self.list(page, move |reader, page| {
            collect(reader, range, Order::Ascending, page, |_, value| {
                let time = BlockedTime::decode(value)?;
                Ok((time.source == BlockedSource::TimeOff).then(|| TimeOffView::from(&time)))
            })
        })
        .await
    }

    /// Returns the stored answer if the request is a repetition. A handler that must do other work before the change
    /// calls this function first, so that a repeated request skips this work. Fails if the sender of the request has no
    /// access to the business, or if the idempotency key cannot be used for this request.
    pub async fn remembered<C: Change>(&self, request: &Request) -> Result<Option<AnswerOf<C>>> {
        if request.idempotency.is_none() {
            return Ok(None);
        }
        let request = request.clone();
        self.ask(move |state, _| {
            let kept = given(state, &request, C::Gives::STATUS, Some(Right::Own))?;
            let value = kept.map(|kept| read_kept::<C::Gives>(&kept)).transpose()?;
            Ok(value.map(|value| Answer { value, replayed: true }))
        })
        .await
    }

    /// Fails if the change would be refused now, but does not make the change. Callers use this check if they must
    /// write something else first.
    pub(crate) async fn check<C: Change + 'static>(&self, request: &Request, change: C) -> Result<()> {
        let request = request.clone();
        self.ask(move |state, now| {
            state.store.check_room(change.weight())?;
            check_actor(state, &request, change.needs())?;
            let mut context = Context::new(state, &request, now);
            change.decide(&mut context).map(|_| ())
        })
        .await
    }

    /// The budget and the usage. Waits until all rows of the business are counted.
    pub async fn budget(&self) -> Result<BudgetView> {
        self.call(|reply| {
            Message::AskUsage(answering(reply, |state, _| {
                Ok(BudgetView::new(&state.budget.limits, &state.budget.used()))
            }))
        })
        .await
    }

    /// Reserves budget for at most `rows_max` waiting deliveries. The actor makes reservations one by one.
    pub(crate) async fn promise_waiting(&self, rows_max: usize) -> Result<Promised> {
        self.ask(move |state, _| Ok(state.budget.promise_waiting(rows_max as u64))).await
    }

    /// Reads from the actor's state. The answer is sent once every change in that state is durable.
    pub(crate) async fn ask<T: Send + 'static>(
        &self,
        question: impl FnOnce(&mut State, Timestamp) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        self.call(|reply| Message::Ask(answering(reply, question))).await
    }
}

fn answering<T: Send + 'static>(
    reply: Reply<T>,
    question: impl FnOnce(&mut State, Timestamp) -> Result<T> + Send + 'static,
) -> Question {
    Box::new(move |state, now| {
        let answer = question(state, now);
        Box::new(move || reply.send(answer))
    })
}

fn shown_key(reader: &Reader<'_>, prefix: &[u8]) -> Result<Option<OperatorKeyView>, StoreError> {
    let prefix = keys::prefix_from_value(prefix)?;
    let Some(key) = reader.get::<ApiKey>(&keys::api_key(prefix))? else { return Ok(None) };
    let last_used_at = last_used(reader, &keys::key_used(key.id))?;
    let creator = match key.created_by {
        KeyCreator::Operator => None,
        KeyCreator::Person(id) => reader.find::<Person>(&keys::person(id))?,
    };
    let created_by = KeyCreatorView::new(key.created_by, creator.map(|person| person.name));
    let revoked_at = key.revoked_at;
    Ok(Some(OperatorKeyView { key: (&key).into(), created_by, last_used_at, revoked_at }))
}
