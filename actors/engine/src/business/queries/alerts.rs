//! Reads the alerts of a person for the dashboard.

use domain::{ALERTS_KEPT, Alert, AlertsRead, Membership, Named, PersonId, Refusal};
use store::{Order, Record, keys};

use super::super::handle::BusinessHandle;
use super::pages::{Page, PageRequest, collect};
use crate::error::Result;

pub const UNREAD_COUNTED_MAX: usize = 100;

impl BusinessHandle {
    /// Returns a person's alerts, newest first. Fails with [`Refusal::NotFound`] if the person has no active
    /// membership.
    pub async fn alerts(&self, person: PersonId, page: &PageRequest) -> Result<Page<Alert>> {
        let (membership, read) = self.reader_of_alerts(person)?;
        let range = keys::alerts(self.id, person);
        self.list(page, move |reader, page| {
            collect(reader, range, Order::Descending, page, |_, value| {
                let alert = Alert::decode(value)?;
                Ok(alert.is_shown_by(&membership).then(|| alert.shown(read)))
            })
        })
        .await
    }

    pub async fn unread_alerts(&self, person: PersonId) -> Result<usize> {
        let (membership, read) = self.reader_of_alerts(person)?;
        let range = match read {
            Some(read) => keys::alerts(self.id, person).after(keys::alert(self.id, person, read.until)),
            None => keys::alerts(self.id, person),
        };
        self.read(|store| {
            let alerts = store.records::<Alert>(&range, Order::Descending).take(ALERTS_KEPT as usize);
            let unread = alerts.filter(|row| match row {
                Ok((_, alert)) => alert.read_at.is_none() && alert.is_shown_by(&membership),
                Err(_) => true,
            });
            unread.take(UNREAD_COUNTED_MAX).map(|row| row.map(|_| 1)).sum()
        })
        .await
    }

    fn reader_of_alerts(&self, person: PersonId) -> Result<(Membership, Option<AlertsRead>)> {
        let store = &self.shared().store;
        let membership = store.get::<Membership>(&keys::membership(self.id, person))?;
        let membership = membership.filter(Membership::is_active).ok_or(Refusal::NotFound(Named::Person))?;
        let read = store.find::<AlertsRead>(&keys::alerts_read(self.id, person))?;
        Ok((membership, read))
    }
}
