//! `POST /knowledge`.

use domain::{KnowledgeDetails, Locale, Text};
use engine::business::commands::knowledge::AddKnowledge;
use view::KnowledgeView;

use crate::json_object;
use crate::rest::prelude::{ApiError, Body, Context, Created};
use crate::rest::values::web::WebsiteUrl;

json_object! {
    /// A new knowledge entry.
    pub(crate) struct KnowledgeBody {
        /// The title.
        title: Text<1, 200>,
        /// The content.
        content: Text<1, 50_000>,
        /// The address of the source.
        source_url: Option<WebsiteUrl>,
        /// The language of the entry.
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
