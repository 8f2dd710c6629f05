//! People: invitations, links and roles. A link never gives access to another person's account.

mod links;
mod offers;
mod roles;
mod sessions;

use std::net::IpAddr;

use domain::{
    AccountPatch, Actor, Address, AlertChoice, AlertEmail, AlertKind, Client, LinkKind, MailKind,
    MembershipPatch, MembershipStatus, PersonId, PersonName, Refusal, Role,
};
use engine::business::commands::people::{AddMember, PatchNotifications, RemoveMember};
use engine::business::commands::profile::PatchBusiness;
use engine::business::{Idempotency, Request};
use engine::mail::letter::Content;
use engine::people::{From, Hashing, Invitation, Invited, People, SignIn, Token};
use engine::{Engine, EngineError, Limits};
use serde_json::Value;

use crate::harness::{Shop, World, body, by_operator, first_page, json, lately, offer_to, pass, text};
use crate::post::Post;

pub(crate) const PASSWORD: &str = "correct horse battery staple";
const OTHER: &str = "gargle fjord zipper amount";

pub(crate) async fn world() -> World {
    let mut world = World::new(1).await;
    world.limits = Limits { hashing: Hashing::Cheap, ..Limits::default() };
    world.restart().await;
    world
}

pub(crate) fn from(number: u8) -> From {
    let address = IpAddr::from([192, 0, 2, number]);
    From::new(address, address, "Browser\u{7}/1")
}

fn invitation(email: &str, role: Role) -> Invitation {
    Invitation { email: Address::new(email).unwrap(), name: None, locale: None, role, staff_id: None }
}

fn by(id: PersonId) -> Request {
    Request::by(Actor::Person(id))
}

async fn invite(world: &World, shop: &Shop, request: Request, email: &str, role: Role) -> Invited {
    let request = lately(world, request);
    world.engine.people().invite(&world.at(shop), request, invitation(email, role)).await.unwrap()
}

fn id(invited: &Invited) -> PersonId {
    json(&invited.answer)["id"].as_str().unwrap().parse().unwrap()
}

pub(crate) fn refusal<T: std::fmt::Debug>(result: Result<T, EngineError>) -> Refusal {
    match result {
        Err(EngineError::Refused(refusal)) => refusal,
        other => panic!("not a refusal: {other:?}"),
    }
}

/// A person whom the operator has added and who has set a password.
pub(crate) async fn member(world: &World, shop: &Shop, email: &str, role: Role) -> (PersonId, Token) {
    let people = world.engine.people();
    let invited = invite(world, shop, by_operator(), email, role).await;
    let link = invited.link.as_ref().unwrap();
    let opened = people.use_link(&link.token, Client::default()).await.unwrap();
    let token = people.set_password(&opened.session.unwrap(), PASSWORD).await.unwrap();
    (id(&invited), token)
}

async fn sign_in(people: &People, email: &str, password: &str) -> Option<Token> {
    match people.sign_in(email, password, from(1)).await.unwrap() {
        SignIn::In(token) => Some(token),
        SignIn::Wrong => None,
        other => panic!("{other:?}"),
    }
}

async fn status(engine: &Engine, shop: &Shop, id: PersonId) -> MembershipStatus {
    let (_, membership) = engine.people().member(&engine.business(shop.id), id).await.unwrap();
    membership.status
}

