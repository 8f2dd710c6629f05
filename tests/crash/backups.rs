//! Tests of backups of the running program: their content, their restore, and their files after a kill.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Instant;

use serde_json::{Value, json};

use crate::chance::{Rng, number_of, seed};
use crate::client::{Client, Shop, slot, text};
use crate::process::{Server, TOKEN, refused, serve};
use crate::say::say;

/// The number of backups under load. `ROUNDS` is the number of kills during a backup.
const BACKUPS: usize = 3;
const ROUNDS: usize = 5;
const CLIENTS: usize = 8;
const STAFF: usize = 4;

/// Runs the program with these arguments until it ends.
pub(crate) fn receptionist(args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_receptionist"));
    command.env_clear().args(args).output().unwrap()
}

pub(crate) fn path(path: &Path) -> &str {
    path.to_str().unwrap()
}

pub(crate) fn lines(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

/// Makes a backup and waits until it is complete.
pub(crate) fn back_up(server: &Server, to: &Path) -> Output {
    let listen = server.admin.trim_start_matches("http://").trim_end_matches("/admin/v1");
    receptionist(&["backup", "--to", path(to), "--admin-listen", listen, "--admin-token", TOKEN])
}

fn check_whole(dir: &Path) {
    let verified = receptionist(&["verify", path(dir)]);
    assert!(verified.status.success(), "{}", lines(&verified));
    assert!(lines(&verified).contains(": no damage"), "{}", lines(&verified));
}

/// Checks that the command fails with a single line that contains these words.
fn check_fails(args: &[&str], words: &str) {
    let failed = receptionist(args);
    assert_eq!(failed.status.code(), Some(1), "{args:?}: {}", lines(&failed));
    let said = lines(&failed);
    assert!(said.contains(words) && said.lines().count() == 1, "{args:?}: {said}");
}

/// A server whose store contains `appointments` appointments.
pub(crate) async fn filled(data_dir: &Path, appointments: usize) -> (Server, Client, Arc<Shop>) {
    let server = Server::on(data_dir);
    let client = Client::of(&server);
    let shop = Arc::new(Shop::create(&client, STAFF).await);
    let mut tasks = Vec::new();
    for at in 0..CLIENTS {
        let (client, shop) = (client.clone(), Arc::clone(&shop));
        tasks.push(tokio::spawn(async move {
            for number in (at..appointments).step_by(CLIENTS) {
                let start = slot(2 * i64::try_from(number / STAFF).unwrap());
                let call = shop.booking(number % STAFF, &start, number % 500, format!("booking-{number}"));
                assert_eq!(client.call(&shop, &call).await.unwrap().status, 201);
            }
        }));
    }
    for task in tasks {
        task.await.unwrap();
    }
    (server, client, shop)
}

/// The entries of the audit log, oldest first.
async fn log(client: &Client, shop: &Shop) -> Vec<Value> {
    let mut log = client.audit(shop).await;
    log.reverse();
    log
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn backups_under_load_contain_exactly_the_changes_before_a_point_in_time() {
    let home = tempfile::tempdir().unwrap();
    let (server, client, shop) = filled(&home.path().join("data"), 600).await;
    let (stop, next) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicUsize::new(600)));
    let booked = Arc::new(parking_lot::Mutex::new(BTreeSet::new()));
    let mut clients = Vec::new();
    for _ in 0..number_of("BACKUP_CLIENTS", CLIENTS) {
        let (client, shop, stop) = (client.clone(), Arc::clone(&shop), Arc::clone(&stop));
        let (next, booked) = (Arc::clone(&next), Arc::clone(&booked));
        clients.push(tokio::spawn(async move {
            while !stop.load(Ordering::SeqCst) {
                let number = next.fetch_add(1, Ordering::SeqCst);
                let start = slot(2 * i64::try_from(number / STAFF % 8_000).unwrap());
                let call = shop.booking(number % STAFF, &start, number % 500, format!("booking-{number}"));
                let answer = client.call(&shop, &call).await.unwrap();
                if answer.is_success() {
                    booked.lock().insert(answer.text("id"));
                    if number % 3 == 0 {
                        let cancel = crate::client::Call {
                            path: format!("/appointments/{}/cancel", answer.text("id")),
                            body: None,
                            idempotency_key: format!("cancel-{number}"),
                        };
                        assert!(client.call(&shop, &cancel).await.unwrap().is_success());
                    }
                }
            }
        }));
    }
    let mut made = Vec::new();
    for number in 0..number_of("BACKUPS", BACKUPS) {
        let to = home.path().join(format!("backup-{number}"));
        let before = booked.lock().clone();
        let (server, dir) = (&server, to.clone());
        let output = tokio::task::block_in_place(|| back_up(server, &dir));
        assert!(output.status.success(), "{}", lines(&output));
        let next_booking = next.load(Ordering::SeqCst);
        made.push((to, before, next_booking));
    }
    stop.store(true, Ordering::SeqCst);
    for client in clients {
        client.await.unwrap();
    }
    let whole = log(&client, &shop).await;
    assert!(made[0].2 > 600, "too few bookings were made during the backups");
    server.signal("TERM");
    assert_eq!(server.wait().code(), Some(0), "{}", server.errors());
    let list = home.path().join("data/tombstones");
    for (number, (from, before, _)) in made.iter().enumerate() {
        check_whole(from);
        let to = home.path().join(format!("restored-{number}"));
        let output =
            receptionist(&["restore", "--from", path(from), "--to", path(&to), "--after", path(&list)]);
        assert!(output.status.success(), "{}", lines(&output));
        check_whole(&to);
        let server = Server::on(&to);
        let client = Client::of(&server);
        // The backup contains the state at one point in time: every change up to some entry of the audit
        // log, and no later change.
        let restored = log(&client, &shop).await;
        assert!(
            restored.len() <= whole.len() && restored == whole[..restored.len()],
            "backup {number} is not the state at one point in time: {} of {} entries",
            restored.len(),
            whole.len()
        );
        let mut newest: BTreeMap<String, String> = BTreeMap::new();
        for entry in restored.iter().filter(|entry| entry["resource_type"] == "appointment") {
            newest.insert(text(entry, "resource_id"), text(entry, "at"));
        }
        let there = client.appointments(&shop, "").await;
        let there: BTreeMap<_, _> = there.iter().map(|a| (text(a, "id"), text(a, "updated_at"))).collect();
        assert_eq!(there, newest, "backup {number}");
        let lost: Vec<_> = before.iter().filter(|id| !there.contains_key(*id)).collect();
        assert!(
            lost.is_empty(),
            "backup {number} lacks bookings that were acknowledged before it began: {lost:?}"
        );
        drop(server);
        fs::remove_dir_all(to).unwrap();
    }
}

