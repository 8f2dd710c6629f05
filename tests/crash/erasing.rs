//! Kills the process during erasures and deletions of businesses. After the restart, acknowledged erasures
//! are still in effect and the service completes them on its own. After that, no row contains the erased
//! data. `CRASH_ROUNDS` sets the number of rounds. Each round uses its own directory.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

use domain::BusinessId;
use futures_util::StreamExt;
use memchr::memmem;
use serde_json::{Value, json};
use store::keys::{self, installation_kind};
use store::{Order, Store, every_row};

use crate::chance::{Rng, number_of, seed, sleep_for};
use crate::client::{Call, Client, Shop, slot, text};
use crate::imports::{asking, id, lines, printed, program};
use crate::process::Server;
use crate::say::say;

const ROUNDS: usize = 3;
/// Each contact has this number of calls, this number of messages and this number of appointments.
const OF_EACH: usize = 150;
/// The number of appointments of each contact that are booked with an idempotency key, so that the store
/// contains their responses.
const REMEMBERED: usize = 20;
const CLIENTS: usize = 12;
const STAFF: usize = 3;
/// The contacts that are erased.
const ERASED: [(&str, &str); 2] = [("Ermintrude", "+14155550101"), ("Bartholomew", "+14155550102")];
const KEPT: (&str, &str) = ("Somebody", "+14155550999");
/// A word that occurs in every record about an erased contact.
const NAME: &str = "Vanishing";
const SAID: &str = "would rather not say";
/// The time for which the service runs before the test first checks whether the cleanup is complete. Each later run
/// takes twice as long as the previous one. Only the rows show that the cleanup is complete, and the test can read
/// them only while the service is stopped.
const PAUSE: Duration = Duration::from_millis(20);
const PAUSES: u32 = 12;

pub(crate) fn copied(from: &Path, to: &Path) -> PathBuf {
    let _ = std::fs::remove_dir_all(to);
    assert!(Command::new("cp").arg("-a").args([from, to]).status().unwrap().success());
    to.to_owned()
}

pub(crate) fn stop(server: &Server) {
    server.signal("TERM");
    assert_eq!(server.wait().code(), Some(0), "{}", server.errors());
}

/// Opens a copy of the store of a program that was stopped or killed. The original stays unchanged. If this
/// function opened the original, a process that another test starts at the same time could inherit the open files.
/// The original would then stay locked.
fn left_by(data_dir: &Path) -> Store {
    let copy = copied(data_dir, &data_dir.with_extension("left"));
    Store::open_disk(&copy, Box::new(|error| panic!("{error}"))).unwrap()
}

/// Whether the cleanup is complete.
pub(crate) async fn is_finished(data_dir: &Path) -> bool {
    let store = left_by(data_dir);
    let left = |kind| keys::of_kind(BusinessId::INSTALLATION, kind);
    let finished = [installation_kind::ENDING, installation_kind::UNFINISHED]
        .into_iter()
        .all(|kind| store.scan(&left(kind), Order::Ascending).next().is_none());
    store.close().await.unwrap();
    finished
}

/// Stops and restarts the service until the cleanup is complete. Returns how long the service ran.
pub(crate) async fn finish(mut server: Server, data_dir: &Path) -> Duration {
    let (mut ran, mut pause) = (Duration::ZERO, PAUSE);
    for _ in 0..PAUSES {
        sleep_for(pause).await;
        stop(&server);
        ran += pause;
        if is_finished(data_dir).await {
            return ran;
        }
        pause *= 2;
        server = Server::on(data_dir);
    }
    panic!("the cleanup was not complete after {ran:?}");
}

/// Verifies the store of a stopped service. Returns, for each word, how many rows contain it. Each row is
/// read twice, as stored and with its pieces joined, so a row may count twice.
async fn rows_with(data_dir: &Path, words: &[Vec<u8>]) -> Vec<usize> {
    printed(program(data_dir, &["verify", data_dir.to_str().unwrap()]));
    let store = left_by(data_dir);
    let mut counts = vec![0; words.len()];
    let kept = store.rows().scan(&every_row(), Order::Ascending);
    for row in kept.chain(store.scan(&every_row(), Order::Ascending)) {
        let (key, value) = row.unwrap();
        let lower = value.to_ascii_lowercase();
        for (word, count) in words.iter().zip(&mut counts) {
            let found = [&key, &value, &lower].into_iter().any(|bytes| memmem::find(bytes, word).is_some());
            *count += usize::from(found);
        }
    }
    store.close().await.unwrap();
    counts
}

/// Checks the rows for the ids of two deleted businesses. The bytes of each id must be in exactly one row, which
/// belongs to the installation's audit log. `rows_with` reads each row twice, so this row counts as 2. No row may
/// contain an id as text.
async fn check_ended(data_dir: &Path, words: &[Vec<u8>]) {
    assert_eq!(
        rows_with(data_dir, words).await,
        [2, 2, 0, 0],
        "each id must be in one row as bytes (counted twice), and in no row as text"
    );
}

