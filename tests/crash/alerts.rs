//! Kills the process during bookings, alerts and mails. After the restart, the dashboard of each person shows
//! exactly one alert for each acknowledged change. Each person gets at least one mail per change. If a mail is sent
//! again, its `Message-ID` is the same. Every alert is about a change that was made.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use domain::{Alert, AlertKind, BusinessId, Mail, MailKind, MailStatus, PersonId};
use parking_lot::Mutex;
use serde_json::json;
use store::{Order, Store, keys};
use uuid::Uuid;

use crate::chance::{Rng, number_of, seed};
use crate::client::{Client, Shop, slot, text};
use crate::process::Server;
use crate::relay::{Relay, command};
use crate::say::say;

const ROUNDS: usize = 4;
/// The number of people who get a mail for each booking.
const PEOPLE: usize = 8;
const CLIENTS: usize = 4;
/// The maximum number of responses before a kill. Each booking sends an immediate mail to each person. These mails must
/// stay below the hourly limit per person, also if each client has one more booking in progress at the kill. A restart
/// of the process resets the limit.
const ANSWERS_MAX: usize = 6;

/// The ids of the acknowledged appointments.
type Booked = Arc<Mutex<BTreeSet<Uuid>>>;

/// Books appointments, one per request, until the service no longer responds. The appointments start 12 hours apart.
async fn book(client: Client, shop: Arc<Shop>, next: Arc<AtomicUsize>, booked: Booked, answered: impl Fn()) {
    loop {
        let number = next.fetch_add(1, Ordering::SeqCst);
        let starts_at = slot(i64::try_from(number * 24).unwrap());
        let call = shop.booking(0, &starts_at, number, Uuid::new_v4().to_string());
        let Some(answer) = client.call(&shop, &call).await else { return };
        assert!(answer.is_success(), "{answer:?}");
        booked.lock().insert(answer.text("id").parse().unwrap());
        answered();
    }
}

/// Adds people to the business. Each gets an immediate mail for each booking.
async fn people(client: &Client, shop: &Shop) -> Vec<(PersonId, String)> {
    let path = format!("/businesses/{}/people", shop.id);
    let mut people = Vec::new();
    for number in 0..PEOPLE {
        let email = format!("person{number}@example.com");
        let body = json!({ "email": email, "role": "owner" });
        let id = text(&client.operator("POST", &path, Some(body)).await["data"], "id");
        client.operator("PATCH", &format!("{path}/{id}"), Some(json!({ "status": "active" }))).await;
        let now = json!({ "appointment_booked": { "email": "now" } });
        client.operator("PATCH", &format!("{path}/{id}/notifications"), Some(now)).await;
        people.push((id.parse().unwrap(), email));
    }
    people
}

/// The mail to each person about each appointment, by person and appointment.
type Mails = BTreeMap<(PersonId, Uuid), Mail>;

/// Reads the mails from the store of a service that was stopped or killed.
async fn mails(data_dir: &Path, of: BusinessId) -> Mails {
    let store = Store::open_disk(data_dir, Box::new(|error| panic!("{error}"))).unwrap();
    let mut mails = Mails::new();
    for row in store.records::<Mail>(&keys::mails(of), Order::Ascending) {
        let (_, mail) = row.unwrap();
        let one = [(AlertKind::AppointmentBooked, MailKind::Alert)];
        let told: Vec<_> = mail.about.iter().map(|about| (about.kind, mail.kind)).collect();
        assert!(told == one && mail.more == 0, "{mail:?}");
        let before = mails.insert((mail.person_id, mail.about[0].id), mail);
        assert!(before.is_none(), "two mails about the same appointment: {before:?}");
    }
    store.close().await.unwrap();
    mails
}

/// Checks that each person has exactly one alert for each of these appointments, and no other alert.
async fn check_alerts(data_dir: &Path, of: BusinessId, people: &[(PersonId, String)], all: &BTreeSet<Uuid>) {
    let store = Store::open_disk(data_dir, Box::new(|error| panic!("{error}"))).unwrap();
    for (person, _) in people {
        let alerts = store.records::<Alert>(&keys::alerts(of, *person), Order::Ascending);
        let alerts: Vec<_> = alerts.map(|row| row.unwrap().1).collect();
        assert_eq!(alerts.iter().map(|alert| alert.about.id).collect::<BTreeSet<_>>(), *all);
        let numbers: Vec<_> = alerts.iter().map(|alert| alert.number).collect();
        assert_eq!(
            numbers,
            (1..=all.len() as u64).collect::<Vec<_>>(),
            "each alert must occur once, and the numbers must have no gaps"
        );
    }
    store.close().await.unwrap();
}

