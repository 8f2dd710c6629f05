//! Measures the cost of alerts for bookings: `cargo bench --bench alerts`.
//!
//! Two processes run, each with an engine on disk, 10,000 people in 1,000 businesses, and a relay that cannot be
//! reached. One process has no pending mails, and the other has 100,000. Each process measures bookings at
//! businesses without people, and at businesses whose ten people get an alert for every booking. The processes
//! measure in turn. While one process measures, a signal pauses the other, so the mails of the paused process do not
//! affect the measurement.

#![allow(clippy::unwrap_used, reason = "a benchmark ends at the first error")]
#![allow(clippy::print_stdout, reason = "a benchmark prints its results")]

mod support;

use std::io::{BufRead, BufReader, Lines, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use chrono::TimeDelta;
use domain::booking::{BookRequest, Party};
use domain::{
    Actor, Address, ContactDetails, MailError, MembershipPatch, MessageDetails, Phone, Role, ServiceId,
    Source, StaffId, Timestamp,
};
use engine::business::commands::appointments::{Book, BookingContact};
use engine::business::commands::catalog::{CreateService, CreateStaff};
use engine::business::commands::messages::TakeMessage;
use engine::business::{Answer, AnswerOf, Change, Request};
use engine::mail::MailPorts;
use engine::mail::letter::{Composer, Letter};
use engine::people::Invitation;
use engine::{BusinessHandle, Engine};
use net::Ports;
use ports::{BoxFuture, MadeMail, MailFailure, Mailer};
use serde::Serialize;
use tokio::task::JoinSet;

use crate::support::{always_open, text};

const BUSINESSES: usize = 1_000;
const PEOPLE: usize = 10;
const MAILS: usize = 100_000;
/// The number of businesses at which appointments are booked. Each business has one client.
const BOOKED: usize = 64;
const MEASURED: Duration = Duration::from_secs(5);
/// A child process runs for this time after its start, before the benchmark pauses it. After each pause, the process
/// again runs for this time before it gets a request.
const WARM_UP: Duration = Duration::from_secs(2);
/// The number of measurements of each kind.
const ROUNDS: usize = 9;
/// The environment variable that tells a child process how many pending mails to create.
const WAITING: &str = "ALERTS_WAITING";
/// The requests to a child process: to measure bookings without alerts, to measure bookings with ten alerts, and to
/// return the number of pending mails.
const ASKED: [&str; 3] = ["without_alerts", "with_alerts", "waiting"];

/// A relay that cannot be reached. Every attempt fails after 50 ms.
struct Dead;

impl Mailer for Dead {
    fn send<'a>(&'a self, _: &'a MadeMail) -> BoxFuture<'a, Result<String, MailFailure>> {
        Box::pin(async {
            tokio::time::sleep(Duration::from_millis(50)).await;
            Err(MailFailure::Relay(MailError::Quoted("no response".into())))
        })
    }
}

impl Composer for Dead {
    fn compose(&self, letter: &Letter) -> Result<Vec<u8>, String> {
        Ok(letter.message_id.clone().into_bytes())
    }

    fn domain(&self) -> &str {
        "mail.example.com"
    }
}

/// A business that accepts bookings.
#[derive(Clone)]
struct Shop {
    business: BusinessHandle,
    service: ServiceId,
    staff: StaffId,
    booked: Arc<AtomicU64>,
}

fn by_operator() -> Request {
    Request::by(Actor::Operator)
}

fn id_of<I: std::str::FromStr<Err: std::fmt::Debug>>(answer: &Answer<impl Serialize>) -> I {
    let shown = serde_json::to_value(&answer.value).unwrap();
    shown["id"].as_str().unwrap().parse().unwrap()
}

async fn done<C: Change + 'static>(business: &BusinessHandle, change: C) -> AnswerOf<C> {
    business.change(by_operator(), change).await.unwrap()
}

