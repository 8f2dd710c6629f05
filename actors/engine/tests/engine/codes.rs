//! Codes with which callers prove that they are a contact, and wrong confirmation numbers in text threads.

use std::sync::Arc;

use domain::{AppointmentId, Channel, ContactId, ConversationId, EffectKind, Phone, Speaker};
use engine::BusinessHandle;
use engine::business::commands::conversations::{EndConversation, StartConversation, TakeTurn};
use engine::mail::letter::Content;

use crate::erasing::person;
use crate::harness::{Shop, World, at, by_operator, everything_else_runs, id_of, pass};
use crate::post::Post;
use crate::receptionist::{phone, said, say, shown, start, started, world};

const NUMBER: &str = "+15550000007";
const SENT: &str = "If we know this number, a code is on its way. Please give me the code.";
const WRONG: &str = "That is not the code.";

struct Salon {
    world: World,
    shop: Shop,
    post: Arc<Post>,
    contact: ContactId,
    booked: AppointmentId,
}

impl Salon {
    /// A business with a contact who has an email address and a future appointment.
    async fn open() -> Self {
        let (world, shop) = world().await;
        let post = Post::of(&world.engine);
        let handle = world.at(&shop);
        let ada = person("Ada Lovelace", NUMBER, "ada@example.com");
        let contact = id_of(&handle.change(by_operator(), ada).await.unwrap());
        let booked = id_of(&handle.change(by_operator(), shop.booking(at(2, 9), 7)).await.unwrap());
        Self { world, shop, post, contact, booked }
    }

    fn handle(&self) -> BusinessHandle {
        self.world.at(&self.shop)
    }

    async fn calls(&self, from: Option<&str>) -> ConversationId {
        let from = from.map(phone);
        started(&self.handle(), StartConversation { from, ..start(Channel::Voice) }).await
    }

    async fn said(&self, id: ConversationId, words: &str) -> String {
        let taken = said(&self.handle(), id, words).await;
        let by_receptionist = taken.turns.iter().rev().find(|turn| turn.by == Speaker::Receptionist);
        by_receptionist.map(|turn| turn.text.clone()).unwrap_or_default()
    }

    /// The codes that were mailed since the mails were last read, each with the address of its mail.
    async fn mailed(&self) -> Vec<(String, String)> {
        everything_else_runs().await;
        let codes = self.post.take().into_iter().filter_map(|letter| match letter.content {
            Content::Code(code) => Some((letter.to.address, code)),
            _ => None,
        });
        codes.collect()
    }

    /// The only code that was mailed since the mails were last read.
    async fn code(&self) -> String {
        let mut mailed = self.mailed().await;
        assert_eq!(mailed.len(), 1, "{mailed:?}");
        assert_eq!(mailed[0].0, "ada@example.com");
        mailed.remove(0).1
    }
}

/// Six digits that are not the code.
fn other(code: &str) -> String {
    format!("{:06}", (code.parse::<u32>().unwrap() + 1) % 1_000_000)
}

#[tokio::test(start_paused = true)]
async fn a_caller_cancels_an_appointment_after_the_mailed_code() {
    let mut salon = Salon::open().await;
    // A crash ends a call of the channel `voice`. A conversation of the channel `assistant` continues.
    let assistant = StartConversation { from: Some(phone(NUMBER)), ..start(Channel::Assistant) };
    let id = started(&salon.handle(), assistant).await;
    assert_eq!(salon.said(id, "I want to cancel my appointment").await, SENT);
    let code = salon.code().await;
    assert_eq!((code.len(), code.bytes().all(|byte| byte.is_ascii_digit())), (6, true), "{code}");
    assert!(salon.said(id, &other(&code)).await.starts_with(WRONG));
    salon.world.crash(0).await;
    salon.post.begin(&salon.world.engine);
    let read_back = salon.said(id, &code).await;
    assert!(read_back.starts_with("Cut ") && read_back.ends_with("Shall I cancel it?"), "{read_back}");
    let verified = shown(&salon.handle(), id).await;
    assert!(verified.conversation.verified);
    assert_eq!(verified.conversation.contact_id, Some(salon.contact));
    let kinds: Vec<_> =
        verified.turns.iter().flat_map(|turn| &turn.effects).map(|effect| effect.kind).collect();
    assert_eq!(kinds, [EffectKind::CodeSent, EffectKind::Verified]);
    let mut spoken = verified.turns.iter().filter(|turn| turn.by == Speaker::Receptionist);
    assert!(spoken.all(|turn| !turn.text.contains(&code)), "the receptionist must not say the code");
    assert!(salon.said(id, "yes").await.starts_with("Cancelled: Cut"));
    let cancelled = salon.handle().appointment(salon.booked).await.unwrap().unwrap();
    assert!(!cancelled.status.is_active());
}

