//! A turn that a language model takes. It consists of rounds. In each round, the model writes text and calls
//! functions.
//!
//! Invariant: bookings, moves and cancellations need the caller's yes, so the functions only stage them. Other effects
//! need no yes: a message is taken, a code is sent or checked, the call is transferred, the conversation ends.

use std::collections::BTreeSet;

use chrono::{Days, NaiveDate, TimeDelta, Timelike};
use serde_json::{Value, json};

use crate::facts::{Answer, Answers, Ask, Asked, Facts, MessageAsk, Opening, OpeningsAsk, Passage, misfit};
use crate::flow::Flow;
use crate::functions::{self, ANSWER_CHARS_MAX, Arguments, Function};
use crate::gate::{self, Gate};
use crate::guided::{self, AHEAD_DAYS};
use crate::model::{Call, Settings, body};
use crate::reader::{self, Times};
use crate::state::{
    Change, Dropped, Effect, EffectKind, EndedBy, Input, Line, Mode, OfferedTime, Output, Position, Rule,
    Talk,
};
use crate::words::{self, Key};

/// The maximum number of rounds in a turn.
const ROUNDS_MAX: u32 = 4;
/// The maximum number of functions that are carried out in a turn.
const CALLS_MAX: u32 = 8;
const OFFERED_MAX: usize = 6;
const OFFERED_DAYS_MAX: usize = 3;
/// The maximum number of services and of staff members that get *handles*: short names such as `s1`, with
/// which the model refers to them.
const HANDLES_MAX: usize = 50;
/// The maximum number of days with openings that one call of `find_openings` reads.
const DAYS_MAX: u32 = 15;
/// A range with more than [`DAYS_MAX`] days is divided into this number of parts. In each part, only the first few days
/// with openings are read. So the days that are read are spread over the range.
const RANGE_PARTS: u32 = 3;
const PHONE_DIGITS_MIN: usize = 7;
/// The maximum number of digits of a number in E.164, with the prefix `00`.
const PHONE_DIGITS_MAX: usize = 17;
/// The maximum number of dropped sentences that a turn reports.
const DROPPED_MAX: usize = 20;
/// The maximum number of bytes of the dropped sentences that a turn reports.
const DROPPED_BYTES_MAX: usize = 2 << 10;

/// An unfinished turn of the model.
#[derive(Clone, Debug)]
pub struct Draft {
    talk: Talk,
    input: Input,
    /// The text of the caller's turn, cut to the maximum length.
    text: String,
    lines: Vec<Line>,
    chars: usize,
    dropped: Vec<Dropped>,
    /// The fixed lines that functions added.
    fixed: Vec<Line>,
    effects: Vec<Effect>,
    passages: Vec<Passage>,
    gaps: Vec<String>,
    /// The messages of the rounds so far.
    rounds: Vec<Value>,
    round: u32,
    /// The number of function calls in all rounds.
    calls: u32,
    /// The model's sentences in this round, including dropped ones.
    said: Vec<String>,
    called: Vec<(Call, String)>,
    is_over: bool,
    end: Option<EndedBy>,
    transfer: bool,
}

/// The result of a function: its answer to the model.
type Answered = Result<String, String>;

impl Draft {
    pub(crate) fn new(mut talk: Talk, input: Input, facts: &Facts, text: String) -> Self {
        let handles = &mut talk.handles;
        for service in facts.services.iter().map(|service| service.id) {
            if handles.services.len() < HANDLES_MAX && !handles.services.contains(&service) {
                handles.services.push(service);
            }
        }
        for member in facts.staff.iter().map(|member| member.id) {
            if handles.staff.len() < HANDLES_MAX && !handles.staff.contains(&member) {
                handles.staff.push(member);
            }
        }
        Self {
            talk,
            input,
            text,
            lines: Vec::new(),
            chars: 0,
            dropped: Vec::new(),
            fixed: Vec::new(),
            effects: Vec::new(),
            passages: Vec::new(),
            gaps: Vec::new(),
            rounds: Vec::new(),
            round: 0,
            calls: 0,
            said: Vec::new(),
            called: Vec::new(),
            is_over: false,
            end: None,
            transfer: false,
        }
    }

