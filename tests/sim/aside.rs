//! Sets one business aside while the engine runs, as the service does with a business that has lost rows. From then on,
//! every request for this business must fail, even after crashes and restarts, and none of its rows may change. Other
//! businesses must not be affected.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use domain::{
    Actor, BookingMode, BusinessId, ContactDetails, EventTypes, Locale, Text, WeeklyBreaks, WeeklyHours,
};
use engine::business::Request;
use engine::business::commands::contacts::CreateContact;
use engine::business::commands::webhooks::CreateWebhook;
use engine::{EngineError, NewBusiness};
use store::{Order, Pair, Rows, StoreError, keys};

use crate::dice::Dice;
use crate::life::Life;
use crate::shop::text;
use crate::sim::Sim;
use crate::wide::Workload;

/// The business that is set aside. Its id is `None` if the seed has no such business.
pub(crate) struct Aside {
    dice: Dice,
    of: Option<BusinessId>,
    /// Whether the business was set aside. `rows` are its rows at the end of the run in which this happened.
    is_set_aside: bool,
    rows: Option<Vec<Pair>>,
}

impl Aside {
    pub(crate) fn new(seed: u64) -> Self {
        Self { dice: Dice::new(seed ^ 0xa51d), of: None, is_set_aside: false, rows: None }
    }

    /// The id of the business, if it was set aside.
    pub(crate) fn set_aside(&self) -> Option<BusinessId> {
        self.of.filter(|_| self.is_set_aside)
    }
}

impl Sim {
    /// For half of the seeds with [`Workload::Wide`], creates the business that will be set aside.
    pub(crate) async fn found_aside(&mut self, life: &Life) {
        if self.workload != Workload::Wide || !self.aside.dice.once_in(2) {
            return;
        }
        let new = NewBusiness {
            name: text("Aside"),
            zone: chrono_tz::UTC,
            locale: Locale::En,
            website_url: None,
            booking_mode: BookingMode::Instant,
            hours: WeeklyHours::default(),
            breaks: WeeklyBreaks::default(),
            phone_region: "US".into(),
        };
        let of = life.engine.create_business(new, Actor::Operator).await.unwrap().id;
        let url = self.new_url();
        self.guests.urls.lock().insert(url.as_str().to_owned());
        let create = CreateWebhook { url, events: EventTypes::all(), description: Text::default() };
        life.engine.business(of).change(Request::by(Actor::Operator), create).await.unwrap();
        self.aside.of = Some(of);
    }

    /// At random times, sends requests to the business. At one random time, sets the business aside.
    pub(crate) fn some_aside(&mut self, life: &mut Life) {
        let Some(of) = self.aside.of else { return };
        if !self.aside.is_set_aside && self.aside.dice.once_in(60) {
            match life.engine.set_business_aside(of, "chosen at random") {
                Ok(()) => {
                    self.world.say(format_args!("{of} is set aside"));
                    self.aside.is_set_aside = true;
                }
                Err(error) => self.world.say(format_args!("{of} cannot be set aside: {error}")),
            }
        }
        if !self.aside.dice.once_in(4) {
            return;
        }
        let (world, closing, handle) =
            (self.world.clone(), Arc::clone(&life.closing), life.engine.business(of));
        let refuses = self.aside.is_set_aside;
        life.spawn(async move {
            let details = ContactDetails { name: Some(text("Somebody")), ..ContactDetails::default() };
            let made = handle.change(Request::by(Actor::Operator), CreateContact { details }).await;
            let read = handle.business().await.map(drop);
            let ends = world.failed() || closing.load(Ordering::SeqCst);
            for answer in [made.map(drop), read] {
                match answer {
                    Err(EngineError::Store(StoreError::BusinessSetAside { .. })) => {}
                    Ok(()) | Err(EngineError::DiskFull(_)) if !refuses => {}
                    Err(_) if ends => {}
                    answer => {
                        world.wrong(format_args!("{of} responds with {answer:?}, set aside: {refuses}"));
                    }
                }
            }
        });
    }

    /// Checks between two runs that the rows of the business have not changed since it was set aside.
    pub(crate) fn check_aside(&mut self, store: &store::Store) {
        let Some(of) = self.aside.set_aside() else { return };
        assert!(store.is_business_set_aside(of), "{of} is no longer set aside");
        let rows = store.all_rows().scan(&keys::all(of), Order::Ascending).collect::<Result<Vec<_>, _>>();
        let rows = rows.unwrap();
        assert!(!rows.is_empty());
        let before = self.aside.rows.get_or_insert_with(|| rows.clone());
        assert!(*before == rows, "the rows of {of} changed after it was set aside");
    }
}
