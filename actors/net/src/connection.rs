//! One connection to a receiver, at an address that the guard has checked. It uses HTTP/1.1 over TLS. Only the server
//! of a chat model can have a connection without TLS; see the module `model`.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use domain::{AttemptFailure, Host, WebhookUrl};
use http_body_util::Full;
use hyper::client::conn::http1::{self, SendRequest};
use hyper_util::rt::TokioIo;
use ports::{Dialer, Stream};
use rustls::ClientConfig;
use rustls::pki_types::{DnsName, ServerName};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::task::JoinHandle;
use tokio::time::{Instant, timeout_at};
use tokio_rustls::TlsConnector;

use super::named::{TlsFault, tls_fault};
use super::shortage::is_ours_connecting;

pub(super) const ADDRESSES_TRIED_MAX: usize = 4;

/// The maximum time for connecting to an address if the host has further addresses to try.
pub(super) const CONNECT_TIME_MAX: Duration = Duration::from_secs(2);

pub(super) const RESPONSE_HEAD_BYTES_MAX: usize = 16 * 1024;

pub(super) const RESPONSE_HEADERS_MAX: usize = 100;

/// An open connection. Dropping this value closes the connection immediately.
pub(super) struct Connection {
    pub(super) peer: SocketAddr,
    pub(super) opened: Instant,
    pub(super) sender: SendRequest<Full<Bytes>>,
    driver: JoinHandle<()>,
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.driver.abort();
    }
}

pub(super) struct Connector {
    dialer: Arc<dyn Dialer>,
    tls: TlsConnector,
}

impl Connector {
    pub(super) fn new(dialer: Arc<dyn Dialer>, tls: ClientConfig) -> Self {
        Self { dialer, tls: TlsConnector::from(Arc::new(tls)) }
    }

    pub(super) async fn connect(
        &self,
        url: &WebhookUrl,
        targets: &[SocketAddr],
        deadline: Instant,
    ) -> Result<Connection, AttemptFailure> {
        self.connect_to(url.host(), targets, deadline).await
    }

    pub(super) async fn connect_to(
        &self,
        host: &Host,
        targets: &[SocketAddr],
        deadline: Instant,
    ) -> Result<Connection, AttemptFailure> {
        let (peer, stream) = self.dial(targets, deadline).await?;
        let name = server_name(host)?;
        let stream = timeout_at(deadline, self.tls.connect(name, stream))
            .await
            .map_err(|_| AttemptFailure::HandshakeTimeout)?
            .map_err(|error| tls_failure(&error))?;
        opened(peer, stream).await
    }

    /// Opens a connection without TLS.
    pub(super) async fn connect_plain(
        &self,
        targets: &[SocketAddr],
        deadline: Instant,
    ) -> Result<Connection, AttemptFailure> {
        let (peer, stream) = self.dial(targets, deadline).await?;
        opened(peer, stream).await
    }

    async fn dial(
        &self,
        targets: &[SocketAddr],
        deadline: Instant,
    ) -> Result<(SocketAddr, Box<dyn Stream>), AttemptFailure> {
        let targets = &targets[..targets.len().min(ADDRESSES_TRIED_MAX)];
        let (mut failure, mut short) = (AttemptFailure::NotPublic, false);
        for (index, target) in targets.iter().enumerate() {
            let others_left = index + 1 < targets.len();
            let until = if others_left { deadline.min(Instant::now() + CONNECT_TIME_MAX) } else { deadline };
            match timeout_at(until, self.dialer.dial(*target)).await {
                Ok(Ok(stream)) => return is_peer(&*stream, *target).map(|()| (*target, stream)),
                Ok(Err(error)) => {
                    if is_ours_connecting(&error, target.ip()) {
                        tracing::debug!(server.target = %target, error = %error, "a request cannot be sent, because this machine lacks a resource");
                        short = true;
                    }
                    failure = connect_failure(&error);
                }
                Err(_) => failure = AttemptFailure::ConnectTimeout,
            }
            if Instant::now() >= deadline {
                break;
            }
        }
        // If this machine lacked a resource for the connection to one of the addresses, this address may still work. So
        // the result is `Short`, even if the connections to the other addresses failed for other reasons.
        Err(if short { AttemptFailure::Short } else { failure })
    }
}

async fn opened(
    peer: SocketAddr,
    stream: impl AsyncRead + AsyncWrite + Send + Unpin + 'static,
) -> Result<Connection, AttemptFailure> {
    let (sender, connection) = http1::Builder::new()
        .max_buf_size(RESPONSE_HEAD_BYTES_MAX)
        .max_header_size(RESPONSE_HEAD_BYTES_MAX)
        .max_headers(RESPONSE_HEADERS_MAX)
        .handshake(TokioIo::new(stream))
        .await
        .map_err(|error| from_http(&error))?;
    // The task ignores the error, because the sender of the request also gets an error.
    let driver = tokio::spawn(async move {
        let _ = connection.await;
    });
    Ok(Connection { peer, opened: Instant::now(), sender, driver })
}

fn is_peer(stream: &dyn Stream, target: SocketAddr) -> Result<(), AttemptFailure> {
    let peer = stream.peer_addr().map_err(|error| connect_failure(&error))?;
    if (peer.ip(), peer.port()) == (target.ip(), target.port()) {
        return Ok(());
    }
    tracing::error!(
        server.target = %target,
        server.peer = %peer,
        "the peer of a connection is not the checked address; the connection is not used"
    );
    Err(AttemptFailure::NotPublic)
}

fn server_name(host: &Host) -> Result<ServerName<'static>, AttemptFailure> {
    match host {
        Host::Name(name) => {
            DnsName::try_from(name.clone()).map(ServerName::DnsName).map_err(|_| AttemptFailure::HostName)
        }
        Host::Ip(address) => Ok((*address).into()),
    }
}

fn connect_failure(error: &io::Error) -> AttemptFailure {
    match error.kind() {
        io::ErrorKind::ConnectionRefused => AttemptFailure::ConnectionRefused,
        io::ErrorKind::ConnectionReset | io::ErrorKind::ConnectionAborted => AttemptFailure::ConnectionReset,
        io::ErrorKind::NetworkUnreachable => AttemptFailure::NetworkUnreachable,
        io::ErrorKind::HostUnreachable => AttemptFailure::HostUnreachable,
        io::ErrorKind::TimedOut => AttemptFailure::SystemTimeout,
        _ => AttemptFailure::ConnectFailed,
    }
}

pub(super) fn from_http(error: &hyper::Error) -> AttemptFailure {
    if error.is_parse() { AttemptFailure::InvalidResponse } else { AttemptFailure::Closed }
}

fn tls_failure(error: &io::Error) -> AttemptFailure {
    match error.get_ref().and_then(|inner| inner.downcast_ref::<rustls::Error>()).map(tls_fault) {
        Some(TlsFault::Expired) => AttemptFailure::CertificateExpired,
        Some(TlsFault::NotYetValid) => AttemptFailure::CertificateNotYetValid,
        Some(TlsFault::OtherName) => AttemptFailure::CertificateOtherName,
        Some(TlsFault::UnknownIssuer) => AttemptFailure::CertificateIssuer,
        Some(TlsFault::Certificate) => AttemptFailure::CertificateInvalid,
        Some(TlsFault::Refused) => AttemptFailure::HandshakeRefused,
        Some(TlsFault::NotTls | TlsFault::Handshake) => AttemptFailure::HandshakeFailed,
        None => AttemptFailure::HandshakeClosed,
    }
}
