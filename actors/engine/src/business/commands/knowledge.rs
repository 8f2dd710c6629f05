//! Adds, changes and removes knowledge entries.

use domain::{AuditAction, Knowledge, KnowledgeDetails, KnowledgeId, KnowledgePatch, Named, Refusal};
use store::{Weight, keys};

use crate::business::{Change, Context, Decision, New, Removed, Shown, Write};
use crate::error::Result;

super::listed!(AddKnowledge, DeleteKnowledge, PatchKnowledge);

#[derive(Clone, Debug)]
pub struct AddKnowledge {
    pub details: KnowledgeDetails,
}

impl Change for AddKnowledge {
    type Gives = New<Knowledge>;

    fn decide(self, context: &mut Context<'_>) -> Result<Decision<Self::Gives>> {
        let knowledge = self.details.into_knowledge(context.mint(), context.at);
        // The answer is stored for a repeated request, but with an empty content, because the real content may be long.
        // A real content is never empty. So if the stored content is empty, `replay` takes the content from the
        // repeated request.
        let remembered = Knowledge { content: String::new(), ..knowledge.clone() };
        Ok(Decision::answering(knowledge.clone())
            .remember(remembered)
            .note(AuditAction::KnowledgeCreated, knowledge.id)
            .write(Write::put(context.state.id, None, &knowledge)))
    }

    fn replay(&self, remembered: Knowledge) -> Knowledge {
        if !remembered.content.is_empty() {
            return remembered; // stored by an earlier version
        }
        let Knowledge { id, created_at, .. } = remembered;
        self.details.clone().into_knowledge(id, created_at)
    }
}

#[derive(Clone, Debug)]
pub struct PatchKnowledge {
    pub id: KnowledgeId,
    pub patch: KnowledgePatch,
}

impl Change for PatchKnowledge {
    type Gives = Shown<Knowledge>;

    fn decide(self, context: &mut Context<'_>) -> Result<Decision<Self::Gives>> {
        let before = stored(context, self.id)?;
        context.check_match(&before)?;
        let mut after = self.patch.apply(&before);
        if after == before {
            return Ok(Decision::answering(before));
        }
        after.updated_at = context.at;
        let write = Write::put(context.state.id, Some(&before), &after);
        let (from, to) = in_brief(before, &after);
        Ok(Decision::answering(after)
            .note_changes(AuditAction::KnowledgeUpdated, self.id, (&from, &to))
            .write(write))
    }
}

#[derive(Clone, Copy, Debug)]
pub struct DeleteKnowledge {
    pub id: KnowledgeId,
}

impl Change for DeleteKnowledge {
    type Gives = Removed;
    const WEIGHT: Weight = Weight::Frees;

    fn decide(self, context: &mut Context<'_>) -> Result<Decision<Self::Gives>> {
        let gone = Write::delete(context.state.id, &stored(context, self.id)?);
        Ok(Decision::gone().note(AuditAction::KnowledgeDeleted, self.id).write(gone))
    }
}

fn stored(context: &Context<'_>, id: KnowledgeId) -> Result<Knowledge> {
    let knowledge = context.state.read(&keys::knowledge(context.state.id, id))?;
    Ok(knowledge.ok_or(Refusal::NotFound(Named::Knowledge))?)
}

/// An entry before and after a change, as the audit log shows it: the content is replaced by its length.
fn in_brief(before: Knowledge, after: &Knowledge) -> (Knowledge, Knowledge) {
    let length = |shown: &Knowledge| format!("{} characters", shown.content.chars().count());
    let (from, mut to) = (length(&before), length(after));
    if before.content != after.content && from == to {
        to = format!("{to}, others");
    }
    (Knowledge { content: from, ..before }, Knowledge { content: to, ..after.clone() })
}
