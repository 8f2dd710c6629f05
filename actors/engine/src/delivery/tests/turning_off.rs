//! Conditions under which an endpoint is disabled.

use std::sync::atomic::AtomicU64;

use domain::{Address, AlertKind, AttemptFailure, Delivery, MembershipPatch, PersonId, ResourceId, Role};
use store::keys;

use super::*;
use crate::business::commands::webhooks::TurnOff;
use crate::people::Invitation;

/// The delay before the next attempt after each failure, in seconds.
const DELAYS: [u64; 8] = [30, 120, 600, 1_800, 3_600, 10_800, 21_600, 43_200];

/// Waits until half a second before the ninth attempt for the first event.
async fn before_the_ninth(world: &World, receiver: &Receiver) {
    world.happen("A").await;
    sleep(Duration::from_secs(DELAYS.iter().sum()) - Duration::from_millis(500)).await;
    assert_eq!(receiver.requests().len(), 8);
}

const ON: (WebhookStatus, Option<DisabledReason>) = (WebhookStatus::Enabled, None);

#[tokio::test(start_paused = true)]
async fn nine_failed_attempts_by_the_schedule_disable_a_dead_endpoint() {
    let world = World::new().await;
    let (id, receiver) = world.endpoint("a", 1, NO).await;
    world.happen("A").await;
    settle().await;
    assert_eq!(receiver.requests().len(), 1);
    for (made, delay) in (1..).zip(DELAYS) {
        assert_eq!(world.status(id).await, (WebhookStatus::Enabled, None));
        // Half a second of the delay has already passed, so this sleep ends half a second before the attempt.
        sleep(Duration::from_secs(delay) - Duration::from_secs(1)).await;
        assert_eq!(receiver.requests().len(), made, "attempt {} was made too early", made + 1);
        sleep(Duration::from_secs(1)).await;
        assert_eq!(receiver.requests().len(), made + 1, "attempt {} was made too late", made + 1);
    }
    settle().await;
    assert_eq!(world.status(id).await, (WebhookStatus::Disabled, Some(DisabledReason::Failures)));
    let log = world.log(id).await;
    assert_eq!(
        (log[0].status, log[0].attempts_made, log[0].next_attempt_at),
        (DeliveryStatus::Failed, 9, None)
    );
    assert_eq!(log[0].last_response_body.as_deref(), Some("no\u{fffd}go"));
    let ids: Vec<_> =
        receiver.requests().iter().map(|request| header(request, "webhook-id").to_owned()).collect();
    assert!(ids.iter().all(|id| *id == ids[0]));
    // While the endpoint is disabled, nothing is sent, and new events are recorded as missed.
    world.happen("B").await;
    sleep(Duration::from_secs(90_000)).await;
    assert_eq!(receiver.requests().len(), 9);
    assert_eq!(world.log(id).await[0].status, DeliveryStatus::Missed);
    let refused = world.business.resend_missed(id).await;
    assert!(matches!(refused, Err(EngineError::Refused(Refusal::Conflict { .. }))), "{refused:?}");
    // After the endpoint is enabled again, one request must send each missed or failed event once.
    let revived = world.receiver("a.example.com", 1, OK);
    world.set(id, WebhookStatus::Enabled).await;
    sleep(Duration::from_secs(3_600)).await;
    assert_eq!(revived.requests().len(), 0, "missed events must be sent only on request");
    assert_eq!(world.business.resend_missed(id).await.unwrap(), 2);
    settle().await;
    assert_eq!(revived.requests().len(), 2);
    assert_eq!(world.business.resend_missed(id).await.unwrap(), 0);
    assert!(
        world
            .log(id)
            .await
            .iter()
            .all(|row| row.status == DeliveryStatus::Delivered && row.attempts_made == 1)
    );
}

#[tokio::test(start_paused = true)]
async fn an_endpoint_that_accepted_any_event_stays_enabled() {
    let world = World::new().await;
    let (id, _) = world.endpoint("a", 1, NO).await;
    world.happen("A").await;
    sleep(Duration::from_secs(3_600)).await;
    world.receiver("a.example.com", 1, OK);
    world.happen("B").await;
    settle().await;
    world.receiver("a.example.com", 1, NO);
    sleep(Duration::from_secs(90_000)).await;
    let log = world.log(id).await;
    assert_eq!((log[0].status, log[1].status), (DeliveryStatus::Delivered, DeliveryStatus::Failed));
    assert_eq!(world.status(id).await, (WebhookStatus::Enabled, None));
}

