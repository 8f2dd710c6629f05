//! Compares the message catalogues with each other and with the message ids in the code.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use chrono::NaiveDate;
use domain::{
    AppointmentStatus, AttemptError, AttemptFailure, ConversationStatus, DeliveryStatus, MailFault,
    MembershipStatus, PasswordHint, ProblemCode, TextError, Timestamp, Wait, WebhookStatus,
};

use super::*;
use crate::dashboard::pages::settings::receptionist;
use crate::words::ids;

fn files(under: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(under).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files(&path, found);
        } else if path.extension().is_some_and(|kind| kind == "html" || kind == "rs") {
            found.push(path);
        }
    }
}

/// Every quoted text in the code of the dashboard and in its templates.
fn quoted() -> BTreeSet<String> {
    let mut found = Vec::new();
    files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src/dashboard"), &mut found);
    let texts = found.iter().map(|path| fs::read_to_string(path).unwrap());
    texts.flat_map(|text| text.split('"').map(str::to_owned).collect::<Vec<_>>()).collect()
}

#[test]
fn both_languages_have_the_same_messages() {
    let [english, french] = [ids(IN_ENGLISH), ids(IN_FRENCH)];
    assert_eq!(english, french);
    assert_eq!(english.iter().collect::<BTreeSet<_>>().len(), english.len(), "each id must occur once");
}

#[test]
fn every_message_is_used_and_every_used_message_exists() {
    let (said, known) = (quoted(), ids(IN_ENGLISH));
    let known: BTreeSet<_> = known.into_iter().collect();
    let days = ids(include_str!("../../words/dates.en.ftl"));
    let is_part = |id: &str| [IN_ENGLISH, IN_FRENCH].iter().any(|all| all.contains(&format!("{{ {id} }}")));
    let composed: BTreeSet<_> = composed().into_iter().collect();
    let unsaid = known.iter().filter(|id| !said.contains(*id) && !composed.contains(*id) && !is_part(id));
    assert_eq!(unsaid.collect::<Vec<_>>(), [""; 0]);
    // The first argument of each of these calls is a message id.
    let mut found = Vec::new();
    files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src/dashboard"), &mut found);
    for path in found {
        let text = fs::read_to_string(&path).unwrap();
        for call in ["view.t(\"", "view.with(\"", "view.count(\"", "words.say(\""] {
            for (at, _) in text.match_indices(call) {
                let id = text[at + call.len()..].split('"').next().unwrap();
                assert!(known.contains(id) || days.iter().any(|of| of == id), "{}: {id}", path.display());
            }
        }
    }
}

