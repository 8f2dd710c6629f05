//! From format 2 to format 3: what is new is added as it is written (later versions of records, long values in small
//! pieces, rows of clocks, ages and budgets), and what earlier versions wrote is read still.
//!
//! The first versions of format 2 kept a row by change of every appointment, later ones only of those that have changed.
//! What the first ones left goes.

use domain::{Appointment, AppointmentId};
use store::keys::kind;
use store::{Batch, StoreError, keys};

use super::conversion::Conversion;

pub(super) async fn convert(conversion: &mut Conversion<'_>) -> Result<(), StoreError> {
    let rows = |of| keys::of_kind(of, kind::APPOINTMENT_BY_UPDATE);
    conversion
        .each_business(rows, |store, of, key, value| {
            let id: AppointmentId = keys::id_at_end(key)?;
            let starts_at = keys::millis_from_value(value)?;
            let appointment: Option<Appointment> = store.get(&keys::appointment(of, starts_at, id))?;
            let mut batch = Batch::default();
            if appointment.is_some_and(|appointment| appointment.updated_at == appointment.created_at) {
                batch.delete(*key);
            }
            Ok(batch)
        })
        .await
}
