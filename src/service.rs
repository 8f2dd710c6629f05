//! The whole service. This module connects the engine, the two listeners and the operator's socket, and stops them in
//! order.
//!
//! Invariants: the public listener answers only after the store is open. To stop, the service first stops accepting
//! connections, then finishes the current requests (imports read no further data), and then closes the engine. After
//! that, every acknowledged change is on disk.

use std::fs;
use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;

use axum::http::{Method, StatusCode, header};
use axum::response::{IntoResponse, Response};
use engine::mail::MailPorts;
use engine::{Engine, Limits};
use net::{ModelClient, Ports};
use store::StoreError;
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::JoinHandle;

use crate::admin::{self, AdminHosts};
use crate::api::KeyGate;
use crate::app::{App, app};
use crate::book::{self, Front};
use crate::calendars::Written;
use crate::config::{
    AdminToken, ConfigError, ModelKey, ModelSettings, OPERATOR_SOCKET, PublicUrl, RateLimits, Settings,
    variables,
};
use crate::dashboard::{self, Desk};
use crate::mail::{Letters, MailSettings, Smtp};
use crate::metrics::{self, Metrics};
use crate::origins::Origins;
use crate::rest::router;
use crate::rest::values::phone::load_numbering_plans;
use crate::server::{self, Certificates, Listener, TlsFiles};
use crate::{api, calendars, docs, mcp, openapi};

/// The reason why the service cannot start or has ended.
#[derive(Debug, thiserror::Error)]
pub enum ServiceError {
    /// A setting is invalid, for example a certificate file. An address that is already in use is reported as
    /// `Other`.
    #[error(transparent)]
    Setting(#[from] ConfigError),
    #[error("{0}")]
    Other(String),
}

impl From<StoreError> for ServiceError {
    fn from(error: StoreError) -> Self {
        let of_a_setting = matches!(error, StoreError::NotADirectory(_));
        let error = ConfigError::new(variables::DATA_DIR, error);
        if of_a_setting { error.into() } else { Self::Other(error.to_string()) }
    }
}

#[derive(Debug)]
pub struct Service {
    pub public: SocketAddr,
    pub admin: SocketAddr,
    pub admin_token: AdminToken,
    pub(crate) has_model: bool,
    public_url: Option<PublicUrl>,
    schemes: [&'static str; 2],
    certificates: Vec<Certificates>,
    watches: Vec<JoinHandle<()>>,
    engine: Engine,
    stop: watch::Sender<bool>,
    listeners: Vec<JoinHandle<Option<server::Drained>>>,
    listener_panicked: watch::Receiver<bool>,
    socket_path: PathBuf,
}

impl Service {
    /// Opens the store, binds both listeners and serves. `on_fatal` is called if the store fails permanently.
    pub async fn start(
        settings: &Settings,
        ports: Ports,
        on_fatal: impl Fn(&StoreError) + Send + Sync + 'static,
    ) -> Result<Self, ServiceError> {
        Self::start_within(settings, ports, Limits::default(), on_fatal).await
    }

