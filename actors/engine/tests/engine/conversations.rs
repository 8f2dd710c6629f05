//! Contacts, calls, messages and knowledge.

use domain::{
    CallDetails, CallId, CallOutcome, CallStatus, ContactDetails, ContactId, ContactPatch, Direction, Email,
    KnowledgeDetails, MessageDetails, MessageId, MessageStatus, Named, Phone, Problem, ProblemCode, Refusal,
    Text, Timestamp,
};
use engine::business::commands::calls::{MarkCall, RecordCall};
use engine::business::commands::contacts::{CreateContact, PatchContact};
use engine::business::commands::knowledge::AddKnowledge;
use engine::business::commands::messages::{PatchMessage, TakeMessage};
use engine::business::{AnswerOf, CallFilter, Change, ContactFilter, MessageFilter};
use engine::{BusinessHandle, EngineError};
use store::{Order, VALUE_BYTES_MAX, keys};
use view::OperatorMessageView;

use crate::harness::{World, at, body, by_operator, first_page, id_of, json, once, pass, text, walk};
use crate::rows::Rows;

fn phone(number: u32) -> Phone {
    Phone::from_e164(format!("+1555{number:07}")).unwrap()
}

fn named(name: &str) -> CreateContact {
    CreateContact { details: ContactDetails { name: Some(text(name)), ..ContactDetails::default() } }
}

fn reachable(number: u32, email: &str) -> CreateContact {
    let email = Some(Email::new(email).unwrap());
    CreateContact {
        details: ContactDetails { phone: Some(phone(number)), email, ..ContactDetails::default() },
    }
}

/// An inbound call of one minute from the phone number with this index.
fn call(from: u32, started_at: Timestamp) -> RecordCall {
    let details = CallDetails {
        from_number: Some(phone(from)),
        to_number: Some(phone(0)),
        ..CallDetails::of(Direction::Inbound, started_at, started_at + chrono::TimeDelta::minutes(1))
    };
    RecordCall { details, contact_name: None }
}

fn message(from: u32) -> TakeMessage {
    let details = MessageDetails {
        caller_phone: Some(phone(from)),
        ..MessageDetails::of(Text::new("Ring back".into()).unwrap())
    };
    TakeMessage { details }
}

async fn done<C: Change + 'static>(handle: &BusinessHandle, change: C) -> AnswerOf<C> {
    handle.change(by_operator(), change).await.unwrap()
}

async fn refused(handle: &BusinessHandle, change: impl Change + 'static) -> Refusal {
    match handle.change(by_operator(), change).await {
        Err(EngineError::Refused(refusal)) => refusal,
        other => panic!("{other:?}"),
    }
}

fn paths(refusal: &Refusal) -> Vec<&str> {
    let (Refusal::Invalid(problems) | Refusal::Conflict { details: problems, .. }) = refusal else {
        panic!("{refusal:?}")
    };
    problems.iter().map(|Problem { path, .. }| path.as_str()).collect()
}

async fn names(handle: &BusinessHandle, part: &str, limit: usize) -> Vec<String> {
    let filter = ContactFilter { name_part: Some(part.into()), ..ContactFilter::default() };
    let found = walk(limit, async |page| handle.contacts(&filter, &page).await).await;
    found.into_iter().map(|contact| contact.name.unwrap()).collect()
}

