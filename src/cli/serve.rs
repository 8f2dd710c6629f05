//! `serve` runs the service until it receives a signal to stop.
//!
//! Invariants: standard output contains only the two lines with the addresses. A failure to start prints one
//! line on standard error. The exit code is 2 after an invalid setting and 1 after another failure. SIGHUP
//! reloads the certificates and never ends the service. A slow reader of standard output or standard error
//! delays neither responses nor the exit.

use std::convert::Infallible;
use std::future::pending;
use std::process::ExitCode;

use net::Ports;
use sd_notify::NotifyState;
use store::StoreError;
use tokio::runtime::Builder;
use tokio::signal::unix::{Signal, SignalKind, signal};

use super::print;
use super::process::{raise_file_limit, starting, tell};
use crate::config::{ConfigError, EXIT_CODE, ServeArgs, Settings, variables};
use crate::service::{Service, ServiceError};
use crate::telemetry;

/// Runs the service. The exit code is 0 after a normal stop.
pub fn serve(args: ServeArgs) -> ExitCode {
    exit(run(args.try_into(), async |service: &Service| say(where_it_listens(service)).await))
}

/// Runs the service with these settings. `started` is called when the service listens.
pub(super) fn run(
    settings: Result<Settings, ConfigError>,
    started: impl AsyncFnOnce(&Service) -> Result<(), ServiceError>,
) -> Result<(), ServiceError> {
    let settings = settings?;
    telemetry::init(&settings.log).map_err(|error| ConfigError::new(variables::LOG, error))?;
    let _finish = FinishLog;
    for problem in variables::all_misspelt() {
        tracing::warn!("{problem}");
    }
    // The limit on open files must be raised before the process opens many files.
    raise_file_limit();
    let runtime = Builder::new_multi_thread().enable_all().build().map_err(no_runtime)?;
    runtime.block_on(async {
        // The signal handlers are installed before the listeners start, so that no signal is lost.
        let mut terminate = signal(SignalKind::terminate()).map_err(no_runtime)?;
        let mut interrupt = signal(SignalKind::interrupt()).map_err(no_runtime)?;
        let mut hangup = signal(SignalKind::hangup()).map_err(no_runtime)?;
        let ports = Ports::system().map_err(|error| ConfigError::new("SSL_CERT_FILE", error))?;
        let extensions = starting();
        let service = Service::start(&settings, ports, die).await?;
        extensions.abort();
        tell(NotifyState::Ready);
        tracing::info!(public = %service.public, admin = %service.admin, "the service listens");
        let listens = async {
            started(&service).await?;
            pending::<Result<Infallible, ServiceError>>().await
        };
        // If standard output is never read, `listens` never ends, so signals are handled at the same time.
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
            never = hung_up(&service, &mut hangup) => match never {},
            // The process may exit at once, since every acknowledged change is durable. The requests in
            // progress get no response.
            error = service.listener_failed() => return Err(error),
            failed = listens => match failed {
                Ok(never) => match never {},
                Err(error) => return Err(error),
            }
        }
        tracing::info!("the service stops");
        tell(NotifyState::Stopping);
        // A second signal ends the process immediately. This loses nothing, since every acknowledged change
        // is durable.
        tokio::select! {
            stopped = service.stop() => stopped,
            _ = terminate.recv() => Ok(()),
            _ = interrupt.recv() => Ok(()),
        }
    })
}

fn no_runtime(error: impl std::fmt::Display) -> ServiceError {
    ServiceError::Other(format!("cannot start the runtime: {error}"))
}

async fn hung_up(service: &Service, hangup: &mut Signal) -> Infallible {
    while hangup.recv().await.is_some() {
        service.read_certificates_again();
    }
    pending().await
}

/// Flushes the log when this value is dropped, also during a panic.
struct FinishLog;

impl Drop for FinishLog {
    fn drop(&mut self) {
        telemetry::finish();
    }
}

pub(super) fn where_it_listens(service: &Service) -> String {
    format!("listening on {}\noperator API on {}\n", service.base_url(), service.admin_url())
}

/// Writes to standard output when the reader is ready.
pub(super) async fn say(text: String) -> Result<(), ServiceError> {
    let written = print::output_when_read(text).await;
    written.map_err(|error| ServiceError::Other(format!("cannot write to standard output: {error}")))
}

/// Prints a failure as one line and returns the exit code.
pub(super) fn exit(ended: Result<(), ServiceError>) -> ExitCode {
    match ended {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            print::note(&error.to_string().replace('\n', " "));
            ExitCode::from(if matches!(error, ServiceError::Setting(_)) { EXIT_CODE } else { 1 })
        }
    }
}

/// Ends the process without writing the data that is in memory. The next start reads the state on disk.
fn die(error: &StoreError) {
    tracing::error!(error = error as &dyn std::error::Error, "the service cannot continue and exits");
    telemetry::finish();
    let of = if matches!(error, StoreError::Unsupervised) { "receptionist" } else { variables::DATA_DIR };
    print::note(&format!("{of}: {error}").replace('\n', " "));
    std::process::exit(1);
}
