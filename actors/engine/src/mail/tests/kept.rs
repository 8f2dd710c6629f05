//! Mails that survive restarts and failures, and mails that are dropped.

use store::keys::kind;
use store::{Batch, Order, Record, keys};

use super::*;
use crate::EngineError;
use crate::business::commands::mails::ResendMail;
use crate::mail::next_daily;

impl World {
    fn rows(&self, kind: u8) -> usize {
        let range = keys::of_kind(self.business.id(), kind);
        self.business.shared().store.scan(&range, Order::Ascending).count()
    }
}

#[tokio::test(start_paused = true)]
async fn a_restart_neither_forgets_nor_restarts_a_schedule() {
    let mut world = World::new().await;
    world.does(Does::RefusesForNow);
    let mail = world.alert(1).await;
    sleep(Duration::from_secs(100)).await;
    assert_eq!(world.times(), [0, 60]);
    world.stand_still(0).await;
    sleep(Duration::from_secs(230)).await;
    assert_eq!(world.times(), [0, 60], "the third attempt is due at 360 s");
    assert_eq!(world.engine.mails_waiting().await, Some(1));
    sleep(Duration::from_secs(60)).await;
    assert_eq!(world.times().len(), 3);
    world.does(Does::Takes);
    world.stand_still(7_200).await;
    settle().await;
    assert_eq!(
        world.times().len(),
        4,
        "an attempt that became due while the engine was closed must be made immediately"
    );
    assert!(world.texts().iter().all(|text| text.starts_with(&mail.message_id)));
    assert_eq!(world.statuses().await, [MailStatus::Sent]);
    assert_eq!(world.engine.mails_waiting().await, Some(0));
}

#[tokio::test(start_paused = true)]
async fn mails_due_while_the_machine_was_suspended_are_sent_within_30_seconds() {
    let world = World::new().await;
    world.does(Does::RefusesForNow);
    world.alert(1).await;
    let eight = next_daily(chrono_tz::UTC, world.engine.now());
    world.alert_in(&world.business, 2, MailKind::Daily, Some(eight)).await;
    sleep(Duration::from_secs(400)).await;
    assert_eq!(world.times(), [0, 60, 360], "the fourth attempt is due at 2,160 s");
    world.does(Does::Takes);
    world.clock.suspend(Duration::from_secs(1_700));
    sleep(Duration::from_secs(31)).await;
    assert_eq!(world.times().len(), 3);
    world.clock.suspend(Duration::from_secs(3_600));
    sleep(Duration::from_secs(31)).await;
    assert_eq!(world.times().len(), 4);
    world.clock.suspend(Duration::from_secs(8 * 3_600));
    sleep(Duration::from_secs(31)).await;
    assert_eq!(world.times().len(), 5, "the daily mail must be sent");
    assert_eq!(world.statuses().await, [MailStatus::Sent; 2]);
}

#[tokio::test(start_paused = true)]
async fn a_recipient_who_lost_access_gets_no_mail_and_the_mail_is_deleted() {
    let world = World::new().await;
    world.people.gone.lock().push(person_id(1));
    world.alert(1).await;
    settle().await;
    assert_eq!((world.times().len(), world.rows(kind::MAIL), world.rows(kind::MAIL_DUE)), (0, 0, 0));
    assert_eq!(world.engine.mail_figures().unwrap().dropped, 1);
}

#[tokio::test(start_paused = true)]
async fn a_mail_contains_the_name_and_membership_at_the_time_of_its_composition() {
    let world = World::new().await;
    world.does(Does::RefusesForNow);
    world.alert(1).await;
    settle().await;
    world.people.renamed.lock().insert(person_id(1), "Ada King".into());
    sleep(Duration::from_secs(60)).await;
    world.people.gone.lock().push(person_id(1));
    sleep(Duration::from_secs(400)).await;
    let texts = world.texts();
    assert!(texts[0].contains("\"Ada\"") && texts[1].contains("\"Ada King\""), "{texts:?}");
    assert_eq!((texts.len(), world.rows(kind::MAIL)), (2, 0));
}

