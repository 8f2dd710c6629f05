//! Bookings by customers, and manage links.

use chrono::TimeDelta;
use domain::booking::{BookRequest, MoveRequest, Party};
use domain::{
    Actor, AppointmentId, AppointmentStatus, BookingMode, BusinessId, Conflict, ContactId, Email, Locale,
    Named, Phone, Refusal, Slug, Source, Timestamp,
};
use engine::backup::restore;
use engine::business::commands::ForOperator;
use engine::business::commands::appointments::{Cancel, Reschedule};
use engine::business::commands::contacts::CreateContact;
use engine::business::commands::customers::{
    BookOnline, CancelByLink, ManageToken, MintLink, MoveByLink, OnlineBooked,
};
use engine::business::commands::erasure::{EraseContact, PatchRetention};
use engine::business::commands::profile::PatchBusiness;
use engine::business::commands::website::PatchWebsite;
use engine::business::{AppointmentFilter, ContactFilter, Idempotency, Request, SeenByLink};
use engine::{BusinessHandle, Engine, EngineError};
use store::keys::kind;
use store::{Order, Store, keys};
use view::{ContactView, OperatorAppointmentView};

use crate::harness::{Shop, World, at, by_operator, first_page, id_of, json, pass, text};

const PHONE: &str = "+15550004711";
const EMAIL: &str = "ada@example.com";
const DAY: u64 = 24 * 60;

fn phone(number: &str) -> Phone {
    Phone::from_e164(number.into()).unwrap()
}

fn booking(shop: &Shop, starts_at: Timestamp, phone_and_email: (Option<&str>, Option<&str>)) -> BookOnline {
    BookOnline {
        request: BookRequest {
            service_id: shop.service,
            starts_at,
            staff_id: None,
            source: Source::Api,
            party: Party::TEAM,
            duration: None,
        },
        name: text("Ada"),
        phone: phone_and_email.0.map(phone),
        email: phone_and_email.1.map(|email| Email::new(email).unwrap()),
        note: Some(text("By bike")),
        locale: Locale::Fr,
        texts: true,
    }
}

fn by_customer() -> Request {
    Request::by(Actor::Customer)
}

fn form(id: u8, body: u8) -> Request {
    let idempotency = Some(Idempotency { key: [id; 32], fingerprint: [body; 32] });
    Request { idempotency, ..by_customer() }
}

async fn book(world: &World, shop: &Shop, starts_at: Timestamp) -> (AppointmentId, ManageToken) {
    let booking = booking(shop, starts_at, (Some(PHONE), Some(EMAIL)));
    let booked = world.at(shop).change(by_customer(), booking).await.unwrap().value;
    token_of(booked)
}

fn token_of(booked: OnlineBooked) -> (AppointmentId, ManageToken) {
    (booked.appointment_id, ManageToken::parse(&booked.token.unwrap()).unwrap())
}

async fn mint(handle: &BusinessHandle, appointment_id: AppointmentId, to: Option<&str>) -> ManageToken {
    let minted = MintLink { appointment_id, to: to.map(str::to_owned) };
    let minted = handle.change(Request::by(Actor::System), minted).await.unwrap();
    ManageToken::parse(&minted.value.token).unwrap()
}

async fn seen(handle: &BusinessHandle, token: &ManageToken) -> Option<SeenByLink> {
    handle.seen_by_link(token).await.unwrap()
}

async fn move_to(
    handle: &BusinessHandle,
    token: &ManageToken,
    (expected_starts_at, starts_at): (Timestamp, Timestamp),
) -> Result<(), EngineError> {
    let moved = MoveByLink { token: token.clone(), starts_at, expected_starts_at };
    handle.change(by_customer(), moved).await.map(|_| ())
}

async fn cancel(
    handle: &BusinessHandle,
    token: &ManageToken,
    expected: Timestamp,
) -> Result<(), EngineError> {
    let cancelled = CancelByLink { token: token.clone(), expected_starts_at: expected };
    handle.change(by_customer(), cancelled).await.map(|_| ())
}

