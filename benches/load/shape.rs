//! The rows that one booking writes. They are determined by comparing the store before and after a real booking.
//!
//! The benchmark of the store alone writes these rows in batches, for the same businesses. Each batch has new ids and
//! instants in its keys. Its values have the same lengths as the values of the real booking.

use std::collections::BTreeMap;
use std::path::Path;

use domain::booking::{BookRequest, Party};
use domain::{Actor, AuditId, BusinessId, IdMint, KeyId, ResourceId, ServiceId, Source, StaffId, Timestamp};
use engine::Engine;
use engine::business::commands::appointments::{Book, BookingContact};
use engine::business::{Answer, Request};
use net::Ports;
use serde::{Deserialize, Serialize};
use store::{Batch, Key, KeyRange, Order, Store};
use uuid::Uuid;
use view::AppointmentView;

use crate::error::Result;
use crate::shop::{Shop, slot};

/// The lengths of an id and of an instant in a key, in bytes.
const ID: usize = 16;
const INSTANT: usize = 8;

/// The rows of one booking.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Shape {
    rows: Vec<Row>,
    /// The ids of records that exist before the booking. They stay the same, and all other ids are new in each booking.
    known: Vec<Uuid>,
    starts_at: i64,
    created_at: i64,
}

#[derive(Debug, Serialize, Deserialize)]
struct Row {
    key: Vec<u8>,
    value: Vec<u8>,
}

/// The values that are different in each booking.
pub(crate) struct Turn<'a> {
    pub(crate) business: BusinessId,
    /// The start of the appointment.
    pub(crate) starts_at: Timestamp,
    /// The current time.
    pub(crate) now: Timestamp,
    /// The generator of the business's new ids.
    pub(crate) mint: &'a mut IdMint,
    /// Random bytes for the new ids.
    pub(crate) random: u64,
}

impl Shape {
    /// Makes two bookings at the first of these businesses, and compares the rows before and after the second one. The
    /// directory then contains these bookings, so it must not be used for a measurement.
    pub(crate) async fn of_a_booking(directory: &Path, shops: &[Shop], first_day: i64) -> Result<Self> {
        let shop = shops.first().ok_or("there is no business")?;
        let store = Store::open_disk(directory, Box::new(|error| panic!("the store failed: {error}")))?;
        let engine = Engine::start(store.clone(), Ports::system()?).await?;
        let business: BusinessId = shop.id.parse()?;
        let range = KeyRange::prefix(Key::new(business.uuid().as_bytes()));
        let all = || -> Result<BTreeMap<Vec<u8>, Vec<u8>>> {
            Ok(store.scan(&range, Order::Ascending).collect::<std::result::Result<_, _>>()?)
        };
        // The first booking may create rows that later bookings only change, so it is made before the comparison.
        book(&engine, shop, slot(first_day, 0, 1)).await?;
        let before = all()?;
        let starts_at = slot(first_day, 1, 1);
        let answer = book(&engine, shop, starts_at).await?;
        let created_at = answer.value.created_at;
        let rows = all()?.into_iter().filter(|(key, value)| before.get(key) != Some(value));
        let rows: Vec<_> = rows.map(|(key, value)| Row { key, value }).collect();
        let mut known = vec![business.uuid(), shop.service.parse()?, shop.contact.parse()?];
        for staff in &shop.staff {
            known.push(staff.parse()?);
        }
        engine.close().await?;
        Ok(Self { rows, known, starts_at: starts_at.millis(), created_at: created_at.millis() })
    }

    /// Returns the number of rows, and the total length of their keys and values in bytes.
    pub(crate) fn size(&self) -> (usize, usize) {
        (self.rows.len(), self.rows.iter().map(|row| row.key.len() + row.value.len()).sum())
    }

    /// Returns the batch of another booking.
    pub(crate) fn batch(&self, mut turn: Turn<'_>) -> Batch {
        let mut batch = Batch::new();
        let mut fresh: Vec<(Uuid, Uuid)> = Vec::with_capacity(2);
        for row in &self.rows {
            let mut key = row.key.clone();
            key[..ID].copy_from_slice(turn.business.uuid().as_bytes());
            let mut at = ID + 1;
            while at < key.len() {
                at += self.renew(&mut key[at..], &mut turn, &mut fresh);
            }
            batch.put(Key::new(&key), row.value.clone());
        }
        batch
    }

    /// `rest` is the part of a key that is not converted yet. If `rest` begins with an id or an instant of the original
    /// booking, replaces this id or instant with one of the new booking. Keeps any other id, because this id existed
    /// before the original booking. Returns the number of bytes that the caller can skip: the length of this id or
    /// instant, or of the whole `rest` if it is shorter than an id.
    fn renew(&self, rest: &mut [u8], turn: &mut Turn<'_>, fresh: &mut Vec<(Uuid, Uuid)>) -> usize {
        for (old, new) in [(self.starts_at, turn.starts_at.millis()), (self.created_at, turn.now.millis())] {
            if rest.starts_with(&ordered(old)) {
                rest[..INSTANT].copy_from_slice(&ordered(new));
                return INSTANT;
            }
        }
        let Some(Ok(old)) = rest.get(..ID).map(Uuid::from_slice) else { return rest.len() };
        if old.get_version_num() == 7 && !self.known.contains(&old) {
            let renewed = fresh.iter().find(|(known, _)| *known == old).map(|(_, new)| *new);
            let new = renewed.unwrap_or_else(|| {
                let new: AuditId = turn.mint.next(turn.now, turn.random.to_be_bytes());
                fresh.push((old, new.uuid()));
                new.uuid()
            });
            rest[..ID].copy_from_slice(new.as_bytes());
        }
        ID
    }
}

/// Encodes an instant in the same way as keys do, so that the bytes sort in the order of time.
fn ordered(millis: i64) -> [u8; INSTANT] {
    (millis.cast_unsigned() ^ 1 << 63).to_be_bytes()
}

async fn book(engine: &Engine, shop: &Shop, starts_at: Timestamp) -> Result<Answer<AppointmentView>> {
    let staff = shop.staff.first().ok_or("the business has no staff")?;
    let request = BookRequest {
        service_id: shop.service.parse::<ServiceId>()?,
        starts_at,
        staff_id: Some(staff.parse::<StaffId>()?),
        source: Source::Api,
        party: Party::Integration { allow_pending: false },
        duration: None,
    };
    let contact = BookingContact::Known(shop.contact.parse()?);
    let by = Actor::ApiKey(KeyId::from(Uuid::from_u128(7 << 76 | 1 << 127)));
    let handle = engine.business(shop.id.parse()?);
    Ok(handle.change(Request::by(by), Book { request, contact }).await?)
}
