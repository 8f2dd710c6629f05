//! Tests of the messages that the service sends to a supervisor such as systemd over the socket of
//! `sd_notify(3)`.

use std::fs::{self, OpenOptions};
use std::io::ErrorKind;
use std::os::unix::net::UnixDatagram;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;
use std::time::Duration;

use rustix::fs::{CWD, FileType, Mode, mknodat};

use crate::process::{Server, refused, serve};

/// The time limit for a message.
const PATIENCE: Duration = Duration::from_secs(60);
/// The watchdog interval in microseconds. It is short, so that the test does not wait long for a message.
const WATCHDOG: &str = "100000";

/// The supervisor's end of the socket.
struct Supervisor {
    socket: UnixDatagram,
    path: PathBuf,
}

impl Supervisor {
    fn new(home: &Path) -> Self {
        let path = home.join("notify");
        let socket = UnixDatagram::bind(&path).unwrap();
        socket.set_read_timeout(Some(PATIENCE)).unwrap();
        Self { socket, path }
    }

    /// The command that serves a directory under this supervisor.
    fn serve(&self, data_dir: &Path) -> Command {
        let mut command = serve(data_dir);
        command.env("NOTIFY_SOCKET", &self.path).env("WATCHDOG_USEC", WATCHDOG);
        command
    }

    fn next(&self) -> std::io::Result<String> {
        let mut message = [0; 256];
        let bytes = self.socket.recv(&mut message)?;
        Ok(String::from_utf8(message[..bytes].to_vec()).unwrap().trim_end().to_owned())
    }

    /// Waits for this message.
    fn hears(&self, message: &str) {
        while self.next().unwrap() != message {}
    }

    /// The messages that have arrived and were not read yet.
    fn unread(&self) -> Vec<String> {
        self.socket.set_nonblocking(true).unwrap();
        let unread = std::iter::from_fn(|| match self.next() {
            Err(error) if error.kind() == ErrorKind::WouldBlock => None,
            message => Some(message.unwrap()),
        });
        let unread = unread.collect();
        self.socket.set_nonblocking(false).unwrap();
        unread
    }
}

#[test]
fn a_supervisor_gets_messages_about_the_start_the_watchdog_and_the_stop() {
    let home = tempfile::tempdir().unwrap();
    let data_dir = home.path().join("data");
    let server = Server::on(&data_dir);
    server.signal("TERM");
    assert_eq!(server.wait().code(), Some(0), "{}", server.errors());
    // At its start, the service reads the list of tombstones. In this test the list is a pipe, so the start
    // waits until the test writes to the pipe.
    let list = data_dir.join("tombstones");
    fs::remove_file(&list).unwrap();
    mknodat(CWD, &list, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
    let supervisor = Supervisor::new(home.path());
    let (command, log) = (supervisor.serve(&data_dir), home.path().join("log"));
    let starting = thread::spawn(move || Server::start(command, &log));
    let writer = OpenOptions::new().write(true).open(&list).unwrap();
    // While the start is not complete, the service reports that it is alive.
    supervisor.hears("EXTEND_TIMEOUT_USEC=60000000");
    supervisor.hears("WATCHDOG=1");
    supervisor.hears("WATCHDOG=1");
    fs::remove_file(&list).unwrap();
    assert!(!supervisor.unread().contains(&"READY=1".into()));
    drop(writer);
    supervisor.hears("READY=1");
    let server = starting.join().unwrap();
    supervisor.hears("WATCHDOG=1");
    server.signal("TERM");
    supervisor.hears("STOPPING=1");
    drop(supervisor);
    assert_eq!(server.wait().code(), Some(0), "{}", server.errors());
}

#[test]
fn a_supervisor_gets_no_message_from_a_service_that_fails_to_start() {
    let home = tempfile::tempdir().unwrap();
    let supervisor = Supervisor::new(home.path());
    let mut command = supervisor.serve(&home.path().join("data"));
    command.env("RECEPTIONIST_DISK_RESERVE", "much");
    assert_eq!(refused(command).code, Some(2));
    assert!(supervisor.unread().is_empty());
    // The systemd unit must not restart the service after this exit status.
    let unit = include_str!("../../.deploy/receptionist.service");
    assert!(unit.contains("\nRestartPreventExitStatus=2\n"), "{unit}");
}
