//! The failures of tools.
//!
//! Invariants: a failure that a model can correct becomes one line with the next step. Any other failure becomes
//! the HTTP error response that `/v1` sends for it. An id of another business gets the same text as an unknown id.

use domain::{Named, Problem, Refusal, Scope};

use super::bounds::one_line;
use crate::english;
use crate::rest::error::ApiError;

const PROBLEMS_MAX: usize = 8;

#[derive(Debug)]
pub(super) enum Refused {
    /// One line with the problem and the next step.
    Told(String),
    /// A refusal by the engine's rules. The tool may add more detail.
    Rules(Refusal),
    /// A failure that the model cannot correct by a call with other arguments.
    Fault(ApiError),
}

impl Refused {
    pub(super) fn with_text(text: impl AsRef<str>) -> Self {
        Self::Told(one_line(text.as_ref()))
    }

    pub(super) fn scope(scope: Scope, what: &str) -> Self {
        Self::with_text(format!(
            "This key lacks the scope {scope}, which {what} needs. An owner or administrator of the business can \
             create a key with that scope."
        ))
    }

    /// Returns the text that the tool sends to the model. If the refusal has no such text, returns the error of `/v1`.
    pub(super) fn for_tool(self, tool: &str, arguments: &[&str]) -> Result<String, ApiError> {
        match self {
            Self::Told(text) => Ok(text),
            Self::Rules(refusal) => match words(&refusal, tool, arguments) {
                Some(words) => Ok(one_line(&words)),
                None => Err(ApiError::Refusal(refusal)),
            },
            Self::Fault(error) => Err(error),
        }
    }
}

impl<E: Into<ApiError>> From<E> for Refused {
    fn from(error: E) -> Self {
        match error.into() {
            ApiError::Refusal(refusal) => Self::Rules(refusal),
            error => Self::Fault(error),
        }
    }
}

/// The text for the model, or `None` if no other arguments can help.
fn words(refusal: &Refusal, tool: &str, arguments: &[&str]) -> Option<String> {
    Some(match refusal {
        // These refusals concern people, links, backups and imports, to which an API key gives no access.
        Refusal::NotAllowed(_) | Refusal::Expired | Refusal::UnderWay { .. } => return None,
        Refusal::Invalid(problems) => {
            format!("Nothing was done: {}. {}", listed(problems), takes(tool, arguments))
        }
        Refusal::NotFound(named) => {
            let finder = match named {
                Named::Appointment => "list_appointments",
                Named::Contact => "find_contacts",
                Named::Call => "list_calls",
                _ => "get_business",
            };
            let named = english::named(*named);
            format!("This business has no {named} with this id. Call `{finder}` to find the ids.")
        }
        Refusal::Conflict { conflict, details } if details.is_empty() => {
            format!("Nothing was done: {}.", english::conflict(conflict))
        }
        Refusal::Conflict { conflict, details } => {
            format!("Nothing was done: {} ({}).", english::conflict(conflict), listed(details))
        }
        Refusal::BookingDisabled => {
            "This business takes no bookings at the moment: nothing can be booked or moved. Ask the \
             customer to contact the business."
                .into()
        }
        Refusal::BookingRequiresConfirmation => format!(
            "The team of this business confirms each booking. If the customer accepts a request that the team may \
             decline, call `{tool}` again with allow_pending: true."
        ),
        Refusal::SlotUnavailable(reason) => {
            let reason = english::slot(*reason);
            format!("Nothing was done: {reason}. `find_open_times` lists the times that can be booked.")
        }
        Refusal::IdempotencyInProgress => {
            "The first call with this idempotency_key is still in progress. Repeat the same call in a second."
                .into()
        }
        Refusal::IdempotencyKeyReused => {
            "This idempotency_key was used for another request. Use a new key for a new request.".into()
        }
    })
}

pub(super) fn listed(problems: &[Problem]) -> String {
    let told = problems.iter().take(PROBLEMS_MAX).map(|Problem { path, code }| {
        let message = english::problem(code);
        // The engine's problem names a property of `/v1`. The tool's argument has a different name.
        let path = match path.as_str() {
            "service_id" => "service",
            "staff_id" => "staff",
            other => other,
        };
        if path.is_empty() { message } else { format!("{path} {message}") }
    });
    let mut told: Vec<String> = told.collect();
    if problems.len() > PROBLEMS_MAX {
        told.push(format!("and {} more problems", problems.len() - PROBLEMS_MAX));
    }
    told.join("; ")
}

fn takes(tool: &str, arguments: &[&str]) -> String {
    if arguments.is_empty() {
        format!("`{tool}` accepts no arguments.")
    } else {
        format!("Correct the arguments and call `{tool}` again. It accepts: {}.", arguments.join(", "))
    }
}
