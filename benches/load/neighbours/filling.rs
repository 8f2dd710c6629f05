//! The scenario `neighbours filling`: one business writes until only the reserve of a small disk is free.

use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use tokio::sync::watch;
use tokio::time::timeout;

use super::GIVEN_UP;
use super::long_values::long_text;
use super::tenants::{Session, found_bare};
use crate::error::Result;
use crate::group::Context;
use crate::measure::{Measured, nanos};
use crate::namespace::done;
use crate::process::{Receptionist, Start};
use crate::shop::Shop;
use crate::table::{Row, Target};

const READS: &str = "neighbours filling: GET /me while the disk is filled and full";
const RESTART: &str = "neighbours filling: start to first answer on the full disk";
/// The size of the disk. `RESERVE` is the setting for its reserve.
const DISK: &str = "size=192m";
const RESERVE: (&str, &str) = ("RECEPTIONIST_DISK_RESERVE", "48MiB");
/// The number of refusals after which the disk is considered full.
const REFUSALS: usize = 20;
/// The maximum time for filling the disk.
const FILL_TIME_MAX: Duration = Duration::from_secs(30);
/// The interval between two reads.
const EVERY: Duration = Duration::from_millis(10);
/// The number of reads that are made after the disk is full.
const READS_WHEN_FULL: usize = 100;
/// The target for reads at a business that does not fill the disk, in milliseconds.
const UNDER: f64 = 100.0;
const START_UNDER: f64 = 5_000.0;

pub(super) fn rows() -> Vec<Row> {
    vec![
        Row::reaching(READS, &[Target::P99 { under: UNDER }]),
        Row::reaching(RESTART, &[Target::P50 { under: START_UNDER }]),
    ]
}

pub(super) fn has(row: &str) -> bool {
    [READS, RESTART].contains(&row)
}

/// A disk in memory. If it is not unmounted, the kernel removes it when the namespace of this process ends.
struct Disk<'a>(&'a Path);

impl<'a> Disk<'a> {
    fn mount(at: &'a Path) -> Result<Self> {
        std::fs::create_dir_all(at)?;
        done(Command::new("mount").args(["-t", "tmpfs", "-o", DISK, "tmpfs"]).arg(at))?;
        Ok(Self(at))
    }
}

impl Drop for Disk<'_> {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("--lazy").arg(self.0).status();
    }
}

/// Fills the disk. For the row [`READS`], measures the reads of another business until shortly after the disk is full.
/// For the row [`RESTART`], measures a restart of the server afterwards.
pub(super) async fn measure(
    context: &Context,
    row: &'static str,
    notes: &mut Vec<String>,
) -> Result<Measured> {
    let mounted = context.path("small-disk");
    let disk = match Disk::mount(&mounted) {
        Ok(disk) => disk,
        Err(error) => {
            notes.push(format!("{row}: omitted, because no disk can be mounted here: {error}"));
            return Ok(Measured::default());
        }
    };
    let directory = mounted.join("data");
    let start = Start { settings: &[RESERVE], ..Start::default() };
    let server = Receptionist::start_with(&directory, start)?;
    let shops = found_bare(&server, 2).await?;
    let began = Instant::now();
    let (full, is_full) = watch::channel(false);
    let filled = async {
        let filled = fill(&server, &shops[0]).await;
        full.send_replace(true);
        filled
    };
    let (filled, mut times) = tokio::join!(filled, read(&server, &shops[1], is_full));
    let filled = match filled? {
        Some(written) => format!("the server accepted {written} texts and then refused more"),
        None => "the server refused nothing within the time limit".into(),
    };
    let mut measured = Measured::of(&mut times, began.elapsed());
    if let Err(error) = server.process.stop() {
        notes.push(format!("{row}: {error}; {filled}."));
    }
    if row == RESTART {
        let started = Instant::now();
        let took = match first_answer(&directory, start, &shops[1]).await {
            Ok(()) => started.elapsed(),
            Err(error) => {
                notes.push(format!("{row}: the server does not start: {error}"));
                GIVEN_UP
            }
        };
        measured = Measured { p50: Some(took.as_secs_f64() * 1e3), ..Measured::default() };
    }
    drop(disk);
    Ok(measured)
}

/// Adds long knowledge entries until the server has refused several of them or has ended. Returns the number of added
/// entries, or `None` if the server still accepts entries after [`FILL_TIME_MAX`].
async fn fill(server: &Receptionist, shop: &Shop) -> Result<Option<usize>> {
    let mut asker = Session::open(server.public, &shop.key).await?;
    let (began, mut written, mut refused) = (Instant::now(), 0, 0);
    while began.elapsed() < FILL_TIME_MAX {
        match timeout(GIVEN_UP, asker.try_post("/v1/knowledge", &long_text(written))).await {
            Ok(Ok((201, _))) => written += 1,
            Ok(Ok((409 | 503, _))) if refused < REFUSALS => {
                refused += 1;
                tokio::time::sleep(EVERY).await;
            }
            // The server has refused too often, or the connection was closed. A later check finds out whether the
            // server has ended.
            Ok(Ok((409 | 500 | 503, _)) | Err(_)) | Err(_) => return Ok(Some(written)),
            Ok(Ok((status, answer))) => return Err(format!("{status} {answer}").into()),
        }
    }
    Ok(None)
}

/// Reads at equal intervals. The last [`READS_WHEN_FULL`] reads are made on a full disk. If a response is missing,
/// all reads get the duration [`GIVEN_UP`]. In this way, a server that has ended never gets a good figure.
async fn read(server: &Receptionist, shop: &Shop, mut is_full: watch::Receiver<bool>) -> Vec<u64> {
    let mut times = Vec::new();
    let Ok(mut asker) = Session::open(server.public, &shop.key).await else { return vec![nanos(GIVEN_UP)] };
    let mut left = READS_WHEN_FULL;
    while left > 0 {
        let sent = Instant::now();
        let answer = timeout(GIVEN_UP, asker.get("/v1/me")).await;
        times.push(nanos(sent.elapsed()));
        if !matches!(answer, Ok(Ok(_))) {
            return vec![nanos(GIVEN_UP); times.len()];
        }
        left -= usize::from(*is_full.borrow_and_update());
        tokio::time::sleep(EVERY).await;
    }
    times
}

async fn first_answer(directory: &Path, start: Start<'_>, shop: &Shop) -> Result<()> {
    let server = Receptionist::start_with(directory, start)?;
    let mut asker = Session::open(server.public, &shop.key).await?;
    asker.get("/v1/me").await?;
    server.process.stop()
}
