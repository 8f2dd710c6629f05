//! Detects a local outage: this machine has no route or no name server. During an outage, a failed attempt does not
//! show that the receiver has failed.
//!
//! Invariants:
//!
//! - An outage begins only with local evidence: no route exists, or no name server answers. It ends only when a probe
//!   finds a route and a name server.
//! - One probe runs at a time, for any number of waiting deliveries.
//! - The log has one message for the beginning of an outage and one for its end.
//!
//! After a failed probe, the endpoint that has waited longest makes a *trial* attempt. If the attempt reaches its
//! receiver, the network works again, and the next probe ends the outage.
//!
//! Attempts to a host whose address is in the URL or in the hosts file continue while a route to this address
//! exists.

use std::collections::VecDeque;
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak};
use std::time::Duration;

use domain::{AttemptFailure, Host};
use parking_lot::Mutex;
use ports::{Dialer, NoNameServer, Resolver};
use tokio::sync::Notify;
use tokio::time::{Instant, sleep};

/// The time from the beginning of an outage to the first probe, and also the time between two probes.
pub const PROBE_AFTER: Duration = Duration::from_secs(30);

/// The addresses of `a.root-servers.net`. A route to one of them shows that the network works. The module only looks
/// for a route. It sends nothing to these addresses.
const LANDMARKS: [IpAddr; 2] = [
    IpAddr::V4(Ipv4Addr::new(198, 41, 0, 4)),
    IpAddr::V6(Ipv6Addr::new(0x2001, 0x503, 0xba3e, 0, 0, 0, 2, 0x30)),
];

/// The number of recently reached receivers whose addresses are remembered. A route to one of these addresses also
/// shows that the network works. Some networks have routes to receivers, but no route to the [`LANDMARKS`].
const REACHED_MAX: usize = 8;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lack {
    Route,
    NameServer,
}

impl From<Lack> for AttemptFailure {
    fn from(lack: Lack) -> Self {
        match lack {
            Lack::Route => Self::NoRoute,
            Lack::NameServer => Self::NoNameServer,
        }
    }
}

/// The state of this machine's network. It is cheap to clone. Clones share the state.
#[derive(Clone)]
pub struct Network(Arc<Inner>);

struct Inner {
    resolver: Arc<dyn Resolver>,
    dialer: Arc<dyn Dialer>,
    out: Mutex<Option<Lack>>,
    /// Wakes all waiting tasks at the end of an outage. For a trial attempt, wakes the task that has waited
    /// longest.
    waiting: Arc<Notify>,
    /// True from a failed probe until a task claims the trial attempt or the outage ends.
    trial: AtomicBool,
    /// True if a name server has ever returned an address.
    had_names: AtomicBool,
    /// True if a name server has returned an address since the last probe.
    has_names: AtomicBool,
    reached: Mutex<VecDeque<IpAddr>>,
}

impl Network {
    pub fn new(resolver: Arc<dyn Resolver>, dialer: Arc<dyn Dialer>) -> Self {
        Self(Arc::new(Inner {
            resolver,
            dialer,
            out: Mutex::default(),
            waiting: Arc::default(),
            trial: AtomicBool::new(false),
            had_names: AtomicBool::new(false),
            has_names: AtomicBool::new(false),
            reached: Mutex::default(),
        }))
    }

    pub(super) fn resolver(&self) -> &dyn Resolver {
        &*self.0.resolver
    }

    pub fn is_out(&self) -> bool {
        self.0.out.lock().is_some()
    }

    pub(super) fn lack_for(&self, host: &Host) -> Option<Lack> {
        let lack = (*self.0.out.lock())?;
        let has_route = |address: &IpAddr| self.0.dialer.has_route(*address);
        let reachable = match host {
            Host::Ip(address) => has_route(address),
            Host::Name(name) => self.0.resolver.known(name).iter().any(has_route),
        };
        (!reachable).then_some(lack)
    }

