//! A mail relay that kills the process while it receives a mail.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use parking_lot::Mutex;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

use crate::process::{Server, serve};

/// A mail that the relay has accepted.
#[derive(Clone, Debug)]
pub(crate) struct Letter {
    pub(crate) id: String,
    pub(crate) to: String,
    /// The headers and the body. Lines that the encoding of the mail has divided are joined again.
    pub(crate) text: String,
    /// How often the relay had been closed when it began to serve the connection of this mail.
    pub(crate) life: usize,
    /// Whether the relay responded.
    pub(crate) answered: bool,
}

/// The mails that the relay has accepted.
#[derive(Default)]
struct Taken {
    mails: Vec<Letter>,
    life: usize,
    /// The pending kill: the number of mails that the relay accepts before the kill, the process, and whether
    /// the relay responds to the last of these mails.
    kill: Option<(usize, Arc<Server>, bool)>,
    /// Whether the kill also closes the relay. The value becomes true when the last mail before the kill arrives. It
    /// becomes false again if the test opens or closes the relay before the kill.
    kills: bool,
}

/// A relay that accepts every mail while it is open.
pub(crate) struct Relay {
    url: String,
    taken: Arc<Mutex<Taken>>,
    /// The number of mails that were accepted since the relay was opened. It is `None` while the relay is
    /// closed. A closed relay sends no greeting. When the relay kills the process, the relay closes.
    count: watch::Sender<Option<usize>>,
}

impl Relay {
    pub(crate) async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("smtp+plain://{}", listener.local_addr().unwrap());
        let (taken, count) = (Arc::<Mutex<Taken>>::default(), watch::channel(None).0);
        let (serving, counting) = (Arc::clone(&taken), count.clone());
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(converse(stream, Arc::clone(&serving), counting.clone()));
            }
        });
        Self { url, taken, count }
    }

    /// Opens the relay, and cancels the pending kill.
    pub(crate) fn open(&self) {
        let mut taken = self.taken.lock();
        (taken.kill, taken.kills) = (None, false);
        self.count.send_replace(Some(0));
    }

    /// Opens the relay if it is closed. After `mails` more mails, the relay kills the process. If `answers` is true,
    /// the relay responds to the last of these mails before the kill.
    pub(crate) fn kills(&self, mails: usize, server: &Arc<Server>, answers: bool) {
        let mut taken = self.taken.lock();
        taken.kill = Some((mails, Arc::clone(server), answers));
        self.count.send_modify(|count| *count = count.or(Some(0)));
    }

    /// Closes the relay.
    pub(crate) fn close(&self) {
        let mut taken = self.taken.lock();
        (taken.kill, taken.kills) = (None, false);
        taken.life += 1;
        self.count.send_replace(None);
    }

    /// The id and the recipient of each accepted mail, in order.
    pub(crate) fn taken(&self) -> Vec<(String, String)> {
        self.letters().into_iter().map(|letter| (letter.id, letter.to)).collect()
    }

    /// The accepted mails, in order.
    pub(crate) fn letters(&self) -> Vec<Letter> {
        self.taken.lock().mails.clone()
    }

    /// Waits until the relay has killed the process and is closed.
    pub(crate) async fn has_killed(&self) {
        self.count.subscribe().wait_for(Option::is_none).await.unwrap();
    }

    /// Waits until `mails` different mails were accepted.
    pub(crate) async fn has_taken(&self, mails: usize) {
        let mut count = self.count.subscribe();
        let ids = || self.taken.lock().mails.iter().map(|letter| letter.id.clone()).collect::<BTreeSet<_>>();
        while ids().len() < mails {
            count.changed().await.unwrap();
        }
    }
}

/// Handles a connection until the client closes it.
async fn converse(stream: TcpStream, taken: Arc<Mutex<Taken>>, count: watch::Sender<Option<usize>>) {
    count.subscribe().wait_for(Option::is_some).await.unwrap();
    let mut stream = BufReader::new(stream);
    let (mut to, mut id, mut in_mail, mut says) = (String::new(), String::new(), false, "220 relay");
    let (life, mut text) = (taken.lock().life, String::new());
    loop {
        if !says.is_empty() && stream.get_mut().write_all(format!("{says}\r\n").as_bytes()).await.is_err() {
            return;
        }
        let mut line = String::new();
        if stream.read_line(&mut line).await.unwrap_or(0) == 0 {
            return;
        }
        let line = line.trim_end();
        says = "250 ok";
        if in_mail && line == "." {
            in_mail = false;
            let victim = {
                let mut taken = taken.lock();
                let kill = taken.kill.take();
                let victim = kill.and_then(|(left, server, answers)| {
                    if left == 1 {
                        taken.kills = true;
                        return Some((server, answers));
                    }
                    taken.kill = Some((left - 1, server, answers));
                    None
                });
                let answered = victim.as_ref().is_none_or(|(_, answers)| *answers);
                let text = std::mem::take(&mut text);
                taken.mails.push(Letter { id: id.clone(), to: to.clone(), text, life, answered });
                victim
            };
            count.send_modify(|count| *count = count.map(|count| count + 1));
            if let Some((server, answers)) = victim {
                if answers {
                    let _ = stream.get_mut().write_all(b"250 ok\r\n").await;
                    says = "";
                }
                let mut taken = taken.lock();
                server.kill();
                // The kill also closes the relay if `kills` is still true. If the test has opened or closed the relay
                // after this mail arrived, `kills` is false, and the relay does not change.
                if std::mem::take(&mut taken.kills) {
                    count.send_replace(None);
                }
            }
        } else if in_mail {
            says = "";
            match line.strip_suffix('=') {
                Some(joined) => text.push_str(joined),
                None => text.extend([line, "\n"]),
            }
            if let Some(value) = line.strip_prefix("Message-ID: ") {
                value.trim_matches(['<', '>']).clone_into(&mut id);
            }
        } else if let Some(address) = line.strip_prefix("RCPT TO:") {
            address.trim_matches(['<', '>']).clone_into(&mut to);
        } else if line == "DATA" {
            (in_mail, says) = (true, "354 go on");
        }
    }
}

/// The command that serves a directory and sends mails through this relay.
pub(crate) fn command(data_dir: &Path, relay: &Relay) -> Command {
    let mut command = serve(data_dir);
    command.env("RECEPTIONIST_SMTP_URL", &relay.url).env("RECEPTIONIST_MAIL_FROM", "Desk <desk@example.com>");
    command
}
