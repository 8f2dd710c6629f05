//! A chat model's server that follows a script, and an engine that uses it.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use domain::{Channel, ConversationId};
use engine::BusinessHandle;
use engine::business::commands::receptionist::PatchReceptionist;
use parking_lot::Mutex;
use ports::{BoxFuture, ModelBody, ModelFault, ModelResponse, ModelServer};
use serde_json::{Map, Value, json};
use view::TurnsTakenView;

use crate::harness::{Shop, World, by_operator};
use crate::receptionist::{say, start};

/// A step of the server: its response to one request.
pub(crate) enum Step {
    Streams(Vec<String>),
    /// The server sends these pieces, and then keeps the connection open without sending data.
    Hangs(Vec<String>),
    Status(u16, &'static str),
    Fails(ModelFault),
    Silent,
    /// The server responds after this time.
    Waits(Duration, Box<Step>),
}

#[derive(Default)]
pub(crate) struct Script {
    steps: Mutex<VecDeque<Step>>,
    asked: Mutex<Vec<Value>>,
    /// The steps for summary requests. Such a request has no tools. If no step is left, the summary is empty.
    summaries: Mutex<VecDeque<Step>>,
    summarized: Mutex<Vec<Value>>,
}

impl Script {
    pub(crate) fn will(&self, step: Step) {
        self.steps.lock().push_back(step);
    }

    pub(crate) fn will_summarize(&self, step: Step) {
        self.summaries.lock().push_back(step);
    }

    pub(crate) fn summarized(&self) -> Vec<Value> {
        self.summarized.lock().clone()
    }

    pub(crate) fn asked(&self) -> Vec<Value> {
        self.asked.lock().clone()
    }
}

struct Pieces {
    left: VecDeque<Vec<u8>>,
    hangs: bool,
}

impl ModelBody for Pieces {
    fn next(&mut self) -> BoxFuture<'_, Option<Vec<u8>>> {
        let piece = self.left.pop_front();
        let hangs = self.hangs;
        Box::pin(async move {
            if piece.is_none() && hangs {
                return std::future::pending().await;
            }
            piece
        })
    }
}

impl ModelServer for Script {
    fn ask(&self, body: Vec<u8>) -> BoxFuture<'_, Result<ModelResponse, ModelFault>> {
        let body: Value = serde_json::from_slice(&body).unwrap();
        let step = if body.get("tools").is_none() {
            self.summarized.lock().push(body);
            self.summaries.lock().pop_front().unwrap_or_else(|| Step::Streams(vec![DONE.into()]))
        } else {
            self.asked.lock().push(body);
            self.steps.lock().pop_front().expect("the script must have a step for the request")
        };
        let (wait, step) = match step {
            Step::Waits(wait, step) => (wait, *step),
            step => (Duration::ZERO, step),
        };
        let response = |status, pieces: Vec<String>, hangs| {
            let left = pieces.into_iter().map(String::into_bytes).collect();
            Ok(ModelResponse { status, body: Box::new(Pieces { left, hangs }) as Box<dyn ModelBody> })
        };
        Box::pin(async move {
            tokio::time::sleep(wait).await;
            match step {
                Step::Streams(pieces) => response(200, pieces, false),
                Step::Hangs(pieces) => response(200, pieces, true),
                Step::Status(status, text) => response(status, vec![text.into()], false),
                Step::Fails(fault) => Err(fault),
                Step::Silent => std::future::pending().await,
                Step::Waits(..) => panic!("a step waits once"),
            }
        })
    }
}

pub(crate) const DONE: &str = "data: [DONE]\n\n";
pub(crate) const HELP: &str = "Of course, I can help you with that.";

pub(crate) fn delta(delta: &Value) -> String {
    format!("data: {}\n\n", json!({"choices": [{"index": 0, "delta": delta, "finish_reason": null}]}))
}

pub(crate) fn speech(text: &str) -> String {
    delta(&json!({ "content": text }))
}

pub(crate) fn call(name: &str, arguments: &Value) -> String {
    let function = json!({"name": name, "arguments": arguments.to_string()});
    delta(&json!({"tool_calls": [{"index": 0, "id": "c1", "type": "function", "function": function}]}))
}

pub(crate) fn says(text: &str) -> Step {
    Step::Streams(vec![speech(text), DONE.into()])
}

pub(crate) fn calls(name: &str, arguments: &Value) -> Step {
    Step::Streams(vec![call(name, arguments), DONE.into()])
}

pub(crate) fn usage(tokens: u64) -> String {
    format!("data: {}\n\n", json!({"choices": [], "usage": {"total_tokens": tokens}}))
}

pub(crate) struct Stage {
    pub(crate) world: World,
    pub(crate) shop: Shop,
    pub(crate) script: Arc<Script>,
}

impl Stage {
    pub(crate) async fn new() -> Self {
        let world = World::new(7).await;
        let shop = world.shop(1).await;
        let stage = Self { world, shop, script: Arc::new(Script::default()) };
        stage.begin();
        stage
    }

    /// Connects the running engine to the scripted model. This must be repeated after a restart of the engine.
    pub(crate) fn begin(&self) {
        let server = Arc::clone(&self.script) as Arc<dyn ModelServer>;
        let options: Map<String, Value> = [("temperature".to_owned(), json!(0))].into_iter().collect();
        self.world.engine.set_model(server, "small".into(), options);
    }

    pub(crate) fn handle(&self) -> BusinessHandle {
        self.world.at(&self.shop)
    }

    pub(crate) async fn started(&self, channel: Channel) -> ConversationId {
        self.handle().change(by_operator(), start(channel)).await.unwrap().value.id
    }

    pub(crate) async fn said(&self, id: ConversationId, words: &str) -> TurnsTakenView {
        self.handle().take_turn(by_operator(), say(id, words)).await.unwrap().value
    }

    /// Starts a chat, sends these words in its first turn, and returns the receptionist's answer.
    pub(crate) async fn answer(&self, words: &str) -> String {
        let id = self.started(Channel::Website).await;
        last(&self.said(id, words).await)
    }

    pub(crate) async fn patch(&self, patch: PatchReceptionist) {
        self.handle().change(by_operator(), patch).await.unwrap();
    }
}

pub(crate) fn last(taken: &TurnsTakenView) -> String {
    taken.turns.last().unwrap().text.clone()
}
