//! Tests every kind of mail in every language. The mail parser of another library reads the mails.

use std::collections::BTreeMap;

use domain::{
    AlertKind, AppointmentStatus, CallStatus, Color, Email, Locale, NoticeKind, Timestamp, Website,
};
use engine::mail::letter::{
    AlertItem, Composer, Content, Letter, Link, NoticeLetter, Recipient, Sender, What,
};
use mail_parser::{HeaderValue, MessageParser};
use uuid::Uuid;

use super::super::Letters;
use crate::calendars::ics::tests::appointment;

const ORIGIN: &str = "https://desk.example.com";
/// A token in the usual format.
const TOKEN: &str = "AQEBAQEBAQEBAQEBAQEBAQICAgICAgICAgICAgICAgIAoj250YOQVUG8_hjw9NICRg";

fn at(text: &str) -> Timestamp {
    Timestamp::parse(text).unwrap()
}

fn alert_item(kind: AlertKind, name: &str) -> AlertItem {
    let id = Uuid::from_bytes([7; 16]);
    let what = match kind {
        AlertKind::WebhookDisabled | AlertKind::WebhookFailing => {
            What::Webhook { id: id.into(), url: "https://hooks.example.com/a?b=c&d".into() }
        }
        AlertKind::CalendarFailed => What::Calendar { id: id.into(), staff: id.into(), name: name.into() },
        AlertKind::UrgentMessage | AlertKind::MessageTaken => What::Message {
            id: id.into(),
            caller: Some(name.into()),
            phone: Some("+33123456789".into()),
            body: format!("Rappelez {name}.\nMerci !"),
        },
        AlertKind::CallMissed => What::Call {
            id: id.into(),
            status: CallStatus::Missed,
            caller: Some(name.into()),
            started_at: at("2026-11-24T09:00:00Z"),
        },
        _ => What::Appointment {
            id: id.into(),
            status: AppointmentStatus::Confirmed,
            contact: Some(name.into()),
            service: Some("Coupe".into()),
            staff: Some("Zoé".into()),
            starts_at: at("2026-11-24T09:00:00Z"),
        },
    };
    AlertItem { kind, at: at("2026-11-23T12:34:00Z"), what }
}

fn letter(locale: Locale, name: &str, content: Content) -> Letter {
    let is_alert = matches!(content, Content::Alert(_) | Content::Gathered(..) | Content::Daily(..));
    let sender = Sender {
        id: Uuid::from_bytes([5; 16]).into(),
        name: "Salon Été".into(),
        zone: chrono_tz::Europe::Paris,
    };
    let of_business =
        is_alert || matches!(content, Content::Invitation(_) | Content::Offer | Content::Notice(_));
    Letter {
        message_id: "0190b6a43c8e7d3a9f001234567890ab@example.com".into(),
        written_at: at("2026-11-23T12:34:56Z"),
        to: Recipient {
            address: "ada@example.org".into(),
            name: name.into(),
            locale,
            role: None,
            link: None,
        },
        business: of_business.then_some(sender),
        invited_by: matches!(content, Content::Invitation(_) | Content::Offer).then(|| "Zoé Martin".into()),
        content,
        unsubscribe: is_alert.then(|| TOKEN.into()),
    }
}

fn link() -> Link {
    let expires_at = at("2026-11-30T12:34:56Z");
    Link { url: format!("{ORIGIN}/dashboard/enter/abc"), expires_at }
}

/// Every kind of mail.
fn contents(name: &str) -> Vec<Content> {
    let mut all: Vec<_> = AlertKind::ALL.iter().map(|kind| Content::Alert(alert_item(*kind, name))).collect();
    let every = || AlertKind::ALL.iter().map(|kind| alert_item(*kind, name)).collect::<Vec<_>>();
    all.extend([Content::Gathered(every(), 0), Content::Gathered(every(), 1), Content::Daily(every(), 12)]);
    all.push(Content::Daily(vec![alert_item(AlertKind::CallMissed, name)], 0));
    all.extend([
        Content::Offer,
        Content::Invitation(link()),
        Content::Reset(link()),
        Content::EmailChange(link()),
    ]);
    all.extend([Content::EmailChanged, Content::Test]);
    all
}

