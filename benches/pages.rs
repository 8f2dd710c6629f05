//! Measures the response times of dashboard pages for a large business: `cargo bench --bench pages`.
//!
//! The service runs in this process, with a business that has 100,000 contacts, appointments and calls
//! (`PAGES_RECORDS` sets another number). Each 40th call is missed and not handled. An owner's browser on
//! loopback requests the pages in the table of routes, one at a time. Streams, exports and downloads are
//! omitted, and so are pages of kinds of records that the business does not have. The output lists the omitted
//! routes. The limits on the median time are:
//!
//! - 10 ms for a documentation page and for a search in the documentation;
//! - 20 ms for a search for contacts and for a search in all records;
//! - 250 ms for the figures of 24 months.
//!
//! Then bookings in this business are measured, 64 at the same time, alternately with and without 200 open pages that
//! listen for changes.

#![allow(clippy::unwrap_used, reason = "a benchmark ends at the first error")]
#![allow(clippy::print_stdout, reason = "a benchmark prints its results")]

mod support;

use std::collections::BTreeMap;
use std::num::NonZeroU32;
use std::time::{Duration, Instant};

use chrono::{Days, Months, TimeDelta};
use domain::booking::{BookRequest, Party};
use domain::{
    Actor, Address, CallDetails, CallStatus, ContactDetails, ContactId, Direction, InsightPeriod, LinkKind,
    MembershipPatch, MessageDetails, PersonName, Phone, Role, Scopes, Search, ServiceId, Source, StaffId,
    Timestamp,
};
use engine::business::commands::appointments::{Book, BookingContact};
use engine::business::commands::calls::RecordCall;
use engine::business::commands::catalog::{CreateService, CreateStaff};
use engine::business::commands::contacts::CreateContact;
use engine::business::commands::keys::CreateKey;
use engine::business::commands::messages::TakeMessage;
use engine::business::{Answer, Change, ContactFilter, PageRequest, Request};
use engine::people::Invitation;
use engine::{BusinessHandle, Engine};
use http_body_util::{BodyExt, Full};
use hyper::body::Bytes;
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use net::Ports;
use receptionist::config::{AdminToken, RateLimits, Settings};
use receptionist::server::{CONNECTIONS_PER_ADDRESS, TrustedProxies};
use receptionist::service::{self, Service};
use receptionist::telemetry::{LogFormat, LogSettings};
use serde::Serialize;
use tokio::task::JoinSet;

use crate::support::{always_open, text};

/// The number of requests per page. The second longest of 101 times is the 99th percentile.
const ROUNDS: usize = 101;
/// The limit on the median time for serving a documentation page.
const DOCS_TIME_MAX: Duration = Duration::from_millis(10);
/// The limit on the median time of a search.
const SEARCH_TIME_MAX: Duration = Duration::from_millis(20);
/// The limit on the median time of the figures by week or month.
const INSIGHTS_TIME_MAX: Duration = Duration::from_millis(250);
/// The number of concurrent changes while the business is being filled.
const AT_ONCE: usize = 64;
/// The number of open pages.
const OPEN_PAGES: usize = 200;
/// The number of bookings per measurement.
const BOOKED: usize = 5_000;
/// The number of measurements with open pages, and also the number of measurements without open pages.
const TURNS: usize = 5;
/// The number of staff members. Each is booked in every half hour of the day and the night.
const STAFF: usize = 20;

fn id_of(answer: &Answer<impl Serialize>) -> String {
    let shown = serde_json::to_value(&answer.value).unwrap();
    shown["id"].as_str().unwrap().to_owned()
}

async fn done(business: &BusinessHandle, change: impl Change + 'static) -> String {
    id_of(&business.change(Request::by(Actor::Operator), change).await.unwrap())
}

/// Makes `count` changes, several at the same time. Returns the ids of the changed records.
async fn fill<C: Change + 'static>(
    business: &BusinessHandle,
    count: usize,
    change: impl Fn(usize) -> C,
) -> Vec<String> {
    let (mut ids, mut pending) = (Vec::new(), JoinSet::new());
    for number in 0..count {
        let (business, change) = (business.clone(), change(number));
        pending.spawn(async move { done(&business, change).await });
        if pending.len() >= AT_ONCE {
            ids.push(pending.join_next().await.unwrap().unwrap());
        }
    }
    ids.extend(pending.join_all().await);
    ids
}

/// A large business, and the data that the browser needs to request its pages.
struct Salon {
    business: BusinessHandle,
    service: ServiceId,
    staff: Vec<StaffId>,
    contacts: Vec<ContactId>,
    /// The start of the first booked appointment, in milliseconds since 1970.
    first: i64,
    /// An id for each name of a path parameter.
    ids: BTreeMap<&'static str, String>,
    /// A sign-in link of the owner.
    link: String,
}

