//! Reading contacts.

use domain::{BusinessId, Contact, ContactId, Email, Phone, ResourceId, Timestamp, fold_name};
use store::keys::kind;
use store::records::NamesRecord;
use store::{Key, Order, Record, Store, StoreError, keys};
use view::{ContactView, SomeContactView};

use super::{Page, PageRequest, Part, collect, position_key, position_of, walk};
use crate::business::BusinessHandle;
use crate::error::EngineError;
use crate::scans::Reader;

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
        self.contact_as(id).await
    }

    /// The same, in another view.
    ///
    /// # Errors
    /// The store's failure.
    pub async fn contact_as<V: SomeContactView>(&self, id: ContactId) -> Result<Option<V>, EngineError> {
        let contact = self.read(|store| store.get::<Contact>(&keys::contact(self.id, id))).await?;
        Ok(contact.as_ref().map(V::from))
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
        self.contacts_as(filter, page).await
    }

    /// The same, in another view.
    ///
    /// # Errors
    /// The store's failure.
    pub async fn contacts_as<V: SomeContactView>(
        &self,
        filter: &ContactFilter,
        page: &PageRequest,
    ) -> Result<Page<V>, EngineError> {
        let (of, filter) = (self.id, filter.clone());
        if let Some(since) = filter.updated_since {
            let changed = keys::changed(of, kind::CONTACT_BY_UPDATE, since, self.fence().await?);
            let record = move |id: ContactId| keys::contact(of, id);
            let show = |contact: &Contact| Ok(V::from(contact));
            return self
                .list(page, move |reader, page| {
                    let admits = |at, contact: &Contact| contact.updated_at == at && filter.admits(contact);
                    walk(reader, (changed, Order::Ascending), page, |_, id| record(id), admits, show)
                })
                .await;
        }
        let phone = filter.phone.as_ref().map(|phone| keys::contact_by_phone(of, phone.as_str()));
        let email = filter.email.as_ref().map(|email| keys::contact_by_email(of, email.as_str()));
        if let Some(row) = phone.or(email) {
            return self.read(|store| self.contact_at(store, &row, &filter, page)).await;
        }
        if let Some(part) = &filter.name_part {
            let part = fold_name(part);
            return self.list(page, move |reader, page| named(reader, of, &part, &filter, page)).await;
        }
        let range = keys::of_kind(of, kind::CONTACT);
        self.list(page, move |reader, page| {
            collect(reader, range, Order::Descending, page, |_, value| {
                Ok(Some(V::from(&Contact::decode(value)?)))
            })
        })
        .await
    }

    /// The list of the one contact that a unique row leads to, if the filter admits it.
    fn contact_at<V: SomeContactView>(
        &self,
        store: &Store,
        row: &Key,
        filter: &ContactFilter,
        page: &PageRequest,
    ) -> Result<Page<V>, StoreError> {
        let contact = match store.get_raw(row)? {
            // There is nothing behind the first and only page.
            Some(id) if page.after.is_none() => {
                let contact =
                    keys::id_at_end(&id).and_then(|id| store.get::<Contact>(&keys::contact(self.id, id)));
                store.usable(row, contact)?.flatten()
            }
            _ => None,
        };
        let items = contact.filter(|contact| filter.admits(contact)).iter().map(V::from).collect();
        Ok(Page { items, next: None })
    }
}

/// The contacts with a part in their names, newest first, found in the index of names. A position is the id of a
/// contact, of whom the names before it are still to be looked at.
fn named<V: SomeContactView>(
    reader: &Reader<'_>,
    of: BusinessId,
    part: &str,
    filter: &ContactFilter,
    page: &PageRequest,
) -> Result<Part<V>, StoreError> {
    let mut range = keys::of_kind(of, kind::CONTACT_NAMES);
    let after = page.after.as_deref().map(keys::id_at_end::<ContactId>).transpose()?;
    if let Some(position) = &page.after {
        range = range.before(position_key(&range, position));
    }
    let finder = memchr::memmem::Finder::new(part);
    let (mut items, mut looked_at) = (Vec::new(), 0);
    let mut reached = page.after.clone().unwrap_or_default();
    // Each row is looked up afresh, so that it holds every name up to the row before: one scan could meet a row after
    // a part of it was moved behind the place that the scan has passed.
    while let Some((key, row)) = reader.scan(&range, Order::Descending).next().transpose()? {
        if looked_at > 0 && reader.is_used_up() {
            return Ok(Part::used_up(items, reached));
        }
        range = range.before(Key::new(&key));
        // Names stand in a row as they are, so a row without the bytes has no such name and need not be decoded.
        let names = match finder.find(&row) {
            Some(_) => reader.usable(&key, NamesRecord::decode(&row))?.map_or_else(Vec::new, |row| row.names),
            None => Vec::new(),
        };
        for (id, name) in names.into_iter().rev() {
            if after.is_some_and(|after| id >= after) || !name.contains(part) {
                continue;
            }
            if looked_at > 0 && reader.is_used_up() {
                return Ok(Part::used_up(items, reached));
            }
            // The name may have changed since its row was read.
            let contact = reader.find::<Contact>(&keys::contact(of, id))?;
            if let Some(contact) = contact.filter(|contact| filter.admits(contact)) {
                if items.len() == page.limit {
                    return Ok(Part::full(items, reached));
                }
                items.push(V::from(&contact));
            }
            reached = id.uuid().as_bytes().to_vec();
            looked_at += 1;
        }
        reached = position_of(&key).to_vec();
        looked_at += 1;
    }
    Ok(Part::last(items))
}
