//! Each form acts once, and its response is kept for two minutes. If the same session sends the form again
//! (by a double click, a reload or the back button), it receives the same response.
//!
//! Invariants:
//! - Only forms of valid sessions are remembered. A response is repeated only in its session and only for the
//!   same content.
//! - A form with a remembered id does not act again.
//! - A form does not act if it is older than the oldest id that its session remembers, or than this process.
//! - A refused form had no effect and may be sent again.
//! - Responses, which may contain a new API key, are kept in memory only, and without session cookies.

use std::collections::{BTreeSet, HashMap, VecDeque};
use std::time::Duration;

use axum::body::Body;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::Response;
use bytes::Bytes;
use http_body_util::BodyExt;
use parking_lot::Mutex;
use tokio::sync::watch;
use tokio::time::Instant;

use super::cookies::Cookies;
use super::form::{FormId, SessionKey};

pub(super) const KEPT: Duration = Duration::from_secs(2 * 60);
/// The maximum number of responses. A further response removes the oldest before its time.
const ANSWERS_MAX: usize = 1_024;
/// The maximum number of remembered ids, per session and in total. A further id removes the oldest id of the
/// session with the most ids.
const IDS_OF_SESSION_MAX: usize = 256;
const IDS_MAX: usize = 65_536;
/// The maximum age of a form, in milliseconds (one day).
const AGE_MILLIS_MAX: i64 = 24 * 60 * 60 * 1_000;
/// How far a form's time may be in the future, in milliseconds. The clock of the service may go back by this
/// much.
const AHEAD_MILLIS_MAX: i64 = 60 * 1_000;

#[derive(Clone, Copy)]
pub(super) struct Sent {
    pub(super) session: SessionKey,
    pub(super) id: FormId,
    /// The digest of the form's path and fields.
    pub(super) content: [u8; 32],
}

#[derive(Clone)]
struct Answer {
    status: StatusCode,
    headers: HeaderMap,
    body: Bytes,
}

/// The response of a form, `None` until the form is done.
type Outcome = watch::Receiver<Option<Answer>>;

pub(super) struct Once {
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    sessions: HashMap<SessionKey, Session>,
    by_ids: BTreeSet<(usize, SessionKey)>,
    ids: usize,
    answers: VecDeque<(SessionKey, FormId, Instant)>,
    /// A form that was created before this time (Unix time in milliseconds) may already have been applied.
    horizon: i64,
}

#[derive(Default)]
struct Session {
    acted: HashMap<FormId, Acted>,
    order: VecDeque<FormId>,
    horizon: i64,
}

struct Acted {
    content: [u8; 32],
    /// `None` if the response is no longer kept.
    outcome: Option<Outcome>,
}

/// The decision for a submitted form.
pub(super) enum Turn {
    /// The form acts. The guard receives its response.
    Act(Acting),
    Acted(Again),
    /// The form was already applied with other content, or its response is no longer kept.
    SentBefore,
    /// The form is so old that the service cannot know whether it was applied.
    Stale,
}

pub(super) struct Acting {
    tell: watch::Sender<Option<Answer>>,
}

pub(super) struct Again(Outcome);

impl Once {
    pub(super) fn new(now: i64) -> Self {
        Self { state: Mutex::new(State { horizon: now, ..State::default() }) }
    }

    /// Removes responses after [`KEPT`], since some contain secrets that are shown once.
    pub(super) fn forget(&self) {
        self.state.lock().forget_answers(Instant::now());
    }

    /// Decides on a form that arrives at `now`, in milliseconds.
    pub(super) fn turn(&self, sent: &Sent, now: i64) -> Turn {
        let mut state = self.state.lock();
        state.forget_answers(Instant::now());
        let (mut horizon, made) = (state.horizon.max(now - AGE_MILLIS_MAX), sent.id.made);
        if let Some(session) = state.sessions.get(&sent.session) {
            match session.acted.get(&sent.id) {
                Some(Acted { content, outcome: Some(outcome) }) if *content == sent.content => {
                    return Turn::Acted(Again(outcome.clone()));
                }
                Some(_) => return Turn::SentBefore,
                None => horizon = horizon.max(session.horizon),
            }
        }
        if made < horizon || made > now + AHEAD_MILLIS_MAX {
            return Turn::Stale;
        }
        let (tell, outcome) = watch::channel(None);
        state.remember(sent, outcome);
        Turn::Act(Acting { tell })
    }