    /// The body of the request to the model's server, for the next round.
    pub fn body(&self, facts: &Facts, settings: &Settings) -> Value {
        body(&self.talk, facts, self.input.at, &self.rounds, settings)
    }

    /// Checks a sentence of the model. Returns the line to say, or `None` if the sentence must not be said. If the
    /// sentence continues earlier lines, and the joined text breaks a rule, the earlier lines are removed too.
    pub fn sentence(&mut self, sentence: &str, facts: &Facts) -> Option<Line> {
        self.said.push(sentence.to_owned());
        if self.is_over {
            return None;
        }
        let text = gate::readable(sentence);
        let gate = Gate {
            talk: &self.talk,
            facts,
            now: self.input.at,
            passages: &self.passages,
            sentences: self.lines.len(),
            chars: self.chars,
            is_said: true,
        };
        if let Some(rule) = gate.check(&text) {
            self.drop_sentence(rule, text);
            return None;
        }
        let start = self.unfinished(&text);
        let lines = self.lines[start..].iter().map(|line| line.text.as_str());
        let pieces = lines.chain([text.as_str()]).collect::<Vec<_>>().join("\n");
        if let Some(rule) = gate.check_joined(&pieces).filter(|_| start < self.lines.len()) {
            for line in self.lines.split_off(start) {
                self.chars -= line.text.chars().count();
                self.drop_sentence(rule, line.text);
            }
            self.drop_sentence(rule, text);
            return None;
        }
        let line = Line { text, fixed: false };
        self.chars += line.text.chars().count();
        self.lines.push(line.clone());
        Some(line)
    }

    /// If `sentence` continues earlier lines, returns the index of the earliest of these lines. Otherwise returns the
    /// number of lines. A line is continued if one of these is true: it does not end with `.`, `!` or `?`; it ends with
    /// `...`; the next text begins with a lower-case letter.
    fn unfinished(&self, sentence: &str) -> usize {
        let has_end = |text: &str| text.ends_with(['.', '!', '?']) && !text.ends_with("...");
        let mut next = sentence;
        let continued = self.lines.iter().rev().take_while(|line| {
            let continues = !has_end(&line.text) || next.starts_with(char::is_lowercase);
            next = &line.text;
            continues
        });
        self.lines.len() - continued.count()
    }

    fn drop_sentence(&mut self, rule: Rule, text: String) {
        let bytes: usize = self.dropped.iter().map(|dropped| dropped.text.len()).sum();
        if self.dropped.len() < DROPPED_MAX && bytes + text.len() <= DROPPED_BYTES_MAX {
            self.dropped.push(Dropped { rule, text });
        }
    }

    /// Carries out a function that the model called.
    ///
    /// # Errors
    /// Returns the request that the engine must answer first.
    pub fn call(&mut self, call: &Call, facts: &Facts, answers: &Answers) -> Asked<()> {
        // If this method returns a request to the engine, the engine calls the method again with the answer to this
        // request. The method therefore changes only a copy.
        let mut next = self.clone();
        let answer = if next.is_over {
            Err("The turn is over.".to_owned())
        } else if next.calls >= CALLS_MAX {
            Err(format!("A turn has at most {CALLS_MAX} function calls. Answer the caller."))
        } else {
            match functions::check(&call.name, &call.arguments, &next.talk, facts) {
                Ok((function, arguments)) => next.carry_out(function, &arguments, facts, answers)?,
                Err(error) => Err(error),
            }
        };
        let answer = match answer {
            Ok(answer) => answer,
            Err(error) => format!("Error: {error}"),
        };
        next.calls += 1;
        next.called.push((call.clone(), answer.chars().take(ANSWER_CHARS_MAX).collect()));
        *self = next;
        Ok(())
    }

