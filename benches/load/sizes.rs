//! Measures the effect of size: one business with many appointments, a store with a million appointments,
//! and a hundred thousand businesses.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use chrono::DateTime;
use serde_json::json;

use crate::client::{Connection, request};
use crate::drive::{Period, drive, exhaust};
use crate::error::Result;
use crate::group::{Context, Group, copy};
use crate::measure::Measured;
use crate::process::{Receptionist, TOKEN};
use crate::scripts::{Bookings, For};
use crate::shop::{Hours, Plan, Shop};
use crate::table::{Row, Target};

const PRESENT_1K: &str = "bookings with 1,000 appointments present, 64 connections";
const PRESENT_10K: &str = "bookings with 10,000 appointments present, 64 connections";
const PRESENT_100K: &str = "bookings with 100,000 appointments present, 64 connections";
const MILLION: &str = "1,000,000 appointments: start to first answer";
const KILLED: &str = "1,000,000 appointments: the same after a kill";
const WAKING: &str = "1,000,000 appointments: first booking at each business";
const LOADED: &str = "1,000,000 appointments: bookings, 64 connections";
const BACKED_UP: &str = "1,000,000 appointments: bookings, 64 connections, a backup under way";
const MANY: &str = "100,000 businesses, 1,000 active";
const CHANGED: &str = "100,000 businesses, each changed once, then bookings at 100 of them for a minute";

const STAFF: usize = 3;
const CONNECTIONS: usize = 64;
/// The number of businesses at which appointments are booked during a sweep. In a sweep, the server stops the actors
/// that were not used for some time. `SWEEP_EVERY` is the interval between two sweeps.
const SOME: usize = 100;
const SWEEP_EVERY: Duration = Duration::from_secs(60);

/// The way in which the server is stopped after the bookings.
#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    /// The server is stopped in an orderly way.
    Stopped,
    /// The server is killed, to simulate a crash.
    Killed,
    /// A backup runs during the bookings. Then the server is stopped in an orderly way.
    BackedUp,
}

/// The prepared data directories.
pub(crate) struct Sizes {
    filled: Vec<Filled>,
}

struct Filled {
    rows: Vec<&'static str>,
    directory: PathBuf,
    shops: Vec<Shop>,
    /// The number of half hours that are already booked at each business.
    taken: usize,
}

impl Group for Sizes {
    fn rows(_context: &Context) -> Vec<Row> {
        vec![
            Row::plain(PRESENT_1K),
            Row::plain(PRESENT_10K),
            Row::reaching(PRESENT_100K, &[Target::Rate { of: PRESENT_1K, at_least: 0.90 }]),
            Row::reaching(MILLION, &[Target::P50 { under: 2_000.0 }, Target::Memory { under: 200.0 }]),
            Row::plain(KILLED),
            Row::plain(WAKING),
            Row::plain(LOADED),
            Row::reaching(BACKED_UP, &[Target::Tail { of: LOADED, at_most: 2.0 }]),
            Row::reaching(MANY, &[Target::Memory { under: 400.0 }]),
            Row::reaching(CHANGED, &[Target::Memory { under: 400.0 }, Target::Max { under: 50.0 }]),
        ]
    }

    async fn set_up(context: &Context, rows: &[Row]) -> Result<Self> {
        // A quick run only checks the harness, with a hundredth of the data.
        let part = context.options.sized(1, 100);
        let plan = |businesses: usize, appointments: usize| Plan {
            businesses,
            kept: businesses.min(1_000 / part).max(1),
            staff: STAFF,
            appointments,
            hours: Hours::Always,
            first_day: context.first_day,
        };
        let plans = [
            (vec![PRESENT_1K], plan(1, 1_000 / part)),
            (vec![PRESENT_10K], plan(1, 10_000 / part)),
            (vec![PRESENT_100K], plan(1, 100_000 / part)),
            (vec![MILLION, KILLED, WAKING, LOADED, BACKED_UP], plan(1_000 / part, 1_000)),
            (vec![MANY], Plan { staff: 1, ..plan(100_000 / part, 0) }),
            (vec![CHANGED], Plan { staff: 1, kept: 100_000 / part, ..plan(100_000 / part, 0) }),
        ];
        let mut filled = Vec::new();
        for (number, (names, plan)) in plans.into_iter().enumerate() {
            if !rows.iter().any(|row| names.contains(&row.name)) {
                continue;
            }
            context.progress(&format!(
                "filling {} businesses with {} appointments each",
                plan.businesses, plan.appointments
            ));
            let directory = context.path(&format!("size-{number}"));
            let started = Instant::now();
            let shops = plan.fill(&directory).await?;
            context.progress(&format!("filled in {:.1} s", started.elapsed().as_secs_f64()));
            let taken = plan.appointments;
            filled.push(Filled { rows: names, directory, shops, taken });
        }
        Ok(Self { filled })
    }

