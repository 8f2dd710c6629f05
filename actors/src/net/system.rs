//! The machine's own sockets, behind the ports.

use std::io;
use std::net::SocketAddr;

use tokio::net::TcpStream;

use crate::ports::{BoxFuture, Dialer, Stream};

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

    #[tokio::test]
    async fn a_socket_knows_its_peer() {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        assert_eq!(SystemDialer.dial(address).await.unwrap().peer_addr().unwrap(), address);
    }
}
