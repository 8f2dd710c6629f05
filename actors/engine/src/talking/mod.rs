//! Turns in which a chat model speaks for the receptionist.
//!
//! A turn has three steps:
//!
//! 1. The actor of the business reads the facts and the stored conversation (`prepare`).
//! 2. The rounds of the model run outside the actor (`turn`). When the model calls a function, the actor answers the
//!    function call, but makes no change.
//! 3. The actor runs the same rules again with all answers, and commits the turn and its effects in one batch.
//!
//! Invariants:
//! - An actor never waits for the model's server.
//! - A turn changes nothing before its last step. A crash before the last step loses only a turn whose response has not
//!   been sent.
//! - If the conversation has changed since the first step, the turn is refused.
//! - All tokens that a client causes are counted, even if the client disconnects: the turn continues without the
//!   client. An estimate of a request's tokens is added before the request is sent, and corrected after the response.
//! - If the model is slow or fails, or if the business has used up its tokens, the guided path (the rules without a
//!   model) answers the turn.

mod figures;
mod seats;
pub(crate) mod summary;
mod tokens;
mod turn;

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use domain::{BusinessId, ConversationId};
use parking_lot::{Mutex, RwLock};
use ports::{ModelFault, ModelResponse, ModelServer};
use serde_json::{Map, Value};
use talk::model::{Call, Settings, Stream};
use tokio::time::{Instant, timeout_at};

use self::figures::{ModelOutcome, TalkingFigures};
use self::seats::Seats;
use self::tokens::{Counted, Tokens};
use crate::quota::Quota;

pub use self::figures::TalkingCounts;
pub(crate) use self::tokens::UsedTokens;

const FIRST_TOKEN_TIME_MAX: Duration = Duration::from_secs(3);
/// If the first token of a turn in a phone call arrives later than this, the turn begins with a line that asks for a
/// moment.
const MOMENT_AFTER: Duration = Duration::from_millis(1_200);
/// The time for which the engine waits for further data after the `finish_reason` of a response.
const FINISH_TIME_MAX: Duration = Duration::from_millis(500);
/// The maximum time of all rounds of a turn.
const TURN_TIME_MAX: Duration = Duration::from_secs(8);
/// The minimum time for answering the function calls in a response of the model. The function calls get the rest of
/// [`TURN_TIME_MAX`]. If the rest is shorter than this minimum, they get this minimum.
const FUNCTIONS_TIME_MIN: Duration = Duration::from_secs(1);
/// The pause of the model after [`FAILURES`] failures, or after its server has refused a request.
const REST: Duration = Duration::from_secs(30);
/// After this number of failures within [`FAILURES_WITHIN`], the model is paused for the time [`REST`].
const FAILURES: usize = 3;
const FAILURES_WITHIN: Duration = Duration::from_secs(60);
/// The maximum number of bytes that are read of the body of an error response.
const ERROR_BYTES_MAX: usize = 4 << 10;
const CHARS_PER_TOKEN: u64 = 4;
/// The service estimates the number of tokens from the number of characters. If the server reports less than the
/// estimate divided by this number, the service ignores the report and uses the estimate.
const TOO_FEW_TOKENS: u64 = 4;

/// The model, if the service has one, and the turns in progress.
pub(crate) struct Talking {
    model: RwLock<Option<Arc<Model>>>,
    pub(crate) has_model: Arc<AtomicBool>,
    /// The conversations that have a turn in progress.
    turns: Arc<Quota<(BusinessId, ConversationId)>>,
    pub(crate) figures: Arc<TalkingFigures>,
    /// Held while an index of knowledge entries is built.
    pub(crate) indexing: tokio::sync::Mutex<()>,
}

impl Default for Talking {
    fn default() -> Self {
        let turns = Arc::new(Quota::new(usize::MAX, 1));
        Self {
            model: RwLock::default(),
            has_model: Arc::default(),
            turns,
            figures: Arc::default(),
            indexing: tokio::sync::Mutex::default(),
        }
    }
}

impl Talking {
    fn model(&self) -> Option<Arc<Model>> {
        self.model.read().clone()
    }

    /// Sets the model and its server. `options` are added to each request.
    pub(crate) fn begin(&self, server: Arc<dyn ModelServer>, model: String, options: Map<String, Value>) {
        *self.model.write() = Some(Arc::new(Model {
            server,
            model,
            options,
            says_usage: AtomicBool::new(true),
            seats: Seats::default(),
            rest: Mutex::default(),
            tokens: Tokens::default(),
            figures: Arc::clone(&self.figures),
        }));
        self.has_model.store(true, Ordering::Relaxed);
    }
}

