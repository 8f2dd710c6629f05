//! Decides which sentences of a language model are said to the caller. A sentence that breaks a rule is
//! dropped, and the first broken rule is reported.

use std::collections::BTreeSet;

use chrono::Datelike;
use domain::Timestamp;

use crate::facts::{Facts, Passage};
use crate::knowledge;
use crate::reader::{self, Context, Expect, Mention, has_phrase, plain};
use crate::state::{Channel, EffectKind, Rule, Seen, Talk};
use crate::words::{When, clean};

const SENTENCES_MAX: usize = 3;
const SMS_CHARS_MAX: usize = 480;
const WEBSITE_CHARS_MAX: usize = 1_200;
pub const SUMMARY_CHARS_MAX: usize = 400;

/// The state and the facts with which a sentence is compared.
pub(crate) struct Gate<'a> {
    pub(crate) talk: &'a Talk,
    pub(crate) facts: &'a Facts,
    pub(crate) now: Timestamp,
    /// The passages of knowledge entries that the model has found in this turn.
    pub(crate) passages: &'a [Passage],
    /// The number of the model's sentences that were said in this turn.
    pub(crate) sentences: usize,
    pub(crate) chars: usize,
    /// Whether the sentence is said to the caller. It is false for a summary, which may mention the caller.
    pub(crate) is_said: bool,
}

fn context(facts: &Facts, now: Timestamp) -> Context {
    let today = now.utc().with_timezone(&facts.zone).date_naive();
    Context { today, month_first: facts.phone_region == "US", expect: Expect::Nothing, is_strict: false }
}

/// Adds the dates and times in a text to those that the model may say.
pub(crate) fn see(seen: &mut Seen, text: &str, facts: &Facts, now: Timestamp) {
    for mention in reader::mentions(text, &context(facts, now)) {
        match mention {
            Mention::Dates(dates) => seen.dates.extend(dates),
            Mention::Times(times) => seen.times.extend(times.points()),
            Mention::Part(_) => {}
        }
    }
}

/// Adds an instant that a function's answer contains to those that the model may say.
pub(crate) fn see_instant(seen: &mut Seen, at: Timestamp, facts: &Facts) {
    let local = at.utc().with_timezone(&facts.zone);
    seen.dates.insert(local.date_naive());
    seen.times.insert(local.time());
}