fn is_unknown(result: &Result<(), EngineError>) -> bool {
    matches!(result, Err(EngineError::Refused(Refusal::NotFound(Named::Appointment))))
}

fn conflict(result: Result<(), EngineError>) -> Conflict {
    match result {
        Err(EngineError::Refused(Refusal::Conflict { conflict, .. })) => conflict,
        other => panic!("{other:?}"),
    }
}

async fn shown(handle: &BusinessHandle, id: AppointmentId) -> OperatorAppointmentView {
    handle.appointment_as(id).await.unwrap().unwrap()
}

async fn contacts(handle: &BusinessHandle) -> Vec<ContactView> {
    handle.contacts(&ContactFilter::default(), &first_page()).await.unwrap().items
}

/// Checks the whole store. Returns the number of `LINKS` rows (one for each appointment with links) and the number
/// of `LINK` rows (one for each link).
async fn link_rows(world: &mut World, shop: &Shop) -> (usize, usize) {
    world.engine.clone().close().await.unwrap();
    let store = world.store();
    let report = engine::verify::check(store.rows()).unwrap();
    assert!(report.is_whole(), "{:?}", report.findings);
    let count = |kind| store.scan(&keys::of_kind(shop.id, kind), Order::Ascending).count();
    let counts = (count(kind::LINKS), count(kind::LINK));
    store.close().await.unwrap();
    world.open_again().await;
    counts
}

