//! Kills the process while customers book, move and cancel on the booking pages. After the restart, each
//! acknowledged change is complete and contains the data that the customer entered, and the manage links
//! still work. Any other change is complete or was not made. A form that is sent again takes effect only
//! once.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use parking_lot::Mutex;
use serde_json::{Value, json};

use crate::chance::{Rng, number_of, seed, sleep_for};
use crate::client::{Client, Shop, check_overlaps, slot, text};
use crate::process::{Server, serve};
use crate::say::say;

const ROUNDS: usize = 4;
const CLIENTS: usize = 8;
/// The maximum number of changes that succeed before a kill. It is smaller than the number of bookings that
/// customers of a business can make per hour.
const ANSWERED_MAX: usize = 60;
/// The number of possible start times of the appointments in a round. The start times are half an hour apart.
const SLOTS: usize = 200;
const STAFF: usize = 3;
pub(crate) const KILL_DELAY_MAX: Duration = Duration::from_millis(10);

/// The change that a form requests.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Wants {
    Start(String),
    Cancelled,
}

/// A form that a customer sent. It can be sent again.
#[derive(Clone, Debug)]
pub(crate) struct Sent {
    pub(crate) path: String,
    pub(crate) form: String,
    pub(crate) wants: Wants,
}

/// The changes that one customer makes, in order. The customer sends each change after the response to the previous
/// one.
#[derive(Default)]
struct Customer {
    acknowledged: Vec<Sent>,
    /// The change to which the service has not responded.
    unknown: Option<Sent>,
}

/// The customers by name. Each customer has a different name.
type Customers = BTreeMap<String, Customer>;

pub(crate) fn command(data_dir: &Path) -> Command {
    let mut command = serve(data_dir);
    // The service trusts the test as a proxy, so the test can send each request with a different client address. No
    // limit per address is then reached.
    command.env("RECEPTIONIST_TRUSTED_PROXIES", "127.0.0.1");
    command
}

pub(crate) fn address(rng: &mut Rng) -> String {
    format!("10.{}.{}.{}", rng.below(256), rng.below(256), rng.below(256))
}

/// The reason why a customer sends no form.
pub(crate) enum Unsent {
    Killed,
    /// The page shows no form, because the time is taken.
    Taken,
}

/// Requests a page and returns the id of its form.
async fn form_id(client: &Client, rng: &mut Rng, path: &str) -> Result<String, Unsent> {
    let page = client.page(&address(rng), path, None).await.ok_or(Unsent::Killed)?;
    assert_eq!(page.status, 200, "{page:?}");
    let (_, rest) = page.body.split_once("name=\"form_id\" value=\"").ok_or(Unsent::Taken)?;
    Ok(rest.split_once('"').unwrap().0.to_owned())
}

pub(crate) async fn booking(
    client: &Client,
    shop: &Shop,
    rng: &mut Rng,
    (name, starts_at): (&str, &str),
) -> Result<Sent, Unsent> {
    let (service, date) = (&shop.service, &starts_at[..10]);
    let path = format!("/book/shop?service={service}&date={date}&time={starts_at}");
    let id = form_id(client, rng, &path).await?;
    let phone = 4_155_550_000 + u64::try_from(rng.below(10_000)).unwrap();
    let form = format!(
        "service_id={service}&starts_at={starts_at}&name={name}&phone=%2B1{phone}&email={name}%40example.com\
         &note=Note+of+{name}&form_id={id}&leave_empty="
    );
    Ok(Sent { path: "/book/shop".into(), form, wants: Wants::Start(starts_at.to_owned()) })
}

/// Makes a form that moves or cancels the appointment of this manage link.
pub(crate) async fn change(
    client: &Client,
    rng: &mut Rng,
    (link, from): (&str, &str),
    to: Option<String>,
) -> Result<Sent, Unsent> {
    let id = form_id(client, rng, link).await?;
    let form = format!("expected_starts_at={from}&form_id={id}");
    Ok(match to {
        Some(to) => {
            let form = format!("starts_at={to}&{form}");
            Sent { path: format!("{link}/move"), form, wants: Wants::Start(to) }
        }
        None => Sent { path: format!("{link}/cancel"), form, wants: Wants::Cancelled },
    })
}

