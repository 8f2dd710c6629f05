//! The floor for deliveries: a bare client that posts the body of a real event to the same receivers.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::time::Instant;

use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper::client::conn::http1::{SendRequest, handshake};
use hyper::{Request, StatusCode};
use hyper_util::rt::TokioIo;
use rustls::ClientConfig;
use rustls::pki_types::ServerName;
use tokio::net::TcpStream;
use tokio::task::JoinSet;
use tokio_rustls::TlsConnector;

use super::address::{address, host};
use super::receiver::{BARE_KEY, BARE_PATH, Receivers, signature};
use crate::drive::Period;
use crate::error::Result;
use crate::measure::{Measured, nanos};

/// Posts events over `connections` connections. They are distributed evenly over the first `hosts` receivers.
pub(super) async fn measure(
    receivers: &Receivers,
    body: &[u8],
    hosts: usize,
    connections: usize,
    period: Period,
) -> Result<Measured> {
    receivers.open(true);
    let phase = Arc::new(AtomicU8::new(0));
    let signed = signature(&BARE_KEY, "bare", "0", body)?;
    let mut clients = JoinSet::new();
    for number in 0..connections {
        let to = number % hosts;
        let sender = connect(&receivers.client, to).await?;
        let request = Request::post(BARE_PATH)
            .header("host", host(to))
            .header("content-type", "application/json")
            .header("webhook-id", "bare")
            .header("webhook-timestamp", "0")
            .header("webhook-signature", &signed)
            .body(Full::new(Bytes::copy_from_slice(body)))?;
        clients.spawn(client(sender, request, Arc::clone(&phase)));
    }
    tokio::time::sleep(period.warm_up).await;
    let started = Instant::now();
    phase.store(1, Ordering::Relaxed);
    tokio::time::sleep(period.measured).await;
    phase.store(2, Ordering::Relaxed);
    let elapsed = started.elapsed();
    let mut times = Vec::new();
    while let Some(ended) = clients.join_next().await {
        times.append(&mut ended??);
    }
    Ok(Measured::of(&mut times, elapsed))
}

async fn connect(config: &Arc<ClientConfig>, to: usize) -> Result<SendRequest<Full<Bytes>>> {
    let stream = TcpStream::connect((address(to), 443)).await?;
    stream.set_nodelay(true)?;
    let name = ServerName::try_from(host(to))?;
    let stream = TlsConnector::from(Arc::clone(config)).connect(name, stream).await?;
    let (sender, connection) = handshake(TokioIo::new(stream)).await?;
    tokio::spawn(connection);
    Ok(sender)
}

async fn client(
    mut sender: SendRequest<Full<Bytes>>,
    request: Request<Full<Bytes>>,
    phase: Arc<AtomicU8>,
) -> Result<Vec<u64>> {
    let mut times = Vec::new();
    loop {
        let sent = Instant::now();
        sender.ready().await?;
        let response = sender.send_request(request.clone()).await?;
        if response.status() != StatusCode::NO_CONTENT {
            return Err(format!("the receiver returned {}", response.status()).into());
        }
        response.into_body().collect().await?;
        match phase.load(Ordering::Relaxed) {
            0 => {}
            1 => times.push(nanos(sent.elapsed())),
            _ => return Ok(times),
        }
    }
}
