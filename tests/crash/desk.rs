//! Kills the process while the team books with an override, records the attendance and adds time off. After
//! the restart, each acknowledged change is complete. Any other change is complete or was not made.
//! `CRASH_ROUNDS` sets the number of rounds, which all use the same directory.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use serde_json::{Value, json};

use crate::chance::{Rng, number_of, seed, sleep_for};
use crate::client::{Answer, Client, Shop, check_overlaps, text};
use crate::process::Server;
use crate::say::say;

const ROUNDS: usize = 3;
const CLIENTS: usize = 8;
const ACKNOWLEDGED_A_ROUND_MAX: usize = 250;
/// The maximum time between a response and the kill that follows it.
const KILL_DELAY_MAX: Duration = Duration::from_micros(10_000);
const STAFF: usize = 3;
/// Each booked appointment started at most about this number of minutes ago: 7 days. With an override, the service
/// permits up to 30 days.
const PAST_MINUTES: usize = 7 * 24 * 60;
const ATTENDANCES: [&str; 3] = ["arrived", "completed", "no_show"];

#[derive(Clone, Debug)]
enum Ask {
    /// A booking with an override, and its idempotency key.
    Book(Value, String),
    Attend(String, &'static str),
    /// Time off of the staff member with this id.
    Block(String, Value),
}

/// The start of the minute that was this many minutes ago.
fn minutes_ago(minutes: usize) -> DateTime<Utc> {
    let now: DateTime<Utc> = std::time::SystemTime::now().into();
    let now = now.timestamp() / 60 * 60 - i64::try_from(minutes).unwrap() * 60;
    DateTime::from_timestamp(now, 0).unwrap()
}

impl Ask {
    /// Returns a random request. `own` contains the ids of the appointments that only this client changes.
    fn some(rng: &mut Rng, shop: &Shop, own: &[String]) -> Self {
        let staff = shop.staff[rng.below(STAFF)].clone();
        match rng.below(4) {
            0 => {
                let start = minutes_ago(0) + TimeDelta::days(i64::try_from(rng.below(300)).unwrap());
                let end = start + TimeDelta::hours(1);
                Self::Block(staff, json!({ "starts_at": start.to_rfc3339(), "ends_at": end.to_rfc3339() }))
            }
            1 | 2 if !own.is_empty() => {
                Self::Attend(own[rng.below(own.len())].clone(), ATTENDANCES[rng.below(ATTENDANCES.len())])
            }
            _ => {
                let start = minutes_ago(6 + rng.below(PAST_MINUTES));
                let body = json!({ "service_id": shop.service, "staff_id": staff, "override": true,
                    "starts_at": start.to_rfc3339(), "duration_minutes": 5, "contact": { "name": "Walk-in" } });
                Self::Book(body, uuid::Uuid::new_v4().to_string())
            }
        }
    }

