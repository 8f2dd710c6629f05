//! Conversations of the receptionist.

use chrono::TimeDelta;
use domain::{
    Actor, AppointmentId, AuditAction, BudgetKind, CallOutcome, Channel, Conflict, ConversationId,
    EffectKind, EndedBy, Locale, Named, Phone, Refusal, Source, Speaker,
};
use engine::business::commands::budget::{LimitPatch, PatchBudget};
use engine::business::commands::conversations::{
    DeleteConversation, EndConversation, ReplyByTeam, StartConversation, TakeTurn,
};
use engine::business::commands::erasure::EraseContact;
use engine::business::commands::receptionist::PatchReceptionist;
use engine::business::{CallFilter, ContactFilter, ConversationFilter, Idempotency, MessageFilter, Request};
use engine::{BusinessHandle, EngineError};
use talk::Said;
use view::{ConversationTurnsView, OperatorAppointmentView, TurnsTakenView};

use crate::erasing::{PHONE, person};
use crate::harness::{Shop, World, at, by_operator, first_page, id_of, once, pass, text};

pub(crate) fn phone(number: &str) -> Phone {
    Phone::from_e164(number.into()).unwrap()
}

fn no_phone(_: &str, _: &str) -> Option<Phone> {
    None
}

pub(crate) fn start(channel: Channel) -> StartConversation {
    StartConversation { channel, from: None, to: None, locale: None, token: None }
}

pub(crate) fn say(id: ConversationId, words: &str) -> TakeTurn {
    TakeTurn { id, said: Said::Text(words.into()), token: None, read_phone: no_phone, limit: None }
}

pub(crate) async fn started(handle: &BusinessHandle, start: StartConversation) -> ConversationId {
    handle.change(by_operator(), start).await.unwrap().value.id
}

pub(crate) async fn said(handle: &BusinessHandle, id: ConversationId, words: &str) -> TurnsTakenView {
    handle.take_turn(by_operator(), say(id, words)).await.unwrap().value
}

pub(crate) async fn shown(handle: &BusinessHandle, id: ConversationId) -> ConversationTurnsView {
    handle.conversation(id).await.unwrap().unwrap()
}

fn conflict<V>(result: Result<V, EngineError>) -> Conflict {
    match result {
        Err(EngineError::Refused(Refusal::Conflict { conflict, .. })) => conflict,
        Err(error) => panic!("{error:?}"),
        Ok(_) => panic!("the change was made"),
    }
}

pub(crate) async fn world() -> (World, Shop) {
    let world = World::new(7).await;
    let shop = world.shop(1).await;
    (world, shop)
}

