//! Notices to customers by email: their causes, the reasons why a notice is not sent, and their log.

use std::sync::Arc;

use domain::booking::{BookRequest, MoveRequest, Party};
use domain::{
    Actor, AppointmentId, DropReason, Email, EmailConsent, Locale, NoticeKind, NoticeScope, NoticeStatus,
    Phone, ProblemCode, Refusal, Source, Timestamp,
};
use engine::business::commands::appointments::{Cancel, Reschedule};
use engine::business::commands::customers::{BookOnline, CancelByLink, ManageToken, MoveByLink};
use engine::business::commands::erasure::EraseContact;
use engine::business::commands::notices::{SendNoticeAgain, SetConsent, StopNotices};
use engine::business::commands::profile::PatchBusiness;
use engine::business::commands::website::PatchNotices;
use engine::business::{NoticeFilter, Request};
use engine::mail::letter::{Content, Letter, NoticeLetter};
use engine::{BusinessHandle, EngineError};
use store::keys::kind;
use store::{Order, keys};
use view::NoticeView;

use crate::harness::{Shop, World, at, by_operator, first_page, pass, text};
use crate::post::{Mood, Post};

pub(crate) const EMAIL: &str = "ada@example.com";

pub(crate) fn booking_by(shop: &Shop, starts_at: Timestamp, number: u32, email: &str) -> BookOnline {
    BookOnline {
        request: BookRequest {
            service_id: shop.service,
            starts_at,
            staff_id: Some(shop.staff[0]),
            source: Source::Website,
            party: Party::TEAM,
            duration: None,
        },
        name: text("Ada"),
        phone: Some(Phone::from_e164(format!("+1555{number:07}")).unwrap()),
        email: Some(Email::new(email).unwrap()),
        note: None,
        locale: Locale::Fr,
        texts: false,
    }
}

pub(crate) async fn book_by(
    handle: &BusinessHandle,
    shop: &Shop,
    starts_at: Timestamp,
    number: u32,
    email: &str,
) -> AppointmentId {
    let booking = booking_by(shop, starts_at, number, email);
    handle.change(Request::by(Actor::Customer), booking).await.unwrap().value.appointment_id
}

pub(crate) async fn book(world: &World, shop: &Shop, starts_at: Timestamp) -> AppointmentId {
    book_by(&world.at(shop), shop, starts_at, 1, EMAIL).await
}

pub(crate) async fn move_to(handle: &BusinessHandle, id: AppointmentId, starts_at: Timestamp) {
    let request = MoveRequest { starts_at, staff_id: None, party: Party::TEAM, duration: None };
    handle.change(by_operator(), Reschedule { id, request }).await.unwrap();
}

pub(crate) async fn log_of(handle: &BusinessHandle, filter: &NoticeFilter) -> Vec<NoticeView> {
    handle.notices(filter, &first_page()).await.unwrap().items
}

/// The kind, the status and the reason of each notice, oldest first.
pub(crate) async fn log(handle: &BusinessHandle) -> Vec<(NoticeKind, NoticeStatus, Option<DropReason>)> {
    let notices = log_of(handle, &NoticeFilter::default()).await;
    notices.iter().rev().map(|notice| (notice.kind, notice.status, notice.reason)).collect()
}

pub(crate) fn notice(letter: &Letter) -> &NoticeLetter {
    match &letter.content {
        Content::Notice(notice) => notice,
        other => panic!("{other:?}"),
    }
}

pub(crate) fn kinds(letters: &[Letter]) -> Vec<NoticeKind> {
    letters.iter().map(|letter| notice(letter).kind).collect()
}

pub(crate) fn token_of(letter: &Letter) -> ManageToken {
    let token = notice(letter).manage.url.strip_prefix("https://desk.example.com/book/manage/").unwrap();
    ManageToken::parse(token).unwrap()
}

async fn seconds(seconds: u64) {
    tokio::time::sleep(std::time::Duration::from_secs(seconds)).await;
}

