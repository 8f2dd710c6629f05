//! The guided path: a menu and questions, without a language model.
//!
//! Each step of a task asks for one missing detail. A turn such as "a haircut with Julia on Tuesday at ten"
//! can answer several steps. A step is skipped if its answer is known or if only one answer is possible.

use std::collections::BTreeSet;

use chrono::{Days, NaiveDate};
use domain::{AppointmentId, BookingMode};

use crate::facts::{Answer, Ask, Asked, MessageAsk, OpeningsAsk, OwnAppointment, misfit};
use crate::flow::Flow;
use crate::knowledge;
use crate::model::quoted;
use crate::reader::{self, Clear, Context, Entry, Expect, has_phrase, plain};
use crate::state::{
    Change, Channel, Choice, EffectKind, EndedBy, Keys, Listed, OfferedTime, Position, Resource, Said, Step,
    Task, TaskKind,
};
use crate::words::{self, Key};

/// The number of list entries on a page.
const PAGE: usize = 7;
/// The maximum number of days in a list of days with openings.
const DAYS_MAX: u32 = 21;
/// The number of days ahead in which the guided path looks for openings.
pub(crate) const AHEAD_DAYS: u64 = 62;
const UNCLEAR_OFFER: u32 = 3;
const UNCLEAR_END: u32 = 5;
/// The number of days in an answer about opening hours.
const HOURS_DAYS: usize = 7;
const SERVICES_SAID_MAX: usize = 20;

pub(crate) fn take(flow: &mut Flow<'_>, text: &str, is_key: bool) -> Asked<()> {
    let step = flow.out.talk.place.step;
    if is_key {
        let key = text.trim();
        match (key, step) {
            ("*", _) => return ask_again(flow),
            ("0", Step::Menu) => {
                flow.person();
                return Ok(());
            }
            ("0", _) => {
                menu(flow);
                return Ok(());
            }
            ("8", _) if !flow.out.talk.place.listed.is_empty() => return back(flow),
            ("9", _) if has_more(flow) => {
                flow.talk().place.shown += PAGE;
                return show_page(flow, false);
            }
            _ => {}
        }
    }
    if step == Step::Body && !is_key {
        return body(flow, text);
    }
    // After several wrong codes, the receptionist offers to take a message, but the caller may still give the right
    // code.
    let awaits_code = flow.out.talk.has(EffectKind::CodeSent) && !flow.out.talk.verified;
    let is_code = awaits_code && matches!(step, Step::Menu | Step::OfferMessage);
    if step == Step::Code || is_code && reader::code(text).is_some() {
        return code(flow, text);
    }
    if let Some(position) = position(flow, text, is_key) {
        return choose(flow, position);
    }
    let entries = if step == Step::Question { Vec::new() } else { reader::entries(text) };
    if let [entry] = entries[..] {
        let current = flow.out.talk.place.task.kind;
        let is_other = match entry {
            Entry::Book => current != Some(TaskKind::Book),
            Entry::Move => current != Some(TaskKind::Move),
            Entry::Cancel => current != Some(TaskKind::Cancel),
            Entry::Message | Entry::Question => true,
        };
        // During a booking, the word "book" does not start the booking again. When the receptionist has asked for a
        // name or a phone number, no word starts a task, because the caller's name may be "Book".
        let is_open = matches!(step, Step::Menu | Step::OfferMessage);
        if is_open || is_other && !matches!(step, Step::Name | Step::Phone | Step::Identify) {
            return start(flow, entry, text);
        }
    }
    match step {
        Step::Menu => free(flow, text, &entries),
        Step::OfferMessage => match reader::clear(text) {
            Some(Clear::Yes) => {
                go(flow, Step::Body);
                Ok(())
            }
            Some(Clear::No) => {
                menu(flow);
                Ok(())
            }
            None => free(flow, text, &entries),
        },
        Step::Question => question(flow, text),
        Step::Name => match reader::person_name(text) {
            Some(name) if !is_key => {
                flow.talk().name = Some(name);
                understood(flow);
                advance(flow)
            }
            _ => not_understood(flow),
        },
        Step::Phone | Step::Identify => phone(flow, text),
        Step::Pick | Step::Service | Step::Staff | Step::Day | Step::Time => {
            if absorb(flow, text)? {
                advance(flow)
            } else {
                not_understood(flow)
            }
        }
        Step::Body | Step::Code => not_understood(flow),
    }
}

