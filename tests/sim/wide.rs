//! The wide workload. It has more businesses, time zones and endpoints than the first workload. It also has bursts of
//! new contacts, conditional changes, changes with API keys, and reads just before a power cut.
//!
//! The first workload draws no random numbers for these features. Therefore, adding these features did not change the
//! run that a seed produces with the first workload.

use std::time::Duration;

use chrono_tz::Tz;
use domain::{ContactDetails, KnowledgePatch, Search, WebhookStatus, search_text};
use engine::business::ContactFilter;
use engine::business::commands::contacts::CreateContact;
use engine::business::commands::knowledge::{DeleteKnowledge, PatchKnowledge};
use engine::business::commands::webhooks::DeleteWebhook;
use view::ContactView;

use crate::life::Life;
use crate::looks::all;
use crate::network::Mood;
use crate::ops::{Op, RemoveService, RemoveStaff};
use crate::shop::{Shop, text};
use crate::sim::Sim;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Workload {
    /// The first workload. It has three businesses.
    First,
    /// The wide workload. It uses all features of the simulation.
    Wide,
    /// Mostly conversations (see `talks.rs`), with all faults of the disk, the clock and the process. Two other
    /// businesses get a few requests.
    Talks,
}

/// Time zones with offsets of whole, half and quarter hours, with and without summer time. Lord Howe Island changes its
/// clocks by half an hour.
const ZONES: [Tz; 9] = [
    chrono_tz::UTC,
    chrono_tz::Europe::Paris,
    chrono_tz::America::New_York,
    chrono_tz::Australia::Lord_Howe,
    chrono_tz::Asia::Kathmandu,
    chrono_tz::Pacific::Chatham,
    chrono_tz::America::St_Johns,
    chrono_tz::Pacific::Apia,
    chrono_tz::America::Santiago,
];
/// The dates on which a simulation can start, as days after 2 March. The first date is 2 March, the usual start. Each
/// other date is one or two days before clocks change in some zones: 7 March (America), 27 March (Europe), 3 April
/// (Lord Howe, Chatham, Santiago), 2 October (Lord Howe), 23 October (Europe) and 30 October (America).
const BEGINNINGS: [i64; 7] = [0, 5, 25, 32, 214, 235, 242];
const DAY_MILLIS: i64 = 86_400_000;
const BUSINESSES: usize = 5;
const ENDPOINTS_MAX: usize = 6;
/// The minimum and the maximum number of contacts in a burst. The contacts of a burst fill more than one row of the
/// index of names. A big burst also makes more deliveries due than the actor of an endpoint reads at once.
const BURST: (u64, u64) = (70, 90);
const BIG_BURST: (u64, u64) = (280, 320);
/// The number of concurrent requests in a burst. It is lower than the limit on a business's unanswered requests.
const AT_ONCE: usize = 40;

impl Workload {
    /// Returns the time zone of each business.
    pub(crate) fn zones(self, sim: &Sim) -> Vec<Tz> {
        match self {
            Self::First => ZONES[..3].to_vec(),
            Self::Talks => ZONES[..2].to_vec(),
            Self::Wide => (0..BUSINESSES).map(|_| *sim.dice.pick(&ZONES)).collect(),
        }
    }

    pub(crate) fn endpoints_max(self) -> usize {
        if self == Self::Wide { ENDPOINTS_MAX } else { 4 }
    }
}

impl Sim {
    /// Moves the start to a day near a clock change.
    pub(crate) fn choose_beginning(&self) {
        if self.workload == Workload::Wide {
            self.world.time.begin_later(*self.dice.pick(&BEGINNINGS) * DAY_MILLIS);
        }
    }

    /// Performs one action of the wide workload from time to time. Returns true if it did.
    pub(crate) async fn some_wide(&mut self, life: &mut Life) -> bool {
        if self.workload != Workload::Wide || !self.dice.once_in(5) {
            return false;
        }
        match self.dice.below(32) {
            0..=5 => self.some_condition(life),
            6 => self.probe_condition(life).await,
            7..=9 => self.some_reused_key(life),
            10..=16 => self.some_change_by_key(life),
            17 | 18 => self.some_search(life),
            20 | 21 => self.some_removal(life),
            22..=29 => self.some_diary(life),
            30 | 31 => self.some_assistant(life),
            19 if !self.has_burst && self.world.has_room() => self.burst(life).await,
            _ => return false,
        }
        true
    }

