//! A salon with a booking page, and functions that get its pages and send its forms.

use serde_json::{Value, json};
use url::form_urlencoded::Serializer;

use crate::harness::{Answer, Salon, Server};

/// The default values of the fields of a booking form.
const ZOE: [(&str, &str); 2] = [("name", "Zoé Martin"), ("phone", "+33612345678")];

pub(crate) struct Site {
    pub(crate) server: Server,
    pub(crate) salon: Salon,
    /// The path of the booking page.
    pub(crate) path: String,
}

impl Site {
    pub(crate) async fn open() -> Self {
        Self::with(json!({}), json!({})).await
    }

    /// A salon with changed properties of its profile and its booking page. The service trusts a proxy on the
    /// loopback interface.
    pub(crate) async fn with(profile: Value, website: Value) -> Self {
        let server = Server::with_proxies("127.0.0.1", 1_000_000).await;
        let mut in_france = json!({ "phone_region": "FR" });
        in_france.as_object_mut().unwrap().extend(profile.as_object().unwrap().clone());
        let salon = server.salon_with(in_france).await;
        let mut enabled = json!({ "enabled": true });
        enabled.as_object_mut().unwrap().extend(website.as_object().unwrap().clone());
        let website = salon.operator.patch("/website", &enabled).await.data();
        let path = format!("/book/{}", website["slug"].as_str().unwrap());
        Self { server, salon, path }
    }

    pub(crate) async fn website(&self, change: Value) {
        self.salon.operator.patch("/website", &change).await.is(200);
    }

    pub(crate) async fn get(&self, query: &str) -> Answer {
        self.server.root().get(&format!("{}{query}", self.path)).await
    }

    /// The page of the last step, for a cut at this time.
    pub(crate) async fn details(&self, time: &str) -> Answer {
        self.get(&format!("?service={}&time={time}", self.salon.cut)).await
    }

    /// A valid form for a cut at this time, with changed fields.
    pub(crate) async fn form(&self, time: &str, changes: &[(&str, &str)]) -> Vec<(String, String)> {
        let page = self.details(time).await;
        let mut fields = hidden(&page);
        for (name, value) in ZOE.iter().chain(changes) {
            fields.retain(|(field, _)| field != name);
            fields.push(((*name).to_owned(), (*value).to_owned()));
        }
        fields
    }

    pub(crate) async fn send(&self, fields: &[(String, String)]) -> Answer {
        self.send_with(fields, &[]).await
    }

    /// Submits a form with additional headers.
    pub(crate) async fn send_with(&self, fields: &[(String, String)], headers: &[(&str, &str)]) -> Answer {
        self.send_to(&self.path, fields, headers).await
    }

    pub(crate) async fn send_to(
        &self,
        path: &str,
        fields: &[(String, String)],
        headers: &[(&str, &str)],
    ) -> Answer {
        let body = Serializer::new(String::new()).extend_pairs(fields).finish();
        let form = [("content-type", "application/x-www-form-urlencoded")];
        let call = self.server.root().call("POST", path).bytes(body);
        form.iter().chain(headers).fold(call, |call, (name, value)| call.header(name, value)).await
    }

    /// Books a cut at this time, and returns the response.
    pub(crate) async fn book(&self, time: &str, changes: &[(&str, &str)]) -> Answer {
        self.send(&self.form(time, changes).await).await
    }

    pub(crate) async fn appointments(&self) -> Vec<Value> {
        self.salon.operator.all("/appointments").await
    }
}

/// The hidden fields of the form of a page.
pub(crate) fn hidden(page: &Answer) -> Vec<(String, String)> {
    let text = text(page);
    let inputs = text.split("<input type=\"hidden\" name=\"").skip(1);
    let field = |input: &str| {
        let (name, rest) = input.split_once("\" value=\"").unwrap();
        (name.to_owned(), rest.split('"').next().unwrap().to_owned())
    };
    inputs.map(field).collect()
}

pub(crate) fn text(page: &Answer) -> String {
    String::from_utf8(page.bytes.to_vec()).unwrap()
}

/// The times of the links or options on a page.
pub(crate) fn times(page: &Answer) -> Vec<String> {
    let text = text(page);
    let links = text.split("<time datetime=\"").skip(1);
    links.map(|link| link.split('"').next().unwrap().to_owned()).collect()
}
