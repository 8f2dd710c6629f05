//! Kills the process while contacts are merged. Meanwhile, a client books for the contact that disappears,
//! repeats an earlier booking, and erases a third contact. After the restart, the contacts are merged or both
//! still exist, and no record is lost or listed twice. After an interrupted merge, the service moves the
//! remaining records on its own. `CRASH_ROUNDS` sets the number of rounds. Each round uses its own directory.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt;
use serde_json::{Value, json};

use crate::chance::{Rng, number_of, seed};
use crate::client::{Client, Shop, slot, text};
use crate::erasing::{copied, finish, is_finished, stop};
use crate::imports::{printed, program};
use crate::process::Server;
use crate::say::say;

const ROUNDS: usize = 3;
/// The number of calls of each contact. A contact also has this number of messages and of appointments.
const OF_EACH: usize = 200;
const CLIENTS: usize = 12;
/// The maximum time between the request for a merge and the kill. Each round uses one of these values.
const KILLED_WITHIN_MILLIS: [u64; 3] = [8, 40, 150];
const LISTS: [&str; 3] = ["calls", "messages", "appointments"];

/// Creates two contacts with records. Returns their ids, first the id of the contact that remains after the
/// merge.
async fn filled(client: &Client, of: &str, shop: &Shop) -> [String; 2] {
    let mut ids = Vec::new();
    for name in ["Ada", "Ada Lovelace"] {
        let contact = client.operator("POST", &format!("{of}/contacts"), Some(json!({ "name": name }))).await;
        ids.push(text(&contact["data"], "id"));
    }
    let made =
        (0..OF_EACH).flat_map(|number| ids.iter().enumerate().map(move |(staff, id)| (number, staff, id)));
    let calls = made.flat_map(|(number, staff, id)| {
        let appointment = json!({
            "service_id": shop.service, "staff_id": shop.staff[staff], "contact_id": id,
            "starts_at": slot(i64::try_from(number * 2).unwrap()),
        });
        let call = json!({
            "direction": "inbound", "status": "completed", "outcome": "other", "contact_id": id,
            "started_at": "2026-03-01T08:00:00Z", "ended_at": "2026-03-01T08:02:00Z",
        });
        LISTS.into_iter().zip([call, json!({ "body": "Hello", "contact_id": id }), appointment])
    });
    let calls = calls.map(|(list, body)| async move {
        client.operator("POST", &format!("{of}/{list}"), Some(body)).await;
    });
    futures_util::stream::iter(calls).buffer_unordered(CLIENTS).collect::<Vec<_>>().await;
    ids.try_into().unwrap()
}

/// Lists the records of the contact with the id `asked`, and returns their ids. Checks that each record is listed once,
/// and that its `contact_id` is `shown`.
async fn records(client: &Client, of: &str, asked: &str, shown: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for list in LISTS {
        for record in client.operator_list(&format!("{of}/{list}?contact_id={asked}")).await {
            assert_eq!(text(&record, "contact_id"), shown, "{list}: {record}");
            assert!(found.insert(text(&record, "id")), "{list}: {record} is listed twice");
        }
    }
    found
}

/// A booking for the contact that the merge removes. The booking is made before the merge.
#[derive(Clone)]
struct First {
    body: Value,
    id: String,
}

const FIRST_KEY: &str = "the-first-booking";

impl First {
    /// Repeats the booking. Checks that the response is the stored one, and that it shows one of these
    /// contacts. Returns `None` if there was no response.
    async fn repeat(&self, client: &Client, of: &str, shown: &[&String]) -> Option<()> {
        let again = client.operator_once(&format!("{of}/appointments"), &self.body, FIRST_KEY).await?;
        assert!(again.is_success() && again.replayed && again.text("id") == self.id, "{again:?}");
        assert!(shown.contains(&&again.text("contact_id")), "{again:?}");
        Some(())
    }
}

/// The booking with this number. It starts after the appointments of [`filled`].
fn booking(shop: &Shop, contact: &str, number: usize) -> Value {
    let starts_at = slot(i64::try_from(2 * (OF_EACH + number)).unwrap());
    json!({ "service_id": shop.service, "staff_id": shop.staff[0], "contact_id": contact, "starts_at": starts_at })
}

/// The results of the requests that are sent during a merge.
#[derive(Default)]
struct Beside {
    booked: BTreeSet<String>,
    /// Whether the last request was a booking without a response.
    is_booking_unknown: bool,
    erased: bool,
}

impl Beside {
    /// Sends requests until the process is killed.
    async fn work(client: Client, shop: &Shop, [kept, gone, third]: [String; 3], first: First) -> Self {
        let (of, mut done) = (format!("/businesses/{}", shop.id), Self::default());
        for number in 1.. {
            if first.repeat(&client, &of, &[&kept, &gone]).await.is_none() {
                break;
            }
            let body = booking(shop, &gone, number);
            let key = format!("beside-{number}");
            let Some(answer) = client.operator_once(&format!("{of}/appointments"), &body, &key).await else {
                done.is_booking_unknown = true;
                break;
            };
            assert!(answer.is_success(), "{answer:?}");
            done.booked.insert(answer.text("id"));
            if number == 2 {
                let path = format!("{of}/contacts/{third}");
                let Some(answer) = client.ask_operator("DELETE", &path, None).await else { break };
                assert_eq!(answer.status, 204, "{answer:?}");
                done.erased = true;
            }
        }
        done
    }

