//! The consent of customers to emails. The link in a mail stops the emails to the address that received this mail.
//! After a restore with the list of tombstones, each contact has the consent that was last set, even if it was set
//! after the backup.

use domain::{Actor, ContactDetails, ContactId, ContactPatch, Email, EmailConsent, Phone, TextConsent};
use engine::business::Request;
use engine::business::commands::contacts::{CreateContact, PatchContact};
use engine::business::commands::customers::{BookOnline, ManageToken};
use engine::business::commands::notices::{SetConsent, StopNotices};
use engine::{BusinessHandle, Engine, EngineError};
use store::Store;

use crate::harness::{Shop, World, at, by_operator, everything_else_runs, id_of, pass, text};
use crate::notices::{booking_by, token_of, world};
use crate::post::Post;
use crate::restoring::{backed_up, list};

const PHONE: &str = "+15550000001";

async fn contact(handle: &BusinessHandle, phone: &str, email: &str) -> ContactId {
    let details = ContactDetails {
        name: Some(text("Ada")),
        phone: Some(Phone::from_e164(phone.into()).unwrap()),
        email: Some(Email::new(email).unwrap()),
        ..ContactDetails::default()
    };
    id_of(&handle.change(by_operator(), CreateContact { details }).await.unwrap())
}

/// A booking for which the customer enters no email address. Its notices therefore go to the email address of the
/// contact.
fn by_phone(shop: &Shop, hour: i64) -> BookOnline {
    BookOnline { email: None, ..booking_by(shop, at(3, hour), 1, "unused@example.com") }
}

async fn stop(handle: &BusinessHandle, token: &ManageToken, all: bool) -> Result<EmailConsent, EngineError> {
    let stop = StopNotices { token: token.clone(), all };
    Ok(handle.change(Request::by(Actor::Customer), stop).await?.value.email)
}

async fn set(handle: &BusinessHandle, id: ContactId, email: EmailConsent) {
    let consent = SetConsent { id, email: Some(email), texts: Some(TextConsent::Refused) };
    handle.change(by_operator(), consent).await.unwrap();
}

async fn email_of(handle: &BusinessHandle, id: ContactId) -> EmailConsent {
    handle.consent(id).await.unwrap().email.unwrap()
}

async fn change_email(handle: &BusinessHandle, id: ContactId, email: &str) {
    let email = Some(Some(Email::new(email).unwrap()));
    let patch = ContactPatch { email, ..ContactPatch::default() };
    handle.change(by_operator(), PatchContact { id, patch }).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_link_stops_the_address_to_which_its_mail_went() {
    let (world, shop, post) = world().await;
    let handle = world.at(&shop);
    let ada = contact(&handle, PHONE, "old@example.com").await;
    let booked = handle.change(Request::by(Actor::Customer), by_phone(&shop, 9)).await.unwrap().value;
    let shown = ManageToken::parse(&booked.token.unwrap()).unwrap();
    pass(1).await;
    let letter = post.take().remove(0);
    assert_eq!(letter.to.address, "old@example.com");
    let old = token_of(&letter);
    change_email(&handle, ada, "new@example.com").await;
    // The former address now belongs to another contact.
    let ben = contact(&handle, "+15550000002", "Old@example.com").await;
    handle.change(Request::by(Actor::Customer), by_phone(&shop, 12)).await.unwrap();
    pass(1).await;
    let letter = post.take().remove(0);
    assert_eq!(letter.to.address, "new@example.com");
    let new = token_of(&letter);
    assert!(matches!(stop(&handle, &shown, true).await, Err(EngineError::Refused(_))));
    assert_eq!(stop(&handle, &old, true).await.unwrap(), EmailConsent::None);
    assert_eq!(email_of(&handle, ada).await, EmailConsent::All);
    assert_eq!(email_of(&handle, ben).await, EmailConsent::None);
    assert_eq!(stop(&handle, &new, false).await.unwrap(), EmailConsent::NoReminders);
    assert_eq!(email_of(&handle, ada).await, EmailConsent::NoReminders);
    // Consent belongs to the address: a contact that gets an address also gets the consent of this address.
    change_email(&handle, ben, "third@example.com").await;
    assert_eq!(email_of(&handle, ben).await, EmailConsent::All);
    change_email(&handle, ada, "old@example.com").await;
    assert_eq!(email_of(&handle, ada).await, EmailConsent::None);
    let booked = handle.change(Request::by(Actor::Customer), by_phone(&shop, 15)).await;
    booked.unwrap();
    pass(1).await;
    assert_eq!(post.take().len(), 0);
}

#[tokio::test]
async fn a_restore_repeats_the_consents_since_the_backup() {
    let world = World::new(41).await;
    let shop = world.shop(1).await;
    let post = Post::of(&world.engine);
    let handle = world.at(&shop);
    let address = |number: usize| format!("{number}@example.com");
    let mut contacts = Vec::new();
    for number in 0..4 {
        contacts.push(contact(&handle, &format!("+1555000000{}", number + 1), &address(number)).await);
    }
    let [before, by_link, by_team, again] = <[ContactId; 4]>::try_from(contacts).unwrap();
    handle
        .change(
            Request::by(Actor::Customer),
            BookOnline { email: None, ..booking_by(&shop, at(3, 9), 2, "x@y.example") },
        )
        .await
        .unwrap();
    let letter = loop {
        everything_else_runs().await;
        if let Some(letter) = post.take().pop() {
            break letter;
        }
    };
    assert_eq!(letter.to.address, address(1));
    set(&handle, before, EmailConsent::None).await;
    set(&handle, again, EmailConsent::None).await;
    let home = tempfile::tempdir().unwrap();
    let backup = home.path().join("backup");
    backed_up(&world, &backup).await;
    stop(&handle, &token_of(&letter), true).await.unwrap();
    set(&handle, by_team, EmailConsent::NoReminders).await;
    set(&handle, again, EmailConsent::All).await;
    let listed = home.path().join("list");
    list(&world, &listed);
    let all = [before, by_link, by_team, again];
    use EmailConsent::{All, NoReminders, None as Nothing};
    for (list, expected) in
        [(Some(&*listed), [Nothing, Nothing, NoReminders, All]), (None, [Nothing, All, All, Nothing])]
    {
        let to = home.path().join(if list.is_some() { "with" } else { "without" });
        engine::backup::restore(&backup, &to, list, false, &world.ports).await.unwrap();
        assert!(engine::verify::verify(&to).await.unwrap().is_whole());
        let store = Store::open_disk(&to, Box::new(|error| panic!("{error}"))).unwrap();
        let engine = Engine::start(store, world.ports.clone()).await.unwrap();
        let handle = engine.business(shop.id);
        for (id, expected) in all.into_iter().zip(expected) {
            assert_eq!(email_of(&handle, id).await, expected, "with the list: {}", list.is_some());
        }
        let texts = handle.consent(by_team).await.unwrap().texts;
        assert_eq!(texts == Some(TextConsent::Refused), list.is_some());
        // A restore without the list of tombstones ends all manage links, so the link in the mail no longer works.
        // After a restore with the list, the link still works.
        assert_eq!(stop(&handle, &token_of(&letter), false).await.is_ok(), list.is_some());
        engine.close().await.unwrap();
    }
}
