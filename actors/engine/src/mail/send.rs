//! One attempt to send a mail, in a separate task. It finds the recipient, composes the mail and sends it.

use std::sync::Arc;
use std::time::Duration;

use domain::{Mail, MailError, MailFault};
use ports::{MadeMail, MailFailure};
use store::{Batch, StoreError, Weight, keys};
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

use super::actor::{Ended, MailKey, Message, Outcome, ROOM_EVERY, State};
use super::content::letter;
use super::notice::{why_not_made, without_former_address};
use super::outbox::Transport;
use super::schedule::after_attempt;
use super::write::{delete_mail, write_mail};
use crate::shared::Shared;

pub(super) const SEND_TIME_MAX: Duration = Duration::from_secs(60);
const ASK_TIME_MAX: Duration = Duration::from_secs(30);

/// Begins an attempt. The task always reports its end to the outbox.
pub(super) fn begin(state: &mut State, shared: &Arc<Shared>, mail: Mail) {
    let (transport, began) = (Arc::clone(&state.transport), shared.clocks.now());
    let under_way = transport.under_way();
    let (shared, myself) = (Arc::clone(shared), state.myself.clone());
    state.tasks.spawn(async move {
        // The attempt runs in an inner task. If the attempt panics, only the inner task ends, and this task reports the
        // panic. If this task is aborted, `making` is dropped, which aborts the attempt.
        let mut making: JoinSet<_> = [attempt(shared, transport, mail.clone())].into_iter().collect();
        let outcome = match making.join_next().await {
            Some(Ok(outcome)) => outcome,
            _ => Outcome::NotMade(MailFault::Panicked.into()),
        };
        let _ = myself.cast(Message::Ended(Box::new(Ended { mail, began, outcome, under_way })));
    });
}

async fn attempt(shared: Arc<Shared>, transport: Arc<Transport>, mail: Mail) -> Outcome {
    match make(&shared, &transport, &mail).await {
        Ok(made) => Outcome::Tried(hand_over(&transport, &made).await),
        Err(outcome) => outcome,
    }
}

pub(super) async fn hand_over(transport: &Transport, made: &MadeMail) -> Result<String, MailFailure> {
    let late = || Err(MailFailure::Relay(MailError::NoAnswer(SEND_TIME_MAX.as_secs())));
    timeout(SEND_TIME_MAX, transport.ports.mailer.send(made)).await.unwrap_or_else(|_| late())
}

/// Finds the recipient and composes the mail. The error is the outcome of a mail that is not sent.
async fn make(shared: &Shared, transport: &Transport, mail: &Mail) -> Result<MadeMail, Outcome> {
    let unreadable = |error: StoreError| {
        tracing::error!(mail.id = %mail.id, %error, "the data of a mail cannot be read");
        Outcome::NotMade(MailFault::Unreadable.into())
    };
    let asked = timeout(ASK_TIME_MAX, transport.ports.recipients.recipient(mail)).await;
    let asked = asked.unwrap_or_else(|_| Err(MailFault::NoRecipient.into()));
    let mut recipient = asked.map_err(Outcome::NotMade)?.ok_or(Outcome::Dropped)?;
    if let Some(to) = &mail.to {
        recipient.address.clone_from(to);
    }
    let to = recipient.address.clone();
    let letter = letter(&shared.store, &shared.meta.secret, mail, recipient).map_err(unreadable)?;
    let letter = letter.ok_or(Outcome::Dropped)?;
    if let Some(business) = mail.business_id {
        shared.store.check_business(business).map_err(unreadable)?; // a business that is set aside may lack data
    }
    let bytes = transport.ports.composer.compose(&letter).map_err(|why| {
        tracing::error!(mail.id = %mail.id, mail.kind = %mail.kind, error = why, "a mail cannot be composed");
        Outcome::Tried(Err(MailFailure::RefusedForGood(MailError::NotMade(why))))
    })?;
    Ok(MadeMail { to, bytes })
}

impl State {
    pub(super) fn ended(&mut self, shared: &Shared, ended: Ended) -> Result<(), StoreError> {
        let key = MailKey::of(&ended.mail);
        if !self.sending.contains(&key) {
            return Ok(());
        }
        if shared.store.check_room(Weight::Keeps).is_err() {
            // The disk is full, so the outcome is handled again later. Until then, the mail counts as being
            // sent, so it is not attempted again.
            let myself = self.myself.clone();
            self.tasks.spawn(async move {
                sleep(ROOM_EVERY).await;
                let _ = myself.cast(Message::Ended(Box::new(ended)));
            });
            return Ok(());
        }
        self.sending.remove(&key);
        if !shared.store.contains(&keys::mail(key.of, key.id))? {
            return Ok(()); // the business was deleted, so no row may be written for it
        }
        let Ended { mail, began, outcome, under_way } = ended;
        let now = shared.steady.now();
        let mut batch = Batch::default();
        match outcome {
            Outcome::Dropped => {
                self.transport.figures.lock().dropped += 1;
                match &mail.notice {
                    // During the attempt, the appointment was changed or deleted, or the address was removed,
                    // so the notice is recorded as dropped.
                    Some(notice) => {
                        let why = why_not_made(&shared.store, key.of, notice)?;
                        let after = without_former_address(&shared.store, mail.dropped(why, began))?;
                        write_mail(&mut batch, &after, Some(&mail));
                    }
                    None => delete_mail(&mut batch, &mail),
                }
            }
            Outcome::NotMade(why) => {
                tracing::warn!(
                    mail.id = %mail.id, mail.kind = %mail.kind, error = %why,
                    "a mail could not be prepared"
                );
                // This counts as a failed attempt. If the mail can never be prepared, it has the status `failed` after
                // 33 hours.
                let after = after_attempt(&mail, &Err(MailFailure::Refused(why)), (began, now));
                let after = without_former_address(&shared.store, after)?;
                self.transport.note_tried(after.status);
                write_mail(&mut batch, &after, Some(&mail));
            }
            Outcome::Tried(result) => {
                match &result {
                    Err(MailFailure::Relay(_)) => self.pace.failed(tokio::time::Instant::now()),
                    _ => self.pace.answered(),
                }
                let after = after_attempt(&mail, &result, (began, now));
                let after = without_former_address(&shared.store, after)?;
                log_failure(&after, &result);
                self.transport.note_tried(after.status);
                write_mail(&mut batch, &after, Some(&mail));
                self.tried.insert(key);
            }
        }
        self.record(shared, &[key], batch, under_way);
        Ok(())
    }
}

/// Logs a failed attempt. The recipient is not logged.
fn log_failure(after: &Mail, result: &Result<String, MailFailure>) {
    let reason = match result {
        Ok(_) => return,
        Err(MailFailure::Relay(_)) => "the relay failed",
        Err(MailFailure::Refused(_)) => "the mail was refused temporarily",
        Err(MailFailure::RefusedForGood(_)) => "the mail was refused permanently",
    };
    let next = after.next_attempt_at.map(tracing::field::display);
    tracing::warn!(
        mail.id = %after.id, mail.kind = %after.kind, mail.attempts = after.attempts,
        mail.status = %after.status, mail.next_attempt_at = next, reason, "a mail was not sent"
    );
}
