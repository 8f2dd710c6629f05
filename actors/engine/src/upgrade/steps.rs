//! The steps that convert rows. A released step never changes.

use domain::{Appointment, AppointmentId, BusinessId, ContactId, ResourceId};
use store::kept::KINDS;
use store::keys::{format_1, kind};
use store::{Batch, Record, StoreError, keys};

use super::conversion::Conversion;
use crate::business::SearchRows;

/// From format 1 to 2. Format 1 stored an appointment by id, with one index row by start for busy times and
/// one empty index row by `updated_at`. In format 2, the key and the index rows contain the start.
pub(super) async fn from_1(conversion: &mut Conversion<'_>) -> Result<(), StoreError> {
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

/// From format 2 to 3. Format 3 adds new forms of rows (record versions, long values in small pieces, rows of
/// clocks, ages and budgets), and old forms stay readable. Early versions of format 2 had an index row by
/// `updated_at` for every appointment, later versions only for changed appointments. The superfluous rows are
/// deleted.
pub(super) async fn from_2(conversion: &mut Conversion<'_>) -> Result<(), StoreError> {
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

/// From format 6 to 7. Format 7 adds an index of the search texts of contacts, calls and messages. This step
/// computes the texts by the current rules, so a later format with other rules must compute all texts again.
/// A repeated step writes the same rows. The last records of a kind, too few for a whole row of the index,
/// are not indexed; a search reads them directly.
pub(super) async fn from_6(conversion: &mut Conversion<'_>) -> Result<(), StoreError> {
    for kind in KINDS {
        let Some(rows) = kind.search else { continue };
        let mut filed: Option<(BusinessId, SearchRows)> = None;
        let records = |of| keys::of_kind(of, kind.rows);
        conversion
            .each_business(records, |store, of, key, value| {
                let id = keys::id_at_end::<ContactId>(key)?.uuid();
                // A record that cannot be decoded has no search text.
                let text = store.usable(key, (kind.search_text)(value))?.filter(|text| !text.is_empty());
                let mut batch = Batch::default();
                if filed.as_ref().is_none_or(|(business, _)| *business != of) {
                    filed = Some((of, SearchRows::new(of, rows)));
                }
                if let Some((_, filed)) = &mut filed {
                    filed.add(id, text, &mut batch);
                }
                Ok(batch)
            })
            .await?;
    }
    Ok(())
}