/// Handles a turn at the menu that does not name exactly one entry. The turn may be a farewell, the details of a
/// booking, or a question.
fn free(flow: &mut Flow<'_>, text: &str, entries: &[Entry]) -> Asked<()> {
    if reader::is_farewell(text) {
        flow.say(Key::Goodbye);
        // A text thread stays open, because a new thread would lose the count of wrong confirmation numbers.
        if flow.out.talk.channel != Channel::Sms {
            flow.end(EndedBy::Receptionist);
        }
        return Ok(());
    }
    let is_fact = reader::asks_for_fact(text);
    if entries.is_empty() && !is_fact && flow.facts.booking_mode != BookingMode::Off {
        let place = flow.out.talk.place.clone();
        flow.talk().place =
            Position { task: Task { kind: Some(TaskKind::Book), ..Task::default() }, ..Position::default() };
        if absorb(flow, text)? {
            understood(flow);
            return advance(flow);
        }
        flow.talk().place = place;
    }
    if (is_fact || reader::is_question(text)) && entries.len() <= 1 {
        return question(flow, text);
    }
    not_understood(flow)
}

fn start(flow: &mut Flow<'_>, entry: Entry, text: &str) -> Asked<()> {
    understood(flow);
    flow.talk().place = Position::default();
    let kind = match entry {
        Entry::Message => {
            go(flow, Step::Body);
            return Ok(());
        }
        Entry::Question => return question(flow, text),
        Entry::Book => TaskKind::Book,
        Entry::Move => TaskKind::Move,
        Entry::Cancel => TaskKind::Cancel,
    };
    flow.talk().place.task.kind = Some(kind);
    if kind == TaskKind::Book && flow.facts.booking_mode != BookingMode::Off {
        absorb(flow, text)?;
    }
    advance(flow)
}

/// Starts the task of the menu entry with this number.
fn start_number(flow: &mut Flow<'_>, number: usize) -> Asked<()> {
    understood(flow);
    match number {
        1 => start(flow, Entry::Book, ""),
        2 => start(flow, Entry::Move, ""),
        3 => start(flow, Entry::Cancel, ""),
        4 => start(flow, Entry::Message, ""),
        _ => {
            go(flow, Step::Question);
            Ok(())
        }
    }
}

/// Goes to a step that shows no list, and asks its question.
pub(crate) fn go(flow: &mut Flow<'_>, step: Step) {
    flow.talk().place.step = step;
    flow.talk().place.listed.clear();
    flow.out.choices.clear();
    flow.out.keys = Keys::One;
    match step {
        Step::Menu | Step::OfferMessage => menu_choices(flow),
        Step::Name => flow.say(Key::AskName),
        Step::Phone | Step::Identify => {
            flow.out.keys = Keys::Many;
            flow.say(Key::AskPhone);
        }
        Step::Code => {
            flow.out.keys = Keys::Many;
            flow.say(Key::AskCode);
        }
        Step::Body => flow.say(Key::AskBody),
        Step::Question => flow.say(Key::AskQuestion),
        Step::Service | Step::Staff | Step::Day | Step::Time | Step::Pick => {}
    }
}

/// Says the menu and, except on the website, its entries with their keys.
pub(crate) fn menu(flow: &mut Flow<'_>) {
    flow.talk().place = Position::default();
    let key = match (flow.can_book(), flow.can_change()) {
        (true, true) => Key::Menu,
        (true, false) => Key::MenuWithoutChanges,
        (false, true) => Key::MenuWithoutBooking,
        (false, false) => Key::MenuWithoutAppointments,
    };
    flow.say(key);
    go(flow, Step::Menu);
    let entries = flow.out.choices.clone();
    say_choices(flow, &entries);
}

/// Asks how the receptionist can help.
pub(crate) fn help(flow: &mut Flow<'_>) {
    flow.talk().place = Position::default();
    flow.say(Key::Help);
    go(flow, Step::Menu);
}

/// The possible entries of the menu, each with its number.
fn menu_entries(flow: &Flow<'_>) -> Vec<(usize, Key)> {
    let (books, changes) = (flow.can_book(), flow.can_change());
    let all = [
        (1, Key::MenuBook, books),
        (2, Key::MenuMove, changes),
        (3, Key::MenuCancel, changes),
        (4, Key::MenuMessage, true),
        (5, Key::MenuQuestion, true),
    ];
    all.into_iter().filter(|(_, _, is_possible)| *is_possible).map(|(number, key, _)| (number, key)).collect()
}

pub(crate) fn menu_choices(flow: &mut Flow<'_>) {
    for (number, key) in menu_entries(flow) {
        let label = flow.text(key, &[]);
        flow.choice(&number.to_string(), label);
    }
    let label = flow.text(Key::MenuPerson, &[]);
    flow.choice("0", label);
}

fn understood(flow: &mut Flow<'_>) {
    flow.talk().unclear = 0;
}

/// Continues after a turn that was not understood. After one or two consecutive turns, asks again. After
/// three or four, offers to take a message. After five, ends the conversation.
pub(crate) fn not_understood(flow: &mut Flow<'_>) -> Asked<()> {
    flow.talk().unclear += 1;
    match flow.out.talk.unclear {
        UNCLEAR_END.. => {
            flow.say(Key::Goodbye);
            flow.end(EndedBy::Receptionist);
            Ok(())
        }
        UNCLEAR_OFFER.. => {
            flow.say(Key::Unknown);
            go(flow, Step::OfferMessage);
            Ok(())
        }
        _ => {
            flow.say(Key::Again);
            ask_again(flow)
        }
    }
}

