//! Counters of turns and of requests to the model, for the metrics.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use domain::{Channel, GateRule};
use store::measure::{Distribution, Histogram};
use view::TurnView;

/// The upper bounds of the histogram buckets, in microseconds.
const MICROS: [u64; 12] = [
    1_000, 5_000, 20_000, 50_000, 100_000, 250_000, 500_000, 1_000_000, 2_000_000, 3_000_000, 5_000_000,
    8_000_000,
];

/// The result of a request to the model's server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ModelOutcome {
    Answered,
    /// The stream ended early, or the connection was closed without a response.
    Torn,
    Timeout,
    /// The status was 429.
    Limited,
    /// The status was 5xx.
    Failed,
    /// The status was not 2xx, 429 or 5xx.
    Refused,
    Unreachable,
}

impl ModelOutcome {
    const ALL: [(Self, &str); 7] = [
        (Self::Answered, "answered"),
        (Self::Torn, "torn"),
        (Self::Timeout, "timeout"),
        (Self::Limited, "limited"),
        (Self::Failed, "failed"),
        (Self::Refused, "refused"),
        (Self::Unreachable, "unreachable"),
    ];
}

pub(crate) struct TalkingFigures {
    asked: [AtomicU64; ModelOutcome::ALL.len()],
    first_token: Histogram<{ MICROS.len() }>,
    turns: [Histogram<{ MICROS.len() }>; Channel::ALL.len()],
    dropped: [AtomicU64; GateRule::ALL.len()],
}

/// The counts of turns and of requests to the model since the start.
pub struct TalkingCounts {
    /// The number of requests to the model's server, by result.
    pub asked: Vec<(&'static str, u64)>,
    /// The time from a request to its first token, in microseconds.
    pub first_token: Distribution,
    /// The duration of a turn, in microseconds, by channel.
    pub turns: Vec<(&'static str, Distribution)>,
    /// The number of sentences of the model that were dropped, by rule.
    pub dropped: Vec<(&'static str, u64)>,
}

impl Default for TalkingFigures {
    fn default() -> Self {
        Self {
            asked: Default::default(),
            first_token: Histogram::new(&MICROS),
            turns: std::array::from_fn(|_| Histogram::new(&MICROS)),
            dropped: Default::default(),
        }
    }
}

impl TalkingFigures {
    pub(super) fn asked(&self, result: ModelOutcome) {
        self.asked[result as usize].fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn first_token(&self, after: Duration) {
        self.first_token.observe(micros(after));
    }

    pub(super) fn turn(&self, channel: Channel, took: Duration, turns: &[TurnView]) {
        self.turns[channel as usize].observe(micros(took));
        for dropped in turns.iter().flat_map(|turn| &turn.dropped) {
            self.dropped[dropped.rule as usize].fetch_add(1, Ordering::Relaxed);
        }
    }

    pub(crate) fn read(&self) -> TalkingCounts {
        let get = |count: &AtomicU64| count.load(Ordering::Relaxed);
        TalkingCounts {
            asked: ModelOutcome::ALL
                .iter()
                .map(|(result, word)| (*word, get(&self.asked[*result as usize])))
                .collect(),
            first_token: self.first_token.read(),
            turns: Channel::ALL.iter().map(|it| (it.as_str(), self.turns[*it as usize].read())).collect(),
            dropped: GateRule::ALL.iter().map(|it| (it.as_str(), get(&self.dropped[*it as usize]))).collect(),
        }
    }
}

fn micros(time: Duration) -> u64 {
    u64::try_from(time.as_micros()).unwrap_or(u64::MAX)
}
