//! `POST /knowledge`.

use domain::{KnowledgeDetails, Locale, Text};
use engine::business::commands::knowledge::AddKnowledge;
use view::KnowledgeView;

use crate::json_object;
use crate::rest::prelude::{ApiError, Body, Context, Created};
use crate::rest::values::web::WebsiteUrl;

json_object! {
    /// A piece of knowledge as it is added.
    pub(crate) struct KnowledgeBody {
        /// What it is about.
        title: Text<1, 200>,
        /// What it says.
        content: Text<1, 50_000>,
        /// Where it comes from.
        source_url: Option<WebsiteUrl>,
        /// The language it is in.
        locale: Option<Locale>,
    }
}

impl From<KnowledgeBody> for KnowledgeDetails {
    fn from(body: KnowledgeBody) -> Self {
        Self {
            title: body.title,
            content: body.content,
            source_url: body.source_url.map(WebsiteUrl::into_string),
            locale: body.locale,
        }
    }
}

pub(crate) async fn create(
    context: Context,
    Body(body): Body<KnowledgeBody>,
) -> Result<Created<KnowledgeView>, ApiError> {
    context.change(AddKnowledge { details: body.into() }).await
}
