use chrono::NaiveDate;
use domain::{AppointmentId, BlockedKey, ContactId, MailKind, ResourceId, SteadyTime, Timestamp};
use proptest::prelude::*;
use sha2::{Digest, Sha256};
use uuid::Uuid;

use super::*;
use crate::Key;

fn id<I: ResourceId>(byte: u8) -> I {
    Uuid::from_bytes([byte; 16]).into()
}

#[test]
fn every_kind_has_one_width() {
    let business = id(1);
    let now = Timestamp::from_millis(5);
    let widths = [
        (profile(business), 33),
        (budget(business), 33),
        (service(business, id(2)), 33),
        (staff(business, id(2)), 33),
        (special_day(business, NaiveDate::MAX), 33),
        (blocked_time(business, BlockedKey { staff_id: id(3), starts_at: now, id: id(2) }), 57),
        (website(business), 33),
        (notices(business), 33),
        (key(business, id(2)), 33),
        (links(business, id(2)), 33),
        (link(business, &[2; 32]), 49),
        (slug(""), 33),
        (appointment(business, now, id(2)), 41),
        (appointment_start(business, id(2)), 33),
        (appointment_by_contact(business, id(3), now, id(2)), 57),
        (appointment_by_update(business, now, id(2)), 41),
        (contact(business, id(2)), 33),
        (contact_by_phone(business, "+15551234567"), 33),
        (contact_by_email(business, ""), 33),
        (contact_by_update(business, now, id(2)), 41),
        (feed(business, id(2)), 33),
        (live_feed(business, None, id(2)), 49),
        (feed_by_token(&[2; 32]), 49),
        (feed_fetched(business, id(2)), 49),
        (calendar(business, id(2)), 33),
        (calendar_state(business, id(2)), 33),
        (calendar_busy(business, id(2)), 33),
        (calendar_event(business, id(2), &[3; 16]), 49),
        (calendar_index(business, id(2)), 49),
        (calendar_write(business, id(2), id(3)), 49),
        (calendar_write_of(business, id(3), id(2)), 49),
        (calendar_write_due(business, id(2), SteadyTime::from_millis(4), id(3)), 57),
        (calendar_write_failed(business, id(2), id(3)), 49),
        (contact_import(business), 33),
        (of_id(business, kind::CONTACT_SEARCH, id::<ContactId>(2)), 33),
        (alias(business, id(2)), 33),
        (alias_of(business, id(2), id(3)), 49),
        (merging(business, id(2)), 33),
        (of_id(business, kind::CALL_SEARCH, id::<ContactId>(2)), 33),
        (of_id(business, kind::MESSAGE_SEARCH, id::<ContactId>(2)), 33),
        (call(business, id(2)), 33),
        (call_by_start(business, now, id(2)), 41),
        (call_by_contact(business, id(3), now, id(2)), 57),
        (call_by_update(business, now, id(2)), 41),
        (call_unhandled(business, now, id(2)), 41),
        (message(business, id(2)), 33),
        (message_in(business, MessagesOf::Business, now, id(2)), 41),
        (message_in(business, MessagesOf::Status(1), now, id(2)), 42),
        (message_in(business, MessagesOf::Contact(id(3)), now, id(2)), 57),
        (message_in(business, MessagesOf::Call(id(3)), now, id(2)), 57),
        (message_by_update(business, now, id(2)), 41),
        (knowledge(business, id(2)), 33),
        (receptionist(business), 33),
        (conversation(business, id(2)), 33),
        (conversation_by_update(business, now, id(2)), 41),
        (conversation_by_contact(business, id(3), now, id(2)), 57),
        (conversation_open(business, id(2)), 33),
        (conversation_ended(business, true, id(2)), 34),
        (gap(business, id(2)), 33),
        (mail(business, id(2)), 33),
        (mail_due(business, now, id(2)), 41),
        (mail_gathered(business, MailKind::Daily, id(3), id(2)), 50),
        (notice_of(business, id(3), id(2)), 49),
        (notice_waits(business, id(2)), 33),
        (consent(business, &[2; 32]), 49),
        (notice_count(&[2; 32]), 49),
        (alert(business, id(3), 9), 41),
        (alerts_read(business, id(3)), 33),
        (audit(business, id(2)), 33),
        (retention(business), 33),
        (erasure(business, id(2)), 33),
        (erasing(business), 33),
        (wipe(business, id(2)), 33),
        (ending(business), 33),
        (unfinished(business), 33),
        (idempotency(business, 9, &[2; 32]), 53),
        (age(business, SteadyTime::from_millis(9)), 25),
        (repair_part(business, 3), 21),
        (repair(), 33),
        (moving(business), 33),
        (clock(), 33),
        (round(), 33),
        (meta(), 33),
        (upgrade(), 33),
        (business_index(business), 33),
        (api_key(*b"abcdefgh"), 33),
        (key_used(id(2)), 33),
        (endpoint_index(business, id(2)), 49),
        (person(id(2)), 33),
        (person_by_email(""), 33),
        (person_by_token(&[2; 32]), 49),
        (member_of(id(2), business), 49),
        (earlier::appointment(business, id(2)), 33),
        (earlier::appointment_by_start(business, now, id(2)), 41),
        (earlier::appointment_by_update(business, now, id(2)), 41),
    ];
    for (key, width) in widths {
        assert_eq!(key.len(), width, "{key:?}");
        assert!(is_well_formed(&key) && !is_well_formed(&key[..width - 1]), "{key:?}");
    }
}

