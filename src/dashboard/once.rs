//! A form takes effect only once. Its handler runs once, and its response is kept for two minutes. If the same
//! session submits the form again (by a double click, a reload or the back button), it gets the same response.
//!
//! Invariants:
//! - Only forms of valid sessions are remembered. A response is repeated only in its session and only for the
//!   same content.
//! - A form with a remembered id does not take effect again.
//! - A form has no effect if it was rendered more than one day ago, or before this process started.
//! - The number of remembered ids is limited. If a form's id is removed because of this limit, this form no longer
//!   takes effect. The same is true for all forms of the same session that were rendered earlier or at the same time.
//! - A refused form had no effect and may be sent again.
//! - Responses, which may contain a new API key, are kept in memory only, and without session cookies.

use std::collections::{HashMap, VecDeque};
use std::time::Duration;

use axum::body::Body;
use axum::http::{HeaderValue, header};
use axum::response::Response;
use bytes::Bytes;
use http_body_util::BodyExt;
use parking_lot::Mutex;
use tokio::sync::watch;
use tokio::time::Instant;

use super::cookies::Cookies;
use super::form::{FormId, SessionKey};

pub(super) const KEPT: Duration = Duration::from_secs(2 * 60);
/// The maximum number of kept responses. A further response removes the oldest one.
const ANSWERS_MAX: usize = 1_024;
/// The maximum numbers of remembered ids, per session and in total. If a session has too many ids, its oldest id is
/// removed. If there are too many ids in total, the oldest id of the session with the most ids is removed.
const IDS_OF_SESSION_MAX: usize = 256;
const IDS_MAX: usize = 65_536;
/// The maximum age of a form, in milliseconds (one day).
const AGE_MILLIS_MAX: i64 = 24 * 60 * 60 * 1_000;
/// The clock may have been set back after a form was rendered. So a form is accepted if it was rendered at a time that
/// is at most this number of milliseconds in the future.
const AHEAD_MILLIS_MAX: i64 = 60 * 1_000;

#[derive(Clone, Copy)]
pub(super) struct Sent {
    pub(super) session: SessionKey,
    pub(super) id: FormId,
    pub(super) content: [u8; 32],
}

/// The response to a form, or `None` while its handler runs.
pub(super) type Outcome = watch::Receiver<Option<Response<Bytes>>>;

pub(super) struct Once {
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    sessions: HashMap<SessionKey, Session>,
    ids: usize,
    answers: VecDeque<(SessionKey, FormId, Instant)>,
    /// If a form was rendered before this time (Unix time in milliseconds), the service may have forgotten whether the
    /// form was applied.
    horizon: i64,
}

#[derive(Default)]
struct Session {
    acted: VecDeque<Acted>,
    horizon: i64,
}

struct Acted {
    id: FormId,
    content: [u8; 32],
    /// The response to the form, or `None` if the response is no longer kept.
    outcome: Option<Outcome>,
}

pub(super) enum Turn {
    Act(Acting),
    Acted(Outcome),
    /// The form was already applied with other content, or its response is no longer kept.
    SentBefore,
    /// The form is so old that the service cannot know whether it was applied.
    Stale,
}

pub(super) struct Acting {
    tell: watch::Sender<Option<Response<Bytes>>>,
}

impl Once {
    pub(super) fn new(now: i64) -> Self {
        Self { state: Mutex::new(State { horizon: now, ..State::default() }) }
    }

    /// Removes responses after [`KEPT`], since some contain secrets that are shown once.
    pub(super) fn forget(&self) {
        self.state.lock().forget_answers(Instant::now());
    }

