//! Tests the gate with many sentences of a model. The gate must drop false sentences and accept true sentences.

use domain::Locale;
use serde_json::json;
use talk::model::Call;
use talk::{Channel, Passage, Rule};

use crate::world::{CALLER, CODE, Caller, World};

fn caller() -> Caller {
    Caller::with(World::new(), Channel::Website, Locale::En, Some(CALLER))
}

/// Checks the model's sentences of one turn. Returns the lines that are said, and the dropped sentences with their
/// rules.
fn judge(
    caller: &mut Caller,
    turn: &str,
    functions: &[(&str, serde_json::Value)],
    sentences: &[&str],
) -> (Vec<String>, Vec<(Rule, String)>) {
    let (mut draft, mut answers) = caller.draft(turn);
    for (name, arguments) in functions {
        let call = Call { id: "c".into(), name: (*name).into(), arguments: arguments.to_string() };
        caller.world.asking(&mut answers, |facts, answers| draft.call(&call, facts, answers));
    }
    for sentence in sentences {
        draft.sentence(sentence, &caller.world.facts);
    }
    let output = caller.world.asking(&mut answers, |facts, answers| draft.finish(facts, answers));
    let lines = output.lines.iter().filter(|line| !line.fixed).map(|line| line.text.clone());
    let dropped = output.dropped.iter().map(|dropped| (dropped.rule, dropped.text.clone()));
    (lines.collect(), dropped.collect())
}

