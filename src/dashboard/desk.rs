//! The state that all pages share, with the rate limits for submitted forms and for exports.
//!
//! Invariants: a form counts towards the limit of the person who submits it. It counts towards the limit
//! of a business only if that person is a member of the business.

use std::hash::Hash;
use std::net::IpAddr;
use std::num::NonZeroU32;

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use chrono::TimeDelta;
use domain::{BusinessId, PersonId, Timestamp};
use engine::people::Token;
use engine::window::{Rate, Windows};
use engine::{BusinessHandle, Engine};
use parking_lot::Mutex;
use tokio::sync::watch;

use super::cookies::Cookies;
use super::drafts::Drafts;
use super::form::{FormId, SessionKey};
use super::once::Once;
use super::pages::settings::calendars::pending::PendingForms;
use crate::config::PublicUrl;
use crate::http::cursor::{Binding, Cursors};
use crate::origins::Origins;

pub(crate) struct Desk {
    pub(super) engine: Engine,
    /// The service's public URL, or `None` if it is not known.
    pub(super) public: Option<PublicUrl>,
    pub(super) origins: Origins,
    pub(super) cookies: Cookies,
    pub(super) cursors: Cursors,
    /// The key that makes the change markers opaque. Each start of the service creates a new key.
    moments: Cursors,
    pub(super) once: Once,
    pub(super) limits: Limits,
    pub(super) drafts: Drafts,
    pub(super) pending_forms: PendingForms,
    /// The value becomes true when the service stops, so that streams end.
    pub(super) stopping: watch::Receiver<bool>,
}

impl Desk {
    pub(crate) fn new(
        engine: Engine,
        public: Option<PublicUrl>,
        origins: Origins,
        person_rate_limit: NonZeroU32,
        stopping: watch::Receiver<bool>,
    ) -> Self {
        let cookies = Cookies { secure: public.as_ref().is_some_and(PublicUrl::is_https) };
        let once = Once::new(engine.now().millis());
        let cursors = Cursors::new(engine.secret());
        let moments = Cursors::new(engine.ports().random_bytes());
        Self {
            engine,
            public,
            origins,
            cookies,
            cursors,
            moments,
            once,
            limits: Limits {
                people: Limit::new(person_rate_limit.get(), TimeDelta::minutes(1)),
                businesses: Limit::new(OF_BUSINESS, TimeDelta::minutes(1)),
                networks: Limit::new(OF_NETWORK, TimeDelta::minutes(1)),
                exports: Limit::new(EXPORTS, TimeDelta::hours(1)),
            },
            drafts: Drafts::default(),
            pending_forms: PendingForms::default(),
            stopping,
        }
    }

    /// An opaque change marker for a business. It differs after every change to the business, after some
    /// changes to other businesses, and after a restart of the service.
    pub(super) fn as_of(&self, business: &BusinessHandle) -> String {
        let changes = business.changes().to_be_bytes();
        let binding = Binding::list("stream").with(business.id().to_string().as_bytes()).with(&changes);
        self.moments.seal(&binding, &[])
    }

    pub(super) fn form_id(&self, session: &SessionKey) -> String {
        FormId::new(self.engine.ports(), self.engine.now().millis()).text(&self.cursors, session)
    }

    pub(super) fn token(&self) -> Option<Token> {
        let random: [u8; 32] = self.engine.ports().random_bytes();
        Token::parse(&BASE64_URL_SAFE_NO_PAD.encode(random))
    }
}

/// The maximum number of forms per minute and business.
const OF_BUSINESS: u32 = 1_200;
/// The maximum number of forms without a session per minute and network (an IPv4 address or IPv6 /64).
const OF_NETWORK: u32 = 60;
/// The maximum number of exports per hour and person.
const EXPORTS: u32 = 10;

pub(super) struct Limits {
    pub(super) people: Limit<PersonId>,
    pub(super) businesses: Limit<BusinessId>,
    pub(super) networks: Limit<IpAddr>,
    pub(super) exports: Limit<PersonId>,
}

pub(super) struct Limit<K: Eq + Hash>(Mutex<Windows<K>>);

impl<K: Eq + Hash> Limit<K> {
    fn new(count: u32, within: TimeDelta) -> Self {
        Self(Mutex::new(Windows::fixed(Rate { count, within })))
    }

    /// Counts a form or an export of the client `who`. If the limit is reached, the error is the number of
    /// seconds to wait.
    pub(super) fn count(&self, who: K, now: Timestamp) -> Result<(), u64> {
        let counted = self.0.lock().count(who, now);
        counted.map(|_| ()).map_err(|free| (free - now).num_milliseconds().unsigned_abs().div_ceil(1_000))
    }
}