#[tokio::test(start_paused = true)]
async fn a_chat_books_an_appointment_in_one_batch() {
    for (locale, turns) in [
        (Locale::En, ["A cut on Thursday at 10 am", "Ada Lovelace", "ada@example.com", "yes"]),
        (Locale::Fr, ["Je veux réserver jeudi matin à dix heures", "Ada Lovelace", "ada@example.com", "oui"]),
    ] {
        let (mut world, shop) = world().await;
        let chat = StartConversation { locale: Some(locale), ..start(Channel::Website) };
        let id = started(&world.at(&shop), chat).await;
        let mut said_last = String::new();
        for words in turns {
            let taken = said(&world.at(&shop), id, words).await;
            said_last = taken.turns.last().unwrap().text.clone();
        }
        let talked = shown(&world.at(&shop), id).await;
        let [booked] = talked.conversation.appointment_ids[..] else {
            panic!("{locale}: {said_last} {talked:#?}")
        };
        world.crash(0).await;
        let after = shown(&world.at(&shop), id).await;
        assert_eq!(
            after.conversation.appointment_ids,
            [booked],
            "the turn and the booking must be written in one batch"
        );
        let appointment =
            world.at(&shop).appointment_as::<OperatorAppointmentView>(booked).await.unwrap().unwrap();
        assert_eq!(appointment.appointment.source, Source::Website);
        assert_eq!(appointment.appointment.starts_at, at(3, 10));
        world.at(&shop).change(by_operator(), EndConversation { id, by: EndedBy::Caller }).await.unwrap();
        let ended = shown(&world.at(&shop), id).await.conversation;
        assert_eq!(ended.outcome, Some(CallOutcome::AppointmentBooked));
        let summary = ended.summary.unwrap();
        assert!(summary.contains(": Cut, 2026-03-05 10:00"), "{locale}: {summary}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_text_thread_moves_the_appointment_that_was_booked_in_it() {
    let (world, shop) = world().await;
    let handle = world.at(&shop);
    let from = Some(phone("+15550000007"));
    let id = started(&handle, StartConversation { from, ..start(Channel::Sms) }).await;
    for words in ["A cut on Thursday at 10 am", "Ada Lovelace", "yes"] {
        said(&handle, id, words).await;
    }
    let [booked] = shown(&handle, id).await.conversation.appointment_ids[..] else {
        panic!("nothing is booked")
    };
    said(&handle, id, "I want to move my appointment").await;
    let read_back = said(&handle, id, "Friday at 9 am").await.turns.last().unwrap().text.clone();
    let (_, number) = read_back.split_once("Reply ").unwrap_or_else(|| panic!("{read_back}"));
    said(&handle, id, &number[..2]).await;
    assert_eq!(handle.appointment(booked).await.unwrap().unwrap().starts_at, at(4, 9));
}

#[tokio::test(start_paused = true)]
async fn a_text_thread_moves_the_appointment_of_its_number() {
    let (world, shop) = world().await;
    let handle = world.at(&shop);
    let booked = handle.change(by_operator(), shop.booking(at(2, 9), 7)).await.unwrap();
    let booked: AppointmentId = id_of(&booked);
    let from = Some(phone("+15550000007"));
    let id = started(&handle, StartConversation { from, ..start(Channel::Sms) }).await;
    said(&handle, id, "I want to move my appointment").await;
    let read_back = said(&handle, id, "Thursday at 10 am").await.turns.last().unwrap().text.clone();
    let number: String = read_back
        .split("Reply ")
        .nth(1)
        .unwrap_or_else(|| panic!("{read_back}"))
        .chars()
        .take_while(char::is_ascii_digit)
        .collect();
    let unmoved = handle.appointment(booked).await.unwrap().unwrap();
    assert_eq!(
        unmoved.starts_at,
        at(2, 9),
        "the appointment must be moved only after the confirmation number was sent"
    );
    let moved = said(&handle, id, &number).await;
    assert_eq!(handle.appointment(booked).await.unwrap().unwrap().starts_at, at(3, 10), "{moved:?}");
    let other = StartConversation { from: Some(phone("+15550000008")), ..start(Channel::Sms) };
    let other = started(&handle, other).await;
    let told = said(&handle, other, "cancel my appointment").await.turns.last().unwrap().text.clone();
    assert!(!told.contains("Cut"), "a line discloses the appointment of another phone number: {told}");
}

#[tokio::test(start_paused = true)]
async fn a_message_has_the_callers_words_and_an_unanswered_question_is_a_gap() {
    let (world, shop) = world().await;
    let handle = world.at(&shop);
    let from = Some(phone("+15550000009"));
    let id = started(&handle, StartConversation { from, ..start(Channel::Voice) }).await;
    for words in ["I want to leave a message", "Please call me about my invoice", "Bo Diddley", "yes"] {
        said(&handle, id, words).await;
    }
    let messages = handle.messages(&MessageFilter::default(), &first_page()).await.unwrap().items;
    assert!(messages.iter().any(|it| it.body.contains("about my invoice")), "{messages:?}");
    let call = shown(&handle, id).await.conversation.call_id;
    assert_eq!(messages[0].call_id, call);
    let asks = started(&handle, start(Channel::Website)).await;
    said(&handle, asks, "Do you have a car park?").await;
    let gaps = handle.gaps(world.engine.now()).await.unwrap();
    assert!(gaps.iter().any(|gap| gap.question.contains("car park")), "{gaps:?}");
}

#[tokio::test(start_paused = true)]
async fn a_turn_is_stored_before_it_is_answered() {
    let (mut world, shop) = world().await;
    let id = started(&world.at(&shop), start(Channel::Website)).await;
    let answer = said(&world.at(&shop), id, "I would like a haircut").await;
    assert_eq!(answer.turns[0].by, Speaker::Caller);
    assert_eq!(answer.turns[0].text, "I would like a haircut");
    world.crash(0).await;
    let after = shown(&world.at(&shop), id).await;
    assert!(after.turns.iter().any(|turn| turn.text == "I would like a haircut"));
    let seqs: Vec<_> = after.turns.iter().map(|turn| turn.seq).collect();
    assert_eq!(seqs, (1..).take(seqs.len()).collect::<Vec<_>>());
}

#[tokio::test(start_paused = true)]
async fn a_repeated_turn_gives_the_first_response() {
    let (world, shop) = world().await;
    let handle = world.at(&shop);
    let id = started(&handle, start(Channel::Website)).await;
    let turn = || handle.take_turn(once(1, 1), say(id, "Good morning"));
    let first = turn().await.unwrap();
    said(&handle, id, "And another thing").await;
    let again = turn().await.unwrap();
    assert!(again.replayed && !first.replayed);
    let (first, again) = (serde_json::to_value(&first.value), serde_json::to_value(&again.value));
    assert_eq!(first.unwrap(), again.unwrap());
    let other = handle.take_turn(once(1, 2), say(id, "Good evening")).await;
    assert!(matches!(other, Err(EngineError::Refused(Refusal::IdempotencyKeyReused))));
}

#[tokio::test(start_paused = true)]
async fn stored_responses_contain_no_words() {
    let (world, shop) = world().await;
    let handle = world.at(&shop);
    let id = started(&handle, start(Channel::Website)).await;
    handle.take_turn(once(1, 1), say(id, "My secret")).await.unwrap();
    let kept = handle.remembered::<TakeTurn>(&once(1, 1)).await.unwrap().unwrap();
    assert!(kept.value.turns.iter().all(|turn| turn.text.is_empty()));
}

#[tokio::test(start_paused = true)]
async fn an_ended_voice_conversation_is_a_call() {
    let (world, shop) = world().await;
    let handle = world.at(&shop);
    let from = Some(phone("+15550001234"));
    let id = started(&handle, StartConversation { from, ..start(Channel::Voice) }).await;
    let call = shown(&handle, id).await.conversation.call_id.unwrap();
    assert!(
        handle.call_record(call).await.unwrap().is_none(),
        "the call must be recorded only when the conversation ends"
    );
    said(&handle, id, "Hello").await;
    pass(1).await;
    handle.change(by_operator(), EndConversation { id, by: EndedBy::Caller }).await.unwrap();
    let ended = shown(&handle, id).await.conversation;
    assert_eq!((ended.ended_by, ended.outcome), (Some(EndedBy::Caller), Some(CallOutcome::Hangup)));
    let call = handle.call_record(call).await.unwrap().unwrap();
    assert_eq!(call.outcome, CallOutcome::Hangup);
    assert_eq!(call.from_number.as_deref(), Some("+15550001234"));
    assert_eq!(call.contact_id, ended.contact_id, "the call and the conversation must have the same contact");
    assert!(call.contact_id.is_some());
    let again = handle.change(by_operator(), EndConversation { id, by: EndedBy::Team }).await;
    assert_eq!(conflict(again), Conflict::ConversationEnded);
    let turn = handle.take_turn(by_operator(), say(id, "Hello?")).await;
    assert_eq!(conflict(turn), Conflict::ConversationEnded);
}

#[tokio::test(start_paused = true)]
async fn overdue_conversations_end() {
    let (world, shop) = world().await;
    let handle = world.at(&shop);
    let chat = started(&handle, start(Channel::Website)).await;
    let silent = started(&handle, start(Channel::Website)).await;
    let text = started(&handle, StartConversation { from: Some(phone(PHONE)), ..start(Channel::Sms) }).await;
    let assistant = started(&handle, start(Channel::Assistant)).await;
    for id in [chat, text, assistant] {
        said(&handle, id, "Hello").await;
    }
    pass(4).await;
    assert!(shown(&handle, assistant).await.conversation.ended_at.is_none());
    pass(3).await;
    assert_eq!(shown(&handle, assistant).await.conversation.ended_by, Some(EndedBy::Timeout));
    assert_eq!(handle.calls(&CallFilter::default(), &first_page()).await.unwrap().items.len(), 1);
    pass(26).await;
    assert_eq!(shown(&handle, chat).await.conversation.ended_by, Some(EndedBy::Timeout));
    assert!(
        handle.conversation(silent).await.unwrap().is_none(),
        "a chat without a turn of the caller must be deleted"
    );
    assert!(shown(&handle, text).await.conversation.ended_at.is_none());
    pass(12 * 60).await;
    assert_eq!(shown(&handle, text).await.conversation.ended_by, Some(EndedBy::Timeout));
}

/// A text of 2,000 characters. Each character has 4 bytes.
fn long_words() -> String {
    "\u{1f642}".repeat(2_000)
}

#[tokio::test(start_paused = true)]
async fn a_conversation_that_is_too_long_takes_no_turn_and_ends_with_the_others() {
    let (world, shop) = world().await;
    let handle = world.at(&shop);
    let mut ids = Vec::new();
    for _ in 0..8 {
        let id =
            started(&handle, StartConversation { from: Some(phone(PHONE)), ..start(Channel::Sms) }).await;
        handle.change(by_operator(), ReplyByTeam { id, text: text("One moment") }).await.unwrap();
        let full = loop {
            match handle.take_turn(by_operator(), say(id, &long_words())).await {
                Ok(taken) => assert!(taken.value.turns[0].seq < 100),
                Err(error) => break conflict::<()>(Err(error)),
            }
        };
        assert_eq!(full, Conflict::ConversationFull);
        let reply = handle.change(by_operator(), ReplyByTeam { id, text: text("Hello") }).await;
        assert_eq!(conflict(reply), Conflict::ConversationFull);
        ids.push(id);
    }
    pass(12 * 60 + 2).await;
    for id in ids {
        assert_eq!(shown(&handle, id).await.conversation.ended_by, Some(EndedBy::Timeout));
    }
}

#[tokio::test(start_paused = true)]
async fn a_conversation_ends_without_room_for_its_call() {
    let (world, shop) = world().await;
    let handle = world.at(&shop);
    let from = Some(phone("+15550000009"));
    let [ended, deleted] = [
        started(&handle, StartConversation { from: from.clone(), ..start(Channel::Voice) }).await,
        started(&handle, StartConversation { from, ..start(Channel::Voice) }).await,
    ];
    for id in [ended, deleted] {
        for words in ["I want to leave a message", "Please call me about my invoice", "Bo Diddley", "yes"] {
            said(&handle, id, words).await;
        }
    }
    let none = LimitPatch { rows_max: Some(Some(0)), bytes_max: None };
    let limits = vec![(BudgetKind::Calls, none), (BudgetKind::Messages, none)];
    handle.change(by_operator(), PatchBudget { limits }).await.unwrap();
    handle.change(by_operator(), DeleteConversation { id: deleted }).await.unwrap();
    handle.change(by_operator(), EndConversation { id: ended, by: EndedBy::Caller }).await.unwrap();
    let shown = shown(&handle, ended).await.conversation;
    assert_eq!((shown.outcome, shown.call_id), (Some(CallOutcome::MessageTaken), None));
    let messages = handle.messages(&MessageFilter::default(), &first_page()).await.unwrap().items;
    assert_eq!(messages.len(), 2);
    assert!(messages.iter().all(|message| message.call_id.is_none()), "{messages:?}");
    // The budget has no room for a message, but the turns must not fail.
    let third = started(&handle, start(Channel::Voice)).await;
    for words in ["I want to leave a message", "Please call me", "Bo Diddley", "yes"] {
        said(&handle, third, words).await;
    }
    world.engine.clone().close().await.unwrap();
    let report = engine::verify::check(world.store().rows()).unwrap();
    assert!(report.is_whole(), "{:?}", report.findings);
}

#[tokio::test(start_paused = true)]
async fn a_transfer_fails_while_no_carrier_is_connected() {
    let (world, shop) = world().await;
    let handle = world.at(&shop);
    let patch =
        PatchReceptionist { handoff_number: Some(Some(phone(PHONE))), ..PatchReceptionist::default() };
    handle.change(by_operator(), patch).await.unwrap();
    let id = started(&handle, start(Channel::Voice)).await;
    let asked = said(&handle, id, "human").await.turns.last().unwrap().text.clone();
    assert_eq!(
        asked,
        "I am putting you through. Nobody can take the call right now. I can take a message. What is your message?"
    );
    said(&handle, id, "Please call me about my invoice").await;
    let messages = handle.messages(&MessageFilter::default(), &first_page()).await.unwrap().items;
    assert_eq!(messages.len(), 1, "the caller can leave a message instead");
}

#[tokio::test(start_paused = true)]
async fn a_repeated_end_has_the_words_until_they_are_erased() {
    let (world, shop) = world().await;
    let handle = world.at(&shop);
    let id = started(&handle, start(Channel::Voice)).await;
    said(&handle, id, "Hello").await;
    let end = EndConversation { id, by: EndedBy::Team };
    let first = handle.change(once(9, 9), end).await.unwrap();
    let again = handle.change(once(9, 9), end).await.unwrap();
    assert!(again.replayed && again.value.turns.iter().all(|turn| turn.text.is_empty()), "{again:?}");
    let read_again = handle.with_texts(again).await.unwrap();
    assert_eq!(format!("{:?}", read_again.value), format!("{:?}", first.value));
}

#[tokio::test(start_paused = true)]
async fn a_call_is_lost_when_the_service_stops() {
    let (mut world, shop) = world().await;
    let voice = started(&world.at(&shop), start(Channel::Voice)).await;
    let chat = started(&world.at(&shop), start(Channel::Website)).await;
    for id in [voice, chat] {
        said(&world.at(&shop), id, "Hello").await;
    }
    pass(2).await;
    world.restart().await;
    pass(2).await;
    let handle = world.at(&shop);
    let lost = shown(&handle, voice).await;
    assert_eq!(lost.conversation.ended_by, Some(EndedBy::Lost));
    assert_eq!(lost.conversation.ended_at, Some(lost.turns.last().unwrap().at));
    assert_eq!(handle.calls(&CallFilter::default(), &first_page()).await.unwrap().items.len(), 1);
    assert!(shown(&handle, chat).await.conversation.ended_at.is_none());
    said(&handle, chat, "Still there?").await;
}

#[tokio::test(start_paused = true)]
async fn three_wrong_numbers_silence_the_receptionist_for_an_hour() {
    let (world, shop) = world().await;
    let handle = world.at(&shop);
    let booked: AppointmentId =
        id_of(&handle.change(by_operator(), shop.booking(at(2, 9), 7)).await.unwrap());
    let from = Some(phone("+15550000007"));
    let id = started(&handle, StartConversation { from, ..start(Channel::Sms) }).await;
    let asked = said(&handle, id, "cancel my appointment").await;
    let (_, number) = asked.turns.last().unwrap().text.split_once("Reply ").unwrap();
    let number: u32 = number[..2].parse().unwrap();
    for _ in 0..3 {
        said(&handle, id, &(if number == 10 { 11 } else { number - 1 }).to_string()).await;
    }
    let is_silent = async || said(&handle, id, "cancel my appointment").await.turns.len() == 1;
    assert!(is_silent().await);
    pass(40).await;
    handle.change(by_operator(), ReplyByTeam { id, text: text("Camille here") }).await.unwrap();
    pass(19).await;
    assert!(is_silent().await);
    pass(12).await;
    assert!(!is_silent().await);
    assert!(handle.appointment(booked).await.unwrap().unwrap().status.is_active());
}

#[tokio::test(start_paused = true)]
async fn a_silent_text_thread_hears_an_opt_out() {
    let (world, shop) = world().await;
    let handle = world.at(&shop);
    let from = Some(phone("+15550000007"));
    let id = started(&handle, StartConversation { from, ..start(Channel::Sms) }).await;
    handle.change(by_operator(), ReplyByTeam { id, text: text("Camille here") }).await.unwrap();
    assert_eq!(said(&handle, id, "hello").await.turns.len(), 1);
    let taken = said(&handle, id, "STOP").await;
    let effects: Vec<_> =
        taken.turns.iter().flat_map(|turn| &turn.effects).map(|effect| effect.kind).collect();
    assert_eq!(effects, [EffectKind::OptedOut]);
}

#[tokio::test(start_paused = true)]
async fn a_reply_by_the_team_silences_the_receptionist() {
    let (world, shop) = world().await;
    let handle = world.at(&shop);
    let chat = started(&handle, start(Channel::Website)).await;
    let refused = handle.change(by_operator(), ReplyByTeam { id: chat, text: text("No") }).await;
    assert_eq!(conflict(refused), Conflict::NotByText);
    let id = started(&handle, StartConversation { from: Some(phone(PHONE)), ..start(Channel::Sms) }).await;
    handle.change(by_operator(), ReplyByTeam { id, text: text("Camille here") }).await.unwrap();
    let answer = said(&handle, id, "Oh, hello").await;
    assert_eq!(answer.turns.len(), 1, "the receptionist is silent");
    let turns = shown(&handle, id).await.turns;
    assert!(turns.iter().any(|turn| turn.by == Speaker::Team && turn.text == "Camille here"));
}

#[tokio::test(start_paused = true)]
async fn a_new_conversation_replaces_the_oldest_ended_one_of_the_website() {
    let (world, shop) = world().await;
    let handle = world.at(&shop);
    let limit = LimitPatch { rows_max: Some(Some(3)), bytes_max: None };
    let limits = vec![(BudgetKind::Conversations, limit)];
    handle.change(by_operator(), PatchBudget { limits }).await.unwrap();
    let mut ids = Vec::new();
    for channel in [Channel::Voice, Channel::Website, Channel::Website] {
        let id = started(&handle, start(channel)).await;
        said(&handle, id, "Hello").await;
        handle.change(by_operator(), EndConversation { id, by: EndedBy::Team }).await.unwrap();
        ids.push(id);
    }
    for _ in 0..3 {
        started(&handle, start(Channel::Sms)).await;
    }
    let kept = handle.conversations(&ConversationFilter::default(), &first_page()).await.unwrap().items;
    assert_eq!(kept.len(), 3);
    assert!(
        kept.iter().all(|it| !ids.contains(&it.id)),
        "a new conversation must first replace a website chat, and then the oldest call"
    );
    let full = handle.change(by_operator(), start(Channel::Website)).await;
    assert_eq!(conflict(full), Conflict::BudgetUsedUp(BudgetKind::Conversations));
}

#[tokio::test(start_paused = true)]
async fn an_erasure_empties_the_conversations_of_the_contact() {
    let (world, shop) = world().await;
    let handle = world.at(&shop);
    let contact = id_of(&handle.change(by_operator(), person("Ada", PHONE, "a@b.example")).await.unwrap());
    let id = started(&handle, StartConversation { from: Some(phone(PHONE)), ..start(Channel::Sms) }).await;
    let other =
        started(&handle, StartConversation { from: Some(phone("+15550009999")), ..start(Channel::Sms) })
            .await;
    said(&handle, id, "It is me").await;
    said(&handle, other, "It is not").await;
    assert_eq!(shown(&handle, id).await.conversation.contact_id, Some(contact));
    handle.change(by_operator(), EraseContact { id: contact }).await.unwrap();
    pass(2).await;
    let erased = shown(&handle, id).await;
    assert_eq!((erased.conversation.contact_id, erased.conversation.from), (None, None));
    assert!(erased.turns.iter().all(|turn| turn.text.is_empty()));
    assert!(shown(&handle, other).await.turns.iter().any(|turn| turn.text == "It is not"));
    said(&handle, id, "Hello again").await;
}

#[tokio::test(start_paused = true)]
async fn calls_that_end_during_an_erasure_do_not_restore_the_contact() {
    let (world, shop) = world().await;
    let handle = world.at(&shop);
    let contact = id_of(&handle.change(by_operator(), person("Ada", PHONE, "a@b.example")).await.unwrap());
    let voice = || StartConversation { from: Some(phone(PHONE)), ..start(Channel::Voice) };
    let calls = [started(&handle, voice()).await, started(&handle, voice()).await];
    for id in calls {
        said(&handle, id, "It is me").await;
        assert_eq!(shown(&handle, id).await.conversation.contact_id, Some(contact));
    }
    handle.change(by_operator(), EraseContact { id: contact }).await.unwrap();
    for id in calls {
        handle.change(by_operator(), EndConversation { id, by: EndedBy::Caller }).await.unwrap();
    }
    pass(2).await;
    let recorded = handle.calls(&CallFilter::default(), &first_page()).await.unwrap().items;
    assert_eq!(recorded.len(), 2);
    for call in recorded {
        assert_eq!((call.from_number, call.contact_id, call.summary), (None, None, None));
    }
    let contacts = handle.contacts(&ContactFilter::default(), &first_page()).await.unwrap().items;
    assert!(contacts.iter().all(|contact| contact.phone.is_none()), "{contacts:?}");
}

#[tokio::test(start_paused = true)]
async fn an_erasure_empties_the_messages_of_a_chat_that_has_booked() {
    let (world, shop) = world().await;
    let handle = world.at(&shop);
    let id = started(&handle, start(Channel::Website)).await;
    let turns = [
        "I want to leave a message",
        "My first secret",
        "A cut on Thursday at 10 am",
        "Ada Lovelace",
        "ada@example.com",
        "yes",
        "I want to leave a message",
        "My second secret",
    ];
    for words in turns {
        said(&handle, id, words).await;
    }
    let contact = shown(&handle, id).await.conversation.contact_id.unwrap();
    let messages = async || handle.messages(&MessageFilter::default(), &first_page()).await.unwrap().items;
    assert!(messages().await.iter().all(|message| message.contact_id == Some(contact)));
    handle.change(by_operator(), EraseContact { id: contact }).await.unwrap();
    pass(2).await;
    let erased = messages().await;
    assert_eq!(erased.len(), 2);
    assert!(erased.iter().all(|message| message.body.is_empty()), "{erased:?}");
}

#[tokio::test(start_paused = true)]
async fn a_deleted_conversation_is_not_found_and_its_questions_are_deleted() {
    let (world, shop) = world().await;
    let handle = world.at(&shop);
    let [id, other] =
        [started(&handle, start(Channel::Voice)).await, started(&handle, start(Channel::Voice)).await];
    said(&handle, id, "Do you have a swimming pool?").await;
    said(&handle, other, "Do you sell gift cards?").await;
    let questions = async || {
        let gaps = handle.gaps(world.engine.now()).await.unwrap();
        gaps.into_iter().map(|gap| gap.question).collect::<Vec<_>>()
    };
    assert_eq!(questions().await.len(), 2);
    handle.change(by_operator(), DeleteConversation { id }).await.unwrap();
    assert_eq!(questions().await, ["Do you sell gift cards?"]);
    assert!(handle.conversation(id).await.unwrap().is_none());
    let again = handle.change(by_operator(), DeleteConversation { id }).await;
    assert!(matches!(again, Err(EngineError::Refused(Refusal::NotFound(Named::Conversation)))));
}

#[tokio::test(start_paused = true)]
async fn a_chat_needs_its_token() {
    let (world, shop) = world().await;
    let handle = world.at(&shop);
    let id = started(&handle, StartConversation { token: Some([1; 32]), ..start(Channel::Website) }).await;
    let with = |token| TakeTurn { token: Some(token), ..say(id, "Hello") };
    let request = || Request::by(Actor::Customer);
    let wrong = handle.take_turn(request(), with([2; 32])).await;
    assert!(matches!(wrong, Err(EngineError::Refused(Refusal::NotFound(Named::Conversation)))));
    handle.take_turn(request(), with([1; 32])).await.unwrap();
    let now = world.engine.now();
    assert!(handle.chat(id, [2; 32], now).await.unwrap().is_none());
    assert!(handle.chat(id, [1; 32], now).await.unwrap().is_some());
    assert!(handle.chat(id, [1; 32], now + TimeDelta::hours(25)).await.unwrap().is_none());
}

#[tokio::test(start_paused = true)]
async fn the_audit_log_names_the_receptionist() {
    let (world, shop) = world().await;
    let handle = world.at(&shop);
    let idempotency = Some(Idempotency { key: [3; 32], fingerprint: [3; 32] });
    let request = Request { idempotency, ..Request::by(Actor::Customer) };
    let id = handle.change(request, start(Channel::Website)).await.unwrap().value.id;
    said(&handle, id, "Hello").await;
    let log = handle.audit(&first_page()).await.unwrap().items;
    let by_receptionist: Vec<_> =
        log.iter().filter(|entry| entry.actor == Actor::Receptionist(id)).map(|entry| entry.action).collect();
    assert_eq!(by_receptionist, [AuditAction::ConversationContinued, AuditAction::ConversationStarted]);
}

#[tokio::test(start_paused = true)]
async fn the_settings_survive_a_restart() {
    let (mut world, shop) = world().await;
    let patch = PatchReceptionist {
        website: Some(true),
        greeting_fr: Some(Some(text("Bienvenue"))),
        team_first_seconds: Some(20),
        tokens_per_day: Some(0),
        ..PatchReceptionist::default()
    };
    world.at(&shop).change(by_operator(), patch).await.unwrap();
    world.restart().await;
    let settings = world.at(&shop).receptionist().await.unwrap();
    assert!(settings.channels.website && settings.channels.voice);
    assert_eq!(settings.greeting.fr.as_deref(), Some("Bienvenue"));
    assert_eq!((settings.team_first_seconds, settings.tokens_per_day), (20, 0));
}