#[tokio::test(start_paused = true)]
async fn an_invited_person_sets_a_password_and_becomes_a_member() {
    let world = world().await;
    let (shop, people) = (world.shop(1).await, world.engine.people());
    let invited = invite(&world, &shop, by_operator(), "Ada@Example.com", Role::Admin).await;
    let shown = json(&invited.answer);
    assert_eq!(
        (shown["email"].as_str(), shown["status"].as_str()),
        (Some("Ada@Example.com"), Some("invited"))
    );
    assert_eq!(shown["link"], Value::Null, "the stored response must not contain the link");
    let link = invited.link.as_ref().unwrap();
    assert_eq!(link.kind, LinkKind::Invitation);
    assert_eq!(people.open_link(&link.token).await.unwrap().kind, LinkKind::Invitation);
    let restricted = people.use_link(&link.token, Client::default()).await.unwrap().session.unwrap();
    assert_eq!(refusal(people.use_link(&link.token, Client::default()).await), Refusal::Expired);
    assert_eq!(refusal(people.open_link(&link.token).await), Refusal::Expired);
    assert!(people.session(&restricted).await.unwrap().unwrap().session.restricted);
    assert_eq!(status(&world.engine, &shop, id(&invited)).await, MembershipStatus::Invited);
    assert!(matches!(refusal(people.set_password(&restricted, "password1234").await), Refusal::Invalid(_)));
    let token = people.set_password(&restricted, PASSWORD).await.unwrap();
    assert!(people.session(&restricted).await.unwrap().is_none(), "the session must have a new token");
    let signed_in = people.session(&token).await.unwrap().unwrap();
    assert!(signed_in.fresh && !signed_in.session.restricted && signed_in.person.confirmed);
    assert_eq!(status(&world.engine, &shop, id(&invited)).await, MembershipStatus::Active);
    assert!(sign_in(&people, "ada@example.COM", PASSWORD).await.is_some());
    assert!(sign_in(&people, "ada@example.com", OTHER).await.is_none());
    assert!(sign_in(&people, "unknown@example.com", PASSWORD).await.is_none());
    assert!(sign_in(&people, "no address", PASSWORD).await.is_none());
    let belongs = people.belongs(id(&invited)).await.unwrap();
    assert_eq!((belongs.len(), belongs[0].business_id), (1, shop.id));
}

#[tokio::test(start_paused = true)]
async fn an_address_belongs_to_one_person_under_concurrent_requests() {
    let world = world().await;
    let mut shops = Vec::new();
    for _ in 0..8 {
        shops.push(world.shop(0).await);
    }
    let asked: Vec<_> = shops
        .iter()
        .enumerate()
        .map(|(number, shop)| {
            let (people, business) = (world.engine.people(), world.at(shop));
            let email = if number % 2 == 0 { "same@example.com" } else { "SAME@example.com" };
            let invitation = invitation(email, Role::Member);
            tokio::spawn(async move { people.invite(&business, by_operator(), invitation).await })
        })
        .collect();
    let mut ids = Vec::new();
    for asked in asked {
        ids.push(id(&asked.await.unwrap().unwrap()));
    }
    assert!(ids.iter().all(|other| *other == ids[0]), "{ids:?}");
    assert_eq!(world.engine.people().belongs(ids[0]).await.unwrap().len(), 8);
    let (people, business) = (world.engine.people(), world.at(&shops[0]));
    let again = people.invite(&business, by_operator(), invitation("Same@example.com", Role::Member));
    assert!(matches!(refusal(again.await), Refusal::Conflict { .. }));
}

#[tokio::test(start_paused = true)]
async fn a_repeated_invitation_is_the_same_and_shows_no_link() {
    let mut world = world().await;
    let shop = world.shop(0).await;
    let once =
        Request { idempotency: Some(Idempotency { key: [1; 32], fingerprint: [2; 32] }), ..by_operator() };
    let first = invite(&world, &shop, once.clone(), "a@example.com", Role::Owner).await;
    world.crash(0).await;
    let again = invite(&world, &shop, once, "a@example.com", Role::Owner).await;
    assert!(again.answer.replayed && again.link.is_none() && first.link.is_some());
    assert_eq!(body(&again.answer), body(&first.answer));
}

#[tokio::test(start_paused = true)]
async fn a_confirmed_account_is_only_offered_a_membership() {
    let world = world().await;
    let (shop, other, people) = (world.shop(0).await, world.shop(0).await, world.engine.people());
    let (ada, token) = member(&world, &shop, "ada@example.com", Role::Owner).await;
    let invited = invite(&world, &other, by_operator(), "ada@example.com", Role::Member).await;
    assert!(invited.link.is_none() && id(&invited) == ada);
    assert!(people.session(&token).await.unwrap().is_some(), "the person's session must continue");
    let refused = world.at(&other).change(by(ada), PatchBusiness::default()).await;
    assert!(matches!(refused, Err(EngineError::NotFound)), "{refused:?}");
    people.accept(&world.at(&other), &token).await.unwrap();
    assert_eq!(status(&world.engine, &other, ada).await, MembershipStatus::Active);
}

