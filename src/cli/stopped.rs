//! What the commands have in common that are carried out whole, and those on a store that no service runs on.
//!
//! What always holds: what goes wrong is one line on standard error; a store that was opened is closed, and what closing
//! it says counts.

use std::fmt::Display;
use std::path::Path;
use std::process::ExitCode;

use actors::store::{Store, StoreError};

use super::print;

/// Carries a command out on a runtime of its own. Exit code 1 when it fails, unless `status` says another.
pub(super) fn carry_out<E: Display>(
    act: impl Future<Output = Result<ExitCode, E>>,
    status: impl Fn(&E) -> u8,
) -> ExitCode {
    let runtime = match tokio::runtime::Builder::new_current_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => {
            print::note(&format!("cannot start the runtime: {error}"));
            return ExitCode::FAILURE;
        }
    };
    match runtime.block_on(act) {
        Ok(code) => code,
        Err(error) => {
            print::note(&error.to_string().replace('\n', " "));
            ExitCode::from(status(&error))
        }
    }
}

/// What a command fails with that can be tried again.
pub(super) fn failure<E>(_: &E) -> u8 {
    1
}

/// Does something on the store of a stopped service, and closes it.
pub(super) async fn on_store<T, E: From<StoreError>>(
    data_dir: &Path,
    act: impl AsyncFnOnce(&Store) -> Result<T, E>,
) -> Result<T, E> {
    let store = Store::open_disk(data_dir, Box::new(|_| ()))?;
    let done = act(&store).await;
    let closed = store.close().await;
    let done = done?;
    closed?;
    Ok(done)
}
