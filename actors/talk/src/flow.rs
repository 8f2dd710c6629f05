//! A turn in progress, with its lines, choices and effects. This module stages a change, reads it back to the
//! caller, and commits it after a yes.
//!
//! Invariant: only [`Flow::commit`] asks the engine for a change of an appointment.

use chrono::TimeDelta;
use domain::{AppointmentId, BookingMode, Locale, Timestamp};

use crate::facts::{
    Answer, Answers, Ask, Asked, BookAsk, Facts, MessageAsk, MoveAsk, OwnAppointment, Refused, misfit,
};
use crate::guided;
use crate::model::quoted;
use crate::state::{
    Change, Channel, Choice, Effect, EffectKind, EndedBy, Input, Keys, Line, Listed, OfferedTime, Output,
    Position, Resource, Stage, Step, Talk, Task, TaskKind,
};
use crate::words::{self, Key, When};

/// The time for which a staged change waits for the caller's yes.
const STAGE_TIME: TimeDelta = TimeDelta::minutes(30);
/// The maximum number of characters of a message.
pub(crate) const BODY_CHARS_MAX: usize = 2_000;
/// The maximum number of entries on all pages of a list. The conversation's state contains all of them.
const LIST_MAX: usize = 63;
const SUMMARY_LINES_MAX: usize = 20;
/// The maximum number of consecutive turns in which the receptionist says the same line.
const SAME_LINE_MAX: u32 = 2;

pub(crate) struct Flow<'a> {
    pub(crate) out: Output,
    pub(crate) facts: &'a Facts,
    pub(crate) answers: &'a Answers,
    pub(crate) input: &'a Input,
    /// Lines that contain data. Each pair is the line for the caller, and the same line with the data in quotes. The
    /// history for a model contains the quoted line.
    quoted: Vec<(String, String)>,
}

impl<'a> Flow<'a> {
    pub(crate) fn new(talk: Talk, input: &'a Input, facts: &'a Facts, answers: &'a Answers) -> Self {
        Self { out: Output::of(talk), facts, answers, input, quoted: Vec::new() }
    }

    pub(crate) fn talk(&mut self) -> &mut Talk {
        &mut self.out.talk
    }

    pub(crate) fn channel(&self) -> Channel {
        self.out.talk.channel
    }

    pub(crate) fn now(&self) -> Timestamp {
        self.input.at
    }

