//! A link works only once, only until it expires, and only for one person. Sessions can be ended.

use domain::{Address, Client, LinkKind, Named, Refusal, Role};
use engine::people::{SignIn, Token};

use super::{PASSWORD, from, id, invite, member, refusal, sign_in, world};
use crate::harness::{by_operator, pass};

const DAY: u64 = 24 * 60;

#[tokio::test(start_paused = true)]
async fn a_link_works_until_it_expires_and_not_longer() {
    let world = world().await;
    let (shop, people) = (world.shop(0).await, world.engine.people());
    let (ada, _) = member(&world, &shop, "ada@example.com", Role::Owner).await;
    let invited = id(&invite(&world, &shop, by_operator(), "new@example.com", Role::Member).await);
    for (who, kind, minutes) in [
        (ada, LinkKind::Enter, 10),
        (invited, LinkKind::Enter, 10),
        (ada, LinkKind::Reset, 60),
        (invited, LinkKind::Invitation, 7 * DAY),
    ] {
        let made = async || {
            let made = people.make_link(&world.at(&shop), by_operator(), (who, Some(kind))).await.unwrap();
            made.token.unwrap()
        };
        let late = made().await;
        pass(minutes - 1).await;
        assert_eq!(people.open_link(&late).await.unwrap().kind, kind);
        pass(1).await;
        assert_eq!(refusal(people.open_link(&late).await), Refusal::Expired, "{kind:?}");
        assert_eq!(refusal(people.use_link(&late, Client::default()).await), Refusal::Expired, "{kind:?}");
        // A new link invalidates the previous one. The new link still works in its last minute.
        let (void, good) = (made().await, made().await);
        assert_eq!(refusal(people.use_link(&void, Client::default()).await), Refusal::Expired, "{kind:?}");
        pass(minutes - 1).await;
        let opened = people.use_link(&good, Client::default()).await.unwrap();
        assert_eq!((opened.person, opened.kind), (who, kind));
        let signed_in = people.session(&opened.session.unwrap()).await.unwrap().unwrap();
        assert_eq!(signed_in.session.restricted, kind != LinkKind::Enter, "{kind:?}");
        assert_eq!(refusal(people.use_link(&good, Client::default()).await), Refusal::Expired, "{kind:?}");
    }
    assert_eq!(
        refusal(people.open_link(&Token::parse(&"A".repeat(43)).unwrap()).await),
        Refusal::Expired,
        "this link never existed"
    );
}

#[tokio::test(start_paused = true)]
async fn of_two_concurrent_uses_of_a_link_one_signs_in() {
    let world = world().await;
    let (shop, people) = (world.shop(0).await, world.engine.people());
    let (ada, _) = member(&world, &shop, "ada@example.com", Role::Owner).await;
    let made = people.make_link(&world.at(&shop), by_operator(), (ada, Some(LinkKind::Enter))).await.unwrap();
    let token = made.token.unwrap();
    let asked: Vec<_> = (0..8)
        .map(|_| {
            let (people, token) = (people.clone(), token.clone());
            tokio::spawn(async move { people.use_link(&token, Client::default()).await })
        })
        .collect();
    let mut came = 0;
    for asked in asked {
        match asked.await.unwrap() {
            Ok(_) => came += 1,
            refused => assert_eq!(refusal(refused), Refusal::Expired),
        }
    }
    assert_eq!(came, 1);
}

