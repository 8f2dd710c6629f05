//! Tests of the guided path: the lines that the caller hears, and the changes that the rules ask for.

use domain::{BookingMode, Locale};
use talk::{Ask, Channel, EffectKind, EndedBy, Refused, Said};

use crate::world::{CALLER, CODE, Caller, World, at, id};

#[test]
fn a_booking_in_one_sentence_is_read_back_and_booked_after_a_yes() {
    let mut caller = Caller::with(World::new(), Channel::Voice, Locale::En, Some(CALLER));
    assert_eq!(caller.last.lines[0].text, "Hello, this is the automated assistant of Salon Lumière.");
    assert_eq!(caller.says("I'd like a haircut with Karim on Tuesday at ten"), "What is your name?");
    assert_eq!(
        caller.says("My name is Ada Lovelace"),
        "Haircut with Karim Benali on Tuesday 24 November at 10:00, for Ada Lovelace. Shall I book it?"
    );
    assert!(caller.world.changes.is_empty());
    assert_eq!(
        caller.says("Yes please."),
        "Booked: Haircut with Karim Benali on Tuesday 24 November at 10:00."
    );
    assert_eq!(caller.effects(), [EffectKind::Booked]);
    let [Ask::Book(ask)] = &caller.world.changes[..] else { panic!() };
    assert_eq!((ask.starts_at, ask.staff, ask.service), (at("2026-11-24T09:00:00Z"), id(12), id(1)));
    assert_eq!((ask.name.as_str(), ask.phone.as_deref()), ("Ada Lovelace", Some(CALLER)));
    assert_eq!(talk::summary(&caller.talk).as_deref(), Some("Booked: Haircut, 2026-11-24 10:00."));
    // A second yes makes no second booking.
    caller.says("yes");
    assert_eq!(caller.world.changes.len(), 1);
}

#[test]
fn a_french_caller_books_by_keys() {
    let mut caller = Caller::with(World::new(), Channel::Voice, Locale::Fr, Some(CALLER));
    assert_eq!(caller.keys("1"), "Quelle prestation souhaitez-vous ? 1 Haircut, 2 Colour.");
    assert!(
        caller
            .keys("2")
            .starts_with("Quel jour vous convient ? 1 aujourd'hui, vendredi 20 novembre, 2 lundi 23")
    );
    assert_eq!(caller.keys("2"), "J'ai lundi 23 novembre à 10 h, 11 h 30 et 15 h. Laquelle vous convient ?");
    assert_eq!(caller.keys("3"), "Quel est votre nom ?");
    assert_eq!(
        caller.says("je m'appelle Zoé Petit"),
        "Colour avec Karim Benali le lundi 23 novembre à 15 h, au nom de Zoé Petit. Je réserve ?"
    );
    assert_eq!(caller.keys("1"), "Réservé : Colour avec Karim Benali le lundi 23 novembre à 15 h.");
}

#[test]
fn a_farewell_at_the_menu_ends_the_conversation() {
    for (text, ends) in [
        ("thanks", true),
        ("Merci beaucoup, bonne journée !", true),
        ("ok, that's all, thanks", true),
        ("non merci", true),
        ("c'est tout", true),
        ("ok", false),
        ("please", false),
        ("thanks, and a haircut", false),
        ("bye?", false),
    ] {
        let mut caller = Caller::with(World::new(), Channel::Voice, Locale::En, Some(CALLER));
        let said = caller.says(text);
        assert_eq!(said == "Thank you, goodbye.", ends, "{text}: {said}");
        assert_eq!(caller.last.end == Some(EndedBy::Receptionist), ends, "{text}");
    }
    // A farewell does not end an open task.
    let mut caller = Caller::with(World::new(), Channel::Voice, Locale::En, Some(CALLER));
    caller.says("haircut on Tuesday at ten");
    assert_eq!(caller.says("thanks"), "Sorry, I did not get that. What is your name?");
}

