//! The limit on pending mails of a business. Alerts above the limit are shown only in the dashboard, and no
//! alert is lost.

use domain::{Conflict, MailKind, MailStatus};
use engine::business::commands::mails::ResendMail;

use super::mailed::{recipients, sent};
use super::*;
use crate::harness::pass;
use crate::post::Post;

/// An engine with this limit on pending mails per business.
async fn bounded(mails_waiting: u64) -> World {
    let mut world = World::new(1).await;
    world.limits = Limits { hashing: engine::people::Hashing::Cheap, mails_waiting, ..Limits::default() };
    world.restart().await;
    world
}

async fn alerts(world: &World, shop: &Shop, person: PersonId) -> usize {
    let page = PageRequest { limit: 100, after: None };
    world.at(shop).alerts(person, &page).await.unwrap().items.len()
}

async fn waiting(world: &World, shop: &Shop) -> usize {
    let log = world.engine.mail_log(shop.id, None, 1_000).await.unwrap();
    log.iter().filter(|mail| mail.status == MailStatus::Pending).count()
}

#[tokio::test(start_paused = true)]
async fn alerts_beyond_the_mail_limit_are_shown_in_the_dashboard_whatever_its_settings() {
    let mut world = bounded(7).await;
    let (shop, post) = (world.shop(0).await, Post::of(&world.engine));
    let owner = member(&world, &shop, "owner@example.com", (Role::Owner, None)).await;
    let quiet = member(&world, &shop, "quiet@example.com", (Role::Admin, None)).await;
    let only_mail = AlertChoice { in_app: Some(false), ..mailed(AlertEmail::Now) };
    choose(&world, &shop, quiet, AlertKind::MessageTaken, only_mail).await;
    post.take();
    post.dies(true);
    for _ in 0..3 {
        done(&world, &shop, message(Urgency::Normal, None)).await;
    }
    assert_eq!((waiting(&world, &shop).await, alerts(&world, &shop, quiet).await), (6, 0));
    // The mail to the owner is still within the limit. The mail to the quiet person would exceed it. Therefore this
    // person's alert is shown in the dashboard, although the person has chosen to get only mails.
    done(&world, &shop, message(Urgency::Normal, None)).await;
    assert_eq!((waiting(&world, &shop).await, alerts(&world, &shop, quiet).await), (7, 1));
    assert_eq!(
        world.engine.alerts_not_mailed(),
        1,
        "the mail to the quiet person must be counted as not sent"
    );
    // After a start, the engine counts the pending mails again, in several steps.
    world.crash(0).await;
    let post = Post::of(&world.engine);
    post.dies(true);
    pass(1).await;
    for _ in 0..5 {
        done(&world, &shop, message(Urgency::Normal, None)).await;
    }
    assert_eq!(waiting(&world, &shop).await, 7, "no more mails may be pending");
    assert_eq!(
        world.engine.alerts_not_mailed(),
        10,
        "since the start, two mails for each of the five messages must be counted as not sent"
    );
    assert_eq!((alerts(&world, &shop, owner).await, alerts(&world, &shop, quiet).await), (9, 6));
    let log = world.engine.mail_log(shop.id, None, 100).await.unwrap();
    // Another business has its own limit.
    let other = world.shop(0).await;
    let boss = member(&world, &other, "boss@example.com", (Role::Owner, None)).await;
    done(&world, &other, message(Urgency::Normal, None)).await;
    assert_eq!((waiting(&world, &other).await, alerts(&world, &other, boss).await), (1, 1));
    // The relay accepts mails again. `quiet` gets a mail for three of the nine messages. The alerts for the other six
    // messages are only in the dashboard.
    post.dies(false);
    pass(60).await;
    let mails = post.take();
    assert_eq!(recipients(&mails).iter().filter(|(to, _)| to == "quiet@example.com").count(), 3);
    assert_eq!(waiting(&world, &shop).await, 0);
    assert_eq!(log.len(), 7);
    done(&world, &shop, message(Urgency::Normal, None)).await;
    assert_eq!(sent(&post).await.len(), 2);
    assert_eq!(alerts(&world, &shop, quiet).await, 6, "the alert must follow the person's settings");
}

#[tokio::test(start_paused = true)]
async fn no_mail_is_sent_again_while_the_limit_of_waiting_mails_is_reached() {
    let world = bounded(1).await;
    let (shop, post) = (world.shop(0).await, Post::of(&world.engine));
    let owner = member(&world, &shop, "owner@example.com", (Role::Owner, None)).await;
    post.take();
    done(&world, &shop, message(Urgency::Normal, None)).await;
    assert_eq!(sent(&post).await.len(), 1);
    let first = world.engine.mail_log(shop.id, None, 1).await.unwrap().remove(0);
    assert_eq!((first.kind, first.status), (MailKind::Alert, MailStatus::Sent));
    post.dies(true);
    done(&world, &shop, message(Urgency::Normal, None)).await;
    let again = world.at(&shop).change(by(owner), ResendMail { id: first.id }).await;
    assert!(matches!(refusal(again), Refusal::Conflict { conflict: Conflict::MailsWait, .. }));
}
