//! Runs many connections at the same time. Each connection sends one request after another and checks every response.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::time::{Duration, Instant};

use tokio::task::JoinSet;

use crate::client::{Answer, Connection};
use crate::error::Result;
use crate::measure::{Measured, nanos};
use crate::process::Process;

/// The requests of one connection, and the checks of the responses to them.
pub(crate) trait Script: Send + 'static {
    /// Writes the next request into the empty buffer. Returns `false` if there are no more requests.
    fn next(&mut self, request: &mut Vec<u8>) -> bool;

    fn check(&mut self, answer: &Answer<'_>) -> Result<()>;
}

/// The periods of a measurement.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Period {
    /// The time before the measurement. During this time, connections are opened, actors start and caches fill.
    pub(crate) warm_up: Duration,
    pub(crate) measured: Duration,
}

const WARMING_UP: u8 = 0;
const MEASURING: u8 = 1;
const STOPPING: u8 = 2;

/// Runs the scripts against a server for a period. A wrong response or a broken connection is an error.
pub(crate) async fn drive<S: Script>(
    address: SocketAddr,
    scripts: Vec<S>,
    period: Period,
    server: &Process,
) -> Result<Measured> {
    let phase = Arc::new(AtomicU8::new(WARMING_UP));
    let mut connections = start(address, scripts, &phase).await?;
    pass(period.warm_up, &mut connections).await?;
    server.forget_peak();
    let cpu = server.cpu_seconds()?;
    let started = Instant::now();
    phase.store(MEASURING, Ordering::Relaxed);
    pass(period.measured, &mut connections).await?;
    phase.store(STOPPING, Ordering::Relaxed);
    let (elapsed, cpu) = (started.elapsed(), server.cpu_seconds()? - cpu);
    let measured = Measured::of(&mut end(connections).await?, elapsed);
    Ok(Measured { cpu_seconds: Some(cpu), memory: server.peak_memory(), ..measured })
}

/// Runs the scripts against a server until they have no more requests.
pub(crate) async fn exhaust<S: Script>(
    address: SocketAddr,
    scripts: Vec<S>,
    server: &Process,
) -> Result<Measured> {
    let phase = Arc::new(AtomicU8::new(MEASURING));
    let cpu = server.cpu_seconds()?;
    let started = Instant::now();
    let mut times = end(start(address, scripts, &phase).await?).await?;
    let (elapsed, cpu) = (started.elapsed(), server.cpu_seconds()? - cpu);
    let measured = Measured::of(&mut times, elapsed);
    Ok(Measured { cpu_seconds: Some(cpu), memory: server.peak_memory(), ..measured })
}

async fn start<S: Script>(
    address: SocketAddr,
    scripts: Vec<S>,
    phase: &Arc<AtomicU8>,
) -> Result<JoinSet<Result<Vec<u64>>>> {
    let mut connections = JoinSet::new();
    for script in scripts {
        let connection = Connection::open(address).await?;
        connections.spawn(run(connection, script, Arc::clone(phase)));
    }
    Ok(connections)
}

/// Waits until all connections have ended. Returns the durations of their requests.
async fn end(mut connections: JoinSet<Result<Vec<u64>>>) -> Result<Vec<u64>> {
    let mut times = Vec::new();
    while let Some(ended) = connections.join_next().await {
        times.append(&mut ended??);
    }
    Ok(times)
}

/// Waits for the duration `time`. Returns an error if a connection ends earlier.
async fn pass(time: Duration, connections: &mut JoinSet<Result<Vec<u64>>>) -> Result<()> {
    tokio::select! {
        () = tokio::time::sleep(time) => Ok(()),
        Some(ended) = connections.join_next() => Err(match ended? {
            Ok(_) => "a connection ended early".into(),
            Err(error) => error,
        }),
    }
}

/// Runs a script over its connection. Returns the durations of the requests whose responses arrived during the
/// measurement.
async fn run<S: Script>(mut connection: Connection, mut script: S, phase: Arc<AtomicU8>) -> Result<Vec<u64>> {
    let (mut times, mut request) = (Vec::new(), Vec::new());
    loop {
        request.clear();
        if !script.next(&mut request) {
            return Ok(times);
        }
        let sent = Instant::now();
        let answer = connection.exchange(&request).await?;
        let took = sent.elapsed();
        script.check(&answer)?;
        match phase.load(Ordering::Relaxed) {
            MEASURING => times.push(nanos(took)),
            STOPPING => return Ok(times),
            _ => {}
        }
    }
}
