//! The scenario `neighbours long values`: one business writes very long texts as fast as it can.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::json;

use super::offenders::Offenders;
use super::tenants::{Session, found_bare};
use crate::drive::drive;
use crate::error::Result;
use crate::group::Context;
use crate::measure::Measured;
use crate::process::Receptionist;
use crate::scripts::{Bookings, For};
use crate::table::{Row, Target};

const ALONE: &str = "neighbours long values: bookings, 8 connections, alone";
const BESIDE: &str = "neighbours long values: bookings beside 20 clients posting 50,000 characters each";
const CONNECTIONS: usize = 8;
const WRITERS: usize = 20;
/// The maximum length of the content of a knowledge entry, in characters.
const CHARACTERS: usize = 50_000;
/// The target for the 99th percentile of the durations of bookings. With the writers, it may be at most this many times
/// as long as without the writers.
const AT_MOST: f64 = 3.0;

pub(super) fn rows() -> Vec<Row> {
    vec![Row::plain(ALONE), Row::reaching(BESIDE, &[Target::Tail { of: ALONE, at_most: AT_MOST }])]
}

pub(super) async fn measure(
    context: &Context,
    row: &'static str,
    notes: &mut Vec<String>,
) -> Result<Measured> {
    let directory = context.path("long-values");
    let server = Receptionist::start(&directory, None)?;
    let shops = found_bare(&server, 2).await?;
    let (written, refused) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let mut offenders = Offenders::default();
    for number in 0..if row == BESIDE { WRITERS } else { 0 } {
        let asker = Session::open(server.public, &shops[0].key).await?;
        offenders.add(write(asker, number, Arc::clone(&written), Arc::clone(&refused)));
    }
    let bookings = Bookings::new(&shops[1..], context.first_day, 0, For::Known)?;
    let victim = drive(server.public, bookings.scripts(CONNECTIONS), context.options.period, &server.process);
    let measured = offenders.beside(victim).await?;
    let refused = refused.load(Ordering::Relaxed);
    if refused > 0 {
        let written = written.load(Ordering::Relaxed);
        notes.push(format!("{row}: {written} long texts were written and {refused} were refused."));
    }
    server.process.stop()?;
    std::fs::remove_dir_all(directory)?;
    Ok(measured)
}

/// Writes long texts in an endless loop. Each request waits for the response to the previous request.
async fn write(
    mut asker: Session,
    number: usize,
    written: Arc<AtomicUsize>,
    refused: Arc<AtomicUsize>,
) -> Result<()> {
    loop {
        let all = written.load(Ordering::Relaxed) + refused.load(Ordering::Relaxed);
        match asker.try_post("/v1/knowledge", &long_text(number << 32 | all)).await? {
            (201, _) => _ = written.fetch_add(1, Ordering::Relaxed),
            (409 | 503, _) => {
                refused.fetch_add(1, Ordering::Relaxed);
                tokio::time::sleep(PAUSE).await;
            }
            (status, answer) => return Err(format!("a long text got the response {status}: {answer}").into()),
        }
    }
}

/// The pause after the server has refused a text.
const PAUSE: std::time::Duration = std::time::Duration::from_millis(100);

/// Returns the body of a long knowledge entry whose text compresses badly. The number makes the text unique.
pub(super) fn long_text(number: usize) -> String {
    let mut state = (number as u64) ^ 0x9e37_79b9_7f4a_7c15;
    let letters = (0..CHARACTERS).map(|_| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        char::from(b'a' + u8::try_from((state >> 59) % 26).unwrap_or_default())
    });
    let content: String = letters.collect();
    json!({ "title": format!("Text {number}"), "content": content }).to_string()
}
