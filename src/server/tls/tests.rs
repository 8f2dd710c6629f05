use axum::Router;
use ports::system_clock;
use rustls::ClientConfig;
use rustls::pki_types::ServerName;
use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream, duplex};
use tokio::net::TcpStream;
use tokio::time::sleep;
use tokio_rustls::TlsConnector;

use super::*;
use crate::server::tests::{CROWD, GET_AND_CLOSE, connect_from, hello, limits, read_to_end, start_with};

const SETTINGS: TlsSettings = TlsSettings { cert: "THE_CERT", key: "THE_KEY" };

type Pair = rcgen::CertifiedKey<rcgen::KeyPair>;

fn pair() -> Pair {
    rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap()
}

fn pem_files() -> (tempfile::TempDir, TlsFiles, Pair) {
    let (dir, pair) = (tempfile::tempdir().unwrap(), pair());
    let (cert, key) = (dir.path().join("cert.pem"), dir.path().join("key.pem"));
    fs::write(&cert, pair.cert.pem()).unwrap();
    fs::write(&key, pair.signing_key.serialize_pem()).unwrap();
    (dir, TlsFiles { cert, key, settings: SETTINGS }, pair)
}

fn read(files: &TlsFiles) -> Result<Certificates, ConfigError> {
    Certificates::read(files, vec![], system_clock())
}

/// A connector that trusts these certificates.
fn connector(trusted: &[&Pair]) -> TlsConnector {
    let mut roots = rustls::RootCertStore::empty();
    for pair in trusted {
        roots.add(pair.cert.der().clone()).unwrap();
    }
    let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()));
    let config = config.with_safe_default_protocol_versions().unwrap();
    let mut config = config.with_root_certificates(roots).with_no_client_auth();
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    TlsConnector::from(Arc::new(config))
}

fn localhost() -> ServerName<'static> {
    ServerName::try_from("localhost").unwrap()
}

type Client = tokio_rustls::client::TlsStream<DuplexStream>;
type Server = tokio_rustls::server::TlsStream<DuplexStream>;

/// Connects a client that trusts only the certificate `with`. Returns `None` if the server used another certificate.
async fn connected(certificates: &Certificates, with: &Pair) -> Option<(Client, Server)> {
    let (ours, theirs) = duplex(64 * 1024);
    let connector = connector(&[with]);
    let (client, server) =
        tokio::join!(connector.connect(localhost(), ours), certificates.acceptor().accept(theirs));
    Some((client.ok()?, server.ok()?))
}

#[test]
fn a_certificate_covers_its_names_and_wildcards() {
    let (_dir, files, _) = pem_files();
    let certificates = read(&files).unwrap();
    assert!(certificates.names("localhost") && !certificates.names("desk.example"));
    let other = rcgen::generate_simple_self_signed(["*.desk.example".to_owned()]).unwrap();
    fs::write(&files.cert, other.cert.pem()).unwrap();
    fs::write(&files.key, other.signing_key.serialize_pem()).unwrap();
    certificates.read_again();
    assert!(certificates.names("a.desk.example"));
    for name in ["localhost", "desk.example", "a.b.desk.example", "a.desk.example.evil", ""] {
        assert!(!certificates.names(name), "{name}");
    }
}

#[tokio::test]
async fn with_a_certificate_and_a_key_the_listener_uses_https() {
    let (_dir, files, pair) = pem_files();
    // A client that does not perform the TLS handshake loses its slot to the next client.
    let certificates = read(&files).unwrap();
    let app: Router = hello();
    let (address, _stop, _server) = start_with(limits(1, 1), Some(certificates), app).await;
    let mut silent = connect_from(CROWD, address).await;
    let stream = TcpStream::connect(address).await.unwrap();
    let mut client = connector(&[&pair]).connect(localhost(), stream).await.unwrap();
    assert_eq!(client.get_ref().1.alpn_protocol(), Some(&b"http/1.1"[..]));
    client.write_all(GET_AND_CLOSE).await.unwrap();
    assert!(read_to_end(&mut client).await.ends_with("hello"));
    assert_eq!(read_to_end(&mut silent).await, "");
}

#[tokio::test(start_paused = true)]
async fn a_new_certificate_is_used_soon_after_a_change_and_open_connections_stay_open() {
    let (_dir, files, old) = pem_files();
    let certificates = read(&files).unwrap();
    let watching = tokio::spawn(certificates.clone().watch());
    let (mut client, mut server) = connected(&certificates, &old).await.unwrap();
    let new = pair();
    // Renewal tools replace the certificate and the key one after the other. Each replacement is atomic.
    let put = |path: &Path, text: String| {
        let beside = path.with_extension("new");
        fs::write(&beside, text).unwrap();
        fs::rename(beside, path).unwrap();
    };
    put(&files.cert, new.cert.pem());
    sleep(2 * CHECK_EVERY).await;
    assert!(
        connected(&certificates, &old).await.is_some(),
        "the server must keep its certificate until the new key exists"
    );
    assert!(connected(&certificates, &new).await.is_none());
    put(&files.key, new.signing_key.serialize_pem());
    sleep(2 * CHECK_EVERY).await;
    assert!(connected(&certificates, &old).await.is_none());
    assert!(connected(&certificates, &new).await.is_some());
    fs::remove_file(&files.key).unwrap();
    sleep(2 * CHECK_EVERY).await;
    assert!(connected(&certificates, &new).await.is_some(), "a deleted key must not change the certificate");
    client.write_all(b"still here").await.unwrap();
    client.flush().await.unwrap();
    let mut read = [0; 10];
    server.read_exact(&mut read).await.unwrap();
    assert_eq!(&read, b"still here");
    watching.abort();
}

#[tokio::test]
async fn files_are_read_again_immediately_on_request() {
    let (_dir, files, old) = pem_files();
    let certificates = read(&files).unwrap();
    let new = pair();
    fs::write(&files.cert, new.cert.pem()).unwrap();
    certificates.read_again();
    assert!(connected(&certificates, &old).await.is_some());
    fs::write(&files.key, new.signing_key.serialize_pem()).unwrap();
    assert!(connected(&certificates, &new).await.is_none());
    certificates.read_again();
    assert!(connected(&certificates, &new).await.is_some());
}

#[test]
fn invalid_pem_files_give_one_line_with_file_and_variable() {
    let (dir, files, _) = pem_files();
    let (_other_dir, other, _) = pem_files();
    let empty = dir.path().join("empty.pem");
    fs::write(&empty, "nothing").unwrap();
    let none = dir.path().join("none.pem");
    let with = |cert: &Path, key: &Path| {
        let files = TlsFiles { cert: cert.to_owned(), key: key.to_owned(), settings: SETTINGS };
        read(&files).err().unwrap().to_string()
    };
    for (error, start, end) in [
        (with(&none, &files.key), "THE_CERT: cannot read", "No such file or directory (os error 2)"),
        (with(&empty, &files.key), "THE_CERT: cannot read", "it contains no PEM certificate"),
        (with(&files.cert, &empty), "THE_KEY: cannot read", "it contains no PEM private key"),
        (with(&files.cert, &other.key), "THE_CERT: cannot use", ""),
    ] {
        assert!(error.starts_with(start) && error.ends_with(end) && !error.contains('\n'), "{error}");
    }
}
