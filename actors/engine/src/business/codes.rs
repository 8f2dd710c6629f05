//! Codes that prove that a caller is a certain contact, and counts of the wrong confirmation numbers in text threads.
//!
//! Invariants:
//! - A code is sent only to the contact's own address. The response to the caller is the same whether or not a contact
//!   exists and a code was sent.
//! - A code is valid for 10 minutes and 5 tries, and only in its conversation.
//! - The counts are stored under keyed hashes. A restart or a new conversation does not reset them.

use chrono::TimeDelta;
use domain::{ContactId, EmailConsent, Phone, ResourceId, Timestamp};
use serde::{Deserialize, Serialize};
use store::records::{ConsentRecord, NoticeCountRecord, SentNotices};
use store::{Batch, Key, Record};
use talk::{Answer, Refused};

use super::commands::contacts;
use super::decision::Decision;
use super::state::State;
use super::turn_context::TurnContext;
use super::write::Write;
use crate::error::Result;
use crate::mail::{count_key, email_consent_key};

/// The time for which a code is valid.
const VALID: TimeDelta = TimeDelta::minutes(10);
const TRIES_MAX: u32 = 5;
/// After this number of wrong confirmation numbers from one phone number within [`SILENCE`], the receptionist does not
/// answer text messages from this phone number.
const WRONG_NUMBERS_MAX: usize = 3;
const SILENCE: TimeDelta = TimeDelta::hours(1);

/// A limit on the events of one kind. Each rate is a maximum number of events and the period in which they are counted.
struct Limit {
    name: &'static str,
    rates: &'static [(usize, TimeDelta)],
}

const TO_CONTACT: Limit =
    Limit { name: "codes to", rates: &[(3, TimeDelta::hours(1)), (5, TimeDelta::hours(24))] };
const OF_BUSINESS: Limit = Limit { name: "codes of", rates: &[(50, TimeDelta::hours(24))] };
const WRONG_NUMBERS: Limit = Limit { name: "wrong numbers", rates: &[(WRONG_NUMBERS_MAX, SILENCE)] };

/// The newest code of a conversation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct SentCode {
    code: String,
    contact: ContactId,
    at: Timestamp,
    tries: u32,
}

impl State {
    /// Reads the row that counts the events of a limit. Returns the key of this row, and the steady times of the events
    /// within the longest period of the limit.
    fn counted(&self, limit: &Limit, what: &str) -> Result<(Key, Vec<Timestamp>)> {
        let key = count_key(&self.outbox.secret, limit.name, self.id, what);
        let found = self.find::<NoticeCountRecord>(&key)?.unwrap_or_default();
        let longest = limit.rates.iter().map(|(_, within)| *within).max().unwrap_or_default();
        let now = self.steady.now();
        let times = found.sent.into_iter().map(|sent| sent.at).filter(|at| *at + longest > now);
        Ok((key, times.collect()))
    }

    /// Adds an event to the counts of these limits. Returns the changed rows, or `None` if a limit is reached.
    fn count(&self, limits: &[(&Limit, &str)]) -> Result<Option<Batch>> {
        let (mut rows, now) = (Batch::default(), self.steady.now());
        for (limit, what) in limits {
            let (key, mut times) = self.counted(limit, what)?;
            let is_reached = |(max, within): &(usize, TimeDelta)| {
                times.iter().filter(|at| **at + *within > now).count() >= *max
            };
            if limit.rates.iter().any(is_reached) {
                return Ok(None);
            }
            times.push(now);
            let sent = times.into_iter().map(|at| SentNotices { at, count: 1 }).collect();
            rows.put(key, NoticeCountRecord { sent, ids: Vec::new() }.encode());
        }
        Ok(Some(rows))
    }

    /// Counts a wrong confirmation number from this phone number.
    pub(super) fn count_wrong_number(&self, from: &Phone) -> Result<Option<Batch>> {
        self.count(&[(&WRONG_NUMBERS, from.as_str())])
    }

    /// Counts the wrong confirmation numbers from this phone number within [`SILENCE`]. If the count is below
    /// [`WRONG_NUMBERS_MAX`], returns the count and `None`. If the count has reached the maximum, returns 0 and the
    /// time until which the receptionist does not answer this phone number. `at` is the time of the turn.
    pub(super) fn wrong_numbers(&self, from: &Phone, at: Timestamp) -> Result<(u32, Option<Timestamp>)> {
        let (_, times) = self.counted(&WRONG_NUMBERS, from.as_str())?;
        match times.last() {
            Some(last) if times.len() >= WRONG_NUMBERS_MAX => {
                Ok((0, Some(at + (*last + SILENCE - self.steady.now()))))
            }
            _ => Ok((u32::try_from(times.len()).unwrap_or_default(), None)),
        }
    }
}

impl TurnContext<'_, '_> {
    /// Sends a code to the contact with this phone number. Does nothing if a limit is reached, or if the contact has no
    /// email address, has unsubscribed from all emails, or has no future appointment. The mail is sent after the commit
    /// of the turn.
    pub(super) fn send_code(&mut self, phone: &str) -> Result<()> {
        let Ok(phone) = Phone::from_e164(phone.to_owned()) else { return Ok(()) };
        let Some(contact) = contacts::find(self.context, Some(&phone), None)? else { return Ok(()) };
        let Some(email) = &contact.email else { return Ok(()) };
        let state = self.context.state;
        let consent = email_consent_key(&state.outbox.secret, state.id, email.as_str());
        let consent = state.find::<ConsentRecord>(&consent)?.and_then(|consent| consent.email);
        if consent == Some(EmailConsent::None) || self.coming_appointments(contact.id)?.is_empty() {
            return Ok(());
        }
        let to = contact.id.uuid().to_string();
        let Some(rows) = state.count(&[(&TO_CONTACT, &to), (&OF_BUSINESS, "")])? else { return Ok(()) };
        let random = u64::from_le_bytes(self.context.random()) % 1_000_000;
        let (at, code) = (self.context.at, format!("{random:06}"));
        self.code = Some(SentCode { code: code.clone(), contact: contact.id, at, tries: 0 });
        let planned = std::mem::replace(&mut self.planned, Decision::gone());
        self.planned = planned.write(Write::Rows(rows)).send_code(contact.id, code);
        Ok(())
    }

    pub(super) fn check_code(&mut self, code: &str) -> Result<Answer> {
        let at = self.context.at;
        let sent = self.code.as_mut().filter(|sent| sent.tries < TRIES_MAX && at < sent.at + VALID);
        let Some(sent) = sent else { return Ok(Answer::Refused(Refused::Code)) };
        sent.tries += 1;
        if sent.code != code {
            return Ok(Answer::Refused(Refused::Code));
        }
        let found = self.context.contact(sent.contact)?;
        self.code = None;
        let Some(contact) = found else { return Ok(Answer::Refused(Refused::Code)) };
        self.verified = Some(contact.id);
        Ok(Answer::Verified { contact: contact.id, name: contact.name })
    }
}
