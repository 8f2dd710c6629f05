//! Kills the process during an import. After the restart, either all businesses are imported or none. The
//! service removes an interrupted import on its own, and the import can be repeated. `CRASH_ROUNDS` sets the
//! number of rounds.

use std::fmt::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use tempfile::TempDir;

use crate::chance::{Rng, number_of, seed, sleep_for};
use crate::process::{Server, TOKEN};
use crate::say::say;

const ROUNDS: usize = 5;
const BUSINESSES: usize = 3;
const CONTACTS: usize = 2_000;
/// The test kills a program that is removing an interrupted import. The kill happens at most this long
/// after the start of the program.
const SETTLING: Duration = Duration::from_millis(200);

/// The lines after the first line in the export of a store that contains no business.
const NOTHING: &str = "{\"kind\":\"end\",\"businesses\":0}\n";

const STAMPS: &str = r#""created_at":"2026-03-02T09:00:00.000Z","updated_at":"2026-03-02T09:00:00.000Z""#;

pub(crate) fn id(number: usize) -> String {
    format!("019cae1a-5a00-7000-8000-{number:012x}")
}

/// The lines for several businesses with many contacts and a long knowledge entry.
pub(crate) fn lines() -> String {
    let mut text = String::from(
        "{\"format\":\"receptionist-export\",\"version\":6,\"exported_at\":\"2026-03-02T09:00:00.000Z\"}\n",
    );
    for business in 1..=BUSINESSES {
        let business = business * 1_000_000;
        let name = format!(r#""name":"B{business}","timezone":"UTC","locale":"en","website_url":null"#);
        let rest = r#""booking_mode":"instant","hours":[],"breaks":[],"phone_region":"US","suspended":false"#;
        let rest = format!(r#"{rest},"customer_word":"client","grid_minutes":15"#);
        let _ = writeln!(text, r#"{{"kind":"business","id":"{}",{name},{rest},{STAMPS}}}"#, id(business));
        for contact in 1..=CONTACTS {
            let (phone, id) = (format!("+1555{contact:07}"), id(business + contact));
            let who = format!(r#""name":"C {contact}","phone":"{phone}","email":null,"locale":null"#);
            let _ = writeln!(
                text,
                r#"{{"kind":"contact","id":"{id}",{who},"timezone":null,"notes":null,"alert":null,{STAMPS}}}"#
            );
        }
        let (id, content) = (id(business), "x".repeat(40_000));
        let what = format!(r#""title":"T","content":"{content}","source_url":null,"locale":null"#);
        let _ = writeln!(text, r#"{{"kind":"knowledge","id":"{id}",{what},{STAMPS}}}"#);
        let _ = writeln!(text, r#"{{"kind":"business_end","records":{}}}"#, CONTACTS + 2);
    }
    let _ = writeln!(text, r#"{{"kind":"end","businesses":{BUSINESSES}}}"#);
    text
}

pub(crate) fn program(data_dir: &Path, words: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_receptionist"));
    command.args(words).env_clear().env("RECEPTIONIST_DATA_DIR", data_dir);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

pub(crate) fn printed(mut command: Command) -> String {
    let output = command.output().unwrap();
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// Writes an export file. Returns the parts that every test needs: a random source, the directory of the file,
/// the lines of the file except the first one, and the path of the file.
fn set_up() -> (Rng, TempDir, String, String) {
    let seed = seed();
    say(format_args!("to repeat this run, set CRASH_SEED={seed}"));
    let dir = tempfile::tempdir().unwrap();
    let (file, text) = (dir.path().join("lines"), lines());
    std::fs::write(&file, &text).unwrap();
    let whole = text.split_once('\n').unwrap().1.to_owned();
    (Rng(seed), dir, whole, file.to_str().unwrap().to_owned())
}

/// The time from the start of an import to the kill. `takes` is the duration of a whole import. If `round` is even, the
/// kill happens at any moment of the import. If it is odd, the kill happens near the end of the import or later, so
/// that some imports are complete.
fn moment_of(round: usize, takes: Duration, rng: &mut Rng) -> Duration {
    if round.is_multiple_of(2) { rng.moment(takes) } else { takes * 3 / 4 + rng.moment(takes / 2) }
}

/// A command that connects to a service.
pub(crate) fn asking(server: &Server, words: &[&str]) -> Command {
    let mut command = program(Path::new("nowhere"), words);
    let url = server.admin.trim_end_matches("/admin/v1");
    command.env("RECEPTIONIST_ADMIN_URL", url).env("RECEPTIONIST_ADMIN_TOKEN", TOKEN);
    command
}

/// Waits until the service has removed an interrupted import.
pub(crate) fn wait_until_removed(server: &Server, file: &str) {
    loop {
        let tried = asking(server, &["import", "--dry-run", "--from", file]).output().unwrap();
        if !String::from_utf8_lossy(&tried.stderr).contains("an import is under way") {
            return;
        }
    }
}

#[tokio::test]
async fn an_import_by_a_killed_service_is_complete_or_undone() {
    let (mut rng, dir, whole, file) = set_up();
    let import = ["import", "--from", &file];
    let first = Server::on(&dir.path().join("first"));
    let began = Instant::now();
    printed(asking(&first, &import));
    let takes = began.elapsed();
    drop(first);
    let (mut none, mut all, mut acknowledged) = (0, 0, 0);
    for round in 0..number_of("CRASH_ROUNDS", ROUNDS) {
        let data_dir = dir.path().join(format!("{round}"));
        let server = Server::on(&data_dir);
        let mut child = asking(&server, &import).spawn().unwrap();
        let killed_after = moment_of(round, takes, &mut rng);
        sleep_for(killed_after).await;
        server.kill();
        server.wait();
        let was_acknowledged = child.wait().unwrap().success();
        // The process is killed again during the removal. The next start completes the removal.
        let server = Server::on(&data_dir);
        rng.let_pass(SETTLING).await;
        server.kill();
        server.wait();
        let server = Server::on(&data_dir);
        wait_until_removed(&server, &file);
        let exported = || printed(asking(&server, &["export"])).split_once('\n').unwrap().1.to_owned();
        let is_there = exported() == whole;
        if !is_there {
            assert!(!was_acknowledged, "the import was acknowledged, but it is lost");
            assert_eq!(exported(), NOTHING, "the import is incomplete");
            printed(asking(&server, &import));
            assert_eq!(exported(), whole);
        }
        server.signal("TERM");
        server.wait();
        printed(program(&data_dir, &["verify", data_dir.to_str().unwrap()]));
        match (was_acknowledged, is_there) {
            (true, _) => acknowledged += 1,
            (false, true) => all += 1,
            (false, false) => none += 1,
        }
        let came = if is_there { "complete" } else { "undone" };
        say(format_args!("round {round}: killed after {killed_after:?}: {came}"));
    }
    say(format_args!(
        "{none} imports undone, {all} complete without a response, {acknowledged} acknowledged"
    ));
}