#[tokio::test(start_paused = true)]
async fn a_successful_ninth_attempt_keeps_the_endpoint_enabled() {
    let world = World::new().await;
    let (id, receiver) = world.endpoint("a", 1, NO).await;
    before_the_ninth(&world, &receiver).await;
    let revived = world.receiver("a.example.com", 1, OK);
    sleep(Duration::from_secs(1)).await;
    assert_eq!(revived.requests().len(), 1);
    let log = world.log(id).await;
    assert_eq!((log[0].status, log[0].attempts_made), (DeliveryStatus::Delivered, 9));
    assert_eq!(world.status(id).await, ON);
}

/// Returns while the ninth attempt waits for its response, which never comes. Later requests get a response with 204.
async fn in_the_ninth(world: &World) -> WebhookId {
    let (id, receiver) = world.endpoint("a", 1, NO).await;
    before_the_ninth(world, &receiver).await;
    let hanging = world.receiver_that("a.example.com", 1, "", Then::Hangs);
    sleep(Duration::from_secs(2)).await;
    assert_eq!(hanging.requests().len(), 1);
    world.receiver("a.example.com", 1, OK);
    id
}

#[tokio::test(start_paused = true)]
async fn a_success_during_the_ninth_attempt_keeps_the_endpoint_enabled() {
    let world = World::new().await;
    let id = in_the_ninth(&world).await;
    world.happen("B").await;
    sleep(Duration::from_secs(20)).await;
    let log = world.log(id).await;
    assert_eq!((log[0].status, log[1].status), (DeliveryStatus::Delivered, DeliveryStatus::Failed));
    assert_eq!(log[1].last_error, Some(AttemptFailure::ResponseTimeout.into()));
    assert_eq!(world.status(id).await, ON);
}

#[tokio::test(start_paused = true)]
async fn a_success_before_a_restart_keeps_the_endpoint_enabled() {
    let mut world = World::new().await;
    let (id, _) = world.endpoint("a", 1, NO).await;
    world.happen("A").await;
    sleep(Duration::from_secs(3_600)).await;
    world.receiver("a.example.com", 1, OK);
    world.happen("B").await;
    settle().await;
    world.receiver("a.example.com", 1, NO);
    world.restart().await;
    sleep(Duration::from_secs(90_000)).await;
    let log = world.log(id).await;
    assert_eq!((log[1].status, log[1].attempts_made), (DeliveryStatus::Failed, 9));
    assert_eq!(world.status(id).await, ON);
}

#[tokio::test(start_paused = true)]
async fn a_success_before_the_first_attempt_does_not_count() {
    let world = World::new().await;
    let (id, _) = world.endpoint("a", 1, OK).await;
    world.happen("before").await;
    settle().await;
    // A new address forces a new connection. The pooled connection to the first address would still reach the
    // old receiver.
    world.receiver("a.example.com", 2, NO);
    world.happen("A").await;
    sleep(Duration::from_secs(90_000)).await;
    assert_eq!(world.status(id).await, (WebhookStatus::Disabled, Some(DisabledReason::Failures)));
    assert_eq!(world.engine.endpoints_turned_off(), 1);
}

#[tokio::test(start_paused = true)]
async fn disabling_and_enabling_during_the_ninth_attempt_keeps_the_endpoint_enabled() {
    let world = World::new().await;
    let id = in_the_ninth(&world).await;
    world.set(id, WebhookStatus::Disabled).await;
    world.set(id, WebhookStatus::Enabled).await;
    sleep(Duration::from_secs(20)).await;
    assert_eq!(world.status(id).await, ON);
    let log = world.log(id).await;
    assert_eq!(
        (log[0].status, log[0].attempts_made),
        (DeliveryStatus::Missed, 8),
        "disabling the endpoint must abort the ninth attempt"
    );
}

