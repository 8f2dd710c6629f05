//! One attempt to send a mail, in a separate task: it finds the recipient, composes the mail and sends it to
//! the relay.

use std::sync::Arc;
use std::time::Duration;

use domain::{Mail, MailError, MailFault, Timestamp};
use ports::{MadeMail, MailFailure};
use ractor::ActorRef;
use store::{Batch, StoreError, Weight, keys};
use tokio::time::{sleep, timeout};

use super::content::letter;
use super::message::{Ended, MailKey, Message, Outcome};
use super::outbox::Transport;
use super::schedule::after_attempt;
use super::state::{ROOM_EVERY, State};
use super::write::{delete_mail, write_mail};
use crate::shared::Shared;

/// The timeout of the relay for one mail.
pub(super) const SEND_TIME_MAX: Duration = Duration::from_secs(60);
/// The timeout of the recipient's lookup.
const ASK_TIME_MAX: Duration = Duration::from_secs(30);

/// Begins an attempt. The task always reports its end to the outbox.
pub(super) fn begin(state: &mut State, shared: &Arc<Shared>, myself: &ActorRef<Message>, mail: Mail) {
    let (transport, began) = (Arc::clone(&state.transport), shared.clocks.now());
    let under_way = transport.under_way();
    let (shared, myself) = (Arc::clone(shared), myself.clone());
    state.tasks.spawn(async move {
        let making = tokio::spawn(attempt(shared, transport, mail.clone()));
        let abort = AbortOnDrop(making.abort_handle());
        let outcome = match making.await {
            Ok(outcome) => outcome,
            Err(_) => Outcome::NotMade(MailFault::Panicked.into()),
        };
        drop(abort);
        let _ = myself.cast(Message::Ended(Box::new(Ended { mail, began, outcome, under_way })));
    });
}

struct AbortOnDrop(tokio::task::AbortHandle);

impl Drop for AbortOnDrop {
    fn drop(&mut self) {
        self.0.abort();
    }
}

async fn attempt(shared: Arc<Shared>, transport: Arc<Transport>, mail: Mail) -> Outcome {
    match make(&shared, &transport, &mail).await {
        Ok(Some(made)) => Outcome::Tried(hand_over(&transport, &made).await),
        Ok(None) => Outcome::Dropped,
        Err(NotMade::Now(why)) => Outcome::NotMade(why),
        Err(NotMade::Ever(why)) => {
            tracing::error!(mail.id = %mail.id, mail.kind = %mail.kind, error = why, "a mail cannot be made");
            Outcome::Tried(Err(MailFailure::RefusedForGood(MailError::NotMade(why))))
        }
    }
}

/// Sends a mail to the relay within [`SEND_TIME_MAX`].
pub(super) async fn hand_over(transport: &Transport, made: &MadeMail) -> Result<String, MailFailure> {
    let late = || Err(MailFailure::Relay(MailError::NoAnswer(SEND_TIME_MAX.as_secs())));
    timeout(SEND_TIME_MAX, transport.ports.mailer.send(made)).await.unwrap_or_else(|_| late())
}

enum NotMade {
    Now(MailError),
    Ever(String),
}

async fn make(shared: &Shared, transport: &Transport, mail: &Mail) -> Result<Option<MadeMail>, NotMade> {
    let now = |error: StoreError| NotMade::Now(MailError::Quoted(error.to_string()));
    let asked = timeout(ASK_TIME_MAX, transport.ports.recipients.recipient(mail)).await;
    let asked = asked.unwrap_or_else(|_| Err(MailFault::NoRecipient.into()));
    let Some(mut recipient) = asked.map_err(NotMade::Now)? else { return Ok(None) };
    if let Some(to) = &mail.to {
        recipient.address.clone_from(to);
    }
    let to = recipient.address.clone();
    let Some(letter) = letter(&shared.store, &shared.meta.secret, mail, recipient).map_err(now)? else {
        return Ok(None);
    };
    if let Some(business) = mail.business_id {
        shared.store.check_business(business).map_err(now)?; // a set-aside business lacks data
    }
    let bytes = transport.ports.composer.compose(&letter).map_err(NotMade::Ever)?;
    Ok(Some(MadeMail { to, bytes }))
}

impl State {
    /// Takes the outcome of an attempt and submits it to the store.
    pub(super) fn ended(
        &mut self,
        shared: &Arc<Shared>,
        myself: &ActorRef<Message>,
        ended: Ended,
    ) -> Result<(), StoreError> {
        let key = MailKey::of(&ended.mail);
        if !self.sending.contains(&key) {
            return Ok(());
        }
        if shared.store.check_room(Weight::Keeps).is_err() {
            // The outcome cannot be written on a full disk. The mail is not attempted again until the outcome
            // can be written.
            let myself = myself.clone();
            self.tasks.spawn(async move {
                sleep(ROOM_EVERY).await;
                let _ = myself.cast(Message::Ended(Box::new(ended)));
            });
            return Ok(());
        }
        self.sending.remove(&key);
        if !shared.store.contains(&keys::mail(key.of, key.id))? {
            return Ok(()); // the business was deleted, and none of its rows may come back
        }
        let Ended { mail, began, outcome, under_way } = ended;
        let now = shared.steady.now();
        let mut batch = Batch::default();
        match outcome {
            Outcome::Dropped => {
                self.transport.note_dropped();
                delete_mail(&mut batch, &mail);
            }
            Outcome::NotMade(why) => {
                tracing::warn!(mail.id = %mail.id, mail.kind = %mail.kind, error = %why, "a mail could not be made");
                // The usual schedule applies. It ends, because a mail that could not be composed for more
                // than a day can never be composed.
                let after = after_attempt(&mail, &Err(MailFailure::Refused(why)), (began, now));
                self.transport.note_tried(after.status);
                write_mail(&mut batch, &after, Some(&mail));
            }
            Outcome::Tried(result) => {
                match &result {
                    Err(MailFailure::Relay(_)) => self.pace.failed(tokio::time::Instant::now()),
                    _ => self.pace.answered(),
                }
                let after = after_attempt(&mail, &result, (began, now));
                log_failure(&mail, &after, result.as_ref().err());
                self.transport.note_tried(after.status);
                write_mail(&mut batch, &after, Some(&mail));
            }
        }
        self.record(shared, myself, &[key], batch, under_way);
        Ok(())
    }
}

/// Logs a failed attempt without the recipient.
fn log_failure(mail: &Mail, after: &Mail, failure: Option<&MailFailure>) {
    let Some(failure) = failure else { return };
    let next: Option<Timestamp> = after.next_attempt_at;
    let kind = match failure {
        MailFailure::Relay(_) => "the relay failed",
        MailFailure::Refused(_) => "the mail was refused temporarily",
        MailFailure::RefusedForGood(_) => "the mail was refused permanently",
    };
    let status = after.status;
    tracing::warn!(
        mail.id = %mail.id, mail.kind = %mail.kind, mail.attempts = after.attempts, mail.status = %status,
        mail.next_attempt_at = next.map(tracing::field::display), reason = kind, "a mail was not sent"
    );
}
