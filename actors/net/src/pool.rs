//! Connections kept open for the next webhook to the same host.
//!
//! What always holds: a connection is handed out for the host and port it was opened for, and only if the guard's
//! fresh answer still holds its peer; at most [`IDLE_PER_HOST_MAX`] of a host and [`IDLE_MAX`] in all are kept, none
//! unused for more than [`IDLE_TIME_MAX`] and none older than [`LIFE_TIME_MAX`].

use std::collections::VecDeque;
use std::net::SocketAddr;
use std::sync::{Arc, Weak};
use std::time::Duration;

use parking_lot::Mutex;
use tokio::time::{Instant, sleep_until};

use super::connection::Connection;
use super::url::{Host, WebhookUrl};

/// So many unused connections to a host are kept: as many as attempts of an endpoint are under way at once.
pub(super) const IDLE_PER_HOST_MAX: usize = 8;

/// So many unused connections are kept in all.
pub(super) const IDLE_MAX: usize = 256;

/// So long an unused connection is kept.
pub(super) const IDLE_TIME_MAX: Duration = Duration::from_secs(30);

/// So long after it was opened a connection is used again, so that a certificate is seen anew now and then.
pub(super) const LIFE_TIME_MAX: Duration = Duration::from_secs(300);

/// The connections that nobody uses now.
#[derive(Default)]
pub(super) struct Pool(Mutex<State>);

#[derive(Default)]
struct State {
    /// The one that waits longest is first.
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
    /// The newest connection to the host of the URL whose peer is among the checked addresses. Connections to peers
    /// that are not are closed.
    pub(super) fn take(&self, url: &WebhookUrl, targets: &[SocketAddr]) -> Option<Connection> {
        let now = Instant::now();
        let mut state = self.0.lock();
        state.idle.retain(|idle| {
            !idle.leads_to(url) || (targets.contains(&idle.connection.peer) && idle.is_usable(now))
        });
        let at = state.idle.iter().rposition(|idle| idle.leads_to(url))?;
        state.idle.remove(at).map(|idle| idle.connection)
    }

    /// Keeps a connection, at the cost of those that wait longest if there are too many.
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

    /// Closes what has waited too long, and tells when to look again if anything is left.
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
