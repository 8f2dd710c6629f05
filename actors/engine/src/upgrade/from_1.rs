//! Conversion from format 1 to 2: an appointment's key begins with its start, and its index rows refer to it.
//!
//! Format 1 stored it by id, with one index row by start for busy times and one empty index row by
//! `updated_at`.

use domain::Appointment;
use store::keys::format_1;
use store::{Batch, Record, StoreError, keys};

use super::conversion::Conversion;

pub(super) async fn convert(conversion: &mut Conversion<'_>) -> Result<(), StoreError> {
    let rows = |of| format_1::appointments(of);
    conversion
        .each_business(rows, |_, of, key, value| {
            let Appointment { id, starts_at, updated_at, created_at, .. } = Appointment::decode(value)?;
            let start = || keys::millis_value(starts_at);
            let mut batch = Batch::default();
            batch.delete(*key);
            batch.delete(format_1::appointment_by_start(of, starts_at, id));
            batch.delete(format_1::appointment_by_update(of, updated_at, id));
            // Both formats encode the record alike.
            batch.put(keys::appointment(of, starts_at, id), value.to_vec());
            batch.put(keys::appointment_start(of, id), start());
            if updated_at != created_at {
                batch.put(keys::appointment_by_update(of, updated_at, id), start());
            }
            Ok(batch)
        })
        .await
}
