//! Kills the process while notices to customers wait and while they are sent. Customers book, move and cancel
//! on the booking pages, the team changes the same appointments, and customers unsubscribe with the links in
//! the mails.
//!
//! Invariants:
//! - After each restart, the log contains exactly one notice for each change to an appointment.
//! - A notice is sent again until the relay responds, always with the same `Message-ID`.
//! - If a mail is sent after a restart, and its appointment was booked before the restart, the mail contains the
//!   current state of the appointment.
//! - The last mail about an appointment contains the final state of the appointment.
//! - A customer who has unsubscribed before a kill gets no mail after the kill.
//! - The link in a mail leads to the appointment of the mail.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::time::Duration;

use domain::{BusinessId, Mail, NoticeKind};
use parking_lot::Mutex;
use serde_json::{Value, json};
use store::{Batch, Order, Record, Store, keys};
use uuid::Uuid;

use crate::chance::{Rng, number_of, seed, sleep_for};
use crate::client::{Client, Shop, slot, text};
use crate::customers::{KILL_DELAY_MAX, Killer, Sent, Unsent, Wants, address, booked, booking, change};
use crate::process::Server;
use crate::relay::{Letter, Relay, command};
use crate::say::say;

const ROUNDS: usize = 4;
const CLIENTS: usize = 6;
/// The maximum number of changes that succeed before a kill. It is smaller than the number of bookings that
/// customers of a business can make per hour.
const ANSWERED_MAX: usize = 60;
/// If the test's relay kills the service, it does so after at most this number of accepted mails.
const MAILS_MAX: usize = 25;
/// The number of possible start times of the appointments of a round. The start times are half an hour apart.
const SLOTS: usize = 200;
const STAFF: usize = 3;
const LOOK_EVERY: Duration = Duration::from_millis(50);

/// The requests of customers.
#[derive(Clone, Default)]
struct Requests {
    /// The names of the customers whose booking was acknowledged.
    booked: BTreeSet<String>,
    /// The email addresses that were unsubscribed. The value is the round in which the request was
    /// acknowledged, or `None` without an acknowledgement.
    stops: BTreeMap<String, Option<usize>>,
}

struct Scene {
    client: Client,
    shop: Arc<Shop>,
    relay: Arc<Relay>,
    requests: Arc<Mutex<Requests>>,
    killer: Killer,
    round: usize,
}

/// The process was killed, so it no longer responds.
struct Killed;

impl Scene {
    /// Sends a form. Returns the manage link of its appointment, or `None` if the form was refused.
    async fn send(
        &self,
        rng: &mut Rng,
        sent: Result<Sent, Unsent>,
    ) -> Result<Option<(String, Wants)>, Killed> {
        let sent = match sent {
            Ok(sent) => sent,
            Err(Unsent::Killed) => return Err(Killed),
            Err(Unsent::Taken) => return Ok(None),
        };
        let page = self.client.page(&address(rng), &sent.path, Some(&sent.form)).await.ok_or(Killed)?;
        // The form is refused if the time is taken, if the appointment has changed or was moved too often, or if
        // the hourly limit is reached.
        assert!(matches!(page.status, 303 | 409 | 422 | 429), "{sent:?}: {page:?}");
        Ok((page.status == 303).then(|| (page.location.unwrap(), sent.wants)))
    }

    /// The id of the appointment to which a link leads.
    async fn appointment(&self, rng: &mut Rng, link: &str) -> Result<String, Killed> {
        linked(&self.client, rng, link).await.ok_or(Killed)
    }

    /// Changes an appointment on behalf of the team. Returns whether the change was carried out.
    async fn by_team(&self, rng: &mut Rng, id: &str, to: &str) -> Result<bool, Killed> {
        let (verb, body) = match rng.below(6) {
            0 => ("cancel", None),
            1 => ("confirm", None),
            2 => ("decline", None),
            _ => ("reschedule", Some(json!({ "starts_at": to }))),
        };
        let path = format!("/businesses/{}/appointments/{id}/{verb}", self.shop.id);
        let answer = self.client.ask_operator("POST", &path, body).await.ok_or(Killed)?;
        assert!(matches!(answer.status, 200 | 409 | 422), "{verb}: {answer:?}");
        Ok(answer.is_success())
    }

