//! The rules of a turn that apply with and without a model: emergencies, the caller's yes to a change,
//! requests for a person, and limits.

use chrono::TimeDelta;
use domain::Locale;

use crate::draft::Draft;
use crate::facts::{Answers, Asked, Facts};
use crate::flow::{BODY_CHARS_MAX, Flow};
use crate::gate;
use crate::guided;
use crate::reader::{self, Clear};
use crate::state::{
    Change, Channel, EffectKind, EndedBy, Input, Mode, Output, Position, Said, Start, Step, Talk,
};
use crate::words::{self, Key};

const TURNS_MAX: u32 = 60;
const WEBSITE_TURNS_MAX: u32 = 30;
const CALL_TIME_MAX: TimeDelta = TimeDelta::minutes(30);
const TEXT_CHARS_MAX: usize = 2_000;
const WEBSITE_TEXT_CHARS_MAX: usize = 400;
/// After this many consecutive turns in the other language, the conversation changes to that language.
const OTHER_LANGUAGE_TURNS: u32 = 2;
/// After this many wrong confirmation numbers, the receptionist does not answer a text thread for the time `SILENT`.
const NUMBER_TRIES: u32 = 3;
const SILENT: TimeDelta = TimeDelta::hours(1);

pub enum Turned {
    Done(Box<Output>),
    /// A model takes the turn.
    Model(Box<Draft>),
}

/// Starts a conversation. In a text thread nothing is said yet, and the first reply begins with the introduction.
pub fn begin(start: &Start, facts: &Facts) -> Output {
    let answers = Answers::default();
    let input = Input { at: start.at, said: Said::Silence, heard: None, model: false, random: 0 };
    let mut flow = Flow::new(Talk::new(start), &input, facts, &answers);
    if start.channel == Channel::Sms {
        return flow.out;
    }
    flow.line(words::first(&facts.business, start.locale));
    let greeting = match start.locale {
        Locale::En => &facts.greeting_en,
        Locale::Fr => &facts.greeting_fr,
    };
    match greeting {
        Some(greeting) => flow.line(words::clean(greeting, 300)),
        None => flow.say(Key::Help),
    }
    guided::go(&mut flow, Step::Menu);
    flow.finish()
}

/// Takes a turn of the caller.
///
/// # Errors
/// Returns the request that the engine must answer first.
pub fn turn(talk: &Talk, input: &Input, facts: &Facts, answers: &Answers) -> Asked<Turned> {
    let mut flow = Flow::new(talk.clone(), input, facts, answers);
    let done = |flow: Flow<'_>| Ok(Turned::Done(Box::new(flow.finish())));
    if input.said == Said::Silence {
        silence(&mut flow)?;
        return done(flow);
    }
    flow.talk().silences = 0;
    flow.talk().mode = Mode::Guided;
    flow.talk().turn_count += 1;
    let chars_max = if talk.channel == Channel::Website { WEBSITE_TEXT_CHARS_MAX } else { TEXT_CHARS_MAX };
    let (text, is_key) = guided::words_of(&input.said);
    let text: String = text.chars().take(chars_max).collect();
    if talk.channel == Channel::Sms && reader::is_opt_out(&text) && !is_key {
        flow.effect(EffectKind::OptedOut, None);
        flow.talk().stage = None;
        flow.end(EndedBy::Caller);
        return done(flow);
    }
    listen(&mut flow, &text, is_key);
    if !is_key && !talk.emergency && reader::is_emergency(&text) {
        flow.talk().emergency = true;
        // The staged change waits for a yes of the caller. After the text about the emergency, a yes could mean
        // something else. So the staged change is dropped.
        flow.talk().stage = None;
        flow.say_with(Key::Emergency, &[("number", words::emergency_number(&facts.phone_region))]);
        flow.effect(EffectKind::Emergency, None);
        // If the receptionist has asked for a message (`Step::Body`), it asks for the message again. From any other
        // step, the conversation continues at the menu.
        let is_body = flow.out.talk.place.step == Step::Body;
        flow.talk().place = Position::default();
        guided::go(&mut flow, if is_body { Step::Body } else { Step::Menu });
        return done(flow);
    }
    flow.expire_stage();
    if talk.limited {
        limited(&mut flow, &text, is_key)?;
        return done(flow);
    }
    let mut keeps_stage = false;
    if flow.out.talk.stage.is_some() {
        match staged(&mut flow, &text, is_key)? {
            Staged::Done => return done(flow),
            Staged::Unclear => keeps_stage = true,
        }
    }
    let is_over = is_over(&flow);
    if is_over {
        flow.talk().stage = None;
        flow.talk().limited = true;
        flow.say(Key::Limit);
        guided::go(&mut flow, Step::Body);
        return done(flow);
    }
    if keeps_stage {
        if input.model && !is_key {
            return Ok(Turned::Model(Box::new(Draft::new(flow.out.talk, input.clone(), facts, text))));
        }
        flow.say(Key::Again);
        flow.read_back();
        return done(flow);
    }
    if !is_key && reader::is_person(&text) {
        flow.person();
        return done(flow);
    }
    // Even if a model is available, the guided path handles pressed keys, chosen buttons, codes and the bodies of
    // messages.
    let is_free = !is_key && flow.out.talk.place.step != Step::Body && flow.out.talk.place.step != Step::Code;
    if input.model && is_free {
        return Ok(Turned::Model(Box::new(Draft::new(flow.out.talk, input.clone(), facts, text))));
    }
    guided::take(&mut flow, &text, is_key)?;
    done(flow)
}

