//! Who has a place at a listener, and who makes room.
//!
//! What always holds: a listener has at most [`Limits::connections`] connections with a place, and one address at most
//! [`Limits::per_address`] of them, trusted proxies apart. A listener that is full closes connections that rest: those
//! of the address with the most first, and of these the one that has rested longest; never those of an address with
//! fewer connections than the newcomer's has. Who still finds no place is let in without one: at most [`RESERVE_MAX`]
//! such connections live at once, [`RESERVE_PER_ADDRESS_MAX`] of one address, each for [`RESERVE_TIME_MAX`] and for one
//! request; the oldest makes room for the newest. So a question that is always answered always is, whoever holds what.
//! A client behind a trusted proxy has at most [`Limits::per_address`] requests under way.

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

/// The greatest number of connections of one listener that have a place.
pub const CONNECTIONS_MAX: usize = 8_192;

/// How many connections of one address have a place, unless a setting says otherwise.
pub const CONNECTIONS_PER_ADDRESS: usize = 1_024;

/// The greatest number of connections without a place at once.
pub const RESERVE_MAX: usize = 256;

/// The greatest number of those of one address.
pub const RESERVE_PER_ADDRESS_MAX: usize = 16;

/// How long the head of the request of a connection without a place may take to arrive.
pub const RESERVE_HEADER_TIME_MAX: Duration = Duration::from_secs(1);

/// How long a connection without a place may live, its TLS handshake included.
pub const RESERVE_TIME_MAX: Duration = Duration::from_secs(2);

/// How many connections that rest are closed at once when there is no room: finding them takes a look at all.
const EVICTED_AT_ONCE: usize = 32;

/// How long nobody looks again once no connection was found that rests: a look costs as much as a request or two.
const LOOK_AGAIN_AFTER: Duration = Duration::from_millis(10);

/// How often the log says at most that connections find no place.
const TELL_EVERY: Duration = Duration::from_secs(60);

/// What bounds the connections of a listener.
#[derive(Clone, Debug)]
pub struct Limits {
    /// Connections that have a place.
    pub connections: usize,
    /// Those of one address (IPv6: of one /64).
    pub per_address: NonZeroUsize,
    /// Whom that does not bind.
    pub proxies: TrustedProxies,
    /// Where what happens is counted.
    pub counters: Arc<Counters>,
}

/// What happened to connections. Listeners may share one.
#[derive(Debug, Default)]
pub struct Counters {
    /// Connections that found no place.
    pub refused: AtomicU64,
    /// Connections that rested and were closed to make room.
    pub evicted: AtomicU64,
}

/// The places of a listener.
pub(super) struct Places {
    pub(super) limits: Limits,
    epoch: Instant,
    state: Mutex<State>,
    /// How many requests of each client behind a trusted proxy are under way.
    clients: Mutex<HashMap<IpAddr, usize>>,
    /// Whether the log was told of a proxy that is not trusted.
    told_of_proxy: AtomicBool,
}

#[derive(Default)]
struct State {
    next: u64,
    held: HashMap<u64, Held>,
    /// How many places each address holds; an address that holds none is not here.
    addresses: HashMap<IpAddr, usize>,
    /// The connections without a place, the oldest first.
    reserve: VecDeque<(u64, IpAddr, Arc<Link>)>,
    /// When nothing was found that rests, among addresses that hold at least so many places.
    in_vain: Option<(Instant, usize)>,
    refused: u64,
    told: Option<Instant>,
}

/// A place that somebody has.
struct Held {
    /// Whose it is; `None` for a trusted proxy, which may have any number.
    address: Option<IpAddr>,
    link: Arc<Link>,
}

/// A connection's place, or its stay without one. It ends when this is dropped.
pub(super) struct Place {
    places: Arc<Places>,
    id: u64,
    /// Whether it is a place; without one, only what is always answered is.
    pub(super) is_held: bool,
    pub(super) link: Arc<Link>,
}

