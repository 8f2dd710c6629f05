//! Reads calls.

use std::collections::HashMap;

use domain::{
    BusinessId, CallId, CallOutcome, CallRecord, CallStatus, Contact, ContactId, Direction, Timestamp,
};
use store::keys::kind;
use store::records::CallRow;
use store::{Order, Record, StoreError, keys};
use view::{CallView, SomeCallView};

use super::{End, Page, PageRequest, collect, once, walk, was_erased};
use crate::business::BusinessHandle;
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
    /// Lists only missed and failed calls that the team has not marked as handled.
    pub unhandled: bool,
    /// Lists the calls that were changed at or after this instant, in the order of their changes.
    pub updated_since: Option<Timestamp>,
}

impl CallFilter {
    fn admits_row(&self, row: CallRow) -> bool {
        self.direction.is_none_or(|direction| direction == row.direction)
            && self.outcome.is_none_or(|outcome| outcome == row.outcome)
    }

    fn admits(&self, call: &CallRecord) -> bool {
        self.admits_row(call.into())
            && self.status.is_none_or(|status| call.status == status)
            && self.from.is_none_or(|from| call.started_at >= from)
            && self.to.is_none_or(|to| call.started_at < to)
            && self.contact_id.is_none_or(|id| call.contact_id == Some(id))
            && !(self.unhandled && (call.status == CallStatus::Completed || call.handled_at.is_some()))
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
        let since = filter.updated_since;
        let index = match (since, filter.contact_id) {
            (Some(since), _) => {
                let changed = keys::changed(of, kind::CALL_BY_UPDATE, since, self.fence().await?);
                Some((changed, Order::Ascending))
            }
            (None, Some(contact)) => Some((keys::calls_of_contact(of, contact, from, to), Order::Descending)),
            (None, None) => None,
        };
        if let Some(index) = index {
            let part = move |reader: &Reader<'_>, page: &PageRequest| {
                if was_erased(reader, of, filter.contact_id)? {
                    return Ok((Vec::new(), End::OfList));
                }
                let admits =
                    |at, call: &CallRecord| (since.is_none() || call.updated_at == at) && filter.admits(call);
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
                let call = reader.get::<CallRecord>(&record(id))?.filter(|call| filter.admits(call));
                call.map(|call| callers.show(reader, &call)).transpose()
            })
        })
        .await
    }
}

pub(super) struct Callers {
    business: BusinessId,
    /// The names of the contacts. The outer `Option` is `None` for an erased contact.
    names: HashMap<ContactId, Option<Option<String>>>,
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
        let Some(contact) = call.contact_id else { return Ok(V::new(call, None)) };
        let of = self.business;
        let read = |id| Ok(Some(reader.get::<Contact>(&keys::contact(of, id))?.map(|contact| contact.name)));
        let name = once(&mut self.names, contact, || Some(None), read)?;
        Ok(match name {
            Some(name) => V::new(call, name.as_deref()),
            None => V::new(&call.erased(), None),
        })
    }
}