/// Asks the question of the step again.
pub(crate) fn ask_again(flow: &mut Flow<'_>) -> Asked<()> {
    let step = flow.out.talk.place.step;
    match step {
        Step::Menu => menu(flow),
        Step::OfferMessage => go(flow, step),
        _ if !flow.out.talk.place.listed.is_empty() => return show(flow),
        Step::Service | Step::Staff | Step::Day | Step::Time | Step::Pick => return advance(flow),
        _ => go(flow, step),
    }
    Ok(())
}

/// Shows the previous page of the list. On the first page, returns to the previous step and forgets its answer.
fn back(flow: &mut Flow<'_>) -> Asked<()> {
    if flow.out.talk.place.shown >= PAGE {
        flow.talk().place.shown -= PAGE;
        return show_page(flow, false);
    }
    let step = flow.out.talk.place.step;
    let has_services = flow.facts.services.len() > 1;
    let task = &mut flow.talk().place.task;
    match step {
        Step::Time => {
            task.dates.clear();
            task.times = None;
        }
        Step::Day | Step::Staff if task.kind == Some(TaskKind::Book) && has_services => {
            let kind = task.kind;
            *task = Task { kind, ..Task::default() };
        }
        _ => {
            menu(flow);
            return Ok(());
        }
    }
    advance(flow)
}

fn has_more(flow: &Flow<'_>) -> bool {
    let place = &flow.out.talk.place;
    place.listed.len() > place.shown + PAGE
}

/// The position of the choice that the turn names, in the menu or on the current page of the list.
fn position(flow: &Flow<'_>, text: &str, is_key: bool) -> Option<usize> {
    let place = &flow.out.talk.place;
    let is_list = !place.listed.is_empty();
    let is_menu = matches!(place.step, Step::Menu | Step::OfferMessage);
    if !is_list && !is_menu {
        return None;
    }
    let position = if is_key { text.trim().parse().ok() } else { reader::position(text) }?;
    if is_menu {
        return menu_entries(flow).iter().any(|(number, _)| *number == position).then_some(position);
    }
    let is_shown = (1..=PAGE).contains(&position) && place.listed.len() >= place.shown + position;
    is_shown.then_some(position)
}

fn choose(flow: &mut Flow<'_>, position: usize) -> Asked<()> {
    understood(flow);
    let place = &flow.out.talk.place;
    let Some(chosen) = place.listed.get(place.shown + position - 1).cloned().filter(|_| position > 0) else {
        return start_number(flow, position);
    };
    match chosen {
        Listed::Service(service) => flow.talk().place.task.service = Some(service),
        Listed::Staff(staff) => flow.talk().place.task.staff = Some(staff),
        Listed::Day(date) => {
            let task = &mut flow.talk().place.task;
            (task.dates, task.time) = ([date].into(), None);
        }
        Listed::Time(time) => flow.talk().place.task.time = Some(time),
        Listed::Appointment(id) => {
            let own = own_appointments(flow)?;
            let chosen = own.into_iter().find(|appointment| appointment.id == id);
            flow.talk().place.task.appointment = chosen;
        }
    }
    advance(flow)
}

fn context(flow: &Flow<'_>, expect: Expect) -> Context {
    Context {
        today: flow.writer().today(),
        month_first: flow.facts.phone_region == "US",
        expect,
        is_strict: false,
    }
}

/// Takes the service, the staff member, dates and times from a turn. Returns false if it names none of them.
fn absorb(flow: &mut Flow<'_>, text: &str) -> Asked<bool> {
    let step = flow.out.talk.place.step;
    let expect = match step {
        Step::Day => Expect::Day,
        Step::Time => Expect::Time,
        _ => Expect::Nothing,
    };
    let mut found = false;
    let kind = flow.out.talk.place.task.kind;
    if step == Step::Pick {
        found = pick(flow, text)?;
    }
    if kind == Some(TaskKind::Book) {
        let facts = flow.facts;
        let services: Vec<_> = facts.services.iter().map(|service| &*service.name).enumerate().collect();
        let staff: Vec<_> = facts.staff.iter().map(|member| &*member.name).enumerate().collect();
        let members = reader::names(text, &staff);
        match reader::names(text, &services)[..] {
            [one] => {
                let service = facts.services[one].id;
                let task = &mut flow.talk().place.task;
                if task.service != Some(service) {
                    (task.service, task.time) = (Some(service), None);
                }
                found = true;
            }
            [] => {}
            ref several => {
                // The words fit several services, so the caller is asked to choose one of them.
                let listed = several.iter().map(|at| Listed::Service(facts.services[*at].id)).collect();
                flow.list(listed);
                found = true;
            }
        }
        match members[..] {
            [one] => {
                let task = &mut flow.talk().place.task;
                (task.staff, task.time) = (Some(facts.staff[one].id), None);
                found = true;
            }
            [] => {}
            _ => {
                flow.talk().place.task.wants_staff = true;
                found = true;
            }
        }
    }
    if kind == Some(TaskKind::Cancel) {
        return Ok(found);
    }
    let read = reader::read(text, &context(flow, expect));
    let task = &mut flow.talk().place.task;
    if let Some(dates) = read.dates {
        (task.dates, task.time) = (dates, None);
        // If the turn names a new day without a time, as in "the 25th, then", a time that was named earlier
        // does not apply to the new day.
        task.times = None;
        found = true;
    }
    if let Some(times) = read.times.filter(|times| !times.is_empty()) {
        (task.times, task.time) = (Some(times), None);
        found = true;
    }
    if found {
        understood(flow);
    }
    Ok(found)
}

