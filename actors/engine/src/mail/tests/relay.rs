//! Responses and failures of a relay, and their effects.

use super::*;

#[tokio::test(start_paused = true)]
async fn a_mail_is_sent_once_with_its_content_and_recorded() {
    let world = World::new().await;
    let mail = world.alert(1).await;
    settle().await;
    assert_eq!(world.addresses(), [format!("{}@example.com", person_id(1))]);
    let text = &world.texts()[0];
    assert!(text.starts_with(&mail.message_id) && mail.message_id.ends_with("@mail.example.com"), "{text}");
    assert!(text.contains("For 1"), "{text}");
    let sent = &world.log(world.business.id()).await[0];
    assert_eq!((sent.status, sent.attempts, &sent.last_error), (MailStatus::Sent, 1, &None));
    sleep(Duration::from_secs(90_000)).await;
    assert_eq!(world.times().len(), 1, "a sent mail must not be sent again");
}

#[tokio::test(start_paused = true)]
async fn a_failed_mail_is_retried_by_the_schedule_of_the_contract_with_the_same_message_id() {
    for does in [Does::IsDown, Does::RefusesForNow] {
        let world = World::new().await;
        world.does(does);
        let mail = world.alert(1).await;
        sleep(Duration::from_secs(3 * 86_400)).await;
        let times = world.times();
        let waits: Vec<_> = times.windows(2).map(|pair| pair[1] - pair[0]).collect();
        assert_eq!(waits, [60, 300, 1_800, 7_200, 21_600, 86_400], "{does:?}");
        assert!(world.texts().iter().all(|text| text.starts_with(&mail.message_id)));
        assert_eq!(world.statuses().await, [MailStatus::Failed]);
    }
}

#[tokio::test(start_paused = true)]
async fn a_permanent_refusal_fails_immediately_and_delays_no_other_mail() {
    let world = World::new().await;
    world.does(Does::RefusesForGood);
    world.alert(1).await;
    settle().await;
    let log = world.log(world.business.id()).await;
    assert_eq!(
        (log[0].status, &log[0].last_error),
        (MailStatus::Failed, &Some(MailError::Quoted("550 no".into())))
    );
    world.does(Does::Takes);
    world.alert(2).await;
    settle().await;
    assert_eq!(world.statuses().await, [MailStatus::Sent, MailStatus::Failed]);
}

#[tokio::test(start_paused = true)]
async fn an_attempt_at_a_relay_that_hangs_ends_after_a_minute_and_the_mail_is_sent_later() {
    let world = World::new().await;
    world.does(Does::Hangs);
    world.alert(1).await;
    sleep(Duration::from_secs(59)).await;
    assert_eq!(world.statuses().await, [MailStatus::Pending]);
    world.does(Does::Takes);
    sleep(Duration::from_secs(3)).await;
    let log = world.log(world.business.id()).await;
    assert_eq!(log[0].last_error, Some(MailError::NoAnswer(60)));
    sleep(Duration::from_secs(60)).await;
    assert_eq!(world.statuses().await, [MailStatus::Sent]);
    assert_eq!(world.times(), [0, 120], "the next attempt is due one minute after the failed one ended");
}

#[tokio::test(start_paused = true)]
async fn an_unreachable_relay_uses_up_no_attempts_and_each_mail_is_sent_later() {
    let world = World::new().await;
    world.does(Does::IsDown);
    for person in 0..100 {
        world.alert(person).await;
    }
    sleep(Duration::from_secs(3_600)).await;
    let tried = world.times().len();
    assert!((60..75).contains(&tried), "about one attempt per minute is expected, not {tried}");
    world.does(Does::Takes);
    sleep(Duration::from_secs(7_300)).await;
    assert!(world.statuses().await.iter().all(|status| *status == MailStatus::Sent));
    let addresses: std::collections::BTreeSet<_> = world.addresses().into_iter().skip(tried).collect();
    assert_eq!((addresses.len(), world.times().len()), (100, tried + 100), "each once");
}