    /// Forgets that a form has acted, because it was refused.
    pub(super) fn take_back(&self, sent: &Sent) {
        // Its entries in the queues have no further effect.
        if let Some(session) = self.state.lock().sessions.get_mut(&sent.session) {
            session.acted.remove(&sent.id);
        }
    }
}

impl State {
    fn remember(&mut self, sent: &Sent, outcome: Outcome) {
        let session = self.sessions.entry(sent.session).or_default();
        let before = session.order.len();
        session.acted.insert(sent.id, Acted { content: sent.content, outcome: Some(outcome) });
        session.order.push_back(sent.id);
        self.by_ids.remove(&(before, sent.session));
        self.by_ids.insert((before + 1, sent.session));
        self.ids += 1;
        self.answers.push_back((sent.session, sent.id, Instant::now()));
        if self.answers.len() > ANSWERS_MAX {
            self.forget_answer();
        }
        if before >= IDS_OF_SESSION_MAX {
            self.forget_oldest(sent.session);
        }
        while self.ids > IDS_MAX {
            let Some((_, most)) = self.by_ids.last().copied() else { break };
            self.forget_oldest(most);
        }
    }

    fn forget_oldest(&mut self, key: SessionKey) {
        let Some(session) = self.sessions.get_mut(&key) else { return };
        self.by_ids.remove(&(session.order.len(), key));
        if let Some(id) = session.order.pop_front() {
            self.ids -= 1;
            if session.acted.remove(&id).is_some() {
                session.horizon = session.horizon.max(id.made + 1);
            }
        }
        if session.order.is_empty() {
            self.horizon = self.horizon.max(session.horizon);
            self.sessions.remove(&key);
        } else {
            self.by_ids.insert((session.order.len(), key));
        }
    }

    fn forget_answers(&mut self, now: Instant) {
        while self.answers.front().is_some_and(|(.., at)| now >= *at + KEPT) {
            self.forget_answer();
        }
    }

    fn forget_answer(&mut self) {
        let Some((session, id, _)) = self.answers.pop_front() else { return };
        if let Some(kept) = self.sessions.get_mut(&session).and_then(|session| session.acted.get_mut(&id)) {
            kept.outcome = None;
        }
    }
}

impl Acting {
    /// Keeps the response and passes it to repeats of the form.
    pub(super) async fn answered(self, response: Response, cookies: Cookies) -> Response {
        let (head, body) = response.into_parts();
        // Pages are not streamed, so the body is complete.
        let body = body.collect().await.map(http_body_util::Collected::to_bytes).unwrap_or_default();
        let mut headers = head.headers.clone();
        headers.remove(header::SET_COOKIE);
        let lets_in = |value: &&HeaderValue| cookies.lets_in(value);
        let harmless = head.headers.get_all(header::SET_COOKIE).iter().filter(|value| !lets_in(value));
        headers.extend(harmless.map(|value| (header::SET_COOKIE, value.clone())));
        self.tell.send_replace(Some(Answer { status: head.status, headers, body: body.clone() }));
        Response::from_parts(head, Body::from(body))
    }
}

impl Again {
    /// The response of the form, or `None` if the first attempt failed to finish.
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

    use axum::response::IntoResponse;
    use net::Ports;

    use super::super::cookies::Cookie;
    use super::*;

    static PORTS: LazyLock<Ports> = LazyLock::new(|| Ports::system().unwrap());
    const COOKIES: Cookies = Cookies { secure: true };

    fn sent(session: u32, made: i64) -> Sent {
        let mut key = [0; 32];
        key[..4].copy_from_slice(&session.to_be_bytes());
        Sent { session: key, id: FormId::new(&PORTS, made), content: [0; 32] }
    }

    fn act(once: &Once, sent: &Sent, now: i64) -> Acting {
        match once.turn(sent, now) {
            Turn::Act(acting) => acting,
            _ => panic!("it acts"),
        }
    }

    async fn answer(once: &Once, sent: &Sent) -> Response {
        let Turn::Acted(again) = once.turn(sent, 10) else { panic!("it has acted") };
        again.answer().await.unwrap()
    }

