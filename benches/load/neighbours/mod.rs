//! Neighbours: what one business, address or receiver does to the others.
//!
//! Every scenario has two rows or more: what a victim gets alone, and what it gets beside an offender, measured in the
//! same run on servers that are set up alike. What always holds:
//!
//! - a victim's every answer is checked, and a wrong one ends the harness; one that does not come in time counts as
//!   [`GIVEN_UP`], so that a silent server has a figure, and is told in a note;
//! - offenders may be refused by what holds them back (409, 429, 503); anything else ends the harness.

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

/// As what one counts that is not answered, or does not arrive.
pub(crate) const GIVEN_UP: Duration = Duration::from_secs(20);

/// What `--list` says of the row of neighbours that is not measured.
pub(crate) const ELSEWHERE: &str =
    "(neighbours clock: nothing to measure; actors/tests/engine/clock.rs and the simulation prove it)";
