//! The recorded usage of a business equals the rows on the disk, even after crashes and in stores of earlier
//! versions.

use std::collections::BTreeMap;
use std::pin::Pin;

use domain::booking::{MoveRequest, Party};
use domain::{
    ApiKey, AppointmentId, BudgetKind, BusinessId, ContactDetails, ContactId, ContactPatch, DeliveryStatus,
    DisabledReason, EventTypes, KeyId, KnowledgeDetails, MessageDetails, MessageId, MessageStatus,
    ProblemCode, Scopes, Text, WebhookId, WebhookStatus, WebhookUrl,
};
use engine::business::Change;
use engine::business::commands::appointments::{Cancel, Reschedule};
use engine::business::commands::budget::{LimitPatch, PatchBudget};
use engine::business::commands::catalog::{PatchService, PatchStaff};
use engine::business::commands::contacts::{CreateContact, PatchContact};
use engine::business::commands::keys::{CreateKey, RevokeKey};
use engine::business::commands::knowledge::AddKnowledge;
use engine::business::commands::messages::{PatchMessage, TakeMessage};
use engine::business::commands::webhooks::{CreateWebhook, PatchWebhook};
use engine::delivery::DeliveryFilter;
use engine::{BusinessHandle, EngineError};
use serde_json::{Value, json};
use store::keys::{self, kind};
use store::records::AuditRecord;
use store::{Batch, Key, Order, Record, Store};

use crate::harness::{Seeded, Shop, World, at, by_operator, everything_else_runs, first_page, id_of, text};

/// Counts the rows and bytes on the disk, by kind.
fn counted(store: &Store, of: BusinessId) -> BTreeMap<String, (u64, u64)> {
    let mut found: BTreeMap<String, (u64, u64)> =
        BudgetKind::ALL.iter().map(|kind| (kind.to_string(), (0, 0))).collect();
    for row in store.scan(&keys::all(of), Order::Ascending) {
        let (key, value) = row.unwrap();
        let (word, bytes) = match keys::kind_of(&key).unwrap() {
            kind::SERVICE => ("services", value.len()),
            kind::STAFF => ("staff", value.len()),
            kind::KEY => {
                let row = store.get_raw(&keys::api_key(keys::prefix_from_value(&value).unwrap())).unwrap();
                let row = row.unwrap();
                if ApiKey::decode(&row).unwrap().revoked_at.is_some() {
                    continue;
                }
                ("keys", row.len())
            }
            kind::APPOINTMENT => ("appointments", value.len()),
            kind::CONTACT => ("contacts", value.len()),
            kind::CALL => ("calls", value.len()),
            kind::MESSAGE => ("messages", value.len()),
            kind::KNOWLEDGE => ("knowledge", value.len()),
            kind::NOTICE_WAITS => ("waiting_notices", 0),
            kind::DELIVERY_DUE => {
                let event = keys::event(of, keys::id_at_end(&key).unwrap());
                ("waiting_deliveries", store.get_raw(&event).unwrap().unwrap().len())
            }
            _ => continue,
        };
        let amount = found.get_mut(word).unwrap();
        *amount = (amount.0 + 1, amount.1 + bytes as u64);
    }
    found
}

/// The counts of rows and bytes that the business reports, by kind.
pub(crate) async fn usage(handle: &BusinessHandle) -> BTreeMap<String, (u64, u64)> {
    let shown = serde_json::to_value(handle.budget().await.unwrap()).unwrap();
    let amount = |value: &Value| (value["rows"].as_u64().unwrap(), value["bytes"].as_u64().unwrap());
    shown.as_object().unwrap().iter().map(|(kind, value)| (kind.clone(), amount(value))).collect()
}

/// Stops the engine, counts the rows on the disk, and starts the engine again.
async fn count_between(world: &mut World, of: BusinessId) -> BTreeMap<String, (u64, u64)> {
    world.end_of_life().await;
    let store = world.store();
    let found = counted(&store, of);
    store.close().await.unwrap();
    world.open_again().await;
    found
}

fn named(name: &str) -> CreateContact {
    CreateContact { details: ContactDetails { name: Some(text(name)), ..ContactDetails::default() } }
}

