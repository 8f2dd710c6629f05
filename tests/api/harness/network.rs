//! The outgoing network of the tests: names lead where the test wants, and nothing is ever reached.

use std::io;
use std::net::SocketAddr;

use actors::ports::{BoxFuture, Dialer, Resolver, Stream};

/// `*.example.com` is public, `*.internal.example.org` is not, and no other name resolves.
pub(super) struct Names;

impl Resolver for Names {
    fn resolve<'a>(&'a self, host: &'a str) -> BoxFuture<'a, io::Result<Vec<std::net::IpAddr>>> {
        let found = if host.ends_with(".example.com") {
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
pub(super) struct Unplugged;

impl Dialer for Unplugged {
    fn dial(&self, _: SocketAddr) -> BoxFuture<'_, io::Result<Box<dyn Stream>>> {
        Box::pin(std::future::ready(Err(io::ErrorKind::ConnectionRefused.into())))
    }
}