/// The message ids that the code composes at run time.
fn composed() -> Vec<String> {
    use domain::{
        AlertEmail, AlertKind, AlertScope, AllDay, AttendanceFilter, BookingMode, COLORS, CalendarKind,
        CalendarStatus, CalendarSyncStatus, CallOutcome, CallStatus, Channel, ClockFormat, CustomerWord,
        DeliveryStatus, Direction, DropReason, EffectKind, EventType, FeedDetail, MailKind, MailStatus,
        MembershipStatus, MessageStatus, NoticeKind, NoticeScope, NoticeStatus, Role, Scope, Source,
        WeekStart, WriteReason,
    };
    let roles =
        Role::ALL.iter().flat_map(|role| [format!("role-{role}"), format!("enter-invitation-{role}")]);
    let alerts =
        AlertKind::ALL.iter().flat_map(|kind| [format!("alert-{kind}"), format!("alert-about-{kind}")]);
    let errors = [403, 404, 409, 410, 413, 422, 429, 500, 503];
    let errors =
        errors.iter().flat_map(|status| ["title", "text"].map(|part| format!("error-{status}-{part}")));
    let places = Role::ALL.iter().map(|role| format!("people-role-{role}"));
    let places = places.chain(MembershipStatus::ALL.iter().map(|status| format!("people-status-{status}")));
    let steps = ["people-disable", "people-enable", "people-remove", "people-take-back"];
    let steps =
        steps.iter().flat_map(|step| ["", "-title", "-happens", "-stays"].map(|of| format!("{step}{of}")));
    let notify = AlertKind::ALL.iter().map(|kind| format!("notify-{kind}"));
    let notify = notify.chain(AlertEmail::ALL.iter().map(|email| format!("notify-email-{email}")));
    let notify = notify.chain(AlertScope::ALL.iter().map(|scope| format!("notify-scope-{scope}")));
    let mails = MailStatus::ALL.iter().map(|status| format!("mail-status-{status}"));
    let invites = |kind: &&MailKind| !matches!(kind, MailKind::Invitation | MailKind::Offer);
    let mails = mails.chain(MailKind::ALL.iter().filter(invites).map(|kind| format!("mail-kind-{kind}")));
    let access = places.chain(steps).chain(notify).chain(mails);
    let scopes = Scope::ALL.iter().map(|scope| format!("keys-scope-{}", scope.as_str().replace(':', "-")));
    let events = EventType::ALL.iter().map(|one| format!("hooks-event-{}", one.as_str().replace('.', "-")));
    let deliveries = DeliveryStatus::ALL.iter().map(|status| format!("hooks-is-{status}"));
    let integrations = scopes.chain(events).chain(deliveries);
    let directions = Direction::ALL.iter().map(|one| format!("call-direction-{one}"));
    let calls = directions.chain(CallStatus::ALL.iter().map(|one| format!("call-status-{one}")));
    let calls = calls.chain(["call-status-unhandled".to_owned()]);
    let calls = calls.chain(CallOutcome::ALL.iter().map(|one| format!("call-outcome-{one}")));
    let messages = MessageStatus::ALL.iter().flat_map(|status| {
        let prefixes = ["message-is-", "message-is-urgent-", "messages-tab-", "messages-all-"];
        prefixes.map(|prefix| format!("{prefix}{status}"))
    });
    let modes =
        BookingMode::ALL.iter().flat_map(|mode| ["", "-hint"].map(|of| format!("business-mode-{mode}{of}")));
    let scopes = NoticeScope::ALL
        .iter()
        .flat_map(|scope| ["", "-hint"].map(|of| format!("notices-email-{scope}{of}")));
    let fields = ["slug", "color", "origins", "change_notice_minutes"];
    let fields = fields.iter().flat_map(|field| ["", "-hint"].map(|of| format!("website-{field}{of}")));
    let fields = fields.chain(["phone", "email", "address"].map(|field| format!("website-{field}")));
    let reminders = ["first", "second"].map(|which| format!("notices-{which}_reminder"));
    let kinds = NoticeKind::ALL.iter().map(|kind| format!("notices-kind-{kind}"));
    let states = NoticeStatus::ALL.iter().map(|status| format!("notices-is-{status}"));
    let reasons = DropReason::ALL.iter().map(|reason| format!("notices-why-{reason}"));
    let pages = scopes.chain(fields).chain(reminders).chain(kinds).chain(states).chain(reasons);
    let attendance = AttendanceFilter::ALL.iter().map(|one| format!("appointment-attendance-{one}"));
    let overridden = domain::availability::Overridden::ALL.iter().map(|rule| format!("book-override-{rule}"));
    let pages = pages.chain(attendance).chain(overridden);
    let snoozes = ["hour", "tomorrow", "week"].map(|time| format!("message-snooze-{time}"));
    let settings = ClockFormat::ALL.iter().map(|clock| format!("clock-{clock}"));
    let settings = settings.chain(WeekStart::ALL.iter().map(|day| format!("week-start-{day}")));
    let settings = settings.chain(CustomerWord::ALL.iter().map(|word| format!("business-word-{word}")));
    let pages = pages.chain(snoozes).chain(settings).chain(COLORS.map(|number| format!("color-{number}")));
    let channels = Channel::ALL.iter().map(|one| format!("conversation-channel-{one}"));
    let effects = EffectKind::ALL.iter().map(|one| format!("conversation-effect-{one}"));
    let filters = ["channel", "status", "outcome"].map(|name| format!("conversations-{name}"));
    let conversations = ConversationStatus::ALL.iter().map(|one| format!("conversation-status-{one}"));
    let conversations = conversations.chain(channels).chain(effects).chain(filters);
    let statuses = AppointmentStatus::ALL.iter().map(|one| format!("appointment-status-{one}"));
    let appointments = statuses.chain(Source::ALL.iter().map(|one| format!("appointment-source-{one}")));
    let synced = CalendarSyncStatus::ALL.iter().map(|one| format!("appointment-sync-{one}"));
    let appointments = appointments.chain(synced);
    let feeds = FeedDetail::ALL.iter();
    let feeds = feeds.flat_map(|one| ["", "-hint"].map(|of| format!("feeds-detail-{one}{of}")));
    let kinds = CalendarKind::ALL.iter();
    let kinds = kinds.flat_map(|one| ["", "-hint"].map(|of| format!("calendars-kind-{one}{of}")));
    let calendars = CalendarStatus::ALL.iter().map(|one| format!("calendars-is-{one}")).chain(kinds);
    let calendars = calendars.chain(AllDay::ALL.iter().map(|one| format!("calendars-all-day-{one}")));
    let uses = ["read", "both", "write"].iter();
    let uses = uses.flat_map(|one| ["", "-hint"].map(|of| format!("calendars-use-{one}{of}")));
    let reasons = WriteReason::ALL.iter().map(|one| format!("calendars-reason-{one}"));
    let calendars = calendars.chain(uses).chain(reasons);
    let steps = ["hours", "service", "staff", "booking", "key"];
    let steps = steps.iter().flat_map(|step| [format!("steps-{step}"), format!("steps-do-{step}")]);
    let steps = steps.chain(["hours", "service", "staff"].map(|step| format!("steps-{step}-text")));
    let fields = receptionist::CHECKBOXES.iter().chain(&receptionist::TEXTS);
    let receptionist = fields.map(|name| format!("receptionist-{name}"));
    let hints = receptionist::TEXTS.iter().map(|name| format!("receptionist-{name}-hint"));
    let languages = Locale::ALL.iter().map(|locale| format!("language-{locale}"));
    // Some regions have no text, and the dashboard shows their code. Only regions with an English text are added here.
    let regions = ids(IN_ENGLISH).into_iter().filter(|id| id.starts_with("region-"));
    let rest = integrations.chain(calls).chain(messages).chain(modes).chain(pages);
    let rest = rest.chain(conversations).chain(appointments).chain(feeds).chain(calendars).chain(steps);
    let rest = rest.chain(receptionist).chain(hints).chain(languages).chain(regions);
    roles.chain(alerts).chain(errors).chain(access).chain(rest).collect()
}

