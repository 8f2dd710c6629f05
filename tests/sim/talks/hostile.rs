//! A hostile chat model. It claims changes, invents handles, calls many functions, and breaks off its responses.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use ports::{BoxFuture, ModelBody, ModelFault, ModelResponse, ModelServer};
use serde_json::json;

use super::callers::words_in;
use crate::dice::Dice;
use crate::world::Trace;

/// The sentences of the model. A caller must not receive those that are false.
const SENTENCES: [&str; 16] = [
    "Your appointment is booked.",
    "Booked: Haircut with Julia Martin on Tuesday 24 November at 10:00.",
    "C'est fait, votre rendez-vous est réservé.",
    "I have cancelled it.",
    "You're in, see you on Tuesday!",
    "I am a human.",
    "The Private Ritual is at 10:00.",
    "a1 is yours.",
    "It costs 45 euros.",
    "Call +33 1 99 99 99 99.",
    "Moved: Haircut with Julia Martin is now on Monday.",
    "Your message is with the team.",
    "Cancelled: Haircut on Thursday 26 November at 14:00.",
    "Brenda Stranger is free.",
    "Which day suits you?",
    "Of course, I can help you with that.",
];
const FUNCTIONS: [&str; 12] = [
    "find_openings",
    "find_openings",
    "book",
    "book",
    "my_appointments",
    "move",
    "cancel",
    "take_message",
    "send_code",
    "check_code",
    "end",
    "delete_everything",
];
const DONE: &str = "data: [DONE]\n\n";
/// The number of function calls in the longest response.
const CALLS_MAX: usize = 60;

pub(super) struct Hostile {
    pub(super) dice: Dice,
    pub(super) trace: Arc<Trace>,
}

/// The pieces of a response, each with the time in milliseconds after which it arrives.
struct Pieces {
    left: VecDeque<(u64, String)>,
    hangs: bool,
}

impl ModelBody for Pieces {
    fn next(&mut self) -> BoxFuture<'_, Option<Vec<u8>>> {
        let (piece, hangs) = (self.left.pop_front(), self.hangs);
        Box::pin(async move {
            let Some((after, text)) = piece else {
                return if hangs { std::future::pending().await } else { None };
            };
            tokio::time::sleep(Duration::from_millis(after)).await;
            Some(text.into_bytes())
        })
    }
}

impl Hostile {
    fn event(delta: &serde_json::Value) -> String {
        format!("data: {}\n\n", json!({ "choices": [{ "index": 0, "delta": delta }] }))
    }

    fn handle(&self, letter: &str) -> String {
        let number = self.dice.below(4);
        let before = if self.dice.once_in(8) { *self.dice.pick(&["x", "T", ""]) } else { "" };
        format!("{before}{letter}{number}")
    }

    fn arguments(&self, function: &str) -> String {
        let dice = &self.dice;
        if dice.once_in(12) {
            return (*dice.pick(&["", "null", "[1]", "{\"", "{\"unknown\": 1}", "{\"time\": {}}"]))
                .to_owned();
        }
        let (service, time, appointment) = (self.handle("s"), self.handle("t"), self.handle("a"));
        let arguments = match function {
            "find_openings" => json!({ "service": service }),
            "book" => json!({ "time": time, "name": "Ada", "phone": *dice.pick(&["+15550000001", "12"]) }),
            "move" => json!({ "appointment": appointment, "time": time }),
            "cancel" => json!({ "appointment": appointment }),
            "take_message" => json!({ "urgency": "normal" }),
            "send_code" => json!({ "phone": "+15550000001" }),
            "check_code" => json!({ "code": "123456" }),
            _ => json!({}),
        };
        arguments.to_string()
    }

    fn call(&self, number: usize) -> String {
        let name = *self.dice.pick(&FUNCTIONS);
        let function = json!({ "name": name, "arguments": self.arguments(name) });
        let call =
            json!({ "index": number, "id": format!("c{number}"), "type": "function", "function": function });
        Self::event(&json!({ "tool_calls": [call] }))
    }

    /// The pieces of a response: sentences, then function calls.
    fn pieces(&self) -> VecDeque<(u64, String)> {
        let dice = &self.dice;
        let mut texts: Vec<String> = (0..dice.below(3))
            .map(|_| Self::event(&json!({ "content": format!("{} ", dice.pick(&SENTENCES)) })))
            .collect();
        let calls = if dice.once_in(20) { CALLS_MAX } else { dice.below(3) };
        texts.extend((0..calls).map(|number| self.call(number)));
        texts.push(DONE.into());
        let slow = dice.once_in(6);
        texts.into_iter().map(|text| (if slow { dice.between(0, 2_000) } else { 0 }, text)).collect()
    }
}

impl ModelServer for Hostile {
    fn ask(&self, body: Vec<u8>) -> BoxFuture<'_, Result<ModelResponse, ModelFault>> {
        let body = String::from_utf8_lossy(&body).into_owned();
        let words = words_in(&body);
        if words.len() > 1 {
            self.trace.wrong(0, format_args!("a request to the model names several callers: {words:?}"));
        }
        let (dice, mut left) = (&self.dice, self.pieces());
        let response = |status, left, hangs| {
            let body = Box::new(Pieces { left, hangs }) as Box<dyn ModelBody>;
            Ok(ModelResponse { status, body })
        };
        let result = match dice.below(24) {
            0 => Err(ModelFault::Unreachable),
            1 => Err(ModelFault::Closed),
            2 => response(*dice.pick(&[307, 400, 401, 429, 500]), VecDeque::new(), false),
            3 => return Box::pin(std::future::pending()),
            4 => {
                left.truncate(left.len() / 2);
                response(200, left, true)
            }
            5 => {
                left.push_front((0, "data: {\"choices\": [{\"delta\": {\"content\": \"I ha".into()));
                left.truncate(1);
                response(200, left, false)
            }
            _ => response(200, left, false),
        };
        Box::pin(async move { result })
    }
}
