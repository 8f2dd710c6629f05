//! The scenario `neighbours conversing`: the receptionist of one business talks to 1,000 callers at the same time,
//! without a chat model. Another business takes bookings.

use std::time::Duration;

use serde_json::Value;

use super::offenders::Offenders;
use super::tenants::found_bare;
use crate::client::{Answer, Connection, request};
use crate::drive::{Script, drive};
use crate::error::Result;
use crate::group::Context;
use crate::measure::Measured;
use crate::process::{Receptionist, TOKEN};
use crate::scripts::{Bookings, For};
use crate::table::{Row, Target};

const TURNS: &str = "neighbours conversing: turns of 1,000 open conversations, 8 connections";
const ALONE: &str = "neighbours conversing: bookings, 64 connections, alone";
const BESIDE: &str = "neighbours conversing: bookings beside 1,000 conversations with a turn every 10 s each";
const CONVERSATIONS: usize = 1_000;
/// The number of connections that send the turns of the callers.
const SPEAKERS: usize = 8;
const CONNECTIONS: usize = 64;
/// The time between two turns of a caller.
const TURN_EVERY: Duration = Duration::from_secs(10);
/// The targets: the 99th percentile of a turn's duration in milliseconds, the rate of bookings as a fraction of the
/// rate without conversations, and the memory of a conversation in bytes.
const UNDER: f64 = 20.0;
const AT_LEAST: f64 = 0.95;
const MEMORY_MAX: u64 = 64 << 10;

/// The words of each caller, one text per turn. After the last text, the caller hangs up and calls again.
const SAID: [&str; 6] = [
    "I would like a Coupe",
    "tomorrow at ten",
    "Jean Petit",
    "06 12 34 56 78",
    "no",
    "When are you open on Saturday?",
];

pub(super) fn rows() -> Vec<Row> {
    vec![
        Row::reaching(TURNS, &[Target::P99 { under: UNDER }]),
        Row::plain(ALONE),
        Row::reaching(BESIDE, &[Target::Rate { of: ALONE, at_least: AT_LEAST }]),
    ]
}

pub(super) fn has(row: &str) -> bool {
    rows().iter().any(|known| known.name == row)
}

pub(super) async fn measure(
    context: &Context,
    row: &'static str,
    notes: &mut Vec<String>,
) -> Result<Measured> {
    let directory = context.path("conversing");
    let server = Receptionist::start(&directory, None)?;
    let shops = found_bare(&server, 2).await?;
    let mut speakers = Vec::new();
    if row != ALONE {
        let before = server.process.resident();
        let callers = context.options.sized(CONVERSATIONS, SPEAKERS).div_ceil(SPEAKERS);
        for _ in 0..SPEAKERS {
            let mut speaker = Speaker::new(&shops[0].id, callers);
            let mut connection = Connection::open(server.operator).await?;
            // Before the memory is measured, each caller sends four requests: one starts the conversation, and three
            // are turns. Each conversation then stores bookable times and the name of the caller.
            for _ in 0..4 * callers {
                speaker.speak(&mut connection).await?;
            }
            speakers.push(speaker);
        }
        if let (Some(before), Some(after)) = (before, server.process.resident()) {
            let each = after.saturating_sub(before) / (SPEAKERS * callers) as u64;
            let limit = if each <= MEMORY_MAX { "reached" } else { "MISSED" };
            notes.push(format!(
                "{row}: {} KiB of memory for each conversation (at most {} KiB: {limit}).",
                each >> 10,
                MEMORY_MAX >> 10
            ));
        }
    }
    let period = context.options.period;
    let measured = if row == TURNS {
        drive(server.operator, speakers, period, &server.process).await?
    } else {
        let bookings = Bookings::new(&shops[1..], context.first_day, 0, For::Known)?;
        let victim = drive(server.public, bookings.scripts(CONNECTIONS), period, &server.process);
        let mut offenders = Offenders::default();
        for speaker in speakers {
            offenders.add(speaker.speak_slowly(Connection::open(server.operator).await?));
        }
        offenders.beside(victim).await?
    };
    server.process.stop()?;
    std::fs::remove_dir_all(directory)?;
    Ok(measured)
}

/// The callers of one connection. They speak in turn.
struct Speaker {
    path: String,
    callers: Vec<Option<Caller>>,
    at: usize,
}

struct Caller {
    conversation: String,
    said: usize,
}

impl Speaker {
    fn new(business: &str, callers: usize) -> Self {
        let path = format!("/admin/v1/businesses/{business}/conversations");
        Self { path, callers: std::iter::repeat_with(|| None).take(callers).collect(), at: 0 }
    }

    async fn speak(&mut self, connection: &mut Connection) -> Result<()> {
        let mut request = Vec::new();
        self.next(&mut request);
        self.check(&connection.exchange(&request).await?)
    }

    async fn speak_slowly(mut self, mut connection: Connection) -> Result<()> {
        let pause = TURN_EVERY / u32::try_from(self.callers.len())?;
        loop {
            tokio::time::sleep(pause).await;
            self.speak(&mut connection).await?;
        }
    }
}

impl Script for Speaker {
    fn next(&mut self, bytes: &mut Vec<u8>) -> bool {
        let post = |path: &str, body: Option<&str>| request("POST", path, TOKEN, body);
        bytes.extend(match &self.callers[self.at] {
            None => post(&self.path, Some(r#"{"channel":"voice","locale":"en"}"#)),
            Some(Caller { conversation, said }) => match SAID.get(*said) {
                Some(text) => {
                    let body = serde_json::json!({ "text": text }).to_string();
                    post(&format!("{}/{conversation}/turns", self.path), Some(&body))
                }
                None => post(&format!("{}/{conversation}/end", self.path), None),
            },
        });
        true
    }

    fn check(&mut self, answer: &Answer<'_>) -> Result<()> {
        let caller = &mut self.callers[self.at];
        match caller {
            None => {
                answer.expect(201)?;
                let body: Value = serde_json::from_slice(answer.body)?;
                let id = body["data"]["id"].as_str().ok_or_else(|| answer.wrong("it has no id"))?;
                *caller = Some(Caller { conversation: id.to_owned(), said: 0 });
            }
            Some(Caller { said, .. }) => {
                answer.expect(200)?;
                *said += 1;
                if *said > SAID.len() {
                    *caller = None;
                }
            }
        }
        self.at = (self.at + 1) % self.callers.len();
        Ok(())
    }
}
