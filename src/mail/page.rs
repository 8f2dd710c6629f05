//! The content of a mail, before it is rendered as text or HTML.

use chrono_tz::Tz;
use domain::{AlertKind, Color, NoticeKind};
use engine::mail::letter::{AlertItem, Content, Letter, Link, NoticeLetter, Sender, What};

use super::words::words;
use crate::calendars::ics;
use crate::rest::values::phone::in_groups;
use crate::words::{Value, Words, plain, plain_lines};

/// The maximum length of a message's text in a mail, in characters.
const WORDS_CHARS_MAX: usize = 2_000;
/// The maximum length of a name in a subject, in characters.
const SUBJECT_CHARS_MAX: usize = 60;

pub(super) type Anchor = (String, String);

#[derive(Debug, Default)]
pub(super) struct Page {
    pub(super) subject: String,
    pub(super) heading: String,
    pub(super) intro: Vec<String>,
    pub(super) entries: Vec<Entry>,
    pub(super) action: Option<Anchor>,
    pub(super) outro: Vec<String>,
    /// The colour of the button; `None` for the colour of the service.
    pub(super) color: Option<Color>,
    pub(super) unsubscribe: Option<Anchor>,
    /// The URL at which the mail program unsubscribes with one request (RFC 8058).
    pub(super) one_click: Option<String>,
    /// The calendar file of a notice.
    pub(super) event: Option<String>,
}

#[derive(Debug, Default)]
pub(super) struct Entry {
    pub(super) title: String,
    pub(super) lines: Vec<(String, String)>,
    /// The text of a message, which may have several lines.
    pub(super) words: Option<String>,
    pub(super) link: Option<Anchor>,
}

struct Maker<'a> {
    words: &'a Words,
    origin: &'a str,
    business: Option<&'a Sender>,
}

impl Page {
    /// The content of a letter, with links to this origin.
    pub(super) fn new(letter: &Letter, origin: &str) -> Self {
        let words = words(letter.to.locale);
        let maker = Maker { words, origin, business: letter.business.as_ref() };
        let mut page = match &letter.content {
            Content::Alert(item) => maker.alert(item),
            Content::Gathered(items, more) => maker.alerts("gathered", items, *more),
            Content::Daily(items, more) => maker.alerts("daily", items, *more),
            Content::Invitation(link) => maker.link("invitation", link, &[]),
            Content::Offer => maker.offer(),
            Content::Reset(link) => maker.reset(link),
            Content::EmailChange(link) => maker.link("email_change", link, &["email_change-ignore"]),
            Content::EmailChanged => maker.notice("email_changed"),
            Content::Notice(notice) => return maker.customer_notice(notice),
            Content::Code(code) => maker.code(code),
            Content::Test => maker.notice("test"),
        };
        if let (Content::Invitation(_) | Content::Offer, Some(role)) = (&letter.content, letter.to.role) {
            page.intro.push(words.say(&format!("invited-as-{role}"), &[]));
        }
        if let Some(name) = &letter.invited_by {
            let name = plain(name, SUBJECT_CHARS_MAX);
            page.intro.push(words.say("invited-by", &[("name", Value::Text(&name))]));
        }
        let hello = match plain(&letter.to.name, SUBJECT_CHARS_MAX) {
            name if name.is_empty() => words.say("hello-unnamed", &[]),
            name => words.say("hello", &[("name", Value::Text(&name))]),
        };
        if !matches!(letter.content, Content::Alert(_) | Content::Gathered(..) | Content::Daily(..)) {
            page.intro.insert(0, hello);
        }
        page.unsubscribe = letter.unsubscribe.as_ref().map(|token| {
            let words_of = match letter.content {
                Content::Daily(..) => "unsubscribe-daily",
                Content::Gathered(..) => "unsubscribe-now",
                _ => "unsubscribe-kind",
            };
            (words.say(words_of, &[]), format!("{origin}/dashboard/unsubscribe/{token}"))
        });
        page.one_click = page.unsubscribe.as_ref().map(|(_, url)| url.clone());
        page
    }
}

