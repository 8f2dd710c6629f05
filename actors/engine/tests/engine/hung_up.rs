//! Clients that disconnect between a change and its commit, and then repeat the request with the same
//! idempotency key.

use domain::{Address, LinkKind, PersonId, Refusal, Role};
use engine::EngineError;
use engine::business::{Answer, Request};
use engine::people::{Invitation, Invited, SignIn};
use store::keys;
use tokio::task::JoinHandle;
use view::EndedView;

use crate::harness::{Shop, World, by_operator, everything_else_runs, first_page, json, once};
use crate::people::{PASSWORD, from, member, refusal, world as world_of_people};

/// Requests the deletion of a business with an idempotency key. Does not wait for the response.
async fn end(world: &World, shop: &Shop) -> JoinHandle<Result<Answer<EndedView>, EngineError>> {
    let (engine, id) = (world.engine.clone(), shop.id);
    let ended = tokio::spawn(async move { engine.end_business(id, once(1, 1)).await });
    everything_else_runs().await;
    ended
}

/// Requests the deletion of a business and disconnects before the commit.
async fn end_and_hang_up(world: &World, shop: &Shop) {
    world.disk.hold_syncs();
    let ended = end(world, shop).await;
    assert!(world.disk.unsynced() > 0, "the change must be decided");
    ended.abort();
    everything_else_runs().await;
    let again = end(world, shop).await;
    assert_eq!(refusal(again.await.unwrap()), Refusal::IdempotencyInProgress);
    world.disk.release_syncs();
    everything_else_runs().await;
    let again = end(world, shop).await.await.unwrap().unwrap();
    assert!(again.replayed);
    assert_eq!(json(&again)["id"].as_str(), Some(shop.id.to_string().as_str()));
}

#[tokio::test(start_paused = true)]
async fn a_repeated_deletion_of_a_business_gets_the_same_response() {
    let world = World::new(1).await;
    let shop = world.shop(1).await;
    end_and_hang_up(&world, &shop).await;
}

#[tokio::test(start_paused = true)]
async fn a_repeated_deletion_of_an_undecodable_business_gets_the_same_response() {
    let mut world = World::new(2).await;
    let shop = world.shop(1).await;
    world.spoil(keys::profile(shop.id)).await;
    end_and_hang_up(&world, &shop).await;
}

fn invite(
    world: &World,
    shop: &Shop,
    request: Request,
    email: &str,
) -> JoinHandle<Result<Invited, EngineError>> {
    let (people, business, email) = (world.engine.people(), world.at(shop), Address::new(email).unwrap());
    let invitation = Invitation { email, name: None, locale: None, role: Role::Member, staff_id: None };
    tokio::spawn(async move { people.invite(&business, request, invitation).await })
}

async fn accounts(world: &World) -> usize {
    let log = world.engine.people().audit(&first_page()).await.unwrap().items;
    log.iter().filter(|entry| entry.action.as_str() == "person.created").count()
}

#[tokio::test(start_paused = true)]
async fn an_invitation_creates_one_account_wherever_the_client_hangs_up() {
    for commits in 0..3 {
        let world = world_of_people().await;
        let (shop, other) = (world.shop(0).await, world.shop(0).await);
        world.disk.set_sync_delay(std::time::Duration::from_secs(1));
        let first = invite(&world, &shop, once(1, 1), "ada@example.com");
        // The account, the membership and the link are committed one after the other. The client disconnects
        // after `commits` commits.
        tokio::time::sleep(std::time::Duration::from_millis(500 + 1_000 * commits)).await;
        assert!(!first.is_finished(), "after {commits} commits");
        first.abort();
        let elsewhere = invite(&world, &other, by_operator(), "Ada@example.com");
        let again = invite(&world, &shop, once(1, 1), "ada@example.com");
        let elsewhere = elsewhere.await.unwrap().unwrap();
        let again = match again.await.unwrap() {
            // The first request is not durable yet, so the repeated request is refused once.
            Err(EngineError::Refused(Refusal::IdempotencyInProgress)) => {
                invite(&world, &shop, once(1, 1), "ada@example.com").await.unwrap()
            }
            again => again,
        };
        let again = again.unwrap();
        assert_eq!(json(&again.answer)["id"], json(&elsewhere.answer)["id"], "after {commits} commits");
        assert_eq!(accounts(&world).await, 1, "after {commits} commits");
    }
}

#[tokio::test(start_paused = true)]
async fn an_address_is_claimed_until_the_commit_of_a_change_whose_client_hung_up() {
    let world = world_of_people().await;
    let shop = world.shop(0).await;
    let (_, ada) = member(&world, &shop, "ada@example.com", Role::Owner).await;
    let (_, eve) = member(&world, &shop, "eve@example.com", Role::Member).await;
    let change = |token| {
        let (people, email) = (world.engine.people(), Address::new("new@example.com").unwrap());
        tokio::spawn(async move { people.change_email(&token, email).await })
    };
    world.disk.hold_syncs();
    let first = change(ada.clone());
    everything_else_runs().await;
    first.abort();
    let second = change(eve);
    everything_else_runs().await;
    assert!(!second.is_finished(), "the response must wait, because the address may still become free");
    world.disk.release_syncs();
    assert!(matches!(refusal(second.await.unwrap()), Refusal::Conflict { .. }));
    let ada = world.engine.people().session(&ada).await.unwrap().unwrap().person;
    assert_eq!(ada.email, "new@example.com");
}

#[tokio::test(start_paused = true)]
async fn a_repeated_request_makes_or_reports_the_link_and_waits_for_the_first_request() {
    for commits in 0..2 {
        let world = world_of_people().await;
        let shop = world.shop(0).await;
        let (ada, _): (PersonId, _) = member(&world, &shop, "ada@example.com", Role::Owner).await;
        world.disk.set_sync_delay(std::time::Duration::from_secs(1));
        let make = || {
            let (people, business) = (world.engine.people(), world.at(&shop));
            let of = (ada, Some(LinkKind::Enter));
            tokio::spawn(async move { people.make_link(&business, once(1, 1), of).await })
        };
        let first = make();
        tokio::time::sleep(std::time::Duration::from_millis(500 + 1_000 * commits)).await;
        assert!(!first.is_finished(), "after {commits} commits");
        first.abort();
        everything_else_runs().await;
        assert_eq!(refusal(make().await.unwrap()), Refusal::IdempotencyInProgress);
        tokio::time::sleep(std::time::Duration::from_secs(1)).await;
        let again = make().await.unwrap().unwrap();
        assert_eq!(again.token.is_some(), commits == 0, "after {commits} commits");
    }
}

#[tokio::test(start_paused = true)]
async fn a_right_password_is_no_failure_although_its_client_disconnected() {
    let world = world_of_people().await;
    let shop = world.shop(0).await;
    let (_, _) = member(&world, &shop, "ada@example.com", Role::Owner).await;
    let try_in = || {
        let people = world.engine.people();
        tokio::spawn(async move { people.sign_in("ada@example.com", PASSWORD, from(1)).await })
    };
    for _ in 0..40 {
        world.disk.hold_syncs();
        let tried = try_in();
        everything_else_runs().await;
        tried.abort();
        world.disk.release_syncs();
        everything_else_runs().await;
    }
    assert!(matches!(try_in().await.unwrap().unwrap(), SignIn::In(_)));
}
