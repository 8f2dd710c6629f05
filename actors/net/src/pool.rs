//! Keeps connections open for later webhooks to the same host.
//!
//! Invariants:
//!
//! - A connection is reused only for the same host and port, and only if the guard (`guard.rs`) has just permitted the
//!   address of the connection's peer.
//! - At most [`IDLE_PER_HOST_MAX`] connections per host and [`IDLE_MAX`] in total are idle.
//! - No connection is idle for more than [`IDLE_TIME_MAX`] or older than [`LIFE_TIME_MAX`].

use std::collections::VecDeque;
use std::net::SocketAddr;
use std::sync::{Arc, Weak};
use std::time::Duration;

use domain::{Host, WebhookUrl};
use parking_lot::Mutex;
use tokio::time::{Instant, sleep_until};

use super::connection::Connection;

/// The maximum number of idle connections per host. It equals the maximum number of concurrent attempts of an endpoint.
pub(super) const IDLE_PER_HOST_MAX: usize = 8;

pub(super) const IDLE_MAX: usize = 256;

pub(super) const IDLE_TIME_MAX: Duration = Duration::from_secs(30);

/// The maximum age of a connection. The limit ensures that the certificate is verified again from time to time.
pub(super) const LIFE_TIME_MAX: Duration = Duration::from_secs(300);

#[derive(Default)]
pub(super) struct Pool(Mutex<State>);

#[derive(Default)]
struct State {
    /// The idle connections. The connection that has been idle for longest comes first.
    idle: VecDeque<Idle>,
    sweeping: bool,
}

struct Idle {
    host: Host,
    port: u16,
    since: Instant,
    connection: Connection,
}

impl Idle {
    fn leads_to(&self, url: &WebhookUrl) -> bool {
        self.port == url.port() && self.host == *url.host()
    }

    fn is_usable(&self, now: Instant) -> bool {
        now < self.since + IDLE_TIME_MAX
            && now < self.connection.opened + LIFE_TIME_MAX
            && self.connection.sender.is_ready()
    }
}

impl Pool {
    /// Returns the newest usable idle connection to the URL's host whose peer is one of `targets`. Closes the idle
    /// connections to this host that have another peer or are not usable.
    pub(super) fn take(&self, url: &WebhookUrl, targets: &[SocketAddr]) -> Option<Connection> {
        let now = Instant::now();
        let mut state = self.0.lock();
        state.idle.retain(|idle| {
            !idle.leads_to(url) || (targets.contains(&idle.connection.peer) && idle.is_usable(now))
        });
        let at = state.idle.iter().rposition(|idle| idle.leads_to(url))?;
        state.idle.remove(at).map(|idle| idle.connection)
    }

    pub(super) fn put(self: &Arc<Self>, url: &WebhookUrl, connection: Connection) {
        let since = Instant::now();
        let mut state = self.0.lock();
        let of_host = state.idle.iter().filter(|idle| idle.leads_to(url)).count();
        if of_host >= IDLE_PER_HOST_MAX
            && let Some(at) = state.idle.iter().position(|idle| idle.leads_to(url))
        {
            state.idle.remove(at);
        }
        if state.idle.len() >= IDLE_MAX {
            state.idle.pop_front();
        }
        state.idle.push_back(Idle { host: url.host().clone(), port: url.port(), since, connection });
        if !state.sweeping {
            state.sweeping = true;
            tokio::spawn(sweep(Arc::downgrade(self), since + IDLE_TIME_MAX));
        }
    }

    /// Closes expired connections. If connections remain, returns the time of the next check.
    fn close_old(&self) -> Option<Instant> {
        let now = Instant::now();
        let mut state = self.0.lock();
        state.idle.retain(|idle| idle.is_usable(now));
        let next = state.idle.front().map(|idle| idle.since + IDLE_TIME_MAX);
        state.sweeping = next.is_some();
        next
    }

    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.0.lock().idle.len()
    }
}

async fn sweep(pool: Weak<Pool>, mut at: Instant) {
    loop {
        sleep_until(at).await;
        match pool.upgrade().and_then(|pool| pool.close_old()) {
            Some(next) => at = next,
            None => return,
        }
    }
}