#[test]
fn only_a_clear_yes_commits() {
    for (answer, commits) in [
        ("yes", true),
        ("Yeah, that's right, thank you", true),
        ("oui, allez-y", true),
        ("yes but at eleven", false),
        ("I guess so", false),
        ("yes no", false),
        ("is that the yes?", false),
        ("no", false),
        ("", false),
    ] {
        let mut caller = Caller::with(World::new(), Channel::Voice, Locale::En, Some(CALLER));
        caller.says("haircut on Tuesday at ten");
        caller.says("Ada Lovelace");
        caller.says(answer);
        assert_eq!(caller.world.changes.len(), usize::from(commits), "{answer}");
    }
}

#[test]
fn an_unclear_turn_is_asked_once_more_and_then_dropped() {
    let mut caller = Caller::with(World::new(), Channel::Voice, Locale::En, Some(CALLER));
    caller.says("haircut on Tuesday at ten");
    let read_back = caller.says("Ada Lovelace");
    assert_eq!(caller.says("hmm"), format!("Sorry, I did not get that. {read_back}"));
    assert_eq!(caller.says("hmm"), "Nothing was changed. How can I help?");
    caller.says("yes");
    assert!(caller.world.changes.is_empty());
}

#[test]
fn a_yes_before_the_time_was_heard_is_unclear() {
    for (heard, commits) in [
        ("Haircut with Julia Martin on Tue", 0),
        ("Haircut with Julia Martin on Tuesday 24 November at 10:00, for", 1),
    ] {
        let mut caller = Caller::with(World::new(), Channel::Voice, Locale::En, Some(CALLER));
        caller.says("haircut on Tuesday at ten");
        caller.says("Ada Lovelace");
        caller.heard = Some(heard.into());
        caller.says("yes");
        assert_eq!(caller.world.changes.len(), commits, "{heard}");
    }
}

#[test]
fn a_stage_ends_after_half_an_hour() {
    let mut caller = Caller::with(World::new(), Channel::Website, Locale::En, None);
    caller.says("haircut on Tuesday at ten");
    caller.says("Ada Lovelace");
    caller.says("06 12 34 56 78");
    caller.world.now = caller.world.now + chrono::TimeDelta::minutes(30);
    caller.says("yes");
    assert!(caller.world.changes.is_empty());
}

#[test]
fn a_taken_time_leads_to_a_fresh_offer() {
    let mut caller = Caller::with(World::new(), Channel::Voice, Locale::En, Some(CALLER));
    caller.says("haircut on Tuesday at ten");
    caller.says("Ada Lovelace");
    caller.world.refuses = Some(Refused::Taken);
    caller.world.taken.push(at("2026-11-24T09:00:00Z"));
    assert_eq!(
        caller.says("yes"),
        "That time has just been taken. I have Tuesday 24 November at 11:30 and 15:00. Which one suits you?"
    );
    assert!(!caller.effects().contains(&EffectKind::Booked));
    assert!(
        caller
            .says("the second")
            .starts_with("Haircut with Julia Martin on Tuesday 24 November at 15:00, for Ada")
    );
}

#[test]
fn a_time_that_is_not_open_is_answered_with_the_times_of_the_day() {
    let mut caller = Caller::with(World::new(), Channel::Voice, Locale::En, Some(CALLER));
    assert_eq!(
        caller.says("haircut on Tuesday at noon"),
        "I have Tuesday 24 November at 10:00, 11:30 and 15:00. Which one suits you?"
    );
    assert_eq!(caller.says("at three"), "What is your name?");
    let mut caller = Caller::with(World::new(), Channel::Voice, Locale::En, Some(CALLER));
    assert!(
        caller
            .says("haircut on Sunday")
            .starts_with("There is nothing free on Sunday 22 November. Which day suits you?")
    );
}

#[test]
fn an_ambiguous_day_is_asked_with_its_dates() {
    let mut caller = Caller::with(World::new(), Channel::Voice, Locale::En, Some(CALLER));
    assert_eq!(
        caller.says("haircut next Tuesday at ten"),
        "I have Tuesday 24 November at 10:00; Tuesday 1 December at 10:00. Which one suits you?"
    );
}