/// Kills the process after `left` more changes have succeeded, and after the pause `delay`.
pub(crate) struct Killer {
    pub(crate) server: Arc<Server>,
    pub(crate) left: AtomicUsize,
    pub(crate) delay: Duration,
}

impl Killer {
    pub(crate) async fn answered(&self) {
        if self.left.fetch_sub(1, Ordering::SeqCst) == 1 {
            // During this pause, the other customers send requests, so the kill interrupts some requests.
            sleep_for(self.delay).await;
            self.server.kill();
        }
    }
}

/// Simulates one customer after another until the process is killed.
async fn be_customers(
    (client, shop): (&Client, &Shop),
    customers: &Mutex<Customers>,
    rng: &mut Rng,
    (round, number): (usize, usize),
    killer: &Killer,
) {
    for count in 0.. {
        let name = format!("Customer-{round}-{number}-{count}");
        let mut now: Option<(String, String)> = None; // the link and the start of the appointment
        for _ in 0..=rng.below(3) {
            let starts_at = slot(i64::try_from(round * SLOTS + rng.below(SLOTS)).unwrap());
            let sent = match &now {
                None => booking(client, shop, rng, (&name, &starts_at)).await,
                Some((link, from)) => {
                    let to = (rng.below(3) > 0).then_some(starts_at);
                    change(client, rng, (link, from), to).await
                }
            };
            let sent = match sent {
                Ok(sent) => sent,
                Err(Unsent::Killed) => return,
                Err(Unsent::Taken) => break,
            };
            let page = client.page(&address(rng), &sent.path, Some(&sent.form)).await;
            let Some(page) = page else {
                customers.lock().entry(name).or_default().unknown = Some(sent);
                return;
            };
            if page.status != 303 {
                assert_eq!(page.status, 409, "{sent:?}: {page:?}");
                break;
            }
            let (link, wants) = (page.location.unwrap(), sent.wants.clone());
            customers.lock().entry(name.clone()).or_default().acknowledged.push(sent);
            killer.answered().await;
            match wants {
                Wants::Start(starts_at) => now = Some((link, starts_at)),
                Wants::Cancelled => break,
            }
        }
    }
}

async fn work_until_killed(
    server: &Arc<Server>,
    shop: &Arc<Shop>,
    customers: &Arc<Mutex<Customers>>,
    rng: &mut Rng,
    round: usize,
) {
    let (left, delay) = (AtomicUsize::new(1 + rng.below(ANSWERED_MAX)), rng.moment(KILL_DELAY_MAX));
    let killer = Arc::new(Killer { server: Arc::clone(server), left, delay });
    let mut clients = Vec::new();
    for number in 0..CLIENTS {
        let (shop, customers, killer) = (Arc::clone(shop), Arc::clone(customers), Arc::clone(&killer));
        let (client, mut rng) = (Client::of(server), rng.fork());
        clients.push(tokio::spawn(async move {
            be_customers((&client, &shop), &customers, &mut rng, (round, number), &killer).await;
        }));
    }
    for client in clients {
        client.await.unwrap();
    }
    assert_eq!(server.wait().code(), None, "the process ended by itself: {}", server.errors());
}

/// The appointments. The key of each is the name that the customer entered.
pub(crate) async fn booked(client: &Client, shop: &Shop) -> BTreeMap<String, Value> {
    let all = client.operator_list(&format!("/businesses/{}/appointments", shop.id)).await;
    check_overlaps(&all);
    let mut by_name = BTreeMap::new();
    for one in all {
        let name = text(&one["booked_as"], "name");
        assert_eq!(text(&one, "customer_note"), format!("Note of {name}"), "{one}");
        let other = by_name.insert(name, one);
        assert!(other.is_none(), "a form has booked twice: {other:?}");
    }
    by_name
}