/// Continues the task: asks for the next missing detail, or stages the change if none is missing.
pub(crate) fn advance(flow: &mut Flow<'_>) -> Asked<()> {
    match flow.out.talk.place.task.kind {
        None => {
            help(flow);
            Ok(())
        }
        Some(TaskKind::Book) => advance_booking(flow),
        Some(kind) => advance_change(flow, kind),
    }
}

fn advance_booking(flow: &mut Flow<'_>) -> Asked<()> {
    let facts = flow.facts;
    if !flow.can_book() {
        flow.say(Key::NoBooking);
        go(flow, Step::OfferMessage);
        return Ok(());
    }
    let service = match (flow.out.talk.place.task.service, &facts.services[..]) {
        (Some(service), _) => facts.service(service),
        (None, [one]) => Some(one),
        (None, _) => None,
    };
    let Some(service) = service else {
        let is_narrowed =
            flow.out.talk.place.listed.iter().all(|listed| matches!(listed, Listed::Service(_)));
        if !is_narrowed || flow.out.talk.place.listed.is_empty() {
            flow.list(facts.services.iter().map(|service| Listed::Service(service.id)).collect());
        }
        flow.talk().place.task.service = None;
        flow.talk().place.step = Step::Service;
        return show(flow);
    };
    let task = &mut flow.talk().place.task;
    task.service = Some(service.id);
    // If the staff member does not offer the service, the caller is asked to choose another staff member.
    if task.staff.is_some_and(|staff| !service.staff.contains(&staff)) {
        (task.staff, task.wants_staff) = (None, true);
    }
    if task.wants_staff && task.staff.is_none() {
        match service.staff[..] {
            [one] => task.staff = Some(one),
            _ => {
                flow.list(service.staff.iter().map(|staff| Listed::Staff(*staff)).collect());
                flow.talk().place.step = Step::Staff;
                return show(flow);
            }
        }
    }
    if flow.out.talk.place.task.time.is_none() && !find_time(flow)? {
        return Ok(());
    }
    if flow.out.talk.name.is_none() {
        flow.talk().name = flow.out.talk.contact_name.clone().filter(|_| flow.out.talk.verified);
    }
    let Some(name) = flow.out.talk.name.clone() else {
        go(flow, Step::Name);
        return Ok(());
    };
    if flow.out.talk.phone.is_none() && flow.out.talk.email.is_none() {
        flow.talk().phone = flow.out.talk.from.clone();
    }
    let (phone, email) = (flow.out.talk.phone.clone(), flow.out.talk.email.clone());
    if phone.is_none() && email.is_none() {
        go(flow, Step::Phone);
        return Ok(());
    }
    if let Some(time) = flow.out.talk.place.task.time {
        flow.talk().place = Position::default();
        flow.stage(Change::Book { time, name, phone, email });
        flow.read_back();
    }
    Ok(())
}

/// Continues a move or a cancellation. The caller must first be verified.
fn advance_change(flow: &mut Flow<'_>, kind: TaskKind) -> Asked<()> {
    if flow.channel() == Channel::Website {
        flow.say(Key::UseLink);
        go(flow, Step::Menu);
        flow.talk().place = Position::default();
        return Ok(());
    }
    if !flow.facts.change_by_caller {
        flow.no_change();
        return Ok(());
    }
    if !flow.out.talk.verified {
        return identify(flow);
    }
    if flow.out.talk.place.task.appointment.is_none() {
        let own = own_appointments(flow)?;
        match &own[..] {
            [] => {
                flow.say(Key::Unknown);
                go(flow, Step::OfferMessage);
                return Ok(());
            }
            [one] => flow.talk().place.task.appointment = Some(one.clone()),
            several => {
                flow.list(several.iter().map(|appointment| Listed::Appointment(appointment.id)).collect());
                flow.talk().place.step = Step::Pick;
                return show(flow);
            }
        }
    }
    let Some(appointment) = flow.out.talk.place.task.appointment.clone() else { return Ok(()) };
    if !appointment.changeable {
        flow.no_change();
        return Ok(());
    }
    if kind == TaskKind::Cancel {
        flow.talk().place = Position::default();
        flow.stage(Change::Cancel { appointment });
        flow.read_back();
        return Ok(());
    }
    let task = &mut flow.talk().place.task;
    (task.service, task.staff) = (Some(appointment.service), Some(appointment.staff));
    if flow.out.talk.place.task.time.is_none() && !find_time(flow)? {
        return Ok(());
    }
    if let Some(time) = flow.out.talk.place.task.time {
        flow.talk().place = Position::default();
        flow.stage(Change::Move { appointment, time });
        flow.read_back();
    }
    Ok(())
}

