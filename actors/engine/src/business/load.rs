//! Loads a business from the store into memory.
//!
//! - One scan reads the profile, special days, services, staff and time off. A second scan reads the upcoming
//!   appointments. Single reads get the newest change and the age marks.
//! - A load waits until all submitted changes of the business are durable, so a restarted actor misses none.
//! - Undecodable rows are skipped. Only an undecodable profile makes the load fail.
//! - An undecodable appointment blocks all staff from its start, which its key contains.
//! - Undecodable time off blocks its staff member from its start.
//! - An undecodable special day is ignored: the weekly hours apply on its date.

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use chrono::TimeDelta;
use domain::{
    Blocked, BlockedTime, Budget, Business, BusinessId, Busy, IdMint, Membership, Retention, Service,
    SpecialDay, SpecialDays, StaffMember, Team, Timestamp, WebhookEndpoint,
};
use net::Ports;
use store::keys::kind;
use store::{Key, Order, Record, Store, StoreError, keys};

use super::accounts::Accounts;
use super::ages::{Ages, Round};
use super::chores::Chores;
use super::overlay::Overlay;
use super::references::References;
use super::remembered::days_ahead;
use super::stamps::Stamps;
use super::state::{BUSY_BEHIND, ROWS_PER_TURN, State};
use crate::clock::{Clocks, SteadyClock};
use crate::mail::Outbox;

/// The assumed length of undecodable time off. It covers most time off. A longer value could block a staff
/// member because of one old row.
const UNREADABLE_OFF: TimeDelta = TimeDelta::days(31);

pub(crate) struct Start {
    pub(crate) id: BusinessId,
    pub(crate) clocks: Clocks,
    pub(crate) steady: SteadyClock,
    pub(crate) store: Store,
    pub(crate) ports: Ports,
    pub(crate) outbox: Arc<Outbox>,
}

pub(crate) async fn load(start: &Start) -> Result<Option<State>, StoreError> {
    let Start { id, clocks, steady, store, ports, outbox } = start;
    let id = *id;
    // From here on, each waiting delivery is either counted or in the store after the wait.
    let waiting = store.watch(id);
    store.settled(id).await?;
    let (mut business, mut budget, mut retention) = (None, Budget::default(), Retention::default());
    let (mut special, mut blocked) = (SpecialDays::new(), Vec::new());
    let (mut services, mut staff, mut webhooks) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
    let mut people = Team::new();
    for row in store.scan(&keys::hot(id), Order::Ascending) {
        let (key, value) = row?;
        match keys::kind_of(&key)? {
            kind::PROFILE => business = Some(store.checked(&key, Business::decode(&value))?),
            kind::BUDGET => budget = store.usable(&key, Budget::decode(&value))?.unwrap_or_default(),
            // An undecodable retention keeps everything.
            kind::RETENTION => {
                retention = store.usable(&key, Retention::decode(&value))?.unwrap_or_default();
            }
            kind::SERVICE => {
                let service = store.usable(&key, Service::decode(&value))?;
                services.extend(service.map(|service| (service.id, Box::new(service))));
            }
            kind::STAFF => {
                let member = store.usable(&key, StaffMember::decode(&value))?;
                staff.extend(member.map(|member| (member.id, Box::new(member))));
            }
            kind::SPECIAL_DAY => {
                let day = store.usable(&key, SpecialDay::decode(&value))?;
                special.extend(day.map(|day| (day.date, day)));
            }
            kind::BLOCKED_TIME => {
                let time = match store.usable(&key, BlockedTime::decode(&value))? {
                    Some(time) => Some((time.key(), time.ends_at)),
                    None => {
                        let time = store.usable(&key, keys::blocked_key(&key))?;
                        time.map(|time| (time, time.starts_at + UNREADABLE_OFF))
                    }
                };
                blocked.extend(time);
            }
            kind::WEBHOOK => {
                let endpoint = store.usable(&key, WebhookEndpoint::decode(&value))?;
                webhooks.extend(endpoint.map(|endpoint| (endpoint.id, endpoint)));
            }
            kind::MEMBERSHIP => {
                let membership = store.usable(&key, Membership::decode(&value))?;
                people.extend(membership.map(|membership| (membership.person_id, membership)));
            }
            other => {
                let unknown = StoreError::damaged("key", format!("its kind {other:#04x} is not known"));
                store.usable(&key, Err::<(), _>(unknown))?;
            }
        }
    }
    let Some(business) = business else { return Ok(None) };
    let newest = store.newest_entry(id)?;
    let told = newest.and_then(|newest| newest.usage);
    let reached = newest.map_or(business.updated_at, |newest| newest.at);
    let newest = newest.map(|newest| newest.id);
    let busy_from = clocks.now() - BUSY_BEHIND;
    let mut state = State {
        id,
        days_ahead: days_ahead(store, id, clocks.steady().day())?,
        ages: Ages::load(store, id, newest)?,
        round: Round::default(),
        clocks: clocks.clone(),
        steady: steady.clone(),
        business,
        services,
        staff,
        webhooks,
        special,
        blocked: Blocked::from_times(blocked),
        people,
        alerts: BTreeMap::new(),
        outbox: Arc::clone(outbox),
        busy: Busy::default(),
        pending: BTreeSet::new(),
        busy_from,
        stamps: Stamps::after(reached, clocks.stamps_from()),
        mint: newest.map_or_else(IdMint::default, IdMint::after),
        sweeping: false,
        retention,
        chores: Chores::default(),
        ended: false,
        overlay: Overlay::default(),
        references: References::default(),
        accounts: Accounts::new(id, budget, told, waiting),
        checked_key: Cell::new(None),
        store: store.clone(),
        ports: ports.clone(),
    };
    load_busy(&mut state, busy_from).await?;
    // Usually this counts everything: only waiting rows are left, and they are few.
    state.count_on()?;
    Ok(Some(state))
}

async fn load_busy(state: &mut State, from: Timestamp) -> Result<(), StoreError> {
    let mut range = keys::appointments_starting(state.id, from, Timestamp::MAX);
    loop {
        let (mut rows, mut last) = (0, None);
        let store = state.store.clone();
        for row in store.scan(&range, Order::Ascending).take(ROWS_PER_TURN) {
            let (key, value) = row?;
            state.hold_time(&key, &value)?;
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