    /// [`Service::start`] with other limits of the engine, for tests that need to reach the limits.
    #[doc(hidden)]
    pub async fn start_within(
        settings: &Settings,
        ports: Ports,
        limits: Limits,
        on_fatal: impl Fn(&StoreError) + Send + Sync + 'static,
    ) -> Result<Self, ServiceError> {
        if settings.admin_is_exposed() {
            let address = settings.admin_listen;
            tracing::warn!(%address, "the operator listener has no TLS, so others on the network can read the operator's token");
        }
        let plans = tokio::task::spawn_blocking(load_numbering_plans);
        let [hosts, admin_hosts] = settings.hosts();
        let read = |files: &Option<TlsFiles>, hosts| {
            files.as_ref().map(|files| Certificates::read(files, hosts, Arc::clone(&ports.clock))).transpose()
        };
        let (tls, admin_tls) = (read(&settings.tls, hosts)?, read(&settings.admin_tls, admin_hosts)?);
        let public = bind(variables::LISTEN, settings.listen)?;
        let admin = bind(variables::ADMIN_LISTEN, settings.admin_listen)?;
        let business_actors = settings.business_actors_max.get();
        let limits = Limits { upgrades: settings.upgrades, business_actors, ..limits };
        let engine = Engine::open_within(&settings.data_dir, ports, limits, on_fatal).await?;
        engine.set_disk_reserve(settings.disk_reserve);
        engine.set_calendar_hosts(settings.calendar_hosts.iter().cloned());
        if let Some(model) = &settings.model {
            begin_model(&engine, model)?;
        }
        let listens = address(&public, settings.listen);
        let public_url = public_url(settings, listens);
        let origin = public_url.as_ref().map(PublicUrl::to_string);
        engine.people().set_public_url(origin.as_deref());
        engine.write_calendars_with(Arc::new(Written { public_url: origin.clone() }));
        if let Some(mail) = &settings.mail {
            let own = || PublicUrl::of_listener(listens, tls.is_some()).to_string();
            begin_mail(&engine, mail, origin.unwrap_or_else(own))?;
            // Without a public URL the service cannot create links, so it does not mail invitations and
            // password resets.
            engine.people().set_sends_mail(public_url.is_some());
        }
        let admin_token = match &settings.admin_token {
            Some(token) => token.clone(),
            None => AdminToken::load_or_create(&settings.data_dir)
                .map_err(|error| ServiceError::Other(format!("{}: {error}", variables::ADMIN_TOKEN)))?,
        };
        let _ = plans.await;
        let (stop, stopping) = watch::channel(false);
        let (panicked, listener_panicked) = watch::channel(false);
        let labelled = [("public", tls.clone()), ("operator", admin_tls.clone())];
        let certificates = labelled.into_iter().filter_map(|(label, tls)| Some((label, tls?))).collect();
        let metrics = Arc::new(Metrics::new(paths(), certificates));
        // The store is open, so this process holds the lock of the directory and can replace the socket.
        let socket_path = settings.data_dir.join(OPERATOR_SOCKET);
        let socket = server::bind_socket(&socket_path).inspect_err(|error| {
            let path = socket_path.display();
            tracing::warn!(%error, %path, "cannot create the operator socket; commands need --admin-url to find this service");
        });
        let limits = server::Limits {
            connections: server::CONNECTIONS_MAX,
            per_address: settings.connections_per_address,
            proxies: settings.trusted_proxies.clone(),
            counters: Arc::clone(&metrics.connections),
        };
        let rate_limits = settings.rate_limits;
        let hosts = AdminHosts::new(&settings.admin_hosts, admin_tls.clone());
        let (public_app, admin_app) = counted_apps(
            &engine,
            (&admin_token, hosts),
            rate_limits,
            public_url.clone(),
            stopping.clone(),
            metrics,
        );
        let service = Self {
            public: listens,
            admin: address(&admin, settings.admin_listen),
            admin_token,
            has_model: settings.model.is_some(),
            public_url,
            schemes: [&tls, &admin_tls].map(|tls| if tls.is_some() { "https" } else { "http" }),
            certificates: [&tls, &admin_tls].into_iter().flatten().cloned().collect(),
            watches: [&tls, &admin_tls]
                .into_iter()
                .flatten()
                .cloned()
                .map(|tls| tokio::spawn(tls.watch()))
                .collect(),
            engine,
            stop,
            listeners: [(public.into(), tls, public_app), (admin.into(), admin_tls, admin_app.clone())]
                .into_iter()
                .chain(socket.ok().map(|socket| (Listener::Unix(socket), None, admin_app)))
                .map(|(listener, tls, app)| {
                    let mut stopping = stopping.clone();
                    let stopped = async move { drop(stopping.wait_for(|stop| *stop).await) };
                    let served = server::serve(listener, tls, app, limits.clone(), stopped);
                    watched(served, panicked.clone())
                })
                .collect(),
            listener_panicked,
            socket_path,
        };
        Ok(service)
    }

    pub fn base_url(&self) -> String {
        format!("{}://{}/v1", self.schemes[0], self.public)
    }

    pub fn admin_url(&self) -> String {
        format!("{}://{}/admin/v1", self.schemes[1], self.admin)
    }

    pub fn dashboard_url(&self) -> Option<String> {
        self.public_url.as_ref().map(|origin| format!("{origin}/dashboard"))
    }

    pub fn read_certificates_again(&self) {
        self.certificates.iter().for_each(Certificates::read_again);
    }

    pub fn engine(&self) -> &Engine {
        &self.engine
    }

