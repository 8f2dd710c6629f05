//! People and mails of a business that is set aside.

use domain::{AccountPatch, PersonName};
use store::StoreError;

use super::mailed::sent;
use super::*;
use crate::harness::pass;
use crate::post::Post;

fn is_set_aside<T: std::fmt::Debug>(result: &Result<T, EngineError>) {
    assert!(matches!(result, Err(EngineError::Store(StoreError::BusinessSetAside { .. }))), "{result:?}");
}

#[tokio::test(start_paused = true)]
async fn mails_of_a_business_set_aside_wait_and_its_people_keep_their_other_businesses() {
    let mut world = world().await;
    let (shop, other, post) = (world.shop(1).await, world.shop(1).await, Post::of(&world.engine));
    let both = member(&world, &shop, "both@example.com", (Role::Owner, None)).await;
    assert_eq!(member(&world, &other, "both@example.com", (Role::Owner, None)).await, both);
    let alone = member(&world, &shop, "alone@example.com", (Role::Admin, None)).await;
    sent(&post).await;
    post.dies(true);
    for of in [&shop, &other] {
        done(&world, of, message(Urgency::Urgent, None)).await;
    }
    assert!(sent(&post).await.is_empty());

    world.engine.set_business_aside(shop.id, "a test says so").unwrap();
    post.dies(false);
    let mut letters = Vec::new();
    for _ in 0..2 {
        pass(60 * 26).await;
        letters.extend(post.take());
        let people = world.engine.people();
        let belongs = people.belongs(both).await.unwrap();
        assert_eq!(belongs.iter().map(|one| one.business_id).collect::<Vec<_>>(), [other.id]);
        is_set_aside(&people.belongs(alone).await);
        is_set_aside(&people.check_set_aside(both, shop.id));
        people.check_set_aside(both, other.id).unwrap();
        people.check_set_aside(uuid::Uuid::from_u128(1).into(), shop.id).unwrap();
        is_set_aside(&people.of_business(&world.at(&shop), &first_page()).await.map(drop));
        people
            .change_own(alone, AccountPatch::named(PersonName::new("Alone".into()).unwrap()))
            .await
            .unwrap();
        is_set_aside(&world.at(&shop).alerts(both, &first_page()).await.map(drop));
        world.restart().await;
        post.begin(&world.engine);
    }
    let to: Vec<_> = letters.iter().map(|letter| letter.to.address.as_str()).collect();
    assert_eq!(to, ["both@example.com"], "only the mail of the other business may be sent");

    world.engine.clone().close().await.unwrap();
    world.disk.lift_aside();
    world.open_again().await;
    post.begin(&world.engine);
    pass(60).await;
    let mut to: Vec<_> = post.take().into_iter().map(|letter| letter.to.address).collect();
    to.sort();
    assert_eq!(to, ["alone@example.com", "both@example.com"]);
}