/// Checks that no row of a stopped store contains these words, and that the store is intact.
async fn check_rows(data_dir: &Path, words: &[Vec<u8>]) {
    let counts = rows_with(data_dir, words).await;
    assert!(counts.iter().all(|count| *count == 0), "rows still contain these words: {counts:?}");
}

/// A requested deletion, and whether the service has acknowledged it.
struct Deletion {
    path: String,
    acknowledged: bool,
}

/// Requests all of these deletions at the same time. Kills the process after the duration `after`.
async fn kill_while_deleting(
    server: Server,
    paths: &[String],
    status: u16,
    after: Duration,
) -> Vec<Deletion> {
    let server = Arc::new(server);
    let client = Client::of(&server);
    let mut asked = Vec::new();
    for path in paths.iter().cloned() {
        let client = client.clone();
        asked.push(tokio::spawn(async move {
            let answer = client.ask_operator("DELETE", &path, None).await;
            assert!(answer.as_ref().is_none_or(|answer| answer.status == status), "{path}: {answer:?}");
            Deletion { path, acknowledged: answer.is_some() }
        }));
    }
    sleep_for(after).await;
    server.kill();
    assert_eq!(
        server.wait().code(),
        None,
        "the process must be killed, but it ended by itself: {}",
        server.errors()
    );
    let mut told = Vec::new();
    for asked in asked {
        told.push(asked.await.unwrap());
    }
    told
}

/// Requests all of these deletions and waits until they are complete. Returns how long this took.
async fn delete_all(data_dir: &Path, paths: &[String]) -> Duration {
    let server = Server::on(data_dir);
    let began = Instant::now();
    for path in paths {
        Client::of(&server).operator("DELETE", path, None).await;
    }
    began.elapsed() + finish(server, data_dir).await
}

/// The number of deletions in all rounds, grouped by their progress at the time of the kill.
#[derive(Default)]
struct Met {
    acknowledged: usize,
    unanswered_and_done: usize,
    not_done: usize,
    in_the_midst: usize,
}

/// One round: sends the requests, kills the process, checks the data after the restart, and waits until the
/// cleanup is complete. Requests without an acknowledgement are repeated, so that all data is deleted at the
/// end.
async fn round(
    rng: &mut Rng,
    data_dir: &Path,
    paths: &[String],
    (status, takes): (u16, Duration),
    met: &mut Met,
) {
    let server = Server::on(data_dir);
    let asked = kill_while_deleting(server, paths, status, rng.moment(takes)).await;
    met.in_the_midst += usize::from(!is_finished(data_dir).await);
    for _ in 0..rng.below(3) {
        let again = Server::on(data_dir);
        rng.let_pass(takes / 2).await;
        again.kill();
        again.wait();
    }
    let server = Server::on(data_dir);
    let client = Client::of(&server);
    for Deletion { path, acknowledged } in asked {
        let shown = client.ask_operator("GET", &path, None).await.unwrap().status;
        match (acknowledged, shown) {
            (true, 404) => met.acknowledged += 1,
            (false, 404) => met.unanswered_and_done += 1,
            (false, 200) => {
                met.not_done += 1;
                assert_eq!(client.ask_operator("DELETE", &path, None).await.unwrap().status, status);
            }
            _ => panic!("{path} has the status {shown}, acknowledged: {acknowledged}"),
        }
        assert_eq!(client.ask_operator("GET", &path, None).await.unwrap().status, 404, "{path}");
    }
}

impl Met {
    fn tell(&self, rounds: usize, takes: Duration) {
        let Self { acknowledged, unanswered_and_done, not_done, in_the_midst } = self;
        say(format_args!(
            "{rounds} rounds, killed within {takes:?}: {acknowledged} acknowledged, {unanswered_and_done} carried out \
             without a response, {not_done} not carried out; {in_the_midst} kills during the cleanup"
        ));
    }
}

