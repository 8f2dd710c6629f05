//! Opens the stores of earlier formats in `tests/formats`. Each store opens, even after a kill at any
//! moment of the conversion, and both APIs show the same data as before. A store of a later format is
//! refused.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use chrono::TimeDelta;
use domain::{Appointment, AppointmentId, BusinessId, Timestamp};
use engine::verify::verify;
use serde_json::Value;
use store::keys::{self, earlier};
use store::{Batch, Record, Store};

use crate::chance::{Rng, number_of, seed};
use crate::client::{Client, Shop, text};
use crate::process::{Exited, Server, refused, serve};
use crate::say::say;

/// The current store format.
const PRESENT: u16 = 13;
/// The number of kills during a conversion.
const ROUNDS: usize = 5;
/// The number of appointments in the store of format 1. It is large, so that the conversion takes some time.
const APPOINTMENTS: i64 = 3_000;

fn path_of(file: &str) -> String {
    format!("{}/tests/formats/{file}", env!("CARGO_MANIFEST_DIR"))
}

fn run(command: &mut Command) {
    assert!(command.status().unwrap().success(), "{command:?}");
}

/// Unpacks the data directory of this format.
fn unpacked(home: &Path, format: u16) -> PathBuf {
    let data_dir = home.join(format!("data-{format}"));
    fs::create_dir(&data_dir).unwrap();
    let archive = path_of(&format!("format-{format}.tar.gz"));
    run(Command::new("tar").arg("-xzf").arg(archive).arg("-C").arg(&data_dir));
    data_dir
}

/// The recorded responses of the earlier version that wrote stores of this format.
fn shown(format: u16) -> Value {
    serde_json::from_slice(&fs::read(path_of(&format!("format-{format}.json"))).unwrap()).unwrap()
}

/// Checks that every property of the earlier response is unchanged. The later version may add properties.
fn agrees(now: &Value, before: &Value, path: &str) {
    match (now, before) {
        (Value::Object(now), Value::Object(before)) => {
            for (field, value) in before {
                // Until format 6, the field `attempts` of a delivery contained the number of attempts. Now it
                // contains the list of attempts.
                let is_number = field == "attempts" && value.is_number();
                let name = if is_number { "attempts_made" } else { field };
                let found = now.get(name).unwrap_or_else(|| panic!("{path}: {field} is no longer shown"));
                // Each request changes the field `last_used_at` of its API key, so this field is not compared.
                if field != "last_used_at" {
                    agrees(found, value, &format!("{path}.{field}"));
                }
            }
        }
        (Value::Array(now), Value::Array(before)) => {
            assert_eq!(now.len(), before.len(), "{path}: {now:?} instead of {before:?}");
            for (at, (now, before)) in now.iter().zip(before).enumerate() {
                agrees(now, before, &format!("{path}[{at}]"));
            }
        }
        _ => assert_eq!(now, before, "{path}"),
    }
}

/// Compares all data that the public API and the operator API return with `before`, the data before the upgrade.
async fn check(server: &Server, before: &Value) {
    let client = Client::of(server);
    let shop = shop(before);
    for (path, before) in before["public"].as_object().unwrap() {
        let mut answer = client.get(&shop, path).await;
        assert_eq!(answer.status, 200, "{path}: {answer:?}");
        agrees(&answer.body["data"].take(), before, path);
    }
    for (path, before) in before["operator"].as_object().unwrap() {
        let now = match before {
            Value::Array(_) => Value::Array(client.operator_list(path).await),
            _ => client.operator("GET", path, None).await["data"].take(),
        };
        agrees(&now, before, path);
    }
}

fn shop(before: &Value) -> Shop {
    let services = &before["operator"][format!("/businesses/{}/services", text(before, "business"))];
    let staff = before["public"]["/staff"].as_array().unwrap();
    Shop {
        id: text(before, "business"),
        key: text(before, "key"),
        service: text(&services[0], "id"),
        staff: staff.iter().map(|member| text(member, "id")).collect(),
    }
}

#[tokio::test]
async fn a_store_of_every_format_opens_and_shows_the_same_data() {
    for format in 1..PRESENT {
        let home = tempfile::tempdir().unwrap();
        let (data_dir, before) = (unpacked(home.path(), format), shown(format));
        let mut command = serve(&data_dir);
        command.arg("--no-upgrade");
        let Exited { code, line } = refused(command);
        assert!(line.contains(&format!("format {format}")) && line.contains("--no-upgrade"), "{line}");
        assert_eq!(code, Some(1));
        let unverified = verify(&data_dir).await.unwrap_err().to_string();
        assert!(unverified.contains("start the service on it"), "{unverified}");

        let server = Server::on(&data_dir);
        check(&server, &before).await;
        // The store accepts new bookings, and refuses a second booking of the same time.
        let (client, shop) = (Client::of(&server), shop(&before));
        let ahead = chrono::Utc::now().date_naive() + chrono::Days::new(40);
        let call = |staff, key: &str| shop.booking(staff, &format!("{ahead}T08:00:00Z"), 1, key.into());
        let booked = client.call(&shop, &call(0, "one")).await.unwrap();
        assert_eq!(booked.status, 201, "{booked:?}");
        let booked = client.call(&shop, &call(0, "another")).await.unwrap();
        assert_eq!(booked.body["error"]["code"], "slot_unavailable", "{booked:?}");
        let booked = client.call(&shop, &call(1, "another's")).await.unwrap();
        assert_eq!(booked.status, 201, "{booked:?}");
        assert_eq!(client.appointments(&shop, "").await.len(), 14);
        server.signal("TERM");
        assert_eq!(server.wait().code(), Some(0), "{}", server.errors());

        let report = verify(&data_dir).await.unwrap();
        assert!(report.is_whole(), "format {format}: {:?}", report.findings);

        // The store now has the current format, so the service starts on it without an upgrade.
        let mut command = serve(&data_dir);
        command.arg("--no-upgrade");
        let server = Server::start(command, &home.path().join("again.log"));
        assert_eq!(Client::of(&server).appointments(&shop, "").await.len(), 14);
    }
}

