//! The steps that convert rows. A released step never changes.

use domain::{
    Appointment, AppointmentId, BusinessId, CallId, CallRecord, CallStatus, ContactId, Direction, ResourceId,
};
use store::kept::{KINDS, Kind};
use store::keys::{earlier, kind};
use store::records::CallRow;
use store::{Batch, Key, Record, Store, StoreError, keys};

use super::conversion::Conversion;
use crate::business::SearchRows;

/// From format 1 to 2. This step changes four rows of each appointment:
///
/// - The appointment: the key was the id. The new key is the start and the id.
/// - The index by start: this row is deleted.
/// - The index by id: this row is new. Its value is the start.
/// - The index by `updated_at`: the value was empty. The new value is the start. If the appointment has not changed
///   since its creation, this row is deleted.
pub(super) async fn from_1(conversion: &mut Conversion<'_>) -> Result<(), StoreError> {
    let rows = |of| earlier::appointments(of);
    conversion
        .each_business(rows, |_, of, key, value| {
            let Appointment { id, starts_at, updated_at, created_at, .. } = Appointment::decode(value)?;
            let start = || keys::millis_value(starts_at);
            let mut batch = Batch::default();
            batch.delete(*key);
            batch.delete(earlier::appointment_by_start(of, starts_at, id));
            batch.delete(earlier::appointment_by_update(of, updated_at, id));
            // Both formats encode the record in the same way.
            batch.put(keys::appointment(of, starts_at, id), value.to_vec());
            batch.put(keys::appointment_start(of, id), start());
            if updated_at != created_at {
                batch.put(keys::appointment_by_update(of, updated_at, id), start());
            }
            Ok(batch)
        })
        .await
}

/// From format 2 to 3. Format 3 adds record versions, long values in small pieces, and rows of clocks, ages and
/// budgets. The earlier layouts stay readable, so rows with these layouts are not converted. In format 2, early
/// versions of the service wrote an index row by `updated_at` for every appointment. Later versions wrote such a row
/// only for changed appointments. This step deletes the index rows of unchanged appointments.
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

/// From format 6 to 7. Format 7 adds an index of the search texts of contacts, calls and messages. A row of the index
/// contains the texts of many records. If the last records of a kind do not fill a row, they are not indexed, and a
/// search reads them directly.
///
/// This step computes the texts by the rules of the current code. If a later format changes the rules, the step to that
/// format must compute all texts again. If this step is repeated, it writes the same rows.
pub(super) async fn from_6(conversion: &mut Conversion<'_>) -> Result<(), StoreError> {
    for kind in KINDS {
        if let Some(rows) = kind.search {
            index(conversion, kind, rows).await?;
        }
    }
    Ok(())
}

/// From format 8 to 9. In format 9, the search texts of contacts contain the whole names, and the index of
/// names is gone. This step deletes the index of names, and writes the search texts of contacts again.
pub(super) async fn from_8(conversion: &mut Conversion<'_>) -> Result<(), StoreError> {
    for kind in KINDS.iter().filter(|kind| kind.rows == kind::CONTACT) {
        let Some(rows) = kind.search else { continue };
        for old in [earlier::CONTACT_NAMES, rows] {
            let delete = |_: &Store, _: BusinessId, key: &Key, value: &[u8]| {
                let mut batch = Batch::default();
                batch.delete_whole(*key, value.len());
                Ok(batch)
            };
            conversion.each_business(|of| keys::of_kind(of, old), delete).await?;
        }
        index(conversion, kind, rows).await?;
    }
    Ok(())
}

/// From format 10 to 11. In format 11, a row in the index of calls by start also contains the status of the
/// call and whether the call is handled. This step writes the rows of existing calls again, in the layout
/// of the newest format. A store that already has format 11 skips this step. So if a later format changes the
/// layout, the step to that format must also write the rows again.
pub(super) async fn from_10(conversion: &mut Conversion<'_>) -> Result<(), StoreError> {
    let rows = |of| keys::of_kind(of, kind::CALL_BY_START);
    conversion
        .each_business(rows, |store, of, key, _| {
            let (started_at, id) = keys::instant_and_id::<CallId>(key)?;
            let place = keys::call(of, id);
            let call = store.usable(&place, store.get::<CallRecord>(&place))?.flatten();
            let mut batch = Batch::default();
            if let Some(call) = call.filter(|call| call.started_at == started_at) {
                batch.put(*key, CallRow::from(&call).encode());
            }
            Ok(batch)
        })
        .await
}

/// From format 11 to 12. Format 12 adds a list of the inbound calls that were missed or failed and that the team has
/// not marked as handled. This step writes the list. A call that cannot be decoded is not in the list.
pub(super) async fn from_11(conversion: &mut Conversion<'_>) -> Result<(), StoreError> {
    let calls = |of| keys::of_kind(of, kind::CALL);
    conversion
        .each_business(calls, |store, of, key, value| {
            let mut batch = Batch::default();
            if let Some(call) = store.usable(key, CallRecord::decode(value))?
                && call.direction == Direction::Inbound
                && call.status != CallStatus::Completed
                && call.handled_at.is_none()
            {
                batch.put(keys::call_unhandled(of, call.started_at, call.id), Vec::new());
            }
            Ok(batch)
        })
        .await
}

/// Writes the search texts of all records of a kind.
async fn index(conversion: &mut Conversion<'_>, kind: &Kind, rows: u8) -> Result<(), StoreError> {
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
        .await
}
