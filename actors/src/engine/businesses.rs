//! The list of businesses: creating one, ending one, and reading it.

use tokio::sync::oneshot;

use super::Engine;
use crate::business::commands::erasure::EndBusiness;
use crate::business::{
    Answer, AnswerStatus, Idempotency, Page, PageRequest, Request, Write, answer_of, collect, days, kept,
    read_page, remember,
};
use crate::domain::{
    Actor, AuditEntry, AuditId, BookingMode, Business, BusinessId, Locale, ResourceId, Text, Usage,
    WeeklyBreaks, WeeklyHours,
};
use crate::error::EngineError;
use crate::shared::{OnceGuard, Shared};
use crate::store::keys::installation_kind;
use crate::store::records::AuditRecord;
use crate::store::{Batch, Key, Order, Record, StoreError, Weight, keys};
use crate::view::{self, OperatorBusinessView};

/// How many remembered answers that have outlived their time a creation takes away.
const OUTLIVED_PER_CREATION: usize = 16;

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
    /// As above, and the refusals of a request that happens once.
    pub async fn create_business_once(
        &self,
        new: NewBusiness,
        by: Actor,
        idempotency: Idempotency,
    ) -> Result<Answer, EngineError> {
        let creating = Creating::begin(&self.shared, idempotency)?;
        let now = self.shared.clocks.steady();
        let read = |day| self.shared.store.get(&of_installation(day, &idempotency));
        if let Some((_, record)) = kept(days(now), now, idempotency.fingerprint, read)? {
            return Ok(answer_of(record)?);
        }
        let business = self.create(new, by, Some(creating)).await?;
        let body = view::render(&OperatorBusinessView::from(&business));
        Ok(Answer { status: AnswerStatus::Created, body: body.into(), replayed: false })
    }

    async fn create(
        &self,
        new: NewBusiness,
        by: Actor,
        once: Option<Creating>,
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
            action: "business.created".into(),
            resource_type: "business".into(),
            resource_id: id.uuid(),
            changes: Vec::new(),
        };
        let record = AuditRecord { entry, usage: Some(Usage::default()) };
        batch.put(keys::audit(id, audit_id), record.encode());
        if let Some(creating) = &once {
            creating.remember(&self.shared, &business, &mut batch)?;
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
    pub async fn end_business(&self, id: BusinessId, mut request: Request) -> Result<Answer, EngineError> {
        let once = request.idempotency.take();
        let _ending = once.map(|once| Creating::begin(&self.shared, once)).transpose()?;
        if let Some(once) = once {
            let now = self.shared.clocks.steady();
            let read = |day| self.shared.store.get(&of_installation(day, &once));
            if let Some((_, record)) = kept(days(now), now, once.fingerprint, read)? {
                self.shared.store.settled(id).await?;
                return Ok(answer_of(record)?);
            }
        }
        self.business(id).change(request, EndBusiness { once }).await
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
                reader.get::<Business>(&keys::profile(keys::listed_business(key)?))
            })
        })
        .await?;
        for business in &found.items {
            store.settled(business.id).await?;
        }
        // That one is not in the list any more is shown only once it is so for good.
        crate::ending::settled(store).await?;
        Ok(found)
    }
}

/// A request that creates or ends a business once and is being carried out: the same one again is refused until it has
/// been.
struct Creating {
    _once: OnceGuard,
    idempotency: Idempotency,
}

impl Creating {
    fn begin(shared: &Shared, idempotency: Idempotency) -> Result<Self, EngineError> {
        Ok(Self { _once: shared.begin_once(&idempotency)?, idempotency })
    }

    /// Adds what is answered to the batch, and takes away a few of those that no look-up reaches any more: so there are
    /// never many more than were made in two days.
    fn remember(&self, shared: &Shared, business: &Business, batch: &mut Batch) -> Result<(), StoreError> {
        let now = shared.clocks.steady();
        let outlived = keys::idempotency_before(BusinessId::INSTALLATION, now.day().saturating_sub(1));
        for row in shared.store.scan(&outlived, Order::Ascending).take(OUTLIVED_PER_CREATION) {
            let (key, value) = row?;
            batch.delete_whole(Key::new(&key), value.len());
        }
        let body = view::render(&OperatorBusinessView::from(business));
        let (of, status) = (BusinessId::INSTALLATION, AnswerStatus::Created);
        remember(of, now, self.idempotency, status, &body, batch);
        Ok(())
    }
}

/// Where the answer to a request that creates or ends a business is kept.
fn of_installation(day: u32, idempotency: &Idempotency) -> Key {
    keys::idempotency(BusinessId::INSTALLATION, day, &idempotency.key)
}
