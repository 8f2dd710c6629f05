//! Alerts in the dashboard and by mail: their recipients and their retention.

mod bound;
mod calendars;
mod kept;
mod links;
mod mailed;
mod set_aside;

use domain::booking::{MoveRequest, Party};
use domain::{
    Actor, Address, Alert, AlertChoice, AlertEmail, AlertKind, AlertScope, BookingMode, CallDetails,
    CallStatus, Direction, MembershipPatch, MessageDetails, MessageStatus, Named, PersonId, Phone, Refusal,
    Role, StaffId, Text, Urgency,
};
use engine::business::commands::alerts::ReadAlerts;
use engine::business::commands::appointments::{Cancel, Confirm, Reschedule};
use engine::business::commands::calls::RecordCall;
use engine::business::commands::messages::{PatchMessage, TakeMessage};
use engine::business::commands::people::{AddMember, PatchMember, PatchNotifications, RemoveMember};
use engine::business::commands::profile::PatchBusiness;
use engine::business::{AnswerOf, Change, PageRequest, Request, UNREAD_COUNTED_MAX};
use engine::people::Invitation;
use engine::{EngineError, Limits};

use crate::harness::{Shop, World, appointment_of, at, by_operator, first_page, id_of, json, text};

async fn world() -> World {
    let mut world = World::new(1).await;
    world.limits = Limits { hashing: engine::people::Hashing::Cheap, ..Limits::default() };
    world.restart().await;
    world
}

fn by(id: PersonId) -> Request {
    Request::by(Actor::Person(id))
}

/// Adds an active member on behalf of the operator.
async fn member(
    world: &World,
    shop: &Shop,
    email: &str,
    (role, staff_id): (Role, Option<StaffId>),
) -> PersonId {
    let id = invited(world, shop, email, (role, staff_id)).await;
    let active = MembershipPatch { active: Some(true), ..MembershipPatch::default() };
    world.engine.people().patch_member(&world.at(shop), by_operator(), (id, active, None)).await.unwrap();
    id
}

async fn invited(
    world: &World,
    shop: &Shop,
    email: &str,
    (role, staff_id): (Role, Option<StaffId>),
) -> PersonId {
    let invitation =
        Invitation { email: Address::new(email).unwrap(), name: None, locale: None, role, staff_id };
    let invited = world.engine.people().invite(&world.at(shop), by_operator(), invitation).await.unwrap();
    json(&invited.answer)["id"].as_str().unwrap().parse().unwrap()
}

async fn choose(world: &World, shop: &Shop, id: PersonId, kind: AlertKind, choice: AlertChoice) {
    let change = PatchNotifications { id, choices: vec![(kind, choice)] };
    world.at(shop).change(by(id), change).await.unwrap();
}

fn mailed(email: AlertEmail) -> AlertChoice {
    AlertChoice { email: Some(email), ..AlertChoice::default() }
}

fn message(urgency: Urgency, staff_id: Option<StaffId>) -> TakeMessage {
    let details = MessageDetails {
        caller_name: Some(text("Grace")),
        urgency,
        staff_id,
        ..MessageDetails::of(Text::new("Ring back".into()).unwrap())
    };
    TakeMessage { details }
}

fn call(status: CallStatus) -> RecordCall {
    let details = CallDetails {
        status,
        from_number: Some(Phone::from_e164("+15550001111".to_owned()).unwrap()),
        ..CallDetails::of(Direction::Inbound, at(-1, 9), at(-1, 10))
    };
    RecordCall { details, contact_name: None }
}

async fn shown(world: &World, shop: &Shop, id: PersonId) -> Vec<Alert> {
    world.at(shop).alerts(id, &first_page()).await.unwrap().items
}

/// The kinds of a person's alerts, oldest first.
async fn kinds(world: &World, shop: &Shop, id: PersonId) -> Vec<AlertKind> {
    shown(world, shop, id).await.iter().rev().map(|alert| alert.about.kind).collect()
}

async fn done<C: Change + 'static>(world: &World, shop: &Shop, change: C) -> AnswerOf<C> {
    world.at(shop).change(by_operator(), change).await.unwrap()
}

fn refusal<T: std::fmt::Debug>(result: Result<T, EngineError>) -> Refusal {
    match result {
        Err(EngineError::Refused(refusal)) => refusal,
        other => panic!("not a refusal: {other:?}"),
    }
}