#[tokio::test(start_paused = true)]
async fn a_phone_and_an_email_belong_to_one_contact() {
    let world = World::new(1).await;
    let handle = world.at(&world.shop(1).await);
    let ada: ContactId = id_of(&done(&handle, reachable(1, "ada@a.example")).await);
    let bob: ContactId = id_of(&done(&handle, reachable(2, "bob@a.example")).await);
    let both = refused(&handle, reachable(2, "ada@a.example")).await;
    assert_eq!(paths(&both), ["phone", "email"]);
    let Refusal::Conflict { details, .. } = &both else { panic!() };
    let codes = details.iter().map(|problem| &problem.code);
    assert!(codes.eq(&[ProblemCode::OfContact(bob), ProblemCode::OfContact(ada)]));

    let patch = ContactPatch { phone: Some(Some(phone(2))), ..ContactPatch::default() };
    assert_eq!(paths(&refused(&handle, PatchContact { id: ada, patch: patch.clone() }).await), ["phone"]);
    // After one contact's phone number is removed, another contact can get it.
    let clear = ContactPatch { phone: Some(None), ..ContactPatch::default() };
    done(&handle, PatchContact { id: bob, patch: clear.clone() }).await;
    done(&handle, PatchContact { id: ada, patch }).await;
    let by_phone = ContactFilter { phone: Some(phone(2)), ..ContactFilter::default() };
    let found = handle.contacts(&by_phone, &first_page()).await.unwrap();
    assert_eq!((found.items.len(), found.items[0].id), (1, ada));
    let by_removed = ContactFilter { phone: Some(phone(1)), ..ContactFilter::default() };
    assert!(handle.contacts(&by_removed, &first_page()).await.unwrap().items.is_empty());
    let none = ContactPatch { email: Some(None), ..clear };
    assert!(matches!(refused(&handle, PatchContact { id: bob, patch: none }).await, Refusal::Invalid(_)));
}

#[tokio::test(start_paused = true)]
async fn contacts_are_found_by_a_part_of_their_name_in_any_case() {
    let mut world = World::new(2).await;
    let shop = world.shop(1).await;
    let handle = world.at(&shop);
    let mut unnamed = Vec::new();
    for number in 0..100 {
        done(&handle, named(&format!("ZOË {number}"))).await;
        let email = format!("{number}@a.example");
        unnamed.push(id_of::<ContactId>(&done(&handle, reachable(number, &email)).await));
    }
    let expected: Vec<_> = (0..100).rev().map(|number| format!("ZOË {number}")).collect();
    for limit in [1, 7, 100] {
        assert_eq!(names(&handle, "oë", limit).await, expected, "{limit}");
    }
    assert_eq!(names(&handle, "zoË 42", 100).await, ["ZOË 42"]);
    // Contacts are listed by creation, newest first. A contact that gets its name later keeps its position.
    for (number, id) in unnamed.iter().enumerate() {
        let patch =
            ContactPatch { name: Some(Some(text(&format!("İlker {number}")))), ..ContactPatch::default() };
        done(&handle, PatchContact { id: *id, patch }).await;
    }
    let all: Vec<_> =
        (0..100).rev().flat_map(|number| [format!("İlker {number}"), format!("ZOË {number}")]).collect();
    assert_eq!(names(&handle, " ", 9).await, all);
    let clear = ContactPatch { name: Some(None), ..ContactPatch::default() };
    done(&handle, PatchContact { id: unnamed[50], patch: clear }).await;
    assert_eq!(names(&handle, "ilker 50", 9).await, Vec::<String>::new());
    assert_eq!(names(&handle, "", 100).await.len(), 199);
    world.restart().await;
    assert_eq!(names(&world.at(&shop), "OË 99", 9).await, ["ZOË 99"]);
    world.engine.clone().close().await.unwrap();
    Rows::checked(&world.store(), shop.id);
}

