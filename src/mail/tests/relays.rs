//! The SMTP dialogue with relays. The relay is a real server on the loopback interface.

use std::time::Duration;

use domain::MailFault;
use net::Trust;
use ports::{MadeMail, MailFailure, Mailer};
use rcgen::{BasicConstraints, CertificateParams, CertifiedKey, IsCa, KeyPair};
use tokio::time::timeout;

use super::super::{MailSettings, Smtp};
use super::server::{At, Does, Manner, Server};

const PLAIN: Manner = Manner { tls: false, starttls: false, password: None, odd: None };

/// A client for this server. The relay URL in the settings of the client has this scheme and this user.
fn smtp(server: &Server, scheme: &str, user: &str) -> Smtp {
    let trust = Trust::none().and(&server.certificate).unwrap();
    trusting(server, scheme, user, &trust)
}

fn trusting(server: &Server, scheme: &str, user: &str, trust: &Trust) -> Smtp {
    let relay = format!("{scheme}://{user}localhost:{}", server.address.port()).parse().unwrap();
    let from = "Desk <desk@example.com>".parse().unwrap();
    Smtp::new(&MailSettings { relay, from }, trust).unwrap()
}

fn mail() -> MadeMail {
    MadeMail { to: "ada@example.org".into(), bytes: b"Subject: a\r\n\r\none\r\n.two\r\n".to_vec() }
}

fn is_of_relay(failure: &MailFailure, text: &str) -> bool {
    matches!(failure, MailFailure::Relay(error) if error.to_string().contains(text))
}

#[tokio::test]
async fn a_mail_is_sent_over_tls_from_the_first_byte_with_the_password() {
    let manner = Manner { tls: true, password: Some(("us@er", "pa:ss")), ..PLAIN };
    let server = Server::start(manner).await;
    let answer = smtp(&server, "smtps", "us%40er:pa%3Ass@").send(&mail()).await;
    assert_eq!(answer, Ok("250 2.0.0 taken as 7".into()));
    let heard = server.heard.lock();
    assert!(heard.commands.iter().all(|(is_tls, _)| *is_tls), "{:?}", heard.commands);
    let commands: Vec<_> = heard.commands.iter().map(|(_, line)| line.as_str()).collect();
    assert_eq!(commands[0], "EHLO example.com");
    assert!(commands[1].starts_with("AUTH PLAIN "), "{commands:?}");
    assert_eq!(commands[2..5], ["MAIL FROM:<desk@example.com>", "RCPT TO:<ada@example.org>", "DATA"]);
    assert!(
        heard.mails[0].starts_with(b"Subject: a\r\n\r\none\r\n.two\r\n"),
        "the dots at the start of lines must be unchanged"
    );
}

#[tokio::test]
async fn neither_password_nor_mail_is_sent_before_starttls_has_begun() {
    let manner = Manner { starttls: true, password: Some(("u", "p")), ..PLAIN };
    let server = Server::start(manner).await;
    assert!(smtp(&server, "smtp", "u:p@").send(&mail()).await.is_ok());
    let heard = server.heard.lock();
    let open: Vec<_> =
        heard.commands.iter().filter(|(is_tls, _)| !is_tls).map(|(_, line)| line.as_str()).collect();
    assert_eq!(open, ["EHLO example.com", "STARTTLS"]);
    assert_eq!(heard.mails.len(), 1);
}

#[tokio::test]
async fn a_relay_without_starttls_gets_nothing() {
    let server = Server::start(Manner { password: Some(("u", "p")), ..PLAIN }).await;
    let failure = smtp(&server, "smtp", "u:p@").send(&mail()).await.unwrap_err();
    assert!(is_of_relay(&failure, "STARTTLS"), "{failure:?}");
    let heard = server.heard.lock();
    assert!(
        heard.commands.iter().all(|(_, line)| line.starts_with("EHLO") || line == "QUIT"),
        "{:?}",
        heard.commands
    );
}