#[tokio::test(start_paused = true)]
async fn each_event_alerts_each_concerned_person_once() {
    use AlertKind::{
        AppointmentBooked, AppointmentCancelled, AppointmentRequested, AppointmentRescheduled, CallMissed,
        MessageTaken, UrgentMessage,
    };
    let world = world().await;
    let shop = world.shop(2).await;
    let owner = member(&world, &shop, "owner@example.com", (Role::Owner, None)).await;
    let first = member(&world, &shop, "first@example.com", (Role::Member, Some(shop.staff[0]))).await;
    let second = member(&world, &shop, "second@example.com", (Role::Member, Some(shop.staff[1]))).await;
    let asked = invited(&world, &shop, "asked@example.com", (Role::Owner, None)).await;

    let booked = appointment_of(&done(&world, &shop, shop.booking(at(1, 9), 1)).await);
    let to = MoveRequest {
        starts_at: at(1, 11),
        staff_id: Some(shop.staff[1]),
        party: Party::Integration { allow_pending: true },
        duration: None,
    };
    done(&world, &shop, Reschedule { id: booked, request: to }).await;
    done(&world, &shop, Cancel { id: booked }).await;
    done(&world, &shop, Cancel { id: booked }).await; // it is already cancelled, so there is no alert
    let by_request = PatchBusiness { booking_mode: Some(BookingMode::Request), ..PatchBusiness::default() };
    done(&world, &shop, by_request).await;
    let waits = appointment_of(&done(&world, &shop, shop.booking(at(2, 9), 1)).await);
    done(&world, &shop, Confirm { id: waits }).await;
    let taken = done(&world, &shop, message(Urgency::Urgent, None)).await;
    let read = PatchMessage { status: Some(MessageStatus::Read), ..PatchMessage::of(id_of(&taken)) };
    done(&world, &shop, read).await;
    done(&world, &shop, message(Urgency::Normal, Some(shop.staff[0]))).await;
    for status in [CallStatus::Missed, CallStatus::Completed, CallStatus::Failed] {
        done(&world, &shop, call(status)).await;
    }

    let all = [
        AppointmentBooked,
        AppointmentRescheduled,
        AppointmentCancelled,
        AppointmentRequested,
        AppointmentBooked,
        UrgentMessage,
        MessageTaken,
        CallMissed,
        CallMissed,
    ];
    assert_eq!(kinds(&world, &shop, owner).await, all);
    // A member gets no alerts about other staff members' appointments. The first appointment was booked with the first
    // staff member, then moved to the second staff member, and then cancelled. So the first member gets no alert about
    // the cancellation, and the second member gets no alert about the booking.
    let but = |left_out: &[usize]| -> Vec<AlertKind> {
        all.iter().enumerate().filter(|(at, _)| !left_out.contains(at)).map(|(_, kind)| *kind).collect()
    };
    assert_eq!(kinds(&world, &shop, first).await, but(&[2]));
    assert_eq!(kinds(&world, &shop, second).await, but(&[0, 3, 4]));
    assert!(matches!(
        refusal(world.at(&shop).alerts(asked, &first_page()).await),
        Refusal::NotFound(Named::Person)
    ));
    let alerts = shown(&world, &shop, owner).await;
    assert_eq!(alerts[8].about.id.to_string(), booked.to_string());
    assert_eq!(alerts[3].about.id.to_string(), json(&taken)["id"].as_str().unwrap());
    assert!(alerts.iter().rev().map(|alert| alert.number).eq(1..=9));
}

#[tokio::test(start_paused = true)]
async fn no_one_is_alerted_of_their_own_action_and_a_repeated_request_alerts_once() {
    let world = world().await;
    let shop = world.shop(1).await;
    let owner = member(&world, &shop, "owner@example.com", (Role::Owner, None)).await;
    let admin = member(&world, &shop, "admin@example.com", (Role::Admin, None)).await;
    let id = appointment_of(&world.at(&shop).change(by(owner), shop.booking(at(1, 9), 1)).await.unwrap());
    world.at(&shop).change(by(admin), Cancel { id }).await.unwrap();
    assert_eq!(kinds(&world, &shop, owner).await, [AlertKind::AppointmentCancelled]);
    assert_eq!(kinds(&world, &shop, admin).await, [AlertKind::AppointmentBooked]);
    let once = || crate::harness::once(1, 1);
    for _ in 0..2 {
        world.at(&shop).change(once(), message(Urgency::Normal, None)).await.unwrap();
    }
    assert_eq!(kinds(&world, &shop, owner).await.len(), 2);
    let refused = world.at(&shop).change(by_operator(), shop.booking(at(-1, 9), 1)).await;
    refusal(refused);
    assert_eq!(kinds(&world, &shop, owner).await.len(), 2, "a refused change must create no alert");
}

