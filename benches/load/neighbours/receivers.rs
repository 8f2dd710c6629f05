//! Receivers with different faults. Each receiver has an address of its own.

use std::net::TcpListener;
use std::time::Duration;

use socket2::{Domain, Socket, Type};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::task::JoinSet;
use tokio_rustls::TlsAcceptor;

use crate::error::Result;
use crate::webhooks::address::{address, host};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Manner {
    /// Sends the status 200 immediately, and then the body byte by byte.
    Drips,
    /// Sends the status 200 after seven seconds.
    Slow,
    /// Accepts the request and sends no response.
    HangsBeforeHead,
    /// Accepts the connection but does not perform the TLS handshake.
    HangsBeforeTls,
    /// Does not accept the connection.
    HangsBeforeConnection,
}

/// The number of good receivers. They have the first addresses, and the bad receivers have the next ones.
pub(super) const GOOD: usize = 1;
pub(super) const MANNERS: [Manner; 5] = [
    Manner::Drips,
    Manner::Slow,
    Manner::HangsBeforeHead,
    Manner::HangsBeforeTls,
    Manner::HangsBeforeConnection,
];
const SLOW: Duration = Duration::from_secs(7);
const DROP_EVERY: Duration = Duration::from_millis(200);
/// The announced length of the body, in bytes. The receiver sends one byte per [`DROP_EVERY`], so clients time out
/// before they have the whole body.
const DROPS: usize = 10_000;
/// If a connection attempt takes longer than this, the queue of the listener is full.
const NOT_TAKEN: Duration = Duration::from_millis(200);
/// The size of the buffer. Each request fits into it.
const REQUEST_BYTES: usize = 64 << 10;

impl Manner {
    fn number(self) -> usize {
        GOOD + MANNERS.iter().position(|manner| *manner == self).unwrap_or_default()
    }

    pub(super) fn host(self) -> String {
        host(self.number())
    }
}

/// The bad receivers. Dropping this value stops them.
pub(super) struct Bad {
    _serving: JoinSet<Result<()>>,
    _waiting: Vec<TcpStream>,
    _full: Socket,
}

impl Bad {
    /// Starts one receiver for each [`Manner`]. `acceptor` has a certificate that is valid for their names.
    pub(super) async fn start(acceptor: &TlsAcceptor) -> Result<Self> {
        let mut serving = JoinSet::new();
        for manner in MANNERS.into_iter().filter(|manner| *manner != Manner::HangsBeforeConnection) {
            let listener = TcpListener::bind((address(manner.number()), 443))?;
            listener.set_nonblocking(true)?;
            let listener = tokio::net::TcpListener::from_std(listener)?;
            serving.spawn(serve(manner, listener, acceptor.clone()));
        }
        let (full, waiting) = fill_up(&address(Manner::HangsBeforeConnection.number())).await?;
        Ok(Self { _serving: serving, _waiting: waiting, _full: full })
    }
}

/// Creates a listener whose accept queue is full, so that the kernel drops new connections.
async fn fill_up(address: &str) -> Result<(Socket, Vec<TcpStream>)> {
    let socket = Socket::new(Domain::IPV4, Type::STREAM, None)?;
    let address: std::net::SocketAddr = format!("{address}:443").parse()?;
    socket.bind(&address.into())?;
    socket.listen(0)?;
    let mut waiting = Vec::new();
    while let Ok(connected) = tokio::time::timeout(NOT_TAKEN, TcpStream::connect(address)).await {
        waiting.push(connected?);
        if waiting.len() > 8 {
            return Err("the queue of a listener does not fill up".into());
        }
    }
    Ok((socket, waiting))
}

async fn serve(manner: Manner, listener: tokio::net::TcpListener, acceptor: TlsAcceptor) -> Result<()> {
    let mut connections = JoinSet::new();
    loop {
        let (stream, _) = listener.accept().await?;
        let acceptor = acceptor.clone();
        connections.spawn(async move {
            if manner == Manner::HangsBeforeTls {
                return until_closed(stream).await;
            }
            if let Ok(stream) = acceptor.accept(stream).await {
                let _ = answer(manner, stream).await;
            }
        });
        while connections.try_join_next().is_some() {}
    }
}

/// Reads until the client closes the connection.
async fn until_closed(mut stream: impl AsyncRead + Unpin) {
    let mut bytes = [0; 4 << 10];
    while stream.read(&mut bytes).await.is_ok_and(|read| read > 0) {}
}

async fn answer(manner: Manner, mut stream: impl AsyncRead + AsyncWrite + Unpin) -> std::io::Result<()> {
    let mut request = Vec::with_capacity(REQUEST_BYTES);
    while !is_whole(&request) {
        if stream.read_buf(&mut request).await? == 0 {
            return Ok(());
        }
    }
    match manner {
        Manner::Drips => {
            let head = format!("HTTP/1.1 200 OK\r\ncontent-length: {DROPS}\r\n\r\n");
            stream.write_all(head.as_bytes()).await?;
            loop {
                stream.write_all(b".").await?;
                stream.flush().await?;
                tokio::time::sleep(DROP_EVERY).await;
            }
        }
        Manner::Slow => {
            tokio::time::sleep(SLOW).await;
            stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\nconnection: close\r\n\r\n").await?;
            stream.shutdown().await
        }
        _ => {
            until_closed(stream).await;
            Ok(())
        }
    }
}

/// True if the buffer contains a complete request, including the body.
fn is_whole(request: &[u8]) -> bool {
    let Some(end) = memchr::memmem::find(request, b"\r\n\r\n") else { return false };
    let head = String::from_utf8_lossy(&request[..end]).to_ascii_lowercase();
    let length =
        head.lines().find_map(|line| line.strip_prefix("content-length:")?.trim().parse::<usize>().ok());
    request.len() >= end + 4 + length.unwrap_or_default()
}
