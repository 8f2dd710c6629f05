//! Kills the process while contacts are merged. After the restart, every merge either took effect or did not,
//! and no record is lost or listed twice. The service itself moves the remaining records. `CRASH_ROUNDS` sets
//! the number of rounds. Each round uses its own directory.

use std::collections::BTreeSet;
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
/// The number of calls of each contact. Each also has as many messages, and as many appointments.
const OF_EACH: usize = 200;
const CLIENTS: usize = 12;
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

/// The ids of the records in the lists of a contact. Checks that each is listed once, with this contact.
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
    let theirs = records(&client, &of, &kept, &kept).await;
    let of_both: BTreeSet<_> = theirs.union(&records(&client, &of, &gone, &gone).await).cloned().collect();
    assert_eq!((theirs.len(), of_both.len()), (3 * OF_EACH, 6 * OF_EACH));
    stop(&server);
    let merge = json!({ "from": gone });
    let (mut merged, mut unmerged, mut moving) = (0, 0, 0);
    for round in 0..rounds {
        let data_dir = copied(&before, &home.path().join(format!("round-{round}")));
        let server = Server::on(&data_dir);
        let asking = {
            let (client, path) = (Client::of(&server), format!("{of}/contacts/{kept}/merge"));
            let merge = merge.clone();
            tokio::spawn(async move { client.ask_operator("POST", &path, Some(merge)).await })
        };
        rng.let_pass(Duration::from_millis(150)).await;
        server.kill();
        server.wait();
        let acknowledged = asking.await.unwrap().is_some_and(|answer| answer.status == 200);
        moving += usize::from(!is_finished(&data_dir).await);
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
            merged += 1;
        } else {
            unmerged += 1;
            assert_eq!(records(&client, &of, &gone, &gone).await.len(), 3 * OF_EACH);
            client.operator("POST", &format!("{of}/contacts/{kept}/merge"), Some(merge.clone())).await;
        }
        for asked in [&kept, &gone] {
            assert_eq!(records(&client, &of, asked, &kept).await, of_both);
        }
        finish(server, &data_dir).await;
        printed(program(&data_dir, &["verify", data_dir.to_str().unwrap()]));
        let server = Server::on(&data_dir);
        let client = Client::of(&server);
        assert_eq!(records(&client, &of, &gone, &kept).await, of_both);
        let contacts: Vec<Value> = client.operator_list(&format!("{of}/contacts")).await;
        assert!(contacts.iter().all(|contact| text(contact, "id") != gone));
        stop(&server);
        std::fs::remove_dir_all(&data_dir).unwrap();
    }
    say(format_args!(
        "{rounds} rounds: {merged} merged, {unmerged} not merged; {moving} kills while records moved"
    ));
}
