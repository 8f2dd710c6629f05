//! The real service in this process, with a clock that only the test moves, and simulated browsers.
//!
//! `laws` checks every page.

mod browser;
#[path = "../../api/harness/clock.rs"]
#[allow(dead_code, reason = "only one of the test binaries uses all of it")]
mod clock;
mod laws;
mod page;
mod receiver;
mod relay;
#[path = "../../support/tls.rs"]
mod tls;

use std::num::NonZeroU32;
use std::sync::Arc;

use engine::Limits;
use engine::people::Hashing;
use engine::upgrade::Upgrades;
use http_body_util::{BodyExt, Full};
use hyper::Request;
use hyper::body::Bytes;
use hyper_util::client::legacy::Client;
use hyper_util::rt::TokioExecutor;
use net::Ports;
use receptionist::config::{AdminToken, PublicUrl, RateLimits, Settings};
use receptionist::mail::MailSettings;
use receptionist::server::{CONNECTIONS_PER_ADDRESS, TrustedProxies};
use receptionist::service::Service;
use receptionist::telemetry::{LogFormat, LogSettings};
use serde_json::{Value, json};
use store::DiskReserve;
use tempfile::TempDir;

pub(crate) use browser::Browser;
pub(crate) use clock::TestClock;
pub(crate) use page::{Page, Tag};
pub(crate) use receiver::Receiver;
#[allow(unused_imports, reason = "only one of the test binaries uses all of it")]
pub(crate) use relay::{Mails, dead_relay, relay};

const TOKEN: &str = "for-operators-only";

/// A valid password.
pub(crate) const PASSWORD: &str = "correct horse battery staple";

pub(crate) struct Server {
    service: Option<Service>,
    settings: Settings,
    pub(crate) clock: TestClock,
    /// The receiver of the service's webhooks.
    pub(crate) receiver: Receiver,
    _dir: TempDir,
}

/// A person whom the operator added.
pub(crate) struct Person {
    pub(crate) id: String,
    /// The path of the link in the response.
    pub(crate) link: String,
}

impl Server {
    /// Starts a service whose public URL is its listening address.
    pub(crate) async fn open() -> Self {
        Self::open_with(None, None).await
    }

    /// Starts a service with this public URL and these mail settings.
    pub(crate) async fn open_with(public_url: Option<&str>, mail: Option<MailSettings>) -> Self {
        Self::listening("127.0.0.1:0", public_url, mail).await
    }

