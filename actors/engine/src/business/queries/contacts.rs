//! Reads contacts.

use std::collections::{BTreeMap, HashMap};

use domain::{Contact, ContactId, Email, Phone, ResourceId, Search, Timestamp, fold_name, name_in, sort_key};
use store::keys::kind;
use store::records::SearchRecord;
use store::{Key, Order, Record, Store, StoreError, keys};
use uuid::Uuid;
use view::{ContactView, SomeContactView};

use super::search::searched;
use super::{Page, PageRequest, collect, position_key, position_of, walk};
use crate::business::{BusinessHandle, Hidden, contact};
use crate::error::Result;
use crate::scans::Reader;

#[derive(Clone, Debug, Default)]
pub struct ContactFilter {
    pub phone: Option<Phone>,
    pub email: Option<Email>,
    pub name_part: Option<String>,
    pub search: Option<Search>,
    /// Lists the contacts that were changed at or after this instant, in the order of their changes.
    pub updated_since: Option<Timestamp>,
}

impl ContactFilter {
    fn admits(&self, contact: &Contact, hidden: Hidden) -> bool {
        if hidden.hides(contact.id) {
            return false;
        }
        let has_part = |part: &String| {
            let name = contact.name.as_deref().map(fold_name);
            name.is_some_and(|name| name.contains(&fold_name(part)))
        };
        (self.phone.is_none() || contact.phone == self.phone)
            && (self.email.is_none() || contact.email == self.email)
            && self.name_part.as_ref().is_none_or(has_part)
            && self.search.as_ref().is_none_or(|search| search.matches(&contact.search_text()))
    }
}

impl BusinessHandle {
    pub async fn contact(&self, id: ContactId) -> Result<Option<ContactView>> {
        self.contact_as(id).await
    }

    pub async fn contact_as<V: SomeContactView>(&self, id: ContactId) -> Result<Option<V>> {
        let contact = self
            .read(|store| {
                let contact = contact(store, self.id, id)?;
                // The contact is read first, and then the row that hides the contacts of an import. So a contact is
                // visible if its import finishes between the two reads.
                let hidden = Hidden::read(store.rows(), self.id)?;
                Ok(contact.filter(|contact| !hidden.hides(contact.id)))
            })
            .await?;
        Ok(contact.as_ref().map(V::from))
    }

    pub(super) async fn hidden(&self) -> Result<Hidden> {
        self.read(|store| Hidden::read(store.rows(), self.id)).await
    }

    /// The contacts in the order of their creation.
    pub async fn contacts_by_creation<V: SomeContactView>(&self, page: &PageRequest) -> Result<Page<V>> {
        loop {
            let hidden = self.hidden().await?;
            let found = self.all_contacts(Order::Ascending, page, hidden).await?;
            if self.hidden().await? == hidden {
                return Ok(found);
            }
        }
    }

    async fn all_contacts<V: SomeContactView>(
        &self,
        order: Order,
        page: &PageRequest,
        hidden: Hidden,
    ) -> Result<Page<V>> {
        let range = keys::of_kind(self.id, kind::CONTACT);
        self.list(page, move |reader, page| {
            collect(reader, range, order, page, |_, value| {
                let contact = Contact::decode(value)?;
                Ok((!hidden.hides(contact.id)).then(|| V::from(&contact)))
            })
        })
        .await
    }

    /// The alert texts of the given contacts. Contacts without an alert text are omitted.
    pub async fn alerts_of(&self, contacts: &[ContactId]) -> Result<HashMap<ContactId, String>> {
        self.read(|store| {
            let mut alerts = HashMap::new();
            for id in contacts {
                let contact = store.find::<Contact>(&keys::contact(self.id, *id))?;
                alerts.extend(contact.and_then(|contact| contact.alert).map(|alert| (*id, alert)));
            }
            Ok(alerts)
        })
        .await
    }

    /// The matching contacts, newest first, or ordered by `updated_at` if `updated_since` is set.
    pub async fn contacts(&self, filter: &ContactFilter, page: &PageRequest) -> Result<Page<ContactView>> {
        self.contacts_as(filter, page).await
    }

    pub async fn contacts_as<V: SomeContactView>(
        &self,
        filter: &ContactFilter,
        page: &PageRequest,
    ) -> Result<Page<V>> {
        // If an import begins or ends during the read, the page may contain only some of the imported contacts. In
        // this case, the page is read again.
        loop {
            let hidden = self.hidden().await?;
            let found = self.contacts_without(hidden, filter, page).await?;
            if self.hidden().await? == hidden {
                return Ok(found);
            }
        }
    }