    /// Creates many contacts in one business while about half of the receivers fail. The names of the contacts fill
    /// several rows of the index. After a big burst, more deliveries are due than the actor of an endpoint reads at
    /// once.
    async fn burst(&mut self, life: &mut Life) {
        self.has_burst = true;
        let shop = self.dice.below(self.shops.len());
        let (from, to) = if self.dice.once_in(4) { BIG_BURST } else { BURST };
        let count = usize::try_from(self.dice.between(from, to)).unwrap();
        self.world.say(format_args!("{count} new contacts at {shop}"));
        for host in 0..self.world.network.len() {
            if self.dice.once_in(2) {
                self.world.network.set_mood(host, Mood::Fails(503));
            }
        }
        for number in 0..count {
            if number % AT_ONCE == 0 {
                life.quiet().await;
            }
            let name = Some(text(&format!("Contact {}", 1_000 + number)));
            let details = ContactDetails { name, ..ContactDetails::default() };
            self.ask(life, shop, CreateContact { details }.into(), false);
        }
        life.quiet().await;
        self.learn();
        // There are so many pending deliveries that the service deletes them in several steps.
        for id in self.shops[shop].webhooks.clone() {
            let ops: Vec<Op> = match self.dice.below(4) {
                0 => vec![DeleteWebhook { id }.into()],
                1 => vec![Self::turn(id, WebhookStatus::Disabled), Self::turn(id, WebhookStatus::Enabled)],
                _ => continue,
            };
            for op in ops {
                self.ask_and_learn(life, shop, op).await;
            }
        }
    }

    /// Changes or deletes resources. A resource that is in use cannot be deleted.
    fn some_removal(&self, life: &mut Life) {
        let number = self.dice.below(self.shops.len());
        let shop = &self.shops[number];
        let op: Op = match (self.dice.below(6), self.dice.any(&shop.knowledge)) {
            (0, Some(id)) => DeleteKnowledge { id }.into(),
            (1 | 2, Some(id)) => {
                // The new text is short, or long enough to be stored in pieces.
                let times = *self.dice.pick(&[1, 40, 900, 2_700]);
                let content = Some(text(&"Behind the house. ".repeat(times)));
                let patch = KnowledgePatch { content, ..KnowledgePatch::default() };
                PatchKnowledge { id, patch }.into()
            }
            (3, _) if shop.services.len() < 8 => Shop::service(&self.dice).into(),
            (4, _) if shop.staff.len() > 2 => RemoveStaff { id: *self.dice.pick(&shop.staff) }.into(),
            // The workload needs at least two services.
            _ if shop.services.len() > 2 => RemoveService { id: *self.dice.pick(&shop.services) }.into(),
            _ => shop.member(&self.dice).into(),
        };
        self.ask(life, number, op, false);
    }

    /// Searches for contacts, either with a part of their name or with words that may match any field. Reads all pages
    /// of the result.
    fn some_search(&self, life: &mut Life) {
        let shop = self.dice.below(self.shops.len());
        let by_words = self.dice.below(2) == 0;
        let words = if by_words {
            ["contact 1", "1 CON", "rename", "con"]
        } else {
            ["contact 1", "CONTACT 10", "renamed", "t 1"]
        };
        let part = (*self.dice.pick(&words)).to_owned();
        let handle = life.engine.business(self.shops[shop].id);
        let (world, ledger) = (self.world.clone(), std::sync::Arc::clone(&self.ledger));
        world.say(format_args!("a client searches {shop} for {part}"));
        life.spawn(async move {
            let search = by_words.then(|| Search::new(&part, &[]));
            let name_part = (!by_words).then(|| part.clone());
            let filter = ContactFilter { name_part, search: search.clone(), ..ContactFilter::default() };
            let Ok(found) = all(7, async |page| handle.contacts(&filter, &page).await).await else { return };
            let matches = |it: &ContactView| {
                let [name, phone, email] = [&it.name, &it.phone, &it.email].map(Option::as_deref);
                match &search {
                    Some(search) => search.matches(&search_text(name, phone, email)),
                    None => name.is_none_or(|name| name.to_lowercase().contains(&part.to_lowercase())),
                }
            };
            if !found.iter().all(matches) || !found.is_sorted_by(|a, b| a.id > b.id) {
                let names: Vec<_> = found.iter().map(|contact| &contact.name).collect();
                world.wrong(format_args!("a search of {shop} for {part} found {names:?}"));
            }
            for contact in &found {
                ledger.saw(shop, &serde_json::to_value(contact).unwrap(), "found");
            }
        });
    }

    /// Sends reads while changes are not durable yet. The caller cuts the power immediately afterwards.
    pub(crate) async fn glance(&mut self, life: &mut Life) {
        life.quiet().await;
        self.learn();
        self.world.say(format_args!("reads just before the power cut"));
        self.world.disk.set_sync_delay(Duration::from_millis(self.dice.between(5, 40)));
        for _ in 0..self.dice.between(1, 4) {
            self.some_request(life);
        }
        tokio::time::sleep(Duration::from_millis(1)).await;
        for _ in 0..8 {
            self.some_look(life);
        }
        tokio::time::sleep(Duration::from_millis(self.dice.between(1, 20))).await;
        self.learn();
        self.world.check();
    }

    /// Creates the endpoints of a new business: up to three in the wide workload, and one in the other workloads.
    pub(crate) async fn found_endpoints(&mut self, life: &mut Life, shop: usize) {
        let count = match self.workload {
            Workload::First | Workload::Talks => 1,
            Workload::Wide => self.dice.between(1, 3),
        };
        for _ in 0..count {
            let url = self.new_url();
            self.ask_and_learn(life, shop, Shop::webhook(&self.dice, url).into()).await;
        }
    }
}