#[tokio::test(start_paused = true)]
async fn a_caller_is_found_by_their_number_or_becomes_a_contact() {
    let world = World::new(3).await;
    let handle = world.at(&world.shop(1).await);
    let known = json(&done(&handle, reachable(1, "ada@a.example")).await)["id"].clone();
    let found = json(&done(&handle, call(1, at(0, 1))).await);
    assert_eq!((&found["contact_id"], found["duration_seconds"].as_u64()), (&known, Some(60)));

    let outbound = |to, name: &str| {
        let mut call = call(9, at(0, 2));
        call.details.direction = Direction::Outbound;
        call.details.to_number = Some(phone(to));
        RecordCall { contact_name: Some(text(name)), ..call }
    };
    assert_eq!(json(&done(&handle, outbound(1, "Not Ada")).await)["contact_id"], known);
    let new = json(&done(&handle, outbound(2, "Bob")).await);
    assert_eq!(new["contact_name"], "Bob");
    let contact =
        handle.contact(new["contact_id"].as_str().unwrap().parse().unwrap()).await.unwrap().unwrap();
    assert_eq!((contact.name.as_deref(), contact.phone.as_deref()), (Some("Bob"), Some("+15550000002")));

    // A message is linked to the contact with its phone number. A message from an unknown number creates no contact.
    assert_eq!(json(&done(&handle, message(1)).await)["contact_id"], known);
    assert!(json(&done(&handle, message(77)).await)["contact_id"].is_null());
    let without_number = RecordCall {
        details: CallDetails { from_number: None, ..call(1, at(0, 3)).details },
        contact_name: None,
    };
    assert!(json(&done(&handle, without_number).await)["contact_id"].is_null());
    let all = handle.contacts(&ContactFilter::default(), &first_page()).await.unwrap();
    assert_eq!(all.items.len(), 2);

    // The list shows the contact's current name.
    let id = contact.id;
    let patch = ContactPatch { name: Some(Some(text("Robert"))), ..ContactPatch::default() };
    done(&handle, PatchContact { id, patch }).await;
    let call = handle.call_record(new["id"].as_str().unwrap().parse().unwrap()).await.unwrap().unwrap();
    assert_eq!(call.contact_name.as_deref(), Some("Robert"));
}

#[tokio::test(start_paused = true)]
async fn unknown_ids_are_refused_with_their_paths() {
    let world = World::new(4).await;
    let handle = world.at(&world.shop(1).await);
    let unknown = uuid::Uuid::from_u128(7);
    let mut bad = call(1, at(0, 1));
    bad.details.contact_id = Some(unknown.into());
    bad.details.appointment_id = Some(unknown.into());
    bad.details.message_id = Some(unknown.into());
    bad.details.ended_at = at(0, 0);
    let refusal = refused(&handle, bad).await;
    assert_eq!(paths(&refusal), ["contact_id", "appointment_id", "message_id", "ended_at"]);
    let mut bad = message(1);
    bad.details.contact_id = Some(unknown.into());
    bad.details.call_id = Some(unknown.into());
    bad.details.staff_id = Some(unknown.into());
    assert_eq!(paths(&refused(&handle, bad).await), ["call_id", "contact_id", "staff_id"]);
    let patch = PatchMessage::of(unknown.into());
    assert_eq!(refused(&handle, patch).await, Refusal::NotFound(Named::Message));
    let contacts = handle.contacts(&ContactFilter::default(), &first_page()).await.unwrap();
    assert!(contacts.items.is_empty(), "a refused call must not create a contact");
}

#[tokio::test(start_paused = true)]
async fn calls_are_listed_newest_first_and_filtered() {
    let world = World::new(5).await;
    let handle = world.at(&world.shop(1).await);
    for hour in [3, 1, 4, 2, 0] {
        let mut call = call(hour % 2, at(0, i64::from(hour)));
        if hour == 4 {
            call.details.outcome = CallOutcome::Spam;
            call.details.direction = Direction::Outbound;
        }
        done(&handle, call).await;
        pass(1).await;
    }
    let hours = async |filter: CallFilter| {
        let calls = walk(2, async |page| handle.calls(&filter, &page).await).await;
        calls.iter().map(|call| (call.started_at - at(0, 0)).num_hours()).collect::<Vec<_>>()
    };
    let all = CallFilter::default();
    assert_eq!(hours(all.clone()).await, [4, 3, 2, 1, 0]);
    let window = CallFilter { from: Some(at(0, 1)), to: Some(at(0, 3)), ..all.clone() };
    assert_eq!(hours(window.clone()).await, [2, 1]);
    assert_eq!(hours(CallFilter { outcome: Some(CallOutcome::Spam), ..all.clone() }).await, [4]);
    assert_eq!(hours(CallFilter { direction: Some(Direction::Inbound), ..all.clone() }).await, [3, 2, 1, 0]);
    let one = ContactFilter { phone: Some(phone(1)), ..ContactFilter::default() };
    let one = handle.contacts(&one, &first_page()).await.unwrap().items[0].id;
    assert_eq!(hours(CallFilter { contact_id: Some(one), ..all.clone() }).await, [3, 1]);
    assert_eq!(hours(CallFilter { contact_id: Some(one), ..window.clone() }).await, [1]);
    assert_eq!(hours(CallFilter { updated_since: Some(at(0, 0)), ..all }).await, [3, 1, 4, 2, 0]);
    assert_eq!(hours(CallFilter { updated_since: Some(at(0, 0)), ..window }).await, [1, 2]);
}

