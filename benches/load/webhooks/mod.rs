//! Measures webhooks: bookings at businesses with subscribed endpoints, and deliveries in comparison with a bare
//! client.
//!
//! The service always refuses receivers on loopback. The measurement therefore runs in its own network namespace, whose
//! loopback device has public addresses.

pub(crate) mod address;
mod bare;
pub(crate) mod receiver;

use std::path::PathBuf;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use self::address::{address, host};
use self::receiver::{Inbox, Receivers};
use crate::client::{Connection, request};
use crate::drive::exhaust;
use crate::error::Result;
use crate::group::{Context, Group, copy};
use crate::measure::Measured;
use crate::namespace::Inside;
use crate::process::Receptionist;
use crate::scripts::Bookings;
use crate::shop::{Hours, Plan, Shop};
use crate::table::{Row, Target};

const BARE_8: &str = "bare hyper and rustls client, 8 connections";
const BARE_40: &str = "bare hyper and rustls client, 40 connections";
const DELIVER_1: &str = "webhook deliveries to 1 endpoint";
const DELIVER_5: &str = "webhook deliveries to 5 endpoints";
const BOOK_0: &str = "bookings at one business, no endpoint, 64 connections";
const BOOK_1: &str = "bookings at one business, 1 endpoint, 64 connections";
const BOOK_5: &str = "bookings at one business, 5 endpoints, 64 connections";

/// The maximum number of endpoints. Each endpoint has an address and a host name of its own.
const ENDPOINTS: usize = 5;
/// The number of concurrent attempts per endpoint. The bare client opens the same number of connections to
/// each receiver.
const ATTEMPTS: usize = 8;
const CONNECTIONS: usize = 64;
/// The maximum time without a new event. If it passes while events are missing, the harness ends with an error.
const SILENCE_MAX: Duration = Duration::from_secs(30);

/// The receivers, and the prepared business, whose bookings cause the events.
pub(crate) struct Webhooks {
    template: PathBuf,
    shop: Shop,
    receivers: Receivers,
    authority: PathBuf,
    /// The body of a real event.
    sample: Vec<u8>,
    repeated: usize,
}

impl Inside for Webhooks {
    const NAME: &'static str = "webhooks";

    fn hosts() -> Vec<(String, String)> {
        (0..ENDPOINTS).map(|number| (host(number), address(number))).collect()
    }
}

impl Group for Webhooks {
    fn rows(_context: &Context) -> Vec<Row> {
        let rate = |of, at_least| Target::Rate { of, at_least };
        vec![
            Row::plain(BARE_8),
            Row::reaching(DELIVER_1, &[rate(BARE_8, 0.20)]),
            Row::plain(BARE_40),
            Row::reaching(DELIVER_5, &[rate(BARE_40, 0.30)]),
            Row::plain(BOOK_0),
            Row::plain(BOOK_1),
            Row::reaching(BOOK_5, &[rate(BOOK_0, 0.70)]),
        ]
    }

    async fn set_up(context: &Context, _rows: &[Row]) -> Result<Self> {
        let template = context.path("webhooks");
        let plan = Plan {
            businesses: 1,
            kept: 1,
            staff: 3,
            appointments: 0,
            hours: Hours::Always,
            first_day: context.first_day,
        };
        let shop = plan.fill(&template).await?.pop().ok_or("there is no business")?;
        let authority = context.path("authority.pem");
        let receivers = Receivers::start(ENDPOINTS, &[], &authority)?;
        let mut group = Self { template, shop, receivers, authority, sample: Vec::new(), repeated: 0 };
        group.deliver(context, 1, 1, true).await?;
        group.sample = group.receivers.inbox.sample().ok_or("no event arrived")?;
        Ok(group)
    }