impl Salon {
    /// Returns the booking with this number. Each number has a time of its own.
    fn booking(&self, number: usize) -> Book {
        let half_hour = i64::try_from(number / STAFF).unwrap();
        Book {
            request: BookRequest {
                service_id: self.service,
                starts_at: Timestamp::from_millis(self.first) + TimeDelta::minutes(30 * half_hour),
                staff_id: Some(self.staff[number % STAFF]),
                source: Source::Api,
                party: Party::TEAM,
                duration: None,
            },
            contact: BookingContact::Known(self.contacts[number % self.contacts.len()]),
        }
    }
}

/// Creates the business with its records.
async fn salon(engine: &Engine, records: usize) -> Salon {
    let business =
        engine.business(engine.create_business(always_open("Salon"), Actor::Operator).await.unwrap().id);
    let service: ServiceId = done(&business, CreateService::lasting(text("Cut"), 30)).await.parse().unwrap();
    let mut staff = Vec::new();
    for number in 0..STAFF {
        let member = CreateStaff::offering(text(&format!("Staff {number}")), vec![service]);
        staff.push(done(&business, member).await.parse::<StaffId>().unwrap());
    }
    let phone = |number: usize| Phone::from_e164(format!("+336{number:08}")).unwrap();
    let contacts = fill(&business, records, |number| CreateContact {
        details: ContactDetails {
            name: Some(text(&format!("Contact {number}"))),
            phone: Some(phone(number)),
            ..ContactDetails::default()
        },
    });
    let contacts: Vec<ContactId> = contacts.await.iter().map(|id| id.parse().unwrap()).collect();
    let now = engine.now();
    let calls = fill(&business, records, |number| {
        let ended = now - TimeDelta::minutes(i64::try_from(number).unwrap());
        RecordCall {
            details: CallDetails {
                status: if number.is_multiple_of(40) { CallStatus::Missed } else { CallStatus::Completed },
                contact_id: Some(contacts[number % contacts.len()]),
                summary: Some(text("They asked when the salon is open.")),
                ..CallDetails::of(Direction::Inbound, ended - TimeDelta::seconds(60), ended)
            },
            contact_name: None,
        }
    });
    let calls = calls.await;
    let tomorrow = now.utc().with_timezone(&chrono_tz::Europe::Paris).date_naive() + Days::new(1);
    let first = tomorrow.and_hms_opt(0, 0, 0).unwrap().and_utc().timestamp_millis();
    let ids = BTreeMap::new();
    let mut salon = Salon { business, service, staff, contacts, first, ids, link: String::new() };
    let appointments = fill(&salon.business, records, |number| salon.booking(number)).await;
    let business = salon.business.clone();
    let messages = fill(&business, 1_000, |_| TakeMessage {
        details: MessageDetails::of(text("Please call me back about Thursday.")),
    });
    let messages = messages.await;
    let key = done(&business, CreateKey { name: text("A key"), scopes: Scopes::all() }).await;
    let invitation = Invitation {
        email: Address::new("owner@example.com").unwrap(),
        name: Some(PersonName::new("Owner".into()).unwrap()),
        locale: None,
        role: Role::Owner,
        staff_id: None,
    };
    let by = || Request::by(Actor::Operator);
    let person = engine.people().invite(&business, by(), invitation).await.unwrap();
    let person = id_of(&person.answer);
    let active = MembershipPatch { active: Some(true), ..MembershipPatch::default() };
    engine.people().patch_member(&business, by(), (person.parse().unwrap(), active, None)).await.unwrap();
    let people = engine.people();
    let link =
        people.make_link(&business, by(), (person.parse().unwrap(), Some(LinkKind::Enter))).await.unwrap();
    let link = people.link_url(&link.token.unwrap()).unwrap();
    salon.link = link[link.find("/dashboard/").unwrap()..].to_owned();
    salon.ids = BTreeMap::from([
        ("{business_id}", business.id().to_string()),
        ("{service_id}", salon.service.to_string()),
        ("{staff_id}", salon.staff[0].to_string()),
        ("{contact_id}", salon.contacts[0].to_string()),
        ("{appointment_id}", appointments[0].clone()),
        ("{call_id}", calls[0].clone()),
        ("{message_id}", messages[0].clone()),
        ("{key_id}", key),
        ("{person_id}", person),
    ]);
    salon
}