#[tokio::test(start_paused = true)]
async fn the_number_of_mails_sent_at_the_same_time_is_limited() {
    let world = World::new().await;
    for person in 0..50 {
        world.alert(person).await;
    }
    settle().await;
    let most = world.relay.at_once.lock().1;
    assert!((1..=super::super::pace::SENDS_MAX).contains(&most), "{most}");
    assert_eq!(world.times().len(), 50);
}

#[tokio::test(start_paused = true)]
async fn a_reset_is_sent_before_waiting_mails_and_businesses_take_turns() {
    let world = World::new().await;
    let other = new_business(&world.engine).await;
    // All mails are due at the same instant.
    let due = Some(world.engine.now() + chrono::TimeDelta::seconds(50));
    for person in 0..40 {
        world.alert_in(&world.business, person, MailKind::Alert, due).await;
    }
    world.alert_in(&other, 200, MailKind::Alert, due).await;
    let (business_id, to, about) = (None, None, Vec::new());
    let reset =
        NewMail { business_id, person_id: person_id(250), kind: MailKind::Reset, about, more: 0, to, due };
    world.engine.queue_mail(reset).await.unwrap();
    sleep(Duration::from_secs(60)).await;
    let order = world.addresses();
    let at = |person| order.iter().position(|to| to.starts_with(&person_id(person).to_string())).unwrap();
    assert_eq!((order.len(), at(250)), (42, 0), "the reset must be sent first");
    assert!(at(200) <= 2, "the other business must not wait for 40 mails: {order:?}");
}

#[tokio::test(start_paused = true)]
async fn many_changed_addresses_delay_neither_resets_nor_businesses() {
    let world = World::new().await;
    let due = Some(world.engine.now() + chrono::TimeDelta::seconds(50));
    let of_account = |person, kind| {
        let to = (kind == MailKind::EmailChange).then(|| format!("new{person}@example.com"));
        NewMail { due, ..NewMail::of_account(person_id(person), kind, to) }
    };
    for person in 0..40 {
        world.engine.queue_mail(of_account(person, MailKind::EmailChange)).await.unwrap();
    }
    world.alert_in(&world.business, 200, MailKind::Alert, due).await;
    // The reset is queued last and must be sent first.
    world.engine.queue_mail(of_account(250, MailKind::Reset)).await.unwrap();
    sleep(Duration::from_secs(60)).await;
    let order = world.addresses();
    let at = |person| order.iter().position(|to| to.starts_with(&person_id(person).to_string())).unwrap();
    assert_eq!((order.len(), at(250)), (42, 0), "the reset must be sent first: {order:?}");
    assert!(at(200) <= 2, "the business must not wait for 40 mails: {order:?}");
}

/// Queues `count` mails that ask to confirm a new address. These mails share one lane. Reset mails have a lane of their
/// own.
async fn many_changed_addresses(world: &World, count: u32, due: Option<Timestamp>) {
    for number in 0..count {
        let person = Uuid::from_u128(u128::from(number) + 1).into();
        let to = Some(format!("new{number}@example.com"));
        let new = NewMail { due, ..NewMail::of_account(person, MailKind::EmailChange, to) };
        world.engine.queue_mail(new).await.unwrap();
    }
}

async fn reset(world: &World, person: u8, due: Option<Timestamp>) {
    let reset = NewMail { due, ..NewMail::of_account(person_id(person), MailKind::Reset, None) };
    world.engine.queue_mail(reset).await.unwrap();
}

/// The number of mails that were sent before the mail to this person.
fn place_of(order: &[String], person: u8) -> Option<usize> {
    order.iter().position(|to| to.starts_with(&person_id(person).to_string()))
}