    /// Selects a random mail, and unsubscribes its recipient.
    async fn stop(&self, rng: &mut Rng) -> Result<(), Killed> {
        let letters = self.relay.letters();
        if letters.is_empty() {
            return Ok(());
        }
        let letter = &letters[rng.below(letters.len())];
        self.requests.lock().stops.entry(letter.to.clone()).or_default();
        let path = format!("{}/unsubscribe", link(letter));
        let page = self.client.page(&address(rng), &path, Some("what=all")).await.ok_or(Killed)?;
        assert_eq!(page.status, 200, "{letter:?}: {page:?}");
        let mut requests = self.requests.lock();
        requests.stops.get_mut(&letter.to).unwrap().get_or_insert(self.round);
        Ok(())
    }

    async fn be_customers(&self, rng: &mut Rng, number: usize) -> Result<(), Killed> {
        for count in 0.. {
            let name = format!("Customer-{}-{number}-{count}", self.round);
            let mut at = || slot(i64::try_from(self.round * SLOTS + rng.below(SLOTS)).unwrap());
            let (starts_at, to) = (at(), at());
            let sent = booking(&self.client, &self.shop, rng, (&name, &starts_at)).await;
            let Some((link, _)) = self.send(rng, sent).await? else { continue };
            self.requests.lock().booked.insert(name);
            self.killer.answered().await;
            let id = self.appointment(rng, &link).await?;
            // Makes up to three moves: to another time, back to the first time, and to the other time again. A customer
            // sometimes cancels the appointment instead of moving it.
            let (mut now, ends) = (starts_at.clone(), rng.below(4));
            for to in [&to, &starts_at, &to].into_iter().take(ends) {
                if rng.below(2) == 0 {
                    if !self.by_team(rng, &id, to).await? {
                        continue;
                    }
                    now.clone_from(to);
                } else {
                    let to = (rng.below(4) > 0).then(|| to.clone());
                    let sent = change(&self.client, rng, (&link, &now), to).await;
                    let Some((_, wants)) = self.send(rng, sent).await? else { continue };
                    if let Wants::Start(to) = wants {
                        now = to;
                    }
                }
                self.killer.answered().await;
            }
            if rng.below(3) == 0 {
                self.stop(rng).await?;
            }
        }
        unreachable!("customers come until the process is killed")
    }
}

/// The id of the appointment to which a link leads, or `None` without a response.
async fn linked(client: &Client, rng: &mut Rng, link: &str) -> Option<String> {
    let file = client.page(&address(rng), &format!("{link}/appointment.ics"), None).await?;
    assert_eq!(file.status, 200, "{link}: {file:?}");
    Some(between(&file.body, "UID:", "@").to_owned())
}

fn between<'a>(text: &'a str, before: &str, after: &str) -> &'a str {
    let found = text.split_once(before).and_then(|(_, rest)| rest.split_once(after));
    found.unwrap_or_else(|| panic!("{before:?} is missing in {text}")).0
}

/// The path of the manage link in a mail.
fn link(letter: &Letter) -> String {
    let (_, token) = letter.text.split_once("/book/manage/").unwrap_or_else(|| panic!("no link: {letter:?}"));
    format!("/book/manage/{}", &token[..45])
}

/// The status and the start of an appointment, as a calendar file contains them. Each mail states both.
type Stated = (String, String);

fn stated_in(letter: &Letter) -> Stated {
    let value = |name| between(&letter.text, name, "\n").to_owned();
    (value("STATUS:"), value("DTSTART:"))
}

fn stated_by(appointment: &Value) -> Stated {
    let status = match &*text(appointment, "status") {
        "confirmed" => "CONFIRMED",
        "pending" => "TENTATIVE",
        _ => "CANCELLED",
    };
    (status.into(), text(appointment, "starts_at").replace(".000", "").replace(['-', ':'], ""))
}