    async fn contacts_without<V: SomeContactView>(
        &self,
        hidden: Hidden,
        filter: &ContactFilter,
        page: &PageRequest,
    ) -> Result<Page<V>> {
        let (of, filter) = (self.id, filter.clone());
        if let Some(since) = filter.updated_since {
            let changed = keys::changed(of, kind::CONTACT_BY_UPDATE, since, self.fence().await?);
            let record = move |id: ContactId| keys::contact(of, id);
            let show = |contact: &Contact| Ok(V::from(contact));
            return self
                .list(page, move |reader, page| {
                    let admits =
                        |at, contact: &Contact| contact.updated_at == at && filter.admits(contact, hidden);
                    walk(reader, (changed, Order::Ascending), page, |_, id| record(id), admits, show)
                })
                .await;
        }
        let phone = filter.phone.as_ref().map(|phone| keys::contact_by_phone(of, phone));
        let email = filter.email.as_ref().map(|email| keys::contact_by_email(of, email));
        if let Some(row) = phone.or(email) {
            return self.read(|store| self.contact_at(store, &row, (&filter, hidden), page)).await;
        }
        let in_name = || filter.name_part.as_deref().map(Search::in_name);
        if let Some(search) = filter.search.clone().or_else(in_name) {
            let part = move |reader: &Reader<'_>, page: &PageRequest| {
                let admits = |contact: &Contact| filter.admits(contact, hidden);
                searched(reader, (of, &search), page, admits, |contact| Ok(V::from(contact)))
            };
            return self.list(page, part).await;
        }
        self.all_contacts(Order::Descending, page, hidden).await
    }

    /// The contacts with a name, in alphabetical order.
    pub async fn contacts_by_name(&self, page: &PageRequest) -> Result<Page<ContactView>> {
        loop {
            let hidden = self.hidden().await?;
            let found = self.names_without(hidden, page).await?;
            if self.hidden().await? == hidden {
                return Ok(found);
            }
        }
    }

    async fn names_without(&self, hidden: Hidden, page: &PageRequest) -> Result<Page<ContactView>> {
        let after = page.after.clone().unwrap_or_default();
        // The contacts of this page, sorted by name, and the first contact of the next page.
        let mut first = BTreeMap::new();
        let mut take = |name: &str, id: Uuid| {
            if hidden.hides(id.into()) {
                return;
            }
            let position = [sort_key(name).as_bytes(), &[0], id.as_bytes()].concat();
            if position > after {
                first.insert(position, id);
            }
            if first.len() > page.limit.saturating_add(1) {
                first.pop_last();
            }
        };
        let (contacts, index) =
            (keys::of_kind(self.id, kind::CONTACT), keys::of_kind(self.id, kind::CONTACT_SEARCH));
        // The contacts after the newest row of the index are not indexed yet. They are read before the index. If a
        // contact is indexed between the two reads, both reads find it, so no contact is missed. Both reads give the
        // same position, so the contact is listed once.
        let newest = self.read(|store| store.scan(&index, Order::Descending).next().transpose()).await?;
        let unfiled =
            newest.map_or(contacts, |(key, _)| contacts.after(position_key(&contacts, position_of(&key))));
        let named = |_: &Reader<'_>, _: &[u8], row: &[u8]| {
            Contact::decode(row).map(|contact| contact.name.map(|name| (name, contact.id.uuid())))
        };
        self.every(unfiled, named, |(name, id)| take(&name, id)).await?;
        let texts =
            |_: &Reader<'_>, _: &[u8], row: &[u8]| SearchRecord::decode(row).map(|row| Some(row.texts));
        self.every(index, texts, |texts| {
            for (id, text) in texts {
                if let Some(name) = name_in(&text) {
                    take(name, id);
                }
            }
        })
        .await?;
        let is_all = first.len() <= page.limit;
        if !is_all {
            first.pop_last();
        }
        let next = first.last_key_value().filter(|_| !is_all).map(|(position, _)| position.clone());
        let mut items = Vec::new();
        for id in first.into_values() {
            // A contact that has been erased since its row was read is omitted.
            items.extend(self.read(|store| store.find::<Contact>(&keys::contact(self.id, id.into()))).await?);
        }
        Ok(Page { items: items.iter().map(ContactView::from).collect(), next })
    }

    fn contact_at<V: SomeContactView>(
        &self,
        store: &Store,
        row: &Key,
        (filter, hidden): (&ContactFilter, Hidden),
        page: &PageRequest,
    ) -> Result<Page<V>, StoreError> {
        let contact = match store.get_raw(row)? {
            Some(id) if page.after.is_none() => {
                let contact =
                    keys::id_at_end(&id).and_then(|id| store.get::<Contact>(&keys::contact(self.id, id)));
                store.usable(row, contact)?.flatten()
            }
            _ => None,
        };
        let items = contact.filter(|contact| filter.admits(contact, hidden)).iter().map(V::from).collect();
        Ok(Page { items, next: None })
    }
}
