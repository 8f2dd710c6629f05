//! Kills the process while customers talk with the receptionist, in text threads over the operator API and in chats of
//! the booking page. The customers book, move and cancel appointments, and leave messages.
//!
//! Invariants after each restart:
//! - Each acknowledged turn is stored once. A turn without a response is stored as a whole or not at all.
//! - A repeated turn gets the first response, and changes nothing.
//! - Each change that a turn states was made once, and no other appointment or message exists.
//! - Open conversations continue.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;

use parking_lot::Mutex;
use serde_json::{Value, json};

use crate::chance::{Rng, number_of, seed};
use crate::client::{Answer, Client, Shop, check_overlaps, slot, text};
use crate::customers::{KILL_DELAY_MAX, Killer, address, command};
use crate::process::Server;
use crate::say::say;

const ROUNDS: usize = 4;
const CLIENTS: usize = 8;
/// The maximum number of turns with a response before a kill.
const ANSWERED_MAX: usize = 250;
/// The number of possible start times of the appointments of a round. The start times are half an hour apart.
const SLOTS: usize = 150;
const STAFF: usize = 3;
/// The maximum number of wishes that a customer states in a chat, such as a booking or a message. This maximum keeps
/// the chat below the limit on the turns of a conversation.
const WISHES_MAX: usize = 4;

/// The effects on appointments and messages, each with the beginning of the receptionist's sentence that reports it.
const EFFECTS: [(&str, &str); 4] = [
    ("booked", "Booked: "),
    ("moved", "Moved: "),
    ("cancelled", "Cancelled: "),
    ("message_taken", "Your message is with "),
];

/// A turn of a customer. The service has acknowledged it if `response` is present.
#[derive(Clone, Debug)]
struct Said {
    body: Value,
    response: Option<Value>,
}

/// A conversation with one customer. Each customer has a different name and phone number.
#[derive(Debug)]
struct Chat {
    id: String,
    name: String,
    phone: String,
    /// The token of a chat of the booking page. It is `None` in a text thread.
    token: Option<String>,
    /// The turns in order. The last one may have no response.
    said: Vec<Said>,
    wishes: usize,
    /// The number of messages that the customer wanted to leave.
    messages: usize,
}

impl Chat {
    /// Returns the receptionist's last words, or an empty text at the start.
    fn heard(&self) -> String {
        let last = self.said.last().and_then(|said| said.response.as_ref());
        let turns = last.and_then(|response| response["turns"].as_array());
        let last = turns.and_then(|turns| turns.last());
        last.map(|turn| text(turn, "text")).unwrap_or_default()
    }

    fn has_ended(&self) -> bool {
        self.said.last().and_then(|said| said.response.as_ref()).is_some_and(|said| said["ended"] == true)
    }

    /// Returns the customer's next words, or `None` if the customer wants nothing more.
    fn next_words(&mut self, rng: &mut Rng, round: usize) -> Option<String> {
        let heard = self.heard();
        let has = |words: &str| heard.contains(words);
        let soon = slot(i64::try_from(round * SLOTS + rng.below(SLOTS)).unwrap());
        let at = chrono::DateTime::parse_from_rfc3339(&soon).unwrap().format("%-d %B at %H:%M");
        if has("What is your name?") {
            return Some(self.name.clone());
        } else if has("What is your phone number?") {
            return Some(self.phone.clone());
        } else if has("What is your message?") {
            self.messages += 1;
            return Some(format!("Please call {} about matter {}", self.name, self.messages));
        } else if has("Shall I book it?") {
            return Some(if rng.below(6) == 0 { "no" } else { "yes" }.into());
        } else if let Some((_, number)) = heard.split_once("Reply ") {
            let number: String = number.chars().take_while(char::is_ascii_digit).collect();
            return Some(if rng.below(6) == 0 { "no".into() } else { number });
        } else if has("Which day suits you?") {
            return Some(if rng.below(2) == 0 { "1".into() } else { at.to_string() });
        } else if ["Which one suits you?", "At what time?", "Which appointment?"].into_iter().any(has) {
            return Some("1".into());
        }
        if self.wishes == WISHES_MAX {
            return None;
        }
        self.wishes += 1;
        Some(match rng.below(6) {
            0 => "I want to move my appointment".into(),
            1 => "cancel my appointment".into(),
            2 => "I want to leave a message".into(),
            _ => format!("Cut on {at}"),
        })
    }
}

struct Scene {
    client: Client,
    shop: Arc<Shop>,
    killer: Killer,
    round: usize,
}

/// The process was killed, so it no longer responds.
struct Killed;

