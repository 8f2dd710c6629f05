//! The outbox's ports (relay, composer and recipients), and the handle of the outbox.

use std::sync::atomic::AtomicU64;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use domain::{AppointmentId, BusinessId, Mail, MailId, MailKind, MailStatus, Notice, ResourceId, Timestamp};
use parking_lot::{Mutex, MutexGuard};
use ports::Mailer;
use ractor::ActorRef;
use ractor::rpc::CallResult;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, timeout_at};

use super::actor::Message;
use super::letter::{Composer, Recipients};
use super::limits::Allowances;
use super::write::NewMail;

const COUNT_TIME_MAX: Duration = Duration::from_secs(1);
/// The maximum number of attempts in progress for which a shutdown waits. It waits until their outcomes are durable.
const UNDER_WAY_MAX: usize = 128;

#[derive(Clone)]
pub struct MailPorts {
    pub mailer: Arc<dyn Mailer>,
    pub composer: Arc<dyn Composer>,
    pub recipients: Arc<dyn Recipients>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MailFigures {
    pub sent: u64,
    /// The number of failed attempts whose mails will be retried.
    pub put_off: u64,
    pub failed: u64,
    /// The number of mails that will not be sent: dropped notices, mails that their recipients may no longer get, and
    /// mails whose content was deleted.
    pub dropped: u64,
}

pub(crate) struct Transport {
    pub(super) ports: MailPorts,
    under_way: Arc<Semaphore>,
    pub(super) figures: Mutex<MailFigures>,
}

impl Transport {
    pub(super) fn note_tried(&self, status: MailStatus) {
        let mut figures = self.figures.lock();
        match status {
            MailStatus::Sent => figures.sent += 1,
            MailStatus::Pending => figures.put_off += 1,
            MailStatus::Failed => figures.failed += 1,
            MailStatus::Dropped => figures.dropped += 1,
        }
    }

    pub(super) fn under_way(&self) -> Option<OwnedSemaphorePermit> {
        Arc::clone(&self.under_way).try_acquire_owned().ok()
    }
}

/// The handle of the outbox. Without a relay there is no outbox, and no mail is written.
pub(crate) struct Outbox {
    transport: OnceLock<Arc<Transport>>,
    pub(super) actor: Mutex<Option<ActorRef<Message>>>,
    allowances: Mutex<Allowances>,
    waiting_max: u64,
    /// The secret of the store, for keyed hashes of addresses.
    pub(crate) secret: [u8; 32],
    /// The number of alerts since the start that were not mailed because too many mails waited.
    pub(crate) left_out: AtomicU64,
}

impl Outbox {
    pub(crate) fn new(waiting_max: u64, secret: [u8; 32]) -> Self {
        let (actor, allowances) = (Mutex::new(None), Mutex::new(Allowances::new()));
        let (transport, left_out) = (OnceLock::new(), AtomicU64::new(0));
        Self { transport, actor, allowances, waiting_max, secret, left_out }
    }

    pub(crate) fn room(&self, waiting: u64) -> u64 {
        self.waiting_max.saturating_sub(waiting)
    }

    /// Sets the ports. A second call has no effect.
    pub(super) fn set(&self, ports: MailPorts) -> Option<Arc<Transport>> {
        let transport = Arc::new(Transport {
            ports,
            under_way: Arc::new(Semaphore::new(UNDER_WAY_MAX)),
            figures: Mutex::default(),
        });
        self.transport.set(Arc::clone(&transport)).ok().map(|()| transport)
    }

    pub(crate) fn transport(&self) -> Option<&Arc<Transport>> {
        self.transport.get()
    }

    /// Creates a mail with a `Message-ID`. Returns `None` if the service sends no mail. The mail's creation
    /// time is `now`, from [`Clocks::now`](crate::clock::Clocks::now). The due time is not before `steady`, the time of
    /// the [`SteadyClock`](crate::clock::SteadyClock).
    pub(crate) fn mint(
        &self,
        id: MailId,
        new: NewMail,
        (now, steady): (Timestamp, Timestamp),
    ) -> Option<Mail> {
        let domain = self.transport()?.ports.composer.domain();
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
            notice: None,
            before: None,
        })
    }

    /// Creates the mail of a notice, like [`Outbox::mint`].
    pub(crate) fn mint_notice(
        &self,
        id: MailId,
        (of, notice, due): (BusinessId, Notice, Timestamp),
        now: (Timestamp, Timestamp),
    ) -> Option<Mail> {
        let new = NewMail {
            due: Some(due),
            ..NewMail::of_membership(of, uuid::Uuid::nil().into(), MailKind::Notice)
        };
        self.mint(id, new, now).map(|mail| Mail { notice: Some(notice), ..mail })
    }

    /// Notifies the outbox that an appointment has changed, so that it drops notices that are now obsolete.
    pub(crate) fn changed(&self, of: BusinessId, appointment: AppointmentId) {
        if let Some(actor) = &*self.actor.lock() {
            let _ = actor.cast(Message::Changed(of, appointment));
        }
    }

    /// Notifies the outbox of a mail that is due at the time `due`. If the outbox's actor does not run, it will
    /// find the mail in the store when it starts.
    pub(crate) fn waits(&self, of: BusinessId, due: Timestamp) {
        if let Some(actor) = &*self.actor.lock() {
            let _ = actor.cast(Message::Waits(of, due));
        }
    }

    pub(crate) fn allowances(&self) -> MutexGuard<'_, Allowances> {
        self.allowances.lock()
    }

    /// Returns the number of mails that are due or wait for a retry, at most 10,000. Returns `None` if there is no
    /// relay, or if the outbox does not respond within one second.
    pub(crate) async fn count_waiting(&self) -> Option<usize> {
        let actor = self.actor.lock().clone()?;
        match actor.call(Message::CountWaiting, Some(COUNT_TIME_MAX)).await {
            Ok(CallResult::Success(count)) => Some(count),
            _ => None,
        }
    }

    /// Returns the counters of sent and failed mails, or `None` if there is no mail relay.
    pub(crate) fn figures(&self) -> Option<MailFigures> {
        self.transport.get().map(|transport| *transport.figures.lock())
    }

    /// Waits for the mails that are being sent, at most until this instant. Then stops the outbox.
    pub(crate) async fn stop(&self, until: Instant) {
        let Some(transport) = self.transport.get() else { return };
        #[allow(clippy::cast_possible_truncation, reason = "the constant is small")]
        let all = transport.under_way.acquire_many(UNDER_WAY_MAX as u32);
        // Mails that are still being sent at `until` are sent again after the next start, with the same id.
        let _ = timeout_at(until, all).await;
        let actor = self.actor.lock().take();
        if let Some(actor) = actor {
            actor.stop(None);
        }
    }
}
