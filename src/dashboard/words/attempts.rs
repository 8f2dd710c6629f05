//! The reasons for failed attempts of webhooks and mails, in each language. Every reason has a text.

use domain::{AttemptError, AttemptFailure, MailError, MailFault};

use super::of;
use super::refusals::fill;
use crate::words::Words;

/// The reason, without a full stop at the end.
pub(in crate::dashboard) fn error(words: &Words, error: &AttemptError) -> String {
    match error {
        AttemptError::Failed(failure) => self::failure(words, *failure).to_owned(),
        AttemptError::Redirect(status) | AttemptError::Status(status) => {
            of(words.locale, "The response was {}", "La réponse a été {}").replace("{}", &status.to_string())
        }
        AttemptError::Other(text) => text.clone(),
    }
}

/// The reason why a mail was not sent, without a full stop at the end.
pub(in crate::dashboard) fn mail_error(words: &Words, error: &MailError) -> String {
    match error {
        MailError::Failed(fault) => mail_fault(words, *fault).to_owned(),
        MailError::Quoted(text) => text.clone(),
        MailError::NoAnswer(seconds) => {
            fill(words, [seconds.to_string()], "No response within {} s", "Pas de réponse en {} s")
        }
        MailError::NoConnection(seconds) => {
            fill(words, [seconds.to_string()], "No connection within {} s", "Pas de connexion en {} s")
        }
        MailError::NotMade(why) => {
            let why = [why.clone()];
            fill(words, why, "The mail cannot be composed: {}", "L’e-mail ne peut pas être préparé : {}")
        }
    }
}

fn mail_fault(words: &Words, fault: MailFault) -> &'static str {
    use MailFault as F;
    let (english, french) = match fault {
        F::Panicked => {
            ("The service failed while it composed the mail", "Le service a échoué en préparant l’e-mail")
        }
        F::NoRecipient => {
            ("The recipient’s account could not be read", "Le compte du destinataire n’a pas pu être lu")
        }
        F::Unreadable => {
            ("The data of the mail could not be read", "Les données de l’e-mail n’ont pas pu être lues")
        }
        F::NoPublicUrl => (
            "The service has no public address for the link",
            "Le service n’a pas d’adresse publique pour le lien",
        ),
        F::NoAddress => ("The relay’s name has no address", "Le nom du relais n’a pas d’adresse"),
        F::NoStartTls => ("The relay does not offer STARTTLS", "Le relais ne propose pas STARTTLS"),
        F::Closed => ("The relay closed the connection", "Le relais a fermé la connexion"),
        F::NoResponse => ("The relay gave no answer", "Le relais n’a pas répondu"),
        F::InvalidResponse => {
            ("The relay’s answer is not valid SMTP", "La réponse du relais n’est pas du SMTP valide")
        }
        F::LongResponse => ("The relay’s answer is too long", "La réponse du relais est trop longue"),
        F::DataBeforeTls => (
            "The relay, or an attacker in the network, sent unexpected data before TLS",
            "Le relais, ou un attaquant sur le réseau, a envoyé des données inattendues avant TLS",
        ),
        F::CertificateExpired => return failure(words, AttemptFailure::CertificateExpired),
        F::CertificateNotYetValid => return failure(words, AttemptFailure::CertificateNotYetValid),
        F::CertificateOtherName => return failure(words, AttemptFailure::CertificateOtherName),
        F::CertificateIssuer => return failure(words, AttemptFailure::CertificateIssuer),
        F::CertificateInvalid => return failure(words, AttemptFailure::CertificateInvalid),
        F::HandshakeRefused => {
            ("TLS. The relay refused the handshake", "TLS. Le relais a refusé la négociation")
        }
        F::NotTls => ("TLS. The relay does not speak TLS", "TLS. Le relais ne parle pas TLS"),
        F::HandshakeFailed => return failure(words, AttemptFailure::HandshakeFailed),
    };
    of(words.locale, english, french)
}

fn failure(words: &Words, failure: AttemptFailure) -> &'static str {
    use AttemptFailure as F;
    let (english, french) = match failure {
        F::NotPublic => ("Refused. The address is not public", "Refusé. L’adresse n’est pas publique"),
        F::UrlRefused => ("The address is refused", "L’adresse est refusée"),
        F::EventGone => ("The event was deleted", "L’événement a été supprimé"),
        F::Header => ("A header of the request is not valid", "Un en-tête de la requête n’est pas valide"),
        F::ConnectTimeout => ("Timed out while connecting", "Délai dépassé pendant la connexion"),
        F::HandshakeTimeout => {
            ("Timed out during the TLS handshake", "Délai dépassé pendant la négociation TLS")
        }
        F::ResponseTimeout => ("Timed out", "Délai dépassé"),
        F::ConnectionRefused => {
            ("No connection. The connection was refused", "Pas de connexion. La connexion a été refusée")
        }
        F::ConnectionReset => {
            ("No connection. The connection was reset", "Pas de connexion. L’hôte l’a coupée")
        }
        F::NetworkUnreachable => {
            ("No connection. The network cannot be reached", "Pas de connexion. Le réseau est injoignable")
        }
        F::HostUnreachable => {
            ("No connection. The host cannot be reached", "Pas de connexion. L’hôte est injoignable")
        }
        F::SystemTimeout => {
            ("No connection. The host did not respond in time", "Pas de connexion. Rien n’a répondu à temps")
        }
        F::ConnectFailed => {
            ("No connection. The connection attempt failed", "Pas de connexion. Elle a échoué")
        }
        F::HostName => (
            "TLS. A certificate cannot be issued for this host name",
            "TLS. Aucun certificat ne peut contenir ce nom",
        ),
        F::CertificateExpired => ("TLS. The certificate has expired", "TLS. Le certificat a expiré"),
        F::CertificateNotYetValid => {
            ("TLS. The certificate is not valid yet", "TLS. Le certificat n’est pas encore valide")
        }
        F::CertificateOtherName => {
            ("TLS. The certificate is for a different host name", "TLS. Le certificat vaut pour un autre nom")
        }
        F::CertificateIssuer => (
            "TLS. The certificate’s issuer is not trusted",
            "TLS. L’émetteur du certificat n’est pas reconnu",
        ),
        F::CertificateInvalid => ("TLS. The certificate is not valid", "TLS. Le certificat n’est pas valide"),
        F::HandshakeRefused => {
            ("TLS. The receiver refused the handshake", "TLS. Le récepteur a refusé la négociation")
        }
        F::HandshakeFailed => ("TLS. The handshake failed", "TLS. La négociation a échoué"),
        F::HandshakeClosed => (
            "TLS. The connection was closed during the handshake",
            "TLS. La connexion a été fermée pendant la négociation",
        ),
        F::Closed => (
            "Closed. The receiver closed the connection before it sent a response",
            "Fermé. Le récepteur a fermé la connexion avant d’envoyer une réponse",
        ),
        F::InvalidResponse => (
            "Invalid response. The response is not HTTP/1.1, or its head is too large",
            "Réponse non valide. Ce n’est pas du HTTP/1.1, ou son en-tête est trop long",
        ),
        F::Short => {
            ("Not sent. This service has no free connections", "Non envoyé. Ce service manque de connexions")
        }
        F::NoRoute => (
            "Not sent. This service has no access to any network",
            "Non envoyé. Ce service n’a accès à aucun réseau",
        ),
        F::NoNameServer => (
            "Not sent. This service cannot reach a name server",
            "Non envoyé. Ce service ne joint aucun serveur de noms",
        ),
    };
    of(words.locale, english, french)
}
