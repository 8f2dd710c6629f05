//! Alerts that are sent as one mail.

use domain::ABOUT_MAX;

use super::*;
use crate::mail::next_daily;

/// The number of alerts that a mail's text contains.
fn tells(text: &str) -> usize {
    text.matches("Message {").count()
}

#[tokio::test(start_paused = true)]
async fn after_20_alerts_in_an_hour_the_others_are_sent_as_one_mail() {
    let world = World::new().await;
    for _ in 0..50 {
        world.alert(1).await;
    }
    world.alert(2).await;
    settle().await;
    assert_eq!(
        world.times().len(),
        21,
        "20 mails of the first person and one of another person are expected"
    );
    sleep(Duration::from_secs(3_550)).await;
    assert_eq!(world.times().len(), 21);
    sleep(Duration::from_secs(60)).await;
    let texts = world.texts();
    assert_eq!(texts.len(), 22);
    assert!(texts[21].contains("Gathered") && tells(&texts[21]) == 30, "{}", texts[21]);
    sleep(Duration::from_secs(90_000)).await;
    assert_eq!(world.times().len(), 22);
    assert_eq!(world.log(world.business.id()).await.len(), 22);
}

#[tokio::test(start_paused = true)]
async fn the_alerts_of_a_day_are_sent_as_one_mail_at_eight() {
    let world = World::new().await;
    let due = |world: &World| Some(next_daily(chrono_tz::Europe::Paris, world.engine.now()));
    for _ in 0..3 {
        world.alert_in(&world.business, 1, MailKind::Daily, due(&world)).await;
    }
    world.alert_in(&world.business, 2, MailKind::Daily, due(&world)).await;
    // The time is 01:00 in Paris, so the first sleep ends one minute before 08:00 there.
    sleep(Duration::from_secs(7 * 3_600 - 60)).await;
    assert_eq!(world.times().len(), 0);
    sleep(Duration::from_secs(30)).await;
    world.alert_in(&world.business, 1, MailKind::Daily, due(&world)).await;
    sleep(Duration::from_secs(60)).await;
    let mut told: Vec<_> = world.texts().iter().map(|text| tells(text)).collect();
    told.sort_unstable();
    assert_eq!(told, [1, 4]);
    world.alert_in(&world.business, 1, MailKind::Daily, due(&world)).await;
    sleep(Duration::from_secs(86_400)).await;
    assert_eq!(tells(&world.texts()[2]), 1, "a later alert must be in the next daily mail");
    sleep(Duration::from_secs(5 * 86_400)).await;
    assert_eq!(world.times().len(), 3, "without alerts there must be no daily mail");
}

#[tokio::test(start_paused = true)]
async fn a_mail_contains_a_limited_number_of_alerts_and_counts_the_others() {
    let world = World::new().await;
    let due = next_daily(chrono_tz::Europe::Paris, world.engine.now());
    for _ in 0..ABOUT_MAX + 250 {
        world.alert_in(&world.business, 1, MailKind::Daily, Some(due)).await;
    }
    sleep(Duration::from_secs(86_400)).await;
    let texts = world.texts();
    assert_eq!((texts.len(), tells(&texts[0])), (1, ABOUT_MAX));
    assert!(texts[0].ends_with("], 250)"), "{}", &texts[0][texts[0].len() - 40..]);
    assert_eq!(
        world.log(world.business.id()).await.len(),
        1,
        "alerts of a daily mail must not have rows of their own"
    );
}
