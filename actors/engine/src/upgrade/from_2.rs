//! Conversion from format 2 to 3. New forms (record versions, long values in small pieces, rows of clocks,
//! ages and budgets) are written from now on, and old forms stay readable.
//!
//! Early versions of format 2 had an index row by `updated_at` for every appointment, later ones only for
//! changed appointments. The superfluous rows are deleted.

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