fn of_round(name: &str) -> usize {
    between(name, "Customer-", "-").parse().unwrap()
}

/// The notices that must exist for the changes in the audit log: their kinds and times, by appointment.
async fn expected(client: &Client, shop: &Shop) -> BTreeMap<String, Vec<(String, String)>> {
    let mut log = client.audit(shop).await;
    log.retain(|entry| entry["resource_type"] == "appointment");
    let (mut status, mut expected) = (BTreeMap::new(), BTreeMap::<_, Vec<_>>::new());
    for entry in log.iter().rev() {
        let id = text(entry, "resource_id");
        let (made, action) = (entry["changes"].as_array().unwrap(), text(entry, "action"));
        let to = made.iter().find(|change| change["field"] == "status").map(|change| text(change, "to"));
        let before: Option<String> = status.get(&id).cloned();
        let after = match &*action {
            "appointment.booked" => "confirmed".to_owned(),
            "appointment.requested" => "pending".to_owned(),
            _ => to.or(before.clone()).unwrap(),
        };
        let kind = match (&*after, before.as_deref()) {
            ("pending", _) => "requested",
            ("confirmed", Some("confirmed")) => "moved",
            (other, _) => other,
        };
        expected.entry(id.clone()).or_default().push((kind.to_owned(), text(entry, "at")));
        status.insert(id, after);
    }
    expected
}

/// The log of notices, oldest first.
async fn logged(client: &Client, shop: &Shop) -> Vec<Value> {
    let mut log = client.operator_list(&format!("/businesses/{}/notices/log", shop.id)).await;
    log.reverse();
    log
}

/// Waits until no notice except reminders has the status `waiting`. Returns the log of notices.
async fn settled(client: &Client, shop: &Shop) -> Vec<Value> {
    loop {
        let log = logged(client, shop).await;
        if log.iter().all(|notice| notice["kind"] == "reminder" || notice["status"] != "waiting") {
            return log;
        }
        sleep_for(LOOK_EVERY).await;
    }
}

/// Makes the notices about changes by the team due immediately, because the test does not wait for the
/// seconds in which the team can undo a change.
async fn hasten(data_dir: &Path, of: BusinessId) {
    let store = Store::open_disk(data_dir, Box::new(|error| panic!("{error}"))).unwrap();
    let mails: Vec<Mail> =
        store.records(&keys::mails(of), Order::Ascending).map(|row| row.unwrap().1).collect();
    for mail in mails {
        let is_reminder = mail.notice.is_some_and(|notice| notice.kind == NoticeKind::Reminder);
        let Some(due) = mail.next_attempt_at.filter(|_| !is_reminder) else { continue };
        let mut batch = Batch::default();
        batch.delete(keys::mail_due(of, due, mail.id));
        batch.put(keys::mail_due(of, mail.created_at, mail.id), Vec::new());
        let hastened = Mail { next_attempt_at: Some(mail.created_at), ..mail };
        batch.put(keys::mail(of, hastened.id), hastened.encode());
        store.submit(of, batch, Box::new(|| ()));
    }
    store.wait_durable(of).await.unwrap();
    store.close().await.unwrap();
}

/// Checks that each acknowledged booking exists, that each change has its notice, and that each confirmed
/// appointment has a reminder.
async fn check_log(client: &Client, shop: &Shop, requests: &Requests) {
    let (log, appointments) = (logged(client, shop).await, booked(client, shop).await);
    for name in &requests.booked {
        assert!(appointments.contains_key(name), "the acknowledged booking of {name} is missing");
    }
    let mut found = BTreeMap::<String, Vec<(String, String)>>::new();
    let mut reminded = BTreeSet::new();
    for notice in &log {
        let id = text(notice, "appointment_id");
        if notice["kind"] != "reminder" {
            found.entry(id).or_default().push((text(notice, "kind"), text(notice, "created_at")));
        } else if notice["status"] == "waiting" {
            reminded.insert(id);
        }
    }
    assert_eq!(found, expected(client, shop).await, "the notices differ from the changes");
    for appointment in appointments.values() {
        let is_reminded = reminded.contains(&text(appointment, "id"));
        assert!(is_reminded || appointment["status"] != "confirmed", "{appointment} has no reminder");
    }
}

