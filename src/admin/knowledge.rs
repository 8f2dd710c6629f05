//! Lists, changes and deletes the knowledge entries of a business.

use domain::{Knowledge, KnowledgeId, KnowledgePatch, Locale, Text};
use engine::business::KnowledgeFilter;
use engine::business::commands::knowledge::{DeleteKnowledge, PatchKnowledge};

use crate::http::patch::Patch;
use crate::json_object;
use crate::rest::prelude::*;
use crate::rest::values::web::WebsiteUrl;

json_object! {
    /// A change to a knowledge entry; a property that is absent keeps its value.
    pub(crate) struct KnowledgePatchBody {
        /// The title.
        title: Patch<Text<1, 200>>,
        /// The content.
        content: Patch<Text<1, 50_000>>,
        /// The address of the source; null clears it.
        source_url: Patch<Option<WebsiteUrl>>,
        /// The language of the entry; null clears it.
        locale: Patch<Option<Locale>>,
    }
}

impl From<KnowledgePatchBody> for KnowledgePatch {
    fn from(body: KnowledgePatchBody) -> Self {
        Self {
            title: body.title.set(),
            content: body.content.set(),
            source_url: body.source_url.set().map(|url| url.map(WebsiteUrl::into_string)),
            locale: body.locale.set(),
        }
    }
}

pub(super) async fn list(
    context: Context,
    Query(query): Query<PlainList>,
    business: Business,
) -> Result<Listed<Knowledge>, ApiError> {
    let asked = query.open(&context, business.list("operator knowledge"))?;
    Ok(asked.listed(business.knowledge_list(&KnowledgeFilter::default(), &asked.page).await?))
}

pub(super) async fn show(
    _: Context,
    Path(id): Path<KnowledgeId>,
    business: Business,
) -> Result<One<Knowledge>, ApiError> {
    Ok(One::of(&business.knowledge(id).await?.ok_or(KnowledgeId::NOT_FOUND)?))
}

pub(super) async fn update(
    context: Context,
    Body(body): Body<KnowledgePatchBody>,
    Path(id): Path<KnowledgeId>,
) -> Result<Changed<Knowledge>, ApiError> {
    context.change(PatchKnowledge { id, patch: body.into() }).await
}

pub(super) async fn delete(context: Context, Path(id): Path<KnowledgeId>) -> Result<Gone, ApiError> {
    context.change(DeleteKnowledge { id }).await
}
