//! Many connections at once, each sending one request after the other and checking every answer.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::time::{Duration, Instant};

use tokio::task::JoinSet;

use crate::client::{Answer, Connection};
use crate::error::Result;
use crate::measure::{Measured, nanos};
use crate::process::Process;

/// What one connection does.
pub(crate) trait Script: Send + 'static {
    /// Writes the next request into the buffer, which is empty; `false` when there is none any more.
    fn next(&mut self, request: &mut Vec<u8>) -> bool;

    /// Checks its answer.
    fn check(&mut self, answer: &Answer<'_>) -> Result<()>;
}

/// How long a scenario is driven.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Period {
    /// Before anything is measured: connections open, actors start, caches fill.
    pub(crate) warm_up: Duration,
    /// What is measured.
    pub(crate) measured: Duration,
}

const WARMING_UP: u8 = 0;
const MEASURING: u8 = 1;
const STOPPING: u8 = 2;

/// Drives the scripts against a server for a period. A wrong answer or a broken connection is an error.
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

/// Drives the scripts until they have nothing more to ask for.
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

/// The times of all of them, once they have ended.
async fn end(mut connections: JoinSet<Result<Vec<u64>>>) -> Result<Vec<u64>> {
    let mut times = Vec::new();
    while let Some(ended) = connections.join_next().await {
        times.append(&mut ended??);
    }
    Ok(times)
}

/// Waits, unless a connection ends before.
async fn pass(time: Duration, connections: &mut JoinSet<Result<Vec<u64>>>) -> Result<()> {
    tokio::select! {
        () = tokio::time::sleep(time) => Ok(()),
        Some(ended) = connections.join_next() => Err(match ended? {
            Ok(_) => "a connection ended early".into(),
            Err(error) => error,
        }),
    }
}

/// The times of the requests that were answered while it was measured.
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