    pub(crate) fn writer(&self) -> When<'a> {
        self.writer_in(self.out.talk.locale)
    }

    pub(crate) fn writer_in(&self, locale: Locale) -> When<'a> {
        When { locale, zone: self.facts.zone, region: &self.facts.phone_region, now: self.input.at }
    }

    pub(crate) fn text(&self, key: Key, values: &[(&str, &str)]) -> String {
        words::say(self.out.talk.locale, key, values)
    }

    pub(crate) fn say(&mut self, key: Key) {
        self.say_with(key, &[]);
    }

    pub(crate) fn say_with(&mut self, key: Key, values: &[(&str, &str)]) {
        let text = self.text(key, values);
        self.line(text);
    }

    /// Says a line that contains data, for example a name that the caller has chosen. `data` is the same line with this
    /// data in quotes.
    pub(crate) fn line_with_data(&mut self, text: String, data: String) {
        self.line(text.clone());
        self.quoted.push((text, data));
    }

    pub(crate) fn line(&mut self, text: String) {
        self.out.lines.push(Line { text, fixed: true });
    }

    pub(crate) fn effect(&mut self, kind: EffectKind, resource: Option<Resource>) {
        let effect = Effect { kind, resource };
        self.out.effects.push(effect);
        self.out.talk.effects.push(effect);
        if !matches!(kind, EffectKind::Offered | EffectKind::Emergency) {
            self.out.talk.unsent.clear();
        }
    }

    pub(crate) fn choice(&mut self, id: &str, label: String) {
        self.out.choices.push(Choice { id: id.to_owned(), label, link: None });
    }

    pub(crate) fn end(&mut self, by: EndedBy) {
        self.out.end = Some(by);
        self.out.choices.clear();
    }

    /// Whether the call can go to the handoff number.
    pub(crate) fn can_transfer(&self) -> bool {
        can_transfer(&self.out.talk, self.facts)
    }

    pub(crate) fn can_book(&self) -> bool {
        can_book(self.facts)
    }

    pub(crate) fn can_change(&self) -> bool {
        can_change(&self.out.talk, self.facts)
    }

    /// Transfers the call to a person if that is possible. If it is not possible or fails at once, asks for a message.
    pub(crate) fn person(&mut self) {
        self.talk().stage = None;
        if self.can_transfer() {
            self.say(Key::Transfer);
            if !self.facts.transfers_fail {
                self.out.transfer = true;
                self.talk().place = Position::default();
                return;
            }
        }
        self.say(Key::TransferFailed);
        guided::go(self, Step::Body);
    }

    /// Stages a change. Drops the change that was staged before.
    pub(crate) fn stage(&mut self, change: Change) {
        let is_number =
            self.channel() == Channel::Sms && matches!(change, Change::Move { .. } | Change::Cancel { .. });
        let number = is_number.then(|| 10 + u32::try_from(self.input.random % 90).unwrap_or(0));
        let key = self.talk().next_key();
        let at = self.now();
        let when = String::new();
        self.talk().stage = Some(Stage { key, change, at, when, number, unclear: false });
    }

    /// Drops a staged change that has waited for longer than `STAGE_TIME`.
    pub(crate) fn expire_stage(&mut self) {
        let now = self.now();
        if self.talk().stage.as_ref().is_some_and(|stage| now - stage.at >= STAGE_TIME) {
            self.talk().stage = None;
        }
    }

    /// Asks the caller to confirm the staged change, and offers the choices "yes" and "no".
    pub(crate) fn read_back(&mut self) {
        let writer = self.writer();
        let Some(stage) = &mut self.out.talk.stage else { return };
        stage.when = match &stage.change {
            Change::Book { time, .. } => writer.when(time.starts_at),
            Change::Move { time, .. } => writer.when_to(time.starts_at),
            Change::Cancel { appointment } => writer.when(appointment.starts_at),
            Change::Consent { .. } => String::new(),
        };
        let stage = stage.clone();
        let number = stage.number.map(|number| number.to_string()).unwrap_or_default();
        match &stage.change {
            Change::Book { time, name, .. } => {
                let (service, staff) = self.names(time);
                let (when, name) = (writer.when(time.starts_at), words::name(name));
                let line = |name: &str| {
                    let values =
                        [("service", &*service), ("staff", &*staff), ("when", &*when), ("name", name)];
                    self.text(Key::AskBook, &values)
                };
                let (said, data) = (line(&name), line(&quoted(&name)));
                self.line_with_data(said, data);
            }
            Change::Move { appointment, time } => {
                let key = if stage.number.is_some() { Key::AskMoveNumber } else { Key::AskMove };
                let (old, when) = (writer.when(appointment.starts_at), writer.when_to(time.starts_at));
                let service = words::name(&appointment.service_name);
                self.say_with(key, &[("service", &service), ("old", &old), ("when", &when), ("n", &number)]);
            }
            Change::Cancel { appointment } => {
                let key = if stage.number.is_some() { Key::AskCancelNumber } else { Key::AskCancel };
                let (service, when) =
                    (words::name(&appointment.service_name), writer.when(appointment.starts_at));
                self.say_with(key, &[("service", &service), ("when", &when), ("n", &number)]);
            }
            Change::Consent { .. } => self.say(Key::AskConsent),
        }
        let (yes, no) = (self.text(Key::Yes, &[]), self.text(Key::No, &[]));
        self.out.choices.clear();
        if stage.number.is_none() {
            self.choice("1", yes);
        }
        self.choice("2", no);
        self.out.keys = Keys::One;
    }

    /// The names of the service and the staff member, in the form in which a reply contains them.
    pub(crate) fn names(&self, time: &OfferedTime) -> (String, String) {
        let service = self.facts.service(time.service).map(|service| words::name(&service.name));
        let staff = self.facts.member(time.staff).map(|member| words::name(&member.name));
        (service.unwrap_or_default(), staff.unwrap_or_default())
    }

    /// Makes the staged change. Must be called only after the caller has said yes.
    pub(crate) fn commit(&mut self) -> Asked<()> {
        let Some(stage) = self.out.talk.stage.clone() else { return Ok(()) };
        match stage.change.clone() {
            Change::Book { time, name, phone, email } => {
                self.commit_booking(stage.key, time, name, phone, email)?;
            }
            Change::Move { appointment, time } => self.commit_move(stage.key, &appointment, time)?,
            Change::Cancel { appointment } => self.commit_cancel(stage.key, &appointment)?,
            Change::Consent { phone } => {
                self.answers.get(Ask::Consent { phone })?;
                self.talk().stage = None;
                self.effect(EffectKind::Consent, None);
                guided::help(self);
            }
        }
        Ok(())
    }

    fn commit_booking(
        &mut self,
        key: u32,
        time: OfferedTime,
        name: String,
        phone: Option<String>,
        email: Option<String>,
    ) -> Asked<()> {
        let OfferedTime { service, staff, starts_at, .. } = time;
        // If the time is taken, the caller is offered other times and does not have to repeat these details.
        let talk = self.talk();
        (talk.name, talk.phone, talk.email) = (Some(name.clone()), phone.clone(), email.clone());
        let ask = BookAsk { key, service, staff, starts_at, name, phone, email };
        match self.answers.get(Ask::Book(ask))? {
            Answer::Booked { appointment, staff, confirmed } => {
                let (appointment, confirmed, time) =
                    (*appointment, *confirmed, OfferedTime { staff: *staff, ..time });
                self.talk().stage = None;
                let (service, staff) = self.names(&time);
                let when = self.writer().when(starts_at);
                let (done, sum, kind) = if confirmed {
                    (Key::DoneBook, Key::SumBooked, EffectKind::Booked)
                } else {
                    (Key::DoneRequest, Key::SumRequested, EffectKind::Requested)
                };
                self.say_with(done, &[("service", &service), ("staff", &staff), ("when", &when)]);
                self.effect(kind, Some(Resource::Appointment(appointment)));
                self.sum(sum, &service, starts_at);
                self.booked(appointment);
            }
            Answer::Refused(refused) => self.not_booked(*refused, time, TaskKind::Book, None)?,
            other => misfit(other),
        }
        Ok(())
    }

    /// Continues after a booking. On the website, offers the manage link. In a call, asks for the consent to text
    /// messages.
    fn booked(&mut self, appointment: AppointmentId) {
        self.talk().place = Position::default();
        let from = self.out.talk.from.clone();
        let asks =
            self.channel() == Channel::Voice && self.facts.asks_consent && !self.out.talk.consent_asked;
        if let Some(phone) = from.filter(|_| asks) {
            self.talk().consent_asked = true;
            self.stage(Change::Consent { phone });
            self.read_back();
        }
        if self.channel() == Channel::Website {
            let label = self.text(Key::ManageLink, &[]);
            self.out.choices.push(Choice { id: "link".into(), label, link: Some(appointment) });
        }
    }

    fn commit_move(&mut self, key: u32, appointment: &OwnAppointment, time: OfferedTime) -> Asked<()> {
        let ask = MoveAsk {
            key,
            appointment: appointment.id,
            expected_starts_at: appointment.starts_at,
            starts_at: time.starts_at,
        };
        match self.answers.get(Ask::Move(ask))? {
            Answer::Booked { staff, .. } => {
                let staff_name =
                    self.facts.member(*staff).map_or(&appointment.staff_name, |member| &member.name);
                let (service, staff) = (words::name(&appointment.service_name), words::name(staff_name));
                let when = self.writer().when(time.starts_at);
                self.talk().stage = None;
                self.say_with(Key::DoneMove, &[("service", &service), ("staff", &staff), ("when", &when)]);
                self.changed(EffectKind::Moved, appointment.id);
                // The model may still refer to the appointment by its handle.
                let known = self.talk().handles.appointments.iter_mut().find(|own| own.id == appointment.id);
                if let Some(own) = known {
                    own.starts_at = time.starts_at;
                }
                self.sum(Key::SumMoved, &service, time.starts_at);
            }
            Answer::Refused(refused) => self.not_booked(*refused, time, TaskKind::Move, Some(appointment))?,
            other => misfit(other),
        }
        Ok(())
    }

    fn commit_cancel(&mut self, key: u32, appointment: &OwnAppointment) -> Asked<()> {
        let ask = Ask::Cancel { key, appointment: appointment.id, starts_at: appointment.starts_at };
        let answer = self.answers.get(ask)?;
        self.talk().stage = None;
        match answer {
            Answer::Done => {
                let service = words::name(&appointment.service_name);
                let when = self.writer().when(appointment.starts_at);
                self.say_with(Key::DoneCancel, &[("service", &service), ("when", &when)]);
                self.changed(EffectKind::Cancelled, appointment.id);
                self.sum(Key::SumCancelled, &service, appointment.starts_at);
            }
            Answer::Refused(_) => self.no_change(),
            other => misfit(other),
        }
        Ok(())
    }

    /// Records that an appointment of the caller was moved or cancelled, and ends the task.
    fn changed(&mut self, kind: EffectKind, appointment: AppointmentId) {
        self.effect(kind, Some(Resource::Appointment(appointment)));
        self.talk().place = Position::default();
    }

    pub(crate) fn no_change(&mut self) {
        self.say(Key::NoChange);
        guided::go(self, Step::OfferMessage);
    }

    /// Continues after a refused booking or move. If the time is taken, offers other times of the day.
    fn not_booked(
        &mut self,
        refused: Refused,
        time: OfferedTime,
        kind: TaskKind,
        appointment: Option<&OwnAppointment>,
    ) -> Asked<()> {
        self.talk().stage = None;
        match (refused, kind) {
            (Refused::Taken, _) => {
                self.say(Key::Taken);
                let date = self.writer().date_of(time.starts_at);
                let staff = appointment.map(|appointment| appointment.staff);
                let task = Task {
                    kind: Some(kind),
                    service: Some(time.service),
                    staff,
                    appointment: appointment.cloned(),
                    dates: [date].into(),
                    ..Task::default()
                };
                self.talk().place = Position { task, ..Position::default() };
                guided::advance(self)?;
            }
            (_, TaskKind::Book) => {
                self.say(Key::NoBooking);
                guided::go(self, Step::OfferMessage);
            }
            _ => self.no_change(),
        }
        Ok(())
    }

    /// Adds a line to the summary.
    fn sum(&mut self, key: Key, service: &str, at: Timestamp) {
        let at = at.utc().with_timezone(&self.facts.zone).format("%Y-%m-%d %H:%M").to_string();
        let line = self.text(key, &[("service", service), ("at", &at)]);
        if self.out.talk.summary.len() < SUMMARY_LINES_MAX {
            self.talk().summary.push(line);
        }
    }

    /// Takes a message with the caller's own words.
    pub(crate) fn message(&mut self, mut ask: MessageAsk) -> Asked<bool> {
        ask.body = ask.body.chars().take(BODY_CHARS_MAX).collect();
        ask.urgent = ask.urgent || self.out.talk.emergency;
        match self.answers.get(Ask::Message(ask))? {
            Answer::Message(message) => {
                self.talk().changes += 1;
                self.say(Key::MessageDone);
                self.effect(EffectKind::MessageTaken, Some(Resource::Message(*message)));
                let line = self.text(Key::SumMessage, &[]);
                if self.out.talk.summary.len() < SUMMARY_LINES_MAX {
                    self.talk().summary.push(line);
                }
                Ok(true)
            }
            Answer::Refused(_) => Ok(false),
            other => misfit(other),
        }
    }

    /// Returns the output of the turn. Before that, limits repeated lines, introduces the receptionist in the first
    /// reply of a text thread, and adds the lines to the history.
    pub(crate) fn finish(mut self) -> Output {
        self.limit_repeats();
        if self.out.talk.first_due && !self.out.lines.is_empty() {
            self.out.talk.first_due = false;
            let first = self.text(Key::FirstText, &[("business", &words::name(&self.facts.business))]);
            self.out.lines[0].text.insert_str(0, &first);
        }
        let said: Vec<String> = self.out.lines.iter().map(|line| line.text.clone()).collect();
        let mut said = said.join(" ");
        for (line, data) in &self.quoted {
            said = said.replace(line, data);
        }
        self.talk().remember(false, &said);
        self.talk().seen.limit();
        self.talk().caller_seen.limit();
        self.out
    }

    /// Ensures that a line is said in at most two consecutive turns. Leaves out lines that would be said in a third
    /// consecutive turn, if another line remains and the caller does not have to confirm a change. If none remains, the
    /// receptionist offers to take a message. If the offer would be said in a third consecutive turn too, the
    /// receptionist asks for the message. If this question would also be said in a third consecutive turn, the
    /// conversation ends.
    fn limit_repeats(&mut self) {
        let before = std::mem::take(&mut self.talk().repeated);
        let times =
            |text: &str| before.iter().find(|(line, _)| line == text).map_or(1, |(_, times)| times + 1);
        let is_third = |flow: &Self| flow.out.lines.iter().any(|line| times(&line.text) > SAME_LINE_MAX);
        // A line that reports a change is always said.
        let is_report = |effect: &Effect| !matches!(effect.kind, EffectKind::Offered | EffectKind::Answered);
        let has_report = self.out.effects.iter().any(is_report);
        let is_new = |line: &Line| times(&line.text) <= SAME_LINE_MAX;
        if self.out.talk.stage.is_none() && !has_report && self.out.lines.iter().any(is_new) {
            self.out.lines.retain(is_new);
        }
        if is_third(self) && !has_report && !self.out.transfer && self.out.end.is_none() {
            self.clear_lines();
            // `clear_lines` has removed the lines of this turn, so the effects of the lines are removed too.
            let earlier = self.out.talk.effects.len() - self.out.effects.len();
            self.talk().effects.truncate(earlier);
            self.out.effects.clear();
            self.talk().stage = None;
            self.say(Key::Unknown);
            guided::go(self, Step::OfferMessage);
            if is_third(self) {
                self.clear_lines();
                guided::go(self, Step::Body);
            }
            if is_third(self) {
                self.clear_lines();
                self.say(Key::Goodbye);
                self.end(EndedBy::Receptionist);
            }
        }
        let counted = self.out.lines.iter().map(|line| (line.text.clone(), times(&line.text)));
        self.out.talk.repeated = counted.collect();
    }

    fn clear_lines(&mut self) {
        self.out.lines.clear();
        self.out.choices.clear();
    }

    /// Sets the list from which the caller chooses. The next page that is shown is the list's first page.
    pub(crate) fn list(&mut self, mut listed: Vec<Listed>) {
        listed.truncate(LIST_MAX);
        self.talk().place.listed = listed;
        self.talk().place.shown = 0;
    }
}

pub(crate) fn can_book(facts: &Facts) -> bool {
    facts.booking_mode != BookingMode::Off && !facts.services.is_empty()
}

/// Whether the caller can move and cancel appointments in this conversation. A caller who is not verified needs a code
/// for this.
pub(crate) fn can_change(talk: &Talk, facts: &Facts) -> bool {
    facts.change_by_caller && talk.channel != Channel::Website && (talk.verified || facts.sends_codes)
}

pub(crate) fn can_transfer(talk: &Talk, facts: &Facts) -> bool {
    matches!(talk.channel, Channel::Voice | Channel::Assistant) && facts.handoff
}
