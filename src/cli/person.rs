//! `receptionist person link`. A link is shown only by the call that creates it.

use clap::Args;
use serde_json::Value;

use super::arguments::InBusiness;
use super::record::Record;
use super::request::Body;
use super::task::{Show, Task};
use super::typed::{Kind, Typed};

pub(super) fn about_link(record: &Record) -> &'static str {
    match record.get("no_link_reason").and_then(Value::as_str) {
        Some("has_password") => {
            "no link was created: the account has a password, so the person signs in with it"
        }
        Some("no_public_url") => {
            "no link was created, since the service has no public URL: set RECEPTIONIST_PUBLIC_URL, then create a link with \
             `receptionist person link`"
        }
        _ if record.get("link").is_some_and(Value::is_null) => {
            "this is a repeated response without its link: create another with `receptionist person link`"
        }
        _ => "store the link now: it is not shown again and works once",
    }
}

#[derive(Debug, Args)]
pub(super) struct Link {
    #[command(flatten)]
    of: InBusiness,
    /// The id or e-mail address of the person
    #[arg(value_name = "PERSON")]
    person: String,
    /// The kind of link: invitation, reset or enter [default: invitation or reset, depending on the account]
    #[arg(long)]
    kind: Option<String>,
}

impl Link {
    pub(super) fn into_task(self) -> Task {
        let person = Typed::new("PERSON", Kind::Person, self.person);
        let path = self.of.path(&["people"]).then(person).then("link");
        Task::post(path, Body::default().given("kind", self.kind)).shown(Show::RecordWithLink)
    }
}