#[test]
fn mode_request_makes_a_request_and_mode_off_no_booking() {
    let mut world = World::new();
    world.facts.booking_mode = BookingMode::Request;
    let mut caller = Caller::with(world, Channel::Voice, Locale::En, Some(CALLER));
    caller.says("haircut on Tuesday at ten");
    caller.says("Ada Lovelace");
    let done = caller.says("yes");
    assert_eq!(
        done,
        "Requested: Haircut with Julia Martin on Tuesday 24 November at 10:00. The team will confirm it."
    );
    assert_eq!(caller.effects(), [EffectKind::Requested]);
    let mut world = World::new();
    world.facts.booking_mode = BookingMode::Off;
    let mut caller = Caller::with(world, Channel::Voice, Locale::En, Some(CALLER));
    assert_eq!(
        caller.says("book an appointment"),
        "Appointments cannot be booked here. I can take a message."
    );
}

#[test]
fn a_call_moves_an_appointment_after_its_code() {
    let mut caller = Caller::with(World::new(), Channel::Voice, Locale::En, Some(CALLER));
    assert_eq!(
        caller.says("I want to move my appointment"),
        "If we know this number, a code is on its way. Please give me the code."
    );
    assert_eq!(caller.keys("111111#"), "That is not the code. Please give me the code.");
    assert!(!caller.talk.verified);
    assert!(caller.keys(&format!("{CODE}#")).starts_with("Which day suits you?"));
    assert!(caller.talk.verified);
    assert_eq!(
        caller.says("Tuesday at ten"),
        "Haircut on Thursday 26 November at 14:00 moves to Tuesday 24 November at 10:00. Shall I move it?"
    );
    assert_eq!(
        caller.says("go ahead"),
        "Moved: Haircut with Julia Martin is now on Tuesday 24 November at 10:00."
    );
    assert_eq!(caller.world.appointments[0].own.starts_at, at("2026-11-24T09:00:00Z"));
}

#[test]
fn a_text_thread_confirms_a_cancellation_by_a_number() {
    let mut caller = Caller::with(World::new(), Channel::Sms, Locale::En, Some(CALLER));
    assert!(caller.last.lines.is_empty());
    caller.random = 32;
    assert_eq!(
        caller.says("please annul, I mean I must cancel it"),
        "Salon Lumière (automated): Haircut on Thursday 26 November at 14:00. Reply 42 to confirm."
    );
    assert_eq!(caller.says("41"), "That is not the code.");
    caller.says("yes");
    assert!(caller.world.changes.is_empty());
    assert_eq!(caller.says("42"), "Cancelled: Haircut on Thursday 26 November at 14:00.");
    assert_eq!(caller.effects(), [EffectKind::Cancelled]);
}

#[test]
fn three_wrong_numbers_silence_a_thread_for_an_hour() {
    let mut caller = Caller::with(World::new(), Channel::Sms, Locale::En, Some(CALLER));
    caller.random = 32;
    caller.says("I must cancel it");
    caller.says("11");
    caller.says("12");
    caller.says("13");
    assert_eq!(caller.last.silent_until, Some(caller.world.now + chrono::TimeDelta::hours(1)));
    assert_eq!(caller.last.end, None, "the thread stays open, so that it is silent");
    assert!(caller.world.changes.is_empty());
}

#[test]
fn stop_in_a_text_thread_is_the_opt_out() {
    let mut caller = Caller::with(World::new(), Channel::Sms, Locale::En, Some(CALLER));
    caller.says("I must cancel it");
    assert_eq!(caller.says("Stop."), "");
    assert_eq!((caller.effects(), caller.last.end), (vec![EffectKind::OptedOut], Some(EndedBy::Caller)));
}

#[test]
fn the_website_changes_no_appointment_and_gives_a_link_after_a_booking() {
    let mut caller = Caller::new(Channel::Website);
    assert_eq!(
        caller.says("cancel my appointment"),
        "To change an appointment, use the link in your confirmation."
    );
    caller.says("haircut on Tuesday at ten");
    caller.says("Ada Lovelace");
    caller.says("ada@example.com");
    caller.take(Said::Choice("1".into()));
    let link = caller.last.choices.iter().find(|choice| choice.link.is_some());
    assert!(link.is_some());
    let [Ask::Book(ask)] = &caller.world.changes[..] else { panic!() };
    assert_eq!((ask.email.as_deref(), &ask.phone), (Some("ada@example.com"), &None));
}