/// Continues the conversation after a transfer that was not answered.
pub fn transfer_failed(talk: &Talk, facts: &Facts) -> Output {
    let answers = Answers::default();
    let input = Input { at: talk.started_at, said: Said::Silence, heard: None, model: false, random: 0 };
    let mut flow = Flow::new(talk.clone(), &input, facts, &answers);
    flow.talk().place = Position::default();
    flow.talk().stage = None;
    flow.say(Key::TransferFailed);
    guided::go(&mut flow, Step::Body);
    flow.finish()
}

/// Adds the turn to the history, and changes the language of the conversation after two consecutive turns in the other
/// language.
fn listen(flow: &mut Flow<'_>, text: &str, is_key: bool) {
    flow.talk().remember(true, text);
    if is_key || text.trim().is_empty() {
        return;
    }
    // The turns in `unsent` can become the text of a message. If they are too long for a message, the oldest turns are
    // dropped, because callers usually say the important part last.
    let unsent = &mut flow.talk().unsent;
    unsent.push(text.to_owned());
    let chars = |turns: &[String]| turns.iter().map(|turn| turn.chars().count() + 1).sum::<usize>() - 1;
    while unsent.len() > 1 && chars(unsent) > BODY_CHARS_MAX {
        unsent.remove(0);
    }
    let (facts, at) = (flow.facts, flow.now());
    gate::see(&mut flow.talk().caller_seen, text, facts, at);
    let other = reader::language(text).filter(|language| *language != flow.out.talk.locale);
    match other {
        Some(other) => {
            flow.talk().other_language += 1;
            if flow.out.talk.other_language >= OTHER_LANGUAGE_TURNS {
                flow.talk().locale = other;
                flow.talk().other_language = 0;
            }
        }
        None if reader::language(text).is_some() => flow.talk().other_language = 0,
        None => {}
    }
}

fn silence(flow: &mut Flow<'_>) -> Asked<()> {
    flow.talk().silences += 1;
    if flow.out.talk.silences >= 2 {
        flow.say(Key::Goodbye);
        flow.end(EndedBy::Receptionist);
        return Ok(());
    }
    flow.say(Key::Again);
    flow.expire_stage();
    if flow.out.talk.stage.is_some() {
        flow.read_back();
        return Ok(());
    }
    guided::ask_again(flow)
}

