//! Plants faults in the records of conversations, as a defective service might store them. The rules must find each of
//! them.

use std::sync::Arc;

use domain::{
    Actor, AuditAction, Channel, EffectKind, EndedBy, Locale, Speaker, TakenMessage, Timestamp, Turn,
};
use engine::business::Request;
use engine::business::commands::conversations::{EndConversation, StartConversation, TakeTurn};
use talk::Said;

use super::callers::{name, number_in, phone, read_phone, word};
use super::founded;
use super::records::Records;
use crate::sim::runtime;
use crate::world::{Trace, World};

/// The index of the caller who has a private appointment.
const NUMBER: usize = 0;

/// The records of a call, and of a text thread in which a caller booked and moved an appointment and left a message.
fn records() -> Records {
    runtime().block_on(async {
        let world = World::new(1, Arc::new(Trace::new()));
        world.time.begin(None, true);
        let engine = world.start().await;
        let salon = founded(&engine, world.time.truth(), (1, NUMBER)).await;
        let (handle, by) = (engine.business(salon.id), || Request::by(Actor::Operator));
        let start = |channel| StartConversation {
            channel,
            from: Some(phone(NUMBER)),
            to: None,
            locale: Some(Locale::En),
            token: None,
        };
        let mut heard = String::new();
        let thread = handle.change(by(), start(Channel::Sms)).await.unwrap().value.id;
        for words in [
            "Haircut in 9 days at ten",
            &name(NUMBER),
            "yes",
            "I want to leave a message",
            &format!("Please look for my {}", word(NUMBER)),
            "cancel my appointment",
            "1",
            "number",
        ] {
            let words = if words == "number" {
                number_in(&heard).unwrap_or_else(|| panic!("{heard}"))
            } else {
                words
            };
            let said = Said::Text(words.to_owned());
            let turn = TakeTurn { id: thread, said, token: None, read_phone, limit: None };
            let taken = handle.take_turn(by(), turn).await.unwrap().value;
            heard = taken.turns.last().unwrap().text.clone();
        }
        let call = handle.change(by(), start(Channel::Voice)).await.unwrap().value.id;
        for id in [thread, call] {
            handle.change(by(), EndConversation { id, by: EndedBy::Caller }).await.unwrap();
        }
        engine.close().await.unwrap();
        let store = world.store();
        let records = Records::read(&store, salon.id);
        store.close().await.unwrap();
        records
    })
}

impl Records {
    fn turns(&mut self) -> &mut Vec<Turn> {
        let thread = self.conversations.values_mut().find(|it| it.channel == Channel::Sms).unwrap();
        &mut thread.turns
    }

    /// The index of the turn with this effect.
    fn place(&mut self, kind: EffectKind) -> usize {
        let has = |turn: &Turn| turn.effects.iter().any(|effect| effect.kind == kind);
        self.turns().iter().position(has).unwrap()
    }

    fn last_of_receptionist(&mut self) -> &mut Turn {
        self.turns().iter_mut().rev().find(|turn| turn.by == Speaker::Receptionist).unwrap()
    }
}

#[test]
fn the_records_of_a_correct_service_satisfy_the_rules() {
    let mut records = records();
    assert_eq!(records.faults(), Vec::<String>::new());
    for kind in [EffectKind::Booked, EffectKind::Cancelled, EffectKind::MessageTaken] {
        records.place(kind);
    }
    assert_eq!((records.conversations.len(), records.calls.len(), records.exported.len()), (2, 1, 2));
}

#[test]
fn each_planted_fault_is_found() {
    type Plant = fn(&mut Records);
    let faults: [(&str, Plant, &str); 18] = [
        (
            "no is read as yes",
            |it| {
                let at = it.place(EffectKind::Booked);
                it.turns()[at - 1].text = "no".into();
            },
            "not agreed",
        ),
        (
            "a wrong number cancels",
            |it| {
                let at = it.place(EffectKind::Cancelled);
                it.turns()[at - 1].text = "yes".into();
            },
            "not agreed",
        ),
        (
            "the change has no read-back",
            |it| {
                let at = it.place(EffectKind::Booked);
                it.turns()[at - 2].text = "Shall I?".into();
            },
            "not read back",
        ),
        (
            "another day is booked",
            |it| {
                let at = it.place(EffectKind::Booked);
                let id = it.turns()[at].effects[0].on.unwrap().1;
                let appointment = it.appointments.get_mut(&id.into()).unwrap();
                appointment.starts_at = Timestamp::from_millis(appointment.starts_at.millis() + 86_400_000);
            },
            "not read back",
        ),
        ("a line has no effect", |it| it.last_of_receptionist().text = "Moved: Haircut.".into(), "not made"),
        ("a claim has no effect", |it| it.turns()[1].text = "You're in, see you!".into(), "claimed"),
        (
            "an effect has no line",
            |it| {
                let at = it.place(EffectKind::MessageTaken);
                it.turns()[at].text = "OK".into();
            },
            "no line",
        ),
        (
            "an effect has no change",
            |it| it.audit.retain(|entry| entry.action != AuditAction::MessageTaken),
            "audit log differ",
        ),
        (
            "an effect is there twice",
            |it| {
                let at = it.place(EffectKind::MessageTaken);
                let effect = it.turns()[at].effects[0];
                it.turns()[at].effects.push(effect);
            },
            "audit log differ",
        ),
        (
            "a change has no effect",
            |it| {
                let at = it.place(EffectKind::Booked);
                it.turns()[at].effects.clear();
            },
            "audit log differ",
        ),
        (
            "the service changes an appointment by itself",
            |it| {
                let entry =
                    it.audit.iter_mut().find(|entry| entry.action == AuditAction::AppointmentCancelled);
                entry.unwrap().actor = Actor::System;
            },
            "outside of conversations",
        ),
        (
            "an appointment was made by nobody",
            |it| it.audit.retain(|entry| entry.action != AuditAction::AppointmentBooked),
            "not made once",
        ),
        (
            "another caller's words are said",
            |it| it.last_of_receptionist().text = format!("It is {}", word(7)),
            "not for them",
        ),
        (
            "another contact's appointment is disclosed",
            |it| {
                for appointment in it.appointments.values_mut() {
                    appointment.contact_id = None;
                }
            },
            "disclosed",
        ),
        ("a turn is lost", |it| drop(it.turns().remove(2)), "gap"),
        (
            "a message has other words",
            |it| {
                it.messages = std::mem::take(&mut it.messages)
                    .into_iter()
                    .map(|(id, message)| (id, TakenMessage { body: "Sell it".into(), ..message }))
                    .collect();
            },
            "other words",
        ),
        ("the usage is not counted", |it| it.counted = domain::Amount::default(), "usage"),
        ("a conversation is not exported", |it| drop(it.exported.pop()), "export"),
    ];
    for (name, plant, part) in faults {
        let mut records = records();
        plant(&mut records);
        let found = records.faults();
        assert!(found.iter().any(|fault| fault.contains(part)), "{name}: {found:?}");
    }
    let mut records = records();
    records.calls.clear();
    assert!(records.faults().iter().any(|fault| fault.contains("a call is missing")));
}