pub(crate) async fn world() -> (World, Shop, Arc<Post>) {
    let world = World::new(11).await;
    let shop = world.shop(1).await;
    let post = Post::of(&world.engine);
    (world, shop, post)
}

use DropReason::{Ended, Limit, NoAddress, OptedOut, Superseded};
use NoticeKind::{Cancelled, Confirmed, Moved, Reminder};
use NoticeStatus::{Dropped, Failed, Sent, Waiting};

#[tokio::test(start_paused = true)]
async fn each_change_of_an_appointment_is_announced_once() {
    let (world, shop, post) = world().await;
    let handle = world.at(&shop);
    let id = book(&world, &shop, at(3, 10)).await;
    pass(1).await;
    let letters = post.take();
    assert_eq!(kinds(&letters), [Confirmed]);
    let letter = &letters[0];
    assert_eq!(
        (letter.to.address.as_str(), letter.to.locale, letter.to.name.as_str()),
        (EMAIL, Locale::Fr, "")
    );
    assert_eq!(notice(letter).appointment.id, id);
    assert_eq!(notice(letter).service.as_deref(), Some("Cut"));
    // A change that the customer makes with the link in the mail is announced at once. A change by the team
    // is announced after 15 seconds.
    let token = token_of(letter);
    let moved = MoveByLink { token: token.clone(), starts_at: at(3, 12), expected_starts_at: at(3, 10) };
    handle.change(Request::by(Actor::Customer), moved).await.unwrap();
    seconds(1).await;
    assert_eq!(kinds(&post.take()), [Moved]);
    move_to(&handle, id, at(3, 14)).await;
    seconds(14).await;
    assert_eq!(post.take().len(), 0);
    seconds(2).await;
    assert_eq!(kinds(&post.take()), [Moved]);
    let cancelled = CancelByLink { token, expected_starts_at: at(3, 14) };
    handle.change(Request::by(Actor::Customer), cancelled).await.unwrap();
    pass(1).await;
    assert_eq!(kinds(&post.take()), [Cancelled]);
    pass(4 * 24 * 60).await;
    assert_eq!(post.take().len(), 0, "no reminder of a cancelled appointment may be sent");
    assert!(log(&handle).await.iter().all(|(kind, status, _)| match kind {
        Reminder => *status == Dropped,
        _ => *status == Sent,
    }));
}

#[tokio::test(start_paused = true)]
async fn without_a_relay_or_outside_the_setting_no_notice_is_written() {
    let world = World::new(12).await;
    let shop = world.shop(1).await;
    let handle = world.at(&shop);
    book(&world, &shop, at(3, 10)).await;
    assert_eq!(log(&handle).await, []);
    let post = Post::of(&world.engine);
    handle.change(by_operator(), shop.booking(at(3, 12), 2)).await.unwrap();
    assert_eq!(log(&handle).await, [], "a booking by an integration must cause no notice");
    let off = PatchNotices { email: Some(NoticeScope::Off), ..PatchNotices::default() };
    handle.change(by_operator(), off).await.unwrap();
    book(&world, &shop, at(3, 14)).await;
    let all = PatchNotices { email: Some(NoticeScope::All), ..PatchNotices::default() };
    handle.change(by_operator(), all).await.unwrap();
    handle.change(by_operator(), shop.booking(at(3, 16), 2)).await.unwrap();
    pass(1).await;
    let confirmed: Vec<_> = log(&handle).await.into_iter().filter(|it| it.0 == Confirmed).collect();
    assert_eq!(
        confirmed,
        [(Confirmed, Dropped, Some(NoAddress))],
        "a contact without an email address must get no notice"
    );
    assert_eq!(post.take().len(), 0);
}