fn knowledge(characters: usize) -> AddKnowledge {
    let content = text(&"x".repeat(characters));
    AddKnowledge {
        details: KnowledgeDetails { title: text("Parking"), content, source_url: None, locale: None },
    }
}

fn message() -> TakeMessage {
    TakeMessage {
        details: MessageDetails {
            caller_name: Some(text("Ada")),
            ..MessageDetails::of(text("Please call back."))
        },
    }
}

fn webhook() -> CreateWebhook {
    let url = WebhookUrl::parse("https://a.example.com/").unwrap();
    CreateWebhook { url, events: EventTypes::all(), description: Text::default() }
}

pub(crate) fn rows_max(kind: BudgetKind, rows: u64) -> PatchBudget {
    PatchBudget { limits: vec![(kind, LimitPatch { rows_max: Some(Some(rows)), bytes_max: None })] }
}

fn turned(id: WebhookId, status: WebhookStatus) -> PatchWebhook {
    let reason = DisabledReason::Operator;
    PatchWebhook { id, url: None, events: None, description: None, status: Some(status), reason }
}

/// The records that a random workload has created.
#[derive(Default)]
struct Made {
    contacts: Vec<ContactId>,
    appointments: Vec<AppointmentId>,
    messages: Vec<MessageId>,
    keys: Vec<KeyId>,
    webhooks: Vec<WebhookId>,
}

/// Makes one random change. After the response, adds the created record to `made`.
async fn something(handle: &BusinessHandle, shop: &Shop, dice: &Seeded, made: &mut Made, wait: bool) {
    let below = |bound: usize| usize::try_from(dice.next() % bound as u64).unwrap();
    let any = |count: usize| below(count.max(1));
    let answer = match below(12) {
        0 => asked(handle, shop.booking(at(1 + below(5) as i64, below(23) as i64), below(40))),
        1 if !made.appointments.is_empty() => {
            asked(handle, Cancel { id: made.appointments[any(made.appointments.len())] })
        }
        2 if !made.appointments.is_empty() => asked(
            handle,
            Reschedule {
                id: made.appointments[any(made.appointments.len())],
                request: MoveRequest {
                    starts_at: at(1 + below(5) as i64, below(23) as i64),
                    staff_id: None,
                    party: Party::TEAM,
                    duration: None,
                },
            },
        ),
        3 if !made.contacts.is_empty() => asked(
            handle,
            PatchContact {
                id: made.contacts[any(made.contacts.len())],
                patch: ContactPatch {
                    name: Some(Some(text(&"n".repeat(1 + below(90))))),
                    ..ContactPatch::default()
                },
            },
        ),
        4 => asked(handle, message()),
        5 if !made.messages.is_empty() => asked(
            handle,
            PatchMessage {
                status: Some(*[MessageStatus::Read, MessageStatus::Resolved].get(below(2)).unwrap()),
                notes: Some(Some(text(&"m".repeat(1 + below(900))))),
                ..PatchMessage::of(made.messages[any(made.messages.len())])
            },
        ),
        6 => asked(handle, knowledge(1 + below(49_000))),
        7 if !made.keys.is_empty() => asked(handle, RevokeKey { id: made.keys[any(made.keys.len())] }),
        7 => asked(handle, CreateKey { name: text("A key"), scopes: Scopes::all() }),
        8 => asked(
            handle,
            PatchService { name: Some(text(&"s".repeat(1 + below(90)))), ..PatchService::of(shop.service) },
        ),
        9 => asked(
            handle,
            PatchStaff { name: Some(text(&"t".repeat(1 + below(90)))), ..PatchStaff::of(shop.staff[0]) },
        ),
        10 if made.webhooks.is_empty() => asked(handle, webhook()),
        10 => {
            let status = [WebhookStatus::Disabled, WebhookStatus::Enabled][below(2)];
            asked(handle, turned(made.webhooks[0], status))
        }
        _ => asked(handle, named(&"c".repeat(1 + below(90)))),
    };
    let answer = tokio::spawn(answer);
    if !wait {
        return;
    }
    let Ok(body) = answer.await.unwrap() else { return };
    if body.is_null() {
        return; // the target was deleted
    }
    let id = |body: &Value| body["id"].as_str().unwrap().parse::<uuid::Uuid>().unwrap();
    if body.get("starts_at").is_some() {
        made.appointments.push(id(&body).into());
    } else if body.get("caller_name").is_some() {
        made.messages.push(id(&body).into());
    } else if body.get("key").is_some() {
        made.keys.push(id(&body).into());
    } else if body.get("secret").is_some() {
        made.webhooks.push(id(&body).into());
    } else if body.get("phone").is_some() {
        made.contacts.push(id(&body).into());
    }
}

