//! An in-memory receiver of webhooks for every host name in `example.com`. The test chooses the response.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use net::Trust;
use parking_lot::Mutex;
use ports::{BoxFuture, Dialer, Resolver, Stream};
use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, DuplexStream, ReadBuf, duplex};
use tokio_rustls::TlsAcceptor;

use super::tls;

/// The size of a connection's buffer in bytes.
const PIPE_BYTES: usize = 64 * 1024;

/// A receiver of webhooks. All clones share the received requests.
#[derive(Clone)]
pub(crate) struct Receiver {
    tls: TlsAcceptor,
    trust: Trust,
    answer: Arc<Mutex<Option<(u16, String)>>>,
    /// The requests that arrived, each with head and body.
    requests: Arc<Mutex<Vec<String>>>,
}

impl Receiver {
    /// A receiver that accepts every event.
    pub(super) fn new() -> Self {
        let key = KeyPair::generate().unwrap();
        let mut params = CertificateParams::new([]).unwrap();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let authority = params.self_signed(&key).unwrap();
        let issuer = Issuer::new(params, key);
        let key = KeyPair::generate().unwrap();
        let certificate = CertificateParams::new(["*.example.com".to_owned()]).unwrap();
        let certificate = certificate.signed_by(&key, &issuer).unwrap();
        Self {
            tls: TlsAcceptor::from(Arc::new(tls::server(&certificate, &key))),
            trust: Trust::none().and(authority.der()).unwrap(),
            answer: Arc::new(Mutex::new(Some((204, String::new())))),
            requests: Arc::default(),
        }
    }

    /// The trusted certificates that the service needs for this receiver.
    pub(super) fn trust(&self) -> Trust {
        self.trust.clone()
    }

    /// Sets the response to later requests.
    pub(crate) fn answers(&self, status: u16, body: &str) {
        *self.answer.lock() = Some((status, body.to_owned()));
    }

    /// From now on, connections are refused.
    pub(crate) fn is_away(&self) {
        *self.answer.lock() = None;
    }

    /// The requests that arrived, each with head and body.
    pub(crate) fn requests(&self) -> Vec<String> {
        self.requests.lock().clone()
    }

    async fn serve(self, stream: DuplexStream) -> io::Result<()> {
        let mut stream = self.tls.accept(stream).await?;
        loop {
            let mut bytes = Vec::new();
            while !is_whole(&bytes) {
                if stream.read_buf(&mut bytes).await? == 0 {
                    return Ok(());
                }
            }
            self.requests.lock().push(String::from_utf8_lossy(&bytes).into_owned());
            let Some((status, body)) = self.answer.lock().clone() else { return Ok(()) };
            let length =
                if status == 204 { String::new() } else { format!("content-length: {}\r\n", body.len()) };
            stream.write_all(format!("HTTP/1.1 {status} X\r\n{length}\r\n{body}").as_bytes()).await?;
            stream.flush().await?;
        }
    }
}

/// Whether the bytes contain a complete request, including its body.
fn is_whole(bytes: &[u8]) -> bool {
    let text = String::from_utf8_lossy(bytes);
    let Some((head, _)) = text.split_once("\r\n\r\n") else { return false };
    let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
    let length: usize = length.unwrap_or("0").parse().unwrap();
    bytes.len() >= head.len() + 4 + length
}

impl Resolver for Receiver {
    fn resolve<'a>(&'a self, host: &'a str) -> BoxFuture<'a, io::Result<Vec<IpAddr>>> {
        let found = match host.ends_with(".example.com") {
            true => Ok(vec![[93, 184, 216, 34].into()]),
            false => Err(io::ErrorKind::NotFound.into()),
        };
        Box::pin(std::future::ready(found))
    }
}

impl Dialer for Receiver {
    fn dial(&self, peer: SocketAddr) -> BoxFuture<'_, io::Result<Box<dyn Stream>>> {
        Box::pin(async move {
            if self.answer.lock().is_none() {
                return Err(io::ErrorKind::ConnectionRefused.into());
            }
            let (stream, theirs) = duplex(PIPE_BYTES);
            tokio::spawn(self.clone().serve(theirs));
            Ok(Box::new(Led { stream, peer }) as Box<dyn Stream>)
        })
    }
}

/// A connection and the address to which it leads.
struct Led {
    stream: DuplexStream,
    peer: SocketAddr,
}

impl Stream for Led {
    fn peer_addr(&self) -> io::Result<SocketAddr> {
        Ok(self.peer)
    }
}

impl AsyncRead for Led {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl AsyncWrite for Led {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}
