//! Reads knowledge.

use domain::{Knowledge, KnowledgeId, fold_name};
use store::keys::kind;
use store::{Order, Record, keys};

use super::{Page, PageRequest, collect};
use crate::business::BusinessHandle;
use crate::error::Result;

#[derive(Clone, Debug, Default)]
pub struct KnowledgeFilter {
    pub part: Option<String>,
    pub newest_first: bool,
}

impl BusinessHandle {
    /// The matching knowledge entries, in the order of creation or newest first.
    pub async fn knowledge_list(
        &self,
        filter: &KnowledgeFilter,
        page: &PageRequest,
    ) -> Result<Page<Knowledge>> {
        let range = keys::of_kind(self.id, kind::KNOWLEDGE);
        let order = if filter.newest_first { Order::Descending } else { Order::Ascending };
        let part = filter.part.as_deref().map(fold_name);
        self.list(page, move |reader, page| {
            collect(reader, range, order, page, |_, value| {
                let piece = Knowledge::decode(value)?;
                let has = |part: &String| {
                    [&piece.title, &piece.content].into_iter().any(|text| fold_name(text).contains(part))
                };
                Ok(part.as_ref().is_none_or(has).then_some(piece))
            })
        })
        .await
    }

    pub async fn knowledge(&self, id: KnowledgeId) -> Result<Option<Knowledge>> {
        self.read(|store| store.get(&keys::knowledge(self.id, id))).await
    }
}
