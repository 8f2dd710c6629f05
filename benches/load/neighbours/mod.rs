//! The effect of one business, address or receiver on others.
//!
//! Every scenario has at least two rows: a victim alone, and a victim next to an offender, measured in the
//! same run on identical servers.
//!
//! Invariants:
//! - Every response to a victim is checked, and a wrong one ends the harness. One that is late counts as
//!   [`GIVEN_UP`] and appears in a note.
//! - The service may refuse offenders with 409, 429 or 503. Another failure ends the harness.

mod connecting;
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

/// The value of a missing response or event.
pub(crate) const GIVEN_UP: Duration = Duration::from_secs(20);

/// The text of `--list` for a row that is not measured.
pub(crate) const ELSEWHERE: &str =
    "(neighbours clock: nothing to measure; actors/engine/tests/engine/clock.rs and the simulation prove it)";
