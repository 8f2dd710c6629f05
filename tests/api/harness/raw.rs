//! Sends raw bytes over a socket, for requests that an HTTP client would not send.

use std::net::SocketAddr;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// Sends the bytes and returns the whole response as text. The server must close the connection.
pub(crate) async fn raw(address: SocketAddr, bytes: &[u8]) -> String {
    exchanged(address, bytes, false).await
}

/// Like [`raw`], but shuts down the sending side after the bytes, so the server knows that no bytes follow. If a
/// request is still in progress, the server may close the connection without a response.
pub(crate) async fn raw_to_the_end(address: SocketAddr, bytes: &[u8]) -> String {
    exchanged(address, bytes, true).await
}

async fn exchanged(address: SocketAddr, bytes: &[u8], ends: bool) -> String {
    let mut stream = TcpStream::connect(address).await.unwrap();
    // The server may close the connection before all bytes are written, so a failed write is
    // ignored.
    let _ = stream.write_all(bytes).await;
    if ends {
        let _ = stream.shutdown().await;
    }
    let mut all = Vec::new();
    let read = tokio::time::timeout(Duration::from_secs(30), stream.read_to_end(&mut all)).await;
    let _ = read.expect("the server must respond or close the connection");
    String::from_utf8_lossy(&all).into_owned()
}