#[tokio::test(start_paused = true)]
async fn a_link_never_gives_access_to_another_persons_account() {
    let world = world().await;
    let (shop, other, people) = (world.shop(0).await, world.shop(0).await, world.engine.people());
    let (mallory, _) = member(&world, &shop, "mallory@example.com", Role::Admin).await;
    // Without mail, the dashboard shows the link of a new account. Setting a password with this link does not
    // confirm the address.
    let squatted = invite(&world, &shop, by(mallory), "victim@example.com", Role::Member).await;
    let link = squatted.link.as_ref().unwrap();
    let session = people.use_link(&link.token, Client::default()).await.unwrap().session.unwrap();
    let session = people.set_password(&session, OTHER).await.unwrap();
    assert!(!people.session(&session).await.unwrap().unwrap().person.confirmed);
    let (eve, _) = member(&world, &other, "eve@example.com", Role::Owner).await;
    let by_dashboard = people
        .invite(&world.at(&other), lately(&world, by(eve)), invitation("victim@example.com", Role::Admin))
        .await;
    assert!(matches!(refusal(by_dashboard), Refusal::Conflict { .. }));
    // The operator's invitation resets this account and returns a link to set a new password.
    let invited = invite(&world, &other, by_operator(), "victim@example.com", Role::Admin).await;
    assert_eq!(invited.link.as_ref().unwrap().kind, LinkKind::Reset);
    assert!(people.session(&session).await.unwrap().is_none());
    assert!(sign_in(&people, "victim@example.com", OTHER).await.is_none());
    assert_eq!(status(&world.engine, &other, id(&invited)).await, MembershipStatus::Invited);
    // The dashboard of `shop` shows Mallory the link of this person's new account. Mallory may have used the link to
    // take over the account. Therefore the operator cannot activate the person's membership in `other`.
    let shown = invite(&world, &shop, by(mallory), "third@example.com", Role::Member).await;
    let offered = invite(&world, &other, by(eve), "third@example.com", Role::Member).await;
    assert!(shown.link.is_some() && offered.link.is_none());
    let active = MembershipPatch { active: Some(true), ..MembershipPatch::default() };
    let let_in = people.patch_member(&world.at(&other), by_operator(), (id(&offered), active, None)).await;
    assert!(matches!(refusal(let_in), Refusal::Conflict { .. }));
    // If an account has a membership in another business, the dashboard shows no link for this account. The service
    // sends no mail here, so the second invitation has neither a link nor a mail.
    let offered = invite(&world, &shop, by_operator(), "new@example.com", Role::Member).await;
    let elsewhere = invite(&world, &other, by(eve), "new@example.com", Role::Member).await;
    assert!(offered.link.is_some() && elsewhere.link.is_none() && elsewhere.mail.is_none());
    people.set_sends_mail(true);
    for (email, mail) in
        [("fresh@example.com", MailKind::Invitation), ("mallory@example.com", MailKind::Offer)]
    {
        let mailed = invite(&world, &other, by(eve), email, Role::Member).await;
        assert!(mailed.link.is_none());
        assert_eq!(mailed.mail, Some((id(&mailed), mail)), "{email}");
    }
}