/// Returns three requests, which create a call, a message and an appointment of a contact. Each request is given as
/// the last part of its path, and its body.
fn recorded(
    shop: &Shop,
    (contact, phone): (&str, &str),
    said: &str,
    number: usize,
) -> [(&'static str, Value); 3] {
    let call = json!({
        "direction": "inbound", "status": "completed", "outcome": "other", "from_number": phone,
        "started_at": "2026-03-01T08:00:00Z", "ended_at": "2026-03-01T08:02:00Z", "contact_id": contact,
        // Every 25th text is long enough to be stored in pieces.
        "summary": said.repeat(if number.is_multiple_of(25) { 400 } else { 1 }),
    });
    let message = json!({ "body": said, "caller_name": said, "caller_phone": phone, "contact_id": contact });
    let appointment = json!({
        "service_id": shop.service, "contact_id": contact, "starts_at": slot(i64::try_from(number * 2).unwrap()),
    });
    [("calls", call), ("messages", message), ("appointments", appointment)]
}

/// A booking for a contact, with an idempotency key.
fn booking(shop: &Shop, (first, phone): (&str, &str), name: &str, (staff, number): (usize, usize)) -> Call {
    let body = json!({
        "service_id": shop.service,
        "staff_id": shop.staff[staff],
        "starts_at": slot(i64::try_from(number * 2).unwrap()),
        "contact": { "name": format!("{first} {name}"), "phone": phone },
    });
    Call { path: "/appointments".into(), body: Some(body), idempotency_key: format!("{first}-{number}") }
}

/// Creates a contact with several appointments, and then changes the contact. Returns the id of the
/// contact.
async fn person(client: &Client, shop: &Shop, who: (&str, &str), name: &str, staff: usize) -> String {
    let mut contact = String::new();
    for number in 0..REMEMBERED {
        let booked = client.call(shop, &booking(shop, who, name, (staff, number))).await.unwrap();
        assert_eq!(booked.status, 201, "{booked:?}");
        contact = booked.text("contact_id");
    }
    let path = format!("/businesses/{}/contacts/{contact}", shop.id);
    let patch =
        json!({ "email": format!("{}@{name}.example", who.0), "name": format!("{} B. {name}", who.0) });
    client.operator("PATCH", &path, Some(patch)).await;
    contact
}

/// Fills a suspended business with pending events, and with the calls, messages and appointments of all
/// contacts. Returns the id and the path of each contact.
async fn filled(client: &Client, shop: &Shop) -> Vec<(String, String)> {
    let mut people = Vec::new();
    for (nth, who) in ERASED.iter().enumerate() {
        people.push((person(client, shop, *who, NAME, nth).await, who.1, SAID));
    }
    people.push((person(client, shop, KEPT, "Staying", 2).await, KEPT.1, "says so"));
    let of = format!("/businesses/{}", shop.id);
    client.operator("PATCH", &of, Some(json!({ "suspended": true }))).await;
    let events =
        ["appointment.booked", "appointment.cancelled", "call.completed", "message.taken", "contact.created"];
    let hook = json!({ "url": "https://93.184.216.34/", "events": events });
    client.operator("POST", &format!("{of}/webhooks"), Some(hook)).await;
    let made = (REMEMBERED..OF_EACH).flat_map(|number| {
        people.iter().flat_map(move |(id, phone, said)| recorded(shop, (id, phone), said, number))
    });
    let calls = made.map(|(list, body)| {
        let path = format!("{of}/{list}");
        async move { client.operator("POST", &path, Some(body)).await }
    });
    futures_util::stream::iter(calls).buffer_unordered(CLIENTS).collect::<Vec<_>>().await;
    people.into_iter().map(|(id, ..)| (id.clone(), format!("{of}/contacts/{id}"))).collect()
}

/// The data that the API shows of a contact who is not erased.
async fn shown_of(client: &Client, shop: &Shop, contact: &str) -> Vec<Value> {
    let of = format!("/businesses/{}", shop.id);
    let mut shown = vec![client.operator("GET", &format!("{of}/contacts/{contact}"), None).await];
    for list in ["calls", "messages", "appointments"] {
        let all = client.operator_list(&format!("{of}/{list}")).await;
        shown.push(json!(all.len()));
        shown.extend(all.into_iter().filter(|record| record["contact_id"] == contact));
    }
    shown
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_erasure_completes_after_a_kill_and_leaves_no_data() {
    let (rounds, seed) = (number_of("CRASH_ROUNDS", ROUNDS), seed());
    say(format_args!("to repeat this run, set CRASH_SEED={seed}"));
    let mut rng = Rng(seed);
    let home = tempfile::tempdir().unwrap();
    let before = home.path().join("before");
    let server = Server::on(&before);
    let client = Client::of(&server);
    let shop = Shop::create(&client, STAFF).await;
    let mut people = filled(&client, &shop).await;
    let kept = people.pop().unwrap().0;
    let shown = shown_of(&client, &shop, &kept).await;
    stop(&server);
    let paths: Vec<_> = people.into_iter().map(|(_, path)| path).collect();
    let mut words = vec![NAME.to_lowercase().into_bytes(), SAID.into()];
    words.extend(ERASED.iter().map(|(_, phone)| phone[1..].into()));
    assert!(rows_with(&before, &words).await.iter().all(|count| *count > 0));

    // Measures the duration of an erasure, so that the kills happen during it.
    let first = copied(&before, &home.path().join("first"));
    let takes = delete_all(&first, &paths).await;
    check_rows(&first, &words).await;
    let mut met = Met::default();
    for _ in 0..rounds {
        let data_dir = copied(&before, &home.path().join("data"));
        round(&mut rng, &data_dir, &paths, (204, takes), &mut met).await;
        let server = Server::on(&data_dir);
        assert_eq!(
            shown_of(&Client::of(&server), &shop, &kept).await,
            shown,
            "the data of the contact who is kept must be unchanged"
        );
        finish(server, &data_dir).await;
        check_rows(&data_dir, &words).await;
        let server = Server::on(&data_dir);
        assert_eq!(
            shown_of(&Client::of(&server), &shop, &kept).await,
            shown,
            "the data of the contact who is kept must be unchanged"
        );
        assert_remembered_is_empty(&Client::of(&server), &shop).await;
        stop(&server);
    }
    met.tell(rounds, takes);
}

/// Repeats a booking of each erased contact. Checks that the response contains the appointment without data of the
/// contact.
async fn assert_remembered_is_empty(client: &Client, shop: &Shop) {
    let of = format!("/businesses/{}", shop.id);
    // The endpoints are deleted, so that no event is sent to their addresses.
    for hook in client.operator_list(&format!("{of}/webhooks")).await {
        let path = format!("{of}/webhooks/{}", text(&hook, "id"));
        client.ask_operator("DELETE", &path, None).await.unwrap();
    }
    client.operator("PATCH", &of, Some(json!({ "suspended": false }))).await;
    for (nth, (first, phone)) in ERASED.into_iter().enumerate() {
        let booked = client.call(shop, &booking(shop, (first, phone), NAME, (nth, 0))).await.unwrap();
        assert!(booked.replayed, "{booked:?}");
        for lost in ["contact_id", "contact_name", "contact_phone"] {
            assert!(booked.body["data"][lost].is_null(), "{lost}: {booked:?}");
        }
    }
}

/// The bytes of an id, as keys and records contain it.
fn uuid_bytes(id: &str) -> Vec<u8> {
    id.parse::<uuid::Uuid>().unwrap().as_bytes().to_vec()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_deletion_of_a_business_completes_after_a_kill_and_leaves_no_rows() {
    let (rounds, seed) = (number_of("CRASH_ROUNDS", ROUNDS), seed());
    say(format_args!("to repeat this run, set CRASH_SEED={seed}"));
    let mut rng = Rng(seed);
    let home = tempfile::tempdir().unwrap();
    let (before, file) = (home.path().join("before"), home.path().join("lines"));
    std::fs::write(&file, lines()).unwrap();
    let ids = [1, 2, 3].map(|number| id(number * 1_000_000));
    let server = Server::on(&before);
    printed(asking(&server, &["import", "--from", file.to_str().unwrap()]));
    let client = Client::of(&server);
    let mut shops = Vec::new();
    for id in &ids {
        let of = format!("/businesses/{id}");
        let key = json!({ "name": "tests", "scopes": ["business:read"] });
        let key = client.operator("POST", &format!("{of}/keys"), Some(key)).await;
        let hook = json!({ "url": "https://93.184.216.34/", "events": ["appointment.booked"] });
        client.operator("POST", &format!("{of}/webhooks"), Some(hook)).await;
        let key = text(&key["data"], "key");
        shops.push(Shop { id: id.clone(), key, service: String::new(), staff: Vec::new() });
    }
    stop(&server);
    let other = shops.pop().unwrap();
    let exported = |data_dir: &Path| {
        let server = Server::on(data_dir);
        let lines = printed(asking(&server, &["export", "--business", &other.id]));
        stop(&server);
        lines
    };
    let kept = exported(&before).split_once('\n').unwrap().1.to_owned();
    let paths: Vec<_> = shops.iter().map(|shop| format!("/businesses/{}", shop.id)).collect();
    let mut words: Vec<_> = shops.iter().map(|shop| uuid_bytes(&shop.id)).collect();
    assert!(rows_with(&before, &words).await.iter().all(|count| *count > 1_000));
    words.extend(shops.iter().map(|shop| shop.id.clone().into_bytes()));

    let first = copied(&before, &home.path().join("first"));
    let takes = delete_all(&first, &paths).await;
    check_ended(&first, &words).await;
    let mut met = Met::default();
    for _ in 0..rounds {
        let data_dir = copied(&before, &home.path().join("data"));
        round(&mut rng, &data_dir, &paths, (202, takes), &mut met).await;
        let server = Server::on(&data_dir);
        let client = Client::of(&server);
        for shop in &shops {
            assert_eq!(client.get(shop, "/business").await.status, 401);
        }
        assert_eq!(client.get(&other, "/business").await.status, 200);
        finish(server, &data_dir).await;
        check_ended(&data_dir, &words).await;
        assert!(
            exported(&data_dir).split_once('\n').unwrap().1 == kept,
            "the other business must be unchanged"
        );
    }
    met.tell(rounds, takes);
}
