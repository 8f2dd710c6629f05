//! Measures bookings at a thousand businesses and at a single business. For comparison, it also measures the store
//! alone, the disk alone, and PostgreSQL. Before two of the measurements, other businesses get many appointments. In
//! one of the two, these appointments have no notices. In the other one, their notices wait for a relay that cannot be
//! reached.
//!
//! Each measurement has its own server and its own copy of a prepared data directory.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::Command;

use crate::client::{Connection, request};
use crate::drive::{drive, exhaust};
use crate::error::Result;
use crate::floors::{append, overwrite};
use crate::group::{Context, Group, copy};
use crate::measure::Measured;
use crate::postgres::{Postgres, Statements};
use crate::process::{Process, Receptionist, Start, TOKEN};
use crate::scripts::{Bookings, For, Mixed};
use crate::shape::Shape;
use crate::shop::{BUSINESSES, Hours, Plan, STAFF, Shop};
use crate::table::{Row, Target};

const APPEND: &str = "append and fdatasync, one writer";
const OVERWRITE: &str = "overwrite and fdatasync, one writer";
const STORE: &str = "store alone, 64 changes at once";
const PGBENCH: &str = "pgbench, 64 clients";
const PGBENCH_ONE: &str = "pgbench, 64 clients, one statement";
const SPREAD_1: &str = "bookings across 1,000 businesses, 1 connection";
const SPREAD_8: &str = "bookings across 1,000 businesses, 8 connections";
const SPREAD_64: &str = "bookings across 1,000 businesses, 64 connections";
const SPREAD_256: &str = "bookings across 1,000 businesses, 256 connections";
const NEW_CONTACTS: &str = "bookings with a new contact each, 64 connections";
const NOTICES: &str = "bookings with two notices each, 64 connections";
const BESIDE_BOOKINGS: &str = "bookings with a new contact each, beside 20,000 appointments";
const BESIDE_NOTICES: &str =
    "bookings with a new contact each, beside 20,000 appointments and 40,000 waiting notices";
const ONE: &str = "bookings at one business, 64 connections";
const MIXED: &str = "mixed, 80 % reads, 64 connections";

const IN_FLIGHT: usize = 64;

/// The number of additional businesses in two of the measurements. Each of these businesses has 1,000 appointments. In
/// one of the two measurements, notices are turned on at these businesses, so each of the appointments has two waiting
/// notices. The measured bookings are at other businesses, where notices are turned off.
const NOTIFYING: usize = 20;

/// A prepared directory, and the other data that the rows of the result table need.
pub(crate) struct Booked {
    template: PathBuf,
    shops: Vec<Shop>,
    shape: PathBuf,
    /// The number of rows that a booking writes, and the total length of their keys and values in bytes.
    size: (usize, usize),
    postgres: Option<Postgres>,
    notes: Vec<String>,
}

impl Group for Booked {
    fn rows(_context: &Context) -> Vec<Row> {
        let rate = |of, at_least| Target::Rate { of, at_least };
        let mut rows = vec![Row::plain(APPEND), Row::plain(OVERWRITE), Row::plain(STORE)];
        if Postgres::is_installed() {
            rows.extend([Row::plain(PGBENCH), Row::plain(PGBENCH_ONE)]);
        }
        rows.extend([
            Row::reaching(SPREAD_1, &[APPEND, OVERWRITE].map(|of| Target::Time { of, at_most: 1.8 })),
            Row::plain(SPREAD_8),
            Row::reaching(SPREAD_64, &[rate(PGBENCH, 2.5), rate(PGBENCH_ONE, 1.3), rate(STORE, 0.70)]),
            Row::plain(SPREAD_256),
            Row::reaching(NEW_CONTACTS, &[rate(SPREAD_64, 0.80)]),
            Row::plain(NOTICES),
            Row::plain(BESIDE_BOOKINGS),
            Row::reaching(BESIDE_NOTICES, &[rate(BESIDE_BOOKINGS, 0.97)]),
            Row::reaching(ONE, &[rate(SPREAD_64, 0.70)]),
            Row::plain(MIXED),
        ]);
        rows
    }

    async fn set_up(context: &Context, rows: &[Row]) -> Result<Self> {
        let template = context.path("businesses");
        let plan = Plan {
            businesses: BUSINESSES + NOTIFYING,
            kept: BUSINESSES + NOTIFYING,
            staff: STAFF,
            appointments: 0,
            hours: Hours::Always,
            first_day: context.first_day,
        };
        let shops = plan.fill(&template).await?;
        let mut notes = Vec::new();
        let shape = context.path("shape");
        let copied = copy(context, &template)?;
        let booking = Shape::of_a_booking(&copied, &shops, context.first_day).await?;
        std::fs::remove_dir_all(copied)?;
        std::fs::write(&shape, serde_json::to_vec(&booking)?)?;
        let size = booking.size();
        notes.push(format!("A booking writes {} rows with {} bytes of keys and values.", size.0, size.1));
        let wants_postgres = rows.iter().any(|row| row.name == PGBENCH || row.name == PGBENCH_ONE);
        let postgres = match wants_postgres.then(|| Postgres::start(context)).transpose() {
            Ok(postgres) => postgres,
            Err(error) => {
                notes.push(format!("PostgreSQL was omitted: {error}"));
                None
            }
        };
        if !Postgres::is_installed() {
            notes.push(
                "PostgreSQL was omitted: it is not installed (apt-get install postgresql postgresql-contrib).".into(),
            );
        }
        Ok(Self { template, shops, shape, size, postgres, notes })
    }