#[tokio::test(start_paused = true)]
async fn with_mail_an_account_that_is_not_confirmed_is_reset_first() {
    let world = world().await;
    let (shop, other, people) = (world.shop(0).await, world.shop(0).await, world.engine.people());
    let (mallory, _) = member(&world, &shop, "mallory@example.com", Role::Admin).await;
    let squatted = invite(&world, &shop, by(mallory), "victim@example.com", Role::Member).await;
    let session = people.use_link(&squatted.link.as_ref().unwrap().token, Client::default()).await.unwrap();
    let session = people.set_password(&session.session.unwrap(), OTHER).await.unwrap();
    let post = Post::of(&world.engine);
    let forgotten = people.forgotten(&Address::new("Victim@example.com").unwrap()).await.unwrap();
    assert_eq!(forgotten, Some((id(&squatted), LinkKind::Reset)));
    assert!(people.forgotten(&Address::new("unknown@example.com").unwrap()).await.unwrap().is_none());
    let (eve, _) = member(&world, &other, "eve@example.com", Role::Owner).await;
    let invited = invite(&world, &other, by(eve), "victim@example.com", Role::Admin).await;
    let victim = id(&invited);
    assert_eq!(invited.mail, Some((victim, MailKind::Reset)));
    let accepted = people.accept(&world.at(&other), &session).await;
    assert!(matches!(refusal(accepted), Refusal::NotAllowed(_)), "another person may be signed in");
    pass(1).await;
    let letters = post.take();
    let Content::Reset(link) = &letters[0].content else { panic!("{letters:?}") };
    let link = Token::parse(&link.url[link.url.len() - 43..]).unwrap();
    let reset = people.use_link(&link, Client::default()).await.unwrap().session.unwrap();
    assert!(people.session(&session).await.unwrap().is_none(), "the earlier sessions must end");
    assert!(
        sign_in(&people, "victim@example.com", OTHER).await.is_none(),
        "the earlier password must not work"
    );
    people.set_password(&reset, PASSWORD).await.unwrap();
    assert_eq!(status(&world.engine, &other, victim).await, MembershipStatus::Active);
}

#[tokio::test(start_paused = true)]
async fn roles_decide_about_permissions_and_a_lost_membership_ends_them_immediately() {
    let world = world().await;
    let (shop, people) = (world.shop(1).await, world.engine.people());
    let business = world.at(&shop);
    let (owner, _) = member(&world, &shop, "owner@example.com", Role::Owner).await;
    let (admin, _) = member(&world, &shop, "admin@example.com", Role::Admin).await;
    let (hand, _) = member(&world, &shop, "hand@example.com", Role::Member).await;
    let rename = || PatchBusiness { name: Some(text("New")), ..PatchBusiness::default() };
    assert!(matches!(refusal(business.change(by(hand), rename()).await), Refusal::NotAllowed(_)));
    let suspend = PatchBusiness { suspended: Some(true), ..PatchBusiness::default() };
    assert!(matches!(business.change(by(owner), suspend).await, Err(EngineError::NotFound)));
    business.change(by(admin), rename()).await.unwrap();
    assert!(matches!(
        business.change(lately(&world, by(hand)), RemoveMember { id: admin }).await,
        Err(EngineError::NotFound)
    ));
    assert!(matches!(
        refusal(business.change(lately(&world, by(admin)), RemoveMember { id: owner }).await),
        Refusal::NotAllowed(_)
    ));
    let last = business.change(lately(&world, by(owner)), RemoveMember { id: owner }).await;
    assert!(matches!(refusal(last), Refusal::Conflict { .. }));
    let disable = MembershipPatch { active: Some(false), ..MembershipPatch::default() };
    people.patch_member(&business, lately(&world, by(owner)), (admin, disable, None)).await.unwrap();
    assert!(matches!(business.change(by(admin), rename()).await, Err(EngineError::NotFound)));
    let named = people
        .patch_member(
            &business,
            lately(&world, by(owner)),
            (hand, disable, Some(AccountPatch::named(person_name("Hand")))),
        )
        .await;
    assert!(matches!(refusal(named), Refusal::NotAllowed(_)), "only the person may change the name");
    let answer = people.patch_member(
        &business,
        by_operator(),
        (hand, MembershipPatch::default(), Some(AccountPatch::named(person_name("Hand")))),
    );
    assert_eq!(json(&answer.await.unwrap())["name"], "Hand");
    business.change(by_operator(), RemoveMember { id: owner }).await.unwrap();
    assert!(matches!(business.change(by(owner), rename()).await, Err(EngineError::NotFound)));
    assert!(people.belongs(owner).await.unwrap().is_empty());
    // The audit log contains the changes to people.
    let log = business.audit(&first_page()).await.unwrap().items;
    assert!(
        log.iter()
            .any(|entry| entry.actor == Actor::Person(admin) && entry.action.as_str() == "business.updated")
    );
    let accounts = people.audit(&first_page()).await.unwrap().items;
    assert!(accounts.iter().any(|entry| entry.action.as_str() == "person.password_set"));
}

