//! Measures how bad receivers delay the events of other businesses. One business, the *victim*, has a good receiver.
//! The other businesses have bad receivers. The figure is the time until an event of the victim arrives at the
//! receiver of the victim.

use std::time::{Duration, Instant};

use serde_json::json;
use tokio::task::JoinSet;

use super::GIVEN_UP;
use super::filling;
use super::receivers::{Bad, GOOD, MANNERS, Manner};
use super::tenants::{Session, found};
use crate::error::Result;
use crate::group::{Context, Group};
use crate::measure::{Measured, nanos};
use crate::namespace::Inside;
use crate::process::{Receptionist, Start};
use crate::shop::{Shop, slot};
use crate::table::{Row, Target};
use crate::webhooks::address::{address, host};
use crate::webhooks::receiver::Receivers;

const ALONE: &str = "neighbours: deliveries alone";
const DRIPPING: &str = "neighbours dripping: deliveries beside 150 endpoints that drip";
const SLOW: &str = "neighbours slow: deliveries beside 400 endpoints that take 7 s";
const HANGING: &str = "neighbours hanging: deliveries beside 144 new endpoints that hang, 12 events each";
const DEAD: &str = "neighbours dead: deliveries beside 5,000 newly dead endpoints";

/// The maximum number of endpoints of a business.
const ENDPOINTS: usize = 25;
/// The interval between two bookings at the victim.
const EVERY: Duration = Duration::from_millis(50);
/// The time during which appointments are booked at the victim.
const BOOKING: Duration = Duration::from_secs(8);
/// The period in which the CPU time of a server is measured. The server gets no requests, but makes delivery attempts.
/// All attempts that hang end together after 10 s, and then new attempts start. So new attempts start twice within the
/// period.
const QUIET: Duration = Duration::from_secs(20);
const QUIET_STEP: Duration = Duration::from_secs(1);
/// The target: an event of the victim must arrive in less than this many milliseconds.
const UNDER: f64 = 1_000.0;
/// The target: a server without requests must use less than this fraction of one core.
const CPU_UNDER: f64 = 0.02;

/// The load that the other businesses cause.
struct Offence {
    businesses: usize,
    endpoints: usize,
    /// The number of events that each of these businesses has before the first booking at the victim.
    first: usize,
    /// After the `first` events, each of these businesses has a new event at this interval. With `None`, no more events
    /// follow.
    then_every: Option<Duration>,
    manners: &'static [Manner],
}

fn offence(row: &str) -> Option<Offence> {
    let second = Some(Duration::from_secs(1));
    Some(match row {
        DRIPPING => Offence {
            businesses: 6,
            endpoints: ENDPOINTS,
            first: 1,
            then_every: second,
            manners: &[Manner::Drips],
        },
        SLOW => Offence {
            businesses: 16,
            endpoints: ENDPOINTS,
            first: 2,
            then_every: second,
            manners: &[Manner::Slow],
        },
        HANGING => Offence {
            businesses: 6,
            endpoints: 24,
            first: 12,
            then_every: None,
            manners: &[Manner::HangsBeforeHead, Manner::HangsBeforeTls, Manner::HangsBeforeConnection],
        },
        DEAD => Offence {
            businesses: 200,
            endpoints: ENDPOINTS,
            first: 1,
            then_every: None,
            manners: &[Manner::HangsBeforeConnection],
        },
        _ => return None,
    })
}

/// The receivers, and the notes to print at the end.
pub(crate) struct Delivering {
    receivers: Receivers,
    _bad: Bad,
    authority: std::path::PathBuf,
    notes: Vec<String>,
}

impl Inside for Delivering {
    const NAME: &'static str = "neighbours";

    fn hosts() -> Vec<(String, String)> {
        (0..GOOD + MANNERS.len()).map(|number| (host(number), address(number))).collect()
    }
}

impl Group for Delivering {
    fn rows(_context: &Context) -> Vec<Row> {
        let beside = Target::Beside { alone: ALONE, under: UNDER };
        let mut rows = vec![
            Row::plain(ALONE),
            Row::reaching(DRIPPING, &[beside]),
            Row::reaching(SLOW, &[beside]),
            Row::reaching(HANGING, &[beside]),
            Row::reaching(DEAD, &[beside, Target::Cpu { under: CPU_UNDER }]),
        ];
        rows.extend(filling::rows());
        rows
    }

    async fn set_up(context: &Context, _rows: &[Row]) -> Result<Self> {
        let authority = context.path("authority.pem");
        let names: Vec<String> = MANNERS.iter().map(|manner| manner.host()).collect();
        let receivers = Receivers::start(GOOD, &names, &authority)?;
        let bad = Bad::start(&receivers.acceptor).await?;
        Ok(Self { receivers, _bad: bad, authority, notes: Vec::new() })
    }

    async fn measure(&mut self, context: &Context, row: &'static str) -> Result<Measured> {
        if filling::has(row) {
            return filling::measure(context, row, &mut self.notes).await;
        }
        self.deliver(context, row).await
    }

    async fn finish(mut self, _context: &Context) -> Result<Vec<String>> {
        self.notes.sort();
        self.notes.dedup();
        Ok(self.notes)
    }
}

