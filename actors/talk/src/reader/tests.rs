//! Tables of utterances with the expected readings. An empty reading means that the reader must find nothing.

use chrono::{NaiveDate, NaiveTime, Timelike};

use super::*;

/// A Friday.
fn today() -> NaiveDate {
    NaiveDate::from_ymd_opt(2026, 11, 20).unwrap()
}

fn context(expect: Expect) -> Context {
    Context { today: today(), month_first: false, expect, is_strict: false }
}

fn dates(text: &str, context: &Context) -> String {
    let dates = read(text, context).dates.unwrap_or_default();
    dates.iter().map(|date| date.format("%m-%d").to_string()).collect::<Vec<_>>().join(" ")
}

/// The times of a set as a text: single minutes, and ranges with both ends.
fn times(text: &str, expect: Expect) -> String {
    let Some(times) = read(text, &context(expect)).times else { return String::new() };
    let clock = |minute: u32| format!("{}:{:02}", minute / 60, minute % 60);
    let mut found = Vec::new();
    let contains = |minute: u32| {
        NaiveTime::from_hms_opt(minute / 60 % 24, minute % 60, 0)
            .is_some_and(|time| minute < 1440 && times.contains(time))
    };
    let mut minute = 0;
    while minute < 1440 {
        if contains(minute) {
            let start = minute;
            while contains(minute) {
                minute += 1;
            }
            found.push(if minute - start == 1 {
                clock(start)
            } else {
                format!("{}-{}", clock(start), clock(minute))
            });
        } else {
            minute += 1;
        }
    }
    found.join(" ")
}