#[tokio::test(start_paused = true)]
async fn snoozed_messages_and_handled_calls_can_be_left_out() {
    let world = World::new(7).await;
    let handle = world.at(&world.shop(1).await);
    let (mut messages, mut calls) = (Vec::new(), Vec::new());
    for number in 0..2 {
        messages.push(id_of::<MessageId>(&done(&handle, message(number)).await));
        let mut missed = call(number, at(0, 1));
        missed.details.status = CallStatus::Missed;
        calls.push(id_of::<CallId>(&done(&handle, missed).await));
        done(&handle, call(number, at(0, 2))).await; // a completed call needs no follow-up
        let mut outbound = call(number, at(0, 3));
        outbound.details.status = CallStatus::Failed;
        outbound.details.direction = Direction::Outbound;
        done(&handle, outbound).await; // the team made this call, so the failure is no task
    }
    let snooze = PatchMessage { snoozed_until: Some(Some(at(0, 5))), ..PatchMessage::of(messages[0]) };
    done(&handle, snooze).await;
    for (now, expected) in [(at(0, 4), &messages[1..]), (at(0, 5), &messages[..])] {
        let filter = MessageFilter { awake_at: Some(now), ..MessageFilter::default() };
        let mut found = handle.messages(&filter, &first_page()).await.unwrap().items;
        found.sort_by_key(|message| message.id);
        assert_eq!(found.iter().map(|message| message.id).collect::<Vec<_>>(), expected);
    }
    let open = CallFilter { unhandled: true, ..CallFilter::default() };
    for (handled, expected) in [(true, &calls[1..]), (false, &calls[..])] {
        done(&handle, MarkCall { id: calls[0], handled }).await;
        let mut found = handle.calls(&open, &first_page()).await.unwrap().items;
        found.sort_by_key(|call| call.id);
        assert_eq!(found.iter().map(|call| call.id).collect::<Vec<_>>(), expected);
    }
}

