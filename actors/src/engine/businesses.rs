//! The list of businesses: creating one, and reading it.

use tokio::sync::oneshot;

use super::Engine;
use crate::business::{Page, PageRequest, Write, collect, read_page};
use crate::domain::{
    Actor, AuditEntry, AuditId, BookingMode, Business, BusinessId, Locale, ResourceId, Text, Usage,
    WeeklyHours,
};
use crate::error::EngineError;
use crate::shared::Shared;
use crate::store::keys::installation_kind;
use crate::store::records::AuditRecord;
use crate::store::{Batch, Order, Record, Weight, keys};

/// A business as it is created.
#[derive(Clone, Debug)]
pub struct NewBusiness {
    /// Its name.
    pub name: Text<1, 200>,
    /// Its zone.
    pub zone: chrono_tz::Tz,
    /// Its default language.
    pub locale: Locale,
    /// Its web site.
    pub website_url: Option<String>,
    /// How appointments come about.
    pub booking_mode: BookingMode,
    /// Its opening hours.
    pub hours: WeeklyHours,
    /// The region in which national phone numbers are read.
    pub phone_region: String,
}

impl Engine {
    /// Creates a business. Until the answer nobody knows its id, so it needs no actor.
    ///
    /// # Errors
    /// [`EngineError::Stopping`], [`EngineError::Overloaded`], [`EngineError::DiskFull`].
    pub async fn create_business(&self, new: NewBusiness, by: Actor) -> Result<Business, EngineError> {
        let permit = self.shared.permit()?;
        self.shared.store.check_room(Weight::Grows)?;
        let now = self.now();
        self.shared.clocks.note(now, &self.shared.store);
        let (id, audit_id): (BusinessId, AuditId) = {
            let mut mint = self.shared.mint.lock();
            let next = || self.shared.ports.random_bytes();
            (mint.next(now, next()), mint.next(now, next()))
        };
        let business = Business {
            id,
            name: new.name.into_string(),
            zone: new.zone,
            locale: new.locale,
            website_url: new.website_url,
            booking_mode: new.booking_mode,
            hours: new.hours,
            phone_region: new.phone_region,
            suspended: false,
            created_at: now,
            updated_at: now,
        };
        let mut batch = Batch::default();
        Write::Business(business.clone()).encode(id, &mut batch);
        batch.put(keys::business_index(id), Vec::new());
        let entry = AuditEntry {
            id: audit_id,
            at: now,
            actor: by,
            action: "business.created".into(),
            resource_type: "business".into(),
            resource_id: id.uuid(),
            changes: Vec::new(),
        };
        let record = AuditRecord { entry, usage: Some(Usage::default()) };
        batch.put(keys::audit(id, audit_id), record.encode());
        let (done, written) = oneshot::channel();
        self.shared.store.submit(
            id,
            batch,
            Box::new(move || {
                drop(permit);
                _ = done.send(());
            }),
        );
        written.await.map_err(|_| EngineError::Failed)?;
        Ok(business)
    }

    /// The businesses in the order of their creation.
    ///
    /// # Errors
    /// The store's failure.
    pub async fn businesses(&self, page: &PageRequest) -> Result<Page<Business>, EngineError> {
        let all = keys::of_kind(BusinessId::INSTALLATION, installation_kind::BUSINESS_INDEX);
        let Shared { store, scans, .. } = &*self.shared;
        let found = read_page((scans, store), BusinessId::INSTALLATION, page, move |reader, page| {
            collect(reader, all, Order::Ascending, page, |key, _| {
                reader.get::<Business>(&keys::profile(keys::id_at_end(key)?))
            })
        })
        .await?;
        for business in &found.items {
            store.settled(business.id).await?;
        }
        Ok(found)
    }
}
