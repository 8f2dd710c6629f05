//! Decides which sentences of a language model are said to the caller. A sentence that breaks a rule is
//! dropped, and the first broken rule is reported.
//!
//! Invariant: a sentence is checked exactly as it is said. [`readable`] converts the text of the model into this form.

mod atoms;
mod claims;
mod form;
mod names;
mod person;
mod reports;
mod verbs;

use std::collections::BTreeSet;

use chrono::Datelike;
use domain::Timestamp;

use self::atoms::{Atom, atoms, costs_nothing, has_free};
use self::claims::{ANY, Claim, claims};
pub(crate) use self::form::readable;
use self::reports::Around;
use crate::facts::{Facts, Passage};
use crate::knowledge;
use crate::reader::{self, Context, Expect, Mention};
use crate::state::{Channel, Effect, EffectKind, Resource, Rule, Seen, Talk};
use crate::words::When;

const SENTENCES_MAX: usize = 3;
const SMS_CHARS_MAX: usize = 480;
const WEBSITE_CHARS_MAX: usize = 1_200;
pub const SUMMARY_CHARS_MAX: usize = 400;
/// The minimum number of digits of a phone number without its country code.
const PHONE_DIGITS_MIN: usize = 7;

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

/// Adds the dates and times in a text to `seen`, so that the model may say them.
pub(crate) fn see(seen: &mut Seen, text: &str, facts: &Facts, now: Timestamp) {
    let context = context(facts, now);
    for mention in reader::mentions(text, &context) {
        if let Mention::Dates(dates) = mention {
            seen.dates.extend(dates);
        }
    }
    // Times are read strictly, so `after three` adds 3:00 and 15:00 to `seen`. Otherwise `after three` would be read as
    // a range, and ranges add no times.
    for mention in reader::mentions(text, &Context { is_strict: true, ..context }) {
        if let Mention::Times(times) = mention {
            seen.times.extend(times.points());
        }
    }
}

/// Adds the date and the time of an instant to `seen`, because a function's answer contains the instant.
pub(crate) fn see_instant(seen: &mut Seen, at: Timestamp, facts: &Facts) {
    let local = at.utc().with_timezone(&facts.zone);
    seen.dates.insert(local.date_naive());
    seen.times.insert(local.time());
}

