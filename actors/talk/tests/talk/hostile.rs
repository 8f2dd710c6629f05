//! Tests of hostile conversations: the model returns random texts, functions and handles, and the caller says
//! random sentences. No change may be made before the caller has said yes to the read-back of this change. No
//! line may claim a change that was not made. No appointment of another person may be disclosed.

use domain::Locale;
use talk::model::Call;
use talk::{Answers, Ask, Channel, EffectKind, Refused, Said, Turned};

use crate::world::{CALLER, CODE, Caller, World, ZONE, at};

/// The number of seeds if the environment variable `TALK_RUNS` is not set.
const SEEDS: u64 = 1_000;
const TURNS: u64 = 7;

struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        // SplitMix64
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((z ^ (z >> 31)) % sides as u64).unwrap()
    }

    fn pick<'a>(&mut self, list: &[&'a str]) -> &'a str {
        list[self.roll(list.len())]
    }
}

const CALLER_TURNS: [&str; 26] = [
    "yes",
    "no",
    "oui",
    "yes please",
    "I want a haircut on Tuesday at ten",
    "my name is Ada",
    "book it",
    "cancel my appointment",
    "move it to Tuesday",
    "482913",
    "the code is 482913",
    "06 12 34 56 78",
    "ada@example.com",
    "what appointments do you have?",
    "is it booked?",
    "ok but later",
    "chest pain",
    "human",
    "tell me about the foreign ritual",
    "stop",
    "1",
    "annulez mon rendez-vous",
    "je voudrais réserver",
    "leave a message",
    "is somebody there at 11:07?",
    "42",
];
const MODEL_TEXTS: [&str; 26] = [
    "Your appointment is booked.",
    "Booked: Haircut with Julia Martin on Tuesday 24 November at 10:00.",
    "C'est fait, votre rendez-vous est réservé.",
    "I have cancelled it.",
    "You're in, see you on Tuesday!",
    "I am a human.",
    "We have Friday 27 November at 11:07.",
    "Which day suits you?",
    "How may I help you?",
    "The Foreign Ritual is at 11:07.",
    "a1 is yours.",
    "It costs 45 euros.",
    "Call +33 1 99 99 99 99.",
    "**Done**",
    "{\"name\": \"book\"}",
    "Moved: Haircut with Julia Martin is now on Monday.",
    "Your message is with the team.",
    "Is it confirmed for you?",
    "Déplacé : Haircut.",
    "Let me see.",
    "Requested: Haircut.",
    "Cancelled: Haircut on Thursday 26 November at 14:00.",
    "Shall I book it?",
    "Your appointment is at 14:00 on Thursday.",
    "Brenda is free.",
    "It is all set?",
];
const FUNCTIONS: [&str; 13] = [
    "find_openings",
    "book",
    "my_appointments",
    "move",
    "cancel",
    "search_knowledge",
    "take_message",
    "send_code",
    "check_code",
    "transfer",
    "end",
    "delete_everything",
    "",
];

fn arguments(dice: &mut Dice, function: &str) -> String {
    let handle = |dice: &mut Dice, letter: &str| {
        let number = dice.roll(5);
        dice.pick(&["", "x", "T"]).to_owned() + letter + &number.to_string()
    };
    let plain = |dice: &mut Dice, letter: &str| format!("{letter}{}", 1 + dice.roll(3));
    let mut pick = |letter: &str| if dice.roll(4) == 0 { handle(dice, letter) } else { plain(dice, letter) };
    let (service, time, appointment, staff) = (pick("s"), pick("t"), pick("a"), pick("p"));
    if dice.roll(12) == 0 {
        return dice.pick(&["", "null", "[1]", "{\"", "{\"unknown\": 1}", "{\"time\": {}}"]).to_owned();
    }
    let phone = dice.pick(&["0612345678", "+33699999999", "12", ""]);
    match function {
        "find_openings" => {
            let date = dice.pick(&["2026-11-24", "2026-11-27", "2020-01-01", "2026-12-31", "soon"]);
            let more = match dice.roll(3) {
                0 => format!(", \"staff\": \"{staff}\""),
                1 => ", \"time\": \"10:00\"".into(),
                _ => String::new(),
            };
            format!("{{\"service\": \"{service}\", \"from_date\": \"{date}\"{more}}}")
        }
        "book" => format!("{{\"time\": \"{time}\", \"name\": \"Ada\", \"phone\": \"{phone}\"}}"),
        "move" => format!("{{\"appointment\": \"{appointment}\", \"time\": \"{time}\"}}"),
        "cancel" => format!("{{\"appointment\": \"{appointment}\"}}"),
        "search_knowledge" => "{\"query\": \"foreign ritual\"}".into(),
        "take_message" => "{\"urgency\": \"normal\"}".into(),
        "send_code" => format!("{{\"phone\": \"{phone}\"}}"),
        "check_code" => format!("{{\"code\": \"{}\"}}", dice.pick(&[CODE, "000000", "123456"])),
        _ => "{}".into(),
    }
}

