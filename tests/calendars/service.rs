//! The service with a business, one staff member and a connected calendar.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use chrono::{DateTime, Utc};
use serde_json::{Value, json};

use crate::client::{Answer, Call, Client, Shop, text};
use crate::events::{OWN_ADDRESS, day, rfc3339};
use crate::process::{Server, serve};
use crate::servers::Account;

/// The maximum wait for a condition.
const PATIENCE: Duration = Duration::from_secs(20);

/// Waits until a condition is true.
pub(crate) async fn until(what: &str, condition: impl AsyncFn() -> bool) {
    let began = Instant::now();
    while !condition().await {
        assert!(began.elapsed() < PATIENCE, "{what} did not happen");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

pub(crate) struct Service {
    data_dir: PathBuf,
    authority: PathBuf,
    server: Server,
    client: Client,
    pub(crate) shop: Shop,
    calendar: String,
}

fn start(data_dir: &Path, authority: &Path) -> Server {
    let mut command = serve(data_dir);
    command.env("SSL_CERT_FILE", authority);
    Server::start(command, &data_dir.with_extension("log"))
}

impl Service {
    pub(crate) async fn start(data_dir: PathBuf, authority: PathBuf) -> Self {
        let server = start(&data_dir, &authority);
        let client = Client::of(&server);
        let shop = Shop::create(&client, 1).await;
        Self { data_dir, authority, server, client, shop, calendar: String::new() }
    }

    /// Kills the process and starts it again.
    pub(crate) fn restart(&mut self) {
        self.server.kill();
        self.server.wait();
        self.server = start(&self.data_dir, &self.authority);
        self.client = Client::of(&self.server);
    }

    /// Ends the process. Returns the data directory.
    pub(crate) fn end(self) -> PathBuf {
        self.server.signal("TERM");
        assert_eq!(self.server.wait().code(), Some(0), "{}", self.server.errors());
        self.data_dir
    }

    async fn operator(&self, method: &str, path: &str, body: Option<Value>) -> Answer {
        let path = format!("/businesses/{}{path}", self.shop.id);
        self.client.ask_operator(method, &path, body).await.expect("the service did not respond")
    }

    async fn done(&self, method: &str, path: &str, body: Option<Value>) -> Value {
        let answer = self.operator(method, path, body).await;
        assert!(answer.is_success(), "{method} {path}: {answer:?}");
        answer.body["data"].clone()
    }

    pub(crate) async fn discovers(&self, url: &str, user: &str, password: &str) -> Answer {
        let body = json!({ "url": url, "username": user, "password": password });
        self.operator("POST", "/calendars/discover", Some(body)).await
    }

    /// Connects a calendar to which appointments are written, and waits until the service has read the calendar.
    pub(crate) async fn connect(&mut self, url: &str, calendar: &str, account: &Account) {
        let body = json!({
            "staff_id": self.shop.staff[0], "kind": "caldav", "url": url, "username": account.user,
            "password": account.password, "calendar": calendar, "write": true, "own_addresses": [OWN_ADDRESS],
        });
        self.calendar = text(&self.done("POST", "/calendars", Some(body)).await, "id");
        until("the first read", async || self.calendar().await["status"] == "connected").await;
    }

    pub(crate) async fn calendar(&self) -> Value {
        self.done("GET", &format!("/calendars/{}", self.calendar), None).await
    }

    async fn read_at(&self) -> Value {
        self.calendar().await["last_read_at"].clone()
    }

    /// Reads the calendar completely.
    pub(crate) async fn read(&self) {
        let before = self.read_at().await;
        self.done("POST", &format!("/calendars/{}/read", self.calendar), None).await;
        until("a complete read", async || self.read_at().await != before).await;
    }

    /// Kills and restarts the process, and waits until the service has read the calendar. After a restart, the first
    /// request for the business causes the service to read the changes to the calendar.
    pub(crate) async fn restart_and_read(&mut self) {
        let before = self.read_at().await;
        self.restart();
        until("a read after the restart", async || self.read_at().await != before).await;
    }

    pub(crate) async fn change(&self, changes: Value) {
        self.done("PATCH", &format!("/calendars/{}", self.calendar), Some(changes)).await;
    }

    /// Disconnects the calendar and waits until its events are deleted.
    pub(crate) async fn disconnect(&self) {
        let path = format!("/calendars/{}", self.calendar);
        let answer = self.operator("DELETE", &format!("{path}?remove_events=true"), None).await;
        assert_eq!(answer.status, 202, "{answer:?}");
        until("the end of the calendar", async || self.operator("GET", &path, None).await.status == 404)
            .await;
    }

    fn booking(&self, start: DateTime<Utc>) -> Call {
        self.shop.booking(0, &rfc3339(start), 1, uuid::Uuid::new_v4().to_string())
    }

    pub(crate) async fn tries_to_book(&self, start: DateTime<Utc>) -> Answer {
        self.client.call(&self.shop, &self.booking(start)).await.expect("the service did not respond")
    }

    /// Books an appointment. Returns its id.
    pub(crate) async fn books(&self, start: DateTime<Utc>) -> String {
        let answer = self.tries_to_book(start).await;
        assert_eq!(answer.status, 201, "{start}: {answer:?}");
        answer.text("id")
    }

    pub(crate) async fn moves(&self, id: &str, start: DateTime<Utc>) {
        let body = json!({ "starts_at": rfc3339(start) });
        self.done("POST", &format!("/appointments/{id}/reschedule"), Some(body)).await;
    }

    pub(crate) async fn cancels(&self, id: &str) {
        self.done("POST", &format!("/appointments/{id}/cancel"), None).await;
    }

    pub(crate) async fn appointment(&self, id: &str) -> Value {
        self.done("GET", &format!("/appointments/{id}"), None).await
    }

    pub(crate) async fn status(&self, id: &str) -> String {
        text(&self.appointment(id).await, "calendar_sync_status")
    }

    /// The state of the event of an appointment.
    pub(crate) async fn event(&self, id: &str) -> Value {
        let path = format!("/businesses/{}/calendars/{}/appointments", self.shop.id, self.calendar);
        let all = self.client.operator_list(&path).await;
        all.into_iter().find(|it| it["appointment_id"] == id).unwrap_or_default()
    }

    /// Waits until the calendar server has acknowledged the write of the newest state of an appointment.
    pub(crate) async fn syncs(&self, id: &str) {
        let began = Instant::now();
        while self.status(id).await != "synced" {
            assert!(began.elapsed() < PATIENCE, "{id} is not synced: {}", self.event(id).await);
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    pub(crate) async fn has_failed(&self, id: &str, reason: &str) {
        let event = self.event(id).await;
        assert_eq!((&event["status"], &event["reason"]), (&json!("failed"), &json!(reason)), "{event}");
    }

    /// Writes the event again.
    pub(crate) async fn writes_again(&self, id: &str) {
        self.done("POST", &format!("/calendars/{}/appointments/{id}/write", self.calendar), None).await;
        self.syncs(id).await;
    }

    /// The start times that are listed for the first days.
    pub(crate) async fn listed(&self) -> Vec<DateTime<Utc>> {
        let (service, first, last) = (&self.shop.service, day(0), day(5));
        let path = format!("/availability?service_id={service}&start_date={first}&end_date={last}");
        let slots = self.client.list(&self.shop, &path).await;
        slots.iter().map(|slot| text(slot, "starts_at").parse().unwrap()).collect()
    }
}
