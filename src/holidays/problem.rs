//! The reasons why a calendar cannot be imported, each with its sentence in English and French.

use chrono::NaiveDate;
use domain::availability::BOOKABLE_YEARS;
use domain::{Locale, TextError};

use super::ics::DEPTH_MAX;
use super::{CALENDAR_BYTES_MAX, EVENT_DAYS_MAX, EVENTS_MAX};
use crate::english;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Problem {
    pub(super) place: Location,
    pub(super) why: ProblemKind,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Location {
    File,
    Line(usize),
    /// The name of an event, on one line.
    Event(String),
}

/// Texts quoted from the file contain no line breaks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum ProblemKind {
    TooLong,
    NotACalendar,
    TooManyEvents,
    NotUtf8,
    NotAProperty,
    AfterTheEnd,
    TooDeep,
    /// The line ends a component, but the innermost open component is a different one. The values are the
    /// number of the line at which this open component begins, and the name of this component.
    EndsAnother(usize, String),
    /// The component of this name has no end.
    NoEnd(String),
    Name(TextError),
    NoStart,
    EndsBefore,
    Days(u64),
    Far(NaiveDate),
    /// The property's name and value.
    NotWholeDay(&'static str, String),
    Duration(String),
    Range,
    NoUid,
    NotSupported(&'static str),
    Repeats(String),
}

impl ProblemKind {
    pub(super) fn in_file(self) -> Problem {
        Problem { place: Location::File, why: self }
    }

    pub(super) fn on(self, line: usize) -> Problem {
        Problem { place: Location::Line(line), why: self }
    }

    fn text(&self, locale: Locale) -> String {
        let (first, last) = (BOOKABLE_YEARS.start(), BOOKABLE_YEARS.end());
        let say = |english: String, french: String| match locale {
            Locale::En => english,
            Locale::Fr => french,
        };
        let split = |english: String, french: String| {
            say(
                format!("{english}, which is not supported: write each date as an event"),
                format!("{french}, ce qui n’est pas pris en charge : écrivez chaque date comme un événement"),
            )
        };
        match self {
            Self::TooLong => say(
                format!("is longer than {} MB", CALENDAR_BYTES_MAX >> 20),
                format!("dépasse {} Mo", CALENDAR_BYTES_MAX >> 20),
            ),
            Self::NotACalendar => say(
                "is not an iCalendar file: it must begin with BEGIN:VCALENDAR".into(),
                "n’est pas un fichier iCalendar : il doit commencer par BEGIN:VCALENDAR".into(),
            ),
            Self::TooManyEvents => say(
                format!("has more than {EVENTS_MAX} events"),
                format!("a plus de {EVENTS_MAX} événements"),
            ),
            Self::NotUtf8 => say("is not valid UTF-8".into(), "n’est pas en UTF-8".into()),
            Self::NotAProperty => {
                say("is not of the form NAME:VALUE".into(), "n’a pas la forme NOM:VALEUR".into())
            }
            Self::AfterTheEnd => say("follows END:VCALENDAR".into(), "suit END:VCALENDAR".into()),
            Self::TooDeep => say(
                format!("nests more than {DEPTH_MAX} components"),
                format!("imbrique plus de {DEPTH_MAX} composants"),
            ),
            Self::EndsAnother(line, name) => say(
                format!("does not end the component of line {line}; expected END:{name}"),
                format!("ne termine pas le composant de la ligne {line} ; il faut END:{name}"),
            ),
            Self::NoEnd(name) => say(
                format!("begins a component without END:{name}"),
                format!("commence un composant sans END:{name}"),
            ),
            Self::Name(error) => say(
                format!("SUMMARY {}", english::text(*error)),
                "a un nom (SUMMARY) avec des caractères non valides".into(),
            ),
            Self::NoStart => say("has no DTSTART".into(), "n’a pas de DTSTART".into()),
            Self::EndsBefore => say("ends before it begins".into(), "se termine avant de commencer".into()),
            Self::Days(days) => say(
                format!("has {days} days; a holiday has 1 to {EVENT_DAYS_MAX}"),
                format!("dure {days} jours ; un jour férié dure 1 à {EVENT_DAYS_MAX} jours"),
            ),
            Self::Far(date) => say(
                format!("is on {date}; special days must be in the years {first} to {last}"),
                format!("est le {date} ; un jour particulier doit être entre {first} et {last}"),
            ),
            Self::NotWholeDay(name, value) => say(
                format!("{name} is {value}, but a special day must be a whole day"),
                format!("{name} est {value}, mais un jour particulier dure toute la journée"),
            ),
            Self::Duration(value) => say(
                format!("has the duration {value}, which is not a number of whole days"),
                format!("a la durée {value}, qui n’est pas un nombre de jours entiers"),
            ),
            Self::NoUid => say(
                "has RECURRENCE-ID but no UID, so the changed event is unknown".into(),
                "a RECURRENCE-ID sans UID : l’événement modifié est inconnu".into(),
            ),
            Self::Range => split("has RECURRENCE-ID with RANGE".into(), "a RECURRENCE-ID avec RANGE".into()),
            Self::NotSupported(name) => split(format!("has {name}"), format!("a {name}")),
            Self::Repeats(rule) => say(
                format!(
                    "repeats by {rule}, but only the same date or the same weekday of a month every few years is \
                     supported: write each date as an event"
                ),
                format!(
                    "se répète selon {rule}, mais seule la même date ou le même jour de la semaine d’un mois, \
                     certaines années, est pris en charge : écrivez chaque date comme un événement"
                ),
            ),
        }
    }
}

impl Problem {
    pub(crate) fn too_long() -> Self {
        ProblemKind::TooLong.in_file()
    }

    pub(crate) fn text(&self, locale: Locale) -> String {
        let why = self.why.text(locale);
        match (&self.place, locale) {
            (Location::File, Locale::En) => format!("the file {why}"),
            (Location::File, Locale::Fr) => format!("le fichier {why}"),
            (Location::Line(line), Locale::En) => format!("line {line} {why}"),
            (Location::Line(line), Locale::Fr) => format!("la ligne {line} {why}"),
            (Location::Event(name), Locale::En) => format!("event \"{name}\": {why}"),
            (Location::Event(name), Locale::Fr) => format!("événement « {name} » : {why}"),
        }
    }
}