/// The files of a directory, with their content.
fn files(dir: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut files = Vec::new();
    for entry in fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.extend(self::files(&path));
        } else {
            files.push((path.clone(), fs::read(&path).unwrap()));
        }
    }
    files.sort();
    files
}

#[tokio::test]
async fn a_store_of_a_later_format_is_refused_and_stays_unchanged() {
    let home = tempfile::tempdir().unwrap();
    let data_dir = home.path().join("data");
    let server = Server::on(&data_dir);
    server.signal("TERM");
    assert_eq!(server.wait().code(), Some(0));
    let format = fs::read_to_string(data_dir.join("format")).unwrap();
    assert_eq!(format, "format = 13\nread-by = 6\nwritten-by = 13\n");
    fs::write(data_dir.join("format"), "format = 14\nread-by = 6\nwritten-by = 14\n").unwrap();
    let before = files(&data_dir);
    let Exited { code, line } = refused(serve(&data_dir));
    assert!(line.contains("format 14") && line.contains("formats up to 13"), "{line}");
    assert_eq!(code, Some(1));
    assert!(files(&data_dir) == before, "a refused start must not change files");
}

/// Adds many cancelled appointments in the past to a store of format 1. Returns their ids.
async fn fill(data_dir: &Path, before: &Value) -> Vec<AppointmentId> {
    let store = Store::open_disk(data_dir, Box::new(|error| panic!("{error}"))).unwrap();
    let of: BusinessId = text(before, "business").parse().unwrap();
    let cancelled = before["public"]["/appointments"].as_array().unwrap();
    let cancelled = cancelled.iter().find(|a| a["status"] == "cancelled").unwrap();
    let id: AppointmentId = text(cancelled, "id").parse().unwrap();
    let like: Appointment = store.get(&earlier::appointment(of, id)).unwrap().unwrap();
    let mut ids = Vec::new();
    for number in 0..APPOINTMENTS {
        // The id of an appointment begins with the time of its creation. In this test, each appointment also starts at
        // the time of its creation.
        let at = Timestamp::from_millis(1_600_000_000_000 + number * 1_800_000);
        let id = uuid::Uuid::from_u128((u128::try_from(at.millis()).unwrap() << 80) | (0x7 << 76) | 1 << 63);
        let old = Appointment {
            id: id.into(),
            starts_at: at,
            ends_at: at + TimeDelta::minutes(30),
            created_at: at,
            updated_at: at + TimeDelta::seconds(number % 2),
            ..like.clone()
        };
        let mut batch = Batch::default();
        batch.put(earlier::appointment(of, old.id), old.encode());
        batch.put(earlier::appointment_by_start(of, old.starts_at, old.id), vec![1]);
        batch.put(earlier::appointment_by_update(of, old.updated_at, old.id), Vec::new());
        let contact = old.contact_id.unwrap();
        batch.put(keys::appointment_by_contact(of, contact, old.starts_at, old.id), Vec::new());
        store.submit(of, batch, Box::new(|| ())).unwrap();
        ids.push(old.id);
    }
    store.wait_durable(of).await.unwrap();
    store.close().await.unwrap();
    ids
}

#[tokio::test]
async fn a_conversion_that_is_killed_repeatedly_loses_no_data() {
    let seed = seed();
    say(format_args!("to repeat this run, set CRASH_SEED={seed}"));
    let mut rng = Rng(seed);
    let home = tempfile::tempdir().unwrap();
    let (good, before) = (unpacked(home.path(), 1), shown(1));
    let ids = fill(&good, &before).await;
    // Measures the duration of a start that is not killed.
    let copy = home.path().join("copy");
    let start_over = || {
        let _ = fs::remove_dir_all(&copy);
        run(Command::new("cp").arg("-a").args([&good, &copy]));
    };
    start_over();
    let started = Instant::now();
    drop(Server::on(&copy));
    let takes = started.elapsed();
    let mut half = 0;
    for _ in 0..number_of("CRASH_ROUNDS", ROUNDS) {
        start_over();
        for _ in 0..3 {
            let mut child = serve(&copy).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
            rng.let_pass(takes).await;
            child.kill().unwrap();
            let listened = BufReader::new(child.stdout.take().unwrap()).lines().count() > 0;
            child.wait().unwrap();
            if !listened && copy.join("format").exists() {
                half += 1;
            }
        }
        let server = Server::on(&copy);
        let client = Client::of(&server);
        let shop = shop(&before);
        let all = client.appointments(&shop, "").await;
        assert_eq!(all.len(), ids.len() + 12);
        let changed = client.appointments(&shop, "&updated_since=2000-01-01T00:00:00Z").await;
        assert_eq!(changed.len(), all.len());
        for id in ids.iter().step_by(97) {
            let shown = client.get(&shop, &format!("/appointments/{id}")).await;
            assert!(all.contains(&shown.body["data"]), "{shown:?}");
        }
        let later = client.appointments(&shop, "&from=2026-01-01T00:00:00Z").await;
        agrees(&Value::Array(later), &before["public"]["/appointments"], "/appointments");
    }
    say(format_args!("{half} starts were killed during the conversion"));
}