async fn shop(engine: &Engine, number: usize, people: usize) -> Shop {
    let new = always_open(&format!("Shop {number}"));
    let business = engine.business(engine.create_business(new, Actor::Operator).await.unwrap().id);
    let service = id_of(&done(&business, CreateService::lasting(text("Cut"), 30)).await);
    let staff = id_of(&done(&business, CreateStaff::offering(text("Ada"), vec![service])).await);
    for person in 0..people {
        let email = Address::new(&format!("p{person}@s{number}.example.com")).unwrap();
        let invitation = Invitation { email, name: None, locale: None, role: Role::Owner, staff_id: None };
        let invited = engine.people().invite(&business, by_operator(), invitation).await.unwrap();
        let active = MembershipPatch { active: Some(true), ..MembershipPatch::default() };
        let who = (id_of(&invited.answer), active, None);
        engine.people().patch_member(&business, by_operator(), who).await.unwrap();
    }
    Shop { business, service, staff, booked: Arc::default() }
}

async fn shops(engine: &Engine, count: usize, people: usize) -> Vec<Shop> {
    let (mut all, mut pending) = (Vec::new(), JoinSet::new());
    for number in 0..count {
        let engine = engine.clone();
        pending.spawn(async move { shop(&engine, number, people).await });
        while pending.len() > 64 {
            all.push(pending.join_next().await.unwrap().unwrap());
        }
    }
    all.extend(pending.join_all().await);
    all
}

impl Shop {
    async fn book(&self, from: Timestamp) {
        let number = self.booked.fetch_add(1, Ordering::Relaxed);
        let phone = Phone::from_e164(format!("+3361234{:04}", number % 10_000)).unwrap();
        let book = Book {
            request: BookRequest {
                service_id: self.service,
                starts_at: from + TimeDelta::minutes(30 * i64::try_from(number).unwrap()),
                staff_id: Some(self.staff),
                source: Source::Api,
                party: Party::Integration { allow_pending: false },
                duration: None,
            },
            contact: BookingContact::Described(ContactDetails { phone: Some(phone), ..Default::default() }),
        };
        done(&self.business, book).await;
    }

    async fn message(&self) {
        let details = MessageDetails::of(text("Please ring back."));
        done(&self.business, TakeMessage { details }).await;
    }
}

/// Makes bookings for a period. Returns the number of bookings per second, and the median and the 99th percentile of
/// their durations in milliseconds.
async fn measure(shops: &[Shop]) -> [f64; 3] {
    let from = Timestamp::from_millis((shops[0].business.now().millis() / 3_600_000 + 48) * 3_600_000);
    let until = Instant::now() + MEASURED;
    let mut clients = JoinSet::new();
    for shop in shops.iter().take(BOOKED) {
        let shop = shop.clone();
        clients.spawn(async move {
            let mut took = Vec::new();
            while Instant::now() < until {
                let began = Instant::now();
                shop.book(from).await;
                took.push(began.elapsed());
            }
            took
        });
    }
    let mut took: Vec<_> = clients.join_all().await.into_iter().flatten().collect();
    took.sort_unstable();
    let at = |part: usize| took[took.len() * part / 1_000].as_secs_f64() * 1_000.0;
    [took.len() as f64 / MEASURED.as_secs_f64(), at(500), at(990)]
}

/// Returns the resident memory of the process, in MiB.
fn memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmRSS:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse::<u64>().unwrap() / 1_024
}

async fn waiting(engine: &Engine, shops: &[Shop]) -> usize {
    let mut waiting = 0;
    for shop in shops {
        let log = engine.mail_log(shop.business.id(), None, usize::MAX).await.unwrap();
        waiting += log.iter().filter(|mail| mail.next_attempt_at.is_some()).count();
    }
    waiting
}

/// Adds `mails` mails to the outbox. To do so, records messages at the businesses with people: each message causes one
/// mail to each person of its business.
async fn write_mails(peopled: &[Shop], mails: usize) {
    let mut pending = JoinSet::new();
    for number in 0..mails / PEOPLE {
        let shop = peopled[number % BUSINESSES].clone();
        pending.spawn(async move { shop.message().await });
        while pending.len() > 256 {
            pending.join_next().await.unwrap().unwrap();
        }
    }
    pending.join_all().await;
}

