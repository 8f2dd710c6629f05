//! Forms act once: the answer to a form is kept for whoever sends it again, by a double click, by reloading, or with the
//! back button.
//!
//! What always holds: a form whose id is known acts no second time, and neither does one of which that can no longer be
//! told: it was made before the oldest id that is remembered, so before this process began too. A form that was refused
//! has done nothing, and may be sent again. What a form's answer shows, a key or a secret perhaps, is in memory for two
//! minutes, for that session and form, and nowhere else.

use std::collections::{HashMap, VecDeque};
use std::time::Duration;

use axum::body::Body;
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use bytes::Bytes;
use http_body_util::BodyExt;
use parking_lot::Mutex;
use tokio::sync::watch;
use tokio::time::Instant;

use super::form::FormId;

/// How long an answer is kept.
pub(super) const KEPT: Duration = Duration::from_secs(2 * 60);
/// How many answers are kept; of one more the oldest goes early.
const ANSWERS_MAX: usize = 1_024;
/// How many ids are remembered that have acted.
const IDS_MAX: usize = 65_536;
/// How old a form may be, in milliseconds: a day.
const AGE_MILLIS_MAX: i64 = 24 * 60 * 60 * 1_000;
/// How far a form's time may lie ahead, in milliseconds: what the believed clock goes back without a doubt.
const AHEAD_MILLIS_MAX: i64 = 60 * 1_000;

/// Which form of whom: a digest of the session's token and the form's id.
pub(super) type Key = [u8; 32];

/// An answer that is given again.
#[derive(Clone)]
struct Answer {
    status: StatusCode,
    headers: HeaderMap,
    body: Bytes,
}

/// What becomes of a form that acts.
type Outcome = watch::Receiver<Option<Answer>>;

/// The forms that have acted.
pub(super) struct Once {
    state: Mutex<State>,
}

struct State {
    /// `None` where the answer is kept no longer.
    acted: HashMap<Key, Option<Outcome>>,
    /// In the order in which they came, with when the form was made.
    order: VecDeque<(Key, i64)>,
    answers: VecDeque<(Key, Instant)>,
    /// Of forms made before this, in milliseconds, it is not known whether they have acted.
    horizon: i64,
}

/// What a form is to do.
pub(super) enum Turn {
    /// It acts; the guard is told the answer.
    Act(Acting),
    /// It has acted, or acts just now.
    Acted(Again),
    /// It has acted, and the answer is kept no longer.
    Forgotten,
    /// It is too old to tell.
    Stale,
}

/// A form that acts.
pub(super) struct Acting {
    tell: watch::Sender<Option<Answer>>,
}

/// A form that was sent again.
pub(super) struct Again(Outcome);

impl Once {
    /// None has acted that was made from this instant on, in milliseconds.
    pub(super) fn new(now: i64) -> Self {
        let state =
            State { acted: HashMap::new(), order: VecDeque::new(), answers: VecDeque::new(), horizon: now };
        Self { state: Mutex::new(state) }
    }

    /// Forgets the answers that were kept for long enough: some show what is shown once.
    pub(super) fn forget(&self) {
        self.state.lock().forget_answers(Instant::now());
    }

    /// What a form is to do that is sent at this instant, in milliseconds.
    pub(super) fn turn(&self, key: Key, id: &FormId, now: i64) -> Turn {
        let mut state = self.state.lock();
        state.forget_answers(Instant::now());
        match state.acted.get(&key) {
            Some(Some(outcome)) => return Turn::Acted(Again(outcome.clone())),
            Some(None) => return Turn::Forgotten,
            None => {}
        }
        let is_known =
            id.made >= state.horizon.max(now - AGE_MILLIS_MAX) && id.made <= now + AHEAD_MILLIS_MAX;
        if !is_known {
            return Turn::Stale;
        }
        let (tell, outcome) = watch::channel(None);
        state.remember(key, id.made, outcome);
        Turn::Act(Acting { tell })
    }

    /// Takes it back that a form has acted: it was refused, and may be sent again.
    pub(super) fn take_back(&self, key: &Key) {
        // What stands in the queues of it ends nothing.
        self.state.lock().acted.remove(key);
    }
}

impl State {
    fn remember(&mut self, key: Key, made: i64, outcome: Outcome) {
        self.acted.insert(key, Some(outcome));
        self.order.push_back((key, made));
        self.answers.push_back((key, Instant::now()));
        if self.answers.len() > ANSWERS_MAX {
            self.forget_answer();
        }
        while self.order.len() > IDS_MAX {
            let Some((key, made)) = self.order.pop_front() else { break };
            if self.acted.remove(&key).is_some() {
                self.horizon = self.horizon.max(made + 1);
            }
        }
    }