#[test]
fn an_emergency_is_said_at_once_and_once() {
    let mut caller = Caller::new(Channel::Voice);
    assert_eq!(caller.says("I have chest pain"), "If this is an emergency, call 112 now.");
    assert!(!caller.says("chest pain").contains("emergency"));
    caller.says("leave a message");
    caller.says("Please call me back");
    assert!(caller.world.messages[0].urgent);
}

#[test]
fn a_person_is_a_transfer_or_a_message() {
    let mut world = World::new();
    world.facts.handoff = true;
    let mut caller = Caller::with(world, Channel::Voice, Locale::En, None);
    assert_eq!(caller.says("can I speak to a real person"), "I am putting you through.");
    assert!(caller.last.transfer);
    let failed = talk::transfer_failed(&caller.talk, &caller.world.facts);
    caller.keep(failed);
    assert_eq!(caller.says("call me about Monday"), "Your message is with the team.");
    assert_eq!(caller.world.messages[0].body, "call me about Monday");
    let mut caller = Caller::new(Channel::Website);
    assert!(caller.keys("0").starts_with("Nobody can take the call right now."));
    assert!(!caller.last.transfer);
}

#[test]
fn a_conversation_is_never_stuck() {
    let mut caller = Caller::new(Channel::Voice);
    let said: Vec<String> = (0..5).map(|_| caller.says("blah blah")).collect();
    assert!(said[0].starts_with("Sorry, I did not get that.") && said[1] == said[0]);
    assert_eq!(said[2], "I do not know that. I can take a message.");
    assert_eq!(said[4], "Thank you, goodbye.");
    assert_eq!(caller.last.end, Some(EndedBy::Receptionist));
    let mut caller = Caller::new(Channel::Voice);
    assert!(caller.take(Said::Silence).starts_with("Sorry, I did not get that."));
    assert_eq!(caller.take(Said::Silence), "Thank you, goodbye.");
}

#[test]
fn after_the_limit_of_turns_only_a_message_is_taken() {
    let mut caller = Caller::new(Channel::Website);
    for turn in 0..30 {
        caller.says(if turn % 2 == 0 { "hours" } else { "address" });
        assert_eq!(caller.last.end, None, "{turn}");
    }
    assert_eq!(caller.says("hours"), "We have to stop here. What is your message?");
    assert_eq!(caller.says("call me"), "Your message is with the team. Thank you, goodbye.");
    assert_eq!(caller.last.end, Some(EndedBy::Receptionist));
}

#[test]
fn questions_are_answered_from_settings_then_from_passages() {
    let mut caller = Caller::new(Channel::Website);
    assert_eq!(caller.says("What is your address?"), "Address: 3 rue des Lilas, Paris.");
    assert_eq!(caller.says("Are you open on Sunday?"), "Sunday 22 November: closed.");
    assert_eq!(caller.says("Do you have parking?"), "I do not know that. I can take a message.");
    assert_eq!(caller.last.gaps, ["Do you have parking?"]);
    caller.world.passages = vec![talk::Passage {
        title: "Parking".into(),
        text: "You can park behind the house.".into(),
        source_url: None,
    }];
    assert_eq!(caller.says("Do you have parking?"), "You can park behind the house.");
    caller.world.facts.knowledge_public = false;
    assert_eq!(caller.says("Do you have parking?"), "I do not know that. I can take a message.");
}

#[test]
fn the_language_changes_after_two_turns() {
    let mut caller = Caller::with(World::new(), Channel::Voice, Locale::En, Some(CALLER));
    assert_eq!(caller.says("je voudrais une colour avec Karim mardi à 10h"), "What is your name?");
    assert!(caller.says("je m'appelle Zoé Petit, merci").contains("Je réserve ?"));
}