#[tokio::test(start_paused = true)]
async fn a_reminder_comes_once_at_its_hour_and_follows_the_appointment() {
    let (world, shop, post) = world().await;
    let handle = world.at(&shop);
    let hours = PatchNotices { reminder_hours: Some(vec![24, 2]), ..PatchNotices::default() };
    handle.change(by_operator(), hours).await.unwrap();
    let id = book(&world, &shop, at(3, 10)).await;
    pass(1).await;
    move_to(&handle, id, at(4, 10)).await;
    pass(60 * 24).await;
    assert_eq!(kinds(&post.take()), [Confirmed, Moved]);
    // The appointment is moved away and back, which adds no second pair of reminders.
    move_to(&handle, id, at(5, 10)).await;
    pass(1).await;
    move_to(&handle, id, at(4, 10)).await;
    pass(1).await;
    assert_eq!(kinds(&post.take()), [Moved, Moved]);
    let until = (at(3, 10) - world.engine.now()).num_minutes() as u64;
    pass(until - 5).await;
    assert_eq!(post.take().len(), 0);
    pass(10).await;
    assert_eq!(kinds(&post.take()), [Reminder]);
    move_to(&handle, id, at(4, 11)).await;
    pass(1).await;
    move_to(&handle, id, at(4, 10)).await;
    pass(60 * 21).await;
    assert_eq!(kinds(&post.take()), [Moved, Moved], "a second reminder of the same start must not be sent");
    pass(60).await;
    assert_eq!(kinds(&post.take()), [Reminder], "the reminder two hours before the start must be sent");
    pass(60 * 48).await;
    assert_eq!(post.take().len(), 0);
    let short = book(&world, &shop, at(7, 4)).await;
    let filter = NoticeFilter { appointment_id: Some(short), ..NoticeFilter::default() };
    let made: Vec<_> = log_of(&handle, &filter).await.into_iter().map(|notice| notice.kind).collect();
    assert_eq!(made, [Reminder, Confirmed], "no reminder may be due before the booking");
}

#[tokio::test(start_paused = true)]
async fn a_change_that_the_team_takes_back_is_not_announced() {
    let (world, shop, post) = world().await;
    let handle = world.at(&shop);
    let none = PatchNotices { reminder_hours: Some(Vec::new()), ..PatchNotices::default() };
    handle.change(by_operator(), none).await.unwrap();
    let id = book(&world, &shop, at(3, 10)).await;
    pass(1).await;
    assert_eq!(post.take().len(), 1);
    move_to(&handle, id, at(3, 12)).await;
    move_to(&handle, id, at(3, 10)).await;
    seconds(1).await;
    let dropped = (Moved, Dropped, Some(Superseded));
    assert_eq!(
        log(&handle).await,
        [(Confirmed, Sent, None), dropped, dropped],
        "both notices must be dropped before they are due"
    );
    pass(1).await;
    assert_eq!(post.take().len(), 0);
    // The notice of the first move is never sent, because only the last state is announced.
    move_to(&handle, id, at(3, 12)).await;
    move_to(&handle, id, at(3, 14)).await;
    pass(1).await;
    let letters = post.take();
    assert_eq!(letters.iter().map(|it| notice(it).appointment.starts_at).collect::<Vec<_>>(), [at(3, 14)]);
}

#[tokio::test(start_paused = true)]
async fn an_undone_move_is_announced_if_it_overtook_the_notice_of_the_booking() {
    let (world, shop, post) = world().await;
    let handle = world.at(&shop);
    let email = PatchNotices {
        email: Some(NoticeScope::All),
        reminder_hours: Some(Vec::new()),
        ..PatchNotices::default()
    };
    handle.change(by_operator(), email).await.unwrap();
    let booking = booking_by(&shop, at(3, 10), 1, EMAIL);
    let id = handle.change(by_operator(), booking).await.unwrap().value.appointment_id;
    seconds(5).await;
    move_to(&handle, id, at(3, 12)).await;
    seconds(5).await;
    move_to(&handle, id, at(3, 10)).await;
    pass(1).await;
    assert_eq!(kinds(&post.take()), [Moved], "the move must be announced, because the booking was not");
}

