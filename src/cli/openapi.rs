//! `openapi`: prints the document of the public API.

use std::process::ExitCode;

use super::print;
use crate::openapi::document;

/// Prints the document. Exit code 1 if nobody takes it.
pub fn openapi() -> ExitCode {
    match print::output(&format!("{:#}\n", document())) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            print::note(&format!("cannot write to standard output: {error}"));
            ExitCode::FAILURE
        }
    }
}
