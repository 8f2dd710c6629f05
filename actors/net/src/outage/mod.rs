//! An outage of ours: without a route or a name server, what fails says nothing of the receivers.
//!
//! What always holds: an outage begins only with evidence from here, that this machine knows no way to anywhere or that
//! no name server answers anything, and ends only when a probe has found both; there is one probe at a time, however
//! much is held back; the log tells of the beginning and of the end, once each.
//!
//! A probe that finds no end lets one attempt be made all the same, of whoever has waited longest. Where the evidence
//! is mistaken, for a network that is unlike others, that attempt reaches its receiver, and the next probe knows.
//!
//! Hosts that need no name server, because the URL holds their address or the machine's file of names does, and to
//! which a way is known, are not held back: what is missing is not missing to them. So nobody's unknown name keeps a
//! machine from delivering that has no name server to begin with.

use std::collections::VecDeque;
use std::fmt;
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak};
use std::time::Duration;

use parking_lot::Mutex;
use ports::{Dialer, NoNameServer, Resolver};
use tokio::sync::Notify;
use tokio::time::{Instant, sleep};

use super::url::Host;

/// So long after an outage began, and after each probe that did not find its end, it is probed whether it is over.
pub const PROBE_AFTER: Duration = Duration::from_secs(30);

/// Where a way to the internet leads to (`a.root-servers.net`). Nothing is ever sent there.
const LANDMARKS: [IpAddr; 2] = [
    IpAddr::V4(Ipv4Addr::new(198, 41, 0, 4)),
    IpAddr::V6(Ipv6Addr::new(0x2001, 0x503, 0xba3e, 0, 0, 0, 2, 0x30)),
];

/// So many receivers that were reached are landmarks as well: a machine need not have a way to all the internet.
const REACHED_MAX: usize = 8;

/// What this machine lacks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lack {
    /// It knows no way to anywhere, neither over IPv4 nor over IPv6.
    Route,
    /// No name server answers.
    NameServer,
}

/// Whether the network is there. Cheap to clone; the clones share what they know.
#[derive(Clone)]
pub struct Network(Arc<Inner>);

struct Inner {
    resolver: Arc<dyn Resolver>,
    dialer: Arc<dyn Dialer>,
    /// What is lacking while there is an outage.
    out: Mutex<Option<Lack>>,
    /// Tells those who wait that an outage is over, or the one who has waited longest that it may try.
    waiting: Arc<Notify>,
    /// Whether somebody may try though there is an outage.
    trial: AtomicBool,
    /// Whether a name server has ever given an address.
    had_names: AtomicBool,
    /// Whether one has since this was asked last.
    has_names: AtomicBool,
    /// The receivers that were reached last.
    reached: Mutex<VecDeque<IpAddr>>,
}

impl Network {
    /// A network that is there as far as is known.
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

    /// What finds the addresses of names.
    pub(super) fn resolver(&self) -> &dyn Resolver {
        &*self.0.resolver
    }

    /// Whether there is an outage.
    pub fn is_out(&self) -> bool {
        self.0.out.lock().is_some()
    }

    /// What is lacking to send anything to a host, if there is an outage that concerns it.
    pub(super) fn lack_for(&self, host: &Host) -> Option<Lack> {
        let lack = (*self.0.out.lock())?;
        let has_route = |address: &IpAddr| self.0.dialer.has_route(*address);
        let reachable = match host {
            Host::Ip(address) => has_route(address),
            Host::Name(name) => self.0.resolver.known(name).iter().any(has_route),
        };
        (!reachable).then_some(lack)
    }

    /// Waits until there is no outage, or it is this one's turn to try whether there still is.
    pub fn worth_trying(&self) -> impl Future<Output = ()> + Send + 'static {
        // It learns of whatever happens from here on, whenever it is awaited.
        let told = Arc::clone(&self.0.waiting).notified_owned();
        let is_out = self.is_out();
        async move {
            if is_out {
                told.await;
            }
        }
    }

    /// Whether one attempt may be made though there is an outage. Whoever asks first may.
    pub fn take_trial(&self) -> bool {
        self.0.trial.swap(false, Ordering::Relaxed)
    }

    /// Whether a name server has ever answered. A machine on which none has may have none.
    pub(super) fn had_names(&self) -> bool {
        self.0.had_names.load(Ordering::Relaxed)
    }

    /// Takes note of how a name was resolved, or that it was not in time; gives what is lacking here, if that is why.
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
            // A name server on this machine may answer just that it reaches no other one.
            _ => self.judge_failure(&[]),
        }
    }

    /// What is lacking here, if that may be why nothing was heard of these addresses.
    pub(super) fn judge_failure(&self, targets: &[SocketAddr]) -> Option<Lack> {
        let has_route = |target: &SocketAddr| self.0.dialer.has_route(target.ip());
        let is_cut_off = !targets.iter().any(has_route) && !self.0.has_route();
        is_cut_off.then(|| self.begin(Lack::Route))
    }

    /// Takes note that a receiver was reached.
    pub(super) fn note_reached(&self, peer: IpAddr) {
        let mut reached = self.0.reached.lock();
        if !reached.contains(&peer) {
            reached.truncate(REACHED_MAX - 1);
            reached.push_front(peer);
        }
    }

    /// An outage has shown itself. If it is the first to do so, it begins, and is probed from now on.
    fn begin(&self, lack: Lack) -> Lack {
        let begins = self.0.out.lock().replace(lack).is_none();
        if begins {
            self.0.has_names.store(false, Ordering::Relaxed);
            tracing::warn!(network.lack = ?lack, "webhooks are held back: this service is cut off");
            tokio::spawn(probe(Arc::downgrade(&self.0)));
        }
        lack
    }
}

impl fmt::Debug for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Network").field(&*self.0.out.lock()).finish()
    }
}

impl Inner {
    fn has_route(&self) -> bool {
        let has_route = |address: &IpAddr| self.dialer.has_route(*address);
        LANDMARKS.iter().any(has_route) || self.reached.lock().iter().any(has_route)
    }
}

/// Probes now and then whether the outage that has just begun is over, and ends it once it is.
async fn probe(network: Weak<Inner>) {
    let began = Instant::now();
    loop {
        sleep(PROBE_AFTER).await;
        let Some(network) = network.upgrade() else { return };
        let has_names = network.has_names.swap(false, Ordering::Relaxed);
        if network.has_route() && (has_names || network.resolver.is_answered().await) {
            let seconds = began.elapsed().as_secs();
            tracing::info!(outage.seconds = seconds, "webhooks go on: this service is cut off no longer");
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