/// The start of an appointment as the lines write it, without the weekday: `24 November at 10:00`.
fn written(starts_at: domain::Timestamp, locale: Locale) -> String {
    let local = starts_at.utc().with_timezone(&ZONE);
    match locale {
        Locale::En => local.format("%-d %B at %H:%M").to_string(),
        Locale::Fr => {
            let clock = if local.format("%M").to_string() == "00" { "%-H h" } else { "%-H h %M" };
            let month = match local.format("%m").to_string().as_str() {
                "11" => "novembre",
                "12" => "décembre",
                _ => "janvier",
            };
            format!("{} {month} à {}", local.format("%-d"), local.format(clock))
        }
    }
}

/// The confirmation number that a read-back in a text thread asks for.
fn confirmation_number(lines: &str) -> Option<u32> {
    let (_, rest) = lines.split_once("Reply ").or_else(|| lines.split_once("Répondez "))?;
    rest.split(' ').next()?.parse().ok()
}

fn is_yes(said: &Said, number: Option<u32>) -> bool {
    match said {
        Said::Keys(keys) => keys == "1" && number.is_none(),
        Said::Text(text) | Said::Speech(text) => {
            let is_word = ["yes", "oui", "yes please", "1"].contains(&text.as_str());
            let is_number = text.parse().ok() == number && number.is_some();
            if number.is_some() { is_number } else { is_word }
        }
        _ => false,
    }
}

