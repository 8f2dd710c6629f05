//! The state that the actors of people and their handle share, and the state of each actor.

use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Weak};

use domain::{Person, PersonId};
use parking_lot::RwLock;

use super::actor::Message;
use super::attempts::Attempts;
use super::password::Hasher;
use super::session_cache::SessionCache;
use crate::actor::Directory;
use crate::business::Businesses;
use crate::claims::Claims;
use crate::limits::Limits;
use crate::mail::Mails;
use crate::shared::Shared;

pub(crate) struct Persons {
    pub(crate) shared: Arc<Shared>,
    pub(crate) directory: Directory<PersonId, Message>,
    pub(crate) businesses: Arc<Businesses>,
    pub(super) mails: Arc<Mails>,
    pub(super) claims: Claims,
    pub(super) sessions: SessionCache,
    pub(super) attempts: Attempts,
    pub(super) hasher: Hasher,
    pub(super) sends_mail: AtomicBool,
    pub(super) public_url: RwLock<Option<Arc<str>>>,
}

impl Persons {
    pub(crate) fn new(
        shared: &Arc<Shared>,
        directory: Directory<PersonId, Message>,
        (businesses, mails): (&Arc<Businesses>, &Arc<Mails>),
        limits: &Limits,
    ) -> Self {
        Self {
            shared: Arc::clone(shared),
            directory,
            businesses: Arc::clone(businesses),
            mails: Arc::clone(mails),
            claims: Claims::default(),
            sessions: SessionCache::default(),
            attempts: Attempts::default(),
            hasher: Hasher::new(limits.hashing, shared.store.is_simulated()),
            sends_mail: AtomicBool::new(false),
            public_url: RwLock::new(None),
        }
    }
}

pub(crate) struct State {
    /// The person after the newest submitted change. It is `None` if the person was deleted.
    pub(super) person: Option<Person>,
    pub(super) persons: Weak<Persons>,
}
