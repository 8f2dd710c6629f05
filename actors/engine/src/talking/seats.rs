//! The limits on simultaneous requests to the model. Each running request has a seat. A free seat goes to the waiting
//! request whose business has the fewest seats.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use domain::BusinessId;
use parking_lot::Mutex;
use tokio::sync::oneshot;

pub(super) const SEATS: usize = 64;
pub(super) const WEBSITE_SEATS: usize = 32;
pub(super) const WEBSITE_SEATS_OF_BUSINESS: usize = 4;
/// The maximum number of requests that wait for a seat. A further request gets no seat.
const WAITING_MAX: usize = 1_024;

#[derive(Clone, Default)]
pub(super) struct Seats(Arc<Mutex<Taken>>);

#[derive(Default)]
struct Taken {
    all: Count,
    of: HashMap<BusinessId, Count>,
    waiting: VecDeque<Waiting>,
}

#[derive(Clone, Copy, Default)]
struct Count {
    all: usize,
    of_website: usize,
}

struct Waiting {
    of: BusinessId,
    is_website: bool,
    granted: oneshot::Sender<Seat>,
}

pub(super) struct Seat {
    seats: Seats,
    of: BusinessId,
    is_website: bool,
}

impl Seats {
    /// Waits for a seat. The caller sets a timeout. Returns `None` if [`WAITING_MAX`] requests are already waiting.
    pub(super) async fn take(&self, of: BusinessId, is_website: bool) -> Option<Seat> {
        let (granted, seat) = oneshot::channel();
        {
            let mut taken = self.0.lock();
            taken.waiting.retain(|waiting| !waiting.granted.is_closed());
            if taken.waiting.len() >= WAITING_MAX {
                return None;
            }
            taken.waiting.push_back(Waiting { of, is_website, granted });
        }
        self.grant();
        seat.await.ok()
    }

    fn grant(&self) {
        loop {
            let next = self.0.lock().next();
            let Some(Waiting { of, is_website, granted }) = next else { return };
            // If the request no longer waits, the seat is dropped here, and is free again.
            let _ = granted.send(Seat { seats: self.clone(), of, is_website });
        }
    }
}

impl Taken {
    /// Takes a seat for the waiting request whose business has the fewest seats. If there are several such
    /// businesses, the oldest of their requests gets the seat.
    fn next(&mut self) -> Option<Waiting> {
        let fits = |waiting: &Waiting| {
            let own = self.of.get(&waiting.of).copied().unwrap_or_default();
            let is_free = self.all.all < SEATS;
            let is_free_for_website =
                self.all.of_website < WEBSITE_SEATS && own.of_website < WEBSITE_SEATS_OF_BUSINESS;
            (is_free && (!waiting.is_website || is_free_for_website)).then_some(own.all)
        };
        let waiting = self.waiting.iter().enumerate();
        let fitting = waiting.filter_map(|(at, waiting)| Some((fits(waiting)?, at)));
        let (_, at) = fitting.min()?;
        let next = self.waiting.remove(at)?;
        for count in [&mut self.all, self.of.entry(next.of).or_default()] {
            count.all += 1;
            count.of_website += usize::from(next.is_website);
        }
        Some(next)
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        {
            let taken = &mut *self.seats.0.lock();
            let own = taken.of.entry(self.of).or_default();
            for count in [&mut taken.all, &mut *own] {
                count.all -= 1;
                count.of_website -= usize::from(self.is_website);
            }
            if own.all == 0 {
                taken.of.remove(&self.of);
            }
        }
        self.seats.grant();
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    fn business(number: u128) -> BusinessId {
        Uuid::from_u128(number).into()
    }

    /// Takes a seat if one is free now.
    async fn taken(seats: &Seats, of: u128, is_website: bool) -> Option<Seat> {
        let take = seats.take(business(of), is_website);
        tokio::time::timeout(std::time::Duration::ZERO, take).await.ok().flatten()
    }

    #[tokio::test]
    async fn websites_and_one_business_have_their_own_bounds() {
        let seats = Seats::default();
        let mut held = Vec::new();
        for of in 0..20 {
            while let Some(seat) = taken(&seats, of, true).await {
                held.push((of, seat));
            }
            let own = held.iter().filter(|(business, _)| *business == of).count();
            assert!(own <= WEBSITE_SEATS_OF_BUSINESS, "{own}");
        }
        assert_eq!(held.len(), WEBSITE_SEATS);
        while let Some(seat) = taken(&seats, 1, false).await {
            held.push((1, seat));
        }
        assert_eq!(held.len(), SEATS);
        held.clear();
        let left = seats.0.lock();
        assert_eq!((left.all.all, left.of.len()), (0, 0));
    }

    #[tokio::test]
    async fn a_free_seat_goes_to_the_business_with_the_fewest() {
        let seats = Seats::default();
        let mut held = Vec::new();
        for _ in 0..SEATS {
            held.push(taken(&seats, 1, false).await.unwrap());
        }
        let (order, mut done) = tokio::sync::mpsc::unbounded_channel();
        for of in [1, 1, 2] {
            let (seats, order) = (seats.clone(), order.clone());
            tokio::spawn(async move {
                let seat = seats.take(business(of), false).await;
                let _ = order.send((of, seat));
            });
            tokio::task::yield_now().await;
        }
        held.pop();
        let (first, _seat) = done.recv().await.unwrap();
        assert_eq!(first, 2, "the other business has waited longer, but it has all seats");
    }
}
