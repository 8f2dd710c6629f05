//! `add_knowledge`.

use domain::{KnowledgeDetails, Locale, Text};
use engine::business::commands::knowledge::AddKnowledge;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::asking::Asking;
use super::bounds::{TEXT_CHARS_MAX, cut, of_view};
use super::refused::Refused;
use super::values::IdempotencyKey;
use crate::json_object;
use crate::rest::values::web::WebsiteUrl;

json_object! {
    pub(super) struct NewKnowledge {
        /// What it is about.
        title: Text<1, 200>,
        /// What it says, at most 50,000 characters.
        content: Text<1, 50_000>,
        /// Where it comes from.
        source_url: Option<WebsiteUrl>,
        /// Its language.
        locale: Option<Locale>,
        /// The same key again gives the first answer.
        idempotency_key: Option<IdempotencyKey>,
    }
}

#[derive(Serialize, Deserialize, JsonSchema)]
pub(super) struct Knowledge {
    id: String,
    title: String,
    content: String,
    source_url: Option<String>,
    locale: Option<String>,
}

pub(super) async fn add(asking: Asking, new: NewKnowledge) -> Result<Knowledge, Refused> {
    let details = KnowledgeDetails {
        title: new.title,
        content: new.content,
        source_url: new.source_url.map(WebsiteUrl::into_string),
        locale: new.locale,
    };
    let answer = asking.change(new.idempotency_key.as_ref(), AddKnowledge { details }).await?;
    let mut view = answer.value;
    view.content = cut(view.content, TEXT_CHARS_MAX, "the whole is kept in the knowledge base");
    of_view(&view, Value::Null)
}