#[tokio::test(start_paused = true)]
async fn a_finished_mail_about_an_account_leaves_no_rows() {
    let world = World::new().await;
    world.does(Does::RefusesForNow);
    let reset = NewMail {
        business_id: None,
        person_id: person_id(1),
        kind: MailKind::Reset,
        about: Vec::new(),
        more: 0,
        to: None,
        due: None,
    };
    world.engine.queue_mail(reset).await.unwrap();
    settle().await;
    let left = || {
        let store = &world.business.shared().store;
        [kind::MAIL, kind::MAIL_DUE]
            .map(|kind| store.scan(&keys::of_kind(BusinessId::INSTALLATION, kind), Order::Ascending).count())
    };
    assert_eq!(left(), [1, 1]);
    world.does(Does::Takes);
    sleep(Duration::from_secs(61)).await;
    assert_eq!((world.times().len(), left()), (2, [0, 0]));
}

/// In each round, the power is cut at another moment after the mails are queued. In some rounds, the relay
/// has already received a mail whose outcome is not recorded.
#[tokio::test(start_paused = true)]
async fn after_a_power_cut_no_mail_is_lost_and_a_repeated_one_has_the_same_message_id() {
    let mut doubled = 0;
    for round in 0..30 {
        let mut world = World::new().await;
        let mut ids = std::collections::BTreeSet::new();
        for person in 0..10 {
            ids.insert(world.alert(person).await.message_id);
        }
        world.disk.set_sync_delay(Duration::from_millis(5));
        sleep(Duration::from_millis(3 * round)).await;
        world.disk.crash(0);
        world.engine = open(&world.disk, &world.ports).await;
        world.engine.begin_mail(world.mail.clone());
        world.business = world.engine.business(world.business.id());
        sleep(Duration::from_secs(600)).await;
        assert!(world.statuses().await.iter().all(|status| *status == MailStatus::Sent));
        let sent: Vec<_> = world.texts().iter().map(|text| text.lines().next().unwrap().to_owned()).collect();
        doubled += sent.len() - ids.len();
        assert_eq!(sent.into_iter().collect::<std::collections::BTreeSet<_>>(), ids, "round {round}");
    }
    assert!(doubled > 0, "no power cut hit the moment between the response and its record");
}

#[tokio::test(start_paused = true)]
async fn a_damaged_row_delays_no_other_mail() {
    let world = World::new().await;
    world.does(Does::RefusesForNow);
    let damaged = world.alert(1).await;
    settle().await;
    let (of, row) = (world.business.id(), keys::mail(world.business.id(), damaged.id));
    let mut batch = Batch::default();
    batch.put(row, b"no mail".to_vec());
    world.business.shared().store.submit(of, batch, Box::new(|| ()));
    world.business.shared().store.wait_durable(of).await.unwrap();
    world.does(Does::Takes);
    sleep(Duration::from_secs(120)).await;
    let other = NewMail {
        business_id: Some(of),
        person_id: person_id(2),
        kind: MailKind::EmailChanged,
        about: Vec::new(),
        more: 0,
        to: Some("old@example.com".into()),
        due: None,
    };
    world.engine.queue_mail(other).await.unwrap();
    settle().await;
    assert_eq!(world.addresses().last().map(String::as_str), Some("old@example.com"));
    assert_eq!(world.times().len(), 2, "the damaged mail must not be sent");
    let stays = world.business.shared().store.get_raw(&row).unwrap();
    assert_eq!(stays.as_deref(), Some(&b"no mail"[..]), "the damaged row must be kept for a repair");
}