pub(crate) fn own_appointments(flow: &Flow<'_>) -> Asked<Vec<OwnAppointment>> {
    match flow.out.talk.contact.filter(|_| flow.out.talk.verified && flow.channel() != Channel::Website) {
        Some(contact) => Ok(flow.answers.appointments(contact)?.to_vec()),
        None => Ok(Vec::new()),
    }
}

/// Picks an appointment by its service or its date.
fn pick(flow: &mut Flow<'_>, text: &str) -> Asked<bool> {
    let own = own_appointments(flow)?;
    let names: Vec<_> = own.iter().map(|appointment| &*appointment.service_name).enumerate().collect();
    let named = reader::names(text, &names);
    let dates = reader::read(text, &context(flow, Expect::Day)).dates;
    let writer = flow.writer();
    let fits = |at: usize| {
        let is_on = dates.as_ref().is_none_or(|dates| dates.contains(&writer.date_of(own[at].starts_at)));
        is_on && (named.is_empty() || named.contains(&at))
    };
    let mut fitting = (0..own.len()).filter(|at| fits(*at));
    match (fitting.next(), fitting.next()) {
        (Some(one), None) if dates.is_some() || !named.is_empty() => {
            flow.talk().place.task.appointment = Some(own[one].clone());
            Ok(true)
        }
        _ => Ok(false),
    }
}

fn identify(flow: &mut Flow<'_>) -> Asked<()> {
    if !flow.facts.sends_codes {
        flow.say(Key::NoCodes);
        go(flow, Step::OfferMessage);
        return Ok(());
    }
    match flow.out.talk.from.clone() {
        Some(phone) => send_code(flow, &phone),
        None => {
            go(flow, Step::Identify);
            Ok(())
        }
    }
}

fn send_code(flow: &mut Flow<'_>, phone: &str) -> Asked<()> {
    flow.answers.get(Ask::SendCode { phone: phone.to_owned() })?;
    flow.say(Key::CodeSent);
    flow.effect(EffectKind::CodeSent, None);
    go(flow, Step::Code);
    Ok(())
}

/// Reads the phone number of a booking or of the caller, or the email address of a booking.
fn phone(flow: &mut Flow<'_>, text: &str) -> Asked<()> {
    let is_booking = flow.out.talk.place.step == Step::Phone;
    if let Some(email) = reader::email(text).filter(|_| is_booking) {
        flow.talk().email = Some(email);
        understood(flow);
        return advance(flow);
    }
    let phone = match reader::phone(text) {
        Some(written) => flow.answers.phone(&written)?.map(str::to_owned),
        None => None,
    };
    let Some(phone) = phone else { return not_understood(flow) };
    understood(flow);
    if is_booking {
        flow.talk().phone = Some(phone);
        return advance(flow);
    }
    send_code(flow, &phone)
}

fn code(flow: &mut Flow<'_>, text: &str) -> Asked<()> {
    let Some(code) = reader::code(text) else { return instead_of_code(flow, text) };
    match flow.answers.get(Ask::CheckCode { code })? {
        Answer::Verified { contact, name } => {
            let (contact, name) = (*contact, name.clone());
            understood(flow);
            verified(flow, contact, name);
            advance(flow)
        }
        Answer::Refused(_) => {
            understood(flow);
            flow.say(Key::CodeWrong);
            go(flow, Step::Code);
            Ok(())
        }
        other => misfit(other),
    }
}

/// Handles a turn that contains no code. The turn may contain another phone number, to which a code is then sent, or
/// name an entry of the menu.
fn instead_of_code(flow: &mut Flow<'_>, text: &str) -> Asked<()> {
    if let Some(written) = reader::phone(text)
        && let Some(phone) = flow.answers.phone(&written)?.map(str::to_owned)
    {
        understood(flow);
        return send_code(flow, &phone);
    }
    match reader::entries(text)[..] {
        [entry @ (Entry::Book | Entry::Message | Entry::Question)] => start(flow, entry, text),
        _ => not_understood(flow),
    }
}