#[tokio::test(start_paused = true)]
async fn a_link_is_made_only_for_a_member_of_the_business() {
    let world = world().await;
    let (shop, other, people) = (world.shop(0).await, world.shop(0).await, world.engine.people());
    let (ada, _) = member(&world, &shop, "ada@example.com", Role::Owner).await;
    for kind in [None, Some(LinkKind::Reset), Some(LinkKind::Enter)] {
        let foreign = people.make_link(&world.at(&other), by_operator(), (ada, kind)).await;
        assert_eq!(refusal(foreign), Refusal::NotFound(Named::Person));
    }
    let kind = Some(LinkKind::Email);
    let proves = people.make_link(&world.at(&shop), by_operator(), (ada, kind)).await;
    assert!(matches!(refusal(proves), Refusal::NotAllowed(_)), "only the person may request another address");
    // Owners and admins cannot make a reset link for another person.
    let (admin, _) = member(&world, &shop, "admin@example.com", Role::Admin).await;
    for who in [ada, admin] {
        for kind in [LinkKind::Reset, LinkKind::Enter] {
            let made = people.make_link(&world.at(&shop), super::by(who), (ada, Some(kind))).await;
            assert!(matches!(made, Err(engine::EngineError::NotFound)), "{made:?}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_restricted_session_can_only_set_a_password_within_an_hour() {
    let world = world().await;
    let (shop, people) = (world.shop(0).await, world.engine.people());
    let (ada, _) = member(&world, &shop, "ada@example.com", Role::Owner).await;
    let restricted = async || {
        let link = people.make_link(&world.at(&shop), by_operator(), (ada, None)).await.unwrap();
        people.use_link(&link.token.unwrap(), Client::default()).await.unwrap().session.unwrap()
    };
    let token = restricted().await;
    let given = people.give_password(&token, PASSWORD, from(1).network).await;
    assert!(matches!(refusal(given), Refusal::NotAllowed(_)));
    let moved = people.change_email(&token, Address::new("eve@example.com").unwrap()).await;
    assert!(matches!(refusal(moved), Refusal::NotAllowed(_)));
    assert_eq!(refusal(people.end_sessions(&token, None).await), Refusal::Expired);
    people.sign_out(&token).await.unwrap();
    assert!(people.session(&token).await.unwrap().is_none());
    let late = restricted().await;
    pass(60).await;
    assert_eq!(refusal(people.set_password(&late, PASSWORD).await), Refusal::Expired);
    assert!(sign_in(&people, "ada@example.com", PASSWORD).await.is_some(), "the password must be unchanged");
}

#[tokio::test(start_paused = true)]
async fn a_session_ends_after_a_month_however_often_it_is_used() {
    let world = world().await;
    let (shop, people) = (world.shop(0).await, world.engine.people());
    let (_, token) = member(&world, &shop, "ada@example.com", Role::Owner).await;
    for _ in 0..29 {
        pass(DAY).await;
        assert!(people.session(&token).await.unwrap().is_some());
    }
    pass(DAY).await;
    assert!(people.session(&token).await.unwrap().is_none());
}

#[tokio::test(start_paused = true)]
async fn a_person_lists_and_ends_only_their_own_sessions() {
    let world = world().await;
    let (shop, people) = (world.shop(0).await, world.engine.people());
    let (_, ada) = member(&world, &shop, "ada@example.com", Role::Owner).await;
    let (_, eve) = member(&world, &shop, "eve@example.com", Role::Owner).await;
    let second = sign_in(&people, "ada@example.com", PASSWORD).await.unwrap();
    let seen = people.session(&ada).await.unwrap().unwrap();
    assert_eq!(seen.person.sessions.len(), 2);
    let which = people.session(&second).await.unwrap().unwrap().session;
    assert_eq!(which.client.address.as_deref(), Some("192.0.2.1"));
    assert_eq!(
        which.client.user_agent, "Browser/1",
        "control characters must be removed from the user agent"
    );
    assert_eq!(refusal(people.end_sessions(&eve, Some(which.id)).await), Refusal::NotFound(Named::Session));
    people.end_sessions(&ada, Some(which.id)).await.unwrap();
    assert!(people.session(&second).await.unwrap().is_none());
    assert!(people.session(&ada).await.unwrap().is_some() && people.session(&eve).await.unwrap().is_some());
}

#[tokio::test(start_paused = true)]
async fn giving_the_password_again_counts_as_signing_in_does() {
    let world = world().await;
    let (shop, people) = (world.shop(0).await, world.engine.people());
    let (_, token) = member(&world, &shop, "ada@example.com", Role::Owner).await;
    for number in 0..30 {
        let given = people.give_password(&token, "wrong", from(200).network).await.unwrap();
        assert_eq!(given, SignIn::Wrong, "{number}");
    }
    let given = people.give_password(&token, PASSWORD, from(200).network).await.unwrap();
    assert!(matches!(given, SignIn::TooMany(_)), "{given:?}");
    assert!(
        sign_in(&people, "ada@example.com", PASSWORD).await.is_some(),
        "a sign-in from another network must work"
    );
}
