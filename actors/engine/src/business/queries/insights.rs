//! Computes statistics of all records in a range. The range is read in parts, between which other requests can run.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;

use chrono::NaiveDate;
use domain::{
    Alias, Appointment, CallId, CallRecord, ContactId, Counted, InsightPeriod, Insights, StaffId,
    StaffMember, Timestamp, Visits,
};
use store::keys::kind;
use store::records::CallRow;
use store::{KeyRange, Order, Record, StoreError, keys};
use view::{
    ContactWithVisitsView, InsightsView, OperatorContactView, PeriodView, StaffPeriodView, VisitsView,
};

use super::{PageRequest, collect};
use crate::business::{BusinessHandle, Whose, survivor};
use crate::error::Result;
use crate::scans::Reader;

impl BusinessHandle {
    /// Calls the function `pick` with each row of a range, in the order of the keys, and the function `take` with each
    /// result of `pick`. May miss rows whose keys change during the read.
    pub(super) async fn every<T: Send + 'static>(
        &self,
        range: KeyRange,
        pick: impl Fn(&Reader<'_>, &[u8], &[u8]) -> Result<Option<T>, StoreError> + Clone + Send + 'static,
        mut take: impl FnMut(T),
    ) -> Result<()> {
        let mut page = PageRequest { limit: usize::MAX, after: None };
        loop {
            let pick = pick.clone();
            let part = move |reader: &Reader<'_>, page: &PageRequest| {
                collect(reader, range, Order::Ascending, page, |key, value| pick(reader, key, value))
            };
            let found = self.list(&page, part).await?;
            found.items.into_iter().for_each(&mut take);
            page.after = found.next;
            if page.after.is_none() {
                return Ok(());
            }
        }
    }

    /// Returns a contact with the counts of its appointments, or `None` if the contact is unknown.
    pub async fn contact_with_visits(&self, id: ContactId) -> Result<Option<ContactWithVisitsView>> {
        let Some(contact) = self.contact_as::<OperatorContactView>(id).await? else { return Ok(None) };
        let visits = self.visits(contact.contact.id).await?;
        Ok(Some(ContactWithVisitsView { contact, visits }))
    }

    pub async fn visits(&self, contact: ContactId) -> Result<VisitsView> {
        // A merge moves appointments from one contact to another, so the count is repeated if the contact was merged
        // during the count.
        let mut merged = self.merged(contact).await?;
        loop {
            let counted = self.counted(contact).await?;
            let now = self.merged(contact).await?;
            if now == merged {
                return Ok(Visits::of(&counted, self.now()).into());
            }
            merged = now;
        }
    }

    /// The survivor of all merges of `contact`, and the contacts that were merged into this survivor.
    async fn merged(&self, contact: ContactId) -> Result<(Option<ContactId>, Vec<ContactId>)> {
        let (of, mut from) = (self.id, Vec::new());
        let into = self.read(|store| survivor(store, of, contact)).await?;
        if let Some(into) = into {
            let pick = |_: &Reader<'_>, key: &[u8], _: &[u8]| keys::id_at_end(key).map(Some);
            self.every(keys::aliases_of(of, into), pick, |id| from.push(id)).await?;
        }
        Ok((into, from))
    }

    /// The appointments of a contact. If the contact is merged during the read, some appointments may be missing.
    async fn counted(&self, contact: ContactId) -> Result<Vec<Counted>> {
        let (of, mut counted) = (self.id, BTreeMap::new());
        if let Some(whose) = self.read(|store| Whose::of(store, of, contact)).await? {
            let pick = move |reader: &Reader<'_>, key: &[u8], _: &[u8]| {
                let (starts_at, id) = keys::instant_and_id(key)?;
                let found = reader.get::<Appointment>(&keys::appointment(of, starts_at, id))?;
                Ok(found.filter(|it| whose.has(it.contact_id)).map(|it| (it.id, Counted::from(&it))))
            };
            // After a merge, a background job moves the appointments of the merged contact to the survivor. The
            // appointments of the merged contact are read first. Therefore an appointment that the job moves between
            // the two reads is found twice, and not missed. It is counted once, because `counted` is keyed by its id.
            for id in whose.from.into_iter().chain([whose.id]) {
                let range = keys::appointments_of_contact(of, id);
                self.every(range, pick, |(id, it)| _ = counted.insert(id, it)).await?;
            }
        }
        Ok(counted.into_values().collect())
    }

    /// Adds to `erased` the contacts that are being erased now.
    async fn erased(&self, erased: &mut BTreeSet<ContactId>) -> Result<()> {
        let pick = |_: &Reader<'_>, key: &[u8], _: &[u8]| keys::id_at_end(key).map(Some);
        self.every(keys::of_kind(self.id, kind::ERASURE), pick, |id| _ = erased.insert(id)).await
    }

    /// The statistics of a range of local dates, which must not be empty.
    pub async fn insights(
        &self,
        dates: RangeInclusive<NaiveDate>,
        by: InsightPeriod,
    ) -> Result<InsightsView> {
        let of = self.id;
        let zone = self.business().await?.zone;
        let periods = by.split(&dates);
        let mut insights = Insights::new(zone, &periods);
        let during = insights.during();
        // An appointment refers to an erased contact until the erasure job has changed the appointment. The job may end
        // during the count, so the erased contacts are read before and after the count.
        let mut erased = BTreeSet::<ContactId>::new();
        self.erased(&mut erased).await?;
        let pick = |_: &Reader<'_>, _: &[u8], value: &[u8]| {
            Appointment::decode(value).map(|it| Some(Counted::from(&it)))
        };
        let before_end = keys::appointments_starting(of, Timestamp::MIN, during.end);
        self.every(before_end, pick, |it: Counted| insights.count(&it)).await?;
        self.erased(&mut erased).await?;
        // An alias leads from a merged contact to the survivor. Appointments refer to the merged contact until a
        // background job has changed them. A merge may begin during the count, so the aliases are read after the count.
        let mut survivors = BTreeMap::<ContactId, ContactId>::new();
        let pick = |_: &Reader<'_>, _: &[u8], value: &[u8]| Alias::decode(value).map(Some);
        let aliases = keys::of_kind(of, kind::ALIAS);
        self.every(aliases, pick, |it: Alias| _ = survivors.insert(it.from, it.into)).await?;
        let survivor = |id: ContactId| survivors.get(&id).copied().unwrap_or(id);
        let known = |id: ContactId| {
            // The aliases are followed twice: while they were read, the survivor may have been merged into a third
            // contact.
            let id = survivor(survivor(id));
            (!erased.contains(&id)).then_some(id)
        };
        let pick = move |reader: &Reader<'_>, key: &[u8], value: &[u8]| {
            let (started_at, id) = keys::instant_and_id::<CallId>(key)?;
            let row = CallRow::decode(value)?;
            let status = match row.status {
                Some(status) => Some(status),
                None => reader.get::<CallRecord>(&keys::call(of, id))?.map(|call| call.status),
            };
            Ok(status.map(|status| (started_at, status, row.outcome)))
        };
        let calls = keys::calls_started(of, during.start, during.end);
        self.every(calls, pick, |(at, status, outcome)| insights.count_call(at, status, outcome)).await?;
        let mut staff = BTreeMap::<StaffId, StaffMember>::new();
        let pick = |_: &Reader<'_>, _: &[u8], value: &[u8]| StaffMember::decode(value).map(Some);
        self.every(keys::of_kind(of, kind::STAFF), pick, |it: StaffMember| _ = staff.insert(it.id, it))
            .await?;
        let today = self.now().utc().with_timezone(&zone).date_naive();
        let mut shown = Vec::new();
        for (period, figures) in periods.iter().zip(insights.finish(known)) {
            let working = match by {
                InsightPeriod::Week if *period.end() >= today => {
                    let diary = self.diary(period.clone()).await?;
                    let (first, last) = (*period.start(), *period.end());
                    diary.working_minutes(
                        &(domain::day_bounds(zone, first).start..domain::day_bounds(zone, last).end),
                    )
                }
                _ => BTreeMap::new(),
            };
            let booked = |id: StaffId| figures.booked_minutes.get(&id).copied().unwrap_or_default();
            let active = staff.values().filter(|member| member.active).map(|member| member.id);
            let ids: BTreeSet<_> = active.chain(figures.booked_minutes.keys().copied()).collect();
            let of_staff = ids.into_iter().map(|id| StaffPeriodView {
                staff_id: id,
                staff_name: staff.get(&id).map(|member| member.name.clone()).unwrap_or_default(),
                booked_minutes: booked(id),
                utilisation: working
                    .get(&id)
                    .filter(|minutes| **minutes > 0)
                    .map(|minutes| (booked(id) * 100 + minutes / 2) / minutes),
            });
            shown.push(PeriodView {
                from: period.start().to_string(),
                to: period.end().to_string(),
                staff: of_staff.collect(),
                bookings: figures.bookings,
                cancellations: figures.cancellations,
                no_shows: figures.no_shows,
                new_customers: figures.new_customers,
                returning_customers: figures.returning_customers,
                unknown_customers: figures.unknown_customers,
                lead_time_minutes: figures.lead_time_minutes,
                calls: figures.calls,
                calls_answered: figures.calls_answered,
                calls_converted: figures.calls_converted,
            });
        }
        Ok(InsightsView {
            from: dates.start().to_string(),
            to: dates.end().to_string(),
            by,
            timezone: zone.name().to_owned(),
            periods: shown,
        })
    }
}