#[tokio::test(start_paused = true)]
async fn disabling_an_endpoint_while_the_engine_closes_aborts_its_attempts() {
    let world = World::new().await;
    let (id, _) = world.endpoint("a", 1, NO).await;
    let hanging = world.receiver_that("a.example.com", 1, "", Then::Hangs);
    world.happen("A").await;
    settle().await;
    assert_eq!(hanging.open(), 1, "the attempt must be in progress");
    world.disk.set_sync_delay(Duration::from_secs(1));
    let mut closing = None;
    tokio::join!(world.set(id, WebhookStatus::Disabled), async {
        tokio::task::yield_now().await; // the change is requested first
        closing = Some(tokio::spawn(world.engine.clone().close()));
    });
    sleep(Duration::from_millis(100)).await;
    assert_eq!(hanging.open(), 0, "the attempt must not continue until the engine is closed");
    closing.unwrap().await.unwrap().unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_success_between_the_decision_and_its_turn_keeps_the_endpoint_enabled() {
    let world = World::new().await;
    let (endpoint, receiver) = world.endpoint("a", 1, NO).await;
    before_the_ninth(&world, &receiver).await;
    let event = world.log(endpoint).await[0].event_id;
    let key = keys::delivery(world.business.id(), endpoint, event);
    let delivery: Delivery = world.business.shared().store.get(&key).unwrap().unwrap();
    assert_eq!(delivery.reached_before, Some(0));
    for (reached, status) in [(1, WebhookStatus::Enabled), (0, WebhookStatus::Disabled)] {
        let due = delivery.next_attempt_at;
        let reached = Arc::new(AtomicU64::new(reached));
        let turn_off = TurnOff { endpoint, delivery: delivery.clone(), due, reached };
        world.business.change(Request::by(Actor::System), turn_off).await.unwrap();
        assert_eq!(world.status(endpoint).await.0, status);
    }
}

#[tokio::test(start_paused = true)]
async fn a_response_with_a_slow_body_counts_as_soon_as_its_head_has_arrived() {
    let world = World::new().await;
    let (id, receiver) = world.endpoint("a", 1, NO).await;
    before_the_ninth(&world, &receiver).await;
    let hanging = world.receiver_that("a.example.com", 1, "", Then::Hangs);
    sleep(Duration::from_secs(2)).await;
    assert_eq!(hanging.requests().len(), 1);
    sleep(Duration::from_secs(8)).await;
    let slow = "HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n";
    world.receiver_that("a.example.com", 1, slow, Then::Hangs);
    world.happen("B").await;
    // The ninth attempt for the first event ends while the response body of the attempt for B is still being
    // read.
    sleep(Duration::from_millis(700)).await;
    let log = world.log(id).await;
    assert_eq!((log[0].status, log[1].status), (DeliveryStatus::Pending, DeliveryStatus::Failed));
    assert_eq!(world.status(id).await, ON);
    settle().await;
    assert_eq!(
        world.log(id).await[0].status,
        DeliveryStatus::Delivered,
        "the attempt must succeed after one second, although the body has not ended"
    );
}

#[tokio::test(start_paused = true)]
async fn deliveries_pending_when_an_endpoint_is_disabled_are_not_sent_after_it_is_enabled() {
    let mut world = World::new().await;
    let (id, receiver) = world.endpoint("a", 1, NO).await;
    world.happen("A").await;
    settle().await;
    assert_eq!(receiver.requests().len(), 1);
    world.set(id, WebhookStatus::Disabled).await;
    world.set(id, WebhookStatus::Enabled).await;
    let revived = world.receiver("a.example.com", 1, OK);
    // The due index still contains the row for event A. After the restart, the actor reads this row, but must not
    // send A.
    world.restart().await;
    sleep(Duration::from_secs(3_600)).await;
    assert_eq!((receiver.requests().len(), revived.requests().len()), (1, 0));
    assert_eq!(world.log(id).await[0].status, DeliveryStatus::Missed);
    assert_eq!(world.business.resend_missed(id).await.unwrap(), 1);
    settle().await;
    assert_eq!(revived.requests().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn resending_missed_events_does_not_wait_for_pending_ones() {
    let world = World::new().await;
    let (id, _) = world.endpoint("a", 1, OK).await;
    world.receiver_that("a.example.com", 1, "", Then::Hangs);
    world.happen("A").await;
    settle().await;
    world.set(id, WebhookStatus::Disabled).await;
    world.set(id, WebhookStatus::Enabled).await;
    for number in 0..30 {
        world.happen(&format!("{number}")).await;
    }
    settle().await;
    let business = world.business.clone();
    let again = tokio::spawn(async move { business.resend_missed(id).await });
    settle().await;
    assert!(again.is_finished(), "the request must not wait for attempts without a response");
    assert_eq!(again.await.unwrap().unwrap(), 1, "only A must have been missed");
    let log = world.log(id).await;
    assert!(log.iter().all(|delivery| delivery.status == DeliveryStatus::Pending));
}

#[tokio::test(start_paused = true)]
async fn events_missed_by_disabling_and_enabling_on_a_busy_disk_are_resent() {
    let world = World::new().await;
    let (id, _) = world.endpoint("a", 1, OK).await;
    world.receiver_that("a.example.com", 1, "", Then::Hangs);
    world.happen("A").await;
    settle().await;
    world.disk.set_sync_delay(Duration::from_secs(1));
    let again = async {
        sleep(Duration::from_millis(200)).await;
        world.business.resend_missed(id).await.unwrap()
    };
    let off_and_on = async {
        sleep(Duration::from_millis(100)).await;
        tokio::join!(world.set(id, WebhookStatus::Disabled), world.set(id, WebhookStatus::Enabled));
    };
    // The rotation keeps the disk busy and does not wake the endpoint's actor. The sync of the rotation takes one
    // second. The other requests arrive during this second, so they wait for the next sync.
    let rotate = world.business.rotate_secret(id, Request::by(Actor::Operator));
    let all = async { tokio::join!(rotate, again, off_and_on) };
    let (_, resent, ()) = tokio::time::timeout(Duration::from_secs(9), all)
        .await
        .expect("the requests must end within nine seconds");
    assert_eq!(resent, 1, "A must have been missed");
}

/// An active member of the business.
async fn member(world: &World, email: &str, role: Role) -> PersonId {
    let people = world.engine.people();
    let email = Address::new(email).unwrap();
    let invitation = Invitation { email, name: None, locale: None, role, staff_id: None };
    let by = || Request::by(Actor::Operator);
    let invited = people.invite(&world.business, by(), invitation).await.unwrap();
    let id = invited.answer.value.person.id;
    let active = MembershipPatch { active: Some(true), ..MembershipPatch::default() };
    people.patch_member(&world.business, by(), (id, active, None)).await.unwrap();
    id
}

#[tokio::test(start_paused = true)]
async fn an_outage_of_an_hour_has_one_alert_also_after_restarts() {
    let mut world = World::new().await;
    let owner = member(&world, "owner@example.com", Role::Owner).await;
    let (id, _) = world.endpoint("a", 1, NO).await;
    let alerts = async |world: &World| {
        let page = PageRequest { limit: 10, after: None };
        let found = world.business.alerts(owner, &page).await.unwrap().items;
        found.into_iter().map(|alert| alert.about.kind).collect::<Vec<_>>()
    };
    let outage = async |world: &World| {
        world.business.outages([id]).await.unwrap().remove(&id).map(|outage| outage.since)
    };
    assert_eq!(outage(&world).await, None);
    let began = world.business.now();
    world.happen("A").await;
    sleep(Duration::from_secs(1)).await;
    assert_eq!(outage(&world).await, Some(began));
    // The attempts are at 0 s, 30 s, 150 s, 750 s and 2,550 s. The alert is due after an hour, and must not
    // wait for the next attempt.
    sleep(Duration::from_secs(3_590)).await;
    assert_eq!(alerts(&world).await, []);
    world.restart().await;
    sleep(Duration::from_secs(20)).await;
    assert_eq!(alerts(&world).await, [AlertKind::WebhookFailing]);
    world.restart().await;
    sleep(Duration::from_secs(7_200)).await;
    assert_eq!((alerts(&world).await.len(), outage(&world).await), (1, Some(began)));
    // A successful delivery ends the outage, so the next outage must cause another alert.
    world.receiver("a.example.com", 1, OK);
    world.happen("B").await;
    sleep(Duration::from_secs(1)).await;
    assert_eq!(outage(&world).await, None);
    // The new receiver has a different address, so no open connection to the earlier receiver is reused.
    world.receiver("a.example.com", 2, NO);
    world.happen("C").await;
    sleep(Duration::from_secs(3_700)).await;
    assert_eq!(alerts(&world).await.len(), 2);
    let log = world.log(id).await;
    let first = log.last().unwrap(); // the log begins with the newest delivery
    let listed: Vec<_> = first.attempts.iter().map(|attempt| attempt.status).collect();
    assert_eq!(listed.len(), usize::try_from(first.attempts_made).unwrap());
    assert!(listed.starts_with(&[Some(500), Some(500), Some(500)]), "{listed:?}");
}

#[tokio::test(start_paused = true)]
async fn owners_and_admins_are_alerted_that_an_endpoint_was_disabled_and_members_are_not() {
    let world = World::new().await;
    let mut people = Vec::new();
    for role in [Role::Owner, Role::Admin, Role::Member] {
        people.push(member(&world, &format!("{role}@example.com"), role).await);
    }
    let (id, _) = world.endpoint("a", 1, NO).await;
    // Disabling an endpoint on request causes no alert.
    let (other, _) = world.endpoint("b", 2, OK).await;
    world.set(other, WebhookStatus::Disabled).await;
    world.happen("A").await;
    sleep(Duration::from_secs(90_000)).await;
    assert_eq!(world.status(id).await, (WebhookStatus::Disabled, Some(DisabledReason::Failures)));
    let page = PageRequest { limit: 10, after: None };
    let mut told = Vec::new();
    for person in people {
        let alerts = world.business.alerts(person, &page).await.unwrap().items;
        told.push(alerts.iter().map(|alert| (alert.about.kind, alert.about.id)).collect::<Vec<_>>());
    }
    // The owner and the admin have two alerts, newest first. The older alert was created after an hour of failures.
    let off = [AlertKind::WebhookDisabled, AlertKind::WebhookFailing].map(|kind| (kind, id.uuid())).to_vec();
    assert_eq!(told, [off.clone(), off, Vec::new()]);
}