    /// Waits until there is no outage, or until this task is selected for a trial attempt.
    pub fn worth_trying(&self) -> impl Future<Output = ()> + Send + 'static {
        // The task registers before the first poll, so that it does not miss a notification.
        let notified = Arc::clone(&self.0.waiting).notified_owned();
        let is_out = self.is_out();
        async move {
            if is_out {
                notified.await;
            }
        }
    }

    /// Claims a trial attempt. During an outage, each failed probe allows one trial attempt. Returns false if no trial
    /// attempt is allowed, or if another caller has claimed it.
    pub fn take_trial(&self) -> bool {
        self.0.trial.swap(false, Ordering::Relaxed)
    }

    /// True if a name server has ever returned an address. If this is false, the machine may have no name server.
    pub(super) fn had_names(&self) -> bool {
        self.0.had_names.load(Ordering::Relaxed)
    }

    /// If a lookup may have failed because this machine has no route or no name server, begins an outage and returns
    /// which of them is missing. An `answer` of `None` means that the lookup timed out.
    pub(super) fn judge_lookup(&self, name: &str, answer: Option<&io::Result<Vec<IpAddr>>>) -> Option<Lack> {
        match answer {
            Some(Ok(_)) => {
                if (!self.had_names() || self.is_out()) && self.0.resolver.known(name).is_empty() {
                    self.0.had_names.store(true, Ordering::Relaxed);
                    self.0.has_names.store(true, Ordering::Relaxed);
                }
                None
            }
            Some(Err(error)) if error.get_ref().is_some_and(|inner| inner.is::<NoNameServer>()) => {
                Some(self.begin(if self.0.has_route() { Lack::NameServer } else { Lack::Route }))
            }
            Some(Err(error)) if error.kind() == io::ErrorKind::NotFound => None,
            // The lookup may have failed although the local name server works: without a route, the local name server
            // cannot ask other name servers. So the route is checked.
            _ => self.judge_failure(&[]),
        }
    }

    /// Looks for the cause of a failed connection to `targets`, or of a failed lookup (`targets` is then empty). If
    /// this machine has no route to any target and no route to the internet, the missing route may be the cause. In
    /// this case, begins an outage and returns [`Lack::Route`].
    pub(super) fn judge_failure(&self, targets: &[SocketAddr]) -> Option<Lack> {
        let has_route = |target: &SocketAddr| self.0.dialer.has_route(target.ip());
        let is_cut_off = !targets.iter().any(has_route) && !self.0.has_route();
        is_cut_off.then(|| self.begin(Lack::Route))
    }

    pub(super) fn note_reached(&self, peer: IpAddr) {
        let mut reached = self.0.reached.lock();
        if !reached.contains(&peer) {
            reached.truncate(REACHED_MAX - 1);
            reached.push_front(peer);
        }
    }

    fn begin(&self, lack: Lack) -> Lack {
        let begins = self.0.out.lock().replace(lack).is_none();
        if begins {
            self.0.has_names.store(false, Ordering::Relaxed);
            tracing::warn!(network.lack = ?lack, "webhooks are paused: this service has no working network");
            tokio::spawn(probe(Arc::downgrade(&self.0)));
        }
        lack
    }
}

impl Inner {
    fn has_route(&self) -> bool {
        let has_route = |address: &IpAddr| self.dialer.has_route(*address);
        LANDMARKS.iter().any(has_route) || self.reached.lock().iter().any(has_route)
    }
}

async fn probe(network: Weak<Inner>) {
    let began = Instant::now();
    loop {
        sleep(PROBE_AFTER).await;
        let Some(network) = network.upgrade() else { return };
        let has_names = network.has_names.swap(false, Ordering::Relaxed);
        if network.has_route() && (has_names || network.resolver.is_answered().await) {
            let seconds = began.elapsed().as_secs();
            tracing::info!(
                outage.seconds = seconds,
                "webhooks continue: the network of this service works again"
            );
            network.trial.store(false, Ordering::Relaxed);
            *network.out.lock() = None;
            network.waiting.notify_waiters();
            return;
        }
        network.trial.store(true, Ordering::Relaxed);
        network.waiting.notify_one();
    }
}

#[cfg(test)]
mod tests;
