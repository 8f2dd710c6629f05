//! Requests in the form in which assistants send them: repeated bookings, and moves and cancellations that state an
//! expected start, which may be outdated.

use domain::Timestamp;
use engine::business::commands::appointments::{Cancel, Reschedule};
use engine::business::commands::guarded::{BookOnce, StartingAt};

use crate::life::Life;
use crate::ops::Op;
use crate::shop::id;
use crate::sim::Sim;

/// A move that states the expected start of the appointment.
pub(crate) type MoveFrom = StartingAt<Reschedule>;
/// A cancellation that states the expected start of the appointment.
pub(crate) type CancelAt = StartingAt<Cancel>;

impl Sim {
    /// Sends one request of an assistant.
    pub(crate) fn some_assistant(&mut self, life: &mut Life) {
        let now = self.world.time.truth();
        if self.dice.once_in(2) {
            let shop = self.dice.below(self.shops.len());
            let booking = BookOnce(self.shops[shop].book(&self.dice, now));
            for _ in 0..self.dice.between(1, 3) {
                self.ask(life, shop, booking.clone().into(), false);
            }
            return;
        }
        let entries = self.ledger.since(self.ledger.len().saturating_sub(80));
        let seen = entries.iter().filter_map(|entry| {
            let body = entry.body()?;
            let expected = Timestamp::parse(body["starts_at"].as_str()?).ok()?;
            Some((entry.tried.shop, id(&body["id"]), expected))
        });
        let seen: Vec<_> = seen.collect();
        if seen.is_empty() {
            return;
        }
        let (shop, id, expected) = *self.dice.pick(&seen);
        let op: Op = if self.dice.once_in(2) {
            let change = self.shops[shop].reschedule(&self.dice, now, id);
            MoveFrom { expected: vec![expected], change }.into()
        } else {
            CancelAt { expected: vec![expected], change: Cancel { id } }.into()
        };
        let tried = self.ask(life, shop, op, false);
        if self.dice.once_in(4) {
            self.ask_again(life, &tried, true);
        }
    }
}
