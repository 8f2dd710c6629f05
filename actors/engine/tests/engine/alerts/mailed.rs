//! Mails and their recipients: alerts, invitations, resets, changed addresses, unsubscribing.

use chrono::TimeDelta;
use domain::{
    About, AccountPatch, Client, Conflict, LinkKind, Locale, MailKind, MailStatus, Named, ProblemCode,
    ResourceId, Subscription, Wait, WebhookId,
};
use engine::business::commands::alerts::Unsubscribe as EndSubscription;
use engine::business::commands::erasure::EraseContact;
use engine::business::commands::mails::ResendMail;
use engine::mail::letter::{Content, Letter, What};
use engine::mail::unsubscribe::Unsubscribe;
use engine::mail::{Forgotten, NewMail};
use engine::people::Token;
use store::{Record, keys};

use super::*;
use crate::harness::{everything_else_runs, lately, pass};
use crate::post::Post;

pub(super) const PASSWORD: &str = "correct horse battery staple";

/// The recipient and the kind of each letter, sorted by address.
pub(super) fn recipients(letters: &[Letter]) -> Vec<(String, &'static str)> {
    let word = |letter: &Letter| match letter.content {
        Content::Alert(_) => "alert",
        Content::Gathered(..) => "gathered",
        Content::Daily(..) => "daily",
        Content::Invitation(_) => "invitation",
        Content::Offer => "offer",
        Content::Reset(_) => "reset",
        Content::EmailChange(_) => "email_change",
        Content::EmailChanged => "email_changed",
        Content::Notice(_) => "notice",
        Content::Code(_) => "code",
        Content::Test => "test",
    };
    let mut recipients: Vec<_> =
        letters.iter().map(|letter| (letter.to.address.clone(), word(letter))).collect();
    recipients.sort();
    recipients
}

pub(super) fn is(recipients: &[(String, &'static str)], expected: &[(&str, &'static str)]) {
    let expected: Vec<_> = expected.iter().map(|(to, what)| ((*to).to_owned(), *what)).collect();
    assert_eq!(recipients, expected);
}

/// Waits a second, in which all due mails are sent, and returns the accepted mails.
pub(super) async fn sent(post: &Post) -> Vec<Letter> {
    tokio::time::sleep(std::time::Duration::from_secs(1)).await;
    post.take()
}

/// The token of the link in a mail.
pub(super) fn token(content: &Content) -> Token {
    let (Content::Invitation(link) | Content::Reset(link) | Content::EmailChange(link)) = content else {
        panic!("{content:?} has no link");
    };
    let token = link.url.strip_prefix("https://desk.example.com/dashboard/enter/").unwrap();
    Token::parse(token).unwrap()
}

/// Creates an account with the victim's address and Mallory's password. The service sends no mail, so it shows the link
/// of the invitation to Mallory, who uses the link.
pub(super) async fn squatted(world: &World, shop: &Shop, mallory: PersonId) -> (PersonId, Token) {
    let people = world.engine.people();
    let squatted = invite(world, shop, by(mallory), "victim@example.com").await.unwrap();
    let opened = people.use_link(&squatted.link.unwrap().token, Client::default()).await.unwrap();
    (opened.person, people.set_password(&opened.session.unwrap(), PASSWORD).await.unwrap())
}

/// Signs in with the link in a mail, and then sets a password.
pub(super) async fn enter(world: &World, content: &Content) -> Token {
    let people = world.engine.people();
    let opened = people.use_link(&token(content), Client::default()).await.unwrap();
    people.set_password(&opened.session.unwrap(), PASSWORD).await.unwrap()
}

