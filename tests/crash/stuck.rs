//! Tests of a service whose standard output and standard error are not read. The service still responds, and
//! stops on request.

use std::io::{BufRead, BufReader, PipeReader};
use std::process::{Child, Command, Stdio};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::net::unix::pipe;

use crate::process::serve;

/// The maximum number of rounds. It is reached only if the service has a fault.
const ROUNDS_MAX: usize = 200;
/// The number of requests per round.
const REQUESTS: usize = 500;

/// Both ends of a pipe that is full.
fn full_pipe() -> (PipeReader, Stdio) {
    let (reader, writer) = std::io::pipe().unwrap();
    let writer = pipe::Sender::from_owned_fd(writer.into()).unwrap();
    for bytes in [4096, 1] {
        while writer.try_write(&vec![b'x'; bytes]).is_ok() {}
    }
    (reader, writer.into_blocking_fd().unwrap().into())
}

fn spawn(mut command: Command, stdout: Stdio, stderr: Stdio) -> Killed {
    Killed(command.stdout(stdout).stderr(stderr).spawn().unwrap())
}

/// A process that is killed on drop.
struct Killed(Child);

impl Killed {
    fn end(&mut self) -> Option<i32> {
        let id = self.0.id();
        assert!(Command::new("kill").args(["-TERM", &id.to_string()]).status().unwrap().success());
        self.0.wait().unwrap().code()
    }
}

impl Drop for Killed {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Sends these requests and returns the responses. The last request closes the connection.
async fn exchange(address: &str, requests: &str) -> String {
    let mut stream = TcpStream::connect(address).await.unwrap();
    let (mut read, mut write) = stream.split();
    let mut answers = String::new();
    let (_, read) = tokio::join!(write.write_all(requests.as_bytes()), read.read_to_string(&mut answers));
    read.unwrap();
    answers
}

fn get(path: &str, more: &str) -> String {
    format!("GET {path} HTTP/1.1\r\nhost: localhost\r\n{more}\r\n")
}

async fn dropped(admin: &str) -> u64 {
    let metrics = exchange(admin, &get("/metrics", "connection: close\r\n")).await;
    let line = metrics.lines().find_map(|line| line.strip_prefix("receptionist_log_lines_dropped_total "));
    line.unwrap_or_else(|| panic!("{metrics}")).parse().unwrap()
}

/// Finds the first line that contains `prefix`, and returns the text after the prefix.
fn after(lines: &mut impl Iterator<Item = std::io::Result<String>>, prefix: &str) -> String {
    let mut found =
        lines.filter_map(|line| line.unwrap().split_once(prefix).map(|(_, rest)| rest.to_owned()));
    found.next().unwrap_or_else(|| panic!("no line contains {prefix}"))
}

#[tokio::test]
async fn an_unread_log_loses_lines_and_has_no_other_effect() {
    let home = tempfile::tempdir().unwrap();
    let mut command = serve(&home.path().join("data"));
    command.env("RECEPTIONIST_LOG", "debug");
    let (mut log, writer) = full_pipe();
    let mut process = spawn(command, Stdio::piped(), writer);
    let mut lines = BufReader::new(process.0.stdout.take().unwrap()).lines();
    let public = after(&mut lines, "listening on http://").trim_end_matches("/v1").to_owned();
    let admin = after(&mut lines, "operator API on http://").trim_end_matches("/admin/v1").to_owned();

    let one = get(&format!("/{}", "x".repeat(200)), &format!("x-request-id: {}\r\n", "y".repeat(128)));
    let round = one.repeat(REQUESTS) + &get("/healthz", "connection: close\r\n");
    let mut rounds = 0;
    while dropped(&admin).await == 0 {
        let answers = exchange(&public, &round).await;
        assert_eq!(answers.matches("HTTP/1.1 404").count(), REQUESTS);
        assert!(answers.ends_with(r#"{"status":"ok"}"#), "{answers}");
        rounds += 1;
        assert!(rounds < ROUNDS_MAX, "the service has dropped no line");
    }
    let before = dropped(&admin).await;
    exchange(&public, &round).await;
    assert!(dropped(&admin).await >= before + REQUESTS as u64, "every dropped line must be counted");

    // When the log is read, the buffered lines arrive, and then one line with the number of dropped lines.
    let mut read = BufReader::new(&mut log).lines();
    let told = after(
        &mut read,
        "log lines were dropped because standard error was not read fast enough lines.dropped=",
    );
    assert!(told.parse::<u64>().unwrap() >= before, "{told}");
    drop(read);
    // The test stops reading the log, so that the service drops lines again.
    while dropped(&admin).await <= before + 2 * REQUESTS as u64 {
        exchange(&public, &round).await;
    }
    assert_eq!(process.end(), Some(0));
}

#[tokio::test]
async fn unread_standard_output_delays_neither_responses_nor_the_stop() {
    let home = tempfile::tempdir().unwrap();
    let (_output, writer) = full_pipe();
    let mut command = serve(&home.path().join("data"));
    command.env("RECEPTIONIST_LOG", "info");
    let mut process = spawn(command, writer, Stdio::piped());
    let mut lines = BufReader::new(process.0.stderr.take().unwrap()).lines();
    let listens = after(&mut lines, "the service listens public=");
    let public = listens.split(' ').next().unwrap();
    let answer = exchange(public, &get("/healthz", "connection: close\r\n")).await;
    assert!(answer.ends_with(r#"{"status":"ok"}"#), "{answer}");
    assert_eq!(process.end(), Some(0));
}

#[tokio::test]
async fn a_service_that_cannot_start_ends_although_its_reason_is_not_read() {
    let home = tempfile::tempdir().unwrap();
    let file = home.path().join("file");
    std::fs::write(&file, "no directory").unwrap();
    let other = home.path().join("data");
    let held = serve(&other);
    let _holder = crate::process::Server::start(held, &home.path().join("log"));
    for (data_dir, code) in [(&file, 2), (&other, 1)] {
        let (_log, writer) = full_pipe();
        let mut process = spawn(serve(data_dir), Stdio::null(), writer);
        assert_eq!(process.0.wait().unwrap().code(), Some(code));
    }
}
