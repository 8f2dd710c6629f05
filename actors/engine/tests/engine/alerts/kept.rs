//! The retention of alerts. No alert is deleted before it expires.

use domain::{ALERTS_KEPT, Person};
use engine::business::commands::erasure::EndBusiness;
use store::keys::{self, kind};
use store::{Order, Record, Store};

use super::*;
use crate::harness::{everything_else_runs, pass};
use crate::post::Post;

const DAY_MINUTES: u64 = 24 * 60;

async fn rows(world: &World, shop: &Shop, kind: u8) -> usize {
    tokio::time::sleep(std::time::Duration::from_millis(50)).await; // the writes in progress end within this time
    let store = Store::in_memory(&world.disk.copied(), Box::new(|error| panic!("{error}"))).unwrap();
    let count = store.scan(&keys::of_kind(shop.id, kind), Order::Ascending).count();
    store.close().await.unwrap();
    count
}

#[tokio::test(start_paused = true)]
async fn at_most_a_thousand_alerts_of_a_person_are_kept() {
    let mut world = world().await;
    let shop = world.shop(1).await;
    let owner = member(&world, &shop, "owner@example.com", (Role::Owner, None)).await;
    for number in 0..ALERTS_KEPT + 5 {
        if number == ALERTS_KEPT - 2 {
            world.restart().await; // after the restart the actor continues the numbering
        }
        done(&world, &shop, message(Urgency::Normal, None)).await;
    }
    assert_eq!(rows(&world, &shop, kind::ALERT).await, ALERTS_KEPT as usize);
    let newest = shown(&world, &shop, owner).await;
    assert_eq!(newest[0].number, ALERTS_KEPT + 5);
}

#[tokio::test(start_paused = true)]
async fn alerts_are_deleted_after_thirty_days_and_read_marks_with_the_membership() {
    let mut world = world().await;
    let shop = world.shop(1).await;
    let owner = member(&world, &shop, "owner@example.com", (Role::Owner, None)).await;
    let hand = member(&world, &shop, "hand@example.com", (Role::Member, None)).await;
    for _ in 0..300 {
        done(&world, &shop, message(Urgency::Urgent, None)).await;
    }
    for person in [owner, hand] {
        world.at(&shop).change(by(person), ReadAlerts { number: None }).await.unwrap();
    }
    done(&world, &shop, RemoveMember { id: hand }).await;
    let days = async |world: &World, days: u64| {
        for _ in 0..days {
            pass(DAY_MINUTES).await;
            done(world, &shop, message(Urgency::Normal, None)).await;
            everything_else_runs().await;
        }
    };
    days(&world, 29).await;
    assert_eq!(rows(&world, &shop, kind::ALERT).await, 600 + 29, "no alert has expired yet");
    days(&world, 4).await;
    pass(120).await;
    let left = rows(&world, &shop, kind::ALERT).await;
    assert!((29..=33).contains(&left), "{left}");
    assert_eq!(
        rows(&world, &shop, kind::ALERTS_READ).await,
        1,
        "the read mark of the removed person must be deleted"
    );
    // The numbering of alerts must continue although all earlier alerts were deleted.
    pass(40 * DAY_MINUTES).await;
    assert!(!world.at(&shop).has_duties().unwrap(), "the background job must have finished its work");
    assert_eq!(rows(&world, &shop, kind::ALERT).await, 0);
    world.restart().await;
    done(&world, &shop, message(Urgency::Urgent, None)).await;
    assert_eq!(world.at(&shop).unread_alerts(owner).await.unwrap(), 1);
    assert!(shown(&world, &shop, owner).await[0].number > 300);
}

#[tokio::test(start_paused = true)]
async fn an_alert_and_its_mail_are_stored_exactly_if_their_change_is() {
    let mut world = world().await;
    let shop = world.shop(1).await;
    member(&world, &shop, "owner@example.com", (Role::Owner, None)).await;
    let post = Post::of(&world.engine);
    post.dies(true);
    for number in 0..12 {
        world.disk.hold_syncs();
        let pending = world.ask(&shop, message(Urgency::Normal, None)).await;
        world.crash(number % 2 * world.disk.unsynced()).await;
        pending.abort();
        post.begin(&world.engine);
        let messages = rows(&world, &shop, kind::MESSAGE).await;
        assert_eq!(rows(&world, &shop, kind::ALERT).await, messages);
        assert_eq!(rows(&world, &shop, kind::MAIL).await, messages);
    }
}