#[tokio::test(start_paused = true)]
async fn an_undone_move_is_not_announced_if_the_booking_was_not() {
    let (world, shop, post) = world().await;
    let handle = world.at(&shop);
    let email = |scope| PatchNotices {
        email: Some(scope),
        reminder_hours: Some(Vec::new()),
        ..PatchNotices::default()
    };
    handle.change(by_operator(), email(NoticeScope::Off)).await.unwrap();
    let id = book(&world, &shop, at(3, 10)).await;
    handle.change(by_operator(), email(NoticeScope::All)).await.unwrap();
    move_to(&handle, id, at(3, 12)).await;
    seconds(8).await;
    move_to(&handle, id, at(3, 10)).await;
    pass(1).await;
    assert_eq!(post.take().len(), 0, "a reverted move must not be announced");
    let dropped = (Moved, Dropped, Some(Superseded));
    assert_eq!(log(&handle).await, [dropped, dropped]);
    move_to(&handle, id, at(3, 12)).await;
    pass(1).await;
    assert_eq!(kinds(&post.take()), [Moved]);
}

#[tokio::test(start_paused = true)]
async fn a_move_that_an_opted_out_customer_missed_is_announced_after_an_undone_move() {
    let (world, shop, post) = world().await;
    let handle = world.at(&shop);
    let none = PatchNotices { reminder_hours: Some(Vec::new()), ..PatchNotices::default() };
    handle.change(by_operator(), none).await.unwrap();
    let first = BookOnline { phone: None, ..booking_by(&shop, at(3, 16), 1, EMAIL) };
    handle.change(Request::by(Actor::Customer), first).await.unwrap();
    pass(1).await;
    let contact = notice(&post.take()[0]).appointment.contact_id.unwrap();
    let consent = |email| SetConsent { id: contact, email: Some(email), texts: None };
    handle.change(by_operator(), consent(EmailConsent::None)).await.unwrap();
    let id = book(&world, &shop, at(3, 10)).await;
    pass(1).await;
    move_to(&handle, id, at(3, 12)).await;
    pass(1).await;
    handle.change(by_operator(), consent(EmailConsent::All)).await.unwrap();
    move_to(&handle, id, at(3, 14)).await;
    seconds(8).await;
    move_to(&handle, id, at(3, 12)).await;
    pass(1).await;
    assert_eq!(kinds(&post.take()), [Moved], "only the last move must be announced");
}

#[tokio::test(start_paused = true)]
async fn a_notice_survives_a_crash_with_its_message_id() {
    let (mut world, shop, post) = world().await;
    post.dies(true);
    book(&world, &shop, at(3, 10)).await;
    pass(1).await;
    let id = post.made().remove(0).message_id;
    world.crash(0).await;
    post.begin(&world.engine);
    post.dies(false);
    pass(10).await;
    let letters = post.take();
    assert_eq!(kinds(&letters), [Confirmed]);
    assert_eq!(letters[0].message_id, id);
}

#[tokio::test(start_paused = true)]
async fn a_restored_state_is_announced_if_a_notice_in_between_may_have_arrived() {
    let (mut world, shop, post) = world().await;
    let id = book(&world, &shop, at(3, 10)).await;
    pass(1).await;
    post.becomes(Mood::Silent);
    move_to(&world.at(&shop), id, at(3, 12)).await;
    seconds(20).await;
    assert_eq!(kinds(&post.take()), [Confirmed, Moved]);
    world.crash(0).await;
    post.dies(true);
    post.begin(&world.engine);
    seconds(1).await;
    move_to(&world.at(&shop), id, at(3, 10)).await;
    pass(1).await;
    post.dies(false);
    pass(60).await;
    let starts: Vec<_> = post.take().iter().map(|letter| notice(letter).appointment.starts_at).collect();
    assert_eq!(starts, [at(3, 10)]);
}