pub(crate) fn verified(flow: &mut Flow<'_>, contact: domain::ContactId, name: Option<String>) {
    let talk = flow.talk();
    (talk.verified, talk.contact, talk.contact_name) = (true, Some(contact), name);
    flow.effect(EffectKind::Verified, Some(Resource::Contact(contact)));
}

/// The openings that the task asks about.
fn openings(flow: &Flow<'_>, from: NaiveDate, to: NaiveDate) -> Asked<Vec<OfferedTime>> {
    let task = &flow.out.talk.place.task;
    let Some(service) = task.service else { return Ok(Vec::new()) };
    let moving = task.appointment.as_ref().map(|appointment| appointment.id);
    let ask = OpeningsAsk { service, staff: task.staff, moving, from, to, times: None, days_max: DAYS_MAX };
    let openings = flow.answers.openings(ask)?;
    let old = task.appointment.as_ref().map(|appointment| appointment.starts_at);
    let openings = openings.iter().filter(|opening| Some(opening.starts_at) != old);
    let time = |opening: &crate::facts::Opening| OfferedTime {
        service,
        staff: opening.staff,
        moving,
        starts_at: opening.starts_at,
    };
    Ok(openings.map(time).collect())
}

/// If the caller has named days or times and only one opening fits, sets the time of the task and returns true. In all
/// other cases, offers days or times, or offers to take a message, and returns false.
fn find_time(flow: &mut Flow<'_>) -> Asked<bool> {
    let writer = flow.writer();
    let today = writer.today();
    let last = today.checked_add_days(Days::new(AHEAD_DAYS)).unwrap_or(today);
    let (dates, times) = (flow.out.talk.place.task.dates.clone(), flow.out.talk.place.task.times.clone());
    let (first, until) = match (dates.first(), dates.last()) {
        (Some(first), Some(until)) => ((*first).max(today), *until),
        _ => (today, last),
    };
    let open: Vec<OfferedTime> = if first > until { Vec::new() } else { openings(flow, first, until)? };
    let is_on = |time: &&OfferedTime| dates.is_empty() || dates.contains(&writer.date_of(time.starts_at));
    let on_days: Vec<OfferedTime> = open.iter().filter(is_on).copied().collect();
    let is_at = |time: &&OfferedTime| {
        times.as_ref().is_none_or(|times| times.contains(writer.time_of(time.starts_at)))
    };
    let fitting: Vec<OfferedTime> = on_days.iter().filter(is_at).copied().collect();
    match (&fitting[..], times.is_some()) {
        ([one], _) if !dates.is_empty() || times.is_some() => {
            flow.talk().place.task.time = Some(*one);
            return Ok(true);
        }
        ([_, ..], true) => offer(flow, fitting)?,
        ([_, ..], false) => {
            let days: BTreeSet<NaiveDate> =
                fitting.iter().map(|time| writer.date_of(time.starts_at)).collect();
            if days.len() == 1 && !dates.is_empty() {
                offer(flow, fitting)?;
            } else {
                ask_day(flow, &days)?;
            }
        }
        // The days have openings, but not at the requested times, so their other times are offered.
        ([], true) if !on_days.is_empty() && !dates.is_empty() => {
            flow.talk().place.task.times = None;
            offer(flow, on_days)?;
        }
        ([], _) => {
            let (first, until) =
                (dates.first().copied().unwrap_or(today), dates.last().copied().unwrap_or(last));
            let range = writer.range(first, until);
            flow.say_with(Key::None, &[("range", &range)]);
            let task = &mut flow.talk().place.task;
            task.dates.clear();
            task.times = None;
            let open = openings(flow, today, last)?;
            let days: BTreeSet<NaiveDate> = open.iter().map(|time| writer.date_of(time.starts_at)).collect();
            if days.is_empty() {
                go(flow, Step::OfferMessage);
            } else {
                ask_day(flow, &days)?;
            }
        }
    }
    Ok(false)
}

fn ask_day(flow: &mut Flow<'_>, days: &BTreeSet<NaiveDate>) -> Asked<()> {
    flow.list(days.iter().map(|day| Listed::Day(*day)).collect());
    flow.talk().place.step = Step::Day;
    show(flow)
}

fn offer(flow: &mut Flow<'_>, times: Vec<OfferedTime>) -> Asked<()> {
    flow.list(times.into_iter().map(Listed::Time).collect());
    flow.talk().place.step = Step::Time;
    show(flow)
}

/// Says the question of the step, and offers the current page of the list.
fn show(flow: &mut Flow<'_>) -> Asked<()> {
    show_page(flow, true)
}

