//! Recognises claims that a change was made.

use super::reports::{Around, reports};
use crate::reader::{has_phrase, plain};
use crate::state::EffectKind;

/// A claim in a sentence that a change was made.
pub(super) struct Claim {
    /// The claim is true if the conversation has one of these effects.
    pub(super) of: &'static [EffectKind],
    /// Whether the words, such as "is booked", can also describe an existing appointment.
    pub(super) is_state: bool,
}

pub(super) const BOOKED: &[EffectKind] = &[EffectKind::Booked, EffectKind::Requested];
pub(super) const MOVED: &[EffectKind] = &[EffectKind::Moved];
pub(super) const CANCELLED: &[EffectKind] = &[EffectKind::Cancelled];
pub(super) const SENT: &[EffectKind] = &[EffectKind::CodeSent, EffectKind::MessageTaken];
pub(super) const NOTED: &[EffectKind] =
    &[EffectKind::Booked, EffectKind::Requested, EffectKind::MessageTaken];
pub(super) const MESSAGE: &[EffectKind] = &[EffectKind::MessageTaken];
const CODE: &[EffectKind] = &[EffectKind::CodeSent];
pub(super) const TRANSFERRED: &[EffectKind] = &[EffectKind::Transferred];
pub(super) const ANY: &[EffectKind] = &[
    EffectKind::Booked,
    EffectKind::Requested,
    EffectKind::Moved,
    EffectKind::Cancelled,
    EffectKind::MessageTaken,
    EffectKind::CodeSent,
];

pub(super) fn claims(sentence: &str, around: &Around<'_>) -> Vec<Claim> {
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
    // Without its accents, a French participle can be another word. So a word without accents counts as a participle
    // only after one of these words.
    const AUXILIARIES: [&str; 14] = [
        "est", "ai", "a", "avons", "etes", "ete", "bien", "cest", "sont", "avez", "suis", "jai", "as", "ont",
    ];
    let words = plain(sentence);
    let accented: Vec<String> =
        sentence.to_lowercase().split(|c: char| !c.is_alphabetic()).map(str::to_owned).collect();
    let mut found = reports(sentence, around);
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
    for claim in found.iter_mut().filter(|claim| claim.of == SENT) {
        claim.of = sent(&words);
    }
    found
}

/// Returns the effects that can prove a claim that something was sent. One of them is sufficient.
fn sent(words: &[String]) -> &'static [EffectKind] {
    // No effect records that one of these things was sent. So no effect can prove a claim that names one of them.
    const OTHERS: [&str; 18] = [
        "confirmation",
        "link",
        "lien",
        "reminder",
        "rappel",
        "invoice",
        "facture",
        "receipt",
        "recu",
        "invitation",
        "a mail",
        "an email",
        "an e mail",
        "a text",
        "un mail",
        "un courriel",
        "un email",
        "un sms",
    ];
    let has = |phrases: &[&str]| phrases.iter().any(|phrase| has_phrase(words, phrase));
    match () {
        () if has(&OTHERS) => &[],
        () if has(&["code"]) => CODE,
        () if has(&["message", "request", "demande"]) => MESSAGE,
        () => SENT,
    }
}