fn compose(letter: &Letter) -> Vec<u8> {
    let from = "Réception <desk@example.com>".parse().unwrap();
    Letters::new(from, ORIGIN.into()).compose(letter).unwrap()
}

/// A parsed mail. The headers are keyed by name.
struct Read {
    subject: String,
    text: String,
    html: String,
    headers: BTreeMap<String, Vec<String>>,
}

fn read(bytes: &[u8]) -> Read {
    let mail = MessageParser::default().parse(bytes).expect("the mail cannot be parsed");
    assert_eq!((mail.text_body_count(), mail.html_body_count(), mail.attachment_count()), (1, 1, 0));
    let mut headers: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for header in mail.headers() {
        let raw = &bytes[header.offset_start() as usize..header.offset_end() as usize];
        headers
            .entry(header.name().to_lowercase())
            .or_default()
            .push(String::from_utf8_lossy(raw).trim().into());
    }
    let from = mail.from().unwrap().first().unwrap();
    assert_eq!((from.name(), from.address()), (Some("Réception"), Some("desk@example.com")));
    let to = mail.to().unwrap();
    assert_eq!(to.iter().count(), 1, "{headers:?}");
    assert_eq!(to.first().unwrap().address(), Some("ada@example.org"));
    assert_eq!(mail.message_id(), Some("0190b6a43c8e7d3a9f001234567890ab@example.com"));
    assert_eq!(mail.date().unwrap().to_rfc3339(), "2026-11-23T12:34:56Z");
    assert!(
        matches!(mail.header("Auto-Submitted"), Some(HeaderValue::Text(text)) if text == "auto-generated")
    );
    Read {
        subject: mail.subject().unwrap().to_owned(),
        text: mail.body_text(0).unwrap().into_owned(),
        html: mail.body_html(0).unwrap().into_owned(),
        headers,
    }
}

#[test]
fn every_kind_of_mail_is_read_back_in_both_languages() {
    for locale in [Locale::En, Locale::Fr] {
        for content in contents("Ada Lovelace") {
            let letter = letter(locale, "Ada", content);
            let bytes = compose(&letter);
            assert_eq!(bytes, compose(&letter), "the same letter must give the same bytes");
            assert!(bytes.is_ascii(), "the mail must be ASCII, which every relay accepts");
            assert!(
                bytes.split(|byte| *byte == b'\n').all(|line| line.len() <= 998),
                "RFC 5322, 2.1.1 limits a line to 998 characters"
            );
            let mail = read(&bytes);
            assert!(
                !mail.subject.is_empty() && mail.html.contains("<!DOCTYPE html>"),
                "{:?}",
                letter.content
            );
            assert!(mail.html.contains(&format!("<html lang=\"{}\">", locale.as_str())));
            let expected = [
                "from",
                "to",
                "date",
                "message-id",
                "subject",
                "auto-submitted",
                "mime-version",
                "content-type",
            ];
            let of_list = ["list-unsubscribe", "list-unsubscribe-post"];
            let expected = expected.iter().chain(of_list.iter().filter(|_| letter.unsubscribe.is_some()));
            let mut expected: Vec<_> = expected.map(|name| (*name).to_owned()).collect();
            expected.sort();
            assert_eq!(mail.headers.keys().cloned().collect::<Vec<_>>(), expected);
            assert!(mail.headers.values().all(|values| values.len() == 1));
            if letter.unsubscribe.is_some() {
                let url = format!("{ORIGIN}/dashboard/unsubscribe/{TOKEN}");
                assert_eq!(mail.headers["list-unsubscribe"], [format!("<{url}>")]);
                assert_eq!(mail.headers["list-unsubscribe-post"], ["List-Unsubscribe=One-Click"]);
                assert!(mail.text.contains(&url) && mail.html.contains(&url), "{}", mail.text);
            }
        }
    }
}