    /// Resolves when a listener's task has panicked. The service must then exit.
    pub async fn listener_failed(&self) -> ServiceError {
        if self.listener_panicked.clone().wait_for(|panicked| *panicked).await.is_err() {
            // The tasks of both listeners have ended without a panic. So no panic can follow, and this method never
            // resolves.
            std::future::pending::<()>().await;
        }
        listener_ended()
    }

    /// Finishes the current requests (at most 10 s) and unlocks the store. Fails if the store has failed.
    pub async fn stop(self) -> Result<(), ServiceError> {
        self.stop.send_replace(true);
        // An import has no time limit, so the stop does not wait for imports but ends them. The rows of an incomplete
        // import are deleted.
        self.engine.end_imports();
        self.watches.iter().for_each(JoinHandle::abort);
        for listener in self.listeners {
            let drained = listener.await.ok().flatten().ok_or_else(listener_ended)?;
            if drained.cut_off > 0 {
                tracing::warn!(
                    connections = drained.cut_off,
                    "closed connections whose requests were not finished in time"
                );
            }
        }
        // The store is still locked, so no other service has created a socket here.
        let _ = fs::remove_file(&self.socket_path);
        Ok(self.engine.close().await?)
    }
}

fn bind(variable: &'static str, address: SocketAddr) -> Result<TcpListener, ServiceError> {
    server::bind(address).map_err(|error| {
        let refused = ConfigError::new(variable, format!("cannot listen on {address}: {error}"));
        match error.kind() {
            io::ErrorKind::AddrNotAvailable => refused.into(),
            _ => ServiceError::Other(refused.to_string()),
        }
    })
}

fn listener_ended() -> ServiceError {
    ServiceError::Other("a listener ended unexpectedly".into())
}

/// Sets the chat model that answers for the receptionist.
fn begin_model(engine: &Engine, settings: &ModelSettings) -> Result<(), ServiceError> {
    let key = settings.key.as_ref().map(ModelKey::as_str);
    let ports = engine.ports();
    let client = settings.address().and_then(|address| ModelClient::new(ports, &ports.trust, address, key));
    let refused = || ConfigError::new(variables::LLM_URL, "requests cannot be sent to this address");
    let client = client.ok_or_else(refused)?;
    engine.set_model(Arc::new(client), settings.model.clone(), settings.options.clone());
    Ok(())
}

/// Starts sending mails, with links to this origin.
fn begin_mail(engine: &Engine, settings: &MailSettings, origin: String) -> Result<(), ServiceError> {
    let smtp = Smtp::new(settings, &engine.ports().trust)
        .map_err(|reason| ServiceError::Other(format!("{}: {reason}", variables::SMTP_URL)))?;
    engine.begin_mail(MailPorts {
        mailer: Arc::new(smtp),
        composer: Arc::new(Letters::new(settings.from.clone(), origin)),
        recipients: engine.recipients(),
    });
    Ok(())
}

/// The public and operator applications with the origin `http://localhost`, for tests without sockets.
#[doc(hidden)]
pub fn apps(
    engine: &Engine,
    admin_token: &AdminToken,
    rate_limits: RateLimits,
    stopping: watch::Receiver<bool>,
) -> (App, App) {
    let metrics = Arc::new(Metrics::new(paths(), vec![]));
    let public_url = PublicUrl::parse("http://localhost");
    counted_apps(engine, (admin_token, AdminHosts::default()), rate_limits, public_url, stopping, metrics)
}

fn counted_apps(
    engine: &Engine,
    (admin_token, hosts): (&AdminToken, AdminHosts),
    rate_limits: RateLimits,
    public_url: Option<PublicUrl>,
    stopping: watch::Receiver<bool>,
    metrics: Arc<Metrics>,
) -> (App, App) {
    let keys = Arc::new(KeyGate::new(engine.clone(), rate_limits.key.get(), Arc::clone(&metrics)));
    let origins = Origins::new(public_url.clone());
    let is_secure = public_url.as_ref().is_some_and(PublicUrl::is_https);
    let front = Front::new(engine.clone(), public_url.clone(), origins.clone());
    let desk = Desk::new(engine.clone(), public_url, origins.clone(), rate_limits.person, stopping.clone());
    let health = Health { engine: engine.clone(), stopping };
    let readiness = health.clone();
    let public = api::router(&keys)
        .merge(mcp::router(&keys, origins))
        .merge(dashboard::router(desk))
        .merge(book::router(front))
        .merge(calendars::feeds::router(engine.clone(), Arc::clone(&keys)))
        .merge(router::open("/healthz", move || std::future::ready(healthz(&health))))
        .merge(router::open("/readyz", move || std::future::ready(readyz(&readiness))))
        .merge(openapi::router())
        .merge(docs::router(is_secure));
    let shown = metrics::router(Arc::clone(&metrics), engine.clone());
    let admin = admin::router(engine.clone(), admin_token.clone(), hosts, shown, Arc::clone(&metrics));
    (app(public, Arc::clone(&metrics)), app(admin, metrics))
}

/// The configured public origin. If there is none, returns the origin of the public listener, but only if this listener
/// uses HTTPS or a loopback address.
fn public_url(settings: &Settings, listens: SocketAddr) -> Option<PublicUrl> {
    let is_known = settings.tls.is_some() || listens.ip().to_canonical().is_loopback();
    let own = || is_known.then(|| PublicUrl::of_listener(listens, settings.tls.is_some()));
    settings.public_url.clone().or_else(own)
}

/// The method and the path of every route of both APIs, for tests that cover all routes.
#[doc(hidden)]
pub fn routes() -> Vec<(Method, &'static str)> {
    let public = api::table().into_iter().map(|row| (row.method, row.path));
    public.chain(admin::table().into_iter().map(|row| (row.method, row.path))).collect()
}

/// The method, the path and the access of every dashboard route, for tests that cover all routes.
#[doc(hidden)]
pub fn pages() -> Vec<(Method, &'static str, String)> {
    dashboard::routes()
}

fn paths() -> impl Iterator<Item = &'static str> {
    let apart = ["/healthz", "/readyz", "/openapi.json", "/metrics", mcp::PATH];
    routes()
        .into_iter()
        .map(|(_, path)| path)
        .chain(apart)
        .chain(dashboard::paths())
        .chain(book::paths())
        .chain([calendars::feeds::PATH])
        .chain(docs::PATHS)
}

/// Runs a future in a task. If the task panics, `panicked` becomes true.
fn watched<T: Send + 'static>(
    serving: impl Future<Output = T> + Send + 'static,
    panicked: watch::Sender<bool>,
) -> JoinHandle<Option<T>> {
    tokio::spawn(async move {
        let served = tokio::spawn(serving).await;
        if served.is_err() {
            panicked.send_replace(true);
        }
        served.ok()
    })
}