impl Gate<'_> {
    /// Returns the first rule that a sentence violates. The sentence is [`readable`].
    pub(crate) fn check(&self, sentence: &str) -> Option<Rule> {
        if form::has_form(sentence) || form::has_foreign_word(sentence, || self.known_words()) {
            return Some(Rule::Form);
        }
        self.check_joined(sentence).or_else(|| self.is_too_long(sentence).then_some(Rule::Length))
    }

    /// Checks a sentence, or the pieces of a sentence joined by line breaks. Returns the first rule that the text
    /// violates. Omits the checks that [`Gate::check`] makes for each piece: Markdown, code, foreign words and length.
    pub(crate) fn check_joined(&self, pieces: &str) -> Option<Rule> {
        if self.is_said && form::is_reasoning(pieces) {
            return Some(Rule::Form);
        }
        if person::claims_person(pieces, |word| self.is_staff(word)) {
            return Some(Rule::Person);
        }
        if self.claims_change(pieces) {
            return Some(Rule::Claim);
        }
        if self.has_unknown_time(pieces) {
            return Some(Rule::Time);
        }
        self.has_unknown_fact(pieces).then_some(Rule::Fact)
    }

    fn is_in_passage(&self, sentence: &str) -> bool {
        let sentence = readable(sentence);
        self.passages.iter().any(|passage| {
            knowledge::sentences(&passage.text).iter().any(|known| readable(known) == sentence)
        })
    }

    fn claims_change(&self, sentence: &str) -> bool {
        let (talk, facts) = (self.talk, self.facts);
        let mentions = self.mentions(sentence);
        let around = Around {
            is_service: &|word| facts.services.iter().any(|service| has_word(&service.name, word)),
            is_staff: &|word| self.is_staff(word),
            has_time: !mentions.is_empty(),
        };
        let kinds = claims(sentence, &around);
        if kinds.is_empty() || self.is_in_passage(sentence) {
            return false;
        }
        let is_cancelled = |resource: Option<Resource>| {
            let cancelled =
                |effect: &Effect| effect.kind == EffectKind::Cancelled && effect.resource == resource;
            resource.is_some() && talk.effects.iter().any(cancelled)
        };
        // After an appointment is cancelled, its earlier booking or move no longer proves a claim. Only its
        // cancellation does.
        let is_effect = |kind: EffectKind| {
            talk.effects.iter().any(|effect| {
                effect.kind == kind && (kind == EffectKind::Cancelled || !is_cancelled(effect.resource))
            })
        };
        let has = |claim: &Claim| claim.of.iter().any(|kind| is_effect(*kind));
        // "It is booked" can describe an appointment that was disclosed to the caller. If all dates and times in the
        // sentence are those of such appointments, the sentence claims no change. But "Done, it is booked" always
        // claims a change. This claim is true only if the conversation has booked an appointment.
        let own = talk.handles.appointments.iter();
        let own = own.filter(|own| !is_cancelled(Some(Resource::Appointment(own.id))));
        let own: Vec<_> = own.map(|own| own.starts_at.utc().with_timezone(&facts.zone)).collect();
        let is_own = |mention: &Mention| match mention {
            Mention::Dates(dates) => own.iter().any(|at| dates.contains(&at.date_naive())),
            Mention::Times(times) => own.iter().any(|at| times.contains(at.time())),
            Mention::Part(_) => true,
        };
        let describes = !own.is_empty()
            && mentions.iter().all(is_own)
            && kinds.iter().all(|claim| claim.is_state || claim.of.len() < ANY.len() && has(claim));
        !kinds.iter().all(|claim| has(claim) || claim.is_state && describes)
    }

    fn is_staff(&self, word: &str) -> bool {
        self.facts.staff.iter().any(|member| has_word(&member.name, word))
    }

    /// The dates and times in a sentence, read strictly.
    fn mentions(&self, sentence: &str) -> Vec<Mention> {
        reader::mentions(sentence, &Context { is_strict: true, ..context(self.facts, self.now) })
    }

    fn has_unknown_time(&self, sentence: &str) -> bool {
        let (talk, facts) = (self.talk, self.facts);
        let is_question = sentence.trim_end().ends_with('?');
        let caller = is_question.then_some(&talk.caller_seen);
        let open = facts.hours.iter();
        self.mentions(sentence).iter().any(|mention| match mention {
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

    /// The texts whose facts the model may say: the settings, the passages of this turn, and the caller's turns.
    fn sources(&self) -> Vec<&str> {
        let facts = self.facts;
        let settings = [&facts.phone, &facts.email, &facts.address, &facts.website_url];
        let mut sources: Vec<&str> = settings.into_iter().flatten().map(String::as_str).collect();
        sources.extend(self.passages.iter().flat_map(|passage| [passage.text.as_str(), &passage.title]));
        sources.extend(self.passages.iter().filter_map(|passage| passage.source_url.as_deref()));
        sources.extend(self.talk.caller_said());
        sources
    }

    fn has_unknown_fact(&self, sentence: &str) -> bool {
        if self.is_in_passage(sentence) {
            return false;
        }
        let sources = self.sources();
        let known: BTreeSet<Atom> = sources.iter().flat_map(|source| atoms(source)).collect();
        // A known phone number may be said in national form, often with a leading zero instead of the country code. So
        // the leading zeros of the said number are removed. If at least `PHONE_DIGITS_MIN` digits remain, and a known
        // number contains these digits, the said number is also known.
        let is_known = |number: &str| {
            let national = number.trim_start_matches('0');
            let of = |known: &Atom| matches!(known, Atom::Long(long) if long.contains(national));
            national.len() >= PHONE_DIGITS_MIN && known.iter().any(of)
        };
        let years: BTreeSet<String> =
            self.talk.seen.dates.iter().map(|date| date.year().to_string()).collect();
        let has_unknown_atom = atoms(sentence).into_iter().any(|atom| match &atom {
            Atom::Long(number) => !years.contains(number) && !known.contains(&atom) && !is_known(number),
            _ => !known.contains(&atom),
        });
        let has_staff = || reader::plain(sentence).iter().any(|word| self.is_staff(word));
        let is_opening = !self.mentions(sentence).is_empty() || has_staff();
        let is_free = costs_nothing(sentence, is_opening) && !sources.iter().any(|source| has_free(source));
        has_unknown_atom || is_free || names::has_unknown_name(sentence, &self.known_words())
    }

    /// The words of the sources and of the names that the model may say.
    fn known_words(&self) -> BTreeSet<String> {
        let (talk, facts) = (self.talk, self.facts);
        let own = [&talk.name, &talk.contact_name.clone().filter(|_| talk.verified)];
        let appointments = talk.handles.appointments.iter();
        let names = facts.staff.iter().map(|member| &member.name);
        let names = names.chain(facts.services.iter().map(|service| &service.name)).chain([&facts.business]);
        let names = names.chain(appointments.flat_map(|own| [&own.service_name, &own.staff_name]));
        let names = names.chain(own.into_iter().flatten()).map(String::as_str);
        names.chain(self.sources()).flat_map(reader::plain).collect()
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

/// Whether the word is a part of the name and is not one of [`knowledge::STOP_WORDS`].
fn has_word(name: &str, word: &str) -> bool {
    !knowledge::STOP_WORDS.contains(&word) && reader::plain(name).iter().any(|own| own == word)
}

/// Returns a model's summary, if it has at most `SUMMARY_CHARS_MAX` characters and each of its sentences passes the
/// gate. The gate's limit on the length of a turn does not apply.
pub fn summary(talk: &Talk, facts: &Facts, now: Timestamp, text: &str) -> Option<String> {
    let text = readable(text);
    let gate = Gate { talk, facts, now, passages: &[], sentences: 0, chars: 0, is_said: false };
    let passes = |sentence: &String| gate.check(sentence).is_none();
    let sentences = knowledge::sentences(&text);
    let is_kept =
        !sentences.is_empty() && text.chars().count() <= SUMMARY_CHARS_MAX && sentences.iter().all(passes);
    is_kept.then_some(text)
}

/// Returns the date formatter for the answers of functions, which are in English.
pub(crate) fn english(facts: &Facts, now: Timestamp) -> When<'_> {
    When { locale: domain::Locale::En, zone: facts.zone, region: "", now }
}