/// An attacker on the network could send data in the name of the relay before TLS begins. The client must
/// not use this data as responses after TLS has begun.
#[tokio::test]
async fn plain_data_after_the_start_of_tls_fails_the_attempt() {
    let injected = "220 go ahead\r\n250-relay.example.com\r\n250 AUTH PLAIN\r\n235 ok\r\n250 ok\r\n250 ok\r\n354 go ahead\r\n250 taken";
    for says in [injected, "220 go ahead\r\n2"] {
        let manner = Manner { starttls: true, odd: Some((At::StartTls, Does::Says(says))), ..PLAIN };
        let server = Server::start(manner).await;
        let failure = smtp(&server, "smtp", "u:p@").send(&mail()).await.unwrap_err();
        assert!(is_of_relay(&failure, "before TLS"), "{failure:?}");
        let heard = server.heard.lock();
        let said: Vec<_> = heard.commands.iter().map(|(_, line)| line.as_str()).collect();
        assert_eq!(said, ["EHLO example.com", "STARTTLS"]);
    }
    let refused =
        Manner { starttls: true, odd: Some((At::StartTls, Does::Says("454 4.7.0 not now"))), ..PLAIN };
    let failure = smtp(&Server::start(refused).await, "smtp", "u:p@").send(&mail()).await.unwrap_err();
    assert!(is_of_relay(&failure, "454 4.7.0 not now"), "{failure:?}");
}

#[tokio::test]
async fn an_endless_response_ends_the_attempt() {
    // The relay sends until the client closes the connection. The buffers of both sockets hold fewer bytes than
    // `BUFFERED_MAX`. So if the relay has sent `BUFFERED_MAX` bytes, the client has continued to read.
    const BUFFERED_MAX: usize = 32 << 20;
    for (scheme, starttls, step) in [
        ("smtp+plain", false, At::Greeting),
        ("smtp+plain", false, At::Mail),
        ("smtp+plain", false, At::End),
        ("smtp", true, At::Greeting),
        ("smtp", true, At::StartTls),
        ("smtp", true, At::Mail),
    ] {
        let manner = Manner { starttls, odd: Some((step, Does::Floods)), ..PLAIN };
        let server = Server::start(manner).await;
        let failure = smtp(&server, scheme, "").send(&mail()).await.unwrap_err();
        assert!(is_of_relay(&failure, "too long"), "{scheme} {step:?}: {failure:?}");
        assert!(server.heard.lock().flooded < BUFFERED_MAX);
    }
}

#[tokio::test]
async fn a_relay_with_an_untrusted_certificate_gets_nothing() {
    for (scheme, manner) in
        [("smtps", Manner { tls: true, ..PLAIN }), ("smtp", Manner { starttls: true, ..PLAIN })]
    {
        let (server, other) = (Server::start(manner).await, Server::start(manner).await);
        for trust in [Trust::none(), Trust::none().and(&other.certificate).unwrap()] {
            let failure = trusting(&server, scheme, "u:p@", &trust).send(&mail()).await.unwrap_err();
            assert!(matches!(failure, MailFailure::Relay(_)), "{failure:?}");
        }
        let heard = server.heard.lock();
        assert!(heard.commands.iter().all(|(is_tls, _)| !is_tls) && heard.mails.is_empty());
        assert!(heard.commands.iter().all(|(_, line)| !line.contains("AUTH")), "{:?}", heard.commands);
    }
}

/// By default, `openssl req -x509` makes a self-signed certificate that is marked as a CA certificate. Operators
/// may use such a certificate for a relay.
#[tokio::test]
async fn a_relay_may_use_a_trusted_certificate_that_is_marked_as_an_authority() {
    let authority = |host: &str| {
        let signing_key = KeyPair::generate().unwrap();
        let mut params = CertificateParams::new([host.to_owned()]).unwrap();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        CertifiedKey { cert: params.self_signed(&signing_key).unwrap(), signing_key }
    };
    let manner = Manner { tls: true, ..PLAIN };
    let server = Server::start_with(manner, authority("localhost")).await;
    assert!(smtp(&server, "smtps", "").send(&mail()).await.is_ok());
    let fault = |fault: MailFault| Err(MailFailure::Relay(fault.into()));
    let unknown = trusting(&server, "smtps", "", &Trust::none()).send(&mail()).await;
    assert_eq!(unknown, fault(MailFault::CertificateIssuer));
    let other = Server::start_with(manner, authority("other.example")).await;
    let other = smtp(&other, "smtps", "").send(&mail()).await;
    assert_eq!(other, fault(MailFault::CertificateOtherName));
}

#[tokio::test]
async fn a_refused_password_is_a_problem_of_the_relay() {
    let server = Server::start(Manner { tls: true, password: Some(("u", "p")), ..PLAIN }).await;
    for user in ["u:wrong@", "x:p@"] {
        let failure = smtp(&server, "smtps", user).send(&mail()).await.unwrap_err();
        assert!(is_of_relay(&failure, "535") || is_of_relay(&failure, "password"), "{failure:?}");
        assert!(!failure.to_string().contains("wrong@"), "{failure:?}");
    }
}