    async fn measure(&mut self, context: &Context, row: &'static str) -> Result<Measured> {
        match row {
            BARE_8 | BARE_40 => {
                let hosts = if row == BARE_8 { 1 } else { ENDPOINTS };
                bare::measure(&self.receivers, &self.sample, hosts, hosts * ATTEMPTS, context.options.period)
                    .await
            }
            _ => {
                let endpoints = match row {
                    BOOK_0 => 0,
                    BOOK_1 | DELIVER_1 => 1,
                    _ => ENDPOINTS,
                };
                let bookings = context.options.sized(20_000, 1_000) / (1 + endpoints);
                self.deliver(context, endpoints, bookings, [BOOK_0, BOOK_1, BOOK_5].contains(&row)).await
            }
        }
    }

    async fn finish(self, _context: &Context) -> Result<Vec<String>> {
        Ok(vec![format!(
            "Webhooks: every event arrived at every endpoint with a valid signature; {} arrived more than once.",
            self.repeated
        )])
    }
}

impl Webhooks {
    /// Makes bookings at a business with subscribed endpoints. Checks that every event reaches every
    /// endpoint. If `of_bookings` is true, the bookings are measured while deliveries run. If it is false,
    /// the receivers delay their first responses until all bookings are made, and only the deliveries are
    /// measured.
    async fn deliver(
        &mut self,
        context: &Context,
        endpoints: usize,
        count: usize,
        of_bookings: bool,
    ) -> Result<Measured> {
        let directory = copy(context, &self.template)?;
        let server = Receptionist::start(&directory, Some(&self.authority))?;
        let inbox = &self.receivers.inbox;
        inbox.expect(self.subscribe(&server, endpoints).await?);
        self.receivers.open(of_bookings);
        let first = std::slice::from_ref(&self.shop);
        let bookings = Bookings::limited(first, context.first_day, 0, count)?;
        let booked = exhaust(server.public, bookings.scripts(CONNECTIONS), &server.process).await?;
        let (started, cpu) = (Instant::now(), server.process.cpu_seconds()?);
        server.process.forget_peak();
        self.receivers.open(true);
        let last = wait_for(inbox, endpoints * count).await?;
        let (elapsed, cpu) = (last.saturating_duration_since(started), server.process.cpu_seconds()? - cpu);
        self.repeated += inbox.check(&bookings.made())?;
        let memory = server.process.peak_memory();
        server.process.stop()?;
        std::fs::remove_dir_all(&directory)?;
        if of_bookings {
            return Ok(booked);
        }
        Ok(Measured {
            rate: Some((endpoints * count) as f64 / elapsed.as_secs_f64()),
            seconds: Some(elapsed.as_secs_f64()),
            cpu_seconds: Some(cpu),
            memory,
            ..Measured::default()
        })
    }

    /// Creates an endpoint for each of the first `endpoints` receivers, and subscribes it to bookings. Returns the
    /// secrets of the endpoints.
    async fn subscribe(&self, server: &Receptionist, endpoints: usize) -> Result<Vec<String>> {
        let mut connection = Connection::open(server.public).await?;
        let mut secrets = Vec::new();
        for number in 0..endpoints {
            let url = format!("https://{}/hook", host(number));
            let body = json!({ "url": url, "events": ["appointment.booked"] }).to_string();
            let request = request("POST", "/v1/webhooks", &self.shop.key, Some(&body));
            let answer = connection.exchange(&request).await?;
            answer.expect(201)?;
            let shown: Value = serde_json::from_slice(answer.body)?;
            secrets.push(shown["data"]["secret"].as_str().ok_or("no secret")?.to_owned());
        }
        Ok(secrets)
    }
}

/// Waits until `count` events have arrived. Returns the time at which the last one arrived.
async fn wait_for(inbox: &Inbox, count: usize) -> Result<Instant> {
    let mut before = 0;
    let mut progress = Instant::now();
    loop {
        let (arrived, last) = inbox.arrived();
        if arrived >= count {
            return Ok(last);
        }
        if arrived > before {
            (before, progress) = (arrived, Instant::now());
        } else if progress.elapsed() > SILENCE_MAX {
            return Err(format!("only {arrived} of {count} deliveries arrived").into());
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}
