//! A TLS proxy in front of the calendar server. The server itself runs without TLS, so the tests need not configure
//! certificates for each kind of server. The proxy also records the requests.

use std::sync::Arc;

use parking_lot::Mutex;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;

use crate::servers::CalendarServer;

/// The requests to the server since the last call of [`Proxy::forget`], as bytes.
#[derive(Clone, Default)]
pub(crate) struct Proxy(Arc<Mutex<Vec<u8>>>);

impl Proxy {
    pub(crate) async fn start(address: &str, acceptor: TlsAcceptor) -> Self {
        let (proxy, listener) = (Self::default(), TcpListener::bind(address).await.unwrap());
        let recording = proxy.clone();
        tokio::spawn(async move {
            loop {
                let (stream, _) = listener.accept().await.unwrap();
                let (acceptor, recording) = (acceptor.clone(), recording.clone());
                // Forwarding fails if the service or the server is killed, so its error is ignored.
                tokio::spawn(async move {
                    let _ = Box::pin(recording.forward(acceptor, stream)).await;
                });
            }
        });
        proxy
    }

    async fn forward(&self, acceptor: TlsAcceptor, stream: TcpStream) -> std::io::Result<()> {
        let (mut from_client, mut to_client) = tokio::io::split(acceptor.accept(stream).await?);
        let (mut from_server, mut to_server) =
            TcpStream::connect(CalendarServer::ADDRESS).await?.into_split();
        let requests = async {
            let mut part = [0; 16 << 10];
            loop {
                let count = from_client.read(&mut part).await?;
                if count == 0 {
                    return to_server.shutdown().await;
                }
                self.0.lock().extend_from_slice(&part[..count]);
                to_server.write_all(&part[..count]).await?;
            }
        };
        let responses = async {
            tokio::io::copy(&mut from_server, &mut to_client).await?;
            to_client.shutdown().await
        };
        tokio::pin!(responses);
        tokio::select! {
            ended = requests => {
                ended?;
                responses.await
            }
            ended = &mut responses => ended,
        }
    }

    pub(crate) fn forget(&self) {
        self.0.lock().clear();
    }

    /// Whether a request contained this text.
    pub(crate) fn has_seen(&self, text: &str) -> bool {
        memchr::memmem::find(&self.0.lock(), text.as_bytes()).is_some()
    }
}