#[tokio::test(start_paused = true)]
async fn read_alerts_are_marked_and_unread_ones_are_counted() {
    let world = world().await;
    let shop = world.shop(1).await;
    let owner = member(&world, &shop, "owner@example.com", (Role::Owner, None)).await;
    let business = world.at(&shop);
    let read = async |number| business.change(by(owner), ReadAlerts { number }).await;
    for _ in 0..UNREAD_COUNTED_MAX + 3 {
        done(&world, &shop, message(Urgency::Normal, None)).await;
    }
    assert_eq!(
        business.unread_alerts(owner).await.unwrap(),
        UNREAD_COUNTED_MAX,
        "counting must stop at the maximum"
    );
    for number in 1..=10 {
        read(Some(number)).await.unwrap();
    }
    assert_eq!(business.unread_alerts(owner).await.unwrap(), UNREAD_COUNTED_MAX - 7);
    let before = business.audit(&first_page()).await.unwrap().items.len();
    read(Some(1)).await.unwrap();
    assert_eq!(refusal(read(Some(9_999)).await), Refusal::NotFound(Named::Alert));
    assert!(matches!(
        refusal(business.change(by_operator(), ReadAlerts { number: None }).await),
        Refusal::NotAllowed(_)
    ));
    read(None).await.unwrap();
    assert_eq!(business.unread_alerts(owner).await.unwrap(), 0);
    assert_eq!(
        business.audit(&first_page()).await.unwrap().items.len(),
        before,
        "reading alerts must not be audited"
    );
    assert!(shown(&world, &shop, owner).await.iter().all(|alert| alert.read_at.is_some()));
    done(&world, &shop, message(Urgency::Urgent, None)).await;
    assert_eq!(business.unread_alerts(owner).await.unwrap(), 1);
    assert_eq!(shown(&world, &shop, owner).await[0].read_at, None);
    // Reading the list page by page shows each alert once, newest first.
    let numbers: Vec<_> = crate::harness::walk(7, |page: PageRequest| {
        let business = business.clone();
        async move { business.alerts(owner, &page).await }
    })
    .await
    .iter()
    .map(|alert| alert.number)
    .collect();
    assert!(numbers.iter().copied().eq((1..=UNREAD_COUNTED_MAX as u64 + 4).rev()), "{numbers:?}");
}

#[tokio::test(start_paused = true)]
async fn alerts_follow_the_membership_and_its_role() {
    let world = world().await;
    let (shop, other) = (world.shop(1).await, world.shop(1).await);
    let owner = member(&world, &shop, "owner@example.com", (Role::Owner, None)).await;
    let hand = member(&world, &shop, "hand@example.com", (Role::Member, None)).await;
    member(&world, &other, "hand@example.com", (Role::Owner, None)).await;
    let quiet = AlertChoice { in_app: Some(false), ..AlertChoice::default() };
    choose(&world, &shop, hand, AlertKind::CallMissed, quiet).await;
    done(&world, &shop, message(Urgency::Urgent, None)).await;
    done(&world, &shop, call(CallStatus::Missed)).await;
    assert_eq!(kinds(&world, &shop, owner).await.len(), 2);
    assert_eq!(
        kinds(&world, &shop, hand).await,
        [AlertKind::UrgentMessage],
        "the person turned the other kind off"
    );
    assert!(kinds(&world, &other, hand).await.is_empty(), "a business must show only its own alerts");
    assert_eq!(world.at(&other).unread_alerts(hand).await.unwrap(), 0);
    assert_eq!(
        refusal(world.at(&other).change(by(hand), ReadAlerts { number: Some(1) }).await),
        Refusal::NotFound(Named::Alert)
    );
    // A removed person can read no alerts and gets none. After the person is added again, earlier alerts stay
    // hidden.
    done(&world, &shop, RemoveMember { id: hand }).await;
    assert!(matches!(
        refusal(world.at(&shop).alerts(hand, &first_page()).await),
        Refusal::NotFound(Named::Person)
    ));
    assert!(matches!(
        world.at(&shop).change(by(hand), ReadAlerts { number: Some(1) }).await,
        Err(EngineError::NotFound)
    ));
    done(&world, &shop, message(Urgency::Urgent, None)).await;
    tokio::time::sleep(std::time::Duration::from_secs(1)).await;
    member(&world, &shop, "hand@example.com", (Role::Member, None)).await;
    assert!(kinds(&world, &shop, hand).await.is_empty());
    done(&world, &shop, message(Urgency::Urgent, None)).await;
    assert_eq!(shown(&world, &shop, hand).await[0].number, 2, "the numbering must continue");
    assert_eq!(kinds(&world, &shop, hand).await.len(), 1);
    let person = world.engine.people().person(hand).await.unwrap().unwrap();
    let off = MembershipPatch { active: Some(false), ..MembershipPatch::default() };
    done(&world, &shop, PatchMember { before: person.clone(), person, patch: off }).await;
    assert!(world.at(&shop).unread_alerts(hand).await.is_err());
}

#[tokio::test(start_paused = true)]
async fn the_scope_mine_means_the_linked_staff_member() {
    let world = world().await;
    let shop = world.shop(2).await;
    let admin = member(&world, &shop, "admin@example.com", (Role::Admin, Some(shop.staff[1]))).await;
    let mine = AlertChoice { scope: Some(AlertScope::Mine), ..AlertChoice::default() };
    for kind in [AlertKind::AppointmentBooked, AlertKind::MessageTaken, AlertKind::CallMissed] {
        choose(&world, &shop, admin, kind, mine).await;
    }
    for staff in shop.staff.clone() {
        done(&world, &shop, shop.booking_with(Some(staff), at(1, 9), 1)).await;
        done(&world, &shop, message(Urgency::Normal, Some(staff))).await;
    }
    done(&world, &shop, message(Urgency::Normal, None)).await;
    done(&world, &shop, call(CallStatus::Missed)).await;
    assert_eq!(kinds(&world, &shop, admin).await, [AlertKind::AppointmentBooked, AlertKind::MessageTaken]);
}
