//! A relay on the loopback interface that accepts every mail, and the settings of a relay that does not
//! respond.

use std::net::SocketAddr;
use std::sync::Arc;

use mail_parser::MessageParser;
use parking_lot::Mutex;
use receptionist::mail::MailSettings;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpListener;
use tokio::sync::Notify;

/// The accepted mails.
#[derive(Clone, Default)]
pub(crate) struct Mails {
    taken: Arc<Mutex<Vec<String>>>,
    news: Arc<Notify>,
}

/// An accepted mail.
pub(crate) struct Mail {
    pub(crate) to: String,
    pub(crate) subject: String,
    pub(crate) text: String,
}

impl Mail {
    /// The first path in the text of the mail that has the prefix `begins`.
    pub(crate) fn path(&self, begins: &str) -> String {
        let at =
            self.text.find(begins).unwrap_or_else(|| panic!("no path begins with {begins} in {}", self.text));
        self.text[at..].split_whitespace().next().unwrap().to_owned()
    }
}

impl Mails {
    /// Waits for the mail with this number.
    pub(crate) async fn raw(&self, number: usize) -> String {
        loop {
            let news = self.news.notified();
            if let Some(raw) = self.taken.lock().get(number) {
                return raw.clone();
            }
            tokio::time::timeout(std::time::Duration::from_secs(60), news).await.expect("no mail was sent");
        }
    }

    /// Waits for the mail with this number, and parses it.
    pub(crate) async fn get(&self, number: usize) -> Mail {
        let raw = self.raw(number).await;
        let mail = MessageParser::default().parse(raw.as_bytes()).unwrap();
        let to = mail.to().and_then(|to| to.first()).and_then(|to| to.address()).unwrap();
        Mail {
            to: to.to_owned(),
            subject: mail.subject().unwrap().to_owned(),
            text: mail.body_text(0).unwrap().into_owned(),
        }
    }

    /// The number of accepted mails.
    pub(crate) fn count(&self) -> usize {
        self.taken.lock().len()
    }
}

/// The settings for a relay at this address.
fn leading_to(address: SocketAddr) -> MailSettings {
    MailSettings {
        relay: format!("smtp+plain://{address}").parse().unwrap(),
        from: "Desk <desk@example.com>".parse().unwrap(),
    }
}

/// The settings for a relay that does not exist.
pub(crate) fn dead_relay() -> MailSettings {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    leading_to(listener.local_addr().unwrap())
}

/// Starts a relay. Returns its settings and the mails that it accepts.
pub(crate) async fn relay() -> (MailSettings, Mails) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let settings = leading_to(listener.local_addr().unwrap());
    let mails = Mails::default();
    let taking = mails.clone();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            tokio::spawn(speak(BufReader::new(stream), taking.clone()));
        }
    });
    (settings, mails)
}

async fn speak(mut stream: BufReader<tokio::net::TcpStream>, mails: Mails) {
    let (mut says, mut mail) = (Some("220 relay"), None::<String>);
    loop {
        if let Some(says) = says
            && stream.get_mut().write_all(format!("{says}\r\n").as_bytes()).await.is_err()
        {
            return;
        }
        let mut line = String::new();
        if stream.read_line(&mut line).await.unwrap_or(0) == 0 {
            return;
        }
        says = match &mut mail {
            Some(text) if line.trim_end() == "." => {
                mails.taken.lock().push(std::mem::take(text));
                mails.news.notify_waiters();
                mail = None;
                Some("250 2.0.0 queued")
            }
            Some(text) => {
                text.push_str(line.strip_prefix('.').unwrap_or(&line));
                None
            }
            None if line.starts_with("DATA") => {
                mail = Some(String::new());
                Some("354 go on")
            }
            None => Some("250 ok"),
        };
    }
}