    fn forget_answers(&mut self, now: Instant) {
        while self.answers.front().is_some_and(|(_, at)| now >= *at + KEPT) {
            self.forget_answer();
        }
    }

    fn forget_answer(&mut self) {
        let Some((key, _)) = self.answers.pop_front() else { return };
        if let Some(kept) = self.acted.get_mut(&key) {
            *kept = None;
        }
    }
}

impl Acting {
    /// Keeps the answer, and gives it to whoever sends the form again.
    pub(super) async fn answered(self, response: Response) -> Response {
        let (head, body) = response.into_parts();
        // Pages are whole when they are answered.
        let body = body.collect().await.map(http_body_util::Collected::to_bytes).unwrap_or_default();
        let answer = Answer { status: head.status, headers: head.headers.clone(), body: body.clone() };
        self.tell.send_replace(Some(answer));
        Response::from_parts(head, Body::from(body))
    }
}

impl Again {
    /// The answer that the form has got; nothing where whoever acted came to no end.
    pub(super) async fn answer(mut self) -> Option<Response> {
        let answer = self.0.wait_for(Option::is_some).await.ok()?.clone()?;
        let mut response = Response::new(Body::from(answer.body));
        *response.status_mut() = answer.status;
        *response.headers_mut() = answer.headers;
        Some(response)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::LazyLock;

    use actors::ports::Ports;
    use axum::response::IntoResponse;

    use super::*;

    static PORTS: LazyLock<Ports> = LazyLock::new(|| Ports::system().unwrap());

    fn id(made: i64) -> FormId {
        FormId::new(&PORTS, made)
    }

    fn key(number: u32) -> Key {
        let mut key = [0; 32];
        key[..4].copy_from_slice(&number.to_be_bytes());
        key
    }

    fn act(once: &Once, number: u32, made: i64, now: i64) -> Acting {
        match once.turn(key(number), &id(made), now) {
            Turn::Act(acting) => acting,
            _ => panic!("it acts"),
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_form_acts_once_and_its_answer_is_kept_for_two_minutes() {
        let once = Once::new(0);
        let acting = act(&once, 1, 5, 10);
        let Turn::Acted(again) = once.turn(key(1), &id(5), 10) else { panic!("it acts just now") };
        let answered = acting.answered("the secret".into_response()).await;
        assert_eq!(answered.status(), 200);
        assert_eq!(again.answer().await.unwrap().status(), 200);
        let Turn::Acted(again) = once.turn(key(1), &id(5), 10) else { panic!("it has acted") };
        let body = again.answer().await.unwrap().into_body().collect().await.unwrap().to_bytes();
        assert_eq!(&body[..], b"the secret");
        tokio::time::advance(KEPT).await;
        assert!(matches!(once.turn(key(1), &id(5), 10), Turn::Forgotten));
        // Another's form, or another form, is none of it.
        act(&once, 2, 5, 10);
    }

    #[tokio::test]
    async fn a_form_that_was_refused_may_be_sent_again() {
        let once = Once::new(0);
        drop(act(&once, 1, 5, 10));
        once.take_back(&key(1));
        act(&once, 1, 5, 10);
    }

    #[tokio::test]
    async fn a_form_acts_only_where_it_is_known_that_it_has_not() {
        let once = Once::new(1_000);
        let now = 1_000 + AGE_MILLIS_MAX;
        assert!(matches!(once.turn(key(1), &id(999), 1_000), Turn::Stale), "before the process");
        act(&once, 2, 1_000, now);
        assert!(matches!(once.turn(key(3), &id(1_000), now + 1), Turn::Stale), "a day old");
        assert!(
            matches!(once.turn(key(4), &id(now + AHEAD_MILLIS_MAX + 1), now), Turn::Stale),
            "of the future"
        );
        for number in 0..u32::try_from(IDS_MAX).unwrap() {
            drop(act(&once, 100 + number, now, now));
        }
        assert!(matches!(once.turn(key(2), &id(1_000), now), Turn::Stale), "forgotten, so too old to tell");
        let state = once.state.lock();
        assert_eq!((state.order.len(), state.acted.len()), (IDS_MAX, IDS_MAX));
        assert_eq!(state.answers.len(), ANSWERS_MAX);
    }
}