#[tokio::test(start_paused = true)]
async fn the_notices_of_an_appointment_arrive_in_their_order() {
    let (world, shop, post) = world().await;
    let handle = world.at(&shop);
    post.becomes(Mood::Slow(std::time::Duration::from_secs(10)));
    let booked = handle.change(Request::by(Actor::Customer), booking_by(&shop, at(3, 10), 1, EMAIL)).await;
    let token = ManageToken::parse(&booked.unwrap().value.token.unwrap()).unwrap();
    seconds(1).await;
    post.becomes(Mood::Well);
    let moved = MoveByLink { token, starts_at: at(3, 12), expected_starts_at: at(3, 10) };
    handle.change(Request::by(Actor::Customer), moved).await.unwrap();
    book_by(&handle, &shop, at(3, 16), 2, "other@example.com").await;
    seconds(5).await;
    assert_eq!(kinds(&post.take()), [Confirmed], "the notice about the other appointment must not wait");
    seconds(10).await;
    assert_eq!(kinds(&post.take()), [Confirmed, Moved]);
}

#[tokio::test(start_paused = true)]
async fn a_notice_whose_attempts_are_interrupted_is_counted_once() {
    let (mut world, shop, post) = world().await;
    post.becomes(Mood::Silent);
    book(&world, &shop, at(3, 10)).await;
    for _ in 0..8 {
        seconds(5).await;
        world.crash(0).await;
        post.begin(&world.engine);
    }
    post.becomes(Mood::Well);
    pass(2).await;
    assert_eq!(log(&world.at(&shop)).await[0], (Confirmed, Sent, None));
}

#[tokio::test(start_paused = true)]
async fn a_customer_stops_reminders_or_all_mails_of_a_business() {
    let (world, shop, post) = world().await;
    let handle = world.at(&shop);
    let booked = handle.change(Request::by(Actor::Customer), booking_by(&shop, at(3, 10), 1, EMAIL)).await;
    let shown = ManageToken::parse(&booked.unwrap().value.token.unwrap()).unwrap();
    pass(1).await;
    let token = token_of(&post.take()[0]);
    let stop = async |token: &ManageToken, all| {
        handle.change(Request::by(Actor::Customer), StopNotices { token: token.clone(), all }).await
    };
    assert!(stop(&shown, true).await.is_err(), "a link that a page showed must not stop mails to an address");
    assert_eq!(stop(&token, false).await.unwrap().value.email, EmailConsent::NoReminders);
    book_by(&handle, &shop, at(3, 12), 1, "Ada@Example.com").await;
    pass(4 * 24 * 60).await;
    assert_eq!(kinds(&post.take()), [Confirmed], "reminders must be stopped for later appointments too");
    assert!(log(&handle).await.contains(&(Reminder, Dropped, Some(OptedOut))));
    assert_eq!(stop(&token, true).await.unwrap().value.email, EmailConsent::None);
    assert_eq!(stop(&token, false).await.unwrap().value.email, EmailConsent::None);
    let start = at(4, 12);
    book(&world, &shop, start).await;
    pass(1).await;
    assert_eq!(post.take().len(), 0);
    assert_eq!(log(&handle).await.pop(), Some((Confirmed, Dropped, Some(OptedOut))));
    // The customer still gets mails of another business.
    let other = world.shop(1).await;
    book_by(&world.at(&other), &other, start, 1, EMAIL).await;
    pass(1).await;
    assert_eq!(kinds(&post.take()), [Confirmed]);
}

