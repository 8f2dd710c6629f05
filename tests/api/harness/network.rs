//! A simulated network for outgoing requests of the service. Host names have fixed addresses, and no
//! connection succeeds.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use ports::{BoxFuture, Dialer, Resolver, Stream};

/// An address that never responds and never refuses a connection.
const SILENT: [u8; 4] = [93, 184, 216, 99];

/// The simulated names and connections.
#[derive(Clone, Default)]
pub(crate) struct Network {
    down: Arc<AtomicBool>,
    silent: Arc<AtomicUsize>,
}

impl Network {
    /// Makes name resolution fail, or work again.
    pub(crate) fn set_names_down(&self, down: bool) {
        self.down.store(down, Ordering::Relaxed);
    }

    /// Waits until the service has begun `count` attempts that never end. An attempt is a lookup of a silent name or
    /// a connection to the silent address.
    pub(crate) async fn wait_for_silent(&self, count: usize) {
        while self.silent.load(Ordering::Relaxed) < count {
            tokio::task::yield_now().await;
        }
    }
}

/// A name in `*.example.com` has a public address, and a name in `*.internal.example.org` has a public and
/// an internal address. A lookup of a name in `*.silent.example.org` never ends. The address of a name in
/// `*.wire.example.com` never responds. Other names do not exist.
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

/// An attempt to connect to the silent address never ends. All other attempts fail.
impl Dialer for Network {
    fn dial(&self, to: SocketAddr) -> BoxFuture<'_, io::Result<Box<dyn Stream>>> {
        if to.ip() == std::net::IpAddr::from(SILENT) {
            self.silent.fetch_add(1, Ordering::Relaxed);
            return Box::pin(std::future::pending());
        }
        Box::pin(std::future::ready(Err(io::ErrorKind::ConnectionRefused.into())))
    }
}