/// One lane has more mails than a single scan reads.
#[tokio::test(start_paused = true)]
async fn hundreds_of_changed_addresses_delay_neither_a_reset_nor_a_business() {
    for has_reset in [true, false] {
        let world = World::new().await;
        let due = Some(world.engine.now() + chrono::TimeDelta::seconds(50));
        many_changed_addresses(&world, 600, due).await;
        world.alert_in(&world.business, 200, MailKind::Alert, due).await;
        if has_reset {
            reset(&world, 250, due).await;
        }
        sleep(Duration::from_secs(120)).await;
        let order = world.addresses();
        let before = usize::from(has_reset);
        assert_eq!((order.len(), place_of(&order, 250)), (601 + before, has_reset.then_some(0)));
        let at = place_of(&order, 200).unwrap();
        assert!(
            at <= before + 1,
            "the alert mail must be first or second after the reset, but its index is {at}"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn a_reset_queued_before_the_scan_position_is_found() {
    let world = World::new().await;
    world.does(Does::RefusesForNow);
    many_changed_addresses(&world, 600, None).await;
    // In these 90 seconds, the relay refuses each mail twice. The next attempt of each mail is five minutes
    // later.
    sleep(Duration::from_secs(90)).await;
    assert_eq!(world.addresses().len(), 1_200);
    // The relay also refuses the reset mail once. The retry of the reset mail is still earlier than the retries of the
    // other mails.
    reset(&world, 250, None).await;
    settle().await;
    assert_eq!(place_of(&world.addresses()[1_200..], 250), Some(0));
    world.does(Does::Takes);
    sleep(Duration::from_secs(70)).await;
    let order = world.addresses();
    assert_eq!((order.len(), place_of(&order[1_201..], 250)), (1_202, Some(0)));
}

#[tokio::test(start_paused = true)]
async fn with_a_dead_relay_ten_thousand_mails_cost_one_write_a_minute_and_delay_no_change() {
    let world = World::new().await;
    world.does(Does::IsDown);
    for number in 0..10_000_u32 {
        let person_id = Uuid::from_u128(u128::from(number)).into();
        let (business_id, to) = (Some(world.business.id()), Some("old@example.com".into()));
        let (kind, about, due) = (MailKind::EmailChanged, Vec::new(), None);
        let new = NewMail { business_id, person_id, kind, about, more: 0, to, due };
        world.engine.queue_mail(new).await.unwrap();
    }
    sleep(Duration::from_secs(120)).await;
    let store = &world.business.shared().store;
    let (changes, reads) = (store.stats().changes, world.disk.reads());
    sleep(Duration::from_secs(600)).await;
    let (changes, reads) = (store.stats().changes - changes, world.disk.reads() - reads);
    // In ten minutes, the outbox makes and records ten attempts. The service also stores its time, once a minute.
    assert!((10..=25).contains(&changes), "{changes} changes in ten minutes");
    assert!(reads <= 2_000, "{reads} reads in ten minutes");
    // The pending mails do not delay a change to the business. It waits only for its own sync.
    world.disk.set_sync_delay(Duration::from_millis(5));
    let began = Instant::now();
    for _ in 0..100 {
        world.alert(1).await;
    }
    assert!(began.elapsed() < Duration::from_millis(100 * 3 * 5 + 100), "{:?}", began.elapsed());
}

#[tokio::test(start_paused = true)]
async fn a_test_mail_reports_the_relays_response_and_is_not_logged() {
    let world = World::new().await;
    let to = domain::Email::new("op@example.com").unwrap();
    let tested = world.engine.test_mail(&to, Locale::En).await.unwrap().unwrap();
    assert_eq!(tested.result, Ok("250 ok".into()));
    assert_eq!(tested.took, Duration::from_millis(20));
    world.does(Does::RefusesForGood);
    let tested = world.engine.test_mail(&to, Locale::En).await.unwrap().unwrap();
    assert_eq!(tested.result, Err(MailFailure::RefusedForGood(MailError::Quoted("550 no".into()))));
    assert!(world.log(world.business.id()).await.is_empty());
}
