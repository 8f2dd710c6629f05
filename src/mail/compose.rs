//! Builds mails: headers, text and HTML (RFC 5322, 2045, 2369, 3834, 8058).
//!
//! Invariants: the same letter (the data of a mail) produces the same bytes. User input is only inserted by a
//! header encoder, by an escaping template, or into plain text, so it can add neither headers nor markup.

use std::time::{Duration, UNIX_EPOCH};

use askama::Template;
use domain::Locale;
use engine::mail::letter::{Composer, Content, Letter};
use lettre::message::header::{ContentType, HeaderName, HeaderValue};
use lettre::message::{Attachment, Mailbox, MultiPart, SinglePart};

use super::page::{Entry, Page};
use super::settings::MailFrom;
use crate::calendars::ics;
use crate::words::plain;

/// The maximum length of a name in the headers, in characters.
const NAME_CHARS_MAX: usize = 100;

pub(crate) struct Letters {
    from: MailFrom,
    origin: String,
}

#[derive(Template)]
#[template(path = "mail/letter.html", config = "src/askama.toml")]
struct Html<'a> {
    lang: &'a str,
    page: &'a Page,
}

impl Letters {
    /// Links begin with `origin`, which must not end in a slash.
    pub(crate) fn new(from: MailFrom, origin: String) -> Self {
        Self { from, origin }
    }
}

impl Composer for Letters {
    fn compose(&self, letter: &Letter) -> Result<Vec<u8>, String> {
        let page = Page::new(letter, &self.origin);
        let address =
            letter.to.address.parse().map_err(|error| format!("the address cannot be used: {error}"))?;
        let name = Some(for_head(&plain(&letter.to.name, NAME_CHARS_MAX))).filter(|name| !name.is_empty());
        let seconds = u64::try_from(letter.written_at.millis()).unwrap_or_default() / 1_000;
        let html = Html { lang: letter.to.locale.as_str(), page: &page }.render();
        let html = html.map_err(|error| error.to_string())?;
        // The MIME boundary contains the message id, which cannot be guessed, so user input cannot contain the
        // boundary.
        let (id, _) = letter.message_id.split_once('@').unwrap_or((&letter.message_id, ""));
        let mut body = MultiPart::alternative()
            .boundary(format!("part-{id}"))
            .singlepart(SinglePart::plain(text(&page, letter.to.locale)))
            .singlepart(SinglePart::html(html));
        let mut from = self.from.mailbox().clone();
        let mut reply_to = None;
        // A customer knows the business and not the service, so the sender's name is the name of the business.
        if matches!(letter.content, Content::Notice(_) | Content::Code(_)) {
            let name = letter.business.as_ref().map(|business| plain(&business.name, NAME_CHARS_MAX));
            from.name = name.map(|name| for_head(&name));
        }
        if let (Content::Notice(notice), Some(event)) = (&letter.content, &page.event) {
            reply_to = notice.website.email.as_ref().and_then(|email| email.as_str().parse().ok());
            let media_type = ContentType::parse(ics::MEDIA_TYPE).map_err(|error| error.to_string())?;
            body = MultiPart::mixed()
                .boundary(format!("all-{id}"))
                .multipart(body)
                .singlepart(Attachment::new(ics::NAME.into()).body(event.clone(), media_type));
        }
        let mut message = lettre::Message::builder()
            .from(from)
            .to(Mailbox::new(name, address))
            .date(UNIX_EPOCH + Duration::from_secs(seconds))
            .message_id(Some(format!("<{}>", letter.message_id)))
            .subject(for_head(&page.subject))
            .raw_header(header("Auto-Submitted", "auto-generated"));
        if let Some(address) = reply_to {
            message = message.reply_to(Mailbox::new(None, address));
        }
        if let Some(url) = &page.one_click {
            message = message
                .raw_header(header("List-Unsubscribe", &format!("<{url}>")))
                .raw_header(header("List-Unsubscribe-Post", "List-Unsubscribe=One-Click"));
        }
        let message = message.multipart(body).map_err(|error| error.to_string())?;
        Ok(message.formatted())
    }

    fn domain(&self) -> &str {
        self.from.domain()
    }
}

/// Inserts a space into each `=?` of a text for a header. The header encoder leaves ASCII text
/// unchanged. If such a text looked like an encoded word (RFC 2047, 2), the recipient's program would decode it.
fn for_head(text: &str) -> String {
    text.replace("=?", "= ?")
}

/// A header whose value is ASCII and needs no encoding.
fn header(name: &'static str, value: &str) -> HeaderValue {
    let name = HeaderName::new_from_ascii_str(name);
    HeaderValue::dangerous_new_pre_encoded(name, value.to_owned(), value.to_owned())
}

fn text(page: &Page, locale: Locale) -> String {
    let colon = match locale {
        Locale::En => ":",
        Locale::Fr => "\u{a0}:",
    };
    let mut lines = vec![page.heading.clone(), String::new()];
    for line in &page.intro {
        lines.extend([line.clone(), String::new()]);
    }
    for Entry { title, lines: values, words, link } in &page.entries {
        lines.extend((!title.is_empty()).then(|| title.clone()));
        lines.extend(values.iter().map(|(label, value)| format!("{label} {value}")));
        if let Some(words) = words {
            lines.extend(words.lines().map(|line| format!("> {line}")));
        }
        lines.extend(link.iter().map(|(label, url)| format!("{label}{colon} {url}")));
        lines.push(String::new());
    }
    if let Some((label, url)) = &page.action {
        lines.extend([format!("{label}{colon}"), url.clone(), String::new()]);
    }
    if !page.outro.is_empty() || page.unsubscribe.is_some() {
        lines.push("-- ".into());
    }
    lines.extend(page.outro.iter().cloned());
    lines.extend(page.unsubscribe.iter().map(|(label, url)| format!("{label}{colon} {url}")));
    lines.push(String::new());
    lines.join("\n")
}
