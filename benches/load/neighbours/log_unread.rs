//! The scenario `neighbours log unread`: the server writes its log to a pipe from which no process reads.

use std::time::{Duration, Instant};

use tokio::task::JoinSet;
use tokio::time::timeout;

use super::GIVEN_UP;
use super::tenants::found_bare;
use crate::client::{Connection, request};
use crate::error::Result;
use crate::group::Context;
use crate::measure::{Measured, nanos};
use crate::process::{Receptionist, Start};
use crate::table::{Row, Target};

const READ: &str = "neighbours log unread: 20,000 requests while the log goes to a file";
const UNREAD: &str = "neighbours log unread: 20,000 requests while the log goes to a pipe that is not read";
const ENDING: &str = "neighbours log unread: SIGTERM after 20,000 requests";
const REQUESTS: usize = 20_000;
const CONNECTIONS: usize = 8;
/// The maximum time to wait for one response.
const ANSWER_TIME_MAX: Duration = Duration::from_secs(5);
/// The target: a request must take less than this many milliseconds.
const UNDER: f64 = 20.0;
/// The target: the service must stop in less than this many milliseconds.
const END_UNDER: f64 = 10_000.0;

pub(super) fn rows() -> Vec<Row> {
    vec![
        Row::plain(READ),
        Row::reaching(UNREAD, &[Target::Beside { alone: READ, under: UNDER }]),
        Row::reaching(ENDING, &[Target::P50 { under: END_UNDER }]),
    ]
}

pub(super) fn has(row: &str) -> bool {
    [READ, UNREAD, ENDING].contains(&row)
}

pub(super) async fn measure(
    context: &Context,
    row: &'static str,
    notes: &mut Vec<String>,
) -> Result<Measured> {
    let directory = context.path("log-unread");
    let start = Start { log_unread: row != READ, ..Start::default() };
    let server = Receptionist::start_with(&directory, start)?;
    let shop = found_bare(&server, 1).await?.pop().ok_or("no business")?;
    let me = request("GET", "/v1/me", &shop.key, None);
    let count = context.options.sized(REQUESTS, REQUESTS / 10);
    let started = Instant::now();
    let mut times = ask(&server, &me, count).await?;
    if times.len() < count {
        notes.push(format!("{row}: only {} of {count} requests got a response.", times.len()));
        times.resize(count, nanos(GIVEN_UP));
    }
    let measured = Measured::of(&mut times, started.elapsed());
    let ended = server.process.stop_within(GIVEN_UP).await?;
    if ended.is_none() {
        notes.push(format!("{row}: SIGTERM did not end the server within {} s.", GIVEN_UP.as_secs()));
    }
    std::fs::remove_dir_all(directory)?;
    if row == ENDING {
        let took = ended.unwrap_or(GIVEN_UP);
        return Ok(Measured { p50: Some(took.as_secs_f64() * 1e3), ..Measured::default() });
    }
    Ok(measured)
}

/// Sends `count` requests over a few connections. Returns the durations of those that got a response.
async fn ask(server: &Receptionist, me: &[u8], count: usize) -> Result<Vec<u64>> {
    let mut asking = JoinSet::new();
    for lane in 0..CONNECTIONS {
        let me = me.to_owned();
        let mut connection = Connection::open(server.public).await?;
        asking.spawn(async move {
            let mut times = Vec::new();
            for _ in (lane..count).step_by(CONNECTIONS) {
                let sent = Instant::now();
                let Ok(answer) = timeout(ANSWER_TIME_MAX, connection.exchange(&me)).await else { break };
                answer?.expect(200)?;
                times.push(nanos(sent.elapsed()));
            }
            Ok::<_, Box<dyn std::error::Error + Send + Sync>>(times)
        });
    }
    let mut times = Vec::new();
    while let Some(ended) = asking.join_next().await {
        times.append(&mut ended??);
    }
    Ok(times)
}