impl Places {
    pub(super) fn new(limits: Limits) -> Arc<Self> {
        Arc::new(Self {
            limits,
            epoch: Instant::now(),
            state: Mutex::default(),
            clients: Mutex::default(),
            told_of_proxy: AtomicBool::new(false),
        })
    }

    /// Lets a connection of this peer in.
    pub(super) fn admit(self: &Arc<Self>, peer: IpAddr) -> Place {
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
        Place { places: Arc::clone(self), id, is_held, link }
    }

    /// Closes connections that rest; false when none does. For a listener that can open no more files.
    pub(super) fn spare(&self) -> bool {
        self.make_room(&mut self.state.lock(), 0)
    }

    /// Closes connections that rest, of addresses that hold at least so many places; false when there are none.
    fn make_room(&self, state: &mut State, at_least: usize) -> bool {
        let is_in_vain = |(at, of): (Instant, usize)| of <= at_least && at.elapsed() < LOOK_AGAIN_AFTER;
        if state.in_vain.is_some_and(is_in_vain) {
            return false;
        }
        let State { held, addresses, .. } = &mut *state;
        let places_of =
            |address: Option<IpAddr>| address.and_then(|of| addresses.get(&of)).copied().unwrap_or(0);
        let mut resting: Vec<_> = held
            .iter()
            .filter_map(|(id, held)| {
                let (count, since) = (places_of(held.address), held.link.resting_since()?);
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
        state.in_vain = (!made).then(|| (Instant::now(), at_least));
        made
    }

    /// Counts a connection that finds no place, and says so now and then.
    fn refuse(&self, state: &mut State, of_its_address: usize) {
        self.limits.counters.refused.fetch_add(1, Ordering::Relaxed);
        state.refused += 1;
        if state.told.is_none_or(|told| told.elapsed() >= TELL_EVERY) {
            state.told = Some(Instant::now());
            let refused = std::mem::take(&mut state.refused);
            tracing::warn!(
                connections.refused = refused,
                connections.held = state.held.len(),
                connections.of_its_address = of_its_address,
                "connections find no place and are closed"
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
    /// Lets a connection in that has no place, instead of the oldest one where there are too many.
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

/// A request under way of a client behind a trusted proxy.
pub(super) struct UnderWay {
    places: Arc<Places>,
    client: IpAddr,
}

impl Place {
    /// Says once that a peer which is not trusted names its clients: its own address counts for all of them.
    pub(super) fn tell_of_proxy(&self, peer: IpAddr) {
        if !self.places.told_of_proxy.swap(true, Ordering::Relaxed) {
            tracing::warn!(
                client.address = %peer,
                "X-Forwarded-For comes from an address that is not trusted, and counts for nothing: if it is a proxy's, \
                 RECEPTIONIST_TRUSTED_PROXIES has to name it"
            );
        }
    }

    /// Begins a request of a client behind a trusted proxy; nothing while as many of it are under way as an address may
    /// have connections.
    pub(super) fn begin(&self, client: IpAddr) -> Option<UnderWay> {
        let (places, client) = (Arc::clone(&self.places), network(client));
        {
            let mut clients = places.clients.lock();
            let count = clients.entry(client).or_default();
            if *count >= places.limits.per_address.get() {
                return None;
            }
            *count += 1;
        }
        Some(UnderWay { places, client })
    }
}

impl Drop for UnderWay {
    fn drop(&mut self) {
        let mut clients = self.places.clients.lock();
        match clients.get_mut(&self.client) {
            Some(count) if *count > 1 => *count -= 1,
            _ => _ = clients.remove(&self.client),
        }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut state = self.places.state.lock();
        if self.is_held {
            state.release(self.id);
        } else {
            state.reserve.retain(|(id, _, _)| *id != self.id);
        }
    }
}

#[cfg(test)]
mod tests;
