//! Links in mails, and invitations by mail. Each link works only for its recipient.

use domain::{AccountPatch, Client, Denied, Locale, MailKind, PersonName};
use engine::mail::letter::Content;

use super::mailed::{PASSWORD, enter, invite, is, recipients, sent, squatted, token};
use super::*;
use crate::harness::{lately, pass};
use crate::post::Post;

/// Mallory knows the password of an unconfirmed account that has the victim's address. A business invites the victim's
/// address. Then Mallory replaces the account's address by Mallory's own address, and confirms the new address. The
/// invitation must not be mailed to the new address, and the account must not be able to accept the invitation.
#[tokio::test(start_paused = true)]
async fn an_offer_to_one_address_is_neither_mailed_to_nor_accepted_from_another() {
    let world = world().await;
    let (shop, other) = (world.shop(0).await, world.shop(0).await);
    let mallory = member(&world, &shop, "mallory@example.com", (Role::Owner, None)).await;
    let (victim, session) = squatted(&world, &shop, mallory).await;
    let people = world.engine.people();
    let post = Post::of(&world.engine);
    let boss = member(&world, &other, "boss@example.com", (Role::Owner, None)).await;
    post.dies(true);
    let invited = invite(&world, &other, by(boss), "victim@example.com").await.unwrap();
    assert!(matches!(invited.mail, Some((_, MailKind::Reset))));
    pass(1).await;
    let moved = people.change_email(&session, Address::new("evil@example.net").unwrap()).await;
    assert!(
        matches!(refusal(moved), Refusal::Conflict { .. }),
        "a change to the address would invalidate the mail to the victim"
    );
    // The mail to the victim is attempted at minutes 0, 1, 6 and 36, always with the same link. After this wait of
    // 100 minutes, the link has expired, and the next attempt is not due yet.
    pass(100).await;
    post.dies(false);
    let network = std::net::IpAddr::from([192, 0, 2, 1]);
    people.give_password(&session, PASSWORD, network).await.unwrap();
    people.change_email(&session, Address::new("evil@example.net").unwrap()).await.unwrap();
    pass(1).await;
    let letters = post.take();
    is(&recipients(&letters), &[("evil@example.net", "email_change")]);
    people.prove_email(&token(&letters[0].content), Some(&session)).await.unwrap();
    assert!(people.person(victim).await.unwrap().unwrap().confirmed);
    let accepted = people.accept(&world.at(&other), &session).await;
    assert!(matches!(refusal(accepted), Refusal::NotAllowed(Denied::OfferedElsewhere)));
    let active = MembershipPatch { active: Some(true), ..MembershipPatch::default() };
    let let_in = people.patch_member(&world.at(&other), by_operator(), (victim, active, None)).await;
    assert!(matches!(refusal(let_in), Refusal::Conflict { .. }));
    pass(26 * 60).await;
    is(&recipients(&post.take()), &[("victim@example.com", "email_changed")]);
    let shown = people.of_business(&world.at(&other), &first_page()).await.unwrap().items;
    let shown = shown.iter().find(|one| one.id == victim).unwrap();
    assert_eq!(shown.email, "victim@example.com", "the business must not see the account's new address");
    // After the first invitation is withdrawn, a new invitation to the victim's address creates another account.
    world.at(&other).change(lately(&world, by(boss)), RemoveMember { id: victim }).await.unwrap();
    let again = invite(&world, &other, by(boss), "victim@example.com").await.unwrap();
    assert!(matches!(again.mail, Some((id, MailKind::Invitation)) if id != victim));
}

#[tokio::test(start_paused = true)]
async fn all_attempts_at_a_mail_contain_the_same_link_and_a_used_link_is_not_renewed() {
    let world = world().await;
    let (shop, post) = (world.shop(0).await, Post::of(&world.engine));
    let owner = member(&world, &shop, "owner@example.com", (Role::Owner, None)).await;
    let people = world.engine.people();
    post.dies(true);
    invite(&world, &shop, by(owner), "ada@example.com").await.unwrap();
    let attempt = || match &post.made()[..] {
        [letter] => letter.content.clone(),
        letters => panic!("{letters:?}"),
    };
    assert!(sent(&post).await.is_empty());
    let first = attempt();
    pass(2).await;
    let second = attempt();
    let (Content::Invitation(one), Content::Invitation(other)) = (&first, &second) else {
        panic!("{first:?} {second:?}")
    };
    assert!(one.expires_at < other.expires_at, "the second mail must come from another attempt");
    assert_eq!(one.url, other.url, "both mails must have the same link, in case a mailbox drops duplicates");
    // The relay may have delivered the mail although the attempt failed, so the link must work.
    let opened = people.use_link(&token(&first), Client::default()).await.unwrap();
    post.dies(false);
    pass(26 * 60).await;
    assert!(post.take().is_empty(), "no mail with a used link may be sent");
    assert_eq!(refusal(people.use_link(&token(&first), Client::default()).await), Refusal::Expired);
    assert!(people.session(&opened.session.unwrap()).await.unwrap().is_none());
}

