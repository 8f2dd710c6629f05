//! One connection to a receiver: dialled to a checked address, TLS, HTTP/1.1.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use domain::AttemptFailure;
use http_body_util::Full;
use hyper::client::conn::http1::{self, SendRequest};
use hyper_util::rt::TokioIo;
use ports::{Dialer, Stream};
use rustls::ClientConfig;
use rustls::pki_types::{DnsName, ServerName};
use tokio::task::JoinHandle;
use tokio::time::{Instant, timeout_at};
use tokio_rustls::TlsConnector;

use super::failure::from_http;
use super::named::{TlsFault, tls_fault};
use super::shortage::is_ours_connecting;
use super::url::{Host, WebhookUrl};

/// So many addresses of a host are tried.
pub(super) const ADDRESSES_TRIED_MAX: usize = 4;

/// So long may connecting to an address take when another one is left to try.
pub(super) const CONNECT_TIME_MAX: Duration = Duration::from_secs(2);

/// So many bytes the head of a response may have, and so many a connection reads ahead.
pub(super) const RESPONSE_HEAD_BYTES_MAX: usize = 16 * 1024;

/// So many headers a response may have.
pub(super) const RESPONSE_HEADERS_MAX: usize = 100;

/// An open connection. It is closed at once when dropped, whatever the receiver does.
pub(super) struct Connection {
    /// Whom it is connected to.
    pub(super) peer: SocketAddr,
    /// When it was opened.
    pub(super) opened: Instant,
    /// Its sending end.
    pub(super) sender: SendRequest<Full<Bytes>>,
    driver: JoinHandle<()>,
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.driver.abort();
    }
}

/// Opens connections.
pub(super) struct Connector {
    dialer: Arc<dyn Dialer>,
    tls: TlsConnector,
}

impl Connector {
    pub(super) fn new(dialer: Arc<dyn Dialer>, tls: ClientConfig) -> Self {
        Self { dialer, tls: TlsConnector::from(Arc::new(tls)) }
    }

    /// Connects to the first of the checked addresses that takes the connection.
    pub(super) async fn connect(
        &self,
        url: &WebhookUrl,
        targets: &[SocketAddr],
        deadline: Instant,
    ) -> Result<Connection, AttemptFailure> {
        let (peer, stream) = self.dial(targets, deadline).await?;
        let name = server_name(url.host())?;
        let stream = timeout_at(deadline, self.tls.connect(name, stream))
            .await
            .map_err(|_| AttemptFailure::HandshakeTimeout)?
            .map_err(|error| tls_failure(&error))?;
        let (sender, connection) = http1::Builder::new()
            .max_buf_size(RESPONSE_HEAD_BYTES_MAX)
            .max_header_size(RESPONSE_HEAD_BYTES_MAX)
            .max_headers(RESPONSE_HEADERS_MAX)
            .handshake(TokioIo::new(stream))
            .await
            .map_err(|error| from_http(&error))?;
        // How it ends, its sending end learns.
        let driver = tokio::spawn(async move {
            let _ = connection.await;
        });
        Ok(Connection { peer, opened: Instant::now(), sender, driver })
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
                        tracing::debug!(webhook.target = %target, error = %error, "a webhook cannot be sent for a lack of ours");
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
        // The address that could not be dialled might have been the one that answers.
        Err(if short { AttemptFailure::Short } else { failure })
    }
}

/// Checks that a connection leads to the address that was checked and dialled.
fn is_peer(stream: &dyn Stream, target: SocketAddr) -> Result<(), AttemptFailure> {
    let peer = stream.peer_addr().map_err(|error| connect_failure(&error))?;
    if (peer.ip(), peer.port()) == (target.ip(), target.port()) {
        return Ok(());
    }
    tracing::error!(webhook.target = %target, webhook.peer = %peer, "a connection leads elsewhere, and is not used");
    Err(AttemptFailure::NotPublic)
}

fn server_name(host: &Host) -> Result<ServerName<'static>, AttemptFailure> {
    match host {
        Host::Name(name) => {
            DnsName::try_from(name.clone()).map(ServerName::DnsName).map_err(|_| AttemptFailure::HostName)
        }
        Host::Ip(IpAddr::V4(address)) => Ok(ServerName::IpAddress((*address).into())),
        Host::Ip(IpAddr::V6(address)) => Ok(ServerName::IpAddress((*address).into())),
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
