//! Webhook receivers with TLS. They respond immediately and check every signature.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};
use std::convert::Infallible;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use bytes::Bytes;
use hmac::{Hmac, Mac};
use http_body_util::{BodyExt, Empty};
use hyper::body::Incoming;
use hyper::{HeaderMap, Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use parking_lot::Mutex;
use rcgen::{BasicConstraints, CertificateParams, DnType, IsCa, Issuer, KeyPair};
use rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};
use rustls::{ClientConfig, RootCertStore, ServerConfig};
use serde::Deserialize;
use sha2::Sha256;
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio_rustls::TlsAcceptor;

use super::address::{address, host};
use crate::error::Result;

/// The path to which the client of the module `bare` posts. This client signs its requests with [`BARE_KEY`].
pub(crate) const BARE_PATH: &str = "/bare";
pub(crate) const BARE_KEY: [u8; 32] = [7; 32];

/// The receivers. They run on threads of their own until the process ends.
pub(crate) struct Receivers {
    pub(crate) inbox: Arc<Inbox>,
    gate: watch::Sender<bool>,
    /// A client configuration that trusts the CA certificate of the receivers.
    pub(crate) client: Arc<ClientConfig>,
    /// A TLS acceptor with the receivers' certificate.
    pub(crate) acceptor: TlsAcceptor,
}

/// The events that each endpoint has received.
#[derive(Default)]
pub(crate) struct Inbox {
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    keys: Vec<Vec<u8>>,
    /// For each endpoint and event: the appointment, and the time at which the event arrived for the first time.
    events: HashMap<(usize, String), (String, Instant)>,
    /// The number of events that arrived more than once.
    repeated: usize,
    /// The reason why a delivery was refused. Only the first reason is kept.
    wrong: Option<String>,
    last: Option<Instant>,
    sample: Option<Bytes>,
}

/// The parts of an event that the receivers read.
#[derive(Deserialize)]
struct Event<'a> {
    id: &'a str,
    data: Resource<'a>,
}

#[derive(Deserialize)]
struct Resource<'a> {
    id: &'a str,
}

impl Receivers {
    /// Starts the receivers. Writes the CA certificate of the receivers to a file. The receivers' own certificate is
    /// also valid for the names in `further`.
    pub(crate) fn start(count: usize, further: &[String], authority_file: &Path) -> Result<Self> {
        let mut params = CertificateParams::new([])?;
        params.distinguished_name.push(DnType::CommonName, "an authority for benches");
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let key = KeyPair::generate()?;
        let authority = params.self_signed(&key)?;
        std::fs::write(authority_file, authority.pem())?;
        let mut roots = RootCertStore::empty();
        roots.add(authority.der().clone())?;
        let own = KeyPair::generate()?;
        let names: Vec<String> = (0..count).map(host).chain(further.iter().cloned()).collect();
        let certificate = CertificateParams::new(names)?.signed_by(&own, &Issuer::new(params, key))?;
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let server = ServerConfig::builder_with_provider(Arc::clone(&provider))
            .with_safe_default_protocol_versions()?
            .with_no_client_auth()
            .with_single_cert(
                vec![certificate.der().clone()],
                PrivateKeyDer::from(PrivatePkcs8KeyDer::from(own.serialize_der())),
            )?;
        let client = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()?
            .with_root_certificates(roots)
            .with_no_client_auth();
        let (gate, opened) = watch::channel(true);
        let inbox = Arc::new(Inbox::default());
        let served = Arc::clone(&inbox);
        let acceptor = TlsAcceptor::from(Arc::new(server));
        let accepting = acceptor.clone();
        let listeners = (0..count).map(|number| std::net::TcpListener::bind((address(number), 443)));
        let listeners = listeners.collect::<std::io::Result<Vec<_>>>()?;
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
        std::thread::spawn(move || {
            runtime.block_on(async move {
                for (number, listener) in listeners.into_iter().enumerate() {
                    let (acceptor, inbox, gate) = (accepting.clone(), Arc::clone(&served), opened.clone());
                    tokio::spawn(async move { serve(number, listener, acceptor, inbox, gate).await });
                }
                std::future::pending::<()>().await;
            });
        });
        Ok(Self { inbox, gate, client: Arc::new(client), acceptor })
    }

    /// If `open` is true, the receivers respond immediately. Otherwise they delay their responses.
    pub(crate) fn open(&self, open: bool) {
        self.gate.send_replace(open);
    }
}

