//! Outages of the service's own network. They must not count as failures of endpoints.

use std::collections::BTreeMap;
use std::time::Duration;

use domain::{DeliveryStatus, EventId, ResourceId, WebhookId};
use engine::business::PageRequest;
use engine::delivery::DeliveryFilter;
use uuid::Uuid;
use view::DeliveryView;

use crate::life::Life;
use crate::network::Line;
use crate::sim::Sim;

/// The time after which all attempts that began before an outage have ended.
const ATTEMPT_TIME_MAX: Duration = Duration::from_secs(11);
/// The maximum time from the end of an outage until the service notices that the network works again, in milliseconds.
const KNOWN_MILLIS: i64 = 31_000;
/// The test compares at most this number of deliveries of each endpoint.
const COMPARED: usize = 200;

/// The deliveries, identified by the index of the business, the endpoint and the event.
type Log = BTreeMap<(usize, WebhookId, EventId), DeliveryView>;

impl Sim {
    /// Disconnects the network. During the outage, an attempt without a connection must not count as failed, and no
    /// delivery may end as failed.
    pub(crate) async fn outage(&mut self, life: &mut Life) {
        life.quiet().await;
        self.world.network.set_line(*self.dice.pick(&[Line::NoRoute, Line::NoNameServer]));
        tokio::time::sleep(ATTEMPT_TIME_MAX).await;
        let (before, newest) = (self.logs(life).await, self.newest_ids(life).await);
        for _ in 0..self.dice.between(1, 12) {
            self.some_request(life);
            self.some_time().await;
        }
        life.quiet().await;
        self.learn();
        let after = self.logs(life).await;
        for (of, row) in &after {
            // The log shows only deliveries of the last 30 days. If the clock jumps by years, older deliveries
            // disappear from the log. They may appear again when the clock is corrected, so they are not
            // compared.
            if !before.contains_key(of) && of.2.uuid() < newest[of.0] {
                continue;
            }
            let earlier = before.get(of).map_or(0, |row| row.attempts_made);
            let given_up = row.status == DeliveryStatus::Failed
                && before.get(of).is_some_and(|row| row.status == DeliveryStatus::Pending);
            assert!(
                row.status == DeliveryStatus::Delivered || row.attempts_made == earlier && !given_up,
                "during an outage, {of:?} changed from {:?} to {row:?}",
                before.get(of)
            );
        }
        // Sometimes the outage continues until the next run.
        if !self.dice.once_in(3) {
            self.world.network.set_line(Line::There);
        }
    }

    /// Returns the time until which an outage may have delayed deliveries in this run of the engine.
    pub(crate) fn held_until(&self) -> i64 {
        match self.world.network.line() {
            (Line::There, 0) => 0,
            (Line::There, since) => since + KNOWN_MILLIS,
            _ => i64::MAX,
        }
    }

    /// Returns the newest id in the audit log of each business. Later events have higher ids.
    async fn newest_ids(&self, life: &Life) -> Vec<Uuid> {
        let newest = PageRequest { limit: 1, after: None };
        let mut ids = Vec::new();
        for shop in &self.shops {
            let audit = life.engine.business(shop.id).audit(&newest).await;
            // The read fails only if the store has failed. In this case, there are no new events. The largest possible
            // id makes all events count as old.
            ids.push(audit.map_or(Uuid::max(), |page| page.items[0].id.uuid()));
        }
        ids
    }

    async fn logs(&self, life: &Life) -> Log {
        let newest = PageRequest { limit: COMPARED, after: None };
        let mut logs = Log::new();
        for (number, shop) in self.shops.iter().enumerate() {
            let handle = life.engine.business(shop.id);
            for id in &shop.webhooks {
                // The endpoint may have been deleted, or the store may have failed.
                let Ok(log) = handle.deliveries(*id, DeliveryFilter::default(), &newest).await else {
                    continue;
                };
                logs.extend(log.items.into_iter().map(|row| ((number, *id, row.event_id), row)));
            }
        }
        logs
    }
}