impl Delivering {
    async fn deliver(&mut self, context: &Context, row: &'static str) -> Result<Measured> {
        let directory = context.path("delivering");
        let start = Start { authority: Some(&self.authority), ..Start::default() };
        let server = Receptionist::start_with(&directory, start)?;
        let (victims, secrets) = found(&server, 1, 1, |_, _| format!("https://{}/hook", host(0))).await?;
        self.receivers.inbox.expect(secrets);
        let mut further = JoinSet::new();
        if let Some(offence) = offence(row) {
            let (businesses, manners) = (context.options.sized(offence.businesses, 3), offence.manners);
            let url = move |business: usize, endpoint: usize| {
                format!("https://{}/{business}/{endpoint}", manners[business % manners.len()].host())
            };
            let offenders = found(&server, businesses, offence.endpoints, url).await?.0;
            for turn in 0..offence.first {
                book_all(&server, &offenders, context.first_day, turn).await?;
            }
            if let Some(every) = offence.then_every {
                for shop in offenders {
                    let mut asker = Session::open(server.public, &shop.key).await?;
                    let (first, first_day) = (offence.first, context.first_day);
                    further.spawn(async move {
                        for turn in first.. {
                            tokio::time::sleep(every).await;
                            book(&mut asker, &shop, first_day, turn).await?;
                        }
                        Ok::<_, Box<dyn std::error::Error + Send + Sync>>(())
                    });
                }
            }
        }
        let began = Instant::now();
        let mut times = tokio::select! {
            times = self.victim(context, &server, &victims[0], row) => times?,
            Some(ended) = further.join_next() => {
                return Err(format!("an offender ended early: {ended:?}").into());
            }
        };
        let measured = Measured::of(&mut times, began.elapsed());
        drop(further);
        let quiet = if row == DEAD { self.quiet(context, &server).await? } else { Measured::default() };
        server.process.kill()?;
        std::fs::remove_dir_all(&directory)?;
        Ok(Measured {
            cpu_seconds: quiet.cpu_seconds,
            seconds: quiet.seconds.or(measured.seconds),
            ..measured
        })
    }

    /// Makes bookings at the victim at equal intervals. Returns, for each booking, the time from the response until its
    /// event arrives.
    async fn victim(
        &mut self,
        context: &Context,
        server: &Receptionist,
        shop: &Shop,
        row: &'static str,
    ) -> Result<Vec<u64>> {
        let booking = context.options.sized(BOOKING, BOOKING / 4);
        let mut asker = Session::open(server.public, &shop.key).await?;
        let (began, mut booked) = (Instant::now(), Vec::new());
        let mut next = tokio::time::interval(EVERY);
        while began.elapsed() < booking {
            next.tick().await;
            let id = book(&mut asker, shop, context.first_day, booked.len()).await?;
            booked.push((id, Instant::now()));
        }
        let last = Instant::now();
        while self.receivers.inbox.arrived().0 < booked.len() && last.elapsed() < GIVEN_UP {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        self.receivers.inbox.wrong()?;
        let arrivals = self.receivers.inbox.arrivals();
        let took = |(id, answered): &(String, Instant)| {
            arrivals.get(id).map(|arrived| arrived.saturating_duration_since(*answered))
        };
        let missing = booked.iter().filter(|booked| took(booked).is_none()).count();
        if missing > 0 {
            self.notes.push(format!("{row}: {missing} of {} events did not arrive in time.", booked.len()));
        }
        Ok(booked.iter().map(|booked| nanos(took(booked).unwrap_or(GIVEN_UP))).collect())
    }

    /// Measures the CPU time of a server that gets no requests but makes delivery attempts. A note states the CPU use
    /// in the quietest second. In this second, almost no attempt begins or ends, so the CPU use is the cost of waiting.
    async fn quiet(&mut self, context: &Context, server: &Receptionist) -> Result<Measured> {
        let steps = context.options.sized(QUIET, QUIET / 10).div_duration_f64(QUIET_STEP) as usize;
        let (began, cpu) = (Instant::now(), server.process.cpu_seconds()?);
        let (mut seen, mut least) = ((began, cpu), f64::INFINITY);
        for _ in 0..steps {
            tokio::time::sleep(QUIET_STEP).await;
            let now = (Instant::now(), server.process.cpu_seconds()?);
            least = least.min((now.1 - seen.1) / (now.0 - seen.0).as_secs_f64());
            seen = now;
        }
        self.notes
            .push(format!("{DEAD}: {:.1} % of a core in the second with the lowest CPU use.", least * 100.0));
        let (cpu_seconds, seconds) = (Some(seen.1 - cpu), Some((seen.0 - began).as_secs_f64()));
        Ok(Measured { cpu_seconds, seconds, ..Measured::default() })
    }
}

/// Makes one booking at every business. Several bookings run at the same time.
async fn book_all(server: &Receptionist, shops: &[Shop], first_day: i64, turn: usize) -> Result<()> {
    let mut booking = JoinSet::new();
    for shops in shops.chunks(shops.len().div_ceil(16).max(1)) {
        let (shops, address) = (shops.to_vec(), server.public);
        booking.spawn(async move {
            for shop in shops {
                book(&mut Session::open(address, &shop.key).await?, &shop, first_day, turn).await?;
            }
            Ok::<_, Box<dyn std::error::Error + Send + Sync>>(())
        });
    }
    while let Some(ended) = booking.join_next().await {
        ended??;
    }
    Ok(())
}

/// Makes the booking with this number, which determines its time. Returns the id of the appointment.
async fn book(asker: &mut Session, shop: &Shop, first_day: i64, number: usize) -> Result<String> {
    let starts_at = slot(first_day, number, 1).to_string();
    let body = json!({ "service_id": shop.service, "starts_at": starts_at, "contact_id": shop.contact });
    let booked = asker.post("/v1/appointments", &body).await?;
    Ok(booked["id"].as_str().ok_or("the appointment has no id")?.to_owned())
}