#[test]
fn messages_with_composed_ids_exist() {
    let values = [
        ("email", crate::words::Value::Text("a@b.c")),
        ("who", crate::words::Value::Text("Zoé")),
        ("count", crate::words::Value::Count(2)),
        ("customer", crate::words::Value::Text("client")),
    ];
    for id in composed() {
        assert!(words(Locale::Fr).find(&id, &values).is_some(), "{id}");
    }
}

#[test]
fn the_reason_for_a_refused_password_is_in_the_pages_language() {
    let text = |locale, code| problems::problem(words(locale), &code);
    let length = ProblemCode::Text(TextError::Length { min: 12, max: 256 });
    assert_eq!(text(Locale::Fr, length), "Il faut de 12 à 256 caractères.");
    let guessed = ProblemCode::Guessable(vec![PasswordHint::Common, PasswordHint::AddWords]);
    assert_eq!(
        text(Locale::En, guessed.clone()),
        "It is too easy to guess. This is a very common password. Add another word or two. Uncommon words are better."
    );
    assert_eq!(
        text(Locale::Fr, guessed),
        "Il est trop facile à deviner. C’est un mot de passe très courant. Ajoutez un mot ou deux. Les mots rares \
         valent mieux."
    );
}

#[test]
fn the_reason_for_a_failed_attempt_is_in_the_pages_language() {
    let text = |locale, error: &AttemptError| attempts::error(words(locale), error);
    for failure in AttemptFailure::ALL {
        let error = (*failure).into();
        assert_ne!(text(Locale::En, &error), text(Locale::Fr, &error), "{failure}");
    }
    for fault in MailFault::ALL {
        let text = |locale| attempts::mail_error(words(locale), &(*fault).into());
        assert_ne!(text(Locale::En), text(Locale::Fr), "{fault}");
    }
    let reset = AttemptFailure::ConnectionReset.into();
    assert_eq!(text(Locale::Fr, &reset), "Pas de connexion. L’hôte l’a coupée");
    let stored = AttemptError::Other("a text of an earlier version".into());
    assert_eq!(text(Locale::Fr, &stored), "a text of an earlier version");
}

