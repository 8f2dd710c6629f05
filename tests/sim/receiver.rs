//! The host's end of a connection: TLS, the requests, and the scripted behaviour of the host.

use std::io;
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use rcgen::{BasicConstraints, CertificateParams, DnType, IsCa, Issuer, KeyPair, SerialNumber};
use rustls::ServerConfig;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::time::sleep;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;

use crate::network::{Mood, Network};
use crate::tls;

/// The certificates of a test process. They are created once, because this takes time. Their Ed25519 signatures have a
/// fixed length, so simulations with the same seed transfer the same number of bytes.
struct Certificates {
    authority: Vec<u8>,
    good: Arc<ServerConfig>,
    bad: Arc<ServerConfig>,
}

static CERTIFICATES: LazyLock<Certificates> = LazyLock::new(|| {
    let (authority, good) = certificates("the authority");
    let (_, bad) = certificates("somebody else");
    Certificates { authority, good, bad }
});

/// Returns the CA certificate that the engine trusts.
pub(crate) fn authority() -> &'static [u8] {
    &CERTIFICATES.authority
}

/// Creates a CA, and a server certificate of this CA that is valid for every host. Returns the CA certificate, and a
/// configuration with the server certificate.
fn certificates(name: &str) -> (Vec<u8>, Arc<ServerConfig>) {
    let key = || KeyPair::generate_for(&rcgen::PKCS_ED25519).unwrap();
    let params = |names: &[String]| {
        let mut params = CertificateParams::new(names).unwrap();
        params.serial_number = Some(SerialNumber::from(vec![1, 2, 3, 4]));
        params
    };
    let mut of_authority = params(&[]);
    of_authority.distinguished_name.push(DnType::CommonName, name);
    of_authority.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let (authority_key, server_key) = (key(), key());
    let authority = of_authority.self_signed(&authority_key).unwrap().der().to_vec();
    let issuer = Issuer::new(of_authority, authority_key);
    let certificate = params(&["*.example.com".into()]).signed_by(&server_key, &issuer).unwrap();
    let mut config = tls::server(&certificate, &server_key);
    config.send_tls13_tickets = 0;
    (authority, Arc::new(config))
}

/// A received request.
pub(crate) struct Request {
    /// The request line and the headers, with the empty line at their end.
    pub(crate) head: String,
    pub(crate) path: String,
    headers: Vec<(String, String)>,
    pub(crate) body: String,
}

impl Request {
    pub(crate) fn method(&self) -> &str {
        self.head.split(' ').next().unwrap_or_default()
    }

    /// Returns the value of a header, or an empty string if the request does not have it.
    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers.iter().find(|(known, _)| known == name).map_or("", |(_, value)| value)
    }
}

/// Handles a connection to a host until one of the two sides closes it.
pub(crate) async fn serve(network: Arc<Network>, host: usize, stream: impl AsyncRead + AsyncWrite + Unpin) {
    let mood = network.mood(host);
    if mood == Mood::Mute {
        return std::future::pending().await;
    }
    let config = if mood == Mood::Impostor { &CERTIFICATES.bad } else { &CERTIFICATES.good };
    if let Ok(stream) = TlsAcceptor::from(Arc::clone(config)).accept(stream).await {
        let _ = converse(&network, host, stream).await;
    }
}

/// Accepts a TLS connection, and shows a certificate that the engine trusts.
pub(crate) async fn accept<S: AsyncRead + AsyncWrite + Unpin>(stream: S) -> io::Result<TlsStream<S>> {
    TlsAcceptor::from(Arc::clone(&CERTIFICATES.good)).accept(stream).await
}

async fn converse(
    network: &Network,
    host: usize,
    mut stream: impl AsyncRead + AsyncWrite + Unpin,
) -> io::Result<()> {
    let mut buffer = Vec::new();
    loop {
        let request = take(&mut stream, &mut buffer).await?;
        let mood = network.mood_of_request(host);
        let status = match mood {
            Mood::Takes | Mood::Floods => 200,
            Mood::TakesSlowly(_) => 204,
            Mood::TakesOnce => 202,
            Mood::Fails(status) => status,
            Mood::Redirects => 307,
            _ => 0,
        };
        network.received(host, &request, status);
        match mood {
            Mood::TakesSlowly(seconds) => sleep(Duration::from_secs(seconds)).await,
            Mood::Hangs => return std::future::pending().await,
            Mood::Closes => return stream.shutdown().await,
            _ => {}
        }
        let answer = match mood {
            Mood::Babbles => "SSH-2.0-OpenSSH_9.6\r\n\r\n".to_owned(),
            Mood::Redirects => format!(
                "HTTP/1.1 {status} Over there\r\nlocation: https://inside.example.com/\r\ncontent-length: 0\r\n\r\n"
            ),
            Mood::Floods => format!("HTTP/1.1 {status} OK\r\ncontent-length: 1000000\r\n\r\n"),
            Mood::TakesSlowly(_) => format!("HTTP/1.1 {status} No Content\r\n\r\n"),
            _ => format!("HTTP/1.1 {status} Said\r\ncontent-length: 3\r\n\r\nyes"),
        };
        stream.write_all(answer.as_bytes()).await?;
        stream.flush().await?;
        match mood {
            Mood::Floods => loop {
                stream.write_all(&[b'x'; 4_096]).await?;
                stream.flush().await?;
            },
            Mood::TakesOnce | Mood::Babbles => return stream.shutdown().await,
            _ => {}
        }
    }
}

/// Reads the next request of a connection.
pub(crate) async fn take(stream: &mut (impl AsyncRead + Unpin), buffer: &mut Vec<u8>) -> io::Result<Request> {
    let head_end = loop {
        if let Some(at) = buffer.windows(4).position(|bytes| bytes == b"\r\n\r\n") {
            break at + 4;
        }
        more(stream, buffer).await?;
    };
    let head = String::from_utf8(buffer[..head_end].to_vec()).unwrap();
    let mut lines = head.lines();
    let path = lines.next().unwrap().split(' ').nth(1).unwrap().to_owned();
    let headers: Vec<(String, String)> = lines
        .filter_map(|line| line.split_once(": ").map(|(name, value)| (name.to_owned(), value.to_owned())))
        .collect();
    let mut request = Request { head, path, headers, body: String::new() };
    let length = match request.header("content-length") {
        "" => 0, // a request without a body
        length => length.parse().unwrap(),
    };
    while buffer.len() < head_end + length {
        more(stream, buffer).await?;
    }
    request.body = String::from_utf8(buffer[head_end..head_end + length].to_vec()).unwrap();
    buffer.drain(..head_end + length);
    Ok(request)
}

async fn more(stream: &mut (impl AsyncRead + Unpin), buffer: &mut Vec<u8>) -> io::Result<()> {
    let read = stream.read_buf(buffer).await?;
    if read == 0 { Err(io::ErrorKind::UnexpectedEof.into()) } else { Ok(()) }
}
