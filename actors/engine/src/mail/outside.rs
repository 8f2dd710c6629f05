//! What the outbox needs of the world outside: the relay, whoever makes the bytes, the people. And where it is found.

use std::net::IpAddr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use domain::{BusinessId, Mail, MailId, MailStatus, PersonId, ResourceId, Timestamp};
use parking_lot::Mutex;
use ports::Mailer;
use ractor::ActorRef;
use ractor::rpc::CallResult;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, timeout_at};

use super::letter::{Composer, Recipients};
use super::limits::{Allowances, Forgotten};
use super::message::Message;
use super::new::NewMail;

/// How long the outbox may take to count what waits.
const COUNT_TIME_MAX: Duration = Duration::from_secs(1);
/// How many attempts may be under way, or on their way to the disk.
const UNDER_WAY_MAX: usize = 128;

/// What mail is sent with.
#[derive(Clone)]
pub struct MailPorts {
    /// The relay.
    pub mailer: Arc<dyn Mailer>,
    /// Whoever makes the bytes.
    pub composer: Arc<dyn Composer>,
    /// Whoever knows the people.
    pub recipients: Arc<dyn Recipients>,
}

impl std::fmt::Debug for MailPorts {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("MailPorts")
    }
}

/// How many mails came to what since the start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MailFigures {
    /// Mails that the relay took.
    pub sent: u64,
    /// Attempts after which a mail is tried again.
    pub put_off: u64,
    /// Mails that failed for good.
    pub failed: u64,
    /// Mails that nobody may get any more.
    pub dropped: u64,
}

/// The world outside, and what was counted of it.
pub(crate) struct Outside {
    pub(super) ports: MailPorts,
    under_way: Arc<Semaphore>,
    sent: AtomicU64,
    put_off: AtomicU64,
    failed: AtomicU64,
    dropped: AtomicU64,
}

impl Outside {
    /// Notes what came of an attempt.
    pub(super) fn note_tried(&self, status: MailStatus) {
        let counted = match status {
            MailStatus::Sent => &self.sent,
            MailStatus::Pending => &self.put_off,
            MailStatus::Failed => &self.failed,
        };
        counted.fetch_add(1, Ordering::Relaxed);
    }

    /// Notes that a mail was dropped.
    pub(super) fn note_dropped(&self) {
        self.dropped.fetch_add(1, Ordering::Relaxed);
    }

    /// An attempt is under way until this is dropped.
    pub(super) fn under_way(&self) -> Option<OwnedSemaphorePermit> {
        Arc::clone(&self.under_way).try_acquire_owned().ok()
    }
}

/// Where the outbox is found. Without a relay there is none, and nothing is written for it.
pub(crate) struct Outbox {
    outside: OnceLock<Arc<Outside>>,
    actor: Mutex<Option<ActorRef<Message>>>,
    allowances: Mutex<Allowances>,
    /// How many mails of a business may wait.
    waiting_max: u64,
    /// How many alerts were not mailed since the start, for as many waited.
    left_out: AtomicU64,
}

impl Outbox {
    /// None, until mail begins; of a business so many may wait from then on.
    pub(crate) fn new(waiting_max: u64) -> Self {
        let (actor, allowances) = (Mutex::new(None), Mutex::new(Allowances::new()));
        let (outside, left_out) = (OnceLock::new(), AtomicU64::new(0));
        Self { outside, actor, allowances, waiting_max, left_out }
    }

    /// How many more mails of a business may be written while so many wait.
    pub(crate) fn room(&self, waiting: u64) -> u64 {
        self.waiting_max.saturating_sub(waiting)
    }

    /// Counts alerts that show in the dashboard alone, for as many mails of their business waited as may.
    pub(crate) fn note_left_out(&self, alerts: u64) {
        self.left_out.fetch_add(alerts, Ordering::Relaxed);
    }

    /// How many those were since the start.
    pub(crate) fn left_out(&self) -> u64 {
        self.left_out.load(Ordering::Relaxed)
    }