impl Gate<'_> {
    /// Returns the first rule that the sentence breaks.
    pub(crate) fn check(&self, sentence: &str) -> Option<Rule> {
        if has_form(sentence) || self.is_said && is_reasoning(sentence) {
            return Some(Rule::Form);
        }
        if claims_person(sentence) {
            return Some(Rule::Person);
        }
        if self.claims_change(sentence) {
            return Some(Rule::Claim);
        }
        if self.has_unknown_time(sentence) {
            return Some(Rule::Time);
        }
        if self.has_unknown_fact(sentence) {
            return Some(Rule::Fact);
        }
        self.is_too_long(sentence).then_some(Rule::Length)
    }

    fn is_in_passage(&self, sentence: &str) -> bool {
        let squeeze = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        let sentence = squeeze(sentence);
        self.passages
            .iter()
            .any(|passage| knowledge::sentences(&passage.text).iter().any(|known| squeeze(known) == sentence))
    }

    fn claims_change(&self, sentence: &str) -> bool {
        let kinds = claims(sentence);
        if kinds.is_empty() || self.is_in_passage(sentence) {
            return false;
        }
        let has = |claim: &Claim| claim.of.iter().any(|kind| self.talk.has(*kind));
        // "It is booked" can describe an appointment that the caller knows. In "Done, it is booked", an effect of
        // another kind does not prove "done".
        let describes = !self.talk.handles.appointments.is_empty()
            && kinds.iter().all(|claim| claim.is_state || claim.of.len() < ANY.len() && has(claim));
        !kinds.iter().all(|claim| has(claim) || claim.is_state && describes)
    }

    fn has_unknown_time(&self, sentence: &str) -> bool {
        let (talk, facts) = (self.talk, self.facts);
        let strict = Context { is_strict: true, ..context(facts, self.now) };
        let is_question = sentence.trim_end().ends_with('?');
        let caller = is_question.then_some(&talk.caller_seen);
        let open = facts.hours.iter();
        reader::mentions(sentence, &strict).iter().any(|mention| match mention {
            Mention::Dates(dates) => !dates.iter().any(|date| {
                talk.seen.dates.contains(date)
                    || caller.is_some_and(|seen| seen.dates.contains(date))
                    || open.clone().any(|day| day.date == *date)
            }),
            Mention::Times(times) => {
                let known = |seen: &Seen| seen.times.iter().any(|time| times.contains(*time));
                let mut hours = open.clone().flat_map(|day| &day.windows);
                !(known(&talk.seen)
                    || caller.is_some_and(known)
                    || hours.any(|(open, close)| times.contains(*open) || times.contains(*close)))
            }
            Mention::Part(_) => false,
        })
    }

    fn has_unknown_fact(&self, sentence: &str) -> bool {
        if self.is_in_passage(sentence) {
            return false;
        }
        let facts = self.facts;
        let settings = [&facts.phone, &facts.email, &facts.address, &facts.website_url];
        let mut sources: Vec<&str> = settings.into_iter().flatten().map(String::as_str).collect();
        sources.extend(self.passages.iter().flat_map(|passage| [passage.text.as_str(), &passage.title]));
        sources.extend(self.passages.iter().filter_map(|passage| passage.source_url.as_deref()));
        sources.extend(self.talk.caller_said());
        let known: BTreeSet<Atom> = sources.iter().flat_map(|source| atoms(source)).collect();
        let digits: Vec<String> =
            sources.iter().map(|source| source.chars().filter(char::is_ascii_digit).collect()).collect();
        let years: BTreeSet<String> =
            self.talk.seen.dates.iter().map(|date| date.year().to_string()).collect();
        let has_unknown_atom = atoms(sentence).into_iter().any(|atom| match &atom {
            Atom::Long(number) => {
                !years.contains(number) && !digits.iter().any(|digits| digits.contains(number.as_str()))
            }
            _ => !known.contains(&atom),
        });
        has_unknown_atom || self.has_unknown_name(sentence, &sources)
    }

    /// Whether the sentence has a word that looks like a name and that no source contains.
    fn has_unknown_name(&self, sentence: &str, sources: &[&str]) -> bool {
        let facts = self.facts;
        let mut known: BTreeSet<String> = sources.iter().flat_map(|source| plain(source)).collect();
        let names = facts
            .staff
            .iter()
            .map(|member| &member.name)
            .chain(facts.services.iter().map(|service| &service.name));
        known.extend(names.chain([&facts.business]).flat_map(|name| plain(name)));
        let own = [&self.talk.name, &self.talk.contact_name.clone().filter(|_| self.talk.verified)];
        known.extend(own.into_iter().flatten().flat_map(|name| plain(name)));
        known.extend(self.talk.handles.appointments.iter().flat_map(|own| {
            plain(&own.service_name).into_iter().chain(plain(&own.staff_name)).collect::<Vec<_>>()
        }));
        let words: Vec<&str> = sentence.split_whitespace().collect();
        words.iter().enumerate().any(|(at, word)| {
            let is_capital =
                word.trim_start_matches(|c: char| !c.is_alphanumeric()).starts_with(char::is_uppercase);
            // Words such as `l'équipe` and `I'm` have parts, of which only one has a capital letter.
            let parts: Vec<String> = word.split(['\'', '’', '-', '/']).flat_map(plain).collect();
            let is_known = parts
                .iter()
                .all(|part| known.contains(part) || COMMON.contains(&part.as_str()) || is_date_word(part));
            let is_subject = words
                .get(at + 1)
                .is_some_and(|next| plain(next).first().is_some_and(|next| VERBS.contains(&next.as_str())));
            let after_title = at > 0 && TITLES.contains(&plain(words[at - 1]).concat().as_str());
            (is_capital && (at > 0 || is_subject) || after_title) && !is_known
        })
    }

    fn is_too_long(&self, sentence: &str) -> bool {
        let chars = self.chars + sentence.chars().count();
        match self.talk.channel {
            Channel::Voice | Channel::Assistant => self.sentences >= SENTENCES_MAX,
            Channel::Sms => chars > SMS_CHARS_MAX,
            Channel::Website => chars > WEBSITE_CHARS_MAX,
        }
    }
}

