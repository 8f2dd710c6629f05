//! The names of the actors in audit entries: the people, API keys and others that made the changes.
//!
//! Invariants:
//! - The page shows the name of a key only to readers with the right to see keys, and an email address only
//!   to readers with the right to see people.
//! - If the account of an actor was deleted, the text says only that the account no longer exists.

use std::collections::HashMap;
use std::collections::hash_map::Entry::Vacant;

use domain::{Access, Actor, PersonId, Refusal, Right};
use engine::EngineError;
use view::{KeyCreatorView, PersonView};

use super::input::Member;
use super::listing::all;
use super::refused::Refused;

impl Member {
    pub(super) async fn member_view(&self, id: PersonId) -> Result<Option<PersonView>, Refused> {
        match self.people().member(&self.business, id).await {
            Ok((person, membership)) => Ok(Some(PersonView::new(&person, &membership))),
            Err(EngineError::Refused(Refusal::NotFound(_))) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// The names of these actors. Each actor is looked up only once.
    pub(super) async fn whos(
        &self,
        actors: impl IntoIterator<Item = Actor>,
    ) -> Result<HashMap<Actor, String>, Refused> {
        let mut all = HashMap::new();
        for actor in actors {
            if let Vacant(vacant) = all.entry(actor) {
                vacant.insert(self.who(actor).await?);
            }
        }
        Ok(all)
    }

    pub(super) async fn everybody(&self) -> Result<Vec<PersonView>, Refused> {
        let read = |page| async move { self.people().of_business(&self.business, &page).await };
        let mut all = all(read).await?;
        all.sort_by_key(|person| person.membership_id);
        Ok(all)
    }

    /// The creator of a key or a feed.
    pub(super) fn creator(&self, by: &KeyCreatorView) -> String {
        match (by.id, &by.name) {
            (None, _) => self.t("who-operator"),
            (Some(_), None) => self.t("who-gone"),
            (Some(_), Some(name)) if name.trim().is_empty() => self.t("who-nameless"),
            (Some(_), Some(name)) => name.clone(),
        }
    }

    async fn who(&self, actor: Actor) -> Result<String, Refused> {
        Ok(match actor {
            Actor::Operator => self.t("who-operator"),
            Actor::System => self.t("who-service"),
            Actor::Customer => self.t("who-customer"),
            Actor::Receptionist(_) => self.t("who-receptionist"),
            Actor::ApiKey(_) if !self.sees(Right::Integrations) => self.t("who-key"),
            Actor::ApiKey(id) => match self.business.key_name(id).await? {
                Some(name) => self.with("who-key-named", "name", &name),
                None => self.t("who-key"),
            },
            Actor::Person(id) => match self.people().person(id).await? {
                None => self.t("who-gone"),
                Some(person) if !person.name.trim().is_empty() => person.name,
                Some(person) => {
                    // The address of a former member is not shown, since the person may have changed it after
                    // the membership ended.
                    let is_seen =
                        self.sees(Right::People) && self.people().member(&self.business, id).await.is_ok();
                    if is_seen { person.email } else { self.t("who-nameless") }
                }
            },
        })
    }

    pub(super) fn sees(&self, right: Right) -> bool {
        self.membership.role.access(right) != Access::Hidden
    }
}