/// The data of a response without the links of a chat, which are new in each response. The response to a
/// repeated request must contain the same data.
fn lasting(answer: &Answer) -> Value {
    let mut data = answer.body["data"].clone();
    for choice in data["choices"].as_array_mut().into_iter().flatten() {
        choice.as_object_mut().unwrap().remove("url");
    }
    data
}

/// Sends a turn. Its number is its idempotency key.
async fn send(
    client: &Client,
    shop: &Shop,
    rng: &mut Rng,
    chat: &Chat,
    (number, body): (usize, &Value),
) -> Option<Answer> {
    match &chat.token {
        Some(token) => {
            let mut body = body.clone();
            body["turn_id"] = number.to_string().into();
            let path = format!("/book/shop/conversations/{}/turns", chat.id);
            client.chat(&address(rng), &path, token, &body).await
        }
        None => {
            let path = format!("/businesses/{}/conversations/{}/turns", shop.id, chat.id);
            client.operator_once(&path, body, &format!("{}-{number}", chat.id)).await
        }
    }
}

impl Scene {
    /// Starts a conversation.
    async fn start(&self, rng: &mut Rng, (number, count): (usize, usize)) -> Result<Chat, Killed> {
        let letter = |number: usize| char::from(b'a' + u8::try_from(number % 26).unwrap());
        let name = format!(
            "Customer {}{}{}{}",
            letter(self.round),
            letter(number),
            letter(count / 26),
            letter(count)
        );
        let phone = format!("+1415{}{number}{count:04}", 50 + self.round);
        let (answer, is_chat) = if rng.below(2) == 0 {
            let body = json!({ "locale": "en" });
            let answer = self.client.chat(&address(rng), "/book/shop/conversations", "", &body).await;
            (answer, true)
        } else {
            let body = json!({ "channel": "sms", "from": phone, "locale": "en" });
            let path = format!("/businesses/{}/conversations", self.shop.id);
            (self.client.ask_operator("POST", &path, Some(body)).await, false)
        };
        let answer = answer.ok_or(Killed)?;
        assert_eq!(answer.status, 201, "{answer:?}");
        let (id, token) = (answer.text("id"), is_chat.then(|| answer.text("token")));
        Ok(Chat { id, name, phone, token, said: Vec::new(), wishes: 0, messages: 0 })
    }

    /// Lets the customer speak until the conversation ends or the customer wants nothing more.
    async fn speak(&self, rng: &mut Rng, chat: &mut Chat) -> Result<(), Killed> {
        while !chat.has_ended()
            && let Some(words) = chat.next_words(rng, self.round)
        {
            let body = json!({ "text": words });
            let number = chat.said.len();
            chat.said.push(Said { body: body.clone(), response: None });
            let answer = send(&self.client, &self.shop, rng, chat, (number, &body)).await.ok_or(Killed)?;
            assert_eq!(answer.status, 200, "{chat:?}: {answer:?}");
            chat.said[number].response = Some(lasting(&answer));
            self.killer.answered().await;
        }
        Ok(())
    }

    async fn be_customers(
        &self,
        chats: &Mutex<Vec<Chat>>,
        open: &Mutex<Vec<Chat>>,
        rng: &mut Rng,
        number: usize,
    ) {
        for count in 0.. {
            let before = open.lock().pop();
            let mut chat = match before {
                Some(chat) => chat,
                None => match self.start(rng, (number, count)).await {
                    Ok(chat) => chat,
                    Err(Killed) => return,
                },
            };
            let spoke = self.speak(rng, &mut chat).await;
            chats.lock().push(chat);
            if spoke.is_err() {
                return;
            }
        }
    }
}

/// Plays customers until the process is killed. The open conversations of earlier rounds continue first.
async fn work_until_killed(scene: Scene, chats: Vec<Chat>, rng: &mut Rng) -> Vec<Chat> {
    let (scene, open) = (Arc::new(scene), Arc::new(Mutex::new(chats)));
    let spoken = Arc::<Mutex<Vec<Chat>>>::default();
    let mut clients = Vec::new();
    for number in 0..CLIENTS {
        let (scene, open, spoken) = (Arc::clone(&scene), Arc::clone(&open), Arc::clone(&spoken));
        let mut rng = rng.fork();
        clients.push(tokio::spawn(async move { scene.be_customers(&spoken, &open, &mut rng, number).await }));
    }
    for client in clients {
        client.await.unwrap();
    }
    let server = &scene.killer.server;
    assert_eq!(server.wait().code(), None, "the process ended by itself: {}", server.errors());
    let mut chats = std::mem::take(&mut *spoken.lock());
    chats.append(&mut open.lock());
    chats
}