#[test]
fn a_yes_after_an_emergency_or_a_reply_of_the_team_changes_nothing() {
    let staged = || {
        let mut caller = Caller::with(World::new(), Channel::Sms, Locale::En, Some(CALLER));
        caller.says("haircut on Tuesday at ten");
        assert!(caller.says("Ada Lovelace").contains("Shall I book it?"));
        caller
    };
    let mut caller = staged();
    caller.says("wait, I have chest pain");
    caller.says("yes");
    assert!(caller.world.changes.is_empty());
    let mut caller = staged();
    caller.talk.team_said("Do you mean this week?");
    caller.says("yes");
    assert!(caller.world.changes.is_empty());
}

#[test]
fn after_four_wrong_codes_the_caller_may_give_the_right_one() {
    let mut caller = Caller::with(World::new(), Channel::Voice, Locale::En, Some(CALLER));
    caller.says("I want to cancel my appointment");
    let (wrong, please) = ("That is not the code.", "Please give me the code.");
    assert_eq!(caller.says("111111"), format!("{wrong} {please}"));
    // A line is said at most twice in a row.
    assert_eq!(caller.says("222222"), wrong);
    assert_eq!(caller.says("333333"), please);
    assert_eq!(caller.says("444444"), format!("{wrong} {please}"));
    assert!(caller.says(CODE).ends_with("Shall I cancel it?"));
}

#[test]
fn another_number_or_another_wish_may_follow_the_question_for_the_code() {
    let mut caller = Caller::with(World::new(), Channel::Voice, Locale::En, Some("+33611111111"));
    let sent = "If we know this number, a code is on its way. Please give me the code.";
    assert_eq!(caller.says("I want to cancel my appointment"), sent);
    assert_eq!(caller.says("06 12 34 56 78"), sent);
    assert_eq!(caller.effects(), [EffectKind::CodeSent]);
    assert_eq!(caller.says("no, I will leave a message"), "What is your message?");
}

#[test]
fn unclear_answers_to_a_read_back_count_as_turns_that_were_not_understood() {
    let mut caller = Caller::with(World::new(), Channel::Voice, Locale::En, Some(CALLER));
    caller.says("haircut on Tuesday at ten");
    caller.says("Ada Lovelace");
    let said: Vec<String> = (0..5).map(|_| caller.says("blah blah")).collect();
    assert!(said[0].starts_with("Sorry, I did not get that."), "{said:?}");
    assert_eq!(said[1], "Nothing was changed. How can I help?");
    assert_eq!(said[2], "I do not know that. I can take a message.");
    assert_eq!((said[4].as_str(), caller.last.end), ("Thank you, goodbye.", Some(EndedBy::Receptionist)));
}

#[test]
fn three_unanswered_questions_lead_to_a_message_and_not_to_the_end() {
    let mut caller = Caller::new(Channel::Website);
    let offer = "I do not know that. I can take a message.";
    assert_eq!(caller.says("Do you have parking?"), offer);
    assert_eq!(caller.says("Do you have a pool?"), offer);
    assert_eq!(caller.says("Do you have a garden?"), "What is your message?");
    assert_eq!(caller.last.end, None);
    assert_eq!(caller.says("Please tell me about the garden"), "Your message is with the team.");
}

/// A conversation with a contact who has this number of appointments. The appointments alternate between two services.
fn with_appointments(channel: Channel, count: u32) -> Caller {
    let mut world = World::new();
    let first = world.appointments[0].clone();
    for number in 1..count {
        let mut next = first.clone();
        next.own.id = id(u128::from(200 + number));
        next.own.service_name = if number % 2 == 1 { "Colour".into() } else { "Haircut".into() };
        next.own.starts_at = first.own.starts_at + chrono::TimeDelta::days(i64::from(number));
        world.appointments.push(next);
    }
    Caller::with(world, channel, Locale::En, Some(CALLER))
}