#[test]
fn a_mail_uses_the_persons_language_and_the_businesss_time_zone() {
    let booked = |locale| {
        let content = Content::Alert(alert_item(AlertKind::AppointmentBooked, "Ada Lovelace"));
        read(&compose(&letter(locale, "Zoé", content)))
    };
    let english = booked(Locale::En);
    assert_eq!(english.subject, "Salon Été: Ada Lovelace booked Tuesday 24 November at 10:00");
    for words in [
        "Who: Ada Lovelace",
        "When: Tuesday 24 November 2026 at 10:00",
        "Service: Coupe",
        "With: Zoé",
        "Status: confirmed",
        "All times are in the time zone Europe/Paris.",
        "https://desk.example.com/dashboard/b/05050505-0505-0505-0505-050505050505/appointments/07070707-0707-0707-0707-070707070707",
    ] {
        assert!(english.text.contains(words), "{words}: {}", english.text);
    }
    let french = booked(Locale::Fr);
    assert_eq!(french.subject, "Salon Été\u{a0}: Ada Lovelace a réservé mardi 24 novembre à 10:00");
    assert!(french.text.contains("Quand\u{a0}: mardi 24 novembre 2026 à 10:00"), "{}", french.text);
    assert!(french.html.contains("<bdi>mardi 24 novembre 2026 à 10:00</bdi>"), "{}", french.html);
    let urgent = Content::Alert(alert_item(AlertKind::UrgentMessage, "Ada"));
    let urgent = read(&compose(&letter(Locale::Fr, "", urgent)));
    assert_eq!(urgent.subject, "Salon Été\u{a0}: message urgent, Ada");
    assert!(
        urgent.text.contains("> Rappelez Ada.\n> Merci !")
            || urgent.text.contains("> Rappelez Ada.\r\n> Merci !"),
        "{}",
        urgent.text
    );
    let daily = Content::Daily(vec![alert_item(AlertKind::CallMissed, "Ada")], 12);
    let daily = read(&compose(&letter(Locale::Fr, "", daily)));
    assert_eq!(daily.subject, "Salon Été\u{a0}: 13 événements");
    assert!(daily.text.contains("Le tableau de bord affiche 12 alertes de plus."), "{}", daily.text);
}

#[test]
fn a_mail_with_a_link_contains_the_link_and_its_expiry() {
    for (content, subject) in [
        (Content::Invitation(link()), "Salon Été invites you"),
        (Content::Reset(link()), "Choose a new password"),
        (Content::EmailChange(link()), "Confirm your new email address"),
    ] {
        let mail = read(&compose(&letter(Locale::En, "Ada", content)));
        assert_eq!(mail.subject, subject);
        assert!(mail.text.contains("Hello Ada,"), "{}", mail.text);
        for body in [&mail.text, &mail.html] {
            assert!(body.contains("https://desk.example.com/dashboard/enter/abc"), "{body}");
            assert!(body.contains("Monday 30 November 2026 at 1"), "{body}");
        }
        assert!(!mail.headers.contains_key("list-unsubscribe"));
    }
}

#[test]
fn an_offer_links_to_the_sign_in_and_the_reset_of_an_invitation_names_the_business() {
    let offer = read(&compose(&letter(Locale::Fr, "", Content::Offer)));
    assert_eq!(offer.subject, "Salon Été vous invite");
    assert!(offer.text.contains("Invitation envoyée par Zoé Martin."), "{}", offer.text);
    for body in [&offer.text, &offer.html] {
        assert!(body.contains("https://desk.example.com/dashboard") && !body.contains("/enter/"), "{body}");
    }
    let asked_for = letter(Locale::En, "", Content::Reset(link()));
    let business = letter(Locale::En, "", Content::Offer).business;
    let invited = Letter { business, ..asked_for.clone() };
    let [asked_for, invited] = [asked_for, invited].map(|letter| read(&compose(&letter)).text);
    assert!(asked_for.contains("new password was requested") && !asked_for.contains("Salon"), "{asked_for}");
    assert!(invited.contains("Salon Été invites you") && !invited.contains("was requested"), "{invited}");
}