/// Runs clients that book appointments until the process is killed. The process is killed after `answers`
/// responses, unless the relay kills it earlier.
async fn work(
    server: &Arc<Server>,
    shop: &Arc<Shop>,
    next: &Arc<AtomicUsize>,
    booked: &Booked,
    answers: usize,
) {
    let left = Arc::new(AtomicUsize::new(answers));
    let mut clients = Vec::new();
    for _ in 0..CLIENTS {
        let (server, left) = (Arc::clone(server), Arc::clone(&left));
        let client = Client::of(&server);
        let answered = move || {
            if left.fetch_sub(1, Ordering::SeqCst) == 1 {
                server.kill();
            }
        };
        let (shop, next, booked) = (Arc::clone(shop), Arc::clone(next), Arc::clone(booked));
        clients.push(tokio::spawn(book(client, shop, next, booked, answered)));
    }
    for client in clients {
        client.await.unwrap();
    }
    assert_eq!(
        server.wait().code(),
        None,
        "the process must be killed, but it ended by itself: {}",
        server.errors()
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_acknowledged_change_alerts_each_person_once() {
    let seed = seed();
    say(format_args!("to repeat this run, set CRASH_SEED={seed}"));
    let (mut rng, home) = (Rng(seed), tempfile::tempdir().unwrap());
    let (data_dir, log) = (home.path().join("data"), home.path().join("data.log"));
    let relay = Relay::start().await;
    let start = || Arc::new(Server::start(command(&data_dir, &relay), &log));
    relay.open();
    let mut server = start();
    let shop = Arc::new(Shop::create(&Client::of(&server), 1).await);
    let of: BusinessId = shop.id.parse().unwrap();
    let people = people(&Client::of(&server), &shop).await;
    let (next, booked) = (Arc::new(AtomicUsize::new(0)), Booked::default());
    for round in 0..number_of("CRASH_ROUNDS", ROUNDS) {
        if round % 2 == 1 {
            // The process is killed when the relay has accepted a mail, either before or after the relay
            // responds.
            relay.kills(1 + rng.below(2 * PEOPLE), &server, rng.below(2) == 0);
        }
        work(&server, &shop, &next, &booked, 1 + rng.below(ANSWERS_MAX)).await;
        let waiting =
            mails(&data_dir, of).await.into_values().filter(|mail| mail.status == MailStatus::Pending);
        let waiting = waiting.count();
        relay.close();
        server = start();
        if waiting > 1 {
            // The process is killed again while the pending mails are sent.
            relay.kills(1 + rng.below(waiting - 1), &server, rng.below(2) == 0);
            relay.has_killed().await;
            assert_eq!(server.wait().code(), None, "the process ended by itself");
            server = start();
        }
        relay.open();
        let shown = Client::of(&server).appointments(&shop, "").await;
        let all: BTreeSet<Uuid> = shown.iter().map(|one| text(one, "id").parse().unwrap()).collect();
        assert!(all.is_superset(&booked.lock()), "an acknowledged booking is lost");
        // The process is restarted in each round, because a restart resets the hourly limit on immediate
        // mails.
        relay.has_taken(all.len() * PEOPLE).await;
        server.signal("TERM");
        assert_eq!(server.wait().code(), Some(0), "{}", server.errors());
        check_alerts(&data_dir, of, &people, &all).await;
        let mails = mails(&data_dir, of).await;
        let expected = people.iter().flat_map(|(person, _)| all.iter().map(|id| (*person, *id)));
        assert_eq!(mails.keys().copied().collect::<BTreeSet<_>>(), expected.collect());
        check_taken(&relay, &mails, &people);
        server = start();
    }
    let (taken, booked) = (relay.taken(), booked.lock().len());
    let ids = taken.iter().collect::<BTreeSet<_>>().len();
    say(format_args!("{booked} bookings, {ids} mails, {} of them sent again", taken.len() - ids));
    server.signal("TERM");
    assert_eq!(server.wait().code(), Some(0), "{}", server.errors());
    let report = engine::verify::verify(&data_dir).await.unwrap();
    assert!(report.is_whole(), "{:?}", report.findings);
}

/// Checks that every mail was sent to its recipient with its own id, and that no other mail was sent.
fn check_taken(relay: &Relay, mails: &Mails, people: &[(PersonId, String)]) {
    let taken: BTreeSet<_> = relay.taken().into_iter().collect();
    let expected = mails.values().map(|mail| {
        assert_eq!(mail.status, MailStatus::Sent, "{mail:?}");
        let (_, email) = people.iter().find(|(person, _)| *person == mail.person_id).unwrap();
        (mail.message_id.clone(), email.clone())
    });
    assert_eq!(taken, expected.collect(), "a mail is missing, or has another id or recipient");
}