struct Browser {
    client: Client<HttpConnector, Full<Bytes>>,
    origin: String,
    cookie: String,
}

impl Browser {
    async fn ask(&self, method: &str, path: &str, body: String) -> (u16, hyper::HeaderMap, Bytes) {
        let request = hyper::Request::builder()
            .method(method)
            .uri(format!("{}{path}", self.origin))
            .header("cookie", &self.cookie)
            .header("sec-fetch-site", "same-origin")
            .header("content-type", "application/x-www-form-urlencoded")
            .body(Full::new(body.into()));
        let answer = self.client.request(request.unwrap()).await.unwrap();
        let (head, body) = answer.into_parts();
        (head.status.as_u16(), head.headers, body.collect().await.unwrap().to_bytes())
    }

    /// Signs the browser in with a link.
    async fn enter(&mut self, link: &str) {
        let (_, _, page) = self.ask("GET", link, String::new()).await;
        let page = String::from_utf8(page.to_vec()).unwrap();
        let (_, id) = page.split_once("name=\"form\" value=\"").unwrap();
        let form = format!("form={}", id.split('"').next().unwrap());
        let (status, headers, _) = self.ask("POST", link, form).await;
        assert_eq!(status, 303, "the link must sign the browser in");
        let session = headers.get_all("set-cookie").iter().map(|cookie| cookie.to_str().unwrap());
        let session = session.filter_map(|cookie| cookie.split(';').next());
        self.cookie = session.collect::<Vec<_>>().join("; ");
    }
}

fn settings(dir: &std::path::Path) -> Settings {
    Settings {
        listen: "127.0.0.1:0".parse().unwrap(),
        admin_listen: "127.0.0.1:0".parse().unwrap(),
        admin_hosts: Vec::new(),
        calendar_hosts: Vec::new(),
        model: None,
        public_url: None,
        data_dir: dir.join("data"),
        admin_token: Some(AdminToken::new("for-operators-only").unwrap()),
        rate_limits: RateLimits { key: NonZeroU32::MAX, person: NonZeroU32::MAX },
        connections_per_address: CONNECTIONS_PER_ADDRESS.try_into().unwrap(),
        business_actors_max: engine::BUSINESS_ACTORS.try_into().unwrap(),
        trusted_proxies: TrustedProxies::default(),
        disk_reserve: store::DiskReserve::Usual,
        upgrades: engine::upgrade::Upgrades::Allowed,
        tls: None,
        admin_tls: None,
        mail: None,
        log: LogSettings::new("off", LogFormat::Text).unwrap(),
    }
}

/// Measures the rate of bookings with and without open pages.
async fn listened(salon: &Salon, browser: &Browser, records: usize) {
    let mut next = records;
    let mut rates = [Vec::new(), Vec::new()];
    for round in 0..2 * TURNS {
        let mut listens = JoinSet::new();
        let is_listened = round % 2;
        for _ in 0..OPEN_PAGES * is_listened {
            let request = hyper::Request::builder()
                .uri(format!("{}/dashboard/b/{}/stream", browser.origin, salon.business.id()))
                .header("cookie", &browser.cookie)
                .body(Full::new(Bytes::new()));
            let mut answer = browser.client.request(request.unwrap()).await.unwrap();
            assert_eq!(answer.status(), 200);
            listens.spawn(async move { while answer.body_mut().frame().await.is_some() {} });
        }
        let (begun, from) = (Instant::now(), next);
        next += BOOKED;
        fill(&salon.business, BOOKED, |number| salon.booking(from + number)).await;
        #[allow(clippy::cast_precision_loss, reason = "the figure is only printed")]
        rates[is_listened].push(BOOKED as f64 / begun.elapsed().as_secs_f64());
        listens.abort_all();
    }
    let [without, with] = rates.map(|mut all| {
        all.sort_by(f64::total_cmp);
        all[TURNS / 2]
    });
    println!(
        "bookings per second, medians of {TURNS} turns: {without:.0} without open pages, {with:.0} with {OPEN_PAGES}; ratio {:.2}",
        with / without
    );
}