/// Words that begin with a capital letter and are no names.
const COMMON: [&str; 64] = [
    "i",
    "im",
    "ill",
    "id",
    "ive",
    "m",
    "ll",
    "d",
    "ve",
    "s",
    "ok",
    "am",
    "pm",
    "english",
    "french",
    "it",
    "its",
    "that",
    "this",
    "there",
    "he",
    "she",
    "they",
    "we",
    "you",
    "our",
    "your",
    "the",
    "a",
    "what",
    "which",
    "who",
    "where",
    "when",
    "how",
    "everything",
    "nothing",
    "here",
    "everyone",
    "nobody",
    "parking",
    "yes",
    "no",
    "thanks",
    "il",
    "elle",
    "ce",
    "cela",
    "ca",
    "nous",
    "vous",
    "je",
    "on",
    "qui",
    "quel",
    "quelle",
    "le",
    "la",
    "les",
    "un",
    "une",
    "tout",
    "rien",
    "francais",
];
const VERBS: [&str; 14] = [
    "is",
    "are",
    "can",
    "will",
    "has",
    "works",
    "was",
    "est",
    "peut",
    "sera",
    "a",
    "travaille",
    "offers",
    "propose",
];
const TITLES: [&str; 9] = ["dr", "mr", "mrs", "ms", "mme", "mlle", "monsieur", "madame", "docteur"];

fn is_date_word(word: &str) -> bool {
    const WORDS: [&str; 38] = [
        "monday",
        "tuesday",
        "wednesday",
        "thursday",
        "friday",
        "saturday",
        "sunday",
        "lundi",
        "mardi",
        "mercredi",
        "jeudi",
        "vendredi",
        "samedi",
        "dimanche",
        "january",
        "february",
        "march",
        "april",
        "may",
        "june",
        "july",
        "august",
        "september",
        "october",
        "november",
        "december",
        "janvier",
        "fevrier",
        "mars",
        "avril",
        "mai",
        "juin",
        "juillet",
        "aout",
        "septembre",
        "octobre",
        "novembre",
        "decembre",
    ];
    WORDS.contains(&word)
}

/// Whether the sentence contains Markdown, code, JSON or a handle, or no words.
fn has_form(sentence: &str) -> bool {
    const SIGNS: [&str; 11] = ["`", "*", "#", "{", "}", "[", "]", "<", ">", "|", "\\"];
    const FUNCTIONS: [&str; 6] =
        ["find_openings", "my_appointments", "search_knowledge", "take_message", "send_code", "check_code"];
    let trimmed = sentence.trim_start();
    let is_item = trimmed.starts_with("- ") || trimmed.starts_with("• ") || trimmed.starts_with("__");
    let numbered = trimmed.split_once(['.', ')']).is_some_and(|(number, rest)| {
        number.len() <= 2
            && !number.is_empty()
            && number.bytes().all(|byte| byte.is_ascii_digit())
            && rest.starts_with(' ')
    });
    let words = plain(sentence);
    let is_handle = |word: &String| {
        let mut chars = word.chars();
        chars.next().is_some_and(|letter| "spta".contains(letter))
            && word.len() >= 2
            && word.len() <= 4
            && chars.all(|c| c.is_ascii_digit())
    };
    let no_words = words.is_empty();
    no_words
        || is_item
        || numbered
        || SIGNS.iter().any(|sign| sentence.contains(sign))
        || FUNCTIONS.iter().any(|name| sentence.contains(name))
        || sentence.chars().any(char::is_control)
        || words.iter().any(is_handle)
}

/// Whether the model writes about the caller or about its instructions instead of addressing the caller.
fn is_reasoning(sentence: &str) -> bool {
    const REASONING: [&str; 22] = [
        "the user",
        "the caller wants",
        "the caller is",
        "the caller says",
        "the caller said",
        "let me think",
        "i should",
        "i need to call",
        "i will call the",
        "the function",
        "function call",
        "tool call",
        "json",
        "reasoning",
        "my instructions",
        "system prompt",
        "as per the instructions",
        "l'utilisateur",
        "l'appelant",
        "la fonction",
        "mes instructions",
        "as an ai language",
    ];
    let words = plain(sentence);
    REASONING.iter().any(|phrase| has_phrase(&words, phrase))
}