#[tokio::test(start_paused = true)]
async fn the_response_does_not_show_whether_a_contact_exists() {
    let salon = Salon::open().await;
    let without = person("Bo Diddley", "+15550000008", "bo@example.com");
    salon.handle().change(by_operator(), without).await.unwrap();
    for from in [NUMBER, "+15550000008", "+15550000009"] {
        let id = salon.calls(Some(from)).await;
        assert_eq!(salon.said(id, "I want to move my appointment").await, SENT, "{from}");
        let mailed = salon.mailed().await;
        // Only the contact with the phone number `NUMBER` has a future appointment, so only this contact gets a mail.
        assert_eq!(mailed.len(), usize::from(from == NUMBER), "{from}: {mailed:?}");
        assert!(salon.said(id, "123456").await.starts_with(WRONG));
    }
}

#[tokio::test(start_paused = true)]
async fn a_code_has_five_tries_ten_minutes_and_one_conversation() {
    let salon = Salon::open().await;
    let id = salon.calls(Some(NUMBER)).await;
    salon.said(id, "I want to cancel my appointment").await;
    let code = salon.code().await;
    let stranger = salon.calls(Some(NUMBER)).await;
    salon.said(stranger, "I want to cancel my appointment").await;
    assert_ne!(salon.code().await, code);
    assert!(salon.said(stranger, &code).await.starts_with(WRONG), "the code of another conversation");
    for _ in 0..4 {
        salon.said(id, &other(&code)).await;
    }
    assert!(salon.said(id, &code).await.ends_with("Shall I cancel it?"), "the fifth try may be right");

    let salon = Salon::open().await;
    let id = salon.calls(Some(NUMBER)).await;
    salon.said(id, "I want to cancel my appointment").await;
    let code = salon.code().await;
    for _ in 0..5 {
        salon.said(id, &other(&code)).await;
    }
    salon.said(id, &code).await;
    assert!(!shown(&salon.handle(), id).await.conversation.verified, "there is no sixth try");

    let salon = Salon::open().await;
    let id = salon.calls(Some(NUMBER)).await;
    salon.said(id, "I want to cancel my appointment").await;
    let code = salon.code().await;
    pass(10).await;
    assert!(salon.said(id, &code).await.starts_with(WRONG), "the code is ten minutes old");
}

#[tokio::test(start_paused = true)]
async fn a_contact_gets_three_codes_an_hour_and_five_a_day() {
    let mut salon = Salon::open().await;
    let mut sent = Vec::new();
    for hour in 0..4 {
        let mut count = 0;
        for _ in 0..4 {
            let id = salon.calls(Some(NUMBER)).await;
            assert_eq!(salon.said(id, "I want to cancel my appointment").await, SENT);
            count += salon.mailed().await.len();
        }
        sent.push(count);
        if hour == 0 {
            salon.world.restart().await;
            salon.post.begin(&salon.world.engine);
            let id = salon.calls(Some(NUMBER)).await;
            salon.said(id, "I want to cancel my appointment").await;
            assert!(salon.mailed().await.is_empty(), "a restart must not reset the count");
        }
        pass(61).await;
    }
    assert_eq!(sent, [3, 2, 0, 0]);
}

#[tokio::test(start_paused = true)]
async fn only_a_new_code_is_mailed() {
    fn read_phone(written: &str, _: &str) -> Option<Phone> {
        Phone::from_e164(written.to_owned()).ok()
    }
    let salon = Salon::open().await;
    let id = salon.calls(Some(NUMBER)).await;
    assert_eq!(salon.said(id, "I want to cancel my appointment").await, SENT);
    let code = salon.code().await;
    let names = async |number: &str| {
        let turn = TakeTurn { read_phone, ..say(id, number) };
        let taken = salon.handle().take_turn(by_operator(), turn).await.unwrap().value;
        taken.turns.last().unwrap().text.clone()
    };
    // No contact has this number.
    assert_eq!(names("+15550000099").await, SENT);
    assert!(salon.mailed().await.is_empty());
    for mails in [1, 1, 0] {
        assert_eq!(names(NUMBER).await, SENT);
        assert_eq!(salon.mailed().await.len(), mails);
    }
    salon.said(id, &code).await;
    assert!(!shown(&salon.handle(), id).await.conversation.verified, "only the newest code is valid");
}

