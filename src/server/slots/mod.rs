//! The connection slots of a listener. A slot is a permit for one connection.
//!
//! Invariants:
//! - A listener has at most [`Limits::connections`] slots. An address holds at most [`Limits::per_address`]
//!   of them; trusted proxies have no such limit.
//! - If a new connection arrives at a full listener, the listener closes idle connections. It begins with the address
//!   that has the most slots, and with the connection of this address that has been idle for longest. The listener
//!   closes no connection of an address that has fewer slots than the address of the new connection.
//! - A connection without a slot is in the reserve, which serves only the paths for supervisors and monitoring. The
//!   reserve has at most [`RESERVE_MAX`] connections, and [`RESERVE_PER_ADDRESS_MAX`] per address. Each serves one
//!   request and is closed after [`RESERVE_TIME_MAX`]. A full reserve closes its oldest connection.
//! - A client of a trusted proxy has at most [`Limits::per_address`] simultaneous requests.

use std::cmp::Reverse;
use std::collections::{HashMap, VecDeque};
use std::net::IpAddr;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use parking_lot::Mutex;
use tokio::time::Instant;

use super::client_addr::{TrustedProxies, network};
use super::link::Link;

pub const CONNECTIONS_MAX: usize = 8_192;

pub const CONNECTIONS_PER_ADDRESS: usize = 1_024;

pub const RESERVE_MAX: usize = 256;

/// The part of [`RESERVE_MAX`] that one address can use.
pub const RESERVE_PER_ADDRESS_MAX: usize = 16;

/// The time limit for the request head of a connection without a slot.
pub const RESERVE_HEADER_TIME_MAX: Duration = Duration::from_secs(1);

/// The maximum duration of a connection without a slot, including the TLS handshake.
pub const RESERVE_TIME_MAX: Duration = Duration::from_secs(2);

/// The maximum number of idle connections that one search closes. A search examines all connections.
const EVICTED_AT_ONCE: usize = 32;

/// The pause after a search that found no idle connection. A search takes as long as one or two requests.
const SEARCH_PAUSE: Duration = Duration::from_millis(10);

const LOG_EVERY: Duration = Duration::from_secs(60);

#[derive(Clone, Debug)]
pub struct Limits {
    pub connections: usize,
    /// The maximum number of slots per address (IPv6: per /64).
    pub per_address: NonZeroUsize,
    /// The trusted proxies, which have no limit per address.
    pub proxies: TrustedProxies,
    pub counters: Arc<Counters>,
}

/// Counts the refused connections and the evicted connections. Several listeners can share the counters.
#[derive(Debug, Default)]
pub struct Counters {
    pub refused: AtomicU64,
    pub evicted: AtomicU64,
}

pub(super) struct Slots {
    pub(super) limits: Limits,
    epoch: Instant,
    state: Mutex<State>,
    /// The number of unfinished requests per client of a trusted proxy.
    clients: Mutex<HashMap<IpAddr, usize>>,
    warned_about_proxy: AtomicBool,
}

#[derive(Default)]
struct State {
    next: u64,
    held: HashMap<u64, Held>,
    /// The number of slots per address. Addresses without slots are absent.
    addresses: HashMap<IpAddr, usize>,
    /// The connections without a slot, oldest first.
    reserve: VecDeque<(u64, IpAddr, Arc<Link>)>,
    /// The time of the last search that found no idle connection, and the value of `at_least` in this search; see
    /// [`Slots::make_room`].
    last_miss: Option<(Instant, usize)>,
    refused: u64,
    logged: Option<Instant>,
}

struct Held {
    /// The address is `None` for a trusted proxy, which has no limit.
    address: Option<IpAddr>,
    link: Arc<Link>,
}

/// A connection's slot or reserve entry. Dropping it releases the slot.
pub(super) struct Slot {
    slots: Arc<Slots>,
    id: u64,
    /// False for a reserve entry.
    pub(super) is_held: bool,
    pub(super) link: Arc<Link>,
}

impl Slots {
    pub(super) fn new(limits: Limits) -> Arc<Self> {
        Arc::new(Self {
            limits,
            epoch: Instant::now(),
            state: Mutex::default(),
            clients: Mutex::default(),
            warned_about_proxy: AtomicBool::new(false),
        })
    }

    pub(super) fn admit(self: &Arc<Self>, peer: IpAddr) -> Slot {
        let link = Arc::new(Link::new(self.epoch));
        let of_a_proxy = self.limits.proxies.contains(peer);
        let address = network(peer);
        let mut state = self.state.lock();
        state.next += 1;
        let id = state.next;
        let count = if of_a_proxy { 0 } else { state.addresses.get(&address).copied().unwrap_or_default() };
        let is_held = count < self.limits.per_address.get()
            && (state.held.len() < self.limits.connections || self.make_room(&mut state, count));
        if is_held {
            let address = (!of_a_proxy).then_some(address);
            if let Some(address) = address {
                *state.addresses.entry(address).or_default() += 1;
            }
            state.held.insert(id, Held { address, link: Arc::clone(&link) });
        } else {
            self.refuse(&mut state, count);
            state.reserve(id, address, &link);
        }
        drop(state);
        Slot { slots: Arc::clone(self), id, is_held, link }
    }