#[test]
fn keys_have_these_bytes() {
    let hex = |key: Key| format!("{key:?}");
    let business = id(0xb5);
    let (b5, c7) = ("b5".repeat(16), "c7".repeat(16));
    assert_eq!(
        hex(appointment(business, Timestamp::from_millis(1), id(0xc7))),
        format!("{b5}248000000000000001{c7}")
    );
    assert_eq!(
        hex(appointment_by_contact(business, id(0xc7), Timestamp::from_millis(-1), id(2))),
        format!("{b5}22{c7}7fffffffffffffff{}", "02".repeat(16))
    );
    assert_eq!(
        hex(call_unhandled(business, Timestamp::from_millis(1), id(0xc7))),
        format!("{b5}458000000000000001{c7}")
    );
    assert_eq!(
        hex(contact_by_phone(business, "+15551234567")),
        format!("{b5}31{}", hex(Key::new(&Sha256::digest("+15551234567")[..16])))
    );
    assert_eq!(
        hex(api_key(*b"abcdefgh")),
        format!("{}036162636465666768{}", "00".repeat(16), "00".repeat(8))
    );
    assert_eq!(hex(alert(business, id(0xc7), 0x0102)), format!("{b5}6b{c7}0000000000000102"));
    assert_eq!(alert_at(alert(business, id(0xc7), 0x0102).as_ref()).unwrap(), (id(0xc7), 0x0102));
    assert_eq!(hex(membership(business, id(0xc7))), format!("{b5}0c{c7}"));
    assert_eq!(hex(member_of(id(0xc7), business)), format!("{}33{c7}{b5}", "00".repeat(16)));
    assert_eq!(hex(person(id(0xc7))), format!("{}30{c7}", "00".repeat(16)));
    assert_eq!(
        hex(person_by_email("ada@example.com")),
        format!("{}31{}", "00".repeat(16), hex(Key::new(&Sha256::digest("ada@example.com")[..16])))
    );
    assert_eq!(hex(person_by_token(&[0xc7; 32])), format!("{}32{c7}{c7}", "00".repeat(16)));
    assert_eq!(
        hex(slug("salon")),
        format!("{}20{}", "00".repeat(16), hex(Key::new(&Sha256::digest("salon")[..16])))
    );
    assert_eq!(hex(live_feed(business, Some(id(0xc7)), id(2))), format!("{b5}12{c7}{}", "02".repeat(16)));
    assert_eq!(hex(live_feed(business, None, id(0xc7))), format!("{b5}12{}{c7}", "00".repeat(16)));
    assert_eq!(hex(calendar_event(business, id(0xc7), &[2; 16])), format!("{b5}15{c7}{}", "02".repeat(16)));
    let due = SteadyTime::from_millis(0x0102);
    let waiting = calendar_write_due(business, id(0xc7), due, id(2));
    assert_eq!(hex(waiting), format!("{b5}18{c7}8000000000000102{}", "02".repeat(16)));
    assert_eq!(due_and_appointment(waiting.as_ref()).unwrap(), (due, id(2)));
    assert_eq!(hex(calendar_write(business, id(0xc7), id(2))), format!("{b5}16{c7}{}", "02".repeat(16)));
    assert_eq!(hex(calendar_write_of(business, id(0xc7), id(2))), format!("{b5}17{c7}{}", "02".repeat(16)));
    assert_eq!(
        hex(calendar_write_failed(business, id(0xc7), id(2))),
        format!("{b5}19{c7}{}", "02".repeat(16))
    );
    assert_eq!(hex(calendar_index(business, id(0xc7))), format!("{}24{b5}{c7}", "00".repeat(16)));
    assert_eq!(business_and_calendar(calendar_index(business, id(3)).as_ref()).unwrap(), (business, id(3)));
    assert!(business_and_calendar(endpoint_index(business, id(3)).as_ref()).is_err());
    assert_eq!(hex(feed_by_token(&[0xc7; 32])), format!("{}22{c7}{c7}", "00".repeat(16)));
    assert_eq!(business_and_feed(&feed_value(business, id(0xc7))).unwrap(), (business, id(0xc7)));
    assert!(business_and_feed(&[0; 31]).is_err());
    assert_eq!(hex(link(business, &[0xc7; 32])), format!("{b5}29{c7}{c7}"));
    assert_eq!(&hex(idempotency(business, 0x0102, &[1; 32]))[..42], format!("{b5}7800000102"));
}

