//! The HTTP client of a chat model's server, whose address the operator has set.
//!
//! Invariants:
//!
//! - Data is sent without TLS only to an address of this machine or of a private network.
//! - Redirects are returned to the caller and not followed.
//! - The body of a response is returned in pieces as it arrives. The client stores no part of it.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use domain::{Host, is_public};
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HOST, HeaderValue, USER_AGENT};
use hyper::http::uri::PathAndQuery;
use hyper::{Method, Request, Uri};
use ports::{BoxFuture, ModelBody, ModelFault, ModelResponse, ModelServer};
use tokio::time::{Instant, timeout_at};

use super::client::AGENT;
use super::connection::{Connection, Connector};
use super::guard::{Guard, LookupStage, Purpose, Reach};
use super::outage::Network;
use super::system::Ports;
use super::trust::{Trust, receiver_config};

/// The maximum time from the lookup of the host to an open connection. The caller sets the timeout of the response.
const CONNECT_TIME_MAX: Duration = Duration::from_secs(8);

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelAddress {
    pub has_tls: bool,
    pub host: Host,
    pub port: u16,
    /// The path of the requests.
    pub path: String,
}

pub struct ModelClient {
    guard: Guard,
    connector: Connector,
    address: ModelAddress,
    target: PathAndQuery,
    authority: HeaderValue,
    authorization: Option<HeaderValue>,
}

impl ModelClient {
    /// Creates a client. Returns `None` if the path or the key contains a character that a request cannot contain.
    pub fn new(ports: &Ports, trust: &Trust, address: ModelAddress, key: Option<&str>) -> Option<Self> {
        let tls = receiver_config(trust, Arc::clone(&ports.clock));
        let usual = if address.has_tls { 443 } else { 80 };
        let authority = if address.port == usual {
            address.host.to_string()
        } else {
            format!("{}:{}", address.host, address.port)
        };
        let authorization = match key {
            Some(key) => {
                let mut value = HeaderValue::try_from(format!("Bearer {key}")).ok()?;
                value.set_sensitive(true);
                Some(value)
            }
            None => None,
        };
        Some(Self {
            guard: Guard::new(
                Purpose::Model,
                Network::new(Arc::clone(&ports.resolver), Arc::clone(&ports.dialer)),
            ),
            connector: Connector::new(Arc::clone(&ports.dialer), tls),
            target: address.path.parse().ok()?,
            authority: HeaderValue::try_from(authority).ok()?,
            authorization,
            address,
        })
    }

    /// Resolves the addresses of the server. Without TLS, returns `None` if one of them is public.
    async fn targets(&self) -> Option<Vec<SocketAddr>> {
        let ModelAddress { has_tls, host, port, .. } = &self.address;
        if let Host::Name(name) = host
            && (name == "localhost" || name.ends_with(".localhost"))
        {
            let loopback: [IpAddr; 2] = [Ipv4Addr::LOCALHOST.into(), Ipv6Addr::LOCALHOST.into()];
            return Some(loopback.map(|address| SocketAddr::new(address, *port)).into());
        }
        let found = self.guard.check_host((host, *port), LookupStage::Attempt, Reach::Listed).await.ok()?;
        Some(found).filter(|found| *has_tls || !found.iter().any(|target| is_public(target.ip())))
    }

    async fn connect(&self) -> Option<Connection> {
        let deadline = Instant::now() + CONNECT_TIME_MAX;
        let targets = timeout_at(deadline, self.targets()).await.ok()??;
        let connected = if self.address.has_tls {
            self.connector.connect_to(&self.address.host, &targets, deadline).await
        } else {
            self.connector.connect_plain(&targets, deadline).await
        };
        let host = &self.address.host;
        connected
            .inspect_err(|failure| tracing::debug!(model.host = %host, ?failure, "the model's server cannot be reached"))
            .ok()
    }

    fn request(&self, body: Vec<u8>) -> Request<Full<Bytes>> {
        let mut request = Request::new(Full::new(Bytes::from(body)));
        (*request.method_mut(), *request.uri_mut()) = (Method::POST, Uri::from(self.target.clone()));
        let headers = request.headers_mut();
        headers.insert(HOST, self.authority.clone());
        headers.insert(USER_AGENT, HeaderValue::from_static(AGENT));
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        headers.insert(ACCEPT, HeaderValue::from_static("text/event-stream, application/json"));
        if let Some(authorization) = &self.authorization {
            headers.insert(AUTHORIZATION, authorization.clone());
        }
        request
    }
}