    /// Closes idle connections when the process cannot open more files. Returns whether it closed a connection.
    pub(super) fn spare(&self) -> bool {
        self.make_room(&mut self.state.lock(), 0)
    }

    /// Closes idle connections of addresses with at least `at_least` slots. Returns whether it closed a connection.
    fn make_room(&self, state: &mut State, at_least: usize) -> bool {
        let is_recent_miss = |(at, of): (Instant, usize)| of <= at_least && at.elapsed() < SEARCH_PAUSE;
        if state.last_miss.is_some_and(is_recent_miss) {
            return false;
        }
        let State { held, addresses, .. } = &mut *state;
        let slots_of =
            |address: Option<IpAddr>| address.and_then(|of| addresses.get(&of)).copied().unwrap_or(0);
        let mut resting: Vec<_> = held
            .iter()
            .filter_map(|(id, held)| {
                let (count, since) = (slots_of(held.address), held.link.idle_since()?);
                (count >= at_least).then_some((Reverse(count), since, *id))
            })
            .collect();
        if resting.len() > EVICTED_AT_ONCE {
            resting.select_nth_unstable(EVICTED_AT_ONCE);
            resting.truncate(EVICTED_AT_ONCE);
        }
        let mut made = false;
        for (_, _, id) in resting {
            if state.held.get(&id).is_some_and(|held| held.link.evict()) {
                state.release(id);
                self.limits.counters.evicted.fetch_add(1, Ordering::Relaxed);
                made = true;
            }
        }
        state.last_miss = (!made).then(|| (Instant::now(), at_least));
        made
    }

    /// Counts a connection without a slot, and logs at most one line per [`LOG_EVERY`].
    fn refuse(&self, state: &mut State, of_its_address: usize) {
        self.limits.counters.refused.fetch_add(1, Ordering::Relaxed);
        state.refused += 1;
        if state.logged.is_none_or(|at| at.elapsed() >= LOG_EVERY) {
            state.logged = Some(Instant::now());
            let refused = std::mem::take(&mut state.refused);
            tracing::warn!(
                connections.refused = refused,
                connections.held = state.held.len(),
                connections.of_its_address = of_its_address,
                "connections were refused because a connection limit was reached"
            );
        }
    }

    #[cfg(test)]
    pub(super) fn counts(&self) -> (usize, usize) {
        let state = self.state.lock();
        (state.held.len(), state.reserve.len())
    }
}

impl State {
    /// Adds a connection to the reserve. If the address already has the maximum number of connections in the reserve,
    /// closes the oldest of them. If the address has fewer connections, but the reserve is full, closes the oldest
    /// connection in the reserve.
    fn reserve(&mut self, id: u64, address: IpAddr, link: &Arc<Link>) {
        let of_its_address = self.reserve.iter().filter(|(_, other, _)| *other == address).count();
        let oldest = if of_its_address >= RESERVE_PER_ADDRESS_MAX {
            self.reserve.iter().position(|(_, other, _)| *other == address)
        } else {
            (self.reserve.len() >= RESERVE_MAX).then_some(0)
        };
        if let Some((_, _, link)) = oldest.and_then(|oldest| self.reserve.remove(oldest)) {
            link.end();
        }
        self.reserve.push_back((id, address, Arc::clone(link)));
    }

    fn release(&mut self, id: u64) {
        let Some(Held { address: Some(address), .. }) = self.held.remove(&id) else { return };
        if let Some(count) = self.addresses.get_mut(&address) {
            *count -= 1;
            if *count == 0 {
                self.addresses.remove(&address);
            }
        }
    }
}

pub(super) struct UnderWay {
    slots: Arc<Slots>,
    client: IpAddr,
}

impl Slot {
    /// Logs once that the service ignores the `X-Forwarded-For` of a peer outside the trusted networks.
    pub(super) fn warn_about_proxy(&self, peer: IpAddr) {
        if !self.slots.warned_about_proxy.swap(true, Ordering::Relaxed) {
            tracing::warn!(
                client.address = %peer,
                "the service ignores X-Forwarded-For from this address, since it is not a trusted proxy. If it is \
                                 your proxy, add its network to RECEPTIONIST_TRUSTED_PROXIES"
            );
        }
    }

    /// Counts a new request of a client of a trusted proxy. Returns `None` if the client has too many requests.
    pub(super) fn begin(&self, client: IpAddr) -> Option<UnderWay> {
        let (slots, client) = (Arc::clone(&self.slots), network(client));
        {
            let mut clients = slots.clients.lock();
            let count = clients.entry(client).or_default();
            if *count >= slots.limits.per_address.get() {
                return None;
            }
            *count += 1;
        }
        Some(UnderWay { slots, client })
    }
}

impl Drop for UnderWay {
    fn drop(&mut self) {
        let mut clients = self.slots.clients.lock();
        match clients.get_mut(&self.client) {
            Some(count) if *count > 1 => *count -= 1,
            _ => _ = clients.remove(&self.client),
        }
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        let mut state = self.slots.state.lock();
        if self.is_held {
            state.release(self.id);
        } else {
            state.reserve.retain(|(id, _, _)| *id != self.id);
        }
    }
}

#[cfg(test)]
mod tests;
