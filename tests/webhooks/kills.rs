//! Kills the program at random moments while it books, delivers events, records outcomes and changes endpoints.
//! `CRASH_ROUNDS` sets the number of rounds, which all use the same directory. `CRASH_SEED` sets the seed.

use std::sync::Arc;

use parking_lot::Mutex;

use crate::chance::{Rng, number_of, seed};
use crate::client::{Client, Shop};
use crate::hooks::{command, server};
use crate::ledger::{Endpoint, Mood};
use crate::namespace::{Network, inside};
use crate::process::killed_at_start;
use crate::verdict::{Seen, deliver_the_rest, drain, judge};
use crate::work::{Book, CAUSES, Cause, STAFF, Trigger, work_until_killed};

const ROUNDS: usize = 4;
/// The number of endpoints. The first one accepts every event immediately, so its requests show which events
/// exist.
const ENDPOINTS: usize = 5;

async fn endpoints(
    network: &Network,
    client: &Client,
    shop: &Shop,
    trigger: &Arc<Trigger>,
) -> Vec<Arc<Endpoint>> {
    let hosts: Vec<_> = (0..ENDPOINTS)
        .map(|number| (format!("hook-{number}.example.com"), format!("93.184.216.{}", 10 + number)))
        .collect();
    let addresses: Vec<[&str; 1]> = hosts.iter().map(|(_, address)| [&**address]).collect();
    let names: Vec<(&str, &[&str])> =
        hosts.iter().zip(&addresses).map(|((host, _), address)| (&**host, &address[..])).collect();
    network.names(&names);
    let mut endpoints = Vec::new();
    for (host, address) in &hosts {
        let trigger = Arc::clone(trigger);
        let noticed = move || trigger.happened(Cause::Request);
        endpoints.push(Arc::new(Endpoint::create(network, client, shop, (host, address), noticed).await));
    }
    endpoints
}

#[test]
#[allow(clippy::print_stdout, reason = "prints a summary when more rounds than the default are run")]
fn every_event_of_an_acknowledged_change_survives_a_kill() {
    inside("kills::every_event_of_an_acknowledged_change_survives_a_kill", async |network| {
        let (rounds, seed) = (number_of("CRASH_ROUNDS", ROUNDS), seed());
        println!("the seed is {seed}");
        let mut rng = Rng(seed);
        let (trigger, book) = (Arc::new(Trigger::default()), Arc::new(Mutex::new(Book::default())));
        let mut seen = Seen::default();
        let mut running = Arc::new(server(&network));
        let client = Client::of(&running);
        let shop = Arc::new(Shop::create(&client, STAFF).await);
        let endpoints = endpoints(&network, &client, &shop, &trigger).await;
        let mut kills = [0; CAUSES.len()];
        for _ in 0..rounds {
            for endpoint in &endpoints[1..] {
                endpoint.set_any_mood(rng.below(1 << 20));
            }
            let new = book.lock().acknowledged.len();
            let cause = rng.below(CAUSES.len());
            kills[cause] += 1;
            let most = if CAUSES[cause] == Cause::Operator { 60 } else { 200 };
            trigger.arm(&running, CAUSES[cause], 1 + rng.below(most));
            let client = Client::of(&running);
            work_until_killed(&client, &shop, &endpoints, (&book, &trigger), &mut rng).await;
            assert_eq!(running.wait().code(), None, "the program ended by itself: {}", running.errors());
            for _ in 0..rng.below(3) {
                killed_at_start(command(&network), rng.below(3));
            }

            running = Arc::new(server(&network));
            let client = Client::of(&running);
            for endpoint in &endpoints {
                endpoint.take_stock(&client, &shop).await;
            }
            let mut taken = std::mem::take(&mut *book.lock());
            for call in std::mem::take(&mut taken.unknown) {
                let answer = client.call(&shop, &call).await;
                assert!(answer.is_some(), "the restarted program did not respond");
                taken.note(call, answer);
            }
            drain(&client, &shop, &endpoints[0]).await;
            judge(&client, &shop, &endpoints, (&taken, new), &mut seen).await;
            *book.lock() = taken;
        }

        // The endpoints are disabled, and the program is stopped and started again, so that no attempt is in
        // progress.
        let client = Client::of(&running);
        for endpoint in &endpoints {
            assert!(endpoint.switch(&client, &shop, false).await);
            endpoint.set_mood(Mood::Takes);
        }
        running.signal("TERM");
        assert_eq!(running.wait().code(), Some(0), "{}", running.errors());
        running = Arc::new(server(&network));
        let client = Client::of(&running);
        let resent = deliver_the_rest(&client, &shop, &endpoints).await;
        let book = std::mem::take(&mut *book.lock());
        judge(&client, &shop, &endpoints, (&book, 0), &mut seen).await;
        println!(
            "{rounds} rounds, kills after a response, a request, a call of an operator: {kills:?}; {} changes \
             acknowledged, {} events at {ENDPOINTS} endpoints in {} requests, {resent} of them resent at the end; {} \
             secrets, {} changes to a status",
            book.acknowledged.len(),
            seen.events(),
            seen.requests,
            endpoints.iter().map(|endpoint| endpoint.secrets.lock().len()).sum::<usize>(),
            endpoints.iter().map(|endpoint| endpoint.switches.lock().len()).sum::<usize>(),
        );
    });
}