#[test]
fn a_number_in_a_sentence_has_the_right_plural() {
    let text = |locale, wait| problems::problem(words(locale), &ProblemCode::NextIn(wait));
    for (wait, english, french) in [
        (
            Wait::Minutes(1),
            "The next one can be sent in 1 minute.",
            "Le prochain envoi est possible dans 1 minute.",
        ),
        (
            Wait::Hours(5),
            "The next one can be sent in 5 hours.",
            "Le prochain envoi est possible dans 5 heures.",
        ),
    ] {
        assert_eq!((text(Locale::En, wait), text(Locale::Fr, wait)), (english.to_owned(), french.to_owned()));
    }
}

/// A French word such as `de` becomes `d’` before a vowel, so no message has such a word before a name.
#[test]
fn no_french_message_has_a_word_with_an_elision_before_a_name() {
    const NAMES: [&str; 8] = ["business", "contact", "customer", "name", "place", "service", "staff", "who"];
    const WORDS: [&str; 8] = ["de", "je", "la", "le", "me", "ne", "que", "se"];
    let catalogues =
        [IN_FRENCH, include_str!("../../book/words/fr.ftl"), include_str!("../../mail/words/fr.ftl")];
    for line in catalogues.iter().flat_map(|catalogue| catalogue.lines()) {
        for (at, mark) in line.match_indices(" { $") {
            let before = line[..at].rsplit(|c: char| !c.is_alphabetic()).next().unwrap_or_default();
            let name = line[at + mark.len()..].split([' ', '}']).next().unwrap_or_default();
            let is_elided = WORDS.contains(&before.to_lowercase().as_str()) && NAMES.contains(&name);
            assert!(!is_elided, "{line}");
        }
    }
}

#[test]
fn a_current_value_is_shown_in_the_language_of_the_page() {
    let date = NaiveDate::from_ymd_opt(2026, 11, 3).unwrap();
    for (code, english, french) in [
        (
            ProblemCode::now(date),
            "The present value: Tuesday 3 November.",
            "Valeur actuelle : mardi 3 novembre.",
        ),
        (ProblemCode::now(1_200), "The present value: 1,200.", "Valeur actuelle : 1\u{a0}200."),
        (
            ProblemCode::now(AppointmentStatus::Confirmed),
            "The present value: Confirmed.",
            "Valeur actuelle : Confirmé.",
        ),
        (
            ProblemCode::now(DeliveryStatus::Pending),
            "The present value: Waiting.",
            "Valeur actuelle : En attente.",
        ),
        (
            ProblemCode::now(WebhookStatus::Disabled),
            "The present value: off.",
            "Valeur actuelle : désactivée.",
        ),
        (
            ProblemCode::now(Timestamp::from_millis(0)),
            "It has another time now.",
            "L’heure n’est plus la même.",
        ),
        (
            ProblemCode::now(MembershipStatus::Disabled),
            "This invitation is no longer open.",
            "Cette invitation n’est plus ouverte.",
        ),
    ] {
        assert_eq!(problems::problem(words(Locale::En), &code), english);
        assert_eq!(problems::problem(words(Locale::Fr), &code), french);
    }
}