#[tokio::test(start_paused = true)]
async fn mails_are_sent_immediately_or_at_eight_as_each_person_chose() {
    let world = world().await;
    let (shop, post) = (world.shop(2).await, Post::of(&world.engine));
    let paris = PatchBusiness { zone: Some(chrono_tz::Europe::Paris), ..PatchBusiness::default() };
    done(&world, &shop, paris).await;
    let owner = member(&world, &shop, "owner@example.com", (Role::Owner, None)).await;
    let admin = member(&world, &shop, "admin@example.com", (Role::Admin, None)).await;
    member(&world, &shop, "own@example.com", (Role::Member, Some(shop.staff[0]))).await;
    member(&world, &shop, "other@example.com", (Role::Member, Some(shop.staff[1]))).await;
    let french = AccountPatch { locale: Some(Locale::Fr), ..AccountPatch::default() };
    world.engine.people().change_own(owner, french).await.unwrap();
    choose(&world, &shop, admin, AlertKind::AppointmentBooked, mailed(AlertEmail::Daily)).await;
    post.take();

    let first = appointment_of(&done(&world, &shop, shop.booking(at(3, 9), 1)).await);
    done(&world, &shop, shop.booking(at(3, 11), 2)).await;
    let at_once = sent(&post).await;
    is(&recipients(&at_once), &[("own@example.com", "alert"), ("own@example.com", "alert")]);
    done(&world, &shop, message(Urgency::Urgent, None)).await;
    let urgent = sent(&post).await;
    let all = ["admin@example.com", "other@example.com", "own@example.com", "owner@example.com"];
    is(&recipients(&urgent), &all.map(|to| (to, "alert")));
    let french: Vec<_> = urgent.iter().filter(|letter| letter.to.locale == Locale::Fr).collect();
    assert!(french.len() == 1 && french[0].to.address == "owner@example.com");
    assert_eq!(urgent[0].business.as_ref().unwrap().zone, chrono_tz::Europe::Paris);

    // The machine's clock is corrected by 20 seconds between the first and the last event of the day. All
    // events must still be in one daily mail.
    pass(60 * 12).await;
    world.clock.jump(TimeDelta::seconds(20));
    pass(1).await;
    done(&world, &shop, Cancel { id: first }).await;
    done(&world, &shop, shop.booking(at(3, 13), 2)).await;
    post.take();
    pass(60 * 11 - 10).await;
    assert!(post.take().is_empty(), "it is earlier than eight o'clock");
    pass(10).await;
    let daily = post.take();
    is(&recipients(&daily), &[("admin@example.com", "daily")]);
    let Content::Daily(things, 0) = &daily[0].content else { panic!("{daily:?}") };
    let kinds: Vec<_> = things.iter().map(|alert| alert.kind).collect();
    assert_eq!(kinds, [AlertKind::AppointmentBooked; 3]);
    pass(60 * 24 * 3).await;
    assert!(post.take().is_empty(), "without alerts there must be no daily mail");
}

#[tokio::test(start_paused = true)]
async fn after_twenty_mails_in_an_hour_a_person_gets_the_others_as_one() {
    let world = world().await;
    let (shop, post) = (world.shop(1).await, Post::of(&world.engine));
    member(&world, &shop, "owner@example.com", (Role::Owner, None)).await;
    for _ in 0..50 {
        done(&world, &shop, message(Urgency::Normal, None)).await;
    }
    member(&world, &shop, "admin@example.com", (Role::Admin, None)).await;
    done(&world, &shop, message(Urgency::Normal, None)).await;
    let letters = sent(&post).await;
    let to = |to: &str| letters.iter().filter(|letter| letter.to.address == to).count();
    assert_eq!((to("owner@example.com"), to("admin@example.com")), (20, 1));
    pass(61).await;
    let rest = post.take();
    assert!(
        matches!(&rest[..], [Letter { content: Content::Gathered(things, 0), .. }] if things.len() == 31)
    );
}

#[tokio::test(start_paused = true)]
async fn a_mail_shows_the_state_at_the_time_it_is_sent() {
    let world = world().await;
    let (shop, post) = (world.shop(1).await, Post::of(&world.engine));
    for (email, role) in [
        ("stays@example.com", Role::Owner),
        ("goes@example.com", Role::Owner),
        ("off@example.com", Role::Owner),
    ] {
        member(&world, &shop, email, (role, None)).await;
    }
    let people = world.engine.people();
    let ids: Vec<_> = people.of_business(&world.at(&shop), &first_page()).await.unwrap().items;
    let id_of_email = |email: &str| ids.iter().find(|person| person.email == email).unwrap().id;
    let staying = id_of_email("stays@example.com");
    choose(&world, &shop, staying, AlertKind::AppointmentBooked, mailed(AlertEmail::Now)).await;
    post.dies(true);
    let booked = done(&world, &shop, shop.booking(at(3, 9), 1)).await;
    let contact = json(&booked)["contact_id"].as_str().unwrap().parse().unwrap();
    let mut described = message(Urgency::Normal, None);
    described.details.contact_id = Some(contact);
    done(&world, &shop, described).await;
    sent(&post).await;
    done(&world, &shop, RemoveMember { id: id_of_email("goes@example.com") }).await;
    let off = MembershipPatch { active: Some(false), ..MembershipPatch::default() };
    let person = people.person(id_of_email("off@example.com")).await.unwrap().unwrap();
    done(&world, &shop, PatchMember { before: person.clone(), person, patch: off }).await;
    done(&world, &shop, EraseContact { id: contact }).await;
    post.dies(false);
    pass(10).await;
    let letters = post.take();
    is(&recipients(&letters), &[("stays@example.com", "alert"), ("stays@example.com", "alert")]);
    for letter in &letters {
        let Content::Alert(alert) = &letter.content else { panic!("{letter:?}") };
        match &alert.what {
            What::Appointment { contact, service, starts_at, .. } => {
                assert_eq!((contact, service.as_deref(), *starts_at), (&None, Some("Cut"), at(3, 9)));
            }
            What::Message { caller, phone, body, .. } => {
                assert_eq!((caller, phone, body.as_str()), (&None, &None, ""));
            }
            other => panic!("{other:?}"),
        }
    }
    let log = world.engine.mail_log(shop.id, None, 100).await.unwrap();
    assert_eq!(log.len(), 2, "a mail without a permitted recipient must be dropped");
    assert!(log.iter().all(|mail| mail.status == MailStatus::Sent));
}