/// Measures searches that find many, few or no contacts. A search for contacts ends when it has found 50.
async fn searched(business: &BusinessHandle) {
    for words in ["contact", "contact 99999", "tact", "lefevre", "act 1", "0600099", "99999", "336", "1 2 3"]
    {
        let search = Search::new(words, &[("33".to_owned(), "0".to_owned())]);
        let filter = ContactFilter { search: Some(search.clone()), ..ContactFilter::default() };
        let (mut listed, mut searched, mut count) = (Vec::new(), Vec::new(), 0);
        for _ in 0..ROUNDS {
            let begun = Instant::now();
            let mut page = PageRequest { limit: 50, after: None };
            count = 0;
            while page.limit > 0 {
                let found = business.contacts(&filter, &page).await.unwrap();
                count += found.items.len();
                let Some(after) = found.next else { break };
                page = PageRequest { limit: 50 - count, after: Some(after) };
            }
            listed.push(begun.elapsed());
            let begun = Instant::now();
            business.search(&search).await.unwrap();
            searched.push(begun.elapsed());
        }
        for (name, mut times) in [("contacts", listed), ("search", searched)] {
            let median = print(&mut times, count, &format!("{name}: {words}"));
            assert!(median < SEARCH_TIME_MAX, "the median time of {name} for {words} is {median:?}");
        }
    }
}

/// Measures the insights of 24 months. All appointments start in these months.
async fn figures(business: &BusinessHandle) {
    let first = business.now().utc().date_naive();
    let dates = first..=first + Months::new(24) - Days::new(1);
    for by in InsightPeriod::ALL {
        let (mut times, mut count) = (Vec::new(), 0);
        for _ in 0..ROUNDS {
            let begun = Instant::now();
            let found = business.insights(dates.clone(), *by).await.unwrap();
            times.push(begun.elapsed());
            count = found.periods.iter().map(|period| period.bookings).sum();
        }
        let median = print(&mut times, usize::try_from(count).unwrap(), &format!("insights by {by}"));
        assert!(median < INSIGHTS_TIME_MAX, "the median time of insights by {by} is {median:?}");
    }
}

/// Requests a page, prints its times, and returns the median time.
async fn timed(browser: &Browser, address: &str, name: &str) -> Duration {
    let (mut times, mut bytes) = (Vec::new(), 0);
    for _ in 0..ROUNDS {
        let begun = Instant::now();
        let (status, _, body) = browser.ask("GET", address, String::new()).await;
        times.push(begun.elapsed());
        assert!(matches!(status, 200 | 303), "{address}: {status}");
        bytes = body.len();
    }
    print(&mut times, bytes, name)
}

/// Prints the median, the 99th percentile and the longest of the [`ROUNDS`] times. Returns the median.
fn print(times: &mut [Duration], count: usize, name: &str) -> Duration {
    times.sort();
    let [median, p99, longest] = [ROUNDS / 2, ROUNDS * 99 / 100, ROUNDS - 1].map(|at| times[at]);
    let millis = |time: Duration| time.as_secs_f64() * 1e3;
    println!("{:>9.2} {:>9.2} {:>9.2} {count:>8}  {name}", millis(median), millis(p99), millis(longest));
    median
}

#[tokio::main]
async fn main() {
    let records = std::env::var("PAGES_RECORDS").map_or(100_000, |text| text.parse().unwrap());
    let dir = tempfile::tempdir().unwrap();
    let on_fatal = |error: &_| panic!("the store failed: {error}");
    let service = Service::start(&settings(dir.path()), Ports::system().unwrap(), on_fatal).await.unwrap();
    let salon = salon(service.engine(), records).await;
    let client = Client::builder(TokioExecutor::new()).build_http();
    let mut browser = Browser { client, origin: format!("http://{}", service.public), cookie: String::new() };
    browser.enter(&salon.link).await;
    println!("{records} contacts, appointments and calls; {ROUNDS} times each, one at a time");
    println!("{:>9} {:>9} {:>9} {:>8}  page", "median ms", "p99 ms", "worst ms", "bytes");
    let pages =
        service::pages().into_iter().filter(|(method, _, access)| method == "GET" && access != "anybody");
    let mut left_out = Vec::new();
    for (_, path, _) in pages {
        let address = salon.ids.iter().fold(path.to_owned(), |path, (name, id)| path.replace(name, id));
        let is_file = ["/stream", "/export", "/download"].iter().any(|end| address.ends_with(end));
        if address.contains('{') || is_file {
            left_out.push(path);
            continue;
        }
        timed(&browser, &address, path).await;
    }
    println!("omitted: {}", left_out.join(", "));
    let topics = receptionist::docs::topics().map(|topic| format!("/docs/{}", topic.name));
    for page in
        topics.chain(["/docs", "/docs/reference", "/docs/search?q=webhook+retries"].map(str::to_owned))
    {
        let median = timed(&browser, &page, &page).await;
        assert!(median < DOCS_TIME_MAX, "the median time of {page} is {median:?}");
    }
    searched(&salon.business).await;
    figures(&salon.business).await;
    listened(&salon, &browser, records).await;
    service.stop().await.unwrap();
}
