//! The connection to a relay: TCP, then TLS from the first byte or after STARTTLS (RFC 3207).
//!
//! Invariants: data that arrived before TLS began is never used after TLS has begun. If the relay sends
//! more than one response to a command before TLS begins, the attempt fails. Between two commands, a relay may send at
//! most [`ANSWER_BYTES_MAX`] bytes.

use std::fmt;
use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use domain::{MailError, MailFault};
use lettre::transport::smtp::client::AsyncTokioStream;
use net::Trust;
use net::named::{TlsFault, tls_fault};
use rustls::pki_types::ServerName;
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, BufReader, ReadBuf};
use tokio::net::{TcpStream, lookup_host};
use tokio::time::timeout;
use tokio_rustls::TlsConnector;

use super::settings::{Relay, Security};

/// The time limit for connecting to one address of a relay.
const CONNECT_TIME_MAX: Duration = Duration::from_secs(15);
/// The maximum length of the responses between two commands, in bytes.
pub(super) const ANSWER_BYTES_MAX: usize = 64 << 10;

pub(super) struct Wire {
    relay: Relay,
    hello: String,
    tls: Option<(TlsConnector, ServerName<'static>)>,
}

impl Wire {
    /// Creates a connector to this relay. `hello` is the client's name. Fails if TLS cannot be set up.
    pub(super) fn new(relay: Relay, hello: &str, trust: &Trust) -> Result<Self, String> {
        let tls = match relay.security {
            Security::None => None,
            Security::Tls | Security::StartTls => {
                let name = ServerName::try_from(relay.host.clone()).map_err(|error| error.to_string())?;
                Some((TlsConnector::from(Arc::new(trust.client_config())), name))
            }
        };
        Ok(Self { relay, hello: hello.to_owned(), tls })
    }

    /// Opens a connection on which the next data is the relay's greeting.
    pub(super) async fn connect(&self) -> io::Result<Box<dyn AsyncTokioStream>> {
        let stream = self.open().await?;
        let address = stream.peer_addr()?;
        let Some((connector, name)) = &self.tls else {
            return Ok(Box::new(Bounded { stream, address, first: Vec::new(), left: ANSWER_BYTES_MAX }));
        };
        let mut greeting = Vec::new();
        let stream = match self.relay.security {
            Security::StartTls => {
                // The client library expects a greeting on the TLS stream, but the relay has sent it before
                // TLS. This line replaces the greeting.
                greeting.extend(b"220 TLS has begun\r\n");
                self.start_tls(stream).await?
            }
            Security::Tls | Security::None => stream,
        };
        let stream = connector.connect(name.clone(), stream).await.map_err(without_rust_values)?;
        Ok(Box::new(Bounded { stream, address, first: greeting, left: ANSWER_BYTES_MAX }))
    }

    async fn open(&self) -> io::Result<TcpStream> {
        let mut failed = fault(MailFault::NoAddress);
        for address in lookup_host((self.relay.host.as_str(), self.relay.port)).await? {
            match timeout(CONNECT_TIME_MAX, TcpStream::connect(address)).await {
                Ok(Ok(stream)) => return Ok(stream),
                Ok(Err(error)) => failed = error,
                Err(_) => failed = io::Error::other(MailError::NoConnection(CONNECT_TIME_MAX.as_secs())),
            }
        }
        Err(failed)
    }