#[tokio::test(start_paused = true)]
async fn alerts_that_a_new_role_may_not_see_are_in_no_mail_and_no_list() {
    let mut world = world().await;
    let (shop, post) = (world.shop(1).await, Post::of(&world.engine));
    let admin = member(&world, &shop, "admin@example.com", (Role::Admin, None)).await;
    let url = domain::WebhookUrl::parse("https://hooks.example.com/").unwrap();
    let events = domain::EventTypes::all();
    let create =
        engine::business::commands::webhooks::CreateWebhook { url, events, description: Text::default() };
    let endpoint = id_of::<WebhookId>(&done(&world, &shop, create).await);
    done(&world, &shop, message(Urgency::Urgent, None)).await;
    assert_eq!(sent(&post).await.len(), 1);
    // Adds the alert that the service creates when it disables an endpoint.
    let (kind, id, at) = (AlertKind::WebhookDisabled, endpoint.uuid(), world.engine.now());
    let about = About { kind, id, at };
    let alert =
        Alert { id: uuid::Uuid::from_u128(1).into(), person_id: admin, number: 2, about, read_at: None };
    world.plant(keys::alert(shop.id, admin, 2), &alert.encode()).await;
    post.begin(&world.engine);
    assert_eq!(kinds(&world, &shop, admin).await, [AlertKind::UrgentMessage, kind]);
    let mail = || NewMail {
        about: vec![about],
        more: 0,
        ..NewMail::of_membership(shop.id, admin, domain::MailKind::Alert)
    };
    world.engine.queue_mail(mail()).await.unwrap();
    let shown = sent(&post).await;
    assert!(matches!(&shown[..], [Letter { content: Content::Alert(alert), .. }] if alert.kind == kind));
    let person = world.engine.people().person(admin).await.unwrap().unwrap();
    let demote = MembershipPatch { role: Some(Role::Member), ..MembershipPatch::default() };
    done(&world, &shop, PatchMember { before: person.clone(), person, patch: demote }).await;
    assert_eq!(kinds(&world, &shop, admin).await, [AlertKind::UrgentMessage]);
    assert_eq!(world.at(&shop).unread_alerts(admin).await.unwrap(), 1);
    let read = world.at(&shop).change(by(admin), ReadAlerts { number: Some(2) }).await;
    assert_eq!(refusal(read), Refusal::NotFound(Named::Alert));
    world.engine.queue_mail(mail()).await.unwrap();
    assert!(sent(&post).await.is_empty());
    assert_eq!(world.engine.mail_log(shop.id, None, 100).await.unwrap().len(), 2, "the mail must be dropped");
}

