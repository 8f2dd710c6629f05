//! Creates businesses through the public and the operator API of the measured server. In this way, any version of the
//! server can be measured.

use std::net::SocketAddr;

use serde_json::{Value, json};
use tokio::task::JoinSet;

use crate::client::{Connection, request};
use crate::error::Result;
use crate::process::{Receptionist, TOKEN};
use crate::shop::Shop;

/// The number of businesses that are created at the same time.
const AT_ONCE: usize = 16;
const DAYS: [&str; 7] = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];

/// A client with one connection. It uses an API key or the operator's token.
pub(crate) struct Session {
    connection: Connection,
    key: String,
}

impl Session {
    pub(crate) async fn operator(server: &Receptionist) -> Result<Self> {
        Self::open(server.operator, TOKEN).await
    }

    pub(crate) async fn open(address: SocketAddr, key: &str) -> Result<Self> {
        Ok(Self { connection: Connection::open(address).await?, key: key.to_owned() })
    }

    /// Sends a GET request and returns the record in the response. Any status except 200 is an error.
    pub(crate) async fn get(&mut self, path: &str) -> Result<Value> {
        let answer = self.connection.exchange(&request("GET", path, &self.key, None)).await?;
        answer.expect(200)?;
        Ok(serde_json::from_slice(answer.body)?)
    }

    /// Sends a POST request and returns the status and the response.
    pub(crate) async fn try_post(&mut self, path: &str, body: &str) -> Result<(u16, Value)> {
        let answer = self.connection.exchange(&request("POST", path, &self.key, Some(body))).await?;
        Ok((answer.status, serde_json::from_slice(answer.body)?))
    }

    /// Sends a POST request and returns the created record.
    pub(crate) async fn post(&mut self, path: &str, body: &Value) -> Result<Value> {
        let (status, mut answer) = self.try_post(path, &body.to_string()).await?;
        if status == 201 {
            Ok(answer["data"].take())
        } else {
            Err(format!("{path}: {status} {answer}").into())
        }
    }

    /// Creates a business that is always open, with a service, a staff member, a contact and a key with every
    /// scope.
    async fn tenant(&mut self, public: SocketAddr, number: usize) -> Result<Shop> {
        let id =
            |made: &Value| -> Result<String> { Ok(made["id"].as_str().ok_or("it has no id")?.to_owned()) };
        let hours: Value =
            DAYS.iter().map(|day| json!({ "day": day, "open": "00:00", "close": "24:00" })).collect();
        let name = format!("Salon {number}");
        let business =
            json!({ "name": name, "timezone": "Europe/Paris", "hours": hours, "phone_region": "FR" });
        let business = id(&self.post("/admin/v1/businesses", &business).await?)?;
        let of = format!("/admin/v1/businesses/{business}");
        let service = json!({ "name": "Coupe", "duration_minutes": 30 });
        let service = id(&self.post(&format!("{of}/services"), &service).await?)?;
        let staff = json!({ "name": "Personne", "service_ids": [service] });
        let staff = vec![id(&self.post(&format!("{of}/staff"), &staff).await?)?];
        let scopes: Vec<&str> = domain::Scope::ALL.iter().map(|scope| scope.as_str()).collect();
        let key = self.post(&format!("{of}/keys"), &json!({ "name": "bench", "scopes": scopes })).await?;
        let key = key["key"].as_str().ok_or("the response has no key")?.to_owned();
        let contact = json!({ "name": "Awa Diallo", "phone": "+33612345678" });
        let contact = id(&Self::open(public, &key).await?.post("/v1/contacts", &contact).await?)?;
        Ok(Shop { id: business, key, service, staff, contact })
    }
}

/// Creates `count` businesses, each with `endpoints` endpoints that are subscribed to bookings. Calls `url` with the
/// number of a business and the number of an endpoint to get the URL of the endpoint. Returns the businesses, and the
/// secrets of the first business's endpoints.
pub(crate) async fn found(
    server: &Receptionist,
    count: usize,
    endpoints: usize,
    url: impl Fn(usize, usize) -> String + Clone + Send + 'static,
) -> Result<(Vec<Shop>, Vec<String>)> {
    let mut making = JoinSet::new();
    for lane in 0..AT_ONCE.min(count) {
        let (public, url) = (server.public, url.clone());
        let mut operator = Session::operator(server).await?;
        making.spawn(async move {
            let mut made = Vec::new();
            for number in (lane..count).step_by(AT_ONCE) {
                let tenant = operator.tenant(public, number).await?;
                let (mut owner, mut secrets) = (Session::open(public, &tenant.key).await?, Vec::new());
                for endpoint in 0..endpoints {
                    let body = json!({ "url": url(number, endpoint), "events": ["appointment.booked"] });
                    let endpoint = owner.post("/v1/webhooks", &body).await?;
                    secrets.push(endpoint["secret"].as_str().ok_or("no secret")?.to_owned());
                }
                made.push((number, tenant, secrets));
            }
            Ok::<_, Box<dyn std::error::Error + Send + Sync>>(made)
        });
    }
    let mut all = Vec::new();
    while let Some(made) = making.join_next().await {
        all.append(&mut made??);
    }
    all.sort_by_key(|(number, ..)| *number);
    let secrets = all.first().map(|(_, _, secrets)| secrets.clone()).unwrap_or_default();
    Ok((all.into_iter().map(|(_, tenant, _)| tenant).collect(), secrets))
}

/// Creates businesses without endpoints.
pub(crate) async fn found_bare(server: &Receptionist, count: usize) -> Result<Vec<Shop>> {
    Ok(found(server, count, 0, |_, _| String::new()).await?.0)
}
