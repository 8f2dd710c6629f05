//! The list of businesses: creating one, ending one, and reading it.

use std::sync::Arc;

use domain::{
    Actor, AuditAction, AuditEntry, AuditId, BookingMode, Business, BusinessId, Locale, ResourceId, Text,
    Usage, WeeklyBreaks, WeeklyHours,
};
use store::keys::installation_kind;
use store::records::AuditRecord;
use store::{Batch, Order, Record, Weight, keys, unless_business_set_aside};
use tokio::sync::oneshot;
use view::{EndedView, OperatorBusinessView};

use super::Engine;
use super::once::Once;
use crate::actor::Held;
use crate::business::commands::erasure::EndBusiness;
use crate::business::{
    Answer, Ended, Idempotency, New, Page, PageRequest, Request, Write, collect, end_unread, is_unread,
    read_page, remember_end,
};
use crate::delivery::EndpointKey;
use crate::error::EngineError;
use crate::shared::Shared;

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
    /// When nothing is booked though it is open.
    pub breaks: WeeklyBreaks,
    /// The region in which national phone numbers are read.
    pub phone_region: String,
}

impl Engine {
    /// Creates a business. Until the answer nobody knows its id, so it needs no actor.
    ///
    /// # Errors
    /// [`EngineError::Stopping`], [`EngineError::Overloaded`], [`EngineError::DiskFull`].
    pub async fn create_business(&self, new: NewBusiness, by: Actor) -> Result<Business, EngineError> {
        self.create(new, by, None).await
    }

    /// Creates a business once, and gives the answer of that whenever it is asked again within 24 hours. What is
    /// remembered stands among the rows of the installation: the business is not there yet when it is looked for.
    ///
    /// # Errors
    /// As above; that the key was used otherwise, or the first request with it is under way.
    pub async fn create_business_once(
        &self,
        new: NewBusiness,
        by: Actor,
        idempotency: Idempotency,
    ) -> Result<Answer<OperatorBusinessView>, EngineError> {
        let once = Once::begin(&self.shared, idempotency.key)?;
        if let Some(answer) = Once::answered::<New<OperatorBusinessView>>(&self.shared, idempotency)? {
            return Ok(answer);
        }
        let business = self.create(new, by, Some((once, idempotency))).await?;
        Ok(Answer { value: OperatorBusinessView::from(&business), replayed: false })
    }

    async fn create(
        &self,
        new: NewBusiness,
        by: Actor,
        once: Option<(Once, Idempotency)>,
    ) -> Result<Business, EngineError> {
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
            breaks: new.breaks,
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
            action: AuditAction::BusinessCreated,
            resource_type: AuditAction::BusinessCreated.kind(),
            resource_id: id.uuid(),
            changes: Vec::new(),
        };
        let record = AuditRecord { entry, usage: Some(Usage::default()) };
        batch.put(keys::audit(id, audit_id), record.encode());
        if let Some((_, asked)) = once {
            let answer = OperatorBusinessView::from(&business);
            Once::remember::<New<OperatorBusinessView>>(&self.shared, asked, &answer, &mut batch)?;
        }
        let (done, written) = oneshot::channel();
        self.shared.store.submit(
            id,
            batch,
            Box::new(move || {
                drop((permit, once));
                _ = done.send(());
            }),
        );
        written.await.map_err(|_| EngineError::Failed)?;
        Ok(business)
    }

    /// Ends a business: it is nobody's with the answer, and its rows go behind that. With an idempotency key the same
    /// request gets the same answer again, though there is no such business then.
    ///
    /// # Errors
    /// [`EngineError::NotFound`] when there is none; else as a change.
    pub async fn end_business(
        &self,
        id: BusinessId,
        mut request: Request,
    ) -> Result<Answer<EndedView>, EngineError> {
        self.shared.check_business(id)?;
        let once = request.idempotency.take();
        let ending = once.map(|once| Once::begin(&self.shared, once.key)).transpose()?;
        if let Some(once) = once
            && let Some(answer) = Once::answered::<Ended>(&self.shared, once)?
        {
            return Ok(answer);
        }
        if !self.shared.businesses.is_running(id) && is_unread(&self.shared.store, id)? {
            return self.end_unread(id, once, ending).await;
        }
        self.business(id).holding(ending.map(Held::new)).change(request, EndBusiness { once }).await
    }

    /// Ends a business whose profile does not decode, so that it has no actor.
    async fn end_unread(
        &self,
        id: BusinessId,
        once: Option<Idempotency>,
        ending: Option<Once>,
    ) -> Result<Answer<EndedView>, EngineError> {
        let (shared, permit) = (Arc::clone(&self.shared), self.shared.permit()?);
        shared.store.check_room(Weight::Frees)?;
        let (mut batch, endpoints) = end_unread(&shared.store, id)?;
        if let Some(once) = once {
            remember_end(id, shared.clocks.steady(), once, &mut batch);
        }
        let (done, written) = oneshot::channel();
        let then = Arc::downgrade(&shared);
        shared.store.submit(
            id,
            batch,
            Box::new(move || {
                if let Some(shared) = then.upgrade() {
                    shared.end(id);
                    let keys = endpoints.into_iter().map(|endpoint| EndpointKey { business: id, endpoint });
                    keys.for_each(|key| shared.look_after(key));
                }
                drop((permit, ending));
                _ = done.send(());
            }),
        );
        written.await.map_err(|_| EngineError::Failed)?;
        Ok(Answer { value: EndedView { id }, replayed: false })
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
                let business = reader.get::<Business>(&keys::profile(keys::listed_business(key)?));
                Ok(unless_business_set_aside(business)?.flatten())
            })
        })
        .await?;
        Ok(found)
    }
}