fn is_over(flow: &Flow<'_>) -> bool {
    let talk = &flow.out.talk;
    let turns_max = if talk.channel == Channel::Website { WEBSITE_TURNS_MAX } else { TURNS_MAX };
    let is_call = matches!(talk.channel, Channel::Voice | Channel::Assistant);
    talk.turn_count > turns_max || is_call && flow.now() - talk.started_at >= CALL_TIME_MAX
}

/// Handles a turn after the limit: takes its text as a message to the business, or says goodbye if there is no text.
fn limited(flow: &mut Flow<'_>, text: &str, is_key: bool) -> Asked<()> {
    if is_key || text.trim().is_empty() {
        flow.say(Key::Goodbye);
        flow.end(EndedBy::Receptionist);
        return Ok(());
    }
    guided::body(flow, text)
}

enum Staged {
    Done,
    /// The turn is not an answer to the staged change. The change stays staged.
    Unclear,
}

/// Reads the turn as the answer to a staged change.
fn staged(flow: &mut Flow<'_>, text: &str, is_key: bool) -> Asked<Staged> {
    let Some(stage) = flow.out.talk.stage.clone() else { return Ok(Staged::Unclear) };
    let answer = match (is_key, text.trim()) {
        (true, "1") if stage.number.is_none() => Some(Clear::Yes),
        (true, "2") => Some(Clear::No),
        (true, "0") => {
            flow.person();
            return Ok(Staged::Done);
        }
        (true, _) => None,
        (false, text) => reader::clear(text),
    };
    if let (Some(number), None | Some(Clear::Yes)) = (stage.number, answer) {
        match reader::bare_number(text).filter(|given| (10..=99).contains(given)) {
            Some(given) if given == number => {
                flow.talk().unclear = 0;
                flow.commit()?;
                return Ok(Staged::Done);
            }
            Some(_) => return Ok(wrong_number(flow)),
            None => {}
        }
    }
    match answer {
        Some(Clear::Yes) if stage.number.is_none() && was_heard(flow, &stage.when) => {
            flow.talk().unclear = 0;
            flow.commit()?;
            return Ok(Staged::Done);
        }
        Some(Clear::No) => {
            flow.talk().unclear = 0;
            drop_stage(flow, &stage.change);
            return Ok(Staged::Done);
        }
        _ => {}
    }
    if !is_key && reader::is_person(text) {
        flow.person();
        return Ok(Staged::Done);
    }
    flow.talk().unclear += 1;
    if stage.unclear {
        drop_stage(flow, &stage.change);
        return Ok(Staged::Done);
    }
    if let Some(stage) = &mut flow.talk().stage {
        stage.unclear = true;
    }
    Ok(Staged::Unclear)
}

fn drop_stage(flow: &mut Flow<'_>, change: &Change) {
    flow.talk().stage = None;
    if !matches!(change, Change::Consent { .. }) {
        flow.say(Key::NothingDone);
    }
    guided::help(flow);
}

/// Counts a wrong confirmation number. After the third wrong number, the receptionist does not answer in this thread of
/// text messages for an hour. The thread stays open. If the thread ended, the caller's next text message would start a
/// new thread, and the receptionist would answer it.
fn wrong_number(flow: &mut Flow<'_>) -> Staged {
    flow.talk().wrong_numbers += 1;
    if flow.out.talk.wrong_numbers >= NUMBER_TRIES {
        flow.talk().stage = None;
        flow.talk().wrong_numbers = 0;
        flow.say(Key::NothingDone);
        flow.out.silent_until = Some(flow.now() + SILENT);
        flow.out.choices.clear();
    } else {
        flow.say(Key::CodeWrong);
    }
    Staged::Done
}

/// Whether the caller has heard `when`, the date and time in the read-back.
fn was_heard(flow: &Flow<'_>, when: &str) -> bool {
    let squeeze = |text: &str| text.split_whitespace().collect::<String>();
    flow.input.heard.as_ref().is_none_or(|heard| squeeze(heard).contains(&squeeze(when)))
}