/// Checks the mails after all notices are finished. `before` contains the appointments before the last changes.
async fn check_letters(
    (client, shop, rng): (&Client, &Shop, &mut Rng),
    letters: &[Letter],
    stops: &BTreeMap<String, Option<usize>>,
    before: &BTreeMap<String, Value>,
    last_life: usize,
) {
    let after = booked(client, shop).await;
    let names: BTreeMap<String, &String> = after.iter().map(|(name, one)| (text(one, "id"), name)).collect();
    let log = settled(client, shop).await;
    let id_of = |notice: &Value| Uuid::parse_str(&text(notice, "id")).unwrap().simple().to_string();
    let notices: BTreeMap<String, &Value> = log.iter().map(|notice| (id_of(notice), notice)).collect();
    let (mut answered, mut last) = (BTreeSet::new(), BTreeMap::new());
    for letter in letters {
        let id = letter.id.split('@').next().unwrap();
        let notice = notices.get(id).unwrap_or_else(|| panic!("no notice has the id of {letter:?}"));
        let appointment_id = text(notice, "appointment_id");
        let name = names[&appointment_id];
        let subject = match &*text(notice, "kind") {
            "requested" => "Requested",
            "confirmed" => "Booked",
            "moved" => "Moved",
            "cancelled" => "Cancelled",
            "declined" => "Declined",
            other => panic!("{other} was sent: {letter:?}"),
        };
        assert!(letter.text.contains(&format!("Subject: {subject}: Cut, ")), "{notice}: {letter:?}");
        assert_eq!(text(&after[name]["booked_as"], "email"), letter.to, "{letter:?}");
        if letter.life > of_round(name) {
            let then = if letter.life == last_life { &after } else { before };
            assert_eq!(stated_in(letter), stated_by(&then[name]), "{notice} is outdated");
        }
        let is_stopped =
            stops.get(&letter.to).is_some_and(|round| round.is_some_and(|round| letter.life > round));
        assert!(!is_stopped, "the e-mails to this address were stopped: {letter:?}");
        assert_eq!(linked(client, rng, &link(letter)).await.unwrap(), appointment_id, "{letter:?}");
        if letter.answered {
            answered.insert(id.to_owned());
        }
        last.insert(name.clone(), letter);
    }
    for (id, notice) in &notices {
        if notice["kind"] == "reminder" {
            continue;
        }
        let to = &after[names[&text(notice, "appointment_id")]]["booked_as"]["email"];
        match notice["status"].as_str().unwrap() {
            "sent" => assert!(answered.contains(id), "the relay did not respond to {notice}"),
            "dropped" if notice["reason"] == "superseded" => {}
            "dropped" if notice["reason"] == "opted_out" => {
                assert!(stops.contains_key(to.as_str().unwrap()), "{to} did not stop {notice}");
            }
            _ => panic!("{notice} was not sent"),
        }
    }
    for (name, appointment) in &after {
        if stops.contains_key(&text(&appointment["booked_as"], "email")) {
            continue;
        }
        let last = last.get(name).unwrap_or_else(|| panic!("{name} got no mail about {appointment}"));
        assert_eq!(stated_in(last), stated_by(appointment), "{name} does not know of {appointment}");
    }
}