/// Shows the current page of the list. If `asks` is true, first says the question of the step. It is false if the
/// caller has only turned the page, because the caller has heard the question already.
fn show_page(flow: &mut Flow<'_>, asks: bool) -> Asked<()> {
    let place = flow.out.talk.place.clone();
    let page: Vec<Listed> = place.listed.iter().skip(place.shown).take(PAGE).cloned().collect();
    let own = if place.step == Step::Pick { own_appointments(flow)? } else { Vec::new() };
    let own_of = |id: AppointmentId| own.iter().find(|appointment| appointment.id == id);
    if page.iter().any(|listed| matches!(listed, Listed::Appointment(id) if own_of(*id).is_none())) {
        // An appointment was cancelled or has begun since the list was made, so a new list is made.
        return advance(flow);
    }
    let writer = flow.writer();
    let facts = flow.facts;
    let label = |listed: &Listed| match listed {
        Listed::Service(id) => {
            facts.service(*id).map(|service| words::name(&service.name)).unwrap_or_default()
        }
        Listed::Staff(id) => facts.member(*id).map(|member| words::name(&member.name)).unwrap_or_default(),
        Listed::Day(date) => writer.day(*date),
        Listed::Time(time) => writer.list(&[time.starts_at]),
        Listed::Appointment(id) => own_of(*id)
            .map(|own| format!("{} {}", words::name(&own.service_name), writer.when(own.starts_at)))
            .unwrap_or_default(),
    };
    let labels: Vec<String> = page.iter().map(label).collect();
    match place.step {
        Step::Service if asks => flow.say(Key::AskService),
        Step::Staff if asks => flow.say(Key::AskStaff),
        Step::Day if asks => flow.say(Key::AskDay),
        Step::Pick if asks => flow.say(Key::AskWhich),
        // On the website and in text messages, the choices show the times. In a call, the line itself must
        // name the times.
        Step::Time
            if place.listed.len() > PAGE && matches!(flow.channel(), Channel::Website | Channel::Sms) =>
        {
            if asks {
                flow.say(Key::AskTime);
            }
            flow.effect(EffectKind::Offered, None);
        }
        Step::Time => {
            let at = |listed: &Listed| match listed {
                Listed::Time(time) => Some(time.starts_at),
                _ => None,
            };
            let list = writer.list(&page.iter().filter_map(at).collect::<Vec<_>>());
            flow.say_with(Key::Offer, &[("list", &list)]);
            flow.effect(EffectKind::Offered, None);
        }
        _ => {}
    }
    show_labels(flow, labels, place.step != Step::Time);
    Ok(())
}

/// Says choices with their keys: as numbered lines in a text message, and as a list in a call. On the website, the
/// choices are buttons, so they are not said.
fn say_choices(flow: &mut Flow<'_>, choices: &[Choice]) {
    let numbered: Vec<String> =
        choices.iter().map(|choice| format!("{} {}", choice.id, choice.label)).collect();
    match flow.channel() {
        Channel::Sms => flow.line(numbered.join("\n")),
        Channel::Voice | Channel::Assistant => flow.line(format!("{}.", numbered.join(", "))),
        Channel::Website => {}
    }
}

/// Offers the entries of a page, and the keys that lead to other pages. In a call, the entries are said only if
/// `is_said` is true.
fn show_labels(flow: &mut Flow<'_>, labels: Vec<String>, is_said: bool) {
    let entries = labels.len();
    flow.out.choices.clear();
    for (at, label) in labels.into_iter().enumerate() {
        flow.choice(&(at + 1).to_string(), label);
    }
    let (back, more, menu) =
        (flow.text(Key::Back, &[]), flow.text(Key::More, &[]), flow.text(Key::ToMenu, &[]));
    flow.choice("8", back);
    if has_more(flow) {
        flow.choice("9", more);
    }
    flow.choice("0", menu);
    flow.out.keys = Keys::One;
    let choices = flow.out.choices.clone();
    match flow.channel() {
        Channel::Voice | Channel::Assistant if is_said => say_choices(flow, &choices[..entries]),
        Channel::Voice | Channel::Assistant => {}
        Channel::Sms | Channel::Website => say_choices(flow, &choices),
    }
}

/// Handles a turn in which the caller should say the text of a message.
pub(crate) fn body(flow: &mut Flow<'_>, text: &str) -> Asked<()> {
    understood(flow);
    match reader::clear(text) {
        Some(Clear::No) => {
            flow.say(Key::NothingDone);
            after_message(flow);
            return Ok(());
        }
        // The caller agrees to leave a message, but has not said the message yet.
        Some(Clear::Yes) => {
            go(flow, Step::Body);
            return Ok(());
        }
        None => {}
    }
    let talk = &flow.out.talk;
    let ask = MessageAsk {
        key: talk.changes + 1,
        urgent: false,
        staff: None,
        name: talk.name.clone(),
        phone: talk.phone.clone().or_else(|| talk.from.clone()),
        body: text.to_owned(),
    };
    if !flow.message(ask)? {
        flow.say(Key::NothingDone);
    }
    after_message(flow);
    Ok(())
}