#[tokio::test]
async fn responses_to_a_mail_are_classified() {
    let steps = [At::Mail, At::Rcpt, At::Data, At::End];
    for step in steps {
        for (says, expected) in [
            ("450 4.2.1 try later", "Refused"),
            ("550 5.1.1 no such user", "RefusedForGood"),
            ("421 4.3.2 shutting down", "Relay"),
        ] {
            let server = Server::start(Manner { odd: Some((step, Does::Says(says))), ..PLAIN }).await;
            let failure = smtp(&server, "smtp+plain", "").send(&mail()).await.unwrap_err();
            let named = format!("{failure:?}");
            assert!(named.starts_with(&format!("{expected}(")), "{step:?}: {named}");
            assert!(failure.to_string().contains(&says[10..]), "{step:?}: {named}");
            assert!(server.heard.lock().mails.is_empty());
        }
    }
}

#[tokio::test]
async fn a_closed_connection_or_a_refusing_greeting_is_a_problem_of_the_relay() {
    let odd = [
        (At::Greeting, Does::Closes),
        (At::Greeting, Does::Says("554 5.3.2 not today")),
        (At::Mail, Does::Closes),
        (At::Data, Does::Closes),
        (At::Body, Does::Closes),
        (At::End, Does::Closes),
    ];
    for odd in odd {
        let server = Server::start(Manner { odd: Some(odd), ..PLAIN }).await;
        let failure = smtp(&server, "smtp+plain", "").send(&mail()).await.unwrap_err();
        assert!(matches!(failure, MailFailure::Relay(_)), "{odd:?}: {failure:?}");
    }
    // A port on which no program listens.
    let gone = {
        let server = Server::start(PLAIN).await;
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        Server { address: listener.local_addr().unwrap(), ..server }
    };
    let failure = smtp(&gone, "smtp+plain", "").send(&mail()).await.unwrap_err();
    assert!(matches!(failure, MailFailure::Relay(_)), "{failure:?}");
}

/// The relay never responds. The attempt ends at the caller's deadline.
#[tokio::test]
async fn an_attempt_with_a_hanging_relay_ends_at_the_callers_deadline() {
    for step in [At::Greeting, At::Rcpt, At::Body, At::End] {
        let server = Server::start(Manner { odd: Some((step, Does::Hangs)), ..PLAIN }).await;
        let smtp = smtp(&server, "smtp+plain", "");
        let mail = mail();
        // Paused time advances to the deadline as soon as no task can run.
        tokio::time::pause();
        let asked = timeout(Duration::from_secs(60), smtp.send(&mail)).await;
        tokio::time::resume();
        assert!(asked.is_err(), "{step:?}: {asked:?}");
        assert!(server.heard.lock().mails.is_empty());
    }
}

#[tokio::test]
async fn an_invalid_address_is_refused_without_a_connection() {
    let server = Server::start(PLAIN).await;
    let mail = MadeMail { to: "ada@example.org>\r\nRCPT TO:<eve@example.net".into(), ..mail() };
    let failure = smtp(&server, "smtp+plain", "").send(&mail).await.unwrap_err();
    assert!(matches!(failure, MailFailure::RefusedForGood(_)), "{failure:?}");
    assert!(server.heard.lock().commands.is_empty());
}

/// An invalid address is refused when it is configured, not when a mail is sent.
#[test]
fn every_accepted_address_can_be_mailed_to() {
    let parts = [
        "a",
        "A.b",
        "o'brien+tag",
        "zoë",
        "日本",
        "!#$%&'*+-/=?^_`{|}~",
        "a..b",
        "\"a b\"",
        "a,b",
        "<a>",
        "a\u{7f}",
    ];
    let domains = [
        "x",
        "x.example",
        "1-2.example",
        "exämple.com",
        "例え.jp",
        "x..y",
        "-x",
        "[192.0.2.1]",
        "x_y.z",
        "a b",
    ];
    let mut taken = 0;
    for (local, domain) in parts.iter().flat_map(|part| domains.map(|domain| (part, domain))) {
        let written = format!("{local}@{domain}");
        if domain::Address::new(&written).is_ok() {
            written.parse::<lettre::Address>().unwrap_or_else(|error| panic!("{written}: {error}"));
            taken += 1;
        }
    }
    assert_eq!(taken, 6 * 5);
}
