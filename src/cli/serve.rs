//! `serve`: runs the service until it is told to stop.
//!
//! What always holds: standard output carries the two lines that say where the service listens, and nothing else; a
//! setting that cannot be used is one line on standard error and exit code 2, any other failure to start one line and
//! exit code 1; a hang-up has the files of certificates read again, and never ends the service; standard output
//! and error that are not read hold up neither an answer nor the end.

use std::convert::Infallible;
use std::future::pending;
use std::io;
use std::process::ExitCode;

use actors::ports::Ports;
use actors::store::StoreError;
use tokio::runtime::{Builder, Runtime};
use tokio::signal::unix::{Signal, SignalKind, signal};

use super::supervisor::{self, Supervisor};
use super::{open_files, print};
use crate::config::{ConfigError, EXIT_CODE, ServeArgs, Settings, variables};
use crate::server::ServerError;
use crate::service::{Service, ServiceError};
use crate::telemetry;

/// Why the service could not run.
#[derive(Debug, thiserror::Error)]
pub(super) enum ServeError {
    #[error(transparent)]
    Config(#[from] ConfigError),
    #[error(transparent)]
    Service(#[from] ServiceError),
    #[error("cannot start the runtime: {0}")]
    Runtime(#[source] io::Error),
    #[error("cannot write to standard output: {0}")]
    Output(#[source] io::Error),
    #[error("the sample business could not be made: {0}")]
    Sample(String),
}

impl ServeError {
    /// Whether a setting has a bad value; a certificate that cannot be read is one, an address in use is not.
    fn is_of_a_setting(&self) -> bool {
        match self {
            Self::Config(_) => true,
            Self::Service(ServiceError::Server(ServerError::Bind { source, .. })) => {
                source.kind() == io::ErrorKind::AddrNotAvailable
            }
            Self::Service(ServiceError::Server(_)) => true,
            Self::Service(ServiceError::Store { source }) => matches!(source, StoreError::NotADirectory(_)),
            _ => false,
        }
    }
}

/// Runs the service. Exit code 0 once it has stopped in order.
pub fn serve(args: ServeArgs) -> ExitCode {
    exit(run(args.try_into(), async |service: &Service| say(where_it_listens(service)).await))
}

/// Runs the service with these settings; `started` runs once it listens.
pub(super) fn run(
    settings: Result<Settings, ConfigError>,
    started: impl AsyncFnOnce(&Service) -> Result<(), ServeError>,
) -> Result<(), ServeError> {
    let settings = settings?;
    telemetry::init(&settings.log).map_err(|error| ConfigError::new(variables::LOG, error))?;
    let _finish = FinishLog;
    for problem in variables::all_misspelt() {
        tracing::warn!("{problem}");
    }
    // Before anything is opened that counts.
    open_files::raise_limit();
    runtime()?.block_on(async {
        // Before the listeners, so that a signal that comes as soon as they are up is not lost.
        let mut stop = Stop::new().map_err(ServeError::Runtime)?;
        let mut hangup = signal(SignalKind::hangup()).map_err(ServeError::Runtime)?;
        let ports = Ports::system().map_err(|error| ConfigError::new("SSL_CERT_FILE", error))?;
        let supervisor = Supervisor::begin();
        let service = Service::start(&settings, ports, die).await?;
        supervisor.ready();
        tracing::info!(public = %service.public, admin = %service.admin, "the service listens");
        let listens = async {
            started(&service).await?;
            pending::<Result<Infallible, ServeError>>().await
        };
        // Standard output may be read late or never; the signal counts all the same.
        tokio::select! {
            () = stop.wait() => {}
            never = hung_up(&service, &mut hangup) => match never {},
            // What was answered is on the disk; what is in flight has nobody to wait for.
            fallen = service.fallen() => return Err(fallen.into()),
            failed = listens => match failed {
                Ok(never) => match never {},
                Err(error) => return Err(error),
            }
        }
        tracing::info!("the service stops");
        supervisor::stopping();
        // A second signal ends it at once; what was answered is on the disk in any case.
        tokio::select! {
            stopped = service.stop() => Ok(stopped?),
            () = stop.wait() => Ok(()),
        }
    })
}

/// Reads the files of certificates again at every hang-up.
async fn hung_up(service: &Service, hangup: &mut Signal) -> Infallible {
    while hangup.recv().await.is_some() {
        service.read_certificates_again();
    }
    pending().await
}

/// Has the log written when the process ends, by a panic too.
struct FinishLog;

impl Drop for FinishLog {
    fn drop(&mut self) {
        telemetry::finish();
    }
}

/// The lines that say where the service listens.
pub(super) fn where_it_listens(service: &Service) -> String {
    format!("listening on {}\noperator API on {}\n", service.base_url(), service.admin_url())
}

/// Says something on standard output, once somebody reads it.
pub(super) async fn say(text: String) -> Result<(), ServeError> {
    print::output_when_read(text).await.map_err(ServeError::Output)
}

/// The exit code, after one line for what went wrong.
pub(super) fn exit(ended: Result<(), ServeError>) -> ExitCode {
    match ended {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            print::note(&error.to_string().replace('\n', " "));
            ExitCode::from(if error.is_of_a_setting() { EXIT_CODE } else { 1 })
        }
    }
}

/// Ends the process when the store has failed, or what nothing goes on without: nothing may be answered any more, and
/// nothing of what is in memory may reach the disk. The next start reads what the disk holds.
fn die(error: &StoreError) {
    tracing::error!(error = error as &dyn std::error::Error, "nothing can go on; the service ends");
    telemetry::finish();
    let of = if matches!(error, StoreError::Unsupervised) { "receptionist" } else { variables::DATA_DIR };
    print::note(&format!("{of}: {error}").replace('\n', " "));
    std::process::exit(1);
}

pub(super) fn runtime() -> Result<Runtime, ServeError> {
    Builder::new_multi_thread().enable_all().build().map_err(ServeError::Runtime)
}

/// The signals that end the service.
struct Stop {
    terminate: Signal,
    interrupt: Signal,
}

impl Stop {
    fn new() -> io::Result<Self> {
        Ok(Self { terminate: signal(SignalKind::terminate())?, interrupt: signal(SignalKind::interrupt())? })
    }

    async fn wait(&mut self) {
        tokio::select! {
            _ = self.terminate.recv() => {}
            _ = self.interrupt.recv() => {}
        }
    }
}
