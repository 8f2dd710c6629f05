//! Creates, deletes and lists businesses.

use std::sync::Arc;

use domain::{
    Actor, AuditAction, AuditEntry, AuditId, BookingMode, Business, BusinessId, Locale, NoticeSettings,
    ResourceId, Text, Usage, WeeklyBreaks, WeeklyHours,
};
use store::keys::installation_kind;
use store::records::AuditRecord;
use store::{Batch, Order, Record, Weight, keys, unless_business_set_aside};
use tokio::sync::oneshot;
use view::{EndedView, OperatorBusinessView};

use super::Engine;
use super::once::Once;
use crate::actor::Claim;
use crate::business::commands::erasure::{EndBusiness, end_undecodable, is_undecodable, remember_end};
use crate::business::{
    Answer, Ended, Idempotency, New, Page, PageRequest, Request, Write, collect, read_page,
};
use crate::delivery::EndpointKey;
use crate::error::{EngineError, Result};

#[derive(Clone, Debug)]
pub struct NewBusiness {
    pub name: Text<1, 200>,
    pub zone: chrono_tz::Tz,
    pub locale: Locale,
    pub website_url: Option<String>,
    pub booking_mode: BookingMode,
    pub hours: WeeklyHours,
    pub breaks: WeeklyBreaks,
    pub phone_region: String,
}

impl Engine {
    pub async fn create_business(&self, new: NewBusiness, by: Actor) -> Result<Business> {
        self.create(new, by, None).await
    }

    /// Creates a business. A repeated request within 24 hours gets the same response. Fails if the idempotency key was
    /// used for another request, or if the first request still runs.
    pub async fn create_business_once(
        &self,
        new: NewBusiness,
        by: Actor,
        idempotency: Idempotency,
    ) -> Result<Answer<OperatorBusinessView>> {
        let once = Once::begin(self.shared(), idempotency.key)?;
        if let Some(answer) = Once::answered::<New<OperatorBusinessView>>(self.shared(), idempotency)? {
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
    ) -> Result<Business> {
        let shared = self.shared();
        let permit = shared.permit()?;
        shared.store.check_room(Weight::Grows)?;
        let now = self.now();
        shared.clocks.note(now, &shared.store);
        let (id, audit_id): (BusinessId, AuditId) = (shared.mint_id(now), shared.mint_id(now));
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
            customer_word: domain::CustomerWord::Client,
            grid_minutes: domain::GRID_MINUTES_DEFAULT,
            created_at: now,
            updated_at: now,
        };
        let mut batch = Batch::default();
        Write::Business(business.clone()).encode(id, &mut batch);
        batch.put(keys::business_index(id), Vec::new());
        Write::Notices(NoticeSettings::of_new()).encode(id, &mut batch);
        let entry = AuditEntry::new((audit_id, now), (by, AuditAction::BusinessCreated), id.uuid());
        let record = AuditRecord { entry, usage: Some(Usage::default()) };
        batch.put(keys::audit(id, audit_id), record.encode());
        if let Some((_, asked)) = once {
            let answer = OperatorBusinessView::from(&business);
            Once::remember::<New<OperatorBusinessView>>(shared, asked, &answer, &mut batch)?;
        }
        shared.write(id, batch, (permit, once)).await?;
        Ok(business)
    }

    /// Deletes a business. With an idempotency key, a repeated request gets the same response even after the
    /// deletion.
    pub async fn end_business(&self, id: BusinessId, mut request: Request) -> Result<Answer<EndedView>> {
        let (shared, businesses) = (self.shared(), &self.parts.businesses);
        shared.check_business(id)?;
        let once = request.idempotency.take();
        let ending = once.map(|once| Once::begin(shared, once.key)).transpose()?;
        if let Some(once) = once
            && let Some(answer) = Once::answered::<Ended>(shared, once)?
        {
            return Ok(answer);
        }
        if !businesses.directory.is_running(id) && is_undecodable(&shared.store, id)? {
            return self.end_undecodable(id, once, ending).await;
        }
        self.business(id).with_claim(ending.map(Claim::new)).change(request, EndBusiness { once }).await
    }

    /// Deletes a business that has no actor because its profile cannot be decoded.
    async fn end_undecodable(
        &self,
        id: BusinessId,
        once: Option<Idempotency>,
        ending: Option<Once>,
    ) -> Result<Answer<EndedView>> {
        let shared = self.shared();
        let permit = shared.permit()?;
        shared.store.check_room(Weight::Frees)?;
        let (mut batch, endpoints) = end_undecodable(&shared.store, id, self.now())?;
        if let Some(once) = once {
            remember_end(id, shared.clocks.steady(), once, &mut batch);
        }
        let (done, written) = oneshot::channel();
        let businesses = Arc::downgrade(&self.parts.businesses);
        shared.store.submit(
            id,
            batch,
            Box::new(move || {
                if let Some(businesses) = businesses.upgrade() {
                    businesses.end(id);
                    let keys = endpoints.into_iter().map(|endpoint| EndpointKey { business: id, endpoint });
                    keys.for_each(|key| businesses.deliveries.refresh(key));
                }
                drop((permit, ending));
                _ = done.send(());
            }),
        );
        written.await.map_err(|_| EngineError::Failed)?;
        Ok(Answer { value: EndedView { id }, replayed: false })
    }

    pub async fn businesses(&self, page: &PageRequest) -> Result<Page<Business>> {
        let all = keys::of_kind(BusinessId::INSTALLATION, installation_kind::BUSINESS_INDEX);
        let scans = (&self.parts.businesses.scans, &self.shared().store);
        read_page(scans, BusinessId::INSTALLATION, page, move |reader, page| {
            collect(reader, all, Order::Ascending, page, |key, _| {
                let business = reader.get::<Business>(&keys::profile(keys::listed_business(key)?));
                Ok(unless_business_set_aside(business)?.flatten())
            })
        })
        .await
    }
}
