//! The tool `search_knowledge`. It returns passages from the knowledge entries of a business.

use domain::Text;
use schemars::JsonSchema;
use serde::Serialize;

use super::refused::Refused;
use super::tool_call::ToolCall;
use crate::json_object;

json_object! {
    pub(super) struct Question {
        /// The question, or words from it.
        query: Text<1, 300>,
    }
}

#[derive(Serialize, JsonSchema)]
pub(super) struct Passages {
    /// The passages, ordered from the best match to the worst.
    passages: Vec<Passage>,
}

#[derive(Serialize, JsonSchema)]
struct Passage {
    title: String,
    text: String,
    /// The address of the web page from which the text comes.
    source_url: Option<String>,
}

pub(super) async fn search(asking: ToolCall, question: Question) -> Result<Passages, Refused> {
    let found = asking.business.search_knowledge(question.query.into_string()).await?;
    let shown = |talk::Passage { title, text, source_url }| Passage { title, text, source_url };
    Ok(Passages { passages: found.into_iter().map(shown).collect() })
}
