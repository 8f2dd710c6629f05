//! Kills the process while mails are pending or being sent. No mail is lost. If the kill happens after the relay
//! has accepted a mail and before the outcome is stored, the mail is sent again with the same `Message-ID`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use domain::{About, AlertKind, BusinessId, Mail, MailKind, MailStatus, PersonId, ResourceId, Timestamp};
use serde_json::json;
use store::{Batch, Order, Record, Store, keys};
use uuid::Uuid;

use crate::chance::{Rng, number_of, seed};
use crate::client::{Client, Shop, text};
use crate::process::Server;
use crate::relay::{Relay, command};
use crate::say::say;

const ROUNDS: usize = 4;
/// The number of people. Each person gets one mail in every round.
const PEOPLE: usize = 40;

/// The recipients of the mails, and the record that the mails are about.
struct Told {
    of: BusinessId,
    people: Vec<(PersonId, String)>,
    about: About,
}

/// Writes a pending mail for each person to the store, in the same form as the service. Returns the recipient
/// of each `Message-ID`.
async fn plant(data_dir: &Path, told: &Told, round: usize) -> BTreeMap<String, String> {
    let store = Store::open_disk(data_dir, Box::new(|error| panic!("{error}"))).unwrap();
    let mut ids = BTreeMap::new();
    for (at, (person_id, email)) in told.people.iter().enumerate() {
        // The id of a mail begins with a timestamp. Here it is the timestamp in the id of the appointment.
        let number = u128::try_from(1 + round * PEOPLE + at).unwrap();
        let id = Uuid::from_u128(told.about.id.as_u128() + number);
        let message_id = format!("{}@example.com", id.simple());
        let mail = Mail {
            id: id.into(),
            business_id: Some(told.of),
            person_id: *person_id,
            kind: MailKind::Alert,
            about: vec![told.about],
            more: 0,
            to: None,
            message_id: message_id.clone(),
            status: MailStatus::Pending,
            attempts: 0,
            last_error: None,
            created_at: told.about.at,
            last_attempt_at: None,
            next_attempt_at: Some(told.about.at),
            notice: None,
            before: None,
        };
        let mut batch = Batch::default();
        batch.put(keys::mail(told.of, mail.id), mail.encode());
        batch.put(keys::mail_due(told.of, told.about.at, mail.id), Vec::new());
        store.submit(told.of, batch, Box::new(|| ()));
        ids.insert(message_id, email.clone());
    }
    store.wait_durable(told.of).await.unwrap();
    store.close().await.unwrap();
    ids
}

/// Creates a business with members, and an appointment that the mails are about.
async fn told(server: &Server) -> Told {
    let client = Client::of(server);
    let shop = Shop::create(&client, 1).await;
    let people_path = format!("/businesses/{}/people", shop.id);
    let mut people = Vec::new();
    for number in 0..PEOPLE {
        let email = format!("person{number}@example.com");
        let body = json!({ "email": email, "role": "owner" });
        let id = text(&client.operator("POST", &people_path, Some(body)).await["data"], "id");
        let active = json!({ "status": "active" });
        client.operator("PATCH", &format!("{people_path}/{id}"), Some(active)).await;
        people.push((id.parse().unwrap(), email));
    }
    let booked = client.call(&shop, &shop.booking(0, "2040-03-05T09:00:00Z", 1, "b".into())).await.unwrap();
    let at = Timestamp::parse(&booked.text("created_at")).unwrap();
    let id: domain::AppointmentId = booked.text("id").parse().unwrap();
    let about = About { kind: AlertKind::AppointmentBooked, id: id.uuid(), at };
    Told { of: shop.id.parse().unwrap(), people, about }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_mail_is_lost_and_a_repeated_mail_has_the_same_message_id() {
    let seed = seed();
    say(format_args!("to repeat this run, set CRASH_SEED={seed}"));
    let (mut rng, home) = (Rng(seed), tempfile::tempdir().unwrap());
    let (data_dir, log) = (home.path().join("data"), home.path().join("data.log"));
    let relay = Relay::start().await;
    let server = Server::on(&data_dir);
    let told = told(&server).await;
    server.signal("TERM");
    assert_eq!(server.wait().code(), Some(0), "{}", server.errors());
    let mut expected = BTreeMap::new();
    for round in 0..number_of("CRASH_ROUNDS", ROUNDS) {
        expected.extend(plant(&data_dir, &told, round).await);
        let server = Arc::new(Server::start(command(&data_dir, &relay), &log));
        let after = 1 + rng.below(PEOPLE);
        // If the relay has not responded to a mail, the mail must be sent again. If the relay has responded,
        // the mail may be sent again, because the outcome may not be stored yet.
        let answers = round % 2 == 1;
        relay.kills(after, &server, answers);
        relay.has_killed().await;
        assert_eq!(server.wait().code(), None, "the process ended by itself");
    }
    let ids: BTreeSet<_> = expected.keys().cloned().collect();
    let server = Server::start(command(&data_dir, &relay), &log);
    relay.open();
    relay.has_taken(ids.len()).await;
    server.signal("TERM");
    assert_eq!(server.wait().code(), Some(0), "{}", server.errors());

    let taken = relay.taken();
    for (id, to) in &taken {
        assert_eq!(
            expected.get(id),
            Some(to),
            "the relay got a mail that was not written, or for another recipient"
        );
    }
    let doubles = taken.len() - ids.len();
    say(format_args!("{} mails, {doubles} of them sent again", ids.len()));
    assert!(doubles > 0, "at least one mail without a response must be sent again");
    let store = Store::open_disk(&data_dir, Box::new(|error| panic!("{error}"))).unwrap();
    for row in store.records::<Mail>(&keys::mails(told.of), Order::Ascending) {
        let (_, mail) = row.unwrap();
        assert_eq!((mail.status, mail.next_attempt_at), (MailStatus::Sent, None), "{mail:?}");
    }
    assert_eq!(store.scan(&keys::mails_due(told.of), Order::Ascending).count(), 0);
    store.close().await.unwrap();
    let report = engine::verify::verify(&data_dir).await.unwrap();
    assert!(report.is_whole(), "{:?}", report.findings);
}
