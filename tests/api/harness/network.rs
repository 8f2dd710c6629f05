//! The outgoing network of the tests: names lead where the test wants, and nothing is ever reached.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use actors::ports::{BoxFuture, Dialer, Resolver, Stream};

/// The names and the wires of a test, as far as it looks at them.
#[derive(Clone, Default)]
pub(crate) struct Network {
    down: Arc<AtomicBool>,
}

impl Network {
    /// From now on no name resolves, or they do again.
    pub(crate) fn set_names_down(&self, down: bool) {
        self.down.store(down, Ordering::Relaxed);
    }
}

/// `*.example.com` is public, `*.internal.example.org` is not, and no other name resolves.
impl Resolver for Network {
    fn resolve<'a>(&'a self, host: &'a str) -> BoxFuture<'a, io::Result<Vec<std::net::IpAddr>>> {
        let found = if self.down.load(Ordering::Relaxed) {
            Err(io::ErrorKind::NotFound.into())
        } else if host.ends_with(".example.com") {
            Ok(vec![[93, 184, 216, 34].into()])
        } else if host.ends_with(".internal.example.org") {
            Ok(vec![[93, 184, 216, 34].into(), [10, 0, 0, 1].into()])
        } else {
            Err(io::ErrorKind::NotFound.into())
        };
        Box::pin(std::future::ready(found))
    }
}

/// Nobody answers.
impl Dialer for Network {
    fn dial(&self, _: SocketAddr) -> BoxFuture<'_, io::Result<Box<dyn Stream>>> {
        Box::pin(std::future::ready(Err(io::ErrorKind::ConnectionRefused.into())))
    }
}
