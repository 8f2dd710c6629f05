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
use lettre::transport::smtp::client::{AsyncSmtpConnection, Certificate, CertificateStore, TlsParameters};
use lettre::transport::smtp::extension::ClientId;
use tokio::time::timeout;

use super::settings::{MailSettings, Relay, Security};

/// How long a relay may take until a connection to it is open.
const CONNECT_TIME_MAX: Duration = Duration::from_secs(15);
/// How long a relay may take over a farewell that nobody waits for.
const QUIT_TIME_MAX: Duration = Duration::from_secs(2);
/// The ways to tell a password, the safer to send first; all of them under TLS.
const MECHANISMS: [Mechanism; 2] = [Mechanism::Plain, Mechanism::Login];

/// The relay that mails are handed to.
pub(crate) struct Smtp {
    relay: Relay,
    from: Address,
    hello: ClientId,
    tls: Option<TlsParameters>,
}

impl Smtp {
    /// The relay of the settings, trusted as far as these certificates go.
    ///
    /// # Errors
    /// Why TLS cannot be spoken with it.
    pub(crate) fn new(settings: &MailSettings, trust: &Trust) -> Result<Self, String> {
        let relay = settings.relay.clone();
        let tls = match relay.security {
            Security::None => None,
            Security::Tls | Security::StartTls => {
                let mut tls =
                    TlsParameters::builder(relay.host.clone()).certificate_store(CertificateStore::None);
                for certificate in trust.certificates() {
                    let certificate = Certificate::from_der(certificate.to_vec());
                    tls = tls.add_root_certificate(certificate.map_err(|error| told(&error))?);
                }
                Some(tls.build_rustls().map_err(|error| told(&error))?)
            }
        };
        let from = settings.from.mailbox().email.clone();
        let hello = ClientId::Domain(settings.from.domain().to_owned());
        Ok(Self { relay, from, hello, tls })
    }

    /// A connection that is ready for a mail.
    async fn connect(&self) -> Result<AsyncSmtpConnection, Error> {
        let (address, tls) = ((self.relay.host.as_str(), self.relay.port), self.tls.clone());
        let at_once = tls.clone().filter(|_| self.relay.security == Security::Tls);
        let mut connection =
            AsyncSmtpConnection::connect_tokio1(address, Some(CONNECT_TIME_MAX), &self.hello, at_once, None)
                .await?;
        if self.relay.security == Security::StartTls
            && let Some(tls) = tls
        {
            connection.starttls(tls, &self.hello).await?; // which fails where it is not offered
        }
        if let Some((user, password)) = &self.relay.credentials {
            let credentials = Credentials::new(user.clone(), password.clone());
            connection.auth(&MECHANISMS, &credentials).await?;
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
            let mut connection = self.connect().await.map_err(|error| MailFailure::Relay(told(&error)))?;
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
