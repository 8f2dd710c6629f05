//! Tests of commands that connect to the operator API over HTTPS, over the socket and with a token from a
//! file.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair};

use crate::program::Demo;

/// The maximum number of times that a test checks whether the service has handled a signal.
const TRIES_MAX: usize = 500;

const LIST: &[&str] = &["business", "list"];

/// Replaces the service's certificate and key by a self-signed certificate for another name.
fn put_self_signed(dir: &Path) {
    let pair = rcgen::generate_simple_self_signed(["nobody.example".to_owned()]).unwrap();
    fs::write(dir.join("cert.pem"), pair.cert.pem()).unwrap();
    fs::write(dir.join("key.pem"), pair.signing_key.serialize_pem()).unwrap();
}

/// Replaces the service's certificate by one that a new CA has signed for this address. Returns the CA certificate.
fn put_signed(dir: &Path, address: &str) -> String {
    let (key, own) = (KeyPair::generate().unwrap(), KeyPair::generate().unwrap());
    let mut params = CertificateParams::new([]).unwrap();
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let authority = params.self_signed(&key).unwrap().pem();
    let signed = CertificateParams::new([address.to_owned()]).unwrap();
    let signed = signed.signed_by(&own, &Issuer::new(params, key)).unwrap();
    fs::write(dir.join("cert.pem"), signed.pem()).unwrap();
    fs::write(dir.join("key.pem"), own.serialize_pem()).unwrap();
    authority
}

const HTTPS: &[&str] = &["--admin-tls-cert", "cert.pem", "--admin-tls-key", "key.pem"];

#[test]
fn a_command_accepts_only_the_certificate_of_the_named_server() {
    let here = tempfile::tempdir().unwrap();
    put_self_signed(here.path());
    let demo = Demo::start_in(here, HTTPS);
    assert!(demo.says.iter().any(|line| line.starts_with("operator API on https://127.0.0.1:")));
    let named = [LIST, &["--admin-tls-cert", "cert.pem"]].concat();
    assert!(demo.printed(&named).contains("Salon Lumière"));
    let errors = demo.refused(LIST, 1);
    assert!(
        errors.contains(
            "does not respond with HTTP; if it uses HTTPS, set its certificate with --admin-tls-cert"
        ),
        "{errors}"
    );

    let others = tempfile::tempdir().unwrap();
    put_self_signed(others.path());
    let other = others.path().join("cert.pem").display().to_string();
    let errors = demo.refused(&[LIST, &["--admin-tls-cert", &other]].concat(), 1);
    assert!(errors.contains("cannot reach the operator API") && errors.contains("certificate"), "{errors}");
    for (file, why) in [("none.pem", "cannot be read"), ("key.pem", "contains no PEM certificate")] {
        let errors = demo.refused(&[LIST, &["--admin-tls-cert", file]].concat(), 2);
        assert!(errors.starts_with(&format!("RECEPTIONIST_ADMIN_TLS_CERT: {file}: {why}")), "{errors}");
    }
}

#[test]
fn a_command_connects_by_name_to_a_server_with_a_signed_certificate() {
    let here = tempfile::tempdir().unwrap();
    let authority = put_signed(here.path(), "localhost");
    fs::write(here.path().join("authority.pem"), authority).unwrap();
    let mut demo = Demo::start_in(here, HTTPS);
    let url = format!("https://localhost:{}", demo.operator_port());
    let named = [LIST, &["--admin-url", &url]].concat();
    let by_file = [&named[..], &["--admin-tls-cert", "authority.pem"]].concat();
    assert!(demo.printed(&by_file).contains("Salon Lumière"));
    // Without `--admin-tls-cert`, the command trusts the CA certificates of the system. `SSL_CERT_FILE` replaces
    // these certificates.
    let trusts = demo.run_in(&named, &[("SSL_CERT_FILE", "authority.pem")]);
    assert_eq!(trusts.code, Some(0), "{}", trusts.errors);
    let errors = demo.refused(&named, 1);
    assert!(errors.contains(&format!("cannot reach the operator API on localhost:{}", demo.operator_port())));
    assert!(errors.contains("certificate"), "{errors}");
    // A certificate that is not for the host name in the URL is refused, even if the command trusts its CA.
    let address = format!("https://127.0.0.1:{}", demo.operator_port());
    let errors =
        demo.refused(&[LIST, &["--admin-url", &address, "--admin-tls-cert", "authority.pem"]].concat(), 1);
    assert!(errors.contains("for another name"), "{errors}");
    let authority = put_signed(demo.here(), "elsewhere.example");
    fs::write(demo.here().join("authority.pem"), authority).unwrap();
    demo.signal("HUP");
    let exact = [&named[..], &["--admin-tls-cert", "cert.pem"]].concat();
    assert!((0..TRIES_MAX).any(|_| demo.run(&exact).code == Some(0)));
    let errors = demo.refused(&by_file, 1);
    assert!(errors.contains("for another name"), "{errors}");
    // A URL with a path is refused. Without TLS, a URL may contain the name `localhost` instead of an IP address.
    let errors = demo.refused(&[LIST, &["--admin-url", "https://localhost/admin"]].concat(), 2);
    assert!(errors.starts_with("RECEPTIONIST_ADMIN_URL (--admin-url) must have only a scheme"), "{errors}");
    demo.stop();
    let plain = Demo::start();
    let url = format!("http://localhost:{}", plain.operator_port());
    assert!(plain.printed(&[LIST, &["--admin-url", &url]].concat()).contains("Salon Lumière"));
}

