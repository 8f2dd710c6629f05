//! Measures the effect of one business, address or receiver on others.
//!
//! Every scenario has at least two rows: the requests of a *victim* alone, and the same requests while an *offender*
//! causes load. Both are measured in the same run on identical servers.
//!
//! Invariants:
//!
//! - Every response to a victim is checked, and a wrong response ends the harness. If no response arrives, the
//!   duration [`GIVEN_UP`] is recorded, and a note says so.
//! - The service may refuse requests of offenders with 409, 429 or 503. Any other failure ends the harness.

mod connecting;
mod conversing;
mod delivering;
mod filling;
mod log_unread;
mod long_values;
mod near;
mod offenders;
mod receivers;
mod scanning;
mod tenants;

use std::time::Duration;

pub(crate) use self::delivering::Delivering;
pub(crate) use self::near::Neighbours;

/// The duration that is recorded if a response or an event is missing.
pub(crate) const GIVEN_UP: Duration = Duration::from_secs(20);

/// The text that `--list` prints for a row that is not measured.
pub(crate) const ELSEWHERE: &str =
    "(neighbours clock: not measured; actors/engine/tests/engine/clock.rs and the simulation test it)";
