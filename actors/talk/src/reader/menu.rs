//! Recognises the entries of the menu.

use super::phrases::plain;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Entry {
    Book,
    Move,
    Cancel,
    Message,
    Question,
}

const ENTRIES: [(Entry, &[&str]); 5] = [
    (Entry::Book, &["book", "booking", "reserver", "reserve", "prendre", "schedule"]),
    (
        Entry::Move,
        &["move", "change", "reschedule", "deplacer", "changer", "modifier", "reporter", "decaler"],
    ),
    (Entry::Cancel, &["cancel", "annuler", "annulation", "cancellation"]),
    (Entry::Message, &["message"]),
    (
        Entry::Question,
        &[
            "hours", "address", "horaires", "adresse", "open", "ouvert", "ouverts", "ouverte", "where",
            "located", "question",
        ],
    ),
];
/// If a turn names no other entry, each of these words means a booking. The turn "cancel my appointment" names the
/// entry `Cancel`, so it is not a booking.
const APPOINTMENTS: [&str; 6] = ["appointment", "appointments", "rendez", "rendezvous", "rdv", "appt"];
const NEGATIONS: [&str; 6] = ["dont", "not", "pas", "never", "wont", "jamais"];

/// The entries of the menu that a turn names. An ambiguous turn names several.
pub fn entries(text: &str) -> Vec<Entry> {
    let words = plain(text);
    let has = |list: &[&str]| words.iter().any(|word| list.contains(&word.as_str()));
    if has(&NEGATIONS) {
        return Vec::new();
    }
    let mut found: Vec<Entry> =
        ENTRIES.iter().filter(|(_, list)| has(list)).map(|(entry, _)| *entry).collect();
    // "prendre un message" is not a booking, although "prendre" alone is.
    if found.contains(&Entry::Message) && !has(&["book", "reserver"]) {
        found.retain(|entry| *entry != Entry::Book);
    }
    if found.is_empty() && has(&APPOINTMENTS) {
        found.push(Entry::Book);
    }
    found
}