async fn work_until_killed(scene: &Arc<Scene>, rng: &mut Rng) {
    let mut clients = Vec::new();
    for number in 0..CLIENTS {
        let (scene, mut rng) = (Arc::clone(scene), rng.fork());
        clients.push(tokio::spawn(async move { scene.be_customers(&mut rng, number).await }));
    }
    for client in clients {
        assert!(client.await.unwrap().is_err());
    }
    let server = &scene.killer.server;
    assert_eq!(server.wait().code(), None, "the process ended by itself: {}", server.errors());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_change_is_announced_through_kills_until_the_customer_stops_the_mails() {
    let (rounds, seed) = (number_of("CRASH_ROUNDS", ROUNDS), seed());
    say(format_args!("to repeat this run, set CRASH_SEED={seed}"));
    let (mut rng, home) = (Rng(seed), tempfile::tempdir().unwrap());
    let (data_dir, log) = (home.path().join("data"), home.path().join("data.log"));
    let relay = Arc::new(Relay::start().await);
    let start = || {
        let mut command = command(&data_dir, &relay);
        // The service trusts the test as a proxy, so the test can send each request with a different client address.
        // No limit per address is then reached.
        command.env("RECEPTIONIST_TRUSTED_PROXIES", "127.0.0.1");
        Arc::new(Server::start(command, &log))
    };
    let mut server = start();
    let mut client = Client::of(&server);
    let shop = Arc::new(Shop::create(&client, STAFF).await);
    let (of, requests) = (shop.id.parse().unwrap(), Arc::<Mutex<Requests>>::default());
    let page = json!({ "enabled": true, "slug": "shop" });
    client.operator("PATCH", &format!("/businesses/{}/website", shop.id), Some(page)).await;
    for round in 0..rounds {
        let mode = json!({ "booking_mode": if rng.below(2) == 0 { "instant" } else { "request" } });
        client.operator("PATCH", &format!("/businesses/{}", shop.id), Some(mode)).await;
        let mut answers = 1 + rng.below(ANSWERED_MAX);
        match round % 4 {
            0 => {} // all notices wait
            2 => relay.open(),
            kind => {
                relay.kills(1 + rng.below(MAILS_MAX), &server, kind == 3);
                answers = usize::MAX;
            }
        }
        let (left, delay) = (AtomicUsize::new(answers), rng.moment(KILL_DELAY_MAX));
        let scene = Arc::new(Scene {
            client,
            shop: Arc::clone(&shop),
            relay: Arc::clone(&relay),
            requests: Arc::clone(&requests),
            killer: Killer { server, left, delay },
            round,
        });
        work_until_killed(&scene, &mut rng).await;
        relay.close();
        hasten(&data_dir, of).await;
        server = start();
        client = Client::of(&server);
        let made = requests.lock().clone();
        check_log(&client, &shop, &made).await;
    }
    // The team cancels the appointments of the customers who have unsubscribed. These customers must get no mail about
    // the cancellation.
    let (before, requests) = (booked(&client, &shop).await, std::mem::take(&mut *requests.lock()));
    for one in before.values().filter(|one| {
        let is_active = ["pending", "confirmed"].contains(&one["status"].as_str().unwrap());
        is_active && requests.stops.contains_key(&text(&one["booked_as"], "email"))
    }) {
        let path = format!("/businesses/{}/appointments/{}/cancel", shop.id, text(one, "id"));
        client.operator("POST", &path, None).await;
    }
    server.kill();
    assert_eq!(server.wait().code(), None, "the process ended by itself");
    relay.close();
    hasten(&data_dir, of).await;
    let server = start();
    let client = Client::of(&server);
    relay.open();
    settled(&client, &shop).await;
    check_log(&client, &shop, &requests).await;
    let (letters, stops) = (relay.letters(), &requests.stops);
    let last_life = rounds + 1;
    check_letters((&client, &shop, &mut rng), &letters, stops, &before, last_life).await;
    let ids = letters.iter().map(|letter| &letter.id).collect::<BTreeSet<_>>().len();
    say(format_args!(
        "{rounds} rounds, {} customers, {ids} mails, {} of them sent again, {} customers stopped them",
        before.len(),
        letters.len() - ids,
        stops.len()
    ));
    server.signal("TERM");
    assert_eq!(server.wait().code(), Some(0), "{}", server.errors());
    let report = engine::verify::verify(&data_dir).await.unwrap();
    assert!(report.is_whole(), "{:?}", report.findings);
}