/// The turns of a conversation, without the greeting of a chat.
async fn stored(client: &Client, shop: &Shop, chat: &Chat) -> Vec<Value> {
    let path = format!("/businesses/{}/conversations/{}", shop.id, chat.id);
    let found = client.operator("GET", &path, None).await["data"].clone();
    let mut turns = found["turns"].as_array().unwrap().clone();
    for (turn, seq) in turns.iter().zip(1_u64..) {
        assert_eq!(turn["seq"], seq, "{turn}");
    }
    assert_eq!(found["turn_count"], turns.len(), "{found}");
    if chat.token.is_some() {
        assert_eq!(turns.remove(0)["by"], "receptionist");
    }
    turns
}

/// Whether a turn in a response agrees with this stored turn. Responses to customers omit the effects.
fn is_shown(turn: &Value, stored: &Value) -> bool {
    turn.as_object().unwrap().iter().all(|(field, value)| stored[field] == *value)
}

/// Checks that the first stored turns are the turns that the client has received. Returns the other stored turns.
fn unshown<'a>(chat: &Chat, stored: &'a [Value]) -> &'a [Value] {
    let responses = chat.said.iter().filter_map(|said| said.response.as_ref());
    let shown: Vec<&Value> = responses.flat_map(|response| response["turns"].as_array().unwrap()).collect();
    assert!(shown.len() <= stored.len(), "turns are missing: {chat:?} {stored:?}");
    let (first, rest) = stored.split_at(shown.len());
    for (turn, stored) in shown.iter().zip(first) {
        assert!(is_shown(turn, stored), "{turn} was stored as {stored}");
    }
    rest
}

/// Checks the stored turns, and repeats all turns.
async fn check_turns(client: &Client, shop: &Shop, rng: &mut Rng, chat: &mut Chat) {
    let before = stored(client, shop, chat).await;
    let rest = unshown(chat, &before);
    let unknown = chat.said.last().filter(|said| said.response.is_none()).cloned();
    if let Some(turn) = rest.first() {
        let unknown = unknown.as_ref().unwrap_or_else(|| panic!("{chat:?} has other turns: {rest:?}"));
        assert_eq!((&turn["by"], &turn["text"]), (&json!("caller"), &unknown.body["text"]), "{rest:?}");
        assert!(rest.len() == 2 && rest[1]["by"] == "receptionist", "a turn is incomplete: {rest:?}");
    }
    for number in 0..chat.said.len() {
        let Said { body, response } = chat.said[number].clone();
        let answer = send(client, shop, rng, chat, (number, &body)).await.unwrap();
        assert_eq!(answer.status, 200, "{chat:?}: {answer:?}");
        let again = lasting(&answer);
        if let Some(response) = response {
            assert_eq!(again, response, "a repeated turn has another response");
        } else if chat.token.is_none() {
            assert_eq!(answer.replayed, !rest.is_empty(), "{answer:?}");
        }
        chat.said[number].response = Some(again);
    }
    let after = stored(client, shop, chat).await;
    assert!(unshown(chat, &after).is_empty(), "{chat:?}: {after:?}");
    if !rest.is_empty() || unknown.is_none() {
        assert_eq!(after, before, "a repeated turn was taken twice");
    }
}

/// The status of an appointment, and the receptionist's words that state its time.
type Stated = (String, String);

/// The records that exist according to the turns of all conversations.
#[derive(Debug, Default, PartialEq)]
struct Records {
    appointments: BTreeMap<String, Stated>,
    /// The bodies of the messages.
    messages: BTreeMap<String, String>,
}

impl Records {
    /// Adds the effects of a conversation. Checks that the text of each turn contains exactly one line per effect, for
    /// each kind in [`EFFECTS`].
    fn add(&mut self, turns: &[Value]) {
        for (at, turn) in turns.iter().enumerate() {
            let words = text(turn, "text");
            let effects = turn["effects"].as_array().unwrap();
            for (kind, line) in EFFECTS {
                let made = effects.iter().filter(|effect| effect["kind"] == kind).count();
                assert_eq!(words.matches(line).count(), made, "the line and the effects differ: {turn}");
            }
            for effect in effects {
                let kind = text(effect, "kind");
                if !EFFECTS.iter().any(|(known, _)| *known == kind) {
                    continue;
                }
                let id = text(effect, "resource_id");
                if kind == "message_taken" {
                    self.messages.insert(id, text(&turns[at - 1], "text"));
                    continue;
                }
                let status = if kind == "cancelled" { "cancelled" } else { "confirmed" };
                let is_new = self.appointments.insert(id, (status.into(), words.clone())).is_none();
                assert_eq!(is_new, kind == "booked", "{turn}");
            }
        }
    }

