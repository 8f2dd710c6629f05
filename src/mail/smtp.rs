//! The relay over SMTP (RFC 5321, 3207, 4954, 8314).
//!
//! What always holds: where the settings ask for TLS, neither a password nor a mail goes over a connection without it,
//! and the certificate is verified against those whom the service trusts. Each mail has a connection of its own. What
//! a relay says of the mail is told apart from what is wrong with the relay itself: a password that it does not take
//! fails no mail.

use std::time::Duration;

use actors::net::Trust;
use actors::ports::{BoxFuture, MadeMail, MailFailure, Mailer};
use lettre::Address;
use lettre::address::Envelope;
use lettre::transport::smtp::Error;
use lettre::transport::smtp::authentication::{Credentials, Mechanism};
use lettre::transport::smtp::client::{AsyncSmtpConnection, AsyncTokioStream};
use lettre::transport::smtp::extension::ClientId;
use tokio::time::timeout;

use super::settings::MailSettings;
use super::wire::Wire;

/// How long a relay may take over a farewell that nobody waits for.
const QUIT_TIME_MAX: Duration = Duration::from_secs(2);
/// The ways to tell a password, the safer to send first; all of them under TLS.
const MECHANISMS: [Mechanism; 2] = [Mechanism::Plain, Mechanism::Login];

/// The relay that mails are handed to.
pub(crate) struct Smtp {
    wire: Wire,
    credentials: Option<Credentials>,
    from: Address,
    hello: ClientId,
}

impl Smtp {
    /// The relay of the settings, trusted as far as these certificates go.
    ///
    /// # Errors
    /// Why TLS cannot be spoken with it.
    pub(crate) fn new(settings: &MailSettings, trust: &Trust) -> Result<Self, String> {
        let relay = settings.relay.clone();
        let credentials = relay.credentials.clone().map(|(user, password)| Credentials::new(user, password));
        let from = settings.from.mailbox().email.clone();
        let hello = ClientId::Domain(settings.from.domain().to_owned());
        let wire = Wire::new(relay, settings.from.domain(), trust)?;
        Ok(Self { wire, credentials, from, hello })
    }

    /// A connection that is ready for a mail, or what is wrong with the relay.
    async fn connect(&self) -> Result<AsyncSmtpConnection, String> {
        let stream = self.wire.connect().await.map_err(|error| told(&error))?;
        self.begin(stream).await.map_err(|error| told(&error))
    }

    async fn begin(&self, stream: Box<dyn AsyncTokioStream>) -> Result<AsyncSmtpConnection, Error> {
        let mut connection = AsyncSmtpConnection::connect_with_transport(stream, &self.hello).await?;
        if let Some(credentials) = &self.credentials {
            connection.auth(&MECHANISMS, credentials).await?;
        }
        Ok(connection)
    }
}

impl Mailer for Smtp {
    fn send<'a>(&'a self, mail: &'a MadeMail) -> BoxFuture<'a, Result<String, MailFailure>> {
        Box::pin(async move {
            let for_good = |why: String| MailFailure::RefusedForGood(why);
            let to = mail.to.parse::<Address>();
            let to = to.map_err(|error| for_good(format!("the address cannot be used: {error}")))?;
            let envelope = Envelope::new(Some(self.from.clone()), vec![to]);
            let envelope = envelope.map_err(|error| for_good(error.to_string()))?;
            let mut connection = self.connect().await.map_err(MailFailure::Relay)?;
            let answer = connection.send(&envelope, &mail.bytes).await.map_err(|error| failure(&error))?;
            let said: Vec<_> = answer.message().collect();
            let _ = timeout(QUIT_TIME_MAX, connection.quit()).await;
            Ok(format!("{} {}", answer.code(), said.join(" ")))
        })
    }
}

/// What follows from an answer to a mail.
fn failure(error: &Error) -> MailFailure {
    // The relay is about to close the channel (RFC 5321, 4.2.2).
    let closes = error.status().is_some_and(|code| code.to_string() == "421");
    match () {
        () if error.is_permanent() || error.is_client() => MailFailure::RefusedForGood(told(error)),
        () if error.is_transient() && !closes => MailFailure::Refused(told(error)),
        () => MailFailure::Relay(told(error)),
    }
}

/// An error with its causes, on one line.
fn told(error: &dyn std::error::Error) -> String {
    let mut told = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let words = error.to_string();
        if !told.contains(&words) {
            told = format!("{told}: {words}");
        }
        cause = error.source();
    }
    told
}