#[tokio::test(start_paused = true)]
async fn the_team_sees_and_sets_the_consent_of_a_contact() {
    let (world, shop, post) = world().await;
    let handle = world.at(&shop);
    let new = BookOnline { phone: None, ..booking_by(&shop, at(3, 10), 1, EMAIL) };
    handle.change(Request::by(Actor::Customer), new).await.unwrap();
    pass(1).await;
    let letters = post.take();
    let contact = notice(&letters[0]).appointment.contact_id.unwrap();
    let shown = handle.consent(contact).await.unwrap();
    assert_eq!((shown.email, shown.texts), (Some(EmailConsent::All), None));
    let stop = StopNotices { token: token_of(&letters[0]), all: true };
    handle.change(Request::by(Actor::Customer), stop).await.unwrap();
    assert_eq!(handle.consent(contact).await.unwrap().email, Some(EmailConsent::None));
    let all = SetConsent { id: contact, email: Some(EmailConsent::All), texts: None };
    handle.change(by_operator(), all).await.unwrap();
    book(&world, &shop, at(3, 12)).await;
    pass(1).await;
    assert_eq!(kinds(&post.take()), [Confirmed]);
    let texts = SetConsent { id: contact, email: None, texts: Some(domain::TextConsent::Given) };
    let refused = Refusal::invalid("texts", ProblemCode::NotNull);
    let answer = handle.change(by_operator(), texts).await.map(|_| ());
    assert!(matches!(answer, Err(EngineError::Refused(refusal)) if refusal == refused));
}

