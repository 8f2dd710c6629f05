//! The real service in this process, with its own directory and a clock that only the test moves.
//!
//! The module `laws` checks every response.

mod answer;
mod api;
mod clock;
#[path = "../../support/conformance.rs"]
mod conformance;
mod fields;
mod laws;
mod network;
mod raw;
mod records;
mod salon;
mod shapes;

use std::num::NonZeroU32;
use std::path::Path;
use std::sync::Arc;

use engine::Limits;
use engine::upgrade::Upgrades;
use net::Ports;
use ports::{Random, system_random};
use receptionist::config::{AdminToken, PublicUrl, RateLimits, Settings};
use receptionist::mail::MailSettings;
use receptionist::server::{CONNECTIONS_PER_ADDRESS, TrustedProxies};
use receptionist::service::Service;
use receptionist::telemetry::{LogFormat, LogSettings};
use serde_json::{Value, json};
use store::DiskReserve;
use tempfile::TempDir;

pub(crate) use answer::{Answer, ids, paths, starts};
pub(crate) use api::{Api, encoded};
pub(crate) use clock::{Dice, Seeded, TestClock};
pub(crate) use network::Network;
pub(crate) use raw::{raw, raw_to_the_end};
pub(crate) use records::{OUTCOMES, for_integrations, for_the_team, id, merged, of_characters, pick};
pub(crate) use salon::{Salon, stamp, week};

pub(crate) const TOKEN: &str = "for-operators-only";

pub(crate) const SCOPES: [&str; 10] = [
    "business:read",
    "business:write",
    "calls:read",
    "contacts:read",
    "contacts:write",
    "appointments:read",
    "appointments:write",
    "messages:read",
    "knowledge:write",
    "webhooks:manage",
];

pub(crate) struct Server {
    service: Option<Service>,
    settings: Settings,
    limits: Limits,
    pub(crate) clock: TestClock,
    random: Arc<dyn Random>,
    pub(crate) network: Network,
    /// The operator API. Paths begin after `/admin/v1`.
    pub(crate) operator: Api,
    dir: TempDir,
}

impl Server {
    /// Starts a service without rate limits.
    pub(crate) async fn open() -> Self {
        Self::with_limit(1_000_000).await
    }

    /// Starts a service that reads at most `scan_rows` rows per request.
    pub(crate) async fn reading(scan_rows: usize) -> Self {
        let limits = Limits { scan_rows, ..Limits::default() };
        Self::with(1_000_000, TrustedProxies::default(), limits, None, system_random()).await
    }

    /// Starts a service that permits `limit` requests per minute.
    pub(crate) async fn with_limit(limit: u32) -> Self {
        Self::with(limit, TrustedProxies::default(), Limits::default(), None, system_random()).await
    }

    /// Starts a service that trusts these proxies and permits `limit` requests per minute.
    pub(crate) async fn with_proxies(proxies: &str, limit: u32) -> Self {
        Self::with(limit, proxies.parse().unwrap(), Limits::default(), None, system_random()).await
    }

    /// Starts a service that creates the same ids, secrets and links in every run.
    #[allow(dead_code, reason = "only one of the test binaries uses it")]
    pub(crate) async fn seeded(limit: u32) -> Self {
        let (public_url, random) = (PublicUrl::parse("http://localhost:8080"), Arc::new(Seeded::default()));
        Self::with(limit, TrustedProxies::default(), Limits::default(), public_url, random).await
    }

    /// Starts a service whose operator listener accepts these host names.
    pub(crate) async fn called(names: &[&str]) -> Self {
        let mut server = Self::open().await;
        server.settings.admin_hosts = names.iter().map(|name| (*name).to_owned()).collect();
        server.restart().await;
        server
    }

    /// Starts a service on an address that is not loopback, without TLS and without a public URL.
    pub(crate) async fn open_off_the_loopback() -> Self {
        let mut server = Self::open().await;
        server.settings.listen = "0.0.0.0:0".parse().unwrap();
        server.restart().await;
        server
    }

