//! Makes mails: head, text and HTML (RFC 5322, 2045, 2369, 3834, 8058).
//!
//! What always holds: the same letter gives the same bytes. What somebody typed is inserted by a header encoder, by
//! an escaping template, or into plain text, and nowhere else, so it can make neither headers nor markup.

use std::time::{Duration, UNIX_EPOCH};

use actors::mail::letter::{Composer, Letter};
use askama::Template;
use lettre::message::header::{HeaderName, HeaderValue};
use lettre::message::{Mailbox, MultiPart, SinglePart};

use super::page::{Entry, Page};
use super::settings::MailFrom;
use super::words::plain;

/// How long a person's name may be in the head, in characters.
const NAME_CHARS_MAX: usize = 100;

/// Makes mails from this sender, with links to this origin.
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
    /// Makes mails from this sender, with links to this origin, which has no slash at its end.
    pub(crate) fn new(from: MailFrom, origin: String) -> Self {
        Self { from, origin }
    }
}

impl Composer for Letters {
    fn compose(&self, letter: &Letter) -> Result<Vec<u8>, String> {
        let page = Page::of(letter, &self.origin);
        let address =
            letter.to.address.parse().map_err(|error| format!("the address cannot be used: {error}"))?;
        let name = Some(for_head(&plain(&letter.to.name, NAME_CHARS_MAX))).filter(|name| !name.is_empty());
        let seconds = u64::try_from(letter.written_at.millis()).unwrap_or_default() / 1_000;
        let html = Html { lang: letter.to.locale.as_str(), page: &page }.render();
        let html = html.map_err(|error| error.to_string())?;
        // Nobody who writes what a mail shows knows its id beforehand.
        let (id, _) = letter.message_id.split_once('@').unwrap_or((&letter.message_id, ""));
        let body = MultiPart::alternative()
            .boundary(format!("part-{id}"))
            .singlepart(SinglePart::plain(text(&page)))
            .singlepart(SinglePart::html(html));
        let mut message = lettre::Message::builder()
            .from(self.from.mailbox().clone())
            .to(Mailbox::new(name, address))
            .date(UNIX_EPOCH + Duration::from_secs(seconds))
            .message_id(Some(format!("<{}>", letter.message_id)))
            .subject(for_head(&page.subject))
            .raw_header(header("Auto-Submitted", "auto-generated"));
        if let Some((_, url)) = &page.unsubscribe {
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

/// A text for the head, in which nothing looks as if it was encoded already (RFC 2047, 2): the encoder leaves ASCII as
/// it is, and whoever reads it would decode what somebody typed.
fn for_head(text: &str) -> String {
    text.replace("=?", "= ?")
}

/// A header of our own making, which is ASCII.
fn header(name: &'static str, value: &str) -> HeaderValue {
    let name = HeaderName::new_from_ascii_str(name);
    HeaderValue::dangerous_new_pre_encoded(name, value.to_owned(), value.to_owned())
}

/// A page as plain text.
fn text(page: &Page) -> String {
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
        lines.extend(link.iter().map(|(label, url)| format!("{label}: {url}")));
        lines.push(String::new());
    }
    if let Some((label, url)) = &page.action {
        lines.extend([format!("{label}:"), url.clone(), String::new()]);
    }
    if !page.outro.is_empty() || page.unsubscribe.is_some() {
        lines.push("-- ".into());
    }
    lines.extend(page.outro.iter().cloned());
    lines.extend(page.unsubscribe.iter().map(|(label, url)| format!("{label}: {url}")));
    lines.push(String::new());
    lines.join("\n")
}