#[test]
fn a_repeated_list_of_appointments_names_each_of_them() {
    let list = "1 Haircut on Thursday 26 November at 14:00\n2 Colour on Friday 27 November at 14:00";
    let mut caller = with_appointments(Channel::Sms, 2);
    assert!(caller.says("please cancel it").contains(&format!("Which appointment? {list}")));
    let again = caller.says("hmm");
    assert!(again.contains(&format!("Sorry, I did not get that. Which appointment? {list}")), "{again}");
    let mut caller = with_appointments(Channel::Voice, 2);
    caller.says("cancel my appointment");
    let first = caller.keys(&format!("{CODE}#"));
    assert!(first.ends_with("2 Colour on Friday 27 November at 14:00."), "{first}");
    assert_eq!(caller.keys("*"), first);
    // Nine appointments fill two pages.
    let mut caller = with_appointments(Channel::Sms, 9);
    let first = caller.says("please cancel it");
    assert!(first.contains("7 Haircut on Wednesday 2 December at 14:00"), "{first}");
    let second = caller.says("9");
    assert!(second.starts_with("1 Colour on Thursday 3 December at 14:00\n2 Haircut"), "{second}");
    assert!(caller.says("hmm").contains(&second));
    assert!(caller.says("2").contains("Haircut on Friday 4 December at 14:00. Reply"));
}

#[test]
fn a_list_without_a_cancelled_appointment_is_made_again() {
    let mut caller = with_appointments(Channel::Sms, 2);
    caller.says("please cancel it");
    caller.world.appointments.pop();
    caller.world.appointments.retain(|booked| booked.own.service_name != "Colour");
    let again = caller.says("hmm");
    assert!(again.contains("Haircut on Thursday 26 November at 14:00. Reply"), "{again}");
}

#[test]
fn the_buttons_of_an_emergency_are_those_of_the_menu() {
    let mut caller = Caller::new(Channel::Website);
    caller.says("haircut on Tuesday");
    assert_eq!(caller.says("my father has chest pain"), "If this is an emergency, call 112 now.");
    let label = |id: &str| caller.last.choices.iter().find(|choice| choice.id == id).unwrap().label.clone();
    assert_eq!(label("4"), "Leave a message");
    assert_eq!(caller.take(Said::Choice("4".into())), "What is your message?");
    let said = caller.says("I can't breathe, please call me");
    assert_eq!(said, "Your message is with the team.");
    let mut caller = Caller::new(Channel::Website);
    caller.says("leave a message");
    assert_eq!(
        caller.says("my father has chest pain"),
        "If this is an emergency, call 112 now. What is your message?"
    );
    caller.says("please call me");
    assert!(caller.world.messages[0].urgent);
}

#[test]
fn an_offer_and_an_answer_are_said_at_most_twice_in_a_row() {
    let offer = "I do not know that. I can take a message.";
    let mut caller = Caller::with(World::new(), Channel::Voice, Locale::En, Some(CALLER));
    let times = caller.says("haircut on Tuesday");
    assert_eq!(caller.keys("*"), times);
    assert_eq!(caller.keys("*"), offer);
    assert!(caller.effects().is_empty());
    let mut caller = Caller::new(Channel::Website);
    let address = caller.says("What is your address?");
    assert_eq!(caller.says("What is your address?"), address);
    assert_eq!(caller.says("What is your address?"), offer);
    assert!(caller.effects().is_empty());
    assert_eq!(caller.talk.effects.len(), 2);
    assert_eq!(caller.says("What is your address?"), address);
}

#[test]
fn a_question_that_is_left_out_leaves_the_task_as_it_is() {
    let mut caller = Caller::new(Channel::Website);
    let day = "Which day suits you?";
    assert_eq!(caller.says("I'd like a haircut"), day);
    let nothing = "There is nothing free on Sunday";
    assert_eq!(caller.says("on Sunday"), format!("{nothing} 22 November. {day}"));
    assert_eq!(caller.says("on 29 November"), format!("{nothing} 29 November."));
    assert_eq!(caller.says("on 6 December"), format!("{nothing} 6 December. {day}"));
    assert_eq!(caller.says("Tuesday at ten"), "What is your name?");
}

#[test]
fn a_greeting_names_no_time() {
    for greeting in ["Good evening!", "Good morning,", "Bonsoir,"] {
        let mut caller = Caller::new(Channel::Website);
        let plain = Caller::new(Channel::Website).says("a haircut on Tuesday");
        assert_eq!(caller.says(&format!("{greeting} a haircut on Tuesday")), plain, "{greeting}");
    }
    assert!(Caller::new(Channel::Website).says("good morning").starts_with("Sorry, I did not get that."));
}

