//! The machine's own resolver and sockets, behind the ports.

use std::io;
use std::net::{IpAddr, SocketAddr, ToSocketAddrs};
use std::sync::Arc;

use tokio::net::TcpStream;
use tokio::sync::Semaphore;

use crate::ports::{BoxFuture, Dialer, Resolver, Stream};

/// So many names are looked up at once. A lookup holds a thread until it ends, also when nobody waits for it any more,
/// and the store needs threads too.
const LOOKUPS_MAX: usize = 128;

/// The file of the names that this machine knows by itself.
const HOSTS_FILE: &str = "/etc/hosts";

/// Asks the system's resolver.
pub(crate) struct SystemResolver {
    lookups: Arc<Semaphore>,
}

impl SystemResolver {
    pub(crate) fn new() -> Self {
        Self { lookups: Arc::new(Semaphore::new(LOOKUPS_MAX)) }
    }
}

impl Resolver for SystemResolver {
    fn resolve<'a>(&'a self, host: &'a str) -> BoxFuture<'a, io::Result<Vec<IpAddr>>> {
        Box::pin(async move {
            let permit = Arc::clone(&self.lookups).acquire_owned().await.map_err(io::Error::other)?;
            let host = host.to_owned();
            let lookup = tokio::task::spawn_blocking(move || {
                let _permit = permit;
                look_up(&host)
            });
            lookup.await?
        })
    }
}

/// The addresses of a name. The dot at its end keeps the system from trying search domains, but also from looking
/// into its own file of names, so this does that first, as the system would.
fn look_up(host: &str) -> io::Result<Vec<IpAddr>> {
    let known = std::fs::read_to_string(HOSTS_FILE).map(|hosts| in_hosts(&hosts, host)).unwrap_or_default();
    if !known.is_empty() {
        return Ok(known);
    }
    Ok((format!("{host}."), 0).to_socket_addrs()?.map(|address| address.ip()).collect())
}

/// The addresses that a file of names gives a name.
fn in_hosts(hosts: &str, host: &str) -> Vec<IpAddr> {
    let entries = hosts.lines().filter_map(|line| {
        let mut words = line.split('#').next()?.split_whitespace();
        let address: IpAddr = words.next()?.parse().ok()?;
        words.any(|name| name.eq_ignore_ascii_case(host)).then_some(address)
    });
    entries.collect()
}

/// Opens sockets of the system.
pub(crate) struct SystemDialer;

impl Dialer for SystemDialer {
    fn dial(&self, address: SocketAddr) -> BoxFuture<'_, io::Result<Box<dyn Stream>>> {
        Box::pin(async move {
            let stream = TcpStream::connect(address).await?;
            stream.set_nodelay(true)?;
            Ok(Box::new(stream) as Box<dyn Stream>)
        })
    }
}

impl Stream for TcpStream {
    fn peer_addr(&self) -> io::Result<SocketAddr> {
        TcpStream::peer_addr(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_of_names_is_read_as_the_system_reads_it() {
        let hosts = "# 9.9.9.9 hook.example.com\n\
            127.0.0.1\tlocalhost\n\
            93.184.216.34  other.example.com Hook.Example.com # the receiver\n\
            nonsense hook.example.com\n\
            2606:4700::1111 hook.example.com\n";
        let found = in_hosts(hosts, "hook.example.com");
        assert_eq!(found, ["93.184.216.34", "2606:4700::1111"].map(|ip| ip.parse::<IpAddr>().unwrap()));
        assert!(in_hosts(hosts, "receiver").is_empty());
        assert!(in_hosts(hosts, "example.com").is_empty());
    }

    #[tokio::test]
    async fn a_local_name_resolves_and_a_search_domain_is_not_tried() {
        let resolver = SystemResolver::new();
        assert!(resolver.resolve("localhost").await.unwrap().iter().all(IpAddr::is_loopback));
        assert!(resolver.resolve("no-such-name.invalid").await.is_err());
    }

    #[tokio::test]
    async fn a_socket_knows_its_peer() {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        assert_eq!(SystemDialer.dial(address).await.unwrap().peer_addr().unwrap(), address);
    }
}
