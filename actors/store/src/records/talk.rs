//! The settings of the receptionist, conversations with their turns, and unanswered questions.

use domain::{
    BLOCKED_NUMBERS_MAX, Channels, Conversation, Dropped, Effect, Gap, Greeting, Receptionist, Turn,
    is_team_first,
};

use crate::codec::{fields, record};

record!(Receptionist, "receptionist", {
    1: channels, greeting, instructions, handoff_number, team_first_seconds, blocked_numbers, knowledge_public,
       tokens_per_day;
} check |it| {
    is_team_first(it.team_first_seconds) => "its seconds of ringing are out of range",
    (it.blocked_numbers.len() <= BLOCKED_NUMBERS_MAX) => "it has too many blocked numbers",
});

fields! {
    Channels { voice, sms, website }
    Greeting { en, fr }
}

record!(Conversation, "conversation", {
    1: id, channel, status, mode, locale, contact_id, from, to, verified, started_at, ended_at, ended_by, outcome,
       summary, call_id, appointment_ids, message_ids, turns, session, token, created_at, updated_at;
} check |it| {
    (it.is_open() == it.ended_at.is_none()) => "its end contradicts its status",
    it.turns.iter().zip(1..).all(|(turn, seq)| turn.seq == seq) => "its turns are not in order",
});

fields! {
    Turn { seq, at, by, input, text, heard, effects, dropped }
    Effect { kind, on }
    Dropped { rule, text }
}

record!(Gap, "gap", { 1: id, question, asked_at, count, conversation_id });

#[cfg(test)]
mod tests {
    use domain::{
        CallOutcome, Channel, ConversationMode, ConversationStatus, EffectKind, EffectOn, EndedBy, GateRule,
        InputKind, Locale, Speaker, TEAM_FIRST_SECONDS_MAX, Timestamp,
    };
    use uuid::Uuid;

    use super::super::testing::{check, check_damage, id_of, phone, replace};
    use super::*;
    use crate::codec::Record;

    #[test]
    fn the_settings_of_the_receptionist_have_these_bytes() {
        check(&Receptionist::default(), "01 010100 0000 00 00 00 00 00 fc40420f00");
        let some = Receptionist {
            channels: Channels { voice: false, sms: false, website: true },
            greeting: Greeting { en: Some("Hi".into()), fr: None },
            instructions: Some("Be kind".into()),
            handoff_number: Some(phone()),
            team_first_seconds: TEAM_FIRST_SECONDS_MAX,
            blocked_numbers: vec![phone()],
            knowledge_public: true,
            tokens_per_day: 7,
        };
        check(
            &some,
            "01 000001 01024869 00 0107426520 6b696e64 010c2b3135353531323334353637 3c
             010c2b3135353531323334353637 01 07",
        );
        check_damage(&Receptionist { team_first_seconds: 4, ..some.clone() }, |_| {});
        let blocked_numbers = vec![phone(); BLOCKED_NUMBERS_MAX + 1];
        check_damage(&Receptionist { blocked_numbers, ..some.clone() }, |_| {});
        check_damage(&some, |bytes| replace(bytes, b"+1555", b"+0555"));
    }

    fn conversation() -> Conversation {
        let turn = Turn {
            seq: 1,
            at: Timestamp::from_millis(300),
            by: Speaker::Receptionist,
            input: None,
            text: "Hello".into(),
            heard: Some("He".into()),
            effects: vec![Effect {
                kind: EffectKind::Booked,
                on: Some((EffectOn::Appointment, Uuid::from_bytes([0xa5; 16]))),
            }],
            dropped: vec![Dropped { rule: GateRule::Claim, text: "Done".into() }],
        };
        let heard = Turn {
            seq: 2,
            by: Speaker::Caller,
            input: Some(InputKind::Choice),
            heard: None,
            effects: Vec::new(),
            dropped: Vec::new(),
            ..turn.clone()
        };
        Conversation {
            id: id_of([0xa1; 16]),
            channel: Channel::Website,
            status: ConversationStatus::Ended,
            mode: ConversationMode::Guided,
            locale: Locale::Fr,
            contact_id: Some(id_of([0xa2; 16])),
            from: Some(phone()),
            to: None,
            verified: true,
            started_at: Timestamp::from_millis(1),
            ended_at: Some(Timestamp::from_millis(300)),
            ended_by: Some(EndedBy::Timeout),
            outcome: Some(CallOutcome::Hangup),
            summary: Some("x".into()),
            call_id: Some(id_of([0xa3; 16])),
            appointment_ids: vec![id_of([0xa5; 16])],
            message_ids: vec![id_of([0xa4; 16])],
            turns: vec![turn, heard],
            session: vec![9],
            token: Some([0xa6; 32]),
            created_at: Timestamp::from_millis(1),
            updated_at: Timestamp::from_millis(300),
        }
    }

    #[test]
    fn a_conversation_has_these_bytes() {
        let id = |byte: &str| byte.repeat(16);
        let first = format!("05 48656c6c6f 0102 4865 01 02 01 01{} 01 03 04446f6e65", id("a5"));
        let second = "02 fb5802 01 01 04 05 48656c6c6f 00 00 00";
        check(
            &conversation(),
            &format!(
                "01{} 03 02 02 02 01{} 010c2b3135353531323334353637 00 01 02 01fb5802 01 04 01 09 01 0178
                 01{} 01{} 01{} 02 01 fb5802 02 00 {first} {second} 01 09 01{} 02 fb5802",
                id("a1"),
                id("a2"),
                id("a3"),
                id("a5"),
                id("a4"),
                "a6".repeat(32)
            ),
        );
        let open = Conversation { status: ConversationStatus::Open, ..conversation() };
        check_damage(&open, |_| {});
        let mut unordered = conversation();
        unordered.turns.swap(0, 1);
        check_damage(&unordered, |_| {});
        check_damage(&conversation(), |bytes| bytes[17] = 5);
    }

    #[test]
    fn a_conversation_is_not_longer_than_its_bound() {
        let long = |turn: &Turn| Turn {
            seq: u32::MAX,
            at: Timestamp::from_millis(i64::MAX),
            text: "x".repeat(300),
            heard: Some("x".repeat(300)),
            effects: vec![turn.effects[0]; 300],
            dropped: vec![Dropped { rule: GateRule::Claim, text: "x".repeat(300) }; 300],
            ..turn.clone()
        };
        let it = conversation();
        let turn = it.turns[0].clone();
        for turns in [Vec::new(), vec![long(&turn)], vec![turn.clone(); 1_000]] {
            let appointment_ids = vec![it.appointment_ids[0]; 300];
            let it = Conversation { turns, appointment_ids, session: vec![9; 300], ..it.clone() };
            let (bytes, bound) = (it.encode().len(), it.bytes_max());
            assert!(bytes <= bound && bound <= 3 * bytes + 1_024, "{bytes} {bound}");
        }
    }

    #[test]
    fn a_gap_has_these_bytes() {
        let gap = Gap {
            id: id_of([0xa1; 16]),
            question: "Why?".into(),
            asked_at: Timestamp::from_millis(300),
            count: 2,
            conversation_id: id_of([0xa2; 16]),
        };
        check(&gap, &format!("01{} 045768793f fb5802 02{}", "a1".repeat(16), "a2".repeat(16)));
    }
}