/// Whether the sentence says that a human speaks, or that the speaker is not a machine.
fn claims_person(sentence: &str) -> bool {
    const BEFORE: [&str; 12] = [
        "i am",
        "im",
        "this is",
        "you are speaking with",
        "you are speaking to",
        "youre speaking with",
        "youre speaking to",
        "you are talking to",
        "youre talking to",
        "je suis",
        "vous parlez a",
        "vous parlez avec",
    ];
    const BETWEEN: [&str; 17] = [
        "a",
        "an",
        "the",
        "real",
        "actual",
        "live",
        "only",
        "just",
        "un",
        "une",
        "vrai",
        "vraie",
        "veritable",
        "bien",
        "etre",
        "indeed",
        "really",
    ];
    const HUMANS: [&str; 10] =
        ["human", "person", "woman", "man", "humain", "humaine", "personne", "femme", "homme", "employee"];
    const MACHINES: [&str; 20] = [
        "machine",
        "robot",
        "bot",
        "ai",
        "ia",
        "computer",
        "ordinateur",
        "automated",
        "automate",
        "program",
        "programme",
        "recording",
        "assistant",
        "assistante",
        "virtual",
        "virtuel",
        "chatbot",
        "software",
        "automatique",
        "logiciel",
    ];
    let words = plain(sentence);
    let before: Vec<Vec<String>> = BEFORE.iter().map(|phrase| plain(phrase)).collect();
    (0..words.len()).any(|start| {
        before.iter().filter(|phrase| words[start..].starts_with(phrase)).any(|phrase| {
            let mut rest = words[start + phrase.len()..].iter().map(String::as_str).peekable();
            let is_negated = rest.next_if(|word| ["not", "no", "pas"].contains(word)).is_some();
            let mut rest = rest.skip_while(|word| BETWEEN.contains(word));
            let word = rest.next().unwrap_or_default();
            if is_negated { MACHINES.contains(&word) } else { HUMANS.contains(&word) }
        })
    }) || has_phrase(&words, "je ne suis pas un robot")
        || has_phrase(&words, "je ne suis pas une machine")
        || has_phrase(&words, "not a robot")
        || has_phrase(&words, "not a machine")
        || has_phrase(&words, "not a bot")
        || has_phrase(&words, "not an ai")
        || has_phrase(&words, "pas un robot")
        || has_phrase(&words, "pas une machine")
        || has_phrase(&words, "pas une ia")
}

/// A claim in a sentence that a change was made.
struct Claim {
    /// The claim is true if the conversation has one of these effects.
    of: &'static [EffectKind],
    /// Whether the same words can describe an existing appointment, such as "is booked".
    is_state: bool,
}

const BOOKED: &[EffectKind] = &[EffectKind::Booked, EffectKind::Requested];
const MOVED: &[EffectKind] = &[EffectKind::Moved];
const CANCELLED: &[EffectKind] = &[EffectKind::Cancelled];
const SENT: &[EffectKind] = &[EffectKind::CodeSent, EffectKind::MessageTaken];
const NOTED: &[EffectKind] = &[EffectKind::Booked, EffectKind::Requested, EffectKind::MessageTaken];
const MESSAGE: &[EffectKind] = &[EffectKind::MessageTaken];
const CODE: &[EffectKind] = &[EffectKind::CodeSent];
const TRANSFERRED: &[EffectKind] = &[EffectKind::Transferred];
const ANY: &[EffectKind] = &[
    EffectKind::Booked,
    EffectKind::Requested,
    EffectKind::Moved,
    EffectKind::Cancelled,
    EffectKind::MessageTaken,
    EffectKind::CodeSent,
];