    #[tokio::test(start_paused = true)]
    async fn a_form_acts_once_and_its_answer_is_kept_for_two_minutes() {
        let (once, form) = (Once::new(0), sent(1, 5));
        let acting = act(&once, &form, 10);
        let Turn::Acted(again) = once.turn(&form, 10) else { panic!("it acts just now") };
        let answered = acting.answered("the secret".into_response(), COOKIES).await;
        assert_eq!(answered.status(), 200);
        assert_eq!(again.answer().await.unwrap().status(), 200);
        let body = answer(&once, &form).await.into_body().collect().await.unwrap().to_bytes();
        assert_eq!(&body[..], b"the secret");
        let other = Sent { content: [1; 32], ..form };
        assert!(matches!(once.turn(&other, 10), Turn::SentBefore), "with other content it is another form");
        // In another session this is a different form, which has not acted.
        act(&once, &Sent { session: [9; 32], ..form }, 10);
        tokio::time::advance(KEPT).await;
        assert!(matches!(once.turn(&form, 10), Turn::SentBefore));
        act(&once, &sent(2, 5), 10);
    }

    #[tokio::test]
    async fn a_kept_answer_has_no_cookie_that_lets_somebody_in() {
        let (once, form) = (Once::new(0), sent(1, 5));
        let mut response = "page".into_response();
        for cookie in [Cookie::Session, Cookie::Draft, Cookie::Language] {
            response.headers_mut().append(header::SET_COOKIE, COOKIES.set(cookie, "en"));
        }
        let answered = act(&once, &form, 10).answered(response, COOKIES).await;
        assert_eq!(answered.headers().get_all(header::SET_COOKIE).iter().count(), 3);
        let again = answer(&once, &form).await;
        let cookies: Vec<_> = again.headers().get_all(header::SET_COOKIE).iter().collect();
        assert_eq!(cookies, [COOKIES.set(Cookie::Language, "en")]);
    }

    #[tokio::test]
    async fn a_form_that_was_refused_may_be_sent_again() {
        let (once, form) = (Once::new(0), sent(1, 5));
        drop(act(&once, &form, 10));
        once.take_back(&form);
        act(&once, &Sent { content: [1; 32], ..form }, 10);
    }

    #[tokio::test]
    async fn a_form_acts_only_where_it_is_known_that_it_has_not() {
        let once = Once::new(1_000);
        let now = 1_000 + AGE_MILLIS_MAX;
        let is_stale = |sent: &Sent, now| matches!(once.turn(sent, now), Turn::Stale);
        assert!(is_stale(&sent(1, 999), 1_000), "before the process");
        let first = sent(1, 1_000);
        act(&once, &first, now);
        assert!(is_stale(&sent(1, 1_000), now + 1), "a day old");
        assert!(is_stale(&sent(1, now + AHEAD_MILLIS_MAX + 1), now), "of the future");
        for _ in 0..IDS_OF_SESSION_MAX {
            drop(act(&once, &sent(1, now), now));
        }
        assert!(is_stale(&first, now), "forgotten, so too old to tell");
        act(&once, &sent(2, 1_000), now);
    }

    #[tokio::test]
    async fn the_session_with_the_most_forms_loses_its_oldest() {
        let once = Once::new(0);
        let few: Vec<_> = (0..20).map(|_| sent(0, 1)).collect();
        few.iter().for_each(|form| drop(act(&once, form, 1)));
        let sessions = u32::try_from(IDS_MAX / IDS_OF_SESSION_MAX).unwrap() + 9;
        let mut now = 1;
        for session in 1..=sessions {
            for _ in 0..IDS_OF_SESSION_MAX + 3 {
                now += 1;
                drop(act(&once, &sent(session, now), now));
            }
        }
        for form in &few {
            assert!(matches!(once.turn(form, now), Turn::Acted(_) | Turn::SentBefore));
        }
        let state = once.state.lock();
        let held: usize = state.sessions.values().map(|session| session.order.len()).sum();
        assert_eq!((state.ids, held, state.by_ids.len()), (IDS_MAX, IDS_MAX, state.sessions.len()));
        assert_eq!(state.answers.len(), ANSWERS_MAX);
        assert!(state.sessions.values().all(|session| session.order.len() <= IDS_OF_SESSION_MAX));
    }
}