impl ModelServer for ModelClient {
    fn ask(&self, body: Vec<u8>) -> BoxFuture<'_, Result<ModelResponse, ModelFault>> {
        Box::pin(async move {
            let mut connection = self.connect().await.ok_or(ModelFault::Unreachable)?;
            let response = connection.sender.send_request(self.request(body)).await;
            let (head, body) = response.map_err(|_| ModelFault::Closed)?.into_parts();
            let body = Box::new(Body { body, _connection: connection });
            Ok(ModelResponse { status: head.status.as_u16(), body })
        })
    }
}

struct Body {
    body: Incoming,
    /// The connection is closed when the body is dropped.
    _connection: Connection,
}

impl ModelBody for Body {
    fn next(&mut self) -> BoxFuture<'_, Option<Vec<u8>>> {
        Box::pin(async {
            loop {
                let frame = self.body.frame().await?.ok()?;
                if let Ok(data) = frame.into_data() {
                    return Some(data.into());
                }
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::TcpListener;

    use super::super::testing::{Authority, FakeDns, FakeNet, Place, Receiver, Then};
    use super::*;

    const ANSWER: &[u8] = b"HTTP/1.1 200 OK\r\ncontent-length: 6\r\n\r\nhello!";

    fn client(dns: FakeDns, net: FakeNet, trust: &Trust, address: ModelAddress) -> ModelClient {
        let system = Ports::system().unwrap();
        let ports = Ports { resolver: Arc::new(dns), dialer: Arc::new(net), ..system };
        ModelClient::new(&ports, trust, address, Some("sk-1")).unwrap()
    }

    fn address(has_tls: bool, host: Host, port: u16) -> ModelAddress {
        ModelAddress { has_tls, host, port, path: "/v1/chat/completions".into() }
    }

    async fn whole(client: &ModelClient) -> Result<(u16, Vec<u8>), ModelFault> {
        let mut response = client.ask(b"{}".to_vec()).await?;
        let mut body = Vec::new();
        while let Some(bytes) = response.body.next().await {
            body.extend(bytes);
        }
        Ok((response.status, body))
    }

    #[tokio::test]
    async fn a_server_on_this_machine_is_asked_without_tls() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let served = tokio::spawn(async move {
            let (mut stream, _) = listener.accept().await.unwrap();
            let mut request = vec![0; 4096];
            let read = stream.read(&mut request).await.unwrap();
            stream.write_all(ANSWER).await.unwrap();
            String::from_utf8_lossy(&request[..read]).into_owned()
        });
        let ports = Ports::system().unwrap();
        let address = address(false, Host::Name("localhost".into()), port);
        let client = ModelClient::new(&ports, &Trust::none(), address, Some("sk-1")).unwrap();
        assert_eq!(whole(&client).await, Ok((200, b"hello!".to_vec())));
        let request = served.await.unwrap();
        assert!(request.starts_with("POST /v1/chat/completions HTTP/1.1\r\n"), "{request}");
        for line in [
            format!("host: localhost:{port}"),
            "authorization: Bearer sk-1".into(),
            "content-length: 2".into(),
        ] {
            assert!(request.contains(&line), "{line} is not in {request}");
        }
    }

    #[tokio::test]
    async fn a_public_address_is_never_asked_without_tls() {
        let net = FakeNet::default();
        let public = address(false, Host::Ip([93, 184, 216, 34].into()), 80);
        let client = client(FakeDns::default(), net, &Trust::none(), public);
        assert_eq!(whole(&client).await, Err(ModelFault::Unreachable));
    }

    #[tokio::test]
    async fn a_server_with_a_certificate_is_asked_and_its_redirect_is_not_followed() {
        let authority = Authority::new();
        let redirect =
            "HTTP/1.1 307 Moved\r\nlocation: https://other.example.com/\r\ncontent-length: 0\r\n\r\n";
        let receiver = Receiver::new(authority.server("models.example.com"), redirect, Then::GoesOn);
        let (dns, net) = (FakeDns::default(), FakeNet::default());
        dns.set("models.example.com", &["93.184.216.34"]);
        net.put("93.184.216.34:443", Place::Receiver(Arc::clone(&receiver)));
        let trust = Trust::none().and(authority.der()).unwrap();
        let host = address(true, Host::Name("models.example.com".into()), 443);
        let client = client(dns, net, &trust, host);
        assert_eq!(whole(&client).await, Ok((307, Vec::new())));
        assert_eq!(receiver.requests().len(), 1);
    }
}