#[test]
fn a_hostile_model_changes_nothing_without_a_yes_and_discloses_nothing() {
    let (mut committed, mut staged) = (0_u64, 0_u64);
    let seeds = std::env::var("TALK_RUNS").map_or(SEEDS, |runs| runs.parse().unwrap());
    for seed in 0..seeds {
        let mut dice = Dice(seed);
        let channel = Channel::ALL[dice.roll(4)];
        let locale = if dice.roll(3) == 0 { Locale::Fr } else { Locale::En };
        let from = (dice.roll(2) == 0 || channel == Channel::Sms).then_some(CALLER);
        let mut caller = Caller::with(World::new(), channel, locale, from);
        caller.world.facts.handoff = dice.roll(4) == 0;
        let mut before = String::new();
        let mut lines_before: Vec<Vec<String>> = Vec::new();
        for turn in 0..TURNS {
            // In many turns, the caller agrees to the change that was read back.
            let number = confirmation_number(&before).map(|number| number.to_string());
            let text = match (&number, before.contains('?') && dice.roll(3) == 0) {
                (Some(number), _) if dice.roll(2) == 0 => number.as_str(),
                (_, true) => "yes",
                _ => dice.pick(&CALLER_TURNS),
            };
            let said = match channel {
                _ if dice.roll(10) == 0 => Said::Keys(dice.pick(&["1", "2", "0", "5", "*"]).into()),
                Channel::Voice | Channel::Assistant => Said::Speech(text.into()),
                _ => Said::Text(text.into()),
            };
            caller.random = dice.roll(1_000) as u64;
            let mut input = caller.input(said.clone(), dice.roll(5) > 0);
            input.heard = None;
            let talk = caller.talk.clone();
            let was_verified = talk.verified;
            let (changes, made) = (caller.world.changes.len(), caller.world.made);
            let refused = [Refused::Taken, Refused::Changed, Refused::Limit][dice.roll(3)];
            caller.world.refuses = (dice.roll(4) == 0).then_some(refused);
            let mut answers = Answers::default();
            let turned =
                caller.world.asking(&mut answers, |facts, answers| talk::turn(&talk, &input, facts, answers));
            let mut called = false;
            let output = match turned {
                Turned::Done(output) => *output,
                Turned::Model(mut draft) => {
                    called = true;
                    for _ in 0..5 {
                        for _ in 0..dice.roll(3) {
                            let text = dice.pick(&MODEL_TEXTS);
                            draft.sentence(text, &caller.world.facts);
                        }
                        for number in 0..dice.roll(3) {
                            let name = dice.pick(&FUNCTIONS);
                            let arguments = arguments(&mut dice, name);
                            let call = Call { id: format!("c{number}"), name: name.into(), arguments };
                            caller
                                .world
                                .asking(&mut answers, |facts, answers| draft.call(&call, facts, answers));
                        }
                        if !draft.wants_more() {
                            break;
                        }
                    }
                    caller.world.asking(&mut answers, |facts, answers| draft.finish(facts, answers))
                }
            };
            let place = format!("seed {seed} turn {turn} {said:?}");
            let effects: Vec<EffectKind> = output.effects.iter().map(|effect| effect.kind).collect();
            let lines: Vec<String> = output.lines.iter().map(|line| line.text.clone()).collect();
            let all = lines.join("\n");

            // 1. A change needs the caller's yes, directly after the read-back of exactly this change.
            for change in &caller.world.changes[changes..] {
                let starts_at = match change {
                    Ask::Book(ask) => ask.starts_at,
                    Ask::Move(ask) => ask.starts_at,
                    Ask::Cancel { starts_at, .. } => *starts_at,
                    _ => continue,
                };
                committed += 1;
                assert!(!called, "{place}: the model commits");
                let number = confirmation_number(&before);
                assert!(is_yes(&said, number), "{place}: {change:?} without a yes after {before}");
                let is_read_back = before.contains(&written(starts_at, Locale::En))
                    || before.contains(&written(starts_at, Locale::Fr));
                assert!(is_read_back, "{place}: {change:?} was not read back in {before}");
            }
            let of_changes = |kind: &&EffectKind| {
                matches!(
                    kind,
                    EffectKind::Booked
                        | EffectKind::Requested
                        | EffectKind::Moved
                        | EffectKind::Cancelled
                        | EffectKind::MessageTaken
                )
            };
            assert_eq!(
                effects.iter().filter(of_changes).count(),
                caller.world.made - made,
                "{place}: {effects:?}"
            );
            // 2. A line that reports a change is a predefined line, and its effect occurs in the same turn.
            for (starts, kind) in [
                ("Booked:", EffectKind::Booked),
                ("Réservé :", EffectKind::Booked),
                ("Requested:", EffectKind::Requested),
                ("Moved:", EffectKind::Moved),
                ("Déplacé :", EffectKind::Moved),
                ("Cancelled:", EffectKind::Cancelled),
                ("Annulé :", EffectKind::Cancelled),
            ] {
                for line in output.lines.iter().filter(|line| line.text.contains(starts)) {
                    assert!(line.fixed && effects.contains(&kind), "{place}: {all}");
                }
            }
            for starts in ["Your message is with", "Votre message est transmis"] {
                // In later turns, the model may say again that a message was taken.
                let is_taken =
                    output.talk.effects.iter().any(|effect| effect.kind == EffectKind::MessageTaken);
                assert!(!all.contains(starts) || is_taken, "{place}: {all}");
            }
            let has =
                |kinds: &[EffectKind]| output.talk.effects.iter().any(|effect| kinds.contains(&effect.kind));
            for line in output.lines.iter().filter(|line| !line.fixed) {
                assert!(
                    !line.text.contains("human") && !line.text.contains('*') && !line.text.contains("a1"),
                    "{place}: {all}"
                );
                let booked = has(&[EffectKind::Booked, EffectKind::Requested]);
                assert!(
                    !line.text.contains("booked.") || booked || was_verified || output.talk.verified,
                    "{place}: {all}"
                );
                assert!(!line.text.contains("réservé.") || booked, "{place}: {all}");
                assert!(
                    !line.text.contains("cancelled it") || has(&[EffectKind::Cancelled]),
                    "{place}: {all}"
                );
                assert!(
                    !line.text.contains("45 euros")
                        && !line.text.contains("99 99")
                        && !line.text.contains("Brenda"),
                    "{place}: {all}"
                );
            }
            // 3. No line discloses an appointment of another person, and the caller's own appointments are
            //    disclosed only after the verification.
            assert!(
                !all.contains("Foreign Ritual")
                    || output.lines.iter().all(|line| !line.fixed || !line.text.contains("Foreign")),
                "{place}: {all}"
            );
            assert!(!all.contains("11:07") && !all.contains("11 h 07"), "{place}: {all}");
            if !output.talk.verified {
                assert!(
                    !all.contains("26 November at 14:00") && !all.contains("26 novembre à 14 h"),
                    "{place}: {all}"
                );
            }
            for past in &caller.world.changes {
                if let Ask::Move(_) | Ask::Cancel { .. } = past {
                    assert!(output.talk.verified && channel != Channel::Website, "{place}");
                }
            }
            assert_eq!(
                caller
                    .world
                    .appointments
                    .iter()
                    .find(|booked| booked.own.service_name == "Foreign Ritual")
                    .map(|booked| booked.own.starts_at),
                Some(at("2026-11-27T10:07:00Z")),
                "{place}"
            );
            // 4. The guided path does not say a line that it has said in both of the two previous turns. This rule does
            //    not apply to a turn that ends the conversation, transfers the call, or has an effect other than an
            //    offer or an answer.
            if let [.., two, one] = &lines_before[..]
                && effects.iter().all(|kind| [EffectKind::Offered, EffectKind::Answered].contains(kind))
                && output.end.is_none()
                && !output.transfer
            {
                for line in &lines {
                    assert!(!(one.contains(line) && two.contains(line)), "{place}: {line} a third time");
                }
            }
            staged += u64::from(
                all.contains('?') && (all.contains("Shall I book it?") || all.contains("Je réserve ?")),
            );
            lines_before.push(lines);
            // `before` contains the lines that the caller's next turn answers. After a wrong confirmation number, the
            // next turn answers the same read-back again, so `before` stays unchanged.
            if !["That is not the code.", "Ce n'est pas le bon code."].contains(&all.as_str()) {
                before = all;
            }
            let ends = output.end.is_some() || output.transfer;
            caller.keep(output);
            if ends {
                break;
            }
        }
    }
    // The test is useful only if enough changes are staged and made.
    assert!(staged > seeds / 20 && committed > seeds / 200, "{staged} staged, {committed} committed");
}

#[test]
fn no_words_make_a_turn_panic() {
    use proptest::prelude::*;
    proptest!(|(texts in proptest::collection::vec("\\PC{0,40}", 1..6), channel in 0_usize..4, keys: bool)| {
        let mut caller = Caller::with(World::new(), Channel::ALL[channel], Locale::Fr, Some(CALLER));
        for text in texts {
            caller.take(if keys { Said::Keys(text.clone()) } else { Said::Text(text.clone()) });
            if caller.last.end.is_some() || caller.last.transfer {
                break;
            }
            let input = caller.input(Said::Speech(text.clone()), true);
            let (talk, mut answers) = (caller.talk.clone(), Answers::default());
            let turned = caller.world.asking(&mut answers, |facts, answers| talk::turn(&talk, &input, facts, answers));
            if let Turned::Model(mut draft) = turned {
                draft.sentence(&text, &caller.world.facts);
                let call = Call { id: text.clone(), name: "find_openings".into(), arguments: text.clone() };
                caller.world.asking(&mut answers, |facts, answers| draft.call(&call, facts, answers));
                draft.wants_more();
                let output = caller.world.asking(&mut answers, |facts, answers| draft.finish(facts, answers));
                caller.keep(output);
            }
        }
    });
}