/// The main function of the child process. It adds mails to the outbox, reads requests from standard input, and writes
/// one line per response.
#[tokio::main]
async fn serve(mails: usize) {
    let directory = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let on_fatal = |error: &_| panic!("the store failed: {error}");
    let engine = Engine::open(directory.path(), Ports::system().unwrap(), on_fatal).await.unwrap();
    let relay = Arc::new(Dead);
    engine.begin_mail(MailPorts {
        mailer: Arc::clone(&relay) as _,
        composer: relay as _,
        recipients: engine.recipients(),
    });
    let alone = shops(&engine, BOOKED * ROUNDS, 0).await;
    let peopled = shops(&engine, BUSINESSES, PEOPLE).await;
    let (before, began) = (memory(), Instant::now());
    write_mails(&peopled, mails).await;
    println!(
        "memory: {before} MiB; {} MiB with {mails} mails, which took {:.1?} to add",
        memory(),
        began.elapsed()
    );
    // Each measurement takes the next businesses from these lists, so its businesses have no appointments yet.
    let (mut alone_left, mut peopled_left) = (alone.chunks(BOOKED), peopled.chunks(BOOKED));
    let mut asked = String::new();
    while tokio::task::block_in_place(|| std::io::stdin().read_line(&mut asked)).unwrap() > 0 {
        match asked.trim_end() {
            asked if asked == ASKED[2] => println!("{}, {} MiB", waiting(&engine, &peopled).await, memory()),
            asked => {
                let left = if asked == ASKED[0] { &mut alone_left } else { &mut peopled_left };
                let [rate, median, worst] = measure(left.next().unwrap()).await;
                println!("{rate} {median} {worst}");
            }
        }
        asked.clear();
    }
    engine.close().await.unwrap();
}

/// A child process that is paused by the signal `STOP` between two requests.
struct Server {
    child: Child,
    asked: ChildStdin,
    answers: Lines<BufReader<ChildStdout>>,
}

impl Server {
    fn start(mails: usize) -> Self {
        let mut command = Command::new(std::env::current_exe().unwrap());
        let command = command.env(WAITING, mails.to_string()).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let (asked, answers) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        let mut server = Self { child, asked, answers: BufReader::new(answers).lines() };
        println!("{mails} mails wait: {}", server.answers.next().unwrap().unwrap());
        std::thread::sleep(WARM_UP);
        server.signal("STOP");
        server
    }

    fn signal(&self, signal: &str) {
        let sent = Command::new("kill").args([&format!("-{signal}"), &self.child.id().to_string()]).status();
        assert!(sent.unwrap().success(), "sending {signal} failed");
    }

    fn ask(&mut self, what: &str) -> String {
        self.signal("CONT");
        std::thread::sleep(WARM_UP);
        writeln!(self.asked, "{what}").unwrap();
        let answer = self.answers.next().unwrap().unwrap();
        self.signal("STOP");
        answer
    }

    fn measure(&mut self, what: &str) -> [f64; 3] {
        let answer = self.ask(what);
        let figures: Vec<f64> = answer.split(' ').map(|figure| figure.parse().unwrap()).collect();
        figures.try_into().unwrap()
    }

    fn end(mut self) {
        self.signal("CONT");
        drop(self.asked);
        self.child.wait().unwrap();
    }
}

fn median(mut all: Vec<f64>) -> f64 {
    all.sort_unstable_by(f64::total_cmp);
    all[all.len() / 2]
}

fn main() {
    if let Ok(mails) = std::env::var(WAITING) {
        return serve(mails.parse().unwrap());
    }
    println!("two processes, each with {} people in {BUSINESSES} businesses", BUSINESSES * PEOPLE);
    let mut servers = [Server::start(0), Server::start(MAILS)];
    for (asked, name) in ASKED.into_iter().zip(["no alerts", "ten alerts per booking"]) {
        let mut found: [[Vec<f64>; 3]; 2] = Default::default();
        for round in 0..ROUNDS {
            for turn in 0..2 {
                let which = (round + turn) % 2;
                let figures = servers[which].measure(asked);
                found[which].iter_mut().zip(figures).for_each(|(all, one)| all.push(one));
            }
        }
        let ratios = found[0][0].iter().zip(&found[1][0]).map(|(without, with)| with / without).collect();
        for (figures, waits) in found.into_iter().zip(["no mails wait", "100,000 mails wait"]) {
            let [rate, half, most] = figures.map(median);
            println!("{name}, {waits:<20} {rate:>7.0}/s  p50 {half:>6.2} ms  p99 {most:>6.2} ms");
        }
        println!(
            "{name}: rate with mails divided by rate without, median of {ROUNDS} rounds: {:.2}",
            median(ratios)
        );
    }
    for server in &mut servers {
        println!("pending mails at the end: {}", server.ask(ASKED[2]));
    }
    servers.into_iter().for_each(Server::end);
}