struct Model {
    server: Arc<dyn ModelServer>,
    model: String,
    options: Map<String, Value>,
    /// Whether the requests contain `stream_options`. If a response with the status 400 names this field, later
    /// requests do not contain it.
    says_usage: AtomicBool,
    seats: Seats,
    rest: Mutex<Resting>,
    tokens: Tokens,
    figures: Arc<TalkingFigures>,
}

/// The sentences and the function calls from one response of the model.
#[derive(Clone, Debug, Default)]
pub(crate) struct Round {
    pub(crate) sentences: Vec<String>,
    pub(crate) calls: Vec<Call>,
}

/// The rounds of the model in a turn.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rounds {
    pub(crate) rounds: Vec<Round>,
    /// The number of tokens that the rounds used.
    pub(crate) tokens: u64,
    /// True if the caller of a phone call had to wait for longer than [`MOMENT_AFTER`].
    pub(crate) is_late: bool,
}

/// A round of the model.
struct Received {
    round: Round,
    /// True if the response ended before the round was complete.
    has_failed: bool,
    first_token: Instant,
}

/// The end of a request to the model's server.
enum Ended {
    /// The response can be used: it contained sentences or function calls, or it was empty and complete. `has_failed`
    /// is true if the response was not complete.
    With { round: Round, tokens: u64, has_failed: bool, first_token: Instant },
    /// The request failed, or its response ended early without a sentence or a function call. `is_torn` is true if the
    /// same request may be sent once more.
    Without { tokens: u64, is_torn: bool },
    /// The request must be sent again without `stream_options`.
    Again,
}

impl Model {
    /// Requests one round from the model. Returns the round and the number of used tokens. The round is `None` if the
    /// model failed. This function also adds the used tokens to those that the business has used on the current day.
    async fn round(
        &self,
        counted: &Counted,
        body: impl Fn(&Settings) -> Value,
        (first_time_max, deadline): (Duration, Instant),
    ) -> (Option<Received>, u64) {
        let (mut tokens, mut is_retry) = (0, false);
        loop {
            let first_by = deadline.min(Instant::now() + first_time_max);
            if self.rest.lock().is_now() {
                return (None, tokens);
            }
            let Ok(Some(_seat)) =
                timeout_at(first_by, self.seats.take(counted.business, counted.is_website)).await
            else {
                return (None, tokens);
            };
            let usage = self.says_usage.load(Ordering::Relaxed);
            let settings = Settings { model: self.model.clone(), options: self.options.clone(), usage };
            match self.ask(counted, view::render(&body(&settings)), usage, (first_by, deadline)).await {
                Ended::With { round, tokens: more, has_failed, first_token } => {
                    return (Some(Received { round, has_failed, first_token }), tokens + more);
                }
                Ended::Without { tokens: more, is_torn: true } if !is_retry => {
                    (tokens, is_retry) = (tokens + more, true);
                }
                Ended::Without { tokens: more, .. } => return (None, tokens + more),
                Ended::Again => self.says_usage.store(false, Ordering::Relaxed),
            }
        }
    }

    /// Sends a request. Until the request ends, the estimated tokens of its body count as used.
    async fn ask(&self, counted: &Counted, body: Vec<u8>, usage: bool, by: (Instant, Instant)) -> Ended {
        let chars = String::from_utf8_lossy(&body).chars().count();
        let estimate = tokens_of(chars);
        self.tokens.add(counted, estimate);
        let ended = self.sent(body, chars, usage, by).await;
        let tokens = match &ended {
            Ended::With { tokens, .. } | Ended::Without { tokens, .. } => *tokens,
            Ended::Again => 0,
        };
        self.tokens.correct(counted, estimate, tokens);
        ended
    }

