//! A relay for tests: a real SMTP server on the loopback interface whose faults can be configured.

use std::net::SocketAddr;
use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use parking_lot::Mutex;
use rcgen::{CertifiedKey, KeyPair};
use rustls::ServerConfig;
use rustls::pki_types::{CertificateDer, PrivatePkcs8KeyDer};
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;

/// The steps of the dialogue at which a relay can misbehave.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum At {
    Greeting,
    /// The command `STARTTLS`.
    StartTls,
    Mail,
    Rcpt,
    Data,
    /// The relay is receiving the bytes of the mail.
    Body,
    /// The relay has received the last byte of the mail.
    End,
}

/// The action of a faulty relay at a step, instead of the usual response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Does {
    Says(&'static str),
    /// Starts a response that never ends.
    Floods,
    Hangs,
    Closes,
}

/// The configuration of a relay.
#[derive(Clone, Copy, Debug)]
pub(super) struct Manner {
    /// Whether TLS begins with the first byte.
    pub(super) tls: bool,
    /// Whether the relay offers STARTTLS.
    pub(super) starttls: bool,
    /// The user and the password, if the relay requires them.
    pub(super) password: Option<(&'static str, &'static str)>,
    pub(super) odd: Option<(At, Does)>,
}

/// The data that the relay has received.
#[derive(Debug, Default)]
pub(super) struct Heard {
    /// The commands, each with a flag that is true if it arrived over TLS.
    pub(super) commands: Vec<(bool, String)>,
    pub(super) mails: Vec<Vec<u8>>,
    /// The number of bytes of an endless response that the client has accepted.
    pub(super) flooded: usize,
}

/// A running relay.
pub(super) struct Server {
    pub(super) address: SocketAddr,
    pub(super) certificate: Vec<u8>,
    pub(super) heard: Arc<Mutex<Heard>>,
}

impl Server {
    pub(super) async fn start(manner: Manner) -> Self {
        let signed = rcgen::generate_simple_self_signed(vec!["localhost".into()]).unwrap();
        Self::start_with(manner, signed).await
    }

    /// A relay that presents this certificate.
    pub(super) async fn start_with(manner: Manner, signed: CertifiedKey<KeyPair>) -> Self {
        let certificate = signed.cert.der().to_vec();
        let key = PrivatePkcs8KeyDer::from(signed.signing_key.serialize_der());
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = ServerConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
        let config = config.unwrap().with_no_client_auth();
        let chain = vec![CertificateDer::from(certificate.clone())];
        let acceptor = TlsAcceptor::from(Arc::new(config.with_single_cert(chain, key.into()).unwrap()));
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let (address, heard) = (listener.local_addr().unwrap(), Arc::<Mutex<Heard>>::default());
        let hearing = Arc::clone(&heard);
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(serve(stream, acceptor.clone(), manner, Arc::clone(&hearing)));
            }
        });
        Self { address, certificate, heard }
    }
}

async fn serve(stream: TcpStream, acceptor: TlsAcceptor, manner: Manner, heard: Arc<Mutex<Heard>>) {
    if manner.tls {
        let Ok(stream) = acceptor.accept(stream).await else { return };
        Talk { stream: BufReader::new(stream), manner, heard, is_tls: true, is_in: false }.run(true).await;
        return;
    }
    let mut talk = Talk { stream: BufReader::new(stream), manner, heard, is_tls: false, is_in: false };
    if talk.run(true).await {
        let Talk { stream, manner, heard, .. } = talk;
        let Ok(stream) = acceptor.accept(stream.into_inner()).await else { return };
        Talk { stream: BufReader::new(stream), manner, heard, is_tls: true, is_in: false }.run(false).await;
    }
}

struct Talk<S> {
    stream: BufReader<S>,
    manner: Manner,
    heard: Arc<Mutex<Heard>>,
    is_tls: bool,
    is_in: bool,
}

impl<S: AsyncRead + AsyncWrite + Unpin> Talk<S> {
    async fn say(&mut self, line: &str) {
        let _ = self.stream.get_mut().write_all(format!("{line}\r\n").as_bytes()).await;
        let _ = self.stream.get_mut().flush().await;
    }

