//! Tests that no response and no notice shows whether a contact exists. The tests make the same requests in several
//! states of a business, and compare all bytes of the responses and notices. They ignore only the bytes of tokens,
//! of ids, of booking times and of the port of the service.

use std::time::{Duration, Instant};

use mail_parser::MessageParser;
use serde_json::{Value, json};

use crate::browsing::{Mails, relay};
use crate::harness::{Answer, id};
use crate::site::{Site, hidden};

/// At this time, Chloé has an appointment, and Anna and Ben are free.
const TIME: &str = "2026-03-05T09:00:00.000Z";
/// Anna has an appointment at this time.
const TAKEN: &str = "2026-03-05T10:00:00.000Z";
const PHONE: &str = "+33612345678";
const EMAIL: &str = "zoe@example.com";
/// The number of notices that a visit causes: three about bookings, one about a move, and one about a cancellation.
const NOTICES: usize = 5;
/// The maximum length of a word that is compared. Longer words are ids, tokens or digests, which differ in
/// each run.
const WORD_CHARS_MAX: usize = 20;

/// The contacts of the business before the visitor enters [`PHONE`] and [`EMAIL`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Contacts {
    Unknown,
    WithThePhone,
    WithTheEmail,
    WithBoth,
    /// One contact has the phone number, and another contact has the email address.
    WithOneEach,
    /// The contact has an appointment at [`TIME`].
    Busy,
    OptedOut,
    Erased,
}

/// Replaces all long words and the address of the service by placeholders.
fn masked(text: &str, address: &str) -> String {
    let text = text.replace(address, "ADDRESS");
    let is_word = |c: char| c.is_ascii_alphanumeric() || "-_".contains(c);
    let (mut masked, mut rest) = (String::new(), text.as_str());
    while let Some(first) = rest.chars().next() {
        let end = rest.find(|c| is_word(c) != is_word(first)).unwrap_or(rest.len());
        let (run, after) = rest.split_at(end);
        match is_word(first) && run.len() > WORD_CHARS_MAX {
            true => masked.push_str(&"*".repeat(run.len())),
            false => masked.push_str(run),
        }
        rest = after;
    }
    masked
}

struct Visit {
    site: Site,
    mails: Mails,
    /// The responses and mails that the visitor has seen.
    seen: Vec<String>,
}

impl Visit {
    async fn new(contacts: Contacts) -> Self {
        let mut site = Site::with(json!({}), json!({ "origins": ["https://a.example"] })).await;
        let (mail, mails) = relay().await;
        site.server.restart_with_mail(mail).await;
        site.salon = site.salon.again(&site.server);
        let visit = Self { site, mails, seen: Vec::new() };
        let other = visit.contact(json!({ "name": "Other", "phone": "+33612345699" })).await;
        let visitor = match contacts {
            Contacts::Unknown => None,
            Contacts::WithThePhone => {
                Some(json!({ "phone": PHONE, "email": "ada@example.com", "locale": "fr" }))
            }
            Contacts::WithTheEmail => Some(json!({ "email": EMAIL, "phone": "+33612345698" })),
            Contacts::WithOneEach => {
                visit.contact(json!({ "name": "Cleo", "email": EMAIL })).await;
                Some(json!({ "phone": PHONE }))
            }
            _ => Some(json!({ "phone": PHONE, "email": EMAIL })),
        };
        let mut busy = other;
        if let Some(mut visitor) = visitor {
            visitor["name"] = "Ada Byron".into();
            let visitor = visit.contact(visitor).await;
            let path = format!("/contacts/{visitor}");
            let operator = &visit.site.salon.operator;
            match contacts {
                Contacts::Busy => busy = visitor,
                Contacts::OptedOut => {
                    let none = json!({ "email": "none", "texts": "refused" });
                    operator.call("PUT", &format!("{path}/consent")).json(&none).await.is(200);
                }
                Contacts::Erased => _ = operator.call("DELETE", &path).await.is(204).status,
                _ => {}
            }
        }
        let (salon, contact) = (&visit.site.salon, json!({ "contact_id": busy }));
        for (time, staff) in [(TIME, &salon.chloe), (TAKEN, &salon.anna)] {
            let mut more = contact.clone();
            more["staff_id"] = staff.as_str().into();
            salon.try_book_with(&salon.cut, time, more).await.created();
        }
        visit
    }

    async fn contact(&self, contact: Value) -> String {
        id(&self.site.salon.operator.post("/contacts", &contact).await.created()).to_owned()
    }

    fn address(&self) -> String {
        self.site.server.root().address.to_string()
    }

