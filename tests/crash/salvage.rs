//! Damages a store, so that the service refuses it. `salvage` creates a new store from the readable rows, and
//! the service can run on the new store.

use std::collections::BTreeSet;
use std::fs;
use std::process::{Command, Output};

use serde_json::Value;

use crate::client::{Client, Shop, slot, text};
use crate::process::{Server, refused, serve};

const APPOINTMENTS: usize = 40;

fn salvage(args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_receptionist"));
    command.env_clear().arg("salvage").args(args).output().unwrap()
}

#[tokio::test]
async fn a_refused_store_is_salvaged_and_the_service_runs_on_the_new_one() {
    let home = tempfile::tempdir().unwrap();
    let data_dir = home.path().join("data");
    let server = Server::on(&data_dir);
    let client = Client::of(&server);
    let shop = Shop::create(&client, 1).await;
    for number in 0..APPOINTMENTS {
        let call = shop.booking(0, &slot(2 * number as i64), number, format!("booking-{number}"));
        assert_eq!(client.call(&shop, &call).await.unwrap().status, 201);
    }
    let ids = |list: Vec<Value>| list.iter().map(|one| text(one, "id")).collect::<BTreeSet<_>>();
    let booked = ids(client.appointments(&shop, "").await);
    server.signal("TERM");
    server.wait();
    // The service was stopped in an orderly way, so the byte that the test changes below is the only damage in sled's
    // log. The journal contains every change of this short run, so the service could start in spite of the damage. The
    // test therefore deletes the journal.
    fs::remove_file(data_dir.join("journal")).unwrap();
    let db = data_dir.join("store/db");
    let mut bytes = fs::read(&db).unwrap();
    let at =
        memchr::memmem::rfind(&bytes, b"booking-").or_else(|| memchr::memmem::rfind(&bytes, b"Contact "));
    bytes[at.unwrap()] ^= 1;
    fs::write(&db, bytes).unwrap();
    let (from, to) = (data_dir.to_str().unwrap(), home.path().join("new"));
    let line = refused(serve(&data_dir)).line;
    assert!(line.contains(&format!("receptionist salvage --data-dir {from} --to NEW")), "{line}");

    let new = to.to_str().unwrap();
    let salvaged = salvage(&["--data-dir", from, "--to", new]);
    let table = String::from_utf8(salvaged.stdout).unwrap();
    let of_appointments = table.lines().find(|line| line.contains(" appointments ")).unwrap();
    let cells: Vec<_> = of_appointments.split_whitespace().collect();
    let found: usize = cells[2].parse().unwrap();
    let is_missing = !table.contains("No record is known to be missing");
    assert_eq!(salvaged.status.code(), Some(i32::from(is_missing)), "{table}");
    assert!(table.contains("Next: "), "{table}");

    let server = Server::on(&to);
    let listed = ids(Client::of(&server).appointments(&shop, "").await);
    assert!(
        listed.len() == found && listed.is_subset(&booked),
        "{} appointments of {found}\n{table}",
        listed.len()
    );
    assert_eq!(salvage(&["--data-dir", new, "--to", "unused"]).status.code(), Some(1));
    assert_eq!(salvage(&["--data-dir", new]).status.code(), Some(2));
}
