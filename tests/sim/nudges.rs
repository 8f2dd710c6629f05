//! A *nudge* is a request that changes no record, for example a request to send events again, to test an endpoint, or
//! to use a key. This module also makes actors fail and suspends businesses.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use domain::{Actor, DeliveryStatus, DisabledReason, KeyId, Refusal, WebhookId, WebhookStatus};
use engine::EngineError;
use engine::business::commands::profile::PatchBusiness;
use engine::business::commands::webhooks::PatchWebhook;
use engine::business::{Change, Context, Decision, Listed, PageRequest, Removed, Request};
use engine::credentials::Credential;
use engine::delivery::DeliveryFilter;
use store::Weight;

use crate::ledger::Came;
use crate::life::Life;
use crate::ops::Op;
use crate::sim::Sim;
use crate::world::Meant;

/// A change that makes its actor panic.
struct Broken;

impl Listed for Broken {}

impl Change for Broken {
    type Gives = Removed;

    fn decide(self, _: &mut Context<'_>) -> Result<Decision<Self::Gives>, EngineError> {
        std::panic::panic_any(Meant)
    }

    fn weight(&self) -> Weight {
        Weight::Frees
    }
}

impl Sim {
    /// Makes the actor of a business panic. The engine then restarts the actor from the store, and the requests that
    /// were waiting get an error.
    pub(crate) fn some_panic(&self, life: &mut Life) {
        let shop = self.dice.below(self.shops.len());
        self.world.say(format_args!("the actor of {shop} will panic"));
        self.world.note_broken(shop);
        let handle = life.engine.business(self.shops[shop].id);
        life.spawn(async move { _ = handle.change(Request::by(Actor::Operator), Broken).await });
    }

    /// Waits until the actor of a business accepts requests. After two failures within a minute, the actor refuses
    /// requests for some time.
    pub(crate) async fn rested(&self, life: &Life, shop: usize) {
        if !self.world.was_broken(shop) {
            return;
        }
        let handle = life.engine.business(self.shops[shop].id);
        if let Err(EngineError::Resting(rest)) = handle.budget().await {
            self.world.say(format_args!("the actor of {shop} backs off for {rest:?}"));
            tokio::time::sleep(rest).await;
        }
    }

    /// Starts one random action with deliveries or keys.
    pub(crate) fn some_nudge(&mut self, life: &mut Life) {
        let shop = self.dice.below(self.shops.len());
        let Some(id) = self.dice.any(&self.shops[shop].webhooks) else { return };
        match self.dice.below(8) {
            0 | 1 => self.resend_missed(life, shop, id),
            2..=4 => self.resend(life, shop, id),
            5 => self.test(life, shop, id),
            6 => self.use_key(life, shop),
            _ => self.reach_over(life, shop, id),
        }
    }

    pub(crate) fn resend_missed(&mut self, life: &mut Life, shop: usize, id: WebhookId) {
        self.world.say(format_args!("the missed events of {id} are to be sent again"));
        self.models[shop].note_resend(id, self.world.time.now());
        let handle = life.engine.business(self.shops[shop].id);
        let (world, closing) = (self.world.clone(), Arc::clone(&life.closing));
        life.spawn(async move {
            match handle.resend_missed(id).await {
                Ok(count) => world.say(format_args!("{count} events of {id} are sent again")),
                Err(EngineError::Refused(refusal)) => {
                    world.say(format_args!("the events are not sent again: {refusal:?}"));
                }
                Err(EngineError::DiskFull(_)) if !world.has_room() => {
                    world.say(format_args!("the events are not sent again: no room"));
                }
                Err(_) if world.failed() || closing.load(Ordering::SeqCst) => {}
                // These errors are expected if the test has made the actor fail.
                Err(EngineError::Failed | EngineError::Overloaded | EngineError::Resting(_))
                    if world.was_broken(shop) => {}
                Err(error) => world.wrong(format_args!("sending again to {id} failed: {error}")),
            }
        });
    }

    fn resend(&mut self, life: &mut Life, shop: usize, id: WebhookId) {
        self.world.say(format_args!("an event is to be sent to {id} again"));
        self.models[shop].note_resend(id, self.world.time.now());
        let handle = life.engine.business(self.shops[shop].id);
        let (world, closing) = (self.world.clone(), Arc::clone(&life.closing));
        let nth = self.dice.below(6);
        life.spawn(async move {
            let newest = PageRequest { limit: 12, after: None };
            let Ok(log) = handle.deliveries(id, DeliveryFilter::default(), &newest).await else { return };
            let Some(row) = log.items.get(nth) else { return };
            let again = handle.resend(id, row.event_id).await;
            world.say(format_args!("{} to {id} again: {again:?}", row.event_id));
            match again {
                Ok(()) if row.status == DeliveryStatus::Pending && row.next_attempt_at.is_none() => {
                    world.wrong(format_args!("{} is pending, but was sent again", row.event_id));
                }
                Ok(()) | Err(EngineError::Refused(_)) => {}
                Err(EngineError::DiskFull(_)) if !world.has_room() => {}
                Err(_) if world.failed() || closing.load(Ordering::SeqCst) => {}
                // These errors are expected if the test has made the actor fail.
                Err(EngineError::Failed | EngineError::Overloaded | EngineError::Resting(_))
                    if world.was_broken(shop) => {}
                Err(error) => world.wrong(format_args!("sending again to {id} failed: {error}")),
            }
        });
    }