    /// Decides whether a form that arrives at `now` (in milliseconds) takes effect.
    pub(super) fn turn(&self, sent: &Sent, now: i64) -> Turn {
        let mut state = self.state.lock();
        state.forget_answers(Instant::now());
        let (mut horizon, made) = (state.horizon.max(now - AGE_MILLIS_MAX), sent.id.made);
        if let Some(session) = state.sessions.get(&sent.session) {
            match session.acted.iter().find(|acted| acted.id == sent.id) {
                Some(Acted { content, outcome: Some(outcome), .. }) if *content == sent.content => {
                    return Turn::Acted(outcome.clone());
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

    /// Removes the id of a form that the service refused. The form may then be sent again.
    pub(super) fn take_back(&self, sent: &Sent) {
        let state = &mut *self.state.lock();
        if let Some(session) = state.sessions.get_mut(&sent.session)
            && let Some(at) = session.acted.iter().position(|acted| acted.id == sent.id)
        {
            session.acted.remove(at);
            state.ids -= 1;
            // The service refuses forms that were rendered before the session's horizon, because it has forgotten which
            // of them were applied. Without the horizon, a form could be applied twice. A session with a horizon is
            // therefore kept, even if it has no ids.
            if session.acted.is_empty() && session.horizon == 0 {
                state.sessions.remove(&sent.session);
            }
        }
    }
}

impl State {
    fn remember(&mut self, sent: &Sent, outcome: Outcome) {
        let session = self.sessions.entry(sent.session).or_default();
        session.acted.push_back(Acted { id: sent.id, content: sent.content, outcome: Some(outcome) });
        let is_full = session.acted.len() > IDS_OF_SESSION_MAX;
        self.ids += 1;
        self.answers.push_back((sent.session, sent.id, Instant::now()));
        if self.answers.len() > ANSWERS_MAX {
            self.forget_answer();
        }
        if is_full {
            self.forget_oldest(sent.session);
        }
        while self.ids > IDS_MAX {
            let most = self.sessions.iter().max_by_key(|(_, session)| session.acted.len());
            let Some((most, _)) = most else { break };
            self.forget_oldest(*most);
        }
    }

    fn forget_oldest(&mut self, key: SessionKey) {
        let Some(session) = self.sessions.get_mut(&key) else { return };
        if let Some(acted) = session.acted.pop_front() {
            session.horizon = session.horizon.max(acted.id.made + 1);
            self.ids -= 1;
            if session.acted.is_empty() {
                self.horizon = self.horizon.max(session.horizon);
                self.sessions.remove(&key);
            }
        }
    }

    fn forget_answers(&mut self, now: Instant) {
        while self.answers.front().is_some_and(|(.., at)| now >= *at + KEPT) {
            self.forget_answer();
        }
    }

    fn forget_answer(&mut self) {
        let Some((session, id, _)) = self.answers.pop_front() else { return };
        let acted = self.sessions.get_mut(&session).into_iter().flat_map(|session| &mut session.acted);
        acted.filter(|acted| acted.id == id).for_each(|acted| acted.outcome = None);
    }
}

impl Acting {
    /// Returns the response. Also keeps it, without session cookies, for repeated submissions of the form.
    pub(super) async fn answered(self, response: Response, cookies: Cookies) -> Response {
        let (head, body) = response.into_parts();
        // Pages are not streamed, so the body is complete.
        let body = body.collect().await.map(http_body_util::Collected::to_bytes).unwrap_or_default();
        let mut headers = head.headers.clone();
        headers.remove(header::SET_COOKIE);
        let lets_in = |value: &&HeaderValue| cookies.lets_in(value);
        let harmless = head.headers.get_all(header::SET_COOKIE).iter().filter(|value| !lets_in(value));
        headers.extend(harmless.map(|value| (header::SET_COOKIE, value.clone())));
        let mut kept = Response::new(body.clone());
        (*kept.status_mut(), *kept.headers_mut()) = (head.status, headers);
        self.tell.send_replace(Some(kept));
        Response::from_parts(head, Body::from(body))
    }
}

/// Waits for the response to a form. Returns `None` if the handler of the form ended without a response.
pub(super) async fn answer(mut outcome: Outcome) -> Option<Response> {
    let kept = outcome.wait_for(Option::is_some).await.ok()?.clone()?;
    Some(kept.map(Body::from))
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
            _ => panic!("the form must act"),
        }
    }

    async fn answer_again(once: &Once, sent: &Sent) -> Response {
        let Turn::Acted(outcome) = once.turn(sent, 10) else { panic!("the form must have acted") };
        answer(outcome).await.unwrap()
    }

    #[tokio::test(start_paused = true)]
    async fn a_form_acts_once_and_its_answer_is_kept_for_two_minutes() {
        let (once, form) = (Once::new(0), sent(1, 5));
        let acting = act(&once, &form, 10);
        let Turn::Acted(outcome) = once.turn(&form, 10) else { panic!("the form must be acting") };
        let answered = acting.answered("the secret".into_response(), COOKIES).await;
        assert_eq!(answered.status(), 200);
        assert_eq!(answer(outcome).await.unwrap().status(), 200);
        let body = answer_again(&once, &form).await.into_body().collect().await.unwrap().to_bytes();
        assert_eq!(&body[..], b"the secret");
        let other = Sent { content: [1; 32], ..form };
        assert!(matches!(once.turn(&other, 10), Turn::SentBefore), "other content is refused");
        // A form with the same id in another session is a different form, which has not been submitted yet.
        act(&once, &Sent { session: [9; 32], ..form }, 10);
        tokio::time::advance(KEPT).await;
        assert!(matches!(once.turn(&form, 10), Turn::SentBefore));
        act(&once, &sent(2, 5), 10);
    }

    #[tokio::test]
    async fn a_repeated_response_has_no_session_or_draft_cookie() {
        let (once, form) = (Once::new(0), sent(1, 5));
        let mut response = "page".into_response();
        for cookie in [Cookie::Session, Cookie::Draft, Cookie::Language] {
            response.headers_mut().append(header::SET_COOKIE, COOKIES.set(cookie, "en"));
        }
        let answered = act(&once, &form, 10).answered(response, COOKIES).await;
        assert_eq!(answered.headers().get_all(header::SET_COOKIE).iter().count(), 3);
        let again = answer_again(&once, &form).await;
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
    async fn a_form_acts_only_if_it_certainly_has_not_acted_before() {
        let once = Once::new(1_000);
        let now = 1_000 + AGE_MILLIS_MAX;
        let is_stale = |sent: &Sent, now| matches!(once.turn(sent, now), Turn::Stale);
        assert!(is_stale(&sent(1, 999), 1_000), "the form is older than the process");
        let first = sent(1, 1_000);
        act(&once, &first, now);
        assert!(is_stale(&sent(1, 1_000), now + 1), "the form is more than a day old");
        assert!(is_stale(&sent(1, now + AHEAD_MILLIS_MAX + 1), now), "the form is from the future");
        for _ in 0..IDS_OF_SESSION_MAX {
            drop(act(&once, &sent(1, now), now));
        }
        assert!(is_stale(&first, now), "the id of the form is no longer remembered");
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
        let held: usize = state.sessions.values().map(|session| session.acted.len()).sum();
        assert_eq!((state.ids, held), (IDS_MAX, IDS_MAX));
        assert_eq!(state.answers.len(), ANSWERS_MAX);
        assert!(state.sessions.values().all(|session| session.acted.len() <= IDS_OF_SESSION_MAX));
    }
}
