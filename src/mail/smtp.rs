//! Sends mails to the relay over SMTP (RFC 5321, 3207, 4954, 8314).
//!
//! Invariants: if the settings require TLS, passwords and mails are only sent over TLS, to a relay with a
//! trusted certificate. Each mail has its own connection. A problem of the relay, for example a refused
//! password, is reported as [`MailFailure::Relay`], so that the mail is retried.

use std::io;
use std::time::Duration;

use domain::MailError;
use lettre::Address;
use lettre::address::Envelope;
use lettre::transport::smtp::Error;
use lettre::transport::smtp::authentication::{Credentials, Mechanism};
use lettre::transport::smtp::client::AsyncSmtpConnection;
use lettre::transport::smtp::extension::ClientId;
use net::Trust;
use ports::{BoxFuture, MadeMail, MailFailure, Mailer};
use tokio::time::timeout;

use super::settings::MailSettings;
use super::wire::Wire;

/// The time limit for closing the connection after the mail is sent.
const QUIT_TIME_MAX: Duration = Duration::from_secs(2);
/// The authentication mechanisms. Both send the password itself.
const MECHANISMS: [Mechanism; 2] = [Mechanism::Plain, Mechanism::Login];

pub(crate) struct Smtp {
    wire: Wire,
    credentials: Option<Credentials>,
    from: Address,
    hello: ClientId,
}

impl Smtp {
    /// Creates a client for the relay. `trust` contains the CA certificates and other certificates that the client
    /// trusts. Fails if TLS cannot be set up.
    pub(crate) fn new(settings: &MailSettings, trust: &Trust) -> Result<Self, String> {
        let relay = settings.relay.clone();
        let credentials = relay.credentials.clone().map(|(user, password)| Credentials::new(user, password));
        let from = settings.from.mailbox().email.clone();
        let hello = ClientId::Domain(settings.from.domain().to_owned());
        let wire = Wire::new(relay, settings.from.domain(), trust)?;
        Ok(Self { wire, credentials, from, hello })
    }

    /// Opens a connection that is ready for a mail. The error is a problem of the relay.
    async fn connect(&self) -> Result<AsyncSmtpConnection, MailError> {
        let stream = self.wire.connect().await.map_err(|error| describe(&error))?;
        let connection = AsyncSmtpConnection::connect_with_transport(stream, &self.hello).await;
        let mut connection = connection.map_err(|error| describe(&error))?;
        if let Some(credentials) = &self.credentials {
            connection.auth(&MECHANISMS, credentials).await.map_err(|error| describe(&error))?;
        }
        Ok(connection)
    }
}

impl Mailer for Smtp {
    fn send<'a>(&'a self, mail: &'a MadeMail) -> BoxFuture<'a, Result<String, MailFailure>> {
        Box::pin(async move {
            let for_good = |why: String| MailFailure::RefusedForGood(MailError::Quoted(why));
            let to = mail.to.parse::<Address>();
            let to = to.map_err(|error| for_good(format!("the address cannot be used: {error}")))?;
            let envelope = Envelope::new(Some(self.from.clone()), vec![to]);
            let envelope = envelope.map_err(|error| for_good(error.to_string()))?;
            let connected = self.connect().await;
            let mut connection = connected.map_err(MailFailure::Relay)?;
            let answer = connection.send(&envelope, &mail.bytes).await.map_err(|error| failure(&error))?;
            let said: Vec<_> = answer.message().collect();
            let _ = timeout(QUIT_TIME_MAX, connection.quit()).await;
            Ok(format!("{} {}", answer.code(), said.join(" ")))
        })
    }
}

fn failure(error: &Error) -> MailFailure {
    // A relay that must close the connection sends the code 421 (RFC 5321, 4.2.2). This is a problem of the relay, not
    // of the mail.
    let closes = error.status().is_some_and(|code| code.to_string() == "421");
    let text = describe(error);
    match () {
        () if error.is_permanent() || error.is_client() => MailFailure::RefusedForGood(text),
        () if error.is_transient() && !closes => MailFailure::Refused(text),
        () => MailFailure::Relay(text),
    }
}

/// Returns the [`MailError`] that an error of the connection contains, or otherwise the texts of the error and its
/// causes.
fn describe(error: &(dyn std::error::Error + 'static)) -> MailError {
    let mut causes = std::iter::successors(Some(error), |&error| error.source());
    let inner = |error: &(dyn std::error::Error + 'static)| {
        error.downcast_ref::<io::Error>()?.get_ref()?.downcast_ref::<MailError>().cloned()
    };
    if let Some(known) = causes.find_map(inner) {
        return known;
    }
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let words = error.to_string();
        if !text.contains(&words) {
            text = format!("{text}: {words}");
        }
        cause = error.source();
    }
    MailError::Quoted(text)
}