#[tokio::test(start_paused = true)]
async fn without_mail_no_appointment_is_disclosed_in_a_call() {
    let (world, shop) = world().await;
    let handle = world.at(&shop);
    let ada = person("Ada Lovelace", NUMBER, "ada@example.com");
    handle.change(by_operator(), ada).await.unwrap();
    handle.change(by_operator(), shop.booking(at(2, 9), 7)).await.unwrap();
    let from = Some(phone(NUMBER));
    let id = started(&handle, StartConversation { from, ..start(Channel::Voice) }).await;
    let taken = said(&handle, id, "I want to cancel my appointment").await;
    let answer = &taken.turns.last().unwrap().text;
    assert!(answer.starts_with("Appointments cannot be changed here."), "{answer}");
}

#[tokio::test(start_paused = true)]
async fn a_code_is_mailed_again_after_a_failure_of_the_relay() {
    let salon = Salon::open().await;
    salon.post.dies(true);
    let id = salon.calls(Some(NUMBER)).await;
    assert_eq!(salon.said(id, "I want to cancel my appointment").await, SENT);
    assert!(salon.mailed().await.is_empty());
    salon.post.dies(false);
    pass(1).await;
    let code = salon.code().await;
    assert!(salon.said(id, &code).await.ends_with("Shall I cancel it?"));
}

/// Starts a text thread from the phone number [`NUMBER`].
async fn texts(handle: &BusinessHandle) -> ConversationId {
    started(handle, StartConversation { from: Some(phone(NUMBER)), ..start(Channel::Sms) }).await
}

/// Sends two digits that are not the confirmation number in the last answer.
async fn wrong_number(salon: &Salon, id: ConversationId, read_back: &str) -> String {
    let (_, number) = read_back.rsplit_once("Reply ").unwrap_or_else(|| panic!("{read_back}"));
    let number: u32 = number[..2].parse().unwrap();
    salon.said(id, &(10 + (number - 10 + 1) % 90).to_string()).await
}

#[tokio::test(start_paused = true)]
async fn a_new_text_thread_does_not_reset_the_count_of_wrong_numbers() {
    let salon = Salon::open().await;
    let handle = salon.handle();
    let first = texts(&handle).await;
    let read_back = salon.said(first, "I want to cancel my appointment").await;
    for _ in 0..2 {
        assert!(wrong_number(&salon, first, &read_back).await.ends_with(WRONG));
    }
    assert!(said(&handle, first, "STOP").await.ended);
    let second = texts(&handle).await;
    let read_back = salon.said(second, "I want to cancel my appointment").await;
    assert!(wrong_number(&salon, second, &read_back).await.contains("Nothing was changed."));
    assert_eq!(salon.said(second, "Hello?").await, "", "the thread is silent after three wrong numbers");
    let end = EndConversation { id: second, by: domain::EndedBy::Team };
    handle.change(by_operator(), end).await.unwrap();
    let third = texts(&handle).await;
    assert_eq!(salon.said(third, "I want to cancel my appointment").await, "", "so is a new thread");
    pass(61).await;
    let read_back = salon.said(third, "I want to cancel my appointment").await;
    let number = read_back.rsplit_once("Reply ").unwrap().1[..2].to_owned();
    assert!(salon.said(third, &number).await.starts_with("Cancelled: Cut"));
}

#[tokio::test(start_paused = true)]
async fn an_emergency_is_answered_during_a_silence_and_does_not_end_it() {
    let salon = Salon::open().await;
    let id = texts(&salon.handle()).await;
    let read_back = salon.said(id, "I want to cancel my appointment").await;
    for _ in 0..3 {
        wrong_number(&salon, id, &read_back).await;
    }
    assert_eq!(salon.said(id, "Hello?").await, "");
    assert_eq!(salon.said(id, "I have chest pain").await, "If this is an emergency, call 911 now.");
    for words in ["Hello?", "chest pain", "I want to cancel my appointment"] {
        assert_eq!(salon.said(id, words).await, "", "{words}");
    }
    let kinds = shown(&salon.handle(), id).await.turns.into_iter().flat_map(|turn| turn.effects);
    assert_eq!(kinds.filter(|effect| effect.kind == EffectKind::Emergency).count(), 1);
}