#[tokio::test(start_paused = true)]
async fn an_address_gets_six_notices_of_customers_a_day_across_businesses_and_restarts() {
    let (mut world, shop, post) = world().await;
    let other = world.shop(1).await;
    let in_shop = async |world: &World, shop: &Shop, hour| {
        book_by(&world.at(shop), shop, at(9, hour), 1, EMAIL).await;
        pass(1).await;
    };
    for hour in 0..3 {
        in_shop(&world, &shop, hour).await;
        in_shop(&world, &other, hour).await;
    }
    assert_eq!(post.take().len(), 6);
    world.restart().await;
    post.begin(&world.engine);
    in_shop(&world, &shop, 4).await;
    assert_eq!(post.take().len(), 0);
    let confirmed: Vec<_> = log(&world.at(&shop)).await.into_iter().filter(|it| it.0 == Confirmed).collect();
    assert_eq!(confirmed.last(), Some(&(Confirmed, Dropped, Some(Limit))));
    book_by(&world.at(&shop), &shop, at(9, 5), 2, "other@example.com").await;
    pass(1).await;
    assert_eq!(post.take().len(), 1, "the limit of one address must not affect another address");
    // An address gets at most 20 notices a day in total. It has already got six, so it gets only 14 of the notices
    // about the 16 moves by the team.
    let id = book_by(&world.at(&shop), &shop, at(9, 6), 1, EMAIL).await;
    for hour in 0..16 {
        move_to(&world.at(&shop), id, at(10, hour)).await;
        pass(1).await;
    }
    assert_eq!(post.take().len(), 14);
    pass(24 * 60).await;
    in_shop(&world, &other, 12).await;
    assert_eq!(post.take().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn notices_of_a_suspended_business_wait_until_the_start() {
    let (world, shop, post) = world().await;
    let handle = world.at(&shop);
    let none = PatchNotices { reminder_hours: Some(Vec::new()), ..PatchNotices::default() };
    handle.change(by_operator(), none).await.unwrap();
    post.dies(true);
    book(&world, &shop, at(0, 11)).await;
    book_by(&handle, &shop, at(1, 11), 2, "b@example.com").await;
    handle.change(by_operator(), PatchBusiness::suspending(true)).await.unwrap();
    post.dies(false);
    pass(4 * 60).await;
    assert_eq!(post.take().len(), 0);
    handle.change(by_operator(), PatchBusiness::suspending(false)).await.unwrap();
    pass(11).await;
    let letters = post.take();
    assert_eq!(kinds(&letters), [Confirmed]);
    assert_eq!(letters[0].to.address, "b@example.com");
    assert!(log(&handle).await.contains(&(Confirmed, Dropped, Some(Ended))));
}

#[tokio::test(start_paused = true)]
async fn an_erasure_removes_addresses_from_the_log_and_drops_the_rest() {
    let (world, shop, post) = world().await;
    let handle = world.at(&shop);
    book(&world, &shop, at(3, 10)).await;
    pass(1).await;
    let contact = notice(&post.take()[0]).appointment.contact_id.unwrap();
    let to = |notices: Vec<NoticeView>| notices.into_iter().filter_map(|notice| notice.to).count();
    assert_eq!(to(log_of(&handle, &NoticeFilter::default()).await), 1);
    handle.change(by_operator(), EraseContact { id: contact }).await.unwrap();
    pass(5).await;
    assert_eq!(to(log_of(&handle, &NoticeFilter::default()).await), 0);
    assert_eq!(log(&handle).await, [(Confirmed, Sent, None), (Reminder, Dropped, Some(NoAddress))]);
}

#[tokio::test(start_paused = true)]
async fn an_erasure_during_an_attempt_leaves_no_address() {
    let (world, shop, post) = world().await;
    let handle = world.at(&shop);
    post.becomes(Mood::Slow(std::time::Duration::from_secs(30)));
    book(&world, &shop, at(3, 10)).await;
    seconds(1).await;
    let Content::Notice(made) = post.made().remove(0).content else { panic!("the mail must be a notice") };
    let id = made.appointment.contact_id.unwrap();
    handle.change(by_operator(), EraseContact { id }).await.unwrap();
    pass(5).await;
    assert_eq!(kinds(&post.take()), [Confirmed]);
    assert_eq!(log(&handle).await[0], (Confirmed, Sent, None));
    let notices = log_of(&handle, &NoticeFilter::default()).await;
    assert!(notices.iter().all(|notice| notice.to.is_none()), "{notices:?}");
}

#[tokio::test(start_paused = true)]
async fn a_notice_of_the_log_can_be_sent_again_in_the_present_state() {
    let (world, shop, post) = world().await;
    let handle = world.at(&shop);
    let id = book(&world, &shop, at(3, 10)).await;
    let first = NoticeFilter { kind: Some(Confirmed), ..NoticeFilter::default() };
    pass(1).await;
    post.take();
    let notice_id = log_of(&handle, &first).await[0].id;
    let again = handle.change(by_operator(), SendNoticeAgain { id: notice_id }).await.unwrap().value;
    assert_eq!((again.kind, again.status), (Confirmed, Waiting));
    pass(1).await;
    assert_eq!(kinds(&post.take()), [Confirmed]);
    let waiting = NoticeFilter { status: Some(Waiting), ..NoticeFilter::default() };
    let reminder = log_of(&handle, &waiting).await;
    assert_eq!(reminder.iter().map(|it| it.kind).collect::<Vec<_>>(), [Reminder]);
    let refused = handle.change(by_operator(), SendNoticeAgain { id: reminder[0].id }).await;
    assert!(matches!(refused, Err(EngineError::Refused(_))), "it waits");
    handle.change(by_operator(), Cancel { id }).await.unwrap();
    pass(1).await;
    assert_eq!(kinds(&post.take()), [Cancelled]);
    handle.change(by_operator(), SendNoticeAgain { id: notice_id }).await.unwrap();
    pass(1).await;
    assert_eq!(kinds(&post.take()), [Cancelled]);
    assert_eq!(
        world.engine.mail_log(shop.id, None, 100).await.unwrap().len(),
        0,
        "the log of the team's mails must contain no notice"
    );
    assert!(log(&handle).await.iter().all(|(_, status, _)| *status != Failed));
    pass(31 * 24 * 60).await;
    assert_eq!(log(&handle).await, []);
    pass(4 * 24 * 60).await;
    world.engine.clone().close().await.unwrap();
    let store = world.store();
    for kind in [kind::MAIL, kind::NOTICE_OF, kind::NOTICE_WAITS] {
        assert_eq!(store.scan(&keys::of_kind(shop.id, kind), Order::Ascending).count(), 0);
    }
}
