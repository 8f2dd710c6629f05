//! Counts and logs the rows that cannot be decoded.
//!
//! Invariants: a row that cannot be decoded is *set aside*. It stays in the store, so `verify` reports it. Scans skip
//! the row, `get` returns an error for it, and `find` returns `None`. A row is counted only once, and logged only once,
//! without its content.

use std::collections::HashSet;

use parking_lot::Mutex;

use super::{Key, StoreError, keys};

/// The maximum number of counted rows. Further rows are also set aside, but not counted or logged.
const SET_ASIDE_MAX: usize = 16_384;

#[derive(Default)]
pub(super) struct SetAside(Mutex<HashSet<Key>>);

impl SetAside {
    /// If the result is a decoding error, counts and logs the row and returns [`StoreError::SetAside`]. Returns all
    /// other results unchanged.
    pub(super) fn note<T>(&self, key: &[u8], read: Result<T, StoreError>) -> Result<T, StoreError> {
        let Err(error @ (StoreError::Damaged { .. } | StoreError::Version { .. })) = read else {
            return read;
        };
        let mut known = self.0.lock();
        if known.len() < SET_ASIDE_MAX && known.insert(Key::new(key)) {
            let is_last = known.len() == SET_ASIDE_MAX;
            drop(known);
            tell(key, &error);
            if is_last {
                tracing::error!("too many rows cannot be decoded; further rows are not logged or counted");
            }
        }
        Err(StoreError::SetAside(Box::new(error)))
    }

    pub(super) fn count(&self) -> usize {
        self.0.lock().len()
    }
}

fn tell(key: &[u8], error: &StoreError) {
    let business = keys::business_of(key).map(|id| id.to_string()).unwrap_or_default();
    let kind = keys::kind_of(key).map(|kind| format!("{kind:#04x}")).unwrap_or_default();
    tracing::error!(
        business.id = %business,
        store.kind = %kind,
        store.key = ?Key::new(key),
        %error,
        "a row of the store cannot be decoded; it stays in the store and is ignored"
    );
}

pub fn unless_set_aside<T>(read: Result<T, StoreError>) -> Result<Option<T>, StoreError> {
    match read {
        Ok(value) => Ok(Some(value)),
        Err(StoreError::SetAside(_)) => Ok(None),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use domain::{BusinessId, Service, ServiceId};
    use uuid::Uuid;

    use super::super::{Batch, MemoryBackend, Order, Record, Store};
    use super::*;

    fn of(number: u128) -> Key {
        keys::service(BusinessId::from(Uuid::from_u128(7)), ServiceId::from(Uuid::from_u128(number)))
    }

    #[tokio::test]
    async fn a_row_that_does_not_decode_is_counted_once_and_the_others_are_read() {
        let store = Store::in_memory(&MemoryBackend::new(), Box::new(|error| panic!("{error}"))).unwrap();
        let business = BusinessId::from(Uuid::from_u128(7));
        let good = Service {
            id: Uuid::from_u128(2).into(),
            name: "Cut".into(),
            description: String::new(),
            duration_minutes: 30,
            active: true,
            buffers: domain::Buffers::default(),
            min_notice_minutes: 0,
            max_advance_days: None,
            price: None,
            category: None,
            position: 0,
            color: None,
            created_at: domain::Timestamp::from_millis(1),
            updated_at: domain::Timestamp::from_millis(1),
        };
        let mut batch = Batch::new();
        batch.put(of(1), b"\xeenothing".to_vec());
        batch.put(of(2), good.encode());
        batch.put(of(3), Vec::new());
        store.submit(business, batch, Box::new(|| ()));
        store.wait_durable(business).await.unwrap();
        for _ in 0..2 {
            let range = keys::of_kind(business, keys::kind::SERVICE);
            let found: Vec<_> =
                store.records::<Service>(&range, Order::Ascending).map(|row| row.unwrap().1).collect();
            assert_eq!(found, std::slice::from_ref(&good));
            assert!(matches!(store.get::<Service>(&of(1)), Err(StoreError::SetAside(_))));
            assert!(store.look::<Service>(&of(3)).unwrap().is_none());
            assert!(store.find::<Service>(&of(3)).unwrap().is_none());
            assert_eq!(store.rows_set_aside(), 2);
        }
    }

    #[test]
    fn rows_above_the_maximum_are_set_aside_without_being_counted() {
        let aside = SetAside::default();
        for number in 0..SET_ASIDE_MAX as u128 + 2 {
            let damaged: Result<(), _> = Err(StoreError::damaged("service", "a test says so"));
            assert!(matches!(aside.note(&of(number), damaged), Err(StoreError::SetAside(_))));
        }
        assert_eq!(aside.count(), SET_ASIDE_MAX);
        let failed: Result<(), _> = Err(StoreError::Stopped);
        assert!(matches!(aside.note(&of(1), failed), Err(StoreError::Stopped)));
    }
}