    async fn with(
        limit: u32,
        trusted_proxies: TrustedProxies,
        limits: Limits,
        public_url: Option<PublicUrl>,
        random: Arc<dyn Random>,
    ) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let settings = Settings {
            listen: "127.0.0.1:0".parse().unwrap(),
            admin_listen: "127.0.0.1:0".parse().unwrap(),
            admin_hosts: Vec::new(),
            calendar_hosts: Vec::new(),
            model: None,
            public_url,
            data_dir: dir.path().join("data"),
            admin_token: Some(AdminToken::new(TOKEN).unwrap()),
            rate_limits: RateLimits { key: NonZeroU32::new(limit).unwrap(), person: NonZeroU32::MAX },
            connections_per_address: CONNECTIONS_PER_ADDRESS.try_into().unwrap(),
            trusted_proxies,
            disk_reserve: DiskReserve::Usual,
            business_actors_max: engine::BUSINESS_ACTORS.try_into().unwrap(),
            upgrades: Upgrades::Allowed,
            tls: None,
            admin_tls: None,
            mail: None,
            log: LogSettings::new("off", LogFormat::Text).unwrap(),
        };
        let (clock, network) = (TestClock::default(), Network::default());
        let service = start(&settings, limits, &clock, &random, &network).await;
        let operator = operator(&service);
        Self { service: Some(service), settings, limits, clock, random, network, operator, dir }
    }

    pub(crate) fn engine(&self) -> &engine::Engine {
        self.service.as_ref().unwrap().engine()
    }

    /// Restarts the service on the same directory. The listeners get new addresses, so an
    /// [`Api`] of the earlier service must not be used any more.
    pub(crate) async fn restart(&mut self) {
        self.stop().await;
        self.start().await;
    }

    /// Stops the service, so that the test can open the service's directory.
    pub(crate) async fn stop(&mut self) {
        self.service.take().unwrap().stop().await.unwrap();
        assert!(self.dir.path().exists());
    }

    pub(crate) async fn start(&mut self) {
        let service = start(&self.settings, self.limits, &self.clock, &self.random, &self.network).await;
        self.operator = operator(&service);
        self.service = Some(service);
    }

    /// Restarts the service with these mail settings.
    pub(crate) async fn restart_with_mail(&mut self, mail: MailSettings) {
        self.settings.mail = Some(mail);
        self.restart().await;
    }

    pub(crate) fn data_dir(&self) -> &Path {
        &self.settings.data_dir
    }

    fn service(&self) -> &Service {
        self.service.as_ref().unwrap()
    }

    /// The public API without a key. Paths begin after `/v1`.
    pub(crate) fn anonymous(&self) -> Api {
        Api::new(self.service().public, "/v1", None)
    }

    /// The public API with this key.
    pub(crate) fn with_key(&self, key: &str) -> Api {
        Api::new(self.service().public, "/v1", Some(key))
    }

    /// The public listener. Paths begin at its root.
    pub(crate) fn root(&self) -> Api {
        Api::new(self.service().public, "", None)
    }

    /// The operator listener without a token. Paths begin at its root.
    pub(crate) fn operator_root(&self) -> Api {
        Api::new(self.service().admin, "", None)
    }

    /// The operator API of one business.
    pub(crate) fn operator_of(&self, business: &str) -> Api {
        let base = format!("/admin/v1/businesses/{business}");
        Api::new(self.service().admin, &base, Some(TOKEN))
    }

    /// Creates a salon in Paris, open from Monday to Saturday from 09:00 to 18:00.
    pub(crate) async fn salon(&self) -> Salon {
        self.salon_with(json!({})).await
    }

    /// Creates a salon like that of [`Self::salon`], with changed properties.
    pub(crate) async fn salon_with(&self, changes: Value) -> Salon {
        Salon::found(self, changes).await
    }
}

async fn start(
    settings: &Settings,
    limits: Limits,
    clock: &TestClock,
    random: &Arc<dyn Random>,
    network: &Network,
) -> Service {
    let ports = Ports {
        clock: Arc::new(clock.clone()),
        random: Arc::clone(random),
        resolver: Arc::new(network.clone()),
        dialer: Arc::new(network.clone()),
        ..Ports::system().unwrap()
    };
    let on_fatal = |error: &_| panic!("the store failed: {error}");
    Service::start_within(settings, ports, limits, on_fatal).await.unwrap()
}

fn operator(service: &Service) -> Api {
    Api::new(service.admin, "/admin/v1", Some(TOKEN))
}