#[test]
fn a_code_comes_from_the_business_and_names_no_customer() {
    for (locale, subject, valid) in [
        (Locale::En, "Salon Été: your code is 482913", "valid for 10 minutes"),
        (Locale::Fr, "Salon Été\u{a0}: votre code est 482913", "valable 10 minutes"),
    ] {
        let business = letter(locale, "", Content::Offer).business;
        let code =
            Letter { business, invited_by: None, ..letter(locale, "", Content::Code("482913".into())) };
        let bytes = compose(&code);
        let mail = MessageParser::default().parse(&bytes).unwrap();
        assert_eq!(mail.from().unwrap().first().unwrap().name(), Some("Salon Été"));
        assert_eq!(mail.subject(), Some(subject));
        let text = mail.body_text(0).unwrap();
        assert!(text.contains("482913") && text.contains(valid) && !text.contains("Ada"), "{text}");
    }
}

/// Names and messages that try to inject headers or markup.
const HOSTILE: [&str; 9] = [
    "Ada\r\nBcc: eve@example.net\r\n\r\n<p>body",
    "Ada\nSubject: other\n",
    "<script>alert(1)</script><img src=x onerror=y>",
    "\" onmouseover=\"x\" & </bdi></p><a href='https://evil.example'>",
    "a\u{202e}txt.exe\u{2066}b\u{200f}",
    "=?utf-8?q?encoded=0d=0aBcc:_x?=",
    "--part-0190b6a43c8e7d3a9f001234567890ab--",
    "Ada <eve@example.net>, \"x",
    ".\r\n.\r\nMAIL FROM:<eve@example.net>",
];

#[test]
fn user_input_adds_neither_headers_nor_markup() {
    let long = "w".repeat(200);
    for name in HOSTILE.iter().copied().chain([long.as_str(), "שלום עולם", "王小明 😀", ""]) {
        for locale in [Locale::En, Locale::Fr] {
            let plain = contents("Ada").len();
            for content in contents(name) {
                let mut letter = letter(locale, name, content);
                if let Some(business) = &mut letter.business {
                    business.name = name.into();
                }
                let mail = read(&compose(&letter));
                assert!(!mail.headers.contains_key("bcc"), "{name:?}");
                assert!(
                    mail.headers.values().all(|values| values.len() == 1),
                    "{name:?}: {:?}",
                    mail.headers
                );
                assert!(!mail.subject.contains(['\r', '\n', '\u{202e}', '\u{2066}']), "{:?}", mail.subject);
                assert!(mail.subject.chars().count() < 250, "{:?}", mail.subject);
                let html = mail.html.to_lowercase();
                for markup in ["<script", "<img", "onerror=y>", "href='", "onmouseover=\"", "\u{202e}"] {
                    assert!(!html.contains(markup), "{name:?} led to {markup}: {html}");
                }
                let (opened, closed) = (html.matches("<bdi>").count(), html.matches("</bdi>").count());
                assert_eq!(opened, closed, "{name:?}");
                assert!(!mail.text.contains('\u{202e}'), "{name:?}");
            }
            assert_eq!(contents(name).len(), plain);
        }
    }
}

#[test]
fn a_name_in_another_script_is_unchanged_in_subject_and_address() {
    let letter = letter(Locale::En, "王小明", Content::Alert(alert_item(AlertKind::CallMissed, "שלום עולם")));
    let bytes = compose(&letter);
    let parsed = MessageParser::default().parse(&bytes).unwrap();
    assert_eq!(parsed.subject(), Some("Salon Été: missed call from שלום עולם"));
    assert_eq!(parsed.to().unwrap().first().unwrap().name(), Some("王小明"));
}

