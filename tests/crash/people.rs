//! Kills the process while clients add people to two businesses, create links and remove people. After the
//! restart, every person whose addition was acknowledged still exists, each address belongs to a single person, and the
//! store is intact.

use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use parking_lot::Mutex;
use serde_json::json;

use crate::chance::{Rng, number_of, seed};
use crate::client::{Client, Shop, text};
use crate::process::Server;
use crate::say::say;

const ROUNDS: usize = 4;
const CLIENTS: usize = 8;
/// The number of addresses. It is small, so that clients of both businesses often use the same address at the
/// same time.
const ADDRESSES: usize = 24;
const ANSWERS_MAX: usize = 60;

/// The people and memberships that must exist according to the responses.
#[derive(Default)]
struct Book {
    /// The ids of the people, by email address.
    ids: BTreeMap<String, String>,
    /// The members of each business, according to the responses.
    belong: BTreeSet<(usize, String)>,
    /// The memberships whose state is unknown.
    unknown: BTreeSet<(usize, String)>,
}

async fn work(
    client: Client,
    shops: Arc<Vec<Shop>>,
    book: Arc<Mutex<Book>>,
    mut rng: Rng,
    answered: impl Fn(),
) {
    loop {
        let at = rng.below(shops.len());
        let (shop, email) = (&shops[at], format!("person{}@example.com", rng.below(ADDRESSES)));
        let people = format!("/businesses/{}/people", shop.id);
        let known = book.lock().ids.get(&email).cloned();
        let (method, path, body) = match (rng.below(4), &known) {
            (0, Some(id)) => ("DELETE", format!("{people}/{id}"), None),
            (1, Some(id)) => ("POST", format!("{people}/{id}/link"), Some(json!({ "kind": "enter" }))),
            _ => ("POST", people, Some(json!({ "email": email.to_uppercase(), "role": "member" }))),
        };
        let adds = path.ends_with("/people");
        let removed = known.clone().filter(|_| method == "DELETE");
        // From now on, the test does not know whether this membership exists. Even the response does not show it,
        // because another client may request the opposite change at the same time.
        book.lock().unknown.extend(removed.clone().or(known.filter(|_| adds)).map(|id| (at, id)));
        let Some(answer) = client.ask_operator(method, &path, body).await else { return };
        answered();
        assert!(matches!(answer.status, 200 | 201 | 204 | 404 | 409), "{answer:?}");
        if adds && answer.status == 201 {
            let id = text(&answer.body["data"], "id");
            let mut book = book.lock();
            let before = book.ids.insert(email, id.clone());
            assert!(before.is_none_or(|before| before == id), "two people have the same address");
            book.belong.insert((at, id));
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_acknowledged_person_exists_and_an_address_belongs_to_one_person() {
    let seed = seed();
    say(format_args!("to repeat this run, set CRASH_SEED={seed}"));
    let mut rng = Rng(seed);
    let home = tempfile::tempdir().unwrap();
    let data_dir = home.path().join("data");
    let book: Arc<Mutex<Book>> = Arc::default();
    let mut server = Arc::new(Server::on(&data_dir));
    let mut shops = Vec::new();
    for _ in 0..2 {
        shops.push(Shop::create(&Client::of(&server), 1).await);
    }
    let shops = Arc::new(shops);
    for _ in 0..number_of("CRASH_ROUNDS", ROUNDS) {
        let (left, client) = (Arc::new(AtomicUsize::new(1 + rng.below(ANSWERS_MAX))), Client::of(&server));
        let mut clients = Vec::new();
        for _ in 0..CLIENTS {
            let (server, left) = (Arc::clone(&server), Arc::clone(&left));
            let answered = move || {
                if left.fetch_sub(1, Ordering::SeqCst) == 1 {
                    server.kill();
                }
            };
            let work = work(client.clone(), Arc::clone(&shops), Arc::clone(&book), rng.fork(), answered);
            clients.push(tokio::spawn(work));
        }
        for client in clients {
            client.await.unwrap();
        }
        server.wait();
        server = Arc::new(Server::on(&data_dir));
        let client = Client::of(&server);
        let mut lists = Vec::new();
        for shop in shops.iter() {
            lists.push(client.operator_list(&format!("/businesses/{}/people", shop.id)).await);
        }
        let mut book = book.lock();
        for (at, listed) in lists.into_iter().enumerate() {
            let listed: BTreeMap<_, _> = listed
                .iter()
                .map(|person| (text(person, "id"), text(person, "email").to_lowercase()))
                .collect();
            for (_, id) in book.belong.iter().filter(|(of, _)| *of == at) {
                let asked = book.unknown.contains(&(at, id.clone()));
                assert!(asked || listed.contains_key(id), "{id} was added, but is missing");
            }
            book.belong.retain(|(of, _)| *of != at);
            for (id, email) in listed {
                let known = book.ids.entry(email).or_insert_with(|| id.clone()).clone();
                assert_eq!(known, id, "two people have the same address");
                book.belong.insert((at, id));
            }
        }
        book.unknown.clear();
    }
    assert!(book.lock().ids.len() > 1, "no person was ever added");
    server.kill();
    server.wait();
    let mut verify = Command::new(env!("CARGO_BIN_EXE_receptionist"));
    let verified = verify.env_clear().arg("verify").arg(&data_dir).output().unwrap();
    assert!(verified.status.success(), "{verified:?}");
}
