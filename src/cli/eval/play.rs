//! One run of a scenario, on a service of its own.

use std::sync::Arc;
use std::time::Duration;

use chrono::TimeDelta;
use domain::{Actor, AppointmentStatus, BusinessId, Channel, ConversationId, EndedBy, Speaker, Timestamp};
use engine::business::commands::conversations::{EndConversation, StartConversation, TakeTurn};
use engine::business::{AppointmentFilter, MessageFilter, Page, PageRequest, Request};
use engine::moving::ImportOptions;
use engine::{BusinessHandle, Engine, EngineError};
use net::{ModelClient, Ports};
use ports::{Clock, ModelServer, system_clock, system_random};
use serde_json::{Map, Value, json};
use store::{MemoryBackend, Store};
use talk::Said;
use view::{ImportedView, OperatorAppointmentView, OperatorMessageView};

use super::super::carry_out::Failure;
use super::post::Codes;
use super::scenario::{OtherThanText, Says, Scenario};
use crate::config::{ConfigError, ModelKey, ModelSettings, variables};
use crate::english;
use crate::moving::{FORMAT, Taking, VERSION, place};
use crate::rest::values::phone::read_phone;

const PAGE: usize = 100;

/// The chat model that speaks for the receptionist in all runs.
pub(super) struct Model {
    server: Arc<dyn ModelServer>,
    name: String,
    options: Map<String, Value>,
}

impl Model {
    pub(super) fn of(settings: &ModelSettings) -> Result<Self, Failure> {
        let ports = Ports::system().map_err(Failure::new)?;
        let key = settings.key.as_ref().map(ModelKey::as_str);
        let client =
            settings.address().and_then(|address| ModelClient::new(&ports, &ports.trust, address, key));
        let refused = || ConfigError::new(variables::LLM_URL, "requests cannot be sent to this address");
        let server = Arc::new(client.ok_or_else(refused)?);
        Ok(Self { server, name: settings.model.clone(), options: settings.options.clone() })
    }
}

/// The records after a run.
pub(super) struct Played {
    /// The active appointments, by start.
    pub(super) appointments: Vec<Value>,
    /// The messages, newest first.
    pub(super) messages: Vec<Value>,
    pub(super) outcome: Option<String>,
    /// The receptionist's words, one text for each turn.
    pub(super) said: Vec<String>,
}

/// A clock that begins at the time of the scenario.
struct ScenarioClock {
    begins: Timestamp,
    system: Arc<dyn Clock>,
    read: Duration,
}

impl ScenarioClock {
    fn at(begins: Timestamp) -> Self {
        let system = system_clock();
        let read = system.steady();
        Self { begins, system, read }
    }
}

impl Clock for ScenarioClock {
    fn now(&self) -> Timestamp {
        let passed = self.system.steady().saturating_sub(self.read);
        self.begins + TimeDelta::from_std(passed).unwrap_or_default()
    }

    fn steady(&self) -> Duration {
        self.system.steady()
    }
}

/// Plays a scenario once. The error is a text for the user.
pub(super) async fn play(scenario: &Scenario, model: Option<&Model>) -> Result<Played, String> {
    let store = Store::in_memory(&MemoryBackend::new(), Box::new(|_| ())).map_err(text_of)?;
    let ports = Ports::with_clock_and_random(Arc::new(ScenarioClock::at(scenario.now)), system_random());
    let engine = Engine::start(store, ports).await.map_err(text_of)?;
    if let Some(Model { server, name, options }) = model {
        engine.set_model(Arc::clone(server), name.clone(), options.clone());
    }
    let (codes, mail) = Codes::collected();
    engine.begin_mail(mail);
    let played = in_service(scenario, &engine, codes).await;
    engine.close().await.map_err(text_of)?;
    played
}

async fn in_service(scenario: &Scenario, engine: &Engine, codes: Codes) -> Result<Played, String> {
    let business = engine.business(imported(scenario, engine).await?);
    let id = conversed(scenario, &business, codes).await?;
    let active = vec![AppointmentStatus::Pending, AppointmentStatus::Confirmed];
    let filter = AppointmentFilter { status: active, ..AppointmentFilter::default() };
    let appointments =
        all(async |page| business.appointments_as::<OperatorAppointmentView>(&filter, &page).await).await?;
    let filter = MessageFilter::default();
    let messages =
        all(async |page| business.messages_as::<OperatorMessageView>(&filter, &page).await).await?;
    let missing = "the conversation was not kept, because the caller said nothing";
    let found = business.conversation(id).await.map_err(text_of)?.ok_or(missing)?;
    let spoken = found.turns.into_iter().filter(|turn| turn.by == Speaker::Receptionist);
    let outcome = found.conversation.outcome.map(|outcome| outcome.as_str().to_owned());
    Ok(Played { appointments, messages, outcome, said: spoken.map(|turn| turn.text).collect() })
}