/// The address to which the listener is bound. It differs from `asked` if `asked` has port 0, because the system then
/// chooses the port.
fn address(listener: &TcpListener, asked: SocketAddr) -> SocketAddr {
    listener.local_addr().unwrap_or(asked)
}

#[derive(Clone)]
struct Health {
    engine: Engine,
    stopping: watch::Receiver<bool>,
}

impl Health {
    /// True while the store is open, no sync has taken too long, and the service is not stopping.
    fn is_good(&self) -> bool {
        self.engine.is_open() && !self.engine.store_is_stuck() && !*self.stopping.borrow()
    }
}

fn healthz(health: &Health) -> Response {
    let is_good = health.is_good();
    status(is_good, if is_good { r#"{"status":"ok"}"# } else { r#"{"status":"unavailable"}"# })
}

/// The service runs on one node, so it can serve requests if and only if this node is healthy.
fn readyz(health: &Health) -> Response {
    let is_ready = health.is_good();
    status(is_ready, if is_ready { r#"{"status":"ready"}"# } else { r#"{"status":"not_ready"}"# })
}

fn status(is_good: bool, body: &'static str) -> Response {
    let status = if is_good { StatusCode::OK } else { StatusCode::SERVICE_UNAVAILABLE };
    (status, [(header::CONTENT_TYPE, "application/json")], body).into_response()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use domain::{Actor, BookingMode, Locale, Text, Timestamp, WeeklyBreaks, WeeklyHours};
    use engine::NewBusiness;
    use ports::{Clock, system_random};
    use store::{MemoryBackend, Store};
    use tokio::time::Instant;

    use super::*;

    /// A clock that follows tokio's time.
    struct PausedClock(Instant);

    impl Clock for PausedClock {
        fn now(&self) -> Timestamp {
            let passed = i64::try_from(self.0.elapsed().as_millis()).unwrap();
            Timestamp::from_millis(1_772_438_400_000 + passed)
        }

        fn steady(&self) -> Duration {
            self.0.elapsed()
        }
    }

    async fn health_on(disk: &MemoryBackend) -> (Health, watch::Sender<bool>) {
        let store = Store::in_memory(disk, Box::new(|_| {})).unwrap();
        let clock = Arc::new(PausedClock(Instant::now()));
        let ports = Ports::with_clock_and_random(clock, system_random());
        let (stop, stopping) = watch::channel(false);
        (Health { engine: Engine::start(store, ports).await.unwrap(), stopping }, stop)
    }

    fn statuses(health: &Health) -> [StatusCode; 2] {
        [healthz(health).status(), readyz(health).status()]
    }

    /// Submits a change, which waits for a sync.
    fn change(health: &Health) -> JoinHandle<bool> {
        let new = NewBusiness {
            name: Text::new("Shop".into()).unwrap(),
            zone: chrono_tz::UTC,
            locale: Locale::En,
            website_url: None,
            booking_mode: BookingMode::Instant,
            hours: WeeklyHours::default(),
            breaks: WeeklyBreaks::default(),
            phone_region: "US".into(),
        };
        let engine = health.engine.clone();
        tokio::spawn(async move { engine.create_business(new, Actor::Operator).await.is_ok() })
    }

    #[tokio::test(start_paused = true)]
    async fn healthz_and_readyz_are_503_while_a_sync_takes_more_than_30_s_and_200_after_it() {
        let disk = MemoryBackend::new();
        let (health, _stop) = health_on(&disk).await;
        disk.hold_syncs();
        let waiting = change(&health);
        tokio::time::sleep(Duration::from_secs(29)).await;
        assert_eq!(statuses(&health), [StatusCode::OK; 2]);
        tokio::time::sleep(Duration::from_secs(2)).await;
        assert_eq!(statuses(&health), [StatusCode::SERVICE_UNAVAILABLE; 2]);
        disk.release_syncs();
        assert!(waiting.await.unwrap());
        assert_eq!(statuses(&health), [StatusCode::OK; 2]);
    }

    #[tokio::test(start_paused = true)]
    async fn healthz_and_readyz_are_503_while_the_service_stops_and_after_a_backup_has_failed_to_read() {
        let disk = MemoryBackend::new();
        let (health, stop) = health_on(&disk).await;
        assert_eq!(statuses(&health), [StatusCode::OK; 2]);
        stop.send_replace(true);
        assert_eq!(statuses(&health), [StatusCode::SERVICE_UNAVAILABLE; 2]);
        stop.send_replace(false);
        assert_eq!(statuses(&health), [StatusCode::OK; 2]);
        let dir = tempfile::tempdir().unwrap();
        let backup = health.engine.begin_backup(Actor::Operator, &dir.path().join("b")).unwrap();
        disk.fail_next_read();
        while health.engine.backup(backup).unwrap().outcome.is_none() {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        assert_eq!(statuses(&health), [StatusCode::SERVICE_UNAVAILABLE; 2]);
        assert!(!change(&health).await.unwrap(), "nothing is acknowledged after a failure");
    }

    #[tokio::test]
    async fn a_panic_of_a_listener_is_reported_and_its_normal_end_is_not() {
        let (panicked, listener_panicked) = watch::channel(false);
        assert_eq!(watched(async { 7 }, panicked.clone()).await.unwrap(), Some(7));
        assert!(!*listener_panicked.borrow());
        // Unlike `panic!`, this prints nothing.
        let panics = async { std::panic::resume_unwind(Box::new("a test ends the listener")) };
        assert_eq!(watched::<()>(panics, panicked).await.unwrap(), None);
        assert!(*listener_panicked.borrow());
    }

    #[tokio::test]
    async fn an_address_in_use_is_one_line_with_address_and_variable() {
        let taken = bind("LISTEN", "127.0.0.1:0".parse().unwrap()).unwrap();
        let address = taken.local_addr().unwrap();
        let error = bind("RECEPTIONIST_LISTEN", address).unwrap_err().to_string();
        assert_eq!(error, format!("RECEPTIONIST_LISTEN: cannot listen on {address}: address in use"));
    }
}
