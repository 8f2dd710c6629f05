//! Alerts about calendars. A mail contains the name of a calendar only if the recipient may see the calendar.

use domain::{About, CalendarId, ResourceId};
use engine::mail::NewMail;
use engine::mail::letter::{Content, Letter};

use super::mailed::sent;
use super::*;
use crate::harness::calendar_of;
use crate::post::Post;

#[tokio::test(start_paused = true)]
async fn a_mail_names_no_calendar_that_the_person_no_longer_sees() {
    let world = world().await;
    let (shop, post) = (world.shop(1).await, Post::of(&world.engine));
    let own = shop.staff[0];
    let person_id = member(&world, &shop, "member@example.com", (Role::Member, Some(own))).await;
    let connect = calendar_of(own, "Therapy");
    let calendar = id_of::<CalendarId>(&done(&world, &shop, connect).await);
    let about = About { kind: AlertKind::CalendarFailed, id: calendar.uuid(), at: world.engine.now() };
    let mail = || NewMail {
        about: vec![about],
        more: 0,
        ..NewMail::of_membership(shop.id, person_id, domain::MailKind::Alert)
    };
    world.engine.queue_mail(mail()).await.unwrap();
    let shown = sent(&post).await;
    assert!(matches!(&shown[..], [Letter { content: Content::Alert(told), .. }] if told.kind == about.kind));
    let person = world.engine.people().person(person_id).await.unwrap().unwrap();
    let unlink = MembershipPatch { staff_id: Some(None), ..MembershipPatch::default() };
    done(&world, &shop, PatchMember { before: person.clone(), person, patch: unlink }).await;
    world.engine.queue_mail(mail()).await.unwrap();
    assert!(sent(&post).await.is_empty());
}
