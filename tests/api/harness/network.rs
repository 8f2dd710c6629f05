//! The outgoing network of the tests. Names resolve as the test says, and no connection succeeds.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use ports::{BoxFuture, Dialer, Resolver, Stream};

/// An address that neither responds nor refuses.
const SILENT: [u8; 4] = [93, 184, 216, 99];

/// The simulated names and connections.
#[derive(Clone, Default)]
pub(crate) struct Network {
    down: Arc<AtomicBool>,
    silent: Arc<AtomicUsize>,
}

impl Network {
    /// Turns name resolution off or on.
    pub(crate) fn set_names_down(&self, down: bool) {
        self.down.store(down, Ordering::Relaxed);
    }

    /// Waits until so many look-ups and connections without an end have begun.
    pub(crate) async fn wait_for_silent(&self, count: usize) {
        while self.silent.load(Ordering::Relaxed) < count {
            tokio::task::yield_now().await;
        }
    }
}

/// `*.example.com` is public, `*.internal.example.org` is internal, `*.silent.example.org` never gets a response, and
/// no other name resolves. The address of `*.wire.example.com` never responds.
impl Resolver for Network {
    fn resolve<'a>(&'a self, host: &'a str) -> BoxFuture<'a, io::Result<Vec<std::net::IpAddr>>> {
        let found = if self.down.load(Ordering::Relaxed) {
            Err(io::ErrorKind::NotFound.into())
        } else if host.ends_with(".wire.example.com") {
            Ok(vec![SILENT.into()])
        } else if host.ends_with(".example.com") {
            Ok(vec![[93, 184, 216, 34].into()])
        } else if host.ends_with(".internal.example.org") {
            Ok(vec![[93, 184, 216, 34].into(), [10, 0, 0, 1].into()])
        } else if host.ends_with(".silent.example.org") {
            self.silent.fetch_add(1, Ordering::Relaxed);
            return Box::pin(std::future::pending());
        } else {
            Err(io::ErrorKind::NotFound.into())
        };
        Box::pin(std::future::ready(found))
    }
}

/// No connection succeeds.
impl Dialer for Network {
    fn dial(&self, to: SocketAddr) -> BoxFuture<'_, io::Result<Box<dyn Stream>>> {
        if to.ip() == std::net::IpAddr::from(SILENT) {
            self.silent.fetch_add(1, Ordering::Relaxed);
            return Box::pin(std::future::pending());
        }
        Box::pin(std::future::ready(Err(io::ErrorKind::ConnectionRefused.into())))
    }
}