    /// Ends a round. Returns whether the model gets another round. The request for that round contains the answers of
    /// the functions that the model called. The engine calls this method exactly once after each round.
    pub fn wants_more(&mut self) -> bool {
        let called = std::mem::take(&mut self.called);
        let said = std::mem::take(&mut self.said).join(" ");
        self.round += 1;
        if called.is_empty() || self.is_over || self.round >= ROUNDS_MAX {
            return false;
        }
        let calls: Vec<Value> = called
            .iter()
            .map(|(call, _)| {
                // The next request to the model repeats the calls. Some servers refuse a request if the arguments of a
                // call are not JSON, so an empty object replaces such arguments.
                let arguments = serde_json::from_str::<Value>(&call.arguments).ok().filter(Value::is_object);
                let arguments = arguments.unwrap_or_else(|| json!({})).to_string();
                json!({
                    "id": call.id, "type": "function",
                    "function": {"name": call.name, "arguments": arguments},
                })
            })
            .collect();
        self.rounds.push(json!({"role": "assistant", "content": said, "tool_calls": calls}));
        for (call, answer) in called {
            self.rounds.push(json!({"role": "tool", "tool_call_id": call.id, "content": answer}));
        }
        true
    }

    /// Ends the turn of the model. If the model has produced no line to say and no staged change to read back, the
    /// guided path answers the caller instead of the model.
    ///
    /// # Errors
    /// Returns the request that the engine must answer first.
    pub fn finish(&self, facts: &Facts, answers: &Answers) -> Asked<Output> {
        let mut flow = Flow::new(self.talk.clone(), &self.input, facts, answers);
        flow.out.effects.clone_from(&self.effects);
        flow.out.dropped.clone_from(&self.dropped);
        flow.out.gaps.clone_from(&self.gaps);
        flow.out.lines = self.lines.iter().chain(&self.fixed).cloned().collect();
        flow.out.end = self.end;
        flow.out.transfer = self.transfer;
        let has_stage = flow.out.talk.stage.is_some() && self.end.is_none() && !self.transfer;
        if flow.out.lines.is_empty() && !has_stage {
            guided::take(&mut flow, &self.text, false)?;
            return Ok(flow.finish());
        }
        flow.talk().mode = if self.lines.is_empty() { Mode::Guided } else { Mode::Model };
        flow.talk().unclear = 0;
        flow.talk().place = Position::default();
        if has_stage {
            flow.read_back();
        }
        // A turn in which the model only asks, as in "Which day suits you?", does not answer the caller's question.
        let answers_question = self.lines.iter().any(|line| !line.text.ends_with('?'));
        if !self.passages.is_empty() && answers_question {
            flow.effect(EffectKind::Answered, None);
        }
        Ok(flow.finish())
    }

    /// Calls `run`, which uses the rules of the guided path. Then adds the resulting lines and effects to the draft.
    fn with_flow<'a, T>(
        &mut self,
        facts: &'a Facts,
        answers: &'a Answers,
        run: impl FnOnce(&mut Flow<'_>) -> Asked<T>,
    ) -> Asked<T> {
        let input = self.input.clone();
        let mut flow = Flow::new(self.talk.clone(), &input, facts, answers);
        let result = run(&mut flow)?;
        self.fixed.append(&mut flow.out.lines);
        self.effects.append(&mut flow.out.effects);
        self.talk = flow.out.talk;
        Ok(result)
    }

