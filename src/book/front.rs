//! The state that all booking pages share, with the limits on requests and bookings.

use engine::Engine;
use engine::business::Idempotency;
use parking_lot::Mutex;
use tokio::sync;

use super::booking::Limits;
use super::chat::ChatLimits;
use crate::config::PublicUrl;
use crate::http::cursor::Cursors;
use crate::origins::Origins;
use crate::rate_limit::Addresses;

/// The maximum number of requests in one calendar minute from one IPv4 address or IPv6 /64.
const REQUESTS: u32 = 240;

pub(crate) struct Front {
    pub(super) engine: Engine,
    /// The service's public URL, or `None` if it is not known.
    pub(super) public: Option<PublicUrl>,
    pub(super) origins: Origins,
    pub(super) cursors: Cursors,
    pub(super) requests: Addresses,
    pub(super) bookings: Mutex<Limits>,
    pub(super) chats: Mutex<ChatLimits>,
    /// The locks of submitted forms. Forms whose idempotency keys begin with the same byte share a lock.
    forms: [sync::Mutex<()>; 256],
}

impl Front {
    pub(crate) fn new(engine: Engine, public: Option<PublicUrl>, origins: Origins) -> Self {
        let cursors = Cursors::new(engine.secret());
        Self {
            engine,
            public,
            origins,
            cursors,
            requests: Addresses::new(REQUESTS),
            bookings: Mutex::default(),
            chats: Mutex::default(),
            forms: [const { sync::Mutex::const_new(()) }; 256],
        }
    }

    /// Waits until no other submission of the same form is in progress.
    pub(super) async fn turn(&self, form: &Idempotency) -> sync::MutexGuard<'_, ()> {
        self.forms[usize::from(form.key[0])].lock().await
    }

    pub(super) fn is_https(&self) -> bool {
        self.public.as_ref().is_some_and(PublicUrl::is_https)
    }
}
