//! The names of actors, for the audit log.
//!
//! Invariants:
//! - A person sees the name of a key only with the right to see keys, and an email address only with the
//!   right to see people.
//! - For a person without an account, the text says only that the account no longer exists.

use domain::{Access, Actor, KeyId, PersonId, Right};
use engine::business::PageRequest;
use view::PersonView;

use super::asked::Member;
use super::refused::Refused;

const PEOPLE_READ: usize = 200;

pub(super) struct Whos(Vec<(Actor, String)>);

impl Member {
    /// The names of these actors. Each actor is looked up once.
    pub(super) async fn whos(&self, actors: impl IntoIterator<Item = Actor>) -> Result<Whos, Refused> {
        let mut all: Vec<(Actor, String)> = Vec::new();
        for actor in actors {
            if all.iter().all(|(known, _)| *known != actor) {
                all.push((actor, self.who(actor).await?));
            }
        }
        Ok(Whos(all))
    }

    pub(super) async fn everybody(&self) -> Result<Vec<PersonView>, Refused> {
        let (mut all, mut after) = (Vec::new(), None);
        loop {
            let part = PageRequest { limit: PEOPLE_READ, after };
            let read = self.people().of_business(&self.business, &part).await?;
            all.extend(read.items);
            after = read.next;
            if after.is_none() {
                all.sort_by_key(|person| person.membership_id);
                return Ok(all);
            }
        }
    }

    async fn who(&self, actor: Actor) -> Result<String, Refused> {
        let view = self.view();
        match actor {
            Actor::Person(id) => self.person_told(id).await,
            Actor::ApiKey(id) => self.key_told(id).await,
            Actor::Operator => Ok(view.t("who-operator")),
            Actor::System => Ok(view.t("who-service")),
        }
    }

    async fn person_told(&self, id: PersonId) -> Result<String, Refused> {
        let view = self.view();
        let Some(person) = self.people().person(id).await? else { return Ok(view.t("who-gone")) };
        if !person.name.trim().is_empty() {
            return Ok(person.name);
        }
        // The current address of a former member is not shown, since it may have changed after the membership
        // ended.
        let is_seen = self.sees(Right::People) && self.people().member(&self.business, id).await.is_ok();
        Ok(if is_seen { person.email } else { view.t("who-nameless") })
    }

    async fn key_told(&self, id: KeyId) -> Result<String, Refused> {
        let view = self.view();
        let name = if self.sees(Right::Integrations) { self.business.key_name(id).await? } else { None };
        Ok(name.map_or_else(|| view.t("who-key"), |name| view.with("who-key-named", "name", &name)))
    }

    pub(super) fn sees(&self, right: Right) -> bool {
        self.membership.role.access(right) != Access::Hidden
    }
}

impl Whos {
    pub(super) fn of(&self, actor: Actor) -> &str {
        self.0.iter().find(|(known, _)| *known == actor).map_or("", |(_, told)| told)
    }
}