    fn note(&mut self, answer: &Answer) {
        let mut headers: Vec<_> = answer.headers.iter().filter(|(name, _)| *name != "date").collect();
        headers.sort_by_key(|(name, _)| name.as_str());
        let body = String::from_utf8_lossy(&answer.bytes);
        self.seen.push(masked(&format!("{} {headers:?} {body}", answer.status), &self.address()));
    }

    async fn get(&mut self, path: &str) -> Answer {
        let answer = self.site.server.root().get(path).await;
        self.note(&answer);
        answer
    }

    async fn post(&mut self, path: &str, fields: &[(String, String)]) -> Answer {
        let answer = self.site.send_to(path, fields, &[]).await;
        self.note(&answer);
        answer
    }

    /// Sends the form for a cut at this time, with changed fields.
    async fn book(&mut self, path: &str, time: &str, changes: &[(&str, &str)]) -> Answer {
        let identifiers = [("phone", PHONE), ("email", EMAIL)];
        let form = self.site.form(time, &[&identifiers, changes].concat()).await;
        self.post(path, &form).await
    }

    /// Waits until `notices` notices were sent. If the contact has unsubscribed, returns immediately, because no
    /// notice is sent.
    async fn is_told(&self, contacts: Contacts, notices: usize) {
        if contacts != Contacts::OptedOut {
            self.mails.raw(notices - 1).await;
        }
    }

    /// Adds the content of the mail with this number to the text that the visitor has seen.
    async fn mail(&mut self, number: usize) {
        let raw = self.mails.raw(number).await;
        let mail = MessageParser::default().parse(raw.as_bytes()).unwrap();
        let head = raw.split("\r\n\r\n").next().unwrap();
        let parts = mail.parts.iter().map(|part| String::from_utf8_lossy(part.contents()).into_owned());
        let whole = parts.fold(head.to_owned(), |whole, part| whole + "\n" + &part);
        self.seen.push(masked(&whole, &self.address()));
    }
}

async fn visited(contacts: Contacts) -> Vec<String> {
    let mut visit = Visit::new(contacts).await;
    let path = visit.site.path.clone();
    let frame = format!("{path}/frame");
    // The visitor books, opens the pages of the manage link, and sends the form again.
    let form = visit.site.form(TIME, &[("phone", PHONE), ("email", EMAIL)]).await;
    let booked = visit.post(&path, &form).await;
    let manage = booked.is(303).header("location").to_owned();
    for page in ["", "/move", "/appointment.ics", "/unsubscribe"] {
        visit.get(&format!("{manage}{page}")).await;
    }
    visit.post(&path, &form).await.is(303);
    visit.post(&path, &[&form[..], &[("more".into(), "1".into())]].concat()).await.is(409);
    // The visitor sends forms that the service refuses.
    let anna = visit.site.salon.anna.clone();
    visit.book(&path, TAKEN, &[("staff_id", &anna)]).await.is(409);
    visit.book(&path, TIME, &[("name", "")]).await.is(422);
    visit.book(&path, TIME, &[("leave_empty", "x")]).await.is(422);
    visit.get(&path).await.is(200);
    // The visitor books on the French page in a frame. Then the visitor books on the page itself, with an email
    // address and no phone number.
    let framed = visit.book(&frame, "2026-03-05T11:00:00.000Z", &[("locale", "fr")]).await;
    let done = framed.is(303).header("location").to_owned();
    visit.get(&done).await.is(200);
    visit.book(&path, "2026-03-05T12:00:00.000Z", &[("phone", "")]).await.is(303);
    visit.book(&path, "2026-03-05T12:30:00.000Z", &[]).await.is(429);
    // The visitor changes the first appointment. The test waits for each notice, because a later change would
    // drop a notice that still waits.
    visit.is_told(contacts, 3).await;
    let page = visit.get(&format!("{manage}/move")).await;
    let mut fields = hidden(&page);
    fields.push(("starts_at".into(), "2026-03-05T13:00:00.000Z".into()));
    visit.post(&format!("{manage}/move"), &fields).await.is(303);
    visit.post(&format!("{manage}/move"), &fields).await.is(303);
    visit.is_told(contacts, 4).await;
    let fields = hidden(&visit.get(&manage).await);
    visit.post(&format!("{manage}/cancel"), &fields).await.is(303);
    visit.get(&manage).await.is(200);
    visit.is_told(contacts, NOTICES).await;
    // The visitor books with only a phone number, and cannot see whether the service sends a notice to a contact
    // with this number.
    let phone = [("phone", PHONE)];
    let form = visit.site.form("2026-03-05T14:00:00.000Z", &phone).await;
    let sent = visit.site.send_with(&form, &[("x-forwarded-for", "192.0.2.1")]).await;
    visit.note(sent.is(303));
    if contacts != Contacts::OptedOut {
        let pages = visit.seen.len();
        for number in 0..NOTICES {
            visit.mail(number).await;
        }
        visit.seen[pages..].sort();
    }
    visit.seen
}