    /// Checks that `found` contains the records of `before` and the new bookings, and no other record.
    fn check(&self, found: &BTreeSet<String>, before: &BTreeSet<String>) {
        let known: BTreeSet<_> = before.union(&self.booked).cloned().collect();
        assert!(found.is_superset(&known), "missing: {:?}", known.difference(found));
        let others = found.difference(&known).count();
        assert!(others <= usize::from(self.is_booking_unknown), "{others} records appeared");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_merge_completes_after_a_kill_and_loses_no_record() {
    let (rounds, seed) = (number_of("CRASH_ROUNDS", ROUNDS), seed());
    say(format_args!("to repeat this run, set CRASH_SEED={seed}"));
    let mut rng = Rng(seed);
    let home = tempfile::tempdir().unwrap();
    let before = home.path().join("before");
    let server = Server::on(&before);
    let client = Client::of(&server);
    let shop = Shop::create(&client, 2).await;
    let of = format!("/businesses/{}", shop.id);
    let [kept, gone] = filled(&client, &of, &shop).await;
    let body = booking(&shop, &gone, 0);
    let made = client.operator_once(&format!("{of}/appointments"), &body, FIRST_KEY).await.unwrap();
    let first = First { id: made.text("id"), body };
    let third = client.operator("POST", &format!("{of}/contacts"), Some(json!({ "name": "Grace" }))).await;
    let third = text(&third["data"], "id");
    let theirs = records(&client, &of, &kept, &kept).await;
    let of_gone = records(&client, &of, &gone, &gone).await;
    let of_both: BTreeSet<_> = theirs.union(&of_gone).cloned().collect();
    assert_eq!((theirs.len(), of_both.len()), (3 * OF_EACH, 6 * OF_EACH + 1));
    let shop = Arc::new(shop);
    stop(&server);
    let merge = json!({ "from": gone });
    // The number of kills before the merge, the number while records moved, and the number after the last move.
    let mut kills = [0; 3];
    let (mut booked, mut erased) = (0, 0);
    for round in 0..rounds {
        let data_dir = copied(&before, &home.path().join(format!("round-{round}")));
        let server = Server::on(&data_dir);
        let asking = {
            let (client, path) = (Client::of(&server), format!("{of}/contacts/{kept}/merge"));
            let merge = merge.clone();
            tokio::spawn(async move { client.ask_operator("POST", &path, Some(merge)).await })
        };
        let beside = {
            let (client, shop, first) = (Client::of(&server), Arc::clone(&shop), first.clone());
            let contacts = [&kept, &gone, &third].map(Clone::clone);
            tokio::spawn(async move { Beside::work(client, &shop, contacts, first).await })
        };
        // An early kill interrupts the request to merge. A later kill interrupts the moves of the records, which follow
        // the request.
        let within = KILLED_WITHIN_MILLIS[rng.below(KILLED_WITHIN_MILLIS.len())];
        rng.let_pass(Duration::from_millis(within)).await;
        server.kill();
        server.wait();
        let beside = beside.await.unwrap();
        (booked, erased) = (booked + beside.booked.len(), erased + usize::from(beside.erased));
        let acknowledged = asking.await.unwrap().is_some_and(|answer| answer.status == 200);
        let is_moving = !is_finished(&data_dir).await;
        for _ in 0..rng.below(3) {
            let again = Server::on(&data_dir);
            rng.let_pass(Duration::from_millis(50)).await;
            again.kill();
            again.wait();
        }
        let server = Server::on(&data_dir);
        let client = Client::of(&server);
        let shown = client.operator("GET", &format!("{of}/contacts/{gone}"), None).await;
        let is_merged = text(&shown["data"], "id") == kept;
        assert!(is_merged || !acknowledged, "an acknowledged merge is lost");
        if is_merged {
            kills[if is_moving { 1 } else { 2 }] += 1;
        } else {
            kills[0] += 1;
            beside.check(&records(&client, &of, &gone, &gone).await, &of_gone);
            client.operator("POST", &format!("{of}/contacts/{kept}/merge"), Some(merge.clone())).await;
        }
        let all = records(&client, &of, &kept, &kept).await;
        beside.check(&all, &of_both);
        assert_eq!(records(&client, &of, &gone, &kept).await, all);
        first.repeat(&client, &of, &[&kept]).await.expect("the restarted service must respond");
        let third = client.ask_operator("GET", &format!("{of}/contacts/{third}"), None).await.unwrap();
        assert!(third.status == 404 || !beside.erased, "an acknowledged erasure is lost: {third:?}");
        finish(server, &data_dir).await;
        printed(program(&data_dir, &["verify", data_dir.to_str().unwrap()]));
        let server = Server::on(&data_dir);
        let client = Client::of(&server);
        assert_eq!(records(&client, &of, &gone, &kept).await, all);
        let contacts: Vec<Value> = client.operator_list(&format!("{of}/contacts")).await;
        assert!(contacts.iter().all(|contact| text(contact, "id") != gone));
        stop(&server);
        std::fs::remove_dir_all(&data_dir).unwrap();
    }
    let [before, moving, after] = kills;
    say(format_args!(
        "{rounds} rounds: {before} kills before the merge, {moving} while records moved, {after} afterwards; \
         {booked} bookings and {erased} erasures beside the merges"
    ));
}