async fn patch_website(handle: &BusinessHandle, patch: PatchWebsite) {
    handle.patch_website(by_operator(), patch).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_repeated_form_books_once_and_gives_no_token_again() {
    let mut world = World::new(700).await;
    let shop = world.shop(1).await;
    let both = (Some(PHONE), Some(EMAIL));
    let first = world.at(&shop).change(form(1, 1), booking(&shop, at(1, 9), both)).await.unwrap();
    let (id, token) = token_of(first.value);
    for restarts in [false, true] {
        if restarts {
            world.restart().await;
        }
        let again = world.at(&shop).change(form(1, 1), booking(&shop, at(1, 9), both)).await.unwrap();
        assert!(again.replayed);
        assert_eq!((again.value.appointment_id, again.value.token), (id, None));
    }
    let handle = world.at(&shop);
    let other = handle.change(form(1, 2), booking(&shop, at(1, 10), both)).await;
    assert!(matches!(other, Err(EngineError::Refused(Refusal::IdempotencyKeyReused))));
    let all = handle.appointments(&AppointmentFilter::default(), &first_page()).await.unwrap().items;
    assert_eq!(all.len(), 1);
    assert_eq!(seen(&handle, &token).await.unwrap().appointment.id, id);
    assert_eq!(seen(&handle, &mint(&handle, id, None).await).await.unwrap().appointment.id, id);

    let audit = format!("{:?}", handle.audit(&first_page()).await.unwrap().items);
    assert!(audit.contains("Customer"), "{audit}");
    for private in [&token.text()[23..], "By bike", EMAIL, PHONE, "Ada"] {
        assert!(!audit.contains(private), "{private}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_booking_is_by_the_website_and_contains_what_the_customer_entered() {
    let world = World::new(701).await;
    let shop = world.shop(1).await;
    let handle = world.at(&shop);
    let (id, _) = book(&world, &shop, at(1, 9)).await;
    let booked = json(&engine::business::Answer { value: shown(&handle, id).await, replayed: false });
    assert_eq!(booked["source"], "website");
    assert_eq!(booked["status"], "confirmed");
    assert_eq!(booked["customer_note"], "By bike");
    let entered = serde_json::json!({
        "name": "Ada", "phone": PHONE, "email": EMAIL, "locale": "fr", "texts": true,
    });
    assert_eq!(booked["booked_as"], entered);

    let mode = |mode| PatchBusiness { booking_mode: Some(mode), ..PatchBusiness::default() };
    handle.change(by_operator(), mode(BookingMode::Request)).await.unwrap();
    let (id, _) = book(&world, &shop, at(1, 11)).await;
    assert_eq!(shown(&handle, id).await.appointment.status, AppointmentStatus::Pending);
    handle.change(by_operator(), mode(BookingMode::Off)).await.unwrap();
    let off = handle.change(by_customer(), booking(&shop, at(1, 13), (Some(PHONE), None))).await;
    assert!(matches!(off, Err(EngineError::Refused(Refusal::BookingDisabled))));
}

#[tokio::test(start_paused = true)]
async fn a_new_contact_gets_one_identifier_and_a_known_contact_is_not_changed() {
    let world = World::new(702).await;
    let shop = world.shop(3).await;
    let handle = world.at(&shop);
    let book = async |identifiers: (Option<&str>, Option<&str>)| {
        handle.change(by_customer(), booking(&shop, at(1, 9), identifiers)).await.unwrap().value
    };
    book((Some(PHONE), Some(EMAIL))).await;
    let of = |contact: &ContactView| (contact.name.clone(), contact.phone.clone(), contact.email.clone());
    let first = contacts(&handle).await;
    assert_eq!(first.iter().map(of).collect::<Vec<_>>(), [(Some("Ada".into()), Some(PHONE.into()), None)]);
    // The customer is recognized by the phone number. The entered address is not added to the contact.
    book((Some(PHONE), Some("other@example.com"))).await;
    assert_eq!(contacts(&handle).await.iter().map(of).collect::<Vec<_>>(), [of(&first[0])]);
    book((None, Some(EMAIL))).await;
    let all: Vec<_> = contacts(&handle).await.iter().map(of).collect();
    assert!(all.contains(&(Some("Ada".into()), None, Some(EMAIL.into()))), "{all:?}");
    assert_eq!(all.len(), 2);
}

#[tokio::test(start_paused = true)]
async fn of_more_than_32_links_the_oldest_ends() {
    let mut world = World::new(703).await;
    let shop = world.shop(1).await;
    let (id, first) = book(&world, &shop, at(1, 9)).await;
    let handle = world.at(&shop);
    let mut others = Vec::new();
    for _ in 0..31 {
        others.push(mint(&handle, id, Some(EMAIL)).await);
    }
    assert_eq!(seen(&handle, &first).await.unwrap().to, None);
    assert_eq!(seen(&handle, &others[0]).await.unwrap().to.as_deref(), Some(EMAIL));
    let last = mint(&handle, id, None).await;
    assert!(seen(&handle, &first).await.is_none());
    assert!(is_unknown(&cancel(&handle, &first, at(1, 9)).await));
    assert!(seen(&handle, &others[0]).await.is_some() && seen(&handle, &last).await.is_some());
    assert_eq!(link_rows(&mut world, &shop).await, (1, 32));
    let handle = world.at(&shop);
    let unknown = MintLink { appointment_id: uuid::Uuid::from_u128(5).into(), to: None };
    let unknown = handle.change(by_customer(), unknown).await.map(|_| ());
    assert!(is_unknown(&unknown));
}

#[tokio::test(start_paused = true)]
async fn links_move_an_appointment_five_times() {
    let mut world = World::new(704).await;
    let shop = world.shop(2).await;
    let (id, token) = book(&world, &shop, at(1, 0)).await;
    let staff = shown(&world.at(&shop), id).await.appointment.staff_id;
    for number in 0..5 {
        let handle = world.at(&shop);
        let here = (at(1, number), at(1, number));
        move_to(&handle, &token, here).await.unwrap(); // a move to the same time does not count
        move_to(&handle, &token, (at(1, number), at(1, number + 1))).await.unwrap();
        assert_eq!(i64::from(seen(&handle, &token).await.unwrap().moves), number + 1);
    }
    world.restart().await;
    let handle = world.at(&shop);
    let now = seen(&handle, &token).await.unwrap();
    assert!(now.may_change() && !now.may_move());
    assert_eq!((now.appointment.starts_at, now.appointment.staff_id), (at(1, 5), staff));
    let refused = move_to(&handle, &token, (at(1, 5), at(1, 6))).await;
    assert_eq!(conflict(refused), Conflict::NotChangeableOnline);
    // When the team moves the appointment, its links stay valid.
    let request = MoveRequest { starts_at: at(2, 9), staff_id: None, party: Party::TEAM, duration: None };
    handle.change(by_operator(), ForOperator(Reschedule { id, request })).await.unwrap();
    cancel(&handle, &token, at(2, 9)).await.unwrap();
    assert_eq!(shown(&handle, id).await.appointment.status, AppointmentStatus::Cancelled);
}

#[tokio::test(start_paused = true)]
async fn a_move_follows_the_booking_mode_and_the_open_times() {
    let world = World::new(705).await;
    let shop = world.shop(1).await;
    let handle = world.at(&shop);
    let (id, token) = book(&world, &shop, at(1, 9)).await;
    handle.change(by_operator(), shop.booking(at(1, 11), 1)).await.unwrap();
    let tomorrow = (at(1, 0).utc().date_naive(), at(1, 0).utc().date_naive());
    let open = handle.times_to_move(&token, tomorrow).await.unwrap().unwrap();
    let starts: Vec<_> = open.iter().map(|slot| slot.starts_at).collect();
    // The appointment can be moved to a time that overlaps its own current time, but no other appointment.
    assert!(starts.contains(&(at(1, 9) + TimeDelta::minutes(30))), "{starts:?}");
    assert!(!starts.contains(&at(1, 9)) && !starts.contains(&at(1, 11)), "{starts:?}");
    let taken = move_to(&handle, &token, (at(1, 9), at(1, 11))).await;
    assert!(matches!(taken, Err(EngineError::Refused(Refusal::SlotUnavailable(_)))));
    assert_eq!(seen(&handle, &token).await.unwrap().moves, 0);

    let mode = |mode| PatchBusiness { booking_mode: Some(mode), ..PatchBusiness::default() };
    handle.change(by_operator(), mode(BookingMode::Off)).await.unwrap();
    let off = move_to(&handle, &token, (at(1, 9), at(1, 13))).await;
    assert!(matches!(off, Err(EngineError::Refused(Refusal::BookingDisabled))));
    assert!(handle.times_to_move(&token, tomorrow).await.unwrap().unwrap().is_empty());
    handle.change(by_operator(), mode(BookingMode::Request)).await.unwrap();
    move_to(&handle, &token, (at(1, 9), at(1, 13))).await.unwrap();
    assert_eq!(shown(&handle, id).await.appointment.status, AppointmentStatus::Pending);
}

#[tokio::test(start_paused = true)]
async fn a_link_changes_only_a_coming_appointment_at_the_expected_time() {
    let world = World::new(706).await;
    let shop = world.shop(1).await;
    let handle = world.at(&shop);
    let (id, token) = book(&world, &shop, at(1, 9)).await;
    let elsewhere = Conflict::StartsElsewhere(at(1, 9));
    assert_eq!(conflict(move_to(&handle, &token, (at(1, 8), at(1, 10))).await), elsewhere);
    assert_eq!(conflict(cancel(&handle, &token, at(1, 8)).await), elsewhere);

    let (_, other) = book(&world, &shop, at(1, 11)).await;
    handle.change(by_operator(), Cancel { id }).await.unwrap();
    cancel(&handle, &token, at(1, 9)).await.unwrap();
    let cancelled = conflict(move_to(&handle, &token, (at(1, 9), at(1, 10))).await);
    assert!(matches!(cancelled, Conflict::AppointmentStatus(AppointmentStatus::Cancelled, _)));

    pass(DAY + 3 * 60).await; // the appointment begins
    assert!(!seen(&handle, &other).await.unwrap().may_change());
    assert_eq!(conflict(cancel(&handle, &other, at(1, 11)).await), Conflict::NotChangeableOnline);
    pass(60).await; // the appointment ends
    assert_eq!(conflict(cancel(&handle, &other, at(1, 11)).await), Conflict::AppointmentEnded);
    assert_eq!(conflict(move_to(&handle, &other, (at(1, 11), at(3, 9))).await), Conflict::AppointmentEnded);
    pass(30 * DAY - 1).await;
    assert!(seen(&handle, &other).await.is_some());
    pass(2).await;
    assert!(seen(&handle, &other).await.is_none());
    assert!(is_unknown(&cancel(&handle, &other, at(1, 11)).await));
    let today = handle.now().utc().date_naive();
    assert!(handle.times_to_move(&other, (today, today)).await.unwrap().is_none());
}

#[tokio::test(start_paused = true)]
async fn the_settings_decide_whether_links_may_change_an_appointment() {
    let world = World::new(707).await;
    let shop = world.shop(1).await;
    let handle = world.at(&shop);
    let (_, token) = book(&world, &shop, at(1, 9)).await; // 25 hours ahead
    let notice = |minutes| PatchWebsite { change_notice_minutes: Some(minutes), ..PatchWebsite::default() };
    let by_caller = |is| PatchWebsite { change_by_caller: Some(is), ..PatchWebsite::default() };
    for (patch, may) in [
        (notice(Some(25 * 60 + 1)), false),
        (notice(Some(25 * 60 - 1)), true),
        (by_caller(false), false),
        (by_caller(true), true),
    ] {
        patch_website(&handle, patch.clone()).await;
        assert_eq!(seen(&handle, &token).await.unwrap().may_change(), may, "{patch:?}");
        if !may {
            let refused = cancel(&handle, &token, at(1, 9)).await;
            assert_eq!(conflict(refused), Conflict::NotChangeableOnline, "{patch:?}");
        }
    }
    handle.change(by_operator(), PatchBusiness::suspending(true)).await.unwrap();
    assert!(!seen(&handle, &token).await.unwrap().may_change());
    let refused = move_to(&handle, &token, (at(1, 9), at(1, 10))).await;
    assert_eq!(conflict(refused), Conflict::NotChangeableOnline);
    let refused = handle.change(by_customer(), booking(&shop, at(1, 11), (Some(PHONE), None))).await;
    assert!(matches!(refused, Err(EngineError::Suspended)));
    handle.change(by_operator(), PatchBusiness::suspending(false)).await.unwrap();
    cancel(&handle, &token, at(1, 9)).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_token_is_unknown_to_every_other_business() {
    let world = World::new(708).await;
    let (shop, other) = (world.shop(1).await, world.shop(1).await);
    let (_, token) = book(&world, &shop, at(1, 9)).await;
    let handle = world.at(&other);
    assert!(seen(&handle, &token).await.is_none());
    assert!(is_unknown(&cancel(&handle, &token, at(1, 9)).await));
    // This token has the random part of the customer's token and the id of the other business.
    let (_, of_other) = book(&world, &other, at(1, 9)).await;
    let mixed = format!("{}{}", &of_other.text()[..22], &token.text()[22..]);
    let mixed = ManageToken::parse(&mixed).unwrap();
    assert_eq!(mixed.business_id(), other.id);
    assert!(seen(&handle, &mixed).await.is_none());
    assert!(is_unknown(&move_to(&handle, &mixed, (at(1, 9), at(1, 10))).await));
    let nowhere = BusinessId::from(uuid::Uuid::from_u128(3));
    assert!(seen(&world.engine.business(nowhere), &token).await.is_none());
}

#[tokio::test(start_paused = true)]
async fn an_erasure_ends_the_links_and_removes_what_the_customer_entered() {
    let mut world = World::new(709).await;
    let shop = world.shop(2).await;
    let handle = world.at(&shop);
    let (theirs, token) = book(&world, &shop, at(1, 9)).await;
    let contact: ContactId = shown(&handle, theirs).await.appointment.contact_id.unwrap();
    // A second contact has an email address. Its booking contains this address and a new phone number.
    let details = domain::ContactDetails { email: Some(Email::new(EMAIL).unwrap()), ..Default::default() };
    let by_email: ContactId = id_of(&handle.change(by_operator(), CreateContact { details }).await.unwrap());
    let entered = booking(&shop, at(2, 9), (Some("+15550000009"), Some(EMAIL)));
    let entered = handle.change(by_customer(), entered).await.unwrap().value;
    let (of_other, other) = token_of(entered);
    let contact_of_other = shown(&handle, of_other).await.appointment.contact_id.unwrap();
    assert_eq!(contact_of_other, by_email);
    let sent = mint(&handle, of_other, Some(EMAIL)).await;
    let booked = booking(&shop, at(3, 9), (Some("+15550000008"), None));
    let (third, _) = token_of(handle.change(by_customer(), booked).await.unwrap().value);

    handle.change(by_operator(), EraseContact { id: contact }).await.unwrap();
    assert!(seen(&handle, &token).await.is_none());
    assert!(is_unknown(&cancel(&handle, &token, at(1, 9)).await));
    pass(2).await;
    let erased = shown(&handle, theirs).await;
    assert_eq!((erased.customer_note, erased.booked_as.unwrap().is_none()), (Some(None), true));
    assert!(seen(&handle, &other).await.is_some());
    assert_eq!(link_rows(&mut world, &shop).await, (2, 3));

    // A third contact gets the phone number that the customer entered in the booking `of_other`. The erasure of the
    // third contact removes the number from this booking.
    let handle = world.at(&shop);
    let third_entered = shown(&handle, third).await.booked_as.unwrap().unwrap();
    assert_eq!(third_entered.phone.as_deref(), Some("+15550000008"));
    let of_third = shown(&handle, third).await.appointment.contact_id.unwrap();
    let patch = domain::ContactPatch { phone: Some(Some(phone("+15550000009"))), ..Default::default() };
    let patch = engine::business::commands::contacts::PatchContact { id: of_third, patch };
    handle.change(by_operator(), patch).await.unwrap();
    handle.change(by_operator(), EraseContact { id: of_third }).await.unwrap();
    pass(2).await;
    let left = shown(&handle, of_other).await.booked_as.unwrap().unwrap();
    assert_eq!((left.phone, left.email.as_deref()), (None, Some(EMAIL)));
    assert_eq!(left.name.as_deref(), Some("Ada"));
    assert_eq!(seen(&handle, &sent).await.unwrap().to.as_deref(), Some(EMAIL));
    assert_eq!(link_rows(&mut world, &shop).await, (1, 2));
}

#[tokio::test(start_paused = true)]
async fn an_erased_address_is_removed_from_bookings_and_links_of_other_contacts() {
    let mut world = World::new(710).await;
    let shop = world.shop(2).await;
    let handle = world.at(&shop);
    let (id, _) = book(&world, &shop, at(1, 9)).await; // the contact has only a phone number
    let sent = mint(&handle, id, Some(EMAIL)).await;
    let details = domain::ContactDetails { email: Some(Email::new(EMAIL).unwrap()), ..Default::default() };
    let by_email: ContactId = id_of(&handle.change(by_operator(), CreateContact { details }).await.unwrap());
    handle.change(by_operator(), EraseContact { id: by_email }).await.unwrap();
    pass(2).await;
    let left = shown(&handle, id).await.booked_as.unwrap().unwrap();
    assert_eq!((left.phone.as_deref(), left.email), (Some(PHONE), None));
    assert_eq!(seen(&handle, &sent).await.unwrap().to, None);
    assert_eq!(link_rows(&mut world, &shop).await, (1, 2));
}

#[tokio::test(start_paused = true)]
async fn an_expired_appointment_takes_its_links_with_it() {
    let mut world = World::new(711).await;
    let shop = world.shop(1).await;
    book(&world, &shop, at(1, 9)).await;
    book(&world, &shop, at(40, 9)).await;
    let retention = PatchRetention { appointments_days: Some(Some(30)), ..PatchRetention::default() };
    world.at(&shop).change(by_operator(), retention).await.unwrap();
    pass(35 * DAY).await;
    assert_eq!(link_rows(&mut world, &shop).await, (1, 1));
}

#[tokio::test(start_paused = true)]
async fn links_are_deleted_when_they_end_30_days_after_the_appointment() {
    let mut world = World::new(714).await;
    let shop = world.shop(1).await;
    let (_, ended) = book(&world, &shop, at(1, 9)).await;
    pass(2 * DAY).await;
    let (_, coming) = book(&world, &shop, at(60, 9)).await;
    pass(26 * DAY).await;
    assert_eq!(link_rows(&mut world, &shop).await, (2, 2));
    pass(7 * DAY).await;
    assert!(seen(&world.at(&shop), &ended).await.is_none());
    assert!(seen(&world.at(&shop), &coming).await.is_some());
    assert_eq!(link_rows(&mut world, &shop).await, (1, 1));
}

#[tokio::test(start_paused = true)]
async fn a_booking_page_is_found_by_its_slug_while_it_is_enabled() {
    let mut world = World::new(712).await;
    let shop = world.shop(1).await;
    let handle = world.at(&shop);
    let page = async |engine: &Engine, slug| engine.booking_page(slug).await.unwrap().map(|page| page.id());
    assert_eq!(page(&world.engine, "shop").await, None);
    patch_website(&handle, PatchWebsite { enabled: Some(true), ..PatchWebsite::default() }).await;
    assert_eq!(page(&world.engine, "shop").await, Some(shop.id));
    let renamed = PatchWebsite { slug: Some(Slug::new("salon")), ..PatchWebsite::default() };
    patch_website(&handle, renamed).await;
    assert_eq!(page(&world.engine, "shop").await, None);
    assert_eq!(page(&world.engine, "salon").await, Some(shop.id));
    link_rows(&mut world, &shop).await; // verifies the rows of both slugs
    let handle = world.at(&shop);
    handle.change(by_operator(), PatchBusiness::suspending(true)).await.unwrap();
    assert_eq!(page(&world.engine, "salon").await, None);
    handle.change(by_operator(), PatchBusiness::suspending(false)).await.unwrap();
    patch_website(&handle, PatchWebsite { enabled: Some(false), ..PatchWebsite::default() }).await;
    assert_eq!(page(&world.engine, "salon").await, None);
    world.engine.end_business(shop.id, by_operator()).await.unwrap();
    assert_eq!(page(&world.engine, "salon").await, None);
}

#[tokio::test]
async fn a_restore_without_the_list_of_tombstones_ends_all_manage_links() {
    let world = World::new(713).await;
    let shop = world.shop(1).await;
    let (_, token) = book(&world, &shop, at(1, 9)).await;
    let home = tempfile::tempdir().unwrap();
    let backup = home.path().join("backup");
    crate::restoring::backed_up(&world, &backup).await;
    let lines: String = world.disk.tombstones().iter().map(|line| format!("{line}\n")).collect();
    std::fs::write(home.path().join("tombstones"), lines).unwrap();
    for list in [None, Some(home.path())] {
        let to = home.path().join(if list.is_some() { "with" } else { "without" });
        restore(&backup, &to, list, false, &world.ports).await.unwrap();
        assert!(engine::verify::verify(&to).await.unwrap().is_whole());
        let store = Store::open_disk(&to, Box::new(|error| panic!("{error}"))).unwrap();
        let engine = Engine::start(store, world.ports.clone()).await.unwrap();
        assert_eq!(seen(&engine.business(shop.id), &token).await.is_some(), list.is_some());
        engine.close().await.unwrap();
    }
}