#[tokio::test]
async fn a_restore_keeps_later_revocations_and_without_the_list_revokes_every_key() {
    let home = tempfile::tempdir().unwrap();
    let data_dir = home.path().join("data");
    let (server, client, shop) = filled(&data_dir, 20).await;
    let keys = format!("/businesses/{}/keys", shop.id);
    let new = json!({ "name": "stays", "scopes": ["business:read"] });
    let stays = text(&client.operator("POST", &keys, Some(new)).await["data"], "key");
    let backup = home.path().join("backup");
    assert!(back_up(&server, &backup).status.success());
    let all = client.operator_list(&keys).await;
    let revoked = all.iter().find(|key| key["name"] == "tests").unwrap();
    client.operator("DELETE", &format!("{keys}/{}", text(revoked, "id")), None).await;
    let list = data_dir.join("tombstones");
    assert_eq!(fs::read_to_string(&list).unwrap(), format!("revoked-key {}\n", text(revoked, "id")));
    drop(server);

    let lets_in = async |server: &Server, key: &str| {
        let shop = Shop { id: shop.id.clone(), key: key.into(), service: String::new(), staff: Vec::new() };
        Client::of(server).get(&shop, "/me").await.status
    };
    let to = home.path().join("with-list");
    let output =
        receptionist(&["restore", "--from", path(&backup), "--to", path(&to), "--after", path(&data_dir)]);
    assert!(
        lines(&output)
            .contains("1 API key that was revoked since the backup is revoked again; 1 still valid"),
        "{output:?}"
    );
    check_whole(&to);
    let server = Server::on(&to);
    assert_eq!((lets_in(&server, &shop.key).await, lets_in(&server, &stays).await), (401, 200));
    // The restored store can be backed up. Its list of tombstones contains the revoked key.
    assert!(back_up(&server, &home.path().join("again")).status.success());
    assert!(fs::read_to_string(to.join("tombstones")).unwrap().contains(&text(revoked, "id")));
    drop(server);

    let to = home.path().join("without");
    let output = receptionist(&["restore", "--from", path(&backup), "--to", path(&to)]);
    assert!(lines(&output).contains("so all 2 API keys are revoked"), "{output:?}");
    check_whole(&to);
    let server = Server::on(&to);
    assert_eq!((lets_in(&server, &shop.key).await, lets_in(&server, &stays).await), (401, 401));
    let client = Client::of(&server);
    let new = json!({ "name": "new", "scopes": ["business:read"] });
    let new = text(&client.operator("POST", &keys, Some(new)).await["data"], "key");
    assert_eq!(lets_in(&server, &new).await, 200);
    let budget = client.operator("GET", &format!("/businesses/{}/budget", shop.id), None).await;
    assert_eq!(budget["data"]["keys"]["rows"], 1);
}