/// Compares all entries, and shows all differences at once.
fn check(table: &[(&str, &str)], read: impl Fn(&str) -> String) {
    assert!(table.len() >= 30, "{} utterances", table.len());
    let hard = table.iter().filter(|(_, expected)| expected.is_empty() || expected.contains(' ')).count();
    assert!(hard * 4 >= table.len(), "{hard} of {} utterances are ambiguous or refused", table.len());
    let wrong: Vec<String> = table
        .iter()
        .filter(|(text, expected)| read(text) != *expected)
        .map(|(text, expected)| format!("{text}: {:?} instead of {expected:?}", read(text)))
        .collect();
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[test]
fn english_dates() {
    check(
        &[
            ("today", "11-20"),
            ("tomorrow please", "11-21"),
            ("the day after tomorrow", "11-22"),
            ("the day after", "11-22"),
            ("Tuesday", "11-24"),
            ("on Tuesday at ten", "11-24"),
            ("this Friday", "11-20"),
            ("Tuesday week", "12-01"),
            ("a week from Tuesday", "12-01"),
            ("two weeks from Tuesday", "12-08"),
            ("a week on Monday at ten", "11-30"),
            ("the 24th", "11-24"),
            ("the twenty-fourth", "11-24"),
            ("the 3rd", "12-03"),
            ("24", "11-24"),
            ("24 November", "11-24"),
            ("the 24th of November", "11-24"),
            ("November 24", "11-24"),
            ("November the 24th", "11-24"),
            ("March 3rd", "03-03"),
            ("24/11", "11-24"),
            ("11/24", "11-24"),
            ("24.11.", "11-24"),
            ("2026-11-24", "11-24"),
            ("in two weeks", "12-04"),
            ("in 3 days", "11-23"),
            ("in a week", "11-27"),
            ("Tuesday 24 November", "11-24"),
            ("Tuesday, the 24th", "11-24"),
            ("tonight", "11-20"),
            ("no, Wednesday", "11-25"),
            // These words have several readings.
            ("next Tuesday", "11-24 12-01"),
            ("Friday", "11-20 11-27"),
            ("Tuesday or Wednesday", "11-24 11-25"),
            ("this weekend", "11-21 11-22"),
            ("next weekend", "11-21 11-22 11-28 11-29"),
            ("next week", "11-23 11-24 11-25 11-26 11-27 11-28 11-29"),
            ("Tuesday 25 November", "11-24 11-25"),
            // The reader must find nothing in these words.
            ("not Tuesday", ""),
            ("any day but Monday", ""),
            ("30 February", ""),
            ("the first one", ""),
            ("may I come", ""),
            ("I don't know", ""),
        ],
        |text| dates(text, &context(Expect::Day)),
    );
}

#[test]
fn french_dates() {
    check(
        &[
            ("aujourd'hui", "11-20"),
            ("demain", "11-21"),
            ("demain matin", "11-21"),
            ("après-demain", "11-22"),
            ("mardi", "11-24"),
            ("mardi à dix heures", "11-24"),
            ("ce vendredi", "11-20"),
            ("mardi en huit", "12-01"),
            ("mardi en quinze", "12-08"),
            ("le 24", "11-24"),
            ("le vingt-quatre", "11-24"),
            ("le 24 novembre", "11-24"),
            ("vingt-quatre novembre", "11-24"),
            ("le premier décembre", "12-01"),
            ("le 1er décembre", "12-01"),
            ("mardi 24 novembre", "11-24"),
            ("mardi le 24", "11-24"),
            ("24/11", "11-24"),
            ("24-11", "11-24"),
            ("dans deux semaines", "12-04"),
            ("dans trois jours", "11-23"),
            ("dans une semaine", "11-27"),
            ("le 3 mars", "03-03"),
            ("le trente et un décembre", "12-31"),
            ("le 31 août", "08-31"),
            ("cet après-midi", "11-20"),
            ("ce soir", "11-20"),
            // These words have several readings.
            ("mardi prochain", "11-24 12-01"),
            ("vendredi", "11-20 11-27"),
            ("mardi ou mercredi", "11-24 11-25"),
            ("ce week-end", "11-21 11-22"),
            ("le week-end prochain", "11-21 11-22 11-28 11-29"),
            ("la semaine prochaine", "11-23 11-24 11-25 11-26 11-27 11-28 11-29"),
            ("dans quinze jours", "12-04 12-05"),
            ("mardi 25 novembre", "11-24 11-25"),
            // The reader must find nothing in these words.
            ("pas mardi", ""),
            ("tous les jours sauf lundi", ""),
            ("le 31 février", ""),
            ("mon rendez-vous", ""),
            ("je ne sais pas", ""),
        ],
        |text| dates(text, &context(Expect::Day)),
    );
}

#[test]
fn a_day_after_before_or_from_is_a_range() {
    let ends = |text: &str| {
        let dates = read(text, &context(Expect::Day)).dates.unwrap_or_default();
        let ends = [dates.first(), dates.last()].into_iter().flatten();
        let ends: Vec<_> = ends.map(|date| date.format("%m-%d").to_string()).collect();
        (ends.join(" "), dates.len())
    };
    for (text, expected, days) in [
        ("any day after Tuesday", "11-25 12-08", 14),
        ("après mardi", "11-25 12-08", 14),
        ("from Monday", "11-23 12-06", 14),
        ("à partir de lundi", "11-23 12-06", 14),
        ("before Thursday", "11-20 11-25", 6),
        ("avant jeudi", "11-20 11-25", 6),
        ("until Thursday", "11-20 11-26", 7),
        ("jusqu'à jeudi", "11-20 11-26", 7),
        ("from Monday to Wednesday", "11-23 11-25", 3),
        ("de lundi à mercredi", "11-23 11-25", 3),
        ("between 24 November and 26 November", "11-24 11-26", 3),
        ("from Wednesday to Monday", "11-25 11-30", 6),
        ("the day after tomorrow", "11-22 11-22", 1),
        ("le rendez-vous de mardi", "11-24 11-24", 1),
        ("before today", "11-20 11-20", 1),
    ] {
        assert_eq!(ends(text), (expected.to_owned(), days), "{text}");
    }
    assert_eq!(times("after three", Expect::Time), "15:00-24:00");
    assert_eq!(times("Tuesday before noon", Expect::Time), "0:00-12:00");
}

#[test]
fn a_weekend_has_the_days_that_are_left() {
    let on = |day, text| {
        dates(
            text,
            &Context { today: NaiveDate::from_ymd_opt(2026, 11, day).unwrap(), ..context(Expect::Day) },
        )
    };
    assert_eq!(on(21, "this weekend"), "11-21 11-22");
    assert_eq!(on(21, "next weekend"), "11-28 11-29");
    assert_eq!(on(22, "this weekend"), "11-22");
    assert_eq!(on(22, "next weekend"), "11-28 11-29");
    assert_eq!(on(22, "le week-end"), "11-22");
}

#[test]
fn the_month_comes_first_in_the_us_and_a_past_date_is_next_year() {
    let american = Context { month_first: true, ..context(Expect::Day) };
    assert_eq!(dates("12/1", &american), "12-01");
    assert_eq!(dates("12/1", &context(Expect::Day)), "01-12");
    let year = |text: &str| {
        read(text, &context(Expect::Day)).dates.unwrap().first().unwrap().format("%Y-%m-%d").to_string()
    };
    assert_eq!(year("19 November"), "2027-11-19");
    assert_eq!(year("20 November"), "2026-11-20");
    assert_eq!(year("29 février"), "2028-02-29");
    assert_eq!(year("24 November 2028"), "2028-11-24");
    assert_eq!(year("24/11/28"), "2028-11-24");
}

#[test]
fn english_times() {
    check(
        &[
            ("14:30", "14:30"),
            ("2:30 pm", "14:30"),
            ("10 am", "10:00"),
            ("10 a.m.", "10:00"),
            ("at 3 p.m.", "15:00"),
            ("noon", "12:00"),
            ("midday", "12:00"),
            ("midnight", "0:00"),
            ("half past two in the afternoon", "14:30"),
            ("ten in the morning", "10:00"),
            ("three this afternoon", "15:00"),
            ("seven in the evening", "19:00"),
            ("fifteen thirty", "15:30"),
            ("12 am", "0:00"),
            ("12 pm", "12:00"),
            ("09:15", "9:15"),
            ("twenty past three pm", "15:20"),
            ("morning", "0:00-12:00"),
            ("in the afternoon", "12:00-17:00"),
            ("evening", "17:00-24:00"),
            ("after three", "15:00-24:00"),
            ("before noon", "0:00-12:00"),
            ("between two and four", "14:00-16:01"),
            // These words have several readings.
            ("10", "10:00 22:00"),
            ("10:30", "10:30 22:30"),
            ("ten", "10:00 22:00"),
            ("half past two", "2:30 14:30"),
            ("quarter to five", "4:45 16:45"),
            ("a quarter past nine", "9:15 21:15"),
            ("two thirty", "2:30 14:30"),
            ("ten oh five", "10:05 22:05"),
            ("at 9 o'clock", "9:00 21:00"),
            ("around three", "2:30-3:31 14:30-15:31"),
            ("ten or eleven", "10:00 11:00 22:00 23:00"),
            // The reader must find nothing in these words.
            ("not at ten", ""),
            ("sometime", ""),
            ("15:00 in the morning", ""),
            ("in two hours", ""),
            ("in 20 minutes", ""),
            ("a two hour massage", ""),
            ("for 30 minutes", ""),
            ("25:00", ""),
            ("10:75", ""),
        ],
        |text| times(text, Expect::Time),
    );
}

#[test]
fn french_times() {
    check(
        &[
            ("14h30", "14:30"),
            ("14 h 30", "14:30"),
            ("14 h", "14:00"),
            ("quatorze heures", "14:00"),
            ("quatorze heures trente", "14:30"),
            ("midi", "12:00"),
            ("midi et quart", "12:15"),
            ("midi et demi", "12:30"),
            ("midi moins le quart", "11:45"),
            ("minuit", "0:00"),
            ("dix heures du matin", "10:00"),
            ("trois heures de l'après-midi", "15:00"),
            ("huit heures du soir", "20:00"),
            ("à 15 heures", "15:00"),
            ("seize heures quarante-cinq", "16:45"),
            ("le matin", "0:00-12:00"),
            ("l'après-midi", "12:00-17:00"),
            ("en soirée", "17:00-24:00"),
            ("après 15h", "15:00-24:00"),
            ("avant midi", "0:00-12:00"),
            ("entre 14h et 16h", "14:00-16:01"),
            // These words have several readings.
            ("10", "10:00 22:00"),
            ("10h30", "10:30 22:30"),
            ("dix heures", "10:00 22:00"),
            ("dix heures et demie", "10:30 22:30"),
            ("dix heures et quart", "10:15 22:15"),
            ("dix heures moins le quart", "9:45 21:45"),
            ("neuf heures vingt", "9:20 21:20"),
            ("à 9h", "9:00 21:00"),
            ("vers trois heures", "2:30-3:31 14:30-15:31"),
            ("dix ou onze heures", "10:00 11:00 22:00 23:00"),
            // The reader must find nothing in these words.
            ("pas à dix heures", ""),
            ("n'importe quand", ""),
            ("15h le matin", ""),
            ("un massage d'une heure", ""),
            ("d'une heure et demie", ""),
            ("dans deux heures", ""),
            ("dans vingt-deux heures", ""),
            ("un massage d'une heure à 15h", "15:00"),
            ("à partir d'une heure de l'après-midi", "13:00-24:00"),
            ("25h", ""),
        ],
        |text| times(text, Expect::Time),
    );
}

fn word(answer: Option<Clear>) -> String {
    answer.map(|answer| format!("{answer:?}")).unwrap_or_default()
}

#[test]
fn english_yes_and_no() {
    check(
        &[
            ("yes", "Yes"),
            ("Yes.", "Yes"),
            ("yeah", "Yes"),
            ("yep!", "Yes"),
            ("correct", "Yes"),
            ("right", "Yes"),
            ("OK", "Yes"),
            ("okay, thanks", "Yes"),
            ("sure", "Yes"),
            ("go ahead", "Yes"),
            ("that's right", "Yes"),
            ("That’s right", "Yes"),
            ("do it", "Yes"),
            ("yes please", "Yes"),
            ("Yes, yes, do it, thank you", "Yes"),
            ("no", "No"),
            ("No, thanks", "No"),
            ("nope", "No"),
            ("not that", "No"),
            ("wait", "No"),
            ("stop", "No"),
            ("wrong", "No"),
            ("no no, wait", "No"),
            ("", ""),
            ("please", ""),
            ("thanks", ""),
            ("yes?", "Yes"),
            ("yes no", ""),
            ("yes but later", ""),
            ("not yes", ""),
            ("I think so", ""),
            ("maybe", ""),
            ("right now is bad", ""),
            ("absolutely", ""),
            ("1", ""),
        ],
        |text| word(clear(text)),
    );
}

#[test]
fn french_yes_and_no() {
    check(
        &[
            ("oui", "Yes"),
            ("Oui.", "Yes"),
            ("ouais", "Yes"),
            ("d'accord", "Yes"),
            ("D’accord, merci", "Yes"),
            ("c'est ça", "Yes"),
            ("cest ca", "Yes"),
            ("exact", "Yes"),
            ("parfait", "Yes"),
            ("allez-y", "Yes"),
            ("oui, allez-y, s'il vous plaît", "Yes"),
            ("volontiers", "Yes"),
            ("oui oui", "Yes"),
            ("OUI !", "Yes"),
            ("non", "No"),
            ("Non merci", "No"),
            ("pas ça", "No"),
            ("attendez", "No"),
            ("faux", "No"),
            ("non, attendez", "No"),
            ("non non", "No"),
            ("stop", "No"),
            ("Non !", "No"),
            ("merci", ""),
            ("oui ?", "Yes"),
            ("oui non", ""),
            ("oui mais plus tard", ""),
            ("peut-être", ""),
            ("pas d'accord", ""),
            ("je crois", ""),
            ("bof", ""),
            ("d'accord pour mardi", ""),
            ("s'il vous plaît", ""),
        ],
        |text| word(clear(text)),
    );
}

fn menu(text: &str) -> String {
    entries(text).iter().map(|entry| format!("{entry:?}")).collect::<Vec<_>>().join(" ")
}

#[test]
fn english_menu() {
    check(
        &[
            ("book", "Book"),
            ("I'd like to book an appointment", "Book"),
            ("an appointment please", "Book"),
            ("booking", "Book"),
            ("Book!", "Book"),
            ("can I schedule something", "Book"),
            ("appointment", "Book"),
            ("move", "Move"),
            ("move my appointment", "Move"),
            ("I need to change my appointment", "Move"),
            ("reschedule", "Move"),
            ("I want to reschedule it", "Move"),
            ("cancel", "Cancel"),
            ("cancel my appointment", "Cancel"),
            ("CANCEL please", "Cancel"),
            ("a cancellation", "Cancel"),
            ("leave a message", "Message"),
            ("message", "Message"),
            ("take a message about an appointment", "Message"),
            ("hours", "Question"),
            ("what is your address", "Question"),
            ("when are you open", "Question"),
            ("where are you", "Question"),
            ("cancel or move", "Move Cancel"),
            ("book or cancel?", "Book Cancel"),
            ("change the message", "Move Message"),
            ("don't cancel", ""),
            ("not book", ""),
            ("hello", ""),
            ("the bookcase", ""),
            ("yes", ""),
            ("hm", ""),
            ("I never want to move", ""),
        ],
        menu,
    );
}

#[test]
fn french_menu() {
    check(
        &[
            ("réserver", "Book"),
            ("je voudrais réserver", "Book"),
            ("un rendez-vous", "Book"),
            ("prendre rendez-vous", "Book"),
            ("rdv", "Book"),
            ("Rendez-vous, s'il vous plaît", "Book"),
            ("RESERVER", "Book"),
            ("déplacer", "Move"),
            ("déplacer mon rendez-vous", "Move"),
            ("changer de rendez-vous", "Move"),
            ("je veux modifier mon rendez-vous", "Move"),
            ("reporter", "Move"),
            ("décaler mon rendez-vous", "Move"),
            ("annuler", "Cancel"),
            ("annuler mon rendez-vous", "Cancel"),
            ("une annulation", "Cancel"),
            ("je dois annuler", "Cancel"),
            ("laisser un message", "Message"),
            ("message", "Message"),
            ("prendre un message", "Message"),
            ("horaires", "Question"),
            ("vos horaires", "Question"),
            ("votre adresse", "Question"),
            ("êtes-vous ouverts", "Question"),
            ("annuler ou déplacer", "Move Cancel"),
            ("réserver ou annuler", "Book Cancel"),
            ("changer un message", "Move Message"),
            ("pas annuler", ""),
            ("ne pas réserver", ""),
            ("bonjour", ""),
            ("oui", ""),
            ("euh", ""),
            ("jamais déplacer", ""),
            ("allô", ""),
            ("merci", ""),
        ],
        menu,
    );
}

fn ordinal(text: &str) -> String {
    position(text).map(|position| position.to_string()).unwrap_or_default()
}

#[test]
fn english_choices_of_a_list() {
    check(
        &[
            ("1", "1"),
            ("9", "9"),
            ("one", "1"),
            ("two please", "2"),
            ("the first", "1"),
            ("the first one", "1"),
            ("second", "2"),
            ("the third one, please", "3"),
            ("fourth", "4"),
            ("fifth", "5"),
            ("the sixth", "6"),
            ("seventh", "7"),
            ("1st", "1"),
            ("the 2nd", "2"),
            ("3rd", "3"),
            ("the 7th", "7"),
            ("number two", "2"),
            ("option 3", "3"),
            ("choice four", "4"),
            ("Number 5.", "5"),
            ("nine", "9"),
            ("the 4", "4"),
            ("six", "6"),
            ("", ""),
            ("10", ""),
            ("the eighth", ""),
            ("9th", ""),
            ("the 24th", ""),
            ("zero", ""),
            ("one or two", ""),
            ("two thirty", ""),
            ("2 o'clock", ""),
            ("first thing tomorrow", ""),
            ("1.5", ""),
            ("twenty", ""),
        ],
        ordinal,
    );
}

#[test]
fn french_choices_of_a_list() {
    check(
        &[
            ("1", "1"),
            ("un", "1"),
            ("deux", "2"),
            ("le premier", "1"),
            ("la première", "1"),
            ("la deuxième", "2"),
            ("la seconde", "2"),
            ("le troisième, s'il vous plaît", "3"),
            ("quatrième", "4"),
            ("cinquième", "5"),
            ("la sixième", "6"),
            ("septième", "7"),
            ("1er", "1"),
            ("la 2e", "2"),
            ("3ème", "3"),
            ("numéro deux", "2"),
            ("le choix 3", "3"),
            ("neuf", "9"),
            ("le 4", "4"),
            ("le deux", "2"),
            ("la une", "1"),
            ("trois merci", "3"),
            ("huit", "8"),
            ("dix", ""),
            ("la huitième", ""),
            ("9e", ""),
            ("zéro", ""),
            ("un ou deux", ""),
            ("deux heures", ""),
            ("le vingt-quatre", ""),
            ("le premier décembre", ""),
            ("vingt", ""),
            ("euh", ""),
            ("11", ""),
        ],
        ordinal,
    );
}

fn named(text: &str) -> String {
    let all = [
        "Women's haircut",
        "Men's haircut",
        "Colour",
        "Beard trim",
        "Coloration complète",
        "Julia Martin",
        "Karim Benali",
    ];
    let all: Vec<Named<'_>> = all.into_iter().enumerate().collect();
    names(text, &all).iter().map(usize::to_string).collect::<Vec<_>>().join(" ")
}

#[test]
fn english_names_of_services_and_staff() {
    check(
        &[
            ("women's haircut", "0"),
            ("a womens haircut", "0"),
            ("the men's haircut please", "1"),
            ("colour", "2"),
            ("a COLOUR", "2"),
            ("colours", "2"),
            ("color", "2"),
            ("coluor", "2"),
            ("colouur", "2"),
            ("beard trim", "3"),
            ("beard", "3"),
            ("a trim", "3"),
            ("beard trims", "3"),
            ("beerd", "3"),
            ("Julia", "5"),
            ("with julia", "5"),
            ("Julia Martin", "5"),
            ("Martin", "5"),
            ("jullia", "5"),
            ("Karim", "6"),
            ("with Karim Benali", "6"),
            ("karem", "6"),
            ("Benali", "6"),
            ("haircut", "0 1"),
            ("a hair cut", ""),
            ("haircuts", "0 1"),
            ("Julia or Karim", "5 6"),
            ("a colour with Julia", "2"),
            ("massage", ""),
            ("anyone", ""),
            ("the", ""),
            ("men", "1"),
            ("a nail job", ""),
            ("jules", ""),
            ("hairrcutt", ""),
        ],
        named,
    );
}

#[test]
fn french_names_of_services_and_staff() {
    check(
        &[
            ("coloration complète", "4"),
            ("une coloration", "4"),
            ("coloration complete", "4"),
            ("colorations complètes", "4"),
            ("la complète", "4"),
            ("COLORATION", "4"),
            ("colaration", "4"),
            ("coloratio", "4"),
            ("avec Julia", "5"),
            ("chez julia martin", "5"),
            ("Mme Martin", "5"),
            ("Júlia", "5"),
            ("julai", "5"),
            ("avec Karim", "6"),
            ("M. Benali", "6"),
            ("karim bénali", "6"),
            ("benaly", "6"),
            ("karin", "6"),
            ("colour", "2"),
            ("le trim", "3"),
            ("avec karim s'il vous plaît", "6"),
            ("beard", "3"),
            ("haircut", "0 1"),
            ("Julia ou Karim", "5 6"),
            ("haircuts", "0 1"),
            ("une coupe", ""),
            ("peu importe", ""),
            ("avec", ""),
            ("quelqu'un", ""),
            ("la couleur", ""),
            ("Jules", ""),
            ("kar", ""),
        ],
        named,
    );
}

#[test]
fn english_number_words() {
    let number = |text: &str| {
        let words = plain(text);
        numbers::cardinal(|at| words.get(at).map(String::as_str))
            .filter(|(_, len)| *len == words.len())
            .map(|(value, _)| value.to_string())
            .unwrap_or_default()
    };
    let tens = ["", "", "twenty", "thirty", "forty", "fifty"];
    let units = [
        "zero",
        "one",
        "two",
        "three",
        "four",
        "five",
        "six",
        "seven",
        "eight",
        "nine",
        "ten",
        "eleven",
        "twelve",
        "thirteen",
        "fourteen",
        "fifteen",
        "sixteen",
        "seventeen",
        "eighteen",
        "nineteen",
    ];
    for value in 0..60_usize {
        let text = match (value / 10, value % 10) {
            (0 | 1, _) => units[value].to_owned(),
            (ten, 0) => tens[ten].to_owned(),
            (ten, unit) => format!("{}-{}", tens[ten], units[unit]),
        };
        assert_eq!(number(&text), value.to_string(), "{text}");
    }
    for refused in
        ["", "hundred", "twenty twenty", "ten five", "first", "forty-zero", "two twenty", "twelve one"]
    {
        assert_eq!(number(refused), "", "{refused}");
    }
}

#[test]
fn french_number_words() {
    let number = |text: &str| {
        let words = plain(text);
        numbers::cardinal(|at| words.get(at).map(String::as_str))
            .filter(|(_, len)| *len == words.len())
            .map(|(value, _)| value.to_string())
            .unwrap_or_default()
    };
    let tens = ["", "", "vingt", "trente", "quarante", "cinquante"];
    let units = [
        "zéro", "un", "deux", "trois", "quatre", "cinq", "six", "sept", "huit", "neuf", "dix", "onze",
        "douze", "treize", "quatorze", "quinze", "seize", "dix-sept", "dix-huit", "dix-neuf",
    ];
    for value in 0..60_usize {
        let text = match (value / 10, value % 10) {
            (0 | 1, _) => units[value].to_owned(),
            (ten, 0) => tens[ten].to_owned(),
            (ten, 1) => format!("{} et un", tens[ten]),
            (ten, unit) => format!("{}-{}", tens[ten], units[unit]),
        };
        assert_eq!(number(&text), value.to_string(), "{text}");
    }
    for (text, value) in [("quatre-vingt-dix-neuf", "99"), ("soixante-quinze", "75"), ("quatre-vingts", "80")]
    {
        assert_eq!(number(text), value, "{text}");
    }
    for refused in ["", "cent", "vingt vingt", "dix cinq", "premier", "trente zéro", "deux vingt"] {
        assert_eq!(number(refused), "", "{refused}");
    }
}

#[test]
fn english_names_of_persons() {
    check(
        &[
            ("Ada Lovelace", "Ada_Lovelace"),
            ("my name is Ada Lovelace", "Ada_Lovelace"),
            ("I'm Ada", "Ada"),
            ("ada", "Ada"),
            ("this is John Smith.", "John_Smith"),
            ("it's Mary", "Mary"),
            ("I am Jean-Luc Picard", "Jean-Luc_Picard"),
            ("for Bob please", "Bob"),
            ("Hello, my name is Ann", "Ann"),
            ("the name is Bond", "Bond"),
            ("O'Neil", "O'Neil"),
            ("mary jane", "Mary_Jane"),
            ("Dr. Who", ""),
            ("Ludwig van Beethoven", "Ludwig_van_Beethoven"),
            ("name is Li", "Li"),
            ("Zoë", "Zoë"),
            ("Ada, thank you", "Ada"),
            ("my name's Tom", "Tom"),
            ("Mrs Jones", "Mrs_Jones"),
            ("Al", "Al"),
            ("yes, I'm Kim", "Kim"),
            ("Ada!", "Ada"),
            ("what?", ""),
            ("06 12", ""),
            ("yes", ""),
            ("no", ""),
            ("book an appointment", ""),
            ("one moment please", ""),
            ("I don't know", ""),
            ("I'd rather not", ""),
            ("just a second", ""),
            ("not now", ""),
            ("hmm", ""),
            ("change it", ""),
            ("Can Do", "Can_Do"),
            ("actually, wednesday instead", ""),
            ("never mind", ""),
            ("wednesday", ""),
            ("Thu Nguyen", "Thu_Nguyen"),
            ("is there parking", ""),
            ("with Yasmine please", ""),
            ("x", ""),
            ("", ""),
            ("why do you want to know that now", ""),
            ("<b>Ada</b>", ""),
            ("ada@example.com", ""),
        ],
        |text| person_name(text).unwrap_or_default().replace(' ', "_"),
    );
}

#[test]
fn french_names_of_persons() {
    check(
        &[
            ("Zoé Petit", "Zoé_Petit"),
            ("je m'appelle Zoé Petit", "Zoé_Petit"),
            ("je suis Jean", "Jean"),
            ("c'est Marie", "Marie"),
            ("au nom de Dupont", "Dupont"),
            ("mon nom est Paul Durand", "Paul_Durand"),
            ("bonjour, je m'appelle Luc", "Luc"),
            ("Anne-Sophie", "Anne-Sophie"),
            ("Charles de Gaulle", "Charles_de_Gaulle"),
            ("pour Léa, s'il vous plaît", "Léa"),
            ("Léa merci", "Léa"),
            ("zoé", "Zoé"),
            ("Mme Martin", "Mme_Martin"),
            ("D'Artagnan", "D'Artagnan"),
            ("oui, c'est Zoé", "Zoé"),
            ("François", "François"),
            ("moi c'est Tom", "Tom"),
            ("jean dupont", "Jean_Dupont"),
            ("Éric", "Éric"),
            ("Noël", "Noël"),
            ("Je m’appelle Inès", "Inès"),
            ("Bo", "Bo"),
            ("quoi ?", ""),
            ("non", ""),
            ("oui", ""),
            ("annuler", ""),
            ("demain", ""),
            ("06 12 34 56 78", ""),
            ("pourquoi", ""),
            ("finalement jeudi", ""),
            ("jeudi", ""),
            ("a", ""),
            ("je voudrais savoir si vous êtes ouvert", ""),
            ("[Zoé]", ""),
        ],
        |text| person_name(text).unwrap_or_default().replace(' ', "_"),
    );
}

#[test]
fn phone_numbers_codes_and_addresses() {
    for (text, expected) in [
        ("06 12 34 56 78", "0612345678"),
        ("+33 6 12 34 56 78", "+33612345678"),
        ("my number is 555-123-4567", "5551234567"),
        ("zéro six douze trente-quatre cinquante-six soixante-dix-huit", "0612345678"),
        ("five five five one two three four", "5551234"),
        ("double five five oh one oh two", "5550102"),
        ("plus 33 6 12 34 56 78", "+33612345678"),
        ("12", ""),
        ("1234567890123456", ""),
        ("call Bob at 0612345678", ""),
        ("tomorrow", ""),
    ] {
        assert_eq!(phone(text).unwrap_or_default(), expected, "{text}");
    }
    for (text, expected) in [
        ("482913", "482913"),
        ("it's 48 29 13", "482913"),
        ("four eight two nine one three", "482913"),
        ("48291", ""),
        ("hm", ""),
    ] {
        assert_eq!(code(text).unwrap_or_default(), expected, "{text}");
    }
    for (text, expected) in [
        ("Ada@Example.com", "ada@example.com"),
        ("it is ada@example.com.", "ada@example.com"),
        ("a@b c@d", ""),
        ("ada", ""),
    ] {
        assert_eq!(email(text).unwrap_or_default(), expected, "{text}");
    }
}

#[test]
fn emergencies_persons_and_opt_outs() {
    for text in [
        "I think it's a heart attack",
        "She can't breathe",
        "call an ambulance",
        "J'ai mal à la poitrine",
        "appelez le 15",
        "hémorragie",
    ] {
        assert!(is_emergency(text), "{text}");
    }
    for text in ["call 91", "my heart", "appelez-moi le 15 mars", "I breathe", "call me at 911 Main Street"] {
        assert!(!is_emergency(text), "{text}");
    }
    for text in [
        "human",
        "Operator!",
        "can I talk to someone",
        "speak to a person",
        "a real person please",
        "parler à quelqu'un",
        "un conseiller",
    ] {
        assert!(is_person(text), "{text}");
    }
    for text in ["I am a person", "someone called me", "my agent", "une personne seule"] {
        assert!(!is_person(text), "{text}");
    }
    for text in ["STOP", "stop.", "Stop all", "arrêt", "Unsubscribe"] {
        assert!(is_opt_out(text), "{text}");
    }
    assert!(!is_opt_out("please stop"));
}

#[test]
fn no_text_makes_the_reader_panic() {
    use proptest::prelude::*;
    proptest!(|(text in "\\PC{0,60}")| {
        let _ = (read(&text, &context(Expect::Day)), read(&text, &context(Expect::Time)), clear(&text), entries(&text));
        let _ = (position(&text), person_name(&text), phone(&text), code(&text), email(&text), named(&text), language(&text));
        let _ = (is_emergency(&text), is_person(&text), is_opt_out(&text));
    });
    let words = "(next|the|24|th|/|11|:|tuesday|at|ten|half|past|to|h|et|moins|in|two|weeks|vingt|quatre|le|of|may|-|\\.|,| )";
    proptest!(|(text in proptest::collection::vec(words, 0..12))| {
        let text = text.concat();
        let reading = read(&text, &context(Expect::Time));
        for date in reading.dates.unwrap_or_default() {
            prop_assert!(date >= today() || text.contains(['-', '/', '.']), "{text}: {date}");
        }
        for time in reading.times.unwrap_or_default().points() {
            prop_assert!(time.second() == 0);
        }
    });
}