    fn carry_out(
        &mut self,
        function: Function,
        arguments: &Arguments,
        facts: &Facts,
        answers: &Answers,
    ) -> Asked<Answered> {
        match function {
            Function::FindOpenings => self.find_openings(arguments, facts, answers),
            Function::Book => self.book(arguments, facts, answers),
            Function::MyAppointments => self.my_appointments(facts, answers),
            Function::Move => Ok(self.change(arguments, facts, true)),
            Function::Cancel => Ok(self.change(arguments, facts, false)),
            Function::SearchKnowledge => self.search(arguments, facts, answers),
            Function::TakeMessage => self.take_message(arguments, facts, answers),
            Function::SendCode => self.send_code(arguments, facts, answers),
            Function::CheckCode => self.check_code(arguments, facts, answers),
            Function::Transfer => {
                self.with_flow(facts, answers, |flow| {
                    flow.person();
                    Ok(())
                })?;
                (self.transfer, self.is_over) = (true, true);
                Ok(Ok("The call is put through.".into()))
            }
            Function::End => {
                if self.talk.stage.is_some() {
                    return Ok(Err("An earlier change still waits for the caller's yes or no.".into()));
                }
                self.with_flow(facts, answers, |flow| {
                    flow.say(Key::Goodbye);
                    Ok(())
                })?;
                (self.end, self.is_over) = (Some(EndedBy::Receptionist), true);
                Ok(Ok("The conversation ends.".into()))
            }
        }
    }

    fn find_openings(&mut self, arguments: &Arguments, facts: &Facts, answers: &Answers) -> Asked<Answered> {
        let writer = gate::english(facts, self.input.at);
        let today = writer.today();
        let wish = match Wish::read(self, arguments, facts, today) {
            Ok(wish) => wish,
            Err(error) => return Ok(Err(error)),
        };
        let last = today.checked_add_days(Days::new(AHEAD_DAYS)).unwrap_or(today);
        let read = |from, to, days_max| {
            answers.openings(OpeningsAsk {
                service: wish.service,
                staff: wish.staff,
                moving: None,
                from,
                to,
                times: wish.part.map(PartOfDay::times),
                days_max,
            })
        };
        let mut fitting: Vec<Opening> = Vec::new();
        for (from, to, days_max) in parts(wish.from, wish.to) {
            fitting.extend(read(from, to, days_max)?);
        }
        let part = wish.part.map_or_else(String::new, |part| format!(" in the {}", part.as_str()));
        let staff = wish.staff.and_then(|staff| facts.member(staff));
        let staff = staff.map_or_else(String::new, |it| format!(" with \"{}\"", words::name(&it.name)));
        let mut text = String::new();
        if fitting.is_empty() {
            text = format!("Nothing is free {}{part}{staff}.\n", writer.range(wish.from, wish.to));
            if let Some(next) = wish.to.succ_opt().filter(|next| *next <= last) {
                fitting = read(next, last, 1)?.to_vec();
            }
        }
        if fitting.is_empty() {
            return Ok(Ok(format!("{text}Nothing is free until {}{part}{staff}.", writer.date(last))));
        }
        self.talk.handles.make_room(OFFERED_MAX);
        for opening in chosen(&fitting, &wish, |opening| {
            (writer.date_of(opening.starts_at), writer.time_of(opening.starts_at))
        }) {
            let time = OfferedTime {
                service: wish.service,
                staff: opening.staff,
                moving: None,
                starts_at: opening.starts_at,
            };
            let number = self.talk.handles.number_of(time);
            gate::see_instant(&mut self.talk.seen, opening.starts_at, facts);
            let (date, clock) =
                (writer.date(writer.date_of(opening.starts_at)), writer.clock_of(opening.starts_at));
            text.push_str(&format!("t{number} = {date} {clock}\n"));
        }
        self.effect(EffectKind::Offered);
        Ok(Ok(text))
    }

    fn effect(&mut self, kind: EffectKind) {
        let effect = Effect { kind, resource: None };
        self.effects.push(effect);
        self.talk.effects.push(effect);
    }

    /// The offered time that a handle in the arguments refers to.
    fn time(&self, arguments: &Arguments) -> Result<OfferedTime, String> {
        let number = arguments.handle("time", 't')?;
        let time = number.and_then(|number| self.talk.handles.time(number));
        time.ok_or_else(|| "The handle in `time` is unknown. Call find_openings.".to_owned())
    }

