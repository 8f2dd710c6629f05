//! If a booking request is repeated, only one appointment is made. An appointment is moved or cancelled only if it has
//! the expected start. The actor makes both checks when it decides the change, so the checks see changes that are not
//! durable yet.

use domain::booking::{MoveRequest, Party};
use domain::{ContactDetails, Email, Phone, ProblemCode, Refusal, Timestamp};
use engine::EngineError;
use engine::business::commands::appointments::{BookingContact, Cancel, Reschedule};
use engine::business::commands::contacts::CreateContact;
use engine::business::commands::guarded::{BookOnce, EXPECTED_STARTS_AT, StartingAt};

use crate::harness::{World, appointment_of, at, body, by_operator, first_page, id_of, json, once};

fn moving(to: Timestamp) -> MoveRequest {
    MoveRequest {
        starts_at: to,
        staff_id: None,
        party: Party::Integration { allow_pending: true },
        duration: None,
    }
}

fn is_elsewhere<V>(result: Result<engine::business::Answer<V>, EngineError>, starts_at: Timestamp) -> bool {
    match result {
        Err(EngineError::Refused(Refusal::Conflict { details, .. })) => {
            details[0].path == EXPECTED_STARTS_AT && details[0].code == ProblemCode::now(starts_at)
        }
        _ => false,
    }
}

#[tokio::test(start_paused = true)]
async fn the_second_of_two_bookings_sees_the_first_before_it_is_durable() {
    let world = World::new(1).await;
    let shop = world.shop(3).await;
    let booking = || BookOnce(shop.booking_with(None, at(1, 9), 1));
    world.disk.hold_syncs();
    let first = world.ask(&shop, booking()).await;
    let second = world.ask(&shop, booking()).await;
    let other = world.ask(&shop, BookOnce(shop.booking_with(None, at(1, 9), 2))).await;
    assert!(!second.is_finished(), "the response must not show a change that a crash could undo");
    world.disk.release_syncs();
    let [first, second, other] =
        [first, second, other].map(|pending| async { pending.await.unwrap().unwrap() });
    let (first, second, other) = (json(&first.await), json(&second.await), json(&other.await));
    assert_eq!((&first["already_booked"], &second["already_booked"]), (&false.into(), &true.into()));
    assert_eq!(first["id"], second["id"]);
    assert_eq!(other["already_booked"], false);
    assert_ne!(other["staff_id"], first["staff_id"]);
    let all = world.at(&shop).appointments(&Default::default(), &first_page()).await.unwrap();
    assert_eq!(all.items.len(), 2);
}

#[tokio::test(start_paused = true)]
async fn after_a_crash_a_repeated_booking_is_made_only_if_it_was_lost() {
    for keep in [0, 1] {
        let mut world = World::new(2).await;
        let shop = world.shop(1).await;
        world.disk.hold_syncs();
        let lost = world.ask(&shop, BookOnce(shop.booking(at(1, 9), 1))).await;
        world.crash(keep).await;
        lost.await.unwrap().unwrap_err();
        let again = world.at(&shop).change(by_operator(), BookOnce(shop.booking(at(1, 9), 1))).await.unwrap();
        assert_eq!(json(&again)["already_booked"], keep == 1, "{keep}");
        let all = world.at(&shop).appointments(&Default::default(), &first_page()).await.unwrap();
        assert_eq!(all.items.len(), 1);
    }
}

#[tokio::test(start_paused = true)]
async fn a_contact_is_the_same_by_id_and_by_phone_and_a_response_is_replayed_unchanged() {
    let world = World::new(3).await;
    let shop = world.shop(2).await;
    let handle = world.at(&shop);
    let first = handle.change(once(1, 1), BookOnce(shop.booking(at(1, 9), 1))).await.unwrap();
    let contact = json(&first)["contact_id"].as_str().unwrap().parse().unwrap();
    let mut by_id = shop.booking_with(None, at(1, 9), 1);
    by_id.contact = BookingContact::Known(contact);
    let again = json(&handle.change(by_operator(), BookOnce(by_id.clone())).await.unwrap());
    assert_eq!((&again["already_booked"], &again["id"]), (&true.into(), &json(&first)["id"]));
    // The same request for another staff member is a new booking.
    by_id.request.staff_id = Some(shop.staff[1]);
    let beside = json(&handle.change(by_operator(), BookOnce(by_id)).await.unwrap());
    assert_eq!(beside["already_booked"], false);
    let replayed = handle.change(once(1, 1), BookOnce(shop.booking(at(1, 9), 1))).await.unwrap();
    assert!(replayed.replayed);
    assert_eq!(body(&replayed), body(&first));
    // After a cancellation, the same request makes a new booking.
    let id = appointment_of(&first);
    handle.change(by_operator(), Cancel { id }).await.unwrap();
    let anew = json(&handle.change(by_operator(), BookOnce(shop.booking(at(1, 9), 1))).await.unwrap());
    assert_eq!(anew["already_booked"], false);
}

