//! The parts of the harness that run in child processes. Their CPU time and memory can then be measured separately.

use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::calendars::Calendars;
use crate::drive::Period;
use crate::floors;
use crate::measure::Measured;
use crate::namespace::{Inside, measure_inside};
use crate::neighbours::Delivering;
use crate::shop::{self, Shop};
use crate::webhooks::Webhooks;
use crate::{Result, process};

/// Runs the part of the harness that the arguments after `--child` select.
pub(crate) async fn run(arguments: &[String]) -> Result<()> {
    let mut rest = arguments.iter();
    let mut next = || rest.next().ok_or("an argument is missing");
    match next()?.as_str() {
        "axum" => floors::serve_constant().await,
        "fill" => {
            let plan = serde_json::from_str(next()?)?;
            let (directory, out) = (PathBuf::from(next()?), PathBuf::from(next()?));
            let shops = shop::fill(plan, &directory).await?;
            Ok(std::fs::write(out, serde_json::to_vec(&shops)?)?)
        }
        "store" => {
            let directory = PathBuf::from(next()?);
            let shape = serde_json::from_slice(&std::fs::read(next()?)?)?;
            let shops: Vec<Shop> = serde_json::from_slice(&std::fs::read(next()?)?)?;
            let out = PathBuf::from(next()?);
            let (first_day, in_flight) = (next()?.parse()?, next()?.parse()?);
            let mut millis = || -> Result<Duration> { Ok(Duration::from_millis(next()?.parse()?)) };
            let period = Period { warm_up: millis()?, measured: millis()? };
            let measured =
                floors::store_alone(&directory, shape, &shops, first_day, in_flight, period).await?;
            let measured = Measured { memory: process::memory("self", "VmHWM:"), ..measured };
            Ok(std::fs::write(out, serde_json::to_vec(&measured)?)?)
        }
        Webhooks::NAME => measure_inside::<Webhooks>(Path::new(next()?), rest.cloned().collect()).await,
        Delivering::NAME => measure_inside::<Delivering>(Path::new(next()?), rest.cloned().collect()).await,
        Calendars::NAME => measure_inside::<Calendars>(Path::new(next()?), rest.cloned().collect()).await,
        other => Err(format!("the harness has no part named {other}").into()),
    }
}
