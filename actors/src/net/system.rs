//! The machine's own network, behind the ports.

use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, UdpSocket};
use std::sync::Arc;

use tokio::net::TcpStream;

use super::resolver::SystemResolver;
use super::trust::{Trust, TrustError};
use crate::ports::{BoxFuture, Dialer, Ports, Stream, system_clock, system_random};

/// A port that is asked the way to; nothing is sent to it.
const ANY_PORT: u16 = 443;

/// The numbers of the system's errors that say that there is no way: `ENETUNREACH`, `EHOSTUNREACH`, `ENETDOWN`; for
/// want of an address of that kind, `EADDRNOTAVAIL`, `EAFNOSUPPORT`; because the way is barred, `EINVAL`, `EACCES`.
const NO_ROUTE: [i32; 7] = [101, 113, 100, 99, 97, 22, 13];

impl Ports {
    /// The machine's own clock, randomness and network.
    ///
    /// # Errors
    /// When the certificates that `SSL_CERT_FILE` names cannot be used.
    pub fn system() -> Result<Self, TrustError> {
        Ok(Self {
            clock: system_clock(),
            random: system_random(),
            resolver: Arc::new(SystemResolver::new()),
            dialer: Arc::new(SystemDialer),
            trust: Trust::system()?,
        })
    }
}

/// Opens sockets of the system.
struct SystemDialer;

impl Dialer for SystemDialer {
    fn dial(&self, address: SocketAddr) -> BoxFuture<'_, io::Result<Box<dyn Stream>>> {
        Box::pin(async move {
            let stream = TcpStream::connect(address).await?;
            stream.set_nodelay(true)?;
            Ok(Box::new(stream) as Box<dyn Stream>)
        })
    }

    fn has_route(&self, to: IpAddr) -> bool {
        // A datagram socket that is connected has looked its way up, and has sent nothing.
        let from: IpAddr = match to {
            IpAddr::V4(_) => Ipv4Addr::UNSPECIFIED.into(),
            IpAddr::V6(_) => Ipv6Addr::UNSPECIFIED.into(),
        };
        let asked = UdpSocket::bind((from, 0)).and_then(|socket| socket.connect((to, ANY_PORT)));
        // Whatever else is lacking, a file or a port to ask with, nothing is known then.
        !asked.is_err_and(|error| error.raw_os_error().is_some_and(|number| NO_ROUTE.contains(&number)))
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

    #[tokio::test]
    async fn a_socket_knows_its_peer() {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        assert_eq!(SystemDialer.dial(address).await.unwrap().peer_addr().unwrap(), address);
    }

    #[test]
    fn the_way_to_the_machine_itself_is_known_and_none_to_where_there_is_none() {
        assert!(SystemDialer.has_route(Ipv4Addr::LOCALHOST.into()));
        // A link-local address leads nowhere without the interface that it is meant on.
        assert!(!SystemDialer.has_route("fe80::1".parse().unwrap()));
    }
}