    async fn measure(&mut self, context: &Context, row: &'static str) -> Result<Measured> {
        let period = context.options.period;
        match row {
            APPEND | OVERWRITE => {
                let (directory, bytes) = (context.directory.clone(), self.size.1);
                let floor = if row == APPEND { append } else { overwrite };
                tokio::task::spawn_blocking(move || floor(&directory, bytes, period)).await?
            }
            STORE => self.store_alone(context).await,
            PGBENCH | PGBENCH_ONE => {
                let statements = if row == PGBENCH { Statements::Four } else { Statements::One };
                match &self.postgres {
                    Some(postgres) => postgres.measure(context, statements),
                    None => Ok(Measured::default()),
                }
            }
            _ => self.book(context, row).await,
        }
    }

    async fn finish(self, _context: &Context) -> Result<Vec<String>> {
        Ok(self.notes)
    }
}

impl Booked {
    async fn book(&self, context: &Context, row: &'static str) -> Result<Measured> {
        let directory = copy(context, &self.template)?;
        // No process listens on this port, so all notices have to wait.
        let relay = [
            ("RECEPTIONIST_SMTP_URL", "smtp+plain://127.0.0.1:9"),
            ("RECEPTIONIST_MAIL_FROM", "bench@example.com"),
        ];
        let is_beside = row == BESIDE_BOOKINGS || row == BESIDE_NOTICES;
        let has_relay = row == NOTICES || is_beside;
        let settings = if has_relay { &relay[..] } else { &[] };
        let server = Receptionist::start_with(&directory, Start { settings, ..Start::default() })?;
        let (period, address) = (context.options.period, server.public);
        let (shops, notifying) = self.shops.split_at(BUSINESSES);
        let shops = if row == ONE { &shops[..1] } else { shops };
        if row == NOTICES {
            turn_on_notices(server.operator, shops).await?;
        }
        if row == BESIDE_NOTICES {
            turn_on_notices(server.operator, notifying).await?;
        }
        if is_beside {
            let bookings = context.options.sized(1_000, 2) * notifying.len();
            let bookings = Bookings::limited(notifying, context.first_day, 0, bookings)?;
            exhaust(address, bookings.scripts(IN_FLIGHT), &server.process).await?;
            // Without this sync, the kernel would write the rows of the bookings above to the disk during the
            // measurement. The measured bookings would then wait for the disk.
            tokio::task::spawn_blocking(rustix::fs::sync).await?;
        }
        // The first bookings load every business before the measurement begins.
        let first = Bookings::limited(shops, context.first_day, 0, shops.len())?;
        exhaust(address, first.scripts(IN_FLIGHT), &server.process).await?;
        let whom = if row == NEW_CONTACTS || is_beside { For::New } else { For::Known };
        let bookings = Bookings::new(shops, context.first_day, 1, whom)?;
        let connections = match row {
            SPREAD_1 => 1,
            SPREAD_8 => 8,
            SPREAD_256 => 256,
            _ => 64,
        };
        let measured = if row == MIXED {
            let day = chrono::DateTime::from_timestamp_millis(context.first_day).unwrap_or_default();
            let day = day.format("%Y-%m-%d").to_string();
            let scripts = Mixed::scripts(&bookings, shops, &day, connections);
            drive(address, scripts, period, &server.process).await?
        } else {
            drive(address, bookings.scripts(connections), period, &server.process).await?
        };
        server.process.stop()?;
        std::fs::remove_dir_all(directory)?;
        Ok(measured)
    }

    /// Runs the store alone in a child process, so that the measured memory and CPU time belong only to the store.
    async fn store_alone(&self, context: &Context) -> Result<Measured> {
        let directory = copy(context, &self.template)?;
        let out = context.path("store.json");
        let period = context.options.period;
        let mut command = Command::new(std::env::current_exe()?);
        command.args(["--child", "store"]).arg(&directory).arg(&self.shape);
        command.arg(self.template.with_extension("shops")).arg(&out).args([
            context.first_day.to_string(),
            IN_FLIGHT.to_string(),
            period.warm_up.as_millis().to_string(),
            period.measured.as_millis().to_string(),
        ]);
        let process = Process::start(command)?;
        tokio::task::spawn_blocking(|| process.finish()).await??;
        std::fs::remove_dir_all(directory)?;
        Ok(serde_json::from_slice(&std::fs::read(out)?)?)
    }
}

/// Turns on notices and reminders. Every later booking at these businesses then creates a notice and a
/// reminder.
async fn turn_on_notices(operator: SocketAddr, shops: &[Shop]) -> Result<()> {
    let mut connection = Connection::open(operator).await?;
    for shop in shops {
        let path = format!("/admin/v1/businesses/{}/notices", shop.id);
        let all = request("PATCH", &path, TOKEN, Some(r#"{"email":"all"}"#));
        connection.exchange(&all).await?.expect(200)?;
    }
    Ok(())
}