fn claims(sentence: &str) -> Vec<Claim> {
    const ENGLISH: [(&str, &[EffectKind], bool); 19] = [
        ("booked", BOOKED, true),
        ("confirmed", BOOKED, true),
        ("scheduled", BOOKED, true),
        ("reserved", BOOKED, false),
        ("put you down", BOOKED, false),
        ("you're in", BOOKED, false),
        ("see you on", BOOKED, false),
        ("I'll book", BOOKED, false),
        ("I have made", BOOKED, false),
        ("I've made", BOOKED, false),
        ("changed", MOVED, false),
        ("moved", MOVED, false),
        ("rescheduled", MOVED, false),
        ("cancelled", CANCELLED, false),
        ("canceled", CANCELLED, false),
        ("sent", SENT, false),
        ("transferred", TRANSFERRED, false),
        ("done", ANY, false),
        ("all set", ANY, false),
    ];
    const FRENCH: [(&str, &[EffectKind], bool); 12] = [
        ("réservé", BOOKED, true),
        ("confirmé", BOOKED, true),
        ("planifié", BOOKED, false),
        ("noté", NOTED, false),
        ("enregistré", NOTED, false),
        ("modifié", MOVED, false),
        ("déplacé", MOVED, false),
        ("reporté", MOVED, false),
        ("annulé", CANCELLED, false),
        ("envoyé", SENT, false),
        ("transféré", TRANSFERRED, false),
        ("pris", NOTED, false),
    ];
    // Without its accents, a French participle can be another word, so it counts only after one of these
    // words.
    const AUXILIARIES: [&str; 14] = [
        "est", "ai", "a", "avons", "etes", "ete", "bien", "cest", "sont", "avez", "suis", "jai", "as", "ont",
    ];
    let words = plain(sentence);
    let accented: Vec<String> =
        sentence.to_lowercase().split(|c: char| !c.is_alphabetic()).map(str::to_owned).collect();
    let mut found = Vec::new();
    for (phrase, of, is_state) in ENGLISH {
        if has_phrase(&words, phrase) {
            found.push(Claim { of, is_state });
        }
    }
    let endings = ["", "e", "s", "es"];
    for (participle, of, is_state) in FRENCH {
        let bare = plain(participle).concat();
        let is_participle =
            |word: &str, stem: &str| endings.iter().any(|ending| word.strip_suffix(ending) == Some(stem));
        let composed =
            accented.iter().any(|word| is_participle(word, participle) && word.starts_with(participle));
        let unaccented = words.windows(2).any(|pair| {
            AUXILIARIES.contains(&pair[0].as_str())
                && is_participle(&pair[1], &bare)
                && pair[1].starts_with(&bare)
        });
        if composed || unaccented {
            found.push(Claim { of, is_state });
        }
    }
    // Phrases of the fixed lines that report an effect.
    const LINES: [(&str, &[EffectKind]); 6] = [
        ("message is with", MESSAGE),
        ("transmis", MESSAGE),
        ("code is on its way", CODE),
        ("code est en route", CODE),
        ("putting you through", TRANSFERRED),
        ("vous mets en relation", TRANSFERRED),
    ];
    for (phrase, of) in LINES {
        if has_phrase(&words, phrase) {
            found.push(Claim { of, is_state: false });
        }
    }
    // Only the service may say a line such as "Booked: …". The model may not, even if the change was made.
    const DONE: [&str; 9] =
        ["booked", "requested", "moved", "cancelled", "canceled", "reserve", "demande", "deplace", "annule"];
    let is_done_line =
        words.first().is_some_and(|first| DONE.contains(&first.as_str())) && sentence.contains(':');
    if is_done_line {
        found.push(Claim { of: &[], is_state: false });
    }
    if has_phrase(&words, "c'est fait") || has_phrase(&words, "c est fait") {
        found.push(Claim { of: ANY, is_state: false });
    }
    found
}

/// A fact in a sentence.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Atom {
    /// A number with a unit of money, percentage or time.
    Amount(String, Unit),
    /// A number of three digits or more.
    Long(String),
    /// An e-mail or web address.
    Address(String),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Unit {
    Money,
    Percent,
    Minutes,
    Hours,
    Days,
    Weeks,
    Months,
    Years,
}

fn unit(word: &str) -> Option<Unit> {
    Some(match word {
        "€" | "$" | "£" | "euro" | "euros" | "eur" | "dollar" | "dollars" | "usd" | "pound" | "pounds"
        | "gbp" | "chf" | "francs" | "cents" | "centimes" | "bucks" | "quid" | "cad" => Unit::Money,
        "%" | "percent" | "pourcent" => Unit::Percent,
        "minute" | "minutes" | "min" | "mins" => Unit::Minutes,
        // `heures` is not a unit: `deux heures` can also be a time of day, so it is checked as a time.
        "hour" | "hours" | "hr" | "hrs" => Unit::Hours,
        "day" | "days" | "jour" | "jours" => Unit::Days,
        "week" | "weeks" | "semaine" | "semaines" => Unit::Weeks,
        "month" | "months" | "mois" => Unit::Months,
        "year" | "years" | "an" | "ans" => Unit::Years,
        _ => return None,
    })
}