    /// Checks that exactly these records are stored.
    async fn check(&self, client: &Client, shop: &Shop) {
        let all = client.operator_list(&format!("/businesses/{}/appointments", shop.id)).await;
        check_overlaps(&all);
        assert_eq!(all.len(), self.appointments.len(), "an appointment has no line");
        for one in all {
            let (status, words) = &self.appointments[&text(&one, "id")];
            let starts_at = chrono::DateTime::parse_from_rfc3339(&text(&one, "starts_at")).unwrap();
            let when = starts_at.format("%A %-d %B at %H:%M").to_string();
            assert!(
                one["status"] == **status && words.contains(&when),
                "{one} differs from the turns: {words:?}"
            );
        }
        let messages = client.operator_list(&format!("/businesses/{}/messages", shop.id)).await;
        let bodies = messages.iter().map(|message| (text(message, "id"), text(message, "body"))).collect();
        assert_eq!(self.messages, bodies, "the messages differ from the turns");
    }
}

/// Checks the list of conversations. It must contain each conversation of `chats` once. Only a website chat without a
/// turn of the caller may be missing. A listed conversation that is not in `chats` must have at most one turn, because
/// the request that started it got no response.
async fn check_list(client: &Client, shop: &Shop, chats: &[Chat]) {
    let all = client.operator_list(&format!("/businesses/{}/conversations", shop.id)).await;
    let ids: Vec<String> = all.iter().map(|found| text(found, "id")).collect();
    for chat in chats {
        let count = ids.iter().filter(|id| **id == chat.id).count();
        assert!(
            count == 1 || chat.said.is_empty() && chat.token.is_some(),
            "{chat:?} is listed {count} times"
        );
    }
    for found in all {
        let is_known = chats.iter().any(|chat| found["id"] == chat.id);
        assert!(is_known || found["turn_count"].as_u64().unwrap() <= 1, "{found}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_acknowledged_turn_and_its_changes_survive_a_kill() {
    let (rounds, seed) = (number_of("CRASH_ROUNDS", ROUNDS), seed());
    say(format_args!("to repeat this run, set CRASH_SEED={seed}"));
    let (mut rng, home) = (Rng(seed), tempfile::tempdir().unwrap());
    let (data_dir, log) = (home.path().join("data"), home.path().join("data.log"));
    let mut server = Arc::new(Server::start(command(&data_dir), &log));
    let mut client = Client::of(&server);
    let shop = Arc::new(Shop::create(&client, STAFF).await);
    let of = format!("/businesses/{}", shop.id);
    // In this region, the receptionist states times on the 24-hour clock.
    client.operator("PATCH", &of, Some(json!({ "phone_region": "GB" }))).await;
    let page = json!({ "enabled": true, "slug": "shop" });
    client.operator("PATCH", &format!("{of}/website"), Some(page)).await;
    let channels = json!({ "channels": { "website": true } });
    client.operator("PATCH", &format!("{of}/receptionist"), Some(channels)).await;
    let (mut chats, mut records) = (Vec::new(), Records::default());
    for round in 0..rounds {
        let (left, delay) = (AtomicUsize::new(1 + rng.below(ANSWERED_MAX)), rng.moment(KILL_DELAY_MAX));
        let killer = Killer { server, left, delay };
        chats = work_until_killed(Scene { client, shop: Arc::clone(&shop), killer, round }, chats, &mut rng)
            .await;
        server = Arc::new(Server::start(command(&data_dir), &log));
        client = Client::of(&server);
        check_list(&client, &shop, &chats).await;
        records = Records::default();
        for chat in &mut chats {
            check_turns(&client, &shop, &mut rng, chat).await;
            records.add(&stored(&client, &shop, chat).await);
        }
        records.check(&client, &shop).await;
    }
    let turns: usize = chats.iter().map(|chat| chat.said.len()).sum();
    say(format_args!(
        "{rounds} rounds, {} conversations, {turns} turns of customers, {} appointments, {} messages",
        chats.len(),
        records.appointments.len(),
        records.messages.len()
    ));
    server.signal("TERM");
    assert_eq!(server.wait().code(), Some(0), "{}", server.errors());
    let report = engine::verify::verify(&data_dir).await.unwrap();
    assert!(report.is_whole(), "{:?}", report.findings);
}