    async fn sent(
        &self,
        body: Vec<u8>,
        sent: usize,
        usage: bool,
        (first_by, deadline): (Instant, Instant),
    ) -> Ended {
        let began = Instant::now();
        let failed = |asked, is_torn| {
            self.note(asked);
            Ended::Without { tokens: 0, is_torn }
        };
        let response = match timeout_at(first_by, self.server.ask(body)).await {
            // The server may still process the request, so the tokens of the request count as used.
            Err(_) => {
                self.note(ModelOutcome::Timeout);
                return Ended::Without { tokens: tokens_of(sent), is_torn: false };
            }
            Ok(Err(ModelFault::Unreachable)) => return failed(ModelOutcome::Unreachable, false),
            Ok(Err(ModelFault::Closed)) => return failed(ModelOutcome::Torn, true),
            Ok(Ok(response)) => response,
        };
        match response.status {
            200..=299 => {}
            429 => return failed(ModelOutcome::Limited, false),
            500..=599 => return failed(ModelOutcome::Failed, false),
            status => {
                if usage && status == 400 && error_of(response, first_by).await.contains("stream_options") {
                    self.note(ModelOutcome::Refused);
                    return Ended::Again;
                }
                if matches!(status, 401 | 403 | 404) {
                    tracing::warn!(
                        status,
                        "the model's server refuses requests; the model is not used for 30 s"
                    );
                    self.rest.lock().begin();
                }
                return failed(ModelOutcome::Refused, false);
            }
        }
        let ModelResponse { mut body, .. } = response;
        let (mut stream, mut is_late) = (Stream::new(), false);
        let mut first_token = None;
        while !stream.is_done() {
            let has_begun = stream.has_begun();
            let until = match (has_begun, stream.is_finished()) {
                (false, _) => first_by,
                (true, false) => deadline,
                (true, true) => deadline.min(Instant::now() + FINISH_TIME_MAX),
            };
            match timeout_at(until, body.next()).await {
                Ok(Some(bytes)) => stream.push(&bytes),
                Ok(None) => break,
                Err(_) => {
                    is_late = !stream.is_finished();
                    break;
                }
            }
            if !has_begun && stream.has_begun() {
                first_token = Some(Instant::now());
                self.figures.first_token(began.elapsed());
            }
        }
        let reply = stream.finish();
        let estimate = tokens_of(sent + reply.chars);
        let is_plausible = |tokens: &u64| tokens.saturating_mul(TOO_FEW_TOKENS) >= estimate;
        let tokens = reply.tokens.filter(is_plausible).unwrap_or(estimate);
        let is_torn = reply.is_torn && !is_late;
        self.note(match (is_late, is_torn) {
            (true, _) => ModelOutcome::Timeout,
            (false, true) => ModelOutcome::Torn,
            (false, false) => ModelOutcome::Answered,
        });
        if reply.is_empty && (is_late || is_torn) {
            return Ended::Without { tokens, is_torn };
        }
        let round = Round { sentences: reply.sentences, calls: reply.calls };
        let first_token = first_token.unwrap_or_else(Instant::now);
        Ended::With { round, tokens, has_failed: is_late || is_torn, first_token }
    }

    /// Counts the result of a request. After several failures, the model is not used for [`REST`].
    fn note(&self, asked: ModelOutcome) {
        self.figures.asked(asked);
        if matches!(
            asked,
            ModelOutcome::Timeout | ModelOutcome::Limited | ModelOutcome::Failed | ModelOutcome::Unreachable
        ) && self.rest.lock().note_failure()
        {
            tracing::warn!(
                ?asked,
                "the model's server has failed several times; the model is not used for 30 s"
            );
        }
    }
}

/// The estimate of the number of tokens in a text with this many characters.
fn tokens_of(chars: usize) -> u64 {
    (chars as u64).div_ceil(CHARS_PER_TOKEN)
}

/// Returns the beginning of the body of an error response.
async fn error_of(response: ModelResponse, until: Instant) -> String {
    let (mut body, mut error) = (response.body, Vec::new());
    while error.len() < ERROR_BYTES_MAX
        && let Ok(Some(bytes)) = timeout_at(until, body.next()).await
    {
        error.extend(bytes);
    }
    String::from_utf8_lossy(&error).into_owned()
}

/// The failures of the model's server, and the time until which it gets no requests.
#[derive(Default)]
struct Resting {
    failures: VecDeque<Instant>,
    until: Option<Instant>,
}

impl Resting {
    fn is_now(&self) -> bool {
        self.until.is_some_and(|until| Instant::now() < until)
    }

    fn begin(&mut self) {
        self.failures.clear();
        self.until = Some(Instant::now() + REST);
    }

    /// Records a failure. Returns true if a pause of [`REST`] begins, during which the model is not used.
    fn note_failure(&mut self) -> bool {
        let now = Instant::now();
        self.failures.retain(|at| now - *at < FAILURES_WITHIN);
        self.failures.push_back(now);
        let begins = self.failures.len() >= FAILURES;
        if begins {
            self.begin();
        }
        begins
    }
}
