//! A *turn* of the outbox scans groups of mails ([lanes](super::order)) for due mails, and begins as many
//! attempts as the pace allows.

use std::sync::Arc;
use std::time::Duration;

use chrono::TimeDelta;
use domain::{Mail, MailId, MailKind, Timestamp};
use store::{Batch, Key, Order, StoreError, Weight, keys};
use tokio::sync::OwnedSemaphorePermit;
use tokio::time::Instant;

use super::actor::{MailKey, Message, ROOM_EVERY, State};
use super::order::Lane;
use super::schedule::latest_due;
use super::send;
use super::write::{delete_mail, write_mail};
use crate::clock::LOOK_EVERY;
use crate::shared::Shared;

/// The maximum number of lane scans in one turn. If lanes are left, the next turn scans them.
const LOOKS_PER_TURN: usize = 64;
const OTHERS_PER_LOOK: usize = 256;
/// The maximum number of waiting mails that one turn combines into one mail. The next turn adds further mails to it.
const GATHERED_PER_TURN: usize = 256;
const CHANGES_MAX: usize = 64;
/// All daily alerts of a day belong in one mail, but their due times may differ, because different clocks may have set
/// them. A daily mail therefore also contains the alerts that become due within this time.
const SAME_DAY: TimeDelta = TimeDelta::hours(1);
/// If a due time is later than [`latest_due`] by more than this, a wrong clock has set the due time.
const AHEAD_MAX: TimeDelta = TimeDelta::minutes(1);

enum FirstRow {
    Nothing,
    Later(Timestamp),
    Now(Box<Mail>),
    /// An outdated row, which must be deleted: its mail does not exist or has another due time.
    Stale(Key),
    /// The scan has read the maximum number of rows, and every one of them belongs to another lane. The next scan
    /// continues where this scan ended.
    NotReached,
}

impl State {
    /// Begins attempts for due mails, as far as the pace allows, and sets the timer for the next due time.
    pub(super) fn turn(&mut self, shared: &Arc<Shared>) -> Result<(), StoreError> {
        if shared.check_open().is_err() {
            return Ok(());
        }
        if shared.store.check_room(Weight::Keeps).is_err() {
            // Outcomes cannot be written on a full disk, so no attempt begins.
            self.wait(Some(ROOM_EVERY));
            return Ok(());
        }
        while self.tasks.try_join_next().is_some() {}
        let now = shared.steady.now();
        for _ in 0..LOOKS_PER_TURN {
            let room = self.pace.room(self.sending.len(), Instant::now());
            if room == 0 || self.changes >= CHANGES_MAX {
                break; // the end of an attempt or of a pause requests a turn
            }
            let Some(lane) = self.order.next(now) else { break };
            // The lane waits if its business is set aside. It also waits while a commit combines several of its mails
            // into one. The end of this commit makes the lane due again.
            let rows = lane.rows();
            if shared.store.is_business_set_aside(rows) || self.gathering.contains_key(&rows) {
                self.order.set(lane, None);
                continue;
            }
            match self.first(shared, lane, now)? {
                FirstRow::Nothing => self.order.set(lane, None),
                FirstRow::Later(due) => self.order.set(lane, Some(due)),
                FirstRow::Now(mail) => self.take_up(shared, *mail)?,
                // The turn ends, so that other actors can run. The lane stays due, so the next turn continues its scan.
                FirstRow::NotReached => break,
                FirstRow::Stale(row) => {
                    let mut batch = Batch::default();
                    batch.delete(row);
                    self.order.set(lane, None); // the commit of the deletion makes the lane due again
                    let (_, id) = keys::instant_and_id::<MailId>(&row)?;
                    self.record(shared, &[MailKey { of: lane.rows(), id }], batch, None);
                }
            }
        }
        let rest = self.pace.rests_until(Instant::now()).map(|until| until - Instant::now());
        let is_full = self.pace.room(self.sending.len(), Instant::now()) == 0 || self.changes >= CHANGES_MAX;
        let due = self.order.next_due().map(|due| (due - now).to_std().unwrap_or_default());
        // The timer stops while the machine is suspended. Short waits limit the delay after the machine resumes.
        self.wait(rest.or(due.filter(|_| !is_full)).map(|wait| wait.min(LOOK_EVERY)));
        Ok(())
    }