#[tokio::test(start_paused = true)]
async fn messages_are_listed_newest_first_and_filtered() {
    let world = World::new(6).await;
    let shop = world.shop(1).await;
    let handle = world.at(&shop);
    let call: CallId = id_of(&done(&handle, call(1, at(0, 1))).await);
    let mut ids = Vec::new();
    for number in 0..4 {
        let mut message = message(number % 2);
        message.details.call_id = (number > 1).then_some(call);
        ids.push(id_of::<MessageId>(&done(&handle, message).await));
        pass(1).await;
    }
    let update = PatchMessage {
        status: Some(MessageStatus::Resolved),
        staff_id: Some(Some(shop.staff[0])),
        ..PatchMessage::of(ids[1])
    };
    let updated = json(&done(&handle, update).await);
    assert_eq!((updated["status"].as_str(), updated["staff_id"].is_string()), (Some("resolved"), true));
    let clear = PatchMessage { staff_id: Some(None), ..PatchMessage::of(ids[1]) };
    let cleared = json(&done(&handle, clear).await);
    assert!(cleared["staff_id"].is_null());
    let shown = handle.message_as::<OperatorMessageView>(ids[1]).await.unwrap().unwrap();
    assert_eq!(
        serde_json::to_value(shown).unwrap(),
        cleared,
        "the message must equal the response to its change"
    );
    assert!(handle.message(uuid::Uuid::from_bytes([1; 16]).into()).await.unwrap().is_none());

    let listed = async |filter: MessageFilter| {
        let found = walk(1, async |page| handle.messages(&filter, &page).await).await;
        let place = |id| ids.iter().position(|known| *known == id).unwrap();
        found.iter().map(|message| place(message.id)).collect::<Vec<_>>()
    };
    let all = MessageFilter::default();
    assert_eq!(listed(all.clone()).await, [3, 2, 1, 0]);
    assert_eq!(listed(MessageFilter { status: Some(MessageStatus::New), ..all.clone() }).await, [3, 2, 0]);
    assert_eq!(listed(MessageFilter { status: Some(MessageStatus::Resolved), ..all.clone() }).await, [1]);
    assert_eq!(listed(MessageFilter { status: Some(MessageStatus::Read), ..all.clone() }).await, [0; 0]);
    assert_eq!(listed(MessageFilter { call_id: Some(call), ..all.clone() }).await, [3, 2]);
    let created = handle.messages(&all, &first_page()).await.unwrap().items[1].created_at;
    assert_eq!(listed(MessageFilter { from: Some(created), ..all.clone() }).await, [3, 2]);
    assert_eq!(listed(MessageFilter { to: Some(created), ..all.clone() }).await, [1, 0]);
    let since = MessageFilter { updated_since: Some(at(0, 0)), ..all };
    assert_eq!(listed(since).await, [0, 2, 3, 1]);
}

#[tokio::test(start_paused = true)]
async fn long_texts_are_returned_byte_for_byte_and_replayed() {
    let mut world = World::new(7).await;
    let shop = world.shop(1).await;
    // Arabic and Chinese text, an emoji with a joiner, and a combining accent must be stored unchanged.
    let unicode = "مرحبا 你好👩\u{200d}🚀e\u{301}";
    let content: String = unicode.chars().cycle().take(50_000).collect();
    assert!(content.len() > VALUE_BYTES_MAX);
    let add = || AddKnowledge {
        details: KnowledgeDetails {
            title: text(unicode),
            content: Text::new(content.clone()).unwrap(),
            source_url: None,
            locale: None,
        },
    };
    let first = world.at(&shop).change(once(1, 1), add()).await.unwrap();
    assert_eq!(json(&first)["content"].as_str(), Some(content.as_str()));
    assert_eq!(json(&first)["title"].as_str(), Some(unicode));

    let summary: String = "👩\u{200d}🚀😀".chars().cycle().take(20_000).collect();
    assert!(summary.len() > VALUE_BYTES_MAX);
    let mut long = call(1, at(0, 1));
    long.details.summary = Some(Text::new(summary.clone()).unwrap());
    let id: CallId = id_of(&done(&world.at(&shop), long).await);
    for crash in [false, true] {
        let again = world.at(&shop).change(once(1, 1), add()).await.unwrap();
        assert!(again.replayed && body(&again) == body(&first));
        let found = world.at(&shop).call_record(id).await.unwrap().unwrap();
        assert_eq!(found.summary.as_deref(), Some(summary.as_str()));
        let listed = world.at(&shop).calls(&CallFilter::default(), &first_page()).await.unwrap();
        assert_eq!(listed.items[0].summary.as_deref(), Some(summary.as_str()));
        if crash { world.crash(0).await } else { world.restart().await }
    }
    // The sweep of expired idempotency keys must also delete the pieces of their responses.
    pass(3 * 24 * 60).await;
    done(&world.at(&shop), named("Wake up")).await;
    pass(5).await;
    world.engine.clone().close().await.unwrap();
    let store = world.store();
    for kind in [keys::kind::IDEMPOTENCY, keys::kind::IDEMPOTENCY | 0x80] {
        assert_eq!(store.scan(&keys::of_kind(shop.id, kind), Order::Ascending).count(), 0);
    }
}
