//! Reads calls.

use std::collections::HashMap;

use domain::{BusinessId, CallId, CallOutcome, CallRecord, CallStatus, ContactId, Direction, Timestamp};
use store::keys::kind;
use store::records::CallRow;
use store::{Order, Record, StoreError, keys};
use view::{CallView, SomeCallView};

use super::{End, Page, PageRequest, collect, of_contact, once, walk, walk_theirs};
use crate::business::{BusinessHandle, Whose, contact};
use crate::error::Result;
use crate::scans::Reader;

#[derive(Clone, Debug, Default)]
pub struct CallFilter {
    pub from: Option<Timestamp>,
    pub to: Option<Timestamp>,
    pub direction: Option<Direction>,
    pub status: Option<CallStatus>,
    pub outcome: Option<CallOutcome>,
    pub contact_id: Option<ContactId>,
    /// Lists only the calls in the list of unhandled calls ([`CallRow::is_unhandled`]).
    pub unhandled: bool,
    /// Lists the calls that were changed at or after this instant, in the order of their changes.
    pub updated_since: Option<Timestamp>,
}

impl CallFilter {
    fn admits_row(&self, row: CallRow) -> bool {
        self.direction.is_none_or(|direction| direction == row.direction)
            && self.outcome.is_none_or(|outcome| outcome == row.outcome)
            && self.status.is_none_or(|status| row.status.is_none_or(|of| of == status))
            && (!self.unhandled || row.is_unhandled())
    }

    fn admits(&self, call: &CallRecord, whose: Option<Whose>) -> bool {
        self.admits_row(call.into())
            && self.from.is_none_or(|from| call.started_at >= from)
            && self.to.is_none_or(|to| call.started_at < to)
            && whose.is_none_or(|whose| whose.has(call.contact_id))
    }
}

impl BusinessHandle {
    pub async fn call_record(&self, id: CallId) -> Result<Option<CallView>> {
        self.call_record_as(id).await
    }

    pub async fn call_record_as<V: SomeCallView>(&self, id: CallId) -> Result<Option<V>> {
        self.read(|store| {
            let call = store.get::<CallRecord>(&keys::call(self.id, id))?;
            let reader = Reader::unbounded(store);
            call.map(|call| Callers::of(self.id).show(&reader, &call)).transpose()
        })
        .await
    }

    /// The matching calls, newest start first, or ordered by `updated_at` if `updated_since` is set.
    pub async fn calls(&self, filter: &CallFilter, page: &PageRequest) -> Result<Page<CallView>> {
        self.calls_as(filter, page).await
    }

    pub async fn calls_as<V: SomeCallView>(
        &self,
        filter: &CallFilter,
        page: &PageRequest,
    ) -> Result<Page<V>> {
        let (from, to) = (filter.from.unwrap_or(Timestamp::MIN), filter.to.unwrap_or(Timestamp::MAX));
        let (of, filter) = (self.id, filter.clone());
        let record = move |id: CallId| keys::call(of, id);
        let mut callers = Callers::of(of);
        if let Some(since) = filter.updated_since {
            let changed = keys::changed(of, kind::CALL_BY_UPDATE, since, self.fence().await?);
            let index = (changed, Order::Ascending);
            let part = move |reader: &Reader<'_>, page: &PageRequest| {
                of_contact(reader, (of, filter.contact_id), (page, Order::Ascending), |whose| {
                    let admits = |at, call: &CallRecord| call.updated_at == at && filter.admits(call, whose);
                    walk(reader, index, page, |_, id| record(id), admits, |call| callers.show(reader, call))
                })
            };
            return self.list(page, part).await;
        }
        if filter.contact_id.is_some() {
            let part = move |reader: &Reader<'_>, page: &PageRequest| {
                of_contact(reader, (of, filter.contact_id), (page, Order::Descending), |whose| {
                    let Some(whose) = whose else { return Ok((Vec::new(), End::OfList)) };
                    walk_theirs(
                        reader,
                        (whose, Order::Descending),
                        |contact| keys::calls_of_contact(of, contact, from, to),
                        page,
                        |_, id| record(id),
                        |_, call: &CallRecord| filter.admits(call, Some(whose)),
                        |call| callers.show(reader, call),
                    )
                })
            };
            return self.list(page, part).await;
        }
        if filter.unhandled {
            let index = (keys::calls_unhandled(of, from, to), Order::Descending);
            let part = move |reader: &Reader<'_>, page: &PageRequest| {
                let admits = |_, call: &CallRecord| filter.admits(call, None);
                walk(reader, index, page, |_, id| record(id), admits, |call| callers.show(reader, call))
            };
            return self.list(page, part).await;
        }
        let range = keys::calls_started(of, from, to);
        self.list(page, move |reader, page| {
            collect(reader, range, Order::Descending, page, |key, value| {
                if !filter.admits_row(CallRow::decode(value)?) {
                    return Ok(None);
                }
                let (_, id) = keys::instant_and_id(key)?;
                let call = reader.get::<CallRecord>(&record(id))?.filter(|call| filter.admits(call, None));
                call.map(|call| callers.show(reader, &call)).transpose()
            })
        })
        .await
    }
}

pub(super) struct Callers {
    business: BusinessId,
    /// Maps each contact id in a call to the id and the name of the current contact. If the contact was merged, the
    /// current contact is the survivor. The value is `None` if the contact was erased.
    names: HashMap<ContactId, Option<(ContactId, Option<String>)>>,
}

impl Callers {
    pub(super) fn of(business: BusinessId) -> Self {
        Self { business, names: HashMap::new() }
    }

    pub(super) fn show<V: SomeCallView>(
        &mut self,
        reader: &Reader<'_>,
        call: &CallRecord,
    ) -> Result<V, StoreError> {
        let Some(id) = call.contact_id else { return Ok(V::new(call, None)) };
        let of = self.business;
        let read = |id| Ok(Some(contact(reader, of, id)?.map(|contact| (contact.id, contact.name))));
        Ok(match once(&mut self.names, id, || Some((id, None)), read)? {
            Some((id, name)) => V::new(&call.of_contact(*id), name.as_deref()),
            None => V::new(&call.erased(), None),
        })
    }
}