#[test]
fn the_hot_range_contains_exactly_the_rows_that_the_actor_loads() {
    let business = id(7);
    let within = |key: Key| hot(business).from <= key && key < hot(business).to;
    assert!(
        within(profile(business))
            && within(budget(business))
            && within(website(business))
            && within(notices(business))
            && within(service(business, id(0xff)))
            && within(staff(business, id(0)))
    );
    assert!(!within(key(business, id(0))) && !within(appointment(business, Timestamp::MIN, id(0))));
    assert!(!within(profile(id(6))) && !within(profile(id(8))));
}

#[test]
fn only_rows_of_keys_profiles_and_people_decide_about_access() {
    let business = id(7);
    for key in [profile(business), api_key(*b"abcdefgh"), person(id(4))] {
        assert!(lets_in(&key), "{key:?}");
    }
    for key in [
        service(business, id(3)),
        budget(business),
        key(business, id(3)),
        key_used(id(3)),
        meta(),
        business_index(business),
        membership(business, id(4)),
        member_of(id(4), business),
    ] {
        assert!(!lets_in(&key), "{key:?}");
    }
    assert!(!lets_in(&profile(business)[..16]));
}

#[test]
fn an_index_key_can_be_split_into_its_parts() {
    let at = Timestamp::from_millis(-12_345);
    let made = appointment_by_contact(id(1), id(2), at, id(3));
    assert_eq!(instant_and_id::<AppointmentId>(&made).unwrap(), (at, id(3)));
    assert_eq!(kind_of(&made).unwrap(), kind::APPOINTMENT_BY_CONTACT);
    assert!(instant_and_id::<AppointmentId>(&[0; 23]).is_err());
    assert!(id_at_end::<AppointmentId>(&[0; 15]).is_err());
    assert!(kind_of(&[0; 16]).is_err());
    assert_eq!(millis_from_value(&millis_value(at)).unwrap(), at);
    assert!(millis_from_value(&[0; 7]).is_err());
}