    async fn measure(&mut self, context: &Context, row: &'static str) -> Result<Measured> {
        let filled =
            self.filled.iter_mut().find(|filled| filled.rows.contains(&row)).ok_or("it has no data")?;
        match row {
            MILLION => filled.start(context).await,
            KILLED => {
                filled.book_and(context, End::Killed).await?;
                filled.start(context).await
            }
            LOADED => filled.book_and(context, End::Stopped).await,
            BACKED_UP => filled.book_and(context, End::BackedUp).await,
            WAKING | MANY => filled.wake(context).await,
            CHANGED => filled.change_all(context).await,
            _ => filled.book_on_a_copy(context).await,
        }
    }
}

impl Filled {
    /// Measures the time from the start of the process to its first response, and its memory at that moment.
    async fn start(&self, context: &Context) -> Result<Measured> {
        let shop = self.shops.last().ok_or("there is no business")?;
        let day = DateTime::from_timestamp_millis(context.first_day).unwrap_or_default().format("%Y-%m-%d");
        let path = format!("/v1/availability?service_id={}&start_date={day}", shop.service);
        let request = request("GET", &path, &shop.key, None);
        let started = Instant::now();
        let server = Receptionist::start(&self.directory, None)?;
        let mut connection = Connection::open(server.public).await?;
        connection.exchange(&request).await?.expect(200)?;
        let took = started.elapsed();
        let (memory, cpu) = (server.process.resident(), server.process.cpu_seconds()?);
        server.process.stop()?;
        let p50 = Some(took.as_secs_f64() * 1e3);
        Ok(Measured { p50, memory, cpu_seconds: Some(cpu), ..Measured::default() })
    }

    /// Loads every business, makes bookings for a period, and stops the server.
    async fn book_and(&mut self, context: &Context, end: End) -> Result<Measured> {
        let server = Receptionist::start(&self.directory, None)?;
        let first = Bookings::limited(&self.shops, context.first_day, self.taken, self.shops.len())?;
        exhaust(server.public, first.scripts(CONNECTIONS), &server.process).await?;
        self.taken += 1;
        let bookings = Bookings::new(&self.shops, context.first_day, self.taken, For::Known)?;
        let backup = context.path("backup");
        if end == End::BackedUp {
            let body = json!({ "to": backup }).to_string();
            let begin = request("POST", "/admin/v1/backup", TOKEN, Some(&body));
            Connection::open(server.operator).await?.exchange(&begin).await?.expect(202)?;
        }
        let measured =
            drive(server.public, bookings.scripts(CONNECTIONS), context.options.period, &server.process)
                .await?;
        if end == End::BackedUp {
            if backup.join("manifest.json").exists() {
                context.progress("the backup was complete before the bookings ended");
            }
            std::fs::remove_dir_all(backup)?;
        }
        self.taken += bookings.asked().div_ceil(self.shops.len());
        if end == End::Killed {
            server.process.kill()?;
        } else {
            server.process.stop()?;
        }
        Ok(measured)
    }

    async fn book_on_a_copy(&self, context: &Context) -> Result<Measured> {
        let directory = copy(context, &self.directory)?;
        let server = Receptionist::start(&directory, None)?;
        let bookings = Bookings::new(&self.shops, context.first_day, self.taken, For::Known)?;
        let measured =
            drive(server.public, bookings.scripts(CONNECTIONS), context.options.period, &server.process)
                .await?;
        server.process.stop()?;
        std::fs::remove_dir_all(directory)?;
        Ok(measured)
    }

    /// Makes one booking at each business of a copy and measures the resident memory. Then makes bookings at some of
    /// the businesses for a minute, in which the server checks the actors of all businesses and stops unused ones.
    async fn change_all(&self, context: &Context) -> Result<Measured> {
        let directory = copy(context, &self.directory)?;
        let server = Receptionist::start(&directory, None)?;
        let first = Bookings::limited(&self.shops, context.first_day, self.taken, self.shops.len())?;
        exhaust(server.public, first.scripts(CONNECTIONS), &server.process).await?;
        let memory = server.process.resident();
        let some = &self.shops[..self.shops.len().min(SOME)];
        let bookings = Bookings::new(some, context.first_day, self.taken + 1, For::Known)?;
        let period = Period { measured: SWEEP_EVERY, ..context.options.period };
        let measured = drive(server.public, bookings.scripts(1), period, &server.process).await?;
        server.process.stop()?;
        std::fs::remove_dir_all(directory)?;
        Ok(Measured { memory, ..measured })
    }

    /// Makes one booking at each business in `shops`. The figures include the resident memory of the server.
    async fn wake(&mut self, context: &Context) -> Result<Measured> {
        let server = Receptionist::start(&self.directory, None)?;
        let bookings = Bookings::limited(&self.shops, context.first_day, self.taken, self.shops.len())?;
        let measured = exhaust(server.public, bookings.scripts(CONNECTIONS), &server.process).await?;
        self.taken += 1;
        let memory = server.process.resident();
        server.process.stop()?;
        Ok(Measured { memory, ..measured })
    }
}
