//! A network namespace with public addresses. The parent process creates it, and a child process measures inside it.

use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::error::Result;
use crate::group::{self, Context, Group};
use crate::measure::Measured;
use crate::options::Options;
use crate::process::Process;
use crate::table::Report;

/// A group whose receivers need public addresses. It therefore runs in a network namespace of its own.
pub(crate) trait Inside: Group {
    /// The name of the group on the command line of the child process and in notes.
    const NAME: &'static str;

    /// Returns the host names of the receivers, with their addresses.
    fn hosts() -> Vec<(String, String)>;
}

/// The output of the child process. It contains the figures of each row by run, and notes.
type Results = (Vec<(String, Vec<Measured>)>, Vec<String>);

/// Measures the group in a new namespace. If the system does not permit this, adds a note instead.
pub(crate) async fn measure_outside<G: Inside>(context: &Context, report: &mut Report) -> Result<()> {
    let rows = context.wanted(G::rows(context));
    if rows.is_empty() {
        return Ok(());
    }
    if !is_permitted() {
        report.notes.push(format!(
            "The {} were omitted: they need a network namespace, which is not permitted here (unshare and ip, as \
             root or with user namespaces).",
            G::NAME
        ));
        return Ok(());
    }
    let out = context.path(&format!("{}.json", G::NAME));
    let mut command = unshare()?;
    command.arg(std::env::current_exe()?).args(["--child", G::NAME]).arg(&out);
    command.args(&context.options.given).arg("--dir").arg(&context.directory);
    let process = Process::start(command)?;
    tokio::task::spawn_blocking(|| process.finish()).await??;
    let (mut measured, mut notes): Results = serde_json::from_slice(&std::fs::read(out)?)?;
    for row in rows {
        if let Some(at) = measured.iter().position(|(name, _)| name == row.name) {
            report.add(row, measured.swap_remove(at).1);
        }
    }
    report.notes.append(&mut notes);
    Ok(())
}

/// Measures the group. This runs in the child process, inside the namespace.
pub(crate) async fn measure_inside<G: Inside>(out: &Path, arguments: Vec<String>) -> Result<()> {
    let options = Options::parse(arguments)?.ok_or("help is not available in the child process")?;
    let work = tempfile::tempdir_in(&options.dir)?;
    let hosts = work.path().join("hosts");
    write_hosts::<G>(&hosts)?;
    done(Command::new("mount").arg("--bind").arg(&hosts).arg("/etc/hosts"))?;
    done(Command::new("ip").args(["link", "set", "lo", "up"]))?;
    for (_, address) in G::hosts() {
        done(Command::new("ip").args(["addr", "add", &format!("{address}/32"), "dev", "lo"]))?;
    }
    let context = Context::new(options, work.path().to_owned());
    let mut report = Report::default();
    group::run::<G>(&context, &mut report).await?;
    Ok(std::fs::write(out, serde_json::to_vec(&(report.measured(), &report.notes))?)?)
}

/// Writes the hosts file that is used in the namespace.
fn write_hosts<G: Inside>(path: &Path) -> Result<()> {
    let mut text = String::from("127.0.0.1 localhost\n");
    for (name, address) in G::hosts() {
        text += &format!("{address} {name}\n");
    }
    Ok(std::fs::write(path, text)?)
}

/// Returns a command that runs another command in a new namespace.
fn unshare() -> Result<Command> {
    let mut command = Command::new("unshare");
    if std::fs::metadata("/proc/self")?.uid() != 0 {
        command.args(["--user", "--map-root-user"]);
    }
    command.args(["--net", "--mount"]);
    Ok(command)
}

fn is_permitted() -> bool {
    let tried = unshare().and_then(|mut command| {
        let command = command.args(["ip", "link", "set", "lo", "up"]);
        Ok(command.stdout(Stdio::null()).stderr(Stdio::null()).status()?)
    });
    tried.is_ok_and(|status| status.success())
}

/// Runs a command. Returns an error if the command fails.
pub(crate) fn done(command: &mut Command) -> Result<()> {
    let status = command.status()?;
    if status.success() { Ok(()) } else { Err(format!("{command:?} ended with {status}").into()) }
}