    fn book(&mut self, arguments: &Arguments, facts: &Facts, answers: &Answers) -> Asked<Answered> {
        let time = match self.time(arguments) {
            Ok(time) => time,
            Err(error) => return Ok(Err(error)),
        };
        if facts.service(time.service).is_none()
            || facts.member(time.staff).is_none()
            || time.starts_at <= self.input.at
        {
            return Ok(Err(
                "This time is no longer offered. Call find_openings to get the times that are available now."
                    .into(),
            ));
        }
        let name = words::name(arguments.get("name").unwrap_or_default());
        if name.chars().filter(|c| c.is_alphabetic()).count() == 0 {
            return Ok(Err("Ask the caller for their name.".into()));
        }
        let email = match arguments.get("email") {
            Some(written) => match reader::email(written).filter(|email| self.has_said_email(email)) {
                Some(email) => Some(email),
                None => return Ok(Err("The caller has not said this email address. Ask for it.".into())),
            },
            None => self.talk.email.clone(),
        };
        let phone = match self.given_phone(arguments, answers)? {
            Ok(phone) => phone,
            Err(error) => return Ok(Err(error)),
        };
        if phone.is_none() && email.is_none() {
            return Ok(Err("Ask the caller for a phone number or an email address.".into()));
        }
        self.stage(facts, answers, Change::Book { time, name, phone, email })?;
        Ok(Ok(STAGED.into()))
    }

    fn stage(&mut self, facts: &Facts, answers: &Answers, change: Change) -> Asked<()> {
        self.with_flow(facts, answers, |flow| {
            flow.stage(change);
            Ok(())
        })?;
        self.is_over = true;
        Ok(())
    }

    /// The phone number in the arguments of a function. The caller must have said it. If the arguments have no phone
    /// number, returns the caller's own number.
    fn given_phone(&self, arguments: &Arguments, answers: &Answers) -> Asked<Result<Option<String>, String>> {
        let own = || self.talk.phone.clone().or_else(|| self.talk.from.clone());
        let Some(written) = arguments.get("phone") else { return Ok(Ok(own())) };
        let phone = if written.len() <= 64 { answers.phone(written)?.map(str::to_owned) } else { None };
        let Some(phone) = phone else {
            return Ok(Err("This is not a phone number. Ask for it again.".into()));
        };
        if own().as_deref() == Some(&phone) || self.has_said_phone(&phone, answers)? {
            return Ok(Ok(Some(phone)));
        }
        Ok(Err("The caller has not said this phone number. Ask for it.".into()))
    }

