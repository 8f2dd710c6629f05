//! Measures the effect of calendar servers that do not respond: on bookings at businesses with such calendars, and on
//! the reads of other calendars.

use std::collections::HashMap;
use std::convert::Infallible;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::{Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use parking_lot::Mutex;
use serde_json::json;
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio_rustls::TlsAcceptor;

use crate::client::{Connection, request};
use crate::drive::{drive, exhaust};
use crate::error::Result;
use crate::group::{Context, Group, copy};
use crate::measure::{Measured, nanos};
use crate::namespace::Inside;
use crate::process::{Receptionist, Start, TOKEN};
use crate::scripts::{Bookings, For};
use crate::shop::{BUSINESSES, Hours, Plan, STAFF, Shop};
use crate::table::{Row, Target};
use crate::webhooks::receiver::Receivers;

const WITHOUT: &str = "calendars: bookings across 1,000 businesses without calendars, 64 connections";
const HANGING: &str =
    "calendars: bookings across 1,000 businesses, each with a calendar that hangs, 64 connections";
const READS: &str = "calendars: time between two reads of 20 calendars that respond, beside 1,000 that hang";

const IN_FLIGHT: usize = 64;
/// The number of businesses whose calendars respond.
const LIVE: usize = 20;
/// The number of hosts whose calendars do not respond. The reads from these hosts use up all permits for
/// reads.
const HOSTS: usize = 250;
const LIVE_HOST: &str = "live.calendars.example.com";
/// The period in which the reads are recorded. Only reads of the calendars that respond are recorded. The service reads
/// each of these calendars every minute.
const WATCHED: Duration = Duration::from_secs(200);
/// The target: two reads of a calendar are at most this many milliseconds apart. A read is due one minute after the
/// previous read, plus or minus 10 %. If calendars that hang use all permits, the due read waits until the request to
/// one of them reaches its deadline.
const READ_WITHIN: f64 = 80_000.0;
const COLLECTION: &str = "<?xml version=\"1.0\"?><d:multistatus xmlns:d=\"DAV:\" \
    xmlns:c=\"urn:ietf:params:xml:ns:caldav\" xmlns:s=\"http://calendarserver.org/ns/\"><d:response>\
    <d:href>PATH</d:href><d:propstat><d:prop><d:resourcetype><d:collection/><c:calendar/></d:resourcetype>\
    <s:getctag>1</s:getctag></d:prop><d:status>HTTP/1.1 200 OK</d:status></d:propstat></d:response></d:multistatus>";

fn host(number: usize) -> String {
    format!("dead{number}.calendars.example.com")
}

/// The calendar servers. Every host has a calendar at each path.
struct Servers {
    /// While the value is false, all hosts except [`LIVE_HOST`] accept requests but do not respond.
    gate: watch::Sender<bool>,
    /// The times of the requests to [`LIVE_HOST`], by path.
    read: Arc<Mutex<HashMap<String, Vec<Instant>>>>,
}

impl Servers {
    fn start(acceptor: TlsAcceptor) -> Result<Self> {
        let (gate, opened) = watch::channel(true);
        let read = Arc::new(Mutex::new(HashMap::new()));
        let listener = std::net::TcpListener::bind(("0.0.0.0", 443))?;
        listener.set_nonblocking(true)?;
        let (runtime, recorded) = (tokio::runtime::Runtime::new()?, Arc::clone(&read));
        std::thread::spawn(move || runtime.block_on(serve(listener, acceptor, opened, recorded)));
        Ok(Self { gate, read })
    }
}

async fn serve(
    listener: std::net::TcpListener,
    acceptor: TlsAcceptor,
    gate: watch::Receiver<bool>,
    read: Arc<Mutex<HashMap<String, Vec<Instant>>>>,
) -> Result<()> {
    let listener = TcpListener::from_std(listener)?;
    loop {
        let (stream, _) = listener.accept().await?;
        let (acceptor, gate, read) = (acceptor.clone(), gate.clone(), Arc::clone(&read));
        tokio::spawn(async move {
            let Ok(stream) = acceptor.accept(stream).await else { return };
            let answer = |request: Request<Incoming>| {
                let (mut gate, read) = (gate.clone(), Arc::clone(&read));
                async move {
                    let path = request.uri().path().to_owned();
                    if request.headers().get("host").is_some_and(|host| host == LIVE_HOST) {
                        read.lock().entry(path.clone()).or_default().push(Instant::now());
                    } else {
                        let _ = gate.wait_for(|open| *open).await;
                    }
                    let mut response =
                        Response::new(Full::new(Bytes::from(COLLECTION.replace("PATH", &path))));
                    *response.status_mut() = StatusCode::MULTI_STATUS;
                    Ok::<_, Infallible>(response)
                }
            };
            let service = hyper::service::service_fn(answer);
            let _ = hyper::server::conn::http1::Builder::new()
                .serve_connection(TokioIo::new(stream), service)
                .await;
        });
    }
}

/// The prepared data directories: without calendars, and with a calendar at each business.
pub(crate) struct Calendars {
    servers: Servers,
    authority: PathBuf,
    bare: PathBuf,
    connected: PathBuf,
    shops: Vec<Shop>,
    /// For each calendar that does not respond, the path of the request that starts a read of this calendar.
    reads: Vec<String>,
    is_watched: bool,
}

impl Inside for Calendars {
    const NAME: &'static str = "calendars";

    fn hosts() -> Vec<(String, String)> {
        let dead = (0..HOSTS).map(|number| (host(number), format!("93.184.217.{}", number + 1)));
        dead.chain([(LIVE_HOST.to_owned(), "93.184.216.34".to_owned())]).collect()
    }
}

impl Group for Calendars {
    fn rows(_context: &Context) -> Vec<Row> {
        vec![
            Row::plain(WITHOUT),
            Row::reaching(HANGING, &[Target::Rate { of: WITHOUT, at_least: 0.95 }]),
            Row::reaching(READS, &[Target::Max { under: READ_WITHIN }]),
        ]
    }

    async fn set_up(context: &Context, _rows: &[Row]) -> Result<Self> {
        let authority = context.path("authority.pem");
        let names: Vec<String> = Self::hosts().into_iter().map(|(name, _)| name).collect();
        let servers = Servers::start(Receivers::start(0, &names, &authority)?.acceptor)?;
        let bare = context.path("businesses");
        let plan = Plan {
            businesses: BUSINESSES + LIVE,
            kept: BUSINESSES + LIVE,
            staff: STAFF,
            appointments: 0,
            hours: Hours::Always,
            first_day: context.first_day,
        };
        let shops = plan.fill(&bare).await?;
        let connected = context.path("connected");
        std::fs::rename(copy(context, &bare)?, &connected)?;
        let start = Start { authority: Some(&authority), ..Start::default() };
        let server = Receptionist::start_with(&connected, start)?;
        let (dead, live) = shops.split_at(BUSINESSES);
        let reads = connect(server.operator, dead, |number| host(number % HOSTS)).await?;
        connect(server.operator, live, |_| LIVE_HOST.to_owned()).await?;
        server.process.stop()?;
        Ok(Self { servers, authority, bare, connected, shops, reads, is_watched: false })
    }

    async fn measure(&mut self, context: &Context, row: &'static str) -> Result<Measured> {
        if row == READS && std::mem::replace(&mut self.is_watched, true) {
            return Ok(Measured::default()); // one run contains several reads of each calendar
        }
        let template = if row == WITHOUT { &self.bare } else { &self.connected };
        let directory = copy(context, template)?;
        let start = Start { authority: Some(&self.authority), ..Start::default() };
        let server = Receptionist::start_with(&directory, start)?;
        let (shops, live) = self.shops.split_at(BUSINESSES);
        // The first bookings load every business before the measurement begins.
        let first = Bookings::limited(shops, context.first_day, 0, shops.len())?;
        exhaust(server.public, first.scripts(IN_FLIGHT), &server.process).await?;
        self.servers.gate.send_replace(false);
        if row != WITHOUT {
            read_all(server.operator, &self.reads).await?;
        }
        let measured = if row == READS {
            // After a booking, the calendars of the business are read every minute.
            let used = Bookings::limited(live, context.first_day, 0, live.len())?;
            exhaust(server.public, used.scripts(1), &server.process).await?;
            self.watch(context.options.sized(WATCHED, WATCHED / 100)).await
        } else {
            let bookings = Bookings::new(shops, context.first_day, 1, For::Known)?;
            drive(server.public, bookings.scripts(IN_FLIGHT), context.options.period, &server.process).await?
        };
        server.process.kill()?;
        self.servers.gate.send_replace(true);
        std::fs::remove_dir_all(directory)?;
        Ok(measured)
    }
}

impl Calendars {
    /// Returns the times between the reads of each calendar that responds. The start and the end of the measurement
    /// count as reads.
    async fn watch(&self, time: Duration) -> Measured {
        self.servers.read.lock().clear();
        let began = Instant::now();
        tokio::time::sleep(time).await;
        let read = std::mem::take(&mut *self.servers.read.lock());
        let mut times = Vec::new();
        for number in 0..LIVE {
            let at = read.get(&path(number)).cloned().unwrap_or_default();
            let ends = [began].into_iter().chain(at).chain([began + time]).collect::<Vec<_>>();
            times.extend(ends.windows(2).map(|pair| nanos(pair[1] - pair[0])));
        }
        Measured::of(&mut times, time)
    }
}

fn path(number: usize) -> String {
    format!("/{number}/")
}

/// Connects a calendar to one staff member of each business. Returns the paths of the requests that start reads.
async fn connect(
    operator: SocketAddr,
    shops: &[Shop],
    host: impl Fn(usize) -> String,
) -> Result<Vec<String>> {
    let bodies = shops.iter().enumerate().map(|(number, shop)| {
        let url = format!("https://{}{}", host(number), path(number));
        let body = json!({
            "staff_id": shop.staff[0], "kind": "caldav", "url": url, "username": "ada", "password": "pw",
            "calendar": url,
        });
        (format!("/admin/v1/businesses/{}/calendars", shop.id), body.to_string())
    });
    let bodies: Vec<_> = bodies.collect();
    let mut connecting = JoinSet::new();
    for part in bodies.chunks(bodies.len().div_ceil(16).max(1)) {
        let part = part.to_vec();
        connecting.spawn(async move {
            let (mut connection, mut reads) = (Connection::open(operator).await?, Vec::new());
            for (path, body) in part {
                let answer = connection.exchange(&request("POST", &path, TOKEN, Some(&body))).await?;
                answer.expect(201)?;
                let made: serde_json::Value = serde_json::from_slice(answer.body)?;
                let id = made["data"]["id"].as_str().ok_or("the calendar has no id")?;
                reads.push(format!("{path}/{id}/read"));
            }
            Ok::<_, Box<dyn std::error::Error + Send + Sync>>(reads)
        });
    }
    let mut reads = Vec::new();
    while let Some(made) = connecting.join_next().await {
        reads.append(&mut made??);
    }
    Ok(reads)
}

/// Requests a read of each calendar.
async fn read_all(operator: SocketAddr, reads: &[String]) -> Result<()> {
    let mut connection = Connection::open(operator).await?;
    for path in reads {
        connection.exchange(&request("POST", path, TOKEN, None)).await?.expect(202)?;
    }
    Ok(())
}