#[tokio::test(start_paused = true)]
async fn a_due_time_set_by_a_clock_that_was_ahead_does_not_delay_a_mail() {
    let mut world = World::new().await;
    world.does(Does::RefusesForNow);
    let mail = world.alert(1).await;
    settle().await;
    let before = world.log(world.business.id()).await.remove(0);
    let far = Some(before.created_at + chrono::TimeDelta::days(4_000));
    let after = Mail { next_attempt_at: far, ..before.clone() };
    let mut batch = Batch::default();
    super::super::write::write_mail(&mut batch, &after, Some(&before));
    world.business.shared().store.submit(world.business.id(), batch, Box::new(|| ()));
    world.does(Does::Takes);
    world.stand_still(0).await;
    settle().await;
    assert!(world.texts()[1].starts_with(&mail.message_id));
    assert_eq!(world.statuses().await, [MailStatus::Sent]);
}

#[tokio::test(start_paused = true)]
async fn the_log_shows_30_days_and_later_no_row_is_left() {
    let world = World::new().await;
    world.alert(1).await;
    sleep(Duration::from_secs(30 * 86_400 - 60)).await;
    assert_eq!(world.statuses().await, [MailStatus::Sent]);
    sleep(Duration::from_secs(120)).await;
    assert_eq!((world.statuses().await, world.rows(kind::MAIL)), (Vec::new(), 1));
    sleep(Duration::from_secs(3 * 86_400)).await;
    assert_eq!(world.rows(kind::MAIL), 0);
}

#[tokio::test(start_paused = true)]
async fn a_logged_mail_without_a_link_can_be_sent_again_with_a_new_id() {
    let world = World::new().await;
    world.does(Does::RefusesForNow);
    let mail = world.alert(1).await;
    let of = world.business.id();
    let refused = |result: Result<_, EngineError>| matches!(result, Err(EngineError::Refused(_)));
    settle().await;
    let again = async |business: &BusinessHandle, id| {
        business.change(Request::by(Actor::Operator), ResendMail { id }).await
    };
    assert!(
        refused(again(&world.business, mail.id).await),
        "a mail that is still pending cannot be sent again"
    );
    world.does(Does::Takes);
    sleep(Duration::from_secs(60)).await;
    let sent = again(&world.business, mail.id).await.unwrap().value;
    settle().await;
    let texts = world.texts();
    assert_eq!((texts.len(), world.statuses().await), (3, vec![MailStatus::Sent; 2]));
    assert_eq!(sent.id, world.log(of).await[0].id);
    assert!(texts[2].contains("For 1") && !texts[2].starts_with(&mail.message_id), "{}", texts[2]);

    let (business_id, person_id, about, to, due) = (Some(of), person_id(2), Vec::new(), None, None);
    let new = NewMail { business_id, person_id, kind: MailKind::Invitation, about, more: 0, to, due };
    let invitation = world.engine.queue_mail(new).await.unwrap().unwrap();
    settle().await;
    assert_eq!(world.statuses().await[0], MailStatus::Sent);
    assert!(
        refused(again(&world.business, invitation).await),
        "an invitation whose link was used or is invalid cannot be sent again"
    );
    let other = new_business(&world.engine).await;
    assert!(refused(again(&other, mail.id).await), "another business cannot send the mail again");
}

#[tokio::test(start_paused = true)]
async fn rows_of_a_mail_deleted_during_its_attempt_stay_deleted() {
    let world = World::new().await;
    world.does(Does::Hangs);
    let mail = world.alert(1).await;
    settle().await;
    let mut batch = Batch::default();
    super::super::write::delete_mail(&mut batch, &mail);
    world.business.shared().store.submit(world.business.id(), batch, Box::new(|| ()));
    sleep(Duration::from_secs(300)).await;
    assert_eq!((world.rows(kind::MAIL), world.rows(kind::MAIL_DUE), world.times().len()), (0, 0, 1));
}

#[test]
fn a_mail_with_the_maximum_content_fits_into_a_change_of_the_outbox() {
    let about = super::super::testing::mail(1).about[0];
    let mail = Mail {
        about: vec![about; domain::ABOUT_MAX],
        to: Some("x".repeat(254)),
        last_error: Some(MailError::Quoted("é".repeat(300))),
        ..super::super::testing::mail(1)
    };
    assert!(mail.encode().len() < 4_096, "{}: the mail must fit into one row", mail.encode().len());
}