#[tokio::test]
async fn all_responses_and_notices_are_the_same_for_known_and_unknown_contacts() {
    let unknown = visited(Contacts::Unknown).await;
    assert!(unknown.len() > 25 && unknown.iter().any(|seen| seen.contains("Subject: Cancelled: Cut")));
    for contacts in [
        Contacts::WithThePhone,
        Contacts::WithTheEmail,
        Contacts::WithBoth,
        Contacts::WithOneEach,
        Contacts::Busy,
        Contacts::OptedOut,
        Contacts::Erased,
    ] {
        let known = visited(contacts).await;
        let expected = &unknown[..known.len()];
        for (known, unknown) in known.iter().zip(expected) {
            assert_eq!(known, unknown, "{contacts:?}");
        }
    }
}

#[tokio::test]
async fn a_budget_that_is_used_up_refuses_known_and_unknown_contacts_alike() {
    for kind in ["contacts", "appointments"] {
        let mut seen = Vec::new();
        for contacts in [Contacts::Unknown, Contacts::WithTheEmail, Contacts::WithBoth] {
            let mut visit = Visit::new(contacts).await;
            visit.site.salon.operator.patch("/budget", &json!({ kind: { "rows_max": 0 } })).await.is(200);
            let (path, anna) = (visit.site.path.clone(), visit.site.salon.anna.clone());
            let full = visit.book(&path, TIME, &[]).await;
            full.is(409);
            assert!(
                String::from_utf8_lossy(&full.bytes).contains("This appointment cannot be booked online"),
                "{full}"
            );
            visit.book(&path, TAKEN, &[("staff_id", &anna)]).await.is(409);
            visit.book(&path, TIME, &[("name", "")]).await.is(422);
            seen.push(visit.seen);
        }
        assert_eq!(seen[0], seen[1], "{kind}");
        assert_eq!(seen[0], seen[2], "{kind}");
    }
}

/// The number of measured bookings of each kind: for known contacts, and for unknown contacts. A business
/// accepts at most 100 bookings per hour.
const TIMED: usize = 45;
/// The maximum ratio of the two median times. The times of single requests differ much more, so only the medians
/// are compared.
const RATIO_MAX: f64 = 1.5;
/// The maximum number of measurements. The test fails if the ratio is too high in all of them. Other load on the
/// machine can raise the ratio in one measurement, but a difference in the service raises it in all.
const MEASUREMENTS: usize = 3;

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}

/// Returns the median times of bookings of known and of unknown contacts. The bookings alternate between the two
/// kinds, so that a busy machine delays both kinds alike.
async fn measured() -> [Duration; 2] {
    let site = Site::open().await;
    let identifiers = |number: usize| (format!("+336123{number:05}"), format!("zoe{number}@example.com"));
    for number in 0..TIMED {
        let (phone, email) = identifiers(2 * number);
        let contact = json!({ "name": "Ada", "phone": phone, "email": email });
        site.salon.operator.post("/contacts", &contact).await.created();
    }
    let mut times = [Vec::new(), Vec::new()];
    for number in 0..2 * TIMED {
        let (day, half) = (2 + number / 18, number % 18);
        let time = format!("2026-03-{day:02}T{:02}:{:02}:00.000Z", 8 + half / 2, half % 2 * 30);
        let (phone, email) = identifiers(number);
        let form = site.form(&time, &[("phone", &phone), ("email", &email)]).await;
        let began = Instant::now();
        let sent = site.send_with(&form, &[("x-forwarded-for", &format!("192.0.2.{number}"))]).await;
        times[number % 2].push(began.elapsed());
        sent.is(303);
    }
    times.map(median)
}

#[tokio::test]
async fn bookings_of_known_and_unknown_contacts_take_the_same_time() {
    let mut different = Vec::new();
    while different.len() < MEASUREMENTS {
        let [known, unknown] = measured().await;
        let ratio = known.max(unknown).as_secs_f64() / known.min(unknown).as_secs_f64();
        if ratio <= RATIO_MAX {
            return;
        }
        different.push((known, unknown));
    }
    panic!("the median times of known and unknown contacts differ: {different:?}");
}
