//! A fast HTTP/1.1 client. It must be fast, because it shares the machine with the measured server.
//!
//! It sends one request after another over one connection. The caller passes each request as bytes. A response
//! without `Content-Length` is an error, because every response of the service has this header.

use std::io;
use std::net::{IpAddr, SocketAddr};

use memchr::memmem;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream};

use crate::error::Result;

/// The initial size of the buffer. Most responses fit into it.
const BUFFER_BYTES: usize = 32 << 10;

/// A connection that stays open for many requests.
pub(crate) struct Connection {
    stream: TcpStream,
    buffer: Vec<u8>,
}

/// A response. It refers to the buffer of the connection.
pub(crate) struct Answer<'a> {
    pub(crate) status: u16,
    pub(crate) body: &'a [u8],
}

impl Answer<'_> {
    /// Returns an error if the status of the response is not `status`.
    pub(crate) fn expect(&self, status: u16) -> Result<()> {
        if self.status == status { Ok(()) } else { Err(self.wrong(&format!("expected {status}"))) }
    }

    /// Returns an error if the body does not contain these bytes.
    pub(crate) fn expect_in_body(&self, bytes: &[u8]) -> Result<()> {
        if memmem::find(self.body, bytes).is_some() {
            Ok(())
        } else {
            Err(self.wrong(&format!("expected {} in it", String::from_utf8_lossy(bytes))))
        }
    }

    /// Returns an error that contains the whole response.
    pub(crate) fn wrong(&self, what: &str) -> Box<dyn std::error::Error + Send + Sync> {
        format!("wrong response, {what}: {} {}", self.status, String::from_utf8_lossy(self.body)).into()
    }
}

impl Connection {
    pub(crate) async fn open(address: SocketAddr) -> io::Result<Self> {
        let stream = TcpStream::connect(address).await?;
        stream.set_nodelay(true)?;
        Ok(Self { stream, buffer: vec![0; BUFFER_BYTES] })
    }

    /// Opens a connection from this local address.
    pub(crate) async fn open_from(local: IpAddr, address: SocketAddr) -> io::Result<Self> {
        let socket = TcpSocket::new_v4()?;
        socket.bind((local, 0).into())?;
        let stream = socket.connect(address).await?;
        stream.set_nodelay(true)?;
        Ok(Self { stream, buffer: vec![0; BUFFER_BYTES] })
    }

    /// Sends a request and reads the whole response.
    pub(crate) async fn exchange(&mut self, request: &[u8]) -> Result<Answer<'_>> {
        self.stream.write_all(request).await?;
        let mut filled = 0;
        let (status, head, whole) = loop {
            filled += self.read(filled).await?;
            if let Some((status, head, length)) = head(&self.buffer[..filled])? {
                break (status, head, head + length);
            }
        };
        while filled < whole {
            filled += self.read(filled).await?;
        }
        if filled > whole {
            return Err("the server sent more than the response".into());
        }
        Ok(Answer { status, body: &self.buffer[head..whole] })
    }

    /// Reads more bytes into the buffer.
    async fn read(&mut self, filled: usize) -> io::Result<usize> {
        if filled == self.buffer.len() {
            self.buffer.resize(2 * filled, 0);
        }
        match self.stream.read(&mut self.buffer[filled..]).await? {
            0 => Err(io::ErrorKind::UnexpectedEof.into()),
            read => Ok(read),
        }
    }
}

/// Returns the status, the length of the head, and the length of the body. Returns `None` if the head is incomplete.
fn head(bytes: &[u8]) -> Result<Option<(u16, usize, usize)>> {
    const LENGTH: &[u8] = b"\r\ncontent-length: ";
    let Some(end) = memmem::find(bytes, b"\r\n\r\n") else { return Ok(None) };
    let head = &bytes[..end + 2];
    let status = head.get(9..12).map(std::str::from_utf8).transpose()?.unwrap_or_default().parse()?;
    let at = memmem::find(head, LENGTH).ok_or("a response has no Content-Length")? + LENGTH.len();
    let digits = head[at..].split(|byte| *byte == b'\r').next().unwrap_or_default();
    Ok(Some((status, end + 4, std::str::from_utf8(digits)?.parse()?)))
}

/// Returns a request as bytes. `key` is the bearer token.
pub(crate) fn request(method: &str, path: &str, key: &str, body: Option<&str>) -> Vec<u8> {
    let mut text = format!("{method} {path} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer {key}\r\n");
    if let Some(body) = body {
        text += &format!("content-type: application/json\r\ncontent-length: {}\r\n", body.len());
    }
    text += "\r\n";
    text += body.unwrap_or_default();
    text.into_bytes()
}
