//! Reading contacts.

use super::{HEAD_BYTES, Page, PageRequest, collect, walk};
use crate::business::BusinessHandle;
use crate::domain::{Contact, ContactId, Email, Phone, ResourceId, Timestamp, fold_name};
use crate::engine::EngineError;
use crate::store::keys::kind;
use crate::store::records::NamesRecord;
use crate::store::{Key, Order, Record, Store, StoreError, keys};
use crate::view::ContactView;

/// What a list of contacts is narrowed to.
#[derive(Clone, Debug, Default)]
pub struct ContactFilter {
    /// Only the one with this number.
    pub phone: Option<Phone>,
    /// Only the one with this address.
    pub email: Option<Email>,
    /// Only those with this in their name, in any case.
    pub name_part: Option<String>,
    /// Only those changed at or after this instant, in the order of their changes.
    pub updated_since: Option<Timestamp>,
}

impl ContactFilter {
    fn admits(&self, contact: &Contact) -> bool {
        let has_part = |part: &String| {
            let name = contact.name.as_deref().map(fold_name);
            name.is_some_and(|name| name.contains(&fold_name(part)))
        };
        self.phone.as_ref().is_none_or(|phone| contact.phone.as_deref() == Some(phone.as_str()))
            && self.email.as_ref().is_none_or(|email| contact.email.as_deref() == Some(email.as_str()))
            && self.name_part.as_ref().is_none_or(has_part)
    }
}

impl BusinessHandle {
    /// A contact, or `None`.
    ///
    /// # Errors
    /// The store's failure.
    pub async fn contact(&self, id: ContactId) -> Result<Option<ContactView>, EngineError> {
        let contact = self.read(|store| store.get::<Contact>(&keys::contact(self.id, id))).await?;
        Ok(contact.as_ref().map(ContactView::from))
    }

    /// The contacts that the filter admits, newest first, or with `updated_since` by change.
    ///
    /// # Errors
    /// The store's failure.
    pub async fn contacts(
        &self,
        filter: &ContactFilter,
        page: &PageRequest,
    ) -> Result<Page<ContactView>, EngineError> {
        if let Some(since) = filter.updated_since {
            let changed = keys::changed(self.id, kind::CONTACT_BY_UPDATE, since, self.fence().await?);
            let record = |id: ContactId| keys::contact(self.id, id);
            let admits = |at, contact: &Contact| contact.updated_at == at && filter.admits(contact);
            let show = |contact: &Contact| Ok(ContactView::from(contact));
            return self
                .read(|store| {
                    walk(store, (changed, Order::Ascending), page, |_, id| record(id), admits, show)
                })
                .await;
        }
        let phone = filter.phone.as_ref().map(|phone| keys::contact_by_phone(self.id, phone.as_str()));
        let email = filter.email.as_ref().map(|email| keys::contact_by_email(self.id, email.as_str()));
        if let Some(row) = phone.or(email) {
            return self.read(|store| self.contact_at(store, &row, filter, page)).await;
        }
        if let Some(part) = &filter.name_part {
            let part = fold_name(part);
            return self.read(|store| self.contacts_named(store, &part, filter, page)).await;
        }
        self.read(|store| {
            collect(store, keys::of_kind(self.id, kind::CONTACT), Order::Descending, page, |_, value| {
                Ok(Some(ContactView::from(&Contact::decode(value)?)))
            })
        })
        .await
    }

    /// The list of the one contact that a unique row leads to, if the filter admits it.
    fn contact_at(
        &self,
        store: &Store,
        row: &Key,
        filter: &ContactFilter,
        page: &PageRequest,
    ) -> Result<Page<ContactView>, StoreError> {
        let contact = match store.get_raw(row)? {
            // There is nothing behind the first and only page.
            Some(id) if page.after.is_none() => {
                store.get::<Contact>(&keys::contact(self.id, keys::id_at_end(&id)?))?
            }
            _ => None,
        };
        let items = contact.filter(|contact| filter.admits(contact)).iter().map(ContactView::from).collect();
        Ok(Page { items, next: None })
    }

    /// The contacts with a part in their names, newest first, found in the index of names.
    fn contacts_named(
        &self,
        store: &Store,
        part: &str,
        filter: &ContactFilter,
        page: &PageRequest,
    ) -> Result<Page<ContactView>, StoreError> {
        let mut range = keys::of_kind(self.id, kind::CONTACT_NAMES);
        let after = page.after.as_deref().map(keys::id_at_end::<ContactId>).transpose()?;
        if let Some(position) = &page.after {
            range = range.before(Key::new(&range.from[..HEAD_BYTES]).with(position));
        }
        let finder = memchr::memmem::Finder::new(part);
        let mut items = Vec::new();
        let mut last = None;
        // Each row is looked up afresh, so that it holds every name up to the row before: one scan could meet a row after
        // a part of it was moved behind the place that the scan has passed.
        while let Some((key, row)) = store.scan(&range, Order::Descending).next().transpose()? {
            range = range.before(Key::new(&key));
            // Names stand in a row as they are, so a row without the bytes has no such name and need not be decoded.
            if finder.find(&row).is_none() {
                continue;
            }
            let NamesRecord { names } = NamesRecord::decode(&row)?;
            for (id, name) in names.into_iter().rev() {
                if after.is_some_and(|after| id >= after) || !name.contains(part) {
                    continue;
                }
                // The name may have changed since its row was read.
                let contact = store.get::<Contact>(&keys::contact(self.id, id))?;
                let Some(contact) = contact.filter(|contact| filter.admits(contact)) else { continue };
                if items.len() == page.limit {
                    let next = last.map(|last: ContactId| last.uuid().as_bytes().to_vec());
                    return Ok(Page { items, next });
                }
                items.push(ContactView::from(&contact));
                last = Some(id);
            }
        }
        Ok(Page { items, next: None })
    }
}
