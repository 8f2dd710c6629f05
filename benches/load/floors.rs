//! Measures the *floors*, in the same run as the service. A floor is a lower bound for the time that any
//! server needs.

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::time::Instant;

use axum::Router;
use axum::http::header;
use axum::routing::get;
use domain::{BusinessId, IdMint};
use net::Ports;
use store::Store;
use tokio::task::JoinSet;

use crate::drive::Period;
use crate::error::Result;
use crate::measure::{Measured, nanos};
use crate::process::{Process, cpu_seconds};
use crate::shape::{Shape, Turn};
use crate::shop::{Shop, slot};

/// The response of the bare server. It is about as long as a response of `/me`.
pub(crate) const CONSTANT: &str = concat!(
    r#"{"data":{"api_key":{"id":"01a1fa8a-7862-7000-ac25-1fd3c10dfbbc","name":"bench","prefix":"rcpt_268S6Hl7","#,
    r#""scopes":["business:read","business:write","appointments:read","appointments:write","contacts:read","#,
    r#""contacts:write","calls:read","messages:read","webhooks:manage","knowledge:write"],"created_at":"#,
    r#""2026-03-02T09:00:00.000Z"},"business":{"id":"01a1fa8a-7862-7000-ac25-1fd3c10dfbbc","name":"Salon 0"}}}"#
);

/// The length of the file that is overwritten. `BLOCK_BYTES` is the length of one write.
const OVERWRITTEN_BYTES: usize = 8 << 20;
const BLOCK_BYTES: usize = 4 << 10;

/// Starts the bare server as a child process. Returns the process and its address.
pub(crate) fn bare_server() -> Result<(Process, std::net::SocketAddr)> {
    let mut command = Command::new(std::env::current_exe()?);
    command.args(["--child", "axum"]).stdout(Stdio::piped());
    let mut process = Process::start(command)?;
    let mut line = String::new();
    std::io::BufRead::read_line(&mut process.output()?, &mut line)?;
    Ok((process, line.trim().parse()?))
}

/// Runs the bare server. It runs in the child process and always sends the same response.
pub(crate) async fn serve_constant() -> Result<()> {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
    println!("{}", listener.local_addr()?);
    let constant = || async { ([(header::CONTENT_TYPE, "application/json")], CONSTANT) };
    let listener = axum::serve::ListenerExt::tap_io(listener, |stream| _ = stream.set_nodelay(true));
    axum::serve(listener, Router::new().route("/v1/me", get(constant))).await?;
    Ok(())
}

/// Appends `bytes` bytes to a file and syncs the file, again and again.
pub(crate) fn append(directory: &Path, bytes: usize, period: Period) -> Result<Measured> {
    let path = directory.join("append");
    let file = OpenOptions::new().create(true).append(true).open(&path)?;
    let record = vec![0x5a; bytes];
    write_and_sync(path, file, period, |mut file| file.write_all(&record))
}

/// Overwrites `bytes` bytes of a file, rounded up to whole blocks, and syncs the file, again and again. At the end of
/// the file it continues at the start.
pub(crate) fn overwrite(directory: &Path, bytes: usize, period: Period) -> Result<Measured> {
    let path = directory.join("overwrite");
    let file = OpenOptions::new().create_new(true).write(true).open(&path)?;
    (&file).write_all(&vec![0; OVERWRITTEN_BYTES])?;
    file.sync_all()?;
    let record = vec![0x5a; bytes.next_multiple_of(BLOCK_BYTES)];
    let mut places = (0..=OVERWRITTEN_BYTES - record.len()).step_by(record.len()).cycle();
    write_and_sync(path, file, period, |file| {
        file.write_all_at(&record, places.next().unwrap_or_default() as u64)
    })
}

fn write_and_sync(
    path: PathBuf,
    file: File,
    period: Period,
    mut write: impl FnMut(&File) -> std::io::Result<()>,
) -> Result<Measured> {
    let mut times = Vec::new();
    let started = Instant::now();
    while started.elapsed() < period.warm_up + period.measured {
        let before = Instant::now();
        write(&file)?;
        file.sync_data()?;
        if started.elapsed() > period.warm_up {
            times.push(nanos(before.elapsed()));
        }
    }
    drop(file);
    std::fs::remove_file(path)?;
    Ok(Measured::of(&mut times, period.measured))
}

/// Writes the rows of bookings directly into the store, with `in_flight` concurrent changes. This runs in the child
/// process.
pub(crate) async fn store_alone(
    directory: &Path,
    shape: Shape,
    shops: &[Shop],
    first_day: i64,
    in_flight: usize,
    period: Period,
) -> Result<Measured> {
    let store = Store::open_disk(directory, Box::new(|error| panic!("the store failed: {error}")))?;
    let ports = Ports::system()?;
    let (shape, phase) = (Arc::new(shape), Arc::new(AtomicU8::new(0)));
    let mut lanes = JoinSet::new();
    for lane in 0..in_flight {
        let mut businesses: Vec<(BusinessId, IdMint)> = Vec::new();
        for shop in shops.iter().skip(lane).step_by(in_flight) {
            businesses.push((shop.id.parse()?, IdMint::default()));
        }
        let (store, ports, shape, phase) =
            (store.clone(), ports.clone(), Arc::clone(&shape), Arc::clone(&phase));
        lanes.spawn(async move {
            let mut times = Vec::new();
            for turn in 0.. {
                let next = turn % businesses.len();
                let (business, mint) = &mut businesses[next];
                let starts_at = slot(first_day, 2 + turn, 1);
                let random = u64::from_be_bytes(ports.random_bytes());
                let (business, sent) = (*business, Instant::now());
                let turn = Turn { business, starts_at, now: ports.clock.now(), mint, random };
                let (done, written) = tokio::sync::oneshot::channel();
                store.submit(business, shape.batch(turn), Box::new(move || _ = done.send(())));
                written.await?;
                match phase.load(Ordering::Relaxed) {
                    0 => {}
                    1 => times.push(nanos(sent.elapsed())),
                    _ => break,
                }
            }
            Ok::<_, tokio::sync::oneshot::error::RecvError>(times)
        });
    }
    tokio::time::sleep(period.warm_up).await;
    let (started, cpu) = (Instant::now(), cpu_seconds("self")?);
    phase.store(1, Ordering::Relaxed);
    tokio::time::sleep(period.measured).await;
    phase.store(2, Ordering::Relaxed);
    let (elapsed, cpu) = (started.elapsed(), cpu_seconds("self")? - cpu);
    let mut times = Vec::new();
    while let Some(lane) = lanes.join_next().await {
        times.append(&mut lane??);
    }
    store.close().await?;
    Ok(Measured { cpu_seconds: Some(cpu), ..Measured::of(&mut times, elapsed) })
}