#[tokio::test]
async fn a_restore_repeats_later_erasures_and_deletions_if_it_has_the_list() {
    let home = tempfile::tempdir().unwrap();
    let data_dir = home.path().join("data");
    let (server, client, shop) = filled(&data_dir, 20).await;
    let ended = Shop::create(&client, 1).await;
    let contacts = format!("/businesses/{}/contacts", shop.id);
    let erased = text(&client.operator_list(&contacts).await[0], "id");
    let contact = format!("{contacts}/{erased}");
    let bookings = format!("/businesses/{}/appointments?contact_id={erased}", shop.id);
    let booked = text(&client.operator("GET", &bookings, None).await["data"][0], "id");
    let appointment = format!("/businesses/{}/appointments/{booked}", shop.id);
    let backup = home.path().join("backup");
    assert!(back_up(&server, &backup).status.success());
    let done = client.ask_operator("DELETE", &contact, None).await.unwrap();
    assert_eq!(done.status, 204);
    let done = client.ask_operator("DELETE", &format!("/businesses/{}", ended.id), None).await.unwrap();
    assert_eq!(done.status, 202);
    drop(server);

    let status =
        async |client: &Client, path: &str| client.ask_operator("GET", path, None).await.unwrap().status;
    for (name, list, told, statuses) in [
        (
            "with-list",
            Some(&data_dir),
            "1 contact and 1 business that were erased or deleted since the backup are removed again",
            (404, 404),
        ),
        ("without", None, "contacts erased, people removed and businesses deleted since", (200, 200)),
    ] {
        let to = home.path().join(name);
        let after = list.map_or_else(Vec::new, |list| vec!["--after", path(list)]);
        let output =
            receptionist(&[&["restore", "--from", path(&backup), "--to", path(&to)], &after[..]].concat());
        assert!(output.status.success() && lines(&output).contains(told), "{}", lines(&output));
        check_whole(&to);
        let server = Server::on(&to);
        let client = Client::of(&server);
        let there =
            (status(&client, &contact).await, status(&client, &format!("/businesses/{}", ended.id)).await);
        assert_eq!(there, statuses, "{name}");
        let shown = client.operator("GET", &appointment, None).await;
        assert_eq!(shown["data"]["contact_name"].is_null(), list.is_some(), "{shown}");
        server.signal("TERM");
        assert_eq!(server.wait().code(), Some(0), "{}", server.errors());
        check_whole(&to);
    }
}

#[tokio::test]
async fn a_damaged_backup_is_detected_and_not_restored() {
    let home = tempfile::tempdir().unwrap();
    let (server, _, _) = filled(&home.path().join("data"), 50).await;
    let backup = home.path().join("backup");
    assert!(back_up(&server, &backup).status.success());
    drop(server);
    let (rows, manifest) =
        (fs::read(backup.join("rows")).unwrap(), fs::read(backup.join("manifest.json")).unwrap());
    let mut rng = Rng(seed());
    for round in 0..10 {
        let (mut rows, mut manifest) = (rows.clone(), manifest.clone());
        match round {
            0 => rows.truncate(rows.len() - 1),
            1 => rows.push(0),
            2..6 => {
                let at = rng.below(rows.len());
                rows[at] ^= 1;
            }
            _ => {
                // Only a digit is changed, so the file is still valid JSON.
                let digits: Vec<_> =
                    (0..manifest.len()).filter(|at| manifest[*at].is_ascii_digit()).collect();
                let at = digits[rng.below(digits.len())];
                manifest[at] = if manifest[at] == b'9' { b'1' } else { manifest[at] + 1 };
            }
        }
        fs::write(backup.join("rows"), rows).unwrap();
        fs::write(backup.join("manifest.json"), manifest).unwrap();
        let verified = receptionist(&["verify", path(&backup)]);
        assert_eq!(verified.status.code(), Some(1), "{round}: {}", lines(&verified));
        assert!(lines(&verified).contains("damaged"), "{round}: {}", lines(&verified));
        let to = home.path().join(format!("restored-{round}"));
        check_fails(&["restore", "--from", path(&backup), "--to", path(&to)], "damaged");
        if to.exists() {
            assert!(refused(serve(&to)).line.contains("is not finished"));
        }
    }
}

