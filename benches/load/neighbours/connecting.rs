//! The scenario `neighbours connecting`: one address opens very many connections and sends no requests.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::time::{Duration, Instant};

use tokio::net::TcpStream;
use tokio::task::JoinSet;
use tokio::time::timeout;

use super::GIVEN_UP;
use crate::client::Connection;
use crate::error::Result;
use crate::group::Context;
use crate::measure::{Measured, nanos};
use crate::process::Receptionist;
use crate::table::{Row, Target};

const ALONE: &str = "neighbours connecting: GET /healthz alone";
const OTHER: &str = "neighbours connecting: GET /healthz while another address holds 8,192 connections";
const SAME: &str = "neighbours connecting: GET /healthz while the same address holds 8,192 connections";
const CONNECTIONS: usize = 8_192;
/// The number of connections that are opened at the same time. `PAUSE` is the pause between two groups of connections.
/// These two limits keep the accept queue short. If the queue is full, the kernel drops connections that the clients
/// consider open.
const AT_ONCE: usize = 32;
const PAUSE: Duration = Duration::from_millis(5);
/// The maximum time for opening a connection. A server at its limit may leave further connections unaccepted, so a
/// connection that takes longer is given up.
const OPEN_TIME_MAX: Duration = Duration::from_secs(2);
/// The target: a request must take less than this many milliseconds.
const UNDER: f64 = 100.0;
const HEALTH: &[u8] = b"GET /healthz HTTP/1.1\r\nhost: bench\r\n\r\n";

pub(super) fn rows() -> Vec<Row> {
    let at_once = [Target::Beside { alone: ALONE, under: UNDER }];
    vec![Row::plain(ALONE), Row::reaching(OTHER, &at_once), Row::reaching(SAME, &at_once)]
}

pub(super) struct Connecting;

impl Connecting {
    pub(super) fn has(row: &str) -> bool {
        [ALONE, OTHER, SAME].contains(&row)
    }

    /// Requests the health endpoint again and again, each time over a new connection, as a process supervisor does.
    pub(super) async fn measure(
        context: &Context,
        row: &'static str,
        notes: &mut Vec<String>,
    ) -> Result<Measured> {
        let directory = context.path("connecting");
        let server = Receptionist::start(&directory, None)?;
        let count = context.options.sized(CONNECTIONS, CONNECTIONS / 100);
        let held = if row == ALONE { Vec::new() } else { hold(server.public, count).await? };
        let from = if row == OTHER { Ipv4Addr::new(127, 0, 0, 2) } else { Ipv4Addr::LOCALHOST };
        let (started, mut times) = (Instant::now(), Vec::new());
        while started.elapsed() < context.options.period.measured {
            let sent = Instant::now();
            let Ok(done) = timeout(GIVEN_UP, health(from.into(), server.public)).await else {
                times.push(nanos(GIVEN_UP));
                notes.push(format!("{row}: no response within {} s.", GIVEN_UP.as_secs()));
                break;
            };
            done?;
            times.push(nanos(sent.elapsed()));
        }
        let measured = Measured::of(&mut times, started.elapsed());
        let memory = server.process.resident();
        drop(held);
        server.process.kill()?;
        std::fs::remove_dir_all(directory)?;
        Ok(Measured { memory, ..measured })
    }
}

async fn health(from: IpAddr, server: SocketAddr) -> Result<()> {
    let mut connection = Connection::open_from(from, server).await?;
    let answer = connection.exchange(HEALTH).await?;
    answer.expect(200)?;
    answer.expect_in_body(b"ok")
}

/// Tries to open `count` connections. Returns those that were opened in time.
async fn hold(server: SocketAddr, count: usize) -> Result<Vec<TcpStream>> {
    let mut opening = JoinSet::new();
    for lane in 0..AT_ONCE {
        opening.spawn(async move {
            let mut held = Vec::new();
            for _ in (lane..count).step_by(AT_ONCE) {
                if let Ok(Ok(stream)) = timeout(OPEN_TIME_MAX, TcpStream::connect(server)).await {
                    held.push(stream);
                }
                tokio::time::sleep(PAUSE).await;
            }
            held
        });
    }
    Ok(opening.join_all().await.into_iter().flatten().collect())
}