#[test]
fn idempotency_records_are_sorted_by_day() {
    let noon = Timestamp::parse("2026-03-02T12:00:00Z").unwrap();
    let today = SteadyTime::from_millis(noon.millis()).day();
    assert_eq!(today, 20_514);
    let old = idempotency_before(id(1), today);
    let yesterday = idempotency(id(1), today - 1, &[2; 32]);
    assert!(old.from <= yesterday && yesterday < old.to);
    assert!(idempotency(id(1), today, &[2; 32]) >= old.to);
    let new = idempotency_from(id(1), today);
    assert_eq!(new.from, old.to);
    assert_eq!(day_and_hash(&yesterday).unwrap(), (today - 1, [2; 32]));
    assert!(day_and_hash(&[0; 35]).is_err());
}

#[test]
fn points_of_steady_time_are_found_up_to_a_given_point() {
    let at = SteadyTime::from_millis;
    let until = ages_until(id(1), at(-5));
    assert!(age(id(1), at(-5)) < until.to && age(id(1), at(-6)) >= until.from);
    assert!(age(id(1), at(-4)) >= until.to);
    assert_eq!(age_at(&age(id(1), at(-5))).unwrap(), at(-5));
    assert!(age_at(&[0; 7]).is_err());
}

proptest! {
    #[test]
    fn the_order_of_keys_is_the_order_of_instants(a: i64, b: i64) {
        let (a, b) = (Timestamp::from_millis(a), Timestamp::from_millis(b));
        let key = |at| appointment(id(1), at, id(2));
        prop_assert_eq!(key(a).cmp(&key(b)), a.cmp(&b));
        let range = appointments_starting(id(1), a.min(b), a.max(b));
        let unbounded = a.max(b) == Timestamp::MAX;
        prop_assert_eq!(range.from <= key(a) && key(a) < range.to, a < b || unbounded);
    }
}

#[test]
fn special_days_are_sorted_by_date() {
    let day = |text: &str| special_day(id(1), text.parse().unwrap());
    assert!(day("1970-01-01") < day("2026-12-31") && day("2026-12-31") < day("2027-01-01"));
    assert!(special_day(id(1), NaiveDate::MIN) < day("1970-01-01"));
    let range = special_days(id(1), "2026-12-24".parse().unwrap(), "2026-12-25".parse().unwrap());
    let within = |key: Key| range.from <= key && key < range.to;
    assert!(within(day("2026-12-24")) && within(day("2026-12-25")));
    assert!(!within(day("2026-12-23")) && !within(day("2026-12-26")));
}

#[test]
fn ids_created_within_a_time_are_found() {
    let business: domain::BusinessId = id(1);
    let minted = |millis: u64| -> domain::AuditId {
        uuid::Builder::from_unix_timestamp_millis(millis, &[0xff; 10]).into_uuid().into()
    };
    let at = Timestamp::from_millis;
    for (from, until, found) in [
        (None, None, [true, true, true]),
        (Some(at(1_000)), None, [false, true, true]),
        (None, Some(at(1_000)), [true, false, false]),
        (Some(at(1_000)), Some(at(1_001)), [false, true, false]),
        (Some(at(1_001)), Some(at(1_000)), [false; 3]),
        (Some(Timestamp::MIN), Some(Timestamp::MAX), [true; 3]),
        (Some(Timestamp::MAX), None, [false; 3]),
    ] {
        let range = audit_within(business, from, until);
        let within = [999, 1_000, 1_001].map(|millis| {
            let key = audit(business, minted(millis));
            key >= range.from && key < range.to
        });
        assert_eq!(within, found, "{from:?} {until:?}");
    }
}

#[test]
fn an_index_row_leads_to_the_key_of_its_record() {
    let (business, now) = (id(1), Timestamp::from_millis(5));
    let index = appointment_by_contact(business, id(2), now, id(3));
    assert_eq!(indexed(business, kind::APPOINTMENT, &index).unwrap(), appointment(business, now, id(3)));
    let index = message_in(business, MessagesOf::Status(2), now, id(3));
    assert_eq!(indexed(business, kind::MESSAGE, &index).unwrap(), message(business, id(3)));
    assert!(indexed(business, kind::MESSAGE, &index[..15]).is_err());
}
