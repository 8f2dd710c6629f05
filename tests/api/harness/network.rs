//! The outgoing network of the tests. Names resolve as the test says, and no connection succeeds.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use ports::{BoxFuture, Dialer, Resolver, Stream};

/// At this address nobody ever answers, nor refuses.
const SILENT: [u8; 4] = [93, 184, 216, 99];

/// The names and the wires of a test, as far as it looks at them.
#[derive(Clone, Default)]
pub(crate) struct Network {
    down: Arc<AtomicBool>,
    silent: Arc<AtomicUsize>,
}

impl Network {
    /// From now on no name resolves, or they do again.
    pub(crate) fn set_names_down(&self, down: bool) {
        self.down.store(down, Ordering::Relaxed);
    }

    /// Waits until so many look-ups and connections have begun that never end.
    pub(crate) async fn wait_for_silent(&self, count: usize) {
        while self.silent.load(Ordering::Relaxed) < count {
            tokio::task::yield_now().await;
        }
    }
}

/// `*.example.com` is public, `*.internal.example.org` is not, `*.silent.example.org` never gets an answer, and no
/// other name resolves. What `*.wire.example.com` leads to never answers.
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

/// Nobody answers.
impl Dialer for Network {
    fn dial(&self, to: SocketAddr) -> BoxFuture<'_, io::Result<Box<dyn Stream>>> {
        if to.ip() == std::net::IpAddr::from(SILENT) {
            self.silent.fetch_add(1, Ordering::Relaxed);
            return Box::pin(std::future::pending());
        }
        Box::pin(std::future::ready(Err(io::ErrorKind::ConnectionRefused.into())))
    }
}