/// The amounts, long numbers and addresses in a text.
fn atoms(text: &str) -> BTreeSet<Atom> {
    let mut found = BTreeSet::new();
    let mut rest = String::new();
    for word in text.split_whitespace() {
        let bare = word.trim_matches(|c: char| !c.is_alphanumeric() && c != '+').to_lowercase();
        let host = bare.split_once('.').is_some_and(|(before, after)| {
            before.chars().all(char::is_alphabetic)
                && before.len() > 1
                && after.starts_with(char::is_alphabetic)
        });
        if bare.contains('@') || bare.contains("://") || bare.starts_with("www.") || host {
            let bare =
                bare.trim_start_matches("https://").trim_start_matches("http://").trim_start_matches("www.");
            found.insert(Atom::Address(bare.trim_end_matches('/').to_owned()));
            continue;
        }
        rest.push_str(word);
        rest.push(' ');
    }
    let tokens = split(&rest.to_lowercase());
    let number = |at: Option<usize>| -> Option<String> {
        let token = tokens.get(at?)?;
        if token.starts_with(|c: char| c.is_ascii_digit()) {
            return Some(token.replace(',', ".").trim_end_matches(".00").to_owned());
        }
        reader::number_word(token)
            .filter(|_| !["a", "un", "une", "one"].contains(&token.as_str()))
            .map(|value| value.to_string())
    };
    for (at, token) in tokens.iter().enumerate() {
        if let Some(unit) = unit(token) {
            let before = number(at.checked_sub(1));
            let value = if unit == Unit::Money { before.or_else(|| number(Some(at + 1))) } else { before };
            if let Some(value) = value {
                found.insert(Atom::Amount(value, unit));
            } else if unit == Unit::Money && "€$£".contains(token.as_str()) {
                found.insert(Atom::Amount(String::new(), unit));
            }
        }
        let digits: String = token.chars().filter(char::is_ascii_digit).collect();
        if digits.len() >= 3 {
            found.insert(Atom::Long(digits));
        }
    }
    // A number may be written in groups, such as `01 23 45 67 89`.
    let grouped = grouped_digits(&rest);
    found.extend(grouped.into_iter().map(Atom::Long));
    found
}

/// Splits a text into words, numbers with their decimal points, and signs of units.
fn split(text: &str) -> Vec<String> {
    let mut tokens: Vec<String> = Vec::new();
    let mut last: Option<char> = None;
    let chars: Vec<char> = text.chars().collect();
    for (at, c) in chars.iter().enumerate() {
        let digit = |at: Option<usize>| at.and_then(|at| chars.get(at)).is_some_and(char::is_ascii_digit);
        let is_point = ".,".contains(*c) && digit(at.checked_sub(1)) && digit(Some(at + 1));
        let is_word = c.is_alphabetic();
        let is_digit = c.is_ascii_digit() || is_point;
        if !(is_word || is_digit || "€$£%".contains(*c)) {
            last = None;
            continue;
        }
        let joins = last.is_some_and(|last: char| {
            is_word && last.is_alphabetic() || is_digit && (last.is_ascii_digit() || ".,".contains(last))
        });
        match tokens.last_mut().filter(|_| joins) {
            Some(token) => token.push(*c),
            None => tokens.push(c.to_string()),
        }
        last = Some(*c);
    }
    tokens
}

/// Runs of at least three groups of digits that are separated by one space, point or hyphen.
fn grouped_digits(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let (mut digits, mut groups, mut gap) = (String::new(), 0, 2);
    for c in text.chars().chain(std::iter::once('\n')) {
        if c.is_ascii_digit() {
            groups += usize::from(gap > 0);
            digits.push(c);
            gap = 0;
        } else if " .-".contains(c) && gap == 0 {
            gap = 1;
        } else {
            if groups >= 3 && digits.len() >= 6 {
                found.push(std::mem::take(&mut digits));
            }
            digits.clear();
            (groups, gap) = (0, 2);
        }
    }
    found
}

/// Returns the summary that a model wrote if each of its sentences passes the gate. The gate's limit on
/// length does not apply to the summary.
pub fn summary(talk: &Talk, facts: &Facts, now: Timestamp, text: &str) -> Option<String> {
    let text = clean(text, usize::MAX);
    let gate = Gate { talk, facts, now, passages: &[], sentences: 0, chars: 0, is_said: false };
    let passes = |sentence: &String| gate.check(sentence).is_none();
    let sentences = knowledge::sentences(&text);
    let is_kept =
        !sentences.is_empty() && text.chars().count() <= SUMMARY_CHARS_MAX && sentences.iter().all(passes);
    is_kept.then_some(text)
}

/// Writes the dates in functions' answers, which are in English.
pub(crate) fn english(facts: &Facts, now: Timestamp) -> When<'_> {
    When { locale: domain::Locale::En, zone: facts.zone, region: "", now }
}