#[test]
fn short_weekdays_and_french_questions_about_hours_are_understood() {
    for (short, long) in [("tue", "Tuesday"), ("thur", "Thursday"), ("thu", "Thursday"), ("sat", "Saturday")]
    {
        let [short, long] =
            [short, long].map(|day| Caller::new(Channel::Website).says(&format!("a haircut on {day}")));
        assert_eq!(short, long);
    }
    let said = |text| Caller::with(World::new(), Channel::Website, Locale::Fr, None).says(text);
    let hours = said("Quels sont vos horaires mardi ?");
    assert_ne!(hours, said("Quel est le prix du parking ?"));
    for text in ["Ouvrez-vous mardi ?", "À quelle heure fermez-vous mardi ?"] {
        assert_eq!(said(text), hours, "{text}");
    }
}

#[test]
fn a_question_about_the_email_address_is_not_about_the_postal_address() {
    let said = Caller::new(Channel::Website).says("What is your email address?");
    assert_eq!(said, "I do not know that. I can take a message.");
}

#[test]
fn texts_and_calls_name_the_keys_of_the_menu() {
    let entries = [
        "1 Book an appointment",
        "2 Move an appointment",
        "3 Cancel an appointment",
        "4 Leave a message",
        "5 Hours, address or a question",
        "0 Speak to a person",
    ];
    let menu = "Sorry, I did not get that. You can book, move or cancel an appointment, leave a message, or ask a \
                question.";
    let mut caller = Caller::with(World::new(), Channel::Sms, Locale::En, Some(CALLER));
    assert_eq!(caller.says("blah"), format!("Salon Lumière (automated): {menu} {}", entries.join("\n")));
    let mut caller = Caller::with(World::new(), Channel::Voice, Locale::En, Some(CALLER));
    assert_eq!(caller.take(Said::Silence), format!("{menu} {}.", entries.join(", ")));
    let mut caller = Caller::new(Channel::Website);
    assert!(!caller.says("blah").contains("1 Book"));
}

#[test]
fn the_list_of_a_text_names_all_its_keys() {
    let mut caller = Caller::with(World::new(), Channel::Sms, Locale::En, Some(CALLER));
    caller.says("I want a haircut");
    let last = caller.last.lines.last().unwrap().text.clone();
    assert!(last.starts_with("1 today, Friday 20 November\n2 Monday 23 November\n"), "{last}");
    assert!(last.ends_with("\n8 Back\n9 More\n0 Menu"), "{last}");
    let second = caller.says("9");
    assert!(second.ends_with("\n9 More\n0 Menu"), "{second}");
}

#[test]
fn impossible_entries_of_the_menu_are_left_out() {
    fn ids(caller: &Caller) -> String {
        caller.last.choices.iter().map(|choice| choice.id.as_str()).collect::<Vec<_>>().join(" ")
    }
    let mut caller = Caller::new(Channel::Website);
    assert_eq!(ids(&caller), "1 4 5 0");
    let menu = "Sorry, I did not get that. You can book an appointment, leave a message, or ask a question.";
    assert_eq!(caller.says("blah"), menu);
    assert_eq!(caller.says("cancel it"), "To change an appointment, use the link in your confirmation.");
    let mut world = World::new();
    world.facts.sends_codes = false;
    world.facts.booking_mode = BookingMode::Off;
    let mut caller = Caller::with(world, Channel::Voice, Locale::Fr, Some(CALLER));
    assert_eq!(ids(&caller), "4 5 0");
    assert!(caller.keys("*").starts_with("Vous pouvez laisser un message ou poser une question. 4 "));
    let mut world = World::new();
    world.facts.sends_codes = false;
    world.facts.booking_mode = BookingMode::Off;
    let mut caller = Caller::with(world, Channel::Sms, Locale::En, Some(CALLER));
    assert!(caller.says("blah").contains("You can move or cancel an appointment, leave a message"));
}

