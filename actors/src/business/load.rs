//! Reading a business from the store into memory.
//!
//! One scan reads the profile, services and staff, one the upcoming appointments, one row the newest change. Nothing
//! is loaded before all that was ever submitted for the business is synced, so a restarted actor misses nothing.

use std::collections::BTreeMap;

use super::overlay::Overlay;
use super::state::{BUSY_BEHIND, State};
use crate::domain::{AuditEntry, Business, BusinessId, Busy, IdMint, Service, StaffMember, Timestamp};
use crate::ports::Ports;
use crate::store::{BusyRecord, Order, Record, Store, StoreError, keys};

/// How many rows are read before other tasks get their turn.
const ROWS_PER_TURN: usize = 1_024;

/// Loads a business, or gives `None` when there is no such business.
pub(crate) async fn load(id: BusinessId, store: &Store, ports: &Ports) -> Result<Option<State>, StoreError> {
    store.settled(id).await?;
    let mut business = None;
    let (mut services, mut staff) = (BTreeMap::new(), BTreeMap::new());
    for row in store.scan(keys::hot(id), Order::Ascending) {
        let (key, value) = row?;
        match keys::kind(&key)? {
            keys::PROFILE => business = Some(Business::decode(&value)?),
            keys::SERVICE => {
                let service = Service::decode(&value)?;
                services.insert(service.id, service);
            }
            keys::STAFF => {
                let member = StaffMember::decode(&value)?;
                staff.insert(member.id, member);
            }
            kind => return Err(StoreError::damaged(format!("a row of the unknown kind {kind:#04x}"))),
        }
    }
    let Some(business) = business else { return Ok(None) };
    let newest = store.scan(keys::audit_entries(id), Order::Descending).next().transpose()?;
    let newest = newest.map(|(_, value)| AuditEntry::decode(&value)).transpose()?;
    let last = newest.as_ref().map_or(business.updated_at, |entry| entry.at);
    let busy_from = ports.clock.now() - BUSY_BEHIND;
    let mut state = State {
        id,
        business,
        services,
        staff,
        busy: Busy::default(),
        busy_from,
        last,
        mint: newest.map_or_else(IdMint::default, |entry| IdMint::after(entry.id)),
        overlay: Overlay::default(),
        store: store.clone(),
        ports: ports.clone(),
    };
    load_busy(&mut state, busy_from).await?;
    Ok(Some(state))
}

async fn load_busy(state: &mut State, from: Timestamp) -> Result<(), StoreError> {
    let mut position = keys::appointments_starting(state.id, from, Timestamp::MAX);
    loop {
        let mut rows = 0;
        for row in state.store.scan(position.clone(), Order::Ascending).take(ROWS_PER_TURN) {
            let (key, value) = row?;
            let (starts_at, id) = keys::start_and_id(&key)?;
            let record = BusyRecord::decode(&value)?;
            if record.is_active() {
                state.busy.insert(record.staff_id, starts_at, record.ends_at, id);
            }
            rows += 1;
            position.start = keys::successor(&key);
        }
        if rows < ROWS_PER_TURN {
            return Ok(());
        }
        tokio::task::yield_now().await;
    }
}
