//! Offered memberships: accepting, declining, and offers in a suspended business.

use domain::{Actor, Client, MailKind, MembershipStatus, Refusal, Role};
use engine::business::commands::people::RemoveMember;
use engine::business::commands::profile::PatchBusiness;

use super::{OTHER, PASSWORD, by, id, invite, member, refusal, sign_in, status, world};
use crate::harness::{Shop, World, by_operator, first_page, lately, pass};
use crate::post::Post;

async fn suspend(world: &World, shop: &Shop, suspended: bool) {
    let patch = PatchBusiness { suspended: Some(suspended), ..PatchBusiness::default() };
    world.at(shop).change(by_operator(), patch).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_person_who_declines_is_no_member_and_may_be_invited_again() {
    let mut world = world().await;
    let (shop, other) = (world.shop(0).await, world.shop(0).await);
    let (ada, token) = member(&world, &shop, "ada@example.com", Role::Owner).await;
    let (boss, _) = member(&world, &other, "boss@example.com", Role::Owner).await;
    for again in [false, true] {
        invite(&world, &other, by_operator(), "ada@example.com", Role::Member).await;
        let people = world.engine.people();
        people.decline(&world.at(&other), &token).await.unwrap();
        if again {
            // After a crash, the acknowledged changes are still there.
            world.crash(0).await;
        }
        let people = world.engine.people();
        let listed = people.of_business(&world.at(&other), &first_page()).await.unwrap().items;
        assert_eq!(
            listed.iter().map(|one| one.id).collect::<Vec<_>>(),
            [boss],
            "the business must no longer list the person"
        );
        assert_eq!(people.belongs(ada).await.unwrap().len(), 1);
        let newest = world.at(&other).audit(&first_page()).await.unwrap().items.remove(0);
        assert_eq!((newest.action.as_str(), newest.actor), ("person.declined", Actor::Person(ada)));
        assert_eq!(newest.resource_id, domain::ResourceId::uuid(ada));
        let twice = people.decline(&world.at(&other), &token).await;
        assert!(matches!(refusal(twice), Refusal::NotFound(_)));
        let late = people.accept(&world.at(&other), &token).await;
        assert!(matches!(refusal(late), Refusal::NotFound(_)));
    }
}

#[tokio::test(start_paused = true)]
async fn an_accepted_or_withdrawn_offer_cannot_be_declined() {
    let world = world().await;
    let (shop, other, people) = (world.shop(0).await, world.shop(0).await, world.engine.people());
    let (ada, token) = member(&world, &shop, "ada@example.com", Role::Owner).await;
    let own = people.decline(&world.at(&shop), &token).await;
    assert!(matches!(refusal(own), Refusal::Conflict { .. }), "the last owner must stay");
    invite(&world, &other, by_operator(), "ada@example.com", Role::Member).await;
    let off = domain::MembershipPatch { active: Some(false), ..Default::default() };
    people.patch_member(&world.at(&other), by_operator(), (ada, off, None)).await.unwrap();
    let declined = people.decline(&world.at(&other), &token).await;
    assert!(matches!(refusal(declined), Refusal::Conflict { .. }));
    assert_eq!(status(&world.engine, &other, ada).await, MembershipStatus::Disabled);
}

#[tokio::test(start_paused = true)]
async fn a_session_that_may_be_another_persons_cannot_decline_an_offer() {
    let world = world().await;
    let (shop, other, people) = (world.shop(0).await, world.shop(0).await, world.engine.people());
    let (mallory, _) = member(&world, &shop, "mallory@example.com", Role::Admin).await;
    let squatted = invite(&world, &shop, by(mallory), "victim@example.com", Role::Member).await;
    let opened = people.use_link(&squatted.link.as_ref().unwrap().token, Client::default()).await.unwrap();
    let restricted = opened.session.unwrap();
    let early = people.decline(&world.at(&shop), &restricted).await;
    assert!(matches!(refusal(early), Refusal::NotAllowed(_)), "a restricted session may only set a password");
    let session = people.set_password(&restricted, OTHER).await.unwrap();
    let _post = Post::of(&world.engine);
    let (eve, _) = member(&world, &other, "eve@example.com", Role::Owner).await;
    let invited = invite(&world, &other, by(eve), "victim@example.com", Role::Admin).await;
    assert!(matches!(invited.mail, Some((_, MailKind::Reset))));
    let declined = people.decline(&world.at(&other), &session).await;
    assert!(matches!(refusal(declined), Refusal::NotAllowed(_)));
    assert_eq!(status(&world.engine, &other, id(&invited)).await, MembershipStatus::Invited);
}

/// While the address of the new account is unconfirmed, only the session that the invitation link started
/// can accept the offer. The dashboard shows this link only once, and makes no second link. So if the
/// business is suspended at first, the same session must be able to accept the offer later.
#[tokio::test(start_paused = true)]
async fn an_offer_in_a_suspended_business_is_accepted_later_in_the_links_session() {
    let world = world().await;
    let (shop, people) = (world.shop(0).await, world.engine.people());
    let (boss, _) = member(&world, &shop, "boss@example.com", Role::Owner).await;
    let invited = invite(&world, &shop, by(boss), "new@example.com", Role::Member).await;
    let link = invited.link.as_ref().unwrap();
    suspend(&world, &shop, true).await;
    pass(1).await; // the offer was made a minute earlier
    let opened = people.use_link(&link.token, Client::default()).await.unwrap();
    let session = people.set_password(&opened.session.unwrap(), PASSWORD).await.unwrap();
    let new = id(&invited);
    assert_eq!(
        status(&world.engine, &shop, new).await,
        MembershipStatus::Invited,
        "the offer must still be open"
    );
    let early = people.accept(&world.at(&shop), &session).await;
    assert!(matches!(early, Err(engine::EngineError::Suspended)), "{early:?}");
    suspend(&world, &shop, false).await;
    // A session that began with the password, not with the link, cannot accept the offer: its person may never have
    // got the link.
    let other = sign_in(&people, "new@example.com", PASSWORD).await.unwrap();
    assert!(matches!(refusal(people.accept(&world.at(&shop), &other).await), Refusal::NotAllowed(_)));
    people.accept(&world.at(&shop), &session).await.unwrap();
    assert_eq!(status(&world.engine, &shop, new).await, MembershipStatus::Active);
}

#[tokio::test(start_paused = true)]
async fn the_session_of_a_link_accepts_only_offers_made_before_it() {
    let world = world().await;
    let (shop, people) = (world.shop(0).await, world.engine.people());
    let (boss, _) = member(&world, &shop, "boss@example.com", Role::Owner).await;
    let (mallory, _) = member(&world, &shop, "mallory@example.com", Role::Admin).await;
    let invited = invite(&world, &shop, by(mallory), "victim@example.com", Role::Member).await;
    let link = invited.link.as_ref().unwrap();
    let opened = people.use_link(&link.token, Client::default()).await.unwrap();
    let session = people.set_password(&opened.session.unwrap(), OTHER).await.unwrap();
    let victim = id(&invited);
    world.at(&shop).change(lately(&world, by(boss)), RemoveMember { id: victim }).await.unwrap();
    pass(1).await;
    let _post = Post::of(&world.engine);
    let again = invite(&world, &shop, by(boss), "victim@example.com", Role::Admin).await;
    assert_eq!((id(&again), again.mail), (victim, Some((victim, MailKind::Reset))));
    let accepted = people.accept(&world.at(&shop), &session).await;
    assert!(matches!(refusal(accepted), Refusal::NotAllowed(_)));
}

#[tokio::test(start_paused = true)]
async fn neither_a_link_of_an_earlier_offer_nor_its_session_accepts_a_later_one() {
    for opens_first in [true, false] {
        let world = world().await;
        let (shop, people) = (world.shop(0).await, world.engine.people());
        let (boss, _) = member(&world, &shop, "boss@example.com", Role::Owner).await;
        let (mallory, _) = member(&world, &shop, "mallory@example.com", Role::Admin).await;
        let invited = invite(&world, &shop, by(mallory), "victim@example.com", Role::Member).await;
        let (victim, token) = (id(&invited), invited.link.as_ref().unwrap().token.clone());
        let mut opened = None;
        if opens_first {
            opened = people.use_link(&token, Client::default()).await.unwrap().session;
        }
        world.at(&shop).change(lately(&world, by(boss)), RemoveMember { id: victim }).await.unwrap();
        pass(1).await;
        let _post = Post::of(&world.engine);
        invite(&world, &shop, by(boss), "victim@example.com", Role::Admin).await;
        pass(1).await;
        if !opens_first {
            // The second invitation makes the link of the first invitation invalid, even before the mail with the new
            // link is composed.
            assert!(people.use_link(&token, Client::default()).await.is_err());
            continue;
        }
        let session = people.set_password(&opened.unwrap(), OTHER).await.unwrap();
        assert_eq!(status(&world.engine, &shop, victim).await, MembershipStatus::Invited);
        let accepted = people.accept(&world.at(&shop), &session).await;
        assert!(matches!(refusal(accepted), Refusal::NotAllowed(_)));
    }
}

#[tokio::test(start_paused = true)]
async fn a_newer_link_that_was_handed_over_ends_the_session_of_an_older_one() {
    let world = world().await;
    let (shop, people) = (world.shop(0).await, world.engine.people());
    let (boss, _) = member(&world, &shop, "boss@example.com", Role::Owner).await;
    let first = invite(&world, &shop, by(boss), "new@example.com", Role::Member).await;
    let opened = people.use_link(&first.link.as_ref().unwrap().token, Client::default()).await.unwrap();
    let before = opened.session.unwrap();
    let asked = (id(&first), None);
    let newer = people.make_link(&world.at(&shop), by_operator(), asked).await.unwrap();
    assert!(people.session(&before).await.unwrap().is_none());
    let opened = people.use_link(&newer.token.unwrap(), Client::default()).await.unwrap();
    people.set_password(&opened.session.unwrap(), PASSWORD).await.unwrap();
    assert_eq!(status(&world.engine, &shop, id(&first)).await, MembershipStatus::Active);
}