/// The pending response to a change that is chosen at run time.
type Asked = Pin<Box<dyn Future<Output = Result<Value, EngineError>> + Send>>;

fn asked(handle: &BusinessHandle, change: impl Change + 'static) -> Asked {
    let handle = handle.clone();
    Box::pin(async move { Ok(crate::harness::json(&handle.change(by_operator(), change).await?)) })
}

#[tokio::test(start_paused = true)]
async fn the_reported_usage_equals_the_rows_on_the_disk_after_any_crash() {
    for seed in 0..6 {
        let mut world = World::new(seed).await;
        let shop = world.shop(1).await;
        let (dice, mut made) = (Seeded::new(1_000 + seed), Made::default());
        for life in 0..4 {
            let handle = world.at(&shop);
            for _ in 0..60 {
                something(&handle, &shop, &dice, &mut made, true).await;
            }
            everything_else_runs().await;
            let before = usage(&handle).await;
            if life % 2 == 0 {
                // After an orderly stop, the usage must equal the last reported usage.
                assert_eq!(before, count_between(&mut world, shop.id).await, "seed {seed}");
            } else {
                // After a crash during requests, the disk contains only some of the changes. The usage must
                // include exactly these changes.
                for _ in 0..10 {
                    something(&handle, &shop, &dice, &mut made, false).await;
                }
                world.disk.hold_syncs();
                everything_else_runs().await;
                let keep = usize::try_from(dice.next()).unwrap_or(3) % (world.disk.unsynced() + 1);
                world.disk.crash(keep);
                world.disk.release_syncs();
            }
            let mut found = count_between(&mut world, shop.id).await;
            let mut told = usage(&world.at(&shop)).await;
            // The actor of a disabled endpoint may remove pending deliveries after the count, so the counted number and
            // the reported number may differ.
            for amounts in [&mut found, &mut told] {
                amounts.remove("waiting_deliveries");
            }
            assert_eq!(told, found, "seed {seed}, run {life}");
        }
    }
}