fn after_message(flow: &mut Flow<'_>) {
    if flow.out.talk.limited {
        flow.say(Key::Goodbye);
        flow.end(EndedBy::Receptionist);
    } else {
        flow.talk().place = Position::default();
        go(flow, Step::Menu);
    }
}

/// Answers a question from the settings or, if they do not contain the answer, from the knowledge entries.
fn question(flow: &mut Flow<'_>, text: &str) -> Asked<()> {
    if plain(text).is_empty() {
        return not_understood(flow);
    }
    understood(flow);
    flow.talk().place = Position::default();
    if answer_business(flow, text)? {
        return Ok(());
    }
    let answer = if flow.facts.knowledge_public {
        let passages = flow.answers.passages(text)?;
        passages.iter().find_map(|passage| knowledge::answer(&passage.text, text))
    } else {
        None
    };
    match answer {
        Some(answer) => {
            let answer = words::clean(&answer, knowledge::ANSWER_CHARS_MAX);
            let data = quoted(&answer);
            flow.line_with_data(answer, data);
            flow.effect(EffectKind::Answered, None);
            go(flow, Step::Menu);
        }
        None => {
            flow.out.gaps.push(text.to_owned());
            flow.say(Key::Unknown);
            go(flow, Step::OfferMessage);
        }
    }
    Ok(())
}

/// Answers a question about hours, address, phone or services from the settings. Returns false for other
/// questions.
fn answer_business(flow: &mut Flow<'_>, text: &str) -> Asked<bool> {
    let words = plain(text);
    let has = |list: &[&str]| list.iter().any(|phrase| has_phrase(&words, phrase));
    let before = flow.out.lines.len();
    if has(&[
        "hours",
        "open",
        "close",
        "closed",
        "opening",
        "horaires",
        "ouvert",
        "ouverts",
        "ouverte",
        "ouvrez",
        "ouverture",
        "ferme",
        "fermez",
        "fermeture",
    ]) {
        hours(flow, text);
    }
    let is_of_email = has(&["email", "e mail", "mail", "courriel"]);
    if has(&["address", "adresse", "where", "located", "directions", "où êtes", "où se"])
        && !is_of_email
        && let Some(address) = &flow.facts.address
    {
        flow.say_with(Key::Address, &[("address", &words::clean(address, 300))]);
    }
    if has(&["phone", "telephone", "numéro de téléphone"])
        && let Some(phone) = &flow.facts.phone
    {
        flow.say_with(Key::PhoneNumber, &[("phone", phone)]);
    }
    if has(&["services", "prestations", "which service", "what service"]) && !flow.facts.services.is_empty() {
        let names =
            flow.facts.services.iter().take(SERVICES_SAID_MAX).map(|service| words::name(&service.name));
        let list = names.collect::<Vec<_>>().join(", ");
        flow.say_with(Key::Services, &[("list", &list)]);
    }
    let is_answered = flow.out.lines.len() > before;
    if is_answered {
        flow.effect(EffectKind::Answered, None);
    } else if text.is_empty() || has(&["question"]) {
        go(flow, Step::Question);
        return Ok(true);
    } else {
        return Ok(false);
    }
    flow.talk().place = Position::default();
    go(flow, Step::Menu);
    Ok(is_answered)
}

fn hours(flow: &mut Flow<'_>, text: &str) {
    let writer = flow.writer();
    let asked = reader::read(text, &context(flow, Expect::Nothing)).dates;
    let facts = flow.facts;
    let days = facts.hours.iter().filter(|day| asked.as_ref().is_none_or(|dates| dates.contains(&day.date)));
    for day in days.take(HOURS_DAYS) {
        let to = if flow.out.talk.locale == domain::Locale::Fr { "à" } else { "to" };
        let windows = day
            .windows
            .iter()
            .map(|(open, close)| format!("{} {to} {}", writer.clock(*open), writer.clock(*close)));
        let windows: Vec<String> = windows.collect();
        let name = words::capitalised(&writer.day(day.date));
        if windows.is_empty() {
            flow.say_with(Key::ClosedOn, &[("day", &name)]);
        } else {
            flow.say_with(Key::OpenOn, &[("day", &name), ("windows", &writer.and(&windows))]);
        }
    }
}

/// Returns the text of a turn and a flag. The flag is true for pressed keys, for a choice, and for a typed text
/// that is one digit or `*`.
pub(crate) fn words_of(said: &Said) -> (&str, bool) {
    match said {
        Said::Speech(text) | Said::Text(text) => {
            let is_digit = text.trim().len() == 1
                && text.trim().bytes().all(|byte| byte.is_ascii_digit() || byte == b'*');
            (text, is_digit && matches!(said, Said::Text(_)))
        }
        Said::Keys(keys) => (keys.trim_end_matches('#'), true),
        Said::Choice(id) => (id, true),
        Said::Silence => ("", false),
    }
}