#[tokio::test(start_paused = true)]
async fn an_unsubscribe_link_works_repeatedly() {
    let world = world().await;
    let (shop, post) = (world.shop(1).await, Post::of(&world.engine));
    let owner = member(&world, &shop, "owner@example.com", (Role::Owner, None)).await;
    choose(&world, &shop, owner, AlertKind::AppointmentBooked, mailed(AlertEmail::Daily)).await;
    done(&world, &shop, message(Urgency::Urgent, None)).await;
    let letters = sent(&post).await;
    let token = letters[0].unsubscribe.clone().unwrap();
    let what = world.engine.unsubscribe(&token).await.unwrap();
    let expected = Subscription::Kind(AlertKind::UrgentMessage);
    assert_eq!(what, Unsubscribe { person_id: owner, business_id: shop.id, from: expected });
    let setting = async |kind| {
        let (_, membership) = world.engine.people().member(&world.at(&shop), owner).await.unwrap();
        membership.alert(kind)
    };
    assert_eq!(setting(AlertKind::UrgentMessage).await.email, AlertEmail::Off);
    assert!(setting(AlertKind::UrgentMessage).await.in_app);
    assert_eq!(setting(AlertKind::MessageTaken).await.email, AlertEmail::Now);
    let entries = async || world.at(&shop).audit(&first_page()).await.unwrap().items;
    let before = entries().await;
    assert_eq!(before[0].action.as_str(), "person.unsubscribed");
    assert_eq!(before[0].actor, Actor::Person(owner));
    world.engine.unsubscribe(&token).await.unwrap();
    assert_eq!(entries().await.len(), before.len(), "a second use of the link must change nothing");
    done(&world, &shop, message(Urgency::Urgent, None)).await;
    assert!(sent(&post).await.is_empty());
    // The link in a daily mail unsubscribes from all daily mails, but from no other mails.
    done(&world, &shop, shop.booking(at(3, 9), 1)).await;
    pass(60 * 24).await;
    let daily = post.take();
    world.engine.unsubscribe(daily[0].unsubscribe.as_ref().unwrap()).await.unwrap();
    assert_eq!(setting(AlertKind::AppointmentBooked).await.email, AlertEmail::Off);
    assert_eq!(setting(AlertKind::MessageTaken).await.email, AlertEmail::Now);
    // The link also works while the business is suspended. After the person has been removed, the use of the link still
    // succeeds.
    let suspend = |suspended| PatchBusiness { suspended: Some(suspended), ..PatchBusiness::default() };
    done(&world, &shop, suspend(true)).await;
    let every = Unsubscribe { from: Subscription::EveryNow, ..what };
    let token = world.engine.unsubscribe_token(&every);
    world.engine.unsubscribe(&token).await.unwrap();
    assert!(AlertKind::ALL.iter().len() == 11);
    for kind in AlertKind::ALL.iter().copied() {
        assert_eq!(setting(kind).await.email, AlertEmail::Off, "{kind}");
    }
    done(&world, &shop, RemoveMember { id: owner }).await;
    world.engine.unsubscribe(&token).await.unwrap();
    let none_of_ours = world.engine.unsubscribe("AAAA").await;
    assert_eq!(refusal(none_of_ours), Refusal::NotFound(Named::Subscription));
    let of_no_member = EndSubscription { id: owner, from: Subscription::EveryDaily };
    assert_eq!(
        refusal(world.at(&shop).change(by_operator(), of_no_member).await),
        Refusal::NotFound(Named::Person)
    );
}

pub(super) async fn invite(
    world: &World,
    shop: &Shop,
    by: Request,
    email: &str,
) -> Result<engine::people::Invited, EngineError> {
    let invitation = Invitation {
        email: Address::new(email).unwrap(),
        name: None,
        locale: None,
        role: Role::Admin,
        staff_id: None,
    };
    world.engine.people().invite(&world.at(shop), lately(world, by), invitation).await
}

#[tokio::test(start_paused = true)]
async fn an_invitation_is_mailed_once_and_makes_the_person_a_member() {
    let world = world().await;
    let (shop, other, post) = (world.shop(0).await, world.shop(0).await, Post::of(&world.engine));
    let owner = member(&world, &shop, "owner@example.com", (Role::Owner, None)).await;
    let boss = member(&world, &other, "boss@example.com", (Role::Owner, None)).await;
    assert!(sent(&post).await.is_empty(), "the operator gets the links, so no mail may be sent");
    let invited = invite(&world, &shop, by(owner), "Ada@example.com").await.unwrap();
    let letters = sent(&post).await;
    is(&recipients(&letters), &[("Ada@example.com", "invitation")]);
    let session = enter(&world, &letters[0].content).await;
    let ada = world.engine.people().session(&session).await.unwrap().unwrap().person.id;
    assert_eq!(invited.mail, Some((ada, MailKind::Invitation)));
    assert!(world.at(&shop).alerts(ada, &first_page()).await.is_ok(), "Ada must be a member");
    // A person with a confirmed account must accept the membership, even if the operator invites the
    // person.
    invite(&world, &other, by(boss), "ada@example.com").await.unwrap();
    is(&recipients(&sent(&post).await), &[("Ada@example.com", "offer")]);
    let third = world.shop(0).await;
    invite(&world, &third, by_operator(), "ada@example.com").await.unwrap();
    is(&recipients(&sent(&post).await), &[("Ada@example.com", "offer")]);
    // An invitation (to an address without an account) and an offer (to an address with an account) cannot be sent
    // again from the mail log. A request to resend either mail fails with the same error. So the log does not show
    // whether the address had an account.
    let mut said = Vec::new();
    for (of, who, kind) in [(&shop, owner, MailKind::Invitation), (&other, boss, MailKind::Offer)] {
        let log = world.engine.mail_log(of.id, None, 100).await.unwrap();
        assert_eq!((log.len(), log[0].kind), (1, kind));
        said.push(refusal(world.at(of).change(by(who), ResendMail { id: log[0].id }).await));
    }
    assert!(matches!(said[0], Refusal::Conflict { .. }));
    assert_eq!(said[0], said[1]);
    assert!(sent(&post).await.is_empty());
}

