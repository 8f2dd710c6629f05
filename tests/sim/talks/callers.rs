//! The callers of the simulated conversations, and their words.

use std::collections::BTreeSet;

use domain::{Channel, ContactId, ConversationId, Phone};
use talk::Said;

use crate::dice::Dice;

/// The number of letters of a word that occurs only in the data of one caller.
const LETTERS: usize = 4;
const MARK: &str = "zq";

/// Words that a caller may say after any words of the receptionist.
const ANYTHING: [&str; 14] = [
    "yes",
    "no",
    "oui",
    "yes please",
    "move my appointment",
    "cancel my appointment",
    "annulez mon rendez-vous",
    "I want to leave a message",
    "human",
    "ok but later",
    "chest pain",
    "hmm",
    "1",
    "what appointments do you have?",
];
/// The words of [`ANYTHING`] that agree to a read-back, in which the receptionist states a change and asks for consent.
pub(super) const YES: [&str; 4] = ["yes", "oui", "yes please", "1"];

/// Whether records of a caller still exist, as far as the client knows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Gone {
    #[default]
    No,
    /// The deletion or erasure was requested, and its outcome is unknown.
    Maybe,
    /// The deletion or erasure was acknowledged.
    Yes,
}

#[derive(Clone, Debug)]
pub(super) struct Person {
    pub(super) number: usize,
    pub(super) channel: Channel,
    pub(super) gone: Gone,
    pub(super) contact: Option<ContactId>,
}

/// The response to a turn, as far as the client knows it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) enum Came {
    #[default]
    Unknown,
    Refused,
    /// The turns of the response: their numbers and texts.
    Taken(Vec<(u32, String)>),
}

/// A turn that a caller has sent, with its idempotency key.
#[derive(Clone, Debug)]
pub(super) struct Sent {
    pub(super) key: [u8; 32],
    pub(super) said: Said,
    /// The service's steady time (see `time.rs`) just before the first request, in milliseconds.
    pub(super) steady_millis: i64,
    pub(super) came: Came,
}

/// A conversation as its caller knows it.
#[derive(Clone, Debug)]
pub(super) struct Chat {
    /// The index of the caller in the list of callers.
    pub(super) person: usize,
    pub(super) id: Option<ConversationId>,
    pub(super) sent: Vec<Sent>,
    /// The receptionist's last words.
    pub(super) heard: String,
    pub(super) has_ended: bool,
    pub(super) gone: Gone,
    /// The number of requests in progress.
    pub(super) busy: usize,
}

impl Chat {
    pub(super) fn new(person: usize) -> Self {
        let (id, sent, heard) = (None, Vec::new(), String::new());
        Self { person, id, sent, heard, has_ended: false, gone: Gone::No, busy: 0 }
    }
}

/// A word that occurs only in the data of this caller.
pub(super) fn word(number: usize) -> String {
    let mut word = MARK.to_owned();
    for place in (0..u32::try_from(LETTERS).unwrap()).rev() {
        word.push(char::from(b'a' + u8::try_from(number / 26_usize.pow(place) % 26).unwrap()));
    }
    word
}

/// The words of callers that a text contains.
pub(super) fn words_in(text: &str) -> BTreeSet<String> {
    let text = text.to_lowercase();
    let found = text.match_indices(MARK).filter_map(|(at, _)| {
        let word = text.get(at..at + MARK.len() + LETTERS)?;
        word.bytes().all(|byte| byte.is_ascii_lowercase()).then(|| word.to_owned())
    });
    found.collect()
}

pub(super) fn phone(number: usize) -> Phone {
    Phone::from_e164(format!("+1555{:07}", 4_000_000 + number)).unwrap()
}

pub(super) fn name(number: usize) -> String {
    format!("Ada {}", word(number))
}

/// Parses a phone number in E.164 form.
pub(super) fn read_phone(written: &str, _: &str) -> Option<Phone> {
    Phone::from_e164(written.trim().to_owned()).ok()
}

/// The confirmation number that a read-back asks for.
pub(super) fn number_in(text: &str) -> Option<&str> {
    let (_, rest) = text.split_once("Reply ").or_else(|| text.split_once("Répondez "))?;
    rest.split(' ').next()
}

impl Person {
    fn answers(&self, dice: &Dice, heard: &str) -> String {
        let has = |words: &[&str]| words.iter().any(|words| heard.contains(words));
        if let Some(number) = number_in(heard) {
            return number.to_owned();
        } else if has(&["Shall I", "Je réserve", "Je déplace", "J'annule"]) {
            return (*dice.pick(&["yes", "oui", "yes please"])).to_owned();
        } else if has(&["your name", "votre nom"]) {
            return name(self.number);
        } else if has(&["phone number", "numéro de téléphone"]) {
            let is_email = dice.once_in(2);
            return if is_email {
                format!("{}@example.com", word(self.number))
            } else {
                phone(self.number).as_str().to_owned()
            };
        } else if has(&["your message", "votre message"]) {
            return format!("Please look for my {}", word(self.number));
        } else if has(&["suits you", "At what time", "Which appointment", "convient", "À quelle heure"]) {
            return "1".to_owned();
        }
        let day = dice.between(2, 9);
        match dice.below(4) {
            0 => format!("Haircut in {day} days at ten"),
            1 => format!("Colour on the {}th at 11", day + 10),
            2 => format!("Where is the car park of {}?", word(self.number)),
            _ => "I would like a haircut".to_owned(),
        }
    }

    /// Returns the next words of the caller, which usually answer the receptionist.
    pub(super) fn says(&self, dice: &Dice, heard: &str) -> Said {
        let words =
            if dice.once_in(4) { (*dice.pick(&ANYTHING)).to_owned() } else { self.answers(dice, heard) };
        match self.channel {
            _ if dice.once_in(12) => Said::Keys((*dice.pick(&["1", "2", "0", "5", "*"])).to_owned()),
            Channel::Website if words == "1" => Said::Choice(words),
            Channel::Voice | Channel::Assistant => Said::Speech(words),
            Channel::Sms | Channel::Website => Said::Text(words),
        }
    }
}