#[test]
fn an_invalid_address_makes_no_mail() {
    let from = "desk@example.com".parse().unwrap();
    let mut letter = letter(Locale::En, "Ada", Content::Test);
    for address in ["", "ada", "ada@example.org\r\nBcc: eve@example.net", "a@b.example, c@d.example"] {
        letter.to.address = address.into();
        let error = Letters::new(Clone::clone(&from), ORIGIN.into()).compose(&letter).unwrap_err();
        assert!(error.contains("address"), "{error}");
    }
}

const MANAGE: &str = "https://desk.example.com/book/manage/token";

fn notice(kind: NoticeKind) -> Content {
    let website = Website {
        email: Some(Email::new("salon@example.net").unwrap()),
        address: Some("1 rue A, Paris".into()),
        color: Color::parse("#ffcc00"),
        ..Website::default()
    };
    let appointment = appointment(kind.status());
    Content::Notice(Box::new(NoticeLetter {
        kind,
        region: "FR".into(),
        website,
        appointment,
        service: Some("Coupe".into()),
        staff: Some("Zoé".into()),
        manage: Link { url: MANAGE.into(), expires_at: at("2026-12-24T14:30:00Z") },
    }))
}

#[test]
fn a_notice_states_the_appointment_and_attaches_its_calendar_file() {
    for (kind, english, french) in [
        (NoticeKind::Requested, "Requested", "Demandé"),
        (NoticeKind::Confirmed, "Booked", "Réservé"),
        (NoticeKind::Moved, "Moved", "Déplacé"),
        (NoticeKind::Cancelled, "Cancelled", "Annulé"),
        (NoticeKind::Declined, "Declined", "Refusé"),
        (NoticeKind::Reminder, "Reminder", "Rappel"),
    ] {
        for (locale, subject) in [
            (Locale::En, format!("{english}: Coupe, Tuesday 24 November 2026 at 14:30")),
            (Locale::Fr, format!("{french} : Coupe, mardi 24 novembre 2026 à 14 h 30")),
        ] {
            let mut letter = letter(locale, "", notice(kind));
            if let Some(business) = &mut letter.business {
                business.name = "Salon\r\nBcc: eve@example.net".into();
            }
            let bytes = compose(&letter);
            assert!(bytes.is_ascii());
            let mail = MessageParser::default().parse(&bytes).unwrap();
            assert_eq!(mail.subject(), Some(subject.as_str()));
            assert!(mail.bcc().is_none());
            let from = mail.from().unwrap().first().unwrap();
            assert_eq!(from.address(), Some("desk@example.com"));
            assert_eq!(from.name(), Some("Salon Bcc: eve@example.net"));
            assert_eq!(mail.reply_to().unwrap().first().unwrap().address(), Some("salon@example.net"));
            let unsubscribe = mail.header_raw("List-Unsubscribe").map(str::trim);
            let expected = format!("<{MANAGE}/unsubscribe>");
            assert_eq!(unsubscribe, (kind == NoticeKind::Reminder).then_some(expected.as_str()));
            for body in [mail.body_text(0).unwrap(), mail.body_html(0).unwrap()] {
                for part in [MANAGE, "/unsubscribe", "Coupe", "Zoé", "Europe/Paris", "1 rue A, Paris"] {
                    assert!(body.contains(part), "{part}: {body}");
                }
                assert!(!body.contains("secret"), "{body}");
            }
            // Black is easier to read than white on this colour, so the text of the button is black.
            assert!(mail.body_html(0).unwrap().contains("background:#ffcc00;color:#000000;"));
            let file = mail.attachment(0).unwrap();
            let text = file.text_contents().unwrap();
            assert!(text.starts_with("BEGIN:VCALENDAR") && !text.contains("secret"), "{text}");
            let is_over = matches!(kind, NoticeKind::Cancelled | NoticeKind::Declined);
            assert_eq!(text.contains("STATUS:CANCELLED"), is_over, "{text}");
        }
    }
}