    /// Negotiates STARTTLS. After this, both sides send only TLS.
    async fn start_tls(&self, stream: TcpStream) -> io::Result<TcpStream> {
        let mut stream = BufReader::new(stream);
        expect(&answer(&mut stream).await?, "220")?;
        stream.write_all(format!("EHLO {}\r\n", self.hello).as_bytes()).await?;
        let offers = answer(&mut stream).await?;
        expect(&offers, "250")?;
        let is_starttls = |line: &&String| line.get(4..).unwrap_or_default().eq_ignore_ascii_case("STARTTLS");
        if offers.iter().skip(1).find(is_starttls).is_none() {
            return Err(fault(MailFault::NoStartTls));
        }
        stream.write_all(b"STARTTLS\r\n").await?;
        expect(&answer(&mut stream).await?, "220")?;
        Ok(stream.into_inner())
    }
}

/// Reads the lines of a response. Fails if more data follows.
async fn answer(stream: &mut BufReader<TcpStream>) -> io::Result<Vec<String>> {
    let mut lines = Vec::new();
    let mut bounded = stream.take(ANSWER_BYTES_MAX as u64);
    loop {
        let mut line = Vec::new();
        bounded.read_until(b'\n', &mut line).await?;
        let Some(text) = line.strip_suffix(b"\n") else {
            return Err(fault(if bounded.limit() == 0 {
                MailFault::LongResponse
            } else {
                MailFault::Closed
            }));
        };
        let text = String::from_utf8_lossy(text.strip_suffix(b"\r").unwrap_or(text)).into_owned();
        if text.len() < 3 || !text.as_bytes()[..3].iter().all(u8::is_ascii_digit) {
            return Err(fault(MailFault::InvalidResponse));
        }
        let goes_on = text.as_bytes().get(3) == Some(&b'-');
        lines.push(text);
        if !goes_on {
            break;
        }
    }
    if bounded.get_ref().buffer().is_empty() {
        return Ok(lines);
    }
    Err(fault(MailFault::DataBeforeTls))
}

fn expect(answer: &[String], code: &str) -> io::Result<()> {
    match answer.last() {
        Some(line) if line.starts_with(code) => Ok(()),
        Some(line) => Err(io::Error::new(io::ErrorKind::InvalidData, line.clone())),
        None => Err(fault(MailFault::NoResponse)),
    }
}

/// Replaces a TLS error of rustls by a fault in plain words, because the error's text contains Rust values.
fn without_rust_values(error: io::Error) -> io::Error {
    match error.get_ref().and_then(|inner| inner.downcast_ref::<rustls::Error>()) {
        Some(reason) => fault(match tls_fault(reason) {
            TlsFault::Expired => MailFault::CertificateExpired,
            TlsFault::NotYetValid => MailFault::CertificateNotYetValid,
            TlsFault::OtherName => MailFault::CertificateOtherName,
            TlsFault::UnknownIssuer => MailFault::CertificateIssuer,
            TlsFault::Certificate => MailFault::CertificateInvalid,
            TlsFault::Refused => MailFault::HandshakeRefused,
            TlsFault::NotTls => MailFault::NotTls,
            TlsFault::Handshake => MailFault::HandshakeFailed,
        }),
        None => error,
    }
}

/// Converts a fault to an error that contains a [`MailError`].
fn fault(fault: MailFault) -> io::Error {
    io::Error::other(MailError::from(fault))
}

/// A stream that fails if the relay sends more than [`ANSWER_BYTES_MAX`] between two commands.
#[derive(Debug)]
struct Bounded<S> {
    stream: S,
    address: SocketAddr,
    /// Bytes that the reader gets before the bytes of the stream.
    first: Vec<u8>,
    left: usize,
}

impl<S: AsyncRead + Unpin> AsyncRead for Bounded<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        into: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = &mut *self;
        if !this.first.is_empty() {
            let count = this.first.len().min(into.remaining());
            into.put_slice(&this.first[..count]);
            this.first.drain(..count);
            return Poll::Ready(Ok(()));
        }
        if this.left == 0 {
            return Poll::Ready(Err(fault(MailFault::LongResponse)));
        }
        let before = into.filled().len();
        ready!(Pin::new(&mut this.stream).poll_read(cx, into))?;
        this.left = this.left.saturating_sub(into.filled().len() - before);
        Poll::Ready(Ok(()))
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Bounded<S> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        self.left = ANSWER_BYTES_MAX;
        Pin::new(&mut self.stream).poll_write(cx, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}

impl<S: AsyncRead + AsyncWrite + fmt::Debug + Send + Sync + Unpin> AsyncTokioStream for Bounded<S> {
    fn peer_addr(&self) -> io::Result<SocketAddr> {
        Ok(self.address)
    }
}