    /// Mail is sent with these from now on; those that were given first are kept.
    pub(super) fn set(&self, ports: MailPorts) -> Option<Arc<Outside>> {
        let outside = Arc::new(Outside {
            ports,
            under_way: Arc::new(Semaphore::new(UNDER_WAY_MAX)),
            sent: AtomicU64::new(0),
            put_off: AtomicU64::new(0),
            failed: AtomicU64::new(0),
            dropped: AtomicU64::new(0),
        });
        self.outside.set(Arc::clone(&outside)).ok().map(|()| outside)
    }

    /// What mail is sent with, if any is.
    pub(crate) fn outside(&self) -> Option<&Arc<Outside>> {
        self.outside.get()
    }

    /// A mail with this id and a `Message-ID` of its own; none where no mail is sent. It is written at `now` of the
    /// believed wall clock, and the clock of schedules shows `steady`.
    pub(crate) fn mint(
        &self,
        id: MailId,
        new: NewMail,
        (now, steady): (Timestamp, Timestamp),
    ) -> Option<Mail> {
        let domain = self.outside()?.ports.composer.domain();
        Some(Mail {
            id,
            business_id: new.business_id,
            person_id: new.person_id,
            kind: new.kind,
            about: new.about,
            more: new.more,
            to: new.to,
            message_id: format!("{}@{domain}", id.uuid().simple()),
            status: MailStatus::Pending,
            attempts: 0,
            last_error: None,
            created_at: now,
            last_attempt_at: None,
            next_attempt_at: Some(new.due.map_or(steady, |at| at.max(steady))),
        })
    }

    /// The actor that runs from now on.
    pub(super) fn runs(&self, actor: ActorRef<Message>) {
        *self.actor.lock() = Some(actor);
    }

    /// Something was written that waits for a business until this instant. Where no actor hears it, the next one finds
    /// it in the store.
    pub(crate) fn waits(&self, of: BusinessId, due: Timestamp) {
        if let Some(actor) = &*self.actor.lock() {
            let _ = actor.cast(Message::Waits(of, due));
        }
    }

    /// Counts an invitation of a business to an address; gives when the next one may be sent, if none may now.
    pub(crate) fn count_invitation(&self, of: BusinessId, to: &str, now: Timestamp) -> Result<(), Timestamp> {
        self.allowances.lock().invitation(of, to, now)
    }

    /// Counts that an account asks for another address; gives when it may again, if it may not now.
    pub(crate) fn count_email_change(&self, of: PersonId, to: &str, now: Timestamp) -> Result<(), Timestamp> {
        self.allowances.lock().email_change(of, to, now)
    }

    /// Counts that a person asks for a test; gives when they may again, if they may not now.
    pub(super) fn count_test(&self, of: PersonId, now: Timestamp) -> Result<(), Timestamp> {
        self.allowances.lock().test(of, now)
    }

    /// Counts that somebody asks for a new password.
    pub(crate) fn count_forgotten(&self, email: &str, from: IpAddr, now: Timestamp) -> Forgotten {
        self.allowances.lock().forgotten(email, from, now)
    }

    /// How many mails wait to be sent, at most 10,000; nothing without a relay, or when no actor answers within a second.
    pub(crate) async fn count_waiting(&self) -> Option<usize> {
        let actor = self.actor.lock().clone()?;
        match actor.call(Message::CountWaiting, Some(COUNT_TIME_MAX)).await {
            Ok(CallResult::Success(count)) => Some(count),
            _ => None,
        }
    }

    /// What came of mails so far; nothing without a relay.
    pub(crate) fn figures(&self) -> Option<MailFigures> {
        let outside = self.outside.get()?;
        let read = |counted: &AtomicU64| counted.load(Ordering::Relaxed);
        Some(MailFigures {
            sent: read(&outside.sent),
            put_off: read(&outside.put_off),
            failed: read(&outside.failed),
            dropped: read(&outside.dropped),
        })
    }

    /// Waits until this instant for what is under way, and then sends nothing any more.
    pub(crate) async fn stop(&self, until: Instant) {
        let Some(outside) = self.outside.get() else { return };
        #[allow(clippy::cast_possible_truncation, reason = "it is a small constant")]
        let all = outside.under_way.acquire_many(UNDER_WAY_MAX as u32);
        // What is not done by then is sent again by the next start, under the same id.
        let _ = timeout_at(until, all).await;
        let actor = self.actor.lock().take();
        if let Some(actor) = actor {
            actor.stop(None);
        }
    }
}