#[tokio::test(start_paused = true)]
async fn a_business_of_a_thousand_people_writes_their_alerts_in_one_change() {
    let world = world().await;
    let shop = world.shop(1).await;
    let post = Post::of(&world.engine);
    post.dies(true);
    let at = world.engine.now();
    for number in 0..domain::PEOPLE_MAX {
        let person = Person {
            id: uuid::Uuid::from_u128(1 + number as u128).into(),
            email: format!("{number}@example.com"),
            name: String::new(),
            locale: domain::Locale::En,
            clock: domain::ClockFormat::Auto,
            week_start: domain::WeekStart::Auto,
            confirmed: true,
            password: None,
            created_at: at,
            updated_at: at,
            last_sign_in_at: None,
            sessions: Vec::new(),
            link: None,
            links_from: at,
        };
        let id = person.id;
        let add = AddMember {
            offer: crate::harness::offer_to(&person),
            person: person.clone(),
            role: Role::Owner,
            staff_id: None,
            mail: None,
        };
        done(&world, &shop, add).await;
        let active = MembershipPatch { active: Some(true), ..MembershipPatch::default() };
        done(&world, &shop, PatchMember { before: person.clone(), person, patch: active }).await;
        choose(&world, &shop, id, AlertKind::MessageTaken, mailed(AlertEmail::Daily)).await;
    }
    done(&world, &shop, message(Urgency::Normal, None)).await;
    for kind in [kind::ALERT, kind::MAIL, kind::MAIL_DUE, kind::MAIL_GATHERED] {
        assert_eq!(rows(&world, &shop, kind).await, domain::PEOPLE_MAX, "{kind:#x}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_deleted_business_leaves_no_alerts_and_an_alert_contains_no_text() {
    let world = world().await;
    let shop = world.shop(1).await;
    let owner = member(&world, &shop, "owner@example.com", (Role::Owner, None)).await;
    done(&world, &shop, message(Urgency::Urgent, None)).await;
    world.at(&shop).change(by(owner), ReadAlerts { number: None }).await.unwrap();
    let alert = &shown(&world, &shop, owner).await[0];
    let bytes = alert.encode();
    assert!(bytes.len() < 80 && !bytes.windows(5).any(|part| part == b"Grace"));
    done(&world, &shop, EndBusiness { once: None }).await;
    pass(5).await;
    assert_eq!(rows(&world, &shop, kind::ALERT).await + rows(&world, &shop, kind::ALERTS_READ).await, 0);
}

#[tokio::test(start_paused = true)]
async fn an_undecodable_alert_is_skipped_and_the_numbers_continue_after_it() {
    let mut world = world().await;
    let shop = world.shop(1).await;
    let owner = member(&world, &shop, "owner@example.com", (Role::Owner, None)).await;
    for _ in 0..3 {
        done(&world, &shop, message(Urgency::Normal, None)).await;
    }
    world.plant(keys::alert(shop.id, owner, 3), b"\xee and more").await;
    world.plant(keys::alerts_read(shop.id, owner), b"").await;
    done(&world, &shop, message(Urgency::Normal, None)).await;
    let numbers = async |world: &World| -> Vec<u64> {
        shown(world, &shop, owner).await.iter().map(|alert| alert.number).collect()
    };
    assert_eq!(numbers(&world).await, [4, 2, 1]);
    assert_eq!(world.at(&shop).unread_alerts(owner).await.unwrap(), 3);
    let one = world.at(&shop).change(by(owner), ReadAlerts { number: Some(3) }).await;
    assert!(matches!(one, Err(EngineError::Store(_))), "{one:?}");
    world.at(&shop).change(by(owner), ReadAlerts { number: None }).await.unwrap();
    assert_eq!(world.at(&shop).unread_alerts(owner).await.unwrap(), 0);
    pass(40 * DAY_MINUTES).await;
    assert!(numbers(&world).await.is_empty());
    assert_eq!(rows(&world, &shop, kind::ALERT).await, 1, "the row must be kept for a repair");
}