/// Asserts that the gate drops each sentence because of the given rule, or accepts the sentence if no rule is given.
fn check(turn: &str, functions: &[(&str, serde_json::Value)], table: &[(Option<Rule>, &str)]) {
    let wrong: Vec<String> = table
        .iter()
        .map(|(expected, sentence)| {
            let (_, dropped) = judge(&mut caller(), turn, functions, &[sentence]);
            (sentence, dropped.first().map(|(rule, _)| *rule), expected)
        })
        .filter(|(_, found, expected)| found != *expected)
        .map(|(sentence, found, expected)| format!("{sentence}: {found:?} instead of {expected:?}"))
        .collect();
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[test]
fn a_sentence_is_checked_as_it_is_said() {
    let [claim, fact, form] = [Rule::Claim, Rule::Fact, Rule::Form].map(Some);
    check(
        "hello",
        &[],
        &[
            (claim, "Your haircut is boo\u{200e}ked."),
            (claim, "Your haircut is boo\u{200b}ked."),
            (claim, "Your haircut is boo\u{ad}ked."),
            (claim, "Your haircut is boo\u{2060}ked."),
            (claim, "Your haircut is boo\u{feff}ked."),
            (claim, "Your haircut is b\u{336}o\u{336}o\u{336}ked."),
            (form, "Your haircut is b\u{43e}\u{43e}ked."),
            (form, "Your haircut is b\u{1d0f}\u{1d0f}ked."),
            (claim, "Your haircut is \u{ff42}ooked."),
            (fact, "Call 01\u{200e}99\u{200e}99\u{200e}99\u{200e}99."),
            (fact, "It costs \u{ff14}\u{ff15} euros."),
            (form, "It costs \u{664}\u{665} euros."),
            (form, "\u{412}\u{430}\u{448}\u{430} \u{437}\u{430}\u{43f}\u{438}\u{441}\u{44c}."),
            (None, "Voil\u{e0}, un cœur\u{a0}!"),
            (None, "Bienvenue \u{1f642}"),
        ],
    );
    let (said, _) = judge(&mut caller(), "hello", &[], &["Wel\u{ad}come\tto the Salon Lumi\u{65}\u{300}re."]);
    assert_eq!(said, ["Welcome to the Salon Lumière."]);
    // The caller and the business may have names in another alphabet.
    let mut caller = caller();
    caller.world.facts.staff[0].name = "Олена Wójcik".into();
    assert_eq!(judge(&mut caller, "hello", &[], &["Олена Wójcik is free."]).1, []);
}

#[test]
fn pieces_of_a_sentence_are_checked_together() {
    let [claim, fact, person, time] = [Rule::Claim, Rule::Fact, Rule::Person, Rule::Time];
    for (rule, pieces) in [
        (fact, &["It takes 45", "minutes."][..]),
        (claim, &["You're", "in!"]),
        (claim, &["It is all", "set."]),
        (person, &["I'm not", "a robot."]),
        (time, &["It is half", "past four."]),
        (claim, &["C'est", "fait."]),
        (fact, &["It takes 45…", "minutes."]),
        (fact, &["It takes 45.", "minutes."]),
        (person, &["I am", "not", "a robot."]),
        (fact, &["Ask for", "brenda."]),
    ] {
        let (said, dropped) = judge(&mut caller(), "hello", &[], pieces);
        assert_eq!(said, Vec::<String>::new(), "{pieces:?}");
        assert_eq!(dropped.len(), pieces.len(), "{pieces:?}");
        assert!(dropped.iter().all(|(dropped, _)| *dropped == rule), "{pieces:?}: {dropped:?}");
    }
    // If a piece in the middle is dropped, the pieces around it are still checked together.
    let (said, _) = judge(&mut caller(), "hello", &[], &["Hello.", "It takes 45", "**only**", "minutes."]);
    assert_eq!(said, ["Hello."]);
    // True lines without a full stop are not dropped.
    for pieces in [
        &["Hello", "Would you like to come in the morning?"][..],
        &["Bonjour", "Je suis l'assistant automatique", "Quel jour vous convient ?"],
        &["You can choose", "Haircut", "Colour"],
        &["Which day suits you?", "Julia is free."],
    ] {
        assert_eq!(judge(&mut caller(), "hello", &[], pieces).1, [], "{pieces:?}");
    }
}

/// The false sentences after a turn in which nothing was asked and no function was called.
const FALSE: [(Option<Rule>, &str); 78] = [
    (Some(Rule::Claim), "I have just made your appointment with Karim."),
    (Some(Rule::Claim), "Your appointment is all arranged."),
    (Some(Rule::Claim), "I have taken care of it."),
    (Some(Rule::Claim), "See you Tuesday at 9:00!"),
    (Some(Rule::Claim), "Your request has been passed on to Julia."),
    (Some(Rule::Claim), "Je confirme votre rendez-vous de mardi."),
    (Some(Rule::Claim), "Je réserve votre place pour mardi à 9 h."),
    (Some(Rule::Claim), "Votre rendez-vous est fixé."),
    (Some(Rule::Claim), "C'est réglé, je vous ai inscrite."),
    (Some(Rule::Claim), "J'ai supprimé votre rendez-vous."),
    (Some(Rule::Claim), "Votre demande est transmise à Julia."),
    (Some(Rule::Claim), "I've told Julia about it."),
    (Some(Rule::Claim), "I arranged everything for you."),
    (Some(Rule::Claim), "Julia has been informed."),
    (Some(Rule::Claim), "Your slot has now been secured."),
    (Some(Rule::Claim), "It's sorted."),
    (Some(Rule::Claim), "We've got you down for Tuesday."),
    (Some(Rule::Claim), "You are in!"),
    (Some(Rule::Claim), "I will cancel it for you."),
    (Some(Rule::Claim), "I am letting Julia know."),
    (Some(Rule::Claim), "Your appointment was deleted."),
    (Some(Rule::Claim), "I have pushed it back by a day."),
    (Some(Rule::Claim), "Je viens de réserver votre place."),
    (Some(Rule::Claim), "Je vais déplacer votre rendez-vous."),
    (Some(Rule::Claim), "Nous annulons votre rendez-vous."),
    (Some(Rule::Claim), "Julia est prévenue."),
    (Some(Rule::Claim), "À mardi !"),
    (Some(Rule::Claim), "Nous vous attendons mardi à 9 h."),
    (Some(Rule::Claim), "Tout est réglé."),
    (Some(Rule::Time), "We have something around 17:40."),
    (Some(Rule::Time), "Il y a une place vers 17 h 40."),
    (Some(Rule::Time), "I can do 7 or 8 tomorrow."),
    (Some(Rule::Time), "I have 10 30 free."),
    (Some(Rule::Time), "There is a place after 17:30."),
    (Some(Rule::Time), "Come before 12:00."),
    (Some(Rule::Time), "We are open from 9:00 to 20:00."),
    (Some(Rule::Time), "We are open from 9:00 to 7."),
    (Some(Rule::Fact), "It costs two hundred euros."),
    (Some(Rule::Fact), "Cela coûte cent euros."),
    (Some(Rule::Fact), "Cela coûte deux cents euros."),
    (Some(Rule::Fact), "It costs forty-five euros."),
    (Some(Rule::Fact), "The haircut is 45."),
    (Some(Rule::Fact), "The price of a haircut is 45 for you."),
    (Some(Rule::Fact), "It is free."),
    (Some(Rule::Fact), "C'est gratuit."),
    (Some(Rule::Fact), "You get 10 per cent off."),
    (Some(Rule::Fact), "Comptez dix pour cent de remise."),
    (Some(Rule::Fact), "It takes half an hour."),
    (Some(Rule::Fact), "It takes an hour."),
    (Some(Rule::Fact), "It takes one and a half hours."),
    (Some(Rule::Fact), "Cela dure trois quarts d'heure."),
    (Some(Rule::Fact), "We have 400 chairs."),
    (Some(Rule::Fact), "We have two hundred chairs."),
    (Some(Rule::Fact), "Call 06, 12, 34, 56, 78."),
    (Some(Rule::Fact), "Call 06 - 12 - 34 - 56 - 78."),
    (Some(Rule::Fact), "See salon-paris.com for prices."),
    (Some(Rule::Fact), "See salon2.com for prices."),
    (Some(Rule::Fact), "Brenda does your colour."),
    (Some(Rule::Fact), "Brenda cuts your hair."),
    (Some(Rule::Fact), "Please ask for brenda."),
    (Some(Rule::Fact), "I can offer an appointment with brenda."),
    (Some(Rule::Fact), "Brenda fait les couleurs."),
    (Some(Rule::Fact), "Demandez brenda."),
    (Some(Rule::Person), "This is Julia speaking."),
    (Some(Rule::Person), "Julia speaking."),
    (Some(Rule::Person), "Je suis Julia."),
    (Some(Rule::Person), "Ici Julia."),
    (Some(Rule::Person), "I am definitely a human."),
    (Some(Rule::Person), "Je suis vraiment humaine."),
    (Some(Rule::Person), "You are talking with a person."),
    (Some(Rule::Person), "Je ne suis pas un ordinateur."),
    (Some(Rule::Person), "Je ne suis pas un programme."),
    (Some(Rule::Person), "This is not a recording."),
    (Some(Rule::Form), "The customer wants a haircut."),
    (Some(Rule::Form), "The client is rude."),
    (Some(Rule::Form), "Le client veut une coupe."),
    // The gate does not drop these false sentences: it checks each fact, but not whether the facts belong together.
    (None, "Your colour with Karim is on Friday at 9:00."),
    (None, "We are open on Sunday."),
];

#[test]
fn false_sentences_are_dropped() {
    check("hello", &[], &FALSE);
}

#[test]
fn a_number_is_known_only_as_a_whole() {
    let fact = Some(Rule::Fact);
    check(
        "2 kids, 50 euros, do I get 50% off?",
        &[],
        &[
            (fact, "It costs 250 euros."),
            (fact, "Room 250 is free."),
            // The model may repeat numbers that the caller has said.
            (None, "Yes, you get 50% off."),
            (None, "You have fifty euros."),
            (None, "Our number is 01 40 00 00 00."),
            (None, "Our number is +33 1 40 00 00 00."),
            (None, "Our number is +33 (0)1 40 00 00 00."),
        ],
    );
}

#[test]
fn a_claim_needs_an_effect_that_still_holds() {
    let code = format!("my code is {CODE}");
    let calls = [("check_code", json!({"code": CODE})), ("my_appointments", json!({}))];
    let booked = "Your haircut is booked for Thursday at 14:00.";
    let mut caller = Caller::with(World::new(), Channel::Voice, Locale::En, Some(CALLER));
    let send = [("send_code", json!({}))];
    let (mut draft, mut answers) = caller.draft("when is my appointment?");
    let call = Call { id: "c".into(), name: send[0].0.into(), arguments: "{}".into() };
    caller.world.asking(&mut answers, |facts, answers| draft.call(&call, facts, answers));
    let output = caller.world.asking(&mut answers, |facts, answers| draft.finish(facts, answers));
    caller.keep(output);
    // The conversation has sent a code, but nothing else.
    assert_eq!(judge(&mut caller, &code, &calls, &["The code was sent to you.", booked]).1, []);
    let false_sent = "The confirmation was sent to you.";
    assert_eq!(judge(&mut caller, &code, &calls, &[false_sent]).1, [(Rule::Claim, false_sent.into())]);
    // The model may not give this appointment the time of another appointment.
    let other = "Your haircut is booked for Friday at 9:00.";
    assert_eq!(judge(&mut caller, &code, &calls, &[other]).1, [(Rule::Claim, other.into())]);

    let (mut draft, mut answers) = caller.draft(&code);
    for (name, arguments) in calls.iter().chain(&[("cancel", json!({"appointment": "a1"}))]) {
        let call = Call { id: "c".into(), name: (*name).into(), arguments: arguments.to_string() };
        caller.world.asking(&mut answers, |facts, answers| draft.call(&call, facts, answers));
    }
    let output = caller.world.asking(&mut answers, |facts, answers| draft.finish(facts, answers));
    caller.keep(output);
    assert_eq!(caller.says("yes"), "Cancelled: Haircut on Thursday 26 November at 14:00.");
    assert_eq!(judge(&mut caller, "thanks", &[], &[booked]).1, [(Rule::Claim, booked.into())]);
    assert_eq!(judge(&mut caller, "thanks", &[], &["Your haircut is cancelled."]).1, []);
}

#[test]
fn a_moved_appointment_is_described_by_its_new_time() {
    let mut caller = Caller::with(World::new(), Channel::Sms, Locale::En, Some(CALLER));
    let (mut draft, mut answers) = caller.draft("move my appointment to Wednesday");
    let search = json!({"service": "s1", "staff": "p1", "from_date": "2026-11-25", "to_date": "2026-11-25"});
    for (name, arguments) in [
        ("my_appointments", json!({})),
        ("find_openings", search),
        ("move", json!({"appointment": "a1", "time": "t1"})),
    ] {
        let call = Call { id: "c".into(), name: name.into(), arguments: arguments.to_string() };
        caller.world.asking(&mut answers, |facts, answers| draft.call(&call, facts, answers));
    }
    let output = caller.world.asking(&mut answers, |facts, answers| draft.finish(facts, answers));
    assert!(caller.keep(output).contains("moves to"));
    assert!(caller.says("10").starts_with("Moved: Haircut"));
    let [old, new] =
        ["Thursday at 14:00", "Wednesday at 10:00"].map(|at| format!("Your haircut is booked for {at}."));
    assert_eq!(judge(&mut caller, "thanks", &[], &[&new]).1, []);
    assert_eq!(judge(&mut caller, "thanks", &[], &[&old]).1, [(Rule::Claim, old.clone())]);
}

#[test]
fn true_sentences_are_said() {
    let openings = [("find_openings", json!({"service": "s1", "from_date": "2026-11-24"}))];
    let say = |sentence| (None, sentence);
    check("I have a question", &openings, &ENGLISH.map(say));
    check("J'ai une question", &openings, &FRENCH.map(say));
}

const ENGLISH: [&str; 46] = [
    "Which day suits you?",
    "Certainly.",
    "Please give me your e-mail address.",
    "I found no appointment under your number.",
    "I have found three times for you.",
    "I do not know that, but I can take a message.",
    "You can park behind the salon.",
    "Julia is busy then.",
    "Julia Martin does haircuts.",
    "We are closed on Sunday.",
    "We are open from 9:00 to 18:00.",
    "We are open between 9:00 and 18:00.",
    "Our hours are 9 am to 6 pm.",
    "I have Tuesday 24 November at 10:00 or 11:30.",
    "I have 10 or 11:30 on Tuesday.",
    "The next opening is on Tuesday at 10:00.",
    "Tuesday at 10:00 is free.",
    "Nothing is free on Sunday.",
    "Is that for a haircut or a colour?",
    "Feel free to ask me anything.",
    "The team will confirm your appointment.",
    "Would you like me to book it for you?",
    "Shall I look for another time?",
    "I can move it to another day if you like.",
    "Have you made an appointment with us before?",
    "If your appointment is arranged, I can move it.",
    "Nothing has been arranged yet.",
    "I have not made any changes.",
    "An appointment is needed for a colour.",
    "That slot is already taken.",
    "I have limited information about that.",
    "We have 3 stylists.",
    "Is it for 2 people?",
    "We are at 3 rue des Lilas in Paris.",
    "I am an automated assistant, not a person.",
    "I am not a human.",
    "Would you like to speak to a person?",
    "I'm sorry, I did not understand you.",
    "This is the Salon Lumière.",
    "Would you like an appointment with Karim?",
    "You can ask for Julia.",
    "The customers like it.",
    "One moment, please.",
    "Have a nice day!",
    "Karim can see you Tuesday at 10:00.",
    "Thank you for your patience, and welcome to our salon.",
];
const FRENCH: [&str; 33] = [
    "Quel jour vous convient ?",
    "Avec plaisir.",
    "Bien sûr, je vous écoute.",
    "Quelle est votre adresse électronique ?",
    "Vous pouvez vous garer derrière le salon.",
    "Nous sommes fermés le dimanche.",
    "Nous sommes ouverts de 9 h à 18 h.",
    "Nous sommes ouverts du lundi au vendredi.",
    "Le salon est ouvert de lundi à vendredi.",
    "Je peux réserver pour vous.",
    "Voulez-vous que je réserve ?",
    "Souhaitez-vous déplacer ou annuler votre rendez-vous ?",
    "J'ai mardi 24 novembre à 10 h ou à 11 h 30.",
    "Julia est libre mardi à 10 h.",
    "Je n'ai trouvé aucun rendez-vous.",
    "J'ai trouvé trois heures pour vous.",
    "Je n'ai rien changé à vos projets.",
    "Je n'ai pas bien compris.",
    "J'ai bien compris votre question.",
    "Je suis l'assistant automatique du salon.",
    "Je ne suis pas une personne, mais un assistant automatique.",
    "Julia est occupée à cette heure.",
    "Quel est votre numéro de téléphone ?",
    "Je ne sais pas, mais je peux prendre un message.",
    "Puis-je vous aider ?",
    "Rien n'est arrangé pour l'instant.",
    "Un rendez-vous est nécessaire pour une couleur.",
    "Votre rendez-vous est à quel nom ?",
    "Avec qui souhaitez-vous venir ?",
    "Vous pouvez demander Karim.",
    "Est-ce pour une coupe ou une couleur ?",
    "Merci de votre patience.",
    "Bonne journée !",
];

#[test]
fn facts_of_a_passage_are_said_in_other_words() {
    let mut caller = caller();
    caller.world.passages = vec![Passage {
        title: "Prices".into(),
        text: "A haircut costs 45 euros and takes 60 minutes. Parking is free. Ask for Brenda. La couleur coûte cent \
               euros. We are open between 8:15 and 20:00 in December."
            .into(),
        source_url: Some("https://salon-paris.com/prices".into()),
    }];
    let search = [("search_knowledge", json!({"query": "price"}))];
    for sentence in [
        "The haircut is 45.",
        "It costs forty-five euros.",
        "It takes an hour.",
        "La coupe dure 60 minutes.",
        "It is free.",
        "The parking is free of charge.",
        "Brenda does your colour.",
        "The colour costs 100 euros.",
        "See salon-paris.com/prices.",
        "In December we open at 8:15.",
    ] {
        assert_eq!(judge(&mut caller, "the price?", &search, &[sentence]).1, [], "{sentence}");
    }
}
