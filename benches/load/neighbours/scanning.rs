//! The scenario `neighbours scanning`: a business with very many calls lists them again and again, with a filter that
//! no call matches.

use std::path::PathBuf;

use serde_json::{Value, json};
use tokio::task::JoinSet;

use super::offenders::Offenders;
use super::tenants::{Session, found_bare};
use crate::client::{Connection, request};
use crate::drive::drive;
use crate::error::Result;
use crate::group::Context;
use crate::measure::Measured;
use crate::process::Receptionist;
use crate::scripts::Constant;
use crate::shop::Shop;
use crate::table::{Row, Target};

const ALONE: &str = "neighbours scanning: GET /me alone";
const BESIDE: [(&str, usize); 3] = [
    ("neighbours scanning: GET /me beside 2 scans of 60,000 calls", 2),
    ("neighbours scanning: GET /me beside 4 scans of 60,000 calls", 4),
    ("neighbours scanning: GET /me beside 8 scans of 60,000 calls", 8),
];
const CALLS: usize = 60_000;
const WRITERS: usize = 64;
/// A list with a filter that no call matches. The server must read all calls to find this out.
const SCAN: &str = "/v1/calls?updated_since=2020-01-01T00:00:00Z&outcome=spam&limit=100";
/// The target: a request at another business must take less than this many milliseconds.
const UNDER: f64 = 20.0;

pub(super) fn rows() -> Vec<Row> {
    let beside = |(name, _): &(&'static str, usize)| {
        Row::reaching(name, &[Target::Beside { alone: ALONE, under: UNDER }])
    };
    std::iter::once(Row::plain(ALONE)).chain(BESIDE.iter().map(beside)).collect()
}

/// A directory with two businesses. One of them has very many calls.
pub(super) struct Scanning {
    directory: PathBuf,
    scanned: Shop,
    victim: Shop,
}

impl Scanning {
    pub(super) fn has(row: &str) -> bool {
        rows().iter().any(|known| known.name == row)
    }

    /// Creates the directory, and adds the phone calls to it through the operator API.
    pub(super) async fn fill(context: &Context) -> Result<Self> {
        let directory = context.path("scanning");
        let server = Receptionist::start(&directory, None)?;
        let mut shops = found_bare(&server, 2).await?;
        let (victim, scanned) = (shops.pop().ok_or("no business")?, shops.pop().ok_or("no business")?);
        let count = context.options.sized(CALLS, CALLS / 100);
        context.progress(&format!("recording {count} calls"));
        let mut writers = JoinSet::new();
        for lane in 0..WRITERS {
            let (path, mut operator) =
                (format!("/admin/v1/businesses/{}/calls", scanned.id), Session::operator(&server).await?);
            writers.spawn(async move {
                for number in (lane..count).step_by(WRITERS) {
                    operator.post(&path, &call(number)).await?;
                }
                Ok::<_, Box<dyn std::error::Error + Send + Sync>>(())
            });
        }
        while let Some(ended) = writers.join_next().await {
            ended??;
        }
        server.process.stop()?;
        Ok(Self { directory, scanned, victim })
    }

    pub(super) async fn measure(&self, context: &Context, row: &'static str) -> Result<Measured> {
        let scans = BESIDE.iter().find(|(name, _)| *name == row).map_or(0, |(_, scans)| *scans);
        let server = Receptionist::start(&self.directory, None)?;
        let me = request("GET", "/v1/me", &self.victim.key, None);
        let mut connection = Connection::open(server.public).await?;
        let answer = connection.exchange(&me).await?;
        answer.expect(200)?;
        let script = Constant::new(&me, answer.body);
        let mut offenders = Offenders::default();
        for _ in 0..scans {
            let asker = Session::open(server.public, &self.scanned.key).await?;
            offenders.add(scan(asker));
        }
        let victim = drive(server.public, vec![script], context.options.period, &server.process);
        let measured = offenders.beside(victim).await?;
        server.process.stop()?;
        Ok(measured)
    }
}

/// Reads all pages of the list again and again. The pages are empty.
async fn scan(mut asker: Session) -> Result<()> {
    let mut path = SCAN.to_owned();
    loop {
        let page = asker.get(&path).await?;
        if page["data"].as_array().is_none_or(|calls| !calls.is_empty()) {
            return Err(format!("the list has calls that were not recorded: {page}").into());
        }
        path = match next_cursor(&page)? {
            Some(cursor) => format!("{SCAN}&cursor={cursor}"),
            None => SCAN.to_owned(),
        };
    }
}

/// Returns the cursor of the next page, or `None` on the last page.
fn next_cursor(page: &Value) -> Result<Option<&str>> {
    let found = |name: &str| page.get(name).or_else(|| page["pagination"].get(name));
    let (more, cursor) = (found("has_more"), found("next_cursor").and_then(Value::as_str));
    if more.and_then(Value::as_bool) == Some(cursor.is_some()) {
        Ok(cursor)
    } else {
        Err(format!("has_more and next_cursor do not agree: {page}").into())
    }
}

fn call(number: usize) -> Value {
    json!({
        "direction": "inbound",
        "status": "completed",
        "outcome": "question_answered",
        "from_number": format!("+336{:08}", number % 500),
        "started_at": "2026-03-01T08:00:00.000Z",
        "ended_at": "2026-03-01T08:01:30.000Z",
        "summary": "They asked about the opening hours on Saturday, and whether one can park in front of the salon.",
    })
}
