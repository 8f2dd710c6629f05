//! An endpoint whose receiver fails for a day. The service must disable the endpoint if and only if the documented rule
//! requires it.

use std::time::Duration;

use domain::{ContactDetails, EventTypes, Text, WebhookId, WebhookStatus};
use engine::business::commands::contacts::CreateContact;
use engine::business::commands::webhooks::CreateWebhook;
use tokio::time::sleep;

use crate::hooks::RETRY_MILLIS;
use crate::life::Life;
use crate::network::Mood;
use crate::shop::{Shop, text};
use crate::sim::Sim;

/// A day on which all attempts of one delivery fail. The variants differ in what else happens to the
/// endpoint.
#[derive(Clone, Copy, Debug)]
enum Day {
    /// No other event is sent to the endpoint. The endpoint must be disabled.
    Idle,
    /// The endpoint accepts a second event. The endpoint must stay enabled.
    Takes,
    /// The endpoint is disabled and enabled again during the last attempt. After that, it must stay enabled.
    TurnedOffAndOn,
}

impl Sim {
    pub(crate) async fn waste(&mut self, life: &mut Life) {
        life.quiet().await;
        self.learn();
        let shop = self.dice.below(self.shops.len());
        let day = *self.dice.pick(&[Day::Idle, Day::Takes, Day::TurnedOffAndOn]);
        self.world.say(format_args!("a day at {shop}: {day:?}"));
        self.ask(life, shop, Shop::room().into(), false);
        let host = self.world.network.len();
        let create =
            CreateWebhook { url: self.new_url(), events: EventTypes::all(), description: Text::default() };
        let created = self.ask(life, shop, create.into(), false).number;
        life.quiet().await;
        self.learn();
        let body = self.ledger.entry(created).body().expect("the endpoint must be created");
        let id: WebhookId = crate::shop::id(&body["id"]);
        // The receiver hangs, so each attempt takes ten seconds.
        self.world.network.set_mood(host, Mood::Hangs);
        self.event(life, shop).await;
        let last = RETRY_MILLIS.iter().sum::<i64>() + 10_000 * i64::try_from(RETRY_MILLIS.len()).unwrap();
        let until_last = Duration::from_millis(u64::try_from(last).unwrap()) + Duration::from_secs(5);
        let five_hours = Duration::from_secs(5 * 3_600);
        sleep(five_hours).await;
        if let Day::Takes = day {
            self.world.network.set_mood(host, Mood::Takes);
            self.event(life, shop).await;
            sleep(Duration::from_secs(1)).await;
            self.world.network.set_mood(host, Mood::Hangs);
        }
        sleep(until_last.saturating_sub(five_hours)).await;
        if let Day::TurnedOffAndOn = day {
            for status in [WebhookStatus::Disabled, WebhookStatus::Enabled] {
                self.ask(life, shop, Self::turn(id, status), false);
                life.quiet().await;
            }
        }
        sleep(Duration::from_secs(20)).await;
        let endpoint = life.engine.business(self.shops[shop].id).webhook(id).await.unwrap().unwrap();
        let expected = matches!(day, Day::Takes | Day::TurnedOffAndOn);
        assert_eq!(
            endpoint.is_enabled(),
            expected,
            "the endpoint has the wrong status after a day of kind {day:?}: {endpoint:?}"
        );
    }

    /// Creates a contact, which causes an event.
    async fn event(&mut self, life: &mut Life, shop: usize) {
        let details = ContactDetails { name: Some(text("Somebody")), ..ContactDetails::default() };
        self.ask(life, shop, CreateContact { details }.into(), false);
        life.quiet().await;
        self.learn();
    }
}
