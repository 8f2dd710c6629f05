//! An import is killed at any moment. Afterwards its businesses are there whole or not at all, the service says so where
//! that is still to be decided, and the import can be made again. `CRASH_ROUNDS` says how often.

use std::fmt::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::chance::{Rng, come, number_of, seed};
use crate::process::{Server, refused, serve};

const ROUNDS: usize = 5;
const BUSINESSES: usize = 3;
const CONTACTS: usize = 2_000;
/// Within which time of its start a program that settles is killed.
const SETTLING: Duration = Duration::from_millis(200);

const STAMPS: &str = r#""created_at":"2026-03-02T09:00:00.000Z","updated_at":"2026-03-02T09:00:00.000Z""#;

pub(crate) fn id(number: usize) -> String {
    format!("019cae1a-5a00-7000-8000-{number:012x}")
}

/// Some businesses with many contacts and a piece of knowledge that is long.
pub(crate) fn lines() -> String {
    let mut text = String::from(
        "{\"format\":\"receptionist-export\",\"version\":2,\"exported_at\":\"2026-03-02T09:00:00.000Z\"}\n",
    );
    for business in 1..=BUSINESSES {
        let business = business * 1_000_000;
        let name = format!(r#""name":"B{business}","timezone":"UTC","locale":"en","website_url":null"#);
        let rest = r#""booking_mode":"instant","hours":[],"breaks":[],"phone_region":"US","suspended":false"#;
        let _ = writeln!(text, r#"{{"kind":"business","id":"{}",{name},{rest},{STAMPS}}}"#, id(business));
        for contact in 1..=CONTACTS {
            let (phone, id) = (format!("+1555{contact:07}"), id(business + contact));
            let who = format!(r#""name":"C {contact}","phone":"{phone}","email":null,"locale":null"#);
            let _ = writeln!(text, r#"{{"kind":"contact","id":"{id}",{who},"timezone":null,{STAMPS}}}"#);
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

#[tokio::test]
#[allow(clippy::print_stderr, reason = "the seed is needed to have a failure again")]
async fn a_killed_import_is_finished_or_taken_back() {
    let seed = seed();
    eprintln!("CRASH_SEED={seed}");
    let mut rng = Rng(seed);
    let dir = tempfile::tempdir().unwrap();
    let (file, text) = (dir.path().join("lines"), lines());
    std::fs::write(&file, &text).unwrap();
    let import = ["import", "--from", file.to_str().unwrap()];
    let whole = text.split_once('\n').unwrap().1;

    // How long one takes, that kills fall within it.
    let began = Instant::now();
    printed(program(&dir.path().join("first"), &import));
    let takes = began.elapsed();
    let (mut nothing, mut taken_back, mut finished, mut all) = (0, 0, 0, 0);
    for round in 0..number_of("CRASH_ROUNDS", ROUNDS) {
        let data_dir = dir.path().join(format!("{round}"));
        let mut child = program(&data_dir, &import).spawn().unwrap();
        let killed_after = rng.moment(takes);
        come(killed_after).await;
        child.kill().unwrap();
        child.wait().unwrap();
        // Where it is still to be decided, no service starts.
        let unfinished = match Server::try_start(serve(&data_dir), &data_dir.with_extension("log")) {
            Ok(server) => {
                server.signal("TERM");
                server.wait();
                false
            }
            Err(exited) => {
                assert!(exited.line.contains("an import was begun and is not finished"), "{exited:?}");
                assert_eq!(refused(serve(&data_dir)).code, exited.code);
                true
            }
        };
        // Killed once more while that is settled.
        let mut settling = program(&data_dir, &["import", "--settle"]).spawn().unwrap();
        rng.let_pass(SETTLING).await;
        settling.kill().unwrap();
        settling.wait().unwrap();
        let settled = printed(program(&data_dir, &["import", "--settle"]));
        let exported = printed(program(&data_dir, &["export"]));
        let lines = exported.split_once('\n').unwrap().1;
        let is_there = lines == whole;
        if !is_there {
            assert_eq!(lines, "{\"kind\":\"end\",\"businesses\":0}\n", "neither whole nor nothing");
            printed(program(&data_dir, &import));
            assert_eq!(printed(program(&data_dir, &["export"])).split_once('\n').unwrap().1, whole);
        }
        match (unfinished, is_there) {
            (true, true) => finished += 1,
            (true, false) => taken_back += 1,
            (false, true) => all += 1,
            (false, false) => nothing += 1,
        }
        eprintln!("round {round}: killed after {killed_after:?}: {}", settled.trim_end());
    }
    eprintln!("nothing {nothing}, taken back {taken_back}, finished {finished}, whole at once {all}");
}
