//! Tests of the gate: which sentences of a model it drops.

use serde_json::json;
use talk::model::Call;
use talk::{Channel, Passage, Rule};

use crate::world::{CALLER, CODE, Caller, World};

/// Takes a turn in which the model says `sentence`. If the gate drops it, returns the rule that it breaks.
fn rule(
    caller: &mut Caller,
    turn: &str,
    functions: &[(&str, serde_json::Value)],
    sentence: &str,
) -> Option<Rule> {
    let (mut draft, mut answers) = caller.draft(turn);
    for (name, arguments) in functions {
        let call = Call { id: "c".into(), name: (*name).into(), arguments: arguments.to_string() };
        caller.world.asking(&mut answers, |facts, answers| draft.call(&call, facts, answers));
    }
    let said = draft.sentence(sentence, &caller.world.facts);
    let output = caller.world.asking(&mut answers, |facts, answers| draft.finish(facts, answers));
    assert_eq!(said.is_none(), output.dropped.len() == 1);
    output.dropped.first().map(|dropped| dropped.rule)
}

fn caller() -> Caller {
    Caller::with(World::new(), Channel::Voice, domain::Locale::En, Some(CALLER))
}

fn check(turn: &str, functions: &[(&str, serde_json::Value)], table: &[(&str, Option<Rule>)]) {
    let wrong: Vec<String> = table
        .iter()
        .map(|(sentence, expected)| (sentence, rule(&mut caller(), turn, functions, sentence), expected))
        .filter(|(_, found, expected)| found != *expected)
        .map(|(sentence, found, expected)| format!("{sentence}: {found:?} instead of {expected:?}"))
        .collect();
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[test]
fn markdown_code_handles_and_reasoning_are_dropped() {
    let form = Some(Rule::Form);
    check(
        "hello",
        &[],
        &[
            ("**Hello**", form),
            ("# Title", form),
            ("- first", form),
            ("1. first", form),
            ("`code`", form),
            ("{\"name\": \"book\"}", form),
            ("I take t1 for you.", form),
            ("Service s2 is nice.", form),
            ("<b>Hi</b>", form),
            ("The user wants a haircut.", form),
            ("Let me think about it.", form),
            ("I call find_openings now.", form),
            ("...", form),
            ("Hello, how may I help you?", None),
            ("Bonjour, que puis-je faire ?", None),
            ("Of course, a haircut.", None),
        ],
    );
}

#[test]
fn claims_to_be_a_human_are_dropped() {
    let person = Some(Rule::Person);
    check(
        "hello",
        &[],
        &[
            ("I am a human.", person),
            ("I'm a real person!", person),
            ("I am not a machine.", person),
            ("I'm not a robot.", person),
            ("You are speaking to a person.", person),
            ("Je suis une vraie personne.", person),
            ("Je ne suis pas un robot.", person),
            ("I am a live human being.", person),
            ("Of course I'm not an AI.", person),
            ("I am not a human.", None),
            ("I am an automated assistant.", None),
            ("Would you like to speak to a person?", None),
            ("Je suis un assistant automatique.", None),
        ],
    );
}

#[test]
fn claims_of_changes_need_their_effect() {
    let claim = Some(Rule::Claim);
    check(
        "hello",
        &[],
        &[
            ("Your haircut is booked.", claim),
            ("Is it confirmed?", claim),
            ("I'll book that.", claim),
            ("You're in!", claim),
            ("I have put you down.", claim),
            ("See you on Tuesday!", claim),
            ("It has been cancelled.", claim),
            ("All set.", claim),
            ("It is done.", claim),
            ("The code was sent.", claim),
            ("I've rescheduled it.", claim),
            ("Your spot is reserved.", claim),
            ("C'est réservé.", claim),
            ("Votre place est réservée.", claim),
            ("C'est reserve.", claim),
            ("C'est fait.", claim),
            ("Le rendez-vous est annulé.", claim),
            ("Elles sont annulées.", claim),
            ("J'ai bien note.", claim),
            ("Message pris !", claim),
            ("Je vous ai transféré.", claim),
            ("You are transferred.", claim),
            ("Rendez-vous déplacé.", claim),
            ("Shall I look for a time?", None),
            ("Would you like to book?", None),
            ("Voulez-vous réserver ?", None),
            ("Do you want to cancel it?", None),
        ],
    );
    // About an appointment that was disclosed to the caller, the model may say `booked` and `confirmed`, but not
    // `cancelled`.
    let mut caller = caller();
    let code = format!("my code is {CODE}");
    let calls = [("check_code", json!({"code": CODE})), ("my_appointments", json!({}))];
    assert_eq!(rule(&mut caller, &code, &calls, "Your haircut is booked for Thursday at 14:00."), None);
    assert_eq!(rule(&mut self::caller(), &code, &calls, "Your haircut is cancelled."), claim);
    // The conversation has sent a code, so "It is done." is true. But it has booked nothing, so a sentence that says
    // that a booking was done is false.
    let mut caller = self::caller();
    let (mut draft, mut answers) = caller.draft("when is my appointment");
    let send = Call { id: "c".into(), name: "send_code".into(), arguments: "{}".into() };
    caller.world.asking(&mut answers, |facts, answers| draft.call(&send, facts, answers));
    let output = caller.world.asking(&mut answers, |facts, answers| draft.finish(facts, answers));
    caller.keep(output);
    assert_eq!(rule(&mut caller, &code, &calls, "It is done."), None);
    // Both claims of this sentence are true.
    let sent = "Your haircut is booked for Thursday at 14:00, and the code was sent.";
    assert_eq!(rule(&mut caller, &code, &calls, sent), None);
    for done in ["Done, it is booked.", "C'est fait, votre rendez-vous est réservé."] {
        assert_eq!(rule(&mut caller, &code, &calls, done), claim, "{done}");
    }
    let mut caller = self::caller();
    caller.says("haircut on Tuesday at ten");
    caller.says("Ada");
    caller.says("yes");
    assert_eq!(rule(&mut caller, "thanks", &[], "Yes, it is booked."), None);
    assert_eq!(rule(&mut caller, "thanks", &[], "It was moved."), claim);
}

#[test]
fn times_and_dates_come_from_functions_hours_or_questions_about_the_callers() {
    let time = Some(Rule::Time);
    let openings = [("find_openings", json!({"service": "s1", "from_date": "2026-11-24"}))];
    check(
        "do you have the 15th of December at 13:00?",
        &openings,
        &[
            ("I have Tuesday 24 November at 10:00.", None),
            ("How about Tuesday at 11:30?", None),
            ("We have 10 am on Tuesday.", None),
            ("I have 15:00.", None),
            ("We open at 9:00 and close at 18:00.", None),
            ("We are closed on Sunday.", None),
            ("Do you want 15 December at 13:00?", None),
            ("In the morning?", None),
            ("I have Tuesday at 12:15.", time),
            ("I have half past four.", time),
            ("I have 15 December.", time),
            ("At 13:00 then.", time),
            ("Come on 24 December.", time),
            ("Tuesday 25 November works.", time),
            ("J'ai 16 h 45.", time),
            ("Le 3 janvier ?", time),
            ("At noon.", time),
        ],
    );
}

#[test]
fn facts_come_from_settings_passages_or_the_caller() {
    let fact = Some(Rule::Fact);
    check(
        "I have 80 euros and my dog Rex",
        &[],
        &[
            ("It costs 45 euros.", fact),
            ("It is €45.", fact),
            ("Forty euros.", fact),
            ("You get 10% off.", fact),
            ("It takes 30 minutes.", fact),
            ("Elle dure deux semaines.", fact),
            ("Call 0199999999.", fact),
            ("Call 01 99 99 99 99.", fact),
            ("Write to us@example.com.", fact),
            ("See www.example.com.", fact),
            ("See example.com for more.", fact),
            ("Ask Brenda.", fact),
            ("With Dr smith?", fact),
            ("Brenda is free.", fact),
            ("We have 500 chairs.", fact),
            ("Julia is free.", None),
            ("With Karim Benali?", None),
            ("You have 80 euros.", None),
            ("Is Rex coming too?", None),
            ("Our number is +33140000000.", None),
            ("We are at 3 rue des Lilas in Paris.", None),
            ("Which service would you like?", None),
            ("This is the Salon Lumière.", None),
            ("I'm happy to help.", None),
        ],
    );
    // If a passage was found in this turn, the model may say its facts and its sentences.
    let mut caller = caller();
    caller.world.passages = vec![Passage {
        title: "Prices".into(),
        text: "A haircut costs 45 euros. Gift cards can be booked by phone.".into(),
        source_url: None,
    }];
    let search = [("search_knowledge", json!({"query": "price"}))];
    assert_eq!(rule(&mut caller, "the price?", &search, "The haircut is 45 euros."), None);
    assert_eq!(rule(&mut caller, "the price?", &search, "The haircut is 55 euros."), fact);
    assert_eq!(rule(&mut caller, "the price?", &search, "Gift cards can be booked by phone."), None);
    assert_eq!(rule(&mut caller, "the price?", &[], "The haircut is 45 euros."), fact);
}

#[test]
fn a_turn_has_a_limit_of_length() {
    let mut caller = caller();
    let (mut draft, _) = caller.draft("hello");
    let said = (0..4)
        .filter(|_| draft.sentence("Which service would you like?", &caller.world.facts).is_some())
        .count();
    assert_eq!(said, 3);
    for (channel, chars) in [(Channel::Sms, 480), (Channel::Website, 1_200)] {
        let mut caller = Caller::with(World::new(), channel, domain::Locale::En, Some(CALLER));
        let (mut draft, _) = caller.draft("hello");
        let sentence = "we are happy to help you ".repeat(4).trim().to_owned() + ".";
        let said = (0..40)
            .filter_map(|_| draft.sentence(&sentence, &caller.world.facts))
            .map(|line| line.text.len())
            .sum::<usize>();
        assert!(said <= chars && said > chars - sentence.len(), "{said}");
    }
}

#[test]
fn a_summary_passes_the_gate_or_is_not_kept() {
    let caller = caller();
    let (facts, now) = (&caller.world.facts, caller.world.now);
    let summary = |text: &str| talk::gate::summary(&caller.talk, facts, now, text);
    assert_eq!(
        summary("The caller asked about\na haircut.").as_deref(),
        Some("The caller asked about a haircut.")
    );
    assert_eq!(summary("The haircut was booked."), None);
    assert_eq!(summary(&"a ".repeat(201)), None);
    assert_eq!(summary(""), None);
}