#[test]
fn only_an_appointment_that_was_changeable_can_no_longer_be_changed() {
    let mut world = World::new();
    world.facts.sends_codes = false;
    let mut caller = Caller::with(world, Channel::Voice, Locale::En, Some(CALLER));
    assert_eq!(
        caller.says("cancel my appointment"),
        "Appointments cannot be changed here. I can take a message."
    );
    assert_eq!(caller.says("yes"), "What is your message?");
    let mut caller = Caller::with(World::new(), Channel::Sms, Locale::En, Some(CALLER));
    caller.world.appointments[0].own.changeable = false;
    let said = caller.says("cancel my appointment");
    assert!(said.contains("This appointment can no longer be changed here. I can take a message."), "{said}");
}

#[test]
fn a_confirmation_number_may_be_polite() {
    for (text, commits) in [
        ("42 please", true),
        ("Merci, 42", true),
        ("42, thank you", true),
        ("42 43", false),
        ("please", false),
    ] {
        let mut caller = Caller::with(World::new(), Channel::Sms, Locale::En, Some(CALLER));
        caller.random = 32;
        caller.says("please cancel it");
        caller.says(text);
        assert_eq!(caller.world.changes.len(), usize::from(commits), "{text}");
    }
}

#[test]
fn a_question_for_a_fact_begins_no_booking() {
    for (text, is_booking) in [
        ("How much is a haircut?", false),
        ("Do you have parking on Tuesday?", false),
        ("does the haircut take long", false),
        ("Can I bring my dog on Tuesday?", false),
        ("C'est combien, une colour ?", false),
        ("Y a-t-il un parking mardi ?", false),
        ("Do you have anything on Tuesday?", true),
        ("Can I have a haircut on Tuesday?", true),
        ("Is Karim free on Tuesday?", true),
        ("How about Tuesday at ten?", true),
        ("Haircut on Tuesday?", true),
        ("Avez-vous une place mardi ?", true),
        ("Est-ce que je peux venir mardi ?", true),
    ] {
        let mut caller = Caller::with(World::new(), Channel::Website, Locale::En, None);
        let said = caller.says(text);
        assert_eq!(caller.last.gaps.is_empty(), is_booking, "{text}: {said}");
        assert_eq!(said.starts_with("I do not know that."), !is_booking, "{text}: {said}");
    }
}

#[test]
fn a_yes_is_no_message() {
    let mut caller = Caller::new(Channel::Website);
    let asked = "Nobody can take the call right now. I can take a message. What is your message?";
    assert_eq!(caller.says("I want to speak to a person"), asked);
    assert_eq!(caller.says("yes please"), "What is your message?");
    assert!(caller.world.messages.is_empty());
    assert_eq!(caller.says("Yes, please call me"), "Your message is with the team.");
}

#[test]
fn a_yes_answers_the_last_read_back_after_midnight() {
    let mut world = World::new();
    world.now = at("2026-11-23T22:59:00Z");
    let mut caller = Caller::with(world, Channel::Voice, Locale::En, Some(CALLER));
    caller.says("haircut on Tuesday at ten");
    assert!(caller.says("Ada Lovelace").contains("tomorrow, Tuesday 24 November at 10:00"));
    caller.world.now = at("2026-11-23T23:01:00Z");
    let again = caller.says("hmm");
    assert!(again.contains("today, Tuesday 24 November at 10:00"), "{again}");
    caller.heard = Some(again.split(", for").next().unwrap().into());
    caller.says("yes");
    assert_eq!(caller.world.changes.len(), 1);
}

#[test]
fn the_pages_of_a_list_do_not_repeat_its_question() {
    for channel in [Channel::Sms, Channel::Website, Channel::Voice] {
        let mut caller = Caller::with(World::new(), channel, Locale::En, Some(CALLER));
        assert!(caller.says("I want a haircut").contains("Which day suits you?"));
        let days = |caller: &Caller| caller.last.choices[0].label.clone();
        assert_eq!(days(&caller), "today, Friday 20 November");
        for first in ["Tuesday 1 December", "Thursday 10 December"] {
            let said = caller.keys("9");
            assert!(!said.contains("Which day suits you?"), "{said}");
            assert_eq!(days(&caller), first);
        }
        caller.keys("8");
        caller.keys("8");
        assert_eq!(days(&caller), "today, Friday 20 November");
    }
}