#[tokio::test(start_paused = true)]
async fn a_booking_belongs_to_the_contact_with_the_phone_not_the_email() {
    let world = World::new(5).await;
    let shop = world.shop(2).await;
    let handle = world.at(&shop);
    let described = |phone: Option<usize>, email: Option<&str>| {
        let mut booking = shop.booking_with(None, at(1, 9), phone.unwrap_or_default());
        let BookingContact::Described(details) = &mut booking.contact else { unreachable!() };
        details.email = email.map(|email| Email::new(email).unwrap());
        if phone.is_none() {
            details.phone = None;
        }
        BookOnce(booking)
    };
    let book =
        async |phone, email| json(&handle.change(by_operator(), described(phone, email)).await.unwrap());
    let first = book(None, Some("ada@example.com")).await;
    // The phone number and the email address in the request belong to two contacts. The appointment is booked for the
    // contact with the phone number, although the contact with the email address already has an appointment at this
    // time.
    let phone = Some(Phone::from_e164("+15550000007".into()).unwrap());
    let details = ContactDetails { phone, ..ContactDetails::default() };
    let other = json(&handle.change(by_operator(), CreateContact { details }).await.unwrap());
    let beside = book(Some(7), Some("ada@example.com")).await;
    assert_eq!((&beside["already_booked"], &beside["contact_id"]), (&false.into(), &other["id"]));
    // No contact has this phone number, so the email address identifies the contact.
    let again = book(Some(8), Some("ada@example.com")).await;
    assert_eq!((&again["already_booked"], &again["id"]), (&true.into(), &first["id"]));
    let again = book(Some(7), None).await;
    assert_eq!((&again["already_booked"], &again["id"]), (&true.into(), &beside["id"]));
}

#[tokio::test(start_paused = true)]
async fn either_reading_of_the_expected_start_is_accepted() {
    let world = World::new(6).await;
    let shop = world.shop(1).await;
    let handle = world.at(&shop);
    let booked = handle.change(by_operator(), shop.booking(at(1, 9), 1)).await.unwrap();
    let cancel = |expected| {
        handle.change(by_operator(), StartingAt { expected, change: Cancel { id: id_of(&booked) } })
    };
    assert!(is_elsewhere(cancel(vec![at(1, 8), at(1, 10)]).await, at(1, 9)));
    assert!(is_elsewhere(cancel(Vec::new()).await, at(1, 9)));
    assert_eq!(json(&cancel(vec![at(1, 8), at(1, 9)]).await.unwrap())["status"], "cancelled");
}

#[tokio::test(start_paused = true)]
async fn an_appointment_with_another_start_is_neither_moved_nor_cancelled() {
    let world = World::new(4).await;
    let shop = world.shop(1).await;
    let handle = world.at(&shop);
    let booked = handle.change(by_operator(), shop.booking(at(1, 9), 1)).await.unwrap();
    let id = id_of(&booked);
    let to_noon = |expected| {
        let change = Reschedule { id, request: moving(at(1, 12)) };
        handle.change(by_operator(), StartingAt { expected: vec![expected], change })
    };
    let cancel = |expected| {
        handle.change(by_operator(), StartingAt { expected: vec![expected], change: Cancel { id } })
    };
    assert!(is_elsewhere(to_noon(at(1, 10)).await, at(1, 9)));
    assert!(is_elsewhere(cancel(at(1, 10)).await, at(1, 9)));
    let moved = to_noon(at(1, 9)).await.unwrap();
    // The appointment no longer starts at the expected time. The repeated move still succeeds, because the appointment
    // already starts at noon, as requested.
    assert_eq!(body(&to_noon(at(1, 9)).await.unwrap()), body(&moved));
    assert!(is_elsewhere(cancel(at(1, 9)).await, at(1, 12)));
    assert_eq!(json(&cancel(at(1, 12)).await.unwrap())["status"], "cancelled");
}