impl Maker<'_> {
    fn zone(&self) -> Tz {
        self.business.map_or(Tz::UTC, |business| business.zone)
    }

    fn zone_line(&self) -> String {
        match self.business {
            Some(business) => self.words.say("zone", &[("zone", Value::Text(business.zone.name()))]),
            None => self.words.say("zone-utc", &[]),
        }
    }

    fn business_name(&self) -> String {
        self.business.map(|business| plain(&business.name, SUBJECT_CHARS_MAX)).unwrap_or_default()
    }

    /// The address of a dashboard page of the business.
    fn address(&self, path: &str) -> String {
        let business = self.business.map(|business| business.id.to_string()).unwrap_or_default();
        format!("{}/dashboard/b/{business}/{path}", self.origin)
    }

    fn alert(&self, item: &AlertItem) -> Page {
        let name = |name: &Option<String>| {
            name.as_deref()
                .map(|name| plain(&in_groups(name), SUBJECT_CHARS_MAX))
                .filter(|name| !name.is_empty())
        };
        let (who, when) = match &item.what {
            What::Appointment { contact, starts_at, .. } => (name(contact), *starts_at),
            What::Message { caller, phone, .. } => (name(caller).or_else(|| name(phone)), item.at),
            What::Call { caller, started_at, .. } => (name(caller), *started_at),
            What::Webhook { .. } | What::Calendar { .. } => (None, item.at),
        };
        let who = who.unwrap_or_else(|| self.words.say("somebody", &[]));
        let (business, when) = (self.business_name(), self.words.short_moment(when, self.zone()));
        let values = [("business", &business), ("who", &who), ("when", &when)];
        let values = values.map(|(name, value)| (name, Value::Text(value)));
        let mut entry = self.entry(item);
        let heading = std::mem::take(&mut entry.title);
        let intro = match item.kind {
            AlertKind::WebhookDisabled
            | AlertKind::WebhookFailing
            | AlertKind::CalendarFailed
            | AlertKind::CalendarEventChanged => {
                vec![self.words.say(&format!("explain-{}", item.kind), &[])]
            }
            _ => Vec::new(),
        };
        Page {
            subject: self.words.say(&format!("subject-{}", item.kind), &values),
            heading: format!("{business} · {heading}"),
            intro,
            entries: vec![entry],
            outro: vec![self.zone_line()],
            ..Page::default()
        }
    }

    fn alerts(&self, which: &str, items: &[AlertItem], more: u32) -> Page {
        let count = items.len() as u64 + u64::from(more);
        let business = self.business_name();
        let values = [("business", Value::Text(&business)), ("count", Value::Count(count))];
        let subject = self.words.say(&format!("{which}-subject"), &values);
        let mut outro = Vec::new();
        if more > 0 {
            outro.push(self.words.say("and-more", &[("count", Value::Count(more.into()))]));
        }
        outro.push(self.zone_line());
        Page {
            heading: subject.clone(),
            subject,
            intro: vec![self.words.say(&format!("{which}-intro"), &[])],
            entries: items.iter().map(|item| self.entry(item)).collect(),
            action: Some((self.words.say("open-alerts", &[]), self.address("alerts"))),
            outro,
            ..Page::default()
        }
    }

    fn link(&self, which: &str, link: &Link, outro: &[&str]) -> Page {
        let business = self.business_name();
        let values = [("business", Value::Text(&business))];
        let say = |what: &str| self.words.say(&format!("{which}-{what}"), &values);
        let when = self.words.moment(link.expires_at, self.zone());
        let mut lines =
            vec![self.words.say("link-expires", &[("when", Value::Text(&when))]), self.zone_line()];
        lines.extend(outro.iter().map(|id| self.words.say(id, &[])));
        Page {
            heading: say("subject"),
            subject: say("subject"),
            intro: vec![say("intro")],
            action: Some((say("open"), link.url.clone())),
            outro: lines,
            ..Page::default()
        }
    }

    /// The mail with a link to choose a new password. If the mail names a business, it also invites the person to
    /// this business. In this case, the account already has a password, but its address is unconfirmed. Another
    /// person may have chosen this password, so the service removes it when the link is used.
    fn reset(&self, link: &Link) -> Page {
        let mut page = self.link("reset", link, &["reset-ignore"]);
        if self.business.is_some() {
            let business = self.business_name();
            page.intro = vec![self.words.say("reset-invited", &[("business", Value::Text(&business))])];
        }
        page
    }

    fn offer(&self) -> Page {
        let business = self.business_name();
        let say = |id: &str| self.words.say(id, &[("business", Value::Text(&business))]);
        Page {
            heading: say("invitation-subject"),
            subject: say("invitation-subject"),
            intro: vec![say("offer-intro")],
            action: Some((say("offer-open"), format!("{}/dashboard", self.origin))),
            ..Page::default()
        }
    }

    fn notice(&self, which: &str) -> Page {
        let say = |what: &str| self.words.say(&format!("{which}-{what}"), &[]);
        let (subject, intro) = (say("subject"), vec![say("intro")]);
        Page { heading: subject.clone(), subject, intro, ..Page::default() }
    }

    /// The mail with a code for a caller. By saying the code, the caller proves that they are the contact with this
    /// email address.
    fn code(&self, code: &str) -> Page {
        let business = self.business_name();
        let say = |id: &str| {
            self.words.say(id, &[("business", Value::Text(&business)), ("code", Value::Text(code))])
        };
        Page {
            heading: say("code-subject"),
            subject: say("code-subject"),
            intro: vec![say("code-intro")],
            outro: vec![say("code-valid"), say("code-ignore")],
            ..Page::default()
        }
    }

    /// A notice to a customer. It contains no name or text of the customer.
    fn customer_notice(&self, notice: &NoticeLetter) -> Page {
        let NoticeLetter { kind, region, website, appointment, service, staff, manage } = notice;
        let name = self.business_name();
        let service = service.as_deref().map(|service| plain(service, SUBJECT_CHARS_MAX)).unwrap_or_default();
        let when = self.words.when(appointment.starts_at, self.zone(), region);
        let values = [("business", &name), ("service", &service), ("when", &when)];
        let values = values.map(|(name, value)| (name, Value::Text(value)));
        let mut lines = Vec::new();
        let mut line = |label: &str, value: Option<&str>| {
            if let Some(value) = value.filter(|value| !value.is_empty()) {
                lines.push((self.words.say(label, &[]), plain(value, WORDS_CHARS_MAX)));
            }
        };
        line("label-business", Some(&name));
        line("label-service", Some(&service));
        line("label-staff", staff.as_deref());
        line("label-when", Some(&when));
        line("label-zone", Some(self.zone().name()));
        line("label-phone", website.phone.as_deref().map(in_groups).as_deref());
        line("label-email", website.email.as_deref());
        line("label-url", website.address.as_deref());
        let stop = format!("{}/unsubscribe", manage.url);
        let address = website.address.as_deref();
        Page {
            subject: self.words.say(&format!("notice-subject-{kind}"), &values),
            heading: self.words.say(&format!("notice-heading-{kind}"), &values),
            intro: vec![self.words.say(&format!("notice-intro-{kind}"), &values)],
            entries: vec![Entry { lines, ..Entry::default() }],
            action: Some((self.words.say("notice-manage", &[]), manage.url.clone())),
            color: website.color,
            one_click: (*kind == NoticeKind::Reminder).then(|| stop.clone()),
            unsubscribe: Some((self.words.say("notice-stop", &values), stop)),
            event: Some(ics::file(appointment, &service, &name, address)),
            outro: Vec::new(),
        }
    }

    fn entry(&self, item: &AlertItem) -> Entry {
        let mut lines = Vec::new();
        let mut line = |label: &str, value: Option<&str>| {
            if let Some(value) = value.filter(|value| !value.is_empty()) {
                lines.push((self.words.say(label, &[]), plain(value, WORDS_CHARS_MAX)));
            }
        };
        let moment = |at| self.words.moment(at, self.zone());
        let number = |text: &Option<String>| text.as_deref().map(in_groups);
        let mut words = None;
        match &item.what {
            What::Appointment { status, contact, service, staff, starts_at, .. } => {
                line("label-who", number(contact).as_deref());
                line("label-when", Some(&moment(*starts_at)));
                line("label-service", service.as_deref());
                line("label-staff", staff.as_deref());
                line("label-status", Some(&self.words.say(&format!("status-{status}"), &[])));
            }
            What::Message { caller, phone, body, .. } => {
                line("label-who", number(caller).as_deref());
                line("label-phone", number(phone).as_deref());
                line("label-happened", Some(&moment(item.at)));
                words = Some(plain_lines(body, WORDS_CHARS_MAX)).filter(|words| !words.is_empty());
            }
            What::Call { status, caller, started_at, .. } => {
                line("label-who", number(caller).as_deref());
                line("label-when", Some(&moment(*started_at)));
                line("label-status", Some(&self.words.say(&format!("call-{status}"), &[])));
            }
            What::Calendar { name, .. } => {
                line("label-calendar", Some(name));
                line("label-happened", Some(&moment(item.at)));
            }
            What::Webhook { url, .. } => {
                line("label-url", Some(url));
                line("label-happened", Some(&moment(item.at)));
            }
        }
        let link = (self.words.say(&format!("open-{}", item.kind), &[]), self.address(&item.what.page()));
        Entry { title: self.words.say(&format!("title-{}", item.kind), &[]), lines, words, link: Some(link) }
    }
}