    /// Starts a service with these settings on this listening address.
    pub(crate) async fn listening(
        listen: &str,
        public_url: Option<&str>,
        mail: Option<MailSettings>,
    ) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let settings = Settings {
            listen: listen.parse().unwrap(),
            admin_listen: "127.0.0.1:0".parse().unwrap(),
            admin_hosts: Vec::new(),
            calendar_hosts: Vec::new(),
            model: None,
            public_url: public_url.map(|url| PublicUrl::parse(url).unwrap()),
            data_dir: dir.path().join("data"),
            admin_token: Some(AdminToken::new(TOKEN).unwrap()),
            rate_limits: RateLimits { key: NonZeroU32::MAX, person: NonZeroU32::MAX },
            connections_per_address: CONNECTIONS_PER_ADDRESS.try_into().unwrap(),
            trusted_proxies: TrustedProxies::default(),
            disk_reserve: DiskReserve::Usual,
            business_actors_max: engine::BUSINESS_ACTORS.try_into().unwrap(),
            upgrades: Upgrades::Allowed,
            tls: None,
            admin_tls: None,
            mail,
            log: LogSettings::new("off", LogFormat::Text).unwrap(),
        };
        let (clock, receiver) = (TestClock::default(), Receiver::new());
        let service = start(&settings, &clock, &receiver).await;
        Self { service: Some(service), settings, clock, receiver, _dir: dir }
    }

    /// Starts a service that accepts `forms` forms per person and minute.
    pub(crate) async fn sending_at_most(forms: u32) -> Self {
        let mut server = Self::open().await;
        server.settings.rate_limits.person = NonZeroU32::new(forms).unwrap();
        server.restart().await;
        server
    }

    /// Restarts the service on the same directory and port.
    pub(crate) async fn restart(&mut self) {
        self.settings.listen = self.service().public;
        self.service.take().unwrap().stop().await.unwrap();
        self.service = Some(start(&self.settings, &self.clock, &self.receiver).await);
    }

    pub(crate) fn service(&self) -> &Service {
        self.service.as_ref().unwrap()
    }

    pub(crate) fn engine(&self) -> &engine::Engine {
        self.service().engine()
    }

    /// The origin of the service, as browsers use it.
    pub(crate) fn origin(&self) -> String {
        format!("http://{}", self.service().public)
    }

    /// A browser without cookies.
    pub(crate) fn browser(&self) -> Browser {
        Browser::new(self.service().public)
    }

    /// Sends a request to the operator API. Asserts that it succeeds, and returns the data of the response.
    pub(crate) async fn operator(&self, method: &str, path: &str, body: Value) -> Value {
        let uri = format!("http://{}/admin/v1{path}", self.service().admin);
        let body = if body.is_null() { Bytes::new() } else { body.to_string().into() };
        let request = Request::builder()
            .method(method)
            .uri(uri)
            .header("authorization", format!("Bearer {TOKEN}"))
            .header("content-type", "application/json")
            .body(Full::new(body));
        let client = Client::builder(TokioExecutor::new()).build_http();
        let answer = client.request(request.unwrap()).await.unwrap();
        let status = answer.status();
        let bytes = answer.into_body().collect().await.unwrap().to_bytes();
        let text = String::from_utf8_lossy(&bytes);
        assert!(status.is_success(), "{method} {path}: {status} {text}");
        let mut value: Value = serde_json::from_slice(&bytes).unwrap_or_default();
        match value.get_mut("data") {
            Some(data) => data.take(),
            None => value,
        }
    }

    /// The status of a request with this API key.
    pub(crate) async fn key_status(&self, key: &str) -> u16 {
        let request = Request::builder()
            .uri(format!("{}/v1/me", self.origin()))
            .header("authorization", format!("Bearer {key}"))
            .body(Full::new(Bytes::new()));
        let client = Client::builder(TokioExecutor::new()).build_http();
        client.request(request.unwrap()).await.unwrap().status().as_u16()
    }

    /// Creates a business with this name in Paris. Returns its id.
    pub(crate) async fn business(&self, name: &str) -> String {
        let days = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday"];
        let hours: Vec<_> =
            days.iter().map(|day| json!({ "day": day, "open": "09:00", "close": "18:00" })).collect();
        let business =
            json!({ "name": name, "timezone": "Europe/Paris", "hours": hours, "phone_region": "FR" });
        text(&self.operator("POST", "/businesses", business).await, "id")
    }

    /// Creates a service with this duration, and a staff member who offers it. Returns the id of the service.
    pub(crate) async fn offers(
        &self,
        business: &str,
        (service, minutes): (&str, u32),
        staff: &str,
    ) -> String {
        let base = format!("/businesses/{business}");
        let service = json!({ "name": service, "duration_minutes": minutes });
        let service = text(&self.operator("POST", &format!("{base}/services"), service).await, "id");
        let staff = json!({ "name": staff, "service_ids": [service] });
        self.operator("POST", &format!("{base}/staff"), staff).await;
        service
    }

    /// Creates an active member of the business.
    pub(crate) async fn person(&self, business: &str, email: &str, role: &str) -> Person {
        let person = self.invited(business, email, role).await;
        let path = format!("/businesses/{business}/people/{}", person.id);
        self.operator("PATCH", &path, json!({ "status": "active" })).await;
        person
    }

    /// Creates an invited member of the business.
    pub(crate) async fn invited(&self, business: &str, email: &str, role: &str) -> Person {
        let body = json!({ "email": email, "role": role });
        let person = self.operator("POST", &format!("/businesses/{business}/people"), body).await;
        let link = person["link"].as_str().unwrap_or_default().to_owned();
        Person { id: text(&person, "id"), link }
    }

    /// The id of the person's membership, as it occurs in paths.
    pub(crate) async fn membership(&self, business: &str, person: &Person) -> String {
        let business = self.engine().business(business.parse().unwrap());
        let found = self.engine().people().member(&business, person.id.parse().unwrap()).await;
        found.unwrap().1.id().to_string()
    }

    /// Creates a link for a person. Returns its path.
    pub(crate) async fn link(&self, business: &str, person: &Person, kind: &str) -> String {
        let path = format!("/businesses/{business}/people/{}/link", person.id);
        let link = text(&self.operator("POST", &path, json!({ "kind": kind })).await, "link");
        let at = link.find("/dashboard/").unwrap();
        link[at..].to_owned()
    }

    /// A browser in which the person has signed in with a link from the operator.
    pub(crate) async fn signed_in(&self, business: &str, person: &Person) -> Browser {
        let link = self.link(business, person, "enter").await;
        let mut browser = self.browser();
        let page = browser.get(&link).await.is(200);
        browser.submit(&page, &link, &[]).await.leads_to("/dashboard");
        browser
    }

    /// A browser in which the person has just set this password.
    pub(crate) async fn with_password(&self, business: &str, person: &Person, password: &str) -> Browser {
        let link = self.link(business, person, "reset").await;
        let mut browser = self.browser();
        let page = browser.get(&link).await;
        browser.submit(&page, &link, &[]).await.leads_to("/dashboard/password");
        let page = browser.get("/dashboard/password").await;
        let fields = [("password", password), ("password_again", password)];
        browser.submit(&page, "/dashboard/password", &fields).await.leads_to("/dashboard");
        browser
    }
}

fn text(value: &Value, name: &str) -> String {
    value[name].as_str().unwrap_or_else(|| panic!("{name} is missing in {value}")).to_owned()
}

async fn start(settings: &Settings, clock: &TestClock, receiver: &Receiver) -> Service {
    let ports = Ports {
        clock: Arc::new(clock.clone()),
        resolver: Arc::new(receiver.clone()),
        dialer: Arc::new(receiver.clone()),
        trust: receiver.trust(),
        ..Ports::system().unwrap()
    };
    let limits = Limits { hashing: Hashing::Cheap, ..Limits::default() };
    let on_fatal = |error: &_| panic!("the store failed: {error}");
    Service::start_within(settings, ports, limits, on_fatal).await.unwrap()
}