    /// Finds the lane's first row. Skips the row of a mail that is being sent, is being written or cannot be decoded.
    /// The range of keys may also contain rows of other lanes. They are skipped too.
    fn first(&mut self, shared: &Shared, lane: Lane, now: Timestamp) -> Result<FirstRow, StoreError> {
        let (of, mut others) = (lane.rows(), 0);
        let left = self.positions.rows(lane);
        for row in shared.store.walk(&left, Order::Ascending, |row, _| keys::instant_and_id::<MailId>(row)) {
            let (row, (due, id)) = row?;
            let key = MailKey { of, id };
            if self.is_left_alone(&key) {
                continue;
            }
            let Some(mail) = self.read(shared, key)? else { continue };
            let Some(mail) = mail.filter(|mail| mail.next_attempt_at == Some(due)) else {
                return Ok(FirstRow::Stale(row));
            };
            if Lane::of(&mail) != lane {
                self.positions.pass(lane, row);
                others += 1;
                if others == OTHERS_PER_LOOK {
                    return Ok(FirstRow::NotReached);
                }
                continue;
            }
            // If the due time is later than the schedule allows, it was written when the wall clock was ahead. The mail
            // is then due now.
            let is_due = due <= now || due > latest_due(&mail, now) + AHEAD_MAX;
            return Ok(if is_due { FirstRow::Now(Box::new(mail)) } else { FirstRow::Later(due) });
        }
        Ok(FirstRow::Nothing)
    }

    /// Handles a due mail: combines it with other alert mails to the same person, or sends it.
    fn take_up(&mut self, shared: &Arc<Shared>, mail: Mail) -> Result<(), StoreError> {
        if let Some(notice) = mail.notice {
            return self.take_up_notice(shared, mail, notice);
        }
        let now = shared.steady.now();
        let is_limited = matches!(mail.kind, MailKind::Alert | MailKind::Gathered) && mail.attempts == 0;
        if is_limited && let Some(free) = self.alerts.free_at(&mail.person_id, now) {
            let after = Mail { kind: MailKind::Gathered, next_attempt_at: Some(free), ..mail.clone() };
            let mut batch = Batch::default();
            write_mail(&mut batch, &after, Some(&mail));
            self.record(shared, &[MailKey::of(&mail)], batch, None);
            return Ok(());
        }
        if mail.kind.gathers()
            && mail.attempts == 0
            && let Some((mails, batch)) = self.gather(shared, &mail, now)?
        {
            self.gathering.insert(mails[0].of, mails[0]);
            self.record(shared, &mails, batch, None);
            return Ok(());
        }
        if is_limited {
            self.alerts.note(mail.person_id, now);
        }
        self.sending.insert(MailKey::of(&mail));
        send::begin(self, shared, mail);
        Ok(())
    }

    /// Gathers the person's other mails of the same kind into this mail. Returns `None` if there are no other mails.
    fn gather(
        &mut self,
        shared: &Shared,
        mail: &Mail,
        now: Timestamp,
    ) -> Result<Option<(Vec<MailKey>, Batch)>, StoreError> {
        let key = MailKey::of(mail);
        let (mut whole, mut batch, mut keys) = (mail.clone(), Batch::default(), vec![key]);
        let others = keys::mails_gathered(key.of, mail.kind, mail.person_id);
        let others = shared.store.walk(&others, Order::Ascending, |row, _| keys::id_at_end(row));
        for row in others.take(GATHERED_PER_TURN) {
            let (_, id) = row?;
            let other = MailKey { of: key.of, id };
            if other == key || self.is_left_alone(&other) {
                continue;
            }
            let Some(Some(mail)) = self.read(shared, other)? else { continue };
            // Two kinds of mails are not gathered: a daily mail that is not due within `SAME_DAY`, and a mail with an
            // earlier attempt, because the relay may already have received it.
            let is_for_later =
                mail.kind == MailKind::Daily && mail.next_attempt_at.is_none_or(|due| due > now + SAME_DAY);
            if is_for_later || mail.attempts > 0 {
                continue;
            }
            delete_mail(&mut batch, &mail);
            whole.absorb(mail);
            keys.push(other);
        }
        if keys.len() == 1 {
            return Ok(None);
        }
        whole.about.sort_by_key(|about| about.at);
        write_mail(&mut batch, &whole, Some(mail));
        Ok(Some((keys, batch)))
    }

    /// Submits changes to mails of one business. These mails are skipped until the changes are durable.
    pub(super) fn record(
        &mut self,
        shared: &Shared,
        mails: &[MailKey],
        batch: Batch,
        under_way: Option<OwnedSemaphorePermit>,
    ) {
        let Some(first) = mails.first().copied() else { return };
        let myself = self.myself.clone();
        let done = move || {
            let _ = myself.cast(Message::Recorded(first));
            drop(under_way);
        };
        // If the batch is not submitted, no commit will be reported, so the mails must not be marked as being written.
        if shared.store.submit_outcome(first.of, batch, Box::new(done)).is_some() {
            self.recording.extend(mails.iter().map(|mail| (*mail, first)));
            self.changes += 1;
        }
    }

    /// Sets the timer. If `wait` is `None`, clears the timer.
    fn wait(&mut self, wait: Option<Duration>) {
        if let Some(timer) = self.timer.take() {
            timer.abort();
        }
        let Some(wait) = wait else { return };
        // The extra millisecond ensures that the mail is due when the timer fires.
        let wait = wait + Duration::from_millis(1);
        let myself = self.myself.clone();
        let timer = tokio::spawn(async move {
            tokio::time::sleep(wait).await;
            let _ = myself.cast(Message::Turn);
        });
        self.timer = Some(timer.abort_handle());
    }
}