#[tokio::test(start_paused = true)]
async fn a_waiting_link_is_invalid_after_a_new_password_address_or_link() {
    for what in ["password", "operator"] {
        let world = world().await;
        let (shop, post) = (world.shop(0).await, Post::of(&world.engine));
        let boss = member(&world, &shop, "owner@example.com", (Role::Owner, None)).await;
        invite(&world, &shop, by(boss), "ada@example.com").await.unwrap();
        let session = enter(&world, &sent(&post).await[0].content).await;
        let people = world.engine.people();
        let ada = people.session(&session).await.unwrap().unwrap().person.id;
        post.dies(true);
        people
            .mail_forgotten(&Address::new("ada@example.com").unwrap(), "192.0.2.1".parse().unwrap())
            .await
            .unwrap();
        pass(1).await;
        let handed = match what {
            "password" => {
                people.set_password(&session, "gargle fjord zipper amount").await.unwrap();
                None
            }
            _ => people.make_link(&world.at(&shop), by_operator(), (ada, None)).await.unwrap().token,
        };
        post.dies(false);
        pass(40).await;
        assert!(post.take().is_empty(), "{what}");
        if let Some(handed) = handed {
            assert!(
                people.open_link(&handed).await.is_ok(),
                "the link that the operator received must still be valid"
            );
        }
        // A mail with a new link is still possible: a reset that is requested now is mailed.
        people
            .mail_forgotten(&Address::new("ada@example.com").unwrap(), "192.0.2.1".parse().unwrap())
            .await
            .unwrap();
        is(&recipients(&sent(&post).await), &[("ada@example.com", "reset")]);
    }
}

#[tokio::test(start_paused = true)]
async fn an_invitation_does_not_reveal_an_account_before_its_person_accepts() {
    let world = world().await;
    let (shop, other, post) = (world.shop(0).await, world.shop(0).await, Post::of(&world.engine));
    let boss = member(&world, &shop, "boss@example.com", (Role::Owner, None)).await;
    let eve = member(&world, &other, "eve@example.com", (Role::Owner, None)).await;
    invite(&world, &shop, by(boss), "Ada@Example.com").await.unwrap();
    let session = enter(&world, &sent(&post).await[0].content).await;
    let people = world.engine.people();
    let ada = people.session(&session).await.unwrap().unwrap().person.id;
    people
        .change_own(
            ada,
            AccountPatch {
                locale: Some(Locale::Fr),
                ..AccountPatch::named(PersonName::new("Ada Lovelace".to_owned()).unwrap())
            },
        )
        .await
        .unwrap();
    pass(60).await;
    let answer = |invited: &engine::people::Invited| {
        let mut shown = json(&invited.answer);
        for (field, hidden) in [("id", "id"), ("email", "email")] {
            shown[field] = hidden.into();
        }
        shown
    };
    let known = invite(&world, &other, by(eve), "ada@example.com").await.unwrap();
    let unknown = invite(&world, &other, by(eve), "new@example.com").await.unwrap();
    assert_eq!(answer(&known), answer(&unknown));
    let of_list = async || {
        let shown = people.of_business(&world.at(&other), &first_page()).await.unwrap().items;
        shown.into_iter().find(|one| one.id == ada).unwrap()
    };
    let shown = of_list().await;
    assert_eq!((shown.name.as_str(), shown.email.as_str()), ("", "ada@example.com"));
    assert!(shown.last_sign_in_at.is_none() && shown.locale == Locale::En);
    people.accept(&world.at(&other), &session).await.unwrap();
    let shown = of_list().await;
    assert_eq!((shown.name.as_str(), shown.email.as_str()), ("Ada Lovelace", "Ada@Example.com"));
    assert!(shown.last_sign_in_at.is_some());
}

#[tokio::test(start_paused = true)]
async fn an_account_may_request_five_addresses_a_day_and_an_address_gets_three_mails() {
    let world = world().await;
    let (shop, post) = (world.shop(0).await, Post::of(&world.engine));
    let boss = member(&world, &shop, "boss@example.com", (Role::Owner, None)).await;
    let people = world.engine.people();
    invite(&world, &shop, by(boss), "ada@example.com").await.unwrap();
    let session = enter(&world, &sent(&post).await[0].content).await;
    let ask = async |email: &str| people.change_email(&session, Address::new(email).unwrap()).await;
    for email in ["A@example.net", "a@example.net", "a@EXAMPLE.net"] {
        ask(email).await.unwrap();
    }
    assert!(matches!(refusal(ask("a@example.net").await), Refusal::Conflict { .. }));
    ask("b@example.net").await.unwrap();
    ask("c@example.net").await.unwrap();
    assert!(matches!(refusal(ask("d@example.net").await), Refusal::Conflict { .. }));
    assert!(sent(&post).await.len() <= 5);
}