/// Removes the usage from every audit entry, as in stores that an earlier version wrote.
async fn make_old(store: &Store, of: BusinessId) {
    let mut batch = Batch::new();
    for row in store.scan(&keys::of_kind(of, kind::AUDIT), Order::Ascending) {
        let (key, value) = row.unwrap();
        let record = AuditRecord::decode(&value).unwrap();
        let bytes = AuditRecord { usage: None, ..record }.encode();
        // The first version of the format stored only the entry. The current version adds a list, which takes one byte
        // if it is empty. The test removes this byte and sets the version to 1.
        let old = [&[1], &bytes[1..bytes.len() - 1]].concat();
        assert_eq!(AuditRecord::decode(&old).unwrap().usage, None);
        batch.put(Key::new(&key), old);
    }
    store.submit(of, batch, Box::new(|| ()));
    store.wait_durable(of).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_store_of_an_earlier_version_is_counted_while_changes_are_made() {
    let mut world = World::new(7).await;
    let shop = world.shop(1).await;
    let handle = world.at(&shop);
    for number in 0..700 {
        handle.change(by_operator(), named(&format!("Contact {number}"))).await.unwrap();
    }
    for _ in 0..8 {
        handle.change(by_operator(), knowledge(49_000)).await.unwrap();
    }
    let moved: AppointmentId = id_of(&handle.change(by_operator(), shop.booking(at(1, 9), 1)).await.unwrap());
    world.engine.clone().close().await.unwrap();
    let store = world.store();
    make_old(&store, shop.id).await;
    store.close().await.unwrap();
    world.open_again().await;

    // The service counts the rows in steps. It handles each of these changes between two steps.
    let (handle, dice, mut made) = (world.at(&shop), Seeded::new(8), Made::default());
    made.appointments.push(moved);
    let asked = tokio::spawn({
        let handle = handle.clone();
        async move { usage(&handle).await }
    });
    for _ in 0..150 {
        something(&handle, &shop, &dice, &mut made, true).await;
    }
    asked.await.unwrap();
    everything_else_runs().await;
    let before = usage(&handle).await;
    assert!(before["contacts"].0 > 700 && before["knowledge"].1 > 8 * 49_000, "{before:?}");
    assert_eq!(before, count_between(&mut world, shop.id).await);
    // After the service has counted all rows, each new audit entry contains the usage. The next start reads the usage
    // from the newest entry, so it need not count the rows again.
    let store_tells = {
        world.end_of_life().await;
        let store = world.store();
        let newest = store.scan(&keys::of_kind(shop.id, kind::AUDIT), Order::Descending).next();
        let usage = AuditRecord::decode(&newest.unwrap().unwrap().1).unwrap().usage;
        store.close().await.unwrap();
        usage
    };
    let usage = store_tells.expect("the newest entry must contain the usage");
    assert_eq!(usage.of(BudgetKind::Contacts).rows, before["contacts"].0);
}

#[tokio::test(start_paused = true)]
async fn deliveries_beyond_the_limit_are_missed_and_the_change_succeeds() {
    let world = World::new(9).await;
    let shop = world.shop(1).await;
    let handle = world.at(&shop);
    // The receiver does not respond, so all deliveries are pending.
    let endpoint: WebhookId = id_of(&handle.change(by_operator(), webhook()).await.unwrap());
    handle.change(by_operator(), rows_max(BudgetKind::WaitingDeliveries, 3)).await.unwrap();
    for number in 0..5 {
        handle.change(by_operator(), named(&format!("Contact {number}"))).await.unwrap();
    }
    everything_else_runs().await;
    let filter = |status| DeliveryFilter { status: Some(status), ..DeliveryFilter::default() };
    let standing =
        async |status| handle.deliveries(endpoint, filter(status), &first_page()).await.unwrap().items.len();
    assert_eq!((standing(DeliveryStatus::Pending).await, standing(DeliveryStatus::Missed).await), (3, 2));
    assert_eq!(usage(&handle).await["waiting_deliveries"].0, 3);
    assert_eq!(usage(&handle).await["contacts"].0, 5);
    assert_eq!(world.engine.missed_over_budget(), 2);

    // The limit on pending deliveries also limits how many deliveries are sent again.
    assert_eq!(handle.resend_missed(endpoint).await.unwrap(), 0);
    let missed = handle.deliveries(endpoint, filter(DeliveryStatus::Missed), &first_page()).await.unwrap();
    let one = missed.items[0].event_id;
    let refused = handle.resend(endpoint, one).await.unwrap_err();
    assert!(matches!(refused, EngineError::Refused(domain::Refusal::Conflict { .. })), "{refused:?}");
    handle.change(by_operator(), rows_max(BudgetKind::WaitingDeliveries, 4)).await.unwrap();
    assert_eq!(handle.resend_missed(endpoint).await.unwrap(), 1);
    assert_eq!((standing(DeliveryStatus::Pending).await, standing(DeliveryStatus::Missed).await), (4, 1));

    // Disabling the endpoint ends its pending deliveries, so they no longer use the budget.
    handle.change(by_operator(), turned(endpoint, WebhookStatus::Disabled)).await.unwrap();
    everything_else_runs().await;
    assert_eq!(usage(&handle).await["waiting_deliveries"], (0, 0));
    assert_eq!(standing(DeliveryStatus::Missed).await, 5);
    handle.change(by_operator(), turned(endpoint, WebhookStatus::Enabled)).await.unwrap();
    handle.change(by_operator(), named("One more")).await.unwrap();
    assert_eq!(handle.resend_missed(endpoint).await.unwrap(), 3);
    assert_eq!(usage(&handle).await["waiting_deliveries"].0, 4);
}

/// Requests the missed deliveries of 25 endpoints at the same time. At most `rows` deliveries may wait.
async fn resend_all_at_once(rows: u64) -> u64 {
    let world = World::new(12).await;
    let shop = world.shop(1).await;
    let handle = world.at(&shop);
    let mut endpoints = Vec::new();
    for _ in 0..25 {
        endpoints.push(id_of::<WebhookId>(&handle.change(by_operator(), webhook()).await.unwrap()));
    }
    let limit = async |rows| {
        handle.change(by_operator(), rows_max(BudgetKind::WaitingDeliveries, rows)).await.unwrap();
    };
    limit(0).await;
    for number in 0..20 {
        handle.change(by_operator(), named(&format!("Contact {number}"))).await.unwrap();
    }
    assert_eq!(world.engine.missed_over_budget(), 500);
    limit(rows).await;
    let all: Vec<_> = endpoints
        .into_iter()
        .map(|endpoint| {
            let handle = handle.clone();
            tokio::spawn(async move { handle.resend_missed(endpoint).await.unwrap() })
        })
        .collect();
    let mut resent = 0;
    for one in all {
        resent += one.await.unwrap();
    }
    assert_eq!(usage(&handle).await["waiting_deliveries"].0, resent);
    resent
}

#[tokio::test(start_paused = true)]
async fn endpoints_that_resend_at_once_share_the_limit_of_pending_deliveries() {
    assert_eq!(resend_all_at_once(333).await, 333);
    assert_eq!(resend_all_at_once(1_000).await, 500);
}

#[tokio::test(start_paused = true)]
async fn a_disabled_endpoint_costs_only_the_event_and_its_log_row() {
    let mut world = World::new(10).await;
    let shop = world.shop(1).await;
    let handle = world.at(&shop);
    let endpoint: WebhookId = id_of(&handle.change(by_operator(), webhook()).await.unwrap());
    handle.change(by_operator(), turned(endpoint, WebhookStatus::Disabled)).await.unwrap();
    world.end_of_life().await;
    let count = |store: &Store| {
        let mut kinds: BTreeMap<u8, u64> = BTreeMap::new();
        for row in store.scan(&keys::all(shop.id), Order::Ascending) {
            *kinds.entry(keys::kind_of(&row.unwrap().0).unwrap()).or_default() += 1;
        }
        kinds
    };
    let store = world.store();
    let before = count(&store);
    store.close().await.unwrap();
    world.open_again().await;
    world.at(&shop).change(by_operator(), named("Ada")).await.unwrap();
    world.end_of_life().await;
    let store = world.store();
    let mut after = count(&store);
    store.close().await.unwrap();
    after.retain(|kind, rows| {
        *rows -= before.get(kind).copied().unwrap_or(0);
        *rows > 0
    });
    let of_contact = [kind::CONTACT, kind::CONTACT_BY_UPDATE];
    let expected = of_contact.into_iter().chain([kind::EVENT, kind::DELIVERY, kind::AUDIT]);
    assert_eq!(after, expected.map(|kind| (kind, 1)).collect());
}

#[tokio::test(start_paused = true)]
async fn a_lowered_budget_refuses_only_new_records_and_survives_a_restart() {
    let mut world = World::new(11).await;
    let shop = world.shop(1).await;
    let handle = world.at(&shop);
    let first: ContactId = id_of(&handle.change(by_operator(), named("Ada")).await.unwrap());
    handle.change(by_operator(), named("Ben")).await.unwrap();
    handle.change(by_operator(), rows_max(BudgetKind::Contacts, 1)).await.unwrap();
    world.restart().await;
    let handle = world.at(&shop);
    let refused = handle.change(by_operator(), named("Cy")).await.unwrap_err();
    let EngineError::Refused(domain::Refusal::Conflict { details, .. }) = refused else {
        panic!("{refused:?}")
    };
    assert_eq!(details[0].code, ProblemCode::RowsFull { kind: BudgetKind::Contacts, max: 1, used: 2 });
    let longer = ContactPatch { name: Some(Some(text(&"A".repeat(200)))), ..ContactPatch::default() };
    handle.change(by_operator(), PatchContact { id: first, patch: longer }).await.unwrap();
    assert_eq!(json!(usage(&handle).await["contacts"].0), 2);
}
