//! Kills the process during an import of contacts. After the restart, either all contacts of the file exist or
//! none of them. `CRASH_ROUNDS` sets the number of rounds.

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use serde_json::json;

use crate::chance::{Rng, number_of, seed, sleep_for};
use crate::client::Client;
use crate::imports::{asking, printed, program};
use crate::process::Server;
use crate::say::say;

const ROUNDS: usize = 6;
const CONTACTS: usize = 4_000;

fn file() -> String {
    let mut file = String::from("name,phone,email,notes\n");
    for number in 0..CONTACTS {
        let _ = writeln!(file, "Contact {number},+1415{number:07},c{number}@example.com,{}", "x".repeat(99));
    }
    file
}

#[tokio::test]
async fn an_import_of_contacts_by_a_killed_service_is_complete_or_undone() {
    let mut rng = Rng(seed());
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("contacts.csv");
    std::fs::write(&path, file()).unwrap();
    let import = ["contact", "import", "--from", path.to_str().unwrap()];
    let (mut undone, mut complete, mut takes) = (0, 0, Duration::from_secs(1));
    for round in 0..number_of("CRASH_ROUNDS", ROUNDS) {
        let data_dir = dir.path().join(format!("data-{round}"));
        let server = Server::on(&data_dir);
        let business = json!({ "name": "B", "timezone": "UTC" });
        let made = Client::of(&server).operator("POST", "/businesses", Some(business)).await;
        let id = made["data"]["id"].as_str().unwrap().to_owned();
        let was_acknowledged = if round == 0 {
            let began = Instant::now();
            printed(asking(&server, &import));
            takes = began.elapsed();
            true
        } else {
            let mut child = asking(&server, &import).spawn().unwrap();
            sleep_for(rng.moment(takes)).await;
            server.kill();
            child.wait().unwrap().success()
        };
        server.kill();
        server.wait();
        // The kill may leave the rows of an unfinished import. They do not count as damage.
        printed(program(&data_dir, &["verify", data_dir.to_str().unwrap()]));
        let server = Server::on(&data_dir);
        let client = Client::of(&server);
        let path = format!("/businesses/{id}/contacts");
        let found = client.operator_list(&path).await.len();
        assert!([0, CONTACTS].contains(&found), "{found} contacts after the kill");
        assert!(!was_acknowledged || found == CONTACTS, "the import was acknowledged, but it is lost");
        *(if found == 0 { &mut undone } else { &mut complete }) += 1;
        printed(asking(&server, &import));
        assert_eq!(client.operator_list(&path).await.len(), CONTACTS);
        server.signal("TERM");
        server.wait();
        printed(program(&data_dir, &["verify", data_dir.to_str().unwrap()]));
        say(format_args!("round {round}: {}", if found == 0 { "undone" } else { "complete" }));
    }
    say(format_args!("{undone} imports undone, {complete} complete"));
}
