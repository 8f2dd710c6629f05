//! The calendar servers as child processes. They listen without TLS on loopback; see the module `proxy`.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// The directory of the programs that `.ci/run` installs. The environment variable `CALENDAR_SERVERS` replaces it.
const PLACE: &str = "target/tools/calendars/bin";
const PORT: u16 = 5232;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Radicale,
    Xandikos,
    /// The command in the environment variable `CALENDAR_SERVER`. Its argument is the port. When the server is ready,
    /// the command prints a line with the fields of [`Account`]: two paths, a user name and a password.
    Other,
}

impl Kind {
    /// The path of the program. Prints a line and returns `None` if it is not installed.
    #[allow(clippy::print_stderr, reason = "prints which tests are skipped")]
    pub(crate) fn program(self) -> Option<PathBuf> {
        let name = match self {
            Self::Radicale => "radicale",
            Self::Xandikos => "xandikos",
            Self::Other => return std::env::var_os("CALENDAR_SERVER").map(PathBuf::from),
        };
        let place = std::env::var_os("CALENDAR_SERVERS").map(PathBuf::from);
        let place = place.unwrap_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join(PLACE));
        let program = place.join(name);
        if program.exists() {
            return Some(program);
        }
        assert!(
            std::env::var_os("REQUIRE_CALENDAR_SERVERS").is_none(),
            "REQUIRE_CALENDAR_SERVERS is set, but {} is missing",
            program.display()
        );
        eprintln!(
            "skipped: the service is not tested against {name}, because {} is missing",
            program.display()
        );
        None
    }
}

/// An account on a calendar server.
#[derive(Clone, Debug)]
pub(crate) struct Account {
    /// The path of the address that a person enters.
    pub(crate) entered: String,
    /// The path of a calendar that does not exist at first, with a slash at its end.
    pub(crate) collection: String,
    pub(crate) user: String,
    pub(crate) password: String,
}

/// A calendar server. Its process is killed on drop.
pub(crate) struct CalendarServer {
    kind: Kind,
    home: PathBuf,
    child: Child,
    pub(crate) account: Account,
}

impl CalendarServer {
    pub(crate) const ADDRESS: (&str, u16) = ("127.0.0.1", PORT);

    pub(crate) fn start(kind: Kind, home: &Path) -> Self {
        let (child, account) = run(kind, home);
        Self { kind, home: home.to_owned(), child, account }
    }

    pub(crate) fn stop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }

    /// Starts the stopped server with the same data.
    pub(crate) fn start_again(&mut self) {
        (self.child, self.account) = run(self.kind, &self.home);
    }

    /// Whether a calendar of the server can be restricted to tasks. SOGo does not support this.
    pub(crate) fn has_kinds(&self) -> bool {
        self.kind != Kind::Other
    }

    /// Whether the server asks for a password.
    pub(crate) fn has_passwords(&self) -> bool {
        self.kind != Kind::Xandikos
    }
}

impl Drop for CalendarServer {
    fn drop(&mut self) {
        self.stop();
    }
}

fn quiet(program: &Path, log: File) -> Command {
    let mut command = Command::new(program);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(log);
    command
}

fn run(kind: Kind, home: &Path) -> (Child, Account) {
    let program = kind.program().unwrap();
    let account = |collection: &str| Account {
        entered: "/".into(),
        collection: collection.into(),
        user: "ada".into(),
        password: "pw".into(),
    };
    let log = File::options().create(true).append(true).open(home.join("server.log")).unwrap();
    match kind {
        Kind::Radicale => {
            let mut command = quiet(&program, log);
            let users = home.join("users");
            std::fs::write(&users, "ada:pw\n").unwrap();
            command.args(["--hosts", &format!("127.0.0.1:{PORT}"), "--auth-type", "htpasswd"]);
            command.args(["--auth-htpasswd-encryption", "plain", "--auth-delay", "0"]);
            command.arg("--auth-htpasswd-filename").arg(users);
            command.arg("--storage-filesystem-folder").arg(home.join("collections"));
            (command.spawn().unwrap(), account("/ada/office/"))
        }
        Kind::Xandikos => {
            let mut command = quiet(&program, log);
            command.args(["serve", "--defaults", "--current-user-principal", "/ada/"]);
            command.args(["--listen-address", "127.0.0.1", "--port", &PORT.to_string(), "--directory"]);
            command.arg(home.join("collections"));
            (command.spawn().unwrap(), account("/ada/calendars/office/"))
        }
        Kind::Other => {
            let mut shell = Command::new("sh");
            shell.arg("-c").arg(format!("exec {} {PORT}", program.display())).stdin(Stdio::null());
            let mut child = shell.stdout(Stdio::piped()).stderr(log).spawn().unwrap();
            let mut line = String::new();
            BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
            let words: Vec<_> = line.split_whitespace().map(ToOwned::to_owned).collect();
            let [entered, collection, user, password] = &words[..] else { panic!("no account: {line:?}") };
            let (entered, collection) = (entered.clone(), collection.clone());
            (child, Account { entered, collection, user: user.clone(), password: password.clone() })
        }
    }
}