    async fn send(&self, client: &Client, of: &str) -> Option<Answer> {
        match self {
            Self::Book(body, key) => client.operator_once(&format!("{of}/appointments"), body, key).await,
            Self::Attend(id, attendance) => {
                let body = json!({ "attendance": attendance });
                client.ask_operator("PATCH", &format!("{of}/appointments/{id}"), Some(body)).await
            }
            Self::Block(staff, body) => {
                client.ask_operator("POST", &format!("{of}/staff/{staff}/time-off"), Some(body.clone())).await
            }
        }
    }
}

/// The state that the responses confirm.
#[derive(Default)]
struct Known {
    booked: BTreeMap<String, Value>,
    /// The possible attendances of each appointment. A request without a response adds one, because it may have
    /// succeeded.
    attendances: BTreeMap<String, BTreeSet<Option<String>>>,
    blocks: BTreeMap<String, Value>,
    unknown: Vec<Ask>,
    acknowledged: usize,
}

impl Known {
    fn note(&mut self, ask: Ask, answer: Option<Answer>) {
        let Some(answer) = answer else {
            if let Ask::Attend(id, attendance) = &ask {
                self.attendances.entry(id.clone()).or_default().insert(Some((*attendance).to_owned()));
            }
            self.unknown.push(ask);
            return;
        };
        if !answer.is_success() {
            assert!(matches!(answer.status, 409 | 503), "{ask:?}: {answer:?}");
            return;
        }
        self.acknowledged += 1;
        let id = answer.text("id");
        match ask {
            Ask::Book(..) => {
                self.attendances.insert(id.clone(), BTreeSet::from([None]));
                self.booked.insert(id, answer.body["data"].clone());
            }
            Ask::Attend(_, attendance) => {
                self.attendances.insert(id, BTreeSet::from([Some(attendance.to_owned())]));
            }
            Ask::Block(..) => drop(self.blocks.insert(id, answer.body["data"].clone())),
        }
    }
}

/// Runs clients until the process is killed. After `answers` successful responses, the client that has received the
/// last of them kills the process.
async fn work_until_killed(
    server: &Arc<Server>,
    shop: &Arc<Shop>,
    known: &mut Known,
    rng: &mut Rng,
    answers: usize,
) {
    let (delay, answered) = (rng.moment(KILL_DELAY_MAX), Arc::new(AtomicUsize::new(0)));
    let clients: Vec<_> = (0..CLIENTS)
        .map(|_| {
            let (mut rng, client) = (rng.fork(), Client::of(server));
            let (server, shop, answered) = (Arc::clone(server), Arc::clone(shop), Arc::clone(&answered));
            tokio::spawn(async move {
                let of = format!("/businesses/{}", shop.id);
                let (mut own, mut log) = (Vec::new(), Vec::new());
                loop {
                    let ask = Ask::some(&mut rng, &shop, &own);
                    let answer = ask.send(&client, &of).await;
                    let success = answer.as_ref().filter(|answer| answer.is_success());
                    own.extend(success.filter(|_| matches!(ask, Ask::Book(..))).map(|it| it.text("id")));
                    let (ended, success) = (answer.is_none(), success.is_some());
                    log.push((ask, answer));
                    if ended {
                        return log;
                    }
                    if success && answered.fetch_add(1, Ordering::SeqCst) + 1 == answers {
                        sleep_for(delay).await;
                        server.kill();
                    }
                }
            })
        })
        .collect();
    for client in clients {
        for (ask, answer) in client.await.unwrap() {
            known.note(ask, answer);
        }
    }
    assert_eq!(server.wait().code(), None, "the process ended by itself: {}", server.errors());
}

async fn check(client: &Client, shop: &Shop, known: &mut Known) {
    let of = format!("/businesses/{}", shop.id);
    let all = client.operator_list(&format!("{of}/appointments")).await;
    check_overlaps(&all);
    let there: BTreeMap<String, &Value> = all.iter().map(|one| (text(one, "id"), one)).collect();
    for (id, booked) in &known.booked {
        let shown = there.get(id).unwrap_or_else(|| panic!("an acknowledged booking is missing: {booked}"));
        for field in ["starts_at", "ends_at", "staff_id", "contact_id", "status", "updated_at"] {
            assert_eq!(shown[field], booked[field], "{field} of {shown}");
        }
        let possible = known.attendances.get_mut(id).unwrap();
        let attendance = shown["attendance"].as_str().map(str::to_owned);
        assert!(possible.contains(&attendance), "{shown} has none of {possible:?}");
        *possible = BTreeSet::from([attendance]);
    }
    let mut blocks = BTreeMap::new();
    for staff in &shop.staff {
        let of_staff = client.operator_list(&format!("{of}/staff/{staff}/time-off")).await;
        blocks.extend(of_staff.into_iter().map(|one| (text(&one, "id"), one)));
    }
    for (id, block) in &known.blocks {
        let shown = blocks.get(id).unwrap_or_else(|| panic!("acknowledged time off is missing: {block}"));
        for field in ["starts_at", "ends_at", "staff_id", "created_at"] {
            assert_eq!(shown[field], block[field], "{field} of {shown}");
        }
    }
    // The audit log contains the rules that each booking has overridden.
    let log = client.audit(shop).await;
    let booked = log.iter().filter(|entry| entry["action"] == "appointment.booked");
    let rules: BTreeMap<_, _> = booked.map(|entry| (text(entry, "resource_id"), entry)).collect();
    for id in known.booked.keys() {
        let changes = rules[id]["changes"].as_array().unwrap();
        let rules = changes.iter().find(|change| change["field"] == "override");
        let rules = rules.unwrap_or_else(|| panic!("the log of {id} has no rules: {changes:?}"));
        assert!(rules["to"].as_array().unwrap().contains(&json!("past")), "{rules}");
    }
    // If the booking was made before the kill, the repeated request gets the stored response. Otherwise it is
    // handled as a new request.
    for ask in std::mem::take(&mut known.unknown) {
        if !matches!(ask, Ask::Book(..)) {
            continue;
        }
        let answer = ask.send(client, &of).await.expect("the restarted service did not respond");
        if answer.is_success() {
            assert_eq!(answer.replayed, there.contains_key(&answer.text("id")), "{ask:?}: {answer:?}");
        }
        known.note(ask, Some(answer));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn overrides_attendance_and_time_off_survive_a_kill() {
    let (rounds, seed) = (number_of("CRASH_ROUNDS", ROUNDS), seed());
    say(format_args!("to repeat this run, set CRASH_SEED={seed}"));
    let (home, mut rng) = (tempfile::tempdir().unwrap(), Rng(seed));
    let data_dir = home.path().join("data");
    let mut server = Arc::new(Server::on(&data_dir));
    let shop = Arc::new(Shop::create(&Client::of(&server), STAFF).await);
    let mut known = Known::default();
    for _ in 0..rounds {
        let answers = 1 + rng.below(ACKNOWLEDGED_A_ROUND_MAX);
        work_until_killed(&server, &shop, &mut known, &mut rng, answers).await;
        server = Arc::new(Server::on(&data_dir));
        check(&Client::of(&server), &shop, &mut known).await;
    }
    let attended = known.attendances.values().filter(|one| !one.contains(&None)).count();
    say(format_args!(
        "{rounds} rounds: {} changes acknowledged; {} bookings, {attended} with an attendance, and {} times off found",
        known.acknowledged,
        known.booked.len(),
        known.blocks.len()
    ));
}