fn person_name(name: &str) -> PersonName {
    PersonName::new(name.into()).unwrap()
}

#[tokio::test(start_paused = true)]
async fn only_the_person_and_the_operator_change_alert_settings() {
    let world = world().await;
    let shop = world.shop(0).await;
    let business = world.at(&shop);
    let (owner, _) = member(&world, &shop, "owner@example.com", Role::Owner).await;
    let (hand, _) = member(&world, &shop, "hand@example.com", Role::Member).await;
    let off = AlertChoice { email: Some(AlertEmail::Off), ..AlertChoice::default() };
    let choose = |id| PatchNotifications { id, choices: vec![(AlertKind::UrgentMessage, off)] };
    assert!(matches!(refusal(business.change(by(owner), choose(hand)).await), Refusal::NotAllowed(_)));
    for request in [by(hand), by_operator()] {
        let shown = json(&business.change(request, choose(hand)).await.unwrap());
        assert_eq!(shown["urgent_message"]["email"], "off");
        assert_eq!(shown["webhook_disabled"]["email"], "off");
    }
}

#[tokio::test(start_paused = true)]
async fn an_unconfirmed_account_without_a_membership_is_deleted_and_its_address_is_free() {
    let world = world().await;
    let (shop, people) = (world.shop(0).await, world.engine.people());
    let kept = id(&invite(&world, &shop, by_operator(), "kept@example.com", Role::Owner).await);
    let gone = id(&invite(&world, &shop, by_operator(), "gone@example.com", Role::Member).await);
    world.at(&shop).change(by_operator(), RemoveMember { id: gone }).await.unwrap();
    pass(6 * 24 * 60).await;
    assert!(
        people.person(gone).await.unwrap().is_some(),
        "the person has a valid link, so the account must stay"
    );
    pass(4 * 24 * 60).await;
    assert!(people.person(gone).await.unwrap().is_none());
    assert!(people.person(kept).await.unwrap().is_some(), "it belongs");
    let again = id(&invite(&world, &shop, by_operator(), "gone@example.com", Role::Member).await);
    assert_ne!(again, gone);
    world.engine.clone().close().await.unwrap();
    let report = engine::verify::check(world.store().rows()).unwrap();
    assert!(report.is_whole(), "{:?}", report.findings);
}

#[tokio::test(start_paused = true)]
async fn a_business_has_at_most_a_thousand_people() {
    let world = world().await;
    let (shop, people) = (world.shop(0).await, world.engine.people());
    let business = world.at(&shop);
    let first = invite(&world, &shop, by_operator(), "first@example.com", Role::Owner).await;
    let person = people.person(id(&first)).await.unwrap().unwrap();
    for number in 1..domain::PEOPLE_MAX {
        let number = u128::try_from(number).unwrap();
        let person = domain::Person { id: uuid::Uuid::from_u128(number).into(), ..person.clone() };
        let offer = offer_to(&person);
        let add = AddMember { person, offer, role: Role::Member, staff_id: None, mail: None };
        business.change(by_operator(), add).await.unwrap();
    }
    let more = people.invite(&business, by_operator(), invitation("more@example.com", Role::Member)).await;
    assert!(matches!(refusal(more), Refusal::Conflict { .. }));
    let accounts = people.audit(&first_page()).await.unwrap().items;
    assert_eq!(
        accounts.iter().filter(|entry| entry.action.as_str() == "person.created").count(),
        1,
        "only one account may be created"
    );
}