    /// Responds at a step. Without a fault for this step, sends the usual response and returns true. With a fault,
    /// returns false after a scripted response, or `None` if the connection must be closed.
    async fn at(&mut self, step: At, usual: &str) -> Option<bool> {
        match self.manner.odd.filter(|(at, _)| *at == step).map(|(_, does)| does) {
            None => self.say(usual).await,
            Some(Does::Says(line)) => {
                self.say(line).await;
                return Some(false);
            }
            Some(Does::Floods) => {
                // Sends until the client closes the connection.
                let said = [b'x'; 1 << 10];
                while self.stream.get_mut().write_all(&said).await.is_ok() {
                    self.heard.lock().flooded += said.len();
                }
                return None;
            }
            Some(Does::Hangs) => std::future::pending().await,
            Some(Does::Closes) => return None,
        }
        Some(true)
    }

    async fn line(&mut self) -> Option<String> {
        let mut line = String::new();
        let read = self.stream.read_line(&mut line).await.ok()?;
        (read > 0).then(|| line.trim_end().to_owned())
    }

    /// Handles commands until the client starts TLS or the connection ends. Returns true if the client starts TLS.
    async fn run(&mut self, greets: bool) -> bool {
        if greets && self.at(At::Greeting, "220 relay.example.com ESMTP").await != Some(true) {
            return false;
        }
        while let Some(line) = self.line().await {
            self.heard.lock().commands.push((self.is_tls, line.clone()));
            let command = line.split([' ', ':']).next().unwrap_or_default().to_uppercase();
            let step = match command.as_str() {
                "EHLO" => {
                    let mut offers = vec!["relay.example.com"];
                    offers.extend((self.manner.starttls && !self.is_tls).then_some("STARTTLS"));
                    offers.extend(self.manner.password.map(|_| "AUTH PLAIN LOGIN"));
                    offers.push("8BITMIME");
                    let last = offers.len() - 1;
                    for (number, offer) in offers.into_iter().enumerate() {
                        self.say(&format!("250{}{offer}", if number == last { ' ' } else { '-' })).await;
                    }
                    Some(true)
                }
                "STARTTLS" => {
                    self.at(At::StartTls, "220 go ahead").await;
                    return true;
                }
                "AUTH" => {
                    let given = line.rsplit(' ').next().and_then(|given| STANDARD.decode(given).ok());
                    let expected = self.manner.password.map(|(user, word)| format!("\0{user}\0{word}"));
                    self.is_in = expected.is_some() && given == expected.map(String::into_bytes);
                    self.say(if self.is_in { "235 ok" } else { "535 5.7.8 wrong password" }).await;
                    Some(true)
                }
                "MAIL" if self.manner.password.is_some() && !self.is_in => {
                    self.say("530 5.7.0 who are you").await;
                    Some(true)
                }
                "MAIL" => self.at(At::Mail, "250 ok").await,
                "RCPT" => self.at(At::Rcpt, "250 ok").await,
                "DATA" => self.data().await,
                "QUIT" => {
                    self.say("221 bye").await;
                    None
                }
                _ => {
                    self.say("502 what").await;
                    Some(true)
                }
            };
            if step.is_none() {
                return false;
            }
        }
        false
    }

    async fn data(&mut self) -> Option<bool> {
        if !self.at(At::Data, "354 go ahead").await? {
            return Some(true);
        }
        let mut mail = Vec::new();
        loop {
            let mut line = Vec::new();
            if self.stream.read_until(b'\n', &mut line).await.ok()? == 0 {
                return None;
            }
            match self.manner.odd {
                Some((At::Body, Does::Closes)) => return None,
                Some((At::Body, Does::Hangs)) => std::future::pending().await,
                _ => {}
            }
            if line == b".\r\n" {
                break;
            }
            let dotted = usize::from(line.starts_with(b".."));
            mail.extend_from_slice(&line[dotted..]);
        }
        if self.at(At::End, "250 2.0.0 taken as 7").await? {
            self.heard.lock().mails.push(mail);
        }
        Some(true)
    }
}