/// Whether the appointment has the start or status that the form requested.
fn is_as(appointment: &Value, wants: &Wants) -> bool {
    match wants {
        Wants::Start(starts_at) => {
            let shown = text(appointment, "starts_at").replace(".000Z", "Z");
            appointment["status"] == "confirmed" && shown == *starts_at
        }
        Wants::Cancelled => appointment["status"] == "cancelled",
    }
}

/// Compares the appointments in the service with the responses. Then sends the forms again.
async fn check(client: &Client, shop: &Shop, customers: &mut Customers, rng: &mut Rng) {
    let before = booked(client, shop).await;
    for (name, Customer { acknowledged, unknown }) in &*customers {
        let last = acknowledged.last().map(|sent| &sent.wants);
        let other = unknown.as_ref().map(|sent| &sent.wants);
        match before.get(name) {
            Some(one) => {
                let is_one = [last, other].into_iter().flatten().any(|wants| is_as(one, wants));
                assert!(is_one, "{one} is neither as {last:?} nor as {other:?}");
            }
            None => assert_eq!(last, None, "the acknowledged booking of {name} is missing"),
        }
    }
    for Customer { acknowledged, unknown } in customers.values_mut() {
        if let Some(sent) = unknown.take() {
            let page = client.page(&address(rng), &sent.path, Some(&sent.form)).await.unwrap();
            assert!(matches!(page.status, 303 | 409), "{sent:?}: {page:?}");
            if page.status == 303 {
                acknowledged.push(sent);
            }
        }
        for sent in acknowledged.iter() {
            let page = client.page(&address(rng), &sent.path, Some(&sent.form)).await.unwrap();
            assert_eq!(page.status, 303, "{sent:?}: {page:?}");
            let link = page.location.unwrap();
            let shown = client.page(&address(rng), &link, None).await.unwrap();
            assert_eq!(shown.status, 200, "{sent:?}: {shown:?}");
        }
    }
    let after = booked(client, shop).await;
    for (name, Customer { acknowledged, .. }) in &*customers {
        match acknowledged.last() {
            Some(sent) => assert!(is_as(&after[name], &sent.wants), "{} is not as {sent:?}", after[name]),
            None => assert!(!after.contains_key(name), "a refused form was carried out: {}", after[name]),
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_acknowledged_form_of_a_customer_survives_a_kill() {
    let (rounds, seed) = (number_of("CRASH_ROUNDS", ROUNDS), seed());
    say(format_args!("to repeat this run, set CRASH_SEED={seed}"));
    let (mut rng, home) = (Rng(seed), tempfile::tempdir().unwrap());
    let (data_dir, log) = (home.path().join("data"), home.path().join("data.log"));
    let mut server = Arc::new(Server::start(command(&data_dir), &log));
    let client = Client::of(&server);
    let shop = Arc::new(Shop::create(&client, STAFF).await);
    let page = json!({ "enabled": true, "slug": "shop" });
    client.operator("PATCH", &format!("/businesses/{}/website", shop.id), Some(page)).await;
    let mut all = 0;
    for round in 0..rounds {
        let customers = Arc::<Mutex<Customers>>::default();
        work_until_killed(&server, &shop, &customers, &mut rng, round).await;
        server = Arc::new(Server::start(command(&data_dir), &log));
        let mut customers = std::mem::take(&mut *customers.lock());
        check(&Client::of(&server), &shop, &mut customers, &mut rng).await;
        all += customers.len();
    }
    say(format_args!("{rounds} rounds, {all} customers"));
    server.signal("TERM");
    assert_eq!(server.wait().code(), Some(0), "{}", server.errors());
    let report = engine::verify::verify(&data_dir).await.unwrap();
    assert!(report.is_whole(), "{:?}", report.findings);
}