#[tokio::test(start_paused = true)]
async fn inviting_an_unconfirmed_account_mails_a_reset_without_a_log_entry() {
    let world = world().await;
    let (shop, other) = (world.shop(0).await, world.shop(0).await);
    let mallory = member(&world, &shop, "mallory@example.com", (Role::Owner, None)).await;
    let (_, session) = squatted(&world, &shop, mallory).await;
    let people = world.engine.people();
    let post = Post::of(&world.engine);
    let boss = member(&world, &other, "boss@example.com", (Role::Owner, None)).await;
    post.dies(true);
    let invited = invite(&world, &other, by(boss), "victim@example.com").await.unwrap();
    assert!(matches!(invited.mail, Some((_, MailKind::Reset))) && invited.link.is_none());
    assert!(world.engine.mail_log(other.id, None, 100).await.unwrap().is_empty());
    post.dies(false);
    pass(2).await;
    let letters = post.take();
    is(&recipients(&letters), &[("victim@example.com", "reset")]);
    assert!(world.engine.mail_log(other.id, None, 100).await.unwrap().is_empty());
    enter(&world, &letters[0].content).await;
    assert!(people.session(&session).await.unwrap().is_none(), "earlier sessions of the account must end");
}

#[tokio::test(start_paused = true)]
async fn a_business_mails_twenty_invitations_a_day_and_three_to_an_address() {
    let world = world().await;
    let post = Post::of(&world.engine);
    let mut shops = Vec::new();
    for number in 0..4 {
        let shop = world.shop(0).await;
        let owner = member(&world, &shop, &format!("{number}@owners.example.com"), (Role::Owner, None)).await;
        shops.push((shop, owner));
    }
    for (shop, owner) in &shops[..3] {
        invite(&world, shop, by(*owner), "ada@example.com").await.unwrap();
        assert!(matches!(
            refusal(invite(&world, shop, by(*owner), "ADA@example.com").await),
            Refusal::Conflict { conflict: Conflict::BelongsAlready, .. }
        ));
    }
    let (shop, owner) = &shops[3];
    let refused = refusal(invite(&world, shop, by(*owner), "Ada@example.com").await);
    let Refusal::Conflict { conflict, details } = refused else { panic!("{refused:?}") };
    assert_eq!(conflict, Conflict::InvitationsUsedUp(Wait::Hours(24)));
    assert_eq!(details[0].code, ProblemCode::NextIn(Wait::Hours(24)));
    for number in 0..20 {
        invite(&world, shop, by(*owner), &format!("{number}@example.com")).await.unwrap();
    }
    refusal(invite(&world, shop, by(*owner), "20@example.com").await);
    assert_eq!(sent(&post).await.len(), 23);
    let people = world.engine.people().of_business(&world.at(shop), &first_page()).await.unwrap();
    assert_eq!(people.items.len(), 21, "an address that gets no mail must not be invited");
    pass(60 * 24 + 1).await;
    invite(&world, shop, by(*owner), "ada@example.com").await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_reset_is_mailed_to_the_accounts_own_address_and_the_number_is_limited() {
    let world = world().await;
    let (shop, post) = (world.shop(0).await, Post::of(&world.engine));
    let owner = member(&world, &shop, "owner@example.com", (Role::Owner, None)).await;
    let people = world.engine.people();
    let forgotten = async |email: &str, source: &str| {
        people.mail_forgotten(&Address::new(email).unwrap(), source.parse().unwrap()).await.unwrap()
    };
    assert_eq!(forgotten("Owner@example.com", "192.0.2.1").await, Forgotten::Send);
    assert_eq!(
        forgotten("unknown@example.com", "192.0.2.1").await,
        Forgotten::Send,
        "an unknown address must get the same response"
    );
    let letters = sent(&post).await;
    is(&recipients(&letters), &[("owner@example.com", "reset")]);
    assert!(letters[0].business.is_none() && letters[0].unsubscribe.is_none());
    assert_eq!(forgotten("owner@example.com", "192.0.2.2").await, Forgotten::Repeated);
    assert!(sent(&post).await.is_empty());
    // The repeated request has not invalidated the link. The owner has no password yet, so the link sets the
    // first password.
    let seen = people.open_link(&token(&letters[0].content)).await.unwrap();
    assert_eq!((seen.person.id, seen.kind), (owner, LinkKind::Invitation));
    enter(&world, &letters[0].content).await;
    for _ in 0..8 {
        pass(11).await;
        forgotten("owner@example.com", "192.0.2.2").await;
    }
    let letters = post.take();
    assert_eq!(letters.len(), 4, "the limit is five mails a day");
    assert_eq!(people.open_link(&token(&letters[3].content)).await.unwrap().kind, LinkKind::Reset);
    assert!(
        people.open_link(&token(&letters[0].content)).await.is_err(),
        "a newer link must invalidate this one"
    );
    for number in 0..20 {
        assert_eq!(forgotten(&format!("{number}@example.com"), "192.0.2.9").await, Forgotten::Send);
    }
    assert!(matches!(forgotten("owner@example.com", "192.0.2.9").await, Forgotten::TooMany(_)));
    assert!(sent(&post).await.is_empty());
    assert!(world.engine.mail_log(shop.id, None, 100).await.unwrap().is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_new_address_gets_a_confirmation_mail_and_the_old_one_a_notice() {
    let world = world().await;
    let (shop, post) = (world.shop(0).await, Post::of(&world.engine));
    let owner = member(&world, &shop, "owner@example.com", (Role::Owner, None)).await;
    let boss = by(owner);
    invite(&world, &shop, boss, "ada@example.com").await.unwrap();
    let session = enter(&world, &sent(&post).await[0].content).await;
    let people = world.engine.people();
    people.change_email(&session, Address::new("new@example.com").unwrap()).await.unwrap();
    let first = sent(&post).await;
    is(&recipients(&first), &[("new@example.com", "email_change")]);
    // A new request invalidates the earlier link.
    people.change_email(&session, Address::new("newer@example.com").unwrap()).await.unwrap();
    let second = sent(&post).await;
    is(&recipients(&second), &[("newer@example.com", "email_change")]);
    assert_eq!(
        refusal(people.use_link(&token(&first[0].content), Client::default()).await),
        Refusal::Expired
    );
    // Only the session that requested the change can confirm the address. Another reader of the mail cannot,
    // even in a session of another account.
    let link = token(&second[0].content);
    let eve = member(&world, &shop, "eve@example.com", (Role::Member, None)).await;
    let eves = people.make_link(&world.at(&shop), by_operator(), (eve, Some(LinkKind::Enter))).await.unwrap();
    let eves = people.use_link(&eves.token.unwrap(), Client::default()).await.unwrap().session.unwrap();
    for somebody in [None, Some(&eves), Some(&link)] {
        assert!(matches!(refusal(people.prove_email(&link, somebody).await), Refusal::NotAllowed(_)));
    }
    assert!(matches!(refusal(people.use_link(&link, Client::default()).await), Refusal::NotAllowed(_)));
    let opened = people.prove_email(&link, Some(&session)).await.unwrap();
    assert!(
        people.session(&session).await.unwrap().is_some(),
        "sessions of a confirmed account must continue"
    );
    assert_eq!(
        refusal(people.prove_email(&link, Some(&session)).await),
        Refusal::Expired,
        "the link was already used"
    );
    everything_else_runs().await;
    is(&recipients(&sent(&post).await), &[("ada@example.com", "email_changed")]);
    let person = people.person(opened.person).await.unwrap().unwrap();
    assert_eq!((person.email.as_str(), person.confirmed), ("newer@example.com", true));
    pass(60).await;
    assert!(post.take().is_empty());
    assert!(
        world
            .engine
            .mail_log(shop.id, None, 100)
            .await
            .unwrap()
            .iter()
            .all(|mail| mail.kind == MailKind::Invitation)
    );
}
