//! Passwords, sessions and signing in.

use std::time::Duration;

use argon2::password_hash::{PasswordHasher, SaltString};
use argon2::{Algorithm, Argon2, Params, Version};
use domain::{Actor, Address, Client, LinkKind, MembershipStatus, Person, PersonId, Refusal, Role};
use engine::people::{Hashing, SignIn};
use engine::{Engine, Limits};
use store::{Record, keys};
use tokio::time::Instant;

use super::{OTHER, PASSWORD, from, invitation, member, refusal, sign_in, world};
use crate::harness::{Shop, World, by_operator, first_page, pass, text};

#[tokio::test(start_paused = true)]
async fn a_new_password_ends_all_other_sessions_and_links() {
    let world = world().await;
    let (shop, people) = (world.shop(0).await, world.engine.people());
    let (ada, first) = member(&world, &shop, "ada@example.com", Role::Owner).await;
    let second = sign_in(&people, "ada@example.com", PASSWORD).await.unwrap();
    let link = people.make_link(&world.at(&shop), by_operator(), (ada, Some(LinkKind::Enter))).await.unwrap();
    pass(16).await;
    assert!(matches!(refusal(people.set_password(&second, OTHER).await), Refusal::NotAllowed(_)));
    assert_eq!(people.give_password(&second, OTHER, from(1).network).await.unwrap(), SignIn::Wrong);
    assert_eq!(people.give_password(&second, PASSWORD, from(1).network).await.unwrap(), SignIn::Known);
    let third = people.set_password(&second, OTHER).await.unwrap();
    for (token, lets_in) in [(&first, false), (&second, false), (&third, true)] {
        assert_eq!(people.session(token).await.unwrap().is_some(), lets_in);
    }
    assert_eq!(refusal(people.use_link(&link.token.unwrap(), Client::default()).await), Refusal::Expired);
    assert!(sign_in(&people, "ada@example.com", PASSWORD).await.is_none());
    let fourth = sign_in(&people, "ada@example.com", OTHER).await.unwrap();
    people.end_sessions(&fourth, None).await.unwrap();
    assert!(people.session(&third).await.unwrap().is_none());
    people.sign_out(&fourth).await.unwrap();
    assert!(people.session(&fourth).await.unwrap().is_none());
    people.sign_out(&fourth).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn sessions_survive_a_crash_and_expire_when_unused() {
    let mut world = world().await;
    let shop = world.shop(0).await;
    let (_, token) = member(&world, &shop, "ada@example.com", Role::Owner).await;
    world.crash(0).await;
    let people = world.engine.people();
    for _ in 0..4 {
        pass(6 * 24 * 60).await;
        assert!(people.session(&token).await.unwrap().is_some());
        pass(2).await; // the use of the session is written
    }
    let used = people.session(&token).await.unwrap().unwrap().session.last_used_at;
    assert!(world.engine.now() - used < chrono::TimeDelta::hours(1));
    pass(7 * 24 * 60).await;
    assert!(people.session(&token).await.unwrap().is_none());
    // By the next day, the sweep has deleted the expired session.
    pass(25 * 60).await;
    let person = people.belongs(id_of(&world, &shop).await).await.unwrap();
    let person = people.person(person[0].membership.person_id).await.unwrap().unwrap();
    assert!(person.sessions.is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_use_in_the_last_minute_is_stored_when_the_service_ends() {
    let mut world = world().await;
    let shop = world.shop(0).await;
    let (_, token) = member(&world, &shop, "ada@example.com", Role::Owner).await;
    pass(6 * 24 * 60).await;
    assert!(world.engine.people().session(&token).await.unwrap().is_some());
    world.restart().await;
    pass(2 * 24 * 60).await;
    assert!(
        world.engine.people().session(&token).await.unwrap().is_some(),
        "the session was last used two days ago"
    );
}

#[tokio::test(start_paused = true)]
async fn the_daily_job_for_people_begins_on_time_although_the_machine_was_suspended() {
    let world = world().await;
    let shop = world.shop(0).await;
    let (ada, _) = member(&world, &shop, "ada@example.com", Role::Owner).await;
    let sessions = async || world.engine.people().person(ada).await.unwrap().unwrap().sessions.len();
    pass(3).await;
    assert_eq!(sessions().await, 1);
    world.clock.suspend(chrono::TimeDelta::days(8));
    pass(3).await;
    assert_eq!(sessions().await, 0, "a session must expire after a week without use");
}

/// The test stores the hash of a password in the format of the first version.
#[tokio::test(start_paused = true)]
async fn a_password_in_the_earlier_form_signs_in_and_is_stored_in_the_new_form() {
    let mut world = world().await;
    let shop = world.shop(0).await;
    let (ada, _) = member(&world, &shop, "ada@example.com", Role::Owner).await;
    let [composed, given] = ["été à la plage précise", "e\u{301}te\u{301} a\u{300} la plage pre\u{301}cise"];
    let salt = SaltString::encode_b64(&[7; 16]).unwrap();
    let cheap = Argon2::new(Algorithm::Argon2id, Version::V0x13, Params::new(8, 1, 1, None).unwrap());
    let kept = cheap.hash_password(given.as_bytes(), &salt).unwrap().to_string();
    let person = world.engine.people().person(ada).await.unwrap().unwrap();
    let person = Person { password: Some(kept), ..person };
    world.plant(keys::person(ada), &person.encode()).await;
    let people = world.engine.people();
    assert!(
        sign_in(&people, "ada@example.com", composed).await.is_none(),
        "the stored hash must not match the composed form yet"
    );
    // Two sign-ins run at the same time. One of them stores the new hash, and both succeed.
    let at_once =
        tokio::join!(sign_in(&people, "ada@example.com", given), sign_in(&people, "ada@example.com", given));
    let (Some(token), Some(_)) = at_once else { panic!("{at_once:?}") };
    for password in [composed, given] {
        assert!(sign_in(&people, "ada@example.com", password).await.is_some(), "{password:?}");
    }
    assert!(
        people.session(&token).await.unwrap().is_some(),
        "storing the new hash of the same password must not end sessions"
    );
    assert!(sign_in(&people, "ada@example.com", PASSWORD).await.is_none());
}

async fn id_of(world: &World, shop: &Shop) -> PersonId {
    let page = world.engine.people().of_business(&world.at(shop), &first_page()).await.unwrap();
    page.items[0].id
}

#[tokio::test(start_paused = true)]
async fn failed_sign_ins_are_delayed_and_limited_per_address() {
    let world = world().await;
    let (shop, people) = (world.shop(0).await, world.engine.people());
    member(&world, &shop, "ada@example.com", Role::Owner).await;
    let mut waits = Vec::new();
    for email in ["ada@example.com", "unknown@example.com"] {
        for number in 0..12 {
            let began = Instant::now();
            let came = people.sign_in(email, "wrong", from(number)).await.unwrap();
            assert_eq!(came, SignIn::Wrong);
            waits.push(began.elapsed().as_secs());
        }
    }
    assert_eq!(waits[..12], [0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 5, 5]);
    assert_eq!(waits[..12], waits[12..], "an unknown address must cause the same delays");
    let began = Instant::now();
    assert!(matches!(people.sign_in("ada@example.com", PASSWORD, from(99)).await, Ok(SignIn::In(_))));
    assert_eq!(
        began.elapsed(),
        Duration::from_secs(5),
        "the correct password must work after the same delay"
    );
    for number in 0..30 {
        let came = people.sign_in(&format!("{number}@example.com"), "wrong", from(200)).await.unwrap();
        assert_eq!(came, SignIn::Wrong);
    }
    let refused = people.sign_in("ada@example.com", PASSWORD, from(200)).await.unwrap();
    assert!(matches!(refused, SignIn::TooMany(wait) if wait <= Duration::from_secs(900)), "{refused:?}");
}

#[tokio::test(start_paused = true)]
async fn without_mail_a_new_address_is_used_immediately_and_is_not_confirmed() {
    let world = world().await;
    let (shop, people) = (world.shop(0).await, world.engine.people());
    let (ada, token) = member(&world, &shop, "ada@example.com", Role::Owner).await;
    member(&world, &shop, "other@example.com", Role::Member).await;
    let taken = people.change_email(&token, Address::new("Other@example.com").unwrap()).await;
    assert!(matches!(refusal(taken), Refusal::Conflict { .. }));
    assert!(people.change_email(&token, Address::new("New@example.com").unwrap()).await.unwrap().is_none());
    let person = people.person(ada).await.unwrap().unwrap();
    assert_eq!((person.email.as_str(), person.confirmed), ("New@example.com", false));
    assert!(sign_in(&people, "ada@example.com", PASSWORD).await.is_none());
    let token = sign_in(&people, "new@example.com", PASSWORD).await.unwrap();
    people.set_sends_mail(true);
    let link = people.change_email(&token, Address::new("third@example.com").unwrap()).await.unwrap();
    assert!(sign_in(&people, "third@example.com", PASSWORD).await.is_none());
    let opened = people.prove_email(&link.unwrap(), Some(&token)).await.unwrap();
    assert!(opened.session.is_none() && opened.kind == LinkKind::Email);
    assert_eq!(
        opened.former_email.as_deref(),
        Some("New@example.com"),
        "the former address must be known, because it gets a mail"
    );
    assert!(sign_in(&people, "third@example.com", PASSWORD).await.is_some());
    assert!(people.person(ada).await.unwrap().unwrap().confirmed);
}

#[tokio::test]
async fn a_restore_ends_every_session_and_link() {
    let home = tempfile::tempdir().unwrap();
    let ports = net::Ports::with_clock_and_random(ports::system_clock(), ports::system_random());
    let open = async |dir: &str| {
        let limits = Limits { hashing: Hashing::Cheap, ..Limits::default() };
        let fails = |error: &_| panic!("{error}");
        Engine::open_within(&home.path().join(dir), ports.clone(), limits, fails).await.unwrap()
    };
    let engine = open("data").await;
    let new = engine::NewBusiness {
        name: text("Shop"),
        zone: chrono_tz::UTC,
        locale: domain::Locale::En,
        website_url: None,
        booking_mode: domain::BookingMode::Instant,
        hours: domain::WeeklyHours::default(),
        breaks: domain::WeeklyBreaks::default(),
        phone_region: "US".into(),
    };
    let business = engine.create_business(new, Actor::Operator).await.unwrap().id;
    let (business, people) = (engine.business(business), engine.people());
    let invited = people.invite(&business, by_operator(), invitation("ada@example.com", Role::Owner)).await;
    let link = invited.unwrap().link.unwrap();
    let token = people.use_link(&link.token, Client::default()).await.unwrap().session.unwrap();
    let token = people.set_password(&token, PASSWORD).await.unwrap();
    let ada = people.session(&token).await.unwrap().unwrap().person.id;
    let link = people.make_link(&business, by_operator(), (ada, None)).await.unwrap().token.unwrap();
    let backup = engine.begin_backup(Actor::Operator, &home.path().join("backup")).unwrap();
    while engine.backup(backup).unwrap().outcome.is_none() {
        tokio::task::yield_now().await;
    }
    let id = business.id();
    drop((business, people));
    engine.close().await.unwrap();
    let (from_dir, to_dir) = (home.path().join("backup"), home.path().join("restored"));
    engine::backup::restore(&from_dir, &to_dir, None, false, &ports).await.unwrap();
    let report = engine::verify::verify(&to_dir).await.unwrap();
    assert!(report.is_whole(), "{:?}", report.findings);
    let engine = open("restored").await;
    let people = engine.people();
    assert!(people.session(&token).await.unwrap().is_none());
    assert_eq!(refusal(people.use_link(&link, Client::default()).await), Refusal::Expired);
    assert!(sign_in(&people, "ada@example.com", PASSWORD).await.is_some());
    let (_, membership) = people.member(&engine.business(id), ada).await.unwrap();
    assert_eq!(membership.status, MembershipStatus::Active);
    engine.close().await.unwrap();
}