    fn test(&self, life: &mut Life, shop: usize, id: WebhookId) {
        let handle = life.engine.business(self.shops[shop].id);
        let (world, closing) = (self.world.clone(), Arc::clone(&life.closing));
        world.say(format_args!("{id} is tested"));
        life.spawn(async move {
            match handle.test_webhook(id, None).await {
                Ok(test) => {
                    world.say(format_args!("{id} was tested: {} {:?}", test.delivered, test.error));
                    let taken = test.response_status.is_some_and(|status| status / 100 == 2);
                    if test.delivered != taken || test.duration_ms > 10_100 {
                        world.wrong(format_args!("a test had the unexpected outcome {test:?}"));
                    }
                }
                Err(EngineError::Refused(Refusal::NotFound(_)) | EngineError::Suspended) => {}
                Err(_) if world.failed() || closing.load(Ordering::SeqCst) => {}
                Err(error) => world.wrong(format_args!("testing {id} failed: {error}")),
            }
        });
    }

    /// Makes another business send requests for this endpoint. The service must refuse these requests.
    fn reach_over(&self, life: &mut Life, shop: usize, id: WebhookId) {
        let other = life.engine.business(self.shops[(shop + 1) % self.shops.len()].id);
        let world = self.world.clone();
        world.say(format_args!("another business requests {id}"));
        life.spawn(async move {
            let newest = PageRequest { limit: 5, after: None };
            let reached = other.resend_missed(id).await.is_ok()
                || other.test_webhook(id, None).await.is_ok()
                || other.deliveries(id, DeliveryFilter::default(), &newest).await.is_ok()
                || matches!(other.webhook(id).await, Ok(Some(_)));
            if reached {
                world.wrong(format_args!("another business can use {id}"));
            }
        });
    }

    /// Presents a key. The key must be accepted until it is revoked.
    fn use_key(&self, life: &mut Life, shop: usize) {
        let entries = self.ledger.since(0);
        let of_shop = || entries.iter().filter(|entry| entry.tried.shop == shop);
        let made: Vec<_> = of_shop()
            .filter(|entry| matches!(entry.tried.op, Op::CreateKey(_)))
            .filter_map(crate::ledger::Entry::shown_key)
            .collect();
        if made.is_empty() {
            return;
        }
        let made = self.dice.pick(&made);
        let key: KeyId = made["id"].as_str().unwrap().parse().unwrap();
        let credential = Credential::parse(made["key"].as_str().unwrap()).unwrap();
        let mut revoking =
            of_shop().filter(|entry| matches!(entry.tried.op, Op::RevokeKey(op) if op.id == key));
        let tried = revoking.clone().any(|entry| entry.came != Came::Refused);
        let revoked = revoking.any(|entry| matches!(entry.came, Came::Done(_)));
        let (engine, world, id) = (life.engine.clone(), self.world.clone(), self.shops[shop].id);
        life.spawn(async move {
            let Ok(opened) = engine.authenticate(&credential).await else { return };
            world.say(format_args!("{key} is accepted: {}", opened.is_some()));
            if revoked && opened.is_some() || !tried && opened.is_none() {
                world.wrong(format_args!(
                    "{key} was revoked: {revoked}, and is accepted: {}",
                    opened.is_some()
                ));
            }
            if opened.is_some_and(|opened| opened.business.id != id) {
                world.wrong(format_args!("{key} gives access to another business"));
            }
        });
    }

    /// Suspends a business for some time.
    pub(crate) async fn suspend(&mut self, life: &mut Life) {
        life.quiet().await;
        let shop = self.dice.below(self.shops.len());
        self.rested(life, shop).await;
        let handle = life.engine.business(self.shops[shop].id);
        for suspended in [true, false] {
            self.world.say(format_args!("{shop} is suspended: {suspended}"));
            let change = PatchBusiness::suspending(suspended);
            if suspended {
                self.hardly_any_room().await;
            } else {
                self.noticed_room().await;
                self.models[shop].note_let_in(self.world.time.now());
            }
            let changed = handle.change(Request::by(Actor::Operator), change).await;
            self.enough_room();
            if let Err(error) = changed {
                assert!(self.world.failed(), "suspending the business failed: {error}");
                return;
            }
            if suspended {
                self.models[shop].note_suspended(self.world.time.now());
                let first = self.ledger.len();
                for _ in 0..4 {
                    self.some_request(life);
                }
                life.quiet().await;
                for entry in self.ledger.since(first).iter().filter(|entry| entry.tried.shop == shop) {
                    assert!(
                        !matches!(entry.came, Came::Done(_)),
                        "a suspended business carried out {entry:?}"
                    );
                }
                // During the suspension, deliveries that become due must wait. Missed events that are requested again
                // must wait too.
                if let Some(id) = self.dice.any(&self.shops[shop].webhooks) {
                    self.resend_missed(life, shop, id);
                }
                tokio::time::sleep(Duration::from_secs(self.dice.between(0, 200))).await;
            }
        }
    }

    /// Resumes the businesses that were still suspended at the end of the previous run.
    pub(crate) async fn lift_suspensions(&mut self, life: &Life) {
        for (number, shop) in self.shops.iter().enumerate() {
            let handle = life.engine.business(shop.id);
            if handle.business().await.unwrap().suspended {
                self.world.say(format_args!("{number} is resumed"));
                self.models[number].note_let_in(self.world.time.now());
                handle.change(Request::by(Actor::Operator), PatchBusiness::suspending(false)).await.unwrap();
            }
        }
    }

    /// Enables or disables an endpoint.
    pub(crate) fn turn(id: WebhookId, status: WebhookStatus) -> Op {
        let (url, events, description) = (None, None, None);
        let reason = DisabledReason::Operator;
        PatchWebhook { id, url, events, description, status: Some(status), reason }.into()
    }
}