async fn serve(
    number: usize,
    listener: std::net::TcpListener,
    acceptor: TlsAcceptor,
    inbox: Arc<Inbox>,
    gate: watch::Receiver<bool>,
) -> Result<()> {
    listener.set_nonblocking(true)?;
    let listener = TcpListener::from_std(listener)?;
    loop {
        let (stream, _) = listener.accept().await?;
        stream.set_nodelay(true)?;
        let (acceptor, inbox, gate) = (acceptor.clone(), Arc::clone(&inbox), gate.clone());
        tokio::spawn(async move {
            let Ok(stream) = acceptor.accept(stream).await else { return };
            let answer = |request: Request<Incoming>| {
                let (inbox, mut gate) = (Arc::clone(&inbox), gate.clone());
                async move {
                    let _ = gate.wait_for(|open| *open).await;
                    let mut response = Response::new(Empty::<Bytes>::new());
                    *response.status_mut() = match inbox.take(number, request).await {
                        Ok(()) => StatusCode::NO_CONTENT,
                        Err(error) => {
                            inbox.state.lock().wrong = Some(error.to_string());
                            StatusCode::BAD_REQUEST
                        }
                    };
                    Ok::<_, Infallible>(response)
                }
            };
            let service = hyper::service::service_fn(answer);
            let _ = hyper::server::conn::http1::Builder::new()
                .serve_connection(TokioIo::new(stream), service)
                .await;
        });
    }
}

impl Inbox {
    /// Forgets all received events. From now on, deliveries must be signed with the given secrets.
    pub(crate) fn expect(&self, secrets: Vec<String>) {
        let key =
            |secret: String| BASE64_STANDARD.decode(secret.trim_start_matches("whsec_")).unwrap_or_default();
        *self.state.lock() = State { keys: secrets.into_iter().map(key).collect(), ..State::default() };
    }

    /// Returns the number of different events, and the time at which the last one arrived.
    pub(crate) fn arrived(&self) -> (usize, Instant) {
        let state = self.state.lock();
        (state.events.len(), state.last.unwrap_or_else(Instant::now))
    }

    /// Returns, for each appointment, the time at which its event arrived for the first time.
    pub(crate) fn arrivals(&self) -> HashMap<String, Instant> {
        self.state.lock().events.values().cloned().collect()
    }

    /// Returns an error if a delivery was refused.
    pub(crate) fn wrong(&self) -> Result<()> {
        let wrong = self.state.lock().wrong.clone();
        wrong.map_or(Ok(()), |wrong| Err(format!("a delivery was refused: {wrong}").into()))
    }

    /// Returns the body of a received event.
    pub(crate) fn sample(&self) -> Option<Vec<u8>> {
        self.state.lock().sample.as_ref().map(|sample| sample.to_vec())
    }

    /// Checks that each endpoint has received exactly one event for each of these appointments. Returns the number of
    /// events that arrived more than once.
    pub(crate) fn check(&self, appointments: &[String]) -> Result<usize> {
        self.wrong()?;
        let state = self.state.lock();
        let expected: HashSet<&str> = appointments.iter().map(String::as_str).collect();
        for endpoint in 0..state.keys.len() {
            let of_endpoint = state.events.iter().filter(|((to, _), _)| *to == endpoint);
            let found: Vec<&str> = of_endpoint.map(|(_, (appointment, _))| appointment.as_str()).collect();
            let distinct: HashSet<&str> = found.iter().copied().collect();
            if distinct != expected || found.len() != expected.len() {
                return Err(format!(
                    "endpoint {endpoint} received {} appointments in {} events, but {} were booked",
                    distinct.len(),
                    found.len(),
                    expected.len()
                )
                .into());
            }
        }
        Ok(state.repeated)
    }

    /// Accepts a delivery if its signature is valid.
    async fn take(&self, endpoint: usize, request: Request<Incoming>) -> Result<()> {
        let (head, body) = request.into_parts();
        let body = body.collect().await?.to_bytes();
        let header = |name: &str| text(&head.headers, name);
        let (id, timestamp) = (header("webhook-id")?, header("webhook-timestamp")?);
        let bare = head.uri.path() == BARE_PATH;
        let key = if bare {
            BARE_KEY.to_vec()
        } else {
            self.state.lock().keys.get(endpoint).cloned().ok_or("this endpoint is not subscribed")?
        };
        if header("webhook-signature")? != signature(&key, id, timestamp, &body)? {
            return Err(format!("the signature of {id} is invalid").into());
        }
        if bare {
            return Ok(());
        }
        let event: Event<'_> = serde_json::from_slice(&body)?;
        if event.id != id {
            return Err(format!("the event {} has the webhook-id {id}", event.id).into());
        }
        let appointment = event.data.id.to_owned();
        let mut state = self.state.lock();
        let now = Instant::now();
        match state.events.entry((endpoint, id.to_owned())) {
            Entry::Occupied(_) => state.repeated += 1,
            Entry::Vacant(entry) => _ = entry.insert((appointment, now)),
        }
        state.last = Some(now);
        state.sample.get_or_insert(body);
        Ok(())
    }
}

fn text<'a>(headers: &'a HeaderMap, name: &str) -> Result<&'a str> {
    Ok(headers.get(name).ok_or_else(|| format!("the header {name} is missing"))?.to_str()?)
}

/// Computes the signature according to the Standard Webhooks specification. The harness checks the service's
/// signatures with this second implementation.
pub(crate) fn signature(key: &[u8], id: &str, timestamp: &str, body: &[u8]) -> Result<String> {
    let mut mac = Hmac::<Sha256>::new_from_slice(key)?;
    mac.update(format!("{id}.{timestamp}.").as_bytes());
    mac.update(body);
    Ok(format!("v1,{}", BASE64_STANDARD.encode(mac.finalize().into_bytes())))
}