#[tokio::test]
async fn a_killed_backup_is_invalid_and_the_store_opens() {
    let seed = seed();
    say(format_args!("to repeat this run, set CRASH_SEED={seed}"));
    let mut rng = Rng(seed);
    let home = tempfile::tempdir().unwrap();
    let data_dir = home.path().join("data");
    let (mut server, _, shop) = filled(&data_dir, 1_500).await;
    let started = Instant::now();
    assert!(back_up(&server, &home.path().join("measured")).status.success());
    // The backup command spends most of its time waiting between two polls. The backup itself takes less time, so
    // the kills happen within a quarter of the measured time.
    let takes = started.elapsed() / 4;
    let mut cut_short = 0;
    for round in 0..number_of("CRASH_ROUNDS", ROUNDS) {
        let (client, to) = (Client::of(&server), home.path().join(format!("backup-{round}")));
        let begun = client.operator("POST", "/backup", Some(json!({ "to": path(&to) }))).await;
        let id = text(&begun["data"], "id");
        client.operator("GET", &format!("/backup/{id}"), None).await;
        rng.let_pass(takes).await;
        server.kill();
        server.wait();
        let restored = home.path().join("restored");
        if to.join("manifest.json").exists() {
            check_whole(&to);
        } else {
            cut_short += 1;
            check_fails(&["verify", path(&to)], "is no backup: it has no manifest.json");
            check_fails(&["restore", "--from", path(&to), "--to", path(&restored)], "is no backup");
            assert!(!restored.exists());
        }
        server = Server::on(&data_dir);
        assert_eq!(Client::of(&server).appointments(&shop, "").await.len(), 1_500);
        let gone = Client::of(&server).ask_operator("GET", &format!("/backup/{id}"), None).await.unwrap();
        assert_eq!(gone.status, 404);
    }
    say(format_args!("{cut_short} backups were interrupted"));
}

#[tokio::test]
async fn a_killed_restore_leaves_no_store() {
    let seed = seed();
    say(format_args!("to repeat this run, set CRASH_SEED={seed}"));
    let mut rng = Rng(seed);
    let home = tempfile::tempdir().unwrap();
    let (server, _, shop) = filled(&home.path().join("data"), 800).await;
    let backup = home.path().join("backup");
    assert!(back_up(&server, &backup).status.success());
    drop(server);
    let to = home.path().join("restored");
    let restore = |to: &PathBuf| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_receptionist"));
        let list = home.path().join("data/tombstones");
        command.args(["restore", "--from", path(&backup), "--to", path(to), "--after", path(&list)]);
        command.stdout(std::process::Stdio::null());
        command
    };
    let started = Instant::now();
    assert!(restore(&home.path().join("measured")).status().unwrap().success());
    let takes = started.elapsed();
    let mut cut_short = 0;
    for _ in 0..number_of("CRASH_ROUNDS", ROUNDS) {
        let mut child = restore(&to).spawn().unwrap();
        rng.let_pass(takes).await;
        let _ = child.kill();
        let ended = child.wait().unwrap();
        if to.join("restoring").exists() {
            cut_short += 1;
            assert!(refused(serve(&to)).line.contains("is not finished: empty the directory"));
            check_fails(&["restore", "--from", path(&backup), "--to", path(&to)], "is not finished");
        } else if ended.success() || to.join("store").exists() {
            check_whole(&to);
            let server = Server::on(&to);
            assert_eq!(Client::of(&server).appointments(&shop, "").await.len(), 800);
        }
        let _ = fs::remove_dir_all(&to);
    }
    say(format_args!("{cut_short} restores were interrupted"));
}