    /// Whether a turn of the caller contains all digits of this number, in international or national form.
    fn has_said_phone(&self, phone: &str, answers: &Answers) -> Asked<bool> {
        for turn in self.talk.caller_said() {
            let digits: String = turn.chars().filter(char::is_ascii_digit).collect();
            for said in [Some(digits), reader::phone(turn)].into_iter().flatten() {
                let digits = said.trim_start_matches('+');
                if !(PHONE_DIGITS_MIN..=PHONE_DIGITS_MAX).contains(&digits.len()) {
                    continue;
                }
                let international = digits.strip_prefix("00").unwrap_or(digits);
                if phone.strip_prefix('+') == Some(international) || answers.phone(&said)? == Some(phone) {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    fn has_said_email(&self, email: &str) -> bool {
        self.talk.caller_said().any(|turn| {
            turn.to_lowercase()
                .split_whitespace()
                .any(|word| word.trim_matches(|c: char| !c.is_alphanumeric()) == email)
        })
    }

    fn my_appointments(&mut self, facts: &Facts, answers: &Answers) -> Asked<Answered> {
        let contact = match self.talk.contact.filter(|_| self.talk.verified) {
            Some(contact) => contact,
            None if self.talk.verified => return Ok(Ok("This caller has no coming appointment.".into())),
            None => {
                return Ok(Err(
                    "The caller has not proved who they are. Call send_code, ask for the code, then call \
                               check_code."
                        .into(),
                ));
            }
        };
        let own = answers.appointments(contact)?.to_vec();
        if own.is_empty() {
            return Ok(Ok("This caller has no coming appointment.".into()));
        }
        let writer = gate::english(facts, self.input.at);
        let mut text = String::new();
        for appointment in own {
            gate::see_instant(&mut self.talk.seen, appointment.starts_at, facts);
            let known = &mut self.talk.handles.appointments;
            let number = match known.iter().position(|known| known.id == appointment.id) {
                Some(number) => {
                    known[number] = appointment.clone();
                    number
                }
                None => {
                    known.push(appointment.clone());
                    known.len() - 1
                }
            };
            let at = appointment.starts_at;
            let (date, clock) = (writer.date(writer.date_of(at)), writer.clock_of(at));
            let (service, staff) =
                (words::name(&appointment.service_name), words::name(&appointment.staff_name));
            let end = if appointment.changeable { "" } else { ", cannot be changed any more" };
            text.push_str(&format!(
                "a{} = {date} {clock}, \"{service}\" with \"{staff}\"{end}\n",
                number + 1
            ));
        }
        Ok(Ok(text))
    }

    /// Stages a move or a cancellation.
    fn change(&mut self, arguments: &Arguments, facts: &Facts, is_move: bool) -> Answered {
        let number = arguments.handle("appointment", 'a')?;
        let appointment = number.and_then(|number| self.talk.handles.appointments.get(number)).cloned();
        let Some(appointment) = appointment.filter(|_| self.talk.verified) else {
            return Err(
                "The handle in `appointment` is unknown. Call my_appointments to get the handles.".into()
            );
        };
        if !appointment.changeable {
            return Err("This appointment can no longer be changed here. Offer to take a message.".into());
        }
        let change = if is_move {
            let time = self.time(arguments)?;
            if time.service != appointment.service || time.staff != appointment.staff {
                let (service, staff) =
                    (words::name(&appointment.service_name), words::name(&appointment.staff_name));
                return Err(format!(
                    "A move keeps the service and the staff member. Call find_openings for \"{service}\" with \"{staff}\"."
                ));
            }
            Change::Move { appointment, time: OfferedTime { moving: None, ..time } }
        } else {
            Change::Cancel { appointment }
        };
        // The staging of a move or a cancellation makes no request to the engine, so it needs no answers.
        let staged = self.stage(facts, &Answers::default(), change);
        if staged.is_ok() { Ok(STAGED.into()) } else { Err("Try again later.".into()) }
    }

    fn search(&mut self, arguments: &Arguments, facts: &Facts, answers: &Answers) -> Asked<Answered> {
        let query: String = arguments.get("query").unwrap_or_default().chars().take(300).collect();
        let passages = answers.passages(&query)?.to_vec();
        if passages.is_empty() {
            self.gaps.push(self.text.clone());
            self.gaps.dedup();
            return Ok(
                Ok("Nothing was found. Say that you do not know, and offer to take a message.".into()),
            );
        }
        let each = ANSWER_CHARS_MAX / passages.len().max(1) - 10;
        let mut text = String::new();
        for passage in passages {
            gate::see(&mut self.talk.seen, &passage.text, facts, self.input.at);
            let quoted = words::clean(&passage.text, each).replace('"', "'");
            text.push_str(&format!("\"{quoted}\"\n"));
            if !self.passages.contains(&passage) {
                self.passages.push(passage);
            }
        }
        Ok(Ok(text))
    }

    fn take_message(&mut self, arguments: &Arguments, facts: &Facts, answers: &Answers) -> Asked<Answered> {
        let staff = match arguments.handle("staff", 'p') {
            Ok(number) => number.map(|number| self.talk.handles.staff.get(number).copied()),
            Err(error) => return Ok(Err(error)),
        };
        let staff = match staff {
            Some(None) => return Ok(Err("The handle in `staff` is unknown.".into())),
            Some(staff) => staff,
            None => None,
        };
        let phone = match self.given_phone(arguments, answers)? {
            Ok(phone) => phone,
            Err(error) => return Ok(Err(error)),
        };
        let body = self.talk.unsent.join("\n");
        if body.trim().is_empty() {
            return Ok(Err("Ask the caller for their message.".into()));
        }
        let name = arguments.get("name").map(words::name).or_else(|| self.talk.name.clone());
        let ask = MessageAsk {
            key: self.talk.changes + 1,
            urgent: arguments.get("urgency") == Some("urgent"),
            staff,
            name,
            phone,
            body,
        };
        let is_taken = self.with_flow(facts, answers, |flow| flow.message(ask))?;
        if !is_taken {
            return Ok(Err("The message could not be taken.".into()));
        }
        self.is_over = true;
        Ok(Ok("The message is with the team.".into()))
    }

    fn send_code(&mut self, arguments: &Arguments, facts: &Facts, answers: &Answers) -> Asked<Answered> {
        let phone = match self.given_phone(arguments, answers)? {
            Ok(Some(phone)) => phone,
            Ok(None) => return Ok(Err("Ask the caller for their phone number.".into())),
            Err(error) => return Ok(Err(error)),
        };
        answers.get(Ask::SendCode { phone })?;
        self.with_flow(facts, answers, |flow| {
            flow.say(Key::CodeSent);
            flow.effect(EffectKind::CodeSent, None);
            Ok(())
        })?;
        self.is_over = true;
        Ok(Ok("Ask the caller for the code.".into()))
    }

    fn check_code(&mut self, arguments: &Arguments, facts: &Facts, answers: &Answers) -> Asked<Answered> {
        let code = reader::code(arguments.get("code").unwrap_or_default());
        let has_said = |code: &String| {
            let mut turns = self.talk.caller_said();
            turns.any(|turn| [reader::code(turn), only_code(turn)].contains(&Some(code.clone())))
        };
        let Some(code) = code.filter(has_said) else {
            return Ok(Err("The caller has not said this code. Ask for the six digits.".into()));
        };
        match answers.get(Ask::CheckCode { code })? {
            Answer::Verified { contact, name } => {
                let (contact, name) = (*contact, name.clone());
                self.with_flow(facts, answers, |flow| {
                    guided::verified(flow, contact, name);
                    Ok(())
                })?;
                Ok(Ok("The caller is verified. Call my_appointments.".into()))
            }
            Answer::Refused(_) => Ok(Err("That is not the code. Ask for it again.".into())),
            other => misfit(other),
        }
    }
}

/// Returns the code in a turn that also has other words. Returns `None` if the turn has several codes, because the
/// caller may be guessing.
fn only_code(turn: &str) -> Option<String> {
    let mut words = reader::plain(turn);
    words.retain(|word| word.len() == 6 && word.bytes().all(|byte| byte.is_ascii_digit()));
    words.dedup();
    if words.len() == 1 { words.pop() } else { None }
}

const STAGED: &str = "The service reads the change back to the caller and asks for their yes.";

/// The checked arguments of `find_openings`.
struct Wish {
    service: domain::ServiceId,
    staff: Option<domain::StaffId>,
    from: NaiveDate,
    to: NaiveDate,
    part: Option<PartOfDay>,
    time: Option<chrono::NaiveTime>,
}

impl Wish {
    fn read(draft: &Draft, arguments: &Arguments, facts: &Facts, today: NaiveDate) -> Result<Self, String> {
        let handles = &draft.talk.handles;
        let service =
            arguments.handle("service", 's')?.and_then(|number| handles.services.get(number)).copied();
        let service = service.filter(|service| facts.service(*service).is_some());
        let service =
            service.ok_or("The handle in `service` is unknown. Use a handle from the list of services.")?;
        let staff = match arguments.handle("staff", 'p')? {
            Some(number) => {
                let member = handles.staff.get(number).copied();
                let offers = |staff: &domain::StaffId| {
                    facts.service(service).is_some_and(|service| service.staff.contains(staff))
                };
                Some(member.filter(offers).ok_or("This staff member does not offer the service.")?)
            }
            None => None,
        };
        let (from, to) = (arguments.date("from_date")?, arguments.date("to_date")?);
        if from.or(to).is_some_and(|date| date < today) || to.is_some_and(|date| date < today) {
            return Err(format!("The date is past. Today is {today}."));
        }
        let start = from.unwrap_or(today);
        let end = to.or(from).unwrap_or_else(|| today.checked_add_days(Days::new(6)).unwrap_or(today));
        if end < start {
            return Err("to_date is before from_date.".into());
        }
        let last = today.checked_add_days(Days::new(AHEAD_DAYS)).unwrap_or(today);
        Ok(Self {
            service,
            staff,
            from: start.min(last),
            to: end.min(last),
            part: arguments.get("part_of_day").and_then(PartOfDay::from_word),
            time: arguments.time("time")?,
        })
    }
}

#[derive(Clone, Copy)]
enum PartOfDay {
    Morning,
    Afternoon,
    Evening,
}

impl PartOfDay {
    fn from_word(word: &str) -> Option<Self> {
        [Self::Morning, Self::Afternoon, Self::Evening].into_iter().find(|part| part.as_str() == word)
    }

    fn as_str(self) -> &'static str {
        match self {
            Self::Morning => "morning",
            Self::Afternoon => "afternoon",
            Self::Evening => "evening",
        }
    }

    fn times(self) -> Times {
        match self {
            Self::Morning => Times::range(0, 12 * 60),
            Self::Afternoon => Times::range(12 * 60, 17 * 60),
            Self::Evening => Times::range(17 * 60, 24 * 60),
        }
    }
}

/// Divides a range of dates into parts that are read one by one. Returns for each part its first date, its last date,
/// and the maximum number of days with openings to read.
fn parts(from: NaiveDate, to: NaiveDate) -> Vec<(NaiveDate, NaiveDate, u32)> {
    let days = (to - from).num_days() + 1;
    if days <= DAYS_MAX.into() {
        return vec![(from, to, DAYS_MAX)];
    }
    let at = |part: u32| from + TimeDelta::days(days * i64::from(part) / i64::from(RANGE_PARTS));
    let part = |part| (at(part), at(part + 1) - TimeDelta::days(1), DAYS_MAX / RANGE_PARTS);
    (0..RANGE_PARTS).map(part).collect()
}

/// Chooses up to 3 days that are spread over the range, and up to 6 openings on these days. On each day, chooses the
/// openings nearest to the requested time, or openings that are spread over the day if no time is requested.
fn chosen(
    openings: &[Opening],
    wish: &Wish,
    local: impl Fn(&Opening) -> (NaiveDate, chrono::NaiveTime),
) -> Vec<Opening> {
    let days: BTreeSet<NaiveDate> = openings.iter().map(|opening| local(opening).0).collect();
    let days: Vec<NaiveDate> = spread(&days.into_iter().collect::<Vec<_>>(), OFFERED_DAYS_MAX);
    let each = OFFERED_MAX / days.len().max(1);
    let minute = |time: chrono::NaiveTime| i64::from(time.hour() * 60 + time.minute());
    let mut found = Vec::new();
    for day in days {
        let mut of_day: Vec<Opening> =
            openings.iter().filter(|opening| local(opening).0 == day).copied().collect();
        match wish.time {
            Some(time) => {
                of_day.sort_by_key(|opening| (minute(local(opening).1) - minute(time)).abs());
                of_day.truncate(each);
                of_day.sort_by_key(|opening| opening.starts_at);
            }
            None => of_day = spread(&of_day, each),
        }
        found.append(&mut of_day);
    }
    found
}

/// Returns at most `count` evenly spread entries, including the first and the last entry.
fn spread<T: Clone>(all: &[T], count: usize) -> Vec<T> {
    if all.len() <= count || count < 2 {
        return all.iter().take(count).cloned().collect();
    }
    (0..count).map(|at| all[at * (all.len() - 1) / (count - 1)].clone()).collect()
}