/// All items of a list, as the operator API shows them.
async fn all<V: serde::Serialize>(
    read: impl AsyncFn(PageRequest) -> Result<Page<V>, EngineError>,
) -> Result<Vec<Value>, String> {
    let (mut items, mut after) = (Vec::new(), None);
    loop {
        let page = read(PageRequest { limit: PAGE, after }).await.map_err(text_of)?;
        items.extend(page.items.iter().map(|item| json!(item)));
        match page.next {
            None => return Ok(items),
            next => after = next,
        }
    }
}

/// Imports the business of a scenario.
async fn imported(scenario: &Scenario, engine: &Engine) -> Result<BusinessId, String> {
    let mut import = engine.import(ImportOptions::default()).map_err(text_of)?;
    let mut taking = Taking::default();
    let head = json!({"format": FORMAT, "version": VERSION, "exported_at": scenario.now});
    let end = json!({"kind": "end", "businesses": 1});
    for line in [&head].into_iter().chain(&scenario.business).chain([&end]) {
        let text = line.as_str().map_or_else(|| line.to_string(), |line| line.trim().to_owned());
        if !taking.line(&mut import, text.as_bytes()).await.map_err(text_of)? {
            break;
        }
        import.rest().await.map_err(text_of)?;
    }
    if let Some(wrong) = taking.wrong.first() {
        let problem = english::problem(&wrong.problem.code);
        return Err(format!("the business cannot be imported: {} {problem}", place(wrong)));
    }
    let (businesses, records) = import.count();
    let lost_slugs = Vec::new();
    let counted = ImportedView { businesses, records, exported_at: scenario.now, dry_run: false, lost_slugs };
    import.finish(counted, Actor::Operator, None).await.map_err(text_of)?;
    let found = engine.businesses(&PageRequest { limit: 1, after: None }).await.map_err(text_of)?;
    found.items.first().map(|business| business.id).ok_or_else(|| "there is no business".into())
}

/// Plays the caller's turns, and ends the conversation if the receptionist has not ended it.
async fn conversed(
    scenario: &Scenario,
    business: &BusinessHandle,
    mut codes: Codes,
) -> Result<ConversationId, String> {
    let caller = &scenario.caller;
    let by_operator = || Request::by(Actor::Operator);
    let start = StartConversation {
        channel: caller.channel,
        from: caller.from.clone(),
        to: None,
        locale: None,
        token: None,
    };
    let mut taken = business.change(by_operator(), start).await.map_err(text_of)?.value;
    let id = taken.id;
    for (says, number) in caller.says.iter().zip(1..) {
        if taken.ended {
            return Err(format!("the conversation had ended before the caller's turn {number}"));
        }
        let last = taken.turns.iter().rev().find(|turn| turn.by == Speaker::Receptionist);
        let last = last.map(|turn| turn.text.as_str()).unwrap_or_default();
        let said = said(says, caller.channel, last, &codes)?;
        let turn = TakeTurn { id, said, token: None, read_phone, limit: None };
        taken = business.take_turn(by_operator(), turn).await.map_err(text_of)?.value;
        codes.receive(&taken).await;
    }
    if !taken.ended {
        let end = EndConversation { id, by: EndedBy::Caller };
        business.change(by_operator(), end).await.map_err(text_of)?;
    }
    Ok(id)
}

/// The caller's turn. `last` contains the receptionist's last words.
fn said(says: &Says, channel: Channel, last: &str, codes: &Codes) -> Result<Said, String> {
    let words = |words: String| match channel {
        Channel::Voice | Channel::Assistant => Said::Speech(words),
        Channel::Sms | Channel::Website => Said::Text(words),
    };
    Ok(match says {
        Says::Text(text) => words(text.clone()),
        Says::Other(OtherThanText::Keys(keys)) => Said::Keys(keys.text()),
        Says::Other(OtherThanText::Choice(id)) => Said::Choice(id.text()),
        Says::Other(OtherThanText::Number(_)) => words(
            number_in(last)
                .ok_or_else(|| format!("the last answer contains no confirmation number: {last}"))?,
        ),
        Says::Other(OtherThanText::Code(_)) => words(codes.newest().ok_or("no code was sent")?),
    })
}

/// The confirmation number in a text: two digits after the word that asks for it, as defined in
/// [`talk::words`].
fn number_in(text: &str) -> Option<String> {
    let after = ["Reply ", "Répondez "].into_iter().find_map(|word| text.rsplit_once(word))?.1;
    let digits: String = after.chars().take_while(char::is_ascii_digit).collect();
    (digits.len() == 2).then_some(digits)
}

fn text_of(error: impl std::fmt::Debug + std::fmt::Display) -> String {
    error.to_string()
}