#[test]
fn sighup_reloads_the_certificate() {
    let here = tempfile::tempdir().unwrap();
    put_self_signed(here.path());
    let mut demo = Demo::start_in(here, HTTPS);
    let authority = put_signed(demo.here(), "127.0.0.1");
    fs::write(demo.here().join("authority.pem"), authority).unwrap();
    let by_authority = [LIST, &["--admin-tls-cert", "authority.pem"]].concat();
    demo.signal("HUP");
    let served = (0..TRIES_MAX).any(|_| demo.run(&by_authority).code == Some(0));
    assert!(served, "the service never used the new certificate");
    // The service's new certificate is for another address. A command refuses this certificate, even if it trusts
    // the CA that signed it.
    let authority = put_signed(demo.here(), "127.0.0.2");
    fs::write(demo.here().join("authority.pem"), authority).unwrap();
    demo.signal("HUP");
    let exact = [LIST, &["--admin-tls-cert", "cert.pem"]].concat();
    assert!((0..TRIES_MAX).any(|_| demo.run(&exact).code == Some(0)));
    let errors = demo.refused(&by_authority, 1);
    assert!(errors.contains("for another name"), "{errors}");
    demo.signal("TERM");
    assert_eq!(demo.wait(), Some(0));
}

#[test]
fn sighup_does_not_end_a_service_without_certificates() {
    let mut demo = Demo::start();
    // SIGHUP ends a process that does not handle it.
    demo.signal("HUP");
    assert!(demo.printed(LIST).contains("Salon Lumière"));
    demo.signal("HUP");
    demo.signal("TERM");
    assert_eq!(demo.wait(), Some(0));
}

#[test]
fn without_an_address_a_command_uses_the_socket_in_the_data_directory() {
    let mut demo = Demo::start();
    let socket = demo.here().join("receptionist-demo/operator.sock");
    assert_eq!(fs::metadata(&socket).unwrap().permissions().mode() & 0o777, 0o600);
    let ran = demo.run_without_address(LIST);
    assert!(ran.code == Some(0) && ran.output.contains("Salon Lumière"), "{}", ran.errors);
    let wrong = [LIST, &["--data-dir", "receptionist-demo", "--admin-token", "another-token-0123"]].concat();
    let ran = demo.run_without_address(&wrong);
    assert!(ran.code == Some(1) && ran.errors.contains("refuses the operator's token"), "{}", ran.errors);
    // After a crash, the socket file still exists, but no program listens on the socket. A command then
    // sends no token.
    demo.stop();
    assert!(socket.exists());
    let ran = demo.run_without_address(LIST);
    assert_eq!((ran.code, ran.output.as_str()), (Some(1), ""));
    for words in ["no service runs on ./receptionist-demo", "operator.sock", "--admin-url"] {
        assert!(ran.errors.contains(words), "{}", ran.errors);
    }
    // The service replaces the socket when it starts again, and removes the socket when it stops.
    let mut demo = demo.again();
    assert_eq!(demo.run_without_address(LIST).code, Some(0));
    demo.signal("TERM");
    assert_eq!(demo.wait(), Some(0));
    assert!(!socket.exists());
}

#[test]
fn the_token_can_be_read_from_a_file() {
    let here = tempfile::tempdir().unwrap();
    fs::write(here.path().join("token"), "the-operators-own-token\n").unwrap();
    let demo = Demo::start_in(here, &["--admin-token-file", "token"]);
    assert!(demo.printed(&[LIST, &["--admin-token-file", "token"]].concat()).contains("Salon Lumière"));
    demo.printed(&[LIST, &["--admin-token", "the-operators-own-token"]].concat());
    let both = [LIST, &["--admin-token-file", "token", "--admin-token", "x"]].concat();
    let errors = demo.refused(&both, 2);
    assert!(errors.starts_with("RECEPTIONIST_ADMIN_TOKEN_FILE: must not be set when"), "{errors}");
    let errors = demo.refused(&[LIST, &["--admin-token-file", "none"]].concat(), 2);
    assert!(errors.starts_with("RECEPTIONIST_ADMIN_TOKEN_FILE: none: cannot be read: "), "{errors}");
}
