//! Reading a business from the store into memory.
//!
//! One scan reads the profile, services and staff, one the upcoming appointments, a few rows the newest change and what
//! is known of ages. Nothing is loaded before all that was ever submitted for the business is synced, so a
//! restarted actor misses nothing.

use std::cell::Cell;
use std::collections::BTreeMap;

use super::accounts::Accounts;
use super::ages::{Ages, Round};
use super::overlay::Overlay;
use super::references::References;
use super::remembered::days_ahead;
use super::stamps::Stamps;
use super::state::{BUSY_BEHIND, ROWS_PER_TURN, State};
use crate::clock::Clocks;
use crate::delivery::SteadyClock;
use crate::domain::{
    Appointment, Budget, Business, BusinessId, Busy, IdMint, Membership, Service, StaffMember, Team,
    Timestamp, WebhookEndpoint,
};
use crate::ports::Ports;
use crate::store::keys::kind;
use crate::store::records::AuditRecord;
use crate::store::{Key, Order, Record, Store, StoreError, keys};

/// What a business is loaded with.
pub(crate) struct Start {
    pub(crate) id: BusinessId,
    pub(crate) clocks: Clocks,
    pub(crate) steady: SteadyClock,
    pub(crate) store: Store,
    pub(crate) ports: Ports,
}

/// Loads a business, or gives `None` when there is no such business.
pub(crate) async fn load(start: &Start) -> Result<Option<State>, StoreError> {
    let Start { id, clocks, steady, store, ports } = start;
    let id = *id;
    // From here on every delivery that waits is counted, or lies in the store behind the wait.
    let waiting = store.watch(id);
    store.settled(id).await?;
    let (mut business, mut budget) = (None, Budget::default());
    let (mut services, mut staff, mut webhooks) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
    let mut people = Team::new();
    for row in store.scan(&keys::hot(id), Order::Ascending) {
        let (key, value) = row?;
        match keys::kind_of(&key)? {
            kind::PROFILE => business = Some(Business::decode(&value)?),
            kind::BUDGET => budget = Budget::decode(&value)?,
            kind::SERVICE => {
                let service = Service::decode(&value)?;
                services.insert(service.id, service);
            }
            kind::STAFF => {
                let member = StaffMember::decode(&value)?;
                staff.insert(member.id, member);
            }
            kind::WEBHOOK => {
                let endpoint = WebhookEndpoint::decode(&value)?;
                webhooks.insert(endpoint.id, endpoint);
            }
            kind::MEMBERSHIP => {
                let membership = Membership::decode(&value)?;
                people.insert(membership.person_id, membership);
            }
            other => return Err(StoreError::damaged("key", format!("its kind {other:#04x} is not known"))),
        }
    }
    let Some(business) = business else { return Ok(None) };
    let newest = store.scan(&keys::of_kind(id, kind::AUDIT), Order::Descending).next().transpose()?;
    let newest = newest.map(|(_, value)| AuditRecord::decode(&value)).transpose()?;
    let told = newest.as_ref().and_then(|newest| newest.usage);
    let newest = newest.map(|newest| newest.entry);
    let reached = newest.as_ref().map_or(business.updated_at, |entry| entry.at);
    let busy_from = clocks.now() - BUSY_BEHIND;
    let mut state = State {
        id,
        days_ahead: days_ahead(store, id, clocks.steady().day())?,
        ages: Ages::load(store, id, newest.as_ref().map(|entry| entry.id))?,
        round: Round::default(),
        clocks: clocks.clone(),
        steady: *steady,
        business,
        services,
        staff,
        webhooks,
        people,
        busy: Busy::default(),
        busy_from,
        stamps: Stamps::after(reached),
        mint: newest.map_or_else(IdMint::default, |entry| IdMint::after(entry.id)),
        sweeping: false,
        overlay: Overlay::default(),
        references: References::default(),
        accounts: Accounts::new(id, budget, told, waiting),
        checked_key: Cell::new(None),
        store: store.clone(),
        ports: ports.clone(),
    };
    load_busy(&mut state, busy_from).await?;
    // Mostly all there is to count: what waits, which is little.
    state.count_on()?;
    Ok(Some(state))
}

async fn load_busy(state: &mut State, from: Timestamp) -> Result<(), StoreError> {
    let mut range = keys::appointments_starting(state.id, from, Timestamp::MAX);
    loop {
        let (mut rows, mut last) = (0, None);
        for row in state.store.scan(&range, Order::Ascending).take(ROWS_PER_TURN) {
            let (key, value) = row?;
            let appointment = Appointment::decode(&value)?;
            if appointment.is_active() {
                let Appointment { id, staff_id, starts_at, ends_at, .. } = appointment;
                state.busy.insert(staff_id, starts_at, ends_at, id);
            }
            rows += 1;
            last = Some(Key::new(&key));
        }
        match last {
            Some(last) if rows == ROWS_PER_TURN => range = range.after(last),
            _ => return Ok(()),
        }
        tokio::task::yield_now().await;
    }
}
